"""Training: reproducible, continued after any death, and what it says of itself is so."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.arrays import Floats
from paretosched.core.errors import InputError
from paretosched.core.situations import SITUATIONS
from paretosched.encodings.weighting import Weighting, decode, encode
from paretosched.policies.greedy_order import CRITERIA
from paretosched.policies.policy import fits
from paretosched.policies.policy_json import from_json as policy_from_json
from paretosched.policies.policy_json import to_json
from paretosched.search.runs import known_parameters, read_about
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.evolution_strategy import CHILDREN, PARENTS
from paretosched.training.greedy_training import mixed_systems, train, train_systems
from paretosched.training.guarded_training import train_guarded
from paretosched.training.priority_training import train_priority
from paretosched.training.rule_base_training import train_rules
from paretosched.training.training import Progress, Training
from paretosched.wishes.wish import Wish
from paretosched.wishes.wish_files import from_json
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.time_split import split
from paretosched.workload.workload import Workload
from support.exploring import interrupt, interrupt_if, random_workload
from support.trainings import archive, training_json

W = random_workload()
OTHER = random_workload(jobs=50, seed=9).with_(name="other")
WISH = parse("10*AWRT1 + 4*AWRT2", objective_table(W.groups))
SHORT: dict[str, Any] = {"generations": 2, "seed": 4}
SYSTEM = PARENTS + 2 * CHILDREN


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Training]:
    """A training that nothing disturbed."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    return directory, train(W, WISH, run_directory=directory, **SHORT)


# --- what is found --------------------------------------------------------------------------------------------------


def test_every_system_reaches_what_it_says(whole: tuple[Path, Training]) -> None:
    training = whole[1]
    assert [s.policy.criteria for s in training.systems[:4]] == [(c,) * 3 for c in CRITERIA]
    assert len({s.policy.criteria for s in training.systems}) == len(training.systems) >= 13
    for system in (training.easy, *training.systems):
        values = objectives(simulate(W, system.policy))
        assert system.values.tolist() == [values.tolist()]
        assert system.objective == 10 * values[2] + 4 * values[3]
        assert (system.exceeded, system.rest) == (0, None)
    assert training.easy.policy.rule == "easy"
    assert training.policy is training.systems[training.best].policy
    goals = [s.objective for s in training.systems]
    assert min(goals) == goals[training.best] < training.easy.objective


def test_each_system_is_the_best_that_was_evaluated(whole: tuple[Path, Training]) -> None:
    directory, training = whole
    rows = archive(directory)
    assert training.evaluations == len(rows) == 4 * SYSTEM + mixed_systems(4)
    best: dict[tuple[str, ...], float] = {}
    for _, genome, values in rows:
        criteria = decode(np.frombuffer(genome), W.groups, "easy").criteria
        objective = 10 * np.frombuffer(values)[2] + 4 * np.frombuffer(values)[3]
        best[criteria] = min(objective, best.get(criteria, np.inf))
    assert best == {s.policy.criteria: s.objective for s in training.systems}


def test_all_start_at_random_and_learn(whole: tuple[Path, Training]) -> None:
    genomes = np.array([np.frombuffer(row[1]) for row in archive(whole[0])])
    objective = np.array([np.frombuffer(row[2]) for row in archive(whole[0])]) @ [0, 0, 10, 4, 0]
    first, last = genomes[: 4 * PARENTS], slice(-mixed_systems(4) - 4 * CHILDREN, -mixed_systems(4))
    assert [decode(g, W.groups, "easy").criteria[0] for g in first[::PARENTS]] == list(CRITERIA)
    assert objective[last].mean() < objective[: 4 * PARENTS].mean()
    third = genomes[2 * PARENTS : 3 * PARENTS, :-3].reshape(-1, 3, 8)  # f3
    assert not third[:, :, -1].any()  # b
    assert third[:, :, :-1].all()


def test_a_system_learns_the_same_alone(whole: tuple[Path, Training]) -> None:
    for i in (1, 2):
        alone = train(W, WISH, criterion=CRITERIA[i], **SHORT)
        assert alone.evaluations == SYSTEM
        assert [s.policy.genes.tobytes() for s in alone.systems] == [whole[1].systems[i].policy.genes.tobytes()]


