"""Undo and redo."""

from __future__ import annotations

from paretosched.app.state import State
from paretosched.app.undo import MOST_UNDONE, History

ROWS = [State(chosen=row) for row in range(MOST_UNDONE + 5)]


def test_undo_and_redo_walk_the_steps_and_a_new_step_ends_the_redo() -> None:
    history = History(ROWS[0]).after(ROWS[1]).after(ROWS[2])
    back = history.undo()
    assert (back.present, back.can_undo, back.can_redo) == (ROWS[1], True, True)
    assert back.undo().undo().present == ROWS[0]  # nothing is before the first
    assert back.undo().redo().redo() == history
    assert history.redo() == history
    other = back.after(ROWS[3])
    assert (other.present, other.can_redo, other.undo().present) == (ROWS[3], False, ROWS[1])


def test_a_look_is_passed_over() -> None:
    history = History(ROWS[0]).after(ROWS[1]).without_step(ROWS[2])
    assert history.present == ROWS[2]
    assert history.undo().present == ROWS[0]


def test_so_many_steps_are_kept() -> None:
    history = History(ROWS[0])
    for state in ROWS[1:]:
        history = history.after(state)
    assert len(history.past) == MOST_UNDONE
    for _ in range(MOST_UNDONE + 1):
        history = history.undo()
    assert history.present == ROWS[4]
