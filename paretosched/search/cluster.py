"""Worker processes of Dask, our own on this machine or those of a scheduler elsewhere; only this imports `distributed`.

Who can talk to a worker can run programs as its user. So our own speak TLS, with an identity that exists only in the
memory of their processes, and have no other server: no dashboard, no page of measurements.

Nothing here waits without an end. A worker of ours that dies or hangs is replaced. If there is no worker for
`WITHOUT_WORKER` seconds, or no scheduler for `WITHOUT_SCHEDULER` seconds, a computation ends with `WorkersLostError`,
and its caller keeps what is done. Simulations depend on nothing but what is sent, so what is lost is sent again, with
the same result.

This module is imported only when a cluster is needed, because `distributed` takes half a second.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from multiprocessing import resource_tracker
from os import PathLike, fspath
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import dask
from distributed import Client, KilledWorker, Nanny, Scheduler, Security, SpecCluster, Worker, WorkerPlugin
from distributed.client import ClosedClientError
from distributed.comm import connect

from ..core.errors import InputError, WorkersLostError

PATIENCE = 15.0  # s to wait for an answer of a scheduler, and for its first worker
WITHOUT_SCHEDULER = 60.0  # s to try again when a scheduler has gone
WITHOUT_WORKER = 60.0  # s to wait for a worker when none is left, for a new one of ours, and for a word of it
SHORT = 5.0  # s with too few workers, after which it is worth a remark; a new process takes 2 s
TOGETHER = 0.02  # s in which tasks end whose results are fetched together, while all workers have others to do
LOOK = 1.0  # s between two looks at the cluster
MOMENT = 0.3  # s in which a worker of ours ends that has nothing to do; one that simulates is killed
RETRIES = 3  # of a task that fails, and of a generation whose scheduler has gone
DEATHS = 9  # of workers of ours with the same task, after which the task is given up
QUIETLY = {"distributed.admin.large-graph-warning-threshold": "1 TB"}  # a scheduler that comes back gets everything
LOGGERS = ("asyncio", "distributed", "distributed.client", "tornado.application")  # their lines would hide ours

# What methods of a client raise when its scheduler has gone. A client that was closed forgets its parts.
GONE = (OSError, TimeoutError, futures.CancelledError, ClosedClientError, AttributeError)

Versions = Callable[[], dict[str, str]]
_log = logging.getLogger(__name__)


class UndeliveredError(Exception):
    """A worker has not received what a task needs, because its scheduler was started again."""


class _NoConnectionError(Exception):
    """The scheduler does not answer, or is another one than before."""


class _NoWorkerError(_NoConnectionError):
    """The scheduler has no worker, or none that answers."""


class Cluster:
    """A connection to workers that survives the loss of workers, and for a while that of the scheduler.

    Attributes
    ----------
    slots
        Tasks that run at the same time, when it was looked last.
    """

    def __init__(self, name: str, connect_client: Callable[[], Any], versions: Versions) -> None:
        self._name = name  # in messages
        self._connect_client = connect_client
        self._versions = versions
        self._deliveries: dict[str, Any] = {}
        self._client: Any = None
        self._unfinished: dict[int, tuple[Callable[[Any], Any], Any]] = {}
        self._group, self._keys = f"simulate-{uuid4().hex}", 0  # of tasks; and how many there were
        self._unsent: dict[int, tuple[Callable[[Any], Any], Any]] = {}
        self._sent: dict[int, Any] = {}  # futures of the client, by number
        self._ended: SimpleQueue[int] = SimpleQueue()
        try:
            self._connect()
        except _NoWorkerError as error:
            raise InputError(f"{name} must have a worker, but {error}") from None
        except _NoConnectionError as error:
            raise InputError(f"{name} must be a reachable dask scheduler, but is not: {error}") from None
        about = self._identity()
        self.slots: int = about["total_threads"]
        self._most: int = about["n_workers"]
        self._looked_at = self._some_at = self._all_at = time.monotonic()
        self._remarked_count = self._most

    def deliver(self, name: str, setup: Callable[..., None], teardown: Callable[..., None]) -> None:
        """Call a function on every worker, also on those that join later; and another one when it is taken back."""
        plugin = WorkerPlugin()
        plugin.name, plugin.setup, plugin.teardown = name, setup, teardown
        self._deliveries[name] = plugin
        self._persist(lambda: self._register(plugin))

    def take_back(self, name: str) -> None:
        """Undo a delivery."""
        del self._deliveries[name]
        # a worker that came back just now does not have it; a scheduler that has gone has forgotten it
        with suppress(KeyError, _NoConnectionError):
            self._answer(lambda client: client.unregister_worker_plugin(name))

    def start(self, task: Callable[[Any], Any], arguments: Mapping[int, Any]) -> None:
        """Start a task for each argument; the numbers, by which they are known, must not be those of running ones."""
        new = {number: (task, argument) for number, argument in arguments.items()}
        self._unfinished |= new
        self._unsent |= new
        if self._client is not None:
            with suppress(_NoConnectionError):  # `results` connects again
                self._send()

    def results(self) -> list[tuple[int, Any]]:
        """Return the results of tasks that have ended, with their numbers; wait for one at least.

        Raises
        ------
        WorkersLostError
            No worker or no scheduler for too long; or the same task ended one worker after the other.
        """
        try:
            results: list[tuple[int, Any]] = self._persist(self._results)
        except KilledWorker as error:
            raise WorkersLostError(
                f"{self._name}: {error.allowed_failures + 1} of them, one after the other, were killed while "
                "they simulated the same schedules, perhaps for want of memory; try fewer workers"
            ) from None
        for number, _ in results:
            del self._unfinished[number]
        return results

    def close(self) -> None:
        """Disconnect, even if the scheduler does not answer."""
        client, self._client = self._client, None
        self._sent, self._unsent, self._ended = {}, dict(self._unfinished), SimpleQueue()
        if client is not None:
            with suppress(*GONE):
                client.close(timeout=PATIENCE)

    # --- what is computed -------------------------------------------------------------------------------------------

    def _results(self) -> list[tuple[int, Any]]:
        """Return the results of tasks that have ended, from the scheduler that is connected now."""
        if time.monotonic() - self._looked_at > LOOK:
            self._look()
        self._send()
        numbers = [self._next_ended()]
        deadline = time.monotonic() + TOGETHER
        with suppress(Empty):
            while len(numbers) < len(self._sent):
                nobody_waits = len(self._sent) - len(numbers) > self.slots + self.slots // 4
                numbers.append(self._ended.get(timeout=max(0.0, deadline - time.monotonic()) if nobody_waits else 0.0))
        futures_ = [self._sent[number] for number in numbers]
        results = self._long_answer(lambda client: client.gather(futures_))
        for number in numbers:
            del self._sent[number]
        return list(zip(numbers, results, strict=True))

    def _send(self) -> None:
        """Send the scheduler what it has not got yet. Tasks start in this order; it repeats those that are lost.

        All have keys of one group: of a group that is large for its workers, the scheduler gives each the next task
        when it needs one. Tasks of small groups it hands out in turn: some workers would have a queue, others none.
        """
        by_task: dict[Callable[[Any], Any], dict[int, Any]] = {}
        for number, (task, argument) in self._unsent.items():
            by_task.setdefault(task, {})[number] = argument
        try:
            for task, arguments in by_task.items():
                first, self._keys = self._keys, self._keys + len(arguments)
                keys = [(self._group, number) for number in range(first, self._keys)]
                with dask.config.set(QUIETLY):
                    tasks = self._client.map(task, list(arguments.values()), key=keys, retries=RETRIES, pure=False)
                for number, future in zip(arguments, tasks, strict=True):
                    self._sent[number] = future
                    future.add_done_callback(partial(_put, self._ended, number))
        except GONE as error:
            raise _NoConnectionError(_reason(error)) from None
        self._unsent = {}

    def _next_ended(self) -> int:
        """Return the number of a task that has ended, and look at the cluster meanwhile."""
        while True:
            try:
                return self._ended.get(timeout=LOOK)
            except Empty:
                self._look()

    def _register(self, plugin: Any) -> None:
        """Set a delivery up on all workers, which may have to compile for a while."""
        self._long_answer(lambda client: client.register_plugin(plugin))

    def _begin(self, call: Callable[[Any], Any]) -> Any:
        """Return a future of what a coroutine of the client returns; in the client's thread, its methods are such."""
        client = self._client
        if client is None or client.status != "running":
            raise _NoConnectionError("the connection was closed")

        async def call_client() -> Any:
            return await call(client)

        return asyncio.run_coroutine_threadsafe(call_client(), client.loop.asyncio_loop)

    def _answer(self, call: Callable[[Any], Any], patience: float | None = None) -> Any:
        """Return what a coroutine of the client returns, which should take no longer than `PATIENCE` or as given."""
        answer = self._begin(call)
        try:
            return answer.result(patience or PATIENCE)
        except GONE as error:
            raise _NoConnectionError(_reason(error)) from None
        finally:
            answer.cancel()

    def _long_answer(self, call: Callable[[Any], Any]) -> Any:
        """Return what a coroutine of the client returns, and look at the cluster meanwhile."""
        answer = self._begin(call)
        try:
            while not futures.wait([answer], LOOK).done:
                self._look()
            return answer.result()
        except GONE as error:
            raise _NoConnectionError(_reason(error)) from None
        finally:
            answer.cancel()

    # --- the workers ------------------------------------------------------------------------------------------------

    def _identity(self) -> dict[str, Any]:
        """Return what the scheduler says about itself, with how many workers it has, and how many threads they have."""
        about: dict[str, Any] = self._answer(lambda client: client.scheduler.identity(n_workers=0))
        if about["id"] != self._scheduler:
            raise _NoConnectionError("it was started again")
        return about

    def _look(self) -> None:
        """Look whether the scheduler is there, how many workers are at work, and whether one was killed."""
        about = self._identity()
        count: int = about["n_workers"]
        self.slots = max(1, about["total_threads"])
        now = self._looked_at = time.monotonic()
        self._most = max(self._most, count)
        if count:
            self._some_at = now
        if count == self._most:
            self._all_at = now
        if now - self._some_at > WITHOUT_WORKER:
            raise WorkersLostError(f"{self._name}: no worker could be had for {WITHOUT_WORKER:g} s")
        complete_again = count == self._most != self._remarked_count
        if complete_again or (count < self._remarked_count and now - self._all_at > SHORT):
            self._remarked_count = count
            _log.warning("%d of %d workers are at work", count, self._most)

    # --- the connection ---------------------------------------------------------------------------------------------

    def _persist(self, action: Callable[[], Any]) -> Any:
        """Return what an action returns; if the scheduler goes away, connect again and repeat the action."""
        for _ in range(RETRIES + 1):
            try:
                if self._client is None:
                    self._reconnect()
                return action()
            except (_NoConnectionError, UndeliveredError):
                self.close()
        raise WorkersLostError(f"{self._name} went away {RETRIES + 1} times before a simulation ended")

    def _connect(self) -> None:
        """Connect to the scheduler, wait for a worker, and check the versions of all."""
        self._client = self._connect_client()
        try:
            self._scheduler = self._answer(lambda client: client.scheduler.identity(n_workers=0))["id"]
            deadline = time.monotonic() + PATIENCE
            while not self._identity()["n_workers"]:
                if time.monotonic() > deadline:
                    raise _NoWorkerError(f"has none after {PATIENCE:g} s")
                time.sleep(0.1)
            here = self._versions()
            try:  # a slow or busy worker may need long to import the package
                there = self._answer(lambda client: client.run(self._versions), WITHOUT_WORKER)
            except _NoConnectionError:
                workers = self._identity()["n_workers"]  # the scheduler answers
                raise _NoWorkerError(f"not all of its {workers} workers answer within {WITHOUT_WORKER:g} s") from None
            except ImportError as error:
                raise InputError(f"{self._name}: its workers must have paretosched, but: {error}") from None
            for worker, software in there.items():
                if software != here:
                    raise InputError(
                        f"{self._name}: workers must have the same versions as here, {here}, "
                        f"but {worker} has {software}"
                    )
        except BaseException:
            self.close()
            raise

    def _reconnect(self) -> None:
        """Connect to a scheduler that went away, for a while, and deliver everything again."""
        _log.warning("%s does not answer; trying again for %g s", self._name, WITHOUT_SCHEDULER)
        deadline = time.monotonic() + WITHOUT_SCHEDULER
        while True:
            try:
                self._connect()
                break
            except _NoConnectionError as error:
                if time.monotonic() > deadline:
                    raise WorkersLostError(
                        f"{self._name} went away and did not come back in {WITHOUT_SCHEDULER:g} s: {error}"
                    ) from None
                time.sleep(min(LOOK, WITHOUT_SCHEDULER))
        self._some_at = self._all_at = time.monotonic()
        for plugin in self._deliveries.values():
            self._register(plugin)
        _log.warning("%s answers again; what was lost is simulated once more", self._name)


