"""Workers and schedulers are killed while an exploration uses them: its result is that of one without workers."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import psutil

from attack.kills import fault_of, results, results_or_fault, start
from attack.tally import ACCEPTED, MOST_SECONDS, PATIENCE, REFUSED, Tally, Verdict, judge, tally
from support.commands import environment, stored_rows, succeed


def explore(evaluations: int, *words: object) -> list[str]:
    """Return the words of an exploration."""
    return [
        "explore",
        "../log.swf",
        "-o",
        "run",
        "--population",
        "20",
        "--evaluations",
        str(evaluations),
        *map(str, words),
    ]


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the worker processes that a command has started."""
    with suppress(psutil.Error):
        children = psutil.Process(process.pid).children(recursive=True)
        return [child for child in children if _is_worker(child)]
    return []


def _is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return any("spawn_main" in word for word in process.cmdline())
    return False


def wait_for_evaluations(process: subprocess.Popen[str], run: Path, evaluations: int = 1) -> bool:
    """Wait until a run has so many evaluations; return whether it still goes on."""
    end = time.monotonic() + MOST_SECONDS
    while process.poll() is None and time.monotonic() < end:
        with suppress(Exception):  # the store is just being made
            if len(stored_rows(run)) >= evaluations:
                return True
        time.sleep(0.2)
    return False


def verdict_of(process: subprocess.Popen[str], words: Sequence[str], folder: Path, whole: dict[str, object]) -> Verdict:
    """Return the verdict on a run that lost workers: its end, and its result after the same command has finished it."""
    attempt = f"{' '.join(words)} in {folder}"
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return Verdict(f"no end within {PATIENCE:.0f} s", attempt)
    verdict = judge(words, status, (folder / ".out").read_text() if status else "", (folder / ".err").read_text())
    if verdict.end == REFUSED and (fault := fault_of(explore_again(words), folder)):
        return Verdict(f"cannot be continued: {fault}", attempt)
    if not verdict.broken and results_or_fault(folder) != whole:
        return Verdict("the result differs from that of a run without workers", attempt)
    return verdict._replace(attempt=attempt)


def explore_again(words: Sequence[str]) -> list[str]:
    """Return a command without its workers or scheduler."""
    places = [k for k, word in enumerate(words) if word in ("--workers", "--scheduler")]
    return [word for k, word in enumerate(words) if k not in places and k - 1 not in places]


def killing(
    words: list[str], folder: Path, whole: dict[str, object], every: float, most: int, all_: bool, r: Random
) -> list[Verdict]:
    """Kill one worker, or all of them, again and again, `most` times; return a verdict for each time."""
    folder.mkdir()
    process = start(words, folder)
    times = 0
    if wait_for_evaluations(process, folder / "run"):
        while process.poll() is None and times < most:
            workers = workers_of(process)
            for worker in workers if all_ else r.sample(workers, min(1, len(workers))):
                with suppress(psutil.NoSuchProcess):
                    worker.send_signal(signal.SIGKILL)
            times += bool(workers)
            with suppress(subprocess.TimeoutExpired):
                process.wait(every)
    verdict = verdict_of(process, words, folder, whole)
    if not times and not verdict.broken:
        return [Verdict("ended before a worker could be killed", verdict.attempt)]
    return [verdict] * max(1, times)


@contextmanager
def a_cluster(port: int) -> Iterator[None]:
    """Start a scheduler and a worker; both are killed at the end."""
    place = f"tcp://127.0.0.1:{port}"
    commands = (
        ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
        ["worker", place, "--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--no-nanny"],
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", "from dask.__main__ import main; main()", *words],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for words in commands
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def restarting(evaluations: int, folder: Path, whole: dict[str, object], times: int, returns: bool) -> list[Verdict]:
    """Kill a scheduler and its worker and start them again; or, at last, do not start them again."""
    folder.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = explore(evaluations, "--scheduler", f"tcp://127.0.0.1:{port}")
    with a_cluster(port):
        time.sleep(3)
        process = start(words, folder)
        going = wait_for_evaluations(process, folder / "run")
    restarts = 0
    while going and returns and restarts < times:
        with a_cluster(port):
            restarts += 1
            before = len(stored_rows(folder / "run"))
            going = wait_for_evaluations(process, folder / "run", before + 21)
            if restarts == times or not going:
                return [verdict_of(process, words, folder, whole)] * restarts
    verdict = verdict_of(process, words, folder, whole)
    if not returns and verdict.end == ACCEPTED:
        return [Verdict("ended before the scheduler was killed", verdict.attempt)]
    return [verdict]


def clusters(
    seed: int, evaluations: int, every: float, most: int, whole_campaign: bool, work: Path, tell: Callable[[str], None]
) -> list[Tally]:
    """Make all attacks on workers and schedulers, and return a row for each."""
    work.mkdir()
    r = Random(f"{seed}/clusters")
    succeed("generate", "lublin", "--jobs", 1000, "--processors", 32, "--seed", 5, "-o", work / "log.swf")
    reference = work / "without workers"
    reference.mkdir()
    fault = fault_of(explore(evaluations), reference)
    if fault:
        return [tally("workers", [Verdict(fault, "without workers")])]
    whole = results(reference)
    two = explore(evaluations, "--workers", 2)
    rows = [tally(f"a worker is killed every {every:g} s", killing(two, work / "one", whole, every, most, False, r))]
    tell(f"a worker is killed every {every:g} s: {rows[-1].tried} times, {rows[-1].broken} broken")
    rows.append(
        tally("all workers are killed at once", killing(two, work / "all", whole, 2 * every, most // 2, True, r))
    )
    generations = explore(evaluations, "--algorithm", "nsga2")
    (work / "generations without workers").mkdir()
    fault = fault_of(generations, work / "generations without workers")
    if fault:
        return [*rows, tally("workers of generations", [Verdict(fault, "without workers")])]
    of_generations = results(work / "generations without workers")
    found = killing([*generations, "--workers", "2"], work / "of", of_generations, every, most // 2, False, r)
    rows.append(tally(f"a worker of generations is killed every {every:g} s", found))
    tell(f"all workers are killed at once: {rows[-1].tried} times, {rows[-1].broken} broken")
    if whole_campaign:
        rows.append(tally("the scheduler is restarted", restarting(evaluations, work / "restarted", whole, 3, True)))
        tell(f"the scheduler is restarted: {rows[-1].tried} times, {rows[-1].broken} broken")
        rows.append(tally("the scheduler is gone", restarting(evaluations, work / "gone", whole, 0, False)))
        tell(f"the scheduler is gone: {rows[-1].broken} broken")
    return rows
