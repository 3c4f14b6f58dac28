"""Jobs with a workload, and nodes with a capability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, first_few, number_of
from ..core.notebook import fields_html, fields_repr

LARGEST = 1e15  # of any number here: sums stay exact enough, quotients finite
SMALLEST = 1e-6


@dataclass(frozen=True, eq=False)
class Bag:
    """Independent, indivisible jobs.

    Parameters
    ----------
    name
        (m,) name of each job. Jobs of one name are runs of one program.
    workload
        (m,) workload units: the time units that a node of capability 1 needs. NaN where it is not known.
    size
        (m,) size of each job's input, by which its workload can be estimated; NaN where it is not known.

    Raises
    ------
    InputError
        There is no job, an array has the wrong length, or a number is out of range.

    Examples
    --------
    >>> Bag(["a", "b"], [3.0, float("nan")]).known.tolist()
    [True, False]
    """

    name: tuple[str, ...]
    workload: Floats
    size: Floats = field(default_factory=lambda: np.empty(0))

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", tuple(str(name) for name in self.name))
        m = len(self.name)
        if m == 0:
            raise InputError("a list of jobs needs at least one job, but there is none")
        object.__setattr__(self, "workload", _numbers("workload", self.workload, m, self.name, 0.0))
        size = np.full(m, np.nan) if np.size(self.size) == 0 else self.size
        object.__setattr__(self, "size", _numbers("size", size, m, self.name, 0.0))

    def __len__(self) -> int:
        return len(self.name)

    @property
    def known(self) -> NDArray[np.bool_]:
        """(m,), whether the workload of each job is known."""
        return ~np.isnan(self.workload)


@dataclass(frozen=True, eq=False)
class Nodes:
    """Dedicated nodes of one architecture and different speeds.

    Parameters
    ----------
    name
        (n,) different names.
    speed
        (n,) workload units that a node does in a time unit, F(P_i) of paper 003.
    utilisation
        (n,) in (0, 1], the share of its speed that is free for jobs, U(P_i). Default: all of it.

    Raises
    ------
    InputError
        There is no node, a name occurs twice, an array has the wrong length, or a number is out of range.

    Examples
    --------
    >>> Nodes(["n1", "n2"], [2.0, 2.6], [1.0, 0.5]).capability.tolist()
    [2.0, 1.3]
    """

    name: tuple[str, ...]
    speed: Floats
    utilisation: Floats = field(default_factory=lambda: np.empty(0))

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", tuple(str(name) for name in self.name))
        n = len(self.name)
        if n == 0:
            raise InputError("a list of nodes needs at least one node, but there is none")
        earlier: set[str] = set()
        twice = [name for name in self.name if name in earlier or earlier.add(name)]  # type: ignore[func-returns-value]
        if twice:
            raise InputError(f"nodes must have different names, but {first_few(twice)} occur again")
        utilisation = np.ones(n) if np.size(self.utilisation) == 0 else self.utilisation
        object.__setattr__(self, "speed", _numbers("speed", self.speed, n, self.name, SMALLEST))
        object.__setattr__(self, "utilisation", _numbers("utilisation", utilisation, n, self.name, SMALLEST, 1.0))
        for key in ("speed", "utilisation"):
            gaps = np.flatnonzero(np.isnan(getattr(self, key)))
            if gaps.size:
                raise InputError(f"{key} must be a number, but is not for {first_few(self.name[i] for i in gaps)}")

    def __len__(self) -> int:
        return len(self.name)

    @property
    def capability(self) -> Floats:
        """(n,), U(P_i) F(P_i): workload units that a node really does in a time unit."""
        product: Floats = self.speed * self.utilisation
        return product


def _numbers(
    key: str, value: ArrayLike, length: int, names: Sequence[str], low: float, high: float = LARGEST
) -> Floats:
    """Return a read-only copy, (length,) float64, of numbers in low..high or NaN; raise InputError for others."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{key} must be numbers, but is not") from None
    if array.shape != (length,):
        raise InputError(
            f"{key} must have one entry for each of {number_of(length, 'name')}, but has shape {array.shape}"
        )
    outside = np.flatnonzero((array < low) | (array > high))
    if outside.size:
        examples = first_few((f"{names[i]} has {array[i]:g}" for i in outside.tolist()), outside.size)
        raise InputError(f"{key} must be in {low:g}..{high:g}, but {outside.size} are not: {examples}")
    array.flags.writeable = False
    return array
