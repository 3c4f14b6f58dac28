"""A search by ask and tell on a run directory: stored evaluations are replayed, others are simulated and stored."""

from __future__ import annotations

import datetime as dt
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from .evaluation import Simulations
from .runs import RUNNING, Archive, Run, append, describe_run, read_archive

AHEAD = 10_000  # genomes that are asked for before results are known, if these decide nothing


@dataclass(frozen=True)
class Effort:
    """What a search took, as a `Record` has it, where nothing had to be searched."""

    count: int
    seconds: float
    wall_seconds: float
    about: Mapping[str, Any]


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
    search: Generator[Floats, Floats, None],
    record: Record,
    there: Simulations,
    costs: Callable[[Floats], Floats],
    lag: float | None = None,
) -> Iterator[int]:
    """Run a search until it ends or the record is full, on stored values while there are any.

    Without generations, results are stored in the order of their numbers; the few that came before an older one are
    simulated again after a kill.

    Parameters
    ----------
    search
        Yields genomes, (k, d), and is sent costs.
    record
        The evaluations so far.
    there
        Simulates genomes.
    costs
        Function of the objective values of some evaluations, (k, m); it returns the costs that the search is sent.
    lag
        None: the search yields generations, and is sent the costs of a whole one. L: it yields L genomes first, and
        then one for each evaluation that it is sent the costs of; these are sent in their order, several at once if
        they are known. So the first L are numbered generation 0, the next L generation 1. Infinite: it yields
        generations, and what it is sent does not matter; it is sent nothing, (0, 0).

    Yields
    ------
    int
        The number of the newest generation, from 0, when all of a generation is in the record, or with a lag whenever
        something is.

    Raises
    ------
    InputError
        The search asks for other genomes than the stored ones.
    """
    asking = _Asking(search, record, costs, lag)
    asking.ask()
    while True:
        first = max(asking.submitted, len(record.stored_rows))
        if asking.asked > first:
            count = asking.asked - first
            ahead = min(AHEAD if lag is None else lag, AHEAD, record.total - record.count)
            sizes = there.generation_sizes(count) if lag is None else there.stream_sizes(count, ahead)
            there.submit(record.genomes[: asking.asked], first, sizes)
            asking.submitted = first + sum(sizes)
        else:
            asking.submitted = asking.asked
        if there.running:
            asking.keep(there.results())
        if lag is not None or record.count == asking.asked:
            yield int(asking.generations[max(record.count, 1) - 1])
        if record.count >= record.total:
            return
        asking.ask()


class _Asking:
    """A search at work: which of its genomes were asked for, submitted and told.

    Attributes
    ----------
    asked, submitted, told
        How many genomes the search has yielded, as far as they are wanted; how many of them are simulated or stored;
        and of how many of them it was sent the costs.
    generations
        (total,) int64, of the genomes that were asked for.
    """

    def __init__(
        self,
        search: Generator[Floats, Floats, None],
        record: Record,
        costs: Callable[[Floats], Floats],
        lag: float | None,
    ) -> None:
        self.search, self.record, self.costs, self.lag = search, record, costs, lag
        self.asked = self.submitted = self.told = 0
        self.generations = np.zeros(record.total, dtype=np.int64)
        self._early: dict[int, tuple[Floats, Floats]] = {}  # results behind one that is not known yet
        self._has_ended = False

    def ask(self) -> None:
        """Ask the search for genomes until it must wait, there are enough, some are stored already, or it ends."""
        record = self.record
        while self.asked < record.total and not self._has_ended and self._may_ask():
            try:
                genomes = self._next_genomes()
            except StopIteration:
                self._has_ended = True
                record.total = self.asked  # the search has no more genomes
                return
            first = self.asked
            genomes = genomes[: record.total - first]
            self.asked = first + len(genomes)
            if self.lag is None or math.isinf(self.lag):
                generation = self.generations[first - 1] + 1 if first else 0
                self.generations[first : self.asked] = generation
            else:
                self.generations[first : self.asked] = np.arange(first, self.asked) // self.lag
            replay = record.stored_rows.part(first, self.asked)
            if replay.genomes.tobytes() != genomes[: len(replay)].tobytes():
                raise InputError(
                    f"{record.run.directory}: a run is continued by repeating it, but generation "
                    f"{self.generations[first]} differs: it was made with other versions of the software, or on "
                    "another kind of processor"
                )
            record.genomes[first : self.asked] = genomes
            record.take(replay)
            if len(replay):
                return  # so that a caller hears of every generation, and may end

    def _may_ask(self) -> bool:
        """Return whether the search can be asked for genomes now."""
        known = self.record.count
        if self.asked == 0:
            return True
        if self.lag is None:
            return known == self.asked
        return known > self.told if math.isfinite(self.lag) else self.asked - known < AHEAD

    def _next_genomes(self) -> Floats:
        """Return the genomes that the search yields next."""
        if self.asked == 0:
            return next(self.search)
        if self.lag is not None and math.isinf(self.lag):
            return self.search.send(np.empty((0, 0)))
        first, self.told = self.told, self.record.count
        return self.search.send(self.costs(self.record.values[first : self.told]))

    def keep(self, results: Sequence[tuple[int, Floats, Floats]]) -> None:
        """Keep results, each of genomes from a number on; store those before which nothing is missing.

        All in one transaction: a large cluster ends hundreds of tasks at a time, and each transaction takes .1 ms.
        """
        record = self.record
        self._early |= {number: (values, seconds) for number, values, seconds in results}
        first = end = record.count
        parts = []
        while end in self._early:
            parts.append(self._early.pop(end))
            end += len(parts[-1][1])
        if parts:
            values, seconds = (np.concatenate(column) for column in zip(*parts, strict=True))
            batch = Archive(record.genomes[first:end], values, seconds)
            append(record.run, self.generations[first:end].tolist(), first, batch)
            record.take(batch)


def _now() -> str:
    """Return the time, UTC, as text."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
