import pytest

import paretosched as ps
from paretosched.workload.accounting.lives import Life, Numberings, block_of
from paretosched.workload.accounting.sifting import sift
from paretosched.workload.accounting.tally import Tally


def test_each_rule_is_counted_and_dropped_jobs_bring_no_names() -> None:
    lives = [
        Life(1, 1, 100, 110, 5, 2, user="a"),
        Life(2, 2, 100, 110, 0, 2, user="b"),
        Life(3, 3, 100, 110, 5, 0, user="b"),
        Life(4, 4, -1, 110, 5, 2, user="b"),
        Life(5, 5, 120, 110, 5, 2, user="c"),
        Life(6, 6, 100, 110, 5, 2, eligible=115, user="a"),
        Life(7, 7, 100, -1, 5, 2, eligible=105, user="a"),
    ]
    numberings, tally = Numberings(), Tally()
    rows = sift(block_of(lives), None, numberings, tally, "here").lives
    assert rows["job"].tolist() == [1, 5, 6, 7]
    assert rows["submit"].tolist() == [100, 110, 100, 100]
    assert rows["eligible"].tolist() == [100, 110, 110, 105]
    assert rows["user"].tolist() == [1, 2, 1, 1]
    assert numberings.user.by_number() == {1: "a", 2: "c"}
    assert numberings.user.names_met == {"a", "b", "c"}
    assert [(count.action, count.jobs, count.work) for count in tally.counts()] == [
        ("dropped", 1, 0), ("dropped", 1, 0), ("dropped", 1, 10), ("changed", 1, 10), ("changed", 1, 10),
    ]  # fmt: skip


def test_a_name_that_cannot_be_in_a_file_is_refused_with_its_line() -> None:
    block = block_of([Life(8, 1, 1, 2, 3, 4), Life(9, 1, 1, 2, 3, 4, queue="a\x1b[2J")])
    with pytest.raises(ps.InputError, match=r'^here:9: the name of a user, .*, but is "a\\u001b\[2J"$'):
        sift(block, None, Numberings(), Tally(), "here")
