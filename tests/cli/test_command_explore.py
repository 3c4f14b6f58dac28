"""`paretosched explore` finds what the library finds, and continues."""

import logging
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import WorkersLostError
from paretosched.core.tables import plain
from paretosched.fronts.dominance import costs, nondominated_rows
from paretosched.fronts.front import extremes
from paretosched.search import exploration
from paretosched.search.aims import aim_of
from paretosched.search.evaluation import Simulations, simulations
from paretosched.search.last_tenth import gain_of_last_tenth
from paretosched.search.runs import read_values
from paretosched.wishes.gains import group_gains
from support.commands import (
    columns,
    command,
    files,
    process,
    stored_rows,
    succeed,
)


def test_explore_finds_what_the_library_finds(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    front = ps.explore(workload, tmp_path / "run", evaluations=36, population=12)
    assert (tmp_path / "run" / "front.parquet").read_bytes() == (house / "run" / "front.parquet").read_bytes()
    outcome = succeed(
        "explore", house / "w.swf.gz", "-o", tmp_path / "json", "--evaluations", 36, "--population", 12, "--json"
    )
    about = outcome.json
    assert about["run"] == str(tmp_path / "json")
    assert about["size"] == about["front"] == len(front)
    assert (about["evaluations"], about["total"], about["replayed"]) == (36, 36, 0)
    best = {o.name: front.values[row, j] for j, (o, row) in enumerate(extremes(front))}
    assert about["best"] == pytest.approx(best, rel=0, abs=0)
    assert about["gains"] == plain(group_gains(front, workload))
    gained = gain_of_last_tenth(costs(read_values(tmp_path / "json")[0], front.objectives), aim_of(workload))
    assert about["gained"] == gained
    assert gained is not None
    last = f"front {len(front)}, last tenth {100 * gained:+.2f} %"
    assert outcome.err.splitlines()[-1] == f"paretosched: exploring: 36 of 36, {last}"


def test_a_front_that_was_counted_before_is_not_called_that_of_now(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploration, "FILTER_SHARE", 1e-9)
    monkeypatch.setattr(exploration, "PUBLISH_EVERY", np.inf)
    words = ("--evaluations", 40, "--population", 4, "--algorithm", "nsga2")
    outcome = succeed("explore", house / "w.swf.gz", "-o", tmp_path / "run", *words)
    lines = [line for line in outcome.err.splitlines() if " of 40, front" in line]
    values, _ = read_values(tmp_path / "run")
    objectives = ps.load_front(tmp_path / "run").objectives
    first, last = (int(nondominated_rows(values[:k], objectives).sum()) for k in (4, 40))
    assert lines[0] == f"paretosched: exploring: 4 of 40, front {first}"
    assert lines[1:-1] == [f"paretosched: exploring: {k} of 40, front {first} after 4" for k in range(8, 40, 4)]
    assert lines[-1].startswith(f"paretosched: exploring: 40 of 40, front {last}, last tenth")


def test_one_schedule_is_not_dominated_in_the_singular(tmp_path: Path) -> None:
    log = tmp_path / "one.swf"
    log.write_text("; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 20 -1 1 1 1 -1 1 -1 -1 -1\n", encoding="utf-8")
    outcome = succeed("explore", log, "-o", tmp_path / "run", "--evaluations", 4, "--population", 4)
    assert "; 1 of them is not dominated by another one;\n" in outcome.out


def test_explore_says_what_was_found_and_what_to_do_next(house: Path, tmp_path: Path) -> None:
    trace = tmp_path / "my log.swf"  # a name that a shell would cut
    trace.write_bytes((house / "record.swf").read_bytes())
    explore = ("explore", trace, "--groups", "queue", "--capacity", 9, "-o", tmp_path / "run")
    outcome = succeed(*explore, "--evaluations", 8, "--population", 4, "--backfill", "none", "--algorithm", "random")
    front = ps.load_front(tmp_path / "run")
    assert "\n8 schedules explored (8 now, in " in outcome.out
    assert f"{len(front):,} of them are not dominated by another one;\n" in outcome.out
    ends = extremes(front)
    table = columns(outcome.out, "best in")
    table.pop()  # the last line is the legend, with the names of groups that are not just numbers
    assert f"\nAWRT1 is group {front.groups[0]}, AWRT2 is group {front.groups[1]}" in outcome.out
    hours = np.where([o.unit == "s" for o in front.objectives], 3600.0, 1.0)
    for line, (o, row) in zip(table, ends, strict=True):
        values = [f"{x:,.2f}" for x in front.values[row] / hours]
        assert line == [o.name, *values, str(row), str(front.evaluation[row])]
    assert "1 dropped" in outcome.err.splitlines()[-1]
    for hint in outcome.out.partition("next: ")[2].splitlines():
        name, *arguments = shlex.split(hint)[1:]
        again = succeed(name, *[tmp_path / a if a in ("report.html", "policy.json") else a for a in arguments])
        assert "another workload" not in again.err
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "policy.json").exists()


