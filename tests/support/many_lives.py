"""Many lines of sacct, made as they are written: N lines on the standard output, in the order of submission.

    python -m support.many_lives 1000000 | paretosched import slurm - -o log.swf.gz

Five jobs of a hundred become eligible later; 900 users, 90 accounts, three partitions, and ends in any order.
"""

import random
import sys
from collections.abc import Iterator

from paretosched.workload.accounting.slurm import FIELDS

AT_ONCE = 5000
KINDS = 4096  # of jobs, which come again and again
SPAN = 31_000_000  # s, about a year
BEGIN = 1_700_000_000


def many_lives(count: int) -> Iterator[str]:
    """Yield the header and so many lines, some at a time."""
    yield "|".join(FIELDS) + "\n"
    r = random.Random(1)
    kinds = [_kind(r) for _ in range(KINDS)]
    for first in range(0, count, AT_ONCE):
        lines = []
        for job in range(first, min(first + AT_ONCE, count)):
            late, wait, run, rest = kinds[job * 2_654_435_761 % KINDS]
            submit = BEGIN + job * SPAN // count
            start = submit + late + wait
            times = f"{submit}|{submit + late}|{start}|{start + run}|{run}"
            lines.append(f"{job + 1000}|{job + 1000}|{times}|00:00:00|{rest}\n")
        yield "".join(lines)


def _kind(r: random.Random) -> tuple[int, int, int, str]:
    """Return what jobs have but their times: seconds until they are eligible, wait, run, and the other fields."""
    width, user = 2 ** r.randrange(8), r.randrange(900)
    nodes = -(-width // 16)
    tres = f"billing={width},cpu={width},mem={4000 * width}M,node={nodes}"
    state = r.choice(["COMPLETED"] * 8 + ["FAILED", "TIMEOUT"])
    names = f"user{user}|account{user % 90}|normal|{r.choice(['batch', 'long', 'gpu'])}"
    rest = f"{nodes}|{width}|{width}|{tres}|{tres}|{r.choice([60, 240, 1440])}|{state}|{names}|SchedBackfill|None"
    late = r.randrange(1, 9000) if r.random() < 0.05 else 0
    return late, r.randrange(40_000), r.randrange(1, 90_000), rest


if __name__ == "__main__":
    sys.stdout.writelines(many_lives(int(sys.argv[1])))
