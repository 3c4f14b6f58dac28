"""Orders of lines with any backfilling against the naive oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.fair_share import no_tree
from paretosched.kernels.formulas import postfix
from paretosched.kernels.line_queue import in_order_of_lines
from paretosched.kernels.lines import Lines
from paretosched.policies.line_orders import alike
from paretosched.policies.outcome import jobs_of
from support.line_cases import backfill_of, key_of, printed_lines, random_lines
from support.naive_priority import Backfill, Rule, start_times
from support.prioritising import ORDERS, backfilling_of, in_parts
from support.simulating import DEEP, briefly, thoroughly
from support.zoo import ZOO, workloads

RESERVATIONS = (0, 1, 2, 3, 8, None)


def starts_of(w: Workload, order: Lines, candidates: Lines | None, backfill: Backfill) -> list[int]:
    start = np.full(len(w), -7, dtype=np.int64)
    backfilling = backfilling_of(backfill, len(w.groups), candidates is None)
    in_order_of_lines(jobs_of(w), w.capacity, w.calendar, order, candidates or order, backfilling, start)
    return start.tolist()  # type: ignore[no-any-return]


def check(w: Workload, seed: int, reservations: int | None) -> None:
    """Compare with the oracle, and with the kernel for any formula."""
    rng = np.random.default_rng(seed)
    backfill = backfill_of(w, rng, reservations)
    order, other = random_lines(w, rng), random_lines(w, rng)
    same = bool(rng.random() < 0.5)
    lines, others = printed_lines(w, *order), None if same else printed_lines(w, *other)
    rule = Rule(key_of(*order), backfill, None if same else key_of(*other))
    start = starts_of(w, lines, others, backfill)
    assert start == start_times(w, rule), seed
    general = np.full(len(w), -7, dtype=np.int64)
    backfilling = backfilling_of(backfill, len(w.groups), same)
    programs = lines.program, (others or lines).program
    no_usage = np.empty(0, dtype=np.int64), np.ones(len(w)), 1.0, no_tree()
    in_parts(jobs_of(w), w.capacity, w.calendar, *programs, backfilling, *no_usage, general)
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS * 2):
        check(DEEP[kind](seed), seed, reservations)


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
    assert starts_of(w, lines, None, backfill) == start_times(w, Rule(ORDERS["lxf"].key, backfill))
