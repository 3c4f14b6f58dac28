"""What evolution varies, and how that becomes a schedule; one module an encoding.

An encoding is a small value that says what a genome means; it travels to workers and into files. A genome is a row of
float64. This module tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, first_few
from ..policies.greedy_order import CRITERIA
from ..policies.policy import Policy
from ..workload.calendar import SITUATIONS
from ..workload.workload import Workload
from . import orders, sequence, weighting
from . import rule_base as rules
from .derivation import deriving
from .orders import Orders
from .rule_base import Situations, Symbiotic
from .sequence import Sequences
from .weighting import Weighting

Explored = Weighting | Orders | Sequences  # what a run of exploration varies; rule bases are only trained
Encoding = Explored | Situations | Symbiotic
Starting = Callable[[Floats, Floats], NDArray[np.int64]]

ENCODINGS: dict[str, type[Weighting] | type[Orders] | type[Sequences]] = {
    "weighting": Weighting,
    "orders": Orders,
    "sequence": Sequences,
}


def name_of(encoding: Explored) -> str:
    """Give the name of an encoding: "weighting", "orders" or "sequence"."""
    return next(name for name, kind in ENCODINGS.items() if isinstance(encoding, kind))


def to_json(encoding: Explored) -> dict[str, Any]:
    """Turn an encoding into plain JSON values.

    Examples
    --------
    >>> to_json(Weighting("easy"))
    {'encoding': 'weighting', 'backfill': 'easy', 'decoding': 'online'}
    """
    fields = {key: list(value) if isinstance(value, tuple) else value for key, value in encoding._asdict().items()}
    return {"encoding": name_of(encoding), **fields}


def from_json(value: Any) -> Explored:
    """Turn what `to_json` gave into an encoding again.

    Raises
    ------
    InputError
        It is not an encoding of ours.
    """
    if not isinstance(value, dict) or value.get("encoding") not in ENCODINGS:
        raise InputError(f"an encoding must be one of {', '.join(ENCODINGS)}, but is {value!r:.60}")
    kind = ENCODINGS[value["encoding"]]
    fields: dict[str, Any] = {
        key: tuple(part) if isinstance(part, list) else part for key, part in value.items() if key != "encoding"
    }
    if set(fields) != set(kind._fields):
        raise InputError(f"{value['encoding']} must have {', '.join(kind._fields)}, but has {', '.join(fields)}")
    return checked(kind(**fields))


def checked(encoding: Explored) -> Explored:
    """Return an encoding if its words are known.

    Raises
    ------
    InputError
        One is not.
    """
    if isinstance(encoding, Weighting):
        return weighting.checked(encoding)
    if isinstance(encoding, Orders):
        return orders.checked(encoding)
    return sequence.checked_words(encoding)


def gene_labels(encoding: Encoding, groups: int) -> list[str]:
    """Name every gene, in its order."""
    if isinstance(encoding, Weighting):
        return weighting.gene_labels(groups)
    if isinstance(encoding, Orders):
        return orders.gene_labels(groups)
    if isinstance(encoding, Situations | Symbiotic):
        return rules.gene_labels(encoding)
    return list(sequence.GENES)


def starting(workload: Workload, encoding: Encoding) -> Starting:
    """Make ready to turn genomes into start times.

    Returns
    -------
    start
        Function of a genome, (d,), and of the genomes it may descend from, (k, d), sorted by number; it gives start
        times, (n,) int64 seconds. Several threads may call it. Only sequences descend from others.

    Raises
    ------
    InputError
        The encoding does not fit the workload.
    """
    if isinstance(encoding, Weighting):
        return weighting.starting(workload, encoding)
    if isinstance(encoding, Orders):
        return orders.starting(workload, encoding)
    if isinstance(encoding, Situations | Symbiotic):
        return rules.starting(workload, encoding)
    return deriving(workload, encoding).start_times


def examples(encoding: Encoding, groups: Sequence[str]) -> tuple[Encoding, Floats]:
    """Give genomes that together need every kernel of an encoding, and the encoding for any workload with `groups`."""
    if isinstance(encoding, Weighting):
        upper = weighting.lower_upper(len(groups))[1]
        genomes = np.tile(upper, (len(CRITERIA), 1))
        genomes[:, -len(SITUATIONS) :] = np.arange(len(CRITERIA))[:, None]
        return encoding, genomes
    if isinstance(encoding, Orders):
        return encoding, np.array([[0.0] * len(groups) + [where] for where in (0.0, 1.0)])
    if isinstance(encoding, Situations | Symbiotic):
        return rules.examples(encoding, tuple(groups))
    mate = -1.0 if encoding.recombination == "none" else 1.0
    start, child = [0.0, -1.0, -1.0, 0.0, 1.0, 1.0], [1.0, 0.0, -1.0, 1.0, 1.0, 1.0]
    return encoding._replace(starts=("submit",), movable="all"), np.array(
        [start, child, [2.0, 0.0, mate, 1.0, 1.0, 1.0]]
    )


def ancestry(encoding: Encoding, archive: Floats, genomes: Floats) -> Floats:
    """Give the rows of an archive that genomes descend from, sorted by number, (k, d).

    Parameters
    ----------
    encoding
        What the genomes mean.
    archive
        (n, d), sorted by number, with all ancestors; for a whole run, row i is evaluation i.
    genomes
        (k, d), themselves not among the ancestors unless another one descends from them.
    """
    if isinstance(encoding, Sequences):
        return sequence.ancestry(archive, genomes)
    return genomes[:0]


def policy_of(encoding: Encoding, genome: Floats, groups: Sequence[str]) -> Policy | None:
    """Give the online policy that a genome stands for; None if its schedule needs to know the future."""
    if isinstance(encoding, Weighting) and encoding.decoding == "online":
        return weighting.decode(genome, groups, encoding.backfill)
    if isinstance(encoding, Orders):
        return orders.policy_of(encoding, genome, groups)
    if isinstance(encoding, Situations | Symbiotic):
        return rules.policy_of(encoding, genome)
    return None


def online(encoding: Encoding, genomes: Floats) -> NDArray[np.bool_]:
    """Tell which genomes, (k, d), stand for an online policy, (k,) bool; the others' schedules know the future."""
    if isinstance(encoding, Weighting):
        return np.full(len(genomes), encoding.decoding == "online")
    if isinstance(encoding, Orders):
        queue: NDArray[np.bool_] = genomes[:, -1] == 1.0
        return queue
    if isinstance(encoding, Situations | Symbiotic):
        return np.ones(len(genomes), dtype=np.bool_)
    return np.zeros(len(genomes), dtype=np.bool_)


def check_genomes(encoding: Encoding, genomes: Floats, groups: int) -> None:
    """Refuse genomes out of their bounds.

    Raises
    ------
    InputError
        A gene is.
    """
    if isinstance(encoding, Sequences):
        return  # whatever stands there, `starting` says what is wrong with it
    if isinstance(encoding, Situations | Symbiotic):
        lower, upper = rules.lower_upper(encoding)
    else:
        lower, upper = {Weighting: weighting.lower_upper, Orders: orders.lower_upper}[type(encoding)](groups)
    broken = np.flatnonzero(~((genomes >= lower) & (genomes <= upper)).all(axis=1))
    if broken.size:
        raise InputError(f"genes must be within their bounds, but are not in {first_few(broken.tolist(), broken.size)}")
