"""The experiment on nodes: its path can be walked, each step counts more, and its figures are those by hand."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import paretosched as ps
from support.experiments import modules, script


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from modules(monkeypatch, "nodes", ("settings", "records", "run"))


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    script("nodes", "run.py", "--quick", "--results", tmp_path)
    script("nodes", "analysis.py", "--results", tmp_path)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on a made-up machine" in summary
    assert "| UB CCR, a week | features |" in summary
    assert "## A real Slurm" not in summary  # of which there are no made-up runs


def test_without_what_a_step_counts_jobs_ask_for_nothing_of_it(nodes: dict[str, ModuleType]) -> None:
    """Two jobs of a node's whole memory run one after the other, and beside each other where memory does not count."""
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000, {"gpu": 1}, features=("old",)),))
    asked = ps.Requests(tasks=[1, 1], memory_per_node=[8000, 8000], constraint=["old", "old"])
    w = ps.Workload([0, 0], [60, 60], [60, 60], [1, 1], capacity=4, machine=machine, requests=asked)
    without, unsaid = nodes["run"].without, set(nodes["settings"].UNSAID)
    assert ps.simulate(w, "easy").start.tolist() == [0, 60]
    assert ps.simulate(without(w, {"constraint", "gpus_per_node"}), "easy").start.tolist() == [0, 60]
    assert ps.simulate(without(w, unsaid), "easy").start.tolist() == [0, 0]
    assert [*nodes["settings"].STEPS.values()][-1] == ("constraint",)
    assert {key for step in nodes["settings"].STEPS.values() for key in step} == unsaid


def test_pairs_are_those_that_waited_together_in_both(nodes: dict[str, ModuleType]) -> None:
    """The first two wait together in both and swap; the third is submitted when both have started."""
    submit, one, other = np.array([0, 0, 50]), np.array([10, 20, 60]), np.array([30, 20, 60])
    assert nodes["run"].agreement(submit, one, other) == 0.0
    assert nodes["run"].agreement(submit, one, one) == 100.0


def test_figures_of_a_run_by_hand(nodes: dict[str, ModuleType]) -> None:
    run = pd.DataFrame(
        {"submit": [0, 0], "run": [3600, 3600], "width": [60, 120], "gpus": [True, False], "big": [False, True]}
    )
    row = nodes["run"].numbers_of("x", run, np.array([0, 3600]))
    assert row == {
        "of": "x", "jobs": 2, "wait": 0.5, "wait GPUs": 0.0, "wait big": 1.0, "AWRT": 1.667, "UTIL": 75.0,
    }  # fmt: skip


def test_a_log_that_says_where_jobs_ran_is_read_with_what_they_asked_for(
    nodes: dict[str, ModuleType], tmp_path: Path
) -> None:
    """The first job asks for two nodes of the second cluster, alone; the second one ran on the first, as it may."""
    (tmp_path / nodes["records"].CLUSTERS).write_text(
        "0\tbig\t2\t80\t1\t8388608\n1\tsmall\t3\t12\t1\t4194304\n", "utf-8"
    )
    asked = ("{1300,1301} q 2:ppn=1:cl_small#excl", "{1200} q 1:ppn=1", "{1200} q -")
    runs = (60, 60, -1)  # the last one never ran
    lines = [
        f"{job} {job} 5 {run} {2 - job} -1 -1 {2 - job} 90 4294967296 1 7 1 1 -1 1 1 1 {rest}"
        for job, (run, rest) in enumerate(zip(runs, asked, strict=True))
    ]
    with gzip.open(tmp_path / nodes["records"].METACENTRUM, "wt") as file:
        file.write("; a header\n" + "\n".join(lines) + "\n")
    record = nodes["records"].metacentrum(tmp_path)
    w = record.w
    assert w.machine.names == ("big1", "big2", "small1", "small2", "small3")
    assert record.kind.tolist() == ["small", "big"]
    assert record.hosts == {"big": 1, "small": 1}
    assert w.requests.memory_per_node.tolist() == [2048, 4096]
    assert w.requests.constraint.list() == ["cl_small", ""]
    schedule = ps.simulate(w, "easy").check()
    assert nodes["records"].kinds_of_nodes(record, schedule).tolist() == ["small", "small"]
    assert schedule.start.tolist() == w.submit.tolist()
