"""The two decodings of an order of all jobs against their oracles, by hand, and what holds for every order."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import InputError, Workload, decode, simulate, start_order
from paretosched.kernels import profile_tree as vacancy
from paretosched.simulation.decoding import DECODINGS, decoded_start_times
from paretosched.workload.workload import WIDEST
from support import naive
from support.zoo import PLAIN_RULES, ZOO, drawn, fixed_policies, jobs, policies, workloads

checked = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
ORACLES = {"strict": naive.strict, "earliest": naive.earliest}


def starts(workload: Workload, order: Any, decoding: str) -> list[int]:
    found: list[int] = decode(workload, order, decoding).check().start.tolist()
    return found


def orders(n: int) -> dict[str, np.ndarray]:
    """Orders near to and far from that of submission."""
    rng = np.random.default_rng(n)
    swapped = np.arange(n)
    for i in range(0, n - 1, 3):
        swapped[[i, i + 1]] = swapped[[i + 1, i]]
    return {
        "submission": np.arange(n),
        "neighbours swapped": swapped,
        "backwards": np.arange(n)[::-1],
        "every third first": np.argsort(np.arange(n) % 3 > 0, kind="stable"),
        "random": rng.permutation(n),
    }


ORDERS = tuple(orders(1))


# ---- by hand

# 4 processors; the first job leaves one free until 10, the second needs all, the third and fourth one each.
GAP = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1), (3, 9, 9, 1))


@pytest.mark.parametrize(
    ("order", "decoding", "start"),
    [
        ([0, 1, 2, 3], "strict", [0, 10, 15, 15]),
        ([0, 1, 2, 3], "earliest", [0, 10, 2, 15]),  # the third ends at 10, the fourth would at 12
        ([0, 2, 1, 3], "strict", [0, 10, 2, 15]),
        ([0, 2, 3, 1], "strict", [0, 19, 2, 10]),
        ([0, 3, 1, 2], "earliest", [0, 12, 17, 3]),
        ([3, 2, 1, 0], "strict", [17, 12, 3, 3]),  # no job starts before the last submitted, which is first
        ([3, 2, 1, 0], "earliest", [17, 12, 2, 3]),  # the first does not fit for ten seconds before 3 to 12 any more
        ([1, 0, 2, 3], "strict", [6, 1, 6, 14]),
        ([1, 3, 0, 2], "earliest", [6, 1, 15, 6]),
    ],
)
def test_orders_worked_out_by_hand(order: list[int], decoding: str, start: list[int]) -> None:
    assert ORACLES[decoding](GAP, order) == start
    assert starts(GAP, order, decoding) == start


def test_a_job_that_is_first_in_the_order_holds_back_all_others_only_if_strict() -> None:
    w = jobs(8, (0, 5, 5, 1), (0, 5, 5, 1), (100, 5, 5, 1))
    assert starts(w, [2, 0, 1], "strict") == [100, 100, 100]
    assert starts(w, [2, 0, 1], "earliest") == [0, 0, 100]


def test_the_widest_machine_has_room_for_its_widest_jobs() -> None:
    w = jobs(WIDEST, (0, 5, 5, WIDEST), (0, 5, 5, WIDEST - 1), (0, 9, 9, 1), (1, 2, 2, WIDEST))
    assert starts(w, [0, 1, 2, 3], "strict") == [0, 5, 5, 14]
    assert starts(w, [0, 1, 3, 2], "earliest") == [0, 5, 12, 10]


# ---- the oracles


@cache
def of_oracle(name: str, order: str, decoding: str) -> list[int]:
    return ORACLES[decoding](ZOO[name], orders(len(ZOO[name]))[order].tolist())


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, order: str, decoding: str) -> None:
    w = ZOO[name]
    assert starts(w, orders(len(w))[order], decoding) == of_oracle(name, order, decoding)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@checked
@given(data=st.data(), w=workloads(max_jobs=20))
def test_equals_the_oracle_on_any_workload(decoding: str, data: st.DataObject, w: Workload) -> None:
    order = data.draw(st.permutations(range(len(w))))
    assert starts(w, order, decoding) == ORACLES[decoding](w, order)


# Enough jobs with different times that leaves of the profile are split and queues are deep.
DEEP = {
    "light": lambda seed: drawn(seed, 200, 64, gap=30, run=60),
    "heavy": lambda seed: drawn(seed, 200, 64, gap=2, run=60),
    "all at once": lambda seed: drawn(seed, 200, 32, gap=0, run=5000),
    "long and short": lambda seed: _long_and_short(seed, 300),
}


def _long_and_short(seed: int, n: int) -> Workload:
    rng = np.random.default_rng(seed)
    return jobs(
        200,
        *((int(s), *[5000 if s % 9 == 0 else 1 + int(s) % 40] * 2, 1 + int(s) % 3) for s in rng.integers(0, 6 * n, n)),
    )


@pytest.mark.parametrize("decoding", DECODINGS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str, order: str, decoding: str) -> None:
    w = DEEP[kind](5)
    rows = orders(len(w))[order]
    assert starts(w, rows, decoding) == ORACLES[decoding](w, rows.tolist())


@pytest.mark.slow
def test_equals_the_flat_profile_on_thousands_of_jobs() -> None:
    """The oracle is too slow for trees with several levels; the profile of conservative backfilling is not."""
    from paretosched.kernels import profile
    from paretosched.kernels.waiting_tree import FAR

    for w in (drawn(1, 20_000, 128, gap=40, run=900), drawn(2, 8_000, 128, gap=5, run=900)):
        n = len(w)
        order = np.random.default_rng(3).permutation(n).astype(np.int32)
        when, room, span = np.empty(2 * n + 16, np.int64), np.empty(2 * n + 16, np.int64), np.empty(2, np.int64)
        profile.clear(when, room, span, w.submit[0], w.capacity)
        expected = np.empty(n, np.int64)
        for j in order:
            length = w.run[j]
            t = profile.earliest(when, room, span, w.submit[j], FAR, FAR, w.width[j], length)
            profile.add(when, room, span, t, t + length, -w.width[j])
            expected[j] = t
        np.testing.assert_array_equal(decoded_start_times(w, order, "earliest"), expected)


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
@checked
@given(data=st.data(), w=workloads())
def test_no_job_starts_later_in_the_order_of_any_schedule(decoding: str, data: st.DataObject, w: Workload) -> None:
    if data.draw(st.booleans()):
        schedule = simulate(w, data.draw(policies(w.groups)))
    else:
        schedule = decode(w, data.draw(st.permutations(range(len(w)))), data.draw(st.sampled_from(DECODINGS)))
    again = decode(w, start_order(schedule), decoding)
    assert (again.start <= schedule.start).all()


@pytest.mark.slow
@checked
@given(w=workloads())
def test_the_order_of_submission_is_strictly_that_of_fcfs(w: Workload) -> None:
    assert starts(w, np.arange(len(w)), "strict") == simulate(w, "fcfs").start.tolist()


@checked
@given(w=workloads(exact=True))
def test_earliest_fit_in_the_order_of_submission_is_conservative_when_estimates_are_exact(w: Workload) -> None:
    assert starts(w, np.arange(len(w)), "earliest") == simulate(w, "conservative").start.tolist()


@pytest.mark.slow
@checked
@given(data=st.data(), w=workloads())
def test_starts_follow_the_order_if_strict(data: st.DataObject, w: Workload) -> None:
    order = data.draw(st.permutations(range(len(w))))
    assert (np.diff(decode(w, order).start[order]) >= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@checked
@given(data=st.data(), w=workloads())
def test_estimates_do_not_matter(decoding: str, data: st.DataObject, w: Workload) -> None:
    order = data.draw(st.permutations(range(len(w))))
    assert starts(w.with_(estimate=w.run + 7), order, decoding) == starts(w, order, decoding)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ZOO)
def test_on_a_machine_for_all_earliest_fit_lets_no_job_wait_and_strict_only_for_predecessors(
    name: str, order: str
) -> None:
    w = ZOO[name]
    w = w.with_(capacity=int(w.width.sum()), estimate=w.run)
    rows = orders(len(w))[order]
    assert starts(w, rows, "earliest") == w.submit.tolist()
    assert decode(w, rows).start[rows].tolist() == np.maximum.accumulate(w.submit[rows]).tolist()


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
        decoded_start_times(GAP, order, decoding)
    assert order.tolist() == [0, 3, 1, 2]
    assert order.flags.writeable


@pytest.mark.parametrize("rule", PLAIN_RULES)
def test_a_schedule_is_named_after_its_decoding(rule: str) -> None:
    w = ZOO["all at once"]
    assert decode(w, start_order(simulate(w, rule)), "earliest").name == "earliest decoding"


# ---- the profile itself


@pytest.mark.slow
def test_the_tree_knows_the_range_of_all_that_lies_below() -> None:
    w = drawn(1, 3_000, 128, gap=40, run=900)
    v = vacancy.vacancy(len(w))
    vacancy.clear(v, w.submit[0], w.capacity)
    free = {}
    for j in np.random.default_rng(0).permutation(len(w)):
        t = int(vacancy.earliest(v, w.submit[j], w.width[j], w.run[j]))
        vacancy.take(v, t, t + w.run[j], w.width[j])
        free[j] = t

    def below(node: int, level: int) -> list[tuple[int, int]]:
        if level < 0:
            return [(int(p["when"]), int(p["room"])) for p in v.leaf[node, : v.held[node]]]
        points = []
        for entry in v.node[node, : v.used[node]]:
            inside = [(when, room + int(entry["shift"])) for when, room in below(int(entry["child"]), level - 1)]
            assert entry["since"] == inside[0][0]
            assert entry["least"] == min(room for _, room in inside)
            assert entry["most"] == max(room for _, room in inside)
            points += inside
        return points

    assert v.state[vacancy.HEIGHT] >= 2
    points = below(int(v.state[vacancy.ROOT]), int(v.state[vacancy.HEIGHT]) - 1)
    when = np.array([t for t, _ in points])
    assert (np.diff(when) > 0).all()
    rows = np.array(list(free))
    start = np.array(list(free.values()))
    change = np.zeros(when.size, np.int64)
    np.add.at(change, np.searchsorted(when, start), -w.width[rows])
    np.add.at(change, np.searchsorted(when, start + w.run[rows]), w.width[rows])
    assert [room for _, room in points] == (w.capacity + np.cumsum(change)).tolist()
