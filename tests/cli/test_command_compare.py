"""`paretosched compare` shows and reports what the library compares."""

import re
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.workload.group_rules import ConsumptionGroups
from paretosched.workload.user_groups import PAPER_THRESHOLDS, with_groups
from support.commands import (
    command,
    succeed,
)
from support.trainings import of_weeks


@pytest.mark.slow
def test_compare_without_a_front(house: Path, workload: ps.Workload) -> None:
    outcome = succeed("compare", house / "w.swf.gz", "--policy", "fcfs", "--policy", "list")
    comparison = ps.compare(workload, ["fcfs", "list"])
    assert outcome.out == comparison.text() + "\n"
    assert succeed("compare", house / "w.swf.gz", "--policy", "fcfs", "--policy", "list", "--json").json == (
        comparison.rows()
    )
    assert succeed("compare", house / "w.swf.gz").out == ps.compare(workload, ["fcfs"]).text() + "\n"


@pytest.mark.slow
def test_compare_with_a_front_writes_a_report(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    policy, target = tmp_path / "p.json", tmp_path / "report.html"
    succeed("simulate", house / "w.swf.gz", "--front", house / "run", "--row", 1, "--save-policy", policy)
    compare = ("compare", house / "w.swf.gz", "--front", house / "run", "--policy", "fcfs", "--policy", policy)
    outcome = succeed(*compare, "-o", target)
    front = ps.load_front(house / "run")
    comparison = ps.compare(workload, ["fcfs", policy], front)
    assert outcome.out == comparison.text() + "\n"
    assert outcome.err == f"paretosched: report: {target} (open it in a browser; it needs no network)\n"
    ps.report.write_report(tmp_path / "ours.html", front, comparison)
    assert target.read_bytes() == (tmp_path / "ours.html").read_bytes()
    rows = succeed(*compare, "--json").json
    assert rows == comparison.rows()
    assert rows[2]["dominated_by"] == 0  # it is on the front
    assert [row["policy"] for row in rows[-2:]] == ["best of each", "ideal point"]


@pytest.mark.slow
def test_compare_without_a_front_writes_a_report_too(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    succeed("compare", house / "w.swf.gz", "--objective", "AWRT1", "-o", tmp_path / "r.html")
    comparison = ps.compare(workload, ["fcfs"], None, ps.as_wish("AWRT1", workload.groups))
    ps.report.write_report(tmp_path / "ours.html", None, comparison)
    assert (tmp_path / "r.html").read_bytes() == (tmp_path / "ours.html").read_bytes()
    assert "the front" not in (tmp_path / "r.html").read_text(encoding="utf-8").partition("<script")[0]


def test_compare_takes_the_objective_in_words_from_a_file_and_from_a_policy(
    house: Path, workload: ps.Workload, tmp_path: Path
) -> None:
    trace = house / "w.swf.gz"
    train = ("train", trace, "--criterion", "f2", "--generations", 1, "--objective")
    succeed(*train, "AWRT1 + AWRT2", "-o", tmp_path / "both.json")
    succeed(*train, "AWRT2", "-o", tmp_path / "one.json")
    ps.save_wish(ps.Wish(weights=[("AWRT1", 1), ("AWRT2", 1)]), tmp_path / "wish.json")
    both = ("compare", trace, "--policy", tmp_path / "both.json", "--front", house / "run", "--json")
    outcome = [
        succeed(*both, *more)
        for more in ((), ("--objective", "AWRT1 + AWRT2"), ("--objective", tmp_path / "wish.json"))
    ]
    assert outcome[0].out == outcome[1].out == outcome[2].out
    by_rule = ConsumptionGroups(tuple("12345"), PAPER_THRESHOLDS, 90, "5").group_indices(workload)
    assert outcome[0].err == (
        f"paretosched: Greedy f2 with EASY: decides by the groups of {trace}, by what users consume in all of it; "
        "deployed, it decides by the user's share of the processor seconds of the last 90 days, which puts "
        f"{100 * (by_rule != workload.group).mean():.3g} % of the jobs into other groups\n"
    )
    easy, ours = outcome[0].json[:2]
    assert ours["wish"] == "AWRT1 + AWRT2"
    assert ours["objective"] == ours["AWRT1"] + ours["AWRT2"]
    assert ours["objective_vs_easy"] == pytest.approx(100 * (1 - ours["objective"] / easy["objective"]))
    front = ps.load_front(house / "run").values
    best = (front[:, 2] + front[:, 3]).min()
    assert easy["share_of_way"] == 0
    assert ours["share_of_way"] == pytest.approx(
        100 * (easy["objective"] - ours["objective"]) / (easy["objective"] - best)
    )
    # the policies have different wishes: the command takes that of the first policy, and a remark says so
    outcome = [succeed(*both, "--policy", tmp_path / "one.json"), succeed(*both, "--policy", tmp_path / "one.json",
            "--objective", "AWRT2")]  # fmt: skip
    assert outcome[0].json[0]["wish"] == "AWRT1 + AWRT2"
    assert [line for line in outcome[0].err.splitlines() if "decides by the groups of" not in line] == [
        "paretosched: the objective is AWRT1 + AWRT2, as Greedy f2 with EASY was trained for it; "
        "Greedy f2 with EASY (2) was trained for AWRT2"
    ]
    assert outcome[1].json[0]["wish"] == "AWRT2"
    assert "was trained for" not in outcome[1].err


@pytest.mark.slow
def test_compare_takes_several_logs_and_the_front_of_each(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    succeed("generate", "lublin", "--jobs", 150, "--processors", 32, "--seed", 4, "-o", tmp_path / "v.swf")
    other = ps.read_swf(tmp_path / "v.swf")
    both = ("compare", tmp_path / "v.swf", house / "w.swf.gz", "--front", house / "run", "--objective", "AWRT1")
    outcome = succeed(*both, "-o", tmp_path / "r.html")
    wish, front = ps.as_wish("AWRT1", workload.groups), ps.load_front(house / "run")
    comparisons = [ps.compare(other, ["fcfs"], None, wish), ps.compare(workload, ["fcfs"], front, wish)]
    for comparison in comparisons:
        assert comparison.text() in outcome.out
    assert "\nall workloads: AWRT1 vs EASY\npolicy" in outcome.out
    ps.report.write_report(tmp_path / "ours.html", [None, front], comparisons)
    assert (tmp_path / "r.html").read_bytes() == (tmp_path / "ours.html").read_bytes()
    rows = succeed(*both, "--json").json
    assert rows == [row for comparison in comparisons for row in comparison.rows()]
    assert [row["workload"] for row in rows] == ["v"] * 3 + ["w"] * 5


def test_compare_explains_its_new_options_in_its_help() -> None:
    outcome = succeed("compare", "--help")
    assert "[TRACE ...]" in outcome.out
    assert '--objective "10*AWRT1 + 4*AWRT2"' in outcome.out


def test_compare_says_how_certain_a_gain_is(tmp_path: Path) -> None:
    w = of_weeks(3)
    log = tmp_path / "w.swf"
    ps.write_swf(w.with_(submit=w.submit * 3), log)
    outcome = succeed("compare", log, "--policy", "fcfs", "--intervals", "--rolling", 3, "--json")
    expected = ps.compare(log, "fcfs", intervals=True, rolling=3)
    assert outcome.json[1]["intervals"] == expected.rows()[1]["intervals"]
    assert outcome.json[1]["periods"] == expected.rows()[1]["periods"]
    assert "rough" not in outcome.err
    ps.write_swf(w.with_(submit=w.submit * 6 * 7 * 86400 // w.submit[-1]), log)
    assert f"paretosched: {log}: intervals from 6 weeks are rough" in succeed("compare", log, "--intervals").err


@pytest.mark.slow
def test_compare_gives_all_orders_the_same_backfilling(house: Path, workload: ps.Workload) -> None:
    options = ("--policy", "sjf", "--policy", "wfp3", "--backfill", "easy:2", "--backfill-order", "saf", "--json")
    texts = [f"{order}; backfill: easy:2; backfill-order: saf" for order in ("sjf", "wfp3")]
    assert succeed("compare", house / "w.swf.gz", *options).json == ps.compare(workload, texts).rows()


def test_a_wish_for_a_group_without_jobs_is_refused_and_one_that_a_log_lacks_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("user,group\n1,vip\n*,other\n")
    for name, users in (("with", [1, 2, 3]), ("without", [2, 3, 4])):
        jobs = {"submit": [0, 1, 2], "run": [10, 5, 3], "estimate": [10, 5, 3], "width": [3, 4, 1], "user": users}
        ps.write_swf(ps.Workload(**jobs, capacity=4), tmp_path / f"{name}.swf")
    words = ("--groups", tmp_path / "groups.csv", "--policy", "fcfs", "--objective", "10*vip")
    refused = command("compare", tmp_path / "without.swf", *words)
    fact = "the wish 10*AWRT1 uses AWRT1, which is undefined: its group has no jobs"
    assert (refused.status, refused.out) == (2, "")
    assert f"--objective: {tmp_path / 'without.swf'}: {fact}" in refused.err
    both = succeed("compare", tmp_path / "with.swf", tmp_path / "without.swf", *words)
    assert f"{tmp_path / 'without.swf'}: {fact}" in both.err
    either = succeed("compare", tmp_path / "without.swf", *words[:-1], "10*vip + 4*other", "--json")
    log = ps.read_swf(tmp_path / "without.swf")
    assert either.json[1]["objective"] == 4 * ps.objectives(ps.simulate(log, "fcfs"))["AWRT"]
    left_out = f"paretosched: {tmp_path / 'without.swf'}: no job of group vip: left out of the objective and its limits"
    assert left_out in either.err.splitlines()


def test_compare_takes_several_groupings_and_other_commands_one(house: Path, workload: ps.Workload) -> None:
    words = ("--groups", "wide: width >= 4; rest", "--groups", "long: limit > 1h; rest")
    grouped = ps.compare(with_groups(workload, words[1]), ["fcfs"], views=[words[3]])
    assert succeed("compare", house / "w.swf.gz", *words, "--json").json == grouped.rows()
    refused = command("info", house / "w.swf.gz", *words)
    assert refused.status == 2
    assert "--groups: may be given once only; compare shows waits in several" in refused.err


@pytest.mark.slow
def test_copies_of_a_slurm_conf_have_the_shares_and_the_names_of_their_files(house: Path, tmp_path: Path) -> None:
    site = Path(__file__).parents[1] / "data/slurm"
    text = (site / "slurm.conf").read_text(encoding="utf-8")
    (tmp_path / "nodes.conf").write_bytes((site / "nodes.conf").read_bytes())
    for name, weight in (("today.conf", "100000"), ("none.conf", "0")):
        changed = re.sub(r"(?m)^PriorityWeightFairshare=.*$", f"PriorityWeightFairshare={weight}", text)
        (tmp_path / name).write_text(changed, encoding="utf-8")
    confs = ("--today", tmp_path / "today.conf", "--policy", tmp_path / "none.conf")
    call = ("compare", house / "w.swf.gz", *confs, "--policy", "sjf; backfill: easy", "--json")
    rows = {row["policy"]: row for row in succeed(*call, "--shares", site / "assoc.txt").json}
    assert {"Slurm loop, today.conf", "Slurm loop, none.conf", "SJF with EASY"} <= set(rows)
    alone = ("simulate", house / "w.swf.gz", "--policy", tmp_path / "today.conf", "--shares", site / "assoc.txt")
    assert rows["Slurm loop, today.conf"]["AWRT"] == succeed(*alone, "--json").json["AWRT"]
    asked = ("whatif", house / "w.swf.gz", "--shares", site / "assoc.txt", "--nodes", "+8", "--draws", 1, "--json")
    policies = ("--policy", tmp_path / "today.conf", "--policy", tmp_path / "none.conf")
    assert {row["policy"] for row in succeed(*asked, *policies).json["rows"]} == set(rows) & {
        "Slurm loop, today.conf",
        "Slurm loop, none.conf",
    }
    outcome = command("compare", house / "w.swf.gz", "--policy", "easy", "--shares", site / "assoc.txt")
    assert outcome.status == 2
    assert "--shares: goes with --policy or --today of a slurm.conf" in outcome.err


def test_words_in_a_file_are_called_like_the_file(house: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("order: -estimate; backfill: easy\n", encoding="utf-8")
    (tmp_path / "rule.txt").write_text("easy\n", encoding="utf-8")
    files = [word for name in ("mine.txt", "rule.txt") for word in ("--policy", tmp_path / name)]
    rows = succeed("compare", house / "w.swf.gz", *files, "--json").json
    assert [row["policy"] for row in rows][:2] == ["EASY", "mine"]
