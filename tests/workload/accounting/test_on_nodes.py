"""import --machine: what each job asks of nodes, from tables, sacct and other accounting."""

import csv
import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched import InputError, Workload, import_log, load_log, read_machine
from paretosched.workload.plausibility import doubts
from support.accounting import RECORDED
from support.commands import command

CONF = """\
ClusterName=tiny
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=1000
NodeName=DEFAULT CPUs=8 RealMemory=16000
NodeName=n[01-04] Feature=ib
NodeName=g[1-2] Gres=gpu:a100:2 Feature=ib,new
PartitionName=DEFAULT MaxTime=1-0 DefaultTime=30
PartitionName=cpu Nodes=n[01-04] Default=YES
PartitionName=gpu Nodes=g[1-2] PriorityTier=5
PartitionName=all Nodes=ALL MaxTime=2:00:00
"""
ALL_COLUMNS = (
    "job=job,submit=submit,run=run,limit=limit,nodes=nodes,tasks=tasks,memory_per_node=memory_per_node,"
    "gpus_per_node=gpus_per_node,constraint=constraint,exclusive=exclusive,partition=partition,qos=qos,account=account,"
    "user=user"
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "slurm.conf").write_text(CONF)
    return tmp_path


def import_text(site: Path, source: str, text: str, *words: object, name: str = "log.parquet") -> Workload:
    """Return the log that import --machine makes of a text."""
    (site / "text.txt").write_text(text)
    outcome = command("import", source, site / "text.txt", "--machine", site / "slurm.conf", "-o", site / name, *words)
    assert outcome.status == 0, outcome.err
    return load_log(site / name, overrun="cut")


def columns_of(workload: Workload, *keys: str) -> list[tuple[Any, ...]]:
    """Return some columns of the requests, a row for each job."""
    requests = workload.requests
    assert requests is not None
    columns = [getattr(requests, key) for key in keys]
    return [*zip(*(each.list() if hasattr(each, "list") else each.tolist() for each in columns), strict=True)]


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "gpus", "memory", "doubt"),
    [
        (400, 2, "", "OFFERED LOAD of GPUs 2.02: the nodes can do 50 % of it until the last submission"),
        (400, 1, "", ""),
        (1000, 0, "13000M", "OFFERED LOAD of memory 1.37: the nodes can do 73 % of it until the last submission"),
        (400, 0, "13000M", ""),
    ],
)
def test_more_gpus_or_memory_than_the_nodes_have_is_a_doubt(
    site: Path, run: int, gpus: int, memory: str, doubt: str
) -> None:
    """A job every 100 s, 101 of them, on 4 GPUs and 96,000 MiB."""
    text = "submit,run,tasks,gpus,memory,partition\n"
    text += "".join(f"{100 * i},{run},1,{gpus or ''},{memory},all\n" for i in range(101))
    names = "submit=submit,run=run,tasks=tasks,gpus_per_node=gpus,memory_per_node=memory,partition=partition"
    log = import_text(site, "csv", text, "--columns", names)
    assert doubts(log) == ((doubt,) if doubt else ())
    outcome = command("import", "csv", site / "text.txt", "--machine", site / "slurm.conf", "--columns", names)
    assert outcome.out.startswith(doubt or "action")


