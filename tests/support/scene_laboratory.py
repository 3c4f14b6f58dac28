"""Play scenes on a real slurmctld, with a clock that is faster, and record what it did.

    PYTHONPATH=tests python -m support.scene_laboratory FOLDER [SCENE.json ...]

writes FOLDER/SCENE.json for each scene, by default for all of tests/data/slurm_limit_scenes. A scene is a record of
one, which is asked for again; a new one needs only what is asked for:

    about               one sentence
    nodes, partitions   lines of slurm.conf without NodeName= and PartitionName=; ["main: all nodes"] is a partition
    conf                other lines of slurm.conf beside or instead of CONF, and of SETTINGS and FAST_CLOCK of clusters
    SchedulerParameters words and values (null: none)
    accounts            words for sacctmgr; with none there is no slurmdbd
    before, commands    words for any client, in front of the jobs, and each with its second
    rate                how much faster the clock is
    until               second in which the scene ends
    jobs                name, asked_second, run (seconds), options (of sbatch); {NAME} is the number of a job

Seconds count from the opening of the partitions: they are down until all jobs of second 0 are in the queue. What is
recorded has beside them:

    zero        Unix time of second 0, to which the times in `texts` refer
    began       second in which slurmctld started
    backfill    seconds in which a backfill pass began
    preempted   [second, name of the victim, what was done to it, for which job]
    texts       what `sacctmgr show qos -P`, `sacctmgr show assoc -P`, `scontrol show res -o` printed at second 0
    commands    with what they printed
    jobs        with number or refused; submit, eligible and priority at the end; lives, each with start, end and state
                where it had ended, nodes, CPUs and GPUs, by (main or backfill pass), task (of an array), suspended
                (seconds); over, for ends without a start; waited_for, with second, reason, planned start and nodes
"""

import calendar
import json
import re
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.slurm_cluster import SlurmCluster, slurm_cluster

SCENES = Path(__file__).parents[1] / "data" / "slurm_limit_scenes"
RATE = 60  # of scenes that do not say how fast their clock was
# What slurmctld is told beside the lines of a scene.
CONF = {
    "SelectTypeParameters": "CR_Core_Memory",
    "GresTypes": "gpu",
    "MinJobAge": "10000000",
    "DebugFlags": "Backfill,Gang",
    "LogTimeFormat": "iso8601_ms",
    "SlurmctldDebug": "info",
}
BOOKS = {"AccountingStorageEnforce": "associations,limits,qos", "AccountingStorageTRES": "gres/gpu"}
DEVICES = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "kmsg")]
LOOK = 0.25  # seconds of the real clock from one look at all jobs to the next
MOST_REASONS = 40
STEP = 20  # seconds that a job sleeps at once where jobs are suspended: a sleep goes on while its job is
GATE = "PartitionDown"  # why all jobs wait until the first pass
STARTED = re.compile(r"sched: Allocate JobId=(\S+) NodeList=(\S+)|backfill: \S* ?Started JobId=(\S+) in \S+ on (\S+)")
STOPPED = re.compile(r"gang: (suspending|resuming) JobId=(\d+)")
PREEMPTED = re.compile(r"preempted JobId=(\S+) has been (\w+).*? (?:for|of) JobId=(\S+)")
TEXTS = {
    "qos": ("sacctmgr", "show", "qos", "-P"),
    "assoc": ("sacctmgr", "show", "assoc", "-P"),
    "reservations": ("scontrol", "show", "res", "-o"),
}


class Clock:
    """The clock of a cluster, in seconds since the partitions were opened."""

    def __init__(self, cluster: SlurmCluster, rate: float) -> None:
        self._rate = rate
        self._real = time.monotonic()
        self._unix = float(cluster.call("date", "+%s.%N"))
        self.zero = self._unix

    def unix(self) -> float:
        """Return the time of the cluster."""
        return self._unix + self._rate * (time.monotonic() - self._real)

    def second(self, unix: float | None = None) -> int:
        """Return the second of a Unix time, by default of now."""
        return round((self.unix() if unix is None else unix) - self.zero)

    def wait(self, second: float) -> None:
        """Wait until a second, but at most until the next look at the jobs."""
        time.sleep(max(0.0, min(LOOK, (second + self.zero - self.unix()) / self._rate)))


