"""What is said of every kind of policy."""

from __future__ import annotations

import numpy as np
import pytest

import paretosched as ps
from paretosched.policies.explanation_words import ELIGIBLE
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
