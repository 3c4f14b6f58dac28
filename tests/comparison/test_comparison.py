import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.comparison.comparison import (
    BEST,
    IDEAL,
    NEAREST,
    NEAREST_ONLINE,
    ONLINE,
    compare,
    trained_for,
)
from paretosched.comparison.comparison_tables import OF_EACH
from paretosched.comparison.partition_use import use_by_partition
from paretosched.comparison.several_logs import joint_gains
from paretosched.core.errors import InputError
from paretosched.core.tables import to_json
from paretosched.encodings.encoding import Explored
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.front import Front, Origin, front_of
from paretosched.fronts.merging import merge
from paretosched.policies.greedy_order import greedy
from paretosched.policies.outcome import Outcome
from paretosched.policies.plain import Plain
from paretosched.policies.rule_base import RuleBase
from paretosched.report.comparison_report import report
from paretosched.simulation.lower_bounds import bounds
from paretosched.simulation.objective import improvement, objectives
from paretosched.simulation.schedule import Schedule
from paretosched.simulation.simulator import simulate
from paretosched.wishes.best_possible import best_possible, distance_text
from paretosched.wishes.nearness import fitness
from paretosched.wishes.wish import Limit, Wish
from paretosched.wishes.wish_files import to_json as to_plain
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.workload import Workload
from support.fronts import made_up
from support.machine_zoo import MACHINE_ZOO, TWO_PARTITIONS
from support.placing import by_oracle, ideal_schedule
from support.zoo import THREE_JOBS, jobs, random_jobs

WORKLOAD = THREE_JOBS
EASY = objectives(simulate(WORKLOAD, "easy")).array


EASY_WEIGHTING = Weighting()


def a_front(values: list[list[float]], workload: Workload = WORKLOAD, encoding: Explored = EASY_WEIGHTING) -> Front:
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
    assert compare(WORKLOAD, [Plain("easy", name="what we run")]).policies == ("what we run",)


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
    better_and_worse = [util + 1, awrt, first + 1, second, nan]
    c = compare(WORKLOAD, [], a_front([better, equal, worse, better_and_worse, better]))
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


def test_every_rule_base_is_compared():
    g = greedy(["f2"] * 3, [[1, 1, 1, 0, 0, 0, 1, 0]] * 3, groups=WORKLOAD.groups)
    bases = [RuleBase("iterative", WORKLOAD.groups, WORKLOAD.groups, g, ((),) * 5, [s]) for s in (6, 7)]
    rows = compare(WORKLOAD, [replace(base, name=f"rules {i}") for i, base in enumerate(bases)]).rows()
    assert [row["policy"] for row in rows[:3]] == ["EASY", "rules 0", "rules 1"]
    assert rows[2]["AWRT"] == rows[0]["AWRT"] < rows[1]["AWRT"]


def test_policies_of_one_name_are_told_apart():
    genes = np.full((3, 8), 0.5)
    same = [greedy(["f2"] * 3, genes * k, groups=WORKLOAD.groups, name="mine") for k in (1, 0.5)]
    assert compare(WORKLOAD, same).policies == ("EASY", "mine", "mine (2)")


def test_a_policy_named_like_a_row_takes_no_place_of_its():
    genes = np.full((3, 8), 0.5)
    names = ("EASY", IDEAL, BEST, NEAREST)
    policies = [greedy(["f2"] * 3, genes, groups=WORKLOAD.groups, name=name) for name in names]
    c = compare(WORKLOAD, policies, a_front([EASY.tolist()]), FIRST)
    assert c.policies == ("EASY", *(f"{name} (2)" for name in names))
    assert len(c.marks) == 6
    assert c.marks[IDEAL] is c.ideal
    assert joint_gains([c]).keys() == {*c.policies[1:], NEAREST}


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
    assert lines[-3].endswith("positive is better for response times and worse for UTIL")


def test_a_wish_for_any_measure_is_compared_and_of_jain_it_is_said_that_more_is_better() -> None:
    w = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 3, 3, 1)).with_(user=[1, 2, 2])
    wish = "mean wait, largest group wait <= 9, jain wait >= 0.1, price(250 W, 0h 0.2, 7h 0.3) <= 9"
    c = compare(w, ["fcfs"], wish=wish)
    assert "worse for UTIL and jain wait" in c.text()
    assert c.rows()[-1]["largest group wait"] == 1


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


# --- what the owner wants -----------------------------------------------------------------------------------------

