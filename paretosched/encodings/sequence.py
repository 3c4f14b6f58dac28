"""The encoding of exploration by job sequence: what it varies, and how its recipes become orders of jobs.

An order is derived from its recipe, see `recipes`: one variation after the other, from a start order down to the order
that is wanted.

A child makes floor(frequency + u) elementary moves, u uniform in [0, 1). Their mean is `frequency`, as of a Poisson
number. But there is at least one, because a simulation of an unchanged order is wasted; and the spread is so small that
a child shows how good its strategy parameters are. Random numbers come from `Generator.random` of PCG64 only, a method
that does not change with numpy's versions: stored recipes must mean the same orders in years.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Sequence
from threading import Lock, local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import checked_when_made, list_argument
from ..core.arrays import Floats, Ints, Mask, read_only
from ..core.errors import InputError, one_of
from ..core.notebook import shown_by_fields
from ..kernels.moves import Space, cycle_crossover, fill, later, mapped_crossover, order_crossover, pull, space, swap
from ..kernels.order_changes import apply_change, find_change
from ..kernels.running import bits_for
from ..policies.decoded_orders import DECODINGS, outcome_of_order
from ..policies.outcome import Outcome, jobs_of
from ..simulation.measures import consumption_of
from ..workload.workload import Workload
from .genomes import Changes, Decoder, Variation
from .recipes import GENES, KEYS, ancestry, chance
from .start_orders import Order, read_start, start_order

MOVES = ("adjacent", "swap", "later", "group", "pull", "fill", "both")
LOOKING = ("pull", "fill", "both")  # at the parent's schedule
MOVABLE = ("all", "processors", "hour", "either", "both")
RECOMBINATIONS = ("none", "ox", "pmx", "cycle")
BIG, LONG = 32, 3600  # so many processors or more; more than so many seconds requested
CACHE_BYTES = 2**28  # four times the orders of 120 individuals of 136,000 jobs; as much for their waits
CHANGES_BYTES = 2**27  # what recipes have changed: of 136,000 jobs, 6 kB for 500 moves
OVERHEAD = 400  # bytes of an entry in a cache, which are more than many a change has
MOST_SENT = 2**15  # bytes of a change that is sent to others: of 3,000 moves


@shown_by_fields
@checked_when_made
class Sequences(NamedTuple):
    """The encoding by job sequence, in plain values; its methods are those of `Explored`.

    Attributes
    ----------
    decoding
        How an order becomes a schedule: "strict", no job starts before its predecessor; "earliest", each where it
        first fits.
    starts
        Start orders: "submit", {"random": key}, {"order": [rank of each group]} or {"policy": what `policy.to_json`
        gives}, see `start_order`.
    moves
        "adjacent" and "swap" swap two jobs; "later" moves a job towards the end; "group" does so, too, but each child
        spares one group; "pull" moves jobs of one group towards the front, the more probably the more processor
        seconds times seconds of waiting they have in the parent's schedule; "fill", for strict decoding, moves jobs
        to where processors idle in it, each time the fitting job that gains most; "both" pulls or fills, by chance.
    movable
        Which jobs "later" and "group" move: "all", "processors" (32 or more), "hour" (more is requested), "either"
        or "both".
    recombination
        How a child is made of its parent and its mate, before it is moved: "ox", "pmx" or "cycle".
    """

    decoding: str = "earliest"
    starts: tuple[Any, ...] = ("submit",)
    moves: str = "pull"
    movable: str = "all"
    recombination: str = "none"

    def __post_init__(self) -> None:
        self.check_words()

    @property
    def name(self) -> str:
        """Return the name of the encoding in options and files."""
        return "sequence"

    @property
    def variation(self) -> Variation:
        """Return how a run comes to its genomes: by elementary moves, so many and so far on average."""
        return Variation(strategy=("frequency", "jump"), words=("moves", "movable", "recombination"))

    def check_words(self) -> None:
        """Refuse words that are not known or do not go together; raises InputError.

        `check_sequences` looks at the workload.
        """
        words = {"decoding": DECODINGS, "moves": MOVES, "movable": MOVABLE, "recombination": RECOMBINATIONS}
        for key, choices in words.items():
            word = getattr(self, key)
            one_of(key, word, choices)
        if not list_argument("starts", self.starts):
            raise InputError("starts must have one start order or more, but has none")
        if self.movable != "all" and self.moves not in ("later", "group"):
            raise InputError(
                f'movable "{self.movable}" is for the moves later and group, but the moves are "{self.moves}"'
            )
        if self.moves in ("fill", "both") and self.decoding == "earliest":
            raise InputError(
                f'moves "{self.moves}" must be given with the decoding "strict": earliest fit leaves no gap that a job '
                "behind it fits into"
            )

    def gene_labels(self, _groups: int) -> list[str]:
        """Return the names of all genes, in their order."""
        return list(GENES)

    def lower_upper(self, _groups: int) -> tuple[Floats, Floats]:
        """Return no bounds, two (6,) float64: the function that `decoder` returns refuses wrong recipes."""
        return np.full(len(GENES), -math.inf), np.full(len(GENES), math.inf)

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns recipes into outcomes; raises InputError as `check_sequences` does."""
        return deriving(workload, self)

    def examples(self, _groups: Sequence[str]) -> tuple[Sequences, Floats]:
        """Return the encoding with one start, and (3, 6): a start order, a child and, recombined, a child of both."""
        mate = -1.0 if self.recombination == "none" else 1.0
        start, child = [0.0, -1.0, -1.0, 0.0, 1.0, 1.0], [1.0, 0.0, -1.0, 1.0, 1.0, 1.0]
        return self._replace(starts=("submit",), movable="all"), np.array(
            [start, child, [2.0, 0.0, mate, 1.0, 1.0, 1.0]]
        )

    def ancestry(self, archive: Floats, genomes: Floats) -> Floats:
        """Return all recipes that some recipes descend from, (j, 6), sorted by number."""
        return ancestry(archive, genomes)

    def policy_of(self, _genome: Floats, _groups: Sequence[str]) -> None:
        """Return None: a sequence knows the future."""
        return

    def order_policy_of(self, _genome: Floats, _groups: Sequence[str]) -> None:
        """Return None: a sequence is an order of its own."""
        return

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, 6), stand for an online policy, (k,) bool: none."""
        return np.zeros(len(genomes), dtype=np.bool_)


def check_sequences(spec: Sequences, workload: Workload) -> Sequences:
    """Return `spec` if it is an encoding for the workload.

    Raises
    ------
    InputError
        A word is unknown, there is no start order, a start order breaks a rule, or the moves could move no job.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[9, 5], estimate=[9, 5], width=[4, 2], capacity=4)
    >>> check_sequences(Sequences(moves="later", movable="both"), w)
    Traceback (most recent call last):
    paretosched.core.errors.InputError: moves "later" with movable "both" need such jobs, but workload has none
    """
    spec.check_words()
    for start in spec.starts:
        read_start(workload, start)
    if not movable_jobs(workload, spec.movable).any():
        raise InputError(
            f'moves "{spec.moves}" with movable "{spec.movable}" need such jobs, but {workload.name} has none'
        )
    if spec.moves == "group" and not spared_groups(workload, spec.movable):
        raise InputError(f'moves "group" need movable jobs beside those of a group, but {workload.name} has none')
    return spec


def movable_jobs(workload: Workload, movable: str) -> Mask:
    """Return which jobs "later" and "group" may move, (n,) bool."""
    big = workload.width >= BIG
    long = workload.estimate > LONG
    any_job = np.ones(len(workload), dtype=np.bool_)
    return {"all": any_job, "processors": big, "hour": long, "either": big | long, "both": big & long}[movable]


def spared_groups(workload: Workload, movable: str) -> list[int]:
    """Return the numbers of the groups that a child may spare: they have jobs, and other groups have movable jobs."""
    movable_rows = movable_jobs(workload, movable)
    return [g for g in np.unique(workload.group).tolist() if (movable_rows & (workload.group != g)).any()]


def deriving(workload: Workload, spec: Sequences, cache_bytes: int = CACHE_BYTES) -> Derive:
    """Return the decoder that derives the orders of a run from their recipes.

    Parameters
    ----------
    workload
        The jobs.
    spec
        The encoding.
    cache_bytes
        Memory for recent orders; and as much for waits, if moves need them. One order is always kept.

    Raises
    ------
    InputError
        `check_sequences` refuses the encoding.

    Examples
    --------
    Two jobs, and a child that swaps them once.

    >>> w = Workload(submit=[0, 0], run=[9, 5], estimate=[9, 5], width=[4, 2], capacity=4)
    >>> derive = deriving(w, Sequences())
    >>> archive = np.array([[0, -1, -1, 0, 1, 1], [1, 0, -1, 4711, 1, 1.0]])
    >>> derive.order(archive[0], archive[:0]).tolist(), derive.order(archive[1], archive[:1]).tolist()
    ([0, 1], [1, 0])
    >>> derive(archive[1], archive[:1]).start.tolist()
    [5, 0]
    """
    return Derive(workload, spec, cache_bytes)


class Derive:
    """Derives orders from recipes, and decodes them; what `deriving` returns.

    Threads may share it. An order depends on its recipe and ancestors only, never on what was derived before. For this
    all recipes must belong to one run: the cache finds an order by its whole recipe, the number included.
    """

    def __init__(self, workload: Workload, spec: Sequences, cache_bytes: int) -> None:
        self._arrivals = workload.in_arrival_order
        workload = self._arrivals.jobs  # all orders in here are of its rows
        self._workload = workload
        self._spec = check_sequences(spec, workload)
        self._orders = _Recent(cache_bytes)
        self._waits = _Recent(cache_bytes)
        self._changes = _Recent(min(cache_bytes, CHANGES_BYTES), OVERHEAD)
        self._of_thread = local()
        self._movable = movable_jobs(workload, spec.movable)
        self._spared = spared_groups(workload, spec.movable)
        self._consumption = consumption_of(workload)
        self._looks = spec.moves in LOOKING
        # other moves are made again in less time than what they have changed is found and applied
        self._keeps_changes = self._looks or spec.recombination != "none"

    def __call__(self, recipe: Floats, ancestors: Floats) -> Outcome:
        """Return when jobs start in the schedule that the derived order decodes to.

        Where moves look at the parent's schedule, its waits are kept, too, so that recent schedules are decoded once.
        """
        order = self._order(recipe, ancestors)
        if not self._looks:
            return Outcome(self._arrivals.by_row(self._decode(order)))
        return Outcome(self._arrivals.by_row(self._wait(recipe.tobytes(), order) + self._workload.eligible))

    def order(self, recipe: Floats, ancestors: Floats) -> Order:
        """Return the order that a recipe stands for, (n,) int32, read-only.

        Parameters
        ----------
        recipe
            (6,), see `GENES`.
        ancestors
            (k, 6) recipes sorted by number, with all ancestors of this one.

        Raises
        ------
        InputError
            A recipe breaks a rule, or an ancestor is missing.
        """
        order = self._order(recipe, ancestors)
        rows = self._arrivals.rows
        return order if rows is None else read_only(rows[order].astype(np.int32))

    def changes(self, genomes: Floats) -> Changes:
        """Return what recipes, (k, 6), change of their parents' orders, packed, as far as it is known and small."""
        known = {int(row[0]): self._changes.get(row.tobytes()) for row in genomes if row[1] >= 0}
        return {
            number: change.tobytes()
            for number, change in known.items()
            if change is not None and change.nbytes <= MOST_SENT
        }

    def take_over(self, genomes: Floats, changes: Changes) -> None:
        """Keep what another one has returned as `changes` of some of these recipes, (k, 6), of the same run."""
        for row in genomes:
            change = changes.get(int(row[0]))
            if change is not None:
                self._changes.put(row.tobytes(), np.frombuffer(change, np.uint8))

    def _order(self, recipe: Floats, ancestors: Floats) -> Order:
        """Return the order that a recipe stands for, as `order` does, of the jobs as they arrive."""
        order = self._orders.get(recipe.tobytes())
        return self._derive(recipe, ancestors) if order is None else order

    def _derive(self, recipe: Floats, ancestors: Floats) -> Order:
        """Return an order: go up to the nearest ancestors in the cache, then derive downwards.

        What a recipe has changed is small and kept for many of them, so that an old ancestor need not be varied again
        where that is dear: it may need the parent's schedule, or a start order the simulation of a policy.
        """
        orders: dict[bytes, Order] = {}
        # recipes without an order yet, their parents, and what they change of the first one if that is known
        missing: dict[bytes, tuple[Floats, list[bytes], NDArray[np.uint8] | None]] = {}
        stack = [recipe]
        while stack:
            row = stack.pop()
            if row.tobytes() in missing:
                continue
            parents = [_ancestor(row, number, ancestors) for number in self._parents(row)]
            change = self._changes.get(row.tobytes())
            if change is not None:
                parents = parents[:1]
            missing[row.tobytes()] = row, [parent.tobytes() for parent in parents], change
            for parent in parents:
                order = orders.get(parent.tobytes(), self._orders.get(parent.tobytes()))
                if order is None:
                    stack.append(parent)
                else:
                    orders[parent.tobytes()] = order
        uses = Counter(name for _, names, _ in missing.values() for name in names)
        # Older ancestors will hardly have more children, and would drive out orders that will.
        to_cache = {recipe.tobytes(), *missing[recipe.tobytes()][1]}
        for name, (row, names, change) in sorted(missing.items(), key=lambda item: item[1][0][0]):
            known = [(key if key in to_cache else None, orders[key]) for key in names]
            first = known[0][1] if known else read_only(np.arange(len(self._workload), dtype=np.int32))
            if change is not None:
                orders[name] = _with_change(first, change)
            else:
                orders[name] = self._from_parents(row, known)
                if self._keeps_changes or not names:
                    self._changes.put(name, _change(first, orders[name], self._space()))
            if name in to_cache:
                self._orders.put(name, orders[name])
            for key in names:  # else all orders of a chain of 600 would be held in memory
                uses[key] -= 1
                if not uses[key]:
                    del orders[key]
        return orders[recipe.tobytes()]

    def _parents(self, row: Floats) -> list[int]:
        """Check a recipe and return the numbers of its parents."""
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

    def _from_parents(self, row: Floats, parents: list[tuple[bytes | None, Order]]) -> Order:
        """Return an order made from those of its parents, each with its name in the cache, None if it is not cached."""
        if not parents:
            return start_order(self._workload, self._spec.starts[int(row[3])])
        rng = chance(int(row[3]))
        name, order = parents[0]
        if len(parents) == 2:
            name, order = None, _recombine(self._spec.recombination, order, parents[1][1], rng, self._space())
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
                group = self._spared[int(rng.random() * len(self._spared))]
                movable = movable & (self._workload.group != group)
            later(order, movable, rng.random((count, 2)), mean, result, self._space())
        return read_only(result)

    def _pull(
        self, name: bytes | None, order: Order, rng: np.random.Generator, count: int, mean: float, result: Order
    ) -> None:
        """Move jobs of one of the groups that wait towards the front; writes `result`, (n,)."""
        w = self._workload
        wait = self._wait(name, order)
        scratch = self._space()
        cost = np.multiply(self._consumption, wait, out=scratch.cost)
        groups = np.flatnonzero(np.bincount(w.group, cost))  # those that wait
        if groups.size:
            cost[w.group != groups[int(rng.random() * groups.size)]] = 0.0
        pull(order, w.eligible, wait, rng.random((count, 2)), mean, result, scratch)

    def _fill(
        self, name: bytes | None, order: Order, rng: np.random.Generator, count: int, mean: float, result: Order
    ) -> None:
        """Move jobs to where processors idle; writes `result`, (n,)."""
        w = self._workload
        wait = self._wait(name, order)
        scratch = self._space()
        bits = bits_for(w.capacity)
        start = np.add(w.eligible, wait, out=scratch.start)
        ends = np.add(start, w.run, out=scratch.ends)
        ends <<= bits
        ends |= w.width
        ends.sort(kind="stable")  # takes half the time, because they are nearly sorted
        fill(jobs_of(w), order, bits, w.capacity, rng.random((count, 2)), mean, result, scratch)

    def _wait(self, name: bytes | None, order: Order) -> NDArray[Any]:
        """Return the waits, (n,) s, under an order; its name in the cache is None if it is not cached."""
        wait = None if name is None else self._waits.get(name)
        if wait is None:
            wait = self._decode(order) - self._workload.eligible
            if wait.max() < 2**31:  # half the memory, unless a job waits for 68 years
                wait = wait.astype(np.int32)
            if name is not None:
                self._waits.put(name, wait)
        return wait

    def _decode(self, order: Order) -> Ints:
        """Return the start times, (n,) s, that an order decodes to."""
        return outcome_of_order(self._workload, order, self._spec.decoding).start

    def _space(self) -> Space:
        """Return the scratch arrays of this thread."""
        if not hasattr(self._of_thread, "space"):
            self._of_thread.space = space(len(self._workload))
        scratch: Space = self._of_thread.space
        return scratch


