"""Trainings in the background: each is a process that runs `paretosched train`, one after the other.

All about a training is on disk: `training-1.json` has the wish, the effort, the class of policies and whether the last
part of the time is kept to test on; the run directory `training-1` holds every evaluation; and when it is done
`training-1.policy.json` and `training-1.result.json` appear, the latter with what the command shows. So if a training
was stopped, or its page was closed or killed, the same command continues it with the same result (see `search.runs`).
`queue.json` says which training runs, as which process, and which ones wait. If the page was killed, the next page goes
on with both.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.files import read_json, write_json
from ..core.run_files import STORE_FILE
from ..core.watching import seconds_left
from ..policies.greedy_order import CRITERIA
from ..policies.policy import Policy, load_policy
from ..search import runs
from ..training.evolution_strategy import CHILDREN, PARENTS
from ..training.greedy_training import mixed_systems
from ..training.rule_base_training import GREEDY_RUN, RULES_RUN
from ..wishes import nearness, wish_files
from ..wishes.relative_limits import known_part
from ..wishes.wish import Wish
from ..workload.measures import is_measure
from .page_folder import read_typed
from .processes import Background, Process, begin, is_running, last_error
from .state import GREEDY, GUARDED, KINDS, PRIORITY, RULES

FORMAT = "paretosched page training 1"
QUEUE_FORMAT: Final = "paretosched page queue 1"
QUEUE_FILE = "queue.json"
QUEUED, RUNNING, STOPPED, DONE, FAILED = "queued", "running", "stopped", "done", "failed"
EFFORTS = {5: "a quick look", 25: "thorough", 100: "in full"}  # generations of Greedy
LEARN_UNTIL = 0.7  # share of the time that a training with a test learns from
# simulations of the other classes, by the effort; of rules beside those of a Greedy, which has the generations
OF_CLASS = {PRIORITY: {5: 500, 25: 1500, 100: 4000}, GUARDED: {5: 60, 25: 250, 100: 1000}}
OF_RULES = {5: 363, 25: 1763, 100: 3513}  # the strategies alone, and 5, 25 and 50 generations


class Training(NamedTuple):
    """What is known about a training.

    Attributes
    ----------
    number
        From 1, in the order of the owner's requests.
    wish, generations, kind, until
        The request: what to train for, how long, which class of policies, and until which share of the time it learns,
        to be tested on the rest; None for all of it.
    status
        QUEUED, RUNNING, STOPPED, DONE or FAILED.
    done, total
        How many policies are simulated, and how many will be in all.
    course
        (k, m) natural units, objective values of the best policies so far, each better than the one before; none where
        they learn from a part of the jobs.
    policy
        The trained policy; None before the training is done.
    message
        Why the training failed.
    seconds_left
        How long it will still take at the pace since this page saw it first; None if that is not known, or if it does
        not run.
    result
        What `paretosched train --json` shows; empty before the training is done, or if it is of an earlier version.
    """

    number: int
    wish: Wish
    generations: int
    status: str
    done: int
    total: int
    course: Floats
    policy: Policy | None
    message: str
    seconds_left: float | None = None
    kind: str = GREEDY
    until: float | None = None
    result: Mapping[str, Any] = {}

    @property
    def has_test(self) -> bool:
        """Whether a part of the time is kept to test on."""
        return self.until is not None


class _System(msgspec.Struct):
    """A row of what `paretosched train --json` shows, as far as the page needs it."""

    system: str
    best: bool
    workloads: Annotated[list[dict[str, float | str | None]], msgspec.Meta(min_length=1)]
    rest: Annotated[list[dict[str, float | str | None]], msgspec.Meta(min_length=1)] | msgspec.UnsetType = msgspec.UNSET
    rest_objective: float | None = 0.0  # None if no job of the rest is of a group in the goal
    rest_exceeded: float = 0.0
    rest_vs_easy: float | None = None


class _Result(msgspec.Struct):
    """What `paretosched train --json` shows, as far as the page needs it."""

    systems: list[_System]


class _Running(msgspec.Struct, forbid_unknown_fields=True):
    """The training that runs: its number, and its process as far as the system tells it."""

    number: int
    process: Process | None


class _Queue(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `queue.json`."""

    format: Literal["paretosched page queue 1"]
    running: _Running | None
    waiting: list[int]


