"""The rows of a front, and what was merged into it, as values for JSON and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.arrays import Floats
from ..core.errors import number_of
from ..core.tables import Column, plain, table
from ..simulation.objective import FROM_SUBMISSION, groups_in_words, in_hours
from .front import Front, extremes, online
from .front_files import FrontLike, as_front
from .quality_indicators import REACH, contributions, indicators, utilisation_left_out

if TYPE_CHECKING:
    import pandas as pd

INPUT_COLUMNS = (
    Column("path", "from"),
    Column("evaluations", "evaluations", ",d"),
    Column("size", "its front", ",d"),
    Column("in_front", "in the merged", ",d"),
    Column("only", "from it alone", ",d"),
    Column("hypervolume", "hypervolume", ".4f"),
    Column("igd_plus", "IGD+", ".4f"),
    Column("epsilon", "epsilon", ".4f"),
)


def frame(front: FrontLike) -> pd.DataFrame:
    """Return a front as a pandas DataFrame: one row a schedule, see `Front.frame`.

    The front may be the path of a run directory or a front file.

    Raises
    ------
    InputError
        As for `as_front`.
    """
    return as_front(front).frame()


def extremes_text(front: Front) -> str:
    """Return the best schedule of each objective as a table, response times in hours."""
    is_online = online(front)
    rows = [
        {"best": o.name, "row": row, "evaluation": int(front.evaluation[row])}
        | {"run": front.origins[front.origin[row]].name, "online": "yes" if is_online[row] else "no"}
        | {
            other.name: value / 3600 if other.unit == "s" else value
            for other, value in zip(front.objectives, front.values[row], strict=True)
        }
        for o, row in extremes(front)
    ]
    columns = [Column("best", "best in"), *map(in_hours, front.objectives), Column("row", "row", "d")]
    if len(front.origins) > 1:
        columns.append(Column("run", "run"))
    columns.append(Column("evaluation", "evaluation", "d"))
    if not is_online.all():
        columns.append(Column("online", "online"))
    lines = [table(rows, columns)]
    if not is_online.all():
        lines.append(
            f"online no: such a schedule knows all run times and submissions in advance; {int(is_online.sum()):,} of "
            f"{len(front):,} here are made by policies that could run the machine"
        )
        lines += ["UTIL counts from the first submission"] if front.util_from == FROM_SUBMISSION else []
    lines += utilisation_left_out(front) if len(front) > 1 else ()
    return "\n".join([*lines, *groups_in_words(front.groups)])


def merging(
    front: Front, inputs: Sequence[Front], names: Sequence[str], easy: Floats | None = None, reach: float = REACH
) -> dict[str, Any]:
    """Return measures of a front and of the fronts that were merged into it.

    Parameters
    ----------
    front
        The front of all inputs, see `merging.merge`.
    inputs, names
        The fronts that were merged, and their names.
    easy, reach
        As for `box_of`.

    Returns
    -------
    dict
        Plain values: "workload" and "digest"; what `indicators` returns, with "path", "only" and "best_in" of each
        input, see `contributions`; and "extremes", the best row of each objective with its values.
    """
    measures = indicators(front, inputs, easy, reach)
    for name, row, part in zip(names, measures["inputs"], contributions(inputs, gain=False), strict=True):
        row |= {"path": name} | {key: part[key] for key in ("only", "best_in")}
    objectives = [o.name for o in front.objectives]
    ends = [
        {"objective": o.name, "row": row, "values": dict(zip(objectives, plain(front.values[row]), strict=True))}
        for o, row in extremes(front)
    ]
    return {"workload": front.workload, "digest": front.digest, **measures, "extremes": ends}


def merging_text(about: Mapping[str, Any]) -> str:
    """Return the measures of `merging` as lines and a table for a terminal."""
    total = {"path": "merged", **{key: about[key] for key in ("evaluations", "size", "hypervolume")}}
    return (
        f"{about['size']:,} of {number_of(about['evaluations'], 'schedule')} of {about['workload']} are not dominated; "
        f"{about['duplicates']:,} with the same values as another one were left out within their runs\n\n"
        f"{table([*about['inputs'], total | {'in_front': about['size']}], INPUT_COLUMNS)}\n"
        f"hypervolume: share of the box {box_text(about['box'])} that is dominated, by\n"
        f"  {about['hypervolume_method']}, relative error {about['hypervolume_error']:.1e};\n"
        f"  {about['box']['inside']:,} of {number_of(about['size'], 'schedule')} are in the box;\n"
        "  IGD+, epsilon (additive): distance from the merged front, as far as it is in the owner's box;\n"
        "  AWRT takes no part in any of them, it follows from that of the groups. The best found is that of this\n"
        "  merged front: numbers of another call have another box\n"
        + "".join(f"  {words}; it takes no part\n" for words in about["box"]["left_out"])
    )


def box_text(box: Mapping[str, Any]) -> str:
    """Return in words from where to where a box reaches, from the "box" of `indicators`.

    Examples
    --------
    >>> box_text({"reach": 1.5})
    'from the best found to 1.5 x EASY in every group'
    """
    if box["reach"] is None:
        return "from the ideal (0) to 1.1 times the nadir (1) of the front"
    return f"from the best found to {box['reach']:g} x EASY in every group"
