"""When jobs arrive: some wait for others, and some are refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from support.naive_limits import SUBMITTED, has_limits, held_by, refused_by
from support.naive_machine import After, Busy, Job, Machine, partitions_of


def submission_of(job: Job) -> int:
    """Return when a job was submitted."""
    return job.arrival if job.submitted is None else job.submitted


def arrivals_of(
    machine: Machine, jobs: Sequence[Job], runs: Mapping[int, Busy], told: Sequence[Job] = ()
) -> dict[int, int]:
    """Return when jobs arrive, by row, as far as the runs of others say it; jobs that are refused do not.

    `told` are the jobs as they were submitted, if some of them wait again since later seconds. A job is not there for
    a singleton if it was refused.
    """
    refused = refused_rows(machine, told or jobs, runs)
    taken = [job._replace(after=tuple(beside(after, refused) for after in job.after)) for job in jobs]
    found = {job.row: let_at(machine, job, taken, runs) for job in taken if job.row not in refused}
    return {row: second for row, second in found.items() if second is not None}


def beside(after: After, refused: set[int]) -> After:
    """Return what a job waits for, without the jobs that were refused if they have only the same name."""
    return after._replace(rows=tuple(row for row in after.rows if after.kind != "singleton" or row not in refused))


def arriving(jobs: Iterable[Job], arrivals: Mapping[int, int], t: int) -> list[Job]:
    """Return the jobs that arrive in second t; they keep their submission."""
    there = [job for job in jobs if arrivals.get(job.row) == t]
    return [job if job.arrival == t else job._replace(arrival=t, submitted=submission_of(job)) for job in there]


def let_at(machine: Machine, job: Job, jobs: Sequence[Job], runs: Mapping[int, Busy]) -> int | None:
    """Return when the last of the others lets a job arrive, with `any_of` the first one; None if it is not known."""
    moments = [let_by(machine, job, after, jobs, runs) for after in job.after]
    known = [moment for moment in moments if moment is not None]
    if job.any_of and moments:
        return max(job.arrival, min(known)) if known else None
    return max([job.arrival, *known]) if len(known) == len(moments) else None


def let_by(machine: Machine, job: Job, after: After, jobs: Sequence[Job], runs: Mapping[int, Busy]) -> int | None:
    """Return when others let a job arrive, None if that is not known, or never.

    What happens in the pass of a second counts from the next one on: the start of a job, and the end of one that runs
    for no time.
    """
    rows = after.rows
    if after.kind == "aftercorr":  # the task of the same index
        of_index = {other.row: other.array[1] for other in jobs if other.array is not None}
        rows = tuple(row for row in rows if job.array is not None and of_index.get(row) == job.array[1])
    gone = {row: gone_at(machine, jobs, row, runs) for row in rows if row not in runs}
    if any(second is None for second in gone.values()):
        return None
    if gone:  # cancelled before they ran
        ends = [second for second in gone.values() if second is not None]
        ends += [runs[row].end for row in rows if row in runs]
        return max(ends) if after.kind in ("afterany", "afternotok", "singleton") else None
    others = [runs[row] for row in rows]
    bad = [run for run in others if run.job.fails or run.end - run.begin < run.job.run]  # it was ended at its limit
    if after.kind in ("afterok", "aftercorr") and bad:
        return None
    if after.kind == "afternotok" and not bad:
        return None
    moments = [run.begin + after.seconds if after.kind == "after" else run.end for run in others]
    moments = [max(moment, run.begin + 1) for moment, run in zip(moments, others, strict=True)]
    return max(moments, default=job.arrival)


def gone_at(machine: Machine, jobs: Sequence[Job], row: int, runs: Mapping[int, Busy]) -> int | None:
    """Return when a job is cancelled because it waits for what cannot happen any more; None if it is not.

    That is as soon as one of those that it waits for has ended otherwise, or is gone itself.
    """
    job = next(job for job in jobs if job.row == row)
    if not machine.kill_invalid or job.stays or job.any_of:
        return None
    seconds = []
    for after in job.after:
        for other in after.rows:
            run = runs.get(other)
            failed = run is not None and (run.job.fails or run.end - run.begin < run.job.run)
            if run is None and after.kind == "afterok":
                seconds.append(gone_at(machine, jobs, other, runs))
            elif run is not None and after.kind in ("afterok", "afternotok") and failed == (after.kind == "afterok"):
                seconds.append(run.end)
    return min((second for second in seconds if second is not None), default=None)


def refused_rows(machine: Machine, jobs: Sequence[Job], runs: Mapping[int, Busy]) -> set[int]:
    """Return the rows of jobs that are refused at submission, as far as it is known; of an array all tasks.

    One that names a job that was refused is refused, too.
    """
    refused: set[int] = set()
    denies = any("DenyOnLimit" in flags for flags in machine.flags.values())
    if not (denies or has_limits(machine, (*SUBMITTED, "MaxSubmit"))):
        return refused
    before: list[Job] = []
    for job in sorted(jobs, key=lambda job: (submission_of(job), job.row)):
        tasks = {job.row} if job.array is None else {o.row for o in jobs if o.array and o.array[0] == job.array[0]}
        there = [
            (other, partitions_of(machine, other)[0].name)
            for other in before
            if other.row not in tasks and is_there(machine, jobs, other, runs, submission_of(job))
        ]
        after = [each for other in jobs if other.row in tasks for each in other.after if each.kind != "singleton"]
        named = {row for each in after for row in each.rows}
        if named & refused or refused_by(machine, job, partitions_of(machine, job)[0], there, len(tasks)):
            refused |= tasks
        else:
            before.append(job)
    return refused


def is_there(machine: Machine, jobs: Sequence[Job], job: Job, runs: Mapping[int, Busy], t: int) -> bool:
    """Return whether a job that was submitted before second t waits or runs then."""
    end = runs[job.row].end if job.row in runs else gone_at(machine, jobs, job.row, runs)
    return end is None or end > t


def held_check(machine: Machine, jobs: Sequence[Job], schedule: Mapping[int, Busy]) -> Iterator[str]:
    """Yield what is wrong with a schedule: jobs that start too early after others, beside others, or at all.

    A job may not break a limit beside those that began in seconds before and still run. Of those that begin in the
    same second nobody can say which one came first.
    """
    arrivals = arrivals_of(machine, jobs, schedule)
    for row, run in schedule.items():
        if run.begin < arrivals.get(row, run.begin + 1):
            yield f"job {row} starts at {run.begin}, and arrives at {arrivals.get(row)}"
        running = [other for other in schedule.values() if other.begin < run.begin < other.end]
        if reason := held_by(machine, run.job, machine.partitions[run.partition], running, run.begin, run.held):
            yield f"job {row} starts at {run.begin}, but is held by {reason}"
