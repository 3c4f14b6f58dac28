"""The daemon, with commands that look like Slurm's; tests on a real Slurm are in test_deployment.py."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.deployment.daemon import (
    Memory,
    Plan,
    one_pass,
    read_plan_policy,
    run_daemon,
    undo,
)
from paretosched.deployment.numbers import Counts
from paretosched.deployment.records import METRICS, State, locked_folder, read_state
from paretosched.deployment.site_factors import bounded_share
from paretosched.deployment.slurm_calls import SlurmError
from paretosched.deployment.slurm_updates import write_factors
from support.commands import environment
from support.deploying import numbers_of as metrics
from support.deploying import pass_alone as once
from support.deploying import plan_in
from support.deploying import records_of as records
from support.fake_slurm import FakeSlurm

SHORT_FIRST = "sjf; backfill: easy\n"
LONG_FIRST = "order: estimate; backfill: easy\n"
JOBS: dict[int, dict[str, Any]] = {1: {"limit": "3:00:00"}, 2: {"limit": "1:00:00"}, 3: {"limit": "2:00:00"}}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_in(tmp_path, SHORT_FIRST)


def test_a_pass_puts_the_jobs_in_order_and_writes_down_what_it_did(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS | {4: {"state": "RUNNING"}}, {})
    assert once(plan) == []
    assert fake.order() == [2, 3, 1]
    (record,) = records(plan)
    assert record["set"] == {str(job): factor for job, factor in fake.writes().items()}
    assert (record["waiting"], record["ranked"], record["dry_run"]) == (3, 3, False)
    assert read_state(plan.folder).factors == fake.writes()
    assert metrics(plan)["changes_total"] == 3
    assert metrics(plan)["up"] == 1


def test_nothing_is_written_where_nothing_has_changed(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    once(plan)
    fake.forget()
    once(plan)
    assert fake.writes() == {}
    fake.queue(JOBS | {4: {"limit": "1:30:00"}})
    once(plan)
    assert list(fake.writes()) == [4]


def test_a_dry_run_changes_nothing_and_writes_down_what_it_would_have_done(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    once(plan._replace(is_dry=True))
    assert fake.writes() == {}
    (record,) = records(plan)
    assert record["dry_run"]
    assert sorted(record["set"], key=lambda job: -record["set"][job]) == ["2", "3", "1"]
    assert read_state(plan.folder).factors == {}


def test_held_jobs_reservations_and_other_partitions_are_never_touched(fake: FakeSlurm, plan: Plan) -> None:
    others = {
        10: {"priority": 0},
        11: {"reservation": "r"},
        12: {"partition": "other"},
        13: {"eligible": "N/A"},
        14: {"state": "RUNNING"},
    }
    fake.queue(JOBS | others, {11: 77, 12: 5})
    plan = plan._replace(partitions=("main",))
    once(plan)
    undo(plan, lambda _: None)
    assert set(fake.writes()) == set(JOBS)


def test_off_sets_all_that_was_touched_to_zero_and_leaves_no_state(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    once(plan)
    fake.queue(JOBS | {2: {"state": "RUNNING"}, 3: {"priority": 0}, 9: {}})  # 2 runs, 3 is held; both were touched
    with (fake.folder / "factors").open("a", encoding="utf-8") as file:
        file.write("9|123\n")  # of a daemon whose state is lost
    fake.forget()
    remarks: list[str] = []
    assert undo(plan, remarks.append) == 4
    assert fake.writes() == {1: 0, 2: 0, 3: 0, 9: 0}
    assert [path.name for path in plan.folder.iterdir()] == ["deploy.jsonl"]
    assert "the log stays" in remarks[0]


def test_off_reaches_running_tasks_of_an_array_whose_own_number_has_ended(fake: FakeSlurm, plan: Plan) -> None:
    """They would keep the factor if they were requeued; seen on a real Slurm."""
    fake.queue({2: {}, 3: {}}, {})
    once(plan)
    fake.queue({8: {"array": 2, "state": "RUNNING"}, 3: {}})  # the last task of an array has the number of the array
    once(plan)
    assert read_state(plan.folder).factors.keys() == {2, 3}
    fake.forget()
    undo(plan, lambda _: None)
    assert fake.writes() == {2: 0, 3: 0}


def test_off_reaches_jobs_that_were_changed_before_slurm_stopped_to_answer(
    fake: FakeSlurm, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.queue(JOBS, {})
    passes: list[int] = []

    def write(changes: dict[int, int]) -> dict[int, str]:
        passes.append(len(changes))
        write_factors(changes)
        if len(passes) == 1:
            fake.queue({1: {}, 2: {"priority": 0}, 3: {"state": "RUNNING"}}, {1: changes[1]})  # sprio lists job 1 only
            raise SlurmError("scontrol: no end after 60 s")
        os.kill(os.getpid(), signal.SIGTERM)
        return {}

    monkeypatch.setattr("paretosched.deployment.daemon.write_factors", write)
    monkeypatch.setattr("paretosched.deployment.daemon.pause_after", lambda *_: 0.0)
    remarks: list[str] = []
    run_daemon(plan, remarks.append)
    assert len(remarks) == len(passes) == 2
    monkeypatch.undo()
    monkeypatch.setenv("PATH", fake.path)
    fake.forget()
    assert undo(plan, lambda _: None) == 3
    assert fake.writes() == {1: 0, 2: 0, 3: 0}


def test_a_folder_is_for_one_daemon_at_a_time(fake: FakeSlurm, plan: Plan) -> None:
    with locked_folder(plan.folder):
        for work in (once, lambda p: undo(p, lambda _: None)):
            with pytest.raises(ps.InputError, match="another daemon uses this folder; end it first"):
                work(plan)


def test_a_right_that_is_missing_is_said_in_one_line(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    (fake.folder / "scontrol.denies").touch()
    with pytest.raises(ps.InputError, match=r"Access/permission denied.*AdminLevel=Operator$"):
        once(plan)
    assert read_state(plan.folder).factors == {}
    assert metrics(plan)["refused_total"] == 3


def test_a_job_that_slurm_cannot_change_yet_is_tried_again(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    once(plan)
    words = "Job update not available right now, the DB index is being set, try again in a bit for job 2"
    scontrol = fake.folder / "scontrol"
    whole = scontrol.read_text(encoding="utf-8")
    first = f"test -e refused || {{ echo '{words}' >&2; sed -i '/JobId=2 /d' $told; }}; touch refused; cat $told >> all"
    scontrol.write_text(whole.replace("cat $told >> all", first, 1), encoding="utf-8")
    fake.forget()
    assert undo(plan, lambda _: None) == 3
    assert fake.writes() == {1: 0, 2: 0, 3: 0}
    assert sorted(fake.calls())[:2] == [1, 2]  # the others were taken at the first time


def test_a_job_that_slurm_cannot_change_is_left_alone_for_longer_and_longer(
    fake: FakeSlurm, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.queue(JOBS, {})
    words = "Job update not available right now, the DB index is being set, try again in a bit for job 2"
    scontrol = fake.folder / "scontrol"
    whole = scontrol.read_text(encoding="utf-8")
    without = f"grep JobId=2 $told >/dev/null && echo '{words}' >&2; sed -i '/JobId=2 /d' $told; cat $told >> all"
    scontrol.write_text(whole.replace("cat $told >> all", without, 1), encoding="utf-8")
    tried: list[list[int]] = []

    def write(changes: dict[int, int]) -> dict[int, str]:
        tried.append(sorted(changes))
        return write_factors(changes)

    monkeypatch.setattr("paretosched.deployment.daemon.write_factors", write)
    plan = plan._replace(period=300.0)
    plan.folder.mkdir()
    reading, memory, state = read_plan_policy(plan), Memory(), State(None, {})
    put_off = memory.put_off
    for _ in range(4):
        state = one_pass(plan, reading, state, memory, Counts()).state
    assert tried == [[1, 2, 3], [2], [], []]
    assert put_off[2].times == 2
    put_off[2] = put_off[2]._replace(until=0.0)
    fake.queue(JOBS | {4: {}})
    state = one_pass(plan, reading, state, memory, Counts()).state
    assert tried[-1] == [2, 4]
    fake.queue({1: {}})
    one_pass(plan, reading, state, memory, Counts())
    assert put_off == {}


def test_a_job_that_slurm_never_changes_is_said_with_what_to_do(
    fake: FakeSlurm, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.queue(JOBS, {})
    once(plan)
    monkeypatch.setattr("paretosched.deployment.daemon.SOON", 0.0)
    words = "Job update not available right now, the DB index is being set, try again in a bit for job 2"
    scontrol = fake.folder / "scontrol"
    scontrol.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{words}' >&2\nexit 1\n", encoding="utf-8")
    with pytest.raises(ps.InputError, match=r"1 of 3 changes: job 2: .* in a bit; say --off again when .* cancelled$"):
        undo(plan, lambda _: None)
    assert read_state(plan.folder).factors.keys() == {1, 2, 3}  # so that --off can be said again


def test_a_log_that_is_a_link_is_said_and_stops_nothing(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    plan.folder.mkdir()
    (plan.folder / "deploy.jsonl").symlink_to(plan.policy)
    (remark,) = once(plan)
    assert remark.startswith("the log cannot be written: ")
    assert plan.policy.read_text(encoding="utf-8") == SHORT_FIRST
    assert fake.order() == [2, 3, 1]


def test_a_wrong_field_for_the_groups_is_said_once(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS | {1: {"account": "chem"}}, {})
    plan.policy.write_text("priority:physics,law; backfill: easy\n", encoding="utf-8")
    (remark,) = once(plan._replace(groups="user"))
    assert remark.endswith("their user is ann; is --groups user right?")
    assert once(plan._replace(groups="account")) == []  # the others are of physics
    fake.queue({1: {"account": "a" * 5000}, 2: {"account": "b\x1b[2J"}})  # without slurmdbd it is any text
    (remark,) = once(plan._replace(groups="account"))
    assert remark.endswith(f'is "{"a" * 60}...", "b\\u001b[2J"; is --groups account right?')


def test_a_job_that_slurm_never_changes_stays_as_it_is_and_off_ends(fake: FakeSlurm, plan: Plan) -> None:
    """It asks for more than its partition has."""
    words = "Requested partition configuration not available now for job 2"
    scontrol = fake.folder / "scontrol"
    whole = scontrol.read_text(encoding="utf-8")
    refusing = f"cat > now; grep -q 'JobId=2 ' now && echo '{words}' >&2; grep -v 'JobId=2 ' now |"
    always = whole.replace("told=told.$$; cat > $told", f"told=told.$$; {refusing} cat > $told")
    assert always != whole
    scontrol.write_text(always, encoding="utf-8")
    fake.queue(JOBS, {2: 0})
    once(plan)
    assert read_state(plan.folder).factors.keys() == {1, 3}
    fake.forget()
    assert undo(plan, lambda _: None) == 2
    scontrol.write_text(whole, encoding="utf-8")
    fake.queue(JOBS, {})
    once(plan)  # it has a factor now, and its partition becomes smaller
    scontrol.write_text(always, encoding="utf-8")
    (plan.policy).write_text(LONG_FIRST, encoding="utf-8")
    factor = read_state(plan.folder).factors[2]
    once(plan)
    assert read_state(plan.folder).factors[2] == factor
    with pytest.raises(ps.InputError, match="Slurm refuses 1 of 3 changes: job 2: Requested partition configuration"):
        undo(plan, lambda _: None)
    assert read_state(plan.folder).factors[2] == factor


def test_a_missing_right_is_said_whatever_else_scontrol_remarks(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue({1: {}}, {})
    scontrol = fake.folder / "scontrol"
    words = "scontrol: error: slurm.conf is newer than the controller"
    whole = scontrol.read_text(encoding="utf-8").replace("told=told.$$", f"echo '{words}' >&2; told=told.$$", 1)
    scontrol.write_text(whole, encoding="utf-8")
    (fake.folder / "scontrol.denies").touch()
    with pytest.raises(ps.InputError, match=r"AdminLevel=Operator$"):
        once(plan)
    assert (metrics(plan)["changes_total"], metrics(plan)["refused_total"]) == (0, 1)


def test_jobs_that_have_ended_meanwhile_are_no_error(fake: FakeSlurm, plan: Plan) -> None:
    (fake.folder / "scontrol").write_text(
        "#!/bin/sh\ncat > /dev/null; echo 'Invalid job id specified for job 2' >&2; exit 1\n", encoding="utf-8"
    )
    fake.queue(JOBS, {})
    once(plan)
    assert records(plan)[0]["refused"] == {"2": "Invalid job id specified"}
    assert metrics(plan)["changes_total"] == 2


def test_tasks_that_have_ended_are_no_refusal_of_their_array(fake: FakeSlurm, plan: Plan) -> None:
    """The texts are those of a real scontrol."""
    fake.queue({2: {}}, {})
    scontrol = fake.folder / "scontrol"
    whole = scontrol.read_text(encoding="utf-8")

    def says(line: str) -> None:
        lines = f"printf '2_0-2: No error\\n{line}\\n' >&2; told=told.$$"
        scontrol.write_text(whole.replace("told=told.$$", lines, 1), encoding="utf-8")

    says("2_3: Job has already finished")
    once(plan)
    assert records(plan)[0]["refused"] == {}
    assert metrics(plan)["changes_total"] == 1
    assert undo(plan, lambda _: None) == 1
    later = "Job update not available right now, the DB index is being set, try again in a bit"
    says(f"2_3: {later}")
    assert write_factors({2: 0}) == {2: later}


def test_a_controller_that_goes_away_between_the_calls_is_an_error_to_try_again(fake: FakeSlurm) -> None:
    (fake.folder / "scontrol").write_text(
        "#!/bin/sh\ncat > /dev/null; echo 'Unable to contact slurm controller (connect failure)' >&2; exit 1\n",
        encoding="utf-8",
    )
    with pytest.raises(SlurmError, match="Unable to contact"):
        write_factors({1: 5})


def test_many_changes_are_written_by_several_scontrols(fake: FakeSlurm) -> None:
    changes = {job: 5 * job for job in range(1, 1003)}
    assert write_factors(changes) == {}
    assert fake.writes() == changes
    assert sorted(fake.calls()) == [250, 250, 251, 251]
    (fake.folder / "scontrol.denies").touch()
    assert write_factors(changes).keys() == changes.keys()


def test_few_changes_are_written_by_one_scontrol_in_their_order(fake: FakeSlurm) -> None:
    changes = {job: job for job in range(199, 0, -1)}
    write_factors(changes)
    assert fake.calls() == [199]
    assert list(fake.writes()) == list(changes)


def test_one_of_several_scontrols_that_gets_no_answer_is_an_error_to_try_again(fake: FakeSlurm) -> None:
    (fake.folder / "scontrol").write_text(
        "#!/bin/sh\ngrep -q JobId=7 && echo 'Unable to contact slurm controller (connect failure)' >&2; exit 1\n",
        encoding="utf-8",
    )
    with pytest.raises(SlurmError, match="Unable to contact"):
        write_factors(dict.fromkeys(range(1, 501), 5))


def test_changes_by_others_are_counted_and_put_right(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    once(plan)
    with (fake.folder / "factors").open("a", encoding="utf-8") as file:
        file.write("2|1\n")
    fake.forget()
    once(plan)
    assert list(fake.writes()) == [2]
    assert metrics(plan)["foreign_total"] == 1


def test_a_bounded_share_stays_below_its_bound(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    once(plan._replace(scale=bounded_share(1000, 20)))
    assert fake.order() == [2, 3, 1]
    assert max(fake.writes().values()) <= 250


@pytest.mark.parametrize("policy", [SHORT_FIRST, "order: -wait * width / estimate", "order: memory + nodes + area"])
def test_a_job_that_is_wider_than_any_machine_is_one_of_the_order(fake: FakeSlurm, plan: Plan, policy: str) -> None:
    plan.policy.write_text(policy, encoding="utf-8")
    wide = {"cpus": 3_000_000_000, "nodes": "3000M", "tres": "cpu=3000000000,mem=9999999999P,node=3000000000"}
    fake.queue(JOBS | {4: wide, 5: {**wide, "limit": "UNLIMITED"}}, {})
    once(plan)
    assert sorted(fake.writes()) == [1, 2, 3, 4, 5]


def test_an_empty_queue_is_no_error(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue({}, {})
    once(plan)
    assert records(plan)[0]["ranked"] == 0


# --- the loop, in a process of its own --------------------------------------------------------------------------------


@pytest.fixture
def daemon(fake: FakeSlurm, plan: Plan) -> Any:
    """A function that starts the daemon with a period of a second; it is ended after the test."""
    processes: list[subprocess.Popen[str]] = []

    def start(*options: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "paretosched", "deploy", str(plan.policy), "--to", "slurm", "--period", "1"]
        process = subprocess.Popen(
            [*words, "-o", str(plan.folder), *options],
            env=environment(TZ="UTC"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate(timeout=60)


def wait_until(holds: Callable[[], Any], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(fake: FakeSlurm, plan: Plan, daemon: Any, number: int) -> None:
    fake.queue(JOBS, {})
    process = daemon()
    wait_until(lambda: fake.writes())
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "SJF with EASY on fake" in out
    assert fake.order() == [2, 3, 1]


@pytest.mark.slow
def test_a_new_policy_is_taken_and_a_damaged_one_is_not(fake: FakeSlurm, plan: Plan, daemon: Any) -> None:
    fake.queue(JOBS, {})
    process = daemon()
    wait_until(lambda: fake.order() == [2, 3, 1])
    plan.policy.write_text("order: wiat", encoding="utf-8")
    wait_until(lambda: metrics(plan).get("damaged_policies_total") == 1)
    assert fake.order() == [2, 3, 1]
    plan.policy.write_text(LONG_FIRST, encoding="utf-8")
    wait_until(lambda: fake.order() == [1, 3, 2])
    process.terminate()
    _, err = process.communicate(timeout=60)
    damaged, new = err.splitlines()
    assert "did you mean wait?" in damaged
    assert damaged.endswith("the policy SJF with EASY stays in force")
    assert new.endswith("the policy is now estimate with EASY")


@pytest.mark.slow
def test_while_slurm_does_not_answer_all_stays_as_it_is(fake: FakeSlurm, plan: Plan, daemon: Any) -> None:
    fake.queue(JOBS, {})
    process = daemon()
    wait_until(lambda: fake.writes())
    (fake.folder / "squeue.fails").touch()
    wait_until(lambda: metrics(plan).get("failures_total") == 1)
    assert metrics(plan)["up"] == 0
    (fake.folder / "squeue.fails").unlink()
    wait_until(lambda: metrics(plan).get("up") == 1)
    process.terminate()
    _, err = process.communicate(timeout=60)
    first, again = err.splitlines()
    assert first.endswith("all site factors stay as they are; next try in 2 s")
    assert again.endswith("Slurm answers again")


@pytest.mark.slow
def test_while_the_folder_cannot_be_written_all_stays_as_it_is(fake: FakeSlurm, plan: Plan, daemon: Any) -> None:
    """As when its disk is full."""
    fake.queue(JOBS, {})
    process = daemon()
    wait_until(lambda: metrics(plan).get("up") == 1)
    state = plan.folder / "deploy.json"
    state.unlink()
    state.mkdir()
    fake.queue(JOBS | {4: {}})
    wait_until(lambda: metrics(plan).get("failures_total", 0) >= 1)
    assert 4 not in fake.writes()
    state.rmdir()
    wait_until(lambda: 4 in fake.writes())
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "all site factors stay as they are; next try in 2 s" in err
    assert err.splitlines()[-1].endswith("kept is written again")


@pytest.mark.slow
def test_while_the_commands_of_slurm_are_replaced_all_stays_as_it_is(
    fake: FakeSlurm, plan: Plan, daemon: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by an upgrade: a package removes the old program before it has the new one in its place."""
    tools = tmp_path / "tools"  # of the scripts; this machine may have a Slurm of its own
    tools.mkdir()
    for name in ("cat", "sed"):
        (tools / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", f"{fake.folder}:{tools}")
    fake.queue(JOBS, {})
    process = daemon()
    wait_until(lambda: metrics(plan).get("up") == 1)
    sprio, away = fake.folder / "sprio", fake.folder / "sprio.away"
    sprio.rename(away)
    wait_until(lambda: metrics(plan).get("failures_total", 0) >= 1)
    away.rename(sprio)
    wait_until(lambda: metrics(plan).get("up") == 1)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "sprio: no such command" in err
    assert err.splitlines()[-1].endswith("Slurm answers again")


# --- cost -------------------------------------------------------------------------------------------------------------

COST = """
import sys
from pathlib import Path
from paretosched.cli import main
policy, folder = sys.argv[1:]
sys.argv = ["paretosched", "deploy", policy, "--to", "slurm", "--groups", "account", "--once", "-o", folder]
assert main() == 0
others = ("cli.command_train", "policies.slurm_policy", "simulation", "encodings", "fronts", "workload.swf")
names = ("numba", "pandas", "scipy", "pyarrow", "dask", "plotly", "rich", "tempfile")
heavy = [name for name in (*names, *(f"paretosched.{name}" for name in others)) if name in sys.modules]
status = Path("/proc/self/status").read_text()  # ru_maxrss may be that of the process that started this one
print(heavy, int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


@pytest.mark.slow
def test_ten_thousand_jobs_take_little_memory_and_no_heavy_library(fake: FakeSlurm, plan: Plan, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    jobs = {
        number: {"cpus": int(random.integers(1, 65)), "limit": f"{random.integers(1, 48)}:00:00"}
        for number in range(1, 10_001)
    }
    fake.queue(jobs, {})
    policy = ps.greedy(["f1"] * 3, random.uniform(0.1, 1, (3, 6)), groups=("physics", "chem"))
    ps.save_policy(policy, tmp_path / "p.json")
    words = [sys.executable, "-c", COST, str(tmp_path / "p.json"), str(plan.folder)]
    process = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
    loaded, _, megabytes = process.stdout.splitlines()[-1].rpartition(" ")
    assert loaded == "[]"
    assert int(megabytes) < 150
    assert len(fake.writes()) == 10_000
    assert records(plan)[0]["ranked"] == 10_000


@pytest.mark.parametrize("work", [once, lambda plan: undo(plan, lambda _: None)])
def test_a_daemon_that_was_killed_leaves_no_lock_and_no_unfinished_file(
    fake: FakeSlurm, plan: Plan, work: Callable[[Plan], object]
) -> None:
    """The system takes the lock back, however the process ends."""
    fake.queue(JOBS, {})
    once(plan)
    whole = sorted(path.name for path in plan.folder.iterdir())
    pid = os.fork()
    if pid == 0:
        with locked_folder(plan.folder), replacing(plan.folder / METRICS) as temporary:
            temporary.write_text("half", encoding="utf-8")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    assert len(list(plan.folder.iterdir())) == len(whole) + 1
    work(plan)
    left = sorted(path.name for path in plan.folder.iterdir())
    assert left == (whole if work is once else ["deploy.jsonl"])
    assert set(fake.writes().values()) == ({0} if work is not once else set(read_state(plan.folder).factors.values()))


def test_an_unfinished_file_that_cannot_be_removed_is_named(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    (plan.folder / ".deploy.prom.0123456789ab.part").mkdir(parents=True)
    with pytest.raises(
        ps.InputError, match=r"\.deploy\.prom\.0123456789ab\.part: cannot be removed: Is a directory; remove it"
    ):
        once(plan)


def test_jobs_of_all_partitions_are_put_into_one_order(fake: FakeSlurm, plan: Plan) -> None:
    parts = {1: "main", 2: "gpu", 3: "main,gpu", 4: "gpu"}
    limits = {1: "3:00:00", 2: "1:00:00", 3: "2:00:00", 4: "4:00:00"}
    fake.queue({job: {"partition": parts[job], "limit": limits[job]} for job in parts}, {})
    once(plan)
    assert fake.order() == [2, 3, 1, 4]
