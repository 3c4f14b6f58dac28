"""Undo and redo, going back to any step, and notes at steps."""

import pytest

from paretosched.app.state import State
from paretosched.app.undo import MOST_UNDONE, History, Step
from paretosched.core.errors import InputError

ROWS = [State(chosen=row) for row in range(MOST_UNDONE + 5)]
BEGIN = History.from_state(ROWS[0])


def test_undo_and_redo_walk_the_steps_and_a_new_step_ends_the_redo() -> None:
    history = BEGIN.after(ROWS[1]).after(ROWS[2])
    back = history.undo()
    assert (back.present, back.can_undo, back.can_redo) == (ROWS[1], True, True)
    assert back.undo().undo().present == ROWS[0]  # nothing is before the first
    assert back.undo().redo().redo() == history
    assert history.redo() == history
    other = back.after(ROWS[3])
    assert (other.present, other.can_redo, other.undo().present) == (ROWS[3], False, ROWS[1])


def test_a_look_is_passed_over() -> None:
    history = BEGIN.after(ROWS[1]).without_step(ROWS[2])
    assert history.present == ROWS[2]
    assert history.undo().present == ROWS[0]


def test_so_many_steps_are_kept() -> None:
    history = BEGIN
    for state in ROWS[1:]:
        history = history.after(state)
    assert len(history.steps) == MOST_UNDONE + 1
    for _ in range(MOST_UNDONE + 1):
        history = history.undo()
    assert history.present == ROWS[4]
    assert [history.steps[0].number, history.steps[-1].number] == [4, MOST_UNDONE + 4]  # numbers stay


def test_one_goes_back_to_any_step_and_forward_again_and_says_why() -> None:
    history = BEGIN.after(ROWS[1], 5.0, "Eva").after(ROWS[2]).after(ROWS[3])
    back = history.back_to(1)
    assert back.present == ROWS[1]
    assert back.back_to(3) == history
    noted = back.with_why(1, "students wait too long")
    assert noted.steps[1] == Step(ROWS[1], 1, 5.0, "Eva", "students wait too long")
    assert noted.place == 1
    assert [step.number for step in noted.after(ROWS[4]).steps] == [0, 1, 2]
    for number in (4, -1, True, None, "1"):
        with pytest.raises(InputError, match="must be that of a step, 0 to 3"):
            history.back_to(number)
        with pytest.raises(InputError, match="must be that of a step, 0 to 3"):
            history.with_why(number, "x")


def test_steps_of_another_history_are_numbered_on() -> None:
    joined = BEGIN.after(ROWS[1]).with_steps([Step(ROWS[2], 7, 1.0, "Jan"), Step(ROWS[3], 8)])
    assert [(step.number, step.who) for step in joined.steps] == [(0, ""), (1, ""), (2, "Jan"), (3, "")]
    assert joined.present == ROWS[3]
    assert joined.undo().undo().present == ROWS[1]
