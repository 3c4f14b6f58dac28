"""Policy files: JSON that a person can read and write.

Types of msgspec say what a file of each kind has; `schema` makes the published JSON Schema of them, the file
`policy.schema.json` beside this one. The policies themselves check what a value must be beyond its type, such as a
weight in [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType

from ..core.errors import InputError, one_of
from ..core.files import json_text, nothing_else, part
from ..core.situations import SITUATIONS
from ..core.typed_json import as_type
from .greedy_order import BACKFILLS, CRITERIA, Greedy
from .grouping_json import GroupingFile, grouping_json, rule_in
from .guarded import Guarded
from .own import NO_FILE, Called, Given
from .plain import PLAIN_RULES, Plain
from .policy_format import FORMAT, Format
from .priority import Priority
from .priority_json import PriorityFile, priority_json
from .rule_base import KINDS, RuleBase
from .strategy_choice import LEVELS, STRATEGIES, IterativeRules, SymbioticRules, feature_names, intervals
from .time_sharing import TimeSharing
from .time_sharing_json import TimeSharingFile, time_sharing_json

Kind = Plain | Greedy | RuleBase | TimeSharing | Priority | Guarded | Called | Given
RULES = (*PLAIN_RULES, TimeSharing.rule, Greedy.rule, RuleBase.rule, Priority.rule, Guarded.rule)

# The schema lists the words that a text may be. The policies check them, and their messages list them.
PlainRule = Annotated[str, Meta(extra_json_schema={"enum": [*PLAIN_RULES]})]
Criterion = Annotated[str, Meta(extra_json_schema={"enum": [*CRITERIA]})]
GreedyBackfill = Annotated[str, Meta(extra_json_schema={"enum": [*BACKFILLS]})]
Strategy = Annotated[str, Meta(extra_json_schema={"enum": [*STRATEGIES]})]
Level = Annotated[int, Meta(extra_json_schema={"enum": [*LEVELS]})]
Unit = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1})]
UpToFive = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 5})]


class PlainFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """A policy without parameters."""

    format: Format
    rule: PlainRule
    name: str = ""
    provenance: dict[str, Any] = {}

    def policy(self) -> Plain:
        """Return the policy."""
        return Plain(self.rule, self.name, self.provenance)


class SituationFile(Struct, forbid_unknown_fields=True):
    """The criterion of Greedy and its genes in one situation; w and K by the name of the user group."""

    criterion: Criterion
    w: dict[str, Unit]
    K: dict[str, UpToFive]
    a: Unit
    b: Unit


class SituationsFile(Struct, forbid_unknown_fields=True):
    """The three situations of Greedy."""

    weekend: SituationFile
    day: SituationFile
    night: SituationFile


class GreedyFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """Greedy: the waiting jobs are ordered by a key."""

    format: Format
    rule: Annotated[str, Meta(extra_json_schema={"const": Greedy.rule})]
    name: str = ""
    backfill: GreedyBackfill = "none"
    groups: list[str]
    situations: SituationsFile
    grouping: GroupingFile | UnsetType = UNSET
    provenance: dict[str, Any] = {}

    def policy(self) -> Greedy:
        """Return the policy."""
        rows: list[SituationFile] = [getattr(self.situations, name) for name in SITUATIONS]
        for name, row in zip(SITUATIONS, rows, strict=True):
            for letter, genes in (("w", row.w), ("K", row.K)):
                _check_keys(f"situations.{name}.{letter}: ", genes, self.groups)
        return Greedy(
            tuple(row.criterion for row in rows),
            np.array([[*(genes[g] for genes in (row.w, row.K) for g in self.groups), row.a, row.b] for row in rows]),
            tuple(self.groups),
            backfill=self.backfill,
            name=self.name,
            provenance=self.provenance,
            grouping=rule_in(self.grouping),
        )


# The Greedy policy within a rule base; it is read as any other policy.
GreedyInside = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "#/$defs/GreedyFile"})]


class IterativeFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """A rule base with intervals of features: every combination of them is a situation with its strategy."""

    format: Format
    rule: Annotated[str, Meta(extra_json_schema={"const": RuleBase.rule})]
    name: str = ""
    kind: Annotated[str, Meta(extra_json_schema={"const": KINDS[0]})]
    groups: list[str]
    priority: list[str]
    bounds: dict[str, list[float]]
    situations: list[dict[str, str]]
    greedy: GreedyInside
    grouping: GroupingFile | UnsetType = UNSET
    provenance: dict[str, Any] = {}

    def policy(self) -> RuleBase:
        """Return the policy."""
        features = feature_names(len(self.groups))
        _check_keys("bounds: ", self.bounds, features)
        for number, row in enumerate(self.situations):
            _check_keys(f"situations[{number}]: ", row, (*features, "strategy"))
        base = RuleBase(
            self.kind,
            tuple(self.groups),
            tuple(self.priority),
            _greedy_inside(self.greedy),
            bounds=tuple(tuple(self.bounds[name]) for name in features),
            choice=np.array([_strategy(row["strategy"]) for row in self.situations], dtype=np.int8),
            name=self.name,
            provenance=self.provenance,
            grouping=rule_in(self.grouping),
        )
        for number, (row, where) in enumerate(zip(self.situations, intervals(base.bounds), strict=True)):
            for name, interval in zip(features, where, strict=True):
                if row[name] != interval:
                    raise InputError(
                        f'situations must be in the order of the intervals, so that {name} is "{interval}" in '
                        f"situation {number + 1}, but it is {json_text(row[name])}"
                    )
        return base


class GaussianFile(Struct, forbid_unknown_fields=True):
    """Centre and standard deviation of a rule for one feature, which is scaled to [0, 1]."""

    mean: float
    width: float


class RuleFile(Struct, forbid_unknown_fields=True):
    """A rule: where it holds, by feature, and what it recommends, by strategy; 0 where a strategy is left out."""

    where: dict[str, GaussianFile]
    recommends: dict[str, Level]


class OtherwiseFile(Struct, forbid_unknown_fields=True):
    """The strategy that is chosen where the memberships of all rules add up to less than a threshold."""

    below: float
    strategy: Strategy


class SymbioticFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """A rule base of rules that vote for and against strategies."""

    format: Format
    rule: Annotated[str, Meta(extra_json_schema={"const": RuleBase.rule})]
    name: str = ""
    kind: Annotated[str, Meta(extra_json_schema={"const": KINDS[1]})]
    groups: list[str]
    priority: list[str]
    rules: list[RuleFile]
    otherwise: OtherwiseFile | UnsetType = UNSET
    greedy: GreedyInside
    grouping: GroupingFile | UnsetType = UNSET
    provenance: dict[str, Any] = {}

    def policy(self) -> RuleBase:
        """Return the policy."""
        features = feature_names(len(self.groups))
        for number, row in enumerate(self.rules):
            _check_keys(f"rules[{number}].where: ", row.where, features)
            _check_levels(number, row.recommends)
        gaussians = [[row.where[name] for name in features] for row in self.rules]
        default = OtherwiseFile(0.0, STRATEGIES[0]) if self.otherwise is UNSET else self.otherwise
        return RuleBase(
            self.kind,
            tuple(self.groups),
            tuple(self.priority),
            _greedy_inside(self.greedy),
            means=np.array([[gaussian.mean for gaussian in row] for row in gaussians]),
            widths=np.array([[gaussian.width for gaussian in row] for row in gaussians]),
            recommendations=np.array([[row.recommends.get(s, 0) for s in STRATEGIES] for row in self.rules]),
            threshold=default.below,
            otherwise=_strategy(default.strategy),
            name=self.name,
            provenance=self.provenance,
            grouping=rule_in(self.grouping),
        )


class GuardedFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """Groups that come first while the policy does not do worse than EASY."""

    format: Format
    rule: Annotated[str, Meta(extra_json_schema={"const": Guarded.rule})]
    name: str = ""
    first: list[str]
    overall: float = Guarded.overall
    each: float = Guarded.each
    review: int = Guarded.review
    ageing: int = Guarded.ageing
    step: float = Guarded.step
    provenance: dict[str, Any] = {}
    grouping: GroupingFile | UnsetType = UNSET

    def policy(self) -> Guarded:
        """Return the policy."""
        settings = (tuple(self.first), self.overall, self.each, self.review, self.ageing, self.step)
        return Guarded(*settings, self.name, self.provenance, rule_in(self.grouping))


_FILES: dict[str, Any] = dict.fromkeys(PLAIN_RULES, PlainFile) | {
    TimeSharing.rule: TimeSharingFile,
    Greedy.rule: GreedyFile,
    Priority.rule: PriorityFile,
    Guarded.rule: GuardedFile,
}
_RULE_BASE_FILES: dict[str, Any] = dict(zip(KINDS, (IterativeFile, SymbioticFile), strict=True))


def from_json(value: Any, where: str = "policy") -> Kind:
    """Return the policy that `to_json` turned into plain values.

    Raises
    ------
    InputError
        A key is missing, unknown or of the wrong type, or a value breaks a rule; the message says which.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{where}: a policy file must be an object with "format": "{FORMAT}"')
    try:
        kind = _file_type(value)
        nothing_else(value, kind.__struct_fields__)
        policy: Kind = as_type(value, kind).policy()
        return policy
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _file_type(value: dict[str, Any]) -> Any:
    """Return the type of a file, by its rule and, of a rule base, by its kind."""
    rule = part(value, "rule", str)
    one_of("rule", rule, RULES)
    if rule in _FILES:
        return _FILES[rule]
    kind = part(value, "kind", str)
    one_of("kind of rule base", kind, KINDS)
    return _RULE_BASE_FILES[kind]


