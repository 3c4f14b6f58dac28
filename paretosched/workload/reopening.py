"""Open the workload of a run again, from the steps that the run recorded and the files that these steps need.

The file `run.json` of a run has the source of its workload, see `Workload.source`. Files are searched at their
recorded paths and beside the run. Their SHA-256 must be the recorded one, so that a log that was changed, or another
log of the same name, is never used. In the end, the workload must have the digest that the run recorded.

Runs of version 0.1 have no source. They have the commands that made them, with the log and its options.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..core.arguments import as_list, as_path
from ..core.errors import InputError, first_few
from ..core.files import is_file, is_folder, sha256_of
from ..core.limits import check_limit
from ..core.parquet_files import is_parquet
from ..core.run_files import RUN_FILE, read_description
from .log_parquet import load_log
from .lublin_feitelson import lublin
from .recorded_sources import places, runs_at, sources_of_commands
from .resampling import resample
from .scaling import scale
from .swf import AS_BEFORE, CUT, read_swf, read_swf_as_before
from .time_split import split
from .user_groups import by_consumption, by_csv, by_queue, by_request, by_swf_group, by_words, with_groups
from .workload import Workload

WorkloadLike = str | os.PathLike[str] | Workload


def _part(workload: Workload, until: float, part: int) -> Workload:
    """Return the first part (0) or the second (1) of a workload that is cut in time."""
    if part not in (0, 1):
        raise InputError(f"the source of a workload has a split: its part must be 0 or 1, but is {part!r:.60}")
    return split(workload, until)[int(part)]


FIRST: Mapping[str, Callable[..., Workload]] = MappingProxyType(
    {
        "read_swf": partial(read_swf, overrun=CUT),  # a run has recorded another choice
        AS_BEFORE: partial(read_swf_as_before, overrun=CUT),
        "load_log": partial(load_log, overrun=CUT),
        "lublin": lublin,
    }
)
LATER: Mapping[str, Callable[..., Workload]] = MappingProxyType(
    {
        "by_consumption": by_consumption,
        "by_swf_group": by_swf_group,
        "by_queue": by_queue,
        "by_csv": by_csv,
        "by_words": by_words,
        "by_request": by_request,
        "grouped": with_groups,
        "scale": scale,
        "resample": resample,
        "split": _part,
        "one_pool": lambda workload: workload.one_pool,
        "without": lambda workload, words: workload.without(*words),
    }
)
MOST_STEPS = 100  # of a source; commands make a handful


def as_workload(
    what: WorkloadLike,
    *,
    capacity: int | None = None,
    groups: str | os.PathLike[str] | None = None,
    overrun: str | None = None,
    called: str = "groups",
) -> Workload:
    """Return a workload, the workload in a log, or the workload of a run directory.

    Parameters
    ----------
    what
        A workload, which is returned unchanged; the path of a log; or a run directory.
    capacity, overrun
        Only for a log: the processors of the machine, and what happens to jobs that run longer than they have
        requested, see `read_swf`. Default: the machine size in the log, and such jobs are cut, with a warning if
        much of the work is.
    groups
        For a log or run: the user groups as for `with_groups`. Default: groups by consumption, or those of the run.
    called
        The name of `groups` in messages.

    Raises
    ------
    InputError
        As for `read_swf`, `with_groups` and `reopen`; or one of these is set, and `what` is no log.
    """
    if not isinstance(what, str | os.PathLike | Workload):
        raise InputError(f"a workload is given as a `Workload` or as the path of a log or run, not as {what!r:.60}")
    is_run = not isinstance(what, Workload) and is_folder(what)
    if isinstance(what, Workload) or is_run:
        if (capacity, overrun) != (None, None) or (groups is not None and not is_run):
            raise InputError(f"capacity, overrun, {called}: say how a log is read, but {what} is no log")
        known = what if isinstance(what, Workload) else reopen(what)
        return known if groups is None else with_groups(known, groups, called)
    if is_parquet(what):
        if capacity is not None:
            raise InputError(
                f"capacity cannot be changed: {what} has a machine of nodes; paretosched machine {what} -o "
                "machine.toml writes it, to be edited and imported with (--machine)"
            )
        workload = load_log(what, overrun=overrun)
    else:
        workload = read_swf(what, capacity=capacity, overrun=overrun)
    return workload if groups is None else with_groups(workload, groups, called)


def as_workloads(what: WorkloadLike | Sequence[WorkloadLike]) -> list[Workload]:
    """Return one workload or several as a list, each as for `as_workload`."""
    return [as_workload(workload) for workload in as_list(what)]


def record(workload: Workload) -> dict[str, Any]:
    """Return the record of a workload in a run, for `reopen`: plain JSON values."""
    about = {"name": workload.name, "jobs": len(workload), "capacity": workload.capacity}
    if not workload.source:
        return about
    return about | {"digest": workload.digest, "source": [dict(step) for step in workload.source]}


def reopen(place: str | os.PathLike[str] | Mapping[str, Any], digest: str | None = None) -> Workload:
    """Return the workload of a run, made again by the steps that the run recorded.

    Parameters
    ----------
    place
        A run directory, of an exploration or a training; a front file in a run directory, or beside the directories of
        its runs; or the value of "workload" in a `run.json`.
    digest
        Digest that the workload must have, such as that in a front file; of a training with several workloads it says
        which one. None for the digest in the run.

    Raises
    ------
    InputError
        There is no run, or no run of this workload; a file is missing or has changed; the workload was made in Python
        and not from files; or the steps give another workload.

    Examples
    --------
    >>> reopen(record(lublin(jobs=100, processors=64, seed=1)))
    <Workload lublin-typeless-100-64-1: 100 jobs on 64 processors, 5 groups>
    """
    if isinstance(place, Mapping):
        return _remade(place.get("source", ()), place, digest, ())
    place = as_path(place)
    return reopen_with_run(place, digest)[0]


def reopen_with_run(place: str | os.PathLike[str], digest: str | None = None) -> tuple[Workload, Path]:
    """Return the workload of a run as `reopen` does, and the directory of this run."""
    troubles = []
    for directory in _run_directories(Path(place), digest):
        about = read_description(directory)
        entry = _entry(about, digest)
        for source in [entry["source"]] if entry.get("source") else sources_of_commands(about, directory):
            try:
                return _remade(source, entry, digest, (directory.parent, directory)), directory
            except InputError as error:
                troubles.append(str(error))
        troubles.append(
            f"{directory}: does not say where its workload came from; if it was made or changed in Python, write it "
            "with write_swf and name the log"
        )
    if not troubles and is_folder(place) and not runs_at(Path(place)):
        troubles.append(f"{place}: Is a directory, but has no {RUN_FILE}; name a log, or the directory of a run")
    raise InputError(troubles[0] if troubles else f"{place}: there is no run here of this workload")


def _run_directories(place: Path, digest: str | None) -> list[Path]:
    """Return the directories of the runs at a place whose workload has this digest, or any digest if it is None."""
    folder = place if is_folder(place) else place.parent
    if folder != place and place.suffix != ".parquet" and not is_parquet(place):
        raise InputError(f"{place}: must be a run directory or a front file, but is not")
    runs = runs_at(folder)
    digests = {run: _digests(run) for run in runs}
    matching = [run for run in runs if digests[run] and (digest is None or digest in digests[run])]
    # a training beside explorations does not decide which workload is meant
    explorations = [run for run in matching if not _is_training(run)]
    candidates = explorations or matching
    several = {each for run in candidates for each in digests[run]}
    if digest is None and len(several) > 1:
        if len(candidates) > 1:
            raise InputError(f"{place}: there are runs of several workloads here; name one of them")
        raise InputError(
            f"{place}: this training has several workloads; name the log of one, or in Python its digest: "
            f"{first_few(sorted(several), limit=8)}"
        )
    return candidates


def _parameters(directory: Path) -> Mapping[str, Any]:
    """Return the parameters of a run; none if the directory has another file of this name."""
    try:
        parameters = read_description(directory)["parameters"]
    except (InputError, KeyError, TypeError):
        return {}
    return parameters if isinstance(parameters, dict) else {}


def _is_training(directory: Path) -> bool:
    """Return whether a run is a training; it has several workloads, or a list of one."""
    return "workloads" in _parameters(directory)


def _digests(directory: Path) -> list[str]:
    """Return the digest of the workload of an exploration, or those of the workloads of a training."""
    parameters = _parameters(directory)
    return [
        digest for digest in as_list(parameters.get("workloads", parameters.get("workload"))) if isinstance(digest, str)
    ]


def _entry(about: Mapping[str, Any], digest: str | None) -> dict[str, Any]:
    """Return the record of the workload of a run: of an exploration, or of a training the one with this digest."""
    parameters = about["parameters"]
    if "workloads" not in parameters:
        workload = about.get("workload", {})
        return {**(workload if isinstance(workload, dict) else {}), "digest": parameters["workload"]}
    digests = as_list(parameters["workloads"])
    place = 0 if digest is None else digests.index(digest)
    columns = {"name": about.get("workloads"), "source": about.get("sources")}
    return {"digest": digests[place]} | {
        key: column[place] for key, column in columns.items() if isinstance(column, list) and place < len(column)
    }


def _remade(source: Any, entry: Mapping[str, Any], digest: str | None, near: Sequence[Path]) -> Workload:
    """Return the workload that the steps of a source give; it must have `digest`, and the digest in `entry`.

    `entry` is the record of the workload in a run; `near` has the folders where files are searched, too.
    """
    if not isinstance(source, Sequence) or not source:
        raise InputError(
            "the workload was made or changed in Python and cannot be made again from files; write it with write_swf "
            "and name the log"
        )
    if len(source) > MOST_STEPS:
        raise InputError(f"the source of a workload must have at most {MOST_STEPS} steps, but has {len(source)}")
    workload = _after_steps(source, near)
    if workload.digest != (digest or entry.get("digest") or workload.digest) and source[0]["function"] == "read_swf":
        with suppress(InputError):  # then the message is about the log as it is read now
            before = _after_steps([{**source[0], "function": AS_BEFORE}, *source[1:]], near)
            workload = before if before.digest == (digest or entry.get("digest")) else workload
    for right_digest in (digest, entry.get("digest")):
        if right_digest is not None and workload.digest != right_digest:
            raise InputError(
                f"the workload of the run must be {str(right_digest)[:12]} by its digest of jobs, capacity and groups, "
                f"but {workload.name} is {workload.digest[:12]}; name the log itself, "
                "with the run's capacity, groups and overrun"
            )
    name = entry.get("name", workload.name)
    return workload.with_(name=name) if isinstance(name, str) else workload


def _after_steps(source: Sequence[Any], near: Sequence[Path]) -> Workload:
    """Return the workload that steps give, of which there is at least one."""
    workload: Workload | None = None
    for step in source:
        workload = _after_step(step, workload, near)
    assert workload is not None  # noqa: S101  # there is a step
    return workload


def _after_step(step: Any, workload: Workload | None, near: Sequence[Path]) -> Workload:
    """Return the workload that a step makes from nothing (None) or from the workload before it."""
    arguments = dict(step) if isinstance(step, Mapping) else {}
    function = (FIRST if workload is None else LATER).get(str(arguments.pop("function", "")))
    if function is None:
        raise InputError(f"the source of a workload must have known steps only, but one is {step!s:.60}")
    if "path" in arguments:
        arguments["path"] = _file(arguments, near)
        arguments = {key: value for key, value in arguments.items() if key not in ("given", "sha256")}
    before = () if workload is None else (workload,)
    if isinstance(arguments.get("jobs"), int):
        check_limit("the source of a workload", "jobs", arguments["jobs"], exact=True)
    try:
        signature(function).bind(*before, **arguments)
    except TypeError as error:
        raise InputError(f"the source of a workload has a step that is damaged, {step!s:.60}: {error}") from None
    return function(*before, **arguments)


def _file(entry: Mapping[str, Any], near: Sequence[Path]) -> str:
    """Return the path of a file of a step: as recorded, as the user wrote it, or in one of the folders `near`."""
    other_file = ""
    for place in places(entry, near):
        if is_file(place):
            sha256 = sha256_of(place)
            if entry.get("sha256") in (None, sha256):
                return str(place)
            other_file = (
                other_file or f"{place}: the file was changed since: its SHA-256 is {sha256}, not {entry['sha256']}"
            )
    raise InputError(
        other_file
        or f"{entry['path']}: the file is gone, and there is no file of its name beside the run; put it there, or name "
        "the log in place of the run"
    )
