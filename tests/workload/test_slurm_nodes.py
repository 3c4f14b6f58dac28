"""Lists of nodes are expanded, and the CPUs of nodes and partitions counted."""

from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.workload import slurm_nodes
from paretosched.workload.host_lists import node_names
from paretosched.workload.slurm_conf import SlurmConf, read_slurm_conf
from paretosched.workload.slurm_nodes import NodeLists, amounts_of_nodes, machine_of

NODES = """ClusterName=a
NodeName=DEFAULT CPUs=8
NodeName=n[1-3]
NodeName=big Boards=2 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=64
NodeName=old Boards=1 SocketsPerBoard=2 CoresPerSocket=4
NodeName=gpu[01-02] Sockets=2 CoresPerSocket=3 ThreadsPerCore=2
NodeSet=mixed Nodes=n1,big
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3,7]", ["n1", "n2", "n3", "n7"]),
        ("a[08-10],b", ["a08", "a09", "a10", "b"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert list(node_names(text, "slurm.conf:1")) == names


@pytest.mark.parametrize("text", ["n[1-", "n]1[", "n[a]", ",", "n[1-3000000]", "n[]"])
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"slurm\.conf:1: .*must"):
        list(node_names(text, "slurm.conf:1"))


def read(folder: Path, text: str) -> SlurmConf:
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    return read_slurm_conf(folder / "slurm.conf")


def cpus_of(conf: SlurmConf) -> dict[str, int]:
    machine = machine_of(conf)
    return dict(zip(machine.places, amounts_of_nodes(conf, machine, "cpu").tolist(), strict=True))


def members(conf: SlurmConf) -> list[set[str]]:
    """Return the names of the nodes of each partition."""
    machine = machine_of(conf)
    lists = NodeLists(conf, machine)
    masks = [lists.nodes_of(row) for row in conf.partitions]
    return [{name for name, place in machine.places.items() if mask[place]} for mask in masks]


def test_cpus(tmp_path: Path) -> None:
    rows = "PartitionName=p Nodes=n[1-2],mixed,login\nPartitionName=q Nodes=ALL\nPartitionName=r\n"
    conf = read(tmp_path, NODES.replace("NodeName=DEFAULT CPUs=8\nNodeName=n[1-3]", "NodeName=n[1-3] CPUs=8") + rows)
    cpus = cpus_of(conf)
    assert cpus == {"n1": 8, "n2": 8, "n3": 8, "big": 64, "old": 8, "gpu01": 12, "gpu02": 12}
    assert members(conf) == [{"n1", "n2", "big"}, {*cpus}, set()]


def test_nodes_of_the_future_are_none_and_down_nodes_have_a_state(tmp_path: Path) -> None:
    rows = "NodeName=DEFAULT CPUs=4\nNodeName=n[1-3]\nNodeName=m[1-2] State=FUTURE\nNodeName=x State=DRAIN\n"
    conf = read(tmp_path, f"{rows}DownNodes=n2,other\nPartitionName=p Nodes=ALL\nPartitionName=q Nodes=m1,x\n")
    assert cpus_of(conf) == {"n1": 4, "n2": 4, "n3": 4, "m1": 0, "m2": 0, "x": 4}
    assert machine_of(conf).states == ("unknown", "down", "unknown", "future", "future", "drain")
    assert members(conf) == [{"n1", "n2", "n3", "x"}, {"x"}]


def test_the_last_line_of_a_node_counts(tmp_path: Path) -> None:
    assert cpus_of(read(tmp_path, "ClusterName=a\nNodeName=n[1-3] CPUs=4\nNodeName=n2 CPUs=8\n"))["n2"] == 8


def test_several_brackets_end_too() -> None:
    with pytest.raises(InputError, match=r"a:1: .* must be at most 250,000 nodes"):
        list(node_names("n[1-10000]-[1-10000]", "a:1"))


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("NodeSet=s Nodes=s\nPartitionName=p Nodes=s\n", "sets of nodes must be at most 8 deep; do they go round"),
        ("NodeName=n[3-1]\nPartitionName=p Nodes=n1\n", "must have the smaller number first"),
        (f"NodeName=n{'[1]' * 1000}\nPartitionName=p\n", "must have at most 8 brackets"),
        ("NodeName=n[1-200000]\n" * 2 + "PartitionName=p\n", "there must be at most 250,000 nodes"),
        (
            "NodeName=n[1-9]\n" + "DownNodes=n[1-200000]\n" * 2 + "PartitionName=p\n",
            "DownNodes lines must list at most",
        ),
        (
            "NodeName=n1\n" + "".join(f"PartitionName=p Nodes=n[{k}-200000]\n" for k in range(1, 7)),
            "must list at most 1,000,000 nodes",
        ),
        (
            "NodeName=n[1-200000]\n" + "".join(f"PartitionName=p Nodes=n{k}\n" for k in range(400)),
            "at most 320 different lists of nodes are read of a machine of 200,000 nodes, but there are more",
        ),
    ],
)
def test_lists_of_nodes_end(rows: str, rule: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rule):
        members(read(tmp_path, rows))


def test_a_set_of_nodes_is_looked_at_once(tmp_path: Path) -> None:
    sets = "".join(f"NodeSet=s{k} Nodes={','.join([f's{k + 1}'] * 30)}\n" for k in range(7))
    text = f"NodeName=n[1-9]\n{sets}NodeSet=s7 Nodes=n[2-3]\nPartitionName=p Nodes=s0,n9\n"
    assert members(read(tmp_path, text)) == [{"n2", "n3", "n9"}]


def test_a_set_of_nodes_may_have_those_with_a_feature(tmp_path: Path) -> None:
    rows = "NodeName=n[1-2] Feature=ib,big\nNodeName=n3 Features=BIG\nNodeName=n[4-5]\n"
    sets = "NodeSet=s Feature=big\nNodeSet=t Feature=ib Nodes=n5\n"
    text = f"{rows}{sets}PartitionName=p Nodes=s\nPartitionName=q Nodes=t\n"
    assert members(read(tmp_path, text)) == [{"n1", "n2", "n3"}, {"n1", "n2", "n5"}]


def test_equal_lists_are_gone_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm_nodes, "MOST_LISTED", 999 + 2)
    rows = "".join(f"PartitionName=p{k} Nodes=n[1-999]\n" for k in range(50))
    conf = read(tmp_path, f"NodeName=n[1-999]\n{rows}PartitionName=q Nodes=ALL\nPartitionName=r Nodes=n1\n")
    assert [len(each) for each in members(conf)] == [999] * 51 + [1]
    lists = NodeLists(conf, machine_of(conf))
    assert lists.nodes_of(conf.partitions[0]) is lists.nodes_of(conf.partitions[1])
