"""Every public function takes words and paths wherever it takes values, and refuses what is neither in one line."""

import inspect
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import paretosched as ps
import paretosched.assignment as pa
import paretosched.report as pr
from paretosched.comparison.comparison import Comparison
from paretosched.fronts import quality_indicators
from paretosched.search.plans import rows_of
from paretosched.simulation.schedule import Schedule
from paretosched.training import class_choice
from support.trainings import training_json

ACCOUNTING = Path(__file__).parents[1] / "data" / "accounting"

pytestmark = pytest.mark.slow
FACES = (ps, pa, pr)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{face.__name__}.{name}": getattr(face, name)
    for face in FACES
    for name in face.__all__
    if inspect.isfunction(getattr(face, name))
}


class House(NamedTuple):
    """A folder with one file of each kind, and the values in them."""

    folder: Path
    workload: ps.Workload
    front: ps.Front
    schedule: Schedule
    comparison: Comparison
    bag: pa.Bag
    nodes: pa.Nodes
    shared: Schedule
    figure: Any


@pytest.fixture(autouse=True)
def _coarse_hypervolume(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hypervolumes be coarse: their digits do not matter here, and fine ones take seconds."""
    monkeypatch.setattr(quality_indicators, "DIRECTIONS", 10)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    ps.write_swf(ps.lublin(jobs=40, processors=32, seed=1), folder / "w.swf")
    w = ps.read_swf(folder / "w.swf")
    front = ps.explore(w, folder / "run", evaluations=20, population=10, seed=1)
    ps.save_front(front, folder / "front.parquet")
    machine = ps.Machine((ps.NodeKind("n[1-4]", 8, 16000),))
    asked = ps.Requests(tasks=w.width)
    ps.save_log(w.with_(machine=machine, requests=asked, capacity=32), folder / "nodes.parquet")
    ps.save_machine(machine, folder / "machine.toml")
    ps.save_policy("easy", folder / "policy.json")
    ps.save_policy(ps.greedy(["f1"] * 3, np.ones(36)), folder / "greedy.json")
    ps.save_wish("AWRT1", folder / "wish.json")
    ps.save_wish(LIMITED, folder / "limits.json")
    (folder / "groups.csv").write_text("1,staff\n", encoding="utf-8")
    shared = ps.simulate(w, "scojo")
    ps.save_segments(shared, folder / "segments.csv")
    ps.save_schedule(ps.simulate(w, "easy"), folder / "schedule.csv")
    generator = np.random.default_rng(1)
    bag, nodes = pa.paper_bag(5, generator), pa.paper_nodes(2, generator)
    pa.save_jobs(bag, folder / "jobs.csv")
    pa.save_nodes(nodes, folder / "nodes.csv")
    (folder / "past.csv").write_text("job,size,workload\na,1,2\n", encoding="utf-8")
    easy, figure = ps.simulate(w, "easy"), ps.figures(front, {})["util-awrt"]
    return House(folder, w, front, easy, ps.compare(w, "fcfs"), bag, nodes, shared, figure)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """One fold and small efforts, which no argument can ask for."""
    monkeypatch.setattr(class_choice, "FOLDS", (0.5,))
    efforts = {"priority": {"evaluations": 40}, "greedy": {"criterion": "f1", "generations": 1}}
    monkeypatch.setattr(class_choice, "EFFORTS", efforts)


def arguments(house: House, out: Path) -> dict[str, dict[str, Any]]:
    """Return arguments that are right, for every public function but those that fetch or draw with a browser."""
    f, w, front, schedule = house.folder, house.workload, house.front, house.schedule
    history = pa.learn(pa.History(), "a", 1, 2.0)
    figure = house.figure
    generator = np.random.default_rng(1)
    short = {"evaluations": 20, "population": 10, "seed": 1}
    objects: dict[str, dict[str, Any]] = {
        "as_workload": {"what": w},
        "read_swf": {"path": f / "w.swf"},
        "write_swf": {"workload": w, "path": out / "w.swf"},
        "load_log": {"path": f / "nodes.parquet"},
        "save_log": {"workload": ps.load_log(f / "nodes.parquet"), "path": out / "nodes.parquet"},
        "read_machine": {"path": f / "machine.toml"},
        "save_machine": {"machine": ps.read_machine(f / "machine.toml"), "path": out / "machine.toml"},
        "reopen": {"place": f / "run"},
        "reading_limits": {"cells": 10**6},
        "lublin": {"jobs": 5},
        "scale": {"workload": w, "processors": 64},
        "resample": {"workload": w},
        "split": {"workload": w, "until": 0.5},
        "by_consumption": {"workload": w},
        "by_csv": {"workload": w, "path": f / "groups.csv"},
        "by_queue": {"workload": w},
        "import_log": {"source": "slurm", "file": ACCOUNTING / "slurm-all.txt", "path": out / "imported.swf"},
        "by_swf_group": {"workload": w},
        "describe": {"workload": w},
        "as_policy": {"policy": "easy"},
        "load_policy": {"path": f / "policy.json"},
        "save_policy": {"policy": "easy", "path": out / "policy.json"},
        "greedy": {"criteria": ["f1"] * 3, "genes": np.ones(36), "groups": w.groups},
        "explain": {"policy": "easy"},
        "decode": {"workload": w, "order": np.arange(len(w))},
        "predictions": {"workload": w, "policy": "easy"},
        "simulate": {"workload": w, "policy": "easy"},
        "start_order": {"schedule": schedule},
        "load_schedule": {"workload": w, "path": f / "schedule.csv"},
        "load_segments": {"workload": w, "path": f / "segments.csv"},
        "save_schedule": {"schedule": schedule, "path": out / "schedule.csv"},
        "save_segments": {"schedule": house.shared, "path": out / "segments.csv"},
        "objective_table": {"groups": w.groups},
        "objectives": {"schedule": schedule},
        "waits": {"schedule": schedule},
        "bounds": {"workload": w},
        "evaluator": {"workload": w, "encoding": "weighting"},
        "problem": {"workload": w},
        "explore": {"workload": w, "run_directory": out / "run", "algorithm": "archive", "wish": "AWRT1", **short},
        "frame": {"front": front},
        "merge": {"fronts": [front]},
        "row_policy": {"front": front, "row": 0},
        "schedules": {"front": front, "rows": [0], "workload": w},
        "load_front": {"path": f / "run"},
        "save_front": {"front": front, "path": out / "front.parquet"},
        "contributions": {"inputs": front},
        "indicators": {"front": front, "inputs": front},
        "nearest": {"wish": "AWRT1", "front": front},
        "answer": {"wish": "AWRT1", "front": front, "workload": w},
        "group_gains": {"front": front, "workload": w},
        "as_wish": {"what": "AWRT1", "groups": w.groups},
        "load_wish": {"path": f / "wish.json"},
        "save_wish": {"wish": ps.Wish(weights=[("AWRT1", 1)]), "path": out / "wish.json"},
        "train": {"workloads": w, "wish": "AWRT1", "criterion": "f1", "generations": 1},
        "train_best": {"workloads": w, "wish": "AWRT1"},
        "train_rules": {
            "workloads": w,
            "wish": "AWRT1",
            "kind": "iterative",
            "evaluations": 1,
            "greedy": f / "greedy.json",
        },
        "train_priority": {"workloads": w, "wish": "AWRT1", "evaluations": 60},
        "train_guarded": {"workloads": w, "wish": LIMITED, "evaluations": 3},
        "compare": {"workload": w, "policies": "easy", "front": front, "wish": "AWRT1"},
        "figures": {"front": front, "marks": {}},
    }
    others: dict[str, dict[str, Any]] = {
        "assignment.assign": {"bag": house.bag, "nodes": house.nodes, "method": "lpt"},
        "assignment.at_least": {"bag": house.bag, "nodes": house.nodes},
        "assignment.cluster_bag": {"jobs": 3, "generator": generator},
        "assignment.cluster_nodes": {"nodes": 3, "generator": generator},
        "assignment.divisible": {"bag": house.bag, "nodes": house.nodes},
        "assignment.estimate": {"history": history, "name": "a", "size": 1.0},
        "assignment.learn": {"history": history, "name": "a", "size": 1.0, "workload": 2.0},
        "assignment.paper_bag": {"jobs": 3, "generator": generator},
        "assignment.paper_nodes": {"nodes": 3, "generator": generator},
        "assignment.queues": {"history": history, "bag": house.bag},
        "assignment.read_history": {"path": f / "past.csv"},
        "assignment.read_jobs": {"path": f / "jobs.csv"},
        "assignment.read_nodes": {"path": f / "nodes.csv"},
        "assignment.save_assignment": {
            "assignment": pa.assign(house.bag, house.nodes, "lpt"),
            "path": out / "assignment.csv",
        },
        "assignment.save_jobs": {"bag": house.bag, "path": out / "jobs.csv"},
        "assignment.save_nodes": {"nodes": house.nodes, "path": out / "nodes.csv"},
        "assignment.slopes": {"history": history, "name": "a"},
        "report.write_figure": {"path": out / "a.html", "title": "a", "drawn": figure},
        "report.write_figures": {"path": out / "b.html", "title": "b", "drawn": {"a": figure}, "captions": {}},
        "report.write_gallery": {"path": out / "c.html", "title": "c", "captions": {}},
        "report.write_report": {"path": out / "d.html", "front": None, "comparison": house.comparison},
    }
    return {f"paretosched.{name}": words for name, words in (objects | others).items()}


LIMITED = "AWRT1, AWRT <= EASY"  # a wish for functions that ask for limits
ELSEWHERE = {"paretosched.fetch", "paretosched.report.export_figures"}  # they need a network, or a browser


def outcome_of(name: str, words: dict[str, Any]) -> Any:
    """Return what a public function returns; generators and contexts are used, so that nothing is left for later."""
    result = FUNCTIONS[name](**words)
    if hasattr(result, "__enter__"):
        with result as inside:
            return inside
    return list(result) if inspect.isgenerator(result) else result


def refusal(name: str, words: dict[str, Any]) -> str | None:
    """Return the message with which a public function refuses its arguments; None if it takes them."""
    try:
        outcome_of(name, words)
    except ps.InputError as error:
        return str(error)
    return None


def summary(result: Any) -> str:
    """Return a result as text without the seconds that it took; of functions only that they are some."""
    if isinstance(result, ps.Training):
        return training_json(result)
    digest = getattr(result, "digest", "")
    return f"{digest} function" if callable(result) else f"{digest} {result!r}"


def ways(house: House, parameter: inspect.Parameter, words: dict[str, Any]) -> Iterator[Any]:
    """Yield the ways in which an argument may be given: as a value, in words and as a path."""
    f, w, front = house.folder, house.workload, house.front
    # the thirteenth strategy of a rule base must be a Greedy policy, which has no name
    annotation = "greedy" if parameter.name == "greedy" else str(parameter.annotation)
    wish, place = (LIMITED, f / "limits.json") if words.get("wish") == LIMITED else ("AWRT1", f / "wish.json")
    kinds: dict[str, tuple[Any, ...]] = {
        "WorkloadLike": (w, f / "w.swf", str(f / "w.swf"), f / "run"),
        "PolicyLike": (ps.as_policy("easy"), "easy", f / "policy.json", str(f / "policy.json")),
        "greedy": (ps.load_policy(f / "greedy.json"), str(f / "greedy.json")),
        "WishLike": (ps.as_wish(wish, w), wish, place, str(place)),
        "FrontLike": (front, f / "run", str(f / "run"), f / "front.parquet"),
        "GroupsLike": (w, front, w.groups, list(w.groups), f / "w.swf", f / "run"),
        "Encoding": ("weighting", ps.Weighting()),
        "Explored": ("weighting", ps.Weighting()),
        "Weighting": ("weighting", ps.Weighting()),
        "MachineLike": (ps.read_machine(f / "machine.toml"), f / "machine.toml", str(f / "machine.toml")),
    }
    if "nodes.parquet" in str(words):
        kinds["WorkloadLike"] = (ps.load_log(f / "nodes.parquet"), f / "nodes.parquet")
    if "imported" in str(words):
        kinds.pop("MachineLike")  # it would be written as another kind of log
    for kind, values in kinds.items():
        if re.search(rf"\b{kind}\b", annotation):
            yield from values
            if f"Sequence[{kind}" in annotation:
                yield [values[-1]]


def parameters_of(name: str) -> list[inspect.Parameter]:
    """Return the parameters of a public function that can be given by name."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    return [parameter for parameter in parameters if parameter.kind is not inspect.Parameter.VAR_POSITIONAL]


def test_every_public_function_is_tried(house: House, tmp_path: Path) -> None:
    calls = arguments(house, tmp_path)
    assert FUNCTIONS.keys() - calls.keys() == ELSEWHERE
    assert calls.keys() <= FUNCTIONS.keys()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_public_function_asks_for_a_value_that_has_other_forms(name: str) -> None:
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        bare = re.search(r"\b(Workload|Policy|Wish|Front|Encoding|Explored|Weighting)\b", str(parameter.annotation))
        assert bare is None or re.search(r"\bstr\b", str(parameter.annotation)), parameter


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - ELSEWHERE))
def test_words_and_paths_give_what_values_give(house: House, tmp_path: Path, name: str) -> None:
    words = arguments(house, tmp_path)[name]
    expected = summary(outcome_of(name, words))
    for parameter in parameters_of(name):
        for value in ways(house, parameter, words):
            assert summary(outcome_of(name, words | {parameter.name: value})) == expected, parameter


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - ELSEWHERE))
def test_what_is_neither_is_refused_in_one_line(house: House, tmp_path: Path, name: str) -> None:
    words = arguments(house, tmp_path)[name]
    refusals = 0
    for parameter in parameters_of(name):
        annotation = str(parameter.annotation)
        wrong = [object(), *([None] if "None" not in annotation else [])]
        if re.search(r"\b(int|float|ArrayLike)\b", annotation) is None:
            wrong.append(3)
        for value in wrong:
            message = refusal(name, words | {parameter.name: value})
            refusals += message is not None
            assert message is None or len(message.splitlines()) == 1
    assert refusals or not words


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda house, _: ps.as_policy("eazy"), "easy"),
        (lambda house, _: ps.as_policy("scojo-op"), "scojo-opt"),
        (lambda house, _: ps.as_wish("AWRT9", house.workload), "AWRT"),
        (lambda house, _: ps.as_wish("10*AWRT1, UTIL2 >= 50 %", house.workload), "UTIL"),
        (lambda house, _: ps.as_workload(house.folder / "w.swf", groups="quue"), "queue"),
        (lambda house, out: ps.explore(house.workload, out / "r", encoding="sequenc"), "sequence"),
        (lambda house, out: ps.explore(house.workload, out / "r", algorithm="nsag2"), "nsga2"),
        (lambda house, _: ps.evaluator(house.workload, "weights").__enter__(), "weighting"),
        (lambda house, _: ps.train(house.workload, "AWRT1", criterion="f11"), "f1"),
        (lambda house, _: ps.decode(house.workload, [0], "earlist"), "earliest"),
        (lambda house, _: ps.simulate(house.workload, "easy", "predict"), "predicted"),
        (lambda house, _: rows_of("paper02"), "paper002"),
        (lambda house, _: ps.objectives(house.schedule)["AWTR1"], "AWRT1"),
        (lambda house, _: pa.assign(house.bag, house.nodes, "lptt"), "lpt"),
    ],
)
def test_an_unknown_word_is_refused_with_the_nearest_one(
    house: House, tmp_path: Path, call: Callable[[House, Path], Any], nearest: str
) -> None:
    with pytest.raises(ps.InputError, match=rf"; did you mean {nearest}\?$"):
        call(house, tmp_path)


