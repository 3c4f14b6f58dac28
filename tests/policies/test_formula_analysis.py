"""What the analysis promises about the order of a formula holds for the printed formula."""

import functools
import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.policies.formula import Term, parse_formula
from paretosched.policies.formula_analysis import LINE, STATIC, Line, line_of, rises_with_age, shape_of
from paretosched.policies.published_orders import PUBLISHED
from support.formulas import LEAVES, TERMS, naive_key, naive_value

# Many ratios of these jobs are equal but for rounding.
W = Workload(
    submit=[0, 0, 0, 0, 0, 3, 40, 40, 86399, 90000, 90000, 90000],
    run=[1] * 12,
    estimate=[3, 6, 7, 49, 70, 7, 60, 3600, 3600, 90001, 1, 10**7],
    width=[3, 6, 7, 49, 70, 1, 3, 64, 63, 1000, 1000, 1],
    capacity=1000,
    user=[3, 8, 8, -1, 3, 8, 3, 3, 3, 8, 8, 8],
    group=[0, 1, 2, 1, 0, 2, 2, 0, 0, 1, 2, 0],
    groups=("1", "2", "vip"),
)
TIMES = (90000, 90001, 180000, 10**8)
CONSTANT = LEAVES.filter(lambda term: term.word not in ("wait", "usage"))
NUMBERS = st.sampled_from([0.0, 1e-3, 0.5, 1.0, 3.0, 1 / 3, 1e5, 1e18]).map(lambda value: Term("number", value=value))
FACTORS = st.one_of(CONSTANT, NUMBERS)


EXPONENTS = st.sampled_from([2.0, 3.0, 0.5, 7.0]).map(lambda value: Term("number", value=value))
STEPS = st.one_of(
    st.builds(lambda word, b: lambda a: Term(word, (a, b)), st.sampled_from(["*", "/", "+", "-"]), FACTORS),
    st.builds(lambda word, b: lambda a: Term(word, (b, a)), st.sampled_from(["*", "/", "+", "-"]), FACTORS),
    st.builds(lambda b: lambda a: Term("^", (a, b)), EXPONENTS),
    st.builds(lambda b: lambda a: Term("^", (a, Term("-x", (b,)))), EXPONENTS),
    st.builds(lambda word: lambda a: Term(word, (a,)), st.sampled_from(["-x", "sqrt", "log", "log2", "abs", "floor"])),
    st.builds(lambda word, c: lambda a: Term(word, (a, Term("*", (Term("wait"), c)))), st.sampled_from("+-*"), FACTORS),
    st.builds(lambda c, b: lambda a: Term("if", (c, a, b)), CONSTANT, FACTORS),
    st.builds(lambda word, b: lambda a: Term(word, (a, Term("log", (b,)))), st.sampled_from("+-"), CONSTANT),
)


def _after(steps: list[Callable[[Term], Term]]) -> Term:
    """Return the wait after some operations."""
    return functools.reduce(lambda term, step: step(term), steps, Term("wait"))


LINES = st.lists(STEPS, max_size=6).map(_after)  # many of them are lines in the wait


def certain(line: Line, j: int, k: int, t: int) -> int:
    """Return 1 or -1 if the lines of two jobs say which of them comes first, else 0."""
    values = []
    for i in (j, k):
        alpha, beta, size = (naive_value(term, W, i, t, 0.0, 0.1) for term in line[:3])
        values.append((alpha + beta * float(t - W.submit[i]), abs(alpha) + size + beta * float(t)))
    (first, one), (second, other) = values
    return 0 if abs(first - second) <= line.margin * (one + other) else 1 if first > second else -1


def check_order(key: Term, t: int) -> None:
    """Check that the printed keys of all jobs are in the order that the analysis promises for a key without usage."""
    kind, line = shape_of(key)
    for j, k in itertools.combinations(range(len(W)), 2):
        if line is not None:
            sign = certain(line, j, k, t)
        else:
            resting = [naive_key(key, W, i, int(W.submit[i]), 0.0, 0.1) for i in (j, k)]
            sign = (resting[0] > resting[1]) - (resting[0] < resting[1])
        if kind in (STATIC, LINE) and (sign or kind == STATIC):
            first, second = (naive_key(key, W, i, t, 0.0, 0.1) for i in (j, k))
            assert (first >= second) == (sign >= 0)  # of equal jobs the one with the lower row comes first, which is j


