"""A private Slurm cluster on this machine, in about two seconds: real daemons, virtual nodes, nothing left behind.

    with slurm_cluster(nodes=4, cpus=4) as cluster:
        job = cluster.submit(run=60, width=4, user="games")
        cluster.call("squeue")

The daemons run in a PID namespace of their own, so that the kernel ends all of them, and all jobs, with the namespace,
even if the tests are killed. Ports are free ones of 127.0.0.1, munge has a key and a socket of its own. The clients are
ordinary processes with SLURM_CONF in their environment (`cluster.environment`).
"""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

DAEMONS = ("slurmctld", "slurmd", "sbatch", "munged", "unshare", "nsenter")
ACCOUNTING = ("slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db", "mariadb")
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
# Every submission and every end of a job is followed by a pass, and passes look at all jobs.
QUICK = (
    "batch_sched_delay=0,sched_min_interval=0,sched_interval=1,default_queue_depth=10000,"
    "bf_interval=1,bf_resolution=1,bf_max_job_test=10000,bf_window=10080,bf_continue,bf_job_part_count_reserve=1"
)
# Of a clock that is faster: a second is short there, so that daemons must have more of them.
PATIENT = (
    "batch_sched_delay=0,sched_min_interval=0,sched_interval=60,default_queue_depth=10000,bf_interval=60,"
    "bf_resolution=60,bf_max_job_test=10000,bf_window=10080,bf_continue,bf_job_part_count_reserve=1,bf_max_time=3600,"
    "build_queue_timeout=1000000000,max_sched_time=3600,sched_max_job_start=0"
)
SETTINGS = {
    "ClusterName": "loop",
    "SlurmUser": "root",
    "SlurmdUser": "root",
    "AuthType": "auth/munge",
    "CredType": "cred/munge",
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "JobAcctGatherType": "jobacct_gather/none",
    "MpiDefault": "none",
    "SwitchType": "switch/none",
    "ReturnToService": "2",
    "SchedulerType": "sched/backfill",
    "SchedulerParameters": QUICK,
    "PriorityType": "priority/multifactor",
    "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_CPU",
    "SlurmdParameters": "config_overrides",
    "MailProg": "/bin/true",
    "MaxJobCount": "20000",
    "KillWait": "1",
    "JobCompType": "jobcomp/filetxt",
}
FAST_CLOCK = {
    "SchedulerParameters": PATIENT,
    "MessageTimeout": "10000",
    "TCPTimeout": "5000",
    "SlurmctldTimeout": "60000",
    "SlurmdTimeout": "0",
    "InactiveLimit": "0",
    "KillWait": "3600",
    "BatchStartTimeout": "10000",
    "OverTimeLimit": "60",
}
LANE = 250  # ports, more than a cluster has nodes
LOOKS = 100  # see wait_until


