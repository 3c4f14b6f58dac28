"""The policy and the schedule of a row of a front, made again from its genome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..core.errors import InputError
from ..encodings.genomes import Decoder
from ..policies.policy import Policy, fits
from ..simulation.schedule import Schedule
from ..simulation.simulator import simulate
from ..workload.workload import Workload
from .front import Front, genome


def row_policy(front: Front, row: int) -> Policy | None:
    """Return the online policy that made a row of a front; None if its schedule knows the future.

    Raises
    ------
    InputError
        There is no such row.
    """
    origin, genes = genome(front, row)
    policy = origin.encoding.policy_of(genes, front.groups)
    if policy is None:
        return None
    provenance = {
        "workload": front.workload,
        "digest": front.digest,
        "run": origin.name,
        "algorithm": origin.algorithm,
        "seed": origin.seed,
        "population": origin.population,
        "evaluation": int(front.evaluation[row]),
        "versions": dict(origin.versions),
    }
    return replace(policy, name=row_name(front, row), provenance=provenance)


def schedule(front: Front, row: int, workload: Workload) -> Schedule:
    """Return the schedule of a row of a front, made again, see `schedules`."""
    return next(schedules(front, [row], workload))


def schedules(front: Front, rows: Iterable[int], workload: Workload) -> Iterator[Schedule]:
    """Yield the schedules of rows of a front, made again one after the other.

    The policy of a row can be applied to another workload with the same groups; a row without a policy needs the
    workload that was explored. Sequences descend from each other, so many are faster in the order of evaluation.

    Raises
    ------
    InputError
        There is no such row, or it does not fit the workload.
    """
    decoders: dict[int, Decoder] = {}
    for row in rows:
        origin, genes = genome(front, row)
        policy = row_policy(front, row)
        if policy is not None:
            yield simulate(workload, fits(policy, workload))
            continue
        if workload.digest != front.digest:
            raise InputError(
                f"row {row} is a schedule that knows the future of {front.workload}, so it fits no other workload, "
                f"but {workload.name} is another one"
            )
        run = int(front.origin[row])
        if run not in decoders:
            decoders[run] = origin.encoding.decoder(workload)
        yield Schedule(workload, decoders[run](genes, front.ancestors[run]), row_name(front, row))


def row_name(front: Front, row: int) -> str:
    """Return the name of a row of a front: its run and its number within that run, from 0."""
    return f"{front.origins[front.origin[row]].name}#{front.evaluation[row]}"
