"""The rule of groups in a policy file."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, UnsetType

from ..core.errors import InputError, one_of
from ..workload.group_lists import listed_lines, text_lines
from ..workload.group_rules import ConsumptionGroups, GroupRule, ListedGroups

LIST, CONSUMPTION = GROUPED_BY = ("list", "consumption")
Share = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1})]


class GroupingFile(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rule that puts jobs into groups: lines as in a CSV file of groups, or shares of what was consumed lately."""

    by: Annotated[str, Meta(extra_json_schema={"enum": [*GROUPED_BY]})]
    groups: list[str]
    default: str
    lines: list[str] = []
    thresholds: list[Share] = []
    days: int = 0

    def rule(self) -> GroupRule:
        """Return the rule."""
        one_of("grouping.by", self.by, GROUPED_BY)
        if self.by == CONSUMPTION:
            if self.lines:
                raise InputError("grouping: a rule by consumption has no lines, but there are some")
            return ConsumptionGroups(tuple(self.groups), tuple(self.thresholds), self.days, self.default)
        if self.thresholds or self.days:
            raise InputError("grouping: a rule by a list has neither thresholds nor days, but there are some")
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


_PARTS: dict[type, Any] = {ListedGroups: _of_list, ConsumptionGroups: _of_consumption}
