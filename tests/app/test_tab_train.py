"""How far a trained policy goes, in words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paretosched.app.tab_train import progress
from paretosched.app.tab_train import test_sentence as sentence_of_test
from paretosched.app.trainings import DONE, Training
from paretosched.wishes.wish import Limit, Wish
from paretosched.workload.workload import Measured
from support.page import FRONT


def test_goal_and_limits_are_told_apart() -> None:
    easy, wish = FRONT.values.max(axis=0), Wish(weights=[("AWRT1", 1.0)])
    best = FRONT.values[FRONT.values[:, 2].argmin()]
    assert progress(wish, easy, best, FRONT) == ["Goal: 100 % of the way from EASY to the front."]
    assert progress(wish, best, easy, FRONT) == ["Goal: worse than EASY."]
    assert progress(wish, best, best, FRONT) == ["Goal: as good as EASY."]
    limit = Limit("AWRT1", high=float(best[2]))
    with_limit = Wish(weights=[("AWRT1", 1.0)], limits=[limit, Limit("AWRT2", high=1e9)])
    goal, limits = progress(with_limit, easy, 1.01 * easy, FRONT)
    assert goal == "Goal: worse than EASY."
    assert limits.startswith("Limits: 1 of 2 exceeded, AWRT1 by ")
    assert progress(with_limit, easy, best, FRONT)[1] == "Limits: all kept."
    assert len(progress(Wish(limits=[limit]), easy, best, FRONT)) == 1
    assert progress(wish, None, best, FRONT) == []


def test_limits_that_are_kept_hide_no_goal_that_is_worse_than_easy() -> None:
    """Once the page said "100 % of the way from EASY to the limits" of a policy that was worse than EASY."""
    easy = np.median(FRONT.values, axis=0)
    policy = easy.copy()
    policy[2] *= 2  # the goal
    policy[3] *= 0.5  # within the limit, which EASY exceeds
    wish = Wish(weights=[("AWRT1", 1.0)], limits=[Limit("AWRT2", high=float(0.8 * easy[3]))])
    goal, limits = progress(wish, easy, policy, FRONT)
    assert goal == "Goal: worse than EASY."
    assert limits.startswith("Limits: all kept")


@pytest.mark.parametrize(
    ("aims", "words"),
    [
        ([("AWRT1", 1.0), ("AWRT2", 1.0)], "no job there counts in AWRT2; the goal is 10.0 % better than with EASY; "),
        ([("AWRT2", 1.0)], "no job there counts in AWRT2; "),
    ],
)
def test_groups_without_jobs_among_those_not_seen_are_left_out(aims: list[tuple[str, float]], words: str) -> None:
    wish = Wish(weights=aims, limits=[Limit("AWRT2", high=9e4), Limit("AWRT", high=0.5, of="easy")])
    values: dict[str, Any] = {o.name: 100.0 for o in FRONT.objectives} | {"AWRT2": None}
    rest: dict[str, Any] = {"workloads": [values], "rest": [values], "rest_exceeded": 1.0}
    rest |= {"rest_objective": 90.0, "rest_vs_easy": 10.0} if len(aims) > 1 else {"rest_objective": None}
    systems = [{"system": "EASY", "best": False} | rest, {"system": "f4", "best": True} | rest]
    training = Training(1, wish, 5, DONE, 9, 9, np.empty((0, 7)), None, "", until=0.7, result={"systems": systems})
    start = (
        f"Tested on jobs that it has not seen, those after 70 % of the time: {words}the limits are exceeded: AWRT is "
    )
    assert sentence_of_test(training, FRONT).startswith(start)
    measured = Measured(("longest wait of 3",), FRONT.measured.deciding)  # since it was trained
    wider = replace(FRONT, values=np.column_stack([FRONT.values, FRONT.values[:, 1]]), measured=measured)
    assert sentence_of_test(training, wider) == sentence_of_test(training, FRONT)
