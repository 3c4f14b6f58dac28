"""The results as documents quote them: tables of `results/`, the papers' numbers, and expressions over both."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

from experiments.common import at_most, worst_group
from paretosched.core.tables import load_rows

EXPERIMENTS = Path(__file__).resolve().parent
BENCHMARKS = EXPERIMENTS.parent / "tests" / "benchmarks" / "bench_kernels.py"
Row = dict[str, str]
Value = float | str
GROUPS = tuple(f"AWRT{number}" for number in range(1, 6))
MONTH = 30.4 * 86400  # s
PEERS = (
    "predictsim (Python 2)",
    "pyss (Python 2)",
    "CQSim (Python 3)",
    "Batsim with batsched (C++)",
    "Alea (Java)",
    "AccaSim (Python 3.9 and older)",
)
NUMERALS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMERALS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
NUMERALS += ["twenty"]


@dataclass(frozen=True)
class Results:
    """The results below a folder."""

    root: Path

    def rows(self, table: str, **cells: str) -> list[Row]:
        """Return the rows of `results/TABLE.csv` that have these cells; a column that is a word of Python ends in _."""
        named = {column.rstrip("_"): cell for column, cell in cells.items()}
        rows = _rows(self.root / "results" / f"{table}.csv")
        if missing := set(named) - set(rows[0]):
            raise LookupError(f"results/{table}.csv has no column {', '.join(missing)}")
        return [row for row in rows if all(row[column] == cell for column, cell in named.items())]

    def row(self, table: str, **cells: str) -> Row:
        """Return the only row that has these cells."""
        rows = self.rows(table, **cells)
        if len(rows) != 1:
            raise LookupError(f"results/{table}.csv has {len(rows)} rows with {cells}, and must have one")
        return rows[0]

    def value(self, table: str, key: str, **cells: str) -> float:
        """Return a number of the only row that has these cells."""
        return float(self.row(table, **cells)[key])

    def values(self, table: str, key: str, **cells: str) -> list[float]:
        """Return a column of the rows that have these cells."""
        return column(self.rows(table, **cells), key)

    def measurements(self, *names: str) -> tuple[float, ...]:
        """Return measurements of `results/speed/measured.csv`, each with its upper end if it has one."""
        rows = [self.row("speed/measured", name=name) for name in names]
        return tuple(float(row[end]) for row in rows for end in ("low", "high") if row[end])

    def provenance(self, experiment: str) -> dict[str, Any]:
        """Return what results depend on."""
        text = (self.root / "results" / experiment / "provenance.json").read_text(encoding="utf-8")
        note: dict[str, Any] = json.loads(text)
        return note

    def words_of(self, experiment: str, words: str) -> tuple[float, ...]:
        """Return the numbers of words of a summary, itself computed from tables; `words` is a regular expression."""
        match = re.search(words, (self.root / "results" / experiment / "summary.md").read_text(encoding="utf-8"))
        if match is None:
            raise LookupError(f"results/{experiment}/summary.md no longer says {words!r}")
        return tuple(float(number.replace(",", "")) for number in match.groups())


@cache
def _rows(path: Path) -> list[Row]:
    return load_rows(path)


@cache
def paper(experiment: str, *keys: str) -> float:
    """Return a number of a paper, by the first columns of `paper.csv`."""
    rows = [row for row in _rows(EXPERIMENTS / experiment / "paper.csv") if tuple(row.values())[: len(keys)] == keys]
    return float(rows[0]["value"])


@cache
def goal(scheduler: str) -> float:
    """Return the goal of a scheduler in the benchmark, in units of a sort."""
    tree = ast.parse(BENCHMARKS.read_text(encoding="utf-8"))
    names: dict[str, dict[str, float]] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "GOALS" and "ORDERS" not in ast.unparse(node):
            exec(compile(ast.Module([node], []), str(BENCHMARKS), "exec"), names)  # noqa: S102  our own literals
    return names["GOALS"][scheduler]


# --- numbers ----------------------------------------------------------------------------------------------------------


def in_words(number: float) -> str:
    """Return a number of at most twenty, rounded, in words.

    >>> in_words(7.8)
    'eight'
    """
    return NUMERALS[round(number)]


def column(rows: Iterable[Row], key: str) -> list[float]:
    """Return a column."""
    return [float(row[key]) for row in rows]


def ends(values: Iterable[float]) -> tuple[float, float]:
    """Return the least and the largest value."""
    ordered = sorted(values)
    return ordered[0], ordered[-1]


def with_ends(values: list[float]) -> tuple[float, float, float]:
    """Return the median, the least and the largest value."""
    return median(values), *ends(values)


def training_times(results: Results, *tables: str) -> list[float]:
    """Return wall and CPU seconds of all trainings of some tables, whose rows repeat them for every system."""
    times = {
        (table, row["training"], row.get("log"), row["seed"]): (
            float(row["wall_seconds"]),
            float(row["kernel_seconds"]),
        )
        for table in tables
        for row in results.rows(table)
    }
    return [sum(column) for column in zip(*times.values(), strict=True)]


def of_one_call(results: Results, experiment: str) -> tuple[float, float]:
    """Return wall and CPU seconds of the only call of `run.py` that made all tables of an experiment."""
    (session,) = results.provenance(experiment)["sessions"]
    return float(session["seconds"]), float(session["cpu_seconds"])


def of_calls(results: Results, experiment: str, places: Iterable[int]) -> tuple[float, float]:
    """Return wall and CPU seconds of calls of `run.py`, added up, by their places among the sessions."""
    sessions = [results.provenance(experiment)["sessions"][place] for place in places]
    return sum(s["seconds"] for s in sessions), sum(s["cpu_seconds"] for s in sessions)


def gain(before: Row, after: Row, key: str) -> float:
    """Return a gain in per cent."""
    return 100 * (1 - float(after[key]) / float(before[key]))


def slowest(results: Results, policies: Iterable[str], trace: str | None = None) -> float:
    """Return the largest time of policies in the benchmark, in units of a sort: of a trace, or of all of them."""
    rows = [row for policy in policies for row in results.rows("speed/kernels", policy=policy)]
    return max(float(row["S"]) for row in rows if trace in (None, row["trace"]))


# --- results/slurm ----------------------------------------------------------------------------------------------------


def windows(results: Results, log: str) -> Iterator[tuple[Row, Row]]:
    """Return the row of stock Slurm and that of the deployed policy, of each window of a log."""
    for after in results.rows("slurm/windows", log=log, system="deployed", twin="policy"):
        yield results.row("slurm/windows", log=log, system="stock", twin="easy", window=after["window"]), after


def slurm_gains(results: Results, key: str, *logs: str) -> list[float]:
    """Return the gain of each window of logs; the key says of what, and whether it is the simulated one."""
    pairs = [pair for log in logs for pair in windows(results, log)]
    return [gain(before, after, key) for before, after in pairs if before[key] and after[key]]


def replays(results: Results) -> tuple[float, int]:
    """Return wall seconds of all replays on Slurm, and their number; a replay may have a row for each simulation."""
    rows = results.rows("slurm/windows")
    seconds = {(row["system"], row["log"], row["window"]): float(row["wall_seconds"]) for row in rows}
    return sum(seconds.values()), len(seconds)


def worst_pair(results: Results) -> tuple[Row, Row]:
    """Return the two rows of the window of KTH with the least gain."""
    return min(windows(results, "KTH"), key=lambda pair: gain(*pair, "objective"))


def worst_window(results: Results) -> tuple[float, float]:
    """Return the loss on Slurm in this window, and the gain that was simulated, per cent."""
    pair = worst_pair(results)
    return -gain(*pair, "objective"), gain(*pair, "simulated_objective")


def in_order(results: Results, system: str, twin: str, *logs: str) -> list[float]:
    """Return the pairs of jobs that started in the order of a simulation, per cent, the mean of each log."""
    rows = [results.rows("slurm/windows", system=system, twin=twin, log=log) for log in logs]
    return [mean(100 * (1 - int(row["pairs_turned"]) / int(row["pairs"])) for row in of_log) for of_log in rows]


def larger(results: Results, system: str, twin: str, log: str) -> dict[str, float]:
    """Return by how much the objective is larger on Slurm than simulated, per cent, of each window of a log."""
    rows = results.rows("slurm/windows", system=system, twin=twin, log=log)
    return {row["window"]: 100 * (float(row["objective"]) / float(row["simulated_objective"]) - 1) for row in rows}


def mean_and_spread(results: Results, system: str, twin: str, *logs: str) -> list[float]:
    """Return the mean of `larger` of each log, and then its standard deviation of each."""
    values = [larger(results, system, twin, log).values() for log in logs]
    return [f(of_log) for f in (mean, stdev) for of_log in values]


def rows_of_models(results: Results, *systems: str) -> list[Row]:
    """Return the rows of replays with one reservation beside models of how Slurm keeps it."""
    return [row for system in systems for row in results.rows("slurm/nodes", system=system)]


def kept_by(rows: Iterable[Row], model: str) -> list[float]:
    """Return the share of the pairs of jobs that started in the order of a model, per cent, of replays at hand."""
    compared = [row for row in rows if row[f"{model} pairs"]]
    return [100 * (1 - int(row[f"{model} turned"]) / int(row[f"{model} pairs"])) for row in compared]


# --- results/online ---------------------------------------------------------------------------------------------------


def rolling(results: Results, table: str, policy: str) -> list[Row]:
    """Return the rows of a policy on the rolling splits in which the objective is defined."""
    rows = results.rows(f"online/{table}", policy=policy)
    return [row for row in rows if not row["split"].startswith("last") and row["objective_vs_easy"]]


def by_log(rows: Iterable[Row]) -> list[float]:
    """Return the mean gain of the objective on each log."""
    logs: dict[str, list[float]] = {}
    for row in rows:
        logs.setdefault(row["log"], []).append(float(row["objective_vs_easy"]))
    return [mean(values) for values in logs.values()]


def within_limits(rows: Iterable[Row]) -> list[bool]:
    """Return whether the limits were kept, row by row."""
    return [float(row["exceeded"]) == 0 for row in rows]


def longest_wait(row: Row) -> float:
    """Return the largest 95th percentile wait of a group to EASY's; less than an hour counts as one."""
    pairs = [(row[f"wait_p95_{n}"], row[f"wait_p95_{n}_easy"]) for n in range(1, 6) if row.get(f"wait_p95_{n}")]
    return max(max(float(wait), 3600) / max(float(easy), 3600) for wait, easy in pairs)


