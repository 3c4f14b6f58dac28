"""Answers that take longer than a browser waits: they are worked out in the background, and the page shows how far.

The browser asks again until the answer is there, see `12-controls.js`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from dash import html

from ..core.arrays import Ints
from ..core.watching import NOT_STARTED, WATCHED, seconds_left
from ..workload.workload import Workload
from .widgets import progress_bar

PATIENCE = 0.8  # s that a request waits for the answer
MOST_ANSWERS = 30  # that are kept
FOR_A_JOB = 4  # nodes whose search takes as long as all else that is done for a job, see `effort`


def effort(workload: Workload) -> int:
    """Return about how long EASY takes on a machine of nodes: 1 is some 15 µs. 0 without nodes."""
    requests = workload.requests
    return 0 if requests is None else int(requests.nodes_least.sum()) + FOR_A_JOB * len(workload)


class StoppedError(Exception):
    """The owner does not want an answer any more."""


class Starts(list[Ints]):
    """Start times as of `watching`; a simulation that begins after `is_stopped` is set raises StoppedError."""

    is_stopped = False

    def append(self, start: Ints) -> None:
        """Take those of a simulation that begins."""
        if self.is_stopped:
            raise StoppedError
        super().append(start)


@dataclass
class Answering:
    """An answer that is being worked out.

    Parameters
    ----------
    total
        How many schedules are simulated for it.
    began
        When, by `time.monotonic`.
    starts
        The start times of the jobs of each simulation that has begun, (n,) s; kernels fill them.
    parts
        The answer; None before it is there.
    ended
        Whether it is.
    """

    total: int
    began: float = field(default_factory=time.monotonic)
    starts: Starts = field(default_factory=Starts)
    parts: list[Any] | None = None
    ended: Event = field(default_factory=Event)

    def work(self, make: Callable[[], list[Any]]) -> None:
        """Work it out."""
        WATCHED.set(self.starts)  # of this thread only
        try:
            with suppress(StoppedError):
                self.parts = make()
        finally:
            if self.parts is None:
                self.parts = [html.P("This could not be worked out; the terminal says why.")]
            self.ended.set()

    def progress(self) -> list[Any]:
        """Return how far it is, and how long the rest takes."""
        known, now = list(self.starts), time.monotonic() - self.began
        done = min(sum(float((each != NOT_STARTED).mean()) for each in known if each.size), self.total)
        left = seconds_left((0.0, 0), (now, round(1000 * done)), 1000 * self.total)
        words = f"{int(done)} of {self.total} schedules" + ("" if left is None else f", about {left + 0.5:.0f} s left")
        bar = progress_bar(round(1000 * done), 1000 * self.total, words, "the answer is being worked out")
        return [html.Div([bar, again("Stop", is_stopped=True)], className="pending", title=f"{now:.1f} s")]


def again(words: str, **changes: bool) -> Any:
    """Return a button with which the browser asks its question again, with changes of it."""
    return html.Button(words, className="button", **{"data-again": json.dumps(changes)})


def answer_soon(
    kept: dict[str, Answering], key: str, total: int, make: Callable[[], list[Any]], is_stopped: bool = False
) -> list[Any]:
    """Return an answer, or how far it is; it is begun if it is not among those `kept`, which is modified in place.

    Parameters
    ----------
    kept
        Answers by what was asked.
    key
        What is asked.
    total
        How many schedules are simulated for it.
    make
        Works it out; called in a thread of its own.
    is_stopped
        Whether nobody wants it any more: then nothing is simulated for it after what is being simulated.
    """
    if is_stopped:
        stopped = kept.pop(key, None)
        if stopped is not None:
            stopped.starts.is_stopped = True
        return [html.P(["Stopped. ", again("Work it out", is_stopped=False)])]
    answering = kept.get(key)
    if answering is None:
        answering = kept[key] = Answering(total)
        for old in list(kept)[:-MOST_ANSWERS]:
            del kept[old]
        Thread(target=answering.work, args=(make,), daemon=True).start()
    answering.ended.wait(PATIENCE)
    return answering.progress() if answering.parts is None else answering.parts
