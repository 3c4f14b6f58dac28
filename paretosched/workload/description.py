"""Describe a workload in numbers and tables that people can read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arrays import Ints
from ..core.errors import number_of
from ..core.situations import SITUATIONS
from ..core.tables import Column, table
from .calendar import LATEST, find_zone
from .machine_description import describe_machine, describe_requests, machine_words, requests_table
from .plausibility import doubts, offered_load, offered_loads
from .recorded_fit import waits_table, waits_text
from .reopening import WorkloadLike, as_workload
from .user_groups import group_table
from .workload import Workload

QUANTILES = {"min": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}
MEASURED = {
    "run": "run time s",
    "estimate": "requested time s",
    "width": "processors",
    "interarrival": "next job after s",
}
GROUPS = (
    Column("group", "group"),
    Column("users", "users", ",d"),
    Column("jobs", "jobs", ",d"),
    Column("work_percent", "work %", ".1f"),
)
SHARES = (
    Column("situation", "situation"),
    Column("jobs_percent", "jobs %", ".1f"),
    Column("work_percent", "work %", ".1f"),
)
REPAIRS = (
    Column("action", "action"),
    Column("jobs", "jobs", ",d"),
    Column("reason", "reason"),
    Column("work_percent", "% of work cut", ".2f"),
    Column("first", "first"),
)
IF_CUT = Column("if_cut_percent", "% of work, if cut", ".2f")  # only where requests were raised


def describe(workload: WorkloadLike) -> dict[str, Any]:
    """Return a description of a workload in plain values, ready for JSON; None means undefined.

    Parameters
    ----------
    workload
        Any workload; or the path of a log or of a run directory.

    Returns
    -------
    dict
        name; doubts (sentences, see `plausibility.doubts`); digest, jobs, users, capacity, zone; first_submit and
        last_submit (local wall clock); span_days between them; work (processor seconds); load (work / capacity /
        span); loads (the same of memory and GPUs, as far as nodes give them out); serial_percent;
        recorded_waits_percent;
        later (the jobs that were not eligible when they were submitted: their number, their share of the work in per
        cent, and the quantiles of the seconds until then; None if there are none);
        waiting (the recorded waits by partition, queue and group, and for how much of them the jobs would have fit, see
        `recorded_fit.waits_table`; None if none is recorded);
        down (how many processor hours were down until the last submission or down time, their per cent of the
        machine, and the most processors at one time; None if all were always up);
        machine (its nodes, see `machine_description.describe_machine`) and requests (what jobs ask of them, by
        partition); None and empty on a pool of processors;
        quantiles of run, estimate, interarrival (s) and width; groups, situations, repairs (tables, lists of dict).

    Examples
    --------
    >>> w = Workload(submit=[0, 86400], run=[86400, 1], estimate=[86400, 1], width=[4, 2], capacity=8)
    >>> info = describe(w)
    >>> info["first_submit"], info["span_days"], round(info["load"], 4), info["quantiles"]["width"]["max"]
    ('2000-01-03 00:00:00+00:00', 1.0, 0.5, 4)
    """
    w = as_workload(workload)
    span = int(w.submit[-1] - w.submit[0])
    users = w.user[w.user >= 0]
    return {
        "name": w.name,
        "doubts": list(doubts(w)),
        "digest": w.digest,
        "jobs": len(w),
        "users": int(np.unique(users).size),
        "capacity": w.capacity,
        "zone": w.zone,
        "first_submit": _wall_clock(w, int(w.submit[0])),
        "last_submit": _wall_clock(w, int(w.submit[-1])),
        "span_days": span / 86400,
        "work": w.work,
        "load": offered_load(w),
        "loads": offered_loads(w),
        "serial_percent": 100 * float((w.width == 1).mean()),
        "recorded_waits_percent": 100 * float((w.wait >= 0).mean()),
        "later": _later(w),
        "waiting": waits_table(w),
        "down": down_share(w),
        "machine": None if w.machine is None else describe_machine(w.machine),
        "requests": describe_requests(w),
        "quantiles": {
            "run": _quantiles(w.run),
            "estimate": _quantiles(w.estimate),
            "width": _quantiles(w.width),
            "interarrival": _quantiles(np.diff(w.submit)),
        },
        "groups": group_table(w),
        "situations": _situations(w),
        "repairs": [repair._asdict() for repair in w.repairs],
    }


def description_text(about: Mapping[str, Any]) -> str:
    """Return what `describe` returns as lines and tables for a terminal.

    Examples
    --------
    >>> w = Workload(submit=[0, 86400], run=[86400, 1], estimate=[86400, 1], width=[4, 2], capacity=8)
    >>> print(description_text(describe(w)).splitlines()[3])
      offered load 0.500; serial jobs 0.0 %; recorded waits for 0.0 %
    """
    size = number_of(about["capacity"], "processor")
    size = size if about["machine"] is None else machine_words(about["machine"])
    load = "-" if about["load"] is None else f"{about['load']:.3f}"
    quantiles = [{"what": words, **(about["quantiles"][key] or {})} for key, words in MEASURED.items()]
    tables = [
        table(quantiles, [Column("what", "quantiles"), *(Column(k, k, ",d") for k in about["quantiles"]["run"])]),
        table(about["groups"], GROUPS),
        table(about["situations"], SHARES),
        *([requests_table(about["requests"])] if about["requests"] else []),
        *([waits_text(about["waiting"], about["machine"] is not None)] if about["waiting"] else []),
        _repair_table(about["repairs"]) if about["repairs"] else "nothing was dropped or repaired",
    ]
    return (
        f"{about['name']}\n"
        f"  {number_of(about['jobs'], 'job')} of {number_of(about['users'], 'user')} on {size}\n"
        f"  submitted {about['first_submit']} to {about['last_submit']}, {about['zone']}: "
        f"{about['span_days']:.1f} days\n"
        f"  offered load {load}; serial jobs {about['serial_percent']:.1f} %; "
        f"recorded waits for {about['recorded_waits_percent']:.1f} %\n"
        f"{_machine_text(about)}{_later_text(about)}{_down_text(about)}\n"
    ) + "\n\n".join(tables)


def _repair_table(repairs: Sequence[Mapping[str, Any]]) -> str:
    """Return what was dropped or repaired as a table; what cutting would take only where requests were raised."""
    raised = any(repair["if_cut_percent"] is not None for repair in repairs)
    return table(repairs, [*REPAIRS[:-1], IF_CUT, *REPAIRS[-1:]] if raised else REPAIRS)


def _machine_text(about: Mapping[str, Any]) -> str:
    """Return lines on the load of other resources and on partitions; "" on a pool of processors."""
    machine = about["machine"]
    if machine is None:
        return ""
    loads = ", ".join(f"of {what} {load:.3f}" for what, load in about["loads"].items())
    weighed = "" if not loads else f"  offered load {loads}; work is weighed by the largest share of a resource\n"
    parts = number_of(len(machine["partitions"]), "partition")
    site = []
    if machine["limits"]:
        qos = sum("qos" in each for each in machine["limits"])
        others = len(machine["limits"]) - qos
        site.append(f"limits of {qos:,} QOS and of {others:,} accounts or users")
    if machine["reservations"]:
        hours = sum(each["node_hours"] for each in machine["reservations"])
        site.append(f"{number_of(len(machine['reservations']), 'reservation')} of {hours:,.1f} node hours")
    of_site = f"  {'; '.join(site)}: paretosched machine lists them\n" if site else ""
    return f"{weighed}  {parts}: paretosched machine draws them, and the nodes\n{of_site}"


def _later(workload: Workload) -> dict[str, Any] | None:
    """Return how many jobs were not eligible when they were submitted, and their work; None if all were."""
    seconds = workload.eligible - workload.submit
    later = seconds > 0
    if not later.any():
        return None
    work = int(workload.run[later] @ workload.width[later])
    return {
        "jobs": int(np.count_nonzero(later)),
        "work_percent": 100 * work / workload.work,
        "seconds": _quantiles(seconds[later]),
    }


def _later_text(about: Mapping[str, Any]) -> str:
    """Return a line on the jobs that were not eligible when they were submitted; "" without any."""
    later = about["later"]
    if later is None:
        return ""
    return (
        f"  eligible after their submission: {number_of(later['jobs'], 'job')} with "
        f"{later['work_percent']:.1f} % of the work, half of them {later['seconds']['median']:,} s or more later\n"
    )


def down_share(workload: Workload) -> dict[str, Any] | None:
    """Return how much of a machine was down, from the first submission to the last one or the last down time.

    Examples
    --------
    >>> from .down_times import DownTimes
    >>> w = Workload(submit=[0, 7200], run=[1, 1], estimate=[1, 1], width=[4, 2], capacity=8,
    ...              down=DownTimes([3600], [10800], [2]))
    >>> down_share(w)
    {'processor_hours': 4.0, 'percent': 16.666666666666668, 'most': 2}
    """
    if workload.down is None:
        return None
    first = int(workload.submit[0])
    last = max(int(workload.submit[-1]), workload.down.last_end)
    seconds = workload.down.processor_seconds(first, last)
    return {
        "processor_hours": seconds / 3600,
        "percent": 100 * seconds / (workload.capacity * max(last - first, 1)),
        "most": workload.down.most,
    }


def _down_text(about: Mapping[str, Any]) -> str:
    """Return a line on the processors that were down; "" if all were always up."""
    down = about["down"]
    if down is None:
        return ""
    return (
        f"  down: {down['processor_hours']:,.1f} processor hours, {down['percent']:.2f} % of the machine; at most "
        f"{number_of(down['most'], 'processor')} at one time\n"
    )


def _wall_clock(workload: Workload, second: int) -> str | None:
    """Return the local date and time of a second of the log; None after the year 9000."""
    unix = workload.epoch + second
    return dt.datetime.fromtimestamp(unix, find_zone(workload.zone)).isoformat(" ") if unix < LATEST else None


def _quantiles(values: Ints) -> dict[str, int] | None:
    """Return the quantiles of some values by name; None if there are no values."""
    if not values.size:
        return None
    # this method returns only values that occur in the log
    quantiles = np.quantile(values, list(QUANTILES.values()), method="inverted_cdf")
    return dict(zip(QUANTILES, quantiles.astype(np.int64).tolist(), strict=True))


def _situations(workload: Workload) -> list[dict[str, Any]]:
    """Return the shares of the jobs and of the work that are submitted at weekends, by day and by night."""
    place = np.searchsorted(workload.calendar.begin, workload.submit, side="right") - 1
    kind = workload.calendar.kind[place]
    work = workload.run * workload.charge
    jobs_share = 100 * np.bincount(kind, minlength=len(SITUATIONS)) / len(workload)
    work_share = 100 * np.bincount(kind, work, len(SITUATIONS)) / work.sum()
    return [
        {"situation": name, "jobs_percent": float(jobs_share[i]), "work_percent": float(work_share[i])}
        for i, name in enumerate(SITUATIONS)
    ]
