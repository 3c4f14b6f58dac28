"""What determines an exploration, in words of an owner: the encoding, the algorithm and the start.

The start of a run may come from another run. It is written into the parameters of the new run, or its digest if it is
long, so that a run is continued with the start it had.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, singledispatch
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import instance, list_argument, number
from ..core.arrays import Floats, Mask
from ..core.errors import InputError, did_you_mean, one_of
from ..core.files import is_folder
from ..encodings import encoding as encodings
from ..encodings import orders, sequence
from ..encodings.encoding import Explored
from ..encodings.orders import Orders
from ..encodings.recipes import KEYS
from ..encodings.sequence import Sequences
from ..fronts.front import Front, from_encoding, genome, online, spread
from ..fronts.front_files import load_front
from ..policies.plain import PLAIN_RULES
from ..policies.policy import Policy, as_policy, fits
from ..policies.policy_json import to_json
from ..workload.workload import Workload
from .algorithms.named_algorithms import ALGORITHMS, MOST_POPULATION, enumeration, lag_of, search
from .algorithms.spaces import Reals, Recipes, Search, Space

POPULATION = 100
EVALUATIONS = 20_000  # paper 002, Table 4, "Real Value Coded"
FREQUENCY, JUMP = 5000.0, 1500.0  # paper 002, Table 4: mutation jump number and length
FEW = 50.0  # moves from known schedules, of which thousands of moves would leave nothing
WORDS = ("submit", "permutations", "weak", "random")
RECOMBINED = 0.3  # paper 002, Table 4: share of the children with two parents
FIRST = ("copies", "forget")  # what becomes of the start orders in the first generation
ALL = "all"
BEGUN = ("start", "start_digest", "frequency", "jump", *FIRST, "generations", "lag")  # parameters beside the encoding's

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
    """

    encoding: Explored
    algorithm: str
    start_search: StartSearch
    evaluations: int
    parameters: dict[str, Any]
    lag: float | None


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
    encoding, algorithm, start, lag, **words
        As for `exploration.explore`; None among the words stands for the default.

    Raises
    ------
    InputError
        A word is unknown, or has no meaning with this encoding or algorithm.
    """
    encoding, options = _name_and_words(encoding, words)
    variation = encodings.ENCODINGS[encoding]().variation
    algorithm = ALL if algorithm is None and variation.enumerated else algorithm or "nsga2"
    one_of("algorithm", algorithm, [*ALGORITHMS, ALL])
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
    strategy = {key: number(key, options.pop(key)) for key in variation.strategy if key in options}
    other_words = [key for key in options if key not in encodings.words_of(encoding)]
    if other_words:
        raise InputError(f'{other_words[0]} must not be given with the encoding "{encoding}", where it has no meaning')
    if algorithm == ALL:
        given = [*strategy, *(key for key in options if key in variation.words)]
        _refuse(given, f'the algorithm "{ALL}", which varies nothing')
    if options.get("moves") == "adjacent" and strategy.get("jump", 1.0) != 1.0:
        _refuse(["jump"], 'the moves "adjacent", which are of length 1')
    without_start = encodings.ENCODINGS[encoding](**options)
    without_start.check_words()
    # names without folders: a run stays the same if it is moved together with the runs it began with
    names = [Path(word).name if os.sep in word or _is_front(word) else word for word in start]
    # the start as it was when the run began
    earlier = run_parameters.get("starts") if run_parameters.get("start", []) == names else None
    earlier = earlier if isinstance(earlier, list) else None
    request = _Request(workload, algorithm, start, earlier, strategy, seed, population, first, lag)
    whole, start_search, count, start_places = _begin(without_start, request)
    if start:
        start_places = {"start": names} | start_places
    parameters = {"algorithm": algorithm, "seed": seed, "population": population, "workload": workload.digest}
    parameters |= encodings.to_json(whole) | start_places | ({} if lag is None else {"lag": lag})
    return Settings(whole, algorithm, start_search, count, parameters, search_lag)


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
    lag
        Of the algorithm "archive".
    """

    workload: Workload
    algorithm: str
    start: list[str]
    earlier: list[Any] | None
    strategy: dict[str, float]
    seed: int
    population: int
    first: dict[str, bool]
    lag: int | None