def test_the_policy_says_where_it_comes_from(whole: tuple[Path, Training]) -> None:
    policy = whole[1].policy
    again = policy_from_json(json.loads(json.dumps(to_json(policy), allow_nan=False)))
    provenance = again.provenance
    assert (again.groups, again.backfill) == (W.groups, "easy")
    assert from_json(provenance["wish"]) == WISH
    assert provenance["words"] == "10*AWRT1 + 4*AWRT2"
    assert provenance["workloads"] == [{"name": "random", "digest": W.digest, "jobs": 60, "capacity": 16}]
    assert (provenance["seed"], provenance["strategy"], provenance["generations"], provenance["criterion"]) == (
        4,
        "es",
        2,
        "best",
    )
    assert provenance["evaluations"] == 4 * SYSTEM + mixed_systems(4)
    assert provenance["objective"] == whole[1].systems[whole[1].best].objective
    assert provenance["easy"] == whole[1].easy.objective
    assert {"python", "numpy", "numba", "paretosched"} == set(provenance["versions"])
    with pytest.raises(InputError, match="but random has the groups 1, 2"):
        fits(again, random_workload(groups=2))


def test_cma_is_another_way(whole: tuple[Path, Training]) -> None:
    training = train(W, WISH, strategy="cma", criterion="f2", **SHORT)
    assert training.evaluations == SYSTEM
    assert training.systems[0].policy.genes.tobytes() != whole[1].systems[1].policy.genes.tobytes()
    assert training.systems[0].objective < training.easy.objective
    assert "cma" in training.policy.provenance["versions"]
    assert training_json(training) == training_json(train(W, WISH, strategy="cma", criterion="f2", **SHORT))


@pytest.mark.parametrize("backfill", ["none", "conservative"])
def test_any_backfilling_goes(backfill: str) -> None:
    training = train(W, WISH, backfill=backfill, criterion="f2", generations=1)
    assert training.policy.backfill == backfill


def test_limits_are_kept_first() -> None:
    free = train(W, WISH, criterion="f2", **SHORT).systems[0]
    limit = 0.5 * (free.values[0, 4] + simulate_easy(W)[4])
    bound = train(W, parse(f"10*AWRT1 + 4*AWRT2, AWRT3 <= {limit}", objective_table(W.groups)), criterion="f2", **SHORT)
    assert free.values[0, 4] > limit >= bound.systems[0].values[0, 4]
    assert bound.systems[0].exceeded == 0
    assert bound.systems[0].objective > free.objective
    impossible = train(W, parse("AWRT1 <= 1s", objective_table(W.groups)), criterion="f2", **SHORT)
    assert impossible.systems[0].exceeded == impossible.systems[0].values[0, 2] - 1
    assert "limits exceeded by %" in impossible.text()


def simulate_easy(workload: Workload) -> Floats:
    return objectives(simulate(workload, "easy")).array


# --- what systems make together -------------------------------------------------------------------------------------


def test_situations_take_what_serves_them_best() -> None:
    """The costs of a situation depend on its criterion alone: the mixtures are known."""
    cost = np.array([[5.0, 1, 9, 2], [5, 1, 0.5, 2], [0.25, 1, 9, 0.5]])  # situation, criterion
    course = train_systems(CRITERIA, 3, "es", "linear", 20, seed=1)
    batch = next(course)
    genomes, fitness = [], []
    while True:
        criteria = np.floor(batch[:, -3:]).astype(int)
        noise = 1e-3 * batch[:, :-3].mean(axis=1)
        costs = cost[np.arange(3), criteria].sum(axis=1) + noise
        genomes.append(batch)
        fitness.append(costs)
        try:
            batch = course.send(costs)
        except StopIteration:
            break
    assert [len(g) for g in genomes] == [60, 20, 9, 1]
    pure, least = np.concatenate(genomes[:2]), np.concatenate(fitness[:2])
    champion = []
    for c in range(4):
        rows = np.flatnonzero((np.floor(pure[:, -3:]) == c).all(axis=1))
        assert len(rows) == 20
        champion.append(pure[rows[least[rows].argmin()]])
    rows = iter(genomes[2])  # f2 is the best; each situation is given to each of the others in turn
    for situation in range(3):
        for other in (0, 2, 3):
            row = next(rows)
            expected = champion[1].copy()
            expected[8 * situation : 8 * situation + 8] = champion[other][8 * situation : 8 * situation + 8]
            expected[24 + situation] = other + 0.5
            assert row.tolist() == expected.tolist()
    together = genomes[3][0]
    assert np.floor(together[-3:]).tolist() == [1, 2, 0]
    assert together[:-3].tolist() == [*champion[1][:8], *champion[2][8:16], *champion[0][16:24]]


def test_genomes_are_those_of_policies() -> None:
    genomes = next(train_systems(["f1", "f3"], 5, "es", "linear", 15, seed=1))
    upper = Weighting().lower_upper(5)[1]
    assert genomes.shape == (30, 39)
    assert ((genomes >= 0) & (genomes <= upper)).all()
    for genome in genomes:
        assert encode(decode(genome, tuple("12345"), "none")).tolist() == genome.tolist()


