"""The oracle of limits, dependencies, arrays, reservations and preemption: by hand, at random, and what Slurm said."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from support.naive_arrivals import held_check
from support.naive_cases import begins, jobs_of, nodes_of, places
from support.naive_limits import held_by, refused_by
from support.naive_machine import (
    After,
    Amount,
    Busy,
    Job,
    Machine,
    Partition,
    Preemption,
    Reservation,
    machine_of,
    naive_check,
    partitions_of,
)
from support.naive_node_choice import choose
from support.naive_rhythms import ALL, Rhythm, ideal, keep_places, slurm, slurm_lives
from support.recorded_scenes import (
    SLURM,
    SLURM_MISSING,
    jobs_in,
    machine_in,
    rhythm_in,
    scenes,
    with_accounts,
)

TREE = ("add account top", "add account acc parent=top", "add account other parent=top")


def runs_of(machine: Machine, jobs: Sequence[Job], **rhythm: int) -> dict[int, Busy]:
    """Return what jobs get in the ideal rhythm with EASY, after a look at those of all rhythms."""
    found = ideal(machine, jobs)
    others = (
        slurm(machine, jobs, Rhythm(**rhythm)),
        ideal(machine, jobs, reservations=ALL),
        keep_places(machine, jobs),
    )
    for runs in (found, *others):
        assert naive_check(machine, jobs, runs) == []
        assert list(held_check(machine, jobs, runs)) == []
    return found


def running(machine: Machine, *lines: str) -> list[Busy]:
    """Return jobs that run since their seconds: "0 main -n4 -t10"."""
    busy = []
    for row, line in enumerate(lines):
        second, partition, options = line.split(" ", 2)
        (job,) = jobs_of(f"{second} 9 {options}")
        part = machine.partitions[partition]
        free = {node.name: Amount(node.cpus, node.memory, node.gpus) for node in machine.nodes}
        held = choose(machine, part, job.ask, free)
        assert held is not None
        busy.append(Busy(job._replace(row=row), job.arrival, job.arrival + (job.limit or 0), partition, held))
    return busy


# --- which limit holds a job

PARTS = [Partition("main", ("n1", "n2")), Partition("debug", ("n1", "n2"), own_qos="pq")]
ME = "--uid=u -A acc --qos=normal -t10"
CASES = {  # commands of sacctmgr; what runs; partition and options of the job; why it is held
    "nothing holds it": (("add qos normal MaxJobsPU=2",), ("0 main -n1",), "main -n1", ""),
    "jobs of the user in the QOS": (
        ("add qos normal MaxJobsPU=1",),
        ("0 main -n1",),
        "main -n1",
        "QOSMaxJobsPerUserLimit",
    ),
    "jobs of others do not count": (("add qos normal MaxJobsPU=1",), ("0 main -n1 --uid=v",), "main -n1", ""),
    "nor jobs of another QOS": (("add qos normal MaxJobsPU=1",), ("0 main -n1 --qos=x",), "main -n1", ""),
    "jobs of the account": (
        ("add qos normal MaxJobsPA=1",),
        ("0 main -n1 --uid=v",),
        "main -n1",
        "MaxJobsPerAccount",
    ),
    "all jobs of the QOS": (
        ("add qos normal GrpJobs=1",),
        ("0 main -n1 --uid=v -A other",),
        "main -n1",
        "QOSGrpJobsLimit",
    ),
    "CPUs of the user": (("add qos normal MaxTRESPU=cpu=4",), ("0 main -n2",), "main -n3", "QOSMaxCpuPerUserLimit"),
    "CPUs that fit": (("add qos normal MaxTRESPU=cpu=4",), ("0 main -n2",), "main -n2", ""),
    "memory of the account": (
        ("add qos normal MaxTRESPA=mem=1G",),
        ("0 main -n1 --mem=1000 --uid=v",),
        "main -n1 --mem=25",
        "MaxMemoryPerAccount",
    ),
    "GPUs of one type": (
        ("add qos normal GrpTRES=gres/gpu:a=1",),
        ("0 main -n1 --gres=gpu:a:1",),
        "main -n1 --gres=gpu:a:1",
        "QOSGrpGRES",
    ),
    "GPUs of another type": (
        ("add qos normal GrpTRES=gres/gpu:a=1",),
        ("0 main -n1 --gres=gpu:a:1",),
        "main -n1 --gres=gpu:b:1",
        "",
    ),
    "GPUs of any type": (
        ("add qos normal GrpTRES=gres/gpu=1",),
        ("0 main -n1 --gres=gpu:a:1",),
        "main -n1 --gres=gpu:b:1",
        "QOSGrpGRES",
    ),
    "two jobs on one node are on one node": (
        ("add qos normal GrpTRES=node=1",),
        ("0 main -n1",),
        "main -n1",
        "",
    ),
    "two nodes": (("add qos normal GrpTRES=node=1",), ("0 main -n1",), "main -N2 -n2", "QOSGrpNodeLimit"),
    "of one job": (("add qos normal MaxTRES=cpu=4",), (), "main -n5", "QOSMaxCpuPerJobLimit"),
    "of one node": (("add qos normal MaxTRESPN=cpu=4",), (), "main -N2 -n9", ""),
    "of one node, more": (("add qos normal MaxTRESPN=cpu=4",), (), "main -N2 -n10", "QOSMaxCpuPerNode"),
    "at least": (("add qos normal MinTRES=cpu=4",), (), "main -n3", "QOSMinCpuNotSatisfied"),
    "time": (("add qos normal MaxWall=9",), (), "main -n1", "QOSMaxWallDurationPerJobLimit"),
    "CPU minutes of one job": (("add qos normal MaxTRESMins=cpu=19",), (), "main -n2", "QOSMaxCPUMinutesPerJobLimit"),
    "CPU minutes that run": (
        ("add qos normal GrpTRESRunMins=cpu=60",),
        ("0 main -n2 -t21",),
        "main -n2",
        "QOSGrpCPURunMinutesLimit",
    ),
    "the partition's QOS is first": (
        ("add qos normal MaxJobsPU=1", "add qos pq MaxJobsPU=2"),
        ("0 debug -n1",),
        "debug -n1",
        "",
    ),
    "also if it is lower": (
        ("add qos normal MaxJobsPU=9", "add qos pq MaxJobsPU=1"),
        ("0 debug -n1",),
        "debug -n1",
        "QOSMaxJobsPerUserLimit",
    ),
    "it counts jobs in the partition": (("add qos pq MaxJobsPU=1",), ("0 main -n1",), "debug -n1", ""),
    "the job's QOS counts all of its jobs": (
        ("add qos normal MaxJobsPU=1", "add qos pq MaxTRESPU=cpu=1"),
        ("0 main -n1",),
        "debug -n1",
        "QOSMaxJobsPerUserLimit",
    ),
    "resource by resource": (
        ("add qos normal MaxTRESPU=cpu=1,node=1", "add qos pq MaxTRESPU=cpu=9"),
        ("0 debug -n1",),
        "debug -N2 -n2",
        "QOSMaxNodePerUserLimit",
    ),
    "OverPartQOS": (
        ("add qos normal MaxJobsPU=2 flags=OverPartQOS", "add qos pq MaxJobsPU=1"),
        ("0 debug -n1",),
        "debug -n1",
        "",
    ),
    "jobs of the user in the account": (
        ("add user u account=acc MaxJobs=1",),
        ("0 main -n1",),
        "main -n1",
        "AssocMaxJobsLimit",
    ),
    "inherited from the account": (
        ("modify account acc set MaxJobs=1",),
        ("0 main -n1",),
        "main -n1",
        "AssocMaxJobsLimit",
    ),
    "where it counts one user": (("modify account acc set MaxJobs=1",), ("0 main -n1 --uid=v",), "main -n1", ""),
    "from the nearest": (
        ("modify account top set MaxJobs=1", "modify account acc set MaxJobs=2"),
        ("0 main -n1",),
        "main -n1",
        "",
    ),
    "a QOS goes before the association": (
        ("add qos normal MaxJobsPA=9", "add user u account=acc MaxJobs=1"),
        ("0 main -n1",),
        "main -n1",
        "",
    ),
    "all jobs below an account": (
        ("modify account top set GrpTRES=cpu=4",),
        ("0 main -n3 --uid=v -A other",),
        "main -n2",
        "AssocGrpCpuLimit",
    ),
    "of one account only": (
        ("modify account acc set GrpTRES=cpu=4",),
        ("0 main -n3 --uid=v -A other",),
        "main -n2",
        "",
    ),
    "each account up the tree": (
        ("modify account top set GrpTRES=cpu=4", "modify account acc set GrpTRES=cpu=9"),
        ("0 main -n3",),
        "main -n2",
        "AssocGrpCpuLimit",
    ),
    "but for what a QOS sets": (
        ("modify account top set GrpTRES=cpu=4", "add qos normal GrpTRES=cpu=9"),
        ("0 main -n3",),
        "main -n2",
        "",
    ),
    "the root": (
        ("modify account root set GrpJobs=1",),
        ("0 main -n1 --uid=v -A other",),
        "main -n1",
        "AssocGrpJobsLimit",
    ),
    "of a partition": (
        ("add user u account=acc MaxJobs=9", "add user u account=acc partition=debug MaxJobs=1"),
        ("0 debug -n1",),
        "debug -n1",
        "AssocMaxJobsLimit",
    ),
    "of another partition": (
        ("add user u account=acc MaxJobs=9", "add user u account=acc partition=debug MaxJobs=1"),
        ("0 debug -n1",),
        "main -n1",
        "",
    ),
    "time of the account": (("modify account acc set MaxWall=9",), (), "main -n1", "AssocMaxWallDurationPerJobLimit"),
    "jobs come before resources": (
        ("add qos normal MaxTRESPU=cpu=1", "add user u account=acc MaxJobs=1"),
        ("0 main -n1",),
        "main -n1",
        "AssocMaxJobsLimit",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_limit_that_holds_a_job(name: str) -> None:
    commands, there, line, reason = CASES[name]
    nodes = nodes_of("n1 8 gpus=a:2+b:2, n2 8 gpus=a:2+b:2")
    root = ("add account root",) if any("account root" in command for command in commands) else ()
    machine = with_accounts(machine_of(nodes, PARTS), (*TREE, *root, *commands))
    runs = running(
        machine, *(f"{begin} {part} {ME} {options}" for begin, part, options in (t.split(" ", 2) for t in there))
    )
    partition, options = line.split(" ", 1)
    (job,) = jobs_of(f"0 9 {ME} {options}")
    part = machine.partitions[partition]
    busy = [Amount(node.cpus - sum(r.held[node.name].cpus for r in runs if node.name in r.held), node.memory, node.gpus)
            for node in machine.nodes]  # fmt: skip
    held = choose(machine, part, job.ask, {node.name: a for node, a in zip(machine.nodes, busy, strict=True)})
    assert held is not None
    assert held_by(machine, job, part, runs, 0, held) == reason
    if "node" not in reason and "on one node" not in name:
        assert held_by(machine, job, part, runs, 0) == reason  # by what it asks for


def test_more_is_held_than_was_asked_for() -> None:
    """A core of two threads, and CPUs for memory beyond MaxMemPerCPU, are what a job gets; they count then."""
    parts = [Partition("main", ("n1",), most_memory_per_cpu=1000)]
    machine = with_accounts(machine_of(nodes_of("n1 8 threads=2"), parts), ["add qos q MaxTRESPU=cpu=3"])
    jobs = jobs_of("0 60 -n1 --qos=q -t10", "0 60 -n1 --qos=q -t10", "0 60 -n1 --mem=3000 --qos=q -t10")
    free = {"n1": Amount(8, 8000)}
    for job, cpus in zip(jobs, (2, 2, 4), strict=True):
        held = choose(machine, machine.partitions["main"], job.ask, free)
        assert held is not None
        assert held["n1"].cpus == cpus
        assert held_by(machine, job, machine.partitions["main"], [], 0) == ""
        reason = held_by(machine, job, machine.partitions["main"], [], 0, held)
        assert reason == ("QOSMaxCpuPerUserLimit" if cpus == 4 else "")
    assert begins(runs_of(machine, jobs), jobs) == [0, 60, None]


# --- when jobs start


def test_a_held_job_stops_nobody_and_has_no_reservation() -> None:
    """The user's second job, of 8 CPUs, waits for the first one; a long one of another user goes to its place."""
    machine = with_accounts(machine_of(nodes_of("n1 8")), ["add qos normal MaxJobsPU=1"])
    jobs = jobs_of(
        "0 1000 -n6 --uid=u --qos=normal -t20",
        "60 300 -n8 --uid=u --qos=normal -t10",
        "90 2000 -n2 --uid=v --qos=normal -t60",
    )
    assert begins(runs_of(machine, jobs), jobs) == [0, 2090, 90]
    assert begins(slurm(machine, jobs, Rhythm()), jobs) == [0, 2090, 90]
    assert begins(keep_places(machine, jobs), jobs) == [0, 2090, 90]