def _put(ended: SimpleQueue[int], number: int, _future: object) -> None:
    """Put the number of a task that has ended into a queue."""
    ended.put(number)


# --- our own workers --------------------------------------------------------------------------------------------------


class _Closed:
    """A server of Dask without its web server, which would answer everybody."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Start none."""


class _Scheduler(_Closed, Scheduler):  # type: ignore[misc]
    """A scheduler without a web server."""


class _Worker(_Closed, Worker):  # type: ignore[misc]
    """A worker without a web server."""


class _Nanny(Nanny):  # type: ignore[misc]
    """Starts a worker again that dies, and ends it at once: all that is to be kept of it has been sent."""

    async def close(self, timeout: float = MOMENT, reason: str = "nanny-close") -> Any:  # noqa: ARG002
        """Close the worker, and kill it if it simulates."""
        return await super().close(MOMENT, reason)


@contextmanager
def own_cluster(workers: int, versions: Versions) -> Iterator[Cluster]:
    """Start workers on this machine, with which only this process can talk, and yield the connection to them.

    They end with this process, whatever ends it. Their files are in a folder that no other account can write:
    `distributed` imports modules from it.

    Raises
    ------
    InputError
        They do not start in time.
    """
    security = Security.temporary()
    common = {"host": "127.0.0.1", "protocol": "tls://", "security": security}
    with _silence(), ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="paretosched-", ignore_cleanup_errors=True))
        of_worker = {
            "nthreads": 1,
            "worker_class": _Worker,
            "local_directory": folder,
            "silence_logs": logging.CRITICAL,
            "memory_limit": 0,  # a worker holds one workload; its end at 95 % of the memory would not help
            "death_timeout": WITHOUT_WORKER,
        }
        worker = {"cls": _Nanny, "options": common | of_worker}
        stack.enter_context(dask.config.set(_settings(folder)))
        with _no_interrupt():
            try:
                cluster = SpecCluster(
                    workers=dict.fromkeys(range(workers), worker),
                    scheduler={"cls": _Scheduler, "options": common | {"dashboard": False}},
                    security=security,
                    silence_logs=logging.CRITICAL,
                )
            except (OSError, RuntimeError, TimeoutError, AssertionError) as error:
                raise InputError(f"workers must start, but {workers} do not: {_reason(error)}") from None
        stack.callback(_end, cluster)
        client = partial(Client, cluster, set_as_default=False)
        connection = Cluster(f"the {workers} workers of this machine", client, versions)
        stack.callback(connection.close)
        yield connection


