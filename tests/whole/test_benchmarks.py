"""What is timed runs, and equals its oracle: a benchmark that is only run by hand would fall behind unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.bench_cluster import large_store
from benchmarks.bench_kernels import simulations, traces
from paretosched.search import exploration
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.swf import write_swf


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


def test_a_large_store_is_measured_to_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(exploration, "simulations", exploration.simulations)  # which is put back
    large_store(11_000)  # tenths are longer than a lag
    lines = capsys.readouterr().out.splitlines()
    begins = ("driver", "driver", "store", "read", "open to continue", "publish a front of", "continue", "memory")
    assert [line.startswith(begin) for line, begin in zip(lines, begins, strict=True)] == [True] * len(begins)
