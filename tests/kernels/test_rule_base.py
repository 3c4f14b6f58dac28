"""Rule bases against a simulator that adds up features again and sorts the queue again at every pass."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import Policy, Workload, simulate
from paretosched.encodings.orders import queue_policy
from paretosched.policies.plain import Plain
from paretosched.policies.rule_base import RuleBase, ruled_start_times
from paretosched.policies.strategy_choice import STRATEGIES, feature_names, situation_of
from support import naive_rules
from support.machine_zoo import crowded_case
from support.naive import Job, Started, naive
from support.placing import as_runs, runs_of
from support.zoo import ZOO, a_greedy, constant_rules, jobs, random_jobs, random_rules, rule_bases, workloads

KINDS = ("iterative", "symbiotic")
BACKFILL = ("none", "easy", "conservative")
ALL = ("1", "2", "3", "4", "5")
thoroughly = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def starts(workload: Workload, policy: Policy) -> list[int]:
    start: list[int] = simulate(workload, policy).check().start.tolist()
    return start


# ---- the kernel


@pytest.mark.parametrize("name", ZOO)
def test_each_strategy_alone_equals_the_oracle(name: str) -> None:
    w = ZOO[name]
    for strategy, about in enumerate(STRATEGIES):
        expected = naive_rules.start_times(w, constant_rules(w.groups, strategy, "iterative"))
        for kind in KINDS:
            assert starts(w, constant_rules(w.groups, strategy, kind)) == expected, (about, kind)


def test_each_strategy_that_is_a_policy_too_is_the_same() -> None:
    for w in ZOO.values():
        for s, rule in ((6, "fcfs"), (7, "easy"), (8, "conservative-replan")):
            assert starts(w, constant_rules(w.groups, s, "iterative")) == starts(w, Plain(rule))
        assert starts(w, constant_rules(w.groups, 12, "iterative")) == starts(w, a_greedy(w.groups))
        if len(w.groups) <= 6:  # orders are for no more
            last_first = list(range(len(w.groups)))[::-1]
            for algorithm, backfill in enumerate(BACKFILL):
                by_priority = queue_policy(last_first, w.groups, backfill)
                assert starts(w, constant_rules(w.groups, 9 + algorithm, "symbiotic")) == starts(w, by_priority)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", range(3), ids=("fcfs", "easy", "conservative"))
@thoroughly
@given(w=workloads(max_jobs=14))
def test_any_order_of_the_jobs_is_an_order_of_groups(algorithm: int, w: Workload) -> None:
    # with one group for every width, or every estimate, their priority is the sorting: another program path
    for sorting, sizes in enumerate((w.width, w.estimate)):
        distinct_sizes, group = np.unique(sizes, return_inverse=True)
        groups = tuple(f"size {size}" for size in distinct_sizes)
        about = (groups, groups, a_greedy(groups))
        base = RuleBase("iterative", *about, bounds=((),) * (len(groups) + 2), choice=np.array([9 + algorithm]))
        here = starts(w, constant_rules(w.groups, 3 * sorting + algorithm, "iterative"))
        assert here == starts(w.with_(group=group, groups=groups), base)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ZOO)
def test_switching_at_every_pass_equals_the_oracle(name: str, kind: str) -> None:
    """Decisions are counted where they make a difference."""
    w = ZOO[name]
    for seed in range(2):
        base = random_rules(w.groups, seed, kind)
        due: list[tuple[int, list[float]]] = []
        expected = naive_rules.start_times(w, base, due=due)
        of_each = [situation_of(base.bounds, x) if kind == "iterative" else strategy for strategy, x in due]
        start, decisions = ruled_start_times(w, base)
        assert start.tolist() == starts(w, base) == expected
        assert decisions.tolist() == np.bincount(of_each, minlength=len(decisions)).tolist()
        assert len(decisions) == (base.choice.size if kind == "iterative" else 13)


@pytest.mark.parametrize("kind", KINDS)
def test_on_nodes_it_equals_the_oracle(kind: str) -> None:
    for seed in range(20):
        w = crowded_case(seed)
        base = random_rules(w.groups, seed, kind)
        assert isinstance(base, RuleBase)
        schedule = simulate(w, base).check()
        assert as_runs(schedule) == runs_of(w, naive_rules.runs_on_nodes(w, base)), seed


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=14))
def test_any_rule_base_equals_the_oracle_on_any_workload(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(rule_bases(w.groups))
    assert starts(w, policy) == naive_rules.start_times(w, policy)


DEEP = {
    "seconds": lambda seed: random_jobs(seed, 110, 64, gap=1, run=60),
    "coarse times": lambda seed: random_jobs(seed, 110, 32, gap=1, run=8, grain=3600),
    "light load": lambda seed: random_jobs(seed, 110, 64, gap=16, run=60),
    "long estimates": lambda seed: random_jobs(seed, 110, 100, gap=4, run=50, slack=100.0),
    "copies": lambda seed: _copy(random_jobs(seed, 60, 48, gap=4, run=40)),
}


def _copy(w: Workload) -> Workload:
    return w.take(np.repeat(np.arange(len(w)), 1 + np.arange(len(w)) % 4))


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_deep_queues_equal_the_oracle(kind: str) -> None:
    few = ((2, 5, 8, 11), (8,), (5, 12), (7, 8), (1, 4, 7, 10), tuple(range(13)))
    for seed, strategies in enumerate(few):
        w = DEEP[kind](seed)
        for base in KINDS:
            policy = random_rules(w.groups, seed, base, strategies)
            strategies_used: list[int] = []
            assert starts(w, policy) == naive_rules.start_times(w, policy, strategies_used), (seed, base)
            assert set(strategies_used) <= set(strategies)


def test_bases_of_the_tests_switch_often() -> None:
    for kind in KINDS:
        strategies_used: list[int] = []
        for seed in range(6):
            naive_rules.start_times(ZOO["a queue of 150"], random_rules(ALL, seed, kind), strategies_used)
        assert len(set(strategies_used)) > 8
        assert np.mean(np.diff(strategies_used) != 0) > 0.1


def test_the_machine_reacts_to_each_feature() -> None:
    # The wide job of group 2 waits for the first; three narrow ones of group 1 come. Whether the third job, which is
    # short, passes the second depends on the strategy, and that on one feature alone.
    w = jobs(4, (0, 10, 10, 3, 0), (1, 20, 20, 4, 1), (2, 5, 5, 1, 0))
    for feature, bound in (("Um", 74.0), ("PRCWQ1", 5.0), ("PRCWQ2", 90.0)):
        bounds = tuple((bound,) if name == feature else () for name in feature_names(2))
        for high, low in ((7, 6), (6, 7)):
            about = ("iterative", w.groups, w.groups, a_greedy(w.groups))
            policy = RuleBase(*about, bounds=bounds, choice=np.array([low, high]))
            # at 2 there are 75 % in use, and of the waiting area 5 / 85 are group 1's
            assert starts(w, policy) == ([0, 10, 2] if high == 7 else [0, 10, 30]), feature


# ---- features


def test_features_by_hand() -> None:
    finished_jobs = [Started(Job(0, 0, 10, 10, 2, 0), 10), Started(Job(1, 5, 4, 9, 1, 1), 16)]
    running = [Started(Job(2, 0, 50, 60, 3, 0), 1)]
    waiting = [Job(3, 7, 1, 5, 2, 0), Job(4, 9, 1, 10, 3, 1)]
    # (10 x 2 x 20 + 4 x 1 x 15) / (10 x 10 x 2 + 4 x 4 x 1); 3 of 8; 10 and 30 of 40
    assert naive_rules.features(8, 2, finished_jobs, running, waiting) == [460 / 216, 37.5, 25.0, 75.0]


def test_features_without_a_past_and_of_a_long_wait() -> None:
    waiting = [Job(3, 7, 1, 5, 2, 0)]
    assert naive_rules.features(8, 2, [], [], waiting) == [1.0, 0.0, 100.0, 0.0]
    late = [Started(Job(0, 0, 1, 1, 2, 0), 10_000)]
    assert naive_rules.features(8, 1, late, [], waiting) == [100.0, 0.0, 100.0]


@pytest.mark.parametrize(("bound", "above"), [(1.2, True), (1.39, True), (1.4, False), (1.41, False)])
def test_slowdown_counts_ended_jobs_only_and_a_bound_belongs_below(bound: float, above: bool) -> None:
    # One after the other. At 10 the first has ended, which did not wait: SD is 1, and the second starts as the one that
    # has waited longest. At 30 SD is (10 x 10 + 20 x 30) / (10 x 10 + 20 x 20) = 1.4: above the bound the shortest
    # goes first.
    w = jobs(1, (0, 10, 10, 1), (0, 20, 20, 1), (0, 10, 30, 1), (0, 1, 1, 1))
    base = RuleBase("iterative", ("1",), ("1",), a_greedy(("1",)), bounds=((bound,), (), ()), choice=np.array([6, 3]))
    assert starts(w, base) == ([0, 10, 31, 30] if above else [0, 10, 30, 40])


def test_the_oracle_is_the_plain_one_where_that_exists() -> None:
    w = ZOO["narrow behind wide"]
    for s, rule in ((6, "fcfs"), (7, "easy"), (8, "conservative-replan")):
        assert naive_rules.start_times(w, constant_rules(w.groups, s, "symbiotic")) == naive(w, Plain(rule))
