"""How good a front is: hypervolume, IGD+, additive epsilon, their course over evaluations, and what inputs add.

All measures are in a `Box`, and can be compared only if they are in the same one. There are two kinds:

- the owner's box, where EASY is known: 0 is the best found, 1 is `REACH` times EASY in every AWRT_i. A schedule beyond
  it, which lets some group wait for longer than any owner would accept, counts for nothing.
- the box of a front alone: 0 is its ideal and 1 its nadir, the hypervolume reaches to EDGE. One schedule that lets a
  group wait for a year makes this box so large that all useful schedules are in one corner of it.

In the owner's box UTIL must count from the first submission, as it does in the fronts of `explore`: it takes part, down
to EASY's / `REACH`. It is left out if all schedules share it, since it then decides nothing; and if it counts from the
first start, as in a plan of a paper and in runs of earlier versions, and a schedule is not online: there it rewards
schedules that idle first. For online ones both are one. `Box.left_out` says so.

The hypervolume is the dominated share of the box: 1 would be a front of one point at the ideal. Its exact computation
takes minutes beyond a few hundred points in seven dimensions, so a deterministic approximation is used, and its error
is measured where the exact computation is cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import instance, list_argument, number, numbers, whole_number
from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, first_few
from ..core.notebook import shown_by_fields
from ..simulation.objective import FROM_START, Objective, scale_of
from .dominance import costs, deciding
from .front import Front, check_same_utilisation, check_same_workload, extremes, front_name, online
from .front_files import FrontLike, as_front, as_fronts
from .merging import merge

EDGE = 1.1
REACH = 1.5
MOST_REACH = 1_000_000  # times EASY
DIRECTIONS = 100_000
HYPERVOLUME_METHOD = f"moocore.hv_approx DZ2019-HW, {DIRECTIONS} directions"
EXACT_ROWS = 100  # a tenth of a second in seven dimensions
EXACT_ROWS_OF_MANY = 20  # beyond EXACT_DIMENSIONS
EXACT_DIMENSIONS = 8


@shown_by_fields
class Box(NamedTuple):
    """The scale in which fronts are measured.

    Attributes
    ----------
    objectives
        The q deciding objectives.
    ideal, nadir
        (q,) costs: where 0 and 1 are, the best and the worst of each objective on the front that the box was made of;
        in the owner's box, the best and what is acceptable at most.
    reach
        How many times EASY the owner's box reaches; None for the box of a front alone.
    left_out
        Objectives that decide dominance but take no part here, with the reasons, in words.
    """

    objectives: tuple[Objective, ...]
    ideal: Floats
    nadir: Floats
    reach: float | None = None
    left_out: tuple[str, ...] = ()

    @property
    def span(self) -> Floats:
        """Return what is 1 on the scale, (q,) costs; an objective with one value only keeps its unit."""
        span: Floats = np.where(self.nadir > self.ideal, self.nadir - self.ideal, 1.0)
        return span

    @property
    def edge(self) -> float:
        """Return where the box ends in every objective, on its scale."""
        return EDGE if self.reach is None else 1.0

    def by_name(self, vector: Floats) -> dict[str, float]:
        """Return costs, (q,), in natural units, by the name of the objective."""
        return {
            o.name: (-float(x) if o.maximise else float(x)) + 0.0 for o, x in zip(self.objectives, vector, strict=True)
        }


@shown_by_fields
class Course(NamedTuple):
    """Measures of the first evaluations of a run, for several numbers of them.

    Attributes
    ----------
    evaluations
        (c,) int64, how many evaluations.
    size
        (c,) int64, points of their front.
    hypervolume
        (c,) float64, of that front in the box.
    igd_plus
        (c,) float64, of that front against the reference front; None without one.
    """

    evaluations: Ints
    size: Ints
    hypervolume: Floats
    igd_plus: Floats | None


def box_of(front: FrontLike, easy: ArrayLike | None = None, reach: float = REACH) -> Box:
    """Return the box of a front: with EASY the owner's box, else that of the front alone.

    Parameters
    ----------
    front
        A front with at least one row, or the path of a run directory or front file.
    easy
        (m,), what EASY reaches on the jobs of the front, in natural units; None if it is not known.
    reach
        How many times EASY's AWRT_i the owner's box reaches, above 1.

    Raises
    ------
    InputError
        The front is empty, EASY has no value for a deciding objective, or `reach` is not above 1; or as for `as_front`.

    Examples
    --------
    >>> from paretosched.encodings.weighting import Weighting
    >>> from paretosched.fronts.front import Origin, front_of
    >>> v = np.array([[80.0, 100.0, 100.0], [90.0, 300.0, 300.0]])
    >>> front = front_of(v, np.zeros((2, 15)), Origin("r", "nsga2", 1, 4, Weighting()), ("1",))
    >>> box_of(front, [84, 160, 160]).by_name(box_of(front, [84, 160, 160]).nadir)
    {'UTIL': 56.0, 'AWRT1': 240.0}
    """
    front = as_front(front)
    if len(front) == 0:
        raise InputError("a front must have at least one row to be measured, but has none")
    points = costs(front.values, front.objectives)
    columns = np.flatnonzero(deciding(front.values, front.objectives))
    if easy is None:
        return Box(tuple(front.objectives[j] for j in columns), points.min(axis=0), points.max(axis=0))
    reach = checked_reach(reach)
    reference = numbers("values of EASY", easy)
    if reference.shape != (len(front.objectives),) or not (reference[columns] >= 0).all():
        raise InputError(f"values of EASY must be {len(front.objectives)} numbers, 0 or more, but are {easy!r:.80}")
    left_out = utilisation_left_out(front)
    kept = np.array([not left_out or front.objectives[j].name != "UTIL" for j in columns])
    objectives = tuple(front.objectives[j] for j in columns[kept])
    nadir = np.array(
        [
            -scale_of(o, reference[j]) / reach if o.maximise else reach * scale_of(o, reference[j])
            for j, o in zip(columns[kept], objectives, strict=True)
        ]
    )
    # where even the best found is beyond the box, nothing may be in it
    ideal = np.where(points[:, kept].min(axis=0) < nadir, points[:, kept].min(axis=0), nadir - 1.0)
    return Box(objectives, ideal, nadir, reach, left_out)


def checked_reach(reach: float, called: str = "reach") -> float:
    """Return how many times EASY a box goes to; raises InputError, in which it is `called` so, for what is no box."""
    value = number(called, reach)
    if not value > 1:
        raise InputError(f"{called} must be above 1 times EASY, but is {value:g}")
    if value > MOST_REACH:
        raise InputError(f"{called} must be at most {MOST_REACH:,} times EASY, but is {value:g}")
    return value


def utilisation_left_out(front: Front) -> tuple[str, ...]:
    """Return why UTIL takes no part in the owner's box, see the module; nothing if it does."""
    utilisation = front.values[:, 0]
    if np.ptp(utilisation) == 0:
        return (f"UTIL: all schedules share {utilisation[0]:.2f} %",)
    if front.util_from == FROM_START and not online(front).all():
        return ("UTIL: it counts from the first start, which rewards schedules that idle first",)
    return ()