# By hand (see above): AWRT1 is 309/33 under EASY and 348/33 under FCFS, AWRT2 14 s, both of them.
FIRST = Wish(weights=[("AWRT1", 33)])  # 309 and 348


def at(first: float, second: float) -> list[float]:
    """Values that differ from EASY's in the two groups."""
    return [EASY[0], EASY[1], first, second, np.nan]


def wishes_of(rows: list[dict], *keys: str) -> dict[str, list]:
    return {row["policy"]: [row[key] for key in keys] for row in rows}


def test_without_a_wish_nothing_is_said_about_one():
    c = compare(WORKLOAD, ["fcfs"], a_front([EASY.tolist()]))
    assert all("objective" not in row and "wish" not in row for row in c.rows())
    assert "objective" not in c.text()


def test_the_objective_by_hand():
    front = a_front([at(199 / 33, 90), at(300 / 33, 1)])
    rows = compare(WORKLOAD, ["fcfs"], front, FIRST).rows()
    cells = wishes_of(rows, "objective", "objective_vs_easy", "share_of_way", "exceeded")
    assert cells["EASY"] == pytest.approx([309, 0, 0, 0])
    assert cells["FCFS"] == pytest.approx([348, 100 * (309 - 348) / 309, 100 * (309 - 348) / (309 - 199), 0])
    assert cells[NEAREST] == pytest.approx([199, 100 * 110 / 309, 100, 0])
    assert cells[BEST] == [None] * 4  # it is no schedule
    assert cells[IDEAL][0] == pytest.approx(33 * bounds(WORKLOAD).together[2])
    assert cells[IDEAL][3] is None  # a bound is no schedule, and exceeds no limit
    assert {row["wish"] for row in rows} == {"33*AWRT1"}


def test_what_the_nearest_schedule_costs_others_is_said_beside_the_way():
    dear = compare(WORKLOAD, ["fcfs"], a_front([at(199 / 33, 90), at(300 / 33, 1)]), FIRST).text()
    assert f"that schedule makes AWRT2 {90 / 14:.1f} times as long as EASY does, which a limit" in dear
    limited = Wish(weights=[("AWRT1", 33)], limits=[Limit("AWRT2", high=100)])
    text = compare(WORKLOAD, ["fcfs"], a_front([at(199 / 33, 90)]), limited).text()
    assert f"makes AWRT2 {90 / 14:.1f} times as long as EASY does\n" in text
    cheap = compare(WORKLOAD, ["fcfs"], a_front([at(199 / 33, 14)]), FIRST).text()
    assert "of the way: from EASY" in cheap
    assert "EASY does" not in cheap


def test_the_nearest_schedule_of_the_front_is_one_within_the_limits_if_there_is_any():
    front = a_front([at(6, 90), at(8, 14), at(7, 15.4)])
    wish = Wish(weights=[("AWRT1", 1)], limits=[Limit("AWRT2", high=14)])
    c = compare(WORKLOAD, ["fcfs"], front, wish)
    assert c.nearest is not None
    assert c.nearest.tolist()[2:4] == [8, 14]
    cells = wishes_of(c.rows(), "objective", "exceeded", "share_of_way")
    assert cells[NEAREST] == pytest.approx([8, 0, 100])
    assert cells["FCFS"] == pytest.approx([348 / 33, 0, 100 * (309 - 348) / (309 - 8 * 33)])
    # no schedule is within 10 s: the least violation is the nearest, and no share of any way has a meaning
    strict = compare(WORKLOAD, [], front, Wish(weights=[("AWRT1", 1)], limits=[Limit("AWRT2", high=10)]))
    assert wishes_of(strict.rows(), "objective", "exceeded", "share_of_way") == {
        "EASY": [pytest.approx(309 / 33), pytest.approx(0.4), None],
        BEST: [None, None, None],
        NEAREST: [8, pytest.approx(0.4), None],
        IDEAL: [pytest.approx(bounds(WORKLOAD).together[2]), None, None],
    }


def test_a_policy_that_exceeds_a_limit_has_no_share_of_the_way_but_others_have():
    wish = Wish(weights=[("AWRT2", 1)], limits=[Limit("AWRT1", high=10)])  # FCFS has 10.5
    rows = compare(WORKLOAD, ["fcfs"], a_front([at(309 / 33, 10)]), wish).rows()
    cells = wishes_of(rows, "share_of_way", "exceeded")
    assert cells["EASY"] == [0, 0]
    assert cells["FCFS"] == [None, pytest.approx((348 / 33 - 10) / 10)]
    assert cells[NEAREST] == [100, 0]


