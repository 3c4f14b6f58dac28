"""Scenes that a real Slurm played: what was asked and what it did, as the naive machine and jobs; how far both agree.

A scene is a JSON file with lines of slurm.conf and options of sbatch.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from paretosched import Requests
from paretosched.policies.slurm_accounts import Accounts, read_accounts
from paretosched.workload.host_lists import node_names
from paretosched.workload.machine_slurm import preempt_mode, read_slurm_machine
from paretosched.workload.sbatch_options import read_options
from support.naive_machine import After, Amount, Busy, Down, Job, Machine, Preemption, Reservation, natural
from support.naive_rhythms import Rhythm, slurm_lives
from support.naive_values import ask_of, naive_machine

SLURM = Path(os.environ.get("PARETOSCHED_SLURM") or os.devnull)  # which is no folder
SLURM_MISSING = "NO SCENES: set PARETOSCHED_SLURM to the folder whose `recorded` has scenes that a real Slurm played"
SECONDS = 60  # so far a start may be from the recorded one: the recorded clock was up to 30 s late
# What the slurmctld that played them had beside what a scene says; it ran from 15 s before second 0, and its backfill
# passes came at multiples of bf_interval since then, 10 s late.
OVER_TIME_LIMIT, KILL_WAIT = "60", "3600"
EPOCH, BF_FIRST = 15, -5
FOR_EVER = 10**9
USUAL_QOS = "normal"
LIMIT = re.compile(r"error: (QOS|Assoc|Max)\w+")  # why a job was refused


def hosts_in(hosts: str) -> list[str]:
    """Return the names in a list of hosts."""
    return list(node_names(hosts, "a scene"))


class Started(NamedTuple):
    """A start that was recorded or simulated: the job's name, when, and where."""

    name: str
    second: int
    nodes: tuple[str, ...]
    cpus: tuple[int, ...] = ()


