"""How the texts of Slurm in tests/data/accounting were recorded: scenes on private clusters, and what they print.

    PYTHONPATH=tests python -m support.recorded_slurm FOLDER      # all of them again; it takes root, and four minutes

Seconds and numbers differ each time; `shape` is what must not. tests/whole/test_recorded_slurm.py
compares it with what is stored.
"""

import datetime as dt
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from paretosched.workload.accounting.slurm import FIELDS, sacct_command
from paretosched.workload.accounting.slurm_machine import EVENTS, SINFO

from .slurm_cluster import SlurmCluster, slurm_cluster

Texts = dict[str, str]  # by the name of the file
USERS = {"games": ("anna", "physics"), "news": ("bert", "chemistry")}  # accounts of Debian, their names here, accounts
WINDOW = ("now-1hour", "now+1hour")
BOOKS = {
    "GresTypes": "gpu",
    "Gres": "gpu:2",
    "AccountingStorageTRES": "gres/gpu",
    "PartitionName#debug": "debug Nodes=n[1-4] DefaultTime=5 MaxTime=60 State=UP",
    "PartitionName#wide": "wide Nodes=n[1-4] MaxTime=INFINITE State=UP TRESBillingWeights=CPU=2.0,GRES/gpu=10.0",
    "AccountingStorageEnforce": "associations,qos",
}
STATES = {
    "TaskPlugin": "task/cgroup",
    "SelectTypeParameters": "CR_CPU_Memory",
    "DefMemPerCPU": "50",
    "GresTypes": "gpu",
    "Gres": "gpu:a100:2",
    "AccountingStorageTRES": "gres/gpu,gres/gpu:a100",
    "PreemptType": "preempt/partition_prio",
    "PreemptMode": "CANCEL",
    "PartitionName#limited": "limited Nodes=n[1-4] DefaultTime=7 MaxTime=60 State=UP",
    "PartitionName#closed": "closed Nodes=n[1-4] MaxTime=60 State=DOWN",
    "PartitionName#first": "first Nodes=n[1-4] MaxTime=60 State=UP PriorityTier=9 PreemptMode=OFF",
}
REQUEUED = {
    "PreemptType": "preempt/partition_prio",
    "PreemptMode": "REQUEUE",
    "PartitionName#debug": "debug Nodes=n[1-4] MaxTime=60 State=UP PriorityTier=9 PreemptMode=OFF",
}
TIMED = ("JobIDRaw", "JobID", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "Flags", "Reason")
GPUS = {"gres.conf": "Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n"}  # any file will do
TYPED_GPUS = {name: text.replace("gpu ", "gpu Type=a100 ") for name, text in GPUS.items()}
LITTLE_MEMORY = {"cgroup.conf": "ConstrainRAMSpace=yes\nAllowedSwapSpace=0\n"}


