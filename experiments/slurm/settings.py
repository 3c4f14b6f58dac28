"""The logs, the windows, the machines and the schedulers, as data."""

from __future__ import annotations

from typing import Any, NamedTuple

OBJECTIVE = "10*AWRT1 + 4*AWRT2"
TRAINED_UNTIL = 0.5  # share of the time of a log from which the policy learns; windows are drawn from the rest
TRAINING: dict[str, Any] = {"backfill": "easy", "criterion": "f4", "strategy": "cma", "scale": "log", "generations": 12}

RATE = 100  # how much faster than the real one the clock runs
WINDOWS = 10  # of each log
SEED = 0
SPACING = 20  # s between two submissions of what ran or waited at the beginning of a window
LEAD = 25.0  # real seconds before the first job: the cluster starts, and the daemon
LONGEST_LEAD = 100.0  # real seconds after which a cluster that does not start is given up
PASS = 1.2  # real seconds between two passes of the daemon: 120 s of the clock of the cluster


class Machine(NamedTuple):
    """How a log is replayed: nodes and processors of each, and the hours of a window."""

    nodes: int
    cpus: int
    hours: float


# As many processors as the logs have: KTH 100, CTC 338. A window has about a hundred jobs.
MACHINES = {"KTH": Machine(10, 10, 24), "CTC": Machine(13, 26, 10)}

FIRST_ONLY, ALL_JOBS = "bf_job_part_count_reserve=1", "bf_job_part_count_reserve=0"
# By default Slurm looks at ends of running jobs in steps of 30 s, 60 s, 120 s, ... when it plans a start; so the first
# job of the queue is planned too late, and jobs are backfilled that delay it. With this the steps are 30 s, 31 s, ...
DOUBLING, LINEAR = "", "bf_window_linear=1"
SLURM_CONF = "slurm.conf"  # of the cluster, read as a policy


class System(NamedTuple):
    """A scheduler on the real Slurm.

    Attributes
    ----------
    name, part
        Its name, and the part of the experiment to which it belongs.
    reserve, precision
        Words of SchedulerParameters: which waiting jobs have reservations, and how precisely their starts are planned.
    settings
        More lines of slurm.conf.
    deploys
        Whether the trained policy is deployed.
    twins
        Policies that are simulated on the same jobs; the first one is what the system should be. "" is the trained one.
    accounting
        Whether slurmdbd runs, with the groups as accounts of equal shares. Without it Slurm 22.05 computes priorities
        once, when jobs are submitted, so that ages count nothing.
    """

    name: str
    part: str
    reserve: str
    precision: str
    settings: dict[str, str]
    deploys: bool
    twins: tuple[str, ...]
    accounting: bool = False


GAIN, BACKFILLING, MULTIFACTOR, ACCOUNTED, AGAIN, BOUND = PARTS = (
    "gain",
    "backfilling",
    "multifactor",
    "accounted",
    "again",
    "bound",
)
STOCK, DEPLOYED, COARSE, RESERVING, REPEATED = "stock", "deployed", "coarse", "reserving", "stock again"
AGELESS, AGED, FAIR = "ageless", "multifactor", "fairshare"
WEIGHTS = {
    "PriorityWeightAge": "10000",
    "PriorityMaxAge": "1-0",
    "PriorityWeightJobSize": "8000",
    "PriorityFavorSmall": "YES",
    "PriorityCalcPeriod": "1",
}
FAIR_WEIGHTS = WEIGHTS | {"PriorityWeightFairshare": "20000", "PriorityDecayHalfLife": "1-0"}
SYSTEMS = (
    System(STOCK, GAIN, FIRST_ONLY, LINEAR, {}, False, ("easy", "conservative")),
    System(DEPLOYED, GAIN, FIRST_ONLY, LINEAR, {}, True, ("",)),
    System(COARSE, BACKFILLING, FIRST_ONLY, DOUBLING, {}, False, ("easy", "conservative")),
    System(RESERVING, BACKFILLING, ALL_JOBS, LINEAR, {}, False, ("conservative", "easy")),
    System(AGELESS, MULTIFACTOR, FIRST_ONLY, LINEAR, WEIGHTS, False, (SLURM_CONF, "easy")),
    System(AGED, ACCOUNTED, FIRST_ONLY, LINEAR, WEIGHTS, False, (SLURM_CONF, "easy"), accounting=True),
    System(FAIR, ACCOUNTED, FIRST_ONLY, LINEAR, FAIR_WEIGHTS, False, (SLURM_CONF, "easy"), accounting=True),
    System(REPEATED, AGAIN, FIRST_ONLY, LINEAR, {}, False, ("easy", "conservative")),
)


MENDED_ON = (
    "KTH 0",
    "KTH 1",
    "CTC 0",
)  # windows whose replays were looked at to mend the model of priority/multifactor
PAIRS_GOAL, OBJECTIVE_GOAL = 95.0, 3.0  # per cent

# A quick run: a made-up log of minutes on 32 processors, and a small training.
QUICK_LOGS = ("KTH",)
QUICK = {"jobs": 400, "processors": 32, "seed": 171}
QUICK_MACHINE = Machine(32, 1, 0.4)
QUICK_TRAINING = TRAINING | {"generations": 1}
QUICK_WINDOWS = 1
QUICK_LEAD = 10.0
QUICK_AT_ONCE = 2
QUICK_FASTER = 40  # times, so that its jobs last minutes instead of hours
QUICK_PARTS = (GAIN, BOUND)
