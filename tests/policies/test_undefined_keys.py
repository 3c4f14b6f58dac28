"""Jobs for which a formula is not defined are counted, and a formula that is defined for none is refused."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings

import paretosched as ps
from paretosched import InputError, Workload
from paretosched.policies.formula import Term, parse_formula, written_term
from paretosched.policies.published_orders import PUBLISHED
from paretosched.policies.undefined_keys import LATER, doubtful_terms, undefined_keys
from support.formulas import TERMS, naive_value
from support.zoo import jobs

# widths 1, 2, 4, 1; estimates 10, 20, 30, 40
W = jobs(4, (0, 10, 10, 1), (0, 20, 20, 2), (3, 30, 30, 4), (3, 40, 40, 1)).with_(name="w", user=[7, 7, 8, 8])
NO_SHARES = np.zeros(4)


def term_of(text: str) -> Term:
    return parse_formula(text, "largest").term


@pytest.mark.parametrize(
    ("text", "jobs", "when", "term"),
    [
        ("wait / (log2(width) * estimate)", 2, "at submission", "wait / (log2(width) * estimate)"),
        ("width / (wait * estimate)", None, "", ""),  # another number than 0 divided by 0 is infinite
        ("log(estimate - 25)", 2, "at submission and after 1 s", "log(estimate - 25)"),
        ("3 + log2(estimate - 10 - wait) * width", 1, "after 1 s", "log2(estimate - 10 - wait)"),
        ("log10(wait)", None, "", ""),
        ("sqrt(25 - estimate)", 2, "at submission and after 1 s", "sqrt(25 - estimate)"),
        ("(25 - estimate)^0.5", 2, "at submission and after 1 s", "(25 - estimate)^0.5"),
        ("(25 - estimate)^3", None, "", ""),
        ("1 / (width - 1) - 1 / (width - 1)", 2, "at submission and after 1 s", "1 / (width - 1) - 1 / (width - 1)"),
        ("-log(15 - estimate) + sqrt(25 - estimate)", 3, "at submission and after 1 s", "log(15 - estimate)"),
        ("if(width > 1, wait / log2(width), 0)", None, "", ""),
        ("if(width = 1, 0, wait / log2(width)) + estimate", None, "", ""),
        ("width > 1 and wait / log2(width) > 3", None, "", ""),
        ("width = 1 or wait / log2(width) > 3", None, "", ""),
        ("width > 1 or wait / log2(width) > 3", 2, "at submission", "wait / log2(width)"),
        ("log(usage) + usage / share", None, "", ""),
    ],
)
def test_undefined_keys_by_hand(text: str, jobs: int | None, when: str, term: str) -> None:
    result = undefined_keys("order", term_of(text), W, NO_SHARES)
    assert (result and (result.jobs, result.when, written_term(result.term))) == (jobs and (jobs, when, term))


@pytest.mark.parametrize(
    "text",
    ["0 / 0", "log(-estimate)", "wait + sqrt(3 - estimate)", "(2 - estimate)^0.5", "if(1, 0 / (wait - wait), 1)"],
)
def test_a_formula_that_is_defined_for_no_job_is_refused(text: str) -> None:
    for policy in (f"order: {text}", f"fcfs; backfill: easy; backfill-order: {text}"):
        with pytest.raises(InputError, match=r"^(backfill-)?order: the formula is defined for no job of w: "):
            ps.simulate(W, policy)
    with pytest.raises(InputError, match=r"^order: the formula is defined for no job"):
        ps.simulate(W, f"order day: {text}; order night: sjf; order weekend: sjf", "recent")


@pytest.mark.parametrize("text", ["log(wait - 100) * width", "sqrt(wait - 600) + 0.001 * wait", "log(wait - 86400)"])
def test_a_formula_that_is_defined_after_a_longer_wait_is_none_of_these(text: str) -> None:
    result = undefined_keys("order", term_of(text), W, NO_SHARES)
    assert result is not None
    assert (result.jobs, result.when) == (4, "at submission and after 1 s")
    ps.simulate(W, f"order: {text}; backfill: easy")


def test_published_orders_are_as_they_were_published() -> None:
    serial = W.with_(width=np.ones(4, dtype=np.int64))
    for name in PUBLISHED:
        policy = ps.as_policy(f"{name}; backfill: easy; backfill-order: unicef")
        assert isinstance(policy, ps.Priority)
        assert policy.doubts(serial) == []


def test_sentences_name_order_jobs_and_fault() -> None:
    policy = ps.as_policy("order: log(estimate - 25); backfill: easy; backfill-order: wait / log2(width)")
    assert isinstance(policy, ps.Priority)
    assert policy.doubts(W) == [
        "order: the formula is not defined for 2 of 4 jobs at submission and after 1 s: log(estimate - 25) is the "
        "logarithm of a negative number, which counts as -inf",
        "backfill-order: the formula is not defined for 2 of 4 jobs at submission: wait / log2(width) is 0 / 0, which "
        "counts as 0",
    ]


def test_a_ratio_of_two_infinite_numbers_says_so() -> None:
    result = undefined_keys("order", term_of("(1 / (width - 1)) / (1 / (width - 1))"), W, NO_SHARES)
    assert result is not None
    assert result.fault.endswith("is 0 / 0, which counts as 0, or inf / inf, and such jobs come last")


def test_shares_count() -> None:
    policy = ps.as_policy("order: log(share - 1); usage: group; shares: 1 = 3")
    assert isinstance(policy, ps.Priority)
    assert policy.doubts(W) == []
    with pytest.raises(InputError, match=re.escape("log(share - 1) is the logarithm of a negative number")):
        ps.simulate(W, "order: log(share - 1); usage: group; shares: 1 = 0.5")


def _is_undefined(term: Term, w: Workload, j: int, wait: float) -> bool:
    """Return whether a term is not defined for job j, in pure Python."""

    def value(part: Term) -> float:
        return naive_value(part, w, j, int(w.submit[j] + wait), 1.0, 0.25)

    holds = bool(term.parts) and not math.isnan(value(term.parts[0])) and value(term.parts[0]) != 0
    needed = {"if": (0, 1 if holds else 2), "and": (0, 1)[: 1 + holds], "or": (0, 1)[: 2 - holds]}
    parts = [term.parts[place] for place in needed.get(term.word, range(len(term.parts)))]
    if any(_is_undefined(part, w, j, wait) for part in parts):
        return True
    values = [value(part) for part in term.parts]
    if term.word in ("log", "log2", "log10", "sqrt"):
        return values[0] < 0
    return math.isnan(value(term)) or (term.word == "/" and values == [0, 0])


@settings(max_examples=80, deadline=None)
@given(TERMS)
def test_counts_are_those_of_pure_python(term: Term) -> None:
    moments = [[_is_undefined(term, W, j, wait) for j in range(4)] for wait in (0.0, 1.0)]
    later = [[_is_undefined(term, W, j, wait) for j in range(4)] for wait in LATER]
    if all(map(all, moments + later)):
        with pytest.raises(InputError, match="is defined for no job"):
            undefined_keys("order", term, W, np.full(4, 0.25))
        return
    result = undefined_keys("order", term, W, np.full(4, 0.25))
    assert (result.jobs if result else 0) == sum(map(any, zip(*moments, strict=True)))
    assert result is None or result.term in doubtful_terms(term)
