"""Runs: reproducible, continued after any death, never mixed up."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.fronts.dominance import costs, nondominated_rows
from paretosched.fronts.front import Front
from paretosched.fronts.front_files import load_front
from paretosched.fronts.merging import merge
from paretosched.fronts.row_schedules import row_policy, schedules
from paretosched.search import exploration
from paretosched.search import runs as store
from paretosched.search.aims import aim_of
from paretosched.search.exploration import Progress, explore
from paretosched.search.last_tenth import gain_of_last_tenth
from paretosched.search.run_store import checksum
from paretosched.search.runs import Archive, append, open_run, read_about, read_archive, read_values, state_text
from paretosched.simulation.objective import objectives, objectives_of
from paretosched.workload.workload import Workload
from support.commands import command
from support.exploring import SEARCHES, interrupt, interrupt_if, random_workload, store_without_tables
from support.runs import equal_runs

W = random_workload()
SMALL = {"population": 10, "seed": 4, "algorithm": "nsga2"}
SCRIPT = str(Path(__file__).parents[1] / "support" / "exploring.py")
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{Path(__file__).parents[2]}:{Path(__file__).parents[1]}"}


def archive(directory: Path) -> list[tuple[int, int, bytes, bytes]]:
    """Every evaluation without its seconds."""
    connection = sqlite3.connect(directory / "run.sqlite")
    rows = connection.execute("select number, generation, genome, objectives from evaluation order by number")
    evaluations = rows.fetchall()
    connection.close()
    return evaluations


def about(directory: Path) -> dict:  # type: ignore[type-arg]
    return json.loads((directory / "run.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Front]:
    """A run of 95 evaluations that nothing disturbed."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    return directory, explore(W, directory, evaluations=95, **SMALL)


