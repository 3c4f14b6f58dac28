"""What is known of each job becomes a column of the program."""

import numpy as np
import pytest

from paretosched import InputError, Workload
from paretosched.policies.formula import Term, parse_formula
from paretosched.policies.formula_program import column_of, program_of
from paretosched.workload.log_names import Names
from support.machine_zoo import TWO_PARTITIONS

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


def test_the_charge_is_a_column_and_cores_and_limit_are_other_words() -> None:
    charge = parse_formula("charge / limit", "largest").term
    assert charge == parse_formula("charge / estimate", "largest").term
    assert parse_formula("Cores", "largest").term == Term("width")
    w = TWO_PARTITIONS
    asked = w.asked_amounts
    # 16 CPUs, 32000 MiB, 2 GPUs: one GPU weighs as much as eight CPUs
    by_hand = [
        max(c, 16 * m / 32000, 8 * g)
        for c, m, g in zip(asked.cpus.tolist(), asked.memory.tolist(), asked.gpus.tolist(), strict=True)
    ]
    assert column_of(Term("charge"), w).tolist() == pytest.approx(by_hand)
    assert by_hand[1] == 8
    one_pool = Workload(submit=[0, 1], run=[1, 1], estimate=[9, 9], width=[3, 2], capacity=4)
    assert column_of(Term("charge"), one_pool).tolist() == [3, 2]


def test_a_group_may_have_the_name_charge() -> None:
    assert parse_formula('group("charge")', "largest").term == Term("group", labels=("charge",))
