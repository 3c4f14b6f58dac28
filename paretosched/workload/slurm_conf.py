"""The configuration of Slurm: its settings, partitions and nodes, as slurm.conf(5) describes the file.

Keys have no case, # begins a comment, a backslash at the end of a line continues it, and "Include FILE" includes
another file. A PartitionName=DEFAULT or NodeName=DEFAULT line has the values that later lines do not give.

What "scontrol show config" prints is a configuration, too, also with what "scontrol show partition" and "scontrol show
node" print behind it.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.arguments import as_path
from ..core.errors import InputError, did_you_mean, in_quotes
from ..core.files import is_file, read_words
from ..core.limits import check_limit

PAIR = re.compile(r'\s*([A-Za-z][\w/]*)\s*[-+*/]?=\s*("[^"]*"|\S*)')
INCLUDE = re.compile(r"\s*include\s+(\S.*)", re.IGNORECASE)
COMMENT = re.compile(r"(?<![\\{])#.*")  # {# is of a template
CONTINUED = re.compile(r"(?<!\\)(\\\\)*\\\s*$")
TEMPLATE = re.compile(r"\{[{%#]|<%|\$\{|\$\(|@[A-Za-z]\w*@|(?<==)(?:\{\w+\}|<[A-Za-z][\w -]*>)")
PRINTED = re.compile(  # what no slurm.conf has
    r"^(?:Configuration data as of |SLURM_VERSION\s*=|SlurmctldHost\[\d+\]\s*=|\w+ += .*(?: sec| min|\(null\))[ \t]*$"
    r"|.*\b(?:TotalCPUs|CPUTot)=\d)",
    re.MULTILINE,
)
PRINTED_SETTING = re.compile(r"(\w+)(?:\[\d+\])?\s*=\s*(\S.*)")
PRINTED_PAIR = re.compile(r"(?:^|\s)([A-Za-z][\w/]*)=(\S+)")
UNIT = re.compile(r"(\d+) (?:sec|min)")  # behind printed numbers
NOT_SET = ("(null)", "n/a")  # of what scontrol prints
USUAL = ("clustername", "slurmctldhost", "controlmachine", "partitionname", "prioritytype", "schedulertype")
HEADS = ("PartitionName", "NodeName", "NodeSet", "DownNodes")  # of lines with several keys, and more than once
OTHER_HEADS = ("frontendname", "poweraction")  # likewise, but without a meaning here
MOST_OTHERS = 20  # lines without a key among what scontrol prints: titles, states of daemons
MOST_FILES = 64
MOST_VALUES = 150_000  # in all files, with those that DEFAULT lines give
NUMBER = re.compile(r"\+?(?:(0x[0-9a-f]{1,16})|0([0-7]{1,20})|([1-9][0-9]{0,19}|0))(k?)", re.IGNORECASE)
DURATION = re.compile(r"(?:(\d{1,9})-)?(\d{1,12})(?::(\d{1,9}))?(?::(\d{1,9}))?")
YES, NO = ("yes", "up", "true", "1"), ("no", "down", "false", "0")
ENDLESS = ("infinite", "unlimited", "-1")
KIB = 1024  # of a MiB
SIZE = re.compile(r"(\d{1,15})(?:\.(\d{1,9}))?([KMGTP]?)", re.ASCII)
KILOBYTES = {"": KIB, "K": 1, "M": KIB, "G": KIB**2, "T": KIB**3, "P": KIB**4}  # of a unit


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
    printed
        Whether scontrol printed it, which knows all settings, and partitions and nodes only if it was asked for them.
    """

    settings: Mapping[str, Setting]
    partitions: tuple[Mapping[str, Setting], ...]
    nodes: tuple[Mapping[str, Setting], ...]
    sets: tuple[Mapping[str, Setting], ...]
    down: tuple[Mapping[str, Setting], ...]
    printed: bool = False

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
    """Return what a slurm.conf, or a text that scontrol printed, says.

    Raises
    ------
    InputError
        A file cannot be read or is none; the message has the file and the line.
    """
    first = as_path(path)
    text = _text_of(first)
    printed = PRINTED.search(text) is not None
    settings: dict[str, Setting] = {}
    lists: dict[str, list[Mapping[str, Setting]]] = {head.lower(): [] for head in HEADS}
    defaults: dict[str, dict[str, Setting]] = {}
    count = 0
    lines = _printed_rows(text, first) if printed else _Files(first.parent, settings).rows(first, text)
    for where, pairs in lines:
        head, value = pairs[0][0].lower(), pairs[0][1]
        row = {key.lower(): Setting(value, where, key) for key, value in pairs}
        if head in lists and value.lower() == "default":
            row = defaults[head] = defaults.get(head, {}) | row
        elif head in lists:
            row = defaults.get(head, {}) | row
            lists[head].append(row)
        elif head not in OTHER_HEADS:
            _check_alone(where, pairs)
            settings |= row
        count += len(row)
        if count > MOST_VALUES:
            raise InputError(f"{where}: a configuration must have at most {MOST_VALUES:,} values, but has more")
    if not any(settings.get(key) or lists.get(key) for key in USUAL):
        raise InputError(
            f"{path}: this is no slurm.conf: there is no ClusterName, SlurmctldHost, PartitionName, PriorityType or "
            "SchedulerType"
        )
    partitions, nodes, sets, down = (tuple(lists[head.lower()]) for head in HEADS)
    return SlurmConf(settings, partitions, nodes, sets, down, printed)


