"""What determines an exploration, in words of an owner: the encoding, the algorithm and the start.

The start of a run may come from another run. It is written into the parameters of the new run, or its digest if it is
long, so that a run is continued with the start it had.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatch
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import instance, list_argument, number
from ..core.arrays import Floats
from ..core.errors import InputError, one_of
from ..encodings import encoding as encodings
from ..encodings import orders, sequence
from ..encodings.encoding import Explored
from ..encodings.genomes import check_bounds
from ..encodings.orders import Orders
from ..encodings.sequence import Sequences
from ..encodings.site_limits import SiteLimits, machine_of, settings_today, site_limits
from ..encodings.trained_order import TrainedOrders
from ..fronts.front import ONLINE_LATE_KEY, UTIL_FROM_KEY
from ..fronts.quality_indicators import REACH
from ..policies.decoded_orders import check_decoding
from ..simulation.objective import FROM_START, FROM_SUBMISSION, UTIL_FROM, can_run_at_once
from ..wishes.wish import wish_text
from ..wishes.wish_files import as_wish
from ..workload.workload import Workload
from .aims import aim_of
from .algorithms.archive_search import Aim
from .algorithms.formula_moves import FormulaMoves
from .algorithms.limit_moves import LimitMoves
from .algorithms.named_algorithms import ALGORITHMS, MOST_POPULATION, enumeration, lag_of, search
from .algorithms.spaces import Reals, Recipes, Search, Space
from .algorithms.weighting_points import tied_genomes
from .behaviour import BEHAVIOURS
from .starts import is_front, members, order_of_site, start_orders

POPULATION = 100
EVALUATIONS = 20_000  # paper 002, Table 4, "Real Value Coded"
LIMITS = 400  # evaluations by limits, which are few, and with which simulations take long
FREQUENCY, JUMP = 5000.0, 1500.0  # paper 002, Table 4: mutation jump number and length
FEW = 50.0  # moves from known schedules, of which thousands of moves would leave nothing
FEW_PULLS = 500.0  # which go where jobs wait, so that more of them still help
RECOMBINED = 0.3  # paper 002, Table 4: share of the children with two parents
FIRST = ("copies", "forget")  # what becomes of the start orders in the first generation
ALL = "all"
OBJECTIVES = "objectives"
AIMS = ("wish", "box")  # where an archive search looks; see `aims`
DRAWS = ("uniform", "tied")  # how random weightings are drawn; see `weighting_points`
# parameters beside those of the encoding
BEGUN = (
    "start", "start_digest", "draw", *AIMS, "frequency", "jump", *FIRST, "generations", "lag", "surrogate",
    UTIL_FROM_KEY, ONLINE_LATE_KEY, OBJECTIVES,
)  # fmt: skip

StartSearch = Callable[[int | None], Search]
"""Function of the number of generations, for "rvea" alone, to the search, ready to yield its first generation."""


class Settings(NamedTuple):
    """What determines an exploration, seed and population aside.

    Attributes
    ----------
    encoding
        What genomes mean.
    algorithm
        One of `named_algorithms.ALGORITHMS`, or "all", which simulates a list of genomes.
    start_search
        Starts the algorithm.
    evaluations
        How many schedules are simulated by default.
    parameters
        All settings as plain JSON values.
    lag
        As of `named_algorithms.lag_of`.
    aim
        Where the search looks, if it was said.
    util_from
        From when on UTIL counts, one of UTIL_FROM.
    """

    encoding: Explored
    algorithm: str
    start_search: StartSearch
    evaluations: int
    parameters: dict[str, Any]
    lag: float | None
    aim: Aim | None = None
    util_from: str = FROM_SUBMISSION


def settle(
    workload: Workload,
    run_parameters: Mapping[str, Any],
    *,
    seed: int,
    population: int,
    encoding: str | Explored = "weighting",
    algorithm: str | None = None,
    start: Sequence[str] = (),
    lag: int | None = None,
    util_from: str = FROM_SUBMISSION,
    **words: Any,
) -> Settings:
    """Return the settings of a run.

    Parameters
    ----------
    workload
        The workload to explore.
    run_parameters
        Parameters of the run if it exists already, else empty.
    seed, population
        Of the algorithm.
    encoding, algorithm, start, lag, util_from, **words
        As for `exploration.explore`; None among the words stands for the default.

    Raises
    ------
    InputError
        A word is unknown, or has no meaning with this encoding or algorithm.
    """
    encoding, options = _name_and_words(encoding, words)
    usual = getattr(encodings.ENCODINGS[encoding](), "decoding", "")
    check_decoding(workload, options.get("decoding") or usual)  # before any work
    variation = encodings.ENCODINGS[encoding]().variation
    if algorithm is None:
        algorithm = ALL if variation.enumerated else "archive"
    one_of("algorithm", algorithm, [*ALGORITHMS, ALL])
    one_of("util_from", util_from, UTIL_FROM)
    if not 1 <= population <= MOST_POPULATION:
        raise InputError(f"population must be in 1..{MOST_POPULATION}, but is {population}")
    if algorithm == "archive" and lag is None:
        lag = run_parameters.get("lag", population)
    search_lag = lag_of(algorithm, population, lag)
    if isinstance(start, str):
        raise InputError(f'start must be a list of words, but is the text "{start}"')
    start = list(dict.fromkeys(map(str, list_argument("start", start))))
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    first = {key: instance(key, options.pop(key), bool) for key in FIRST if key in options}
    if any(first.values()) and encoding != "sequence":
        _refuse([key for key in FIRST if first.get(key)], f'the encoding "{encoding}"; start orders are of sequences')
    if first.get("forget") and algorithm not in ("nsga", "nsga2"):
        _refuse(["forget"], f'the algorithm "{algorithm}", which is not of paper 002')
    draw = _settled_draw(options.pop("draw", None), encoding, algorithm)
    aims = {key: options.pop(key) for key in AIMS if key in options}
    if algorithm != "archive":
        _refuse([*aims], f'the algorithm "{algorithm}", which looks everywhere; "archive" looks where an owner does')
    surrogate = _has_surrogate(options.pop("surrogate", False), encoding, algorithm)
    strategy = {key: number(key, options.pop(key)) for key in variation.strategy if key in options}
    other_words = [key for key in options if key not in encodings.words_of(encoding)]
    if other_words:
        raise InputError(f'{other_words[0]} must not be given with the encoding "{encoding}", where it has no meaning')
    if algorithm == ALL:
        given = [*strategy, *(key for key in options if key in variation.words)]
        _refuse(given, f'the algorithm "{ALL}", which varies nothing')
    if options.get("moves") == "adjacent" and strategy.get("jump", 1.0) != 1.0:
        _refuse(["jump"], 'the moves "adjacent", which are of length 1')
    if encoding == SiteLimits().name and "limits" in run_parameters:  # those with which the run began
        options.setdefault("limits", tuple(run_parameters["limits"]))
    without_start = encodings.ENCODINGS[encoding](**options)
    without_start.check_words()
    names = start_names(start)
    # the start as it was when the run began
    earlier = run_parameters.get("starts") if run_parameters.get("start", []) == names else None
    earlier = earlier if isinstance(earlier, list) else None
    request = _Request(
        workload, algorithm, start, earlier, strategy, seed, population, first, draw, aims, lag, surrogate, util_from
    )
    whole, start_search, count, start_places, aim = _begin(without_start, request)
    if start:
        start_places = {"start": names} | start_places
    parameters = {"algorithm": algorithm, "seed": seed, "population": population, "workload": workload.digest}
    if workload.measured.deciding:
        parameters[OBJECTIVES] = ", ".join(workload.measured.deciding)
    parameters |= encodings.to_json(whole) | start_places | ({} if lag is None else {"lag": lag})
    if util_from != FROM_START:  # without a word it is as in the papers, and in earlier versions
        parameters |= {UTIL_FROM_KEY: util_from} | ({} if can_run_at_once(workload) else {ONLINE_LATE_KEY: True})
    return Settings(whole, algorithm, start_search, count, parameters, search_lag, aim, util_from)


def start_names(start: Sequence[str]) -> list[str]:
    """Return what a run begins with, without folders: it stays the same if it is moved with the runs it began with."""
    return [Path(word).name if os.sep in word or is_front(word) else word for word in start]


def _name_and_words(encoding: Any, words: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of an encoding that may be given as a value, and the words that were given or that it has."""
    choices = {key: word for key, word in words.items() if word is not None}
    if isinstance(encoding, str):
        one_of("encoding", encoding, list(encodings.ENCODINGS))
        return encoding, choices
    kind = encodings.ENCODINGS.get(getattr(encoding, "name", ""))
    if kind is None or type(encoding) is not kind:
        raise InputError(
            f"encoding must be one of {', '.join(encodings.ENCODINGS)}, or a value of these, but is {encoding!r:.60}"
        )
    defaults = kind()._asdict()
    if "starts" in defaults and encoding.starts != defaults["starts"]:
        raise InputError("starts of an encoding must not be set for an exploration; say with start how it begins")
    twice = [key for key in choices if key in defaults]
    if twice:
        raise InputError(f"{twice[0]} must not be given with {encoding!r:.80}, which has it")
    return encoding.name, choices | {key: word for key, word in encoding._asdict().items() if word != defaults[key]}