def _settings(folder: str) -> dict[str, Any]:
    """Return Dask's settings while workers of ours run, whose files are in a folder."""
    return {
        "temporary-directory": folder,
        # no profiles of workers, and neither event loops watched 50 times a second nor the machine every half second:
        # each takes 1 % of every core
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1 s",
        "distributed.admin.system-monitor.interval": "60 s",
        "distributed.scheduler.allowed-failures": DEATHS,
        "distributed.scheduler.worker-ttl": f"{WITHOUT_WORKER} s",  # then a worker that hangs is started again
        # Dask would end a nanny whose worker is away for 15 s, which may just be starting it
        "distributed.deploy.lost-worker-timeout": "100 days",
        # Workers keep the memory of large arrays: to get it again takes a fifth of the time of the sequences of a
        # large log.
        "distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 2**28, "MALLOC_MMAP_THRESHOLD_": 2**25},
    }


def _end(cluster: Any) -> None:
    """End the processes of a cluster; those that do not end in time are daemons and end with this process.

    Dask asserts that no process is just being started, which may be wrong after a worker was killed.
    """
    with suppress(TimeoutError, AssertionError):
        cluster.close(timeout=PATIENCE)


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


# --- workers elsewhere ------------------------------------------------------------------------------------------------


@contextmanager
def remote_cluster(scheduler: str, tls: Sequence[str | PathLike[str]] | None, versions: Versions) -> Iterator[Cluster]:
    """Connect to the scheduler at an address, check the versions of its workers, and yield the connection."""
    name = f'scheduler "{scheduler}"'
    if tls is not None:
        ca, certificate, key = (fspath(path) for path in tls)
        security = Security(require_encryption=True, tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key)
    else:
        security = Security()
    uses_tls = scheduler.startswith("tls://")
    if uses_tls and not (security.tls_ca_file and security.tls_client_cert):
        raise InputError(
            f"{name} needs certificates: --tls-ca, --tls-cert and --tls-key, or distributed.comm.tls in Dask's "
            "configuration"
        )
    with _silence():
        connection = Cluster(name, partial(_client, scheduler, security), versions)
        if not uses_tls:
            _remark_trust(scheduler)
        try:
            yield connection
        finally:
            connection.close()


