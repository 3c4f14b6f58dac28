"""Which points dominate which; the one place where the signs of objectives change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Mask
from ..core.errors import InputError, first_few
from ..simulation.objective import Objective


def deciding(values: ArrayLike, objectives: Sequence[Objective]) -> Mask:
    """Return which objectives decide dominance, (m,) bool: those that do, unless they are undefined (NaN) in every row.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> deciding([[90, 5, 5, np.nan], [80, 4, 4, np.nan]], objective_table(("1", "2"))).tolist()
    [True, False, True, False]
    """
    matrix = _matrix(values, objectives)
    return np.array([o.decides for o in objectives]) & ~np.isnan(matrix).all(axis=0)


def costs(values: ArrayLike, objectives: Sequence[Objective]) -> Floats:
    """Return the deciding objectives, all to be minimised: utilisation with its sign changed, (k, q) float64.

    Raises
    ------
    InputError
        A deciding objective is infinite, or undefined in some rows only.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> costs([[90, 5, 5], [80, 4, 4]], objective_table(("1",))).tolist()
    [[-90.0, 5.0], [-80.0, 4.0]]
    """
    matrix = _matrix(values, objectives)
    columns = np.flatnonzero(deciding(matrix, objectives))
    table = matrix[:, columns]
    faults = np.argwhere(~np.isfinite(table))
    if faults.size:
        offenders = first_few(
            (f"row {i} has {objectives[int(columns[j])].name} {table[i, j]}" for i, j in faults), len(faults)
        )
        raise InputError(f"objective values must be finite, but {offenders}")
    return table * np.where([objectives[int(j)].maximise for j in columns], -1.0, 1.0)


def nondominated_rows(values: ArrayLike, objectives: Sequence[Objective], *, equal: bool = False) -> Mask:
    """Return which rows no other row dominates, (k,) bool; of equal rows, the first one only.

    Parameters
    ----------
    values
        (k, m) in natural units.
    objectives
        What the columns are.
    equal
        Whether of equal rows all are returned.

    Raises
    ------
    InputError
        As for `costs`.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> values, table = [[90, 5, 5], [80, 4, 4], [80, 5, 5], [90, 5, 5]], objective_table(("1",))
    >>> nondominated_rows(values, table).tolist(), nondominated_rows(values, table, equal=True).tolist()
    ([True, True, False, False], [True, True, False, True])
    """
    import moocore

    matrix = costs(values, objectives)
    if len(matrix) == 0:
        return np.zeros(0, dtype=np.bool_)
    mask: Mask = np.asarray(moocore.is_nondominated(matrix, keep_weakly=equal), dtype=np.bool_)
    return mask


def first_of_equals(values: ArrayLike, objectives: Sequence[Objective]) -> Mask:
    """Return which rows are not equal to an earlier one in what decides dominance, (k,) bool.

    Raises
    ------
    InputError
        As for `costs`.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> first_of_equals([[90, 5, 5], [80, 4, 4], [90, 6, 5]], objective_table(("1",))).tolist()
    [True, True, False]
    """
    matrix = costs(values, objectives)
    mask = np.zeros(len(matrix), dtype=np.bool_)
    mask[np.unique(matrix, axis=0, return_index=True)[1]] = True
    return mask


def _matrix(values: ArrayLike, objectives: Sequence[Objective]) -> Floats:
    """Return objective values as (k, m) float64; raises InputError if they have another shape."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != len(objectives):
        raise InputError(f"values must have shape (k, {len(objectives)}), but have shape {matrix.shape}")
    return matrix
