"""What a scheduler is: the name of a rule and, where it has some, its parameters; and how that is written down.

Greedy (papers 000 and 002) orders the waiting queue by a key. In each of the three situations (weekend, day,
night) one of four criteria gives the key of a job of group i that has waited t seconds, has requested
p seconds and m processors:

====  =================================
f1    w_i * (K_i + a * t / p + b * p / m)
f2    w_i * (K_i + a * t + b * p * m)
f3    w_i * (K_i + a * t / (p * m))
f4    w_i * (K_i + a * t + b * p / m)
====  =================================

The largest key comes first, ties by submission and then by place in the trace. Bounds: w, a, b in [0, 1], K in
[0, 5] (paper 000, IV-C). `w` and `K` belong to a group and a situation, `a` and `b` to a situation: 36 genes for
five groups. `f3` has no use for `b` (the papers' "f2 does not require w_i" is a misprint).

A rule base chooses one of thirteen strategies at every scheduling pass (paper 001); see `rule_base`.
SCOJO-PECT ("scojo", paper 004) has the parameters of `timesharing`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import InputError, first_few, one_of
from ..core.files import nothing_else, part, read_json, shown, written
from ..core.notebook import fields_html, fields_repr
from ..workload.calendar import SITUATIONS
from ..workload.workload import Workload
from . import time_sharing as timesharing
from .rule_base import RuleBase
from .rule_base import from_json as base_from_json
from .rule_base import to_json as base_to_json
from .time_sharing import Optimisation, TimeSharing

PLAIN_RULES = ("fcfs", "list", "easy", "conservative", "conservative-replan", "recorded")  # without parameters
NAMED = (*PLAIN_RULES, "scojo")  # which need no file
RULES = (*NAMED, "greedy", "rules")
OPTIMISED = "scojo-opt"  # how SCOJO-PECT with group optimisation, as in paper 004, is called for short
BACKFILLS = ("none", "easy", "conservative")
CRITERIA = ("f1", "f2", "f3", "f4")
FORMAT = "paretosched policy 1"
HIGHEST = {"w": 1.0, "K": 5.0, "a": 1.0, "b": 1.0}
WITH_BACKFILL = {"none": "", "easy": " with EASY", "conservative": " with CONS"}  # endings of names


@dataclass(frozen=True, eq=False)
class Policy:
    """A scheduler.

    Parameters
    ----------
    rule
        One of RULES.
    backfill
        For Greedy: "none" (paper 000), "easy" (paper 002) or "conservative".
    criteria
        For Greedy: the criterion, "f1".."f4", of weekend, day and night.
    genes
        For Greedy: (3, 2 G + 2); the row of a situation is w_1..w_G, K_1..K_G, a, b.
    groups
        For Greedy: the names of the groups the genes are for. For rules: those of the base, which need not be given.
    name
        What the policy is called in tables and figures. Default: the rule, with the backfilling.
    provenance
        Where the policy comes from; free, kept with it on disk.
    rules
        For rules: the rule base.
    sharing
        For SCOJO-PECT: its parameters; None for those of paper 004.

    Raises
    ------
    InputError
        An unknown word, or genes out of shape or bounds; or a rule base is missing.

    Examples
    --------
    >>> Policy("easy").name
    'EASY'
    >>> p = greedy(["f2"] * 3, [[1, 0, 0, 0, 1, 0]] * 3, groups=("staff", "guests"), backfill="easy")
    >>> p.name, p.genes.shape
    ('Greedy f2 with EASY', (3, 6))
    """

    rule: str
    backfill: str = "none"
    criteria: tuple[str, ...] = ()
    genes: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    groups: tuple[str, ...] = ()
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    rules: RuleBase | None = None
    sharing: TimeSharing | None = None

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("rule", self.rule, RULES)
        one_of("backfill", self.backfill, BACKFILLS)
        genes = _numbers(self.genes).copy(order="C")
        genes.flags.writeable = False
        object.__setattr__(self, "genes", genes)
        object.__setattr__(self, "criteria", tuple(self.criteria))
        object.__setattr__(self, "groups", tuple(str(g) for g in self.groups))
        if (self.rules is not None) != (self.rule == "rules"):
            raise InputError(f'rule "rules" needs a rule base and no other takes one, but this is "{self.rule}"')
        if self.rules is not None and self.groups in ((), self.rules.groups):
            object.__setattr__(self, "groups", ())
        if self.rule == "greedy":
            self._check_greedy()
        elif self.criteria or genes.size or self.groups or self.backfill != "none":
            raise InputError(f'rule "{self.rule}" takes no criteria, genes, groups or backfill; only "greedy" does')
        if self.rules is not None:
            object.__setattr__(self, "groups", self.rules.groups)
        if self.rule == "scojo":
            object.__setattr__(self, "sharing", timesharing.check(self.sharing or TimeSharing()))
        elif self.sharing is not None:
            raise InputError(f'rule "{self.rule}" shares no time; only "scojo" does')
        object.__setattr__(self, "name", self.name or _default_name(self))

    def _check_greedy(self) -> None:
        if len(self.criteria) != len(SITUATIONS):
            raise InputError(f"criteria must be one for each of {', '.join(SITUATIONS)}, but are {list(self.criteria)}")
        for criterion in self.criteria:
            one_of("criterion", criterion, CRITERIA)
        count = len(self.groups)
        if len(set(self.groups)) != count:
            raise InputError(f"groups must have different names, but are {list(self.groups)}")
        if count == 0 or self.genes.shape != (3, 2 * count + 2):
            raise InputError(
                f"genes must have shape (3, 2 x groups + 2), but have shape {self.genes.shape} for {count} groups"
            )
        high = np.broadcast_to(upper_bounds(count), self.genes.shape)
        broken = np.argwhere(~((self.genes >= 0) & (self.genes <= high)))
        if broken.size:
            names = gene_names(count)
            offenders = (f"{SITUATIONS[s]} {names[g]} is {self.genes[s, g]:g}" for s, g in broken)
            raise InputError(
                f"genes must be w, a, b in [0, 1] and K in [0, 5], but {first_few(offenders, len(broken))}"
            )


def greedy(
    criteria: Sequence[str],
    genes: ArrayLike,
    *,
    groups: Sequence[str] = tuple("12345"),
    backfill: str = "none",
    name: str = "",
    provenance: Mapping[str, Any] | None = None,
) -> Policy:
    """Make a Greedy policy; `genes` is (3, 2 G + 2) or flat, see `Policy`."""
    table = _numbers(genes)
    shape = (3, 2 * len(groups) + 2)
    if table.ndim == 1 and table.size == shape[0] * shape[1]:
        table = table.reshape(shape)
    return Policy("greedy", backfill, tuple(criteria), table, tuple(groups), name, provenance or {})


def gene_names(groups: int) -> list[str]:
    """Name the genes of one situation, in their order.

    Examples
    --------
    >>> gene_names(2)
    ['w1', 'w2', 'K1', 'K2', 'a', 'b']
    """
    return [f"{letter}{i + 1}" for letter in "wK" for i in range(groups)] + ["a", "b"]


def upper_bounds(groups: int) -> NDArray[np.float64]:
    """Give the largest value of each gene of one situation, (2 G + 2,); the smallest is 0 everywhere."""
    return np.array([HIGHEST[name[0]] for name in gene_names(groups)])


def fits(policy: Policy, workload: Workload) -> Policy:
    """Return `policy` if its groups are the workload's.

    Raises
    ------
    InputError
        They are not.
    """
    if policy.groups and policy.groups != workload.groups:
        raise InputError(
            f"policy {policy.name} is for the groups {', '.join(policy.groups)}, "
            f"but {workload.name} has the groups {', '.join(workload.groups)}"
        )
    return policy


PolicyLike = str | os.PathLike[str] | Policy


def as_policy(what: PolicyLike) -> Policy:
    """Accept a policy, the name of a rule without parameters, or the path of a policy file.

    Examples
    --------
    >>> as_policy("fcfs").rule
    'fcfs'
    """
    if isinstance(what, Policy):
        return what
    if str(what) in NAMED:
        return Policy(str(what))
    if str(what) == OPTIMISED:
        return Policy("scojo", sharing=TimeSharing(optimisation=Optimisation()))
    path = Path(what)
    if path.suffix == ".json" or _is_file(path):
        return load_policy(path)
    raise InputError(
        f'policy "{what}" is not known; choose one of {", ".join(NAMED)}, {OPTIMISED}, or give the path of a '
        "policy .json file"
    )


def to_json(policy: Policy) -> dict[str, Any]:
    """Turn a policy into plain values that a person can read."""
    value: dict[str, Any] = {"format": FORMAT, "rule": policy.rule, "name": policy.name}
    if policy.rule == "greedy":
        count = len(policy.groups)
        value["backfill"] = policy.backfill
        value["groups"] = list(policy.groups)
        value["situations"] = {
            situation: {
                "criterion": criterion,
                "w": dict(zip(policy.groups, row[:count].tolist(), strict=True)),
                "K": dict(zip(policy.groups, row[count : 2 * count].tolist(), strict=True)),
                "a": float(row[-2]),
                "b": float(row[-1]),
            }
            for situation, criterion, row in zip(SITUATIONS, policy.criteria, policy.genes, strict=True)
        }
    if policy.rules is not None:
        value |= base_to_json(policy.rules)
        value["greedy"] = to_json(policy.rules.greedy)
    if policy.sharing is not None:
        value |= timesharing.to_json(policy.sharing)
    value["provenance"] = dict(policy.provenance)
    return value


def from_json(value: Any, where: str = "policy") -> Policy:
    """Turn what `to_json` gave into a policy again.

    Raises
    ------
    InputError
        A key is missing, unknown or of the wrong type, or a value breaks a rule; the message says which.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{where}: a policy file must be an object with "format": "{FORMAT}"')
    try:
        rule = part(value, "rule", str)
        one_of("rule", rule, RULES)
        name = part(value, "name", str, "")
        provenance = part(value, "provenance", dict, {})
        if rule == "rules":
            rest = {key: v for key, v in value.items() if key not in ("format", "rule", "name", "greedy", "provenance")}
            base = base_from_json(rest, from_json(part(value, "greedy", dict), "greedy"))
            return Policy(rule, name=name, provenance=provenance, rules=base)
        if rule == "scojo":
            common = ("format", "rule", "name", "provenance")
            nothing_else(value, (*common, *TimeSharing._fields))
            sharing = timesharing.from_json({key: v for key, v in value.items() if key not in common})
            return Policy(rule, name=name, provenance=provenance, sharing=sharing)
        if rule != "greedy":
            nothing_else(value, ("format", "rule", "name", "provenance"))
            return Policy(rule, name=name, provenance=provenance)
        nothing_else(value, ("format", "rule", "name", "backfill", "groups", "situations", "provenance"))
        groups = part(value, "groups", list)
        if not all(isinstance(group, str) for group in groups):
            raise InputError(f'"groups" must be names in quotes, but are {", ".join(map(shown, groups))}')
        situations = part(value, "situations", dict)
        nothing_else(situations, SITUATIONS)
        criteria, genes = zip(*(_of_situation(situations, name, groups) for name in SITUATIONS), strict=True)
        return greedy(
            criteria,
            genes,
            groups=groups,
            backfill=part(value, "backfill", str, "none"),
            name=name,
            provenance=provenance,
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _of_situation(situations: dict[str, Any], name: str, groups: Sequence[str]) -> tuple[str, list[float]]:
    row = part(situations, name, dict)
    try:
        nothing_else(row, ("criterion", "w", "K", "a", "b"))
        genes = []
        for letter in "wK":
            of_groups = part(row, letter, dict)
            nothing_else(of_groups, groups)
            genes += [part(of_groups, group, float) for group in groups]
        return part(row, "criterion", str), [*genes, part(row, "a", float), part(row, "b", float)]
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def save_policy(policy: Policy, path: str | os.PathLike[str]) -> None:
    """Write a policy file."""
    with written(path) as temporary:
        temporary.write_text(json.dumps(to_json(policy), indent=2) + "\n", encoding="utf-8")


def load_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a policy file.

    Raises
    ------
    InputError
        The file cannot be read, is not JSON, or is not a policy.
    """
    value = read_json(path, "policy", lambda word: math.nan if word == "NaN" else math.inf)
    return from_json(value, str(path))


def _numbers(value: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("genes must be a table of numbers, but are not") from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that may not be searched
        return False


def _default_name(policy: Policy) -> str:
    plain = {
        "fcfs": "FCFS",
        "list": "List",
        "easy": "EASY",
        "conservative": "CONS",
        "conservative-replan": "CONS replan",
        "recorded": "recorded",
    }
    if policy.rules is not None:
        return f"{policy.rules.kind} rules"
    if policy.sharing is not None:
        made = policy.sharing.optimisation
        how = "" if made is None else " bottom line" if made.method == "bottom-line" else " optimised"
        return f"SCOJO-PECT{how}{'' if policy.sharing.backfill else ', own jobs only'}"
    if policy.rule != "greedy":
        return plain[policy.rule]
    criteria = policy.criteria[0] if len(set(policy.criteria)) == 1 else "/".join(policy.criteria)
    return f"Greedy {criteria}{WITH_BACKFILL[policy.backfill]}"
