"""Limits as what a search varies: how much each user may have at once in a QOS, under the order that a site has.

A gene is one limit: the running jobs of each user (MaxJobsPU), their CPUs and GPUs (MaxTRESPU), of the QOS that most
jobs are below; how many jobs of a user a backfill pass looks at (bf_max_job_user), if the order has such passes; and
the longest time in a partition (MaxTime), if jobs can go to others, see `partition_times`. It is one of some values on
a grid, for a time those that jobs ask for, else 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ..., or that of today, or not set.
All other limits of the machine stay. A value is not on the grid if

- one job alone is beyond it, by what it gets with the limits of today, so that it would wait for ever;
- the user with most to do would need more than `LONGEST` times the time in which the jobs came;
- no user would ever have as much at once if no job waited, or the machine has no more: as if it were not set.

A genome stands for no policy, but for a machine with other limits: `on_machine`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import checked_when_made
from ..core.arrays import Floats, Ints, Mask, read_only
from ..core.errors import InputError, in_quotes
from ..core.notebook import fields_html
from ..policies.outcome import Outcome
from ..policies.plain import Plain
from ..policies.policy import Policy, decided_by
from ..policies.policy_json import from_json
from ..policies.priority import Priority
from ..policies.set_limits import with_rows
from ..workload.counting_limits import qos_order
from ..workload.machine import Machine
from ..workload.slurm_conf import duration_text
from ..workload.workload import Workload
from .genomes import Decoder, Variation
from .partition_times import partition_times

JOBS, CPUS, GPUS, IN_A_PASS = "MaxJobsPU", "MaxTRESPU=cpu", "MaxTRESPU=gres/gpu", "bf_max_job_user"
MAX_TIME = "MaxTime"  # of a partition, s
OF_QOS = (JOBS, CPUS, GPUS)
MOST_QOS, LEAST_SHARE = 4, 0.01  # of the QOS that are varied, and of what their jobs use of all
LONGEST = 8.0  # times the time in which the jobs came
KEPT = 2**26  # bytes of start times that are kept: many genomes mean the same
NO_LIMIT = -1  # as sacctmgr writes it
SET = 0.5  # below it a gene is a place on the grid, else the limit is not set
GENE = re.compile(r"(?:(\S+) )?(\S+) (\d{1,15}(?:,\d{1,15})*)", re.ASCII)


class Varied(NamedTuple):
    """A limit that is varied.

    Attributes
    ----------
    qos
        Whose limit it is, for `MAX_TIME` that of a partition; "" for `IN_A_PASS`.
    name
        One of `OF_QOS`, `MAX_TIME`, or `IN_A_PASS`.
    grid
        Its values, ascending.
    """

    qos: str
    name: str
    grid: tuple[int, ...]

    @property
    def text(self) -> str:
        """Return it as a word of the encoding."""
        return " ".join([*[self.qos] * bool(self.qos), self.name, ",".join(map(str, self.grid))])


class Setting(NamedTuple):
    """What one limit is: "MaxTRESPU=cpu" of a QOS, or as `Varied` has it, and the value, None if it is not set."""

    qos: str
    name: str
    value: int | None

    @property
    def whose(self) -> str:
        """Return in words whose limit it is, to be written behind it."""
        kind = "of partition" if self.name == MAX_TIME else "in QOS"
        return f" {kind} {self.qos}" if self.qos else ""

    def about(self) -> dict[str, Any]:
        """Return it as plain values; the time of a partition has "partition" in place of "qos"."""
        whose = "partition" if self.name == MAX_TIME else "qos"
        return {whose: self.qos, "name": self.name, "value": self.value}


@checked_when_made
class SiteLimits(NamedTuple):
    """The encoding by limits; its methods are those of `Explored`.

    Attributes
    ----------
    starts
        {"policy": ...}, under which the jobs run, as plain JSON values; none for EASY.
    limits
        What is varied, as `Varied.text` writes it: "general MaxTRESPU=cpu 96,128,192".
    """

    starts: tuple[Any, ...] = ()
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.check_words()

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def name(self) -> str:
        """Return the name of the encoding in options and files."""
        return "limits"

    @property
    def variation(self) -> Variation:
        """Return how a run comes to its genomes: an algorithm searches them."""
        return Variation()

    def check_words(self) -> None:
        """Refuse words that are no limits, or an order that is none; raises InputError."""
        if len(self.starts) > 1 or not all(isinstance(each, Mapping) and [*each] == ["policy"] for each in self.starts):
            raise InputError(f'limits are tried under one {{"policy": ...}}, but starts are {self.starts!r:.80}')
        names = [(each.qos, each.name) for each in self.choices]
        if len(set(names)) < len(names):
            raise InputError("a limit must be varied once, but one of limits comes twice")

    @property
    def choices(self) -> tuple[Varied, ...]:
        """Return what is varied, one for each gene; raises InputError for a word that is none."""
        return tuple(map(_varied_in, self.limits))

    @property
    def order(self) -> Policy:
        """Return the policy under which the jobs run."""
        return from_json(self.starts[0]["policy"], "starts") if self.starts else Plain("easy")

    def gene_labels(self, _groups: int) -> list[str]:
        """Return the names of all genes, in their order."""
        return [f"{each.name} of {each.qos}" if each.qos else each.name for each in self.choices]

    def lower_upper(self, _groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64."""
        return np.zeros(len(self.limits)), np.ones(len(self.limits))

    def settings(self, genome: Floats) -> tuple[Setting, ...]:
        """Return what a genome, (d,), sets.

        Examples
        --------
        >>> SiteLimits(limits=("long MaxJobsPU 4,6,8",)).settings(np.array([0.2]))
        (Setting(qos='long', name='MaxJobsPU', value=6),)
        """
        return tuple(
            Setting(each.qos, each.name, each.grid[int(gene / SET * len(each.grid))] if gene < SET else None)
            for each, gene in zip(self.choices, genome.tolist(), strict=True)
        )

    def genome_of(self, settings: Sequence[Setting]) -> Floats:
        """Return the genome that stands for some settings, (d,), whose values are on the grids."""
        values = {(each.qos, each.name): each.value for each in settings}
        genes = np.ones(len(self.limits))
        for i, each in enumerate(self.choices):
            value = values.get((each.qos, each.name))
            if value is not None:
                genes[i] = SET * (each.grid.index(value) + 0.5) / len(each.grid)
        return genes

    def on_machine(self, settings: Sequence[Setting], workload: Workload) -> tuple[Workload, Policy]:
        """Return the same jobs on a machine with other limits, and the policy under which they run there.

        Raises
        ------
        InputError
            The machine of the workload has no nodes, or the workload does not have the groups of the policy.
        """
        policy = self.order
        for each in settings:
            if each.name == IN_A_PASS and isinstance(policy, Priority) and policy.nodes is not None:
                policy = replace(policy, nodes=replace(policy.nodes, user=each.value or 0))
        today = settings_today(self, workload) if self.limits else ()
        of_machine = [each for each in settings if each.qos and each not in today]
        if of_machine:
            workload = workload.with_(machine=with_limits(machine_of(workload), of_machine))
        return decided_by(policy, workload), policy

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into outcomes; raises InputError without a machine of nodes."""
        if self.limits:
            machine_of(workload)

        @lru_cache(maxsize=max(1, KEPT // (8 * len(workload))))
        def with_settings(settings: tuple[Setting, ...]) -> Outcome:
            jobs, policy = self.on_machine(settings, workload)
            made = policy.outcome(jobs)
            return Outcome(read_only(made.start), arrival=read_only(made.arrival), lives=made.lives, pauses=made.pauses)

        return lambda genome, _ancestors: with_settings(self.settings(genome))

    def examples(self, _groups: Sequence[str]) -> tuple[SiteLimits, Floats]:
        """Return an encoding that varies nothing, and its genome, (1, 0)."""
        return SiteLimits(), np.empty((1, 0))

    def ancestry(self, _archive: Floats, genomes: Floats) -> Floats:
        """Return no row, (0, d): a genome stands for itself."""
        return genomes[:0]

    def policy_of(self, _genome: Floats, _groups: Sequence[str]) -> Policy | None:
        """Return None: a genome stands for limits of a machine."""
        return None

    def order_policy_of(self, _genome: Floats, _groups: Sequence[str]) -> Policy:
        """Return the policy under which the jobs run with any limits."""
        return self.order

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, d), know no future, (k,) bool: all, since limits and the order know none."""
        return np.full(len(genomes), not self.order.knows_run_times)


