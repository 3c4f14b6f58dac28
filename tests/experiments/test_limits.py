"""The experiment on limits: its path can be walked, a limit is kept, and its figures are those by hand."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.tables import load_rows
from support.experiments import modules, script


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from modules(monkeypatch, "limits", ("settings", "run", "analysis"))


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    script("limits", "run.py", "--quick", "--results", tmp_path)
    before = (tmp_path / "easy.csv").read_bytes()
    printed = script("limits", "run.py", "--quick", "--part", "easy", "--results", tmp_path)
    assert "CPU s" not in printed  # nothing is simulated again
    assert (tmp_path / "easy.csv").read_bytes() == before
    script("limits", "analysis.py", "--results", tmp_path)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on a made-up log" in summary
    assert "tried 24 sets of limits" in summary
    assert len(load_rows(tmp_path / "search.csv")) > 2
    assert "| 8 jobs | top three users |" in summary
    rows = load_rows(tmp_path / "easy.csv")
    assert len({row["mean"] for row in rows if row["group"] == "all jobs"}) > 2  # limits do something


def two_users() -> ps.Workload:
    """Four jobs of user 1 and one of user 2, of an hour and one core each, at 0 s on a node of four cores."""
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),), partitions=(ps.Partition("a", "n1", own_qos="normal"),))
    asked = ps.Requests(tasks=[1] * 5, memory_per_cpu=[1000] * 5, qos=["normal"] * 5)
    return ps.Workload(
        [0, 0, 0, 0, 1], [3600] * 5, [3600] * 5, [1] * 5, capacity=4, machine=machine, requests=asked,
        user=[1, 1, 1, 1, 2],
    )  # fmt: skip


def test_a_limit_of_cpus_holds_a_user_back_and_lets_another_in(limits: dict[str, ModuleType]) -> None:
    run, w = limits["run"], two_users()
    starts = {
        limit: ps.simulate(w.with_(machine=run.with_limit(w.machine, limit)), "easy").check().start.tolist()
        for limit in ("none", "8 jobs", "1/2 of the CPUs")
    }
    assert starts["none"] == starts["8 jobs"] == [0, 0, 0, 0, 3600]
    assert starts["1/2 of the CPUs"] == [0, 0, 3600, 3600, 1]
    assert run.with_limit(w.machine, "none").limits == ()
    assert dict(run.with_limit(w.machine, "8 jobs").limits[0].values) == {"MaxJobsPU": 8}


def test_figures_of_groups_by_hand(limits: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    """The user with most work is on top; the other one has most of the other jobs, so that none are left."""
    run, w = limits["run"], two_users()
    monkeypatch.setattr(limits["settings"], "TOP", 1)
    groups = run.groups_of(w)
    assert {name: of.tolist() for name, of in groups.items()} == {
        "all jobs": [True] * 5,
        "top three users": [True] * 4 + [False],
        "all others": [False] * 4 + [True],
        "of these the user with most jobs": [False] * 4 + [True],
        "of these users with few at once": [False] * 5,
        "of these the rest": [False] * 5,
    }
    w = w.with_(user=[1, 1, 1, 3, 2])  # of users 2 and 3 the first one counts as that with most jobs
    few = run.groups_of(w)["of these users with few at once"]
    assert few.tolist() == [False, False, False, True, False]
    monkeypatch.setattr(limits["settings"], "FEW", 0)
    assert run.groups_of(w)["of these the rest"].tolist() == few.tolist()
    schedule = ps.simulate(w, "easy")
    every, top, others, most, rest = run.rows_of(w, "none", lambda jobs: ps.simulate(jobs, "easy"))
    assert (every["jobs"], top["jobs"], others["jobs"]) == (5, 3, 2)
    assert (most["jobs"], rest["jobs"]) == (1, 1)
    assert (others["mean"], others["median"], others["p95"], others["worst"]) == (1800, 1800, 3599, 3599)
    assert (top["mean"], top["awrt"], others["awrt"]) == (0, 3600, 5400)
    assert every["awrt"] == round(schedule.objectives["AWRT"])
    assert (every["util"], every["week"]) == (62.5, 100.0)


def test_how_many_jobs_would_run_at_once(limits: dict[str, ModuleType]) -> None:
    w = ps.Workload([0, 5, 10, 10], [10, 10, 3, 3], [10, 10, 3, 3], [1] * 4, capacity=4)
    assert limits["run"].at_once(w, np.ones(4, dtype=np.bool_)) == 3  # the first one has ended when the others come
    assert limits["run"].at_once(w, np.array([True, True, False, False])) == 2


def test_a_limit_must_be_better_than_none_and_than_64_for_both(limits: dict[str, ModuleType]) -> None:
    analysis = limits["analysis"]

    def table(**waits: tuple[int, int]) -> dict[tuple[str, str], dict[str, str]]:
        pair = (*analysis.PAIR, "all jobs")
        return {
            (limit, group): {"mean": str(wait)}
            for limit, both in zip(("none", "64 jobs", "8 jobs"), waits.values(), strict=True)
            for group, wait in zip(pair, (*both, 0), strict=True)
        }

    assert analysis.dominating(table(none=(9, 9), some=(8, 10), few=(8, 9))) == ["8 jobs"]
    assert analysis.dominating(table(none=(9, 9), some=(8, 10), few=(7, 10))) == []
    assert analysis.dominating(table(none=(9, 9), some=(9, 9), few=(9, 9))) == []
