"""The configuration file of Slurm: its settings, partitions and nodes, as slurm.conf(5) describes the file.

Keys have no case, # begins a comment, a backslash at the end of a line continues it, and "Include FILE" includes
another file. A PartitionName=DEFAULT or NodeName=DEFAULT line has the values that later lines do not give.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.arguments import as_path
from ..core.errors import InputError, did_you_mean, in_quotes
from ..core.files import is_file, read_words

PAIR = re.compile(r'\s*([A-Za-z][\w/]*)\s*[-+]?=\s*("[^"]*"|\S*)')
INCLUDE = re.compile(r"\s*include\s+(\S.*)", re.IGNORECASE)
NEWLINE = re.compile(r"\r\n?|\n")
COMMENT = re.compile(r"(?<!\\)#.*")
CONTINUED = re.compile(r"(?<!\\)(\\\\)*\\\s*$")
USUAL = ("clustername", "slurmctldhost", "controlmachine", "partitionname", "prioritytype", "schedulertype")
HEADS = ("PartitionName", "NodeName", "NodeSet", "DownNodes")  # of lines with several keys, and more than once
MOST_FILES = 64
DURATION = re.compile(r"(?:(\d{1,9})-)?(\d{1,12})(?::(\d{1,9}))?(?::(\d{1,9}))?")
YES, NO = ("yes", "up", "true", "1"), ("no", "down", "false", "0")
ENDLESS = ("infinite", "unlimited", "-1")


class Setting(NamedTuple):
    """The value of a key as text, where it is: file and line, and the key as it is written there."""

    value: str
    where: str
    key: str = ""


class SlurmConf(NamedTuple):
    """What a slurm.conf says.

    Attributes
    ----------
    settings
        By key, in small letters; the last line counts.
    partitions, nodes
        The values of each PartitionName and NodeName line by key, in small letters, with those of DEFAULT lines.
    sets, down
        The values of each NodeSet and DownNodes line.
    """

    settings: Mapping[str, Setting]
    partitions: tuple[Mapping[str, Setting], ...]
    nodes: tuple[Mapping[str, Setting], ...]
    sets: tuple[Mapping[str, Setting], ...]
    down: tuple[Mapping[str, Setting], ...]

    def text(self, key: str, default: str = "") -> str:
        """Return the value of a key."""
        setting = self.settings.get(key.lower())
        return default if setting is None else setting.value

    def number(self, key: str, default: int = 0, highest: int = 2**32 - 1) -> int:
        """Return the value of a key that must be a whole number of 0 or more."""
        setting = self.settings.get(key.lower())
        return default if setting is None else whole(key, setting, highest)

    def seconds(self, key: str, default: int) -> int | None:
        """Return the value of a key that must be a time, s; None if it has no end."""
        setting = self.settings.get(key.lower())
        return default if setting is None else duration(key, setting)

    def flag(self, key: str) -> bool:
        """Return the value of a key that must be yes or no; no without it."""
        setting = self.settings.get(key.lower())
        return setting is not None and is_yes(key, setting)

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words in the value of a key, between commas."""
        return tuple(word.strip() for word in self.text(key).split(",") if word.strip())


def read_slurm_conf(path: str | os.PathLike[str]) -> SlurmConf:
    """Return what a slurm.conf says.

    Raises
    ------
    InputError
        A file cannot be read or is none; the message has the file and the line.
    """
    settings: dict[str, Setting] = {}
    lists: dict[str, list[Mapping[str, Setting]]] = {head.lower(): [] for head in HEADS}
    defaults: dict[str, dict[str, Setting]] = {}
    for where, pairs in _pairs(as_path(path), as_path(path).parent, settings, [0]):
        head, first = pairs[0][0].lower(), pairs[0][1]
        row = {key.lower(): Setting(value, where, key) for key, value in pairs}
        if head in lists:
            if first.lower() == "default":
                defaults.setdefault(head, {}).update(row)
            else:
                lists[head].append(defaults.get(head, {}) | row)
        elif head != "frontendname":
            _check_alone(where, pairs)
            settings |= row
    if not any(settings.get(key) or lists.get(key) for key in USUAL):
        raise InputError(
            f"{path}: this is no slurm.conf: there is no ClusterName, SlurmctldHost, PartitionName, PriorityType or "
            "SchedulerType"
        )
    return SlurmConf(settings, *(tuple(lists[head.lower()]) for head in HEADS))