def in_words(settings: Sequence[Setting]) -> str:
    """Return in words what is set.

    Examples
    --------
    >>> in_words([Setting("gpu", "MaxJobsPU", 64), Setting("gpu", "MaxTRESPU=cpu", 400), Setting("cpu", CPUS, None)])
    'MaxJobsPU=64 and MaxTRESPU=cpu=400 in QOS gpu'
    >>> in_words([Setting("cpu", "MaxTRESPU=cpu", None), Setting("", "bf_max_job_user", None)])
    'none of these limits'
    >>> in_words([Setting("long", "MaxTime", 129600)])
    'MaxTime=1-12:00:00 of partition long'
    """
    together: dict[str, list[str]] = {}
    for each in settings:
        if each.value is not None:
            value = duration_text(each.value) if each.name == MAX_TIME else each.value
            together.setdefault(each.whose, []).append(f"{each.name}={value}")
    parts = [" and ".join(words) + whose for whose, words in together.items()]
    return "; ".join(parts) or "none of these limits"


def with_limits(machine: Machine, settings: Sequence[Setting]) -> Machine:
    """Return a machine on which QOS have other values of some limits, and partitions other times; all others stay."""
    rows, times = [], {}
    for qos, name, value in settings:
        if name == MAX_TIME:
            times[qos] = value
        else:
            key, _, resource = name.partition("=")
            rows.append({"name": qos, key: f"{resource}={NO_LIMIT if value is None else value}".removeprefix("=")})
    partitions = (
        replace(each, longest=times[each.name]) if each.name in times else each for each in machine.partitions
    )
    return with_rows(replace(machine, partitions=tuple(partitions)) if times else machine, rows)


