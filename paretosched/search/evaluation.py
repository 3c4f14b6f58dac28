"""A batch of genomes becomes a batch of objective vectors, in this process or on a cluster; the only importer of dask.

By default the simulations run in threads of this process, one a core: the kernels release the GIL and all threads
share the workload. With workers they run in processes of a `distributed` cluster: the workload travels to each
worker once, as part of a worker plugin, so that a worker that joins later or comes back after its death has it
too; only genomes travel afterwards.

Every genome is simulated on its own and results come back in the order of the genomes, so that neither the number of
workers nor the cut into tasks nor a repetition changes a bit of them.
"""

from __future__ import annotations

import os
import platform
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from multiprocessing import resource_tracker
from typing import Any
from uuid import uuid4

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError, one_of
from ..core.version import __version__
from ..encodings.encoding import ENCODINGS, Encoding
from ..encodings.genomes import Decoder
from ..simulation.objective import objectives_of
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload

Evaluate = Callable[[Floats, int], tuple[Floats, Floats]]
Batch = tuple[Floats, Floats]  # genomes to simulate, and those they may descend from

LONGEST_TASK = 1.0  # s; beyond it the overhead of a task is nothing, and a worker that dies costs more
SHORTEST_TASK = 0.05  # s; a task costs the scheduler of `distributed` and its worker 3-6 ms
ROUND, ROUND_OF_UNKNOWN = 0.9, 0.5  # share of what is left of a generation
PATIENCE = 15.0  # s to wait for a scheduler and its first worker
RETRIES = 3
WORKERS_A_CORE = 4  # more processes than cores help nobody, and hundreds of them would take the machine down

# What was delivered to this worker process, by token. Only worker processes of a cluster have any.
_DELIVERED: dict[str, tuple[Workload, Decoder]] = {}


@contextmanager
def evaluator(
    workload: WorkloadLike, encoding: str | Encoding, workers: int = 0, scheduler: str | None = None
) -> Iterator[Evaluate]:
    """Make ready to simulate many schedules of a workload.

    Parameters
    ----------
    workload
        What is simulated; or the path of a log or of a run directory.
    encoding
        What genomes mean; or the name of an encoding, "weighting" or "orders", with its defaults.
    workers
        0: threads of this process, one a core. N: N processes on this machine.
    scheduler
        Address of a `distributed` scheduler whose workers are used instead, "tcp://host:8786".

    Yields
    ------
    evaluate
        Function of all genomes so far (n, d), and of the number of the first one to be simulated. It returns objective
        values (k, G + 2) in natural units of the k last ones and the CPU seconds of each simulation (k,).

    Raises
    ------
    InputError
        The encoding does not fit the workload; workers are too many, or given with a scheduler; or the scheduler
        cannot be reached, has no worker, or has workers with other versions of the software.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> with evaluator(w, "weighting") as evaluate:
    ...     values, seconds = evaluate(np.array([[1.0, 5, 1, 1] * 3 + [1, 1, 1]]), 0)
    >>> values.shape, seconds.shape
    ((1, 3), (1,))
    """
    if isinstance(encoding, str):
        one_of("encoding", encoding, list(ENCODINGS))
        encoding = ENCODINGS[encoding]()
    with joint_evaluator([as_workload(workload)], encoding, workers, scheduler) as evaluate:
        yield evaluate


@contextmanager
def joint_evaluator(
    workloads: Sequence[Workload], encoding: Encoding, workers: int = 0, scheduler: str | None = None
) -> Iterator[Evaluate]:
    """Make ready to simulate each genome on several workloads with equally many groups, in the same processes.

    As `evaluator`, but the objective values of a genome are those of all workloads, one after the other, and its
    seconds the sum.
    """
    check_workers(workers, scheduler)
    starts = [encoding.decoder(workload) for workload in workloads]
    warm_up(encoding)  # before any worker starts, so that all of them find compiled kernels
    with ExitStack() as stack:
        if workers or scheduler is not None:
            client = stack.enter_context(_client(workers, scheduler))
            each = [stack.enter_context(_on_cluster(client, workload, encoding)) for workload in workloads]
        else:
            each = [stack.enter_context(_in_threads(*pair)) for pair in zip(workloads, starts, strict=True)]
        yield partial(_side_by_side, each)


def _side_by_side(each: Sequence[Evaluate], archive: Floats, first: int) -> tuple[Floats, Floats]:
    values, seconds = zip(*(evaluate(archive, first) for evaluate in each), strict=True)
    return np.concatenate(values, axis=1), np.sum(seconds, axis=0)


