"""Choose the strategy of a rule base (paper 001) from the features of the system."""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int
from .compiling import njit
from .inputs import Rules

# exp(-i / FINE), linearly interpolated below FAR_RULE: within 1e-5 of the true value, and faster than exp. Memberships
# of rules further away are less than exp(-8) of the largest.
FAR_RULE, FINE = 8, 128
POWERS = np.exp(-np.arange(FAR_RULE * FINE + 2) / FINE)
WRONG_NEAR, WRONG_FAR = 1e-5, 3.4e-4


class Ballot(NamedTuple):
    """The features of the system when a strategy is chosen, and work space for the choice.

    Attributes
    ----------
    features
        (F,) float64, in their own units.
    memberships, strengths
        (R,) float64, of the rules of a symbiotic base.
    votes
        (13,) float64, of the strategies.
    """

    features: Floats
    memberships: Floats
    strengths: Floats
    votes: Floats


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def choose(rules: Rules, ballot: Ballot) -> tuple[Int, Int]:
    """Return the strategy for the features of a ballot, and the entry of `decided` to count, see `apply_rules`.

    An iterative base counts the situation, a symbiotic base the strategy. Memberships are logarithms, scaled by the
    largest, so that not all of them are 0. Of strategies with equal votes the lowest number is chosen.

    Parameters
    ----------
    rules
        `Rules`.
    ballot
        `Ballot`, of which all but the features is modified in place.
    """
    x = ballot.features
    memberships = ballot.memberships
    strengths = ballot.strengths
    votes = ballot.votes
    if rules.iterative:
        place = 0
        for f in range(x.size):
            interval = 0
            while interval < rules.counts[f] - 1 and x[f] > rules.bounds[f, interval]:
                interval += 1
            place = place * rules.counts[f] + interval
        return rules.choice[place], place
    count = memberships.size
    for r in range(count):
        memberships[r] = rules.peaks[r]
    for f in range(x.size):
        value = (x[0] - 1.0) / 99.0 if f == 0 else x[f] / 100.0
        for r in range(count):
            from_mean = (value - rules.means[f, r]) * rules.sharpness[f, r]
            memberships[r] -= from_mean * from_mean
    largest = memberships[0]
    for r in range(1, count):
        largest = max(largest, memberships[r])
    if rules.threshold > -np.inf:
        total = 0.0
        for r in range(count):
            total += math.exp(memberships[r] - largest)
        if largest + math.log(total) < rules.threshold:
            return rules.otherwise, rules.otherwise
    # An error d in the membership of a rule changes the difference between two strategies by ten times d at most.
    far = add_votes(rules.recommendations, memberships, largest, strengths, votes)
    best, lead = most(votes)
    if lead <= 1e-6 + 10.0 * (WRONG_NEAR * (count - far) + WRONG_FAR * far):
        for r in range(count):
            strengths[r] = math.exp(memberships[r] - largest)
        for s in range(13):
            votes[s] = 0.0
            for r in range(count):
                votes[s] += strengths[r] * rules.recommendations[s, r]
        best, lead = most(votes)
    return best, best


# The order of additions does not matter here, so that the compiler may use vectors.
@njit(cache=True, nogil=True, _nrt=False, fastmath=True)
def add_votes(recommendations: Floats, memberships: Floats, largest: float, strengths: Floats, votes: Floats) -> Int:
    """Add up the recommendations of all rules, approximately; return how many rules are far away.

    Parameters
    ----------
    recommendations
        (13, R) float64.
    memberships, largest
        (R,) float64, logarithms, and the largest of them.
    strengths
        (R,) float64, filled in place with the memberships divided by the largest; 0 where a rule is far away.
    votes
        (13,) float64, filled in place.
    """
    far = 0
    for r in range(memberships.size):
        away = largest - memberships[r]
        if away < FAR_RULE:
            at = away * FINE
            i = int(at)
            strengths[r] = POWERS[i] + (at - i) * (POWERS[i + 1] - POWERS[i])
        else:
            strengths[r] = 0.0
            far += 1
    for s in range(13):
        sum_ = 0.0
        for r in range(memberships.size):
            sum_ += strengths[r] * recommendations[s, r]
        votes[s] = sum_
    return far


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def most(votes: Floats) -> tuple[Int, float]:
    """Return the strategy with the most votes, and its lead over the next one.

    Parameters
    ----------
    votes
        (13,) float64, by strategy, not changed.

    Returns
    -------
    best, lead
        The strategy, 0..12, the first one of equals; and how many votes it has more than the next one, 0 or more.
    """
    best = 0
    lead = np.inf
    for s in range(1, votes.size):
        if votes[s] > votes[best]:
            lead = votes[s] - votes[best]
            best = s
        else:
            lead = min(lead, votes[best] - votes[s])
    return best, lead
