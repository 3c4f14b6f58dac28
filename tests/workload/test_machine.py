"""A machine of nodes is checked once, and has its nodes as arrays."""

import pickle
from dataclasses import replace
from typing import Any

import pytest

from paretosched import InputError, Machine, NodeKind, Outage, Partition
from paretosched.workload import machine as machines
from paretosched.workload.limits import Limits
from paretosched.workload.machine import FOR_EVER, Reservation

SMALL = NodeKind("n[1-3]", 4, 8000, features=("ib",), weight=2)
GPU = NodeKind("g1,b2", 8, 16000, {"v100": 2, "a100": 1}, threads=2, features=("ib", "new"))
MACHINE = Machine((SMALL, GPU), (Partition("cpu", "n[1-3],b2", tier=3), Partition("gpu", "g1,b2", default=True)))


def test_arrays_are_in_the_order_of_names() -> None:
    assert MACHINE.names == ("b2", "g1", "n1", "n2", "n3")
    assert MACHINE.kind.tolist() == [1, 1, 0, 0, 0]
    assert MACHINE.cores.tolist() == [8, 8, 4, 4, 4]
    assert MACHINE.cpus.tolist() == [16, 16, 4, 4, 4]
    assert MACHINE.memory.tolist() == [16000, 16000, 8000, 8000, 8000]
    assert MACHINE.weight.tolist() == [1, 1, 2, 2, 2]
    assert (MACHINE.gpu_types, MACHINE.gpus.tolist()[:3]) == (("a100", "v100"), [[1, 2], [1, 2], [0, 0]])
    assert MACHINE.members.tolist() == [[True, False, True, True, True], [True, True, False, False, False]]
    assert MACHINE.capacity == 44
    for array in (MACHINE.kind, MACHINE.cpus, MACHINE.gpus, MACHINE.members):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_copy_from_a_pickle_is_equal_and_read_only() -> None:
    assert MACHINE.digest
    copy = pickle.loads(pickle.dumps(MACHINE))
    assert copy == MACHINE
    assert copy.digest == MACHINE.digest
    assert not copy.cpus.flags.writeable


def test_partitions_of_a_request() -> None:
    assert MACHINE.default.name == "gpu"
    assert MACHINE.partitions_of("") == [1]
    assert MACHINE.partitions_of("gpu,cpu,other") == [0, 1]  # the higher tier first
    assert Machine((SMALL,)).partitions == (Partition("all", default=True),)


def test_down_times_in_seconds_of_a_log() -> None:
    down = (Outage("n[1-2]", 1000, 2000), Outage("g1"), Outage("n3", 0, 900))
    machine = replace(MACHINE, down=down)
    node, begin, end = machine.down_by_node(1100)
    assert (node.tolist(), begin.tolist(), end.tolist()) == ([1, 2, 3], [0, 0, 0], [FOR_EVER, 900, 900])
    assert machine.always_down.down == (Outage("g1"),)
    assert machine.digest != MACHINE.digest


LIMITED = replace(
    MACHINE,
    limits=(Limits("a", "", "", "", {"MaxJobsPU": 8, "MaxTRES": {"cpu": 4}}),),
    accounts={"sea": "bio", "bio": "root"},
    reservations=(Reservation("r", "n1", 1000, 2000, flags=("MAINT",)),),
)


def test_limits_and_reservations_are_part_of_a_machine_and_can_be_taken_out() -> None:
    copy = pickle.loads(pickle.dumps(LIMITED))
    assert copy == LIMITED
    assert hash(copy) == hash(LIMITED)
    assert copy.digest == LIMITED.digest
    assert LIMITED.accounts == (("sea", "bio"), ("bio", "root"))
    assert LIMITED.without("limits", "reservations") == LIMITED.without("limits").without("reservations") == MACHINE
    assert LIMITED.without("limits").reservations == LIMITED.reservations
    assert LIMITED.without("reservations").limits == LIMITED.limits
    digests = {each.digest for each in (LIMITED, MACHINE, LIMITED.without("limits"), LIMITED.without("reservations"))}
    assert len(digests) == 4
    assert LIMITED.always_down.reservations == ()
    with pytest.raises(InputError, match=r"what a machine can be without must be one of limits, reservations"):
        LIMITED.without("nodes")


def test_machines_without_limits_keep_the_digest_that_they_always_had() -> None:
    assert MACHINE.digest == "99dbd8c12065774f1ae338633c17635b8f5a12a80c19be385bb1fdd868ac163f"


def test_the_digest_is_that_of_what_is_simulated() -> None:
    assert replace(MACHINE, name="x", guessed=("y",)).digest == MACHINE.digest
    assert replace(MACHINE, choice="first").digest != MACHINE.digest
    assert replace(MACHINE, switches={"s": MACHINE.names[0]}).digest != MACHINE.digest


