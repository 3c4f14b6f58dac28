"""A batch of genomes becomes a batch of objective vectors, in this process or on a cluster.

By default the simulations run in threads of this process, one a core: the kernels release the GIL and all threads
share the workload. With workers they run in other processes, of this machine or elsewhere (`cluster`): the workload is
delivered to each worker once, also to one that joins later or starts again. Afterwards genomes travel, with what other
workers have found of those that they descend from.

Every genome is simulated on its own and results have the number of their genome, so that neither the number of workers
nor the cut into tasks nor a repetition nor the order in which tasks end changes a bit of them.
"""

from __future__ import annotations

import os
import platform
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from os import PathLike
from pickle import dumps, loads
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import numpy as np

from ..core.arguments import as_path, callback, checked_when_made, instance, list_argument, whole_number
from ..core.arrays import Floats
from ..core.computing import abandon
from ..core.computing import compute as compute_apart
from ..core.errors import InputError, one_of
from ..core.files import unreadable
from ..core.version import __version__
from ..encodings.encoding import Encoding, as_encoding
from ..encodings.genomes import Changes, Decoder, Heir
from ..simulation.objective import FROM_START, UTIL_FROM, objective_count, objectives_of
from ..simulation.simulator import letting_wait
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload

if TYPE_CHECKING:
    from .cluster import Cluster

Evaluate = Callable[[Floats, int], tuple[Floats, Floats]]
Batch = tuple[Floats, Floats]  # genomes to simulate, and those they may descend from
Result = tuple[Floats, Floats]  # objective values, (k, m), and CPU seconds, (k,)
Simulated = tuple[Workload, Decoder]
Sent = tuple[Floats, Floats, list[Changes]]  # a batch, and what is known of its ancestors by each `Heir`
TlsFiles = tuple[str | PathLike[str], str | PathLike[str], str | PathLike[str]]  # authority, certificate, its key

LONGEST_TASK = 1.0  # s; beyond it the overhead of a task is nothing, and a worker that dies costs more
SHORTEST_TASK = 0.05  # s; a task costs the scheduler of `distributed` and its worker 3-6 ms
STREAM_TASK = 0.5  # s; without generations nobody waits for its end
ROUND, ROUND_OF_UNKNOWN = 0.9, 0.5  # share of what is left of a generation
QUEUED = 2.5
ENOUGH = 2  # of them, with which what is too little for a task can wait for more
FIRST_SIZE = 4  # of a task of such a search, before it is known how long simulations take
MOST_TASKS = 300.0  # a second; beyond it the scheduler of `distributed` becomes busy
MEMORY = 100  # evaluations of which the mean time is taken
MOST_SENT = 2**18  # bytes of what is known of the ancestors of a task
MOST_KEPT = 2**27  # bytes of it that are kept of each workload
WORKERS_A_CORE = 4  # more processes than cores make nothing faster, and hundreds would take the machine down

# What was delivered to this worker process, by token. Only worker processes of a cluster have any.
_DELIVERED: dict[str, list[Simulated]] = {}


