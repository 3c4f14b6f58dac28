"""Code of all experiments: options, the logs of the papers, provenance, summaries and figures.

A script finds this file because it puts `experiments/` on the path; everything else is in the experiment's own folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from typing import Any, NoReturn

import numpy as np

import paretosched as ps
from paretosched.comparison.intervals import LEAST_WEEKS, WeekSums, intervals
from paretosched.core.arrays import Floats
from paretosched.core.files import replacing
from paretosched.core.tables import load_rows, save_rows
from paretosched.report import export_figures, write_figure, write_gallery
from paretosched.search.runs import read_about
from paretosched.simulation.objective import objective_table
from paretosched.training.training import Progress
from paretosched.wishes.best_possible import upwards
from paretosched.workload.public_logs import find_log, log_file
from paretosched.workload.scaling import PAPER_FACTORS

BEGIN = time.monotonic()  # of the call, as far as it is measured
EXPERIMENTS = Path(__file__).resolve().parent
ROOT = EXPERIMENTS.parent
PROCESSORS = 1024  # to which the papers scale every log
MODERN = "PARETOSCHED_MODERN"  # names a folder
# columns of the logs of UB CCR's clusters, as `import csv` takes them
MODERN_WORDS = (
    "job", "submit", "run", "limit", "nodes", "tasks", "memory_per_node", "gpus_per_node", "constraint", "exclusive",
    "partition", "qos", "account", "user",
)  # fmt: skip
MODERN_COLUMNS = ",".join([*(f"{word}={word}" for word in MODERN_WORDS), "tasks_per_node=ntasks_per_node"])
SCALING_SEED = 0
OTHER_SCALINGS = (1, 2, 3, 4)  # seeds of scalings that nothing has learnt from
POLICIES = "policies.jsonl.gz"
# The logs of the papers, as far as they are available: names in the papers (SDSC00 is SDSC SP2 in paper 002, Tables 2
# and 3) and in the archive. SDSC95 and SDSC Blue are not available.
LOGS = {
    "CTC": "CTC-SP2",
    "KTH": "KTH-SP2",
    "LANL": "LANL-CM5",
    "SDSC00": "SDSC-SP2",
    "SDSC96": "SDSC-Par-96",
    "NASA": "NASA-iPSC",
}
# LANL where a run beyond its request raises the request instead of being cut: the machine did not cut, and cutting
# takes a quarter of all work. Which of both the papers had is not said.
RAISED = "LANL, requests raised"


# --- options ------------------------------------------------------------------------------------------------------


class _RunParser(argparse.ArgumentParser):
    """A parser that sends a quick run to a folder of its own, unless another one is named."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the options; those of a quick run name no folder in which the whole run keeps anything."""
        options = super().parse_args(args, namespace)
        if options.quick:
            quick = EXPERIMENTS / self.get_default("results").name / "work" / "quick"
            for name in ("results", "work"):
                if getattr(options, name, None) == self.get_default(name) is not None:
                    setattr(options, name, quick / name)
                    print(f"--{name} {quick / name}", flush=True)
        return options


