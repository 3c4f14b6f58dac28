"""What stood behind sbatch on its command line, as the request of a job: "-N2-4 -n8 --mem=10 -t20 -w n3 --gres=gpu:1".

Options may be written as sbatch takes them: long or short, their values behind = or a blank or directly, long ones
shortened as far as only one begins so. A line may begin with "sbatch", "srun" or "salloc"; it ends where the script
begins. Options that say nothing of nodes are known, so that their values are not taken for the script.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.errors import InputError, did_you_mean, in_quotes
from .dependency_words import SINGLETON, awaited_in
from .features import read_constraint
from .host_lists import node_names
from .node_requests import EXCLUSIVE, NUMBERS, OF_USER, Requests
from .slurm_conf import Setting, duration

PROGRAMS = ("sbatch", "srun", "salloc")
SHORT = {
    "N": "nodes", "n": "ntasks", "c": "cpus-per-task", "t": "time", "p": "partition", "w": "nodelist", "x": "exclude",
    "C": "constraint", "L": "licenses", "d": "dependency", "q": "qos", "A": "account", "G": "gpus", "F": "nodefile",
    "a": "array", "b": "begin", "D": "chdir", "e": "error", "i": "input", "J": "job-name", "M": "clusters",
    "m": "distribution", "o": "output", "B": "extra-node-info", "S": "core-spec", "R": "no-rotate", "T": "threads",
}  # fmt: skip
SHORT_FLAGS = "HIkKOQsVvWhuXlr"  # without a value
FLAGS = (
    "contiguous", "hold", "help", "usage", "version", "verbose", "quiet", "wait", "parsable", "requeue", "no-requeue",
    "overcommit", "oversubscribe", "share", "spread-job", "use-min-nodes", "reboot", "test-only", "ignore-pbs", "pty",
    "label", "unbuffered", "immediate", "no-shell", "multi-prog", "preserve-env", "overlap", "exact", "disable-status",
)  # fmt: skip
MAYBE = ("exclusive", "nice", "no-kill", "get-user-env", "propagate", "kill-on-bad-exit", "bell", "no-bell", "x11",
         "resv-ports", "kill-command", "mail-warn")  # fmt: skip  # a value only behind =
WITH_VALUE = (
    "nodes", "ntasks", "cpus-per-task", "time", "partition", "nodelist", "exclude", "constraint", "licenses",
    "dependency", "qos", "account", "gpus", "array", "begin", "chdir", "error", "input", "job-name", "clusters",
    "distribution", "output", "extra-node-info", "core-spec", "thread-spec", "ntasks-per-node", "ntasks-per-gpu",
    "ntasks-per-socket", "ntasks-per-core", "mem", "mem-per-cpu", "mem-per-gpu", "gres", "gpus-per-node",
    "gpus-per-task", "gpus-per-socket", "cpus-per-gpu", "tmp", "reservation", "mincpus", "time-min", "deadline",
    "mail-type", "mail-user", "comment", "export", "export-file", "open-mode", "signal", "uid", "gid", "wckey", "wrap",
    "acctg-freq", "batch", "bb", "bbf", "cluster-constraint", "container", "container-id", "cpu-freq", "delay-boot",
    "gpu-bind", "gpu-freq", "gres-flags", "hint", "mem-bind", "mcs-label", "network", "nodefile", "power", "prefer",
    "priority", "profile", "sockets-per-node", "cores-per-socket", "threads-per-core", "switches", "segment",
    "tres-bind", "tres-per-task", "stepmgr", "admin-comment", "extra", "oom-kill-step", "kill-on-invalid-dep",
    "parsable-delimiter", "consolidate-segments", "spread-segments", "cpu-bind", "mpi", "jobid", "task-prolog",
    "task-epilog", "prolog", "epilog", "slurmd-debug", "relative", "threads", "max-threads", "msg-timeout",
    "compress", "bcast", "treewidth", "het-group", "accel-bind", "interactive",
)  # fmt: skip
KNOWN = (*FLAGS, *MAYBE, *WITH_VALUE)
SIZES = ("nodes", "ntasks", "cpus-per-task", "ntasks-per-node", "ntasks-per-gpu", "cpus-per-gpu")
SCRIPT = ""  # the word that ends the options
MOST_TASKS = re.compile(r"%(\d{1,9})$", re.ASCII)  # of --array
USUAL_NICE = "100"  # of --nice alone
INTEGER = re.compile(r"[-+]?\d{1,10}", re.ASCII)
NUMBER = re.compile(r"\d{1,10}", re.ASCII)
COUNT = re.compile(r"(\d{1,9})([KM]?)", re.ASCII | re.IGNORECASE)
NODES = re.compile(r"(\d{1,9}k?)(?:-(\d{1,9}k?))?(?::\d{1,9})?", re.ASCII | re.IGNORECASE)
SIZE = re.compile(r"(\d{1,15})(?:\.(\d{1,9}))?([KMGTP]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
KIB = {"K": 1, "": 1024, "M": 1024, "G": 1024**2, "T": 1024**3, "P": 1024**4}
FROM_NOW = re.compile(r"now(?:\+(\d{1,9})(second|minute|hour|day|week)?s?)?", re.ASCII)
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
OTHER_BEGIN = "--begin with a time of day or a date: not regarded; the column eligible says it"
OTHER_GRES = "asks for resources of nodes that are no GPUs: not regarded"
MEMORY_OF_GPU = "asks for memory a GPU of nodes with any number of them: not regarded"


class Asked(NamedTuple):
    """What a command line says.

    Attributes
    ----------
    values
        By columns of `Requests`: what is said, and no usual values.
    limit
        The time limit, s; 0 without one.
    remarks
        What is asked for but not regarded.
    has_size
        Whether tasks, nodes or CPUs are said, and not only as usual.
    begin
        How long after its submission the job may start, s.
    """

    values: Mapping[str, Any]
    limit: int = 0
    remarks: tuple[str, ...] = ()
    has_size: bool = False
    begin: int = 0


def read_options(*texts: str) -> Asked:
    """Return what the options of sbatch in one or several texts say; a later text counts more.

    Raises
    ------
    InputError
        An option is not known, or its value is none.

    Examples
    --------
    >>> asked = read_options("-N2-4 -n8 --mem=10 -t20 -w n3 --gres=gpu:1")
    >>> asked.limit, asked.values["nodes_least"], asked.values["nodes_most"], asked.values["gpus_per_node"]
    (1200, 2, 4, 1)
    """
    said = {name: value for text in texts for name, value in _options(text).items()}
    values: dict[str, Any] = {}
    remarks: list[str] = []
    columns = {
        "nodelist": "hosts", "exclude": "excluded", "constraint": "constraint", "partition": "partition",
        "licenses": "licences", "reservation": "reservation", "dependency": "dependency", "qos": "qos",
        "account": "account",
    }  # fmt: skip
    values |= {column: said[word] for word, column in columns.items() if said.get(word)}
    for word in ("nodelist", "exclude"):
        said_hosts = sum(1 for _ in node_names(said.get(word, ""), f"--{word}"))
        if word == "nodelist" and said_hosts:
            values["nodes_least"] = said_hosts
    awaited_in(said.get("dependency", ""))
    if SINGLETON in said.get("dependency", "") and ":" not in said["dependency"].partition(SINGLETON)[2][:1]:
        name = said.get("job-name") or ("wrap" if "wrap" in said else said.get(SCRIPT, "").rpartition("/")[2])
        values["dependency"] = said["dependency"].replace(SINGLETON, f"{SINGLETON}:{number_of_name(name)}")
    if most := MOST_TASKS.search(said.get("array", "")):
        values["array_most"] = int(most[1])
    read_constraint(said.get("constraint", ""))
    if said.keys() & {"requeue", "no-requeue"}:
        values["requeue"] = int([word for word in said if word in ("requeue", "no-requeue")][-1] == "requeue")
    if "exclusive" in said:
        values["exclusive"] = OF_USER if said["exclusive"].lower() in ("user", "mcs") else EXCLUSIVE
    for word, column in (("mem", "memory_per_node"), ("mem-per-cpu", "memory_per_cpu"), ("tmp", "disk_per_node")):
        if word in said:
            values[column] = mebibytes(f"--{word}", said[word])
    if values.get("memory_per_cpu") == 0:
        del values["memory_per_cpu"]
    if said.get("hint") == "nomultithread" or said.get("ntasks-per-core") == "1":
        values["tasks_per_core"] = 1
    if INTEGER.fullmatch(said.get("priority", "")):  # "TOP" is for the jobs of one user
        values["priority"] = _whole("--priority", said["priority"])
    if "nice" in said:
        if not INTEGER.fullmatch(said["nice"] or USUAL_NICE):
            raise InputError(f"--nice must be a whole number, but is {in_quotes(said['nice'])}")
        values["nice"] = int(said["nice"] or USUAL_NICE)
    _gpus(said, values, remarks)
    _tasks(said, values)
    if "mem-per-gpu" in said:
        each = mebibytes("--mem-per-gpu", said["mem-per-gpu"])
        nodes = values["nodes_least"] if values.get("nodes_most") == values["nodes_least"] else 0
        gpus = values.get("gpus_per_node") or (-(-values.get("gpus", 0) // nodes) if nodes else 0)
        if gpus:
            values["memory_per_node"] = each * gpus
        else:
            remarks.append(MEMORY_OF_GPU)
    limit = duration("--time", Setting(said["time"], "options")) if said.get("time") else 0
    begin = _seconds_from_now(said.get("begin", ""), remarks)
    return Asked(values, limit or 0, tuple(remarks), not said.keys().isdisjoint(SIZES), begin)


def _seconds_from_now(text: str, remarks: list[str]) -> int:
    """Return the seconds of a --begin such as now+2hours; 0 of another time, for which a remark is added."""
    match = FROM_NOW.fullmatch(text.strip().lower())
    if match is None:
        remarks += [OTHER_BEGIN] if text else []
        return 0
    return int(match[1] or 0) * UNITS[match[2] or "second"]


def _options(text: str) -> dict[str, str]:
    """Return the options of a command line by their long names; the last one of a name counts, but all --gres."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"options of sbatch must be words, but {in_quotes(text)} is not: {error}") from None
    if words and words[0].rpartition("/")[2] in PROGRAMS:
        words = words[1:]
    said: dict[str, str] = {}
    rest = words[::-1]
    while rest and rest[-1].startswith("-") and rest[-1] not in ("-", "--"):
        word = rest.pop()
        for name, value in _long(word, rest) if word.startswith("--") else _short(word, rest):
            said[name] = f"{said[name]},{value}" if name == "gres" and name in said else value
    if rest and rest[-1] == ":":
        raise InputError(
            'each component of a heterogeneous job must have a line of its own, but here are several, with ":"'
        )
    if rest:
        said[SCRIPT] = rest[-1]
    return said


