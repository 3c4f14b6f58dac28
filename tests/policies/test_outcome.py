"""Jobs that are not eligible when they are submitted: every policy against its oracle, which knows such jobs, too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched import Policy, Priority, Workload, simulate
from paretosched.policies.outcome import Outcome, Placement, arriving
from paretosched.policies.plain import Plain
from paretosched.policies.policy import as_policy
from paretosched.policies.rule_base import RuleBase
from support import naive, naive_priority, naive_rules, oracle
from support.later import arrival_workload, by_rows, later
from support.priority_rules import rule_of
from support.sharing import GROUPS, SMALL, crowds, same_as_oracle, sharings
from support.simulating import thoroughly
from support.zoo import PLAIN_RULES, ZOO, fixed_policies, jobs, policies, random_jobs, random_rules, workloads

LATER = {name: later(w, seed) for seed, (name, w) in enumerate(ZOO.items())}
BUSY = later(random_jobs(3, 60, 16, gap=2, run=40), 5).with_(user=np.arange(60) * 5 % 7 % 4 - 1)
COARSE = later(random_jobs(4, 60, 32, gap=1, run=8, grain=3600), 6).with_(user=np.arange(60) * 3 % 5)
TEXTS = [
    "fcfs; backfill: easy",
    "sjf",
    "fcfs; backfill: easy; backfill-order: smallest eligible",
    "saf; backfill: easy:3 for 1,2; longest: 30s of 3 and 5s of 4 while 1,2",
    "wfp3; backfill: easy; backfill-order: saf",
    "learned-f1; backfill: easy:8; slack: 10s",
    "order: -eligible; backfill: conservative",
    "order weekend: sjf; order day: wait / estimate; order night: smallest width; backfill: easy:2",
    "order: wait / 1h - usage / share; backfill: easy; usage: group; half-life: 1h; shares: 1 = 3, 2 = 0.5",
    "order: abs(wait - estimate); backfill: easy",
]
BY_SUBMISSION = [
    "order: smallest submit; backfill: easy",
    "order: largest submit",
    "order: wait / 1h - submit / 10h; backfill: easy:2",
    "order: eligible - submit; backfill: conservative",
    "order: wait - submit / 3 - usage; backfill: easy; usage: group; half-life: 1h",
    "order: abs(wait - submit) + eligible / 7; backfill: easy; backfill-order: submit",
]


def starts(w: Workload, policy: str | Policy) -> list[int]:
    """Return the start times, none of which is before the job is eligible."""
    start: list[int] = simulate(w, policy).check().start.tolist()
    return start


@pytest.mark.parametrize("name", [name for name, w in ZOO.items() if len(w) <= 100])
def test_plain_rules_and_greedy_are_those_of_the_oracle(name: str) -> None:
    w, place = LATER[name], list(ZOO).index(name)
    assert w.has_later_jobs
    same, rows = arrival_workload(w)
    known = fixed_policies(w.groups)
    greedy = [key for key in known if key not in PLAIN_RULES]
    for key in (
        PLAIN_RULES[place % 5],
        PLAIN_RULES[(place + 2) % 5],
        greedy[place % len(greedy)],
        greedy[-1 - place % len(greedy)],
    ):
        start = starts(w, known[key])
        assert start == naive.naive(w, known[key]), key
        assert start == by_rows(simulate(same, known[key]).start, rows), key


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=14))
def test_any_rule_is_that_of_the_oracle_on_any_workload(data: st.DataObject, w: Workload) -> None:
    seconds = data.draw(st.lists(st.integers(0, 12), min_size=len(w), max_size=len(w)))
    w = w.with_(eligible=w.submit + np.array(seconds) * max(1, int(w.run.min())))
    policy = data.draw(policies(w.groups))
    assert starts(w, policy) == naive.naive(w, policy)


@pytest.mark.parametrize("w", [pytest.param(BUSY, id="busy"), pytest.param(COARSE, id="coarse")])
@pytest.mark.parametrize("text", TEXTS + BY_SUBMISSION)
def test_orders_are_those_of_the_oracle(text: str, w: Workload) -> None:
    policy = as_policy(text)
    assert isinstance(policy, Priority)
    start = starts(w, policy)
    assert start == naive_priority.start_times(w, rule_of(policy, w))
    if text in TEXTS:  # what does not look at submissions cannot know them
        same, rows = arrival_workload(w)
        moved = same.with_(submit=same.submit - same.submit[0])
        assert start == by_rows(simulate(same, policy).start, rows) or text.startswith("learned")
        assert np.array_equal(simulate(moved, policy).start + same.submit[0], simulate(same, policy).start)


@pytest.mark.parametrize("kind", ["iterative", "symbiotic"])
@pytest.mark.parametrize("name", list(ZOO)[3::5])
def test_rule_bases_are_those_of_the_oracle(name: str, kind: str) -> None:
    w = LATER[name]
    base = random_rules(w.groups, 5, kind)
    assert isinstance(base, RuleBase)
    start = starts(w, base)
    assert start == naive_rules.start_times(w, base)
    same, rows = arrival_workload(w)
    assert start == by_rows(simulate(same, base).start, rows)


@pytest.mark.parametrize("optimisation", [None, GROUPS])
@pytest.mark.parametrize("name", ["identical copies", "all at once", "narrow behind wide", "powers of two"])
def test_time_sharing_is_that_of_the_oracle(name: str, optimisation: ps.Optimisation | None) -> None:
    same_sharing(LATER[name], ps.TimeSharing(**{**vars(SMALL), "optimisation": optimisation, "name": ""}))


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=crowds(), sharing=sharings())
def test_any_time_sharing_is_that_of_the_oracle(data: st.DataObject, w: Workload, sharing: ps.TimeSharing) -> None:
    seconds = data.draw(st.lists(st.integers(0, 20), min_size=len(w), max_size=len(w)))
    same_sharing(w.with_(eligible=w.submit + np.array(seconds)), sharing)


def same_sharing(w: Workload, sharing: ps.TimeSharing) -> None:
    schedule = same_as_oracle(w, sharing)
    same, order = arrival_workload(w)
    assert schedule.start.tolist() == by_rows(simulate(same, sharing).start, order)


@pytest.mark.parametrize("source", ["recent", "predicted", "printed"])
@pytest.mark.parametrize("w", [pytest.param(BUSY, id="busy"), pytest.param(COARSE, id="coarse")])
def test_predictions_are_those_of_the_oracle(w: Workload, source: str) -> None:
    for policy in (Plain("easy"), Plain("conservative-replan"), fixed_policies(w.groups)["random f2, easy"]):
        result = ps.predictions(w, policy, source)
        assert tuple(column.tolist() for column in result) == oracle.outcome(w, policy, source)
        assert starts_with(w, policy, source) == result.start.tolist()
    order = as_policy("order: wait / estimate - submit / 1h; backfill: easy:2")
    assert isinstance(order, Priority)
    expected = naive_priority.predicted_times(w, rule_by_prediction(order, w), source)
    assert starts_with(w, order, source) == expected[0]


def starts_with(w: Workload, policy: Policy, source: str) -> list[int]:
    start: list[int] = simulate(w, policy, source).check().start.tolist()
    return start


def rule_by_prediction(policy: Priority, w: Workload) -> naive_priority.Rule:
    """Return the oracle's rule for wait / estimate - submit / 1h, of which the estimate is the present prediction."""

    def key(job: naive.Job, now: naive_priority.Moment) -> float:
        since = float(int(w.submit[job.row]) - int(w.submit[0]))
        return float(now.t - job.arrival) / float(job.estimate) - since / 3600.0

    return rule_of(policy, w)._replace(key=key)


