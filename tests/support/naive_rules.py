"""Rule bases, as in naive.py: features added up anew and the queue sorted anew at every pass."""

from __future__ import annotations

import math

from paretosched import Policy, Workload
from paretosched.policies.rule_base import LEVELS, RuleBase
from support import naive
from support.naive import Job, Started


def start_times(
    workload: Workload,
    policy: Policy,
    choices: list[int] | None = None,
    due: list[tuple[int, list[float]]] | None = None,
) -> list[int]:
    """Start times under a rule base.

    Notes in `choices` what was chosen at every pass with waiting jobs; in `due` that, and the features, where it makes
    a difference: somebody fits, but not everybody at once.
    """
    base = policy
    assert isinstance(base, RuleBase)
    chosen = [naive.heads, naive.easy, naive.replan]
    greedy = naive.greedy_order(workload, base.greedy)
    jobs = naive.jobs_of(workload)
    start: dict[int, int] = {}
    waiting: list[Job] = []
    running: list[Started] = []
    ended: list[Started] = []
    t = -1
    while len(start) < len(jobs):
        t = min([j.submit for j in jobs if j.submit > t] + [s.finish for s in running])
        ended += sorted((s for s in running if s.finish == t), key=lambda s: s.job.row)
        running = [s for s in running if s.finish > t]
        waiting += [j for j in jobs if j.submit == t]
        if not waiting:
            continue
        x = features(workload.capacity, len(base.groups), ended, running, waiting)
        strategy = choice(base, x)
        if choices is not None:
            choices.append(strategy)
        free = workload.capacity - sum(s.job.width for s in running)
        if due is not None and min(j.width for j in waiting) <= free < sum(j.width for j in waiting):
            due.append((strategy, x))
        if strategy == 12:
            queue, rule = greedy(t, waiting), naive.heads
        else:
            queue, rule = ordered(base, strategy // 3, waiting), chosen[strategy % 3]
        for job in rule(t, queue, running, workload.capacity):
            start[job.row] = t
            running.append(Started(job, t))
            waiting.remove(job)
    return [start[j.row] for j in jobs]


def ordered(base: RuleBase, sorting: int, waiting: list[Job]) -> list[Job]:
    """The queue by fewest processors, shortest estimate, longest wait, or priority of the group."""
    rank = [base.priority.index(group) for group in base.groups]
    return sorted(waiting, key=lambda j: ([j.width, j.estimate, 0, rank[j.group]][sorting], j.submit, j.row))


def features(
    capacity: int, groups: int, ended: list[Started], running: list[Started], waiting: list[Job]
) -> list[float]:
    """SD, and momentary utilisation and shares of the groups in the queue in percent.

    `ended` is in the order of ends, then rows: sums of SD are in float64 and begin with the first.
    """
    delayed = worked = 0.0
    for s in ended:
        p, m = float(s.job.run), float(s.job.width)
        delayed += p * m * float(s.finish - s.job.submit)
        worked += p * m * p
    sd = min(max(delayed / worked, 1.0), 100.0) if ended else 1.0
    used = 100.0 * float(sum(s.job.width for s in running)) / float(capacity)
    whole = float(sum(j.estimate * j.width for j in waiting))
    of_groups = [sum(j.estimate * j.width for j in waiting if j.group == g) for g in range(groups)]
    return [sd, used, *(100.0 * float(part) / whole for part in of_groups)]


def choice(base: RuleBase, x: list[float]) -> int:
    """What a rule base says, the strategy with the lowest number of equal ones."""
    if base.kind == "iterative":
        place = 0
        for value, inner in zip(x, base.bounds, strict=True):
            place = place * (len(inner) + 1) + len([bound for bound in inner if bound < value])
        return int(base.choice[place])
    # In float64 and in the order of the features and of the rules, as documented, so that ties are the same ties.
    scaled = [(x[0] - 1.0) / 99.0, *(value / 100.0 for value in x[1:])]
    logs = []
    for mean, width in zip(base.means.tolist(), base.widths.tolist(), strict=True):
        log = 0.0
        for sigma in width:
            log -= math.log(sigma * math.sqrt(2.0 * math.pi))
        for value, mu, sigma in zip(scaled, mean, width, strict=True):
            log -= ((value - mu) * (1.0 / (sigma * math.sqrt(2.0)))) ** 2
        logs.append(log)
    total = sum(math.exp(log - max(logs)) for log in logs)
    if base.threshold > 0 and max(logs) + math.log(total) < math.log(base.threshold):
        return base.otherwise
    votes = [0.0] * 13
    for log, row in zip(logs, base.recommendations.tolist(), strict=True):
        assert all(level in LEVELS for level in row)
        for s in range(13):
            votes[s] += math.exp(log - max(logs)) * row[s]
    return votes.index(max(votes))
