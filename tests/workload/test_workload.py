"""A workload obeys its rules or is refused in one line; it never changes, nor does it change what it was made of."""

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from paretosched import InputError, Machine, NodeKind, Outage, Requests, Workload
from paretosched.workload.machine import Reservation
from support.zoo import jobs, workloads

GOOD: dict[str, Any] = {
    "submit": [0, 5, 5],
    "run": [10, 3, 1],
    "estimate": [20, 3, 2],
    "width": [4, 2, 1],
    "capacity": 8,
}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("submit", [-1, 5, 5], "submit must be at least 0 s, but 1 job is not: job 1 has -1"),
        ("submit", [6, 5, 5], "submit must be sorted, but job 2 comes after job 1"),
        ("submit", [0.0, 5.0, 5.0], "submit must be whole numbers, but its type is float64"),
        ("submit", [0, 5, np.nan], "submit must be whole numbers, but its type is float64"),
        ("submit", ["0", "5", "5"], "submit must be whole numbers, but its type is <U1"),
        ("submit", [0, 5, None], "submit must be whole numbers, but its type is object"),
        ("submit", [], "workload: a workload needs at least one job, but there is none"),
        ("submit", 5, "submit must have one entry a job, shape (1,), but has shape ()"),
        ("submit", None, "submit must have one entry a job, shape (1,), but has shape ()"),
        ("submit", [[0, 5], [5]], "submit must have one entry a job, but is ragged"),
        ("run", [0, 3, 1], "run must be at least 1 s, but 1 job is not: job 1 has 0"),
        ("run", [10, 3], "run must have one entry a job, shape (3,), but has shape (2,)"),
        ("run", None, "run must have one entry a job, shape (3,), but has shape ()"),
        ("run", [10, 3, [1]], "run must have one entry a job, but is ragged"),
        ("run", [True, True, True], "run must be whole numbers, but its type is bool"),
        (
            "estimate",
            [9, 2, 0],
            "estimate must be at least the run time, but 3 jobs are not: job 1 has 9, job 2 has 2, ",
        ),
        ("width", [0, 9, 1], "width must be in 1..8 processors, but 2 jobs are not: job 1 has 0, job 2 has 9"),
        ("width", np.array([2**63, 1, 1], dtype=np.uint64), "width must fit 64-bit signed integers, but its largest"),
        ("width", [2**70, 1, 1], "width must be whole numbers, but its type is object"),
        ("group", [0, 1, 0], "group must be in 0..0, but 1 job is not: job 2 has 1"),
        ("group", [0, -1, 0], "group must be in 0..0, but 1 job is not: job 2 has -1"),
        ("groups", (), "groups must be one or more different names, but are []"),
        ("groups", ("a", "a"), "groups must be one or more different names, but are ['a', 'a']"),
        ("user", [1, 2], "user must have one entry a job, shape (3,), but has shape (2,)"),
        ("wait", [1.5, 2, 3], "wait must be whole numbers, but its type is float64"),
        ("job", [[1], [2], [3]], "job must have one entry a job, shape (3,), but has shape (3, 1)"),
        ("capacity", 0, "capacity must be in 1..2147483647 processors, but is 0"),
        ("capacity", 2**31, "capacity must be in 1..2147483647 processors, but is 2147483648"),
        ("capacity", 8.0, "capacity must be a whole number, but is 8.0"),
        ("capacity", "8", "capacity must be a whole number, but is '8'"),
        ("capacity", None, "capacity must be a whole number, but is None"),
        ("epoch", 0.5, "epoch must be a whole number, but is 0.5"),
        ("epoch", -1, "epoch must be a Unix time in the years 1970 to 8999, but is -1"),
        ("epoch", 10**18, "epoch must be a Unix time in the years 1970 to 8999, but is 1000000000000000000"),
        ("zone", "Mars/Olympus", 'time zone "Mars/Olympus" is not in the standard zone database'),
        ("zone", "", 'time zone "" is not in the standard zone database'),
        ("records", np.zeros((3, 17)), "records must have shape (3, 18), (3, 21) or (3, 24), but has (3, 17)"),
    ],
)
def test_every_rule_has_its_message(field: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)):
        Workload(**(GOOD | {field: value}))


