"""What jobs ask of nodes: columns that are checked once, and taken by rows."""

import pickle
from typing import Any

import pytest

from paretosched import InputError, Requests
from paretosched.workload.node_requests import NUMBERS, TEXTS, Texts


def some() -> Requests:
    return Requests(tasks=[4, 1, 2], nodes_least=[2, 1, 1], partition=["b", "", "a"], memory_per_node=[0, -1, 500])


def test_columns_have_usual_values_and_are_read_only() -> None:
    requests = some()
    assert len(requests) == 3
    assert requests.nodes_most.tolist() == [0, 0, 0]
    assert requests.cpus.tolist() == [4, 1, 2]
    assert requests.partition.list() == ["b", "", "a"]
    assert requests.constraint.list() == ["", "", ""]
    for key in NUMBERS:
        assert not getattr(requests, key).flags.writeable


def test_rows_are_taken_and_equal_rows_have_one_digest() -> None:
    requests = some()
    part = requests.take([2, 0])
    assert (part.tasks.tolist(), part.partition.list()) == ([2, 4], ["a", "b"])
    again = Requests(tasks=[2, 4], nodes_least=[1, 2], partition=["a", "b"], memory_per_node=[500, 0])
    assert part.digest == again.digest != requests.digest
    assert pickle.loads(pickle.dumps(part)).digest == part.digest


def test_every_column_is_in_the_digest() -> None:
    for key in (*NUMBERS, *TEXTS):
        value: Any = ["x"] if key in TEXTS else [1]
        other = Requests(**({"tasks": [1], "nodes_most": [1]} | {key: value if key != "tasks" else [2]}))
        if key not in ("nodes_least", "cpus_per_task", "nodes_most"):  # whose usual value is 1
            assert other.digest != Requests(tasks=[1], nodes_most=[1]).digest, key


def test_texts_that_no_job_has_are_left_out() -> None:
    assert Texts([1, 1], ("", "b", "a")).words == ("", "b")
    assert Texts([2, 1, 0], ("", "b", "a")).list() == ["a", "b", ""]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"tasks": [0]}, "tasks must be in 1..2147483647, but is not: row 0 has 0"),
        ({"tasks": [1, 2], "nodes_least": [1]}, "nodes_least must have one entry a job"),
        ({"tasks": [1], "nodes_least": [3], "nodes_most": [2]}, "nodes_most must be 0 or at least nodes_least"),
        ({"tasks": [1], "memory_per_node": [1], "memory_per_cpu": [1]}, "memory must be said per node or per CPU"),
        ({"tasks": [1.5]}, "tasks must be whole numbers"),
        ({"tasks": [1], "qos": ["a", "b"]}, "qos must have one entry a job, 1, but has 2"),
        ({"tasks": [1], "qos": ["a\nb"]}, "must be a text on one line"),
        ({"tasks": [1], "exclusive": [3]}, "exclusive must be in 0..2"),
    ],
)
def test_what_breaks_a_rule_is_refused(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        Requests(**columns)
    assert words in str(error.value)


def test_codes_must_have_words() -> None:
    with pytest.raises(InputError, match=r"texts must be places of 1 words, but are 0\.\.1"):
        Texts([0, 1])
