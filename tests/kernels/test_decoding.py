"""The two decodings of an order of all jobs against their oracles, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.policies.decoded_orders import DECODINGS
from paretosched.workload.workload import WIDEST
from support import naive
from support.decoding import GAP, ORDERS, orders, starts, thoroughly
from support.zoo import ZOO, jobs, random_jobs, workloads

ORACLES = {"strict": naive.strict, "earliest": naive.earliest}


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


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, decoding: str) -> None:
    w = ZOO[name]
    for order, rows in orders(len(w)).items():
        assert starts(w, rows, decoding) == ORACLES[decoding](w, rows.tolist()), order


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=20))
def test_equals_the_oracle_on_any_workload(decoding: str, data: st.DataObject, w: Workload) -> None:
    order = data.draw(st.permutations(range(len(w))))
    assert starts(w, order, decoding) == ORACLES[decoding](w, order)


# Enough jobs with different times that leaves of the profile are split and queues are deep.
DEEP = {
    "light": lambda seed: random_jobs(seed, 200, 64, gap=30, run=60),
    "heavy": lambda seed: random_jobs(seed, 200, 64, gap=2, run=60),
    "all at once": lambda seed: random_jobs(seed, 200, 32, gap=0, run=5000),
    "long and short": lambda seed: _long_and_short(seed, 300),
}


def _long_and_short(seed: int, n: int) -> Workload:
    rng = np.random.default_rng(seed)
    return jobs(
        200,
        *((int(s), *[5000 if s % 9 == 0 else 1 + int(s) % 40] * 2, 1 + int(s) % 3) for s in rng.integers(0, 6 * n, n)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("decoding", DECODINGS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str, order: str, decoding: str) -> None:
    w = DEEP[kind](5)
    rows = orders(len(w))[order]
    assert starts(w, rows, decoding) == ORACLES[decoding](w, rows.tolist())
