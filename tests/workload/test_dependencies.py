"""What jobs wait for, and when they come in another schedule."""

from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.dependencies import (
    NEVER_SATISFIED,
    dependencies_of,
    never_satisfied,
)
from paretosched.workload.log_lines import STATUS
from paretosched.workload.log_parquet import without_unfit
from paretosched.workload.records import Records


def log_of(
    dependency: list[str], submit: list[int], run: int = 100, array: dict[str, list[int]] | None = None, **more: Any
) -> ps.Workload:
    """Return jobs 1, 2, ... of the whole of a node with four CPUs; `array` has the columns of arrays."""
    n = len(submit)
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),))
    asks = ps.Requests(tasks=[4] * n, memory_per_node=[1] * n, dependency=dependency, **(array or {}))
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


def test_policies_that_cannot_wait_for_others_say_so() -> None:
    with pytest.raises(ps.InputError, match="--without dependencies"):
        ps.simulate(log_of(["", "afterok:1"], [0, 1]), "scojo")


def pairs_of(w: ps.Workload) -> set[tuple[int, int]]:
    """Return the numbers of jobs that wait for one another: the one that is waited for first."""
    reactions = dependencies_of(w)
    assert reactions is not None
    return {*zip(w.job[reactions.leader].tolist(), w.job[reactions.follower].tolist(), strict=True)}


TASKS = {"array": [7, 7, 0, 9, 9, 9], "array_index": [1, 2, 0, 1, 2, 5]}


@pytest.mark.parametrize(
    ("dependency", "pairs"),
    [
        ("afterok:7", {(1, 4), (2, 4)}),
        ("afterok:7_2", {(2, 4)}),
        ("afterok:7_3", None),  # no such task is there: it has ended
        ("aftercorr:7", {(1, 4)}),
        ("afterany:3:7_1", {(1, 4), (3, 4)}),
        ("afterany:3_1", None),  # job 3 is no array
    ],
)
def test_arrays_are_waited_for_as_a_whole_by_task_and_task_by_task(
    dependency: str, pairs: set[tuple[int, int]] | None
) -> None:
    w = log_of(["", "", "", dependency, "", ""], [0] * 6, array=TASKS)
    assert (None if dependencies_of(w) is None else pairs_of(w)) == pairs


def test_each_task_waits_for_the_one_of_its_index() -> None:
    w = log_of(["", "", "", *["aftercorr:7"] * 3], [0] * 6, array=TASKS)
    assert pairs_of(w) == {(1, 4), (2, 5)}  # 7 has no task 5


def test_singletons_of_a_user_and_name_run_one_after_the_other() -> None:
    """Jobs 1, 3, 5 have one name and user; job 4 is of another user, job 2 has another name."""
    names = ["singleton:5", "singleton:6", "afterany:77,singleton:5", "singleton:5", "singleton:5"]
    w = log_of(names, [0, 1, 2, 3, 4], user=[1, 1, 1, 2, 1])
    assert pairs_of(w) == {(1, 3), (3, 5)}
    schedule = ps.simulate(w, "easy").check()
    assert schedule.workload.eligible.tolist()[2] >= schedule.start[0] + 100


def test_tasks_of_a_singleton_wait_for_all_tasks_of_the_one_before() -> None:
    w = log_of(["singleton:5", "singleton:5", "", *["singleton:5"] * 3], [0] * 6, array=TASKS, user=[1] * 6)
    assert pairs_of(w) == {(leader, follower) for leader in (1, 2) for follower in (4, 5, 6)}


def with_status(w: ps.Workload, status: list[int]) -> ps.Workload:
    """Return a workload of whose jobs the log says how they ended."""
    table = np.full((len(w), 18), -1.0)
    table[:, 0], table[:, STATUS] = w.job, status
    return w.with_(records=Records.of(table))


CHAIN = ["", "afterok:1", "afterany:2", "afternotok:1", "afterok:1?afterany:4", "afterok:1?afterok:3", "afterok:77"]