def check_workers(workers: int, scheduler: str | None) -> None:
    """Refuse numbers of workers that cannot be meant.

    Raises
    ------
    InputError
        Less than none, more than four a core of this machine, or workers and a scheduler.
    """
    most = WORKERS_A_CORE * (os.cpu_count() or 1)
    if not 0 <= workers <= most:
        raise InputError(f"workers must be in 0..{most}, {WORKERS_A_CORE} a core of this machine, but is {workers}")
    if workers and scheduler is not None:
        raise InputError(f"workers and scheduler must not both be given, but are {workers} and {scheduler}")


def warm_up(encoding: Encoding) -> None:
    """Compile what a search runs, or load it from the cache."""
    ones = np.ones(3, dtype=np.int64)
    tiny = Workload(ones, ones, ones, ones, 2, group=np.array([0, 1, 0]), groups=("1", "2"))
    plain, genomes = encoding.examples(tiny.groups)
    simulate_batch(tiny, plain.decoder(tiny), (genomes, genomes))


def simulate_batch(workload: Workload, start: Decoder, batch: Batch) -> tuple[Floats, Floats]:
    """Simulate k genomes one after the other; objective values (k, G + 2) and CPU seconds (k,)."""
    genomes, ancestors = batch
    values = np.empty((len(genomes), len(workload.groups) + 2))
    seconds = np.empty(len(genomes))
    for i, genome in enumerate(genomes):
        # CPU time of this thread: waiting for a core or for the GIL is not the simulation's
        begin = time.thread_time()
        values[i] = objectives_of(workload, start(genome, ancestors))
        seconds[i] = time.thread_time() - begin
    return values, seconds