def read_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Setting]]]:
    """Yield the place of each line of a file beside slurm.conf, such as gres.conf, and its values by key.

    Raises
    ------
    InputError
        The file cannot be read, or is none.
    """
    text = _text_of(path)
    for where, pairs in _Files(path.parent, {}).rows(path, text):
        yield where, {key.lower(): Setting(value, where, key) for key, value in pairs}


def _check_alone(where: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse a line that goes on behind a setting, as slurmctld does: a blank within a list ends the list."""
    if len(pairs) > 1:
        (key, value), (other, _) = pairs[:2]
        raise InputError(
            f"{where}: a line of slurm.conf must have one setting, without blanks in its value, but behind "
            f"{in_quotes(f'{key}={value}')} comes {in_quotes(other)}{did_you_mean(key, HEADS)}"
        )


class _Files:
    """The lines of a slurm.conf and of what it includes.

    Parameters
    ----------
    folder
        The folder of the first file.
    settings
        All settings before; %c in the name of an included file is ClusterName.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Setting]) -> None:
        self.folder = folder
        self.settings = settings
        self.files = 0
        self.letters = 0

    def rows(self, path: Path, text: str) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
        """Yield the place of each line of a file and of what it includes, and its keys with values."""
        self.files += 1
        if self.files > MOST_FILES:
            raise InputError(
                f"{path}: at most {MOST_FILES} files may be included, but there are more; do they go round?"
            )
        self.letters += len(text)
        check_limit(path, "conf", self.letters)
        for number, line in _lines(text):
            where = f"{path}:{number}"
            if include := INCLUDE.match(line):
                inner = self._place_of(include.group(1).rstrip().strip('"'), where)
                yield from self.rows(inner, _text_of(inner))
                continue
            pairs, end = [], 0
            while (pair := PAIR.match(line, end)) is not None:
                pairs.append((pair.group(1), pair.group(2).strip('"')))
                end = pair.end()
            if template := TEMPLATE.search(line):
                raise InputError(
                    f"{where}: this is a template and no slurm.conf: a program puts values in the place of "
                    f"{in_quotes(line[template.start() :].strip())}; give the file that it writes"
                )
            if line[end:].strip():
                raise InputError(
                    f'{where}: a line of slurm.conf must be Key=Value or "Include FILE", but there is '
                    f"{in_quotes(line[end:].strip())}"
                )
            yield where, pairs

    def _place_of(self, name: str, where: str) -> Path:
        """Return the path of a file that is to be included: as it says, or a copy of it beside the first file."""
        if "%c" in name:
            cluster = self.settings.get("clustername")
            if cluster is None:
                raise InputError(f"{where}: %c needs a line ClusterName=... before it, but there is none")
            name = name.replace("%c", cluster.value)
        for place in (self.folder / name, self.folder / Path(name).name):
            if is_file(place):
                return place
        raise InputError(f"{where}: {self.folder / name} is to be included, but there is no such file; copy it, too")