def shorter(results: Results, estimates: str) -> list[bool]:
    """Return where other estimates than requests shorten AWRT; a case is a policy on a log that has requests."""
    logs = dict.fromkeys(row["log"] for row in results.rows("online/estimates"))
    with_requests = [log for log in logs if any(gains_of_estimates(results, "exact", log))]
    return [gain > 0 for log in with_requests for gain in gains_of_estimates(results, estimates, log)]


def gains_of_estimates(results: Results, estimates: str, log: str) -> list[float]:
    """Return by how much of it, in per cent, other estimates than requests shorten AWRT on a log, of each policy."""
    requested, others = (
        {row["policy"]: float(row["AWRT"]) for row in results.rows("online/estimates", log=log, estimates=name)}
        for name in ("requested", estimates)
    )
    return [100 * (1 - others[policy] / requested[policy]) for policy in requested]


def count(results: Results, table: str, key: str) -> int:
    """Return how many values a column has."""
    return len({row[key] for row in results.rows(table)})


def kept_and_gained(results: Results, table: str, policy: str, logs: Iterable[str] = ()) -> Iterator[float]:
    """Return how often a policy kept the limits, of how many, both without NASA, its gain, and that on some logs."""
    rows = rolling(results, table, policy)
    for some in (rows, [row for row in rows if row["log"] != "NASA"]):
        yield from (sum(within_limits(some)), len(some))
    yield mean(by_log(rows))
    for log in logs:
        yield mean(by_log(row for row in rows if row["log"] == log))


