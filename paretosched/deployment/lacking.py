"""Which resource each waiting job lacks now: CPUs, memory, GPUs, nodes, a feature, or what Slurm says holds it.

Slurm says why a job waits in one word, and "Priority" of all jobs behind the first one of a partition. Here each is
held against the nodes of its partitions as they are now. What it asks for is taken to be spread evenly over its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..core.errors import InputError, number_of
from ..core.tables import Column, table
from ..workload.features import Constraint, read_constraint
from .slurm_calls import OF_JOBS, call
from .slurm_queue import NONE, QueuedJob, cells_in, new_mark

FIELDS = ("JobID", "Reason", "Feature", "tres-alloc")  # of squeue
ASIDE = {"down", "drain", "drained", "draining", "fail", "failing", "error", "maint", "reserved", "future", "unknown",
         "planned*", "powering_down", "not_responding", "inval"}  # fmt: skip
OF_PLACE = ("", "Resources", "Priority", "None", "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved")
PAIR = re.compile(r"(\w+)=(\S*)")
GPUS = re.compile(r"gpu(?::([^:(),=\s]*[^\d:(),=\s][^:(),=\s]*))?[:=](\d{1,9})", re.IGNORECASE)
ANY = ""  # GPUs of any type
MOST_SHOWN = 40  # jobs
NOTHING = "nothing now: it is its turn, or nodes are kept for a job before it"
Gpus = Mapping[str, int]


class SiteNode(NamedTuple):
    """A node as it is now.

    Attributes
    ----------
    name, partitions, features
        As Slurm calls them.
    is_usable
        Whether jobs can start there.
    cpus, memory, gpus
        What it has, GPUs by type, and under ANY of all types.
    free_cpus, free_memory, free_gpus
        What of it is free.
    """

    name: str
    partitions: frozenset[str]
    features: frozenset[str]
    is_usable: bool
    cpus: int
    memory: int
    gpus: Gpus
    free_cpus: int
    free_memory: int
    free_gpus: Gpus


class Lack(NamedTuple):
    """What a job lacks.

    Attributes
    ----------
    job
        The job.
    asks
        What it asks for, in words.
    lacks
        What it lacks, in words.
    """

    job: QueuedJob
    asks: str
    lacks: str


class _Need(NamedTuple):
    """What a job needs on each of some nodes."""

    nodes: int
    cpus: int
    memory: int
    gpus: Gpus
    feature: str


def read_lacks(jobs: Sequence[QueuedJob]) -> list[Lack]:
    """Return what waiting jobs lack, in the same order; nothing where Slurm lists no nodes.

    Raises
    ------
    SlurmError
        squeue or scontrol does not answer, or not as expected.
    """
    nodes = nodes_in(call(["scontrol", "-o", "-d", "show", "node"], most=OF_JOBS).text)
    if not nodes or not jobs:
        return []
    mark = new_mark()
    fields = ",".join(f"{field}:{mark}" for field in FIELDS)
    text = call(["squeue", "-a", "-h", "-t", "PD", "-O", fields], most=OF_JOBS).text
    cells = {row["JobID"]: row for row in cells_in(text, mark, FIELDS)}
    unknown = {"Reason": "", "Feature": "", "tres-alloc": ""}
    return [_lack(job, cells.get(str(job.id), unknown), nodes) for job in jobs]


def nodes_in(text: str) -> list[SiteNode]:
    """Return the nodes in what scontrol -o -d show node prints, a line for each.

    Examples
    --------
    >>> node, = nodes_in("NodeName=g1 CPUAlloc=2 CPUTot=8 AvailableFeatures=ib,a100 Gres=gpu:a100:4(S:0) "
    ...     "GresUsed=gpu:a100:1(IDX:0) RealMemory=8000 AllocMem=1000 State=MIXED Partitions=gpu,all")
    >>> node.free_cpus, node.free_memory, node.free_gpus["a100"], sorted(node.partitions), node.is_usable
    (6, 7000, 3, ['all', 'gpu'], True)
    """
    return [_node(dict(PAIR.findall(line))) for line in text.splitlines() if line.startswith("NodeName=")]


def _node(cells: Mapping[str, str]) -> SiteNode:
    """Return a node from what scontrol says of it; what is not there is 0."""
    number = {key: int(word) if (word := cells.get(key, "")).isdecimal() else 0 for key in
              ("CPUTot", "CPUEfctv", "CPUAlloc", "RealMemory", "AllocMem", "MemSpecLimit")}  # fmt: skip
    words = {key: frozenset(_words(cells.get(key, ""))) for key in ("Partitions", "AvailableFeatures")}
    states = cells.get("State", "").lower().replace("*", "+not_responding").split("+")
    cpus, memory = number["CPUEfctv"] or number["CPUTot"], number["RealMemory"] - number["MemSpecLimit"]
    gpus, used = (_gpus(cells.get(key, "")) for key in ("Gres", "GresUsed"))
    free = {kind: max(0, count - used.get(kind, 0)) for kind, count in gpus.items()}
    return SiteNode(
        cells["NodeName"], words["Partitions"], words["AvailableFeatures"], not ASIDE & set(states), cpus, memory, gpus,
        max(0, cpus - number["CPUAlloc"]), max(0, memory - number["AllocMem"]), free,
    )  # fmt: skip


def _words(text: str) -> list[str]:
    return [] if text in NONE else [word for word in text.split(",") if word]


def _gpus(text: str) -> dict[str, int]:
    """Return the GPUs in a list of Gres or tres by type, and under ANY of all types."""
    counts: dict[str, int] = {}
    for kind, count in GPUS.findall(text):
        counts[kind] = counts.get(kind, 0) + int(count)
    typed = sum(count for kind, count in counts.items() if kind != ANY)
    # a list of tres has the sum beside the types, one of Gres has not
    return {**counts, ANY: max(counts.get(ANY, 0), typed)} if counts else {}


def _lack(job: QueuedJob, cells: Mapping[str, str], nodes: Sequence[SiteNode]) -> Lack:
    """Return what a job lacks."""
    feature = "" if cells["Feature"] in NONE else cells["Feature"]
    largest = max(node.cpus for node in nodes) or 1
    count = max(1, job.nodes, -(-job.widths["cpus"] // largest))
    gpus = _gpus(cells["tres-alloc"]) or ({ANY: job.gpus} if job.gpus else {})
    asked = {kind: n for kind, n in gpus.items() if n and (kind != ANY or len(gpus) == 1)}
    need = _Need(
        count, -(-job.widths["cpus"] // count), -(-job.memory // count), {k: -(-n // count) for k, n in asked.items()},
        feature,
    )  # fmt: skip
    parts = [number_of(job.widths["cpus"], "CPU")]
    parts += [f"{job.memory / 1024:,.1f} GiB"] * bool(job.memory)
    parts += [f"{n:,} {kind or ('GPU' if n == 1 else 'GPUs')}" for kind, n in asked.items()]
    parts += [feature] * bool(feature)
    reason = cells["Reason"].split(",")[0].strip("()")
    if reason not in OF_PLACE and reason not in NONE:
        words = "Slurm holds it by a limit" if "Limit" in reason or "Max" in reason or "Grp" in reason else "Slurm says"
        lacks = "licences" if reason == "Licenses" else f"{words}: {reason}"
    else:
        lacks = min((_in_partition(need, name, nodes) for name in job.partitions), key=lambda each: each[0])[1]
    return Lack(job, f"{', '.join(parts)} on {number_of(count, 'node')}", lacks)


def _in_partition(need: _Need, partition: str, all_nodes: Iterable[SiteNode]) -> tuple[int, str]:
    """Return how much a job lacks in a partition, to be compared only, and in words what."""
    nodes = [node for node in all_nodes if partition in node.partitions]
    try:
        constraint = read_constraint(need.feature)
    except InputError:  # Slurm knows features in another way than this program
        constraint = Constraint()
    suited = [node for node in nodes if constraint.suits(node.features)]
    if len(suited) < need.nodes:
        words = f"a feature: {number_of(len(suited), 'node')} of {partition} {'has' if len(suited) == 1 else 'have'}"
        return 9, f"{words} {need.feature}" if need.feature else f"nodes: {partition} has {len(suited):,}"
    whole = [node for node in suited if all(test(node) for test in _tests(need, is_free=False).values())]
    if len(whole) < need.nodes:
        few = "no node" if not whole else f"only {number_of(len(whole), 'node')}"
        return 8, f"nodes: {few} of {partition} {'has' if len(whole) < 2 else 'have'} as much, even when idle"
    up = [node for node in whole if node.is_usable]
    if len(up) < need.nodes:
        return 7, f"nodes: {len(whole) - len(up):,} of {len(whole):,} that are large enough are down or set aside"
    tests = _tests(need, is_free=True)
    counts = {what: sum(map(test, up)) for what, test in tests.items()}
    short = {what: count for what, count in counts.items() if count < need.nodes}
    if short:
        parts = [f"{what}: free on {count:,} of {len(up):,} nodes" for what, count in short.items()]
        return len(short), "; ".join(parts)
    if sum(all(test(node) for test in tests.values()) for node in up) < need.nodes:
        return 1, f"{' and '.join(tests)} on the same nodes"
    return 0, NOTHING


def _tests(need: _Need, is_free: bool) -> dict[str, Callable[[SiteNode], bool]]:
    """Return by resource whether a node has as much of it as a job needs there, in all or free now."""
    tests: dict[str, Callable[[SiteNode], bool]] = {
        "CPUs": lambda node: (node.free_cpus if is_free else node.cpus) >= need.cpus
    }
    if need.memory:
        tests["memory"] = lambda node: (node.free_memory if is_free else node.memory) >= need.memory
    for kind, count in need.gpus.items():
        tests[kind or "GPUs"] = lambda node, kind=kind, count=count: (  # type: ignore[misc]
            (node.free_gpus if is_free else node.gpus).get(kind, 0) >= count
        )
    return tests


def lacks_text(lacks: Sequence[Lack], most: int | None = MOST_SHOWN) -> str:
    """Return what the first jobs in order lack as a table, all of them without `most`; "" without any."""
    if not lacks:
        return ""
    rows = [
        {"job": str(lack.job.id), "partition": ",".join(lack.job.partitions), "asks": lack.asks, "lacks": lack.lacks}
        for lack in lacks[:most]
    ]
    columns = [Column(key, words) for key, words in
               (("job", "job"), ("partition", "partition"), ("asks", "asks for"), ("lacks", "lacks"))]  # fmt: skip
    more = 0 if most is None else len(lacks) - most
    end = [f"... and {number_of(more, 'job')} more, which --once shows"] if more > 0 else []
    head = "the waiting jobs in the order of the policy, and what each lacks now:"
    return "\n".join([head, table(rows, columns), *end])
