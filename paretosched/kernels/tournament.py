"""The waiting queue of Greedy: who is first now, without sorting and without looking at everybody.

Within one situation the key of a waiting job is a straight line in time, alpha + beta * t, for all four criteria
(the wait is t - submit, everything else is fixed). A kinetic tournament keeps the winner of such lines: a binary
tree over slots, each node with the line of its winner and a time of expiry up to which no decision below it
can change. Asking for the first job at time t costs nothing while the root has not expired; otherwise only the
expired nodes are played again. A job that comes or goes replays the games on its way to the root, and stops
where nothing changes.

Decisions are exactly those of the criterion as it is printed, evaluated in float64, ties to the lower row. Lines are
only used where they differ by more than all rounding together can; closer games are settled by the printed
formula, and expire at once unless the two keys are the same for ever.

Each of the three situations has a tree of its own over the same slots. Only the tree of the present situation is kept
up to date; in the others the way to the root is marked as expired, and played when the situation comes.

Identical jobs that arrive in a row (copies, job arrays) share a slot: nothing distinguishes them but the row.

A node of the tree is four floats, so that two children are one cache line:
"""

import numpy as np
from numba import njit

ALPHA, BETA, EXPIRY, SLOT = 0, 1, 2, 3

NEVER = 1e300
STALE = -1.0
NOBODY = -1.0
# All rounding errors of a line and of a printed formula together are below a few units in the last place of the
# largest magnitude that enters them; this is generous.
MARGIN = 64 * 2.0**-53


@njit(cache=True, nogil=True, inline="always")
def key_of(criterion, w, K, a, b, wait, estimate, width, area):
    """Evaluate a criterion as printed, left to right (papers 000 and 002, f1 to f4); `area` is estimate * width."""
    if criterion == 1:
        return w * (K + a * (wait / estimate) + b * (estimate / width))
    if criterion == 2:
        return w * (K + a * wait + b * area)
    if criterion == 3:
        return w * (K + a * (wait / area))
    return w * (K + a * wait + b * (estimate / width))


@njit(cache=True, nogil=True, inline="always")
def line_of(criterion, w, K, a, b, submit, estimate, width, area):
    """Give the criterion as alpha + beta * t."""
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
def settle(i, j, t, criterion, genes, submit, estimate, width, group):
    """Compare two jobs by the printed formula.

    Returns
    -------
    first : bool
        Row i comes before row j at time t.
    ever : bool
        Their keys are the same function of time in float64, or both constant: the decision is final.
    """
    groups = (genes.size - 2) // 2
    gi = group[i]
    gj = group[j]
    a = genes[2 * groups]
    b = genes[2 * groups + 1]
    wi = genes[gi]
    wj = genes[gj]
    since_i = float(t - submit[i])
    since_j = float(t - submit[j])
    ei = float(estimate[i])
    ej = float(estimate[j])
    mi = float(width[i])
    mj = float(width[j])
    area_i = float(estimate[i] * width[i])
    area_j = float(estimate[j] * width[j])
    key_i = key_of(criterion, wi, genes[groups + gi], a, b, since_i, ei, mi, area_i)
    key_j = key_of(criterion, wj, genes[groups + gj], a, b, since_j, ej, mj, area_j)
    first = key_i > key_j or (key_i == key_j and i < j)
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


@njit(cache=True, nogil=True, _nrt=False)
def play(tree, s, node, t, horizon, criterion, genes, row_of, submit, estimate, width, group):
    """Play the game of one node of situation s between its children; tell whether anything changed."""
    left = 2 * node
    right = left + 1
    now = float(t)
    expiry = min(tree[s, left, EXPIRY], tree[s, right, EXPIRY])
    winner = left
    if tree[s, left, SLOT] < 0.0:
        winner = right
    elif tree[s, right, SLOT] >= 0.0:
        alpha_left = tree[s, left, ALPHA]
        alpha_right = tree[s, right, ALPHA]
        beta_left = tree[s, left, BETA]
        beta_right = tree[s, right, BETA]
        lead = (alpha_left - alpha_right) + (beta_left - beta_right) * now
        margin = MARGIN * (abs(alpha_left) + abs(alpha_right) + (beta_left + beta_right) * horizon)
        gain = beta_right - beta_left
        if abs(lead) > margin:
            if lead < 0.0:
                winner = right
                lead = -lead
                gain = -gain
            if gain > 0.0:
                expiry = min(expiry, now + (lead - margin) / gain * (1.0 - 1e-9))
        else:
            i = row_of[np.int64(tree[s, left, SLOT])]
            j = row_of[np.int64(tree[s, right, SLOT])]
            first, ever = settle(i, j, t, criterion, genes[s], submit, estimate, width, group)
            if not first:
                winner = right
            if not ever:
                expiry = min(expiry, now + 0.5)
    changed = (
        tree[s, node, SLOT] != tree[s, winner, SLOT]
        or tree[s, node, EXPIRY] != expiry
        or tree[s, node, ALPHA] != tree[s, winner, ALPHA]
        or tree[s, node, BETA] != tree[s, winner, BETA]
    )
    tree[s, node, ALPHA] = tree[s, winner, ALPHA]
    tree[s, node, BETA] = tree[s, winner, BETA]
    tree[s, node, SLOT] = tree[s, winner, SLOT]
    tree[s, node, EXPIRY] = expiry
    return changed


