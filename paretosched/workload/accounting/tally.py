"""What was dropped, changed or assumed while accounting became a log: how many jobs, and how much work."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from ...core.arrays import Floats, Ints
from ...core.errors import first_few
from ..log_names import Count

ACTIONS = ("dropped", "changed", "assumed")
FIRST = 4  # offenders that are remembered; three are shown


class Tally:
    """Counts of jobs and their work by reason, in the order in which reasons appear; and of jobs that still wait."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], tuple[int, float, list[str]]] = {}
        self.largest_job = 0  # the number of a job, also of one that is dropped
        self.waiting: dict[tuple[int, int], tuple[str, str]] = {}  # partitions and group, by number and submission

    def note(self, action: str, reason: str, line: Ints, job: Ints, work: Floats | Ints) -> None:
        """Count jobs.

        Parameters
        ----------
        action
            "dropped", "changed" or "assumed".
        reason
            What was wrong and what was done.
        line, job
            Line and job numbers, (k,); -1 for a job without a number.
        work
            (k,) processor seconds.
        """
        if not line.size:
            return
        jobs, sum_of_work, first = self._entries.get((action, reason), (0, 0.0, []))
        pairs = zip(line[:FIRST].tolist(), job[:FIRST].tolist(), strict=True)
        words = (f"line {at} (job {number})" if number >= 0 else f"line {at}" for at, number in pairs)
        first = [*first, *islice(words, max(0, FIRST - len(first)))]
        total = sum_of_work + float(np.sum(work, dtype=np.float64))
        self._entries[action, reason] = (jobs + int(line.size), total, first)

    def note_lines(self, action: str, reason: str, lines: Sequence[int]) -> None:
        """Count lines, by their numbers, of which neither the job nor its work is known."""
        line = np.array(lines, dtype=np.int64)
        self.note(action, reason, line, np.full(line.size, -1), np.full(line.size, np.nan))

    def forget(self, action: str, reasons: Sequence[str]) -> None:
        """Forget what was counted for some reasons."""
        for reason in reasons:
            self._entries.pop((action, reason), None)

    def note_log(self, reason: str, jobs: int) -> None:
        """Count an assumption about the log as a whole."""
        self._entries["assumed", reason] = (jobs, float("nan"), [])

    def counts(self) -> tuple[Count, ...]:
        """Return all counts, what was dropped first."""
        counts = [
            Count(action, reason, jobs, None if np.isnan(work) else int(work), first_few(first, jobs) if first else "")
            for (action, reason), (jobs, work, first) in self._entries.items()
        ]
        return tuple(sorted(counts, key=lambda count: ACTIONS.index(count.action)))