def test_what_began_in_the_pass_counts() -> None:
    machine = with_accounts(machine_of(nodes_of("n1 8")), ["add qos normal MaxJobsPU=2"])
    jobs = jobs_of(*[f"0 {run} -n1 --uid=u --qos=normal -t10" for run in (300, 200, 100, 100)])
    assert begins(runs_of(machine, jobs), jobs) == [0, 0, 200, 300]
    assert begins(slurm(machine, jobs, Rhythm()), jobs) == [0, 0, 200, 300]
    assert begins(keep_places(machine, jobs), jobs) == [0, 0, 200, 300]


def test_assoc_limit_stop() -> None:
    """Then it stops its partition in the main pass."""
    machine = with_accounts(machine_of(nodes_of("n1 16")), [*TREE, "modify account acc set GrpTRES=cpu=6"])
    jobs = jobs_of("0 600 -n4 -A acc -t20", "0 300 -n4 -A acc -t10", "0 300 -n2 -A other -t10")
    assert begins(slurm(machine, jobs, Rhythm(bf_interval=900, bf_first=-5)), jobs) == [0, 600, 0]
    stop = Rhythm(bf_interval=900, bf_first=-5, assoc_limit_stop=True)
    assert begins(slurm(machine, jobs, stop), jobs) == [0, 600, 600]
    few = with_accounts(machine, [*TREE, "modify account acc set MaxJobs=1"])
    assert begins(slurm(few, jobs, stop), jobs) == [0, 600, 60]  # one of jobs does so in the first pass only


