"""What slurm.conf must say, and whether it says so."""

from pathlib import Path

import pytest

import paretosched as ps
from paretosched.deployment.ranking import check_orderly, left_out
from paretosched.deployment.slurm_calls import SlurmError
from paretosched.deployment.slurm_queue import NO_LIMIT, jobs_in
from paretosched.deployment.slurm_settings import (
    check_priority,
    longest_limit,
    read_settings,
    settings_for_books,
    wanted_settings,
    weights_of,
)
from paretosched.policies.policy import as_policy
from support.fake_slurm import CONFIG, FakeSlurm, line_of


def verdicts(words: str, waiting: int = 50, longest: int = 86_400, **changes: str) -> dict[str, bool]:
    policy = check_orderly(as_policy(words))
    return {line.words: line.is_right for line in wanted_settings(policy, CONFIG | changes, longest, waiting)}


def test_without_backfilling_slurm_must_not_backfill() -> None:
    off = "SchedulerParameters=bf_interval=-1 (no backfilling)"
    assert verdicts("fcfs") == {off: False, "SchedulerParameters=default_queue_depth=100 or more": True}
    assert verdicts("fcfs", SchedulerType="sched/builtin")[off]
    assert verdicts("fcfs", SchedulerParameters="bf_interval=-1")[off]
    assert not verdicts("easy", SchedulerParameters="bf_interval=-1")["no SchedulerParameters=bf_interval=-1"]


@pytest.mark.parametrize(
    ("words", "reservations", "parameters", "is_right"),
    [
        ("easy", 1, "bf_job_part_count_reserve=1", True),
        ("easy", 1, "", False),  # 0 by default: conservative backfilling
        ("sjf; backfill: easy:8", 8, "bf_job_part_count_reserve=1", False),
        ("conservative", 0, "bf_interval=30", True),
        ("conservative", 0, "bf_job_part_count_reserve=1", False),
    ],
)
def test_reservations_must_be_those_of_the_policy(
    words: str, reservations: int, parameters: str, is_right: bool
) -> None:
    lines = verdicts(words, SchedulerParameters=parameters)
    assert lines[f"SchedulerParameters=bf_job_part_count_reserve={reservations}"] == is_right


def test_windows_and_depths_must_reach_all_jobs_and_limits() -> None:
    lines = verdicts("easy", waiting=3000, longest=30 * 86_400, SchedulerParameters="default_queue_depth=3000")
    assert lines["SchedulerParameters=bf_window=43200 or more"] is False
    assert lines["SchedulerParameters=bf_max_job_test=3000 or more"] is False
    assert lines["SchedulerParameters=default_queue_depth=3000 or more"] is True


def test_a_policy_on_nodes_wants_the_passes_that_it_has() -> None:
    passes = "passes: every 10min window 1h step 5min tested 3 first 2"
    lines = verdicts(f"sjf; backfill: easy; nodes: 4 of 8; {passes}", waiting=3000, longest=30 * 86_400)
    wanted = {"bf_interval": 600, "bf_window": 60, "bf_resolution": 300, "bf_max_job_test": 3, "default_queue_depth": 2}
    for name, value in wanted.items():
        assert lines[f"SchedulerParameters={name}={value}"] is False
    assert not any("or more" in words for words in lines)
    assert verdicts("sjf; nodes: 4 of 8", SchedulerParameters="")["SchedulerParameters=default_queue_depth=100"]
    usual = verdicts("sjf; backfill: conservative; nodes: 4 of 8", SchedulerParameters="bf_window=1440,bf_window=7")
    assert all(usual.values())


def test_limits_that_are_none_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", FakeSlurm(tmp_path).path)  # its partitions have a day
    lines = line_of(1, limit="UNLIMITED"), line_of(2, limit="3-00:00:00")
    jobs = jobs_in("".join(lines).replace("@", "~m~"), "~m~")
    assert jobs[0].limit == NO_LIMIT
    assert longest_limit(jobs) == 3 * 86_400
    assert longest_limit(jobs[:1]) == 86_400
    (tmp_path / "sinfo").write_text("#!/bin/sh\necho foo\n", encoding="utf-8")
    with pytest.raises(SlurmError, match="sinfo: a time limit is 'foo'"):
        longest_limit(jobs)


def test_settings_are_read_from_scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", FakeSlurm(tmp_path).path)
    assert read_settings() == CONFIG


def test_other_kinds_of_priority_are_refused() -> None:
    check_priority(CONFIG)
    with pytest.raises(ps.InputError, match="must be priority/multifactor, or Slurm ignores site factors"):
        check_priority(CONFIG | {"PriorityType": "priority/basic"})
    with pytest.raises(ps.InputError, match="PrioritySiteFactorPlugin must not be set"):
        check_priority(CONFIG | {"PrioritySiteFactorPlugin": "site_factor/x"})


def test_the_sites_own_weights_are_summed() -> None:
    settings = {"PriorityWeightAge": "1000", "PriorityWeightQOS": "500", "PriorityWeightTRES": "CPU=2.5,GRES/gpu=10"}
    assert weights_of(settings) == 1512
    assert weights_of({"PriorityWeightTRES": "(null)"}) == 0
    assert weights_of({"PriorityWeightAge": "9" * 400, "PriorityWeightQOS": "²"}) == 0  # no weights of Slurm


def test_what_slurm_cannot_do_is_said() -> None:
    words = "sjf; backfill: easy:8 for vip; backfill-order: saf; slack: 2h"
    assert len(left_out(check_orderly(as_policy(words)), in_passes=True)) == 3
    assert left_out(check_orderly(as_policy("sjf; backfill: easy")), in_passes=True) == []
    assert left_out(check_orderly(as_policy("easy")), in_passes=True) == []


def test_a_guarded_order_needs_one_reservation_and_a_memory_of_two_periods() -> None:
    assert verdicts("guarded: 1")["SchedulerParameters=bf_job_part_count_reserve=1"]
    for age, is_right in (("300 sec", True), ("59 sec", False), ("0 sec", True)):
        (setting,) = settings_for_books(CONFIG | {"MinJobAge": age}, 30)
        assert (setting.words, setting.is_right) == ("MinJobAge=60 or more", is_right)
