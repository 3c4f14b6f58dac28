"""Jobs that stop for others in Slurm's passes equal the oracle: starts, nodes, every stop and end; and by hand."""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.cli.file_kinds import Kind, kind_of
from paretosched.comparison.over_time import runs_between
from paretosched.workload.measures import with_measures
from paretosched.workload.preemption import Preemption
from support.naive_machine import Busy
from support.naive_rhythms import Rhythm, by_arrival, slurm_lives
from support.naive_values import naive_of
from support.placing import as_runs, runs_of
from support.short_lives import PASSES, Life, lives_of
from support.suspending_zoo import suspending_case

SEEDS = range(160)
Stops = list[tuple[int, int, int]]  # row, begin, end


@cache
def of_case(seed: int) -> list[Busy]:
    workload = suspending_case(seed)
    return slurm_lives(*naive_of(workload), Rhythm(epoch=workload.epoch), by_arrival)


def stops_of(runs: dict[int, Busy]) -> Stops:
    """Return when jobs were stopped; one that goes on and stops in the same second does not go on."""
    found: Stops = []
    for row in sorted(runs):
        for begin, end in runs[row].stops:
            if found and (found[-1][0], found[-1][2]) == (row, begin):
                begin = found.pop()[1]
            found.append((row, begin, end))
    return found


def pauses_in(schedule: ps.Schedule) -> Stops:
    return [] if schedule.pauses is None else list(zip(*(c.tolist() for c in schedule.pauses), strict=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_stop_equals_the_oracle(seed: int) -> None:
    workload, lives = suspending_case(seed), of_case(seed)
    last = {run.job.row: run for run in sorted(lives, key=lambda run: run.begin)}
    if len(last) < len(workload):
        with pytest.raises(ps.InputError, match="every job must fit on its nodes"):
            ps.simulate(workload, PASSES)
        return
    schedule = ps.simulate(workload, PASSES).check()
    assert as_runs(schedule) == runs_of(workload, last)
    assert pauses_in(schedule) == stops_of(last)
    assert schedule.finish.tolist() == [last[row].end for row in range(len(workload))]
    cut: list[Life] = [(run.job.row, run.begin, run.end, True) for run in lives if run is not last[run.job.row]]
    assert lives_of(schedule) == sorted(cut)
    assert schedule.waiting is not None
    assert np.array_equal(schedule.waiting.seconds.sum(axis=1), schedule.start - workload.submit)


def test_schedules_with_stops_come_back(tmp_path: Path) -> None:
    """Lives before the last one are not in the file; all else is."""
    read = 0
    for seed in SEEDS[:60]:
        workload = suspending_case(seed)
        if len({run.job.row for run in of_case(seed)}) < len(workload):
            continue
        schedule = ps.simulate(workload, PASSES)
        ps.save_schedule(schedule, tmp_path / "s.csv")
        assert kind_of(tmp_path / "s.csv") == Kind.SCHEDULE
        again = ps.load_schedule(workload, tmp_path / "s.csv")
        assert pauses_in(again) == pauses_in(schedule)
        assert again.finish.tolist() == schedule.finish.tolist()
        assert again.check().pieces(0) == schedule.pieces(0)
        read += schedule.pauses is not None
        lines = (tmp_path / "s.csv").read_text().splitlines()
        assert lines[0].endswith(",stopped") == (schedule.pauses is not None)
        assert schedule.frame().columns.tolist() == lines[0].split(",")
    assert read >= 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9..4", "stopped must be ascending times, such as 4..9 12..15, but is"),
        ("4..9 8..12", "stopped must be"),
        ("4-9", "stopped must be"),
        ("0..9223372036854775808", "stopped must be"),
        ("", "must be job"),
        ("0..1", "must be job"),
    ],
)
def test_stops_that_cannot_be_are_refused(text: str, words: str, tmp_path: Path) -> None:
    seed = next(seed for seed in SEEDS if any(run.stops for run in of_case(seed)))
    schedule = ps.simulate(suspending_case(seed), PASSES)
    ps.save_schedule(schedule, tmp_path / "s.csv")
    lines = (tmp_path / "s.csv").read_text().splitlines()
    row = next(row for row, line in enumerate(lines) if row and not line.endswith(","))
    lines[row] = f"{lines[row].rpartition(',')[0]},{text}"
    for damaged in (lines, [*lines[:row], "", *lines[row:]]):
        (tmp_path / "s.csv").write_text("\n".join(damaged) + "\n")
        with pytest.raises(ps.InputError, match=words if damaged is lines else "must be job"):
            ps.load_schedule(schedule.workload, tmp_path / "s.csv")


def test_the_random_cases_are_of_use() -> None:
    """Many jobs stop, some more than once, some of the middle tier, and some are requeued beside them."""
    stops = [stops_of({run.job.row: run for run in of_case(seed)}) for seed in SEEDS]
    assert sum(bool(each) for each in stops) >= 80
    assert sum(len(each) > len({row for row, *_ in each}) for each in stops) >= 20
    tiers = [{run.job.row: run.partition for run in of_case(seed)} for seed in SEEDS]
    middle = [seed for seed in SEEDS if any(tiers[seed][row] == "mid" for row, *_ in stops[seed])]
    assert len(middle) >= 20
    assert sum(len(of_case(seed)) > len(suspending_case(seed)) for seed in SEEDS) >= 10


