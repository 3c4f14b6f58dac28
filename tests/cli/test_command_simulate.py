"""`paretosched simulate` prints and writes what the library gives."""

import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.workload.limits import Limits
from paretosched.workload.machine import Reservation
from support.commands import (
    RECORD,
    columns,
    command,
    environment,
    succeed,
)
from support.fuzzing import refusal


@pytest.mark.parametrize("policy", ["fcfs", "list", "easy", "conservative", "conservative-replan"])
def test_simulate_prints_and_writes_what_the_library_gives(
    house: Path, workload: ps.Workload, tmp_path: Path, policy: str
) -> None:
    target = tmp_path / "schedule.csv"
    schedule = ps.simulate(workload, policy)
    values = ps.objectives(schedule)
    names = [o.name for o in ps.objective_table(workload.groups)]
    outcome = succeed("simulate", house / "w.swf.gz", "--policy", policy, "-o", target)
    assert outcome.err == ""
    rows = columns(outcome.out, "objective")
    assert [row[0] for row in rows] == names
    assert [row[1] for row in rows] == [f"{value:,.2f}" for value in values.values()]
    assert [row[2:4] for row in rows] == [["%", ""], *(["s", f"{value / 3600:,.2f}"] for value in values[1:])]
    simulation = succeed("simulate", house / "w.swf.gz", "--policy", policy, "--json").json
    assert [simulation[name] for name in names] == values.tolist()
    assert simulation["digest"] == workload.digest
    assert simulation["policy"] == schedule.name
    with target.open(newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == ["job", "submit", "start", "finish", "processors", "user", "group"]
    w = workload
    expected = zip(w.job, w.submit, schedule.start, schedule.finish, w.width, w.user, w.group + 1, strict=True)
    assert [[int(cell) for cell in row] for row in table[1:]] == [list(row) for row in expected]


@pytest.mark.slow
def test_simulate_shares_time(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    schedule = ps.simulate(workload, "scojo-opt").check()
    outputs = ("-o", tmp_path / "s.csv", "--segments", tmp_path / "s.parquet", "--save-policy", tmp_path / "p.json")
    outcome = succeed("simulate", house / "w.swf.gz", "--policy", "scojo-opt", *outputs)
    assert outcome.err == ""
    assert outcome.out.startswith("SCOJO-PECT optimised on w: 200 jobs, 64 processors\n")
    rows = columns(outcome.out, "objective")
    assert [row[1] for row in rows] == [f"{value:,.2f}" for value in ps.objectives(schedule).values()]
    assert "slowdown (600 s)" in outcome.out
    assert "nodes of search trees visited" in outcome.out
    again = ps.load_segments(workload, tmp_path / "s.parquet").check()
    assert again.start.tolist() == schedule.start.tolist()
    assert again.finish.tolist() == schedule.finish.tolist()
    lines = (tmp_path / "s.csv").read_text().splitlines()[1:]
    assert [int(line.split(",")[3]) for line in lines] == schedule.finish.tolist()
    simulation = succeed("simulate", house / "w.swf.gz", "--policy", tmp_path / "p.json", "--json").json
    assert schedule.searched is not None
    assert simulation["searched"] == {key: list(value) for key, value in schedule.searched._asdict().items()}
    assert simulation["AWRT"] == ps.objectives(schedule)[1]
    assert simulation["estimates"] == "exact"
    plain = tmp_path / "estimates.json"
    plain.write_text(json.dumps(json.loads((tmp_path / "p.json").read_text()) | {"run_times": "estimates"}))
    assert succeed("simulate", house / "w.swf.gz", "--policy", plain, "--json").json["estimates"] == "requested"
    other = command("simulate", house / "w.swf.gz", "--policy", plain, "--estimates", "exact")
    assert (other.status, other.err.count("\n")) == (2, 1)
    assert "run_times" in other.err
    assert len(simulation["classes"]) == 16
    comparison = succeed("compare", house / "w.swf.gz", "--policy", tmp_path / "p.json", "--json").json
    assert [row["AWRT"] for row in comparison if row["policy"] == "SCOJO-PECT optimised"] == [simulation["AWRT"]]


def test_the_policy_is_easy_by_default(house: Path) -> None:
    plain = succeed("simulate", house / "w.swf.gz")
    assert plain.out.startswith("EASY on w: 200 jobs, 64 processors\n")
    assert plain.out == succeed("simulate", house / "w.swf.gz", "--policy", "easy").out


def test_the_schedule_has_the_job_numbers_of_the_log(house: Path, tmp_path: Path) -> None:
    target = tmp_path / "schedule.csv"
    succeed("simulate", house / "record.swf", "--policy", "recorded", "--groups", "queue", "-o", target)
    # start = submit + wait
    assert target.read_text().splitlines() == [
        "job,submit,start,finish,processors,user,group",
        "10,100,100,150,4,5,short",
        "12,110,150,180,8,6,long",
        "9,120,180,200,8,5,short",
        "11,130,130,140,2,7,long",
    ]


def test_a_recorded_schedule_that_could_not_be_is_remarked(house: Path, tmp_path: Path) -> None:
    feasible = succeed("simulate", house / "record.swf", "--policy", "recorded")
    assert "feasible" not in feasible.err
    history = tmp_path / "history.swf"
    history.write_text(RECORD.replace("110 40", "110 39"))
    remark = (
        "paretosched: not feasible, but measured as it is: recorded: the machine has 8 processors, "
        "but 12 are in use from second 149 on (nodes were shared, or clocks differed)\n"
    )
    outcome = succeed("simulate", history, "--policy", "recorded")
    assert outcome.err.startswith(remark)
    use = "RECORDED USE ABOVE THE MACHINE: up to 12 of 8 processors, for "
    assert outcome.out.startswith(f"{history}: {use}")
    assert "\nrecorded on history: 4 jobs, 8 processors\n" in outcome.out
    assert succeed("compare", history, "--policy", "recorded").err.startswith(remark)


@pytest.mark.parametrize("name", ["simulate", "compare"])
def test_generated_and_scaled_workloads_have_no_recorded_schedule(house: Path, tmp_path: Path, name: str) -> None:
    succeed("scale", house / "record.swf", "--processors", 32, "-o", tmp_path / "scaled.swf")
    for trace in (house / "w.swf.gz", tmp_path / "scaled.swf"):
        outcome = command(name, trace, "--policy", "recorded")
        assert outcome.status == 2
        assert outcome.out == ""
        about = ps.read_swf(trace).name
        assert outcome.err == (
            f"paretosched {name}: {about}: no job has a recorded wait, so there is no recorded schedule "
            "(was it generated or scaled?)\n"
        )


def test_a_schedule_of_a_front_can_be_had_as_a_policy(house: Path, tmp_path: Path) -> None:
    trace, run, policy = house / "w.swf.gz", house / "run", tmp_path / "p.json"
    front = ps.load_front(run)
    names = [o.name for o in front.objectives]
    for row in (0, len(front) // 2, len(front) - 1):
        of_front = succeed("simulate", trace, "--front", run, "--row", row, "--save-policy", policy, "--json")
        of_file = succeed("simulate", trace, "--policy", policy, "--json")
        assert [of_front.json[name] for name in names] == front.values[row].tolist()
        assert of_file.json == of_front.json
    assert succeed("simulate", trace, "--front", run).out == succeed("simulate", trace, "--front", run, "--row", 0).out
    assert ps.load_policy(policy).provenance["run"] == "run"


def test_a_policy_explored_elsewhere_is_applied_and_remarked(house: Path, tmp_path: Path) -> None:
    succeed("generate", "lublin", "--jobs", 80, "--seed", 9, "-o", tmp_path / "new.swf")
    outcome = succeed("simulate", tmp_path / "new.swf", "--front", house / "run")
    assert outcome.err == (
        f"paretosched: {house / 'run'} was explored on another workload; its policy was applied to this one\n"
    )


@pytest.mark.slow
def test_lines_of_a_list_without_jobs_are_remarked(house: Path, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("user,group\n1,vip\n98765,gone\n*,rest\n")
    outcome = succeed("simulate", house / "w.swf.gz", "--groups", tmp_path / "groups.csv")
    path = tmp_path / "groups.csv"
    assert outcome.err == f"paretosched: {path}: 1 of 3 lines has no job of w: line 3 (user 98765)\n"
    assert "AWRT of group gone" in outcome.out
    line = (
        f"{shlex.quote(sys.executable)} -m paretosched.cli simulate w.swf.gz --groups <(cat {shlex.quote(str(path))})"
    )
    piped = subprocess.run(
        ["bash", "-c", line], cwd=house, env=environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, outcome.out, "")


def test_names_in_lists_are_no_formulas_in_what_is_written(house: Path, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("user,group\n1,=cmd()\n2,-1+1\n3,'@x\n")
    log = (house / "w.swf.gz", "--groups", tmp_path / "groups.csv")
    succeed("simulate", *log, "-o", tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    workload = ps.by_csv(ps.read_swf(house / "w.swf.gz"), tmp_path / "groups.csv")
    assert set(workload.groups[:3]) == {"=cmd()", "-1+1", "@x"}  # a list may have been copied from such a file
    assert not [row for row in rows if row["group"][:1] in "=+-@"]
    (tmp_path / "again.csv").write_text("".join({f"{row['user']},{row['group']}\n": 0 for row in rows}))
    again = ps.by_csv(ps.read_swf(house / "w.swf.gz"), tmp_path / "again.csv")
    names = [workload.groups[group] for group in workload.group]
    assert [again.groups[group] for group in again.group] == names


def test_orders_take_a_backfilling(house: Path, workload: ps.Workload) -> None:
    options = ("--policy", "fcfs", "--backfill", "easy:2 for 1", "--backfill-order", "sjf", "--json")
    simulation = succeed("simulate", house / "w.swf.gz", *options).json
    text = "fcfs; backfill: easy:2 for 1; backfill-order: sjf"
    assert simulation["policy"] == ps.as_policy(text).name
    assert simulation["AWRT"] == ps.objectives(ps.simulate(workload, text))["AWRT"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--backfill", "easy"),
            "backfill must go with an order, such as fcfs or sjf, but policy EASY",
        ),
        (
            ("--policy", "sjf", "--backfill", "eazy"),
            'backfill, character 1, "eazy": backfill must be one of none',
        ),
        (
            ("--policy", "fcfs", "--backfill-order", "saf"),
            "backfill-order must come with backfilling",
        ),
        (
            ("--policy", "priority:1,2", "--backfill", "conservative", "--backfill-order", "nonsense"),
            'backfill-order: "nonsense" must be an order or a formula, but is neither, nor a group of w; orders are',
        ),
        (
            ("--policy", "order: wiat"),
            'order, character 8, "wiat": there must be a number, variable, func',
        ),
    ],
)
def test_a_backfilling_that_cannot_be_is_refused(house: Path, options: tuple[str, ...], message: str) -> None:
    assert refusal("simulate", house / "w.swf.gz", *options).startswith(f"paretosched simulate: {message}")


def test_an_order_without_a_word_on_backfilling_takes_easy_and_says_so(house: Path, tmp_path: Path) -> None:
    remark = 'SAF with EASY: EASY backfilling, as nothing else is said; "backfill: none" is the strict order\n'
    log = house / "w.swf.gz"
    (tmp_path / "p.txt").write_text("saf\n")
    easy = succeed("simulate", log, "--policy", "saf", "--backfill", "easy")
    strict = succeed("simulate", log, "--policy", "saf", "--backfill", "none")
    assert "as nothing else is said" not in easy.err + strict.err
    for words, name in ((tmp_path / "p.txt", "p"), ("saf", "SAF with EASY"), ("order: saf", "SAF with EASY")):
        outcome = succeed("simulate", log, "--policy", words, "--save-policy", tmp_path / "p.json")
        named = remark.replace("SAF with EASY:", f"{name}:", 1)
        assert outcome.out == easy.out.replace("SAF with EASY on", f"{name} on") != strict.out
        assert outcome.err.count(named) == 1
        assert outcome.err.replace(f"paretosched: {named}", "") == easy.err
    explained = succeed("explain", tmp_path / "p.json").out
    assert explained.replace(str(tmp_path / "p.json"), "policy.json") == succeed("explain", "saf").out
    policies = ("--policy", "saf", "--policy", "fcfs", "--policy", "order: saf; backfill: none")
    outcome = succeed("compare", log, log, *policies)
    assert outcome.err.count("as nothing else is said") == outcome.err.count(remark) == 1
    assert "as nothing else is said" not in succeed("simulate", log, "--policy", "fcfs").err


def test_groups_that_are_not_there_are_remarked(house: Path) -> None:
    words = "order: 5 * group(vip) + width; backfill: conservative; backfill-order: sjf"
    outcome = succeed("simulate", house / "w.swf.gz", "--policy", words)
    assert "w.swf.gz has no group vip; the policy goes on without" in outcome.err
    assert "every job has a reservation, so that the order of backfilling changes nothing" in outcome.err
    for order, words in (
        ("wait", "paretosched: wait with EASY: no formula has usage, so that the half-life changes nothing\n"),
        ("-usage", ""),
    ):
        policy = f"order: {order}; backfill: easy; half-life: 3d"
        lines = succeed("simulate", house / "w.swf.gz", "--policy", policy).err.splitlines(keepends=True)
        assert "".join(line for line in lines if ": simulating: " not in line) == words  # as it compiles for long
    outcome = succeed("simulate", house / "w.swf.gz", "--policy", "guarded: 1, vip")
    assert "w.swf.gz has no group vip; the policy goes on without" in outcome.err


def test_users_and_accounts_without_jobs_are_remarked(house: Path) -> None:
    policy = "user(999999) + user(1) + account(999999)"
    outcome = succeed("simulate", house / "w.swf.gz", "--policy", f"order: {policy}", "--backfill", "none")
    remarks = [line.partition(": ")[2] for line in outcome.err.splitlines()]
    assert f"{policy}: w has no user 999999; the policy goes on without" in remarks
    assert f"{policy}: w has no account 999999; the policy goes on without" in remarks
    outcome = succeed("simulate", house / "w.swf.gz", "--policy", "order: wait * share; shares: 999999 = 0.5, 1 = 0.2")
    assert "w has no user 999999, for which there is a share" in outcome.err


def test_a_word_that_is_no_group_and_a_formula_that_is_not_defined_are_said(house: Path, tmp_path: Path) -> None:
    log = house / "w.swf.gz"
    message = refusal("simulate", log, "--policy", "order: 5 * vip + width")
    assert message.startswith(
        "paretosched simulate: order: w has the groups 1, 2, 3, 4, 5, but none of the policy's: vip"
    )
    (tmp_path / "p.txt").write_text("order: log(estimate - 1h)\nbackfill: easy\n")
    for name in ("simulate", "compare"):
        outcome = succeed(name, log, "--policy", tmp_path / "p.txt")
        assert "order: the formula is not defined for" in outcome.err
        assert "log(estimate - 3600) is the logarithm of a negative number, which counts as -inf" in outcome.err
    assert "log(estimate - 3600) may be the logarithm of" in succeed("explain", tmp_path / "p.txt").out
    message = refusal("compare", log, "--policy", "order: log(-width)")
    assert message.startswith("paretosched compare: order: the formula is defined for no job of w: log(-width) is the")


SITE = Path(__file__).parents[1] / "data/slurm"


@pytest.mark.slow
def test_a_slurm_conf_is_a_policy(house: Path, tmp_path: Path) -> None:
    words = ("simulate", house / "w.swf.gz", "--policy", SITE / "slurm.conf")
    today = tmp_path / "today.json"
    outcome = succeed(*words, "--shares", SITE / "assoc.txt", "--save-policy", today, "--remarks")
    assert outcome.out.startswith("Slurm loop on w: 200 jobs, 64 processors\n")
    lines = outcome.err.splitlines()
    assert (
        "paretosched: slurm.conf: in the policy are age (1,000), fair share, Fair Tree (100,000), job size (1,000), "
        "partition (500), QOS (2,000), CPUs (3,000); backfilling beside reservations of the first 8 jobs"
    ) in lines
    assert "paretosched: Slurm loop: w has no partition fast; the policy goes on without" in lines
    assert "paretosched: Slurm loop: 200 of 200 jobs by users without shares; they get one share" in lines
    assert succeed("simulate", house / "w.swf.gz", "--policy", today).out == outcome.out
    without = succeed(*words, "--estimates", "recent").err
    assert "all users have equal shares; to give them their own: sacctmgr" in without


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["conf", "words"])
def test_predictions_count_processors_and_it_is_said(policy: str, house: Path, tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text("ClusterName=a\nPriorityType=priority/basic\nNodeName=n[1-8] CPUs=8\n", encoding="utf-8")
    words = "order: wait; backfill: easy; nodes: 8 of 8; passes: every 1min"
    line = "run times are predicted: processors are counted, not nodes\n"
    call = ("simulate", house / "w.swf.gz", "--policy", conf if policy == "conf" else words)
    assert line in succeed(*call, "--estimates", "recent").err
    assert line not in succeed(*call).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--policy", "easy", "--shares", SITE / "assoc.txt"),
            "--shares: goes with --policy of a slurm.conf",
        ),
        (
            ("--front", "run", "--shares", "a.txt"),
            "it does not go with --shares",
        ),
        (
            ("--policy", SITE / "slurm.conf", "--shares", SITE / "nodes.conf"),
            "nodes.conf:1: the first line must",
        ),
        (("--policy", "none.conf"), "none.conf: no such file"),
    ],
)
def test_shares_go_with_a_slurm_conf(house: Path, words: tuple[object, ...], message: str) -> None:
    outcome = command("simulate", house / "w.swf.gz", *words)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err


def test_a_schedule_that_starts_late_has_a_second_utilisation(house: Path, tmp_path: Path) -> None:
    start = ("--encoding", "sequence", "--decoding", "strict", "--algorithm", "all", "--start", "random", "--seed", 1)
    for kind in ("submission", "start"):
        run = tmp_path / kind
        succeed("explore", house / "w.swf.gz", "-o", run, *start, "--population", 9, "--util-from", kind)
        front = ps.load_front(run)
        assert front.util_from == kind
        seen = []
        for row in range(len(front)):
            words = ("simulate", house / "w.swf.gz", "--front", run, "--row", row)
            shown = succeed(*words, "--json").json
            key = "UTIL_from_submission" if kind == "submission" else "UTIL"
            assert shown[key] == front.values[row, 0]
            seen.append(shown["UTIL_from_submission"] < shown["UTIL"])
            assert ("UTIL_from_submission" in succeed(*words).out) == seen[-1]
        assert any(seen)
    plan = ("--plan", "paper002", "--util-from", "submission")
    assert "--util-from: each row of a plan has its own" in refusal(
        "explore", house / "w.swf.gz", "-o", tmp_path / "p", *plan
    )


def test_simulate_shows_and_writes_the_submissions_of_users_who_react(tmp_path: Path) -> None:
    w = ps.lublin(jobs=200, processors=64, seed=3)
    w = w.with_(user=[row % 5 for row in range(200)], wait=ps.simulate(w, "easy").wait)
    ps.write_swf(w, tmp_path / "w.swf")
    outcome = succeed("simulate", tmp_path / "w.swf", "--policy", "fcfs", "--users", "react", "-o", tmp_path / "s.csv")
    assert "of the jobs come a think time after the end of others of their user" in outcome.err
    schedule = ps.simulate(ps.read_swf(tmp_path / "w.swf"), "fcfs", users="react")
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = [[int(cell) for cell in row[:3]] for row in list(csv.reader(file))[1:]]
    columns_of_schedule = schedule.workload.job, schedule.workload.submit, schedule.start
    assert rows == [[*map(int, row)] for row in zip(*columns_of_schedule, strict=True)]
    assert schedule.workload.digest != w.digest
    about = succeed("simulate", tmp_path / "w.swf", "--policy", "fcfs", "--users", "react", "--json").json
    assert (about["users"], about["AWRT"]) == ("react", schedule.objectives["AWRT"])
    same = succeed("simulate", tmp_path / "w.swf", "--policy", "easy", "--users", "react", "--json").json
    assert same["digest"] == succeed("simulate", tmp_path / "w.swf", "--policy", "easy", "--json").json["digest"]


def test_users_react_on_logs_with_recorded_waits_only(house: Path) -> None:
    words = refusal("simulate", str(house / "w.swf.gz"), "--users", "react")
    assert "users who react need recorded waits" in words


def test_limits_reservations_and_dependencies_can_be_left_out(tmp_path: Path) -> None:
    kept = (Reservation("r", "n1", 0, 1000, flags=("MAINT",)),)
    limits = (Limits("q", "", "", "", {"MaxJobsPU": 1}),)
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),), limits=limits, reservations=kept)
    requests = ps.Requests(tasks=[1, 1], memory_per_node=[1, 1], qos=["q", "q"], dependency=["", "after:1"])
    columns = {"submit": [0, 5], "run": [10, 10], "estimate": [10, 10], "width": [1, 1], "capacity": 4}
    log = tmp_path / "w.parquet"
    ps.save_log(ps.Workload(**columns, machine=machine, requests=requests, epoch=0), log)  # type: ignore[arg-type]

    def starts(*words: object) -> tuple[list[str], str]:
        outcome = command("simulate", log, "--policy", "fcfs", "-o", tmp_path / "s.csv", *words)
        assert outcome.status == 0, outcome.err
        with (tmp_path / "s.csv").open() as file:
            return [row["start"] for row in csv.DictReader(file)], outcome.err

    assert starts()[0][0] == "1000"
    assert starts("--without", "limits, reservations,dependencies")[0] == ["0", "5"]
    assert starts("--without", "reservations", "--without", "limits", "--without", "dependencies")[0] == ["0", "5"]
    assert starts("--without", "preemption")[0] == starts()[0]
    w = ps.load_log(log).without("dependencies", "limits")
    assert w.machine is not None
    assert w.requests is not None
    assert (w.machine.limits, w.machine.reservations, w.requests.dependency.words) == ((), kept, ("",))
    refused = command("simulate", log, "--without", "nodes")
    assert (refused.status, "must be of limits, dependencies, reservations, preemption" in refused.err) == (2, True)


