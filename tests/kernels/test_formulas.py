"""Byte code has the bits of the same formula in pure Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.formulas import BLOCK, MOST_DEEP, evaluate, evaluate_block
from paretosched.policies.formula import Term, parse_formula
from paretosched.policies.formula_program import program_of
from paretosched.policies.outcome import jobs_of
from support.formulas import TERMS, naive_key

W = Workload(
    submit=[5, 5, 905, 7205],
    run=[1, 60, 3599, 86400],
    estimate=[1, 60, 3600, 90001],
    width=[1, 3, 64, 1000],
    capacity=1000,
    user=[3, 8, 8, -1],
    group=[0, 1, 2, 1],
    groups=("1", "2", "vip"),
)
JOBS = jobs_of(W)
TIMES = (7205, 7206, 10**6 + 1)


def keys(term: Term, t: int, usage: float = 0.0, share: float = 0.0) -> list[float]:
    """Return the keys of all jobs in second t, which are the same one by one and in a block."""
    program = program_of([term, term, term], W)
    alone = [evaluate(program, 1, JOBS, j, t, usage, share) for j in range(len(W))]
    block = np.empty(BLOCK)
    usages, shares, stacks = np.full(BLOCK, usage), np.full(len(W), share), np.empty((MOST_DEEP, BLOCK))
    evaluate_block(program, 1, JOBS, np.arange(BLOCK) % len(W), t, usages, shares, stacks, block)
    assert same(alone * (BLOCK // len(W)), block.tolist())
    return alone


def same(first: list[float], second: list[float]) -> bool:
    """Return whether numbers have the same bits."""
    return np.array(first).tobytes() == np.array(second).tobytes()


@settings(max_examples=80)
@given(TERMS, st.sampled_from(TIMES), st.sampled_from([0.0, 1.5, 1e9]), st.sampled_from([0.0, 0.25]))
def test_any_formula_has_the_value_of_its_oracle(term: Term, t: int, usage: float, share: float) -> None:
    assert same(keys(term, t, usage, share), [naive_key(term, W, j, t, usage, share) for j in range(len(W))])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0 / 0", 0.0),
        ("1 / 0", math.inf),
        ("-1 / 0", -math.inf),
        ("log(0)", -math.inf),
        ("log2(-8)", -math.inf),
        ("log2(8)", 3.0),
        ("log10(1000)", 3.0),
        ("sqrt(-4)", 0.0),
        ("floor(7 / 2)", 3.0),
        ("floor(-7 / 2)", -4.0),
        ("floor(-1 / 0)", -np.inf),
        ("0^(-1)", math.inf),
        ("(-8)^(1/3)", -math.inf),  # is not a number
        ("1/0 - 1/0", -math.inf),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("10 - 4 - 3", 3.0),
        ("if(2 < 1, 5, 6)", 6.0),
        ("if(0, 5, if(not 0 and 3, 7, 8))", 7.0),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("2 min + 1.5h", 5520.0),
        ("group(1) + 10 * vip + 100 * user(3) + 1000 * group(nobody)", 101.0),
        ("area - estimate * width", 0.0),
        ("wait", 7200.0),
        ("submit", 0.0),
    ],
)
def test_values_by_hand(text: str, value: float) -> None:
    assert keys(parse_formula(text, "largest").key, 7205)[0] == value


def test_each_situation_has_its_own_formula() -> None:
    words = ("estimate", "smallest width", "2 * estimate")
    program = program_of([parse_formula(text, "largest").key for text in words], W)
    keys_of = [[evaluate(program, s, JOBS, j, 7205, 0.0, 0.0) for j in range(len(W))] for s in range(3)]
    assert keys_of == [
        [1.0, 60.0, 3600.0, 90001.0],
        [-1.0, -3.0, -64.0, -1000.0],
        [2.0, 120.0, 7200.0, 180002.0],
    ]
