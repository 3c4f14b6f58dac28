"""The accounting of OpenPBS and Torque; tests/data/accounting/README.md has the sources of the records."""

import gzip
import re
import shutil
import time
from itertools import product
from pathlib import Path

import pytest

from paretosched.workload.accounting.pbs import ATTRIBUTE
from paretosched.workload.accounting.pbs_requests import SLOTS
from support.accounting import RECORDED, column, import_into
from support.commands import command

DAILY = RECORDED / "pbs"
PUBLISHED = RECORDED / "pbs-published"
TORQUE = RECORDED / "pbs-torque"


def test_a_directory_of_daily_files_is_one_log(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY)
    assert column(log, "width") == {101: 8, 102: 1, 104: 2, 105: 2, 106: 1}
    assert column(log, "run") == {101: 600, 102: 630, 104: 100, 105: 100, 106: 1000}
    assert column(log, "estimate") == {101: 3600, 102: 7200, 104: 100, 105: 100, 106: 7200}
    assert column(log, "status") == {101: 1, 102: 5, 104: 1, 105: 0, 106: 5}
    assert log.names.groups == {1: "physics lab", 2: "chemistry"}
    assert log.names.queues == log.names.partitions == {1: "workq", 2: "gpu"}
    assert [part.tolist() for part in log.names.eligible] == [[104, 105], [1000, 1000]]


def test_a_job_that_was_rerun_has_two_lives_and_waits_again_from_the_end_of_the_first(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY)
    first, second = log.jobs[102], log.jobs[106]
    assert second["submit"] == first["submit"] + first["wait"] + first["run"]
    assert second["wait"] == 140
    assert log.counts["another life or task of a job, or one without a number"] == ("changed", 2)
    assert log.counts["ran before, but there is no record of it"] == ("assumed", 1)  # 104[2], run_count=3


def test_records_that_are_there_twice_count_once(tmp_path: Path) -> None:
    """Also of a job that was rerun."""
    (tmp_path / "twice").write_text(2 * PUBLISHED.read_text())
    log = import_into(tmp_path, "pbs", tmp_path / "twice", "--capacity", 100)
    once = import_into(tmp_path, "pbs", PUBLISHED, "--capacity", 100)
    assert log.jobs == once.jobs
    assert log.counts["recorded twice, letter for letter"] == ("dropped", len(once.jobs))


def test_tasks_of_an_array_with_the_same_values_are_no_copies(tmp_path: Path) -> None:
    """They differ in the name of the job alone."""
    line = next(text for text in PUBLISHED.read_text().splitlines() if ";E;" in text)
    date, kind, _, values = line.split(";", 3)
    tasks = [";".join([date, kind, f"7[{task}].here", values]) for task in (1, 2)]
    (tmp_path / "x").write_text("\n".join([*tasks, tasks[1]]) + "\n")
    log = import_into(tmp_path, "pbs", tmp_path / "x", "--capacity", 100)
    assert len(log.jobs) == 2
    assert log.counts["recorded twice, letter for letter"] == ("dropped", 1)


def test_what_is_no_life_is_counted(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY)
    assert log.counts["an array as a whole"] == ("dropped", 1)
    assert log.counts["aborted by the server before it started"] == ("dropped", 1)
    assert log.counts["whole nodes asked for"] == ("assumed", 1)


def test_published_records_of_torque_and_pbs_professional(tmp_path: Path) -> None:
    """Q, S, D, C, a and Y are no lives; A has a sentence in place of times, R has a life that was rerun 20 times."""
    log = import_into(tmp_path, "pbs", PUBLISHED, "--capacity", 100)
    assert column(log, "run") == {21048463: 24159, 24940336: 12901, 4400521: 3, 4413086: 3330, 2281981: 5}
    assert column(log, "wait") == {21048463: 371, 24940336: 118, 4400521: 419, 4413086: 45, 2281981: 23}
    assert column(log, "width") == {21048463: 1, 24940336: 1, 4400521: 1, 4413086: 1, 2281981: 2}
    assert column(log, "estimate") == {
        21048463: 345600,
        24940336: 172800,
        4400521: 36000,
        4413086: 14400,
        2281981: 3600,
    }
    assert column(log, "status") == {21048463: 1, 24940336: 1, 4400521: 5, 4413086: 5, 2281981: 1}
    assert log.counts["aborted by the server before it started"] == ("dropped", 1)
    assert log.counts["never ran"] == ("dropped", 1)  # eight processors, but it ended in the second of its start
    assert log.counts["ran before, but there is no record of it"] == ("assumed", 1)  # run_count=21
    assert {*log.names.groups.values()} == {"P43713000", "SCSG0001"}
    whole_nodes = import_into(tmp_path, "pbs", PUBLISHED, "--width", "nodes", "--capacity", 9)
    assert column(whole_nodes, "width")[2281981] == 2
    assert column(import_into(tmp_path, "pbs", PUBLISHED, "--width", "gpus"), "width") == {4413086: 1}