def test_explore_continues_a_run_and_refuses_to_mix_it(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--population", 12)
    succeed(*explore, "--evaluations", 24)
    outcome = succeed(*explore, "--evaluations", 36)
    assert "\n36 schedules explored (12 now, in " in outcome.out
    assert (tmp_path / "run" / "front.parquet").read_bytes() == (house / "run" / "front.parquet").read_bytes()
    again = succeed(*explore, "--evaluations", 36)
    assert "\n36 schedules explored (0 now, in " in again.out
    assert again.err.endswith(
        f"{tmp_path / 'run'} had 36 evaluations already; nothing was left to do (see --evaluations)\n"
    )
    before = files(tmp_path)
    for other, fact in (
        (("--seed", 1), "its seed is 0, not 1"),
        (("--backfill", "none"), "its backfill is easy, not none"),
        (("--algorithm", "random"), "its algorithm is archive, not random"),
        (("--population", 4), "its population is 12, not 4"),
        (("--capacity", 65), ""),
        (("--groups", "8"), ""),
    ):
        refusal = command(*explore, "--evaluations", 36, *other)
        assert refusal.status == 2
        rule = f"paretosched explore: {tmp_path / 'run'}: a run is continued with its own parameters, but {fact}"
        if not fact:
            rule = (
                f"paretosched explore: {tmp_path / 'run'}: a run is continued with the workload that it began with, w,"
            )
            assert (
                "give the same log with the same capacity, groups and overrun, or another run directory" in refusal.err
            )
        assert refusal.err.startswith(rule)
        assert refusal.err.count("\n") == 1
    assert files(tmp_path) == before


def test_lost_workers_end_in_one_line_and_the_same_command_continues(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def soon_lost(*words: Any) -> Iterator[Simulations]:
        with simulations(*words) as there:
            submit = there.submit

            def one_generation(archive: np.ndarray, first: int, sizes: list[int]) -> None:
                if first == 12:
                    logging.getLogger("paretosched.search.cluster").warning("0 of 2 workers are at work")
                    raise WorkersLostError("no worker could be had for 60 s")
                submit(archive, first, sizes)

            there.submit = one_generation  # type: ignore[assignment, method-assign]
            yield there

    few = ("--evaluations", 36, "--population", 12, "--algorithm", "nsga2")
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", *few)
    with monkeypatch.context() as patch:
        patch.setattr("paretosched.search.exploration.simulations", soon_lost)
        outcome = command(*explore)
    assert outcome.status == 2
    *_, remark, advice, line = outcome.err.splitlines()
    assert remark == "paretosched: 0 of 2 workers are at work"
    assert advice == f"paretosched: 12 evaluations are kept in {tmp_path / 'run'}; the same command continues them"
    assert line == "paretosched explore: no worker could be had for 60 s"
    succeed(*explore)
    succeed("explore", house / "w.swf.gz", "-o", tmp_path / "whole", *few)
    assert stored_rows(tmp_path / "run") == stored_rows(tmp_path / "whole")


@pytest.mark.slow
def test_worker_processes_find_the_same_as_threads(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 36, "--population", 12)
    outcome = process(*explore, "--workers", 1)
    assert outcome.returncode == 0, outcome
    assert stored_rows(tmp_path / "run") == stored_rows(house / "run")
    assert all(line.startswith("paretosched: exploring: ") for line in outcome.stderr.splitlines())


def test_a_wish_is_searched_for_and_answered(house: Path, tmp_path: Path) -> None:
    words = "10*AWRT1 + 4*AWRT2, others <= 1.2*EASY"
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--algorithm", "archive", "--population", 20)
    outcome = succeed(*explore, "--evaluations", 120, "--wish", words, "--box", 1.3)
    front = ps.load_front(tmp_path / "run")
    assert outcome.out.startswith(ps.answer(words, front, ps.read_swf(house / "w.swf.gz")).text())
    assert "\n120 schedules explored (120 now, in " in outcome.out
    row = ps.answer(words, front, ps.read_swf(house / "w.swf.gz")).row
    assert row != extremes(front)[1][1]  # that of AWRT
    assert f" --objective '{words}' -o report.html\n" in outcome.out
    assert f" --row {row} --save-policy policy.json\n" in outcome.out
    as_json = succeed(*explore, "--evaluations", 120, "--wish", words, "--box", 1.3, "--json").json
    assert as_json["answer"]["wish"] == words
    assert as_json["gains"] == plain(group_gains(front, ps.read_swf(house / "w.swf.gz"), 1.3))
    refusal = command(*explore, "--evaluations", 140, "--wish", "AWRT1")
    assert refusal.status == 2
    assert "a run is continued with its own parameters, but its wish is 10*AWRT1" in refusal.err


@pytest.mark.parametrize(
    "words",
    [
        ("--population", 12, "--seed", 3, "--backfill", "none"),
        ("--encoding", "sequence", "--start", "permutations", "--moves", "pull", "--copies", "--algorithm", "nsga"),
        ("--encoding", "sequence", "--algorithm", "nsga", "--moves", "adjacent", "--frequency", 7),
        ("--encoding", "sequence", "--population", 20),
        ("--algorithm", "archive", "--wish", "10*AWRT1, others <= 1.2*EASY", "--box", 1.3, "--lag", 40),
        ("--surrogate", "--population", 20),
        ("--encoding", "priority", "--population", 20),
        ("--start", "easy", "--draw", "tied"),
    ],
)
def test_a_run_goes_on_with_what_determines_it(house: Path, tmp_path: Path, words: tuple[Any, ...]) -> None:
    begin = ("explore", house / "w.swf.gz", *words)
    succeed(*begin, "-o", tmp_path / "once", "--evaluations", 260)
    succeed(*begin, "-o", tmp_path / "twice", "--evaluations", 110)
    outcome = succeed("explore", tmp_path / "twice", "-o", tmp_path / "twice", "--evaluations", 260)
    assert "\n260 schedules explored (150 now, in " in outcome.out
    assert stored_rows(tmp_path / "twice") == stored_rows(tmp_path / "once")


def test_a_run_that_goes_on_is_no_input_of_other_options(house: Path, tmp_path: Path) -> None:
    succeed("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 100)
    before = files(tmp_path)
    refusal = command("explore", tmp_path / "run", "-o", tmp_path / "run", "--start", tmp_path / "run")
    assert refusal.err.endswith("--output would overwrite what the search begins with; give it another name\n")
    wish = ("--objective", "AWRT1", "-o", tmp_path / "p.json", "--generations", 1)
    refusal = command("train", tmp_path / "run", *wish, "--run", tmp_path / "run")
    assert refusal.err.endswith("--run would overwrite the workload log; give it another name\n")
    assert files(tmp_path) == before


def test_explore_stops_when_a_tenth_of_the_work_gains_little(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--algorithm", "archive", "--population", 10)
    about = succeed(*explore, "--evaluations", 3000, "--until", "5%", "--json").json
    assert 100 <= about["evaluations"] < 3000
    library = ps.explore(
        house / "w.swf.gz", tmp_path / "library", evaluations=3000, population=10, algorithm="archive", until=0.05
    )
    assert library.evaluations == about["evaluations"]
    outcome = succeed(*explore, "--evaluations", 3000, "--until", "5%")
    assert "nothing was left to do" in outcome.err
    assert f"\n{about['evaluations']} schedules explored (0 now, in " in outcome.out
    percent = f"{100 * about['gained']:.2f}"
    end = "less than --until 5%, so that the search has stopped; what another"
    assert f"the last tenth of the work enlarged the hypervolume in the box by {percent} %, {end}" in outcome.out


def test_a_stop_is_said_even_where_the_schedules_under_way_then_gain_more(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--population", 10, "--lag", 300)
    out = succeed(*explore, "--evaluations", 3000, "--until", "1%").out
    gained = float(re.search(r"hypervolume in the box by ([\d.]+) %", out)[1])  # type: ignore[index]
    assert gained > 1
    assert f"{gained:.2f} %, and by less than --until 1% before the schedules came that were under way, so that" in out
    whole = succeed(*explore, "--evaluations", 3000).out
    assert "so that the search has stopped" not in whole


@pytest.mark.parametrize("text", ["0.1", "%", "soon%", "1 in 1000"])
def test_until_is_a_percentage(house: Path, tmp_path: Path, text: str) -> None:
    refusal = command("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--until", text)
    assert refusal.status == 2
    assert "argument --until: must be a percentage such as 0.1%, but is" in refusal.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("text", ["0%", "100%"])
def test_until_is_neither_nothing_nor_all(house: Path, tmp_path: Path, text: str) -> None:
    refusal = command("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--until", text)
    assert refusal.status == 2
    assert f'argument --until: must be above 0% and below 100%, such as 0.1%, but is "{text}"' in refusal.err
