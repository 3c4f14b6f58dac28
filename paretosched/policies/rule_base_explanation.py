"""What a rule base does, in words and numbers: which strategy it chooses in which situation.

Nothing is simulated. For an iterative base all situations are listed; neighbours that choose the same strategy are put
together. For a symbiotic base the rules are listed, and slices show what they choose together: on a slice two features
vary, and the others have values that are common on a busy machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.notebook import fields_html, fields_repr
from ..core.tables import Column, enumeration, indented_lines, plain, table
from .explanation_words import ELIGIBLE, EVENTS, grouping_words, origin_of, paragraphs
from .policy_json import to_json
from .rule_base import RuleBase
from .strategy_choice import STRATEGIES, IterativeRules, SymbioticRules, feature_names, feature_ranges, interval_edges

Box = tuple[tuple[int, int], ...]  # the first and the last interval of each feature

BUSY, DELAYED = 90.0, 1.5  # Um and SD on a slice where they do not vary
MOST_SD = 10.0  # of a slice; "values greater than 10 occur very rarely in practice" (paper 001, section 3.2)
POINTS = 41  # of a slice, along each side
WHOLE_RANGE = 1.0  # width of a Gaussian, as a share of its feature's range, from which on the feature hardly matters
MEANINGS = {
    "SD": "time from eligible to end of the finished jobs, as a multiple of their run time, weighted by area",
    "Um": "processors in use, % of the machine",
    "PRCWQ": "share of a user group in the waiting work, %",
}
HOW = (
    f"{EVENTS.capitalize()}, one of thirteen strategies is chosen by the state of the machine: a sorting of "
    "the queue (fewest processors, shortest estimate, longest wait, or priority of the user group) with FCFS, EASY or "
    "conservative backfilling, or Greedy, which sorts for itself and does not backfill. "
    f"{ELIGIBLE}"
)


class Region(NamedTuple):
    """Neighbouring situations of an iterative base that choose the same strategy.

    Attributes
    ----------
    bounds
        (lowest, highest) of each feature, in its own unit.
    strategy
        Its place in STRATEGIES.
    situations
        Numbers of the situations.
    """

    bounds: tuple[tuple[float, float], ...]
    strategy: int
    situations: tuple[int, ...]


class Slice(NamedTuple):
    """What a rule base chooses where two features vary.

    Attributes
    ----------
    across, up
        Numbers of the two features.
    x, y
        (n,) and (m,) their values.
    strategies
        (m, n) places in STRATEGIES, -1 where the shares of the groups would add up to more than 100 %.
    others
        The values of the other features, in words.
    """

    across: int
    up: int
    x: Floats
    y: Floats
    strategies: Ints
    others: str


@dataclass(frozen=True, eq=False)
class RulesExplanation(ABC):
    """What a rule base does; `explain_rules` makes it, an `IterativeExplanation` or a `SymbioticExplanation`.

    Parameters
    ----------
    base
        The rule base.
    regions
        Iterative: see `Region`; the largest first.
    slices
        Symbiotic: see `Slice`.
    decisions
        What came up in its training, if the policy file says so; else None. Iterative: (situations,) how often each
        situation came up. Symbiotic: (13,) how often each strategy was chosen.
    """

    rows_are: ClassVar[str]  # the key of the rows in `about`
    how: ClassVar[str]  # a sentence on how a strategy is chosen

    base: RuleBase
    regions: tuple[Region, ...]
    slices: tuple[Slice, ...]
    decisions: Ints | None = None

    __repr__ = fields_repr
    _repr_html_ = fields_html
    prose = paragraphs

    @property
    def policy(self) -> RuleBase:
        """The rule base, which is a policy."""
        return self.base

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return feature_names(len(self.base.groups))

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for every region, or for every rule.

        For an iterative base the keys are "situations", their number; "decisions", the number of decisions of its
        training in them, None if that is unknown; the features, each [lowest, highest]; and "strategy". For a symbiotic
        base they are "rule", from 1; the features, each [centre, width] in its own unit; and "recommends", levels by
        strategy.
        """

    @abstractmethod
    def choices(self) -> Iterator[str]:
        """Yield sentences: how often each strategy is chosen, or which ones never are."""

    @abstractmethod
    def occurrence(self, counts: Ints) -> str:
        """Return a sentence, after a space, on how many situations came up in the training; "" without situations."""

    @abstractmethod
    def tables(self) -> list[str]:
        """Return the rows, and what else is shown, as lines of text."""

    def about(self) -> dict[str, Any]:
        """Return everything as plain values: the policy, the sentences, the rows, and the slices."""
        names = self.features
        slices = [
            {"across": names[s.across], "up": names[s.up], "others": s.others, "x": s.x, "y": s.y}
            | {"strategies": [[None if k < 0 else STRATEGIES[k] for k in row] for row in s.strategies.tolist()]}
            for s in self.slices
        ]
        more = {"slices": slices} if slices else {}
        rows = {self.rows_are: self.rows()}
        about: dict[str, Any] = plain({"policy": to_json(self.base), "words": self.words(), **rows, **more})
        return about

    def words(self) -> list[str]:
        """Return sentences: where the policy comes from, and how it chooses strategies."""
        base = self.base
        origin = origin_of(base.provenance)
        groups = [f"PRCWQ{i + 1}: of group {group}" for i, group in enumerate(base.groups) if group != str(i + 1)]
        features = "; ".join([*(f"{name}: {meaning}" for name, meaning in MEANINGS.items()), *groups])
        return [
            *([origin] if origin else []),
            *grouping_words(base.grouping),
            HOW,
            self.how,
            f"Features: {features}. While no job has finished, SD is 1.",
            f"Priority of the groups: {', '.join(base.priority)}. Greedy is {base.greedy.name}.",
            *self.choices(),
            *self._training(),
        ]

    def _training(self) -> Iterator[str]:
        """Yield a sentence: what the base chose in its training, if that is known."""
        if self.decisions is None:
            return
        total = int(self.decisions.sum())
        counts = self.base.chooser.by_strategy(self.decisions)
        shares = ", ".join(f"{STRATEGIES[s]} {percent(counts[s] / total)} %" for s in _most_frequent(counts))
        yield f"In {total:,} decisions of its training: {shares}.{self.occurrence(self.decisions)}"

    def text(self) -> str:
        """Return everything as text for a terminal: sentences, and a table of regions or of rules and slices."""
        sentences = [line for sentence in self.words() for line in indented_lines(sentence)]
        return "\n".join([self.base.name, *sentences, "", *self.tables()])