@pytest.mark.parametrize("criterion", ["f1", "f3"])
def test_the_logarithmic_scale_has_the_same_limits_and_six_decades(criterion: str) -> None:
    linear, log = (next(train_systems([criterion], 5, "es", scale, 15, seed=1)) for scale in ("linear", "log"))
    upper = Weighting().lower_upper(5)[1]
    free = np.flatnonzero(linear[0, :-3] > 0)
    assert free.size == (33 if criterion == "f3" else 36)
    assert (log[:, :-3][:, np.setdiff1d(np.arange(36), free)] == 0).all()
    assert log[:, -3:].tolist() == linear[:, -3:].tolist()
    shares = linear[:, free] / upper[free]  # drawn alike, in the unit cube
    np.testing.assert_allclose(log[:, free] / upper[free], 10 ** (6 * (shares - 1)), rtol=1e-12)
    assert ((log[:, free] >= 1e-6 * upper[free]) & (log[:, free] <= upper[free])).all()


# --- several workloads, and parts of them ---------------------------------------------------------------------------


@pytest.mark.parametrize("over", ["sum", "ratio"])
def test_several_workloads_are_learnt_from_at_once(over: str) -> None:
    training = train([W, OTHER], WISH, over=over, criterion="f2", **SHORT)
    assert training.workloads == ("random", "other")
    easy = [10 * v[2] + 4 * v[3] for v in map(simulate_easy, (W, OTHER))]
    for system in (training.easy, *training.systems):
        each = [objectives(simulate(w, system.policy)) for w in (W, OTHER)]
        assert system.values.tolist() == np.array(each).tolist()
        goals = [10 * v[2] + 4 * v[3] for v in each]
        expected = sum(goals) if over == "sum" else (goals[0] / easy[0] + goals[1] / easy[1]) / 2
        assert system.objective == pytest.approx(expected, rel=1e-12)
    assert [w["digest"] for w in training.policy.provenance["workloads"]] == [W.digest, OTHER.digest]


def test_trained_on_one_part_and_tested_on_the_rest() -> None:
    first, rest = split(W, 0.7)
    training = train(W, WISH, until=0.7, criterion="f2", **SHORT)
    assert training.workloads == ("random to 70 %",)
    assert training.rest == ("random from 70 %",)
    assert training.policy.provenance["workloads"][0]["digest"] == first.digest
    alone = train(first, WISH, criterion="f2", **SHORT)
    assert training.policy.genes.tobytes() == alone.policy.genes.tobytes()
    for system in (training.easy, *training.systems):
        values = objectives(simulate(rest, system.policy))
        assert system.rest is not None
        assert system.rest.tolist() == [values.tolist()]
        assert system.rest_objective == 10 * values[2] + 4 * values[3]
    best = training.systems[training.best]
    assert training.policy.provenance["rest"] == {
        "objective": best.rest_objective, "exceeded": best.rest_exceeded, "easy": training.easy.rest_objective,
    }  # fmt: skip
    assert "rest" not in alone.policy.provenance
    row = training.rows()[1]
    assert row["rest_vs_easy"] == pytest.approx(100 * (1 - row["rest_objective"] / training.easy.rest_objective))


# --- the same again -------------------------------------------------------------------------------------------------


def test_a_directory_changes_nothing_and_another_seed_everything(whole: tuple[Path, Training]) -> None:
    assert training_json(train(W, WISH, **SHORT)) == training_json(whole[1])
    other = train(W, WISH, generations=2, seed=5)
    assert other.policy.genes.tobytes() != whole[1].policy.genes.tobytes()


@pytest.mark.parametrize("generations", [1, 2, 4])
def test_an_interrupted_training_is_continued(whole: tuple[Path, Training], tmp_path: Path, generations: int) -> None:
    calls = itertools.count(1)
    stop = interrupt_if(lambda _: next(calls) == generations)
    with pytest.raises(KeyboardInterrupt):
        train(W, WISH, run_directory=tmp_path / "run", progress=stop, **SHORT)
    stored_rows = len(archive(tmp_path / "run"))
    about = read_about(tmp_path / "run")
    assert (about["status"], about["evaluations"]["done"]) == ("interrupted", stored_rows)
    reports: list[Progress] = []
    again = train(W, WISH, run_directory=tmp_path / "run", progress=reports.append, **SHORT)
    assert training_json(again) == training_json(whole[1])
    assert archive(tmp_path / "run") == archive(whole[0])
    assert reports[-1].replayed == stored_rows
    about = read_about(tmp_path / "run")
    assert (about["status"], [s["replayed"] for s in about["sessions"]]) == ("finished", [0, stored_rows])


