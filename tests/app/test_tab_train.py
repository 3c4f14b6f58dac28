"""How far a trained policy goes, in words."""

from __future__ import annotations

import numpy as np

from paretosched.app.tab_train import progress
from paretosched.wishes.wish import Limit, Wish
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
