"""What if there were more work, more processors, or more users of a group: the workloads of such questions.

More work is more users with the habits of those in the log (`resample`): so it comes at the hours and in the weeks in
which users submit, and in bursts. It lasts as long as the log, but no job of it stands where it stood. So it is not
compared with the log, but with the log put together again at today's load; and because chance has a part in both, there
are several draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.arrays import Floats
from ..core.errors import number_of
from ..simulation.schedule import Schedule
from ..simulation.service import waits
from ..workload.plausibility import offered_load
from ..workload.resampling import resample
from ..workload.workload import Workload
from .consequences import Consequence, consequences, duration, in_service_words, users_of

SEEDS = (1, 2, 3)
MOST_DRAWN = 300_000  # jobs of all draws; a larger log is drawn once, so that an owner need not wait
MORE = 10  # one processor more for so many


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
        Whether the machine has a tenth more processors.
    """

    words: str
    load: float = 1.0
    group: str = ""
    larger: bool = False


def questions(workload: Workload) -> list[Question]:
    """Return the questions that can be asked of a workload; one for each group of several.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=20)
    >>> [question.words for question in questions(w)]
    ['10 % more load', '25 % more load', 'a tenth more processors: 22 in place of 20']
    """
    size = _larger(workload.capacity)
    common = [
        Question("10 % more load", 1.1),
        Question("25 % more load", 1.25),
        Question(f"a tenth more processors: {size:,} in place of {workload.capacity:,}", larger=True),
    ]
    groups = workload.groups if len(workload.groups) > 1 else ()
    return [*common, *(Question(f"group {name} has twice as many users", group=name) for name in groups)]


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
    if question.larger:
        size = _larger(workload.capacity)
        return workload.with_(capacity=size, name=f"{workload.name} on {number_of(size, 'processor')}")
    if question.group:
        return resample(workload, seed, double=question.group)
    return resample(workload, seed, load=question.load)


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


def _larger(capacity: int) -> int:
    return capacity + -(-capacity // MORE)
