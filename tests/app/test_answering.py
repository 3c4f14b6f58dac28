"""Answers in the background: how far they are, and that they can be stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from dash import html

from paretosched.app import answering
from paretosched.app.answering import Answering, answer_soon
from paretosched.core.computing import at_once
from paretosched.core.watching import unknown_starts


def _wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_simulations_at_the_same_time_are_counted_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "PATIENCE", 0.0)
    may_end, begun = Event(), []
    kept: dict[str, Answering] = {}

    def simulate(number: int) -> int:
        start = unknown_starts(8)
        start[: 2 * number + 2] = 0
        begun.append(number)
        assert may_end.wait(30)
        return number

    def ask(is_stopped: bool = False) -> str:
        return repr(answer_soon(kept, "a", 4, lambda: [html.P(repr(at_once(simulate, range(4))))], is_stopped))

    ask()
    _wait_until(lambda: len(begun) == _at_once())
    share = sum((2 * number + 2) / 8 for number in begun)
    assert f"{int(share)} of 4 schedules, about" in ask()
    assert f"value='{round(1000 * share)}'" in ask()
    assert '"is_stopped": true' in ask()

    running = kept["a"]
    assert "Stopped" in ask(is_stopped=True)
    assert not kept
    may_end.set()
    assert running.ended.wait(30)
    assert len(begun) < 4  # no other one begins
    assert "Stopped" in ask(is_stopped=True)  # of what does not run

    ask()  # it is wanted after all
    _wait_until(lambda: kept["a"].ended.is_set())
    assert "[0, 1, 2, 3]" in ask()


def _at_once() -> int:
    """Return how many simulations are begun at once."""
    return min(4, os.cpu_count() or 1)


def test_what_goes_wrong_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.excepthook", lambda _: None)

    def fail() -> list[Any]:
        raise ValueError

    assert "could not be worked out" in repr(answer_soon({}, "a", 1, fail))