class SlurmCluster:
    """A cluster that runs; made by `slurm_cluster`.

    Attributes
    ----------
    folder
        Its files: etc/slurm.conf, log/, jobcomp.log with the jobs that have ended.
    names
        Its nodes.
    environment
        The environment of its clients.
    """

    def __init__(self, folder: Path, names: Sequence[str], environment: dict[str, str], init: int) -> None:
        self.folder = folder
        self.names = names
        self.environment = environment
        self._init = init  # the process outside of the namespace that is number 1 inside
        self._lines: dict[str, list[str]] = {}
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def call(
        self, *words: object, stdin: str = "", user: str | None = None, check: bool = True, wait: float = 20
    ) -> str:
        """Return what a client prints, of root or of another user of this machine; it must succeed if `check` is set.

        `wait` is in seconds of the real clock; a client that takes longer is ended, and TimeoutExpired is raised.
        """
        line = [str(word) for word in words]
        if user is not None:
            line = ["setpriv", f"--reuid={user}", "--clear-groups", *line]
        done = subprocess.run(
            ["timeout", "-k", "1", str(wait), *line] if "LD_PRELOAD" not in self.environment else line,
            input=stdin,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=wait + 2,
        )
        assert not check or done.returncode == 0, (line, done.returncode, done.stdout, done.stderr)
        return done.stdout + ("" if check else done.stderr)

    def submit(self, *options: object, run: float = 60, width: int = 1, limit: int = 10, user: str = "root") -> int:
        """Submit a job that sleeps `run` seconds with a limit in minutes, and return its number."""
        words = [f"--uid={user}", f"--ntasks={width}", f"--time={limit}", "--output=/dev/null", "--chdir=/"]
        script = f"#!/bin/sh\nexec sleep {run}\n"
        return int(self.call("sbatch", "--parsable", *words, *options, stdin=script).partition(";")[0])

    def show(self, job: object, name: str) -> str:
        """Return a property of a job as `scontrol show job` calls it, such as Priority."""
        words = self.call("scontrol", "-o", "show", "job", job).split()
        return next(word.partition("=")[2] for word in words if word.startswith(f"{name}="))

    def start(self, name: str, *line: object) -> None:
        """Start a daemon in the foreground of the namespace; `line` has the command where it is not known yet."""
        if line:
            self._lines[name] = [str(word) for word in line]
        environment = self.environment
        if name in ("munged", "mariadbd"):  # their clock may be the real one: they are asked by both sides
            environment = {key: value for key, value in environment.items() if key != "LD_PRELOAD"}
        enter = ["nsenter", "-t", str(self._init), "-p", "-m", "--"]
        with (self.folder / "log" / f"{name}.out").open("ab") as out:
            self._daemons[name] = subprocess.Popen(
                [*enter, *self._lines[name]], env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    def stop(self, name: str, kill: bool = False) -> None:
        """End a daemon, and wait for its end."""
        daemon = self._daemons.pop(name)
        children = Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text(encoding="ascii").split()
        for pid in children or [str(daemon.pid)]:  # nsenter waits for its child, the daemon
            os.kill(int(pid), 9 if kill else 15)
        daemon.wait(20)

    def stop_all(self) -> None:
        """Reap what the end of the namespace has ended."""
        for daemon in self._daemons.values():
            daemon.wait(20)

    def wait_until(self, holds: Callable[[], Any], seconds: float = 60.0) -> None:
        """Wait until something holds; after so many seconds of the real clock the test fails, with the logs.

        It is asked at least `LOOKS` times: a machine that stands still for a minute is no fault of Slurm.
        """
        end, looks = time.monotonic() + seconds, 0
        while not holds():
            looks += 1
            if time.monotonic() > end and looks >= LOOKS:
                raise AssertionError(f"Slurm did not get there in {seconds} s; nodes: {self.nodes()}\n{self.logs()}")
            time.sleep(min(0.5, 0.05 * 1.1**looks))  # each look is a process of its own

    def ready(self, nodes: int | None = None) -> bool:
        """Return whether the controller answers, and as many nodes as expected, by default all, are idle."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            idle = self.call("sinfo", "-h", "-t", "idle", "-o", "%D", check=False, wait=30).strip()
            return idle == str(len(self.names) if nodes is None else nodes)
        return False

    def nodes(self) -> str:
        """Return the states of all nodes in a line, such as "n1 idle, n2 idle*"; * is one that does not respond."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return ", ".join(self.call("sinfo", "-h", "-N", "-o", "%N %T", check=False, wait=30).splitlines())
        return "sinfo does not answer"

    def logs(self) -> str:
        """Return the ends of all logs."""
        files = sorted((self.folder / "log").iterdir())
        return "\n".join(f"== {file.name}\n{file.read_text(errors='replace')[-2000:]}" for file in files)


def refusal(accounting: bool = False, fast: bool = False) -> str:
    """Return why no cluster can be started here; "" if one can."""
    if os.getuid() != 0:
        return "it takes root"
    needed = (*DAEMONS, *(ACCOUNTING if accounting else ()), *(("faketime",) if fast else ()))
    missing = [name for name in needed if shutil.which(name, path=PATH) is None]
    if missing:
        return f"missing: {', '.join(missing)} (.ci/run installs the packages)"
    if subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", "true"], capture_output=True, check=False
    ).returncode:
        return "this machine does not allow PID namespaces"
    return ""