class _Request(NamedTuple):
    """What an owner asks for: the words of `settle`, checked as far as possible without the encoding.

    Attributes
    ----------
    workload, algorithm, start, strategy, seed, population
        As for `settle`; frequency and jump are the strategy.
    earlier
        The start of the run if it exists already, plain JSON values; else None.
    first
        Whether start orders are copied and forgotten, by the words of FIRST.
    draw
        One of DRAWS.
    aims
        The wish and how far the box reaches, by the words of AIMS, as far as they are given.
    lag
        Of the algorithm "archive".
    surrogate
        Whether it chooses children by a model.
    util_from
        From when on UTIL counts.
    """

    workload: Workload
    algorithm: str
    start: list[str]
    earlier: list[Any] | None
    strategy: dict[str, float]
    seed: int
    population: int
    first: dict[str, bool]
    draw: str
    aims: dict[str, Any]
    lag: int | None
    surrogate: bool
    util_from: str


class _Beginning(NamedTuple):
    """How a run begins: the encoding with its start, parameters beside those of the encoding; see `Settings`."""

    encoding: Explored
    start_search: StartSearch
    evaluations: int
    parameters: dict[str, Any]
    aim: Aim | None = None


def _begin_search(encoding: Explored, space: Space, request: _Request, parameters: dict[str, Any]) -> _Beginning:
    """Return the beginning of a run in which an algorithm searches a space."""
    forget = request.first.get("forget", False)
    aim, aim_words = _aim(request)
    of_search = request.algorithm, space, request.population, request.seed
    behaviour = BEHAVIOURS[encoding.name](request.workload, request.seed) if request.surrogate else None
    start_search = partial(search, *of_search, forget=forget, aim=aim, lag=request.lag, behaviour=behaviour)
    chosen = {"surrogate": True} if request.surrogate else {}
    return _Beginning(encoding, start_search, EVALUATIONS, parameters | aim_words | chosen, aim)


