"""Searches that do not wait for the slowest: the same archive, whatever ends first, is killed, or joins."""

import math
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.arrays import Floats
from paretosched.core.errors import InputError
from paretosched.search import exploration, resuming
from paretosched.search.algorithms.named_algorithms import lag_of
from paretosched.search.evaluation import QUEUED, Simulations, simulate_batch
from paretosched.search.exploration import Progress, explore
from paretosched.search.runs import parameter_differences, read_about
from paretosched.wishes.wish import Limit, Wish
from paretosched.wishes.wish_files import to_json
from support.exploring import random_workload
from support.runs import equal_runs
from support.trainings import archive

W = random_workload()
WORDS: dict[str, Any] = {"population": 20, "seed": 4, "algorithm": "archive", "lag": 30, "evaluations": 260}


class Killed(BaseException):
    """As a kill, after which nothing is written any more."""


class Disorder:
    """Slots of which nobody knows which one ends next; the most that were running is remembered."""

    def __init__(self, seed: int, slots: int, dies_after: float = math.inf) -> None:
        self.random, self.slots, self.left = random.Random(seed), slots, dies_after
        self.tasks: list[tuple[int, Any]] = []
        self.most = 0

    @contextmanager
    def __call__(self, workloads: Sequence[Any], encoding: Any, *where: Any) -> Iterator[Simulations]:
        simulated = [(w, encoding.decoder(w)) for w in workloads]

        def start(parts: Sequence[tuple[int, Floats]], everything: Floats) -> None:
            self.tasks += [(n, simulate_batch(simulated, (genomes, everything), where[-1])) for n, genomes in parts]
            self.most = max(self.most, sum(len(values) for _, (values, _) in self.tasks))

        def wait() -> list[tuple[int, Any]]:
            if self.left <= 0:
                raise Killed
            count = self.random.randint(1, len(self.tasks))
            self.random.shuffle(self.tasks)
            ended, self.tasks = self.tasks[:count], self.tasks[count:]
            self.left -= count
            return ended

        yield Simulations(sum(len(w.groups) + 2 for w in workloads), lambda: self.slots, start, wait)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("lag") / "run"
    explore(W, run, **WORDS)
    return run


@pytest.mark.parametrize("slots", [1, 2, 5, 40])
def test_the_order_in_which_simulations_end_changes_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slots: int
) -> None:
    for seed in range(3):
        disorder = Disorder(seed, slots)
        monkeypatch.setattr(exploration, "simulations", disorder)
        explore(W, tmp_path / str(seed), **WORDS)
        equal_runs(whole, tmp_path / str(seed))
        assert disorder.most <= 60  # the first ones; then at most the lag


def test_as_many_as_the_lag_are_in_flight_and_nobody_waits_for_a_generation() -> None:
    """After the first ones, exactly 30 genomes are asked for ahead of the results, in tasks that leave slots busy."""
    sizes: list[int] = []
    there = Simulations(5, lambda: 2, lambda parts, _: sizes.extend(len(g) for _, g in parts), list)
    there.submit(np.zeros((300, 1)), 0, there.stream_sizes(300, 30))
    assert max(sizes) <= 30 // (QUEUED * 2)


def test_few_genomes_wait_for_others_as_long_as_every_slot_has_a_task_behind_the_one_it_runs() -> None:
    sizes: list[int] = []
    there = Simulations(5, lambda: 2, lambda parts, _: sizes.extend(len(g) for _, g in parts), list)
    for count, known in ((19, [4, 4, 4, 4]), (3, []), (5, [4])):  # 4 a task; 16 of 19 start, then nothing of 3, 4 of 5
        of_tasks = there.stream_sizes(count, 100)
        assert of_tasks == known
        there.submit(np.zeros((count, 1)), 0, of_tasks)
    there.running = 3
    assert there.stream_sizes(1, 100) == [1]
    assert sizes == [4] * 5


