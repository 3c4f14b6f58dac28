"""Plans: several explorations of one workload whose fronts are merged, as data; and how they are explored.

"paper002" is Table 4 of paper 002, row by row; its evaluations add up to the paper's 153,080 function calls. What the
table leaves open is chosen as follows.

- Populations: "the offspring ... is restricted to about 60 elements" (section 4.3), so 60 for the sequences; the paper
  names none for the real-value coded search: 100.
- Recombination: operators "as described in [2, C3.3]" were tried, the paper names none; order crossover (OX) here.
- "Jobs (with 32 processors and/or 1 hour run time)": both conditions were applied; "either" here, as the larger set.
- The start solutions of the queue and the real-value coded search with EASY, since this paper's scheduler backfills.
- The frequency MJN belongs to every sequence row; the first one moves neighbours, MJL=1.

"better" has what the paper did not do: conservative backfilling and many-objective selection for the weighting,
sequences that start from known schedules, and the decoding by earliest fit with true run times. "algorithms" sets
algorithms against random search at equal evaluations, three seeds each, for both encodings. "moves" does so with the
moves that look at the parent's schedule; they begin with known schedules, and make few, more and many moves in the
first generation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.arguments import as_path, instance, list_argument
from ..core.arrays import Floats
from ..core.errors import InputError, one_of
from ..core.run_files import FRONT_FILE, is_run, runs_below
from ..encodings.orders import weak_orders
from ..fronts.front_files import load_front, save_front
from ..fronts.merging import merge
from ..fronts.quality_indicators import contributions
from ..simulation.objective import FROM_START
from ..workload.reopening import as_workload
from .evaluation import Compute, TlsFiles
from .exploration import explore
from .runs import FINISHED, known_parameters, read_about
from .settings import POPULATION, settle

if TYPE_CHECKING:
    from ..fronts.front import Front
    from ..workload.reopening import WorkloadLike
    from ..workload.workload import Workload
    from .exploration import Progress

STARTS = ("permutations", "submit", "weak", "random", "workload", "queue")  # any other start names a row


class Row(NamedTuple):
    """One exploration of a plan.

    Attributes
    ----------
    name
        Its run directory.
    title
        Its name for people.
    settings
        Keyword arguments of `explore`. A start that is not in STARTS names a row: it stands for that run's front.
    """

    name: str
    title: str
    settings: Mapping[str, Any]


class Summary(NamedTuple):
    """Rows of a plan whose fronts are reported as one merged front.

    Attributes
    ----------
    name, title
        As of a row.
    rows
        Names of the rows.
    """

    name: str
    title: str
    rows: tuple[str, ...]


def _row(name: str, title: str, **settings: Any) -> Row:
    """Return a row with immutable settings."""
    return Row(name, title, MappingProxyType(settings))


def _sequence(name: str, title: str, **settings: Any) -> Row:
    """Return a row of the sequence encoding, with what all such rows of Table 4 share."""
    common = {"encoding": "sequence", "decoding": "strict", "population": 60, "seed": 0, "frequency": 5_000}
    return _row(name, title, **(common | settings))


def _weighting(name: str, title: str, **settings: Any) -> Row:
    """Return a row of the weighting encoding, with what all such rows share."""
    common = {"encoding": "weighting", "algorithm": "nsga2", "population": 100, "seed": 0, "backfill": "easy"}
    return _row(name, title, **(common | settings))


def _from_known(name: str, title: str, **settings: Any) -> Row:
    """Return a row that begins with the start orders of known schedules and changes little of them."""
    common = {"algorithm": "nsga2", "evaluations": 4_000, "frequency": 50, "jump": 1_500, "start": ("weighting",)}
    return _sequence(name, title, **(common | settings))


WEIGHTING = _weighting("weighting", "Real value coded, NSGA-II", evaluations=20_000)

PAPER002 = (
    _row(
        "workload-permutation",
        "Workload permutation",
        encoding="orders",
        start=("workload",),
        evaluations=540,
    ),
    _row(
        "queue-permutation",
        "Queue permutation",
        encoding="orders",
        start=("queue",),
        backfill="easy",
        evaluations=540,
    ),
    _sequence(
        "nsga-adjacent",
        "Permutation coded, NSGA, adjacent swaps",
        algorithm="nsga",
        evaluations=24_000,
        moves="adjacent",
        jump=1,
        recombination="ox",
        start=("permutations",),
    ),
    _sequence(
        "nsga-swap",
        "Permutation coded, NSGA, distant swaps",
        algorithm="nsga",
        evaluations=24_000,
        moves="swap",
        jump=4_000,
        recombination="ox",
        start=("permutations",),
    ),
    _sequence(
        "nsga2-swap",
        "Permutation coded, NSGA-II, distant swaps",
        algorithm="nsga2",
        evaluations=24_000,
        moves="swap",
        jump=4_000,
        recombination="ox",
        start=("permutations",),
    ),
    _sequence(
        "nsga2-later",
        "Permutation coded, NSGA-II, towards the end",
        algorithm="nsga2",
        evaluations=30_000,
        moves="later",
        movable="all",
        jump=1_500,
        recombination="none",
        start=("submit",),
    ),
    _sequence(
        "nsga2-group",
        "Permutation coded, NSGA-II, big jobs of other groups towards the end",
        algorithm="nsga2",
        evaluations=30_000,
        moves="group",
        movable="either",
        jump=1_500,
        recombination="none",
        start=("submit",),
    ),
    WEIGHTING,
)

# Each row is one step beyond the paper; they are measured against WEIGHTING, which is the paper's.
BETTER = (
    WEIGHTING,
    _weighting("weighting-none", "Weighting without backfilling, NSGA-II", backfill="none", evaluations=8_000),
    _weighting("weighting-unsga3", "Weighting with EASY, U-NSGA-III", algorithm="unsga3", evaluations=4_000),
    _weighting("weighting-agemoea2", "Weighting with EASY, AGE-MOEA-II", algorithm="agemoea2", evaluations=4_000),
    _weighting(
        "weighting-conservative",
        "Weighting with conservative backfilling, AGE-MOEA-II",
        algorithm="agemoea2",
        backfill="conservative",
        evaluations=500,
        population=50,
    ),
    _from_known("sequence-later", "Strict sequences, towards the end", moves="later", movable="either"),
    _from_known("sequence-group", "Strict sequences, other groups towards the end", moves="group", movable="either"),
    # the frequencies are those that the plan "moves" found best
    _from_known("sequence-pull", "Strict sequences, expensive waits forward", moves="pull", frequency=5_000),
    _from_known("sequence-fill", "Strict sequences, into idle processors", moves="fill", frequency=5_000),
    _from_known("sequence-both", "Strict sequences, forward or into idle processors", moves="both", frequency=5_000),
    _weighting(
        "offline-members",
        "Schedules of the weighting front, decoded by earliest fit",
        algorithm="all",
        decoding="earliest",
        start=("weighting",),
        evaluations=20_000,  # at most; the front has fewer schedules
    ),
    _weighting(
        "offline-weighting",
        "Weighting with EASY decoded by earliest fit, AGE-MOEA-II",
        algorithm="agemoea2",
        decoding="earliest",
        start=("weighting",),
        evaluations=4_000,
    ),
    _from_known(
        "earliest-group", "Earliest-fit sequences, other groups towards the end", moves="group", decoding="earliest"
    ),
    _from_known("earliest-pull", "Earliest-fit sequences, expensive waits forward", moves="pull", decoding="earliest"),
)

COMPARED = {"nsga2": "NSGA-II", "unsga3": "U-NSGA-III", "agemoea2": "AGE-MOEA-II", "rvea": "RVEA", "random": "random"}
ALGORITHMS = (
    *(
        _weighting(
            f"weighting-{algorithm}-{seed}",
            f"Weighting, {title}, seed {seed}",
            algorithm=algorithm,
            seed=seed,
            evaluations=2_000,
        )
        for algorithm, title in COMPARED.items()
        for seed in (1, 2, 3)
    ),
    *(
        _sequence(
            f"sequence-{algorithm}-{seed}",
            f"Sequences, {title}, seed {seed}",
            algorithm=algorithm,
            seed=seed,
            evaluations=2_000,
            moves="later",
            movable="either",
            frequency=500,
            jump=1_500,
            recombination="none",
            start=("permutations",),
        )
        for algorithm, title in COMPARED.items()
        for seed in (1, 2, 3)
    ),
)

INFORMED = {"pull": "expensive waits forward", "fill": "into idle processors", "both": "either"}
MOVES = (
    WEIGHTING,
    *(
        _from_known(
            f"moves-{moves}-{frequency}-{seed}",
            f"Sequences, {title}, {frequency:,} at first, seed {seed}",
            moves=moves,
            frequency=frequency,
            seed=seed,
            evaluations=2_000,
        )
        for moves, title in INFORMED.items()
        for frequency in (50, 500, 5_000)
        for seed in (1, 2, 3)
    ),
)

PLANS: Mapping[str, tuple[Row, ...]] = MappingProxyType(
    {"paper002": PAPER002, "better": BETTER, "algorithms": ALGORITHMS, "moves": MOVES}
)
SUMMARIES = (
    Summary("nsga", "All NSGA results", ("nsga-adjacent", "nsga-swap")),
    Summary("nsga2", "All NSGA-II results", ("nsga2-swap", "nsga2-later", "nsga2-group")),
    Summary("final", "Final solution", tuple(row.name for row in PAPER002)),
)


def rows_of(plan: str, only: Sequence[str] = ()) -> tuple[Row, ...]:
    """Return the rows of a plan, all or `only` some, in the plan's order.

    Raises
    ------
    InputError
        There is no such plan or row.

    Examples
    --------
    >>> [row.name for row in rows_of("paper002", ["weighting", "nsga-swap"])]
    ['nsga-swap', 'weighting']
    """
    one_of("plan", plan, list(PLANS))
    names = [row.name for row in PLANS[plan]]
    for name in list_argument("rows of a plan", only):
        one_of(f"row of the plan {plan}", name, names)
    return tuple(row for row in PLANS[plan] if not only or row.name in only)


def shorten(row: Row, evaluations: int, population: int | None = None) -> Row:
    """Return a row with at most so many evaluations, and at most such a population.

    Examples
    --------
    >>> shorten(WEIGHTING, 60, 20).settings["evaluations"]
    60
    """
    fewer = {"evaluations": min(evaluations, row.settings["evaluations"])}
    if population is not None and "population" in row.settings:
        fewer["population"] = min(population, row.settings["population"])
    return row._replace(settings=MappingProxyType({**row.settings, **fewer}))


def settings_in(row: Row, directory: str | os.PathLike[str], names: Collection[str] = ()) -> dict[str, Any]:
    """Return the keyword arguments of `explore` for a row; a start that names a row becomes its run directory.

    UTIL is that of the papers unless the row says otherwise.

    Raises
    ------
    InputError
        The row starts from another row that has no front yet and is not among `names`.
    """
    settings = {"util_from": FROM_START, **row.settings}
    if "start" not in settings:
        return settings
    starts = []
    for start in settings["start"]:
        place = Path(directory) / start
        if start not in STARTS and start not in names:
            about = read_about(place) if is_run(place) else {}
            if about.get("status") != FINISHED:
                raise InputError(
                    f"row {row.name} starts from the front of {start}, but {place} is not finished; explore it first"
                )
        starts.append(start if start in STARTS else str(place))
    return settings | {"start": tuple(starts)}


def explore_plan(
    workload: WorkloadLike,
    directory: str | os.PathLike[str],
    rows: str | Sequence[Row],
    *,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    progress: Callable[[Row, Progress], object] | None = None,
) -> Front:
    """Explore row after row, each in a run directory of its own, and merge their fronts.

    Runs that exist already are continued or, if finished, read. So the same call continues an interrupted plan.

    Parameters
    ----------
    workload
        What is simulated; or the path of a log or of a run directory.
    directory
        Gets a run directory for each row, and front.parquet, the merged front of all runs in it, those of earlier
        calls included. The front is also written when an exploration is interrupted. The parent must exist.
    rows
        The name of a plan, or rows of one, see `rows_of`.
    workers, scheduler, tls
        Where simulations run, see `evaluation.evaluator`.
    progress
        Called with the row and a `Progress` after every generation.

    Returns
    -------
    Front
        The merged front.

    Raises
    ------
    InputError
        As for `explore`, `settings_in` and `merge`.
    """
    place = as_path(directory)
    compute = Compute(workers, scheduler, tls, progress)
    workload = as_workload(workload)
    rows = (
        rows_of(rows) if isinstance(rows, str) else [instance("rows", row, Row) for row in list_argument("rows", rows)]
    )
    _check_rows(workload, place, rows)
    is_new = not place.exists()
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{place}: cannot make this directory: {error.strerror}") from None
    try:
        for row in rows:
            settings = settings_in(row, place)
            if row.settings.get("encoding") == "orders":  # the number in the table is for five groups
                settings["evaluations"] = max(1, len(weak_orders(len(workload.groups))) - 1)
            explore(
                workload,
                place / row.name,
                **compute._replace(progress=progress and partial(progress, row))._asdict(),
                **settings,
            )
    except BaseException:
        with suppress(InputError):  # the first error is what matters
            save_front(merge([load_front(run) for run in runs_in(place)]), place / FRONT_FILE)
        if is_new:
            with suppress(OSError):  # something may be in it already
                place.rmdir()
        raise
    front = merge([load_front(run) for run in runs_in(place)])
    save_front(front, place / FRONT_FILE)
    return front


def _check_rows(workload: Workload, place: Path, rows: Sequence[Row]) -> None:
    """Refuse a plan that could not be completed, before anything is made or simulated."""
    if is_run(place):
        raise InputError(f"{place}: the directory of a plan holds runs, but this is a run itself")
    if not rows:
        raise InputError("there is no row in the plan; give one or more")
    for run in runs_below(place):
        if known_parameters(run).get("workload") != workload.digest:
            raise InputError(
                f"{run}: the runs of a plan must be of one workload: jobs, capacity and groups, but this is not "
                f"of {workload.name} ({workload.digest[:12]}); give log, capacity, groups and overrun of the first "
                "run, or another directory"
            )
    of_explore = ("evaluations", "workers", "scheduler", "seed", "population")
    for i, row in enumerate(rows):
        settings = settings_in(row, place, {before.name for before in rows[:i]})
        if set(settings.get("start", ())) <= set(STARTS):
            words = {key: word for key, word in settings.items() if key not in of_explore}
            settle(workload, {}, seed=0, population=settings.get("population", POPULATION), **words)


def runs_in(directory: str | os.PathLike[str]) -> list[Path]:
    """Return the run directories in the directory of a plan that have a front, sorted by name."""
    return [run for run in runs_below(directory) if (run / FRONT_FILE).is_file()]


def results_in(directory: str | os.PathLike[str], easy: Floats | None = None) -> list[dict[str, Any]]:
    """Return what each run in the directory of a plan has cost and contributed to the merged front.

    `easy` is what EASY reaches on its jobs, (m,), see `box_of`.

    The keys are "row", the name of the run; "seconds" of CPU time and "ms" a simulation; and those of `contributions`.
    """
    places = runs_in(directory)
    results = []
    fronts = [load_front(place) for place in places]
    for place, contribution in zip(places, contributions(fronts, easy=easy), strict=True):
        seconds = read_about(place)["kernel_seconds"]
        milliseconds = 1000 * seconds / contribution["evaluations"]
        results.append({"row": place.name, "seconds": seconds, **contribution, "ms": milliseconds})
    return results
