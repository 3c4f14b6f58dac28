import pytest

import paretosched as ps
from paretosched.workload.accounting import lives
from paretosched.workload.accounting.lives import LONGEST_NAME, UNKNOWN, Life, Numbering, Numberings, block_of


def test_names_are_numbered_as_they_come_and_no_name_is_unknown() -> None:
    numbering = Numbering()
    assert numbering.codes(["b", "", "a", "b", "(null)"]).tolist() == [1, UNKNOWN, 2, 1, UNKNOWN]
    assert numbering.codes(["c", "a"]).tolist() == [3, 2]
    assert numbering.by_number() == {1: "b", 2: "a", 3: "c"}


def test_names_that_cannot_be_in_a_file_are_found() -> None:
    numbering = Numbering()
    assert [*numbering.unfit(["a", "b\n", "c", "x" * 201])] == [1, 3]
    assert [*numbering.unfit(["a", "Zoë"])] == []


def test_rows_become_columns() -> None:
    block = block_of([Life(1, 7, 10, 20, 5, 2, user="a"), Life(2, 8, 11, 21, 6, 3, user="b", limit=9)])
    assert (block.line.tolist(), block.job.tolist(), block.limit.tolist()) == ([1, 2], [7, 8], [0, 9])
    assert (block.user, block.eligible.tolist(), block.part_of.tolist()) == (["a", "b"], [UNKNOWN] * 2, [0, 0])


def test_more_names_than_any_machine_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "MOST_NAMES", 2)
    numbering = Numbering()
    numbering.meet(["a", "b", "a"], "x:1")
    with pytest.raises(ps.InputError, match="x:2: there are more than 2 different users, accounts, queues or partit"):
        numbering.meet(["c"], "x:2")


def test_of_names_that_are_too_long_a_part_is_remembered_and_of_long_lists_each_name() -> None:
    numberings = Numberings()
    numberings.user.meet((f"{number:04}{'u' * 90_000}" for number in range(300)), "x:1")
    numberings.partition.meet([f"main,debug,{'q' * 500},{','.join(f'p{number}' for number in range(100))}"], "x:1")
    names = numberings.names_met
    assert {f"{299:04}{'u' * 196}", "main", "debug", "q" * 200, "p0", "p99"} <= names
    assert len(names) == 300 + 3 + 100
    assert max(map(len, names)) == LONGEST_NAME
