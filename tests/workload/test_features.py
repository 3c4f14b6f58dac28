"""The words behind --constraint are read as Slurm reads them."""

import pytest

from paretosched import InputError
from paretosched.workload.features import Constraint, read_constraint


def ways(text: str) -> list[list[str]]:
    return [sorted(way) for way in read_constraint(text).ways]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("ib", [["ib"]]),
        ("ib&v100", [["ib", "v100"]]),
        ("ib,v100", [["ib", "v100"]]),
        ("v100|p100", [["v100"], ["p100"]]),
        ("v100|p100&ib", [["ib", "v100"], ["ib", "p100"]]),  # from left to right, without precedence
        ("ib&(v100|p100)", [["ib", "v100"], ["ib", "p100"]]),
        (" CPU-Gold-6130 & x86.64 ", [["CPU-Gold-6130", "x86.64"]]),
    ],
)
def test_and_and_or(text: str, expected: list[list[str]]) -> None:
    assert ways(text) == expected


def test_a_node_suits_by_its_features() -> None:
    constraint = read_constraint("ib&(v100|p100)")
    assert constraint.suits({"ib", "p100", "new"})
    assert not constraint.suits({"ib"})
    assert Constraint().suits(())
    assert read_constraint("a*2&b*1").suits({"b"})


def test_alternatives_that_all_nodes_must_share_and_counts() -> None:
    assert read_constraint("[rack1|rack2]") == Constraint((frozenset({"rack1"}), frozenset({"rack2"})), True)
    assert read_constraint("[(knl&flat)*4&haswell*1]").counts == (
        (frozenset({"knl", "flat"}), 4),
        (frozenset({"haswell"}), 1),
    )


@pytest.mark.parametrize("text", ["a&", "&a", "(a", "a)", "[a|b)", "a b", "*2", "a*", "(" * 60 + "a" + ")" * 60])
def test_what_is_no_constraint_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must "):
        read_constraint(text)


def test_very_many_ways_are_refused() -> None:
    with pytest.raises(InputError, match="at most 1000 ways"):
        read_constraint("&".join(["(a|b|c|d)"] * 6))
