"""The questions as administrators ask them: log, commands, and what the answers do not tell, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Log(NamedTuple):
    """A log: what it is, its files (below PARETOSCHED_MODERN, or a name of `common.LOGS`), and how it is imported."""

    about: str
    files: tuple[str, ...]
    imports: tuple[str, ...] = ()
    texts: Mapping[str, str] = {}


class Asked(NamedTuple):
    """A question.

    Attributes
    ----------
    words
        The question.
    log
        Its log, a key of `LOGS`.
    commands
        What is typed, line by line; the tables of whatif and compare are the answer.
    limits
        What the answer does not tell.
    texts
        Files that the site would have, by name.
    left_out
        How many of the commands, from the end, are not shown, because they are the same for other days.
    """

    words: str
    log: str
    commands: tuple[str, ...]
    limits: tuple[str, ...]
    texts: Mapping[str, str] = {}
    left_out: int = 0


KTH, SDSC = "KTH-SP2-1996-2.1-cln.swf.gz", "SDSC-SP2-1998-4.2-cln.swf.gz"
METACENTRUM = "metacentrum-wagap-2013.swf.gz"
UB_FILES = tuple(f"ubccr-medium/{name}" for name in ("slurm.conf", "gres.conf", "sacctmgr.script"))
UB_COLUMNS = (
    "job=job,submit=submit,run=run,limit=limit,nodes=nodes,tasks=tasks,memory_per_node=memory_per_node,"
    "gpus_per_node=gpus_per_node,constraint=constraint,exclusive=exclusive,partition=partition,qos=qos,"
    "account=account,user=user,tasks_per_node=ntasks_per_node"
)
THETA_COLUMNS = (
    "job=job,submit=submit_time,wait=wait_time,run=run_time,limit=wall_time,tasks=node_num,user=user,account=project"
)
THETA = 'name = "theta"\n\n[[nodes]]\nhosts = "t[1-4392]"\ncores = 1\nmemory = 1\n\n[[partitions]]\nname = "default"\n'
UB = "UB CCR's cluster, 217 nodes of 7,968 cores, GPUs in 10 of them, with its own slurm.conf"
PEAK = "submissions only, and far more of them than the machine can do, so that waits are those of a growing queue"


def ub(jobs: str, log: str, conf: str = "slurm.conf") -> str:
    """Return the command that imports jobs of UB CCR."""
    return f"paretosched import csv {jobs} --columns {UB_COLUMNS} --machine {conf} -o {log}"


def theta(log: str, machine: str) -> str:
    """Return the command that imports Theta's jobs on a machine."""
    return f"paretosched import csv alcf-theta.csv.gz --columns {THETA_COLUMNS} --machine {machine} -o {log}"


def without(weight: str, value: str, conf: str) -> str:
    """Return the command that makes a slurm.conf of which one weight has another value."""
    return f"sed 's/^PriorityWeight{weight}=.*/PriorityWeight{weight}={value}/' slurm.conf > {conf}"


DAYS, WEEK = "first5000.csv.gz", "week.csv.gz"
LOGS: Mapping[str, Log] = {
    "KTH": Log("KTH, an IBM SP2 of 100 processors, eleven months of 1996 and 1997, waits recorded", ("KTH",)),
    "SDSC": Log("SDSC SP2, 128 processors, two years from 1998 on, waits recorded", ("SDSC00",)),
    "MetaCentrum": Log(
        "MetaCentrum, three months of 2013, waits recorded; taken as one pool of processors", (METACENTRUM,)
    ),
    "days": Log(f"{UB}; three days, {PEAK}", (f"ubccr-medium/{DAYS}", *UB_FILES), (ub(DAYS, "days.parquet"),)),
    "week": Log(f"{UB}; a week, {PEAK}", (f"ubccr-medium/{WEEK}", *UB_FILES), (ub(WEEK, "week.parquet"),)),
    "Theta": Log(
        "ALCF Theta, 4,392 nodes, November 2022 to May 2023",
        ("alcf-theta.csv.gz",),
        (theta("theta.parquet", "theta.toml"),),
        {"theta.toml": THETA},
    ),
}