@pytest.mark.parametrize(
    "changes",
    [
        {"submit": [0, 5, 2**62]},
        {"estimate": [2**62, 3, 2]},
        {"run": [2**62, 2**62, 2**62], "estimate": [2**62, 2**62, 2**62]},
        {"estimate": [2**40, 3, 2], "capacity": 2**31 - 1},
    ],
)
def test_times_that_would_overflow_inside_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"must stay below 2\^62"):
        Workload(**(GOOD | changes))


def test_offenders_are_named_by_the_numbers_of_the_trace() -> None:
    with pytest.raises(InputError, match=r"job 71 has 9$"):
        Workload(**(GOOD | {"width": [1, 9, 1], "job": [70, 71, 72]}))


def test_defaults() -> None:
    w = Workload(**GOOD)
    assert (w.user.tolist(), w.group.tolist(), w.wait.tolist(), w.job.tolist()) == (
        [-1] * 3,
        [0] * 3,
        [-1] * 3,
        [1, 2, 3],
    )
    assert (w.groups, w.work, len(w)) == (("1",), 47, 3)


def test_arrays_are_copied_contiguous_and_read_only() -> None:
    table = np.array([[0, 5, 5], [10, 3, 1], [20, 3, 2], [4, 2, 1]], dtype=np.int32).T
    records = np.ones((3, 18), order="F")
    w = Workload(*table.T, capacity=8, records=records)
    table[:] = 77
    records[:] = 77
    assert w.run.tolist() == [10, 3, 1]
    assert w.records is not None
    assert np.asarray(w.records).max() == 1
    for array in (w.submit, w.run, w.estimate, w.width, w.user, w.group, w.job, w.wait):
        assert array.flags.c_contiguous
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for column in w.records.columns:
        assert not column.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    for array in (w.calendar.begin, w.calendar.kind):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        w.capacity = 9


def test_work_is_exact_where_floating_point_is_not() -> None:
    w = jobs(3, (0, 3**25, 3**25, 3), (0, 1, 1, 1))
    assert w.work == 3**26 + 1


RELEVANT: dict[str, Any] = {
    "submit": [0, 5, 6],
    "run": [10, 2, 1],
    "estimate": [20, 3, 3],
    "width": [4, 2, 2],
    "capacity": 9,
    "group": [0, 1, 1],
    "groups": ("a", "c"),
    "wait": [0, 0, 1],
    "epoch": 946857601,
    "zone": "Europe/Berlin",
}
IRRELEVANT: dict[str, Any] = {
    "user": [1, 2, 3],
    "job": [7, 8, 9],
    "name": "another",
    "records": np.zeros((3, 18)),
    "header": ("Version: 2.2",),
}
GROUPED = GOOD | {"group": [0, 1, 0], "groups": ("a", "b")}


@pytest.mark.parametrize("field", RELEVANT)
def test_the_digest_changes_with_everything_a_simulation_depends_on(field: str) -> None:
    assert Workload(**(GROUPED | {field: RELEVANT[field]})).digest != Workload(**GROUPED).digest


@pytest.mark.parametrize("field", IRRELEVANT)
def test_the_digest_does_not_change_with_anything_else(field: str) -> None:
    assert Workload(**(GROUPED | {field: IRRELEVANT[field]})).digest == Workload(**GROUPED).digest


def test_the_digest_does_not_depend_on_the_type_a_number_came_in() -> None:
    other = {key: np.array(GOOD[key], dtype=np.uint8) for key in ("submit", "run", "estimate", "width")}
    w = Workload(**other, capacity=np.int64(8), epoch=np.int64(946857600), groups=[np.str_("1")])
    assert w.digest == Workload(**GOOD).digest
    assert (type(w.capacity), type(w.epoch), type(w.groups[0])) == (int, int, str)


def test_take_keeps_order_and_may_repeat() -> None:
    w = Workload(**GOOD, records=np.arange(54.0).reshape(3, 18))
    part = w.take([1, 1, 2], name="part")
    assert (part.run.tolist(), part.job.tolist(), part.name) == ([3, 3, 1], [2, 2, 3], "part")
    assert part.records is not None
    assert part.records[:, 0].tolist() == [18, 18, 36]
    assert w.take(np.array([True, False, True])).run.tolist() == [10, 1]
    with pytest.raises(InputError, match="sorted"):
        w.take([1, 0])
    with pytest.raises(InputError, match="at least one job"):
        w.take([])


