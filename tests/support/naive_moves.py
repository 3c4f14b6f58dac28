"""What moves and recombinations of orders must do, written so simply that a reader can check it."""

import math
from collections.abc import Sequence

Luck = Sequence[tuple[float, float]]


def jump_length(luck: float, mean: float) -> int:
    """Return a geometric random number, 1, 2, ..., with this mean, from a uniform random number `luck` in [0, 1)."""
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
    # a moved job comes behind the job that stays at its new place
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
    # a moved job comes before the job that stays at its new place
    return [order[i] for i in sorted(range(len(order)), key=lambda i: (key[i], key[i] == i, i))]


def fill(
    order: Sequence[int],
    jobs: Sequence[tuple[int, int, int]],
    start: Sequence[int],
    capacity: int,
    luck: Luck,
    mean: float,
    looks: int,
) -> list[int]:
    """Return an order in which jobs are moved to where processors idle; a job is (submit, run, width)."""
    key = list(range(len(order)))
    first = min(submit for submit, _, _ in jobs)
    moves: list[tuple[int, int, int, int]] = []  # new place, old place, end, width

    def free(place: int, t: int) -> int:
        """Return the number of idle processors at a time in the gap before a place."""
        return capacity - sum(jobs[j][2] for j in order[:place] if start[j] <= t < start[j] + jobs[j][1])

    def seconds(place: int) -> range:
        return range(start[order[place - 1]] if place else first, start[order[place]])

    def moved_width(place: int) -> int:
        """Return the number of processors that moved jobs have in that gap."""
        return sum(w for to, at, until, w in moves if to <= place <= at and (to == place or seconds(place)[0] < until))

    def idle_width(place: int) -> int:
        """Return the number of idle processors when the job at a place has started."""
        movers = sum(w for to, at, until, w in moves if to <= place < at and start[order[place]] < until)
        return free(place + 1, start[order[place]]) - movers

    total = []
    for place in range(len(order)):
        behind = min((jobs[j][0] for j in order[place + 1 :]), default=seconds(place).stop)
        total.append(float(sum(free(place, t) for t in seconds(place) if t >= behind)) + (total[-1] if total else 0.0))
    for which, far in luck if total[-1] > 0 else ():
        place = next(i for i, so_far in enumerate(total) if so_far > which * total[-1])
        end = seconds(place).stop
        last = max(i for i, job in enumerate(order) if jobs[job][0] < end)
        last = min(last, place + jump_length(far, mean))
        best, most, over = -1, 0.0, 0
        for i in range(last, max(place, last - looks), -1):
            submit, run, width = jobs[order[i]]
            fits = [t for t in seconds(place) if t >= submit and free(place, t) >= width + moved_width(place)]
            places = range(place, min(place + looks, i))
            until = next((start[order[p]] for p in places if idle_width(p) < width), None)
            if until is None and place + looks < i:
                until = start[order[place + looks]]
            if key[i] == i and fits and (until is None or fits[0] + run <= until):
                gain = run * width * (start[order[i]] - fits[0])
                if gain > most:
                    best, most, over = i, gain, fits[0] + run
        if best >= 0:
            key[best] = place
            moves.append((place, best, over, jobs[order[best]][2]))
    # a moved job comes before the job that stays at its new place
    return [order[i] for i in sorted(range(len(order)), key=lambda i: (key[i], key[i] == i, i))]


def order_crossover(parent: Sequence[int], mate: Sequence[int], begin: int, end: int) -> list[int]:
    n = len(parent)
    middle = parent[begin:end]
    others = [job for job in [*mate[end:], *mate[:end]] if job not in middle]
    return [*others[n - end :], *middle, *others[: n - end]]


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