@contextmanager
def slurm_cluster(
    nodes: int | Sequence[str] = 4,
    cpus: int = 4,
    settings: Mapping[str, str] | None = None,
    accounting: bool | Sequence[str] = False,
    rate: float = 1,
    date: str = "2026-01-05 00:00:00",
    files: Mapping[str, str] | None = None,
) -> Iterator[SlurmCluster]:
    """Start a cluster, and end it whatever happens; where it cannot be started the test is skipped, loudly.

    Parameters
    ----------
    nodes, cpus
        Virtual nodes n1, n2, ... in the partition main, and processors of each; or a line for each node, such as
        "a1 CPUs=8 RealMemory=16000 Weight=2".
    settings
        Lines of slurm.conf beside or instead of those above; a name may be given as "PartitionName#2" to occur twice.
        Gres is what every node has, such as gpu:2; gres.conf must say so, too. AuthInfo is what follows the socket.
    accounting
        Whether slurmdbd, with a MariaDB of its own, keeps accounts, so that sacct, sacctmgr and sshare answer. Users
        need accounts then: `cluster.call("sacctmgr", "-i", "add", ...)`, or here words for sacctmgr, such as
        "add account physics", that are said before slurmctld starts, as it must be for the QOS of a partition.
    rate
        How much faster than the real one its clock runs; other than 1 it begins at `date` (UTC). From 50 to 200.
    date
        See `rate`.
    files
        Text for other files beside slurm.conf, by their names; it is added to what cgroup.conf and slurmdbd.conf have.
    """
    why = refusal(accounting is not False, rate != 1)
    if why:
        pytest.skip(f"NO SLURM: {why}; nothing was tried on a real Slurm")
    own = dict(settings or {})
    size = f"CPUs={cpus} RealMemory=1000" + (f" Gres={own.pop('Gres')}" if "Gres" in own else "")
    lines = [f"n{number} {size}" for number in range(1, nodes + 1)] if isinstance(nodes, int) else nodes
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    with contextlib.ExitStack() as ends:  # in this order: the namespace, its daemons, the folder
        ends.callback(shutil.rmtree, folder, ignore_errors=True)
        for part in ("etc", "log", "state", "spool", "run", "munge", "mysql"):
            (folder / part).mkdir(mode=0o755)
        folder.chmod(0o755)  # clients of other users read slurm.conf and connect to munge
        (folder / "munge/key").write_bytes(os.urandom(1024))
        (folder / "munge/key").chmod(0o400)
        with _namespace(folder, rate, date) as (environment, init):
            cluster = SlurmCluster(folder, [line.split()[0] for line in lines], environment, init)
            ports = ends.enter_context(_own_ports(len(lines) + 3))
            ends.callback(cluster.stop_all)
            _configure(cluster, lines, own, accounting is not False, rate, ports)
            for name, text in (files or {}).items():
                with (folder / "etc" / name).open("a", encoding="utf-8") as file:
                    file.write(text)
            _start(cluster, accounting)
            yield cluster