def to_json(policy: Kind) -> dict[str, Any]:
    """Return a policy as plain values that a person can read; raise InputError if it can be in no file."""
    if isinstance(policy, Called | Given):
        raise InputError(f"{policy.name}: {NO_FILE}")
    head = {"format": FORMAT, "rule": policy.rule, "name": policy.name}
    parts: dict[str, Any] = _PARTS[type(policy)](policy)
    grouping = {} if policy.grouping is None else {"grouping": grouping_json(policy.grouping)}
    return head | parts | grouping | {"provenance": dict(policy.provenance)}


def _of_greedy(policy: Greedy) -> dict[str, Any]:
    """Return the keys and values that only files of Greedy have."""
    count = len(policy.groups)
    situations = {
        situation: {
            "criterion": criterion,
            "w": dict(zip(policy.groups, row[:count].tolist(), strict=True)),
            "K": dict(zip(policy.groups, row[count : 2 * count].tolist(), strict=True)),
            "a": float(row[-2]),
            "b": float(row[-1]),
        }
        for situation, criterion, row in zip(SITUATIONS, policy.criteria, policy.genes, strict=True)
    }
    return {"backfill": policy.backfill, "groups": list(policy.groups), "situations": situations}


def _of_rule_base(base: RuleBase) -> dict[str, Any]:
    """Return the keys and values that only files of rule bases have."""
    parts: dict[str, Any] = _CHOOSER_PARTS[type(base.chooser)](base)
    head = {"kind": base.kind, "groups": list(base.groups), "priority": list(base.priority)}
    return head | parts | {"greedy": to_json(base.greedy)}


