"""Full and read-only disks and folders: one line, no input is lost, and later the same result."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from attack.kills import results_or_fault
from attack.mutated_inputs import verdict_on
from attack.tally import ACCEPTED, REFUSED, Tally, Verdict, not_tried, tally
from support.disks import small_disk
from support.fuzzing import sound
from support.house import furnish
from support.page_clients import as_nobody

WRITING = (
    "generate", "scale", "resample", "simulate", "explore", "train", "rules", "explain", "explain rules", "front",
    "compare", "assign",
)  # fmt: skip


def words_of(name: str, house: Path, disk: Path) -> list[str]:
    """Return the words of a command that writes to a disk."""
    more = ["--run", disk / "run"] if name in ("train", "rules") else []
    return [str(word) for word in (*sound(name, house, disk), *more)]


def fill(disk: Path, free: int) -> None:
    """Fill a disk except for some bytes."""
    ballast = disk / ".ballast"
    ballast.unlink(missing_ok=True)
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"x" * 65536):
            pass
    os.truncate(ballast, max(ballast.stat().st_size // 4096 * 4096 - free, 0))


def clear(disk: Path) -> None:
    """Remove all that a command has written."""
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def on_a_full_disk(name: str, house: Path, disk: Path, whole: object, times: int, r: Random) -> Iterator[Verdict]:
    """Call a command with less and less room, then with enough."""
    words = words_of(name, house, disk)
    for _ in range(times):
        free = r.choice([0, 4096, r.randrange(200_000)])
        fill(disk, free)
        verdict = verdict_on(*words)
        yield verdict._replace(attempt=f"{free} bytes free: {verdict.attempt}")
    (disk / ".ballast").unlink()
    yield same(verdict_on(*words), disk, whole)
    clear(disk)


def same(verdict: Verdict, folder: Path, whole: object) -> Verdict:
    """Return the verdict on a command for which there is room again."""
    if verdict.end == REFUSED:
        return verdict._replace(end="refused although there is room again")
    if verdict.end == ACCEPTED and results_or_fault(folder) != whole:
        return verdict._replace(end="the result differs from that on a disk with room")
    return verdict


def must_be_refused(verdict: Verdict) -> Verdict:
    """Return the verdict on a command that cannot write."""
    return verdict._replace(end="accepted without a place to write") if verdict.end == ACCEPTED else verdict


def disks(seed: int, times: int, work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Make all attacks with disks, and return a row for each."""
    work.mkdir(mode=0o755)
    house = work / "house"
    house.mkdir()
    furnish(house)
    r = Random(f"{seed}/disks")
    wholes = {}
    for name in WRITING:
        folder = work / f"with room for {name}"
        folder.mkdir()
        first = verdict_on(*words_of(name, house, folder))
        if first.end != ACCEPTED:
            return [tally("full disk", [first])]
        wholes[name] = results_or_fault(folder)
    rows = []
    try:
        with small_disk(work / "disk", "8m") as writable:
            full = [v for name in WRITING for v in on_a_full_disk(name, house, work / "disk", wholes[name], times, r)]
            rows.append(tally("full disk", full))
            writable(False)
            verdicts = [must_be_refused(verdict_on(*words_of(name, house, work / "disk"))) for name in WRITING]
            rows.append(tally("read-only disk", verdicts))
    except pytest.skip.Exception as reason:
        rows += [not_tried("full disk", str(reason)), not_tried("read-only disk", str(reason))]
    rows.append(read_only_folder(house, work))
    tell(f"disks: {sum(row.tried for row in rows)} tried, {sum(row.broken for row in rows)} broken")
    return rows


def read_only_folder(house: Path, work: Path) -> Tally:
    """Call the commands as an account that may not write into the folder."""
    name = "read-only folder of another account"
    if os.geteuid() != 0:
        return not_tried(name, "only root can become another account")
    theirs = work / "theirs"
    theirs.mkdir(mode=0o755)
    attempts = as_nobody(lambda: [list(verdict_on(*words_of(command, house, theirs))) for command in WRITING])
    verdicts = [must_be_refused(Verdict(*attempt)) for attempt in attempts]
    leftovers = (
        [Verdict(f"files were left: {sorted(p.name for p in theirs.iterdir())}")] if any(theirs.iterdir()) else []
    )
    return tally(name, verdicts + leftovers)