@contextmanager
def _namespace(folder: Path, rate: float, date: str) -> Iterator[tuple[dict[str, str], int]]:
    """Open a PID namespace; yield the environment of its clients, and its first process as seen from outside."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "FAKETIME"))}
    environment |= {"PATH": PATH, "SLURM_CONF": str(folder / "etc/slurm.conf")}
    clock: list[str] = []
    if rate != 1:
        environment |= {"TZ": "UTC", "FAKETIME_DONT_RESET": "1"}
        clock = ["faketime", "-f", f"@{date} x{rate:g}"]
    # The first process of the namespace reaps orphans, and ends when the test does, however that ends.
    first = "trap 'exit 0' TERM; echo up; read line; exit 0"
    unshare = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=KILL", "bash", "-c", first]
    process = subprocess.Popen([*clock, *unshare], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"up\n"
        init = _descendant(process.pid, "bash")
        if clock:  # where the clock is that all processes share
            inside = Path(f"/proc/{init}/environ").read_text(encoding="utf-8").split("\0")
            environment |= dict(line.split("=", 1) for line in inside if line.startswith(("FAKETIME", "LD_PRELOAD")))
            for file in _clock_files(environment):
                file.chmod(0o666)  # jobs of all users share it
        yield environment, init
    finally:
        process.stdin.close()  # the first process reads its end, and the kernel ends all others with it
        process.wait(20)
        process.stdout.close()
        for file in _clock_files(environment):  # faketime leaves them if it is killed
            file.unlink(missing_ok=True)


def _clock_files(environment: Mapping[str, str]) -> list[Path]:
    """Return where faketime keeps the clock that processes share."""
    names = [name.removeprefix("/") for name in environment.get("FAKETIME_SHARED", "").split()]
    return [Path("/dev/shm", f"sem.{name}" if "sem" in name else name) for name in names]


def _descendant(pid: int, name: str) -> int:
    """Return the child of a process, or the child's child and so on, that runs a program."""
    while Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip() != name:
        pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])
    return pid


@contextmanager
def _own_ports(count: int) -> Iterator[list[int]]:
    """Yield ports of 127.0.0.1 that are free, below those that the kernel gives to clients.

    A lane of ports is held meanwhile, by a name of the kernel that ends with its holder: other clusters start at the
    same time, and would find the same ports free before anybody listens there.
    """
    lanes = list(range(10_000, 32_000, LANE))
    random.SystemRandom().shuffle(lanes)
    for lane in lanes:
        with socket.socket(socket.AF_UNIX) as held:
            try:
                held.bind(f"\0private slurm, ports from {lane}")
            except OSError:  # another cluster has this lane
                continue
            free = [port for port in range(lane, lane + LANE) if _is_free(port)]
            if len(free) >= count:
                yield free[:count]
                return
    raise AssertionError(f"no {count} ports are free in any of {len(lanes)} lanes of {LANE}")


