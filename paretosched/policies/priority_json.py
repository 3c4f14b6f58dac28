"""Orders of the waiting jobs with a backfilling of their own, in policy files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import astuple

from ..core.errors import InputError
from ..core.files import json_text
from ..core.situations import SITUATIONS
from .fair_share import FairShare
from .fair_share_json import FairShareFile, fair_share_in, fair_share_json
from .grouping_json import GroupingFile, rule_in
from .policy_format import Format
from .priority import ACCOUNTS, ALL, Backfill, Longest, Priority
from .whole_nodes_json import NodesFile, whole_nodes_in, whole_nodes_json


class OrdersFile(Struct, forbid_unknown_fields=True):
    """An order for each situation: the name of a published order, or a formula."""

    weekend: str
    day: str
    night: str


class LongestFile(Struct, forbid_unknown_fields=True):
    """The longest request, s, with which jobs of some groups are backfilled."""

    seconds: int
    groups: list[str]


class BackfillFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """Which jobs may start before jobs that come first in the order; [] after "for" is all groups."""

    reservations: int | Annotated[str, Meta(extra_json_schema={"const": "all"})]
    entitled: list[str] = msgspec.field(name="for", default_factory=list)
    order: Annotated[str, Meta(extra_json_schema={"default": "same"})] | OrdersFile = "same"
    longest: list[LongestFile] = []
    named: list[str] = msgspec.field(name="while", default_factory=list)
    slack: int = 0


class PriorityFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """An order of the waiting jobs, with a backfilling of its own."""

    format: Format
    rule: Annotated[str, Meta(extra_json_schema={"const": Priority.rule})]
    name: str = ""
    order: str | OrdersFile
    backfill: BackfillFile = msgspec.field(default_factory=lambda: BackfillFile(reservations=0))
    usage: Annotated[str, Meta(extra_json_schema={"enum": [*ACCOUNTS]})] = Priority.usage
    half_life: int = Priority.half_life
    shares: dict[str, float] = {}
    fair_share: FairShareFile | UnsetType = UNSET
    nodes: NodesFile | UnsetType = UNSET
    provenance: dict[str, Any] = {}
    grouping: GroupingFile | UnsetType = UNSET

    def policy(self) -> Priority:
        """Return the policy."""
        b = self.backfill
        if isinstance(b.reservations, str) and b.reservations != "all":
            raise InputError(f'backfill.reservations must be a number or "all", but is {json_text(b.reservations)}')
        backfill = Backfill(
            ALL if isinstance(b.reservations, str) else b.reservations,
            tuple(b.entitled),
            _texts_of(b.order),
            tuple(Longest(row.seconds, tuple(row.groups)) for row in b.longest),
            tuple(b.named),
            b.slack,
        )
        return Priority(
            _texts_of(self.order),
            backfill,
            self.usage,
            self.half_life,
            self.shares,
            fair_share_in(self.fair_share),
            self.name,
            self.provenance,
            rule_in(self.grouping),
            whole_nodes_in(self.nodes),
        )


def priority_json(policy: Priority) -> dict[str, Any]:
    """Return the keys and values that only files of Priority have."""
    b = policy.backfill
    backfill = {
        "reservations": "all" if b.reservations == ALL else b.reservations,
        "for": list(b.entitled),
        "order": _of_order(b.order) if b.order else "same",
        "longest": [{"seconds": row.seconds, "groups": list(row.groups)} for row in b.longest],
        "while": list(b.named),
        "slack": b.slack,
    }
    return {
        "order": _of_order(policy.order),
        "backfill": backfill,
        "usage": policy.usage,
        "half_life": policy.half_life,
        "shares": dict(policy.shares),
        **({} if policy.fair_share == FairShare() else {"fair_share": fair_share_json(policy.fair_share)}),
        **({} if policy.nodes is None else {"nodes": whole_nodes_json(policy.nodes)}),
    }


def _texts_of(order: str | OrdersFile) -> tuple[str, ...]:
    """Return an order, one text or one for each situation."""
    return (order,) if isinstance(order, str) else astuple(order)


def _of_order(texts: Sequence[str]) -> Any:
    """Return an order: its text, or its texts by situation."""
    return texts[0] if len(texts) == 1 else dict(zip(SITUATIONS, texts, strict=True))