def to_box(values: ArrayLike, objectives: Sequence[Objective], box: Box) -> Floats:
    """Return objective vectors, (k, m) in natural units, on the scale of a box, (k, q), all to be minimised.

    Raises
    ------
    InputError
        As for `dominance.costs`, or the deciding objectives are not those of the box.
    """
    points = costs(values, objectives)
    if len(points) == 0:
        return np.zeros((0, len(box.objectives)))
    names = [o.name for o, decides in zip(objectives, deciding(values, objectives), strict=True) if decides]
    of_box = [o.name for o in box.objectives]
    if [name for name in names if name in of_box or not (box.left_out and name == "UTIL")] != of_box:
        raise InputError(f"objectives must be those of the box, {', '.join(of_box)}, but are {', '.join(names)}")
    return np.ascontiguousarray((points[:, [names.index(name) for name in of_box]] - box.ideal) / box.span)


def hypervolume(places: Floats, edge: float = EDGE, directions: int | None = None) -> float:
    """Return the approximate share of a box that points dominate.

    The same points always give the same value, and more points never a smaller one.

    Parameters
    ----------
    places
        (k, q) on the scale of the box, see `to_box`.
    edge
        Where the box ends, see `Box.edge`.
    directions
        Of the approximation; by default `DIRECTIONS`.

    Examples
    --------
    The points (0, 1) and (1, 0) dominate 0.1 x 1.1 + 1.1 x 0.1 - 0.1 x 0.1 of 1.1 x 1.1.

    >>> round(hypervolume(np.array([[0.0, 1.0], [1.0, 0.0]])), 3), round(0.21 / 1.21, 3)
    (0.174, 0.174)
    """
    import moocore

    inside = places[(places < edge).all(axis=1)]
    if len(inside) == 0:
        return 0.0
    if inside.shape[1] == 1:  # one objective needs no approximation, and there is none for it
        return float(1 - inside.min() / edge)
    reference = np.full(places.shape[1], edge)
    volume = moocore.hv_approx(inside, ref=reference, method="DZ2019-HW", nsamples=directions or DIRECTIONS)
    return min(1.0, float(volume) / edge ** int(places.shape[1]))  # an approximation, which may be a little too large


