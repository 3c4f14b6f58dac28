"""Worker processes of our own on this machine, over pipes that nobody else has: they listen at no port.

Nothing here waits without an end. When a worker dies, all are started again, and what was lost is sent again:
simulations depend on nothing but what is sent, with the same result. A worker that says nothing for `SILENT` seconds is
killed. If none can be started for as long, or so many die one after the other that the fault must be theirs, a
computation ends with `WorkersLostError`, and its caller keeps what is done.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from ..core.errors import InputError, WorkersLostError

BEAT = 5.0  # s after which a worker says again that it lives
SILENT = 60.0  # s without a word, after which a worker is killed; and without a worker, after which none is tried
LOOK = 1.0  # s between two looks at the workers
AWAY = 15.0  # s without a look; this process was busy, or was stopped, and its workers with it
ENDING = 5.0  # s in which a worker ends that is killed
DEATHS = 9  # one after the other without a result, after which no more workers are started
LARGEST = 2**25 - 2**16  # bytes, about as large as an array can be whose memory the C library keeps

_log = logging.getLogger(__name__)


class _Spawning(SpawnContext):
    """Starts processes, and knows them."""

    def __init__(self) -> None:
        super().__init__()
        self._processes: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """Return a process that can be started; the pool of `concurrent.futures` calls this."""
        process = SpawnProcess(*args, **kwargs)
        self._processes.append(process)
        return process

    def processes(self) -> list[SpawnProcess]:
        """Return the processes that were started."""
        return [process for process in self._processes if process.pid is not None]


class Pool:
    """Worker processes, which are replaced when one dies; with the methods of a `Cluster` that simulations need.

    Attributes
    ----------
    slots
        Tasks that run at the same time.
    can_share
        Whether all workers can be given the same memory.
    """

    can_share = True

    def __init__(self, workers: int) -> None:
        self.slots = workers
        self._name = f"the {workers} workers of this machine"
        self._setup: Callable[..., None]
        self._executor: ProcessPoolExecutor | None = None
        self._unfinished: dict[int, tuple[Callable[[Any], Any], Any]] = {}
        self._deaths = self._in_vain = 0  # deaths; and those without a result since
        self._is_broken = False

    def deliver(self, _name: str, setup: Callable[..., None], _teardown: Callable[..., None]) -> None:
        """Start the workers, each of which calls a function first.

        Raises
        ------
        InputError
            No worker gets ready.
        """
        self._setup = setup
        try:
            first = self._begin()
            while not self._is_broken:
                self._look()
                with suppress(TimeoutError):
                    first.result(LOOK)
                    return
        except (OSError, BrokenProcessPool, CancelledError) as error:
            reason = " ".join(str(error).split())
        else:
            reason = f"none has said a word in {SILENT:g} s"
        self.close()
        raise InputError(f"workers must start, but {self.slots} do not: {reason}")

    def take_back(self, _name: str) -> None:
        """End the workers."""
        self.close()

    def start(self, task: Callable[[Any], Any], arguments: Mapping[int, Any]) -> None:
        """Start a task for each argument; the numbers, by which they are known, must not be those of running ones."""
        new = {number: (task, argument) for number, argument in arguments.items()}
        self._unfinished |= new
        if self._executor is not None:
            try:
                self._send(self._executor, new)
            except (OSError, BrokenProcessPool):
                self._is_broken = True  # `results` starts the workers again

    def results(self) -> list[tuple[int, Any]]:
        """Return the results of tasks that have ended, with their numbers; wait for one at least.

        Raises
        ------
        WorkersLostError
            No worker could be started for too long, or they died one after the other.
        """
        while True:
            self._look()
            results = {} if self._is_broken else self._next_results()
            for number in results:
                del self._unfinished[number]
            if results:
                self._in_vain = 0
                return list(results.items())
            if self._is_broken:
                self._begin_again()

    def close(self) -> None:
        """End the workers, also those that simulate or have been stopped."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        executor.shutdown(wait=False, cancel_futures=True)
        for process in self._context.processes():
            process.kill()
        for process in self._context.processes():
            process.join(ENDING)
        for end in self._pipes:
            end.close()

    def _next_results(self) -> dict[int, Any]:
        """Return the results of tasks that have ended, by number; none if nothing ends for a while or a worker died."""
        results: dict[int, Any] = {}
        try:
            number, future = self._ended.get(timeout=LOOK)
            while True:
                results[number] = future.result()
                number, future = self._ended.get_nowait()
        except Empty:
            pass
        except (BrokenProcessPool, CancelledError):
            self._is_broken = True
        return results

    def _send(self, executor: ProcessPoolExecutor, tasks: Mapping[int, tuple[Callable[[Any], Any], Any]]) -> None:
        """Give tasks to the workers, in this order."""
        with _no_interrupt():  # a worker is started when it is needed
            for number, (task, argument) in tasks.items():
                future = executor.submit(task, argument)
                future.add_done_callback(partial(_put, self._ended, number))

    def _begin(self) -> Future[Any]:
        """Start the workers, send them what has not ended, and return what ends when the first one is ready."""
        lifeline, ours = Pipe(duplex=False)  # ends for the workers when this process ends
        self._beats, beats = Pipe(duplex=False)
        self._pipes = lifeline, ours, self._beats, beats
        self._heard: dict[int, float] = {}  # when each process was heard last, by its number
        self._began_at = self._looked_at = time.monotonic()
        self._ended: SimpleQueue[tuple[int, Future[Any]]] = SimpleQueue()
        self._is_broken = False
        self._context = _Spawning()
        live = partial(_live, lifeline, beats, BEAT, self._setup)
        executor = self._executor = ProcessPoolExecutor(self.slots, self._context, live)
        with _no_interrupt():
            ready = [executor.submit(os.getpid) for _ in range(self.slots)]
        self._send(executor, self._unfinished)
        return ready[0]

    def _begin_again(self) -> None:
        """Start the workers again after a death."""
        self._deaths += 1
        self._in_vain += 1
        if self._in_vain > DEATHS:
            raise WorkersLostError(
                f"{self._name}: {self._in_vain} of them, one after the other, were killed while they simulated the "
                "same schedules, perhaps for want of memory; try fewer workers"
            )
        if self._deaths.bit_count() == 1:  # the first, the second, the fourth, the eighth ...
            processes = "a worker process was" if self._deaths == 1 else f"{self._deaths} worker processes were"
            _log.warning("%s killed, perhaps for want of memory; what was lost is simulated again", processes)
        deadline = time.monotonic() + SILENT
        while True:
            self.close()
            try:
                self._begin()
                return
            except (OSError, BrokenProcessPool) as error:
                if time.monotonic() > deadline:
                    raise WorkersLostError(f"{self._name}: none could be started for {SILENT:g} s: {error}") from None
                time.sleep(min(LOOK, SILENT))

    def _look(self) -> None:
        """Hear who lives, and kill a worker that says nothing any more."""
        now = time.monotonic()
        while self._beats.poll():
            self._heard[int(self._beats.recv_bytes())] = now
        if now - self._looked_at > AWAY:
            self._heard = dict.fromkeys(self._heard, now)
            self._began_at = now
        self._looked_at = now
        if not self._heard and now - self._began_at > SILENT:
            self._is_broken = True
        for process in self._context.processes():
            if now - self._heard.get(process.pid or 0, now) > SILENT:
                process.kill()


