"""`deploy` on a real Slurm: what it may touch, what survives, and whether jobs start in the order of the simulation."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.deployment.daemon import Plan, run_daemon
from paretosched.deployment.site_factors import lexicographic
from paretosched.deployment.slurm_queue import read_queue
from paretosched.policies.policy import PolicyLike
from support.commands import Outcome, environment
from support.slurm_cluster import SlurmCluster

pytestmark = [pytest.mark.slow, pytest.mark.waits]

USERS = ("games", "news")  # accounts that every Debian has; each is a group of users
OPERATOR = "backup"


class Site:
    """A real Slurm, and a folder with policies."""

    def __init__(self, cluster: SlurmCluster, folder: Path) -> None:
        self.cluster = cluster
        self.folder = folder

    def policy(self, what: PolicyLike, name: str = "policy.json") -> Path:
        ps.save_policy(what, self.folder / name)
        return self.folder / name

    def words(self, policy: Path, *options: object) -> list[str]:
        words = [sys.executable, "-m", "paretosched", "deploy", policy, "--to", "slurm", "--partition", "closed"]
        return [str(word) for word in [*words, *options]]

    def environment(self, user: str = "root") -> dict[str, str]:
        """Return the environment of the daemon; Slurm's commands are those of a user."""
        result = environment() | self.cluster.environment | {"TZ": "UTC", "PYTHONPATH": environment()["PYTHONPATH"]}
        if user == "root":
            return result
        commands = self.folder / f"commands-{user}"
        commands.mkdir(exist_ok=True)
        for name in ("squeue", "sprio", "sinfo", "scontrol"):
            text = f'#!/bin/sh\nexec setpriv --reuid={user} --clear-groups /usr/bin/{name} "$@"\n'
            (commands / name).write_text(text, encoding="utf-8")
            (commands / name).chmod(0o755)
        return result | {"PATH": f"{commands}:{result['PATH']}"}

    def deploy(self, policy: Path, *options: object, user: str = "root") -> Outcome:
        done = subprocess.run(
            self.words(policy, *options),
            env=self.environment(user),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,  # more than it waits for Slurm
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def daemon(self, policy: Path, *options: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.words(policy, "--period", 1, *options),
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def factors(self) -> dict[int, int]:
        """Return the site factors that are not 0."""
        lines = self.cluster.call("sprio", "-h", "-o", "%i|%S").split()
        pairs = (line.split("|") for line in lines)
        return {int(job): int(factor) for job, factor in pairs if factor != "0"}

    def priorities(self) -> dict[int, tuple[int, int]]:
        """Return the priorities of the waiting jobs, and the site factors in them."""
        lines = self.cluster.call("sprio", "-h", "-o", "%i|%Y|%S").split()
        return {int(job): (int(priority), int(factor)) for job, priority, factor in (line.split("|") for line in lines)}

    def wait_for_numbers(self, *jobs: int) -> None:
        """Wait until slurmctld knows the numbers that slurmdbd gives jobs, which it asks for every five seconds.

        If it ends while it asks, it refuses every change of these jobs, for good.
        """

        def stored_jobs() -> set[int]:
            return {int(job) for job in self.cluster.call("sacct", "-a", "-n", "-X", "-o", "JobIDRaw").split()}

        def said_of(job: int) -> str:  # nothing, unless it is refused, as it is while slurmctld asks
            return self.cluster.call("scontrol", "update", f"JobId={job}", "Comment=numbered", check=False).strip()

        self.cluster.wait_until(lambda: {*jobs} <= stored_jobs())
        for job in jobs:
            self.cluster.wait_until(lambda job=job: not said_of(job))

    def order(self) -> list[int]:
        factors = self.factors()
        return sorted(factors, key=lambda job: -factors[job])


@pytest.fixture
def site(slurm: SlurmCluster, tmp_path: Path) -> Iterator[Site]:
    tmp_path.chmod(0o755)
    yield Site(slurm, tmp_path)
    slurm.call("scancel", "--state=PENDING")
    slurm.call("scancel", "--state=RUNNING")
    slurm.wait_until(lambda: not slurm.call("squeue", "-h").strip())


def waiting(site: Site, limit: int, *options: object, partition: str = "closed", **more: Any) -> int:
    """Submit a job that waits for ever, with a limit in minutes, by which it is ordered."""
    return site.cluster.submit(f"--partition={partition}", *options, limit=limit, **more)


SHORT_FIRST = "sjf; backfill: easy"


def test_only_jobs_that_wait_and_could_run_are_touched(site: Site) -> None:
    cluster = site.cluster
    blocker = cluster.submit("--partition=p1", run=600, width=WIDEST, limit=10)
    cluster.wait_until(lambda: cluster.show(blocker, "JobState") == "RUNNING")
    short, long = waiting(site, 5), waiting(site, 50)
    array = waiting(site, 20, "--array=0-9%3")
    het = int(cluster.call("sbatch", "--parsable", "-t30", "-pclosed", ":", "-t30", "-pclosed", "--wrap=true"))
    others = [
        waiting(site, 1, "--hold"),
        waiting(site, 1, f"--dependency=afterok:{long}"),
        waiting(site, 1, "--begin=now+1hour"),
        waiting(site, 1, "--nodes=21", partition="main"),  # waits for one more node
        waiting(site, 1, "--array=0-3"),  # a task of it is moved elsewhere
        int(cluster.call("sbatch", "--parsable", "-t1", "-pclosed", ":", "-t1", "-pp1", "--wrap=true")),
    ]
    cluster.call("scontrol", "update", f"JobId={others[-2]}_3", "Partition=p1")
    cluster.call("scontrol", "create", "reservation=mine", "starttime=now", "duration=60", "nodes=n20", "users=root")
    others.append(waiting(site, 1, "--reservation=mine"))
    ready = {str(job) for job in (short, long, array, het)}
    cluster.wait_until(lambda: ready <= set(cluster.call("sprio", "-h", "-o", "%i").split()))
    outcome = site.deploy(site.policy(SHORT_FIRST), "--partition", "closed", "--once")
    assert outcome.status == 0, outcome
    assert [job for job in site.order() if job != het + 1] == [short, array, het, long]
    cluster.call("scontrol", "release", others[0])
    cluster.wait_until(lambda: f"{others[0]}|0" in cluster.call("sprio", "-h", "-o", "%i|%S").split())
    assert all(site.factors().get(job, 0) == 0 for job in others)

    outcome = site.deploy(site.policy(SHORT_FIRST), "--off")
    assert outcome.status == 0, outcome
    assert site.factors() == {}
    cluster.call("scancel", others[-1])
    cluster.call("scontrol", "delete", "reservation=mine")
    assert [path.name for path in (site.folder / "policy.json.deploy").iterdir()] == ["deploy.jsonl"]


def test_an_operator_may_and_a_user_may_not(site: Site) -> None:
    site.cluster.call("sacctmgr", "-i", "add", "user", OPERATOR, "account=root", "adminlevel=Operator", check=False)
    jobs = [waiting(site, 30), waiting(site, 20)]
    ready = {str(job) for job in jobs}
    site.cluster.wait_until(lambda: ready <= set(site.cluster.call("sprio", "-h", "-o", "%i").split()))
    policy = site.policy(SHORT_FIRST)
    outcome = site.deploy(policy, "--once", user=USERS[0])
    assert outcome.status == 2
    assert "sacctmgr modify user NAME set AdminLevel=Operator" in outcome.err
    assert site.factors() == {}
    site.cluster.wait_until(lambda: site.deploy(policy, "--once", user=OPERATOR).status == 0)  # Slurm learns of it soon
    assert site.order() == jobs[::-1]
    assert site.deploy(policy, "--off", user=OPERATOR).status == 0
    assert site.factors() == {}


def test_with_a_share_the_sites_own_factors_have_their_part(site: Site) -> None:
    """The widest job comes first by its size, although it is the longest; lexicographic, it comes last."""
    cluster, configuration = site.cluster, site.cluster.folder / "etc/slurm.conf"
    before = configuration.read_text(encoding="utf-8")
    configuration.write_text(f"{before}PriorityWeightJobSize=1000\n", encoding="utf-8")
    cluster.call("scontrol", "reconfigure")
    try:
        mid, short, wide = (waiting(site, limit, width=n) for limit, n in ((30, 2), (10, 1), (50, 18)))
        jobs = {mid, short, wide}
        cluster.wait_until(lambda: {job for job in jobs if site.priorities().get(job, (0, 0))[0] > 1} == jobs)
        policy = site.policy(SHORT_FIRST)
        outcome = site.deploy(policy, "--share", 30, "--once")
        assert outcome.status == 0, outcome
        priorities = site.priorities()
        assert sorted(jobs, key=lambda job: -priorities[job][0]) == [wide, short, mid]
        assert site.order() == [short, mid, wide]  # the policy's part
        largest = 1000 / (1 - 0.3)  # of the priority: the site's weights are 70 per cent of it
        assert all(0 < factor <= 0.3 * largest for _, factor in priorities.values())

        assert site.deploy(policy, "--once").status == 0
        priorities = site.priorities()
        assert sorted(jobs, key=lambda job: -priorities[job][0]) == [short, mid, wide]
        assert site.deploy(policy, "--off").status == 0
        assert site.factors() == {}
    finally:
        configuration.write_text(before, encoding="utf-8")
        cluster.call("scontrol", "reconfigure")


def test_ranked_jobs_keep_their_order_whatever_ends(site: Site) -> None:
    """A damaged policy; kill -9 of the daemon; a restart of slurmctld while the daemon runs, which keeps site factors.

    If slurmctld is killed with -9, changes of its last seconds are lost; the next pass makes them again.
    """
    cluster = site.cluster
    jobs = [waiting(site, limit) for limit in (30, 10, 20)]
    policy = site.policy(SHORT_FIRST)
    daemon = site.daemon(policy)
    try:
        cluster.wait_until(lambda: len(site.order()) == 3)
        ranked = [jobs[1], jobs[2], jobs[0]]
        assert site.order() == ranked
        policy.write_text("{", encoding="utf-8")
        first = waiting(site, 1)
        cluster.wait_until(lambda: site.order() == [first, *ranked])
        daemon.kill()
        _, err = daemon.communicate(timeout=60)
        assert "stays in force" in err
        last = waiting(site, 2)
        time.sleep(1.5)
        assert site.order() == [first, *ranked]  # the new job has no site factor, and so comes behind
        assert last not in site.factors()

        policy = site.policy(SHORT_FIRST)
        daemon = site.daemon(policy)
        cluster.wait_until(lambda: site.order() == [first, last, *ranked])
        site.wait_for_numbers(*jobs, first, last)
        cluster.stop("slurmctld")
        failures = site.folder / "policy.json.deploy" / "deploy.prom"
        cluster.wait_until(lambda: "failures_total 1" in failures.read_text(encoding="utf-8"), 60)
        cluster.start("slurmctld")
        cluster.wait_until(lambda: "UP" in cluster.call("scontrol", "ping", check=False))
        assert site.order() == [first, last, *ranked]  # Slurm keeps site factors
        new = waiting(site, 15)
        cluster.wait_until(lambda: site.order() == [first, last, jobs[1], new, jobs[2], jobs[0]], 60)
        site.wait_for_numbers(new)
        time.sleep(12)  # slurmctld writes its state now and then
        cluster.stop("slurmctld", kill=True)
        cluster.start("slurmctld")
        cluster.wait_until(lambda: "UP" in cluster.call("scontrol", "ping", check=False))
        cluster.wait_until(lambda: site.order() == [first, last, jobs[1], new, jobs[2], jobs[0]], 60)
        daemon.send_signal(signal.SIGTERM)
        _, err = daemon.communicate(timeout=60)
        assert daemon.returncode == 0
        assert "Slurm answers again" in err
    finally:
        daemon.kill()
        daemon.communicate(timeout=60)
    outcome = site.deploy(policy, "--off")
    assert outcome.status == 0, outcome
    assert site.factors() == {}


# --- order ------------------------------------------------------------------------------------------------------------

A_OF = {"f1": 1.0, "f2": 0.05, "f3": 1.0, "f4": 0.05}  # so that waits of a minute change some places, not all
FORMULA = "order: (wait + 60) / estimate * sqrt(width) + if(group(games), 0.2, 0)"
JOBS_OF_EACH = 12
WIDEST = 4  # nodes of a partition, of one processor each: Slurm plans backfilling by whole nodes
REFRESH = 2.0  # s
RUNS = {"easy": (3, 8), "none": (1, 4)}  # s; Slurm backfills once a second, so that backfilled jobs must run longer


def policies(backfill: str) -> dict[str, ps.Policy]:
    """Return the policies that are tried, by the partition in which they are."""
    rows: dict[str, ps.Policy] = {}
    for number, (criterion, a) in enumerate(A_OF.items(), 1):
        genes = [[1.0, 0.4, 0.0, 1.0, a, 0.5]] * 3  # w and K of two groups, a, b
        rows[f"p{number}"] = ps.greedy([criterion] * 3, genes, groups=USERS, backfill=backfill)
    return rows | {"p5": ps.as_policy(f"{FORMULA}; backfill: {backfill}")}


@pytest.mark.parametrize("backfill", ["easy", "none"])
def test_jobs_start_in_the_order_of_the_simulation(site: Site, backfill: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In 95 % of the pairs of jobs; each policy has a partition of its own.

    A busy machine delays Slurm and the passes of deploy by seconds, which changes places of jobs. So a policy that
    reaches fewer may try once more, with all others.
    """
    cluster = site.cluster
    for name, value in site.environment().items():
        monkeypatch.setenv(name, value)
    conf = cluster.folder / "etc/slurm.conf"
    text = conf.read_text(encoding="utf-8")
    try:
        if backfill == "none":
            conf.write_text(text.replace("bf_interval=1,", "bf_interval=-1,"), encoding="utf-8")
            cluster.call("scontrol", "reconfigure")
        agreements = run_of(site, policies(backfill), RUNS[backfill])
        if not all(agrees(row) for row in agreements.values()):
            print("once more:", agreements)
            again = run_of(site, policies(backfill), RUNS[backfill])
            agreements = {p: row if agrees(row) else again[p] for p, row in agreements.items()}
    finally:
        conf.write_text(text, encoding="utf-8")
        cluster.call("scontrol", "reconfigure")
    print(
        {partition: {name: f"{same}/{of}" for name, (same, of) in row.items()} for partition, row in agreements.items()}
    )

    assert all(agrees(row) for row in agreements.values()), agreements
    orders = [row["submission"] for row in agreements.values()]  # so that it is not the agreement of any order
    assert sum(same for same, _ in orders) < 0.8 * sum(pairs for _, pairs in orders), agreements


def agrees(row: dict[str, tuple[int, int]]) -> bool:
    """Return whether 95 % of the pairs of jobs started in the order of the simulation."""
    same, pairs = row["simulation"]
    return same >= 0.95 * pairs


def run_of(site: Site, rows: dict[str, ps.Policy], runs: tuple[int, int]) -> dict[str, dict[str, tuple[int, int]]]:
    """Run jobs under all policies at once, and return how each order agrees with the simulation and the submission."""
    cluster = site.cluster
    random = np.random.default_rng(7)
    blockers = {p: cluster.submit(f"--partition={p}", run=600, width=WIDEST, limit=10) for p in rows}
    # Jobs that come while a blocker still waits for nodes could start before it.
    cluster.wait_until(lambda: all(cluster.show(job, "JobState") == "RUNNING" for job in blockers.values()))
    jobs: dict[str, list[dict[str, Any]]] = {partition: [] for partition in rows}
    for limit in random.permutation(np.arange(1, 3 * JOBS_OF_EACH, 3)):  # equal limits would be a matter of a second
        job = {
            "run": int(random.integers(*runs)),
            "limit": int(limit),
            "width": int(random.integers(1, WIDEST + 1)),
            "user": USERS[int(random.integers(2))],
        }
        for partition, row in jobs.items():
            row.append(job | {"id": cluster.submit(f"--partition={partition}", **job)})
    plans = [
        Plan(
            site.policy(policy, f"{p}.json"), site.folder / p, 1.0, "user", (p,), "cpus", lexicographic(0), "UTC", False
        )
        for p, policy in rows.items()
    ]

    def refresh() -> None:
        for plan in plans:
            run_daemon(plan, print, once=True)

    cluster.wait_until(lambda: refresh() or len(site.factors()) == JOBS_OF_EACH * len(rows), 240)
    # Slurm plans with single nodes. If one is free later than the others, which ones the first jobs get, and so who may
    # be backfilled beside them, would be a matter of chance.
    states(cluster, rows, "DOWN")
    for job in blockers.values():
        cluster.call("scancel", job)
    cluster.wait_until(lambda: set(cluster.call("sinfo", "-h", "-N", "-o", "%T").split()) == {"idle"}, 60)
    opened = int(time.time())
    states(cluster, rows, "UP")
    end = time.monotonic() + 240
    while cluster.call("squeue", "-h").strip():
        assert time.monotonic() < end, cluster.logs()
        refresh()
        time.sleep(REFRESH)
    times = times_of(site)
    return {p: agreement_of(rows[p], jobs[p], (times[blockers[p]][0], opened), times) for p in rows}


def states(cluster: SlurmCluster, partitions: Iterable[str], state: str) -> None:
    """Open or close partitions; jobs can be submitted to a closed one, and wait."""
    for partition in partitions:
        cluster.call("scontrol", "update", f"PartitionName={partition}", f"State={state}")


def times_of(site: Site) -> dict[int, tuple[int, int, int]]:
    """Return submission, start and end of the jobs that have ended, Unix times, by number."""
    rows = {}
    for line in (site.cluster.folder / "jobcomp.log").read_text(encoding="utf-8").splitlines():
        fields = dict(word.partition("=")[::2] for word in line.split())
        names = ("SubmitTime", "StartTime", "EndTime")
        values = [np.datetime64(fields[name], "s") for name in names]
        rows[int(fields["JobId"])] = tuple(value.astype(int) for value in values)
    return rows  # type: ignore[return-value]


def agreement_of(
    policy: ps.Policy, jobs: list[dict[str, Any]], blocked: tuple[int, int], times: dict[int, tuple[int, int, int]]
) -> dict[str, tuple[int, int]]:
    """Return how many pairs of jobs started in the order of the simulation, and of submission; and of how many.

    Nothing could start from the first to the second of the Unix times `blocked`.
    """
    zero = blocked[0] - 1  # in the simulation the blocker comes a second before all others
    real = [times[job["id"]] for job in jobs]
    order = np.argsort([submit for submit, _, _ in real], kind="stable")
    rows = [jobs[j] for j in order]
    real = [real[j] for j in order]
    first = [0, *(submit - zero for submit, _, _ in real)]
    run = [blocked[1] - zero, *(max(1, end - start) for _, start, end in real)]
    workload = ps.Workload(
        submit=first,
        run=run,
        estimate=[run[0], *(60 * job["limit"] for job in rows)],
        width=[WIDEST, *(job["width"] for job in rows)],
        capacity=WIDEST,
        group=[0, *(USERS.index(job["user"]) for job in rows)],
        groups=USERS,
        epoch=zero,
    )
    simulated = ps.simulate(workload, policy).start[1:]
    started = np.array([start for _, start, _ in real])
    upper = np.triu_indices(len(rows), 1)
    ahead = np.sign(started[:, None] - started[None, :])[upper]
    predicted = np.sign(simulated[:, None] - simulated[None, :])[upper]
    clear = (ahead != 0) & (predicted != 0)
    return {
        "simulation": (int((ahead == predicted)[clear].sum()), int(clear.sum())),
        "submission": (int((ahead < 0).sum()), int((ahead != 0).sum())),
    }


def test_squeue_is_read_whatever_users_write(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    job = waiting(site, 7, "--job-name=a|b\n7|PENDING", "--comment=~", user=USERS[0], width=3)
    for name, value in site.environment().items():
        monkeypatch.setenv(name, value)
    (found,) = [row for row in read_queue() if row.id == job]
    assert (found.user, found.partitions, found.limit, found.widths["cpus"]) == (USERS[0], ("closed",), 420, 3)
    assert found.pending
    assert found.eligible is not None


def test_nothing_is_left_of_a_cluster(tmp_path: Path) -> None:
    """Also if the tests are killed: the kernel ends all processes with the first one."""
    script = (
        "import os\n"
        "from support.slurm_cluster import slurm_cluster\n"
        "with slurm_cluster(nodes=1, cpus=1) as cluster:\n"
        "    cluster.submit(run=12345)\n"
        "    cluster.wait_until(lambda: 'R' in cluster.call('squeue', '-h', '-o', '%t'))\n"
        "    print(cluster.folder, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(PYTHONPATH=os.pathsep.join([environment()["PYTHONPATH"], str(Path(__file__).parents[1])])),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if "NO SLURM" in done.stderr:
        pytest.skip("NO SLURM: nothing was started that could be left")
    folder = done.stdout.strip()
    assert folder, done.stderr
    time.sleep(0.2)
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if folder.encode() in line or b"12345" in line]
    subprocess.run(["rm", "-rf", folder], check=True)