def test_the_other_partition_is_open() -> None:
    """A job goes where no limit holds it, and does not wait for a better place that one does."""
    nodes = nodes_of("n1 4, n2 4")
    parts = [Partition("fast", ("n1",), tier=2, own_qos="pq"), Partition("slow", ("n2",))]
    machine = with_accounts(machine_of(nodes, parts), ["add qos pq MaxJobsPU=1"])
    jobs = jobs_of(*["0 100 -n1 -p fast,slow --uid=u --qos=normal -t10"] * 3)
    for runs in (runs_of(machine, jobs), slurm(machine, jobs, Rhythm()), keep_places(machine, jobs)):
        assert (begins(runs, jobs), places(runs, jobs)) == ([0, 0, 0], ["n1", "n2", "n2"])


def test_minutes_fall_in_steps() -> None:
    """Of 2 CPUs for 25 minutes 40 CPU minutes are left when Slurm looks at 300; until then a second job waits."""
    machine = with_accounts(machine_of(nodes_of("n1 16")), [*TREE, "modify account acc set GrpTRESRunMins=cpu=60"])
    jobs = jobs_of("0 1500 -n2 -A acc -t25", "0 300 -n2 -A acc -t10", "0 300 -n7 -A acc -t10")
    for runs in (runs_of(machine, jobs), slurm(machine, jobs, Rhythm()), keep_places(machine, jobs)):
        assert begins(runs, jobs) == [0, 300, None]
    late = machine._replace(run_minutes_first=-60)  # at 240 there are 42 minutes
    assert begins(ideal(late, jobs), jobs) == [0, 540, None]


