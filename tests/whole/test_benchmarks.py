"""What is timed runs, and equals its oracle: a benchmark that is only run by hand would fall behind unseen."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks import bench_deploy, bench_kernels
from benchmarks.bench_cluster import large_store
from benchmarks.bench_kernels import simulations, traces
from paretosched.search import exploration
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.swf import write_swf
from support.commands import ROOT


def test_everything_that_is_timed_equals_its_oracle() -> None:
    workload = lublin(jobs=60, processors=32, seed=3)
    names = []
    for name, variants in simulations(len(workload.groups)):
        names.append(name)
        for simulate, oracle in variants:
            assert simulate(workload).tolist() == list(oracle(workload)), name
    assert len(names) == len(set(names)) >= 19


def test_the_traces_that_are_there_are_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_swf(lublin(jobs=30, processors=100, seed=3), tmp_path / "KTH-SP2-1996.swf.gz")
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path))
    assert [(workload.name, workload.capacity) for workload in traces()] == [("KTH-SP2 at 1024", 1024)]
    assert "NO TRACES of CTC-SP2, LANL-CM5, SDSC-SP2, SDSC-Par-1996, NASA-iPSC" in capsys.readouterr().out


@pytest.mark.parametrize("missed", [False, True])
def test_the_status_says_whether_a_goal_is_missed(missed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["bench", "--only", "deep"])
    rows: list[dict[str, Any]] = [{"verdict": None}, {"verdict": "MISSED" if missed else "met"}]
    monkeypatch.setattr(bench_kernels, "per_deep_queue", lambda: rows)
    assert bench_kernels.main() == missed

    monkeypatch.setattr("sys.argv", ["bench"])
    monkeypatch.setattr(bench_deploy, "refusal", lambda: "")
    monkeypatch.setattr(bench_deploy, "starts", lambda *_: f"goal 5: {bench_deploy.verdict(4.9, 5)}")
    seconds = iter([5.1 if missed else 0.4, 0.4])  # the first of two misses
    monkeypatch.setattr(bench_deploy, "first_passes", lambda *_: f"goal: {bench_deploy.verdict(next(seconds), 5)}")
    assert bench_deploy.main() == missed
    assert next(seconds, None) is None


def test_a_missed_goal_hides_no_other_benchmark(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho "$*" >> {tmp_path}/ran\ncase $1 in *kernels*) exit 1;; esac\n', encoding="utf-8"
    )
    python.chmod(0o755)
    done = subprocess.run(["make", "-C", ROOT, "bench", "TESTED=", f"BIN={tmp_path}"], check=False, capture_output=True)
    assert done.returncode == 2
    ran = (tmp_path / "ran").read_text(encoding="utf-8").replace("tests/benchmarks/bench_", "").splitlines()
    assert ran == ["kernels.py", "app.py", "search.py", "deploy.py", "cluster.py", "cluster.py --store 1000000"]


def test_a_large_store_is_measured_to_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(exploration, "simulations", exploration.simulations)  # which is put back
    large_store(11_000)  # tenths are longer than a lag
    lines = capsys.readouterr().out.splitlines()
    begins = ("driver", "driver", "store", "read", "open to continue", "publish a front of", "continue", "memory")
    assert [line.startswith(begin) for line, begin in zip(lines, begins, strict=True)] == [True] * len(begins)
