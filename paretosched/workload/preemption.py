"""Which running jobs make way for others on a machine of nodes, under Slurm's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.arguments import in_bounds, instance
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr

KINDS = ("partition_prio", "qos")
SUSPEND = "suspend"
MODES = ("off", "cancel", "requeue", SUSPEND)
MOST = 2**31 - 1  # s, and of a priority
MOST_NAMED = 200_000


@dataclass(frozen=True, repr=False)
class Preemption:
    """Whose jobs make way for others that lack resources, and what happens to them.

    Parameters
    ----------
    kind
        PreemptType: "partition_prio", jobs in partitions of a lower tier make way; or "qos", those of QOS that the
        QOS of the other one names.
    mode
        PreemptMode: a job that makes way waits again from its beginning ("requeue"), has ended ("cancel"), or stops
        while others have its CPUs ("suspend", only with "partition_prio"); "off" if none makes way.
    modes, grace
        Pairs (or mappings) of partitions, or of QOS, and their own mode, and how long their jobs go on when they are
        asked to make way, s.
    exempt, exempts
        For how long after its start no job makes way, s; and pairs of QOS for which that is other.
    over
        Pairs of a QOS and those that make way for it.
    ranks
        Pairs of QOS and priorities: jobs of the lowest make way first; 0 of a QOS that is not named.
    youngest
        Whether of one priority the job that began last is the first; else the one of the lowest number.
    requeues
        Whether jobs wait again that do not say if they do (JobRequeue).

    Raises
    ------
    InputError
        A value breaks its rule.

    Examples
    --------
    >>> Preemption("qos", over={"urgent": ["low"]}, grace={"low": 60}).over
    (('urgent', ('low',)),)
    """

    kind: str
    mode: str = "requeue"
    modes: tuple[tuple[str, str], ...] = ()
    grace: tuple[tuple[str, int], ...] = ()
    exempt: int = 0
    exempts: tuple[tuple[str, int], ...] = ()
    over: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ranks: tuple[tuple[str, int], ...] = ()
    youngest: bool = False
    requeues: bool = True

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        one_of("mode", self.mode, MODES)
        for name, mode in _pairs("modes", self.modes):
            one_of(f"mode of {name}", mode, MODES)
        if self.kind != "partition_prio" and SUSPEND in (self.mode, *(mode for _, mode in _pairs("modes", self.modes))):
            raise InputError(f"mode must not be {SUSPEND} with {self.kind}, but is")
        object.__setattr__(self, "modes", _pairs("modes", self.modes))
        for key in ("grace", "exempts", "ranks"):
            pairs = ((name, in_bounds(f"{key} of {name}", n, MOST)) for name, n in _pairs(key, getattr(self, key)))
            object.__setattr__(self, key, tuple(pairs))
        object.__setattr__(self, "exempt", in_bounds("exempt", self.exempt, MOST))
        over = []
        for name, others in _pairs("over", self.over):
            if isinstance(others, str):
                raise InputError(f"over of {name} must be a list of QOS, but is {others!r:.60}")
            over.append((name, tuple(_word("over", other) for other in others)))
        object.__setattr__(self, "over", tuple(over))
        for key in ("youngest", "requeues"):
            instance(key, getattr(self, key), bool)


def _pairs(key: str, given: Any) -> tuple[tuple[str, Any], ...]:
    """Return pairs of names and values, sorted by name."""
    pairs: Iterable[Any] = given.items() if isinstance(given, Mapping) else given
    try:
        named = {_word(key, name): value for name, value in pairs}
    except (TypeError, ValueError):
        raise InputError(f"{key} must be pairs of a name and a value, but are not") from None
    if len(named) > MOST_NAMED:
        raise InputError(f"{key} must be at most {MOST_NAMED:,}, but are {len(named):,}")
    return tuple(sorted(named.items()))


def _word(key: str, name: Any) -> str:
    """Return a value that must be the name of a partition or QOS."""
    if not isinstance(name, str) or not name.isprintable() or not name.split() or "," in name:
        raise InputError(f"{key} must have names of partitions or QOS, but has {name!r:.60}")
    return name
