"""The simulations, as data (paper 004, sections 8 and 9)."""

from __future__ import annotations

from paretosched.policies.time_sharing import Optimisation, TimeSharing

JOBS, PROCESSORS = 10_000, 128
# The paper's numbers, as labels: its generator is another program, and no seed gives its workloads (specification B.4).
SEEDS = (71, 31, 73, 35, 7)
SPREAD = tuple(range(1000, 1020))
# The paper's inter-arrival times are those of a port of the model that has no carry from one call to the next.
# With the carry the load is lower. Both are run for the five seeds; the spread has no carry.
CARRIES = {"": False, " (carry)": True}
LANL_JOBS = 10_000  # the first jobs of the log
# A run beyond its request is cut, or its request raised. The machine did not cut, and the paper's Table 6 has all work.
LANL = ("LANL", "LANL, requests raised")

PLAIN = TimeSharing()
OPTIMISED = TimeSharing(optimisation=Optimisation())
BOTTOM = Optimisation(method="bottom-line", search="dds", permutations=200)
SYSTEMS: dict[str, TimeSharing] = {
    "TSL": PLAIN,
    "Opt-TSL": OPTIMISED,
    "Opt-TSL, first level": TimeSharing(optimisation=Optimisation(second_level=False)),
    "Opt-TSL, not dynamic": TimeSharing(optimisation=Optimisation(dynamic=False)),
    "bottom line": TimeSharing(optimisation=BOTTOM),
    "TSL, own jobs only": TimeSharing(backfill=False),
    "Opt-TSL, own jobs only": TimeSharing(backfill=False, optimisation=Optimisation()),
    "bottom line, own jobs only": TimeSharing(backfill=False, optimisation=BOTTOM),
}
# What the paper leaves open, one value changed at a time, on the first workload: interval, choice among candidates, ...
OPEN: dict[str, dict[str, object]] = {
    "interval 1800 s": {"interval": 1800},
    "interval 7200 s": {"interval": 7200},
    "interval 10800 s": {"interval": 10800},
    "slowdown not rounded": {"ceiling": False},
    "best only": {"candidates": 1},
    "no shifts": {"force_shift": 0.0},
    "lds": {"search": "lds"},
    "dds": {"search": "dds"},
    "threshold 3": {"threshold": 3},
}
GROUP_SIZES = (10, 20, 30, 40)  # Figure 15, of medium and of long jobs
TRAINING = {"objective": "10*AWRT1 + 4*AWRT2", "backfill": "easy", "criterion": "f4", "strategy": "cma", "scale": "log"}
GENERATIONS = 5
QUICK = {"jobs": 400, "processors": 64, "seeds": 1, "spread": 2, "generations": 1}
