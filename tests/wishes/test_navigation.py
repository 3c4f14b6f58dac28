"""What helps to find a wish: on small fronts by hand, on larger ones against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.fronts.front import Front
from paretosched.wishes.knee_points import knees
from paretosched.wishes.navigation import CLASSES, compromise, reachable, remaining, tradeoffs, way, wish_of_classes
from paretosched.wishes.nearness import fitness
from paretosched.wishes.wish import Limit, Wish, wish_text
from paretosched.wishes.wish_grammar import parse
from support.fronts import a_front, made_up


def front_of(*rows: tuple[float, ...]) -> Front:
    return made_up(np.array(rows, dtype=np.float64), tuple("12"[: len(rows[0]) - 2]), "small", "cd" * 32)


#                 UTIL  AWRT  AWRT1 AWRT2
SMALL = front_of((60.0, 50.0, 10.0, 90.0), (60.0, 40.0, 20.0, 30.0), (60.0, 50.0, 90.0, 10.0))  # a knee in the middle
ALL = np.ones(3, dtype=bool)


def test_what_remains_is_within_the_limits_and_the_best_of_it_is_reachable() -> None:
    among = remaining(Wish(limits=[Limit("AWRT1", high=20)]), SMALL)
    assert among.tolist() == [True, True, False]
    assert reachable(SMALL, among).tolist() == [60, 40, 10, 30]
    assert remaining(None, SMALL).all()
    assert np.isnan(reachable(SMALL, ~ALL)).all()


def test_knee_and_compromise_are_in_the_middle_of_a_bent_front() -> None:
    assert compromise(SMALL, ALL) == 1
    assert knees(SMALL, ALL)[0] == 1
    assert knees(SMALL, np.array([True, False, False])) == [0]
    assert compromise(SMALL, ~ALL) is None
    assert knees(SMALL, ~ALL) == []


def test_absurd_schedules_do_not_move_the_compromise() -> None:
    absurd = front_of((60, 50, 10, 90), (60, 40, 20, 30), (60, 50, 90, 10), (90, 9e6, 9e6, 8e6), (50, 9e6, 8, 9e6))
    assert compromise(absurd, np.ones(5, dtype=bool)) == 1
    shortfall = [
        max(abs(v / b - 1) for v, b in zip(row, (90, 8, 10), strict=True)) for row in absurd.values[:, [0, 2, 3]]
    ]
    assert int(np.argmin(shortfall)) == 1


def test_knees_are_those_of_a_plain_loop_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    front = a_front(200)
    among = np.arange(200) % 3 > 0
    rows = np.flatnonzero(among)
    values = np.delete(front.values, 1, axis=1)[among] * ([-1] + [1] * 5)
    unit = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    losses = dict.fromkeys(rows.tolist(), 0.0)
    for weights in np.random.default_rng(0).dirichlet(np.ones(6), 256):
        first, second = np.argsort(unit @ weights)[:2]
        losses[int(rows[first])] += float((unit[second] - unit[first]) @ weights)
    expected = [row for row, loss in sorted(losses.items(), key=lambda item: -item[1]) if loss > 0][:5]
    assert knees(front, among) == expected
    for block in (1, 7, 64):
        monkeypatch.setattr("paretosched.wishes.knee_points.BLOCK", block)
        assert knees(front, among) == expected


def test_a_step_takes_the_least_loss() -> None:
    front = front_of((60, 50, 100, 100), (60, 50, 98, 103), (60, 50, 90, 120), (60, 50, 120, 80))
    rows, gains = tradeoffs(front, 0, np.ones(4, dtype=bool))
    assert rows.tolist() == [-1, -1, 1, 3]
    assert gains[2].round(6).tolist() == [0, 0, 2, -3]
    assert np.isnan(gains[:2]).all()
    rows, _ = tradeoffs(front, 0, np.array([True, False, True, True]))
    assert rows.tolist() == [-1, -1, 2, 3]


def test_steps_are_those_of_a_plain_loop() -> None:
    front = a_front(150)
    among = np.arange(150) % 4 > 0
    rows, gains = tradeoffs(front, 17, among, 0.02)
    sign = np.array([1] + [-1] * 6)
    for i in range(7):
        best = (np.inf, -1)
        for row in np.flatnonzero(among).tolist():
            gain = sign * (front.values[row] / front.values[17] - 1)
            if gain[i] >= 0.02:
                loss = [max(0.0, -gain[j]) for j in range(7) if j not in (1, i)]
                best = min(best, (max(loss) + 1e-4 * sum(loss), row))
        assert rows[i] == best[1]
        if best[1] >= 0:
            assert gains[i] == pytest.approx(100 * sign * (front.values[best[1]] / front.values[17] - 1))


def test_a_classification_becomes_a_wish_that_its_row_is_within() -> None:
    front = a_front(80)
    wish = wish_of_classes({"AWRT1": ("improve", None), "AWRT2": ("keep", None), "UTIL": ("keep", None)}, front, 7)
    assert dict(wish.near).keys() == {"AWRT1"}
    assert remaining(wish, front)[7]
    assert parse(wish_text(wish), front.objectives) == wish
    best = int(np.argmin(fitness(wish, front.values)))
    assert front.values[best, 2] <= front.values[7, 2]
    assert remaining(wish, front)[best]
    level = float(front.values[7, 4]) * 1.2
    with_levels = wish_of_classes({"AWRT1": ("improve to", 1.0), "AWRT3": ("may worsen to", level)}, front, 7)
    assert with_levels.near == (("AWRT1", 1.0),)
    assert Limit("AWRT3", 0.0, level) in with_levels.limits


@pytest.mark.parametrize(
    ("classes", "rule"),
    [
        ({}, 'an objective must be "improve"'),
        ({"AWRT1": ("keep", None)}, 'an objective must be "improve"'),
        ({f"AWRT{i}": ("improve", None) for i in range(1, 6)} | {"UTIL": ("keep", None)}, 'must be "free"'),
        ({"AWRT1": ("improve to", None)}, "must have a level"),
        ({"AWRT1": ("improve to", 1e9)}, "a level better than"),
        ({"UTIL": ("improve to", 1.0)}, "a level better than"),
        ({"AWRT1": ("improve", None), "AWRT2": ("may worsen to", 1.0)}, "a level worse than"),
        ({"AWRT1": ("enlarge", None)}, f"must be one of {', '.join(CLASSES)}"),
    ],
)
def test_classes_that_make_no_wish_are_refused(classes: dict[str, tuple[str, float | None]], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        wish_of_classes(classes, a_front(80), 7)


def test_the_way_goes_from_0_at_the_start_to_1_at_the_front() -> None:
    wish = Wish(weights=[("AWRT1", 1.0)])
    start = np.array([60.0, 50.0, 30.0, 30.0])
    for awrt, share in ((30.0, 0.0), (20.0, 0.5), (10.0, 1.0), (5.0, 1.25), (40.0, -0.5)):
        position = way(wish, start, np.array([60.0, 50.0, awrt, 30.0]), SMALL)
        assert position is not None
        assert position == ("goal", pytest.approx(share), 0)
    assert way(wish, np.array([60.0, 50.0, 9.0, 9.0]), start, SMALL) is None
    limits = Wish(weights=[("AWRT1", 1.0)], limits=[Limit("AWRT2", high=10.0)])
    position = way(limits, start, np.array([60.0, 50.0, 30.0, 15.0]), SMALL)
    assert position == ("limits", pytest.approx(0.75), 2)


@pytest.mark.parametrize("name", ["UTIL", "AWRT1"])
@pytest.mark.parametrize("kind", ["improve to", "may worsen to"])
def test_a_level_at_the_value_itself_is_neither_better_nor_worse(name: str, kind: str) -> None:
    here = float(SMALL.values[1, {"UTIL": 0, "AWRT1": 2}[name]])
    shown = f"{here:g} %" if name == "UTIL" else f"{here / 3600:.6g} h"  # as the page has them
    with pytest.raises(InputError, match=f'{name}: "{kind}" must have a level .* than {shown}, but has {shown}'):
        wish_of_classes({name: (kind, here), "AWRT2": ("improve", None)}, SMALL, 1)


@given(st.floats(0.01, 1e6), st.sampled_from([-math.inf, 0.0, math.inf]))
def test_a_value_next_to_a_round_one_is_within_its_own_level(value: float, towards: float) -> None:
    near = float(f"{value:.6g}")
    near = math.nextafter(near, towards) if towards else near
    front = front_of((near, near, near, near), (near, near / 2, near / 2, near / 2))
    wish = wish_of_classes({"UTIL": ("keep", None), "AWRT1": ("improve", None)}, front, 0)
    assert remaining(wish, front)[0]
