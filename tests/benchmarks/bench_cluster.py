"""Benchmark of the driver and of a large cluster: what an evaluation costs the process that searches. `make bench`.

Simulations sleep, so that hundreds of them run at a time on one machine; their results are made up, as what a
simulation computes is computed elsewhere in a real cluster. Everything else is real: the search, its store on disk,
the scheduler of `distributed` in a process of its own, and its workers, which speak its protocol over TCP; some
processes hold many workers each. Durations are drawn between 20 and 300 ms, uniformly on a logarithmic scale:
weightings of four logs on 1024 processors take 9 to 38 ms in the median with EASY, 50 to 770 with conservative
backfilling.

*Efficiency*: the share of the time of all workers that they slept, from the first result that is measured to the last.
*Driver* and *scheduler*: CPU of the process, ms an evaluation. A machine with few cores is its own limit: *busy* is the
CPU of all processes together, as a share of the wall time of one core.

*Sequences on many workers*: a sequence is derived from those that it descends from, of which a worker of many has seen
few. So a search is made, its tasks are given to as many workers by chance, and one of them simulates its own, with what
a driver sends it; the CPU of its evaluations stands beside that of a worker which simulates everything.

With `--store N`, a run of N evaluations instead, whose simulations take no time: what the driver needs for the first
and the last tenth, the store on disk, and how long it takes to open it and to publish its front.
"""

import argparse
import asyncio
import logging
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import psutil

from paretosched.core.tables import Column, load_rows, save_rows, table
from paretosched.encodings.recipes import GENES
from paretosched.encodings.sequence import Sequences
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.dominance import costs, nondominated_rows
from paretosched.fronts.front import Origin, front_of
from paretosched.fronts.front_files import save_front
from paretosched.search import evaluation, exploration
from paretosched.search.algorithms.named_algorithms import lag_of, search
from paretosched.search.algorithms.spaces import Reals, Recipes
from paretosched.search.evaluation import Compute, simulations
from paretosched.search.exploration import explore
from paretosched.search.resuming import Record, advance
from paretosched.search.runs import known_parameters, open_run, read_archive, read_values
from paretosched.simulation.objective import objective_table
from paretosched.workload.workload import Workload
from support.exploring import random_workload

DRAWN = (0.02, 0.3)  # s
LEAST_STORE = 11_000  # evaluations, so that a tenth is longer than a lag
PROCESSES = 4  # that hold workers
WARM = 50  # evaluations after the first ones, before anything is measured
TINY = random_workload(jobs=20, groups=5)


class Sleeping(NamedTuple):
    """An encoding whose simulations take as long as a sleep; how long depends on the genome alone.

    Attributes
    ----------
    shortest, longest
        Seconds.
    real
        The encoding, of which everything else is.
    """

    shortest: float
    longest: float
    real: Any = Weighting("easy")

    def seconds(self, genomes: Any) -> Any:
        """How long the simulation of each genome takes, (k,)."""
        return self.shortest * (self.longest / self.shortest) ** keys_of(genomes, 1)[:, 0]

    def mean(self) -> float:
        """How long they take in the mean, if they are spread uniformly on a logarithmic scale."""
        ratio = self.longest / self.shortest
        return self.longest if ratio == 1 else (self.longest - self.shortest) / math.log(ratio)

    def examples(self, groups: tuple[str, ...]) -> Any:
        return self.real.examples(groups)

    def ancestry(self, archive: Any, genomes: Any) -> Any:
        return self.real.ancestry(archive, genomes)

    def decoder(self, workload: Workload) -> Any:
        evaluation.simulate_batch = self.sleep  # type: ignore[assignment]
        evaluation.warm_up = lambda *_: None  # it would sleep, too: hundreds of workers of a process, one by one
        return self.real.decoder(workload)

    def sleep(self, _simulated: Any, batch: Any, _util_from: str) -> Any:
        """What `simulate_batch` would return, made up, after a sleep."""
        genomes, _ = batch
        seconds = self.seconds(genomes)
        time.sleep(seconds.sum())
        return made_up(genomes), seconds


class Result(NamedTuple):
    """One search: its efficiency, and what it cost; a simulation sleeps `mean_sleep` seconds."""

    workers: int
    mean_sleep: float
    lag: float | None
    evaluations: int
    wall: float
    efficiency: float
    driver: float
    scheduler: float
    busy: float


