"""What moves and recombinations of orders must do, written so plainly that it can be checked by reading."""

from __future__ import annotations

import math
from collections.abc import Sequence

Luck = Sequence[tuple[float, float]]


def jump_length(luck: float, mean: float) -> int:
    """The geometric number, 1, 2, ..., of which a share of `luck` is smaller or equal."""
    return 1 if mean <= 1 else 1 + int(math.log1p(-luck) / math.log1p(-1 / mean))


def swap(order: Sequence[int], luck: Luck, mean: float) -> list[int]:
    jobs = list(order)
    for which, far in luck if len(jobs) > 1 else ():
        distance = min(jump_length(far, mean), len(jobs) - 1)
        i = int(which * (len(jobs) - distance))
        jobs[i], jobs[i + distance] = jobs[i + distance], jobs[i]
    return jobs


def later(order: Sequence[int], movable: Sequence[bool], luck: Luck, mean: float) -> list[int]:
    key = list(range(len(order)))
    places = [i for i, job in enumerate(order) if movable[job]]
    for which, far in luck if places else ():
        i = places[int(which * len(places))]
        key[i] = min(key[i] + jump_length(far, mean), len(order) - 1)
    # a mover comes behind the one that stays at the place where it goes
    return [order[i] for i in sorted(range(len(order)), key=lambda i: (key[i], key[i] != i, i))]


def pull(
    order: Sequence[int], submit: Sequence[int], wait: Sequence[int], cost: Sequence[float], luck: Luck, mean: float
) -> list[int]:
    key = list(range(len(order)))
    total = sum(cost[job] for job in order)
    for which, far in luck if total > 0 else ():
        i, so_far = 0, cost[order[0]]
        while so_far <= which * total:
            i += 1
            so_far += cost[order[i]]
        job = order[i]
        useful = next(p for p, other in enumerate(order) if submit[other] + wait[other] >= submit[job])
        key[i] = max(key[i] - jump_length(far, mean), useful)
    # a mover comes before the one that stays at the place where it goes
    return [order[i] for i in sorted(range(len(order)), key=lambda i: (key[i], key[i] == i, i))]


def order_crossover(parent: Sequence[int], mate: Sequence[int], begin: int, end: int) -> list[int]:
    n = len(parent)
    kept = parent[begin:end]
    others = [job for job in [*mate[end:], *mate[:end]] if job not in kept]
    return [*others[n - end :], *kept, *others[: n - end]]


def mapped_crossover(parent: Sequence[int], mate: Sequence[int], begin: int, end: int) -> list[int]:
    child = list(mate)
    child[begin:end] = parent[begin:end]
    for i in [*range(begin), *range(end, len(mate))]:
        while child[i] in parent[begin:end]:
            child[i] = mate[list(parent).index(child[i])]
    return child


def cycle_crossover(parent: Sequence[int], mate: Sequence[int]) -> list[int]:
    child = [-1] * len(parent)
    turn = 0
    for begin in range(len(parent)):
        cycle = []
        i = begin
        while child[begin] < 0 and i not in cycle:
            cycle.append(i)
            i = list(parent).index(mate[i])
        for i in cycle:
            child[i] = (parent, mate)[turn % 2][i]
        turn += len(cycle) > 1
    return child
