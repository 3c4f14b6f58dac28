"""A machine gets the limits and accounts of its site from what sacctmgr prints, and says what is not as it is there."""

import time
from pathlib import Path
from typing import Any

import pytest

from paretosched import InputError, Machine, NodeKind, Partition
from paretosched.policies.site_limits import enforcement_remarks, with_site_limits
from paretosched.workload.limits import Limits

PRINTED = Path(__file__).parents[1] / "data/slurm_limits"
MACHINE = Machine((NodeKind("n[1-3]", 4, 8000),), (Partition("main", own_qos="short"),), name="loop")
GIB = 1024 * 1024
OF_QOS = (
    Limits(
        "big", "", "", "",
        {"GrpTRES": {"cpu": 8, "node": 2}, "MaxTRESMins": {"cpu": 600}, "MaxTRESPU": {"cpu": 4, "mem": 2 * GIB},
         "MinTRES": {"cpu": 2}},
        ("NoReserve",),
    ),
    Limits("short", "", "", "", {"MaxJobsPU": 4, "MaxSubmitPU": 16, "MaxWall": 1200}, ("DenyOnLimit", "OverPartQOS")),
)  # fmt: skip
OF_ASSOCIATIONS = (
    Limits("", "bio", "", "", {"GrpTRES": {"cpu": 12}, "GrpTRESRunMins": {"cpu": 1000}}),
    Limits("", "bio", "lp", "batch", {"MaxWall": 86_400}),
    Limits("", "sea", "games", "", {"MaxJobs": 3}),
)


@pytest.mark.parametrize("name", ["assoc.txt", "assoc_parents.txt"])
def test_what_a_real_sacctmgr_printed(name: str) -> None:
    machine, remarks = with_site_limits(MACHINE, PRINTED / "qos.txt", PRINTED / name)
    assert machine.limits == (*OF_ASSOCIATIONS, *OF_QOS)
    assert machine.accounts == (("bio", "root"), ("sea", "bio"))
    assert remarks == []


def test_a_table_without_parents_is_taken_and_said(tmp_path: Path) -> None:
    machine, remarks = with_site_limits(MACHINE, None, PRINTED / "assoc_flat.txt")
    assert machine.limits == OF_ASSOCIATIONS
    assert machine.accounts == (("bio", "root"), ("sea", "root"))
    assert len(remarks) == 1
    assert remarks[0].endswith("write it by: sacctmgr -P show assoc tree > assoc.txt")


def test_one_file_may_have_both_and_columns_stand_in_any_order(tmp_path: Path) -> None:
    both = tmp_path / "site.txt"
    both.write_text((PRINTED / "assoc.txt").read_text() + (PRINTED / "qos.txt").read_text())
    assert (
        with_site_limits(MACHINE, both, both)[0]
        == with_site_limits(MACHINE, PRINTED / "qos.txt", PRINTED / "assoc.txt")[0]
    )
    for name in ("qos.txt", "assoc.txt"):
        rows = [line.split("|")[::-1] for line in (PRINTED / name).read_text().splitlines()]
        (tmp_path / name).write_text("".join("|".join(row) + "\n" for row in rows))
    machine, _ = with_site_limits(MACHINE, tmp_path / "qos.txt", tmp_path / "assoc.txt")
    assert (machine.limits, machine.accounts) == ((*OF_ASSOCIATIONS, *OF_QOS), (("bio", "root"), ("sea", "bio")))


def test_commands_of_sacctmgr_are_taken_too(tmp_path: Path) -> None:
    (tmp_path / "s.sh").write_text("add qos short MaxJobsPU=4\nadd account bio MaxJobs=9\nadd user ines account=bio\n")
    machine, remarks = with_site_limits(MACHINE, tmp_path / "s.sh", tmp_path / "s.sh")
    assert machine.limits == (
        Limits("", "bio", "", "", {"MaxJobs": 9}), Limits("short", "", "", "", {"MaxJobsPU": 4}),
    )  # fmt: skip
    assert remarks == []


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("Name|Priority|MaxJobsPU\nother|1|3\n")
    assert with_site_limits(MACHINE, tmp_path / "q", None)[1] == [
        f"{tmp_path / 'q'} has no limits of short, the QOS of partitions"
    ]
    with pytest.raises(InputError, match=r"q: there must be a line for each association, but is none; .*assoc tree"):
        with_site_limits(MACHINE, None, tmp_path / "q")
    with pytest.raises(InputError, match=r"assoc.txt: there must be a line for each QOS, but is none; write it by"):
        with_site_limits(MACHINE, PRINTED / "assoc.txt", None)


