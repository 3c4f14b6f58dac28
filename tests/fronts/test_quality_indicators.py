"""Indicators: cases done by hand, the error of the approximation, courses and contributions."""

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.dominance import nondominated_rows
from paretosched.fronts.front import Front, Origin, front_of
from paretosched.fronts.merging import merge
from paretosched.fronts.quality_indicators import (
    Box,
    box_of,
    contributions,
    course,
    hypervolume,
    hypervolume_error,
    indicators,
    to_box,
)
from paretosched.simulation.objective import objective_table
from support.fronts import a_front, random_front

FIVE = objective_table(tuple("12345"))


def hand_front(points: list[tuple[float, float]], name: str = "a") -> Front:
    values = np.array([[u, t, t] for u, t in points])
    return front_of(values, np.zeros((len(points), 15)), Origin(name, "nsga2", 0, 5, Weighting("easy")), ("1",))


@pytest.mark.usefixtures("fine_hypervolumes")
def test_indicators_of_a_case_done_by_hand() -> None:
    """Scaled: (0, 1) and (1, 0), box to (1.1, 1.1): 0.11 + 0.1 of 1.21; the input (1, 0) alone: 0.1 * 1.1."""
    front = hand_front([(90.0, 300.0), (80.0, 100.0)])
    quality = indicators(front, [front, hand_front([(80.0, 100.0)], "b")])
    assert (quality["size"], quality["evaluations"]) == (2, 2)
    assert quality["ideal"] == {"UTIL": 90.0, "AWRT1": 100.0}
    assert quality["nadir"] == {"UTIL": 80.0, "AWRT1": 300.0}
    assert quality["reference"] == pytest.approx({"UTIL": 79.0, "AWRT1": 320.0})
    assert quality["hypervolume"] == pytest.approx(0.21 / 1.21, rel=1e-3)
    itself, part = quality["inputs"]
    assert (itself["igd_plus"], itself["epsilon"], itself["in_front"]) == (0.0, 0.0, 2)
    assert itself["hypervolume"] == quality["hypervolume"]
    # the missing point (0, 1) is 1 away from (1, 0) in the first objective, which is better in the second
    assert (part["igd_plus"], part["epsilon"], part["in_front"]) == (0.5, 1.0, 1)
    assert part["hypervolume"] == pytest.approx(0.11 / 1.21, rel=1e-3)


def test_the_hypervolume_of_one_point_at_the_ideal_is_the_whole_box() -> None:
    quality = indicators(hand_front([(90.0, 300.0)]))
    assert quality["hypervolume"] == pytest.approx(1.0, rel=1e-3)
    assert quality["ideal"] == quality["nadir"] == {"UTIL": 90.0, "AWRT1": 300.0}


def test_an_input_beyond_the_box_has_no_volume() -> None:
    front = hand_front([(90.0, 300.0), (80.0, 100.0)])
    assert indicators(front, [hand_front([(50.0, 900.0)])])["inputs"][0]["hypervolume"] == 0.0


def test_the_owners_box_ends_at_a_multiple_of_easy_and_not_where_a_front_does() -> None:
    # EASY: 90 % and 200 s, so that the box ends at 60 % and 300 s. The best found are 90 % and 100 s.
    easy = [90.0, 200.0, 200.0]
    good = [(90.0, 200.0), (75.0, 100.0)]
    quality = indicators(hand_front(good), [hand_front(good)], easy)
    assert quality["reference"] == pytest.approx({"UTIL": 60.0, "AWRT1": 300.0})
    assert quality["box"] == {"reach": 1.5, "left_out": [], "inside": 2}
    # (0, 0.5) and (0.5, 0): 0.5 + 0.5 - 0.25
    assert quality["hypervolume"] == pytest.approx(0.75, rel=1e-3)
    assert indicators(hand_front(good), easy=easy, reach=3)["reference"] == pytest.approx(
        {"UTIL": 30.0, "AWRT1": 600.0}
    )
    # A schedule after a year, with a little more utilisation, moves the best found alone: it counts for nothing itself.
    year = hand_front([*good, (90.0001, 3e7)])
    far = indicators(year, [hand_front(good)], easy)
    assert far["hypervolume"] == pytest.approx(0.75, rel=1e-3)
    assert far["inputs"][0]["igd_plus"] == pytest.approx(0, abs=1e-5)
    assert far["box"]["inside"] == 2
    assert indicators(year)["hypervolume"] > 0.99  # the box of the front alone: everything is in one corner
    # and where all are beyond it, the box is empty
    slow = indicators(hand_front([(80.0, 400.0)]), [hand_front([(80.0, 400.0)])], easy)
    assert (slow["hypervolume"], slow["inputs"][0]["igd_plus"]) == (0.0, None)


