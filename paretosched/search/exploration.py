"""Explore what is possible: evolve policies on a workload, keep every evaluation, publish the front."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import as_path, list_argument, number, whole_number
from ..core.arrays import Ints
from ..core.errors import InputError, printable
from ..core.files import check_writable
from ..core.run_files import FRONT_FILE, WEIGHTINGS
from ..encodings.encoding import ENCODINGS, Explored, words_of
from ..encodings.sequence import Sequences
from ..fronts.dominance import costs, first_of_equals, nondominated_rows
from ..fronts.front import Front, Origin, front_of
from ..fronts.front_files import save_front
from ..simulation.objective import FROM_START, FROM_SUBMISSION, objective_count, objective_table
from ..wishes.wish_files import WishLike, measuring
from ..workload.measures import with_objectives
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.reopening import record as workload_record
from ..workload.workload import Workload
from . import runs
from .aims import aim_of
from .algorithms.archive_search import Aim
from .algorithms.spaces import Search
from .evaluation import Compute, Simulations, TlsFiles, simulations, versions
from .last_tenth import gain_of_last_tenth
from .last_tenth import until as stop_at
from .resuming import Record, advance
from .settings import AIMS, ALL, BEGUN, OBJECTIVES, POPULATION, Settings, settle, start_names

MOST_EVALUATIONS = 10_000_000  # 4 GB, with five groups
PUBLISH_EVERY = 30.0  # s between two published fronts at least
DEFAULTS: dict[str, Any] = {
    "population": POPULATION,
    "seed": 0,
    "encoding": "weighting",
    "start": (),
    "util_from": FROM_SUBMISSION,
}
NO_WORDS = ("workload", OBJECTIVES, "run_directory", "evaluations", "until", "workers", "scheduler", "tls", "progress")
UNKEPT = "run"  # the name of a run that is not kept
POPULATIONS = 10  # of weightings that sequences begin with
FILTER_SHARE = 0.01  # of the time may go into counting the front for the progress display
PUBLISH_SHARE = 0.05  # of the time may go into publishing
LAGS_A_SLOT = 10  # a lag of so many times what can be simulated at a time has work for all of these

_log = logging.getLogger(__name__)


class Progress(NamedTuple):
    """How far an exploration is, after a generation.

    Attributes
    ----------
    generation
        From 0; -1 if there was nothing to do.
    evaluations, total
        How many are done, those from the store included, and how many are wanted.
    replayed
        How many of them come from the store.
    front
        Size of the front when it was last counted, see `counted`.
    seconds
        CPU seconds of all simulations.
    elapsed
        Seconds since this exploration was started or continued.
    best
        (m,) best value of each objective so far, natural units; NaN where undefined.
    gained
        By which share the last tenth has enlarged the hypervolume in the box, see `last_tenth`. It is counted now and
        then, and at the end; None in all other reports, and if it is unknown.
    beginning
        Whether all this is of the weightings that sequences begin with, before their own exploration.
    counted
        How many evaluations were done when the front was counted.
    """

    generation: int
    evaluations: int
    total: int
    replayed: int
    front: int
    seconds: float
    elapsed: float
    best: tuple[float, ...]
    gained: float | None = None
    beginning: bool = False
    counted: int = 0


def explore(
    workload: WorkloadLike,
    run_directory: str | os.PathLike[str] | None = None,
    *,
    evaluations: int | None = None,
    population: int | None = None,
    seed: int | None = None,
    encoding: str | Explored | None = None,
    algorithm: str | None = None,
    start: Sequence[str] | None = None,
    draw: str | None = None,
    objectives: str | Sequence[str] | None = None,
    wish: WishLike | None = None,
    box: float | None = None,
    until: float | None = None,
    backfill: str | None = None,
    decoding: str | None = None,
    moves: str | None = None,
    movable: str | None = None,
    recombination: str | None = None,
    frequency: float | None = None,
    jump: float | None = None,
    copies: bool | None = None,
    forget: bool | None = None,
    lag: int | None = None,
    surrogate: bool | None = None,
    util_from: str | None = None,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Front:
    """Explore the possible schedules of a workload, and keep the front.

    The front is the non-dominated set of all evaluations, not of the last population. A run that the directory holds is
    continued: the result is the same as if it had never stopped, with any `workers`; if it has as many evaluations
    already, its front is returned. What determines a run, `population` to `util_from`, stays as it is in it: what is
    not given again is that of the run. Ctrl-C leaves a run that can be continued and a front of what was done.

    Parameters
    ----------
    workload
        What is simulated; or the path of a log or of a run directory.
    run_directory
        Where the run is kept; its parent must exist. Without one the run is kept in a temporary folder and cannot be
        continued; the front is all that stays.
    evaluations
        How many schedules are simulated in all, with those of a continued run; ten million at most. By default 20,000,
        400 of limits, or all where schedules are enumerated. Weightings that sequences begin with are not counted.
    population, seed
        Schedules a generation; with "archive" the lag, and the least number drawn at first; by default 100, and seed 0.
    encoding
        "weighting" (the default): parameters of Greedy (paper 002, "Real-valued Coding"). "sequence": an order of all
        jobs ("Coding as Permutation"). "orders": its start solutions. "priority": see `trained_order`. "limits": see
        `site_limits`. Or a value, such as `Weighting("none")`.
    algorithm
        One of `named_algorithms.ALGORITHMS`; by default "archive", and "all" for orders, which enumerates.
    start
        What to begin with. Sequences: see `starts.start_orders`, or "weightings" (the default with "archive", else it
        is "submit"), the front of ten populations that are explored first, a run in the run's directory with the same
        seed, wish and box. Weighting: see `starts.members`; these are in the first population (by default it is
        random), or with "all" all that is simulated. Orders: "workload", "queue", or both. Limits: the site's order.
    draw
        How random weightings are drawn: "uniform", each gene for itself, by default but for "archive"; or "tied", the
        same in all situations and on a logarithmic scale, as algorithm "archive" always does.
    objectives
        What schedules are compared by, such as "UTIL, p95 wait of gpu, mean slowdown", see `workload.measures`; by
        default the papers', UTIL and the AWRT of each group, and what the wish measures.
    wish, box
        Where algorithm "archive" looks, see `aims`: what the owner wants, a goal and limits, or limits alone, such as a
        region; and how many times EASY's values are acceptable where the wish has no limit, by default 1.5.
    until
        A share, such as 0.001: the run ends before `evaluations` when a tenth of its work has enlarged the hypervolume
        in the box by less, see `last_tenth`. It is no part of the run, which can be continued with another one.
    backfill
        Of Greedy, and of orders applied to the queue: "none", "easy" or "conservative".
    decoding
        How an order becomes a schedule: "strict" or "earliest" (the default for sequences); for a weighting
        "online" (the default) or "earliest".
    moves, movable, recombination, frequency, jump, copies, forget
        How sequences are varied, see `Sequences`; moves and their mean length in the first generation, by default
        5000 (from known schedules 500 pulls, 50 other moves) and 1500; copies of starts; if they are forgotten.
    lag
        Of algorithm "archive", by default the population: schedule k depends on those up to k - lag only.
    surrogate
        Of algorithm "archive", weightings or "priority": whether a model chooses children, see `algorithms.surrogate`.
    util_from
        From when on UTIL counts: the first "submission" (the default), or the first "start", as in the papers.
    workers, scheduler, tls
        Where simulations run, see `evaluation.evaluator`.
    progress
        Called with a `Progress` after every generation.

    Returns
    -------
    Front
        The front, which is front.parquet in the run directory, if there is one.

    Raises
    ------
    InputError
        A parameter breaks its rule, the directory holds something else, or the scheduler cannot be used.
    """
    given = dict(locals())
    if run_directory is None:
        with TemporaryDirectory(prefix="paretosched-") as folder:
            return explore(**given | {"run_directory": Path(folder) / UNKEPT})
    compute = Compute(workers, scheduler, tls, progress)
    known_parameters = runs.known_parameters(run_directory)
    workload = searched_for(
        as_workload(workload), known_parameters.get(OBJECTIVES) if objectives is None else objectives, wish
    )
    words: dict[str, Any] = {key: word for key, word in given.items() if key not in NO_WORDS}
    words = DEFAULTS | {key: word for key, word in words_of_run(words, known_parameters).items() if word is not None}
    words |= {key: whole_number(key, words[key]) for key in ("population", "seed", "lag") if key in words}
    words["start"] = _start(workload, run_directory, known_parameters, words, (evaluations, until), compute)
    settings = settle(workload, known_parameters, **words)
    simulating = partial(simulations, [workload], settings.encoding, compute, settings.util_from)
    amounts = evaluations, until, words["population"]
    return _explore(workload, run_directory, known_parameters, settings, amounts, simulating, progress)


def searched_for(workload: Workload, objectives: Any, wish: WishLike | None) -> Workload:
    """Return a workload with the objectives of a search, in words or None, and with what a wish measures.

    Raises
    ------
    InputError
        As for `with_objectives` and `as_wish`.
    """
    if objectives is not None:
        return with_objectives(workload, objectives)
    measured = () if wish is None else measuring(wish, workload)[1].measured.names
    if workload.measured.deciding or not measured:
        return workload
    return with_objectives(workload, [*(o.name for o in objective_table(workload.groups) if o.decides), *measured])


def _start(
    workload: Workload,
    run_directory: str | os.PathLike[str],
    known_parameters: Mapping[str, Any],
    words: Mapping[str, Any],
    amounts: tuple[int | None, float | None],
    compute: Compute,
) -> Sequence[str]:
    """Return what a run begins with; for sequences of a new run, explore the weightings first that they begin with.

    The amounts are the evaluations, and until which gain. Meanwhile the run has the words it was asked for with, so
    that it can be continued without them, but no starts yet.
    """
    start: Sequence[str] = words["start"]
    name = Sequences().name
    if isinstance(start, str) or getattr(words["encoding"], "name", words["encoding"]) != name:
        return start
    start = list_argument("start", start)
    is_known = known_parameters.get("encoding") == name
    has_begun = (is_known and "starts" in known_parameters) or runs.count_evaluations(as_path(run_directory)) > 0
    if not has_begun and not start and words.get("algorithm", "archive") == "archive":
        start = [WEIGHTINGS]
    if WEIGHTINGS not in start:
        return start
    place = as_path(run_directory) / WEIGHTINGS
    if not has_begun:
        others = ["submit" if word == WEIGHTINGS else word for word in start]
        settings = settle(workload, {}, **{**words, "start": others})  # wrong words are refused before the work
        evaluations, until = amounts
        if until is not None:
            _share(until, settings.algorithm)
        if evaluations is not None or settings.algorithm != ALL:
            evaluations = _budget(evaluations, settings, words["population"], run_directory, False)
        unknown = {"starts", *(key for key in ("frequency", "jump") if key not in words)}  # they follow from the start
        parameters = {key: x for key, x in settings.parameters.items() if key not in unknown}
        parameters["start"] = start_names(start)
        differences = runs.parameter_differences({"parameters": known_parameters}, parameters) if is_known else []
        if differences:
            raise InputError(f"{run_directory}: {differences[0]}")
        with runs.open_run(run_directory, parameters, evaluations) as run:
            about = {**run.about, "workload": workload_record(workload), "groups": list(workload.groups)}
            runs.describe_run(run, about)
            try:
                _explore_weightings(workload, place, words, compute)
            except BaseException:
                runs.describe_run(run, about | {"status": runs.INTERRUPTED})
                raise
    return [str(place) if word == WEIGHTINGS else word for word in start]


def _explore_weightings(
    workload: Workload,
    place: Path,
    words: Mapping[str, Any],
    compute: Compute,
) -> None:
    """Explore the weightings that sequences begin with, as a run of its own."""
    tell = compute.progress
    explore(
        workload,
        place,
        evaluations=POPULATIONS * words["population"],
        **{key: words[key] for key in ("population", "seed", "lag", "util_from", *AIMS) if key in words},
        **compute._replace(progress=tell and (lambda done: tell(done._replace(beginning=True))))._asdict(),
    )


def words_of_run(words: Mapping[str, Any], known_parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return words of `explore`, with those of the run that is continued in place of None.

    If another encoding or algorithm is given, the words of the run may mean nothing there: then there are none.

    Examples
    --------
    >>> words_of_run({"encoding": None, "moves": None, "seed": 1}, {"encoding": "sequence", "moves": "swap", "seed": 0})
    {'encoding': 'sequence', 'moves': 'swap', 'seed': 1}
    >>> words_of_run({"encoding": "weighting", "moves": None}, {"encoding": "sequence", "moves": "swap"})
    {'encoding': 'weighting', 'moves': None}

    A run that does not say from when on UTIL counts is of an earlier version, or of the papers.

    >>> words_of_run({"encoding": None, "util_from": None}, {"encoding": "weighting"})
    {'encoding': 'weighting', 'util_from': 'start'}

    What a damaged run says of itself is refused later.

    >>> words_of_run({"encoding": None}, {"encoding": ["weighting"], "algorithm": "all"})
    {'encoding': ['weighting']}
    """
    kinds = {key: getattr(words.get(key), "name", words.get(key)) for key in ("encoding", "algorithm")}
    of_training = "task" in known_parameters
    if of_training or any(kind not in (None, known_parameters.get(key)) for key, kind in kinds.items()):
        return dict(words)
    known = {"util_from": FROM_START, **known_parameters} if known_parameters else {}
    if not isinstance(words.get("encoding"), str | None):  # a value, which has words of its own
        known = {key: x for key, x in known.items() if key not in words_of(str(kinds["encoding"]))}
    if known.get("algorithm") == ALL and str(known.get("encoding")) in ENCODINGS:
        variation = ENCODINGS[known["encoding"]]().variation  # nothing varies, so that these words are not given
        known = {key: x for key, x in known.items() if key not in (*variation.words, *variation.strategy)}
    if known.get("moves") == "adjacent":
        known.pop("jump", None)  # such moves have one length, which is not given
    return {key: known.get(key) if word is None else word for key, word in words.items()}


