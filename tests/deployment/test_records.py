"""What a daemon keeps in its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.deployment import records
from paretosched.deployment.daemon_log import read_daemon_log
from paretosched.deployment.guard_books import Line, add_line, read_books
from paretosched.deployment.records import (
    State,
    add_text,
    open_folder,
    read_state,
    remove_state,
    remove_unfinished,
    write_line,
    write_metrics,
    write_state,
)


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_state(tmp_path) == State(None, {})
    state = State(1_700_000_000, {7: 500, 12: 0})
    write_state(tmp_path, state)
    assert read_state(tmp_path) == state


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": "x"}',
        '{"format": "paretosched deployment 1", "since": 1, "factors": {"a": 1}}',
        '{"format": "paretosched deployment 1", "since": -99999999999999999999, "factors": {}}',
        '{"format": "paretosched deployment 1", "since": 99999999999999999999, "factors": {}}',
    ],
)
def test_a_damaged_state_is_refused_with_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "deploy.json").write_text(text, encoding="utf-8")
    with pytest.raises(ps.InputError, match=r"deploy\.json"):
        read_state(tmp_path)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    open_folder(tmp_path / "new")
    write_state(tmp_path / "new", State(None, {}))
    open_folder(tmp_path / "new")
    (tmp_path / "new" / "thesis.tex").touch()
    with pytest.raises(ps.InputError, match=r"must have no other files, but has thesis\.tex"):
        open_folder(tmp_path / "new")
    with pytest.raises(ps.InputError, match="cannot be the folder of a deployment"):
        open_folder(tmp_path / "missing" / "new")


def test_a_folder_that_others_own_or_can_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    open_folder(folder)
    for mode in (0o757, 0o775):
        folder.chmod(mode)
        with pytest.raises(ps.InputError, match="kept: others can write in this folder; chmod go-w"):
            open_folder(folder)
    folder.chmod(0o755)
    open_folder(folder)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(ps.InputError, match="; run this as that account, or name another folder"):
        open_folder(folder)


@pytest.mark.parametrize("job", ["a", "-7", " 8 ", "1_0", "٣", "9" * 40])
def test_the_state_names_jobs_by_their_numbers(tmp_path: Path, job: str) -> None:
    text = json.dumps({"format": "paretosched deployment 1", "since": 1, "factors": {job: 1}})
    (tmp_path / "deploy.json").write_text(text, encoding="utf-8")
    with pytest.raises(ps.InputError, match=r'"factors" must be by the numbers of jobs, .*move it away to begin anew'):
        read_state(tmp_path)


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_nothing_is_written_through_a_link(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    target = tmp_path / "policy.txt"
    target.write_text("a policy without a last line end", encoding="utf-8")
    (tmp_path / "kept").mkdir()
    for name in ("deploy.jsonl", "deploy.books", "deploy.prom", "deploy.json"):
        link(tmp_path / "kept" / name, target)
    with pytest.raises(ps.InputError, match=r"deploy\.jsonl: must be a file of the deployment alone, .*; remove it"):
        write_line(tmp_path / "kept", {"time": 1}, {})
    with pytest.raises(ps.InputError, match=r"deploy\.books: must be a file of the deployment alone"):
        add_line(tmp_path / "kept", Line(1))
    with pytest.raises(ps.InputError, match=r"deploy\.books:1: .*must be a file of the deployment alone"):
        read_books(tmp_path / "kept")
    write_metrics(tmp_path / "kept", {"up": ("gauge", 1.0, "it")})
    write_state(tmp_path / "kept", State(None, {}))
    assert target.read_text(encoding="utf-8") == "a policy without a last line end"


def test_only_what_a_daemon_was_writing_is_removed(tmp_path: Path) -> None:
    ours = (".deploy.json.0123456789ab.part", ".deploy.books.0123456789ab.part", ".deploy.0123456789ab")
    for name in (*ours, ".deploy.env", "deploy.json"):
        (tmp_path / name).touch()
    remove_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".deploy.env", "deploy.json"]
    with pytest.raises(ps.InputError, match=r"must have no other files, but has \.deploy\.env"):
        open_folder(tmp_path)


@pytest.mark.parametrize("size", [0, 1, records.PIECE - 1, records.PIECE, records.PIECE + 1, 3 * records.PIECE])
def test_a_half_line_of_any_length_is_dropped(tmp_path: Path, size: int) -> None:
    path = tmp_path / "lines"
    for whole in (b"", b"a\n", b"first\n" + b"b" * records.PIECE + b"\n"):
        path.write_bytes(whole + b"x" * size)
        add_text(path, "new\n")
        assert path.read_bytes() == whole + b"new\n"


def test_every_file_of_the_log_begins_with_all_jobs_and_old_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LOG_BYTES", 300)
    factors = {}
    for second in range(200):
        factors[second % 5] = second
        write_line(tmp_path, {"time": second, "set": {str(second % 5): second}}, factors)
    names = {"deploy.jsonl", *(f"deploy.jsonl.{number}" for number in range(1, records.OLD_LOGS + 1))}
    assert {path.name for path in tmp_path.iterdir()} == names
    replayed: dict[str, int] = {}
    for name in sorted(names, key=lambda name: (name != "deploy.jsonl", name), reverse=True):
        lines = [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        assert "all" in lines[0]
        for line in lines:
            replayed = line.get("all", replayed | line.get("set", {}))
    assert replayed == {str(job): factor for job, factor in factors.items()}


@pytest.mark.parametrize("cut", [1, 20, 70])
def test_after_a_kill_while_a_line_was_written_the_log_goes_on_with_whole_lines(tmp_path: Path, cut: int) -> None:
    lines = [{"time": second, "dry_run": False, "set": {"1": second + 1}} for second in range(3)]
    for line in lines[:2]:
        write_line(tmp_path, line, {1: 9})
    log = tmp_path / "deploy.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole[:-cut])
    write_line(tmp_path, lines[2], {1: 9})
    rows = [json.loads(text) for text in log.read_text(encoding="utf-8").splitlines()]
    complete = whole[:-cut].count(b"\n")
    assert rows == [*[{"time": 0, "all": {"1": 9}}, *lines[:2]][:complete], lines[2]]
    assert read_daemon_log(log, 0).passes == complete  # the lines but the first one


def test_metrics_are_text_for_prometheus(tmp_path: Path) -> None:
    write_metrics(tmp_path, {"passes_total": ("counter", 3, "complete passes"), "up": ("gauge", 1.0, "is up")})
    assert (tmp_path / "deploy.prom").read_text(encoding="utf-8").splitlines() == [
        "# HELP paretosched_deploy_passes_total complete passes",
        "# TYPE paretosched_deploy_passes_total counter",
        "paretosched_deploy_passes_total 3",
        "# HELP paretosched_deploy_up is up",
        "# TYPE paretosched_deploy_up gauge",
        "paretosched_deploy_up 1",
    ]


def test_the_state_goes_and_the_log_stays(tmp_path: Path) -> None:
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
        write_state(tmp_path / name, State(None, {}))
        write_metrics(tmp_path / name, {})
    write_line(tmp_path / "with", {"time": 1}, {})
    for name in ("with", "without"):
        remove_state(tmp_path / name)
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["with", "with/deploy.jsonl"]
