"""States of the page as JSON: to keep them on disk, and to send them to another user."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from ..core.errors import InputError
from ..core.typed_json import as_type
from ..fronts.front import Front
from ..fronts.front_files import MOST_VALUE
from ..wishes import wish_files
from ..wishes.navigation import CLASSES
from ..wishes.wish import wish_text
from ..workload.measures import is_measure
from .actions import (
    MOST_NAME,
    MOST_NOTED,
    MOST_PICKS,
    UnmeasuredError,
    after,
    finite_number,
    known_objective,
    with_wish,
)
from .charts import LETTERS
from .state import Pick, State, beginning, pick_at, row_of
from .undo import History, Step

FORMAT = "paretosched page 1"
MOST_TOLD = 30  # steps in a file, which has each with its shortlist
LATEST = 1e11  # s since 1970, beyond which no calendar goes


def to_json(state: State, front: Front) -> dict[str, Any]:
    """Return a state as plain JSON values. A row has its run and evaluation too: they stay when a run is continued."""
    return {
        "format": FORMAT,
        "workload": front.workload,
        "digest": front.digest,
        "wish": None if state.wish is None else wish_files.to_json(state.wish),
        "in_words": None if state.wish is None else wish_text(state.wish, hours=True),
        "chosen": None if state.chosen is None else _entry(pick_at(front, state.chosen, ""), front),
        "shortlist": [_entry(pick, front) | {"note": pick.note} for pick in state.picks],
        "classes": [list(entry) for entry in state.classes],
        "mine": state.mine,
        "training": {"kind": state.kind, "test": state.test},
        "chart": {"across": state.across, "up": state.up, "log": state.log, "fit": state.fit},
    }


def from_json(value: Any, front: Front, where: str) -> tuple[State, int]:
    """Return the state that `to_json` turned into a value, for the same front or another one of the same workload.

    Returns
    -------
    The state, and how many schedules of the shortlist are lost: they are not on the front, and the file has no values.

    Raises
    ------
    InputError
        The value is no state of a page, or is for another workload.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{where}: must be an object with "format": "{FORMAT}", but is not')
    if value.get("digest") != front.digest:
        raise InputError(f"{where}: belongs to another workload than the front, {front.workload}")
    state = beginning(front)
    try:
        if value.get("wish") is not None:
            state = with_wish(state, wish_files.from_json(value["wish"], "wish"), front)
        shortlist = value.get("shortlist", [])
        if not isinstance(shortlist, list) or not all(isinstance(entry, dict) for entry in shortlist):
            raise InputError("the shortlist must be a list of objects")
        picks = [_pick_of(entry, front) for entry in shortlist[:MOST_PICKS]]
        lost = picks.count(None)
        state = replace(state, picks=_with_letters([pick for pick in picks if pick is not None]))
        for pick in state.picks:
            state = after(state, {"do": "note", "name": pick.letter, "text": pick.note}, front)
        if isinstance(value.get("chosen"), dict):
            chosen = _pick_of(value["chosen"], front)
            state = replace(state, chosen=None if chosen is None else chosen.row)
        classes = value.get("classes", [])
        if not isinstance(classes, list) or not all(isinstance(entry, list) and len(entry) == 3 for entry in classes):
            raise InputError("classes must be a list of objective, class and level")
        for name, kind, level in classes:
            known_objective(name, front)
            if kind not in CLASSES:
                raise InputError(f"the class of {name} must be one of {', '.join(CLASSES)}")
            entry = (name, kind, None if level is None else finite_number(level))
            state = replace(state, classes=(*state.classes, entry))
        state = after(state, {"do": "compare", "name": value.get("mine", "")}, front)
        chart = value.get("chart", {})
        if not isinstance(chart, dict):
            raise InputError("the chart must be an object")
        training = value.get("training", {})  # which earlier versions lack
        if not isinstance(training, dict):
            raise InputError("the training must be an object")
        choices = {key: training[key] for key in ("kind", "test") if key in training}
        state = after(state, {**chart, **choices, "do": "look"}, front)
    except UnmeasuredError:
        raise
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return state, lost


def history_to_json(history: History, front: Front) -> dict[str, Any]:
    """Return the present state as `to_json` does, and with it the last steps that led there, the present one last."""
    steps = history.until_now[-MOST_TOLD:]
    told: list[dict[str, Any]] = [{"at": step.at, "who": step.who, "why": step.why} for step in steps]
    for entry, step in zip(told[:-1], steps, strict=False):  # the last one is the page itself
        entry["page"] = to_json(step.state, front)
    return to_json(history.present, front) | {"history": told}