def hypervolume_error(places: Floats, edge: float = EDGE) -> float:
    """Return the relative error of `hypervolume` on some rows, few enough for the exact computation.

    Parameters
    ----------
    places
        (k, q) on the scale of the box. At most EXACT_ROWS of them, evenly spaced, are used; in more than
        EXACT_DIMENSIONS dimensions at most EXACT_ROWS_OF_MANY.
    edge
        Where the box ends, see `Box.edge`.

    Returns
    -------
    float
        |approximate / exact - 1| of the hypervolume of those rows; 0 if none is in the box.
    """
    import moocore

    q = int(places.shape[1])
    inside = places[(places < edge).all(axis=1)]
    if len(inside) == 0:
        return 0.0
    rows = np.linspace(0, len(inside) - 1, EXACT_ROWS if q <= EXACT_DIMENSIONS else EXACT_ROWS_OF_MANY)
    sample = np.ascontiguousarray(inside[np.unique(rows.astype(np.int64))])
    exact = float(moocore.hypervolume(sample, ref=np.full(q, edge))) / edge**q
    return abs(hypervolume(sample, edge) / exact - 1.0)


def indicators(
    front: FrontLike,
    inputs: FrontLike | Sequence[FrontLike] = (),
    easy: ArrayLike | None = None,
    reach: float = REACH,
) -> dict[str, Any]:
    """Return measures of a front, and of its inputs against it, in one box: the owner's, if EASY is known.

    Parameters
    ----------
    front
        A front with at least one row, or the path of a run or front file; so are the inputs.
    inputs
        Fronts of the same workload, usually those that were merged into `front`.
    easy, reach
        As for `box_of`.

    Returns
    -------
    dict
        Plain values: size, evaluations, ideal, nadir and reference (by objective, natural units), hypervolume, its
        method and its relative error (see `hypervolume_error`); "box", with "reach" and "left_out" of the `Box` and
        "inside", the rows of the front in it; under "inputs" for each input its name, size, evaluations, rows that are
        in `front`, hypervolume in the same box, IGD+ and additive epsilon against `front` (0 is best for both; in the
        owner's box against the rows in it, and None if there are none).

    Raises
    ------
    InputError
        The front is empty, or an input is empty, of another workload, or with UTIL from another time.
    """
    import moocore

    front, inputs = as_front(front), as_fronts(inputs)
    if any(len(f) == 0 for f in (front, *inputs)):
        raise InputError("a front must have at least one row to be measured, but has none")
    box = box_of(front, easy, reach)
    whole = to_box(front.values, front.objectives, box)
    inside = whole[(whole < box.edge).all(axis=1)]
    acceptable = whole if box.reach is None else inside
    points = {tuple(row) for row in costs(front.values, front.objectives).tolist()}
    rows = []
    for other in inputs:
        check_same_workload(front, other)
        check_same_utilisation([front, other])
        places = to_box(other.values, other.objectives, box)
        rows.append(
            {
                "name": front_name(other),
                "size": len(other),
                "evaluations": other.evaluations,
                "in_front": sum(tuple(row) in points for row in costs(other.values, other.objectives).tolist()),
                "hypervolume": hypervolume(places, box.edge),
                "igd_plus": float(moocore.igd_plus(places, ref=acceptable)) if len(acceptable) else None,
                "epsilon": float(moocore.epsilon_additive(places, ref=acceptable)) if len(acceptable) else None,
            }
        )
    return {
        "size": len(front),
        "evaluations": front.evaluations,
        "duplicates": sum(origin.duplicates for origin in front.origins),
        "ideal": box.by_name(box.ideal),
        "nadir": box.by_name(box.nadir),
        "reference": box.by_name(box.ideal + box.edge * box.span),
        "box": {"reach": box.reach, "left_out": list(box.left_out), "inside": len(inside)},
        "hypervolume": hypervolume(whole, box.edge),
        "hypervolume_method": HYPERVOLUME_METHOD,
        "hypervolume_error": hypervolume_error(whole, box.edge),
        "inputs": rows,
    }