def record_books() -> Texts:
    """Return usual ends of jobs, arrays, heterogeneous jobs, whole nodes, limits, and jobs that became eligible later.

    With and without steps, a bar at the end of lines, and Unix times.
    """
    with slurm_cluster(settings=BOOKS, accounting=True, files=GPUS) as cluster:
        add_users(cluster)
        cluster.call("sacctmgr", "-i", "add", "qos", "urgent")
        cluster.call("sacctmgr", "-i", "modify", "user", "games", "set", "qos+=urgent")
        submit = cluster.submit
        late = submit(run=300, limit=1, user="news")
        submit(run=2, width=4, user="games")
        of_script(cluster, "games", "srun sleep 1\nsrun sleep 1", "-n2", "-t10")
        of_script(cluster, "news", "sleep 1; exit 1", "-n1", "-t10")
        again = submit(run=60, width=2, user="games")
        gone = submit(run=60, user="news")
        wait_for(cluster, "RUNNING", again, gone)
        time.sleep(1)
        cluster.call("scontrol", "requeuehold", again)
        cluster.call("scancel", gone)
        submit("--array=0-2%2", run=2, user="games")
        script = "#!/bin/sh\n#SBATCH -n2 -t10\n#SBATCH hetjob\n#SBATCH -n4 -t20\nexec sleep 3\n"
        cluster.call("sbatch", "--uid=games", "--output=/dev/null", "--chdir=/", stdin=script)
        wait_for_queue(cluster, again, late)
        submit(run=1, user="games")
        submit("--begin=now+8", run=1, width=3, user="games")
        submit("--exclusive", run=2, width=2, user="games")
        of_script(cluster, "news", "sleep 2", "-n1")
        of_script(cluster, "news", "sleep 2", "-n1", "--partition=debug")
        submit("--partition=wide", "--gres=gpu:1", run=2, width=3, limit=30, user="games")
        submit("--partition=wide", "--qos=urgent", run=2, limit=3, user="games")
        held = submit("--hold", run=1, user="games")
        stopped = submit(run=3, width=2, user="games")
        wait_for(cluster, "RUNNING", stopped)
        time.sleep(1.5)
        cluster.call("scontrol", "suspend", stopped)
        cluster.call("srun", "--uid=games", "--chdir=/", "sleep", "2")
        time.sleep(3)
        cluster.call("scontrol", "resume", stopped)
        cluster.call("scontrol", "release", held)
        wait_for_queue(cluster, again, late)
        failing = [submit("--no-requeue", "--nodelist=n4", run=60, user="games") for _ in range(2)]
        submit("--begin=now+2", "--nodelist=n3", run=3, width=2, user="news")
        wait_for(cluster, "RUNNING", *failing)
        time.sleep(2)
        state(cluster, "n4", "down", "test")
        wait_for_queue(cluster, again)
        state(cluster, "n4", "resume")
        running = submit(run=60, width=4, user="games")
        submit(run=60, width=16, user="news")
        submit("--array=0-9%2", run=60, width=16, user="news")
        wait_for(cluster, "RUNNING", running)
        line = sacct_command([(WINDOW[0], "now")])  # without the life that Slurm holds for two minutes
        cluster.wait_until(lambda: {"RUNNING", "PENDING"} <= {*cluster.call("sh", "-c", line).split("|")})
        time.sleep(2)
        lines = {
            "slurm-all.txt": line,
            "slurm-parsable.txt": line.replace(" -P ", " -p "),
            "slurm-steps.txt": line.replace(" -X ", " "),
            "slurm-local-times.txt": line.replace("SLURM_TIME_FORMAT=%s ", ""),
        }
        return {name: without_names(cluster.call("sh", "-c", line)) for name, line in lines.items()}


def record_states() -> Texts:
    """Return ends that are less usual, limits of partitions, GPUs with a type, and jobs that have not ended.

    Ends: out of memory, deadline, preempted for good, node failed. One job is suspended, one waits in two partitions.
    """
    files = TYPED_GPUS | LITTLE_MEMORY
    with no_control_groups(), slurm_cluster(settings=STATES, accounting=True, files=files) as cluster:
        add_users(cluster)
        eat = "perl -e '$x = chr(97) x 400000000; sleep 30'"
        of_script(cluster, "games", f"sleep 1; exec {eat}", "-n1", "-t10", "--mem=100M")
        of_script(
            cluster, "news", f"sleep 1; srun {eat}", "-n1", "-t10", "--mem=100M"
        )  # the step, then the script: FAILED
        of_script(cluster, "games", "sleep 2", "-n1", "--partition=limited")
        of_script(cluster, "games", "sleep 2", "-n1", "--partition=first")
        closed = of_script(cluster, "news", "sleep 2", "-n1", "--partition=closed")
        failing = cluster.submit("--no-requeue", "--nodelist=n4", run=60, user="games")
        wait_for(cluster, "RUNNING", failing)
        time.sleep(2)
        state(cluster, "n4", "down", "test")
        cluster.call("scancel", closed)
        cluster.submit("--deadline=now+62seconds", "--begin=now+4", run=1, limit=1, user="news")
        wait_for_queue(cluster)
        state(cluster, "n4", "resume")
        wide = cluster.submit("--no-requeue", run=60, width=12, user="games")
        wait_for(cluster, "RUNNING", wide)
        time.sleep(2)
        cluster.submit("--partition=first", run=2, width=8, limit=1, user="news")
        wait_for_queue(cluster)
        cluster.submit("--gres=gpu:a100:2", run=2, width=4, user="games")
        wait_for_queue(cluster)
        stopped = cluster.submit(run=60, width=2, user="games")
        cluster.submit("--partition=main,limited", "--begin=now+600", width=16, user="news")
        wait_for(cluster, "RUNNING", stopped)
        time.sleep(1.5)
        cluster.call("scontrol", "suspend", stopped)
        line = sacct_command([WINDOW])
        cluster.wait_until(lambda: {"SUSPENDED", "PENDING"} <= {*cluster.call("sh", "-c", line).split("|")})
        return {"slurm-states.txt": without_names(cluster.call("sh", "-c", line))}


