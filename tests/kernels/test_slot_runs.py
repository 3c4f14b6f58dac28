"""Slots that are sorted now and then: no job is lost, the trees are as if made again, and no start time changes."""

from typing import NamedTuple

import numpy as np
import pytest

from paretosched import Workload, greedy
from paretosched.core.arrays import Ints
from paretosched.kernels import greedy_queue, line_queue
from paretosched.kernels.greedy_queue import lift_bench, next_slot
from paretosched.kernels.inputs import Jobs
from paretosched.kernels.kinetic_queue import BENCH, EMPTY, Tournament, fill_slot, new_tournament
from paretosched.kernels.line_queue import in_order_of_lines
from paretosched.kernels.slot_runs import (
    DIGITS,
    END,
    FEW,
    LENGTH_BITS,
    PLACE_BITS,
    RUNS,
    Runs,
    digits_of,
    no_runs,
    sort_slots,
)
from paretosched.kernels.waiting_tree import ESTIMATE, FAR, WIDTH, lower
from support.line_cases import LineCase, backfill_of, key_of, printed_lines
from support.naive import naive
from support.naive_priority import Rule, start_times
from support.prioritising import backfilling_of
from support.simulating import starts

JOBS = 2000


class Queue(NamedTuple):
    """A tournament, its tree of the smallest, and runs."""

    game: Tournament
    least: Ints
    runs: Runs


def random_rows(rng: np.random.Generator, n: int) -> Jobs:
    columns = {name: np.ones(n, dtype=np.int64) for name in Jobs._fields}
    columns["estimate"] = rng.choice([1, 60, 3600, 2**40], n) + rng.integers(0, 60, n)
    columns["width"] = 2 ** rng.integers(0, 20, n) + rng.integers(0, 5, n)
    return Jobs(**columns)


