"""Small random workloads for the tests of exploration; as a script, it kills or interrupts runs."""

import logging
import os
import random
import signal
import sqlite3
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from paretosched.cli.console import sure_interrupt
from paretosched.encodings.weighting import Weighting, decode
from paretosched.search.exploration import Progress, explore
from paretosched.simulation.objective import objectives_of
from paretosched.workload.workload import Workload


def random_workload(jobs: int = 60, groups: int = 3, seed: int = 0, capacity: int = 16) -> Workload:
    r = np.random.default_rng(seed)
    run = r.integers(1, 3000, jobs)
    return Workload(
        submit=np.sort(r.integers(0, jobs * 500, jobs)),
        run=run,
        estimate=run * r.integers(1, 4, jobs),
        width=r.integers(1, capacity // 2, jobs),
        capacity=capacity,
        group=r.integers(0, groups, jobs),
        groups=tuple(str(i + 1) for i in range(groups)),
        name="random",
    )


def interrupt(*_: object, **__: object) -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


def interrupt_if(holds: Callable[..., bool]) -> Callable[..., None]:
    """Return what is called with the progress of a search, and interrupts it where something holds of that."""
    return lambda *progress: interrupt() if holds(*progress) else None


def genomes_and_values(workload: Workload, count: int = 24) -> tuple[np.ndarray, bytes]:
    """Weightings of EASY for three groups, and the bytes of their objective values, simulated one by one."""
    lower, upper = Weighting().lower_upper(3)
    genomes = lower + (upper - lower) * np.random.default_rng(0).random((count, upper.size))
    rows = [objectives_of(workload, decode(g, workload.groups, "easy").outcome(workload)) for g in genomes]
    return genomes, np.array(rows).tobytes()


@contextmanager
def two_workers() -> Iterator[str]:
    """Start a cluster of two processes that several runs can share, and yield the address of its scheduler."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        memory_limit=0,
    ) as cluster:
        yield cluster.scheduler_address


PULLED: dict[str, Any] = {
    "encoding": "sequence", "moves": "pull", "recombination": "ox", "start": ["permutations"], "frequency": 50,
}  # fmt: skip
SEARCHES: dict[str, dict[str, Any]] = {
    "weighting": {"algorithm": "nsga2"}, "sequence": PULLED, "archive": {"algorithm": "archive", "lag": 70},
    "surrogate": {"surrogate": True, "lag": 70},
    "offline": {"encoding": "sequence"},
}  # fmt: skip


def store_without_tables(path: Path) -> None:
    """Make a store as a process leaves it that is killed before its first transaction."""
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode = wal")
    connection.close()


def explore_and_kill(
    directory: Path, evaluations: int, kill: signal.Signals, delay: float, workload: Workload, words: dict[str, Any]
) -> int:
    """Explore in a child process, send it a signal after `delay` seconds, and return its exit status."""
    with warnings.catch_warnings():
        # Python 3.12 warns about forking with threads; here only the idle threads of numpy exist
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 0
        try:
            with sure_interrupt():  # as the command line does: Ctrl-C leaves numba unusable while it compiles
                explore(workload, directory, evaluations=evaluations, population=20, seed=3, **words)
        except KeyboardInterrupt:
            status = 130
        except BaseException as error:
            print("child failed:", repr(error), file=sys.stderr, flush=True)
            status = 1
        os._exit(status)
    time.sleep(delay)
    os.kill(child, kill)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def explore_until_interrupt(directory: Path, workers: int) -> None:
    """Explore until Ctrl-C, and print a line when there is a front; several generations may come at once."""
    lines = iter(["begun"])

    def tell(progress: Progress) -> None:
        for line in lines if progress.generation else ():
            print(line, flush=True)

    try:
        with sure_interrupt():  # as the command line does, because a callback of Dask may lose Ctrl-C
            explore(
                random_workload(jobs=2000),
                directory,
                evaluations=10**6,
                population=20,
                seed=3,
                workers=workers,
                progress=tell,
            )
    except KeyboardInterrupt:
        sys.exit(130)


def killed_again_and_again(directory: Path, evaluations: int, seed: int, search: str) -> None:
    """Kill a run again and again, print the number of stored evaluations after each kill, then finish the run."""
    workload = random_workload(jobs=2000)
    words = SEARCHES[search]
    # import and compile all before the fork, the model too, so that the children are killed while they simulate
    explore(workload, directory.with_name("warm"), evaluations=300, population=20, seed=3, **words)
    r = random.Random(seed)
    patience, before, midway = 1.0, 0, False
    for attempt in range(60):
        if attempt >= 5 and midway:
            break
        kill = signal.SIGINT if attempt % 4 == 3 else signal.SIGKILL
        status = explore_and_kill(directory, evaluations, kill, patience * r.uniform(0.03, 0.3), workload, words)
        count = 0
        if (directory / "run.sqlite").exists():
            connection = sqlite3.connect(directory / "run.sqlite")
            count = connection.execute("select count(*) from sqlite_master").fetchone()[0]
            count = count and connection.execute("select count(*) from evaluation").fetchone()[0]
            connection.close()
        print(kill.name, status, count, flush=True)
        midway = midway or 0 < count < evaluations
        if status == 1:
            sys.exit("a child failed")
        patience = min(30.0, patience * (2 if count == before else 1))  # on a busy machine, a child may need longer
        before = count
    explore(workload, directory, evaluations=evaluations, population=20, seed=3, **words)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process may have inherited it as ignored
    if sys.argv[1] == "interrupted":
        explore_until_interrupt(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        killed_again_and_again(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
