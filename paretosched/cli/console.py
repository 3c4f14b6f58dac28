"""What a command shows: tables on standard output, remarks and progress on standard error; and how Ctrl-C gets in."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from ..core.errors import InputError, printable

PROGRAM = "paretosched"
BUSY = ("importlib", "numba", "llvmlite")  # in the names of files of code that is not to be interrupted

Update = Callable[[int, int | None, str], None]  # done, in all (None: not known), a note


def show(text: str = "") -> None:
    """Write lines to standard output; what could steer a terminal, or what it has no letter for, is replaced."""
    if not sys.stdout:  # it was closed before the command began
        return
    clean = "\n".join(map(printable, text.split("\n")))
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(clean.encode(encoding, "replace").decode(encoding))
    except OSError as error:
        _lost(error)


def flush() -> None:
    """Write what is left for standard output while its errors can still be reported."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        _lost(error)


def _lost(error: OSError) -> None:
    """Go on without standard output; that its disk is full is an error, that its reader has gone is none."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would complain at its end
    if not isinstance(error, BrokenPipeError):
        raise InputError(f"standard output: cannot write: {error.strerror}") from None


def tell(text: str) -> None:
    """Write one line to standard error; a run does not end because standard error is closed."""
    if sys.stderr:  # else print() would take standard output
        with suppress(OSError):
            print(printable(" ".join(text.split())), file=sys.stderr, flush=True)


def remark(text: str) -> None:
    """Write one line to standard error, under the name of the program."""
    tell(f"{PROGRAM}: {text}")


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Take the end that a service manager asks for as Ctrl-C, so that what runs is stopped and kept.

    A page in the background of a script ignores Ctrl-C. It goes on doing so, but by a handler: what is ignored would be
    inherited by its trainings, which are cancelled by that signal, and a handler is not.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupt)


@contextmanager
def sure_interrupt() -> Iterator[None]:
    """Let Ctrl-C come through; where it would be lost or do harm, it is put off.

    It would be lost in a callback of the garbage collector, such as Dask's, and in a finalizer; and it would leave a
    library that is being imported, or a compiler at work, in a state in which a run cannot even be closed.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            if code.co_name in ("_gc_callback", "__del__") or any(part in code.co_filename for part in BUSY):
                threading.Timer(0.01, os.kill, (os.getpid(), number)).start()
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else it was set otherwise on purpose, as by `nohup`
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def bar(what: str, total: int | None, unit: str = "") -> Iterator[Update]:
    """Show a progress bar with the time left where standard error is a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what, unit)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn() if unit == "bytes" else MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(what, total=total, note="")

        def update(done: int, goal: int | None, note: str) -> None:
            progress.update(task, completed=done, total=goal, note=note)

        yield update


def _lines(what: str, unit: str) -> Update:
    tenths = 0

    def update(done: int, goal: int | None, note: str) -> None:
        nonlocal tenths
        if goal and done * 10 // goal > tenths:
            tenths = done * 10 // goal
            amount = f"{done:,} of {goal:,} {unit}".rstrip()
            remark(f"{what}: {amount}, {note}" if note else f"{what}: {amount}")

    return update