class _Recent:
    """A cache of the arrays used last, up to a number of bytes, with an overhead of each; threads may share it."""

    def __init__(self, most_bytes: int, overhead: int = 0) -> None:
        self._most = most_bytes
        self._overhead = overhead
        self._bytes = 0
        self._arrays: OrderedDict[bytes, NDArray[Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: bytes) -> NDArray[Any] | None:
        """Return an array, None if it is not in the cache."""
        with self._lock:
            array = self._arrays.get(key)
            if array is not None:
                self._arrays.move_to_end(key)
            return array

    def put(self, key: bytes, array: NDArray[Any]) -> None:
        """Add an array, and drop the oldest ones if there are too many bytes."""
        with self._lock:
            if key in self._arrays:
                return
            self._arrays[key] = array
            self._bytes += array.nbytes + self._overhead
            while self._bytes > self._most and len(self._arrays) > 1:
                self._bytes -= self._arrays.popitem(last=False)[1].nbytes + self._overhead


def _change(parent: Order, order: Order, scratch: Space) -> NDArray[np.uint8]:
    """Return what turns one order into another one, (n,) each, packed: the gaps and leaps of `find_change`."""
    count = find_change(parent, order, scratch.places, scratch.key, scratch.following)
    found = np.concatenate([scratch.key[:count], scratch.following[:count]])
    return np.frombuffer(zlib.compress(found.tobytes(), 1), np.uint8)


def _with_change(parent: Order, change: NDArray[np.uint8]) -> Order:
    """Return the order of a parent with a change, as `_change` returns it, read-only.

    Raises
    ------
    InputError
        It is a change of another order.

    Examples
    --------
    >>> parent, order = (np.array(x, dtype=np.int32) for x in ([2, 0, 3, 1], [2, 3, 1, 0]))
    >>> _with_change(parent, _change(parent, order, space(4))).tolist()
    [2, 3, 1, 0]
    """
    gaps, leaps = np.split(np.frombuffer(zlib.decompress(change.tobytes()), dtype=parent.dtype), 2)
    order = np.empty_like(parent)
    if not apply_change(parent, gaps, leaps, order):
        raise InputError("a change of an order must fit its parent, but does not")
    return read_only(order)


def _ancestor(row: Floats, number: int, ancestors: Floats) -> Floats:
    """Return the recipe of a parent of a recipe, (6,), by its number; raises InputError if it is missing."""
    place = bisect_left(ancestors[:, 0], number)
    if number >= row[0] or place == len(ancestors) or ancestors[place, 0] != number:
        raise InputError(f"recipe {row[0]:g}: its parent {number} must be among its ancestors, but is not")
    parent: Floats = ancestors[place]
    return parent


def _recombine(recombination: str, parent: Order, mate: Order, rng: np.random.Generator, scratch: Space) -> Order:
    """Return an order made of those of two parents."""
    result = np.empty_like(parent)
    if recombination == "cycle":
        cycle_crossover(parent, mate, result, scratch)
    else:
        begin, end = np.sort((rng.random(2) * (parent.size + 1)).astype(np.int64)).tolist()
        crossover = order_crossover if recombination == "ox" else mapped_crossover
        crossover(parent, mate, begin, end, result, scratch)
    return read_only(result)
