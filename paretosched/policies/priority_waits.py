"""Who overtakes whom in the order of a policy, and after how long a wait: between typical jobs of its groups.

Nothing is simulated: the keys of the jobs are those of the simulator. It is known for formulas of the wait, the request
and the groups, whose keys never fall as a job waits, see `paretosched.policies.formula_analysis`: hence there is one
wait from which on a job comes before another one that has waited for an hour, and bisection finds it.

Against a job that has just become eligible, as for Greedy, little would be seen: many orders multiply the wait, so that
all keys begin with 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.notebook import fields_html, fields_repr
from ..core.situations import SITUATIONS
from ..core.tables import enumeration, indented_lines
from ..workload.workload import Workload
from .explanation_words import KINDS, LIFETIME, WHEN, duration, example_jobs, origin_of, paragraphs
from .formula import Formula, variables, written_term
from .formula_analysis import GENERAL, shape_of
from .formula_program import program_of
from .greedy_explanation import (
    LARGE,
    NEVER,
    SMALL,
    examples_sentence,
    tables_beside,
    wait_table,
)
from .outcome import jobs_of
from .policy_json import to_json
from .priority import Priority
from .priority_explanation import priority_words

COMPARED = {"number", "wait", "estimate", "width", "area", "group", "priority"}  # what is known of a typical job
OTHERS = "others"  # the jobs of all groups that the policy does not name
WAITED = 3600  # s, of the job that is passed
AFTER = f"How long a job must have waited to pass one that has waited {duration(WAITED)}"
ROWS = "(line: who is passed; column: by whom)"
READING = (
    f"Waits: {duration(WAITED)} is in the order in which both became eligible; with less a job overtakes the other "
    "one, and 0 is at once; min, h, d and y are minutes to years; never is not within a hundred years."
)
MOST_GROUPS = 12  # of a table; all are in the rows


@dataclass(frozen=True, eq=False)
class PriorityExplanation:
    """What an order with a backfilling does; `explain` makes it.

    Parameters
    ----------
    policy
        The policy.
    groups
        The groups that are compared: those that the policy names, and all others as one.
    waits
        (3, kinds, G, kinds, G) int64 seconds, by situation, kind and group of a job that has waited for WAITED, and
        kind and group of another one: how long the latter must have waited to come first. 0 is at once, NEVER is not
        within a hundred years. (0,) if it is not known.
    unknown
        Why it is not known, in words; "" if it is.
    """

    policy: Priority
    groups: tuple[str, ...]
    waits: Ints
    unknown: str

    __repr__ = fields_repr
    _repr_html_ = fields_html
    prose = paragraphs

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for every two different jobs; none if the waits are not known.

        The keys are "situation"; "passed_job" and "passed_group", kind and group of a job, and "waited", for how many
        seconds it has waited; "job" and "group", those of another one; "wait", the seconds after which that one comes
        first, None for never.
        """
        return [
            {
                "situation": SITUATIONS[s],
                "passed_job": KINDS[k].name,
                "passed_group": self.groups[i],
                "waited": WAITED,
                "job": KINDS[x].name,
                "group": self.groups[j],
                "wait": None if wait == NEVER else int(wait),
            }
            for (s, k, i, x, j), wait in np.ndenumerate(self.waits.reshape(self._shape))
            if (k, i) != (x, j)
        ]

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.waits.shape if self.waits.ndim > 1 else (0,) * 5

    def about(self) -> dict[str, Any]:
        """Return everything as plain values, with the keys of `GreedyExplanation.about`."""
        words = {"policy": to_json(self.policy), "words": self.words(), "situations": {}}
        return words | {"jobs": example_jobs(), "rows": self.rows()}

    def words(self) -> list[str]:
        """Return sentences: where the policy comes from, and how it chooses the jobs that start."""
        origin = origin_of(self.policy.provenance)
        why = [f"Who overtakes whom is not listed: {self.unknown}."] if self.unknown else []
        *sentences, last = priority_words(self.policy)
        return [*([origin] if origin else []), *sentences, *why, last]

    def text(self) -> str:
        """Return everything as text for a terminal: sentences, and for every situation tables of waits."""
        lines = [self.policy.name, *(line for sentence in self.words() for line in indented_lines(sentence))]
        if self.unknown:
            return "\n".join(lines)
        lines += [line for sentence in (examples_sentence(), READING) for line in indented_lines(sentence)]
        alike = len(set(self.policy.orders)) == 1
        for s in range(1 if alike else len(SITUATIONS)):
            lines.append("" if alike else f"\n{SITUATIONS[s]} ({WHEN[SITUATIONS[s]]}):")
            lines += self._tables(self.waits[s])
        return "\n".join(lines)

    def _tables(self, waits: Ints) -> list[str]:
        """Return the tables of a situation: groups for small and for large jobs, then sizes."""
        lines: list[str] = []
        shown = self.groups[:MOST_GROUPS]
        count = len(shown)
        if count > 1:
            more = f"; the first {count} of {len(self.groups)} groups" if count < len(self.groups) else ""
            lines.append(f"  {AFTER}, of its size, group by group {ROWS}{more}:")
            small, large = (
                wait_table(f"{KINDS[kind].name} job of", waits[kind, :count, kind, :count], shown)
                for kind in (SMALL, LARGE)
            )
            lines += [f"    {line}" for line in tables_beside(small, large)]
        of_groups = [waits[:, g, :, g] for g in range(len(self.groups))]
        tables = {sizes.tobytes(): sizes for sizes in of_groups[:MOST_GROUPS]}
        for key, sizes in tables.items():
            same = [name for name, other in zip(shown, of_groups, strict=False) if other.tobytes() == key]
            whose = "" if len(tables) == 1 else f", {enumeration(same)}"
            lines.append(f"  {AFTER}, of its group{whose}, size by size {ROWS}:")
            lines += [f"    {line}" for line in wait_table("job", sizes, [kind.name for kind in KINDS])]
        return lines


