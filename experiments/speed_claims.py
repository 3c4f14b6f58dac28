"""What documents say about how long things take, with what memory, and how many workers are kept busy.

The numbers are those of `results/speed`, beside some of explorations.
"""

from __future__ import annotations

from itertools import chain
from statistics import mean

from experiments.claims import CLUSTER, HOUSE, IMPORTING, SLURM, SPEED, TOOLS, Claim, measurement
from experiments.quoted import (
    PEERS,
    Results,
    Row,
    column,
    ends,
    goal,
    in_words,
    milliseconds,
    of_two_cores,
    slowest,
    table4,
)

CRITERIA = ("Greedy f1", "Greedy f2", "Greedy f3", "Greedy f4")
SEQUENCES = ("nsga-adjacent", "nsga-swap", "nsga2-swap", "nsga2-later", "nsga2-group")
EASY_TOO = tuple(f"{name} with EASY" for name in CRITERIA)
LARGE = 1024  # workers
DRAWN = (0.02, 0.3)  # s, as in the benchmark
GROWTH = 2.5  # likewise
ROWS_OF_CLUSTER = 6  # of the table
DECODED_ORDERS = [
    f"{name} order, {how}" for how in ("strict", "earliest") for name in ("order_of_submission", "random_order")
]
SLACK = [f"deep slack{what}" for what in ("", " at once", " jobs", " time", " time without")]
MOVED = ("deep moves", "deep moves jobs")
WITH_GOALS = (("FCFS",), ("EASY",), CRITERIA, EASY_TOO, ("CONS",), ("CONS replan",))  # rows of the table of speed


def row_of_speed(scheduler: str, *policies: str, digits: int = 2, aim: bool = True) -> Claim:
    """Return the claim of a row of the table of speed: the slowest of some policies; the goal is the benchmark's."""
    return Claim(
        SPEED,
        f"| {scheduler} | {{:.{digits}f}} | {{:.{digits}f}} |" + (" {:g} |" if aim else ""),
        lambda r: (
            slowest(r, policies, "CTC-SP2"),
            slowest(r, policies),
            *([goal(policies[0])] if aim else []),
        ),
    )


def of_many_workers(results: Results) -> tuple[float, ...]:
    """Return how many workers, and what a sequence costs one of them: told, untold and alone, in both decodings."""
    workers, jobs = results.measurements("sequences of many workers", "sequences of many jobs")
    strict, earliest = (results.measurements(f"sequences, {how}")[0] for how in ("strict", "earliest fit"))
    of_strict, of_earliest = (results.measurements(f"sequences, {how}, of 64") for how in ("strict", "earliest fit"))
    return workers, of_strict[0], jobs, of_strict[1], strict, *of_earliest, earliest


def rows_of_cluster(results: Results) -> list[Row]:
    """Return the measurements of simulated clusters that two cores can keep busy."""
    return [row for row in results.rows("speed/cluster") if int(row["workers"]) < LARGE]


def rows_of_large_cluster(results: Results) -> list[Row]:
    """Return the measurements of a simulated cluster that is too large for two cores, by mean sleep and lag."""
    return [row for row in results.rows("speed/cluster") if int(row["workers"]) == LARGE]


def _of_large(row: Row) -> tuple[float, float, float, float]:
    """Return of a measurement the workers, the lag, the schedules a second, and per cent of the time at work."""
    rate = float(row["evaluations"]) / float(row["wall"])
    return float(row["workers"]), float(row["lag"]), rate, 100 * float(row["efficiency"])


