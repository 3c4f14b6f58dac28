"""A batch of genomes becomes a batch of objective vectors, in this process or on a cluster; the only importer of dask.

By default the simulations run in threads of this process, one a core: the kernels release the GIL and all threads
share the workload. With workers they run in processes of a `distributed` cluster: the workload travels to each
worker once, as part of a worker plugin, so that a worker that joins later or starts again has it, too. Afterwards
only genomes travel.

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

from ..core.arguments import whole_number
from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.version import __version__
from ..encodings.encoding import Encoding, as_encoding
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
WORKERS_A_CORE = 4  # more processes than cores make nothing faster, and hundreds would take the machine down

# What was delivered to this worker process, by token. Only worker processes of a cluster have any.
_DELIVERED: dict[str, tuple[Workload, Decoder]] = {}


@contextmanager
def evaluator(
    workload: WorkloadLike, encoding: str | Encoding, workers: int = 0, scheduler: str | None = None
) -> Iterator[Evaluate]:
    """Yield a function that simulates many schedules of a workload.

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
        Function of all genomes so far (n, d), and of the number of the first genome to simulate. It returns objective
        values (k, G + 2) in natural units of the last k genomes and the CPU seconds of each simulation (k,).

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
    with joint_evaluator([as_workload(workload)], as_encoding(encoding), workers, scheduler) as evaluate:
        yield evaluate


@contextmanager
def joint_evaluator(
    workloads: Sequence[Workload], encoding: Encoding, workers: int = 0, scheduler: str | None = None
) -> Iterator[Evaluate]:
    """Yield a function that simulates each genome on several workloads, in the same processes.

    The workloads have equally many groups. As for `evaluator`, but the objective values of a genome are those of
    all workloads, one after the other, and its seconds are the sum.
    """
    check_workers(workers, scheduler)
    decoders = [encoding.decoder(workload) for workload in workloads]
    warm_up(encoding)  # before any worker starts, so that all of them find compiled kernels
    with ExitStack() as stack:
        if workers or scheduler is not None:
            client = stack.enter_context(_client(workers, scheduler))
            evaluates = [stack.enter_context(_on_cluster(client, workload, encoding)) for workload in workloads]
        else:
            evaluates = [stack.enter_context(_in_threads(*pair)) for pair in zip(workloads, decoders, strict=True)]
        yield partial(_side_by_side, evaluates)


def _side_by_side(evaluates: Sequence[Evaluate], archive: Floats, first: int) -> tuple[Floats, Floats]:
    """Return the objective values on all workloads, one after the other, and the sums of their seconds."""
    values, seconds = zip(*(evaluate(archive, first) for evaluate in evaluates), strict=True)
    return np.concatenate(values, axis=1), np.sum(seconds, axis=0)


def check_workers(workers: int, scheduler: str | None) -> None:
    """Refuse a number of workers that cannot be meant.

    Raises
    ------
    InputError
        The number is below 0 or above four a core of this machine, or there are workers and a scheduler.
    """
    most = WORKERS_A_CORE * (os.cpu_count() or 1)
    if not 0 <= whole_number("workers", workers) <= most:
        raise InputError(f"workers must be in 0..{most}, {WORKERS_A_CORE} a core of this machine, but is {workers}")
    if workers and scheduler is not None:
        raise InputError(f"workers and scheduler must not both be given, but are {workers} and {scheduler}")


def warm_up(encoding: Encoding) -> None:
    """Compile what a search runs, or load it from the cache."""
    ones = np.ones(3, dtype=np.int64)
    tiny = Workload(ones, ones, ones, ones, 2, group=np.array([0, 1, 0]), groups=("1", "2"))
    plain, genomes = encoding.examples(tiny.groups)
    simulate_batch(tiny, plain.decoder(tiny), (genomes, genomes))


def simulate_batch(workload: Workload, decoder: Decoder, batch: Batch) -> tuple[Floats, Floats]:
    """Return the objective values (k, G + 2) and CPU seconds (k,) of k genomes, simulated one after the other."""
    genomes, ancestors = batch
    values = np.empty((len(genomes), len(workload.groups) + 2))
    seconds = np.empty(len(genomes))
    for i, genome in enumerate(genomes):
        # CPU time of this thread: waiting for a core or for the GIL does not count
        begin = time.thread_time()
        values[i] = objectives_of(workload, decoder(genome, ancestors))
        seconds[i] = time.thread_time() - begin
    return values, seconds


