"""What jobs ask for beside processors and time: in records, beside logs, and in simulations."""

import json
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.log_names import BESIDE, Names, PerJob, names_path, read_names
from paretosched.workload.requests import (
    FIELDS,
    MEMORY,
    beside_log,
    kilobytes_each,
    records_asking,
    requests_of,
    with_requests,
)
from paretosched.workload.workload import Workload

LINE = "{} {} 0 10 4 -1 -1 4 20 {} 1 3 -1 -1 -1 -1 -1 -1\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Write a log of three jobs of four processors; of the second one no memory is known."""
    path = tmp_path / "w.swf"
    lines = [LINE.format(1, 0, 2048), LINE.format(2, 1, -1), LINE.format(3, 2, 1)]
    path.write_text("; MaxProcs: 8\n" + "".join(lines))
    return path


def asking(log: Path) -> Workload:
    """Return the jobs of the log, which ask for nodes, GPUs and nice values."""
    beside = {
        "nodes": PerJob(np.array([3, 1, 77]), np.array([4, 2, 9])),
        "gpus": PerJob(np.array([2]), np.array([8])),
        "nice": PerJob(np.array([1, 3]), np.array([-100, 50])),
    }
    return with_requests(ps.read_swf(log), beside)


def all_of(w: Workload) -> dict[str, list[int]]:
    return {word: requests_of(w, word).tolist() for word in ("memory", *BESIDE)}


ASKED = {"memory": [8, 0, 1], "nodes": [2, 1, 4], "gpus": [0, 8, 0], "nice": [-100, 0, 50]}


def test_memory_is_that_of_all_processors_and_the_rest_is_beside_the_log(log: Path) -> None:
    assert all_of(ps.read_swf(log)) == ASKED | {"nodes": [1, 1, 1], "gpus": [0, 0, 0], "nice": [0, 0, 0]}
    assert all_of(asking(log)) == ASKED
    assert all_of(ps.lublin(3, 32, 1)) == {"memory": [0] * 3, "nodes": [1] * 3, "gpus": [0] * 3, "nice": [0] * 3}


@pytest.mark.parametrize("width", [1, 3, 64, 1000])
def test_whole_megabytes_survive_the_way_into_a_log(width: int) -> None:
    megabytes = np.arange(1, 3000)
    each = kilobytes_each(1024 * megabytes, np.full_like(megabytes, width))
    jobs = Workload(megabytes, megabytes * 0 + 1, megabytes * 0 + 1, np.full_like(megabytes, width), 1000)
    nothing = megabytes * 0
    assert requests_of(jobs.with_(records=records_asking(each, nothing, nothing, nothing)), "memory").tolist() == (
        megabytes.tolist()
    )
    assert kilobytes_each(np.array([-1, 0]), np.array([4, 4])).tolist() == [-1, 0]


def test_what_jobs_ask_for_goes_with_them(log: Path) -> None:
    w = asking(log)
    assert all_of(w.take([2, 2])) == {word: 2 * column[2:] for word, column in ASKED.items()}
    scaled = all_of(ps.scale(w, 16, seed=1))
    rows = [ASKED["nice"].index(value) for value in scaled["nice"]]
    assert len(rows) > 3
    assert scaled["gpus"] == [ASKED["gpus"][row] for row in rows]
    assert scaled["nodes"] == [ASKED["nodes"][row] for row in rows]


def test_a_log_is_written_with_what_its_jobs_ask_for(log: Path, tmp_path: Path) -> None:
    w = asking(log)
    assert {word: (each.job.tolist(), each.value.tolist()) for word, each in beside_log(w).items()} == {
        "nodes": ([1, 3], [2, 4]),
        "gpus": ([2], [8]),
        "nice": ([1, 3], [-100, 50]),
    }
    ps.write_swf(w, tmp_path / "again.swf")
    beside = json.loads(names_path(tmp_path / "again.swf").read_text())["asked"]
    assert beside == {"nodes": {"2": [1], "4": [3]}, "gpus": {"8": [2]}, "nice": {"-100": [1], "50": [3]}}
    again = ps.read_swf(tmp_path / "again.swf")
    assert all_of(again) == ASKED
    assert again.names is not None
    assert again.names.asked == {}  # they are in the workload
    assert again.digest == w.digest
    with pytest.raises(ps.InputError, match="must have numbers of their own, but several jobs have number 2"):
        ps.write_swf(w.with_(job=[2, 2, 3]), tmp_path / "twice.swf")


@pytest.mark.parametrize(
    ("asked", "fact"),
    [
        ({"cores": {"2": [1]}}, '"asked", "cores": must be one of nodes, gpus, nice'),
        ({"gpus": {"-1": [1]}}, '"asked", "gpus": a key must be a whole number in 0..2147483647 as text, but is "-1"'),
        ({"nice": {"1.5": [1]}}, 'a key must be a whole number in -2147483647..2147483647 as text, but is "1.5"'),
        ({"nice": {str(2**31): [1]}}, "as text, but is"),
        ({"gpus": {"1": [1], "2": [3, 1]}}, '"asked", "gpus": a job must come once, but several times comes 1'),
        ({"gpus": {"1": [2**53]}}, "all numbers must be below 2^53, but one is not"),
        ({"gpus": {"1": 5}}, "asked"),
    ],
)
def test_damaged_files_are_refused(log: Path, asked: object, fact: str) -> None:
    ps.write_swf(asking(log), log)
    content = json.loads(names_path(log).read_text())
    names_path(log).write_text(json.dumps(content | {"asked": asked}))
    with pytest.raises(ps.InputError) as error:
        read_names(log)
    assert fact in str(error.value)


def test_formulas_order_by_what_jobs_ask_for(log: Path) -> None:
    w = asking(log).with_(submit=[0, 0, 0], width=[8, 8, 8])
    for formula, order in (
        ("gpus", [1, 0, 2]),
        ("nodes", [2, 0, 1]),
        ("smallest nice", [0, 1, 2]),
        ("memory", [0, 2, 1]),
        ("wait / 1000 - nice", [0, 1, 2]),
    ):
        start = ps.simulate(w, f"order: {formula}; backfill: none").start
        assert np.argsort(start).tolist() == order, formula


def test_usage_and_memory_in_one_formula_keep_jobs_of_different_memory_apart(log: Path) -> None:
    """One queue an account holds jobs of equal keys only: those that differ in memory have queues of their own."""
    w = asking(log).with_(submit=[0, 0, 0], width=[8, 8, 8], user=[3, 3, 3])
    start = ps.simulate(w, "order: memory - usage; usage: user; half-life: 1d; backfill: none").start
    assert np.argsort(start).tolist() == [0, 2, 1]


def test_records_have_the_fields_of_the_format_or_three_more() -> None:
    one = np.ones(2, dtype=np.int64)
    records = records_asking(5 * one, 2 * one, 3 * one, -one)
    assert records.shape == (2, FIELDS + len(BESIDE))
    assert records.column(MEMORY).tolist() == [5, 5]
    assert records.column(0).tolist() == [-1, -1]


def test_names_alone_do_not_change_a_log_without_records() -> None:
    w = ps.lublin(3, 32, 1).with_(records=None)
    assert with_requests(w, {"gpus": PerJob(np.array([1]), np.array([2]))}) is w
    assert Names().asked == {}