class IterativeExplanation(RulesExplanation):
    """Which strategy an iterative base chooses in which region; see `RulesExplanation`."""

    rows_are = "regions"
    how = (
        "The ranges of the features are cut into intervals, and every combination of them has its strategy. "
        "An interval includes its upper bound, and not its lower one."
    )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for every region; see `RulesExplanation.rows`."""
        return [
            {
                "situations": len(r.situations),
                "decisions": None if self.decisions is None else int(self.decisions[list(r.situations)].sum()),
                "strategy": STRATEGIES[r.strategy],
            }
            | {name: list(pair) for name, pair in zip(self.features, r.bounds, strict=True)}
            for r in self.regions
        ]

    def choices(self) -> Iterator[str]:
        """Yield a sentence: in how many situations each strategy is chosen."""
        choice = self.base.choice
        counts = np.bincount(choice, minlength=len(STRATEGIES))
        parts = ", ".join(f"{STRATEGIES[s]} in {counts[s]:,}" for s in _most_frequent(counts))
        yield f"Of {choice.size:,} situations: {parts}."

    def occurrence(self, counts: Ints) -> str:
        """Return a sentence, after a space, on how many situations came up in the training."""
        return f" {np.count_nonzero(counts):,} of the {counts.size:,} situations came up."

    def tables(self) -> list[str]:
        """Return the regions as lines of text."""
        names = self.features
        columns = [Column("strategy", "strategy"), Column("situations", "situations", ",d")]
        if self.decisions is not None:
            columns.append(Column("decisions", "decisions", ",d"))
        ranges = feature_ranges(len(self.base.groups)).T.tolist()
        rows = [
            {key: row[key] for key in ("strategy", "situations", "decisions")}
            | {name: _span(row[name], whole) for name, whole in zip(names, ranges, strict=True)}
            for row in sorted(self.rows(), key=lambda row: -(row["decisions"] or 0))
        ]
        return [
            table(rows, [*columns, *(Column(name, name) for name in names)]),
            'A line is a block of neighbouring situations; "any" is the whole range.',
        ]


class SymbioticExplanation(RulesExplanation):
    """The rules of a symbiotic base, and slices through what they choose together; see `RulesExplanation`."""

    rows_are = "rules"
    how = (
        "Every rule is strongest where each feature is at its centre, and fades over the width; a narrow rule "
        "is stronger at its centre. All rules vote, for a strategy with +1 or +5 and against it with -1 or -5. A vote "
        "counts as much as its rule is strong there, and the strategy with the largest sum is chosen."
    )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for every rule; see `RulesExplanation.rows`."""
        means, widths = _natural(self.base)
        votes = [dict(zip(STRATEGIES, levels, strict=True)) for levels in self.base.recommendations.tolist()]
        return [
            {"rule": i + 1}
            | {name: [means[i, f].item(), widths[i, f].item()] for f, name in enumerate(self.features)}
            | {"recommends": {strategy: level for strategy, level in votes[i].items() if level}}
            for i in range(len(means))
        ]

    def choices(self) -> Iterator[str]:
        """Yield sentences: which strategies are never chosen, or the only one that is, and the one by default."""
        base = self.base
        if base.threshold > 0:
            yield (
                f"Where all rules together weigh less than {base.threshold:.3g}, "
                f"{STRATEGIES[base.otherwise]} is chosen."
            )
        strategies = base.chooser.possible()
        never = [STRATEGIES[s] for s in np.flatnonzero(~strategies).tolist()]
        if strategies.sum() == 1:
            yield f"Always chosen, whatever the situation: {STRATEGIES[int(strategies.argmax())]}."
        elif never:
            yield f"Never chosen, whatever the situation: {enumeration(never)}."

    def occurrence(self, _counts: Ints) -> str:
        """Return nothing: there are no situations to count."""
        return ""

    def tables(self) -> list[str]:
        """Return the rules and the slices as lines of text."""
        names = self.features
        spans = np.ptp(feature_ranges(len(self.base.groups)), axis=0).tolist()
        rows = [
            {"rule": f"{first['rule']}..{last['rule']}" if last is not first else first["rule"]}
            | {name: _around(first[name], span) for name, span in zip(names, spans, strict=True)}
            | {"for": _votes(first["recommends"], 1), "against": _votes(first["recommends"], -1)}
            for first, last in _alike(self.rows())
        ]
        columns = [Column("rule", "rule", "d"), *(Column(name, name) for name in names)]
        lines = [
            table(rows, [*columns, Column("for", "for"), Column("against", "against")]),
            'Features: centre ± width; "any" where the width is the whole range or more. Bold votes are in capitals: '
            "+5 or -5; the others are +1 or -1. Only the first three are shown; --json has all.",
        ]
        for s in self.slices:
            shares = np.bincount(s.strategies[s.strategies >= 0], minlength=len(STRATEGIES))
            parts = [f"{STRATEGIES[k]} {100 * shares[k] / shares.sum():.0f} %" for k in _most_frequent(shares)]
            axes = ", ".join([f"{names[s.across]} against {names[s.up]}", *([s.others] if s.others else [])])
            lines += indented_lines(f"{axes}: {', '.join(parts)}.", "  ", "    ")
        return lines


