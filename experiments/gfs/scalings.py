"""Rule bases that were trained on one scaling of a log, on other scalings of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import common
import numpy as np
import settings
from reading import Row
from weeks import KEY, OVER_ONE, always, policy_file

import paretosched as ps
from paretosched.core.tables import markdown
from paretosched.simulation.objective import objective_table
from paretosched.wishes.wish import goal

SEEDS = (1, 2, 3, 4)  # of scalings that nothing has learnt from
COLUMNS = {"objective": 1, "AWRT": 1, "worst_group": 0, OVER_ONE: 2}  # with digits


def of_trainings(results: Path, known: Sequence[Row], quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each trained rule base its gains on other scalings of its log, per cent; logs of 1,024 have none.

    Parameters
    ----------
    results
        The folder with `policies`.
    known
        The rows of `weeks.of_trainings`: which rule bases there are, and the best strategy alone where they learnt.
    quick
        Whether the logs are made up.
    """
    names = [training.name for training in settings.TRAININGS]
    scaled = [row for row in known if row["training"] in names and common.factor_of(row["log"]) != 1]
    for log in dict.fromkeys(row["log"] for row in scaled):
        for scaling in SEEDS[: 1 if quick else None]:
            jobs = common.workload(log, settings.QUICK, quick)
            if not quick:
                jobs = ps.scale(common.log_of(log), common.PROCESSORS, common.factor_of(log), scaling)
            for row in scaled:
                if row["log"] == log:
                    base = ps.load_policy(policy_file(results, row["training"], log, int(row["seed"])))
                    key = {name: row[name] for name in KEY}
                    yield key | {"scaling": scaling, "one": row["one"]} | gains_on(jobs, base, always(row["one"], base))


def gains_on(jobs: ps.Workload, policy: ps.Policy, one: ps.Policy) -> dict[str, float]:
    """Return the gains of a policy over EASY, per cent, and in the objective over one strategy."""
    wish = ps.as_wish(settings.OBJECTIVE, jobs.groups)
    easy, single, ours = (np.asarray(ps.objectives(ps.simulate(jobs, each))) for each in ("easy", one, policy))
    names = [o.name for o in objective_table(jobs.groups)]
    gains = dict(zip(names, (100 * (1 - ours / easy)).tolist(), strict=True))
    of_groups = [gain for name, gain in gains.items() if name not in ("UTIL", "AWRT") and not np.isnan(gain)]
    of_easy, of_one, value = goal(wish, np.array([easy, single, ours])).tolist()
    return {
        "objective": 100 * (1 - value / of_easy),
        "AWRT": gains["AWRT"],
        "worst_group": min(of_groups),
        OVER_ONE: 100 * (1 - value / of_one),
    }


# --- words and tables -------------------------------------------------------------------------------------------------


def section(rows: Sequence[Row], known: Sequence[Row]) -> list[str]:
    """Return the section about other scalings; `known` has the gains where the rule bases learnt."""
    lines = []
    for training, log in dict.fromkeys((row["training"], row["log"]) for row in rows):
        mine, here = (
            [row for row in part if (row["training"], row["log"]) == (training, log)] for part in (rows, known)
        )
        ends = [common.low_to_high(mine, key, digits) for key, digits in COLUMNS.items()]
        better = sum(float(row[OVER_ONE]) > 0 for row in mine)
        learnt = common.low_to_high(here, "objective", 1)
        lines.append([training, log, learnt, *ends[:-1], mine[0]["one"], ends[-1], f"{better} of {len(mine)}"])
    heads = ["training", "log", "scaling learnt from", "other scalings", "AWRT", "worst group"]
    return [
        "## On other scalings",
        "",
        *markdown([*heads, "one strategy", "objective, than it", "better than it"], lines, left=2),
        "",
        f"Gains over EASY on {len(SEEDS)} other scalings of the log that a rule base learnt from, the lowest and the "
        "highest of all seeds and scalings: other copies of the same jobs, at the same times, so no test on later "
        "ones. One strategy: the best of the thirteen where the rules learnt, always. LANL has 1,024 processors as it "
        "was recorded and is not scaled.",
        "",
    ]


def kept_in_words(rows: Sequence[Row], logs: Sequence[str]) -> str:
    """Return a part of a sentence: how often symbiotic rules beat the strategy elsewhere, too; empty without rows."""
    mine: list[Mapping[str, str]] = [row for row in rows if row["training"] == "symbiotic" and row["log"] in logs]
    better = sum(float(row[OVER_ONE]) > 0 for row in mine)
    return f", on other scalings in {better} of {len(mine)} cases" if mine else ""