def test_jobs_make_way_by_the_qos_of_a_slurm_conf_and_it_says_what_is_lost(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "ClusterName=x\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nPriorityType=priority/basic\n"
        "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nPreemptExemptTime=00:01:00\nNodeName=n1 CPUs=4 RealMemory=8000\n"
        "PartitionName=main Nodes=n1 Default=YES\n"
    )
    (tmp_path / "qos.txt").write_text("Name|Priority|GraceTime|Preempt|PreemptMode\nlow|0|00:00:30||cluster\n"
                                      "gone|0|00:00:00||cancel\nurgent|9|00:00:00|low,gone|cluster\n")  # fmt: skip
    (tmp_path / "jobs.csv").write_text(
        "job,submit,run,user,options\n1,7200,600,1,-n2 --mem=1 -t20 --qos=low\n"
        "2,7200,600,1,-n2 --mem=1 -t20 --qos=gone\n"
        "3,7210,60,2,-n4 --mem=1 -t5 --qos=urgent\n"
    )
    names = ",".join(f"{each}={each}" for each in ("job", "submit", "run", "user", "options"))
    log = tmp_path / "log.parquet"
    words = ["--columns", names, "--machine", conf, "--qos", tmp_path / "qos.txt", "-o", log]
    outcome = command("import", "csv", tmp_path / "jobs.csv", *words)
    assert outcome.status == 0, outcome.err
    shown = command("machine", log).out
    assert "jobs make way for others under a slurm.conf: those of low, gone for urgent; they start again later" in shown

    files = ["--segments", tmp_path / "lives.csv", "-o", tmp_path / "s.csv"]
    outcome = command("simulate", log, "--policy", conf, "--json", *files)
    about = json.loads(outcome.out)
    assert about["preempted"] == {
        "jobs": 2, "times": 2, "cancelled": 1, "with_reservation": 0, "with_node": 0,
        "lost_cpu_hours": (2 * 90 + 2 * 61) / 3600,
        "lost_percent": pytest.approx(100 * (180 + 122) / (180 + 122 + 1200 + 240)),
    }  # fmt: skip
    lives = [row.split(",") for row in (tmp_path / "lives.csv").read_text().splitlines()]
    assert lives == [["job", "from", "to", "nodes"], ["1", "0", "90", "n1"], ["1", "211", "811", "n1"],
                     ["2", "0", "61", "n1"]]  # fmt: skip
    w = ps.load_log(log)
    assert ps.load_schedule(w, tmp_path / "s.csv").check().finish.tolist() == [811, 61, 150]
    text = command("simulate", log, "--policy", conf).out
    assert "2 jobs made way for others, 2 times, 1 of them for good: 0.1 CPU hours lost, 17.34 % of what ran" in text
    without = json.loads(command("simulate", log, "--policy", conf, "--json", "--without", "preemption").out)
    assert "preempted" not in without
    assert "make way for others under the policy of a slurm.conf only, not under EASY" in command("simulate", log).err