# --- results/greedy ---------------------------------------------------------------------------------------------------


def of_training(results: Results, table: str, training: str, part: str = "workloads") -> list[Row]:
    """Return the best systems of a training of Greedy, one a seed."""
    return results.rows(f"greedy/{table}", training=training, best="True", part=part)


def on_the_rest(results: Results, key: str, *logs: str) -> list[float]:
    """Return the median over seeds of a gain on the last 30 % of each log."""
    return [median(column(of_training(results, "rest-easy", f"rest-easy-{log}", "rest"), key)) for log in logs]


def evolution_behind(results: Results) -> tuple[float, float]:
    """Return how often evolution of symbiotic rules alone is behind one strategy, and how many trainings there are."""
    ahead, trainings = results.words_of("gfs", r"our refinement rules beat it in (\d+) of (\d+) trainings")
    return trainings - ahead, trainings


def losers(results: Results, *logs: str) -> list[float]:
    """Return the gain of the group that loses most, of any seed and scaling, on the last 30 % of each log."""
    return [
        min(
            *map(worst_group, of_training(results, table, f"rest-easy-{log}", "rest")),
            *results.values("greedy/scalings", "worst_group_vs_easy", training=f"rest-easy-{log}"),
            0.0,
        )
        for log in logs
        for table in ["rest-easy-raised" if "raised" in log else "rest-easy"]
    ]


