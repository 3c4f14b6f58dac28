"""Accounts, users and QOS in what sacctmgr dumps, and in commands of sacctmgr that add and change them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import InputError, in_quotes
from ..workload.limits import ROOT, limit_texts, with_limits

Row = dict[str, str]  # the values of an association or QOS by column, as in a table of sacctmgr; limits by their names

DUMPED = re.compile(
    r"\s*(Cluster|Parent|Account|Project|User|QOS)\s+-\s+('[^']*'|[^:']*)(.*)", re.IGNORECASE | re.DOTALL
)
DUMPED_OPTION = re.compile(r":\s*([A-Za-z]+)\s*=\s*('[^']*'|(?:gres/\w+:[^:=,]+=|[^:])*)")
VERBS = {
    **dict.fromkeys(("add", "create"), "add"),
    **dict.fromkeys(("modify", "update"), "modify"),
    **dict.fromkeys(("delete", "remove"), "delete"),
    **dict.fromkeys(("list", "show", "dump", "load", "exit", "quit"), ""),
}
SUDO = r"\s*(?:sudo\s+(?:-\S+\s+)*)?"
COMMAND_LINE = re.compile(rf"{SUDO}(?:\S*\bsacctmgr|{'|'.join(VERBS)})(?:\s|$)", re.IGNORECASE)
# how words begin, and what is meant; sacctmgr takes the first letters of a word, too
ENTITIES = {"account": ("acc", "acct"), "user": ("user",), "qos": ("qos",), "cluster": ("clus",)}
OPTIONS = {
    "account": ("acc", "acct"),
    "default": ("defaulta", "defaultacc", "defacc"),
    "user": ("user",),
    "cluster": ("clus",),
    "partition": ("part",),
    "parentname": ("par",),
    "share": ("fair", "shar", "rawsh"),
    "name": ("name",),
    "priority": ("prio",),
    "flags": ("flag",),
    "preemptmode": ("preemptm",),
    "preemptexempttime": ("preempte",),
    "preempt": ("preem",),
    "gracetime": ("grace",),
}
PREEMPTING = ("preempt", "preemptmode", "gracetime", "preemptexempttime")  # of these, what says how jobs make way


def is_dumped(line: str) -> bool:
    """Return whether a line is one of a dump of sacctmgr."""
    return DUMPED.fullmatch(line) is not None


def is_command(line: str) -> bool:
    """Return whether a line is a command of sacctmgr."""
    return COMMAND_LINE.match(line) is not None


class SacctmgrRows:
    """The associations and QOS that lines of a dump, or commands, add and change."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, ...], Row] = {}
        self._qos: dict[str, Row] = {}
        self._cluster = ""
        self._parent = ROOT

    def rows(self) -> Iterator[Row]:
        """Yield the associations and QOS, in the order in which they were added."""
        yield from self._rows.values()
        yield from self._qos.values()

    def add_dump(self, line: str, where: str) -> None:
        """Read a line of a dump."""
        match = DUMPED.fullmatch(line)
        assert match is not None  # noqa: S101  # the caller has looked
        kind, name = match[1].lower(), match[2].strip().strip("'")
        given = [(key, value.strip().strip("'")) for key, value in DUMPED_OPTION.findall(match[3])]
        options, limits = _options_of(given), limit_texts(given)
        if kind == "cluster":
            self._cluster = name.lower()
            if limits:
                of_all = {"account": ROOT, "user": "", "parentname": "", "share": "1", "partition": ""}
                self._put({**of_all, "cluster": self._cluster, "where": where, **limits})
        elif kind == "parent":
            self._parent = name.lower()
        elif kind == "qos":
            self._put_qos(name, options, where, limits)
        else:
            is_user = kind == "user"
            row = {
                "account": self._parent if is_user else name.lower(),
                "user": name if is_user else "",
                "parentname": "" if is_user else self._parent,
                "share": options.get("share", "1"),
                "partition": options.get("partition", ""),
            }
            self._put({**row, "cluster": self._cluster, "where": where, **limits})

    def command(self, line: str, where: str) -> None:
        """Read a command."""
        if "$" in line or "`" in line:
            raise InputError(
                f"{where}: a command must have names, but {in_quotes(line.strip())} has variables of a shell"
            )
        try:
            words = shlex.split(line.split("|")[0], comments=True)
        except ValueError:
            raise InputError(f"{where}: quotes must end, but those of {in_quotes(line.strip())} do not") from None
        words = [word for word in words if not word.startswith("-")]
        words = words[1:] if words and words[0].lower() == "sudo" else words
        words = words[1:] if words and words[0].lower().endswith("sacctmgr") else words
        verb = VERBS.get(words[0].lower(), "") if words else ""
        entity = _word_for(words[1], ENTITIES) if len(words) > 1 else ""
        if not verb or not entity or entity == "cluster":
            return
        given, where_given, limits = _options(words[2:], entity)
        if verb == "add":
            self._add(entity, given, where, limits)
        else:
            self._change(entity, verb, given, where_given, where, limits)

    def _add(self, entity: str, given: Mapping[str, str], where: str, limits: Row) -> None:
        """Add accounts, users or QOS."""
        for name in _list_of(given.get("name", "")):
            if entity == "qos":
                self._put_qos(name, given, where, limits)
                continue
            row = {
                "share": given.get("share", "1"),
                "cluster": given.get("cluster", "").lower(),
                "where": where,
                **limits,
            }
            if entity == "account":
                above = given.get("parentname", ROOT).lower()
                self._put(row | {"account": name.lower(), "user": "", "parentname": above, "partition": ""})
                continue
            for account in dict.fromkeys(_list_of(f"{given.get('account', '')},{given.get('default', '')}".lower())):
                for partition in _list_of(given.get("partition", "")) or [""]:
                    self._put(row | {"account": account, "user": name, "parentname": "", "partition": partition})

    def _change(
        self, entity: str, verb: str, given: Mapping[str, str], wanted: Mapping[str, str], where: str, limits: Row
    ) -> None:
        """Change or delete accounts, users or QOS; `wanted` says which, `given` what is set."""
        chosen = wanted if verb == "modify" else {**given, **wanted}
        names = _list_of(chosen.get("name", ""))
        if entity == "qos":
            for name in names or _list_of(given.get("name", "")):  # it may stand on either side
                if verb == "modify":
                    self._put_qos(name, given, where, limits)
                else:
                    self._qos.pop(name.lower(), None)
            return
        accounts = [name.lower() for name in (_list_of(chosen.get("account", "")) if entity == "user" else names)]
        users = [name.lower() for name in names] if entity == "user" else []
        changes = {word: given[word] for word in ("share", "parentname") if word in given}
        if "parentname" in changes:
            changes["parentname"] = changes["parentname"].lower()
        for key, row in list(self._rows.items()):
            others = (users and row["user"].lower() not in users) or (accounts and row["account"] not in accounts)
            if others or bool(row["user"]) != (entity == "user"):
                continue
            if verb == "delete":
                del self._rows[key]
            else:
                self._rows[key] = with_limits(row | changes, limits)

    def _put(self, row: Row) -> None:
        self._rows[row["cluster"], row["account"], row["user"].lower(), row["partition"].lower()] = row

    def _put_qos(self, name: str, options: Mapping[str, str], where: str, limits: Row) -> None:
        before = self._qos.get(name.lower(), {"priority": "0", "flags": ""})
        priority = options.get("priority", before["priority"])
        flags = _flags(before["flags"], options["flags"]) if "flags" in options else before["flags"]
        ways = {key: options[key] for key in PREEMPTING if key in options}
        row = {**before, "name": name, "priority": priority, "flags": flags, "where": where} | ways
        self._qos[name.lower()] = with_limits(row, limits)