def _explore(
    workload: Workload,
    run_directory: str | os.PathLike[str],
    known_parameters: Mapping[str, Any],
    settings: Settings,
    amounts: tuple[int | None, float | None, int],
    simulating: Callable[[], AbstractContextManager[Simulations]],
    progress: Callable[[Progress], object] | None,
) -> Front:
    """Explore with settings; the amounts are the evaluations, until which gain, and the population."""
    evaluations, until, population = amounts
    if until is not None:
        until = _share(until, settings.algorithm)
    evaluations = _budget(evaluations, settings, population, run_directory, until is not None)
    parameters = dict(settings.parameters)
    generations = None
    if settings.algorithm == "rvea":
        generations = -(-evaluations // population)
        parameters["generations"] = generations  # the genomes that rvea asks for depend on it
    search = settings.start_search(generations)
    known_generations = known_parameters.get("generations", generations)
    if known_parameters.get("algorithm") == settings.algorithm == "rvea" and known_generations != generations:
        raise InputError(
            f"{run_directory}: the evaluations of rvea are part of the run, which has "
            f"{runs.wanted_evaluations(run_directory)}, so it cannot be continued to {evaluations}"
        )
    with runs.open_run(run_directory, parameters, evaluations) as run:
        shape = len(settings.encoding.gene_labels(len(workload.groups))), objective_count(workload)
        about = {"workload": workload_record(workload), "groups": list(workload.groups)}
        record = Record(run, shape, evaluations, about, _all_versions())
        aim, search_lag = settings.aim or aim_of(workload), settings.lag
        if until is not None:
            search_lag = None if search_lag == math.inf else search_lag  # it must hear of costs to stop
            whole_lag = None if search_lag is None else int(search_lag)
            search = stop_at(search, aim, until, population, len(record.stored_rows), whole_lag)
        publisher = _Publisher(record, workload, settings.encoding, aim, progress)
        return _run_search(search, search_lag, publisher, simulating)


def _budget(
    evaluations: int | None,
    settings: Settings,
    population: int,
    run_directory: str | os.PathLike[str],
    stops: bool,
) -> int:
    """Return how many schedules are simulated in all: the argument, else what the run has, else the default.

    A run that `stops` by itself has fewer than it was allowed; when it is continued, it may have the default again.
    """
    if evaluations is None:
        wanted = runs.wanted_evaluations(run_directory)
        if stops and wanted is not None and runs.read_about(run_directory).get("status") == runs.FINISHED:
            wanted = max(wanted, settings.evaluations)
        evaluations = wanted or settings.evaluations
    evaluations = whole_number("evaluations", evaluations)
    if evaluations < population and settings.algorithm != ALL:
        raise InputError(f"evaluations must be at least the population, {population}, but are {evaluations}")
    if not 1 <= evaluations <= MOST_EVALUATIONS:
        raise InputError(f"evaluations must be in 1..{MOST_EVALUATIONS}, but are {evaluations}")
    return evaluations


def _share(until: float, algorithm: str) -> float:
    """Return a share of the hypervolume; raise InputError if it is none, or where nothing can stop."""
    if algorithm in (ALL, "rvea"):
        why = "whose genomes depend on how many there will be" if algorithm == "rvea" else "which ends by itself"
        raise InputError(f'until must not be given with the algorithm "{algorithm}", {why}')
    share = number("until", until)
    if not 0 < share < 1:
        raise InputError(f"until must be a share above 0 and below 1, such as 0.001, but is {share:g}")
    return share


def _run_search(
    search: Search,
    lag: float | None,
    publisher: _Publisher,
    simulating: Callable[[], AbstractContextManager[Simulations]],
) -> Front:
    """Run a search on its record, publish its front now and then, and return the last one."""
    record = publisher.record
    total = record.total
    try:
        if len(record.stored_rows) < record.total:
            with simulating() as there:
                _remark_idle(there, lag, record.about["parameters"]["population"])
                for generation in advance(search, record, there, lambda v: costs(v, publisher.objectives), lag):
                    publisher.report(generation)
                    if record.count < record.total:
                        publisher.publish_now_and_then()
                if record.total < total:
                    publisher.report(generation)
        else:
            record.take_stored()
            publisher.report(-1)
    except BaseException:
        record.take_stored()
        publisher.publish(runs.INTERRUPTED)
        raise
    return publisher.publish(runs.FINISHED)


def _remark_idle(there: Simulations, lag: float | None, population: int) -> None:
    """Say that a lag, or a generation, is smaller than what can be simulated at a time; it stays so in this run."""
    idle, slots = there.idle(population if lag is None else lag)
    if idle:
        what, more = (f"generations of {population}", f"--population {slots}")
        if lag is not None:
            what, more = f"a lag of {lag:g}", f"--lag {LAGS_A_SLOT * slots}"
        _log.warning(
            "%d of %d workers will idle: the run has %s; a new one with %s has work for all", idle, slots, what, more
        )


class _Publisher:
    """Reports the progress of an exploration to its caller, and writes its front and run.json."""

    def __init__(
        self,
        record: Record,
        workload: Workload,
        encoding: Explored,
        aim: Aim,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        self.record = record
        self.workload = workload
        self.encoding = encoding
        self.aim = aim
        self.gained_at = -np.inf
        self.gain_seconds = 0.0
        self.progress = progress
        self.objectives = objective_table(workload)
        self.maximised = np.array([objective.maximise for objective in self.objectives])
        self.best = np.full(len(self.objectives), np.nan)
        self.published_at = time.perf_counter()
        self.publish_seconds = 0.0
        front = record.run.directory / FRONT_FILE
        check_writable(front)
        self.is_published = front.exists()
        self.front = self.counted = 0
        nondominated_rows(np.zeros((1, self.best.size)), self.objectives)  # loads its library before it is timed
        self.report_end = 0
        self.counted_at = -np.inf
        self.rows = np.arange(0)  # of the first `known` evaluations, those that none of them dominates
        self.known = 0
        self.count_seconds = 0.0
        record.write(runs.RUNNING, front=0)

    def report(self, generation: int) -> None:
        """Report to the caller; the front is counted as often as its share of the time allows."""
        if self.progress is None:
            return
        record = self.record
        values = record.values[: record.count]
        latest = values[self.report_end :]
        self.report_end = record.count
        if len(latest):  # where nothing but NaN is known, it stays NaN
            least, most = np.fmin.reduce(latest), np.fmax.reduce(latest)
            self.best = np.where(self.maximised, np.fmax(self.best, most), np.fmin(self.best, least))
        now = time.perf_counter()
        is_due = now - self.counted_at >= self.count_seconds / FILTER_SHARE
        if (is_due and record.count) or record.count == record.total:  # the first report may be of none
            rows = self._filter()
            self.front, self.counted = int(first_of_equals(values[rows], self.objectives).sum()), record.count
            self.counted_at = time.perf_counter()
            self.count_seconds = self.counted_at - now
        now = time.perf_counter()
        gained = None
        if now - self.gained_at >= self.gain_seconds / FILTER_SHARE or record.count == record.total:
            gained = gain_of_last_tenth(costs(values, self.objectives), self.aim)
            self.gained_at = time.perf_counter()
            self.gain_seconds = self.gained_at - now
        counts = generation, record.count, record.total, record.from_store
        best, spent = tuple(self.best.tolist()), (record.seconds, record.wall_seconds)
        self.progress(Progress(*counts, self.front, *spent, best, gained, counted=self.counted))

    def _filter(self) -> Ints:
        """Return the evaluations that none dominates, and those that are equal to them; only new ones are compared."""
        count = self.record.count
        among = np.concatenate([self.rows, np.arange(self.known, count)])
        self.rows = among[nondominated_rows(self.record.values[among], self.objectives, equal=True)]
        self.known = count
        return self.rows

    def publish_now_and_then(self) -> None:
        """Publish after the first new generation, and then every PUBLISH_EVERY seconds, or less often if it is long."""
        record = self.record
        if record.count <= len(record.stored_rows):
            return
        pause = max(PUBLISH_EVERY, self.publish_seconds / PUBLISH_SHARE)
        if time.perf_counter() - self.published_at >= pause or not self.is_published:
            self.publish(runs.RUNNING)

    def publish(self, status: str) -> Front:
        """Write front.parquet and run.json; return the front."""
        began = time.perf_counter()
        record, workload = self.record, self.workload
        parameters = record.about["parameters"]
        origin = Origin(
            name=printable(Path(record.run.directory).resolve().name),
            algorithm=parameters["algorithm"],
            seed=parameters["seed"],
            population=parameters["population"],
            encoding=self.encoding,
            begun=tuple(sorted((key, str(parameters[key])) for key in BEGUN if key in parameters)),
            versions=tuple(sorted(record.about["versions"].items())),
        )
        values, genomes = record.values[: record.count], record.genomes[: record.count]
        front = front_of(
            values, genomes, origin, workload.groups, workload.name, workload.digest, self._filter(), workload.measured
        )
        if record.count:
            save_front(front, record.run.directory / FRONT_FILE)
            self.is_published = True
        record.write(status, front=len(front))
        self.front, self.counted = len(front), record.count
        self.published_at = time.perf_counter()
        self.publish_seconds = self.published_at - began
        return front


def _all_versions() -> dict[str, str]:
    """Return the versions of the software that a search depends on, by name."""
    return versions() | {package: version(package) for package in ("pymoo", "moocore")}
