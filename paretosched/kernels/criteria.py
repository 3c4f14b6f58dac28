"""The criteria f1 to f4 of Greedy: keys as they are printed in the papers, and the same keys as lines in time."""

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int
from .compiling import njit
from .inputs import Weights


@njit(cache=True, nogil=True, inline="always")
def key_of(
    criterion: Int, w: float, K: float, a: float, b: float, wait: float, estimate: float, width: float, area: float
) -> float:
    """Return a criterion, 1..4, evaluated as printed, left to right (papers 000 and 002, f1 to f4).

    Genes w, K, a, b; `wait` and `estimate` in s, `width` in processors, `area` is estimate * width.
    """
    if criterion == 1:
        return w * (K + a * (wait / estimate) + b * (estimate / width))
    if criterion == 2:
        return w * (K + a * wait + b * area)
    if criterion == 3:
        return w * (K + a * (wait / area))
    return w * (K + a * wait + b * (estimate / width))


@njit(cache=True, nogil=True, inline="always")
def line_of(
    criterion: Int, w: float, K: float, a: float, b: float, submit: float, estimate: float, width: float, area: float
) -> tuple[float, float]:
    """Return alpha and beta of a criterion, 1..4, as alpha + beta * t; beta per second.

    Genes w, K, a, b; `submit`, `estimate` and t in s, `width` in processors, `area` is estimate * width.
    """
    if criterion == 1:
        beta = w * a / estimate
        constant = w * (K + b * (estimate / width))
    elif criterion == 2:
        beta = w * a
        constant = w * (K + b * area)
    elif criterion == 3:
        beta = w * a / area
        constant = w * K
    else:
        beta = w * a
        constant = w * (K + b * (estimate / width))
    return constant - beta * submit, beta


@njit(cache=True, nogil=True, _nrt=False)
def settle_criteria(slots: NDArray[np.void], i: Int, j: Int, s: Int, t: Int, weights: Weights) -> tuple[bool, bool]:
    """Return which job of two slots comes first by the printed criterion, and whether this is final.

    Parameters
    ----------
    slots, i, j
        (size * BENCH,) SLOT, and two slots with jobs.
    s, t
        Situation, 0..2, and second.
    weights
        `Weights`.

    Returns
    -------
    first : bool
        The job of slot i comes before that of slot j at time t in situation s.
    ever : bool
        The decision is final: their keys are the same function of time in float64, or both are constant.
    """
    job_i = slots[i]
    job_j = slots[j]
    criterion = weights.criteria[s]
    genes = weights.genes[s]
    groups = (genes.size - 2) // 2
    gi = job_i["group"]
    gj = job_j["group"]
    a = genes[2 * groups]
    b = genes[2 * groups + 1]
    wi = genes[gi]
    wj = genes[gj]
    since_i = float(t - job_i["submit"])
    since_j = float(t - job_j["submit"])
    ei = float(job_i["estimate"])
    ej = float(job_j["estimate"])
    mi = float(job_i["width"])
    mj = float(job_j["width"])
    area_i = float(job_i["estimate"] * np.int64(job_i["width"]))
    area_j = float(job_j["estimate"] * np.int64(job_j["width"]))
    key_i = key_of(criterion, wi, genes[groups + gi], a, b, since_i, ei, mi, area_i)
    key_j = key_of(criterion, wj, genes[groups + gj], a, b, since_j, ej, mj, area_j)
    first = key_i > key_j or (key_i == key_j and job_i["row"] < job_j["row"])
    if a == 0.0 or (wi == 0.0 and wj == 0.0):
        return first, True
    if wi != wj or genes[groups + gi] != genes[groups + gj] or since_i != since_j:
        return first, False
    if criterion == 1:
        return first, ei == ej and b * (ei / mi) == b * (ej / mj)
    if criterion == 2:
        return first, b * area_i == b * area_j
    if criterion == 3:
        return first, area_i == area_j
    return first, b * (ei / mi) == b * (ej / mj)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def line_of_criterion(s: Int, job: np.void, weights: Weights) -> tuple[float, float]:
    """Return alpha and beta of the criterion of a job, a SLOT, in situation s, 0..2; `weights` are only read."""
    genes = weights.genes
    groups = (genes.shape[1] - 2) // 2
    g = job["group"]
    return line_of(
        weights.criteria[s],
        genes[s, g],
        genes[s, groups + g],
        genes[s, 2 * groups],
        genes[s, 2 * groups + 1],
        float(job["submit"]),
        float(job["estimate"]),
        float(job["width"]),
        float(job["estimate"] * np.int64(job["width"])),
    )
