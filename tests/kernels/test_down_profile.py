"""Every scheduler on a machine of which processors are down at times: cases by hand, and the oracles, job by job."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Policy, Workload
from paretosched.kernels.conservative import conservative
from paretosched.policies.decoded_orders import outcome_of_order
from paretosched.policies.learning import outcome_on_engine
from paretosched.policies.outcome import down_of, jobs_of
from paretosched.policies.plain import Plain
from paretosched.policies.rule_base import ruled_start_times
from support import naive, naive_priority, naive_rules, oracle
from support.down import down_at_times, down_workloads, with_down
from support.later import later
from support.prioritising import RESERVATIONS, Rank, rank_of, ranks
from support.simulating import DEEP, briefly, deep, starts, thoroughly
from support.zoo import (
    PLAIN_RULES,
    ZOO,
    a_greedy,
    fixed_policies,
    greedy_policies,
    jobs,
    random_rules,
    rule_bases,
    workloads,
)

# Eight processors, of which six are down in 10..20. Job 1 runs to 8, and asks until 12 for four of them.
SMALL = with_down(jobs(8, (0, 8, 12, 2), (1, 5, 5, 8), (2, 3, 3, 2), (2, 3, 9, 2)), [(10, 20, 6)])
BY_HAND = {
    # The second job needs all processors for 5 s, and job 1 may run until 12: not before 20. Nobody passes it.
    "fcfs": [0, 20, 25, 25],
    # The third and the fourth job fit beside job 1 from 2 on; 2 + 9 = 11 is later than 10, when job 1, by its
    # request, and six others have all processors: the fourth one waits until two are free, in 8, when job 1 ends.
    "list": [0, 20, 2, 8],
    "easy": [0, 20, 2, 8],
    "conservative": [0, 20, 2, 8],
    "conservative-replan": [0, 20, 2, 8],
}


@pytest.mark.parametrize("rule", BY_HAND)
def test_the_start_times_are_those_worked_out_by_hand(rule: str) -> None:
    assert starts(SMALL, rule) == BY_HAND[rule]
    assert oracle.start_times(SMALL, Plain(rule)) == BY_HAND[rule]


@pytest.mark.parametrize("rule", PLAIN_RULES)
def test_the_oracle_without_down_times_is_the_one_without_them(rule: str) -> None:
    for name in ("a queue of 150", "runs equal estimates", "narrow behind wide", "situation borders"):
        assert oracle.start_times(ZOO[name], Plain(rule)) == naive.naive(ZOO[name], Plain(rule))


@thoroughly
@given(w=workloads(), data=st.data())
def test_oracles_agree_where_all_processors_are_up(w: Workload, data: st.DataObject) -> None:
    policy = data.draw(st.sampled_from([Plain(rule) for rule in PLAIN_RULES]) | greedy_policies(w.groups))
    assert oracle.start_times(w, policy) == naive.naive(w, policy)


@pytest.mark.slow
@thoroughly
@given(w=down_workloads(workloads()), data=st.data())
def test_plain_rules_and_greedy_start_jobs_as_their_oracles(w: Workload, data: st.DataObject) -> None:
    policy = data.draw(st.sampled_from([Plain(rule) for rule in PLAIN_RULES]) | greedy_policies(w.groups))
    assert starts(w, policy) == oracle.start_times(w, policy)


def start_of(w: Workload, rank: Rank) -> list[int]:
    """Return the start times of the engine."""
    return outcome_on_engine(w, rank.queue(w), False, None).start.tolist()  # type: ignore[no-any-return]


@thoroughly
@given(w=down_workloads(workloads()), data=st.data())
def test_any_order_with_any_backfilling_starts_jobs_as_its_oracle(w: Workload, data: st.DataObject) -> None:
    rank = data.draw(ranks(w))
    assert start_of(w, rank) == naive_priority.start_times(w, rank.rule())


@pytest.mark.slow
@thoroughly
@given(w=down_workloads(workloads()), data=st.data())
def test_rule_bases_start_jobs_as_their_oracle(w: Workload, data: st.DataObject) -> None:
    base = data.draw(rule_bases(w.groups))
    assert starts(w, base) == naive_rules.start_times(w, base)


@thoroughly
@given(w=down_workloads(workloads()), data=st.data())
def test_sequences_are_decoded_as_by_their_oracle(w: Workload, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(w))))
    rows = np.array(order, dtype=np.int32)
    assert outcome_of_order(w, rows, "strict").start.tolist() == oracle.in_given_order(w, order, True)
    assert outcome_of_order(w, rows, "earliest").start.tolist() == oracle.in_given_order(w, order, False)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("rule", PLAIN_RULES)
def test_plain_rules_with_long_queues(name: str, rule: str) -> None:
    w = down_at_times(deep(name, 1), 5)
    assert starts(w, rule) == oracle.start_times(w, Plain(rule))


def test_conservative_backfilling_where_hundreds_wait_equals_the_oracle() -> None:
    w = down_at_times(DEEP["deep queue, seconds"](4), 2)
    expected = oracle.start_times(w, Plain("conservative"))
    waiting = [int(((w.submit <= t) & (np.array(expected) > t)).sum()) for t in w.submit.tolist()]
    assert max(waiting) >= 200
    start = np.empty(len(w), np.int64)
    conservative(jobs_of(w), w.capacity, down_of(w), start)
    assert start.tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_greedy_with_long_queues(name: str) -> None:
    w = down_at_times(deep(name, 2), 7)
    for policy in [policy for policy in fixed_policies(w.groups).values() if policy.rule == "greedy"][::3]:
        assert starts(w, policy) == oracle.start_times(w, policy)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("reservations", RESERVATIONS)
def test_any_order_with_long_queues(name: str, reservations: int | None) -> None:
    w = down_at_times(deep(name, 3), 11)
    for seed in range(2):
        rank = rank_of(seed, w, reservations)
        assert start_of(w, rank) == naive_priority.start_times(w, rank.rule())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["iterative", "symbiotic"])
@pytest.mark.parametrize("seed", range(4))
def test_rule_bases_with_long_queues(kind: str, seed: int) -> None:
    w = down_at_times(deep("deep queue, coarse times", seed), seed)
    base = random_rules(w.groups, seed, kind)
    assert starts(w, base) == naive_rules.start_times(w, base)
    assert ruled_start_times(w, base)[1].sum() > 0


@briefly
@given(w=down_workloads(workloads()), seed=st.integers(0, 99), data=st.data())
def test_jobs_that_are_eligible_later(w: Workload, seed: int, data: st.DataObject) -> None:
    w = later(w, seed)
    policy: Policy = data.draw(st.sampled_from([Plain(rule) for rule in PLAIN_RULES]) | greedy_policies(w.groups))
    assert starts(w, policy) == oracle.start_times(w, policy)


def test_down_times_that_concern_no_job_change_nothing() -> None:
    w = DEEP["light load"](6)
    end = max(starts(w, "fcfs")) + int(w.estimate.max())
    never = with_down(w, [(end + 10**6, end + 10**6 + 5, w.capacity)])
    for policy in ("fcfs", "list", "easy", "conservative", "conservative-replan", "wfp3; backfill: easy:3"):
        assert starts(never, policy) == starts(w, policy)
    policy = a_greedy(w.groups)
    assert starts(never, policy) == starts(w, policy)