@pytest.mark.slow
def test_a_killed_training_is_continued(tmp_path: Path) -> None:
    script = (
        "import sys, test_greedy_training as t\n"
        "t.train(t.W, t.WISH, generations=40, seed=4, criterion='f2', run_directory=sys.argv[1],"
        " progress=lambda p: print(p.evaluations, flush=True))\n"
    )
    here = Path(__file__).parent
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "run")],
        env=os.environ | {"PYTHONPATH": f"{here.parents[1]}:{here.parent}:{here}"}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    for _ in range(3):
        assert child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=60)
    stored_rows = len(archive(tmp_path / "run"))
    assert PARENTS + 2 * CHILDREN <= stored_rows < PARENTS + 40 * CHILDREN
    again = train(W, WISH, generations=40, seed=4, criterion="f2", run_directory=tmp_path / "run")
    assert training_json(again) == training_json(train(W, WISH, generations=40, seed=4, criterion="f2"))


def test_a_finished_training_is_told_again_without_a_simulation(
    whole: tuple[Path, Training], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["paretosched.training.training"], "simulations", None)
    reports: list[Progress] = []
    assert training_json(train(W, WISH, run_directory=whole[0], progress=reports.append, **SHORT)) == training_json(
        whole[1]
    )
    assert [(p.evaluations, p.replayed) for p in reports] == [(4 * SYSTEM + 10,) * 2]


def test_progress_is_told_after_every_generation() -> None:
    reports: list[Progress] = []
    training = train(W, WISH, progress=reports.append, **SHORT)
    assert [p.evaluations for p in reports] == [60, 480, 900, 909, 910]
    assert {p.total for p in reports} == {910}
    assert [p.objective for p in reports] == sorted([p.objective for p in reports], reverse=True)
    assert reports[-1].objective == training.systems[training.best].objective
    assert {p.easy for p in reports} == {training.easy.objective}
    assert {p.exceeded for p in reports} == {0.0}


def test_progress_says_how_far_limits_are_exceeded() -> None:
    reports: list[Progress] = []
    wish = parse("AWRT1, AWRT2 <= 1s", objective_table(W.groups))
    training = train(W, wish, criterion="f1", generations=1, progress=reports.append)
    assert reports[0].exceeded >= reports[-1].exceeded == training.systems[0].exceeded > 0


def test_a_region_has_no_objective_in_the_text() -> None:
    text = train(W, parse("AWRT1 <= 1s", objective_table(W.groups)), criterion="f1", generations=1).text()
    assert "objective" not in text
    assert "limits exceeded" in text


def test_a_run_is_not_mixed_with_another(whole: tuple[Path, Training], tmp_path: Path) -> None:
    for key, other in (
        ("seed", 5),
        ("generations", 3),
        ("criterion", "f1"),
        ("strategy", "cma"),
        ("scale", "log"),
        ("until", 0.5),
    ):
        with pytest.raises(InputError, match=f"continued with its own parameters, but its {key} is"):
            train(W, WISH, run_directory=whole[0], **(SHORT | {key: other}))
    with pytest.raises(InputError, match=r"but its wish is 10\*AWRT1 \+ 4\*AWRT2, not AWRT1$"):
        train(W, Wish(weights=[("AWRT1", 1)]), run_directory=whole[0], **SHORT)
    with pytest.raises(InputError, match=r"the workload that it began with, .*, but its digest is"):
        train(OTHER, WISH, run_directory=whole[0], **SHORT)
    from paretosched.search.exploration import explore

    with pytest.raises(InputError, match="continued with its own parameters"):
        explore(W, whole[0], evaluations=10, population=10)
    explore(W, tmp_path / "explored", evaluations=10, population=10)
    with pytest.raises(InputError, match="but its algorithm is archive, not given"):
        train(W, WISH, run_directory=tmp_path / "explored", **SHORT)
    assert known_parameters(whole[0])["task"] == "train"
    for of_other_class in (train_priority, train_guarded):
        with pytest.raises(InputError, match="but its task is train, not train"):
            of_other_class(W, "AWRT1, AWRT <= EASY", run_directory=whole[0])