def untrained_on_the_rest(results: Results, policy: str, key: str, *logs: str) -> list[float]:
    """Return a number of an untrained order on the last 30 % of each log, of the scaling that trainings learn from."""
    about = {"policy": policy, "part": "rest", "scaling": "0"}
    return [results.value("greedy/untrained", key, log=log, **about) for log in logs]


def losers_untrained(results: Results, policy: str, *logs: str) -> list[float]:
    """Return the gain of the group that loses most under an untrained order, of any scaling, on the last 30 %."""
    rows = {log: results.rows("greedy/untrained", policy=policy, part="rest", log=log) for log in logs}
    return [min(map(worst_group, of_log)) for of_log in rows.values()]


def position(results: Results, policy: str, key: str, *logs: str) -> list[float]:
    """Return a number of a policy on each log, beside the front."""
    return [results.value("greedy/positions", key, log=log, policy=policy) for log in logs]


def awrt_to_easy(results: Results, policy: str, *logs: str) -> list[float]:
    """Return AWRT to that of EASY on each log."""
    pairs = zip(position(results, policy, "AWRT", *logs), position(results, "EASY", "AWRT", *logs), strict=True)
    return [mine / easy for mine, easy in pairs]


def gain_of_paper() -> float:
    """Return the objective's gain over EASY in paper 000, per cent."""
    ours, easy = (10 * paper("greedy", s, "AWRT1") + 4 * paper("greedy", s, "AWRT2") for s in ("GREEDY", "EASY"))
    return 100 * (1 - ours / easy)


# --- results/ci190_05, ctc1024 and bounds -----------------------------------------------------------------------------


def table4(results: Results, row: str, *keys: str) -> list[float]:
    """Return numbers of a row of our Table 4 of paper 002."""
    return [results.value("ci190_05/table4", key, row=row) for key in keys]


def of_two_cores(results: Results, row: str) -> float:
    """Return the CPU time of a row of Table 4 to what two cores have in its wall time."""
    wall, cpu = table4(results, row, "wall_seconds", "kernel_seconds")
    return cpu / 2 / wall


def milliseconds(results: Results, *rows: str) -> list[float]:
    """Return the CPU time of a schedule in each row of Table 4, ms."""
    pairs = [table4(results, row, "kernel_seconds", "evaluations") for row in rows]
    return [1000 * cpu / evaluations for cpu, evaluations in pairs]


def offline(results: Results, key: str) -> float:
    """Return a number of the step that decodes the weighting front by earliest fit."""
    return results.value("ci190_05/better", key, row="offline-members")


def baseline(results: Results, name: str) -> tuple[float, float, float, float]:
    """Return the paper's value of EASY, ours, the difference in per cent, and the largest single one."""
    of_paper, values = paper("ctc1024", f"EASY {name}"), results.values("ctc1024/baseline", name)
    differences = [100 * (value / of_paper - 1) for value in values]
    return of_paper, mean(values), 100 * (mean(values) / of_paper - 1), max(differences, key=abs)


def bound(results: Results, wish: str) -> float:
    """Return how much a wish can be below EASY on CTC at 1024 at most, per cent."""
    return float(at_most(results.value("bounds/logs", "programme", log="CTC", as_="1024", wish=wish)))


def of_the_bound(results: Results, free: str, limited: str) -> Iterator[float]:
    """Return how far two policies come on CTC: of the bound, and the second of the best known within its limits.

    The gain of the first as a share of the bound, the bound, what its group 4 loses; the gain of the second as a share
    of the bound and of the best known, and this. The summary of greedy has computed the shares from the bounds.
    """
    shares = r"\| CTC \| {} \| \+[\d.]+ % \| (\d+) % \| (\d+) % \|"
    yield results.words_of("greedy", shares.format(free))[0]
    yield from results.words_of("greedy", r"results/bounds: CTC ([\d.]+) %")
    yield -position(results, free, "AWRT4_vs_easy", "CTC")[0]
    yield from results.words_of("greedy", shares.format(limited))
    yield max(float(row["best_within"]) for row in results.rows("greedy/known") if row["best_within"])
