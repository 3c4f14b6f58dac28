"""The nodes and passes of a policy file."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, UnsetType

from .whole_nodes import PASS_JOBS, PASS_LIMITS, PASS_TIMES, NodeKind, WholeNodes

PASSES = (*PASS_TIMES, *PASS_JOBS, *PASS_LIMITS)


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
    started: int = WholeNodes.started
    priority: int = WholeNodes.priority
    usual: int = WholeNodes.usual


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