@contextmanager
def own_workers(workers: int) -> Iterator[Pool]:
    """Yield worker processes on this machine, which only this process can talk to, and end them."""
    pool = Pool(workers)
    try:
        yield pool
    finally:
        pool.close()


def _put(ended: SimpleQueue[tuple[int, Future[Any]]], number: int, future: Future[Any]) -> None:
    """Put a task that has ended into a queue, with its number."""
    ended.put((number, future))


def _live(lifeline: Connection, beats: Connection, beat: float, setup: Callable[..., None]) -> None:
    """Begin as a worker process."""
    Thread(target=_beat, args=(lifeline, beats, beat), daemon=True).start()
    # After this has been freed, the C library keeps the memory of smaller arrays; to get it again takes a fifth of the
    # time of the sequences of a large log.
    np.empty(LARGEST, np.uint8)
    setup(None)


def _beat(lifeline: Connection, beats: Connection, beat: float) -> None:
    """Say that this process lives, until nobody is left to hear it; then end it, whatever it does."""
    with suppress(OSError):
        while True:
            beats.send_bytes(str(os.getpid()).encode())
            if lifeline.poll(beat):
                break
    os._exit(0)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Block Ctrl-C for a while, and for ever in the processes that start meanwhile.

    A terminal sends it to all processes of a command. This process ends the others in good order, so they must not end
    by themselves. They inherit the block.
    """
    resource_tracker.ensure_running()  # else multiprocessing would do this later, and unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
