"""A reader of an output sees the whole file or none of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.files import written


def test_the_file_appears_whole_and_alone(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    with written(target) as temporary:
        temporary.write_text("half")
        assert not target.exists()
        assert temporary.parent == tmp_path  # or the last step would be a copy, not a rename
        temporary.write_text("whole")
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("trouble", [RuntimeError, KeyboardInterrupt, InputError])
def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path, trouble: type[BaseException]) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")

    def fail() -> None:
        with written(target) as temporary:
            temporary.write_text("half")
            raise trouble("no")

    with pytest.raises(trouble):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_open_reader_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")
    with target.open() as reader:
        with written(target) as temporary:
            temporary.write_text("new")
        assert reader.read() == "old"
    assert target.read_text() == "new"


def test_the_file_has_the_rights_of_an_ordinary_file(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_text("")
    with written(tmp_path / "ours") as temporary:
        temporary.write_text("")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_outputs_that_cannot_be_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for target, message in {
        tmp_path: "the output must be a file, but this is a directory",
        tmp_path / "none" / "a": "cannot write here: No such file or directory",
        tmp_path / "file" / "a": "cannot write here: Not a directory",
        tmp_path / "pipe": "the output must be a regular file, but this is a device, pipe or socket",
        tmp_path / ("x" * 300): "cannot write here: File name too long",
    }.items():
        with pytest.raises(InputError) as caught, written(target):
            pytest.fail("must not be entered")
        assert str(caught.value) == f"{target}: {message}"
    assert {p.name for p in tmp_path.iterdir()} == {"file", "pipe"}


def test_a_target_that_becomes_a_directory_meanwhile_is_named(tmp_path: Path) -> None:
    target = tmp_path / "a"

    def write() -> None:
        with written(target) as temporary:
            temporary.write_text("x")
            target.mkdir()

    with pytest.raises(InputError, match="cannot write here: Is a directory"):
        write()
    assert list(tmp_path.iterdir()) == [target]
