"""What the jobs of a log wait for, and simulations in which users react, against the naive twin."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import InputError, Policy, Schedule, Workload, lublin, read_swf, simulate
from paretosched.kernels.inputs import Reactions
from paretosched.policies.policy import as_policy
from paretosched.policies.whole_nodes import WholeNodes
from paretosched.simulation.estimates import LEARNING
from paretosched.workload.log_lines import PRECEDING, THINK
from paretosched.workload.reacting_users import (
    arrivals_after,
    reactions_of,
    recorded_end,
    words_on_reactions,
)
from support import naive, naive_guarded, naive_reacting, naive_rules, oracle
from support.machine_zoo import MACHINE_ZOO
from support.simulating import briefly, thoroughly
from support.zoo import ZOO, greedy_policies, rule_bases, workloads

HOUR = 3600
SLURM = replace(as_policy("estimate; backfill: easy:8"), nodes=WholeNodes((), every=30), name="in passes of Slurm")
CHOICES = {
    "fcfs": naive.heads,
    "list": naive.every_fitting,
    "easy": naive.easy,
    "conservative-replan": naive.replan,
}


def with_record(w: Workload, seed: int, longest: int) -> Workload:
    """Return a workload with a few users, some unknown, and recorded waits, some unknown, with many zeros and ties."""
    rng = np.random.default_rng(seed)
    wait = rng.integers(-1, 4, len(w)) * rng.choice([1, longest], len(w))
    wait[0] = 0
    user = rng.integers(-1, 3, len(w))
    user[0] = 0
    later = rng.integers(0, 2, len(w)) * rng.integers(0, longest, len(w)) * (seed % 2)
    return w.with_(user=user, wait=np.maximum(wait, -1), eligible=w.submit + later if seed % 2 else None)


def by_row(w: Workload, schedule: Schedule, column: np.ndarray) -> list[int]:
    """Return a column of a schedule in the order of the log, whose jobs have different numbers."""
    place = {job: i for i, job in enumerate(schedule.workload.job.tolist())}
    values: list[int] = column[[place[job] for job in w.job.tolist()]].tolist()
    return values


def is_solution(w: Workload, schedule: Schedule) -> bool:
    """Return whether the submissions are those that follow from the ends."""
    ends = dict(enumerate(by_row(w, schedule, schedule.finish)))
    submit = naive_reacting.submissions(w, ends)
    return by_row(w, schedule, schedule.workload.submit) == [submit[row] for row in range(len(w))]


def check(w: Workload, rule: str, naively: tuple[dict[int, int], dict[int, int]]) -> None:
    """Compare with what the naive loop gives: when each job is submitted and started."""
    schedule = simulate(w, rule, users="react").check()
    assert by_row(w, schedule, schedule.workload.submit) == naive.in_rows(naively[0])
    assert by_row(w, schedule, schedule.start) == naive.in_rows(naively[1])


@pytest.mark.parametrize("rule", CHOICES)
@pytest.mark.parametrize("name", [name for name in ZOO if len(ZOO[name]) <= 60])
def test_the_zoo_equals_the_naive_loop(name: str, rule: str) -> None:
    for seed in (1, 2):
        w = with_record(ZOO[name], seed, 9)
        check(w, rule, naive_reacting.simulate(w, lambda t, waiting: waiting, CHOICES[rule]))


@thoroughly
@given(w=workloads(14), seed=st.integers(0, 99), longest=st.sampled_from([2, 1800]), rule=st.sampled_from([*CHOICES]))
def test_any_workload_equals_the_naive_loop(w: Workload, seed: int, longest: int, rule: str) -> None:
    w = with_record(w, seed, longest)
    check(w, rule, naive_reacting.simulate(w, lambda t, waiting: waiting, CHOICES[rule]))


@thoroughly
@given(w=workloads(14), seed=st.integers(0, 99), longest=st.sampled_from([2, 1800]))
def test_an_order_equals_the_naive_loop(w: Workload, seed: int, longest: int) -> None:
    w = with_record(w, seed, longest)
    shortest_first = naive_reacting.simulate(
        w, lambda t, waiting: sorted(waiting, key=lambda job: job.estimate), naive.easy
    )
    check(w, "sjf", shortest_first)


def others(groups: tuple[str, ...]) -> st.SearchStrategy[Policy]:
    """Return policies that have an oracle for given submissions."""
    words = [
        "conservative",
        "wait / estimate; backfill: conservative",
        "-usage; backfill: easy:2",
        "sjf",
    ]
    guarded = st.sampled_from(groups).map(lambda name: as_policy(f'guarded: "{name}"; review: 60; each: 1.1'))
    return st.sampled_from(words).map(as_policy) | greedy_policies(groups) | rule_bases(groups) | guarded


@briefly
@given(w=workloads(16), seed=st.integers(0, 99), data=st.data(), how=st.none() | st.sampled_from(sorted(LEARNING)))
def test_any_policy_starts_what_was_submitted_as_without_reaction(
    w: Workload, seed: int, data: st.DataObject, how: str | None
) -> None:
    """A scheduler does not know the future: what users made of its starts is the only workload that fits them."""
    w = with_record(w, seed, 600)
    policy = data.draw(others(w.groups))
    schedule = simulate(w, policy, how or "requested", users="react").check()
    assert is_solution(w, schedule)
    again = simulate(schedule.workload, policy, how or "requested")
    assert again.start.tolist() == schedule.start.tolist()
    if policy.rule in ("guarded", "rules", "greedy", "conservative"):
        naively = {"guarded": lambda: naive_guarded.start_times(again.workload, naive_guarded.terms_of(w, policy), how),
                   "rules": lambda: naive_rules.start_times(again.workload, policy, how=how)}  # fmt: skip
        expected = naively.get(policy.rule, lambda: oracle.outcome(again.workload, policy, how)[0])()
        assert schedule.start.tolist() == expected


@pytest.mark.parametrize("seed", range(6))
def test_under_the_recorded_schedule_jobs_are_submitted_when_they_were(seed: int) -> None:
    w = with_record(lublin(jobs=400, processors=64, seed=seed), seed, 900)
    assert arrivals_after(reactions_of(w), recorded_end(w) - w.run, recorded_end(w)).tolist() == w.eligible.tolist()
    assert simulate(w, "recorded", users="react").workload is w


@pytest.mark.traces
@pytest.mark.parametrize(
    "name", ["KTH-SP2-1996-2.1", "CTC-SP2-1996-3.1", "SDSC-SP2-1998-4.2", "LANL-CM5-1994-4.1", "SDSC-Par-1996-3.1"]
)
def test_under_the_recorded_schedule_logs_have_their_submissions(name: str, traces: Path) -> None:
    w = read_swf(traces / f"{name}-cln.swf.gz")
    assert arrivals_after(reactions_of(w), recorded_end(w) - w.run, recorded_end(w)).tolist() == w.eligible.tolist()
    assert simulate(w, "recorded", users="react").workload is w


def pairs_of(r: Reactions) -> list[tuple[int, int, int]]:
    """Return which batches wait for which, and so many seconds after their end."""
    assert not r.kind.any()
    return [*zip(r.leader.tolist(), r.follower.tolist(), r.pause.tolist(), strict=True)]


def test_a_batch_moves_as_a_whole_and_keeps_its_think_time() -> None:
    w = Workload([0, 100, 160], [50, 9, 20], [50, 9, 20], [1] * 3, 1, user=[7] * 3, wait=[30, 70, 19])
    r = reactions_of(w)
    assert (r.batch.tolist(), r.offset.tolist(), pairs_of(r)) == ([0, 1, 1], [0, 0, 60], [(0, 1, 20)])
    assert r.earliest.tolist() == [0, 0]
    assert simulate(w, "fcfs", users="react").workload.submit.tolist() == [0, 70, 130]


def test_after_a_break_a_job_comes_when_the_log_says_but_not_before_the_end_of_the_others() -> None:
    w = Workload([0, 0, 2 * HOUR], [10, 10, 9], [10, 10, 9], [1] * 3, 1, user=[6, 7, 7], wait=[0, 5, 0])
    assert simulate(w, "fcfs", users="react").workload.submit.tolist() == [0, 0, 2 * HOUR]
    slow = w.with_(run=[3 * HOUR, 10, 9], estimate=[3 * HOUR, 10, 9])
    assert simulate(slow, "fcfs", users="react").workload.submit.tolist() == [0, 0, 3 * HOUR + 10]


def test_a_job_that_still_ran_after_an_hour_is_not_waited_for() -> None:
    w = Workload([0, HOUR, 2 * HOUR], [9 * HOUR, 5, 5], [9 * HOUR, 5, 5], [1] * 3, 4, user=[7] * 3, wait=[0, 0, 0])
    assert pairs_of(reactions_of(w)) == [(1, 2, HOUR - 5)]


def test_a_slower_machine_gets_its_work_later() -> None:
    w = lublin(jobs=600, processors=128, seed=4)
    w = w.with_(user=np.arange(600) % 9, wait=simulate(w, "easy").wait)
    came = [simulate(w, rule, users="react").workload.submit.mean() for rule in ("easy", "fcfs")]
    assert came[0] == w.submit.mean()
    assert came[1] > came[0]


def test_fields_of_the_log_count_where_they_agree_with_the_record() -> None:
    w = Workload([0, 40, 90], [30, 9, 9], [30, 9, 9], [1] * 3, 4, user=[5, 6, 7], wait=[5, 0, 0])
    fields = np.full((3, 18), -1.0)
    fields[:, [0, 1, 2, 3]] = np.stack([[1, 2, 3], w.submit, w.wait, w.run], axis=1)
    fields[1, [PRECEDING, THINK]] = 1, 5
    fields[2, [PRECEDING, THINK]] = 1, 1  # filled only
    named = w.with_(records=fields)
    assert pairs_of(reactions_of(named)) == [(0, 1, 5)]
    assert simulate(named, "fcfs", users="react").workload.submit.tolist() == [0, 35, 90]
    fields[1, THINK] = 1
    assert pairs_of(reactions_of(w.with_(records=fields))) == pairs_of(reactions_of(w)) == []


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "wait / estimate", SLURM], ids=str)
def test_nodes_start_what_was_submitted_as_without_reaction(policy: str | Policy) -> None:
    for name, zoo in MACHINE_ZOO.items():
        for seed in (2, 4):
            w = with_record(zoo, seed, 30)
            schedule = simulate(w, policy, users="react").check()
            again = simulate(schedule.workload, policy)
            assert is_solution(w, schedule), name
            assert again.start.tolist() == schedule.start.tolist(), name
            assert again.placement is not None
            assert schedule.placement is not None
            for mine, other in zip(schedule.placement, again.placement, strict=True):
                assert mine.tolist() == other.tolist(), name


def test_who_cannot_react_is_told() -> None:
    w = lublin(jobs=50, processors=64, seed=1)
    with pytest.raises(InputError, match="users who react need recorded waits"):
        simulate(w, "easy", users="react")
    with pytest.raises(InputError, match="users who react must be known"):
        simulate(w.with_(wait=[0] * 50, user=[-1] * 50), "easy", users="react")
    known = with_record(w, 2, 60)
    with pytest.raises(InputError, match="SCOJO-PECT: users who react are not simulated"):
        simulate(known, "scojo", users="react")
    with pytest.raises(InputError, match="users"):
        simulate(known, "easy", users="often")


def test_the_remark_says_how_many_jobs_depend_on_others() -> None:
    w = Workload([0, 40, 3 * HOUR], [30, 9, 9], [30, 9, 9], [1] * 3, 4, user=[5] * 3, wait=[5, 0, 0])
    assert words_on_reactions(w) == (
        "users react: 33.3 % of the jobs come a think time after the end of others of their user, and 33.3 % when the "
        "log says, but not before the end of others; the rest when the log says"
    )
