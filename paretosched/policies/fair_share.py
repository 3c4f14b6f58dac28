"""Fair share of the machine among accounts and users: who has which shares, and which association a job belongs to.

An association is an account, or a user in an account. Accounts are in accounts, up to the root. A user who is in two
accounts has two associations. `paretosched.kernels.fair_share` has the two algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arguments import instance, list_argument, whole_number
from ..core.arrays import Ints, distinct
from ..core.errors import InputError, in_quotes, one_of
from ..core.notebook import fields_html, fields_repr
from ..kernels.fair_share import CLASSIC, FAIR_TREE, Tree, tree_of
from ..workload.group_lists import column_numbers
from ..workload.limits import ROOT
from ..workload.workload import Workload

ALGORITHMS = {"tree": FAIR_TREE, "classic": CLASSIC}
PERIOD = 300  # s
LONGEST_PERIOD = 10**7  # s
MOST = 100_000  # associations
MOST_SHARES = 2**31 - 1
DEEPEST = 64  # accounts within accounts
INHERITED = "parent"  # in words, of a user who has the shares of the account


class Association(NamedTuple):
    """An account, or a user in an account.

    Attributes
    ----------
    account
        The name of the account.
    user
        The name of the user; "" if this is the account itself.
    within
        The account in which the account is; of a user it is not used.
    shares
        The shares among the accounts and users of the same account, 0 or more. None: a user has those of the account;
        what is in an account counts as if it were in the account above.
    """

    account: str
    user: str = ""
    within: str = ROOT
    shares: int | None = 1

    def _repr_html_(self) -> str:
        return fields_html(self)


@dataclass(frozen=True)
class FairShare:
    """Who has which shares of the machine, and how usage and shares make the factor "fairshare" of formulas.

    Jobs of an account or user that has no association get a new one with one share: a user in a known account there,
    a known user without a known account the first association of this user, and others below the root.

    Parameters
    ----------
    algorithm
        "tree", Slurm's Fair Tree: users are ranked, account by account; or "classic": 2^(-usage / shares).
    associations
        The accounts, each before those in it, and the users; they are put behind the accounts.
    period
        s: factors are computed again at multiples of it; between, they do not change.
    damping
        By what the exponent of "classic" is divided.

    Raises
    ------
    InputError
        A number is out of bounds, or an account comes twice, or is not there.

    Examples
    --------
    >>> FairShare(associations=(Association("bio", shares=2), Association("bio", "anna"))).names
    ('bio', 'bio/anna')
    """

    algorithm: str = "tree"
    associations: tuple[Association, ...] = ()
    period: int = PERIOD
    damping: int = 1

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("fair-share algorithm", self.algorithm, tuple(ALGORITHMS))
        for name in ("period", "damping"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        if not 1 <= self.period <= LONGEST_PERIOD:
            raise InputError(f"period must be in 1..{LONGEST_PERIOD} s, but is {self.period}")
        if not 1 <= self.damping <= MOST_SHARES:
            raise InputError(f"damping must be in 1..{MOST_SHARES}, but is {self.damping}")
        rows = tuple(sorted(map(_with_whole_shares, list_argument("associations", self.associations)), key=_is_user))
        object.__setattr__(self, "associations", rows)
        if len(rows) > MOST:
            raise InputError(f"there must be at most {MOST:,} associations, but there are {len(rows):,}")
        self._check_rows()

    def _check_rows(self) -> None:
        """Refuse associations that come twice, or before the account in which they are."""
        depth = {ROOT: 0}
        users: set[tuple[str, str]] = set()
        for row in self.associations:
            above = row.account if row.user else row.within
            if above == row.account and not row.user:
                raise InputError(f"account {in_quotes(above)} must be in another account, but is in itself")
            if above not in depth:
                raise InputError(f"account {in_quotes(above)} must come before {in_quotes(_title(row))}, but does not")
            if row.account in depth if not row.user else (row.account, row.user) in users:
                raise InputError(f"an association must come once, but {in_quotes(_title(row))} comes again")
            if row.user:
                users.add((row.account, row.user))
            else:
                depth[row.account] = depth[above] + 1
                if depth[row.account] > DEEPEST:
                    raise InputError(f"there must be at most {DEEPEST} accounts within accounts, but there are more")
            if row.shares is not None and not 0 <= row.shares <= MOST_SHARES:
                raise InputError(f"shares must be in 0..{MOST_SHARES}, but those of {_title(row)} are {row.shares}")
            for name in (row.account, row.user or "user"):
                if not instance("name", name, str) or '"' in name or not name.isprintable():
                    raise InputError(f"a name must be one that can be printed, without quotes, not {name!r:.60}")

    @property
    def names(self) -> tuple[str, ...]:
        """Return what the associations are called in words."""
        return tuple(map(_title, self.associations))


class Shareholders(NamedTuple):
    """The associations of a workload.

    Attributes
    ----------
    tree
        As kernels take it.
    node
        (n,) int64, the association of each job.
    unlisted
        How many jobs got a new association; 0 if there is no list of associations.
    """

    tree: Tree
    node: Ints
    unlisted: int


def shareholders(fair_share: FairShare, workload: Workload) -> Shareholders:
    """Return the associations of the jobs of a workload: those of the list, and new ones with one share."""
    rows = list(fair_share.associations)
    listed = {(ROOT, ""), *((row.account, row.user) for row in rows)}
    first_of = {row.user: (row.account, row.user) for row in reversed(rows) if row.user}
    beside = workload.names
    known = {} if beside is None or beside.grouped_by != "account" else beside.groups
    users = {} if beside is None else beside.users
    pairs, pair_of = _pairs(workload)
    keys: list[tuple[str, str]] = []
    for account_number, user_number in pairs:
        account = known.get(account_number, str(account_number))
        user = users.get(user_number, "unknown" if user_number < 0 else str(user_number))
        if account_number in known and (account, "") not in listed:
            rows.append(Association(account))
            listed.add((account, ""))
        if (account, "") not in listed:
            account = first_of[user][0] if user in first_of else ROOT
        keys.append((account, user))
        if keys[-1] not in listed:
            rows.append(Association(account, user))
            listed.add(keys[-1])
    places = {(ROOT, ""): 0} | {(row.account, row.user): place + 1 for place, row in enumerate(rows)}
    old = len(fair_share.associations)
    node = np.array([places[key] for key in keys], dtype=np.int64)[pair_of]
    return Shareholders(_tree(fair_share, rows, places, workload), node, int((node > old).sum()) if old else 0)


def _tree(
    fair_share: FairShare, rows: Sequence[Association], places: Mapping[tuple[str, str], int], workload: Workload
) -> Tree:
    """Return the tree of associations, of which the root is at place 0."""
    parents = [-1]
    for row in rows:
        place = places[row.account if row.user else row.within, ""]
        while place > 0 and rows[place - 1].shares is None:
            place = parents[place]
        parents.append(place)
    parent = np.array(parents, dtype=np.int64)
    shares = np.array([0.0, *(float(row.shares or 0) for row in rows)])
    total = np.bincount(parent[1:], weights=shares[1:], minlength=len(parent))
    above = total[parent]
    part = np.divide(shares, above, out=np.zeros(len(parent)), where=above > 0)
    return tree_of(
        ALGORITHMS[fair_share.algorithm],
        fair_share.damping,
        fair_share.period,
        int(workload.submit[0]) // fair_share.period * fair_share.period if len(workload) else 0,
        parent,
        part,
        np.array([False, *(bool(row.user) for row in rows)]),
        np.array([False, *(row.shares is None and bool(row.user) for row in rows)]),
    )


def _pairs(workload: Workload) -> tuple[list[tuple[int, int]], Ints]:
    """Return the different pairs of account and user number, and the index of each job's pair, (n,) int64."""
    user = np.maximum(workload.user, -1)
    account = np.full(len(workload), -1) if workload.records is None else column_numbers(workload, "account")
    accounts, account_of = distinct(account)
    users, user_of = distinct(user)
    pairs, pair_of = distinct(account_of * users.size + user_of)
    names = zip(accounts[pairs // users.size].tolist(), users[pairs % users.size].tolist(), strict=True)
    return list(names), pair_of.astype(np.int64)


def _with_whole_shares(row: Association) -> Association:
    """Return an association whose shares are an int or None; raises InputError for anything else."""
    shares = instance("association", row, Association).shares
    return row if shares is None else row._replace(shares=whole_number(f"shares of {row.account}", shares))


def _is_user(row: Association) -> bool:
    """Return whether an association is one of a user."""
    return bool(row.user)


def _title(row: Association) -> str:
    """Return what an association is called in words."""
    return f"{row.account}/{row.user}" if row.user else row.account
