"""Recorded scenes about limits, dependencies, reservations and preemption have what a simulation of them needs."""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched import Workload, load_log, simulate
from support.commands import command
from support.naive_limits import held_by
from support.naive_machine import partitions_of
from support.naive_rhythms import slurm_lives
from support.naive_suspension import time_stopped
from support.placing import as_runs
from support.recorded_scenes import (
    SECONDS,
    SLURM,
    SLURM_MISSING,
    Started,
    changes_in,
    differences,
    hosts_in,
    jobs_in,
    machine_in,
    recorded_runs,
    recorded_starts,
    reservations_in,
    rhythm_in,
    scenes,
    simulated_starts,
)
from support.scene_laboratory import SCENES, devices_of, play, settings_of, to_text

RECORDED = {scene["scene"]: scene for scene in scenes(SCENES)}
MOST_BYTES = 700_000
ENDING = "a job had just ended on the node that would be chosen, and the pass that followed at once left it out"
CLOCK = "README: this was not the same in all plays of the scene"
EXCEPTIONS = {  # scenes that the oracle plays otherwise: the first job that differs, and why
    "account_tree": ("A4", CLOCK),
    "array_chains": ("Y_2", ENDING),
    "arrays_under_limits": ("W_3", ENDING),
    "dependencies_and_reservation": (
        "K_3",
        "G names n1, which is reserved before its end; the main pass takes n1 away from those behind it all the same",
    ),
    "every_hour": ("E", "HOURLY: jobs may run on beyond its end, or not (README); the oracle has one occurrence"),
    "flexible": ("I", "FLEX: it takes what is free of n1, which is reserved, before n4, where it would fit alone"),
    "job_and_partition_qos": ("A4", ENDING),
    "mixed_all": ("J13_2", CLOCK),
    "mixed_chains": ("J8", ENDING),
    "mixed_limits_1": ("J28", "J28 starts 5 s before J26, which ends of other jobs in one second of the oracle undo"),
    "mixed_preempt": ("J16", "J23 ends 12 s later than it would, so that J0 2 is behind J16 and not before it"),
    "mixed_tiers": ("J31", "it starts in the last seconds of the record"),
    "mixed_urgent": ("J26", CLOCK),
    "over_partition_qos": ("A3", ENDING),
    "per_account": ("B3", ENDING),
    "queue_depth": ("C3", "jobs of the first second are let in one by one, with a main pass after each"),
    "three_tiers": ("C1", "A1 began 2 s late, so that it was no longer exempt in a pass 60 s later"),
    "victims_and_dependants": (
        "",
        "A was requeued 1 s before X_0 and not in the same second: the order of X_0 2 and A 2",
    ),
    "which_nodes": ("A", "NodeCnt takes nodes by what runs when the reservation is made"),
}
MOST_OTHERWISE = 0.15  # of all starts
ALIKE = 0.95  # of the reasons
A_WHILE = 35  # s: so old a reason may be; the backfill pass comes each 30 s


def table(text: str) -> list[dict[str, str]]:
    """Return the rows of what sacctmgr printed with -P."""
    header, *rows = text.splitlines()
    return [dict(zip(header.split("|"), row.split("|"), strict=True)) for row in rows]


def option(job: dict[str, Any], name: str) -> str:
    """Return the value of an option of sbatch, --name=value; "" without."""
    found = re.search(rf"--{name}=(\S+)", job["options"])
    return found[1] if found else ""


def test_there_are_scenes_enough_and_they_are_small() -> None:
    assert len(RECORDED) >= 24
    assert sum(path.stat().st_size for path in SCENES.glob("*.json")) < MOST_BYTES
    readme = (SCENES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w, ]+) \|", readme, re.MULTILINE)
    assert set(RECORDED) == {name for row in rows for name in row.split(", ")} - {"scene"}


@pytest.mark.parametrize("name", RECORDED)
def test_a_scene_can_be_read_and_asked_again(name: str) -> None:
    scene = RECORDED[name]
    nodes = {line.split()[0] for line in scene["nodes"]}
    taken = [job for job in scene["jobs"] if job["number"]]
    assert {node.name for node in machine_in(scene).nodes} == nodes
    assert len(jobs_in(scene)) >= len(taken) >= 8  # an array has one job for each task
    assert rhythm_in(scene)
    assert {host for start in recorded_starts(scene) for host in start.nodes} <= nodes
    assert "PartitionName" in settings_of(scene) or scene["partitions"] == ["main: all nodes"]
    assert devices_of(scene).count("gpu") == sum("gpu" in line for line in scene["nodes"])
    assert to_text(scene) == (SCENES / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RECORDED)
