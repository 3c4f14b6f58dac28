"""A Python function as a scheduler equals the formula of the same order, and can make a whole pass by itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.policies.own import Called, Given, WaitingJobs
from paretosched.policies.policy import as_policy, save_policy
from paretosched.policies.priority import Priority
from paretosched.workload.down_times import DownTimes
from support.machine_zoo import TWO_PARTITIONS
from support.zoo import random_jobs


def expansion(jobs: WaitingJobs, now: int) -> Any:
    assert (jobs.wait == now - jobs.submit).all()
    return -(jobs.wait + jobs.estimate) / jobs.estimate


def area(jobs: WaitingJobs, now: int) -> Any:
    assert jobs.now == now
    return jobs.estimate * jobs.width


SAME = {expansion: "(wait + estimate) / estimate", area: "smallest estimate * width"}


def small(seed: int) -> ps.Workload:
    w = random_jobs(seed, 60, 8, gap=6, run=40)
    return w.with_(user=np.arange(60) % 7, wait=np.zeros(60, dtype=np.int64))


def with_down_times(seed: int) -> ps.Workload:
    return small(seed).with_(down=DownTimes([50, 200], [90, 260], [3, 8]))


def on_nodes(_seed: int) -> ps.Workload:
    return TWO_PARTITIONS


@pytest.mark.parametrize("function", SAME)
@pytest.mark.parametrize("backfill", ["none", "easy", "easy:3", "conservative"])
@pytest.mark.parametrize("jobs", [small, with_down_times, on_nodes])
@pytest.mark.parametrize("seed", range(2))
def test_a_function_starts_jobs_as_the_formula_of_its_order(
    function: Callable[..., Any], backfill: str, jobs: Callable[[int], ps.Workload], seed: int
) -> None:
    w = jobs(seed)
    schedule = ps.simulate(w, Called(function, backfill))
    assert schedule.start.tolist() == ps.simulate(w, Priority(SAME[function], backfill)).start.tolist()
    schedule.check()


@pytest.mark.parametrize("estimates", ["recent", "predicted", "exact"])
def test_a_function_sees_what_the_policy_knows_of_run_times(estimates: str) -> None:
    for jobs in (small, with_down_times):
        w = jobs(5)
        ours = ps.simulate(w, Called(area, "easy"), estimates)
        assert ours.start.tolist() == ps.simulate(w, Priority(SAME[area], "easy"), estimates).start.tolist()


def test_a_function_sees_jobs_of_users_who_react() -> None:
    w = small(4)

    def by_user(jobs: WaitingJobs, _now: int) -> Any:
        return jobs.user * 1000 + jobs.estimate

    ours = ps.simulate(w, by_user, users="react")
    formula = " + ".join(f"{1000 * user} * user({user})" for user in range(7))
    theirs = ps.simulate(w, Priority(f"smallest {formula} + estimate", "easy"), users="react")
    assert ours.start.tolist() == theirs.start.tolist()
    assert ours.workload.submit.tolist() == theirs.workload.submit.tolist()


def own_easy(jobs: WaitingJobs, now: int) -> Any:
    """Make the pass of EASY: which jobs start, in which order; all others are held back."""
    free, (width, end) = jobs.free, jobs.running
    keys = np.full(len(jobs), np.inf)
    ends = sorted(zip(end.tolist(), width.tolist(), strict=True))
    waiting = list(range(len(jobs)))
    while waiting and jobs.width[waiting[0]] <= free:
        i = waiting.pop(0)
        keys[i] = i
        free -= jobs.width[i]
        ends = sorted([*ends, (now + jobs.estimate[i], jobs.width[i])])
    if not waiting:
        return keys
    head, room = waiting.pop(0), free
    for second, processors in ends:
        room += processors
        if room >= jobs.width[head]:
            shadow, extra = second, room - jobs.width[head]
            extra += sum(p for e, p in ends if e == second and (e, p) > (second, processors))
            break
    for i in waiting:
        fits_before = now + jobs.estimate[i] <= shadow
        if jobs.width[i] <= free and (fits_before or jobs.width[i] <= extra):
            keys[i] = i
            free -= jobs.width[i]
            extra -= 0 if fits_before else jobs.width[i]
    return keys


@pytest.mark.parametrize("seed", range(4))
def test_a_function_can_make_a_whole_pass(seed: int) -> None:
    w = small(seed)
    assert ps.simulate(w, Called(own_easy, "none")).start.tolist() == ps.simulate(w, "easy").start.tolist()


def test_a_job_that_is_held_back_has_no_reservation_either() -> None:
    w = ps.Workload(submit=[0, 1, 2], run=[10, 5, 30], estimate=[10, 5, 30], width=[3, 4, 1], capacity=4)

    def later(jobs: WaitingJobs, now: int) -> Any:
        return np.where((jobs.width == 4) & (now < 20), np.nan, 0.0)

    assert ps.simulate(w, "easy").start.tolist() == [0, 10, 15]
    assert ps.simulate(w, later).start.tolist() == [0, 32, 2]


def test_a_function_that_never_starts_a_job_is_refused() -> None:
    w = ps.Workload(submit=[0, 1, 2], run=[10, 5, 30], estimate=[10, 5, 30], width=[3, 4, 1], capacity=4)

    def never(jobs: WaitingJobs, _now: int) -> Any:
        return np.where(jobs.width == 4, np.inf, 0.0)

    with pytest.raises(InputError, match=f"never started 1 job of 3, first job {w.job[1]}: a key of inf or NaN"):
        ps.simulate(w, never)


def test_arrays_cannot_be_changed_and_the_machine_is_seen() -> None:
    w = with_down_times(1)
    seen: list[int] = []

    def look(jobs: WaitingJobs, now: int) -> Any:
        for column in (jobs.submit, jobs.wait, jobs.estimate, jobs.width, jobs.user, jobs.group, jobs.job):
            assert not column.flags.writeable
        assert (w.submit[jobs.job] == jobs.submit).all()
        assert not hasattr(jobs, "run")
        if not seen:
            assert repr(jobs) == f"<{len(jobs)} waiting job{'s' * (len(jobs) > 1)} in second {now:,}>"
        seen.append(jobs.free)
        return jobs.submit

    start = ps.simulate(w, Called(look, "none")).start
    assert start.tolist() == ps.simulate(w, "fcfs").start.tolist()
    assert min(seen) >= 0
    assert max(seen) <= 8
    assert (ps.simulate(TWO_PARTITIONS, lambda jobs, _: jobs.requests("gpus")).start >= 0).all()


def test_errors_of_a_function_are_raised_as_they_are() -> None:
    w = small(0)

    def divide(jobs: WaitingJobs, now: int) -> Any:
        return jobs.estimate / (1 if now < 100 else {}["nothing"])

    with pytest.raises(KeyError, match="nothing"):
        ps.simulate(w, divide)
    with pytest.raises(InputError, match=r"a key for each of .* waiting job.* shape \(7,\)"):
        ps.simulate(w, lambda _jobs, _now: np.zeros(7))
    with pytest.raises(InputError, match="neither an order of its own nor a slack"):
        Called(area, ps.Backfill(1, slack=3))
    with pytest.raises(InputError, match="backfill must be"):
        Called(area, 7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="function must be a Python function"):
        Called("area")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a Python function of jobs and now, or a schedule, but is 7"):
        as_policy(7)  # type: ignore[arg-type]


def test_a_function_and_a_schedule_stand_beside_policies_in_a_comparison(tmp_path: Any) -> None:
    w = small(3)
    schedule = ps.simulate(w, "sjf")
    comparison = ps.compare(w, {"mine": area, "theirs": schedule, "saf": "saf"})
    assert comparison.policies == ("EASY", "mine", "theirs", "saf")
    assert comparison.values[1].tolist() == comparison.values[3].tolist()
    assert comparison.values[2].tolist() == np.asarray(schedule.objectives).tolist()
    assert ps.compare(w, [schedule]).policies == ("EASY", "SJF with EASY")
    assert ps.simulate(w, schedule).start.tolist() == schedule.start.tolist()
    with pytest.raises(InputError, match="must be of the same jobs, machine and groups"):
        ps.simulate(small(2), schedule)
    impossible = ps.Schedule(w, w.submit, "all at once")
    assert ps.compare(w, [impossible]).policies == ("EASY", "all at once (overbooked)")
    for policy in (Called(area), Given(schedule)):
        with pytest.raises(InputError, match="cannot be saved as a policy"):
            save_policy(policy, tmp_path / "p.json")
        with pytest.raises(InputError, match="cannot be explained"):
            ps.explain(policy)
    with pytest.raises(InputError, match="says nothing of the queue"):
        Given(schedule).queue(w)