def two_tiers(low: list[str], high: list[str], **more: Any) -> ps.Workload:
    """Return jobs of 900 s in a low partition, and of 60 s in a high one from second 300 on, on a node of eight CPUs.

    Each is so many CPUs, and perhaps MiB of memory behind a colon.
    """
    sizes = [[*map(int, f"{word}:10".split(":")[:2])] for word in (*low, *high)]
    n, k = len(low), len(high)
    asks = ps.Requests(
        tasks=[cpus for cpus, _ in sizes], nodes_most=[1] * (n + k), memory_per_node=[memory for _, memory in sizes],
        partition=["low"] * n + ["high"] * k,
    )  # fmt: skip
    parts = ps.Partition("low", default=True), ps.Partition("high", tier=10)
    machine = ps.Machine(
        (ps.NodeKind("n1", 8, 1000),), parts, preemption=Preemption("partition_prio", "suspend"), **more
    )
    return ps.Workload(
        [0] * n + [300] * k, [900] * n + [60] * k, [1800] * (n + k), asks.tasks, capacity=8, machine=machine,
        requests=asks, epoch=0, job=range(1, n + k + 1),
    )  # fmt: skip


def test_a_low_job_stops_and_goes_on(tmp_path: Path) -> None:
    schedule = ps.simulate(two_tiers(["8"], ["8"]), PASSES).check()
    assert (schedule.start.tolist(), schedule.finish.tolist()) == ([0, 300], [960, 360])
    assert pauses_in(schedule) == [(0, 300, 360)]
    assert schedule.preemption == {"stopped": 1, "stops": 1, "stopped_hours": 60 / 3600}
    ps.save_segments(schedule, tmp_path / "s.csv")
    with (tmp_path / "s.csv").open() as file:
        assert [*csv.reader(file)][1:] == [["1", "0", "300", "n1"], ["1", "360", "960", "n1"]]
    when, used = ps.simulation.schedule.busy(schedule)
    assert list(zip(when.tolist(), used.tolist(), strict=True)) == [(0, 8), (300, 8), (360, 8), (960, 0)]
    assert schedule.objectives["UTIL"] == 100.0


@pytest.mark.parametrize(
    ("low", "high", "stops", "start"),
    [
        (["2", "2"], ["5"], [(0, 300, 360), (1, 300, 360)], [0, 0, 300]),  # it has the first five CPUs
        (["2", "2"], ["4"], [], [0, 0, 300]),  # the other four are idle
        (["4:600"], ["8:600"], [], [0, 900]),  # memory stays taken
        (["4"], ["8", "2"], [(0, 300, 360)], [0, 300, 360]),  # the last one gets idle CPUs
        (["4"], ["5", "5"], [(0, 300, 420)], [0, 300, 360]),
    ],
)
def test_which_jobs_stop(low: list[str], high: list[str], stops: Stops, start: list[int]) -> None:
    schedule = ps.simulate(two_tiers(low, high), PASSES).check()
    assert (pauses_in(schedule), schedule.start.tolist()) == (stops, start)


def test_what_is_used_in_pauses_is_not_counted_twice() -> None:
    workload = with_measures(two_tiers(["8"], ["8"]), ["energy(1000 W, idle 0 W)", "idle hours", "UTIL_memory"])
    energy, idle, _ = np.asarray(ps.simulate(workload, PASSES).objectives)[-3:]
    assert (energy, idle) == (pytest.approx(8 * 960 / 3600), 0.0)


def test_the_page_draws_each_piece() -> None:
    """In between its CPUs are drawn for the job that has them."""
    drawn = runs_between(ps.simulate(two_tiers(["8"], ["8"]), PASSES), 0, 2000)
    assert [(run.job, run.begin, run.end) for run in drawn] == [(0, 0, 300), (1, 300, 360), (0, 360, 960)]


def test_a_schedule_in_which_a_job_is_stopped_when_it_does_not_run_is_refused() -> None:
    schedule = ps.simulate(two_tiers(["8"], ["8"]), PASSES)
    assert schedule.pauses is not None
    for begin, end in ((300, 300), (950, 1100)):
        pauses = schedule.pauses._replace(begin=np.array([begin]), end=np.array([end]))
        other = ps.Schedule(schedule.workload, [0, 1000], placement=schedule.placement, pauses=pauses)
        with pytest.raises(ps.InputError, match="a job must run when it is stopped"):
            other.check()


def test_other_policies_and_predictions() -> None:
    workload = two_tiers(["8"], ["8"])
    assert ps.simulate(workload, "easy").start.tolist() == [0, 900]
    assert ps.simulate(workload.without("preemption"), PASSES).pauses is None
    with pytest.raises(ps.InputError, match="run times cannot be predicted where jobs are suspended"):
        ps.simulate(workload.with_(user=[1, 1]), PASSES, "recent")


def test_jobs_are_not_suspended_by_qos() -> None:
    with pytest.raises(ps.InputError, match="mode must not be suspend with qos"):
        Preemption("qos", "suspend")