def test_a_file_of_windows_and_one_that_is_still_being_written(tmp_path: Path) -> None:
    text = PUBLISHED.read_text()
    (tmp_path / "x").write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    whole = import_into(tmp_path, "pbs", PUBLISHED)
    assert import_into(tmp_path, "pbs", tmp_path / "x").jobs == whole.jobs
    (tmp_path / "x").write_text(text[: text.rindex(" start=")])  # the last record has no times yet
    cut = import_into(tmp_path, "pbs", tmp_path / "x")
    assert cut.jobs == {job: row for job, row in whole.jobs.items() if job != 2281981}
    assert cut.counts["a record that ends a life, without times"] == ("dropped", 1)


def test_two_times_that_stand_together_are_refused(tmp_path: Path) -> None:
    text = PUBLISHED.read_text().replace("etime=1317509574 start=", "etime=1317509574start=")
    (tmp_path / "x").write_text(text)
    message = command("import", "pbs", tmp_path / "x").err
    assert ':4: etime is "1317509574start=1317509945", but must be seconds since 1970' in message


def test_processors_nodes_and_gpus(tmp_path: Path) -> None:
    assert column(import_into(tmp_path, "pbs", DAILY, "--width", "nodes"), "width") == {
        101: 2,
        102: 1,
        104: 1,
        105: 1,
        106: 1,
    }
    assert column(import_into(tmp_path, "pbs", DAILY, "--width", "gpus"), "width") == {104: 1, 105: 1}
    assert column(import_into(tmp_path, "pbs", TORQUE), "width") == {11923: 12, 11924: 9, 11925: 16}
    assert column(import_into(tmp_path, "pbs", TORQUE, "--width", "nodes"), "width") == {
        11923: 2,
        11924: 2,
        11925: 3,
    }
    assert column(import_into(tmp_path, "pbs", TORQUE, "--width", "gpus"), "width") == {11925: 4}


def test_what_jobs_ask_for_is_in_the_log_and_beside_it(tmp_path: Path) -> None:
    asked = import_into(tmp_path, "pbs", DAILY).names.asked
    assert {word: dict(zip(*(part.tolist() for part in each), strict=True)) for word, each in asked.items()} == {
        "nodes": {101: 2},
        "gpus": {104: 1, 105: 1},
        "per_node": {101: 4},
        "exclusive": {104: 1},
    }
    record = (
        "11/22/2026 10:00:00;E;7;user=ann queue=q ctime=1795345200 qtime=1795345200 etime=1795345200 start=1795345260 "
        "end=1795345300 Resource_List.ncpus=4 Resource_List.mem=2gb"
    )
    (tmp_path / "x").write_text(record + "\n")
    assert column(import_into(tmp_path, "pbs", tmp_path / "x"), "asked_memory") == {7: 2 * 1024**2 // 4}


def test_one_queue_and_groups_of_unix(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY, "--partition", "gpu", "--groups", "group")
    assert [*log.jobs] == [104, 105]
    assert log.names.groups == {1: "guests"}


def test_gzipped_days_are_read_and_other_files_are_not(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DAILY, tmp_path / "days"))
    whole = import_into(tmp_path, "pbs", folder).jobs
    day = folder / "20261121"
    (folder / "20261121.gz").write_bytes(gzip.compress(day.read_bytes()))
    message = command("import", "pbs", folder).err
    assert f"must have each day once, but has {day} also gzipped; remove one of them" in message
    day.unlink()
    assert import_into(tmp_path, "pbs", folder).jobs == whole


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("hello\n", ':1: a record must be DATE TIME;TYPE;JOB;KEY=VALUE ..., but this one begins "hello"'),
        ("11/22/2026 09:00:00;E;head;start=1\n", ':1: the job is "head", but must begin with a number'),
        ("11/22/2026 09:00:00;E;1.head;start=noon end=2\n", ':1: start is "noon", but must be seconds since 1970'),
        ("11/22/2026 09:00:00;Q;1.head;queue=a\n", ": there is no job that can be simulated"),
    ],
)  # fmt: skip
def test_what_is_not_the_accounting_of_pbs_is_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "x").write_text(text)
    outcome = command("import", "pbs", tmp_path / "x")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err