def _flags(before: str, given: str) -> str:
    """Return the flags of a QOS that were set before with those of an option; + adds, - takes away, -1 takes all.

    Examples
    --------
    >>> _flags("DenyOnLimit", "+NoReserve"), _flags("DenyOnLimit,NoReserve", "-denyonlimit"), _flags("NoReserve", "-1")
    ('DenyOnLimit,NoReserve', 'NoReserve', '')
    """
    sign, words = (given[0], _list_of(given[1:])) if given[:1] in ("+", "-") else ("", _list_of(given))
    kept = _list_of(before) if sign else []
    if sign != "-":
        return ",".join([*kept, *words])
    gone = {word.lower() for word in words}
    return "" if "1" in gone else ",".join(word for word in kept if word.lower() not in gone)


def _word_for(word: str, words: Mapping[str, Sequence[str]]) -> str:
    """Return which of some words is meant by one that may be longer, or short; "" if none is."""
    return next((known for known, begins in words.items() if word.lower().startswith(tuple(begins))), "")


def _options_of(given: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the options that are known, under one name each."""
    named = ((_word_for(key, OPTIONS), value) for key, value in given)
    return {key: value for key, value in named if key}


def _options(words: Sequence[str], entity: str) -> tuple[Row, Row, Row]:
    """Return what a command gives or sets, and where, both by names of `OPTIONS`; and the limits that it sets."""
    sides: dict[str, list[tuple[str, str]]] = {"set": [], "where": []}
    has_set = any(word.lower() == "set" for word in words)
    side = "where" if has_set else "set"
    for word in words:
        if word.lower() in sides:
            side = word.lower()
            continue
        key, sign, value = word.partition("=")
        name, added = key.rstrip("+-"), key[-1:] if key.endswith(("+", "-")) else ""
        value = added + value if _word_for(name, OPTIONS) == "flags" else value
        sides[side].append((name, value) if sign else ("name", word))
    known = {
        side: _options_of([("name" if _word_for(key, OPTIONS) == entity else key, value) for key, value in pairs])
        for side, pairs in sides.items()
    }
    return known["set"], known["where"], limit_texts(sides["set"])


def _list_of(text: str) -> list[str]:
    """Return the names in a list between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
