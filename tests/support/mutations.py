"""Damaged files: what is right but for some words, lines, values or bytes. A generator of random numbers decides."""

import copy
import gzip
import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from support.commands import log

LOG_WORDS = (
    "-1", "0", "1", "2", "5", "8", "9", "-5", "abc", "nan", "inf", "1e400", "1e15", "1.5", "0x10", "1_0", "", ";", "#",
    "9007199254740993", "2147483648", "4294967296", "99999999999999999999", "\x1b[2J", "\u00e9", "\N{CHESTNUT}",
)  # fmt: skip
ACCOUNTING_WORDS = (
    "", "0", "-1", "1", "9" * 15, "9" * 16, "1e5", "1.5", "nan", "Unknown", "None", "UNLIMITED", "525600", "cpu=", "=",
    "cpu=99999999999", "billing=3,cpu=2", "2+0", "2+1", "7_[0-9]", "3.batch", "2026-11-22T12:00:00", "01:00:00",
    "2026-11-22T12:00:00+01:00", "1795351553", "4102444800", "221845392000", "PENDING", "RUNNING", "\x1b[2J", "\u00e9",
    "\u2028", "x" * 300, "|", ";", ":", "=", " ", "\0", "\udcff", "start=0", "end=1", "run_count=9", "exec_host=a/0*",
)  # fmt: skip
TABLE_WORDS = (
    *ACCOUNTING_WORDS, ".5", "0.46", "1,5", "1,234", "-0", "-1e9", "1e15", "9e99", "1e-300", "inf", "4G", "4000Mn",
    "1.5 GiB", "9" * 15 + "P", "2020-06-09 18:41:01", "2020-03-08 02:30:00", "9999-12-31T23:59:59Z", "0001-01-01",
    "1 days 02:00:00",
    "4294967295", "CANCELLED by 0", "Succeeded", "yes", "user", "NaT", "<NA>", "\ufeff", '"', "1700000000000",
)  # fmt: skip
LIST_WORDS = (
    "", "0", "-1", "nan", "inf", "1e400", "1_0", "a", "job", "node", "size", "workload", "speed", '"', '""', "\0",
    "\r", "\x1b[2J", "\u00e9", ",", "\n", " ", "9" * 5000, "1e15", "1e-7", "0.5",
)  # fmt: skip
JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2, 0.5, 1e300, -1e300, float("nan"), float("inf"), 10**400, 2**63, "", "0", "easy", "AWRT1",
    "AWRT9", "\ud800", "\x1b[2J", "\0", "x" * 5000, [], [[]], [0], {}, {"": 0}, {"format": 1},
)  # fmt: skip
REAL_LOG = log(
    *(f"{j} {60 * j} {j % 7} {30 + 97 * j % 500} {1 + j % 8} -1 -1 {1 + j % 8} {600} -1 1 {j % 5} {j % 3} -1 {j % 2}"
      for j in range(1, 15)),
    header="Version: 2.2\nComputer: a machine\nUnixStartTime: 836000000\nTimeZoneString: US/Eastern\nMaxProcs: 8\n"
    "MaxNodes: 8\nQueue: 0 short\nQueue: 1 long",
)  # fmt: skip

MORE_WORDS = (
    "{}", "{1,2", "}", "{1}", "q_day", "1:ppn=2", "2:ppn=1+1:ppn=2#excl", "all:excl:1x4", "0x0", "99999999999x9",
    "1:ppn=", "#", "#excl", "::", "+", "1:ppn=9999999999", "1:ncpus=1:ngpus=9999999999", "^a:^b", "\u2028", "\x85",
    "x" * 300, "-1",
)  # fmt: skip
MORE_COLUMNS = (  # of a job
    ("{%d,7}", "q_%d", "1:ppn=%d:x86_64:cl_oak#excl"), ("%d", "600", "all:1x%d"), ("%d",), ("DAG-%d", "%d"),
    ("q_%d", "{%d}", "%d:ppn=1"), ("%d:PPN=1", "Q", "{}"), ("3.5", "%d", "fast:excl:%dX1"),
)  # fmt: skip


def damaged_log_of_more_columns(r: Random) -> bytes:
    """Return a log whose lines go on behind the 18 columns of the format, damaged as others are."""
    columns = r.choice(MORE_COLUMNS)
    described = "; " + " ".join(
        ["id", "submit", *"w" * 16, *r.choices(["gpus", "queue", "request", "x"], k=len(columns))]
    )
    lines = [described] if r.randrange(3) == 0 else []
    for line in REAL_LOG.splitlines():
        number = line.split(" ")[0]
        more = " ".join(columns).replace("%d", number if r.randrange(3) else "2")
        lines.append(line if line.startswith(";") else f"{line} {more}")
    return damaged_log(r, "\n".join(lines), LOG_WORDS + MORE_WORDS)


