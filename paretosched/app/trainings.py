"""Trainings in the background: each is a process that runs `paretosched train`, one after the other.

All about a training is on disk: `training-1.json` has the wish and the effort, the run directory `training-1` holds
every evaluation, and `training-1.policy.json` appears when it is done. So if a training was stopped, or its page was
closed or killed, the same command continues it with the same result (see `search.runs`). `queue.json` says which
training runs, as which process, and which ones wait. If the page was killed, the next page goes on with both.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.files import read_json, read_text, write_json
from ..core.run_files import STORE_FILE
from ..core.typed_json import as_type
from ..policies.greedy_order import CRITERIA
from ..policies.policy import Policy, load_policy
from ..search import runs
from ..training.evolution_strategy import CHILDREN, PARENTS
from ..training.greedy_training import mixed_systems
from ..wishes import nearness, wish_files
from ..wishes.relative_limits import known_part
from ..wishes.wish import Wish
from .processes import Process, is_running, process_of, send

FORMAT = "paretosched page training 1"
QUEUE_FORMAT: Final = "paretosched page queue 1"
QUEUE_FILE = "queue.json"
QUEUED, RUNNING, STOPPED, DONE, FAILED = "queued", "running", "stopped", "done", "failed"
EFFORTS = {5: "a quick look", 25: "thorough", 100: "as in the paper"}  # generations
PATIENCE = 20.0  # s that a training has to end in order


class Training(NamedTuple):
    """What is known about a training.

    Attributes
    ----------
    number
        From 1, in the order of the owner's requests.
    wish, generations
        The request: what to train for, and how long.
    status
        QUEUED, RUNNING, STOPPED, DONE or FAILED.
    done, total
        How many policies are simulated, and how many will be in all.
    course
        (k, m) natural units, objective values of the best policies so far, each better than the one before.
    policy
        The trained policy; None before the training is done.
    message
        Why the training failed.
    seconds_left
        How long it will still take at the pace since this page saw it first; None if that is not known, or if it does
        not run.
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

    Raises
    ------
    InputError
        `queue.json` cannot be read.
    """

    folder: Path
    trace: Sequence[str] = ()
    _child: subprocess.Popen[bytes] | None = None  # of this page
    _process: Process | None = None  # the child, or a process that outlived the page before
    _number: int = 0
    _queue: list[int] = field(default_factory=list)
    _courses: dict[int, tuple[int, Floats]] = field(default_factory=dict)
    _references: dict[str, Floats] = field(default_factory=dict)
    _first_seen: dict[int, tuple[float, int]] = field(default_factory=dict)  # when, and how much was done then

    def __post_init__(self) -> None:
        """Go on with the queue of a page that was killed."""
        place = self.folder / QUEUE_FILE
        if not place.exists():
            return
        try:
            content = as_type(read_json(place, "queue"), _Queue)
        except InputError as error:
            raise InputError(f"{place}: {str(error).removeprefix(f'{place}: ')}") from None
        self._queue = [number for number in dict.fromkeys(content.waiting) if number in self.numbers()]
        if content.running is None:
            return
        number, process = content.running.number, content.running.process
        if process is not None and is_running(process):
            self._number, self._process = number, process
            return
        was_killed = not self._path(number, ".policy.json").exists() and not self._last_error(number)
        if number in self.numbers() and was_killed:  # neither done, nor cancelled, nor failed
            self._queue.insert(0, number)

    def _save(self) -> None:
        """Write which training runs and which ones wait; no file if there are none."""
        running = _Running(self._number, self._process) if self._number else None
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

    def ask(self, wish: Wish, generations: int) -> int:
        """Ask for a training, and return its number; it starts when those before it have ended."""
        number = max(self.numbers(), default=0) + 1
        value = {"format": FORMAT, "wish": wish_files.to_json(wish), "generations": generations}
        write_json(self._path(number, ".wish.json"), value["wish"], private=True)
        write_json(self._path(number, ".json"), value, private=True)
        self._queue.append(number)
        self._save()
        self.advance()
        return number

    def know(self, references: dict[str, Floats]) -> None:
        """Store what policies reach on the workload, (m,) each, which wishes may be relative to."""
        self._references = references
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
        elif number == self._number:
            self._signal(signal.SIGINT)
        else:
            self._refuse_orphan(number)

    def _refuse_orphan(self, number: int) -> None:
        """Refuse a training that another process runs of which this page knows nothing."""
        writer = None if number == self._number else runs.writer(self._path(number, ""))
        if writer is not None:
            raise InputError(f"training {number} was started by a page that was killed; {writer} goes on with it")

    def close(self) -> None:
        """Stop the training that runs, and wait until it has written its evaluations; those that wait are stopped."""
        self._queue.clear()
        for number_of_signal in (signal.SIGINT, signal.SIGKILL):  # after both, the run can still be continued
            end = time.monotonic() + PATIENCE
            self._signal(number_of_signal)
            while self._is_running() and time.monotonic() < end:
                time.sleep(0.02)
        self._child, self._process, self._number = None, None, 0
        self._save()

    def advance(self) -> None:
        """Start the next training if none runs."""
        if self._is_running():
            return
        if self._number:
            self._child, self._process, self._number = None, None, 0
            self._save()
        # a page that was killed may have started the next one and not noted it
        if self._queue and self.trace and runs.writer(self._path(self._queue[0], "")) is None:
            number = self._queue.pop(0)
            try:
                self._child = self._start(number)
                self._number, self._process = number, process_of(self._child.pid)
            finally:
                self._save()

    def _is_running(self) -> bool:
        """Return whether the training that was started last still runs."""
        if self._child is not None:
            return self._child.poll() is None
        return self._process is not None and is_running(self._process)

    def _signal(self, number: int) -> None:
        """Send a signal to the training that runs."""
        if self._child is not None:
            self._child.send_signal(number)
        elif self._process is not None:
            send(self._process, number)

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        """Start `paretosched train`, with low priority."""
        wish = self._path(number, ".wish.json")
        trace, *options = self.trace
        words = [sys.executable, "-m", "paretosched.cli", "train", str(Path(trace).absolute()), *options]
        words += ["--objective", str(wish), "--generations", str(self._request(number)["generations"])]
        words += ["--run", str(self._path(number, "")), "-o", str(self._path(number, ".policy.json"))]
        try:
            # other accounts cannot read it
            with open(self._path(number, ".log"), "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as log:
                # a session of its own: Ctrl-C is for the page, which then stops its training in order
                process = subprocess.Popen(  # noqa: S603  # our own command with our own paths
                    words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
        except OSError as error:
            raise InputError(f"training {number} cannot be started: {error.strerror}") from None
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)  # the page comes first
        return process

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
        wish = wish_files.from_json(request["wish"])
        generations = int(request["generations"])
        total = size(generations)
        path = self._path(number, ".policy.json")
        if number == self._number:
            live = self._is_running()
        else:  # somebody else may have started it
            live = not path.exists() and runs.writer(self._path(number, "")) is not None
        course = self._course(number, wish, live or number == self._number)
        position = self._courses.get(number, (0, course))[0]
        policy, message = None, ""
        if live:
            status = RUNNING
        elif number in self._queue:
            status = QUEUED
        elif path.exists():
            status, policy = DONE, load_policy(path)
        else:
            message = self._last_error(number)
            status = STOPPED if not message or "interrupted" in message else FAILED
        left = self._seconds_left(number, position, total) if status == RUNNING else None
        return Training(number, wish, generations, status, position, total, course, policy, message, left)

    def _seconds_left(self, number: int, done: int, total: int) -> float | None:
        """Return how long a training that runs still takes, at its pace since the page saw its first evaluations."""
        now = time.monotonic()
        if done == 0:
            return None  # its kernels are being compiled, and say nothing about the pace
        return seconds_left(self._first_seen.setdefault(number, (now, done)), (now, done), total)

    def _course(self, number: int, wish: Wish, live: bool) -> Floats:
        """Return the values of the best policies so far, (k, m) natural units, from the evaluations on disk."""
        directory = self._path(number, "")
        if number in self._courses and not live:
            return self._courses[number][1]  # nothing is added to it
        if not (directory / STORE_FILE).exists():
            return np.empty((0, 0))
        try:
            values, _ = runs.read_values(directory)
        except InputError:  # the file is being created at this moment
            return np.empty((0, 0))
        cached = self._courses.get(number)
        if cached is None or cached[0] != len(values):
            self._courses[number] = cached = (len(values), best_so_far(known_part(wish, self._references), values))
        return cached[1]

    def _request(self, number: int) -> Mapping[str, Any]:
        """Return the owner's request for a training, as `ask` wrote it."""
        value = read_json(self._path(number, ".json"), "training")
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise InputError(f'training {number}: must be an object with "format": "{FORMAT}", but is not')
        return value

    def _last_error(self, number: int) -> str:
        """Return the last error that `paretosched train` has written; nothing if there is none."""
        try:
            lines = read_text(self._path(number, ".log")).splitlines()
        except (OSError, UnicodeDecodeError, InputError):
            return ""
        errors = [line for line in lines if line.startswith("paretosched train: ")]
        return errors[-1].removeprefix("paretosched train: ") if errors else ""

    def _path(self, number: int, ending: str) -> Path:
        return self.folder / f"training-{number}{ending}"


def size(generations: int) -> int:
    """Return how many schedules a training simulates.

    Examples
    --------
    >>> size(5)
    2170
    """
    return len(CRITERIA) * (PARENTS + generations * CHILDREN) + mixed_systems(len(CRITERIA))


def seconds_left(first: tuple[float, int], now: tuple[float, int], total: int) -> float | None:
    """Return the seconds until all is done, from two times, s, and how much was done then; None without any progress.

    Examples
    --------
    >>> seconds_left((0.0, 10), (20.0, 50), 110), seconds_left((0.0, 10), (0.0, 10), 110)
    (30.0, None)
    """
    done = now[1] - first[1]
    return (total - now[1]) * (now[0] - first[0]) / done if done > 0 else None


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
