"""Processes that outlive the one that started them: a number of a process alone may be that of another one by now."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


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