def test_it_says_for_what_jobs_waited(tmp_path: Path) -> None:
    limits = (Limits("q", "", "", "", {"MaxJobsPU": 1}),)
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),), limits=limits)
    requests = ps.Requests(tasks=[1, 1, 4], memory_per_node=[1] * 3, qos=["q", "q", ""])
    log = tmp_path / "w.parquet"
    columns = {"submit": [0, 0, 0], "run": [3600] * 3, "estimate": [3600] * 3, "width": [1, 1, 4], "capacity": 4}
    ps.save_log(ps.Workload(**columns, machine=machine, requests=requests, epoch=0), log)  # type: ignore[arg-type]
    outcome = command("simulate", log, "--policy", "fcfs", "-o", tmp_path / "s.csv")
    assert outcome.status == 0, outcome.err
    assert re.search(r"QOSMaxJobsPerUserLimit +1 +1\.00 +33\.3\n", outcome.out)
    assert re.search(r"Resources or Priority +1 +2\.00 +66\.7\n", outcome.out)
    said = json.loads(command("simulate", log, "--policy", "fcfs", "--json").out)["waiting"]
    assert [(row["reason"], row["jobs"], row["hours"]) for row in said] == [
        ("QOSMaxJobsPerUserLimit", 1, 1.0), ("Resources or Priority", 1, 2.0),
    ]  # fmt: skip
    with (tmp_path / "s.csv").open() as file:
        assert [row["reason"] for row in csv.DictReader(file)] == [
            "",
            "QOSMaxJobsPerUserLimit",
            "Resources or Priority",
        ]
    assert "what jobs waited for" not in command("simulate", log, "--without", "limits").out