def explain_rules(base: RuleBase) -> RulesExplanation:
    """Return which strategy a rule base chooses in which situation.

    Examples
    --------
    >>> from paretosched.policies.greedy_order import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> base = RuleBase("iterative", ("all",), ("all",), g, bounds=((2,), (75,), ()), choice=[7, 3, 7, 7])
    >>> for row in explain_rules(base).rows():
    ...     print(row["strategy"], row["SD"], row["Um"])
    easy by wait [2.0, 100.0] [0.0, 100.0]
    easy by wait [1.0, 2.0] [0.0, 75.0]
    fcfs by estimate [1.0, 2.0] [75.0, 100.0]
    """
    decisions = base.chooser.counts_of(base.provenance.get("decisions"))
    return _EXPLAIN[type(base.chooser)](base, decisions)


_EXPLAIN: dict[type, Callable[[RuleBase, Ints | None], RulesExplanation]] = {
    IterativeRules: lambda base, decisions: IterativeExplanation(base, regions(base), (), decisions),
    SymbioticRules: lambda base, decisions: SymbioticExplanation(base, (), slices(base), decisions),
}


def _most_frequent(counts: Ints) -> list[int]:
    """Return the strategies with counts, (13,), above 0, the most frequent first."""
    return [s for s in np.argsort(-counts, kind="stable").tolist() if counts[s]]


def regions(base: RuleBase) -> tuple[Region, ...]:
    """Return blocks of neighbouring situations of an iterative base that choose the same strategy; the largest first.

    Two blocks with the same strategy become one if they differ in one feature only and adjoin there. This is repeated,
    the last feature first, until no two blocks can be joined.
    """
    counts = [len(inner) + 1 for inner in base.bounds]
    boxes: dict[Box, int] = {
        tuple((k, k) for k in place): int(base.choice[number]) for number, place in enumerate(np.ndindex(*counts))
    }
    before = 0
    while len(boxes) != before:
        before = len(boxes)
        for feature in reversed(range(len(counts))):
            boxes = _join_blocks(boxes, feature)
    numbers = np.arange(base.choice.size).reshape(counts)
    edges = interval_edges(base.bounds)
    blocks = [
        Region(
            tuple((edges[f][first], edges[f][last + 1]) for f, (first, last) in enumerate(box)),
            strategy,
            tuple(numbers[tuple(slice(first, last + 1) for first, last in box)].ravel().tolist()),
        )
        for box, strategy in boxes.items()
    ]
    return tuple(sorted(blocks, key=lambda region: (-len(region.situations), region.situations)))


