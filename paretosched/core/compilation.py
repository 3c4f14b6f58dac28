"""Who wants to know when kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

# Each is called with True when a kernel begins to be compiled, and with False when that ends; one may need another one,
# so that calls are nested. What was compiled earlier is loaded from numba's cache, and nobody is called.
LISTENERS: list[Callable[[bool], None]] = []


class Event(Protocol):
    """What numba says of a compilation."""

    @property
    def is_start(self) -> bool:
        """Return whether it begins; else it has ended."""


class Compilations:
    """Tells the listeners; one of numba's own, as `paretosched.kernels.compiling` says to it."""

    def notify(self, event: Event) -> None:
        """Tell all listeners that a compilation begins or has ended."""
        for tell in LISTENERS:
            tell(event.is_start)