def scenes(folder: Path) -> list[dict[str, Any]]:
    """Return all recorded scenes of a folder, in the order of their names."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def machine_in(scene: Mapping[str, Any], partitions: Sequence[str] = ()) -> Machine:
    """Return the machine of a scene, with other `partitions` if there are some; the leaves are not part of it."""
    conf = {"SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core_Memory"} | scene["conf"]
    lines = [f"{key}={value}" for key, value in conf.items()]
    lines += [f"NodeName={line}" for line in scene["nodes"]]
    everywhere = f"main Nodes={','.join(line.split()[0] for line in scene['nodes'])}"
    of_scene = [line for line in partitions or scene["partitions"] if line != "main: all nodes"] or [everywhere]
    lines += [f"PartitionName={line}" for line in of_scene]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "slurm.conf"
        path.write_text("\n".join(lines) + "\n")
        machine = naive_machine(read_slurm_machine(path), 0)
    names = [node.name for node in machine.nodes]
    return with_accounts(machine, scene["accounts"])._replace(
        run_minutes_first=-EPOCH,
        reservations=tuple(reservations_in(scene, names)),
        forgives=False,
        kill_invalid="kill_invalid_depend" in conf.get("DependencyParameters", ""),
        preemption=preemption_in(scene),
    )


def preemption_in(scene: Mapping[str, Any]) -> Preemption | None:
    """Return the rules of preemption of a scene."""
    conf = scene["conf"]
    if "PreemptType" not in conf:
        return None
    kind = conf["PreemptType"].partition("/")[2]
    named = [line.split() for line in scene["partitions"]]
    if kind == "qos":
        named = [line.split()[2:] for line in scene["accounts"] if line.startswith("add qos")]
    values = {name: dict(word.split("=", 1) for word in words) for name, *words in named}
    hours, minutes, seconds = map(int, conf.get("PreemptExemptTime", "0:0:0").split(":"))
    return Preemption(
        kind,
        preempt_mode(conf["PreemptMode"]),
        {name: preempt_mode(given["PreemptMode"]) for name, given in values.items() if "PreemptMode" in given},
        {name: int(given["GraceTime"]) for name, given in values.items() if "GraceTime" in given},
        {name: frozenset(given["Preempt"].split(",")) for name, given in values.items() if "Preempt" in given},
        3600 * hours + 60 * minutes + seconds,
        "preempt_youngest_first" in scene["SchedulerParameters"],
        {name: int(given.get("Priority", 0)) for name, given in values.items()} if kind == "qos" else {},
        {name: 60 * int(each["PreemptExemptTime"]) for name, each in values.items() if "PreemptExemptTime" in each},
    )


def with_accounts(machine: Machine, commands: Sequence[str]) -> Machine:
    """Return a machine with the limits, accounts and flags of QOS that commands of sacctmgr give."""
    given = accounts_of(commands)
    matches = [re.match(r"(?:add|modify) qos (\w+) .*flags=(\S+)", line, re.IGNORECASE) for line in commands]
    return machine._replace(
        limits=given.limits,
        parents={one.account: one.within for one in given.associations if not one.user},
        flags={match[1]: frozenset(match[2].split(",")) for match in matches if match is not None},
    )


def accounts_of(commands: Sequence[str]) -> Accounts:
    """Return the accounts, users, QOS and limits that commands of sacctmgr give."""
    if not commands:
        return Accounts((), None, 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "accounts"
        path.write_text("\n".join(commands) + "\n")
        return read_accounts(path, "")


def reservations_in(scene: Mapping[str, Any], names: Sequence[str]) -> Iterator[Reservation]:
    """Yield the reservations that commands create, before a scene in second 0, on some of the machine's nodes.

    They begin when `scontrol show res` said that they would, where it was asked.
    """
    told = re.findall(r"ReservationName=(\S+) StartTime=(\S+)", scene.get("texts", {}).get("reservations", ""))
    shown = {name: round(datetime.fromisoformat(f"{start}+00:00").timestamp()) - scene["zero"] for name, start in told}
    given = [(0, line) for line in scene["before"]] + [(c["second"], c["command"]) for c in scene["commands"]]
    for second, line in given:
        if not line.startswith("scontrol create reservation"):
            continue
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        minutes = re.fullmatch(r"now(?:\+(\d+)minutes)?", words["StartTime"])
        assert minutes is not None
        begin = shown.get(words["ReservationName"], second + 60 * int(minutes[1] or 0))
        hosts = words.get("Nodes", "ALL")
        nodes = sorted(names if hosts == "ALL" else hosts_in(hosts), key=natural)
        nodes = nodes[: int(words.get("NodeCnt", len(nodes)))]
        cpus = {}
        if "CoreCnt" in words:  # the first cores
            nodes, cpus = nodes[:1], {nodes[0]: int(words["CoreCnt"])}
        end = begin + 60 * int(words["Duration"])
        flex = "FLEX" in words.get("Flags", "").split(",")
        yield Reservation(words["ReservationName"], begin, end, frozenset(nodes), cpus, flex)


def changes_in(scene: Mapping[str, Any]) -> dict[int, Machine]:
    """Return the machine from the seconds on in which a command changes a partition or limit, or drains nodes."""
    partitions, down = list(scene["partitions"]), ()
    changes = {}
    accounts = list(scene["accounts"])
    for command in scene["commands"]:
        part = re.fullmatch(r"scontrol update PartitionName=(\w+) (\w+=\S+)", command["command"])
        drain = re.match(r"scontrol update NodeName=(\S+) State=DRAIN", command["command"])
        if part is not None:
            partitions = [f"{line} {part[2]}" if line.split()[0] == part[1] else line for line in partitions]
        if drain is not None:
            down = (*down, Down(command["second"], scene["until"], frozenset(hosts_in(drain[1]))))
        if limit := re.fullmatch(r"sacctmgr -i (modify .*)", command["command"]):
            accounts.append(limit[1])
        if part or drain or limit:
            machine = machine_in(scene | {"accounts": accounts}, partitions)
            changes[command["second"]] = machine._replace(down=down)
    return changes


def failures_in(scene: Mapping[str, Any]) -> dict[int, frozenset[str]]:
    """Return the nodes that lose their jobs in the seconds in which a command says that they are down.

    They are back at once: their daemon lives, and ReturnToService was 2.
    """
    lines = [(one["second"], re.match(r"scontrol update NodeName=(\S+) State=DOWN", one["command"]))
             for one in scene["commands"]]  # fmt: skip
    return {second: frozenset(hosts_in(match[1])) for second, match in lines if match is not None}


def job_of(row: int, arrival: int, run: int, options: str, priority: int = 1) -> Job:
    """Return a job of what sbatch was told; options that are not of its request are known here."""
    asked = read_options(re.sub(r"{\w+}", "1", options))  # dependencies name jobs in braces
    ask = ask_of(Requests(**{key: [value] for key, value in ({"tasks": 1} | dict(asked.values)).items()}), 0)
    user = option("uid", options) or "root"
    parts = tuple(name for name in str(asked.values.get("partition", "")).split(",") if name)
    account, qos, reservation = (str(asked.values.get(word, "")) for word in ("account", "qos", "reservation"))
    of_groups = {"account": account, "qos": qos, "reservation": reservation}
    return Job(row, arrival, run, asked.limit or None, ask, parts, priority, user, **of_groups)


def option(word: str, options: str) -> str:
    """Return the value of a long option of sbatch, the last one if it is there several times; "" if it is not."""
    return next((p.partition("=")[2] for p in reversed(options.split()) if p.startswith(f"--{word}=")), "")


def jobs_in(scene: Mapping[str, Any]) -> dict[str, Job]:
    """Return the jobs of a scene by name, each task of an array by itself, from when Slurm had them.

    They run as long as was recorded if they ended by themselves or were cancelled. Jobs that limits refused are there,
    too.
    """
    account_of = {one.user: one.account for one in accounts_of(scene["accounts"]).associations if one.user}
    jobs: dict[str, Job] = {}
    for number, job in enumerate(scene["jobs"]):
        if not (job["number"] or LIMIT.search(job["refused"])):
            continue
        waits_again = any(life.get("state") in ("PREEMPTED", "NODE_FAIL") for life in job.get("lives", ()))
        told = job["asked_second"] if waits_again else job.get("submit", job["asked_second"])
        arrival = submitted = max(0, told)
        if begin := re.fullmatch(r"now\+(\d+)", option("begin", job["options"])):
            arrival += int(begin[1])
        if "-H" in job["options"].split():
            arrival = job["eligible"]
        indices, most = tasks_of(option("array", job["options"]))
        for index in indices:
            name = job["name"] if index is None else f"{job['name']}_{index}"
            lives = [life for life in job["lives"] if life.get("task") == index] if job["number"] else []
            runs = [time_run(life) for life in lives if life.get("state") == "COMPLETED"]
            cancelled = [
                life["end"] - life["start"]
                for life in lives
                if life.get("state") == "CANCELLED" and life["end"] < scene["until"]
            ]
            run = [*runs, *cancelled, job["run"]][0]
            one = job_of(len(jobs), arrival, run, job["options"], int(job.get("priority") or 1) or 1)
            jobs[name] = one._replace(
                submitted=submitted,
                fails=bool(cancelled),
                requeue="--no-requeue" not in job["options"].split(),
                stays="--kill-on-invalid-dep=no" in job["options"].split(),
                array=None if index is None else (number, index, most),
                account=one.account or account_of.get(one.user, ""),
                qos=one.qos or (USUAL_QOS if scene["accounts"] else ""),
            )
    return {name: with_dependency(scene, name, job, jobs) for name, job in jobs.items()}


def time_run(life: Mapping[str, Any]) -> int:
    """Return for how long a job ran in a life, s, without the times in which it was suspended."""
    stops = life.get("suspended", ())
    return int(life["end"] - life["start"] - sum(b - a for a, b in zip(stops[::2], stops[1::2], strict=False)))


def tasks_of(array: str) -> tuple[list[int | None], int]:
    """Return the indices of --array, None for the one job without it, and how many may run at once, 0 for any."""
    if not array:
        return [None], 0
    parts, _, most = array.partition("%")
    indices: set[int] = set()
    for part in parts.split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        indices |= set(range(int(first), int(last or first) + 1, int(step or 1)))
    return [*sorted(indices)], int(most or 0)


def with_dependency(scene: Mapping[str, Any], name: str, job: Job, jobs: Mapping[str, Job]) -> Job:
    """Return a job with what its --dependency says: on jobs {NAME}, tasks {NAME}_1, or after {NAME}+MINUTES."""
    told = {one["name"]: one["options"] for one in scene["jobs"]}
    told |= {key: told[key.rpartition("_")[0]] for key, other in jobs.items() if other.array is not None}
    mine = told[name if job.array is None else name.rpartition("_")[0]]
    text = option("dependency", mine)
    after: list[After] = []
    for part in re.split(r"[,?]", text) if text else ():
        kind, *others = part.split(":")
        if kind == "singleton":
            base = {key: key if other.array is None else key.rpartition("_")[0] for key, other in jobs.items()}
            same = {key: (option("job-name", told[key]) or base[key], other.user) for key, other in jobs.items()}
            rows = [other.row for key, other in jobs.items() if other.row < job.row and same[key] == same[name]]
            after.append(After(kind, tuple(rows)))
        for other in others:
            match = re.fullmatch(r"{(\w+)}(_\d+)?(?:\+(\d+))?", other)
            assert match is not None
            wanted = match[1] + (match[2] or "")
            rows = [o.row for key, o in jobs.items() if key == wanted or (o.array and key.rpartition("_")[0] == wanted)]
            after.append(After(kind, tuple(rows), 60 * int(match[3] or 0)))
    return job._replace(after=tuple(after), any_of="?" in text)


def rhythm_in(scene: Mapping[str, Any]) -> Rhythm:
    """Return the rhythm that a scene's SchedulerParameters give."""
    words = scene["SchedulerParameters"]
    unit = {"bf_window": 60}
    names = {"default_queue_depth": "queue_depth"} | {name: name for name in Rhythm._fields if name in words}
    given = {
        field: words[name] is None or int(words[name]) * unit.get(name, 1)
        for name, field in names.items()
        if name in words
    }
    conf = scene["conf"]
    over = int(conf.get("OverTimeLimit", OVER_TIME_LIMIT)) * 60
    wait = int(conf.get("KillWait", KILL_WAIT))
    given["bf_seconds"] = tuple(scene["backfill"]) if "texts" in scene else ()
    return Rhythm(**given, epoch=EPOCH, bf_first=BF_FIRST, over_time_limit=over, kill_wait=wait)  # type: ignore[arg-type]


