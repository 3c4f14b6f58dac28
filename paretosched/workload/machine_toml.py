"""A machine as a text that its owner reads and edits: TOML, with the words of `Machine`, `NodeKind` and `Partition`."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from ..core.errors import InputError, did_you_mean, in_quotes, number_of
from .limits import NAMES, WHOSE, Limits, limits_of
from .limits import TIMES as LIMITED_TIMES
from .machine import UNTYPED, Machine, NodeKind, Outage, Partition, Reservation, alike_limits
from .preemption import Preemption
from .slurm_conf import KILOBYTES, duration_text

FORMAT = "paretosched machine 1"
TABLES = {"nodes": NodeKind, "partitions": Partition, "down": Outage, "reservations": Reservation}
OWN_KEYS = (
    "format", "name", "choice", "gives", "shares_memory", "guessed", "licences", "switches", *TABLES, "limits",
    "accounts", "homes", "preemption", "qos", "over_time_limit", "kill_wait", "kill_invalid",
)  # fmt: skip
OF_TIME = ("over_time_limit", "kill_wait")  # s, of a machine
TIMES = ("longest", "usual", *LIMITED_TIMES)
MEMORIES = (
    "memory", "disk", "memory_per_cpu", "memory_per_node", "most_memory_per_cpu", "most_memory_per_node",
)  # fmt: skip
PAIRS = ("gpus", "modes", "grace", "exempts", "over", "ranks")  # tables in braces
LISTS = ("features", "accounts", "not_accounts", "qos", "not_qos", "users", "flags")
BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
SIZE = re.compile(r"(\d{1,12})(?:\.(\d{1,6}))?\s*([KMGTP]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
MIB = {"K": 1 / 1024, "": 1, "M": 1, "G": 1024, "T": 1024**2, "P": 1024**3}
TIME = re.compile(r"(?:(\d{1,6})-)?(\d{1,9}):(\d{1,2}):(\d{1,2})", re.ASCII)
HEAD = f"""# A machine: its kinds of nodes, its partitions, and when nodes are down. Memory in MiB, or as "187G",
# times as days-hours:minutes:seconds. What is not said is as usual: weight 1, one thread a core, for all users.
format = "{FORMAT}"
"""


def machine_text(machine: Machine) -> str:
    """Return a machine as TOML; `machine_of_text` returns an equal machine.

    Examples
    --------
    >>> text = machine_text(Machine((NodeKind("n[1-2]", 4, 8000),)))
    >>> machine_of_text(text, "m.toml") == Machine((NodeKind("n[1-2]", 4, 8000),))
    True
    """
    own = {key: getattr(machine, key) for key in ("name", "choice", "gives", "shares_memory", "guessed")}
    rare = (key for key in (*OF_TIME, "kill_invalid") if getattr(machine, key) != getattr(Machine, key))
    own |= {key: getattr(machine, key) for key in rare}
    parts = [HEAD + "".join(f"{key} = {_value(each)}\n" for key, each in own.items() if each not in ("", ()))]
    if machine.licences:
        parts.append("[licences]\n" + "".join(f"{_key(word)} = {n}\n" for word, n in machine.licences))
    if machine.switches:
        parts.append("[switches]\n" + "".join(f"{_key(word)} = {_value(each)}\n" for word, each in machine.switches))
    parts += [f"[[nodes]]  # {kind.count:,} with {kind.cpus:,} CPUs each\n{_entries(kind)}" for kind in machine.kinds]
    for part, members in zip(machine.partitions, machine.members, strict=True):
        parts.append(f"[[partitions]]  # {number_of(int(members.sum()), 'node')}\n{_entries(part)}")
    parts += [f"[[down]]\n{_entries(each)}" for each in machine.down]
    parts += [f"[[reservations]]\n{_entries(each)}" for each in machine.reservations]
    parts += [f"[[limits]]\n{_whose(each)}{_limit_entries(each[0])}" for each in alike_limits(machine)]
    if machine.accounts:
        parts.append("[accounts]\n" + "".join(f"{_key(word)} = {_value(each)}\n" for word, each in machine.accounts))
    if machine.homes:
        parts.append("[homes]\n" + "".join(f"{_key(word)} = {_value(each)}\n" for word, each in machine.homes))
    if machine.qos:
        parts.append("[qos]\n" + "".join(f"{_key(word)} = {n}\n" for word, n in machine.qos))
    if machine.preemption is not None:
        parts.append(f"[preemption]\n{_entries(machine.preemption)}")
    return "\n".join(parts)


def _limit_entries(limits: Limits) -> str:
    """Return the flags and values of limits, one a line, under the names of sacctmgr."""
    entries = ({"flags": limits.flags} if limits.flags else {}) | limits.plain
    return "".join(f"{key} = {_value(_plain(key, entry))}\n" for key, entry in entries.items())


def _whose(alike: Sequence[Limits]) -> str:
    """Return whose the same limits are, one key a line: a text that is the same for all, or a list."""
    lines = []
    for key in WHOSE:
        words = [getattr(each, key) for each in alike]
        if any(words):
            lines.append(f"{key} = {_value(words if len({*words}) > 1 else words[0])}\n")
    return "".join(lines)


def _entries(value: Any) -> str:
    """Return the fields of a value that are not as usual, one a line."""
    lines = []
    for field in fields(value):
        entry = getattr(value, field.name)
        if field.default is MISSING or entry != field.default:
            lines.append(f"{field.name} = {_value(_plain(field.name, entry))}\n")
    return "".join(lines)


def _plain(key: str, entry: Any) -> Any:
    """Return a value as it is written."""
    if key in TIMES:
        return duration_text(entry)
    if key in ("begin", "end"):
        return dt.datetime.fromtimestamp(entry, dt.UTC) if entry < 253_402_300_800 else entry
    if isinstance(entry, Mapping):  # of a limit
        return {word: _size(amount) if word == "mem" else amount for word, amount in entry.items()}
    return dict(entry) if key in PAIRS else entry


def _size(kilobytes: int) -> str:
    """Return a size of memory with the largest unit of which it is a whole number.

    Examples
    --------
    >>> _size(4096), _size(3 * 1024**2), _size(5)
    ('4M', '3G', '5K')
    """
    units = [unit for unit, size in KILOBYTES.items() if unit and kilobytes % size == 0]
    return f"{kilobytes // KILOBYTES[units[-1]]}{units[-1]}"


def _value(entry: Any) -> str:
    """Return a value in TOML."""
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, dt.datetime):
        return entry.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(entry, Mapping):
        return "{ " + ", ".join(f"{_key(word)} = {_value(each)}" for word, each in entry.items()) + " }"
    if isinstance(entry, Sequence) and not isinstance(entry, str):
        return "[" + ", ".join(map(_value, entry)) + "]"
    # strings of JSON are strings of TOML, but for the letter that JSON leaves as it is
    return json.dumps(entry, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(word: str) -> str:
    """Return a key in TOML."""
    return word if BARE.fullmatch(word) else _value(word)


def machine_of_text(text: str, place: str) -> Machine:
    """Return the machine that a text says.

    Parameters
    ----------
    text
        As `machine_text` writes it, or an owner.
    place
        The name of the file, for messages.

    Raises
    ------
    InputError
        It is no such text, or the machine breaks a rule.
    """
    try:
        known = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{place}: a machine must be TOML, but is not: {str(error) or 'too deep':.200}") from None
    try:
        return _machine(known)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _machine(known: dict[str, Any]) -> Machine:
    """Return the machine of the tables of a file."""
    if known.get("format", FORMAT) != FORMAT:
        raise InputError(f"format must be {in_quotes(FORMAT)}, but is {in_quotes(str(known['format']))}")
    _check_keys(known, OWN_KEYS, "a machine")
    values: dict[str, list[Any]] = {}
    for name, kind in TABLES.items():
        rows = known.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InputError(f"{name} must be tables, [[{name}]], but are not")
        values[name] = [_row(kind, row, f"{name} {number}") for number, row in enumerate(rows, 1)]
    licences = known.get("licences", {})
    guessed = known.get("guessed", [])
    if not isinstance(licences, dict) or not isinstance(guessed, list):
        raise InputError("licences must be a table [licences] of NAME = NUMBER, and guessed a list of texts")
    limits, accounts, homes = known.get("limits", []), known.get("accounts", {}), known.get("homes", {})
    if not isinstance(limits, list) or not isinstance(accounts, dict) or not isinstance(homes, dict):
        raise InputError(
            'limits must be tables [[limits]], accounts a table [accounts] of NAME = "THE ONE ABOVE", and homes a '
            'table [homes] of USER = "ACCOUNT"'
        )
    preemption, qos = known.get("preemption", {}), known.get("qos", {})
    for name, value in (("preemption", preemption), ("qos", qos)):
        if not isinstance(value, dict):
            raise InputError(f"{name} must be a table [{name}], but is none")
    switches = known.get("switches", {})
    if not isinstance(switches, dict) or not all(isinstance(hosts, str) for hosts in switches.values()):
        raise InputError('switches must be a table [switches] of NAME = "HOSTS"')
    words = ("name", "choice", "gives", "shares_memory", "kill_invalid", *OF_TIME)
    own = {key: known[key] for key in words if key in known}
    return Machine(
        tuple(values["nodes"]),
        tuple(values["partitions"]),
        tuple(licences.items()),
        tuple(values["down"]),
        guessed=tuple(guessed),
        switches=tuple(switches.items()),
        limits=tuple(each for number, row in enumerate(limits, 1) for each in _limits(row, f"limits {number}")),
        accounts=tuple(accounts.items()),
        homes=tuple(homes.items()),
        reservations=tuple(values["reservations"]),
        preemption=_row(Preemption, preemption, "preemption") if preemption else None,
        qos=tuple(qos.items()),
        **own,
    )


def _check_keys(table: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
    """Refuse a key that means nothing."""
    for key in table:
        if key not in keys:
            known = ", ".join(keys)
            raise InputError(f"the keys of {what} are {known}, but there is also {key}{did_you_mean(key, keys)}")


def _row(kind: Any, row: dict[str, Any], where: str) -> Any:
    """Return a kind of nodes, a partition or a down time."""
    keys = [field.name for field in fields(kind)]
    _check_keys(row, keys, where)
    missing = [field.name for field in fields(kind) if field.default is MISSING and field.name not in row]
    if missing:
        raise InputError(f"{where}: {missing[0]} is missing")
    try:
        return kind(**{key: _read(key, entry) for key, entry in row.items()})
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _limits(row: Any, where: str) -> list[Limits]:
    """Return the limits in a table, of several if it names them in lists; values are as sacctmgr takes them."""
    if not isinstance(row, dict):
        raise InputError(f"{where} must be a table [[limits]], but is {row!r:.60}")
    _check_keys(row, (*WHOSE, "flags", *NAMES), where)
    texts = {"where": where}
    for name in filter(row.__contains__, NAMES):
        entry = row[name]
        entry = ",".join(f"{word}={n}" for word, n in entry.items()) if isinstance(entry, dict) else entry
        texts[name] = str(entry)
    lists = {key: row[key] for key in WHOSE if isinstance(row.get(key), list)}
    sizes = {len(each) for each in lists.values()} or {1}
    if len(sizes) > 1:
        raise InputError(f"{where}: lists of {' and '.join(lists)} must be as long as each other, but are not")
    whose = [lists.get(key, [row.get(key, "")] * max(sizes)) for key in WHOSE]
    try:
        values, flags = limits_of(texts), _read("flags", row.get("flags", []))
        return [
            Limits(qos, account, user, partition, values, flags)
            for qos, account, user, partition in zip(*whose, strict=True)
        ]
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _read(key: str, entry: Any) -> Any:
    """Return a value of a file as `Machine` takes it."""
    if key in TIMES and isinstance(entry, str):
        match = TIME.fullmatch(entry)
        if match is None:
            raise InputError(f"{key} must be [days-]hours:minutes:seconds, but is {in_quotes(entry)}")
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if key in MEMORIES and isinstance(entry, str):
        match = SIZE.fullmatch(entry)
        if match is None:
            raise InputError(f'{key} must be MiB, or a size such as "187G", but is {in_quotes(entry)}')
        return round(float(f"{match[1]}.{match[2] or 0}") * MIB[match[3].upper()])
    if key in ("begin", "end") and isinstance(entry, dt.datetime):
        aware = entry if entry.tzinfo is not None else entry.replace(tzinfo=dt.UTC)
        return int(aware.timestamp())
    if key in LISTS:
        if not isinstance(entry, list):
            raise InputError(f"{key} must be a list of words, but is {entry!r:.60}")
        return tuple(entry)
    if key in PAIRS and not isinstance(entry, dict):
        example = f"TYPE = NUMBER in braces, {{ {UNTYPED} = 2 }}" if key == "gpus" else "NAME = VALUE in braces"
        raise InputError(f"{key} must be {example}, but is {entry!r:.60}")
    return entry
