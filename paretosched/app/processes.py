"""Commands of this suite that the page runs in the background, and that outlive a page that is killed.

The number of a process alone may be that of another one by now, so a process is known by its start, too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files import read_text

PATIENCE = 20.0  # s that a command has to end in order


@dataclass(frozen=True)
class Process:
    """A process of this machine.

    Attributes
    ----------
    pid
        Its number. The system gives it to another process when this one has ended.
    start
        Which start of the machine, and when after it the process began. Together with the number it is unique.
    """

    pid: int
    start: str


def process_of(pid: int) -> Process | None:
    """Return a process that runs; None if there is none, or if the system does not tell when it began."""
    try:
        # the name of the program is in brackets and may contain any letter
        state, *fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
        machine = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return None if state in "ZX" else Process(pid, f"{machine} {fields[18]}")
    except (OSError, ValueError, IndexError):
        return None


def is_running(process: Process) -> bool:
    """Return whether a process still runs."""
    return process_of(process.pid) == process


def send(process: Process, signal_number: int) -> None:
    """Send a signal to a process if it still runs, and never to another process that has its number now."""
    if is_running(process):
        with suppress(ProcessLookupError):  # it ended at this moment
            os.kill(process.pid, signal_number)


@dataclass(frozen=True)
class Background:
    """A command in the background.

    Attributes
    ----------
    process
        What runs it; None if it had ended before that could be told.
    child
        The same, if this page has started it; None if a page before did.
    """

    process: Process | None
    child: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        """Whether it still runs."""
        if self.child is not None:
            return self.child.poll() is None
        return self.process is not None and is_running(self.process)

    def send(self, signal_number: int) -> None:
        """Send it a signal."""
        if self.child is not None:
            self.child.send_signal(signal_number)
        elif self.process is not None:
            send(self.process, signal_number)

    def end(self) -> None:
        """Stop it, and wait until it has written what it keeps."""
        for signal_number in (signal.SIGINT, signal.SIGKILL):  # after both, the run can still be continued
            last = time.monotonic() + PATIENCE
            if self.is_running:
                self.send(signal_number)
            while self.is_running and time.monotonic() < last:
                time.sleep(0.02)


def begin(words: Sequence[str], log: Path, result: Path | None = None) -> Background:
    """Start a command of this suite, with low priority.

    Parameters
    ----------
    words
        The command and its arguments.
    log, result
        Where its messages go, and what it shows at its end, by default with the messages; no other account can read
        them.

    Raises
    ------
    InputError
        It cannot be started.
    """
    with ExitStack() as stack:

        def private_file(path: Path) -> Any:
            return stack.enter_context(open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)))

        try:
            messages = private_file(log)
            # a session of its own: Ctrl-C is for the page, which then stops its commands in order
            child = subprocess.Popen(  # noqa: S603  # our own command with our own paths
                [sys.executable, "-m", "paretosched.cli", *words],
                stdin=subprocess.DEVNULL,
                stdout=messages if result is None else private_file(result),
                stderr=messages,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"{words[0]} cannot be started: {error.strerror}") from None
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, 10)  # the page comes first
    return Background(process_of(child.pid), child)


def last_error(log: Path, command: str) -> str:
    """Return the last error that a command has written into its log; "" if there is none."""
    try:
        lines = read_text(log).splitlines()
    except (OSError, UnicodeDecodeError, InputError):
        return ""
    beginning = f"paretosched {command}: "
    errors = [line for line in lines if line.startswith(beginning)]
    return errors[-1].removeprefix(beginning) if errors else ""
