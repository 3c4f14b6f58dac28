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

SCRIPTS = ("later_jobs", "raised", "scalings", "untrained", "way", "settings")  # there are more experiments


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
    parts |= {"positions", "positions-raised", "raised", "weeks", "scalings", "untrained", "within", "within-raised"}
    parts |= {"trade-off", "known"}
    assert {path.stem for path in results.glob("*.csv")} == parts
    note = json.loads((results / "provenance.json").read_text("utf-8"))
    assert set(note["parts"]) == parts - {"trade-off", "known"}


def test_an_interval_belongs_to_the_policies_of_the_table(scripts: dict[str, Any]) -> None:
    rows = rows_of("KTH", [4.0, 6.0], [0.0, 0.1])
    weeks = [
        {"training": "rest-limits-KTH", "seed": str(k), "AWRT": awrt, "objective_low": low, "objective_high": "9"}
        for k, (awrt, low) in enumerate((("96", "1"), ("94", "2")))
    ]
    assert scripts["later_jobs"].interval("rest-limits-KTH", rows, weeks) == "+1.5 to +9.0"
    assert scripts["later_jobs"].interval("rest-limits-KTH", rows, [{**row, "AWRT": "95"} for row in weeks]) == "-"


def position(log: str, policy: str, gain: float, **cells: str) -> dict[str, str]:
    """Return a row of a policy beside a front of 100 schedules; all response times gain as much as the objective."""
    times = {name: str(100 - gain) for name in ("AWRT", *(f"AWRT{i}" for i in range(1, 6)))}
    gains = {f"{name}_vs_easy": str(gain) for name in times}
    about = {"log": log, "policy": policy, "front": "100", "dominated_by": "0", "at_most_vs_easy": "20.0"}
    return about | times | gains | {"objective_vs_easy": str(gain)} | cells


def test_only_logs_with_something_to_gain_have_a_bound(scripts: dict[str, Any]) -> None:
    rows = [position("CTC", "EASY", 0.0), position("NASA", "EASY", 0.0, at_most_vs_easy="0.02")]
    rows += [position("KTH", "FCFS", -5.0)]
    assert scripts["way"].bounds_of(rows) == {"CTC": 20.0}


def test_the_bound_is_the_one_that_is_proved_for_the_log(scripts: dict[str, Any]) -> None:
    """`compare` and results/bounds prove the same."""
    results = ROOT / "results"
    proved = {
        row["log"]: float(row["programme"])
        for row in load_rows(results / "bounds" / "logs.csv")
        if (row["as"], row["wish"]) == ("1024", "10 and 4")
    }
    bounds = scripts["way"].bounds_of(load_rows(results / "greedy" / "positions.csv"))
    assert bounds == pytest.approx({log: proved[log] for log in bounds}, abs=1e-3)
    assert set(bounds) == {"CTC", "KTH", "LANL", "SDSC00", "SDSC96"}


def test_what_lanls_reading_changes_is_of_the_policies_that_are_there_both_ways(scripts: dict[str, Any]) -> None:
    way, (title, *_), raised = scripts["way"], scripts["settings"].APPLIED.values(), scripts["settings"].RAISED
    rows = [position("LANL", "EASY", 0.0), position(raised, "EASY", 0.0, at_most_vs_easy="40.0")]
    assert way.lanl_in_words(rows, way.bounds_of(rows)) == ""
    rows += [position("LANL", title, 10.0), position(raised, title, 10.0, AWRT4_vs_easy="-30", dominated_by="7")]
    rows += [position(raised, "there once", 40.0)]
    words = way.lanl_in_words(rows, way.bounds_of(rows))
    assert (
        "with runs cut 20.0 %, the trained ones that are there both ways gain 50 to 50 % of it, 1 of 1 keep the limits"
        in words
    )
    assert "raised it is 40.0 %, the trained ones that are there both ways gain 25 to 25 % of it, 0 of 1 keep" in words
    assert "dominated by up to 7 of 100 schedules" in words