@checked_when_made
class Compute(NamedTuple):
    """Where simulations run, see `evaluator`, and the function that is told how far they are.

    Raises
    ------
    InputError
        The number of workers is below 0 or above four a core of this machine, there are workers and a scheduler, the
        scheduler is no text, or there are files for TLS without a scheduler that speaks it, or they cannot be read or
        do not fit; or what is told is no function.
    """

    workers: int = 0
    scheduler: str | None = None
    tls: TlsFiles | None = None
    progress: Callable[..., object] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant, and certificates that cannot be used."""
        most = WORKERS_A_CORE * (os.cpu_count() or 1)
        if not 0 <= whole_number("workers", self.workers) <= most:
            raise InputError(
                f"workers must be in 0..{most}, {WORKERS_A_CORE} a core of this machine, but is {self.workers}"
            )
        if self.scheduler is not None:
            instance("scheduler", self.scheduler, str)
            if self.workers:
                raise InputError(
                    f"workers and scheduler must not both be given, but are {self.workers} and {self.scheduler}"
                )
        if self.tls is not None:
            if not (self.scheduler or "").startswith("tls://"):
                raise InputError(f"tls needs a scheduler at tls://..., but the scheduler is {self.scheduler}")
            _check_tls(self.tls)
        callback("progress", self.progress)

    def workers_ready(self) -> AbstractContextManager[Cluster]:
        """Return the connection to workers of our own, or to those of the scheduler."""
        from .cluster import own_cluster, remote_cluster

        if self.scheduler is None:
            return own_cluster(self.workers, versions)
        return remote_cluster(self.scheduler, self.tls, versions)


@contextmanager
def evaluator(
    workload: WorkloadLike,
    encoding: str | Encoding,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    util_from: str = FROM_START,
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
        Address of a `distributed` scheduler whose workers are used instead, "tls://host:8786". A user who can reach
        a scheduler at "tcp://host:8786" can run programs as the user who started it.
    tls
        Three PEM files for a scheduler at tls://: the certificate of the authority, our certificate, and its key. By
        default those of Dask's configuration.
    util_from
        Where UTIL begins to count, as of `objectives`.

    Yields
    ------
    evaluate
        Function of all genomes so far (n, d), and of the number of the first genome to simulate. It returns objective
        values (k, G + 2) in natural units of the last k genomes and the CPU seconds of each simulation (k,).

    Raises
    ------
    InputError
        The encoding does not fit the workload; workers are too many, or given with a scheduler; or the scheduler
        cannot be reached, has no worker, or has workers with other versions of the software. Workers that are lost
        during a simulation are replaced, and a scheduler is tried again; a `WorkersLostError` follows after a minute
        without a worker, or without a scheduler.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> with evaluator(w, "weighting") as evaluate:
    ...     values, seconds = evaluate(np.array([[1.0, 5, 1, 1] * 3 + [1, 1, 1]]), 0)
    >>> values.shape, seconds.shape
    ((1, 3), (1,))
    """
    compute = Compute(workers, scheduler, tls)
    with simulations([as_workload(workload)], as_encoding(encoding), compute, util_from) as there:

        def evaluate(archive: Floats, first: int) -> tuple[Floats, Floats]:
            count = len(archive) - first
            values, seconds = np.empty((count, there.objectives)), np.empty(count)
            there.submit(archive, first, there.generation_sizes(count))
            while there.running:
                for number, part, of_part in there.results():
                    rows = slice(number - first, number - first + len(part))
                    values[rows], seconds[rows] = part, of_part
            return values, seconds

        yield evaluate


@contextmanager
def simulations(
    workloads: Sequence[Workload],
    encoding: Encoding,
    compute: Compute = Compute(),  # noqa: B008  # it is immutable
    util_from: str = FROM_START,
) -> Iterator[Simulations]:
    """Yield a place where each genome is simulated on several workloads, with equally many groups.

    As for `evaluator`, but the objective values of a genome are those of all workloads, one after the other, and its
    seconds are the sum.
    """
    one_of("util_from", util_from, UTIL_FROM)
    workloads = [letting_wait(workload) for workload in workloads]
    decoders = [encoding.decoder(workload) for workload in workloads]
    warm_up(encoding, util_from)  # before any worker starts, so that all of them find compiled kernels
    if compute.workers or compute.scheduler is not None:
        with (
            compute.workers_ready() as cluster,
            _on_cluster(cluster, workloads, encoding, decoders, util_from) as there,
        ):
            yield there
    else:
        with _in_threads(list(zip(workloads, decoders, strict=True)), util_from) as there:
            yield there