def test_the_columns_of_a_table(site: Path) -> None:
    head = (
        "user,job,submit,run,limit,nodes,tasks,memory_per_node,gpus_per_node,constraint,exclusive,partition,qos,account"
    )
    text = f"""{head}
u1,1,0,10,600,1,8,,,,,cpu,high,a1
u1,2,1,10,600,2,4,4G,,ib,yes,cpu,low,a1
u2,3,2,10,600,2-3,4,500M,,,user,all,low,a2
u2,4,3,10,600,,3,,2,new,no,"gpu,all",low,a2
u2,5,4,10,600,1,9,,,,,cpu,low,a2
u2,6,5,10,90000,1,1,,,,,cpu,low,a2
"""
    log = import_text(site, "csv", text, "--columns", ALL_COLUMNS)
    assert log.machine == read_machine(site / "slurm.conf")
    assert log.job.tolist() == [1, 2, 3, 4]
    assert columns_of(log, "nodes_least", "nodes_most", "tasks", "memory_per_node", "gpus_per_node", "exclusive") == [
        (1, 1, 8, -1, 0, 0),
        (2, 2, 4, 4096, 0, 1),
        (2, 3, 4, 500, 0, 2),
        (1, 0, 3, -1, 2, 0),
    ]
    assert columns_of(log, "constraint", "partition", "qos", "account") == [
        ("", "cpu", "high", "a1"),
        ("ib", "cpu", "low", "a1"),
        ("", "all", "low", "a2"),
        ("new", "gpu,all", "low", "a2"),
    ]
    assert log.width.tolist() == [8, 4, 4, 3]
    assert log.names is not None
    assert log.names.users == {1: "u1", 2: "u2"}


def test_the_jobs_that_can_never_run_are_shown(site: Path) -> None:
    (site / "jobs.csv").write_text("submit,run,tasks\n0,10,9\n1,10,48\n2,30,49\n")
    words = ("import", "csv", site / "jobs.csv", "--columns", "submit=submit,run=run,tasks=tasks")
    outcome = command(*words, "--machine", site / "slurm.conf")
    assert "can never run on the machine: its partitions do not have so many nodes" in outcome.out
    assert "1 job of" in outcome.out
    rows = command(*words, "--machine", site / "slurm.conf", "--json").json
    assert (rows["jobs"], rows["capacity"], rows["work"]) == (1, 48, 90)


def test_options_say_all_and_columns_count_more(site: Path) -> None:
    text = """job,submit,run,options,tasks
1,0,10,"-N2-4 -n8 --mem=10 -t20 -w n03",
2,5,10,"-n1 --gres=gpu:1 -p gpu -t 5 -A acc -q high -C 'ib&new'",
3,6,10,"--exclusive -n2 run.sh -n 9",4
"""
    columns = "job=job,submit=submit,run=run,options=options,tasks=tasks"
    log = import_text(site, "csv", text, "--columns", columns)
    assert columns_of(log, "nodes_least", "nodes_most", "tasks", "memory_per_node", "hosts", "exclusive") == [
        (2, 4, 8, 10, "n03", 0),
        (1, 0, 1, -1, "", 0),
        (1, 0, 4, -1, "", 1),
    ]
    assert columns_of(log, "partition", "account", "qos", "constraint", "gpus_per_node")[1] == (
        "gpu",
        "acc",
        "high",
        "ib&new",
        1,
    )
    assert log.estimate.tolist() == [1200, 300, 1800]  # the last one has the usual limit of its partition
    assert any(each.reason.startswith("no limit: the usual one of its partition") for each in log.repairs)


def test_a_job_without_any_limit_is_planned_for_a_year(site: Path) -> None:
    (site / "slurm.conf").write_text("NodeName=n1 CPUs=4 RealMemory=9000\nPartitionName=x Nodes=n1 MaxTime=INFINITE\n")
    columns = "job=job,submit=submit,run=run,options=options"
    log = import_text(site, "csv", "job,submit,run,options\n1,0,10,-n1\n2,0,10,-n1 -t20\n", "--columns", columns)
    assert log.estimate.tolist() == [365 * 86400, 1200]
    log = import_text(site, "csv", "job,submit,run,options\n1,0,10,-n1\n2,0,10,-n1\n", "--columns", columns)
    assert log.estimate.tolist() == [10, 10]  # nothing says that the limits are known


