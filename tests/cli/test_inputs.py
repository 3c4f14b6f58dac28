"""Runs are read where logs are."""

import shutil
from pathlib import Path

import pytest

import paretosched as ps
from paretosched import Machine, Schedule
from paretosched.app.locate_workload import finder
from paretosched.cli.console import MOST, Changes, remark, write_remarks
from paretosched.cli.inputs import OF_FIGURES, remark_history
from paretosched.policies import slurm_policy
from support.commands import (
    command,
    succeed,
)
from support.machine_zoo import case, of
from support.placing import ideal_schedule

SITE = Path(__file__).parents[1] / "data/slurm"


def refusal(*arguments: object) -> str:
    """Run a command that must be refused, and return its error line."""
    outcome = command(*arguments)
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    return outcome.err


@pytest.fixture(scope="module")
def notebook_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    ps.write_swf(ps.lublin(jobs=60, processors=32, seed=3), folder / "w.swf.gz")
    workload = ps.by_consumption(ps.read_swf(folder / "w.swf.gz", capacity=40), [0.5, 0.1])
    ps.explore(workload, folder / "run", evaluations=40, population=20, seed=1)
    ps.explore(ps.scale(workload, 80), folder / "scaled", evaluations=20, population=10, seed=1)
    return folder


def test_compare_needs_no_log_where_a_front_says_it(notebook_runs: Path) -> None:
    with_log = succeed(
        "compare",
        notebook_runs / "w.swf.gz",
        "--capacity",
        40,
        "--groups",
        "50,10",
        "--front",
        notebook_runs / "run",
        "--json",
    )
    assert succeed("compare", "--front", notebook_runs / "run", "--json").json == with_log.json
    both = succeed(
        "compare", "--front", notebook_runs / "run", "--front", notebook_runs / "scaled", "--policy", "easy", "--json"
    ).json
    assert len({row["digest"] for row in both}) == 2


def test_compare_says_what_is_missing(notebook_runs: Path) -> None:
    assert "TRACE is required without --front" in refusal("compare", "--policy", "easy")
    outcome = refusal("compare", "--front", notebook_runs / "run", "--capacity", 40)
    assert "TRACE is required with --capacity" in outcome


def test_a_run_stands_for_its_log(notebook_runs: Path) -> None:
    outcome = succeed("simulate", notebook_runs / "run", "--policy", "easy", "--json").json
    assert (outcome["capacity"], outcome["digest"]) == (40, ps.load_front(notebook_runs / "run").digest)
    assert "--groups: say how a log is read" in refusal("info", notebook_runs / "run", "--capacity", 50)
    other = succeed("simulate", notebook_runs / "run", "--policy", "easy", "--groups", 50, "--json").json
    workload = ps.by_consumption(ps.read_swf(notebook_runs / "w.swf.gz", capacity=40), [0.5])
    assert other["digest"] == workload.digest


def test_front_says_where_the_log_is(notebook_runs: Path) -> None:
    assert succeed("front", notebook_runs / "run", "--json").json["log"] == str(notebook_runs / "w.swf.gz")


def test_the_page_of_a_run_of_a_notebook_finds_its_workload(notebook_runs: Path, tmp_path: Path) -> None:
    for name in ("run", "scaled"):
        front = ps.load_front(notebook_runs / name)
        workload, words = finder(notebook_runs / name, front)()
        assert workload.digest == front.digest
        assert words == [str(notebook_runs / name)]
        policy = tmp_path / f"{name}.json"
        succeed(
            "train", *words, "--objective", "AWRT1", "--criterion", "f2", "--generations", 1, "-o", policy, "--json"
        )
        assert ps.load_policy(policy).groups == ("1", "2", "3")


def test_front_names_the_log_only_if_it_is_the_one(notebook_runs: Path, tmp_path: Path) -> None:
    shutil.copytree(notebook_runs / "run", tmp_path / "run")
    about = tmp_path / "run" / "run.json"
    about.write_text(about.read_text().replace(str(notebook_runs / "w.swf.gz"), str(tmp_path / "moved.swf.gz")))
    assert succeed("front", tmp_path / "run", "--json").json["log"] is None
    (tmp_path / "moved.swf.gz").write_text("no log")
    assert succeed("front", tmp_path / "run", "--json").json["log"] is None
    shutil.copy(notebook_runs / "w.swf.gz", tmp_path / "moved.swf.gz")
    assert succeed("front", tmp_path / "run", "--json").json["log"] == str(tmp_path / "moved.swf.gz")