def recorded_starts(scene: Mapping[str, Any]) -> list[Started]:
    """Return the recorded starts, in their order."""
    found = []
    for job in scene["jobs"]:
        before: list[str] = []
        for life in job.get("lives", ()):
            cpus: dict[str, int] = {}
            for part in life.get("detail", ()):
                cpus |= dict.fromkeys(hosts_in(part["nodes"]), len(hosts_in(f"cpu[{part['cpus']}]")))
            nodes = tuple(sorted(hosts_in(life["nodes"])))
            name = f"{job['name']}_{life['task']}" if "task" in life else job["name"]
            told = name_of_life(name, before)
            found.append(Started(told, life["start"], nodes, tuple(cpus[node] for node in nodes) if cpus else ()))
            before.append(name)
    return sorted(found, key=lambda start: start.second)


def recorded_runs(scene: Mapping[str, Any]) -> list[Busy]:
    """Return what jobs held in each of their recorded lives; one that had not ended is there for ever."""
    jobs, parts = jobs_in(scene), machine_in(scene).partitions
    runs = []
    for job in scene["jobs"]:
        for life in job["lives"]:
            one = jobs[f"{job['name']}_{life['task']}" if "task" in life else job["name"]]
            held = {}
            for part in life["detail"]:
                gpus = re.findall(r"gpu(?::(\w+))?:(\d+)", part["gres"])
                amount = Amount(
                    len(hosts_in(f"cpu[{part['cpus']}]")), part["mem"], {k or "gpu": int(n) for k, n in gpus}
                )
                held |= dict.fromkeys(hosts_in(part["nodes"]), amount)
            partition = (one.partitions or (next(iter(parts)),))[0]
            runs.append(Busy(one, life["start"], life.get("end", FOR_EVER), partition, held))
    return runs