class Notes:
    """What was seen of the jobs while a scene was played, by their numbers."""

    def __init__(self) -> None:
        self.details: dict[tuple[int, int], list[dict[str, Any]]] = {}
        self.reasons: dict[int, list[list[Any]]] = {}
        self.last: dict[int, dict[str, str]] = {}

    def look(self, cluster: SlurmCluster, clock: Clock) -> None:
        """Note what jobs hold, and why they wait."""
        for line in cluster.call("scontrol", "-d", "-o", "show", "job", check=False).splitlines():
            job = dict(re.findall(r"(\w[\w/:]*)=(\S*)", line))
            if "JobId" not in job:
                continue
            number = int(job["JobId"])
            self.last[number] = job
            start = job["StartTime"]
            if job["JobState"] == "PENDING":
                planned = clock.second(int(start)) if start.isdigit() else None
                item = [job["Reason"], planned, job.get("SchedNodeList", "")]
                seen = self.reasons.setdefault(number, [])
                if job["Reason"] != GATE and (not seen or seen[-1][1:] != item):
                    seen.append([clock.second(), *item])
            elif start.isdigit():
                parts = re.findall(r"Nodes=(\S+) CPU_IDs=(\S+) Mem=(\d+) GRES=(\S*)", line)
                held = [{"nodes": n, "cpus": c, "mem": int(m), "gres": g} for n, c, m, g in parts]
                if held:
                    self.details.setdefault((number, int(start)), held)


def settings_of(scene: Mapping[str, Any]) -> dict[str, str]:
    """Return the lines of slurm.conf of a scene."""
    words = scene["SchedulerParameters"].items()
    parameters = ",".join(name if value is None else f"{name}={value}" for name, value in words if value != "-")
    lines: dict[str, str] = (
        CONF | {"SchedulerParameters": parameters} | (BOOKS if scene["accounts"] else {}) | scene["conf"]
    )
    named = [line for line in scene["partitions"] if line != "main: all nodes"]
    for number, line in enumerate(named):
        lines[f"PartitionName#{number}" if number else "PartitionName"] = f"{line} State=UP"
    return lines


def devices_of(scene: Mapping[str, Any]) -> str:
    """Return the lines of gres.conf of a scene: slurmd counts files, whatever they are."""
    text = "AutoDetect=off\n"
    for line in scene["nodes"]:
        taken = 0
        for kind, count in re.findall(r"gpu:(?:([a-z]\w*):)?(\d+)", line):
            files = DEVICES[taken : taken + int(count)]
            taken += int(count)
            text += f"NodeName={line.split()[0]} Name=gpu {f'Type={kind} ' if kind else ''}File={','.join(files)}\n"
    return text


