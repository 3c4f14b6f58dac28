"""Trainings in the background: each is a process that runs `paretosched train`, one after the other.

All about a training is on disk: `training-1.json` has the wish and the effort, the run directory `training-1` holds
every evaluation, and `training-1.policy.json` appears when it is done. So if a training was stopped, or its page was
closed or killed, the same command continues it with the same result (see `search.runs`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.files import read_json, read_text, replacing
from ..core.run_files import STORE_FILE
from ..policies.greedy_order import CRITERIA
from ..policies.policy import Policy, load_policy
from ..search import runs
from ..training.evolution_strategy import CHILDREN, PARENTS
from ..training.greedy_training import mixed_systems
from ..wishes import nearness, wish_files
from ..wishes.wish import Wish

FORMAT = "paretosched page training 1"
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


@dataclass
class Trainings:
    """The trainings of a page.

    Parameters
    ----------
    folder
        Folder in which they are kept.
    trace
        Words with which `paretosched train` reads the workload: the log, and options.
    """

    folder: Path
    trace: Sequence[str] = ()
    _process: subprocess.Popen[bytes] | None = None
    _number: int = 0
    _queue: list[int] = field(default_factory=list)
    _courses: dict[int, tuple[int, Floats]] = field(default_factory=dict)

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
        wish_files.save_wish(wish, self._path(number, ".wish.json"))
        with replacing(self._path(number, ".json")) as temporary:
            temporary.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
        self._queue.append(number)
        self.advance()
        return number

    def resume(self, number: int) -> None:
        """Continue a training that was stopped."""
        if number not in self.numbers():
            raise InputError(f"there is no training {number}")
        self._refuse_orphan(number)
        if number != self._number and number not in self._queue:
            self._queue.append(number)
        self.advance()

    def cancel(self, number: int) -> None:
        """Stop a training, or remove it from the queue; its evaluations are kept."""
        if number in self._queue:
            self._queue.remove(number)
        elif number == self._number and self._process is not None:
            self._process.send_signal(signal.SIGINT)
        else:
            self._refuse_orphan(number)

    def _refuse_orphan(self, number: int) -> None:
        """Refuse a training that still runs though the page that started it was killed."""
        writer = None if number == self._number else runs.writer(self._path(number, ""))
        if writer is not None:
            raise InputError(f"training {number} was started by a page that was killed; {writer} goes on with it")

    def close(self) -> None:
        """Stop the training that runs, and wait until it has written its evaluations."""
        self._queue.clear()
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()  # the run can still be continued
                self._process.wait()
            self._process = None

    def advance(self) -> None:
        """Start the next training if none runs."""
        if self._process is not None:
            if self._process.poll() is None:
                return
            self._process, self._number = None, 0
        if self._queue:
            self._number = self._queue.pop(0)
            self._process = self._start(self._number)

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        """Start `paretosched train`, with low priority."""
        wish = self._path(number, ".wish.json")
        trace, *options = self.trace
        words = [sys.executable, "-m", "paretosched.cli", "train", str(Path(trace).absolute()), *options]
        words += ["--objective", str(wish), "--generations", str(self._request(number)["generations"])]
        words += ["--run", str(self._path(number, "")), "-o", str(self._path(number, ".policy.json"))]
        with self._path(number, ".log").open("wb") as log:
            # a session of its own: Ctrl-C is for the page, which then stops its training in order
            process = subprocess.Popen(  # noqa: S603  # our own command with our own paths
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
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
            live = self._process is not None and self._process.poll() is None
        else:  # a page that was killed may have started it; then it still runs
            live = not path.exists() and runs.writer(self._path(number, "")) is not None
        course = self._course(number, wish, live or number == self._number)
        done = self._courses.get(number, (0, course))[0]
        policy, message = None, ""
        if number in self._queue:
            status = QUEUED
        elif live:
            status = RUNNING
        elif path.exists():
            status, policy = DONE, load_policy(path)
        else:
            message = self._last_error(number)
            status = STOPPED if not message or "interrupted" in message else FAILED
        return Training(number, wish, generations, status, done, total, course, policy, message)

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
            self._courses[number] = cached = (len(values), best_so_far(wish, values))
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


def best_so_far(wish: Wish, values: Floats) -> Floats:
    """Return the rows of `values`, (n, m), that are nearer to a wish than all rows before them, (k, m).

    Examples
    --------
    >>> best_so_far(Wish(weights=[("AWRT1", 1)]), np.array([[9, 5, 5], [9, 7, 7], [9, 4, 4]])).tolist()
    [[9, 5, 5], [9, 4, 4]]
    """
    if len(values) == 0:
        return values
    fitness = nearness.fitness(wish, values)
    before = np.concatenate([[np.inf], np.minimum.accumulate(fitness)[:-1]])
    better: Floats = values[fitness < before]
    return better