def _is_free(port: int) -> bool:
    """Return whether nobody listens at a port of 127.0.0.1."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _configure(
    cluster: SlurmCluster,
    nodes: Sequence[str],
    settings: dict[str, str],
    accounting: bool,
    rate: float,
    ports: list[int],
) -> None:
    """Write the configuration; `nodes` has a line for each, and there are three ports more than nodes."""
    d, host = cluster.folder, socket.gethostname().partition(".")[0]
    controller, keeper, database, *ports = ports
    munge = d / "run/munge.sock"
    lines = SETTINGS | (FAST_CLOCK if rate != 1 else {})
    credentials = settings.pop("AuthInfo", "ttl=3600,cred_expire=3600" if rate != 1 else "")
    lines |= {
        "SlurmctldHost": f"{host}(127.0.0.1)",
        "SlurmctldPort": str(controller),
        "AuthInfo": f"socket={munge},{credentials}".rstrip(","),
        "SlurmctldPidFile": f"{d}/run/slurmctld.pid",
        "SlurmdPidFile": f"{d}/run/slurmd.%n.pid",
        "StateSaveLocation": f"{d}/state",
        "SlurmdSpoolDir": f"{d}/spool/%n",
        "SlurmctldLogFile": f"{d}/log/slurmctld.log",
        "SlurmdLogFile": f"{d}/log/slurmd.%n.log",
        "JobCompLoc": f"{d}/jobcomp.log",
    }
    if accounting:
        password = os.urandom(16).hex()
        lines |= {
            "AccountingStorageType": "accounting_storage/slurmdbd",
            "AccountingStorageHost": "localhost",
            "AccountingStoragePort": str(keeper),
            "AccountingStoragePass": str(munge),  # without it clients hang for minutes
        }
        of_keeper = {
            "AuthType": "auth/munge",
            "AuthInfo": str(munge),
            "DbdHost": "localhost",
            "DbdPort": str(keeper),
            "SlurmUser": "root",
            "StorageType": "accounting_storage/mysql",
            "StorageHost": "127.0.0.1",
            "StoragePort": str(database),
            "StorageUser": "slurm",
            "StoragePass": password,
            "StorageLoc": "slurm_acct_db",
            "LogFile": f"{d}/log/slurmdbd.log",
            "PidFile": f"{d}/run/slurmdbd.pid",
        }
        _write(d / "etc/slurmdbd.conf", of_keeper, 0o600)
    for number, (line, port) in enumerate(zip(nodes, ports, strict=True), 1):
        lines[f"NodeName#{number}"] = f"{line} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} State=UNKNOWN"
    lines["PartitionName"] = f"main Nodes={','.join(cluster.names)} Default=YES MaxTime=INFINITE State=UP"
    _write(d / "etc/slurm.conf", lines | settings, 0o644)
    _write(d / "etc/cgroup.conf", {"CgroupPlugin": "cgroup/v1", "CgroupAutomount": "no"}, 0o644)


def _write(path: Path, lines: Mapping[str, str], mode: int) -> None:
    path.write_text("".join(f"{name.partition('#')[0]}={value}\n" for name, value in lines.items()), encoding="utf-8")
    path.chmod(mode)


def _start(cluster: SlurmCluster, accounting: bool | Sequence[str]) -> None:
    """Start the daemons, and wait until all nodes are idle."""
    d = cluster.folder
    munge = d / "run/munge.sock"
    places = {
        "key-file": "munge/key",
        "pid-file": "run/munged.pid",
        "log-file": "log/munged.log",
        "seed-file": "munge/seed",
    }
    options = [f"--{name}={d / place}" for name, place in places.items()]
    cluster.start("munged", "munged", "--foreground", "--force", f"--socket={munge}", "--num-threads=4", *options)
    cluster.wait_until(munge.exists)
    if accounting is not False:
        _start_accounting(cluster)
        for line in () if accounting is True else accounting:
            cluster.call("sacctmgr", "-i", *line.split())
    cluster.start("slurmctld", "slurmctld", "-D")
    for name in cluster.names:
        cluster.start(name, "slurmd", "-D", "-N", name)
    cluster.wait_until(cluster.ready, 180)


def _start_accounting(cluster: SlurmCluster) -> None:
    """Start MariaDB and slurmdbd."""
    d = cluster.folder
    conf = dict(line.split("=", 1) for line in (d / "etc/slurmdbd.conf").read_text(encoding="utf-8").splitlines())
    (d / "mysql-tmp").mkdir()  # in /tmp the temporary tables of two clusters that begin at once have the same names
    for folder in ("mysql", "mysql-tmp"):
        shutil.chown(d / folder, "mysql")
    place = ["--no-defaults", f"--datadir={d}/mysql", f"--tmpdir={d}/mysql-tmp", "--user=mysql"]
    cluster.call("mariadb-install-db", *place, "--auth-root-authentication-method=normal", "--skip-test-db", wait=60)
    sizes = ["--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=0", "--innodb-lock-wait-timeout=900"]
    address = [f"--socket={d}/mysql/socket", "--bind-address=127.0.0.1", f"--port={conf['StoragePort']}"]
    cluster.start("mariadbd", "mariadbd", *place, *address, *sizes)
    ask = ["mariadb", "--no-defaults", "-S", d / "mysql/socket"]
    cluster.wait_until(lambda: cluster.call(*ask, "-Ne", "select 1", check=False) == "1\n", 60)
    user = f"'slurm'@'127.0.0.1' identified by '{conf['StoragePass']}'"
    cluster.call(*ask, "-e", f"create user {user}; grant all on slurm_acct_db.* to 'slurm'@'127.0.0.1'")
    cluster.start("slurmdbd", "slurmdbd", "-D")
    # munge's socket is there, so that clients that come too early end at once
    cluster.wait_until(lambda: "loop" in cluster.call("sacctmgr", "-i", "add", "cluster", "loop", check=False), 60)
