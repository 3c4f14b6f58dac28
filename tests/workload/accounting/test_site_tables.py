"""Tables of any site, with their columns named by the user."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from support.accounting import RECORDED, column, import_into
from support.commands import command

SAMPLE = RECORDED / "jobs.csv"
COLUMNS = (
    "submit=created,start=began,end=ended,width=cores,user=login,account=project,job=id,limit=limit,partition=partition"
)


def test_a_table_with_times_of_both_forms_and_semicolons(tmp_path: Path) -> None:
    log = import_into(tmp_path, "csv", SAMPLE, "--columns", COLUMNS)
    assert column(log, "submit") == {7: 0, 8: 1, 9: 2}
    assert column(log, "run") == {7: 3600, 8: 100, 9: 100}
    assert column(log, "estimate") == {7: 7200, 8: 86400, 9: 86400}
    assert column(log, "width") == {7: 4, 8: 2, 9: 2}
    assert log.names.groups == {1: "physics", 2: "chem;istry"}
    assert "; UnixStartTime: 1795345200" in log.header


def test_run_times_in_place_of_starts_need_the_size_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("s,r,w\n1795345200,01:00:00,4\n1795345201,0.5,2\n")
    words = ("import", "csv", tmp_path / "x.csv", "--columns", "submit=s,run=r,width=w")
    assert "no job has a start, so that --capacity must name the size of the machine" in command(*words).err
    log = import_into(tmp_path, *words[1:], "--capacity", 8)
    assert [(job["wait"], job["run"], job["estimate"]) for job in log.jobs.values()] == [
        (-1, 3600, 3600),
        (-1, 1, 1),
    ]


def test_parquet_with_times_durations_and_gaps(tmp_path: Path) -> None:
    times = pd.to_datetime(["2026-11-22 11:00", "2026-11-22 11:01"], utc=True)
    frame = pd.DataFrame(
        {"s": times, "e": times + pd.Timedelta("90s"), "r": pd.to_timedelta(["60s", "30s"]), "w": [2.0, 1.0]}
    ).assign(user=["anna", None])
    frame.to_parquet(tmp_path / "x.parquet")
    log = import_into(tmp_path, "csv", tmp_path / "x.parquet", "--columns", "submit=s,start=e,run=r,width=w,user=user")
    assert [(j["submit"], j["wait"], j["run"], j["width"], j["user"]) for j in log.jobs.values()] == [
        (0, 90, 60, 2, 1),
        (60, 90, 30, 1, -1),
    ]
    frame.assign(s=times.tz_localize(None)).to_parquet(tmp_path / "y.parquet")
    words = ("import", "csv", tmp_path / "y.parquet", "--columns", "submit=s,start=e,run=r,width=w")
    assert "y.parquet: a column has local times without their zone; write seconds since 1970" in command(*words).err
    (tmp_path / "z.parquet").write_bytes((tmp_path / "x.parquet").read_bytes()[:-9])
    assert "cut short" in command(*words[:2], tmp_path / "z.parquet", *words[3:]).err


@pytest.mark.parametrize(
    ("columns", "fact"),
    [
        ("submit=created", "--columns must name submit, width, and run or both start and end, but width is missing"),
        ("submit=created,width=cores,start=began", "but end is missing"),
        ("submit", '--columns must be WHAT=NAME,WHAT=NAME,..., but has "submit"'),
        ("submitted=a", 'is "submitted"; did you mean submit?'),
        ("submit=a,submit=b", "--columns names submit twice"),
        ("submit=create,width=cores,run=limit", 'jobs.csv:1: there is no column "create" for submit; '),
        ("submit=login,width=cores,run=limit", 'jobs.csv:2: login is "anna", but must be seconds since 1970'),
        ("submit=created,width=login,run=limit", 'jobs.csv:2: login is "anna", but must be a whole number'),
        ("submit=created,width=cores,run=login", 'jobs.csv:2: login is "anna", but must be seconds or [D-]HH:MM:SS'),
    ],
)  # fmt: skip
def test_wrong_columns_are_refused(columns: str, fact: str) -> None:
    outcome = command("import", "csv", SAMPLE, "--columns", columns)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("s,r,w\n1,2\n", ":2: a line must have 3 columns like the first one, but this one has 2"),
        ('s,r,w\n1,2,"3\n', ":2: not CSV: "),
        ("s,s,r,w\n", ':1: the column "s" is there twice'),
        ("s,r,w\n2026-11-22T12:00:00,2,3\n", ":2: s is \"2026-11-22T12:00:00\", a local time without its zone"),
        ("", ": the file is empty"),
    ],
)  # fmt: skip
def test_damaged_tables_are_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    outcome = command("import", "csv", tmp_path / "x.csv", "--columns", "submit=s,run=r,width=w", "--capacity", 9)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err


def test_a_table_may_say_what_jobs_ask_for(tmp_path: Path) -> None:
    rows = ("1795345200,60,4,100,2,8,-50", "1795345201,60,2,,,,", "1795345202,60,2,0,1,0,7")
    (tmp_path / "x.csv").write_text("s,r,w,m,n,g,p\n" + "\n".join(rows) + "\n")
    columns = "submit=s,run=r,width=w,memory=m,nodes=n,gpus=g,nice=p"
    log = import_into(tmp_path, "csv", tmp_path / "x.csv", "--columns", columns, "--capacity", 8)
    assert column(log, "asked_memory") == {1: 100 * 1024 // 4, 2: -1, 3: 0}
    assert {word: (each.job.tolist(), each.value.tolist()) for word, each in log.names.asked.items()} == {
        "nodes": ([1], [2]),
        "gpus": ([1], [8]),
        "nice": ([1, 3], [-50, 7]),
    }
    for cells, fact in (("4,100,2,8,1.5", "p is"), ("4,-1,2,8,1", "m is"), ("4,1,2,3000000000,1", "g is")):
        (tmp_path / "y.csv").write_text(f"s,r,w,m,n,g,p\n1795345200,60,{cells}\n")
        said = command("import", "csv", tmp_path / "y.csv", "--columns", columns, "--capacity", 8)
        assert (said.status, f"y.csv:2: {fact}" in said.err) == (2, True), said
