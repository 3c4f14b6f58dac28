"""The pages of file formats: the two JSON Schemas, and the numbers of a log as they are read, from the code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import paretosched
from paretosched.workload.log_lines import FIELDS

SCHEMAS = {"policy": "policies/policy.schema.json", "wish": "wishes/wish.schema.json"}


def write_pages(docs: Path) -> None:
    """Write a page for each schema, with its tables and the file itself; and the table of the fields of a log."""
    place = docs / "reference" / "schemas"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name, file in SCHEMAS.items():
        source = Path(paretosched.__file__).parent / file
        shutil.copy(source, place)
        schema = json.loads(source.read_text(encoding="utf-8"))
        (place / f"{name}.md").write_text("\n".join(page_of(name, source.name, schema)), encoding="utf-8")
    rows = [f"| {number} | {what} | {kind} | {USED[number]} |" for number, (what, kind) in enumerate(FIELDS, 1)]
    heading = ["| field | what the format says | what it holds | what is done with it |", "| ---: | --- | --- | --- |"]
    (place / "fields.txt").write_text("\n".join([*heading, *rows, ""]), encoding="utf-8")


NOT_USED = "kept, and written again"
USED = dict.fromkeys(range(1, 19), NOT_USED) | {
    1: "the name of the job; two lines may share one",
    2: "the submission, rounded down",
    3: "the recorded start, for `recorded` only",
    4: "the run time, rounded up; unknown or none: the job is dropped",
    5: "the width, where field 8 is unknown",
    8: "the width; unknown as field 5: the job is dropped",
    9: "the request, rounded up; where it is missing, see below",
    11: "parts of a job are dropped where the job has a line of its own",
    12: "the user, for groups by consumption",
    13: "the account or group, for `--groups swf`",
    15: "the queue, for `--groups queue` and for missing requests",
    16: "the partition, for lists of groups and for policies that name one",
}


def page_of(name: str, file: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the page of a schema."""
    yield from (f"# JSON Schema of a {name} file", "")
    yield from (
        f"The file itself: {{download}}`{file}`. It is part of the package, and `tests` check files against it.",
        "",
    )
    whole = {} if "oneOf" in schema else {schema["title"]: schema}
    for title, part in (whole | schema.get("$defs", {})).items():
        yield from (f"## {title}", "", part.get("description", ""), "")
        if "properties" not in part:
            yield from ("```json", json.dumps(part, indent=2), "```", "")
            continue
        yield from ("| key | value | needed |", "| --- | --- | --- |")
        for key, value in part["properties"].items():
            needed = "yes" if key in part.get("required", ()) else "no"
            yield f"| `{key}` | {words(value)} | {needed} |"
        yield ""


def words(value: Mapping[str, Any]) -> str:
    """Return what a value may be, in words."""
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return " or ".join(f"`{json.dumps(item)}`" for item in value["enum"])
    if "$ref" in value:
        return f"a {value['$ref'].rpartition('/')[2]}, below"
    for key in ("anyOf", "oneOf"):
        if key in value:
            return " or ".join(words(item) for item in value[key])
    kind = value.get("type", "any value")
    if kind == "array":
        return f"list of: {words(value.get('items', {}))}" if value.get("items") else "list"
    limits = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
    ranges = ", ".join(f"{sign} {value[limit]}" for limit, sign in limits.items() if limit in value)
    return f"{kind}{f' ({ranges})' if ranges else ''}{said(value)}"


def said(value: Mapping[str, Any]) -> str:
    """Return the default of a value and what is said of it."""
    default = f"; default `{json.dumps(value['default'])}`" if "default" in value else ""
    return default + (f"; {value['description']}" if "description" in value else "")
