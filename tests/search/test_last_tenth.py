"""How far a search is, and where it stops."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.fronts.dominance import costs
from paretosched.fronts.front_files import load_front
from paretosched.search.aims import aim_of
from paretosched.search.algorithms.archive_search import Aim
from paretosched.search.algorithms.spaces import Search
from paretosched.search.exploration import Progress, explore
from paretosched.search.last_tenth import gain_of_last_tenth, gain_text, until
from paretosched.search.runs import read_about, read_values
from paretosched.simulation.objective import objective_table
from support.exploring import interrupt_if, random_workload, two_workers
from support.runs import equal_runs

W = random_workload(jobs=100)
PLANE = Aim(np.eye(3)[1:], np.array([10.0, 10.0]))
SIZE: dict[str, Any] = {"population": 10, "seed": 3, "algorithm": "archive", "until": 0.02}


def area(points: np.ndarray, edge: float = 10.0) -> float:
    """What points in a plane dominate up to an edge, by a sweep."""
    total, top = 0.0, edge
    for x, y in sorted(map(tuple, points[(points < edge).all(axis=1)])):
        if y < top:
            total += (edge - x) * (top - y)
            top = y
    return total


def batches(count: int, size: int, seed: int = 0) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).uniform(-2, 14, size=(count, size, 3)))


def search_of(tables: list[np.ndarray]) -> Search:
    """A search that does not care what it is sent, and remembers how much."""
    for table in tables:
        sent = yield table
        assert sent.tolist() == table.tolist()


def stop_of(tables: list[np.ndarray], share: float, population: int, done: int = 0) -> int:
    """Return after how many evaluations a search stops."""
    search = until(search_of(tables), PLANE, share, population, done)
    genomes, count = next(search), 0
    while True:
        count += len(genomes)
        try:
            genomes = search.send(genomes)
        except StopIteration:
            return count


def naive_stop(tables: list[np.ndarray], share: float, population: int, done: int = 0) -> int:
    everything = np.concatenate(tables)
    counts = np.cumsum([len(table) for table in tables])
    end, before = 10 * population, 9 * population
    while end <= len(everything):
        points = everything[:, 1:]
        best = points[:end].min(axis=0)
        scaled = [(points[:k] - best) / (10 - best) for k in (before, end)]
        volumes = [area(part, 1.0) for part in scaled]
        sent = int(counts[counts >= end][0])
        if sent >= done and volumes[1] / volumes[0] - 1 < share:
            return sent
        before, end = end, int(np.ceil(end / 0.9))
    return len(everything)


@pytest.mark.parametrize("share", [0.2, 0.05, 0.02, 1e-3])
@pytest.mark.parametrize("done", [0, 60, 70, 10_000])
def test_it_stops_where_a_sweep_of_all_points_says(share: float, done: int) -> None:
    stops = set()
    for seed in range(4):
        for sizes in ((40, 5), (12, 17), (200, 1)):
            tables = batches(*sizes, seed=seed)
            stop = stop_of(tables, share, 5, done)
            assert stop == naive_stop(tables, share, 5, done)
            stops.add(stop)
    assert len(stops) > 1


@pytest.mark.usefixtures("fine_hypervolumes")
def test_the_gain_is_that_of_the_dominated_share_in_one_box() -> None:
    for seed in range(5):
        table = batches(1, 200, seed)[0]
        table[:180, 1:] += 1
        best = table[:, 1:].min(axis=0)
        scaled = (table[:, 1:] - best) / (10 - best)
        expected = area(scaled, 1.0) / area(scaled[:180], 1.0) - 1
        assert gain_of_last_tenth(table, PLANE) == pytest.approx(expected, rel=1e-3)


def test_the_gain_of_little_is_unknown_and_of_the_first_in_the_box_infinite() -> None:
    table = np.full((20, 3), 12.0)
    assert gain_of_last_tenth(table[:9], PLANE) is None
    table[-1] = 5.0
    assert gain_of_last_tenth(table, PLANE) == np.inf
    assert gain_text(np.inf) == "before the last tenth of the work nothing was in the box"
    table[0] = 5.0
    assert gain_of_last_tenth(table, PLANE) == 0


def test_it_is_said_if_nothing_has_ever_been_in_the_box() -> None:
    table = np.full((20, 3), 12.0)
    table[-1, 1] = table[0, 2] = 5.0  # each is good for one group alone
    gain = gain_of_last_tenth(table, PLANE)
    assert gain is not None
    assert np.isnan(gain)
    assert gain_text(gain).startswith("no schedule is in the box yet")


def test_a_run_stops_and_says_how_many_there_were(tmp_path: Path) -> None:
    reports: list[Progress] = []
    front = explore(W, tmp_path / "run", evaluations=3000, progress=reports.append, **SIZE)
    count = front.evaluations
    assert 100 <= count < 3000
    assert read_about(tmp_path / "run")["evaluations"] == {"wanted": count, "done": count}
    assert (reports[-1].evaluations, reports[-1].total) == (count, count)
    values, _ = read_values(tmp_path / "run")
    table, aim = costs(values, objective_table(W.groups)), aim_of(W)
    gains = {}
    ends = [100]
    while ends[-1] < count:
        ends.append(int(np.ceil(ends[-1] / 0.9)))
    for before, end in pairwise([90, *(end for end in ends if end <= count)]):
        coordinates = table[:end] @ aim.rows.T
        best = coordinates.min(axis=0)
        scaled = (coordinates - best) / (aim.edge - best)
        gains[end] = share_of_box(scaled) / share_of_box(scaled[:before]) - 1
    *earlier, last = gains.values()
    assert last < 0.022  # by other directions than those of the search
    assert all(gain > 0.018 for gain in earlier)


def share_of_box(points: np.ndarray) -> float:
    """Return the share of the unit box that points dominate, exactly."""
    import moocore

    return float(moocore.hypervolume(points, ref=np.ones(points.shape[1])))


def test_it_stops_at_the_same_evaluation_after_interruptions(tmp_path: Path) -> None:
    whole = explore(W, tmp_path / "whole", evaluations=3000, **SIZE)
    for moment in (1, 3, 5):
        stop = interrupt_if(lambda progress, moment=moment: progress.generation >= moment)
        with pytest.raises(KeyboardInterrupt):
            explore(W, tmp_path / "run", evaluations=3000, progress=stop, **SIZE)
    explore(W, tmp_path / "run", evaluations=3000, **SIZE)
    equal_runs(tmp_path / "whole", tmp_path / "run")
    for _ in range(2):  # it is finished, and stays so
        again = explore(W, tmp_path / "run", **SIZE)
        assert again.evaluations == whole.evaluations
    equal_runs(tmp_path / "whole", tmp_path / "run")
    last = explore(W, tmp_path / "run", **SIZE | {"until": 0.005}, evaluations=whole.evaluations + 500)
    assert last.evaluations > whole.evaluations
    more = explore(W, tmp_path / "run", **SIZE | {"until": None}, evaluations=last.evaluations + 40)
    assert more.evaluations == last.evaluations + 40
    assert explore(W, tmp_path / "run", **SIZE).evaluations >= more.evaluations  # nothing is taken back
    assert load_front(tmp_path / "run").evaluations >= more.evaluations


@pytest.mark.slow
def test_it_stops_at_the_same_evaluation_with_workers(tmp_path: Path) -> None:
    explore(W, tmp_path / "none", evaluations=3000, **SIZE)
    with two_workers() as scheduler:
        explore(W, tmp_path / "two", evaluations=3000, scheduler=scheduler, **SIZE)
    equal_runs(tmp_path / "none", tmp_path / "two")


@pytest.mark.parametrize("words", [{"algorithm": "nsga2"}, {"algorithm": "random", "encoding": "sequence"}])
def test_every_search_can_stop(tmp_path: Path, words: dict[str, Any]) -> None:
    front = explore(W, tmp_path / "run", population=10, until=0.3, evaluations=2000, **words)
    assert 100 <= front.evaluations < 2000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"until": 0}, "until must be a share above 0 and below 1, such as 0.001, but is 0"),
        ({"until": 2}, "until must be a share above 0 and below 1, such as 0.001, but is 2"),
        ({"until": "2"}, "until must be a share above 0 and below 1, such as 0.001, but is 2"),
        ({"until": "soon"}, "until must be a number"),
        ({"until": float("nan")}, "until must be a"),
        ({"until": 0.1, "algorithm": "rvea"}, 'with the algorithm "rvea", whose genomes depend on how many there will'),
        (
            {"until": 0.1, "encoding": "orders"},
            'until must not be given with the algorithm "all", which ends by itself',
        ),
    ],
)
def test_what_cannot_stop_is_refused(tmp_path: Path, words: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        explore(W, tmp_path / "run", population=10, evaluations=100, **words)
    assert not (tmp_path / "run").exists()
