"""A workload on a machine of nodes as the plain objects of `support.naive_machine`, read cell by cell."""

from paretosched import Machine as MachineValue
from paretosched import Partition as PartitionValue
from paretosched import Requests, Workload
from paretosched.workload.features import read_constraint
from paretosched.workload.host_lists import node_names
from paretosched.workload.node_requests import EXCLUSIVE, OF_USER, UNSAID
from support.naive_machine import After, Ask, Down, Job, Machine, Node, Partition, Preemption, Reservation, machine_of


def naive_of(workload: Workload) -> tuple[Machine, list[Job]]:
    """Return the machine and the jobs of a workload, in the order of its rows."""
    value, requests = workload.machine, workload.requests
    assert value is not None
    assert requests is not None
    parts = {part.name: part for part in value.partitions}
    usual = ",".join([part.name for part in value.partitions if part.default] or [value.partitions[0].name])
    asked = [text or usual for text in requests.partition.list()]
    limits = workload.estimate - requests.beyond
    rows = zip(*(a.tolist() for a in (workload.eligible, workload.run, limits, workload.user)), strict=True)
    jobs = []
    for row, (arrival, run, limit, user) in enumerate(rows):
        account, qos = requests.account.list()[row], requests.qos.list()[row]
        names = tuple(name for name in asked[row].split(",") if may_use(parts[name], account, qos))
        ask = ask_of(requests, row)
        there = {one.name for one in value.reservations if one.end > workload.epoch and "MAINT" not in one.flags}
        named = [name for name in requests.reservation.list()[row].split(",") if name in there]
        after, any_of = after_of(workload, row)
        jobs.append(
            Job(
                row,
                arrival,
                run,
                limit,
                ask,
                names,
                user=str(user),
                account=account,
                qos=qos,
                after=after,
                any_of=any_of,
                array=task_of(requests, row),
                requeue=requeues(value, int(requests.requeue[row])),
                reservation=named[0] if named else "",
            )
        )
    return naive_machine(value, workload.epoch), jobs


def requeues(value: MachineValue, said: int) -> bool:
    """Return whether a job that makes way waits again: as it says, else as the machine does."""
    return bool(said) if said != UNSAID or value.preemption is None else value.preemption.requeues


def preemption_of(value: MachineValue) -> Preemption | None:
    """Return whose jobs make way for others."""
    rules = value.preemption
    if rules is None:
        return None
    over = {name: frozenset(others) for name, others in rules.over}
    pairs = (dict(each) for each in (rules.modes, rules.grace))
    rest = rules.exempt, rules.youngest, dict(rules.ranks), dict(rules.exempts)
    return Preemption(rules.kind, rules.mode, *pairs, over, *rest)


def naive_machine(value: MachineValue, epoch: int) -> Machine:
    """Return a machine; its down times in seconds after a Unix time."""
    nodes = [
        Node(
            name,
            kind.cores * kind.threads,
            kind.memory,
            dict(kind.gpus),
            frozenset(kind.features),
            kind.weight,
            kind.threads,
            kind.disk,
        )
        for kind in value.kinds
        for name in kind.names
    ]
    everywhere = tuple(node.name for node in nodes)
    partitions = [
        Partition(
            part.name,
            everywhere if part.hosts.upper() == "ALL" else tuple(node_names(part.hosts, "hosts")),
            part.tier,
            part.longest,
            part.usual,
            part.nodes_most,
            part.nodes_least or 1,
            part.exclusive,
            part.least_loaded,
            part.memory_per_cpu,
            part.memory_per_node,
            part.most_memory_per_cpu,
            part.most_memory_per_node,
            part.up,
            part.own_qos,
        )
        for part in sorted(value.partitions, key=lambda part: not part.default)
    ]
    down = tuple(
        Down(out.begin - epoch, out.end - epoch, frozenset(node_names(out.hosts, "hosts"))) for out in value.down
    )
    kept = [
        Reservation(
            one.name, max(one.begin - epoch, 0), one.end - epoch, frozenset(node_names(one.hosts, "hosts")),
            flex="FLEX" in one.flags,
        )
        for one in value.reservations if one.end > epoch
    ]  # fmt: skip
    maintenance = {one.name for one in value.reservations if "MAINT" in one.flags}
    down += tuple(Down(one.begin, one.end, one.nodes) for one in kept if one.name in maintenance)
    return machine_of(
        nodes,
        partitions,
        reservations=tuple(one for one in kept if one.name not in maintenance),
        forgives=True,
        choice=value.choice,
        gives=value.gives,
        shares_memory=value.shares_memory,
        leaves=leaves_of(value),
        licences=dict(value.licences),
        down=down,
        limits=value.limits,
        parents=dict(value.accounts),
        flags={row.qos: frozenset(row.flags) for row in value.limits if row.qos},
        preemption=preemption_of(value),
        kill_invalid=value.kill_invalid,
    )