def run_parser(experiment: str, about: str | None, quick: str, parts: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return a parser with the options of every `run.py`.

    Parameters
    ----------
    experiment
        The folder of the experiment.
    about
        What the script does.
    quick
        What a quick run simulates.
    parts
        The parts that can be run alone; empty if there are none.
    """
    parser = _RunParser(description=about)
    parser.add_argument("--quick", action="store_true", help=quick)
    if parts:
        about_parts = "may be given again; default: all, in order; some need what earlier ones have written"
        parser.add_argument("--part", action="append", choices=parts, help=about_parts)
    results = ROOT / "results" / experiment
    parser.add_argument("--results", type=Path, default=results, help="where the results go")
    return parser


def options_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the options of a call of `run.py`; the folders that it writes into are there."""
    options = parser.parse_args()
    for folder in ("results", "work"):
        if hasattr(options, folder):
            getattr(options, folder).mkdir(parents=True, exist_ok=True)
    return options


def run_parts(
    options: argparse.Namespace,
    parts: Mapping[str, Callable[[], Iterable[Mapping[str, Any]]]],
    note: Mapping[str, Any] | None = None,
    packages: Sequence[str] = (),
) -> None:
    """Run the parts of the options, or all: write the table that each returns, and after each the provenance.

    Parameters
    ----------
    options
        Of `options_of`; with "part" if parts can be run alone.
    parts
        Functions that return the rows of the tables of their names; a part without rows writes none.
    note, packages
        As for `save_provenance`, without the parts.
    """
    for name in getattr(options, "part", None) or parts:
        if rows := [*parts[name]()]:
            save_rows(rows, options.results / f"{name}.csv")
        save_provenance(options.results, {"quick": options.quick, **(note or {})}, packages, [name])


def read_results(
    experiment: str, about: str | None, tables: Iterable[str]
) -> tuple[argparse.Namespace, dict[str, Any], dict[str, list[dict[str, str]]]]:
    """Return the options of a call of `analysis.py`, the provenance of the results, and tables by name."""
    options = analysis_parser(experiment, about).parse_args()
    provenance = load_provenance(options.results)
    return options, provenance, {name: rows(options.results / f"{name}.csv") for name in tables}


def analysis_parser(experiment: str, about: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every `analysis.py`."""
    parser = argparse.ArgumentParser(description=about)
    results = ROOT / "results" / experiment
    parser.add_argument("--results", type=Path, default=results, help="where the results are")
    parser.add_argument("--no-figures", action="store_true", help="for machines without Chrome or Chromium")
    return parser


def add_work(parser: argparse.ArgumentParser, experiment: str, content: str = "run directories") -> None:
    """Add the option of the folder with `content`, from which an experiment can be continued."""
    work = EXPERIMENTS / experiment / "work"
    parser.add_argument("--work", type=Path, default=work, help=f"where the {content} are kept")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the option of the number of processes."""
    parser.add_argument("--workers", type=int, default=0, help="processes that simulate (default 0: threads)")


def add_fronts(parser: argparse.ArgumentParser, missing: str) -> None:
    """Add the option of the fronts of report CI-190/05; `missing` says what happens without them."""
    fronts = EXPERIMENTS / "ci190_05" / "work"
    about = f"run directories of report CI-190/05, by log; {missing}"
    parser.add_argument("--fronts", type=Path, default=fronts, help=about)


# --- workloads ----------------------------------------------------------------------------------------------------


def trace_of(log: str) -> str:
    """Return the name of a log in the archive."""
    return LOGS["LANL" if log == RAISED else log]


def file_of(log: str) -> str:
    """Return the name of a log's file."""
    return find_log(trace_of(log)).file


def modern_file(name: str) -> Path:
    """Return a log of 2013 to 2023 in the folder PARETOSCHED_MODERN; without one, the script ends."""
    folder = os.environ.get(MODERN)
    if not folder:
        fail(f"{MODERN} must name the folder with the logs; experiments/modern_logs/README.md says which")
    return Path(folder, name)


def jobs_on_machine(jobs: Path, conf: Path) -> ps.Workload:
    """Return the jobs of a table with MODERN_COLUMNS on the machine of a slurm.conf."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.parquet"
        ps.import_log("csv", jobs, log, columns=MODERN_COLUMNS, machine=conf)
        return ps.load_log(log)


def factor_of(log: str) -> float:
    """Return the factor by which the papers let a log's work grow when they scale it, from their numbers of jobs."""
    return PAPER_FACTORS[trace_of(log)]


def log_of(log: str) -> ps.Workload:
    """Return a log, read from PARETOSCHED_TRACES or the cache that `paretosched fetch NAME --cache` fills.

    Runs are cut at their requests; if it is RAISED, requests are raised to them.
    """
    return ps.read_swf(log_file(trace_of(log)), overrun="raise" if log == RAISED else "cut", name=log)


@cache
def scaled_log(log: str) -> ps.Workload:
    """Return a log, scaled as in the papers."""
    return scaling_of(log, SCALING_SEED)


def scaling_of(log: str, seed: int) -> ps.Workload:
    """Return a log, scaled as in the papers, with a seed of its own."""
    return ps.scale(log_of(log), PROCESSORS, factor_of(log), seed)


def stand_in(log: str, size: Mapping[str, int]) -> ps.Workload:
    """Return a small synthetic workload instead of a log, for a quick run: `size` has jobs, processors and a seed."""
    seed = size["seed"] + [*LOGS, RAISED].index(log)
    return ps.lublin(jobs=size["jobs"], processors=size["processors"], seed=seed)


def workload(log: str, size: Mapping[str, int], quick: bool) -> ps.Workload:
    """Return a log as the papers scale it; if `quick`, a small made-up workload of this size."""
    return stand_in(log, size) if quick else scaled_log(log)


# --- provenance ---------------------------------------------------------------------------------------------


def about_workloads(logs: Iterable[str], workload: Callable[[str], ps.Workload]) -> dict[str, dict[str, Any]]:
    """Return file, factor, number of jobs and digest of every log, for the provenance."""
    return {
        log: {"file": file_of(log), "factor": factor_of(log), "jobs": len(jobs), "digest": jobs.digest}
        for log in logs
        for jobs in [workload(log)]
    }


def earlier_parts(results: Path) -> list[str]:
    """Return the parts that earlier calls have run."""
    return load_provenance(results).get("parts", []) if _provenance(results).exists() else []


def save_provenance(
    results: Path, note: Mapping[str, Any], packages: Sequence[str] = (), parts: Iterable[str] = ()
) -> None:
    """Write what results depend on, with the versions of Python, of this package and of the packages it uses.

    The parts are those of this call and of earlier ones.

    `sessions` are the calls that wrote into this folder, each with its seconds, the CPU seconds of the call and of
    processes it started that have ended, and the cores of its machine; a quick run has none, so that the same call
    writes the same again. A call that writes several times, the further it is, has one session: the last one.
    """
    earlier = _earlier_sessions(results)
    seconds, cpu_seconds = time.monotonic() - BEGIN, sum(os.times()[:4])
    session = {"seconds": round(seconds, 1), "cpu_seconds": round(cpu_seconds, 1), "cores": os.cpu_count()}
    versions = {name: version(name) for name in ("paretosched", "numpy", "numba", *packages)}
    whole = {
        **note,
        "parts": sorted({*earlier_parts(results), *parts}),
        "sessions": earlier if note.get("quick") else [*earlier, session],
        "versions": {"python": platform.python_version()} | versions,
    }
    with replacing(_provenance(results)) as temporary:
        temporary.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


@cache
def _earlier_sessions(results: Path) -> list[dict[str, Any]]:
    """Return the sessions of earlier calls; what this call has written since it asked first is none of them."""
    sessions: list[dict[str, Any]] = (
        load_provenance(results).get("sessions", []) if _provenance(results).exists() else []
    )
    return sessions


def fail(sentence: str) -> NoReturn:
    """End the script with status 2 and a line that says what is missing and what to do."""
    print(f"{Path(sys.argv[0]).name}: {sentence}", file=sys.stderr)
    raise SystemExit(2)


def load_provenance(results: Path) -> dict[str, Any]:
    """Return the provenance that a run has written; without one, the script ends."""
    if not _provenance(results).exists():
        fail(f"{results} has no provenance.json, and so no results; run.py makes them, --results names others")
    note: dict[str, Any] = json.loads(_provenance(results).read_text(encoding="utf-8"))
    return note


def _provenance(results: Path) -> Path:
    return results / "provenance.json"


def at_most(value: float, digits: int = 1) -> str:
    """Return as text what nothing exceeds, rounded so that this stays true.

    Examples
    --------
    >>> at_most(24.312), at_most(24.3), at_most(27.6811, 2), at_most(-0.04)
    ('24.4', '24.3', '27.69', '0.0')
    """
    return f"{upwards(value, digits):.{digits}f}"


def wall_seconds(*runs: Path) -> float:
    """Return the wall-clock seconds of run directories: of all sessions that evaluated something."""
    abouts = [read_about(run) for run in runs]
    sessions = [(session, about["evaluations"]["done"]) for about in abouts for session in about["sessions"]]
    return round(sum(session["wall_seconds"] for session, done in sessions if session["replayed"] < done), 1)


def show_training(name: str, every: int = 1) -> Callable[[Progress], None]:
    """Return a function that prints how far a training is: every so many generations of 105, and at the end."""

    def show(progress: Progress) -> None:
        if progress.evaluations == progress.total or progress.evaluations // 105 % every == 0:
            gain = 100 * (1 - progress.objective / progress.easy)
            amount = f"{progress.evaluations:,} of {progress.total:,}, {gain:.2f} %"
            print(f"  {name}: {amount}, {progress.elapsed:.0f} s", flush=True)

    return show


# --- trainings that results keep --------------------------------------------------------------------------------------


def load_policies(results: Path) -> dict[str, dict[str, Any]]:
    """Return what earlier calls have trained, by name: "policy" as JSON, and what else belongs to it."""
    path = results / POLICIES
    return dict(_policies_of(path, path.stat().st_mtime_ns)) if path.exists() else {}


@lru_cache(1)  # a thousand policies take a second, and are asked for one by one
def _policies_of(path: Path, written: int) -> dict[str, dict[str, Any]]:  # noqa: ARG001  # a newer file is read again
    """Return the policies of a file that was written at a time, ns."""
    values = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    return {value.pop("name"): value for value in values}


def save_policies(results: Path, policies: Mapping[str, Mapping[str, Any]]) -> None:
    """Write what was trained, a line each, sorted by name; the same policies make the same file."""
    lines = (json.dumps({"name": name, **value}) for name, value in sorted(policies.items()))
    with replacing(results / POLICIES) as temporary:
        temporary.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


# --- input and output of an analysis ----------------------------------------------------------------------------


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file; none if that part was not run."""
    return load_rows(path) if path.exists() else []


def groups_of(row: Mapping[str, str], key: str) -> list[float]:
    """Return the values of a key of every group that has jobs; {} in it is the number of the group."""
    return [float(cell) for name in names_of_groups(key) if (cell := row.get(name, ""))]


@cache
def names_of_groups(key: str) -> tuple[str, ...]:
    """Return the names of a key in all groups that a table may have."""
    return tuple(key.format(number) for number in range(1, 65))


def worst_group(row: Mapping[str, str]) -> float:
    """Return the gain of the group that gains least, per cent."""
    return min(groups_of(row, "AWRT{}_vs_easy"))


def gain_of(rows: Iterable[Mapping[str, str]]) -> float:
    """Return the mean gain of some rows, per cent."""
    return mean(float(row["objective_vs_easy"]) for row in rows)


def number(value: float) -> float | None:
    """Return a number; None if it is undefined."""
    return None if np.isnan(value) else float(value)


def ends_of_gains(sums: Sequence[WeekSums], wish: ps.Wish) -> dict[str, float | None]:
    """Return the ends of the intervals of a policy's gains over another, which comes first, by a bootstrap over weeks.

    They are of the objective and of AWRT, per cent; None where there are too few weeks.
    """
    names = ("objective_low", "objective_high", "AWRT_low", "AWRT_high")
    if len(sums[0].work) < LEAST_WEEKS:
        return dict.fromkeys(names)
    found = intervals(sums, wish)
    ends = (*found.goal_gains[1].tolist(), *found.gains[1, 1].tolist())
    return dict(zip(names, map(number, ends), strict=True))


def overall_and_worst(w: ps.Workload, easy: Floats, values: Floats) -> tuple[float, float]:
    """Return the gains of objectives over EASY's in AWRT and of the group that gains least, per cent; arrays (m,)."""
    gains = dict(zip((o.name for o in objective_table(w.groups)), (100 * (1 - values / easy)).tolist(), strict=True))
    of_groups = [gain for name, gain in gains.items() if name not in ("UTIL", "AWRT") and not np.isnan(gain)]
    return gains["AWRT"], min(of_groups)


def low_to_high(rows: Sequence[Mapping[str, str]], key: str, digits: int) -> str:
    """Return the ends of a column in per cent as text.

    >>> low_to_high([{"gain": "2.04"}, {"gain": "-1"}], "gain", 1)
    '-1.0 to +2.0 %'
    """
    values = [float(row[key]) for row in rows]
    return f"{min(values):+,.{digits}f} to {max(values):+,.{digits}f} %"


def longest_wait(row: Mapping[str, str]) -> float:
    """Return the largest 95th percentile wait of a group, as a multiple of EASY's; shorter waits count as an hour."""
    pairs = zip(groups_of(row, "wait_p95_{}"), groups_of(row, "wait_p95_{}_easy"), strict=True)
    return max(max(wait, 3600.0) / max(easy, 3600.0) for wait, easy in pairs)


def paper_values(experiment: str, key: Sequence[str] = ("item", "quantity")) -> dict[tuple[str, ...], str]:
    """Return the paper's values, by the columns of `key`."""
    return {tuple(row[name] for name in key): row["value"] for row in load_rows(paper_file(experiment))}


def paper_file(experiment: str) -> Path:
    """Return the file with a paper's values."""
    return EXPERIMENTS / experiment / "paper.csv"


def training_cost(trainings: Sequence[Mapping[str, str]], digits: int = 0) -> list[str]:
    """Return the cells of a cost table: trainings, simulations, CPU s, milliseconds a simulation, wall s."""
    evaluations = sum(int(row["evaluations"]) for row in trainings)
    kernel = sum(float(row["kernel_seconds"]) for row in trainings)
    wall = sum(float(row["wall_seconds"]) for row in trainings)
    milliseconds = f"{1000 * kernel / evaluations:.{digits}f}"
    return [str(len(trainings)), f"{evaluations:,}", f"{kernel:,.0f}", milliseconds, f"{wall:,.0f}"]


def versions_text(provenance: Mapping[str, Any]) -> str:
    """Return the versions in words."""
    return ", ".join(f"{name} {number}" for name, number in provenance["versions"].items())


def quick_remark(provenance: Mapping[str, Any], how: str) -> str:
    """Return a warning for the summary of a quick run; empty for a whole run."""
    return f"**A quick run {how}: a test of the path, not a result.** " if provenance["quick"] else ""


def cut_remark(provenance: Mapping[str, Any], logs: Iterable[str]) -> str:
    """Return a sentence for a summary: which share of the work of logs goes where runs are cut at their requests.

    The shares are those of `results/gfs/cut.csv`, of whole logs as they were recorded. A quick run, which has no log,
    and requests that are all raised have no sentence.

    Parameters
    ----------
    provenance
        Of the run.
    logs
        Names of `LOGS`, or RAISED, in any order, each as often as it comes.
    """
    names = set(logs)
    cut = names - {RAISED}
    if provenance["quick"] or not cut:
        return ""
    shares = {row["log"]: float(row["work_percent"]) for row in load_rows(ROOT / "results" / "gfs" / "cut.csv")}
    words = ", ".join(f"{log} {shares[log]:.1f} %" for log in sorted(cut, key=lambda log: (-shares[log], log)))
    unless = ", unless requests are said to be raised" if RAISED in names else ""
    return f"A run beyond its request is cut there{unless}; of all work of a log, as recorded, that takes: {words}. "


def opening(asked: str, came_out: str, sure: str, fails: str, do: str) -> list[str]:
    """Return the five sentences with which every summary begins."""
    sentences = {
        "What was asked": asked,
        "What came out": came_out,
        "How sure": sure,
        "Where it fails": fails,
        "What to do": do,
    }
    return [*(f"- **{name}:** {sentence}" for name, sentence in sentences.items()), ""]


def kept_words(results: Path) -> tuple[dict[str, str], list[str]]:
    """Return phrases and sections of a summary that stay as they were written, as the scripts of their tables are gone.

    They are in `kept.md`: lines "name: phrase", and the sections. `experiments/check.py` says if they, or the tables
    that they were written from, are others.
    """
    if not (results / "kept.md").exists():
        return {}, []
    begin, heading, rest = (results / "kept.md").read_text(encoding="utf-8").partition("## ")
    return dict(line.split(": ", 1) for line in begin.splitlines() if line), [*f"{heading}{rest}".splitlines(), ""]


def not_run(part: str) -> list[str]:
    """Return the lines for a part that was not run."""
    return [f"*{part}: not run.*", ""]


def chart(name: str) -> str:
    """Return the line for a figure that git does not keep."""
    return f"As a chart: `figures/{name}.png`, which `analysis.py` draws."


def save_summary(results: Path, lines: Sequence[str]) -> None:
    """Write the summary, and print it."""
    text = "\n".join(lines)
    with replacing(results / "summary.md") as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    print(text)


def save_figures(
    results: Path,
    figures: Mapping[str, Any],
    title: str,
    captions: Mapping[str, str] | None = None,
    about: str = "",
    wide: Sequence[str] = (),
) -> None:
    """Write figures as PNG files into the folder `figures` of the results, and a page with all of them.

    Git ignores most of them, see `.gitignore`. `wide` are the figures as wide as a page.
    """
    narrow = {name: figure for name, figure in figures.items() if name not in wide}
    export_figures(narrow, results / "figures", ("png",))
    for name in wide:
        write_figure(results / "figures" / f"{name}.png", name, figures[name])
    write_gallery(results / "figures" / "index.html", title, captions or dict.fromkeys(figures, ""), about)