def test_exact_run_times_and_the_log_itself() -> None:
    exact = simulate(BUSY, "easy", "exact").start.tolist()
    assert exact == naive.naive(BUSY.with_(estimate=BUSY.run), Plain("easy"))
    recorded = BUSY.with_(wait=np.arange(60) % 5 - 1)
    assert starts_of_record(recorded) == naive.naive(recorded, Plain("recorded"))


def starts_of_record(w: Workload) -> list[int]:
    start: list[int] = simulate(w, "recorded").start.tolist()
    return start


def test_by_hand() -> None:
    """Job 1 depends on job 3, which was submitted after it; jobs 2 and 3 do not wait for it."""
    w = jobs(2, (0, 10, 10, 2), (1, 5, 5, 2), (2, 5, 5, 2), (3, 4, 4, 1)).with_(eligible=[0, 19, 2, 3])
    assert starts(w, "fcfs") == [0, 19, 10, 15]
    assert starts(w, "easy") == [0, 19, 10, 15]
    assert starts(w, "sjf") == [0, 19, 14, 10]
    assert starts(w.with_(eligible=None), "fcfs") == [0, 10, 15, 20]


def test_a_placement_is_that_of_the_rows_of_the_workload() -> None:
    w = Workload(submit=[0, 1, 2], run=[5, 5, 5], estimate=[5, 5, 5], width=[1, 1, 1], capacity=3, eligible=[9, 3, 4])
    columns = [2, 0, 1], [0, 1, 3, 6], [7, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15], [0] * 6
    made = Placement(*map(np.array, columns), np.arange(6).reshape(6, 1))
    outcome = arriving(lambda _, jobs: Outcome(jobs.eligible, placement=made))(None, w)
    placed = outcome.placement
    assert placed is not None
    assert outcome.start.tolist() == [9, 3, 4]
    assert (placed.partition.tolist(), placed.piece.tolist()) == ([1, 2, 0], [0, 3, 4, 6])
    assert (placed.job.tolist(), placed.node.tolist()) == ([0, 0, 0, 1, 2, 2], [3, 4, 5, 7, 1, 2])
    assert placed.cpus.tolist() == [13, 14, 15, 10, 11, 12]
    assert placed.gpus[:, 0].tolist() == [3, 4, 5, 0, 1, 2]
    assert not placed.node.flags.writeable
