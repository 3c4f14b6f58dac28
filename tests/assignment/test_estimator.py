"""The estimator of workloads, Figure 1 of paper 003 by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import InputError
from paretosched.assignment import Bag, History, estimate, queues
from paretosched.assignment.estimator import learn, slopes
from support.assignment import NAN, briefly


def test_the_steps_of_figure_1() -> None:
    h = History()
    # step 25: no record, then one record: queue Q1, and the record goes to H
    assert estimate(h, "J", 20, "printed") is None
    h = learn(h, "J", 10, 40.0)
    assert slopes(h, "J") == ()
    assert estimate(h, "J", 20, "printed") is None
    # steps 19 to 22: two records make a slope, |100 - 40| / |30 - 10| = 3
    h = learn(h, "J", 30, 100.0)
    assert slopes(h, "J") == ((10, 30, 3.0),)
    # steps 3 to 5: 20 lies in (10, 30); 3 * 20
    assert estimate(h, "J", 20, "printed") == 60
    # step 7: its real workload is 50, so the slope is replaced by two
    h = learn(h, "J", 20, 50.0)
    assert slopes(h, "J") == ((10, 20, 1.0), (20, 30, 5.0))
    assert estimate(h, "J", 15, "printed") == 15
    assert estimate(h, "J", 25, "printed") == 125
    # steps 10 to 12: 40 lies in no range; the closest is 30, its partner 20; 5 * 40
    assert estimate(h, "J", 40, "printed") == 200
    assert estimate(h, "J", 4, "printed") == 4
    # step 15: once it has finished, the line between 30 and 40 is added
    h = learn(h, "J", 40, 120.0)
    assert slopes(h, "J") == ((10, 20, 1.0), (20, 30, 5.0), (30, 40, 2.0))
    # a size where two lines meet belongs to the one of larger sizes; the last to its only one
    assert estimate(h, "J", 20, "printed") == 100
    assert estimate(h, "J", 40, "printed") == 80
    # other jobs have their own records
    assert estimate(h, "K", 20, "printed") is None


def test_the_corrected_line_goes_through_the_records() -> None:
    h = learn(learn(History(), "J", 10, 40.0), "J", 30, 100.0)
    assert estimate(h, "J", 20) == 70
    assert estimate(h, "J", 10) == 40
    assert estimate(h, "J", 30) == 100
    assert estimate(h, "J", 40) == 130
    assert estimate(h, "J", 0) == 10
    assert estimate(learn(History(), "J", 10, 40.0), "J", 10) == 40
    falling = learn(learn(History(), "J", 10, 40.0), "J", 30, 20.0)
    assert estimate(falling, "J", 20) == 30
    assert estimate(falling, "J", 90) == 0
    assert estimate(falling, "J", 20, "printed") == 20  # the paper's slopes have no sign


def test_a_size_seen_again_replaces_its_record() -> None:
    h = learn(learn(learn(History(), "J", 10, 40.0), "J", 30, 100.0), "J", 10, 60.0)
    assert h.records["J"] == ((10, 60.0), (30, 100.0))
    one = learn(learn(History(), "J", 10, 40.0), "J", 10, 60.0)
    assert one.records["J"] == ((10, 60.0),)
    assert estimate(one, "J", 10, "printed") is None


@briefly
@given(
    sizes=st.lists(st.integers(1, 1000), min_size=2, unique=True),
    new_size=st.integers(1, 1000),
    slope=st.integers(1, 9),
    base=st.integers(0, 99),
)
def test_a_straight_line_is_interpolated_exactly_and_printed_if_through_the_origin(
    sizes: list[int], new_size: int, slope: int, base: int
) -> None:
    h = proportional = History()
    for size in sizes:
        h = learn(h, "J", size, base + slope * size)
        proportional = learn(proportional, "J", size, slope * size)
    assert estimate(h, "J", new_size) == pytest.approx(base + slope * new_size)
    assert estimate(h, "J", new_size, "printed") == pytest.approx(slope * new_size)
    assert estimate(proportional, "J", new_size, "printed") == pytest.approx(estimate(proportional, "J", new_size))


def test_queues_tell_which_jobs_have_a_workload() -> None:
    h = learn(learn(History(), "J", 10, 40.0), "J", 30, 100.0)
    bag = Bag(["J", "J", "K", "K"], [NAN, 5.0, NAN, 7.0], [20, 20, 20, NAN])
    with_estimates, q1, q2 = queues(h, bag)
    assert (q1.tolist(), q2.tolist()) == ([2], [0, 1, 3])
    assert with_estimates.workload[q2].tolist() == [70, 5, 7]
    assert bag.workload[1] == 5  # what is known stays


def test_what_cannot_be_learnt_is_refused() -> None:
    for size, workload in ((-1, 1), (1, -1), (NAN, 1), (1, float("inf"))):
        with pytest.raises(InputError, match="must be a number from 0 on"):
            learn(History(), "J", size, workload)
    with pytest.raises(InputError, match="line must be one of"):
        estimate(History(), "J", 1, "curved")