def contributions(
    inputs: FrontLike | Sequence[FrontLike],
    gain: bool = True,
    easy: ArrayLike | None = None,
    reach: float = REACH,
) -> list[dict[str, Any]]:
    """Return what each input contributed to their merged front.

    Parameters
    ----------
    inputs
        Fronts of one workload, at least one of them with a row; or the paths of runs or front files.
    gain
        Compute "gain", too, which takes some seconds for each input where fronts are large.
    easy, reach
        As for `box_of`.

    Returns
    -------
    list of dict
        For each input, in their order: its name; evaluations; size; "in_front", its rows on the merged front; "only",
        those of them that no other input has; "best_in", the objectives whose best value only it reaches; "gain",
        the hypervolume that the merged front would lose without this input, in the box of the merged front.

    Raises
    ------
    InputError
        As for `merging.merge`, or all inputs are empty.

    Examples
    --------
    Two runs: the first has the best utilisation, the second the best response time, and both have the middle.

    >>> from paretosched.encodings.weighting import Weighting
    >>> from paretosched.fronts.front import Origin, front_of
    >>> def run(seed, values):
    ...     v = np.array([[util, time, time] for util, time in values], dtype=float)
    ...     return front_of(v, np.zeros((len(v), 15)), Origin("r", "nsga2", seed, 4, Weighting()), ("1",))
    >>> rows = contributions([run(1, [(90, 5), (80, 3)]), run(2, [(80, 3), (70, 2), (60, 4)])])
    >>> [(c["size"], c["in_front"], c["only"], c["best_in"]) for c in rows]
    [(2, 2, 1, ['UTIL']), (2, 2, 1, ['AWRT', 'AWRT1'])]
    """
    inputs = as_fronts(inputs)
    all_rows = merge(inputs)
    columns = _comparable_columns(all_rows)
    points = {tuple(row) for row in all_rows.values[:, columns].tolist()}
    own_points = [{tuple(row) for row in f.values[:, columns].tolist()} & points for f in inputs]
    column_of = {o.name: c for c, o in enumerate(all_rows.objectives)}
    ends = {o.name: all_rows.values[row, column_of[o.name]] for o, row in extremes(all_rows)}
    best_of = [{name for name, best in ends.items() if (f.values[:, column_of[name]] == best).any()} for f in inputs]
    rows = []
    for k, front in enumerate(inputs):
        others: set[tuple[float, ...]] = set().union(*own_points[:k], *own_points[k + 1 :])
        best_of_others = set().union(*best_of[:k], *best_of[k + 1 :])
        rows.append(
            {
                "name": front_name(front),
                "evaluations": front.evaluations,
                "size": len(front),
                "in_front": len(own_points[k]),
                "only": len(own_points[k] - others),
                "best_in": [name for name in ends if name in best_of[k] - best_of_others],
            }
        )
    if gain:
        box = box_of(all_rows, easy, reach)
        whole = hypervolume(to_box(all_rows.values, all_rows.objectives, box), box.edge)
        for k, about in enumerate(rows):
            rest = [*inputs[:k], *inputs[k + 1 :]]
            without = merge(rest).values if rest else all_rows.values[:0]
            about["gain"] = whole - hypervolume(to_box(without, all_rows.objectives, box), box.edge)
    return rows