def test_in_the_owners_box_utilisation_that_is_shared_or_idles_takes_no_part() -> None:
    easy = [90.0, 200.0, 200.0]
    shared = indicators(hand_front([(70.0, 150.0)]), easy=easy)
    assert shared["box"]["left_out"] == ["UTIL: all schedules share 70.00 %"]
    assert list(shared["reference"]) == ["AWRT1"]
    assert shared["hypervolume"] == pytest.approx(1)  # it is the best found
    values = np.array([[90.0, 200.0, 200.0], [75.0, 100.0, 100.0]])
    offline = front_of(values, np.zeros((2, 15)), Origin("a", "nsga2", 0, 5, Weighting(decoding="earliest")), ("1",))
    quality = indicators(offline, [offline], easy)
    assert quality["box"]["left_out"] == [
        "UTIL: it counts from the first start, which rewards schedules that idle first"
    ]
    assert quality["inputs"][0]["in_front"] == 2
    assert contributions([offline], easy=easy)[0]["gain"] == pytest.approx(1)
    box = box_of(offline, easy)
    assert box_of(offline, easy, "1.5").nadir.tolist() == box.nadir.tolist()  # type: ignore[arg-type]
    assert course(values, offline.objectives, [1, 2], box, offline).hypervolume.tolist() == pytest.approx([0.5, 1])
    with pytest.raises(InputError, match="objectives must be those of the box, AWRT1, but are UTIL, AWRT1, AWRT2"):
        to_box(np.ones((1, 4)), objective_table(("1", "2")), box)


def test_utilisation_from_the_first_submission_takes_part_in_the_owners_box_whoever_makes_the_schedules() -> None:
    values = np.array([[90.0, 200.0, 200.0], [75.0, 100.0, 100.0]])
    run = Origin("a", "nsga2", 0, 5, Weighting(decoding="earliest"), (("util_from", "submission"),))
    offline = front_of(values, np.zeros((2, 15)), run, ("1",))
    quality = indicators(offline, [offline], [90.0, 200.0, 200.0])
    assert quality["box"] == {"reach": 1.5, "left_out": [], "inside": 2}
    assert quality["reference"] == pytest.approx({"UTIL": 60.0, "AWRT1": 300.0})
    assert quality["hypervolume"] == pytest.approx(0.75, rel=1e-3)
    papers = front_of(values, np.zeros((2, 15)), run._replace(begun=()), ("1",))
    with pytest.raises(InputError, match="UTIL must count from the same time"):
        indicators(offline, [papers])


def test_the_owners_box_needs_easy_and_a_reach() -> None:
    front = hand_front([(90.0, 300.0)])
    with pytest.raises(InputError, match="reach must be above 1 times EASY, but is 1"):
        box_of(front, [90.0, 200.0, 200.0], 1)
    for easy in ([90.0, 200.0], [90.0, 200.0, np.nan], [90.0, 200.0, -1.0]):
        with pytest.raises(InputError, match="values of EASY must be 3 numbers, 0 or more"):
            box_of(front, easy)


def test_an_empty_front_is_not_measured() -> None:
    with pytest.raises(InputError, match="at least one row"):
        indicators(random_front(1, rows=0))


@pytest.mark.slow
def test_no_approximation_is_above_the_whole_box() -> None:
    assert all(hypervolume(np.zeros((1, q)), edge=1.0) <= 1.0 for q in range(1, 9))


@pytest.mark.usefixtures("fine_hypervolumes")
def test_the_error_of_the_hypervolume_is_stated_and_small() -> None:
    source = a_front(3_000)
    front = front_of(source.values, np.zeros((3_000, 39)), Origin("a", "nsga2", 0, 5, Weighting("easy")), source.groups)
    quality = indicators(front)
    assert 0 < quality["hypervolume_error"] < 1e-3
    assert "100000 directions" in quality["hypervolume_method"]


def test_the_error_is_that_of_the_exact_hypervolume() -> None:
    """Of two points, (0, 1) and (1, 0), the exact one is 0.21 of 1.21."""
    places = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert hypervolume_error(places) == pytest.approx(abs(hypervolume(places) / (0.21 / 1.21) - 1), abs=1e-12)
    assert hypervolume_error(places + 2) == 0.0


@pytest.mark.slow
@pytest.mark.usefixtures("fine_hypervolumes")
def test_the_error_of_many_dimensions_is_measured_on_few_rows() -> None:
    places = np.random.default_rng(3).random((400, 12))
    assert 0 < hypervolume_error(places) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_more_points_never_have_a_smaller_hypervolume(seed: int) -> None:
    places = np.random.default_rng(seed).random((12, 3)) * 1.3
    volumes = [hypervolume(places[:k]) for k in range(13)]
    assert volumes == sorted(volumes)
    assert volumes[-1] <= 1.0 + 1e-3


def archive(seed: int, rows: int = 80, groups: int = 5) -> np.ndarray:
    values = np.random.default_rng(seed).integers(1, 9, (rows, groups + 2)).astype(float)
    values[:, 1] = values[:, 2:].mean(axis=1)
    return values


def front_of_archive(values: np.ndarray) -> Front:
    groups = tuple(str(i + 1) for i in range(values.shape[1] - 2))
    return front_of(
        values, np.zeros((len(values), 6 * len(groups) + 9)), Origin("a", "nsga2", 0, 5, Weighting("easy")), groups
    )


