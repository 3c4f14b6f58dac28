"""Lists of nodes are expanded, and the CPUs of nodes and partitions counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.policies import slurm_nodes
from paretosched.policies.slurm_conf import read_slurm_conf
from paretosched.policies.slurm_nodes import amounts_of_nodes, node_names, nodes_of_partitions, states_of_nodes

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


def test_cpus(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    rows = "PartitionName=p Nodes=n[1-2],mixed,login\nPartitionName=q Nodes=ALL\nPartitionName=r\n"
    path.write_text(NODES.replace("NodeName=DEFAULT CPUs=8\nNodeName=n[1-3]", "NodeName=n[1-3] CPUs=8") + rows, "utf-8")
    conf = read_slurm_conf(path)
    cpus = amounts_of_nodes(conf, "cpu")
    assert cpus == {"n1": 8, "n2": 8, "n3": 8, "big": 64, "old": 8, "gpu01": 12, "gpu02": 12}
    assert list(map(sorted, nodes_of_partitions(conf, cpus))) == [["big", "n1", "n2"], sorted(cpus), []]


def test_nodes_of_the_future_are_none_and_down_nodes_have_a_state(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    rows = "NodeName=DEFAULT CPUs=4\nNodeName=n[1-3]\nNodeName=m[1-2] State=FUTURE\nNodeName=x State=DRAIN\n"
    path.write_text(f"{rows}DownNodes=n2,other\nPartitionName=p Nodes=ALL\n", "utf-8")
    conf = read_slurm_conf(path)
    assert amounts_of_nodes(conf, "cpu") == {"n1": 4, "n2": 4, "n3": 4, "x": 4}
    states = {"n1": "unknown", "n2": "down", "n3": "unknown", "m1": "future", "m2": "future", "x": "drain"}
    assert states_of_nodes(conf) == states


def test_several_brackets_end_too() -> None:
    with pytest.raises(InputError, match=r"a:1: .* must be at most 1,000,000 nodes"):
        list(node_names("n[1-10000]-[1-10000]", "a:1"))


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("NodeSet=s Nodes=s\nPartitionName=p Nodes=s\n", "sets of nodes must be at most 8 deep; do they go round"),
        ("NodeName=n[3-1]\nPartitionName=p Nodes=n1\n", "must have the smaller number first"),
        (f"NodeName=n{'[1]' * 1000}\nPartitionName=p\n", "must have at most 8 brackets"),
        ("NodeName=n[1-700000]\n" * 2 + "PartitionName=p\n", "there must be at most 1,000,000 nodes"),
        (
            "NodeName=n[1-9]\n" + "DownNodes=n[1-400000]\n" * 3 + "PartitionName=p\n",
            "DownNodes lines must list at most",
        ),
        ("NodeName=n1\n" + "PartitionName=p Nodes=n[1-1000000]\n" * 11, "must list at most 10,000,000 nodes"),
    ],
)
def test_lists_of_nodes_end(rows: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(rows, encoding="utf-8")
    conf = read_slurm_conf(path)
    with pytest.raises(InputError, match=rule):
        nodes_of_partitions(conf, amounts_of_nodes(conf, "cpu"))


def test_a_set_of_nodes_is_looked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    sets = "".join(f"NodeSet=s{k} Nodes={','.join([f's{k + 1}'] * 30)}\n" for k in range(7))
    path.write_text(f"NodeName=n[1-9]\n{sets}NodeSet=s7 Nodes=n[2-3]\nPartitionName=p Nodes=s0,n9\n", "utf-8")
    conf = read_slurm_conf(path)
    assert nodes_of_partitions(conf, amounts_of_nodes(conf, "cpu")) == [{"n2", "n3", "n9"}]


def test_partitions_with_the_same_nodes_share_them(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    names = ("ALL", "all,n1", "s", "s,n1", "half", "half", "half,n9", "n1")
    rows = "".join(f"PartitionName=p{k} Nodes={each}\n" for k, each in enumerate(names))
    path.write_text(f"NodeName=n[1-9]\nNodeSet=s Nodes=ALL\nNodeSet=half Nodes=n[1-4]\n{rows}", "utf-8")
    conf = read_slurm_conf(path)
    cpus = amounts_of_nodes(conf, "cpu")
    nodes = nodes_of_partitions(conf, cpus)
    assert nodes == [{*cpus}] * 4 + [{"n1", "n2", "n3", "n4"}] * 2 + [{"n1", "n2", "n3", "n4", "n9"}, {"n1"}]
    assert len({id(each) for each in nodes}) == 4


def test_nodes_of_sets_count_for_each_partition_that_adds_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "slurm.conf"
    rows = "".join(f"PartitionName=p{k} Nodes=s,n{k}\n" for k in range(1, 7))
    path.write_text(f"NodeName=n[1-999]\nNodeSet=s Nodes=n[10-109]\n{rows}", "utf-8")
    conf = read_slurm_conf(path)
    cpus = amounts_of_nodes(conf, "cpu")
    monkeypatch.setattr(slurm_nodes, "MOST_LISTED", 712)
    assert [len(each) for each in nodes_of_partitions(conf, cpus)] == [101] * 6
    monkeypatch.setattr(slurm_nodes, "MOST_LISTED", 711)
    with pytest.raises(InputError, match=r"slurm\.conf:8: partitions and sets must list at most 711 nodes"):
        nodes_of_partitions(conf, cpus)