WRONG: dict[str, tuple[Callable[[House], Any], str]] = {
    "letters as groups": (lambda _: ps.greedy(["f1"] * 3, np.ones(36), groups="12345"), "12345: no such file"),
    "no groups": (lambda _: ps.greedy(["f1"] * 3, np.ones(36), groups=None), "groups are given as"),  # type: ignore[arg-type]
    "log": (lambda _: ps.fetch(3), "name of a log"),  # type: ignore[arg-type]
    "folder": (lambda _: ps.fetch("CTC-SP2", 3), "a path must be"),  # type: ignore[arg-type]
    "address": (lambda house: ps.fetch("CTC-SP2", house.folder, base_url=3), "base_url"),  # type: ignore[arg-type]
    "symbiosis": (lambda house: ps.train_rules(house.workload, "AWRT1", symbiosis=3), "symbiosis"),  # type: ignore[arg-type]
    "unused symbiosis": (
        lambda house: ps.train_rules(house.workload, "AWRT1", kind="iterative", symbiosis=3),  # type: ignore[arg-type]
        "symbiosis",
    ),
    "scheduler": (lambda house: ps.train(house.workload, "AWRT1", scheduler=3), "scheduler"),  # type: ignore[arg-type]
    "certificates": (
        lambda house: ps.evaluator(house.workload, "weighting", scheduler="tls://x:1", tls=("a",)).__enter__(),  # type: ignore[arg-type]
        "tls must be three files",
    ),
    "list as a frame": (lambda _: ps.Workload.from_frame([1]), "frame"),
    "word as a mark": (lambda house: ps.figures(house.front, {"EASY": "easy"}), "mark EASY"),  # type: ignore[dict-item]
    "schedule as a mark": (lambda house: ps.figures(house.front, {"EASY": house.schedule}), "mark EASY"),  # type: ignore[dict-item]
    "short mark": (lambda house: ps.figures(house.front, {"EASY": np.ones(1)}), "one value for each"),
    "word as figures": (lambda house: pr.export_figures("x", house.folder / "y"), "figures"),  # type: ignore[arg-type]
    "wish": (lambda _: ps.Wish("x"), "weights must be a list"),  # type: ignore[arg-type]
    "weights": (lambda _: ps.Wish(weights={"AWRT1": 1}), "pairs of objective and number"),  # type: ignore[arg-type]
    "words as a limit": (lambda _: ps.Wish(limits=["AWRT1 <= 3"]), "type Limit"),  # type: ignore[list-item]
    "objective of a limit": (lambda _: ps.Limit("x"), "an objective must be"),
    "end of a limit": (lambda _: ps.Limit("AWRT1", low="x"), "limits of AWRT1"),  # type: ignore[arg-type]
    "rules": (lambda _: ps.Symbiosis("x"), "rules must be a whole number"),  # type: ignore[arg-type]
    "weighting": (lambda _: ps.Weighting(3), "backfill must be one of"),  # type: ignore[arg-type]
    "orders": (lambda _: ps.Orders("x"), "backfill must be one of"),
    "sequences": (lambda _: ps.Sequences(decoding="x"), "decoding must be one of"),
    "starts": (lambda _: ps.Sequences(starts="submit"), "starts must be a list"),  # type: ignore[arg-type]
    "shares": (lambda _: ps.Shares("x"), "hour of shares"),  # type: ignore[arg-type]
    "grouping": (lambda _: ps.Grouping("x"), "least of a grouping"),  # type: ignore[arg-type]
    "optimisation": (lambda _: ps.Optimisation("x"), "method must be one of"),
    "grouping of an optimisation": (lambda _: ps.Optimisation(medium=3), "medium"),  # type: ignore[arg-type]
    "interval": (lambda _: ps.TimeSharing(interval="x"), "interval must be a number"),  # type: ignore[arg-type]
    "optimisation of a policy": (lambda _: ps.TimeSharing(optimisation="x"), "optimisation"),  # type: ignore[arg-type]
    "carry": (lambda _: ps.lublin(jobs=5, carry="x"), "carry"),  # type: ignore[arg-type]
    "log as a front": (lambda house: ps.load_front(house.folder / "w.swf"), "is a file of another kind"),
    "picture of a front": (lambda house: ps.save_front(house.front, house.folder / "f.png"), "must end in .parquet"),
    "no fronts": (lambda _: ps.merge([]), "there is no front to merge"),
}