@njit(cache=True, nogil=True, _nrt=False)
def seat(tree, s, node, criterion, genes, size, row_of, submit, estimate, width, group):
    """Write the line of the job in a leaf, or that nobody is there."""
    j = row_of[node - size]
    tree[s, node, EXPIRY] = NEVER
    if j < 0:
        tree[s, node, SLOT] = NOBODY
        return
    groups = (genes.shape[1] - 2) // 2
    g = group[j]
    alpha, beta = line_of(
        criterion,
        genes[s, g],
        genes[s, groups + g],
        genes[s, 2 * groups],
        genes[s, 2 * groups + 1],
        float(submit[j]),
        float(estimate[j]),
        float(width[j]),
        float(estimate[j] * width[j]),
    )
    tree[s, node, ALPHA] = alpha
    tree[s, node, BETA] = beta
    tree[s, node, SLOT] = float(node - size)


@njit(cache=True, nogil=True, _nrt=False)
def replay(tree, s, top, size, stack, t, horizon, criterion, genes, row_of, submit, estimate, width, group):
    """Play again what has expired at or below `top`."""
    now = float(t)
    stack[0] = top
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if node < 0:  # both children are up to date
            play(tree, s, -node, t, horizon, criterion, genes, row_of, submit, estimate, width, group)
        elif tree[s, node, EXPIRY] <= now:
            if node >= size:
                seat(tree, s, node, criterion, genes, size, row_of, submit, estimate, width, group)
            else:
                stack[depth] = -node
                stack[depth + 1] = 2 * node + 1
                stack[depth + 2] = 2 * node
                depth += 3


@njit(cache=True, nogil=True, _nrt=False)
def replay_above(tree, s, leaf, top, t, horizon, criterion, genes, row_of, submit, estimate, width, group):
    """Play the games from a changed leaf towards `top`, until nothing changes; expire that way elsewhere."""
    node = leaf >> 1
    while node >= top and play(tree, s, node, t, horizon, criterion, genes, row_of, submit, estimate, width, group):
        node >>= 1
    for other in range(3):
        if other != s:
            node = leaf
            while node >= top and tree[other, node, EXPIRY] != STALE:
                tree[other, node, EXPIRY] = STALE
                node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def open_level(tree, size, level):
    """Make the nodes that slots 0..2^level - 1 need and 0..2^(level - 1) - 1 did not: empty, for all situations."""
    first = (np.int64(1) << level) >> 1
    last = np.int64(1) << level
    base = np.int64(size)
    while last > first:
        for node in range(base + first, base + last):
            for s in range(3):
                tree[s, node, SLOT] = NOBODY
                tree[s, node, EXPIRY] = NEVER
        base >>= 1
        first >>= 1
        last >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def first_backfill(
    tree,
    s,
    least,
    top,
    size,
    stack,
    t,
    horizon,
    criterion,
    genes,
    row_of,
    submit,
    estimate,
    width,
    group,
    free,
    extra,
    limit,
):
    """Find the first job in the order that may start beside EASY's reservation.

    It needs at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds. Subtrees
    are passed by if nobody in them is small or short enough, or if even their winner comes after the
    best job found.

    Returns
    -------
    slot, or -1 if there is none.
    """
    now = float(t)
    best = np.int64(-1)
    best_alpha = 0.0
    best_beta = 0.0
    stack[0] = top
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if least[node, 0] > free or (least[node, 0] > extra and least[node, 1] > limit):
            continue
        slot = np.int64(tree[s, node, SLOT])
        j = row_of[slot]
        alpha = tree[s, node, ALPHA]
        beta = tree[s, node, BETA]
        if best >= 0:
            lead = (alpha - best_alpha) + (beta - best_beta) * now
            if abs(lead) > MARGIN * (abs(alpha) + abs(best_alpha) + (beta + best_beta) * horizon):
                ahead = lead > 0.0
            else:
                ahead, _ = settle(j, row_of[best], t, criterion, genes[s], submit, estimate, width, group)
            if not ahead:
                continue
        if width[j] <= free and (width[j] <= extra or estimate[j] <= limit):
            best = slot
            best_alpha = alpha
            best_beta = beta
        elif node < size:
            left = 2 * node
            if tree[s, left, SLOT] == tree[s, node, SLOT]:  # the better half is looked at first
                stack[depth] = left + 1
                stack[depth + 1] = left
            else:
                stack[depth] = left
                stack[depth + 1] = left + 1
            depth += 2
    return best
