"""Where a search looks: the owner's box, and what a wish makes of it."""

import re
from pathlib import Path

import numpy as np
import pytest

from paretosched import lublin
from paretosched.core.errors import InputError
from paretosched.fronts.dominance import costs
from paretosched.fronts.front_files import load_front
from paretosched.fronts.quality_indicators import box_of
from paretosched.search.aims import aim_of
from paretosched.search.exploration import explore
from paretosched.search.runs import read_values
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.wishes.wish_files import as_wish, save_wish
from paretosched.workload.measures import with_objectives
from support.exploring import random_workload

W = random_workload(jobs=300)
EASY = np.asarray(objectives(simulate(W, "easy")))
TABLE = objective_table(W.groups)


def values_of(*policies: str) -> np.ndarray:
    return np.array([objectives(simulate(W, policy)) for policy in policies])


def test_without_a_wish_the_box_is_that_in_which_fronts_are_measured(tmp_path: Path) -> None:
    front = explore(W, tmp_path / "run", evaluations=10, population=10)
    for reach in (1.2, 1.5):
        aim, box = aim_of(W, None, reach), box_of(front, EASY, reach)
        ends = dict(zip((o.name for o in box.objectives), box.nadir, strict=True))
        assert aim.edge.tolist() == [ends[name] for name in ("AWRT1", "AWRT2", "AWRT3")]
        assert aim.goal is None
        assert aim_of(W, None, str(reach)).edge.tolist() == aim.edge.tolist()  # type: ignore[arg-type]
        table = costs(front.values, TABLE)
        assert (table @ aim.rows.T == table[:, 1:]).all()


def test_limits_take_the_place_of_the_edges_and_may_add_coordinates() -> None:
    words = "AWRT1, AWRT2 <= 1.1*EASY, AWRT3 in 100s..200s, AWRT <= 0.9*EASY, UTIL >= 20 %"
    aim = aim_of(W, as_wish(words, W))
    ends = {"AWRT1": 1.5 * EASY[2], "AWRT2": 1.1 * EASY[3], "AWRT3": 200.0, "AWRT": 0.9 * EASY[1], "UTIL": -20.0}
    assert sorted(aim.edge) == pytest.approx(sorted(ends.values()), rel=1e-12)
    values = values_of("fcfs", "easy", "sjf", "saf")
    coordinates = costs(values, TABLE) @ aim.rows.T
    expected = {"AWRT1": values[:, 2], "AWRT2": values[:, 3], "AWRT3": values[:, 4], "AWRT": values[:, 1]}
    expected |= {"UTIL": -values[:, 0]}
    for edge, column in zip(aim.edge, coordinates.T, strict=True):
        name = next(name for name, end in ends.items() if end == pytest.approx(edge))
        np.testing.assert_allclose(column, expected[name], rtol=1e-12)


@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("10*AWRT1 + AWRT, others <= EASY", 10 * EASY[2] + EASY[1]),
        ("near AWRT1 = 20min, UTIL = 30, AWRT in 10min..20min", 1.0),
        ("-UTIL", EASY[0]),
    ],
)
def test_goal_and_excess_are_those_of_the_wish(words: str, unit: float) -> None:
    values = values_of("fcfs", "easy", "sjf", "saf", "lxf")
    measure = aim_of(W, as_wish(words, W)).goal
    assert measure is not None
    goals, excess = measure(costs(values, TABLE))
    wish = resolved_on(as_wish(words, W), W)
    np.testing.assert_allclose(goals, goal(wish, values) / unit, rtol=1e-9)
    np.testing.assert_allclose(excess, violation(wish, values), rtol=1e-9, atol=1e-12)


def test_a_region_has_no_goal() -> None:
    assert aim_of(W, as_wish("AWRT1 <= EASY, UTIL >= 20", W)).goal is None


def test_a_group_without_jobs_has_no_place_in_the_box() -> None:
    w = W.with_(groups=("1", "2", "3", "none"))
    aim = aim_of(w, as_wish("AWRT1, all <= 1.3*EASY", w))
    assert aim.edge.tolist() == (1.3 * EASY[2:]).tolist()
    assert aim.goal is not None
    assert np.isfinite(aim.goal(costs(objectives(simulate(w, "sjf"))[None], objective_table(w.groups)))).all()
    with pytest.raises(InputError, match="uses AWRT4, but no such group has jobs here"):
        aim_of(w, as_wish("AWRT4", w))


def test_a_wish_file_and_its_words_are_the_same_wish(tmp_path: Path) -> None:
    words = "10*AWRT1 + 4*AWRT2, AWRT3 <= 1.02*EASY"
    save_wish(words, tmp_path / "wish.json")
    fronts = [
        explore(W, tmp_path / name, evaluations=80, population=10, algorithm="archive", wish=wish)
        for name, wish in (("a", words), ("b", tmp_path / "wish.json"), ("c", as_wish(words, W)))
    ]
    assert len({front.values.tobytes() for front in fronts}) == 1
    assert dict(load_front(tmp_path / "b").origins[0].begun)["wish"] == words
    with pytest.raises(InputError, match=re.escape(f"its wish is {words}, not AWRT1")):
        explore(W, tmp_path / "a", evaluations=90, wish="AWRT1")
    explore(W, tmp_path / "a", evaluations=90)
    explore(W, tmp_path / "b", evaluations=90, population=10, algorithm="archive", wish=words)
    assert load_front(tmp_path / "a").values.tobytes() == load_front(tmp_path / "b").values.tobytes()


def test_limits_that_nothing_keeps_are_no_error(tmp_path: Path) -> None:
    front = explore(
        W, tmp_path / "run", evaluations=120, population=20, algorithm="archive", wish="AWRT1, all <= 1min", box=1.01
    )
    assert front.evaluations == 120


@pytest.mark.slow
def test_a_search_for_a_wish_answers_it_better_than_one_that_knows_none(tmp_path: Path) -> None:
    """In the mean of several wishes and workloads, at equal effort."""
    wishes = "10*AWRT1 + 4*AWRT2, AWRT3 <= 1.05*EASY", "AWRT3, others <= EASY", "AWRT, all <= EASY"
    gains = []
    for seed in (1, 2, 3):
        w = lublin(jobs=600, processors=32, seed=seed)
        for k, words in enumerate(wishes):
            best = []
            wish = resolved_on(as_wish(words, w), w)
            for name, more in (("with", {"wish": words}), ("without", {})):
                run = tmp_path / f"{name} {seed} {k}"
                explore(w, run, evaluations=300, population=20, seed=seed, algorithm="archive", **more)
                values, _ = read_values(run)
                best.append(goal(wish, values)[violation(wish, values) == 0].min())
            gains.append(1 - best[0] / best[1])
    assert np.mean(gains) > 0.01
    assert np.mean(np.array(gains) >= 0) > 0.7


def test_utilisation_is_a_side_of_the_box_where_it_is_asked_for() -> None:
    measured = with_objectives(W, "UTIL, mean slowdown, AWRT1")
    values = objectives(simulate(measured, "easy"), util_from="submission")
    util, awrt, slowdown = (values[name] for name in ("UTIL", "AWRT1", "mean slowdown"))
    aim = aim_of(measured, None, 1.5)
    assert aim.edge.tolist() == pytest.approx([-util / 1.5, 1.5 * awrt, 1.5 * slowdown])
    assert (aim.rows == np.eye(3)).all()
    assert len(aim_of(with_objectives(W, "mean slowdown, AWRT1")).edge) == 2
