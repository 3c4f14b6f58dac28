"""What is timed runs, and equals its oracle: a benchmark that is only run by hand would fall behind unseen."""

import logging
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from benchmarks import bench_app, bench_cluster, bench_deploy, bench_kernels, bench_search
from benchmarks.bench_kernels import traces
from paretosched.core.tables import load_rows
from paretosched.search import evaluation, exploration
from paretosched.search.algorithms.named_algorithms import ALGORITHMS
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.swf import write_swf
from support.browser import executable
from support.commands import ROOT
from support.slurm_cluster import refusal

Run = Callable[..., tuple[Any, list[str]]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Return a function that runs a benchmark with some words; it returns the status, and the lines that it prints."""

    def main(module: ModuleType, *words: object) -> tuple[Any, list[str]]:
        monkeypatch.setattr("sys.argv", ["bench", *map(str, words)])
        status = module.main()
        return status, capsys.readouterr().out.splitlines()

    yield main
    logging.disable(logging.NOTSET)


def test_what_is_timed_on_traces_equals_its_oracle(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    workload = lublin(jobs=60, processors=32, seed=3)
    workload = workload.with_(submit=workload.submit + 165)  # no multiple of the period of fair shares
    monkeypatch.setattr(bench_kernels, "traces", lambda: [workload])
    run(bench_kernels, "--only", "traces", "--repeats", 1, "--csv", tmp_path / "times.csv")
    names = [row["policy"] for row in load_rows(tmp_path / "times.csv")]
    assert len(names) == len(set(names)) >= 19
    assert set(bench_kernels.GOALS) <= set(names)


def test_one_that_differs_from_its_oracle_is_no_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_kernels, "traces", lambda: [lublin(jobs=10, processors=32, seed=3)])
    differs = ("FCFS", [(lambda w: np.zeros(len(w)), lambda w: [1] * len(w))])
    monkeypatch.setattr(bench_kernels, "simulations", lambda groups: [differs])
    with pytest.raises(SystemExit, match="FCFS differs from the naive simulator on lublin"):
        run(bench_kernels, "--only", "traces")


@pytest.mark.slow
def test_deep_queues_are_timed_to_the_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ctc = lublin(jobs=100, processors=1024, seed=3).with_(name="CTC-SP2 at 1024")
    jobs_at_once = bench_kernels.small_long_and_short_wide
    monkeypatch.setattr(bench_kernels, "traces", lambda: [ctc])
    monkeypatch.setattr(bench_kernels, "lublin", lambda jobs, **words: lublin(jobs=jobs // 25, **words))
    monkeypatch.setattr(bench_kernels, "small_long_and_short_wide", lambda jobs: jobs_at_once(jobs // 25))
    _, lines = run(bench_kernels, "--only", "deep")
    assert len([line for line in lines if re.search(r" (met|MISSED)$", line)]) == 19
    assert len(lines) == 3 + 45 + 1  # with an empty one at the end


@pytest.mark.slow
def test_sizes_are_timed_in_processes_of_their_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(bench_kernels.SIZED) <= set(bench_kernels.policies(5))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    monkeypatch.setattr(bench_kernels, "SIZED", ("Greedy f1",))
    status, lines = run(bench_kernels, "--only", "sizes", "--largest", 4)
    assert status == 0
    assert re.fullmatch(r"Greedy f1 +[\d,]+ +- +[\d,]+", lines[-1].strip())


@pytest.mark.slow
@pytest.mark.long
def test_the_page_is_measured_to_the_end(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if executable() is None:
        assert run(bench_app)[1][0].startswith("NO BROWSER")
        pytest.skip("no browser")
    log = lublin(jobs=300, processors=64, seed=3)
    month = (log.submit - log.submit[0]) * (40 * 86_400) // int(np.ptp(log.submit))
    write_swf(log.with_(submit=month), tmp_path / "w.swf.gz")
    monkeypatch.setattr(bench_app, "EVALUATIONS", 100)
    _, lines = run(bench_app, "--points", 300, "--repeats", 1, "--trace", tmp_path / "w.swf.gz")
    seconds = [float(text) for line in lines for text in re.findall(r" (\d+\.\d\d) \(", line)]
    assert len(seconds) == 5 + len(bench_app.ANSWERED)
    assert max(seconds) < bench_app.PATIENCE / 1000  # all was answered


@pytest.mark.slow
def test_searches_are_measured_to_the_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(bench_search.ALGORITHMS) <= set(ALGORITHMS)
    monkeypatch.setattr(bench_search, "ALGORITHMS", bench_search.ALGORITHMS[:2])  # one of the others compiles for long
    monkeypatch.setattr(bench_search, "SECONDS", (0.05,))
    _, lines = run(bench_search, "--jobs", 200, "--evaluations", 300)
    rows = [line.split() for line in lines[2:]]
    assert [row[0] for row in rows] == list(bench_search.ALGORITHMS)
    assert all(0 < float(row[1]) < 1 for row in rows)


@pytest.mark.slow
def test_deployments_are_timed_to_the_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_deploy, "STARTS", 1)
    monkeypatch.setattr(bench_deploy, "PASSES", {20: 1})
    monkeypatch.setattr(bench_deploy, "GOALS", {20: 60.0})
    _, lines = run(bench_deploy)
    why = refusal()
    assert lines[0].startswith("start, 1 times: ")
    assert lines[1].startswith("NO SLURM: " if why else "first pass over 20 jobs, 1 times: ")


@pytest.mark.slow
@pytest.mark.long
def test_a_crowd_is_measured_to_the_end(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, drops_connections: None
) -> None:
    of_cluster(monkeypatch)
    run(bench_cluster, "--workers", 2, "--lag", 20, "--seconds", 3, "--csv", tmp_path / "crowd.csv")
    (row,) = load_rows(tmp_path / "crowd.csv")
    assert (row["workers"], row["lag"]) == ("2", "20")
    assert 0 < float(row["efficiency"]) < 2  # some had begun before


def test_sequences_of_many_workers_are_measured_to_the_end(capsys: Any) -> None:
    bench_cluster.sequences_of_many(300, 60)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["sequences, strict"] * 3 + ["sequences, earliest fit"] * 3


def of_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back at the end what its simulations replace; its processes find the helpers of tests."""
    monkeypatch.setattr(evaluation, "simulate_batch", evaluation.simulate_batch)
    monkeypatch.setattr(evaluation, "warm_up", evaluation.warm_up)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))


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
    bench_cluster.large_store(bench_cluster.LEAST_STORE)
    lines = capsys.readouterr().out.splitlines()
    begins = ("driver", "driver", "store", "read", "open to continue", "publish a front of", "continue", "memory")
    assert [line.startswith(begin) for line, begin in zip(lines, begins, strict=True)] == [True] * len(begins)


@pytest.mark.parametrize("words", [("--store", 3000), ("--seconds", 0.1)])
def test_what_is_too_short_to_be_measured_is_refused(
    words: tuple[str, float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench", *map(str, words)])
    with pytest.raises(SystemExit):
        bench_cluster.main()
    assert f"{words[0]} must be " in capsys.readouterr().err
