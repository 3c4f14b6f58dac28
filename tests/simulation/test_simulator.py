"""The compiled simulators against the oracle, worked examples, a rival simulator, and what any schedule must obey."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import InputError, Policy, Workload, greedy, objectives, simulate
from paretosched.policies.plain import Plain
from paretosched.policies.policy import as_policy
from paretosched.simulation.objective import objectives_of
from support.naive import naive
from support.zoo import (
    BACKFILLS,
    CRITERIA,
    DAY,
    HAND_CHECKED,
    ORACLE,
    ORACLE_MISSING,
    PLAIN_RULES,
    ZOO,
    Case,
    constant,
    drawn,
    fixed_policies,
    greedy_policies,
    jobs,
    policies,
    rival,
    workloads,
)

checked = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
briefly = settings(checked, max_examples=50)


def starts(workload: Workload, policy: str | Policy) -> list[int]:
    found: list[int] = simulate(workload, policy).check().start.tolist()
    return found


@cache
def of_oracle(name: str, policy: str) -> list[int]:
    return naive(ZOO[name], fixed_policies(ZOO[name].groups)[policy])


# ---- examples


@pytest.mark.parametrize("case", HAND_CHECKED, ids=lambda case: case.name)
def test_cases_worked_out_by_hand(case: Case) -> None:
    for policy in case.policies:
        assert starts(case.workload, policy) == case.start, policy


@pytest.mark.skipif(not ORACLE.is_dir(), reason=ORACLE_MISSING)
@pytest.mark.parametrize("rule", ["fcfs", "list", "easy", "conservative-replan"])
def test_equals_the_rival_simulator_job_by_job(rule: str) -> None:
    workload, start = rival(rule)
    assert starts(workload, rule) == start


def test_the_recorded_schedule_is_submission_plus_wait_and_an_unknown_wait_is_none() -> None:
    w = jobs(4, (0, 5, 5, 4), (1, 5, 5, 2), (2, 5, 5, 2), wait=[0, 9, -1])
    assert simulate(w, "recorded").start.tolist() == [0, 10, 2] == naive(w, Plain("recorded"))


# ---- the oracle


@pytest.mark.parametrize("policy", fixed_policies(("1",)))
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, policy: str) -> None:
    w = ZOO[name]
    assert starts(w, fixed_policies(w.groups)[policy]) == of_oracle(name, policy)


@pytest.mark.slow
@pytest.mark.parametrize("rule", PLAIN_RULES)
@checked
@given(w=workloads(max_jobs=14))
def test_equals_the_oracle_on_any_workload(rule: str, w: Workload) -> None:
    assert starts(w, rule) == naive(w, Plain(rule))


@pytest.mark.slow
@pytest.mark.parametrize("backfill", BACKFILLS)
@settings(checked, max_examples=300)
@given(data=st.data(), w=workloads(max_jobs=14))
def test_greedy_equals_the_oracle_on_any_workload(backfill: str, data: st.DataObject, w: Workload) -> None:
    policy = data.draw(greedy_policies(w.groups, (backfill,)))
    assert starts(w, policy) == naive(w, policy)


DEEP = {
    "deep queue, seconds": lambda seed: drawn(seed, 300, 64, gap=1, run=60),
    "deep queue, coarse times": lambda seed: drawn(seed, 300, 32, gap=1, run=8, grain=3600),
    "saturated, six hours a tick": lambda seed: drawn(seed, 250, 128, gap=2, run=12, grain=21600, groups=3),
    "light load": lambda seed: drawn(seed, 300, 64, gap=30, run=60),
    "long estimates": lambda seed: drawn(seed, 250, 100, gap=4, run=50, slack=100.0, groups=7),
}


@pytest.mark.slow
@pytest.mark.parametrize("backfill", BACKFILLS)
@pytest.mark.parametrize("kind", DEEP)
def test_greedy_equals_the_oracle_on_hundreds_of_jobs(kind: str, backfill: str) -> None:
    for seed, criteria in enumerate([[c] * 3 for c in CRITERIA] + [["f1", "f2", "f3"], ["f4", "f3", "f1"]]):
        w = DEEP[kind](seed)
        count = len(w.groups)
        rng = np.random.default_rng([seed, 7])
        genes = rng.random((3, 2 * count + 2)) * ([1.0] * count + [5.0] * count + [1.0, 1.0])
        genes[:, -2:] **= 1 + 3 * seed  # waits and sizes are large numbers: small factors make all terms matter
        policy = greedy(criteria, genes, groups=w.groups, backfill=backfill)
        assert starts(w, policy) == naive(w, policy), (seed, criteria)


@pytest.mark.slow
@pytest.mark.parametrize("rule", PLAIN_RULES)
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str, rule: str) -> None:
    for seed in range(10, 13):
        w = DEEP[kind](seed)
        assert starts(w, rule) == naive(w, Plain(rule)), seed


# ---- what holds for every schedule


@pytest.mark.slow
@checked
@given(data=st.data(), w=workloads())
def test_every_start_is_feasible_and_at_an_arrival_or_an_end(data: st.DataObject, w: Workload) -> None:
    schedule = simulate(w, data.draw(policies(w.groups))).check()
    assert (schedule.start >= w.submit).all()
    assert np.isin(schedule.start, np.concatenate([w.submit, schedule.finish])).all()


@pytest.mark.slow
@checked
@given(data=st.data(), w=workloads())
def test_the_machine_never_idles_while_a_job_waits(data: st.DataObject, w: Workload) -> None:
    schedule = simulate(w, data.draw(policies(w.groups)))
    for t in {*w.submit.tolist(), *schedule.finish.tolist()}:
        if ((w.submit <= t) & (schedule.start > t)).any():
            assert ((schedule.start <= t) & (schedule.finish > t)).any(), f"idle at {t}"


@pytest.mark.slow
@checked
@given(data=st.data(), w=workloads())
def test_a_job_that_arrives_alone_at_an_idle_machine_starts_at_once(data: st.DataObject, w: Workload) -> None:
    schedule = simulate(w, data.draw(policies(w.groups)))
    for j, t in enumerate(w.submit.tolist()):
        others = np.arange(len(w)) != j
        if not ((w.submit == t) & others).any() and (schedule.finish[w.submit < t] <= t).all():
            assert schedule.start[j] == t


@pytest.mark.slow
@checked
@given(data=st.data(), w=workloads(), weeks=st.integers(1, 3000))
def test_shifting_all_times_by_whole_weeks_shifts_the_schedule(data: st.DataObject, w: Workload, weeks: int) -> None:
    policy = data.draw(policies(w.groups))
    here = w.with_(zone="UTC")
    there = here.with_(submit=w.submit + weeks * 7 * DAY)
    assert starts(there, policy) == [s + weeks * 7 * DAY for s in starts(here, policy)]


@briefly
@given(w=workloads(), factor=st.integers(2, 1000), rule=st.sampled_from(PLAIN_RULES))
def test_other_units_of_time_and_of_processors_change_nothing(w: Workload, factor: int, rule: str) -> None:
    slower = w.with_(submit=w.submit * factor, run=w.run * factor, estimate=w.estimate * factor)
    assert starts(slower, rule) == [s * factor for s in starts(w, rule)]
    finer = w.with_(width=w.width * factor, capacity=w.capacity * factor)
    assert starts(finer, rule) == starts(w, rule)


@pytest.mark.slow
@briefly
@given(data=st.data(), w=workloads())
def test_a_schedule_does_not_depend_on_jobs_that_come_later(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    known = int(np.searchsorted(w.submit, data.draw(st.sampled_from(w.submit.tolist())), side="right"))
    whole, part = starts(w, policy), starts(w.take(range(known)), policy)
    now = int(w.submit[known - 1])
    assert [s for s in whole[:known] if s <= now] == [s for s in part if s <= now]


@pytest.mark.slow
@briefly
@given(data=st.data(), w=workloads())
def test_true_run_times_matter_only_once_a_job_has_ended(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    schedule = simulate(w, policy)
    first_end = int(schedule.finish.min())
    before = schedule.start < first_end
    blind = simulate(w.with_(run=np.maximum(w.run, np.minimum(w.estimate, first_end + 1 - w.submit))), policy)
    assert blind.start[before].tolist() == schedule.start[before].tolist()


# ---- groups


@briefly
@given(data=st.data(), w=workloads(), rule=st.sampled_from(PLAIN_RULES))
def test_rules_that_ignore_groups_do_not_depend_on_them(data: st.DataObject, w: Workload, rule: str) -> None:
    group = data.draw(st.lists(st.integers(0, 3), min_size=len(w), max_size=len(w)))
    assert starts(w.with_(group=group, groups=tuple("abcd")), rule) == starts(w, rule)


@pytest.mark.slow
@briefly
@given(data=st.data(), w=workloads())
def test_numbering_the_groups_otherwise_changes_nothing_for_greedy(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(greedy_policies(w.groups))
    count = len(w.groups)
    place = np.array(data.draw(st.permutations(range(count))))  # group i is called place[i] from now on
    old = np.argsort(place)
    genes = np.hstack(
        [policy.genes[:, :count][:, old], policy.genes[:, count : 2 * count][:, old], policy.genes[:, -2:]]
    )
    other = greedy(policy.criteria, genes, groups=w.groups, backfill=policy.backfill)
    assert starts(w.with_(group=place[w.group]), other) == starts(w, policy)


@briefly
@given(data=st.data(), w=workloads())
def test_halving_all_weights_changes_nothing(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(greedy_policies(w.groups))
    genes = policy.genes.copy()
    weights = genes[:, : len(w.groups)]
    weights[weights < 1e-100] = 0.0  # so that halving stays exact
    whole = greedy(policy.criteria, genes, groups=w.groups, backfill=policy.backfill)
    weights /= 2
    half = greedy(policy.criteria, genes, groups=w.groups, backfill=policy.backfill)
    assert starts(w, half) == starts(w, whole)


@pytest.mark.slow
@briefly
@given(data=st.data(), w=workloads())
def test_f3_has_no_use_for_b(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(greedy_policies(w.groups))
    f3 = greedy(["f3"] * 3, policy.genes, groups=w.groups, backfill=policy.backfill)
    genes = policy.genes.copy()
    genes[:, -1] = 1 - genes[:, -1]
    assert starts(w, greedy(["f3"] * 3, genes, groups=w.groups, backfill=policy.backfill)) == starts(w, f3)


# ---- one rule as a special case of another


TWIN = {"none": "fcfs", "easy": "easy", "conservative": "conservative-replan"}


@pytest.mark.parametrize("backfill", BACKFILLS)
@briefly
@given(data=st.data(), w=workloads())
def test_greedy_with_equal_keys_is_the_rule_without_keys(backfill: str, data: st.DataObject, w: Workload) -> None:
    criteria = data.draw(st.lists(st.sampled_from(CRITERIA), min_size=3, max_size=3))
    nothing = greedy(criteria, constant(len(w.groups), 0, 0, 0, 0), groups=w.groups, backfill=backfill)
    assert starts(w, nothing) == starts(w, TWIN[backfill])
    same = greedy(criteria, constant(len(w.groups), 0.3, 2.5, 0, 0), groups=w.groups, backfill=backfill)
    assert starts(w, same) == starts(w, TWIN[backfill])


@pytest.mark.slow
@pytest.mark.parametrize("backfill", BACKFILLS)
@pytest.mark.parametrize("criterion", ["f2", "f4"])
@briefly
@given(w=workloads())
def test_greedy_by_longest_wait_is_the_rule_without_keys(criterion: str, backfill: str, w: Workload) -> None:
    longest = greedy([criterion] * 3, constant(len(w.groups), 1, 0, 1, 0), groups=w.groups, backfill=backfill)
    assert starts(w, longest) == starts(w, TWIN[backfill])


@briefly
@given(w=workloads(exact=True))
def test_with_exact_estimates_every_conservative_reservation_is_final(w: Workload) -> None:
    # then the schedule is: each job in arrival order at the earliest place that earlier arrivals leave
    start: list[int] = []
    for j in range(len(w)):
        finish = np.array(start, dtype=np.int64) + w.run[:j]
        for t in sorted({int(w.submit[j]), *(f for f in finish.tolist() if f > w.submit[j])}):
            instants = [t, *(s for s in start if t < s < t + w.run[j])]
            used = [int(w.width[:j][(np.array(start, dtype=np.int64) <= i) & (finish > i)].sum()) for i in instants]
            if max(used) + w.width[j] <= w.capacity:
                start.append(t)
                break
    assert starts(w, "conservative") == start
    assert starts(w, "conservative-replan") == start


@pytest.mark.slow
@briefly
@given(w=workloads())
def test_no_job_overtakes_under_fcfs(w: Workload) -> None:
    assert (np.diff(simulate(w, "fcfs").start) >= 0).all()


@briefly
@given(w=workloads())
def test_without_early_ends_no_reservation_of_easy_is_missed(w: Workload) -> None:
    """Nor with early ends: they only help the head."""
    schedule = simulate(w, "easy")
    for t in sorted({*w.submit.tolist(), *schedule.finish.tolist()}):
        waiting = np.flatnonzero((w.submit <= t) & (schedule.start > t))
        if waiting.size:
            head = int(waiting[0])
            running = np.flatnonzero((schedule.start <= t) & (schedule.finish > t))
            free = w.capacity - int(w.width[running].sum())
            for j in sorted(running, key=lambda j: schedule.start[j] + w.estimate[j]):
                free += int(w.width[j])
                if free >= w.width[head]:
                    assert schedule.start[head] <= schedule.start[j] + w.estimate[j]
                    break


@briefly
@given(w=workloads())
def test_no_job_that_fits_waits_under_list(w: Workload) -> None:
    schedule = simulate(w, "list")
    for t in {*w.submit.tolist(), *schedule.finish.tolist()}:
        running = (schedule.start <= t) & (schedule.finish > t)
        waiting = (w.submit <= t) & (schedule.start > t)
        free = w.capacity - int(w.width[running].sum())
        assert not (w.width[waiting] <= free).any()


# ---- the functions around the kernels


@pytest.mark.slow
@briefly
@given(data=st.data(), w=workloads())
def test_the_hot_path_measures_what_the_schedule_shows(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    np.testing.assert_array_equal(objectives_of(w, policy.simulated(w).start), objectives(simulate(w, policy)))


def test_simulating_twice_gives_the_same_and_leaves_the_workload_as_it_was() -> None:
    w = ZOO["hours over a week"]
    digest = w.with_().digest
    for policy in fixed_policies(w.groups).values():
        assert starts(w, policy) == starts(w, policy)
    assert w.with_().digest == digest


def test_a_policy_for_other_groups_is_refused() -> None:
    w = jobs(4, (0, 5, 5, 4))
    policy = greedy(["f2"] * 3, constant(2, 1, 0, 1, 0), groups=("1", "2"))
    with pytest.raises(InputError, match="for the groups 1, 2, but workload has the groups 1"):
        simulate(w, policy)


def test_a_schedule_carries_the_name_of_its_policy() -> None:
    assert simulate(jobs(1, (0, 1, 1, 1)), "easy").name == "EASY" == as_policy("easy").name
