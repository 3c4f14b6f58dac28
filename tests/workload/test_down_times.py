"""Down times as values: their rules, their sum, and what a workload does with them."""

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched import InputError, Workload
from paretosched.workload.description import describe, description_text
from paretosched.workload.down_times import DownTimes, down_together
from paretosched.workload.log_names import names_path
from paretosched.workload.resampling import resample
from paretosched.workload.scaling import scale
from paretosched.workload.swf import read_swf, write_swf
from paretosched.workload.time_split import split
from support.exploring import random_workload

DOWN = DownTimes([5, 40], [20, 60], [3, 8])
FIELDS: dict[str, Any] = {
    "submit": [0, 5, 50],
    "run": [10, 3, 1],
    "estimate": [20, 3, 2],
    "width": [4, 2, 1],
    "capacity": 8,
    "user": [1, 2, 2],
    "wait": [0, 0, 0],
}
UP = Workload(**FIELDS)
W = Workload(**FIELDS, down=DOWN)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([5], [20], [3, 4]), "down times must have as many begins as ends and processors, but have [1, 1, 2]"),
        (([-1], [20], [3]), "down times must begin at second 0 or after the end of the one before, but number 1 is"),
        (([5, 19], [20, 30], [3, 4]), "down times must begin at second 0 or after the end of the one before, but num"),
        (
            ([5], [5], [3]),
            "down times must end after their begin and before second 9007199254740992, but number 1 is 5",
        ),
        (([5], [2**53], [3]), "down times must end after their begin and before second 9007199254740992, but number 1"),
        (([5, 9], [7, 12], [3, 0]), "down times must be of 1..2147483647 processors, but number 2 is 9..12 s with 0"),
        (
            ([5.0], [20], [3]),
            "begin of down times must be a list of whole numbers, but has type float64 and shape (1,)",
        ),
        (([5], [[20]], [3]), "end of down times must be a list of whole numbers, but has type int64 and shape (1, 1)"),
        (([5], [20], 3), "processors of down times must be a list of whole numbers, but has type int64 and shape ()"),
        (([5], [[20], [1, 2]], [3]), "end of down times must be a list of whole numbers, but is ragged"),
        ((np.array([2**63], np.uint64), [20], [3]), "begin of down times must be a list of whole numbers, but has"),
    ],
)
def test_every_rule_has_its_message(columns: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)):
        DownTimes(*columns)


@given(rows=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(1, 5)), max_size=8))
def test_intervals_add_up_second_by_second(rows: list[tuple[int, int, int]]) -> None:
    begin, length, width = (
        (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)) if rows else [[]] * 3
    )
    together = down_together(begin, np.add(begin, length), width)
    for t in range(45):
        expected = sum(w for b, d, w in rows if b <= t < b + d)
        assert together.processor_seconds(t, t + 1) == expected
    assert (together.begin[1:] > together.end[:-1]).sum() + (np.diff(together.processors) != 0).sum() >= len(
        together
    ) - 1
    assert together.processor_seconds(0, 45) == sum(d * w for _, d, w in rows)
    assert together.most == max((together.processor_seconds(t, t + 1) for t in range(45)), default=0)


def test_arrays_are_read_only_also_from_a_pickle() -> None:
    for down in (DOWN, pickle.loads(pickle.dumps(W)).down):
        assert down.columns() == {"begin": [5, 40], "end": [20, 60], "processors": [3, 8]}
        for column in (down.begin, down.end, down.processors):
            assert not column.flags.writeable


def test_more_processors_than_the_machine_has_are_refused() -> None:
    message = r"^down must be at most the 8 processors of the machine, but 9 are down from second 40 on$"
    with pytest.raises(InputError, match=message):
        Workload(**FIELDS, down=DownTimes([5, 40], [20, 60], [3, 9]))
    with pytest.raises(InputError, match=r"^down must be a value of the type DownTimes"):
        Workload(**FIELDS, down=[(5, 20, 3)])
    with pytest.raises(InputError, match=r"must stay below 2\^62"):
        Workload(**FIELDS | {"capacity": 2**20}, down=DownTimes([5], [2**50], [1]))