def test_what_a_pool_of_processors_does_not_have_cannot_be_left_out(house: Path) -> None:
    outcome = command("simulate", house / "w.swf.gz", "--without", "limits")
    assert outcome.status == 2
    assert "--without: leaves out what a machine of nodes has, but that of" in outcome.err
    assert "import --machine makes a log with nodes" in outcome.err


def test_it_says_how_many_jobs_stopped_for_others_and_writes_each_piece(tmp_path: Path) -> None:
    log, conf, segments = tmp_path / "log.parquet", tmp_path / "slurm.conf", tmp_path / "segments.csv"
    conf.write_text(
        "ClusterName=x\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nSchedulerType=sched/backfill\n"
        "PriorityType=priority/basic\nPreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n"
        "NodeName=n1 CPUs=4 RealMemory=1000\nPartitionName=low Nodes=n1 Default=YES OverSubscribe=FORCE:1\n"
        "PartitionName=high Nodes=n1 PriorityTier=9 PreemptMode=OFF OverSubscribe=FORCE:1\n"
    )
    (tmp_path / "jobs.csv").write_text(
        "job,submit,run,user,options\n1,1600000000,600,a,-n4 --mem=10 -t20\n"
        "2,1600000200,300,a,-p high -n2 --mem=10 -t10\n"
    )
    columns = "job=job,submit=submit,run=run,user=user,options=options"
    succeed("import", "csv", tmp_path / "jobs.csv", "--machine", conf, "--columns", columns, "-o", log)
    text = succeed("simulate", log, "--policy", conf, "--segments", segments).out
    assert "1 job stopped while others had their CPUs, 1 time: 0.1 hours" in text
    assert segments.read_text().splitlines() == ["job,from,to,nodes", "1,0,200,n1", "1,500,900,n1"]
    told = json.loads(succeed("simulate", log, "--policy", conf, "--json").out)["preempted"]
    assert told == {"stopped": 1, "stops": 1, "stopped_hours": 300 / 3600}
    assert "stopped" not in succeed("simulate", log, "--policy", conf, "--without", "preemption").out
