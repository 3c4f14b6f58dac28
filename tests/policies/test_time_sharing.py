"""SCOJO-PECT and its group optimisation against the oracle, examples on paper, and what such schedules must obey."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import InputError, Schedule, Workload, simulate
from paretosched.kernels.group_search import advance
from paretosched.policies.time_sharing import SEARCHES, Grouping, Optimisation, Shares, TimeSharing
from support.naive_sharing import Sharing, lehmer
from support.zoo import ZOO, drawn, jobs

checked = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])

# Jobs of the zoo last for seconds: with these limits there are all classes, many slices, and groups.
SMALL = TimeSharing(interval=40, overhead=2, medium_from=3, long_from=7, short_slice=4)
EAGER = Grouping(least=2, most=4, machines=0.5, work=1.0, mean_run=1, wide=0.3, wide_run=4)
GROUPS = Optimisation(permutations=30, long_wide_least=2, long_wide_most=3, bound=5, medium=EAGER, long=EAGER)

PLAIN = {
    "slices": SMALL,
    "no overhead": replace(SMALL, overhead=0, interval=11),
    "long slices": replace(SMALL, interval=500, overhead=10),
    "own jobs only": replace(SMALL, backfill=False),
    "estimates": replace(SMALL, run_times="estimates"),
    "much for short jobs": replace(SMALL, shares=(Shares(0, 0.5, 0.25, 0.25),)),
    "hours of the day": replace(SMALL, shares=(Shares(6), Shares(9, 0.1, 0.6, 0.3), Shares(21, 0.2, 0.2, 0.6))),
    "as in the paper": TimeSharing(),
}
OPTIMISED = {
    "groups": GROUPS,
    "lds": GROUPS._replace(search="lds"),
    "dds": GROUPS._replace(search="dds"),
    "a threshold": GROUPS._replace(threshold=2),
    "no pruning": GROUPS._replace(pruning=False),
    "first level": GROUPS._replace(second_level=False),
    "not rounded": GROUPS._replace(ceiling=False),
    "no shifts, one candidate": GROUPS._replace(force_shift=0.0, candidates=1),
    "no dynamic backfilling": GROUPS._replace(dynamic=False),
    "choice without end": GROUPS._replace(makespan=9.0, utilisation=0.0, response=9.0, force_shift=9.0),
    "bottom line": GROUPS._replace(method="bottom-line", search="dds"),
}
SHARINGS = PLAIN | {
    name: replace(sharing, optimisation=made)
    for name, made in OPTIMISED.items()
    for name, sharing in ((name, SMALL), (f"{name}, own jobs only", replace(SMALL, backfill=False)))
}
BIG = {"a million processors", "a million processors, small jobs"}  # nodes are sets in the oracle


def same_as_oracle(w: Workload, sharing: TimeSharing) -> Schedule:
    made = simulate(w, sharing).check()
    oracle = Sharing(w, sharing).run()
    s = made.segments
    assert s is not None
    rows = zip(s.job.tolist(), s.begin.tolist(), s.end.tolist(), map(s.nodes, range(s.job.size)), strict=True)
    assert list(rows) == oracle.segments
    assert s.switches.tolist() == [list(switch) for switch in oracle.switches]
    if sharing.optimisation is not None:
        assert made.searched is not None
        assert [list(part) for part in made.searched[:2]] == [oracle.counts.groups, oracle.counts.jobs]
    assert oracle.delayed == 0
    return made


NAMES = [name for name in ZOO if name not in BIG]
PAIRS = [  # a quarter of all: every workload meets many settings, and every setting many workloads
    (name, sharing) for a, name in enumerate(NAMES) for b, sharing in enumerate(SHARINGS) if (a + b) % 4 == 0
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sharing"), PAIRS)
def test_equals_the_oracle_on_awkward_workloads(name: str, sharing: str) -> None:
    same_as_oracle(ZOO[name], SHARINGS[sharing])


def test_the_awkward_workloads_have_slices_preemptions_and_groups() -> None:
    made = [simulate(ZOO[name], SHARINGS["groups"]) for name in NAMES]
    searched = np.array([m.searched for m in made])
    assert (searched[:, 0].sum(axis=0) > 20).all()  # groups of medium and of long jobs
    assert (searched[:, 2:].sum(axis=0) > 20).all()  # nodes visited and pruned in both levels
    assert sum(m.segments.job.size - len(m.workload) for m in made if m.segments) > 50


@st.composite
def sharings(draw: st.DrawFn) -> TimeSharing:
    """Limits so small that jobs of some seconds are of all classes."""
    long = draw(st.floats(0.05, 0.9))
    short = draw(st.floats(0.0, 0.95 - long))
    overhead, most_short = draw(st.sampled_from([0, 1, 3])), draw(st.integers(1, 4))
    medium_from = draw(st.integers(1, 4))
    group = st.builds(
        Grouping,
        least=st.integers(1, 3),
        most=st.integers(3, 5),
        machines=st.sampled_from([0.0, 0.5, 1.0]),
        work=st.sampled_from([0.0, 1.0]),
        mean_run=st.integers(0, 3),
        wide=st.sampled_from([0.0, 0.5]),
        wide_run=st.integers(0, 4),
    )
    made = st.builds(
        Optimisation,
        method=st.sampled_from(["groups", "groups", "bottom-line"]),
        search=st.sampled_from(SEARCHES),
        permutations=st.integers(1, 130),
        threshold=st.integers(0, 2),
        pruning=st.booleans(),
        second_level=st.sampled_from([True, True, False]),
        long_wide_least=st.integers(2, 3),
        long_wide_most=st.integers(2, 4),
        force_shift=st.sampled_from([0.0, 1.0, 1.5, 5.0]),
        candidates=st.integers(1, 4),
        makespan=st.sampled_from([1.1, 0.9, 5.0]),
        utilisation=st.sampled_from([0.95, 0.0]),
        response=st.sampled_from([1.1, 5.0]),
        bound=st.integers(1, 6),
        ceiling=st.booleans(),
        delta=st.sampled_from([0.05, 0.5, 1.0]),
        least_use=st.sampled_from([0.75, 0.2]),
        dynamic=st.booleans(),
        medium=group,
        long=group,
    )
    return TimeSharing(
        interval=3 * overhead + most_short + draw(st.integers(2, 60)),
        overhead=overhead,
        medium_from=medium_from,
        long_from=medium_from + draw(st.integers(0, 4)),
        short_slice=most_short,
        shares=(Shares(0, short, 1.0 - short - long, long),),
        run_times=draw(st.sampled_from(["known", "estimates"])),
        backfill=draw(st.booleans()),
        optimisation=draw(st.none() | made),
    )


@st.composite
def crowds(draw: st.DrawFn) -> Workload:
    """Up to 30 jobs of some seconds that come so fast that they queue."""
    capacity = draw(st.sampled_from([1, 3, 4, 8]))
    row = st.tuples(st.integers(0, 3), st.integers(1, 12), st.sampled_from([0, 0, 2, 9]), st.integers(1, capacity))
    rows = draw(st.lists(row, min_size=1, max_size=30))
    gap, run, slack, width = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Workload(submit=np.cumsum(gap), run=run, estimate=run + slack, width=width, capacity=capacity)


@pytest.mark.slow
@checked
@given(w=crowds(), sharing=sharings())
def test_equals_the_oracle(w: Workload, sharing: TimeSharing) -> None:
    same_as_oracle(w, sharing)


# ---- the search


@pytest.mark.parametrize("search", range(3))
@pytest.mark.parametrize("n", range(1, 6))
def test_permutations_come_in_the_order_of_the_search(n: int, search: int) -> None:
    found, digits = [], np.zeros(n, dtype=np.int64)
    more = True
    while more:
        found.append(tuple(digits.tolist()))
        more = advance(digits, n, search)
    assert found == lehmer(n, SEARCHES[search], 10**6)
    assert len(set(found)) == len(found) == math.factorial(n)


def test_discrepancies_come_as_in_the_paper() -> None:
    digits = lehmer(3, "discrepancy", 6)
    assert [sum(d > 0 for d in one) for one in digits] == [0, 1, 1, 2, 1, 2]
    left = [list("abc") for _ in digits]
    orders = ["".join(rest.pop(d) for d in one) for rest, one in zip(left, digits, strict=True)]
    assert orders == ["abc", "acb", "bac", "bca", "cab", "cba"]
    assert [sum(d > 0 for d in one) for one in lehmer(4, "lds", 24)] == [0] + [1] * 6 + [2] * 11 + [3] * 6


@pytest.mark.slow
@checked
@given(w=crowds(), sharing=sharings())
def test_pruning_changes_no_schedule_and_spares_what_it_says(w: Workload, sharing: TimeSharing) -> None:
    made = sharing.optimisation or GROUPS
    cut, whole = (simulate(w, replace(sharing, optimisation=made._replace(pruning=p))) for p in (True, False))
    assert same_segments(cut, whole)
    assert cut.searched is not None
    assert whole.searched is not None
    assert whole.searched.pruned == (0, 0)
    assert [a + b for a, b in zip(cut.searched.visited, cut.searched.pruned, strict=True)] == [*whole.searched.visited]


def same_segments(one: Schedule, other: Schedule) -> bool:
    assert one.segments is not None
    assert other.segments is not None
    return all(np.array_equal(a, b) for a, b in zip(one.segments, other.segments, strict=True))


# ---- what any such schedule must obey


@pytest.mark.slow
@checked
@given(w=crowds(), sharing=sharings())
def test_work_is_conserved_nodes_never_overlap_and_jobs_go_on_on_them(w: Workload, sharing: TimeSharing) -> None:
    made = simulate(w, sharing)
    s = made.segments
    assert s is not None
    running: dict[tuple[int, int], int] = {}
    done = [0] * len(w)
    nodes: dict[int, set[int]] = {}
    for i, j in enumerate(s.job.tolist()):
        own = {node for a, b in s.nodes(i) for node in range(a, b + 1)}
        assert nodes.setdefault(j, own) == own
        assert len(own) == w.width[j]
        for second in range(s.begin[i], s.end[i]):
            assert not any(a <= second < b for a, b in s.switches.tolist())
            done[j] += 1
            for node in own:
                assert running.setdefault((second, node), j) == j
    assert done == w.run.tolist()
    assert (made.start >= w.submit).all()
    assert made.check() is made


@pytest.mark.slow
@checked
@given(w=crowds(), sharing=sharings(), seconds=st.integers(0, 10**6))
def test_a_later_clock_makes_the_same_schedule_later(w: Workload, sharing: TimeSharing, seconds: int) -> None:
    made, later = simulate(w, sharing), simulate(w.with_(submit=w.submit + seconds), sharing)
    assert (later.start - made.start == seconds).all()
    assert (later.finish - made.finish == seconds).all()


@pytest.mark.slow
@checked
@given(w=crowds())
def test_with_one_class_and_own_jobs_only_it_is_easy(w: Workload) -> None:
    one_class = TimeSharing(
        interval=20, overhead=3, medium_from=100, long_from=100, short_slice=5, run_times="estimates"
    )
    assert simulate(w, one_class).start.tolist() == simulate(w, "easy").start.tolist()


# ---- worked out on paper

# Four processors; short: less than 10 s, long: 100 s or more. Intervals of 100 s, switches of 5 s.
PAPER = TimeSharing(
    interval=100, overhead=5, medium_from=10, long_from=100, short_slice=9, shares=(Shares(0, 0.0, 0.25, 0.75),)
)


def segments(w: Workload, sharing: TimeSharing) -> list[tuple[int, int, int, tuple[tuple[int, int], ...]]]:
    s = simulate(w, sharing).check().segments
    assert s is not None
    return [*zip(s.job.tolist(), s.begin.tolist(), s.end.tolist(), map(s.nodes, range(s.job.size)), strict=True)]


def test_slices_take_turns_and_jobs_of_other_classes_use_what_is_idle() -> None:
    # The long job begins alone at 0; its slice is the whole interval. The medium one arrives at 10 and needs three
    # processors, so that it waits for its own slice, at 100; that begins at 105 and, as 90 s are left for both when the
    # long slice's switch is paid, ends after 22 s, at 127. The medium job is done at 125: its slice ends, and after
    # another switch the long one goes on at 130. In the medium slice two long processors were not free together.
    w = jobs(4, (0, 200, 200, 2), (10, 20, 20, 3))
    assert segments(w, PAPER) == [
        (0, 0, 100, ((0, 1),)),
        (0, 130, 230, ((0, 1),)),
        (1, 105, 125, ((0, 2),)),
    ]
    # A medium job of two processors runs beside the long one at once; at the end of the interval the next slice is its
    # own, if it is still there.
    w = jobs(4, (0, 200, 200, 2), (10, 95, 95, 2))
    assert segments(w, PAPER) == [
        (0, 0, 100, ((0, 1),)),
        (0, 105, 110, ((0, 1),)),
        (0, 115, 210, ((0, 1),)),
        (1, 10, 100, ((2, 3),)),
        (1, 105, 110, ((2, 3),)),
    ]
    assert segments(w, replace(PAPER, backfill=False))[0] == (0, 0, 100, ((0, 1),))


def test_a_group_is_put_into_a_better_order() -> None:
    # Three jobs wait when they become a group at 3; the shortest one first makes the sum of their slowdowns smallest.
    everyone = Grouping(least=3, most=4, machines=0.0, work=0.0, mean_run=0, wide=1.0, wide_run=10**6)
    made = replace(PAPER, optimisation=Optimisation(bound=100, ceiling=False, medium=everyone, long=everyone))
    w = jobs(4, (0, 50, 50, 4), (1, 60, 60, 4), (2, 60, 60, 4), (3, 20, 20, 4))
    one_class = {"medium_from": 5, "long_from": 5, "interval": 1000}
    assert simulate(w, replace(PAPER, **one_class)).start.tolist() == [0, 50, 110, 170]
    assert simulate(w, replace(made, **one_class)).start.tolist() == [0, 70, 130, 50]


def test_shares_change_with_the_hour_until_all_has_ended() -> None:
    w = jobs(1, (0, 800_000, 800_000, 1), *[(0, 10_000, 10_000, 1)] * 12)
    shares = (Shares(8, 0.0, 0.03, 0.97), Shares(20, 0.0, 0.15, 0.85))
    sharing = TimeSharing(interval=1000, overhead=300, short_slice=90, shares=shares)
    made = same_as_oracle(w, sharing)
    assert made.finish.max() > 2 * w.run.sum()  # switches last longer than jobs run


def test_a_job_of_ages_takes_no_ages() -> None:
    ages = 10**13
    w = jobs(4, (0, ages, ages, 2), (5, 20, 20, 3), (ages + 7, 20, 20, 3))
    made = simulate(w, TimeSharing()).check()
    # The long job loses two switches of 60 s and the 20 s of the medium one; then there is another switch.
    assert made.start.tolist() == [0, 3660, ages + 200]
    assert made.finish.tolist() == [ages + 140, 3680, ages + 220]


def test_the_paper_s_limit_of_permutations_is_no_burden() -> None:
    w = drawn(5, 400, 16, gap=2, run=40)
    fast = replace(SMALL, optimisation=Optimisation(medium=EAGER._replace(most=20), long=EAGER._replace(most=30)))
    made = simulate(w, fast).check()
    assert made.searched is not None
    assert made.searched.visited[1] > 10_000


def test_no_unsound_parameters_of_time_sharing_can_be_made() -> None:
    with pytest.raises(InputError, match="interval must be in"):
        TimeSharing(interval=5)
