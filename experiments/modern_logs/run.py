"""Read logs of 2013 to 2023, and set EASY beside what they recorded; the results go to results/modern_logs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.arrays import Floats, Ints, Mask
from paretosched.workload.description import describe
from paretosched.workload.requests import requests_of

HOUR = 3600
USUAL = {"nodes": 1}  # what a job asks for that asks for nothing; 0 of all else


def main() -> None:
    """Run everything."""
    options = common.options_of(common.run_parser("modern_logs", __doc__, "a made-up log"))
    with TemporaryDirectory() as name:
        logs = [of_quick] if options.quick else [partial(of_log, log) for log in settings.LOGS]
        common.run_parts(options, {"summary": lambda: [row(Path(name)) for row in logs]})


def of_quick(folder: Path) -> dict[str, Any]:
    """Return the row of a made-up log."""
    w = ps.lublin(**settings.QUICK_SIZE)
    ps.write_swf(w, folder / "log.swf")
    return row_of("made up", ps.read_swf(folder / "log.swf"), "cpus", 0, "")


def of_log(log: settings.Log, folder: Path) -> dict[str, Any]:
    """Return the row of a log, read as anybody reads it."""
    file = common.modern_file(log.file)
    if log.kind == "swf":
        w = ps.read_swf(file)
        left_out = [repair for repair in w.repairs if repair.action == "dropped"]
        reason = max(left_out, key=lambda repair: repair.jobs).reason if left_out else ""
        return row_of(log.name, w, "cpus", sum(repair.jobs for repair in left_out), reason)
    with ps.reading_limits(jobs=6_000_000):
        about = ps.import_log(log.kind, file, folder / "log.swf", **log.options)
    dropped = [count for count in about.counts if count.action == "dropped"]
    reason = max(dropped, key=lambda count: count.jobs).reason if dropped else ""
    return row_of(log.name, ps.read_swf(folder / "log.swf"), about.unit, sum(count.jobs for count in dropped), reason)


def row_of(name: str, w: ps.Workload, unit: str, dropped: int, reason: str) -> dict[str, Any]:
    """Return what a log has, and what EASY makes of it beside the record; both of the jobs whose wait is recorded."""
    about = describe(w)
    work = w.run * w.width.astype(np.float64)
    known = w.wait >= 0
    easy = ps.simulate(w, "easy").start
    of_easy = easy - w.eligible
    recorded = np.where(known, w.submit + w.wait - w.eligible, 0)
    compared = known if known.any() else np.ones_like(known)
    row: dict[str, Any] = {
        "log": name,
        "unit": unit,
        "jobs": len(w),
        "users": about["users"],
        "capacity": w.capacity,
        "days": round(about["span_days"], 1),
        "load": round(about["load"] or 0.0, 3),
        "dropped": dropped,
        "dropped most": reason,
        "waits recorded %": round(about["recorded_waits_percent"], 1),
        "wait recorded h": mean_hours(recorded, known),
        "wait EASY h": mean_hours(of_easy, compared),
        "AWRT recorded h": weighted_hours(recorded + w.run, work, known),
        "AWRT EASY h": weighted_hours(of_easy + w.run, work, compared),
    }
    for word in settings.ASKED:
        asking = requests_of(w, word) > USUAL.get(word, 0)
        row[f"work {word} %"] = round(100 * float(work[asking].sum() / work.sum()), 1)
    print(f"  {row}", flush=True)
    return row


def mean_hours(waits: Ints, of: Mask) -> float | None:
    """Return the mean of some waits, h; None if there are none."""
    return round(float(waits[of].mean()) / HOUR, 3) if of.any() else None


def weighted_hours(responses: Ints, work: Floats, of: Mask) -> float | None:
    """Return the mean response time of some jobs, weighted by work, h; None if there are none."""
    return round(float(np.average(responses[of], weights=work[of])) / HOUR, 3) if of.any() else None


if __name__ == "__main__":
    main()
