"""The makespans of a whole population of assignments: when the last node has finished its jobs."""

import numpy as np

from ..core.arrays import Floats, Order
from .compiling import njit


@njit(cache=True, nogil=True)
def makespans(genes: Order, workload: Floats, capability: Floats, longest: Floats) -> None:
    """Fill `longest` with the makespans of chromosomes (paper 003, formulas 1 and 3).

    Parameters
    ----------
    genes
        (p, m) int32, the node, 0..n-1, of each job.
    workload
        (m,) float64, workload units.
    capability
        (n,) float64, workload units that a node does in a time unit; above 0.
    longest
        (p,) float64, time units, filled in place.
    """
    _makespans(genes, workload, capability, longest, np.empty(capability.size))


@njit(cache=True, nogil=True, _nrt=False)
def _makespans(genes: Order, workload: Floats, capability: Floats, longest: Floats, load: Floats) -> None:
    """Do the work of `makespans` without allocating memory.

    Parameters
    ----------
    genes, workload, capability
        As for `makespans`.
    longest
        (p,) float64, as for `makespans`, filled in place.
    load
        (n,) float64, work space, modified in place: the workload units of each node.
    """
    for c in range(genes.shape[0]):
        for i in range(load.size):
            load[i] = 0.0
        for k in range(workload.size):
            load[genes[c, k]] += workload[k]
        worst = 0.0
        for i in range(load.size):
            worst = max(worst, load[i] / capability[i])
        longest[c] = worst
