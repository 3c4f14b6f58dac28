"""Greedy policies: what their arguments may be."""

import re
from typing import Any

import numpy as np
import pytest

from paretosched import InputError, greedy
from paretosched.policies.greedy_order import gene_names, upper_bounds
from support.zoo import constant

GENES = constant(2, 0.5, 2.5, 1, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criteria": ["f1"]}, "criteria must be one for each of weekend, day, night, but are ['f1']"),
        ({"criteria": ["f1", "f2", "f9"]}, 'criterion must be one of f1, f2, f3, f4, but is "f9"'),
        ({"backfill": "full"}, 'backfill must be one of none, easy, conservative, but is "full"'),
        ({"groups": ("1",)}, "genes must have shape (3, 2 x groups + 2), but have shape (3, 6) for 1 group"),
        ({"groups": ("1", "1")}, "groups must have different names, but are ['1', '1']"),
        ({"groups": ()}, "genes must have shape (3, 2 x groups + 2), but have shape (3, 6) for 0 groups"),
        (
            {"genes": np.transpose(GENES)},
            "genes must have shape (3, 2 x groups + 2), but have shape (6, 3) for 2 groups",
        ),
        ({"genes": [[1, 2], [3]]}, "genes must be a table of numbers, but are not"),
        ({"genes": "many"}, "genes must be a table of numbers, but are not"),
        ({"genes": [1j] * 18}, "genes must be a table of numbers, but are not"),
        ({"genes": [None] * 18}, "genes must be w, a, b in [0, 1] and K in [0, 5], but weekend w1 is nan, "),
        (
            {"genes": [2.0] * 18},
            "genes must be w, a, b in [0, 1] and K in [0, 5], but weekend w1 is 2, week",
        ),
    ],
)
def test_arguments_of_greedy(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"criteria": ["f1"] * 3, "genes": GENES, "groups": ("1", "2")}
    with pytest.raises(InputError, match="^" + re.escape(message)):
        greedy(**(good | arguments))


def test_genes_may_be_flat_and_are_copied_and_read_only() -> None:
    genes = np.array(GENES)
    p = greedy(["f2"] * 3, genes.ravel(), groups=("1", "2"))
    genes[:] = 0
    assert p.genes.tolist() == [list(row) for row in GENES]
    with pytest.raises(ValueError, match="read-only"):
        p.genes[0, 0] = 1


def test_names_and_bounds_of_genes() -> None:
    assert gene_names(5) == ["w1", "w2", "w3", "w4", "w5", "K1", "K2", "K3", "K4", "K5", "a", "b"]
    assert upper_bounds(5).tolist() == [1] * 5 + [5] * 5 + [1, 1]


def test_default_names() -> None:
    assert greedy(["f1", "f2", "f3"], GENES, groups=("1", "2"), backfill="easy").name == "Greedy f1/f2/f3 with EASY"
    assert greedy(["f2"] * 3, GENES, groups=("1", "2"), backfill="conservative").name == "Greedy f2 with CONS"
    assert greedy(["f2"] * 3, GENES, groups=("1", "2"), name="mine").name == "mine"