def test_with_checks_anew_and_leaves_the_original() -> None:
    w = Workload(**GOOD)
    assert w.with_(capacity=16).capacity == 16
    assert w.capacity == 8
    with pytest.raises(InputError, match=r"width must be in 1\.\.2"):
        w.with_(capacity=2)


@settings(deadline=None, max_examples=50)
@given(w=workloads())
def test_a_workload_survives_pickling(w: Workload) -> None:
    again = pickle.loads(pickle.dumps(w))
    assert again.digest == w.digest
    assert again.with_().digest == w.digest
    for array in (again.submit, again.run, again.estimate, again.width, again.group, again.calendar.begin):
        assert not array.flags.writeable


# ---- jobs that are not eligible when they are submitted

LATER = Workload(**GOOD, eligible=[0, 9, 5], wait=[1, 2, -1])


def test_by_default_a_job_is_eligible_when_it_is_submitted() -> None:
    for w in (Workload(**GOOD), Workload(**GOOD, eligible=[0, 5, 5]), LATER.with_(eligible=None)):
        assert w.eligible is w.submit
        assert not w.has_later_jobs
        assert w.digest == Workload(**GOOD, wait=w.wait).digest
        assert w.in_arrival_order == (w, None)
        assert "eligible" not in w.frame().columns
    assert LATER.has_later_jobs
    assert pickle.loads(pickle.dumps(Workload(**GOOD))).has_later_jobs is False


