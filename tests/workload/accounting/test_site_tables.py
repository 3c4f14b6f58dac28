"""Tables of any site, with their columns named by the user."""

import os
import subprocess
import sys
import time
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from paretosched.core.limits import reading_limits
from paretosched.workload.accounting import table_rows
from support.accounting import RECORDED, Result, column, import_into
from support.commands import command, environment

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


def _import_text(folder: Path, text: str, columns: str, *more: object) -> Result:
    """Return what is imported of a table that is written to a file."""
    (folder / "t.csv").write_text(text)
    return import_into(folder, "csv", folder / "t.csv", "--columns", columns, *more)


def _refusal_of(folder: Path, text: str | bytes, columns: str, *more: object) -> str:
    """Return the line with which the import of a table is refused."""
    (folder / "t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    said = command("import", "csv", folder / "t.csv", "--columns", columns, *more)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err


def test_second_zero_and_a_wait_of_zero_are_values(tmp_path: Path) -> None:
    text = "n,submit,begin,end,cores\n4,0,0,100,4\n5,0,0,200,4\n6,0,50,150,2\n7,10,100,200,4\n"
    log = _import_text(tmp_path, text, "submit=submit,start=begin,end=end,width=cores,job=n")
    assert column(log, "wait") == {4: 0, 5: 0, 6: 50, 7: 90}
    assert log.about["capacity"] == 10
    assert "start unknown" not in log.counts
    assert log.counts["times count from a zero of their own"] == ("assumed", 4)
    waits = _import_text(tmp_path, "s,w,r,n\n0,0,9,1\n5,,9,1\n6,-1,9,1\n7,2,9,1\n", "submit=s,wait=w,run=r,width=n")
    assert [job["wait"] for job in waits.jobs.values()] == [0, -1, -1, 2]


def test_a_zero_beside_a_date_is_no_time(tmp_path: Path) -> None:
    text = "s,b,e,n\n1700000000,1700000005,1700000009,1\n1700000001,0,0,1\n"
    log = _import_text(tmp_path, text, "submit=s,start=b,end=e,width=n")
    assert [*column(log, "wait").values()] == [5]
    assert log.counts["never ran"] == ("dropped", 1)


@pytest.mark.parametrize(
    ("unit", "of_a_second"), [("s", 1.0), ("ms", 1000.0), ("us", 1e6), ("min", 1 / 60), ("ms,limit=min", 1000.0)]
)
def test_numbers_count_what_the_unit_says(tmp_path: Path, unit: str, of_a_second: float) -> None:
    limit = 10 if "=" in unit else 600 * of_a_second
    rows = [(1_699_999_980 * of_a_second, 60 * of_a_second, 120 * of_a_second, limit)]
    text = "s,w,r,l,n\n" + "".join(f"{s:.0f},{w:.0f},{r:.0f},{m:.0f},2\n" for s, w, r, m in rows)
    log = _import_text(tmp_path, text, "submit=s,wait=w,run=r,limit=l,width=n", "--unit", unit)
    (job,) = log.jobs.values()
    assert (job["wait"], job["run"], job["estimate"]) == (60, 120, 600)
    assert "; UnixStartTime: 1699999980" in log.header


def test_times_and_durations_that_say_their_unit_are_of_no_other(tmp_path: Path) -> None:
    text = "s,b,r,n\n2024-03-04 08:00:00,2024-03-04T08:00:10Z,00:01:00,1\n2024-03-04 08:00:00.5,1709539210000,1500,1\n"
    log = _import_text(tmp_path, text, "submit=s,start=b,run=r,width=n", "--unit", "ms", "--zone", "UTC")
    assert [(job["wait"], job["run"]) for job in log.jobs.values()] == [(10, 60), (10, 2)]
    lasting = pa.array([1_500, 61_000], pa.int64()).cast(pa.duration("ms"))
    table = _arrow(
        pa.array(["anna", "berta"]), run=lasting, submit=pa.array([0, 9_000_000]).cast(pa.timestamp("ms", "UTC"))
    )
    words = _import_parquet(tmp_path, table)
    assert [*column(import_into(tmp_path, *words[1:], "--unit", "min"), "run").values()] == [2, 61]


def test_submissions_may_be_the_seconds_since_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "AT_ONCE", 2)
    text = "d,w,r,n\n0,0,60,1\n10,5,60,0\n0,5,60,1\n2.5,1,60,1\n7,0,60,1\n"
    log = _import_text(tmp_path, text, "interval=d,wait=w,run=r,width=n")
    assert [*column(log, "submit").values()] == [0, 10, 13, 20]  # the second one has no width, but counts
    assert ":3: d must be seconds since the job before" in _refusal_of(
        tmp_path, "d,r,n\n0,6,1\n,6,1\n", "interval=d,run=r,width=n", "--capacity", 9
    )
    assert "must name submit or interval, but names both" in _refusal_of(
        tmp_path, text, "interval=d,submit=d,run=r,width=n"
    )


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("COMPLETED", 1), ("Succeeded", 1), ("done", 1), ("Pass", 1), ("", 1),
        ("FAILED", 0), ("TIMEOUT", 0), ("NODE_FAIL", 0), ("node-fail", 0), ("OUT_OF_MEMORY", 0), ("EXIT", 0),
        ("CANCELLED", 5), ("CANCELLED by 1000", 5), ("CANCELLED+", 5), ("Killed", 5), ("canceled", 5),
    ],
)  # fmt: skip
def test_words_of_states_are_those_of_many_managers(tmp_path: Path, word: str, status: int) -> None:
    log = _import_text(tmp_path, f"s,w,r,n,t\n10,0,60,1,{word}\n", "submit=s,wait=w,run=r,width=n,state=t")
    assert [*column(log, "status").values()] == [status]
    assert "its state is no word that is known" not in log.counts


