"""The numbers of a daemon for monitoring."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .records import write_metrics


class Counts:
    """What a daemon counts: passes, failures, changes that came through, refused ones, changes by others, odd jobs."""

    def __init__(self) -> None:
        self.passes = 0
        self.failures = 0
        self.changes = 0
        self.refused = 0
        self.foreign = 0
        self.damaged = 0
        self.odd = 0


def write_numbers(
    folder: Path,
    is_dry: bool,
    counts: Counts,
    is_up: bool,
    record: Mapping[str, Any] | None,
    more: Mapping[str, tuple[str, float, str]],
) -> None:
    """Write the numbers.

    Parameters
    ----------
    folder
        Where to.
    is_dry
        Whether nothing is changed.
    counts
        What the daemon has counted.
    is_up, record
        Whether the last pass did all that it should, and its line in the log; None if it has none.
    more
        Other numbers, as for `write_metrics`.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    numbers: dict[str, tuple[str, float, str]] = {
        "up": ("gauge", float(is_up), "1 if the last pass was complete, and its changes came through"),
        "dry_run": ("gauge", float(is_dry), "1 if nothing is changed"),
        "passes_total": ("counter", counts.passes, "complete passes"),
        "failures_total": ("counter", counts.failures, "passes in which Slurm did not answer, or changes were lost"),
        "changes_total": ("counter", counts.changes, "changes of site factors that came through"),
        "refused_total": ("counter", counts.refused, "changes that Slurm refused"),
        "foreign_total": ("counter", counts.foreign, "site factors that somebody else has changed"),
        "damaged_policies_total": ("counter", counts.damaged, "policy files that could not be read again"),
        "odd_jobs": ("gauge", counts.odd, "jobs left alone, since what Slurm says of them cannot be"),
        **more,
    }
    if record is not None:
        numbers |= {
            "last_pass_timestamp_seconds": ("gauge", record["time"], "Unix time of the last complete pass"),
            "last_pass_seconds": ("gauge", record["seconds"], "how long it took"),
            "waiting_jobs": ("gauge", record["waiting"], "jobs that wait"),
            "ranked_jobs": ("gauge", record["ranked"], "jobs that were put in order"),
        }
    write_metrics(folder, numbers)
