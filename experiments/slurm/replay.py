"""Run a window of jobs on a real Slurm, whose clock is faster, and write down when each job started."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import common
import settings
from deploy_on_fast_clock import CLIENTS_PRELOAD

sys.path.insert(0, str(common.ROOT / "tests"))
import paretosched as ps
from paretosched.deployment.daemon_log import read_daemon_log
from support.slurm_cluster import PATIENT, SlurmCluster, slurm_cluster

PATIENCE = 300  # real seconds without a job that runs or starts, after which a window is given up
LOOKS = 2.0  # real seconds between two looks at the queue
SAMPLES = 24  # of sprio, at most, while jobs are submitted
FIELDS = "JobID:12,SubmitTime:14,StartTime:14,EndTime:14,State:14"
SHARES = "format=Cluster,Account,ParentName,User,Partition,Share"
NO_TIME = -1


class TooLateError(RuntimeError):
    """The first job should have come before the cluster was ready."""


def replay(
    window: ps.Workload,
    system: settings.System,
    machine: settings.Machine,
    rate: float,
    policy: Path,
    folder: Path,
    lead: float,
) -> dict[str, Any]:
    """Return when the jobs of a window were submitted, started and ended, in seconds of the window.

    Raise TooLateError if the cluster or the daemon was not ready in time.

    Parameters
    ----------
    window
        The jobs; their groups are Slurm's accounts, and second 0 is its epoch, a date of the cluster's clock (UTC).
    system
        The scheduler.
    machine
        Nodes and processors.
    rate
        How much faster than the real one the clock is.
    policy
        The policy file to deploy, if the system does.
    folder
        Where the daemon keeps its log.
    lead
        Real seconds before the first job, in which the cluster starts, and the daemon.
    """
    date = datetime.fromtimestamp(window.epoch - lead * rate, UTC).strftime("%Y-%m-%d %H:%M:%S")
    lines = {
        "SchedulerParameters": f"{PATIENT.replace(settings.FIRST_ONLY, system.reserve)},{system.precision}".rstrip(","),
        "MinJobAge": "10000000",  # squeue knows the jobs that have ended
    }
    begin = time.monotonic()
    lines |= system.settings
    with slurm_cluster(machine.nodes, machine.cpus, lines, system.accounting, rate, date) as cluster:
        cluster.environment["SLURM_TIME_FORMAT"] = "%s"
        clock = Clock(cluster, rate)
        if system.accounting:
            add_accounts(cluster, window.groups)
        with daemon(cluster, clock, policy, folder) if system.deploys else nothing() as running:
            if clock.now() > window.epoch:
                raise TooLateError(f"the cluster was ready {(clock.now() - window.epoch) / rate:.0f} s too late")
            numbers: list[int] = []
            samples: list[dict[str, Any]] = []
            every = -(-len(window) // SAMPLES) if settings.SLURM_CONF in system.twins else len(window) + 1
            for row in range(len(window)):
                if row % every == every - 1:
                    samples.append(priorities_of(cluster))
                clock.wait_until(window.epoch + int(window.submit[row]))
                numbers.append(submit(cluster, window, row))
            wait_for_starts(cluster, running)
            times = times_of(cluster, window.epoch)
        conf = (cluster.folder / "etc/slurm.conf").read_text(encoding="utf-8")
        shares = cluster.call("sacctmgr", "-P", "show", "assoc", SHARES) if system.accounting else ""
    columns = zip(*(times[number] for number in numbers), strict=True)
    row = dict(zip(("submit", "start", "end"), map(list, columns), strict=True))
    log = read_daemon_log(folder / "deploy.jsonl", 0)._asdict() if system.deploys else {}
    log.pop("since", None)
    return {
        **row,
        "daemon": log,
        "conf": conf,
        "shares": shares,
        "samples": [sample | {"numbers": numbers} for sample in samples],
        "wall_seconds": round(time.monotonic() - begin),
    }


class Clock:
    """The clock of a cluster, read once and reckoned on from there."""

    def __init__(self, cluster: SlurmCluster, rate: float) -> None:
        self.rate = rate
        self.real = time.monotonic()
        self.fake = float(cluster.call("date", "+%s.%N"))

    def now(self) -> float:
        """Return the Unix time there."""
        return self.fake + self.rate * (time.monotonic() - self.real)

    def wait_until(self, second: float) -> None:
        """Wait until a Unix time there."""
        time.sleep(max(0.0, (second - self.now()) / self.rate))


def submit(cluster: SlurmCluster, window: ps.Workload, row: int) -> int:
    """Submit a job, and return its number there."""
    account = window.groups[int(window.group[row])]
    minutes = -(-int(window.estimate[row]) // 60)
    words = (f"--account={account}", f"--job-name={window.job[row]}")
    return cluster.submit(*words, run=int(window.run[row]), width=int(window.width[row]), limit=minutes)


def add_accounts(cluster: SlurmCluster, groups: Sequence[str]) -> None:
    """Give each group an account of one share, in which root may run jobs."""
    cluster.call("sacctmgr", "-i", "add", "account", ",".join(groups), "fairshare=1")
    cluster.call("sacctmgr", "-i", "add", "user", "root", f"account={','.join(groups)}", "fairshare=1")


@contextmanager
def nothing() -> Iterator[None]:
    """Run no daemon."""
    yield None


@contextmanager
def daemon(cluster: SlurmCluster, clock: Clock, policy: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `paretosched deploy` with the clock of the cluster."""
    environment = {key: value for key, value in cluster.environment.items() if key != "LD_PRELOAD"}
    environment |= {CLIENTS_PRELOAD: cluster.environment["LD_PRELOAD"], "PYTHONPATH": str(common.ROOT)}
    words = [sys.executable, Path(__file__).with_name("deploy_on_fast_clock.py"), clock.fake, clock.real, clock.rate]
    words += ["deploy", policy, "--to", "slurm", "--groups", "account", "--period", settings.PASS, "-o", folder]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    with folder.with_suffix(".txt").open("wb") as out:
        line = [str(word) for word in words]
        process = subprocess.Popen(line, env=environment, stdout=out, stderr=subprocess.STDOUT)  # noqa: S603  # our own
        try:
            cluster.wait_until((folder / "deploy.jsonl").exists, 60)
            yield process
        finally:
            process.terminate()
            process.wait(60)


