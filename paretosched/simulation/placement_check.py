"""The proof that a machine of nodes could have run a schedule: from what jobs ask for and what they hold alone.

No simulator is used. What a job asks for is completed as Slurm does it: memory that it does not name is that of its
partition, memory beyond MaxMemPerCPU becomes more CPUs, and a job has no more nodes than tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask, read_only
from ..core.columns import whole_array
from ..core.errors import InputError, first_few, number_of
from ..policies.outcome import Lives, Pauses, Placement
from ..policies.reserved_nodes import views_of
from ..workload.features import read_constraint
from ..workload.host_lists import node_names
from ..workload.machine import DRAIN, FAILURE, KNOWN, UNTYPED, Machine
from ..workload.node_requests import EXCLUSIVE, OF_USER, UNSAID, Requests, Texts, licences_in
from ..workload.overruns import asked_times
from ..workload.workload import Workload

MANY = 2**62  # where there is no limit
Fact = str | Callable[[int], str]  # what an offender has, or a function of its number


def _words_of(has: Fact, number: int) -> str:
    """Return what an offender has."""
    return has if isinstance(has, str) else has(number)


def shaped_placement(workload: Workload, placement: Placement) -> Placement:
    """Return a placement as read-only arrays.

    Raises
    ------
    InputError
        The workload has no machine of nodes, or the arrays do not fit each other, the jobs or the machine.
    """
    machine = workload.machine
    if machine is None:
        raise InputError(f"{workload.name}: its machine has no nodes, so that a schedule of it has no placement")
    if not isinstance(placement, Placement):
        raise InputError(f"placement must be a value of the type Placement, but is {placement!r:.60}")
    n, k, types = len(workload), np.size(placement.node), len(machine.gpu_types)
    sizes = {"partition": n, "piece": n + 1, "node": k, "cpus": k, "memory": k}
    columns = {key: whole_array(f"{key} of a placement", getattr(placement, key), size) for key, size in sizes.items()}
    gpus = np.array(placement.gpus)
    if gpus.shape != (k, types) or gpus.dtype.kind not in "iu":
        raise InputError(f"gpus of a placement must be whole numbers of shape ({k}, {types}), but have {gpus.shape}")
    copy = Placement(**columns, gpus=read_only(gpus.astype(np.int64)))
    bounds = {
        "partition": (copy.partition, -1, len(machine.partitions) - 1),
        "node": (copy.node, 0, len(machine.names) - 1),
        "cpus": (copy.cpus, 0, MANY),
        "memory": (copy.memory, 0, MANY),
        "gpus": (copy.gpus, 0, MANY),
    }
    for key, (column, lowest, highest) in bounds.items():
        if column.size and not lowest <= column.min() <= column.max() <= highest:
            raise InputError(
                f"{key} of a placement must be in {lowest}..{highest}, but is in {column.min()}..{column.max()}"
            )
    if copy.piece[0] != 0 or copy.piece[-1] != k or (np.diff(copy.piece) < 0).any():
        raise InputError("piece of a placement must divide its rows among all jobs, but does not")
    if (np.diff(copy.node)[np.diff(copy.job) == 0] <= 0).any():
        raise InputError("the nodes of a job must ascend in a placement, but do not")
    return copy


def check_placement(
    name: str,
    workload: Workload,
    start: Ints,
    finish: Ints,
    placement: Placement,
    lives: Lives | None = None,
    pauses: Pauses | None = None,
) -> None:
    """Check that each job has what it asks for, and that every node has what its jobs hold, at every second.

    Parameters
    ----------
    name
        Of the schedule, for messages.
    workload
        Jobs on a machine of nodes.
    start, finish
        (n,) s.
    placement
        Of these jobs, in their order.
    lives
        Of jobs that made way for others; None if none did.
    pauses
        When jobs were stopped, so that others may have their CPUs; None if none was.

    Raises
    ------
    InputError
        A machine could not have run it; the message names the first offenders: job, node, second.
    """
    machine, requests = workload.open_machine, workload.requests
    assert machine is not None  # noqa: S101  # a placement is of a machine of nodes
    assert requests is not None  # noqa: S101
    who = [f"job {number}" for number in workload.job.tolist()]
    absent = np.flatnonzero((placement.partition < 0) | (np.diff(placement.piece) == 0))
    if absent.size:
        offenders = first_few((who[j] for j in absent), absent.size)
        raise InputError(f"{name}: every job must be on a node, but {number_of(absent.size, 'job')} not: {offenders}")
    _check_pauses(name, who, start, finish, pauses)
    row = np.arange(len(workload))
    if lives is not None:
        _check_lives(name, workload, who, start, lives)
        lost = np.flatnonzero(lives.requeued)  # of one that was cancelled this is its run
        row = np.concatenate([row, lives.job[lost]])
        who += [f"an earlier life of {who[j]}" for j in lives.job[lost].tolist()]
        start, finish = np.append(start, lives.begin[lost]), np.append(finish, lives.end[lost])
        placement, requests = placement.beside(lives.placement.take(lost)), requests.take(row)
    runs = _Runs(name, who, start, finish, placement, placement.job, machine, requests)
    part = placement.partition
    _check_partitions(runs, asked_times(workload)[row])
    asked = _complete_requests(machine, requests, part)
    _check_jobs(runs, asked)
    _check_features(runs)
    users = np.unique(workload.user, return_inverse=True)[1].reshape(-1)
    _check_licences(runs)
    _check_reserved(runs, workload, row)
    _check_nodes(runs, asked.whole, users[row], workload.epoch, pauses)


def _check_pauses(name: str, who: list[str], start: Ints, finish: Ints, pauses: Pauses | None) -> None:
    """Raise InputError if a job is stopped when it does not run, or twice at once; (n,) s both."""
    if pauses is None:
        return
    job, begin, end = pauses
    again = job[1:] == job[:-1]
    bad = (begin < start[job]) | (end > finish[job]) | (end <= begin)
    bad[1:] |= again & (begin[1:] < end[:-1])
    if bad.any():
        rows = np.flatnonzero(bad)
        words = (f"{who[job[i]]} from {begin[i]} to {end[i]}" for i in rows.tolist())
        raise InputError(
            f"{name}: a job must run when it is stopped, but {rows.size:,} break it: {first_few(words, rows.size)}"
        )


def _check_reserved(runs: _Runs, workload: Workload, row: Ints) -> None:
    """Raise InputError if a job is on a node that a reservation closes to it; `row`, (n,), is that of each run."""
    assert workload.requests is not None  # noqa: S101  # a placement is of a machine of nodes
    views = views_of(runs.machine, workload.requests, workload.epoch)
    held, view = runs.placement, views.of_job[row]
    for k, closed in enumerate(views.closed):
        mine = np.flatnonzero(view[held.job] == k)
        first, last = (np.searchsorted(closed.node, held.node[mine], side) for side in ("left", "right"))
        pair = np.repeat(mine, last - first)
        time = np.arange(pair.size) + np.repeat(first - np.cumsum(last - first) + (last - first), last - first)
        job = held.job[pair]
        bad = np.flatnonzero((closed.begin[time] < runs.finish[job]) & (closed.end[time] > runs.start[job]))
        if bad.size:
            words = (
                f"{runs.who[job[i]]} on {runs.machine.names[held.node[pair[i]]]} from {runs.start[job[i]]}, where it "
                f"is closed from {closed.begin[time[i]]} to {closed.end[time[i]]}"
                for i in bad.tolist()
            )
            rule = "no job may be on a node that a reservation keeps from it"
            jobs = number_of(np.unique(job[bad]).size, "job")
            verb = "is" if jobs == "1 job" else "are"
            raise InputError(f"{runs.name}: {rule}, but {jobs} {verb}: {first_few(words, bad.size)}")


def _check_lives(name: str, workload: Workload, who: list[str], start: Ints, lives: Lives) -> None:
    """Raise InputError if a life begins before its job may, or ends after the next one has begun."""
    same = lives.job[1:] == lives.job[:-1]
    after = np.append(np.where(same, lives.begin[1:], start[lives.job[:-1]]), start[lives.job[-1:]])
    bad = lives.begin < workload.eligible[lives.job]
    bad |= (lives.end < lives.begin) | (lives.end > lives.begin + workload.run[lives.job])
    bad |= np.where(lives.requeued, lives.end > after, lives.begin != start[lives.job])
    if bad.any():
        rows = np.flatnonzero(bad)
        words = (f"{who[lives.job[i]]} from {lives.begin[i]} to {lives.end[i]}" for i in rows.tolist())
        rule = "a job that makes way must have been eligible, and start again after that"
        raise InputError(f"{name}: {rule}, but {rows.size:,} break it: {first_few(words, rows.size)}")


class _Runs(NamedTuple):
    """A schedule, and what its rows are of: `job` is the job of each row of the placement."""

    name: str
    who: list[str]
    start: Ints
    finish: Ints
    placement: Placement
    job: Ints
    machine: Machine
    requests: Requests

    def jobs_keep(self, rule: str, bad: Mask, has: Fact) -> None:
        """Raise InputError if some jobs, (n,) bool, break a rule; `has` says what a job has."""
        offenders = np.flatnonzero(bad)
        words = (f"{self.who[j]} at {self.start[j]} {_words_of(has, j)}" for j in offenders.tolist())
        self._refuse(rule, offenders, words)

    def rows_keep(self, rule: str, bad: Mask, has: Fact) -> None:
        """Raise InputError if some rows of the placement, (k,) bool, break a rule; `has` says what a row has."""
        offenders, names = np.flatnonzero(bad), self.machine.names
        job, node = self.job[offenders], self.placement.node[offenders]
        words = (
            f"{self.who[j]} on {names[place]} at {self.start[j]} {_words_of(has, i)}"
            for i, j, place in zip(offenders.tolist(), job.tolist(), node.tolist(), strict=True)
        )
        self._refuse(rule, offenders, words)

    def _refuse(self, rule: str, offenders: Ints, words: Iterable[str]) -> None:
        """Raise InputError if there are offenders."""
        if offenders.size:
            raise InputError(
                f"{self.name}: {rule}, but {offenders.size:,} break it: {first_few(words, offenders.size)}"
            )


class _Asked(NamedTuple):
    """What jobs ask for in their partitions, (n,) each, see `Requests`; nodes, memory (MiB) and least CPUs of a node.

    `memory` is UNSAID if it is asked for by CPU, 0 for all of a node; `whole`: the job is alone on its nodes.
    """

    tasks: Ints
    cpus: Ints
    least: Ints
    most: Ints
    memory: Ints
    memory_per_cpu: Ints
    least_cpus: Ints
    whole: Mask


def _of_parts(machine: Machine, key: str, missing: int) -> Ints:
    """Return what each partition says, (partitions,); `missing` where it says nothing."""
    values = (getattr(part, key) for part in machine.partitions)
    return np.array([missing if value is None else value for value in values], dtype=np.int64)


def _complete_requests(machine: Machine, requests: Requests, part: Ints) -> _Asked:
    """Return what jobs ask for in the partitions in which they are."""
    memory, per_cpu = requests.memory_per_node, requests.memory_per_cpu
    by_cpu = _of_parts(machine, "memory_per_cpu", UNSAID)[part]
    silent = (memory == UNSAID) & (per_cpu == UNSAID)
    memory = np.where(silent & (by_cpu == UNSAID), _of_parts(machine, "memory_per_node", 0)[part], memory)
    per_cpu = np.where(silent, by_cpu, per_cpu)
    ceiling = _of_parts(machine, "most_memory_per_cpu", MANY)[part]
    times = np.maximum(-(-per_cpu // ceiling), 1)
    named = _names_in(machine, requests.hosts)[1]
    tasks = np.maximum(requests.tasks, named)
    least = np.maximum(np.minimum(requests.nodes_least, tasks), _of_parts(machine, "nodes_least", 1)[part])
    least = np.maximum(least, named)
    a_node = requests.tasks_per_node
    least = np.where(a_node > 0, np.maximum(least, -(-tasks // np.maximum(a_node, 1))), least)
    most = np.maximum(np.minimum(requests.nodes_most, tasks), named)
    whole = (requests.exclusive == EXCLUSIVE) | _of_parts(machine, "exclusive", 0)[part].astype(np.bool_)
    whole |= machine.gives_nodes
    return _Asked(
        tasks=np.maximum(tasks, least),
        cpus=requests.cpus_per_task * times,
        least=least,
        most=np.minimum(np.where(requests.nodes_most > 0, most, MANY), _of_parts(machine, "nodes_most", MANY)[part]),
        memory=memory,
        memory_per_cpu=-(-per_cpu // times),
        least_cpus=np.maximum(-(-memory // ceiling), 1),
        whole=whole,
    )


def _check_partitions(runs: _Runs, limit: Ints) -> None:
    """Raise InputError if a job is in a partition that it does not name, may not use or does not fit."""
    machine, requests, part = runs.machine, runs.requests, runs.placement.partition
    columns = requests.partition, requests.account, requests.qos
    cases, of_job = np.unique(np.stack([texts.code for texts in columns], axis=1), axis=0, return_inverse=True)
    open_to = np.zeros((len(cases), len(machine.partitions)), dtype=np.bool_)
    for row, codes in enumerate(cases.tolist()):
        names, account, qos = (texts.words[code] for texts, code in zip(columns, codes, strict=True))
        for number in machine.partitions_of(names):
            p = machine.partitions[number]
            open_to[row, number] = p.up and p.is_open_to(account, qos)
    bad = ~open_to[of_job.reshape(-1), part]
    longest = _of_parts(machine, "longest", MANY)
    most = np.where(open_to, longest, 0).max(axis=1)[of_job.reshape(-1)]  # a job that asks for more did run
    bad |= np.minimum(limit, most) > longest[part]
    bad |= requests.memory_per_node > _of_parts(machine, "most_memory_per_node", MANY)[part]
    bad |= requests.nodes_least > _of_parts(machine, "nodes_most", MANY)[part]
    rule = "a job must be in a partition that it names, may use, and whose limits it keeps"
    runs.jobs_keep(rule, bad, lambda j: f"is in {machine.partitions[part[j]].name}")
    outside = ~machine.members[part[runs.job], runs.placement.node]
    rule = "the nodes of a job must be of its partition"
    runs.rows_keep(rule, outside, lambda i: f"is in {machine.partitions[part[runs.job[i]]].name}")


def _check_jobs(runs: _Runs, asked: _Asked) -> None:
    """Raise InputError if a job has not the nodes, tasks, memory or GPUs that it asks for."""
    machine, requests, held, job = runs.machine, runs.requests, runs.placement, runs.job
    pairs, named = _names_in(machine, requests.hosts)
    own = np.isin(requests.hosts.code[job] * len(machine.names) + held.node, pairs)
    runs.jobs_keep("a job must have all nodes that it names", runs.placement.in_all(own) < named, "does not")
    pairs, _ = _names_in(machine, requests.excluded)
    unwanted = np.isin(requests.excluded.code[job] * len(machine.names) + held.node, pairs)
    runs.rows_keep("no job may be on a node that it excludes", unwanted, "is")
    count = np.diff(held.piece)
    bad = (count < asked.least) | (count > asked.most)
    rule = "a job must have as many nodes as it asks for and its partition allows"
    runs.jobs_keep(rule, bad, lambda j: f"has {count[j]}")

    cpus = held.cpus
    parts = (cpus % machine.threads[held.node] > 0) & (machine.gives != "cpu")
    rule = "a job must have whole cores of each of its nodes" if machine.gives != "cpu" else "a job must have CPUs"
    runs.rows_keep(rule, parts | (cpus < 1), lambda i: f"has {number_of(int(cpus[i]), 'CPU')}")
    few = cpus < asked.least_cpus[job]
    rule = "a job must have as many CPUs of each node as its partition wants for its memory"
    runs.rows_keep(rule, few, lambda i: f"has {cpus[i]}, not {asked.least_cpus[job[i]]}")
    small = machine.disk[held.node] < requests.disk_per_node[job]
    runs.rows_keep("the nodes of a job must have the disk that it asks for", small, "has less")

    gpus = (held.gpus * _types(machine, requests.gpu_type)[requests.gpu_type.code[job]]).sum(axis=1)
    rule = "a job must have the GPUs that it asks for on each node"
    runs.rows_keep(rule, gpus < requests.gpus_per_node[job], lambda i: f"has {gpus[i]}")
    gpus_in_all = runs.placement.in_all(gpus)
    runs.jobs_keep(
        "a job must have the GPUs that it asks for", gpus_in_all < requests.gpus, lambda j: f"has {gpus_in_all[j]}"
    )
    tasks = cpus // asked.cpus[job]
    per_task, per_node = requests.gpus_per_task[job], requests.tasks_per_node[job]
    tasks = np.where(per_task > 0, np.minimum(tasks, gpus // np.maximum(per_task, 1)), tasks)
    room = runs.placement.in_all(np.where(per_node > 0, np.minimum(tasks, per_node), tasks))
    rule = "a job must have room for its tasks"
    runs.jobs_keep(rule, room < asked.tasks, lambda j: f"has room for {room[j]} of {asked.tasks[j]}")

    if machine.shares_memory:
        wanted = np.where(asked.memory[job] == 0, machine.memory[held.node], asked.memory[job])
        rule = "a job must have the memory that it asks for on each node"
        runs.rows_keep(rule, held.memory < wanted, lambda i: f"has {held.memory[i]} of {wanted[i]} MiB")
        memory = runs.placement.in_all(held.memory)
        in_all = np.maximum(asked.memory_per_cpu, 0) * asked.tasks * asked.cpus
        rule = "a job must have the memory that it asks for by CPU"
        runs.jobs_keep(rule, memory < in_all, lambda j: f"has {memory[j]} of {in_all[j]} MiB")


def _names_in(machine: Machine, hosts: Texts) -> tuple[Ints, Ints]:
    """Return which nodes are in the lists of jobs: code of the list times nodes plus node, (m,); and how many, (n,)."""
    lists = [{machine.place_of.get(name, -1) for name in node_names(word, "hosts")} for word in hosts.words]
    pairs = [code * len(machine.names) + place for code, places in enumerate(lists) for place in places if place >= 0]
    return np.array(pairs, dtype=np.int64), np.array([len(places) for places in lists], dtype=np.int64)[hosts.code]


def _types(machine: Machine, gpu_type: Texts) -> Ints:
    """Return which types of GPUs will do for each word, (words, types) 0 or 1; where no type is known, all will."""
    rows = [
        [not word or word == each or machine.gpu_types == (UNTYPED,) for each in machine.gpu_types]
        for word in gpu_type.words
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


def _check_features(runs: _Runs) -> None:
    """Raise InputError if a job is on nodes without the features that it asks for."""
    machine, code = runs.machine, runs.requests.constraint.code
    wishes = [read_constraint(word) for word in runs.requests.constraint.words]
    kind = machine.kind[runs.placement.node]
    suits = np.array([[wish.suits(words) for words in machine.features] for wish in wishes])
    rule = "the nodes of a job must have the features that it asks for"
    runs.rows_keep(rule, ~suits[code[runs.job], kind], "does not")

    def has(way: frozenset[str]) -> Mask:
        """Return which kinds of nodes have all features of a set."""
        return np.array([way <= words for words in machine.features])

    for number, wish in enumerate(wishes):
        if not (wish.alike or wish.counts):
            continue
        mine = code == number
        words = runs.requests.constraint.words[number]
        if wish.alike:
            alike = np.zeros(len(code), dtype=np.bool_)
            for way in wish.ways:
                alike |= runs.placement.in_all(~has(way)[kind]) == 0
            runs.jobs_keep(f"all nodes of a job must be alike for {words}", mine & ~alike, "does not")
        for way, count in wish.counts:
            few = runs.placement.in_all(has(way)[kind]) < count
            runs.jobs_keep(f"a job must have nodes for each count of {words}", mine & few, "has too few")


class _Sweep(NamedTuple):
    """Changes of amounts at places, by place and time; of one second what ends comes first.

    Attributes
    ----------
    place, second
        (m,) int64.
    now
        (m, columns) int64, what there is after each change.
    """

    place: Ints
    second: Ints
    now: Ints


def _sweep(place: Ints, begin: Ints, end: Ints, amounts: Ints) -> _Sweep:
    """Return what there is at places, (k,), of amounts, (k, columns), that are there from `begin` until `end`."""
    places, seconds = np.concatenate([place, place]), np.concatenate([end, begin])
    begins = np.repeat([False, True], place.size)
    order = np.lexsort((begins, seconds, places))
    changes = np.concatenate([-amounts, amounts])[order]
    return _Sweep(places[order], seconds[order], np.cumsum(changes, axis=0))  # all is back to 0 behind each place


def _check_licences(runs: _Runs) -> None:
    """Raise InputError if more licences are in use than there are."""
    machine, licences = runs.machine, runs.requests.licences
    there = dict(machine.licences)
    number = {name: place for place, name in enumerate(there)}
    wanted: list[Mapping[str, int]] = [licences_in(word) for word in licences.words]
    unknown = np.array([not each.keys() <= there.keys() for each in wanted])
    rule = "a job must ask for licences that the machine has"
    runs.jobs_keep(rule, unknown[licences.code], lambda j: f"asks for {licences.words[licences.code[j]]}")
    uses = np.zeros((len(wanted), len(there)), dtype=np.int64)
    for row, each in enumerate(wanted):
        for name, count in each.items():
            uses[row, number[name]] = count
    job, place = np.nonzero(uses[licences.code])
    swept = _sweep(place, runs.start[job], runs.finish[job], uses[licences.code][job, place][:, None])
    have = np.array([*there.values()], dtype=np.int64)
    over = np.flatnonzero(swept.now[:, 0] > have[swept.place])
    if over.size:
        i = over[np.argmin(swept.second[over])]
        name = [*there][swept.place[i]]
        raise InputError(
            f"{runs.name}: the machine has {there[name]} of the licence {name}, but {swept.now[i, 0]} are in use from "
            f"second {swept.second[i]} on"
        )


def _check_drained(runs: _Runs, begin: Ints, epoch: int) -> None:
    """Raise InputError if a job starts on a node that is drained; `begin`, (k,) s, is when what it holds does."""
    node, since, until = runs.machine.down_by_node(epoch, DRAIN)
    if node.size:
        is_down = np.repeat([[1, 0], [0, 1]], [begin.size, node.size], axis=0)
        when = np.append(begin, since), np.append(begin + 1, until)
        swept = _sweep(np.append(runs.placement.node, node), *when, is_down)
        rule = "no job may start on a node that is drained"
        _refuse(runs, swept, rule, swept.now.min(axis=1) > 0, "is drained")


def _check_nodes(runs: _Runs, whole: Mask, user: Ints, epoch: int, pauses: Pauses | None) -> None:
    """Raise InputError if a node has less than its jobs hold, is down, or runs jobs that do not go together.

    Parameters
    ----------
    runs
        The schedule.
    whole
        (n,) bool, the jobs that must be alone on their nodes.
    user
        (n,) int64, the user of each job, numbered from 0 on.
    epoch
        Unix time of second 0.
    pauses
        As for `check_placement`: those that are stopped have their memory and GPUs only.
    """
    machine, held, job = runs.machine, runs.placement, runs.job
    begin, end = runs.start[job], runs.finish[job]
    node, down_begin, down_end = machine.down_by_node(epoch, KNOWN, FAILURE)
    columns = [held.cpus, held.memory, *held.gpus.T, np.ones(job.size, dtype=np.int64), whole[job]]
    own = np.column_stack([*columns, np.zeros(job.size, dtype=np.int64)])
    outages = np.zeros((node.size, own.shape[1]), dtype=np.int64)
    outages[:, -1] = 1
    rows, since, until = _rows_in_pieces(runs, pauses)
    pieces = own[rows]
    pieces[:, 1 : 2 + len(machine.gpu_types)] = 0  # memory and GPUs are held all the time
    own[rows, 0] = own[rows, -3] = own[rows, -2] = 0
    swept = _sweep(
        np.concatenate([held.node, node, held.node[rows]]),
        np.concatenate([begin, down_begin, since]),
        np.concatenate([end, down_end, until]),
        np.concatenate([own, outages, pieces]),
    )
    now, place = swept.now, swept.place
    jobs, alone, down = now[:, -3], now[:, -2], now[:, -1]
    has = {"CPUs": (machine.cpus, now[:, 0])}
    if machine.shares_memory:
        has["MiB of memory"] = machine.memory, now[:, 1]
    for number, word in enumerate(machine.gpu_types):
        has[f"GPUs of type {word}"] = machine.gpus[:, number], now[:, 2 + number]
    for word, (there, used) in has.items():
        facts = _gives(used, there[place])
        _refuse(runs, swept, f"no node may give more {word} than it has", used > there[place], facts)
    _refuse(runs, swept, "no job may run on a node that is down", (down > 0) & (jobs > 0), "is down")
    _check_drained(runs, begin, epoch)
    rule = "a job that is exclusive must be alone on its nodes"
    _refuse(runs, swept, rule, (alone > 0) & (jobs > 1), lambda i: f"has {jobs[i]} jobs")

    picky = runs.requests.exclusive[job] == OF_USER
    if picky.any():
        nearby = np.isin(held.node, held.node[picky])  # only nodes with such jobs count
        by_user = held.node * (int(user.max()) + 1) + user[job]
        each = _sweep(by_user[nearby], begin[nearby], end[nearby], np.ones((int(nearby.sum()), 1), dtype=np.int64))
        count = each.now[:, 0]
        before = np.concatenate([[0], count[:-1]])
        comes, goes = np.flatnonzero((before == 0) & (count == 1)), np.flatnonzero((before == 1) & (count == 0))
        stays = each.place[comes] // (int(user.max()) + 1)  # a user is on a node from when until when
        together = _sweep(
            np.concatenate([stays, held.node[picky]]),
            np.concatenate([each.second[comes], begin[picky]]),
            np.concatenate([each.second[goes], end[picky]]),
            np.repeat(np.eye(2, dtype=np.int64), [stays.size, int(picky.sum())], axis=0),
        )
        mixed = (together.now[:, 0] > 1) & (together.now[:, 1] > 0)
        rule = "a job that is exclusive to its user must be on nodes without jobs of others"
        _refuse(runs, together, rule, mixed, lambda i: f"has jobs of {together.now[i, 0]} users")


def _rows_in_pieces(runs: _Runs, pauses: Pauses | None) -> tuple[Ints, Ints, Ints]:
    """Return the rows of jobs that are stopped at times, each for each time that it runs, and from and until when."""
    if pauses is None:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    jobs, held = np.unique(pauses.job), runs.placement
    job = np.concatenate([jobs, pauses.job])
    begin, end = np.concatenate([runs.start[jobs], pauses.end]), np.concatenate([runs.finish[jobs], pauses.begin])
    begin, end, job = begin[np.lexsort((begin, job))], end[np.lexsort((end, job))], np.sort(job)
    count = np.diff(held.piece)[job]
    first = np.repeat(held.piece[job] - np.cumsum(count) + count, count)
    return first + np.arange(first.size), np.repeat(begin, count), np.repeat(end, count)


def _gives(used: Ints, there: Ints) -> Fact:
    """Return a function that says how much of what there is a node gives at a change."""
    return lambda i: f"gives {used[i]} of {there[i]}"


def _refuse(runs: _Runs, swept: _Sweep, rule: str, bad: Mask, has: Fact) -> None:
    """Raise InputError if nodes break a rule at some changes, (m,) bool; the first in time are named, with jobs."""
    rows = np.flatnonzero(bad)
    if not rows.size:
        return
    rows = rows[np.argsort(swept.second[rows], kind="stable")]
    node, second = int(swept.place[rows[0]]), int(swept.second[rows[0]])
    offenders = first_few(
        (
            f"{runs.machine.names[swept.place[i]]} from second {swept.second[i]} on {_words_of(has, i)}"
            for i in rows.tolist()
        ),
        rows.size,
    )
    there = (runs.placement.node == node) & (runs.start[runs.job] <= second) & (second < runs.finish[runs.job])
    who = first_few((runs.who[j] for j in runs.job[there].tolist()), int(there.sum()))
    raise InputError(f"{runs.name}: {rule}, but {offenders}; there is {who}")
