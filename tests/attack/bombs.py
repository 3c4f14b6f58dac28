"""Small files that are huge when they are read: one line, in less than 1 GiB."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from attack.tally import MOST_MEMORY, MOST_SECONDS, Tally, Verdict, judged, tally
from support.commands import environment
from support.log_bombs import Bomb


def measured(words: list[str], folder: Path) -> Verdict:
    """Run a command as a process, and return its verdict; broken if it takes too much time or memory."""
    out, err = folder / "out", folder / "err"
    with out.open("w") as to_out, err.open("w") as to_err:
        process = subprocess.Popen(
            [sys.executable, "-m", "paretosched.cli", *words], env=environment(), stdout=to_out, stderr=to_err
        )
        timer = threading.Timer(2 * MOST_SECONDS, process.kill)
        timer.start()
        _, state, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(state)
    verdict = judged(words, process.returncode, out.read_text(), err.read_text())
    if usage.ru_maxrss > MOST_MEMORY:
        return verdict._replace(end=f"{usage.ru_maxrss / MOST_MEMORY:.1f} GiB of memory")
    return verdict


def bombs(of: Iterable[Bomb], work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Read every bomb with a command, and return one row."""
    work.mkdir()
    verdicts = []
    for bomb in of:
        path = work / "bomb.swf.gz"
        bomb.make(path)
        verdict = measured(["info", str(path)], work)
        verdicts.append(verdict._replace(attempt=f"{bomb.name}: {verdict.attempt}"))
        path.unlink()
    tell(f"bombs: {len(verdicts)} tried, {sum(verdict.broken for verdict in verdicts)} broken")
    return [tally("bombs in the form of logs", verdicts)]
