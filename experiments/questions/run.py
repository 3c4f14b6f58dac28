"""Ask the questions by the command line; what it answers goes to results/questions, a table for each question."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import made_up
import numpy as np
import settings

from paretosched.cli.command_line import main as paretosched
from paretosched.workload.public_logs import log_file

PARTS = tuple(settings.QUESTIONS)
ANSWERS = ("compare", "whatif")
REACTING = ("later_s", "wait_mean_s", "wait_vs_easy", "wait_vs_easy_recorded", "AWRT_vs_easy", "AWRT_vs_easy_recorded")


def main() -> None:
    """Ask the questions that are named, or all that have no answer yet."""
    options = common.options_of(common.run_parser("questions", __doc__, "small made-up logs", PARTS))
    known = () if options.part else common.earlier_parts(options.results)
    parts = {name: partial(answers_of, settings.QUESTIONS[name], options.quick) for name in PARTS if name not in known}
    common.run_parts(options, parts)


def answers_of(asked: settings.Asked, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of all tables that the commands of a question print, after they were typed in a folder."""
    log = settings.LOGS[asked.log]
    with TemporaryDirectory() as folder:
        for name in log.files:
            place_file(name, Path(folder), quick)
        for name, text in {**log.texts, **asked.texts}.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        with chdir(folder):
            for command in (*log.imports, *asked.commands):
                yield from answers_to(command)


def place_file(name: str, folder: Path, quick: bool) -> None:
    """Put a file of a log into a folder; if `quick`, a made-up one of the same name."""
    of_papers = name in common.LOGS
    file = common.file_of(name) if of_papers else Path(name).name
    if quick:
        made_up.write(folder / file)
    else:
        shutil.copyfile(log_file(common.trace_of(name)) if of_papers else common.modern_file(name), folder / file)


def answers_to(command: str) -> Iterator[dict[str, Any]]:
    """Run a command, and yield the rows of its table, with the name of the log; none of a command without an answer."""
    words = shlex.split(command)
    if words[0] != "paretosched":
        subprocess.run(["/bin/sh", "-c", command], check=True)  # noqa: S603  # a line of settings.py
        return
    answers = words[1] in ANSWERS
    print(f"  {command}", flush=True)
    text = io.StringIO()
    with redirect_stdout(text):
        status = paretosched([*words[1:], *(["--json"] if answers else [])])
    if status:
        common.fail(f"{command}: ended with status {status}")
    if answers:
        facts = json.loads(text.getvalue())
        log, reacts = words[2].partition(".")[0], "react" in words
        rows = rows_of_whatif(facts) if words[1] == "whatif" else rows_of_compare(facts)
        yield from ({"log": log, "users": "react" if reacts else "recorded", **row} for row in rows)


def rows_of_whatif(facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of whatif, with what its sentences say of each question."""
    worth = {row["scenario"]: row for row in facts["worth"]}
    for row in facts["rows"]:
        whole = row["group"] == "all jobs"
        bought = worth.get(row["scenario"], {}) if whole else {}
        left_out = "; ".join(facts["dropped"].get(row["scenario"], ())) if whole else ""
        yield {
            **row,
            "draws": len(facts["seeds"]),
            "words": facts["questions"].get(row["scenario"], ""),
            "left_out": left_out,
            "saved_h_per_1000": bought.get("saved_h_per_1000"),
        }


def rows_of_compare(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each policy and group of compare, with AWRT of each period, and what users who react make."""
    for row in rows:
        if "waits" not in row or row["policy"] == "ideal point":
            continue
        for number, waits in enumerate(row["waits"]):
            awrt = f"AWRT{number}" if number else "AWRT"
            cells = {"policy": row["policy"], "jobs": waits["jobs"], "group": waits["group"] or "all jobs"}
            cells |= {key: waits[f"wait_{key}"] for key in ("mean_s", "p95_s", "worst_s")}
            cells |= {"AWRT_s": row[awrt], "AWRT_vs_easy": row[f"{awrt}_vs_easy"], "UTIL": row["UTIL"]}
            cells["gpus_in_use"] = gpus_in_use(row) if number == 0 else None
            for half, period in enumerate(row.get("periods") or (), 1):
                cells[f"AWRT_vs_easy_{half}"] = period[f"{awrt}_vs_easy"]
            if not number and "users_react" in row:
                cells |= {f"react_{key}": row["users_react"][key] for key in REACTING}
            yield cells


def gpus_in_use(row: Mapping[str, Any]) -> float | None:
    """Return the share of the GPUs in use in the first days of the log, of the partition where it is largest, %."""
    over_time = row["utilisation_over_time"]
    bins = settings.FIRST_DAYS * 86400 // over_time["bin_s"]
    places = (over_time, *over_time.get("partitions", {}).values())
    shares = [each["percent_gpus"][:bins] for each in places if "percent_gpus" in each]
    return max((float(np.mean(each)) for each in shares), default=None)


if __name__ == "__main__":
    main()
