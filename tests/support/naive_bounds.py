"""The bounds of sets of groups second by second, in the words of their proof, with Python's whole numbers only."""

from paretosched import Workload

LEVELS = 32


def naive_least_area(workload: Workload, groups: tuple[int, ...], two_at_a_time: bool = True) -> int:
    """Return f of a set of groups, as `squashed_area` defines it."""
    w, m = workload, workload.capacity
    rows = [j for j in range(len(w)) if w.group[j] in groups]
    begin, run, width = ({j: int(column[j]) for j in rows} for column in (w.eligible, w.run, w.width))
    wide = [j for j in rows if 2 * width[j] > m]
    broad = sorted({width[j] for j in rows if m < 3 * width[j] and 2 * width[j] <= m})
    if len(broad) > LEVELS:
        broad = [broad[i * (len(broad) - 1) // (LEVELS - 1)] for i in range(LEVELS)]
    alone = sum(run[j] ** 2 * width[j] for j in rows)
    horizon = max(begin[j] for j in rows) + sum(run.values()) + 3
    left = {j: run[j] for j in wide}
    arrived, pieces = [], []  # processors at work in every second if no job waits, and the widths of the pieces
    for t in range(horizon):
        arrived.append(sum(width[j] for j in rows if begin[j] <= t < begin[j] + run[j]))
        here = [width[j] for j in rows if j not in left and begin[j] <= t < begin[j] + run[j]]
        ready = [j for j in wide if begin[j] <= t and left[j]]
        if ready:
            widest = max(ready, key=lambda j: width[j])
            left[widest] -= 1
            here.append(width[widest])
        pieces.append(here)
    results = [2 * alone]
    for levels in [[], broad] if two_at_a_time else [[]]:
        flow = [sum(here) for here in pieces]
        for below, level in zip([0, *levels], levels, strict=False):
            line = line_below([sum(width >= level for width in here) for here in pieces])
            flow = [rate - (level - below) * (b - a) for rate, a, b in zip(flow, line, line[1:], strict=False)]
        results.append(2 * alone + twice_between(arrived, flow) + twice_waiting(flow, m))
    return max(results) // 2


def line_below(inflow: list[int]) -> list[int]:
    """Return the line below a queue that two flow out of, at every second and the one after the last."""
    level, line = 0, [0] * (len(inflow) + 3)
    for t, rate in enumerate([*inflow, 0, 0]):
        after = level + rate - 2
        if after < 0 < level:
            line[t + 1] += after
        level = max(after, 0)
        line[t + 1] += level
    return line


def twice_between(first: list[int], second: list[int]) -> int:
    """Return twice the integral of the work that the first rates have done more than the second ones."""
    twice = more = 0
    for a, b in zip(first, second, strict=True):
        twice += 2 * more + a - b
        more += a - b
    assert more == 0
    return twice


def twice_waiting(inflow: list[int], capacity: int) -> int:
    """Return twice the integral of a queue, without the seconds in which it becomes empty before they end."""
    twice = level = t = 0
    while t < len(inflow) or level:
        after = level + (inflow[t] if t < len(inflow) else 0) - capacity
        if after >= 0:
            twice += level + after
        level = max(after, 0)
        t += 1
    return twice
