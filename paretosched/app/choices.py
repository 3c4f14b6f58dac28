"""What the owner did on the page: a value, and one function that applies what the page says he did next."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..core.errors import InputError, quoted
from ..fronts.front import Front
from ..plots.style import defined
from ..wishes import nearness
from ..wishes import wish as choice
from ..wishes import wish_files as choice_wish_files
from ..wishes import wish_grammar as choice_wish_grammar
from ..wishes.knee_points import knees
from ..wishes.navigation import CLASSES, FREE, classified, compromise, remaining
from ..wishes.wish import Limit, Wish

FORMAT = "paretosched page 1"
MOST_PICKS = 12  # that can be told apart side by side
MOST_LETTERS = 500  # of a note


class Pick(NamedTuple):
    """A schedule on the shortlist: its row, and why."""

    row: int
    note: str = ""


@dataclass(frozen=True)
class State:
    """What the owner wants, looks at and has put aside.

    Parameters
    ----------
    wish
        What he wants; None before he says so.
    chosen
        The row he looks at; None for the one nearest to the wish.
    suggested
        Rows that were found for him, and what they are.
    picks
        His shortlist.
    classes
        The classification he last asked for, (objective, class, level in natural units or None).
    across, up, log
        What the free chart shows.
    fit
        Whether the axes cover what remains only, not all schedules.
    """

    wish: Wish | None = None
    chosen: int | None = None
    suggested: tuple[str, tuple[int, ...]] = ("", ())
    picks: tuple[Pick, ...] = ()
    classes: tuple[tuple[str, str, float | None], ...] = ()
    across: str = ""
    up: str = ""
    log: bool = True
    fit: bool = False


def beginning(front: Front) -> State:
    """Give the state of a page that is opened for the first time: the first two groups on the free chart."""
    names = [o.name for o in defined(front)]
    groups = [name for name in names if name not in ("UTIL", "AWRT")]
    across, up = groups[:2] if len(groups) > 1 else ("UTIL", "AWRT")
    return State(across=across, up=up)


def after(state: State, action: Any, front: Front) -> State:
    """Apply one thing the owner did.

    Parameters
    ----------
    state
        Before it.
    action
        An object with "do", the name of a function in `ACTIONS`, and what that needs. It comes from a browser, so
        that anything may be in it.
    front
        What the rows belong to.

    Raises
    ------
    InputError
        It cannot be done; nothing has changed.
    """
    what = action.get("do") if isinstance(action, dict) else None
    if not isinstance(what, str) or what not in ACTIONS:
        raise InputError(f"the page asked for something unknown: {quoted(str(action))}")
    return ACTIONS[what](state, action, front)


def _say(state: State, action: Mapping[str, Any], front: Front) -> State:
    text = _text(action, "text", choice_wish_grammar.MOST_LETTERS)
    return _wishing(state, choice_wish_grammar.parse(text, front.objectives) if text.strip() else None, front)


def _limit(state: State, action: Mapping[str, Any], front: Front) -> State:
    """Set or lift the limits of some objectives, name to [low or null, high or null]; with "fit", axes follow."""
    given = action.get("limits")
    if not isinstance(given, dict):
        raise InputError("limits must be an object")
    limits = {} if state.wish is None else {limit.objective: limit for limit in state.wish.limits}
    for name, ends in given.items():
        _objective(name, front)
        if not isinstance(ends, list) or len(ends) != 2:
            raise InputError(f"limits of {name} must be two numbers")
        low, high = (free if end is None else _number(end) for end, free in zip(ends, choice.FREE, strict=True))
        limits.pop(name, None)
        if (low, high) != choice.FREE:
            limits[name] = Limit(name, low, high)
    goal = state.wish or _Nothing
    state = replace(state, fit=state.fit or action.get("fit") is True)
    return _wishing(state, _wish(goal.weights, goal.near, tuple(limits.values())), front)


def _near(state: State, action: Mapping[str, Any], front: Front) -> State:
    name, value = _objective(action.get("name"), front), action.get("value")
    goal = state.wish or _Nothing
    near = {key: level for key, level in goal.near if key != name}
    if value is not None:
        near[name] = _number(value)
    return _wishing(state, _wish(() if near else goal.weights, _sorted(near, front), goal.limits), front)


def _weigh(state: State, action: Mapping[str, Any], front: Front) -> State:
    """Weigh an objective; a weight is how much it counts, so that the sign of UTIL is added here."""
    name, value = _objective(action.get("name"), front), action.get("value")
    goal = state.wish or _Nothing
    weights = {key: weight for key, weight in goal.weights if key != name}
    if value not in (None, 0):
        weights[name] = -_number(value) if name == "UTIL" else _number(value)
    return _wishing(state, _wish(_sorted(weights, front), () if weights else goal.near, goal.limits), front)


def _classify(state: State, action: Mapping[str, Any], front: Front) -> State:
    given = action.get("classes")
    if not isinstance(given, dict):
        raise InputError("classes must be an object")
    classes = {}
    for name, pair in given.items():
        _objective(name, front)
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] not in CLASSES:
            raise InputError(f"{name}: the class must be one of {', '.join(CLASSES)}")
        classes[name] = (pair[0], None if pair[1] is None else _number(pair[1]))
    row = current(state, front)
    wish = classified(classes, front, row)
    kept = tuple((name, kind, level) for name, (kind, level) in classes.items() if kind != FREE)
    return replace(_wishing(state, wish, front), classes=kept)


def _choose(state: State, action: Mapping[str, Any], front: Front) -> State:
    row = action.get("row")
    return replace(state, chosen=None if row is None else _row(row, front))


def _compromise(state: State, action: Mapping[str, Any], front: Front) -> State:  # noqa: ARG001
    row = compromise(front, remaining(state.wish, front))
    if row is None:
        raise InputError("no schedule is within the limits; loosen one")
    return replace(state, chosen=row, suggested=("compromise", (row,)))


def _knees(state: State, action: Mapping[str, Any], front: Front) -> State:  # noqa: ARG001
    among = remaining(state.wish, front)
    rows = knees(front, among)
    if not rows:
        raise InputError("no schedule stands out" if among.any() else "no schedule is within the limits; loosen one")
    return replace(state, chosen=rows[0], suggested=("knee", tuple(rows)))


def _pick(state: State, action: Mapping[str, Any], front: Front) -> State:
    row = _row(action.get("row"), front)
    if any(pick.row == row for pick in state.picks):
        return state
    if len(state.picks) == MOST_PICKS:
        raise InputError(f"the shortlist holds at most {MOST_PICKS} schedules; remove one")
    return replace(state, picks=(*state.picks, Pick(row)))


def _drop(state: State, action: Mapping[str, Any], front: Front) -> State:
    row = _row(action.get("row"), front)
    return replace(state, picks=tuple(pick for pick in state.picks if pick.row != row))


def _note(state: State, action: Mapping[str, Any], front: Front) -> State:
    row, note = _row(action.get("row"), front), _text(action, "text", MOST_LETTERS)
    return replace(state, picks=tuple(Pick(row, note) if pick.row == row else pick for pick in state.picks))


def _look(state: State, action: Mapping[str, Any], front: Front) -> State:
    change: dict[str, Any] = {}
    for key in ("across", "up"):
        if key in action:
            change[key] = _objective(action[key], front)
    change |= {key: action[key] is True for key in ("log", "fit") if key in action}
    return replace(state, **change)


ACTIONS: dict[str, Callable[[State, Mapping[str, Any], Front], State]] = {
    "say": _say, "limit": _limit, "near": _near, "weigh": _weigh, "classify": _classify, "choose": _choose,
    "compromise": _compromise, "knees": _knees, "pick": _pick, "drop": _drop, "note": _note, "look": _look,
}  # fmt: skip


class _Nothing:
    """What a wish has before there is one."""

    weights: tuple[tuple[str, float], ...] = ()
    near: tuple[tuple[str, float], ...] = ()
    limits: tuple[Limit, ...] = ()


def _wish(weights: Any, near: Any, limits: Any) -> Wish | None:
    return Wish(weights, near, limits) if weights or near or limits else None


def _wishing(state: State, wish: Wish | None, front: Front) -> State:
    """Take a wish; what was looked at before gives way to the schedule nearest to it."""
    if wish is not None:
        nearness.fitness(wish, front.values)  # raises where it uses what is undefined
    return state if wish == state.wish else replace(state, wish=wish, chosen=None, suggested=("", ()))


def current(state: State, front: Front) -> int:
    """Give the row that is looked at: the chosen one, else the nearest to the wish, else the compromise."""
    if state.chosen is not None:
        return state.chosen
    if state.wish is None:
        row = compromise(front, remaining(None, front))
        assert row is not None  # noqa: S101  # a page has at least one schedule
        return row
    if not (state.wish.weights or state.wish.near):  # a region: its middle, not its first row
        row = compromise(front, remaining(state.wish, front))
        if row is not None:
            return row
    return int(nearness.fitness(state.wish, front.values).argmin())


# --- on disk, and from one owner to another -------------------------------------------------------------------------


def to_json(state: State, front: Front) -> dict[str, Any]:
    """Turn a state into plain JSON values. Rows are also named by run and evaluation, which outlast a longer run."""
    return {
        "format": FORMAT,
        "workload": front.workload,
        "digest": front.digest,
        "wish": None if state.wish is None else choice_wish_files.to_json(state.wish),
        "in_words": None if state.wish is None else choice.written(state.wish, hours=True),
        "chosen": None if state.chosen is None else _named(state.chosen, front),
        "shortlist": [_named(pick.row, front) | {"note": pick.note} for pick in state.picks],
        "classes": [list(entry) for entry in state.classes],
        "chart": {"across": state.across, "up": state.up, "log": state.log, "fit": state.fit},
    }


def from_json(value: Any, front: Front, where: str) -> tuple[State, int]:
    """Turn what `to_json` gave into a state again, for the same front or one of the same workload.

    Returns
    -------
    The state, and how many schedules of it are no longer on the front.

    Raises
    ------
    InputError
        It is something else, or belongs to another workload.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{where}: must be an object with "format": "{FORMAT}", but is not')
    if value.get("digest") != front.digest:
        raise InputError(f"{where}: belongs to another workload than the front, {front.workload}")
    state = beginning(front)
    try:
        if value.get("wish") is not None:
            state = _wishing(state, choice_wish_files.from_json(value["wish"], "wish"), front)
        shortlist = value.get("shortlist", [])
        if not isinstance(shortlist, list) or not all(isinstance(entry, dict) for entry in shortlist):
            raise InputError("the shortlist must be a list of objects")
        named = [(_found(entry, front), entry) for entry in shortlist[:MOST_PICKS]]
        for row, entry in named:
            if row is not None:
                state = _note(_pick(state, {"row": row}, front), {"row": row, "text": entry.get("note", "")}, front)
        if isinstance(value.get("chosen"), dict):
            state = replace(state, chosen=_found(value["chosen"], front))
        classes = value.get("classes", [])
        if not isinstance(classes, list) or not all(isinstance(entry, list) and len(entry) == 3 for entry in classes):
            raise InputError("classes must be a list of objective, class and level")
        for name, kind, level in classes:
            _objective(name, front)
            if kind not in CLASSES:
                raise InputError(f"the class of {name} must be one of {', '.join(CLASSES)}")
            entry = (name, kind, None if level is None else _number(level))
            state = replace(state, classes=(*state.classes, entry))
        chart = value.get("chart", {})
        if not isinstance(chart, dict):
            raise InputError("the chart must be an object")
        state = _look(state, chart, front)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return state, sum(row is None for row, _ in named)


