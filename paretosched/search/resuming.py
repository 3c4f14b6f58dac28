"""A search by ask and tell on a run directory: what is stored is replayed, what is not is simulated and stored."""

from __future__ import annotations

import datetime as dt
import os
import platform
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from . import runs as store
from .evaluation import Evaluate


class Record:
    """What a run has evaluated so far, in memory, and its clock.

    Parameters
    ----------
    run
        The open run.
    shape
        Length of a genome and of a vector of objective values.
    evaluations
        Wanted in all; a run that has more keeps them.
    about
        What `run.json` says of the run beside its parameters.
    versions
        Of the software, by package.

    Attributes
    ----------
    known
        What was stored when the run was opened.
    total
        Evaluations wanted, or stored if that is more; fewer if a search ends before.
    count
        How many there are so far, replayed ones included.
    genomes, values
        (total, d) and (total, m), the first `count` rows.
    seconds
        CPU seconds of all simulations so far.
    """

    def __init__(
        self,
        run: store.Run,
        shape: tuple[int, int],
        evaluations: int,
        about: Mapping[str, Any],
        versions: Mapping[str, str],
    ) -> None:
        self.run = run
        self.shape = shape
        self.known = store.stored(run, *shape)
        self.total = max(evaluations, len(self.known))
        self.count = 0
        try:
            self.genomes = np.empty((self.total, shape[0]))
            self.values = np.empty((self.total, shape[1]))
        except MemoryError:
            raise InputError(f"evaluations must fit into the memory, but {self.total} do not") from None
        self.seconds = 0.0
        self.versions = dict(versions)
        # of the start; each session has its own
        self.about: dict[str, Any] = {**about, "versions": self.versions, **run.about}
        if about.get("workload", {}).get("source"):  # where it is now; a run of version 0.1 did not say
            self.about["workload"] = about["workload"]
        self._sessions: list[dict[str, Any]] = list(self.about.get("sessions", []))
        self._begin = time.perf_counter()
        self._started = _now()

    @property
    def replayed(self) -> int:
        """How many of the evaluations so far were taken from the store."""
        return min(len(self.known), self.count)

    @property
    def elapsed(self) -> float:
        """Seconds since the run was opened."""
        return time.perf_counter() - self._begin

    def take(self, batch: store.Archive) -> None:
        """Append evaluations."""
        end = self.count + len(batch)
        self.genomes[self.count : end] = batch.genomes
        self.values[self.count : end] = batch.values
        self.seconds += float(batch.seconds.sum())
        self.count = end

    def take_stored(self) -> None:
        """Append whatever is stored, be it not replayed yet or be it stored in the moment of an interruption."""
        self.take(store.stored(self.run, *self.shape).part(self.count))

    def write(self, status: str, **more: Any) -> None:
        """Write run.json."""
        session = {
            "command": sys.argv,
            "started": self._started,
            "finished": None if status == "running" else _now(),
            "wall_seconds": round(self.elapsed, 3),
            "replayed": len(self.known),
            "host_cores": os.cpu_count(),
            "system": platform.platform(),
            "versions": self.versions,
        }
        state = {
            "status": status,
            "process": f"process {os.getpid()} on {platform.node()}",
            "evaluations": {"wanted": self.total, "done": self.count},
            **more,
            "kernel_seconds": round(self.seconds, 3),
            "sessions": [*self._sessions, session],
        }
        store.write_about(self.run.directory, self.about | state)


def advance(
    search: Generator[Floats, Floats, None], record: Record, evaluate: Evaluate, costs: Callable[[Floats], Floats]
) -> Iterator[int]:
    """Run a search until it ends or the record is full, on stored values while there are any.

    Parameters
    ----------
    search
        Yields genomes, (k, d), and is sent their costs.
    record
        What there is so far.
    evaluate
        Simulates, see `evaluate.evaluator`.
    costs
        Function of the objective values of a generation, (k, m), that gives what the search is sent.

    Yields
    ------
    int
        The number of each generation, from 0, when the record has it.

    Raises
    ------
    InputError
        The search asks for something else than what is stored.
    """
    genomes = next(search)
    generation = 0
    while True:
        first = record.count
        replay = record.known.part(first, first + len(genomes))
        if replay.genomes.tobytes() != genomes[: len(replay)].tobytes():
            raise InputError(
                f"{record.run.directory}: a run is continued by repeating it, but generation {generation} "
                "differs: it was made with other versions of the software, or on another kind of processor"
            )
        record.take(replay)
        fresh = genomes[len(replay) : record.total - first]
        if len(fresh):
            last = record.count + len(fresh)
            record.genomes[record.count : last] = fresh
            batch = store.Archive(fresh, *evaluate(record.genomes[:last], record.count))
            store.append(record.run, generation, record.count, batch)
            record.take(batch)
        yield generation
        if record.count >= record.total:
            return
        try:
            genomes = search.send(costs(record.values[first : record.count]))
        except StopIteration:
            record.total = record.count  # there is no more to be had
            return
        generation += 1


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
