"""A waiting queue that is put in order anew at every event, for the rules that look at all of it anyway."""

import numpy as np
from numba import njit

from .kinetic_queue import key_of


@njit(cache=True, nogil=True, _nrt=False)
def arrange(jobs, weights, situation, t, waiting, count, queue, keys):
    """Fill `queue` with the first `count` rows of `waiting`: in that order or, with genes, as a heap by their keys."""
    genes = weights.genes
    groups = (genes.shape[1] - 2) // 2
    for i in range(count):
        j = waiting[i]
        queue[i] = j
        keys[i] = 0.0
        if genes.size > 0:
            g = jobs.group[j]
            keys[i] = key_of(
                weights.criteria[situation],
                genes[situation, g],
                genes[situation, groups + g],
                genes[situation, 2 * groups],
                genes[situation, 2 * groups + 1],
                float(t - jobs.submit[j]),
                float(jobs.estimate[j]),
                float(jobs.width[j]),
                float(jobs.estimate[j] * jobs.width[j]),
            )
    if genes.size > 0:
        for i in range(count // 2 - 1, -1, -1):
            sink(queue, keys, i, count)


@njit(cache=True, nogil=True, _nrt=False)
def sink(queue, keys, i, size):
    """Put the job at i where it belongs in a heap with the largest key, then the lowest row, on top."""
    while 2 * i + 1 < size:
        child = 2 * i + 1
        other = child + 1
        if other < size and (keys[other] > keys[child] or (keys[other] == keys[child] and queue[other] < queue[child])):
            child = other
        if keys[i] > keys[child] or (keys[i] == keys[child] and queue[i] < queue[child]):
            return
        queue[i], queue[child] = queue[child], queue[i]
        keys[i], keys[child] = keys[child], keys[i]
        i = child


@njit(cache=True, nogil=True, _nrt=False)
def count_fitting(rows, count, width, free):
    """Count those of the first `count` rows that need at most `free` processors."""
    fitting = np.int64(0)
    for i in range(count):
        fitting += width[rows[i]] <= free
    return fitting


@njit(cache=True, nogil=True, _nrt=False)
def still_waiting(waiting, count, start):
    """Drop the rows that have started, those with a start time of 0 or more; give how many are left."""
    kept = 0
    for i in range(count):
        if start[waiting[i]] < 0:
            waiting[kept] = waiting[i]
            kept += 1
    return kept
