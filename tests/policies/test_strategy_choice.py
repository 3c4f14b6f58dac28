"""The two ways in which a rule base chooses: what stands in its value, and how decisions are counted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import STRATEGIES, IterativeRules, SymbioticRules
from support.zoo import a_greedy

ALL = ("1", "2")
ITERATIVE = RuleBase("iterative", ALL, ALL, a_greedy(ALL), ((2,), (), (), ()), [7, 3])
SYMBIOTIC = RuleBase(
    "symbiotic", ALL, ALL, a_greedy(ALL), means=[[0.5] * 4], widths=[[0.1] * 4], recommendations=[[0] * 12 + [5]]
)


def test_a_base_holds_the_way_in_which_it_chooses() -> None:
    assert ITERATIVE.chooser == IterativeRules(ITERATIVE.bounds, ITERATIVE.choice)
    assert SYMBIOTIC.chooser == SymbioticRules(SYMBIOTIC.means, SYMBIOTIC.widths, SYMBIOTIC.recommendations, 0.0, 0)
    other = replace(ITERATIVE, choice=[1, 2])
    assert [other.chooser.strategy([sd, 50, 50, 50]) for sd in (1, 3)] == [1, 2]


@pytest.mark.parametrize(
    ("base", "counts", "content", "by_strategy"),
    [
        (ITERATIVE, [4, 9], [4, 9], {3: 9, 7: 4}),
        (SYMBIOTIC, [0] * 11 + [2, 5], {STRATEGIES[11]: 2, "greedy": 5}, {11: 2, 12: 5}),
    ],
    ids=["iterative", "symbiotic"],
)
def test_counts_of_decisions_come_back_from_what_was_written(
    base: RuleBase, counts: list[int], content: Any, by_strategy: dict[int, int]
) -> None:
    assert base.chooser.counters == len(counts)
    assert base.chooser.counts_json(np.array(counts)) == content
    again = base.chooser.counts_of(content)
    assert again is not None
    assert again.tolist() == counts
    assert {s: n for s, n in enumerate(base.chooser.by_strategy(again).tolist()) if n} == by_strategy


@pytest.mark.parametrize("value", [None, 3, [], [0, 0], [1, -1], [1, 2, 3], [1, 2.0], {"greedy": 0}, {"other": 1}])
def test_anything_else_is_no_count(value: Any) -> None:
    assert ITERATIVE.chooser.counts_of(value) is None
    assert SYMBIOTIC.chooser.counts_of(value) is None