def _join_blocks(boxes: Mapping[Box, int], feature: int) -> dict[Box, int]:
    """Return blocks after joining those that adjoin in one feature and are equal in the others."""
    blocks: dict[Box, int] = {}
    for box, strategy in sorted(boxes.items(), key=lambda item: (*item[0][:feature], *item[0][feature + 1 :], item[0])):
        previous = next(reversed(blocks), None)
        if (
            previous is not None
            and blocks[previous] == strategy
            and previous[feature][1] + 1 == box[feature][0]
            and previous[:feature] + previous[feature + 1 :] == box[:feature] + box[feature + 1 :]
        ):
            del blocks[previous]
            both = (previous[feature][0], box[feature][1])
            blocks[(*box[:feature], both, *box[feature + 1 :])] = strategy
        else:
            blocks[box] = strategy
    return blocks


def slices(base: RuleBase) -> tuple[Slice, ...]:
    """Return cuts through what a symbiotic base chooses.

    They are SD against Um, Um against the share of each of the two most important groups, and these two shares against
    each other.
    """
    count = len(base.groups)
    first = [2 + base.groups.index(group) for group in base.priority[:2]]
    pairs = [(0, 1)] + ([(1, f) for f in first] + [(first[0], first[1])] if count > 1 else [])
    return tuple(_slice(base, across, up) for across, up in pairs)


def _slice(base: RuleBase, across: int, up: int) -> Slice:
    """Return what a symbiotic base chooses where the features `across` and `up` vary."""
    low, high = feature_ranges(len(base.groups))
    high = high.copy()
    high[0] = MOST_SD
    x, y = (np.linspace(low[f], high[f], POINTS) for f in (across, up))
    strategies = np.empty((POINTS, POINTS), dtype=np.int64)
    for i, j in np.ndindex(POINTS, POINTS):
        values = {across: float(x[j]), up: float(y[i])}
        shares = sum(value for f, value in values.items() if f >= 2)
        strategies[i, j] = base.chooser.strategy(_moment(len(base.groups), values)) if shares <= 100.0 else -1
    others = {f: value for f, value in ((0, f"SD {DELAYED:g}"), (1, f"Um {BUSY:g} %")) if f not in (across, up)}
    rest = "the other groups share the rest of the queue equally"
    if max(across, up) < 2:
        rest = "all groups share the queue equally" if len(base.groups) > 1 else ""
    return Slice(across, up, x, y, strategies, ", ".join([*others.values(), *([rest] if rest else [])]))


def _moment(groups: int, values: Mapping[int, float]) -> Floats:
    """Return all features, (G + 2,), where `values` has some of them by their numbers."""
    features = np.full(groups + 2, np.nan)
    features[:2] = DELAYED, BUSY
    for f, value in values.items():
        features[f] = value
    others = np.isnan(features)
    if others.any():
        features[others] = (100.0 - np.nansum(features[2:])) / others.sum()
    return features


def _natural(base: RuleBase) -> tuple[Floats, Floats]:
    """Return centres and widths of a symbiotic base, both (R, G + 2), in the features' own units."""
    low, high = feature_ranges(len(base.groups))
    return low + base.means * (high - low), base.widths * (high - low)


def _span(pair: Sequence[float], whole: Sequence[float]) -> str:
    """Return an interval of a feature as text; "any" for the whole range."""
    return "any" if list(pair) == list(whole) else f"{pair[0]:g}..{pair[1]:g}"


def _around(pair: Sequence[float], span: float) -> str:
    """Return centre and width of a Gaussian as text; "any" if it is as wide as the range of its feature."""
    centre, width = pair
    if width >= WHOLE_RANGE * span:
        return "any"
    return " ± ".join(f"{x:.0f}" if x >= 9.95 else f"{x:.1f}" for x in (centre, width))


def _alike(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the first and the last of successive rules that differ in their numbers only."""
    for _, rules in groupby(rows, key=lambda row: {key: value for key, value in row.items() if key != "rule"}):
        first, *others = rules
        yield first, others[-1] if others else first


def percent(share: float) -> str:
    """Return a share in per cent as text, with two digits if it is small.

    Examples
    --------
    >>> [percent(share) for share in (1.0, 0.996, 0.123, 0.0123, 1e-7)]
    ['100', '100', '12', '1.2', 'under 0.01']
    """
    value = 100 * share
    if 0 < value < 0.01:
        return "under 0.01"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"


def _votes(levels: Mapping[str, int], sign: int) -> str:
    """Return the strategies that a rule votes for (sign 1) or against (sign -1) as text, strong votes in capitals."""
    strong = [name.upper() for name, level in levels.items() if level == 5 * sign]
    weak = [name for name, level in levels.items() if level == sign]
    both = [*strong, *weak]
    return "-" if not both else ", ".join(both[:3]) + (f", {len(both) - 3} more" if len(both) > 3 else "")