def test_there_is_no_way_to_a_front_that_is_no_better_than_easy():
    for worse in (0, 1):
        front = a_front([at(EASY[2] + worse, 13)])
        cells = wishes_of(compare(WORKLOAD, ["fcfs"], front, FIRST).rows(), "share_of_way")
        assert all(share == [None] for share in cells.values())
    alone = wishes_of(compare(WORKLOAD, ["fcfs"], None, FIRST).rows(), "objective", "share_of_way")
    assert alone["FCFS"] == [pytest.approx(348), None]


def test_a_point_has_a_share_of_the_way_but_no_per_cent_of_a_shortfall():
    front = a_front([at(300 / 33, 14)])
    rows = compare(WORKLOAD, ["fcfs"], front, Wish(near=[("AWRT1", 100 / 33)])).rows()
    cells = wishes_of(rows, "objective", "objective_vs_easy", "share_of_way")
    scale = 1.0001  # the augmentation
    assert cells["EASY"] == [pytest.approx(2.09 * scale), None, 0]
    assert cells["FCFS"] == [pytest.approx(2.48 * scale), None, pytest.approx(100 * (309 - 348) / 9)]
    assert cells[NEAREST] == [pytest.approx(2.0 * scale), None, pytest.approx(100)]


def test_a_region_has_limits_and_no_value():
    c = compare(WORKLOAD, ["fcfs"], a_front([EASY.tolist()]), Wish(limits=[Limit("AWRT1", high=10)]))
    cells = wishes_of(c.rows(), "objective", "objective_vs_easy", "share_of_way", "exceeded")
    assert cells["EASY"] == [None, None, None, 0]
    assert cells["FCFS"][3] == pytest.approx((348 / 33 - 10) / 10)
    table = c.text().split("\n\n")[1].splitlines()
    assert table[0] == "objective: AWRT1 <= 10s"
    assert table[1].split() == ["policy", "limits", "exceeded", "by", "%"]


def test_a_wish_for_a_group_without_jobs_is_undefined_and_one_for_no_group_is_refused():
    c = compare(WORKLOAD, ["fcfs"], a_front([EASY.tolist()]), Wish(weights=[("AWRT3", 1)]))
    keys = ("objective", "objective_vs_easy", "share_of_way", "exceeded")
    assert all(row[key] is None for row in c.rows() for key in keys)
    assert c.nearest is None
    assert joint_gains([c]) == {}
    with pytest.raises(InputError, match="AWRT4, but three jobs has only UTIL, AWRT, AWRT1, AWRT2, AWRT3"):
        compare(WORKLOAD, [], None, Wish(weights=[("AWRT4", 1)]))


def test_a_group_of_the_wish_without_jobs_is_left_out():
    front = a_front([EASY.tolist(), at(200 / 33, 90)])
    asked = Wish(
        weights=[("AWRT1", 10), ("AWRT2", 1), ("AWRT3", 4)],
        limits=[Limit("AWRT3", high=9), Limit("AWRT3", high=1, of="easy"), Limit("others", high=2, of="easy")],
    )
    of_others = Wish(weights=asked.weights[:2], limits=asked.limits[2:])
    c, expected = (compare(WORKLOAD, ["fcfs"], front, wish, rolling=2) for wish in (asked, of_others))
    assert to_json([row | {"wish": ""} for row in c.rows()]) == to_json([row | {"wish": ""} for row in expected.rows()])
    assert c.rows()[1]["wish"] == "10*AWRT1 + AWRT2 + 4*AWRT3, AWRT3 <= 9s, AWRT3 <= EASY, others <= 2*EASY"
    words = "no job of group guests: left out of the objective and its limits"
    assert (c.left_out, expected.left_out) == (words, "")
    assert words in c.text().splitlines()
    assert f"{words[0].upper()}{words[1:]}." in report(front, c)
    assert compare(WORKLOAD, [], None, Wish(weights=[("AWRT3", 1)])).left_out == ""  # nothing is left
    assert compare(WORKLOAD, []).left_out == ""


def test_a_sum_that_is_not_positive_for_easy_has_no_gain_in_per_cent():
    row = compare(WORKLOAD, ["fcfs"], None, Wish(weights=[("AWRT1", 1), ("UTIL", -1)])).rows()[1]
    assert row["objective"] < 0
    assert row["objective_vs_easy"] is None


