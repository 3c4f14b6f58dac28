"""The oracle itself: cases worked out by hand, a rival simulator's start times, the clock on the wall."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.policies.policy import as_policy
from support.naive import Job, Profile, Started, conservative, jobs_of, naive, situation
from support.zoo import HAND_CHECKED, HOUR, ORACLE, ORACLE_MISSING, ZOO, Case, jobs, rival


@pytest.mark.parametrize("case", HAND_CHECKED, ids=lambda case: case.name)
def test_cases_worked_out_by_hand(case: Case) -> None:
    for policy in case.policies:
        assert naive(case.workload, as_policy(policy)) == case.start, policy


@pytest.mark.slow
@pytest.mark.skipif(not ORACLE.is_dir(), reason=ORACLE_MISSING)
@pytest.mark.parametrize("rule", ["fcfs", "list", "easy", "conservative-replan"])
def test_equals_the_rival_simulator_job_by_job(rule: str) -> None:
    workload, start = rival(rule)
    assert naive(workload, as_policy(rule)) == start


def test_without_compression_at_punctual_ends_the_machine_idles_while_a_job_waits() -> None:
    case = next(c for c in HAND_CHECKED if c.name == "punctual ends compress, too")
    jobs, capacity = jobs_of(case.workload), case.workload.capacity
    assert conservative(jobs, capacity, punctual=True) == case.start == [0, 4, 5, 4]
    assert conservative(jobs, capacity, punctual=False) == [0, 4, 7, 4]  # nothing runs from 5 to 7


def test_a_slot_needs_its_processors_for_its_whole_length() -> None:
    # 4 processors; 3 in use until 10, 2 reserved for 12..20
    profile = Profile(5, 4, [Started(Job(0, 0, 10, 10, 3, 0), 0), Started(Job(1, 0, 8, 8, 2, 0), 12)])
    slots = [profile.earliest(width, length) for width, length in [(1, 100), (2, 7), (3, 2), (3, 3)]]
    assert slots == [5, 10, 10, 20]
    job = Job(2, 5, 2, 2, 3, 0)
    before = dict(profile.change)
    assert profile.insert(job) == 10
    assert profile.earliest(3, 2) == 20
    profile.remove(job, 10)
    assert {t: c for t, c in profile.change.items() if c} == {t: c for t, c in before.items() if c}


@settings(deadline=None, max_examples=60)
@given(
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Australia/Lord_Howe"]),
    epoch=st.integers(0, 2**31),
    t=st.integers(0, 400 * 24 * HOUR),
)
def test_situations_are_those_of_the_clock_on_the_wall(zone: str, epoch: int, t: int) -> None:
    w = jobs(1, (0, 1, 1, 1), (t, 1, 1, 1), epoch=epoch, zone=zone)
    clock = dt.datetime.fromtimestamp(epoch + t, ZoneInfo(zone))
    expected = 0 if clock.weekday() >= 5 else 1 if 8 <= clock.hour < 18 else 2
    assert situation(w, t) == expected


@pytest.mark.parametrize("name", ["situation borders", "spring in Berlin", "autumn in New York"])
def test_the_zoo_has_all_three_situations(name: str) -> None:
    w: Workload = ZOO[name]
    assert {situation(w, t) for t in w.submit.tolist()} == {0, 1, 2}
