"""`deploy` of a guarded order on a real Slurm, whose clock is faster: books, reviews, kills, and what --off leaves."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import naive_guarded
from support.commands import environment
from support.naive import Job
from support.slurm_cluster import SlurmCluster, slurm_cluster

pytestmark = [pytest.mark.slow, pytest.mark.waits]

FAST_DEPLOY = Path(__file__).parents[2] / "experiments/slurm/deploy_on_fast_clock.py"
RATE = 30
REVIEW = 300  # s of the cluster's clock
PERIOD = 1  # s of the real one
NODES, CPUS = 4, 2
USERS = ("games", "news")
POLICY = f"guarded: games; overall: 1; each: 1.1; review: {REVIEW}s; ageing: 20min\n"


class Daemon:
    """The daemon on a cluster; started again as often as it is killed."""

    def __init__(self, cluster: SlurmCluster, folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.policy = folder / "guarded.txt"
        self.policy.write_text(POLICY, encoding="utf-8")
        self.kept = folder / "guarded.txt.deploy"
        self.fake = int(cluster.call("date", "+%s"))  # first: a clock that is late sees no less than there was then
        self.real = time.monotonic()

    def words(self, *options: object) -> list[str]:
        clock = [self.fake, self.real, RATE]
        words = [sys.executable, FAST_DEPLOY, *clock, "deploy", self.policy, "--to", "slurm", "--groups", "user"]
        return [str(word) for word in [*words, *options]]

    def environment(self) -> dict[str, str]:
        result = environment() | self.cluster.environment | {"TZ": "UTC", "PYTHONPATH": environment()["PYTHONPATH"]}
        return result | {"NUMBA_DISABLE_JIT": "1", "CLIENTS_LD_PRELOAD": result.pop("LD_PRELOAD")}

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.words("--period", PERIOD),
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def records(self) -> list[dict[str, Any]]:
        path = self.kept / "deploy.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [record for record in map(json.loads, lines) if "all" not in record]

    def reviews(self) -> list[dict[str, Any]]:
        return [record for record in self.records() if "reviewed" in record]


def ended_jobs(cluster: SlurmCluster) -> list[dict[str, str]]:
    """Return the jobs that have ended, in the order of their numbers."""
    path = cluster.folder / "jobcomp.log"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [dict(word.partition("=")[::2] for word in line.split()) for line in lines]
    return sorted(rows, key=lambda row: int(row["JobId"]))


def unix(text: str) -> int:
    return int(np.datetime64(text, "s").astype(int))


def test_a_guarded_order_is_run_killed_gone_on_with_and_undone(tmp_path: Path) -> None:
    with slurm_cluster(nodes=NODES, cpus=CPUS, rate=RATE, settings={"MinJobAge": "3000"}) as cluster:
        tmp_path.chmod(0o755)
        daemon = Daemon(cluster, tmp_path)
        random = np.random.default_rng(5)
        process = daemon.start()
        out = ""
        try:
            cluster.wait_until(lambda: daemon.records(), 60)
            begin = json.loads((daemon.kept / "deploy.books").read_text(encoding="utf-8").splitlines()[0])["begin"]
            jobs = 0

            def crowd(count: int) -> None:
                nonlocal jobs
                for _ in range(count):
                    run = int(random.integers(60, 260))
                    width = int(random.choice([1, 2, 4, 8]))
                    user = USERS[int(random.random() < 0.6)]
                    cluster.submit(run=run, width=width, limit=int(random.integers(7, 20)), user=user)
                    jobs += 1

            crowd(25)
            cluster.wait_until(lambda: len(daemon.reviews()) >= 2, 120)
            process.send_signal(signal.SIGKILL)
            out += "".join(process.communicate(timeout=60))
            (daemon.kept / ".deploy.prom.0123456789ab.part").touch()  # as if it had been killed while it wrote
            crowd(5)
            process = daemon.start()
            cluster.wait_until(lambda: len(daemon.reviews()) >= 3, 120)
            cluster.stop("slurmctld")
            prom = daemon.kept / "deploy.prom"
            failed = "deploy_failures_total 1"
            cluster.wait_until(lambda: failed in prom.read_text(encoding="utf-8"), 180)
            cluster.start("slurmctld")
            crowd(5)
            cluster.wait_until(lambda: not cluster.call("squeue", "-h", check=False).strip(), 240)
            seen = len(daemon.reviews())
            cluster.wait_until(lambda: len(daemon.reviews()) > seen, 120)
            process.send_signal(signal.SIGTERM)
            out += "".join(process.communicate(timeout=60))
            assert process.returncode == 0, out
        finally:
            process.kill()
            process.communicate(timeout=60)
        print(out)
        head = json.loads((daemon.kept / "deploy.books").read_text(encoding="utf-8").splitlines()[0])
        assert head["begin"] == begin  # the comparison went on after kill -9
        rows = ended_jobs(cluster)
        assert len(rows) == jobs
        reviews = daemon.reviews()
        print([(r["reviewed"] - begin, r["classes"], r["of_easy"]) for r in reviews])
        for review in reviews:
            assert review["classes"] == by_oracle(rows, begin, review["reviewed"], set(review["classes"])), review
        assert len({json.dumps(review["classes"]) for review in reviews}) > 1  # so that it is not always the same
        off = subprocess.run(
            daemon.words("--off"), env=daemon.environment(), capture_output=True, text=True, check=False, timeout=60
        )
        assert off.returncode == 0, off
        assert [path.name for path in daemon.kept.iterdir()] == ["deploy.jsonl"]


def by_oracle(rows: list[dict[str, str]], begin: int, t: int, known: set[str]) -> dict[str, int]:
    """Return the classes of the known groups by the naive simulator, from what Slurm has recorded of all jobs."""
    groups = ["games", "news", ""]
    jobs, start = [], {}
    for number, row in enumerate(rows):
        when = [unix(row[name]) - begin for name in ("EligibleTime", "StartTime", "EndTime")]
        user = row["UserId"].partition("(")[0]
        so_far = min(when[2], t - begin) - when[1]  # a cluster that stands still kills no job in time
        limit = max(60 * int(row["TimeLimit"]), so_far)
        job = Job(number, when[0], when[2] - when[1], limit, int(row["ProcCnt"]), groups.index(user))
        jobs.append(job)
        if when[1] < t - begin:
            start[number] = when[1]
    terms = naive_guarded.Terms([1, 2, 2], 1.0, 1.1, REVIEW, 1200, 4.0)
    came = sorted(jobs, key=lambda job: (job.arrival, job.row))
    classes = naive_guarded.classes_at(t - begin, came, start, naive_guarded.easy_on(NODES * CPUS), terms)
    return {name: number for name, number in zip(groups, classes, strict=True) if name in known}