def _check_alone(where: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse a line that goes on behind a setting, as slurmctld 22.05 does: a blank within a list ends the list."""
    if len(pairs) > 1:
        (key, value), (other, _) = pairs[:2]
        raise InputError(
            f"{where}: a line of slurm.conf must have one setting, without blanks in its value, but behind "
            f"{in_quotes(f'{key}={value}')} comes {in_quotes(other)}{did_you_mean(key, HEADS)}"
        )


def _pairs(
    path: Path, folder: Path, settings: Mapping[str, Setting], files: list[int]
) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    """Yield the place of each line of a file and of what it includes, and its keys with values.

    Parameters
    ----------
    path, folder
        The file, and the folder of the first file.
    settings
        All settings before; %c in the name of an included file is ClusterName.
    files
        One number, modified in place: how many files were read.
    """
    files[0] += 1
    if files[0] > MOST_FILES:
        raise InputError(f"{path}: at most {MOST_FILES} files may be included, but there are more; do they go round?")
    for number, line in _lines(read_words(path, "slurm.conf")):
        where = f"{path}:{number}"
        if include := INCLUDE.match(line):
            name = include.group(1).rstrip().strip('"')
            if "%c" in name:
                cluster = settings.get("clustername")
                if cluster is None:
                    raise InputError(f"{where}: %c needs a line ClusterName=... before it, but there is none")
                name = name.replace("%c", cluster.value)
            places = [place for place in (folder / name, folder / Path(name).name) if is_file(place)]  # or a copy of it
            if not places:
                raise InputError(f"{where}: {folder / name} is to be included, but there is no such file; copy it, too")
            yield from _pairs(places[0], folder, settings, files)
            continue
        pairs, end = [], 0
        while (pair := PAIR.match(line, end)) is not None:
            pairs.append((pair.group(1), pair.group(2).strip('"')))
            end = pair.end()
        if line[end:].strip():
            raise InputError(
                f'{where}: a line of slurm.conf must be Key=Value or "Include FILE", but there is '
                f"{in_quotes(line[end:].strip())}"
            )
        yield where, pairs


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, without comments and with their continuations, and the number of each."""
    begin, whole_line = 1, ""
    for number, line in enumerate(NEWLINE.split(text), 1):  # others are within comments
        part = COMMENT.sub("", line)
        begin = begin if whole_line else number
        if CONTINUED.search(part):
            whole_line += part.rstrip()[:-1]
            continue
        whole_line += part
        if whole_line.strip():
            yield begin, whole_line
        whole_line = ""
    if whole_line.strip():
        yield begin, whole_line


def whole(key: str, setting: Setting, highest: int = 2**32 - 1) -> int:
    """Return the whole number of 0 or more that is the value of a key."""
    if not re.fullmatch("[0-9]{1,12}", setting.value) or int(setting.value) > highest:
        raise InputError(
            f"{setting.where}: {key} must be a whole number up to {highest}, but is {in_quotes(setting.value)}"
        )
    return int(setting.value)


def is_yes(key: str, setting: Setting) -> bool:
    """Return whether the value of a key that must be yes or no is yes."""
    value = setting.value.lower()
    if value not in (*YES, *NO):
        raise InputError(f"{setting.where}: {key} must be yes or no, but is {in_quotes(setting.value)}")
    return value in YES


def duration(key: str, setting: Setting) -> int | None:
    """Return the time, s, that is the value of a key; None if it has no end.

    Examples
    --------
    >>> [duration("PriorityMaxAge", Setting(text, "a:1")) for text in ("5", "7-0", "1:30:00", "10:30", "INFINITE")]
    [300, 604800, 5400, 630, None]
    """
    text = setting.value.lower()
    if text in ENDLESS:
        return None
    match = DURATION.fullmatch(text)
    if match is None:
        raise InputError(
            f"{setting.where}: {key} must be minutes, hours:minutes:seconds or days-hours, but is "
            f"{in_quotes(setting.value)}"
        )
    days, *rest = (None if part is None else int(part) for part in match.groups())
    first, second, third = (part or 0 for part in rest)
    if days is not None:
        return days * 86400 + first * 3600 + second * 60 + third
    if rest[2] is not None:
        return first * 3600 + second * 60 + third
    return first * 60 + second


def option(conf: SlurmConf, key: str, words: Sequence[str], default: str) -> str:
    """Return the value of a key that must be one of some words, in small letters."""
    value = conf.text(key, default).lower()
    if value not in words:
        where = conf.settings[key.lower()].where
        raise InputError(
            f"{where}: {key} must be one of {', '.join(words)} to be simulated, but is {in_quotes(value)}"
            f"{did_you_mean(value, words)}"
        )
    return value