def test_the_best_online_schedule_has_a_share_of_the_way_of_its_own():
    offline = a_front([at(200 / 33, 90)], encoding=Weighting(decoding="earliest"))
    both = merge([offline, a_front([at(254.5 / 33, 14)])])
    cells = wishes_of(compare(WORKLOAD, [], both, FIRST).rows(), "objective", "share_of_way")
    assert cells[NEAREST_ONLINE] == pytest.approx([254.5, 50])
    assert cells[NEAREST] == pytest.approx([200, 100])


def test_a_schedule_that_idles_first_is_said_to_gain_utilisation_by_it():
    idle = WORKLOAD.with_(wait=np.array([50, 49, 60]))  # the first job starts after 50 s, recorded
    c = compare(idle, ["recorded"])
    row = c.rows()[1]
    assert row["UTIL_from_submission"] < row["UTIL"]
    assert f"from the first submission: {row['policy']} {row['UTIL_from_submission']:.2f} %" in c.text()
    assert c.rows()[0]["UTIL_from_submission"] == c.rows()[0]["UTIL"]  # EASY
    assert "and rewards idling" in report(None, c)
    assert "and rewards idling" not in compare(WORKLOAD, ["fcfs"]).text()


def test_policies_are_compared_with_a_front_by_the_utilisation_of_the_front():
    idle = WORKLOAD.with_(wait=np.array([50, 60, 50]))  # all jobs run after 50 s, and fit
    recorded = simulate(idle, "recorded")
    for kind in ("start", "submission"):
        values = np.asarray(objectives(recorded, util_from=kind))[None]  # the front has what happened, to the bit
        run = Origin("r", "nsga2", 1, 4, EASY_WEIGHTING, (("util_from", kind),) if kind == "submission" else ())
        front = front_of(values, np.zeros((1, 27)), run, idle.groups, "three jobs", idle.digest)
        c = compare(idle, ["recorded"], front, "UTIL >= recorded")
        rows = {row["policy"]: row for row in c.rows()}
        own, best = rows[c.policies[1]], rows["best of each"]
        assert own["UTIL"] == objectives(recorded)["UTIL"]  # always that of the papers
        assert (own["dominated_by"], own["dominates"]) == (0, 0)
        assert best["UTIL"] == front.values[0, 0]
        assert best["UTIL_from_submission"] == (None if kind == "start" else front.values[0, 0])
        assert c.marks[c.policies[1]][:4].tolist() == values[0, :4].tolist()  # the last group has no jobs
        assert own["exceeded"] == rows[NEAREST]["exceeded"] == 0
        assert ("of the front is from the first submission" in c.text()) == (kind == "submission")


def test_the_best_of_each_objective_and_the_nearest_schedule_have_two_names():
    front = a_front([at(6, 16), at(8, 12)])
    c = compare(WORKLOAD, ["fcfs"], front, FIRST)
    rows = {row["policy"]: row for row in c.rows()}
    assert [rows[BEST][name] for name in ("AWRT1", "AWRT2")] == [6, 12]  # of two schedules
    assert [rows[NEAREST][name] for name in ("AWRT1", "AWRT2")] == [6, 16]  # of one
    text = c.text()
    assert OF_EACH in text
    assert BEST not in text.partition("objective: ")[2].partition("\n\n")[0]
    page = report(front, c)
    assert page.count("none has all") == 1
    assert BEST not in page.partition("What the owner wants")[2].partition("</section>")[0]
    assert OF_EACH not in compare(WORKLOAD, ["fcfs"]).text()


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(1, 50), st.floats(1, 50)), max_size=8), st.floats(1, 50), st.booleans())
def test_the_best_of_the_wish_is_the_best_of_all_rows(points, limit, near):
    front = a_front([at(a, b) for a, b in points])
    goal = {"near": [("AWRT1", 9.0)]} if near else {"weights": [("AWRT1", 2.0), ("AWRT2", 1.0)]}
    wish = Wish(limits=[Limit("AWRT2", high=limit)], **goal)
    c = compare(WORKLOAD, ["fcfs"], front, wish)
    assert (c.nearest is None) == (not points)
    if c.nearest is None:
        return
    assert fitness(wish, [c.nearest])[0] == fitness(wish, front.values).min()
    for row in c.rows():
        share = row["share_of_way"]
        if share is not None:  # then the order by shares is that by fitness
            own = fitness(wish, [[row[o.name] for o in c.objectives[:4]] + [np.nan]])[0]
            if row["policy"] in ("EASY", "FCFS"):
                assert (share > 0) == (own < fitness(wish, [EASY])[0])