def test_jobs_that_had_not_ended_are_left_out_and_odd_words_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"{i},0,60,1,{word}\n" for i, word in enumerate(("RUNNING", "Pending", "q", "COMPLETED", "purple")))
    log = _import_text(tmp_path, f"s,w,r,n,t\n{rows}", "submit=s,wait=w,run=r,width=n,state=t")
    assert [*column(log, "submit").values()] == [0, 1]
    assert log.counts["had not ended, by its state"] == ("dropped", 3)
    assert log.counts["its state is no word that is known"] == ("assumed", 1)
    ended = _import_text(
        tmp_path, "s,b,e,n,t\n10,12,72,1,Running\n11,,,1,Running\n", "submit=s,start=b,end=e,width=n,state=t"
    )
    assert [*column(ended, "run").values()] == [60]
    assert ended.counts["its state is that of a job that has not ended, but it has an end"] == ("assumed", 1)
    nothing = _refusal_of(tmp_path, "s,b,e,n,t\n11,,,1,Running\n", "submit=s,start=b,end=e,width=n,state=t")
    assert "there is no job that can be simulated: 1 had not ended, by its state" in nothing


@pytest.mark.parametrize(
    ("cells", "unit", "width", "capacity"),
    [
        (("1", "2", "8"), "gpus", [1, 2, 8], 16),
        (("1.0", "0.5", "2"), "units of 1/10 GPU", [10, 5, 20], 160),
        (("1", "0.46", "2"), "units of 1/100 GPU", [100, 46, 200], 1600),
        (("1", "0.125", "2"), "units of 1/1000 GPU", [1000, 125, 2000], 16_000),
        (("1", "0.3333333", "2"), "units of 1/1000 GPU", [1000, 334, 2000], 16_000),
    ],
)
def test_parts_of_gpus_make_the_unit(
    tmp_path: Path, cells: tuple[str, ...], unit: str, width: list[int], capacity: int
) -> None:
    text = "s,w,r,g\n" + "".join(f"{i},0,60,{cell}\n" for i, cell in enumerate(cells))
    log = _import_text(tmp_path, text, "submit=s,wait=w,run=r,gpus=g", "--width", "gpus", "--capacity", 16)
    assert [*column(log, "width").values()] == width
    assert (log.about["unit"], log.about["capacity"]) == (unit, capacity)
    assert any(f"Note: processors are {unit}," in line for line in log.header)
    assert ("a part of a GPU finer than a thousandth" in log.counts) == (len(cells[1]) > 5)
    assert f"on {capacity:,} {unit}" in command(
        "import", "csv", tmp_path / "t.csv", "--columns", "submit=s,wait=w,run=r,gpus=g", "--width", "gpus",
        "--capacity", 16,
    ).out  # fmt: skip