def test_options_make_a_log_without_nodes_too(site: Path) -> None:
    (site / "jobs.csv").write_text('submit,run,options\n0,10,"-N2 -n8 --mem=1G --gres=gpu:1 -t20 -p x"\n1,10,-c3\n')
    words = ("import", "csv", site / "jobs.csv", "--columns", "submit=submit,run=run,options=options", "--capacity", 9)
    assert command(*words, "-o", site / "log.swf").status == 0
    lines = [line.split() for line in (site / "log.swf").read_text().splitlines() if not line.startswith(";")]
    assert [(line[7], line[8], line[9]) for line in lines] == [
        ("8", "1200", str(2 * 1024 * 1024 // 8)),
        ("3", "10", "-1"),
    ]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("x,,,", 'text.txt:2: what the job asks for cannot be read: --ntasks must be a whole number, but is "x"'),
        ("1,lots,,", "text.txt:2: what the job asks for cannot be read: --mem must be a size such as 4000M or 4G"),
        ("1,,perhaps,", 'text.txt:2: exclusive is "perhaps", but must be yes, no or user'),
        ("1,,,a&", "text.txt:2: what the job asks for cannot be read: constraint"),
    ],
)
def test_cells_that_sbatch_would_not_take(site: Path, cells: str, words: str) -> None:
    (site / "text.txt").write_text(f"submit,run,tasks,memory_per_node,exclusive,constraint\n0,10,{cells}\n")
    columns = (
        "submit=submit,run=run,tasks=tasks,memory_per_node=memory_per_node,exclusive=exclusive,constraint=constraint"
    )
    outcome = command("import", "csv", site / "text.txt", "--machine", site / "slurm.conf", "--columns", columns)
    assert outcome.status == 2
    assert words in outcome.err
    assert outcome.err.count("\n") == 1


# --- sacct ------------------------------------------------------------------------------------------------------------

HEAD = (
    "JobIDRaw|Submit|Start|End|ElapsedRaw|NNodes|ReqCPUS|NCPUS|ReqTRES|AllocTRES|TimelimitRaw|State|User|Account|QOS|"
    "Partition"
)
BEGIN = "|1700000000|1700000010|1700000110|100"
END = "|60|COMPLETED|ann|phys|normal"


def test_requested_resources_of_sacct(site: Path) -> None:
    rows = [
        f"1{BEGIN}|2|8|8|cpu=8,mem=8000M,node=2|cpu=8{END}|cpu",
        f"2{BEGIN}|1|2|2|cpu=2,mem=2000M,node=1,gres/gpu=1,gres/gpu:a100=1|cpu=2{END}|gpu",
        f"3{BEGIN}|2|8|8|cpu=8,mem=8G,node=1|cpu=8{END}|cpu",  # more nodes than it asked for: memory a CPU
    ]
    log = import_text(site, "slurm", "\n".join([HEAD, *rows]))
    keys = ("tasks", "nodes_least", "nodes_most", "memory_per_node", "memory_per_cpu", "gpus_per_node", "gpu_type")
    assert columns_of(log, *keys) == [
        (8, 2, 0, 4000, -1, 0, ""),
        (2, 1, 0, 2000, -1, 1, "a100"),
        (8, 1, 0, -1, 1024, 0, ""),
    ]
    assert columns_of(log, "partition", "qos", "account") == [
        ("cpu", "normal", "phys"),
        ("gpu", "normal", "phys"),
        ("cpu", "normal", "phys"),
    ]
    assert log.wait.tolist() == [10, 10, 10]


@pytest.mark.parametrize("bars", ["|", ";", "\t"])
def test_submit_line_counts_more(site: Path, bars: str) -> None:
    rows = [
        f"1{BEGIN}|1|8|8|cpu=8,mem=4000M,node=1|cpu=8{END}|cpu|sbatch -N1-2 -n4 -p cpu,all --mem=4000 run.sh",
        f"2{BEGIN}|1|2|8|cpu=2,mem=2000M,node=1|cpu=8{END}|cpu|sbatch --exclusive -C ib -w n02 run.sh -n 3",
        f"3{BEGIN}|1|2|2|cpu=2,mem=2000M,node=1|cpu=2{END}|cpu|sbatch --blurb run.sh",
        f"4{BEGIN}|1|2|2|cpu=2,mem=2000M,node=1|cpu=2{END}|cpu|",
    ]
    log = import_text(site, "slurm", "\n".join([f"{HEAD}|SubmitLine", *rows]).replace("|", bars))
    keys = ("tasks", "cpus_per_task", "nodes_least", "nodes_most", "exclusive", "constraint", "hosts", "partition")
    assert columns_of(log, *keys) == [
        (4, 2, 1, 2, 0, "", "", "cpu,all"),  # two CPUs a task stood in the script
        (2, 1, 1, 0, 1, "ib", "n02", "cpu"),
        (2, 1, 1, 0, 0, "", "", "cpu"),
        (2, 1, 1, 0, 0, "", "", "cpu"),
    ]
    assert [each.jobs for each in log.repairs if each.reason.startswith("SubmitLine cannot be read")] == [1]


