"""What documents say about how long things take, with what memory, and how many workers are kept busy.

The numbers are those of `results/speed`, beside some of explorations.
"""

from __future__ import annotations

from experiments.claims import CLUSTER, HOUSE, IMPORTING, SLURM, SPEED, TOOLS, Claim, measurement
from experiments.quoted import (
    PEERS,
    Results,
    Row,
    goal,
    in_words,
    slowest,
)

CRITERIA = ("Greedy f1", "Greedy f2", "Greedy f3", "Greedy f4")
EASY_TOO = tuple(f"{name} with EASY" for name in CRITERIA)
SLACK = [f"deep slack{what}" for what in (" jobs", " time", " time without")]


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


def rows_of_cluster(results: Results) -> list[Row]:
    """Return the measurements of a simulated cluster that two cores can keep busy, with rising lag."""
    return results.rows("speed/cluster", workers="256")


SPEED_CLAIMS: tuple[Claim, ...] = (
    row_of_speed("FCFS", "FCFS"),
    row_of_speed("List", "List", aim=False),
    row_of_speed("EASY", "EASY"),
    row_of_speed("Greedy, slowest of f1 to f4, random weights", *CRITERIA),
    row_of_speed("Greedy with EASY, likewise", *EASY_TOO),
    row_of_speed("CONS", "CONS", digits=1),
    row_of_speed("CONS replan", "CONS replan", digits=1),
    measurement(SPEED, "the time per job grows by at most {:.0f} % a decade", "growth"),
    measurement(
        SPEED,
        "take EASY {:.1f} to {:.1f} times as long, and conservative backfilling {:.1f} to {:.1f} times, as it moves",
        "deep EASY at once",
        "deep CONS",
    ),
    measurement(SPEED, "{:,.0f} that come one a second took {:.0f} s, and {:.1f} s without slack", *SLACK),
    Claim(
        CLUSTER,
        "of a log of {:,.0f} jobs take {:.1f} times as long",
        lambda r: (r.value("ctc1024/baseline", "jobs", seed="0"), *r.measurements("memory given back")),
    ),
    measurement(
        HOUSE,
        "after a plain `pip install '.[all]'`, it is {:g} GB instead of {:g}",
        "installed without the rule",
        "installed",
    ),
    Claim(
        IMPORTING,
        "ten million lines of sacct take {} to {} minutes of one core and {:g} GB of memory, and {:g} GB of disk",
        lambda r: (
            *(in_words(seconds / 60) for seconds in r.measurements("import of ten million lines")),
            *r.measurements("import memory", "import disk"),
        ),
    ),
    measurement(SLURM, "takes less than {:g} MB for 10,000 waiting jobs", "deploy memory"),
    measurement(
        SLURM,
        "takes {:g} s of processor time for 1,000 waiting jobs, and {:g} s for 10,000",
        "deploy pass of 1000",
        "deploy pass of 10000",
    ),
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
        "kept {:.0f} workers at work {:.0f} % of the time with L = {:,.0f}, and {:.0f} % with L = {:,.0f}",
        lambda r: (
            float((rows := rows_of_cluster(r))[0]["workers"]),
            *(
                factor * float(row[key])
                for row in (rows[0], rows[-1])
                for key, factor in (("efficiency", 100), ("lag", 1))
            ),
        ),
    ),
)
