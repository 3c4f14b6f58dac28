"""What a run begins with: start orders of sequences, and genomes of weightings; from words, policies and other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arrays import Floats, Mask
from ..core.errors import InputError, did_you_mean
from ..core.files import is_folder
from ..encodings import orders
from ..encodings.encoding import Explored
from ..encodings.recipes import KEYS
from ..encodings.trained_order import TrainedOrders
from ..encodings.weighting import Weighting, encode, genome_of
from ..fronts.front import Front, from_encoding, genome, online, spread
from ..fronts.front_files import load_front
from ..policies.plain import PLAIN_RULES
from ..policies.policy import Policy, as_policy, fits
from ..policies.policy_json import to_json
from ..workload.workload import Workload

WORDS = ("submit", "permutations", "weak", "random")


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
        elif is_front(word):
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


def order_of_site(workload: Workload, words: Sequence[str]) -> tuple[Any, ...]:
    """Return the order under which limits are tried as one start, see `encodings.site_limits`; none for EASY.

    Raises
    ------
    InputError
        There are several words, or one is no policy that could run the machine.
    """
    if len(words) > 1:
        raise InputError(f"start of limits must be one order, that of the site, but is {', '.join(words)}")
    if any(map(is_front, words)):
        raise InputError(f"start of limits must be the order of the site, such as its slurm.conf, but is {words[0]}")
    policies = [fits(as_policy(word), workload) for word in words]
    for policy in policies:
        if policy.replays or policy.knows_run_times:
            raise InputError(f"start of limits must be an order that can run the machine, but {words[0]} is none")
    return tuple(map(_as_start, policies))


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


def members(workload: Workload, encoding: Explored, words: Sequence[str], most: int | None) -> Floats:
    """Return the genomes that words stand for, (k, d): policies first, and then members of fronts.

    If there are more than `most`, fewer members of each front are taken, spread over it, but one of each at least.

    Fronts have members of the encoding itself. A weighting can also begin with policies that are one, by name or in a
    file (see `weighting.genome_of`), and with the orders of the waiting queue in a front. Such a policy has the
    backfilling of the encoding; of a front the order of the jobs is taken, whatever backfilling and decoding it has.

    Raises
    ------
    InputError
        A word is neither a front nor such a policy, or a front has no such members or is of another workload.
    """
    parts = [_genome_of_policy(workload, encoding, word)[None] for word in words if not is_front(word)]
    fronts = [word for word in words if is_front(word)]
    for left, word in zip(range(len(fronts), 0, -1), fronts, strict=True):
        front = _load(workload, word)
        among = _as_members(front, encoding)
        if not among.any():
            others = " or orders of the waiting queue" if isinstance(encoding, Weighting) else ""
            raise InputError(
                f"{word}: must have schedules explored by {encoding.name}{others} to begin with, but has none"
            )
        room = len(front) if most is None else max((most - sum(map(len, parts))) // left, 1)
        rows = np.flatnonzero(among) if most is None else spread(front, room, among)
        parts.append(np.array([_member(front, row, encoding) for row in rows.tolist()]))
    return np.concatenate(parts)


def _as_members(front: Front, encoding: Explored) -> Mask:
    """Return which rows of a front an encoding can begin with, (p,) bool."""
    own = from_encoding(encoding.name, front.origin, front.origins)
    if isinstance(encoding, TrainedOrders):  # what some genes mean depends on its words
        return own & np.array([origin.encoding == encoding for origin in front.origins], dtype=np.bool_)[front.origin]
    if not isinstance(encoding, Weighting):
        return own
    return own | (from_encoding("orders", front.origin, front.origins) & online(front))


def _member(front: Front, row: int, encoding: Explored) -> Floats:
    """Return the genome of an encoding for a row of a front, (d,)."""
    origin, genes = genome(front, row)
    return genes if origin.encoding.name == encoding.name else encode(_origin_policy(front, row))


def _genome_of_policy(workload: Workload, encoding: Explored, word: str) -> Floats:
    """Return the genome of a weighting for a policy, by its name or in a file, (d,)."""
    if not isinstance(encoding, Weighting):
        raise InputError(f'start of a {encoding.name} must be a run directory or a front file, but is "{word}"')
    try:
        return genome_of(fits(as_policy(word), workload), workload.groups, encoding.backfill)
    except InputError as error:
        raise InputError(f"start of a weighting must be a run, a front or a policy: {error}") from None


def is_front(word: str) -> bool:
    """Return whether a word is a run directory or the name of a front file."""
    return word.endswith(".parquet") or is_folder(Path(word))


def _load(workload: Workload, word: str) -> Front:
    """Return a front of this workload; raises InputError if it is of another one."""
    front = load_front(word)
    if (front.digest, front.groups) != (workload.digest, workload.groups):
        raise InputError(
            f"{word}: a run must begin with one of the same workload: jobs, capacity and groups, but this is of "
            f"{front.workload} ({front.digest[:12]}), not of {workload.name} ({workload.digest[:12]}); give a run "
            "of the same log with the same capacity, groups and overrun"
        )
    return front
