"""The output of commands: tables on standard output, remarks and progress on standard error; and Ctrl-C.

A command says three remarks at most, after its answer, those first that change most; all of them with --remarks, and
beside JSON.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from time import monotonic
from types import FrameType

from ..core.errors import InputError, number_of, printable

PROGRAM = "paretosched"
BUSY = ("importlib", "numba", "llvmlite", "rich")  # packages that must not be interrupted
SEARCH = "paretosched.search"  # the logger
PERIOD = 10.0  # s, between two lines about work that takes longer

MOST = 3  # remarks of a command

_first: list[tuple[Callable[[str], None], str]] = []  # what comes before all else, and how it is written
_remarks: list[tuple[Changes, str, str]] = []  # what is said at the end: what it changes, of what, the words


class Changes(IntEnum):
    """What a remark changes, those first that come first."""

    FIGURES = 0  # what is shown would be another number, or is worth little
    MEANING = 1  # what the numbers are of
    NOTHING = 2  # what else is good to know


Update = Callable[[int, int | None, str], None]  # how many are done, how many in all (None: not known), a note


def show_first(text: str, beside_json: bool) -> None:
    """Write a line before all else, as soon as there is anything: a command that is refused has its error line only.

    It goes to standard output, and beside JSON to standard error.
    """
    _first.append((say if beside_json else show, text))


def forget_first() -> None:
    """Forget what a command that ended would have begun with."""
    _first.clear()


def write_first() -> None:
    """Write what comes before all else, if it is not written yet."""
    waiting = [*_first]
    _first.clear()
    for write, text in waiting:
        write(text)
    if waiting:
        flush()  # before the lines of standard error that follow


def show(text: str = "") -> None:
    """Write lines to standard output; control characters, and letters that it cannot show, are replaced."""
    write_first()
    if not sys.stdout:  # it was closed before the command began
        return
    clean = "\n".join(map(printable, text.split("\n")))
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(clean.encode(encoding, "replace").decode(encoding))
    except OSError as error:
        _drop_output(error)


def flush() -> None:
    """Write what is still buffered for standard output, as long as its errors can be reported."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        _drop_output(error)


def _drop_output(error: OSError) -> None:
    """Continue without standard output. A full disk is an error; a reader that has gone is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise the interpreter complains at its end
    if not isinstance(error, BrokenPipeError):
        raise InputError(f"standard output: cannot write: {error.strerror}") from None


def tell(text: str) -> None:
    """Write one line to standard error; a closed standard error does not end a run."""
    if sys.stderr:  # otherwise print() would write to standard output
        with suppress(OSError):
            print(printable(" ".join(text.split())), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Write one line to standard error at once, under the name of the program."""
    if any(write is say for write, _ in _first):
        write_first()
    tell(f"{PROGRAM}: {text}")


def remark(text: str, changes: Changes = Changes.MEANING, of: str = "") -> None:
    """Keep a line for the end of the command, see `write_remarks`; `of` is the policy or file that it is about."""
    _remarks.append((changes, of, text))


def write_remarks(shows_all: bool) -> None:
    """Write the remarks that were kept, each once, in the order of what they change; three, or all of them."""
    about: dict[str, list[str]] = {}  # the words to what they are said of
    for _, of, text in sorted(dict.fromkeys(_remarks), key=lambda kept: kept[0]):
        about.setdefault(text, []).extend([of] * bool(of))
    _remarks.clear()
    texts = [f"{', '.join(subjects)}: {text}" if subjects else text for text, subjects in about.items()]
    shown = texts if shows_all or len(texts) <= MOST else texts[:MOST]
    for text in shown:
        say(text)
    if more := len(texts) - len(shown):
        say(f"{number_of(more, 'more remark')}: --remarks")