def test_a_wish_is_taken_from_the_policies_that_were_trained_for_it():
    words = Wish(weights=[("AWRT1", 10)])
    other = Wish(weights=[("AWRT2", 4)])
    policies = [
        Plain("easy", name="none"),
        Plain("fcfs", name="first", provenance={"wish": to_plain(words)}),
        Plain("list", name="second", provenance={"wish": to_plain(other)}),
        Plain("list", name="third", provenance={"wish": to_plain(words)}),
        Plain("list", name="free", provenance={"wish": "the best"}),
        Plain("list", name="beyond", provenance={"wish": to_plain(Wish(weights=[("AWRT9", 1)]))}),
    ]
    assert trained_for(policies, [WORKLOAD]) == {words: "first", other: "second"}
    assert trained_for(policies[:1], [WORKLOAD]) == {}


def test_policies_of_one_name_are_told_apart_by_what_they_were_trained_for():
    genes = np.full((3, 8), 0.5)
    words = [Wish(weights=[("AWRT1", 10)]), Wish(weights=[("AWRT2", 4)])]
    policies = [
        greedy(["f2"] * 3, genes, groups=WORKLOAD.groups, provenance={"wish": to_plain(wish)}) for wish in words
    ]
    assert tuple(trained_for(policies, [WORKLOAD]).values()) == compare(WORKLOAD, policies).policies[1:]
    assert len(set(trained_for(policies, [WORKLOAD]).values())) == 2


def test_the_text_says_which_group_an_objective_is_of():
    with_names, with_numbers = (WORKLOAD.with_(groups=groups) for groups in (("staff", "guests", "3"), ("1", "2", "3")))
    assert (
        "AWRT1 is group staff, AWRT2 is group guests, AWRT3 is group 3" in compare(with_names, []).text().splitlines()
    )
    assert "is group" not in compare(with_numbers, []).text()


# --- what administrators ask --------------------------------------------------------------------------------------


def test_waits_and_use_are_listed_with_their_units():
    c = compare(WORKLOAD, ["fcfs"])
    easy, fcfs, ideal = c.rows()
    # job 2 waits from 1 to 10, and under FCFS job 3 behind it from 2 to 15
    assert [w["group"] for w in fcfs["waits"]] == [None, "staff", "students", "guests"]
    assert fcfs["waits"][0] == {
        "group": None, "jobs": 3, "wait_mean_s": pytest.approx(22 / 3), "wait_median_s": 9, "wait_p95_s": 13,
        "wait_worst_s": 13, "bounded_slowdown_10s_mean": pytest.approx((1 + 1.4 + 1.6) / 3),
        "bounded_slowdown_10s_median": 1.4,
    }  # fmt: skip
    assert easy["waits"][1]["wait_worst_s"] == 0
    assert fcfs["waits"][3] == {"group": "guests", "jobs": 0} | dict.fromkeys(list(fcfs["waits"][0])[2:])
    # under both, three of four processors are busy for a start; FCFS ends after 18 s, EASY after 15
    assert easy["utilisation_over_time"] == {
        "from_s": 0, "bin_s": 1, "until_s": 18,
        "percent": [75, 75, 100, 100, 100] + [75] * 5 + [100] * 5 + [0] * 3,
    }  # fmt: skip
    assert fcfs["utilisation_over_time"]["percent"] == [75] * 10 + [100] * 5 + [25] * 3
    assert (ideal["waits"], ideal["utilisation_over_time"]) == (None, None)


def test_use_over_time_is_all_the_work():
    c = compare(WORKLOAD, ["fcfs", "list", "conservative"])
    assert c.used is not None
    assert c.used.sum(axis=1).tolist() == [WORKLOAD.work] * 4


def test_the_text_has_the_objective_and_the_waits_below_the_policies():
    front = a_front([EASY - [0, 0, 1, 0, 0]])
    parts = compare(WORKLOAD, ["fcfs"], front, FIRST).text().split("\n\n")
    assert [part.split("\n")[0].split()[0] for part in parts] == ["policy", "objective:", "FCFS:", "wait", "of"]
    objective = [line.split() for line in parts[1].splitlines()]
    assert objective[1] == ["policy", "objective", "vs", "EASY", "of", "the", "way", "%", "of", "the", "possible", "%"]
    assert [line[:-1] for line in objective[3:6]] == [
        ["EASY", "309.0", "0.0", "%", "0.0"],
        ["FCFS", "348.0", "-12.6", "%", "-118.2"],
        ["nearest", "to", "the", "objective", "276.0", "+10.7", "%", "100.0"],
    ]
    lines = [line.split() for line in parts[3].splitlines()]
    assert " ".join(lines[0]) == "wait of policy jobs mean h median h 95 % h worst h slowdown (10 s) mean median"
    assert lines[2][:4] == ["all", "jobs", "EASY", "3"]
    assert lines[4][:4] == ["nearest", "to", "the", "objective"]
    assert lines[5] == ["group", "staff", "EASY", "2", "0.00", "0.00", "0.00", "0.00", "1.00", "1.00"]
    assert lines[-2] == ["FCFS", "0", "-", "-", "-", "-", "-", "-"]


