"""From recipes to orders of jobs: one variation after the other, from a start order down to the one that is wanted.

A child makes floor(frequency + u) elementary moves, u uniform in [0, 1): on the average `frequency`, as a Poisson
number would be, but never none, because a simulation of an unchanged order is wasted, and with so little spread that
a child tells how good its strategy parameters are. Chance is drawn as `Generator.random` of PCG64 alone, the one
method that does not change with numpy's versions: stored recipes must mean the same orders in years.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, OrderedDict
from threading import Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError
from ..kernels.inputs import Jobs
from ..kernels.moves import Space, cycle_crossover, fill, later, mapped_crossover, order_crossover, pull, space, swap
from ..kernels.running import bits_for
from ..simulation.decoding import decoded_start_times
from ..workload.workload import Workload
from .sequence import GENES, KEYS, Order, Sequences, chance, checked, frozen, movable_jobs, spared_groups, start_order

CACHE_BYTES = 2**28  # four times the orders of 120 individuals of 136,000 jobs, or twice with their waits


def deriving(workload: Workload, spec: Sequences, cache_bytes: int = CACHE_BYTES) -> Derive:
    """Make ready to derive the orders of a run.

    Parameters
    ----------
    workload
        The jobs.
    spec
        The encoding.
    cache_bytes
        Memory for recent orders (and waits, if moves need them). One order is always kept.

    Raises
    ------
    InputError
        `checked` refuses the encoding.

    Examples
    --------
    Two jobs, and a child that swaps them once.

    >>> w = Workload(submit=[0, 0], run=[9, 5], estimate=[9, 5], width=[4, 2], capacity=4)
    >>> derive = deriving(w, Sequences())
    >>> archive = np.array([[0, -1, -1, 0, 1, 1], [1, 0, -1, 4711, 1, 1.0]])
    >>> derive(archive[0], archive[:0]).tolist(), derive(archive[1], archive[:1]).tolist()
    ([0, 1], [1, 0])
    """
    return Derive(workload, spec, cache_bytes)


class Derive:
    """Derives orders from recipes; what `deriving` makes.

    Threads may share it. What it gives depends on the recipe and its ancestors only and never on what was derived
    before, provided that all recipes belong to one run: the cache knows an order by its recipe, number and all.
    """

    def __init__(self, workload: Workload, spec: Sequences, cache_bytes: int) -> None:
        self._workload = workload
        self._spec = checked(spec, workload)
        self._recent = _Recent(cache_bytes)
        self._of_thread = local()
        self._movable = movable_jobs(workload, spec.movable)
        self._spared = spared_groups(workload, spec.movable)
        self._consumption = (workload.run * workload.width).astype(np.float64)

    def __call__(self, recipe: Floats, ancestors: Floats) -> Order:
        """Derive an order, (n,) int32, read-only.

        Parameters
        ----------
        recipe
            (6,), see `GENES`.
        ancestors
            (k, 6) recipes sorted by number, all that this one descends from among them.

        Raises
        ------
        InputError
            A recipe breaks a rule, or an ancestor is missing.
        """
        order = self._recent.get(("order", recipe.tobytes()))
        return self._derive(recipe, ancestors) if order is None else order

    def start_times(self, recipe: Floats, ancestors: Floats) -> NDArray[np.int64]:
        """Give the start times, (n,) s, of the schedule that the derived order decodes to.

        For moves that look at the parent's schedule they are kept as well, so that nothing is decoded twice.
        """
        order = self(recipe, ancestors)
        if self._spec.moves not in ("pull", "fill", "both"):
            return self._decoded(order)
        return self._wait(recipe.tobytes(), order) + self._workload.submit

    def _derive(self, recipe: Floats, ancestors: Floats) -> Order:
        """Go up to the nearest ancestors that are in the cache, then derive downwards."""
        known: dict[bytes, Order] = {}
        missing: dict[bytes, tuple[Floats, list[bytes]]] = {}
        ahead = [recipe]
        while ahead:
            row = ahead.pop()
            if row.tobytes() in missing:
                continue
            parents = [_ancestor(row, number, ancestors) for number in self._parents(row)]
            missing[row.tobytes()] = row, [parent.tobytes() for parent in parents]
            for parent in parents:
                order = known.get(parent.tobytes(), self._recent.get(("order", parent.tobytes())))
                if order is None:
                    ahead.append(parent)
                else:
                    known[parent.tobytes()] = order
        uses = Counter(name for _, names in missing.values() for name in names)
        # What else an old recipe descends from has hardly a child to come, and would drive out those who have.
        kept = {recipe.tobytes(), *missing[recipe.tobytes()][1]}
        for name, (row, names) in sorted(missing.items(), key=lambda item: item[1][0][0]):
            known[name] = self._derived(row, [(used if used in kept else None, known[used]) for used in names])
            if name in kept:
                self._recent.put(("order", name), known[name])
            for used in names:  # or all orders of a chain of 600 would be held in memory
                uses[used] -= 1
                if not uses[used]:
                    del known[used]
        return known[recipe.tobytes()]

    def _parents(self, row: Floats) -> list[int]:
        """Check a recipe and give the numbers of its parents."""
        if row.shape != (len(GENES),) or not (np.isfinite(row).all() and (row[:4] == np.floor(row[:4])).all()):
            raise InputError(f"a recipe must be {len(GENES)} numbers, the first 4 whole, but is {row.tolist()}")
        number, parent, mate, key, frequency, jump = row.tolist()
        n = len(self._workload)
        if parent < 0:
            if not 0 <= key < len(self._spec.starts):
                raise InputError(f"recipe {number:g}: there are {len(self._spec.starts)} starts, but it has {key:g}")
            return []
        if not 0 <= key < KEYS:
            raise InputError(f"recipe {number:g}: the key must be in 0..2^53 - 1, but is {key:g}")
        if not (1 <= frequency <= n and 1 <= jump <= n):
            raise InputError(f"recipe {number:g}: frequency and jump must be in 1..{n}, but are {frequency}, {jump}")
        if mate >= 0 and self._spec.recombination == "none":
            raise InputError(f'recipe {number:g}: it has a mate, {mate:g}, but recombination is "none"')
        return [int(parent)] if mate < 0 else [int(parent), int(mate)]

    def _derived(self, row: Floats, parents: list[tuple[bytes | None, Order]]) -> Order:
        """Make an order from those of its parents, given with their names in the cache, None if they have no place."""
        if not parents:
            return start_order(self._workload, self._spec.starts[int(row[3])])
        rng = chance(int(row[3]))
        name, order = parents[0]
        if len(parents) == 2:
            name, order = None, _recombined(self._spec.recombination, order, parents[1][1], rng, self._space())
        count = int(row[4] + rng.random())
        mean = float(row[5])
        result = np.empty_like(order)
        if self._spec.moves in ("adjacent", "swap"):
            result[:] = order
            swap(result, rng.random((count, 2)), mean if self._spec.moves == "swap" else 1.0)
        elif self._spec.moves == "pull" or (self._spec.moves == "both" and rng.random() < 0.5):
            self._pull(name, order, rng, count, mean, result)
        elif self._spec.moves in ("fill", "both"):
            self._fill(name, order, rng, count, mean, result)
        else:
            movable = self._movable
            if self._spec.moves == "group":
                spared = self._spared[int(rng.random() * len(self._spared))]
                movable = movable & (self._workload.group != spared)
            later(order, movable, rng.random((count, 2)), mean, result, self._space())
        return frozen(result)

    def _pull(
        self, name: bytes | None, order: Order, rng: np.random.Generator, count: int, mean: float, result: Order
    ) -> None:
        """Move jobs of one group, of those that wait at all, towards the front."""
        w = self._workload
        wait = self._wait(name, order)
        free = self._space()
        cost = np.multiply(self._consumption, wait, out=free.cost)
        waiting = np.flatnonzero(np.bincount(w.group, cost))
        if waiting.size:
            cost[w.group != waiting[int(rng.random() * waiting.size)]] = 0.0
        pull(order, w.submit, wait, rng.random((count, 2)), mean, result, free)

    def _fill(
        self, name: bytes | None, order: Order, rng: np.random.Generator, count: int, mean: float, result: Order
    ) -> None:
        """Move jobs to where processors idle."""
        w = self._workload
        wait = self._wait(name, order)
        free = self._space()
        bits = bits_for(w.capacity)
        start = np.add(w.submit, wait, out=free.start)
        ends = np.add(start, w.run, out=free.ends)
        ends <<= bits
        ends |= w.width
        ends.sort(kind="stable")  # half the time: they come nearly sorted
        jobs = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
        fill(jobs, order, bits, w.capacity, rng.random((count, 2)), mean, result, free)

    def _wait(self, name: bytes | None, order: Order) -> NDArray[Any]:
        """Give the waits, (n,) s, under an order; its name in the cache is None if it has no place there."""
        wait = None if name is None else self._recent.get(("wait", name))
        if wait is None:
            wait = self._decoded(order) - self._workload.submit
            if wait.max() < 2**31:  # half the memory, unless somebody waits for 68 years
                wait = wait.astype(np.int32)
            if name is not None:
                self._recent.put(("wait", name), wait)
        return wait

    def _decoded(self, order: Order) -> NDArray[np.int64]:
        return decoded_start_times(self._workload, order, self._spec.decoding)

    def _space(self) -> Space:
        if not hasattr(self._of_thread, "space"):
            self._of_thread.space = space(len(self._workload))
        found: Space = self._of_thread.space
        return found


class _Recent:
    """The arrays used last, up to a number of bytes; threads may share it."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._arrays: OrderedDict[tuple[str, bytes], NDArray[Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, bytes]) -> NDArray[Any] | None:
        with self._lock:
            found = self._arrays.get(key)
            if found is not None:
                self._arrays.move_to_end(key)
            return found

    def put(self, key: tuple[str, bytes], array: NDArray[Any]) -> None:
        with self._lock:
            if key in self._arrays:
                return
            self._arrays[key] = array
            self._bytes += array.nbytes
            while self._bytes > self._most and len(self._arrays) > 1:
                self._bytes -= self._arrays.popitem(last=False)[1].nbytes


def _ancestor(row: Floats, number: int, ancestors: Floats) -> Floats:
    place = bisect_left(ancestors[:, 0], number)
    if number >= row[0] or place == len(ancestors) or ancestors[place, 0] != number:
        raise InputError(f"recipe {row[0]:g}: its parent {number} must be among its ancestors, but is not")
    found: Floats = ancestors[place]
    return found


def _recombined(how: str, parent: Order, mate: Order, rng: np.random.Generator, free: Space) -> Order:
    result = np.empty_like(parent)
    if how == "cycle":
        cycle_crossover(parent, mate, result, free)
    else:
        begin, end = np.sort((rng.random(2) * (parent.size + 1)).astype(np.int64)).tolist()
        crossover = order_crossover if how == "ox" else mapped_crossover
        crossover(parent, mate, begin, end, result, free)
    return frozen(result)
