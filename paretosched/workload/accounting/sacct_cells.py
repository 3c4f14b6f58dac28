"""What the cells of sacct mean: durations, memory, and lists of resources."""

from __future__ import annotations

import re

from ..slurm_conf import kilobytes_in
from ..workload import WIDEST
from .fields import seconds
from .lives import UNKNOWN

SLURM_DAYS = re.compile(r"(\d{1,6})-(\d{1,2})(?::(\d{1,2}))?", re.ASCII)  # without seconds
REQ_MEM = re.compile(r"(\d{1,20}(?:\.\d{1,9})?[KMGTP]?)([nc]?)", re.ASCII | re.IGNORECASE)
OF_CORE = (2**63, 2**31)  # MB that some versions add, to mark memory of a core
GPUS_OF_GRES = re.compile(r"\bgpu(?::[^:,()=]+)?[:=](\d{1,9})\b", re.ASCII)
WHOLE = re.compile(r"\d{1,15}", re.ASCII)
COUNT = re.compile(r"(\d{1,12})(\.\d+)?([KMGTP])", re.ASCII | re.IGNORECASE)


def slurm_seconds(text: str) -> int | None:
    """Return a duration as Slurm writes it, also days-hours and days-hours:minutes, in seconds; None if it is none.

    Examples
    --------
    >>> slurm_seconds("1-00:30:00"), slurm_seconds("1-00"), slurm_seconds("1-02:30"), slurm_seconds("long")
    (88200, 86400, 95400, None)
    """
    match = SLURM_DAYS.fullmatch(text)
    if match is None:
        return seconds(text)
    days, hours, minutes = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60


DAMAGED = -2  # what cannot be read


def memory_asked(text: str) -> tuple[int, int]:
    """Return the kilobytes in a cell of ReqMem, and whether they are of the job (0), of each node (1) or core (2).

    -1 kilobytes if it does not say, -2 if it cannot be read. Some versions write memory of a core as megabytes plus
    2^31 or 2^63, as if it were of a node.

    Examples
    --------
    >>> memory_asked("4G"), memory_asked("4000Mn"), memory_asked("2800Mc"), memory_asked("2147486448Mn")
    ((4194304, 0), (4096000, 1), (2867200, 2), (2867200, 2))
    >>> memory_asked("0n"), memory_asked("?"), memory_asked("much")
    ((-1, 0), (-1, 0), (-2, 0))
    """
    if text in ("", "?", "N/A"):
        return UNKNOWN, 0
    match = REQ_MEM.fullmatch(text)
    if match is None:
        return -2, 0
    size, of = match.group(1).upper(), match.group(2).lower()
    kilobytes = kilobytes_in(size) if len(size) < 16 else 1024 * int(re.sub(r"\D.*", "", size))
    if not kilobytes:
        return (-2 if kilobytes is None else UNKNOWN), 0
    for marked in OF_CORE:
        if kilobytes >= 1024 * marked:
            return kilobytes - 1024 * marked or UNKNOWN, 2
    return kilobytes, {"n": 1, "c": 2}.get(of, 0)


def count_in(text: str) -> int | None:
    """Return a count that sacct wrote with a unit, as without --noconvert; -1 if it rounded it, None if it is none.

    Examples
    --------
    >>> count_in("2K"), count_in("0.09K"), count_in(""), count_in("two")
    (2048, -1, 0, None)
    """
    match = COUNT.fullmatch(text)
    if match is None:
        return 0 if text == "" else None
    return UNKNOWN if match.group(2) else int(match.group(1)) * 1024 ** (1 + "KMGTP".index(match.group(3).upper()))


def gpus_in(text: str) -> int:
    """Return the GPUs in a cell of AllocGRES.

    Examples
    --------
    >>> gpus_in("gpu:2"), gpus_in("gpu:v100:1,gpu:k80:2(IDX:0-1)"), gpus_in("")
    (2, 3, 0)
    """
    return sum(map(int, GPUS_OF_GRES.findall(text)))


def tres_count(text: str, name: str) -> int | None:
    """Return the number with a name in a list of resources; -1 if it is not there, None if the list is damaged.

    Where only GPUs with a type are recorded (gres/gpu:a100=2), their sum.

    Examples
    --------
    >>> tres_count("cpu=8,gres/gpu=3", "gres/gpu"), tres_count("cpu=8,gres/gpu:a=2,gres/gpu:b=1", "gres/gpu")
    (3, 3)
    """
    of_types = []
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if equals and key.partition(":")[0] == name:
            if WHOLE.fullmatch(value) is None:
                return None
            if key == name:
                return int(value)
            of_types.append(int(value))
    return sum(of_types) if of_types else -1


def requests_in(text: str) -> tuple[int, int, int]:
    """Return the kilobytes, nodes and GPUs in a list of resources: -1 where they are not there, -2 where damaged.

    Examples
    --------
    >>> requests_in("billing=4,cpu=4,mem=200M,node=4"), requests_in("mem=1.5G,gres/gpu=2"), requests_in("mem=,node=2")
    ((204800, 4, -1), (1572864, -1, 2), (-2, 2, -1))
    """
    counts = [tres_count(text, name) for name in ("node", "gres/gpu")]
    nodes, gpus = (DAMAGED if number is None or number > WIDEST else number for number in counts)
    memory = _kilobytes(text)
    return DAMAGED if memory is None else memory, nodes, gpus


def _kilobytes(text: str) -> int | None:
    """Return the memory in a list of resources; -1 if there is none, None if the list is damaged."""
    for part in text.split(","):
        if part.startswith("mem="):
            kilobytes = kilobytes_in(part.removeprefix("mem="))
            return kilobytes if kilobytes is not None and kilobytes < 2**53 else None
    return -1
