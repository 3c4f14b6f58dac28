"""Orders of lines with any backfilling against the naive oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.fair_share import no_tree
from paretosched.kernels.formulas import postfix
from paretosched.kernels.line_queue import in_order_of_lines
from paretosched.policies.line_orders import alike
from paretosched.policies.outcome import jobs_of
from support.line_cases import LineCase, backfill_of, printed_lines, random_case
from support.naive_priority import Rule, start_times
from support.prioritising import ORDERS, backfilling_of, in_parts
from support.simulating import DEEP, briefly, deep, thoroughly
from support.zoo import ZOO, random_jobs, workloads

RESERVATIONS = (0, 1, 2, 3, 8, None)


def check(w: Workload, seed: int, reservations: int | None) -> None:
    """Compare with the oracle, and with the kernel for any formula."""
    check_case(w, random_case(w, seed, reservations), seed)


def check_case(w: Workload, case: LineCase, seed: int) -> None:
    """Compare with the oracle, and with the kernel for any formula."""
    start = case.starts(in_order_of_lines, w)
    assert start == start_times(w, case.rule), seed
    general = np.full(len(w), -7, dtype=np.int64)
    programs = case.order.program, case.candidates.program
    no_usage = np.empty(0, dtype=np.int64), np.ones(len(w)), 1.0, no_tree()
    in_parts(jobs_of(w), w.capacity, w.calendar, *programs, case.backfilling, *no_usage, general)
    assert start == general.tolist(), seed


@pytest.mark.parametrize("reservations", RESERVATIONS)
@briefly
@given(w=workloads(max_jobs=14), seed=st.integers(0, 10**6))
def test_equals_the_oracle_on_any_workload(reservations: int | None, w: Workload, seed: int) -> None:
    check(w, seed, reservations)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        check(ZOO[name], seed, reservations)


@pytest.mark.parametrize("entitled", [None, frozenset({0, 1, 2})])
@pytest.mark.parametrize(("gap", "slack"), [(0, 1), (0, 60), (0, 4000), (2, 60), (9, 15)])
def test_with_slack_passes_end_as_soon_as_nothing_can_change(gap: int, slack: int, entitled: frozenset[int]) -> None:
    """Once all have their first places, a pass ends where no job could start; a new job needs a whole one."""
    for seed in range(3):
        w = random_jobs(seed, 90, 16, gap=gap, run=40)
        case = random_case(w, seed, None)
        backfill = case.rule.backfill._replace(slack=slack, entitled=entitled)
        backfilling = backfilling_of(backfill, len(w.groups), case.backfilling.same)
        check_case(w, case._replace(rule=case.rule._replace(backfill=backfill), backfilling=backfilling), seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        check(deep(kind, seed), seed, reservations)


@pytest.mark.slow
@thoroughly
@given(w=workloads(max_jobs=14), seed=st.integers(0, 10**6))
def test_a_monotone_transform_of_a_line_is_settled_by_its_formula(w: Workload, seed: int) -> None:
    rng = np.random.default_rng(seed)
    backfill = backfill_of(w, rng, RESERVATIONS[seed % len(RESERVATIONS)])
    beta = np.tile(1.0 / w.estimate, (3, 1))
    lines = printed_lines(w, np.zeros((3, len(w))), beta)._replace(
        program=postfix(ORDERS["lxf"].words, np.empty((0, len(w)))), shares=np.ones(len(w)), alike=alike(w)
    )
    backfilling = backfilling_of(backfill, len(w.groups), True)
    case = LineCase(lines, lines, backfilling, Rule(ORDERS["lxf"].key, backfill))
    assert case.starts(in_order_of_lines, w) == start_times(w, case.rule)
