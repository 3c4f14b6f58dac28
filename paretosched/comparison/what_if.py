"""What if there were more work, more processors, or more users of a group: the workloads of such questions.

More work is more users with the habits of those in the log (`resample`): so it comes at the hours and in the weeks in
which users submit, and in bursts. It lasts as long as the log, but no job of it stands where it stood. So it is not
compared with the log, but with the log put together again at today's load; and because chance has a part in both, there
are several draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..core.errors import number_of
from ..simulation.schedule import Schedule
from ..simulation.service import waits
from ..workload.machine import UNTYPED, Machine
from ..workload.more_nodes import with_more_nodes
from ..workload.plausibility import offered_load
from ..workload.resampling import resample
from ..workload.workload import Workload
from .consequences import Consequence, consequences, duration, in_service_words, users_of

SEEDS = (1, 2, 3)
MOST_DRAWN = 300_000  # jobs of all draws; a larger log is drawn once, so that an owner need not wait
TOO_FEW = "The users of this log are too few for that: hardly anything changes."
MORE = 10  # one processor or node more for so many
MOST_KINDS = 4  # of nodes, of which there could be more


class Question(NamedTuple):
    """A question, in words, and what changes.

    Attributes
    ----------
    words
        The question.
    load
        How many times the load; 1 for the log's.
    group
        The name of the group whose users are there twice; "" for none.
    larger
        Whether the machine has a tenth more processors; on a machine of nodes, a tenth more nodes like `node`.
    node
        The node that there are more of.
    """

    words: str
    load: float = 1.0
    group: str = ""
    larger: bool = False
    node: str = ""


def questions(workload: Workload) -> list[Question]:
    """Return the questions that can be asked of a workload; one for each group that has users of its own.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=20)
    >>> [question.words for question in questions(w)]
    ['10 % more load', '25 % more load', 'a tenth more processors: 22 in place of 20']
    """
    size, machine = _larger(workload.capacity), workload.machine
    larger = (
        [Question(f"a tenth more processors: {size:,} in place of {workload.capacity:,}", larger=True)]
        if machine is None
        else [_more_nodes(machine, number) for number in _scarcest(machine)]
    )
    groups = _groups_of_users(workload) if len(workload.groups) > 1 else []
    load = [Question("10 % more load", 1.1), Question("25 % more load", 1.25)]
    return [*load, *larger, *(Question(f"group {name} has twice as many users", group=name) for name in groups)]


def seeds_of(workload: Workload, question: Question) -> tuple[int, ...]:
    """Return the seeds of the draws that answer a question; more processors leave nothing to chance."""
    return SEEDS[:1] if question.larger or len(workload) * len(SEEDS) > MOST_DRAWN else SEEDS


def base_workload(workload: Workload, question: Question, seed: int = SEEDS[0]) -> Workload:
    """Return what the workload of a question is compared with: put together likewise, without what the question asks.

    Raises
    ------
    InputError
        As `changed_workload`.
    """
    if question.larger:
        return workload
    return resample(workload, seed, load=None if question.group else 1.0)


def changed_workload(workload: Workload, question: Question, seed: int = SEEDS[0]) -> Workload:
    """Return the workload of a question; the same one each time for a seed.

    Raises
    ------
    InputError
        The workload does not know its users, or lasts too short a time to be put together again.
    """
    if question.node and workload.machine is not None:
        count = int((workload.machine.kind == workload.machine.kind[workload.machine.place_of[question.node]]).sum())
        machine = with_more_nodes(workload.machine, question.node, _larger(count) - count)
        nodes = number_of(len(machine.names), "node")
        return workload.with_(machine=machine, capacity=machine.capacity, name=f"{workload.name} on {nodes}")
    if question.larger:
        size = _larger(workload.capacity)
        return workload.with_(capacity=size, name=f"{workload.name} on {number_of(size, 'processor')}")
    if question.group:
        return resample(workload, seed, double=question.group)
    return resample(workload, seed, load=question.load)


def _groups_of_users(workload: Workload) -> list[str]:
    """Return the groups in which some user has most work: the others would get no users by `resample`."""
    users, place = np.unique(np.maximum(workload.user, -1), return_inverse=True)
    work = np.zeros((users.size, len(workload.groups)))
    np.add.at(work, (place, workload.group), workload.run * workload.width.astype(np.float64))
    return [workload.groups[group] for group in np.unique(work.argmax(axis=1)).tolist()]


def _scarcest(machine: Machine) -> list[int]:
    """Return the kinds of nodes of which there could be more, MOST_KINDS at most: with GPUs, with most memory, largest.

    Nodes in no partition are left out.
    """
    kinds = np.unique(machine.kind[machine.members.any(axis=0)]).tolist()
    each = machine.kinds
    return sorted(kinds, key=lambda k: (not each[k].gpus, -each[k].memory, -each[k].count))[:MOST_KINDS]


def _more_nodes(machine: Machine, number: int) -> Question:
    """Return the question of a tenth more nodes of a kind, one at least."""
    kind = machine.kinds[number]
    node = machine.names[int(np.flatnonzero((machine.kind == number) & machine.members.any(axis=0))[-1])]
    has = [number_of(kind.cpus, "CPU"), f"{kind.memory / 1024:,.0f} GiB"]
    has += [number_of(count, "GPU") if word == UNTYPED else f"{count:,} {word}" for word, count in kind.gpus]
    more = number_of(_larger(kind.count) - kind.count, "more node")
    return Question(f"{more} like {node} ({', '.join(has)}), beside {kind.count:,}", larger=True, node=node)


class Draw(NamedTuple):
    """One draw of a question: its workloads and what schedulers do with them.

    Attributes
    ----------
    base, changed
        The workload that is compared with, and that of the question.
    today_before, today
        Schedules of the scheduler that the others are compared with, of `base` and of `changed`.
    others
        Schedules of `changed`, by the names of the other schedulers.
    """

    base: Workload
    changed: Workload
    today_before: Schedule
    today: Schedule
    others: Mapping[str, Schedule]


class Answer(NamedTuple):
    """What a question does to schedulers.

    Attributes
    ----------
    today
        Sentences on the workload, and on the scheduler that the others are compared with.
    means
        For each other scheduler, by its name, a sentence on its mean waits in all draws.
    lines
        For each of them, what it changes on the same changed workload, in the first draw.
    values
        For each of them the objective values in all draws, (m,) natural units each.
    """

    today: list[str]
    means: dict[str, str]
    lines: dict[str, list[Consequence]]
    values: Mapping[str, list[Floats]]


def answer(question: Question, name: str, draws: Sequence[Draw]) -> Answer:
    """Return in words what schedulers do with the workloads of a question, of which there is at least one draw.

    `name` is that of the scheduler that the others are compared with.
    """
    first = draws[0]
    measured = [waits(draw.today) for draw in draws]
    there = means_text([float(w.mean[0]) for w in measured])
    before = means_text([float(waits(draw.today_before).mean[0]) for draw in draws])
    base = "today" if question.larger else "put together again at today's load"
    how = f" ({len(draws)} draws of the users in the log)" if len(draws) > 1 else ""
    sentences = [
        *([TOO_FEW] if _is_missed(question, first) else []),
        f"With {question.words}{_load_text(first)} the mean wait with {name} is {there}; {base} {before}{how}.",
        in_service_words(measured[0], name),
    ]
    users, util = users_of(first.changed), first.today.objectives["UTIL"]
    values: dict[str, list[Floats]] = {
        key: [draw.others[key].objectives.array for draw in draws] for key in first.others
    }
    all_waits = {key: [waits(draw.others[key]) for draw in draws] for key in first.others}
    means = {key: f"its mean wait is {means_text([float(w.mean[0]) for w in some])}" for key, some in all_waits.items()}
    lines = {
        key: consequences(measured[0], some[0], first.changed.groups, users, (util, float(values[key][0][0])))
        for key, some in all_waits.items()
    }
    return Answer(sentences, means, lines, values)


def means_text(seconds: Sequence[float]) -> str:
    """Return the mean of times, and in brackets the smallest and the largest if there are several.

    Examples
    --------
    >>> means_text([7200.0]), means_text([5400.0, 7200.0, 9000.0])
    ('2 h', '2 h (1.5 h to 2.5 h)')
    """
    mean = duration(sum(seconds) / len(seconds))
    return mean if len(seconds) == 1 else f"{mean} ({duration(min(seconds))} to {duration(max(seconds))})"


def _load_text(draw: Draw) -> str:
    """Return what the offered load has become, which is drawn from users and never quite what was asked for."""
    before, after = offered_load(draw.base), offered_load(draw.changed)
    return "" if before is None or after is None else f" (offered load {after:.2f} in place of {before:.2f})"


def _is_missed(question: Question, draw: Draw) -> bool:
    """Return whether not even half of the load came that a question asks for: users come or go as a whole."""
    before, after = offered_load(draw.base), offered_load(draw.changed)
    if question.load == 1 or before is None or after is None:
        return False
    return after / before - 1 < 0.5 * (question.load - 1)


def _larger(capacity: int) -> int:
    return capacity + -(-capacity // MORE)
