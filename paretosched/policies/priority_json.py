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
from ..workload.limits import ROOT
from .fair_share import ALGORITHMS, INHERITED, Association, FairShare
from .grouping_json import GroupingFile, rule_in
from .policy_format import Format
from .priority import ACCOUNTS, ALL, Backfill, Longest, Priority
from .whole_nodes import PASS_JOBS, PASS_LIMITS, PASS_TIMES, NodeKind, WholeNodes

Inherited = Annotated[str, Meta(extra_json_schema={"const": INHERITED})]
PASSES = (*PASS_TIMES, *PASS_JOBS, *PASS_LIMITS)


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


class AssociationFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """An account within another one, or a user in an account, with shares."""

    account: str
    user: str = ""
    within: str = msgspec.field(name="in", default=ROOT)
    shares: int | Inherited = 1


class FairShareFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """Who has which shares of the machine."""

    algorithm: Annotated[str, Meta(extra_json_schema={"enum": [*ALGORITHMS]})] = FairShare.algorithm
    period: int = FairShare.period
    damping: int = FairShare.damping
    associations: list[AssociationFile] = []


class NodeKindFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """So many neighbouring nodes with so many processors each."""

    nodes: int
    cpus: int


class NodesFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """The nodes for which reservations are, and the passes in which jobs start."""

    kinds: list[NodeKindFile]
    every: int = WholeNodes.every
    window: int = WholeNodes.window
    step: int = WholeNodes.step
    tested: int = WholeNodes.tested
    first: int = WholeNodes.first
    main: int = WholeNodes.main
    partition: int = WholeNodes.partition
    user: int = WholeNodes.user
    account: int = WholeNodes.account
    started: int = WholeNodes.started
    priority: int = WholeNodes.priority
    stops: int = WholeNodes.stops
    depth: int = WholeNodes.depth
    tasks: int = WholeNodes.tasks
    usual: int = WholeNodes.usual


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


def whole_nodes_in(value: NodesFile | UnsetType) -> WholeNodes | None:
    """Return the nodes in a policy file; None if it has none."""
    if not isinstance(value, NodesFile):
        return None
    kinds = tuple(NodeKind(row.nodes, row.cpus) for row in value.kinds)
    return WholeNodes(kinds, **{name: getattr(value, name) for name in PASSES})


def whole_nodes_json(nodes: WholeNodes) -> dict[str, Any]:
    """Return nodes and passes as plain values that a person can read and change."""
    passes = {name: getattr(nodes, name) for name in PASSES}
    return {"kinds": [kind._asdict() for kind in nodes.kinds], **passes}
