"""Limits in tables, dumps and commands of sacctmgr are values under Slurm's own names, whatever the spelling."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.policies.slurm_accounts import read_accounts
from paretosched.workload.limits import Limits

NO_LIMIT = 2**32 - 1
GIB = 1024 * 1024  # kilobytes
EXPECTED = {  # by QOS, account, user and partition
    ("", "root", "", ""): {"GrpJobs": 900},
    ("", "fish", "", ""): {"GrpTRES": {"cpu": 512, "gres/gpu": 8}, "MaxSubmit": 40},
    ("", "fish", "ines", ""): {"MaxJobs": 3, "MaxWall": 7200},
    ("", "fish", "ines", "gpu"): {"MaxTRES": {"node": 2}},
    ("normal", "", "", ""): {},  # it has a flag
    ("rush", "", "", ""): {"MaxJobsPU": 9, "MaxTRESPU": {"cpu": 64, "mem": 4 * GIB}, "MaxWall": 2 * 86_400},
    ("slow", "", "", ""): {"GrpTRESRunMins": {"cpu": 1000}, "MaxSubmitPA": 7, "MaxTRESPN": {"gres/gpu:a9": 1}},
}
TABLE = """Cluster|Account|ParentName|User|Partition|Share|GrpJobs|GrpTRES|MaxJobs|MaxSubmit|MaxWall|MaxTRES|MaxTRESMins
lake|root||||1|900||||||
lake|fish|root|||3||cpu=512,gres/gpu=8||40|||
lake|fish||ines||2|||3||02:00:00||
lake|fish||ines|gpu|2||||||node=2|
Name|Priority|MaxJobsPU|MaxTRESPU|MaxWall|GrpTRESRunMins|MaxSubmitPA|MaxTRESPerNode|Flags
normal|3|||||||DenyOnLimit
rush|8|9|cpu=64,mem=4G|2-00:00:00||||
slow|1||||cpu=1000|7|gres/gpu:a9=1|
"""
DUMP = """# To edit this file
QOS - 'normal':Priority=3:MaxJobsPerUser=4294967295:Flags=DenyOnLimit
QOS - rush:Priority=8:MaxJobsPerUser=9:MaxTRESPerUser=cpu=64,mem=4096M:MaxWallDurationPerJob=2880
QOS - 'slow':GrpTRESRunMins=1=1000:MaxSubmitJobsPerAccount=7:MaxTRESPerNode=gres/gpu:a9=1:Priority=1
Cluster - 'lake':Fairshare=1:GrpJobs=900
Parent - 'root'
Account - 'fish':Fairshare=3:GrpTRES=cpu=512,gres/gpu=8:MaxSubmitJobs=40
Parent - 'fish'
User - 'ines':Fairshare=2:MaxJobs=3:MaxWallDurationPerJob=120
User - 'ines':Partition='gpu':Fairshare=2:MaxTRESPerJob=node=2
"""
SCRIPT = """sacctmgr -i add qos rush,slow
sacctmgr modify qos where name=rush set priority=8 maxjobsperuser=4 MaxTRESPU=cpu=32,mem=4G,node=7
sacctmgr modify qos rush set MaxJobsPU=9 MaxTRESPerUser=cpu=64 MaxWall=2-00 MaxNodesPerUser=-1
add qos name=normal priority=3 grpjobs=5
modify qos normal set GrpJobs=-1 Flags=DenyOnLimit,OverPartQOS
modify qos normal set flags-=OverPartQOS
update qos slow set Priority=1 GrpCPURunMins=1000 MaxSubmitJobsPerAccount=7 MaxTRESPerNode=gres/gpu:a9=1
add account root fairshare=1 GrpJobs=900
add account fish cluster=lake fairshare=3 GrpTRES=cpu=512,gres/gpu=8 MaxSubmitJobs=40
add user ines account=fish cluster=lake fairshare=2 MaxJobs=1
modify user ines set MaxJobs=3 MaxWall=02:00:00
modify user where account=fish set MaxSubmitJobs=unlimited
add user ines account=fish cluster=lake partition=gpu fairshare=2 MaxNodes=2
delete qos name=none
"""


def limits_in(path: Path, text: str) -> dict[tuple[str, ...], object]:
    """Return the limits that are read from a text, by what they are of."""
    path.write_text(text)
    found = read_accounts(path, "lake").limits
    return {(each.qos, each.account, each.user, each.partition): each.plain for each in found}


def flags_in(path: Path, text: str) -> list[tuple[str, ...]]:
    """Return the flags of each QOS in a text."""
    path.write_text(text)
    return [each.flags for each in read_accounts(path, "lake").limits if each.qos]


def refusal_of(folder: Path, text: str) -> str:
    """Return how a text is refused."""
    with pytest.raises(InputError) as error:
        limits_in(folder / "x", text)
    return str(error.value)


@pytest.mark.parametrize("text", [TABLE, DUMP, SCRIPT], ids=["tables", "dump", "script"])
def test_the_limits_of_a_site_are_the_same_in_other_words(tmp_path: Path, text: str) -> None:
    assert limits_in(tmp_path / "x", text) == EXPECTED
    assert sorted(flags_in(tmp_path / "x", text)) == [(), (), ("DenyOnLimit",)]


def test_flags_are_set_added_and_taken_away(tmp_path: Path) -> None:
    text = (
        "add qos a,b,c flags=NoReserve\nmodify qos a set Flags+=DenyOnLimit,OverPartQOS\n"
        "modify qos b set flags-=noreserve\nmodify qos c set Flags=-1\n"
    )
    assert flags_in(tmp_path / "x", text) == [("DenyOnLimit", "NoReserve", "OverPartQOS")]
    assert flags_in(tmp_path / "x", "Name|Flags|MaxJobsPU\na|OverPartQOS,DenyOnLimit|\nb||8\n") == [
        ("DenyOnLimit", "OverPartQOS"),
        (),
    ]


def test_names_of_columns_in_capitals_and_what_older_versions_wrote(tmp_path: Path) -> None:
    head, row = "NAME|PRIORITY|MAXCPUSPERUSER|MAXNODES|GRPCPUS|MAXCPUMINS|GRPMEM|MAXJOBSPERUSER", "a|1|64|2|-1|60|8G|"
    assert limits_in(tmp_path / "x", f"{head}\n{row}\n") == {
        ("a", "", "", ""): {
            "GrpTRES": {"mem": 8 * GIB},
            "MaxTRES": {"node": 2},
            "MaxTRESMins": {"cpu": 60},
            "MaxTRESPU": {"cpu": 64},
        }
    }


def test_what_no_limit_is_written_as_is_none(tmp_path: Path) -> None:
    for word in ("", "-1", "UNLIMITED", "none", "4294967295"):
        assert limits_in(tmp_path / "x", f"Name|Priority|MaxWall|MaxTRESPU\nx|1|{word}|{word}\n") == {}
    assert limits_in(tmp_path / "x", "add qos a MaxTRESPU=cpu=4,node=2\nmodify qos a set MaxTRESPU=-1\n") == {}


def test_a_command_may_go_on_in_the_next_lines_and_begin_with_sudo(tmp_path: Path) -> None:
    text = (
        "sudo -n sacctmgr -i add qos a \\\n    MaxTRESPerJob=cpu=2 \\\n  GrpSubmitJob=5 \\\n    Flags=DenyOnLimit\n"
        "sudo sacctmgr -i add qos b MaxTRESPerUser=mem=64g,bb/fast=1T MaxWallDuration=1:30:00\n"
    )
    assert limits_in(tmp_path / "x", text) == {
        ("a", "", "", ""): {"GrpSubmit": 5, "MaxTRES": {"cpu": 2}},
        ("b", "", "", ""): {"MaxTRESPU": {"mem": 64 * GIB, "bb/fast": 1024 * GIB}, "MaxWall": 5400},
    }
    assert "x:3: MaxWall must be minutes" in refusal_of(tmp_path, "add qos a\n\nmodify qos a \\\nset MaxWall=long \\\n")


def test_a_command_of_endless_lines_is_refused(tmp_path: Path) -> None:
    assert "x:2: the length of a line must be at most" in refusal_of(
        tmp_path, "add qos a\n" + "add qos b \\\n" * 30_000
    )


def test_limits_of_another_cluster_are_left_out(tmp_path: Path) -> None:
    head = "Cluster|Account|ParentName|User|Partition|Share|MaxJobs\n"
    text = f"{head}lake|root||||1|\npond|root||||1|9\nlake|a|root|||1|5\n"
    assert limits_in(tmp_path / "x", text) == {("", "a", "", ""): {"MaxJobs": 5}}


def test_values_cannot_be_changed(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("Name|Priority|MaxTRESPU\nx|1|cpu=4\n")
    (limits,) = read_accounts(tmp_path / "x", "").limits
    for mapping in (limits.values, limits.values["MaxTRESPU"]):
        with pytest.raises(TypeError):
            mapping["cpu"] = 5  # type: ignore[index]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("MaxJobsPU", "many", 'x:2: MaxJobsPU must be a whole number, but is "many"'),
        ("MaxWall", "1:2:3:4", 'x:2: MaxWall must be minutes, hours:minutes:seconds or days-hours, but is "1:2:3:4"'),
        ("MaxTRESPerUser", "cpu", 'x:2: MaxTRESPU must be NAME=NUMBER,..., but has "cpu"'),
        ("GrpTRES", "mem=big,cpu=4", 'x:2: GrpTRES must be NAME=NUMBER,..., but has "mem=big"'),
    ],
)
def test_what_is_no_limit_is_refused(tmp_path: Path, column: str, cell: str, message: str) -> None:
    assert message in refusal_of(tmp_path, f"Name|Priority|{column}\nx|1|{cell}\n")


def test_equal_limits_are_one_value_in_any_order_of_their_names() -> None:
    one = Limits("a", "", "", "", {"MaxTRESPU": {"gres/gpu": 4, "cpu": 64}, "MaxJobsPU": 8}, ("B", "A"))
    two = Limits(
        "a", "", "", "", {"MaxJobsPU": 8, "MaxTRESPU": {"cpu": 64, "gres/GPU": 4, "node": NO_LIMIT}}, ("A", "B")
    )
    assert one == two == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(two)
    assert one.plain == {"MaxJobsPU": 8, "MaxTRESPU": {"cpu": 64, "gres/gpu": 4}}
    assert [*one.values] == [*two.values] == ["MaxJobsPU", "MaxTRESPU"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Limits("", "", "", "", {}), "limits must be of a QOS, or of an account"),
        (lambda: Limits("a", "b", "", "", {}), "limits must be of a QOS, or of an account"),
        (lambda: Limits("a", "", "u", "", {}), "limits must be of a QOS, or of an account"),
        (lambda: Limits("a\n", "", "", "", {}), "qos must be a text on one line"),
        (lambda: Limits("a", "", "", "", {"MaxJobPU": 1}), "did you mean MaxJobsPU?"),
        (lambda: Limits("a", "", "", "", {"MaxJobsPU": {"cpu": 1}}), "QOS a: MaxJobsPU must be a number"),
        (lambda: Limits("a", "", "", "", {"MaxJobsPU": -1}), "QOS a: MaxJobsPU must be in 0.."),
        (lambda: Limits("a", "", "", "", {"MaxTRES": 4}), "QOS a: MaxTRES must be numbers by resource"),
        (lambda: Limits("a", "", "", "", {"MaxTRES": {"cpu": 0.5}}), "QOS a: MaxTRES: cpu must be a whole number"),
        (lambda: Limits("a", "", "", "", {"MaxTRES": {"c=u": 1}}), "a resource must be a word"),
        (lambda: Limits("a", "", "", "", {}, (5,)), "a flag must be a text"),  # type: ignore[arg-type]
    ],
)
def test_what_breaks_a_rule_is_refused(make: Callable[[], Limits], words: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert words in str(error.value)


def test_a_number_that_no_machine_reaches_is_refused_with_its_line(tmp_path: Path) -> None:
    assert "x:2: QOS x: MaxJobsPU must be in 0.." in refusal_of(
        tmp_path, "Name|Priority|MaxJobsPU\nx|1|9999999999999999999\n"
    )