def batch_sizes(count: int, slots: int, seconds: float | None) -> list[int]:
    """Return the sizes of the tasks of a generation: few tasks, and small ones last, so that all slots end together.

    Factoring (Hummel, Schonberg and Flynn 1992): in every round, all slots get equal tasks, and all tasks of a round
    are a share of what is left. The share is larger if it is known how long they take. What is too little for a round
    goes with the round before.

    Parameters
    ----------
    count
        Genomes.
    slots
        Tasks that run at the same time.
    seconds
        Mean seconds of an evaluation so far; None if not known.

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
    return sorted(sizes, reverse=True)  # a last round that goes with the one before may be the larger one


def versions() -> dict[str, str]:
    """Return the versions of the software that the last bit of a simulation may depend on, by name."""
    packages = {package: version(package) for package in ("numpy", "numba")}
    return {"python": platform.python_version(), "paretosched": __version__, **packages}


def _cutting(slots: int, compute: Callable[[list[Batch]], list[tuple[Floats, Floats]]], groups: int) -> Evaluate:
    """Return the function that simulates whole generations, made from one that simulates batches."""
    mean_seconds: float | None = None

    def evaluate(archive: Floats, first: int) -> tuple[Floats, Floats]:
        nonlocal mean_seconds
        genomes = archive[first:]
        if len(genomes) == 0:
            return np.empty((0, groups + 2)), np.empty(0)
        cuts = np.cumsum(batch_sizes(len(genomes), slots, mean_seconds))[:-1]
        values, seconds = zip(*compute([(part, archive) for part in np.split(genomes, cuts)]), strict=True)
        mean_seconds = max(float(np.concatenate(seconds).mean()), 1e-6)
        return np.concatenate(values), np.concatenate(seconds)

    return evaluate


@contextmanager
def _in_threads(workload: Workload, decoder: Decoder) -> Iterator[Evaluate]:
    """Yield the function that simulates generations in threads of this process."""
    from concurrent.futures import ThreadPoolExecutor

    import dask.threaded
    from dask.system import CPU_COUNT

    pool = ThreadPoolExecutor(CPU_COUNT)

    def compute(batches: list[Batch]) -> list[tuple[Floats, Floats]]:
        # a function without arguments, because Dask would look for tasks in them
        graph = {i: (partial(simulate_batch, workload, decoder, batch),) for i, batch in enumerate(batches)}
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
            # no profiles of workers, and event loops not watched 50 times a second: each takes 1 % of every core
            quietly = dask.config.set(
                {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1 s"}
            )
            with _no_interrupt(), quietly:
                cluster = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    # no dashboard; the rest of its server must not insist on port 8787
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                    memory_limit=0,  # a worker holds one workload; its end at 95 % of the memory would not help
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
            versions_there = client.run(versions)
        except ImportError as error:
            raise InputError(f'scheduler "{scheduler}": its workers must have paretosched, but: {error}') from None
        for worker, software in versions_there.items():
            if software != versions():
                raise InputError(
                    f'scheduler "{scheduler}": workers must have the same versions as here, {versions()}, '
                    f"but {worker} has {software}"
                )
        yield client


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Block Ctrl-C for a while, and for ever in the processes that start meanwhile.

    A terminal sends it to all processes of a command. This process ends the others in good order, so they must not end
    by themselves. They inherit the block, and so does the thread that starts a worker again.
    """
    resource_tracker.ensure_running()  # else multiprocessing would do this later, and unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _reach(scheduler: str) -> None:
    """Connect to an address once; the client itself would wait for ever for a server that never answers."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed import Security
    from distributed.comm import connect

    async def attempt() -> None:
        security = Security().get_connection_args("scheduler")
        # the second limit includes the greeting, which the first one forgets
        comm = await asyncio.wait_for(connect(scheduler, timeout=PATIENCE, **security), PATIENCE + 1)
        comm.abort()

    with ThreadPoolExecutor(1) as thread:  # not in this thread: a notebook runs an event loop in it
        thread.submit(asyncio.run, attempt()).result()


@contextmanager
def _on_cluster(client: Any, workload: Workload, encoding: Encoding) -> Iterator[Evaluate]:
    """Yield the function that simulates generations on the workers of a cluster."""
    from distributed import WorkerPlugin, wait

    token = uuid4().hex  # several searches may share a cluster
    # Only what simulations need travels. The worker makes a new workload of it, because pickled arrays lose their
    # read-only flags, and with them the kernels' compiled signature.
    fields = ("submit", "run", "estimate", "width", "capacity", "group", "groups", "epoch", "zone", "name")
    plugin = WorkerPlugin()
    plugin.name = f"paretosched-{token}"
    plugin.setup = partial(_receive, token, {field: getattr(workload, field) for field in fields}, encoding)
    plugin.teardown = partial(_forget, token)
    task = partial(_batch_on_worker, token)

    def compute(batches: list[Batch]) -> list[tuple[Floats, Floats]]:
        # those of the whole generation first, so that the whole archive is searched once and not for each task
        ancestors = encoding.ancestry(batches[0][1], np.concatenate([genomes for genomes, _ in batches]))
        tasks = [(genomes, encoding.ancestry(ancestors, genomes)) for genomes, _ in batches]
        # Tasks start in this order. The scheduler repeats a task that fails or whose worker dies.
        futures = client.map(task, tasks, pure=False, retries=RETRIES)
        with client.as_current():
            wait(futures)  # Ctrl-C ends this; an interrupted `gather` would leave a traceback for each task
        return list(client.gather(futures))

    client.register_plugin(plugin)
    try:
        yield _cutting(max(1, sum(client.nthreads().values())), compute, len(workload.groups))
    finally:
        with suppress(KeyError):  # a worker that came back just now has no plugin
            client.unregister_worker_plugin(plugin.name)


def _receive(token: str, fields: dict[str, Any], encoding: Encoding, worker: object) -> None:  # noqa: ARG001
    """Keep a workload and its decoder in this worker process."""
    warm_up(encoding)
    workload = Workload(**fields)
    _DELIVERED[token] = workload, encoding.decoder(workload)


def _forget(token: str, worker: object) -> None:  # noqa: ARG001
    """Drop what `_receive` keeps."""
    _DELIVERED.pop(token, None)


def _batch_on_worker(token: str, batch: Batch) -> tuple[Floats, Floats]:
    """Return what `simulate_batch` returns, on a workload that this worker process has received."""
    workload, decoder = _DELIVERED[token]
    return simulate_batch(workload, decoder, batch)