@settings(max_examples=100)
@given(LINES, st.sampled_from(TIMES))
def test_lines_order_jobs_as_the_printed_formula_does(key: Term, t: int) -> None:
    check_order(key, t)


@pytest.mark.slow
@settings(max_examples=100)
@given(TERMS, st.sampled_from(TIMES))
def test_any_formula_is_in_the_order_that_is_promised(key: Term, t: int) -> None:
    if "usage" not in str(key):
        check_order(key, t)


@pytest.mark.parametrize(
    "text",
    [
        "(wait / estimate)^3 * width + 1e18",
        "1e18 + 5 * sqrt(wait / area)",
        "wait / (log2(width) * estimate) + 1e14",
        "log(1e15 + (wait / estimate)^3)",
        "1e6 + log(1e11 * estimate + wait)",
        "1000 * log2(wait + 1e16) - 3",
    ],
)
def test_jobs_whose_printed_keys_are_equal_by_rounding_are_in_the_order_of_rows(text: str) -> None:
    key = parse_formula(text, "largest").key
    assert shape_of(key).kind == LINE
    keys = [naive_key(key, W, i, TIMES[1], 0.0, 0.1) for i in range(len(W))]
    waits = [TIMES[1] - int(submit) for submit in W.submit]
    assert any(a == b and s != t for (a, s), (b, t) in itertools.combinations(zip(keys, waits, strict=True), 2))
    for t in TIMES:
        check_order(key, t)


