"""What a job of sacct asks of nodes: by the resources that it requested, and by the command that submitted it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import InputError
from ..features import read_constraint
from ..sbatch_options import read_options
from .sacct_cells import count_in, memory_asked, requests_in, tres_count

SHAPE_COLUMNS = ("ReqTRES", "ReqCPUS", "NNodes", "ReqMem", "Constraints", "Reservation", "SubmitLine")
GPU_TYPE = re.compile(r"(?:^|,)gres/gpu:([^=,]+)=", re.ASCII)
SIZES = ("tasks", "nodes_least", "nodes_most", "cpus_per_task", "tasks_per_node")
MEMORIES = ("memory_per_node", "memory_per_cpu")
GPUS = ("gpus", "gpus_per_node", "gpus_per_task")
ODD_LINE = "SubmitLine cannot be read as sbatch's: what ReqTRES says is taken"


def shape_of(cells: Mapping[str, str]) -> tuple[dict[str, Any], Sequence[str]]:
    """Return what a job asks for by columns of `Requests`, and what could not be read.

    ReqTRES has it all but its form: memory is taken for that of each node, or of each CPU where ReqMem says so or the
    job has more nodes than it asked for. What SubmitLine says counts more; what a script says in #SBATCH lines is only
    in ReqTRES.

    Parameters
    ----------
    cells
        The cells of SHAPE_COLUMNS, "" where there is none.

    Examples
    --------
    >>> cells = dict.fromkeys(SHAPE_COLUMNS, "") | {"ReqTRES": "cpu=8,mem=16G,node=2,gres/gpu=2", "NNodes": "2"}
    >>> shape_of(cells)[0]
    {'tasks': 8, 'nodes_least': 2, 'memory_per_node': 8192, 'gpus_per_node': 1}
    """
    tres = cells["ReqTRES"]
    kilobytes, nodes, gpus = requests_in(tres)
    cpus = max(tres_count(tres, "cpu") or -1, -1)
    if cpus < 1:
        cpus = max(count_in(cells["ReqCPUS"]) or (int(cells["ReqCPUS"]) if cells["ReqCPUS"].isdecimal() else 1), 1)
    nodes = min(max(nodes, 1), cpus)
    given = int(cells["NNodes"]) if cells["NNodes"].isdecimal() else nodes
    values: dict[str, Any] = {"tasks": cpus, "nodes_least": nodes}
    amount, of = memory_asked(cells["ReqMem"])
    if kilobytes <= 0 and amount > 0:
        kilobytes = amount * (1, nodes, cpus)[of]
    if kilobytes > 0:
        is_per_cpu = of == 2 or given > nodes
        shared = 1024 * (cpus if is_per_cpu else nodes)
        values["memory_per_cpu" if is_per_cpu else "memory_per_node"] = -(-kilobytes // shared)
    if gpus > 0:
        each = gpus % nodes == 0 and given <= nodes
        values["gpus_per_node" if each else "gpus"] = gpus // nodes if each else gpus
        if match := GPU_TYPE.search(tres):
            values["gpu_type"] = match[1]
    reasons = []
    try:
        read_constraint(cells["Constraints"])
        if cells["Constraints"]:
            values["constraint"] = cells["Constraints"]
    except InputError:
        reasons.append("Constraints cannot be read: not regarded")
    if cells["Reservation"]:
        values["reservation"] = cells["Reservation"]
    if cells["SubmitLine"]:
        try:
            asked = read_options(cells["SubmitLine"])
        except InputError:
            return values, [*reasons, ODD_LINE]
        reasons += asked.remarks
        _merge(values, dict(asked.values), asked.has_size, cpus)
    return values, reasons


def _merge(values: dict[str, Any], said: dict[str, Any], has_size: bool, cpus: int) -> None:
    """Put what a command line says in the place of what the resources say, in place in `values`."""
    each = said.get("cpus_per_task", 1)
    if has_size and said["tasks"] * each != cpus and cpus % said["tasks"] == 0 and "cpus_per_task" not in said:
        said["cpus_per_task"] = cpus // said["tasks"]  # the rest stood in the script
    if not has_size or said["tasks"] * said.get("cpus_per_task", 1) != cpus:
        said = {key: value for key, value in said.items() if key not in SIZES}
    for keys in (MEMORIES, GPUS):
        if any(key in said for key in keys):
            for key in keys:
                values.pop(key, None)
    values |= said
