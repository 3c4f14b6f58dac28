"""What a Greedy policy does, in words and numbers: which jobs overtake which others, and after how long a wait.

Nothing is simulated or sampled. In each situation the key of a waiting job (see `greedy_order`) grows with its wait or
is constant. Hence there is one wait from which on the job comes before a job that has just been submitted. That wait
is exact to the second: it is computed with the printed criterion in float64, as the simulator does.

If the other job has waited u seconds itself, the wait is longer by r u, where r is the ratio of the speeds at which
their keys grow:

====  =====================================
f1    w a / p, p requested seconds
f2    w a
f3    w a / (p m), m processors
f4    w a
====  =====================================

All jobs of a group have the same weight and K. But for rounding, size therefore has the same effect in every group
whose weight is not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.situations import SITUATIONS
from ..core.tables import MOST_WIDE, Column, enumeration, indented_lines, plain, table
from .explanation_words import (
    ARRIVAL,
    BACKFILLING,
    FORMULAS,
    KINDS,
    LETTERS,
    LIFETIME,
    QUEUE,
    READING,
    WHEN,
    Kind,
    duration,
    example_jobs,
    grouping_words,
    origin_of,
)
from .greedy_order import Greedy
from .policy import Policy
from .policy_json import to_json

NEVER = -1
EQUAL = "="
SMALL, LARGE = 0, 3
HEAD_START = "How long a job must have waited to pass a new one"
CELLS = "(line: the new job; column: who passes it)"


@dataclass(frozen=True, eq=False)
class GreedyExplanation:
    """What a Greedy policy does; `explain` makes it.

    Parameters
    ----------
    policy
        The policy.
    keys
        (3, kinds, G) the key of a job that has just been submitted, by situation, kind and group.
    speeds
        (3, kinds, G) by how much that key grows in a second.
    waits
        (3, kinds, G, kinds, G) int64 seconds, by situation, kind and group of a job that has just been submitted, and
        kind and group of a waiting job: how long the latter must have waited to come first. 0 is at once, NEVER is not
        within a hundred years. Two jobs with 0 both ways have equal keys; the one that was eligible first comes first.
    """

    policy: Greedy
    keys: Floats
    speeds: Floats
    waits: Ints

    __repr__ = fields_repr
    _repr_html_ = fields_html

    @property
    def situations(self) -> tuple[str, ...]:
        """The situations that the policy tells apart."""
        return SITUATIONS

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for every two different jobs.

        The keys are "situation", "criterion"; "new_job" and "new_group", kind and group of a job that has just been
        submitted; "job" and "group", those of a waiting job; "wait", the seconds after which the waiting job comes
        first, None for never; "more", the seconds it needs in addition for every second that the other job has waited,
        None where its key does not grow.
        """
        rows = []
        with np.errstate(all="ignore"):  # of speeds that are all but 0
            more = plain(self.speeds[:, :, :, None, None] / self.speeds[:, None, None, :, :])
        for s, k, i, x, j in np.ndindex(*self.waits.shape):
            if (k, i) != (x, j):
                wait = int(self.waits[s, k, i, x, j])
                rows.append(
                    {
                        "situation": SITUATIONS[s],
                        "criterion": self.policy.criteria[s],
                        "new_job": KINDS[k].name,
                        "new_group": self.policy.groups[i],
                        "job": KINDS[x].name,
                        "group": self.policy.groups[j],
                        "wait": None if wait == NEVER else wait,
                        "more": more[s][k][i][x][j],
                    }
                )
        return rows

    def about(self) -> dict[str, Any]:
        """Return everything as plain values: the policy, the sentences, the jobs of the examples and the rows."""
        p = self.policy
        situations = {situation: self.situation(s) for s, situation in enumerate(SITUATIONS)}
        return {
            "policy": to_json(p),
            "words": self.words(),
            "situations": situations,
            "jobs": example_jobs(),
            "rows": self.rows(),
        }

    def words(self) -> list[str]:
        """Return sentences: where the policy comes from, and how it chooses the jobs that start."""
        origin = origin_of(self.policy.provenance)
        head = [*([origin] if origin else []), *grouping_words(self.policy.grouping)]
        return [*head, QUEUE, LETTERS, BACKFILLING[self.policy.backfill], examples_sentence(), READING]

    def situation(self, number: int) -> list[str]:
        """Return sentences: what the queue looks like in the situation of this number."""
        if not self.policy.genes[number, : len(self.policy.groups)].any():
            return [f"All weights are 0, and so are all keys: jobs stand in {ARRIVAL}."]
        parts = (_on_groups, _on_waiting, _on_size, _on_head_starts)
        return [sentence for part in parts for sentence in part(self, number)]

    def prose(self) -> str:
        """Return all sentences as text, one paragraph a line."""
        lines = [
            f"{situation.capitalize()} ({WHEN[situation]}; {self.policy.criteria[s]}). {' '.join(self.situation(s))}"
            for s, situation in enumerate(self.situations)
        ]
        return "\n".join([*self.words(), *lines])

    def text(self) -> str:
        """Return everything as text for a terminal: sentences, and for every situation two tables of waits."""
        p = self.policy
        lines = [p.name, *(line for sentence in self.words() for line in indented_lines(sentence))]
        for s, situation in enumerate(self.situations):
            lines += ["", f"{situation} ({WHEN[situation]}): {p.criteria[s]}, key = {FORMULAS[p.criteria[s]]}"]
            lines += [line for sentence in self.situation(s) for line in indented_lines(sentence, "  ", "    ")]
            if len(p.groups) > 1:
                lines.append(f"  {HEAD_START} of its size, group by group {CELLS}:")
                small, large = (
                    wait_table(f"new {KINDS[kind].name} job", self.among_groups(s, kind), p.groups)
                    for kind in (SMALL, LARGE)
                )
                lines += [f"    {line}" for line in tables_beside(small, large)]
            lines.append(f"  {HEAD_START} of its group, size by size {CELLS}:")
            sizes = wait_table("new job", self.among_kinds(s), [kind.name for kind in KINDS])
            lines += [f"    {line}" for line in sizes]
        return "\n".join(lines)

    def among_groups(self, situation: int, kind: int) -> Ints:
        """Return the waits, (G, G) s, between jobs of one kind: row i has those to pass a new job of group i."""
        waits: Ints = self.waits[situation, kind, :, kind, :]
        return waits

    def among_kinds(self, situation: int) -> Ints:
        """Return the waits, (kinds, kinds) s, between jobs of one group: row k has those to pass a new job of kind k.

        They are the same in every group whose weight is not 0; those of the heaviest are returned.
        """
        group = self.heaviest(situation)
        waits: Ints = self.waits[situation, :, group, :, group]
        return waits

    def heaviest(self, situation: int) -> int:
        """Return the number of the first group that has the largest weight."""
        return int(self.policy.genes[situation, : len(self.policy.groups)].argmax())


