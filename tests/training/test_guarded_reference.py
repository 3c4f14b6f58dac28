"""The untrained guarded order that a training is set against."""

from dataclasses import replace

import numpy as np
import pytest

import paretosched as ps
from paretosched.policies.guarded import guarded_text
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.training.guarded_reference import guarded_of
from paretosched.training.task import Task
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.wishes.wish_files import as_wish
from paretosched.workload.time_split import split
from support.exploring import random_workload

W = random_workload()
WISH = "4*AWRT2 + 10*AWRT1, AWRT <= EASY, all <= 1.25*EASY"


def words_of(wish: str, *workloads: ps.Workload) -> str | None:
    """Return the guarded order of a wish in words."""
    jobs = list(workloads or (W,))
    policy = guarded_of(Task(as_wish(wish, jobs[0].groups), "sum", jobs, jobs))
    return None if policy is None else guarded_text(policy)


@pytest.mark.parametrize(
    ("wish", "first", "overall", "each"),
    [
        (WISH, "1, 2", "1", "1.25"),
        ("10*AWRT3, others <= 1.05*EASY", "3", "100", "1.05"),
        ("AWRT1 + 4*AWRT3, AWRT <= 0.9*EASY", "3, 1", "0.9", "100"),
        ("AWRT1, AWRT2 <= 3*EASY, AWRT3 <= 1.5*EASY, UTIL >= 1", "1", "100", "1.5"),
        ("AWRT1, AWRT2 <= 1s", "1", "100", "0.5"),  # no order can do that: as strict as a guarded order may be
    ],
)
def test_groups_and_limits_of_the_wish_are_its_own(wish: str, first: str, overall: str, each: str) -> None:
    assert words_of(wish) == f"guarded: {first}; overall: {overall}; each: {each}; review: 6h; ageing: 12h; step: 4"


def test_a_limit_in_seconds_is_a_multiple_of_what_easy_reaches_and_the_strictest_of_several_workloads_counts() -> None:
    other = random_workload(seed=7)
    reached = [float(objectives(simulate(w, "easy"))[1]) for w in (W, other)]
    assert reached[0] != reached[1]
    words = words_of(f"AWRT1, AWRT <= {1.5 * max(reached):.6f}", W, other)
    assert words == "guarded: 1; overall: 1.5; each: 100; review: 6h; ageing: 12h; step: 4"


@pytest.mark.parametrize("name", ['the "a"', "of two\nlines"])
def test_a_group_that_no_words_can_name_has_none_and_is_trained_for(name: str) -> None:
    w = replace(W, groups=(name, *W.groups[1:]))
    training = train(w, WISH, generations=1, criterion="f1")
    assert training.guarded is None
    for other in (ps.train_guarded, ps.train_priority):
        with pytest.raises(ps.InputError, match="groups: a group must have a name that can be printed, without quotes"):
            other(w, WISH, evaluations=60)


@pytest.mark.parametrize("wish", ["10*AWRT1", "AWRT, all <= EASY", "near AWRT1=5h, AWRT <= EASY", "AWRT1, UTIL >= 1"])
def test_a_wish_without_groups_or_limits_has_none(wish: str) -> None:
    assert words_of(wish) is None


def test_a_machine_that_is_partly_down_has_one_too() -> None:
    assert words_of(WISH, W.with_(down=ps.DownTimes([5], [9], [1]))) == words_of(WISH)


def test_a_training_shows_it_on_the_jobs_learnt_from_and_on_the_rest() -> None:
    training = train(W, WISH, criterion="f1", generations=1, until=0.6)
    assert training.guarded is not None
    policy = training.guarded.policy
    row = training.rows()[-1]
    assert (row["system"], row["best"]) == ("Guarded 1, 2, untrained", False)
    for part, key, exceeded in zip(split(W, 0.6), ("objective", "rest_objective"), ("", "rest_"), strict=True):
        values = np.asarray(objectives(simulate(part, policy)))[None]
        wish = resolved_on(as_wish(WISH, W), part)
        assert row[key] == pytest.approx(goal(wish, values)[0], rel=1e-12)
        assert row[f"{exceeded}exceeded"] == pytest.approx(violation(wish, values)[0], rel=1e-12)
    assert training.policy is not policy
    lines = training.text().splitlines()
    assert sum("Guarded 1, 2, untrained" in line for line in lines) == 1
    assert f"untrained, for --policy: {guarded_text(replace(policy, provenance={}))}" in lines


def test_a_training_without_limits_shows_none() -> None:
    training = train(W, "10*AWRT1 + 4*AWRT2", criterion="f1", generations=1)
    assert training.guarded is None
    assert "untrained" not in training.text()
