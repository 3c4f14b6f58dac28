"""Imports of recorded accounting: the jobs of the log that is written, and what was counted."""

from pathlib import Path
from typing import Any, NamedTuple

from paretosched.workload.log_names import Names, read_names
from support.commands import succeed

RECORDED = Path(__file__).parents[1] / "data" / "accounting"
FIELDS = (
    "job", "submit", "wait", "run", "allocated", "cpu", "memory", "width", "estimate", "asked_memory", "status", "user",
    "group", "executable", "queue", "partition", "preceding", "think",
)  # fmt: skip


class Result(NamedTuple):
    """What an import wrote: the jobs by number, field by field, its header, its names, and its counts."""

    jobs: dict[int, dict[str, int]]
    header: list[str]
    names: Names
    counts: dict[str, tuple[str, int]]
    remarks: str
    about: dict[str, Any]


def import_into(folder: Path, kind: str, source: object, *options: object) -> Result:
    """Import a file into a folder, and return what was written."""
    log = folder / "log.swf"
    outcome = succeed("import", kind, source, "-o", log, "--json", *options)
    lines = log.read_text().splitlines()
    rows = [dict(zip(FIELDS, map(int, line.split()), strict=True)) for line in lines if not line.startswith(";")]
    jobs = {row["job"]: row for row in rows}
    assert len(jobs) == len(rows)
    names = read_names(log)
    assert names is not None
    counts = {count["reason"].partition(":")[0]: (count["action"], count["jobs"]) for count in outcome.json["counts"]}
    return Result(jobs, [line for line in lines if line.startswith(";")], names, counts, outcome.err, outcome.json)


def column(result: Result, name: str) -> dict[int, int]:
    """Return one field of all jobs by job number."""
    return {job: row[name] for job, row in result.jobs.items()}