def test_time_sharing_has_its_place_among_the_others() -> None:
    w = lublin(jobs=300, processors=32, seed=3)
    comparison = compare(w, ["fcfs", "scojo", "scojo-opt", "scojo"])
    assert comparison.policies == ("EASY", "FCFS", "SCOJO-PECT", "SCOJO-PECT optimised", "SCOJO-PECT (2)")
    np.testing.assert_array_equal(comparison.values[2], comparison.values[4])
    np.testing.assert_array_equal(comparison.values[2], objectives(simulate(w, "scojo")))
    rows = comparison.rows()
    optimised_row = rows[3]
    assert optimised_row["searched"] == simulate(w, "scojo-opt").searched._asdict()
    assert rows[1]["searched"] is rows[2]["searched"] is None
    assert [row["jobs"] for row in optimised_row["classes"] if row["kind"] == row["size"] == "all"] == [300]
    assert rows[-1]["classes"] is None
    text = comparison.text()
    assert "slowdown (600 s)" in text
    assert "wait: until the first start, of every job alike" in text
    assert "nodes of search trees visited" in text
    assert "slowdown (600 s)" not in compare(w, ["fcfs"]).text()


def test_a_sentence_says_how_far_the_nearest_policy_is_from_what_none_can_beat():
    # EASY delays no job of staff; students wait for 9 s, and nothing but staff can be in their way
    wish = Wish(weights=[("AWRT1", 2), ("AWRT2", 1)])
    best = best_possible(wish, WORKLOAD)
    easy, fcfs = 2 * 309 / 33 + 14, 2 * 348 / 33 + 14
    front = a_front([(EASY - [0, 0, 0, 1, 0]).tolist()])
    c = compare(WORKLOAD, ["fcfs"], front, wish)
    sentence = distance_text(best, wish, easy, fcfs, easy - 1)
    assert sentence.startswith("-7.2 of at most ")
    assert sentence.endswith(f" % (proved); best known schedule {100 / easy:.1f} %")
    assert c.distance == f"FCFS: {sentence}"
    assert f"\n\n{c.distance}\n\n" in c.text()
    of_easy, of_fcfs, _, of_best, of_ideal = c.rows()
    assert of_fcfs["distance"] == sentence
    assert of_easy["distance"] == distance_text(best, wish, easy, easy, easy - 1)
    assert {row["objective_at_least"] for row in (of_easy, of_fcfs, of_best)} == {best.goal}
    longer = compare(WORKLOAD, ["fcfs"], a_front([(EASY - [0, 0, 0, -9, 0]).tolist()]), wish)
    assert longer.distance == f"FCFS: {distance_text(best, wish, easy, fcfs, easy)}"  # EASY is the best that is known
    assert of_fcfs["at_most_vs_easy"] == pytest.approx(100 * (easy - best.goal) / easy)
    assert of_ideal["distance"] is None
    assert of_fcfs["share_of_possible"] == pytest.approx(100 * (easy - fcfs) / (easy - best.goal))
    assert (of_easy["share_of_possible"], of_ideal["share_of_possible"]) == (0, None)
    assert of_best["share_of_possible"] < 100 == of_best["share_of_way"]
    assert compare(WORKLOAD, [], None, wish).distance.startswith("EASY: 0.0 of at most ")
    assert compare(WORKLOAD, ["fcfs"]).distance == ""


def test_outside_the_limits_the_sentence_counts_no_gain():
    wish = Wish(weights=[("AWRT2", 1)], limits=[Limit("AWRT1", high=1.0, of="easy")])
    words = compare(WORKLOAD, ["fcfs"], None, wish).distance
    assert words.startswith("FCFS: at most ")
    assert words.endswith(" % is possible within your limits (proved)")
    never = Wish(weights=[("AWRT2", 1)], limits=[Limit("AWRT1", high=9.0)])
    c = compare(WORKLOAD, ["fcfs"], None, never)
    assert c.distance == "no schedule can keep AWRT1 <= 9 s (proved)"
    assert c.rows()[1]["impossible"] == ["AWRT1 <= 9 s"]


