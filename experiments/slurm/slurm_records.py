"""What slurmctld's log and `scontrol -d -o show job` say of a replay: seconds of passes, and the nodes of jobs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from paretosched.workload.host_lists import node_names

# Lines of slurm.conf with which the log has what is read here.
LOGGED = {"DebugFlags": "Backfill", "SlurmctldDebug": "verbose"}
STAMP = r"\[(?P<time>\S+?)\.\d+\] "
BACKFILLS = "sched/backfill: _attempt_backfill: beginning"
FIRST_CALCULATION = "priority/multifactor: _read_last_decay_ran: "
STARTED = re.compile(r"sched: Allocate JobId=(\d+) |_start_job: Started JobId=(\d+) ")
MAIN = "Main"  # the scheduler that starts jobs while they fit, in a job's record


class Seconds(NamedTuple):
    """When slurmctld does what, in seconds of the window.

    Attributes
    ----------
    passes
        In which it began to backfill.
    calculated
        From which on it has calculated priorities, once in PriorityCalcPeriod; None if it does not calculate them.
    """

    passes: Sequence[int]
    calculated: int | None


class Start(NamedTuple):
    """How a job started: its number, whether in a main pass, and how many processors of each node it got; n1 is 0."""

    number: int
    is_main: bool
    held: Mapping[int, int]


def seconds_of(log: str, epoch: int) -> Seconds:
    """Return the seconds that a log of slurmctld in UTC has; `epoch` is the Unix time of second 0."""

    def seconds(words: str) -> list[int]:
        times = (found["time"] for found in re.finditer(STAMP + re.escape(words), log))
        return [int(datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp()) - epoch for time in times]

    first = seconds(FIRST_CALCULATION)
    return Seconds(sorted({t for t in seconds(BACKFILLS) if t >= 0}), first[0] if first else None)


def starts_of(log: str, jobs: str) -> list[Start]:
    """Return how jobs started, the first one first, from a log of slurmctld and the records of jobs, a line each."""
    of_number = {}
    for line in jobs.splitlines():
        number = re.search(r"JobId=(\d+) ", line)
        pieces = re.findall(r" Nodes=(\S+) CPU_IDs=(\S+)", line)
        if number is not None and pieces:
            held = {
                int(name.removeprefix("n")) - 1: len(list(node_names(f"[{cpus}]", "CPU_IDs")))
                for nodes, cpus in pieces
                for name in node_names(nodes, "Nodes")
            }
            of_number[int(number[1])] = Start(int(number[1]), f" Scheduler={MAIN} " in line, held)
    order = [int(found[1] or found[2]) for found in STARTED.finditer(log)]
    return [of_number[number] for number in dict.fromkeys(order) if number in of_number]


def as_json(seconds: Seconds, starts: Sequence[Start]) -> dict[str, Any]:
    """Return both as plain values for the record of a replay."""
    held = [[one.number, one.is_main, sorted(one.held.items())] for one in starts]
    return {"passes": list(seconds.passes), "calculated": seconds.calculated, "held": held}


def from_json(record: Mapping[str, Any]) -> tuple[Seconds | None, list[Start]]:
    """Return both from the record of a replay; replays of before they were recorded have None and no starts."""
    if "held" not in record:
        return None, []
    starts = [Start(number, is_main, dict(held)) for number, is_main, held in record["held"]]
    return Seconds(record["passes"], record["calculated"]), starts