SPEED_CLAIMS: tuple[Claim, ...] = (
    row_of_speed("FCFS", "FCFS"),
    row_of_speed("List", "List", aim=False),
    row_of_speed("EASY", "EASY"),
    row_of_speed("Greedy, slowest of f1 to f4, random weights", *CRITERIA),
    row_of_speed("Greedy with EASY, likewise", *EASY_TOO),
    row_of_speed("CONS", "CONS", digits=1),
    row_of_speed("CONS replan", "CONS replan", digits=1),
    Claim(
        SPEED,
        "{} goal of these is missed",
        lambda r: [in_words(sum(slowest(r, policies) > goal(policies[0]) for policies in WITH_GOALS))],
    ),
    measurement(SPEED, "the time per job grows by at most {:.0f} % a decade", "growth"),
    measurement(SPEED, "there it is {:.2f} to {:.2f} times a decade", "growth of deep queues"),
    measurement(SPEED, "a queue twice as deep, take {:.1f} to {:.1f} times as long", "deep EASY"),
    measurement(
        SPEED,
        "take EASY {:.1f} to {:.1f} times as long, and conservative backfilling {:.1f} to {:.1f} times: it moves",
        "deep EASY at once",
        "deep CONS",
    ),
    Claim(
        SPEED,
        "{:.1f} to {:.1f} times as many reservations, {:.0f} a job where there are {:,.0f} jobs and {:.0f} a job where "
        "there are {:,.0f}",
        lambda r: (
            *r.measurements("deep moves growth"),
            *chain.from_iterable(zip(*(r.measurements(name) for name in MOVED), strict=True)),
        ),
    ),
    measurement(SPEED, "Planned again it takes {:.1f} to {:.1f} times as long", "deep replan"),
    measurement(SPEED, "EASY again at each review, {:.1f} to {:.1f} times", "deep guarded"),
    Claim(SPEED, "The goal of `make bench` for all of these is {:g}", lambda _: [GROWTH]),
    measurement(SPEED, "a second take {:.1f} to {:.1f} times as long, and at once {:.1f} to {:.1f} times", *SLACK[:2]),
    measurement(SPEED, "{:,.0f} that come one a second took {:.0f} s, and {:.1f} s without slack", *SLACK[2:]),
    measurement(
        SPEED,
        "needs at most {:.0f} bytes a job beyond the workload there, and {:.0f} if nearly all jobs wait",
        "memory",
        "memory of deep queues",
    ),
    Claim(
        SPEED,
        "An order of CTC's {:,.0f} jobs becomes a schedule in {:.0f} to {:.0f} ms strictly and in {:.0f} to {:.0f} ms "
        "by earliest fit on the machine of the table. On a slower one, exploring {:,.0f} schedules of CTC at 1024 "
        "took {:.0f} s on two cores, {:.2f} times half the CPU time of its simulations ({:.0f} ms each), and {:.0f} s "
        "another time; with its moves, a strict sequence cost {:.1f} to {:.1f} ms of CPU time there",
        lambda r: (
            r.value("ctc1024/baseline", "jobs", seed="0"),
            *(r.value("speed/kernels", "ms", trace="CTC-SP2", policy=name) for name in DECODED_ORDERS),
            *table4(r, "weighting", "evaluations", "wall_seconds"),
            1 / of_two_cores(r, "weighting"),
            *milliseconds(r, "weighting"),
            r.value("ctc1024/explorations", "wall_seconds", name="easy"),
            *ends(milliseconds(r, *SEQUENCES)),
        ),
    ),
    measurement(
        SPEED,
        "take {:.1f} to {:.1f} times as long as EASY on CTC, random ones {:.1f} to {:.1f}",
        "trained rules",
        "random rules",
    ),
    measurement(
        SPEED,
        "missed three goals: {:.2f} S for EASY on CTC, {:.2f} for learned-f1 on LANL and {:.1f} for an order as",
        "other machine EASY",
        "other machine learned-f1",
        "other machine multifactor",
    ),
    measurement(
        SPEED,
        "was explored {:.2f} to {:.2f} times as fast, by NSGA-II {:.2f} to {:.2f} times",
        "threads weighting",
        "threads weighting, nsga2",
    ),
    measurement(
        SPEED,
        "nothing of each other did {:.2f} to {:.2f} times the work of one with strict sequences of CTC at 1024",
        "two processes",
    ),
    measurement(
        SPEED,
        "took {:g} to {:g} s for two thousand schedules of KTH, start included, where threads took {:g} s",
        "two workers",
        "no workers",
    ),
    Claim(
        CLUSTER,
        "one of {:g} workers takes {:.2f} ms of CPU for a strict sequence of {:,.0f} jobs instead of {:.2f} (a worker "
        "that has simulated all: {:.2f}), and by earliest fit {:.2f} instead of {:.2f} ({:.2f}; `make bench`)",
        of_many_workers,
    ),
    Claim(
        CLUSTER,
        "of a log of {:,.0f} jobs take {:.1f} times as long",
        lambda r: (r.value("ctc1024/baseline", "jobs", seed="0"), *r.measurements("memory given back")),
    ),
    Claim(
        SPEED,
        "of {:,.0f} that trainings tried on SDSC00 half took {:.1f} s, and the worst {} minutes",
        lambda r: (
            *r.measurements("worst rule bases", "worst rule bases median"),
            in_words(r.measurements("worst rule base")[0] / 60),
        ),
    ),
    measurement(
        HOUSE, "after a plain `pip install .`, it is {:g} GB instead of {:g}", "installed without the rule", "installed"
    ),
    Claim(
        IMPORTING,
        "Ten million lines of sacct take {} to {} minutes of one core and {:g} GB of memory, and {:g} GB of disk",
        lambda r: (
            *(in_words(seconds / 60) for seconds in r.measurements("import of ten million lines")),
            *r.measurements("import memory", "import disk"),
        ),
    ),
    measurement(IMPORTING, "{:g} bytes a job, and {:g} more for", "import bytes a job", "import bytes a later job"),
    measurement(IMPORTING, "{:g} MB; a log that is read takes {:g}.", "import memory of few", "bytes a job of a log"),
    measurement(SLURM, "takes less than {:g} MB for 10,000 waiting jobs", "deploy memory"),
    measurement(
        SLURM, "(processor time of the daemon) | {:g} s | {:g} s |", "deploy pass of 1000", "deploy pass of 10000"
    ),
    measurement(SLURM, "do other work as well | {:g} to {:g} s |", "deploy quiet pass"),
    measurement(
        SLURM,
        "a message costs {:g} ms of processor time in slurmctld, {:g} to {:g} ms in munged, and {:g} ms in scontrol",
        "message slurmctld",
        "message munged",
        "message scontrol",
    ),
    measurement(
        SLURM, "1,000 changes took {:g} to {:g} s; by one scontrol {:g} to {:g} s", "first pass", "first pass by one"
    ),
    measurement(
        SLURM,
        "with a load average of {:g} to {:g}, a first pass took {:g} to {:g} s; {:g} to {:g} s with one scontrol",
        "load",
        "loaded first pass",
        "loaded first pass by one",
    ),
    measurement(SLURM, "computes once a period ({:g} of 1,000 points at most)", "sprio"),
    measurement(SLURM, "the classic factor ({:g} of 10,000 at most)", "sprio classic"),
    Claim(SLURM, "all {:g} pairs of jobs are in the same order", lambda _: [30 * 29 / 2]),
    measurement(SLURM, "starts with {:g} to {:g} s of processor time", "deploy start"),
    measurement(SLURM, "{:g} to {:g} times what Python needs to load numpy", "deploy start to numpy"),
    measurement(
        SLURM,
        "1,000 changes took {:g} to {:g} s, and 10,000 took {:g} to {:g} s, with {:g} to {:g} s of processor time of",
        "first pass again",
        "first pass of 10000",
        "CPU of 10000",
    ),
    measurement(
        SLURM,
        "over 1,000 jobs took {:g} to {:g} s, and one over 9,990 took {:g} to {:g} s; to write 9,990 changes alone "
        "cost Slurm's own programs {:g} to {:g} s",
        "quiet first pass",
        "quiet first pass of 10000",
        "quiet CPU of 10000",
    ),
    measurement(
        SLURM,
        "a first pass took {:g} to {:g} s over the smaller queue, and {:g} to {:g} s over the larger one",
        "bench first pass",
        "bench first pass of 10000",
    ),
    measurement(SLURM, "On the faster machine it is {:g} to {:g} s", "bench start"),
    # --- other tools
    *(measurement(TOOLS, f"| {tool} | {{:g}} |", f"peer {tool.split(' ')[0]}") for tool in PEERS),
    measurement(
        TOOLS, "`simulate --policy easy` | {:g} to {:g} | {:g} h |", "simulate of 10000 jobs", "simulate mean wait"
    ),
    measurement(
        TOOLS,
        "`EASYBackfilling(FirstFit())` | {:g} to {:g} | {:g} h | {:g} % |",
        "AccaSim run",
        "AccaSim mean wait",
        "AccaSim same starts",
    ),
    measurement(TOOLS, "{:g} % of its start times are those of `--policy list`", "AccaSim starts of list"),
    measurement(TOOLS, "{:g} is what AccaSim took there", "peer AccaSim"),
    Claim(
        CLUSTER,
        "slept for {:.0f} to {:.0f} ms, {:.0f} ms in the mean",
        lambda r: (*(1000 * seconds for seconds in DRAWN), 1000 * mean(column(rows_of_cluster(r), "mean_sleep"))),
    ),
    Claim(
        CLUSTER,
        " ".join(["| {:.0f} | {:,.0f} | {:.0f} % | {:.2f} | {:.2f} |"] * ROWS_OF_CLUSTER),
        lambda r: [
            factor * float(row[key])
            for row in rows_of_cluster(r)
            for key, factor in (("workers", 1), ("lag", 1), ("efficiency", 100), ("driver", 1), ("scheduler", 1))
        ],
    ),
    Claim(
        CLUSTER,
        "With {:.0f} workers and a lag of {:,.0f} each",
        lambda r: [
            float(min(rows_of_cluster(r), key=lambda row: float(row["efficiency"]))[k]) for k in ("workers", "lag")
        ],
    ),
    Claim(
        CLUSTER,
        "With {:,.0f} workers and a lag of {:,.0f} it hands out {:,.0f} schedules a second, with which {:.0f} %",
        lambda r: _of_large(rows_of_large_cluster(r)[0]),
    ),
    Claim(
        CLUSTER,
        "sleep for {:.0f} ms in the mean, {:.0f} % are at work with a lag of {:,.0f}, and {:.0f} % with one of "
        "{:,.0f}: {:,.0f} and {:,.0f} schedules a second",
        lambda r: (
            1000 * float(rows_of_large_cluster(r)[1]["mean_sleep"]),
            *(x for row in rows_of_large_cluster(r)[1:] for x in (_of_large(row)[3], _of_large(row)[1])),
            *(_of_large(row)[2] for row in rows_of_large_cluster(r)[1:]),
        ),
    ),
)
