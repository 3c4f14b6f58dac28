"""Values lie within their ranges."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.policies.formula import Term, parse_formula
from paretosched.policies.value_ranges import UNKNOWN, Range, range_of
from support.formulas import TERMS, naive_value

W = Workload(
    submit=[0, 0, 90000],
    run=[1, 1, 1],
    estimate=[1, 3600, 10**9],
    width=[1, 1000, 2],
    capacity=1000,
    user=[3, 8, -1],
    group=[0, 1, 2],
    groups=("1", "2", "vip"),
)


@settings(max_examples=100)
@given(TERMS, st.sampled_from([90000, 90001, 10**9]), st.sampled_from([0.0, 1e-200, 7.5, 1e12]))
def test_a_value_is_in_its_range(term: Term, t: int, usage: float) -> None:
    low, high, least = range_of(term)
    if math.isinf(low) or math.isinf(high):
        return
    for j in range(len(W)):
        value = naive_value(term, W, j, t, usage, 0.25)
        assert low <= value <= high
        assert value == 0 or abs(value) >= least


@pytest.mark.parametrize(
    ("text", "range_"),
    [
        ("3", Range(3.0, 3.0, 3.0)),
        ("vip", Range(0.0, 1.0, 1.0)),
        ("queue(a = 5, b = -0.5)", Range(-0.5, 5.0, 0.5)),
        ("partition(a = 2, b = 0)", Range(0.0, 2.0, 2.0)),
        ("partition(a = 0)", Range(0.0, 0.0, 1.0)),
        ("1 / wait", UNKNOWN),
        ("log(wait)", UNKNOWN),
        ("(-2)^3", UNKNOWN),
        ("1e200 * 1e200", UNKNOWN),
        ("wait < 3 and width", Range(0.0, 1.0, 1.0)),
    ],
)
def test_ranges_by_hand(text: str, range_: Range) -> None:
    assert range_of(parse_formula(text, "largest").term) == range_
