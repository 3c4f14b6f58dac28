"""The answer to a wish is checked against a calculation by hand and against the definition."""

import numpy as np
import pytest

import paretosched as ps
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.front import Front, Origin, front_of
from paretosched.wishes.answers import SLACKS, answer
from paretosched.wishes.best_possible import best_possible, distance_text
from paretosched.wishes.relative_limits import resolve
from paretosched.wishes.wish import Limit, Wish, goal, violation
from support.commands import columns

WORKLOAD = ps.lublin(80, 32, 1)
EASY = np.asarray(ps.objectives(ps.simulate(WORKLOAD, "easy")))
WORDS = "10*AWRT1 + 4*AWRT2, others <= EASY, AWRT <= 2*EASY"


def a_front(factors: np.ndarray, workload: ps.Workload = WORKLOAD) -> Front:
    """Return a front of multiples of EASY's values, (p, m)."""
    values = EASY * factors
    genomes = np.ones((len(values), len(Weighting().gene_labels(len(workload.groups)))))
    run = Origin("run", "nsga2", 0, 4, Weighting())
    return front_of(values, genomes, run, workload.groups, workload.name, workload.digest)


def test_the_best_schedule_within_the_limits_and_what_looser_ones_bring() -> None:
    #                          UTIL  AWRT   1    2     3     4    5
    front = a_front(np.array([[1.0, 1.0, 0.9, 1.0, 1.00, 0.95, 1.0],
                              [1.0, 1.0, 0.8, 1.0, 1.015, 1.0, 0.7],
                              [1.0, 1.0, 0.5, 1.1, 1.04, 1.2, 0.6]]))  # fmt: skip
    rows = {round(float(values[2] / EASY[2]), 3): row for row, values in enumerate(front.values)}
    reply = answer(WORDS, front, WORKLOAD)
    assert (reply.row, reply.exceeded, reply.easy_exceeded, reply.online) == (rows[0.9], 0, 0, True)
    assert reply.objective == pytest.approx(9 * EASY[2] + 4 * EASY[3])
    by_slack = {slack.percent: slack for slack in reply.slacks}
    assert [by_slack[percent].row for percent in SLACKS] == [rows[x] for x in (0.9, 0.9, 0.8, 0.8, 0.8, 0.5)]
    assert [by_slack[percent].within for percent in SLACKS] == [1, 1, 2, 2, 2, 3]
    assert [by_slack[percent].worst for percent in (0, 2, 25)] == ["AWRT2", "AWRT3", "AWRT4"]
    assert [by_slack[percent].worst_gain for percent in (0, 2, 25)] == pytest.approx([0, -1.5, -20])
    gain = 100 * (1 - reply.objective / (10 * EASY[2] + 4 * EASY[3]))
    assert by_slack[0].gain == pytest.approx(gain)
    row = reply.rows()[2]
    assert (row["objective"], row["group"], row["high"]) == ("AWRT1", "1", None)
    assert row["vs_easy"] == pytest.approx(10)
    assert reply.rows()[4]["high"] == EASY[4]
    best = best_possible(resolve(ps.as_wish(WORDS, WORKLOAD), {"easy": EASY}), WORKLOAD)
    assert reply.at_best == best
    sentence = distance_text(best, reply.wish, reply.easy_objective, reply.objective)
    about = reply.about()
    assert (about["distance"], about["objective_at_least"]) == (sentence, best.goal)
    assert about["at_most_vs_easy"] == pytest.approx(100 * (1 - best.goal / reply.easy_objective))
    text = reply.text()
    assert f"\n{sentence}\n" in text
    assert [row[4] for row in columns(text, "slack %")] == ["AWRT2", "AWRT2", "AWRT3", "AWRT3", "AWRT3", "AWRT4"]
    assert f"row {rows[0.9]} of 3 is nearest, within the limits" in text
    assert f"\n{gain:.1f} % better than EASY in this goal\n" in text


def test_where_it_is_recorded_what_runs_today_comes_first() -> None:
    recorded = WORKLOAD.with_(wait=ps.simulate(WORKLOAD, "conservative").wait + 60)
    reply = answer("AWRT1, others <= today", a_front(np.full((1, 7), [1.0, 1, 0.9, 1, 1, 1, 1]), recorded), recorded)
    today = ps.simulate(recorded, "recorded").objectives.array
    assert reply.today is not None
    assert (reply.today == today).all()
    row = reply.rows()[2]
    assert (row["today"], row["high"]) == (today[2], None)
    assert row["vs_today"] == pytest.approx(100 * (1 - 0.9 * EASY[2] / today[2]))
    assert reply.about()["vs_today"] == row["vs_today"]
    assert f"\n{row['vs_today']:.1f} % better than recorded and 10.0 % better than EASY in this goal\n" in reply.text()
    unknown = answer("AWRT1", a_front(np.ones((1, 7))), WORKLOAD)
    assert unknown.today is None
    assert "recorded" not in unknown.text()