def test_nodes_without_a_switch_are_one_more_leaf() -> None:
    machine = Machine((NodeKind("n[1-4]", 1, 1),), switches={"b": "n3", "a": "n[1-2]"})
    assert machine.leaf.tolist() == [1, 1, 0, 2]
    assert Machine((NodeKind("n[1-4]", 1, 1),)).leaf.tolist() == [0] * 4


@pytest.mark.parametrize(
    ("bound", "most", "words"),
    [
        ("MOST_PLACES", 9, "partitions times nodes of a machine must be at most 9, but are 10"),
        ("MOST_PAIRS", 3, "partitions times kinds of a machine must be at most 3, but are 4"),
        ("MOST_LISTED", 5, "partitions must list at most 5 nodes, but list more"),
    ],
)
def test_partitions_are_not_more_than_memory_and_time_allow(
    bound: str, most: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, bound, most)
    with pytest.raises(InputError, match=words):
        replace(MACHINE)
    monkeypatch.setattr(machines, bound, most + 1)
    assert replace(MACHINE) == MACHINE


def test_lists_of_down_times_and_reservations_are_not_longer_than_memory_and_time_allow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machines, "MOST_LISTED", 8)
    kept = tuple(Reservation(f"r{k}", "ALL", 0, 5) for k in range(2))
    with pytest.raises(InputError, match="all lists of a reservation must have at most 8 nodes together"):
        replace(MACHINE, reservations=kept)
    with pytest.raises(InputError, match="all lists of a down time must have at most 8 nodes together"):
        replace(MACHINE, down=(Outage("ALL"), Outage("ALL")))
    assert replace(MACHINE, down=(Outage("ALL"),), reservations=kept[:1]).reservations == kept[:1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Machine(()), "a machine must have one kind of nodes or more, but has none"),
        (lambda: Machine((SMALL, NodeKind("n3", 1, 1))), 'a node must come once, but "n3" comes twice'),
        (lambda: Machine((SMALL,), (Partition("a", "n[1-4]"),)), "not there is n4"),
        (
            lambda: Machine((SMALL,), (Partition("a"), Partition("a"))),
            'a partition must come once, but "a" comes twice',
        ),
        (lambda: Machine((SMALL,), (Partition("a", default=True), Partition("b", default=True))), "one partition can"),
        (lambda: Machine((SMALL,), down=(Outage("n9"),)), "a down time: all nodes must be of the machine"),
        (lambda: Machine((SMALL,), switches={"s": "n9"}), 'switch "s": all nodes must be of the machine'),
        (lambda: Machine((SMALL,), switches=[("s", "n1"), ("t", "n[1-2]")]), "a node of a switch must come once"),
        (lambda: Machine((SMALL,), switches=[("s", "n1"), ("s", "n2")]), 'a switch must come once, but "s" comes'),
        (lambda: Machine((SMALL,), choice="any"), "choice must be one of cons_tres"),
        (lambda: NodeKind("", 1, 1), "there must be one node or more"),
        (lambda: NodeKind("n1", 0, 1), "cores must be in 1.."),
        (lambda: NodeKind("n1", 1, 1, {"v 100": 1}), "a type of GPUs must be a word"),
        (lambda: NodeKind("n 1", 1, 1), "a name of a node must be a word"),
        (lambda: Partition("a,b"), "the name of a partition must be a word"),
        (lambda: Partition("a", memory_per_cpu=1, memory_per_node=1), "but has both"),
        (lambda: Partition("a", longest=0), "longest must be in 1.."),
        (lambda: Outage("n1", 5, 5), "end must be in 6.."),
        (lambda: Reservation("r", "n1", 5, 5), 'reservation "r": end must be in 6..'),
        (lambda: Reservation("r s", "n1", 5, 6), "the name of a reservation must be a word"),
        (lambda: Reservation("r", "n1", 5, 6, users=("a b",)), 'reservation "r": users must be a word'),
        (
            lambda: replace(MACHINE, reservations=(Reservation("r", "n9", 5, 6),)),
            "a reservation: all nodes must be of the machine, but not there is n9",
        ),
        (
            lambda: replace(MACHINE, limits=[Limits("q", "", "", "", {}, (flag,)) for flag in "ab"]),
            'list of the limits of one must come once, but "QOS q" comes twice',
        ),
        (lambda: replace(MACHINE, accounts={"a": "b"}), 'must be in one that there is, but not there is "b"'),
        (lambda: replace(MACHINE, accounts={"a": "b", "b": "a"}), 'account "a" is in itself'),
        (lambda: replace(MACHINE, accounts=[("a", "root"), ("a", "root")]), "account must"),
        (lambda: replace(MACHINE, accounts={"root": "a"}), "account root is above all others"),
    ],
)
def test_what_breaks_a_rule_is_refused(make: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert words in str(error.value)
