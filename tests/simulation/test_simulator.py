"""The simulators: worked examples, a rival simulator, and what any schedule must obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import InputError, Workload, greedy, objectives, simulate
from paretosched.policies.plain import Plain
from paretosched.policies.policy import as_policy
from paretosched.simulation.objective import objectives_of
from support.naive import naive
from support.simulating import briefly, starts, thoroughly
from support.zoo import (
    DAY,
    HAND_CHECKED,
    ORACLE,
    ORACLE_MISSING,
    ZOO,
    Case,
    constant,
    fixed_policies,
    jobs,
    policies,
    rival,
    workloads,
)

# ---- examples


def test_several_policies_make_several_schedules() -> None:
    w = HAND_CHECKED[0].workload
    both = simulate(w, ["easy", "fcfs"])
    assert [schedule.name for schedule in both] == ["EASY", "FCFS"]
    assert [schedule.start.tolist() for schedule in both] == [starts(w, "easy"), starts(w, "fcfs")]
    assert [schedule.name for schedule in simulate(w, ("fcfs",), "exact")] == ["FCFS"]
    assert simulate(w, []) == []
    with pytest.raises(InputError, match='policy "esay" is not known'):
        simulate(w, ["easy", "esay"])


@pytest.mark.parametrize("case", HAND_CHECKED, ids=lambda case: case.name)
def test_cases_worked_out_by_hand(case: Case) -> None:
    for policy in case.policies:
        assert starts(case.workload, policy) == case.start, policy


@pytest.mark.skipif(not ORACLE.is_dir(), reason=ORACLE_MISSING)
@pytest.mark.parametrize("rule", ["fcfs", "list", "easy", "conservative-replan"])
def test_equals_the_rival_simulator_job_by_job(rule: str) -> None:
    workload, start = rival(rule)
    assert starts(workload, rule) == start


def test_the_recorded_schedule_is_submission_plus_wait_and_an_unknown_wait_is_none() -> None:
    w = jobs(4, (0, 5, 5, 4), (1, 5, 5, 2), (2, 5, 5, 2), wait=[0, 9, -1])
    assert simulate(w, "recorded").start.tolist() == [0, 10, 2] == naive(w, Plain("recorded"))


# ---- what holds for every schedule


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads())
def test_every_start_is_feasible_and_at_an_arrival_or_an_end(data: st.DataObject, w: Workload) -> None:
    schedule = simulate(w, data.draw(policies(w.groups))).check()
    assert (schedule.start >= w.submit).all()
    assert np.isin(schedule.start, np.concatenate([w.submit, schedule.finish])).all()


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads())
def test_the_machine_never_idles_while_a_job_waits(data: st.DataObject, w: Workload) -> None:
    schedule = simulate(w, data.draw(policies(w.groups)))
    for t in {*w.submit.tolist(), *schedule.finish.tolist()}:
        if ((w.submit <= t) & (schedule.start > t)).any():
            assert ((schedule.start <= t) & (schedule.finish > t)).any(), f"idle at {t}"


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(), weeks=st.integers(1, 3000))
def test_shifting_all_times_by_whole_weeks_shifts_the_schedule(data: st.DataObject, w: Workload, weeks: int) -> None:
    policy = data.draw(policies(w.groups))
    here = w.with_(zone="UTC")
    there = here.with_(submit=w.submit + weeks * 7 * DAY)
    assert starts(there, policy) == [s + weeks * 7 * DAY for s in starts(here, policy)]


# ---- the functions around the kernels


@pytest.mark.slow
@briefly
@given(data=st.data(), w=workloads())
def test_the_hot_path_measures_what_the_schedule_shows(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    np.testing.assert_array_equal(objectives_of(w, policy.outcome(w)), objectives(simulate(w, policy)))


def test_simulating_twice_gives_the_same_and_leaves_the_workload_as_it_was() -> None:
    w = ZOO["hours over a week"]
    digest = w.with_().digest
    for policy in fixed_policies(w.groups).values():
        assert starts(w, policy) == starts(w, policy)
    assert w.with_().digest == digest


def test_a_policy_for_other_groups_is_refused() -> None:
    w = jobs(4, (0, 5, 5, 4))
    policy = greedy(["f2"] * 3, constant(2, 1, 0, 1, 0), groups=("2", "3"))
    with pytest.raises(InputError, match="for the groups 2, 3, but workload has the groups 1; it has no rule for them"):
        simulate(w, policy)


def test_a_schedule_carries_the_name_of_its_policy() -> None:
    assert simulate(jobs(1, (0, 1, 1, 1)), "easy").name == "EASY" == as_policy("easy").name