def test_groups_with_names_are_named_where_looser_limits_cost_them_most() -> None:
    named = WORKLOAD.with_(groups=("vip", "1", "physics", "4", "others' jobs"))
    front = a_front(np.array([[1.0, 1.0, 0.9, 1.0, 1.01, 0.95, 1.0]]), named)
    reply = answer("vip, AWRT3 <= 1.02*EASY", front, named)
    assert {slack.worst for slack in reply.slacks} == {"AWRT3"}
    assert {row[4] for row in columns(reply.text(), "slack %")} == {"AWRT3 (physics)"}


def test_the_answer_is_the_nearest_row_by_definition() -> None:
    factors = np.random.default_rng(7).uniform(0.6, 1.4, (60, EASY.size))
    factors[:, :2] = 1
    front = a_front(factors)
    reply = answer(WORDS, front, WORKLOAD)
    wish = ps.as_wish(WORDS, WORKLOAD)
    for slack in reply.slacks:
        scale = 1 + slack.percent / 100
        limits = [limit._replace(low=0, high=limit.high * scale) for limit in wish.limits]
        here = resolve(Wish(wish.weights, limits=limits), {"easy": EASY})
        inside = violation(here, front.values) == 0
        assert slack.within == inside.sum()
        if slack.row is not None:
            assert slack.objective == goal(here, front.values)[inside].min()


def test_the_goal_decides_between_schedules_that_exceed_the_limits_equally() -> None:
    #                          UTIL  AWRT   1    2    3    4    5
    front = a_front(np.array([[1.0, 1.0, 1.2, 0.8, 1.0, 1.0, 1.0],
                              [1.0, 1.0, 0.8, 1.2, 1.0, 1.0, 1.0],
                              [1.0, 1.0, 0.9, 1.1, 1.0, 1.0, 1.0]]))  # fmt: skip
    reply = answer("AWRT2, UTIL >= 1.1*EASY", front, WORKLOAD)
    assert reply.objective == pytest.approx(0.8 * EASY[3])
    assert reply.exceeded == reply.easy_exceeded > 0
    assert "EASY itself is nearer" not in reply.text()
    order = ps.nearest(Wish(weights=[("AWRT2", 1)], limits=[Limit("UTIL", low=1.1 * EASY[0])]), front)
    assert (front.values[order, 3] / EASY[3]).round(6).tolist() == [0.8, 1.1, 1.2]


def test_the_loosest_limit_that_a_wish_may_have_gets_no_looser() -> None:
    front = a_front(np.ones((1, 7)))
    reply = answer("AWRT1, AWRT <= 1000000*EASY", front, WORKLOAD)
    assert [slack.within for slack in reply.slacks] == [1] * len(SLACKS)


def test_what_cannot_be_had_is_said() -> None:
    front = a_front(np.array([[1.0, 1.0, 1.1, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.5, 1.0, 1.5, 1.5, 1.0]]))
    text = answer("AWRT1, all <= 0.99*EASY", front, WORKLOAD).text()
    assert "no schedule of the front is within the limits; this one exceeds them least" in text
    text = answer("AWRT1, all <= EASY", front, WORKLOAD).text()
    assert "no schedule of the front is within the limits, but EASY is; this one exceeds them least" in text
    text = answer("AWRT1, others <= EASY", front, WORKLOAD).text()
    assert "EASY itself is nearer to this wish than every schedule of the front" in text
    absolute = answer("AWRT1, AWRT2 <= 900h", front, WORKLOAD)
    assert absolute.slacks == ()
    assert "looser" not in absolute.text()
    region = answer(Wish(limits=[Limit("all", high=2, of="easy")]), front, WORKLOAD)
    assert "best objective" not in region.text()
    with pytest.raises(ps.InputError, match=r"must be of the same workload"):
        answer("AWRT1", front, ps.lublin(70, 32, 1))
    with pytest.raises(ps.InputError, match=r"but this one is empty"):
        answer("AWRT1", a_front(np.empty((0, EASY.size))), WORKLOAD)


def test_waits_are_those_of_the_schedules_and_a_group_asked_for_that_waits_longer_is_named() -> None:
    jobs, favoured = ps.lublin(300, 32, 3), 5
    genomes = np.random.default_rng(7).random((12, len(Weighting().gene_labels(5))))
    made = [ps.simulate(jobs, Weighting().policy_of(genome, jobs.groups)) for genome in genomes]
    values = np.array([np.asarray(ps.objectives(each)) for each in made])
    run = Origin("run", "random", 0, 4, Weighting())
    easy, told = ps.simulate(jobs, "easy"), set[bool]()
    of_easy = easy.wait[jobs.group == favoured - 1]
    for row in range(len(genomes)):
        front = front_of(values[[row]], genomes[[row]], run, jobs.groups, jobs.name, jobs.digest)
        reply = answer(f"AWRT{favoured}", front, jobs)
        here = made[row].wait[jobs.group == favoured - 1]
        waits = {each["group"]: each for each in reply.about()["waits"]}
        assert waits[None]["worst_s"] == {"EASY": easy.wait.max(), "this schedule": made[row].wait.max()}
        means = waits[str(favoured)]["mean_s"]
        assert list(means.values()) == pytest.approx([of_easy.mean(), here.mean()])
        is_longer = here.mean() > 1.02 * of_easy.mean()
        assert (f'the wish "mean wait of group {favoured}" counts each job once' in reply.text()) == is_longer
        told.add(bool(is_longer))
    assert told == {True, False}
