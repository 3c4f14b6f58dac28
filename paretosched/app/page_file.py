"""States of the page as JSON: to keep them on disk, and to send them to another user."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core.errors import InputError
from ..fronts.front import Front
from ..wishes import wish_files
from ..wishes.navigation import CLASSES
from ..wishes.wish import wish_text
from .actions import MOST_PICKS, after, finite_number, known_objective, with_wish
from .state import State, beginning

FORMAT = "paretosched page 1"


def to_json(state: State, front: Front) -> dict[str, Any]:
    """Return a state as plain JSON values. A row has its run and evaluation too: they stay when a run is continued."""
    return {
        "format": FORMAT,
        "workload": front.workload,
        "digest": front.digest,
        "wish": None if state.wish is None else wish_files.to_json(state.wish),
        "in_words": None if state.wish is None else wish_text(state.wish, hours=True),
        "chosen": None if state.chosen is None else _identity(state.chosen, front),
        "shortlist": [_identity(pick.row, front) | {"note": pick.note} for pick in state.picks],
        "classes": [list(entry) for entry in state.classes],
        "mine": state.mine,
        "training": {"kind": state.kind, "test": state.test},
        "chart": {"across": state.across, "up": state.up, "log": state.log, "fit": state.fit},
    }


def from_json(value: Any, front: Front, where: str) -> tuple[State, int]:
    """Return the state that `to_json` turned into a value, for the same front or another one of the same workload.

    Returns
    -------
    The state, and how many schedules of the shortlist are no longer on the front.

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
        rows = [(_row_of(entry, front), entry) for entry in shortlist[:MOST_PICKS]]
        for row, entry in rows:
            if row is not None:
                state = after(state, {"do": "pick", "row": row}, front)
                state = after(state, {"do": "note", "row": row, "text": entry.get("note", "")}, front)
        if isinstance(value.get("chosen"), dict):
            state = replace(state, chosen=_row_of(value["chosen"], front))
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
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return state, sum(row is None for row, _ in rows)


def read(text: Any, front: Front, where: str) -> tuple[State, int]:
    """Read the text of a file that is opened on the page, see `from_json`.

    Raises
    ------
    InputError
        The text is no JSON, is nested too deeply, or `from_json` refuses it.
    """
    try:
        try:
            value = json.loads(text)
        except (TypeError, ValueError):
            raise InputError(f"{where}: is not JSON") from None
        return from_json(value, front, where)
    except RecursionError:
        raise InputError(f"{where}: is nested too deeply") from None


def _identity(row: int, front: Front) -> dict[str, Any]:
    """Return what identifies a schedule: row, run, evaluation, and its values."""
    values = {o.name: None if math.isnan(v) else v for o, v in zip(front.objectives, front.values[row], strict=True)}
    run = front.origins[front.origin[row]].name
    return {"row": row, "run": run, "evaluation": int(front.evaluation[row]), "values": values}


def _row_of(entry: Mapping[str, Any], front: Front) -> int | None:
    """Return the row of a schedule, the same as before or found by run and evaluation; None if it is not there."""
    row, evaluation, run = entry.get("row"), entry.get("evaluation"), entry.get("run")

    def same(candidate: int) -> bool:
        return bool(front.evaluation[candidate] == evaluation) and front.origins[front.origin[candidate]].name == run

    if type(row) is int and 0 <= row < len(front) and same(row):
        return row
    if type(evaluation) is not int or abs(evaluation) > 2**62:
        return None
    return next((int(r) for r in (front.evaluation == evaluation).nonzero()[0] if same(int(r))), None)
