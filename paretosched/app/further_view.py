"""The menu that explores the run of the page further: how far it is, and the buttons."""

from __future__ import annotations

import math
from typing import Any

from dash import html

from ..comparison.consequences import duration
from .desk import Desk
from .further import STEPS
from .widgets import button, progress_bar, time_text


def further_list(desk: Desk) -> list[Any]:
    """Return how far the run is, and what the owner can do about it."""
    now = desk.exploration
    if desk.further is None or (desk.waiting and not now.is_running):
        return [html.P("The workload is being read …" if desk.waiting else "This page shows no run.")]
    if now.is_running:
        return [
            html.P("More schedules are being simulated in the background; the page offers them as they come."),
            progress_bar(now.done, now.wanted, time_text(now.seconds_left), "exploration"),
            button("Stop", {"do": "halt"}, id="halt"),
        ]
    if now.message:
        parts = [html.P(now.message, className="quiet")]
        return [*parts, *_steps(now.each)] if now.can_go_on else parts
    return [html.P(f"{now.done:,} schedules are simulated. Simulate more:"), *_steps(now.each)]


def _steps(each: float) -> list[Any]:
    """Return the buttons; the time is that of simulations which take `each` seconds, one after the other."""
    times = ["" if math.isnan(each) else f" · {duration(max(1.0, n * each))} of CPU time" for n in STEPS]
    return [
        button(f"{number:,} more{time}", {"do": "explore", "evaluations": number}, **{"data-more": str(number)})
        for number, time in zip(STEPS, times, strict=True)
    ]
