"""What the page tells when the browser asks for it."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from dash import html

import paretosched as ps
from paretosched.app.cards import over_time_parts, table_in, text_parts
from paretosched.app.contents import contents
from paretosched.app.desk import Desk
from paretosched.app.widgets import html_text
from paretosched.comparison.comparison import compare
from paretosched.core.tables import Column, table
from paretosched.workload.machine_description import describe_machine, machine_drawing
from support.fronts import a_front
from support.machine_zoo import TWO_PARTITIONS
from support.placing import by_oracle, ideal_schedule

GENES = np.random.default_rng(4).uniform(0.0, 1.0, (3, 8))


@pytest.mark.parametrize(
    "policy",
    [
        ps.greedy(["f2"] * 3, GENES, groups=("a", "b", "c"), backfill="easy"),
        ps.as_policy("order: wait / estimate * width; backfill: easy:8 for a; backfill-order: estimate"),
        ps.as_policy("sjf; backfill: conservative"),
    ],
    ids=["Greedy", "formula", "SJF"],
)
def test_a_text_for_a_terminal_becomes_paragraphs_and_tables_with_the_same_words(policy: ps.Policy) -> None:
    text = ps.explain(policy).text()
    parts = text_parts(text)
    assert " ".join(str(part.children) for part in parts).split() == text.split()
    tables = [part for part in parts if isinstance(part, html.Pre)]
    assert all("  " in line.strip() or not line.strip("- ") for part in tables for line in part.children.splitlines())
    assert len(parts) < len(text.splitlines())  # lines that were broken are joined


def test_a_table_for_a_terminal_becomes_one_of_the_page() -> None:
    columns = [Column("who", "wait of"), Column("jobs", "jobs", ",d"), Column("note", "this schedule")]
    rows = [{"who": "all jobs", "jobs": 12_345, "note": "a b  c"}, {"who": "", "jobs": 7}]
    text = html_text(table_in(table(rows, columns)))
    assert re.findall(r"<t[hd][^>]*>([^<]*)", text.partition("<thead>")[2]) == [
        "wait of", "jobs", "this schedule", "all jobs", "12,345", "a b  c", "", "7", "-",
    ]  # fmt: skip
    assert [cell.count("left") for cell in re.findall(r"<th [^>]*>", text)] == [1, 0, 1]
    assert table_in(machine_drawing(describe_machine(TWO_PARTITIONS.machine))) is None
    assert table_in("") is None


def test_on_nodes_the_page_draws_the_machine_its_partitions_and_where_jobs_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_oracle(monkeypatch)
    w = TWO_PARTITIONS
    desk = Desk(replace(a_front(9, groups=w.groups), workload=w.name, digest=w.digest), tmp_path)
    desk._workload, desk.comparison = w, compare(w, ["fcfs"])
    desk._know(desk.comparison)
    pieces = contents(desk).pieces
    assert "6 jobs, submitted in 1.2 minutes, on 4 nodes of 2 kinds, 16 CPUs" in repr(pieces["facts"])
    drawn = " ".join(str(part.children) for part in pieces["machine"])
    assert drawn.split() == machine_drawing(describe_machine(w.machine)).split()

    pair = ideal_schedule(w), ideal_schedule(w, 0)
    monkeypatch.setattr(desk, "pair_over_time", lambda row: pair)
    months, words, partitions = over_time_parts(desk, {"kind": "time", "rows": [3]})
    titles = [title["text"] for title in months.children.figure["layout"]["annotations"]]
    assert titles == ["jobs waiting", "% CPUs", "% memory", "% GPUs", "wait, h"]
    rows = [title["text"] for title in partitions.figure["layout"]["annotations"]]
    both = [("main", "CPUs"), ("main", "memory"), ("gpu", "CPUs"), ("gpu", "memory"), ("gpu", "GPUs")]
    assert rows == [f"{name}: % of its {what}" for name, what in both]
    domains = [partitions.figure["layout"][f"yaxis{k}"]["domain"] for k in ("", 2, 3, 4, 5)]
    assert all(below[1] < above[0] for above, below in pairwise(domains))
    words, weeks = over_time_parts(desk, {"kind": "week", "rows": [3], "span": [0, 0]})
    assert words.children.startswith("Jobs over nodes, ")
    axis = weeks.children[1].children[1].children.figure["layout"]["yaxis"]
    assert axis["ticktext"] == ["g1 · GPU", "n1", "n2", "n3"]
    assert axis["tickvals"] == [2, 6, 10, 14]
