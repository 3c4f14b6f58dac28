"""Nothing lies below the outer approximation of a front: no schedule of tiny workloads, no point of a real front."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Schedule, lublin, objectives, read_swf, simulate, split
from paretosched.search.exploration import explore
from paretosched.simulation.objective import objective_table
from paretosched.wishes.best_possible import best_possible
from paretosched.wishes.outer_front import MOST_GROUPS, outer_front
from paretosched.wishes.wish import Wish
from paretosched.workload.public_logs import log_file
from paretosched.workload.workload import Workload
from support.naive import earliest


def below(line: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Which points, (p, 2), are below a line or left of it, exactly."""
    found = []
    for x, y in points.tolist():
        is_below = x < line[0, 0] or y < line[-1, 1]
        if len(line) == 2:
            (a, b), (c, d) = (tuple(map(Fraction, corner)) for corner in line.tolist())
            is_below |= (Fraction(x) - a) * (b - d) + (Fraction(y) - b) * (c - a) < 0
        found.append(is_below)
    return np.array(found)


def check(w: Workload, values: np.ndarray) -> int:
    """Compare vectors of objectives with all lines; return how many lines have two corners."""
    names = [o.name for o in objective_table(w.groups)]
    lines = outer_front(w)
    for (x, y), line in lines.items():
        assert line.shape in ((1, 2), (2, 2))
        if len(line) == 2:
            assert line[0, 0] < line[1, 0]
            assert line[0, 1] > line[1, 1]
        assert not below(line, values[:, [names.index(x), names.index(y)]]).any(), (x, y)
    return sum(len(line) == 2 for line in lines.values())


@st.composite
def tiny(draw: st.DrawFn) -> Workload:
    """Up to five jobs of up to three groups on up to four processors."""
    n, capacity, groups = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 3))

    def whole(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    run = whole(1, 6)
    return Workload(
        submit=sorted(whole(0, 5)), run=run, estimate=run, width=whole(1, capacity), capacity=capacity,
        group=whole(0, groups - 1), groups=tuple("123"[:groups]),
    )  # fmt: skip


@given(tiny())
def test_no_schedule_of_a_tiny_workload_is_below_any_line(w: Workload) -> None:
    """Every order of the jobs, each as early as it fits: among these are all schedules that no other dominates."""
    values = np.array([Schedule(w, earliest(w, list(o))).objectives.array for o in permutations(range(len(w)))])
    check(w, values)


@given(tiny(), st.integers(0, 2**32))
def test_the_line_is_what_the_bounds_of_all_weightings_leave(w: Workload, seed: int) -> None:
    generator = np.random.default_rng(seed)
    for (x, y), line in outer_front(w).items():
        for weights in [*generator.dirichlet([1, 1], size=3).tolist(), [0.999, 0.001]]:
            wish = Wish(weights=[(x, weights[0]), (y, weights[1])])
            least = float((line @ np.array(weights)).min())
            assert least == pytest.approx(best_possible(wish, w).goal, rel=1e-9)


def test_lines_have_two_corners_where_groups_stand_in_each_others_way() -> None:
    w = lublin(jobs=400, processors=32, seed=6)
    values = np.array([objectives(simulate(w, rule)) for rule in ("fcfs", "easy", "conservative", "list")])
    assert check(w, values) == 10


def test_many_groups_have_only_corners() -> None:
    w = lublin(jobs=400, processors=32, seed=6)
    many = MOST_GROUPS + 1
    w = w.with_(group=np.arange(400) % many, groups=tuple(map(str, range(many))))
    assert check(w, np.array([objectives(simulate(w, "easy"))])) == 0


@pytest.mark.traces
@pytest.mark.slow
def test_no_point_of_a_real_front_is_below_any_line(tmp_path: object, traces: object) -> None:
    w = split(read_swf(log_file("KTH-SP2")), 0.1)[0]
    front = explore(w, str(tmp_path) + "/run", evaluations=400, algorithm="archive")
    assert check(w, front.values) >= 5
    moved = front.values.copy()
    moved[:, 2:] *= 0.5  # the test can fail
    names = [o.name for o in front.objectives]
    lines = outer_front(w)
    assert any(
        below(lines[x, y], moved[:, [names.index(x), names.index(y)]]).any() for x, y in combinations(names[2:], 2)
    )