def priorities_of(cluster: SlurmCluster) -> dict[str, Any]:
    """Return the priorities of the jobs that wait now, and the time."""
    now = int(cluster.call("date", "+%s"))
    pairs = [line.split("|") for line in cluster.call("sprio", "-h", "-o", "%i|%Y", check=False).split()]
    return {"time": now, "priority": {job: int(number) for job, number in pairs}}


def wait_for_starts(cluster: SlurmCluster, running: subprocess.Popen[bytes] | None) -> None:
    """Wait until no job waits.

    On a machine with too much to do, nodes whose clock is fast stop responding, and none of them comes back by itself
    (SlurmdTimeout is 0): then nothing runs any more, and a RuntimeError says which nodes.
    """
    waiting, moved = [""], time.monotonic()
    while waiting:
        earlier, waiting = waiting, cluster.call("squeue", "-h", "-t", "PD", "-o", "%A", wait=120).split()
        if running is not None and running.poll() is not None:
            raise RuntimeError(f"the daemon has ended, and {len(waiting)} jobs still wait:\n{cluster.logs()}")
        if waiting != earlier or cluster.call("squeue", "-h", "-t", "R", "-o", "%A", wait=120):
            moved = time.monotonic()
        elif time.monotonic() - moved > PATIENCE:
            words = f"{len(waiting)} jobs wait, and for {PATIENCE} s none has run; leave the machine more idle, or run"
            raise RuntimeError(f"{words} it at a lower rate. Nodes: {cluster.nodes()}\n{cluster.logs()}")
        time.sleep(LOOKS)


def times_of(cluster: SlurmCluster, epoch: int) -> dict[int, tuple[int, int, int]]:
    """Return submission, start and end of each job, seconds of the window; a job that still runs has no end."""
    text = cluster.call("squeue", "-h", "-a", "-t", "all", "-O", FIELDS, wait=120)
    rows = {}
    for line in text.splitlines():
        number, submitted, start, end, state = line.split()
        ended = int(end) - epoch if state == "COMPLETED" else NO_TIME
        rows[int(number)] = (int(submitted) - epoch, int(start) - epoch, ended)
    return rows
