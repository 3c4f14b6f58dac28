from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fronts import made_up
from paretosched.bounds import bounds
from paretosched.compare import BEST, IDEAL, ONLINE, compare, improvement
from paretosched.encodings import Encoding, Weighting
from paretosched.errors import InputError
from paretosched.front import Front, merge
from paretosched.objectives import objectives
from paretosched.policy import Policy, greedy
from paretosched.simulate import simulate
from paretosched.tables import to_json
from paretosched.workload import Workload

# Job 2 is as wide as the machine and waits for job 1; EASY lets job 3 pass it, FCFS does not. No job is a guest's.
WORKLOAD = Workload(
    submit=[0, 1, 2],
    run=[10, 5, 3],
    estimate=[10, 5, 3],
    width=[3, 4, 1],
    capacity=4,
    group=[0, 1, 0],
    groups=("staff", "students", "guests"),
    name="three jobs",
)
EASY = objectives(simulate(WORKLOAD, "easy"))


EASY_WEIGHTING = Weighting()


def a_front(values: list[list[float]], workload: Workload = WORKLOAD, encoding: Encoding = EASY_WEIGHTING) -> Front:
    return made_up(np.array(values).reshape(-1, 5), workload.groups, workload.name, workload.digest, encoding)


def test_online_schedules_are_told_from_those_that_know_the_future():
    util, awrt, first, second, nan = EASY
    offline = a_front([[util, awrt, first - 1, second, nan]], encoding=Weighting(decoding="earliest"))
    both = merge([offline, a_front([[util, awrt, first, second - 1, nan]])])
    rows = {row["policy"]: row for row in compare(WORKLOAD, [], both).rows()}
    assert (rows[BEST]["AWRT1"], rows[BEST]["AWRT2"]) == (first - 1, second - 1)
    assert (rows[ONLINE]["AWRT1"], rows[ONLINE]["AWRT2"]) == (first, second - 1)
    for front in (offline, a_front([EASY.tolist()])):
        assert ONLINE not in {row["policy"] for row in compare(WORKLOAD, [], front).rows()}


def test_the_ideal_point_holds_for_schedules_that_start_late_too():
    apart = Workload(submit=[0, 90], run=[10, 10], estimate=[10, 10], width=[4, 4], capacity=4, name="apart")
    late = made_up(np.array([[100.0, 60.0, 60.0]]), apart.groups, apart.name, apart.digest)
    assert compare(apart, ["fcfs"]).ideal[0] == bounds(apart).prompt_utilisation == 20.0
    assert compare(apart, [], late).ideal[0] == bounds(apart).together[0] == 100.0
    assert "first submission" in compare(apart, []).text()
    assert "whenever it starts" in compare(apart, [], late).text()


def test_improvement_is_positive_for_shorter_times_and_negative_for_more_utilisation():
    assert improvement(np.array([66.0, 90.0]), np.array([60.0, 100.0])).tolist() == [-10.0, 10.0]


def test_easy_comes_first_whether_it_is_asked_for_or_not():
    assert compare(WORKLOAD, []).policies == ("EASY",)
    assert compare(WORKLOAD, ["fcfs", "easy", "fcfs"]).policies == ("EASY", "FCFS")
    assert compare(WORKLOAD, [Policy("easy", name="what we run")]).policies == ("what we run",)


def test_values_are_those_of_the_simulator_and_its_objectives():
    c = compare(WORKLOAD, ["fcfs"])
    assert np.array_equal(c.values[1], objectives(simulate(WORKLOAD, "fcfs")), equal_nan=True)
    # by hand: job 3 responds after 16 s instead of 3 s; (30 x 10 + 3 x 3) / 33 and (30 x 10 + 3 x 16) / 33
    assert c.rows()[0]["AWRT1"] == pytest.approx(309 / 33)
    assert c.rows()[1]["AWRT1"] == pytest.approx(348 / 33)
    assert c.rows()[1]["AWRT1_vs_easy"] == pytest.approx(100 * (309 - 348) / 309)


def test_a_group_without_jobs_is_none_and_never_zero():
    row = compare(WORKLOAD, ["fcfs"], a_front([EASY.tolist()])).rows()
    assert [r["AWRT3"] for r in row] == [None] * 4
    assert [r["AWRT3_vs_easy"] for r in row] == [None] * 4
    assert '"AWRT3": null' in to_json(row)