def test_a_log_without_requested_times_is_remarked(tmp_path: Path) -> None:
    lines = [f"{i} {i} 0 9 1 -1 -1 1 {request} -1 1 1 1 1 1 1 -1 -1" for i, request in enumerate((-1, -1, 20), 1)]
    log = tmp_path / "w.swf"
    log.write_text("; MaxProcs: 8\n" + "\n".join(lines) + "\n")
    remark = "66.7 % of the jobs have no requested time; their run time is taken for it, so schedulers know it exactly"
    assert remark in succeed("simulate", log, "--policy", "easy").err
    log.write_text("; MaxProcs: 8\n" + "\n".join([lines[2]] * 20 + lines[:1]) + "\n")
    assert "no requested time" not in succeed("simulate", log, "--policy", "easy").err


def test_what_speaks_against_a_log_comes_before_all_else_and_not_before_a_refusal(tmp_path: Path) -> None:
    lines = [f"{j} {10 * j} {j} 100 4 -1 -1 4 200 -1 1 3 1 -1 -1 -1 -1 -1\n" for j in range(30)]
    log = tmp_path / "w.swf"
    log.write_text("; MaxProcs: 30\n; TimeZoneString: UTC\n" + "".join(lines))
    first = f"{log}: RECORDED USE ABOVE THE MACHINE: up to 40 of 30 processors"
    for words in (("info", log), ("simulate", log, "--policy", "easy"), ("compare", log, "--policy", "easy")):
        outcome = succeed(*words)
        assert outcome.out.startswith(first)
        assert outcome.out.splitlines()[1].startswith(f"{log}: OFFERED LOAD 1.38: 30 processors can do 72 %")
        beside = succeed(*words, "--json")
        assert beside.err.startswith(f"paretosched: {first}")
        assert beside.json
    assert len(succeed("info", log, "--json").json["doubts"]) == 2
    assert "--objective" in refusal("compare", log, "--policy", "easy", "--objective", "AWRT9")
    assert command("compare", log, "--policy", "easy", "--objective", "AWRT9").out == ""
    run = tmp_path / "run"
    succeed("explore", log, "-o", run, "--evaluations", 12, "--population", 4)
    for words in (("info", run), ("front", run), ("compare", "--front", run)):
        assert succeed(*words).out.startswith(f"{run}: RECORDED USE ABOVE THE MACHINE: up to 40 of 30 processors")


def test_a_history_that_names_no_nodes_is_remarked(capsys: pytest.CaptureFixture[str]) -> None:
    w = case(Machine((of("n[1-2]"),)), "0 9 -n4", "0 9 -n5")
    remark_history(Schedule(w, [0, 0], "recorded"))
    write_remarks(shows_all=False)
    assert capsys.readouterr().err == "paretosched: measured as it is: nothing says on which nodes the jobs ran\n"
    remark_history(ideal_schedule(w))
    write_remarks(shows_all=False)
    assert capsys.readouterr().err == ""
    double = Schedule(w.one_pool, [0, 0], "recorded")
    remark_history(double)
    write_remarks(shows_all=False)
    assert "not feasible, but measured as it is: recorded: the machine has 8 processors" in capsys.readouterr().err


def test_a_slurm_conf_has_three_remarks_and_first_what_changes_most(house: Path) -> None:
    words = ("simulate", house / "w.swf.gz", "--policy", SITE / "slurm.conf")
    whole = succeed(*words, "--remarks").err.splitlines()
    weighty = [line for line in whole if any(words in line for words in OF_FIGURES)]
    *shown, last = succeed(*words).err.splitlines()
    assert shown == whole[: len(shown)]
    assert len(shown) == MOST
    assert set(shown) <= set(weighty)
    assert last == f"paretosched: {len(whole) - MOST} more remarks: --remarks"
    assert succeed(*words, "--json").err.splitlines() == whole


def test_what_changes_most_is_still_said_in_these_words() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in Path(slurm_policy.__file__).parent.glob("slurm_*.py"))
    assert [words for words in OF_FIGURES if words not in source] == []


def test_remarks_are_said_once_in_the_order_of_what_they_change(capsys: pytest.CaptureFixture[str]) -> None:
    for text, changes in (
        ("c", Changes.NOTHING),
        ("b", Changes.MEANING),
        ("a", Changes.FIGURES),
        ("b", Changes.MEANING),
    ):
        remark(text, changes)
    assert capsys.readouterr().err == ""
    write_remarks(shows_all=False)
    assert capsys.readouterr().err == "paretosched: a\nparetosched: b\nparetosched: c\n"
    for text in "dcbae":
        remark(text)
    write_remarks(shows_all=False)
    assert (
        capsys.readouterr().err
        == "paretosched: d\nparetosched: c\nparetosched: b\nparetosched: 2 more remarks: --remarks\n"
    )
    write_remarks(shows_all=False)
    assert capsys.readouterr().err == ""