@pytest.mark.slow
def test_the_front_is_that_of_everything_evaluated(whole: tuple[Path, Front]) -> None:
    directory, front = whole
    rows = archive(directory)
    assert [row[0] for row in rows] == list(range(95))
    assert [row[1] for row in rows] == [i // 10 for i in range(95)]
    values = np.array([np.frombuffer(row[3]) for row in rows])
    mask = nondominated_rows(values, front.objectives)
    assert sorted(front.evaluation.tolist()) == np.flatnonzero(mask).tolist()
    assert front.values.tolist() == values[front.evaluation].tolist()
    assert load_front(directory).values.tobytes() == front.values.tobytes()


def test_every_row_of_the_front_is_reproduced_by_its_policy(whole: tuple[Path, Front]) -> None:
    front = whole[1]
    for row in range(len(front)):
        policy = row_policy(front, row)
        assert policy is not None
        assert objectives_of(W, policy.outcome(W)).tobytes() == front.values[row].tobytes()


def test_the_run_says_what_it_is(whole: tuple[Path, Front]) -> None:
    description = about(whole[0])
    assert description["status"] == "finished"
    assert description["evaluations"] == {"wanted": 95, "done": 95}
    assert description["front"] == len(whole[1])
    assert description["parameters"] == {
        "encoding": "weighting",
        "algorithm": "nsga2",
        "seed": 4,
        "population": 10,
        "backfill": "easy",
        "decoding": "online",
        "workload": W.digest,
        "util_from": "submission",
    }
    assert {"python", "numpy", "numba", "pymoo", "moocore", "paretosched"} == set(description["versions"])
    assert description["kernel_seconds"] > 0
    assert description["workload"] == {"name": "random", "jobs": 60, "capacity": 16}
    assert len(description["sessions"]) == 1
    assert (description["sessions"][0]["replayed"], description["sessions"][0]["host_cores"]) == (0, os.cpu_count())


def test_other_seeds_make_other_archives(whole: tuple[Path, Front], tmp_path: Path) -> None:
    explore(W, tmp_path / "run", evaluations=95, **SMALL | {"seed": 5})
    assert archive(whole[0]) != archive(tmp_path / "run")


@pytest.mark.parametrize("steps", [(10, 95), (37, 95), (40, 41, 95)])
def test_a_run_that_is_continued_equals_one_that_went_through(
    whole: tuple[Path, Front], tmp_path: Path, steps: tuple[int, ...]
) -> None:
    for evaluations in steps:
        explore(W, tmp_path / "run", evaluations=evaluations, **SMALL)
    equal_runs(whole[0], tmp_path / "run")
    assert (tmp_path / "run" / "front.parquet").read_bytes() == (whole[0] / "front.parquet").read_bytes()
    assert [s["replayed"] for s in about(tmp_path / "run")["sessions"]] == [0, *steps[:-1]]


def test_the_baseline_is_continued_too(tmp_path: Path) -> None:
    explore(W, tmp_path / "a", evaluations=30, **SMALL | {"algorithm": "random"})
    for evaluations in (15, 30):
        explore(W, tmp_path / "b", evaluations=evaluations, **SMALL | {"algorithm": "random"})
    equal_runs(tmp_path / "a", tmp_path / "b")


def test_a_run_goes_on_with_its_algorithm_and_a_new_one_has_the_best(whole: tuple[Path, Front], tmp_path: Path) -> None:
    """Runs of earlier versions, whose default was NSGA-II, go on with the command that began them."""
    shutil.copytree(whole[0], tmp_path / "run")
    longer = explore(W, tmp_path / "run", population=10, seed=4, evaluations=120)
    assert longer.origins[0].algorithm == "nsga2"
    explore(W, tmp_path / "once", evaluations=120, **SMALL)
    equal_runs(tmp_path / "once", tmp_path / "run")
    for encoding, algorithm in (("weighting", "archive"), ("sequence", "archive"), ("orders", "all")):
        front = explore(W, tmp_path / encoding, encoding=encoding, population=4, evaluations=5)
        assert front.origins[0].algorithm == algorithm


def test_a_run_with_enough_evaluations_is_left_as_it_is(whole: tuple[Path, Front]) -> None:
    before = archive(whole[0])
    reports: list[Progress] = []
    for evaluations in (95, 20):
        front = explore(W, whole[0], evaluations=evaluations, progress=reports.append, **SMALL)
        assert front.values.tobytes() == whole[1].values.tobytes()
    assert archive(whole[0]) == before
    assert [(p.generation, p.evaluations, p.total, p.replayed) for p in reports] == [(-1, 95, 95, 95)] * 2


def test_what_the_last_tenth_gained_is_told_only_when_it_was_counted_just_now(tmp_path: Path) -> None:
    reports: list[Progress] = []
    front = explore(W, tmp_path / "run", evaluations=200, progress=reports.append, **SMALL)
    of_all = costs(read_values(tmp_path / "run")[0], front.objectives)
    counted = [p for p in reports if p.gained is not None]
    gains = [gain_of_last_tenth(of_all[: p.evaluations], aim_of(W)) for p in counted]
    assert [p.gained for p in counted] == gains
    assert reports[-1].gained is not None


def test_progress_is_told_after_every_generation(tmp_path: Path) -> None:
    reports: list[Progress] = []
    front = explore(W, tmp_path / "run", evaluations=35, progress=reports.append, **SMALL)
    assert [(p.generation, p.evaluations, p.total) for p in reports] == [
        (0, 10, 35),
        (1, 20, 35),
        (2, 30, 35),
        (3, 35, 35),
    ]
    assert reports[-1].front == len(front)
    values = np.array([np.frombuffer(row[3]) for row in archive(tmp_path / "run")])
    assert reports[-1].best == (values[:, 0].max(), *values[:, 1:].min(axis=0))
    assert 0 < reports[0].seconds < reports[-1].seconds


@pytest.mark.parametrize("share", [1e-9, 1e9])
def test_progress_says_of_which_evaluations_the_front_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """It is counted as rarely as its share of the time demands: here at both ends only, or at every report."""
    monkeypatch.setattr(exploration, "FILTER_SHARE", share)
    monkeypatch.setattr(exploration, "PUBLISH_EVERY", np.inf)
    reports: list[Progress] = []
    front = explore(W, tmp_path / "run", evaluations=55, progress=reports.append, **SMALL)
    values, _ = read_values(tmp_path / "run")
    assert [p.evaluations for p in reports] == [10, 20, 30, 40, 50, 55]
    assert [p.counted for p in reports] == ([10] * 5 + [55] if share < 1 else [10, 20, 30, 40, 50, 55])
    for p in reports:
        assert p.front == int(nondominated_rows(values[: p.counted], front.objectives).sum())


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("kill_seed", "search"), [(2, "sequence"), (5, "surrogate")])
def test_a_run_killed_at_random_moments_equals_one_that_went_through(
    tmp_path: Path, kill_seed: int, search: str
) -> None:
    words, total = SEARCHES[search], 1500 if search == "sequence" else 1000
    process = subprocess.run(
        [sys.executable, SCRIPT, "killed", str(tmp_path / "killed"), str(total), str(kill_seed), search],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    lines = [line.split() for line in process.stdout.splitlines()]
    assert {(name, status) for name, status, _ in lines} <= {
        ("SIGKILL", "-9"),
        ("SIGINT", "130"),
        ("SIGKILL", "0"),
        ("SIGINT", "0"),
    }
    counts = [int(count) for _, _, count in lines]
    assert counts == sorted(counts)
    assert any(0 < count < total for count in counts)  # kills go on until one comes at such a time
    explore(random_workload(jobs=2000), tmp_path / "through", evaluations=total, population=20, seed=3, **words)
    equal_runs(tmp_path / "through", tmp_path / "killed")


def test_ctrl_c_leaves_a_front_and_a_run_that_goes_on(whole: tuple[Path, Front], tmp_path: Path) -> None:
    run = tmp_path / "run"
    stop = interrupt_if(lambda progress: progress.evaluations == 40)
    with pytest.raises(KeyboardInterrupt):
        explore(W, run, evaluations=95, progress=stop, **SMALL)
    assert about(run)["status"] == "interrupted"
    assert about(run)["evaluations"] == {"wanted": 95, "done": 40}
    assert load_front(run).evaluations == 40
    # interrupted again while it repeats what it has: nothing is lost
    with pytest.raises(KeyboardInterrupt):
        explore(W, run, evaluations=95, progress=lambda p: (_ for _ in ()).throw(KeyboardInterrupt), **SMALL)
    assert load_front(run).evaluations == 40
    explore(W, run, evaluations=95, **SMALL)
    equal_runs(whole[0], run)


@pytest.mark.slow
def test_a_killed_run_says_so_and_shows_how_far_it_is(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with subprocess.Popen(
        [sys.executable, SCRIPT, "interrupted", str(run), "0"], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert read_about(run)["status"] == "running"
        assert state_text(run).startswith("still running, at ")
        assert f"process {process.pid} on" in state_text(run)
        process.kill()
    assert about(run)["status"] == "running"  # nobody could write anything else
    count = len(archive(run))
    assert read_about(run)["status"] == "interrupted"
    assert read_about(run)["evaluations"] == {"wanted": 10**6, "done": count}
    assert state_text(run) == f"interrupted after {count} of 1000000 evaluations; the same command continues it"
    outcome = command("front", run)
    assert outcome.out.endswith(f"{run}: {state_text(run)}\n")
    assert command("front", run, "--json").json["unfinished"] == {str(run): state_text(run)}


def test_ctrl_c_before_the_first_generation_keeps_how_much_was_asked_for(
    whole: tuple[Path, Front], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    monkeypatch.setattr("paretosched.search.evaluation.objectives_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        explore(W, run, evaluations=95, **SMALL)
    assert state_text(run) == "interrupted after 0 of 95 evaluations; the same command continues it"
    monkeypatch.undo()
    (run / "run.json").unlink()  # the store knows it, too
    explore(W, run, **SMALL)
    equal_runs(whole[0], run)
    assert state_text(run) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "is_after"),
    [
        ("search.runs.take_lock", False),
        ("search.runs.write_about", False),
        ("search.runs.write_about", True),
        ("search.run_store.connect", False),
        ("search.run_store._complete", False),
        ("search.run_store._complete", True),
        ("search.resuming.read_archive", False),
    ],
)
def test_ctrl_c_as_soon_as_there_is_a_directory_keeps_how_much_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, is_after: bool
) -> None:
    module, name = place.rsplit(".", 1)
    real = getattr(sys.modules[f"paretosched.{module}"], name)
    calls = 0

    def interrupt_once(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls > 1:
            return real(*arguments)
        if is_after:
            real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(f"paretosched.{place}", interrupt_once)
    with pytest.raises(KeyboardInterrupt):
        explore(W, tmp_path / "run", evaluations=30, **SMALL)
    assert calls
    monkeypatch.undo()
    assert state_text(tmp_path / "run") == "interrupted after 0 of 30 evaluations; the same command continues it"
    explore(W, tmp_path / "run", **SMALL)
    assert len(archive(tmp_path / "run")) == 30


def test_ctrl_c_leaves_a_directory_alone_that_is_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")

    monkeypatch.setattr("paretosched.search.runs.take_lock", interrupt)
    with pytest.raises(KeyboardInterrupt):
        explore(W, tmp_path, evaluations=30, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.slow
@pytest.mark.parametrize("state", ["gone", "empty", "without tables"])
def test_a_run_that_lost_its_store_does_not_begin_anew(whole: tuple[Path, Front], tmp_path: Path, state: str) -> None:
    shutil.copytree(whole[0], tmp_path / "run")
    run = tmp_path / "run"
    (run / "run.sqlite").unlink()
    if state == "empty":
        (run / "run.sqlite").touch()
    elif state == "without tables":
        store_without_tables(run / "run.sqlite")
    fact = "gone" if state == "gone" else "empty"
    rule = f"run.sqlite, which held the evaluations of this run, is {fact}; put it back from a copy, or begin a run in"
    for names in (("run.json", "front.parquet"), ("run.json",)):
        for path in run.iterdir():
            if path.name not in (*names, "run.sqlite"):
                path.unlink()
        before = {path.name: path.read_bytes() for path in run.iterdir()}
        for seed in (SMALL["seed"], 99):
            with pytest.raises(InputError, match=rule) as error:
                explore(W, run, evaluations=20, **SMALL | {"seed": seed})
            assert ("front.parquet here can still be read" in str(error.value)) == ("front.parquet" in names)
        assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    (run / "run.json").write_text(json.dumps(about(run) | {"status": "interrupted", "evaluations": {"done": 0}}))
    explore(W, run, evaluations=20, **SMALL)  # nothing is lost
    assert len(archive(run)) == 20


def test_a_run_that_has_not_begun_may_get_other_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    monkeypatch.setattr("paretosched.search.evaluation.objectives_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        explore(W, run, evaluations=20, **SMALL)
    monkeypatch.undo()
    explore(W, run, evaluations=20, population=5, seed=9, encoding="sequence")
    explore(W, tmp_path / "other", evaluations=20, population=5, seed=9, encoding="sequence")
    equal_runs(tmp_path / "other", run)
    assert read_about(run)["parameters"] == read_about(tmp_path / "other")["parameters"]


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ctrl_c_at_a_terminal_ends_in_silence(tmp_path: Path, workers: str) -> None:
    """A terminal sends it to the whole group, to worker processes as well."""
    with subprocess.Popen(
        [sys.executable, SCRIPT, "interrupted", str(tmp_path / "run"), workers],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    assert complaints == ""
    assert process.returncode == 130
    description = about(tmp_path / "run")
    assert description["status"] == "interrupted"
    assert (
        description["evaluations"]["done"] == len(archive(tmp_path / "run")) == load_front(tmp_path / "run").evaluations
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 5}, "its seed is 4, not 5"),
        ({"population": 20}, "its population is 10, not 20"),
        ({"backfill": "none"}, "its backfill is easy, not none"),
        ({"algorithm": "random"}, "its algorithm is nsga2, not random"),
    ],
)
def test_a_run_is_not_continued_with_other_parameters(
    whole: tuple[Path, Front], change: dict[str, object], message: str
) -> None:
    before = archive(whole[0])
    with pytest.raises(InputError, match=message):
        explore(W, whole[0], evaluations=200, **(SMALL | change))  # type: ignore[arg-type]
    assert archive(whole[0]) == before


def test_a_run_is_not_continued_with_another_workload(whole: tuple[Path, Front]) -> None:
    with pytest.raises(
        InputError,
        match=rf"the workload that it began with, .* its digest is {W.digest[:12]}, not .*; give the same log",
    ):
        explore(random_workload(seed=1), whole[0], evaluations=200, **SMALL)


def test_a_run_made_by_other_software_is_not_continued(tmp_path: Path) -> None:
    run = tmp_path / "run"
    explore(W, run, evaluations=30, **SMALL)
    connection = sqlite3.connect(run / "run.sqlite")
    with connection:
        other = np.full(27, 0.5).tobytes()
        connection.execute("update evaluation set genome = ? where number = 17", (other,))
        columns = "number, generation, genome, objectives, seconds"
        row = connection.execute(f"select {columns} from evaluation where number = 17").fetchone()
        connection.execute("update evaluation set checksum = ? where number = 17", (checksum(row),))
    connection.close()
    with pytest.raises(InputError, match="generation 1 differs: it was made with other versions"):
        explore(W, run, evaluations=40, **SMALL)
    assert len(archive(run)) == 30


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    refusals = []

    def second(progress: Progress) -> None:
        with pytest.raises(
            InputError, match=rf"one process at a time, but process {os.getpid()} on .* has it"
        ) as error:
            explore(W, run, evaluations=30, **SMALL)
        refusals.append(error.value)

    explore(W, run, evaluations=30, progress=second, **SMALL)
    assert len(refusals) == 3
    assert len(archive(run)) == 30


def test_a_directory_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"must be a run directory or empty, but has no run.json and holds thesis.tex"):
        explore(W, tmp_path, evaluations=30, **SMALL)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(InputError, match="cannot make a run directory here: File exists"):
        explore(W, tmp_path / "thesis.tex", evaluations=30, **SMALL)
    with pytest.raises(InputError, match="cannot make a run directory here: No such file"):
        explore(W, tmp_path / "no" / "parent", evaluations=30, **SMALL)


@pytest.mark.slow
def test_a_run_that_never_evaluated_anything_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paretosched.search.cluster.PATIENCE", 0.5)
    with pytest.raises(InputError, match="must be a reachable dask scheduler"):
        explore(W, tmp_path / "run", evaluations=30, scheduler="tcp://127.0.0.1:9", **SMALL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["text", "header", "half", "table"])
def test_a_damaged_store_is_one_line(tmp_path: Path, damage: str) -> None:
    run = tmp_path / "run"
    explore(W, run, evaluations=60, **SMALL)
    path = run / "run.sqlite"
    whole = path.read_bytes()
    if damage == "table":
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("delete from evaluation where number = 3")
        connection.close()
    else:
        path.write_bytes(
            {"text": b"not a database, not at all\n" * 99, "header": b"\0" * 100 + whole[100:], "half": whole[:5000]}[
                damage
            ]
        )
    with pytest.raises(InputError, match=r"run\.sqlite: ") as error:
        explore(W, run, evaluations=70, **SMALL)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00", '{"format": "paretosched run 1", "parameters": []}'])
def test_a_damaged_description_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"run\.json: ") as error:
        explore(W, tmp_path, evaluations=30, **SMALL)
    assert "\n" not in str(error.value)


def test_a_generation_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    batch = Archive(np.ones((3, 2)), np.full((3, 4), np.nan), np.ones(3))
    with open_run(tmp_path / "run", {"seed": 1}) as run:
        append(run, [0, 0, 0], 0, batch)
        with pytest.raises(InputError, match="cannot store evaluations"):
            append(run, [1, 1, 1], 2, batch)  # number 2 is taken: the whole transaction fails
        archive = read_archive(run, 2, 4)
    assert len(archive) == 3
    assert archive.genomes.tolist() == batch.genomes.tolist()
    assert np.isnan(archive.values).all()


def test_a_group_without_jobs_is_undefined_and_takes_no_part(tmp_path: Path) -> None:
    w = W.with_(group=np.minimum(W.group, 1))
    reports: list[Progress] = []
    front = explore(w, tmp_path / "run", evaluations=40, progress=reports.append, **SMALL)
    assert np.isnan(front.values[:, 4]).all()
    assert np.isfinite(front.values[:, :4]).all()
    assert np.isnan(reports[-1].best[4])
    explore(w, tmp_path / "run", evaluations=60, **SMALL)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evaluations": 9}, "evaluations must be at least the population, 10, but are 9"),
        ({"population": 3}, r"population must be in 4\.\.10000 for nsga2, but is 3"),
        ({"seed": -1}, "seed must be at least 0, but is -1"),
        ({"workers": -1}, r"workers must be in 0\.\.\d+, 4 a core of this machine, but is -1"),
        ({"backfill": "some"}, 'backfill must be one of none, easy, conservative, but is "some"'),
        ({"algorithm": "nsga3"}, "algorithm must be one of nsga, nsga2, "),
        ({"workers": 1, "scheduler": "tcp://127.0.0.1:9"}, "must not both be given"),
    ],
)
def test_parameters_out_of_range_are_named_and_nothing_is_written(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        explore(W, tmp_path / "run", **({"evaluations": 30, **SMALL} | change))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_what_was_stored_in_the_moment_of_an_interruption_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = store.append

    def interrupt_append(run: store.Run, generations: list[int], first: int, archive: Archive) -> None:
        real(run, generations, first, archive)
        if first + len(archive) == 30:
            raise KeyboardInterrupt

    monkeypatch.setattr("paretosched.search.resuming.append", interrupt_append)
    with pytest.raises(KeyboardInterrupt):
        explore(random_workload(), tmp_path / "run", evaluations=60, population=10, algorithm="nsga2")
    assert load_front(tmp_path / "run").evaluations == 30
    assert read_about(tmp_path / "run")["evaluations"] == {"wanted": 60, "done": 30}


def test_a_run_that_cannot_begin_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, about: object) -> None:
        raise InputError(f"{path}: the disk is full")

    monkeypatch.setattr("paretosched.search.run_store.connect", full)
    (tmp_path / "empty").mkdir()
    for name in ("run", "empty"):
        with pytest.raises(InputError, match="the disk is full"), store.open_run(tmp_path / name, {"seed": 1}):
            pytest.fail("must not be entered")
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_what_a_run_has_evaluated_can_be_read_without_opening_it(whole: tuple[Path, Front], tmp_path: Path) -> None:
    directory, front = whole
    values, seconds = read_values(directory)
    assert len(values) == len(seconds) == front.evaluations
    assert values[front.evaluation].tobytes() == front.values.tobytes()
    assert (seconds > 0).all()
    with pytest.raises(InputError, match=r"must hold run\.sqlite, but there is none"):
        read_values(tmp_path)
    (tmp_path / "run.sqlite").write_bytes(b"not a store" * 100)
    with pytest.raises(InputError, match="not a readable store of evaluations"):
        read_values(tmp_path)


