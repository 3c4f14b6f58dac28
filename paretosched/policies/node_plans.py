"""What a workload asks of a machine of nodes, as the engine takes it; and what it says of where the jobs ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Ints, Mask, read_only
from ..core.errors import InputError, first_few
from ..kernels.failures import COMES_BACK, FAILS, IS_SHUT
from ..kernels.node_plan import (
    ALL_TYPES,
    AMOUNT,
    AT_ALL,
    BEST,
    BY_LEAVES,
    BY_WEIGHT,
    CHECKED,
    CONS_TRES,
    CPUS,
    DOWN,
    EMPTIEST,
    FIXED,
    FOR_TURN,
    GPUS,
    HAS,
    HELD,
    HOLDER,
    IN_ORDER,
    KIND,
    LEAF,
    LEAST,
    MEMORY,
    NODE,
    NOTHING,
    NOW,
    NUMBER,
    ONCE,
    OPTION,
    POOL,
    ROOM,
    SHAPE,
    SHARE,
    SUMS,
    THREADS,
    TIMED,
    TOTAL,
    WEIGHT,
    NodePlan,
)
from ..kernels.slurm_pace import (
    BEGUN,
    BY_PARTITION,
    BY_QOS,
    CANCELLED,
    ENDED,
    EXEMPT,
    FROM_ROW,
    GRACE,
    IN_OPTION,
    LIFE,
    LOOK,
    MODE,
    OVER,
    RANK,
    REQUEUED,
    STAYS,
    SUSPENDED,
    Pace,
    empty_pace,
)
from ..kernels.waiting_tree import FAR
from ..workload.counting_limits import client_of
from ..workload.features import Constraint, read_constraint
from ..workload.host_lists import node_names
from ..workload.machine import DRAIN, FAILURE, FOR_EVER, KNOWN, Machine, Partition
from ..workload.node_requests import EXCLUSIVE, NORMAL, OF_USER, PLACED_BY, UNSAID, Requests, licences_in
from ..workload.overruns import asked_times
from ..workload.preemption import SUSPEND
from ..workload.workload import Workload
from .limit_pools import Pools
from .outcome import Lives, Pauses, Placement
from .reserved_nodes import Views, views_of
from .whole_nodes import PASS_JOBS, PASS_LIMITS, PASS_TIMES, WholeNodes

BY_SWITCHES = ("cons_tres", "linear")  # choices that go by the leaves of switches, if there are some
RULES = {"cons_tres": CONS_TRES, "linear": IN_ORDER, "first": IN_ORDER, "best": BEST, "spread": EMPTIEST}
LONGEST = (OPTION.names or ()).index("longest")
PLACES = ("named", "counts", "end", "pool", "pool_end")  # of an option, in the lists of the plan
ABOVE = 2**17  # more than any PriorityTier: jobs in reservations come first
STEPS_A_HOLD = 2  # of the profile of a node
MOST_ROOMS = 2**22  # what so many nodes could give to jobs of an option is known at the same time
MOST_STEPS = 2**26  # at one time; memory is used only for those that there are


class Ask(NamedTuple):
    """What one job asks for, with what its partition says of what it does not say; see `Requests`."""

    tasks: int
    cpus: int
    least: int
    most: int
    per_node: int
    memory: int
    memory_per_cpu: int
    least_cpus: int


@lru_cache(maxsize=2)  # a search simulates the same jobs thousands of times
def node_plan(workload: Workload) -> NodePlan:
    """Return the machine of a workload and what its jobs, in the order of their arrival, ask of it.

    The arrays that a simulation changes are empty, see `paretosched.kernels.node_plan.fresh`.
    """
    machine, requests = workload.open_machine, workload.requests
    assert machine is not None  # noqa: S101  # such workloads only
    assert requests is not None  # noqa: S101
    views = views_of(machine, requests, workload.epoch)
    with_users = bool((requests.exclusive == OF_USER).any())
    is_limited = any(part.accounts or part.not_accounts or part.qos or part.not_qos for part in machine.partitions)
    who = ("account", "qos") if is_limited or machine.limits else ()
    users = {"user": workload.user} if machine.limits else {}
    arrays, array = arrays_of(requests)
    tasks = {"pool": np.where(array < len(arrays), array, -1)} if arrays else {}
    seen = {"view": views.of_job} if len(views.closed) > 1 else {}
    shapes, of_job = requests.distinct((*PLACED_BY, *who), **users, **tasks, **seen)
    builder = _Builder(machine, workload.names.users if workload.names is not None else {}, arrays, views)
    built = np.zeros(len(shapes), SHAPE)
    tiers, rows, longest = (np.zeros(len(shapes), np.int64) for _ in range(3))
    same: dict[tuple[object, ...], int] = {}  # jobs that can be placed in the same ways have one shape
    kept = np.empty(len(shapes), np.int64)
    for number, said in enumerate(shapes):
        first, first_list = len(builder.options), len(builder.lists)
        who_asks = said.get("account", ""), said.get("qos", "")
        named = machine.partitions_of(said["partition"])
        partitions = [k for k in named if machine.partitions[k].is_open_to(*who_asks)]
        for is_within in (True, False):
            for k in partitions if len(builder.options) == first else ():
                builder.add_options(k, said, is_within)
        view = said.get("view", 0)
        tiers[number] = max((machine.partitions[k].tier for k in partitions), default=0)
        tiers[number] += builder.is_bound(view) * ABOVE
        kept[number] = same.setdefault((tiers[number], view, *builder.ways_from(first, first_list)), number)
        if kept[number] < number:
            del builder.options[first:], builder.lists[first_list:]
            continue
        options = builder.options[first:]
        built[number]["option"], built[number]["option_end"] = first, len(builder.options)
        built[number]["late"] = builder.is_late(options)
        built[number]["timed"] = builder.is_timed(options)
        built[number]["single"] = not built[number]["late"] and all(builder.needs_one(option) for option in options)
        built[number]["rows"] = max((builder.most_nodes(option) for option in options), default=0)
        rows[number] = built[number]["rows"] * (1 + built[number]["late"])
        longest[number] = max((option[LONGEST] for option in options), default=FAR)
    of_job = kept[of_job]
    holders = np.zeros(len(workload), HOLDER)
    holders["shape"], holders["tier"], holders["request"] = of_job, tiers[of_job], workload.estimate
    # jobs that ran although they ask for more do so
    holders["limit"] = np.minimum(asked_times(workload), longest[of_job])
    holders["user"] = np.unique(workload.user, return_inverse=True)[1] if with_users else NOTHING
    holders["alone"] = requests.exclusive == OF_USER
    bound = np.array([builder.is_bound(k) for k in range(len(views.closed))])
    holders["inside"] = np.where(bound, len(machine.partitions) + np.cumsum(bound) - 1, 0)[views.of_job]
    if with_users:  # to be alone with a user, or not, is another shape
        pairs = np.stack([of_job, holders["user"]], axis=1)
        which, place = np.unique(pairs, axis=0, return_inverse=True)
        built, holders["shape"] = built[which[:, 0]], place.reshape(-1)
    used, place = np.unique(holders["shape"], return_index=True)
    built["job"][used] = place
    end = np.cumsum(rows[of_job])
    holders["first"] = end - rows[of_job]
    size = int(end[-1]) if end.size else 0
    m, resources = len(machine.names), GPUS + len(machine.gpu_types) + SUMS * with_users
    return builder.plan(workload.epoch, holders, built, size, m, resources)


def arrays_of(requests: Requests) -> tuple[list[int], Ints]:
    """Return how many tasks of arrays may run at once, of those of which not all may, and the array of each job.

    Arrays are numbered, those that are limited first; (n,) int64, -1 for a job that is in none. Of tasks that say
    different numbers the last one counts.

    Examples
    --------
    >>> arrays_of(Requests(tasks=[1] * 4, array=[7, 0, 9, 9], array_most=[0, 0, 2, 2]))
    ([2], array([ 1, -1,  0,  0]))
    """
    numbers, place = np.unique(requests.array, return_inverse=True)
    most = np.zeros(numbers.size, np.int64)
    most[place] = requests.array_most
    most[numbers == 0] = 0
    order = np.lexsort((numbers == 0, most == 0))
    rank = np.empty(numbers.size, np.int64)
    rank[order] = np.arange(numbers.size)
    rank[numbers == 0] = NOTHING
    return most[order][most[order] > 0].tolist(), rank[place]


def with_defaults(part: Partition, said: dict[str, Any], named: int) -> Ask:
    """Return what a job asks for with all that it does not say; it has no more nodes than tasks.

    Memory beyond MaxMemPerCPU becomes more CPUs: of each task, if it is said by the CPU, or of each node.
    """
    memory, by_cpu, cpus, least_cpus = said["memory_per_node"], said["memory_per_cpu"], said["cpus_per_task"], 1
    if memory == by_cpu == UNSAID:
        if part.memory_per_cpu is not None:
            by_cpu = part.memory_per_cpu
        else:
            memory = 0 if part.memory_per_node is None else part.memory_per_node
    ceiling = part.most_memory_per_cpu
    if ceiling and by_cpu > ceiling:
        times = -(-by_cpu // ceiling)
        cpus, by_cpu = cpus * times, -(-by_cpu // times)
    elif ceiling and memory > 0:
        least_cpus = -(-memory // ceiling)
    tasks, per_node, most = max(said["tasks"], named), said["tasks_per_node"], said["nodes_most"]
    least = max(min(said["nodes_least"], tasks), part.nodes_least or 1, named)
    if per_node:
        least = max(least, -(-tasks // per_node))
    most = max(min(most, tasks), named) if most else 0
    return Ask(max(tasks, least), cpus, least, most, per_node, memory, by_cpu, least_cpus)


def fewest(ask: Ask, exact: bool, most: int, gpus: int, cpus: int) -> tuple[int, int]:
    """Return how many CPUs of each of its nodes a job needs at least, and how many nodes.

    Parameters
    ----------
    ask
        `Ask`.
    exact
        Whether each node must have `ask.per_node` tasks.
    most, gpus
        How many nodes it may have, 0 for any number, and how many GPUs it needs in all.
    cpus
        How many CPUs a node has at most.
    """
    per_node = max(cpus // ask.cpus, 1)  # tasks
    if ask.per_node:
        per_node = min(per_node, ask.per_node)
    nodes = min(limit for limit in (ask.tasks, ask.most, most, gpus) if limit > 0)
    tasks = ask.per_node if exact else max(ask.tasks - (nodes - 1) * per_node, 1)
    return tasks * ask.cpus, max(ask.least, -(-ask.tasks // per_node))


class _Builder:
    """The ways in which jobs can be placed on a machine, as they are found."""

    def __init__(self, machine: Machine, users: Mapping[int, str], arrays: Sequence[int], views: Views) -> None:
        self.machine = machine
        self._views = views
        self._any_bound = any(views.windows)  # jobs of such views have their turn before all others
        self._pools = Pools(machine, arrays)
        self._stopping = len(arrays) + len(machine.licences)  # the first of the pools that may stop others
        self._client = client_of(machine, users)
        self.options: list[tuple[int, ...]] = []
        self.lists: list[int] = []
        self._masks: dict[bytes, int] = {}
        self._rows: list[Mask] = []
        self._licences = {name: number for number, (name, _) in enumerate(machine.licences, len(arrays))}
        self._constraint: Callable[[str], Constraint] = cache(read_constraint)
        self._nodes_of: Callable[[str], Ints] = cache(lambda hosts: _places(machine, hosts))
        self._tiers = sorted({part.tier for part in machine.partitions}, reverse=True)
        self._with: Callable[[frozenset[str]], Mask] = cache(self._having)

    def is_bound(self, view: int) -> bool:
        """Return whether the jobs of a view wait for their reservation."""
        return bool(self._views.windows[view])

    def _having(self, way: frozenset[str]) -> Mask:
        """Return which nodes have all of some features, (nodes,) bool."""
        kinds = np.array([way <= features for features in self.machine.features], dtype=np.bool_)
        return kinds[self.machine.kind]

    def _set(self, nodes: Mask) -> int:
        """Return the number of a set of nodes."""
        number = self._masks.setdefault(np.packbits(nodes).tobytes(), len(self._rows))
        if number == len(self._rows):
            self._rows.append(nodes)
        return number

    def ways_from(self, first: int, first_list: int) -> tuple[object, ...]:
        """Return the options from `first` on, with what their places in the lists, from `first_list` on, say there."""
        places = [(OPTION.names or ()).index(name) for name in PLACES]
        ways = [list(option) for option in self.options[first:]]
        for way in ways:
            for place in places:
                way[place] -= first_list
        return tuple(map(tuple, ways)), tuple(self.lists[first_list:])

    def most_nodes(self, option: tuple[int, ...]) -> int:
        """Return how many nodes a job can have in an option."""
        value = dict(zip(OPTION.names or (), option, strict=True))
        return int(min(self._rows[value["mask"]].sum(), value["tasks"] + value["end"] - value["named"]))

    def needs_one(self, option: tuple[int, ...]) -> bool:
        """Return whether a job needs one node, and any one that is usable, in an option."""
        value = dict(zip(OPTION.names or (), option, strict=True))
        return 1 in (value["most"], value["tasks"]) and value["counts"] == value["end"]

    def add_options(self, k: int, said: dict[str, Any], is_within: bool) -> None:
        """Add the ways in which a job can be placed in partition k; `is_within`: only if limits can ever let it in."""
        machine, part = self.machine, self.machine.partitions[k]
        over = part.nodes_most is not None and said["nodes_least"] > part.nodes_most
        most_memory = part.most_memory_per_node
        if not part.up or over or (most_memory is not None and said["memory_per_node"] > most_memory):
            return
        named = self._nodes_of(said["hosts"])
        nodes = machine.members[k] & (machine.disk >= said["disk_per_node"])
        excluded = self._nodes_of(said["excluded"])
        nodes[excluded[excluded >= 0]] = False
        if (named < 0).any() or not nodes[named].all():
            return
        kind = ALL_TYPES
        if said["gpu_type"] and (said["gpus"] or said["gpus_per_node"] or said["gpus_per_task"]):
            if said["gpu_type"] not in machine.gpu_types:
                return
            kind = machine.gpu_types.index(said["gpu_type"])
        # Where one type is asked for, or there is only one, a node without so many will not do.
        is_one_type = kind != ALL_TYPES or len(machine.gpu_types) == 1
        least_gpus = max(said["gpus_per_node"], said["gpus_per_task"], min(said["gpus"], 1)) if is_one_type else 0
        of_gpus = GPUS + max(kind, 0) if least_gpus else CPUS
        ask, constraint = with_defaults(part, said, named.size), self._constraint(said["constraint"])
        whole = said["exclusive"] == EXCLUSIVE or part.exclusive or machine.gives_nodes
        exact = ask.most == ask.least and ask.tasks == ask.least * ask.per_node
        by_switches = machine.switches and machine.choice in BY_SWITCHES
        rule = EMPTIEST if part.least_loaded else BY_LEAVES if by_switches else RULES[machine.choice]
        longest = FAR if part.longest is None else part.longest
        later = len(self._tiers) * (self._any_bound and not self.is_bound(said.get("view", 0)))
        first_pool = len(self.lists)
        pool = said.get("pool", NOTHING)
        array = [] if pool == NOTHING else [(pool, 1, 1, FIXED, FOR_TURN, 0)]
        shared = *self._licences_of(said["licences"]), *array, *self._limits_of(k, said, ask, whole, nodes)
        if is_within and any(self._is_beyond(row) for row in shared):
            return
        self.lists += [value for row in shared for value in row]
        pools = first_pool, len(self.lists)
        ways = [Constraint((way,)) for way in constraint.ways] if constraint.alike else [constraint]
        for each in ways:
            every = each.ways + tuple(way for way, _ in each.counts)
            able = nodes & np.logical_or.reduce([self._with(way) for way in every]) if every else nodes
            first = len(self.lists)
            self.lists += named.tolist()
            middle = len(self.lists)
            for way, count in each.counts:
                self.lists += [self._set(able & self._with(way)), count]
            self.options.append(
                (k, self._set(able), longest, ask.tasks, ask.cpus, ask.least, ask.most, ask.per_node, ask.memory,
                 ask.memory_per_cpu, said["gpus_per_node"], said["gpus"], said["gpus_per_task"], kind, whole,
                 ask.least_cpus, part.nodes_most or 0, exact, rule, first, middle, len(self.lists),
                 max(ask.memory, ask.memory_per_cpu * ask.cpus, 0), least_gpus, of_gpus,
                 self._tiers.index(part.tier), self._set(machine.members[k]), said["tasks_per_core"],
                 *fewest(ask, exact, part.nodes_most or 0, said["gpus"], int(machine.cpus[able].max(initial=0))),
                 *pools, self._tiers.index(part.tier) + later)
            )  # fmt: skip

    def _is_beyond(self, entry: tuple[int, ...]) -> bool:
        """Return whether what a job takes of a pool, see NUMBER, is more than there ever is; not of timed ones."""
        return bool(entry[CHECKED] and not entry[TIMED] and entry[LEAST] > self._pools.totals[entry[NUMBER]])

    def _licences_of(self, words: str) -> list[tuple[int, ...]]:
        """Return the licences that a job takes, see NUMBER; unknown ones are none."""
        wanted = licences_in(words).items()
        return [
            (self._licences[name], count, count, FIXED, AT_ALL, 0) for name, count in wanted if name in self._licences
        ]

    def _limits_of(self, k: int, said: dict[str, Any], get: Ask, whole: bool, able: Mask) -> list[tuple[int, ...]]:
        """Return what a job takes of what limits allow in partition k, see NUMBER.

        `get` is what it asks for with all that it does not say, `whole` whether it gets whole nodes, of those `able`.
        """
        if not self.machine.limits:
            return []
        part = self.machine.partitions[k]
        nodes = max(said["nodes_least"], part.nodes_least or 1)
        cpus = max(said["tasks"] * said["cpus_per_task"], nodes)
        per_node, per_cpu = said["memory_per_node"], said["memory_per_cpu"]
        if per_node == per_cpu == UNSAID:
            per_node, per_cpu = part.memory_per_node or 0, part.memory_per_cpu or 0
        memory = max(per_node, 0) * nodes + max(per_cpu, 0) * cpus
        gpus = said["gpus"] + said["gpus_per_node"] * nodes + said["gpus_per_task"] * said["tasks"]
        asked = {"cpu": cpus, "mem": memory, "node": nodes, "gres/gpu": gpus}
        if said["gpu_type"]:
            asked[f"gres/gpu:{said['gpu_type']}".lower()] = gpus
        least = dict(asked)
        each = np.sort(self.machine.cpus[able])[: get.least]
        if whole:
            least["cpu"] = max(cpus, int(each.sum()))
        if get.memory == 0 and get.memory_per_cpu <= 0:
            least["mem"] = int(np.sort(self.machine.memory[able])[: get.least].sum())
        client = self._client(said["qos"], said["account"], said["user"])
        return self._pools.entries(client, k, asked, least)

    def is_timed(self, options: list[tuple[int, ...]]) -> bool:
        """Return whether a pool of one of the options is timed."""
        values = [dict(zip(OPTION.names or (), option, strict=True)) for option in options]
        return any(any(self.lists[value["pool"] + TIMED : value["pool_end"] : SHARE]) for value in values)

    def is_late(self, options: list[tuple[int, ...]]) -> bool:
        """Return whether pools may keep a job out of some of its options only, or only when its nodes are known."""
        values = [dict(zip(OPTION.names or (), option, strict=True)) for option in options]
        every = {tuple(self.lists[value["pool"] : value["pool_end"]]) for value in values}
        kinds = {kind for entries in every for kind in entries[KIND::SHARE]}
        is_more = self.machine.threads.max() > 1 or any(
            value["whole"] or value["least_cpus"] > 1 or value["memory"] == 0 for value in values
        )
        return len(every) > 1 or min(kinds, default=FIXED) < ONCE or bool(kinds - {FIXED} and is_more)

    def plan(
        self, epoch: int, holders: NDArray[np.void], shapes: NDArray[np.void], size: int, m: int, resources: int
    ) -> NodePlan:
        """Return the plan, with what jobs hold in `size` rows at most, of m nodes with some `resources`."""
        machine = self.machine
        rows_of_nodes = HAS + 4 * resources + self._pools.of_nodes
        nodes = np.zeros((rows_of_nodes + 2 * len(self._views.closed) - 2, m), np.int64)
        nodes[THREADS], nodes[WEIGHT] = machine.threads, machine.weight
        nodes[LEAF] = machine.leaf
        nodes[BY_WEIGHT] = np.argsort(machine.weight, kind="stable")
        nodes[HAS + CPUS], nodes[HAS + MEMORY] = machine.cpus, machine.memory
        nodes[HAS + GPUS : HAS + GPUS + len(machine.gpu_types)] = machine.gpus.T
        windows = [np.array(pairs, np.int64).reshape(-1) for pairs in self._views.windows]
        last_window = len(self.lists) + np.cumsum([each.size for each in windows])
        holders["windows_end"] = last_window[self._views.of_job]
        holders["windows"] = (last_window - [each.size for each in windows])[self._views.of_job]
        outages = np.stack(machine.down_by_node(epoch))
        views = [np.concatenate([outages, closed], axis=1) for closed in self._views.closed]
        views = [rows[:, np.lexsort(rows[::-1])] for rows in views]
        downs = np.concatenate(views, axis=1)[1:].T
        downs[downs >= FOR_EVER] = FAR
        known = [machine.down_by_node(epoch, KNOWN)[2], *(closed[2] for closed in self._views.closed)]
        ends = np.unique(np.concatenate(known))
        ends = ends[ends < FOR_EVER]
        first = int(last_window[-1]) + ends.size + 2 * np.cumsum([0, *(rows.shape[1] for rows in views)])
        of_views = np.array([DOWN, *range(rows_of_nodes, len(nodes), 2)])
        holders["downs"] = of_views[self._views.of_job]
        for row, since, (node, _, _) in zip(of_views.tolist(), first[:-1].tolist(), views, strict=True):
            for column, side in ((row, "left"), (row + 1, "right")):
                nodes[column] = since + 2 * np.searchsorted(node, np.arange(m), side)  # type: ignore[call-overload]
        totals = np.zeros((len(self._pools.totals), POOL), np.int64)
        totals[:, TOTAL] = self._pools.totals
        now = np.zeros(1, NOW)
        now["resources"], now["types"], now["downs"] = resources, len(machine.gpu_types), len(downs)
        now["ends"], now["views"] = last_window[-1], len(self._views.closed) - 1
        now["inside"] = sum(map(bool, self._views.windows))
        now["cores"], now["shared"] = machine.gives != "cpu", machine.shares_memory
        now["pools"], now["licences"] = first[-1], self._stopping
        now["timed"] = self._pools.is_timed
        now["node_bits"] = 1 + m.bit_length()
        rooms = 1 + max(min(len(self.options), MOST_ROOMS // m), 1)
        steps = min(m + STEPS_A_HOLD * size + 16, MOST_STEPS)
        return NodePlan(
            nodes,
            np.empty((steps, AMOUNT + resources), np.int64),
            np.empty((size, HELD + resources), np.int64),
            read_only(np.stack(self._rows) if self._rows else np.zeros((1, m), np.bool_)),
            np.concatenate([np.array(self.lists, np.int64), *windows, ends, downs.reshape(-1), totals.reshape(-1)]),
            read_only(np.array(self.options, OPTION)),
            shapes,
            holders,
            np.empty(2 * steps, np.int64),
            now,
            np.empty((len(holders) + 2, 4), np.int64),
            np.zeros((rooms, m), np.int32),
            np.zeros(rooms, ROOM),
        )


def pace_of(workload: Workload, plan: NodePlan, nodes: WholeNodes, reservations: int, is_by_arrival: bool) -> Pace:
    """Return how often and how far Slurm looks at the machine of a workload.

    Parameters
    ----------
    workload, plan
        The jobs, and what they ask of the machine.
    nodes
        How often and how far it looks.
    reservations
        For how many jobs of each partition nodes are planned; 0 for no backfilling.
    is_by_arrival
        Whether jobs come in the order of their submission, so that all have the same priority but for those that were
        given one.
    """
    look = np.zeros(1, LOOK)
    for name in (*PASS_TIMES, *PASS_JOBS, *PASS_LIMITS[:-1]):
        look[name] = getattr(nodes, name)
    assert workload.requests is not None  # noqa: S101
    fixed = workload.requests.priority
    look["usual"] = nodes.usual if is_by_arrival else 0
    look["fixes"] = bool(fixed.any()) or nodes.priority > 0 or is_by_arrival
    look["reserved"], look["backfills"], look["epoch"] = reservations, reservations > 0, workload.epoch
    look["ranks"] = int(plan.options["rank"].max(initial=0)) + 1
    machine = workload.machine
    assert machine is not None  # noqa: S101
    look["overtime"] = machine.over_time_limit + machine.kill_wait
    look["inside"] = inside = int(plan.now[0]["inside"])
    options = plan.shapes["option_end"] - plan.shapes["option"]
    most = np.diff(np.append(plan.holders["first"], len(plan.held)))  # nodes of each job
    of_job = options[plan.holders["shape"]]
    user = np.unique(workload.user, return_inverse=True)[1]
    limited, array = arrays_of(workload.requests)
    look["limited"] = len(limited)
    pairs = np.stack([user, workload.requests.account.code], axis=1)
    account = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
    look["preempts"], look["youngest"], ways, preempted = ways_of(machine, workload.requests)
    look["suspends"] = suspends = may_suspend(machine)
    look["fails"] = machine.nodes_fail
    if suspends and machine.nodes_fail:
        raise InputError(
            f"{workload.name}: nodes fail on a machine whose jobs are suspended, which is not simulated; "
            f'let their kind be "{DRAIN}", or simulate --without preemption'
        )
    tiers = int(plan.options["tier"].max(initial=0)) + 1 if suspends else 1
    number = np.argsort(np.argsort(workload.job, kind="stable"), kind="stable")
    turn = np.empty(len(workload), np.int64)
    asked = workload.requests
    entry = np.where(asked.array > 0, asked.array, workload.job)
    turn[np.lexsort((workload.job, asked.array_index, entry, workload.submit))] = np.arange(len(workload))
    turn += workload.submit << len(workload).bit_length()
    return empty_pace(
        look, len(workload), int(of_job.sum()), int((of_job * most).sum()),
        int(plan.now[0]["pools"] - 2 * plan.now[0]["downs"] - plan.now[0]["ends"]), len(machine.names),
        len(machine.partitions) + inside, np.stack([user, account, array, *preempted, number]), fixed, turn,
        ways, int(plan.now[0]["resources"]), len(plan.held), plan.known.size - 1,
        events_of(machine, plan, workload.epoch), tiers, int(machine.cpus.max()) if suspends else 1,
    )  # fmt: skip


def events_of(machine: Machine, plan: NodePlan, epoch: int) -> Ints:
    """Return when nodes of a machine fail, are drained and come back, (k, 4) int64, see `paretosched.kernels.failures`.

    Those that are closed to some jobs only have rows of their own in `plan` for each view of these.
    """
    events: list[tuple[int, int, int, int]] = []
    taken: set[int] = set()
    views = [DOWN, *range(plan.nodes.shape[0] - 2 * int(plan.now[0]["views"]), plan.nodes.shape[0], 2)]
    for kind in (DRAIN, FAILURE):
        for node, begin, end in zip(*(column.tolist() for column in machine.down_by_node(epoch, kind)), strict=True):
            until = end if end < FOR_EVER else FAR
            for view in views:
                rows = range(plan.nodes[view, node], plan.nodes[view + 1, node], 2)
                times = ((row, plan.lists[row], plan.lists[row + 1]) for row in rows if row not in taken)
                row = next(row for row, first, last in times if (first, last) == (begin, until))
                taken.add(row)
                events += [(begin, IS_SHUT, node, row)] + ([(until, COMES_BACK, node, row)] if until < FAR else [])
            events += [(begin, FAILS, node, row)] if kind == FAILURE else []
    return np.array(sorted(events), np.int64).reshape(-1, 4)[:, [0, 2, 3, 1]]


def may_suspend(machine: Machine) -> bool:
    """Return whether jobs of some partition of a machine are suspended when they make way."""
    rules = machine.preemption
    return rules is not None and any(dict(rules.modes).get(p.name, rules.mode) == SUSPEND for p in machine.partitions)


def ways_of(machine: Machine, requests: Requests) -> tuple[int, bool, Ints, tuple[Ints, Ints]]:
    """Return whose jobs make way, whether the youngest first, how, and the QOS of jobs and whether they are requeued.

    The last two are (n,) int64; how they do is as for `paretosched.kernels.slurm_pace.Pace`.
    """
    rules, n = machine.preemption, len(requests)
    requeues = np.where(requests.requeue == UNSAID, rules is None or rules.requeues, requests.requeue).astype(np.int64)
    if rules is None:
        return 0, False, np.zeros((1, OVER), np.int64), (np.zeros(n, np.int64), requeues)
    words = [word.lower() or NORMAL for word in requests.qos.words]
    names = sorted({*words, *(name for name, _ in (*rules.over, *rules.ranks, *rules.exempts))})
    number = {name: place for place, name in enumerate(names)}
    is_by_qos = rules.kind == "qos"
    classes = names if is_by_qos else [part.name for part in machine.partitions]
    ways = np.zeros((max(len(classes), len(names)), OVER + len(names)), np.int64)
    modes, grace = dict(rules.modes), dict(rules.grace)
    values = {"off": STAYS, "cancel": CANCELLED, "requeue": REQUEUED, SUSPEND: SUSPENDED}
    for row, name in enumerate(classes):
        ways[row, MODE], ways[row, GRACE] = values[modes.get(name, rules.mode)], grace.get(name, 0)
    ways[:, EXEMPT] = rules.exempt
    for column, pairs in ((RANK, rules.ranks), (EXEMPT, rules.exempts)):
        for name, value in pairs:
            ways[number[name], column] = value
    for name, others in rules.over:
        for other in others:
            if other in number:
                ways[number[name], OVER + number[other]] = 1
    qos = np.array([number[word] for word in words], dtype=np.int64)[requests.qos.code]
    of_whom = BY_QOS if is_by_qos else BY_PARTITION
    return of_whom if ways[:, MODE].any() else 0, rules.youngest, ways, (qos, requeues)


def _places(machine: Machine, hosts: str) -> Ints:
    """Return the places of the nodes of a list, ascending; -1 for those that the machine does not have."""
    place_of = machine.place_of
    return np.unique(np.array([place_of.get(name, -1) for name in node_names(hosts, "hosts")], dtype=np.int64))


def check_all_ran(workload: Workload, plan: NodePlan, start: Ints) -> None:
    """Raise InputError if a job did not start, see `placement_of`, or the plan was full."""
    if plan.now[0]["full"]:
        raise InputError(
            f"{workload.name}: its jobs must need less than {plan.steps.shape[0]:,} changes of nodes, but do not"
        )
    never = np.flatnonzero(start < 0)
    if never.size:
        offenders = first_few((f"job {workload.job[j]}" for j in never), never.size)
        raise InputError(
            f"{workload.name}: every job must fit on its nodes when they are up, but {never.size} never do: {offenders}"
            + ("; [[down]] of the machine says when which are" if plan.now[0]["downs"] else "")
        )


def placement_of(plan: NodePlan, start: Ints) -> Placement:
    """Return where jobs ran, from the plan at the end of a simulation and the start times, -1 for none."""
    begun = start >= 0
    count = np.where(begun, plan.holders["count"], 0)
    piece = np.concatenate([[0], np.cumsum(count)])
    rows = np.repeat(plan.holders["first"] - piece[:-1], count) + np.arange(piece[-1])
    partition = np.where(begun, plan.options["partition"][np.where(begun, plan.holders["option"], 0)], -1)
    held = plan.held[rows]
    gpus = held[:, HELD + GPUS : HELD + GPUS + int(plan.now[0]["types"])]
    columns = partition, piece, held[:, NODE], held[:, HELD + CPUS], held[:, HELD + MEMORY], gpus
    return Placement(*(read_only(np.ascontiguousarray(column)) for column in columns))


def pauses_of(pace: Pace | None) -> Pauses | None:
    """Return when jobs were stopped, from what the engine has at the end; None if none was.

    Times that follow on each other are one.
    """
    if pace is None or pace.look[0]["pauses"] == 0:
        return None
    rows = pace.pauses[: pace.look[0]["pauses"]]
    job, begin, end = rows[np.lexsort((rows[:, 1], rows[:, 0]))].T
    again = np.append(False, (job[1:] == job[:-1]) & (begin[1:] == end[:-1]))
    last = np.append(~again[1:], True)
    return Pauses(*(read_only(column) for column in (job[~again], begin[~again], end[last])))


def lives_of(plan: NodePlan, pace: Pace | None, start: Ints) -> Lives | None:
    """Return the lives of jobs that made way for others, from what the engine has at the end; None if there is none.

    Parameters
    ----------
    plan, pace
        `NodePlan`, and `Pace`, if there were passes of Slurm.
    start
        (n,) int64, s, the last start of each job.
    """
    if pace is None or pace.look[0]["lives"] == 0:
        return None
    lives = pace.lives[: pace.look[0]["lives"]]
    option = lives[:, IN_OPTION]
    lived = pace.lived[: pace.look[0]["lived"]]
    job = lives[:, LIFE]
    piece = np.append(lives[:, FROM_ROW], len(lived))
    order = np.lexsort((lives[:, BEGUN], job))
    types = int(plan.now[0]["types"])
    gpus = lived[:, HELD + GPUS : HELD + GPUS + types]
    columns = lived[:, NODE], lived[:, HELD + CPUS], lived[:, HELD + MEMORY], gpus
    placement = Placement(plan.options["partition"][option], piece, *columns).take(order)
    job, begin, end = (read_only(lives[order, column]) for column in (LIFE, BEGUN, ENDED))
    return Lives(job, begin, end, read_only(start[job] != begin), placement)