def _check_tls(tls: TlsFiles) -> None:
    """Refuse files that cannot be read, are not what they must be, or do not belong together."""
    files = [as_path(path) for path in list_argument("tls", tls)]
    if len(files) != 3:
        raise InputError(f"tls must be three files, of authority, certificate and key, but there are {len(files)}")
    ca, certificate, key = files
    for path in files:
        try:
            with path.open("rb"):
                pass
        except OSError as error:
            raise unreadable(path, error) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=ca)
    except ssl.SSLError:
        raise InputError(f"{ca}: must hold the certificate of an authority as PEM, but does not") from None
    paths: list[str] = []

    def password() -> str:
        paths.append("")  # otherwise it would be asked for at the terminal
        return ""

    try:
        context.load_cert_chain(certificate, key, password)
    except ssl.SSLError as error:
        if paths:
            raise InputError(f"{key}: must be a key without a password, but has one") from None
        if error.reason == "KEY_VALUES_MISMATCH":
            raise InputError(f"{key}: must be the key of {certificate}, but belongs to another certificate") from None
        raise InputError(f"{certificate} and {key}: must be a certificate and its key as PEM, but are not") from None


def warm_up(encoding: Encoding, util_from: str) -> None:
    """Compile what a search runs, or load it from the cache."""
    ones = np.ones(3, dtype=np.int64)
    tiny = Workload(ones, ones, ones, ones, 2, group=np.array([0, 1, 0]), groups=("1", "2"))
    plain, genomes = encoding.examples(tiny.groups)
    simulate_batch([(tiny, plain.decoder(tiny))], (genomes, genomes), util_from)


def simulate_batch(simulated: Sequence[Simulated], batch: Batch, util_from: str) -> Result:
    """Return the objective values (k, W (G + 2)) and CPU seconds (k,) of k genomes, simulated one after the other."""
    genomes, ancestors = batch
    width = objective_count(simulated[0][0])
    values = np.empty((len(genomes), len(simulated) * width))
    seconds = np.empty(len(genomes))
    for i, genome in enumerate(genomes):
        # CPU time of this thread: waiting for a core or for the GIL does not count
        begin = time.thread_time()
        for j, (workload, decoder) in enumerate(simulated):
            values[i, j * width : (j + 1) * width] = objectives_of(workload, decoder(genome, ancestors), util_from)
        seconds[i] = time.thread_time() - begin
    return values, seconds