@pytest.mark.parametrize("name", WRONG)
def test_values_that_cannot_be_meant_are_refused_where_they_are_given(house: House, name: str) -> None:
    call, words = WRONG[name]
    with pytest.raises(ps.InputError, match=re.escape(words)) as error:
        call(house)
    assert len(str(error.value).splitlines()) == 1


def test_groups_of_a_policy_come_from_the_path_of_a_log_also_as_text(house: House) -> None:
    policy = ps.greedy(["f1"] * 3, np.ones(36), groups=str(house.folder / "w.swf"))
    assert policy.groups == house.workload.groups


@pytest.mark.parametrize(
    "value",
    [
        *(ps.Weighting("none", "earliest"), ps.Orders("none"), ps.Sequences(moves="later", movable="hour")),
        *(ps.Limit("AWRT1", 1, 2), ps.Shares(6), ps.Grouping(3), ps.Optimisation(search="lds")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_checked_when_made_are_sent_to_workers(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value
    assert inspect.signature(type(value)).parameters.keys() == value._asdict().keys()


def test_a_front_is_a_table_for_other_programs_if_its_name_ends_so(house: House, tmp_path: Path) -> None:
    ps.save_front(house.front, tmp_path / "f.CSV")
    table = pd.read_csv(tmp_path / "f.CSV")
    assert list(table.columns) == list(house.front.frame().columns)
    assert len(table) == len(house.front)


def test_an_encoding_as_a_value_continues_the_run_that_its_words_began(house: House, tmp_path: Path) -> None:
    short: dict[str, Any] = {"evaluations": 8, "population": 4}
    began = ps.explore(house.workload, tmp_path / "run", backfill="none", **short)
    again = ps.explore(house.workload, tmp_path / "run", encoding=ps.Weighting("none"), **short)
    assert again.values.tobytes() == began.values.tobytes()
    of_value = ps.explore(
        house.workload, tmp_path / "moved", encoding=ps.Sequences(moves="adjacent"), frequency=5, **short
    )
    words = ps.explore(house.workload, tmp_path / "moved", encoding="sequence", moves="adjacent", frequency=5, **short)
    assert words.values.tobytes() == of_value.values.tobytes()
    for wrong, message in (
        ({"encoding": ps.Weighting("none"), "backfill": "easy"}, "backfill must not be given with Weighting"),
        ({"encoding": ps.Weighting()._replace(backfill="eazy")}, "did you mean easy"),
        ({"encoding": ps.Sequences(starts=("random",))}, "say with start how it begins"),
        (
            {"encoding": ps.Weighting},
            "encoding must be one of weighting, orders, sequence, priority, limits, or a value of these",
        ),
    ):
        with pytest.raises(ps.InputError, match=message):
            ps.explore(house.workload, tmp_path / "other", **short | wrong)