class _Beginning(NamedTuple):
    """How a run begins: the encoding with its start, and parameters beside those of the encoding; see `Settings`."""

    encoding: Explored
    start_search: StartSearch
    evaluations: int
    parameters: dict[str, Any]


def _begin_search(encoding: Explored, space: Space, request: _Request, parameters: dict[str, Any]) -> _Beginning:
    """Return the beginning of a run in which an algorithm searches a space."""
    forget = request.first.get("forget", False)
    of_search = request.algorithm, space, request.population, request.seed
    start_search = partial(search, *of_search, forget=forget, lag=request.lag)
    return _Beginning(encoding, start_search, EVALUATIONS, parameters)


def _begin_enumeration(
    encoding: Explored, genomes: Floats, request: _Request, parameters: dict[str, Any]
) -> _Beginning:
    """Return the beginning of a run that simulates all of some genomes, (k, d)."""
    return _Beginning(encoding, lambda _: enumeration(genomes, request.population), len(genomes), parameters)


@singledispatch
def _begin(encoding: Explored, request: _Request) -> _Beginning:
    """Return the start of a run: for an encoding by real numbers, genomes of other runs or random ones."""
    workload, start = request.workload, request.start
    space = Reals(*encoding.lower_upper(len(workload.groups)))
    if request.algorithm == ALL:
        if not start:
            raise InputError(f'algorithm "{ALL}" must be given a run or front to begin with, but start is empty')
        genomes = _members(workload, encoding.name, start, None)
        parameters = {"start_digest": hashlib.sha256(genomes.tobytes()).hexdigest()}
        return _begin_enumeration(encoding, genomes, request, parameters)
    if not start:
        return _begin_search(encoding, space, request, {})
    members = request.earlier
    if members is None:
        members = _members(workload, encoding.name, start, request.population).tolist()
    return _begin_search(encoding, space._replace(first=np.array(members)), request, {"starts": members})


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
    strategy = _strategy(request.strategy, workload, first)
    if all_orders:
        rows = [[i, -1, -1, i, strategy["frequency"], strategy["jump"]] for i in range(len(first))]
        return _begin_enumeration(whole, np.array(rows, dtype=np.float64), request, {})
    copies = request.first.get("copies", False)
    space = Recipes(len(first), most=len(workload), recombination=rate, copies=copies, **strategy)
    return _begin_search(whole, space, request, strategy | {key: True for key in FIRST if request.first.get(key)})


def _refuse(words: Sequence[str], why: str) -> None:
    """Refuse the first of some options, if there is one; raises InputError."""
    if words:
        raise InputError(f"{words[0]} must not be given with {why}")


def _strategy(options: dict[str, float], workload: Workload, starts: Sequence[Any]) -> dict[str, float]:
    """Return the strategy parameters of the first generation, at most the number of jobs."""
    from_policy = any(isinstance(start, dict) and "policy" in start for start in starts)
    strategy = {"frequency": FEW if from_policy else FREQUENCY, "jump": JUMP} | options
    for key, value in strategy.items():
        if not value >= 1:
            raise InputError(f"{key} must be at least 1, but is {value:g}")
    return {key: min(value, float(len(workload))) for key, value in strategy.items()}


