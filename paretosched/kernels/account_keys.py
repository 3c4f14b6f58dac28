"""Keys of which a part is the same for all jobs of an account: it is computed once for each account and moment."""

from typing import NamedTuple

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .formulas import Program, value_of
from .inputs import Jobs
from .usage import Usage, moment_of, standing

NEVER = -1  # no moment


class Keys(NamedTuple):
    """A formula, of which what is the same for all jobs of an account is computed once a moment.

    Attributes
    ----------
    program
        `Program`, in which `usage` stands for the value of the account.
    common
        `Program`, the value of an account by its usage and share.
    last, at
        (A,) float64, the last value of each account; and (A,) int64, the moment of it, NEVER at first.
    """

    program: Program
    common: Program
    last: Floats
    at: Ints


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def of_account(keyed: Keys, situation: Int, jobs: Jobs, usage: Usage, shares: Floats, j: Int, t: Int) -> float:
    """Return the value of the account of a job, which does not change within a moment; 0 if no usage is needed.

    Parameters
    ----------
    keyed, situation
        `Keys`, modified in place, and the scheduling situation, 0..2.
    jobs, usage
        `Jobs` and `Usage`.
    shares
        (n,) float64, the share of each job's account.
    j, t
        Row and second.
    """
    if usage.account.size == 0:
        return 0.0
    account = usage.account[j]
    moment = moment_of(usage, t)
    if keyed.at[account] != moment:
        used = standing(usage, account, t)
        keyed.last[account] = value_of(keyed.common, situation, jobs, j, t, used, shares[j])
        keyed.at[account] = moment
    return float(keyed.last[account])