def simulated_starts(scene: Mapping[str, Any], leaves: tuple[tuple[str, ...], ...] = ()) -> list[Started]:
    """Return the starts of the naive machine in Slurm's rhythm until the scene ends, in their order."""
    jobs = jobs_in(scene)
    names = {job.row: name for name, job in jobs.items()}
    machine = machine_in(scene)._replace(leaves=leaves)
    lives = slurm_lives(
        machine, list(jobs.values()), rhythm_in(scene), changes=changes_in(scene), failures=failures_in(scene)
    )
    starts, before = [], []
    for run in sorted(lives, key=lambda run: run.begin):
        if run.begin < scene["until"]:
            starts.append(started_as(name_of_life(names[run.job.row], before), run))
            before.append(names[run.job.row])
    return starts


def name_of_life(name: str, before: Sequence[str]) -> str:
    """Return the name of a job that starts, with a number if it has started before."""
    return f"{name} {before.count(name) + 1}" if name in before else name


def started_as(name: str, run: Busy) -> Started:
    """Return a simulated start."""
    nodes = tuple(sorted(run.held))
    return Started(name, run.begin, nodes, tuple(run.held[node].cpus for node in nodes))


def differences(recorded: Sequence[Started], simulated: Sequence[Started]) -> list[str]:
    """Return in words where two lists of starts differ: who starts, on which nodes, when, and in which order.

    Two jobs that one of the lists starts within a second of each other have no order.
    """
    ours, theirs = ({start.name: start for start in starts} for starts in (simulated, recorded))
    faults = [f"{name} starts in one of the two only" for name in sorted(set(ours) ^ set(theirs))]
    both = [name for name in theirs if name in ours]
    for name in both:
        if ours[name].nodes != theirs[name].nodes:
            faults.append(f"{name} is on {ours[name].nodes}, and not on {theirs[name].nodes}")
        elif theirs[name].cpus and ours[name].cpus != theirs[name].cpus:
            faults.append(f"{name} has {ours[name].cpus} CPUs of {ours[name].nodes}, and not {theirs[name].cpus}")
        if abs(ours[name].second - theirs[name].second) > SECONDS:
            faults.append(f"{name} starts at {ours[name].second}, and not at {theirs[name].second}")
    for i, name in enumerate(both):
        for other in both[i + 1 :]:
            apart = theirs[other].second - theirs[name].second, ours[other].second - ours[name].second
            if min(abs(apart[0]), abs(apart[1])) > 1 and apart[0] * apart[1] < 0:
                faults.append(f"{name} and {other} start in another order")
    return faults