def start_orders(workload: Workload, words: Sequence[str], population: int | None, seed: int) -> tuple[Any, ...]:
    """Return the start orders of sequences that words stand for, see `encodings.sequence.Sequences`.

    "submit": the order of submission. "permutations": that and one for each permutation of the groups, 121 for five
    (paper 002, section 4.3). "weak": one for each weak order of the groups, 541 for five. "random": `population` random
    orders. The name of a policy, or a policy file: the order in which the policy starts the jobs. A run directory or a
    front file: the same for its policies, up to `population` of them, spread over the front.

    Raises
    ------
    InputError
        A word is none of these.
    """
    groups = len(workload.groups)
    starts: list[Any] = []
    for word in words:
        if word == "submit":
            starts.append("submit")
        elif word in ("permutations", "weak"):
            ranks = orders.permutations_and_original(groups) if word == "permutations" else orders.weak_orders(groups)
            starts += [{"order": row} for row in ranks.tolist()]
        elif word == "random":
            keys = np.random.default_rng(seed).integers(KEYS, size=100 if population is None else population)
            starts += [{"random": key} for key in keys.tolist()]
        elif _is_front(word):
            front = _load(workload, word)
            among = ordered_by_policy(front)
            if not among.any():
                raise InputError(
                    f"{word}: must have schedules explored by weighting or in the queue to begin with, but has none"
                )
            rows = spread(front, len(front) if population is None else population, among)
            starts += [_as_start(_origin_policy(front, row)) for row in rows.tolist()]
        elif word not in PLAIN_RULES and not word.endswith(".json"):
            raise InputError(
                f"start of a sequence must be one of {', '.join(WORDS)}, a policy ({', '.join(PLAIN_RULES)}, or a "
                f'.json file), or a run or front, but is "{word}"{did_you_mean(word, (*WORDS, *PLAIN_RULES))}'
            )
        else:
            starts.append(_as_start(fits(as_policy(word), workload)))
    return tuple(starts)


def ordered_by_policy(front: Front) -> Mask:
    """Return which rows have the start order of a policy, (p,) bool, even if it is decoded in another way."""
    return from_encoding("weighting", front.origin, front.origins) | online(front)


def _origin_policy(front: Front, row: int) -> Policy:
    """Return the policy whose start order a row of a front was made from."""
    origin, genes = genome(front, row)
    policy = origin.encoding.order_policy_of(genes, front.groups)
    assert policy is not None  # noqa: S101  # `ordered_by_policy` has checked it
    return policy


def _as_start(policy: Policy) -> dict[str, Any]:
    """Return the start order of a policy as plain JSON values."""
    return {"policy": to_json(replace(policy, provenance={}))}


def _orders(groups: int, words: Sequence[str]) -> Floats:
    """Return the genomes of all weak orders; the original order, which changes nothing, comes last."""
    for word in words:
        one_of("start of orders", word, ("workload", "queue"))
    ranks = orders.weak_orders(groups)
    original = (ranks == 0).all(axis=1)
    ranks = np.concatenate([ranks[~original], ranks[original]])
    return np.concatenate([orders.encode(ranks, dynamic=word == "queue") for word in words])


def _members(workload: Workload, encoding: str, words: Sequence[str], most: int | None) -> Floats:
    """Return the genomes of fronts that an encoding of this name explored, at most `most` of each, (k, d)."""
    members: list[Floats] = []
    for word in words:
        if not _is_front(word):
            raise InputError(f'start of a {encoding} must be a run directory or a front file, but is "{word}"')
        front = _load(workload, word)
        among = from_encoding(encoding, front.origin, front.origins)
        if not among.any():
            raise InputError(f"{word}: must have schedules explored by {encoding} to begin with, but has none")
        rows = np.flatnonzero(among) if most is None else spread(front, most, among)
        members += [genome(front, row)[1] for row in rows.tolist()]
    return np.array(members)


def _is_front(word: str) -> bool:
    """Return whether a word is a run directory or the name of a front file."""
    return word.endswith(".parquet") or is_folder(Path(word))


def _load(workload: Workload, word: str) -> Front:
    """Return a front of this workload; raises InputError if it is of another one."""
    front = load_front(word)
    if (front.digest, front.groups) != (workload.digest, workload.groups):
        raise InputError(
            f"{word}: a run must begin with one of the same workload: jobs, capacity and groups, but this is of "
            f"{front.workload} ({front.digest[:12]}), not of {workload.name} ({workload.digest[:12]}); give a run "
            "of the same log with the same capacity and groups"
        )
    return front
