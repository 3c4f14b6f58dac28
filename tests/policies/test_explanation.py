"""What is said of every kind of policy."""

from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.policies.explanation_words import ELIGIBLE, origin_of
from support.zoo import constant_rules

POLICIES = {
    **{name: ps.as_policy(name) for name in ("fcfs", "list", "easy", "conservative", "conservative-replan", "scojo")},
    "order": ps.as_policy("sjf; backfill: easy"),
    "orders": ps.as_policy("order weekend: wait; order day: estimate; order night: width; backfill: easy"),
    "greedy": ps.greedy(["f2"] * 3, np.full((3, 4), 0.5), groups=("1",)),
    "rules": constant_rules(("1", "2"), 0, "iterative"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_jobs_are_ordered_by_when_they_became_eligible_and_it_is_said_when_that_is(name: str) -> None:
    """Not by submission: jobs that depend on others, or have a date, are eligible later."""
    text = " ".join(ps.explain(POLICIES[name]).words())
    assert text.count(ELIGIBLE) == 1
    assert "submission" not in text.replace(ELIGIBLE, "")
    assert "submitted" not in text


@pytest.mark.parametrize(
    ("objective", "easy", "words"),
    [
        (0.8694389, 0.9999999999999999, "it reached 0.8694, and EASY 1.0000 (13.1 % less)."),
        (0.99999951, 1.0, "it reached 0.9999995, and EASY 1.0000000 (0.0 % less)."),
        (0.9999999999999999, 1.0, "it reached 1.0000, as EASY does."),
    ],
)
def test_ratios_to_easy_can_be_told_apart(objective: float, easy: float, words: str) -> None:
    wish = "10*AWRT1, AWRT <= EASY"
    provenance: dict[str, Any] = {"words": wish, "workloads": [{"name": "w"}], "wish": {"sum": {}}, "over": "ratio"}
    provenance |= {"objective": objective, "easy": easy}
    text = f"Trained for {wish} on w: there {words}"
    policies = [ps.Guarded(["1"], provenance=provenance), ps.Plain("easy", provenance=provenance)]
    for explanation in map(ps.explain, policies):
        assert explanation.words()[0] == origin_of(provenance) == text
        assert text in explanation.prose()
