"""Compute in a thread that Ctrl-C abandons: compiled code sees no signals, and cannot be stopped.

What is computed so must write no files: after Ctrl-C it goes on in the background, wherever it is, and nobody reads its
result. A program that ends waits for it, because the interpreter would free compiled code that another thread executes;
the command line ends its process at once instead, see `paretosched.cli.waiting`.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable
from contextvars import copy_context
from threading import Event, Thread, current_thread, main_thread
from typing import TypeVar

T = TypeVar("T")

_abandoned: list[Thread] = []


def compute(work: Callable[[], T], meanwhile: Callable[[Event], object] = Event.wait) -> T:
    """Return what a function returns that only computes; an error of it is raised here.

    Parameters
    ----------
    work
        The function. It runs in a thread of its own, with the context variables of the caller; but in the caller's
        thread unless that is the main one, which alone sees signals.
    meanwhile
        Called in the main thread with an event that is set when the function has ended; it returns after that.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C; the function is abandoned.

    Examples
    --------
    >>> compute(lambda: 7)
    7
    """
    if current_thread() is not main_thread():
        return work()
    results: list[T] = []
    errors: list[BaseException] = []
    end = Event()

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised below, in the thread that waits
            errors.append(error)
        finally:
            end.set()

    thread = Thread(target=copy_context().run, args=(do,), name="computation", daemon=True)
    try:
        thread.start()
        meanwhile(end)
    except BaseException:
        abandon([thread])
        raise
    for error in errors:
        raise error
    return results[0]


def abandon(threads: Iterable[Thread]) -> None:
    """Wait no longer for threads that only compute."""
    _abandoned.extend(thread for thread in threads if thread.is_alive())


def is_computing() -> bool:
    """Return whether a thread that was abandoned still runs."""
    return any(thread.is_alive() for thread in _abandoned)


def _wait() -> None:
    """Wait for the threads that were abandoned, see the module."""
    for thread in _abandoned:
        thread.join()


atexit.register(_wait)
