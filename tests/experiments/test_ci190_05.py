"""The experiment of paper 002: its numbers add up, and its path from nothing to a summary can be walked."""

from __future__ import annotations

import csv
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paretosched.search.plans import PLANS, SUMMARIES
from paretosched.workload.scaling import PAPER_FACTORS
from support.experiments import ROOT, paper, script


def column(quantity: str) -> dict[str, str]:
    return {row["item"]: row["value"] for row in paper("ci190_05") if row["quantity"] == quantity}


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("ci190_05")
    assert all(row["source"].startswith("002, ") for row in rows)
    assert len({(row["item"], row["quantity"]) for row in rows}) == len(rows)
    assert all(None not in row for row in rows)


def test_the_function_calls_of_table_4_add_up() -> None:
    calls = {item: int(value) for item, value in column("FC").items()}
    for summary in SUMMARIES:
        assert calls[summary.name] == sum(calls[row] for row in summary.rows)
    assert calls["final"] == 153_080


def test_table_4_is_the_plan() -> None:
    rows = {row.name: row.settings for row in PLANS["paper002"]}
    assert set(column("FC")) == set(rows) | {summary.name for summary in SUMMARIES}
    algorithms = {"NSGA": "nsga", "NSGA-II": "nsga2"}
    for name, settings in rows.items():
        assert settings["evaluations"] == int(column("FC")[name])
        assert settings.get("algorithm") == algorithms.get(column("Algorithm")[name])
        if settings["encoding"] == "sequence":
            mutation = f"MJL={settings['jump']:,}, MJN={settings['frequency']:,}"
            assert column("Mutation")[name] == mutation
            assert (column("Recombination")[name] == "0.3") == (settings["recombination"] != "none")
            assert {"121": ("permutations",), "1": ("submit",)}[column("StS")[name]] == settings["start"]
    assert list(column("NoS").values()) == ["540", "540", "3", "1", "3", "106", "108", "125", "131", "12832", "13954"]


def test_no_merged_front_is_larger_than_its_parts() -> None:
    points = {item: int(value) for item, value in column("NoS").items()}
    for summary in SUMMARIES:
        assert points[summary.name] <= sum(points[row] for row in summary.rows)


def test_scaling_explains_the_numbers_of_jobs() -> None:
    """Half of the jobs are widened, the others repeated: n (1 + f) / 2, within what invalid records may take away."""
    factors = dict(
        zip(("CTC", "KTH", "LANL", "SDSC00", "SDSC95", "SDSC96", "NASA"), PAPER_FACTORS.values(), strict=True)
    )
    before, after = column("jobs"), column("jobs after scaling")
    for name, factor in factors.items():
        assert int(after[name]) == pytest.approx(int(before[name]) * (1 + factor) / 2, rel=0.02)


@pytest.mark.long
@pytest.mark.slow
def test_a_quick_run_walks_the_whole_path(tmp_path: Path) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    places = ("--work", work, "--results", results)
    script("ci190_05", "run.py", "--quick", "--workers", 0, *places)
    first = (results / "table4.csv").read_text(encoding="utf-8")
    assert [line.split(",")[0] for line in first.splitlines()[1:]] == _table4_rows()
    evaluations = {row["row"]: int(row["evaluations"]) for row in csv.DictReader(first.splitlines())}
    for summary in SUMMARIES:  # no two rows are taken for the same run
        assert evaluations[summary.name] == sum(evaluations[row] for row in summary.rows)
    output = script("ci190_05", "analysis.py", "--no-figures", *places)
    assert "A quick run on a made-up workload" in output
    assert (results / "summary.md").read_text(encoding="utf-8").strip() == output.strip()
    for heading in (
        "Table 4",
        "Table 4 with 2 seeds",
        "What contributed what",
        "Better than the paper",
        "Algorithms at equal evaluations",
    ):
        assert f"## {heading}" in output
    page = (results / "figures.html").read_text(encoding="utf-8")
    assert all(f'id="figure{number:02}"' in page for number in range(6, 17))


def _table4_rows() -> list[str]:
    return [*(row.name for row in PLANS["paper002"]), *(summary.name for summary in SUMMARIES), "nsga-random"]