def damaged_log(r: Random, text_of_log: str = REAL_LOG, words: Sequence[str] = LOG_WORDS) -> bytes:
    """Return a real-looking log, perhaps gzipped, in which words, lines and bytes were changed."""
    lines = [re.split("( +)", line) for line in text_of_log.splitlines()]
    for _ in range(r.randint(0, 3)):
        line = r.choice(lines)
        line[r.randrange(len(line))] = r.choice(words)
    text = ["".join(line) for line in lines]
    for _ in range(r.choice([0, 0, 1, 2])):
        a, b = r.randrange(len(text)), r.randrange(len(text))
        text[a : a + 1] = r.choice([[], [text[b]], [text[a], text[b]]])
        text = text or [""]
    data = r.choice(["\n", "\n", "\n", "\r\n", "\r"]).join(text).encode()
    if r.randrange(3) == 0:
        data = damaged_bytes(data, r)
    if r.randrange(5) == 0:
        data = gzip.compress(data, mtime=0)
        if r.randrange(2):
            data = damaged_bytes(data, r, at_most=1)
    return data[: r.randint(0, len(data))] if r.randrange(6) == 0 else data


def damaged_bytes(data: bytes, r: Random, at_most: int = 2) -> bytes:
    """Return bytes of which a few, at some places, were replaced, removed or joined by others."""
    for _ in range(r.randint(0, at_most)):
        place = r.randint(0, len(data))
        data = data[:place] + r.randbytes(r.randint(0, 3)) + data[place + r.randint(0, 3) :]
    return data


def damaged_accounting(text: str, r: Random, words: Sequence[str] = ACCOUNTING_WORDS) -> bytes:
    """Return accounting in which some cells, separators and lines were replaced, removed or doubled."""
    cells = re.split("([|;:, =\n])", text)
    for _ in range(r.randint(0, 3)):
        cells[r.randrange(len(cells))] = r.choice(words)
    lines = "".join(cells).split("\n")
    for _ in range(r.choice([0, 0, 1])):
        a, b = r.randrange(len(lines)), r.randrange(len(lines))
        lines[a : a + 1] = r.choice([[], [lines[b]], [lines[a], lines[b]]])
    data = r.choice(["\n", "\n", "\n", "\r\n", "\r"]).join(lines).encode("utf-8", "surrogateescape")
    return gzip.compress(data, mtime=0) if r.randrange(8) == 0 else data


def damaged_list(text: str, r: Random) -> str:
    """Return a text with commas and lines in which some cells or separators were replaced."""
    cells = re.split("([,\n])", text)
    for _ in range(r.randint(0, 2)):
        cells[r.randrange(len(cells))] = r.choice(LIST_WORDS)
    return "".join(cells)


def with_part(content: Any, path: str, value: Any) -> Any:
    """Return a copy of JSON with the part at a path such as "a/0/b" replaced; removed where the value is `...`."""
    changed = copy.deepcopy(content)
    part, *way = changed, *path.split("/")
    for step in way[:-1]:
        part = part[int(step)] if isinstance(part, list) else part[step]
    last = int(way[-1]) if isinstance(part, list) else way[-1]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return changed


def damaged_json(text: str, r: Random) -> bytes:
    """Return JSON in which some values were replaced, removed, doubled or renamed, or some bytes were changed."""
    value = json.loads(text)
    for _ in range(r.randint(0, 2)):
        _damage_within(value, r)
    data = json.dumps(value).encode()
    return damaged_bytes(data, r) if r.randrange(3) == 0 else data


def _damage_within(value: Any, r: Random) -> None:
    """Change one entry of a list or an object at any depth."""
    inner, key = r.choice(list(_entries(value)))
    match r.randrange(5), inner:
        case 0, _:
            del inner[key]
        case 1, dict():
            inner[r.choice(["", "format", "colour", "\x1b[2J"])] = inner.pop(key)
        case 1 | 2, list():
            inner.insert(key, inner[key])
        case 2, dict():
            inner[key] = [inner[key]]
        case _:
            inner[key] = r.choice(JSON_VALUES)


def _entries(value: Any) -> Sequence[tuple[Any, Any]]:
    """Return all lists and objects in a value with the keys of their entries."""
    keys: Sequence[Any] = list(value) if isinstance(value, dict) else range(len(value))
    pairs = [(value, key) for key in keys]
    return pairs + [p for key in keys if isinstance(value[key], dict | list) for p in _entries(value[key])]
