"""A reader of an output sees the whole file or none of it."""

import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.core.files import check_writable, open_for_reading, read_json, read_text, replacing


def test_the_file_appears_whole_and_alone(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    with replacing(target) as temporary:
        temporary.write_text("half")
        assert not target.exists()
        assert temporary.parent == tmp_path  # or the last step would be a copy, not a rename
        temporary.write_text("whole")
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


KILLED = """
import sys, os, signal
from paretosched.core.files import replacing
with replacing(sys.argv[1]) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_goes_when_the_file_is_written_again(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    (left,) = tmp_path.iterdir()  # the second one removed that of the first
    assert left.suffix == ".part"
    other = tmp_path / ".a.csv.0123456789ab.part.csv"  # of somebody else
    other.touch()
    with replacing(tmp_path / "b.csv") as temporary:
        temporary.touch()
    assert left.exists()  # it may be of a file that is written in another place
    with replacing(target) as held, replacing(target) as temporary:
        assert not left.exists()
        assert held.exists()  # whoever writes now keeps what it writes
        temporary.write_text("second")
        held.write_text("first")
    assert target.read_text() == "first"
    assert sorted(tmp_path.iterdir()) == sorted([other, target, tmp_path / "b.csv"])


@pytest.mark.parametrize("trouble", [RuntimeError, KeyboardInterrupt, InputError])
def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path, trouble: type[BaseException]) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")

    def fail() -> None:
        with replacing(target) as temporary:
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
        with replacing(target) as temporary:
            temporary.write_text("new")
        assert reader.read() == "old"
    assert target.read_text() == "new"


def test_the_file_has_the_rights_of_an_ordinary_file(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_text("")
    with replacing(tmp_path / "ours") as temporary:
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
        with pytest.raises(InputError) as error, replacing(target):
            pytest.fail("must not be entered")
        assert str(error.value) == f"{target}: {message}"
    assert {p.name for p in tmp_path.iterdir()} == {"file", "pipe"}


def test_a_target_that_becomes_a_directory_meanwhile_is_named(tmp_path: Path) -> None:
    target = tmp_path / "a"

    def write() -> None:
        with replacing(target) as temporary:
            temporary.write_text("x")
            target.mkdir()

    with pytest.raises(InputError, match="cannot write here: Is a directory"):
        write()
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_is_an_input_error_that_names_the_file(tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "a"):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match=r"/a: cannot write here: No space left on device"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_looking_whether_an_output_can_be_written_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a"
    check_writable(target)
    assert list(tmp_path.iterdir()) == []
    target.write_text("old")
    check_writable(target)
    assert target.read_text() == "old"
    with pytest.raises(InputError, match="No such file or directory"):
        check_writable(tmp_path / "none" / "a")


def test_a_pipe_is_read_to_its_end_but_only_if_a_program_writes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read_text(pipe) == ""
    reader, writer = os.pipe()

    def write() -> None:
        time.sleep(0.05)  # the reader has to wait for it
        os.write(writer, b"late")
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    with open_for_reading(f"/dev/fd/{reader}") as file:
        assert file.read() == b"late"
    thread.join()
    os.close(reader)


def test_a_text_is_read_without_its_mark_and_not_without_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeffcaf\u00e9".encode())
    assert read_text(tmp_path / "a") == "caf\u00e9"
    with pytest.raises(InputError, match="/dev/zero: must be a text of at most 100,000,000 bytes, but is longer"):
        read_text("/dev/zero")
    with pytest.raises(InputError, match="/dev/zero: must be a text of at most 20,000,000 bytes, but is longer"):
        read_json("/dev/zero", "policy")


def test_a_key_is_there_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"rule": "easy", "more": [{"a": 1, "b": 2, "a": 1}]}')
    with pytest.raises(InputError, match=r'a\.json: not JSON: the key "a" is there twice in one object'):
        read_json(tmp_path / "a.json", "policy")