def history_from_json(value: Any, front: Front, where: str) -> tuple[History, int]:
    """Return the steps that `history_to_json` turned into a value, the present one last, and as `from_json`.

    Steps that the front does not know any more, such as those with a wish about what is not measured, are left out.
    """
    state, losses = from_json(value, front, where)
    try:
        told = as_type(value.get("history", []), list[_Told])  # which earlier versions lack
    except InputError as error:
        raise InputError(f"{where}: history: {error}") from None
    steps = []
    for entry in told[-MOST_TOLD:-1]:
        with suppress(InputError):
            steps.append(_step_of(entry, from_json(entry.page, front, where)[0]))
    steps.append(_step_of(told[-1] if told else _Told(), state))
    numbered = tuple(step._replace(number=number) for number, step in enumerate(steps))
    return History(numbered, len(numbered) - 1), losses


class _Told(msgspec.Struct):
    """A step in a file: when, who, why, and the page then."""

    at: float = 0.0
    who: str = ""
    why: str = ""
    page: Any = None


def _step_of(told: _Told, state: State) -> Step:
    """Return a step of a file; a time that no clock shows counts as not known."""
    at = told.at if 0 < told.at < LATEST else 0.0
    return Step(state, at=at, who=told.who[:MOST_NAME], why=told.why[:MOST_NOTED])


def read(text: Any, front: Front, where: str) -> tuple[History, int]:
    """Read the text of a file that is opened on the page, see `history_from_json`.

    Raises
    ------
    InputError
        The text is no JSON, is nested too deeply, or `history_from_json` refuses it.
    """
    try:
        try:
            value = json.loads(text)
        except (TypeError, ValueError):
            raise InputError(f"{where}: is not JSON") from None
        return history_from_json(value, front, where)
    except RecursionError:
        raise InputError(f"{where}: is nested too deeply") from None


def _entry(pick: Pick, front: Front) -> dict[str, Any]:
    """Return what identifies a schedule: letter, row, run, evaluation, and its values."""
    values = {o.name: None if math.isnan(v) else v for o, v in zip(front.objectives, pick.values, strict=True)}
    return {"letter": pick.letter, "row": pick.row, "run": pick.run, "evaluation": pick.evaluation, "values": values}


def _pick_of(entry: Mapping[str, Any], front: Front) -> Pick | None:
    """Return the schedule of an entry of a file; None if it is not on the front, and the file has no values of it."""
    evaluation, run, note = entry.get("evaluation"), entry.get("run"), entry.get("note", "")
    if type(evaluation) is not int or not 0 <= evaluation < 2**62 or not isinstance(run, str):
        return None
    values = _values_of(entry.get("values"), front)
    row = row_of(front, run, evaluation, values)
    letter = str(entry.get("letter", ""))  # which earlier versions lack
    if row is not None:
        return pick_at(front, row, letter, note)
    return None if values is None else Pick(letter, run[:MOST_NOTED], evaluation, values, None, note)


def _values_of(values: Any, front: Front) -> tuple[float, ...] | None:
    """Return the values of a schedule in a file; None if there are none.

    Raises
    ------
    InputError
        They are not those of a schedule.
    """
    if values is None:
        return None
    if not isinstance(values, dict):
        raise InputError("the values of a schedule must be an object")
    found = [math.nan if values.get(o.name) is None else finite_number(values[o.name]) for o in front.objectives]
    for o, value in zip(front.objectives, found, strict=True):
        if is_measure(o.name) and o.name not in values:  # it is measured since
            continue
        if o in front.defined_objectives and not 0 < value <= MOST_VALUE:
            raise InputError(f"the {o.name} of a schedule must be above 0 and at most {MOST_VALUE:g}, but is {value}")
    return tuple(found)


def _with_letters(picks: Sequence[Pick]) -> tuple[Pick, ...]:
    """Return a shortlist in which every schedule has a letter of its own: that of the file, else the next free one."""
    taken = {pick.letter for pick in picks}
    free = iter([letter for letter in LETTERS if letter not in taken])
    used: set[str] = set()
    lettered = []
    for pick in {(pick.run, pick.evaluation, pick.row): pick for pick in picks}.values():
        letter = pick.letter if pick.letter in set(LETTERS) - used else next(free)
        used.add(letter)
        lettered.append(pick._replace(letter=letter))
    return tuple(lettered)
