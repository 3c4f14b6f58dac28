"""Temporary linear-scan kernels, to be replaced by structured ones."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def key_of(f, w, K, a, b, wait, est, width):
    if f == 1:
        return w * (K + a * (wait / est) + b * (est / width))
    if f == 2:
        return w * (K + a * wait + b * (est * width))
    if f == 3:
        return w * (K + a * (wait / (est * width)))
    return w * (K + a * wait + b * (est / width))


@njit(cache=True, nogil=True)
def plain(mode, backfill, submit, run, estimate, width, group, capacity, begin, kind, criteria, genes, start):
    """Mode 0 arrival order, 1 list, 2 greedy; backfill 0 none 1 easy."""
    n = submit.size
    G = (genes.shape[1] - 2) // 2 if mode == 2 else 1
    queue = np.empty(n, np.int64)
    running = np.empty(n, np.int64)
    keys = np.empty(n, np.float64)
    nq = 0
    nr = 0
    nxt = 0
    free = capacity
    era = 0
    while nxt < n or nq > 0:
        t = np.int64(0x7FFFFFFFFFFFFFFF)
        if nxt < n:
            t = submit[nxt]
        for i in range(nr):
            t = min(t, start[running[i]] + run[running[i]])
        k = 0
        for i in range(nr):
            j = running[i]
            if start[j] + run[j] <= t:
                free += width[j]
            else:
                running[k] = j
                k += 1
        nr = k
        while nxt < n and submit[nxt] == t:
            queue[nq] = nxt
            nq += 1
            nxt += 1
        if mode == 2:
            while era + 1 < begin.size and begin[era + 1] <= t:
                era += 1
            s = kind[era]
            for i in range(nq):
                j = queue[i]
                g = group[j]
                keys[i] = key_of(
                    criteria[s],
                    genes[s, g],
                    genes[s, G + g],
                    genes[s, 2 * G],
                    genes[s, 2 * G + 1],
                    float(t - submit[j]),
                    float(estimate[j]),
                    float(width[j]),
                )
            for i in range(1, nq):
                j = queue[i]
                v = keys[i]
                p = i - 1
                while p >= 0 and (keys[p] < v or (keys[p] == v and queue[p] > j)):
                    keys[p + 1] = keys[p]
                    queue[p + 1] = queue[p]
                    p -= 1
                keys[p + 1] = v
                queue[p + 1] = j
        shadow = np.int64(0x7FFFFFFFFFFFFFFF)
        extra = np.int64(0)
        blocked = False
        k = 0
        for i in range(nq):
            j = queue[i]
            ok = width[j] <= free
            if blocked and ok:
                if mode != 1:
                    if backfill == 0:
                        ok = False
                    else:
                        ok = t + estimate[j] <= shadow or width[j] <= extra
            if ok:
                start[j] = t
                free -= width[j]
                if blocked and t + estimate[j] > shadow:
                    extra -= width[j]
                running[nr] = j
                nr += 1
            else:
                if not blocked:
                    blocked = True
                    if mode != 1 and backfill == 1:
                        ends = np.empty(nr, np.int64)
                        for r in range(nr):
                            ends[r] = start[running[r]] + estimate[running[r]]
                        order = np.argsort(ends)
                        avail = free
                        r = 0
                        while avail < width[j]:
                            shadow = ends[order[r]]
                            while r < nr and ends[order[r]] == shadow:
                                avail += width[running[order[r]]]
                                r += 1
                        extra = avail - width[j]
                queue[k] = j
                k += 1
        nq = k
