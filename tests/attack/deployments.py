"""A Slurm that dies, lies, answers nothing, nonsense or far too much, and others who can change what a daemon reads.

Broken is an end with success although nothing came through, an end without its line, a state that has forgotten jobs,
or that the next start refuses; and more than 300 MiB or 20 s of processor time.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from attack.tally import ACCEPTED, MOST_SECONDS, REFUSED, Tally, Verdict, tally
from paretosched.deployment.records import read_state
from support.commands import environment
from support.fake_slurm import FakeSlurm, line_of

MOST_MEMORY = 300  # MiB
MOST_CPU = 20.0  # s
JOBS = range(1, 11)
PROGRAM = """
import atexit, os, sys, time

@atexit.register
def write_cost():
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
    with open(os.environ["COST_FILE"], "w") as file:
        file.write(f"{int(peak) // 1024} {sum(os.times()[:2])}")

clock = os.environ["CLOCK"]
if clock:
    time.time = lambda: float(clock)
from paretosched.cli import main
sys.exit(main())
"""
MARKED = "for fields; do :; done; mark=$(printf %s \"$fields\" | sed 's/^JobID:\\([^,]*\\),.*/\\1/')"
DYING = (
    "kill -9 $$", "kill -11 $$", "kill -15 $$", "exit 1", "exit 2", "exit 137", "exit 0",
    "echo 'undefined symbol: slurm_init' >&2; exit 127", "echo 'Unable to contact slurm controller' >&2; exit 0",
    "head -c 9000000 /dev/zero >&2; exit 1", "sleep 0.1; kill -6 $$",
)  # fmt: skip
LONG = {  # scripts with more output than can be
    "sprio": ["yes '1|1'", "seq 6000000 | sed 's/$/|0/'", "head -c 200000000 /dev/zero"],
    "squeue": [
        "head -c 120000000 /dev/zero",
        f"{MARKED}; sed \"s/@/$mark/g\" queue > one; for i in $(seq 40000); do cat one; done",
        f"{MARKED}; yes \"1$mark\"",
    ],
    "sinfo": ["yes 1:00"],
    "scontrol": ["yes PriorityType = priority/multifactor"],
}  # fmt: skip
ODD = ({"cpus": "x"}, {"submit": "now"}, {"eligible": 10**12 - 1}, {"limit": "?"}, {"nice": "1e3"}, {"nodes": "-1"})
CLOCKS = (-1e9, -1.0, 0.0, 86_400.0, 9.4e8, 2.0**32, 2.0**37 - 2, 2.0**37, 1e18)


class Site(NamedTuple):
    """A Slurm of scripts with ten jobs, and the words of a deployment that has put them in order."""

    fake: FakeSlurm
    folder: Path
    words: list[str]

    def run(self, *options: str, clock: object = "") -> tuple[int, str, str]:
        """Return the status, what was said, and what was too expensive."""
        cost = self.folder / "cost"
        cost.write_text("0 0")
        surroundings = environment(
            TZ="UTC", PATH=self.fake.path, COST_FILE=str(cost), CLOCK=str(clock), PYTHONDONTWRITEBYTECODE="1"
        )
        process = subprocess.run(
            [sys.executable, "-c", PROGRAM, *self.words, *options],
            env=surroundings, capture_output=True, text=True, check=False, timeout=2 * MOST_SECONDS,
        )  # fmt: skip
        peak, seconds = map(float, cost.read_text().split())
        costly = f"{peak:.0f} MiB" if peak > MOST_MEMORY else f"{seconds:.0f} s" if seconds > MOST_CPU else ""
        return process.returncode, process.stderr, costly

    def verdict(self, attempt: str, *options: str, may_succeed: bool = False, clock: object = "") -> Verdict:
        """Return how a call ended that must fail in one line, and must forget no job."""
        status, said, costly = self.run(*options, clock=clock)
        fault = costly
        if status == 0 and not may_succeed:
            fault = "success"
        elif status not in (0, 2, 75) or "Traceback" in said:
            fault = f"status {status}: {said[-200:]}"
        elif status and not re.fullmatch(r"(paretosched: .*\n)*paretosched( deploy)?: .+\n", said):
            fault = f"no single line: {said[-200:]!r}"
        if "--off" not in options or status:
            known = {*read_state(self.folder / "kept").factors}
            fault = fault or ("" if known >= {*JOBS} else f"only the jobs {sorted(known)} are known")
        return Verdict(fault or (REFUSED if status else ACCEPTED), attempt)


def site_in(folder: Path, policy: str = "sjf; backfill: easy\n") -> Site:
    """Return a Slurm of scripts whose jobs have been put in order once."""
    (folder / "slurm").mkdir(parents=True)
    (folder / "policy.txt").write_text(policy)
    fake = FakeSlurm(folder / "slurm")
    fake.remember({str(number): {"limit": f"{number}:00:00"} for number in JOBS}, dict.fromkeys(JOBS, 0))
    words = ["deploy", str(folder / "policy.txt"), "--to", "slurm", "--groups", "account", "-o", str(folder / "kept")]
    site = Site(fake, folder, words)
    status, said, _ = site.run("--once")
    if status:
        raise RuntimeError(f"the first pass failed: {said}")
    return site


def replace(fake: FakeSlurm, name: str, script: str) -> str:
    """Replace a program, and return what it was."""
    path = fake.folder / name
    before = path.read_text()
    path.write_text(f"#!/bin/sh\ncd {fake.folder}\n{script}\n")
    return before


def dying(work: Path, count: int) -> Iterator[Verdict]:
    """Write changes, and undo them, by a scontrol that fails."""
    for number, what in enumerate(DYING[:count]):
        site = site_in(work / str(number))
        (site.folder / "policy.txt").write_text("order: estimate; backfill: easy\n")
        script = f'case "$*" in "show config") cat config;; *) cat > told; {what};; esac'
        replace(site.fake, "scontrol", script)
        for option in ("--once", "--off"):
            yield site.verdict(f"scontrol: {what}, {option}", option)


def open_files(work: Path, count: int) -> Iterator[Verdict]:
    """Follow files, and write into folders, that others can change."""
    attempts = [(which, mode) for which in ("policy.txt", "kept", "kept/deploy.json", ".") for mode in (0o777, 0o666)]
    for number, (which, mode) in enumerate(attempts[:count]):
        site = site_in(work / str(number))
        (site.folder / which).chmod(mode | (0o111 if (site.folder / which).is_dir() else 0))
        site.fake.forget()
        verdict = site.verdict(f"{which} with mode {mode:o}", "--once")
        yield verdict if not site.fake.writes() else verdict._replace(end="site factors were changed")


def strange_answers(work: Path, count: int) -> Iterator[Verdict]:
    """Read answers that are empty, and cells that cannot be."""
    empty = [("squeue",), ("sprio",), ("squeue", "sprio")]
    for number, names in enumerate(empty[:count]):
        site = site_in(work / f"empty{number}")
        before = {name: replace(site.fake, name, "exit 0") for name in names}
        what = f"nothing from {' and '.join(names)}"
        yield site.verdict(f"{what}, --once", "--once", may_succeed="squeue" in names and "sprio" in names)
        site.fake.forget()
        verdict = site.verdict(f"{what}, --off", "--off", may_succeed=True)
        told = verdict.end != ACCEPTED or site.fake.writes() == dict.fromkeys(JOBS, 0)
        yield verdict if told else verdict._replace(end="--off has not reached all jobs")
        for name, text in before.items():
            (site.fake.folder / name).write_text(text)
    for number, cells in enumerate(ODD[:count]):
        site = site_in(work / f"odd{number}")
        queue = "".join(line_of(job, **({"limit": "9:00:00"} if job != 4 else cells)) for job in (*JOBS, 11))
        (site.fake.folder / "queue").write_text(queue)
        site.fake.forget()
        verdict = site.verdict(f"job 4 with {cells}", "--once", may_succeed=True)
        is_right = verdict.end == ACCEPTED and 11 in site.fake.writes() and 4 not in site.fake.writes()
        yield verdict if is_right or verdict.broken else verdict._replace(end="the other jobs were not put in order")


def clocks(work: Path, count: int) -> Iterator[Verdict]:
    """Make a pass at a wrong time, and then one at the right one."""
    for policy in ("sjf; backfill: easy\n", "guarded: physics; each: 1.5\n"):
        for number, second in enumerate(CLOCKS[:count]):
            site = site_in(work / f"{policy[:3]}{number}", policy)
            yield site.verdict(f"Unix time {second:g}, {policy.strip()}", "--once", may_succeed=True, clock=second)
            verdict = site.verdict(f"after Unix time {second:g}, {policy.strip()}", "--once", may_succeed=True)
            yield verdict if verdict.end != REFUSED else verdict._replace(end="the next start is refused")


def endless(work: Path, count: int) -> Iterator[Verdict]:
    """Read programs that print without end, or nearly so."""
    attempts = [(name, script) for name, scripts in LONG.items() for script in scripts]
    site = site_in(work / "site")
    for name, script in attempts[:count]:
        before = replace(site.fake, name, script)
        yield site.verdict(f"{name}: {script}", "--once", may_succeed=name == "scontrol")
        (site.fake.folder / name).write_text(before)


def deployments(count: int, work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Make the first `count` attacks of each kind, and return a row for each kind."""
    kinds: Sequence[tuple[str, Callable[[Path, int], Iterator[Verdict]]]] = (
        ("a scontrol that dies or lies", dying),
        ("a deployment whose files others can change", open_files),
        ("empty and odd answers of Slurm", strange_answers),
        ("a wrong clock", clocks),
        ("programs of Slurm that print without end", endless),
    )
    rows = []
    for number, (name, attack) in enumerate(kinds):
        place = work / str(number)
        place.mkdir(parents=True)
        rows.append(tally(name, attack(place, count)))
    tell(f"deployments: {sum(row.tried for row in rows)} tried, {sum(row.broken for row in rows)} broken")
    return rows