def number_of_name(name: str) -> int:
    """Return a number for the name of a job, which tells it from others without saying it."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "little")


def _long(word: str, rest: list[str]) -> list[tuple[str, str]]:
    """Return a long option and its value, which may be the next word of the rest, which is reversed."""
    key, equals, value = word[2:].partition("=")
    matches = [name for name in KNOWN if name.startswith(key)]
    name = key if key in KNOWN else matches[0] if len(matches) == 1 else ""
    if not name:
        raise InputError(f"options of sbatch must be known, but --{key} is not{did_you_mean(key, KNOWN)}")
    if not equals and name in WITH_VALUE:
        if not rest:
            raise InputError(f"--{name} must have a value, but has none")
        value = rest.pop()
    return [(name, value)]


def _short(word: str, rest: list[str]) -> list[tuple[str, str]]:
    """Return short options in a word and their values."""
    for place, letter in enumerate(word[1:], 1):
        if letter in SHORT:
            value = word[place + 1 :]
            if not value:
                if not rest:
                    raise InputError(f"-{letter} must have a value, but has none")
                value = rest.pop()
            return [(SHORT[letter], value.removeprefix("="))]
        if letter not in SHORT_FLAGS:
            raise InputError(f"options of sbatch must be known, but -{letter} is not")
    return []


def _gpus(said: Mapping[str, str], values: dict[str, Any], remarks: list[str]) -> None:
    """Add the GPUs that are asked for, and their type."""
    for word, column in (("gpus", "gpus"), ("gpus-per-node", "gpus_per_node"), ("gpus-per-task", "gpus_per_task")):
        for kind, count in _counts(f"--{word}", said.get(word, "")):
            values[column] = values.get(column, 0) + count
            if kind:
                values["gpu_type"] = kind
    for part in said.get("gres", "").split(","):
        name, _, more = part.strip().replace("=", ":").removeprefix("gres/").removeprefix("gres:").partition(":")
        if name.lower() == "gpu":
            ((kind, count),) = _counts("--gres", more or "1")
            values["gpus_per_node"] = values.get("gpus_per_node", 0) + count
            if kind:
                values["gpu_type"] = kind
        elif name and name.lower() != "none":
            remarks.append(OTHER_GRES)


def _counts(what: str, text: str) -> list[tuple[str, int]]:
    """Return the types and numbers of GPUs in a text such as "a100:2,v100:1"; "" for any type."""
    counts = []
    for part in filter(None, re.sub(r"\([^)]*\)", "", text).split(",")):
        kind, _, number = part.rpartition(":")
        match = COUNT.fullmatch(number)
        if match is None:
            kind, match = part, COUNT.fullmatch("1")
        if match is None or not kind.isprintable() or any(letter.isspace() for letter in kind):
            raise InputError(f"{what} must be [TYPE:]NUMBER, but is {in_quotes(text)}")
        counts.append((kind, int(match[1]) * {"": 1, "K": 1024, "M": 1024**2}[match[2].upper()]))
    return counts


def _tasks(said: Mapping[str, str], values: dict[str, Any]) -> None:
    """Add nodes, tasks and CPUs, those that follow from others too, as sbatch works them out."""
    if "nodes" in said:
        match = NODES.fullmatch(said["nodes"])
        if match is None:
            raise InputError(f"--nodes must be LEAST or LEAST-MOST, but is {in_quotes(said['nodes'])}")
        least = _thousands(match[1])
        most = _thousands(match[2]) if match[2] else least
        if most < least or least < 1:
            raise InputError(f"--nodes must be LEAST-MOST from 1 on, but is {in_quotes(said['nodes'])}")
        values["nodes_least"], values["nodes_most"] = max(least, values.get("nodes_least", 1)), most
        values["nodes_most"] = max(most, values["nodes_least"])
    for word, column in (("cpus-per-task", "cpus_per_task"), ("ntasks-per-node", "tasks_per_node")):
        if word in said:
            values[column] = _whole(f"--{word}", said[word])
    per_node, nodes = values.get("tasks_per_node", 0), values.get("nodes_least", 1)
    gpus = values.get("gpus") or values.get("gpus_per_node", 0) * nodes
    if "ntasks" in said:
        values["tasks"] = tasks = max(_whole("--ntasks", said["ntasks"]), 1)
        if per_node and "nodes" not in said:
            values["nodes_least"] = nodes = max(nodes, -(-tasks // per_node))
        if tasks < nodes and "nodelist" not in said:  # sbatch warns, and takes fewer nodes
            values["nodes_least"] = nodes = tasks
            if "nodes_most" in values:
                values["nodes_most"] = max(min(values["nodes_most"], tasks), tasks)
    elif "ntasks-per-gpu" in said and gpus:
        values["tasks"] = max(_whole("--ntasks-per-gpu", said["ntasks-per-gpu"]) * gpus, 1)
    else:
        values["tasks"] = max(per_node, 1) * nodes
    if "cpus-per-gpu" in said and gpus and "cpus-per-task" not in said:
        values["cpus_per_task"] = max(-(-_whole("--cpus-per-gpu", said["cpus-per-gpu"]) * gpus // values["tasks"]), 1)
    values.setdefault("nodes_least", nodes)


def _whole(what: str, text: str) -> int:
    """Return the value of an option that is a whole number."""
    if NUMBER.fullmatch(text) is None:
        raise InputError(f"{what} must be a whole number, but is {in_quotes(text)}")
    return int(text)


def _thousands(text: str) -> int:
    """Return a number of nodes, which may be in units of 1024."""
    return int(text[:-1]) * 1024 if text[-1:].lower() == "k" else int(text)


def mebibytes(what: str, text: str) -> int:
    """Return a size of memory, 4000M, 1.5G or 500 (MiB), in MiB, rounded up.

    Raises
    ------
    InputError
        It is none; `what` is its name in the message.

    Examples
    --------
    >>> mebibytes("--mem", "187000M"), mebibytes("--mem", "2g"), mebibytes("--mem", "10"), mebibytes("--mem", "1K")
    (187000, 2048, 10, 1)
    """
    match = SIZE.fullmatch(text.strip())
    if match is None:
        raise InputError(f"{what} must be a size such as 4000M or 4G, but is {in_quotes(text)}")
    kilobytes = float(f"{match[1]}.{match[2] or 0}") * KIB[match[3].upper()]
    return int(-(-kilobytes // 1024))


def requests_of_options(asked: Sequence[Asked]) -> Requests:
    """Return the requests of jobs, one for each of what their options say.

    Raises
    ------
    InputError
        A number is beyond its bounds.
    """
    columns: dict[str, list[Any]] = {}
    for key in {key for each in asked for key in each.values} | {"tasks"}:
        usual = NUMBERS[key][0] if key in NUMBERS else ""
        columns[key] = [each.values.get(key, usual) for each in asked]
    return Requests(**columns)
