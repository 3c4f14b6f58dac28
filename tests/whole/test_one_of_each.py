"""What is there once is named in the singular, wherever commands count: on logs of one job on one processor."""

import re
from pathlib import Path

import pytest

from support.commands import command

pytestmark = pytest.mark.slow

# "1 jobs", but not "1 of 2 jobs", "0.1 hours", "in 1..4 processors" or a verb
ONE_OF_MANY = re.compile(r"(?<![\d.,:/'-])1 (?:waiting |user )?(?!(?:s|is|as|has|was|does)\b)[A-Za-z]+s\b.*")
HEAD = "; MaxProcs: 1\n; UnixStartTime: 1600000000\n"
COLUMNS = "submit=submit,start=start,end=end,width=width,user=user,limit=limit"
NAMES = "submit,start,end,width,user,limit\n"
SACCT = """\
JobID|JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes|NCPUS|TimelimitRaw
5|5|ida|chem|cpu|usual|1600000000|1600000000|1600000100|1600000200|100|COMPLETED|1|1|600
6|6|ida|chem|cpu|usual|1600000000|1600000000|1600000200|1600000300|100|COMPLETED|1|1|1
7|7|ida|chem|cpu|usual|1600000000|1600000000|Unknown|Unknown|0|PENDING|1|1|600
8|8|ida
"""
CONF = """ClusterName=lone
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n1 CPUs=1 RealMemory=1000
PartitionName=cpu Nodes=n1 Default=YES
PriorityType=priority/multifactor
PriorityWeightFairshare=5
"""
SHARES = "Cluster|Account|User|Partition|Share\nlone|root|||1\nlone|chem|||1\nlone|chem|bo||1\nlone|chem|bo|cpu|1\n"


def job(number: int, submit: int = 0, wait: int = 0, run: int = 10, width: int = 1) -> str:
    """Return a line of a log."""
    return f"{number} {submit} {wait} {run} {width} -1 -1 {width} 20 -1 1 1 1 -1 1 1 -1 -1\n"


def test_commands_never_say_one_of_something_in_the_plural(tmp_path: Path) -> None:
    here = tmp_path
    log, wide, odd = here / "one.swf", here / "wide.swf", here / "odd.swf"
    log.write_text(HEAD + job(1))
    wide.write_text(HEAD + job(1, width=2))
    odd.write_text(HEAD + job(1) + job(2, 5, run=40) + job(3, 6, wait=20, width=3) + job(4, 7, run=-1))
    texts = {
        "sacct": SACCT, "table": f"{NAMES}1600000000,1600000100,1600000200,1,ida,900\n",
        "torn": f"{NAMES}1600000000,1\n",
        "jobs.csv": "job,size,workload\na,1,5\n", "nodes.csv": "node,speed,utilisation\nn,2,1\n",
        "site.conf": CONF, "shares": SHARES, "groups.csv": "user,group\n9,far\n1,near\n",
        "asked": "job,submit,run,options\n1,0,10,-n1\n", "too-much": "job,submit,run,options\n1,0,10,-n4\n",
    }  # fmt: skip
    for name, text in texts.items():
        (here / name).write_text(text)
    run, nodes = here / "run", here / "nodes.parquet"
    search = ("explore", log, "-o", run, "--evaluations", 4, "--population", 4)
    asked = ("--columns", "job=job,submit=submit,run=run,options=options", "--machine", here / "machine.toml")
    train = ("train", log, "--objective", "AWRT1", "-o", here / "policy.json")
    calls: list[tuple[int, tuple[object, ...]]] = [
        (0, ("info", log, "--groups", here / "groups.csv")), (2, ("info", wide)), (0, ("info", odd)),
        (0, ("simulate", log, "--policy", "easy", "-o", here / "schedule.csv")),
        (0, ("simulate", log, "--policy", here / "site.conf", "--shares", here / "shares")),
        (0, ("simulate", log, "--policy", "order: if(group(far), 1, 0); backfill: easy:1")),
        (0, ("compare", odd, "--policy", "fcfs")), (0, search), (0, search), (0, ("info", run)), (0, ("front", run)),
        (0, ("front", run, run)), (0, ("compare", log, "--front", run)), (0, train),
        (0, ("import", "slurm", here / "sacct", "-o", here / "sacct.swf")),
        (0, ("import", "slurm", here / "sacct", "-o", here / "of-one.swf", "--capacity", 1, "--anonymise", here / "k")),
        (0, ("import", "csv", here / "table", "--columns", COLUMNS, "-o", here / "table.swf")),
        (2, ("import", "csv", here / "torn", "--columns", COLUMNS, "-o", here / "torn.swf")),
        (0, ("scale", log, "--factor", 2, "--processors", 1, "-o", here / "scaled.swf")),
        (2, ("resample", log, "-o", here / "resampled.swf")), (0, ("whatif", log, "--nodes", "+1")),
        (0, ("assign", here / "jobs.csv", here / "nodes.csv")),
        (0, ("machine", here / "site.conf", "-o", here / "machine.toml")),
        (0, ("import", "csv", here / "asked", *asked, "-o", nodes)),
        (2, ("import", "csv", here / "too-much", *asked, "-o", here / "no.parquet")),
        (0, ("info", nodes)), (0, ("simulate", nodes, "--policy", "easy")),
        (0, ("explain", here / "site.conf")),
    ]  # fmt: skip
    for status, words in calls:
        outcome = command(*words)
        assert outcome.status == status, (words, outcome.err)
        lines = [line for line in (outcome.out + outcome.err).splitlines() if "still at work" not in line]
        assert not [line for line in lines if ONE_OF_MANY.search(line)], words
