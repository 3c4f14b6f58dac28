"""The store of a run: damage is found, and stores of earlier versions get what they lack."""

import json
import random
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from paretosched.core.errors import InputError
from paretosched.core.run_files import stored_description
from paretosched.search import run_store
from paretosched.search.exploration import explore
from paretosched.search.run_store import connect, count, get, put
from paretosched.search.runs import read_values
from support.exploring import random_workload, store_without_tables
from support.runs import equal_runs

OLD = Path(__file__).parents[1] / "data" / "version-0.1"
ROWS: list[run_store.Row] = [(i, i // 4, bytes([i] * 16), bytes([i + 1] * 24), 0.25 * i) for i in range(12)]
W = random_workload()
SMALL = {"population": 10, "seed": 4}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of twelve evaluations."""
    path = tmp_path / "run.sqlite"
    connection = connect(path, {"a": 1})
    put(path, connection, ROWS)
    connection.close()
    return path


def test_what_is_stored_is_read_again(store: Path) -> None:
    assert get(store) == ROWS
    assert count(store) == 12
    assert stored_description(store) == '{"a": 1}'
    assert count(store.with_name("none")) == 0


@pytest.mark.parametrize(
    "change",
    [
        "genome = x'07070707070707070707070707070706'",
        "genome = x'06', objectives = x'070707'",
        "objectives = zeroblob(24)",
        "generation = 3",
        "seconds = 1.75000000000001",
        "seconds = 1",
        "checksum = 5",
        "checksum = '5'",
        "genome = 'text'",
        "generation = 'text'",
    ],
)
def test_every_change_of_a_row_is_named_with_its_number(store: Path, change: str) -> None:
    connection = sqlite3.connect(store)
    with connection:
        connection.execute(f"update evaluation set {change} where number = 7")
    connection.close()
    with pytest.raises(InputError, match=r"run\.sqlite: evaluation 7 .*; put (it|the file) back from a copy, or begin"):
        get(store)


@pytest.mark.slow
def test_a_flipped_bit_is_found_or_does_no_harm(tmp_path: Path) -> None:
    """Anywhere in the file; then the run is refused as it is, or it ends with the same evaluations."""
    run = tmp_path / "run"
    explore(W, run, evaluations=40, **SMALL)
    whole = (run / "run.sqlite").read_bytes()
    values = read_values(run)[0].tobytes()
    r = random.Random(1)
    with_number = 0
    for _ in range(40):
        place, bit = r.randrange(len(whole)), r.randrange(8)
        content = bytearray(whole)
        content[place] ^= 1 << bit
        (run / "run.sqlite").write_bytes(content)
        refusal = ""
        try:
            explore(W, run, evaluations=40, **SMALL)
        except InputError as error:
            refusal = str(error)
        if refusal:
            assert "\n" not in refusal
            with_number += re.search(r"run\.sqlite: evaluation \d+ ", refusal) is not None
            assert (run / "run.sqlite").read_bytes() == bytes(content), (place, bit)
        else:
            assert read_values(run)[0].tobytes() == values, (place, bit)
        for path in run.glob("run.sqlite-*"):
            path.unlink()
    assert with_number
    (run / "run.sqlite").write_bytes(whole)
    explore(W, run, evaluations=60, **SMALL)
    explore(W, tmp_path / "through", evaluations=60, **SMALL)
    equal_runs(run, tmp_path / "through")


def test_a_store_of_version_0_1_gets_checksums_and_a_copy(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD / "run-weighting" / "run.sqlite", tmp_path))
    rows = get(path)
    assert len(rows) > 10
    assert stored_description(path) is None
    connect(path, {"a": 1}).close()
    assert get(path) == rows
    assert stored_description(path) == '{"a": 1}'
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("update evaluation set seconds = seconds + 1 where number = 3")
    connection.close()
    with pytest.raises(InputError, match="evaluation 3 is not as it was stored, by its checksum"):
        get(path)


def test_a_checksum_cannot_be_left_out_after_the_move_from_version_0_1(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD / "run-weighting" / "run.sqlite", tmp_path))
    connection = connect(path, {})
    with connection:
        connection.execute("update evaluation set checksum = null where number = 3")
    connection.close()
    with pytest.raises(InputError, match="evaluation 3 is not as it was stored"):
        get(path)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("database is locked", "another program has this file open; close it"),
        ("disk I/O error", "SQLite needs a local file system"),
        ("database or disk is full", "make room on the disk; the same command continues the run"),
        ("attempt to write a readonly database", "the file or its folder is read-only"),
        ("no such thing", ""),
    ],
)
def test_errors_of_sqlite_say_what_to_do(store: Path, words: str, advice: str) -> None:
    class Failing(sqlite3.Connection):
        def executemany(self, *_: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError(words)

    connection = sqlite3.connect(store, factory=Failing)
    with pytest.raises(InputError, match=rf"run\.sqlite: cannot store evaluations: {words}.*{advice}"):
        put(store, connection, [(12, 3, b"", b"", 0.0)])
    connection.close()
    assert get(store) == ROWS


def test_a_store_that_another_program_has_open_is_one_line(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect
    monkeypatch.setattr(run_store.sqlite3, "connect", lambda path: real(path, timeout=0.01))
    connection = connect(store, {})
    other = real(store)
    other.execute("begin immediate")
    with pytest.raises(InputError, match="cannot store evaluations: database is locked; another program has this file"):
        put(store, connection, [(12, 3, b"", b"", 0.0)])
    other.rollback()
    put(store, connection, [(12, 3, b"", b"", 0.0)])
    other.close()
    connection.close()


def test_a_file_system_without_wal_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(sqlite3.Connection):
        def execute(self, words: str, *more: object) -> sqlite3.Cursor:  # type: ignore[override]
            return super().execute("select 'delete'" if "journal_mode" in words else words, *more)  # type: ignore[arg-type]

    real = sqlite3.connect
    monkeypatch.setattr(run_store.sqlite3, "connect", lambda path: real(path, factory=Refusing))
    with pytest.raises(InputError, match=r"cannot keep a journal \(WAL\) here, as on network file systems; name a dir"):
        explore(W, tmp_path / "run", evaluations=10, population=10)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_was_killed_before_its_store_had_tables_goes_on(tmp_path: Path) -> None:
    whole, run = tmp_path / "whole", tmp_path / "run"
    explore(W, whole, evaluations=30, **SMALL)
    run.mkdir()
    begun = json.loads((whole / "run.json").read_text()) | {"status": "running"}
    (run / "run.json").write_text(json.dumps(begun | {"evaluations": {"wanted": 30, "done": 0}}))
    store_without_tables(run / "run.sqlite")
    assert (run / "run.sqlite").stat().st_size > 0
    assert count(run / "run.sqlite") == 0
    explore(W, run, evaluations=30, **SMALL)
    equal_runs(whole, run)


def test_a_store_whose_evaluations_are_gone_is_not_begun_anew(store: Path) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("drop table evaluation")
    connection.close()
    with pytest.raises(InputError, match="its table of evaluations is gone; put the file back from a copy"):
        connect(store, {"a": 1})


def test_a_store_that_is_a_link_to_that_of_another_run_is_refused(tmp_path: Path) -> None:
    """Two runs would write it at the same time: each has a lock of its own."""
    explore(W, tmp_path / "one", evaluations=20, **SMALL)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "run.sqlite").unlink()
    (tmp_path / "two" / "run.sqlite").symlink_to(tmp_path / "one" / "run.sqlite")
    with pytest.raises(InputError, match=r"run\.sqlite: must be a file of this run, but is a link"):
        explore(W, tmp_path / "two", evaluations=30, **SMALL)
    assert count(tmp_path / "one" / "run.sqlite") == 20


def test_a_front_that_cannot_be_written_is_said_before_anything_is_stored(tmp_path: Path) -> None:
    run = tmp_path / "run"
    explore(W, run, evaluations=20, **SMALL)
    (run / "front.parquet").unlink()
    (run / "front.parquet").mkdir()
    with pytest.raises(InputError, match=r"front\.parquet: the output must be a file, but this is a directory"):
        explore(W, run, evaluations=30, **SMALL)
    assert count(run / "run.sqlite") == 20
