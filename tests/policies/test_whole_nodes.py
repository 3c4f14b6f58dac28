"""Nodes of a policy: their bounds, the machines that have them, words and files, and what is simulated where."""

import json
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched import InputError
from paretosched.policies.priority_text import priority_text
from paretosched.policies.whole_nodes import WholeNodes, node_words

EASY = "order: fcfs; backfill: easy"
NODES = "nodes: 6 of 16, 4 of 8"
ALL_WORDS = f"{EASY}; {NODES}; passes: every 1min window 2h step 1s tested 9 first 7"


def test_a_machine_has_the_nodes_if_it_has_as_many_processors_or_as_many_nodes() -> None:
    nodes = WholeNodes(((2, 4), (1, 8)))
    assert (nodes.count, nodes.cpus) == (3, 16)
    both = [nodes.of_machine(16), nodes.of_machine(3)]
    assert [one and one.cpus.tolist() for one in both] == [[4, 4, 8], [1, 1, 1]]
    assert nodes.of_machine(15) is None


@pytest.mark.parametrize(
    ("kinds", "settings", "rule"),
    [
        (((1, 2, 3),), {}, "nodes must be pairs of how many nodes and how many processors each has"),
        (((0, 4),), {}, "nodes must be in 1..1000000, but is 0"),
        (((1, 0),), {}, "cpus must be in 1..2147483647, but is 0"),
        (
            ((1000, 2**31 - 1),),
            {},
            r"nodes must be at most 1,000,000 with 2,147,483,647 processors, but are 1,000 with",
        ),
        (((1, 4),), {"every": 0}, "every must be in 1.."),
        (((1, 4),), {"tested": 1.5}, "tested must be a whole number"),
    ],
)
def test_nodes_and_passes_have_bounds(kinds: tuple[tuple[int, int], ...], settings: dict[str, int], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        WholeNodes(kinds, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [f"{EASY}; {NODES}", ALL_WORDS])
def test_words_and_files_have_all_of_it(text: str, tmp_path: Path) -> None:
    policy = ps.as_policy(text)
    assert isinstance(policy, ps.Priority)
    assert policy.nodes is not None
    assert priority_text(policy) == text
    ps.save_policy(policy, tmp_path / "p.json")
    again = ps.load_policy(tmp_path / "p.json")
    assert isinstance(again, ps.Priority)
    assert again.nodes == policy.nodes
    assert "nodes" not in json.loads(text_of(ps.as_policy(EASY), tmp_path))


def text_of(policy: ps.Policy, folder: Path) -> str:
    ps.save_policy(policy, folder / "other.json")
    return (folder / "other.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"{EASY}; nodes: 3", 'there must be "of"'),
        (f"{EASY}; {NODES}; passes: every 3s every 4s", '"every": must come once, but comes again'),
        (f"{EASY}; {NODES}; passes: tested 4s", "must be a whole number from 1 to 2147483647 without a unit"),
        (
            f"{EASY}; {NODES}; slack: 3h",
            "nodes must go with a plain backfilling, such as easy or conservative, not slack",
        ),
        ("fcfs; backfill: easy for 1; nodes: 3 of 4", "not for"),
    ],
)
def test_words_that_break_a_rule_are_refused(text: str, rule: str) -> None:
    with pytest.raises(InputError) as error:
        ps.as_policy(text)
    assert rule in str(error.value)


def test_on_its_machine_nodes_are_reserved_and_on_others_processors() -> None:
    on_nodes = ps.as_policy(f"{EASY}; {NODES}")
    assert isinstance(on_nodes, ps.Priority)
    w = ps.lublin(400, 128, 7)
    assert ps.simulate(w, on_nodes).check().start.tolist() != ps.simulate(w, EASY).start.tolist()
    assert not any("processors are counted" in line for line in on_nodes.unknown_words(w))
    other = ps.lublin(400, 127, 7)
    assert ps.simulate(other, on_nodes).start.tolist() == ps.simulate(other, EASY).start.tolist()
    assert on_nodes.unknown_words(other) == [
        f"the nodes of the policy have 128 processors, and the machine of {other.name} has 127: "
        "processors are counted, not nodes, unless it is --capacity 128"
    ]


def test_predicted_run_times_and_long_requests_are_said() -> None:
    on_nodes = ps.as_policy(f"{EASY}; {NODES}")
    assert isinstance(on_nodes, ps.Priority)
    w = ps.lublin(400, 128, 7)
    assert on_nodes.unknown_words(w, "recent") == ["run times are predicted: processors are counted, not nodes"]
    short = ps.as_policy(f"{EASY}; {NODES}; passes: window 1h")
    assert isinstance(short, ps.Priority)
    longer = int((w.estimate > 3600).sum())
    assert short.unknown_words(w) == [
        f"{longer} of 400 jobs with requests of more than 1h, how far ahead reservations are: who must wait "
        "for their ends has none until then, and others may come before"
    ]
    strict = ps.as_policy(f"order: fcfs; backfill: none; {NODES}; passes: window 1h")
    assert isinstance(strict, ps.Priority)
    assert strict.unknown_words(w, "recent") == short.unknown_words(w, "exact") == []


def test_one_node_of_all_processors_is_easy_but_for_the_passes() -> None:
    """With as many reservations as jobs, nothing runs on the one node beside a reserved job."""
    w = ps.lublin(300, 64, 3)
    alone = ps.simulate(w, "order: fcfs; backfill: none; nodes: 1 of 64").start
    assert alone.tolist() == ps.simulate(w, "fcfs").start.tolist()
    begun = (
        ps.simulate(w, "order: fcfs; backfill: conservative; nodes: 1 of 64; passes: every 1s step 1s").check().start
    )
    assert np.sum(begun) < np.sum(alone)


def test_an_explanation_has_nodes_and_passes() -> None:
    said = node_words(WholeNodes(((10, 26), (2, 4))), True)
    assert said.startswith(
        "On a machine of 12 nodes, 10 with 26 and 2 with 4 processors, reservations are for whole nodes"
    )
    assert "every 30s the first 500 are backfilled" in said
    assert node_words(WholeNodes(((1, 1),)), True).startswith("On a machine of 1 node with 1 processor, reser")
    alike = node_words(WholeNodes(((10, 26),)), False)
    assert alike.startswith("On a machine of 10 nodes with 26 processors each, at each arrival")
    assert "all that fit do" in alike
