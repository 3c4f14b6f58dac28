"""What Slurm remembers, from outputs as those of Slurm 22.05."""

import time
from pathlib import Path

import pytest

from paretosched.deployment.slurm_calls import SlurmError
from paretosched.deployment.slurm_history import (
    ENDED,
    RUNNING,
    WAITING,
    Life,
    accounting_in,
    history_in,
    read_accounting,
    read_history,
    read_room,
)
from support.fake_slurm import FakeSlurm, past_of

NOW = 1_700_001_000
CASES = {
    "1": {"state": "RUNNING", "start": NOW - 50, "end": NOW + 550},  # this end is planned
    "2": {"state": "COMPLETED", "start": NOW - 90, "end": NOW - 40, "cpus": 8},
    "3": {"state": "CANCELLED", "start": NOW - 9, "end": NOW - 9},
    "4": {"start": NOW + 600, "end": NOW + 999},  # so is this start
    "5": {"reason": "JobHeldUser", "priority": 0},
    "6": {"reason": "AssocGrpCpuLimit"},
    "7_1": {"state": "RUNNING", "start": NOW - 5},
    "7_2": {"reason": "JobArrayTaskLimit", "eligible": "N/A"},
    "8": {"reason": "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved"},
    "9": {"state": "REQUEUE_HOLD"},
    "12": {"reason": "PartitionDown"},
    "13": {"reason": "ReqNodeNotAvail,_UnavailableNodes:n7"},
    "10": {"state": "SUSPENDED", "start": NOW - 70},
    "11": {"eligible": NOW + 60},
}


def lives() -> dict[str, Life]:
    text = "".join(past_of(key, **cells) for key, cells in CASES.items())
    return {life.key: life.at(NOW) for life in history_in(text.replace("@", "~m~"), "~m~")}


def test_each_task_is_a_job_and_plans_are_no_facts() -> None:
    assert {key: (life.phase, life.start, life.end) for key, life in lives().items()} == {
        "1": (RUNNING, NOW - 50, None),
        "2": (ENDED, NOW - 90, NOW - 40),
        "3": (ENDED, NOW - 9, NOW - 9),
        "4": (WAITING, None, None),
        "5": (WAITING, None, None),
        "6": (WAITING, None, None),
        "7_1": (RUNNING, NOW - 5, None),
        "7_2": (WAITING, None, None),
        "8": (WAITING, None, None),
        "9": (WAITING, None, None),
        "10": (RUNNING, NOW - 70, None),
        "11": (WAITING, None, None),
        "12": (WAITING, None, None),
        "13": (WAITING, None, None),
    }
    assert lives()["2"].job.widths["cpus"] == 8


def test_only_jobs_that_others_keep_waiting_are_free() -> None:
    assert [key for key, life in lives().items() if life.is_free] == ["4", "8", "13"]


def test_what_is_later_than_a_second_has_not_happened_then() -> None:
    before = {key: life.at(NOW - 60) for key, life in lives().items()}
    assert [(before[key].phase, before[key].start) for key in ("1", "2", "10")] == [
        (WAITING, None),
        (RUNNING, NOW - 90),
        (RUNNING, NOW - 70),
    ]


def test_parts_of_a_heterogeneous_job_are_one() -> None:
    parts = [past_of("8", het="8", cpus=1), past_of("9", het="8", cpus=2)]
    (life,) = history_in("".join(parts).replace("@", "~m~"), "~m~")
    assert (life.key, life.job.widths["cpus"]) == ("8", 3)


RECORDED = """\
1|COMPLETED|games|main|normal|2|1|10|1795571164|1795571164|1795571164|1795571167||physics
4+0|FAILED|games|main|normal|1|1|30|1795571164|1795571164|1795571166|1795571170||physics
4+1|FAILED|games|main|normal|2|1|30|1795571164|1795571164|1795571166|1795571168||physics
6|CANCELLED by 0|games|main|normal|1|1|525600|1795571164|Unknown|None|1795571167||a|b
7|REQUEUED|games|main|normal|1|1|10|1795571164|1795571164|1795571166|1795571172||physics
7|PENDING|games|main|normal|1|1|10|1795571172|1795571292|Unknown|Unknown||physics
2_[3-5%2]|PENDING|games|main|normal|1|1|10|1795571164|1795571164|Unknown|Unknown||physics
2_0|COMPLETED|games|main|normal|1|1|Partition_Limit|1795571164|1795571164|1795571160|1795571166||physics
"""


def test_sacct_is_read_with_each_life_of_a_job() -> None:
    read = [(life.key, life.phase, life.start, life.end) for life in accounting_in(RECORDED)]
    zero = 1795571160
    assert read == [
        ("2_0", ENDED, zero, zero + 6),
        ("1", ENDED, zero + 4, zero + 7),
        ("4", ENDED, zero + 6, zero + 10),
        ("7", ENDED, zero + 6, zero + 12),
        ("6", ENDED, None, zero + 7),
        ("7", WAITING, None, None),
    ]
    by_key = {life.key: life for life in accounting_in(RECORDED)}
    assert by_key["4"].job.widths["cpus"] == 3
    assert by_key["6"].job.account == "a|b"
    assert by_key["2_0"].job.limit == 525_600 * 60


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1|COMPLETED|games\n", "a line is '1|COMPLETED|games'"),
        ("1|COMPLETED|games|main|normal|two|1|10|1|1|1|2||physics\n", "a line is '1|COMPLETED|games|main|normal|two|"),
    ],
)
def test_what_is_no_output_of_sacct_is_an_error_to_try_again(text: str, message: str) -> None:
    with pytest.raises(SlurmError, match=message.replace("|", r"\|")):
        accounting_in(text)


@pytest.mark.parametrize("text", ["1~m~2~m~", past_of("1", submit=0).replace("@", "~m~")[:-4]])
def test_what_is_no_output_of_squeue_is_an_error_to_try_again(text: str) -> None:
    with pytest.raises(SlurmError, match="squeue: its output does not have the fields"):
        history_in(text, "~m~")


def test_the_commands_are_called_as_slurm_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeSlurm(tmp_path)
    monkeypatch.setenv("PATH", fake.path)
    fake.remember({"7_1": {"state": "RUNNING", "start": NOW}})
    (fake.folder / "recorded").write_text(RECORDED, encoding="utf-8")
    assert [life.key for life in read_history()] == ["7_1"]
    assert len(read_accounting(NOW, NOW + 60)) == 6
    assert read_room("cpus", ()) == 8
    (fake.folder / "room").write_text("4/2/2/8\n", encoding="utf-8")
    assert read_room("cpus", ("main",)) == 6
    (fake.folder / "room").write_text("many\n", encoding="utf-8")
    with pytest.raises(SlurmError, match="sinfo: the machine is 'many'"):
        read_room("cpus", ())


def test_sacct_is_asked_for_the_right_hour_where_clocks_are_set_back(
    fake: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2:30 on a clock of Berlin is two times on 25 October 2026, an hour apart."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    sacct = fake.folder / "sacct"
    sacct.write_text(f'#!/bin/sh\necho "$@" >> {fake.folder}/asked\n', encoding="utf-8")
    first, second = 1_792_888_200, 1_792_891_800
    for end in (first, second):
        assert read_accounting(1_792_800_000, end) == []
    monkeypatch.undo()
    time.tzset()
    one, other = (fake.folder / "asked").read_text(encoding="utf-8").splitlines()
    assert one != other
    assert one.split()[one.split().index("-E") + 1] == f"uts{first}"
