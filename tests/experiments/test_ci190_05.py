"""The experiment of paper 002: its numbers add up, and its path from nothing to a summary can be walked."""

import csv
from pathlib import Path

import pytest

from paretosched.search.plans import PLANS, SUMMARIES
from paretosched.workload.scaling import PAPER_FACTORS
from support.experiments import paper, script


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
    for heading in ("Table 4", "Table 4 with 2 seeds", "What contributed what", "The other workloads"):
        assert f"## {heading}" in output
    page = (results / "figures.html").read_text(encoding="utf-8")
    assert all(f'id="figure{number:02}"' in page for number in range(6, 17))


def _table4_rows() -> list[str]:
    return [*(row.name for row in PLANS["paper002"]), *(summary.name for summary in SUMMARIES), "nsga-random"]
