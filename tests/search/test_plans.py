"""Plans: Table 4 of paper 002 is all there, and rows are explored one after the other."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.fronts.front_files import load_front
from paretosched.fronts.merging import merge
from paretosched.fronts.row_schedules import schedules
from paretosched.search.exploration import explore
from paretosched.search.plans import PLANS, STARTS, SUMMARIES, Row, explore_plan, rows_of, settings_in, shorten
from paretosched.search.settings import settle
from paretosched.simulation.objective import utilisation_from_submission
from support.exploring import interrupt, interrupt_if, random_workload

CHOICES: dict[str, set[Any]] = {
    "encoding": {"weighting", "sequence", "orders"},
    "algorithm": {"nsga", "nsga2", "unsga3", "agemoea2", "rvea", "random", "all"},
    "backfill": {"none", "easy", "conservative"},
    "decoding": {"strict", "earliest"},
    "moves": {"adjacent", "swap", "later", "group", "pull", "fill", "both"},
    "movable": {"all", "processors", "hour", "either", "both"},
    "recombination": {"none", "ox", "pmx", "cycle"},
}
NUMBERS = {"population", "evaluations", "seed", "frequency", "jump"}
EVERY = [row for rows in PLANS.values() for row in rows]


def table4(name: str) -> dict[str, Any]:
    return dict(next(row for row in PLANS["paper002"] if row.name == name).settings)


def test_the_evaluations_of_paper_002_add_up_to_its_function_calls() -> None:
    calls = {row.name: row.settings["evaluations"] for row in PLANS["paper002"]}
    assert sum(calls.values()) == 153_080
    totals = {summary.name: sum(calls[name] for name in summary.rows) for summary in SUMMARIES}
    assert totals == {"nsga": 48_000, "nsga2": 84_000, "final": 153_080}


def test_every_row_is_what_the_paper_says() -> None:
    for name in ("nsga-adjacent", "nsga-swap", "nsga2-swap"):
        row = table4(name)
        assert (row["frequency"], row["evaluations"], row["start"]) == (5_000, 24_000, ("permutations",))
        assert row["recombination"] != "none"
        assert row["algorithm"] == name.split("-")[0]
    for name in ("nsga2-later", "nsga2-group"):
        row = table4(name)
        assert (row["frequency"], row["jump"], row["evaluations"]) == (5_000, 1_500, 30_000)
        assert (row["recombination"], row["start"], row["algorithm"]) == ("none", ("submit",), "nsga2")
    assert [table4(name)["jump"] for name in ("nsga-adjacent", "nsga-swap", "nsga2-swap")] == [1, 4_000, 4_000]
    assert table4("weighting")["evaluations"] == 20_000
    assert {table4(row.name)["population"] for row in PLANS["paper002"] if "moves" in row.settings} == {60}


# of the first four generations of each row, on made-up costs, as they were before there were archives and draws
PAPERS_GENOMES = {
    "workload-permutation": "7f8e8e8098c5c648",
    "queue-permutation": "6c71a9708cdeb619",
    "nsga-adjacent": "7fca6501a486b542",
    "nsga-swap": "c9f4f144e4303824",
    "nsga2-swap": "0ec4be1806daebee",
    "nsga2-later": "1899a77e97df592b",
    "nsga2-group": "1899a77e97df592b",
    "weighting": "3b6d7918d86bbf7d",
}


@pytest.mark.parametrize("row", rows_of("paper002"), ids=lambda row: row.name)
def test_what_became_better_leaves_the_paper_alone(row: Row) -> None:
    words = {key: value for key, value in row.settings.items() if key not in ("evaluations", "population", "seed")}
    w = random_workload(jobs=6000, groups=5)
    settings = settle(w, {}, seed=0, population=60, **words)
    assert not {"draw", "wish", "box", "surrogate"} & {*settings.parameters}
    asking, digest = settings.start_search(None), hashlib.sha256()
    genomes = next(asking)
    for _ in range(4):
        digest.update(np.round(genomes, 6).tobytes())
        genomes = asking.send(np.column_stack([genomes[:, 0] % 7, genomes[:, 3] % 5, genomes.sum(axis=1) % 11]))
    assert digest.hexdigest()[:16] == PAPERS_GENOMES[row.name]


def test_every_setting_is_one_of_its_choices() -> None:
    for row in EVERY:
        for key, value in row.settings.items():
            if key == "start":
                assert isinstance(value, tuple)
            elif key in CHOICES:
                assert value in CHOICES[key], (row.name, key)
            else:
                assert key in NUMBERS, (row.name, key)
                assert type(value) is int


def test_names_mean_one_row_each_and_are_names_of_directories() -> None:
    for rows in PLANS.values():
        assert len({row.name for row in rows}) == len(rows)
    by_name: dict[str, set[str]] = {}
    for row in EVERY:
        by_name.setdefault(row.name, set()).add(repr(row))
        assert row.name.replace("-", "").isalnum()
    assert all(len(kinds) == 1 for kinds in by_name.values())


def test_a_row_starts_from_words_or_from_rows_before_it() -> None:
    for rows in PLANS.values():
        before: set[str] = set()
        for row in rows:
            assert set(row.settings.get("start", ())) <= before | set(STARTS)
            before.add(row.name)


def test_algorithms_are_compared_at_equal_evaluations_with_three_seeds() -> None:
    for encoding in ("weighting", "sequence"):
        rows = [row.settings for row in PLANS["algorithms"] if row.settings["encoding"] == encoding]
        algorithms = {row["algorithm"] for row in rows}
        assert "random" in algorithms
        assert {(row["algorithm"], row["seed"]) for row in rows} == {(a, s) for a in algorithms for s in (1, 2, 3)}
        variables = {"algorithm", "seed"}
        assert len({repr({k: v for k, v in row.items() if k not in variables}) for row in rows}) == 1


def test_moves_are_compared_at_equal_evaluations_with_three_seeds() -> None:
    rows = [row.settings for row in PLANS["moves"] if row.settings["encoding"] == "sequence"]
    combinations = {(row["moves"], row["frequency"], row["seed"]) for row in rows}
    assert combinations == {(m, f, s) for m in ("pull", "fill", "both") for f in (50, 500, 5_000) for s in (1, 2, 3)}
    variables = {"moves", "frequency", "seed"}
    assert len({repr({k: v for k, v in row.items() if k not in variables}) for row in rows}) == 1


def test_rows_can_be_chosen_and_unknown_ones_are_named() -> None:
    assert rows_of("paper002") == PLANS["paper002"]
    assert [row.name for row in rows_of("better", ["weighting"])] == ["weighting"]
    with pytest.raises(InputError, match='plan must be one of paper002, better, algorithms, moves, but is "all"'):
        rows_of("all")
    with pytest.raises(InputError, match=r'row of the plan paper002 must be one of .*, but is "NSGA"'):
        rows_of("paper002", ["NSGA"])


def test_a_shortened_row_is_never_longer() -> None:
    row = rows_of("paper002", ["queue-permutation"])[0]
    assert shorten(row, 1_000, 10).settings == row.settings
    assert dict(shorten(rows_of("paper002", ["weighting"])[0], 60, 20).settings) == table4("weighting") | {
        "evaluations": 60,
        "population": 20,
    }


def test_a_start_that_is_a_row_becomes_its_run_directory(tmp_path: Path) -> None:
    row = rows_of("better", ["sequence-pull"])[0]
    with pytest.raises(
        InputError, match=r"row sequence-pull starts from the front of weighting, but .* is not finished"
    ):
        settings_in(row, tmp_path)
    assert settings_in(row, tmp_path, {"weighting"})["start"] == (str(tmp_path / "weighting"),)
    explore(random_workload(), tmp_path / "weighting", evaluations=20, population=10)
    assert settings_in(row, tmp_path)["start"] == (str(tmp_path / "weighting"),)
    assert settings_in(rows_of("paper002", ["nsga-swap"])[0], tmp_path)["start"] == ("permutations",)


SMALL = tuple(
    Row(
        f"small-{backfill}",
        "Small",
        {"backfill": backfill, "algorithm": "nsga2", "evaluations": 40, "population": 10, "seed": 1},
    )
    for backfill in ("none", "easy")
)


def test_rows_are_explored_into_directories_of_their_own_and_merged(tmp_path: Path) -> None:
    workload = random_workload()
    reports = []
    front = explore_plan(workload, tmp_path / "run", SMALL, progress=lambda row, p: reports.append((row.name, p.total)))
    runs = [load_front(tmp_path / "run" / row.name) for row in SMALL]
    assert {name for name, _ in reports} == {row.name for row in SMALL}
    assert front.values.tolist() == merge(runs).values.tolist() == load_front(tmp_path / "run").values.tolist()
    assert front.evaluations == 80


def test_the_utilisation_of_a_plan_is_that_of_the_papers(tmp_path: Path) -> None:
    workload = random_workload()
    words = {"encoding": "sequence", "decoding": "strict", "algorithm": "all", "start": ("random",), "population": 40}
    row = Row("random", "Random", words | {"evaluations": 40})
    front = explore_plan(workload, tmp_path / "plan", [row])
    alone = explore(workload, tmp_path / "alone", util_from="start", **row.settings)
    assert front.util_from == "start"
    assert front.values.tobytes() == alone.values.tobytes()
    early = [utilisation_from_submission(s) for s in schedules(front, range(len(front)), workload)]
    assert (front.values[:, 0] > early).any()
    own = explore_plan(workload, tmp_path / "own", [Row("own", "Own", row.settings | {"util_from": "submission"})])
    assert own.util_from == "submission"


def test_a_row_alone_is_merged_with_those_that_are_there_and_nothing_is_done_twice(tmp_path: Path) -> None:
    workload = random_workload()
    explore_plan(workload, tmp_path / "run", SMALL[:1])
    before = (tmp_path / "run" / "small-none" / "run.sqlite").read_bytes()
    front = explore_plan(workload, tmp_path / "run", SMALL[1:])
    assert {origin.name for origin in front.origins} == {"small-none", "small-easy"}
    assert (tmp_path / "run" / "small-none" / "run.sqlite").read_bytes() == before
    counts = []
    again = explore_plan(workload, tmp_path / "run", SMALL, progress=lambda row, p: counts.append(p.replayed))
    assert counts == [40, 40]
    assert again.values.tolist() == front.values.tolist()


def test_an_interrupted_plan_leaves_a_merged_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = random_workload()

    stop = interrupt_if(lambda row, progress: row.name == "small-easy" and progress.generation == 1)
    with pytest.raises(KeyboardInterrupt):
        explore_plan(workload, tmp_path / "run", SMALL, progress=stop)
    assert {origin.evaluations for origin in load_front(tmp_path / "run").origins} == {40, 20}
    whole = explore_plan(workload, tmp_path / "run", SMALL)
    assert whole.values.tolist() == explore_plan(workload, tmp_path / "other", SMALL).values.tolist()


def test_a_plan_needs_a_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "no" / "where"):
        with pytest.raises(InputError, match="cannot make this directory"):
            explore_plan(random_workload(), place, SMALL)


def test_a_plan_that_could_not_be_completed_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    w = random_workload()
    explore(w, tmp_path / "single", evaluations=20, population=10)
    front = (tmp_path / "single" / "front.parquet").read_bytes()
    with pytest.raises(InputError, match="the directory of a plan holds runs, but this is a run itself"):
        explore_plan(w, tmp_path / "single", SMALL)
    assert (tmp_path / "single" / "front.parquet").read_bytes() == front
    explore_plan(w, tmp_path / "plan", SMALL[:1])
    with pytest.raises(InputError, match="the runs of a plan must be of one workload: jobs, capacity and groups, but"):
        explore_plan(random_workload(seed=9), tmp_path / "plan", SMALL)
    group = rows_of("paper002", ["nsga2-group"])[0]
    with pytest.raises(InputError, match='moves "group"'):
        explore_plan(random_workload(groups=1), tmp_path / "none", (*SMALL, group))
    with pytest.raises(InputError, match="there is no row in the plan; give one or more"):
        explore_plan(w, tmp_path / "none", ())
    with pytest.raises(InputError, match="workers must be in"):
        explore_plan(w, tmp_path / "none", SMALL, workers=1000)
    assert not (tmp_path / "none").exists()


def test_a_row_does_not_start_from_one_that_is_interrupted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        explore(random_workload(), tmp_path / "weighting", evaluations=40, population=10, progress=interrupt)
    with pytest.raises(InputError, match="is not finished"):
        explore_plan(random_workload(), tmp_path, rows_of("better", ["offline-members"]))


def test_orders_of_a_plan_are_all_but_the_merged_one_for_any_number_of_groups(tmp_path: Path) -> None:
    rows = rows_of("paper002", ["workload-permutation", "queue-permutation"])
    assert explore_plan(random_workload(groups=3), tmp_path / "three", rows).evaluations == 24
