"""What the owner can do on the page: `after` applies an action to a state, with one function for each kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import InputError, first_few, in_quotes, one_of
from ..fronts.front import Front
from ..wishes import nearness, wish, wish_grammar
from ..wishes.knee_points import knees
from ..wishes.navigation import CLASSES, FREE, compromise, remaining, wish_of_classes
from ..wishes.wish import Limit, Wish
from ..workload.measures import is_maximised, is_measure
from .charts import LETTERS
from .state import KINDS, Pick, State, current, pick_at

MOST_PICKS = 12  # schedules on the shortlist; more cannot be told apart side by side
MOST_NOTED = 500  # letters of a note
MOST_NAME = 40  # letters of the name that an owner gives
EXAMPLE = "mean wait, longest wait <= 4d"


class UnmeasuredError(InputError):
    """A wish is about measures that the front does not have; `names` says which. The desk measures them."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"this has to be measured on all schedules first: {first_few(names, len(names))}")
        self.names = tuple(names)


def after(state: State, action: Any, front: Front) -> State:
    """Return the state after an action of the owner.

    Parameters
    ----------
    state
        The state before the action.
    action
        An object with "do", the name of a function in `ACTIONS`, and the values that this function needs. It comes
        from a browser, so it may contain anything.
    front
        The front whose rows the action names.

    Raises
    ------
    InputError
        The action is not possible; nothing has changed.
    """
    name = action.get("do") if isinstance(action, dict) else None
    if not isinstance(name, str) or name not in ACTIONS:
        raise InputError(f"the page sent an unknown action: {in_quotes(str(action))}")
    return ACTIONS[name](state, action, front)


def _say(state: State, action: Mapping[str, Any], front: Front) -> State:
    text = text_in(action, "text", wish_grammar.MOST_LETTERS)
    said = wish_grammar.parse(text, front.objectives, hours=True) if text.strip() else None
    uncounted = replace(state, wish=said).uncounted_policies
    if uncounted:  # asked before what the wish needs is measured, which may take minutes
        known = (
            ", ".join(map(wish.reference_text, state.policy_values)) or "none, until the workload has been simulated"
        )
        raise InputError(
            f"limits can be relative to policies whose values the page knows ({known}), but not to "
            f"{', '.join(map(wish.reference_text, uncounted))}"
        )
    return with_wish(state, said, front)


def _limit(state: State, action: Mapping[str, Any], front: Front) -> State:
    """Set or remove limits, objective to [low or null, high or null]; with "fit" the axes show what remains only."""
    new_limits = action.get("limits")
    if not isinstance(new_limits, dict):
        raise InputError("limits must be an object")
    limits = {} if state.wish is None else {(limit.objective, limit.of): limit for limit in state.wish.limits}
    for name, ends in new_limits.items():
        known_objective(name, front)
        if not isinstance(ends, list) or len(ends) != 2:
            raise InputError(f"limits of {name} must be two numbers")
        low, high = (free if end is None else finite_number(end) for end, free in zip(ends, wish.FREE, strict=True))
        limits.pop((name, ""), None)
        if (low, high) != wish.FREE:
            limits[name, ""] = Limit(name, low, high)
    goal = state.wish or _Nothing
    state = replace(state, fit=state.fit or action.get("fit") is True)
    return with_wish(state, _wish(goal.weights, goal.near, tuple(limits.values())), front)


def _cap(state: State, action: Mapping[str, Any], front: Front) -> State:
    """Set or remove the upper limit of an objective, as it is typed into the table of waits: 4 days, or 1.05*EASY."""
    name, text = (text_in(action, key, MOST_NOTED).strip() for key in ("name", "text"))
    text = text.lower().lstrip("<≤= ")
    words = f"{name} <= {text or '1d'}"
    rule = f"a limit must be such as 4 days, 12h or 1.05*EASY, but is {in_quotes(text)}"
    try:
        given = wish_grammar.parse(words, front.objectives, hours=True)
    except InputError:
        raise InputError(rule) from None
    if given.aims or len(given.limits) != 1 or "," in text:
        raise InputError(rule)
    (limit,) = given.limits
    goal = state.wish or _Nothing
    kept = [x for x in goal.limits if x.objective != limit.objective]
    low = max((x.low for x in goal.limits if x.objective == limit.objective and not x.of), default=0.0)
    upper = [limit] if text else []
    if low > 0:  # what it has to be at least stays
        upper = [*upper, Limit(limit.objective, low)] if limit.of or not text else [limit._replace(low=low)]
    kept += upper
    return with_wish(state, _wish(goal.weights, goal.near, tuple(kept)), front)


def _near(state: State, action: Mapping[str, Any], front: Front) -> State:
    name, value = known_objective(action.get("name"), front), action.get("value")
    goal = state.wish or _Nothing
    near = {key: level for key, level in goal.near if key != name}
    if value is not None:
        near[name] = finite_number(value)
    return with_wish(state, _wish(() if near else goal.weights, _as_in_front(near, front), goal.limits), front)


def _weigh(state: State, action: Mapping[str, Any], front: Front) -> State:
    """Weigh an objective. A weight is how much it counts; UTIL is to be large, so its sign is changed here."""
    name, value = known_objective(action.get("name"), front), action.get("value")
    goal = state.wish or _Nothing
    weights = {key: weight for key, weight in goal.weights if key != name}
    if value not in (None, 0):
        weights[name] = -finite_number(value) if is_maximised(name) else finite_number(value)
    return with_wish(state, _wish(_as_in_front(weights, front), () if weights else goal.near, goal.limits), front)


