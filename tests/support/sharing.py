"""Time sharing with limits so small that jobs of some seconds are of all classes."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from paretosched import Schedule, Workload, simulate
from paretosched.policies.time_sharing import SEARCHES, Grouping, Optimisation, Shares, TimeSharing
from support.naive_sharing import Sharing

thoroughly = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

# Jobs of the zoo last for seconds: with these limits there are all classes, many slices, and groups.
SMALL = TimeSharing(interval=40, overhead=2, medium_from=3, long_from=7, short_slice=4)
EAGER = Grouping(least=2, most=4, machines=0.5, work=1.0, mean_run=1, wide=0.3, wide_run=4)
GROUPS = Optimisation(permutations=30, long_wide_least=2, long_wide_most=3, bound=5, medium=EAGER, long=EAGER)


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
    optimisations = st.builds(
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
        optimisation=draw(st.none() | optimisations),
    )


@st.composite
def crowds(draw: st.DrawFn) -> Workload:
    """Up to 30 jobs of some seconds that come so fast that they queue."""
    capacity = draw(st.sampled_from([1, 3, 4, 8]))
    row = st.tuples(st.integers(0, 3), st.integers(1, 12), st.sampled_from([0, 0, 2, 9]), st.integers(1, capacity))
    rows = draw(st.lists(row, min_size=1, max_size=30))
    gap, run, slack, width = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Workload(submit=np.cumsum(gap), run=run, estimate=run + slack, width=width, capacity=capacity)


# Four processors; short: less than 10 s, long: 100 s or more. Intervals of 100 s, switches of 5 s.
PAPER = TimeSharing(
    interval=100, overhead=5, medium_from=10, long_from=100, short_slice=9, shares=(Shares(0, 0.0, 0.25, 0.75),)
)


def same_as_oracle(w: Workload, sharing: TimeSharing) -> Schedule:
    """Simulate, and check that the schedule is that of the oracle."""
    schedule = simulate(w, sharing).check()
    oracle = Sharing(w, sharing).run()
    s = schedule.segments
    assert s is not None
    rows = zip(s.job.tolist(), s.begin.tolist(), s.end.tolist(), map(s.nodes, range(s.job.size)), strict=True)
    assert list(rows) == oracle.segments
    assert s.switches.tolist() == [list(switch) for switch in oracle.switches]
    if sharing.optimisation is not None:
        assert schedule.searched is not None
        assert [list(part) for part in schedule.searched[:2]] == [oracle.counts.groups, oracle.counts.jobs]
    assert oracle.delays == 0
    return schedule
