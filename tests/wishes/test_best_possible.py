"""No schedule beats what is proved of a wish; what is proved is what follows by hand; and its words are true."""

import math
from itertools import permutations

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.simulation.objective import FROM_START, FROM_SUBMISSION
from paretosched.wishes import best_possible as module
from paretosched.wishes.best_possible import Best, areas_of, best_possible, distance_row, distance_text, most_gain
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import Limit, Wish, goal, violation
from paretosched.wishes.wish_files import as_wish
from support.tiny import place_jobs
from support.zoo import ZOO, fixed_policies, jobs, random_jobs

# two groups, each with a job of 10 s that needs the whole machine: one of them has to wait for 10 s
TURNS = jobs(4, (0, 10, 10, 4, 0), (0, 10, 10, 4, 1))


def all_values(w: ps.Workload, util_from: str = FROM_START) -> np.ndarray:
    """Return the objectives of all orders with earliest placement, starting at once or when all jobs are there."""
    firsts = (0, int(w.submit[-1]))
    schedules = [ps.Schedule(w, place_jobs(w, o, t)) for o in permutations(range(len(w))) for t in firsts]
    return np.array([ps.objectives(schedule, util_from=util_from) for schedule in schedules])


@pytest.mark.parametrize(
    ("words", "least"),
    [
        ("AWRT1 + AWRT2", 30.0),
        ("AWRT1", 10.0),
        ("3*AWRT1 + AWRT2", 50.0),
        ("AWRT", 15.0),
        ("AWRT2, AWRT1 <= 12s", 18.0),
        ("AWRT2, AWRT1 >= 12s", 10.0),
        ("AWRT1, AWRT in 18s..19s", 10.0),
        ("AWRT1 - AWRT2", None),
        ("AWRT1 + AWRT2 - UTIL", 30.0 - 100),
        ("AWRT1 + AWRT2 - UTIL, UTIL <= 40", 30.0 - 40),
        ("near AWRT1 = 10s, AWRT2 = 10s", 0.5 + 1e-4),
        ("near AWRT1 = 15s, UTIL = 80", -0.25 + 1e-4 * (-1 / 3 - 0.25)),
        ("near AWRT = 10s", 0.5 + 0.5e-4),
    ],
)
def test_goals_by_hand(words: str, least: float | None) -> None:
    if least is None:
        with pytest.raises(InputError):
            as_wish(words, TURNS)
        return
    best = best_possible(as_wish(words, TURNS), TURNS)
    assert best.impossible == ()
    assert best.goal == pytest.approx(least, rel=1e-9)
    assert best.goal <= least


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("AWRT1 <= 12s, AWRT2 <= 12s", ("AWRT1 <= 12 s", "AWRT2 <= 12 s")),
        ("AWRT2, AWRT1 <= 9s", ("AWRT1 <= 9 s",)),
        ("AWRT <= 14.996s, AWRT1 <= 900s", ("AWRT <= 14.99 s",)),
        ("near AWRT1 = 9s, UTIL = 70, all <= 12s", ("AWRT1 <= 12 s", "AWRT2 <= 12 s")),
        ("AWRT1, AWRT1 >= 20s, AWRT <= 14s", ("AWRT <= 14 s",)),
        ("AWRT1 in 20s..30s, AWRT <= 14.5s", ("AWRT <= 14.5 s",)),
        ("AWRT1 in 25s..30s, AWRT2 >= 20s, AWRT <= 21s", ("AWRT2 >= 20 s", "AWRT1 >= 25 s", "AWRT <= 21 s")),
        ("AWRT1 <= 900s, AWRT2 <= 11s, AWRT1 <= 17s", ("AWRT1 <= 17 s", "AWRT2 <= 11 s")),
    ],
)
def test_impossible_limits_by_hand(words: str, limits: tuple[str, ...]) -> None:
    wish = as_wish(words, TURNS) if words.count("AWRT1 <=") < 2 else as_wish(words.split(", ", 1)[1], TURNS)
    best = best_possible(wish, TURNS)
    assert math.isnan(best.goal)
    assert sorted(best.impossible) == sorted(limits)


