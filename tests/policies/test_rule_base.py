"""Rule bases: the choice of a strategy, their files, and what is refused."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import InputError, Policy, load_policy, save_policy, simulate
from paretosched.policies.policy_json import from_json, to_json
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import (
    LEVELS,
    STRATEGIES,
    SymbioticRules,
    intervals,
    normalise,
    partitions,
    situation_of,
)
from support import naive_rules
from support.mutations import with_part
from support.zoo import a_greedy, constant_rules, equal_rules, random_jobs, random_rules, rule_bases

KINDS = ("iterative", "symbiotic")
ALL = ("1", "2", "3", "4", "5")
thoroughly = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


# ---- choice


def base_of(means: Any, widths: Any, levels: Any) -> RuleBase:
    about = ("symbiotic", ("1",), ("1",), a_greedy(("1",)))
    return RuleBase(*about, means=means, widths=widths, recommendations=levels)


def levels_of(**levels: int) -> list[int]:
    return [levels.get(f"s{s}", 0) for s in range(13)]


def test_memberships_by_hand() -> None:
    base = base_of([[0.5, 0.25, 0.75], [0, 0, 0]], [[0.1, 0.2, 0.5], [1, 1, 1]], [levels_of(s1=5), levels_of(s2=1)])
    x = [1 + 99 * 0.4, 65.0, 75.0]  # 0.4, 0.65 and 0.75 when scaled: 1, 2 and 0 standard deviations away
    peak = 1 / math.sqrt(2 * math.pi)
    first = (peak / 0.1 * math.exp(-0.5)) * (peak / 0.2 * math.exp(-2)) * (peak / 0.5)
    second = peak**3 * math.exp(-(0.4**2 + 0.65**2 + 0.75**2) / 2)
    rules = base.chooser
    assert isinstance(rules, SymbioticRules)
    assert np.exp(rules.log_memberships(x)) == pytest.approx([first, second], rel=1e-12)
    assert rules.superposition(x)[[0, 1, 2]] == pytest.approx([0, 5, second / first], rel=1e-12)
    assert base.chooser.strategy(x) == 1
    assert base.chooser.strategy([100, 100, 100]) == 2  # far from the first rule, the second counts


def test_a_narrower_rule_has_a_higher_peak() -> None:
    base = base_of([[0.5] * 3] * 2, [[0.1] * 3, [0.3] * 3], [levels_of(s3=1), levels_of(s4=5)])
    assert base.chooser.strategy([50.5, 50, 50]) == 3  # 1 x 10^3 against 5 x (10/3)^3
    assert base.chooser.strategy([75, 75, 75]) == 4


def test_the_first_of_equal_strategies_is_chosen() -> None:
    one = [[0.5] * 3], [[0.1] * 3]
    assert base_of(*one, [[0] * 13]).chooser.strategy([1, 0, 0]) == 0
    assert base_of(*one, [levels_of(s12=1, s9=1)]).chooser.strategy([1, 0, 0]) == 9
    assert base_of(*one, [[-5] * 12 + [-1]]).chooser.strategy([1, 0, 0]) == 12
    two = base_of([[0.5] * 3] * 2, [[0.1] * 3] * 2, [levels_of(s2=5, s4=1, s5=1), levels_of(s2=-5, s4=-1)])
    assert two.chooser.strategy([50, 50, 50]) == 5


def test_a_rule_that_is_infinitely_far_away_decides_where_it_is_alone() -> None:
    base = base_of([[1e6] * 3], [[1e-3] * 3], [levels_of(s8=1)])
    assert base.chooser.strategy([1, 0, 0]) == 8


@pytest.mark.slow
@thoroughly
@given(data=st.data(), x=st.lists(st.integers(0, 400), min_size=4, max_size=4))
def test_what_is_chosen_is_possible_and_what_the_oracle_says(data: st.DataObject, x: list[int]) -> None:
    base = data.draw(rule_bases(("1", "2")))
    features = [1 + x[0] * 99 / 400, *(value / 4 for value in x[1:])]
    strategy = base.chooser.strategy(features)
    assert base.chooser.possible()[strategy]
    assert naive_rules.choice(base, features) == strategy


def test_strategies_that_cannot_be_chosen_are_known() -> None:
    for kind in KINDS:
        for s in range(13):
            assert constant_rules(ALL, s, kind).chooser.possible().nonzero()[0].tolist() == [s]  # type: ignore[arg-type]
    levels = [levels_of(s1=5, s3=5, s4=1), levels_of(s1=1, s3=1, s6=5)]
    base = base_of([[0] * 3] * 2, [[1] * 3] * 2, levels)
    assert base.chooser.possible().nonzero()[0].tolist() == [1, 6]  # 3 ties with 1, all others are below it


def test_table_2_of_the_paper_has_192_situations() -> None:
    base = RuleBase("iterative", ALL, ALL, a_greedy(ALL), bounds=partitions(5), choice=np.zeros(192))
    assert len(intervals(base.bounds)) == 192
    assert intervals(base.bounds)[0] == ("1..2", "0..75", "0..20", "0..20", "0..25", "0..25", "0..25")
    assert intervals(base.bounds)[-1] == ("2..100", "85..100", "20..100", "20..100", "25..100", "25..100", "25..100")
    assert situation_of(base.bounds, [2, 75, 20, 20, 25, 25, 25]) == 0
    assert situation_of(base.bounds, [2, 75, 20, 20, 25, 25, 25.01]) == 1
    assert situation_of(base.bounds, [2.01, 75, 20, 20, 25, 25, 25]) == 96
    assert len(STRATEGIES) == 13
    assert STRATEGIES[7] == "easy by wait"


def test_features_are_scaled_to_the_unit_interval() -> None:
    assert normalise([[1, 0, 0], [100, 100, 50]]).tolist() == [[0, 0, 0], [1, 1, 0.5]]


# ---- files


@pytest.mark.slow
@settings(thoroughly, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(policy=rule_bases(("a", "b b", "ä")))
def test_what_is_saved_is_loaded_bit_for_bit(policy: Policy, tmp_path: Path) -> None:
    save_policy(policy, tmp_path / "p.json")
    again = load_policy(tmp_path / "p.json")
    assert equal_rules(again, policy)
    assert (again.rule, again.groups, again.name) == ("rules", ("a", "b b", "ä"), policy.name)


@pytest.mark.slow
def test_a_rule_base_of_many_situations_is_loaded_again(tmp_path: Path) -> None:
    """Of twelve groups, where Table 2 makes 24,576 situations: a file of 10 MB."""
    groups = tuple(str(i) for i in range(12))
    choice = np.arange(6 * 2**12) % 13
    base = RuleBase("iterative", groups, groups, a_greedy(groups), bounds=partitions(12), choice=choice)
    save_policy(base, tmp_path / "p.json")
    again = load_policy(tmp_path / "p.json")
    assert again is not None
    assert np.array_equal(again.choice, choice)


def test_random_numbers_are_loaded_bit_for_bit() -> None:
    for kind in KINDS:
        policy = random_rules(ALL, 5, kind)
        assert equal_rules(from_json(json.loads(json.dumps(to_json(policy)))), policy)


def test_a_rules_file_can_be_read_by_a_person() -> None:
    value = to_json(constant_rules(("1",), 7, "iterative"))
    assert value["situations"] == [{"SD": "1..100", "Um": "0..100", "PRCWQ1": "0..100", "strategy": "easy by wait"}]
    rule = to_json(random_rules(("1",), 2, "symbiotic"))["rules"][0]
    assert set(rule["where"]) == {"SD", "Um", "PRCWQ1"}
    assert set(rule["recommends"].values()) <= set(LEVELS) - {0}


FILES = {
    "iterative": to_json(
        RuleBase("iterative", ("1",), ("1",), a_greedy(("1",)), bounds=((2,), (), ()), choice=np.array([0, 1]))
    ),
    "symbiotic": to_json(random_rules(("1",), 1, "symbiotic")),
}
S, R = "iterative", "symbiotic"


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        (S, "kind", "other", 'kind of rule base must be one of iterative, symbiotic, but is "other"'),
        (S, "kind", ..., '"kind" is missing'),
        (
            S,
            "kind",
            "symbiotic",
            "the keys here are format, rule, name, kind, groups, priority, rules, otherwise, greedy, grouping, prov",
        ),
        (
            S,
            "colour",
            1,
            "the keys here are format, rule, name, kind, groups, priority, bounds, situations, greedy, grouping, prov",
        ),
        (S, "greedy", ..., '"greedy" is missing'),
        (S, "greedy", "easy", '"greedy" must be an object, but is "easy"'),
        (S, "greedy/rule", "easy", "greedy: the keys here are"),
        (S, "greedy/backfill", "easy", "the greedy strategy must be a Greedy policy without backfilling"),
        (S, "greedy/situations/day/a", 7, "greedy: genes must be"),
        (S, "groups", ["2"], "priority must name every group once (2), but is ['1']"),
        (S, "groups", [], "the keys here are SD, Um, but there is also"),
        (S, "priority", [], "priority must name every group once (1), but is []"),
        (S, "priority", [1], "priority[0] must be text, but is 1"),
        (S, "bounds/SD", [3], 'situations must be in the order of the intervals, so that SD is "1..3" in situation 1'),
        (S, "bounds/SD", [2, 2], "bounds of SD must ascend within [1, 100), but are 2, 2"),
        (S, "bounds/SD", [0.5], "bounds of SD must ascend within [1, 100), but are 0.5"),
        (S, "bounds/SD", [100], "bounds of SD must ascend within [1, 100), but are 100"),
        (S, "bounds/SD", [10**400], "bounds.SD[0] must be a number of at most 1.8e308, but is 1000"),
        (S, "bounds/SD", [float("nan")], "bounds of SD must ascend within [1, 100), but are nan"),
        (S, "bounds/SD", ["2"], 'bounds.SD[0] must be a number, but is "2"'),
        (S, "bounds/SD", 2, '"SD" must be a list, but is 2'),
        (S, "bounds/PRCWQ2", [2], "the keys here are SD, Um, PRCWQ1, but there is also"),
        (S, "bounds/Um", [2], "choice must be a strategy for each of 4 situations, but has shape (2,)"),
        (S, "bounds/Um", list(range(99)), "choice must be a strategy for each of 200 situations"),
        (S, "situations", [], "choice must be a strategy for each of 2 situations, but has shape (0,)"),
        (S, "situations/0", 5, "situations[0] must be an object, but is 5"),
        (S, "situations/0/strategy", "best", "strategy must be one of fcfs by width,"),
        (S, "situations/0/SD", "1..3", 'so that SD is "1..2" in situation 1, but it is "1..3"'),
        (S, "situations/0/Ux", "1..3", "the keys here are SD, Um, PRCWQ1, strategy, but there is also"),
        (R, "rules", [], "means and widths must both have shape (rules, 3) with at least one rule"),
        (R, "rules/1", 5, "rules[1] must be an object, but is 5"),
        (R, "rules/0/where/SD/mean", "1", 'rules[0].where.SD: "mean" must be a number, but is "1"'),
        (R, "rules/0/where/SD/mean", float("nan"), "means must be in [-1e+06, 1e+06], but nan for SD in rule 1"),
        (
            R,
            "rules/0/where/SD/mean",
            10**400,
            'rules[0].where.SD: "mean" must be a number of at most 1.8e308, but is 1000',
        ),
        (R, "rules/0/where/SD/width", 0, "widths must be in [0.001, 1e+06], but 0 for SD in rule 1"),
        (R, "rules/0/where/SD/width", float("inf"), "widths must be in [0.001, 1e+06], but inf for SD in rule 1"),
        (R, "rules/0/where/Um", ..., 'rules[0].where: "Um" is missing'),
        (R, "rules/0/where/Um/size", 1, "rules[0].where.Um: the keys here are mean, width, but there is also"),
        (R, "rules/0/where/PRCWQ9", {"mean": 0, "width": 1}, "rules[0].where: the keys here are SD, Um, PRCWQ1, but"),
        (R, "rules/0/recommends", [], 'rules[0]: "recommends" must be an object, but is a list'),
        (R, "rules/0/recommends/greedy", 2, "rules[0]: recommendations must be one of -5, -1, 0, 1, 5, but that of"),
        (R, "rules/0/recommends/greedy", True, 'rules[0].recommends: "greedy" must be a whole number, but is true'),
        (R, "rules/0/recommends/greedy", [1], 'rules[0].recommends: "greedy" must be a whole number, but is a list'),
        (R, "rules/0/recommends/best", 1, "rules[0].recommends: strategy must be one of fcfs by width,"),
        (R, "otherwise", 3, '"otherwise" must be an object, but is 3'),
        (R, "otherwise", {"below": 1}, '"strategy" is missing'),
        (R, "otherwise", {"below": -1, "strategy": "greedy"}, "a threshold must be at least 0"),
        (R, "otherwise", {"below": 1, "strategy": "best"}, "best"),
    ],
)
def test_every_malformed_file_has_its_message(kind: str, path: str, value: Any, message: str) -> None:
    content = with_part(FILES[kind], path, value)
    with pytest.raises(InputError, match="^here: .*" + re.escape(message)) as error:
        from_json(content, "here")
    assert len(str(error.value).splitlines()) == 1


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(STRATEGIES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["SD", "Um", "mean"]), inner),
    max_leaves=6,
)
PLACES = [
    (kind, path)
    for kind in KINDS
    for path in (
        *FILES[kind],
        *(("bounds/SD", "situations/0", "situations/1/SD", "situations/0/strategy") if kind == S else ()),
        *(
            ("rules/0", "rules/0/where", "rules/0/where/SD", "rules/0/where/SD/mean", "rules/0/recommends")
            * (kind == R)
        ),
    )
]


@pytest.mark.slow
@settings(thoroughly, max_examples=80)
@given(place=st.sampled_from(PLACES), value=ANYTHING)
def test_any_part_replaced_by_anything_is_accepted_or_refused_in_one_line(place: tuple[str, str], value: Any) -> None:
    content = with_part(FILES[place[0]], place[1], value)
    refusal = ""
    try:
        policy = from_json(content, "here")
    except InputError as error:
        refusal = str(error)
    if refusal:
        assert refusal.startswith("here: ")
        assert len(refusal.splitlines()) == 1
    elif isinstance(policy, RuleBase):
        assert equal_rules(from_json(to_json(policy)), policy)


def test_arguments_are_checked() -> None:
    base = random_rules(("1",), 1, "symbiotic")
    with pytest.raises(InputError, match="an iterative rule base takes no means"):
        RuleBase("iterative", ("1",), ("1",), base.greedy, bounds=((),) * 3, choice=[1], means=base.means)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a symbiotic rule base takes no bounds"):
        base_of(base.means, base.widths, base.recommendations).__class__(
            "symbiotic", ("1",), ("1",), base.greedy, bounds=((),) * 3
        )
    with pytest.raises(InputError, match=r"choice must be in 0..12, but is 13 for situation 0"):
        RuleBase("iterative", ("1",), ("1",), base.greedy, bounds=((),) * 3, choice=[13])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"choice must be small whole numbers, but 0\.5"):
        RuleBase("iterative", ("1",), ("1",), base.greedy, bounds=((),) * 3, choice=[0.5])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="means must be a table of numbers"):
        base_of([["x"]], base.widths, base.recommendations)
    with pytest.raises(InputError, match="the greedy strategy must be for the groups 1, but is for 2"):
        RuleBase("iterative", ("1",), ("1",), a_greedy(("2",)), bounds=((),) * 3, choice=[0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at most 100000 situations"):
        RuleBase("iterative", ("1",), ("1",), base.greedy, bounds=(tuple(range(1, 90)),) * 3)
    with pytest.raises(InputError, match="threshold must be a number, but is 'low'"):
        replace(base, threshold="low")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"otherwise must be a whole number, but is 1\.5"):
        replace(base, threshold=0.5, otherwise=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        base.means[0, 0] = 1


def test_a_rule_base_is_for_its_groups_and_may_know_run_times() -> None:
    w = random_jobs(2, 40, 8, gap=2, run=30).with_(user=[1] * 40)
    policy = random_rules(w.groups, 1, "symbiotic")
    with pytest.raises(InputError, match="is for the groups 1, 2, but"):
        simulate(w, random_rules(("1", "2"), 1, "symbiotic"))
    exact = naive_rules.start_times(w.with_(estimate=w.run), policy)
    assert simulate(w, policy, "exact").start.tolist() == exact
