"""A bad log is refused in one line with status 2, and nothing is left; attack/mutated_logs.py damages good ones."""

import gzip
import os
from pathlib import Path
from random import Random

import pytest

from support.commands import log, succeed
from support.fuzzing import LONG, refusal, takes_trace

# --- logs ---------------------------------------------------------------------------------------------------------

SOUND = "1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1"


def job(**fields: object) -> str:
    """One job line with some fields other than in SOUND."""
    place = {"run": 3, "estimate": 8}
    words = SOUND.split()
    for name, value in fields.items():
        words[place[name]] = str(value)
    return " ".join(words)


# What is refused at once, in a line, at the end, and for want of jobs; tests/workload/test_swf.py has all messages.
BAD_LOGS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "random bytes": (Random(1).randbytes(5000), "binary"),
    "one wrong line": (
        f"{SOUND}\n".encode() * 9 + b"1 2 3\n",
        ":10: a job line must have 18 columns, but this one has 3",
    ),
    "no time for all": (log(*[job(run=2**52, estimate=2**52)] * 2000).encode(), "must stay below 2^62"),
    "no run times": (log(job(run=-1), job(run=0)).encode(), "none of 2 jobs can be simulated"),
    "cut gzip": (gzip.compress(log(*[SOUND] * 500).encode())[:60], "cut short"),
    "gzip of a gzip": (gzip.compress(gzip.compress(SOUND.encode())), "binary"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_LOGS)
def test_a_bad_log_is_refused_by_every_subcommand(house: Path, tmp_path: Path, name: str) -> None:
    data, rule = BAD_LOGS[name]
    (tmp_path / "bad.swf").write_bytes(data)
    for arguments in takes_trace(tmp_path / "bad.swf", house, tmp_path):
        assert rule in refusal(*arguments, names=tmp_path / "bad.swf", below=tmp_path)


def test_what_is_no_file_is_refused_by_every_subcommand(house: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    for trace, rule in {
        tmp_path / "folder": "Is a directory",
        tmp_path / "none": "no such file",
        tmp_path / "loop": "Too many levels of symbolic links",
        tmp_path / "pipe": "empty",  # and no waiting for a program that writes
        tmp_path / LONG: "File name too long",
        house / "w.swf.gz" / "x": "Not a directory",
        Path("/dev/zero"): "binary",
        Path("/dev/null"): "empty",
    }.items():
        for arguments in takes_trace(trace, house, tmp_path / "folder"):
            assert rule in refusal(*arguments, names=trace, below=tmp_path / "folder")
    for arguments in takes_trace(Path(), house, tmp_path):
        first = "FRONT" if arguments[0] == "app" else "TRACE"
        assert "must be the name of a file" in refusal(arguments[0], "", *arguments[2:], names=first)
        assert "must be the name of a file" in refusal(arguments[0], "a\0b", *arguments[2:], names=first)


def test_estimates_that_cannot_be_known_are_refused(house: Path) -> None:
    run = ("simulate", house / "w.swf.gz", "--estimates")
    refusal(*run, "predicted", "--policy", "scojo-opt", names="SCOJO-PECT")
    for source in ("recent", "predicted", "printed", "exact"):
        assert f"({source})" in succeed(*run, source, "--front", house / "run", "--row", 0).out
