"""The shortest waiting job of each width against a look at all waiting jobs."""

from functools import partial

import numpy as np
import pytest

from paretosched.core.arrays import Ints
from paretosched.kernels import waiting_widths
from paretosched.kernels.waiting_sizes import LONGEST, NO_JOB
from paretosched.kernels.waiting_tree import FAR, WIDTH, lift, lower, open_smallest
from paretosched.kernels.waiting_widths import (
    BITS,
    BLOCK,
    MOST,
    Widths,
    enter_widths,
    first_by_widths,
    leave_widths,
    no_widths,
    set_up_widths,
)

LEVEL = 11
SIZE = 1 << (LEVEL + 1)  # only the lower half of the tree is used
TOP = SIZE >> LEVEL


def first_of(least: Ints, free: int, extra: int, limit: int) -> int:
    """Return the first slot whose job could start, by a look at all of them."""
    width, estimate = least[SIZE : SIZE + (1 << LEVEL)].T
    found = np.flatnonzero((width <= free) & ((width <= extra) | (estimate <= limit)))
    return int(found[0]) if found.size else -1


def check_rows(widths: Widths, least: Ints, exact: bool) -> None:
    """Compare the rows with all waiting jobs; `exact` says that each width has a column."""
    count = int(widths.columns[0])
    edges = widths.edges[:count]
    assert (np.diff(edges) > 0).all()
    assert edges[0] == 1
    expected = np.full((2 * SIZE >> BITS, count), NO_JOB)
    for slot in np.flatnonzero(least[SIZE : SIZE + (1 << LEVEL), WIDTH] < FAR):
        width, estimate = least[SIZE + slot]
        k = int(np.searchsorted(edges, width, side="right")) - 1
        assert not exact or edges[k] == width
        node = (SIZE + slot) >> BITS
        expected[node, k] = min(expected[node, k], min(estimate, LONGEST))
    for node in range((SIZE >> BITS) - 1, 0, -1):
        expected[node] = np.minimum(expected[2 * node], expected[2 * node + 1])
    used = [node for b in range(LEVEL - BITS + 1) for node in range(TOP << b, (TOP << b) + (1 << b))]
    assert (widths.shortest[used, :count] == expected[used]).all()


@pytest.mark.parametrize("capacity", [3, 64, 1024, 10**6])
@pytest.mark.parametrize("early", [20, 1500])  # jobs that wait when the rows are set up
def test_a_search_finds_the_first_job_that_a_look_at_all_finds(capacity: int, early: int) -> None:
    rng = np.random.default_rng([capacity, early])
    least = np.empty((2 * SIZE, 2), np.int64)
    for level in range(LEVEL + 1):
        open_smallest(least, SIZE, level)
    widths = no_widths(SIZE, capacity)
    # Narrow jobs are long and wide jobs are short, but for some.
    width = np.ceil(capacity ** rng.random(1 << LEVEL)).astype(np.int64)
    estimate = np.ceil(10**6 / width ** rng.normal(1, 0.1, width.size)).astype(np.int64)
    estimate[rng.random(width.size) < 0.02] = 2**40  # longer than the rows can say
    waiting: list[int] = []
    results = []
    for slot in range(1 << LEVEL):
        lower(least, SIZE + slot, TOP, width[slot], estimate[slot])
        waiting.append(slot)
        if slot == early - 1:
            set_up_widths(widths, least, LEVEL, SIZE)
        elif slot >= early:
            enter_widths(widths, SIZE + slot, TOP, SIZE, width[slot], estimate[slot])
        if rng.random() < 0.6:
            gone = waiting.pop(int(rng.integers(len(waiting))))
            lift(least, SIZE + gone, TOP)
            if widths.columns[0] > 0:
                leave_widths(widths, least, SIZE + gone, TOP, width[gone], estimate[gone])
        if slot < early:
            continue
        for _ in range(3):
            free = int(np.ceil(capacity ** rng.random()))
            extra = int(rng.integers(0, free + 2)) if rng.random() < 0.2 else 0
            limit = int(10**6 / free * rng.choice([0.2, 0.5, 1, 2, 10**9]))
            slot_of = first_by_widths(widths, least, TOP, SIZE, free, extra, limit)
            assert slot_of == first_of(least, free, extra, limit)
            results.append(slot_of)
        if slot % 100 == 0:
            check_rows(widths, least, exact=False)
    assert -1 in results
    assert len(set(results)) > 6
    set_up_widths(widths, least, LEVEL, SIZE)
    check_rows(widths, least, exact=capacity <= MOST)


class Counted(np.ndarray):  # type: ignore[type-arg]
    """An array that counts how many of its numbers are read."""

    reads = 0

    def __getitem__(self, index: object) -> object:
        Counted.reads += 1
        return super().__getitem__(index)  # type: ignore[index]