def test_what_jobs_name_is_in_the_texts(name: str) -> None:
    """The QOS, accounts, users, reservations and jobs that the options have."""
    scene = RECORDED[name]
    printed = " ".join(command["printed"] for command in scene["commands"])
    reservations = set(re.findall(r"ReservationName=(\S+)", scene["texts"]["reservations"] + printed))
    names = [job["name"] for job in scene["jobs"]]
    assert len(set(names)) == len(names)
    for job in scene["jobs"]:
        assert not job["number"] or {option(job, "reservation")} <= reservations | {""}
        assert set(re.findall(r"\{(\w+)\}", job["options"])) <= set(names[: names.index(job["name"])])
    if scene["accounts"]:
        qos = {row["Name"] for row in table(scene["texts"]["qos"])}
        users = {row["User"] for row in table(scene["texts"]["assoc"])}
        assert {option(job, "qos") for job in scene["jobs"]} <= qos | {""}
        assert {option(job, "uid") for job in scene["jobs"]} <= users


@pytest.mark.parametrize("name", RECORDED)
def test_what_happened_holds_together(name: str) -> None:
    """Lives are in order, none is longer than the scene, and victims had started."""
    scene = RECORDED[name]
    lives = {job["name"]: job["lives"] for job in scene["jobs"]}
    for job in scene["jobs"]:
        assert job["number"] or job["refused"]
        assert all(second <= scene["until"] and reason for second, reason, *_ in job.get("waited_for", ()))
        for life in lives[job["name"]]:
            assert life["by"] in {"main", "backfill"}
            assert life["start"] <= life.get("end", scene["until"]) <= scene["until"] + 60
            assert bool(life.get("state")) == ("end" in life)
            held = [hosts_in(part["nodes"]) for part in life.get("detail", ())]
            assert not held or len(hosts_in(life["nodes"])) == sum(map(len, held))
    for second, victim, _, other in scene["preempted"]:
        starts = [life["start"] for life in lives[victim.partition("_")[0]]]
        assert min(starts) <= second
        assert other.partition("_")[0] in {*lives, ""}


@pytest.mark.slow
@pytest.mark.long
def test_a_scene_is_played_on_a_real_slurm() -> None:
    """A limit holds a job, a reservation is printed, and a dependency is kept."""
    lines = {"A": "-t10", "B": "-t10", "C": "-t10 --dependency=afterok:{A}"}
    jobs = [
        {"name": name, "asked_second": 0, "run": 60, "options": f"--uid=games -n1 --mem=10 {line}"}
        for name, line in lines.items()
    ]
    scene = RECORDED["two_limits"] | {
        "accounts": ["modify qos normal set MaxJobsPerUser=1", "add account acc", "add user games,root account=acc"],
        "before": ["scontrol create reservation ReservationName=r StartTime=now+9hours Duration=9 Nodes=n1 Users=root"],
        "commands": [{"second": 20, "command": "squeue -h -t PD -n C -o '%j %r'"}],
        "until": 300,
        "jobs": jobs,
    }
    record = play(scene)
    a, b, c = record["jobs"]
    starts = [job["lives"][0]["start"] for job in (a, b, c)]
    assert starts == sorted(starts)
    assert [job["lives"][0]["state"] for job in (a, b)] == ["COMPLETED", "COMPLETED"]
    assert "QOSMaxJobsPerUserLimit" in {reason for _, reason, *_ in b["waited_for"]}
    assert record["commands"][0]["printed"] == "C Dependency"
    assert "ReservationName=r " in record["texts"]["reservations"]
    assert table(record["texts"]["qos"])[0]["MaxJobsPU"] == "1"


def test_the_oracle_plays_the_scenes_as_slurm_did() -> None:
    """Who starts, on which nodes and CPUs, in which order exactly, seconds within a minute; but for the exceptions.

    The oracle is told when backfill passes came and how long jobs ran: of these a scene records what the clock did.
    """
    starts = otherwise = 0
    for name, scene in RECORDED.items():
        recorded = recorded_starts(scene)
        starts += len(recorded)
        simulated = simulated_starts(scene)
        faults = differences(recorded, simulated)
        assert bool(faults) == (name in EXCEPTIONS), (name, faults)
        alike = {start.name for start in simulated for one in recorded if is_alike(one, start)}
        first = next((start.name for start in recorded if start.name not in alike), "")
        assert first == EXCEPTIONS.get(name, ("",))[0], name
        otherwise += sum(start.name not in alike for start in recorded)
    assert starts >= 640
    assert otherwise <= MOST_OTHERWISE * starts


def is_alike(recorded: Started, simulated: Started) -> bool:
    """Return whether a start is the recorded one: the same job on the same nodes within a minute."""
    same = recorded.name == simulated.name and recorded.nodes == simulated.nodes
    return same and abs(recorded.second - simulated.second) <= SECONDS


