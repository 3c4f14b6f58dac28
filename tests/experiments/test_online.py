"""The experiment of online policies: its path can be walked, it continues, and rows of other logs stay."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.core.tables import load_rows
from paretosched.workload.user_groups import by_consumption
from support.experiments import ROOT, modules, script

SCRIPTS = ("run", "settings", "tried")  # there are more experiments


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    yield from modules(monkeypatch, "online", SCRIPTS)


def test_new_users_are_in_the_last_group_where_the_learning_ends(scripts: dict[str, Any]) -> None:
    """User 7 has done most in the end, but a tenth of the work when the learning ends; user 9 comes later."""
    words = {"run": [90, 10, 500, 1], "estimate": [500] * 4, "width": [1] * 4, "capacity": 1, "user": [8, 7, 7, 9]}
    source = ({"function": "lublin"},)
    whole = by_consumption(ps.Workload(submit=[0, 1, 2, 3], **words, source=source), [0.8, 0.05])
    assert whole.group.tolist() == [1, 0, 0, 2]
    split = scripts["settings"].Split("the middle", 0.0, 0.5, 1.0)
    parts = scripts["run"].learning_and_test(whole, split)
    assert [part.group.tolist() for part in parts] == [[0, 1], [1, 2]]


@pytest.mark.slow
def test_a_quick_run_writes_all_tables_and_continues(tmp_path: Path, scripts: dict[str, Any]) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    run = ("online", "run.py", "--quick", "--work", work, "--results", results)
    script(*run)
    of_trained, of_others = (load_rows(results / f"{part}.csv") for part in ("trained", "untrained"))
    assert {row["split"] for row in of_trained} == {row["split"] for row in of_others} == {"60 %", "70 %", "last 30 %"}
    easy = [row for row in of_others if row["policy"] == "easy"]
    assert {(row["objective_vs_easy"] or "0.0", row["exceeded"] or "0.0") for row in easy} == {("0.0", "0.0")}
    assert len({row["jobs"] for row in easy}) > 1
    of_estimates = load_rows(results / "estimates.csv")
    assert {row["estimates"] for row in of_estimates} == {"requested", "recent", "predicted", "exact"}
    assert len({row["AWRT"] for row in of_estimates}) > 2  # they make a difference
    of_scalings = load_rows(results / "scalings.csv")
    assert {row["scaling"] for row in of_scalings} == {"0", "1", "2", "3", "4"}
    of_log, on_larger = ([row for row in of_scalings if row["log"] == log] for log in ("CTC", "larger"))
    assert {row["policy"] for row in of_log} == {row["policy"] for row in (*of_trained, *of_others)}
    assert {row["policy"] for row in on_larger} == {"easy", "guarded: 1, 2", "guarded, limits"}
    for rows in (of_log, on_larger):
        assert len({row["AWRT"] for row in rows if row["policy"] == "easy"}) == 5
    assert {row["log"] for row in (*of_trained, *of_others)} == {"CTC"}  # they count in no other table
    tables = {path.name: path.read_bytes() for path in results.glob("*.csv")}
    assert script(*run) == ""  # nothing is trained again
    shutil.rmtree(work)
    assert script(*run) == ""  # nor where only the results are left
    assert {path.name: path.read_bytes() for path in results.glob("*.csv")} == tables
    script(*run, "--log", "SDSC96", "--part", "untrained")
    rows = load_rows(results / "untrained.csv")
    assert [row for row in rows if row["log"] == "CTC"] == of_others
    assert {row["log"] for row in rows} == {"CTC", "SDSC96"}
    note = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert (set(note["workloads"]), note["parts"]) == ({"CTC", "SDSC96"}, sorted(scripts["run"].PARTS))


def test_no_policy_within_the_limits_gains_more_than_is_proved_possible() -> None:
    results = ROOT / "results" / "online"
    most = {(row["log"], row["split"]): float(row["at_most_vs_easy"]) for row in load_rows(results / "bounds.csv")}
    rows = [row for part in ("untrained", "trained", "tenths") for row in load_rows(results / f"{part}.csv")]
    within = [row for row in rows if row["exceeded"] and float(row["exceeded"]) == 0]
    assert {(row["log"], row["split"]) for row in rows if row["exceeded"]} == most.keys()
    assert all(float(row["objective_vs_easy"]) <= most[row["log"], row["split"]] + 1e-9 for row in within)
