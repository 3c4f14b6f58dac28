"""Run `paretosched deploy` beside a cluster whose clock is faster than the real one.

libfaketime is for Slurm's programs: in Python, waiting under it fails. So only `time.time` is that of the cluster here,
and periods and time-outs are those of the real clock. Arguments: the Unix time of the cluster at a reading of the
monotonic clock, this reading, the rate, and the words of the command line.
"""

from __future__ import annotations

import os
import sys
import time

from paretosched.cli import main

CLIENTS_PRELOAD = "CLIENTS_LD_PRELOAD"  # of squeue, sprio and scontrol

if __name__ == "__main__":
    fake, real, rate = map(float, sys.argv[1:4])
    time.time = lambda: fake + rate * (time.monotonic() - real)
    os.environ["LD_PRELOAD"] = os.environ.pop(CLIENTS_PRELOAD)
    sys.exit(main(sys.argv[4:]))