def read(text: Any, front: Front, where: str) -> tuple[State, int]:
    """Read what somebody opens on the page, see `from_json`.

    Raises
    ------
    InputError
        It is no JSON, nested too deeply, or what `from_json` refuses.
    """
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else "not JSON"
        raise InputError(f"{where}: is {reason}") from None
    return from_json(value, front, where)


def _named(row: int, front: Front) -> dict[str, Any]:
    values = {o.name: None if math.isnan(v) else v for o, v in zip(front.objectives, front.values[row], strict=True)}
    run = front.origins[front.origin[row]].name
    return {"row": row, "run": run, "evaluation": int(front.evaluation[row]), "values": values}


def _found(entry: Mapping[str, Any], front: Front) -> int | None:
    """Find a row again: where it was, else by run and evaluation."""
    row, evaluation, run = entry.get("row"), entry.get("evaluation"), entry.get("run")

    def same(candidate: int) -> bool:
        return bool(front.evaluation[candidate] == evaluation) and front.origins[front.origin[candidate]].name == run

    if type(row) is int and 0 <= row < len(front) and same(row):
        return row
    if type(evaluation) is not int or abs(evaluation) > 2**62:
        return None
    return next((int(r) for r in (front.evaluation == evaluation).nonzero()[0] if same(int(r))), None)


def _sorted(values: Mapping[str, float], front: Front) -> tuple[tuple[str, float], ...]:
    return tuple((o.name, values[o.name]) for o in front.objectives if o.name in values)


def _objective(name: Any, front: Front) -> str:
    names = [o.name for o in defined(front)]
    if name not in names:
        raise InputError(f"there must be one of {', '.join(names)}, but is {quoted(str(name))}")
    return str(name)


def _row(row: Any, front: Front) -> int:
    if type(row) is not int or not 0 <= row < len(front):
        raise InputError(f"row must be in 0..{len(front) - 1}, but is {quoted(str(row))}")
    return row


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise InputError(f"there must be a number, but is {quoted(json.dumps(value, default=str))}")
    return float(value)


def _text(action: Mapping[str, Any], key: str, most: int) -> str:
    text = action.get(key)
    if not isinstance(text, str) or len(text) > most:
        raise InputError(f"{key} must be a text of at most {most} characters")
    return text