SECOND_0 = 1_699_999_200  # Unix time of a scene that is a log, a multiple of an hour
NOT_IN_ENGINE = {  # scenes that the engine plays otherwise, and why
    "cancel_and_grace": "one that waits for the bad end of a job that ends well in the log is left out of it",
    "every_hour": "the reservation comes each hour; the oracle has one occurrence",
    "mixed_all": "one that waits for a job that can never run, and is left out of a log, does not wait",
    "victims_and_dependants": "it waits for a job of its name that is no singleton itself: a log knows no such names",
}
IN_ENGINE = [
    name
    for name, scene in RECORDED.items()
    if not scene["commands"]
    and all(line.startswith("scontrol create reservation") and "CoreCnt" not in line for line in scene["before"])
    and name not in NOT_IN_ENGINE
]


def printed_reservations(scene: dict[str, Any]) -> Iterator[str]:
    """Yield what scontrol show reservation -o prints of the reservations of a scene."""
    flags = {
        str(words["ReservationName"]): words.get("Flags", "SPEC_NODES")
        for words in (dict(re.findall(r"(\w+)=(\S+)", line)) for line in scene["before"])
    }
    for one in reservations_in(scene, [line.split()[0] for line in scene["nodes"]]):
        yield (
            f"ReservationName={one.name} StartTime={SECOND_0 + one.begin} EndTime={SECOND_0 + one.end} "
            f"Nodes={','.join(sorted(one.nodes))} NodeCnt={len(one.nodes)} Flags={flags[one.name]}\n"
        )


