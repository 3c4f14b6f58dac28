"""`paretosched assign` assigns the jobs of lists to nodes."""

import csv
from pathlib import Path

import pytest

from paretosched.assignment.methods import METHODS
from support.assignment import write_list
from support.commands import command, succeed


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    write_list(tmp_path / "jobs.csv", "job,workload\na,8\nb,2\nc,2\n")
    write_list(tmp_path / "sizes.csv", "job,size\nsort,20\nsort,40\nlist,5\n")
    write_list(tmp_path / "nodes.csv", "node,speed\nslow,1\nfast,4\n")
    write_list(tmp_path / "past.csv", "job,size,workload\nsort,10,5\nsort,30,9\n")
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_assign_writes_who_runs_where_and_when(lists: Path) -> None:
    outcome = succeed("assign", lists / "jobs.csv", lists / "nodes.csv", "-o", lists / "a.csv")
    assert [list(row.values()) for row in rows(lists / "a.csv")] == [
        ["a", "8.0", "fast", "0.0", "2.0"],
        ["b", "2.0", "slow", "0.0", "2.0"],
        ["c", "2.0", "fast", "2.0", "2.5"],
    ]
    assert outcome.out.startswith("lpt: 3 jobs on 2 nodes\n")
    assert "no assignment ends before 2.4, the time of divisible jobs (2.4)" in outcome.out
    assert "fcfs" in outcome.out


@pytest.mark.parametrize("method", METHODS)
def test_assign_in_json_for_every_method(lists: Path, method: str) -> None:
    arguments = ("assign", lists / "jobs.csv", lists / "nodes.csv", "--method", method, "--seed", 2, "--json")
    outcome = succeed(*arguments, "-o", lists / "a.csv")
    assert outcome.json["method"] == method
    assert outcome.json["bound"] == outcome.json["divisible"] == 2.4
    assert outcome.json["makespan"] == max(float(row["finish"]) for row in rows(lists / "a.csv"))
    assert outcome.json["others"].keys() == {"fcfs", "lpt"} - {method}
    assert succeed(*arguments).out == outcome.out


def test_assign_estimates_workloads_from_past_runs(lists: Path) -> None:
    arguments = (
        "assign",
        lists / "sizes.csv",
        lists / "nodes.csv",
        "--history",
        lists / "past.csv",
        "-o",
        lists / "a.csv",
    )
    outcome = succeed(*arguments)
    assert "no workload is known of 1 of 3 jobs, which are left out (queue Q1): list" in outcome.err
    assert [row["workload"] for row in rows(lists / "a.csv")] == ["7.0", "11.0", ""]
    assert list(rows(lists / "a.csv")[2].values()) == ["list", "", "", "", ""]
    succeed(*arguments, "--line", "printed")
    assert [row["workload"] for row in rows(lists / "a.csv")] == ["4.0", "8.0", ""]
    (lists / "other.csv").write_text("job,size,workload\nanother,1,1\nanother,2,2\n")
    outcome = command("assign", lists / "sizes.csv", lists / "nodes.csv", "--history", lists / "other.csv")
    assert outcome.status == 2
    assert "none could be estimated from its size" in outcome.err


def test_without_past_runs_the_size_is_the_workload(lists: Path) -> None:
    (lists / "works.csv").write_text((lists / "sizes.csv").read_text().replace("size", "workload"))
    by_size, by_workload = (
        succeed("assign", lists / name, lists / "nodes.csv", "-o", lists / f"by-{name}")
        for name in ("sizes.csv", "works.csv")
    )
    assert (lists / "by-sizes.csv").read_text() == (lists / "by-works.csv").read_text()
    assert "the size of a job is taken as its workload" in by_size.err
    assert by_workload.err == ""


def test_assign_takes_what_the_paper_leaves_open(lists: Path) -> None:
    arguments = ("assign", lists / "jobs.csv", lists / "nodes.csv", "--method", "pgga")
    numbers = ("--population", 4, "--tournament", 3, "--crossover", 0.5, "--mutation", 0.1, "--elite", 2, "--keep", 0.3)
    first = ("--tolerance", 0, "--start", "lpt", "--start", "fcfs", "--iterations", 7)
    outcome_of_pgga = succeed(*arguments, *numbers, *first, "--json")
    assert outcome_of_pgga.json["makespan"] <= 2.5
    outcome = command(*arguments[:-1], "fcfs", "--elite", 2)
    assert outcome.err == "paretosched assign: --elite: belongs to tga and pgga; it does not go with fcfs\n"


def test_assign_overwrites_none_of_its_inputs(lists: Path) -> None:
    for name, what in (("jobs", "the list of jobs"), ("nodes", "the list of nodes"), ("past", "the past runs")):
        outcome = command(
            "assign",
            lists / "jobs.csv",
            lists / "nodes.csv",
            "--history",
            lists / "past.csv",
            "-o",
            lists / f"{name}.csv",
        )
        assert outcome.status == 2
        assert f"--output would overwrite {what}" in outcome.err
