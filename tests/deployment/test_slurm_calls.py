"""Calls of Slurm's commands: they end in time, and their output is bounded."""

import time
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.deployment import slurm_calls
from paretosched.deployment.slurm_calls import SlurmError, call, failure_of


def test_output_error_and_status_come_back_and_all_lines_go_in() -> None:
    lines = "".join(f"line {i}\n" for i in range(50_000))
    answer = call(["sh", "-c", "cat; echo oops >&2; exit 3"], lines, any_status=True)
    assert (answer.text, answer.errors, answer.status) == (lines, "oops\n", 3)


def test_output_that_nobody_reads_is_lost_and_errors_are_not() -> None:
    answer = call(["sh", "-c", "cat; echo oops >&2"], "line\n", is_output_lost=True)
    assert (answer.text, answer.errors, answer.status) == ("", "oops\n", 0)


def test_a_command_that_reads_nothing_is_no_error() -> None:
    assert call(["true"], "x" * 1_000_000).status == 0


def test_a_command_that_fails_is_an_error_with_its_words() -> None:
    with pytest.raises(SlurmError, match=r'sh: status 7: "no controller"'):
        call(["sh", "-c", "echo no controller >&2; exit 7"])


def test_a_slurmctld_that_does_not_answer_is_said_with_what_to_do() -> None:
    lines = [
        "scontrol: error: fetch_config: DNS SRV lookup failed",
        "scontrol: fatal: Could not establish a configuration source",
    ]
    said = failure_of("scontrol", 1, "\n".join(lines))
    assert said == f"slurmctld does not answer ({lines[1]}); try: scontrol ping"
    of_slurmdbd = failure_of("sacct", 1, "sacct: error: host:6819: Connection refused\nsacct: error: no storage")
    assert of_slurmdbd == 'sacct: status 1: "sacct: error: host:6819: Connection refused; sacct: error: no storage"'


def test_a_command_that_does_not_end_is_ended() -> None:
    begin = time.monotonic()
    with pytest.raises(SlurmError, match=r"no end after 0\.2 s"):
        call(["sleep", "60"], patience=0.2)
    assert time.monotonic() - begin < 30


def test_the_children_of_a_command_end_with_it(tmp_path: Path) -> None:
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/child\nwait\n", encoding="utf-8")
    wrapper.chmod(0o755)
    with pytest.raises(SlurmError, match="no end after"):
        call([str(wrapper)], patience=2.0)
    child = Path("/proc") / (tmp_path / "child").read_text(encoding="utf-8").strip() / "stat"
    end = time.monotonic() + 30
    while child.exists() and ") Z " not in child.read_text(encoding="utf-8"):  # a zombie waits for whoever adopts it
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_command_without_end_of_output_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm_calls, "MOST_BYTES", 100_000)
    with pytest.raises(SlurmError, match="more than 100,000 bytes"):
        call(["yes"])


def test_a_missing_command_is_said_in_one_line() -> None:
    with pytest.raises(ps.InputError, match="no such command; this must run where Slurm's commands are"):
        call(["squeue-that-is-not-there"])