@pytest.mark.parametrize(
    ("eligible", "message"),
    [
        ([0, 4, 5], "eligible must be at least the submission, but 1 job is not: job 2 has 4"),
        ([0, 5], "eligible must have one entry a job, shape (3,), but has shape (2,)"),
        ([0, 5, 5.5], "eligible must be whole numbers, but its type is float64"),
        ([0, 5, 2**62], "latest possible end times machine or workload size must stay below 2^62"),
    ],
)
def test_eligible_seconds_keep_their_rules(eligible: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Workload(**GOOD, eligible=eligible)
    assert message in str(caught.value)


def test_the_digest_knows_when_jobs_are_eligible() -> None:
    digests = {w.digest for w in (Workload(**GOOD), LATER, LATER.with_(eligible=[0, 8, 5]), LATER.with_(wait=None))}
    assert len(digests) == 4
    assert pickle.loads(pickle.dumps(LATER)).digest == LATER.digest


def test_jobs_arrive_in_the_order_in_which_they_are_eligible() -> None:
    w = LATER.with_(records=np.arange(54.0).reshape(3, 18))
    arrivals = w.in_arrival_order
    assert arrivals.rows is not None
    assert arrivals.rows.tolist() == [0, 2, 1]
    assert arrivals.jobs.eligible.tolist() == [0, 5, 9]
    assert arrivals.jobs.run.tolist() == [10, 1, 3]
    assert arrivals.jobs.records is not None
    assert arrivals.jobs.records[:, 0].tolist() == [0, 36, 18]
    assert arrivals.jobs.in_arrival_order == (arrivals.jobs, None)
    assert arrivals.by_row(arrivals.jobs.run).tolist() == w.run.tolist()
    assert arrivals.to_places(np.array([2, 0, 1], dtype=np.int32)).tolist() == [1, 0, 2]
    assert w.latest_end == 9 + 14
    in_step = LATER.with_(eligible=[3, 5, 5])  # they arrive as they were submitted
    assert in_step.has_later_jobs
    assert in_step.in_arrival_order == (in_step, None)


def test_jobs_that_are_submitted_at_other_times_are_eligible_as_much_later() -> None:
    assert LATER.with_(submit=[1, 2, 3]).eligible.tolist() == [1, 6, 3]
    assert LATER.with_(submit=[1, 2, 3], eligible=[1, 2, 7]).eligible.tolist() == [1, 2, 7]
    assert LATER.take([1, 1, 2]).eligible.tolist() == [9, 9, 5]
    assert LATER.take([1, 2], submit=[0, 100]).eligible.tolist() == [4, 100]
    assert LATER.take([0, 2]).has_later_jobs is False
    assert Workload(**GOOD).with_(submit=[0, 7, 8]).eligible.tolist() == [0, 7, 8]
    with pytest.raises(InputError, match="submit must have one entry a job"):
        LATER.with_(submit=[1])


def test_a_frame_knows_when_jobs_are_eligible() -> None:
    frame = LATER.frame()
    assert frame["eligible"].tolist() == [0, 9, 5]
    assert Workload.from_frame(frame).digest == LATER.digest


def test_a_frame_has_a_column_once() -> None:
    frame = LATER.frame()
    with pytest.raises(InputError, match=r"^columns of a workload are .*, but submit is there twice$"):
        Workload.from_frame(pd.concat([frame, frame[["submit"]]], axis=1))


def test_some_of_the_jobs_are_a_workload() -> None:
    w = Workload(**GOOD, user=[3, 4, 5], name="mine", epoch=7)
    assert w[:2].digest == w.take([0, 1]).digest
    assert (w[:2].name, w[:2].capacity, w[:2].epoch, w[:2].user.tolist()) == ("mine", 8, 7, [3, 4])
    for rows, expected in (
        (slice(None, None, 2), [1, 3]),
        (slice(-1, None), [3]),
        (w.width > 1, [1, 2]),
        (pd.Series([False, True, True]), [2, 3]),
        ([0, -1], [1, 3]),
        (np.array([1, 2], dtype=np.uint8), [2, 3]),
    ):
        assert w[rows].job.tolist() == expected
    assert LATER[1:].eligible.tolist() == [9, 5]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (5, "rows of a workload must be a slice, such as w[:2000] or w[5:6], a mask of its 3 jobs or an array"),
        ("submit", "but are 'submit'"),
        ([True, False], "a mask of its 3 jobs or an array of row numbers, but are [True, False]"),
        ([[0], [1, 2]], "but are [[0], [1, 2]]"),
        ([0.0], "but are [0.0]"),
        (slice("a", "b"), "but are slice('a', 'b', None)"),
        ([0, 3, -4], "rows of workload must be in -3..2, but there are others: 3, -4"),
        ([1, 0], "submit must be sorted, but job 1 comes after job 2"),
        (slice(3, None), "workload: a workload needs at least one job, but there is none"),
        ([], "workload: a workload needs at least one job, but there is none"),
    ],
)
def test_rows_that_a_workload_has_not_are_refused(rows: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Workload(**GOOD)[rows]


def test_a_workload_is_no_list_of_jobs() -> None:
    with pytest.raises(TypeError, match="not iterable"):
        iter(Workload(**GOOD))  # type: ignore[call-overload]


def test_nodes_that_are_reserved_for_no_job_are_down() -> None:
    kept = (
        Reservation("maint", "n1", 100, 200, flags=("MAINT",)),
        Reservation("course", "n2", 100, 200, users=("ann",)),
        Reservation("nobody", "n2", 300, 400),
    )
    machine = Machine((NodeKind("n[1-2]", 4, 8000),), down=(Outage("n1", 5, 6),), reservations=kept)
    requests = Requests(tasks=[1, 1], reservation=["", "course,maint"])
    w = Workload(submit=[0, 0], run=[1, 1], estimate=[1, 1], width=[1, 1], capacity=8, machine=machine,
                 requests=requests)  # fmt: skip
    assert w.open_machine is not None
    assert w.open_machine.reservations == (kept[1],)
    assert [(each.hosts, each.begin, each.end) for each in w.open_machine.down] == [
        ("n1", 5, 6), ("n1", 100, 200), ("n2", 300, 400),
    ]  # fmt: skip
    without = w.without("reservations")
    assert without.open_machine is without.machine
    assert Workload([0], [1], [1], [1], 1).open_machine is None


def test_what_a_machine_of_nodes_has_is_left_out_only_there() -> None:
    with pytest.raises(InputError, match="limits can be left out on a machine of nodes, which it does not have"):
        Workload([0], [1], [1], [1], 1).without("limits")
    with pytest.raises(InputError, match="what a workload can be without must be one of limits, dependencies"):
        Workload([0], [1], [1], [1], 1).without("nodes")