def run_search(
    algorithm: str,
    evaluations: int,
    sleeping: Sleeping,
    slots: int,
    lag: int | None = None,
    scheduler: str | None = None,
    others: Sequence[psutil.Process] = (),
) -> Result:
    """Search on sleeping workers, and measure it; the first process of `others` is the scheduler."""
    space = Recipes(1, 8, 4, len(TINY)) if algorithm == "nsga2" else Reals(*Weighting("easy").lower_upper(5))
    genes = 6 if algorithm == "nsga2" else len(space.lower)  # type: ignore[union-attr]
    objectives = objective_table(TINY.groups)
    seconds_lag = lag_of(algorithm, 100, lag)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        run = stack.enter_context(open_run(folder / "run", {}, evaluations))
        record = Record(run, (genes, len(objectives)), evaluations, {}, {})
        there = stack.enter_context(simulations([TINY], sleeping, Compute(0, scheduler)))  # type: ignore[arg-type]
        ended: list[int] = []  # genomes, in the order of their results: with a lag some are kept back
        there.results = partial(note_ended, there.results, ended)  # type: ignore[method-assign]
        asking = search(algorithm, space, 100, 1, lag=lag)
        course = advance(asking, record, there, lambda values: costs(values, objectives), seconds_lag)
        while record.count < (lag or 100) + WARM:  # kernels are compiled or loaded meanwhile
            next(course)
        first, early = record.count, len(ended)
        before, begin, cpu = [cpu_of(p) for p in others], time.perf_counter(), time.process_time()
        for _ in course:
            pass
        wall, driver = time.perf_counter() - begin, time.process_time() - cpu
        after = [cpu_of(p) for p in others]
        slept = sleeping.seconds(record.genomes[ended[early:]]).sum()
    used = [b - a for a, b in zip(before, after, strict=True)]
    evaluations -= first
    ms = [1000 * x / evaluations for x in (driver, used[0] if used else 0.0)]
    efficiency = float(slept) / (slots * wall)
    busy = (driver + sum(used)) / wall
    return Result(slots, sleeping.mean(), seconds_lag, evaluations, wall, efficiency, *ms, busy)


def keys_of(genomes: Any, count: int) -> Any:
    """Numbers in 0..1 that depend on the first genes of each genome, as if they were random, (k, count)."""
    factors = np.random.default_rng(0).random((14, count))[: genomes.shape[1]]
    return np.modf(np.abs(genomes[:, : len(factors)] @ factors) * 1e3)[0]


def made_up(genomes: Any) -> Any:
    """Objective values, (k, 7), of which about a third of a million in a search are not dominated by another."""
    key = keys_of(genomes, 7)
    shares = -np.log(np.maximum(key[:, :5], 1e-12))
    shares /= shares.sum(axis=1)[:, None]
    times = 1e4 * (1 + shares * (1 + 0.25 * key[:, 5:6]))
    return np.column_stack([80 + key[:, 6], times.mean(axis=1), times])


def note_ended(results: Callable[[], list[Any]], ended: list[int]) -> list[Any]:
    """Return the next results, whose numbers are appended to `ended`."""
    parts = results()
    for number, values, _ in parts:
        ended += range(number, number + len(values))
    return parts


