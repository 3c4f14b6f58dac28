"""The result of a training, common to all classes of policies."""

from __future__ import annotations

import numpy as np
import pytest

from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.wishes.best_possible import best_possible, distance_row
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.wishes.wish_files import as_wish
from paretosched.workload.time_split import split
from support.exploring import random_workload

W = random_workload()


@pytest.mark.parametrize("until", [None, 0.6])
def test_a_training_says_how_far_its_policy_is_from_what_none_can_beat(until: float | None) -> None:
    words = "10*AWRT1 + 4*AWRT2, AWRT <= 1.5*EASY"
    training = train(W, words, criterion="f1", generations=1, until=until)
    parts = [W] if until is None else list(split(W, until))
    assert [row["workload"] for row in training.distances] == [part.name for part in parts]
    best_system = training.systems[training.best]
    for part, row, values in zip(parts, training.distances, (best_system.values, best_system.rest), strict=False):
        wish = resolved_on(as_wish(words, W), part)
        best = best_possible(wish, part)
        easy = float(goal(wish, np.asarray(objectives(simulate(part, "easy")))[None])[0])
        within = violation(wish, values)[0] == 0
        reached = float(goal(wish, values)[0]) if within else None
        assert row == {"workload": part.name} | distance_row(best, wish, easy, reached)
        assert row["distance"].endswith("(proved)")
        assert f"{part.name}: {row['distance']}" in training.text().splitlines()
