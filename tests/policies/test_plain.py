"""Policies without parameters: their start times against the oracle, and their names."""

import pytest
from hypothesis import given

from paretosched import InputError, Workload
from paretosched.policies.plain import PLAIN_RULES, Plain
from support.naive import naive
from support.simulating import DEEP, of_oracle, starts, thoroughly
from support.zoo import ZOO, fixed_policies, workloads

RULES = ("fcfs", "list", "easy", "conservative", "conservative-replan")


@pytest.mark.parametrize("policy", RULES)
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, policy: str) -> None:
    w = ZOO[name]
    assert starts(w, fixed_policies(w.groups)[policy]) == of_oracle(name, policy)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@thoroughly
@given(w=workloads(max_jobs=14))
def test_equals_the_oracle_on_any_workload(rule: str, w: Workload) -> None:
    assert starts(w, rule) == naive(w, Plain(rule))


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str, rule: str) -> None:
    w = DEEP[kind](10)
    assert starts(w, rule) == naive(w, Plain(rule))


@pytest.mark.parametrize("rule", ["greedy", "scojo", "rules", "EASY", ""])
def test_rules_with_parameters_are_no_plain_ones(rule: str) -> None:
    with pytest.raises(InputError, match=f'rule must be one of fcfs, list, .*, recorded, but is "{rule}"'):
        Plain(rule)


def test_default_names() -> None:
    assert [Plain(rule).name for rule in PLAIN_RULES] == ["FCFS", "List", "EASY", "CONS", "CONS replan", "recorded"]
    assert Plain("easy", name="ours").name == "ours"