def cpu_of(process: psutil.Process) -> float:
    """CPU seconds of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


# --- many workers on one machine --------------------------------------------------------------------------------------


@contextmanager
def crowd(workers: int, threads: int = 1) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Start a scheduler, and many workers in few processes; yield its address and all processes, its own first."""
    environment = os.environ | {  # what each worker measures of itself would take more than one core, for hundreds here
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "60 s",
        "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "600 s",
    }

    def start(*words: str) -> subprocess.Popen[str]:
        call = [sys.executable, __file__, *words]
        return stack.enter_context(
            subprocess.Popen(call, stdout=subprocess.PIPE, text=True, env=environment, stderr=subprocess.DEVNULL)
        )

    with ExitStack() as stack:
        processes = [start("--as", "scheduler")]
        try:
            assert processes[0].stdout is not None
            address = processes[0].stdout.readline().strip()
            shares = [workers // PROCESSES + (i < workers % PROCESSES) for i in range(PROCESSES)]
            processes += [
                start("--threads", str(threads), "--as", "workers", address, str(share)) for share in shares if share
            ]
            for process in processes[1:]:
                assert process.stdout is not None
                assert process.stdout.readline().strip() == "ready"
            yield address, [psutil.Process(process.pid) for process in processes]
        finally:
            for process in processes:
                process.kill()


async def be_scheduler() -> None:
    """Be a scheduler until killed."""
    from distributed import Scheduler

    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()


async def be_workers(address: str, count: int, threads: int) -> None:
    """Be some workers until killed; each is one of its own for the scheduler, with a connection and some threads."""
    from distributed import Worker

    with TemporaryDirectory() as folder:
        words = {"nthreads": threads, "memory_limit": 0, "local_directory": folder, "dashboard": False}
        workers = [Worker(address, **words) for _ in range(count // threads)]
        for first in range(0, len(workers), 16):
            await asyncio.gather(*workers[first : first + 16])
        print("ready", flush=True)
        await asyncio.gather(*(worker.finished() for worker in workers))


# --- a large store ----------------------------------------------------------------------------------------------------


making_up = 0.0  # CPU seconds, which are none of the driver's


@contextmanager
def at_once(*_: object) -> Iterator[evaluation.Simulations]:
    """A place where simulations take no time."""
    ended: list[tuple[int, Any]] = []

    def start(parts: Any, _archive: Any) -> None:
        global making_up
        begin = time.process_time()
        ended.extend((n, (made_up(genomes), np.full(len(genomes), 0.05))) for n, genomes in parts)
        making_up += time.process_time() - begin

    def wait() -> list[tuple[int, Any]]:
        results = list(ended)
        ended.clear()
        return results

    yield evaluation.Simulations(7, lambda: 256, start, wait)


def large_store(evaluations: int) -> None:
    """Make a run whose simulations take no time, open it again, and print what it takes."""
    exploration.simulations = at_once  # type: ignore[assignment]
    marks = [(0, time.process_time() - making_up)]

    def mark(progress: exploration.Progress) -> None:
        marks.append((progress.evaluations, time.process_time() - making_up))

    words: dict[str, Any] = {"algorithm": "archive", "lag": 1000}
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        explore(TINY, run, evaluations=evaluations, progress=mark, **words)
        for share in (0.1, 1.0):
            ends = [[m for m in marks if m[0] <= s * evaluations][-1] for s in (share - 0.1, share)]
            each = 1000 * (ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0])
            print(f"driver, the tenth up to {share:.0%}: {each:.3f} ms CPU an evaluation, with its published fronts")
        print(f"store: {sum(f.stat().st_size for f in run.glob('run.sqlite*')) / evaluations:.0f} bytes an evaluation")
        begin = time.process_time()
        values, _ = read_values(run)
        print(f"read all objective values: {time.process_time() - begin:.1f} s CPU")
        begin = time.process_time()
        with open_run(run, known_parameters(run)) as there:
            record = Record(there, (len(Weighting().lower_upper(5)[0]), 7), evaluations, {}, {})
        print(f"open to continue: {time.process_time() - begin:.1f} s CPU")
        del record
        begin = time.process_time()
        among = np.flatnonzero(nondominated_rows(values, objective_table(TINY.groups), equal=True))
        filtered = time.process_time() - begin
        begin = time.process_time()
        genomes = np.zeros((len(values), len(Weighting().lower_upper(5)[0])))
        front = front_of(values, genomes, Origin("run", "archive", 0, 100, Weighting()), TINY.groups, "w", "d", among)
        save_front(front, run / "other.parquet")
        written = time.process_time() - begin
        print(
            f"publish a front of {len(front):,}: {written:.1f} s CPU where the run has filtered as it went, as explore "
            f"does; {filtered + written:.1f} s from nothing"
        )
        begin = time.process_time()
        explore(TINY, run, evaluations=evaluations + 1, progress=mark, **words)
        print(f"continue, all evaluations repeated: {time.process_time() - begin:.1f} s CPU")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB at most")


def sequences_of_many(evaluations: int, jobs: int) -> None:
    """Print what a sequence costs one of many workers, told and not told what the others found of its ancestors."""
    workload = random_workload(jobs=jobs, groups=5)
    for name, encoding in (("strict", Sequences("strict", moves="fill")), ("earliest fit", Sequences())):
        with TemporaryDirectory() as folder:
            explore(workload, Path(folder) / "run", evaluations=evaluations, encoding=encoding)
            genomes, starts = genomes_of(Path(folder) / "run")
        decoder = partial(encoding._replace(starts=starts).decoder, workload)
        kept = evaluation._Kept()
        alone, _ = of_one_worker(decoder(), genomes, 1, kept)
        for workers in (2, 8, 64):
            told, received = of_one_worker(decoder(), genomes, workers, kept)
            untold, _ = of_one_worker(decoder(), genomes, workers, evaluation._Kept())
            print(
                f"sequences, {name}: {alone:.2f} ms on a worker that has all; on one of {workers} {told:.2f} ms, with "
                f"{received / 1000:.1f} kB for each, and {untold:.2f} ms if it is not told what others found"
            )


def genomes_of(run: Path) -> tuple[Any, tuple[Any, ...]]:
    """Return the genomes of a run of sequences, (n, 6), and its start orders."""
    parameters = known_parameters(run)
    with open_run(run, parameters) as opened:
        genomes = read_archive(opened, len(GENES), len(objective_table(TINY.groups))).genomes
    return genomes, tuple(parameters["starts"])


def of_one_worker(decoder: Any, genomes: Any, workers: int, kept: Any) -> tuple[float, float]:
    """Return CPU ms and received bytes of an evaluation of one of some workers, which get tasks of a run by chance.

    One worker alone adds to `kept` what it finds; one of several has only what is kept there.
    """
    size = evaluation.FIRST_SIZE
    mine = np.random.default_rng(workers).integers(workers, size=-(-len(genomes) // size)) == 0
    seconds = received = count = 0.0
    for task in np.flatnonzero(mine).tolist():
        rows = genomes[task * size : (task + 1) * size]
        ancestors = Sequences().ancestry(genomes, rows)
        changes = kept.of(ancestors)
        begin = time.thread_time()
        decoder.take_over(ancestors, changes)
        for row in rows:
            decoder(row, ancestors)
        found = decoder.changes(rows)
        if workers == 1:
            kept.add(found)
        if task >= len(mine) // 2:  # of the first ones, a worker derives what it knows later
            seconds += time.thread_time() - begin
            received += ancestors.nbytes + sum(map(len, changes.values()))
            count += len(rows)
    return 1000 * seconds / max(count, 1), received / max(count, 1)


def main() -> None:
    """Measure sequences and a crowd, or the crowd or the store of the options, and print what they need."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, action="append", help="of the crowd alone; may be given again")
    parser.add_argument("--lag", type=int, action="append", help="of the crowd; may be given again")
    parser.add_argument("--seconds", type=float, default=20.0, help="about how long each measurement takes")
    parser.add_argument("--slower", type=float, default=1.0, help="how many times as long all sleep; for busy machines")
    parser.add_argument("--threads", type=int, default=1, help="of a worker, for machines with few cores")
    parser.add_argument("--csv", type=Path, help="add the table of the crowd to this file")
    parser.add_argument("--store", type=int, metavar="N", help="measure a run of N evaluations instead")
    parser.add_argument("--as", dest="role", choices=["scheduler", "workers"], help=argparse.SUPPRESS)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        logging.disable()
        address, count = (*options.words, "", "0")[:2]
        role = be_scheduler() if options.role == "scheduler" else be_workers(address, int(count), options.threads)
        asyncio.run(role)
        return
    if options.seconds < 1:
        parser.error(f"--seconds must be 1 at least, or nothing is measured, but is {options.seconds:g}")
    if options.store is not None and options.store < LEAST_STORE:
        parser.error(f"--store must be {LEAST_STORE:,} at least, ten lags, but is {options.store:,}")
    if options.store:
        large_store(options.store)
        return
    logging.disable()
    columns = [
        Column("workers", "workers", ",d"),
        Column("mean_sleep", "mean sleep s", ".3f"),
        Column("lag", "lag", ",g"),
        Column("evaluations", "evaluations", ",d"),
        Column("wall", "s", ".1f"),
        Column("efficiency", "efficiency", ".3f"),
        Column("driver", "driver ms", ".3f"),
        Column("scheduler", "scheduler ms", ".3f"),
        Column("busy", "busy", ".2f"),
    ]
    rows = []
    if not options.workers:
        sequences_of_many(int(300 * options.seconds), 9000)
    sleeping = Sleeping(DRAWN[0] * options.slower, DRAWN[1] * options.slower)
    for workers in options.workers or (64, 256, 1024):
        for lag in options.lag or (1000, 10 * workers, 20 * workers, 40 * workers):
            with crowd(workers, options.threads) as (address, processes):
                evaluations = lag + WARM + int(options.seconds * workers / sleeping.mean())
                rows.append(run_search("archive", evaluations, sleeping, workers, lag, address, processes))
                print(rows[-1], flush=True)
    print(table([row._asdict() for row in rows], columns))
    if options.csv:
        known = load_rows(options.csv) if options.csv.exists() else []
        save_rows([*known, *(row._asdict() for row in rows)], options.csv)


if __name__ == "__main__":
    main()