def settings_today(encoding: SiteLimits, workload: Workload) -> tuple[Setting, ...]:
    """Return what the limits that an encoding varies are on the machine of a workload.

    The time of a partition that is not on the grid holds nobody out: it is as if it were not set, and stays.
    """
    machine, policy = machine_of(workload), encoding.order
    values = {row.qos.lower(): row.values for row in machine.limits if row.qos}
    times = {part.name: part.longest for part in machine.partitions}
    in_a_pass = policy.nodes.user if isinstance(policy, Priority) and policy.nodes is not None else 0
    found = []
    for qos, name, grid in encoding.choices:
        key, _, resource = name.partition("=")
        value: Any = values.get(qos.lower(), {}).get(key)
        if name in (IN_A_PASS, MAX_TIME):
            value = in_a_pass or None if name == IN_A_PASS else times.get(qos)
            value = None if name == MAX_TIME and value not in grid else value
        found.append(Setting(qos, name, value.get(resource) if isinstance(value, Mapping) else value))
    return tuple(found)


def site_limits(workload: Workload, starts: Sequence[Any]) -> SiteLimits:
    """Return the encoding for the limits that matter to the jobs of a workload, under a policy; see `SiteLimits`.

    Raises
    ------
    InputError
        The machine of the workload has no nodes, or no limit matters to any job.
    """
    machine = machine_of(workload)
    asked = workload.asked_amounts
    assert asked is not None  # noqa: S101  # it has a machine
    amounts = {JOBS: np.ones(len(workload)), CPUS: asked.cpus, GPUS: asked.gpus}
    most = {CPUS: machine.capacity, GPUS: int(machine.gpus.sum())}
    encoding = SiteLimits(tuple(starts))
    policy, times, of_one = encoding.order, partition_times(workload, machine), _amounts_of_one(encoding, workload)
    qos, names, below = _first_qos(workload, machine)
    used = np.bincount(qos, workload.run * asked.cpus, len(names))
    chosen = [k for k in np.argsort(-used, kind="stable")[:MOST_QOS].tolist() if used[k] >= LEAST_SHARE * used.sum()]
    varied = [Varied(names[k], name, ()) for k in chosen for name in OF_QOS]
    varied += [Varied(name, MAX_TIME, ()) for name in times]
    if isinstance(policy, Priority) and policy.nodes is not None:
        varied.append(Varied("", IN_A_PASS, ()))
    names_only = tuple(Varied(each.qos, each.name, (1,)).text for each in varied)
    today = settings_today(encoding._replace(limits=names_only), workload)
    found = []
    for each, now in zip(varied, today, strict=True):
        if each.name == MAX_TIME:
            values = times[each.qos]
        elif each.qos:
            k, name = names.index(each.qos), each.name
            largest = float(of_one[name][below[:, k]].max(initial=0))
            values = _grid(workload, np.where(qos == k, amounts[name], 0.0), most.get(name, machine.capacity), largest)
        else:
            values = _grid(workload, amounts[JOBS], machine.capacity, None)
        grid = {*values} | (set() if now.value is None else {now.value})
        if grid:
            found.append(each._replace(grid=tuple(sorted(grid))).text)
    if not found:
        raise InputError(
            f"{workload.name}: a limit for each user must hold back a job, but no user ever has so much at once, and "
            "no job can go to another partition; there is nothing to search"
        )
    return SiteLimits(tuple(starts), tuple(found))


