"""What determines an exploration, from the words of an owner: the encoding, the algorithm and what it begins with.

The start of a run may be taken from another run. It is written into the parameters of the new one, or a digest of it
where it is long, so that a run is continued with what it began with.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, one_of
from ..core.numbers import number
from ..encodings import encoding as encodings
from ..encodings import orders, sequence
from ..encodings.encoding import Explored
from ..encodings.orders import Orders
from ..encodings.sequence import KEYS, Sequences
from ..encodings.weighting import Weighting, lower_upper
from ..fronts.front import Front, genome, online, spread
from ..fronts.front_files import load_front
from ..policies.policy import PLAIN_RULES, Policy, as_policy, fits, to_json
from ..workload.workload import Workload
from .algorithms import by_name as evolve
from .algorithms import spaces

POPULATION = 100
EVALUATIONS = 20_000  # paper 002, Table 4, "Real Value Coded"
FREQUENCY, JUMP = 5000.0, 1500.0  # paper 002, Table 4: mutation jump number and length
FEW = 50.0  # moves where it begins with known schedules, of which a change of thousands leaves nothing
WORDS = ("submit", "permutations", "weak", "random")
RECOMBINED = 0.3  # paper 002, Table 4: share of the children with two parents
ALL = "all"
BEGUN = ("start", "start_digest", "frequency", "jump", "generations")  # parameters beside the encoding's


class Settings(NamedTuple):
    """What determines an exploration, seed and population aside.

    Attributes
    ----------
    encoding
        What genomes mean.
    algorithm
        One of `evolve.ALGORITHMS`, or "all": what is listed, and nothing else.
    space
        What the algorithm searches; with "all" the genomes themselves, (k, d).
    parameters
        All of it as plain JSON values.
    """

    encoding: Explored
    algorithm: str
    space: spaces.Reals | spaces.Recipes | Floats
    parameters: dict[str, Any]


def settle(
    workload: Workload,
    known: Mapping[str, Any],
    *,
    seed: int,
    population: int,
    encoding: str = "weighting",
    algorithm: str | None = None,
    start: Sequence[str] = (),
    **words: Any,
) -> Settings:
    """Make the settings of a run.

    Parameters
    ----------
    workload
        What is explored.
    known
        Parameters of the run if it exists already, else empty.
    seed, population
        Of the algorithm.
    encoding, algorithm, start, **words
        As for `explore.explore`; None among the words stands for the default.

    Raises
    ------
    InputError
        A word is not known, or has no meaning with this encoding or algorithm.
    """
    one_of("encoding", encoding, list(encodings.ENCODINGS))
    chosen = ALL if algorithm is None and encoding == "orders" else algorithm or "nsga2"
    one_of("algorithm", chosen, [*evolve.ALGORITHMS, ALL])
    if not 1 <= population <= evolve.MOST_POPULATION:
        raise InputError(f"population must be in 1..{evolve.MOST_POPULATION}, but is {population}")
    if isinstance(start, str):
        raise InputError(f'start must be a list of words, but is the text "{start}"')
    start = list(dict.fromkeys(map(str, start)))
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    given = {key: word for key, word in words.items() if word is not None}
    strategy: dict[str, float] = {}
    if encoding == "sequence":
        strategy = {key: number(key, given.pop(key)) for key in ("frequency", "jump") if key in given}
    kind = encodings.ENCODINGS[encoding]
    unknown = [key for key in given if key not in kind._fields]
    if unknown:
        raise InputError(f'{unknown[0]} must not be given with the encoding "{encoding}", where it has no meaning')
    if chosen == ALL and encoding == "sequence":
        _refuse(
            [*strategy, *(key for key in given if key != "decoding")], f'the algorithm "{ALL}", which varies nothing'
        )
    if given.get("moves") == "adjacent" and strategy.get("jump", 1.0) != 1.0:
        _refuse(["jump"], 'the moves "adjacent", which are of length 1')
    made = encodings.checked(kind(**given))
    # a run that is moved, with the one it began with, is still the same
    named = [Path(word).name if os.sep in word or _is_front(word) else word for word in start]
    own = known.get("starts") if known.get("start", []) == named else None  # as they were when the run began
    begun: dict[str, Any] = {"start": named} if start else {}
    space: spaces.Reals | spaces.Recipes | Floats
    if isinstance(made, Sequences):
        if isinstance(own, list):
            first = tuple(own)
        else:
            first = start_orders(workload, start or ("submit",), None if chosen == ALL else population, seed)
        made = sequence.checked(made._replace(starts=first), workload)
        rate = 0.0 if made.recombination == "none" else RECOMBINED
        space = spaces.Recipes(
            len(first), most=len(workload), recombination=rate, **_strategy(strategy, workload, first)
        )
        if chosen == ALL:
            space = np.array([[i, -1, -1, i, space.frequency, space.jump] for i in range(len(first))], dtype=np.float64)
        else:
            begun |= {"frequency": space.frequency, "jump": space.jump}
    elif isinstance(made, Orders):
        if chosen != ALL:
            raise InputError(f'orders are few and enumerated: algorithm must be "{ALL}", but is "{chosen}"')
        space = _orders(len(workload.groups), start or ("workload", "queue"))
    else:
        space = spaces.Reals(*lower_upper(len(workload.groups)))
        if start:
            if chosen == ALL:
                space = _members(workload, start, None)
                begun["start_digest"] = hashlib.sha256(space.tobytes()).hexdigest()
            else:
                members = own if isinstance(own, list) else _members(workload, start, population).tolist()
                begun["starts"] = members
                space = space._replace(first=np.array(members))
        elif chosen == ALL:
            raise InputError(f'algorithm "{ALL}" must be given a run or front to begin with, but start is empty')
    parameters = {"algorithm": chosen, "seed": seed, "population": population, "workload": workload.digest}
    return Settings(made, chosen, space, parameters | encodings.to_json(made) | begun)


def _refuse(words: Sequence[str], why: str) -> None:
    if words:
        raise InputError(f"{words[0]} must not be given with {why}")


def _strategy(given: dict[str, float], workload: Workload, starts: Sequence[Any]) -> dict[str, float]:
    """Give the strategy parameters of the first generation, at most the number of jobs."""
    known = any(isinstance(start, dict) and "policy" in start for start in starts)
    strategy = {"frequency": FEW if known else FREQUENCY, "jump": JUMP} | given
    for key, value in strategy.items():
        if not value >= 1:
            raise InputError(f"{key} must be at least 1, but is {value:g}")
    return {key: min(value, float(len(workload))) for key, value in strategy.items()}


def start_orders(workload: Workload, words: Sequence[str], population: int | None, seed: int) -> tuple[Any, ...]:
    """Turn words into start orders of sequences, see `encodings.sequence.Sequences`.

    "submit": the order of submission. "permutations": that and one for each permutation of the groups, 121 for five
    (paper 002, section 4.3). "weak": one for each weak order of the groups, 541 for five. "random": `population` random
    orders. The name of a policy, or a policy file: the order in which it starts the jobs. A run directory or a
    front file: the same for its policies, up to `population` of them, spread over the front.

    Raises
    ------
    InputError
        A word is none of these.
    """
    groups = len(workload.groups)
    found: list[Any] = []
    for word in words:
        if word == "submit":
            found.append("submit")
        elif word in ("permutations", "weak"):
            ranks = orders.permutations_and_original(groups) if word == "permutations" else orders.weak_orders(groups)
            found += [{"order": row} for row in ranks.tolist()]
        elif word == "random":
            keys = np.random.default_rng(seed).integers(KEYS, size=100 if population is None else population)
            found += [{"random": key} for key in keys.tolist()]
        elif _is_front(word):
            front = _load(workload, word)
            among = ordered(front)
            if not among.any():
                raise InputError(
                    f"{word}: must have schedules explored by weighting or in the queue to begin with, but has none"
                )
            rows = spread(front, len(front) if population is None else population, among)
            found += [_as_start(_origin_policy(front, row)) for row in rows.tolist()]
        elif word not in PLAIN_RULES and not word.endswith(".json"):
            raise InputError(
                f"start of a sequence must be one of {', '.join(WORDS)}, a policy ({', '.join(PLAIN_RULES)}, or a "
                f'.json file), or a run or front, but is "{word}"'
            )
        else:
            found.append(_as_start(fits(as_policy(word), workload)))
    return tuple(found)


def ordered(front: Front) -> NDArray[np.bool_]:
    """Tell which rows a policy orders, be its start order decoded in another way, (p,) bool."""
    weighted = np.array([isinstance(o.encoding, Weighting) for o in front.origins], dtype=np.bool_)
    return weighted[front.origin] | online(front)


def _origin_policy(front: Front, row: int) -> Policy:
    """Give the policy whose start order a row was made from."""
    origin, genes = genome(front, row)
    encoding = origin.encoding
    policy = encodings.policy_of(
        encoding._replace(decoding="online") if isinstance(encoding, Weighting) else encoding, genes, front.groups
    )
    assert policy is not None  # noqa: S101  # `ordered` has seen to it
    return policy


def _as_start(policy: Policy) -> dict[str, Any]:
    return {"policy": to_json(replace(policy, provenance={}))}


def _orders(groups: int, words: Sequence[str]) -> Floats:
    """List the weak orders; the one that leaves everything as it is comes last."""
    for word in words:
        one_of("start of orders", word, ("workload", "queue"))
    ranks = orders.weak_orders(groups)
    merged = (ranks == 0).all(axis=1)
    ranks = np.concatenate([ranks[~merged], ranks[merged]])
    return np.concatenate([orders.encode(ranks, dynamic=word == "queue") for word in words])


def _members(workload: Workload, words: Sequence[str], most: int | None) -> Floats:
    """List the genomes of fronts explored by weighting, at most `most` of each, (k, d)."""
    found = []
    for word in words:
        if not _is_front(word):
            raise InputError(f'start of a weighting must be a run directory or a front file, but is "{word}"')
        front = _load(workload, word)
        among = np.array([isinstance(o.encoding, Weighting) for o in front.origins])[front.origin]
        if not among.any():
            raise InputError(f"{word}: must have schedules explored by weighting to begin with, but has none")
        rows = np.flatnonzero(among) if most is None else spread(front, most, among)
        found += [genome(front, row)[1] for row in rows.tolist()]
    return np.array(found)


def _is_front(word: str) -> bool:
    return word.endswith(".parquet") or os.path.isdir(Path(word))  # noqa: PTH112  # Path.is_dir() raises for long names


def _load(workload: Workload, word: str) -> Front:
    front = load_front(word)
    if (front.digest, front.groups) != (workload.digest, workload.groups):
        raise InputError(f"{word}: a run must begin with one of the same workload, but this is of {front.workload}")
    return front
