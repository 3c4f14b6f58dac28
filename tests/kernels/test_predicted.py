"""Predictions of run times against the oracle, and worked examples."""

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from paretosched import Backfill, Policy, Priority, Workload, greedy, predictions, simulate
from paretosched.kernels.predicted import STEPS
from paretosched.policies.learning import outcome_on_engine
from paretosched.policies.plain import Plain
from paretosched.simulation.estimates import LEARNING
from support import naive_priority, oracle
from support.prioritising import Rank, rank_of
from support.zoo import ZOO, constant, jobs, random_jobs

RULES = ("easy", "conservative-replan")
MINUTE, HOUR = 60, 3600
thoroughly = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


@cache
def with_users(name: str) -> Workload:
    """A workload of the zoo whose jobs belong to three users, or to no known user."""
    w = ZOO[name]
    return w.with_(user=np.arange(len(w)) * 5 % 7 % 4 - 1)


def same_as_oracle(w: Workload, policy: Policy, source: str) -> None:
    result = predictions(w, policy, source)
    assert tuple(column.tolist() for column in result) == oracle.outcome(w, policy, source)
    assert simulate(w, policy, source).check().start.tolist() == result.start.tolist()


def kernel_predictions(w: Workload, policy: Rank, source: str) -> tuple[list[int], ...]:
    """Start times, first predictions and corrections of the kernel."""
    result = outcome_on_engine(w, policy.queue(w), False, LEARNING[source])
    return tuple(column.tolist() for column in (result.start, result.first, result.corrections))


# ---- the oracle


@pytest.mark.slow
@pytest.mark.parametrize("source", LEARNING)
@pytest.mark.parametrize("name", [name for name in ZOO if len(ZOO[name]) > 3])  # else no user is known
def test_equals_the_oracle_on_awkward_workloads(name: str, source: str) -> None:
    for rule in RULES:
        same_as_oracle(with_users(name), Plain(rule), source)


@pytest.mark.slow
@pytest.mark.parametrize("source", LEARNING)
def test_equals_the_oracle_with_long_queues(source: str) -> None:
    for seed in range(3):
        w = random_jobs(seed, 120, 64, gap=2, run=60, slack=30.0, grain=(1, 60, 600)[seed])
        w = w.with_(user=np.random.default_rng(seed).integers(0, 6, len(w)))
        policies = [Plain("easy"), Plain("conservative-replan")]
        policies += [greedy([c] * 3, constant(5, 1, 0, 1, 1), groups=w.groups, backfill="easy") for c in ("f1", "f3")]
        for policy in policies:
            same_as_oracle(w, policy, source)


@pytest.mark.slow
@pytest.mark.parametrize("source", LEARNING)
def test_orders_equal_the_oracle_on_a_hundred_jobs(source: str) -> None:
    for seed, reservations in enumerate((0, 1, 2, 8, None)):
        w = random_jobs(seed, 100, 64, gap=2, run=60, slack=30.0, grain=(1, 60, 600)[seed % 3])
        w = w.with_(user=np.random.default_rng(seed).integers(0, 4, len(w)))
        policy = rank_of(seed, w, reservations)
        assert kernel_predictions(w, policy, source) == naive_priority.predicted_times(w, policy.rule(), source), seed


# ---- worked examples


def first_predictions(source: str, *rows: tuple[int, int, int]) -> list[int]:
    """Predictions of jobs of one user: (submit, run, request)."""
    w = jobs(100, *((submit, run, request, 1) for submit, run, request in rows))
    return predictions(w.with_(user=[3] * len(w)), "easy", source).first.tolist()


def test_the_recent_predictor_takes_the_mean_of_the_last_two_that_have_ended() -> None:
    # At 25 the second job ends and the fourth: (20 + 1) // 2 for the fifth. At 40 the third ends: (1 + 30) // 2.
    rows = ((0, 10, 90), (5, 20, 90), (10, 30, 90), (24, 1, 90), (25, 1, 90), (40, 1, 90), (41, 1, 8))
    assert first_predictions("recent", *rows) == [90, 90, 90, 90, 10, 15, 8]


