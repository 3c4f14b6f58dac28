"""The experiment on a real Slurm: windows are what they should be, and its path can be walked."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.tables import load_rows, save_rows
from support.experiments import ROOT, script
from support.slurm_cluster import refusal

MODULES = ("common", "settings", "deploy_on_fast_clock", "replay", "run", "analysis")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    for place in (ROOT / "experiments", ROOT / "experiments" / "slurm"):
        monkeypatch.syspath_prepend(str(place))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("run")
    for name in MODULES:
        sys.modules.pop(name, None)


def test_a_window_begins_with_what_ran_and_what_waited(run: Any) -> None:
    w = ps.Workload(
        submit=[0, 10, 20, 50, 70, 500],
        run=[100, 30, 30, 60, 5, 5],
        estimate=[200, 90, 30, 60, 90, 5],
        width=[2, 1, 2, 1, 1, 1],
        capacity=3,
        wait=[0, 0, 80, 60, 1, 0],
        zone="Europe/Berlin",
    )
    window = run.window_at("KTH", w, 0, since=40, length=60)
    # job 1 still runs for 60 s; job 2 has ended; job 3 waits; jobs 4 and 5 come after 10 and 30 s
    assert window.jobs.job.tolist() == [1, 3, 4, 5]
    assert window.jobs.submit.tolist() == [0, 20, 40 + 10, 40 + 30]
    assert window.jobs.run.tolist() == [60, 30, 60, 5]
    assert window.jobs.estimate.tolist() == [180, 60, 60, 120]  # whole minutes
    assert window.counted.tolist() == [False, True, True, True]
    # the same second of the week, in the local time of the log, in another year
    local = w.epoch + 40 + 3600
    assert (window.jobs.epoch - local) % (7 * 86400) == 0
    assert window.jobs.epoch >= run.LATER
    assert run.window_at("KTH", w, 0, since=600, length=60) is None


def test_windows_are_the_same_each_time(run: Any) -> None:
    one, again = (run.windows_of.__wrapped__("KTH", 2, True) for _ in range(2))
    assert [window.jobs.digest for window in one] == [window.jobs.digest for window in again]
    assert one[0].since != one[1].since
    learnt = run.learning_part("KTH", True)
    assert all(window.since >= learnt.submit[-1] for window in one)
    assert all({0, 1} <= set(window.jobs.group[window.counted].tolist()) for window in one)


def test_a_replay_that_is_the_simulation_agrees_with_it(run: Any) -> None:
    window = run.windows_of("KTH", 1, True)[0]
    start = ps.simulate(window.jobs, "easy").start
    late = np.full(len(start), 2)  # Slurm had them later, and started them later
    record = {"submit": (window.jobs.submit + late).tolist(), "start": (start + late).tolist()}
    record |= {"end": [-1] * len(start), "daemon": {}, "samples": [], "wall_seconds": 1, "conf": ""}
    system = next(each for each in run.settings.SYSTEMS if each.name == run.settings.STOCK)
    row, _ = run.rows_of_replay(window, system, record, None)
    assert (row["twin"], row["difference_median"], row["pairs_turned"]) == ("easy", 0, 0)
    assert row["objective"] == pytest.approx(row["simulated_objective"])
    assert row["correlation"] == pytest.approx(1)
    assert (row["late_median"], row["late_most"], row["longer_mean"]) == (2, 2, None)


def test_rows_of_earlier_replays_stay_and_those_of_new_ones_replace_them(run: Any, tmp_path: Path) -> None:
    def row(window: int, system: str, jobs: int) -> dict[str, Any]:
        return {"log": "KTH", "window": window, "system": system, "twin": "easy", "jobs": jobs}

    save_rows([row(0, "stock", 1), row(1, "stock", 2)], tmp_path / "windows.csv")
    new = [row(10, "coarse", 5), row(0, "coarse", 3), row(1, "stock", 4)]
    rows = run.with_earlier(new, tmp_path, "windows.csv")
    got = [(int(each["window"]), each["system"], int(each["jobs"])) for each in rows]
    assert got == [(0, "stock", 1), (0, "coarse", 3), (1, "stock", 4), (10, "coarse", 5)]


def test_a_wait_for_nodes_that_do_not_respond_ends_and_names_them(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = sys.modules["replay"]
    second = [0.0]
    clock = {"monotonic": lambda: second[0], "sleep": lambda seconds: second.__setitem__(0, second[0] + seconds)}
    monkeypatch.setattr(replay, "time", SimpleNamespace(**clock))

    class Cluster:
        """Two jobs wait for ever; until second 1000 another runs."""

        def call(self, *words: object, wait: float) -> str:
            return "7\n8\n" if "PD" in words else "6\n" * (second[0] <= 1000)

        def nodes(self) -> str:
            return "n1 idle*"

        def logs(self) -> str:
            return ""

    with pytest.raises(RuntimeError, match=r"^2 jobs wait, and for 300 s none has run.* Nodes: n1 idle\*"):
        replay.wait_for_starts(Cluster(), None)
    assert 1300 < second[0] < 1310


def test_priorities_that_are_the_model_agree_with_it(run: Any) -> None:
    window = run.windows_of("KTH", 1, True)[0]
    w = window.jobs
    policy = ps.as_policy("order: -estimate * width")
    waiting, second = range(5, 25), int(w.submit[30])
    keys = -(w.estimate * w.width)
    numbers = [100 + row for row in range(len(w))]
    sample = {"time": w.epoch + second, "numbers": numbers}
    real = {str(numbers[row]): int(keys[row]) for row in waiting}
    record: dict[str, Any] = {"submit": [-1, *w.submit[1:].tolist()], "start": w.submit.tolist(), "end": [-1] * len(w)}
    record["samples"] = [sample | {"priority": real | {"7": 1}}]
    assert run.priority_pairs(window, policy, record) == (190, 190)
    turned = {job: -key for job, key in real.items()}
    alike = sum(a == b for i, a in enumerate(real.values()) for b in list(real.values())[:i])
    assert run.priority_pairs(window, policy, record | {"samples": [sample | {"priority": turned}]}) == (190, alike)


@pytest.mark.slow
def test_what_is_proved_of_the_windows_takes_no_slurm_and_no_policy_gains_more(run: Any, tmp_path: Path) -> None:
    words = ("slurm", "run.py", "--quick", "--part", "bound", "--work", tmp_path, "--results", tmp_path, "--windows", 2)
    script(*words)
    rows = load_rows(tmp_path / "bound.csv")
    assert [(row["log"], row["window"]) for row in rows] == [("KTH", "0"), ("KTH", "1")]
    for row, window in zip(rows, run.windows_of("KTH", 2, quick=True), strict=True):
        easy, *others = (
            run.f_obj(ps.objectives(ps.simulate(window.jobs, policy), window.counted))
            for policy in ("easy", "priority:1,2", "sjf", "priority:2,1; backfill: easy:8")
        )
        assert 0 < max(100 * (1 - other / easy) for other in others) < float(row["at most %"]) < 100
    script(*words, "--window", 1)  # the other window's row stays
    assert load_rows(tmp_path / "bound.csv") == rows
    assert not (tmp_path / "windows.csv").exists()


@pytest.mark.slow
@pytest.mark.long
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    if why := refusal(fast=True):
        pytest.skip(f"NO SLURM: {why}; the experiment on a real Slurm was not tried")
    work, results = tmp_path / "work", tmp_path / "results"
    words = ("slurm", "run.py", "--quick", "--work", work, "--results", results)
    script(*words)
    rows = load_rows(results / "windows.csv")
    assert [(row["system"], row["twin"]) for row in rows] == [
        ("stock", "easy"),
        ("stock", "conservative"),
        ("deployed", "policy"),
    ]
    deployed = rows[2]
    assert int(deployed["daemon_passes"]) > 5
    assert float(deployed["objective"]) == pytest.approx(float(deployed["simulated_objective"]), rel=0.5)
    assert int(deployed["pairs_turned"]) < int(deployed["pairs"]) / 2
    script(*words)  # nothing is replayed again
    assert load_rows(results / "windows.csv") == rows
    summary = script("slurm", "analysis.py", "--no-figures", "--results", results)
    for part in ("A quick run on a made-up log", "## Gain of the trained policy", "**KTH: ", "Did the clock keep up?"):
        assert part in summary
