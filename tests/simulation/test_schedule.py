"""A schedule is feasible or says where it is not."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import (
    InputError,
    Schedule,
    Workload,
    load_segments,
    objectives,
    save_schedule,
    save_segments,
    simulate,
    waits,
)
from paretosched.simulation.schedule import busy, segments_of
from paretosched.simulation.service import use
from support.down import down_workloads, with_down
from support.zoo import jobs, workloads

W = jobs(4, (0, 10, 10, 3), (1, 5, 5, 2), (2, 5, 5, 1), job=[11, 12, 13])


def test_a_feasible_schedule_passes_and_ends_may_meet_starts() -> None:
    schedule = Schedule(W, [0, 10, 2])
    assert schedule.check() is schedule
    assert schedule.finish.tolist() == [10, 15, 7]


def test_an_overfull_machine_is_found_and_named() -> None:
    with pytest.raises(InputError, match=r"but 5 are in use from second 9 on$"):
        Schedule(W, [0, 9, 2], "tight").check()
    with pytest.raises(InputError, match=r"^tight: the machine has 4 processors, but 6 are in use from second 2 on"):
        Schedule(W, [0, 2, 2], "tight").check()
    with pytest.raises(InputError, match=r"but 6 are in use from second 5 on; in 2 intervals there are too many$"):
        Schedule(W, [0, 5, 3], "twice").check()


def test_processors_that_are_down_are_found_and_named() -> None:
    w = with_down(W, [(5, 9, 1), (12, 14, 3)])
    message = (
        r"^3 processors are up from second 5 on, the others are down, but 4 are in use, and more than are up in 1 "
    )
    with pytest.raises(InputError, match=message.replace("^", "^busy: ") + "intervals$"):
        Schedule(w, [0, 14, 2], "busy").check()  # jobs 1 and 3 need four processors in 2..7
    assert Schedule(w, [0, 14, 9]).check().start.tolist() == [0, 14, 9]  # the third one has the only one that is up
    with pytest.raises(InputError, match="1 processors are up from second 12 on, the others are down, but 3 are in"):
        Schedule(w, [0, 10, 9]).check()


@settings(max_examples=80, deadline=None)
@given(w=down_workloads(workloads(max_jobs=6)), data=st.data())
def test_check_agrees_with_counting_processors_that_are_up(w: Workload, data: st.DataObject) -> None:
    grain = int(np.gcd.reduce(np.concatenate([w.submit, w.run])))
    delays = data.draw(st.lists(st.integers(0, 6), min_size=len(w), max_size=len(w)))
    start = w.submit + np.array(delays) * grain
    assert w.down is not None
    instants = sorted({*start.tolist(), *w.down.begin.tolist()})
    in_use = [int(w.width[(start <= t) & (t < start + w.run)].sum()) for t in instants]
    up = [w.capacity - w.down.processor_seconds(t, t + 1) for t in instants]
    if any(used > there for used, there in zip(in_use, up, strict=True)):
        with pytest.raises(InputError):
            Schedule(w, start).check()
    else:
        Schedule(w, start).check()


def test_an_early_start_is_found_and_named() -> None:
    with pytest.raises(InputError, match=r"2 do: job 12 starts at 0, submitted 1, job 13 starts at -7, submitted 2$"):
        Schedule(W, [0, 0, -7]).check()


def test_an_end_beyond_all_time_is_found() -> None:
    with pytest.raises(InputError, match="no job may end after second"):
        Schedule(W, [0, 2**63 - 3, 2]).check()


@pytest.mark.parametrize(
    "start", [[0, 1], [[0, 10, 2]], 3, [0.0, 10.0, 2.0], [0, 10, np.nan], ["0", "10", "2"], [0, 10, 2**64], [0, [1], 2]]
)
def test_starts_must_be_one_whole_number_a_job(start: Any) -> None:
    with pytest.raises(InputError, match=r"^start must"):
        Schedule(W, start)


def test_the_given_starts_are_copied_not_frozen() -> None:
    start = np.array([0, 10, 2])
    schedule = Schedule(W, start)
    start[0] = 99
    assert schedule.start.tolist() == [0, 10, 2]
    with pytest.raises(ValueError, match="read-only"):
        schedule.start[0] = 1


def test_busy_counts_processors_and_gaps() -> None:
    when, processors = busy(Schedule(W, [0, 20, 2]))
    assert when.tolist() == [0, 2, 7, 10, 20, 25]
    assert processors.tolist() == [3, 4, 3, 0, 2, 0]


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(w=workloads(), data=st.data())
def test_check_agrees_with_counting_second_by_second(w: Workload, data: st.DataObject) -> None:
    w = w.with_(submit=w.submit // max(1, int(w.run.min())), run=np.minimum(w.run, 6))
    delay = data.draw(st.lists(st.integers(-1, 15), min_size=len(w), max_size=len(w)))
    schedule = Schedule(w, w.submit + np.array(delay))
    usage: dict[int, int] = {}
    for s, p, m in zip(schedule.start.tolist(), w.run.tolist(), w.width.tolist(), strict=True):
        for second in range(s, s + p):
            usage[second] = usage.get(second, 0) + m
    feasible = min(delay) >= 0 and max(usage.values()) <= w.capacity
    try:
        schedule.check()
    except InputError:
        assert not feasible
    else:
        assert feasible


@settings(deadline=None, max_examples=50)
@given(w=workloads())
def test_the_first_job_of_fcfs_cannot_start_earlier(w: Workload) -> None:
    start = simulate(w, "fcfs").check().start.copy()
    start[0] -= 1
    with pytest.raises(InputError, match="before its submission"):
        Schedule(w, start).check()


# ---- segments

ROWS = [
    (0, 0, 4, [(0, 0), (2, 3)]),
    (0, 12, 18, [(0, 0), (2, 3)]),
    (1, 6, 11, [(1, 2)]),
    (2, 6, 11, [(0, 0)]),
]
SWITCHES = [(4, 6), (11, 12)]


def with_segments(rows: Any = ROWS, switches: Any = SWITCHES, start: Any = (0, 6, 6)) -> Schedule:
    return Schedule(W, list(start), "shared", segments_of(rows, switches))


def test_a_schedule_with_segments_ends_with_them_and_is_measured_by_its_finish() -> None:
    schedule = with_segments().check()
    assert schedule.finish.tolist() == [18, 11, 11]
    assert busy(schedule)[0].tolist() == [0, 4, 6, 11, 12, 18]
    assert busy(schedule)[1].tolist() == [3, 0, 3, 0, 3, 0]
    assert use(schedule, np.array([0, 5, 12, 18])).tolist() == [12, 15, 18]
    # 45 processor seconds in 18 s on 4 processors; responses of 18, 10 and 9 s with 30, 10 and 5 processor seconds
    assert objectives(schedule).tolist() == [100 * 45 / 72, *[(30 * 18 + 10 * 10 + 5 * 9) / 45] * 2]
    assert waits(schedule, 1).slowdown_mean.tolist() == pytest.approx([(18 / 10 + 10 / 5 + 9 / 5) / 3] * 2)


def changed_rows(place: int, **change: Any) -> list[Any]:
    names = ("job", "begin", "end", "nodes")
    rows = [*ROWS]
    rows[place] = tuple((dict(zip(names, ROWS[place], strict=True)) | change)[name] for name in names)
    return rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed_rows(1, end=19), "every job must run for its run time, but 1 do not: job 11 for 11 s of 10 s"),
        (changed_rows(1, begin=3, end=9), "the segments of a job must not overlap, but 1 segments do: job 11 from 3"),
        (
            changed_rows(1, nodes=[(1, 3)]),
            "a job must continue on the same processors, but 1 segments do not: job 11 fro",
        ),
        (changed_rows(2, nodes=[(0, 1)]), "no processor may have two jobs at once, but 1 segments are on one that has"),
        (changed_rows(2, nodes=[(1, 1)]), "a job must have as many processors as it asks for, but 1 segments do not"),
        (changed_rows(2, nodes=[(3, 4)]), "processors are numbered 0..3, and ranges of them ascend, but 1 segments br"),
        (changed_rows(2, nodes=[(1, 1), (1, 1)]), "processors are numbered 0..3, and ranges of them ascend, but 1 seg"),
        (changed_rows(2, nodes=[(2, 1), (1, 2)]), "processors are numbered 0..3, and ranges of them ascend, but 1 seg"),
        ([*ROWS, (2, 12, 12, [(0, 0)])], "a segment must last for a second or more, but 1 segments do not: job 13 fro"),
    ],
)
def test_segments_that_no_machine_could_run_are_found_and_named(rows: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(f"shared: {message}")):
        with_segments(rows).check()


def test_rules_of_segments_are_checked_one_by_one() -> None:
    with pytest.raises(InputError, match=r"no job may run while the machine switches, but 1 segments do: job 13 from"):
        with_segments(changed_rows(3, begin=5, end=10), start=(0, 6, 5)).check()
    with pytest.raises(InputError, match="no job may start before its submission"):
        with_segments(changed_rows(3, begin=1, end=6), start=(0, 6, 1)).check()
    with pytest.raises(InputError, match="switches must be ascending"):
        with_segments(switches=SWITCHES[::-1]).check()


@pytest.mark.parametrize(
    ("rows", "start", "message"),
    [
        (ROWS, (0, 6, 5), "the first segment of a job must begin at its start, but 1 do not"),
        (ROWS[:3], (0, 6, 6), "every job must have segments, but there are none of job 13"),
        ([*ROWS, (3, 0, 1, [(0, 0)])], (0, 6, 6), "job of segments must be in 0..2, but is in 0..3"),
        (changed_rows(2, nodes=[]), (0, 6, 6), "piece of segments must divide the ranges"),
    ],
)
def test_segments_must_fit_the_jobs(rows: Any, start: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_segments(rows, start=start)


def test_segments_must_be_sorted_arrays_of_one_length() -> None:
    segments = segments_of(ROWS, SWITCHES)
    with pytest.raises(InputError, match="segments must be sorted by job and time"):
        Schedule(W, [0, 6, 6], "shared", segments._replace(job=segments.job[::-1].copy()))
    with pytest.raises(InputError, match="end of segments must have one entry"):
        Schedule(W, [0, 6, 6], "shared", segments._replace(end=segments.end[1:]))
    with pytest.raises(InputError, match="switches of segments must have shape"):
        Schedule(W, [0, 6, 6], "shared", segments._replace(switches=np.arange(3)))


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_segments_are_saved_and_loaded_as_they_were(name: str, tmp_path: Path) -> None:
    schedule = with_segments()
    save_segments(schedule, tmp_path / name)
    again = load_segments(W, tmp_path / name, "shared").check()
    assert again.start.tolist() == schedule.start.tolist()
    for one, other in zip(again.segments or (), schedule.segments or (), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    save_segments(again, tmp_path / f"again {name}")
    assert (tmp_path / f"again {name}").read_bytes() == (tmp_path / name).read_bytes()


def test_segments_can_be_read_by_a_person(tmp_path: Path) -> None:
    save_segments(with_segments(), tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text().splitlines() == [
        "job,from,to,nodes",
        "11,0,4,0 2-3",
        "11,12,18,0 2-3",
        "12,6,11,1-2",
        "13,6,11,0",
        "switch,4,6,",
        "switch,11,12,",
    ]


def test_a_schedule_without_preemption_has_no_segments_to_save(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="FCFS preempts no jobs"):
        save_segments(simulate(W, "fcfs"), tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with job,from,to,nodes"),
        ("job,start\n", "must begin with job,from,to,nodes"),
        ("job,from,to,nodes\n11,0\n", "s.csv:2: must have 4 columns, but has 2"),
        ("job,from,to,nodes\n11,0,4,0 2-3\n14,0,4,0\n", "s.csv:3: must be job,from,to,nodes of a job of workload"),
        ("job,from,to,nodes\n11,zero,4,0\n", 's.csv:2: must be .* but is "11,zero,4,0"'),
        ("job,from,to,nodes\n11,0,4,0-\n", "s.csv:2: must be"),
        ("job,from,to,nodes\n11,0,10,0-2\n", "s.csv: every job must have segments"),
        ("job,from,to,nodes\n11,0,99999999999999999999,0-2\n", "s.csv: "),
        ("\xff", "a file of segments must be text in UTF-8"),
    ],
)
def test_what_are_no_segments_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        load_segments(W, tmp_path / "s.csv")
    (tmp_path / "s.parquet").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="must be a Parquet file of segments"):
        load_segments(W, tmp_path / "s.parquet")


def test_no_job_starts_before_it_is_eligible(tmp_path: Path) -> None:
    w = W.with_(eligible=[0, 12, 2])
    with pytest.raises(InputError, match="no job may start before it is eligible, but 1 do: job 12 starts at 10, elig"):
        Schedule(w, [0, 10, 2]).check()
    schedule = Schedule(w, [0, 12, 2]).check()
    save_schedule(schedule, tmp_path / "s.csv")
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0] == "job,submit,start,finish,processors,user,group,eligible"
    assert lines[2] == "12,1,12,17,2,-1,1,12"
    assert schedule.frame()["eligible"].tolist() == [0, 12, 2]
    assert schedule.frame().columns.tolist() == lines[0].split(",")
    assert "<th>eligible</th>" in schedule._repr_html_()


def test_waits_responses_and_slowdowns_count_from_when_a_job_is_eligible() -> None:
    w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[1] * 3, capacity=4, eligible=[0, 4, 2])
    s = Schedule(w, [0, 10, 15])
    assert s.wait.tolist() == [0, 6, 13]
    assert s.response.tolist() == [10, 11, 16]
    assert s.slowdown.tolist() == [1.0, 1.1, 1.6]  # a job of less than 10 s counts as one of 10 s
    for column in (s.wait, s.response, s.slowdown):
        assert not column.flags.writeable
    parts = [(0, 0, 4, [(0, 0)]), (0, 9, 15, [(0, 0)]), (1, 10, 15, [(1, 1)]), (2, 15, 18, [(2, 2)])]
    stopped = Schedule(w, [0, 10, 15], segments=segments_of(parts))
    assert (stopped.wait[0], stopped.response[0], stopped.slowdown[0]) == (0, 15, 1.5)