def test_groups_that_the_limits_do_not_bound_are_counted_too(scripts: dict[str, Any]) -> None:
    """A kept limit beside a group that loses thousands of per cent would mislead."""
    scalings = scripts["scalings"]
    rows = [
        {
            "training": "rest-easy-KTH",
            "vs_easy": "5",
            "AWRT_vs_easy": "1",
            "exceeded": over,
            "worst_group_vs_easy": worst,
        }
        for over, worst in (("0.0", "-10"), ("0.0", "-3000"), ("0.1", "-30"))
    ]
    assert scalings.cells_of(rows)[-3:] == ["-3,000 to -10 %", "2 of 3", "1 of 3"]
    words = scalings.hidden_in_words(rows, [])
    assert "1 of KTH with EASY (down to -3,000 %)" in words
    assert scalings.hidden_in_words(rows[::2], []) == ""


def test_lanl_is_applied_both_ways_and_said_where_the_paper_has_it_otherwise(scripts: dict[str, Any]) -> None:
    raised, paper_has = scripts["raised"], {("figure 2", "LANL"): "better", ("figure 3", "LANL"): "better"}
    of_logs = {log: position(log, "any", 5.0) for log in raised.LOGS}
    by_policy = dict.fromkeys(raised.TRAINED, of_logs)
    assert raised.verdicts(by_policy, paper_has).count("as it is here both ways") == 2
    worse = {**of_logs, "LANL": position("LANL", "any", -1.0)}
    words = raised.verdicts({**by_policy, raised.OF_FIGURE[3][1]: worse}, paper_has)
    assert f"it is not: {raised.OF_FIGURE[3][1]}, with runs cut." in words
    easy = {log: position(log, "EASY", 0.0) for log in raised.LOGS}
    words = raised.what_changes({**by_policy, raised.TRAINED[0]: worse}, easy)
    assert f"Of all {len(raised.TRAINED)} trained policies: with runs cut they gain -1.0 to +5.0 %" in words
    assert "AWRT is 0.95 to 1.01 times EASY's, and a group takes up to 1.0 times as long" in words


def test_the_best_within_limits_is_of_the_log_and_a_weak_search_is_said(scripts: dict[str, Any]) -> None:
    way = scripts["way"]
    known = [
        {"run": "a", "evaluations": "100", "best_within": "15.0"},
        {"run": "a", "log": "KTH", "evaluations": "540", "best_within": "8.0"},
        {"run": "b", "log": "KTH", "evaluations": "540", "best_within": ""},
    ]
    best = way.best_within(known)
    assert {log: row["best_within"] for log, row in best.items()} == {"CTC": "15.0", "KTH": "8.0"}
    assert "(by what, or of how many schedules): 8.00 % on KTH (1,080)." in way.known_words(known, best)
    known += [{"run": way.IN_ORDERS, "log": "KTH", "evaluations": "0", "best_within": "22.0"}]
    assert "22.00 % on KTH (results/orders)." in way.known_words(known, way.best_within(known))
    assert "none was searched for" in way.known_words(known[:1], way.best_within(known[:1]))
    assert way.known_words([], {}) == ""


def test_orders_count_within_the_limits_on_the_same_workload(scripts: dict[str, Any], tmp_path: Path) -> None:
    way, rows = scripts["way"], [position(log, "EASY", 0.0, objective="100") for log in ("CTC", "KTH", "LANL")]
    cells = {"CTC": ("90", "10", "1"), "KTH": ("90", "11", "1"), "LANL": ("90", "10", "-1")}
    lines = [f"{log},{value},{gain},{whole},-20,-20,-20,-20,-20" for log, (value, gain, whole) in cells.items()]
    path = tmp_path / "ingredients.csv"
    groups = ",".join(f"AWRT{i}_vs_easy" for i in range(1, 6))
    path.write_text("\n".join([f"log,objective,objective_vs_easy,AWRT_vs_easy,{groups}", *lines]) + "\n", "utf-8")
    assert [(row["log"], row["best_within"]) for row in way.of_orders(rows, path)] == [("CTC", "10")]


def test_policies_count_within_the_limits_if_they_keep_them(scripts: dict[str, Any]) -> None:
    rows = [position("LANL", "EASY", 0.0), position("LANL", "good", 10.0), position("LANL", "slow", 12.0, AWRT="101")]
    rows += [position("LANL", "starving", 14.0, AWRT4="126"), position("LANL", "few groups", 9.0, AWRT5="")]
    found = {row["run"]: row["best_within"] for row in scripts["way"].of_policies(rows)}
    assert found == {"`EASY`": "0.0", "`good`": "10.0", "`few groups`": "9.0"}


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
