"""Published orders have the keys and the orders that were worked out by hand from the papers' formulas."""

import math

import pytest

import paretosched as ps
from paretosched import InputError, Workload
from paretosched.policies.published_orders import PUBLISHED, job_order
from support.formulas import naive_key

# In second 100 the waits are 100, 90, 60, 36 and 0 s.
W = Workload(
    submit=[0, 10, 40, 64, 100],
    run=[1] * 5,
    estimate=[100, 10, 100, 1000, 10],
    width=[1, 4, 100, 1, 8],
    capacity=100,
    group=[0, 1, 0, 2, 1],
    groups=("a", "b", "c"),
)
KEYS = {
    "fcfs": [0, -10, -40, -64, -100],
    "sjf": [-100, -10, -100, -1000, -10],
    "saf": [-100, -40, -10000, -1000, -80],
    "lxf": [2, 10, 1.6, 1.036, 1],  # (100 + 100) / 100, (90 + 10) / 10, (60 + 100) / 100, (36 + 1000) / 1000, 10 / 10
    "wfp3": [1, 2916, 21.6, 0.036**3, 0],  # 1^3 1, 9^3 4, 0.6^3 100, 0.036^3 1, 0
    "unicef": [math.inf, 4.5, 60 / (math.log2(100) * 100), math.inf, 0],  # log2(4) = 2: 90 / 20
    "learned-f1": [-2, -874, -(200 + 870 * math.log10(40)), -(3 + 870 * math.log10(64)), -1748],
    "learned-f2": [-10, -(math.sqrt(10) * 4 + 25600), -1000 - 25600 * math.log10(40), None, None],
    "learned-f3": [-100, -6860040, -(10000 + 6860000 * math.log10(40)), None, -13720080],
    "learned-f4": [-100, -530020, -(1000 + 530000 * math.log10(40)), None, None],
    "priority": [3, 2, 3, 1, 2],
}
ORDERS = {
    "fcfs": [0, 1, 2, 3, 4],
    "sjf": [1, 4, 0, 2, 3],
    "saf": [1, 4, 0, 3, 2],
    "lxf": [1, 0, 2, 3, 4],
    "wfp3": [1, 2, 0, 3, 4],
    "unicef": [0, 3, 1, 2, 4],
    "learned-f1": [0, 1, 3, 2, 4],
    "learned-f2": [0, 1, 2, 3, 4],
    "learned-f3": [0, 1, 2, 3, 4],
    "learned-f4": [0, 1, 2, 3, 4],
    "priority": [0, 2, 1, 4, 3],
    "priority:c,b": [3, 1, 4, 0, 2],
}


def keys(text: str) -> list[float]:
    """Return the keys of all jobs in second 100."""
    key = job_order(text, "largest", "order").formula.key
    return [naive_key(key, W, j, 100) for j in range(len(W))]


def test_every_published_order_has_a_case() -> None:
    assert KEYS.keys() == PUBLISHED.keys()


@pytest.mark.parametrize("name", KEYS)
def test_keys_by_hand(name: str) -> None:
    for key, by_hand in zip(keys(name), KEYS[name], strict=True):
        if by_hand is not None:
            assert key == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("name", ORDERS)
def test_orders_by_hand(name: str) -> None:
    values = keys(name)
    assert sorted(range(len(W)), key=lambda j: (-values[j], j)) == ORDERS[name]


STARTED = {name: ORDERS[name] for name in ("fcfs", "sjf", "priority", "priority:c,b")}  # these do not depend on widths
STARTED["lxf"] = [1, 0, 2, 4, 3]  # in second 103 jobs 4 and 3 have (3 + 10) / 10 and (39 + 1000) / 1000


@pytest.mark.parametrize("name", STARTED)
def test_jobs_start_in_the_order_by_hand(name: str) -> None:
    """A first job needs the whole machine up to second 100; then the others do, one after the other."""
    w = Workload(
        submit=[0, *W.submit.tolist()],
        run=[100, *W.run.tolist()],
        estimate=[100, *W.estimate.tolist()],
        width=[100] * 6,
        capacity=100,
        group=[0, *W.group.tolist()],
        groups=W.groups,
    )
    start = ps.simulate(w, f"order: {name}").start[1:].tolist()
    assert sorted(range(5), key=start.__getitem__) == STARTED[name]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sfj", 'did you mean sjf? (for a group of this name write group("sfj"))'),
        ("easy", 'character 1, "easy": is a backfilling and no order; write an order and "backfill: easy"'),
        ("priority:1,1", 'character 12, "1": must come once, but comes again'),
        ("priority:", "character 10, the end: there must be a name or a number from 0 on"),
        ("largest sjf", 'character 9, "sjf": sjf is an order, which says itself which job comes first; write it alone'),
        ("smallest WFP3", 'character 10, "WFP3": WFP3 is an order, which says itself which job comes first'),
        ("sjf saf", 'character 5, "saf": there must be an operator or the end'),
    ],
)
def test_what_is_no_order_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        job_order(text, "largest", "order")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "same"), [("lxf", "wait / estimate"), ("wfp3", "wait / estimate * width^(1/3)"), ("saf", "1 / area")]
)
def test_formulas_of_the_same_order(name: str, same: str) -> None:
    values = keys(same)
    assert sorted(range(len(W)), key=lambda j: (-values[j], j)) == ORDERS[name]


def test_a_direction_is_written_where_it_is_not_the_default() -> None:
    for direction, text in (("largest", "smallest width"), ("smallest", "width")):
        assert job_order("smallest width", "largest", "order").words(direction) == text
    assert job_order("SJF", "largest", "order").words("largest") == "sjf"