def test_a_directory_without_daily_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "20261122").touch()
    assert (
        "must have daily files, such as 20261122, but has none with records" in command("import", "pbs", tmp_path).err
    )


def _record(values: str, job: str = "7.here") -> str:
    """Return the record of the end of a job that ran for 100 s."""
    usual = "user=anna ctime=1795345200 qtime=1795345200 etime=1795345200 start=1795345200 end=1795345300"
    return f"11/22/2026 12:00:00;E;{job};{usual} {values}\n"


@pytest.mark.parametrize(
    ("values", "gpus"),
    [
        ("Resource_List.nodes=1:ppn=28 Resource_List.gpu=2", 2),
        ("Resource_List.nodes=2:ppn=24:gpus=4", 8),
        ("Resource_List.nodes=1:gpu=3:ppn=2:gpu", 3),
        ("Resource_List.nodes=2:ppn=8:gpus=2+1:ppn=8", 4),
        ("Resource_List.neednodes=1:ppn=28:gpus=1 Resource_List.nodes=1:ppn=28", 1),
        ("Resource_List.nodect=1:ppn=24:gpu=4:reqmem=128849018880:gpu", 4),
        ("Resource_List.ngpus=2 Resource_List.ncpus=8", 2),
        ("Resource_List.select=1:ncpus=4+3:ngpus=2:ncpus=1", 6),
        ("Resource_List.nodes=1:ppn=4:gpus=2 exec_gpus=n1-gpu/0+n1-gpu/1+n1-gpu/2", 3),
        ("Resource_List.select=1:ncpus=4:ngpus=4 exec_vnode=(n1[1]:mem=9kb:ngpus=2:ncpus=2+n1[0]:ngpus=1:ncpus=2)", 3),
    ],
)
def test_gpus_are_known_however_they_were_asked_for(tmp_path: Path, values: str, gpus: int) -> None:
    """Those that a job was given count first."""
    (tmp_path / "x").write_text(_record(values))
    log = import_into(tmp_path, "pbs", tmp_path / "x", "--width", "gpus")
    assert column(log, "width") == {7: gpus}
    assert "GPUs asked for in several ways, with different numbers" not in log.counts


def test_names_of_attributes_and_resources_may_have_any_case(tmp_path: Path) -> None:
    values = "Resource_List.select=2:ncpus=4:ngpus=1:mem=8mb Resource_List.walltime=01:00:00 Exit_status=271"
    (tmp_path / "x").write_text(_record(values))
    usual = import_into(tmp_path, "pbs", tmp_path / "x")
    assert {key: column(usual, key)[7] for key in ("estimate", "status", "width", "asked_memory")} == {
        "estimate": 3600, "status": 5, "width": 8, "asked_memory": 2048
    }  # fmt: skip
    assert usual.names.asked["gpus"].value[0] == 2
    for each in (values.lower(), values.replace("walltime", "Walltime").replace("select", "SELECT")):
        (tmp_path / "x").write_text(_record(each))
        log = import_into(tmp_path, "pbs", tmp_path / "x")
        assert (log.jobs, log.names.asked["gpus"].value[0]) == (usual.jobs, 2)