def test_utilisation_that_no_schedule_has_is_impossible() -> None:
    w = jobs(4, (0, 10, 10, 3, 0), (0, 10, 10, 3, 1))
    assert best_possible(as_wish("AWRT1, UTIL >= 75.1", w), w).impossible == ("UTIL >= 75.1 %",)
    assert best_possible(as_wish("AWRT1, UTIL >= 75", w), w).impossible == ()
    later = jobs(4, (0, 10, 10, 4, 0), (10, 10, 10, 2, 1))  # the second one cannot start before
    beyond = as_wish("AWRT1, UTIL >= 75.1", later)
    assert best_possible(beyond, later, FROM_SUBMISSION).impossible == ("UTIL >= 75.1 %",)
    assert best_possible(as_wish("-UTIL", later), later, FROM_SUBMISSION).goal == pytest.approx(-75, abs=1e-9)


def test_a_region_that_nothing_excludes_has_no_goal() -> None:
    best = best_possible(as_wish("AWRT1 <= 12s, AWRT2 <= 20s", TURNS), TURNS)
    assert math.isnan(best.goal)
    assert best.impossible == ()
    assert distance_text(best, as_wish("AWRT1 <= 12s", TURNS), 0.0, 0.0) == ""


@pytest.mark.parametrize("util_from", [FROM_START, FROM_SUBMISSION])
@pytest.mark.parametrize("seed", range(25))
def test_no_schedule_of_a_tiny_workload_beats_them(seed: int, util_from: str) -> None:
    rng = np.random.default_rng(seed)
    w = random_jobs(seed, 4 + seed % 2, 2 + seed % 4, gap=2, run=4, slack=0.0, groups=2 + seed % 2)
    values = all_values(w, util_from)
    names = [f"AWRT{i + 1}" for i in range(len(w.groups)) if (w.group == i).any()]
    some = dict(zip(["UTIL", "AWRT", *(f"AWRT{i + 1}" for i in range(len(w.groups)))], values[0], strict=True))
    weights = [(name, float(rng.integers(1, 11))) for name in names]
    limits = [Limit(name, high=float(some[name] * rng.uniform(1, 1.2))) for name in [*names[1:], "AWRT"]]
    within = Limit(names[0], low=float(some[names[0]] * rng.uniform(0.8, 1)))
    points = [(name, float(x * rng.uniform(0.5, 1.2))) for name, x in some.items() if name in names or name == "UTIL"]
    for wish in (
        Wish(weights=weights),
        Wish(weights=[*weights, ("AWRT", 3.0), ("UTIL", -2.0)], limits=limits),
        Wish(weights=weights, limits=[*limits, within]),
        Wish(weights=weights[:1], limits=[Limit("UTIL", low=float(some["UTIL"]))]),
        Wish(near=points, limits=limits),
        Wish(near=[*points, ("AWRT", 2.0)]),
    ):
        best = best_possible(wish, w, util_from)
        inside = violation(wish, values) == 0
        assert inside[0]
        assert best.impossible == ()
        assert best.goal <= goal(wish, values)[inside].min()
    tight = [
        Limit(name, high=float(x * rng.uniform(1, 1.3)))
        for name, x in zip(some, values.min(axis=0), strict=True)
        if name in names
    ]
    if best_possible(Wish(limits=tight), w).impossible:
        assert (violation(Wish(limits=tight), values) > 0).all()


@pytest.mark.parametrize("name", list(ZOO)[::5])
def test_no_policy_beats_them_and_they_are_no_weaker_than_the_ideal_point(name: str) -> None:
    w = ZOO[name]
    present = sorted(set(w.group.tolist()))
    wish = Wish(weights=[(f"AWRT{g + 1}", 10.0 if g == present[0] else 3.0) for g in present])
    ideal = goal(wish, ps.bounds(w).together[None])[0]
    for policy in list(fixed_policies(w.groups).values())[::4]:
        values = np.asarray(ps.objectives(ps.simulate(w, policy)))[None]
        best = best_possible(resolved_on(wish, w), w)
        assert best.goal <= goal(wish, values)[0]
        limits = [Limit(f"AWRT{g + 1}", high=float(values[0, 2 + g])) for g in present[1:]]
        tight = best_possible(Wish(weights=wish.weights, limits=limits), w)
        assert not tight.impossible
        assert best.goal * (1 - 1e-9) <= tight.goal <= goal(wish, values)[0]
    assert best.goal >= ideal * (1 - 1e-6)


