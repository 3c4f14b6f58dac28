"""What evolution varies, and how that becomes a schedule: the protocol of all encodings; each has a module of its own.

An encoding is a small value that defines what genomes mean; it is sent to workers and written into files. A genome is a
row of float64 numbers, its genes. A new encoding is one module with a NamedTuple that has the methods of `Explored` and
one more word in `EXPLORED`; or, if it is only trained, an immutable value that has the methods of `Encoding`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from ..core.arrays import Floats, Mask
from ..core.errors import InputError, one_of
from ..policies.policy import Policy
from ..workload.workload import Workload
from .genomes import Decoder, Variation
from .orders import Orders
from .sequence import Sequences
from .site_limits import SiteLimits
from .trained_order import TrainedOrders
from .weighting import Weighting


@runtime_checkable
class Encoding(Protocol):
    """What genomes mean: their length, their genes, and the schedule that a genome stands for.

    For a workload with G user groups and n jobs a genome has d genes. Genomes in a file may be anything: `check_bounds`
    refuses genes out of the bounds of `lower_upper`, and the function of `decoder` what breaks another rule.
    """

    def gene_labels(self, groups: int, /) -> list[str]:
        """Return the names of all genes, d of them, in their order; `groups` is G."""

    def lower_upper(self, groups: int, /) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64; `groups` is G.

        Both are infinite where the function of `decoder` checks a gene.
        """

    def decoder(self, workload: Workload, /) -> Decoder:
        """Return the function that turns genomes into outcomes, see `paretosched.encodings.genomes.Decoder`.

        Only sequences descend from others.

        Raises
        ------
        InputError
            The encoding does not fit the workload.
        """

    def examples(self, groups: Sequence[str], /) -> tuple[Encoding, Floats]:
        """Return an encoding of this kind for any workload with `groups`, and (k, d) genomes.

        Together these genomes need every kernel of the encoding, so that all are compiled before they are needed.
        """

    def ancestry(self, archive: Floats, genomes: Floats, /) -> Floats:
        """Return the rows of an archive that some genomes descend from, (j, d), sorted by number.

        Parameters
        ----------
        archive
            (a, d), sorted by number, with all ancestors; for a whole run, row i is evaluation i.
        genomes
            (k, d). They are not among the ancestors unless another genome descends from them.
        """

    def policy_of(self, genome: Floats, groups: Sequence[str], /) -> Policy | None:
        """Return the online policy that a genome, (d,), stands for; None if there is none.

        Its schedule needs to know the future, or the genome stands for a machine with other limits.
        """

    def online(self, genomes: Floats, /) -> Mask:
        """Return which genomes, (k, d), need to know nothing of the future, (k,) bool."""


class Explored(Encoding, Protocol):
    """An encoding that a run of exploration can vary: a NamedTuple of words with defaults, which stand in its files."""

    @property
    def name(self) -> str:
        """Return the name of the encoding in options and files, such as "weighting"."""

    @property
    def variation(self) -> Variation:
        """Return how a run comes to its genomes."""

    def order_policy_of(self, genome: Floats, groups: Sequence[str], /) -> Policy | None:
        """Return the online policy by which the jobs of a genome's schedule are ordered; None if there is none.

        The schedule may know the future nevertheless, by the way in which the jobs are put into it.
        """

    def check_words(self) -> None:
        """Refuse an encoding whose words are not known or do not go together.

        Raises
        ------
        InputError
            A word is unknown, or two words do not go together.
        """

    def _asdict(self) -> dict[str, Any]:
        """Return the words by the names of their fields, plain values, as of any NamedTuple."""


EXPLORED: tuple[Callable[..., Explored], ...] = (
    Weighting,
    Orders,
    Sequences,
    TrainedOrders,
    SiteLimits,
)  # rule bases are only trained
ENCODINGS = {kind().name: kind for kind in EXPLORED}


def as_encoding(what: str | Encoding) -> Encoding:
    """Return an encoding, given as an encoding, or as the name of one, which has its defaults.

    Raises
    ------
    InputError
        There is no such encoding.

    Examples
    --------
    >>> as_encoding("weighting")
    Weighting(backfill='easy', decoding='online')
    """
    if isinstance(what, str):
        one_of("encoding", what, list(ENCODINGS))
        return ENCODINGS[what]()
    if not isinstance(what, Encoding):
        raise InputError(f"encoding must be an encoding or one of {', '.join(ENCODINGS)}, but is {what!r:.60}")
    return what


def to_json(encoding: Explored) -> dict[str, Any]:
    """Return an encoding as plain JSON values.

    Examples
    --------
    >>> to_json(Weighting("easy"))
    {'encoding': 'weighting', 'backfill': 'easy', 'decoding': 'online'}
    """
    fields = {key: list(value) if isinstance(value, tuple) else value for key, value in encoding._asdict().items()}
    return {"encoding": encoding.name, **fields}


def from_json(value: Any) -> Explored:
    """Return an encoding from the plain JSON values that `to_json` returns.

    Raises
    ------
    InputError
        The value is not an encoding.

    Examples
    --------
    >>> from_json({"encoding": "weighting", "backfill": "none", "decoding": "online"})
    Weighting(backfill='none', decoding='online')
    """
    if not isinstance(value, dict) or value.get("encoding") not in ENCODINGS:
        raise InputError(f"an encoding must be one of {', '.join(ENCODINGS)}, but is {value!r:.60}")
    kind = ENCODINGS[value["encoding"]]
    fields = {key: tuple(part) if isinstance(part, list) else part for key, part in value.items() if key != "encoding"}
    words = words_of(value["encoding"])
    if set(fields) != set(words):
        raise InputError(f"{value['encoding']} must have {', '.join(words)}, but has {', '.join(fields)}")
    return kind(**fields)


def words_of(name: str) -> list[str]:
    """Return the names of the words that determine the encoding of this name.

    Examples
    --------
    >>> words_of("weighting")
    ['backfill', 'decoding']
    """
    return list(ENCODINGS[name]()._asdict())
