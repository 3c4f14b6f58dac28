"""Policies without parameters."""

from __future__ import annotations

import pytest

from paretosched import InputError
from paretosched.policies.plain import PLAIN_RULES, Plain


@pytest.mark.parametrize("rule", ["greedy", "scojo", "rules", "EASY", ""])
def test_rules_with_parameters_are_no_plain_ones(rule: str) -> None:
    with pytest.raises(InputError, match=f'rule must be one of fcfs, list, .*, recorded, but is "{rule}"'):
        Plain(rule)


def test_default_names() -> None:
    assert [Plain(rule).name for rule in PLAIN_RULES] == ["FCFS", "List", "EASY", "CONS", "CONS replan", "recorded"]
    assert Plain("easy", name="ours").name == "ours"