def test_jobs_that_the_limits_of_jobs_hold_are_not_tried() -> None:
    """They do not count for bf_max_job_test; those that limits of resources hold do."""
    jobs = jobs_of(
        "0 900 -n1 --uid=u --qos=normal -t20",
        "0 100 -n1 --uid=u --qos=normal -t20",
        "0 100 -n1 --uid=u --qos=normal -t20",
        "31 100 -n1 --uid=v -t1",
    )
    for limit, begin in (("MaxJobsPU=1", 55), ("MaxTRESPU=cpu=1", 1015)):
        machine = with_accounts(machine_of(nodes_of("n1 4")), [f"add qos normal {limit}"])
        rhythm = Rhythm(queue_depth=1, sched_interval=10000, bf_first=-5, bf_max_job_test=1)
        assert slurm(machine, jobs, rhythm)[3].begin == begin


def test_jobs_are_refused_at_submission() -> None:
    """The third job of a user is refused while two are there; an array as a whole."""
    machine = with_accounts(machine_of(nodes_of("n1 1")), [*TREE, "add user u account=acc MaxSubmit=2"])
    jobs = jobs_of(*[f"{second} 100 -n1 --uid=u -A acc -t10" for second in (0, 0, 0, 100, 250, 250)])
    jobs += [
        job._replace(row=6 + i, array=(9, i, 0)) for i, job in enumerate(jobs_of(*["260 1 -n1 --uid=u -A acc -t1"] * 2))
    ]
    for runs in (runs_of(machine, jobs), slurm(machine, jobs, Rhythm()), keep_places(machine, jobs)):
        assert begins(runs, jobs) == [0, 100, None, 200, 300, None, None, None]


def test_why_jobs_are_refused() -> None:
    commands = ["add qos deny MaxTRESPU=cpu=4 flags=DenyOnLimit", "add qos few MaxSubmitPU=1 GrpSubmit=3"]
    machine = with_accounts(machine_of(nodes_of("n1 8")), commands)
    part = machine.partitions["main"]
    deny, few, other = jobs_of(
        "0 9 -n5 --qos=deny -t1", "0 9 -n1 --uid=u --qos=few -t1", "0 9 -n1 --uid=v --qos=few -t1"
    )
    assert refused_by(machine, deny, part, []) == "QOSMaxCpuPerUserLimit"
    assert refused_by(machine, few, part, [(few, "main")]) == "QOSMaxSubmitJobPerUserLimit"
    assert refused_by(machine, other, part, [(few, "main")]) == ""
    assert refused_by(machine, other, part, [(few, "main")] * 3) == "QOSGrpSubmitJobsLimit"


# --- arrays and dependencies


def array(number: int, most: int, *lines: str, first: int = 0) -> list[Job]:
    """Return jobs as tasks 0, 1, ... of an array."""
    return [j._replace(row=first + i, array=(number, i, most)) for i, j in enumerate(jobs_of(*lines))]


def test_an_array_is_one_entry() -> None:
    """All its tasks come before the next job; the third waits for one of two that may run at once, and stops nobody."""
    machine = machine_of(nodes_of("n1 4"))
    tasks = array(1, 2, *["0 100 -n1 -t10"] * 4)
    jobs = [*tasks, jobs_of("0 50 -n1 -t10")[0]._replace(row=4)]
    for runs in (runs_of(machine, jobs), slurm(machine, jobs, Rhythm()), keep_places(machine, jobs)):
        assert begins(runs, jobs) == [0, 0, 100, 100, 0]
    part = machine.partitions["main"]
    begun = [Busy(task, 0, 600, "main", {"n1": Amount(1, 1)}) for task in tasks[:2]]
    assert held_by(machine, tasks[2], part, begun, 0) == "JobArrayTaskLimit"
    free = [task._replace(array=(1, i, 0)) for i, task in enumerate(tasks)]
    assert begins(slurm(machine, [*free, jobs[4]], Rhythm()), jobs) == [0, 0, 0, 0, 100]


