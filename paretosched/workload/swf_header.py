"""The header of a log: comment lines `Key: value` before the jobs, here without their semicolons.

Keys are those of the Standard Workload Format, version 2.2 (Feitelson, Parallel Workloads Archive).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .workload import Workload

PAIR = re.compile(r"\s*([A-Za-z]\w*)\s*:\s*(.*?)\s*$")
NUMBERED = re.compile(r"(-?\d+)\s+(\S.*)$")
LEADING_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?!\d|,\d|\.\d)")  # "1,024" is 1024


class Entry(NamedTuple):
    """One `Key: value` line: its place among the header lines, and the value as text."""

    place: int
    text: str

    @property
    def number(self) -> int | None:
        """The whole number at the beginning of the value; None if it begins with something else."""
        match = LEADING_NUMBER.match(self.text)
        digits = match.group().replace(",", "") if match else ""
        return int(digits) if 0 < len(digits) < 20 else None


def entry(header: Sequence[str], key: str) -> Entry | None:
    """Return the first line with this key and a value; None if there is none.

    Examples
    --------
    >>> entry(["Version: 2.2", "MaxProcs: 338 (batch partition; 512 total)"], "MaxProcs").number
    338
    """
    for place, line in enumerate(header):
        pair = PAIR.match(line)
        if pair and pair.group(1).lower() == key.lower() and pair.group(2):
            return Entry(place, pair.group(2))
    return None


def numbered_names(header: Sequence[str], key: str) -> dict[int, str]:
    """Return the names of the queues or partitions by number, from the lines with the key Queue or Partition.

    Examples
    --------
    >>> numbered_names(["MaxQueues: 2", "Queue:  0  interactive   ", "Queue:  2  q4s"], "queue")
    {0: 'interactive', 2: 'q4s'}
    """
    names: dict[int, str] = {}
    for line in header:
        pair = PAIR.match(line)
        if pair and pair.group(1).lower() == key.lower():
            numbered = NUMBERED.match(pair.group(2))
            if numbered and len(numbered.group(1)) < 16:
                names[int(numbered.group(1))] = numbered.group(2)
    return names


def corrected_header(workload: Workload) -> list[str]:
    """Return the header lines with the numbers of this workload."""
    lines = [re.sub(r"[\r\n]+", " ", line) for line in workload.header]
    jobs, capacity = len(workload), workload.capacity
    size = entry(lines, "MaxProcs")
    if entry(lines, "MaxNodes") and (size is None or size.number != capacity):
        _put(lines, "MaxNodes", capacity)  # nodes of a machine of another size would mislead
    if entry(lines, "Version") is None:
        lines.insert(0, "Version: 2.2")
    for key, value in (
        ("MaxJobs", jobs),
        ("MaxRecords", jobs),
        ("UnixStartTime", workload.epoch),
        ("TimeZoneString", workload.zone),
        ("MaxProcs", capacity),
    ):
        _put(lines, key, value)
    return lines


def _put(lines: list[str], key: str, value: int | str) -> None:
    """Set a key to a value; a line with this value keeps its other words."""
    line = entry(lines, key)
    if line is None:
        lines.append(f"{key}: {value}")
    elif (line.number if isinstance(value, int) else line.text) != value:
        lines[line.place] = f"{key}: {value}"
