"""What schedulers are told of run times: what must hold, and what is refused."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import InputError, Workload, predictions, simulate
from paretosched.simulation.estimates import LEARNING, SOURCES
from support.down import with_down
from support.zoo import random_jobs, workloads

RULES = ("easy", "conservative-replan")
thoroughly = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


def test_exact_estimates_are_the_true_run_times() -> None:
    w = random_jobs(1, 60, 16, gap=2, run=30)
    exact = simulate(w, "easy", "exact")
    assert exact.start.tolist() == simulate(w.with_(estimate=w.run), "easy").start.tolist()
    assert exact.workload is w
    assert exact.name == "EASY (exact)"


# ---- what must hold


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@thoroughly
@given(w=workloads())
def test_without_a_history_predictions_are_the_requests(rule: str, w: Workload) -> None:
    w = w.with_(user=np.arange(len(w)))
    outcome = predictions(w, rule, "recent")
    assert outcome.first.tolist() == w.estimate.tolist()
    assert not outcome.corrections.any()
    assert outcome.start.tolist() == simulate(w, rule).start.tolist()


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(), source=st.sampled_from(sorted(LEARNING)))
def test_what_comes_later_changes_no_prediction(data: st.DataObject, w: Workload, source: str) -> None:
    w = w.with_(user=np.arange(len(w)) % 2)
    t = int(data.draw(st.sampled_from(w.submit.tolist())))
    part = w.take(np.flatnonzero(w.submit <= t))
    whole, beginning = predictions(w, "easy", source), predictions(part, "easy", source)
    assert whole.first[: len(part)].tolist() == beginning.first.tolist()
    assert (beginning.first >= 1).all()
    assert (beginning.first <= part.estimate).all()
    before = beginning.start <= t
    assert whole.start[: len(part)][before].tolist() == beginning.start[before].tolist()


@pytest.mark.parametrize("rule", ["fcfs", "list"])
def test_rules_that_ask_for_no_estimate_are_the_same_with_any(rule: str) -> None:
    w = random_jobs(2, 40, 8, gap=2, run=30)
    assert all(simulate(w, rule, source).name == simulate(w, rule).name for source in SOURCES)
    assert all((simulate(w, rule, source).start == simulate(w, rule).start).all() for source in SOURCES)


# ---- what is refused


def test_what_cannot_be_predicted_is_refused() -> None:
    w = random_jobs(2, 40, 8, gap=2, run=30)
    with pytest.raises(InputError, match="no job has a known user"):
        simulate(w, "easy", "recent")
    with pytest.raises(InputError, match="estimates must be one of requested, recent"):
        simulate(w, "easy", "guessed")
    for source in ("recent", "predicted", "printed", "exact"):
        with pytest.raises(InputError, match=f'estimates "{source}" cannot be used by SCOJO-PECT'):
            simulate(w, "scojo", source)
    for source in ("requested", "exact"):
        with pytest.raises(InputError, match="nothing is predicted"):
            predictions(w, "easy", source)
    with pytest.raises(InputError, match="nothing is predicted"):
        predictions(w.with_(user=[1] * 40), "fcfs", "recent")
    simulate(w, "conservative", "exact")


def test_true_run_times_where_processors_are_down() -> None:
    w = with_down(random_jobs(1, 40, 8, gap=3, run=12), [(10, 30, 4)]).with_(user=[1] * 40)
    for policy in ("fcfs", "list", "easy", "sjf"):
        exact = simulate(w, policy, "exact").check()
        assert exact.start.tolist() == simulate(w.with_(estimate=w.run), policy).start.tolist()
    assert (simulate(w, "fcfs", "exact").start != simulate(w, "fcfs").start).any()
