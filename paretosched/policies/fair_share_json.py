"""The fair share of accounts and users in a policy file."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, UnsetType, field

from ..core.errors import InputError
from ..core.files import json_text
from .fair_share import ALGORITHMS, INHERITED, ROOT, Association, FairShare

Inherited = Annotated[str, Meta(extra_json_schema={"const": INHERITED})]


class AssociationFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """An account within another one, or a user in an account, with shares."""

    account: str
    user: str = ""
    within: str = field(name="in", default=ROOT)
    shares: int | Inherited = 1


class FairShareFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """Who has which shares of the machine."""

    algorithm: Annotated[str, Meta(extra_json_schema={"enum": [*ALGORITHMS]})] = FairShare.algorithm
    period: int = FairShare.period
    damping: int = FairShare.damping
    associations: list[AssociationFile] = []


def fair_share_in(value: FairShareFile | UnsetType) -> FairShare:
    """Return the fair share in a policy file; equal shares if it has none."""
    if not isinstance(value, FairShareFile):
        return FairShare()
    rows = [
        Association(row.account, row.user, row.within, _shares(row.shares, place))
        for place, row in enumerate(value.associations)
    ]
    return FairShare(value.algorithm, tuple(rows), value.period, value.damping)


def _shares(value: int | str, place: int) -> int | None:
    """Return the shares of an association; None for those of the account."""
    if isinstance(value, int):
        return value
    if value != INHERITED:
        where = f"fair_share.associations[{place}].shares"
        raise InputError(f'{where} must be a number or "{INHERITED}", but is {json_text(value)}')
    return None


def fair_share_json(fair_share: FairShare) -> dict[str, Any]:
    """Return the fair share as plain values that a person can read and change."""
    rows: list[dict[str, Any]] = []
    for row in fair_share.associations:
        where = {"user": row.user} if row.user else {"in": row.within}
        rows.append({"account": row.account, **where, "shares": INHERITED if row.shares is None else row.shares})
    head = {"algorithm": fair_share.algorithm, "period": fair_share.period, "damping": fair_share.damping}
    return {**head, "associations": rows}