def test_a_search_for_measures_is_continued_with_them(tmp_path: Path) -> None:
    w = in_two_groups()
    words = {"evaluations": 60, "population": 20, "objectives": "UTIL, p95 wait of 2, mean slowdown"}
    front = explore(w, tmp_path / "r", **words)
    assert [o.name for o in front.objectives if o.decides] == ["UTIL", "p95 wait of 2", "mean slowdown"]
    schedule = next(schedules(front, [0], w))
    told = objectives(schedule, util_from="submission", measures=["p95 wait of 2", "mean slowdown"])
    assert told.array.tolist() == front.values[0].tolist()
    again = explore(w, tmp_path / "r", evaluations=80)  # without the words
    assert again.measured == front.measured
    assert load_front(tmp_path / "r").measured == front.measured
    with pytest.raises(InputError, match="objectives"):
        explore(w, tmp_path / "r", objectives="UTIL, mean wait")
    with pytest.raises(InputError, match="must be of the same objectives"):
        merge(front, explore(w, evaluations=20, population=20, objectives="UTIL, mean wait"))


def test_a_search_may_have_only_measures_of_which_more_is_better(tmp_path: Path) -> None:
    front = explore(in_two_groups(), tmp_path / "r", evaluations=60, population=20, objectives="UTIL, jain wait")
    assert front.evaluations == 60


def test_what_a_wish_measures_is_searched_for_too() -> None:
    front = explore(in_two_groups(), evaluations=40, population=20, wish="mean wait of 1, AWRT <= 2*EASY")
    assert [o.name for o in front.objectives if o.decides] == ["UTIL", "AWRT1", "AWRT2", "mean wait of 1"]
    with pytest.raises(InputError, match="add it to the objectives"):
        explore(in_two_groups(), evaluations=40, population=20, objectives="UTIL, mean wait", wish="AWRT1")


def in_two_groups() -> Workload:
    """Return jobs of three users in two groups."""
    w = random_workload(jobs=80, groups=2)
    return w.with_(user=np.arange(80) % 3)
