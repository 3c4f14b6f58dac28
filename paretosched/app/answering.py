"""Answers that take longer than a browser waits: they are worked out in the background, and the page shows how far.

The browser asks again until the answer is there, see `12-controls.js`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from dash import html

from ..core.arrays import Ints
from ..core.watching import NOT_STARTED, WATCHED, seconds_left
from .widgets import progress_bar

PATIENCE = 0.8  # s that a request waits for the answer
MOST_ANSWERS = 30  # that are kept


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
        The start times of the jobs of each simulation that has begun, (n,) s; a kernel fills them.
    parts
        The answer; None before it is there.
    ended
        Whether it is.
    """

    total: int
    began: float = field(default_factory=time.monotonic)
    starts: list[Ints] = field(default_factory=list)
    parts: list[Any] | None = None
    ended: Event = field(default_factory=Event)

    def work(self, make: Callable[[], list[Any]]) -> None:
        """Work it out."""
        WATCHED.set(self.starts)  # of this thread only
        try:
            self.parts = make()
        finally:
            if self.parts is None:
                self.parts = [html.P("This could not be worked out; the terminal says why.")]
            self.ended.set()

    def progress(self) -> list[Any]:
        """Return how far it is, and how long the rest takes."""
        known, now = list(self.starts), time.monotonic() - self.began
        jobs = [each.size for each in known]
        share = 0.0 if not known or not jobs[-1] else float((known[-1] != NOT_STARTED).sum()) / jobs[-1]
        done = min(max(len(known) - 1, 0) + share, self.total)
        left = seconds_left((0.0, 0), (now, round(1000 * done)), 1000 * self.total)
        words = f"{int(done)} of {self.total} schedules" + ("" if left is None else f", about {left + 0.5:.0f} s left")
        bar = progress_bar(round(1000 * done), 1000 * self.total, words, "the answer is being worked out")
        return [html.Div(bar, className="pending", title=f"{now:.1f} s")]


def answer_soon(kept: dict[str, Answering], key: str, total: int, make: Callable[[], list[Any]]) -> list[Any]:
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
    """
    answering = kept.get(key)
    if answering is None:
        answering = kept[key] = Answering(total)
        for old in list(kept)[:-MOST_ANSWERS]:
            del kept[old]
        Thread(target=answering.work, args=(make,), daemon=True).start()
    answering.ended.wait(PATIENCE)
    return answering.progress() if answering.parts is None else answering.parts
