"""Changes that do not come through: a scontrol that dies, fails without a word, or lies, is never a success."""

from pathlib import Path

import pytest

from paretosched.deployment.daemon import Plan, undo
from paretosched.deployment.records import read_state
from paretosched.deployment.slurm_calls import SlurmError
from paretosched.deployment.slurm_updates import NO_JOB, write_factors
from support.commands import command
from support.deploying import daemon_until, numbers_of, pass_alone, plan_in, records_of
from support.fake_slurm import FakeSlurm

JOBS = {1: {"limit": "3:00:00"}, 2: {"limit": "1:00:00"}, 3: {"limit": "2:00:00"}}
FAILING = {  # what a scontrol does that has read its changes -> what is said of it
    "kill -9 $$": "scontrol: ended by signal 9, and said nothing",
    "kill -11 $$": "scontrol: ended by signal 11, and said nothing",
    "exit 1": "scontrol: status 1, and said nothing",
    "exit 137": "scontrol: status 137, and said nothing",
    "echo 'no such library' >&2; exit 1": 'scontrol: status 1: "no such library"',
    "echo 'Invalid job id specified for job 2' >&2; exit 3": "scontrol: status 3: ",
    "exit 0": "scontrol was told twice, but 3 site factors are not as it was told: job 2 should have ",
}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_in(tmp_path)


def break_scontrol(fake: FakeSlurm, what: str, most: int = 0) -> None:
    """Have scontrol read its changes and then do something else; all of them, or those beyond the first ones."""
    script = fake.folder / "scontrol"
    whole = script.read_text(encoding="utf-8")
    first = f"head -n {most} > part; sed 's/^update JobId=\\([0-9]*\\) SiteFactor=\\(.*\\)/\\1|\\2/' part >> factors"
    script.write_text(
        whole.replace('"") ', f'"") {first}; cat > rest; {what}; exit 0;;\n"never") ', 1), encoding="utf-8"
    )


@pytest.mark.parametrize("what", FAILING)
def test_a_pass_alone_whose_changes_do_not_come_through_fails(fake: FakeSlurm, plan: Plan, what: str) -> None:
    fake.queue(JOBS, {1: 0, 2: 0, 3: 0})
    break_scontrol(fake, what)
    outcome = command("deploy", plan.policy, "--to", "slurm", "--once", "-o", plan.folder)
    assert (outcome.status, outcome.err.count("\n")) == (75, 1)
    assert FAILING[what] in outcome.err
    numbers = numbers_of(plan)
    assert (numbers["up"], numbers["changes_total"], numbers["failures_total"]) == (0, 0, 1)
    assert {*read_state(plan.folder).factors} == {1, 2, 3}  # --off must know of them


@pytest.mark.parametrize("what", ["kill -9 $$", "exit 1", "exit 0"])
def test_a_daemon_whose_changes_do_not_come_through_is_not_up_and_blames_nobody(
    fake: FakeSlurm, plan: Plan, what: str
) -> None:
    fake.queue(JOBS, {1: 0, 2: 0, 3: 0})
    break_scontrol(fake, what)
    (remark,) = daemon_until(plan, 1)
    assert FAILING[what] in remark
    numbers = numbers_of(plan)
    assert (numbers["up"], numbers["changes_total"], numbers["foreign_total"]) == (0, 0, 0)
    assert numbers["failures_total"] >= 1
    assert not (plan.folder / "deploy.jsonl").exists() or not any(record["set"] for record in records_of(plan))


def test_what_came_through_before_scontrol_died_is_written_down_by_the_next_pass(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {1: 0, 2: 0, 3: 0})
    script = (fake.folder / "scontrol").read_text(encoding="utf-8")
    mended = (
        f"printf '%s' \"$(cat whole)\" > scontrol.new; chmod +x scontrol.new; mv scontrol.new {fake.folder}/scontrol"
    )
    (fake.folder / "whole").write_text(script, encoding="utf-8")
    break_scontrol(fake, f"{mended}; kill -9 $$", most=1)
    died, again = daemon_until(plan, 2)
    assert "ended by signal 9" in died
    assert again == "Slurm answers again"
    (record,) = records_of(plan)
    assert {*record["set"]} == {"1", "2", "3"}
    numbers = numbers_of(plan)
    assert (numbers["changes_total"], numbers["foreign_total"], numbers["up"]) == (3, 0, 1)


