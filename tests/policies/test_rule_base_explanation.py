"""What is explained of a rule base is what it chooses."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretosched as ps
from paretosched.plots.rule_bases import STRATEGY_COLOURS, decisions
from paretosched.policies.explanation import explain
from paretosched.policies.greedy_order import greedy
from paretosched.policies.policy import Policy, save_policy
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.rule_base_explanation import RulesExplanation, origin_of, regions, slices
from paretosched.policies.strategy_choice import LEVELS, STRATEGIES, partitions, situation_of
from support.commands import succeed

NAMES = ("staff", "students", "guests")


def a_greedy(groups: tuple[str, ...]) -> Policy:
    return greedy(["f2"] * 3, [[1.0] * len(groups) + [0.0] * len(groups) + [1.0, 0.0]] * 3, groups=groups)


def iterative(choice: Any, bounds: Any = None, groups: tuple[str, ...] = NAMES) -> RuleBase:
    return RuleBase("iterative", groups, groups, a_greedy(groups), bounds or partitions(len(groups)), choice)


def symbiotic(groups: tuple[str, ...] = NAMES, rules: int = 6, seed: int = 0) -> RuleBase:
    r = np.random.default_rng(seed)
    shape = (rules, len(groups) + 2)
    return RuleBase(
        "symbiotic", groups, groups[::-1], a_greedy(groups), means=r.random(shape), widths=r.uniform(0.05, 1.2, shape),
        recommendations=r.choice(LEVELS, (rules, 13)),
    )  # fmt: skip


def explanation_of(base: RuleBase) -> RulesExplanation:
    explanation = explain(base)
    assert isinstance(explanation, RulesExplanation)
    return explanation


# --- iterative ------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 13))
def test_regions_are_all_situations_once_with_their_strategy(seed: int, strategies: int) -> None:
    base = iterative(np.random.default_rng(seed).integers(0, strategies, 48))
    all_regions = regions(base)
    assert sorted(number for region in all_regions for number in region.situations) == list(range(48))
    r = np.random.default_rng(seed)
    for region in all_regions:
        assert {int(base.choice[number]) for number in region.situations} == {region.strategy}
        inside = [r.uniform(math.nextafter(low, math.inf), high) for low, high in region.bounds]
        assert situation_of(base.bounds, inside) in region.situations
        upper = [high for _, high in region.bounds]  # which belongs to the interval
        assert situation_of(base.bounds, upper) in region.situations
    sizes = [len(region.situations) for region in all_regions]
    assert sizes == sorted(sizes, reverse=True)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_no_two_regions_could_be_one(seed: int) -> None:
    all_regions = regions(iterative(np.random.default_rng(seed).integers(0, 3, 48)))
    for i, one in enumerate(all_regions):
        for other in all_regions[i + 1 :]:
            differ = [f for f in range(5) if one.bounds[f] != other.bounds[f]]
            adjoin = len(differ) == 1 and (
                one.bounds[differ[0]][1] == other.bounds[differ[0]][0]
                or other.bounds[differ[0]][1] == one.bounds[differ[0]][0]
            )
            assert not (adjoin and one.strategy == other.strategy)


def test_one_strategy_everywhere_is_one_region() -> None:
    explanation = explanation_of(iterative([7] * 192, groups=tuple("12345")))
    (row,) = explanation.rows()
    assert (row["strategy"], row["situations"], row["SD"], row["PRCWQ5"]) == ("easy by wait", 192, [1, 100], [0, 100])
    assert "Of 192 situations: easy by wait in 192." in explanation.words()
    assert explanation.text().splitlines()[-2].split() == ["easy", "by", "wait", "192", *["any"] * 7]


def test_it_is_written_as_one_would_say_it() -> None:
    """Busy and the staff waiting: conservative; else EASY."""
    choice = np.full((2, 3, 2, 2, 2), STRATEGIES.index("easy by wait"))
    choice[:, 2, 1] = STRATEGIES.index("conservative by priority")
    text = explanation_of(iterative(choice.ravel())).text()
    *_, first, second, third, note = text.splitlines()
    assert first.split() == ["easy", "by", "wait", "32", "any", "0..85", "any", "any", "any"]
    assert second.split() == ["easy", "by", "wait", "8", "any", "85..100", "0..20", "any", "any"]
    assert third.split() == ["conservative", "by", "priority", "8", "any", "85..100", "20..100", "any", "any"]
    assert note == 'A line is a block of neighbouring situations; "any" is the whole range.'
    assert "Priority of the groups: staff, students, guests. Greedy is Greedy f2." in " ".join(text.split())
    assert "PRCWQ1: of group staff" in " ".join(text.split())


def explanation_with_decisions(base: RuleBase, counts: Any) -> RulesExplanation:
    explanation = explain(replace(base, provenance={"decisions": counts}))
    assert isinstance(explanation, RulesExplanation)
    return explanation


def test_it_tells_how_often_a_situation_came_up() -> None:
    choice = np.full((2, 3, 2, 2, 2), STRATEGIES.index("easy by wait"))
    choice[:, 2, 1] = STRATEGIES.index("conservative by priority")
    counts = np.zeros(choice.shape, dtype=int)
    counts[0, 2, 1, 0, 0], counts[1, 2, 1, 1, 1], counts[0, 0, 0, 0, 0] = 60, 30, 10
    explanation = explanation_with_decisions(iterative(choice.ravel()), counts.ravel().tolist())
    assert [row["decisions"] for row in explanation.rows()] == [10, 0, 90]
    sentence = (
        "In 100 decisions of its training: conservative by priority 90 %, easy by wait 10 %. "
        "3 of the 48 situations came up."
    )
    assert sentence in explanation.words()
    *_, first, second, third, _ = explanation.text().splitlines()
    assert [line.split()[:5] for line in (first, second, third)] == [
        ["conservative", "by", "priority", "8", "90"],
        ["easy", "by", "wait", "32", "10"],
        ["easy", "by", "wait", "8", "0"],
    ]
    chart, veil = decisions(explanation).data
    assert np.isnan(np.array(veil.z, dtype=float)).sum() == 3
    assert "60 % of the decisions in training" in str(chart.customdata)
    assert "pale: never came up" in decisions(explanation).layout.title.subtitle.text


def test_decisions_are_those_of_its_kind() -> None:
    bounds = (tuple(range(2, 14)), (), (), (), ())  # 13 situations
    assert explanation_with_decisions(iterative(np.arange(13), bounds), {"greedy": 1}).decisions is None
    assert explanation_with_decisions(symbiotic(), [1] * 13).decisions is None


def test_it_tells_how_often_rules_chose_a_strategy() -> None:
    explanation = explanation_with_decisions(symbiotic(), {"greedy": 1, "fcfs by wait": 2})
    assert "In 3 decisions of its training: fcfs by wait 67 %, greedy 33 %." in explanation.words()


@pytest.mark.slow
def test_one_strategy_alone_is_told_in_a_few_lines() -> None:
    """The first rule bases of a symbiotic training: all rules are alike."""
    about = ("symbiotic", NAMES, NAMES, a_greedy(NAMES))
    levels = np.where(np.arange(13) == 9, 5, -5)
    base = RuleBase(*about, means=[[0.5] * 5] * 50, widths=[[1.0] * 5] * 50, recommendations=[levels] * 50)
    explanation = explanation_with_decisions(base, {"fcfs by priority": 994})
    assert "Always chosen, whatever the situation: fcfs by priority." in explanation.words()
    assert "In 994 decisions of its training: fcfs by priority 100 %." in explanation.words()
    lines = explanation.text().splitlines()
    assert [line.split()[0] for line in lines if "FCFS BY PRIORITY" in line] == ["1..50"]
    assert len(explanation.rows()) == 50
    other = np.array([levels] * 50)
    other[7, 0] = 5
    text = explanation_of(
        RuleBase(*about, means=[[0.5] * 5] * 50, widths=[[1.0] * 5] * 50, recommendations=other)
    ).text()  # fmt: skip
    assert [line.split()[0] for line in text.splitlines() if "FCFS BY PRIORITY" in line] == ["1..7", "8", "9..50"]
    assert "Never chosen, whatever the situation: easy by width, conservative by width, fcfs by estimate" in text


def test_nearly_all_is_100_per_cent_and_next_to_nothing_is_told() -> None:
    counts = np.zeros(48, dtype=int)
    counts[:2] = 10**6, 1
    choice = np.full(48, 6)
    choice[1] = 12
    explanation = explanation_with_decisions(iterative(choice), counts.tolist())
    assert any("fcfs by wait 100 %, greedy under 0.01 %." in sentence for sentence in explanation.words())
    assert "100 % of the decisions in training" in str(decisions(explanation).data[0].customdata)


@pytest.mark.parametrize(
    "counts",
    [None, [], [1] * 47, [0] * 48, [1.5] * 48, [-1] * 48, [True] * 48, [10**30] * 48, "x", {"greedy": 1}, {"slow": 1}],
)
def test_what_a_file_tells_of_decisions_may_be_anything(counts: Any) -> None:
    explanation = explanation_with_decisions(iterative([0] * 48), counts)
    assert explanation.decisions is None
    assert explanation.rows()[0]["decisions"] is None
    assert "decisions of its training" not in explanation.text()


# --- symbiotic ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_slices_are_what_is_chosen() -> None:
    base = symbiotic(seed=3)
    cuts = slices(base)
    assert [(s.across, s.up) for s in cuts] == [(0, 1), (1, 4), (1, 3), (4, 3)]  # guests and students come first
    for plane in cuts:
        assert plane.strategies.shape == (len(plane.y), len(plane.x))
        for i, j in ((0, 0), (3, 17), (40, 0), (20, 20)):
            features = np.full(5, np.nan)
            features[:2] = 1.5, 90.0
            features[plane.across], features[plane.up] = plane.x[j], plane.y[i]
            rest = 100 - np.nansum(features[2:])
            features[np.isnan(features)] = rest / max(np.isnan(features).sum(), 1)
            expected = base.chooser.strategy(features) if rest >= 0 else -1
            assert plane.strategies[i, j] == expected
    impossible = cuts[3].strategies < 0
    assert impossible[-1, 1:].all()
    assert not impossible[0].any()


def test_one_group_has_the_whole_queue() -> None:
    base = symbiotic(groups=("all",), seed=5)
    (plane,) = slices(base)
    assert plane.others == ""
    assert "  SD against Um: " in explanation_of(base).text()
    assert plane.strategies[40, 0] == base.chooser.strategy([1, 100, 100])


def test_rules_are_told_in_the_units_of_the_features() -> None:
    base = RuleBase(
        "symbiotic", ("all",), ("all",), a_greedy(("all",)), means=[[0.0, 0.5, 0.25]], widths=[[0.01, 0.1, 1.0]],
        recommendations=[[5, -5, 1, -1] + [0] * 9],
    )  # fmt: skip
    explanation = explanation_of(base)
    (row,) = explanation.rows()
    assert row["rule"] == 1
    assert (row["SD"], row["Um"], row["PRCWQ1"]) == ([1.0, 0.99], [50.0, 10.0], [25.0, 100.0])
    assert row["recommends"] == {
        "fcfs by width": 5, "easy by width": -5, "conservative by width": 1, "fcfs by estimate": -1,
    }  # fmt: skip
    text = explanation.text()
    assert "1.0 ± 1.0" in text
    assert "50 ± 10" in text
    line = next(line for line in text.splitlines() if line.startswith("   1"))
    assert line.split("  ")[-1] == "EASY BY WIDTH, fcfs by estimate"
    assert "FCFS BY WIDTH, conservative by width" in line
    assert "Always chosen, whatever the situation: fcfs by width." in explanation.words()
    assert "fcfs by width 100 %" in text


# --- on paper and on the command line -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "base",
    [iterative([0] * 48), iterative(np.arange(48) % 13), iterative(np.zeros(2**14), ((2.0,), (50.0,), *[(20.0,)] * 12),
     tuple(map(str, range(12)))), symbiotic(), symbiotic(("<b>%{x}</b>",)), symbiotic(tuple(map(str, range(9))))],
)  # fmt: skip
def test_everything_can_be_drawn(base: RuleBase) -> None:
    explanation = explanation_of(base)
    figure = decisions(explanation)
    assert len(STRATEGY_COLOURS) == len(set(STRATEGY_COLOURS)) == 13
    heat = [np.array(trace.z, dtype=float) for trace in figure.data]
    if base.kind == "iterative":
        assert heat[0].T.ravel().tolist() == base.choice.tolist()
    else:
        assert [np.nan_to_num(z, nan=-1).tolist() for z in heat] == [s.strategies.tolist() for s in explanation.slices]
    assert "<b>%{" not in json.dumps(figure.to_plotly_json(), default=str).replace("<b>%{text}</b>", "")


def test_the_names_of_situations_have_room() -> None:
    """A letter of their size is 5.4 px wide on average; of five groups they are the longest."""
    for groups in (NAMES, tuple("12345")):
        layout = decisions(explanation_of(iterative([0] * 6 * 2 ** len(groups), groups=groups))).layout
        assert layout.margin.l > 5.4 * max(map(len, layout.yaxis.ticktext)) + 10


def test_a_large_objective_is_not_told_as_a_power_of_ten() -> None:
    provenance = {"words": "AWRT1", "workloads": [], "wish": {"sum": {}}, "objective": 1482406.2, "easy": 2e6}
    assert "reached 1,482,406, and EASY 2,000,000 (25.9 % less)." in origin_of(provenance)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["iterative", "symbiotic"])
def test_the_command_line_says_the_same(kind: str, tmp_path: Path) -> None:
    base = iterative(np.arange(48) % 13) if kind == "iterative" else symbiotic()
    save_policy(replace(base, provenance={"words": "AWRT1", "workloads": [{"name": "w"}]}), tmp_path / "r.json")
    explanation = ps.explain(tmp_path / "r.json")
    outcome = succeed("explain", tmp_path / "r.json", "-o", tmp_path / "r.html")
    assert outcome.out.startswith(f"{explanation.text()}\n\nSlurm cannot be told this: ")
    assert "Trained for AWRT1 on w." in outcome.out
    content = succeed("explain", tmp_path / "r.json", "--json").json
    assert content.pop("slurm")
    assert content == json.loads(json.dumps(explanation.about()))
    assert len(content["regions" if kind == "iterative" else "rules"]) == len(explanation.rows())
    page = (tmp_path / "r.html").read_text()
    assert "which strategy" in page
    assert "one of thirteen strategies is chosen" in page
