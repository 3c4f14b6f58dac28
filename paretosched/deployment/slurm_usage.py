"""What users and accounts have used by Slurm's own books, for formulas with `usage` and `share`: the output of sshare.

Slurm halves usage every PriorityDecayHalfLife, as formulas do every half-life. It adds what jobs have used every
PriorityCalcPeriod, five minutes by default, so that usage is at most so old.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..policies.policy import Policy
from ..policies.priority import Priority
from .slurm_calls import OF_JOBS, SlurmError, call
from .slurm_groups import Grouping
from .slurm_queue import LINE, MOST_JOBS, QueuedJob

COLUMNS = ("Cluster", "Account", "User", "Partition", "RawUsage")
DIGITS = re.compile(r"\d{1,20}", re.ASCII)
NAMES = frozenset({"user", "account"})  # of a job that sshare knows


class Used(NamedTuple):
    """What a user has used in an account.

    Attributes
    ----------
    user, account
        Names.
    usage
        Decayed processor seconds.
    """

    user: str
    account: str
    usage: float


def of_usage(policy: Policy) -> Priority | None:
    """Return a policy if its formulas depend on usage or shares, else None."""
    return policy if isinstance(policy, Priority) and policy.variables & {"usage", "share"} else None


def read_usage() -> list[Used]:
    """Return what each user has used in each account.

    Raises
    ------
    SlurmError
        sshare does not answer, or not as expected.
    InputError
        There is no sshare.
    """
    return used_in(call(["sshare", "-a", "-h", "-P", "-o", ",".join(COLUMNS)], most=OF_JOBS).text)


def used_in(text: str) -> list[Used]:
    r"""Return what users have used by an output of sshare with COLUMNS.

    Raises
    ------
    SlurmError
        It is not such an output.

    Examples
    --------
    >>> used_in("loop|root|||10\nloop| bio|||10\nloop|  bio|ann||10\n")
    [Used(user='ann', account='bio', usage=10.0)]
    """
    rows = []
    for count, line in enumerate(LINE.finditer(text), 1):
        cells = line[0].split("|")
        if len(cells) != len(COLUMNS) or not DIGITS.fullmatch(cells[-1]):
            raise SlurmError(f"sshare: a line is {line[0][:60]!r}")
        if count > MOST_JOBS:
            raise SlurmError(f"sshare: more than {MOST_JOBS:,} lines")
        _, account, user, _, usage = (cell.strip() for cell in cells)
        if user:
            rows.append(Used(user, account, float(usage)))
    if not text.strip():  # the account root is always there
        raise SlurmError("sshare: lists nothing")
    return rows


def standing_of(
    policy: Priority, jobs: Sequence[QueuedJob], grouping: Grouping, used: Sequence[Used]
) -> tuple[Floats, Floats]:
    """Return `usage` and `share` of formulas for each job, (n,) each.

    A user or an account without usage has used nothing. The share of one that the policy does not name is 1 / their
    number, as in a simulation: here of all that Slurm knows.

    Parameters
    ----------
    policy
        The policy.
    jobs
        The jobs.
    grouping
        How they get its groups.
    used
        What `read_usage` returns.
    """

    def whose(user: str, account: str) -> str:
        if policy.usage == "user":
            return user
        return account if policy.usage == "account" else grouping.groups[grouping.group_of(_job_of(user, account))]

    total: dict[str, float] = defaultdict(float)
    for row in used:
        total[whose(row.user, row.account)] += row.usage
    names = [whose(job.user, job.account) for job in jobs]
    count = len(grouping.groups) if policy.usage == "group" else len({*total, *names})
    shares = policy.shares if policy.usage == "group" else {}
    return np.array([total.get(name, 0.0) for name in names]), np.array([shares.get(name, 1 / count) for name in names])


def _job_of(user: str, account: str) -> QueuedJob:
    """Return a job of which only the user and the account are known."""
    return QueuedJob(0, False, user, account, "", (), {}, 0, 0, None, False, "")
