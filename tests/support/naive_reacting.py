"""Users who react, written so simply that a reader can check it: what waits for what, and one loop over the seconds."""

from typing import NamedTuple

from paretosched import Workload
from support.naive import Job, Order, Pass, Started

HOUR = 3600


class Batch(NamedTuple):
    """Jobs that come together: their rows, when the first came, and the number of the batch before, None for none."""

    rows: list[int]
    begin: int
    after: int | None


def recorded_ends(w: Workload) -> list[int]:
    """Return when jobs ended in the log."""
    return [int(e + max(0, wait) + run) for e, wait, run in zip(w.eligible, w.wait, w.run, strict=True)]


def batches(w: Workload) -> list[Batch]:
    """Return the batches of a log, in the order of their first jobs."""
    end, submit, user = recorded_ends(w), w.submit.tolist(), w.user.tolist()
    result: list[Batch] = []
    for row in range(len(w)):
        own = [b for b in range(len(result)) if user[row] >= 0 and user[result[b].rows[0]] == user[row]]
        if own:
            rows = result[own[-1]].rows
            if submit[row] - submit[rows[-1]] < HOUR and submit[row] < max(end[r] for r in rows):
                rows.append(row)
                continue
        ended = [(max(end[r] for r in result[b].rows), b) for b in own]
        before = max(((when, b) for when, b in ended if when <= submit[row]), default=None)
        result.append(Batch([row], submit[row], None if before is None else before[1]))
    return result


def submissions(w: Workload, ends: dict[int, int]) -> dict[int, int]:
    """Return when the jobs are submitted of which that is known from the ends of those that have ended, by row."""
    recorded, all_batches = recorded_ends(w), batches(w)
    result = {}
    for batch in all_batches:
        begin = batch.begin
        if batch.after is not None:
            rows = all_batches[batch.after].rows
            if any(row not in ends for row in rows):
                continue
            think = batch.begin - max(recorded[row] for row in rows)
            last = max(ends[row] for row in rows)
            begin = last + think if think <= HOUR else max(batch.begin, last)
        result |= {row: begin + int(w.submit[row]) - batch.begin for row in batch.rows}
    return result


def simulate(w: Workload, order: Order, choose: Pass) -> tuple[dict[int, int], dict[int, int]]:
    """Return submissions and start times by row, of a rule as for `naive.run`."""
    start: dict[int, int] = {}
    ends: dict[int, int] = {}
    t = -1
    while len(start) < len(w):
        came = {row: when + int(w.eligible[row] - w.submit[row]) for row, when in submissions(w, ends).items()}
        finish = {row: start[row] + int(w.run[row]) for row in start.keys() - ends}
        t = min([when for when in came.values() if when > t] + list(finish.values()))
        ends |= {row: t for row in finish if finish[row] == t}
        when = submissions(w, ends)
        queue = sorted(
            (when[row] + int(w.eligible[row] - w.submit[row]), when[row], row) for row in when if row not in start
        )
        waiting = [_job(w, row, arrival) for arrival, _, row in queue if arrival <= t]
        running = [Started(_job(w, row, 0), start[row]) for row in start.keys() - ends]
        start |= {job.row: t for job in choose(t, order(t, waiting), running, w.capacity)}
    return submissions(w, {row: start[row] + int(w.run[row]) for row in start}), start


def _job(w: Workload, row: int, arrival: int) -> Job:
    return Job(row, arrival, int(w.run[row]), int(w.estimate[row]), int(w.width[row]), int(w.group[row]))