def test_awrt_and_groups_without_jobs_decide_nothing():
    util, awrt, first, second, nan = EASY
    better = [util, awrt * 9, first - 1, second, nan]  # a worse AWRT beside better groups cannot be, and must not count
    equal = [util, awrt / 9, first, second, nan]
    worse = [util - 1, awrt, first, second + 1, nan]
    mixed = [util + 1, awrt, first + 1, second, nan]
    c = compare(WORKLOAD, [], a_front([better, equal, worse, mixed, better]))
    assert c.dominated_by is not None
    assert c.dominates is not None
    assert (c.dominated_by.tolist(), c.dominates.tolist()) == ([2], [1])


def test_the_best_of_the_front_comes_after_the_policies():
    awrt, nan = EASY[1], EASY[4]
    rows = compare(WORKLOAD, ["fcfs"], a_front([[50, 9, 8, 7, nan], [60, 10, 6, 9, nan]])).rows()
    assert [r["policy"] for r in rows] == ["EASY", "FCFS", BEST, IDEAL]
    assert [rows[-2][name] for name in ("UTIL", "AWRT", "AWRT1", "AWRT2")] == [60, 9, 6, 7]
    assert rows[-2]["AWRT_vs_easy"] == pytest.approx(100 * (awrt - 9) / awrt)
    assert rows[-2]["dominated_by"] is None


def test_no_policy_beats_the_ideal_point():
    c = compare(WORKLOAD, ["fcfs", "list", "conservative"])
    sign = np.array([1.0] + [-1.0] * (len(c.ideal) - 1))
    assert (np.nan_to_num(sign * (c.ideal - c.values)) >= 0).all()
    assert c.rows()[-1]["policy"] == IDEAL
    assert c.rows()[-1]["AWRT"] == c.ideal[1]
    assert np.isnan(c.ideal[4])


def test_without_a_front_nothing_is_said_about_one():
    rows = compare(WORKLOAD, ["fcfs"]).rows()
    assert [(r["dominated_by"], r["dominates"]) for r in rows] == [(None, None)] * 3
    assert "dominated" not in compare(WORKLOAD, ["fcfs"]).text()


def test_an_empty_front_dominates_nothing():
    c = compare(WORKLOAD, [], a_front([]))
    assert [r["dominated_by"] for r in c.rows()] == [0, None, None]
    assert c.rows()[1]["UTIL"] is None


def test_policies_of_one_name_are_told_apart():
    genes = np.full((3, 8), 0.5)
    same = [greedy(["f2"] * 3, genes * k, groups=WORKLOAD.groups, name="mine") for k in (1, 0.5)]
    assert compare(WORKLOAD, same).policies == ("EASY", "mine", "mine (2)")


def test_a_front_of_another_workload_is_refused():
    other = WORKLOAD.with_(capacity=5, name="four\nprocessors")
    with pytest.raises(InputError, match="front must be of the same workload"):
        compare(WORKLOAD, [], a_front([], other))


def test_the_text_has_the_improvements_below_each_policy_and_states_the_convention():
    text = compare(WORKLOAD, ["fcfs"], a_front([EASY.tolist()])).text()
    lines = text.splitlines()
    assert " ".join(lines[0].split()) == "policy UTIL % AWRT h AWRT1 h AWRT2 h AWRT3 h dominated by dominates"
    assert lines[4].startswith("  vs EASY")
    assert "-12.6 %" in lines[4]
    assert lines[-1].startswith("ideal point: ")
    assert lines[-2].endswith("positive is better for response times and worse for UTIL")


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), max_size=12))
def test_counts_equal_a_naive_count(points):
    own = EASY.copy()
    values = [[own[0] + p[0] - 1, 0.0, own[2] + p[1] - 1, own[3] + p[2] - 1, np.nan] for p in points]
    c = compare(WORKLOAD, [], a_front(values))

    def beats(a, b):
        at_least = a[0] >= b[0] and a[2] <= b[2] and a[3] <= b[3]
        return at_least and (a[0], a[2], a[3]) != (b[0], b[2], b[3])

    assert c.dominated_by is not None
    assert c.dominates is not None
    assert c.dominated_by[0] == sum(beats(v, own) for v in values)
    assert c.dominates[0] == sum(beats(own, v) for v in values)
