"""Compute in a thread that Ctrl-C abandons: compiled code sees no signals, and cannot be stopped.

The thread is kept for the next computation: to start one takes up to half a millisecond, as some simulations do.

What is computed so must write no files: after Ctrl-C it goes on in the background, wherever it is, and nobody reads its
result. A program that ends waits for it, because the interpreter would free compiled code that another thread executes;
the command line ends its process at once instead, see `paretosched.cli.waiting`.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread, current_thread, main_thread
from typing import TypeVar

T = TypeVar("T")
V = TypeVar("V")

_Tasks = SimpleQueue[Callable[[], object] | None]
_idle: list[tuple[Thread, _Tasks]] = []  # threads that wait for their next task
_abandoned: list[Thread] = []


def compute(work: Callable[[], T], meanwhile: Callable[[Event], object] = Event.wait) -> T:
    """Return what a function returns that only computes; an error of it is raised here.

    Parameters
    ----------
    work
        The function. It runs in another thread, with the context variables of the caller; but in the caller's
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

    thread, tasks = _idle.pop() if _idle else _begin()
    try:
        tasks.put(partial(copy_context().run, do))
        meanwhile(end)
    except BaseException:
        tasks.put(None)
        abandon([thread])
        raise
    _idle.append((thread, tasks))
    for error in errors:
        raise error
    return results.pop()  # nothing but the caller keeps it


def at_once(work: Callable[[V], T], values: Sequence[V]) -> list[T]:
    """Return what a function that only computes returns for each value, in their order; as many at a time as cores.

    Each runs in a thread, with the context variables of the caller. An error is raised here, and no further value is
    begun then; nor after Ctrl-C, which abandons those that are computed.

    Examples
    --------
    >>> at_once(abs, [-3, 4])
    [3, 4]
    """
    if len(values) < 2:
        return [work(value) for value in values]
    results: dict[int, T] = {}
    errors: list[BaseException] = []
    left = SimpleQueue[int]()
    for place in range(len(values)):
        left.put(place)

    def do() -> None:
        with suppress(Empty):
            while not errors:
                place = left.get_nowait()
                try:
                    results[place] = work(values[place])
                except BaseException as error:  # raised below, in the thread that waits
                    errors.append(error)

    count = min(len(values), os.cpu_count() or 1)
    threads = [Thread(target=copy_context().run, args=(do,), daemon=True) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException as interrupt:
        errors.append(interrupt)
        abandon(threads)
        raise
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(values))]


def _begin() -> tuple[Thread, _Tasks]:
    """Return a new thread that does one task after the other, until a task is None."""
    tasks: _Tasks = SimpleQueue()

    def do_tasks() -> None:
        while (task := tasks.get()) is not None:
            task()
            del task  # with all that it has computed

    thread = Thread(target=do_tasks, name="computation", daemon=True)
    thread.start()
    return thread, tasks


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
os.register_at_fork(after_in_child=_idle.clear)  # a child has no other threads
