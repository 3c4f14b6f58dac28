"""The job log of Microsoft's Philly as rows of a table: a list of jobs in JSON, each with its attempts to run.

Each attempt is a life of the job, as of one that was requeued: it waits from the end of the one before.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

import msgspec

from ...core.errors import InputError
from ...core.files import parse_json
from ...core.typed_json import as_type
from .table_rows import AT_ONCE, Rows
from .text_lines import STDIN, Watch, whole_text

WORDS = ("submit", "start", "end", "gpus", "nodes", "user", "account", "state")


class _Server(msgspec.Struct):
    """What an attempt had of a server."""

    gpus: list[str] = []


class _Attempt(msgspec.Struct):
    """An attempt as it is written; a time that was not recorded is null, or is missing."""

    start_time: str | None = None
    end_time: str | None = None
    detail: list[_Server] | None = None


class _Job(msgspec.Struct):
    """A job as it is written."""

    submitted_time: str | None
    attempts: list[_Attempt]
    status: str | None = None
    vc: str | None = None
    user: str | None = None


def attempts_of(path: str, columns: Mapping[str, str], watch: Watch) -> Generator[Rows, None, None]:
    """Yield the attempts of all jobs, and the jobs without any; the lines are the places of jobs in the list.

    Parameters
    ----------
    path
        The file, plain or gzipped; "-" is the standard input.
    columns
        Which columns are read, by their words, which must be among WORDS.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, or is no such list.
    """
    place = STDIN if path == "-" else path
    content = parse_json(whole_text(place, watch), place)
    try:
        jobs = as_type(content, list[_Job])
    except InputError as error:
        raise InputError(f"{place}: not the cluster_job_log of the Philly traces: {error}") from None
    lines: list[int] = []
    cells: list[Sequence[str]] = []
    for place_in_list, job in enumerate(jobs, 1):
        lives = _lives(job)
        lines += [place_in_list] * len(lives)
        cells += lives
    for first in range(0, len(lines), AT_ONCE):
        texts = dict(zip(WORDS, zip(*cells[first : first + AT_ONCE], strict=True), strict=True))
        yield Rows(place, lines[first : first + AT_ONCE], {word: texts[word] for word in columns})


def _lives(job: _Job) -> list[Sequence[str]]:
    """Return the cells of the attempts of a job by WORDS; those of one without a time if it has no attempt."""
    lives: list[Sequence[str]] = []
    waits_from = job.submitted_time or ""
    for number, attempt in enumerate(job.attempts or [_Attempt()], 1):
        start, end = attempt.start_time or "", attempt.end_time or ""
        servers = attempt.detail or []
        state = "running" if start and not end else job.status or ""
        if number < len(job.attempts):
            state = "requeued"
        gpus, nodes = str(sum(len(server.gpus) for server in servers)), str(len(servers))
        lives.append((waits_from, start, end, gpus, nodes, job.user or "", job.vc or "", state))
        waits_from = end or waits_from
    return lives