def explain_greedy(policy: Greedy) -> GreedyExplanation:
    """Return the waits after which a job overtakes another one.

    Examples
    --------
    By f2 with b = 0 a small job of guests, whose weight is a quarter, passes a new one of the staff when
    t / 4 >= K of the staff, 5: after 20 s. It needs 4 s more for each second that the other job has waited.

    >>> from paretosched.policies.greedy_order import greedy
    >>> p = greedy(["f2"] * 3, [[1, 0.25, 5, 0, 1, 0]] * 3, groups=("staff", "guests"))
    >>> row = explain_greedy(p).rows()[0]
    >>> row["new_group"], row["group"], row["wait"], row["more"]
    ('staff', 'guests', 20, 4.0)
    """
    shape = (len(SITUATIONS), len(KINDS), len(policy.groups))
    keys, speeds, waits = np.zeros(shape), np.zeros(shape), np.zeros(shape + shape[1:], dtype=np.int64)
    for s in range(len(policy.criteria)):
        keys[s], speeds[s], waits[s] = _of_situation(policy, s)
    for array in (keys, speeds, waits):
        array.flags.writeable = False
    return GreedyExplanation(policy, keys, speeds, waits)


def _of_situation(policy: Greedy, s: int) -> tuple[Floats, Floats, Ints]:
    """Return the keys, speeds and waits of one situation, see `GreedyExplanation`."""
    criterion, (w, K, a, b) = policy.criteria[s], _genes(policy, s)
    width, estimate = (
        np.array(sizes, dtype=np.float64)[:, None] for sizes in zip(*(k[1:] for k in KINDS), strict=True)
    )

    def keys_after(wait: ArrayLike) -> Floats:
        return key(criterion, w, K, a, b, wait, estimate, width)

    keys = keys_after(0)
    speeds = np.array([w * a * _pace(criterion, kind) for kind in KINDS])
    return keys, speeds, _least(keys_after, keys[:, :, None, None], 0)


