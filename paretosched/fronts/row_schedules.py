"""The policy and the schedule of a row of a front, made again from its genome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..core.arguments import list_argument
from ..core.errors import InputError
from ..encodings.genomes import Decoder
from ..encodings.sequence import Derive
from ..encodings.site_limits import SiteLimits, in_words
from ..policies.decoded_orders import outcome_of_order
from ..policies.policy import Policy
from ..simulation.schedule import Schedule
from ..simulation.simulator import simulate
from ..workload.measures import as_measured, with_measures
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import NOTHING_MEASURED, Measured, Workload
from .front import Front, genome
from .front_files import FrontLike, as_front


def row_policy(front: FrontLike, row: int) -> Policy | None:
    """Return the online policy that made a row of a front; None if there is none, see `why_no_policy`.

    The front may be the path of a run directory or a front file.

    Raises
    ------
    InputError
        There is no such row; or as for `as_front`.
    """
    front = as_front(front)
    genome(front, row)  # it is a row from 0 on
    return front[row].policy


def schedule(front: Front, row: int, workload: Workload) -> Schedule:
    """Return the schedule of a row of a front, made again, see `schedules`."""
    return next(schedules(front, [row], workload))


def schedules(front: FrontLike, rows: Iterable[int], workload: WorkloadLike) -> Iterator[Schedule]:
    """Yield the schedules of rows of a front, made again one after the other.

    The policy of a row can be applied to another workload with the same groups; a row without a policy needs the
    workload that was explored. Sequences descend from each other, so many are faster in the order of evaluation.

    Parameters
    ----------
    front
        A front; or the path of a run directory or a front file.
    rows
        Numbers of rows, from 0.
    workload
        The jobs and the machine; or the path of a log or of a run directory.

    Raises
    ------
    InputError
        There is no such row, or it does not fit the workload; or as for `as_front` and `as_workload`.
    """
    front, workload = as_front(front), as_workload(workload)
    decoders: dict[int, Decoder] = {}
    for row in list_argument("rows", rows):
        origin, genes = genome(front, row)
        policy = row_policy(front, row)
        if policy is not None:
            yield simulate(workload, policy)
            continue
        if isinstance(origin.encoding, SiteLimits):
            jobs, order = origin.encoding.on_machine(origin.encoding.settings(genes), workload)
            yield simulate(jobs, replace(order, name=row_name(front, row)))
            continue
        if workload.digest != front.digest:
            raise InputError(
                f"row {row} is a schedule that knows the future of {front.workload}, so it fits no other workload, "
                f"but {workload.name} is another one; give the log with the capacity, groups and overrun of "
                "the front's run"
            )
        run = int(front.origin[row])
        if run not in decoders:
            decoders[run] = origin.encoding.decoder(workload)
        decoder = decoders[run]
        if isinstance(decoder, Derive) and workload.machine is not None:  # it would not say where the jobs run
            outcome = outcome_of_order(workload, decoder.order(genes, front.ancestors[run]), "strict")
        else:
            outcome = decoder(genes, front.ancestors[run])
        yield Schedule(workload, outcome.start, row_name(front, row), placement=outcome.placement)


def measured_front(front: Front, workload: Workload) -> Front:
    """Return a front with the measures of its workload behind its own: what it lacks is measured on its schedules.

    Its rows and which objectives decide stay. One schedule after the other is made again, which takes as long as their
    simulations.

    Raises
    ------
    InputError
        As for `schedules`.
    """
    lacking = [name for name in workload.measured.names if name not in front.measured.names]
    if not lacking:
        return front
    there = with_measures(as_measured(workload, NOTHING_MEASURED), lacking)
    values = [each.objectives.array[-len(lacking) :] for each in schedules(front, range(len(front)), there)]
    measured = Measured((*front.measured.names, *lacking), front.measured.deciding)
    columns = np.array(values).reshape(len(front), len(lacking))
    return replace(front, values=np.hstack([front.values, columns]), measured=measured)


def why_no_policy(front: Front, row: int) -> str:
    """Return why a row of a front has no policy, in words."""
    origin, genes = genome(front, row)
    if isinstance(origin.encoding, SiteLimits):
        return (
            f"row {row} is limits of the site, {in_words(origin.encoding.settings(genes))}, and no policy: "
            "paretosched front RUN --wish prints the lines that set them, and import --qos reads them for another log"
        )
    return f"row {row} {without_policy(front, row)}: it is a schedule that no policy makes"


def without_policy(front: Front, row: int) -> str:
    """Return what a row without a policy is, as the rest of a sentence: it knows the future, or is limits."""
    is_limits = isinstance(front.origins[front.origin[row]].encoding, SiteLimits)
    return "is limits of the site" if is_limits else "knows the future"


def row_name(front: Front, row: int) -> str:
    """Return the name of a row of a front: its run and its number within that run, from 0."""
    return f"{front.origins[front.origin[row]].name}#{front.evaluation[row]}"
