"""`deploy` of formulas with usage on a real Slurm: sshare is read, and it says what the kernels reckon."""

from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.deployment.daemon import Plan, read_plan_policy, run_daemon
from paretosched.deployment.site_factors import lexicographic
from paretosched.deployment.slurm_queue import read_queue
from paretosched.deployment.slurm_usage import read_usage
from paretosched.kernels.fair_share import no_tree
from paretosched.kernels.usage import no_usage, note_usage, usage_at
from support.slurm_cluster import SlurmCluster, slurm_cluster

pytestmark = [pytest.mark.slow, pytest.mark.waits]

HALF_LIFE = 7200  # s
SETTINGS = {
    "PriorityDecayHalfLife": "0-2",
    "PriorityCalcPeriod": "1",
    "MinJobAge": "10000000",
    "PartitionName#closed": "closed Nodes=n[1-4] State=DOWN",
}
USERS = (("games", "physics"), ("news", "bio"), ("man", "bio"), ("lp", "art"))
RUNS = ((1800, 6), (1800, 2), (600, 4))  # s and processors, of the first three users


def test_users_who_have_used_much_come_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with slurm_cluster(settings=SETTINGS, accounting=True, rate=60) as cluster:
        for user, account in USERS:
            cluster.call("sacctmgr", "-i", "add", "account", account, check=False)
            cluster.call("sacctmgr", "-i", "add", "user", user, f"account={account}")
        ran = [cluster.submit(run=run, width=width, limit=99, user=USERS[i][0]) for i, (run, width) in enumerate(RUNS)]
        wait = [cluster.submit("--partition=closed", limit=9, user=user) for user, _ in USERS]
        cluster.wait_until(lambda: all(cluster.show(job, "JobState") == "COMPLETED" for job in ran), 120)
        ended = now_of(cluster)
        cluster.wait_until(lambda: now_of(cluster) > ended + 180, 60)  # two periods and more
        monkeypatch.setenv("TZ", "UTC")
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)
        now, rows = now_of(cluster), {row.user: row for row in read_usage()}
        for (user, account), job in zip(USERS, ran, strict=False):
            assert rows[user].account == account
            print(user, rows[user].usage, usage_by(cluster, job, now))
            # Slurm adds up what jobs have used once in each period, which is a minute here
            assert rows[user].usage == pytest.approx(usage_by(cluster, job, now), rel=0.15)
        assert rows["lp"].usage == 0
        for words, expected in (
            ("order: -usage; half-life: 2h; backfill: easy", [wait[3], wait[2], wait[1], wait[0]]),
            ("order: usage; usage: account; half-life: 2h; backfill: easy", [wait[0], wait[1], wait[2], wait[3]]),
        ):
            (tmp_path / "p.txt").write_text(words + "\n", encoding="utf-8")
            plan = Plan(
                tmp_path / "p.txt", tmp_path / "kept", 1.0, None, ("closed",), "cpus", lexicographic(0), "UTC", False
            )
            run_daemon(plan, print, once=True)
            lines = (line.split("|") for line in cluster.call("sprio", "-h", "-o", "%i|%S").split())
            factors = {int(job): int(factor) for job, factor in lines}
            assert sorted(wait, key=lambda job: -factors[job]) == expected, (rows, factors)
        assert {job.user for job in read_queue() if job.id in wait} == {user for user, _ in USERS}
        (tmp_path / "p.txt").write_text("order: -usage; backfill: easy\n", encoding="utf-8")  # seven days
        with pytest.raises(ps.InputError, match="half-life 7-00:00:00, but PriorityDecayHalfLife is 02:00:00"):
            read_plan_policy(plan)


def now_of(cluster: SlurmCluster) -> int:
    """Return the Unix time of a cluster."""
    return int(cluster.call("date", "+%s"))


def usage_by(cluster: SlurmCluster, job: int, now: int) -> float:
    """Return the usage by one job of a cluster, as the simulator reckons it."""
    times = [int(np.datetime64(cluster.show(job, name), "s").astype(int)) for name in ("StartTime", "EndTime")]
    usage = no_usage(np.zeros(1, np.int64), float(HALF_LIFE), no_tree())
    width = int(cluster.show(job, "NumCPUs"))
    note_usage(usage, 0, times[0], width)
    note_usage(usage, 0, times[1], -width)
    return usage_at(usage, 0, now)
