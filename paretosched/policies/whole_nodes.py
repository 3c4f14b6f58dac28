"""Nodes of several processors, on which a policy reserves and starts in passes, as a Slurm site does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arguments import in_bounds, list_argument
from ..core.errors import InputError, number_of
from ..core.notebook import fields_html, fields_repr
from ..core.tables import enumeration
from ..kernels.inputs import Nodes
from .policy_tokens import written_time
from .value_ranges import LONGEST_TIME

MOST_NODES = 1_000_000
MOST_CPUS = 2**31 - 1  # of a machine
MOST_JOBS = 2**31 - 1
MOST_NAMED = 12  # different nodes that a sentence names
# options of SchedulerParameters: the field of `WholeNodes`, in which unit, and Slurm's upper limit, if it has one
LOOKS = {
    "bf_interval": ("every", 1, 10_800),
    "bf_window": ("window", 60, 43_200),
    "bf_resolution": ("step", 1, 3_600),
    "bf_max_job_test": ("tested", 1, 1_000_000),
    "default_queue_depth": ("first", 1, MOST_JOBS),
}
# those that count on a machine of nodes only
LOOKS_ON_NODES = {
    "sched_interval": ("main", 1, MOST_JOBS),
    "bf_max_job_part": ("partition", 1, 1_000_000),
    "bf_max_job_user": ("user", 1, 1_000_000),
    "bf_max_job_assoc": ("account", 1, 1_000_000),
    "bf_max_job_start": ("started", 1, 10_000),
    "assoc_limit_stop": ("stops", 1, 1),
    "bf_min_prio_reserve": ("priority", 1, MOST_JOBS),
    "partition_job_depth": ("depth", 1, MOST_JOBS),
    "bf_max_job_array_resv": ("tasks", 1, 1000),
}
PASS_TIMES = ("every", "window", "step", "main")  # of `WholeNodes`
PASS_JOBS = ("tested", "first", "tasks")
PASS_LIMITS = ("partition", "user", "account", "started", "priority", "stops", "depth", "usual")  # 0 for none


class NodeKind(NamedTuple):
    """So many neighbouring nodes with so many processors each.

    Attributes
    ----------
    nodes, cpus
        How many nodes, and the processors of each.
    """

    nodes: int
    cpus: int

    def _repr_html_(self) -> str:
        return fields_html(self)


@dataclass(frozen=True)
class WholeNodes:
    """The nodes of a machine, and how often and how far a scheduler looks, with the default values of Slurm 22.05.

    `paretosched.kernels.slurm_passes` says what it does on a machine of nodes, and `paretosched.kernels.node_passes`
    what it does on one of which only the processors are known, where the last nine fields count nothing.

    Parameters
    ----------
    kinds
        The nodes, in the order of the machine; none for those of each log, if it has a machine of nodes.
    every
        s, between two backfill passes (bf_interval); they are in multiples of it.
    window
        s, how far from now a reservation may begin (bf_window).
    step
        s, reservations begin and end at multiples of it (bf_resolution).
    tested
        How many of the first waiting jobs a backfill pass looks at (bf_max_job_test).
    first
        How many of them a main pass looks at (default_queue_depth).
    main
        s, between two main passes while nothing happens (sched_interval); they are in multiples of it.
    partition, user, account
        How many jobs of a partition, of a user, and of a user in one account a backfill pass looks at (bf_max_job_part,
        bf_max_job_user, bf_max_job_assoc); 0 for all.
    started
        How many jobs a backfill pass starts (bf_max_job_start); 0 for all.
    priority
        Jobs of a lower priority are not planned, and stop nobody (bf_min_prio_reserve).
    stops
        1 if a job that a limit holds stops its partition in the main pass (assoc_limit_stop), else 0.
    depth
        How many jobs of a partition a main pass looks at (partition_job_depth); 0 for all.
    tasks
        For how many waiting tasks of an array a backfill pass plans (bf_max_job_array_resv).
    usual
        The priority of jobs that were given none, where the order is that of their submission.

    Raises
    ------
    InputError
        A number is out of bounds.

    Examples
    --------
    >>> WholeNodes(((10, 26), (2, 64))).cpus
    388
    """

    kinds: tuple[NodeKind, ...]
    every: int = 30
    window: int = 86400
    step: int = 60
    tested: int = 500
    first: int = 100
    main: int = 60
    partition: int = 0
    user: int = 0
    account: int = 0
    started: int = 0
    priority: int = 0
    stops: int = 0
    depth: int = 0
    tasks: int = 20
    usual: int = 1

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        rows = [list_argument("nodes", row) for row in list_argument("nodes", self.kinds)]
        if any(len(row) != 2 for row in rows):
            raise InputError("nodes must be pairs of how many nodes and how many processors each has")
        kinds = tuple(
            NodeKind(in_bounds("nodes", n, MOST_NODES, 1), in_bounds("cpus", c, MOST_CPUS, 1)) for n, c in rows
        )
        object.__setattr__(self, "kinds", kinds)
        if self.count > MOST_NODES or self.cpus > MOST_CPUS:
            raise InputError(
                f"nodes must be at most {MOST_NODES:,} with {MOST_CPUS:,} processors, but are {self.count:,} with "
                f"{self.cpus:,}"
            )
        for names, highest, least in (
            (PASS_TIMES, LONGEST_TIME, 1),
            (PASS_JOBS, MOST_JOBS, 1),
            (PASS_LIMITS, MOST_JOBS, 0),
        ):
            for name in names:
                object.__setattr__(self, name, in_bounds(name, getattr(self, name), highest, least))

    @property
    def count(self) -> int:
        """Return how many nodes there are."""
        return sum(kind.nodes for kind in self.kinds)

    @property
    def cpus(self) -> int:
        """Return how many processors all nodes have together."""
        return sum(kind.nodes * kind.cpus for kind in self.kinds)

    def of_machine(self, capacity: int) -> Nodes | None:
        """Return the nodes as kernels take them; None for a machine of which these are not the nodes.

        Parameters
        ----------
        capacity
            What jobs ask for: all processors of the nodes, or as many as there are nodes if jobs ask for whole ones.
        """
        if capacity not in (self.cpus, self.count):
            return None
        each = [kind.cpus if capacity == self.cpus else 1 for kind in self.kinds]
        cpus = np.repeat(np.array(each, dtype=np.int64), [kind.nodes for kind in self.kinds])
        return Nodes(cpus, self.every, self.window, self.step, self.tested, self.first)


def node_words(nodes: WholeNodes, backfills: bool) -> str:
    """Return sentences on nodes and passes of a policy; `backfills` says whether there are reservations."""
    if not nodes.kinds:
        machine = "On a log with a machine of nodes,"
    elif len(nodes.kinds) == 1:
        each = number_of(nodes.kinds[0].cpus, "processor")
        machine = f"On a machine of {number_of(nodes.count, 'node')} with {each}{' each' * (nodes.count > 1)},"
    elif len(nodes.kinds) > MOST_NAMED:
        cpus = [kind.cpus for kind in nodes.kinds]
        machine = (
            f"On a machine of {nodes.count:,} nodes with {min(cpus):,} to {max(cpus):,} processors, "
            f"{nodes.cpus:,} together (the policy's JSON has which nodes are alike),"
        )
    else:
        kinds = enumeration([f"{kind.nodes:,} with {kind.cpus:,}" for kind in nodes.kinds])
        machine = f"On a machine of {nodes.count:,} nodes, {kinds} processors,"
    first = f"at each arrival and end of a job at most the first {nodes.first:,} waiting jobs start"
    if not backfills:
        return f"{machine} {first}; on any other machine, all that fit do."
    return (
        f"{machine} reservations are for whole nodes; {first}, while they fit, and every {written_time(nodes.every)} "
        f"the first {nodes.tested:,} are backfilled or get reservations, up to {written_time(nodes.window)} ahead, "
        f"which begin and end at multiples of {written_time(nodes.step)}. On any other machine, on one of which "
        "processors are down at times, and with predicted run times, processors are counted instead, and every event "
        "is looked at."
    )