class Simulations:
    """A place where genomes are simulated, by several at a time.

    Parameters
    ----------
    objectives
        How many objective values a genome has, of all workloads together.
    slots
        Returns how many tasks run at the same time now.
    start
        Starts a task: some genomes, the number of the first one, and all genomes they may descend from.
    wait
        Waits until one task has ended at least, and returns those that have, each with the number of its first genome.

    Attributes
    ----------
    running
        How many tasks were started and have not ended.
    """

    def __init__(
        self,
        objectives: int,
        slots: Callable[[], int],
        start: Callable[[Sequence[tuple[int, Floats]], Floats], None],
        wait: Callable[[], Sequence[tuple[int, Result]]],
    ) -> None:
        self.objectives = objectives
        self.running = 0
        self._slots, self._start, self._wait = slots, start, wait
        self._mean_seconds: float | None = None

    def submit(self, archive: Floats, first: int, sizes: Sequence[int]) -> None:
        """Start the simulation of genomes in tasks of these sizes.

        Parameters
        ----------
        archive
            All genomes so far, (n, d).
        first
            The number of the first genome to simulate.
        sizes
            Of the tasks, (t,); their sum is n - first at most.
        """
        if sizes:
            cuts = first + np.cumsum([0, *sizes[:-1]])
            self._start([(n, archive[n : n + size]) for n, size in zip(cuts.tolist(), sizes, strict=True)], archive)
            self.running += len(sizes)

    def results(self) -> list[tuple[int, Floats, Floats]]:
        """Return what has ended, at least one task: the number of its first genome, and as of `simulate_batch`."""
        ended = [(number, values, seconds) for number, (values, seconds) in self._wait()]
        self.running -= len(ended)
        seconds = np.concatenate([of_task for _, _, of_task in ended])
        latest = max(float(seconds.mean()), 1e-6)
        share = min(1.0, seconds.size / MEMORY)  # of the latest in the mean
        before = latest if self._mean_seconds is None else self._mean_seconds
        self._mean_seconds = before + share * (latest - before)
        return ended

    def idle(self, ahead: float) -> tuple[int, int]:
        """Return how many slots idle if no more than `ahead` genomes are under way, and how many slots there are."""
        slots = self._slots()
        return max(0, slots - int(min(ahead, slots))), slots

    def generation_sizes(self, count: int) -> list[int]:
        """Return the sizes of the tasks of a generation, all of which must end before the next, see `batch_sizes`."""
        return batch_sizes(count, self._slots(), self._mean_seconds)

    def stream_sizes(self, count: int, ahead: float) -> list[int]:
        """Return the sizes of tasks of genomes behind which others come, as long as fewer than `ahead` are running.

        They are equal, as long as their overhead demands, and so small that there are `QUEUED` of them for every slot:
        they are running, waiting, or have ended and are kept back by an older one. A smaller one comes last only if
        there are not `ENOUGH` for every slot without it; else these genomes wait for others. Small tasks would stay
        for ever: as many genomes come behind a task as it had.

        Examples
        --------
        >>> two = Simulations(7, lambda: 2, lambda _, __: None, lambda: [])
        >>> two.stream_sizes(10, 100), two.stream_sizes(18, 100)
        ([4, 4, 2], [4, 4, 4, 4])
        """
        slots = self._slots()
        seconds = max(STREAM_TASK, slots / MOST_TASKS)
        wanted = FIRST_SIZE if self._mean_seconds is None else max(1, round(seconds / self._mean_seconds))
        size = max(1, min(wanted, int(ahead / (QUEUED * slots))))
        whole, rest = divmod(count, size)
        return [size] * whole + ([rest] if rest and self.running + whole < ENOUGH * slots else [])


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


@contextmanager
def _in_threads(simulated: Sequence[Simulated], util_from: str) -> Iterator[Simulations]:
    """Yield simulations in threads of this process."""
    from dask.system import CPU_COUNT  # of a container, too

    tasks: SimpleQueue[tuple[int, Batch] | None] = SimpleQueue()
    ended: SimpleQueue[tuple[int, Result | BaseException]] = SimpleQueue()

    def work() -> None:
        while (task := tasks.get()) is not None:
            number, batch = task
            try:
                ended.put((number, simulate_batch(simulated, batch, util_from)))
            except BaseException as error:  # raised below, in the thread that waits
                ended.put((number, error))

    def start(parts: Sequence[tuple[int, Floats]], archive: Floats) -> None:
        for number, genomes in parts:
            tasks.put((number, (genomes, archive)))

    def wait() -> list[tuple[int, Result]]:
        number, result = ended.get()
        if isinstance(result, BaseException):
            raise result
        return [(number, result)]

    threads = [Thread(target=work, name="simulations", daemon=True) for _ in range(CPU_COUNT)]
    try:
        for thread in threads:
            thread.start()
        yield Simulations(_objectives(simulated), lambda: CPU_COUNT, start, wait)
    finally:
        with suppress(Empty):
            while True:
                tasks.get_nowait()
        for _ in threads:
            tasks.put(None)
        abandon(threads)  # after Ctrl-C those that simulate; the others end now


def _objectives(simulated: Sequence[Simulated]) -> int:
    """Return how many objective values a genome has on all workloads."""
    return sum(objective_count(workload) for workload, _ in simulated)


