"""What the README and the tutorial for Slurm show of the output of commands: every line must be one of a record.

`python -m experiments.shown FILE` says which lines of the record of `make demo` are not in FILE, times aside.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.claims import README, TUTORIAL

ROOT = Path(__file__).resolve().parents[1]
DEMO, WALK = "results/printed/make-demo.txt", "docs/tutorial/slurm-walk.json"
# Records of output by document and the heading under which they are shown; a page begins without one.
RECORDS = {README: {"Try it": DEMO}, TUTORIAL: {"All of it, in short": WALK}}
PROGRAMS = ("$", "git", "make", "paretosched")  # a line that begins so is a command
LEFT_OUT = "..."
TIMES = r"in [\d.,]+ s, [\d.,]+ ms CPU a simulation"


class Line(NamedTuple):
    """A line of an indented block: its text, where it begins in the document, and the heading above it."""

    text: str
    begin: int
    heading: str


class Wrong(NamedTuple):
    """A place in a document, and what is wrong there."""

    begin: int
    words: str


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of the indented blocks of a document; a line that ends with a backslash goes on in the next."""
    headings = [(match.start(), match[1]) for match in re.finditer(r"(?m)^## (.*)$", text)]
    for match in re.finditer(r"(?m)^ {4}((?:[^\n]*\\\n)*[^\n]*\S)[^\n]*$", text):
        above = [title for begin, title in headings if begin < match.start()]
        yield Line(match[1], match.start(1), above[-1] if above else "")


def command_of(text: str) -> str | None:
    """Return the command of a line, without the remark behind it; None if the line is no command."""
    return re.split(r"\s{2,}# ", text)[0] if text.split()[0] in PROGRAMS else None


def record_of(root: Path, name: str) -> list[str]:
    """Return the lines of a record; a walk has the line "$ COMMAND" before what each command printed."""
    text = (root / name).read_text(encoding="utf-8")
    if not name.endswith(".json"):
        return text.splitlines()
    return [line for step in json.loads(text) for line in (f"$ {step['asked']}", *step["printed"].splitlines())]


def place_in(record: list[str], text: str) -> int | None:
    """Return the place of the first line that a shown one is; what it leaves out may be anything."""
    pattern = ".*".join(re.escape(part) for part in text.strip().split(LEFT_OUT))
    return next((place for place, line in enumerate(record) if re.fullmatch(pattern, line.strip())), None)


def check_shown(document: str, text: str, root: Path) -> tuple[list[Wrong], list[tuple[str, int, int]]]:
    """Return what no record has, and the parts of a document that need no claim: rule, begin and end.

    That are commands, whose numbers are arguments, and lines of output under a heading that has a record.
    """
    wrong: list[Wrong] = []
    covered: list[tuple[str, int, int]] = []
    records = {heading: record_of(root, name) for heading, name in RECORDS[document].items()}
    for line in lines_of(text):
        command = command_of(line.text)
        if command is not None:
            covered.append(("commands", line.begin, line.begin + len(command)))
        elif line.heading in records:
            covered.append(("recorded", line.begin, line.begin + len(line.text)))
        if line.text == LEFT_OUT or line.heading not in records or (command and not command.startswith("$ ")):
            continue
        sought = line.text if command is None else re.sub(r"\s*\\\n\s*", " ", command)
        place = place_in(records[line.heading], sought)
        if place is None:
            name = RECORDS[document][line.heading]
            wrong.append(Wrong(line.begin, f"{name} has no such line, or not in this order: {sought.strip()!r}"))
        else:
            del records[line.heading][: place + 1]
    return wrong, covered


def missing_lines(record: Iterable[str], output: Iterable[str]) -> list[str]:
    """Return the lines of a record that an output does not have, times aside."""
    has = {re.sub(TIMES, "", line.rstrip()) for line in output}
    return [line for line in record if re.sub(TIMES, "", line.rstrip()) not in has]


def main() -> int:
    """Print every line of the record that the file has not; return 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m experiments.shown", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="what make demo has printed")
    file = parser.parse_args().file
    missing = missing_lines(record_of(ROOT, DEMO), file.read_text(encoding="utf-8").splitlines())
    print(*(f"{file} lacks what {DEMO} has: {line}" for line in missing), sep="\n", end="\n" if missing else "")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
