"""More nodes of a kind: named on, in the same partitions, at the same switch."""

import pytest

from paretosched import Machine, NodeKind, Outage, Partition
from paretosched.core.errors import InputError
from paretosched.workload.more_nodes import last_nodes, nodes_like, with_more_nodes, with_moved_nodes, without_nodes

MACHINE = Machine(
    (NodeKind("n[08-09]", 4, 8000), NodeKind("head", 8, 16000, {"a100": 2}), NodeKind("n10", 8, 8000)),
    (Partition("all", "ALL"), Partition("some", "n08,head"), Partition("last", "n09")),
    down=(Outage("n09"),),
    switches={"left": "n[08-09]", "right": "head,n10"},
)


def test_new_nodes_are_where_the_named_one_is() -> None:
    more = with_more_nodes(MACHINE, "n09", 2)
    assert set(more.names) - set(MACHINE.names) == {"n11", "n12"}  # n10 is there already
    assert [kind.count for kind in more.kinds] == [4, 1, 1]
    assert more.members.sum(axis=1).tolist() == [6, 2, 3]
    assert more.switches == (("left", "n[08-09,11-12]"), ("right", "head,n10"))
    assert more.down == MACHINE.down


def test_a_name_without_a_number_gets_one() -> None:
    more = with_more_nodes(MACHINE, "head", 1)
    assert more.gpus.sum() == 4
    assert "head2" in more.names
    assert more.members.sum(axis=1).tolist() == [5, 3, 1]
    assert dict(more.switches)["right"] == "head,n10,head2"


def test_nodes_that_are_away_keep_their_places() -> None:
    fewer = without_nodes(MACHINE, "head,n08")
    assert (fewer.names, fewer.capacity, fewer.partitions) == (MACHINE.names, MACHINE.capacity, MACHINE.partitions)
    assert [name for name, up in zip(fewer.names, fewer.up, strict=True) if up] == ["n10"]


@pytest.mark.parametrize(("leaves", "joins"), [("all", "some"), ("all", "last"), ("", "last"), ("last", "some")])
@pytest.mark.parametrize("hosts", ["n09", "n10,n08", "head,n[08-09]"])
def test_nodes_in_other_partitions_are_sets(hosts: str, leaves: str, joins: str) -> None:
    """Against sets of names: the nodes are taken out of one and put into the other."""
    of_part = {"all": {"n08", "n09", "n10", "head"}, "some": {"n08", "head"}, "last": {"n09"}}
    nodes = {"n09": {"n09"}, "n10,n08": {"n08", "n10"}, "head,n[08-09]": {"n08", "n09", "head"}}[hosts]
    expected = dict(of_part)
    if leaves:
        expected[leaves] = expected[leaves] - nodes
    expected[joins] = expected[joins] | nodes
    if leaves and (not nodes <= of_part[leaves] or not expected[leaves]):
        with pytest.raises(InputError, match=r"all nodes must be in partition last|no node would be left in partition"):
            with_moved_nodes(MACHINE, hosts, leaves, joins)
        return
    if not leaves and nodes <= of_part[joins]:
        with pytest.raises(InputError, match="in partition last already"):
            with_moved_nodes(MACHINE, hosts, leaves, joins)
        return
    moved = with_moved_nodes(MACHINE, hosts, leaves, joins)
    found = {part.name: {moved.names[k] for k in moved.places(part.hosts)} for part in moved.partitions}
    assert found == expected
    assert (moved.kinds, moved.down, moved.switches) == (MACHINE.kinds, MACHINE.down, MACHINE.switches)


def test_words_mean_nodes_that_are_up() -> None:
    assert [MACHINE.names[place] for place in nodes_like(MACHINE, "cpu")] == ["n08"]  # n09 is down, n10 comes later
    assert last_nodes(MACHINE, "gpu", 1) == "head"
    assert last_nodes(MACHINE, "some", 1) == "n08"  # one of each kind: the first kind