def _of_situations(base: RuleBase) -> dict[str, Any]:
    """Return the intervals and situations of an iterative base."""
    names = feature_names(len(base.groups))
    situations = [
        {**dict(zip(names, where, strict=True)), "strategy": STRATEGIES[s]}
        for where, s in zip(intervals(base.bounds), base.choice.tolist(), strict=True)
    ]
    return {
        "bounds": {name: list(inner) for name, inner in zip(names, base.bounds, strict=True)},
        "situations": situations,
    }


def _of_rules(base: RuleBase) -> dict[str, Any]:
    """Return the rules of a symbiotic base."""
    names = feature_names(len(base.groups))
    rows = zip(base.means.tolist(), base.widths.tolist(), base.recommendations.tolist(), strict=True)
    rules = [
        {
            "where": {
                name: {"mean": mean, "width": width} for name, mean, width in zip(names, centre, spread, strict=True)
            },
            "recommends": {STRATEGIES[s]: level for s, level in enumerate(levels) if level},
        }
        for centre, spread, levels in rows
    ]
    otherwise = {"below": base.threshold, "strategy": STRATEGIES[base.otherwise]}
    return {"rules": rules} | ({"otherwise": otherwise} if base.threshold > 0 else {})


_CHOOSER_PARTS: dict[type, Any] = {IterativeRules: _of_situations, SymbioticRules: _of_rules}


def _of_guarded(policy: Guarded) -> dict[str, Any]:
    """Return the keys and values that only files of guarded orders have."""
    settings = {key: getattr(policy, key) for key in ("overall", "each", "review", "ageing", "step")}
    return {"first": list(policy.first), **settings}


_PARTS: dict[type, Any] = {
    Plain: lambda _: {},
    Greedy: _of_greedy,
    RuleBase: _of_rule_base,
    TimeSharing: time_sharing_json,
    Priority: priority_json,
    Guarded: _of_guarded,
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of policy files."""
    kinds = [PlainFile, GreedyFile, IterativeFile, SymbioticFile, TimeSharingFile, PriorityFile, GuardedFile]
    references, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "oneOf": list(references),
        "$defs": parts,
    }


def _greedy_inside(value: dict[str, Any]) -> Any:
    """Return the policy within a rule base; `RuleBase` refuses it if it is not Greedy."""
    return from_json(value, "greedy")


def _check_keys(where: str, value: dict[str, Any], keys: Sequence[str]) -> None:
    """Refuse an object that does not have exactly these keys."""
    try:
        nothing_else(value, keys)
        for key in keys:
            if key not in value:
                raise InputError(f"{json_text(key)} is missing")
    except InputError as error:
        raise InputError(f"{where}{error}") from None


def _check_levels(number: int, recommends: dict[str, int]) -> None:
    """Refuse recommendations of a rule that name an unknown strategy, or have an unknown level."""
    for strategy, level in recommends.items():
        one_of(f"rules[{number}].recommends: strategy", strategy, STRATEGIES)
        if level not in LEVELS:
            raise InputError(
                f"rules[{number}]: recommendations must be one of {', '.join(map(str, LEVELS))}, "
                f"but that of {strategy} is {json_text(level)}"
            )


def _strategy(name: str) -> int:
    """Return the place of a strategy in STRATEGIES."""
    one_of("strategy", name, STRATEGIES)
    return STRATEGIES.index(name)
