"""Running the command line in this process, for the tests of it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from paretosched.cli.command_line import main

# all there are, in the order of --help
COMMANDS = (
    "info",
    "generate",
    "scale",
    "fetch",
    "simulate",
    "explore",
    "train",
    "explain",
    "front",
    "compare",
    "app",
    "assign",
    "completion",
)

ROOT = Path(__file__).parents[2]


class Said(NamedTuple):
    """Exit status, standard output and standard error of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))


def command(*arguments: object) -> Said:
    """Run a command in this process; anything but its own exit passes through."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse: help and wrong usage
            status = int(end.code or 0)
    return Said(status, out.getvalue(), err.getvalue())


def done(*arguments: object) -> Said:
    """Run a command that must succeed."""
    said = command(*arguments)
    assert said.status == 0, said
    return said


def environment(**more: str) -> dict[str, str]:
    """What a process of its own needs to find this package."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "paretosched.cli", *map(str, arguments)],
        **{"env": environment(), "capture_output": True, "text": True, "check": False, "timeout": 120} | options,
    )


def files(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder, by path; None for what is no regular file."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def log(*jobs: str, header: str = "MaxProcs: 8") -> str:
    """Write a log; a job is its first fields, the rest is unknown."""
    lines = [" ".join([*job.split(), *["-1"] * (18 - len(job.split()))]) for job in jobs]
    return "".join(f"; {line}\n" for line in header.splitlines()) + "\n".join(lines) + "\n"