def test_how_many_tasks_are_planned() -> None:
    """One of n1 is planned at 600; the second one of n2 at 1200 too, unless bf_max_job_array_resv is 1."""
    machine = machine_of(nodes_of("n1 4, n2 4"))
    jobs = jobs_of("0 560 -n4 -w n1 -t10", "0 1000 -n2 -w n2 -t20")
    jobs += array(1, 0, *["30 500 -n4 -t10"] * 3, first=2)
    jobs += [jobs_of("90 1500 -n2 -t60")[0]._replace(row=5)]
    usual = slurm(machine, jobs, Rhythm(bf_first=-5))
    assert (begins(usual, jobs), places(usual, jobs)[2:]) == ([0, 0, 560, 1000, 1060, 1500], ["n1", "n2", "n1", "n2"])
    one = slurm(machine, jobs, Rhythm(bf_first=-5, bf_max_job_array_resv=1))
    assert (begins(one, jobs), places(one, jobs)[2:]) == ([0, 0, 560, 1060, 1560, 115], ["n1", "n1", "n1", "n2"])


def test_no_more_tasks_are_planned_than_may_run_at_once() -> None:
    machine = machine_of(nodes_of("n1 4, n2 4"))
    jobs = jobs_of("0 560 -n4 -w n1 -t10", "0 1000 -n2 -w n2 -t20")
    jobs += array(1, 1, *["30 500 -n4 -t10"] * 2, first=2)
    jobs += [jobs_of("90 1500 -n2 -t60")[0]._replace(row=4)]
    assert begins(slurm(machine, jobs, Rhythm(bf_first=-5)), jobs) == [0, 0, 560, 1060, 115]


def chain(machine: Machine, jobs: Sequence[Job], expected: list[int | None]) -> None:
    """Check when jobs start in all rhythms."""
    assert begins(runs_of(machine, jobs, bf_interval=30), jobs) == expected
    assert begins(keep_places(machine, jobs), jobs) == expected


def test_what_jobs_wait_for() -> None:
    machine = machine_of(nodes_of("n1 16"))
    good, bad, timeout, *others = jobs_of(
        "0 300 -n1 -t10", "0 200 -n1 -t10", "0 900 -n1 -t10", *[f"{10 + i} 5 -n1 -t5" for i in range(9)]
    )
    bad = bad._replace(fails=True)
    waits: list[tuple[tuple[After, ...], int | None]] = [
        ((After("afterok", (0,)),), 300),
        ((After("afterok", (1,)),), None),
        ((After("afternotok", (1,)),), 200),
        ((After("afternotok", (0,)),), None),
        ((After("afternotok", (2,)),), 600),  # it was ended at its limit
        ((After("afterany", (0, 1)),), 300),
        ((After("after", (1,), 120),), 120),
        ((After("after", (1,)),), 16),
        ((After("afterok", (1,)), After("afterany", (0,))), None),
    ]
    jobs = [good, bad, timeout, *(job._replace(after=after) for job, (after, _) in zip(others, waits, strict=True))]
    # the job that waits for a start comes when it is submitted, long after that
    expected = [second if second != 16 else 17 for _, second in waits]
    chain(machine, jobs, [0, 0, 0, *expected])
    jobs[-1] = jobs[-1]._replace(any_of=True)
    chain(machine, jobs, [0, 0, 0, *expected[:-1], 300])


