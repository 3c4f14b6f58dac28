"""What is known of each job becomes a column of the program."""

from __future__ import annotations

import numpy as np
import pytest

from paretosched import InputError, Workload
from paretosched.policies.formula import Term, parse_formula
from paretosched.policies.formula_program import column_of, program_of
from paretosched.workload.log_names import Names

RECORDS = np.zeros((3, 18))
RECORDS[:, 12] = [5, 6, -1]  # groups of the log
RECORDS[:, 14] = [1, 1, 2]  # queues
RECORDS[:, 15] = [1, 2, 1]  # partitions
W = Workload(
    submit=[0, 1, 2],
    run=[1, 1, 1],
    estimate=[1, 1, 1],
    width=[1, 1, 1],
    capacity=1,
    user=[7, 8, 7],
    group=[1, 0, 2],
    groups=("a", "b", "c"),
    records=RECORDS,
    header=("Queue: 2 night",),
    names=Names(partitions={1: "cpu", 2: "gpu"}),
)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("b", [1, 0, 0]),
        ("nobody", [0, 0, 0]),
        ("user(7)", [1, 0, 1]),
        ("account(6)", [0, 1, 0]),
        ("queue(2)", [0, 0, 1]),
        ("queue(Night)", [0, 0, 1]),
        ("queue(night-2)", [0, 0, 0]),
        ("partition(3)", [0, 0, 0]),
        ("partition(gpu)", [0, 1, 0]),
        ("partition(GPU = -2.5, 3 = 7)", [0, -2.5, 0]),
        ("queue(night = 0.25, elsewhere = 9)", [0, 0, 0.25]),
    ],
)
def test_labels_are_1_for_their_jobs(text: str, column: list[int]) -> None:
    assert column_of(parse_formula(text, "largest").term, W).tolist() == column


@pytest.mark.parametrize(
    ("groups", "column"), [((), [2, 3, 1]), (("c",), [0, 0, 1]), (("c", "x", "a"), [0, 1, 3]), (("x",), [0, 0, 0])]
)
def test_the_first_group_counts_most(groups: tuple[str, ...], column: list[int]) -> None:
    assert column_of(Term("priority", labels=groups), W).tolist() == column


def test_equal_numbers_and_labels_are_stored_once() -> None:
    key = parse_formula("3 * b + 3 * c + b", "largest").key
    program = program_of([key, key, key], W)
    assert program.constants.tolist() == [3.0]
    assert program.columns.shape == (2, 3)
    assert program.begin.tolist() == [0, 9, 18, 27]


@pytest.mark.parametrize("text", ["account(1)", "queue(1)"])
def test_a_workload_that_is_no_log_has_no_accounts_and_queues(text: str) -> None:
    w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=1)
    with pytest.raises(
        InputError, match=r"of jobs, field .* of a log, is needed, but this workload does not come from a log"
    ):
        program_of([parse_formula(text, "largest").key] * 3, w)