@pytest.mark.parametrize(("status", "never"), [(0, [2, 3, 6]), (5, [2, 3, 6]), (1, [4]), (-1, [])])
def test_what_waits_for_a_job_that_failed_never_runs_and_what_waits_for_that(status: int, never: list[int]) -> None:
    """Job 6 waits for one of jobs 1 and 3, of which neither can let it."""
    w = with_status(log_of(CHAIN, [0] * 7), [status, 1, 1, 1, 1, 1, 1])
    assert w.job[never_satisfied(w)].tolist() == never


def test_jobs_that_can_never_run_are_named_and_left_out_unless_they_ran() -> None:
    w = with_status(log_of(CHAIN[:4], [0] * 4), [0, 1, 1, 1])
    left = without_unfit(w)
    assert left.job.tolist() == [1, 4]
    (repair,) = [each for each in left.repairs if NEVER_SATISFIED in each.reason]
    assert (repair.action, repair.jobs, "job 2, job 3" in repair.first) == ("dropped", 2, True)
    assert pairs_of(left) == {(1, 4)}  # afternotok of a job that failed
    ran = w.with_(wait=np.array([0, 200, 300, 100]))
    assert without_unfit(ran).job.tolist() == [1, 2, 3, 4]
    assert ps.simulate(ran, "easy").workload.eligible.tolist()[1] == 100


def test_copies_wait_for_copies() -> None:
    """Job 3 waits for job 1. Of both there are two copies; of two of job 3 and one of job 1 only the first waits."""
    w = log_of(["", "", "afterok:1"], [0, 1, 2], user=[4, 4, 4])
    assert dependencies_of(w.take([1, 2])) is None  # job 1 is not there
    assert dependencies_of(w.take([0, 2])) is not None
    assert dependencies_of(w.take([1, 2], job=[1, 2])) is None
    assert pairs_of(w.take([0, 0, 2, 2], job=[1, 2, 3, 4])) == {(1, 3), (2, 4)}
    assert pairs_of(w.take([0, 2, 2], job=[1, 2, 3])) == {(1, 2)}
    users = {"job": [1, 2, 3, 4], "user": [4, 9, 9, 4]}
    assert pairs_of(w.take([0, 0, 2, 2], **users)) == {(1, 4), (2, 3)}
    moved = w.take([2, 0], job=[1, 2], submit=[0, 5])  # the one that was first is submitted later here
    assert dependencies_of(moved) is None


def test_copies_of_arrays_are_arrays_of_their_own() -> None:
    w = log_of(["", "", "", *["aftercorr:7"] * 3], [0] * 6, array=TASKS | {"array_most": [1, 1, 0, 2, 2, 2]})
    twice = w.take(np.repeat(np.arange(6), 2), job=np.arange(1, 13))
    assert twice.requests.array.tolist() == [1, 2, 1, 2, 0, 0, 7, 8, 7, 8, 7, 8]
    assert pairs_of(twice) == {(1, 7), (2, 8), (3, 9), (4, 10)}


def test_chains_in_a_resampled_log_stay_chains() -> None:
    """Each user has chains of three jobs; a copy waits for a job of its own user, and as many wait as before."""
    n = 300
    submit = [week * 604_800 + 1000 * user + 100 * k for week in range(4) for user in range(25) for k in range(3)]
    rows = sorted(range(n), key=lambda row: submit[row])
    user = [(row // 3) % 25 for row in rows]
    words = ["" if row % 3 == 0 else f"afterok:{rows.index(row - 1) + 1}" for row in rows]
    w = log_of(words, [submit[row] for row in rows], user=user)
    again = ps.resample(w, seed=3, load=1.5)
    reactions = dependencies_of(again)
    assert reactions is not None
    assert (again.user[reactions.leader] == again.user[reactions.follower]).all()
    assert reactions.leader.size > 0.6 * len(again)
    assert ps.simulate(again, "easy").check()
