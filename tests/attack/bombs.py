"""Small files that are huge when they are read: one line, in less than 1 GiB."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from attack.tally import MOST_MEMORY, MOST_SECONDS, Tally, Verdict, judge, tally
from support.bombs import BOMBS
from support.commands import COMMANDS, environment
from support.log_bombs import BOMBS as LOG_BOMBS

COMMAND = ("-m", "paretosched.cli")
# a reader that no command has, with the refusal of a command
READER = """
import sys
import paretosched as ps
from paretosched.search.runs import read_values
word, *places = sys.argv[1:]
try:
    {"load_segments": ps.load_segments, "read_values": read_values}[word](*places)
except ps.InputError as error:
    print(f"paretosched: {error}", file=sys.stderr)
    sys.exit(2)
"""


def measure(words: list[str], folder: Path, program: tuple[str, ...] = COMMAND) -> Verdict:
    """Run a program as a process, and return its verdict; broken if it takes too much time or memory."""
    out, err = folder / "out", folder / "err"
    with out.open("w") as to_out, err.open("w") as to_err:
        process = subprocess.Popen([sys.executable, *program, *words], env=environment(), stdout=to_out, stderr=to_err)
        timer = threading.Timer(2 * MOST_SECONDS, process.kill)
        timer.start()
        _, state, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(state)
    verdict = judge(words, process.returncode, out.read_text(), err.read_text())
    if usage.ru_maxrss > MOST_MEMORY:
        return verdict._replace(end=f"{usage.ru_maxrss / MOST_MEMORY:.1f} GiB of memory")
    return verdict


def logs(count: int, work: Path) -> Iterator[Verdict]:
    """Read some bombs that are logs."""
    for bomb in LOG_BOMBS[:count]:
        path = work / "bomb.swf.gz"
        bomb.make(path)
        verdict = measure(["info", str(path)], work)
        yield verdict._replace(attempt=f"{bomb.name}: {verdict.attempt}")
        path.unlink()


def others(count: int, work: Path) -> Iterator[Verdict]:
    """Read some bombs of other kinds."""
    for number, bomb in enumerate(BOMBS[:count]):
        folder = work / str(number)
        folder.mkdir()
        words = bomb.make(folder)
        verdict = measure(words, work, COMMAND if words[0] in COMMANDS else ("-c", READER))
        yield verdict._replace(attempt=f"{bomb.name}: {verdict.attempt}")
        shutil.rmtree(folder)


def bombs(count: int, work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Read the first `count` bombs of both kinds, and return a row for each kind."""
    work.mkdir()
    rows = [tally("bombs as logs", logs(count, work)), tally("bombs as other files", others(count, work))]
    tell(f"bombs: {sum(row.tried for row in rows)} tried, {sum(row.broken for row in rows)} broken")
    return rows