@dataclass
class Trainings:
    """The trainings of a page.

    Parameters
    ----------
    folder
        Folder in which they are kept.
    trace
        Words with which `paretosched train` reads the workload: the log, and options. Without them none is started.
    groups
        A list of who is in which group, if the groups are not fixed otherwise: all trainings take it, so that a group
        is the same people in what is learnt from, in what is tested, on the page and in a deployment.

    Raises
    ------
    InputError
        `queue.json` cannot be read.
    """

    folder: Path
    trace: Sequence[str] = ()
    groups: Path | None = None
    _running: Background | None = None  # of this page, or it outlived the page before
    _number: int = 0
    _queue: list[int] = field(default_factory=list)
    _courses: dict[int, tuple[int, Floats]] = field(default_factory=dict)
    _references: dict[str, Floats] = field(default_factory=dict)
    _measures: tuple[str, ...] = ()
    _first_seen: dict[int, tuple[float, int]] = field(default_factory=dict)  # when, and how much was done then

    def __post_init__(self) -> None:
        """Go on with the queue of a page that was killed."""
        content = read_typed(self.folder / QUEUE_FILE, "queue", _Queue)
        if content is None:
            return
        self._queue = [number for number in dict.fromkeys(content.waiting) if number in self.numbers()]
        if content.running is None:
            return
        number, process = content.running.number, content.running.process
        if process is not None and is_running(process):
            self._number, self._running = number, Background(process)
            return
        was_killed = not self._path(number, ".policy.json").exists() and not self._last_error(number)
        if number in self.numbers() and was_killed:  # neither done, nor cancelled, nor failed
            self._queue.insert(0, number)

    def _save(self) -> None:
        """Write which training runs and which ones wait; no file if there are none."""
        process = None if self._running is None else self._running.process
        running = _Running(self._number, process) if self._number else None
        if running or self._queue:
            content = _Queue(QUEUE_FORMAT, running, self._queue)
            write_json(self.folder / QUEUE_FILE, msgspec.to_builtins(content), private=True)
        else:
            (self.folder / QUEUE_FILE).unlink(missing_ok=True)

    def numbers(self) -> list[int]:
        """Return the numbers of all trainings in the folder."""
        names = [
            path.name.removeprefix("training-").removesuffix(".json") for path in self.folder.glob("training-*.json")
        ]
        return sorted(int(name) for name in names if name.isdecimal() and len(name) < 7)

    def ask(self, wish: Wish, generations: int, kind: str = GREEDY, has_test: bool = False) -> int:
        """Ask for a training, and return its number; it starts when those before it have ended."""
        number = max(self.numbers(), default=0) + 1
        value = {"format": FORMAT, "wish": wish_files.to_json(wish), "generations": generations}
        value |= {"class": kind, "until": LEARN_UNTIL if has_test else None}
        write_json(self._path(number, ".wish.json"), value["wish"], private=True)
        write_json(self._path(number, ".json"), value, private=True)
        self._queue.append(number)
        self._save()
        self.advance()
        return number

    def know(self, references: dict[str, Floats], measures: tuple[str, ...] = ()) -> None:
        """Store what policies reach on the workload, (m,) each, which wishes may be relative to.

        `measures` are those of the front, in the last columns.
        """
        self._references, self._measures = references, measures
        self._courses.clear()

    def resume(self, number: int) -> None:
        """Continue a training that was stopped."""
        if number not in self.numbers():
            raise InputError(f"there is no training {number}")
        self._refuse_orphan(number)
        if number != self._number and number not in self._queue:
            self._queue.append(number)
            self._save()
        self.advance()

    def cancel(self, number: int) -> None:
        """Stop a training, or remove it from the queue; its evaluations are kept."""
        if number in self._queue:
            self._queue.remove(number)
            self._save()
        elif number == self._number and self._running is not None:
            self._running.send(signal.SIGINT)
        else:
            self._refuse_orphan(number)

    def _refuse_orphan(self, number: int) -> None:
        """Refuse a training that another process runs of which this page knows nothing."""
        writer = None if number == self._number else self._writer(number)
        if writer is not None:
            raise InputError(f"training {number} was started by a page that was killed; {writer} goes on with it")

    def close(self) -> None:
        """Stop the training that runs, and wait until it has written its evaluations; those that wait are stopped."""
        self._queue.clear()
        if self._running is not None:
            self._running.end()
        self._running, self._number = None, 0
        self._save()

    def advance(self) -> None:
        """Start the next training if none runs."""
        if self._running is not None and self._running.is_running:
            return
        if self._number:
            self._running, self._number = None, 0
            self._save()
        if self._queue and self.trace:
            number = self._queue.pop(0)
            try:
                # a page that was killed may have started it and not noted it
                if self._writer(number) is not None:
                    self._queue.insert(0, number)
                    return
                self._running = self._start(number)
                self._number = number
            finally:
                self._save()

    def _start(self, number: int) -> Background:
        """Start `paretosched train`."""
        trace, *options = self.trace
        words = ["train", str(Path(trace).absolute()), *options, "--json"]
        words += [] if self.groups is None else ["--groups", str(self.groups)]
        words += ["--objective", str(self._path(number, ".wish.json")), *_words(self._request(number))]
        words += ["--run", str(self._path(number, "")), "-o", str(self._path(number, ".policy.json"))]
        return begin(words, self._path(number, ".log"), self._path(number, ".result.json"))

    def read_all(self) -> list[Training]:
        """Return what is known about every training, the latest first."""
        trainings = []
        for number in reversed(self.numbers()):
            try:
                trainings.append(self._read(number))
            except (InputError, OSError, KeyError, TypeError) as error:
                nothing = np.empty((0, 0))
                wish = Wish(weights=[("AWRT", 1.0)])
                trainings.append(Training(number, wish, 0, FAILED, 0, 1, nothing, None, f"cannot be read: {error}"))
        return trainings

    def _read(self, number: int) -> Training:
        """Return what is known about a training."""
        request = self._request(number)
        wish = replace(wish_files.from_json(request["wish"]), measures=self._measures)
        generations, kind, until = int(request["generations"]), kind_of(request), request.get("until")
        total = size(generations, kind)
        path = self._path(number, ".policy.json")
        if number == self._number:
            live = self._running is not None and self._running.is_running
        else:  # somebody else may have started it
            live = not path.exists() and self._writer(number) is not None
        course = self._course(number, wish, live or number == self._number)
        # the further named policies, which are tried last, come on top of the evaluations that were asked for
        position = min(self._courses.get(number, (0, course))[0], total)
        policy, message = None, ""
        result: Mapping[str, Any] = {}
        if live:
            status = RUNNING
        elif number in self._queue:
            status = QUEUED
        elif path.exists():
            status, policy, result = DONE, load_policy(path), self._result(number)
        else:
            message = self._last_error(number)
            status = STOPPED if not message or "interrupted" in message else FAILED
        left = self._seconds_left(number, position, total) if status == RUNNING else None
        request_and_state = number, wish, generations, status, position, total
        return Training(*request_and_state, course, policy, message, left, kind, until, result)

    def _writer(self, number: int) -> str | None:
        """Return which process writes a run of a training; None if none does."""
        found = (runs.writer(place) for place in self._run_directories(number))
        return next((writer for writer in found if writer is not None), None)

    def _run_directories(self, number: int) -> list[Path]:
        """Return the run directories of a training, in the order in which they are filled."""
        place = self._path(number, "")
        return [place / GREEDY_RUN, place / RULES_RUN] if kind_of(self._request(number)) == RULES else [place]

    def _result(self, number: int) -> Mapping[str, Any]:
        """Return what `paretosched train` has shown of a training that is done; nothing if that is not known."""
        try:
            value = read_typed(self._path(number, ".result.json"), "result", _Result)
        except InputError:  # of an earlier version, or killed before it was shown
            return {}
        if value is None:
            return {}
        result: Mapping[str, Any] = msgspec.to_builtins(value)
        return result

    def _seconds_left(self, number: int, done: int, total: int) -> float | None:
        """Return how long a training that runs still takes, at its pace since the page saw its first evaluations."""
        now = time.monotonic()
        if done == 0:
            return None  # its kernels are being compiled, and say nothing about the pace
        return seconds_left(self._first_seen.setdefault(number, (now, done)), (now, done), total)

    def _course(self, number: int, wish: Wish, live: bool) -> Floats:
        """Return the values of the best policies so far, (k, m) natural units, from the evaluations on disk."""
        if number in self._courses and not live:
            return self._courses[number][1]  # nothing is added to it
        stores = [place for place in self._run_directories(number) if (place / STORE_FILE).exists()]
        parts = []
        for place in stores:
            with suppress(InputError):  # the file is being created at this moment, or still empty
                parts.append(runs.read_values(place)[0])
        if not parts:
            return np.empty((0, 0))
        count = sum(map(len, parts))
        cached = self._courses.get(number)
        if cached is None or cached[0] != count:
            request = self._request(number)
            is_whole = request.get("until") is None and kind_of(request) not in OF_CLASS
            values = in_columns(parts[-1], wish, self._measures)
            best = best_so_far(known_part(wish, self._references), values) if is_whole else values[:0]
            self._courses[number] = cached = (count, best)
        return cached[1]

    def _request(self, number: int) -> Mapping[str, Any]:
        """Return the owner's request for a training, as `ask` wrote it."""
        value = read_json(self._path(number, ".json"), "training")
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise InputError(f'training {number}: must be an object with "format": "{FORMAT}", but is not')
        until = value.get("until")
        is_number = type(value.get("generations")) is int
        if not is_number or (kind_of(value) != GREEDY and value["generations"] not in EFFORTS):
            raise InputError(f"training {number}: generations must be one of {', '.join(map(str, EFFORTS))}")
        if until is not None and not (isinstance(until, float) and 0 < until < 1):
            raise InputError(f"training {number}: until must be a share of the time")
        return value

    def _last_error(self, number: int) -> str:
        return last_error(self._path(number, ".log"), "train")

    def _path(self, number: int, ending: str) -> Path:
        return self.folder / f"training-{number}{ending}"