def _amounts_of_one(encoding: SiteLimits, workload: Workload) -> dict[str, Floats]:
    """Return what each job counts below limits, (n,), by their names: what it gets, as with the limits of today."""
    jobs, policy = encoding.on_machine((), workload)
    placement = policy.outcome(jobs).placement
    assert placement is not None  # noqa: S101  # it has a machine
    cpus, gpus = (placement.in_all(rows).astype(np.float64) for rows in (placement.cpus, placement.gpus.sum(axis=1)))
    return {JOBS: np.ones(len(workload)), CPUS: cpus, GPUS: gpus}


def machine_of(workload: Workload) -> Machine:
    """Return the machine of nodes of a workload; raises InputError if it has none."""
    if workload.machine is None:
        raise InputError(
            f"{workload.name}: limits must be of a machine of nodes, but of this one only the processors are known; "
            "import the log with its machine, as in: paretosched import slurm sacct.txt --machine slurm.conf"
        )
    return workload.machine


def _varied_in(text: Any) -> Varied:
    """Return what a word of the encoding varies; raises InputError if it is no such word."""
    match = GENE.fullmatch(text) if isinstance(text, str) else None
    qos, name, numbers = ("", "", "") if match is None else match.groups("")
    grid = tuple(map(int, filter(None, numbers.split(","))))
    if name not in ((*OF_QOS, MAX_TIME) if qos else (IN_A_PASS,)) or [*grid] != sorted({*grid}):
        raise InputError(
            f'a limit must be like "normal {CPUS} 64,96,128", of {", ".join(OF_QOS)} of a QOS, {MAX_TIME} of a '
            f"partition or {IN_A_PASS}, with ascending values, but is {in_quotes(str(text))}"
        )
    return Varied(qos, name, grid)


def _first_qos(workload: Workload, machine: Machine) -> tuple[Ints, list[str], Mask]:
    """Return the QOS whose limits count first for each job, (n,) places, names, and which count at all, (n, q)."""
    requests = workload.requests
    assert requests is not None  # noqa: S101  # it has a machine
    order = qos_order(machine)
    written = [
        *(row.qos for row in machine.limits),
        *(part.own_qos for part in machine.partitions),
        *requests.qos.words,
    ]
    as_written = {word.lower(): word for word in reversed(written) if word}
    pairs = np.stack([requests.qos.code, requests.partition.code], axis=1)
    each, of = np.unique(pairs, axis=0, return_inverse=True)
    first, all_of = [], []
    for qos, partition in each.tolist():
        places = machine.partitions_of(requests.partition.words[partition]) or [0]
        counting = [order(requests.qos.words[qos], place) for place in places]
        name = counting[0][0]
        first.append(as_written.get(name, name))
        all_of.append({as_written.get(name, name) for names in counting for name in names})
    names = [*dict.fromkeys(first)]
    of = of.reshape(-1)
    below = np.array([[name in counting for name in names] for counting in all_of], dtype=np.bool_)
    return np.array([names.index(name) for name in first], dtype=np.int64)[of], names, below[of]


def _grid(workload: Workload, amount: Floats, ceiling: int, largest: float | None) -> list[int]:
    """Return the values of a limit that matter, ascending, if jobs have an amount each, (n,), of `ceiling` in all.

    `largest` is that of one job below the limit, also where another limit counts first; None for any value from 1 on.
    """
    if not amount.any():
        return []
    user = np.unique(workload.user, return_inverse=True)[1]
    begin = workload.eligible
    time = np.concatenate([begin, begin + workload.run])
    change = np.concatenate([amount, -amount])
    order = np.lexsort((change, time, np.concatenate([user, user])))  # ends before begins; each user's sum ends at 0
    most = min(float(np.cumsum(change[order]).max()), ceiling)
    span = max(int(workload.submit.max() - workload.submit.min()), 1)
    busy = float(np.bincount(user, workload.run * amount).max()) / span
    least = 1.0 if largest is None else max(largest, busy / LONGEST)
    steps = [1, 2, 3, *(part * 2**k for k in range(29) for part in (4, 5, 6, 7))]
    return [value for value in steps if least <= value < most]
