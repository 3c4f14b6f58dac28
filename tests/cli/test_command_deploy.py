"""`deploy`: what it prints, what it refuses; the daemon itself is in tests/deployment."""

import subprocess
import sys
from pathlib import Path

import pytest

import paretosched as ps
from support.commands import command, environment, process, succeed
from support.fake_slurm import FakeSlurm


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    (tmp_path / "slurm").mkdir()
    slurm = FakeSlurm(tmp_path / "slurm")
    slurm.queue({1: {"limit": "3:00:00"}, 2: {"limit": "1:00:00"}}, {})
    monkeypatch.setenv("PATH", slurm.path)
    return slurm


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "p.json"
    ps.save_policy("sjf; backfill: easy", path)
    return path


def test_one_pass_says_what_slurm_must_say_and_puts_the_jobs_in_order(fake: FakeSlurm, policy: Path) -> None:
    out = succeed("deploy", policy, "--to", "slurm", "--once").out
    assert fake.order() == [2, 1]
    assert "SJF with EASY on fake, all partitions" in out
    assert "SchedulerParameters=bf_job_part_count_reserve=1: ok" in out
    assert "bf_max_job_test=500 or more: ok" in out
    assert "AdminLevel=Operator" in out
    assert (policy.parent / "p.json.deploy" / "deploy.jsonl").is_file()


def test_a_wrong_setting_is_shown_with_what_it_is_now(fake: FakeSlurm, policy: Path) -> None:
    fake.configure(SchedulerParameters="bf_window=60")
    out = succeed("deploy", policy, "--to", "slurm", "--once", "--dry-run").out
    assert (
        "bf_job_part_count_reserve=1: PLEASE CHANGE slurm.conf, which says bf_job_part_count_reserve=0 (default)" in out
    )
    assert "bf_window=1440 or more: PLEASE CHANGE slurm.conf, which says bf_window=60" in out
    assert "nothing is changed" in out
    assert fake.writes() == {}


def test_off_says_how_many_jobs_are_as_before(fake: FakeSlurm, policy: Path) -> None:
    succeed("deploy", policy, "--to", "slurm", "--once")
    outcome = succeed("deploy", policy, "--to", "slurm", "--off")
    assert outcome.out == "2 jobs have the site factor 0 again\n"
    assert "the log stays" in outcome.err
    assert fake.writes() == {1: 0, 2: 0}


