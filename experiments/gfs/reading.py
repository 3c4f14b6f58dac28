"""What the rows of results/gfs say: which belong together, and what they gain over EASY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import settings

Row = Mapping[str, str]
Paper = Mapping[tuple[str, str, str], str]

GROUPS = ("AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")
TABLE = ("AWRT", *GROUPS, "UTIL", "objective")
KINDS = ("symbiotic", "iterative")
BASES = 13 + 50 * 70  # rule bases of a training: the strategies alone, and generations
EASY = "easy by wait"  # the name of EASY among the strategies
LANL = "LANL"  # the log that was run both ways: with runs cut at their requests, and with requests raised


def rows_of(rows: Sequence[Row], training: str, log: str, system: str = "rules") -> list[Row]:
    """Return the rows of one system of a training on a log, one for each seed."""
    return [r for r in rows if (r["training"], r["log"], r["system"]) == (training, log, system)]


def logs_of(rows: Sequence[Row], training: str) -> list[str]:
    """Return the logs of a training, in the order of the paper."""
    return [log for log in settings.LOGS if rows_of(rows, training, log)]


def by_log(tables: Mapping[str, Sequence[Row]], kind: str, system: str = "rules") -> dict[str, list[Row]]:
    """Return the rows of one system of the trainings of a kind by log, in the order of the paper, LANL both ways."""
    rows = {log: rows_of(tables[kind], kind, log, system) for log in settings.LOGS}
    part = "raised" if kind == "symbiotic" else kind
    rows[settings.RAISED] = rows_of(tables[part], part, settings.RAISED, system)
    return {log: of_log for log, of_log in rows.items() if of_log}


def title(log: str) -> str:
    """Return the name of a log in a table, which says so if it is LANL with runs cut."""
    return f"{log}, runs cut" if log == LANL else log


def in_paper(log: str) -> str:
    """Return the name of a log in the paper, which has LANL in one way."""
    return LANL if log == settings.RAISED else log


def gain(row: Row, name: str = "objective") -> float:
    """Return the gain of a row over EASY, in per cent."""
    return float(row["vs_easy" if name == "objective" else f"{name}_vs_easy"] or "nan")


def gain_of(row: Row) -> float:
    """Return the gain of a row of a comparison in the objective, in per cent."""
    return float(row["objective_vs_easy"] or "nan")


def middle(rows: Sequence[Row]) -> Row:
    """Return the row of the seed with the median objective; of two the better one."""
    return sorted(rows, key=lambda row: float(row["objective"]))[(len(rows) - 1) // 2]


def span(numbers: Sequence[int]) -> str:
    """Return the lowest and the highest of some numbers, as text."""
    return f"{min(numbers):,}" + (f" to {max(numbers):,}" if max(numbers) > min(numbers) else "")


def logs_in(rows: Sequence[Row]) -> list[str]:
    """Return the logs of rows, in the order of the paper."""
    return [log for log in settings.LOGS if any(row["log"] == log for row in rows)]


def of_equal_budget(rows: Sequence[Row]) -> list[Row]:
    """Return the trainings that had no more rule bases than was set."""
    return [row for row in rows if int(row["evaluations"]) <= BASES]


def gains_alone(rows: Sequence[Row], log: str) -> dict[str, dict[str, float]]:
    """Return the gains of each strategy alone over EASY on a log, per cent, by the names of `TABLE`."""
    on_log = {row["system"]: row for row in rows if row["log"] == log}
    easy = on_log.get(EASY, {})
    return {
        system: {name: 100 * (1 - float(row[name]) / float(easy[name])) for name in TABLE if row[name] and easy[name]}
        for system, row in on_log.items()
    }


def best_alone(rows: Sequence[Row], log: str) -> tuple[str, dict[str, float]]:
    """Return the strategy that alone has the best objective on a log, and its gains; NaN if none was run."""
    gains = gains_alone(rows, log)
    if not gains:
        return "", dict.fromkeys(TABLE, float("nan"))
    name = max(gains, key=lambda strategy: gains[strategy]["objective"])
    return name, gains[name]


def best_untrained(rows: Sequence[Row], log: str) -> tuple[str, dict[str, float]]:
    """Return the best strategy alone on a log of the twelve that nobody trains, and its gains."""
    return best_alone([row for row in rows if row["system"] != "greedy"], log)


def than_iterative(tables: Mapping[str, Sequence[Row]]) -> dict[str, tuple[float, float]]:
    """Return the gains over iterative rules in the objective by log, per cent: symbiotic rules, best untrained one."""
    symbiotic, iterative = (by_log(tables, kind) for kind in KINDS)
    gains = {}
    for log in (log for log in symbiotic if log in iterative):
        base = 1 - gain(middle(iterative[log])) / 100  # of EASY's
        ours = gain(middle(symbiotic[log])), best_untrained(tables["alone"], log)[1]["objective"]
        gains[log] = (100 * (1 - (1 - ours[0] / 100) / base), 100 * (1 - (1 - ours[1] / 100) / base))
    return gains
