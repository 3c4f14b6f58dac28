"""Wait for simulations: they show how far they are, and Ctrl-C ends them at once."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Timer
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from ..core.compilation import LISTENERS
from ..core.computing import compute, is_computing
from .console import PERIOD, Update, bar, say

if TYPE_CHECKING:
    from ..core.arrays import Ints

T = TypeVar("T")

QUIET = 2.0  # s; a simulation that takes less shows no progress
MOMENT = 2.0  # s of compiling that need no line
PAUSE = 0.2  # s, between two counts of the jobs that have started


def with_progress(work: Callable[[], T]) -> T:
    """Return what a function returns that simulates workloads; show how many jobs have started.

    The function runs in a thread of its own, because compiled code sees no signals. It must write no files: on Ctrl-C
    it is abandoned, wherever it is, and the process ends with it.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C.
    """
    starts: list[Ints] = []

    def call_and_tell() -> T:
        from ..core.watching import WATCHED

        WATCHED.set(starts)  # of this thread only
        return work()

    return compute(call_and_tell, lambda end: _show_progress(end, starts))


class CompilationRemark:
    """One line, once a command, if kernels take more than a moment to be compiled."""

    def __init__(self, patience: float = MOMENT) -> None:
        self.patience = patience  # s of compiling that are left until the line
        self.depth = 0  # kernels that are being compiled, each for the one before
        self.begin = 0.0
        self.is_said = False
        self.timer: Timer | None = None

    def __call__(self, begins: bool) -> None:
        """Begin to count the time with the first kernel, and stop with the last one."""
        self.depth += 1 if begins else -1
        if begins and self.depth == 1 and not self.is_said:
            self.begin = monotonic()
            self.timer = Timer(max(self.patience, 0.0), self.say)
            self.timer.daemon = True
            self.timer.start()
        elif not self.depth and self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self.patience -= monotonic() - self.begin

    def say(self) -> None:
        """Write the line."""
        self.is_said = True
        say("compiling, once: up to a minute, or two for nodes; what is compiled is kept for all later commands")


@contextmanager
def compilation_remark() -> Iterator[None]:
    """Say it, inside of this context, if kernels take more than a moment to be compiled."""
    listener = CompilationRemark()
    LISTENERS.append(listener)
    try:
        yield
    finally:
        LISTENERS.remove(listener)


@contextmanager
def reading_progress() -> Iterator[tuple[Callable[[int, int | None], None], Callable[[int, int], None]]]:
    """Yield two functions: one is told the bytes that were read, the other one the jobs that were written.

    From ten seconds on they show how far the command is. Where the end is not known, a line comes every ten seconds.
    """
    last = begin = monotonic()

    def progress(what: str, done: int, goal: int | None) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= PERIOD:
            last = now
            share = f" of {goal:,} ({100 * done / goal:.0f} %)" if goal else ""
            say(f"{what}: {done:,}{share} after {now - begin:.0f} s")

    yield (
        lambda done, goal: progress("bytes read", done, goal),
        lambda done, goal: progress("jobs written", done, goal),
    )


def _show_progress(end: Event, starts: list[Ints]) -> None:
    """Show how many jobs of the present simulation have started, one bar a simulation, until all of them have ended.

    Nothing is shown if they end soon.
    """
    if end.wait(QUIET):
        return
    with ExitStack() as stack:
        update: Update | None = None
        number = 0
        while not end.wait(PAUSE):
            if len(starts) > number or (update is None and starts):
                number = len(starts)
                stack.close()
                size = starts[-1].size
                update = stack.enter_context(bar("simulating", size, "job" if size == 1 else "jobs"))
            if update is not None:
                count = int((starts[number - 1] >= 0).sum())
                update(count, starts[number - 1].size, f"simulation {number}" if number > 1 else "")
        if update is not None:
            update(starts[number - 1].size, starts[number - 1].size, "")


def _leave() -> None:
    """End the process if a simulation that was abandoned still runs; 130 is the status of an interrupted command.

    The interpreter must not end in order then: it would free compiled code that another thread executes.
    """
    if is_computing():
        os._exit(130)


atexit.register(_leave)  # after `compute`, which would wait; before others: the last one registered is called first
