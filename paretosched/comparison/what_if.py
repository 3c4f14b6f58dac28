"""What if there were more work, more processors, or more users of a group: the workloads of such questions.

More work is more users with the habits of those in the log (`resample`): so it comes at the hours and in the weeks in
which users submit, and in bursts. It lasts as long as the log, but no job of it stands where it stood. Schedulers are
compared on it with each other, and not with the schedules of the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..core.arrays import Floats
from ..simulation.objective import objectives
from ..simulation.schedule import Schedule
from ..simulation.service import waits
from ..workload.plausibility import offered_load
from ..workload.resampling import resample
from ..workload.workload import Workload
from .consequences import Consequence, consequences, in_service_words, users_of

SEED = 1
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


def changed_workload(workload: Workload, question: Question) -> Workload:
    """Return the workload of a question; the same one each time.

    Raises
    ------
    InputError
        The workload does not know its users, or lasts too short a time to be put together anew.
    """
    if question.larger:
        size = _larger(workload.capacity)
        return workload.with_(capacity=size, name=f"{workload.name} on {size} processors")
    if question.group:
        return resample(workload, SEED, double=question.group)
    return resample(workload, SEED, load=question.load)


class Answer(NamedTuple):
    """What a question does to schedulers.

    Attributes
    ----------
    today
        Sentences on the workload, and on the scheduler that the others are compared with.
    lines
        For each other schedule, by its name, what it changes on the same changed workload.
    values
        For each of these the objective values, (m,) natural units.
    """

    today: list[str]
    lines: dict[str, list[Consequence]]
    values: Mapping[str, Floats]


def answer(
    workload: Workload,
    changed: Workload,
    question: Question,
    today: tuple[str, Schedule],
    others: Mapping[str, Schedule],
) -> Answer:
    """Return in words what schedulers do with the workload of a question.

    Parameters
    ----------
    workload, changed
        The workload of the log, and that of the question.
    question
        The question.
    today, others
        Schedules of `changed`: the name and that of the scheduler that is compared with, and others by their names.
    """
    name, first = today
    measured, users = waits(first), users_of(changed)
    sentences = [f"With {question.words}{_load_text(workload, changed)}:", in_service_words(measured, name)]
    values = {key: objectives(other) for key, other in others.items()}
    lines = {
        key: consequences(
            measured, waits(other), changed.groups, users, (float(objectives(first)[0]), float(values[key][0]))
        )
        for key, other in others.items()
    }
    return Answer(sentences, lines, values)


def _load_text(workload: Workload, changed: Workload) -> str:
    """Return what the offered load has become, which is drawn from users and never quite what was asked for."""
    before, after = offered_load(workload), offered_load(changed)
    return "" if before is None or after is None else f" (offered load {after:.2f} in place of {before:.2f})"


def _larger(capacity: int) -> int:
    return capacity + -(-capacity // MORE)