def batch_sizes(count: int, slots: int, seconds: float | None) -> list[int]:
    """Cut a generation into tasks: as few as possible, and small ones last so that all slots end together.

    Factoring (Hummel, Schonberg and Flynn 1992): round after round, every slot gets an equal task, and all tasks of a
    round are a share of what is left; the larger, the better it is known how long they take. What is too little for a
    round goes with the one before.

    Parameters
    ----------
    count
        Genomes.
    slots
        Tasks that run at the same time.
    seconds
        Seconds an evaluation took so far; None if not known.

    Examples
    --------
    >>> batch_sizes(60, 2, 0.01), batch_sizes(60, 2, None)
    ([30, 30], [15, 15, 8, 8, 4, 4, 2, 2, 1, 1])
    >>> batch_sizes(60, 2, 0.03), batch_sizes(20, 2, 0.001)
    ([27, 27, 3, 3], [20])
    """
    least, most, share = 1, count, ROUND_OF_UNKNOWN
    if seconds:
        least = max(1, int(SHORTEST_TASK / seconds))
        most = max(1, int(LONGEST_TASK / seconds))
        share = ROUND
    sizes: list[int] = []
    while count:
        size = max(least, -(-int(share * count) // slots))
        if count - slots * size < slots * least:
            size = max(least, -(-count // slots))
        size = min(most, size)
        for _ in range(slots):
            sizes.append(min(size, count))
            count -= sizes[-1]
            if not count:
                break
    return sorted(sizes, reverse=True)  # what goes with the round before may make it longer than that was


def versions() -> dict[str, str]:
    """Name the software whose versions a simulation's last bit may depend on."""
    named = {package: version(package) for package in ("numpy", "numba")}
    return {"python": platform.python_version(), "paretosched": __version__, **named}


def _cutting(slots: int, compute: Callable[[list[Batch]], list[tuple[Floats, Floats]]], groups: int) -> Evaluate:
    """Make the function of whole generations from one of batches."""
    known: float | None = None

    def evaluate(archive: Floats, first: int) -> tuple[Floats, Floats]:
        nonlocal known
        genomes = archive[first:]
        if len(genomes) == 0:
            return np.empty((0, groups + 2)), np.empty(0)
        cuts = np.cumsum(batch_sizes(len(genomes), slots, known))[:-1]
        values, seconds = zip(*compute([(part, archive) for part in np.split(genomes, cuts)]), strict=True)
        known = max(float(np.concatenate(seconds).mean()), 1e-6)
        return np.concatenate(values), np.concatenate(seconds)

    return evaluate


@contextmanager
def _in_threads(workload: Workload, start: Decoder) -> Iterator[Evaluate]:
    from concurrent.futures import ThreadPoolExecutor

    import dask.threaded
    from dask.system import CPU_COUNT

    pool = ThreadPoolExecutor(CPU_COUNT)

    def compute(batches: list[Batch]) -> list[tuple[Floats, Floats]]:
        # a function without arguments: Dask would look for tasks in what it is given
        graph = {i: (partial(simulate_batch, workload, start, batch),) for i, batch in enumerate(batches)}
        return list(dask.threaded.get(graph, list(graph), pool=pool))

    try:
        yield _cutting(CPU_COUNT, compute, len(workload.groups))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    """Connect to the scheduler at an address, or start one and its workers on this machine."""
    import logging

    import dask
    from distributed import Client, LocalCluster

    if scheduler is None:
        with ExitStack() as stack:
            # neither profiles of workers nor watching the event loops 50 times a second, 1 % of each core each
            quietly = dask.config.set(
                {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1 s"}
            )
            with _no_interrupt(), quietly:
                cluster = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    # no dashboard; what is left of its server must not insist on port 8787
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                    memory_limit=0,  # a worker holds one workload; its death at 95 % of the memory would help nobody
                )
                stack.enter_context(cluster)
            yield stack.enter_context(Client(cluster, set_as_default=False))
        return
    try:
        _reach(scheduler)
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f'scheduler "{scheduler}" must be a reachable dask scheduler, but is not: {reason}') from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InputError(f'scheduler "{scheduler}" must have a worker, but has none after {PATIENCE:g} s') from None
        try:
            theirs = client.run(versions)
        except ImportError as error:
            raise InputError(f'scheduler "{scheduler}": its workers must have paretosched, but: {error}') from None
        for worker, found in theirs.items():
            if found != versions():
                raise InputError(
                    f'scheduler "{scheduler}": workers must have the same versions as here, {versions()}, '
                    f"but {worker} has {found}"
                )
        yield client


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Put Ctrl-C off, for ever in processes that are started meanwhile.

    A terminal sends it to all processes of a command. This one ends the others in good order; they shall not end by
    themselves. What is blocked is inherited, also by the thread that starts a worker again.
    """
    resource_tracker.ensure_running()  # which multiprocessing would do later, and unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _reach(scheduler: str) -> None:
    """Try the address. The client itself waits for ever where something listens and keeps silent."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed import Security
    from distributed.comm import connect

    async def attempt() -> None:
        security = Security().get_connection_args("scheduler")
        # the second limit counts for the greeting, too, which the first one forgets
        comm = await asyncio.wait_for(connect(scheduler, timeout=PATIENCE, **security), PATIENCE + 1)
        comm.abort()

    with ThreadPoolExecutor(1) as thread:  # not in this one: a notebook runs a loop of its own in it
        thread.submit(asyncio.run, attempt()).result()


@contextmanager
def _on_cluster(client: Any, workload: Workload, encoding: Encoding) -> Iterator[Evaluate]:
    from distributed import WorkerPlugin, wait

    token = uuid4().hex  # several searches may share a cluster
    # Only what simulations need travels; arrays must be wrapped anew at the other end, since pickling loses read-only
    # flags, and with them the kernels' compiled signature.
    needed = ("submit", "run", "estimate", "width", "capacity", "group", "groups", "epoch", "zone", "name")
    plugin = WorkerPlugin()
    plugin.name = f"paretosched-{token}"
    plugin.setup = partial(_receive, token, {field: getattr(workload, field) for field in needed}, encoding)
    plugin.teardown = partial(_forget, token)
    task = partial(_batch_on_worker, token)

    def compute(batches: list[Batch]) -> list[tuple[Floats, Floats]]:
        # of the whole generation first, so that the whole archive is searched once and not for each task
        known = encoding.ancestry(batches[0][1], np.concatenate([genomes for genomes, _ in batches]))
        needed = [(genomes, encoding.ancestry(known, genomes)) for genomes, _ in batches]
        # Tasks start in this order. A task whose worker dies is repeated by the scheduler, and so is one that fails
        futures = client.map(task, needed, pure=False, retries=RETRIES)
        with client.as_current():
            wait(futures)  # Ctrl-C comes here; an interrupted `gather` would leave a traceback for each task
        return list(client.gather(futures))

    client.register_plugin(plugin)
    try:
        yield _cutting(max(1, sum(client.nthreads().values())), compute, len(workload.groups))
    finally:
        with suppress(KeyError):  # a worker that came back just now has none
            client.unregister_worker_plugin(plugin.name)


def _receive(token: str, fields: dict[str, Any], encoding: Encoding, worker: object) -> None:  # noqa: ARG001
    warm_up(encoding)
    workload = Workload(**fields)
    _DELIVERED[token] = workload, encoding.decoder(workload)


def _forget(token: str, worker: object) -> None:  # noqa: ARG001
    _DELIVERED.pop(token, None)


def _batch_on_worker(token: str, batch: Batch) -> tuple[Floats, Floats]:
    workload, start = _DELIVERED[token]
    return simulate_batch(workload, start, batch)