def test_components_of_a_heterogeneous_job_stay_on_their_partitions(site: Path) -> None:
    line = "sbatch -n4 -p cpu : -n2 -p gpu --gres=gpu:2 run.sh"
    rows = [
        f"6+0|6{BEGIN}|1|4|4|cpu=4,mem=4000M,node=1|cpu=4{END}|cpu|{line}",
        f"6+1|7{BEGIN}|1|2|2|cpu=2,mem=2000M,node=1,gres/gpu=2|cpu=2{END}|gpu|{line}",
    ]
    log = import_text(site, "slurm", "\n".join([f"JobID|{HEAD}|SubmitLine", *rows]))
    assert log.job.tolist() == [6, 7]
    assert columns_of(log, "tasks", "gpus_per_node", "partition") == [(4, 0, "cpu"), (2, 2, "gpu")]
    assert [each.jobs for each in log.repairs if each.reason.startswith("components of heterogeneous jobs: a job")] == [
        2
    ]


def test_a_header_of_too_few_columns_is_told_from_none(site: Path) -> None:
    (site / "text.txt").write_text("JobIDRaw|State\n1|COMPLETED\n")
    outcome = command("import", "slurm", site / "text.txt", "--machine", site / "slurm.conf", "-o", site / "x.parquet")
    assert outcome.status == 2
    assert "text.txt:1: must name when jobs came and ran, but names JobIDRaw, State; " in outcome.err


def test_a_run_beyond_its_limit_is_kept_as_recorded(site: Path) -> None:
    rows = [f"1|1700000000|1700000010|1700009010|9000|1|1|1|cpu=1,mem=1G,node=1|cpu=1{END}|cpu"]
    import_text(site, "slurm", "\n".join([HEAD, *rows]))
    assert load_log(site / "log.parquet", overrun="raise").run.tolist() == [9000]
    assert load_log(site / "log.parquet", overrun="cut").run.tolist() == [3600]


def test_events_say_when_nodes_were_down(site: Path) -> None:
    (site / "events.txt").write_text(
        "tiny|n01|1700000050|1700000060|DOWN|cpu=8|x\ntiny|n02|1700000070|0|DRAIN|cpu=8|\ntiny|n03|1|2|MIXED|cpu=8|\n"
        "tiny|gone|1700000050|1700000060|DOWN|cpu=8|x\n"
    )
    rows = [f"1{BEGIN}|1|1|1|cpu=1,mem=1G,node=1|cpu=1{END}|cpu"]
    log = import_text(site, "slurm", "\n".join([HEAD, *rows]), "--events", site / "events.txt")
    assert log.machine is not None
    node, begin, end = log.machine.down_by_node(log.epoch)
    assert [log.machine.names[k] for k in node.tolist()] == ["n01", "n02"]
    assert (begin.tolist(), end.tolist()[0]) == ([50, 70], 60)


# --- other accounting, and what does not fit --------------------------------------------------------------------------


def test_grid_engine_on_a_machine_toml(site: Path) -> None:
    command("machine", site / "slurm.conf", "-o", site / "machine.toml")
    words = ("--machine", site / "machine.toml", "-o", site / "s.parquet")
    outcome = command("import", "sge", RECORDED / "sge-accounting", *words)
    assert outcome.status == 0, outcome.err
    log = load_log(site / "s.parquet", overrun="cut")
    assert log.job.tolist()[0] == 3  # 32 times 2,500 MiB fit on none of the partitions
    assert columns_of(log, "tasks", "partition")[0] == (1, "")  # the queue is no partition


