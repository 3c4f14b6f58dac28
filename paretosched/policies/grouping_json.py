"""The rule of groups in a policy file."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, UnsetType

from ..core.errors import InputError, one_of
from ..workload.group_lists import listed_lines, text_lines
from ..workload.group_rules import ConsumptionGroups, GroupRule, ListedGroups, WordedGroups

LIST, CONSUMPTION, WORDS = GROUPED_BY = ("list", "consumption", "words")
KEYS = {LIST: ("lines",), CONSUMPTION: ("thresholds", "days"), WORDS: ("words",)}
Share = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1})]


class GroupingFile(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rule that puts jobs into groups: lines as in a CSV file, shares of what was consumed lately, or in words."""

    by: Annotated[str, Meta(extra_json_schema={"enum": [*GROUPED_BY]})]
    groups: list[str]
    default: str
    lines: list[str] = []
    thresholds: list[Share] = []
    days: int = 0
    words: str = ""

    def rule(self) -> GroupRule:
        """Return the rule."""
        one_of("grouping.by", self.by, GROUPED_BY)
        others = {"lines": self.lines, "thresholds": self.thresholds, "days": self.days, "words": self.words}
        wrong = [key for key, value in others.items() if value and key not in KEYS[self.by]]
        if wrong:
            raise InputError(f'grouping: a rule by "{self.by}" has no {wrong[0]}, but there are some')
        if self.by == WORDS:
            return WordedGroups(tuple(self.groups), self.words, self.default)
        if self.by == CONSUMPTION:
            return ConsumptionGroups(tuple(self.groups), tuple(self.thresholds), self.days, self.default)
        lines = [line for _, line in listed_lines(self.lines, "grouping, line")[1]]
        return ListedGroups(tuple(self.groups), tuple(lines), self.default)


def rule_in(grouping: GroupingFile | UnsetType) -> GroupRule | None:
    """Return the rule in a policy file; None if it has none."""
    return grouping.rule() if isinstance(grouping, GroupingFile) else None


def grouping_json(rule: GroupRule) -> dict[str, Any]:
    """Return a rule as plain values that a person can read and change."""
    parts: dict[str, Any] = _PARTS[type(rule)](rule)
    return {**parts, "groups": list(rule.groups), "default": rule.default}


def _of_list(rule: ListedGroups) -> dict[str, Any]:
    """Return the keys and values of a rule by a list only."""
    return {"by": LIST, "lines": text_lines(rule.lines)}


def _of_consumption(rule: ConsumptionGroups) -> dict[str, Any]:
    """Return the keys and values of a rule by consumption only."""
    return {"by": CONSUMPTION, "thresholds": list(rule.thresholds), "days": rule.days}


def _in_words(rule: WordedGroups) -> dict[str, Any]:
    """Return the keys and values of a rule in words only."""
    return {"by": WORDS, "words": rule.text}


_PARTS: dict[type, Any] = {ListedGroups: _of_list, ConsumptionGroups: _of_consumption, WordedGroups: _in_words}
