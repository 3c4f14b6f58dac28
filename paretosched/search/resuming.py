"""A search by ask and tell on a run directory: stored evaluations are replayed, others are simulated and stored."""

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
from .evaluation import Evaluate
from .runs import RUNNING, Archive, Run, append, describe_run, read_archive


class Record:
    """The evaluations of a run so far, in memory, and its clock.

    Parameters
    ----------
    run
        The open run.
    shape
        Length of a genome and of a vector of objective values.
    evaluations
        How many are wanted in all; a run that has more keeps them.
    about
        What `run.json` has about the run beside its parameters.
    versions
        Versions of the software, by package.

    Attributes
    ----------
    known
        The evaluations that were stored when the run was opened.
    total
        Evaluations wanted, or stored if these are more; fewer if the search ends before.
    count
        Evaluations so far, replayed ones included.
    genomes, values
        (total, d) and (total, m), the first `count` rows.
    seconds
        CPU seconds of all simulations so far.
    """

    def __init__(
        self,
        run: Run,
        shape: tuple[int, int],
        evaluations: int,
        about: Mapping[str, Any],
        versions: Mapping[str, str],
    ) -> None:
        self.run = run
        self.shape = shape
        self.stored_rows = read_archive(run, *shape)
        self.total = max(evaluations, len(self.stored_rows))
        self.count = 0
        try:
            self.genomes = np.empty((self.total, shape[0]))
            self.values = np.empty((self.total, shape[1]))
        except MemoryError:
            raise InputError(f"evaluations must fit into the memory, but {self.total} do not") from None
        self.seconds = 0.0
        self.versions = dict(versions)
        # the versions at the start of the run; each session has its own
        self.about: dict[str, Any] = {**about, "versions": self.versions, **run.about}
        if about.get("workload", {}).get("source"):  # where it is now; runs of version 0.1 have no source
            self.about["workload"] = about["workload"]
        self._sessions: list[dict[str, Any]] = list(self.about.get("sessions", []))
        self._begin = time.perf_counter()
        self._started = _now()

    @property
    def from_store(self) -> int:
        """Return how many of the evaluations so far come from the store."""
        return min(len(self.stored_rows), self.count)

    @property
    def wall_seconds(self) -> float:
        """Return the seconds since the run was opened."""
        return time.perf_counter() - self._begin

    def take(self, batch: Archive) -> None:
        """Append evaluations."""
        end = self.count + len(batch)
        self.genomes[self.count : end] = batch.genomes
        self.values[self.count : end] = batch.values
        self.seconds += float(batch.seconds.sum())
        self.count = end

    def take_stored(self) -> None:
        """Append what is stored and not here yet: not replayed, or stored just before an interruption."""
        self.take(read_archive(self.run, *self.shape).part(self.count))

    def write(self, status: str, **more: Any) -> None:
        """Write run.json."""
        session = {
            "command": sys.argv,
            "started": self._started,
            "finished": None if status == RUNNING else _now(),
            "wall_seconds": round(self.wall_seconds, 3),
            "replayed": len(self.stored_rows),
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
        is_left = self.total > len(self.stored_rows)  # otherwise the store stays as it is, to the bit
        describe_run(self.run, self.about | state, with_copy=is_left)


def advance(
    search: Generator[Floats, Floats, None], record: Record, evaluate: Evaluate, costs: Callable[[Floats], Floats]
) -> Iterator[int]:
    """Run a search until it ends or the record is full, on stored values while there are any.

    Parameters
    ----------
    search
        Yields genomes, (k, d), and is sent their costs.
    record
        The evaluations so far.
    evaluate
        Simulates genomes, see `evaluation.evaluator`.
    costs
        Function of the objective values of a generation, (k, m); it returns the costs that the search is sent.

    Yields
    ------
    int
        The number of each generation, from 0, as soon as the record has it.

    Raises
    ------
    InputError
        The search asks for other genomes than the stored ones.
    """
    genomes = next(search)
    generation = 0
    while True:
        first = record.count
        replay = record.stored_rows.part(first, first + len(genomes))
        if replay.genomes.tobytes() != genomes[: len(replay)].tobytes():
            raise InputError(
                f"{record.run.directory}: a run is continued by repeating it, but generation {generation} "
                "differs: it was made with other versions of the software, or on another kind of processor"
            )
        record.take(replay)
        rest = genomes[len(replay) : record.total - first]
        if len(rest):
            last = record.count + len(rest)
            record.genomes[record.count : last] = rest
            batch = Archive(rest, *evaluate(record.genomes[:last], record.count))
            append(record.run, generation, record.count, batch)
            record.take(batch)
        yield generation
        if record.count >= record.total:
            return
        try:
            genomes = search.send(costs(record.values[first : record.count]))
        except StopIteration:
            record.total = record.count  # the search has no more genomes
            return
        generation += 1


def _now() -> str:
    """Return the time, UTC, as text."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
