"""What a front gives each group, against EASY."""

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.wishes.gains import DIFFERENT, gains_text, group_gains
from support.exploring import random_workload
from support.fronts import made_up

W = random_workload(jobs=200)
EASY = np.asarray(objectives(simulate(W, "easy")))


def front_of_shares(*rows: tuple[float, float, float]) -> object:
    """A front with these multiples of EASY's response times, each with less utilisation than the one before."""
    values = np.array([[EASY[0] - i, np.nan, *(np.array(row) * EASY[2:])] for i, row in enumerate(rows)])
    values[:, 1] = values[:, 2:].mean(axis=1)
    return made_up(values, W.groups, "w", W.digest)


def test_gains_are_those_of_the_best_row_that_harms_nobody_and_in_the_box() -> None:
    front = front_of_shares((0.9, 1.0, 0.95), (0.8, 1.2, 0.7), (0.5, 1.6, 0.5), (1.3, 0.6, 1.0))
    rows = group_gains(front, W)  # type: ignore[arg-type]
    assert [row["objective"] for row in rows] == ["AWRT1", "AWRT2", "AWRT3"]
    assert [row["unharmed"] for row in rows] == pytest.approx([10.0, 0.0, 5.0])
    assert [row["within"] for row in rows] == pytest.approx([20.0, 40.0, 30.0])
    wider = group_gains(front, W, 2.0)  # type: ignore[arg-type]
    assert [row["within"] for row in wider] == pytest.approx([50.0, 40.0, 50.0])
    assert [row["easy"] for row in rows] == EASY[2:].tolist()


def test_the_table_says_that_different_schedules_have_its_columns() -> None:
    rows = group_gains(front_of_shares((0.9, 0.8, 0.95), (0.8, 0.9, 0.7), (0.5, 1.4, 0.9)), W)  # type: ignore[arg-type]
    assert [(row["unharmed_row"], row["within_row"]) for row in rows] == [(1, 2), (0, 0), (1, 1)]
    assert gains_text(rows).splitlines()[-1] == DIFFERENT
    one_unharmed = group_gains(front_of_shares((0.7, 1.0, 0.9), (0.7, 0.8, 0.7), (0.5, 1.4, 0.9)), W)  # type: ignore[arg-type]
    assert [row["unharmed_row"] for row in one_unharmed] == [1] * 3
    assert gains_text(one_unharmed).splitlines()[-1] == f"no group above 1.5 x EASY: {DIFFERENT}"
    one_for_all = group_gains(front_of_shares((0.7, 0.8, 0.9)), W)  # type: ignore[arg-type]
    assert DIFFERENT not in gains_text(one_for_all)


def test_what_is_proved_holds_for_all_schedules() -> None:
    front = front_of_shares((1.0, 1.0, 1.0))
    rows = group_gains(front, W)  # type: ignore[arg-type]
    for policy in ("sjf", "saf", "lxf", "priority:1", "priority:2", "priority:3"):
        gains = 100 * (1 - np.asarray(objectives(simulate(W, policy)))[2:] / EASY[2:])
        assert all(gain <= row["at_most"] for gain, row in zip(gains, rows, strict=True))


def test_a_front_that_only_harms_has_no_gain() -> None:
    front = front_of_shares((0.5, 1.7, 1.0), (1.1, 1.1, 0.9))
    rows = group_gains(front, W)  # type: ignore[arg-type]
    assert [row["unharmed"] for row in rows] == [None] * 3
    assert [row["within"] for row in rows] == pytest.approx([-10.0, -10.0, 10.0])
    assert "no group above EASY                -      -      -" in gains_text(rows)


def test_groups_without_jobs_are_left_out_and_other_jobs_refused() -> None:
    w = W.with_(groups=("1", "2", "3", "none"))
    values = np.array([[EASY[0], EASY[1], *EASY[2:], np.nan]])
    assert len(group_gains(made_up(values, w.groups, "w", w.digest), w)) == 3
    with pytest.raises(InputError, match="the front of w must be of the same jobs, but random has others"):
        group_gains(front_of_shares((1, 1, 1)), random_workload(seed=5))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="reach must be above 1 times EASY, but is 1"):
        group_gains(front_of_shares((1, 1, 1)), W, 1)  # type: ignore[arg-type]


def test_the_reach_of_the_box_may_be_text() -> None:
    front = front_of_shares((0.5, 1.6, 0.5))
    assert group_gains(front, W, "2") == group_gains(front, W, 2.0)  # type: ignore[arg-type]
