"""Where runs are, and what they say about themselves."""

import sqlite3
from pathlib import Path

import pytest

from paretosched.core.errors import InputError
from paretosched.core.run_files import EVALUATION, is_run, read_description, reading, runs_below, stored_description
from support.disks import small_disk


def test_a_run_has_a_description_or_a_store(tmp_path: Path) -> None:
    for name, file in (("a", "run.json"), ("b", "run.sqlite"), ("c", "front.parquet")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    (tmp_path / "b" / "run.json").touch()
    assert runs_below(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    assert [is_run(tmp_path / name) for name in "abc"] == [True, True, False]
    assert not is_run(tmp_path / ("x" * 300))


def test_a_directory_that_is_no_run_has_no_description(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\.json: no such file$"):
        read_description(tmp_path)
    assert stored_description(tmp_path / "run.sqlite") is None
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_copy_is_none(tmp_path: Path) -> None:
    store = tmp_path / "run.sqlite"
    connection = sqlite3.connect(store)
    with connection:
        connection.execute("create table about (number integer primary key, content text, checksum integer)")
        connection.execute("insert into about values (0, '{}', 1)")
    connection.close()
    assert stored_description(store) is None
    with pytest.raises(InputError, match="has no copy"):
        read_description(tmp_path)


def test_a_store_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    with small_disk(folder) as writable:
        connection = sqlite3.connect(folder / "run.sqlite")
        connection.execute("pragma journal_mode = wal")
        connection.execute(EVALUATION)
        connection.close()
        writable(False)
        with pytest.raises(sqlite3.OperationalError):
            sqlite3.connect(folder / "run.sqlite").execute("select count(*) from evaluation")
        with reading(folder / "run.sqlite") as connection:
            assert connection.execute("select count(*) from evaluation").fetchone() == (0,)