@cache
def _remark_trust(scheduler: str) -> None:
    """Say, once for each address, that a cluster without TLS lets everybody in."""
    _log.warning(
        'scheduler "%s" trusts everybody who reaches it: they can run programs as the user of its workers, and as you; '
        "tls:// lets in only those with a certificate",
        scheduler,
    )


def _client(scheduler: str, security: Any) -> Any:
    """Return a client of the scheduler at an address."""
    try:
        _reach(scheduler, security)
        return Client(scheduler, timeout=PATIENCE, security=security, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
        raise _NoConnectionError(_reason(error)) from None


def _reach(scheduler: str, security: Any) -> None:
    """Connect to an address once; the client itself would wait for ever for a server that never answers."""

    async def attempt() -> None:
        arguments = security.get_connection_args("client")
        # the second limit includes the greeting, which the first one forgets
        comm = await asyncio.wait_for(connect(scheduler, timeout=PATIENCE, **arguments), PATIENCE + 1)
        comm.abort()

    with futures.ThreadPoolExecutor(1) as thread:  # not in this thread: a notebook runs an event loop in it
        thread.submit(asyncio.run, attempt()).result()


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the lines that `distributed` writes about lost connections and processes; what matters is a remark."""
    levels = {logger: logger.level for logger in map(logging.getLogger, LOGGERS)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def _reason(error: BaseException) -> str:
    """Return what is wrong, short and on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