def test_no_down_times_are_none_and_change_no_digest() -> None:
    assert Workload(**FIELDS, down=DownTimes([], [], [])).down is None
    assert Workload(**FIELDS, down=DownTimes([], [], [])).digest == UP.digest
    assert W.digest != UP.digest
    for other in (
        DownTimes([5, 40], [20, 60], [3, 7]),
        DownTimes([5, 41], [20, 60], [3, 8]),
        DownTimes([5], [20], [3]),
    ):
        assert UP.with_(down=other).digest != W.digest
    # it is as it was before there were down times
    assert UP.digest == "a0a2cc07017e984653717ba48593f17204087b0188be80cca7113b633b3b9b75"


def test_the_latest_end_is_after_all_down_times() -> None:
    assert (UP.latest_end, W.latest_end) == (50 + 14, 60 + 14)


def test_it_is_shown() -> None:
    assert repr(W) == "<Workload workload: 3 jobs on 8 processors, of which up to 8 are down, 1 group>"
    assert repr(DOWN) == "<DownTimes: 2 times in seconds 5..60, at most 8 processors>"
    assert "<table" in DOWN._repr_html_()
    assert describe(UP)["down"] is None
    assert describe(W)["down"] == {"processor_hours": 205 / 3600, "percent": 100 * 205 / 480, "most": 8}
    text = "  down: 0.1 processor hours, 42.71 % of the machine; at most 8 processors at one time\n"
    assert text in description_text(describe(W))
    assert "down" not in description_text(describe(UP))


def test_a_frame_has_them() -> None:
    assert Workload.from_frame(W.frame()).digest == W.digest
    assert "down" not in UP.frame().attrs
    assert Workload.from_frame(W.frame(), down=None).digest == UP.digest
    frame = W.frame()
    frame.attrs["down"] = {"begin": [1]}
    with pytest.raises(InputError, match=r"^down times must have the columns begin, end, processors, but have others$"):
        Workload.from_frame(frame)


def test_parts_and_choices_of_jobs_keep_them() -> None:
    for part in (*split(W, 0.5), W.take([1]), W.with_(name="another"), W.in_arrival_order.jobs):
        assert part.down is DOWN


def test_a_larger_machine_has_the_same_share_down_rounded_up() -> None:
    larger = scale(W, 21, factor=3, seed=1)
    assert larger.down is not None
    assert larger.down.columns() == {"begin": [5, 40], "end": [20, 60], "processors": [8, 21]}
    assert scale(UP, 21, factor=3, seed=1).down is None


def test_another_year_has_none_and_says_so() -> None:
    w = random_workload(seed=1)
    users = np.arange(len(w)) % 5
    year = resample(w.with_(user=users, down=DownTimes([5], [20], [1])), seed=3)
    assert year.down is None
    assert year.repairs[-1].reason.startswith("the times in which processors were down are not those of another year")
    assert year.digest == resample(w.with_(user=users), seed=3).digest


@pytest.mark.parametrize("name", ["w.swf", "w.swf.gz"])
def test_they_are_beside_the_log_and_a_run_finds_them_again(name: str, tmp_path: Path) -> None:
    log = tmp_path / name
    write_swf(W, log)
    again = read_swf(log)
    assert again.down is not None
    assert again.down.columns() == DOWN.columns()
    assert again.names is not None
    assert again.names.down is None  # one place is enough
    write_swf(again, tmp_path / "copy.swf")
    assert read_swf(tmp_path / "copy.swf").digest == again.digest
    assert ps.reopen(ps.workload.reopening.record(again)).digest == again.digest
    write_swf(UP, log)
    assert not names_path(log).exists()
    assert read_swf(log).down is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"begin": [5, 40]', '"begin": [5, 19]', '"down": down times must begin at second 0 or after the end of the'),
        ('"begin": [5, 40]', '"begin": [5]', '"down": down times must have as many begins as ends and processors'),
        ('"begin": [5, 40]', '"begin": [5, 1e99]', "down.begin[1] must be a whole number, but is 1e+99; mend it"),
        (
            '"begin": [5, 40]',
            '"begin": [5, 9007199254740992]',
            '"down": all numbers must be below 2^53, but one is not',
        ),
        ('"begin": [5, 40]', '"start": [5, 40]', "down: the keys here are begin, end, processors, but there is also"),
        ('"processors": [3, 8]', '"processors": [3, 9]', "down must be at most the 8 processors of the machine, but 9"),
    ],
)
def test_damaged_ones_beside_a_log_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    log = tmp_path / "w.swf"
    write_swf(W, log)
    text = names_path(log).read_text()
    assert old in text
    names_path(log).write_text(text.replace(old, new))
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_swf(log)
    assert str(log) in str(caught.value)
    assert "\n" not in str(caught.value)