def log_of(scene: dict[str, Any], folder: Path) -> Workload:
    """Return what import makes of a scene: of its slurm.conf, what sacctmgr printed, and a table of its jobs."""
    jobs = jobs_in(scene)
    lines = settings_of(scene) | {"SelectType": "select/cons_tres"}
    lines.setdefault("PartitionName", f"main Nodes={','.join(line.split()[0] for line in scene['nodes'])}")
    conf = [f"{key.partition('#')[0]}={value}" for key, value in lines.items() if "PartitionName" not in key]
    conf += [f"NodeName={line}" for line in scene["nodes"]]
    conf += [f"PartitionName={value}" for key, value in lines.items() if "PartitionName" in key]
    (folder / "slurm.conf").write_text("\n".join(conf) + "\n")
    numbers = {job["name"]: number for number, job in enumerate(scene["jobs"], 1)}
    with (folder / "jobs.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["job", "submit", "run", "user", "options"])
        for key, job in jobs.items():
            told = scene["jobs"][job.array[0] if job.array else [*numbers].index(key)]
            number = f"{numbers[told['name']]}_{job.array[1]}" if job.array else numbers[key]
            said = re.sub(r"{(\w+)}", lambda match: str(numbers[match[1]]), told["options"])
            whose = f"-A {job.account or 'root'} --qos={job.qos}" if job.qos else ""
            rows.writerow([number, SECOND_0 + job.arrival, job.run, job.user, f"-J {told['name']} {said} {whose}"])
    for key in ("qos", "assoc"):  # older records have commands instead
        printed = scene["texts"][key] if "texts" in scene else "\n".join(scene["accounts"])
        (folder / f"{key}.txt").write_text(printed)
    books = ["--qos", folder / "qos.txt", "--assoc", folder / "assoc.txt"] if scene["accounts"] else []
    if scene["before"]:
        (folder / "res.txt").write_text("".join(printed_reservations(scene)))
        books += ["--reservations", folder / "res.txt"]
    names = ",".join(f"{each}={each}" for each in ("job", "submit", "run", "user", "options"))
    words = ["--columns", names, "--machine", folder / "slurm.conf", *books, "-o", folder / "log.parquet"]
    outcome = command("import", "csv", folder / "jobs.csv", *words)
    assert outcome.status == 0, outcome.err
    log = load_log(folder / "log.parquet", overrun="cut")
    assert log.machine is not None
    tree = tuple(machine_in(scene).parents.items())  # of accounts: what sacctmgr printed does not have it
    return log.with_(machine=replace(log.machine, accounts=tree))


@pytest.mark.parametrize("name", IN_ENGINE)
def test_the_engine_plays_the_scenes_as_the_oracle(name: str, tmp_path: Path) -> None:
    """Start, nodes and CPUs, with limits as sacctmgr printed them, and backfill passes at their regular seconds."""
    check_scene(RECORDED[name], tmp_path)


@pytest.mark.skipif(not SLURM.is_dir(), reason=SLURM_MISSING)
def test_limits_at_submission_refuse_the_jobs_that_slurm_refused(tmp_path: Path) -> None:
    """MaxSubmitJobs refuses A4 in the simulation; DenyOnLimit B4, and the QOS's MaxWall B1, when the log is read."""
    (scene,) = (each for each in scenes(SLURM / "recorded") if each["scene"] == "l05_limits_at_submission")
    check_scene(scene, tmp_path)
    names = [job["name"] for job in scene["jobs"]]
    refused = [
        (names.index(job["name"]) + 1, job["refused"]) for job in scene["jobs"] if "AssocMax" in job.get("refused", "")
    ]
    words = ["simulate", tmp_path / "log.parquet", "--policy", tmp_path / "slurm.conf", "--json"]
    ((number, why),) = refused
    (never,) = json.loads(command(*words).out)["never_ran"]
    assert (never["numbers"], never["reason"] in why) == ([number], True)
    assert f"{never['reason']}: job {number}" in command(*words[:-1]).out
    repairs = command("info", tmp_path / "log.parquet").out
    assert "MaxTRESPU (DenyOnLimit: refused at submission)" in repairs
    assert "never_ran" not in json.loads(command(*words, "--without", "limits").out)


def check_scene(scene: dict[str, Any], tmp_path: Path) -> None:
    """Compare the engine with the oracle on a scene."""
    log = log_of(scene, tmp_path)
    jobs = jobs_in(scene)
    rhythm = rhythm_in(scene)._replace(bf_seconds=(), bf_first=0, epoch=SECOND_0, over_time_limit=0)
    machine = machine_in(scene)._replace(run_minutes_first=0, forgives=True)
    lives = slurm_lives(machine, [*jobs.values()], rhythm)
    begun = {run.job.row: run for run in sorted(lives, key=lambda run: run.begin)}
    schedule = simulate(log, str(tmp_path / "slurm.conf"), refusals=True).check()
    there = schedule.workload  # without those that can never start, and those that are refused
    requests = there.requests
    assert requests is not None
    told = [job["name"] for job in scene["jobs"]]
    rows = {}
    for key, job in jobs.items():
        number = told.index(key if job.array is None else key.rpartition("_")[0]) + 1
        is_it = there.job == number if job.array is None else requests.array == number
        index = 0 if job.array is None else job.array[1]
        rows[job.row] = np.flatnonzero(is_it & (requests.array_index == index)).tolist()
    runs = as_runs(schedule)
    assert set(begun) == {row for row, found in rows.items() if found}
    for row, (place,) in ((row, found) for row, found in rows.items() if found):
        start, held = runs[place]
        expected = {node: amount.cpus for node, amount in begun[row].held.items()}
        assert (start + log.epoch - SECOND_0, {node: each[0] for node, each in held.items()}) == (
            begun[row].begin,
            expected,
        ), [*jobs][row]
    lost = {(rows[run.job.row][0], run.begin, run.end) for run in lives if run is not begun[run.job.row]}
    whole = {row: min(run.job.run, run.job.limit or run.job.run) + time_stopped(run) for row, run in begun.items()}
    lost |= {(rows[row][0], run.begin, run.end) for row, run in begun.items() if run.end - run.begin < whole[row]}
    ends = {place: run.end for row, run in begun.items() for place in rows[row]}
    assert ends == {place: end + log.epoch - SECOND_0 for place, end in enumerate(schedule.finish.tolist())}
    cut, since = schedule.lives, log.epoch - SECOND_0
    columns = () if cut is None else (cut.job.tolist(), (cut.begin + since).tolist(), (cut.end + since).tolist())
    assert {*zip(*columns, strict=True)} == lost


def test_jobs_are_held_for_the_reasons_that_slurm_gave() -> None:
    """What squeue printed of a job that a limit held is what holds it in the oracle beside what ran then.

    It may be a while old. 24 of the other reasons are that one of two limits is named that both hold, or one that has
    just let the job go.
    """
    alike = []
    for scene in RECORDED.values():
        if not scene["accounts"]:
            continue
        jobs, runs = jobs_in(scene), recorded_runs(scene)
        machines = {0: machine_in(scene)} | changes_in(scene)
        for job in scene["jobs"]:
            tasks = [one for key, one in jobs.items() if job["name"] in (key, key.rpartition("_")[0])]
            for second, reason, *_ in job.get("waited_for", ()):
                if not re.match("QOS|Assoc|Max|JobArrayTask", reason):
                    continue
                # the first task that waits speaks for its array
                begun = {run.job.row for run in runs if run.begin <= second}
                one = next((task for task in tasks if task.row not in begun), tasks[-1])
                events = {moment for run in runs for moment in (run.begin, run.end)}
                said = set()
                for moment in {second, *(e for e in events if second - A_WHILE <= e <= second + 1)}:
                    machine = machines[max(key for key in machines if key <= max(moment, 0))]
                    there = [run for run in runs if run.begin <= moment < run.end and run.job.row != one.row]
                    said |= {held_by(machine, one, part, there, moment) for part in partitions_of(machine, one)}
                alike.append(reason in said)
    assert len(alike) >= 700
    assert sum(alike) >= ALIKE * len(alike)