FAIR = (
    "ClusterName=site\nPriorityType=priority/multifactor\nAccountingStorageType=accounting_storage/slurmdbd\n"
    "PriorityDecayHalfLife=14-0\nPriorityMaxAge=7-0\nPriorityWeightAge=1000\nPriorityWeightFairshare=10000\n"
)
KINDS = '--groups "gpu: gpus > 0; big: memory_per_node > 187000; one: width = 1; rest"'
WEIGHTS: Mapping[str, str] = {  # files, and what is different in them
    "fairshare.conf": "PriorityWeightFairshare=0",
    "age.conf": "PriorityWeightAge=0",
    "size.conf": "PriorityWeightJobSize=0",
    "qos.conf": "PriorityWeightQOS=0",
    "gpu.conf": "PriorityWeightTRES without GPUs",
    "chance.conf": "bf_interval 119 s, not 120 s",
}
MAINTENANCE = ("2023-01-24", "2023-02-07", "2023-03-07", "2023-04-11")  # Tuesdays
NEXT = {"2023-01-24": "2023-01-25", "2023-02-07": "2023-02-08", "2023-03-07": "2023-03-08", "2023-04-11": "2023-04-12"}
EQUAL = "Users came as they had come, whatever they then waited: a better schedule would have brought more work."
SHORT = "A few days have no intervals: another week may say the opposite."
LIMITS = "Limits of users and QOS are not simulated."
STUDENTS = "5 x1.2"
FIRST_DAYS = 3  # of a log of nodes, of which the use of GPUs is told
THETA_GROUPS = '--groups "large: width >= 1024; rest"'


def down(day: str) -> tuple[str, ...]:
    """Return the commands that close Theta for a day."""
    lines = f'\\n[[down]]\\nhosts = "t[1-4392]"\\nbegin = {day}T08:00:00Z\\nend = {NEXT[day]}T08:00:00Z\\n'
    return (
        f"printf '{lines}' | cat theta.toml - > down.toml",
        theta(f"{day}.parquet", "down.toml"),
        f"paretosched compare {day}.parquet {THETA_GROUPS} --policy easy",
    )


