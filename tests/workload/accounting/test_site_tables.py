"""Tables of any site, with their columns named by the user."""

from __future__ import annotations

import os
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from paretosched.workload.accounting import table_rows
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
    frame.assign(s=times.tz_localize(None), e=(times + pd.Timedelta("90s")).tz_localize(None)).to_parquet(
        tmp_path / "y.parquet"
    )
    words = ("import", "csv", tmp_path / "y.parquet", "--columns", "submit=s,start=e,run=r,width=w")
    assert (
        'y.parquet:1: s is "2026-11-22T11:00:00", a local time without its zone; write seconds' in command(*words).err
    )
    there = import_into(tmp_path, *words[1:], "--zone", "America/New_York")
    assert "; UnixStartTime: 1795363200" in there.header  # 11:00 in New York is 16:00 UTC
    (tmp_path / "z.parquet").write_bytes((tmp_path / "x.parquet").read_bytes()[:-9])
    assert "cut short" in command(*words[:2], tmp_path / "z.parquet", *words[3:]).err


@pytest.mark.parametrize(
    ("columns", "fact"),
    [
        ("submit=created", "and run or end with start (or wait), but width is missing"),
        ("submit=created,width=cores,start=began", "but end is missing"),
        ("submit", '--columns must be WHAT=NAME,WHAT=NAME,..., but has "submit"'),
        ("submitted=a", 'is "submitted"; did you mean submit?'),
        ("submit=a,submit=b", "--columns names submit twice"),
        ("submit=create,width=cores,run=limit", 'jobs.csv:1: there is no column "create" for submit; '),
        ("submit=login,width=cores,run=limit", 'jobs.csv:2: login is "anna", but must be seconds since 1970'),
        ("submit=created,width=login,run=limit", 'jobs.csv:2: login is "anna", but must be a whole number'),
        ("submit=created,width=cores,run=login", 'jobs.csv:2: login is "anna", but must be a number or [D-]HH:MM:SS'),
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
    for cells, fact in (("4,100,2,8,1.5", "p is"), ("4,-2,2,8,1", "m is"), ("4,1,2,3000000000,1", "g is")):
        (tmp_path / "y.csv").write_text(f"s,r,w,m,n,g,p\n1795345200,60,{cells}\n")
        said = command("import", "csv", tmp_path / "y.csv", "--columns", columns, "--capacity", 8)
        assert (said.status, f"y.csv:2: {fact}" in said.err) == (2, True), said


def _import_parquet(folder: Path, table: pa.Table, more: str = "", **how: object) -> tuple[str | os.PathLike[str], ...]:
    """Return the words of a command that imports a table of Arrow, written to a file."""
    parquet.write_table(table, folder / "x.parquet", **how)
    columns = f"submit=submit,width=width,run=run,user=user{more}"
    return "import", "csv", folder / "x.parquet", "--columns", columns, "--capacity", "8"


def _arrow(users: pa.Array, **others: object) -> pa.Table:
    """Return a table of Arrow with one job for each user."""
    n = len(users)
    usual = {"submit": pa.array(range(1_795_345_200, 1_795_345_200 + n)), "width": [1] * n, "run": [10] * n}
    return pa.table(usual | {"user": users} | others)


@pytest.mark.parametrize("store_schema", [True, False])
def test_a_long_text_that_is_there_once_is_not_repeated_in_memory(tmp_path: Path, store_schema: bool) -> None:
    once = pa.DictionaryArray.from_arrays(pa.array([0] * 500, pa.int32()), ["u" * 1_000_000])
    words = _import_parquet(tmp_path, _arrow(once), store_schema=store_schema)
    tracemalloc.start()
    assert 'x.parquet: column "user": the length of a line must be at most 100,000 bytes' in command(*words).err
    assert tracemalloc.get_traced_memory()[1] < 50_000_000  # of 500 MB
    tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_are_read_in_all_encodings(tmp_path: Path, encoding: str) -> None:
    table = _arrow(pa.array(["anna", None, "berta", "anna"]))
    words = _import_parquet(tmp_path, table, use_dictionary=False, column_encoding={"user": encoding})
    assert import_into(tmp_path, *words[1:]).names.users == {1: "anna", 2: "berta"}


def test_texts_that_share_their_beginnings_are_read_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = pa.array([f"{'u' * 200_000}{number}" for number in range(300)])
    words = _import_parquet(
        tmp_path, _arrow(users), use_dictionary=False, column_encoding={"user": "DELTA_BYTE_ARRAY"}, compression="none"
    )
    assert tmp_path.joinpath("x.parquet").stat().st_size < 1_000_000  # of 60 MB
    monkeypatch.setattr(table_rows, "MOST_AT_ONCE", 4_000_000)
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    try:
        assert 'x.parquet: column "user": the length of a line must be' in command(*words).err
        assert 200_000 < pool.max_memory() < 20_000_000
    finally:
        pa.set_memory_pool(usual)


@pytest.mark.parametrize("kind", ["dictionary", "text", "large", "view", "category"])
def test_texts_of_all_kinds_and_of_several_row_groups_are_the_same(tmp_path: Path, kind: str) -> None:
    users = pa.array(["anna", None, "berta", "anna", "carla"])
    as_kind = {
        "dictionary": users.dictionary_encode(),
        "text": users,
        "large": users.cast(pa.large_string()),
        "view": users.cast(pa.string_view()),
        "category": pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 0, 2], pa.int8()), [7, 8, 9]),
    }
    log = import_into(tmp_path, *_import_parquet(tmp_path, _arrow(as_kind[kind]), row_group_size=2)[1:])
    names = ["7", "8", "9"] if kind == "category" else ["anna", "berta", "carla"]
    assert log.names.users == dict(enumerate(names, 1))
    assert [job["user"] for job in log.jobs.values()] == [1, -1, 2, 1, 3]