def record_requeued() -> Texts:
    """Return lives of jobs that were requeued and preempted.

    All of them, the last ones, in two windows of time, and as one of their users sees them.
    """
    with slurm_cluster(settings=REQUEUED, accounting=True, files={"slurmdbd.conf": "PrivateData=jobs\n"}) as cluster:
        add_users(cluster)
        submit = cluster.submit
        begin = int(time.time())
        again = submit(run=20, width=2, limit=3, user="games")
        submit(run=30, width=4, limit=3, user="news")
        stopped = submit(run=40, width=10, limit=3, user="games")
        wait_for(cluster, "RUNNING", again, stopped)
        submit(run=3, limit=3, user="games")
        submit(run=5, width=16, limit=3, user="news")
        gone = submit(run=5, width=16, limit=3, user="news")
        time.sleep(4)
        cluster.call("scontrol", "requeue", again)
        cluster.call("scancel", gone)
        submit("--partition=debug", run=3, width=8, limit=2, user="news")
        wait_for(cluster, "PENDING", stopped)
        middle = int(time.time()) + 15
        wait_for_queue(cluster, wait=240)
        end = int(time.time()) + 1
        stamp = [time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second)) for second in (begin, middle, end)]
        line = sacct_command([WINDOW])
        two = sacct_command([(stamp[0], stamp[1]), (stamp[1], stamp[2])])
        lines = {
            "slurm-requeued.txt": line,
            "slurm-requeued-without-D.txt": line.replace(" -D ", " "),
            "slurm-two-windows.txt": two,
        }
        texts = {name: without_names(cluster.call("sh", "-c", line)) for name, line in lines.items()}
        return texts | {"slurm-own-jobs.txt": without_names(cluster.call("sh", "-c", line, user="games"))}


def record_down() -> Texts:
    """Return jobs, nodes and events of a cluster whose nodes were drained, down, failed and taken away."""
    with slurm_cluster(accounting=True) as cluster:
        add_users(cluster)
        job = cluster.submit("--nodelist=n1", run=12, width=4, user="games")
        killed = cluster.submit("--nodelist=n2", run=60, width=4, user="games")
        wait_for(cluster, "RUNNING", job, killed)
        time.sleep(2)
        state(cluster, "n2", "down", "memory error")
        state(cluster, "n2", "resume")
        state(cluster, "n3", "drain", "no job on it")
        state(cluster, "n1", "drain", "drained | while a job ran")
        time.sleep(5)
        state(cluster, "n3", "down", "now broken")
        cluster.submit(run=5, width=8, user="games")
        wait_for(cluster, "COMPLETED", job)
        time.sleep(3)
        state(cluster, "n1", "resume")
        wait_for_queue(cluster, killed)
        last = cluster.submit("--nodelist=n4", run=3, width=2, user="games")
        wait_for(cluster, "COMPLETED", last)
        state(cluster, "n4", "fail", "failing")
        time.sleep(2)
        cluster.stop("slurmctld")
        cluster.stop("n4")
        conf = cluster.folder / "etc/slurm.conf"
        lines = [line for line in conf.read_text().splitlines() if not line.startswith("NodeName=n4 ")]
        conf.write_text("\n".join(lines).replace("n3,n4", "n3").replace("n[1-4]", "n[1-3]") + "\n")
        cluster.start("slurmctld")
        for name in ("n1", "n2", "n3"):
            cluster.stop(name)
            cluster.start(name)
        idle = ["sinfo", "-h", "-t", "idle", "-n", "n1,n2", "-o", "%D"]
        cluster.wait_until(lambda: cluster.call(*idle, check=False).strip() == "2")
        cluster.submit(run=3, width=4, user="games")
        wait_for_queue(cluster, killed)
        lines_of = {"jobs": sacct_command([WINDOW]), "nodes": SINFO, "events": EVENTS}
        cluster.wait_until(lambda: cluster.call("sh", "-c", lines_of["jobs"]).count("|COMPLETED|") == 4)
        return {
            f"slurm-down-{what}.txt": without_names(cluster.call("sh", "-c", line)) for what, line in lines_of.items()
        }


SCENES: Mapping[str, Callable[[], Texts]] = {
    "books": record_books,
    "states": record_states,
    "requeued": record_requeued,
    "down": record_down,
}


# --- what the scenes are made of --------------------------------------------------------------------------------------


def add_users(cluster: SlurmCluster) -> None:
    """Give the users their accounts."""
    for user, (_, account) in USERS.items():
        cluster.call("sacctmgr", "-i", "add", "account", account, "cluster=loop")
        cluster.call("sacctmgr", "-i", "add", "user", user, f"account={account}", "cluster=loop")