def test_thousandths_of_gpus_are_of_each_of_them(tmp_path: Path) -> None:
    text = "s,w,r,g,m,c\n0,0,60,1,460,3\n1,0,60,2,1000,3\n2,0,60,0,0,3\n"
    columns = "submit=s,wait=w,run=r,gpus=g,gpu_milli=m"
    log = _import_text(tmp_path, text, columns, "--width", "gpus")
    assert [*column(log, "width").values()] == [46, 200]
    assert log.counts["uses none of what is counted as its width"] == ("dropped", 1)
    alone = _import_text(tmp_path, text, "submit=s,wait=w,run=r,gpu_milli=m", "--width", "gpus")
    assert [*column(alone, "width").values()] == [46, 100]
    asked = _import_text(tmp_path, text, f"{columns},width=c")  # as a request, whole ones
    assert [*column(asked, "width").values()] == [3, 3, 3]
    assert (asked.names.asked["gpus"].job.tolist(), asked.names.asked["gpus"].value.tolist()) == ([1, 2], [1, 2])
    assert asked.counts["asks for a part of a GPU"] == ("changed", 1)


def test_parts_of_gpus_need_a_file_that_can_be_read_twice() -> None:
    words = (sys.executable, "-m", "paretosched.cli", "import", "csv", "-", "--width", "gpus")
    words += ("--columns", "submit=s,wait=w,run=r,gpus=g")
    for cell, status, fact in (("0.5", 2, "-:2: g is a part of a GPU, for which"), ("2", 0, "machine of 2 gpus")):
        text = f"s,w,r,g\n0,0,60,{cell}\n"
        done = subprocess.run(words, input=text, capture_output=True, text=True, env=environment(), check=False)
        assert (done.returncode, fact in done.stderr) == (status, True), done.stderr


def test_nodes_may_be_what_is_counted(tmp_path: Path) -> None:
    text = "s,w,r,n,c\n0,0,60,2,128\n1,0,60,1,64\n"
    log = _import_text(tmp_path, text, "submit=s,wait=w,run=r,nodes=n,width=c", "--width", "nodes")
    assert ([*column(log, "width").values()], log.about["unit"]) == ([2, 1], "nodes")
    alone = _import_text(tmp_path, text, "submit=s,wait=w,run=r,width=n", "--width", "nodes")
    assert [*column(alone, "width").values()] == [2, 1]
    assert "but nodes is missing" in _refusal_of(tmp_path, text, "submit=s,wait=w,run=r,gpus=n", "--width", "nodes")
    assert "but gpus is missing" in _refusal_of(tmp_path, text, "submit=s,wait=w,run=r,nodes=n", "--width", "gpus")