def test_a_dependent_job_keeps_its_place() -> None:
    """It was submitted before the other one, which has waited for longer: it is first, and its age counts from 300."""
    machine = machine_of(nodes_of("n1 2"))
    jobs = jobs_of("0 300 -n2 -t10", "10 120 -n2 -t5", "20 120 -n2 -t5", "30 120 -n1 -t5")
    jobs[1] = jobs[1]._replace(after=(After("afterok", (0,)),))
    jobs[3] = jobs[3]._replace(after=(After("afterok", (1,)),))
    assert begins(ideal(machine, jobs), jobs) == [0, 300, 420, 540]
    assert begins(slurm(machine, jobs, Rhythm()), jobs) == [0, 300, 420, 540]

    def by_age(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
        return sorted(waiting, key=lambda job: (job.arrival, job.row))

    assert begins(slurm(machine, jobs, Rhythm(), by_age), jobs) == [0, 420, 300, 540]


def test_tasks_wait_for_tasks() -> None:
    machine = machine_of(nodes_of("n1 2, n2 2"))
    jobs = array(1, 0, *["0 200 -N1 -n2 -t10"] * 3)
    jobs += [jobs_of("20 60 -n1 -t5")[0]._replace(row=3, after=(After("afterok", (0, 1, 2)),))]
    tasks = array(2, 0, *["30 60 -n1 -t5"] * 3, first=4)
    jobs += [task._replace(after=(After("aftercorr", (0, 1, 2)),)) for task in tasks]
    chain(machine, jobs, [0, 0, 200, 400, 200, 200, 400])


def test_what_begins_in_a_pass_lets_others_come_in_the_next_second() -> None:
    machine = machine_of(nodes_of("n1 2"))
    jobs = jobs_of("0 0 -n1 -t1", "0 0 -n1 -t1", "0 9 -n1 -t1", "0 9 -n1 -t1")
    jobs[1] = jobs[1]._replace(after=(After("afterok", (0,)),))
    jobs[2] = jobs[2]._replace(after=(After("afterok", (1,)),))
    jobs[3] = jobs[3]._replace(after=(After("after", (2,)),))
    chain(machine, jobs, [0, 1, 2, 3])


# --- reservations

TWO = "n1 4, n2 4"


def test_a_job_that_would_run_into_a_reservation_waits() -> None:
    """Maintenance from 1200 to 1800: a job of 30 m waits for its end, and one of 10 m behind starts."""
    machine = machine_of(nodes_of(TWO))._replace(reservations=(Reservation("m", 1200, 1800, frozenset({"n1", "n2"})),))
    jobs = jobs_of("0 300 -n4 -t10", "60 300 -n4 -t30", "90 300 -n4 -t10", "120 300 -n4 -t19")
    for runs in (runs_of(machine, jobs), slurm(machine, jobs, Rhythm()), keep_places(machine, jobs)):
        assert (begins(runs, jobs), places(runs, jobs)) == ([0, 1800, 90, 1800], ["n1", "n1", "n2", "n2"])


def test_it_stops_others_if_a_node_without_reservation_would_do() -> None:
    """n1 is reserved: a head of 40 m waits for n2, so that one of 10 m behind does not get n1 in the main pass."""
    machine = machine_of(nodes_of(TWO))._replace(reservations=(Reservation("r", 1200, 3000, frozenset({"n1"})),))
    jobs = jobs_of("0 500 -n4 -t40", "60 300 -n4 -t40", "90 300 -n2 -t10", "120 300 -n2 --reservation=r -t10")
    runs = slurm(machine, jobs, Rhythm(bf_interval=900, bf_first=-5))
    assert (begins(runs, jobs), places(runs, jobs)) == ([0, 500, 500, 1200], ["n2", "n2", "n1", "n1"])
    runs = runs_of(machine, jobs)
    assert (begins(runs, jobs), places(runs, jobs)) == ([0, 500, 90, 1200], ["n2", "n2", "n1", "n1"])


def test_a_reservation_ends_its_jobs() -> None:
    """One that waits in it stops nobody outside, and never starts."""
    machine = machine_of(nodes_of(TWO))._replace(reservations=(Reservation("r", 21, 621, frozenset({"n1"})),))
    jobs = jobs_of(
        "60 900 -n3 --reservation=r -t30",
        "90 300 -n3 --reservation=r -t5",
        "120 300 -n2 -t10",
        "150 300 -n1 --reservation=r -t30",
        "700 100 -n4 -t10",
    )
    runs = slurm(machine, jobs, Rhythm(bf_interval=900, bf_first=-5))
    assert (begins(runs, jobs), runs[0].end) == ([60, None, 120, None, 700], 621)
    runs = runs_of(machine, jobs)  # with backfilling the small one starts
    assert (begins(runs, jobs), runs[0].end) == ([60, None, 120, 150, 700], 960)


def test_a_part_of_a_node_is_reserved() -> None:
    """2 of 4 CPUs: others have the rest, and those inside no more."""
    part = Reservation("r", 100, 700, frozenset({"n1"}), {"n1": 2})
    machine = machine_of(nodes_of("n1 4"))._replace(reservations=(part,))
    jobs = jobs_of(
        "0 50 -n4 -t1",
        "50 100 -n3 -t10",
        "50 400 -n2 -t10",
        "110 100 -n3 --reservation=r -t5",
        "110 100 -n2 --reservation=r -t5",
        "120 100 -n1 --reservation=r -t5",
    )
    for runs in (runs_of(machine, jobs), keep_places(machine, jobs)):
        assert begins(runs, jobs) == [0, 700, 50, None, 110, 210]
    # In the main pass the two that need 3 CPUs stop the others: of the partition, and of the reservation.
    assert begins(slurm(machine, jobs, Rhythm()), jobs) == [0, 720, 820, None, 120, 240]


def test_a_repeated_reservation() -> None:
    """A job waits for the next time; another one that is in no reservation of that name is outside."""
    windows = tuple(Reservation("r", begin, begin + 100, frozenset({"n1"})) for begin in (100, 1100))
    machine = machine_of(nodes_of("n1 4"))._replace(reservations=windows)
    jobs = jobs_of("0 50 -n4 --reservation=r -t1", "200 50 -n4 --reservation=r -t1", "0 50 -n4 --reservation=x -t5")
    assert begins(runs_of(machine, jobs), jobs) == [100, 1100, 200]


# --- preemption and failures

LOW_HIGH = (Partition("low", ("n1",)), Partition("high", ("n1",), tier=10))


def lives_of(machine: Machine, jobs: Sequence[Job], **words: object) -> list[tuple[int, int, int]]:
    """Return the row, begin and end of each life of jobs in Slurm's rhythm."""
    lives = slurm_lives(machine, jobs, Rhythm(), **words)  # type: ignore[arg-type]
    return sorted((run.job.row, run.begin, run.end) for run in lives)


VICTIMS = {  # sizes of low jobs in the order of their numbers, all running; what high needs; which of them go
    "the first number": ([2, 2, 2, 2], 2, [0]),
    "one alone if the last one found will do": ([2, 4, 2], 4, [1]),
    "two before a later one": ([2, 2, 4], 4, [0, 1]),
    "all": ([4, 4], 8, [0, 1]),
    "nobody if they are not enough": ([4, 4], 9, []),
}


@pytest.mark.parametrize("name", VICTIMS)
def test_who_makes_way(name: str) -> None:
    sizes, need, gone = VICTIMS[name]
    machine = machine_of(nodes_of("n1 8"), LOW_HIGH, preemption=Preemption("partition_prio"))
    jobs = jobs_of(*[f"0 900 -n{size} -t30" for size in sizes], f"300 60 -n{need} -p high -t10")
    lives = lives_of(machine, jobs)
    assert [row for row, _, end in lives if end == 301] == gone
    assert [row for row, begin, _ in lives if begin == 301] == ([len(sizes)] if gone else [])
    again = [(row, begin) for row, begin, _ in lives if row in gone and begin > 0]
    assert again == [(row, 422) for row in gone]  # 121 s later
    young = machine._replace(preemption=Preemption("partition_prio", youngest=True))
    jobs[-2] = jobs[-2]._replace(arrival=60)
    if sizes[-1] >= need:
        assert [row for row, _, end in lives_of(young, jobs) if end == 301] == [len(sizes) - 1]


def test_jobs_that_make_way_may_be_gone() -> None:
    """Without requeueing, or by PreemptMode=CANCEL; those of a partition with OFF stay."""
    jobs = jobs_of("0 900 -n8 -t30", "300 60 -n8 -p high -t10", "310 60 -n8 -t10")
    for rules, ends in (
        (Preemption("partition_prio"), [(0, 0, 301), (0, 422, 1322), (1, 301, 361), (2, 361, 421)]),
        (Preemption("partition_prio", mode="cancel"), [(0, 0, 301), (1, 301, 361), (2, 361, 421)]),
        (Preemption("partition_prio", modes={"low": "off"}), [(0, 0, 900), (1, 900, 960), (2, 960, 1020)]),
    ):
        machine = machine_of(nodes_of("n1 8"), LOW_HIGH, preemption=rules)
        assert lives_of(machine, jobs) == ends
    stays = [jobs[0]._replace(requeue=False), *jobs[1:]]
    machine = machine_of(nodes_of("n1 8"), LOW_HIGH, preemption=Preemption("partition_prio"))
    assert lives_of(machine, stays) == [(0, 0, 301), (1, 301, 361), (2, 361, 421)]


def test_grace_and_exempt_time_of_a_qos() -> None:
    """For 300 s nobody makes way; then both are asked, and go 60 s later."""
    rules = Preemption("qos", grace={"low": 60}, of_qos={"urgent": frozenset({"low"})}, exempt=300)
    machine = machine_of(nodes_of("n1 4"), preemption=rules)
    jobs = jobs_of(*["0 900 -n2 --qos=low -t30"] * 2, "120 200 -n4 --qos=urgent -t10")
    jobs[2] = jobs[2]._replace(priority=9)
    assert lives_of(machine, jobs)[::2] == [(0, 0, 360), (1, 0, 360), (2, 360, 560)]
    assert lives_of(machine, jobs)[1::2] == [(0, 560, 1460), (1, 560, 1460)]


def test_what_waits_for_a_job_that_made_way_waits_on() -> None:
    machine = machine_of(nodes_of("n1 8"), LOW_HIGH, preemption=Preemption("partition_prio"))
    jobs = jobs_of("0 500 -n8 -t30", "300 60 -n8 -p high -t10", "10 60 -n1 -t10")
    jobs[2] = jobs[2]._replace(after=(After("afterok", (0,)),))
    assert lives_of(machine, jobs) == [(0, 0, 301), (0, 422, 922), (1, 301, 361), (2, 922, 982)]


def test_a_node_fails() -> None:
    """Its jobs wait again, 121 s, but for one that is not requeued."""
    machine = machine_of(nodes_of("n1 4, n2 4"))
    jobs = jobs_of("0 600 -n2 -w n1 -t20", "0 600 -n2 -w n1 -t20", "0 600 -n2 -w n2 -t20")
    jobs[1] = jobs[1]._replace(requeue=False)
    found = lives_of(machine, jobs, failures={200: frozenset({"n1"})})
    assert found == [(0, 0, 200), (0, 321, 921), (1, 0, 200), (2, 0, 600)]


# --- against Slurm, and at random


@pytest.mark.skipif(not SLURM.is_dir(), reason=SLURM_MISSING)
def test_the_reasons_that_a_real_slurm_gave() -> None:
    """What squeue printed of a job that limits held is what holds it in the oracle then."""
    count = 0
    for scene in scenes(SLURM / "recorded"):
        if not scene["accounts"]:
            continue
        jobs, machine = jobs_in(scene), machine_in(scene)
        runs = slurm(machine, list(jobs.values()), rhythm_in(scene))
        for job in scene["jobs"]:
            for second, reason, *_ in job.get("waited_for", ()):
                if re.match("QOS|Assoc|Max", reason):
                    one = jobs[job["name"]]
                    there = [run for run in runs.values() if run.begin <= second < run.end]
                    assert held_by(machine, one, partitions_of(machine, one)[0], there, second) == reason
                    count += 1
            refused = re.search(r"error: (\w+)\n", job.get("refused", ""))
            if refused is not None:
                one = jobs[job["name"]]
                before = [(other, "main") for other in jobs.values() if other.row < one.row]
                assert refused_by(machine, one, machine.partitions["main"], before) == refused[1]
                count += 1
    assert count >= 15


def random_held(seed: int) -> tuple[Machine, list[Job]]:
    """Return jobs at random with accounts, QOS, arrays and dependencies, and a machine with limits that hold many."""
    rng = np.random.default_rng(seed)
    parts = [
        Partition("main", ("n1", "n2", "n3")),
        Partition("debug", ("n3",), tier=2, own_qos="pq"),
    ]
    number = lambda *sizes: int(rng.choice(sizes))  # noqa: E731
    commands = [
        *TREE,
        f"add qos a MaxJobsPU={number(1, 2, 3)} GrpTRES=cpu={number(6, 8)}",
        f"add qos b MaxTRESPU=cpu={number(4, 5)} MaxTRESPA=cpu={number(6, 9)} flags={rng.choice(['OverPartQOS', 'x'])}",
        f"add qos pq MaxJobsPU={number(1, 2)} GrpTRESRunMins=cpu={number(40, 60)}",
        f"modify account top set GrpJobs={number(4, 6)} GrpTRESRunMins=cpu={number(60, 100)}",
        f"modify account acc set MaxJobs={number(1, 2)} GrpTRES=cpu={number(6, 8)}",
        f"add user u account=acc MaxTRES=cpu=4 GrpTRES=cpu={number(4, 6)}",
    ]
    window = Reservation("r", 400, 1000, frozenset({"n2"}))
    machine = with_accounts(machine_of(nodes_of("n1 4, n2 4, n3 4"), parts), commands)._replace(reservations=(window,))
    jobs: list[Job] = []
    second = 0
    while len(jobs) < 16:
        second += number(0, 10, 60)
        options = [f"-n{number(1, 2, 3, 4)}", f"--uid={rng.choice(['u', 'v'])}", f"-A {rng.choice(['acc', 'other'])}"]
        options += [f"--qos={rng.choice(['a', 'b'])}", f"-t{number(2, 5, 9)}"]
        options += [str(rng.choice(["", "-p debug", "-p main,debug"]))]
        tasks = number(1, 1, 1, 3)
        for index in range(tasks):
            (job,) = jobs_of(f"{second} {number(30, 100, 500)} {' '.join(options)}")
            job = job._replace(row=len(jobs), array=(len(jobs) - index, index, number(0, 1, 2)) if tasks > 1 else None)
            if jobs and number(0, 0, 1):
                kind = str(rng.choice(["afterany", "after", "afterok", "afternotok"]))
                before = tuple(sorted({number(*range(max(1, len(jobs) - index)))}))
                job = job._replace(after=(After(kind, before, 60 * (kind == "after")),))
            jobs.append(job._replace(fails=not number(0, 1, 1, 1)))
    return machine, jobs


@pytest.mark.parametrize("seed", range(10))
def test_random_jobs_break_no_limit(seed: int) -> None:
    """In no rhythm; and if all that hold nobody are left out, nothing changes."""
    machine, jobs = random_held(seed)
    high = machine._replace(
        limits=tuple(
            replace(
                one, values={k: 10**9 if isinstance(v, int) else dict.fromkeys(v, 10**9) for k, v in one.values.items()}
            )
            for one in machine.limits
        )
    )
    for rhythm in (
        lambda m: ideal(m, jobs),
        lambda m: ideal(m, jobs, reservations=0),
        lambda m: ideal(m, jobs, reservations=ALL),
        lambda m: keep_places(m, jobs),
        lambda m: slurm(m, jobs, Rhythm(bf_first=-5)),
        lambda m: slurm(m, jobs, Rhythm(assoc_limit_stop=True)),
    ):
        runs = rhythm(machine)
        assert naive_check(machine, jobs, runs) == []
        assert list(held_check(machine, jobs, runs)) == []
        free = rhythm(high)
        assert free == rhythm(high._replace(limits=()))
        assert set(runs) <= set(free)
        assert runs != free


def test_a_schedule_that_breaks_limits_is_found_out() -> None:
    machine = with_accounts(machine_of(nodes_of(TWO)), ["add qos normal MaxJobsPU=1"])
    machine = machine._replace(reservations=(Reservation("r", 100, 200, frozenset({"n1"})),))
    jobs = jobs_of("0 60 -n1 --qos=normal -t1", "1 60 -n1 --qos=normal -t1", "2 60 -n1 -t1")
    jobs[2] = jobs[2]._replace(after=(After("afterany", (0,)),))
    one = {"n1": Amount(1, 1)}
    runs = {job.row: Busy(job, job.arrival, job.arrival + 60, "main", one) for job in jobs}
    assert list(held_check(machine, jobs, runs)) == [
        "job 1 starts at 1, but is held by QOSMaxJobsPerUserLimit",
        "job 2 starts at 2, and arrives at 60",
    ]
    late = {0: Busy(jobs[0], 60, 120, "main", one)}
    assert naive_check(machine, jobs, late) == ["job 0: is on a node that is reserved"]