QUESTIONS: Mapping[str, Asked] = {
    "large": Asked(
        "Do our large jobs starve, and what would it cost the others to let them go first?",
        "KTH",
        (
            f'paretosched compare {KTH} --groups "large: width >= 50; middle: width >= 10; small" --policy recorded '
            '--policy "priority:large; backfill: easy" --users react',
        ),
        (
            "Large is half of the machine or more, small less than a tenth; other borders are other answers.",
            "Why the recorded waits are longer than EASY's is not in the log: operators, limits, and nodes that were "
            "down are not simulated.",
            "How users react is a model: they submit when their earlier jobs have ended. One log, no intervals.",
        ),
    ),
    "gpu": Asked(
        "Our GPU users complain of waiting. Does our Slurm treat them badly?",
        "days",
        (
            'paretosched compare days.parquet --groups "gpu: gpus > 0; rest" --today slurm.conf '
            '--policy "priority:gpu; backfill: easy" --shares sacctmgr.script',
        ),
        (f"{SHORT} Few jobs ask for GPUs here.", "No start is recorded: this is Slurm simulated.", f"{LIMITS} {EQUAL}"),
    ),
    "weight": Asked(
        "Which weight of our slurm.conf should we change?",
        "days",
        (
            without("Fairshare", "0", "fairshare.conf"),
            without("Age", "0", "age.conf"),
            without("JobSize", "0", "size.conf"),
            without("QOS", "0", "qos.conf"),
            without("TRES", "CPU=0,Mem=.03", "gpu.conf"),
            "sed 's/bf_interval=120/bf_interval=119/' slurm.conf > chance.conf",
            f"paretosched compare days.parquet {KINDS} --today slurm.conf "
            + " ".join(f"--policy {conf}" for conf in WEIGHTS)
            + " --shares sacctmgr.script",
        ),
        (
            "Each weight is switched off alone; two together may do something else, and half of it is not half.",
            f"{SHORT} The last row is a change of no importance, a pass each 119 s: believe what is much larger.",
            f"Usage begins at 0, so that fair share has only three days to work. {LIMITS}",
        ),
    ),
    "whole": Asked(
        "Should jobs have whole nodes, or share them?",
        "days",
        (
            "sed '/^PartitionName=general-compute/s/$/ OverSubscribe=EXCLUSIVE/' slurm.conf > whole.conf",
            ub(DAYS, "whole.parquet", "whole.conf"),
            'paretosched compare days.parquet --groups "small: width < 32; large" --policy easy',
            'paretosched compare whole.parquet --groups "small: width < 32; large" --policy easy',
        ),
        (
            "That jobs on one node slow each other down is not simulated, and it is the reason for whole nodes: jobs "
            "run here as long as they did when they shared.",
            "Users with whole nodes would pack several tasks into one job; here they do not.",
            f"{SHORT} EASY, no start recorded.",
        ),
    ),
    "limit": Asked(
        "What would a limit of 64 hours do?",
        "MetaCentrum",
        (f'paretosched whatif {METACENTRUM} --groups "long: limit > 64h; rest" --limit 64h --limit 7d',),
        (
            "The jobs beyond the limit are gone here. Real users would ask for less, or cut their work into pieces "
            "that come back: the gain is what the others can get at most.",
            "A request is not a run time: some of those jobs would have fitted.",
            "A limit of 64 processors or jobs for each user cannot be asked: limits of users are not simulated.",
            "One pool: memory and properties of nodes, which half of this log's work asks for, do not count.",
        ),
    ),
    "buy": Asked(
        "Should we buy 20 CPU nodes or 4 GPU nodes?",
        "week",
        (
            'paretosched whatif week.parquet --groups "gpu: gpus > 0; rest" --nodes "+20 cpu" --nodes "+4 gpu" '
            '--nodes "+1 cpu" --nodes "+1 gpu" --price cpu=8000 --price gpu=60000',
        ),
        (
            "The log is too short to be put together again from its users. Take two months or more, and the same "
            "command gives intervals.",
            f"The prices are made up. {EQUAL}",
        ),
    ),
    "fair": Asked(
        "Is our fair share too strong?",
        "KTH",
        (
            without("Fairshare", "5000", "half.conf"),
            without("Fairshare", "20000", "double.conf"),
            without("Fairshare", "0", "off.conf"),
            f"paretosched whatif {KTH} --policy slurm.conf --policy half.conf --policy double.conf --policy off.conf",
        ),
        (
            "KTH had no Slurm: this slurm.conf is an example (age 1,000, fair share 10,000, a half-life of two weeks), "
            "with equal shares for all. Take yours, and --shares.",
            f"The five draws are of the users of one log. {EQUAL}",
            "Whether heavy users deserve to wait is not a question for a simulation.",
        ),
        {"slurm.conf": FAIR},
    ),
    "maintenance": Asked(
        "How much does a maintenance day cost our users?",
        "Theta",
        (
            f"paretosched compare theta.parquet {THETA_GROUPS} --policy easy",
            *(line for day in MAINTENANCE for line in down(day)),
        ),
        (
            "The day is known long before, as with a reservation in Slurm that is made before the longest request; a "
            "failure that nobody expects also kills jobs, and that is not simulated.",
            "Users submit on that day as they did; many would wait, or work less.",
            "Four Tuesdays on which the log has work, under EASY. One in a gap of the log would cost nothing.",
        ),
        left_out=3 * (len(MAINTENANCE) - 1),
    ),
    "change": Asked(
        "We have let short requests go first. Who has paid for it?",
        "KTH",
        (
            f'paretosched compare {KTH} --groups "large: width >= 50; short: limit <= 1h; rest" --today easy '
            '--policy "sjf; backfill: easy" --rolling 2 --users react',
        ),
        (
            "Both sides are simulated on the same jobs. A record before and after a change would mix it with the "
            "weather; `paretosched review` does it for a policy that runs.",
            "Users would learn to ask for less time, and the gain of short requests would shrink.",
            "Two halves of a log are two looks, no interval.",
        ),
    ),
    "students": Asked(
        "What would 20 % more students do to everybody's waits, and could another order take it up?",
        "SDSC",
        (
            f'paretosched whatif {SDSC} --group "{STUDENTS}" --load 1.2 --policy easy --policy "lxf; backfill: easy" '
            "--users react",
        ),
        (
            "Nobody in this log is called a student. Group 5, users of less than 0.1 % of the work each, stands for "
            "them; with accounts it is --groups account.",
            "New users are copies of old ones, with their hours, at other weeks. --load takes users of all groups.",
            "Users react to other waits than they have in this log under today's scheduler: they submit the next job "
            "later, but they never go away.",
        ),
    ),
}  # fmt: skip

QUICK = {"jobs": 1800, "processors": 64, "seed": 40}
QUICK_JOBS = 80