class Job(NamedTuple):
    """What the key of a job depends on, besides its wait.

    Attributes
    ----------
    group
        The name of its user group.
    width, estimate
        Processors and seconds it requests.
    """

    group: str
    width: int
    estimate: int


def needed_wait(policy: Policy, situation: str, job: Job, other: Job, waited: int = 0) -> int | None:
    """Return how long a job must have waited to come before another one in the queue of Greedy.

    Parameters
    ----------
    policy
        A Greedy policy.
    situation
        "weekend", "day" or "night": the situation in which the queue is ordered.
    job, other
        The two jobs. If they have waited equally long, `job` was submitted first.
    waited
        Seconds that the other job has waited.

    Returns
    -------
    Seconds, or None for not within a hundred years.

    Raises
    ------
    InputError
        The policy is not Greedy or has no such group, or a number is out of range.

    Examples
    --------
    By f1, with a = 1 and b = 0, a job that requests 10 s and has waited 5 s has the same key as a job that requests
    100 s and has waited 50 s. But the other one was submitted first, so that 6 s are needed.

    >>> from paretosched.policies.greedy_order import greedy
    >>> p = greedy(["f1"] * 3, [[1, 0, 1, 0]] * 3, groups=("1",))
    >>> needed_wait(p, "day", Job("1", 1, 10), Job("1", 8, 100), waited=50)
    6
    """
    if not isinstance(policy, Greedy):
        raise InputError(f'policy must be Greedy, whose queue is ordered by keys, but is "{policy.rule}"')
    one_of("situation", situation, SITUATIONS)
    s = SITUATIONS.index(situation)
    for j in (job, other):
        one_of("group", j.group, policy.groups)
        if j.width < 1 or j.estimate < 1:
            raise InputError(f"jobs must request at least 1 processor for 1 s, but one is {j}")
    if not 0 <= waited <= LIFETIME:
        raise InputError(f"waited must be in 0..{LIFETIME} s, but is {waited}")
    w, K, a, b = _genes(policy, s)

    def key_of(j: Job, wait: ArrayLike) -> Floats:
        g = policy.groups.index(j.group)
        return key(policy.criteria[s], w[g], K[g], a, b, wait, j.estimate, j.width)

    least = int(_least(lambda wait: key_of(job, wait), np.asarray(key_of(other, waited)), waited))
    return None if least == NEVER else least


def key(
    criterion: str,
    w: ArrayLike,
    K: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    wait: ArrayLike,
    estimate: ArrayLike,
    width: ArrayLike,
) -> Floats:
    """Return keys by a criterion, see `greedy_order`, as the simulator computes them; arguments are broadcast.

    Examples
    --------
    >>> float(key("f2", 0.5, 1, 1, 0.25, 10, 20, 2))
    10.5
    """
    w, K, a, b, wait, p, m = (np.asarray(x, dtype=np.float64) for x in (w, K, a, b, wait, estimate, width))
    if criterion == "f1":
        return np.asarray(w * (K + a * (wait / p) + b * (p / m)))
    if criterion == "f2":
        return np.asarray(w * (K + a * wait + b * (p * m)))
    if criterion == "f3":
        return np.asarray(w * (K + a * (wait / (p * m))))
    return np.asarray(w * (K + a * wait + b * (p / m)))