@contextmanager
def remarks_of_search() -> Iterator[None]:
    """Write what a search says of its workers, to Python's logging, at once."""
    import logging

    class Remarks(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(record.getMessage())

    logger, handler = logging.getLogger(SEARCH), Remarks()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Treat SIGTERM, with which a service manager ends a process, as Ctrl-C, so that trainings stop and are kept.

    A page in the background of a script ignores Ctrl-C. Here a handler ignores it instead. Reason: trainings would
    inherit an ignored signal and could not be cancelled with it; they do not inherit a handler.
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
    """Make sure that Ctrl-C ends the command; while it would be lost or do harm, it is delayed.

    It would be lost in a callback of the garbage collector, such as Dask's, and in a finalizer. During an import or a
    compilation it would leave the library in a state in which a run cannot even be closed. While the bar is drawn or
    taken away it would leave a terminal without a cursor, and standard error in the hands of a bar that is gone. Where
    a context has been entered and is not yet noted as such, nothing would leave it in order.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        is_entering = frame is not None and frame.f_globals.get("__name__") == "contextlib"  # itself, no code of ours
        while frame is not None:
            package = str(frame.f_globals.get("__name__")).partition(".")[0]
            if is_entering or package in BUSY or frame.f_code.co_name in ("_gc_callback", "__del__"):
                threading.Timer(0.01, os.kill, (os.getpid(), number)).start()
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # otherwise another handler was set on purpose, for instance by `nohup`
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def bar(what: str, total: int | None, unit: str = "") -> Iterator[Update]:
    """Show a progress bar with the remaining time if standard error is a terminal, otherwise lines, see `_Lines`.

    Ctrl-C is sure to end what is done meanwhile, see `sure_interrupt`.
    """
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
        lines = _Lines(what, unit)
        try:
            with sure_interrupt():
                yield _after_first(lines.update)
        finally:
            lines.end.set()
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
    with sure_interrupt(), Progress(*columns, console=console) as progress:
        task = progress.add_task(what, total=total, note="")

        def update(count: int, goal: int | None, note: str) -> None:
            progress.update(task, completed=count, total=goal, note=note)

        yield _after_first(update)


def _after_first(update: Update) -> Update:
    """Return an update before which that is written which comes before all else: work is done, nothing is refused."""

    def write_and_update(count: int, goal: int | None, note: str) -> None:
        write_first()
        update(count, goal, note)

    return write_and_update


class _Lines:
    """Progress as lines: one for each tenth of the work, and one after ten seconds without any."""

    def __init__(self, what: str, unit: str) -> None:
        self.what, self.unit = what, unit
        self.tenths = 0
        self.amount = self.note = ""
        self.begin = self.last = monotonic()  # s, of the work and of the last line
        self.first: tuple[float, int] | None = None  # when the first count was told, and it: a run may be continued
        self.left = ""
        self.end = threading.Event()
        threading.Thread(target=self.say_still, daemon=True).start()

    def update(self, count: int, goal: int | None, note: str) -> None:
        """Write a line if a tenth of the work is done since the last one."""
        if not goal:
            return
        self.amount, self.note = f"{count:,} of {goal:,} {self.unit}".rstrip(), note
        self.left = self.time_left(count, goal)
        before, self.tenths = self.tenths, count * 10 // goal  # a second part of the work begins at 0 again
        if self.tenths > before:
            self.say(note)

    def say(self, note: str) -> None:
        """Write a line."""
        self.last = monotonic()
        say(f"{self.what}: {', '.join(filter(None, (self.amount, note, self.left)))}")

    def time_left(self, count: int, goal: int) -> str:
        """Return for how long the rest will take as that since the first count did; "" for ten seconds."""
        from ..core.watching import seconds_left  # on demand: it takes numpy

        now = monotonic()
        if self.first is None or count < self.first[1]:
            self.first = (now, count)
        left = seconds_left(self.first, (now, count), goal)
        if left is None or left <= 0 or now - self.first[0] < PERIOD:
            return ""
        return f"about {left:.0f} s left" if left < 100 else f"about {left / 60:,.0f} min left"

    def say_still(self) -> None:
        """Write a line when there was none for a while, until the end."""
        while not self.end.wait(max(0.0, self.last + PERIOD - monotonic())):
            now = monotonic()
            if now - self.last >= PERIOD:
                self.say("; ".join(filter(None, (self.note, f"still at work after {now - self.begin:.0f} s"))))