def _aim(request: _Request) -> tuple[Aim | None, dict[str, Any]]:
    """Return where a search looks, None if anywhere, and the words for it, plain JSON values."""
    if request.algorithm != "archive":
        return None, {}
    parameters: dict[str, Any] = {}
    wish = None
    if "wish" in request.aims:
        wish = as_wish(request.aims["wish"], request.workload)
        parameters["wish"] = wish_text(wish)
    reach = number("box", request.aims.get("box", REACH))
    if "box" in request.aims:
        parameters["box"] = reach
    return aim_of(request.workload, wish, reach, request.util_from), parameters


def _begin_enumeration(
    encoding: Explored, genomes: Floats, request: _Request, parameters: dict[str, Any]
) -> _Beginning:
    """Return the beginning of a run that simulates all of some genomes, (k, d)."""
    return _Beginning(encoding, lambda _: enumeration(genomes, request.population), len(genomes), parameters)


@singledispatch
def _begin(encoding: Explored, request: _Request) -> _Beginning:
    """Return the start of a run: for an encoding by real numbers, genomes of other runs or random ones."""
    groups = len(request.workload.groups)
    space, parameters = Reals(*encoding.lower_upper(groups)), {}
    if request.draw != DRAWS[0]:
        parameters["draw"] = request.draw
        space = space._replace(draw=partial(tied_genomes, groups=groups))
    return _begin_reals(encoding, space, request, parameters)


