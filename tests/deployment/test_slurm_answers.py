"""Answers of Slurm that cannot be: an empty one after a full one, an odd cell, and a clock that is wrong."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from paretosched.deployment import daemon, slurm_calls, slurm_queue
from paretosched.deployment.daemon import Memory, Plan, one_pass, read_plan_policy, undo
from paretosched.deployment.guard_books import read_books
from paretosched.deployment.numbers import Counts
from paretosched.deployment.records import LATEST, read_state
from paretosched.deployment.slurm_answers import AGREEING
from paretosched.deployment.slurm_calls import ClockError, SlurmError
from paretosched.deployment.slurm_history import accounting_in, history_in
from paretosched.deployment.slurm_queue import cells_in, factors_in, jobs_in, read_queue
from paretosched.deployment.slurm_usage import read_usage
from support.deploying import numbers_of, pass_alone, plan_in, records_of
from support.fake_slurm import FakeSlurm, line_of, past_of

JOBS: dict[int, dict[str, Any]] = {number: {"limit": f"{number}:00:00"} for number in range(1, 11)}
MARK = "~0~"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_in(tmp_path)


def passes(plan: Plan, count: int, memory: Memory) -> list[set[int]]:
    """Make passes of one daemon, and return the jobs in its state after each."""
    reading, state, known = read_plan_policy(plan), read_state(plan.folder), []
    for _ in range(count):
        state = one_pass(plan, reading, state, memory, Counts()).state
        assert read_state(plan.folder) == state
        known.append({*state.factors})
    return known


# --- an empty answer --------------------------------------------------------------------------------------------------


def test_an_empty_queue_against_sprio_changes_nothing(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    before = read_state(plan.folder)
    fake.queue({})
    with pytest.raises(
        SlurmError, match=r"squeue lists no job, but sprio lists 10 that wait: .*; squeue is not believed"
    ):
        pass_alone(plan)
    assert read_state(plan.folder) == before
    assert numbers_of(plan)["up"] == 0


def test_an_empty_queue_is_believed_after_some_passes(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.queue({}, {})
    assert pass_alone(plan) == []
    memory = Memory()
    assert passes(plan, AGREEING, memory) == [{*JOBS}] * (AGREEING - 1) + [set()]


def test_a_full_answer_in_between_begins_anew(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    memory = Memory()
    for _ in range(2):
        fake.queue({}, {})
        assert passes(plan, AGREEING - 1, memory)[-1] == {*JOBS}
        fake.queue(JOBS, dict(read_state(plan.folder).factors))
        passes(plan, 1, memory)


def test_jobs_that_only_sprio_lists_are_not_forgotten(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.queue({1: {}})  # half an answer
    assert passes(plan, AGREEING, Memory())[-1] == {*JOBS}


def test_an_empty_sprio_against_the_queue_changes_nothing_and_blames_nobody(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.queue(JOBS, {})
    fake.forget()
    with pytest.raises(SlurmError, match="sprio lists no job, but 10 wait that it listed before"):
        pass_alone(plan)
    assert fake.writes() == {}
    assert numbers_of(plan)["foreign_total"] == 0


@pytest.mark.parametrize("factors", [None, {}])
def test_off_reaches_all_jobs_though_squeue_is_empty(
    fake: FakeSlurm, plan: Plan, factors: dict[int, int] | None
) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.forget()
    fake.queue({}, factors)
    assert undo(plan, lambda _: None) == len(JOBS)
    assert fake.writes() == dict.fromkeys(JOBS, 0)


def test_off_without_a_state_does_not_believe_an_empty_queue(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    (plan.folder / "deploy.json").unlink()
    fake.queue({})
    with pytest.raises(SlurmError, match=r"squeue lists no job, but sprio lists .* with site factors; say --off again"):
        undo(plan, lambda _: None)


def test_jobs_with_a_date_are_not_missed_in_sprio(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.queue({number: {"eligible": 4_000_000_000} for number in JOBS}, {})
    assert pass_alone(plan) == []


def test_an_empty_sshare_is_no_answer(fake: FakeSlurm) -> None:
    """The account root is always there; without usage all jobs would be alike."""
    with pytest.raises(SlurmError, match="sshare: lists nothing"):
        read_usage()


def test_an_empty_answer_with_an_error_is_none(fake: FakeSlurm) -> None:
    """A wrapper of a site may lose the status."""
    (fake.folder / "squeue").write_text("#!/bin/sh\necho 'Unable to contact slurm controller' >&2\n", encoding="utf-8")
    with pytest.raises(SlurmError, match="slurmctld does not answer"):
        read_queue()


# --- an odd cell ------------------------------------------------------------------------------------------------------

ODD = (
    {"cpus": "many"},
    {"submit": "yesterday"},
    {"submit": -5},
    {"eligible": 10**11 * 9},
    {"limit": "soon"},
    {"nice": "x"},
)


@pytest.mark.parametrize("cells", ODD)
def test_one_odd_cell_leaves_one_job_alone(fake: FakeSlurm, plan: Plan, cells: dict[str, Any]) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.forget()
    plan.policy.write_text("order: estimate; backfill: easy\n", encoding="utf-8")
    fake.queue(JOBS | {4: cells})
    (remark,) = pass_alone(plan)
    assert remark.startswith("1 job left alone, since what Slurm says of them cannot be: job 4: a ")
    assert {*fake.writes()} <= {*JOBS} - {4}
    assert fake.writes()
    assert 4 in read_state(plan.folder).factors
    assert (records_of(plan)[-1]["odd"], numbers_of(plan)["odd_jobs"], numbers_of(plan)["up"]) == (1, 1, 1)


def test_an_odd_part_leaves_its_whole_job_alone() -> None:
    lines = line_of(8, het="8") + line_of(9, het="8", cpus="x") + line_of(10) + line_of(11, array=10, cpus="x")
    jobs = {job.id: job for job in jobs_in((lines + line_of(12)).replace("@", MARK), MARK)}
    assert {number: bool(job.odd) for number, job in jobs.items()} == {8: True, 10: True, 12: False}


def test_a_job_without_a_number_lets_nothing_be_forgotten(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    fake.queue({1: {}}, {1: 0})
    with (fake.folder / "queue").open("a", encoding="utf-8") as file:
        file.write(line_of(2).replace("2@", "two@", 1))
    (remark,) = pass_alone(plan)
    assert "job without a number: a number is 'two'" in remark
    assert {*read_state(plan.folder).factors} == {*JOBS}


def test_an_odd_line_of_sprio_leaves_one_job_alone(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {1: 0, 2: 0})
    with (fake.folder / "factors").open("a", encoding="utf-8") as file:
        file.write("3|many\n")
    (remark,) = pass_alone(plan)
    assert "job 3: sprio has no number of it" in remark
    assert 3 not in fake.writes()
    assert len(fake.writes()) == len(JOBS) - 1


def test_odd_lives_are_known_to_be_there_and_nothing_is_said_of_them() -> None:
    lines = past_of("7", state="RUNNING", start=5, cpus="x") + past_of("8", state="RUNNING", start=5)
    lives = history_in(lines.replace("@", MARK), MARK)
    assert [(life.key, bool(life.job.odd)) for life in lives] == [("7", True), ("8", False)]
    row = "7|COMPLETED|ann|main|normal|4|1|60|100|110|130|190||physics\n"
    lives = accounting_in(row + row.replace("|4|", "|four|", 1).replace("7", "8", 1) + "9|half\n")
    assert [life.key for life in lives] == ["7"]


# --- the clock --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["sjf; backfill: easy\n", "guarded: physics; each: 1.5\n"])
@pytest.mark.parametrize("second", [-5.0, 0.0, 300.0, 1e9, 2.0**32 + 5, 2.0**36, float(LATEST), 1e15])
def test_no_clock_leaves_what_the_next_start_refuses(
    fake: FakeSlurm, plan: Plan, monkeypatch: pytest.MonkeyPatch, policy: str, second: float
) -> None:
    plan.policy.write_text(policy, encoding="utf-8")
    plan = plan._replace(groups="account" if "guarded" in policy else None)
    jobs = {str(number): {"limit": "1:00:00"} for number in (1, 2, 3)}
    fake.remember(jobs, {})
    pass_alone(plan)
    with monkeypatch.context() as patch:
        patch.setattr(daemon.time, "time", lambda: second)
        is_wrong = second < 1.6e9 or second >= LATEST
        with pytest.raises(ClockError) if is_wrong else nullcontext():
            pass_alone(plan)
    assert {*read_state(plan.folder).factors} == {1, 2, 3}
    read_books(plan.folder)
    fake.remember({**jobs, "4": {"limit": "0:30:00"}})
    pass_alone(plan)
    assert 4 in fake.writes()
    assert numbers_of(plan)["up"] == 1


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_lists_of_too_many_jobs_are_refused_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm_queue, "MOST_JOBS", 3)
    with pytest.raises(SlurmError, match="sprio: more than 3 jobs"):
        factors_in("1|1\n" * 4)
    text = "".join(map(line_of, range(1, 9))).replace("@", MARK)
    lines = cells_in(text, MARK, slurm_queue.FIELDS)
    assert [next(lines)["JobID"] for _ in range(3)] == ["1", "2", "3"]
    with pytest.raises(SlurmError, match="squeue: more than 3 jobs"):
        next(lines)


@pytest.mark.parametrize(("name", "most"), [("squeue", "OF_JOBS"), ("sprio", "OF_JOBS"), ("sinfo", "MOST_BYTES")])
def test_a_program_without_end_is_refused_in_a_line(
    fake: FakeSlurm, plan: Plan, monkeypatch: pytest.MonkeyPatch, name: str, most: str
) -> None:
    fake.queue(JOBS, {})
    monkeypatch.setattr(slurm_calls, most, 100_000)
    monkeypatch.setattr(slurm_queue, "OF_JOBS", 100_000)
    (fake.folder / name).write_text("#!/bin/sh\nexec yes 1\n", encoding="utf-8")
    with pytest.raises(SlurmError, match=f"{name}: more than 100,000 bytes of output"):
        pass_alone(plan) if name != "sinfo" else slurm_queue.check_partitions(["main"])