def test_options_that_do_not_fit(site: Path) -> None:
    (site / "jobs.csv").write_text("submit,run,tasks\n0,10,1\n")
    words = ["import", "csv", site / "jobs.csv", "--columns", "submit=submit,run=run,tasks=tasks"]
    on_nodes = [*words, "--machine", site / "slurm.conf"]
    for command_line, expected in [
        ([*words, "-o", site / "x.parquet"], "x.parquet: a log in Parquet has nodes, and needs --machine"),
        (
            [*on_nodes, "-o", site / "x.swf"],
            "x.swf: a log with --machine is in Parquet, and its name must end in .parquet",
        ),
        ([*on_nodes, "--capacity", 9], "--capacity does not go with --machine: the machine says it"),
        (
            [*on_nodes[:-3], "submit=submit,run=run,nodes=tasks", *on_nodes[-2:], "--width", "nodes"],
            "--width must be cpus with --machine, but is nodes",
        ),
        ([*on_nodes, "--anonymise", site / "k", "-o", site / "x.parquet"], "--anonymise does not go with --machine"),
        ([*words, "--machine", site / "none.conf"], "none.conf: no such file"),
    ]:
        outcome = command(*command_line)
        assert outcome.status == 2
        assert expected in outcome.err
        assert not (site / "x.parquet").exists()
    with pytest.raises(InputError, match=r"m\.toml: no such file"):
        import_log("csv", site / "jobs.csv", columns="submit=submit,run=run,tasks=tasks", machine=site / "m.toml")


MODERN = os.environ.get("PARETOSCHED_MODERN")


@pytest.mark.skipif(MODERN is None, reason="NO MODERN LOGS: PARETOSCHED_MODERN does not name the folder that has them")
@pytest.mark.parametrize(
    "name", ["ubccr-medium/week.csv.gz", "ubccr-medium/first5000.csv.gz", "ubccr-micro/jobs500.csv.gz"]
)
def test_real_jobs_against_the_plainest_parser(tmp_path: Path, name: str) -> None:
    table = Path(str(MODERN), name)
    conf = table.parent / "slurm.conf"
    outcome = command("import", "csv", table, "--machine", conf, "--columns", ALL_COLUMNS, "-o", tmp_path / "l.parquet")
    assert outcome.status == 0, outcome.err
    log = load_log(tmp_path / "l.parquet", overrun="cut")
    with gzip.open(table, "rt", encoding="ascii") as file:
        rows = [row for row in csv.DictReader(file) if int(row["run"]) > 0]

    def mebibytes(text: str) -> int:
        if not text:
            return -1
        return int(text[:-1]) * {"M": 1, "G": 1024}[text[-1]] if text[-1] in "MG" else int(text)

    assert len(log) == len(rows)
    assert log.job.tolist() == [int(row["job"]) for row in rows]
    assert log.run.tolist() == [min(int(row["run"]), int(row["limit"])) for row in rows]
    assert log.estimate.tolist() == [int(row["limit"]) for row in rows]
    assert columns_of(log, "tasks", "nodes_least", "nodes_most", "memory_per_node", "gpus_per_node", "exclusive") == [
        (
            int(row["tasks"]),
            int(row["nodes"] or 1),
            int(row["nodes"] or 0),
            mebibytes(row["memory_per_node"]),
            int(row["gpus_per_node"] or 0),
            {"": 0, "yes": 1, "user": 2}[row["exclusive"]],
        )
        for row in rows
    ]
    assert columns_of(log, "constraint", "partition", "qos", "account") == [
        (row["constraint"], row["partition"], row["qos"], row["account"]) for row in rows
    ]
    assert np.array_equal(log.width, [int(row["tasks"]) for row in rows])