def _begin_reals(encoding: Explored, space: Reals, request: _Request, parameters: dict[str, Any]) -> _Beginning:
    """Return the start of a run in which an algorithm searches reals, or that simulates the members of fronts."""
    workload, start = request.workload, request.start
    if request.algorithm == ALL:
        if not start:
            raise InputError(f'algorithm "{ALL}" must have a run, front or policy to begin with, but start is empty')
        genomes = members(workload, encoding, start, None)
        parameters |= {"start_digest": hashlib.sha256(genomes.tobytes()).hexdigest()}
        return _begin_enumeration(encoding, genomes, request, parameters)
    if not start:
        return _begin_search(encoding, space, request, parameters)
    if request.earlier is not None:
        first = _stored_starts(request.earlier, space)
    else:
        first = members(workload, encoding, start, request.population).tolist()
        if request.algorithm != "archive" and len(first) > request.population:
            raise InputError(
                f"population must be at least {len(first)}, one for each policy and front to begin with, but is "
                f"{request.population}"
            )
    return _begin_search(encoding, space._replace(first=np.array(first)), request, parameters | {"starts": first})


def _stored_starts(earlier: list[Any], space: Reals) -> list[Any]:
    """Return the genomes with which a run began, after a check: its description may be damaged."""
    try:
        genomes = np.array(earlier, dtype=np.float64).reshape(len(earlier), space.lower.size)
        check_bounds(genomes, space.lower, space.upper)
    except (ValueError, TypeError, InputError):
        genomes = np.empty((0, 0))
    if genomes.size == 0:
        raise InputError(
            f'"starts" in the run\'s run.json must be lists of {space.lower.size} genes within their bounds, but are '
            "not; put the file back from a copy, or begin a run in another directory"
        )
    return earlier


@_begin.register
def _begin_priority(encoding: TrainedOrders, request: _Request) -> _Beginning:
    """Return the start of a run by orders in words, whose genes only an archive search and chance know how to vary."""
    one_of('algorithm of the encoding "priority"', request.algorithm, ("archive", "random", ALL))
    workload = request.workload
    whole = encoding._replace(favoured=encoding.favoured or workload.groups)
    if set(whole.favoured) != set(workload.groups):
        raise InputError(
            f"favoured groups must be those of {workload.name}, {', '.join(workload.groups)}, but are "
            f"{', '.join(whole.favoured)}"
        )
    moves = FormulaMoves(len(workload.groups))
    space = Reals(*whole.lower_upper(len(workload.groups)), draw=moves.random, moves=moves)
    return _begin_reals(whole, space, request, {})


@_begin.register
def _begin_limits(encoding: SiteLimits, request: _Request) -> _Beginning:
    """Return the start of a run by limits: none, and those of today if they are among those that are varied."""
    if request.algorithm == ALL:
        _refuse(["encoding limits"], f'the algorithm "{ALL}": limits are searched')
    workload = request.workload
    machine_of(workload)
    starts = order_of_site(workload, request.start) if request.earlier is None else tuple(request.earlier)
    whole = encoding._replace(starts=starts) if encoding.limits else site_limits(workload, starts)
    moves = LimitMoves(len(whole.limits))
    known, today = [moves.first(1, np.random.default_rng(0))[0][0]], settings_today(whole, workload)
    if all(now.value in (None, *each.grid) for now, each in zip(today, whole.choices, strict=True)):
        known.append(whole.genome_of(today))
    first = np.unique(known, axis=0)[::-1]  # none comes first, which an archive search has already
    first = first[1:] if request.algorithm == "archive" else first
    lower, upper = whole.lower_upper(len(workload.groups))
    space = Reals(lower, upper, first if len(first) else None, moves.random, moves)
    return _begin_search(whole, space, request, {})._replace(evaluations=LIMITS)