def test_a_recorded_schedule_that_could_not_run_is_not_measured_by_what_can():
    recorded = WORKLOAD.with_(wait=np.array([0, 0, 0]))
    wish = Wish(weights=[("AWRT1", 1), ("AWRT2", 1)])
    c = compare(recorded, ["recorded", "fcfs"], None, wish)
    assert c.policies[1].endswith("(overbooked)")
    assert c.distance.startswith("FCFS: ")
    assert c.rows()[1]["distance"].startswith("at most ")
    assert c.rows()[1]["objective"] < c.rows()[1]["objective_at_least"]


def test_a_recorded_schedule_that_could_not_run_has_no_share_of_the_way():
    recorded = WORKLOAD.with_(wait=np.array([0, 0, 0]))
    wish = Wish(weights=[("AWRT1", 1), ("AWRT2", 1)])
    easy = objectives(simulate(recorded, "easy"))
    front = a_front([[easy[0], easy[1], easy[2] - 1, easy[3], np.nan]], recorded)
    c = compare(recorded, ["recorded"], front, wish)
    assert c.rows()[1]["policy"] == "recorded (overbooked)"
    assert (c.rows()[1]["objective_vs_easy"] > 0, c.rows()[1]["share_of_way"]) == (True, None)
    assert c.rows()[0]["share_of_way"] == 0
    lines = c.text().splitlines() + re.findall(r"<tr.*?</tr>", report(front, c))
    assert len([line for line in lines if "overbooked" in line]) > 3
    assert not any("overbooked" in line and "900.0" in line for line in lines)


def test_policies_have_the_names_that_they_are_given():
    c = compare(WORKLOAD, {"mine": Plain("list"), "in turn": "fcfs"})
    assert c.policies == ("EASY", "mine", "in turn")
    assert np.array_equal(c.values[2], objectives(simulate(WORKLOAD, "fcfs")), equal_nan=True)
    with pytest.raises(InputError, match="name of a policy must be a value of the type str, but is 1"):
        compare(WORKLOAD, {1: "fcfs"})


def test_on_nodes_the_use_of_memory_and_gpus_is_told_beside_the_objectives(monkeypatch: pytest.MonkeyPatch) -> None:
    w = MACHINE_ZOO["types of GPUs"].with_(wait=[0, 0, 0, 0, 58, 0, 116])
    by_rule = {"fcfs": ideal_schedule(w, 0), "easy": ideal_schedule(w)}
    by_rule["recorded"] = Schedule(w, w.eligible + w.wait)  # nobody knows where they ran

    def outcome(policy: Plain, workload: Workload) -> Outcome:
        schedule = by_rule[policy.rule]
        return Outcome(schedule.start, placement=schedule.placement)

    monkeypatch.setattr(Plain, "outcome", outcome)
    comparison = compare(w, ["fcfs", "recorded"])
    assert comparison.policies == ("EASY", "FCFS", "recorded")
    for row, rule in zip(comparison.rows(), ("easy", "fcfs", "recorded"), strict=False):
        told = by_rule[rule].objectives
        assert (row["UTIL_memory"], row["UTIL_gpus"]) == (told["UTIL_memory"], told["UTIL_gpus"])
        over_time = row["utilisation_over_time"]
        for what in ("memory", "gpus"):  # every second of the bins is as long as any other
            percent = over_time[f"percent_{what}"]
            span = by_rule[rule].finish.max() - by_rule[rule].start.min()
            seconds = sum(percent) * over_time["bin_s"]
            assert seconds == pytest.approx(told[f"UTIL_{what}"] * span, rel=1e-9)
    assert set(comparison.resources) == {"memory", "GPUs"}
    assert comparison.values.shape == (3, 3)
    assert comparison.frame()["UTIL_gpus"].notna().tolist() == [True] * 3 + [False]
    assert "policy    UTIL_memory %  UTIL_gpus %\n" in comparison.text()