PRINTED = Path(__file__).parents[2] / "data/slurm_limits"
LOOP = """\
ClusterName=loop
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n[1-3] CPUs=4 RealMemory=8000
PartitionName=batch Nodes=ALL Default=YES
"""
JOBS = """\
job,submit,run,limit,tasks,qos,account,user,start
1,2026-12-28T00:00:00Z,600,3600,2,short,sea,games,2026-12-28T00:00:10Z
2,2026-12-28T00:00:00Z,600,1200,2,short,sea,games,2026-12-28T00:00:10Z
3,2027-01-07T00:00:00Z,600,3600,2,short,sea,games,
4,2027-01-08T00:00:00Z,600,1200,3,big,bio,lp,2027-01-08T00:00:00Z
"""
ALL_OF_SITE = ("--qos", PRINTED / "qos.txt", "--assoc", PRINTED / "assoc.txt",
               "--reservations", PRINTED / "reservations.txt")  # fmt: skip
OF_JOBS = "job=job,submit=submit,run=run,limit=limit,tasks=tasks,qos=qos,account=account,user=user,start=start"


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    (tmp_path / "slurm.conf").write_text(LOOP)
    (tmp_path / "jobs.csv").write_text(JOBS)
    return tmp_path


def test_limits_accounts_and_reservations_of_a_site_are_in_the_log(loop: Path) -> None:
    words = ("import", "csv", loop / "jobs.csv", "--machine", loop / "slurm.conf", "--columns", OF_JOBS, *ALL_OF_SITE)
    outcome = command(*words, "--zone", "UTC", "-o", loop / "l.parquet", "--remarks")
    assert outcome.status == 0, outcome.err
    assert outcome.err.splitlines() == [
        f"paretosched: {words}"
        for words in (
            f"{loop / 'slurm.conf'} has no AccountingStorageEnforce=limits, so that its Slurm enforces no limits; 5 "
            "QOS and associations with limits are taken all the same: simulate --without limits leaves them out",
            "1 reservation outside of the time of the log, left out: course",
            "1 reservation left out, of some cores of nodes only, which other jobs may take: part",
            "1 reservation left out, always to begin later (TIME_FLOAT): float",
            "1 reservation left out, without nodes: lic",
        )
    ]
    exempt = "ran although a limit keeps such jobs out: exempt from it (MaxTRESPU 1, MaxWall 1)"
    kept_out = "can never run on the machine: a limit of its QOS, account or user keeps it out: MaxWall"
    assert f"{exempt} " in outcome.out
    assert f"{kept_out} (" in outcome.out
    log = load_log(loop / "l.parquet")
    assert log.job.tolist() == [1, 2, 4]
    assert [each.first for each in log.repairs if each.reason == exempt] == ["job 1, job 4"]
    machine = log.machine
    assert machine is not None
    assert [each.of for each in machine.limits] == [
        "account bio", "account bio, user lp, partition batch", "account sea, user games", "QOS big", "QOS short",
    ]  # fmt: skip
    assert machine.accounts == (("bio", "root"), ("sea", "bio"))
    days = [(each.name, (each.begin - log.epoch) // 86400) for each in machine.reservations]
    assert days == sorted(days, key=lambda each: each[1])
    assert [day for name, day in days if name == "maint"] == [0, 7]
    assert [day for name, day in days if name == "notbio"] == [*range(11)]
    shown = command("machine", loop / "l.parquet").out
    assert "QOS short: 4 running jobs a user; 16 submitted jobs a user; jobs of at most 0:20 h; flags Deny" in shown
    assert "\nreservation maint: 2 times, first ALL from 2026-12-28 08:00 UTC until 2026-12-28 18:00 UTC; 60.0" in shown
    assert "\nall reservations together: 76.5 node hours\n" in shown
    info = command("info", loop / "l.parquet").out
    assert "  limits of 2 QOS and of 3 accounts or users; 13 reservations of 76.5 node hours: paretosched mach" in info


def test_the_lines_of_reservations_may_be_several(loop: Path) -> None:
    logs = []
    for name in ("reservations.txt", "reservations_lines.txt"):
        words = ("--machine", loop / "slurm.conf", "--columns", OF_JOBS, "--reservations", PRINTED / name)
        assert (
            command("import", "csv", loop / "jobs.csv", *words, "--zone", "UTC", "-o", loop / "l.parquet").status == 0
        )
        logs.append(load_log(loop / "l.parquet").machine)
    assert logs[0] == logs[1]


def test_a_site_that_enforces_its_limits_is_not_remarked_and_a_machine_toml_has_them_too(loop: Path) -> None:
    (loop / "slurm.conf").write_text(f"{LOOP}AccountingStorageEnforce=associations,limits\n")
    words = ("--columns", OF_JOBS, *ALL_OF_SITE[:4])
    first = command(
        "import", "csv", loop / "jobs.csv", "--machine", loop / "slurm.conf", *words, "-o", loop / "l.parquet"
    )
    assert "AccountingStorageEnforce" not in first.err
    assert command("machine", loop / "l.parquet", "-o", loop / "m.toml").status == 0
    assert read_machine(loop / "m.toml") == load_log(loop / "l.parquet").machine
    again = command("import", "csv", loop / "jobs.csv", "--machine", loop / "m.toml", "--columns", OF_JOBS)
    assert "exempt from it (MaxTRESPU 1, MaxWall 1)" in again.out


@pytest.mark.parametrize("name", ["qos", "assoc", "reservations"])
def test_what_belongs_to_a_machine_needs_one(loop: Path, name: str) -> None:
    outcome = command("import", "csv", loop / "jobs.csv", "--columns", "submit=submit,run=run,width=tasks",
                      f"--{name}", PRINTED / "qos.txt")  # fmt: skip
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert f"--{name}" in outcome.err
    assert "--machine, such as a slurm.conf" in outcome.err


def test_jobs_that_name_no_account_are_in_that_of_their_user(loop: Path) -> None:
    columns = OF_JOBS.replace(",account=account", "")
    words = ("--machine", loop / "slurm.conf", "--columns", columns, "--groups", "user", *ALL_OF_SITE[:4])
    outcome = command("import", "csv", loop / "jobs.csv", *words, "-o", loop / "l.parquet")
    assert "no job has an account" not in outcome.err
    machine = load_log(loop / "l.parquet").machine
    assert machine is not None
    assert dict(machine.homes) == {"root": "root", "games": "sea", "lp": "bio"}


# --- arrays and dependencies ------------------------------------------------------------------------------------------


def test_arrays_and_dependencies_of_sacct(site: Path) -> None:
    """The tasks are in the order of their index, whatever their numbers; a name is a number, the same for both."""
    line = "sbatch --array=1-9:4%2 run.sh"
    asked = [
        ("13", "11_9", line),
        ("12", "11_5", line),
        ("11", "11_1", line),
        ("14", "14", "sbatch -d afterok:11_5,after:11+2 -J x run.sh"),
        ("15", "15", "sbatch --dependency=singleton -J x run.sh"),
        ("16", "16", "sbatch -d singleton --job-name=x other.sh"),
        ("17", "17", "sbatch -d singleton /home/me/x"),
        ("18", "18", "sbatch -d singleton run.sh"),
        ("19", "19_2", "sbatch -a 1-2 run.sh"),
    ]
    rows = [f"{raw}{BEGIN}|1|2|2|cpu=2,mem=2000M,node=1|cpu=2{END}|cpu|{job}|{said}" for raw, job, said in asked]
    log = import_text(site, "slurm", "\n".join([f"{HEAD}|JobID|SubmitLine", *rows]))
    assert log.job.tolist() == [11, 12, 13, 14, 15, 16, 17, 18, 19]
    assert columns_of(log, "array", "array_index", "array_most")[:4] == [(11, 1, 2), (11, 5, 2), (11, 9, 2), (0, 0, 0)]
    assert columns_of(log, "array", "array_index", "array_most")[-1] == (19, 2, 0)
    dependencies = [text for (text,) in columns_of(log, "dependency")]
    assert dependencies[3] == "afterok:11_5,after:11+2"
    assert len({*dependencies[4:7]}) == 1
    assert dependencies[4].startswith("singleton:")
    assert dependencies[7] not in ("", dependencies[4])
    again = load_log(site / "log.parquet", overrun="cut")
    assert columns_of(again, "array", "array_index", "array_most") == columns_of(
        log, "array", "array_index", "array_most"
    )


def test_arrays_and_dependencies_of_a_table(site: Path) -> None:
    text = (
        "job,submit,run,tasks,options,after\n"
        "7_2,0,10,1,--array=1-10%2,\n"
        "7_1,0,10,1,--array=1-10%2,\n"
        "9,5,10,1,,afterany:7\n"
        "10,6,10,1,-d afterok:9,\n"
    )
    names = "job=job,submit=submit,run=run,tasks=tasks,options=options,dependency=after"
    log = import_text(site, "csv", text, "--columns", names)
    assert columns_of(log, "array", "array_index", "array_most", "dependency") == [
        (7, 1, 2, ""),
        (7, 2, 2, ""),
        (0, 0, 0, "afterany:7"),
        (0, 0, 0, "afterok:9"),
    ]
    assert log.job.tolist()[2:] == [9, 10]


def test_a_dependency_that_cannot_be_read_is_refused_in_a_table_by_its_line(site: Path) -> None:
    text = "job,submit,run,tasks,after\n1,0,10,1,\n2,5,10,1,afterok:x\n"
    (site / "text.txt").write_text(text)
    names = "job=job,submit=submit,run=run,tasks=tasks,dependency=after"
    outcome = command(
        "import",
        "csv",
        site / "text.txt",
        "--machine",
        site / "slurm.conf",
        "-o",
        site / "o.parquet",
        "--columns",
        names,
    )
    assert outcome.status == 2
    assert "text.txt:3: what the job asks for cannot be read: a dependency must be TYPE:JOB[:JOB...]" in outcome.err


OPTIONS = "job=job,submit=submit,run=run,options=options"
COURSE = "ReservationName={} StartTime={} EndTime={} Nodes=n[01-02] NodeCnt=2 Flags=SPEC_NODES Users=anna\n"


def test_what_options_say_of_reservations_requeues_and_times(site: Path) -> None:
    rows = (
        "job,submit,run,options\n"
        "1,1000000,60,-n1 -t20 --no-requeue\n"
        "2,1000010,60,-n1 -t20 --begin=now+5minutes\n"
        "3,1000020,60,-n1 -t20 --reservation=course\n"
    )
    log = import_text(site, "csv", rows, "--columns", OPTIONS)
    assert columns_of(log, "requeue", "reservation") == [(0, ""), (-1, ""), (-1, "course")]
    assert (log.eligible - log.submit).tolist() == [0, 300, 0]


def test_sacct_says_in_which_reservation_a_job_was(site: Path) -> None:
    text = (
        "JobIDRaw|User|Account|Partition|Submit|Start|End|State|NNodes|NCPUS|ReqTRES|Timelimit|Reservation\n"
        "1|anna|a|cpu|1000000|1000000|1000060|COMPLETED|1|1|cpu=1,mem=1G,node=1|00:20:00|course\n"
        "2|ben|a|cpu|1000000|1000000|1000060|COMPLETED|1|1|cpu=1,mem=1G,node=1|00:20:00|\n"
    )
    log = import_text(site, "slurm", text)
    assert columns_of(log, "reservation") == [("course",), ("",)]


def test_reservations_count_until_the_last_job_of_a_simulation_may_have_ended(site: Path) -> None:
    """Where starts are known, until the last one by its limit; else until all could have run one after the other."""
    kept = "".join(
        COURSE.format(f"r{begin}", 1000000 + begin, 1000000 + begin + 60) for begin in (1100, 1300, 9000, 99000)
    )
    (site / "res.txt").write_text(kept)
    rows = "job,submit,start,run,options\n" + "".join(
        f"{i},{1000000 + i},{1000000 + i},600,-p all -n48 -N6 -t20\n" for i in range(10)
    )
    words = ("--reservations", site / "res.txt", "--columns")
    known = import_text(site, "csv", rows, *words, f"{OPTIONS},start=start")
    assert known.machine is not None
    assert [each.name for each in known.machine.reservations] == ["r1100"]
    unknown = import_text(site, "csv", rows, *words, OPTIONS, name="unknown.parquet")
    assert unknown.machine is not None
    assert [each.name for each in unknown.machine.reservations] == ["r1100", "r1300"]
