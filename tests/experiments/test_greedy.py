"""The experiment of paper 000: its numbers add up, and its path from nothing to a summary can be walked."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paretosched.core.tables import load_rows
from support.experiments import ROOT, modules, paper, script, without

SCRIPTS = ("later_jobs", "scalings", "untrained", "way", "settings")  # there are more experiments


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    yield from modules(monkeypatch, "greedy", SCRIPTS)


def rows_of(log: str, gains: list[float], exceeded: list[float], easy: float = 100.0) -> list[dict[str, str]]:
    """Return rows of a training with a seed for each gain; AWRT1 gains as much as the objective, AWRT2 loses it."""
    rows = []
    for seed, (gain, over) in enumerate(zip(gains, exceeded, strict=True)):
        for part in ("workloads", "rest"):
            about = {"training": f"rest-limits-{log}", "seed": str(seed), "part": part, "exceeded": str(over)}
            empty = {f"AWRT{i}": "" for i in (3, 4, 5)} | {f"AWRT{i}_vs_easy": "" for i in (3, 4, 5)}
            rows.append(about | empty | {"system": "EASY", "best": "False", "AWRT1": str(easy), "AWRT2": str(easy)})
            rows.append(about | empty | {"system": "f4", "best": "True", "vs_easy": str(gain), "AWRT": str(100 - gain)})
            rows[-1] |= {"AWRT_vs_easy": str(gain), "AWRT1_vs_easy": str(gain), "AWRT2_vs_easy": str(-gain)}
    return rows


def untrained_row(log: str, gain: float, scaling: int = 0, part: str = "rest", **cells: str) -> dict[str, str]:
    """Return a row of an untrained order whose group 1 has 46 jobs."""
    groups = {f"AWRT{i}_vs_easy": str(gain) for i in range(1, 6)}
    about = {"policy": "guarded: 1, 2", "log": log, "scaling": str(scaling), "part": part, "vs_easy": str(gain)}
    return about | {"AWRT_vs_easy": str(gain), "jobs1": "46"} | groups | cells


def test_conclusions_leave_out_where_nobody_waits_and_what_was_chosen_on(scripts: dict[str, Any]) -> None:
    later = scripts["later_jobs"]
    rows = rows_of("KTH", [4.0, -6.0], [0.0, 0.1]) + rows_of("CTC", [9.0], [0.2])
    rows += rows_of("LANL, requests raised", [5.0], [0.0])
    assert later.kept_in_words(rows) == "1 of 2 trainings, on KTH"
    rows += rows_of("NASA", [0.0, 0.0], [0.0, 0.0]) + rows_of("LANL", [-1.0], [0.1])
    assert later.idle_logs(rows) == ["NASA"]
    assert list(later.conclusive(rows)) == ["KTH", "LANL"]
    assert later.kept_in_words(rows) == "1 of 3 trainings, all on KTH"
    words = later.apart_in_words(rows)
    assert "Apart, CTC (chosen on): in the median +9.0 %" in words
    assert "LANL, requests raised (the same jobs again): in the median +5.0 %" in words


def test_the_log_chosen_on_is_the_last_and_lanl_stands_together(scripts: dict[str, Any]) -> None:
    names = ["rest-easy-CTC", "rest-easy-KTH", "rest-easy-LANL", "rest-easy-SDSC00", "rest-easy-LANL, requests raised"]
    order = sorted(names, key=scripts["later_jobs"].place_of)
    assert [name.removeprefix("rest-easy-") for name in order] == [
        "KTH",
        "LANL",
        "LANL, requests raised",
        "SDSC00",
        "CTC",
    ]


def test_trainings_are_set_against_untrained_orders(scripts: dict[str, Any]) -> None:
    later, rows = scripts["later_jobs"], rows_of("KTH", [4.0, 6.0], [0.0, 0.0]) + rows_of("CTC", [9.0], [0.0])
    alone = [untrained_row("KTH", 5.0), untrained_row("KTH", 7.0, scaling=1), untrained_row("CTC", 1.0)]
    words = later.against_untrained(rows, alone)
    assert words == " Seeds that gain more on the rest than `guarded: 1, 2`, untrained: KTH 1 of 2."
    elsewhere = [{"training": "rest-easy-KTH", "scaling": "1", "vs_easy": str(gain)} for gain in (6.0, 8.0, 9.0)]
    words = scripts["scalings"].against_untrained(elsewhere, alone, ("CTC",))
    assert words == " Trained with EASY, they gain more than `guarded: 1, 2` in 2 of 3 cases."
    assert later.few_jobs(alone) == {"KTH": "46", "CTC": "46"}


def test_the_share_of_group_1_is_of_the_gain(scripts: dict[str, Any]) -> None:
    rows = rows_of("KTH", [4.0], [0.0])
    for row in rows:
        easy = row["system"] == "EASY"
        row |= {"objective": "1400" if easy else "1000", "AWRT1": "100" if easy else "80"}
    assert scripts["later_jobs"].share_of_group_1(rows, "KTH") == pytest.approx(50)


def test_limits_are_kept_by_awrt_and_the_groups_without_weight(scripts: dict[str, Any]) -> None:
    keeps = scripts["later_jobs"].keeps_limits
    assert keeps(untrained_row("KTH", 1.0, AWRT1_vs_easy="-90", AWRT3_vs_easy="-25", AWRT5_vs_easy=""))
    assert not keeps(untrained_row("KTH", 1.0, AWRT4_vs_easy="-25.1"))
    assert not keeps(untrained_row("KTH", 1.0, AWRT_vs_easy="-0.1"))


def test_limits_kept_are_those_of_the_tables(scripts: dict[str, Any]) -> None:
    results, keeps = ROOT / "results" / "greedy", scripts["later_jobs"].keeps_limits
    rows = [row for row in load_rows(results / "rest-limits.csv") if row["part"] == "rest" and row["best"] == "True"]
    rows += load_rows(results / "untrained.csv")
    assert len(rows) > 100
    assert all(keeps(row) == (float(row["exceeded"]) == 0) for row in rows)


def test_every_part_is_in_the_results(scripts: dict[str, Any]) -> None:
    """The documented command writes these tables, and no others."""
    results = ROOT / "results" / "greedy"
    parts = {training.part for training in scripts["settings"].TRAININGS}
    parts |= {"positions", "raised", "weeks", "scalings", "untrained", "within", "trade-off", "known", "ends"}
    assert {path.stem for path in results.glob("*.csv")} == parts
    note = json.loads((results / "provenance.json").read_text("utf-8"))
    assert set(note["parts"]) == parts - {"trade-off", "known", "ends"}


def test_an_interval_belongs_to_the_policies_of_the_table(scripts: dict[str, Any]) -> None:
    rows = rows_of("KTH", [4.0, 6.0], [0.0, 0.1])
    weeks = [
        {"training": "rest-limits-KTH", "seed": str(k), "AWRT": awrt, "objective_low": low, "objective_high": "9"}
        for k, (awrt, low) in enumerate((("96", "1"), ("94", "2")))
    ]
    assert scripts["later_jobs"].interval("rest-limits-KTH", rows, weeks) == "+1.5 to +9.0"
    assert scripts["later_jobs"].interval("rest-limits-KTH", rows, [{**row, "AWRT": "95"} for row in weeks]) == "-"


def test_the_bound_is_of_the_same_workload(scripts: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "logs.csv"
    path.write_text(
        "log,as,wish,EASY,programme\nCTC,1024,10 and 4,1000.0,24.0\nKTH,1024,10 and 4,1000.0,31.0\n"
        "CTC,recorded,10 and 4,1000.0,57.0\nNASA,1024,10 and 4,1000.0,0.03\n",
        encoding="utf-8",
    )
    easy = {"CTC": "1000.0", "KTH": "1001.0", "NASA": "1000.0"}
    rows = [{"log": log, "policy": "EASY", "objective": value} for log, value in easy.items()]
    assert scripts["way"].bounds_of(rows, path) == {"CTC": 24.0}


def test_the_best_within_limits_is_of_the_log_and_a_weak_search_is_said(scripts: dict[str, Any]) -> None:
    way = scripts["way"]
    known = [
        {"evaluations": "100", "best_within": "15.0"},
        {"log": "KTH", "evaluations": "540", "best_within": "8.0"},
        {"log": "KTH", "evaluations": "540", "best_within": ""},
    ]
    within = way.best_within(known)
    assert within == {"CTC": 15.0, "KTH": 8.0}
    assert "(of how many schedules): 8.00 % on KTH (1,080)." in way.known_words(known, within)
    assert "none was searched for" in way.known_words(known[:1], way.best_within(known[:1]))
    assert way.known_words([], {}) == ""


def test_the_best_untrained_strategy_is_of_the_same_workload(scripts: dict[str, Any], tmp_path: Path) -> None:
    path, groups = tmp_path / "alone.csv", ",".join(["100"] * 6)
    heads = "log,system,objective,vs_easy,AWRT,AWRT1,AWRT2,AWRT3,AWRT4,AWRT5"
    systems = {"easy by wait": 1000, "easy by priority": 900, "fcfs by priority": 850, "fcfs by width": 990}
    lines = [f"CTC,{name},{value},{100 - value / 10},{groups}" for name, value in systems.items()]
    path.write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    best = scripts["untrained"].best_untrained
    assert best({"objective": "1000"}, "fcfs", path)["system"] == "fcfs by priority"
    assert best({"objective": "1000"}, "easy", path)["vs_easy"] == "10.0"
    assert best({"objective": "1001"}, "easy", path) == {}


def test_a_gain_outside_of_all_other_scalings_is_said(scripts: dict[str, Any]) -> None:
    rows = rows_of("KTH", [9.0], [0.0]) + rows_of("CTC", [5.0], [0.0])
    others = [{"training": f"rest-limits-{log}", "vs_easy": gain} for log in ("KTH", "CTC") for gain in ("4", "6")]
    found = scripts["scalings"].outside(others, {"rest-limits": rows, "rest-easy": [], "rest-none": []}, [])
    assert [words.partition(",")[0] for words in found] == ["The +9.0 % of KTH"]
    assert "no interval" in found[0]


def test_examples_hold(scripts: dict[str, Any]) -> None:
    assert all(doctest.testmod(scripts[name]).failed == 0 for name in ("later_jobs", "scalings", "way"))


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("greedy")
    assert all(row["source"].startswith("000, ") for row in rows)
    assert len({(row["item"], row["quantity"]) for row in rows}) == len(rows)


def test_table_3_gives_the_improvement_of_section_5() -> None:
    values = {(row["item"], row["quantity"]): row["value"] for row in paper("greedy")}
    easy, greedy = (10 * float(values[item, "AWRT1"]) + 4 * float(values[item, "AWRT2"]) for item in ("EASY", "GREEDY"))
    assert 100 * (1 - greedy / easy) == pytest.approx(9.498, abs=5e-4)  # "by more than 9 %"


def test_the_policies_are_those_of_the_tables(scripts: dict[str, Any]) -> None:
    """A training that is made again replaces its policies, too."""
    results, checked = ROOT / "results" / "greedy", 0
    for training in scripts["settings"].TRAININGS:
        table = results / f"{training.part}.csv"
        rows = scripts["later_jobs"].best_of(load_rows(table), training.name)
        for row in rows if len(training.logs) == 1 else []:
            policy = json.loads((results / "policies" / f"{training.file}-{row['seed']}.json").read_text("utf-8"))
            objective = policy["provenance"]["objective"]
            assert objective == pytest.approx(float(row["objective"]), rel=1e-9), (training.name, row["seed"])
            checked += 1
    assert checked > 100


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    places = ("--work", work, "--results", results)
    script("greedy", "run.py", "--quick", *places)
    script("greedy", "analysis.py", "--quick", "--no-figures", *places)
    summary = (results / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on made-up workloads" in summary
    assert "not run" not in summary
    for heading in (
        "Table III",
        "four criteria",
        "With EASY",
        "Figures 2 and 3",
        "positions",
        "CMA-ES",
        "Out of sample",
    ):
        assert heading in summary
    note = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert set(note["workloads"]) == {"CTC", "KTH", "LANL", "SDSC00", "SDSC96", "NASA"}
    again = (results / "none.csv").read_bytes()
    script("greedy", "run.py", "--quick", "--part", "none", *places)
    times = ("kernel_seconds", "wall_seconds")
    assert without(times, again) == without(times, (results / "none.csv").read_bytes())
