"""The logs and how each is read, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Log(NamedTuple):
    """A log: its name, its file below PARETOSCHED_MODERN, its kind ("swf", or a source of `ps.import_log`), options."""

    name: str
    file: str
    kind: str
    options: Mapping[str, Any] = {}


# Memory and GPUs are there those of each node; here only whether a job asks for them counts.
UBCCR = (
    "submit=submit,run=run,limit=limit,width=tasks,nodes=nodes,memory=memory_per_node,gpus=gpus_per_node,"
    "constraint=constraint,exclusive=exclusive,partition=partition,qos=qos,account=account,user=user,job=job"
)
MEDIUM = {"columns": UBCCR, "capacity": 7968}
LOGS = (
    Log("ALCF Theta", "alcf-theta.csv.gz", "csv", {"reading": "theta"}),
    Log("MetaCentrum", "metacentrum-wagap-2013.swf.gz", "swf"),
    Log("Alibaba OpenB", "openb-pods.csv.gz", "csv", {"reading": "openb"}),
    Log("UB CCR, a week", "ubccr-medium/week.csv.gz", "csv", MEDIUM),
    Log("UB CCR, three days", "ubccr-medium/first5000.csv.gz", "csv", MEDIUM),
    Log("UB CCR, teaching", "ubccr-micro/jobs500.csv.gz", "csv", {"columns": UBCCR, "capacity": 120}),
    Log("XDMoD pozidriv", "xdmod-pozidriv.sacct.gz", "slurm", {"zone": "America/New_York"}),
    Log("deep-batch-scheduler", "rlscheduler-lublin-256.swf.gz", "swf"),
)
ASKED = ("memory", "gpus", "nodes", "exclusive", "constraint")  # of which the share of the work is shown
QUICK_SIZE = {"jobs": 200, "processors": 32, "seed": 54}