def kind_of(request: Mapping[str, Any]) -> str:
    """Return the class of policies that a request is for; those of earlier versions are for Greedy."""
    kind = request.get("class", GREEDY)
    if kind not in KINDS:
        raise InputError(f"the class must be one of {', '.join(KINDS)}")
    return str(kind)


def _words(request: Mapping[str, Any]) -> list[str]:
    """Return the options of `paretosched train` for a request."""
    generations, kind = int(request["generations"]), kind_of(request)
    words = ["--generations", str(generations)]
    if kind in OF_CLASS:
        words = ["--class", kind, "--evaluations", str(OF_CLASS[kind][generations])]
    if kind == RULES:
        words += ["--rule-base", "symbiotic", "--evaluations", str(OF_RULES[generations])]
    until = request.get("until")
    return words if until is None else [*words, "--train-until", str(until)]


def size(generations: int, kind: str = GREEDY) -> int:
    """Return how many schedules a training simulates.

    Examples
    --------
    >>> size(5), size(5, "priority"), size(5, "rules")
    (2170, 500, 903)
    """
    if kind in OF_CLASS:
        return OF_CLASS[kind][generations]
    if kind == RULES:
        return PARENTS + generations * CHILDREN + OF_RULES[generations]
    return len(CRITERIA) * (PARENTS + generations * CHILDREN) + mixed_systems(len(CRITERIA))


