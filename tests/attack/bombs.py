"""Small files that are huge when they are read: one line, in less than 1 GiB, some of them in less than 300 MiB."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from attack.tally import MOST_MEMORY, MOST_SECONDS, Tally, Verdict, judge, tally
from support.bombs import BOMBS
from support.commands import COMMANDS, environment
from support.log_bombs import BOMBS as LOG_BOMBS

# What a program does at its end: it writes its peak of memory, in KiB. The system's own figure for a process that has
# ended would be that of the process that started it, if this was larger.
PEAK = """
import atexit, os, sys
import paretosched as ps

@atexit.register
def write_peak():
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
    with open(os.environ["PEAK_FILE"], "w") as file:
        file.write(peak)
"""
COMMAND = (
    PEAK
    + """
from paretosched.cli import main
sys.exit(main(sys.argv[1:]))
"""
)
# a reader that no command has, with the refusal of a command
READER = (
    PEAK
    + """
from paretosched.search.runs import read_values
word, *places = sys.argv[1:]
try:
    {"load_segments": ps.load_segments, "read_values": read_values}[word](*places)
except ps.InputError as error:
    print(f"paretosched: {error}", file=sys.stderr)
    sys.exit(2)
"""
)


def measure(words: list[str], folder: Path, program: str = COMMAND, most: int = MOST_MEMORY) -> Verdict:
    """Run a program as a process, and return its verdict; broken if it takes too much time or memory."""
    out, err, peak = folder / "out", folder / "err", folder / "peak"
    peak.write_text("0")
    command, longest = [sys.executable, "-c", program, *words], 2 * MOST_SECONDS
    surroundings = environment(PEAK_FILE=str(peak))
    with out.open("w") as to_out, err.open("w") as to_err:
        try:
            process = subprocess.run(
                command, env=surroundings, stdout=to_out, stderr=to_err, timeout=longest, check=False
            )
        except subprocess.TimeoutExpired:
            return Verdict(f"no end within {longest:.0f} s", " ".join(words))
    verdict = judge(words, process.returncode, out.read_text(), err.read_text())
    kibibytes = int(peak.read_text())
    if verdict.broken or 0 < kibibytes <= most:
        return verdict
    return verdict._replace(end=f"{kibibytes >> 10} MiB of memory")


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
        verdict = measure(words, work, COMMAND if words[0] in COMMANDS else READER, bomb.memory)
        yield verdict._replace(attempt=f"{bomb.name}: {verdict.attempt}")
        shutil.rmtree(folder)


def bombs(count: int, work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Read the first `count` bombs of both kinds, and return a row for each kind."""
    work.mkdir()
    rows = [tally("bombs as logs", logs(count, work)), tally("bombs as other files", others(count, work))]
    tell(f"bombs: {sum(row.tried for row in rows)} tried, {sum(row.broken for row in rows)} broken")
    return rows
