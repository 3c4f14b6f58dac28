"""Slurm's fair-share factor: 0 to 1, the larger the less an account or user has taken of its share of the machine.

Associations, accounts and users in accounts, are a tree. What jobs take counts for the user, the account and all
accounts above, decayed with a half-life. Factors are computed again once in a period, from the usage up to the first
second of the period, and hold until the next one.

- `CLASSIC`: 2^(-U / S / damping); S is the product of the parts of the shares on the way down from the root, and U the
  effective usage: of the children of the root their part of all usage, below it u + (U of the account - u) x s, where
  u is the own part of all usage and s the own part of the shares of the account.
- `FAIR_TREE`: among the children of an account, those come first that have the larger s / u, where s is the part of the
  account's shares, and u the part of the account's usage (infinite without usage, 0 without shares); users come before
  accounts of the same ratio. In this order the users of the whole tree are ranked, each account with all below it in
  its place, and a user's factor is the rank from the end, divided by the number of users. Users with the same ratio
  have the same rank, that of the first. The children of accounts with the same ratio are ranked as those of one
  account. The first child of an account whose ratio is that of what comes before it has the rank of the user before.

All seconds before now decay alike, so that usage is kept in units that grow: a processor second of second t counts
2^(t / half-life), and nothing needs to be computed as time goes by. Only ratios of usage matter.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Mask
from .compiling import njit

CLASSIC, FAIR_TREE = range(2)
NOW, BEFORE = range(2)  # rows of `Tree.used`: all changes up to now, and those before the period
COMPUTED, SCALE = range(2)  # of `Tree.state`
NEVER = -1  # no period
LARGEST = 512.0  # half-lives after which units are made smaller
FIRST, NEXT, END, TIED = range(4)  # of `Tree.levels`


class Tree(NamedTuple):
    """The associations, N of them; N is 0 if there is no fair share. The first one is the root.

    Attributes
    ----------
    algorithm
        CLASSIC or FAIR_TREE.
    damping
        By what the exponent is divided; of CLASSIC.
    period, first
        s: factors are computed again in the seconds first, first + period, first + 2 period, ...
    parent
        (N,) int64, the account above, which has a lower number; of the root -1.
    share, product
        (N,) float64, the part of the shares of the account above; and the product of these parts from the root on.
    is_user, inherits
        (N,) bool, whether it is a user; and whether this is one who has the shares of the account.
    accounts
        All associations that are no users, ascending.
    child, begin
        (m,) and (N + 1,) int64: the children of i with users are child[begin[i] : begin[i + 1]]. They are sorted in
        place.
    users
        How many users there are.
    used, mark
        (2, N) float64, usage up to the last change, and the growth of units in that second.
    rate
        (2, N) int64, processors that run jobs since then.
    changed
        (N,) int64, the last period in which there was a change.
    grown
        (1,) float64, the growth of units in the first second of the period.
    value, level, factor
        (N,) float64: the usage at the beginning of the period (of users by CLASSIC only where it is needed); the ratio
        of FAIR_TREE, or the effective usage of an account by CLASSIC; and the factor of a user by FAIR_TREE.
    line, levels, last
        (N + 1,) int64, (deepest + 2, 4) int64 and (deepest + 2,) float64, work space of the ranking.
    state
        (2,) int64: the period for which all was COMPUTED; and the SCALE, how often units became smaller.
    """

    algorithm: int
    damping: float
    period: int
    first: int
    parent: Ints
    share: Floats
    product: Floats
    is_user: Mask
    inherits: Mask
    accounts: Ints
    child: Ints
    begin: Ints
    users: int
    used: Floats
    mark: Floats
    rate: Ints
    changed: Ints
    grown: Floats
    value: Floats
    level: Floats
    factor: Floats
    line: Ints
    levels: Ints
    last: Floats
    state: Ints


def tree_of(
    algorithm: int,
    damping: float,
    period: int,
    first: int,
    parent: Ints,
    share: Floats,
    is_user: Mask,
    inherits: Mask,
) -> Tree:
    """Return the tree of associations without usage.

    Parameters
    ----------
    algorithm, damping, period, first
        As for `Tree`.
    parent, share
        (N,) int64 and (N,) float64, as for `Tree`.
    is_user, inherits
        (N,) bool, as for `Tree`.
    """
    count = parent.size
    product = np.zeros(count)
    depth = np.zeros(count, dtype=np.int64)
    for node in range(count):
        above = int(parent[node])
        product[node] = share[node] * product[above] if above >= 0 else 1.0
        depth[node] = depth[above] + 1 if above >= 0 else 0
    has_users = is_user.copy()
    for node in range(count - 1, 0, -1):
        above = int(parent[node])
        has_users[above] |= has_users[node]
    below = np.flatnonzero(has_users[1:]) + 1
    below = below[np.argsort(parent[below], kind="stable")]
    begin = np.searchsorted(parent[below], np.arange(count + 1))
    deepest = int(depth.max(initial=0)) + 2
    return Tree(
        algorithm,
        float(damping),
        period,
        first,
        parent,
        share,
        product,
        is_user,
        inherits,
        np.flatnonzero(~is_user).astype(np.int64),
        below.astype(np.int64),
        begin.astype(np.int64),
        int(is_user.sum()),
        np.zeros((2, count)),
        np.zeros((2, count)),
        np.zeros((2, count), dtype=np.int64),
        np.full(count, NEVER, dtype=np.int64),
        np.zeros(1),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count + 1, dtype=np.int64),
        np.zeros((deepest, 4), dtype=np.int64),
        np.zeros(deepest),
        np.array([NEVER, 0], dtype=np.int64),
    )


def no_tree() -> Tree:
    """Return what stands for the absence of fair share."""
    none = np.zeros(0, dtype=np.int64)
    return tree_of(CLASSIC, 1.0, 1, 0, none, np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.bool_))


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def period_of(tree: Tree, t: Int) -> Int:
    """Return the number of the period of `tree` in which second t is."""
    return (t - tree.first) // tree.period


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def growth(tree: Tree, half_life: float, t: Int) -> float:
    """Return what a processor second of second t counts, in the units of `tree`; usage decays with `half_life`, s."""
    return math.exp2(float(t - tree.first) / half_life - LARGEST * float(tree.state[SCALE]))


@njit(cache=True, nogil=True, _nrt=False)
def shrink(tree: Tree, half_life: float, t: Int) -> None:
    """Make the units of `tree`, modified in place, smaller, until second t is less than LARGEST `half_life` away."""
    steps = int((float(t - tree.first) / half_life - LARGEST * float(tree.state[SCALE])) / LARGEST)
    tree.state[SCALE] += steps
    for _ in range(min(steps, 4)):  # after which nothing is left
        for row in range(2):
            for node in range(tree.parent.size):
                tree.used[row, node] *= 2.0**-LARGEST
                tree.mark[row, node] *= 2.0**-LARGEST


@njit(cache=True, nogil=True, _nrt=False)
def note_in_tree(tree: Tree, half_life: float, node: Int, t: Int, width: Int) -> None:
    """Note that a job of an association starts or ends, for it and all accounts above it.

    Parameters
    ----------
    tree, half_life
        `Tree`, modified in place, and s.
    node, t
        The association, and the second.
    width
        Processors, below 0 if the job ends.
    """
    shrink(tree, half_life, t)
    period = period_of(tree, t)
    grown = growth(tree, half_life, t)
    while node >= 0:
        if tree.changed[node] != period:
            tree.changed[node] = period
            tree.used[BEFORE, node] = tree.used[NOW, node]
            tree.mark[BEFORE, node] = tree.mark[NOW, node]
            tree.rate[BEFORE, node] = tree.rate[NOW, node]
        tree.used[NOW, node] += float(tree.rate[NOW, node]) * (grown - tree.mark[NOW, node])
        tree.mark[NOW, node] = grown
        tree.rate[NOW, node] += width
        node = tree.parent[node]


@njit(cache=True, nogil=True, _nrt=False)
def factor_at(tree: Tree, half_life: float, node: Int, t: Int) -> float:
    """Return the factor of association `node` in second t; of an account above users it is not needed.

    `tree`, of which usage decays with `half_life`, s, is modified in place: all is computed once in a period.
    """
    period = period_of(tree, t)
    if tree.state[COMPUTED] != period:
        tree.state[COMPUTED] = period
        shrink(tree, half_life, t)
        tree.grown[0] = growth(tree, half_life, tree.first + period * tree.period)
        if tree.algorithm == CLASSIC:
            compute_effective(tree)
        else:
            compute_ratios(tree)
            rank_users(tree)
    return classic_factor(tree, node) if tree.algorithm == CLASSIC else float(tree.factor[node])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def compute_value(tree: Tree, node: Int) -> None:
    """Compute the usage of association `node` of `tree` at the beginning of the period, in place."""
    row = BEFORE if tree.changed[node] == tree.state[COMPUTED] else NOW
    since = tree.grown[0] - tree.mark[row, node]
    tree.value[node] = tree.used[row, node] + float(tree.rate[row, node]) * since


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def part_of_all(tree: Tree, node: Int) -> float:
    """Return the part of all usage that `node` of `tree` has, 0 if there is no usage."""
    return tree.value[node] / tree.value[0] if tree.value[0] > 0.0 else 0.0


@njit(cache=True, nogil=True, _nrt=False)
def compute_effective(tree: Tree) -> None:
    """Compute the effective usage of all accounts of `tree`, in place."""
    for node in tree.accounts:
        compute_value(tree, node)
        tree.level[node] = effective(tree, node)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def effective(tree: Tree, node: Int) -> float:
    """Return the effective usage of `node` of `tree`, of which that of the account above is known."""
    above = tree.parent[node]
    own = part_of_all(tree, node)
    if above <= 0:
        return own
    return own + (tree.level[above] - own) * tree.share[node]


@njit(cache=True, nogil=True, _nrt=False)
def classic_factor(tree: Tree, node: Int) -> float:
    """Return the factor of a user, `node` of `tree`, by CLASSIC."""
    if tree.inherits[node] and tree.parent[node] > 0:
        node = tree.parent[node]
        taken = tree.level[node]
    else:
        compute_value(tree, node)
        taken = effective(tree, node)
    share = tree.product[node]
    return math.exp2(-(taken / share) / tree.damping) if share > 0.0 else 0.0


@njit(cache=True, nogil=True, _nrt=False)
def compute_ratios(tree: Tree) -> None:
    """Compute the ratios of shares and usage of FAIR_TREE of all associations of `tree`, in place."""
    compute_value(tree, 0)
    for node in range(1, tree.parent.size):
        compute_value(tree, node)
        above = tree.value[tree.parent[node]]
        part = tree.value[node] / above if above > 0.0 else 0.0
        if tree.inherits[node]:
            tree.level[node] = np.inf
        elif tree.share[node] == 0.0:
            tree.level[node] = 0.0
        else:
            tree.level[node] = tree.share[node] / part if part > 0.0 else np.inf


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def comes_before(tree: Tree, a: Int, b: Int) -> bool:
    """Return whether association a of `tree` comes before its sibling b: by ratio, then users before accounts."""
    if tree.level[a] != tree.level[b]:
        return bool(tree.level[a] > tree.level[b])
    return bool(tree.is_user[a] and not tree.is_user[b])


@njit(cache=True, nogil=True, _nrt=False)
def sort_siblings(tree: Tree, nodes: Ints, begin: Int, end: Int) -> None:
    """Sort siblings in place: a few steps if the order is nearly that of the last period.

    Parameters
    ----------
    tree
        `Tree`.
    nodes
        (m,) int64, associations, of which nodes[begin:end] are sorted in place.
    begin, end
        See `nodes`.
    """
    for i in range(begin + 1, end):
        node = nodes[i]
        k = i
        while k > begin and comes_before(tree, node, nodes[k - 1]):
            nodes[k] = nodes[k - 1]
            k -= 1
        nodes[k] = node


@njit(cache=True, nogil=True, _nrt=False)
def rank_users(tree: Tree) -> None:
    """Compute the factors of all users of `tree` by FAIR_TREE from the ratios, in place."""
    levels = tree.levels
    line = tree.line
    for node in range(tree.parent.size):
        sort_siblings(tree, tree.child, tree.begin[node], tree.begin[node + 1])
    rank = tree.users
    untied = tree.users  # what the rank would be without equal ratios
    line[0] = 0
    depth: Int = 0
    open_level(tree, 0, 0, 1, False)
    while depth >= 0:
        level = levels[depth]
        if level[NEXT] == level[END]:
            depth -= 1
            continue
        i = level[NEXT]
        node = line[i]
        ratio = tree.level[node]
        tied = bool(level[TIED]) if i == level[FIRST] else ratio == tree.last[depth]
        tree.last[depth] = ratio
        level[NEXT] = i + 1
        if tree.is_user[node]:
            if not tied:
                rank = untied
            tree.factor[node] = rank / tree.users
            untied -= 1
            continue
        while level[NEXT] < level[END] and tree.level[line[level[NEXT]]] == ratio:
            level[NEXT] += 1
        depth += 1
        open_level(tree, depth, i, level[NEXT], tied)


@njit(cache=True, nogil=True, _nrt=False)
def open_level(tree: Tree, depth: Int, begin: Int, end: Int, tied: bool) -> None:
    """Put the children of accounts into line behind them, sorted, as a level of the ranking.

    Parameters
    ----------
    tree
        `Tree`, of which the levels and the line are modified in place.
    depth
        The level that is opened, 0 for the children of the root.
    begin, end
        The accounts are line[begin:end].
    tied
        Whether the accounts are equal to what comes before them.
    """
    line = tree.line
    first = tree.levels[depth - 1, END] if depth > 0 else 1
    last = first
    for i in range(begin, end):
        node = line[i]
        for k in range(tree.begin[node], tree.begin[node + 1]):
            line[last] = tree.child[k]
            last += 1
    if end - begin > 1:
        sort_siblings(tree, line, first, last)
    tree.levels[depth, FIRST] = first
    tree.levels[depth, NEXT] = first
    tree.levels[depth, END] = last
    tree.levels[depth, TIED] = tied