@contextmanager
def _on_cluster(
    cluster: Cluster,
    workloads: Sequence[Workload],
    encoding: Encoding,
    decoders: Sequence[Decoder],
    util_from: str,
) -> Iterator[Simulations]:
    """Yield simulations on the workers of a cluster.

    A genome that descends from others is worked out with them, of which any worker may have done a part. So what it
    changes comes back with its result, and goes with each task in which it is an ancestor.
    """
    token = f"paretosched-{uuid4().hex}"  # several searches may share a cluster
    # Of a log only what simulations need travels; conditions of measures may be about all of it.
    sent = [
        w if any("(" in name for name in w.measured.names) else w.with_(records=None, names=None, header=())
        for w in workloads
    ]
    task = partial(_batch_on_worker, token, util_from)
    heirs = _heirs(decoders)
    kept = [_Kept() for _ in heirs]

    def start(parts: Sequence[tuple[int, Floats]], archive: Floats) -> None:
        of_parts = [(number, genomes, encoding.ancestry(archive, genomes)) for number, genomes in parts]
        cluster.start(task, {n: dumps((rows, own, [known.of(own) for known in kept])) for n, rows, own in of_parts})

    def wait() -> list[tuple[int, Result]]:
        ended = []
        for number, returned in cluster.results():
            result, found = loads(returned)  # noqa: S301  # Dask unpacks what its workers send likewise
            for known, changes in zip(kept, found, strict=True):
                known.add(changes)
            ended.append((number, result))
        return ended

    cluster.deliver(token, partial(_receive, token, sent, encoding, util_from), partial(_forget, token))
    try:
        yield Simulations(sum(map(objective_count, workloads)), lambda: cluster.slots, start, wait)
    finally:
        cluster.take_back(token)


class _Kept:
    """What workers have found of genomes that others descend from: another one need not find it again."""

    def __init__(self) -> None:
        self._changes: Changes = {}
        self._bytes = 0

    def add(self, changes: Changes) -> None:
        """Keep changes; the oldest ones are dropped if there are too many."""
        for number, change in changes.items():
            if number not in self._changes:
                self._changes[number] = change
                self._bytes += len(change)
        while self._bytes > MOST_KEPT:
            self._bytes -= len(self._changes.pop(next(iter(self._changes))))

    def of(self, ancestors: Floats) -> Changes:
        """Return what is known of ancestors, (k, d), with their numbers first, the latest as far as there is room."""
        found: Changes = {}
        room = MOST_SENT
        for number in reversed(ancestors[:, 0].astype(np.int64).tolist()):
            change = self._changes.get(number)
            if change is not None:
                room -= len(change)
                if room < 0:
                    break
                found[number] = change
        return found


def _receive(
    token: str,
    workloads: Sequence[Workload],
    encoding: Encoding,
    util_from: str,
    worker: object,  # noqa: ARG001
) -> None:
    """Keep workloads and their decoders in this worker process."""
    warm_up(encoding, util_from)
    _DELIVERED[token] = [(workload, encoding.decoder(workload)) for workload in workloads]


def _forget(token: str, worker: object) -> None:  # noqa: ARG001
    """Drop what `_receive` keeps."""
    _DELIVERED.pop(token, None)


def _batch_on_worker(token: str, util_from: str, packed: bytes) -> bytes:
    """Return what `simulate_batch` returns, on workloads that this worker process has received, and what it found.

    Both ways it is packed: of arrays and tuples Dask would send every one for itself, which costs all processes more.
    """
    if token not in _DELIVERED:
        from .cluster import UndeliveredError

        raise UndeliveredError
    sent: Sent = loads(packed)  # noqa: S301
    genomes, ancestors, known = sent
    heirs = _heirs(decoder for _, decoder in _DELIVERED[token])
    for heir, changes in zip(heirs, known, strict=True):
        heir.take_over(ancestors, changes)
    # in one thread, whose CPU time is measured: each simulation of a main thread would take another one
    result = compute_apart(lambda: simulate_batch(_DELIVERED[token], (genomes, ancestors), util_from))
    return dumps((result, [heir.changes(genomes) for heir in heirs]))


def _heirs(decoders: Iterable[Decoder]) -> list[Heir]:
    """Return the decoders of genomes that descend from others."""
    return [decoder for decoder in decoders if isinstance(decoder, Heir)]