def test_a_user_learns_neither_from_other_users_nor_from_jobs_without_one() -> None:
    rows = [(i * 10, 2, 9, 1) for i in range(6)]
    w = jobs(4, *rows).with_(user=[1, 2, 1, 2, 1, -1])
    assert predictions(w, "easy", "recent").first.tolist() == [9, 9, 9, 9, 2, 9]


def test_the_line_of_paper_003_as_corrected_and_as_printed() -> None:
    # 100 -> 20 and 300 -> 40: slope 0.1; then 200, 400, 50, 100 again, and 300 on the line between 200 and 300
    rows = (
        (0, 20, 100),
        (1000, 40, 300),
        (2000, 30, 200),
        (3000, 1, 400),
        (3000, 1, 50),
        (3000, 1, 100),
        (3000, 1, 300),
    )
    assert first_predictions("predicted", *rows) == [100, 300, 30, 50, 15, 20, 40]
    assert first_predictions("printed", *rows) == [100, 300, 20, 40, 5, 10, 30]


def test_a_size_seen_twice_takes_what_it_took_last() -> None:
    rows = ((0, 20, 100), (1000, 40, 100), (2000, 30, 100), (3000, 9, 200))
    assert first_predictions("predicted", *rows) == [100, 20, 40, 200]
    assert first_predictions("printed", *rows) == [100, 100, 100, 200]


def test_a_falling_line_never_predicts_less_than_a_second() -> None:
    rows = ((0, 80, 100), (1000, 10, 200), (2000, 1, 400))
    assert first_predictions("predicted", *rows) == [100, 200, 1]
    assert first_predictions("printed", *rows) == [100, 200, 280]  # the paper takes the slope without its sign


def test_a_prediction_that_proves_too_short_grows_by_the_steps_up_to_the_request() -> None:
    history = ((0, 10, 100 * HOUR, 1), (20, 10, 100 * HOUR, 1))
    long = (50, 30 * HOUR, 100 * HOUR, 1)
    w = jobs(4, *history, long).with_(user=[1] * 3)
    result = predictions(w, "easy", "recent")
    assert result.first.tolist() == [100 * HOUR, 100 * HOUR, 10]
    ends = 10 + np.cumsum(STEPS)  # 10 s + 1 min, + 5 min, ...
    assert result.corrections.tolist() == [0, 0, int((ends < 30 * HOUR).sum()) + 1]
    short = w.with_(estimate=[20, 20, 30 * HOUR])
    assert predictions(short, "easy", "recent").corrections[-1] == result.corrections[-1]


def test_a_correction_moves_the_reservation_and_lets_a_job_pass() -> None:
    # Job 3 is expected to take 10 s and takes 500. The wide job 4 waits for it, until 110 as it seems. Job 5 takes 50 s
    # and could not pass before 110; at 110 the reservation becomes 170, and it may.
    history = ((0, 10, 1000, 1), (20, 10, 1000, 1))
    w = jobs(4, *history, (100, 500, 1000, 3), (101, 9, 9, 4), (102, 50, 50, 1)).with_(user=[1, 1, 1, 2, 3])
    assert predictions(w, "easy", "recent").start.tolist() == [0, 20, 100, 600, 110]
    assert simulate(w, "easy").start.tolist() == [0, 20, 100, 600, 102]


def test_with_shortest_predictions_first_and_corrections_it_is_easy_plus_plus() -> None:
    # Job 2 has 4 of 8 processors until 200, and the wide job 3 waits for them. Jobs 4 and 5 fit before it, one after
    # the other: job 5 is the shorter one, because it is expected to take 20 s as the others of its user.
    history = [(0, 20, 900, 1), (30, 20, 900, 1)]
    rows = [*history, (100, 100, 100, 4), (101, 9, 9, 8), (102, 60, 60, 3), (102, 20, 900, 3)]
    w = jobs(8, *rows).with_(user=[1, 1, 2, 2, 3, 1])
    plus, plus_plus = Priority("fcfs", Backfill(1)), Priority("fcfs", Backfill(1, order="sjf"))
    assert predictions(w, plus, "recent").start.tolist() == [0, 30, 100, 200, 102, 162]
    assert predictions(w, plus_plus, "recent").start.tolist() == [0, 30, 100, 200, 122, 102]
    assert simulate(w, plus_plus).start.tolist() == [0, 30, 100, 200, 102, 209]  # 900 s do not fit before job 3