def in_columns(values: Floats, wish: Wish, measures: Sequence[str]) -> Floats:
    """Return values of a training, (n, m), with the measures of a front in their last columns; NaN in those it lacks.

    A training measures what its wish is about, in the order of `Wish.names`.

    Examples
    --------
    >>> wish = Wish(weights=[("mean wait", 1)])
    >>> in_columns(np.array([[90.0, 5, 5, 3]]), wish, ["p95 wait", "mean wait"]).tolist()
    [[90.0, 5.0, 5.0, nan, 3.0]]
    """
    own = [*filter(is_measure, wish.names)]
    beside = values.shape[1] - len(own)
    columns = [
        values[:, beside + own.index(name)] if name in own else np.full(len(values), np.nan) for name in measures
    ]
    return np.column_stack([values[:, :beside], *columns])


def best_so_far(wish: Wish | None, values: Floats) -> Floats:
    """Return the rows of `values`, (n, m), that are nearer to a wish than all rows before them, (k, m); None: no row.

    Examples
    --------
    >>> best_so_far(Wish(weights=[("AWRT1", 1)]), np.array([[9, 5, 5], [9, 7, 7], [9, 4, 4]])).tolist()
    [[9, 5, 5], [9, 4, 4]]
    """
    if len(values) == 0 or wish is None:
        return values[:0]
    fitness = nearness.fitness(wish, values)
    before = np.concatenate([[np.inf], np.minimum.accumulate(fitness)[:-1]])
    better: Floats = values[fitness < before]
    return better
