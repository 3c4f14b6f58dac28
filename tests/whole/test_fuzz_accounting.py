"""Fuzz tests of `import`: damaged accounting is imported, and its log can be read, or it is refused in one line."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.workload.log_names import names_path
from support.commands import command, files
from support.fuzzing import LEISURE, LONG
from support.house import SITE_COLUMNS
from support.mutations import damaged_accounting, damaged_json

KINDS = {
    "slurm": ("sacct.txt",),
    "pbs": ("pbs.txt",),
    "sge": ("sge.txt",),
    "lsf": ("lsb.acct",),
    "batsim": ("batsim.json",),
    "csv": ("jobs-of-site.csv", "--columns", SITE_COLUMNS),
}


@pytest.mark.slow
@settings(LEISURE, max_examples=80)
@given(r=st.randoms(use_true_random=False), kind=st.sampled_from([*KINDS]), secret=st.booleans())
def test_damaged_accounting_is_imported_or_refused(
    house: Path, tmp_path: Path, r: random.Random, kind: str, secret: bool
) -> None:
    name, *more = KINDS[kind]
    for old in tmp_path.iterdir():
        old.unlink()
    (tmp_path / "accounting").write_bytes(damaged_accounting((house / name).read_text(), r))
    log = tmp_path / "log.swf"
    hidden = ("--anonymise", tmp_path / "key") if secret else ()
    outcome = command("import", kind, tmp_path / "accounting", *more, "-o", log, *hidden)
    assert outcome.status in (0, 2), outcome
    assert "Traceback" not in outcome.err
    if outcome.status == 2:
        assert re.fullmatch(r"paretosched import: [^\n]+\n", outcome.err), outcome
        assert {*files(tmp_path)} <= {"accounting", "key"}
    else:
        assert command("info", log, "--groups", "swf").status == 2 * ("no simulation can read" in outcome.err), outcome


@pytest.mark.slow
@settings(LEISURE, max_examples=60)
@given(r=st.randoms(use_true_random=False))
def test_damaged_names_are_read_or_refused(house: Path, tmp_path: Path, r: random.Random) -> None:
    log, sound_log = tmp_path / "log.swf", house / r.choice(["imported.swf", "down.swf"])
    log.write_bytes(sound_log.read_bytes())
    names_path(log).write_bytes(damaged_json(names_path(sound_log).read_text(), r))
    outcome = command("info", log, "--groups", "swf")
    assert outcome.status in (0, 2), outcome
    if outcome.status == 2:
        assert re.fullmatch(r"paretosched info: [^\n]+\n", outcome.err), outcome
        assert str(tmp_path) in outcome.err, outcome


@pytest.mark.slow
@settings(LEISURE, max_examples=60)
@given(r=st.randoms(use_true_random=False), damaged=st.sampled_from(["sinfo.txt", "events.txt"]))
def test_damaged_nodes_and_events_are_read_or_refused(
    house: Path, tmp_path: Path, r: random.Random, damaged: str
) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    for name in ("sinfo.txt", "events.txt"):
        text = (house / name).read_text()
        (tmp_path / name).write_bytes(damaged_accounting(text, r) if name == damaged else text.encode())
    machine = ("--nodes", tmp_path / "sinfo.txt", "--events", tmp_path / "events.txt")
    log = tmp_path / "log.swf"
    outcome = command("import", "slurm", house / "sacct-down.txt", *machine, "-o", log)
    assert outcome.status in (0, 2), outcome
    assert "Traceback" not in outcome.err
    if outcome.status == 2:
        assert re.fullmatch(r"paretosched import: [^\n]+\n", outcome.err), outcome
        assert {*files(tmp_path)} == {"sinfo.txt", "events.txt"}
    else:
        assert command("simulate", log, "--groups", "swf", "--policy", "easy").status == 0


@pytest.mark.parametrize("kind", [*KINDS])
def test_what_is_no_accounting_is_refused(house: Path, tmp_path: Path, kind: str) -> None:
    bad = {
        "empty": b"",
        "binary": b"\xff\xfe\0\1",
        "zeros": b"\0" * 99,
        "words": b"a letter\n",
        "gzip": b"\x1f\x8b\x08",
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    paths = [*tmp_path.iterdir(), tmp_path / "none", tmp_path / LONG, house / "w.swf.gz", house / "front.parquet"]
    for path in paths:
        outcome = command("import", kind, path, *KINDS[kind][1:], "-o", tmp_path / "out.swf")
        assert (outcome.status, outcome.out) == (2, ""), (path, outcome)
        assert re.fullmatch(r"paretosched import: [^\n]+\n", outcome.err), (path, outcome)
        assert len(outcome.err) < 2000
        assert str(path) in outcome.err, (path, outcome)