AGES = st.sampled_from([Term("wait"), Term("submit"), Term("eligible"), Term("usage"), Term("share")])
ONE = st.sampled_from(["-x", "abs", "floor", "sqrt", "not"])
TWO = st.sampled_from(["+", "-", "*", "/", "min", "max", "<", ">=", "+", "*", "/"])
AGING = st.recursive(
    st.one_of(AGES, AGES, FACTORS),
    lambda parts: st.one_of(
        st.builds(lambda word, a: Term(word, (a,)), ONE, parts),
        st.builds(lambda word, a, b: Term(word, (a, b)), TWO, parts, parts),
        st.builds(lambda a, b, c: Term("if", (a, b, c)), parts, parts, parts),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=120)
@given(st.one_of(AGING, TERMS), st.sampled_from([0.0, 0.3, 1e7]))
def test_the_key_of_an_older_job_is_never_smaller_where_that_is_promised(key: Term, usage: float) -> None:
    if rises_with_age(key):
        for j in range(len(W)):
            submit = [0, 1, 2, 3599, 3600, 86400, 90000]
            at_once = W.take(np.full(len(submit), j)).with_(submit=submit)
            together = at_once.take([0, 4, 6]).with_(submit=[0, 0, 0], eligible=[0, 3600, 90000])
            for alike in (at_once, together):
                keys = [naive_key(key, alike, i, 90000, usage, 0.1) for i in range(len(alike))]
                assert keys == sorted(keys, reverse=True)


@pytest.mark.parametrize("size", ["width", "(width - 1000)"])
def test_the_sign_of_a_factor_decides_which_way_a_key_goes_with_age(size: str) -> None:
    """Widths are at least 1, and may be more than 1,000."""
    known = size == "width"
    for text, rises in (("wait * {}", True), ("wait * -{}", False), ("submit * -{}", True), ("wait / -{}", False)):
        assert rises_with_age(parse_formula(text.format(size), "largest").key) == (rises and known), text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("wait", "line"),
        ("submit + 0 * width", "static"),
        ("(wait / estimate)^3 * width", "line"),
        ("(wait / estimate)^(1/3) * width", "line"),
        ("wait^2 / min(max(estimate, 6h), 12h)^3 * width / 1024 * (1 + vip)", "line"),
        ("10 * vip + wait / 1h - 3 * area", "line"),
        ("sqrt(wait * wait / area)", "line"),
        ("2 * log(wait + 1)", "line"),
        ("smallest estimate / (wait + 1h)", "line"),
        ("if(vip, 2, 1) * wait", "line"),
        ("log(wait) - log(estimate)", "line"),
        ("3 * (log2(wait + 1h) - log10(estimate) / 2) - 4", "line"),
        ("log(wait) + log(wait / estimate)", "line"),
        ("log(7 + (wait / estimate)^3)", "line"),
        ("2 * (wait / estimate)^3 * width + 7", "line"),
        ("sqrt(wait / estimate) * 3 - 1000", "line"),
        ("floor(wait / 60)", "parts"),
        ("floor(1000 * min(wait / 7d, 1) + 2000 * fairshare)", "parts"),
        ("floor(-wait)", "general"),
        ("(wait / estimate)^2 * wait * width", "line"),
        ("-(1 / (wait / estimate))", "line"),
        ("smallest estimate / wait", "line"),
        ("2 * wait / (log2(width) * estimate) + 7", "line"),
        ("(wait / estimate)^3 + width", "general"),  # two powers and a constant of each job are no power
        ("log(7 + (wait / estimate)^3) + log(width)", "general"),
        ("log(wait) + width", "general"),  # the exponential of a width may be infinite
        ("log(wait) - log(usage)", "general"),
        ("log(wait) * width", "general"),
        ("log(wait - 1h)", "general"),
        ("1e12 + log(wait)", "general"),  # hardly a digit of the logarithm is left
        ("2^(wait / estimate)", "general"),  # infinite for many jobs, which then come in the order of rows
        ("1 - 2^-(wait / 1d)", "general"),
        ("smallest 1 / (1h + wait)^2 + 7", "general"),  # next to 7, no digit is left of jobs that have waited long
        ("wait^2 / wait", "general"),
        ("if(vip, wait, estimate)", "line"),
        ("smallest wait", "general"),
        ("min(wait, 1h)", "parts"),
        ("smallest estimate / (1h + min(wait, 1d))", "parts"),
        ("wait * (wait + estimate)", "parts"),
        ("(wait - estimate)^3", "general"),
        ("wait * 1e-200 * 1e-200", "parts"),
        ("2 * wait - wait", "general"),
        ("if(wait > 1h, 1, 0)", "parts"),
        ("if(wait > 1h, -1, wait)", "general"),
        ("if(wait < 1h, estimate - 1, estimate)", "general"),
        ("if(wait - 1h, 1, 0)", "general"),
        ("-usage", "parts"),
        ("share / usage", "parts"),
        ("10 + width - usage / share", "parts"),
        ("wait / 1h / (1 + usage)", "parts"),
        ("wait / usage", "general"),  # 0 / 0 is 0, but 1 / 0 is not
        ("1000 * min(wait / 7d, 1) + 10000 * 2^-(usage / share / 1e6) + 500 * width / 1024", "parts"),
        ("-usage + wait + width", "parts"),
        ("(wait / estimate)^3 - usage", "general"),
        ("wait^usage", "general"),
    ],
)
def test_kinds_by_hand(text: str, kind: str) -> None:
    assert shape_of(parse_formula(text, "largest").key).kind == kind


def test_published_orders_need_no_sorting_at_each_pass() -> None:
    kinds = {name: shape_of(order.formula.key).kind for name, order in PUBLISHED.items()}
    assert {name for name, kind in kinds.items() if kind == "line"} == {"lxf", "wfp3", "unicef"}
    assert set(kinds.values()) == {"static", "line"}


def test_the_margin_grows_where_roundings_weigh_more() -> None:
    margins = [line_of(parse_formula(text, "largest").key) for text in ("wait", "sqrt(wait)", "log(wait + 1)")]
    assert all(line is not None for line in margins)
    assert [line.margin for line in margins if line] == sorted(line.margin for line in margins if line)