def test_a_course_is_that_of_the_fronts_of_its_beginnings() -> None:
    values = archive(1)
    whole = front_of_archive(values)
    box = box_of(whole)
    at = [1, 2, 17, 40, 80]
    curve = course(values, FIVE, at, box, whole)
    for k, size, volume in zip(at, curve.size, curve.hypervolume, strict=True):
        rows = values[:k][nondominated_rows(values[:k], FIVE)]
        assert size == len(rows)
        assert volume == pytest.approx(hypervolume(to_box(rows, FIVE, box)), rel=1e-12)
    assert curve.igd_plus is not None
    assert curve.igd_plus[-1] == 0.0
    assert (np.diff(curve.igd_plus) <= 0).all()
    assert (np.diff(curve.hypervolume) >= 0).all()
    assert curve.size[-1] == len(whole)
    assert curve.evaluations.tolist() == at


def test_a_course_does_not_depend_on_where_else_it_is_measured() -> None:
    values = archive(2)
    box = box_of(front_of_archive(values))
    assert course(values, FIVE, [80], box).hypervolume[0] == course(values, FIVE, [9, 33, 80], box).hypervolume[-1]
    assert course(values, FIVE, [], box).size.tolist() == []
    assert course(values, FIVE, [3], box).igd_plus is None


@pytest.mark.parametrize("at", [[0], [81], [2, 2], [3, 1], [-1]])
def test_a_course_beyond_the_run_or_backwards_is_refused(at: list[int]) -> None:
    values = archive(2)
    with pytest.raises(InputError, match=r"at must ascend within 1\.\.80, but has"):
        course(values, FIVE, at, box_of(front_of_archive(values)))


def test_an_undefined_group_is_not_measured_and_a_missing_one_is_refused() -> None:
    values = archive(3)
    values[:, 4] = np.nan
    front = front_of_archive(values)
    box = box_of(front)
    assert [o.name for o in box.objectives] == ["UTIL", "AWRT1", "AWRT2", "AWRT4", "AWRT5"]
    assert course(values, FIVE, [80], box, front).igd_plus == [0.0]
    with pytest.raises(InputError, match=r"objectives must be those of the box, UTIL, .* but are UTIL, .* AWRT3"):
        course(archive(3), FIVE, [80], box)


def test_contributions_add_up() -> None:
    inputs = [random_front(seed, rows=60, levels=9) for seed in range(4)]
    front = merge(inputs)
    shares = contributions(inputs)
    assert [c["size"] for c in shares] == [len(f) for f in inputs]
    assert sum(c["only"] for c in shares) <= len(front) <= sum(c["in_front"] for c in shares)
    assert all(c["gain"] >= 0 for c in shares)
    assert all(c["gain"] > 0 for c in shares if c["only"])


@pytest.mark.slow
def test_an_input_that_is_there_twice_gains_nothing_and_an_empty_one_neither() -> None:
    one, none = random_front(1), random_front(2, rows=0)
    for row in contributions([one, one, none]):
        assert (row["gain"], row["only"], row["best_in"]) == (0.0, 0, [])
    alone = contributions([one])[0]
    assert alone["only"] == alone["in_front"] == len(one)
    assert alone["best_in"] == ["UTIL", "AWRT", "AWRT1", "AWRT2"]
    assert alone["gain"] == indicators(one)["hypervolume"]
    with pytest.raises(InputError, match="at least one row"):
        contributions([none])


def test_a_value_that_many_reach_is_the_best_of_none() -> None:
    """UTIL is often the same everywhere; then no input is the best in it."""
    one, other = hand_front([(90.0, 300.0)]), hand_front([(90.0, 200.0)], "b")
    shares = contributions([one, other])
    assert [c["best_in"] for c in shares] == [[], ["AWRT", "AWRT1"]]


def test_a_box_by_hand() -> None:
    box = box_of(hand_front([(90.0, 300.0), (80.0, 100.0)]))
    assert box.by_name(box.ideal) == {"UTIL": 90.0, "AWRT1": 100.0}
    assert to_box([[85.0, 200.0, 200.0]], objective_table(("1",)), box).tolist() == [[0.5, 0.5]]
    assert to_box(np.zeros((0, 3)), objective_table(("1",)), box).shape == (0, 2)
    assert Box(box.objectives, box.ideal, box.ideal).span.tolist() == [1.0, 1.0]


@pytest.mark.slow
def test_a_hundred_and_fifty_thousand_points_are_merged_rightly() -> None:
    rng = np.random.default_rng(7)
    values = np.exp(rng.normal(size=(153_080, 7)) * 0.3)  # of which thousands are not dominated
    is_in_front = nondominated_rows(values, FIVE)
    assert 1_000 < is_in_front.sum() < 100_000
    # a sample is checked against all: none of the kept is dominated, each of the others is
    costs = np.column_stack([-values[:, 0], values[:, 2:]])
    for row in rng.choice(len(costs), 200, replace=False):
        others = (costs <= costs[row]).all(axis=1) & (costs < costs[row]).any(axis=1)
        assert others.any() != is_in_front[row]
