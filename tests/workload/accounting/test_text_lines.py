import gzip
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.workload import log_text
from paretosched.workload.accounting.tally import Tally
from paretosched.workload.accounting.text_lines import line_blocks


def lines_of(path: Path) -> list[tuple[int, str]]:
    """Return all lines with their numbers."""
    blocks = line_blocks(path, lambda done, goal: None)
    return [(block.first + index, text) for block in blocks for index, text in enumerate(block.texts)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_numbered_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr(log_text, "BLOCK", 7)
    texts = ["one", "", "three|\xe9", "four\u2028and more", "last"]
    (tmp_path / "x").write_bytes(end.join(texts).encode())
    (tmp_path / "x.gz").write_bytes(gzip.compress((end.join(texts) + end).encode()))
    for name in ("x", "x.gz"):
        assert lines_of(tmp_path / name) == [*enumerate(texts, 1)]


def test_lines_that_are_no_utf8_are_of_windows_one_by_one_and_binary_files_refused(tmp_path: Path) -> None:
    lines = ["Zo\u00eb".encode(), "J\u00f6rg \u20ac".encode("cp1252"), b"\x81\xfc", "\u0416".encode()]
    (tmp_path / "x").write_bytes(b"\r\n".join(lines) + b"\n")
    tally = Tally()
    blocks = [*line_blocks(tmp_path / "x", lambda done, goal: None, tally)]
    assert [text for block in blocks for text in block.texts] == ["Zo\u00eb", "J\u00f6rg \u20ac", "\x81\xfc", "\u0416"]
    [count] = tally.counts()
    assert (count.action, count.jobs, count.work, count.first) == ("changed", 2, None, "line 2, line 3")
    (tmp_path / "x").write_bytes(b"a\0b\n")
    with pytest.raises(ps.InputError, match="must be text, but this file is binary: byte 2 is zero"):
        lines_of(tmp_path / "x")


def test_marks_of_utf8_before_lines_are_left_out(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    (tmp_path / "x").write_bytes(mark + b"one\r\n" + mark + b"two" + mark + b"\n" + mark)
    assert lines_of(tmp_path / "x") == [(1, "one"), (2, "two\ufeff")]


def test_long_lines_are_refused_with_their_number(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("short\n" + "x" * 200 + "\n")
    with (
        ps.reading_limits(line=100),
        pytest.raises(ps.InputError, match=r"x:2: the length of a line must be at most 100"),
    ):
        lines_of(tmp_path / "x")


def test_progress_is_told_in_bytes_with_the_end_where_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("abc\n" * 10)
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"abc\n" * 10))
    told: list[tuple[int, int | None]] = []
    for name in ("x", "x.gz"):
        assert len([*line_blocks(tmp_path / name, lambda done, goal: told.append((done, goal)))]) == 1
    assert told == [(40, 40), (40, None)]
