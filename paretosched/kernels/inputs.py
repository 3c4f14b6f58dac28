"""Arguments of kernels in bundles, so that a call has a few values instead of a dozen arrays."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, Mask, Order

RECENT, INTERPOLATED, PRINTED = range(3)  # how run times are predicted


class Jobs(NamedTuple):
    """The jobs of a workload in the order in which they arrive, (n,) int64 each.

    Attributes
    ----------
    submit, run, estimate
        Seconds; a job is submitted to a kernel when it is eligible.
    width
        Processors.
    group
        Index of the user group, 0..G-1.
    """

    submit: Ints
    run: Ints
    estimate: Ints
    width: Ints
    group: Ints


class Down(NamedTuple):
    """The times in which some processors are down, (k,) int64 each, ascending and without overlap.

    Attributes
    ----------
    begin, end
        Seconds, half open.
    width
        Processors that are down.
    """

    begin: Ints
    end: Ints
    width: Ints


class Weights(NamedTuple):
    """The parameters that order the queue of Greedy.

    Attributes
    ----------
    criteria
        (3,) int64, 1..4 for f1..f4, by situation.
    genes
        (3, 2 G + 2) float64; the row of a situation is w_1..w_G, K_1..K_G, a, b.
    horizon
        Twice the latest possible time, s: an upper bound of all times in keys.
    """

    criteria: Ints
    genes: Floats
    horizon: float


class Backfilling(NamedTuple):
    """Which jobs may start before jobs that come first in an order, for G groups.

    Attributes
    ----------
    reservations
        How many of the first waiting jobs have a reservation: 0 for no backfilling, FAR for all of them.
    entitled
        (G,) bool, whether the waiting jobs of a group get reservations.
    longest
        (G,) int64, s: while a job of the `named` groups waits, no job of a group is backfilled whose estimate is
        longer; FAR for no limit.
    named
        (G,) bool, see `longest`.
    slack
        s, how much later than its first place a reservation may be; 0: at no event later than possible.
    same
        Whether jobs are tried in the order of the queue; otherwise in an order of their own.
    """

    reservations: int
    entitled: Mask
    longest: Ints
    named: Mask
    slack: int
    same: bool


class Nodes(NamedTuple):
    """The nodes of a machine, and the passes in which jobs start on them, see `node_passes.py`.

    Attributes
    ----------
    cpus
        (m,) int64, the processors of each node.
    every
        s, between two backfill passes.
    window
        s, how far from now a reservation may begin.
    step
        s: reservations begin and end at multiples of it.
    tested
        How many jobs a backfill pass looks at.
    first
        How many jobs a main pass looks at.
    """

    cpus: Ints
    every: int
    window: int
    step: int
    tested: int
    first: int


class Rules(NamedTuple):
    """A rule base, see `paretosched.policies.rule_base`: R rules or C situations, for F features.

    Attributes
    ----------
    iterative
        True: situations choose the strategy. False: rules do.
    bounds
        (F, B) float64, inner bounds of the intervals, ascending, then infinity.
    counts
        (F,) int64, how many intervals a feature has.
    choice
        (C,) int64, strategies.
    means, sharpness
        (F, R) float64, centre mu and 1 / (sigma sqrt 2) of the Gaussians.
    peaks
        (R,) float64, the logarithm of the product of their peaks.
    recommendations
        (13, R) float64.
    possible
        (13,) bool, which strategies can be chosen.
    threshold, otherwise
        If the logarithm of the sum of all memberships is below `threshold`, the strategy is `otherwise`; -inf: never.
    """

    iterative: bool
    bounds: Floats
    counts: Ints
    choice: Ints
    means: Floats
    sharpness: Floats
    peaks: Floats
    recommendations: Floats
    possible: Mask
    threshold: float
    otherwise: int


class Sorted(NamedTuple):
    """The jobs of a workload in the order of each sorting of a rule base; sortings that are not needed are empty.

    Attributes
    ----------
    row
        (4, n) int32, the row of the job at each place.
    place
        (4, n) int32, the place of each job.
    """

    row: Order
    place: Order


ENDS, STARTS, ENDS_WELL, KILLS = range(4)  # values of `Reactions.kind`
SECOND, MEMBERS, TAKES, NAMES = range(4)  # columns of `Submissions.entries`


class Submissions(NamedTuple):
    """What is submitted together: E jobs or arrays, in the order of their submission; empty if nobody is refused.

    Attributes
    ----------
    entries
        (E + 1, 4) int64: when each is submitted, s; and where in `members`, `takes` and `names` it begins.
    members
        (n,) int64, the jobs of each entry.
    takes
        (t,) int64, pool << 1 | whether it can refuse the entry, of the pools in which its jobs count.
    names
        (d,) int64, the jobs that those of an entry name to wait for them.
    of_job
        (n,) int64, the entry of each job.
    rooms
        (P,) int64, how many jobs each pool takes.
    """

    entries: Ints
    members: Ints
    takes: Ints
    names: Ints
    of_job: Ints
    rooms: Ints


def no_submissions() -> Submissions:
    """Return what is submitted where nobody is refused."""
    return Submissions(ints(1, 4), *(ints(0) for _ in Submissions._fields[1:]))


class Reactions(NamedTuple):
    """What jobs wait for before they come: n jobs in B batches, of which P pairs wait for one another.

    Attributes
    ----------
    batch
        (n,) int64, the batch of each job.
    offset
        (n,) int64, s, from the begin of the batch to the second in which the job is eligible, and arrives.
    place
        (n,) int64, 0..n-1, which of the jobs that arrive in the same second come first.
    earliest
        (B,) int64, s: a batch does not begin before this second.
    needs
        (B,) int64, for how many of its leaders a batch waits.
    leader, follower, pause
        (P,) int64: the follower begins at least `pause` s after all jobs of its leader have ended.
    kind
        (P,) int64, what of the leader counts: ENDS; STARTS, the first start of a job of it, in a later second; or
        ENDS_WELL, only ends that nothing caused before. KILLS is that of a job that is cancelled if it cannot come.
    submissions
        What may be refused; then each job is a batch of its own, of the same number.
    """

    batch: Ints
    offset: Ints
    place: Ints
    earliest: Ints
    needs: Ints
    leader: Ints
    follower: Ints
    pause: Ints
    kind: Ints
    submissions: Submissions


def ints(*shape: int) -> Ints:
    """Return an array of this `shape`, int64, all 0: work space of a kernel."""
    return np.zeros(shape, np.int64)


class Histories(NamedTuple):
    """The users of jobs, and their pairs of user and request: the places of what is learnt.

    Attributes
    ----------
    user
        (n,) int64, number of the job's user, 0..u-1; -1 where unknown.
    place
        (n,) int64, number of the job's pair of user and request, 0..k-1, ascending by user, then by request.
    begin
        (u + 1,) int64, the first pair of each user, and k.
    size
        (k,) int64, the request of each pair, s.
    """

    user: Ints
    place: Ints
    begin: Ints
    size: Ints
