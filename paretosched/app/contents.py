"""What the page shows, put together from all its parts: the pieces of its tabs, the scene, and the projections."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from dash import html
from plotly.utils import PlotlyJSONEncoder

from ..comparison.comparison import IDEAL
from ..comparison.consequences import duration
from ..core.errors import number_of
from ..fronts.front import Front
from ..workload.machine import Machine
from ..workload.machine_description import describe_machine, machine_drawing, machine_words
from .cards import questions, text_parts
from .charts import Course, in_words, mark_styles, projection, unit_of, value_text
from .desk import Desk
from .further_view import further_list
from .state_view import View, scene, view_of
from .tab_compare import compare_pieces
from .tab_train import train_pieces
from .tab_wish import best_values, wish_fields, wish_pieces
from .trainings import RUNNING, STOPPED
from .waits_view import buttons_of, groupings_of
from .widgets import GRAPH

CONS_WORDS = "CONS is conservative backfilling: a job starts early only if none before it waits longer for that."


class Contents(NamedTuple):
    """What the page shows.

    Attributes
    ----------
    pieces
        The parts that an answer may change, by their ids; see the tabs.
    scene
        What the browser draws and needs to know; it changes with every answer.
    figures
        The projections "free" and "util", the names of the marks in both, and how plotly behaves.
    """

    pieces: dict[str, Any]
    scene: dict[str, Any]
    figures: dict[str, Any]

    @property
    def digests(self) -> dict[str, str]:
        """A digest of each piece, and of the figures: what a window holds already is not sent to it again."""
        parts = self.pieces | {"figures": self.figures}
        texts = ((name, json.dumps(part, cls=PlotlyJSONEncoder)) for name, part in parts.items())
        return {name: hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for name, text in texts}


def contents(desk: Desk) -> Contents:
    """Return what the page shows now."""
    with desk.lock:
        state, front, marks, trainings = desk.state, desk.front, desk.marks, desk.known_trainings
        view = view_of(state, front)
        courses = [
            Course(f"training {t.number}", t.course)
            for t in reversed(trainings)
            if len(t.course) and (t.status in (RUNNING, STOPPED) or t is trainings[0]) and t.status != "failed"
        ][-3:]
        shown = scene(state, view, front, marks, courses)
        shown |= {"legend": _legend(front, marks), "axes": desk.axes(), "columns": len(front.objectives)}
        shown |= {"known": desk.known_names, "mine": desk.mine}
        shown |= {"fields": wish_fields(state, front), "best": best_values(front, view)}
        shown |= {
            "undoable": [desk.history.can_undo, desk.history.can_redo],
            "revision": desk.revision,
            "busy": desk.busy,
            "front": desk.digest,
            "wish_by": desk.wish_by,
            "questions": questions(desk, view),
        }

        def chart(x: str, y: str, log: bool) -> dict[str, Any]:
            return projection(
                desk.plane(x, y, log),
                front,
                x,
                y,
                wish=state.numbers,
                chosen=view.row,
                picks={pick.letter: pick.values for pick in state.picks},
                suggested=state.suggested[1],
                courses=courses,
            )

        figures = {"free": chart(state.across, state.up, state.log), "util": chart("UTIL", "AWRT", state.log)}
        words = " ".join([*in_words(front, marks.get(IDEAL)), *([CONS_WORDS] if "CONS" in marks else [])])
        pieces = {"words": words} | _pieces(desk, view)
        return Contents(pieces, shown, figures | {"config": GRAPH, "marks": list(marks)})


def _pieces(desk: Desk, view: View) -> dict[str, Any]:
    """Return the parts of the page that an answer may change, by their ids."""
    head = {"facts": _facts(desk), "other-machine": _other_machine(desk), "further": further_list(desk)}
    head |= {"machine": _machine(desk), "two-buttons": buttons_of(desk), "groupings": groupings_of(desk)}
    return head | wish_pieces(desk, view) | compare_pieces(desk) | train_pieces(desk)


def _facts(desk: Desk) -> str:
    """Return how many schedules there are, in words."""
    front, now = desk.front, desk.exploration
    parts = [f"{_schedules(len(front))} of {front.evaluations:,} simulated"]
    if desk.workload is not None:
        w = desk.workload
        size = number_of(w.capacity, "processor") if w.machine is None else _words_and_drawing(w.machine)[0]
        parts.insert(0, f"{number_of(len(w), 'job')}, submitted in {duration(int(np.ptp(w.submit)))}, on {size}")
    if now.is_running:
        parts.append(f"now {now.done:,} of {now.wanted:,}")
    return " · ".join(parts)


def _machine(desk: Desk) -> list[Any]:
    """Return the drawing of a machine of nodes; nothing without nodes, or before the workload is known."""
    machine = None if desk.workload is None else desk.workload.machine
    return [] if machine is None else text_parts(_words_and_drawing(machine)[1])


@lru_cache(maxsize=2)  # every answer of the page asks for both
def _words_and_drawing(machine: Machine) -> tuple[str, str]:
    """Return a machine of nodes in a few words, and as a drawing."""
    about = describe_machine(machine)
    return machine_words(about), machine_drawing(about)


def _other_machine(desk: Desk) -> list[Any]:
    """Return that the log is of another machine than the simulated one; nothing if nothing says so, or yet."""
    sentence = "" if desk.comparison is None else desk.comparison.other_machine
    head, dot, rest = sentence.replace(" %", "\u00a0%").partition(". ")
    return [html.Strong(head + dot), rest] if sentence else []


def _schedules(number: int) -> str:
    return number_of(number, "schedule")


def _legend(front: Front, marks: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the marks with their colours, symbols and values in words, for the browser."""
    return [
        {"name": name, "colour": hue, "symbol": symbol, "title": _values_in_words(front, marks[name])}
        for name, (hue, symbol) in mark_styles(marks).items()
    ]


def _values_in_words(front: Front, values: Sequence[float]) -> str:
    return "\n".join(
        f"{o.name} {value_text(o, float(v))} {unit_of(o)}"
        for o, v in zip(front.objectives, values, strict=True)
        if o in front.defined_objectives
    )