def explain_priority(policy: Priority) -> PriorityExplanation:
    """Return the waits after which a job overtakes another one, if they are known.

    Examples
    --------
    A job of vip has 3600 s in advance, so that another one passes it an hour later.

    >>> row = explain_priority(Priority("wait + 3600 * vip")).rows()[0]
    >>> row["passed_group"], row["group"], row["wait"]
    ('vip', 'others', 7200)
    """
    rest = OTHERS
    while rest in policy.named_groups:  # a group may have this name, too
        rest = f"all {rest}"
    named = policy.groups or (*policy.named_groups, rest)
    groups = named if len(named) > 1 else ("all",)
    unknown = _unknown_part(policy)
    if unknown:
        return PriorityExplanation(policy, groups, np.zeros(0, dtype=np.int64), unknown)
    tables: dict[Formula, Ints] = {}
    for order in policy.orders:
        if order.formula not in tables:
            tables[order.formula] = _waits(order.formula, groups)
    waits = np.stack([tables[order.formula] for order in policy.orders])
    waits.flags.writeable = False
    return PriorityExplanation(policy, groups, waits, "")


def _unknown_part(policy: Priority) -> str:
    """Return why the waits between typical jobs are not known; "" if they are."""
    for order in policy.orders:
        term = order.formula.term
        others = sorted(variables(term) - COMPARED)
        if others:
            return f"the order depends on {enumeration(others)}, which jobs of one size and group do not share"
        if term.word == "priority" and not term.labels and not policy.groups:
            return "the groups are those of each workload"
        if shape_of(order.formula.key).kind == GENERAL:
            return f"it is not proven that {written_term(term)} changes in one direction as a job waits"
    return ""


def _waits(formula: Formula, groups: tuple[str, ...]) -> Ints:
    """Return the waits by one formula, (kinds, G, kinds, G) s, see `PriorityExplanation`."""
    shape = (len(KINDS), len(groups)) * 2
    passed_kind, passed_group, kind, group = (places.ravel() for places in np.indices(shape))
    passed = _keys(formula, groups, passed_kind, passed_group, np.full(kind.size, WAITED))
    low = np.zeros(kind.size, dtype=np.int64)
    high = np.full(kind.size, LIFETIME + 1, dtype=np.int64)
    while (active := low < high).any():
        middle = (low + high) // 2
        keys = _keys(formula, groups, kind, group, middle)
        passes = (keys > passed) | ((keys == passed) & (middle >= WAITED))  # of equal keys the older one comes first
        high = np.where(passes, middle, high)
        low = np.where(active & ~passes, middle + 1, low)
    return np.where(high > LIFETIME, NEVER, high).reshape(shape)


def _keys(formula: Formula, groups: tuple[str, ...], kind: Ints, group: Ints, wait: Ints) -> Floats:
    """Return the keys of jobs of some kinds and groups after some waits, (k,) float64, as the simulator has them."""
    from ..kernels.formulas import BLOCK, MOST_DEEP, evaluate_block  # on demand: kernels take long to import

    width, estimate = (np.array(sizes)[kind] for sizes in zip(*(each[1:] for each in KINDS), strict=True))
    nothing = np.zeros(kind.size, dtype=np.int64)
    w = Workload(
        submit=nothing, run=nothing + 1, estimate=estimate, width=width, group=group, groups=groups, capacity=max(width)
    )
    program = program_of([formula.key] * len(SITUATIONS), w)
    submit = LIFETIME + 1 - wait
    submit.flags.writeable = False
    jobs = jobs_of(w)._replace(submit=submit)
    keys, usages, shares = np.empty(kind.size), np.zeros(BLOCK), np.zeros(kind.size)
    stacks = np.empty((MOST_DEEP, BLOCK))
    with np.errstate(all="ignore"):
        for begin in range(0, kind.size, BLOCK):
            rows = np.arange(begin, min(begin + BLOCK, kind.size))
            evaluate_block(
                program, 0, jobs, rows, LIFETIME + 1, usages, shares, stacks, keys[begin : begin + rows.size]
            )
    return keys