def _genes(policy: Greedy, situation: int) -> tuple[Floats, Floats, float, float]:
    """Return w, (G,), K, (G,), a and b of a situation."""
    row, count = policy.genes[situation], len(policy.groups)
    return row[:count], row[count : 2 * count], float(row[-2]), float(row[-1])


def _least(key_after: Callable[[ArrayLike], Floats], rival: Floats, wait: int) -> Ints:
    """Return the shortest waits, int64 s, after which a key is at least a rival's; NEVER if longer than LIFETIME.

    Rounding keeps order, so that a key, like its formula, never falls as the wait grows. Hence bisection finds the
    wait. A job that has waited less than its rival was submitted later and loses ties.
    """
    low = np.zeros(np.broadcast(key_after(0), rival).shape, dtype=np.int64)
    high = np.full(low.shape, LIFETIME + 1, dtype=np.int64)
    while (active := low < high).any():
        middle = (low + high) // 2
        keys = key_after(middle)
        passes = (keys > rival) | ((keys == rival) & (middle >= wait))
        high = np.where(passes, middle, high)
        low = np.where(active & ~passes, middle + 1, low)
    return np.where(high > LIFETIME, NEVER, high)


def _pace(criterion: str, kind: Kind) -> float:
    """Return how fast a wait counts: the factor of w a."""
    return {"f1": 1 / kind.estimate, "f3": 1 / (kind.estimate * kind.width)}.get(criterion, 1.0)


def _bulk(criterion: str, kind: Kind) -> float:
    """Return what size adds to the key: the factor of w b."""
    return float(kind.estimate * kind.width) if criterion == "f2" else kind.estimate / kind.width


# --- words --------------------------------------------------------------------------------------------------------


def _on_groups(e: GreedyExplanation, s: int) -> Iterator[str]:
    """Yield sentences: in which order the groups stand."""
    groups = e.policy.groups
    if len(groups) == 1:
        return
    small, large = (ranking(e.keys[s, kind], groups) for kind in (SMALL, LARGE))
    if small == large:
        yield f"Groups: eligible together, jobs of one size stand in this order: {small}."
    else:
        yield f"Groups: eligible together, small jobs stand in this order: {small}; and large ones: {large}."
    zero = [group for group, weight in zip(groups, _genes(e.policy, s)[0], strict=True) if weight == 0]
    if zero:
        yield f"Weight 0 ({enumeration(zero)}): such keys stay 0, however long a job waits."


def _on_waiting(e: GreedyExplanation, s: int) -> Iterator[str]:
    """Yield sentences: how a wait counts in each group and for each size."""
    weights, _, a, _ = _genes(e.policy, s)
    if a == 0:
        yield "Waiting: it does not count (a is 0); a job that stands behind another one stays there."
        return
    heaviest = e.heaviest(s)
    with np.errstate(over="ignore"):
        worth = {g: 3600 * weights[heaviest] / w for g, w in zip(e.policy.groups, weights, strict=True) if w > 0}
    first = e.policy.groups[heaviest]
    others = [f"{duration(float(seconds))} in {group}" for group, seconds in worth.items() if group != first]
    divisor = {"f1": "the request", "f3": "the request times the processors"}.get(e.policy.criteria[s])
    if others:
        size = ", of one size" if divisor else ""
        yield f"Waiting: an hour of a job in group {first} counts as much as {enumeration(others)}{size}."
    if divisor:
        yield f"Waiting counts relative to size: a job of half {divisor} ages twice as fast."


