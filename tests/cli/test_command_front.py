"""`paretosched front` merges and measures."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import paretosched as ps
from paretosched.cli import command_front
from paretosched.comparison.consequences import most_important
from paretosched.comparison.waits_table import people
from paretosched.fronts.front import extremes
from support.commands import columns, command, succeed
from support.limited_users import WORDS, limited_users


@pytest.mark.slow
def test_front_merges_and_measures(house: Path, tmp_path: Path) -> None:
    first, second = ps.load_front(house / "run"), ps.load_front(house / "other")
    front = ps.merge([first, second])
    outcome = succeed("front", house / "run", house / "other", "-o", tmp_path / "both.parquet")
    ps.save_front(front, tmp_path / "ours.parquet")
    assert (tmp_path / "both.parquet").read_bytes() == (tmp_path / "ours.parquet").read_bytes()
    assert f"\n{len(front):,} of 72 schedules of w are not dominated; " in outcome.out
    easy = ps.objectives(ps.simulate(house / "w.swf.gz", "easy"))
    quality = ps.indicators(front, [first, second], easy)
    assert "from the best found to 1.5 x EASY in every group" in outcome.out
    wide = succeed("front", house / "run", house / "other", "--box", 2, "--json").json
    assert wide["reference"] == ps.indicators(front, easy=easy, reach=2)["reference"]
    alone = command("front", tmp_path / "ours.parquet", "--box", 2)
    assert alone.err.startswith("paretosched front: --box: EASY must be simulated on the jobs of the front, but ")
    for box, rule in (("0.9", "above 1"), ("inf", "at most 1,000,000")):
        refused = command("front", house / "run", "--box", box)
        assert refused.err == f"paretosched front: --box must be {rule} times EASY, but is {box}\n"
    of_front = succeed("front", tmp_path / "ours.parquet", "--json").json
    assert of_front["hypervolume"] == ps.indicators(front)["hypervolume"]
    about = succeed("front", house / "run", house / "other", "--json").json
    assert about["workload"] == "w"
    assert about["digest"] == front.digest
    assert about["size"] == len(front)
    shares = ps.contributions([first, second], gain=False)
    for row, expected, share, name in zip(about["inputs"], quality["inputs"], shares, ("run", "other"), strict=True):
        assert row == expected | {key: share[key] for key in ("only", "best_in")} | {"path": str(house / name)}
    assert [(end["objective"], end["row"]) for end in about["extremes"]] == [(o.name, r) for o, r in extremes(front)]
    table = columns(outcome.out, "from")
    assert [row[0] for row in table][:3] == [str(house / "run"), str(house / "other"), "merged"]
    assert table[0][1:] == [
        "36",
        str(len(first)),
        *(str(about["inputs"][0][key]) for key in ("in_front", "only")),
        *(f"{about['inputs'][0][key]:.4f}" for key in ("hypervolume", "igd_plus", "epsilon")),
    ]
    assert table[2][1:4] == ["72", str(len(front)), str(len(front))]
    again = succeed("front", tmp_path / "both.parquet", house / "run", "--json").json
    assert again["size"] == len(front)


def test_front_answers_a_wish_group_by_group(house: Path, tmp_path: Path) -> None:
    words = "10*AWRT1 + 4*AWRT2, others <= 1.05*EASY"
    front, workload = ps.load_front(house / "run"), ps.read_swf(house / "w.swf.gz")
    answer = ps.answer(words, front, workload)
    outcome = succeed("front", house / "run", "--wish", words, "-o", tmp_path / "front.parquet")
    of_row = ps.schedules(front, [answer.row], workload)
    both = [ps.waits(each) for each in (ps.simulate(workload, "easy"), *of_row)]
    awrt = answer.easy[1:7].tolist(), answer.values[1:7].tolist()
    costs = [line.sentence for line in most_important(*both, people(front.groups), awrt, asked=[1, 2])]
    told = "".join(f"- {sentence}\n" for sentence in costs)
    assert outcome.out == f"{answer.text()}\n\nwhat it costs whom, against EASY:\n{told}"
    assert len(ps.load_front(tmp_path / "front.parquet")) == len(front)
    about = succeed("front", house / "run", "--wish", words, "--json").json
    assert about["answer"] == answer.about() | {"costs": costs}
    assert about["size"] == len(front)
    missing = command("front", house / "run", "--wish", "10*AWRT9")
    assert missing.status == 2
    assert missing.err.startswith('paretosched front: --wish: wish, character 4, "AWRT9": there must be one of UTIL')
    ps.save_front(front, tmp_path / "alone.parquet")
    (tmp_path / "front.parquet").unlink()
    refusal = command("front", tmp_path / "alone.parquet", "--wish", words)
    assert refusal.err.startswith("paretosched front: --wish: EASY must be simulated on the jobs of the front, but ")


def test_what_front_simulates_shows_its_progress(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[object] = []

    def wait(work: Callable[[], object]) -> object:
        waited.append(work())
        return waited[-1]

    monkeypatch.setattr(command_front, "with_progress", wait)
    succeed("front", house / "run", "--wish", "AWRT1")
    assert [type(x).__name__ for x in waited] == ["ndarray", "Answer", "NoneType"]  # EASY, the answer, no limits


def test_the_end_of_the_name_decides_how_a_front_is_written(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    succeed("front", house / "run", "-o", tmp_path / "front.csv")
    table = pd.read_csv(tmp_path / "front.csv")
    pd.testing.assert_frame_equal(table, front.frame(), check_exact=True, check_dtype=False)
    for name in ("front.parquet", "front", "FRONT.PARQUET"):
        succeed("front", house / "run", "-o", tmp_path / name)
        assert ps.load_front(tmp_path / name).values.tolist() == front.values.tolist()
    for name in ("front.json", "front.xlsx", "front.csv.gz"):
        outcome = command("front", house / "run", "-o", tmp_path / name)
        assert (outcome.status, outcome.err) == (
            2,
            f"paretosched front: {tmp_path / name}: the name of a front must end in .parquet or .csv\n",
        )
        assert not (tmp_path / name).exists()


@pytest.mark.slow
def test_a_front_that_is_gone_is_written_again_by_the_command_that_is_named(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(house / "run", run)
    before = (run / "front.parquet").read_bytes()
    for name in ("front.parquet", "run.json"):
        (run / name).unlink()
        outcome = command("front", run)
        assert (outcome.status, outcome.err) == (
            2,
            f"paretosched front: {run}: front.parquet is gone, but its evaluations are stored: the same command, "
            f"paretosched explore ... -o {run}, writes it again without simulating\n",
        )
    succeed("explore", house / "w.swf.gz", "-o", run, "--evaluations", 36, "--population", 12, "--seed", 0)
    assert (run / "front.parquet").read_bytes() == before


@pytest.mark.slow
def test_a_damaged_store_is_remarked_beside_the_front(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(house / "run", run)
    expected = succeed("front", run)
    assert expected.err == ""
    for change, says in (
        ("update evaluation set checksum = checksum + 1 where number = 3", "evaluation 3 is not as it was stored"),
        ("drop table evaluation", "not a readable store of evaluations: no such table: evaluation"),
    ):
        connection = sqlite3.connect(run / "run.sqlite")
        connection.executescript(change)
        connection.close()
        outcome = succeed("front", run)
        assert outcome.err.startswith(f"paretosched: {run / 'run.sqlite'}: {says}")
        assert outcome.err.endswith("; the front is shown as it was written\n")
        assert outcome.err.count("\n") == 1
        assert outcome.out == expected.out


def test_front_says_which_limit_helps_whom_and_how_it_is_set(tmp_path: Path) -> None:
    log, run = tmp_path / "log.parquet", tmp_path / "run"
    ps.save_log(limited_users(60, MaxJobsPU=7), log)
    wish = "p95 wait of others, top <= 2*today"
    explored = succeed("explore", log, "--encoding", "limits", "--groups", WORDS, "--wish", wish, "--population", 6,
                       "--evaluations", 20, "-o", run)  # fmt: skip
    assert f"paretosched front {run} --wish" in explored.out
    about = succeed("front", run, "--wish", wish, "--json").json
    limits = about["limits"]
    assert limits["row"] == about["answer"]["row"]
    text = succeed("front", run, "--wish", wish).out
    assert f"\nrow {limits['row']} is {limits['words']}" in text
    assert limits["changes"]
    told = [*dict.fromkeys(row["limit"] for row in limits["rows"])]
    assert [row[0] for row in columns(text, "this limit")][: len(told)] == told
    assert limits["lines"][0].startswith("sacctmgr modify qos ")
    assert text.endswith("set by:\n" + "".join(f"  {line}\n" for line in limits["lines"]))
    refused = command("simulate", log, "--groups", WORDS, "--front", run, "--save-policy", tmp_path / "p.json")
    assert f"{run}: row 0 is limits of the site, " in refused.err
    assert "so none can be saved" in refused.err
