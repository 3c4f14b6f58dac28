"""What jobs wait for, and when they come in another schedule."""

from __future__ import annotations

from typing import Any

import pytest

import paretosched as ps
from paretosched.workload.dependencies import awaited_in, dependencies_of


def log_of(dependency: list[str], submit: list[int], run: int = 100, **more: Any) -> ps.Workload:
    """Return jobs 1, 2, ... of the whole of a node with four CPUs."""
    n = len(submit)
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),))
    asks = ps.Requests(tasks=[4] * n, memory_per_node=[1] * n, dependency=dependency)
    job = range(1, n + 1)
    return ps.Workload(
        submit, [run] * n, [run] * n, [4] * n, capacity=4, machine=machine, requests=asks, job=job, **more
    )


def test_a_dependent_job_is_eligible_when_the_others_have_ended_and_was_submitted_when_it_was() -> None:
    w = log_of(["", "", "afterany:2", ""], [0, 1, 2, 3])
    schedule = ps.simulate(w, "easy").check()
    assert schedule.start.tolist() == [0, 100, 300, 200]  # job 4 came at 3, job 3 at 200
    assert schedule.workload.eligible.tolist() == [0, 1, 200, 3]
    assert schedule.workload.submit.tolist() == [0, 1, 2, 3]
    slurm = "fcfs; backfill: conservative; passes: every 30s"
    assert ps.simulate(w, slurm).check().start.tolist() == [0, 100, 200, 300]  # by submission


def test_after_counts_minutes_from_the_start() -> None:
    w = log_of(["", "after:1+5", "after:1"], [0, 1, 2], run=10)
    schedule = ps.simulate(w, "easy").check()
    assert schedule.workload.eligible.tolist() == [0, 300, 2]
    assert schedule.start.tolist() == [0, 300, 10]


def test_of_several_between_question_marks_one_is_enough() -> None:
    every, any_of = (log_of(["", "", f"afterok:1{mark}afterok:2"], [0, 0, 0]) for mark in ",?")
    assert ps.simulate(every, "easy").workload.eligible.tolist() == [0, 0, 200]
    assert ps.simulate(any_of, "easy").workload.eligible.tolist() == [0, 0, 100]


def test_jobs_that_are_not_in_the_log_have_ended() -> None:
    assert dependencies_of(log_of(["", "afterok:77"], [0, 5])) is None
    assert ps.simulate(log_of(["", "afterok:77", "singleton"], [0, 5, 5]), "easy").workload.eligible.tolist() == [
        0,
        5,
        5,
    ]


def test_a_job_that_was_eligible_later_than_its_others_ended_is_not_sooner_here() -> None:
    w = log_of(["", "afterany:1"], [0, 1], eligible=[0, 900], wait=[0, 0])
    assert ps.simulate(w, "easy").workload.eligible.tolist() == [0, 900]


def test_a_circle_is_refused() -> None:
    with pytest.raises(ps.InputError, match="2 jobs wait in a circle, job 1 among them"):
        ps.simulate(log_of(["afterok:2", "afterok:1"], [0, 1]), "easy")


@pytest.mark.parametrize("text", ["afterok", "afterok:x", "later:3", "afterok:1:"])
def test_what_sbatch_does_not_take_is_refused_or_names_no_job(text: str) -> None:
    if text == "afterok":
        assert awaited_in(text) == ([], False)
        return
    with pytest.raises(ps.InputError, match="a dependency must be TYPE:JOB"):
        awaited_in(text)


def test_policies_that_cannot_wait_for_others_say_so() -> None:
    with pytest.raises(ps.InputError, match="--without dependencies"):
        ps.simulate(log_of(["", "afterok:1"], [0, 1]), "guarded: 1")


def test_jobs_with_other_numbers_depend_on_none() -> None:
    """A resampled or scaled log numbers its jobs from 1 on: the number of another job would be waited for."""
    w = log_of(["", "", "afterok:1"], [0, 1, 2])
    assert dependencies_of(w.take([1, 2])) is None  # job 1 is not there
    assert dependencies_of(w.take([0, 2])) is not None
    assert dependencies_of(w.take([1, 2], job=[1, 2])) is None
