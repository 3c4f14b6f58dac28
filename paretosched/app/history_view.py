"""How a decision came about: its steps in words, as a list from which every one can be gone back to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from dash import html

from ..core.tables import enumeration
from ..fronts.front import Front
from .desk import Desk
from .state import State, pick_name, schedule_name, wish_words
from .undo import History, Step
from .widgets import button, capital, text_field

MOST_SHOWN = 12  # steps of the list
BEGINNING = "the page was opened"


def step_words(before: State, now: State, front: Front) -> str:
    """Return in words what a step has changed; "" if that is only how the page looks."""
    words = []
    if now.wish != before.wish:
        words.append("no wish" if now.wish is None else f"the wish: {wish_words(now.wish, front)}")
    old, new = ({pick.letter: pick for pick in state.picks} for state in (before, now))
    words += [f"{letter} on the shortlist: {pick_name(new[letter], front)}" for letter in new if letter not in old]
    gone = [letter for letter in old if letter not in new]
    words += [f"{enumeration(gone)} off the shortlist"] if gone else []
    words += [
        f"why {letter}: {pick.note or 'nothing'}"
        for letter, pick in new.items()
        if pick.note != (old[letter].note if letter in old else "")
    ]
    if now.chosen is not None and now.chosen != before.chosen:
        kind = f", the {now.suggested[0]}" if now.suggested[0] and now.suggested != before.suggested else ""
        words.append(f"a look at {schedule_name(front, now.chosen)}{kind}")
    if now.mine != before.mine:
        words.append(f"compared with {now.mine or 'what the page began with'}")
    return "; ".join(words)


def told_steps(history: History, front: Front) -> list[tuple[Step, str]]:
    """Return all steps with their words, those that were undone, too; the first one is the beginning."""
    steps = history.steps
    words = [step_words(one.state, other.state, front) for one, other in pairwise(steps)]
    return list(zip(steps, ["" if steps[0].number else BEGINNING, *words], strict=True))


def origin_words(step: Step) -> str:
    """Return who made a step and when, on the clock of this machine; "" if neither is known."""
    when = datetime.fromtimestamp(step.at).astimezone().strftime("%-d %b %H:%M") if step.at else ""
    return ", ".join(filter(None, (step.who, when)))


def history_list(desk: Desk) -> list[Any]:
    """Return the last steps, the newest one first: a press on one goes back to it, and a note says why it was made."""
    history = desk.history
    told = told_steps(history, desk.front)
    if len(told) < 2:
        return []
    first = max(0, min(history.place - MOST_SHOWN // 2, len(told) - MOST_SHOWN))
    items = []
    for place in reversed(range(first, min(first + MOST_SHOWN, len(told)))):
        step, words = told[place]
        is_now = place == history.place
        go = button(
            capital(words or "an earlier step"), {"do": "back", "number": step.number},
            className="link on" if is_now else "link", title="Go back to this step; the others stay in the list",
            **({"aria-current": "step"} if is_now else {}),
        )  # fmt: skip
        note, key = {"do": "why", "number": step.number}, f"why-{step.number}"
        why = text_field(key, note, "text", f"why: {words}", step.why, "why?") if step.number else None
        origin = html.Small(origin_words(step)) if step.at or step.who else None
        items.append(html.Li([go, origin, why], className="undone" * (place > history.place)))
    return [html.Ol(items, className="history", reversed=True)]


def decided_lines(history: History, front: Front) -> Sequence[str]:
    """Return in sentences how the present state came about: who changed what, when and why; looks are left out."""
    lines = []
    for step, words in told_steps(history, front)[1 : history.place + 1]:
        if step.why or not words.startswith("a look at"):
            origin = origin_words(step)
            lines.append(f"{capital(words)}{f' ({origin})' if origin else ''}{f': {step.why}' if step.why else ''}")
    return lines[-MOST_SHOWN:]
