"""Fuzz tests of logs: a damaged log is read, or refused in one line with status 2, and nothing is left."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretosched as ps
from support.commands import command, log, succeed
from support.fuzzing import LEISURE, LONG, refusal, takes_trace
from support.mutations import damaged_log

# --- logs ---------------------------------------------------------------------------------------------------------

SOUND = "1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1"


def job(**fields: object) -> str:
    """One job line with some fields other than in SOUND."""
    place = {"job": 0, "submit": 1, "wait": 2, "run": 3, "allocated": 4, "width": 7, "estimate": 8, "status": 10}
    place |= {"user": 11, "queue": 14}
    words = SOUND.split()
    for name, value in fields.items():
        words[place[name]] = str(value)
    return " ".join(words)


BAD_LOGS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "empty"),
    "blank": ("\n \n\t\n", "empty"),
    "header only": ("; MaxProcs: 8\n", "at least one job line"),
    "NUL bytes": (b"\0" * 100, "binary"),
    "random bytes": (Random(1).randbytes(5000), "binary"),
    "an image": (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)), ":1: a job line must have 18 columns"),
    "text": ("to be or not to be\n", ":1: a job line must have 18 columns, but this one has 6"),
    "too few columns": ("1 0 5 10 4\n", ":1: a job line must have 18 columns, but this one has 5"),
    "too many columns": (SOUND + 4 * " 1" + "\n", ":1: a job line must have 18 columns, but this one has 22"),
    "one wrong line": (f"{SOUND}\n" * 9 + "1 2 3\n", ":10: a job line must have 18 columns, but this one has 3"),
    "commas": (SOUND.replace(" ", ",") + "\n", ":1: a job line must have 18 columns"),
    "a word": (log(SOUND, job(run="abc")), ":3: run time is \"abc\", not a number of seconds"),
    "nan": (log(job(submit="nan")), ':2: submit time is "nan"'),
    "infinite": (log(job(width="inf")), ':2: number of requested processors is "inf"'),
    "huge": (log(job(run=10**30)), ":2: run time is"),
    "beyond floats": (log(job(run="1e400")), ":2: run time is"),
    "huge submission": (log(job(submit=2**53)), ":2: submit time is"),
    "negative submission": (log(job(submit=-5)), ":2: submit time is -5, but must be at least 0 s"),
    "half a user": (log(job(user=1.5)), ":2: user is 1.5, but must be a whole number"),
    "no time for all": (log(*[job(run=2**52, estimate=2**52)] * 2000), "must stay below 2^62"),
    "wider than the machine": (log(job(width=16)), "none of 1 job can be simulated"),
    "negative widths": (log(job(width=-4, allocated=-4)), "none of 1 job can be simulated"),
    "no run times": (log(job(run=-1), job(run=0)), "none of 2 jobs can be simulated"),
    "negative machine": (log(SOUND, header="MaxProcs: -8"), ':1: MaxProcs is "-8"'),
    "no machine": (log(SOUND, header="MaxProcs: many"), ':1: MaxProcs is "many"'),
    "huge machine": (log(SOUND, header=f"MaxProcs: {10**12}"), ":1: MaxProcs is"),
    "no such zone": (log(SOUND, header="MaxProcs: 8\nTimeZoneString: Mars/Olympus"), ":2: time zone"),
    "late clock": (log(SOUND, header=f"UnixStartTime: {10**15}"), ":1: UnixStartTime is"),
    "cut gzip": (gzip.compress(log(*[SOUND] * 500).encode())[:60], "cut short"),
    "damaged gzip": (gzip.compress(SOUND.encode())[:-8] + b"\xff" * 8, "damaged"),
    "gzip of nothing": (gzip.compress(b""), "empty"),
    "gzip of a gzip": (gzip.compress(gzip.compress(SOUND.encode())), "binary"),
    "a zip file": (b"PK\3\4" + b"\0" * 60, "binary"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_LOGS)
def test_a_bad_log_is_refused_by_every_subcommand(house: Path, tmp_path: Path, name: str) -> None:
    content, rule = BAD_LOGS[name]
    data = content.encode() if isinstance(content, str) else content
    for trace, bytes_ in ((tmp_path / "bad.swf", data), (tmp_path / "bad.swf.gz", gzip.compress(data))):
        if not data.startswith(b"\x1f\x8b") or trace.suffix == ".swf":
            trace.write_bytes(bytes_)
            for arguments in takes_trace(trace, house, tmp_path):
                assert rule in refusal(*arguments, names=trace, below=tmp_path)


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


RANDOM = st.randoms(use_true_random=False)
GROUPS = st.sampled_from(["consumption", "swf", "queue", "50,10"])


@pytest.mark.slow
@settings(LEISURE, max_examples=120)
@given(r=RANDOM, groups=GROUPS, policy=st.sampled_from(["fcfs", "easy", "conservative", "recorded", "scojo"]))
def test_a_damaged_log_is_simulated_or_refused(
    house: Path, tmp_path: Path, r: Random, groups: str, policy: str
) -> None:
    trace, output = tmp_path / "damaged.swf", tmp_path / "out.csv"
    output.unlink(missing_ok=True)
    trace.write_bytes(damaged_log(r))
    either("info", trace, "--groups", groups)
    if either("simulate", trace, "--groups", groups, "--policy", policy, "-o", output):
        jobs = len(ps.read_swf(trace))
        assert len(output.read_text(encoding="utf-8").splitlines()) == jobs + 1
    assert {path.name for path in tmp_path.iterdir()} <= {"damaged.swf", "out.csv"}


@pytest.mark.slow
@settings(LEISURE, max_examples=30)
@given(r=RANDOM, groups=GROUPS, factor=st.sampled_from([1, 1.5, 10]))
def test_a_damaged_log_is_explored_scaled_and_compared_or_refused(
    house: Path, tmp_path: Path, r: Random, groups: str, factor: float
) -> None:
    trace, target, run = tmp_path / "damaged.swf", tmp_path / "scaled.swf", tmp_path / "run"
    trace.write_bytes(damaged_log(r))
    target.unlink(missing_ok=True)
    shutil.rmtree(run, ignore_errors=True)
    if either("scale", trace, "--factor", factor, "--processors", 16, "-o", target):
        succeed("info", target)
    if either("explore", trace, "--groups", groups, "-o", run, "--evaluations", 8, "--population", 4):
        succeed("compare", trace, "--groups", groups, "--front", run)
    assert {path.name for path in tmp_path.iterdir()} <= {"damaged.swf", "scaled.swf", "run"}


def either(*arguments: object) -> bool:
    """Run a command that may succeed or be refused; True if it succeeded."""
    outcome = command(*arguments)
    if outcome.status == 0:
        assert outcome.out
        return True
    assert (outcome.status, outcome.out) == (2, ""), outcome
    lines = outcome.err.splitlines()
    assert re.fullmatch(rf"paretosched {arguments[0]}: .+", lines[-1]), outcome
    assert all(line.startswith("paretosched: exploring") for line in lines[:-1]), outcome
    return False


def test_estimates_that_cannot_be_known_are_refused(house: Path) -> None:
    run = ("simulate", house / "w.swf.gz", "--estimates")
    refusal(*run, "predicted", "--policy", "scojo-opt", names="SCOJO-PECT")
    for source in ("recent", "predicted", "printed", "exact"):
        assert f"({source})" in succeed(*run, source, "--front", house / "run", "--row", 0).out