def test_some_lost_changes_are_named_and_the_others_count(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {1: 0, 2: 0, 3: 0})
    script = fake.folder / "scontrol"
    whole = script.read_text(encoding="utf-8")
    script.write_text(
        whole.replace("cat $told >> all", "sed -i '/JobId=3 /d' $told; cat $told >> all", 1), encoding="utf-8"
    )
    (lost,) = daemon_until(plan, 1)
    assert "but 1 site factors are not as it was told: job 3 should have " in lost
    assert lost.endswith(" and has 0")
    assert numbers_of(plan)["changes_total"] == 2
    assert [sorted(record["set"]) for record in records_of(plan)][:1] == [["1", "2"]]
    assert records_of(plan)[0]["missing"] == {"3": 0}
    assert read_state(plan.folder).factors[3] == 0
    script.write_text(whole, encoding="utf-8")
    assert pass_alone(plan) == []
    assert fake.order() == [2, 3, 1]


def test_words_that_name_no_job_are_told(fake: FakeSlurm, plan: Plan) -> None:
    fake.queue(JOBS, {})
    script = fake.folder / "scontrol"
    words = "scontrol: error: slurm.conf is newer than the controller"
    whole = script.read_text(encoding="utf-8").replace("told=told.$$", f"echo '{words}' >&2; told=told.$$", 1)
    script.write_text(whole, encoding="utf-8")
    assert pass_alone(plan) == [f"scontrol said: {words}"]
    assert records_of(plan)[0]["refused"] == {"0": words}
    assert write_factors({1: 5}) == {NO_JOB: words}


@pytest.mark.parametrize("what", ["kill -9 $$", "exit 1", "exit 0"])
def test_off_forgets_nothing_while_factors_do_not_become_zero(fake: FakeSlurm, plan: Plan, what: str) -> None:
    fake.queue(JOBS, {})
    pass_alone(plan)
    before = read_state(plan.folder)
    break_scontrol(fake, what)
    with pytest.raises(SlurmError, match=r"ended by signal 9|status 1|3 site factors are not: job .*; say --off again"):
        undo(plan, lambda _: None)
    assert read_state(plan.folder) == before


def test_one_of_several_scontrols_that_dies_is_an_error(fake: FakeSlurm) -> None:
    script = fake.folder / "scontrol"
    whole = script.read_text(encoding="utf-8")
    script.write_text(whole.replace("cat $told >> all", "grep -q 'JobId=7 ' $told && kill -9 $$", 1), encoding="utf-8")
    with pytest.raises(SlurmError, match="ended by signal 9"):
        write_factors(dict.fromkeys(range(1, 501), 5))


def test_a_refusal_of_some_jobs_is_no_failure(fake: FakeSlurm) -> None:
    words = "Invalid job id specified"
    script = f"#!/bin/sh\ncat > /dev/null; echo '{words} for job 2' >&2; echo '3_1: No error' >&2; exit 1\n"
    (fake.folder / "scontrol").write_text(script, encoding="utf-8")
    assert write_factors({1: 1, 2: 2, 3: 3}) == {2: words}


def test_the_folder_of_an_earlier_version_still_opens(fake: FakeSlurm, plan: Plan) -> None:
    plan.folder.mkdir(mode=0o750)
    text = '{"format": "paretosched deployment 1", "since": 1700000000, "factors": {"2": 160016}}\n'
    (plan.folder / "deploy.json").write_text(text, encoding="utf-8")
    fake.queue(JOBS, {2: 160_016})
    assert pass_alone(plan) == []
    assert numbers_of(plan)["foreign_total"] == 0