@pytest.fixture
def sections(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    """The modules of the sections about choices and beyond the paper, with what they import."""
    names = ("beyond", "choices", "ranks", "settings", "rank_tests")
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    monkeypatch.syspath_prepend(str(ROOT / "experiments" / "ci190_05"))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("choices"), importlib.import_module("beyond")
    for name in names:
        sys.modules.pop(name, None)


def _choices(hypervolume: Callable[[str, int], float], size: Callable[[str, int], int], variants: Any) -> Any:
    return [
        {"variant": name, "seed": str(seed), "hypervolume": str(hypervolume(name, seed)), "size": str(size(name, seed)),
         "starts_hypervolume": "0.5", "jobs": "300"}
        for name in variants
        for seed in range(10)
    ]  # fmt: skip


def test_equal_runs_are_no_measurement(sections: tuple[Any, Any]) -> None:
    choices, _ = sections
    rows = _choices(
        lambda name, seed: 0.6 + seed / 100 if name == "later, copies" else 0.5,
        lambda name, seed: 200 + seed if name == "swap, OX" else 100 + seed,
        choices.VARIANTS,
    )
    by_volume = {
        q.other: verdict
        for q, (_, verdict) in zip(choices.QUESTIONS, choices.judgements(rows, "hypervolume"), strict=True)
    }
    assert by_volume["swap, OX"] == choices.NOT_MEASURABLE
    of_copies = [q.preferred for q in choices.QUESTIONS].index("later, copies")
    assert choices.judgements(rows, "hypervolume")[of_copies][1] == choices.HOLDS
    by_size = [verdict for _, verdict in choices.judgements(rows, "size")]
    assert by_size[:2] == [choices.OPPOSITE, choices.NO_DIFFERENCE]
    assert choices.opposites(rows, by_size, "size") == (
        "Against the paper, by size: *swap, OX* beats *swap* in 10 of 10 seeds (204 against 104)."
    )
    assert "later, copies" not in choices.without_move(rows)
    assert "swap, OX" in choices.without_move(rows)


def test_seeds_are_said_with_the_jobs_they_are_of(sections: tuple[Any, Any]) -> None:
    _, beyond = sections
    rows = [{"jobs": size, "seed": str(seed)} for size, seeds in (("300", 10), ("900", 3)) for seed in range(seeds)]
    assert beyond.seeds_words("choices", rows, 900) == "choices with 10 seeds on 300 jobs and 3 on 900"
    assert beyond.seeds_words("moves", [{"seed": "1"}], 900) == "moves with 1 seed on 900 jobs"


def test_search_that_finds_nothing_better_than_random_is_said(sections: tuple[Any, Any]) -> None:
    ranks = importlib.import_module("ranks")
    rows = [
        {"encoding": encoding, "algorithm": name, "seed": str(seed), "size": str(99 * good + seed), "jobs": "300"}
        | {"hypervolume": "0" if encoding == "sequence" else str(good + seed / 100), "evaluations": "40"}
        | {"igd_plus": str(0.1 * (1 + good)), "epsilon": "0.1", "whole_igd_plus": "0.1", "whole_epsilon": "0.1"}
        for encoding in ("sequence", "weighting")
        for name, good in (("nsga2", 1), ("rvea", 0), ("random", 0))
        for seed in range(10)
    ]
    assert ranks.in_short(rows) == (
        "by one measure or more 2 of 2 searches for policies and 2 of 2 searches for sequences are not shown to be "
        "better than drawing at random"
    )
    text = "\n".join(ranks.section(rows))
    assert "Not shown: by hypervolume rvea; by IGD+ nsga2, rvea; by epsilon nsga2, rvea; by size rvea." in text
    assert "Worse than random with every seed: by hypervolume none; by IGD+ nsga2; by epsilon none" in text
    assert re.search(r"\| nsga2 \| 1\.00, \S+ \| 0\.00, \S+ \| 0\.50, 1 \| 1\.00, \S+ \|", text)


def test_the_box_of_sequences_says_why_it_is_not_of_easy(sections: tuple[Any, Any]) -> None:
    choices, _ = sections
    assert "in that box are 1 to 2 schedules of each" in choices.not_of_easy([{"inside": "2"}, {"inside": "1"}])
    assert choices.not_of_easy([]) == ""


def test_at_full_size_both_boxes_and_the_size_are_said(sections: tuple[Any, Any]) -> None:
    choices, _ = sections
    cells = {"jobs": "1800", "evaluations": "60", "owner_inside": "1", "owner_hypervolume": "0.02"}
    rows = [
        cells | {"variant": name, "hypervolume": "0.085", "size": str(100 * seed + len(name))}
        for name in choices.FULL
        for seed in range(3)
    ]
    begin = (
        "At full size, 1,800 jobs, 60 evaluations, hypervolume in the owner's box, in the one that reaches to 1.5 times"
    )
    parts = "*swap* 0.0200 (1 of its schedules in it), 0.0850 and 4 to 204 (3 seeds); *swap, OX* 0.0200 (1 of its"
    (line, _) = choices.at_full_size(rows)
    assert line.startswith(begin)
    assert parts in line
    assert line.endswith("Neither box tells these runs apart.")
    rows[0] |= {"owner_hypervolume": "0.03"}
    (line, _) = choices.at_full_size(rows)
    assert "*swap* 0.0200 to 0.0300 (1 of" in line
    assert "tells these runs apart" not in line


def test_an_older_box_is_said(sections: tuple[Any, Any]) -> None:
    _, beyond = sections
    assert "another one than the owner's" in beyond.box_sentence([{"hypervolume": "0.5"}], beyond.OF_FRONT)
    assert beyond.box_sentence([{"reach": "1.5"}], beyond.OF_FRONT).startswith("The box is the owner's, from the best")


def test_algorithms_outside_of_the_box_are_not_compared(sections: tuple[Any, Any]) -> None:
    _, beyond = sections
    rows = [
        {"encoding": "sequence", "algorithm": name, "seed": "1", "evaluations": "40", "size": "9", "reach": "1.5"}
        | {"hypervolume": "0.0", "igd_plus": "", "epsilon": ""}
        for name in ("nsga2", "random")
    ]
    text = "\n".join(beyond.algorithms(rows))
    assert "No schedule of the 2 runs for sequences is in the box" in text
    assert "nan" not in text
    assert "the means are" not in text
