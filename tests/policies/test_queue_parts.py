"""Keys as the kernel of parts takes them: fewer parts, and values of accounts, leave the start times as they are."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paretosched import InputError, Priority, Workload
from paretosched.kernels.formulas import value_of
from paretosched.policies.formula import Term, parse_formula, written_term
from paretosched.policies.formula_program import program_of
from paretosched.policies.outcome import jobs_of
from paretosched.policies.policy import as_policy
from paretosched.policies.queue_parts import PartedQueue, queue_in_parts
from support.formulas import TERMS
from support.later import later
from support.naive_priority import start_times
from support.priority_rules import rule_of
from support.simulating import briefly, thoroughly
from support.zoo import jobs, random_jobs, workloads

W = Workload(
    submit=[0, 0, 5, 9, 9],
    run=[1] * 5,
    estimate=[10, 20, 10, 20, 10],
    width=[1, 1, 2, 2, 1],
    capacity=8,
    user=[4, 4, 4, 9, 4],
    group=[0, 1, 0, 0, 0],
    groups=("1", "2"),
)
FORMULAS = (
    "-usage",
    "share / usage",
    "1000 * min(wait / 20s, 1) + 500 * width / 16 + 100 * 2^-(usage / (share * 100))",
    "10 * group(1) - usage",
    "min(wait, 5) * width - usage / share",
    "width - area * usage - usage / share",
    "abs(wait - estimate) - usage",
    "if(wait > 10, 100, 0) + width - usage",
)
FILLS = ("none", "easy", "easy; backfill-order: usage", "easy:3 for 1; slack: 5s", "easy:2; longest: 5s of 2 while 1")


def policy_of(text: str) -> Priority:
    policy = as_policy(text)
    assert isinstance(policy, Priority)
    return policy


def queue_of(text: str, w: Workload = W) -> PartedQueue:
    policy = policy_of(text)
    orders = [[row.formula.key for row in rows] for rows in (policy.orders, policy.candidate_orders)]
    return queue_in_parts(w, policy.queue(w), *orders)


def check(w: Workload, text: str) -> None:
    policy = policy_of(text)
    assert policy.outcome(w).start.tolist() == start_times(w, rule_of(policy, w))


def is_defined(text: str, w: Workload) -> bool:
    """Return whether each formula of a policy is defined for some job; others are refused."""
    try:
        policy_of(text).doubts(w)
    except InputError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("order", FORMULAS)
@pytest.mark.parametrize("fill", FILLS)
def test_the_schedule_is_that_of_the_oracle(order: str, fill: str) -> None:
    w = random_jobs(len(order), 60, 16, gap=2, run=40)
    check(w, f"order: {order}; backfill: {fill}; usage: group; half-life: 1min; shares: 1 = 3, 2 = 0.5")


@pytest.mark.slow
@thoroughly
@given(
    w=workloads(max_jobs=12),
    is_late=st.booleans(),
    term=TERMS,
    other=TERMS,
    fill=st.sampled_from(["none", "easy", "easy:2"]),
)
def test_any_formula_has_the_schedule_of_the_oracle(
    w: Workload, is_late: bool, term: Term, other: Term, fill: str
) -> None:
    w = later(w, len(w)) if is_late else w
    orders = f"order day: {written_term(term)}; order night: usage; order weekend: {written_term(term)}"
    tried = "" if fill == "none" else f"; backfill-order: {written_term(other)}"
    text = f"{orders}; backfill: {fill}{tried}; usage: group; half-life: 10s"
    assume(is_defined(text, w))
    check(w, text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("-usage", [0, 0, 0, 1, 0]),
        ("min(wait, 7d) - usage", [0, 0, 0, 1, 0]),
        ("min(wait, 7d) + width", [0, 0, 1, 1, 0]),
        ("group(1) - usage", [1, 0, 1, 2, 1]),
        ("wait / estimate - share / usage", [0, 1, 0, 2, 0]),
        ("submit - usage", [0, 0, 1, 3, 2]),
    ],
)
def test_jobs_that_keep_their_order_are_in_one_part(text: str, parts: list[int]) -> None:
    assert queue_of(f"order: {text}").parts.tolist() == parts


def test_jobs_of_partitions_with_values_below_one_are_in_parts_of_their_own() -> None:
    records = np.full((5, 18), -1.0)
    records[:, 15] = [1, 2, 3, 1, 2]
    w = W.with_(records=records)
    assert queue_of("order: partition(1 = 0.25, 2 = 0.75) - usage", w).parts.tolist() == [1, 2, 0, 3, 2]
    check(w, "order: min(wait, 5) + partition(1 = 0.25, 2 = 0.75); backfill: easy")


def test_parts_are_entitled_to_reservations_or_not() -> None:
    assert queue_of("order: -usage; backfill: easy for 1").parts.tolist() == [1, 0, 1, 2, 1]


def test_what_an_account_has_in_common_is_computed_apart() -> None:
    keys = queue_of("order: 3 + 100 * 2^-(usage / share)").order
    assert keys.program.code.tolist() == keys.program.code[:1].tolist() * 3  # the value of the account alone
    keys = queue_of("order: wait + usage / share - usage").order
    assert keys.common.code.tolist() == keys.common.code[:1].tolist() * 3  # two of them: nothing but usage


@briefly
@given(term=TERMS, usage=st.sampled_from([0.0, 0.25, 1e9]))
def test_the_value_of_an_account_leaves_the_key_as_it_is(term: Term, usage: float) -> None:
    text = f"order: {written_term(term)} + 0 * usage"
    assume(is_defined(text, W))
    policy = policy_of(text)
    order = [row.formula.key for row in policy.orders]
    keys = queue_in_parts(W, policy.queue(W), order, order).order
    program, about = program_of(order, W), (jobs_of(W), 3, 90, 0.5)
    common = value_of(keys.common, 1, *about[:3], usage, 0.5)
    values = value_of(keys.program, 1, *about[:3], common, 0.5), value_of(program, 1, *about[:3], usage, 0.5)
    assert values[0] == values[1] or (np.isnan(values[0]) and np.isnan(values[1]))


def test_a_formula_may_need_a_log() -> None:
    key = parse_formula("account(7) - usage", "largest").key
    with pytest.raises(InputError, match="the account of jobs, field 13 of a log, is needed"):
        queue_in_parts(W, policy_of("order: -usage").queue(W), [key] * 3, [key] * 3)


def test_no_jobs_of_an_account_wait_in_two_places() -> None:
    """Job 2 is backfilled before job 1 of its account, whose part it leaves in the middle."""
    w = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 4, 4, 1), (3, 5, 5, 4))
    assert policy_of("order: -usage; backfill: easy").outcome(w).start.tolist() == [0, 10, 2, 15]
