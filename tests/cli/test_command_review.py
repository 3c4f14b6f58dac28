"""`review`: the verdict, its exit status, dates, groups, the daemon's log, dry runs."""

import csv
import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.core.files import NAMES_ENDING
from paretosched.wishes.wish_files import as_wish, to_json
from support.commands import command, succeed
from support.trainings import of_weeks

W = of_weeks(3).with_(submit=of_weeks(3).submit * 3)
POLICY = "sjf; backfill: easy"
WISH = ("--objective", "10*AWRT1 + 4*AWRT2")
FIRST = dt.datetime.fromtimestamp(W.epoch + int(W.submit[20]), dt.UTC)
SINCE = ("--since", FIRST.strftime("%Y-%m-%dT%H:%M:%S"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log of the policy's own starts."""
    return log_of(tmp_path / "w.swf.gz", POLICY)


def log_of(path: Path, policy: str) -> Path:
    ps.write_swf(W.with_(wait=ps.simulate(W, policy).start - W.eligible), path)
    return path


def daemon_log(path: Path, dry: bool, late: bool = False) -> Path:
    """Write the log of a daemon with three passes after every submission, the first of which ranks the job; or none."""
    lines = [
        {"time": int(W.epoch + W.submit[row]) + after, "dry_run": dry, "policy": "P", "waiting": 1, "ranked": 1}
        | {"set": {} if late or after > 1 else {str(W.job[row]): 900 - row}, "refused": {}, "seconds": 0.2}
        for row in range(len(W))
        for after in (1, 2, 3)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_guarded_order_that_decided_is_reviewed_with_its_log(tmp_path: Path) -> None:
    policy = f"guarded: {W.groups[0]}"
    log = log_of(tmp_path / "w.swf.gz", policy)
    path = daemon_log(tmp_path / "deploy.jsonl", False)
    line = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    line |= {"reviewed": line["time"] - 9, "of_easy": {"": 0.9}, "classes": {"": 2, W.groups[0]: 1}}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    outcome = command("review", log, "--policy", policy, *SINCE, *WISH, "--log", path)
    assert outcome.status in (0, 3), outcome
    assert "1 comparisons with EASY; 0 failed, and were made later" in outcome.out
    assert "taken for granted" not in outcome.err
    assert f"Guarded {W.groups[0]}" in outcome.out


@pytest.mark.slow
def test_a_policy_that_decided_kept_its_promise(log: Path, tmp_path: Path) -> None:
    table = tmp_path / "weeks.csv"
    outcome = succeed("review", log, "--policy", POLICY, *SINCE, *WISH, "-o", table)
    assert outcome.out.startswith("KEPT: of ")
    assert "1 job that ran and 0 that waited" in outcome.out
    assert "intervals from 6 weeks are rough" in outcome.err
    assert "that SJF with EASY decided since then is taken for granted; --log deploy.jsonl" in outcome.err
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["system"] for row in rows} == {"EASY", "recorded", "SJF with EASY"}
    facts: dict[str, Any] = command("review", log, "--policy", POLICY, *SINCE, *WISH, "--json").json
    assert (facts["verdict"], facts["jobs"], facts["daemon"], facts["dry_run"]) == ("kept", 34, None, False)
    assert facts["gain_realised"] == facts["gain_predicted"]
    assert len(facts["rows"]) == len(rows)
    succeed("review", log, "--policy", POLICY, *SINCE, *WISH, "-o", table)  # a review is replaced by a review
    refusal = command("simulate", log, "--policy", "easy", "-o", table)
    assert refusal.status == 2
    assert "a review" in refusal.err


def test_users_who_react_have_a_table(log: Path) -> None:
    words = ("review", log, "--policy", POLICY, *SINCE, *WISH)
    outcome = command(*words, "--users", "react")
    assert "if users react to EASY. All else here is by the recorded submissions." in outcome.out
    assert "users react: " in outcome.err
    facts = command(*words, "--users", "react", "--json").json
    assert [row["policy"] for row in facts["users_react"]] == ["EASY", "recorded", "SJF with EASY"]
    assert facts["users_react"][1]["users_react"]["later_s"] == 0
    assert command(*words, "--json").json == {**facts, "users_react": None}


def promising(path: Path, gain: float) -> Path:
    """Write a policy file that promises a gain over EASY, in per cent."""
    ps.save_policy(POLICY, path)
    value = json.loads(path.read_text(encoding="utf-8"))
    wish = as_wish(WISH[1], W.groups)
    value["provenance"] = {"wish": to_json(wish), "objective": 100.0 - gain, "easy": 100.0}
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_promise_that_is_not_kept_is_status_3(log: Path, tmp_path: Path) -> None:
    policy = promising(tmp_path / "p.json", 50)
    outcome = command("review", log, "--policy", policy, *SINCE)
    assert outcome.status == 3
    assert outcome.out.startswith("NOT KEPT: of 50.0 % promised by the training")
    assert "promised by the training" in outcome.out.splitlines()[6]

    # the same of a dry run is no failure, as nothing was changed
    easy = log_of(tmp_path / "easy.swf.gz", "easy")
    jsonl = daemon_log(tmp_path / "deploy.jsonl", dry=True)
    outcome = succeed("review", easy, "--policy", policy, *SINCE, "--log", jsonl)
    assert outcome.out.startswith("DRY RUN: nothing was changed")
    assert "the policy starts the other one first" in outcome.out
    assert "40 site factors would have been set" in outcome.out


@pytest.mark.slow
def test_the_log_of_the_daemon_says_which_jobs_were_ranked(log: Path, tmp_path: Path) -> None:
    for late, share in ((False, 1.0), (True, 0.0)):
        jsonl = daemon_log(tmp_path / "deploy.jsonl", dry=False, late=late)
        facts = succeed("review", log, "--policy", POLICY, *SINCE, *WISH, "--log", jsonl, "--json").json
        daemon = facts["daemon"]
        assert (daemon["passes"], daemon["period"]) == (120, 1)
        assert daemon["jobs_that_could_be_ranked"] > 0
        assert daemon["ranked_before_start"] == share * daemon["jobs_that_could_be_ranked"]
    lines = jsonl.read_text(encoding="utf-8").splitlines()
    jsonl.write_text("\n".join([*lines[:-1], lines[-1].replace("false", "true")]), encoding="utf-8")
    outcome = command("review", log, "--policy", POLICY, *SINCE, *WISH, "--log", jsonl)
    assert outcome.status == 2
    assert "1 of 120 passes since the date were dry runs" in outcome.err


@pytest.mark.slow
def test_the_scheduler_before_is_beside_them(log: Path, tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "ClusterName=x\nPriorityType=priority/basic\nNodeName=n1 CPUs=64\nPartitionName=p Nodes=n1 Default=YES\n",
        encoding="utf-8",
    )
    out = succeed("review", log, "--policy", POLICY, *SINCE, *WISH, "--today", conf).out
    assert "today: Slurm x" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--since", "2000-13-01"), "--since: must be a date, such as 2026-03-01, but is .2000-13-01."),
        (("--since", "soon"), "--since: must be a date"),
        (("--since", "2030-01-01"), "--since: 2030-01-01 is after the last job of .*, which has jobs of 2000-01-"),
        (("--since", "2000-02-01"), "does not say for which wish it was trained in these groups; say it with"),
        (("--since", "2000-02-01", "--shares", "s.txt"), "--shares: goes with --today of a slurm.conf"),
        (("--since", "2000-02-01", *WISH, "--log", "none.jsonl"), "none.jsonl"),
    ],
)
def test_wrong_dates_and_words_are_refused(
    words: tuple[str, ...], message: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(log.parent)
    outcome = command("review", log, "--policy", POLICY, *words)
    assert outcome.status == 2
    assert len(outcome.err.splitlines()) == 1
    assert re.search(message, outcome.err), outcome.err


def test_what_cannot_be_deployed_cannot_be_reviewed(log: Path) -> None:
    outcome = command("review", log, "--policy", "scojo", *SINCE, *WISH)
    assert outcome.status == 2
    assert "shares the machine in time slices" in outcome.err


def test_a_log_without_waits_cannot_be_reviewed(tmp_path: Path) -> None:
    ps.write_swf(W, tmp_path / "w.swf.gz")
    assert not (tmp_path / f"w.swf.gz{NAMES_ENDING}").exists()
    outcome = command("review", tmp_path / "w.swf.gz", "--policy", POLICY, *SINCE, *WISH)
    assert outcome.status == 2
    assert "no job that was submitted since then has a recorded wait" in outcome.err


def test_a_log_beyond_all_calendars_is_reviewed(tmp_path: Path) -> None:
    """As one with a time in milliseconds."""
    far = ps.Workload([0, 100, 2**40], [10] * 3, [10] * 3, [1] * 3, capacity=2, wait=[0] * 3)
    ps.write_swf(far, tmp_path / "far.swf")
    outcome = succeed(
        "review", tmp_path / "far.swf", "--policy", POLICY, "--objective", "AWRT", "--since", "1999-01-01"
    )
    assert "2 jobs in 1 week" in outcome.out  # the last one comes after the last whole week