def check_trees(queue: Queue, begin: int, end: int, past: int, top: int) -> None:
    """Compare the trees with all slots, of which those from `begin` to `past` have just been sorted, up to `end`."""
    game, least = queue.game, queue.least
    size = game.stale.shape[1] >> 1
    below: dict[int, list[int]] = {}  # node: its slots with jobs
    for bench in range(size // top):
        slots = [s for s in range(bench * BENCH, (bench + 1) * BENCH) if s < end and game.slots[s]["row"] >= 0]
        node = size + bench
        while node >= top:
            below.setdefault(node, []).extend(slots)
            node >>= 1
    for node, slots in below.items():
        jobs = game.slots[slots]
        assert least[node, WIDTH] == (jobs["width"].min() if slots else FAR)
        assert least[node, ESTIMATE] == (jobs["estimate"].min() if slots else FAR)
        for s in range(3):
            if any(slot >= begin for slot in slots):
                assert game.stale[s, node]
            if node >= size and end <= (node - size) * BENCH < past:
                assert game.tree[s, node]["slot"] == EMPTY
                assert not game.stale[s, node]
            if game.stale[s, node] and node > top:
                assert game.stale[s, node >> 1]  # all nodes above a stale node are


@pytest.mark.parametrize("seed", range(8))
def test_no_job_is_lost_and_the_trees_follow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    jobs = random_rows(rng, JOBS)
    game = new_tournament(JOBS)
    game.slots["row"] = EMPTY
    queue = Queue(game, np.empty((game.stale.shape[1], 2), np.int64), no_runs(game.slots.size))
    size = game.stale.shape[1] >> 1
    level, past, merged = np.int64(0), 0, 0
    inside: set[int] = set()
    for j in range(JOBS):
        slot, level = next_slot(game, queue.least, queue.runs, True, past, len(inside), level)
        fill_slot(game, slot, jobs, j, 1)
        lower(queue.least, slot // BENCH + size, size >> level, jobs.width[j], jobs.estimate[j])
        past = int(slot) + 1
        inside.add(j)
        top = int(size >> level)
        while inside and rng.random() < 0.4:
            used = np.flatnonzero(game.slots["row"][:past] >= 0)
            gone = int(rng.choice(used))
            inside.remove(int(game.slots[gone]["row"]))
            game.slots[gone]["row"] = EMPTY
            lift_bench(game, queue.least, gone // BENCH + size, top)
        if past >= queue.runs.state[END] + FEW and rng.random() < 0.1:
            game.stale[:] = False
            merged += int(queue.runs.state[RUNS])
            begin, end = (int(x) for x in sort_slots(game, queue.least, queue.runs, past, top))
            merged -= int(queue.runs.state[RUNS]) - 1
            check_trees(queue, begin, end, past, top)
            slots, runs = game.slots, queue.runs
            assert (runs.begin[runs.state[RUNS] - 1], runs.state[END]) == (begin, end)
            assert (slots["row"][end:past] < 0).all()
            past = end
            assert sorted(slots["row"][:past][slots["row"][:past] >= 0]) == sorted(inside)
            run = slots[begin:end]
            for row, width, estimate in zip(run["row"], run["width"], run["estimate"], strict=True):
                assert (width, estimate) == (jobs.width[row], jobs.estimate[row])
            sizes = [(digits_of(job["width"]), min(job["estimate"], 2**31 - 2)) for job in run]
            assert sizes == sorted(sizes)
    assert merged > 0  # some runs were sorted together


def test_the_digits_of_widths_are_in_their_order_and_few() -> None:
    widths = sorted({w for shift in range(31) for w in range(max(1, (1 << shift) - 3), (1 << shift) + 4)} - {2**31})
    digits = [int(digits_of(np.int64(width))) for width in widths if width < 2**31]
    assert digits == sorted(digits)
    assert [digits_of(np.int64(w)) for w in range(1, 1 << DIGITS)] == list(range(1, 1 << DIGITS))
    assert digits[-1] < 1 << (63 - LENGTH_BITS - PLACE_BITS)  # a key is one number of 63 bits


def deep(seed: int, n: int) -> Workload:
    """Return jobs that wait together, some of them in copies: small and long, or wide and short."""
    rng = np.random.default_rng([seed, 3])
    small = rng.random(n) < 0.5
    estimate = np.where(small, rng.integers(500, 900, n), rng.integers(5, 120, n))
    jobs = Workload(
        submit=np.sort(rng.integers(0, 2, n) * 60_000 + rng.integers(0, 600, n)),
        run=np.ceil(estimate * rng.random(n)).astype(np.int64),
        estimate=estimate,
        width=np.where(small, rng.integers(1, 9, n), rng.integers(16, 65, n)),
        capacity=64,
        group=rng.choice(3, n, p=[0.6, 0.395, 0.005]),
        groups=("1", "2", "3"),
    )
    return jobs.take(np.repeat(np.arange(n), rng.choice([1, 1, 1, 3], n))[:n])


def note_runs(monkeypatch: pytest.MonkeyPatch, module: object) -> list[Runs]:
    """Return the runs that simulations will have used; their keys are 0 before, and -1 where slots were sorted."""
    made: list[Runs] = []

    def make_runs(slots: int) -> Runs:
        made.append(no_runs(slots)._replace(keys=np.zeros(slots, np.int64)))
        return made[-1]

    monkeypatch.setattr(module, "no_runs", make_runs)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("criteria", [("f1",) * 3, ("f2",) * 3, ("f3",) * 3, ("f4",) * 3, ("f2", "f4", "f1")])
def test_greedy_equals_the_oracle_in_queues_that_are_sorted(
    criteria: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = note_runs(monkeypatch, greedy_queue)
    w = deep(len(set(criteria)), 1300)
    genes = np.random.default_rng(5).random((3, 8)) ** ([1] * 3 + [1] * 3 + [4, 4])
    policy = greedy(criteria, genes, groups=w.groups, backfill="easy")
    assert starts(w, policy) == naive(w, policy)
    assert (made[0].keys == -1).any()


def case_of(w: Workload, seed: int, reservations: int, same: bool) -> LineCase:
    """Return an order that prefers wide and short jobs, which mostly may not start, and another one for candidates."""
    backfill = backfill_of(w, np.random.default_rng(seed), reservations)._replace(slack=0)
    if reservations == 8:  # more than there are waiting jobs of this rare group
        backfill = backfill._replace(entitled=frozenset({2}))
    ones = np.ones((3, 1))
    order = 0.0 * ones * w.width, ones * np.cbrt(w.width) / w.estimate
    other = -1.0 * ones * w.estimate, 0.0 * ones * w.width
    return LineCase(
        printed_lines(w, *order),
        printed_lines(w, *(order if same else other)),
        backfilling_of(backfill, len(w.groups), same),
        Rule(key_of(*order), backfill, None if same else key_of(*other)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "reservations", "same"), [(0, 1, False), (1, 2, True), (2, 2, False), (3, 8, True)])
def test_orders_of_lines_equal_the_oracle_in_queues_that_are_sorted(
    seed: int, reservations: int, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = note_runs(monkeypatch, line_queue)
    w = deep(seed, 1100)
    case = case_of(w, seed, reservations, same)
    assert case.starts(in_order_of_lines, w) == start_times(w, case.rule)
    assert (made[0].keys == -1).any()
