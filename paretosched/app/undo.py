"""Undo and redo on the page: the states before and after the present one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .state import State

MOST_UNDONE = 100


@dataclass(frozen=True)
class History:
    """The present state, and those that undo and redo lead to.

    Parameters
    ----------
    present
        What the page shows.
    past, future
        The states to which undo and redo lead, the next one last.
    """

    present: State
    past: tuple[State, ...] = ()
    future: tuple[State, ...] = ()

    def each(self, change: Callable[[State], State]) -> History:
        """Return the history with every state changed; undo and redo lead to the same steps."""
        return History(change(self.present), tuple(map(change, self.past)), tuple(map(change, self.future)))

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self.past)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return bool(self.future)

    def after(self, state: State) -> History:
        """Return the history after a step to another state; after it there is nothing to redo."""
        return History(state, (*self.past, self.present)[-MOST_UNDONE:])

    def without_step(self, state: State) -> History:
        """Return the history with another present state, but without a step that undo would take back."""
        return replace(self, present=state)

    def undo(self) -> History:
        """Return the history after an undo; this one if there is nothing to undo."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.present))

    def redo(self) -> History:
        """Return the history after a redo; this one if there is nothing to redo."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.present), self.future[:-1])