def test_a_search_goes_straight_to_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """The narrowest job of each block is long, and its shortest job is wide; only one is narrow and short."""
    least = np.empty((2 * SIZE, 2), np.int64)
    for level in range(LEVEL + 1):
        open_smallest(least, SIZE, level)
    last = (1 << LEVEL) - 1
    for slot in range(last):
        odd = slot % 2
        lower(least, SIZE + slot, TOP, 50 + slot % 9 if odd else 1 + slot % 9, 10 if odd else 1000)
    lower(least, SIZE + last, TOP, 12, 20)
    widths = no_widths(SIZE, 100)
    set_up_widths(widths, least, LEVEL, SIZE)

    in_columns = waiting_widths._first_in_columns
    monkeypatch.setattr(waiting_widths, "_first_in_columns", in_columns.py_func)

    def search(free: int, extra: int, limit: int) -> tuple[int, int]:
        """Return the slot, and how many numbers of the tree of the smallest were read."""
        Counted.reads = 0
        slot = first_by_widths.py_func(widths, least.view(Counted), TOP, SIZE, free, extra, limit)
        return slot, Counted.reads

    assert search(11, 0, 20) == (-1, 2)
    assert search(12, 0, 19) == (-1, 2)
    slot, reads = search(12, 0, 20)
    assert slot == last
    assert reads <= 2 * (2 * (LEVEL - BITS) + 2 * BLOCK)
    slot, reads = search(12, 1, 19)
    assert slot == 0
    assert reads == LEVEL + 1


def test_a_list_is_only_looked_at_if_widths_share_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """Widths 40 to 42 share a column, as they came after the rows were set up; it is of use between them only."""
    least = np.empty((2 * SIZE, 2), np.int64)
    for level in range(LEVEL + 1):
        open_smallest(least, SIZE, level)
    lower(least, SIZE, TOP, 40, 1000)
    widths = no_widths(SIZE, 100)
    set_up_widths(widths, least, LEVEL, SIZE)
    for slot, width, estimate in ((1, 42, 7), (2, 41, 9), (3, 41, 5), (300, 40, 8), (301, 60, 1), (310, 41, 9)):
        lower(least, SIZE + slot, TOP, width, estimate)
        enter_widths(widths, SIZE + slot, TOP, SIZE, width, estimate)
    calls: list[str] = []
    functions = {"columns": waiting_widths._first_in_columns, "list": waiting_widths._first_in_list}

    def note(kind: str, *arguments: object) -> object:
        calls.append("list" if kind == "list" else f"{arguments[4]}")
        return functions[kind](*arguments)

    for kind in functions:
        monkeypatch.setattr(waiting_widths, f"_first_in_{kind}", partial(note, kind))

    def search(free: int, limit: int) -> tuple[int, str]:
        """Return the slot, in how many columns it was searched, and whether in a list."""
        calls.clear()
        return first_by_widths.py_func(widths, least, TOP, SIZE, free, 0, limit), " ".join(calls)

    assert widths.edges[: widths.columns[0]].tolist() == [1, 40]
    assert search(39, 100) == (-1, "1")
    assert search(41, 9) == (2, "1 list")
    assert search(41, 5) == (3, "1 list")
    assert search(40, 8) == (300, "1 list")
    assert search(41, 4) == (-1, "1 list")
    assert search(41, 0) == (-1, "2")
    assert search(60, 7) == (1, "2")
    for slot in (2, 310, 1):  # among them the last one of the list
        width, estimate = least[SIZE + slot]
        lift(least, SIZE + slot, TOP)
        leave_widths(widths, least, SIZE + slot, TOP, width, estimate)
    assert search(59, 4) == (-1, "1 list")
    lower(least, SIZE + 320, TOP, 55, 2)
    enter_widths(widths, SIZE + 320, TOP, SIZE, 55, 2)
    assert search(55, 4) == (320, "1 list")
    order = [int(widths.head[1])]
    while widths.behind[order[-1]] >= 0:
        order.append(int(widths.behind[order[-1]]))
    assert order == [0, 3, 300, 301, 320]


def test_no_estimate_is_too_long_and_no_limit_too_late() -> None:
    least = np.empty((2 * SIZE, 2), np.int64)
    for level in range(LEVEL + 1):
        open_smallest(least, SIZE, level)
    lower(least, SIZE + 3, TOP, 5, 2**40)
    lower(least, SIZE + 300, TOP, 6, 2**50)
    widths = no_widths(SIZE, 100)
    set_up_widths(widths, least, LEVEL, SIZE)
    for limit in (LONGEST - 1, LONGEST, LONGEST + 1, 2**40 - 1, 2**40, 2**51):
        assert first_by_widths(widths, least, TOP, SIZE, 9, 0, limit) == (3 if limit >= 2**40 else -1)
