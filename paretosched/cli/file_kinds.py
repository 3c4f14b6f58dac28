"""What a file holds, by its content: so that no command writes over a file of another kind than its own output."""

from __future__ import annotations

import os
import re
import zlib
from enum import StrEnum
from pathlib import Path

from ..core.errors import InputError


class Kind(StrEnum):
    """What a file or a directory holds, as messages call it."""

    LOG = "a workload log"
    MACHINE = "a machine"
    NAMES = "the names of a workload log"
    FRONT = "a front"
    RUN = "the description of a run"
    EVALUATIONS = "the evaluations of a run"
    POLICY = "a policy"
    WISH = "a wish"
    PAGE = "the state of a page"
    SCHEDULE = "a schedule"
    SEGMENTS = "the segments of a schedule"
    ASSIGNMENT = "an assignment"
    REVIEW = "a review"
    WHAT_IF = "a table of what if"
    REPORT = "a report"
    FIGURE = "a figure"
    EMPTY = "an empty file"
    UNKNOWN = "an unknown file"
    RUN_DIRECTORY = "a run directory"
    FIGURES = "a directory of figures"
    LOGS = "a directory of logs"
    DEPLOYMENT = "the folder of a deployment"


HEAD = 200_000  # bytes that are read: a report has its styles before its heading, a log has its header before its jobs
FIELDS = 18  # numbers in a line of a log
OF_JSON = {
    "policy": Kind.POLICY,
    "wish": Kind.WISH,
    "page": Kind.PAGE,
    "run": Kind.RUN,
    "names": Kind.NAMES,
}  # by the second word of "format"
OF_PAGE = {
    b'<p class="eyebrow">paretosched report</p>': Kind.REPORT,
    b'<p class="eyebrow">paretosched figures</p>': Kind.FIGURE,
}  # by a heading of the page
MACHINE = re.compile(rb'^format = "paretosched machine ', re.MULTILINE)
LOG_HEADER = re.compile(rb";\s*(Version|Computer|Max\w+|UnixStartTime)\s*:")


def kind_of(path: str | os.PathLike[str]) -> Kind:
    """Return what a file holds, as far as its content shows it.

    Logs, PNG pictures and PDF files of kaleido may come from any program. All other files are known only if paretosched
    wrote them. A file that cannot be read is unknown.
    """
    from ..core.files import open_for_reading
    from ..core.parquet_files import MARK

    try:
        with open_for_reading(path) as file:
            head = file.read(HEAD)
    except OSError:
        return Kind.UNKNOWN
    for first_bytes, kind in ((b"SQLite format 3\0", Kind.EVALUATIONS), (b"\x89PNG\r\n\x1a\n", Kind.FIGURE)):
        if head.startswith(first_bytes):
            return kind
    if head.startswith(b"%PDF-") and b"/Title (Kaleido" in head[:1000]:
        return Kind.FIGURE
    if head.startswith(MARK):
        return _kind_of_parquet(path)
    if head.startswith(b"\x1f\x8b"):
        return _kind_of_lines(_unpack_head(head))
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return _kind_of_json(path)
    if text.startswith(b"<"):
        return _kind_of_markup(text)
    return _kind_of_lines(text) if head else Kind.EMPTY


def _kind_of_parquet(path: str | os.PathLike[str]) -> Kind:
    """Return the kind of a Parquet file: a front has its facts as metadata, segments have the columns of segments."""
    import pyarrow as pa
    from pyarrow import parquet

    from ..simulation.schedule import SEGMENT_COLUMNS

    try:
        with Path(path).open("rb") as file:
            schema = parquet.read_schema(file)
    except (OSError, ValueError, pa.ArrowException):
        return Kind.UNKNOWN
    if b"paretosched" in (schema.metadata or {}):
        return Kind.FRONT
    if b"paretosched log" in (schema.metadata or {}):
        return Kind.LOG
    return Kind.SEGMENTS if schema.names == [*SEGMENT_COLUMNS] else Kind.UNKNOWN


def _kind_of_json(path: str | os.PathLike[str]) -> Kind:
    """Return the kind of a JSON file, which is in its "format"."""
    try:
        from ..core.files import read_json

        value = read_json(path, "JSON")
    except InputError:
        return Kind.UNKNOWN
    program, kind, *_ = f"{value.get('format')}  ".split(" ")
    return OF_JSON.get(kind, Kind.UNKNOWN) if program == "paretosched" else Kind.UNKNOWN


def _kind_of_markup(text: bytes) -> Kind:
    """Return the kind of an HTML or SVG file."""
    if re.match(rb'(<\?xml[^>]*>\s*)?<svg[^>]*class="main-svg"', text):
        return Kind.FIGURE
    return next((kind for mark, kind in OF_PAGE.items() if mark in text), Kind.UNKNOWN)


def _kind_of_lines(text: bytes) -> Kind:
    """Return the kind of a text file: a table by its heading, a log by its header or its first job."""
    from ..assignment.lists import WRITTEN
    from ..simulation.schedule import HEADINGS, SEGMENT_COLUMNS

    first, *_ = text.splitlines() or [b""]
    if MACHINE.search(text):
        return Kind.MACHINE
    heading = first.decode("latin-1").split(",")
    tables = {
        **dict.fromkeys(HEADINGS, Kind.SCHEDULE),
        SEGMENT_COLUMNS: Kind.SEGMENTS,
        WRITTEN: Kind.ASSIGNMENT,
    }
    if kind := tables.get(tuple(heading)):
        return kind
    if heading[0] == "UTIL" and heading[-2:] == ["run", "evaluation"]:
        return Kind.FRONT
    if heading[:5] == ["from", "until", "jobs", "system", "group"]:
        return Kind.REVIEW
    if heading[:4] == ["scenario", "policy", "group", "jobs"]:
        return Kind.WHAT_IF
    jobs = [line.split() for line in text.splitlines() if line.strip() and not line.lstrip().startswith(b";")]
    if jobs and not all(len(jobs[0]) == FIELDS and re.fullmatch(rb"[-+.\deE]+", field) for field in jobs[0]):
        return Kind.UNKNOWN
    return Kind.LOG if jobs or LOG_HEADER.search(text) else Kind.UNKNOWN


def _unpack_head(head: bytes) -> bytes:
    """Return the beginning of the text of a gzipped file; nothing if it is damaged."""
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(head, HEAD)
    except zlib.error:
        return b""
