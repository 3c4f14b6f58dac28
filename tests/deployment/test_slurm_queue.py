"""What squeue says, and which jobs a daemon may put in order."""

from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.deployment.slurm_calls import SlurmError
from paretosched.deployment.slurm_queue import (
    FIELDS,
    NO_LIMIT,
    QueuedJob,
    check_partitions,
    jobs_in,
    numbers_in_use,
    read_queue,
    read_site_factors,
    seconds_of,
    to_order,
)
from paretosched.workload.workload import WIDEST
from support.commands import ROOT
from support.fake_slurm import FakeSlurm, line_of

MARK = "~0123~"


def jobs(*lines: str) -> list[QueuedJob]:
    return jobs_in("".join(lines).replace("@", MARK), MARK)


def one(**cells: Any) -> QueuedJob:
    (job,) = jobs(line_of(7, **cells))
    return job


def test_a_line_is_a_job_with_its_names_and_sizes() -> None:
    job = one(cpus=8, nodes=2, tres="cpu=8,mem=1G,node=2,billing=12,gres/gpu=4,gres/gpu:a100=4", limit="2-00:00:00")
    assert job.widths == {"cpus": 8, "nodes": 2, "gpus": 4, "billing": 12}
    assert (job.user, job.account, job.qos, job.partitions, job.limit) == (
        "ann",
        "physics",
        "normal",
        ("main",),
        172800,
    )


def test_no_text_of_a_user_looks_like_another_field_or_job() -> None:
    """Without slurmdbd an account is any text; recorded: `sbatch -A $'a|b\\nx'`."""
    forged = "x\n9999@N/A@9999@PENDING@root@main@normal@1@1@@1:00@0@0@1@(null)@physics@\n".replace("@", "|")
    (job,) = jobs(line_of(7, account=forged.strip()))
    assert job.id == 7
    assert job.account == forged.strip()


@pytest.mark.parametrize(
    "text", ["7@8@", "x" * 40, "squeue: error", line_of(7)[:-3], line_of(7).replace("7@", "x@", 1)]
)
def test_an_output_that_is_something_else_is_refused(text: str) -> None:
    with pytest.raises(SlurmError, match="squeue"):
        jobs(text)


@pytest.mark.parametrize(
    "cells",
    [
        {"cpus": "x"},
        {"submit": 10**30},
        {"submit": -5},
        {"submit": "٣"},
        {"eligible": 10**19},
        {"het": "9" * 5000},
    ],
)
def test_numbers_that_no_machine_has_are_refused_and_end_no_daemon(cells: dict[str, Any]) -> None:
    with pytest.raises(SlurmError, match=r"^squeue: a number .{1,70}$"):
        one(**cells)


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ({"cpus": 3_000_000_000}, "cpus"),  # of sbatch -n 3000000 -c 1000, which a real Slurm lets wait
        ({"cpus": 2**31 - 1}, "cpus"),
        ({"cpus": "9" * 5000}, "cpus"),
        ({"nodes": "9999999K"}, "nodes"),
        ({"tres": f"gres/gpu={'9' * 500}"}, "gpus"),
        ({"tres": f"billing={10**19}"}, "billing"),
    ],
)
def test_a_user_who_asks_for_more_than_any_machine_has_stops_no_daemon(cells: dict[str, Any], name: str) -> None:
    assert one(**cells).widths[name] == WIDEST
    both = jobs(line_of(10, het=10, **cells), line_of(11, het=10, **cells))
    assert [job.widths[name] for job in both] == [WIDEST]


def test_an_empty_queue_has_no_jobs() -> None:
    assert jobs("") == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10:00", 600),
        ("30", 30),
        ("1:00:00", 3600),
        ("3-00:00:00", 259_200),
        ("2982616-00:00:00", NO_LIMIT),
        ("0:00", 1),
    ]
    + [(word, NO_LIMIT) for word in ("UNLIMITED", "NOT_SET", "Partition_Limit", "(null)")],
)
def test_time_limits_are_seconds(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["1:2:3:4", "x", "-5", "1-", "a-00:01", "1" * 10, "1" * 10 + "-00:00", "٣", "٣-00:00"])
def test_what_is_no_time_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="time limit"):
        seconds_of(text)


def test_parts_of_a_heterogeneous_job_are_one_job() -> None:
    (job,) = jobs(line_of(11, het="10", cpus=2), line_of(10, het="10", cpus=4, limit="2:00:00"))
    assert (job.id, job.widths["cpus"], job.limit) == (10, 6, 7200)


