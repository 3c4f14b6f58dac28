"""Rule bases that were trained on one scaling of a log, on other scalings of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import common
import numpy as np
import settings
from reading import Row
from weeks import KEY, OVER_ONE, always, key_of, policy_file

import paretosched as ps
from paretosched.core.tables import markdown
from paretosched.wishes.wish import goal

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
        on_log = [row for row in scaled if row["log"] == log]
        trainings = [[row for row in on_log if row["training"] == name] for name in names]
        for scaling in common.OTHER_SCALINGS[: 1 if quick else None]:
            jobs = common.stand_in(log, settings.QUICK) if quick else common.scaling_of(log, scaling)
            for rows in filter(None, trainings):
                bases = [ps.load_policy(policy_file(results, *key_of(row))) for row in rows]
                for row, gains in zip(rows, gains_on(jobs, bases, always(rows[0]["one"], bases[0])), strict=True):
                    yield {key: row[key] for key in KEY} | {"scaling": scaling, "one": row["one"]} | gains


def gains_on(jobs: ps.Workload, policies: Sequence[ps.Policy], one: ps.Policy) -> Iterator[dict[str, float]]:
    """Yield the gains of policies over EASY, per cent, and in the objective over one strategy."""
    wish = ps.as_wish(settings.OBJECTIVE, jobs.groups)
    easy, single = (np.asarray(ps.objectives(ps.simulate(jobs, policy))) for policy in ("easy", one))
    for policy in policies:
        ours = np.asarray(ps.objectives(ps.simulate(jobs, policy)))
        overall, worst = common.overall_and_worst(jobs, easy, ours)
        of_easy, of_one, value = goal(wish, np.array([easy, single, ours])).tolist()
        gains = {"objective": 100 * (1 - value / of_easy), "AWRT": overall, "worst_group": worst}
        yield gains | {OVER_ONE: 100 * (1 - value / of_one)}


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
        f"Gains over EASY on {len(common.OTHER_SCALINGS)} other scalings of the log that a rule base learnt from, "
        "the lowest and the highest of all seeds and scalings: other copies of the same jobs, at the same times, "
        "so no test on later ones. One strategy: the best of the thirteen where the rules learnt, always. LANL has "
        "1,024 processors as it was recorded and is not scaled.",
        "",
    ]


def kept_in_words(rows: Sequence[Row], logs: Sequence[str]) -> str:
    """Return a part of a sentence: how often symbiotic rules beat the strategy elsewhere, too; empty without rows."""
    mine = [row for row in rows if row["training"] == "symbiotic" and row["log"] in logs]
    better = sum(float(row[OVER_ONE]) > 0 for row in mine)
    return f", and on other scalings in {better} of {len(mine)} cases" if mine else ""
