"""Why jobs waited: equal to what the oracle of limits says of every second of every wait."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.simulation.waiting_reasons import TURN
from paretosched.workload.limits import Limits
from support.limit_zoo import limited_case
from support.naive_limits import held_by
from support.naive_machine import Amount, Busy
from support.naive_values import naive_of

CANNOT_RUN = (182, 228)  # a job of theirs is larger than what a limit allows on any nodes
POLICIES = ("easy", "conservative", "sjf")


def runs_of(schedule: ps.Schedule) -> list[Busy]:
    """Return the jobs of a schedule with what they hold."""
    w, placement = schedule.workload, schedule.placement
    assert w.machine is not None
    assert placement is not None
    _, jobs = naive_of(w)
    runs = []
    for j, job in enumerate(jobs):
        rows = range(placement.piece[j], placement.piece[j + 1])
        held = {
            w.machine.names[placement.node[i]]: Amount(
                int(placement.cpus[i]),
                int(placement.memory[i]),
                dict(zip(w.machine.gpu_types, placement.gpus[i].tolist(), strict=True)),
            )
            for i in rows
        }
        part = w.machine.partitions[placement.partition[j]].name
        runs.append(Busy(job, int(schedule.start[j]), int(schedule.finish[j]), part, held))
    return runs


def naive_reasons(schedule: ps.Schedule) -> list[Counter[str]]:
    """Return for how many seconds limits held each job, by what squeue says of them."""
    machine, _ = naive_of(schedule.workload)
    runs = runs_of(schedule)
    found = []
    for mine, arrival in zip(runs, schedule.workload.eligible.tolist(), strict=True):
        counts = Counter(
            held_by(
                machine,
                mine.job,
                machine.partitions[mine.partition],
                [run for run in runs if run.begin <= t < run.end],
                t,
                mine.held,
            )
            for t in range(arrival, mine.begin)
        )
        del counts[""]
        found.append(counts)
    return found


@pytest.mark.parametrize("block", range(6))
def test_every_second_of_every_wait_has_the_reason_of_the_oracle(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(50 * block, 50 * block + 50):
        if seed in CANNOT_RUN:
            continue
        w = limited_case(seed, with_dependencies=False, with_arrays=bool(seed % 2))
        schedule = ps.simulate(w, POLICIES[seed % 3])
        reasons = schedule.waiting
        assert reasons is not None
        others = ("Dependency", "BeginTime", "Licenses", TURN)
        rows = [dict(zip(reasons.names, row, strict=True)) for row in reasons.seconds.tolist()]
        got = [{name: s for name, s in row.items() if s and name not in others} for row in rows]
        assert got == [dict(row) for row in naive_reasons(schedule)], seed
        assert reasons.seconds.sum(axis=1).tolist() == (schedule.start - schedule.workload.submit).tolist()
        assert (reasons.seconds >= 0).all()
        seen += Counter(name for row in got for name in row)
    assert len(seen) > 6  # of each block; in all two dozen


def log(**more: object) -> ps.Workload:
    """Return three jobs of a user, one after the other, on two nodes with four cores each."""
    asked = {"tasks": [1, 1, 1], "memory_per_node": [1, 1, 1], **more}
    machine = ps.Machine((ps.NodeKind("n[1-2]", 4, 100),), licences=(("x", 1),))
    return ps.Workload(
        [0, 0, 5], [10, 10, 10], [10, 10, 10], [1, 1, 1], capacity=8, user=[7, 7, 7], job=[1, 2, 3], machine=machine,
        requests=ps.Requests(**asked),  # type: ignore[arg-type]
    )  # fmt: skip


def seconds(w: ps.Workload) -> dict[str, list[int]]:
    """Return the reasons of a workload under EASY that are not zero for all jobs."""
    reasons = ps.simulate(w, "easy").waiting
    assert reasons is not None
    columns = zip(reasons.names, reasons.seconds.T.tolist(), strict=True)
    return {name: column for name, column in columns if any(column)}


def test_licences_arrays_and_other_jobs() -> None:
    assert seconds(log(licences=["x", "x", ""])) == {"Licenses": [0, 10, 0]}
    assert seconds(log(array=[1, 1, 0], array_index=[0, 1, 0], array_most=[1, 1, 0])) == {
        "JobArrayTaskLimit": [0, 10, 0]
    }
    assert seconds(log(dependency=["", "", "afterany:2"])) == {"Dependency": [0, 0, 5]}
    assert seconds(log(tasks=[8, 8, 1])) == {TURN: [0, 10, 15]}


def test_where_only_nodes_can_lack_or_places_are_not_known_nothing_is_shown() -> None:
    w = log()
    assert w.machine is not None
    schedule = ps.simulate(w, "easy")
    assert schedule.waiting is not None
    assert ps.Schedule(w, schedule.start).waiting is None
    bare = w.with_(machine=replace(w.machine, licences=()))
    assert ps.simulate(bare, "easy").waiting is None
    assert ps.simulate(ps.Workload([0], [1], [1], [1], capacity=1), "easy").waiting is None  # type: ignore[arg-type]


def test_the_file_says_for_what_each_job_waited_longest(tmp_path: Path) -> None:
    w = log()
    assert w.machine is not None
    limits = (Limits("normal", "", "", "", {"MaxJobsPU": 1}),)
    schedule = ps.simulate(w.with_(machine=replace(w.machine, limits=limits)), "easy")
    path = tmp_path / "s.csv"
    ps.save_schedule(schedule, path)
    heading, *lines = path.read_text().splitlines()
    assert heading.endswith(",gpus,reason")
    assert [line.rpartition(",")[2] for line in lines] == ["", *["QOSMaxJobsPerUserLimit"] * 2]
    again = ps.load_schedule(schedule.workload, path).check()
    assert again.start.tolist() == [0, 10, 20]
    assert schedule.frame()["reason"].tolist() == ["", *["QOSMaxJobsPerUserLimit"] * 2]