def test_gpus_asked_for_with_different_numbers_are_counted(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(
        _record("Resource_List.gpu=2 Resource_List.nodes=1:ppn=28 Resource_List.neednodes=1:ppn=28:gpus=1")
    )
    log = import_into(tmp_path, "pbs", tmp_path / "x")
    assert [part.tolist() for part in log.names.asked["gpus"]] == [[7], [2]]
    assert log.counts["GPUs asked for in several ways, with different numbers"] == ("assumed", 1)


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (
            "Resource_List.select=2:ncpus=8:mem=36gb:ngpus=1+1:ncpus=8:bigmem=True Resource_List.place=scatter:excl",
            {"width": 24, "nodes": 3, "per_node": 8, "gpus": 2, "exclusive": 1, "memory": 72 * 1024**2,
             "is": "bigmem=True"},
        ),
        (
            "Resource_List.select=2:NCPUS=8:Mem=4GB:NGPUS=1:Os=SLES exec_host=n1/0*8+n2/0*8 Resource_List.nodect=2",
            {"width": 16, "nodes": 2, "per_node": 8, "gpus": 2, "memory": 8 * 1024**2, "is": "os=SLES"},
        ),
        (
            "Resource_List.select=2:ncpus=8:mpiprocs=8:os=sles15 exec_host=n1/0*16 Resource_List.place=pack:exclhost",
            {"width": 16, "exclusive": 1, "is": "os=sles15"},
        ),
        (
            "Resource_List.nodes=2:ppn=4:bigmem Resource_List.pmem=2gb",
            {"width": 8, "nodes": 2, "per_node": 4, "memory": 16 * 1024**2, "is": "bigmem"},
        ),
        ("Resource_List.nodes=1:ppn=4 Resource_List.pvmem=1gb", {"width": 4, "per_node": 4, "memory": 4 * 1024**2}),
        ("Resource_List.nodes=1:ppn=2:fast#excl Resource_List.vmem=512mb", {"width": 2, "per_node": 2, "exclusive": 1,
                                                                          "memory": 512 * 1024, "is": "fast"}),
        ("Resource_List.nodes=n7:ppn=2+1:ppn=3 Resource_List.naccesspolicy=SINGLEJOB Resource_List.feature=ib",
         {"width": 5, "nodes": 2, "exclusive": 1, "is": "n7+ib"}),
        ("Resource_List.ncpus=3 Resource_List.mem=3kb", {"width": 3, "memory": 3}),
    ],
)  # fmt: skip
def test_memory_nodes_and_constraints_of_all_versions_are_kept(
    tmp_path: Path, values: str, kept: dict[str, object]
) -> None:
    (tmp_path / "x").write_text(_record(values))
    log = import_into(tmp_path, "pbs", tmp_path / "x")
    [job] = log.jobs.values()
    is_ = log.names.constraints.get(1)
    asked = {word: int(each.value[0]) for word, each in log.names.asked.items() if word != "constraint"}
    memory = {"memory": job["asked_memory"] * job["width"]} if job["asked_memory"] > 0 else {}
    assert {"width": job["width"], **asked, **memory, **({} if is_ is None else {"is": is_})} == kept


def test_a_constraint_that_is_no_name_is_left_out(tmp_path: Path) -> None:
    """One that is too long, and not the job."""
    hosts = "+".join(f"n{number}" for number in range(100))
    (tmp_path / "x").write_text(_record(f"Resource_List.nodes={hosts}"))
    log = import_into(tmp_path, "pbs", tmp_path / "x")
    assert column(log, "width") == {7: 100}
    assert log.names.constraints == {}
    assert log.counts["a constraint that is too long, or cannot be printed"] == ("changed", 1)


@pytest.mark.parametrize(
    "values",
    ["a" * 90_000, f"exec_host={'a' * 90_000}", f"exec_host={'n/1a' * 20_000}", f"a={'-' * 40_000}{'b=' * 20_000}"],
)
def test_long_records_take_no_time(tmp_path: Path, values: str) -> None:
    """100 s and more, if each letter were tried as the first one."""
    (tmp_path / "x").write_text(_record(f"Resource_List.ncpus=2 {values}"))
    began = time.monotonic()
    import_into(tmp_path, "pbs", tmp_path / "x")
    assert time.monotonic() - began < 5


def test_keys_and_slots_are_those_that_a_search_from_each_letter_would_find() -> None:
    for text in map("".join, product('a=/ +"1', repeat=5)):
        assert ATTRIBUTE.findall(text) == re.findall(r'([\w.-]+)=("[^"]*"|\S*)', text)
        assert SLOTS.findall(text) == re.findall(r"[^/+]*/(\d[\d,*-]*)", text)


@pytest.mark.parametrize(
    ("values", "width"),
    [
        ("Resource_List.nodes=999999999999999:ppn=999999999999999", "999,999,999,999,998,000,000,000,000,001"),
        (f"Resource_List.nodes={'+'.join(['999999999999999'] * 2)}", "1,999,999,999,999,998"),
    ],
)
def test_a_width_that_no_machine_has_is_refused(tmp_path: Path, values: str, width: str) -> None:
    (tmp_path / "x").write_text(_record(values))
    said = command("import", "pbs", tmp_path / "x")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert f"x:1: a job must have less than 10^15 cpus, but this one has {width}" in said.err


@pytest.mark.parametrize("more", ["Resource_List.place=excl", "run_count=5"])
def test_work_beyond_64_bits_is_counted(tmp_path: Path, more: str) -> None:
    wide = _record(f"Resource_List.ncpus=999999999999999 {more}").replace("end=1795345300", "end=1795545300")
    (tmp_path / "x").write_text(wide + _record("Resource_List.ncpus=2", "8.here"))
    log = import_into(tmp_path, "pbs", tmp_path / "x", "--capacity", 4)
    assert [*log.jobs] == [8]
    assert log.counts["wider than the machine of 4 cpus"] == ("dropped", 1)