@pytest.mark.parametrize(
    "users",
    [
        pa.array([[1], [2]]),
        pa.array([{"a": 2**62}, {"a": 1}], pa.struct([("a", pa.timestamp("us"))])),
        pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
        pa.array([b"u" * 201] * 2, pa.binary(201)),
    ],
)
def test_columns_without_one_value_in_each_cell_are_refused(tmp_path: Path, users: pa.Array) -> None:
    error = command(*_import_parquet(tmp_path, _arrow(users))).err
    assert "a column must have a number, a time or a text in each cell" in error
    assert '"user" is of the type "' in error


def test_dates_that_no_calendar_has_are_refused(tmp_path: Path) -> None:
    words = _import_parquet(tmp_path, _arrow(pa.array([2**30], pa.int32()).cast(pa.date32())))
    assert 'x.parquet: column "user" has a date32[day] that is in no calendar' in command(*words).err


def test_whole_numbers_may_have_a_point_and_durations_are_rounded_up(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,s,r,w,g\n5.0,1795345200.0,10.2,2.0,1.00\n6.0,1795345201.0,10.0,4.0,\n")
    columns = ("--columns", "submit=s,run=r,width=w,job=id,gpus=g", "--capacity", 8)
    log = import_into(tmp_path, "csv", tmp_path / "x.csv", *columns)
    assert [(number, job["run"], job["width"]) for number, job in log.jobs.items()] == [(5, 11, 2), (6, 10, 4)]
    (tmp_path / "x.csv").write_text("id,s,r,w,g\n5,1795345200,10,2.5,1\n")
    assert 'w is "2.5", but must be a whole number' in command("import", "csv", tmp_path / "x.csv", *columns).err
    lasting = pa.array([5_500_000, 6_000_000], pa.int64()).cast(pa.duration("us"))
    widths = pa.array([Decimal("2.00"), Decimal("0E+1") + 4], pa.decimal128(20, 12))
    table = _arrow(pa.array(["anna", "berta"]), run=lasting, width=widths, id=[5.0, 6.0])
    log = import_into(tmp_path, *_import_parquet(tmp_path, table, ",job=id")[1:])
    assert [(number, job["run"], job["width"]) for number, job in log.jobs.items()] == [(5, 6, 2), (6, 6, 4)]


def test_rows_with_long_cells_are_read_fewer_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"{1795345200 + number},0,10,{number}{'u' * 20_000}\n" for number in range(3000))
    (tmp_path / "x.csv").write_text(f"s,w,r,u\n1795345200,1,10,anna\n{rows}1795345200,2,10,bert\n")
    monkeypatch.setattr(table_rows, "LETTERS_AT_ONCE", 1_000_000)
    tracemalloc.start()
    log = import_into(
        tmp_path, "csv", tmp_path / "x.csv", "--columns", "submit=s,run=r,width=w,user=u", "--capacity", "8"
    )
    assert tracemalloc.get_traced_memory()[1] < 30_000_000  # of 60 MB
    tracemalloc.stop()
    assert log.names.users == {1: "anna", 2: "bert"}
    assert log.counts["uses none of what is counted as its width"] == ("dropped", 3000)