def test_on_nodes_the_use_of_partitions_is_told_over_time_and_in_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    by_oracle(monkeypatch)
    w = TWO_PARTITIONS
    comparison = compare(w, ["fcfs"])
    schedules = [ideal_schedule(w), ideal_schedule(w, 0)]
    for row, one in zip(comparison.rows(), schedules, strict=False):
        over_time = row["utilisation_over_time"]["partitions"]
        told = use_by_partition([one], comparison.edges)
        assert {name: set(uses) for name, uses in over_time.items()} == {
            "main": {"percent", "percent_memory"}, "gpu": {"percent", "percent_memory", "percent_gpus"},
        }  # fmt: skip
        assert over_time["gpu"]["percent_gpus"] == told["gpu"]["GPUs"][0].tolist()
        assert over_time["main"]["percent"] == told["main"]["CPUs"][0].tolist()
    mean = use_by_partition(schedules, np.array([0, 70]))  # from the first submission to the last one
    assert comparison.partition_means["gpu"]["CPUs"][:, 0].tolist() == mean["gpu"]["CPUs"][:, 0].tolist()
    line = next(line for line in comparison.text().splitlines() if line.startswith("gpu "))
    assert line.split()[-1] == f"{mean['gpu']['GPUs'][0, 0]:.1f}"
    assert comparison.machine["nodes"] == 4


def test_gains_are_over_what_runs_today_too() -> None:
    w = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 3, 3, 1)).with_(wait=[0, 12, 20])
    c = compare(w, ["fcfs"], today="recorded")
    assert c.policies == ("EASY", "recorded", "FCFS")
    easy, recorded, fcfs, *_ = c.rows()
    for row in (easy, recorded, fcfs):
        assert row["AWRT_vs_today"] == pytest.approx(100 * (recorded["AWRT"] - row["AWRT"]) / recorded["AWRT"])
    heads = [line.split("  ")[:2][-1] for line in c.text().split("\n\n")[0].splitlines()[2:]]
    assert [head for head in heads if head.startswith("vs")] == [
        "vs recorded",
        "vs EASY",
        *2 * ["vs recorded", "vs EASY"],
    ]
    cells = re.findall(r"([+-][\d.]+) % vs (recorded|EASY)<", report(None, c))
    gains = [
        (row[f"{name}_vs_{over}"], over) for row, over in ((easy, "today"), (recorded, "easy")) for name in ("AWRT",)
    ]
    assert {(f"{gain:+.1f}", {"easy": "EASY", "today": "recorded"}[over]) for gain, over in gains} <= set(cells)
    assert "vs recorded: as vs EASY, but over what runs the machine" in c.text()
    limited = compare(w, ["fcfs"], wish="mean wait <= 1.1*today", today="fcfs").wish_here
    assert limited is not None  # today is what is named for it, not what is recorded
    assert limited.limits[0].high == pytest.approx(1.1 * simulate(w, "fcfs").wait.mean())
    assert compare(w, ["fcfs"], today="easy").today == 0
    assert "AWRT_vs_today" not in compare(w, ["fcfs"]).rows()[1]


def test_a_report_has_what_a_wish_measures() -> None:
    text = report(None, compare(THREE_JOBS, ["fcfs"], wish="mean wait of staff, p95 slowdown <= 2*EASY"))
    assert "mean wait of staff" in text


def test_waits_are_shown_in_several_groupings_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    w = random_jobs(8, 40, 8, gap=10, run=60)
    views = ("narrow: width <= 2; rest", "long: limit > 50; rest")
    c = compare(w, ["fcfs"], views=views)
    plain, row = compare(w, ["fcfs"]).rows()[1], c.rows()[1]
    assert row["waits"][: len(plain["waits"])] == plain["waits"]  # the groups of the objectives stay the first
    schedule = simulate(w, "fcfs")
    names = [("narrow", w.width <= 2), ("rest", w.width > 2), ("long", w.estimate > 50), ("rest (3)", w.estimate <= 50)]
    others = row["waits"][len(plain["waits"]) :]
    assert [cells["group"] for cells in others] == [name for name, _ in names]
    assert [cells["groups"] for cells in others] == [views[0], views[0], views[1], views[1]]
    for cells, (_, among) in zip(others, names, strict=True):
        assert cells["jobs"] == among.sum()
        assert cells["wait_mean_s"] == pytest.approx(schedule.wait[among].mean())
        assert cells["wait_worst_s"] == schedule.wait[among].max()
    assert "group rest (3)" in c.text()
    page = report(None, c)
    assert [name in page for name in ("<h3>By narrow: width", "<h3>By long: limit")] == [True, True]
    with pytest.raises(InputError, match="width"):
        compare(w, ["fcfs"], views=["narrow: breadth <= 2"])
    by_oracle(monkeypatch)
    assert compare(TWO_PARTITIONS, ["fcfs"], views=["partition"]).text().count("partition gpu") == 1
