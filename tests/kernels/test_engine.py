"""What composes with what: every policy with predictions, down times and both, against the one oracle, job by job."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Guarded, Policy, Workload, simulate
from paretosched.kernels.inputs import PRINTED
from paretosched.policies.learning import outcome_on_engine
from paretosched.policies.plain import Plain
from paretosched.simulation.estimates import LEARNING
from support import naive_guarded, naive_priority, naive_rules, oracle
from support.down import down_at_times, down_workloads, with_down
from support.prioritising import ranks
from support.simulating import DEEP, deep, thoroughly
from support.zoo import ZOO, greedy_policies, jobs, random_jobs, random_rules, rule_bases, workloads

RULES = ("fcfs", "list", "easy", "conservative", "conservative-replan")
SOURCES = st.sampled_from(sorted(LEARNING))


def with_users(w: Workload, seed: int = 5) -> Workload:
    """A workload whose jobs belong to three users, or to none that is known."""
    user = np.arange(len(w)) * seed % 7 % 4 - 1
    user[0] = 0
    return w.with_(user=user)


def on_oracle(w: Workload, policy: Policy, how: str | None) -> list[int]:
    """Return the start times of the oracle."""
    if policy.rule == "guarded":
        return naive_guarded.start_times(w, naive_guarded.terms_of(w, policy), how)
    if policy.rule == "rules":
        return naive_rules.start_times(w, policy, how=how)
    return oracle.outcome(w, policy, how)[0]


def policies(groups: tuple[str, ...]) -> st.SearchStrategy[Policy]:
    """Return policies of every kind that can be simulated by the engine."""
    first = st.lists(st.sampled_from(groups), min_size=1, max_size=2, unique=True).map(tuple)
    guarded = st.builds(Guarded, first, st.sampled_from([0.9, 1.0, 1.1]), st.just(1.1), st.just(60), st.just(7))
    return st.sampled_from(RULES).map(Plain) | greedy_policies(groups) | rule_bases(groups) | guarded


@thoroughly
@given(w=down_workloads(workloads(20)), data=st.data(), source=SOURCES)
def test_any_policy_with_predictions_beside_down_times(w: Workload, data: st.DataObject, source: str) -> None:
    w = with_users(w, data.draw(st.integers(1, 6)))
    policy = data.draw(policies(w.groups))
    assert simulate(w, policy, source).check().start.tolist() == on_oracle(w, policy, source)


@thoroughly
@given(w=workloads(20), data=st.data(), source=SOURCES)
def test_any_policy_with_predictions(w: Workload, data: st.DataObject, source: str) -> None:
    w = with_users(w, data.draw(st.integers(1, 6)))
    policy = data.draw(policies(w.groups))
    assert simulate(w, policy, source).check().start.tolist() == on_oracle(w, policy, source)


@thoroughly
@given(w=down_workloads(workloads(20)), data=st.data(), source=SOURCES)
def test_any_order_with_any_reservations_and_predictions_beside_down_times(
    w: Workload, data: st.DataObject, source: str
) -> None:
    w = with_users(w)
    rank = data.draw(ranks(w))
    outcome = outcome_on_engine(w, rank.queue(w), False, LEARNING[source])
    expected = naive_priority.predicted_times(w, rank.rule(), source)
    assert tuple(column.tolist() for column in (outcome.start, outcome.first, outcome.corrections)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("source", LEARNING)
@pytest.mark.parametrize("name", DEEP)
def test_deep_queues_with_predictions_beside_down_times(name: str, source: str) -> None:
    w = with_users(down_at_times(deep(name, 1), 5))
    for policy in (Plain("easy"), random_rules(w.groups, 3, "symbiotic")):
        assert simulate(w, policy, source).check().start.tolist() == on_oracle(w, policy, source)


@pytest.mark.slow
@pytest.mark.parametrize("source", LEARNING)
def test_promises_with_predictions_beside_down_times(source: str) -> None:
    for seed in range(3):
        w = with_users(down_at_times(random_jobs(seed, 80, 64, gap=2, run=60, slack=30.0), seed))
        policy = Plain("conservative")
        assert simulate(w, policy, source).check().start.tolist() == on_oracle(w, policy, source)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ZOO if len(ZOO[name]) > 3])
def test_awkward_workloads_with_predictions(name: str) -> None:
    w = with_users(ZOO[name])
    for policy in (
        Plain("conservative"),
        Guarded(w.groups[:1], 1.0, 1.1, 60, 600),
        random_rules(w.groups, 1, "iterative"),
    ):
        assert simulate(w, policy, "predicted").start.tolist() == on_oracle(w, policy, "predicted")


def test_a_job_starts_only_where_its_whole_request_is_beside_the_down_time() -> None:
    # Two jobs of this user take 2 s of 20: so the third one is expected to take 2 s. Seven of eight processors are down
    # in 16..30. It requests 20 s, and so waits until they are up again, though its prediction ends long before.
    w = jobs(8, (0, 2, 20, 1), (2, 2, 20, 1), (10, 2, 20, 4)).with_(user=[1] * 3)
    assert simulate(w, "easy", "recent").start.tolist() == [0, 2, 10]
    w = with_down(w, [(16, 30, 7)])
    assert simulate(w, "easy", "recent").check().start.tolist() == [0, 2, 30]


def test_a_place_that_rests_on_predictions_is_given_up_where_a_prediction_was_too_short() -> None:
    # Two jobs of 2 s teach that jobs of this user take 2 s. The third one takes 50 s: so the fourth, which is as wide
    # as the machine and was promised second 6, starts at its end; the fifth runs beside it before that.
    w = jobs(4, (0, 2, 60, 1), (2, 2, 60, 1), (4, 50, 60, 2), (5, 5, 5, 4), (7, 30, 40, 2)).with_(user=[1, 1, 1, 2, 3])
    assert simulate(w, "conservative", "recent").start.tolist() == oracle.outcome(w, Plain("conservative"), "recent")[0]
    assert simulate(w, "conservative", "recent").start.tolist() == [0, 2, 4, 54, 7]


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("rule", ["fcfs", "list", "easy", "conservative-replan"])
def test_the_engine_is_the_fast_kernels_where_nothing_else_matters(rule: str, kept: bool) -> None:
    for name in ("a queue of 150", "runs equal estimates", "narrow behind wide", "situation borders"):
        w, policy = ZOO[name], Plain(rule)
        assert outcome_on_engine(w, policy.queue(w), kept, None).start.tolist() == simulate(w, policy).start.tolist()


def test_a_queue_that_is_kept_sorted_is_the_one_that_is_sorted_at_every_pass() -> None:
    for seed, name in enumerate(DEEP):
        w = with_users(down_at_times(DEEP[name](seed), 3))
        for rule in RULES[:3]:
            queue = Plain(rule).queue(w)
            a, b = (outcome_on_engine(w, queue, kept, PRINTED).start.tolist() for kept in (False, True))
            assert a == b