def play(scene: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a scene; `scene` is what it asks for, or an earlier record."""
    rate = scene.get("rate", RATE)
    early = [line for line in scene["accounts"] if "gres" not in line]
    late = [line for line in scene["accounts"] if "gres" in line]  # slurmdbd has GPUs once slurmctld has come
    place = {"gres.conf": devices_of(scene)}
    nodes, settings = scene["nodes"], settings_of(scene)
    with slurm_cluster(nodes, settings=settings, accounting=early or False, rate=rate, files=place) as cluster:
        cluster.environment["SLURM_TIME_FORMAT"] = "%s"
        for line in late:
            cluster.call("sacctmgr", "-i", *shlex.split(line))
        for line in scene["before"]:
            cluster.call(*shlex.split(line))
        _set_partitions(cluster, scene, "DOWN")
        texts = {}
        for name, words in TEXTS.items():
            there = scene["accounts"] or name == "reservations"
            texts[name] = cluster.call("env", "-u", "SLURM_TIME_FORMAT", *words) if there else ""
        step = STEP if "SUSPEND" in scene["conf"].get("PreemptMode", "") else scene["until"]
        clock, notes = Clock(cluster, rate), Notes()
        jobs = {job["name"]: _request_of(job) for job in scene["jobs"]}
        for job in jobs.values():
            if job["asked_second"] == 0:
                _submit(cluster, job, jobs, step)
        clock.zero = clock.unix()
        _set_partitions(cluster, scene, "UP")
        said = _act(cluster, scene, clock, notes, jobs, step)
        log = (cluster.folder / "log/slurmctld.log").read_text(encoding="utf-8", errors="replace")
        file = cluster.folder / "jobcomp.log"
        ended = file.read_text(encoding="utf-8") if file.exists() else ""
    _note_lives(jobs, log, ended, clock, notes)
    names = {job["number"]: name for name, job in jobs.items() if "number" in job}
    return {
        "about": scene["about"],
        "slurm": "22.05.8",
        "rate": rate,
        "nodes": scene["nodes"],
        "partitions": scene["partitions"],
        "conf": scene["conf"],
        "SchedulerParameters": scene["SchedulerParameters"],
        "accounts": [*early, *late],
        "gate": True,
        "before": scene["before"],
        "commands": said,
        "until": scene["until"],
        "zero": round(clock.zero),
        "began": min(clock.second(unix) for unix, line in _lines(log) if "started on cluster" in line),
        "backfill": [clock.second(unix) for unix, line in _lines(log) if "backfill: beginning" in line],
        "preempted": _preemptions(log, clock, names),
        "texts": texts,
        "jobs": list(jobs.values()),
    }


def _set_partitions(cluster: SlurmCluster, scene: Mapping[str, Any], state: str) -> None:
    """Open or close all partitions, within a moment."""
    names = [line.partition(" ")[0].removesuffix(":") for line in scene["partitions"]]
    cluster.call("scontrol", stdin="".join(f"update PartitionName={name} State={state}\n" for name in names))


def _request_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job asks for, for its record."""
    return {name: job[name] for name in ("name", "asked_second", "run", "options")}


def _submit(cluster: SlurmCluster, job: dict[str, Any], jobs: Mapping[str, Mapping[str, Any]], step: int) -> None:
    """Submit a job that sleeps so many seconds at once, and note its number or why it was refused."""
    words = shlex.split(_with_numbers(job["options"], jobs))
    place = [f"--job-name={job['name']}", "--output=/dev/null", "--chdir=/"]
    sleeps = [step] * (job["run"] // step) + [job["run"] % step]
    script = f"#!/bin/sh\nfor n in {' '.join(map(str, sleeps))}; do sleep $n; done\n"
    answer = cluster.call("sbatch", "--parsable", *place, *words, stdin=script, check=False, wait=60).strip()
    if answer.split(";")[0].isdigit():
        job["number"] = int(answer.split(";")[0])
    else:
        job["number"], job["refused"] = None, answer


def _with_numbers(words: str, jobs: Mapping[str, Mapping[str, Any]]) -> str:
    """Return words in which {NAME} is the number of a job."""
    return re.sub(r"\{(\w+)\}", lambda name: str(jobs[name[1]]["number"]), words)


def _act(
    cluster: SlurmCluster,
    scene: Mapping[str, Any],
    clock: Clock,
    notes: Notes,
    jobs: Mapping[str, dict[str, Any]],
    step: int,
) -> list[dict[str, Any]]:
    """Submit the jobs after second 0 and give the commands when their time has come; return these and their answers."""
    acts: list[tuple[int, dict[str, Any]]] = [(c["second"], c) for c in scene["commands"]]
    acts += [(job["asked_second"], job) for job in jobs.values() if job["asked_second"] > 0]
    acts.sort(key=lambda act: act[0])
    said = []
    while clock.second() < scene["until"]:
        while acts and clock.second() >= acts[0][0]:
            second, act = acts.pop(0)
            if "command" in act:
                printed = cluster.call(*shlex.split(_with_numbers(act["command"], jobs)), check=False, wait=60).strip()
                said.append({"second": second, "command": act["command"], "printed": printed})
            else:
                _submit(cluster, act, jobs, step)
        notes.look(cluster, clock)
        clock.wait(acts[0][0] if acts else scene["until"])
    return said


def _lines(log: str) -> Iterator[tuple[float, str]]:
    """Yield the Unix times and the lines of a log."""
    for line in log.splitlines():
        if match := re.match(r"\[(\d\S+?)(\.\d+)?\] (.*)", line):
            yield calendar.timegm(time.strptime(match[1], "%Y-%m-%dT%H:%M:%S")) + float(match[2] or 0), match[3]


def _preemptions(log: str, clock: Clock, names: Mapping[int, str]) -> list[list[Any]]:
    """Return the second, victim, what happened to it, and for whom, of all preemptions."""
    found = []
    for unix, line in _lines(log):
        if match := PREEMPTED.search(line):
            victim, other = (_name(number, names) for number in (match[1], match[3]))
            found.append([clock.second(unix), victim, match[2], other])
    return found


def _name(number: str, names: Mapping[int, str]) -> str:
    """Return the name of a job, and the task of an array behind it, for a number such as 7_2(9)."""
    array, _, task = number.partition("(")[0].partition("_")
    if not array.isdigit():  # whose job it was for is not known any more
        return ""
    return names.get(int(array), array) + (f"_{task}" if task else "")


def _note_lives(jobs: Mapping[str, dict[str, Any]], log: str, ended: str, clock: Clock, notes: Notes) -> None:
    """Note when jobs started and ended, where, by which pass, and for what they waited."""
    ends: dict[int, list[dict[str, str]]] = {}
    for line in ended.splitlines():
        end = dict(re.findall(r"(\w+)=(\S*)", line))
        ends.setdefault(int(end["JobId"]), []).append(end)
    by_number = {job["number"]: job for job in jobs.values() if job.get("number")}
    for job in jobs.values():
        job["lives"] = []
    stops = _stops(log)
    for unix, line in _lines(log):
        match = STARTED.search(line)
        parts = re.match(r"(\d+)(?:_(\d+))?(?:\((\d+)\))?", match[1] or match[3]) if match else None
        if match is None or parts is None or int(parts[1]) not in by_number:
            continue
        own = int(parts[3] or parts[1])
        by, nodes = ("main", match[2]) if match[1] else ("backfill", match[4])
        life: dict[str, Any] = {"start": clock.second(unix), "by": by, "nodes": nodes}
        if parts[2]:
            life["task"] = int(parts[2])
        for (number, start), held in notes.details.items():
            if number == own and abs(start - unix) < 3:
                life["detail"] = held
        mine = [end for end in ends.get(own, []) if abs(_unix(end["StartTime"]) - unix) < 3]
        until = clock.unix()
        if mine:
            ends[own].remove(mine[0])
            until = _unix(mine[0]["EndTime"])
            life["end"], life["state"] = clock.second(until), mine[0]["JobState"]
        if stopped := [clock.second(t) for t in stops.get(own, []) if unix < t <= until]:
            life["suspended"] = stopped
        by_number[int(parts[1])]["lives"].append(life)
    for number, job in by_number.items():
        if rest := ends.get(number):
            job["over"] = [[clock.second(_unix(end["EndTime"])), end["JobState"]] for end in rest]
        last = notes.last[number]
        for name, key in (("submit", "SubmitTime"), ("eligible", "EligibleTime")):
            if last[key].isdigit():
                job[name] = clock.second(int(last[key]))
        job["priority"] = last["Priority"]
        job["waited_for"] = notes.reasons.get(number, [])[:MOST_REASONS]


def _stops(log: str) -> dict[int, list[float]]:
    """Return the Unix times at which jobs were suspended and resumed, in turns, by their numbers."""
    found: dict[int, list[float]] = {}
    for unix, line in _lines(log):
        if match := STOPPED.search(line):
            found.setdefault(int(match[2]), []).append(unix)
    return found


def _unix(text: str) -> float:
    """Return a time of jobcomp.log, UTC, in Unix seconds; 0 if it is none."""
    return float(calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))) if text[:1].isdigit() else 0.0


def to_text(record: Mapping[str, Any]) -> str:
    """Return a record as JSON with a line for each job."""
    rows = ",\n".join(f"  {json.dumps(job)}" for job in record["jobs"])
    rest = {name: value for name, value in record.items() if name != "jobs"}
    return json.dumps(rest, indent=1)[:-2] + f',\n "jobs": [\n{rows}\n ]\n}}\n'


def main(folder: Path, files: Sequence[Path]) -> None:
    """Play scenes, and write their records."""
    folder.mkdir(exist_ok=True)
    for path in files or sorted(SCENES.glob("*.json")):
        record = play(json.loads(path.read_text(encoding="utf-8")))
        (folder / path.name).write_text(to_text({"scene": path.stem} | record), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
