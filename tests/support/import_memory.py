"""How much memory an import of many lives takes, without reading them from text: printed in KiB at its peak.

python -m support.import_memory JOBS SHARE-OF-JOBS-THAT-BECAME-ELIGIBLE-LATER OUTPUT
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from paretosched.core.limits import reading_limits
from paretosched.workload.accounting.importing import ImportSettings, import_lives
from paretosched.workload.accounting.lives import Block, Numberings
from paretosched.workload.accounting.tally import Tally

AT_ONCE = 10_000


def blocks(count: int, share: float) -> Iterator[Block]:
    """Yield job lives of a year."""
    r = np.random.default_rng(1)
    for first in range(0, count, AT_ONCE):
        job = np.arange(first + 1, min(first + AT_ONCE, count) + 1)
        submit = 1_700_000_000 + job * 31_000_000 // count
        eligible = submit + np.where(r.random(job.size) < share, r.integers(1, 9000, job.size), 0)
        yield Block(
            line=job,
            job=job,
            submit=submit,
            eligible=eligible,
            start=eligible + r.integers(0, 40_000, job.size),
            run=r.integers(1, 90_000, job.size),
            limit=60 * r.integers(30, 2000, job.size),
            width=r.integers(1, 128, job.size),
            status=np.ones_like(job),
            mark=np.zeros_like(job),
            memory=np.full_like(job, -1),
            nodes=np.full_like(job, -1),
            gpus=np.full_like(job, -1),
            nice=np.zeros_like(job),
            per_node=np.zeros_like(job),
            exclusive=np.zeros_like(job),
            shape=np.zeros_like(job),
            array=np.zeros_like(job),
            index=np.zeros_like(job),
            user=[f"user{number % 900}" for number in job.tolist()],
            group=["a"] * job.size,
            queue=["normal"] * job.size,
            partition=["batch"] * job.size,
            constraint=[""] * job.size,
            part_of=np.zeros_like(job),
        )


if __name__ == "__main__":
    jobs, later, path = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    settings = ImportSettings("slurm", "account")
    with reading_limits(jobs=jobs):
        import_lives(blocks(jobs, later), Numberings(), Tally(), settings, "here", path, lambda done, goal: None)
    match = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    assert match is not None
    print(match.group(1))