def without_names(text: str) -> str:
    """Return a text with the names that the users have in the stored ones."""
    for user, (name, _) in USERS.items():
        text = text.replace(f"|{user}|", f"|{name}|")
    return text


def of_script(cluster: SlurmCluster, user: str, script: str, *options: str) -> int:
    """Submit a job with a script and without a limit of its own, and return its number."""
    words = ["sbatch", "--parsable", f"--uid={user}", "--output=/dev/null", "--chdir=/", *options]
    return int(cluster.call(*words, stdin=f"#!/bin/sh\n{script}\n"))


def state(cluster: SlurmCluster, node: str, name: str, reason: str = "") -> None:
    """Change the state of a node."""
    words = [f"nodename={node}", f"state={name}", *([f"reason={reason}"] if reason else [])]
    cluster.call("scontrol", "update", *words, check=name != "resume")  # a node may have come back by itself


def wait_for(cluster: SlurmCluster, name: str, *jobs: int) -> None:
    """Wait until jobs are in a state."""
    cluster.wait_until(lambda: all(cluster.show(job, "JobState") == name for job in jobs))


def wait_for_queue(cluster: SlurmCluster, *others: int, wait: float = 120) -> None:
    """Wait until all jobs but some have ended, and the books know it."""
    expected = {str(job) for job in others}
    cluster.wait_until(lambda: {*cluster.call("squeue", "-h", "-o", "%A").split()} <= expected, wait)
    open_jobs = ["sacct", "-a", "-X", "-n", "-P", "-s", "R", "-S", "now-1hour", "-o", "JobIDRaw"]
    cluster.wait_until(lambda: {*cluster.call(*open_jobs).split()} <= expected)


# --- what must be the same each time ----------------------------------------------------------------------------------


def shape(name: str, text: str) -> Counter[str]:
    """Return how often each kind of line is in a text: without times, numbers, seconds, and what no reader looks at."""
    rows = [line.split("|") for line in text.splitlines()]
    if name == "slurm-down-nodes.txt":
        return Counter(text.splitlines())
    if name == "slurm-down-events.txt":
        return Counter("|".join([*cells[:2], cells[3] if cells[3] == "Unknown" else "", *cells[4:]]) for cells in rows)
    return Counter("|".join(_kind(dict(zip(rows[0], cells, strict=True)))) for cells in rows[1:])


def _kind(cell: Mapping[str, str]) -> list[str]:
    """Return what a line has beside times and numbers."""
    if cell["JobIDRaw"] == "JobIDRaw":
        return ["header"]
    fields = [name for name in FIELDS if name not in TIMED]
    if cell["TimelimitRaw"] == "525600":  # where the backfilling started a job without limit, not the main pass
        cell = {**cell, "TimelimitRaw": "UNLIMITED"}
    number = "".join("#" if letter.isdigit() else letter for letter in cell["JobID"].partition(".")[0])
    step = cell["JobID"].partition(".")[2]
    words = [step or number.replace("##", "#"), *(cell[name] for name in fields)]
    ran = "ran" if cell["ElapsedRaw"] != "0" else "never ran"  # then its start may be known or not
    known = ["unknown" if cell[name] in ("Unknown", "None") else "known" for name in ("Eligible", "End")]
    after = _seconds(cell["Eligible"]) - _seconds(cell["Submit"]) if known[0] == "known" else 0
    later = "later" if after > 4 else "at once"  # a second or two may be the scheduler's
    stopped = cell["Suspended"] not in ("00:00:00", "") and cell["State"] != "SUSPENDED"  # it may be a second ago
    return [*words, *known, later, ran, "suspended" if stopped else ""]


def _seconds(text: str) -> int:
    """Return a time of sacct in seconds."""
    return int(text) if text.isdecimal() else int(dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC).timestamp())


@contextmanager
def no_control_groups() -> Iterator[None]:
    """Remove the control groups that slurmd leaves."""
    try:
        yield
    finally:
        for folder in sorted(Path("/sys/fs/cgroup").glob("*/slurm_n*"), reverse=True):
            for inner in sorted(folder.rglob("*"), reverse=True):
                if inner.is_dir():
                    inner.rmdir()
            folder.rmdir()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for name in sys.argv[2:] or SCENES:
        for file, text in SCENES[name]().items():
            (target / file).write_text(text, encoding="utf-8")