def _text_of(path: Path) -> str:
    """Return the text of a file; Slurm takes any bytes, which stand in comments of old files."""
    return read_words(path, "slurm.conf", "conf", "replace")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, without comments and with their continuations, and the number of each."""
    begin, parts = 1, list[str]()
    for number, line in enumerate(io.StringIO(text, newline=None), 1):  # other ends of lines are within comments
        part = COMMENT.sub("", line.removesuffix("\n"))
        begin = begin if parts else number
        if CONTINUED.search(part):
            parts.append(part.rstrip()[:-1])
            continue
        whole_line = "".join([*parts, part])
        parts.clear()
        if whole_line.strip():
            yield begin, whole_line
    if "".join(parts).strip():
        yield begin, "".join(parts)


def _printed_rows(text: str, path: Path) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    """Yield the place of each setting, partition and node that scontrol printed, and its keys with values."""
    begin, record, others = 0, list[tuple[str, str]](), 0
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        new = line.lower().startswith(("partitionname=", "nodename="))
        if record and not new and line[0].isspace() and line.strip():
            record += _printed_pairs(line)
            continue
        if record:
            yield f"{path}:{begin}", record
            record = []
        if new:
            begin, record = number, _printed_pairs(line)
        elif match := PRINTED_SETTING.match(line):
            key, value = match[1], match[2].strip()
            unit = UNIT.fullmatch(value)
            if value.lower() not in NOT_SET:
                yield f"{path}:{number}", [(key, unit[1] if unit else value)]
        else:
            others += bool(line.strip())
            if others > MOST_OTHERS + number // 4:
                raise InputError(f"{path}: this is not only what scontrol prints: line {number} is {in_quotes(line)}")
    if record:
        yield f"{path}:{begin}", record


def _printed_pairs(line: str) -> list[tuple[str, str]]:
    """Return the keys of a line of a record and their values; texts may have blanks and more signs behind them."""
    return [
        ("CPUs" if key == "CPUTot" else key, value)
        for key, value in PRINTED_PAIR.findall(line)
        if value.lower() not in NOT_SET
    ]


def whole(key: str, setting: Setting, highest: int = 2**32 - 1) -> int:
    """Return the whole number of 0 or more that is the value of a key.

    As Slurm reads it, 0x begins one of base 16 and 0 one of base 8, and k is 1024.

    Examples
    --------
    >>> [whole("PriorityWeightAge", Setting(text, "a:1")) for text in ("12", "+5", "0x10", "010", "2k", "INFINITE")]
    [12, 5, 16, 8, 2048, 4294967295]
    """
    text = setting.value
    if text.lower() in ENDLESS[:2]:
        return highest
    match = NUMBER.fullmatch(text)
    if match is not None:
        digits = next(place for place in (1, 2, 3) if match[place])
        number = int(match[digits], (16, 8, 10)[digits - 1]) * (1024 if match[4] else 1)
        if number <= highest:
            return number
    raise InputError(f"{setting.where}: {key} must be a whole number up to {highest}, but is {in_quotes(text)}")


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


def duration_text(seconds: int) -> str:
    """Return a time as Slurm writes it.

    Examples
    --------
    >>> duration_text(7320), duration_text(7 * 86400)
    ('02:02:00', '7-00:00:00')
    """
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


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


def kilobytes_in(text: str) -> int | None:
    """Return a size of memory as Slurm writes it, 4000M or 1.5G, in kilobytes; None if it is written otherwise.

    Examples
    --------
    >>> kilobytes_in("1.5G"), kilobytes_in("200"), kilobytes_in("4Gn")
    (1572864, 204800, None)
    """
    match = SIZE.fullmatch(text)
    if match is None:
        return None
    number, fraction, unit = match.groups()
    return round(float(f"{number}.{fraction or 0}") * KILOBYTES[unit])
