"""The rule of groups is kept in policy files, and is part of the published schema."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.policies.greedy_order import greedy
from paretosched.policies.policy_json import from_json, schema, to_json
from paretosched.workload.group_lists import GroupLine
from paretosched.workload.group_rules import ConsumptionGroups, ListedGroups, WordedGroups
from support.json_schemas import checker

GROUPS = ("vip", "the, rest")
POLICY = greedy(["f2"] * 3, [[1, 0, 1, 0, 1, 0]] * 3, groups=GROUPS)
LINES = (GroupLine("vip", user=7, queue="night"), GroupLine("vip", user=8), GroupLine("the, rest", account=-1))
RULES = {
    "list": ListedGroups(GROUPS, LINES, "the, rest"),
    "any job": ListedGroups(GROUPS, (GroupLine("vip"),), "vip"),
    "consumption": ConsumptionGroups(GROUPS, (0.08,), 90, "vip"),
    "words": WordedGroups(GROUPS, 'vip: gpus > 0 and user = ann; "the, rest"', "the, rest"),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_kept_in_a_file(tmp_path: Path, name: str) -> None:
    policy = replace(POLICY, grouping=RULES[name])
    ps.save_policy(policy, tmp_path / "p.json")
    again = ps.load_policy(tmp_path / "p.json")
    assert again.grouping == policy.grouping
    checker(schema()).validate(json.loads((tmp_path / "p.json").read_text()))


def test_a_list_in_a_file_is_readable_and_a_policy_without_a_rule_has_none() -> None:
    assert to_json(replace(POLICY, grouping=RULES["list"]))["grouping"] == {
        "by": "list",
        "lines": ["user,account,queue,group", "7,*,night,vip", "8,*,*,vip", '*,-1,*,"the, rest"'],
        "groups": ["vip", "the, rest"],
        "default": "the, rest",
    }
    assert "grouping" not in to_json(POLICY)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"by": "name"}, "grouping.by must be one of list, consumption, words"),
        ({"lines": ["7,vip", ",vip"]}, 'grouping, line:2: user is ""'),
        ({"lines": ["7,staff"]}, "the group of a line must be one of vip, the, rest"),
        ({"lines": []}, "grouping, line: a list of groups must have lines"),
        ({"days": 3}, 'a rule by "list" has no days'),
        ({"by": "consumption"}, 'a rule by "consumption" has no lines'),
        ({"by": "words"}, 'a rule by "words" has no lines'),
        ({"by": "consumption", "lines": [], "thresholds": [0.1], "days": 0}, "days of a grouping must be in 1..36500"),
        ({"default": "guests"}, "the default of a grouping must be one of"),
        (
            {"groups": ["the, rest", "vip"]},
            "the grouping of a policy must be for its groups vip, the, rest, but",
        ),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_broken_rule_is_refused(change: dict[str, Any], message: str) -> None:
    value = to_json(replace(POLICY, grouping=RULES["list"]))
    value["grouping"] |= change
    with pytest.raises(InputError, match=message):
        from_json(value)
