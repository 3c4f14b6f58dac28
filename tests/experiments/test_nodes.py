"""The experiment on nodes: its path can be walked, each step counts more, and its figures are those by hand."""

from __future__ import annotations

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
    yield from modules(monkeypatch, "nodes", ("settings", "run"))


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