def after_of(workload: Workload, row: int) -> tuple[tuple[After, ...], bool]:
    """Return what a job waits for of what is in the log, and whether any one of it is enough."""
    assert workload.requests is not None
    text = workload.requests.dependency.list()[row]
    found = []
    numbers = workload.job.tolist()
    arrays, indices = workload.requests.array.tolist(), workload.requests.array_index.tolist()
    for word in text.replace("?", ",").split(","):
        kind, _, rest = word.partition(":")
        for job in rest.split(":") if rest else []:
            number, _, minutes = job.partition("+")
            tasks = [k for k, array in enumerate(arrays) if array == int(number) > 0]
            if kind == "aftercorr" and arrays[row]:
                tasks = [k for k in tasks if indices[k] == indices[row]]
            rows = tuple(tasks) if int(number) in arrays else (numbers.index(int(number)),)
            found.append(After(kind if kind != "aftercorr" else "afterok", rows, 60 * int(minutes or 0)))
    return tuple(found), "?" in text


def task_of(requests: Requests, row: int) -> tuple[int, int, int] | None:
    """Return the array of a job, its index in it, and how many of its tasks may run at once; None if it is no task."""
    number, index, most = (int(column[row]) for column in (requests.array, requests.array_index, requests.array_most))
    return (number, index, most) if number else None


def leaves_of(value: MachineValue) -> tuple[tuple[str, ...], ...]:
    """Return the nodes of each leaf switch; those of none are the last one."""
    listed = [tuple(node_names(hosts, "hosts")) for _, hosts in value.switches]
    others = {name for kind in value.kinds for name in kind.names}.difference(*listed)
    return (*listed, tuple(others)) if listed and others else tuple(listed)


def may_use(part: PartitionValue, account: str, qos: str) -> bool:
    """Return whether a job of an account and a QOS may use a partition."""
    rules = ((part.accounts, part.not_accounts, account), (part.qos, part.not_qos, qos))
    return all((not yes or word in yes) and word not in no for yes, no, word in rules)


def ask_of(requests: Requests, row: int) -> Ask:
    """Return what a job asks for."""

    def text(key: str) -> str:
        return str(getattr(requests, key).list()[row])

    def number(key: str) -> int | None:
        value = int(getattr(requests, key)[row])
        return None if value == UNSAID else value

    return Ask(
        tasks=int(requests.tasks[row]),
        cpus=int(requests.cpus_per_task[row]),
        least=int(requests.nodes_least[row]),
        most=int(requests.nodes_most[row]) or None,
        tasks_per_node=int(requests.tasks_per_node[row]),
        memory=number("memory_per_node"),
        memory_per_cpu=number("memory_per_cpu"),
        gpus_per_node=int(requests.gpus_per_node[row]),
        gpus=int(requests.gpus[row]),
        gpus_per_task=int(requests.gpus_per_task[row]),
        gpu_type=text("gpu_type"),
        disk=int(requests.disk_per_node[row]),
        exclusive=int(requests.exclusive[row]) == EXCLUSIVE,
        same_user=int(requests.exclusive[row]) == OF_USER,
        constraint=read_constraint(text("constraint")),
        named=tuple(node_names(text("hosts"), "hosts")),
        excluded=tuple(node_names(text("excluded"), "excluded")),
        licences={name: int(count or 1) for name, _, count in licences_in(text("licences"))},
        task_per_core=bool(requests.tasks_per_core[row]),
    )


def licences_in(words: str) -> list[tuple[str, str, str]]:
    """Return the licences of a text such as matlab:2,x."""
    return [word.partition(":") for word in words.split(",") if word]
