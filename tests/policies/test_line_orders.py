"""Formulas that are lines in the wait: the kinetic queue has the start times of the queue that is sorted again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.core.watching import unknown_starts
from paretosched.kernels.fair_share import no_tree
from paretosched.policies.formula_program import program_of
from paretosched.policies.line_orders import formula_lines
from paretosched.policies.outcome import jobs_of
from paretosched.policies.policy import as_policy
from paretosched.policies.priority import Priority
from support.naive_priority import start_times
from support.prioritising import in_parts
from support.priority_rules import rule_of
from support.simulating import DEEP, briefly
from support.zoo import ZOO, workloads

LINES = (
    "lxf",
    "wfp3; backfill: easy:2 for 1",
    "unicef; backfill: easy:2",
    "unicef",
    "order: wait; backfill: easy; backfill-order: largest wait / estimate",
    "order: log(1 + wait / width); backfill: easy:3; slack: 5s",
    "order: (1 * group(1) + 0.3 * group(2)) * (1000 * group(1) + wait * (1 + 3 / estimate) - 0.01 * area); "
    "backfill: easy:2 for 1; longest: 10s of 2 while 1",
    "order weekend: sjf; order day: wfp3; order night: wait / area; backfill: easy; backfill-order: sjf",
    "order: wait + 7 * group(2); backfill: conservative",
)


# What is a line only after functions outside and products inside are taken apart.
INNER = (
    "(wait / estimate)^{p} * width",
    "wait / (log2(width) * estimate)",
    "wait / estimate + width",
    "(wait + {c}) / area",
    "wait^2 * (wait / estimate) * width",
    "(wait / estimate)^0.5",
)
OUTER = (
    "{c} * ({x}) + {d}",
    "({x}) / {c} - {d}",
    "log({x}) - log(estimate)",
    "{c} * log2({x}) + log(width) - {d}",
    "log({d} + {x})",
    "log(wait) + {c} * log({x})",
    "-(1 / ({x}))",
    "smallest estimate / ({x})",
    "smallest {d} - log10(({x}) * area)",
)
NUMBERS = ("1", "3", "7", "0.001", "1000", "1e18")


def policy_of(text: str) -> Priority:
    policy = as_policy(text)
    assert isinstance(policy, Priority)
    return policy


def sorted_anew(w: Workload, policy: Priority) -> list[int]:
    """Return the start times of the kernel for any formula."""
    start = unknown_starts(len(w))
    orders = [program_of([row.formula.key for row in rows], w) for rows in (policy.orders, policy.candidate_orders)]
    backfilling = policy.backfill.arguments(w.groups, policy.candidate_orders == policy.orders)
    no_usage = np.empty(0, dtype=np.int64), np.zeros(len(w)), 1.0, no_tree()
    in_parts(jobs_of(w), w.capacity, w.calendar, *orders, backfilling, *no_usage, start)
    return start.tolist()


def check(w: Workload, text: str) -> None:
    policy = policy_of(text)
    for rows in (policy.orders, policy.candidate_orders):
        assert formula_lines(w, [row.formula.key for row in rows], np.zeros(len(w))) is not None
    assert policy.outcome(w).start.tolist() == sorted_anew(w, policy)


@pytest.mark.parametrize("text", LINES)
@briefly
@given(w=workloads(max_jobs=14))
def test_lines_start_jobs_as_the_formula_says(text: str, w: Workload) -> None:
    check(w, text)


def test_lines_that_are_too_steep_to_be_told_apart_are_no_lines() -> None:
    """A factor below a root is its square: 1e36 times the wait over the estimate."""
    w = Workload([0] * 9 + [1], [1] * 8 + [2, 1], [1] * 8 + [2, 1], [1] * 10, capacity=1)
    policy = policy_of("order: 1e18 * ((wait / estimate)^0.5) + 1")
    start = policy.outcome(w).start.tolist()
    assert start == start_times(w, rule_of(policy, w)) == sorted_anew(w, policy)
    assert start[-2:] == [9, 8]


@pytest.mark.parametrize("outer", OUTER)
@briefly
@given(w=workloads(max_jobs=10), data=st.data())
def test_functions_of_lines_start_jobs_as_the_oracle_does(outer: str, w: Workload, data: st.DataObject) -> None:
    number = st.sampled_from(NUMBERS)
    inner = data.draw(st.sampled_from(INNER)).format(c=data.draw(number), p=data.draw(st.sampled_from("23")))
    formula = outer.format(x=inner, c=data.draw(number), d=data.draw(number))
    if data.draw(st.booleans()):
        formula = f"{formula}; backfill: easy:{data.draw(st.sampled_from('13'))}"
    policy = policy_of(f"order: {formula}")
    start = policy.outcome(w).start.tolist()
    assert start == start_times(w, rule_of(policy, w)) == sorted_anew(w, policy)


@pytest.mark.parametrize("inner", INNER)
def test_most_functions_of_lines_are_lines(inner: str) -> None:
    w = ZOO["two in turn"]
    texts = [outer.format(x=inner, c="3", d="7").format(c="3", p="3") for outer in OUTER]
    orders = [policy_of(f"order: {text}").orders for text in texts]
    lines = [formula_lines(w, [row.formula.key for row in rows], np.zeros(len(w))) for rows in orders]
    most = 4 if "log2" in inner else 1  # where serial jobs come first, the inverse is not known
    assert sum(line is None for line in lines) <= most


@pytest.mark.slow
@pytest.mark.parametrize("text", LINES)
@pytest.mark.parametrize("kind", DEEP)
def test_lines_start_hundreds_of_jobs_as_the_formula_says(kind: str, text: str) -> None:
    check(DEEP[kind](3), text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_lines_start_jobs_of_awkward_workloads_as_the_formula_says(name: str) -> None:
    for text in LINES:
        check(ZOO[name], text)


@pytest.mark.slow
@briefly
@given(w=workloads(max_jobs=14), seed=st.integers(0, 10**6))
def test_trained_formulas_are_lines(w: Workload, seed: int) -> None:
    from paretosched.encodings.trained_order import POLICY, WINDOW, TrainedOrders
    from paretosched.policies.priority_text import priority_text

    encoding = TrainedOrders(w.groups, ())
    genome = np.random.default_rng(seed).random(len(encoding.gene_labels(len(w.groups))))
    genome[[WINDOW, POLICY]] = 0.0
    policy = encoding.policy_of(genome, w.groups)
    assert isinstance(policy, Priority)
    check(w, priority_text(policy))


@pytest.mark.parametrize("order", ["wfp3", "lxf", "order: wait / estimate", "order: wait; slack: 60s"])
def test_jobs_that_only_the_order_of_backfilling_tells_apart_share_no_slot(order: str) -> None:
    """Jobs 3 and 4 are copies but for their users; while job 2 waits for job 1, one processor is free."""
    w = Workload([0, 1, 2, 2], [10, 5, 4, 4], [10, 5, 4, 4], [3, 4, 1, 1], 4, user=[9, 9, 1, 3])
    text = f"{order}; backfill: easy; backfill-order: user(1)"
    assert policy_of(text).outcome(w).start.tolist() == [0, 10, 6, 2]
    assert sorted_anew(w, policy_of(text)) == [0, 10, 6, 2]


@pytest.mark.parametrize("text", ["min(wait, 1h)", "wait - usage", "abs(wait - estimate)", "wait * -1"])
def test_other_formulas_are_none(text: str) -> None:
    w = ZOO["two in turn"]
    assert formula_lines(w, [row.formula.key for row in policy_of(f"order: {text}").orders], np.zeros(len(w))) is None