def test_with_many_groups_chains_take_the_place_of_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    w = random_jobs(4, 200, 16, gap=3, run=30, groups=6)
    words = [
        "9*AWRT1 + 5*AWRT2 + 3*AWRT3 + 2*AWRT4 + 2*AWRT5 + AWRT6",
        "AWRT1, others <= 1.3*EASY, AWRT <= 1.1*EASY",
        "near AWRT1 = 60, AWRT2 = 60, AWRT6 = 60",
    ]
    wishes = [resolved_on(as_wish(text, w), w) for text in words]
    by_all_sets = [best_possible(wish, w).goal for wish in wishes]
    monkeypatch.setattr(module, "ALL_SETS", 3)
    areas_of.cache_clear()
    by_chains = [best_possible(wish, w).goal for wish in wishes]
    assert len(areas_of(w)._rows) < 2**6 - 1
    for chain, full in zip(by_chains, by_all_sets, strict=True):
        assert full - 0.01 * abs(full) <= chain <= full + 1e-9 * abs(full)
    tight = resolved_on(as_wish("all <= 0.6*EASY", w), w)
    assert best_possible(tight, w).impossible
    areas_of.cache_clear()


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="has limits relative to policies: they need numbers"):
        best_possible(as_wish("AWRT1, AWRT2 <= EASY", TURNS), TURNS)
    with pytest.raises(InputError, match=r"uses AWRT3, but .* has no such group with jobs"):
        best_possible(Wish(weights=[("AWRT3", 1)]), TURNS)


def test_the_sentence_rounds_to_the_side_of_truth() -> None:
    wish = as_wish("AWRT1, AWRT2 <= 900s", TURNS)
    assert distance_text(Best(75.89), wish, 100.0, 90.0) == "10.0 of at most 24.2 % (proved)"
    assert distance_text(Best(75.89), wish, 100.0, 110.0) == "-10.0 of at most 24.2 % (proved)"
    assert distance_text(Best(75.89), wish, 100.0, None, 80.0) == (
        "at most 24.2 % is possible within your limits (proved); best known schedule within your limits 20.0 %"
    )
    free = as_wish("AWRT1", TURNS)
    assert distance_text(Best(75.89), free, 100.0, None, 80.0) == (
        "at most 24.2 % is possible (proved); best known schedule 20.0 %"
    )
    near = as_wish("near AWRT1 = 9s", TURNS)
    assert distance_text(Best(0.1234567), near, 0.5, None) == (
        "no schedule comes nearer than 12.3 % short of your point (proved)"
    )
    assert distance_text(Best(-0.1234561), near, 0.5, 0.25, 0.2) == (
        "25.0 % short of your point; no schedule comes nearer than 12.4 % better than your point (proved); "
        "best known schedule 20.0 % short of your point"
    )
    row = distance_row(Best(math.nan, ("AWRT <= 2 h",)), wish, 100.0, 50.0)
    assert row == {
        "objective_at_least": None,
        "at_most_vs_easy": None,
        "impossible": ["AWRT <= 2 h"],
        "distance": "no schedule can keep AWRT <= 2 h (proved)",
    }
    assert most_gain(Best(80.0), wish, 0.0) is None


@pytest.mark.traces
def test_ctc_and_kth_on_1024_processors(traces) -> None:
    figures = {
        ("CTC-SP2-1996-3.1-cln.swf.gz", 2.45): (13.2, 24.2),
        ("KTH-SP2-1996-2.1-cln.swf.gz", 10.71): (22.4, 31.4),
    }
    for (log, factor), expected in figures.items():
        w = ps.scale(ps.read_swf(traces / log), 1024, factor)
        easy = np.asarray(ps.objectives(ps.simulate(w, "easy")))[None]
        for words, most in zip(("AWRT1 + AWRT2 + AWRT3 + AWRT4 + AWRT5", "10*AWRT1 + 4*AWRT2"), expected, strict=True):
            wish = as_wish(words, w)
            gain = most_gain(best_possible(wish, w), wish, float(goal(wish, easy)[0]))
            assert gain is not None
            assert most is None or round(gain, 1) == most
