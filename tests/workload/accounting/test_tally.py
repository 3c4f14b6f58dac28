import numpy as np

from paretosched.workload.accounting.tally import Tally
from paretosched.workload.log_names import Count


def test_jobs_and_work_are_summed_by_reason_with_the_first_ones() -> None:
    tally = Tally()
    for first in (1, 4):
        lines = np.arange(first, first + 3)
        tally.note("changed", "odd", lines, lines % 2 - 1, lines * 10)
    tally.note("dropped", "bad", np.array([9]), np.array([3]), np.array([0]))
    tally.note("dropped", "none", np.array([], dtype=np.int64), np.array([]), np.array([]))
    tally.note_lines("dropped", "damaged", [8, 9])
    tally.note_log("utc", 5)
    assert tally.counts() == (
        Count("dropped", "bad", 1, 0, "line 9 (job 3)"),
        Count("dropped", "damaged", 2, None, "line 8, line 9"),
        Count("changed", "odd", 6, 210, "line 1 (job 0), line 2, line 3 (job 0), ..."),
        Count("assumed", "utc", 5, None, ""),
    )
