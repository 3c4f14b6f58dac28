"""Schedules on machines of nodes, from what the oracle gives jobs."""

from collections.abc import Mapping

import numpy as np
import pytest

from paretosched import Schedule, Workload
from paretosched.policies.outcome import Outcome, Placement
from paretosched.policies.plain import Plain
from support.naive_machine import Amount, Busy
from support.naive_rhythms import ideal
from support.naive_values import naive_of

Held = Mapping[str, Amount]
Runs = list[tuple[int, dict[str, tuple[int, int, dict[str, int]]]]]


def schedule_from(workload: Workload, runs: Mapping[int, Busy]) -> Schedule:
    """Return the schedule of all jobs of a workload from what each holds, by row."""
    jobs = [runs[row] for row in range(len(workload))]
    return schedule_of(workload, [run.begin for run in jobs], [(run.partition, run.held) for run in jobs])


def schedule_of(workload: Workload, start: list[int], held: list[tuple[str, Held]]) -> Schedule:
    """Return a schedule from when each job starts, in which partition, and what it holds of which nodes."""
    machine = workload.machine
    assert machine is not None
    number = {part.name: k for k, part in enumerate(machine.partitions)}
    pieces = [sorted((machine.place_of[name], amount) for name, amount in holds.items()) for _, holds in held]
    rows = [row for piece in pieces for row in piece]
    gpus = [[amount.gpus.get(word, 0) for word in machine.gpu_types] for _, amount in rows]
    placement = Placement(
        np.array([number[name] for name, _ in held]),
        np.cumsum([0, *map(len, pieces)]),
        np.array([node for node, _ in rows]),
        np.array([amount.cpus for _, amount in rows]),
        np.array([amount.memory for _, amount in rows]),
        np.array(gpus, dtype=np.int64).reshape(len(rows), len(machine.gpu_types)),
    )
    return Schedule(workload, start, placement=placement)


def ideal_schedule(workload: Workload, reservations: int = 1) -> Schedule:
    """Return the schedule of the oracle in the ideal rhythm."""
    machine, jobs = naive_of(workload)
    return schedule_from(workload, ideal(machine, jobs, reservations=reservations))


def by_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the oracle make the schedules of FCFS, EASY and conservative backfilling on nodes: it compiles nothing."""

    def outcome(policy: Plain, workload: Workload) -> Outcome:
        schedule = ideal_schedule(workload, {"fcfs": 0, "easy": 1}.get(policy.rule, len(workload)))
        return Outcome(schedule.start, placement=schedule.placement)

    monkeypatch.setattr(Plain, "outcome", outcome)


def as_runs(schedule: Schedule) -> Runs:
    """Return when each job starts, and its CPUs, memory and GPUs on each of its nodes."""
    machine, placement = schedule.workload.machine, schedule.placement
    assert machine is not None
    assert placement is not None
    runs = []
    for j, start in enumerate(schedule.start.tolist()):
        held = {}
        for row in range(placement.piece[j], placement.piece[j + 1]):
            gpus = zip(machine.gpu_types, placement.gpus[row].tolist(), strict=True)
            amounts = int(placement.cpus[row]), int(placement.memory[row])
            held[machine.names[placement.node[row]]] = (*amounts, {kind: count for kind, count in gpus if count})
        runs.append((start, held))
    return runs


def runs_of(workload: Workload, runs: Mapping[int, Busy]) -> Runs:
    """Return the same of what the oracle gives the jobs."""
    return [
        (runs[j].begin, {name: (a.cpus, a.memory, dict(a.gpus)) for name, a in runs[j].held.items()})
        for j in range(len(workload))
    ]
