"""Where jobs run, as columns of text: partition, nodes as a list of hosts, and what a job holds of each of them.

Amounts are in the order of the list of hosts; equal ones are counted: "4*2,1" is 4 of each of the first two nodes, and
1 of the third. Cores are CPUs by the threads of a core: 0.5 is one of two threads. Memory is MiB. GPUs are a number
where a node has one type of them, else "a100:1+v100:2".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, in_quotes, one_of
from ..core.limits import check_limit
from ..policies.outcome import Placement
from ..workload.host_lists import host_list, node_names
from ..workload.machine import Machine

PLACEMENT_COLUMNS = ("partition", "nodes", "cores", "memory", "gpus")
AMOUNT = re.compile(r"([^,*]+)(?:\*(\d{1,9}))?")
LARGEST = 2**53


def placement_columns(machine: Machine, placement: Placement) -> tuple[list[str], ...]:
    """Return the columns of a placement, PLACEMENT_COLUMNS, each with a text for every job."""
    names, parts = machine.names, [part.name for part in machine.partitions]
    begins = placement.piece.tolist()
    pieces = list(pairwise(begins))
    node = placement.node.tolist()
    hosts = [host_list([names[place] for place in node[a:b]]) for a, b in pieces]
    threads = machine.threads[placement.node].tolist()
    cores = [_cores(cpus, each) for cpus, each in zip(placement.cpus.tolist(), threads, strict=True)]
    gpus = _gpus(machine, placement)
    columns = [[_run_lengths(column[a:b]) for a, b in pieces] for column in (cores, placement.memory.tolist(), gpus)]
    return [parts[k] if k >= 0 else "" for k in placement.partition.tolist()], hosts, *columns


def _cores(cpus: int, threads: int) -> str:
    """Return CPUs as cores, with as many digits as it takes to know the CPUs."""
    return str(cpus // threads) if cpus % threads == 0 else f"{cpus / threads:.6f}".rstrip("0")


def _gpus(machine: Machine, placement: Placement) -> list[str]:
    """Return the GPUs of each row: their number where the node has one type of them at most, else that of each type."""
    types = machine.gpu_types
    mixed = ((machine.gpus > 0).sum(axis=1) > 1)[placement.node] if types else np.zeros(placement.node.size, np.bool_)
    total = placement.gpus.sum(axis=1)
    foreign = (placement.gpus > 0) & (machine.gpus[placement.node] == 0)  # a schedule that cannot be is written, too
    texts: list[str] = list(map(str, total.tolist()))
    for i in np.flatnonzero((mixed | foreign.any(axis=1)) & (total > 0)).tolist():
        counts = zip(types, placement.gpus[i].tolist(), strict=True)
        texts[i] = "+".join(f"{word}:{count}" for word, count in counts if count)
    return texts


def _run_lengths(amounts: Iterable[object]) -> str:
    """Return amounts with commas between them; equal ones in a row are counted."""
    runs = ((amount, sum(1 for _ in run)) for amount, run in groupby(amounts))
    return ",".join(f"{amount}*{count}" if count > 1 else f"{amount}" for amount, count in runs)


def placement_of(machine: Machine, rows: Iterable[tuple[str, Sequence[str]]]) -> Placement:
    """Return the placement from rows of a file, one for each job in order.

    Parameters
    ----------
    machine
        The machine.
    rows
        Of each its place in the file, such as "s.csv:7", and the texts of PLACEMENT_COLUMNS.

    Raises
    ------
    InputError
        A text is not as `placement_columns` writes it, or a partition or node is not of the machine.
    """
    numbers = {part.name: number for number, part in enumerate(machine.partitions)}
    partition, count, held = list[int](), list[int](), list[tuple[int, ...]]()
    for where, (part, hosts, *amounts) in rows:
        one_of(f"{where}: partition", part, [*numbers])
        places = [machine.place_of.get(name, -1) for name in node_names(hosts, f"{where}: nodes")]
        if -1 in places or len(set(places)) < len(places) or not places:
            raise InputError(f"{where}: nodes must be nodes of the machine, each once, but are {in_quotes(hosts)}")
        check_limit(where, "rows", len(held) + len(places))
        cores, memory, gpus = (_read(text, len(places), where) for text in amounts)
        for place, *texts in sorted(zip(places, cores, memory, gpus, strict=True)):
            held.append(_row(machine, place, texts, where))
        partition.append(numbers[part])
        count.append(len(places))
    table = np.array(held, dtype=np.int64).reshape(-1, 3 + len(machine.gpu_types))
    piece: Ints = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
    node, cpus, in_memory = table[:, :3].T
    return Placement(np.array(partition, dtype=np.int64), piece, node, cpus, in_memory, table[:, 3:])


def _read(text: str, count: int, where: str) -> list[str]:
    """Return an amount for each of some nodes, as text."""
    amounts: list[str] = []
    for part in text.split(","):
        match = AMOUNT.fullmatch(part)
        number = int(match[2] or 1) if match else 0
        if match is None or len(amounts) + number > count:
            break
        amounts += [match[1]] * number
    if len(amounts) != count:
        raise InputError(
            f"{where}: cores, memory and gpus must have an amount for each of the {count} nodes, such as 4*2,1, but "
            f"there is {in_quotes(text)}"
        )
    return amounts


def _row(machine: Machine, place: int, texts: Sequence[str], where: str) -> tuple[int, ...]:
    """Return node, CPUs, memory and GPUs by type from the amounts of a node."""
    cores, memory, gpus = texts
    try:
        cpus = round(_number(float, cores) * int(machine.threads[place]))
        return place, cpus, _number(int, memory), *_of_types(machine, place, gpus)
    except (ValueError, KeyError):
        raise InputError(
            f"{where}: cores, memory and gpus of {machine.names[place]} must be numbers, but are "
            f"{in_quotes(', '.join(texts))}"
        ) from None


def _number(kind: Callable[[str], Any], text: str) -> Any:
    """Return a number of a kind; raise ValueError if it is none, or not in 0..LARGEST."""
    value = kind(text)
    if not 0 <= value <= LARGEST:
        raise ValueError
    return value


def _of_types(machine: Machine, place: int, text: str) -> list[int]:
    """Return GPUs by type; a number alone is of the type that the node has, or the first one."""
    counts = [0] * len(machine.gpu_types)
    if ":" in text:
        for part in text.split("+"):
            word, _, number = part.rpartition(":")
            counts[{word: k for k, word in enumerate(machine.gpu_types)}[word]] += _number(int, number)
    elif (total := _number(int, text)) > 0:
        counts[int(np.argmax(machine.gpus[place]))] += total  # a ValueError if the machine has none
    return counts