def test_the_folder_is_that_of_systemd_where_it_has_one(
    fake: FakeSlurm, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    succeed("deploy", policy, "--to", "slurm", "--once")
    assert (tmp_path / "state" / "deploy.json").is_file()
    succeed("deploy", policy, "--to", "slurm", "--once", "-o", tmp_path / "mine")
    assert (tmp_path / "mine" / "deploy.json").is_file()


def test_the_unit_has_the_whole_command_line(policy: Path, tmp_path: Path) -> None:
    groups = tmp_path / "g.csv"
    groups.write_text("user,group\nann,1\n", encoding="utf-8")
    words = ["--period", 20, "--partition", "a", "--partition", "b", "--share", 30, "--groups", groups]
    text = succeed("deploy", policy, "--to", "slurm", "--unit", *words).out
    line = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    for word in (
        f"deploy {policy} --to slurm",
        "--period 20",
        "--partition a --partition b",
        "--share 30",
        str(groups),
    ):
        assert str(word) in line


def test_the_unit_says_how_it_is_undone_and_what_it_cannot_see(policy: Path) -> None:
    outcome = succeed("deploy", policy, "--to", "slurm", "--unit", "--partition", "a")
    (line,) = [line for line in outcome.out.splitlines() if line.endswith(" --off")]
    assert f"deploy {policy} --to slurm" in line
    assert line.endswith("--partition a --width cpus -o /var/lib/paretosched --off")
    is_hidden = str(policy).startswith(("/tmp/", "/var/tmp/"))
    assert ("PrivateTmp=yes" in outcome.err) == is_hidden


@pytest.mark.parametrize("words", [("--to", "slurm", "--unit"), ("--to", "slurm", "--once")])
def test_groups_by_consumption_are_refused(fake: FakeSlurm, tmp_path: Path, words: tuple[str, ...]) -> None:
    groups = ("1", "2")
    rule = ps.ConsumptionGroups(groups, (0.5,), 30, "2")
    path = tmp_path / "p.json"
    ps.save_policy(ps.greedy(["f2"] * 3, [[1, 0.5, 0, 0, 1, 0]] * 3, groups=groups, grouping=rule), path)
    outcome = command("deploy", path, *words)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "groups users by what they consumed, which Slurm does not tell; say with --groups" in outcome.err
    if "--once" not in words:
        succeed("deploy", path, *words, "--groups", "account")


def test_text_for_pbs_takes_groups_to_be_accounts_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    ps.save_policy(ps.greedy(["f2"] * 3, [[1, 0.5, 0, 0, 1, 0]] * 3, groups=("1", "2")), path)
    outcome = succeed("deploy", path, "--to", "pbs")
    assert "job.Account_Name" in outcome.out
    assert "groups are taken to be accounts" in outcome.err
    assert "taken to be" not in succeed("deploy", path, "--to", "pbs", "--groups", "user").err
    assert "taken to be" not in succeed("deploy", "easy", "--to", "pbs").err


def test_a_unit_that_the_daemon_would_refuse_is_not_printed(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("guarded: vip", encoding="utf-8")
    words = ("deploy", tmp_path / "p.txt", "--to", "slurm", "--unit", "--groups", "account")
    outcome = command(*words, "--width", "gpus")
    assert (outcome.status, "--width must be cpus or nodes, but is gpus" in outcome.err) == (2, True)
    succeed(*words)


def test_what_is_left_out_for_pbs_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("sjf; backfill: easy:3 for physics; slack: 1h", encoding="utf-8")
    outcome = succeed("deploy", tmp_path / "p.txt", "--to", "pbs")
    assert outcome.err.splitlines() == [
        "paretosched: left out of the text for OpenPBS: reservations for the groups physics only",
        "paretosched: left out of the text for OpenPBS: slack of reservations",
    ]


def test_text_for_pbs_needs_no_slurm(policy: Path) -> None:
    text = succeed("deploy", policy, "--to", "pbs").out
    assert "job_sort_formula" in text
    assert "How to undo it" in text
    assert "eligible_time" in succeed("deploy", "easy", "--to", "pbs").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--period", "0"], "--period: must be in 1..86400 s, but is 0"),
        (["--share", "100"], "--share: must be more than 0 and less than 100 per cent, but is 100"),
        (["--share", "20"], "--share: slurm.conf has no PriorityWeight*"),
        (["--partition", "nope"], "--partition: there is no partition nope"),
        (["--groups", "nope.csv"], "--groups: must be a file here, but there is no file nope.csv"),
        (["--width", "cores"], "must be one of cpus, nodes, gpus, billing"),
        (["--off", "--dry-run"], "not allowed with"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(fake: FakeSlurm, policy: Path, words: list[str], message: str) -> None:
    outcome = command("deploy", policy, "--to", "slurm", *words)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert fake.writes() == {}


def test_other_priorities_of_slurm_are_refused(fake: FakeSlurm, policy: Path) -> None:
    fake.configure(PriorityType="priority/basic")
    outcome = command("deploy", policy, "--to", "slurm", "--once")
    assert (outcome.status, "must be priority/multifactor" in outcome.err) == (2, True)


def test_a_slurm_that_does_not_answer_is_said_in_one_line(fake: FakeSlurm, policy: Path) -> None:
    (fake.folder / "squeue.fails").touch()
    outcome = command("deploy", policy, "--to", "slurm", "--once")
    assert outcome.status == 75  # not 2, after which systemd does not start the unit again
    assert outcome.err == (
        "paretosched deploy: slurmctld does not answer (Unable to contact slurm controller); try: scontrol ping\n"
    )


@pytest.mark.parametrize("option", ["--off", "--dry-run"])
def test_a_machine_without_slurmctld_is_said_in_one_line(fake: FakeSlurm, policy: Path, option: str) -> None:
    lines = "scontrol: error: failed to fetch config\\nscontrol: fatal: Could not establish a configuration source"
    (fake.folder / "scontrol").write_text(f"#!/bin/sh\nprintf '{lines}\\n' >&2; exit 1\n", encoding="utf-8")
    outcome = command("deploy", policy, "--to", "slurm", option)
    assert outcome.status == 75
    assert outcome.err == (
        "paretosched deploy: slurmctld does not answer (scontrol: fatal: Could not establish a configuration source); "
        "try: scontrol ping\n"
    )


def test_a_policy_that_is_only_a_name_cannot_be_read_again(fake: FakeSlurm) -> None:
    outcome = command("deploy", "easy", "--to", "slurm", "--once")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert "must be a file here" in outcome.err


def test_options_of_slurm_do_not_go_with_pbs(policy: Path) -> None:
    outcome = command("deploy", policy, "--to", "pbs", "--off")
    assert (outcome.status, "--off: goes with --to slurm only" in outcome.err) == (2, True)


@pytest.mark.slow
def test_help_teaches_and_loads_nothing_heavy() -> None:
    outcome = process("deploy", "--help")
    for word in (
        "--off -o /var/lib/paretosched",
        "SiteFactor",
        "AdminLevel=Operator",
        "--dry-run",
        "--off",
        "PriorityType=priority/multifactor",
    ):
        assert word in outcome.stdout
    script = "import sys; from paretosched.cli import main\ntry: main(['deploy', '--help'])\nexcept SystemExit: pass\n"
    script += "print([m for m in ('numpy', 'numba', 'pandas', 'msgspec') if m in sys.modules], file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stderr == "[]\n"
