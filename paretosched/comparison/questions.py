"""Questions "what if": other nodes, nodes of other partitions, more load, a group that grows or goes, a longest time.

A question is a value: the buttons of the page and the options of `paretosched whatif` make the same ones, and
`what_if` makes the workloads of both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError, in_quotes, number_of, one_of
from ..policies.set_limits import with_set_limits
from ..workload.group_words import SECONDS
from ..workload.host_lists import MOST_NODES
from ..workload.machine import MOST, UNTYPED, Machine
from ..workload.more_nodes import last_nodes, nodes_like, with_moved_nodes
from ..workload.resampling import LEAST_LOAD, MOST_LOAD, why_not_resampled
from ..workload.workload import Workload
from .consequences import duration

MORE = 10  # one processor or node more for so many
MINUTE = 60
MOST_KINDS = 4  # of nodes, of which there could be more
PROCESSORS = ("", "cpu", "cpus", "processor", "processors")  # words for what a machine without nodes has
NO_NODES = "needs nodes, but the log is of equal processors"
NODES_FORM = '"+20 cpu", "-2 gpu", "+4 g1", "down n[1-8]", "n[1-8] from main to gpu" or "n[1-8] also in gpu"'


class Question(NamedTuple):
    """A question, in words, and what changes.

    Attributes
    ----------
    words
        The question.
    load
        How many times the load, or the work of the group's users; 1 for the log's.
    group
        The name of the group whose users come or go; "" for all users.
    more
        How many more processors the machine has; on a machine of nodes, how many more nodes like `node`. Fewer
        processors are less than 0, fewer nodes are `away`.
    node
        The node that there are more of.
    away
        Nodes that are down throughout, as a list.
    moved, leaves
        Nodes, as a list, that go to `partition`, and the one that they leave; "" if they stay where they are, too.
    partition, longest
        The partition that takes only jobs of at most so many seconds, "" for all; 0 for as today.
    word
        What was said for the nodes; prices are of that.
    command
        The command of sacctmgr that changes limits; "" for none.
    """

    words: str
    load: float = 1.0
    group: str = ""
    more: int = 0
    node: str = ""
    away: str = ""
    moved: str = ""
    leaves: str = ""
    partition: str = ""
    longest: int = 0
    word: str = ""
    command: str = ""

    @property
    def is_of_users(self) -> bool:
        """Return whether it is about the users, and not about the machine."""
        return self.load != 1


def questions(workload: Workload) -> list[Question]:
    """Return the questions of the page, those of users if the log can be put together again.

    They are more load, more processors or nodes, a group twice, and half of the longest request as a limit.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=20)
    >>> [question.words for question in questions(w)]
    ['a tenth more processors: 22 in place of 20']
    """
    machine, tenth = workload.machine, _tenth(workload.capacity)
    if machine is None:
        size = f"{workload.capacity + tenth:,} in place of {workload.capacity:,}"
        larger = [Question(f"a tenth more processors: {size}", more=tenth)]
    else:
        larger = [more_nodes(machine, node, _tenth(count)) for node, count in _scarcest(machine)]
    can_be_drawn = not why_not_resampled(workload)
    groups = groups_of_users(workload) if can_be_drawn and len(workload.groups) > 1 else {}
    loads = [more_load(load) for load in (1.1, 1.25)] if can_be_drawn else []
    half = int(workload.estimate.max()) // (2 * MINUTE) * MINUTE
    shorter = [_at_most(half)] if half >= MINUTE else []
    return [*loads, *larger, *(of_group(group, 2.0) for group in groups), *shorter]


def more_load(load: float) -> Question:
    """Return the question of so many times the load.

    Raises
    ------
    InputError
        It is out of range, or today's.

    Examples
    --------
    >>> more_load(1.25).words, more_load(0.9).words
    ('25 % more load', '10 % less load')
    """
    if not LEAST_LOAD <= load <= MOST_LOAD or load == 1:
        rule = f"must be in {LEAST_LOAD:g}..{MOST_LOAD:g} times today's, and not today's"
        raise InputError(f"{rule}, but is {load:g}")
    return Question(f"{abs(100 * (load - 1)):.3g} % {'more' if load > 1 else 'less'} load", load)


def of_group(group: str, times: float) -> Question:
    """Return the question of so many times the work of a group, by more or fewer of its users.

    Examples
    --------
    >>> [of_group("staff", times).words for times in (2, 1.2, 0)]
    ['twice the work of the users of group staff', '20 % more work of the users of group staff', 'group staff gone']
    """
    share = f"{abs(100 * (times - 1)):.3g} %"
    if times > 1:
        words = f"{'twice the' if times == 2 else f'{share} more'} work of the users of group {group}"
    else:
        words = f"{share} less work of the users of group {group}" if times else f"group {group} gone"
    return Question(words, times, group)


def more_nodes(machine: Machine, node: str, count: int, word: str = "") -> Question:
    """Return the question of more nodes like one of the machine."""
    kind = machine.kinds[machine.kind[machine.place_of[node]]]
    has = [number_of(kind.cpus, "CPU"), f"{kind.memory / 1024:,.0f} GiB"]
    has += [number_of(gpus, "GPU") if name == UNTYPED else f"{gpus:,} {name}" for name, gpus in kind.gpus]
    words = f"{number_of(count, 'more node')} like {node} ({', '.join(has)}), beside {kind.count:,}"
    return Question(words, more=count, node=node, word=word)


def nodes_question(workload: Workload, text: str) -> Question:
    """Return the question of a text such as "+20 cpu", "-2 gpu", "down n[1-8]", or "+20" processors.

    Nodes change their partitions by "n[1-8] from main to gpu", or "n[1-8] also in gpu"; in place of a list "8 cpu" are
    the last 8 nodes of a kind.

    Raises
    ------
    InputError
        It is of another form, the word means no node, or there are not so many.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=20)
    >>> nodes_question(w, "-5").words
    '5 fewer processors: 15 in place of 20'
    """
    machine = workload.machine
    if moves := re.fullmatch(r"\s*([^\s+-].*?)\s+(?:from\s+(\S+)\s+to|also\s+in)\s+(\S+)\s*", text):
        return _moving_nodes(machine, text, moves[1], moves[2] or "", moves[3])
    match = re.fullmatch(r"\s*(?:([+-])\s*(\d{1,9})\s*(.*?)|down\s+(\S.*?))\s*", text)
    if match is None or (match[2] is not None and not int(match[2])):
        raise InputError(f"must be as in {NODES_FORM}, but is {in_quotes(text)}")
    sign, digits, word, away = match.groups()
    if machine is None:
        if away is not None or word not in PROCESSORS:
            raise InputError(f"{in_quotes(text)} {NO_NODES}; say how many, as in +20 or -20")
        more = int(f"{sign}{digits}")
        size = workload.capacity + more
        if not 1 <= size <= MOST:
            raise InputError(f"{in_quotes(text)}: there are {number_of(workload.capacity, 'processor')}, {size:,} then")
        fewer = number_of(abs(more), f"{'more' if more > 0 else 'fewer'} processor")
        return Question(f"{fewer}: {size:,} in place of {workload.capacity:,}", more=more, word="cpu")
    try:
        if away is not None:
            count = machine.places(away).size
            if not count:
                raise InputError("names no node")
            return Question(f"{number_of(count, 'node')} down throughout: {away}", away=away)
        if sign == "+":
            if len(machine.names) + int(digits) > MOST_NODES:
                raise InputError(f"a machine has at most {MOST_NODES:,} nodes")
            node = word if word in machine.place_of else machine.names[nodes_like(machine, word)[-1]]
            return more_nodes(machine, node, int(digits), word)
        gone = last_nodes(machine, word, int(digits))
        count, there = int(digits), nodes_like(machine, word).size
        return Question(f"{number_of(count, 'node')} of {there:,} less: {gone}", away=gone)
    except InputError as error:
        raise InputError(f"{in_quotes(text)}: {error}") from None


def _moving_nodes(machine: Machine | None, text: str, which: str, leaves: str, joins: str) -> Question:
    """Return the question of nodes that go from a partition to another one; `leaves` is "" if they stay there, too."""
    if machine is None:
        raise InputError(f"{in_quotes(text)} {NO_NODES}; import it with --machine")
    try:
        some = re.fullmatch(r"(\d{1,9})\s+(\S+)", which)
        hosts = last_nodes(machine, some[2], int(some[1])) if some else which
        with_moved_nodes(machine, hosts, leaves, joins)
    except InputError as error:
        raise InputError(f"{in_quotes(text)}: {error}") from None
    count = number_of(machine.places(hosts).size, "node")
    words = f"{count} from partition {leaves} to {joins}: {hosts}" if leaves else f"{count} also in {joins}: {hosts}"
    return Question(words, moved=hosts, leaves=leaves, partition=joins)


def group_question(workload: Workload, text: str) -> Question:
    """Return the question of a text such as "chemistry x1.2": 1.2 times the work of a group; x0 is without it.

    Raises
    ------
    InputError
        It is of another form, there is no such group, it has no user of its own, or nobody would be left.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=20, user=[1], groups=("staff",))
    >>> group_question(w, "staff x2").words
    'twice the work of the users of group staff'
    """
    match = re.fullmatch(r"\s*(\S.*?)\s+x\s*(\d{1,9}(?:\.\d{1,9})?)\s*", text)
    if match is None or not 0 <= float(match[2]) <= MOST_LOAD or float(match[2]) == 1:
        rule = f"must be a group and how many times its work, 0 to {MOST_LOAD:g} and not 1"
        raise InputError(f'{rule}, as in "chemistry x1.2", but is {in_quotes(text)}')
    group, times = match[1], float(match[2])
    one_of("the group", group, workload.groups)
    known = groups_of_users(workload)
    if group not in known:
        raise InputError(f"no user has most work in group {group}, so that nobody can come or go")
    if not times and len(known) == 1:
        raise InputError(f"only group {group} has users of its own, so that nobody would be left without it")
    return of_group(group, times)


def limit_question(workload: Workload, text: str) -> Question:
    """Return the question of a text such as "gpu 24h": a partition takes only jobs of so long; "24h": all of them do.

    Raises
    ------
    InputError
        It is of another form, or there is no such partition.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=20)
    >>> limit_question(w, "1.5d")[0], limit_question(w, "1.5d").longest
    ('only jobs that ask for at most 36 h', 129600)
    """
    match = re.fullmatch(rf"\s*(?:(\S.*?)\s+)?(\d{{1,9}}(?:\.\d+)?)\s*({'|'.join(SECONDS)})\s*", text)
    longest = 0 if match is None else round(float(match[2]) * SECONDS[match[3]])
    if match is None or not 1 <= longest <= MOST:
        raise InputError(
            f'must be a longest time, as in "24h", or that of a partition, as in "gpu 24h", but is {in_quotes(text)}'
        )
    if match[1] is None:
        return _at_most(longest)
    if workload.machine is None:
        raise InputError(f"{in_quotes(text)} needs partitions, but the log is of equal processors; say a time only")
    one_of("the partition", match[1], [part.name for part in workload.machine.partitions])
    words = f"in partition {match[1]} {_at_most(longest).words}"
    return Question(words, partition=match[1], longest=longest)


def command_question(workload: Workload, text: str) -> Question:
    """Return the question of a command of sacctmgr that changes limits, see `with_set_limits`.

    Raises
    ------
    InputError
        The log has no nodes, or the command changes nothing here.
    """
    if workload.machine is None or workload.requests is None:
        raise InputError(f"{in_quotes(text)} {NO_NODES}")
    with_set_limits(workload.machine, text, workload.requests.qos.words)
    said = " ".join(text.split())
    return Question(f"sacctmgr {said.removeprefix('sacctmgr ')}", command=said)


def _at_most(longest: int) -> Question:
    """Return the question of a longest time of all jobs, s."""
    return Question(f"only jobs that ask for at most {duration(longest)}", longest=longest)


def prices_of(texts: Sequence[str], asked: Sequence[tuple[str, Question]]) -> Mapping[str, float]:
    """Return the price of a node by the word that a question says for it; of texts such as "cpu=8000".

    Raises
    ------
    InputError
        A text is of another form, no question says the word, or one that asks for more has no price.

    Examples
    --------
    >>> prices_of(["cpu=8000"], [("+20", Question("20 more processors", more=20, word="cpu"))])
    {'cpu': 8000.0}
    """
    bought = {question.word: label for label, question in asked if question.more > 0}
    prices: dict[str, float] = {}
    for text in texts:
        match = re.fullmatch(r"\s*(\S.*?)\s*=\s*(\d{1,15}(?:\.\d+)?)\s*", text)
        if match is None or not float(match[2]):
            raise InputError(f'must be the price of one node, as in "cpu=8000", but is {in_quotes(text)}')
        if match[1] not in bought:
            there = ", ".join(bought) or "none"
            raise InputError(f"{match[1]} must be a word of --nodes with a plus (here {there})")
        if match[1] in prices:
            raise InputError(f"{match[1]} must have one price, but has another one")
        prices[match[1]] = float(match[2])
    for word, label in bought.items():
        if prices and word not in prices:
            raise InputError(f"all that is bought must have a price, or nothing, but {label} has none")
    return prices


def groups_of_users(workload: Workload) -> dict[str, float]:
    """Return the groups in which some user has most work, and the share of all work, 0 to 1, that these users have.

    The other groups would get no users by `resample`.
    """
    users, place = np.unique(np.maximum(workload.user, -1), return_inverse=True)
    work: Floats = np.zeros((users.size, len(workload.groups)))
    np.add.at(work, (place, workload.group), workload.run * workload.width.astype(np.float64))
    of_group = np.bincount(work.argmax(axis=1), work.sum(axis=1), len(workload.groups)) / work.sum()
    return {workload.groups[group]: float(of_group[group]) for group in np.unique(work.argmax(axis=1)).tolist()}


def _scarcest(machine: Machine) -> list[tuple[str, int]]:
    """Return the kinds of nodes of which there could be more, MOST_KINDS at most: with GPUs, with most memory, largest.

    Each is the last node of the kind that is in a partition, and how many nodes the kind has.
    """
    in_use = machine.members.any(axis=0)
    each = machine.kinds
    kinds = np.unique(machine.kind[in_use]).tolist()
    first = sorted(kinds, key=lambda k: (not each[k].gpus, -each[k].memory, -each[k].count))[:MOST_KINDS]
    last = [machine.names[int(np.flatnonzero((machine.kind == kind) & in_use)[-1])] for kind in first]
    return [(node, each[kind].count) for node, kind in zip(last, first, strict=True)]


def _tenth(count: int) -> int:
    """Return one more for each ten, rounded up."""
    return -(-count // MORE)
