"""Exploring further from the page: a process that runs `paretosched explore` on the run that the page shows.

What is wanted is on disk, in `explore.json`, with the process that does it; what is done is in the run. So if it was
stopped, or its page was closed or killed, the same request goes on with the same result. The page notices that its
front on disk has changed, and offers it, see `newer_front`.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from ..core.errors import InputError
from ..core.files import write_json
from ..core.run_files import is_run
from ..core.watching import seconds_left
from ..search import runs
from ..search.exploration import MOST_EVALUATIONS
from ..search.settings import ALL
from .newer_front import stamp
from .page_folder import read_typed
from .processes import Background, Process, begin, last_error

FORMAT: Final = "paretosched page exploration 1"
REQUEST_FILE = "explore.json"
LOG_FILE = "explore.log"
STEPS = (1_000, 5_000, 20_000)  # schedules that are explored at one go
NO_RUN = (
    "This page shows a front, not a run. Open the page of a run directory to explore that run further; "
    "paretosched front puts several runs together again."
)


class Exploration(NamedTuple):
    """How far a run is.

    Attributes
    ----------
    done, wanted
        How many schedules are simulated, and how many will be; no more than done if nothing is wanted.
    is_running
        Whether it goes on now.
    message
        Why the page cannot go on, or why it failed; "" if there is nothing to say.
    seconds_left
        How long it will still take; None if that is not known, or if it does not run.
    each
        Seconds a simulation has taken so far, one after the other; NaN if that is not known.
    can_go_on
        Whether it can be asked for more.
    """

    done: int = 0
    wanted: int = 0
    is_running: bool = False
    message: str = ""
    seconds_left: float | None = None
    each: float = math.nan
    can_go_on: bool = False


class _Request(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `explore.json`."""

    format: Literal["paretosched page exploration 1"]
    evaluations: int
    process: Process | None


@dataclass
class Further:
    """The exploration of the run that a page shows.

    Parameters
    ----------
    folder
        Folder of the page.
    run
        The run directory, or whatever else the front is from.
    trace
        Words with which `paretosched explore` reads the workload: the log, and options. Without them nothing is begun.
    """

    folder: Path
    run: Path
    trace: Sequence[str] = ()
    _running: Background | None = None
    _wanted: int = 0
    _first_seen: tuple[float, int] | None = None
    _last: tuple[Any, Exploration] | None = None  # what was read last, and of which state of the files

    def __post_init__(self) -> None:
        """Look after what a page before has begun."""
        request = read_typed(self.folder / REQUEST_FILE, "exploration", _Request)
        if request is not None:
            self._wanted = request.evaluations
            if request.process is not None:
                self._running = Background(request.process)

    def read(self) -> Exploration:
        """Return how far it is."""
        if not is_run(self.run):
            return Exploration(message=NO_RUN)
        live = self._running is not None and self._running.is_running
        mark = live, self._wanted, bool(self.trace), stamp(self.run)
        if self._last is None or self._last[0] != mark or live:
            self._last = mark, self._read(live)
        return self._last[1]

    def _read(self, live: bool) -> Exploration:
        """Return how far it is, from the files of the run."""
        try:
            about = runs.read_about(self.run)
            evaluations: Any = about.get("evaluations")
            evaluations = evaluations if isinstance(evaluations, dict) else {}
            why_not = self._why_not(about.get("parameters"))
            done, seconds = runs.count_evaluations(self.run), float(about.get("kernel_seconds", math.nan))
            each = seconds / int(evaluations["done"]) if evaluations.get("done") and seconds > 0 else math.nan
        except (InputError, TypeError, ValueError, ArithmeticError) as error:  # a run that is being damaged
            return Exploration(message=str(error))
        wanted = max(done, self._wanted)
        left = None
        if live and done < wanted:
            now = time.monotonic(), done
            self._first_seen = self._first_seen or now
            left = seconds_left(self._first_seen, now, wanted)
        failed = "" if live or done >= self._wanted else last_error(self.folder / LOG_FILE, "explore")
        message = why_not or ("" if "interrupted" in failed else failed)
        return Exploration(done, wanted, live, message, left, each, not why_not)

    def _why_not(self, parameters: Any) -> str:
        """Return why a run with parameters cannot go on; "" if it can."""
        if isinstance(parameters, dict) and parameters.get("algorithm") in (ALL, "rvea"):
            return "All that this run set out to try has been simulated; explore in another run to find more."
        return "" if self.trace else "Exploring further needs the workload itself."

    def ask(self, more: int) -> None:
        """Explore so many schedules more.

        Raises
        ------
        InputError
            The number is none of STEPS, it runs already, or the run cannot go on.
        """
        if type(more) is not int or more not in STEPS:
            raise InputError(f"evaluations must be one of {', '.join(map(str, STEPS))}")
        now = self.read()
        if now.is_running:
            raise InputError("the page explores already; stop it first")
        if not now.can_go_on:
            raise InputError(now.message)
        writer = runs.writer(self.run)
        if writer is not None:
            raise InputError(f"{writer} explores this run already")
        self._wanted = min(now.done + more, MOST_EVALUATIONS)
        self._first_seen = None
        trace, *options = self.trace
        words = ["explore", str(Path(trace).absolute()), *options, "-o", str(self.run.absolute())]
        self._running = begin([*words, "--evaluations", str(self._wanted)], self.folder / LOG_FILE)
        self._save()

    def halt(self) -> None:
        """Stop it; what is simulated is kept."""
        if self._running is not None:
            self._running.send(signal.SIGINT)

    def close(self) -> None:
        """Stop it, and wait until it has written its front."""
        if self._running is not None:
            self._running.end()
            self._running = None
            self._save()

    def _save(self) -> None:
        """Write what is wanted, and which process does it."""
        process = None if self._running is None else self._running.process
        value = msgspec.to_builtins(_Request(FORMAT, self._wanted, process))
        write_json(self.folder / REQUEST_FILE, value, private=True)
