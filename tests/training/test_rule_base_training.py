"""Trainings of rule bases: the paper's courses, reproducible, continued after any interruption."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.encodings.rule_base import Symbiotic
from paretosched.policies.explanation import explain
from paretosched.policies.greedy_order import greedy
from paretosched.policies.plain import Plain
from paretosched.policies.policy import Policy, load_policy, save_policy
from paretosched.policies.policy_json import from_json, to_json
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import STRATEGIES, partitions
from paretosched.search.resuming import Record
from paretosched.search.runs import read_about, wanted_evaluations
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.training.rule_base_training import STANDARD, iterate, train_rules
from paretosched.training.symbiosis import Symbiosis
from paretosched.training.training import Progress
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.time_split import split
from support import naive_rules
from support.exploring import interrupt, interrupt_if, random_workload
from support.machine_zoo import crowded_case
from support.trainings import archive, training_json

W = random_workload()
OTHER = random_workload(jobs=50, seed=9).with_(name="other")
WISH = parse("10*AWRT1 + 4*AWRT2", objective_table(W.groups))
GREEDY = greedy(["f2"] * 3, [[1, 0.5, 0.1, 0, 0, 0, 0.01, 0]] * 3, groups=W.groups)
SMALL = Symbiosis(rules=4, participations=2, parents=6, children=12, recombined=4, clusters=3, best_of_cluster=2)
BOUNDS = ((), (75.0,), (20.0,), (), ())
SYMBIOTIC: dict[str, Any] = {"symbiosis": SMALL, "evaluations": 30, "greedy": GREEDY, "seed": 4}
ITERATIVE: dict[str, Any] = {"kind": "iterative", "bounds": BOUNDS, "greedy": GREEDY}
BOTH = pytest.mark.parametrize("words", [SYMBIOTIC, ITERATIVE], ids=["symbiotic", "iterative"])


def worth(policy: Policy | str) -> float:
    values = objectives(simulate(W, policy))
    return 10 * values[2] + 4 * values[3]


# --- algorithm 2 ----------------------------------------------------------------------------------------------------


def test_every_class_gets_the_best_strategy_in_its_turn() -> None:
    """Costs that depend on pairs of classes: what is best first is not best later, and it is not reconsidered."""
    cost = np.random.default_rng(1).random((3, 13, 13))
    course, choice = iterate(4, STANDARD, 13), np.full(4, STANDARD)
    batch = next(course)
    for number in range(4):
        expected = np.tile(choice, (13, 1))
        expected[:, number] = np.arange(13)
        assert batch.tolist() == expected.tolist()
        costs = np.array([sum(cost[i, int(g[i]), int(g[i + 1])] for i in range(3)) for g in batch])
        if number < 3 or costs.min() < costs[STANDARD]:
            choice[number] = costs.argmin()
        try:
            batch = course.send(costs)
        except StopIteration:
            assert number == 3


def test_a_situation_that_never_came_up_takes_the_strategy_that_is_wanted() -> None:
    papers, ours = (
        train_rules(W, WISH, unseen=word, **ITERATIVE | {"bounds": ((99.0,), (75.0,), (), (), ())})
        for word in (None, "easy by wait")
    )
    unseen = np.array(papers.policy.provenance["decisions"]) == 0
    assert unseen.any()
    assert not unseen.all()
    easy = STRATEGIES.index("easy by wait")
    assert set(papers.policy.choice[unseen].tolist()) == {STANDARD}
    assert set(ours.policy.choice[unseen].tolist()) == {easy}
    assert ours.policy.choice[~unseen].tolist() == papers.policy.choice[~unseen].tolist()
    assert worth(ours.policy) == worth(papers.policy)  # it changes nothing where it was learnt
    assert ours.policy.provenance["unseen"] == "easy by wait"
    assert "unseen" not in papers.policy.provenance
    with pytest.raises(InputError, match="unseen must be left out for symbiotic rules"):
        train_rules(W, WISH, unseen="easy by wait", **SYMBIOTIC)
    with pytest.raises(InputError, match="unseen must be one of"):
        train_rules(W, WISH, unseen="easy", **ITERATIVE)


def test_what_is_only_as_good_changes_nothing() -> None:
    course = iterate(2, STANDARD, 13)
    next(course)
    assert course.send(np.full(13, 7.0))[:, 0].tolist() == [STANDARD] * 13


def test_the_standard_strategy_is_fcfs_by_waiting_time() -> None:
    assert STRATEGIES[STANDARD] == "fcfs by wait"


@pytest.mark.slow
def test_by_default_2496_iterative_and_13_and_3500_symbiotic_rule_bases_are_simulated() -> None:
    reports: list[Progress] = []

    def stop(progress: Progress) -> None:
        reports.append(progress)
        raise KeyboardInterrupt

    five = random_workload(jobs=20, groups=5)
    wish = parse("AWRT1", objective_table(five.groups))
    own_greedy = greedy(["f2"] * 3, [[1.0] * 5 + [0.0] * 5 + [1.0, 0.0]] * 3)
    assert len(partitions(5)) == 7
    for kind in ("iterative", "symbiotic"):
        with pytest.raises(KeyboardInterrupt):
            train_rules(five, wish, kind=kind, greedy=own_greedy, progress=stop)
    assert [p.total for p in reports] == [192 * 13, 13 + 50 * 70] == [2496, 3513]
    assert [p.evaluations for p in reports] == [13, 13]


# --- what is found --------------------------------------------------------------------------------------------------


@BOTH
def test_the_best_rule_base_that_was_simulated_is_kept(words: dict[str, Any], tmp_path: Path) -> None:
    training = train_rules(W, WISH, run_directory=tmp_path / "run", **words)
    rules, alone = training.systems
    assert training.policy is rules.policy
    assert (training.best, alone.policy.rule, rules.policy.rule) == (0, "greedy", "rules")
    assert rules.objective == worth(rules.policy)
    assert alone.objective == worth(GREEDY)
    assert training.easy.objective == worth("easy")
    rows = archive(tmp_path / "run" / "rules")
    goals = [np.frombuffer(values) @ [0, 0, 10, 4, 0] for _, _, values in rows]
    assert len(rows) == training.evaluations == (4 * 13 if "bounds" in words else 30)
    assert rules.objective == min(goals)
    save_policy(rules.policy, tmp_path / "rules.json")
    assert worth(load_policy(tmp_path / "rules.json")) == rules.objective


def test_symbiotic_rules_are_never_worse_than_the_best_strategy_alone(tmp_path: Path) -> None:
    always = [RuleBase("iterative", W.groups, W.groups, GREEDY, ((),) * 5, np.array([s])) for s in range(13)]
    alone = [worth(base) for base in always]
    training = train_rules(W, WISH, run_directory=tmp_path / "run", **SYMBIOTIC | {"evaluations": 13})
    goals = [np.frombuffer(values) @ [0, 0, 10, 4, 0] for _, _, values in archive(tmp_path / "run" / "rules")]
    assert goals == alone
    assert training.systems[0].objective == min(alone)
    assert train_rules(W, WISH, **SYMBIOTIC).systems[0].objective <= min(alone)


def test_an_iteration_never_gets_worse_and_starts_from_the_standard(tmp_path: Path) -> None:
    training = train_rules(W, WISH, run_directory=tmp_path / "run", **ITERATIVE)
    genomes = np.array([np.frombuffer(genome) for _, genome, _ in archive(tmp_path / "run" / "rules")])
    goals = np.array([np.frombuffer(v) for _, _, v in archive(tmp_path / "run" / "rules")]) @ [0, 0, 10, 4, 0]
    best = goals.reshape(4, 13).min(axis=1)
    assert (np.diff(best) <= 0).all()
    assert goals[STANDARD] == worth("fcfs")
    assert genomes[STANDARD].tolist() == [STANDARD] * 4
    base = training.policy
    assert isinstance(base, RuleBase)
    assert base.bounds == BOUNDS
    assert base.choice.tolist() == genomes[goals.argmin()].tolist()


def test_where_no_job_waits_iterative_rules_stay_the_standard() -> None:
    """All 52 rule bases are as good as each other."""
    wide = W.with_(capacity=16 * 60)
    base = train_rules(wide, WISH, **ITERATIVE).policy
    assert isinstance(base, RuleBase)
    assert base.choice.tolist() == [STANDARD] * 4


def test_symbiotic_rules_are_for_any_number_of_groups() -> None:
    """Of 20 groups there are too many situations, but symbiotic rules have none."""
    many = random_workload(groups=20)
    wish, genes = parse("AWRT", objective_table(many.groups)), [[1.0] * 20 + [0.0] * 20 + [1.0, 0.0]] * 3
    words = {"greedy": greedy(["f2"] * 3, genes, groups=many.groups), "evaluations": 20}
    base = train_rules(many, wish, symbiosis=SMALL, **words).policy
    assert isinstance(base, RuleBase)
    assert base.means.shape == (4, 22)
    with pytest.raises(InputError, match="at most 100000 situations, but these bounds make 6291456"):
        train_rules(many, wish, kind="iterative", **words)


def test_groups_rank_by_their_weight() -> None:
    wish = parse("AWRT1 + 5*AWRT3", objective_table(W.groups))
    base = train_rules(W, wish, **SYMBIOTIC).policy
    assert isinstance(base, RuleBase)
    assert base.priority == ("3", "1", "2")
    assert base.groups == ("1", "2", "3")


def test_the_policy_says_where_it_comes_from() -> None:
    provenance = train_rules(W, WISH, **SYMBIOTIC).policy.provenance
    assert (provenance["rule_base"], provenance["seed"], provenance["evaluations"], provenance["over"]) == (
        "symbiotic",
        4,
        30,
        "sum",
    )
    assert provenance["symbiosis"]["rules"] == 4
    assert provenance["workloads"] == [{"name": "random", "digest": W.digest, "jobs": 60, "capacity": 16}]
    assert {"objective", "easy", "exceeded", "wish", "words", "versions"} <= set(provenance)
    assert set(provenance["decisions"]) <= set(STRATEGIES)
    assert sum(provenance["decisions"].values()) > 0
    provenance = train_rules(W, WISH, **ITERATIVE).policy.provenance
    assert provenance["bounds"] == [list(row) for row in BOUNDS]
    assert len(provenance["decisions"]) == 4
    assert sum(provenance["decisions"]) > 0


def test_greedy_is_trained_first_unless_it_is_given(tmp_path: Path) -> None:
    reports: list[Progress] = []
    words = {key: value for key, value in SYMBIOTIC.items() if key != "greedy"} | {"generations": 1}
    training = train_rules(W, WISH, run_directory=tmp_path / "run", progress=reports.append, **words)
    alone = train(W, WISH, criterion="f2", backfill="none", generations=1, seed=4)
    base = training.policy
    assert isinstance(base, RuleBase)
    assert base.greedy.genes.tobytes() == alone.policy.genes.tobytes()
    assert training.systems[1].policy.provenance["criterion"] == "f2"
    assert [p.evaluations for p in reports] == [15, 120, 133, 139, 145, 150]
    assert {p.total for p in reports} == {150}
    assert sorted(place.name for place in (tmp_path / "run").iterdir()) == ["greedy", "rules"]
    again = train_rules(W, WISH, run_directory=tmp_path / "run", **words)
    assert training_json(again) == training_json(training)


def test_several_workloads_count_by_their_ratio_to_easy() -> None:
    training = train_rules([W, OTHER], WISH, **SYMBIOTIC)
    easy = [objectives(simulate(w, "easy")) @ [0, 0, 10, 4, 0] for w in (W, OTHER)]
    ours = [objectives(simulate(w, training.policy)) @ [0, 0, 10, 4, 0] for w in (W, OTHER)]
    assert training.systems[0].objective == pytest.approx(np.mean(np.divide(ours, easy)), rel=1e-12)
    assert training.over == "ratio"
    total = train_rules([W, OTHER], WISH, over="sum", **SYMBIOTIC)
    assert total.easy.objective == pytest.approx(sum(easy), rel=1e-12)
    near = parse("near AWRT1 = 30min", objective_table(W.groups))  # which has no ratio
    assert train_rules([W, OTHER], near, **SYMBIOTIC).over == "sum"


def test_trained_on_one_part_and_tested_on_the_rest() -> None:
    first, rest = split(W, 0.7)
    training = train_rules(W, WISH, until=0.7, **SYMBIOTIC)
    assert training.policy.provenance["workloads"][0]["digest"] == first.digest
    values = training.systems[0].rest
    assert values is not None
    assert values.tolist() == [objectives(simulate(rest, training.policy)).tolist()]


def test_limits_and_points_may_be_wished_for() -> None:
    for words in ("AWRT1, AWRT3 <= 1s", "near AWRT1 = 30min, AWRT2 = 20min", "AWRT1 - 1e6*UTIL"):
        training = train_rules(W, parse(words, objective_table(W.groups)), **SYMBIOTIC)
        assert training.evaluations == 30


def test_the_table_names_the_rule_base_and_its_greedy() -> None:
    text = train_rules(W, WISH, **ITERATIVE).text()
    rows = text.splitlines()[2:5]
    assert [row[:17].strip() for row in rows] == ["EASY", "> iterative rules", "Greedy f2"]
    assert "criteria:" not in text


# --- the same again -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_worker_processes_find_the_same() -> None:
    found = train_rules(W, WISH, workers=2, **SYMBIOTIC)
    assert training_json(found) == training_json(train_rules(W, WISH, **SYMBIOTIC))


def test_another_seed_is_another_evolution() -> None:
    one, other = (train_rules(W, WISH, **(SYMBIOTIC | {"seed": seed})) for seed in (4, 5))
    assert training_json(one) != training_json(other)


@BOTH
@pytest.mark.parametrize("generations", [1, 3])
def test_an_interrupted_training_is_continued(words: dict[str, Any], tmp_path: Path, generations: int) -> None:
    whole = train_rules(W, WISH, run_directory=tmp_path / "whole", **words)
    calls = itertools.count(1)
    stop = interrupt_if(lambda _: next(calls) == generations)
    with pytest.raises(KeyboardInterrupt):
        train_rules(W, WISH, run_directory=tmp_path / "run", progress=stop, **words)
    stored_rows = len(archive(tmp_path / "run" / "rules"))
    assert read_about(tmp_path / "run" / "rules")["status"] == "interrupted"
    reports: list[Progress] = []
    again = train_rules(W, WISH, run_directory=tmp_path / "run", progress=reports.append, **words)
    assert training_json(again) == training_json(whole)
    assert archive(tmp_path / "run" / "rules") == archive(tmp_path / "whole" / "rules")
    assert reports[-1].replayed == stored_rows


def test_an_evolution_is_continued_with_more(tmp_path: Path) -> None:
    short = train_rules(W, WISH, run_directory=tmp_path / "run", **(SYMBIOTIC | {"evaluations": 9}))
    longer = train_rules(W, WISH, run_directory=tmp_path / "run", **SYMBIOTIC)
    assert (short.evaluations, longer.evaluations) == (9, 30)
    assert training_json(longer) == training_json(train_rules(W, WISH, **SYMBIOTIC))
    assert longer.systems[0].objective <= short.systems[0].objective


def test_an_iteration_may_stop_before_its_end() -> None:
    training = train_rules(W, WISH, **(ITERATIVE | {"evaluations": 13}))
    base = training.policy
    assert isinstance(base, RuleBase)
    assert base.choice[1:].tolist() == [STANDARD] * 3
    assert train_rules(W, WISH, **(ITERATIVE | {"evaluations": 10**6})).evaluations == 4 * 13


@pytest.mark.parametrize("phase", ["greedy", "rules"])
def test_an_interruption_before_anything_is_stored_keeps_how_much_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    words = SYMBIOTIC | ({"greedy": None, "generations": 1} if phase == "greedy" else {})

    monkeypatch.setattr("paretosched.search.evaluation.objectives_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train_rules(W, WISH, run_directory=tmp_path / "run", **words)
    assert wanted_evaluations(tmp_path / "run" / "rules") == 30
    monkeypatch.undo()
    without = {key: value for key, value in words.items() if key not in ("evaluations", "generations")}
    again = train_rules(W, WISH, run_directory=tmp_path / "run", **without)
    assert training_json(again) == training_json(train_rules(W, WISH, **words))


def test_an_interruption_when_a_run_is_opened_forgets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train_rules(W, WISH, run_directory=tmp_path / "run", **SYMBIOTIC)
    real = Record.write

    def interrupt(self: Record, status: str, **more: Any) -> None:
        real(self, status, **more)
        if status == "running":
            raise KeyboardInterrupt

    monkeypatch.setattr(Record, "write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train_rules(W, WISH, run_directory=tmp_path / "run", **SYMBIOTIC)
    about = read_about(tmp_path / "run" / "rules")
    assert (about["status"], about["evaluations"]["done"]) == ("interrupted", 30)


def test_a_run_is_not_mixed_with_another(tmp_path: Path) -> None:
    train_rules(W, WISH, run_directory=tmp_path / "run", **SYMBIOTIC)
    for other, key in (
        (SYMBIOTIC | {"seed": 5}, "seed"),
        (ITERATIVE, "rule_base"),
        (SYMBIOTIC | {"symbiosis": Symbiosis()}, "symbiosis"),
        (SYMBIOTIC | {"greedy": greedy(["f1"] * 3, GREEDY.genes, groups=W.groups)}, "greedy"),
    ):
        with pytest.raises(InputError, match=f"continued with its own parameters, but its {key} is"):
            train_rules(W, WISH, run_directory=tmp_path / "run", **other)
    other = SYMBIOTIC | {"symbiosis": replace(SMALL, plus=True)}
    with pytest.raises(InputError, match=r"but its symbiosis is \{'plus': False\}, not \{'plus': True\}$"):
        train_rules(W, WISH, run_directory=tmp_path / "run", **other)
    with pytest.raises(InputError, match=r"must be a run directory or empty, but has no run\.json and holds rules"):
        train(W, WISH, criterion="f2", generations=1, run_directory=tmp_path / "run")
    train(W, WISH, criterion="f2", generations=1, run_directory=tmp_path / "greedy")
    with pytest.raises(InputError, match=r"must hold a training of rule bases or be empty, but holds run\.json"):
        train_rules(W, WISH, run_directory=tmp_path / "greedy", **SYMBIOTIC)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"kind": "fuzzy"}, "kind must be one of iterative, symbiotic"),
        ({"evaluations": 0}, "evaluations must be in 1..10000000, but are 0"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"over": "mean"}, "over must be one of sum, ratio"),
        ({"workers": -1}, "workers must be in"),
        ({"until": 1.5}, "until must be a share"),
        ({"greedy": Plain("easy")}, "greedy must be a Greedy policy without backfilling, but EASY is none"),
        ({"greedy": greedy(["f2"] * 3, GREEDY.genes, groups=W.groups, backfill="easy")}, "but Greedy f2 with EASY is"),
        ({"greedy": greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("1",))}, "is for the groups 1, but random has"),
        ({"kind": "iterative", "bounds": ((),) * 3}, "bounds must be a list for each of SD, Um, PRCWQ1"),
        ({"kind": "iterative", "bounds": ((), (90, 80), (), (), ())}, "bounds of Um must ascend"),
        ({"kind": "iterative", "bounds": (tuple(np.linspace(2, 50, 400)),) * 5}, "at most 100000 situations"),
    ],
)
def test_parameters_keep_their_rules(more: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        train_rules(W, WISH, **(SYMBIOTIC | more))


def test_genomes_of_the_evolution_are_rule_bases(tmp_path: Path) -> None:
    train_rules(W, WISH, run_directory=tmp_path / "run", **SYMBIOTIC)
    encoding = Symbiotic(W.groups, W.groups, GREEDY, 4)
    for _, genome, _ in archive(tmp_path / "run" / "rules"):
        base = encoding.rule_base(np.frombuffer(genome))
        assert ((base.means >= 0) & (base.means <= 1)).all()


# --- default values -------------------------------------------------------------------------------------------------


def test_below_its_threshold_a_rule_base_chooses_its_default() -> None:
    """One rule, a standard normal distribution for each of five features: it weighs 0.0101 at its centre."""
    one_rule: dict[str, Any] = {
        "means": [[0.0] * 5], "widths": [[1.0] * 5], "recommendations": [[0] * 7 + [5] + [0] * 5], "otherwise": 6,
    }  # fmt: skip
    at_centre, away = [1, 0, 0, 0, 0], [1, 100, 100, 0, 0]
    weight = (2 * np.pi) ** -2.5
    for threshold, here, there in ((0, 7, 7), (0.99 * weight, 7, 6), (1.01 * weight, 6, 6)):
        base = RuleBase("symbiotic", W.groups, W.groups, GREEDY, threshold=threshold, **one_rule)
        assert (base.chooser.strategy(at_centre), base.chooser.strategy(away)) == (here, there)
        policy = base
        assert simulate(W, policy).start.tolist() == naive_rules.start_times(W, policy)
        again = from_json(json.loads(json.dumps(to_json(policy))))
        assert isinstance(again, RuleBase)
        assert (again.threshold, again.otherwise) == (threshold, 6 if threshold else 0)
    never = simulate(W, RuleBase("symbiotic", W.groups, W.groups, GREEDY, threshold=1e9, **one_rule))
    assert never.start.tolist() == simulate(W, "fcfs").start.tolist()


@pytest.mark.slow
def test_default_values_evolve_with_the_rules(tmp_path: Path) -> None:
    words = SYMBIOTIC | {"symbiosis": replace(SMALL, defaults=True, default_parents=2)}
    training = train_rules(W, WISH, run_directory=tmp_path / "run", **words)
    base = training.policy
    assert isinstance(base, RuleBase)
    assert base.threshold > 0
    assert training.systems[0].objective == worth(training.policy)
    encoding = Symbiotic(W.groups, W.groups, GREEDY, 4, defaults=True)
    genomes = [np.frombuffer(genome) for _, genome, _ in archive(tmp_path / "run" / "rules")]
    bases = [encoding.rule_base(genome) for genome in genomes]
    assert len({b.otherwise for b in bases}) > 1
    for genome, b in zip(genomes, bases, strict=True):
        assert b.threshold == 10.0 ** genome[-2]
        assert b.otherwise == int(genome[-1])
    text = " ".join(explain(training.policy).text().split())
    assert f"together weigh less than {base.threshold:.3g}, {STRATEGIES[base.otherwise]} is chosen." in text


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"threshold": -1.0}, "a threshold must be at least 0"),
        ({"threshold": np.inf}, "a threshold must be at least 0"),
        ({"threshold": 1.0, "otherwise": 13}, r"the strategy below it in 0\.\.12, but they are 1 and 13"),
    ],
)
def test_thresholds_keep_their_rules(more: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        RuleBase("symbiotic", W.groups, W.groups, GREEDY, means=[[0.0] * 5], widths=[[1.0] * 5],
                 recommendations=[[0] * 13], **more)  # fmt: skip
    with pytest.raises(InputError, match="an iterative rule base takes no"):
        RuleBase("iterative", W.groups, W.groups, GREEDY, bounds=((),) * 5, choice=[1], threshold=1.0)


@BOTH
def test_on_nodes_what_is_promised_is_what_the_policy_does(words: dict[str, Any]) -> None:
    w = crowded_case(3)
    count = len(w.groups)
    genes = [[1.0] * count + [0.0] * count + [0.01, 0.0]] * 3
    wish = parse("AWRT1", objective_table(w.groups))
    known = {"greedy": greedy(["f2"] * 3, genes, groups=w.groups)}
    if "bounds" in words:
        known["bounds"] = ((), (75.0,), *((),) * count)
    rules, alone = train_rules(w, wish, **words | known).systems
    for system in (rules, alone):
        schedule = simulate(w, system.policy).check()
        assert schedule.placement is not None
        values = objectives(schedule)
        assert system.values[0].tolist() == [values[o.name] for o in objective_table(w.groups)]
    assert rules.objective <= objectives(simulate(w, "fcfs"))["AWRT1"]
