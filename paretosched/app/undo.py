"""The history of a decision: the states of the page in their order, who came to them, when and why; undo and redo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..core.errors import InputError, in_quotes
from .state import State

MOST_UNDONE = 100


class Step(NamedTuple):
    """A state of the page, and how it came to be.

    Attributes
    ----------
    state
        The state.
    number
        Its number in the history, which stays.
    at
        When, in s since 1970; 0 if nobody knows.
    who, why
        The name that the owner gave, and a note.
    """

    state: State
    number: int = 0
    at: float = 0.0
    who: str = ""
    why: str = ""


@dataclass(frozen=True)
class History:
    """The steps of the page, and which of them it shows.

    Parameters
    ----------
    steps
        In their order, the first one first; those behind `place` were undone.
    place
        The place of the present one.
    """

    steps: tuple[Step, ...]
    place: int = 0

    @classmethod
    def from_state(cls, state: State) -> History:
        """Return the history of a page that begins with a state."""
        return cls((Step(state),))

    @property
    def present(self) -> State:
        """What the page shows."""
        return self.steps[self.place].state

    @property
    def until_now(self) -> tuple[Step, ...]:
        """The steps that led to what the page shows; the last one is the present one."""
        return self.steps[: self.place + 1]

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return self.place > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return self.place < len(self.steps) - 1

    def each(self, change: Callable[[State], State]) -> History:
        """Return the history with every state changed; undo and redo lead to the same steps."""
        return replace(self, steps=tuple(step._replace(state=change(step.state)) for step in self.steps))

    def after(self, state: State, at: float = 0.0, who: str = "") -> History:
        """Return the history after a step to another state; after it there is nothing to redo."""
        return self.with_steps([Step(state, at=at, who=who)])

    def with_steps(self, more: Sequence[Step]) -> History:
        """Return the history after these steps, too; they are numbered on, and the oldest ones are forgotten."""
        steps = list(self.until_now)
        for step in more:
            steps.append(step._replace(number=steps[-1].number + 1))
        kept = steps[-MOST_UNDONE - 1 :]
        return History(tuple(kept), len(kept) - 1)

    def without_step(self, state: State) -> History:
        """Return the history with another present state, but without a step that undo would take back."""
        steps = list(self.steps)
        steps[self.place] = steps[self.place]._replace(state=state)
        return replace(self, steps=tuple(steps))

    def undo(self) -> History:
        """Return the history after an undo; this one if there is nothing to undo."""
        return replace(self, place=max(self.place - 1, 0))

    def redo(self) -> History:
        """Return the history after a redo; this one if there is nothing to redo."""
        return replace(self, place=min(self.place + 1, len(self.steps) - 1))

    def back_to(self, number: object) -> History:
        """Return the history at the step of this number, which may be one that was undone.

        Raises
        ------
        InputError
            There is no such step.
        """
        return replace(self, place=self._place_of(number))

    def with_why(self, number: object, why: str) -> History:
        """Return the history with a note at the step of this number, see `back_to`."""
        steps, place = list(self.steps), self._place_of(number)
        steps[place] = steps[place]._replace(why=why)
        return replace(self, steps=tuple(steps))

    def _place_of(self, number: object) -> int:
        """Return the place of the step of this number."""
        numbers = [step.number for step in self.steps]
        if type(number) is not int or number not in numbers:
            rule = f"number must be that of a step, {numbers[0]} to {numbers[-1]}"
            raise InputError(f"{rule}, but is {in_quotes(str(number))}")
        return numbers.index(number)