@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_is_killed_at_any_moment_goes_on_to_the_same_archive(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    deaths = []
    while True:
        monkeypatch.setattr(exploration, "simulations", Disorder(chance.randrange(99), 3, chance.randrange(1, 9)))
        with monkeypatch.context() as patch:  # a kill publishes nothing
            patch.setattr(exploration._Publisher, "publish", lambda *_: None)
            patch.setattr(resuming.Record, "take_stored", lambda *_: None)
            try:
                explore(W, tmp_path / "run", **WORDS)
                break
            except Killed:
                deaths.append(len(archive(tmp_path / "run")) if (tmp_path / "run").exists() else 0)
    explore(W, tmp_path / "run", **WORDS)
    equal_runs(whole, tmp_path / "run")
    assert sorted(deaths) == deaths
    assert deaths


@pytest.mark.parametrize("steps", [(30, 260), (59, 61, 140, 260)])
def test_a_run_that_is_continued_equals_one_that_went_through(
    whole: Path, tmp_path: Path, steps: tuple[int, ...]
) -> None:
    for evaluations in steps:
        explore(W, tmp_path / "run", **WORDS | {"evaluations": evaluations})
    equal_runs(whole, tmp_path / "run")


@pytest.mark.slow
def test_worker_processes_make_the_same_archive(whole: Path, tmp_path: Path) -> None:
    explore(W, tmp_path / "run", workers=2, **WORDS)
    equal_runs(whole, tmp_path / "run")


def test_what_ends_together_is_stored_together(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def store(run: Any, generations: Sequence[int], first: int, batch: Any) -> None:
        calls.append(len(batch))
        resuming_append(run, generations, first, batch)

    resuming_append = resuming.append
    disorder = Disorder(1, 40)
    waited, wait = [], Simulations.results
    monkeypatch.setattr(Simulations, "results", lambda there: waited.append(wait(there)) or waited[-1])
    monkeypatch.setattr(exploration, "simulations", disorder)
    monkeypatch.setattr(resuming, "append", store)
    explore(W, tmp_path / "run", **WORDS)
    equal_runs(whole, tmp_path / "run")
    assert sum(calls) == 260
    assert len(calls) <= len(waited) < sum(map(len, waited))  # tasks


@pytest.mark.parametrize("algorithm", ["random", "all"])
def test_what_depends_on_no_result_is_the_same_in_any_order(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    words: dict[str, Any] = {"population": 20, "seed": 4, "algorithm": algorithm, "evaluations": 130}
    if algorithm == "all":
        words = {"encoding": "orders", "population": 7}
    explore(W, tmp_path / "a", **words)
    monkeypatch.setattr(exploration, "simulations", Disorder(1, 4))
    explore(W, tmp_path / "b", **words)
    equal_runs(tmp_path / "a", tmp_path / "b")
    assert "lag" not in read_about(tmp_path / "b")["parameters"]


def test_the_lag_is_a_parameter_of_the_run(whole: Path, tmp_path: Path) -> None:
    assert read_about(whole)["parameters"]["lag"] == 30
    shutil.copytree(whole, tmp_path / "run")
    reports: list[Progress] = []
    explore(W, tmp_path / "run", **{k: v for k, v in WORDS.items() if k != "lag"}, progress=reports.append)
    assert [p.replayed for p in reports] == [260]
    with pytest.raises(InputError, match="its lag is 30, not 31"):
        explore(W, tmp_path / "run", **WORDS | {"lag": 31})
    explore(W, tmp_path / "other", evaluations=20, population=20, algorithm="archive")
    assert read_about(tmp_path / "other")["parameters"]["lag"] == 20


def test_a_lag_has_its_range_and_its_algorithm() -> None:
    assert (lag_of("archive", 70, None), lag_of("archive", 70, 5)) == (70, 5)
    assert (lag_of("nsga2", 70, None), lag_of("random", 70, None)) == (None, math.inf)
    for lag in (0, 100_001):
        with pytest.raises(InputError, match=rf"lag must be in 1\.\.100000 evaluations, but is {lag}"):
            lag_of("archive", 70, lag)
    for algorithm, why in (("nsga2", "has generations"), ("random", "depends on no results")):
        with pytest.raises(InputError, match=f'lag must not be given with the algorithm "{algorithm}", which {why}'):
            lag_of(algorithm, 70, 5)


def test_generations_of_a_lag_are_as_long_as_it_is(whole: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(whole / "run.sqlite")
    rows = connection.execute("select number, generation from evaluation order by number").fetchall()
    connection.close()
    assert rows == [(i, i // 30) for i in range(260)]


def test_what_a_killed_process_left_goes_when_the_run_is_continued(tmp_path: Path) -> None:
    explore(W, tmp_path / "run", population=4, evaluations=4)
    (tmp_path / "run" / ".front.parquet.0123456789ab.part").write_bytes(b"half")
    explore(W, tmp_path / "run", population=4, evaluations=8)
    assert not [*(tmp_path / "run").glob(".*")]


def test_what_all_else_follows_from_is_named_first() -> None:
    about = {"parameters": {"seed": 2, "population": 10, "encoding": "weighting"}}
    first, *others = parameter_differences(about, {"seed": 0, "population": 10, "encoding": "priority"})
    assert "its encoding is weighting, not priority" in first
    assert len(others) == 1


@pytest.mark.parametrize(
    ("wish", "words"), [(to_json(Wish([("AWRT1", 10)])), "10*AWRT1"), ({"of": "no program"}, "{'of': 'no program'}")]
)
def test_wishes_that_differ_are_said_in_words(wish: dict[str, Any], words: str) -> None:
    asked = to_json(Wish([("AWRT2", 1)], limits=[Limit("AWRT", 0, 1.02, "easy")]))
    (difference,) = parameter_differences({"parameters": {"wish": wish}}, {"wish": asked})
    assert difference.endswith(f"but its wish is {words}, not AWRT2, AWRT <= 1.02*EASY")
