"""The end of the tutorial for Slurm, from accounting to review: its commands, on a real Slurm whose clock is faster."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import paretosched as ps
from experiments.shown import LEFT_OUT
from support.commands import ROOT, environment
from support.slurm_cluster import SlurmCluster, slurm_cluster

pytestmark = [pytest.mark.slow, pytest.mark.long]

RATE = 100  # how much faster than the real one the clock of the cluster is
NODES = 8  # of one processor: Slurm plans by whole nodes
ACCOUNTS = {"biology": "games", "chemistry": "news", "physics": "lp"}  # account: its user
JOBS = 24  # before the policy, and again under it
SPREAD = 1000  # s of the cluster in which they are submitted
PERIOD = 1.2  # s of the real clock between two passes of the daemon
FAST_DEPLOY = ROOT / "experiments/slurm/deploy_on_fast_clock.py"
SETTINGS = {"PriorityWeightFairshare": "10000", "PriorityWeightAge": "1000", "PriorityCalcPeriod": "1"}
NUMBER = r"[-+]?\d[\d.,]*"
# What the jobs decide, beside the numbers.
EITHER = {
    "within the limits": rf"(within the limits|{NUMBER} % outside the limits)",
    "better": "(better|worse)",
}


class Step(NamedTuple):
    """A command of that section, and the lines of its output that are shown there."""

    command: str
    shown: list[str]


def steps() -> list[Step]:
    """Return what the section shows."""
    text = (ROOT / "docs/tutorial/slurm.md").read_text(encoding="utf-8")
    text = text.partition("\n## All of it, in short\n")[2].partition("\n## ")[0].replace("\\\n", " ")
    rows: list[Step] = []
    for line in re.findall(r"^    (.*)$", text, re.MULTILINE):
        if line.startswith("$ "):
            rows.append(Step(re.sub(r"\s{2,}# .*", "", line[2:]), []))
        else:
            rows[-1].shown.append(line.strip())
    return rows


def shape(line: str) -> str:
    """Return the pattern of a line: its words, with any numbers between them, and anything for "..."."""
    words = []
    for word in re.split(r"\s+", line):
        parts = re.split(rf"((?<![A-Za-z\d]){NUMBER}(?<![.,]))", word)
        words.append("".join(NUMBER if i % 2 else re.escape(part) for i, part in enumerate(parts)))
    pattern = r"\s+".join(words).replace(re.escape(LEFT_OUT), ".*")
    for one, either in EITHER.items():
        pattern = pattern.replace(r"\s+".join(map(re.escape, one.split())), either.replace(" ", r"\s+"))
    return pattern


class Site:
    """A cluster with three accounts, and a folder in which commands are run as in the tutorial."""

    def __init__(self, cluster: SlurmCluster, folder: Path) -> None:
        self.cluster = cluster
        self.folder = folder
        self.random = np.random.default_rng(3)
        self.real, self.fake = time.monotonic(), float(cluster.call("date", "+%s.%N"))
        shutil.copy(cluster.folder / "etc/slurm.conf", folder)
        bin_ = folder / "bin"
        bin_.mkdir()
        python = f"exec {sys.executable}"
        (bin_ / "paretosched").write_text(
            "#!/bin/sh\npreload=$LD_PRELOAD; unset LD_PRELOAD  # it is for the commands of Slurm\n"
            f'test "$1" = deploy || {python} -m paretosched "$@"\nexport CLIENTS_LD_PRELOAD="$preload"\n'
            f'{python} {FAST_DEPLOY} {self.fake} {self.real} {RATE} "$@"\n',
            encoding="utf-8",
        )
        (bin_ / "paretosched").chmod(0o755)
        slurm = cluster.environment
        self.environment = environment() | slurm | {"PATH": f"{bin_}:{slurm['PATH']}", "PYTHONPATH": str(ROOT)}
        for account, user in ACCOUNTS.items():
            cluster.call("sacctmgr", "-i", "add", "account", account, "cluster=loop")
            cluster.call("sacctmgr", "-i", "add", "user", user, f"account={account}", "cluster=loop")

    def now(self) -> float:
        """Return the Unix time of the cluster."""
        return self.fake + RATE * (time.monotonic() - self.real)

    def start(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [
                "sh",
                "-c",
                f"exec {command}" if command.startswith("paretosched deploy ") else command,
            ],  # signals reach it
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, command: str) -> str:
        """Return what a command prints; it must succeed."""
        process = self.start(command)
        try:
            out, err = process.communicate(timeout=900)  # training takes minutes on a busy machine
        finally:
            process.kill()
        assert process.returncode == 0, (command, process.returncode, out, err)
        return out + err

    def submit_jobs(self) -> None:
        """Submit jobs, and wait until all have ended and are in the accounts."""
        begin = self.now()
        for second in np.sort(self.random.uniform(0, SPREAD, JOBS)):
            time.sleep(max(0.0, (begin + second - self.now()) / RATE))
            account = list(ACCOUNTS)[int(self.random.integers(len(ACCOUNTS)))]
            run = int(self.random.integers(60, 600))
            width = int(self.random.choice([1, 1, 2, 2, 4, 8]))
            limit = -(-int(run * self.random.uniform(1.2, 3)) // 60)
            self.cluster.submit(f"--account={account}", run=run, width=width, limit=limit, user=ACCOUNTS[account])
        self.cluster.wait_until(lambda: not self.cluster.call("squeue", "-h").strip(), 300)
        ask = ("sacct", "-a", "-X", "-n", "-S", "now-2days", "-s", "PENDING,RUNNING", "-o", "JobID")
        self.cluster.wait_until(lambda: not self.cluster.call(*ask).strip(), 60)


@pytest.fixture
def site(tmp_path: Path) -> Any:
    # In the months that sacct is asked for.
    date = (datetime.now(UTC) - timedelta(days=40)).strftime("%Y-%m-%d 14:00:00")
    with slurm_cluster(NODES, 1, SETTINGS, accounting=True, rate=RATE, date=date) as cluster:
        yield Site(cluster, tmp_path)


def missing_lines(shown: list[str], output: str) -> list[str]:
    """Return the lines that are shown, and that an output does not have in this order."""
    rest, missing = output.splitlines(), []
    for line in shown:
        place = next((i for i, has in enumerate(rest) if re.fullmatch(shape(line), has.strip())), None)
        if place is None:
            missing.append(line)
        else:
            rest = rest[place + 1 :]
    return missing


def test_a_line_that_is_not_printed_is_missed() -> None:
    shown = ["AWRT3      4,224.82  s      1.17  AWRT of group physics", "row 54 of 277 is nearest, within the limits"]
    output = "AWRT3  9.5  s  0.1  AWRT of group physics\n\n  row 1 of 2 is nearest, 3.1 % outside the limits\n"
    assert missing_lines(shown, output) == []
    assert missing_lines(shown[::-1], output) == shown[:1]  # the order counts
    line = "21|21|...|COMPLETED|lp|main|...", "5|5|1792|x=1,y|COMPLETED|lp|main|Some|None"
    assert missing_lines([line[0]], line[1]) == []
    assert missing_lines([line[0]], line[1].replace("lp", "games")) == [line[0]]
    for other in ("AWRT3  9.5  s  0.1  AWRT of group chemistry", "AWRT2  9.5  s  0.1  AWRT of group physics"):
        assert missing_lines(shown[:1], other) == shown[:1]


def as_trained(line: str, policy: dict[str, Any]) -> str | None:
    """Return a line as it must be for the policy that was trained; None if it must not be there."""
    if line.startswith("> trained "):
        return re.sub(r"> trained .*?(?=  )", f"> {policy['name']}", line)
    if line.startswith("SchedulerParameters=bf_job_part_count_reserve="):
        wanted = {"all": 0}.get(policy["backfill"]["reservations"], policy["backfill"]["reservations"])
        verdict = "ok" if wanted == 1 else line.partition(": ")[2]  # the cluster says 1
        return f"SchedulerParameters=bf_job_part_count_reserve={wanted}: {verdict}"
    if line.startswith("Slurm cannot do this of the policy: reservations for the groups "):
        groups = policy["backfill"]["for"]
        return re.sub("groups .* only", f"groups {', '.join(groups)} only", line) if groups else None
    return line


def output_beside_jobs(site: Site, command: str, log: str) -> str:
    """Return what a daemon prints that runs from its first line in a log until all jobs have been submitted."""
    daemon = site.start(f"{command} --period {PERIOD}")
    try:
        site.cluster.wait_until((site.folder / log).exists, 60)
        site.submit_jobs()
        daemon.send_signal(signal.SIGTERM)
        output = "".join(daemon.communicate(timeout=60))
        assert daemon.returncode == 0, output
    finally:
        daemon.kill()
    return output


def test_the_walk_of_the_tutorial_after_a_shadow(site: Site) -> None:
    """Every command ends with status 0 and prints the lines that are shown, with other numbers.

    The jobs that the walk begins with are submitted beside the shadow.
    """
    check_shadow(site)
    walk = steps()
    programs = [re.split(r"[ >]+", step.command)[:2] for step in walk]
    words = [words[1] for words in programs if words[0] == "paretosched"]
    assert " ".join(words) == "import import simulate explore front train deploy deploy import review"
    since, missing, begin = "", [], time.monotonic()
    for step in walk:
        command = re.sub(r"--since \S+", f"--since {since}", step.command)
        is_daemon = command.startswith("paretosched deploy") and "--dry-run" not in command
        if is_daemon:
            since = datetime.fromtimestamp(site.now(), UTC).strftime("%Y-%m-%dT%H:%M")
            output = output_beside_jobs(site, command, "policy.json.deploy/deploy.jsonl")
        else:
            output = site.run(command)
        shown: list[str | None] = [*step.shown]
        if (site.folder / "policy.json").exists():
            policy = json.loads((site.folder / "policy.json").read_text(encoding="utf-8"))
            shown = [as_trained(line, policy) for line in step.shown]
        print(f"$ {command}   # {time.monotonic() - begin:.1f} s\n{output}")
        missing += [(command, line) for line in missing_lines([line for line in shown if line], output)]
    assert missing == []


def check_shadow(site: Site) -> None:
    """Make a dry run beside today's scheduler, and check the review of its log: group by group, and how near it is."""
    policy = "sjf; backfill: easy"
    (site.folder / "policy.txt").write_text(policy, encoding="utf-8")
    since = datetime.fromtimestamp(site.now(), UTC).strftime("%Y-%m-%dT%H:%M")
    shadow = "paretosched deploy policy.txt --to slurm --groups account --dry-run -o shadow"
    output_beside_jobs(site, shadow, "shadow/deploy.jsonl")
    site.run("paretosched import slurm --command > sacct.sh")
    site.run("sh sacct.sh > sacct.txt")
    site.run("paretosched import slurm sacct.txt -o log.swf.gz")
    site.run("sacctmgr -P show assoc format=Cluster,Account,ParentName,User,Partition,Share > assoc.txt")
    review = (
        f"paretosched review log.swf.gz --groups swf --policy policy.txt --since {since} --objective AWRT "
        "--log shadow/deploy.jsonl --today slurm.conf --shares assoc.txt"
    )
    text = site.run(review)
    print(text)
    facts = json.loads(site.run(f"{review} --json 2> remarks.txt"))

    log = ps.as_workload(site.folder / "log.swf.gz", groups="swf")
    recorded, then = ps.simulate(log, "recorded"), ps.simulate(log, policy)
    assert "\nDRY RUN: nothing was changed" in f"\n{text}"  # behind what speaks against so small a log
    table = text.partition("what would have changed")[2].split("\n\n")[0].splitlines()[2:-1]
    assert [line.split()[:2] for line in table] == [["all", "jobs"], *(["group", name] for name in ACCOUNTS)]
    for place, line in enumerate(table, 1):
        was, would = (ps.objectives(schedule)[place] / 3600 for schedule in (recorded, then))
        cells = line.split()[-7:]  # recorded and then: response times, change, waits; the change of today's model
        assert cells[1:4] == [f"{was:,.2f}", f"{would:,.2f}", f"{100 * (would - was) / was:+.1f}"]

    lines = (site.folder / "shadow/deploy.jsonl").read_text(encoding="utf-8").splitlines()
    passes = [row for row in map(json.loads, lines) if "dry_run" in row]
    changes = sum(len(row["set"]) for row in passes)
    assert changes > 0
    assert all(row["dry_run"] for row in passes)
    assert f"{changes:,} site factors would have been set, 0 refused" in text
    daemon_facts = facts["daemon"]
    assert (facts["dry_run"], daemon_facts["dry_passes"]) == (True, daemon_facts["passes"])
    # on a busy machine, the daemon may come too late for some of them
    assert 0 < daemon_facts["ranked_before_start"] <= daemon_facts["jobs_that_could_be_ranked"]

    today = facts["today"]  # all jobs ran under the slurm.conf
    assert f"Slurm loop, simulated, against the recorded waits of {JOBS} jobs: " in text
    assert (today["jobs"], today["other_processors"]) == (JOBS, 0)
    assert today["pairs_together"] > JOBS
    assert today["pairs_in_other_order"] <= 0.35 * today["pairs_together"]  # a busy machine makes Slurm late
    simulated = site.run("paretosched simulate log.swf.gz --groups swf --policy slurm.conf --shares assoc.txt")
    line = next(line for line in text.splitlines() if line.startswith("Slurm loop, simulated, against"))
    assert line in simulated.splitlines()
