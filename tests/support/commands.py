"""Helpers that run the command line, in this process or as a process of its own."""

import io
import json
import os
import pty
import re
import select
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import paretosched as ps
from paretosched.cli import command_line
from paretosched.cli.command_line import main

# all commands, in the order of --help
COMMANDS = (
    "info",
    "import",
    "machine",
    "generate",
    "scale",
    "resample",
    "fetch",
    "simulate",
    "explore",
    "train",
    "explain",
    "front",
    "compare",
    "whatif",
    "deploy",
    "review",
    "app",
    "assign",
    "completion",
)

ROOT = Path(__file__).parents[2]


class Outcome(NamedTuple):
    """The exit status, standard output and standard error of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))


def command(*arguments: object) -> Outcome:
    """Run a command in this process, and return its outcome; exceptions other than its exit pass through.

    It does not say that it compiles: that depends on which test of a worker needs a kernel first.
    """
    out, err = io.StringIO(), io.StringIO()
    silence = patch.object(command_line, "compilation_remark", nullcontext)
    with silence, redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse exits after help and wrong usage
            status = int(end.code or 0)
    return Outcome(status, out.getvalue(), err.getvalue())


def succeed(*arguments: object) -> Outcome:
    """Run a command that must succeed, and return its outcome."""
    outcome = command(*arguments)
    assert outcome.status == 0, outcome
    return outcome


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which another process finds this package."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def process(*arguments: object, module: str = "paretosched.cli", **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        **{"env": environment(), "capture_output": True, "text": True, "check": False, "timeout": 120} | options,
    )


class Shown(NamedTuple):
    """The exit status and standard output of a process, and what a terminal got of it."""

    status: int
    out: str
    terminal: bytes


def in_terminal(*line: object, watch: Callable[[subprocess.Popen[bytes], bytes], None] = lambda *_: None) -> Shown:
    """Run Python with its arguments; standard error is a terminal. `watch` sees what it got, whenever it gets more.

    A process that is silent for a minute is ended.
    """
    near, far = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, *map(str, line)],
        env=environment(TERM="xterm", COLUMNS="100"), stdout=subprocess.PIPE, stderr=far,
    )  # fmt: skip
    os.close(far)
    shown = b""
    try:
        while select.select([near], [], [], 60)[0]:
            with suppress(OSError):  # the other end is closed
                if more := os.read(near, 1 << 16):
                    shown += more
                    watch(child, shown)
                    continue
            break
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
        os.close(near)
    return Shown(child.returncode, out.decode(), shown)


def files(folder: Path) -> dict[str, bytes | None]:
    """Return the contents of everything below a folder, by path; None for directories and other special files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def log(*jobs: str, header: str = "MaxProcs: 8") -> str:
    """Return a log in SWF; of each job its first fields, the others are unknown."""
    lines = [" ".join([*job.split(), *["-1"] * (18 - len(job.split()))]) for job in jobs]
    return "".join(f"; {line}\n" for line in header.splitlines()) + "\n".join(lines) + "\n"


# Three users, three SWF groups and two queues; job numbers that are not 1, 2, ...; waits. Jobs 12 and 9 are wide, so
# they cannot run at the same time.
RECORD = log(
    "10 100  0 50 4 -1 -1 4 60 -1 1 5 1 -1 0",
    "12 110 40 30 8 -1 -1 8 30 -1 1 6 2 -1 1",
    "9  120 60 20 8 -1 -1 8 40 -1 1 5 1 -1 0",
    "11 130  0 10 2 -1 -1 2 15 -1 1 7 3 -1 1",
    "13 140  0  0 2 -1 -1 2 15 -1 0 7 3 -1 1",
    header="MaxProcs: 8\nQueue: 0 short\nQueue: 1 long\nUnixStartTime: 0\nTimeZoneString: UTC",
)


def numbers(text: str) -> list[float]:
    """Return all numbers in a text."""
    return [float(word.replace(",", "")) for word in re.findall(r"-?[\d,]*\d(?:\.\d+)?", text)]


def columns(out: str, first: str) -> list[list[str]]:
    """Return the cells of the table whose header begins with a word, cut at the gaps of the line below the header."""
    lines = out.splitlines()
    top = next(i for i, line in enumerate(lines) if line.startswith(first) and set(lines[i + 1]) == {"-", " "})
    spans = [match.span() for match in re.finditer("-+", lines[top + 1])]
    rows = []
    for line in lines[top + 2 :]:
        if not line.strip():
            break
        rows.append([line[a:b].strip() for a, b in spans])
    return rows


def stored_rows(run: Path) -> list[tuple[object, ...]]:
    """Return all evaluations in the store of a run."""
    connection = sqlite3.connect(run / "run.sqlite")
    query = "select number, generation, genome, objectives from evaluation order by number"
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def load(workload: ps.Workload) -> float:
    """Return the offered load of a workload."""
    return workload.work / (workload.capacity * int(workload.submit[-1] - workload.submit[0]))