def course(
    values: ArrayLike,
    objectives: Sequence[Objective],
    at: Sequence[int],
    box: Box,
    reference: FrontLike | None = None,
) -> Course:
    """Return measures of the first evaluations of a run, in a fixed box, so that runs can be compared.

    Parameters
    ----------
    values
        (n, m), all evaluations in their order, natural units.
    objectives
        What the columns are.
    at
        How many evaluations, ascending, in 1..n.
    box
        The scale, usually that of the merged front of all runs.
    reference
        The reference front of IGD+, usually the merged front, too; or the path of a run or front file.

    Raises
    ------
    InputError
        `at` does not ascend within 1..n, or the values do not fit the box.

    Examples
    --------
    The second evaluation is dominated, the third one dominates everything.

    >>> from paretosched.simulation.objective import objective_table
    >>> table = objective_table(("1",))
    >>> box = Box((table[0], table[2]), np.array([-90.0, 10.0]), np.array([-80.0, 20.0]))
    >>> one_run = course([[80, 20, 20], [80, 30, 30], [90, 10, 10]], table, [1, 2, 3], box)
    >>> one_run.size.tolist(), np.round(one_run.hypervolume, 3).tolist()
    ([1, 1, 1], [0.008, 0.008, 1.0])
    """
    import moocore

    matrix = numbers("values", values)
    instance("box", box, Box)
    objectives = [instance("objectives", objective, Objective) for objective in list_argument("objectives", objectives)]
    at = [whole_number("at", count) for count in list_argument("at", at)]
    if matrix.shape != (len(matrix) if matrix.ndim else 0, len(objectives)):
        raise InputError(f"values must have shape (n, {len(objectives)}), but have {matrix.shape}")
    wrong = [k for before, k in zip([0, *at], at, strict=False) if not before < k <= len(matrix)]
    if wrong:
        raise InputError(f"at must ascend within 1..{len(matrix)}, but has {first_few(wrong)}")
    places = to_box(matrix, objectives, box)
    like = None if reference is None else as_front(reference)
    whole = None if like is None else to_box(like.values, like.objectives, box)
    if whole is not None and box.reach is not None:
        whole = whole[(whole < box.edge).all(axis=1)]
    front, count = places[:0], 0
    sizes, volumes, distances = [], [], []
    for k in at:
        candidates = np.concatenate([front, places[count:k]])
        front, count = candidates[np.asarray(moocore.is_nondominated(candidates), dtype=np.bool_)], k
        sizes.append(len(front))
        volumes.append(hypervolume(front, box.edge))
        if whole is not None:
            distances.append(float(moocore.igd_plus(front, ref=whole)) if len(whole) else np.nan)
    return Course(
        np.array(at, dtype=np.int64),
        np.array(sizes, dtype=np.int64),
        np.array(volumes),
        None if whole is None else np.array(distances),
    )


def _comparable_columns(front: Front) -> Mask:
    """Return which columns can be compared, (m,) bool: NaN equals nothing, not even itself."""
    columns: Mask = ~np.asarray(np.isnan(front.values).any(axis=0), dtype=np.bool_)
    return columns
