"""Every long command is killed at random moments and called again: the result is that of an undisturbed call.

What a killed command leaves is complete or not there. Only names that begin with a dot are of no account: a command
that is killed cannot remove its temporary files.
"""

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import paretosched as ps
from attack.tally import ACCEPTED, PATIENCE, Tally, Verdict, tally
from support.commands import environment, stored_rows, succeed
from support.house import furnish

EVALUATIONS = "evaluations"
AT_MOST = 3  # kills of a run before it is finished
EXPLORE = ("explore", "HOUSE/log.swf", "--evaluations", "1000", "--population", "20", "-o", "run")
TRAIN = ("train", "HOUSE/log.swf", "--objective", "AWRT1", "--run", "run", "-o", "policy.json", "--accept-worse")
LONG: dict[str, tuple[str, ...]] = {
    "explore": EXPLORE,
    "explore sequences": (*EXPLORE, "--encoding", "sequence"),
    "explore with two workers": (*EXPLORE, "--workers", "2"),
    "explore generations with two workers": (*EXPLORE, "--algorithm", "nsga2", "--workers", "2"),
    "train": (*TRAIN, "--generations", "2"),
    "train a rule base": (*TRAIN, "--rule-base", "iterative", "--greedy", "HOUSE/g.json", "--evaluations", "200"),
    "train a symbiotic one": (*TRAIN, "--rule-base", "symbiotic", "--greedy", "HOUSE/g.json", "--evaluations", "200"),
    "compare": ("compare", "HOUSE/w.swf.gz", "--front", "HOUSE/run", "--policy", "easy", "-o", "report.html"),
    "simulate": ("simulate", "HOUSE/log.swf", "--policy", "conservative-replan", "-o", "schedule.csv"),
    "generate": ("generate", "lublin", "--jobs", "60000", "-o", "new.swf.gz"),
    "import": ("import", "slurm", "HOUSE/sacct.txt", "-o", "new.swf.gz"),
    "scale": ("scale", "HOUSE/log.swf", "--factor", "30", "--processors", "320", "-o", "new.swf"),
    "front": ("front", "HOUSE/run", "-o", "front.parquet"),
    "assign": ("assign", "HOUSE/jobs.csv", "HOUSE/nodes.csv", "--method", "pgga", "--iterations", "500", "-o", "a.csv"),
}  # fmt: skip


def words_of(command: str, house: Path) -> list[str]:
    """Return the words of a long command."""
    return [word.replace("HOUSE", str(house)) for word in LONG[command]]


def start(words: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    """Start a command in a folder, which gets its output, too."""
    with (folder / ".out").open("w") as out, (folder / ".err").open("w") as err:
        return subprocess.Popen(
            [sys.executable, "-m", "paretosched.cli", *words], cwd=folder, env=environment(), stdout=out, stderr=err
        )


def results(folder: Path) -> dict[str, object]:
    """Return what a command has written, without times: the bytes of files, the evaluations and the fronts of runs."""
    whole: dict[str, object] = {path.name: path.read_bytes() for path in folder.glob("[!.]*") if path.is_file()}
    for name in [name for name in whole if name.endswith(".html")]:  # it has the time at which it was written
        whole[name] = str(whole[name]).endswith("</html>\\n'")
    for run in [store.parent for store in folder.glob("*/run.sqlite")]:
        whole[EVALUATIONS] = stored_rows(run) if has_tables(run) else []
        if (run / "front.parquet").exists():
            front = ps.load_front(run)
            whole["front"] = (front.values.tobytes(), front.genomes.tobytes())
    return whole


def has_tables(run: Path) -> bool:
    """Whether the store of a run has its tables, which it gets with the first generation."""
    connection = sqlite3.connect(run / "run.sqlite")
    count = connection.execute("select count(*) from sqlite_master").fetchone()[0]
    connection.close()
    return bool(count)


def fault_of(words: Sequence[str], folder: Path) -> str:
    """Call a command to its end; return what is wrong, or ''."""
    process = start(words, folder)
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"no end within {PATIENCE:.0f} s"
    errors = (folder / ".err").read_text()
    return "" if status == 0 else f"exit status {status}: {errors[-300:]}"


def killed_and_continued(
    words: Sequence[str], whole: dict[str, object], seconds: float, r: Random, folder: Path
) -> Iterator[str]:
    """Kill a command some times, finish it, and yield after each kill, and in the end, what is wrong, or ''."""
    folder.mkdir()
    evaluations = 0
    for _ in range(r.randint(1, AT_MOST)):
        process = start(words, folder)
        time.sleep(r.uniform(0, seconds))
        process.kill()
        if process.wait() != -signal.SIGKILL:
            continue  # it had ended before
        remains = results_or_fault(folder)
        if isinstance(remains, str):
            yield remains
            continue
        stored_now = remains.pop(EVALUATIONS, [])
        assert isinstance(stored_now, list)
        wrong = [name for name, data in remains.items() if name != "front" and data != whole[name]]
        if wrong:
            yield f"half a file was left: {wrong}"
        elif len(stored_now) < evaluations:
            yield f"of {evaluations} evaluations {len(stored_now)} are left"
        else:
            yield ""
        evaluations = len(stored_now)
    fault = fault_of(words, folder)
    if fault:
        yield fault
    elif results(folder) != whole:
        yield "the result differs from that of a run that was not killed"


def results_or_fault(folder: Path) -> dict[str, object] | str:
    """Return what a killed command has left, or why it cannot be read."""
    try:
        return results(folder)
    except Exception as error:
        return f"what is left cannot be read: {error!r}"[:300]


def kills_of(command: str, house: Path, count: int, seed: int, work: Path, tell: Callable[[str], None]) -> Tally:
    """Kill a command so many times, and return the row of the attack."""
    words, r = words_of(command, house), Random(f"{seed}/{command}")
    reference = work / f"{command}, not killed"
    reference.mkdir()
    fault = fault_of(words, reference)  # compiles and caches what this command needs
    if fault:
        return tally(f"kill -9: {command}", [Verdict(fault, "without a kill")])
    whole = results(reference)
    again = work / f"{command}, timed"
    again.mkdir()
    begin = time.monotonic()
    verdicts = [Verdict(fault, "a second time") for fault in [fault_of(words, again)] if fault]
    seconds = time.monotonic() - begin
    for number in range(4 * count):  # some rounds end before they can be killed
        if len(verdicts) >= count:
            break
        place = work / f"{command}, round {number}"
        faults = [*killed_and_continued(words, whole, seconds, r, place)]
        attempt = f"seed {seed}, kill {len(verdicts) + 1} of {' '.join(words)} in {place}"
        verdicts += [Verdict(fault or ACCEPTED, attempt) for fault in faults]
    tell(f"{command}: killed {len(verdicts)} times, {sum(v.broken for v in verdicts)} broken")
    return tally(f"kill -9: {command}", verdicts)


def kills(
    seed: int, count: int, work: Path, processes: int, tell: Callable[[str], None], of: Sequence[str] = tuple(LONG)
) -> list[Tally]:
    """Kill every long command, `count` times in all, and return a row for each."""
    work.mkdir()
    house = work / "house"
    house.mkdir()
    furnish(house)
    succeed("generate", "lublin", "--jobs", 1000, "--processors", 32, "--seed", 5, "-o", house / "log.swf")
    share = -(-count // len(of))
    with ThreadPoolExecutor(processes) as pool:
        return [*pool.map(lambda command: kills_of(command, house, share, seed, work, tell), of)]
