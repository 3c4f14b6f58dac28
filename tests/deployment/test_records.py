"""What a daemon keeps in its folder."""

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
from paretosched.deployment.slurm_updates import write_factors
from support.commands import command
from support.deploying import daemon_until, numbers_of, pass_alone, plan_in
from support.fake_slurm import FakeSlurm


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
    with pytest.raises(ps.InputError, match="; run this as that account, or name another "):
        open_folder(folder)


@pytest.mark.parametrize("job", ["a", "-7", " 8 ", "1_0", "٣", "9" * 40])
def test_the_state_names_jobs_by_their_numbers(tmp_path: Path, job: str) -> None:
    text = json.dumps({"format": "paretosched deployment 1", "since": 1, "factors": {job: 1}})
    (tmp_path / "deploy.json").write_text(text, encoding="utf-8")
    with pytest.raises(ps.InputError, match=r'"factors" must be by the numbers of jobs, .*move it away to begin again'):
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
    (tmp_path / ".deploy.prom.0123456789ab.part").touch()  # of a daemon that was killed
    write_metrics(tmp_path, {"passes_total": ("counter", 3, "complete passes"), "up": ("gauge", 1.0, "is up")})
    assert (tmp_path / "deploy.prom").read_text(encoding="utf-8").splitlines() == [
        "# HELP paretosched_deploy_passes_total complete passes",
        "# TYPE paretosched_deploy_passes_total counter",
        "paretosched_deploy_passes_total 3",
        "# HELP paretosched_deploy_up is up",
        "# TYPE paretosched_deploy_up gauge",
        "paretosched_deploy_up 1",
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["deploy.prom"]


def test_the_state_goes_and_the_log_stays(tmp_path: Path) -> None:
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
        write_state(tmp_path / name, State(None, {}))
        write_metrics(tmp_path / name, {})
    write_line(tmp_path / "with", {"time": 1}, {})
    for name in ("with", "without"):
        remove_state(tmp_path / name)
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["with", "with/deploy.jsonl"]


# --- files and folders that others can change -------------------------------------------------------------------------


def on_first_write(monkeypatch: pytest.MonkeyPatch, what: Callable[[], object]) -> None:
    """Do something once, while the daemon's first pass writes its changes."""
    times: list[int] = []

    def write(changes: dict[int, int]) -> dict[int, str]:
        times.append(1)
        if len(times) == 1:
            what()
        return write_factors(changes)

    monkeypatch.setattr("paretosched.deployment.daemon.write_factors", write)


@pytest.mark.parametrize("mode", [0o666, 0o777])
@pytest.mark.parametrize("which", ["policy.txt", "groups.csv"])
def test_a_policy_or_list_that_others_can_write_is_refused(
    fake: FakeSlurm, tmp_path: Path, which: str, mode: int
) -> None:
    plan = plan_in(tmp_path, "priority:physics,law; backfill: easy\n")
    (tmp_path / "groups.csv").write_text("user,group\nann,physics\n", encoding="utf-8")
    plan = plan._replace(groups=str(tmp_path / "groups.csv"))
    fake.queue({1: {}, 2: {}}, {})
    (tmp_path / which).chmod(mode)
    words = ("deploy", plan.policy, "--to", "slurm", "--groups", plan.groups, "-o", plan.folder)
    outcome = command(*words, "--once")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert f"{which}: others can write this file; chmod go-w" in outcome.err
    assert fake.writes() == {}
    (tmp_path / which).chmod(0o644)
    assert command(*words, "--once").status == 0


@pytest.mark.parametrize("which", ["policy.txt", "groups.csv", "."])
def test_what_others_can_write_while_the_daemon_runs_is_not_followed(
    fake: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    plan = plan_in(own, "priority:physics,law; backfill: easy\n")._replace(folder=tmp_path / "kept")
    (own / "groups.csv").write_text("user,group\nann,physics\n", encoding="utf-8")
    plan = plan._replace(groups=str(own / "groups.csv"))
    fake.queue({1: {}, 2: {}}, {})

    def open_it() -> None:
        (own / which).chmod(0o777)
        plan.policy.write_text("order: estimate; backfill: easy\n", encoding="utf-8")

    on_first_write(monkeypatch, open_it)
    (remark,) = daemon_until(plan, 1)
    assert "others can write " in remark
    assert remark.endswith(" stays in force")
    assert numbers_of(plan)["damaged_policies_total"] == 1


def test_a_link_to_another_policy_in_an_open_folder_is_not_followed(
    fake: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_in(tmp_path)
    fake.queue({1: {}, 2: {}}, {})
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "p.txt").write_text("order: estimate; backfill: easy\n", encoding="utf-8")
    (tmp_path / "open").chmod(0o777)

    def swap() -> None:
        plan.policy.unlink()
        plan.policy.symlink_to("open/p.txt")

    on_first_write(monkeypatch, swap)
    (remark,) = daemon_until(plan, 1)
    assert f"others can write in {tmp_path}/open, above it" in remark
    assert remark.endswith("the policy SJF with EASY stays in force")


def test_nothing_is_written_into_a_folder_that_others_can_write_since(
    fake: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_in(tmp_path)
    fake.queue({1: {}, 2: {}}, {})
    on_first_write(monkeypatch, lambda: plan.folder.chmod(0o777))
    (remark,) = daemon_until(plan, 1)
    assert remark.startswith(f"{plan.folder}: others can write in this folder; chmod go-w {plan.folder}; all site ")
    assert numbers_of(plan)["up"] == 0


def test_what_is_put_in_the_place_of_the_folder_gets_nothing(
    fake: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_in(tmp_path)
    fake.queue({1: {}, 2: {}}, {})

    def swap() -> None:
        plan.folder.rename(tmp_path / "away")
        (tmp_path / "target").mkdir()
        plan.folder.symlink_to("target")

    on_first_write(monkeypatch, swap)
    (remark,) = daemon_until(plan, 1)
    assert remark.startswith(f"{plan.folder}: another folder is in its place now; move that away, or start again; all ")
    assert list((tmp_path / "target").iterdir()) == []
    assert numbers_of(plan._replace(folder=tmp_path / "away"))["up"] == 0
    assert {*read_state(tmp_path / "away").factors} == {1, 2}


def test_files_and_links_of_others_in_the_folder_are_refused(fake: FakeSlurm, tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    fake.queue({1: {}}, {})
    pass_alone(plan)
    (plan.folder / "deploy.json").chmod(0o666)
    with pytest.raises(ps.InputError, match=r"deploy\.json: others can write this file; remove it, or chmod go-w"):
        pass_alone(plan)
    (plan.folder / "deploy.json").rename(tmp_path / "state")
    (plan.folder / "deploy.json").symlink_to(tmp_path / "state")
    with pytest.raises(
        ps.InputError, match=r"kept/deploy\.json: must be a file of the deployment alone, but is a link"
    ):
        pass_alone(plan)


def test_files_are_for_the_own_account_whatever_the_umask(fake: FakeSlurm, tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    fake.queue({1: {}}, {})
    before = os.umask(0)
    try:
        pass_alone(plan)
        assert os.umask(0) == 0
    finally:
        os.umask(before)
    assert [path.name for path in plan.folder.iterdir() if path.stat().st_mode & 0o022] == []
