"""Workloads in which a few seconds show what one part of a backfilling does, worked out by hand."""

from typing import NamedTuple

from paretosched import Workload
from support.naive_priority import Backfill
from support.prioritising import Rank
from support.zoo import jobs


class Case(NamedTuple):
    """A workload, a policy, and the start times by hand."""

    workload: Workload
    rank: Rank
    start: list[int]


def rank(order: str = "fcfs", candidates: str | None = None, **backfill: object) -> Rank:
    return Rank(order, candidates, Backfill(**backfill))  # type: ignore[arg-type]


# Job 1 needs 3 processors and has them at 10, job 2 needs all of them after it, and job 3 would run through both.
THROUGH = jobs(4, (0, 10, 10, 3), (1, 5, 5, 3), (2, 5, 5, 4), (3, 20, 20, 1))
# The same with groups: job 2 belongs to the second group.
SECOND = THROUGH.with_(group=[0, 0, 1, 0], groups=("1", "2"))
# Job 1 of the second group needs all processors; jobs 2 and 3 could run before it.
BEFORE = jobs(5, (0, 10, 10, 3, 0), (1, 5, 5, 5, 1), (2, 4, 4, 1, 0), (2, 6, 6, 1, 0))
# Job 1 needs all processors at 10; job 2 would run until 14.
BEYOND = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 12, 12, 1))
# Either job 2 or job 3 can run before job 1.
EITHER = jobs(4, (0, 10, 10, 2), (1, 5, 5, 4), (2, 8, 8, 2), (2, 3, 3, 2))
# The account of job 0 has used the machine, that of job 2 has not.
ACCOUNTS = jobs(2, (0, 10, 10, 2), (1, 5, 5, 2), (2, 5, 5, 2))

CASES = {
    "without reservations a job that does not fit ends the pass": Case(THROUGH, rank(), [0, 10, 15, 20]),
    "one reservation is EASY": Case(THROUGH, rank(reservations=1), [0, 10, 23, 3]),
    "a second reservation keeps the long job out": Case(THROUGH, rank(reservations=2), [0, 10, 15, 20]),
    "all jobs have one": Case(THROUGH, rank(reservations=None), [0, 10, 15, 20]),
    "only the first group has one": Case(SECOND, rank(reservations=8, entitled=frozenset({0})), [0, 10, 23, 3]),
    "only the second group has one": Case(SECOND, rank(reservations=8, entitled=frozenset({1})), [0, 10, 15, 20]),
    "without a group that has one every job that fits starts": Case(
        BEYOND, rank(reservations=8, entitled=frozenset()), [0, 14, 2]
    ),
    "requests of any length are backfilled": Case(BEFORE, rank(reservations=1), [0, 10, 2, 2]),
    "a group backfills with short requests while another waits": Case(
        BEFORE, rank(reservations=1, longest={0: 4}, named=frozenset({1})), [0, 10, 2, 15]
    ),
    "the limit holds only while that group waits": Case(
        BEFORE, rank(reservations=1, longest={0: 4}, named=frozenset({2})), [0, 10, 2, 2]
    ),
    "a reservation keeps its place": Case(BEYOND, rank(reservations=1), [0, 10, 15]),
    "a reservation slips": Case(BEYOND, rank(reservations=1, slack=4), [0, 14, 2]),
    "a reservation does not slip too far": Case(BEYOND, rank(reservations=1, slack=3), [0, 10, 15]),
    "in the second of its first place a reservation has not slipped": Case(
        jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (1, 12, 12, 1)), rank(reservations=1, slack=4), [0, 10, 15]
    ),
    "candidates in the order of the queue": Case(EITHER, rank(reservations=1), [0, 10, 2, 15]),
    "candidates in an order of their own": Case(EITHER, rank("fcfs", "sjf", reservations=1), [0, 10, 15, 2]),
    "the shortest job first": Case(EITHER, rank("sjf"), [0, 10, 15, 2]),
    "the account that has used less first": Case(
        ACCOUNTS,
        Rank("least used", accounts=(7, 7, 8), half_life=100.0),
        [0, 15, 10],
    ),
    "the account that was served first is the second one later": Case(
        jobs(2, (0, 10, 10, 2), (1, 30, 30, 2), (2, 5, 5, 2), (3, 5, 5, 2)),
        Rank("least used", accounts=(7, 8, 7, 8), half_life=100.0),
        [0, 10, 40, 45],
    ),
}