def test_requests_of_slurm_are_kept(tmp_path: Path) -> None:
    text = (
        's,w,r,c,m,f,x,p,q\n0,0,60,4,4G,"avx2&ib",yes,2,high\n1,0,60,4,4000M,,user,,low\n2,0,60,4,4096,nan,no,1,low\n'
        "3,0,60,4,1.5 GiB,,true,,\n4,0,60,4,,,,,\n5,0,60,4,2097152K,,,,\n"
    )
    columns = "submit=s,wait=w,run=r,width=c,memory=m,constraint=f,exclusive=x,per_node=p,qos=q"
    log = _import_text(tmp_path, text, columns, "--groups", "qos")
    mib = [4096, 4000, 4096, 1536, None, 2048]
    assert [*column(log, "asked_memory").values()] == [-1 if m is None else m * 1024 // 4 for m in mib]
    assert [*log.names.constraints.values()] == ["avx2&ib"]
    assert log.names.asked["exclusive"].job.tolist() == [1, 4]
    assert sorted(log.names.asked["per_node"].value.tolist()) == [1, 2]
    assert [*log.names.groups.values()] == [*log.names.queues.values()] == ["high", "low"]
    assert log.counts["wants nodes without jobs of other users"] == ("changed", 1)


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("x,0,60,1,,", ':2: s is "x", but must be seconds since 1970'),
        ("1700000000000,0,60,1,,", "but must be a time from 1970 to the year 9000; --unit ms or us if it counts these"),
        ("-5,0,60,1,,", ':2: s is "-5", but must be a time from 1970'),
        ("1,soon,60,1,,", ':2: w is "soon", but must be a number or [D-]HH:MM:SS'),
        ("1,0,-60,1,,", ":2: r must be at least 0"),
        ("1,0,60,1.5,,", ':2: n is "1.5", but must be a whole number'),
        ("1,0,60,-2,,", ':2: n is "-2", but must be at least 0'),
        ('1,0,60,"1,234",,', ':2: n is "1,234": its comma may stand for thousands or decimals'),
        ("1,0,60,1,4Q,", ':2: m is "4Q", but must be MiB, or a size such as 4G or 4000M'),
        ("1,0,60,1,999999999999999P,", ':2: m is "999999999999999P", but must be MiB'),
        ("1,0,60,1,,maybe", ':2: x is "maybe", but must be yes, no or user'),
        ("1,99999999999999,60,1,,", ':2: w is "99999999999999", which is longer than'),
    ],
)
def test_cells_that_are_not_what_they_must_be_are_named(tmp_path: Path, line: str, fact: str) -> None:
    columns = "submit=s,wait=w,run=r,width=n,memory=m,exclusive=x"
    assert fact in _refusal_of(tmp_path, f"s,w,r,n,m,x\n{line}\n", columns)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_marks_and_line_ends_do_not_matter(tmp_path: Path, separator: str, end: str) -> None:
    rows = [
        ("job", "Submit", "wait", "run", "cores", "who"),
        ("1", "5", "0", "0,5", "2", "anna"),
        ("2", "6", "1", "61,25", "4", "j\u00fcrg"),
    ]
    lines = [separator.join(f'"{cell}"' if separator == "," else cell for cell in row) for row in rows]
    text = end.join(lines) + end
    columns = "submit=Submit,wait=wait,run=run,width=cores,user=who,job=job"
    for coded in (text.encode("utf-8-sig"), text.encode("utf-8")):
        (tmp_path / "t.csv").write_bytes(coded)
        log = import_into(tmp_path, "csv", tmp_path / "t.csv", "--columns", columns)
        assert [*column(log, "run").values()] == [1, 62]
        assert [*log.names.users.values()] == ["anna", "j\u00fcrg"]
    other = _refusal_of(tmp_path, text, columns.replace("=Submit", "=SUBMIT"))
    assert 'there is no column "SUBMIT" for submit;' in other
    assert "did you mean Submit?" in other


def test_json_is_said_to_be_no_table(tmp_path: Path) -> None:
    assert "a table must be CSV or Parquet, but this seems to be JSON" in _refusal_of(
        tmp_path, '[{"a": 1}]\n', "submit=s,run=r,width=n"
    )


