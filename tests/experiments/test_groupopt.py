"""The experiment of paper 004: its numbers add up, and its path from nothing to a summary can be walked."""

import json
from pathlib import Path

import pytest

from paretosched.core.tables import load_rows
from support.experiments import paper, script


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("groupopt")
    assert all(row["source"].startswith("004, ") for row in rows)
    assert len({(row["item"], row["workload"], row["quantity"]) for row in rows}) == len(rows)


def test_tables_add_up() -> None:
    values = {(row["item"], row["workload"], row["quantity"]): float(row["value"]) for row in paper("groupopt")}
    for seed in (71, 31, 73, 35, 7):
        for what in ("jobs", "work"):
            parts = [values["Table 5", f"seed {seed}", f"{what}_{kind}"] for kind in ("short", "medium", "long")]
            assert sum(parts) == pytest.approx(100, abs=0.5)
    totals = {71: 55, 35: 61, 31: 59, 73: 59, 7: 69}
    for seed, total in totals.items():
        assert values["Table 7", f"seed {seed}", "groups_1"] + values["Table 7", f"seed {seed}", "groups_2"] == total
    clock = [(2, 12, 25), (2, 35, 41), (2, 17, 32), (2, 45, 13), (2, 40, 55)]
    mean = sum(3600 * h + 60 * m + s for h, m, s in clock) / 5
    assert values["Figure 24", "mean of the seeds", "wait_in_all_s"] == pytest.approx(mean, abs=0.1)


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    script("groupopt", "run.py", "--quick", "--results", tmp_path)
    script("groupopt", "analysis.py", "--no-figures", "--results", tmp_path)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on small workloads" in summary
    for heading in ("claims", "Tables 5 and 6", "Table 7", "Table 8", "Table 9", "Figure 15", "leaves open", "seven"):
        assert heading in summary
    note = json.loads((tmp_path / "provenance.json").read_text(encoding="utf-8"))
    assert note["quick"]
    assert {system["rule"] for system in note["systems"].values()} == {"scojo"}
    # Of both definitions of the wait, the longer one is the paper's; without preemption they are one.
    rows = load_rows(tmp_path / "classes.csv")
    waits = {
        row["system"]: [float(row[key]) for key in ("wait_s", "wait_in_all_s")] for row in rows if row["kind"] == "all"
    }
    assert waits["EASY"][0] == waits["EASY"][1]
    assert waits["SCOJO-PECT"][0] < waits["SCOJO-PECT"][1]
    assert "Which wait is meant decides" in summary
    # The paper's claims stand once, in its own definition; the other one stands beside them, and is no claim.
    claimed = [row for row in paper("groupopt") if row["item"] == "claim"]
    table = summary.partition("## What the paper claims")[2].partition("![claims]")[0].splitlines()
    for row in claimed:
        begin = f"| {row['quantity']} | {row['workload']} | {row['value']} % |"
        assert sum(line.startswith(begin) for line in table) == 1
    assert f"Of {len(claimed)} claims" in summary
    assert "| wait until the first start | 10 % |" not in summary
    assert "| wait until the first start | median |" in summary
