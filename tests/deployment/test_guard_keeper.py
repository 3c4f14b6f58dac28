"""The daemon under a guarded order, with commands that look like Slurm's: reviews in processes of their own."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.deployment import guard_keeper
from paretosched.deployment.daemon import Plan, run_daemon, undo
from paretosched.deployment.guard_books import BOOKS, new_books, read_books
from paretosched.deployment.guard_keeper import LONG_AGO, GuardKeeper, Site, open_keeper, request_of
from paretosched.deployment.site_factors import lexicographic
from paretosched.deployment.slurm_groups import Grouping, grouping_of
from support.commands import command, environment
from support.fake_slurm import FakeSlurm

T0 = 1_700_000_000
POLICY = ps.Guarded(("physics",), review=600)
Keep = Callable[[int], dict[str, Any]]
# chem's small job waits for physics' large ones, which EASY would not have let overtake
RUNS = {
    "1": {"state": "RUNNING", "cpus": 8, "start": T0 + 1, "eligible": T0 + 1, "account": "physics"},
    "2": {"cpus": 8, "eligible": T0 + 2, "account": "chem"},
    "3": {"cpus": 8, "eligible": T0 + 3, "account": "physics"},
}


@pytest.fixture
def remarks() -> list[str]:
    return []


@pytest.fixture
def keeper(fake: FakeSlurm, tmp_path: Path, remarks: list[str]) -> Any:
    (tmp_path / "kept").mkdir()
    result = open_keeper(Site(tmp_path / "kept", (), "cpus", False, 60.0), remarks.append)
    yield result
    result.close()


def by_account(policy: ps.Policy = POLICY) -> Grouping:
    return grouping_of(policy, "account")


def keep(keeper: GuardKeeper, second: int, policy: ps.Guarded = POLICY) -> dict[str, Any]:
    return keeper.keep(policy, by_account(), T0 + second)


def test_groups_come_first_until_a_review_says_that_they_must_not(fake: FakeSlurm, keeper: GuardKeeper) -> None:
    fake.remember({})
    assert keep(keeper, 0) == {"classes": {}}
    fake.remember(RUNS)
    assert keep(keeper, 10) == {"classes": {}}
    swapped = RUNS | {
        "1": RUNS["1"] | {"state": "COMPLETED", "end": T0 + 100},
        "3": RUNS["3"] | {"state": "RUNNING", "start": T0 + 100},
    }
    fake.remember(swapped)
    assert keep(keeper, 110) == {"classes": {}}
    record = keep(keeper, 601)
    assert record["reviewed"] == T0 + 600
    assert record["classes"] == {"": 1, "physics": 1, "chem": 0}  # chem waits 500 s longer than under EASY
    assert record["of_easy"]["chem"] > 1.25
    assert record["of_easy"]["physics"] < 1
    assert keep(keeper, 640) == {"classes": record["classes"]}


def test_a_new_daemon_goes_on_with_the_books(fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]) -> None:
    fake.remember({})
    keep(keeper, 0)
    fake.remember(RUNS)
    keep(keeper, 10)
    before = keep(keeper, 601)
    (file,) = keeper.site.folder.iterdir()  # nothing else is left of the review
    data = file.read_bytes()
    again = open_keeper(keeper.site, remarks.append)
    assert keep(again, 620) == {"classes": before["classes"]}
    assert file.read_bytes().startswith(data)
    assert again.books is not None
    assert again.books.head.begin == T0
    assert remarks == []


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import sys; sys.exit('no memory\\nleft')", "status 1: .*left"),
        ("print('{}')", "missing"),
        ("print('{')", "the review failed"),
        ("import time; time.sleep(99)", "no end after 1 s"),
        ("import os; os.kill(os.getpid(), 9)", "status -9"),
    ],
)
def test_a_review_that_fails_changes_nothing_and_is_tried_again_later(
    fake: FakeSlurm,
    keeper: GuardKeeper,
    remarks: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    why: str,
) -> None:
    fake.remember({})
    keep(keeper, 0)
    fake.remember(RUNS)
    before = keep(keeper, 601)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "$SCRIPT"\n', encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(guard_keeper, "PATIENCE", 1.0)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(python))
        patch.setenv("SCRIPT", script)
        record = keep(keeper, 1201)
    assert record["classes"] == before["classes"]
    (remark,) = remarks
    assert "the classes of the groups stay as they are; next try in 120 s" in remark
    assert re.search(why, remark), remark
    assert keeper.totals.failures == 1
    assert "reviewed" not in keep(keeper, 1230)  # not before two minutes have passed
    monkeypatch.setattr(guard_keeper, "PATIENCE", 60.0)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 121)
    assert keep(keeper, 1260)["reviewed"] == T0 + 1200


def test_a_slow_review_does_not_hold_the_passes_up(fake: FakeSlurm, keeper: GuardKeeper) -> None:
    fake.remember({})
    keeper.site = keeper.site._replace(patience=0.0)
    keep(keeper, 0)
    fake.remember(RUNS)
    record = keep(keeper, 601)
    second = 601
    while "reviewed" not in record:
        assert record == {"classes": {}}
        second += 1
        assert second < 1200
        time.sleep(0.1)
        record = keep(keeper, second)
    assert record["reviewed"] == T0 + 600


def test_jobs_that_come_and_go_while_a_review_is_computed_stay_in_the_books(
    fake: FakeSlurm, keeper: GuardKeeper
) -> None:
    fake.remember({})
    keeper.site = keeper.site._replace(patience=0.0)
    keep(keeper, 0)
    fake.remember(RUNS)
    keep(keeper, 601)
    fake.remember({"1": RUNS["1"], "3": RUNS["3"], "4": {"cpus": 2, "eligible": T0 + 605, "account": "new"}})
    keeper.site = keeper.site._replace(patience=60.0)
    record = keep(keeper, 610)
    assert record["reviewed"] == T0 + 600
    assert keeper.books is not None
    assert sorted(keeper.books.live) == ["1", "3", "4"]  # job 2 is guessed to be gone
    read = read_books(keeper.site.folder)
    assert read is not None
    assert [*read.lines()] == [*keeper.books.lines()]


def test_another_policy_is_reviewed_at_once_and_dry_runs_have_books_of_their_own(
    fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]
) -> None:
    fake.remember({})
    keep(keeper, 0)
    fake.remember(RUNS)
    keep(keeper, 601)
    other = ps.Guarded(("chem",), review=600)
    assert keep(keeper, 630, other)["reviewed"] == T0 + 600
    shadow = open_keeper(keeper.site._replace(is_dry=True), remarks.append)
    assert keep(shadow, 660) == {"classes": {}}
    assert remarks == ["the comparison with EASY begins again: it was made for other jobs or groups"]
    assert shadow.books is not None
    assert shadow.books.head.begin == T0 + 660


def test_what_squeue_has_forgotten_is_asked_of_sacct(fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]) -> None:
    fake.remember({})
    keep(keeper, 0)
    fake.remember(RUNS)
    keep(keeper, 10)
    fake.remember({})
    rows = [
        f"1|COMPLETED|ann|main|normal|8|1|60|{T0 + 1}|{T0 + 1}|{T0 + 1}|{T0 + 90}||physics",
        f"2|CANCELLED by 0|ann|main|normal|8|1|60|{T0 + 2}|{T0 + 2}|{T0 + 70}|{T0 + 70}||chem",
        f"3|COMPLETED|ann|main|normal|8|1|60|{T0 + 3}|{T0 + 3}|{T0 + 90}|{T0 + 200}||physics",
        f"4|FAILED|ann|main|normal|2|1|60|{T0 + 3}|{T0 + 30}|{T0 + 200}|{T0 + 210}||physics",
    ]
    (fake.folder / "recorded").write_text("\n".join(rows) + "\n", encoding="utf-8")
    keep(keeper, 500)
    assert remarks == []
    books = keeper.books
    assert books is not None
    found = [(s - T0, b - T0, e - T0) for s, b, e in zip(books.submit, books.start, books.end, strict=True) if b > 0]
    assert found == [(1, 1, 90), (3, 90, 200), (30, 200, 210)]


def test_without_sacct_ends_are_guessed_and_that_is_said(
    fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]
) -> None:
    fake.remember({})
    keep(keeper, 0)
    fake.remember(RUNS)
    keep(keeper, 10)
    fake.configure(AccountingStorageType="accounting_storage/none")
    fake.remember({})
    for second in (480, 490):  # an empty answer is a question at first
        keep(keeper, second)
    assert remarks == []
    keep(keeper, 500)
    (remark,) = remarks
    assert "the ends of 1 are guessed, and 2 that waited are left out" in remark
    assert keeper.numbers()["guessed_jobs_total"][1] == 3


def test_books_that_cannot_be_written_are_no_reason_to_stop(
    fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]
) -> None:
    fake.remember({})
    keep(keeper, 0)
    file = keeper.site.folder / BOOKS
    file.unlink()
    file.mkdir()
    fake.remember(RUNS)
    keep(keeper, 10)
    assert "cannot write here" in remarks[0]
    file.rmdir()
    keep(keeper, 20)
    read = read_books(keeper.site.folder)
    assert read is not None
    assert sorted(read.live) == ["1", "2", "3"]


def test_a_clock_that_was_ahead_is_said_and_the_comparison_begins_anew(
    fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]
) -> None:
    fake.remember(RUNS)
    keep(keeper, 86_400)
    keep(keeper, 86_400 - 3_600)  # a small step back is none
    assert keeper.books is not None
    assert (remarks, keeper.books.time) == ([], T0 + 86_400)
    keep(keeper, 10)
    assert remarks == ["the comparison with EASY begins again: the clock was 86,390 s ahead at the last pass"]
    assert (keeper.books.head.begin, keeper.books.time) == (T0 + 10, T0 + 10)


def test_damaged_books_are_refused_in_one_line(fake: FakeSlurm, keeper: GuardKeeper) -> None:
    (keeper.site.folder / BOOKS).write_text("{}\n", encoding="utf-8")
    with pytest.raises(ps.InputError, match=r"deploy\.books:1: .*; move it away to begin again"):
        open_keeper(keeper.site, print)


def test_a_review_goes_within_the_limits_of_a_login_node() -> None:
    """A site may give its accounts less time or memory than a review may take at most."""
    request = request_of(new_books(T0, ""), POLICY, T0 + 600, 8)[1]
    text = json.dumps({name: getattr(request, name) for name in type(request).__struct_fields__})
    limited = f"ulimit -t 300 -v 1000000; exec {sys.executable} -P -m paretosched.deployment.guard_review"
    outcome = subprocess.run(
        ["bash", "-c", limited], input=text, env=environment(NUMBA_DISABLE_JIT="1", OPENBLAS_NUM_THREADS="1"),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert json.loads(outcome.stdout)["settled"] == 0


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    policy = tmp_path / "guarded.txt"
    policy.write_text("guarded: physics; review: 600\n", encoding="utf-8")
    return Plan(policy, tmp_path / "shadow", 1.0, "account", (), "cpus", lexicographic(0), "UTC", False)


def test_a_pass_ranks_by_the_classes_and_off_leaves_only_the_log(fake: FakeSlurm, plan: Plan) -> None:
    now = int(time.time())
    jobs = {
        "1": {"cpus": 8, "eligible": now - 9, "submit": now - 9, "account": "chem"},
        "2": {"cpus": 1, "eligible": now - 5, "submit": now - 5, "account": "physics"},
        "3": {"cpus": 2, "eligible": now - 5, "submit": now - 5, "account": "physics"},
    }
    fake.remember(jobs, {})
    remarks: list[str] = []
    run_daemon(plan, remarks.append, once=True)
    assert fake.order() == [3, 2, 1]
    assert (plan.folder / BOOKS).exists()
    head = json.loads((plan.folder / BOOKS).read_text(encoding="utf-8").splitlines()[0])
    head |= {"policy": ps.policies.guarded.guarded_text(ps.load_policy(plan.policy))}
    head |= {"classes": {"": 1, "physics": 1, "chem": 1}}
    lines = (plan.folder / BOOKS).read_text(encoding="utf-8").splitlines()
    (plan.folder / BOOKS).write_text("\n".join([json.dumps(head), *lines[1:]]) + "\n", encoding="utf-8")
    run_daemon(plan, remarks.append, once=True)
    assert fake.order() == [1, 3, 2]  # one class: the largest first
    assert "paretosched_deploy_open_jobs 3" in (plan.folder / "deploy.prom").read_text(encoding="utf-8")
    undo(plan, remarks.append)
    assert [path.name for path in plan.folder.iterdir()] == ["deploy.jsonl"]


def test_the_command_says_what_it_does_and_what_slurm_conf_must_say(fake: FakeSlurm, plan: Plan) -> None:
    fake.remember({})
    fake.configure(MinJobAge="20 sec")
    words = ("deploy", plan.policy, "--to", "slurm", "--groups", "account", "--dry-run", "--once", "-o", plan.folder)
    outcome = command(*words)
    assert outcome.status == 0, outcome
    assert "bf_job_part_count_reserve=1: ok" in outcome.out
    assert "MinJobAge=60 or more: PLEASE CHANGE slurm.conf, which says 20" in outcome.out
    assert "every 10min EASY is simulated on the jobs since the deployment began" in outcome.out
    unit = command(*words[:6], "--unit")
    assert "guarded.txt --to slurm" in unit.out
    pbs = command("deploy", plan.policy, "--to", "pbs")
    assert pbs.status == 2
    assert "deploy an order such as priority:physics" in pbs.err
    wide = command(*words[:6], "--width", "gpus", "--once", "-o", plan.folder)
    assert wide.status == 2
    assert "--width must be cpus or nodes, but is gpus" in wide.err


def test_a_json_policy_works_as_well(fake: FakeSlurm, plan: Plan, tmp_path: Path) -> None:
    fake.remember({"1": {"account": "chem"}, "2": {"account": "physics"}}, {})
    ps.save_policy("guarded: physics", tmp_path / "guarded.json")
    run_daemon(plan._replace(policy=tmp_path / "guarded.json"), print, once=True)
    assert fake.order() == [2, 1]


MEMORY = """
import sys
from pathlib import Path
from paretosched.cli import main
policy, folder = sys.argv[1:]
sys.argv = ["paretosched", "deploy", policy, "--to", "slurm", "--groups", "account", "--once", "-o", folder]
assert main() == 0
names = ("numba", "pandas", "scipy", "pyarrow", "dask", "plotly", "rich", "tempfile", "paretosched.simulation")
heavy = [name for name in names if name in sys.modules]
status = Path("/proc/self/status").read_text()
print(heavy, int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


@pytest.mark.slow
def test_ten_thousand_jobs_take_little_memory_and_no_heavy_library(fake: FakeSlurm, plan: Plan) -> None:
    jobs = {str(n): {"cpus": 1 + n % 64, "eligible": T0 + n, "account": f"a{n % 50}"} for n in range(1, 10_001)}
    fake.remember(jobs, {})
    words = [sys.executable, "-c", MEMORY, str(plan.policy), str(plan.folder)]
    process = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
    loaded, _, megabytes = process.stdout.splitlines()[-1].rpartition(" ")
    print(megabytes)
    assert loaded == "[]"
    assert int(megabytes) < 150


def test_after_more_than_a_year_without_a_pass_the_comparison_begins_anew(
    fake: FakeSlurm, keeper: GuardKeeper, remarks: list[str]
) -> None:
    """As when the clock was that of a machine without a battery: sacct would be asked for all years since."""
    fake.remember({})
    keep(keeper, 0)
    keep(keeper, LONG_AGO + 1)
    (remark,) = remarks
    assert (
        remark
        == f"the comparison with EASY begins again: the last pass was {LONG_AGO + 1:,} s ago, or the clock was behind"
    )
