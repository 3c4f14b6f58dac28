"""`paretosched train` finds what the library finds, and continues."""

import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import paretosched as ps
from paretosched.core.tables import amount
from paretosched.policies.policy import save_policy
from paretosched.policies.policy_json import to_json
from paretosched.training import class_choice
from paretosched.training.symbiosis import Symbiosis
from support.commands import (
    command,
    environment,
    numbers,
    succeed,
)
from support.exploring import random_workload
from support.trainings import of_weeks


@pytest.mark.slow
def test_train_finds_what_the_library_finds(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    words = "10*AWRT1 + 4*AWRT2, UTIL >= 1 %"
    short = ("--generations", 2, "--seed", 3)
    train = ("train", house / "w.swf.gz", "--objective", words, *short)
    outcome = succeed(*train, "-o", tmp_path / "p.json")
    training = ps.train(workload, ps.as_wish(words, workload.groups), generations=2, seed=3)
    assert ps.load_policy(tmp_path / "p.json").genes.tobytes() == training.policy.genes.tobytes()
    assert ps.load_policy(tmp_path / "p.json").provenance == training.policy.provenance
    assert training.text() in outcome.out
    assert outcome.out.startswith("910 policies tried for 10*AWRT1 + 4*AWRT2, UTIL >= 1 in ")
    assert outcome.err.splitlines()[-1].startswith("paretosched: training: 910 of 910, best ")
    name, *arguments = shlex.split(outcome.out.partition("next: ")[2])[1:]
    assert training.policy.name in succeed(name, *arguments).out
    ps.save_wish(training.wish, tmp_path / "wish.json")
    again = succeed("train", house / "w.swf.gz", "--objective", tmp_path / "wish.json", *short, "-o",
                 tmp_path / "q.json", "--workers", 1, "--json")  # fmt: skip
    assert (tmp_path / "q.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    about = again.json
    assert about["systems"] == training.rows()
    assert (about["policy"], about["evaluations"]) == (str(tmp_path / "q.json"), 910)


@pytest.mark.slow
def test_train_finds_the_order_that_the_library_finds(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    words = "10*AWRT1 + 4*AWRT2, AWRT <= 1.2*EASY"
    train = ("train", house / "w.swf.gz", "--class", "priority", "--objective", words, "--evaluations", 80, "--seed", 3)
    outcome = succeed(*train, "-o", tmp_path / "p.json")
    training = ps.train_priority(workload, words, evaluations=80, seed=3)
    policy = ps.load_policy(tmp_path / "p.json")
    assert to_json(policy) == to_json(training.policy)
    assert training.text() in outcome.out
    assert policy.provenance["class"] == "priority"


@pytest.mark.slow
def test_train_finds_the_guarded_order_that_the_library_finds(
    house: Path, workload: ps.Workload, tmp_path: Path
) -> None:
    words = "10*AWRT1 + 4*AWRT2, AWRT <= EASY, all <= 1.25*EASY"
    train = ("train", house / "w.swf.gz", "--class", "guarded", "--objective", words, "--evaluations", 30, "--seed", 3)
    outcome = succeed(*train, "-o", tmp_path / "p.json")
    training = ps.train_guarded(workload, words, evaluations=30, seed=3)
    assert to_json(ps.load_policy(tmp_path / "p.json")) == to_json(training.policy)
    assert training.text() in outcome.out


@pytest.mark.parametrize("policy_class", ["priority", "guarded"])
@pytest.mark.parametrize("option", [("--criterion", "f1"), ("--rule-base", "iterative"), ("--generations", 2)])
def test_options_of_other_classes_are_refused(
    house: Path, tmp_path: Path, option: tuple[object, ...], policy_class: str
) -> None:
    train = ("train", house / "w.swf.gz", "--class", policy_class, "--objective", "AWRT1", "-o", tmp_path / "p.json")
    outcome = command(*train, *option)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"{option[0]}: does not go with --class {policy_class}" in outcome.err


def test_a_wish_without_limits_has_no_guarded_order(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "--class", "guarded", "--objective", "AWRT1", "-o", tmp_path / "p.json")
    outcome = command(*train)
    assert (outcome.status, outcome.out) == (2, "")
    assert "a guarded order must have a wish with a group in its sum and a limit on AWRT or on a group" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--evaluations", 300), "--evaluations: needs --rule-base, or --class priority or guarded"),
        (("--unseen", "easy by wait"), "--unseen: needs --rule-base"),
        (("--train-until", 3), "--train-until must be a share of the time between 0 and 1, such as 0.7, but is 3"),
        (("--train-until", 0), "--train-until must be a share of the time between 0 and 1, such as 0.7, but is 0"),
    ],
)
def test_options_are_refused_as_they_are_typed(
    house: Path, tmp_path: Path, options: tuple[object, ...], message: str
) -> None:
    train = ("train", house / "w.swf.gz", "--objective", "AWRT1", "-o", tmp_path / "p.json")
    outcome = command(*train, *options)
    assert (outcome.status, outcome.err) == (2, f"paretosched train: {message}\n")


@pytest.mark.slow
def test_train_takes_several_logs_and_keeps_a_part_back(house: Path, tmp_path: Path) -> None:
    succeed("generate", "lublin", "--jobs", 150, "--processors", 32, "--seed", 6, "-o", tmp_path / "v.swf")
    outcome = succeed("train", house / "w.swf.gz", tmp_path / "v.swf", "--objective", "AWRT1", "-o",
                tmp_path / "p.json", "--train-until", 0.6, "--over", "ratio", "--criterion", "f2",
                "--generations", 1, "--backfill", "none",
                "--strategy", "cma", "--scale", "log", "--accept-worse", "--json")  # fmt: skip
    (shortfall,) = outcome.json["shortfalls"]
    best = next(row for row in outcome.json["systems"] if row["best"])
    assert shortfall == f"worse than EASY on the rest, by {amount(-best['rest_vs_easy'])} %"
    with_limit = succeed("train", house / "w.swf.gz", tmp_path / "v.swf", "--objective", "AWRT1 <= 1s", "-o",
                 tmp_path / "q.json", "--criterion", "f2", "--generations", 1, "--accept-worse")  # fmt: skip
    _, compare, *arguments = shlex.split(with_limit.out.partition("next: ")[2])
    assert [compare, *arguments[:2]] == ["compare", str(house / "w.swf.gz"), str(tmp_path / "v.swf")]
    assert " of 120, limits exceeded by " in with_limit.err
    assert with_limit.out.startswith(
        f"NOT AS WISHED: {tmp_path / 'q.json'} is outside the limits on the training data, by "
    )
    easy, system = outcome.json["systems"]
    assert easy["objective"] == pytest.approx(1, abs=1e-12)
    assert [w["workload"] for w in system["workloads"]] == ["w to 60 %", "v to 60 %"]
    assert [w["workload"] for w in system["rest"]] == ["w from 60 %", "v from 60 %"]
    policy = ps.load_policy(tmp_path / "p.json")
    assert (policy.backfill, policy.criteria, policy.provenance["over"]) == ("none", ("f2",) * 3, "ratio")


@pytest.mark.parametrize(
    ("policy_class", "wish"),
    [
        ("greedy", "vip + staff, all <= 2*EASY"),
        ("guarded", "vip + staff, all <= 2*EASY"),
        ("greedy", "vip, others <= 2*EASY"),
    ],
)
def test_a_group_without_jobs_in_the_rest_is_left_out_there_with_one_remark(
    tmp_path: Path, policy_class: str, wish: str
) -> None:
    w = random_workload()
    late = w.submit > w.submit[0] + 0.6 * (w.submit[-1] - w.submit[0])
    ps.write_swf(w.with_(user=np.where(late, w.group // 2 * 2, w.group)), tmp_path / "w.swf")
    (tmp_path / "groups.csv").write_text("user,group\n0,vip\n1,staff\n2,rest\n")
    common = ("train", tmp_path / "w.swf", "--groups", tmp_path / "groups.csv", "-o", tmp_path / "p.json",
              "--objective", wish, "--accept-worse", "--json")  # fmt: skip
    short = ("--criterion", "f1", "--generations", 1) if policy_class == "greedy" else ("--evaluations", 3)
    outcome = succeed(*common, "--class", policy_class, *short, "--train-until", 0.6)
    remark = "paretosched: w from 60 % has no job of group staff: left out of the results on the rest"
    assert outcome.err.splitlines().count(remark) == 1
    part = outcome.json["systems"][0]["rest"][0]
    assert (part["AWRT2"], part["objective"]) == (None, part["AWRT1"])
    assert "has no job" not in succeed(*common, "--class", policy_class, *short).err


def test_train_points_at_what_it_does_not_understand(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "-o", tmp_path / "p.json", "--generations", 1, "--objective")
    outcome = command(*train, "10*AWRT1 + 4*AWRTX, AWRT5 <= 40000")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(
        'paretosched train: --objective: wish, character 14, "AWRTX": there must be one of UTIL'
    )
    outcome = command(*train, "AWRT1, AWRT5 <= 1s", "--criterion", "f1")
    assert outcome.status == 3
    assert outcome.err.endswith("paretosched: no policy within the limits was found; this one exceeds them least\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["iterative", "symbiotic"])
def test_train_finds_the_rule_base_that_the_library_finds(
    house: Path, workload: ps.Workload, kind: str, tmp_path: Path
) -> None:
    words = "10*AWRT1 + 4*AWRT2"
    train = ("train", house / "w.swf.gz", "--objective", words, "--rule-base", kind, "--evaluations", 90, "--seed", 3)
    outcome = command(*train, "--generations", 1, "--run", tmp_path / "run", "-o", tmp_path / "r.json")
    training = ps.train_rules(
        workload, ps.as_wish(words, workload.groups), kind=kind, evaluations=90, generations=1, seed=3
    )
    assert training.text() in outcome.out
    assert "90 policies tried for 10*AWRT1 + 4*AWRT2 in " in outcome.out
    rules, alone = training.systems
    is_worse = rules.objective > training.easy.objective
    assert (outcome.status, outcome.out.startswith("NOT AS WISHED")) == (3 if is_worse else 0, is_worse)
    assert ("the Greedy among its strategies is better alone" in outcome.err) == (alone.objective < rules.objective)
    assert kind == "iterative" or rules.objective <= alone.objective
    assert "paretosched: training: 210 of 210, best " in outcome.err
    policy = ps.load_policy(tmp_path / "r.json")
    assert to_json(policy) == to_json(training.policy)
    _, name, *arguments = shlex.split(outcome.out.partition("next: ")[2])
    assert f"{kind} rules" in succeed(name, *arguments).out
    save_policy(policy.greedy, tmp_path / "g.json")
    again = succeed(*train, "--greedy", tmp_path / "g.json", "--run", tmp_path / "run", "-o", tmp_path / "q.json",
                 "--accept-worse", "--json")  # fmt: skip
    assert again.json["systems"] == training.rows()
    simulation = succeed("simulate", house / "w.swf.gz", "--policy", tmp_path / "r.json", "--json").json
    assert simulation["AWRT1"] == training.rows()[1]["workloads"][0]["AWRT1"]


@pytest.mark.slow
def test_train_evolves_default_values_and_keeps_parents_if_asked(
    house: Path, workload: ps.Workload, tmp_path: Path
) -> None:
    train = ("train", house / "w.swf.gz", "--objective", "AWRT1", "--rule-base", "symbiotic", "--evaluations", 170)
    succeed(*train, "--generations", 1, "--defaults", "--plus", "-o", tmp_path / "r.json")
    training = ps.train_rules(
        workload,
        ps.as_wish("AWRT1", workload.groups),
        evaluations=170,
        generations=1,
        symbiosis=Symbiosis(plus=True, defaults=True),
    )
    policy = ps.load_policy(tmp_path / "r.json")
    assert to_json(policy) == to_json(training.policy)
    assert policy.threshold > 0
    assert (policy.provenance["symbiosis"]["plus"], policy.provenance["symbiosis"]["defaults"]) == (True, True)


def test_limits_relative_to_easy_hold_on_both_parts_of_a_split(house: Path, tmp_path: Path) -> None:
    words = "AWRT1, others <= 1.5*EASY, AWRT <= 1.2*EASY"
    train = ("train", house / "w.swf.gz", "--objective", words, "--criterion", "f1", "--generations", 2)
    outcome = command(*train, "--train-until", 0.6, "-o", tmp_path / "p.json", "--json")
    about = outcome.json
    assert about["wish"] == words
    assert ps.load_policy(tmp_path / "p.json").provenance["wish"]["relative"]["easy"]["others"] == [0, 1.5]
    easy, best = (next(row for row in about["systems"] if row["best"] == is_best) for is_best in (False, True))
    expected = []
    for part, data in (("", "the training data"), ("rest_", "the rest")):
        values, of_easy = (row["rest" if part else "workloads"][0] for row in (best, easy))
        factors = dict.fromkeys(("AWRT2", "AWRT3", "AWRT4", "AWRT5"), 1.5) | {"AWRT": 1.2}
        limits = {name: factor * of_easy[name] for name, factor in factors.items() if of_easy[name] is not None}
        excess = sum(max(values[name] - limit, 0) / limit for name, limit in limits.items())
        assert best[f"{part}exceeded"] == pytest.approx(excess, abs=1e-12)
        assert easy[f"{part}exceeded"] == 0
        if best[f"{part}objective"] > easy[f"{part}objective"] * (1 + 1e-9):
            expected.append(f"worse than EASY on {data}")
        expected += [f"outside the limits on {data}"] if excess else []
    assert [words.partition(", by ")[0] for words in about["shortfalls"]] == expected
    assert outcome.status == (3 if expected else 0)


@pytest.mark.slow
def test_a_policy_takes_its_groups_with_it(house: Path, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("user,group\n1,vip\n2,vip\n3,staff\n*,rest\n")
    groups = ("--groups", tmp_path / "groups.csv")
    train = ("train", house / "w.swf.gz", "--objective", "vip, others <= 9*EASY", "--generations", 2, *groups)
    trained = succeed(*train, "--criterion", "f2", "--accept-worse", "-o", tmp_path / "p.json")
    assert ps.load_policy(tmp_path / "p.json").grouping.default == "rest"
    assert "newcomers are in group rest" in succeed("explain", tmp_path / "p.json").out
    assert "log does not have" not in trained.err
    (tmp_path / "other.csv").write_text("user,group\n3,staff\n1,vip\n2,vip\n")
    (tmp_path / "last.csv").write_text("user,group\n1,vip\n2,vip\n3,staff\n*,vip\n")
    for name, newcomers in (("other", "other"), ("last", "vip")):
        words = [
            *train[:-1],
            tmp_path / f"{name}.csv",
            "--criterion",
            "f2",
            "--accept-worse",
            "-o",
            tmp_path / "q.json",
        ]
        words[words.index("vip, others <= 9*EASY")] = f"{newcomers}, others <= 9*EASY"
        assert f"does not have will be in group {newcomers}, which the wish is for" in succeed(*words).err
        assert f"newcomers are in group {newcomers}" in succeed("explain", tmp_path / "q.json").out
    succeed("generate", "lublin", "--jobs", 90, "--processors", 32, "--seed", 9, "-o", tmp_path / "new.swf")
    simulate = ("simulate", tmp_path / "new.swf", "--policy", tmp_path / "p.json")
    succeed(*simulate, *groups, "-o", tmp_path / "grouped.csv")
    (tmp_path / "groups.csv").unlink()
    succeed(*simulate, "-o", tmp_path / "deployed.csv")
    starts = [pd.read_csv(tmp_path / f"{name}.csv")["start"].tolist() for name in ("grouped", "deployed")]
    assert starts[0] == starts[1]
    about = succeed("compare", tmp_path / "new.swf", "--policy", tmp_path / "p.json", "--json").json
    assert {"AWRT5", "AWRT5_vs_easy"} <= about[1].keys()
    assert "wish" not in about[1]  # it was trained for a group that this log does not have


@pytest.mark.slow
def test_without_a_class_one_is_chosen_and_it_is_said_why(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts = {"guarded": {"evaluations": 3}, "priority": {"evaluations": 40}, "greedy": {"generations": 1}}
    monkeypatch.setattr(class_choice, "EFFORTS", efforts)
    train = ("train", house / "w.swf.gz", "--objective", "10*AWRT1 + 4*AWRT2", "--accept-worse", "--train-until", 0.7)
    train += ("--run", tmp_path / "run", "-o", tmp_path / "p.json")
    outcome = succeed(*train)
    about = succeed(*train, "--json").json
    assert about["class"] in {"easy", "priority", "greedy"}
    assert [row["class"] for row in about["classes"]] == ["guarded", "priority", "greedy"]
    assert [row["class"] for row in about["classes"] if row["chosen"]] in ([about["class"]], [])
    assert ("EASY stays" if about["class"] == "easy" else f"{about['class']} is trained") in outcome.out
    assert "guarded was not tried: only for wishes with" in outcome.out
    assert ": priority; best" in outcome.err.partition("choosing a class, 1 of ")[2]
    assert ps.load_policy(tmp_path / "p.json").provenance["chosen"] == about["class"]


def test_a_run_of_an_earlier_version_is_continued_as_greedy(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    training = ps.train(workload, "AWRT1", generations=1, seed=0, run_directory=tmp_path / "run")
    train = ("train", house / "w.swf.gz", "--objective", "AWRT1", "--run", tmp_path / "run", "--accept-worse", "--json")
    about = succeed(*train, "-o", tmp_path / "p.json").json
    assert (about["class"], about["classes"], about["evaluations"]) == ("greedy", [], training.evaluations)
    assert to_json(ps.load_policy(tmp_path / "p.json")) == to_json(training.policy)


def test_train_explains_rule_bases_in_its_help() -> None:
    outcome = " ".join(succeed("train", "--help-all").out.split())
    for words in (
        "--rule-base symbiotic --objective",
        "one of thirteen strategies",
        "2496 for iterative, 3513 for symbiotic",
        "filled one after the other, which may end worse than EASY or outside the limits; symbiotic: fuzzy rules",
        "refined, on the jobs learnt from never worse than the best single strategy",
    ):
        assert words in outcome


def interrupt(train: tuple[object, ...], run: Path) -> float:
    """Interrupt a training when a tenth of it is done, and return how many evaluations it keeps by its own words."""
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", *map(str, train)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stderr is not None
    line = child.stderr.readline()
    while "still at work" in line or "compiling" in line:  # on a slow machine
        line = child.stderr.readline()
    assert line  # a tenth is done
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, ""), err
    *_, line, last = err.splitlines()
    assert last == "paretosched train: interrupted"
    assert line.endswith(f" evaluations are kept in {run}; the same command continues them")
    return numbers(line)[0]


@pytest.mark.slow
def test_ctrl_c_keeps_what_rule_bases_have_learnt(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "-o", tmp_path / "r.json", "--objective", "AWRT1", "--rule-base", "symbiotic",
             "--generations", 1, "--evaluations", 20_000, "--run", tmp_path / "run")  # fmt: skip
    assert 2000 <= interrupt(train, tmp_path / "run") < 20_000


@pytest.mark.slow
def test_ctrl_c_keeps_a_training_if_it_was_asked_to(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "-o", tmp_path / "p.json", "--objective", "AWRT1", "--generations", 40,
             "--criterion", "f1", "--accept-worse", "--run", tmp_path / "run")  # fmt: skip
    assert 400 < interrupt(train, tmp_path / "run") < 15 + 40 * 105
    assert not (tmp_path / "p.json").exists()
    succeed(*train)
    whole = succeed(*train[:-1], tmp_path / "whole", "--json").json
    assert whole["evaluations"] == 15 + 40 * 105
    assert ps.load_policy(tmp_path / "p.json").provenance["objective"] == whole["systems"][1]["objective"]


@pytest.mark.slow
def test_train_learns_from_samples_and_with_a_margin(tmp_path: Path) -> None:
    w, log, policy = of_weeks(2), tmp_path / "w.swf", tmp_path / "p.json"
    ps.write_swf(w.with_(submit=w.submit * 3), log)
    wish = "10*AWRT1 + 4*AWRT2, AWRT3 <= 1.02*EASY"
    words = ("train", log, "--objective", wish, "--criterion", "f2", "--generations", 1, "--accept-worse", "-o", policy)
    outcome = succeed(*words, "--resample", 2, "--margin", "auto", "--json")
    expected = ps.train(ps.read_swf(log), wish, criterion="f2", generations=1, resample=2, margin="auto")
    assert ps.load_policy(policy).genes.tolist() == expected.policy.genes.tolist()
    assert (outcome.json["resampled"], outcome.json["margin"]) == (2, expected.margin)
    assert " % of EASY's objective, in the mean of the workloads" in outcome.err
    assert outcome.json["gains"] == list(expected.gains)
    assert outcome.json["margins"] == list(expected.margins)
    output = succeed(*words, "--margin", "2.5", "--run", tmp_path / "run").out
    assert "learnt with 2.5 % distance to the limits" in output


@pytest.mark.parametrize("samples", [0, -1])
def test_no_samples_cannot_be_asked_for(house: Path, tmp_path: Path, samples: int) -> None:
    train = ("train", house / "w.swf.gz", "--objective", "AWRT1", "-o", tmp_path / "p.json")
    outcome = command(*train, "--resample", samples)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"--resample must be at least 1, but is {samples}" in outcome.err
