"""Outputs that would overwrite inputs are refused."""

from __future__ import annotations

import re
from pathlib import Path

from support.commands import (
    command,
    files,
)


def test_outputs_do_not_overwrite_the_log_or_each_other(house: Path, tmp_path: Path) -> None:
    trace = tmp_path / "w.swf"
    trace.write_bytes((house / "record.swf").read_bytes())
    link = tmp_path / "link"
    link.symlink_to(trace)
    before = files(tmp_path)
    for arguments in (
        ("simulate", trace, "-o", trace),
        ("simulate", trace, "--save-policy", link),
        ("scale", link, "-o", tmp_path / "." / "w.swf"),
        ("compare", trace, "--front", house / "run", "-o", trace),
        ("simulate", trace, "-o", tmp_path / "x", "--save-policy", tmp_path / "x"),
    ):
        outcome = command(*arguments)
        assert outcome.status == 2
        assert re.fullmatch(r"paretosched \w+: \S+: --\S+ would overwrite .*; give it another name\n", outcome.err)
    assert files(tmp_path) == before