def test_an_interruption_before_anything_is_stored_keeps_how_much_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paretosched.search.evaluation.objectives_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train(W, WISH, run_directory=tmp_path / "run", **SHORT)
    assert archive(tmp_path / "run") == []
    monkeypatch.undo()
    without = {key: value for key, value in SHORT.items() if key != "generations"}
    again = train(W, WISH, run_directory=tmp_path / "run", **without)
    assert training_json(again) == training_json(train(W, WISH, **SHORT))


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"criterion": "f5"}, "criterion must be one of f1, f2, f3, f4, best"),
        ({"backfill": "fcfs"}, "backfill must be one of none, easy, conservative"),
        ({"over": "mean"}, "over must be one of sum, ratio"),
        ({"strategy": "sa"}, "strategy must be one of es, cma"),
        ({"scale": "ln"}, "scale must be one of linear, log"),
        ({"generations": 0}, "generations must be in 1..20000, but are 0"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"workers": -1}, "workers must be in"),
        ({"until": 1.5}, "until must be a share"),
    ],
)
def test_parameters_keep_their_rules(more: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        train(W, WISH, **more)


@pytest.mark.parametrize(
    ("of_class", "words"),
    [
        (train, {"criterion": "f2", "generations": 1}),
        (train_guarded, {"evaluations": 3}),
        (train_priority, {"evaluations": 24}),
        (train_rules, {"generations": 1, "evaluations": 13}),
    ],
)
def test_numbers_may_be_those_of_numpy(
    of_class: Callable[..., Training], words: dict[str, Any], tmp_path: Path
) -> None:
    words = words | {"seed": 1, "resample": 0, "until": 0.5, "run_directory": tmp_path / "run"}
    kinds = {int: np.int64, float: np.float32}
    of_numpy = {key: kinds[type(x)](x) if type(x) in kinds else x for key, x in words.items()}
    wish = "10*AWRT1, AWRT <= 2*EASY"
    first, again = of_class(W, wish, **of_numpy), of_class(W, wish, **words)
    assert (first.evaluations, first.policy.provenance) == (again.evaluations, again.policy.provenance)


def test_wishes_and_workloads_must_fit() -> None:
    with pytest.raises(InputError, match="there is no workload to train on; give one or more"):
        train([], WISH)
    with pytest.raises(InputError, match=r"same groups, but random has 1, 2, 3 and random has 1, 2$"):
        train([W, random_workload(groups=2)], WISH)
    with pytest.raises(InputError, match="random: the wish AWRT5 uses AWRT5, but here are only"):
        train(W, Wish(weights=[("AWRT5", 1)]))
    with pytest.raises(InputError, match=r"other: the wish .* uses AWRT2, which is undefined"):
        train([W, OTHER.with_(group=np.zeros(50, dtype=np.int64))], WISH)
    for words in ("near AWRT1 = 500", "AWRT1 <= 500", "AWRT1 - 1e6*UTIL"):
        with pytest.raises(InputError, match='over "ratio" must have a weighted sum that is positive for EASY'):
            train([W, OTHER], parse(words, objective_table(W.groups)), over="ratio")


# --- in words -------------------------------------------------------------------------------------------------------


def test_the_table_says_what_the_rows_say(whole: tuple[Path, Training]) -> None:
    training = whole[1]
    text = training.text()
    rows = training.rows()
    for line, row in zip(text.splitlines()[2:], rows, strict=False):
        gain = f"{row['vs_easy']:+.1f}" if row["system"] != "EASY" else "0.0"
        assert line.removeprefix("> ").split() == [row["system"], f"{row['objective']:,.1f}", gain, "%"]
        assert line.startswith("> ") == row["best"]
    assert [row["system"] for row in rows[:5]] == ["EASY", *CRITERIA]
    assert sum(row["best"] for row in rows) == 1
    assert "random: EASY" in text
    assert "rest" not in text
    best = rows[training.best + 1]["workloads"][0]
    assert f"{best['AWRT1'] / 3600:,.2f}" in text
    assert f"{best['AWRT1_vs_easy']:+.1f} %" in text
    assert "/".join(SITUATIONS) in text


def test_a_point_or_region_has_no_gain() -> None:
    for words in ("near AWRT1 = 30min, AWRT2 = 20min", "AWRT1 <= 10min"):
        training = train(W, parse(words, objective_table(W.groups)), criterion="f1", generations=1, until=0.6)
        assert [row["vs_easy"] for row in training.rows()] == [None, None]
        assert ("objective" in training.text().splitlines()[0]) == words.startswith("near")
        assert training.text().count("rest: ") == 1


def test_time_left_can_be_told() -> None:
    begin = time.perf_counter()
    reports: list[Progress] = []
    train(W, WISH, criterion="f1", generations=1, progress=reports.append)
    assert 0 < reports[0].elapsed < reports[-1].elapsed < time.perf_counter() - begin + 1e-3
    assert 0 < reports[0].seconds < reports[-1].seconds