@_begin.register
def _begin_orders(encoding: Orders, request: _Request) -> _Beginning:
    """Return the start of a run by orders: all of them."""
    if request.algorithm != ALL:
        raise InputError(f'orders are few and enumerated: algorithm must be "{ALL}", but is "{request.algorithm}"')
    genomes = _orders(len(request.workload.groups), request.start or ("workload", "queue"))
    return _begin_enumeration(encoding, genomes, request, {})


@_begin.register
def _begin_sequences(encoding: Sequences, request: _Request) -> _Beginning:
    """Return the start of a run by sequences: start orders, and the strategy that varies them."""
    workload, all_orders = request.workload, request.algorithm == ALL
    if request.earlier is None:
        first = start_orders(
            workload, request.start or ("submit",), None if all_orders else request.population, request.seed
        )
    else:
        first = tuple(request.earlier)
    whole = sequence.check_sequences(encoding._replace(starts=first), workload)
    rate = 0.0 if whole.recombination == "none" else RECOMBINED
    strategy = _strategy(request.strategy, workload, first, FEW_PULLS if whole.moves == "pull" else FEW)
    if all_orders:
        rows = [[i, -1, -1, i, strategy["frequency"], strategy["jump"]] for i in range(len(first))]
        return _begin_enumeration(whole, np.array(rows, dtype=np.float64), request, {})
    copies = request.first.get("copies", False)
    space = Recipes(len(first), most=len(workload), recombination=rate, copies=copies, **strategy)
    return _begin_search(whole, space, request, strategy | {key: True for key in FIRST if request.first.get(key)})


def _settled_draw(word: Any, encoding: str, algorithm: str) -> str:
    """Return how random genomes are drawn; raise InputError for an unknown word, or where nothing is drawn so.

    The archive search always draws tied ones, so that there the word says nothing new, and is no part of the run.
    """
    if word is None:
        return DRAWS[0]
    draw = str(word)
    one_of("draw", draw, DRAWS)
    if algorithm == "archive" and encoding == "weighting" and draw == DRAWS[0]:
        _refuse(["draw"], 'the algorithm "archive" as "uniform": it always draws tied weightings')
    if draw == DRAWS[0]:
        return draw
    if encoding != "weighting":
        _refuse(["draw"], f'the encoding "{encoding}"; weightings are drawn')
    if algorithm == ALL:
        _refuse(["draw"], f'the algorithm "{algorithm}", which draws nothing')
    return DRAWS[0] if algorithm == "archive" else draw


def _has_surrogate(word: Any, encoding: str, algorithm: str) -> bool:
    """Return whether a surrogate chooses children; raise InputError where there is nothing that it could choose."""
    surrogate = instance("surrogate", word, bool)
    if surrogate and encoding not in BEHAVIOURS:
        _refuse(["surrogate"], f'the encoding "{encoding}"; it is for {" and ".join(BEHAVIOURS)}')
    if surrogate and algorithm != "archive":
        _refuse(["surrogate"], f'the algorithm "{algorithm}"; it chooses children of "archive"')
    return bool(surrogate)


def _refuse(words: Sequence[str], why: str) -> None:
    """Refuse the first of some options, if there is one; raises InputError."""
    if words:
        raise InputError(f"{words[0]} must not be given with {why}")


def _strategy(options: dict[str, float], workload: Workload, starts: Sequence[Any], few: float) -> dict[str, float]:
    """Return the strategy parameters of the first generation, at most the number of jobs; few from known schedules."""
    from_policy = any(isinstance(start, dict) and "policy" in start for start in starts)
    strategy = {"frequency": few if from_policy else FREQUENCY, "jump": JUMP} | options
    for key, value in strategy.items():
        if not value >= 1:
            raise InputError(f"{key} must be at least 1, but is {value:g}")
    return {key: min(value, float(len(workload))) for key, value in strategy.items()}


def _orders(groups: int, words: Sequence[str]) -> Floats:
    """Return the genomes of all weak orders; the original order, which changes nothing, comes last."""
    for word in words:
        one_of("start of orders", word, ("workload", "queue"))
    ranks = orders.weak_orders(groups)
    original = (ranks == 0).all(axis=1)
    ranks = np.concatenate([ranks[~original], ranks[original]])
    return np.concatenate([orders.encode(ranks, dynamic=word == "queue") for word in words])