def test_the_hour_that_comes_twice_is_settled_by_the_run_time(tmp_path: Path) -> None:
    rows = "2024-10-27 01:30:00,2024-10-27 01:40:00,2024-10-27 02:30:00,6600,1\n"
    rows += "2024-10-27 01:30:00,2024-10-27 01:40:00,2024-10-27 02:30:00,3000,1\n"
    rows += "2024-10-27 02:30:00,2024-10-27 02:30:00,2024-10-27 02:40:00,600,1\n"
    log = _import_text(
        tmp_path, f"s,b,e,r,n\n{rows}", "submit=s,start=b,end=e,run=r,width=n", "--zone", "Europe/Berlin"
    )
    assert [(job["submit"], job["wait"], job["run"]) for job in log.jobs.values()] == [
        (0, 600, 6600),
        (0, 600, 3000),
        (3600, 0, 600),
    ]
    assert log.counts["a time is in the hour that comes twice in autumn, and its run time does not tell which"] == (
        "assumed", 1,
    )  # fmt: skip


def test_many_equal_rows_in_a_small_parquet_file_are_refused_at_once(tmp_path: Path) -> None:
    n = 6_000_000
    cells = {"submit": 1_795_345_200, "width": 1, "run": 10, "user": "anna"}
    table = pa.table({name: pa.repeat(value, n) for name, value in cells.items()})
    words = _import_parquet(tmp_path, table)
    assert tmp_path.joinpath("x.parquet").stat().st_size < 200_000
    begin = time.process_time()
    assert "the unpacked size of a file must be at most 200 times its packed size" in command(*words).err
    assert time.process_time() - begin < 10


def test_of_a_parquet_file_only_the_columns_that_are_read_count(tmp_path: Path) -> None:
    n = 3000
    table = _arrow(pa.array([f"u{i % 7}" for i in range(n)]), power=pa.array([[1.5] * 300] * n))
    words = _import_parquet(tmp_path, table)
    with reading_limits(cells=n * 4):
        assert len(import_into(tmp_path, *words[1:]).jobs) == n
    said = command(*words, "--limit", f"cells={n * 4 - 1}").err
    assert "the rows x columns of a Parquet file must be at most 11,999 cells" in said


def test_fractions_of_a_second_are_counted_once_for_each_job(tmp_path: Path) -> None:
    text = (
        "s,b,r,n\n1700000000.5,1700000002.5,60.5,1\n1700000001.0,1700000002.0,60.0,1\n1700000002,1700000002,1:00.5,1\n"
        "2023-11-14T22:13:23.250Z,2023-11-14T22:13:24Z,60,1\n2023-11-14T22:13:24Z,2023-11-14T22:13:25Z,60,1\n"
    )
    log = _import_text(tmp_path, text, "submit=s,start=b,run=r,width=n")
    assert log.counts["fractions of a second"] == ("changed", 3)
    assert [*column(log, "submit").values()] == [0, 1, 2, 3, 4]
    assert [*column(log, "run").values()] == [61, 60, 61, 60, 60]
    whole = _import_text(tmp_path, text.replace(".5,", ".0,").replace(".250", ""), "submit=s,start=b,run=r,width=n")
    assert "fractions of a second" not in whole.counts
    in_ms = _import_text(tmp_path, "s,b,r,n\n1500,2000,7000,1\n3000,4000,7000,1\n", "submit=s,start=b,run=r,width=n",
                         "--unit", "ms")  # fmt: skip
    assert in_ms.counts["fractions of a second"] == ("changed", 1)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_fractions_of_a_second_in_parquet_are_counted(tmp_path: Path, unit: str, zone: str | None) -> None:
    parts = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    half = parts // 2
    times = pa.array([(10**9 + k) * parts + (half if k == 1 else 0) for k in range(3)], pa.timestamp(unit, zone))
    runs = pa.array([60 * parts + (half if k == 2 else 0) for k in range(3)], pa.duration(unit))
    table = pa.table({"s": times, "b": times, "r": runs, "n": [1, 1, 1]})
    parquet.write_table(table, tmp_path / "t.parquet")
    log = import_into(
        tmp_path, "csv", tmp_path / "t.parquet", "--columns", "submit=s,start=b,run=r,width=n", "--zone", "UTC"
    )
    assert [*column(log, "submit").values()] == [0, 1, 2]
    assert [*column(log, "run").values()] == [60, 60, 61 if half else 60]
    assert log.counts.get("fractions of a second") == (("changed", 2) if half else None)
