"""The experiment of online policies: its path can be walked, it continues, and rows of other logs stay."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.core.tables import load_rows
from paretosched.workload.user_groups import by_consumption
from support.experiments import ROOT, modules, script

SCRIPTS = (
    "ages",
    "analysis",
    "better_estimates",
    "by_log",
    "draws",
    "elsewhere",
    "hindsight",
    "nudges",
    "possible",
    "scalings",
    "standings",
    "run",
    "settings",
    "sureness",
    "tried",
    "unseen",
    "wanted",
)  # there are more experiments


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    yield from modules(monkeypatch, "online", SCRIPTS)


def rows_of(gains: dict[str, dict[str, tuple[float, float]]]) -> list[dict[str, str]]:
    """Return rows of a tenth of each log from gain and excess by policy and log; "easy" and "fcfs" are not trained."""
    return [
        {"part": "untrained" if policy in ("easy", "fcfs") else "trained", "log": log, "split": "50 %"}
        | {"policy": policy, "objective_vs_easy": str(gain), "exceeded": str(excess)}
        | {"AWRT_vs_easy": str(gain), "AWRT1_vs_easy": str(gain), "slowdown_all": "1.0"}
        | {"wait_p95_1": "1.0", "wait_p95_1_easy": "1.0"}
        for policy, of_logs in gains.items()
        for log, (gain, excess) in of_logs.items()
    ]


def test_a_learner_is_chosen_on_the_other_logs(scripts: dict[str, Any]) -> None:
    """ "a" keeps the limits on A and B, "b" on C and gains more there: without A or B both keep them in one."""
    rows = rows_of(
        {
            "easy": dict.fromkeys("ABC", (0.0, 0.0)),
            "a": {"A": (2.0, 0.0), "B": (2.0, 0.0), "C": (2.0, 1.0)},
            "b": {"A": (1.0, 1.0), "B": (1.0, 1.0), "C": (9.0, 0.0)},
        }
    )
    found = scripts["elsewhere"].chosen_elsewhere(rows, scripts["standings"].safest_of)
    assert [(one.log, one.policy, one.gain) for one in found] == [("A", "b", 1.0), ("B", "b", 1.0), ("C", "a", 2.0)]
    assert scripts["elsewhere"].total_of(found) == "1.3 %, kept in 0 of 3"


def test_new_users_are_in_the_last_group_where_the_learning_ends(scripts: dict[str, Any]) -> None:
    """User 7 has done most in the end, but a tenth of the work when the learning ends; user 9 comes later."""
    words = {"run": [90, 10, 500, 1], "estimate": [500] * 4, "width": [1] * 4, "capacity": 1, "user": [8, 7, 7, 9]}
    source = ({"function": "lublin"},)
    whole = by_consumption(ps.Workload(submit=[0, 1, 2, 3], **words, source=source), [0.8, 0.05])
    assert whole.group.tolist() == [1, 0, 0, 2]
    split = scripts["settings"].Split("the middle", 0.0, 0.5, 1.0)
    parts = scripts["run"].learning_and_test(whole, split)
    assert [part.group.tolist() for part in parts] == [[0, 1], [1, 2]]


def test_a_part_counts_once_however_many_seeds_were_tried_on_it(scripts: dict[str, Any]) -> None:
    """ "a" has three seeds on A, of which one breaks the limits; on B they all keep them."""
    rows = [
        row | {"seed": seed, "split": "50 %"}
        for log, seeds in (("A", ((6.0, 0.0), (3.0, 0.0), (0.0, 0.5))), ("B", ((1.0, 0.0),)))
        for seed, cell in enumerate(seeds)
        for row in rows_of({"a": {log: cell}})
    ]
    elsewhere = scripts["elsewhere"]
    assert elsewhere.parts_kept(rows) == "1.7 of 2"
    assert elsewhere.cells_of(2.0, rows, ["B"]) == [
        "+2.0 %",
        "1.7 of 2 (0.7 of 1 without B)",
        "+2.0 %",
        "+2.0 %",
        "+0.0 %",
    ]


def test_nudged_jobs_are_the_same_jobs_up_to_a_minute_later(scripts: dict[str, Any]) -> None:
    """The delay of a job is that of the draw, whatever other rows it passes; the jobs as recorded are one draw, too."""
    jobs = ps.lublin(jobs=400, processors=64, seed=5)
    run = scripts["run"]
    assert run.nudge_jobs(jobs, 0) is jobs
    first, again, second = (run.nudge_jobs(jobs, draw) for draw in (1, 1, 2))
    assert first.digest == again.digest != second.digest
    for moved in (first, second):
        place = {int(job): row for row, job in enumerate(moved.job)}
        rows = [place[int(job)] for job in jobs.job]
        later = moved.submit[rows] - jobs.submit
        assert later.min() >= 0
        assert later.max() <= scripts["settings"].LONGEST_NUDGE
        assert len(set(later.tolist())) > 50
        for column in ("run", "estimate", "width", "user"):
            assert getattr(moved, column)[rows].tolist() == getattr(jobs, column).tolist()


def test_less_than_two_thirds_left_in_hindsight_is_said(scripts: dict[str, Any]) -> None:
    """Two learners with two seeds each: the better one in the mean counts, 3 of the 6 % learnt on A, 5 on B."""
    gains = {"A": {"x": (2.0, 4.0), "y": (1.0, 1.0)}, "B": {"x": (0.0, 1.0), "y": (5.0, 5.0)}}
    rows = [
        {"log": log, "split": "50 %", "policy": policy, "seed": str(seed), "objective_vs_easy": str(gain)}
        for log, of_log in gains.items()
        for policy, of_seeds in of_log.items()
        for seed, gain in enumerate(of_seeds)
    ]
    hindsight = scripts["hindsight"]
    tenths = hindsight.by_tenth(rows)
    assert tenths == {("A", "50 %"): 3.0, ("B", "50 %"): 5.0}
    learnt = {
        log: [{"log": log, "split": "50 %", "train_vs_easy": "6", "objective_vs_easy": str(later)} for later in laters]
        for log, laters in {"A": (2.5, 1.5, 2.25), "B": (1.0, 4.0, 2.0)}.items()
    }
    shares = {log: hindsight.cells(tenths, mine) for log, mine in learnt.items()}
    assert shares == {"A": ("+3.0 %", 0.5), "B": ("+5.0 %", 5 / 6)}
    of_logs = {log: hindsight.share_gained(tenths, mine) for log, mine in learnt.items()}
    assert of_logs == {"A": (0.75, 1), "B": (0.4, 1)}
    (words, _) = hindsight.in_words(rows, {log: share for log, (_, share) in shares.items()}, of_logs, "this")
    assert "`x` and `y`, learnt from the very tenth they are tried on, the better one in the mean of 2 seeds." in words
    assert "less than two thirds on A (0.50): later" in words
    assert "it gains two thirds or more in the median on A; on B 0.40 (1 of 1 tenths). Only" in words
    (words, _) = hindsight.in_words(rows, {"B": shares["B"][1]}, {"B": of_logs["B"]}, "this")
    assert "less than" not in words.partition("Of what")[0]
    assert hindsight.in_words([], {}, {}, "this") == []
    assert hindsight.cells({}, learnt["A"])[0] == "-"
    assert hindsight.share_gained({**tenths, ("A", "50 %"): 0.9}, learnt["A"])[1] == 0


def test_the_choice_of_a_class_is_set_against_the_best_class_within_the_limits(scripts: dict[str, Any]) -> None:
    reached = {
        "A": {"class guarded": (2.0, 0.0), "class priority": (9.0, 0.1), "no class": (1.5, 0.0)},
        "B": {"class guarded": (2.0, 0.0), "class priority": (9.0, 0.0), "no class": (2.0, 0.0)},
        "C": {"class guarded": (2.0, 0.2), "no class": (3.0, 0.2)},
    }
    rows = [
        {
            "log": log,
            "policy": policy,
            "objective_vs_easy": str(gain),
            "exceeded": str(excess),
            "chosen": "guarded" if policy == "no class" else "",
        }
        for log, of_log in reached.items()
        for policy, (gain, excess) in of_log.items()
    ]
    assert scripts["unseen"].in_short(rows) == (
        "on A, B, C guarded gains +2.0, +2.0, +2.0 (outside) %, `train` +1.5, +2.0, +3.0 (outside) %"
    )
    assert scripts["unseen"].in_short([]) == ""
    assert scripts["unseen"].in_words(rows) == (
        "On these logs training without a class takes A guarded +1.5 % (at best +2.0), B guarded +2.0 % (at best "
        "+9.0), C guarded +3.0 % (no class keeps the limits): limits kept on 2 of 3, within 1 point of the best "
        "class that keeps them on 2"
    )


@pytest.mark.slow
def test_trainings_in_hindsight_and_on_several_scalings_are_made_by_their_names(tmp_path: Path) -> None:
    learner = "orders, distance, one scaling"
    places = ("--work", tmp_path / "work", "--results", tmp_path / "results")
    script("online", "run.py", "--quick", "--part", "draws", "--learner", learner, *places)
    assert {row["policy"] for row in load_rows(tmp_path / "results" / "draws.csv")} == {learner}
    learner = "guarded, limits, in hindsight"
    script("online", "run.py", "--quick", "--part", "hindsight", "--learner", learner, *places)
    assert {row["policy"] for row in load_rows(tmp_path / "results" / "hindsight.csv")} == {"guarded, limits"}
    learners = json.loads((tmp_path / "results" / "provenance.json").read_text(encoding="utf-8"))["learners"]
    assert {"orders, distance, one scaling", "guarded, limits, in hindsight"} <= {each["name"] for each in learners}


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path, scripts: dict[str, Any]) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    run = ("online", "run.py", "--quick", "--work", work, "--results", results)
    script(*run)
    script("online", "analysis.py", "--no-figures", "--results", results)
    summary = (results / "summary.md").read_text(encoding="utf-8")
    for words in (
        "A quick run on made-up workloads",
        "The best policy that keeps the limits",
        "## CTC",
        "was wanted",
        "better estimates",
        "constants of guarded orders",
        "On other scalings",
        "On a larger machine than the one learnt on",
        "How sure this choice is",
        "How long a training lasts",
        "If every job came up to a minute later",
        "## CTC 1024",
        "On the tenths of CTC 1024 policies without training were tried alone",
        "Learnt from several scalings at once",
        "## Later logs",
        "20 % or more within the limits on the first scaling: `orders, limits, five scalings` in ",
    ):
        assert words in summary
    assert "not run" not in summary
    of_trained, of_others = (load_rows(results / f"{part}.csv") for part in ("trained", "untrained"))
    assert {row["split"] for row in of_trained} == {row["split"] for row in of_others} == {"60 %", "70 %", "last 30 %"}
    easy = [row for row in of_others if row["policy"] == "easy"]
    assert {(row["objective_vs_easy"] or "0.0", row["exceeded"] or "0.0") for row in easy} == {("0.0", "0.0")}
    assert len({row["jobs"] for row in easy}) > 1
    of_estimates = load_rows(results / "estimates.csv")
    assert {row["estimates"] for row in of_estimates} == {"requested", "recent", "predicted", "exact"}
    assert len({row["AWRT"] for row in of_estimates}) > 2  # they make a difference
    of_scalings = load_rows(results / "scalings.csv")
    assert {row["scaling"] for row in of_scalings} == {"0", "1", "2", "3", "4"}
    of_log, on_larger = ([row for row in of_scalings if row["log"] == log] for log in ("CTC", "larger"))
    assert {row["policy"] for row in of_log} == {row["policy"] for row in (*of_trained, *of_others)}
    assert {row["policy"] for row in on_larger} == {"easy", "guarded: 1, 2", "guarded, limits"}
    for rows in (of_log, on_larger):
        assert len({row["AWRT"] for row in rows if row["policy"] == "easy"}) == 5
    of_draws = load_rows(results / "draws.csv")
    assert {row["scaling"] for row in of_draws} == {"0", "1", "2", "3", "4"}
    assert {(row["policy"], row["learnt"]) for row in of_draws} == {
        (learner.name, str(count)) for learner, count in scripts["settings"].OF_SCALINGS
    }
    of_hindsight = load_rows(results / "hindsight.csv")
    assert {(row["policy"], row["split"]) for row in of_hindsight} == {
        ("guarded, limits", "60 %"),
        ("guarded, limits", "70 %"),
    }
    of_ages = load_rows(results / "ages.csv")
    pairs = {("60 %", "60 %", "0"), ("60 %", "70 %", "1"), ("70 %", "70 %", "0")}
    assert {(row["learnt"], row["split"], row["tenths"]) for row in of_ages} == pairs
    assert {row["policy"] for row in of_ages} == {"easy", "guarded: 1, 2", "guarded, limits"}
    of_tenths = load_rows(results / "tenths.csv")
    assert {(row["log"], row["split"]) for row in of_tenths} == {("CTC 1024", "60 %"), ("CTC 1024", "70 %")}
    assert {row["policy"] for row in of_tenths} == {row["policy"] for row in of_others}
    assert {row["log"] for row in (*of_trained, *of_others)} == {"CTC"}  # they count in no other table
    assert len(load_rows(results / "tenths-pooled.csv")) == len({row["policy"] for row in of_tenths})
    of_bounds = load_rows(results / "bounds.csv")
    assert {(row["log"], row["split"]) for row in of_bounds} == {
        (log, split) for log in ("CTC", "CTC 1024") for split in ("60 %", "70 %", "last 30 %")
    }
    assert summary.count("*proved possible at most within the limits*") == 2
    tables = {path.name: path.read_bytes() for path in results.glob("*.csv")}
    assert script(*run) == ""  # nothing is trained again
    shutil.rmtree(work)
    assert script(*run) == ""  # nor where only the results are left
    assert {path.name: path.read_bytes() for path in results.glob("*.csv")} == tables
    script(*run, "--log", "SDSC96", "--part", "untrained")
    rows = load_rows(results / "untrained.csv")
    assert [row for row in rows if row["log"] == "CTC"] == of_others
    assert {row["log"] for row in rows} == {"CTC", "SDSC96"}
    note = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert (set(note["workloads"]), note["parts"]) == (
        {"CTC", "SDSC96", *scripts["settings"].UNSEEN},
        sorted(scripts["run"].PARTS),
    )


def test_no_policy_within_the_limits_gains_more_than_is_proved_possible() -> None:
    results = ROOT / "results" / "online"
    most = {(row["log"], row["split"]): float(row["at_most_vs_easy"]) for row in load_rows(results / "bounds.csv")}
    rows = [row for part in ("untrained", "trained", "tenths") for row in load_rows(results / f"{part}.csv")]
    within = [row for row in rows if row["exceeded"] and float(row["exceeded"]) == 0]
    assert {(row["log"], row["split"]) for row in rows if row["exceeded"]} == most.keys()
    assert all(float(row["objective_vs_easy"]) <= most[row["log"], row["split"]] + 1e-9 for row in within)