def test_whether_a_slurm_conf_enforces_them(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    limited = with_site_limits(MACHINE, PRINTED / "qos.txt", None)[0]
    for line, enforced in (("", False), ("associations,limits,qos", True), ("safe", True), ("qos", False)):
        conf.write_text(f"ClusterName=a\n{f'AccountingStorageEnforce={line}' * bool(line)}\nNodeName=n1\n")
        assert (enforcement_remarks(conf, limited) == []) == enforced
        assert enforcement_remarks(conf, MACHINE) == []
    assert "simulate --without limits" in enforcement_remarks(conf, limited)[0]


HOUR, DAY = 3600, 86_400
ARCHER2: dict[str, Any] = {
    "standard": (1024, DAY, 64, 16, {"MaxTRESPU": {"node": 1024}}),
    "highmem": (256, DAY, 16, 16, {"MaxTRESPU": {"node": 256}}),
    "taskfarm": (16, DAY, 128, 32, {"MaxTRESPU": {"node": 256}}),
    "short": (32, 1200, 16, 4, {}),
    "long": (64, 4 * DAY, 16, 16, {"MaxTRESPU": {"node": 512}, "GrpTRES": {"node": 2048}}),
    "largescale": (5860, 12 * HOUR, 8, 1, {"MinTRES": {"node": 1025}}),
    "lowpriority": (2048, DAY, 16, 16, {}),
    "capabilityday": (0, 3 * HOUR, 8, 2, {"MinTRES": {"node": 512}}),
    "gpu-shd": (1, 12 * HOUR, 2, 1, {}),
    "gpu-exc": (2, 12 * HOUR, 2, 1, {}),
}  # nodes of a job, time, jobs queued and running, others: the table of its documentation


def test_the_limits_of_archer2() -> None:
    machine, remarks = with_site_limits(MACHINE, PRINTED / "archer2_qos.txt", None)
    found = {each.qos: each.plain for each in machine.limits}
    assert found.pop("serial") == {
        "MaxJobsPU": 4, "MaxSubmitPU": 32, "MaxWall": DAY, "MaxTRES": {"cpu": 32, "mem": 128 * GIB},
        "MaxTRESPU": {"cpu": 32, "mem": 128 * GIB},
    }  # fmt: skip
    assert found == {
        name: ({"MaxTRES": {"node": nodes}} if nodes else {})
        | {"MaxWall": wall, "MaxSubmitPU": queued, "MaxJobsPU": running}
        | others
        for name, (nodes, wall, queued, running, others) in ARCHER2.items()
    }  # and no limits of "reservation"
    assert remarks == []


def test_the_limits_of_jean_zay() -> None:
    machine, remarks = with_site_limits(MACHINE, PRINTED / "jean_zay_qos.txt", None)
    table = {  # of a job, a user, a project, a QOS; hours
        "cpu-t3": ("cpu", 20480, 48000, 48000, None, 20), "cpu-t4": ("cpu", 160, 1280, 1280, 5120, 100),
        "cpu-dev": ("cpu", 5120, 5120, 5120, 48000, 2), "gpu-t3": ("gres/gpu", 512, 1024, 1024, None, 20),
        "gpu-t4": ("gres/gpu", 16, 128, 128, 512, 100), "gpu-dev": ("gres/gpu", 32, 32, 32, 512, 2),
    }  # fmt: skip
    assert {each.qos: each.plain for each in machine.limits} == {
        f"qos_{name}": {"MaxTRES": {of: job}, "MaxTRESPU": {of: user}, "MaxTRESPA": {of: project}, "MaxWall": h * HOUR}
        | ({} if qos is None else {"GrpTRES": {of: qos}})
        for name, (of, job, user, project, qos, h) in table.items()
    }
    assert remarks == [f"{PRINTED / 'jean_zay_qos.txt'} has no limits of short, the QOS of partitions"]


@pytest.mark.slow
def test_a_very_large_site_is_read_in_time(tmp_path: Path) -> None:
    qos, assoc = (PRINTED / name for name in ("qos.txt", "assoc.txt"))
    head = assoc.read_text().splitlines()[0]
    lines = [head, "loop|root|||1|||||||||||||normal||"]
    for account in range(2000):
        lines.append(f"loop| a{account}|||1||50|cpu=100,mem=100G||||||||||normal||cpu=1000")
        lines += [f"loop|  a{account}|u{user}||1|||cpu=10||||4|node=2||9|1-0||a,b||" for user in range(9)]
    (tmp_path / "assoc.txt").write_text("\n".join(lines) + "\n")
    row = "|0|00:00:00|||cluster|DenyOnLimit||1.000000|cpu=8||||||||cpu=600|1-0|cpu=4,mem=2G|8|16||||cpu=2"
    names = "\n".join(f"q{number}{row}" for number in range(2000))
    (tmp_path / "qos.txt").write_text(f"{qos.read_text().splitlines()[0]}\n{names}\n")
    begin = time.process_time()
    machine, _ = with_site_limits(MACHINE, tmp_path / "qos.txt", tmp_path / "assoc.txt")
    assert time.process_time() - begin < 60  # 2 s alone on a core; minutes if each looked at all others
    assert (len(machine.limits), len(machine.accounts)) == (22_000, 2000)


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("Name|Priority|MaxTRESPU\nx|1|" + "cpu=1," * 20_000 + "\n")
    with pytest.raises(InputError, match=r"q:2: the length of a line must be at most 100,000 bytes"):
        with_site_limits(MACHINE, tmp_path / "q", None)
