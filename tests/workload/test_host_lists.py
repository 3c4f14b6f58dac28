"""Lists of hosts are expanded, made, and put in Slurm's order."""

import random

import pytest

from paretosched import InputError
from paretosched.workload.host_lists import host_list, name_order, node_names


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["n1"], "n1"),
        (["n1", "n2", "n3", "n7", "b01"], "n[1-3,7],b01"),
        (["n08", "n09", "n10"], "n[08-10]"),
        (["n9", "n10", "n011"], "n[9-10,011]"),
        (["r1-n1-ib", "r1-n2-ib", "r2-n1-ib"], "r1-n[1-2]-ib,r2-n1-ib"),
        (["n2", "n1"], "n[2,1]"),
        (["n99999999999999999", "x"], "n99999999999999999,x"),
    ],
)
def test_a_list_and_its_names(names: list[str], text: str) -> None:
    assert host_list(names) == text
    assert list(node_names(text, "here")) == names


def test_any_names_come_back_in_their_order() -> None:
    rng = random.Random(5)
    for _ in range(200):
        heads = ["n", "g", "r1n", "host-", "x0"]
        names = [
            f"{rng.choice(heads)}{rng.randrange(20):0{rng.randint(1, 3)}d}{rng.choice(['', '-a'])}" for _ in range(20)
        ]
        assert list(node_names(host_list(names), "here")) == names


def test_numbers_in_names_count_as_numbers() -> None:
    assert sorted(["n10", "b2", "n2", "a1", "n1", "n01"], key=name_order) == ["a1", "b2", "n01", "n1", "n2", "n10"]


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(InputError, match=r'gpu: "n\[1-" must be a list of nodes such as n\[1-64\], but is not'):
        list(node_names("n[1-", "gpu"))
