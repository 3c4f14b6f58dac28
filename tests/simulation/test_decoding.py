"""The two decodings: what holds for every order, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import InputError, Workload, decode, simulate, start_order
from paretosched.policies.decoded_orders import DECODINGS, outcome_of_order
from support import naive
from support.decoding import GAP, orders, starts, thoroughly
from support.later import arrival_workload, later
from support.zoo import PLAIN_RULES, ZOO, fixed_policies, jobs, policies, workloads

# ---- what holds for every order


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_no_job_starts_later_in_the_order_of_a_schedule(name: str) -> None:
    w = ZOO[name]
    for policy in fixed_policies(w.groups).values():
        schedule = simulate(w, policy)
        for decoding in DECODINGS:
            assert (decode(w, start_order(schedule), decoding).start <= schedule.start).all(), (policy.name, decoding)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@thoroughly
@given(data=st.data(), w=workloads())
def test_no_job_starts_later_in_the_order_of_any_schedule(decoding: str, data: st.DataObject, w: Workload) -> None:
    if data.draw(st.booleans()):
        schedule = simulate(w, data.draw(policies(w.groups)))
    else:
        schedule = decode(w, data.draw(st.permutations(range(len(w)))), data.draw(st.sampled_from(DECODINGS)))
    again = decode(w, start_order(schedule), decoding)
    assert (again.start <= schedule.start).all()


@pytest.mark.slow
@thoroughly
@given(w=workloads())
def test_the_order_of_submission_is_strictly_that_of_fcfs(w: Workload) -> None:
    assert starts(w, np.arange(len(w)), "strict") == simulate(w, "fcfs").start.tolist()


@thoroughly
@given(w=workloads(exact=True))
def test_earliest_fit_in_the_order_of_submission_is_conservative_when_estimates_are_exact(w: Workload) -> None:
    assert starts(w, np.arange(len(w)), "earliest") == simulate(w, "conservative").start.tolist()


@pytest.mark.parametrize("decoding", DECODINGS)
def test_jobs_as_wide_as_the_machine_run_one_after_the_other(decoding: str) -> None:
    w = jobs(4, *((0, 1 + i, 9, 4) for i in range(8)))
    assert starts(w, range(7, -1, -1), decoding) == [35, 33, 30, 26, 21, 15, 8, 0]


# ---- orders


def test_ties_of_a_start_order_are_in_trace_order() -> None:
    schedule = simulate(jobs(4, (0, 5, 5, 4), (1, 5, 5, 2), (1, 5, 5, 2), (1, 5, 5, 4)), "fcfs")
    order = start_order(schedule)
    assert order.tolist() == [0, 1, 2, 3]
    assert order.dtype == np.int32
    w = jobs(2, (0, 9, 9, 1), (0, 1, 1, 2), (1, 8, 8, 1))
    assert start_order(simulate(w, "easy")).tolist() == [0, 2, 1]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "i8", "u8", ">i4", "list", "strided"])
def test_orders_come_in_any_kind_of_whole_numbers(dtype: str) -> None:
    rows: Any = [0, 3, 1, 2]
    if dtype == "strided":
        rows = np.repeat(rows, 2)[::2]
    elif dtype != "list":
        rows = np.array(rows, dtype=dtype)
    assert starts(GAP, rows, "earliest") == [0, 12, 17, 3]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1, 2], r"^order must have one entry a job, shape \(4,\), but has shape \(3,\)$"),
        ([0.0, 1.0, 2.0, 3.0], "^order must be whole numbers"),
        ([0, 4, -1, 2], r"^order must name rows 0\.\.3, but 2 entries do not: entry 1 is 4, entry 2 is -1$"),
        ([3, 1, 1, 3], "^order must name every row once, but row 1 stands there 2 times, row 3 stands there 2 times, "),
        ([3, 1, 1, 1], "row 1 stands there 3 times, and row 0, row 2 not at all$"),
    ],
)
def test_what_is_no_order_is_refused(order: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(GAP, order)


def test_an_unknown_decoding_is_refused() -> None:
    with pytest.raises(InputError, match=r'^decoding must be one of strict, earliest, but is "latest"$'):
        decode(GAP, [0, 1, 2, 3], "latest")


def test_the_given_order_stays_as_it_was() -> None:
    order = np.array([0, 3, 1, 2], dtype=np.int32)
    for decoding in DECODINGS:
        decode(GAP, order, decoding)
        outcome_of_order(GAP, order, decoding)
    assert order.tolist() == [0, 3, 1, 2]
    assert order.flags.writeable


@pytest.mark.parametrize("rule", PLAIN_RULES)
def test_a_schedule_is_named_after_its_decoding(rule: str) -> None:
    w = ZOO["all at once"]
    assert decode(w, start_order(simulate(w, rule)), "earliest").name == "earliest decoding"


@pytest.mark.parametrize("name", list(ZOO)[2::3])
def test_jobs_that_are_eligible_later_are_decoded_as_by_the_oracle(name: str) -> None:
    w = later(ZOO[name], 3)
    for order in orders(len(w)).values():
        assert starts(w, order, "strict") == naive.strict(w, order.tolist())
        assert starts(w, order, "earliest") == naive.earliest(w, order.tolist())
    by_arrival = arrival_workload(w)[1]
    assert starts(w, by_arrival, "strict") == simulate(w, "fcfs").start.tolist()