def _classify(state: State, action: Mapping[str, Any], front: Front) -> State:
    """Set the wish by classes, objective to [class, level or null], from the schedule that the owner looks at."""
    pairs = action.get("classes")
    if not isinstance(pairs, dict):
        raise InputError("classes must be an object")
    classes = {}
    for name, pair in pairs.items():
        known_objective(name, front)
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] not in CLASSES:
            raise InputError(f"{name}: the class must be one of {', '.join(CLASSES)}")
        classes[name] = (pair[0], None if pair[1] is None else finite_number(pair[1]))
    row = current(state, front)
    classification = tuple((name, kind, level) for name, (kind, level) in classes.items() if kind != FREE)
    return replace(with_wish(state, wish_of_classes(classes, front, row), front), classes=classification)


def _choose(state: State, action: Mapping[str, Any], front: Front) -> State:
    row = action.get("row")
    return replace(state, chosen=None if row is None else _row(row, front))


def _compromise(state: State, action: Mapping[str, Any], front: Front) -> State:  # noqa: ARG001
    row = compromise(front, remaining(state.numbers, front))
    if row is None:
        raise InputError("no schedule is within the limits; loosen one")
    return replace(state, chosen=row, suggested=("compromise", (row,)))


def _knees(state: State, action: Mapping[str, Any], front: Front) -> State:  # noqa: ARG001
    among = remaining(state.numbers, front)
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
    letter = next(letter for letter in LETTERS if all(pick.letter != letter for pick in state.picks))
    return replace(state, picks=(*state.picks, pick_at(front, row, letter)))


def _drop(state: State, action: Mapping[str, Any], front: Front) -> State:
    is_meant = _which_pick(action, front)
    return replace(state, picks=tuple(pick for pick in state.picks if not is_meant(pick)))


def _note(state: State, action: Mapping[str, Any], front: Front) -> State:
    is_meant, note = _which_pick(action, front), text_in(action, "text", MOST_NOTED)
    return replace(state, picks=tuple(pick._replace(note=note) if is_meant(pick) else pick for pick in state.picks))


def _which_pick(action: Mapping[str, Any], front: Front) -> Callable[[Pick], bool]:
    """Return which schedule of the shortlist an action means: by its letter, which stays, or by its row."""
    if action.get("row") is None:
        one_of("the schedule", action.get("name"), LETTERS)  # type: ignore[arg-type]  # it says what it is not
        return lambda pick: pick.letter == action["name"]
    row = _row(action["row"], front)
    return lambda pick: pick.row == row


def _look(state: State, action: Mapping[str, Any], front: Front) -> State:
    change: dict[str, Any] = {}
    for key in ("across", "up"):
        if key in action:
            change[key] = known_objective(action[key], front)
    change |= {key: action[key] is True for key in ("log", "fit", "test") if key in action}
    if "kind" in action:
        one_of("kind", action["kind"], KINDS)
        change["kind"] = action["kind"]
    return replace(state, **change)


def _compare(state: State, action: Mapping[str, Any], front: Front) -> State:  # noqa: ARG001
    """Set the scheduler that everything is compared with; a name that is not known stands for the first one."""
    return replace(state, mine=text_in(action, "name", MOST_NOTED))


ACTIONS: dict[str, Callable[[State, Mapping[str, Any], Front], State]] = {
    "say": _say, "limit": _limit, "cap": _cap, "near": _near, "weigh": _weigh, "classify": _classify, "choose": _choose,
    "compromise": _compromise, "knees": _knees, "pick": _pick, "drop": _drop, "note": _note, "look": _look,
    "compare": _compare,
}  # fmt: skip


class _Nothing:
    """The parts of a wish as long as there is none: all empty."""

    weights: tuple[tuple[str, float], ...] = ()
    near: tuple[tuple[str, float], ...] = ()
    limits: tuple[Limit, ...] = ()


def _wish(weights: Any, near: Any, limits: Any) -> Wish | None:
    return Wish(weights, near, limits) if weights or near or limits else None


def with_wish(state: State, new_wish: Wish | None, front: Front) -> State:
    """Return the state with another wish; the page then shows the schedule nearest to it."""
    if new_wish is not None:
        lacking = [name for name in new_wish.names if is_measure(name) and name not in front.measured.names]
        if lacking:
            raise UnmeasuredError(lacking)
        new_wish = replace(new_wish, measures=front.measured.names)
    changed = replace(state, wish=new_wish, chosen=None, suggested=("", ()))
    if changed.numbers is not None:
        nearness.fitness(changed.numbers, front.values)  # raises if the wish uses an undefined objective
    return state if new_wish == state.wish else changed


def _as_in_front(values: Mapping[str, float], front: Front) -> tuple[tuple[str, float], ...]:
    """Return values by objective as pairs, in the order of the front's objectives."""
    return tuple((o.name, values[o.name]) for o in front.objectives if o.name in values)


def known_objective(name: Any, front: Front) -> str:
    """Return the name of an objective; InputError if the front has no such objective."""
    names = [o.name for o in front.defined_objectives]
    if name not in names:
        raise InputError(f"the objective must be one of {', '.join(names)}, but is {in_quotes(str(name))}")
    return str(name)


def _row(row: Any, front: Front) -> int:
    if type(row) is not int or not 0 <= row < len(front):
        raise InputError(f"row must be in 0..{len(front) - 1}, but is {in_quotes(str(row))}")
    return row


def finite_number(value: Any) -> float:
    """Return a value as a number; InputError if it is no number, or too large to compute with."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise InputError(
            f"the value must be a number, but is {in_quotes(json.dumps(value, default=str, ensure_ascii=False))}"
        )
    return float(value)


def text_in(action: Mapping[str, Any], key: str, most: int) -> str:
    """Return the text of an action under a key; InputError if it is none, or has more than so many letters."""
    text = action.get(key)
    if not isinstance(text, str) or len(text) > most:
        raise InputError(f"{key} must be a text of at most {most} characters")
    return text