def _on_size(e: GreedyExplanation, s: int) -> Iterator[str]:
    """Yield a sentence: in which order jobs of different sizes stand."""
    keys, waits = e.keys[s, :, e.heaviest(s)], e.among_kinds(s)
    names = [kind.name for kind in KINDS]
    first, last = int(keys.argmax()), int(keys.argmin())
    if keys[first] == keys[last]:
        yield f"Size: no head start; new jobs of a group stand in {ARRIVAL}."
        return
    wait = int(waits[first, last])
    until = "however long that has waited" if wait == NEVER else f"until that has waited {duration(wait)}"
    yield (
        f"Size: eligible together, jobs of one group stand in this order: {ranking(keys, names)}; "
        f"a new {names[first]} job passes a {names[last]} one {until}."
    )


def _on_head_starts(e: GreedyExplanation, s: int) -> Iterator[str]:
    """Yield a sentence: what K and b are worth in waiting time, because a reader has a feeling for that."""
    _, K, a, b = _genes(e.policy, s)
    criterion = e.policy.criteria[s]
    if a == 0:
        return
    parts = []
    for name, worth in (("K", K), ("size", np.array([b]))):
        if worth.any() and (name, criterion) != ("size", "f3"):
            spans = []
            for kind in (KINDS[SMALL], KINDS[LARGE]):
                with np.errstate(over="ignore"):
                    seconds = worth * (_bulk(criterion, kind) if name == "size" else 1.0) / a / _pace(criterion, kind)
                ends = dict.fromkeys(duration(float(end)) for end in (seconds.min(), seconds.max()))
                spans.append(" to ".join(ends))
            same = spans[0] == spans[1]
            parts.append(f"{name} {spans[0] if same else f'{spans[0]} for a small job, {spans[1]} for a large one'}")
    if parts:
        yield f"Head starts, in waiting: {'; '.join(parts)}."


def waiting(waits: Ints, new: int, other: int) -> str:
    """Return as text how long job `other` must have waited to pass job `new`; `waits` is a square of waits, s.

    Examples
    --------
    >>> waits = np.array([[0, 7200], [0, 0]])
    >>> waiting(waits, 0, 1), waiting(waits, 1, 0), waiting(waits, 1, 1)
    ('2 h', '0', '=')
    """
    wait = int(waits[new, other])
    if wait == 0 and waits[other, new] == 0:
        return EQUAL
    return "never" if wait == NEVER else duration(wait)


def about(kind: Kind) -> str:
    """Return in words what a job of this kind requests.

    Examples
    --------
    >>> about(KINDS[0])
    '4 processors for 30 min'
    """
    return f"{kind.width} processors for {duration(kind.estimate)}"


def ranking(keys: Floats, names: Sequence[str]) -> str:
    """Return names in the order of their keys, largest first; "=" stands between names of equal keys.

    Examples
    --------
    >>> ranking(np.array([1.0, 3.0, 1.0]), ["a", "b", "c"])
    'b, a = c'
    """
    return ", ".join(
        " = ".join(names[j] for j in np.flatnonzero(keys == value).tolist()) for value in np.unique(keys)[::-1]
    )


def examples_sentence() -> str:
    """Return a sentence: what the jobs of the examples request."""
    return f"The examples request: {'; '.join(f'{kind.name}, {about(kind)}' for kind in KINDS)}."


def wait_table(corner: str, waits: Ints, names: Sequence[str]) -> list[str]:
    """Return a table of waits: a line for every new job, a column for every waiting job."""
    lines = [{"new": name} | {str(j): waiting(waits, i, j) for j in range(len(names))} for i, name in enumerate(names)]
    columns = [Column(str(j), f"by {name}", ">") for j, name in enumerate(names)]
    return table(lines, [Column("new", corner), *columns]).splitlines()


def tables_beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Return two tables side by side, or one below the other where that would be too wide."""
    width = max(map(len, left))
    if width + 4 + max(map(len, right)) > MOST_WIDE:
        return [*left, *right]
    return [f"{a:{width}}    {b}" for a, b in zip(left, right, strict=True)]
