"""Rule bases, as simple as `oracle`: at every pass, features are summed again and the waiting jobs sorted again."""

import math

from paretosched import Policy, Workload
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import LEVELS
from support import naive, oracle
from support.naive import Job, Started
from support.naive_machine import Busy
from support.naive_rhythms import ALL, beyond, changes_of, ideal_pass, in_tiers
from support.naive_values import naive_of
from support.oracle import View


def start_times(
    workload: Workload,
    policy: Policy,
    choices: list[int] | None = None,
    due: list[tuple[int, list[float]]] | None = None,
    how: str | None = None,
) -> list[int]:
    """Return the start times under a rule base.

    `choices` gets the strategy of every pass with waiting jobs. `due` gets the strategy and the features of every pass
    in which the strategy can matter: some waiting jobs fit, but not all at once. `how` says how run
    times are predicted.
    """
    base = policy
    assert isinstance(base, RuleBase)
    greedy = naive.greedy_order(workload, base.greedy)
    completions: list[Started] = []

    def choose(view: View) -> list[Job]:
        completions.extend(view.ended)
        waiting, running = view.waiting, view.running
        if not waiting:
            return []
        x = features(view.capacity, len(base.groups), completions, running, waiting)
        strategy = choice(base, x)
        if choices is not None:
            choices.append(strategy)
        free = view.capacity - sum(s.job.width for s in running)
        if due is not None and min(j.width for j in waiting) <= free < sum(j.width for j in waiting):
            due.append((strategy, x))
        if strategy == 12:
            return oracle.one_pass(view, greedy(view.t, waiting), oracle.NOBODY)
        backfill = [oracle.NOBODY, oracle.ONE, oracle.ALL][strategy % 3]
        return oracle.one_pass(view, sort_waiting(base, strategy // 3, waiting), backfill)

    return oracle.simulate(workload, choose, how)[0]


def runs_on_nodes(workload: Workload, base: RuleBase) -> dict[int, Busy]:
    """Return what each job of a workload on a machine of nodes gets, by row; without limits and dependencies."""
    machine, on_nodes = naive_of(workload)
    jobs = naive.jobs_of(workload)
    greedy = naive.greedy_order(workload, base.greedy)
    runs: dict[int, Busy] = {}
    waiting: list[Job] = []
    completions: list[Started] = []
    t = -1
    while events := {
        *beyond(t, (job.arrival for job in jobs)),
        *beyond(t, (run.end for run in runs.values())),
        *(beyond(t, changes_of(machine)) if waiting else ()),
    }:
        t = min(events)
        completions += [Started(job, runs[job.row].begin) for job in jobs if job.row in runs and runs[job.row].end == t]
        waiting += [job for job in jobs if job.arrival == t]
        if not waiting:
            continue
        there = [run for run in runs.values() if run.end > t]
        running = [Started(jobs[run.job.row], run.begin) for run in there]
        strategy = choice(base, features(workload.capacity, len(base.groups), completions, running, waiting))
        queue = greedy(t, waiting) if strategy == 12 else sort_waiting(base, strategy // 3, waiting)
        reservations = [0, 1, ALL][strategy % 3]
        in_line = in_tiers(machine, [on_nodes[job.row] for job in queue])
        users = any(job.ask.same_user for job in on_nodes)
        for run in ideal_pass(machine, t, in_line, there, reservations, False, users):
            runs[run.job.row] = run
            waiting.remove(jobs[run.job.row])
    return runs


def sort_waiting(base: RuleBase, sorting: int, waiting: list[Job]) -> list[Job]:
    """Return the waiting jobs by fewest processors, shortest estimate, longest wait, or priority of the group."""
    rank = [base.priority.index(group) for group in base.groups]
    return sorted(waiting, key=lambda j: ([j.width, j.estimate, 0, rank[j.group]][sorting], j.arrival, j.row))


def features(
    capacity: int, groups: int, completions: list[Started], running: list[Started], waiting: list[Job]
) -> list[float]:
    """Return SD, and the present utilisation and the shares of the groups in the waiting work, in per cent.

    `completions` is in the order of ends, then rows: the sums of SD are in float64 and begin with the first job.
    """
    delay = work = 0.0
    for s in completions:
        p, m = float(s.job.run), float(s.job.width)
        delay += p * m * float(s.finish - s.job.arrival)
        work += p * m * p
    sd = min(max(delay / work, 1.0), 100.0) if completions else 1.0
    use = 100.0 * float(sum(s.job.width for s in running)) / float(capacity)
    whole = float(sum(j.estimate * j.width for j in waiting))
    by_group = [sum(j.estimate * j.width for j in waiting if j.group == g) for g in range(groups)]
    return [sd, use, *(100.0 * float(part) / whole for part in by_group)]


def choice(base: RuleBase, x: list[float]) -> int:
    """Return the strategy that a rule base chooses; of equally good strategies, the one with the lowest number."""
    if base.kind == "iterative":
        place = 0
        for value, inner in zip(x, base.bounds, strict=True):
            place = place * (len(inner) + 1) + len([bound for bound in inner if bound < value])
        return int(base.choice[place])
    # In float64, and in the documented order of features and rules, so that ties are ties here, too.
    units = [(x[0] - 1.0) / 99.0, *(value / 100.0 for value in x[1:])]
    logs = []
    for mean, width in zip(base.means.tolist(), base.widths.tolist(), strict=True):
        log = 0.0
        for sigma in width:
            log -= math.log(sigma * math.sqrt(2.0 * math.pi))
        for value, mu, sigma in zip(units, mean, width, strict=True):
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
