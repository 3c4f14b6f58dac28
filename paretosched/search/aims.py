"""Where a search looks: the owner's box, which a wish makes smaller, and the goal of the wish.

Without a wish the box is that of `quality_indicators.box_of`: up to some times EASY's AWRT_i in every group, or EASY's
value of every objective that a search is asked for; UTIL is a coordinate only if it is asked for. A limit of
a wish takes the place of this edge: of a group, or, as one more coordinate, of AWRT or UTIL. Lower limits of response
times and an upper one of UTIL do not matter to the box: who does better is welcome there. If there is a goal, half of
the parents are chosen by it and by how far they exceed limits, with a random weight each time: the best answer lies
where limits end, and its ancestors often lie beyond.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from ..fronts.dominance import deciding
from ..fronts.quality_indicators import REACH, checked_reach
from ..simulation.objective import FROM_SUBMISSION, is_of_group, objective_table, objectives, scale_of, shares
from ..simulation.simulator import simulate
from ..wishes.relative_limits import resolved_on
from ..wishes.wish import Wish, goal, spelled_out, violation, wish_text
from ..workload.workload import Workload
from .algorithms.archive_search import Aim


def aim_of(workload: Workload, wish: Wish | None = None, reach: float = REACH, util_from: str = FROM_SUBMISSION) -> Aim:
    """Return where a search for schedules of a workload looks; it is sent costs as of `dominance.costs`.

    Parameters
    ----------
    workload
        The jobs.
    wish
        What the owner wants; limits may be relative. None for the whole box.
    reach
        How many times EASY's AWRT_i the box reaches where the wish has no limit, above 1.
    util_from
        From when on UTIL counts; that of the policies that limits are relative to, too.

    Raises
    ------
    InputError
        The wish uses an objective that the workload does not have, or `reach` is not above 1.

    Examples
    --------
    >>> from paretosched.wishes.wish import Limit
    >>> w = Workload([0, 0], [10, 10], [10, 10], [4, 4], 4, group=[0, 1], groups=("1", "2"))
    >>> aim_of(w).edge.tolist(), aim_of(w, Wish(limits=[Limit("AWRT2", high=1.0, of="easy")])).edge.tolist()
    ([15.0, 30.0], [15.0, 20.0])
    """
    reach = checked_reach(reach, "box")
    easy = np.asarray(objectives(simulate(workload, "easy"), util_from=util_from))
    table = objective_table(workload)
    columns = np.flatnonzero(deciding(easy[None], table))
    places = {table[j].name: place for place, j in enumerate(columns)}
    sign = np.array([-1.0 if o.maximise else 1.0 for o in table])
    scales = [scale_of(o, float(value)) for o, value in zip(table, easy, strict=True)]
    outer = {o.name: s * (x / reach if o.maximise else reach * x) for o, s, x in zip(table, sign, scales, strict=True)}
    chosen = [j for j in columns if workload.measured.deciding or not table[j].maximise]
    edges = {table[j].name: outer[table[j].name] for j in chosen or columns}
    if wish is None:
        return Aim(_rows([*edges], places, workload), np.array([*edges.values()]))
    wish = resolved_on(wish, workload, {"easy": easy}, util_from)
    names = [o.name for o, value in zip(table, easy, strict=True) if not np.isnan(value)]
    wish = spelled_out(wish, names)
    searched = {*places, *(["AWRT"] if any(map(is_of_group, places)) else [])}
    unknown = [name for name in wish.names if name not in names]
    if unknown:
        raise InputError(f"the wish {wish_text(wish)} uses {unknown[0]}, but no such group has jobs here")
    unsearched = [name for name in wish.names if name not in searched]
    if unsearched:
        raise InputError(
            f"the wish {wish_text(wish)} uses {unsearched[0]}, but the search is for {', '.join(places)}; add it to "
            "the objectives (--objectives)"
        )
    maximised = {o.name for o in table if o.maximise}
    for limit in wish.limits:
        if limit.objective in maximised and limit.low > 0:
            edges[limit.objective] = -limit.low
        elif limit.objective not in maximised and limit.high < np.inf:
            edges[limit.objective] = limit.high
    known = [j for j, o in enumerate(table) if o.name in searched and o.name in names]
    to_values = _rows([table[j].name for j in known], places, workload) * sign[known, None]

    unit = abs(float(goal(wish, easy[None])[0])) if wish.weights else 1.0

    def goal_and_excess(costs: Floats) -> tuple[Floats, Floats]:
        values = np.full((len(costs), len(table)), np.nan)
        values[:, known] = costs @ to_values.T
        return goal(wish, values) / (unit or 1.0), violation(wish, values)

    rows, ends = _rows([*edges], places, workload), np.array([*edges.values()])
    wider = np.maximum(ends, [outer[name] for name in edges])
    return Aim(rows, ends, wider, goal_and_excess if wish.aims else None)


def _rows(names: list[str], places: Mapping[str, int], workload: Workload) -> Floats:
    """Return the weights of the costs in some objectives, (k, q); AWRT is the mean of the groups by their work."""
    of_groups = {f"AWRT{i}": share for i, share in enumerate(shares(workload), 1)}
    rows = np.zeros((len(names), len(places)))
    for row, name in zip(rows, names, strict=True):
        for part, weight in (of_groups if name == "AWRT" and name not in places else {name: 1.0}).items():
            if part in places:
                row[places[part]] = weight
    return rows
