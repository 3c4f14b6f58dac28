"""`paretosched fetch` downloads from a mirror, once."""

import hashlib
import http.server
import re
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from paretosched.workload import public_logs
from support.commands import (
    command,
    files,
    succeed,
)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, house: Path) -> Iterator[Path]:
    """A mirror of the archive on this machine, with one log whose checksum is not known."""
    folder = tmp_path / "archive"
    (folder / "l_ricc").mkdir(parents=True)
    (folder / "l_ricc" / "RICC-2010-2.swf.gz").write_bytes((house / "w.swf.gz").read_bytes())
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("PARETOSCHED_ARCHIVE", f"http://127.0.0.1:{server.server_port}")
        yield folder
        server.shutdown()
        thread.join()


def test_fetch_downloads_once(archive: Path, tmp_path: Path) -> None:
    target = tmp_path / "RICC-2010-2.swf.gz"
    outcome = succeed("fetch", "ricc", "-o", tmp_path)
    assert outcome.out == f"{target}\n"
    size = target.stat().st_size
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    remark = (
        f"paretosched: {target}: could not be checked, because the SHA-256 of this log is not known here; "
        f"the file has {digest}\n"
    )
    assert outcome.err == f"paretosched: downloading: {size:,} of {size:,} bytes\n{remark}"
    assert target.read_bytes() == (archive / "l_ricc" / target.name).read_bytes()
    (archive / "l_ricc" / target.name).unlink()
    again = succeed("fetch", "RICC", "-o", tmp_path, "--json")
    assert again.json == {"file": str(target), "sha256": digest, "checked": False}
    assert again.err == remark


def test_fetch_names_what_the_server_does_not_have_and_leaves_nothing(archive: Path, tmp_path: Path) -> None:
    before = files(tmp_path)
    outcome = command("fetch", "HPC2N", "-o", tmp_path)
    assert outcome.status == 2
    assert outcome.out == ""
    assert re.fullmatch(
        r"paretosched fetch: http://\S+HPC2N-2002-2.2-cln.swf.gz: the server answers 404 .*\n", outcome.err
    )
    assert files(tmp_path) == before


def test_fetch_fills_the_cache(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path / "traces"))
    outcome = succeed("fetch", "RICC", "--cache", "--json")
    assert outcome.json["file"] == str(tmp_path / "traces" / "RICC-2010-2.swf.gz")
    assert command("fetch", "RICC", "--cache", "-o", tmp_path).status == 2


def test_fetch_takes_the_limit_of_a_download(archive: Path, tmp_path: Path) -> None:
    outcome = command("fetch", "RICC", "-o", tmp_path, "--limit", "download=99")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert "the size of a downloaded log must be at most 99 bytes, but is " in outcome.err


@pytest.mark.traces
def test_fetch_does_not_doubt_a_log_whose_checksum_is_known(traces: Path) -> None:
    outcome = succeed("fetch", "NASA-iPSC", "-o", traces, "--json")
    assert outcome.json["checked"] is True
    assert outcome.err == ""


@pytest.mark.parametrize("words", [("fetch",), ("fetch", "--list"), ("fetch", "CTC-SP2", "--list")])
def test_fetch_shows_all_that_is_known(words: tuple[str, ...]) -> None:
    shown = succeed(*words)
    assert re.search(r"^pm100 +287\.2  CC-BY-4\.0 +pm100 +CINECA Marconi100", shown.out, re.MULTILINE)
    assert "eagle: https://data.openei.org/files/5860/eagle_data.parquet\n" in shown.out
    assert "philly: https://github.com/msr-fiddle/philly-traces (by hand)\n  it comes by git lfs; the jobs" in shown.out
    assert re.search(
        r"^Parallel Workloads Archive, https://\S+, .*ANL-Intrepid, .*UniLu-Gaia$", shown.out, re.MULTILINE
    )
    rows = {row["name"]: row for row in succeed(*words, "--json").json}
    assert len(rows) == 42
    assert rows["CEA-Curie"]["address"].endswith("/l_cea_curie/CEA-Curie-2011-2.1-cln.swf.gz")
    assert rows["theta"]["as"] == "theta"


def test_fetch_says_how_a_table_is_read(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = public_logs.LOGS["helios"]
    (archive / log.folder).mkdir()
    (archive / log.folder / log.file).write_bytes(b"PK")
    monkeypatch.setitem(public_logs.LOGS, "helios", log._replace(sha256=hashlib.sha256(b"PK").hexdigest()))
    outcome = succeed("fetch", "helios", "-o", tmp_path)
    assert outcome.out == f"{tmp_path / 'data.zip'}\n"
    assert f"data.zip: {log.how}\n" in outcome.err
    assert outcome.err.endswith("next: paretosched import csv FILE --as helios -o log.swf.gz\n")
    by_hand = command("fetch", "philly", "-o", tmp_path)
    assert (by_hand.status, by_hand.err.count("\n")) == (2, 1)
    assert "is at https://github.com/msr-fiddle/philly-traces" in by_hand.err