@pytest.mark.parametrize(
    ("cells", "is_ours"),
    [
        ({}, True),
        ({"partition": "other"}, False),
        ({"reservation": "maintenance"}, False),
        ({"priority": 0}, False),
        ({"eligible": "N/A"}, False),
        ({"eligible": 2_000_000_000}, False),
    ],
)
def test_what_leaves_a_part_or_a_task_alone_leaves_the_whole_job_alone(cells: dict[str, Any], is_ours: bool) -> None:
    for kind in ("het", "array"):
        parts = line_of(10, **{kind: "10"}), line_of(11, **{kind: "10"}, **cells)
        for lines in (parts, parts[::-1]):
            ours = to_order(jobs(*lines), 1_800_000_000, ["main"])
            assert [job.id for job in ours] == [10] * is_ours, (kind, lines)


def test_tasks_of_an_array_have_their_own_width_and_running_ones_are_jobs_of_their_own() -> None:
    lines = line_of(10, cpus=4), line_of(11, array=10, cpus=4), line_of(12, array=10, cpus=4, state="RUNNING")
    assert [(job.id, job.widths["cpus"], job.pending) for job in jobs(*lines)] == [(10, 4, True), (12, 4, False)]
    alone = line_of(11, array=10), line_of(10, state="RUNNING")  # of the array all but one task have begun
    assert [(job.id, job.pending) for job in jobs(*alone)] == [(11, True), (10, False)]
    assert numbers_in_use(jobs(line_of(12, array=10, state="RUNNING"), line_of(20, het=20, array="N/A"))) == {
        10,
        12,
        20,
    }


@pytest.mark.parametrize(
    "cells",
    [
        {"state": "RUNNING"},
        {"priority": 0},  # held
        {"reservation": "maintenance"},
        {"eligible": "N/A"},  # depends on another job
        {"eligible": 2_000_000_000},  # --begin
        {"partition": "other"},
        {"partition": "main,other"},
    ],
)
def test_jobs_that_are_not_ours_are_never_put_in_order(cells: dict[str, Any]) -> None:
    assert to_order([one(**cells)], 1_800_000_000, ["main"]) == []


def test_jobs_come_by_when_they_could_run_first() -> None:
    lines = [line_of(1, eligible=1_700_000_300), line_of(3), line_of(2)]
    assert [job.id for job in to_order(jobs(*lines), 1_800_000_000, [])] == [2, 3, 1]


def test_a_job_that_may_run_in_several_of_our_partitions_is_ours() -> None:
    assert to_order([one(partition="main,other")], 1_800_000_000, ["other", "main"])


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    slurm = FakeSlurm(tmp_path)
    monkeypatch.setenv("PATH", slurm.path)
    return slurm


def test_queue_and_site_factors_are_read(fake: FakeSlurm) -> None:
    fake.queue({5: {}, 6: {"user": "bob"}}, {5: 100, 6: 0})
    assert [job.user for job in read_queue()] == ["ann", "bob"]
    assert read_site_factors().known == {5: 100, 6: 0}


def test_the_documents_say_what_is_read() -> None:
    text = (ROOT / "docs/slurm.md").read_text(encoding="utf-8")
    assert f"`squeue -a -h -O {','.join(FIELDS)}`" in text


def test_variables_that_change_what_squeue_prints_have_no_effect(
    fake: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQUEUE_STATES", "RUNNING")
    (fake.folder / "squeue").write_text(f"#!/bin/sh\nenv > {fake.folder}/env\n", encoding="utf-8")
    read_queue()
    text = (fake.folder / "env").read_text(encoding="utf-8")
    assert "SQUEUE_STATES" not in text
    assert "SLURM_TIME_FORMAT=%s" in text


def test_an_unknown_partition_is_refused_in_one_line(fake: FakeSlurm) -> None:
    check_partitions(["main"])
    with pytest.raises(ps.InputError, match=r"^--partition: there is no partition mian; there are main, other$"):
        check_partitions(["mian"])


@pytest.mark.parametrize(
    ("text", "memory"), [("4000M", 4000), ("1.5G", 1536), ("1K", 1), ("7", 7), ("4Gn", 0), ("999999999999P", 2**40)]
)
def test_a_size_of_memory_that_is_strange_stops_no_daemon(text: str, memory: int) -> None:
    assert one(tres=f"cpu=1,mem={text},node=1").memory == memory
