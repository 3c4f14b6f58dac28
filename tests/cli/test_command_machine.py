"""paretosched machine shows, checks and writes a machine."""

from pathlib import Path

import pytest

from paretosched import Machine, NodeKind, Outage, Partition, read_machine, save_machine
from paretosched.workload import machine_description
from support.commands import command

CONF = """\
ClusterName=tiny
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
TopologyPlugin=topology/tree
NodeName=n[01-04] CPUs=8 RealMemory=16000 Feature=ib
NodeName=g[1-2] CPUs=32 RealMemory=64000 Gres=gpu:a100:2 Weight=10
PartitionName=cpu Nodes=n[01-04],g1 Default=YES MaxTime=1:30:00 DefMemPerCPU=1900
PartitionName=gpu Nodes=g[1-2] PriorityTier=5 AllowAccounts=ann
"""


def test_an_owner_recognises_the_machine(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF)
    outcome = command("machine", tmp_path / "slurm.conf")
    assert outcome.status == 0
    lines = [line.split() for line in outcome.out.splitlines()]
    assert outcome.out.startswith("tiny: 6 nodes of 2 kinds, 96 CPUs, 187.5 GiB, 4 a100\n")
    assert ["n[01-04]", "#" * 12, "4", "8", "16,000", "1", "ib", "cpu"] in lines
    assert ["g[1-2]", "#" * 24, "2", "32", "64,000", "2", "a100", "10", "cpu", "(1),", "gpu"] in lines
    assert ["cpu", "5", "64", "2", "1", "1:30", "h", "1:30", "h", "1,900", "MiB", "a", "CPU", "default"] in lines
    assert "gpu" in outcome.out
    assert "accounts ann" in outcome.out
    assert "cpu and gpu share 1 node: g1" in outcome.out
    assert "assumed: the topology of the network is not read, as no topology.conf is beside it" in outcome.out
    (tmp_path / "topology.conf").write_text("SwitchName=left Nodes=n[01-04]\nSwitchName=right Nodes=g[1-2]\n")
    assert "\nleft has n[01-04]\nright has g[1-2]\n" in command("machine", tmp_path / "slurm.conf").out


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF)
    outcome = command("machine", tmp_path / "slurm.conf", "-o", tmp_path / "m.toml")
    assert "import FORMAT FILE --machine" in outcome.out
    assert read_machine(tmp_path / "m.toml") == read_machine(tmp_path / "slurm.conf")
    about = command("machine", tmp_path / "m.toml", "--json").json
    assert (about["nodes"], about["cpus"], about["gpus"]) == (6, 96, {"a100": 4})
    assert about["overlaps"] == [{"partitions": ["cpu", "gpu"], "nodes": 1, "hosts": "g1"}]
    assert [part["nodes"] for part in about["partitions"]] == [5, 2]
    assert about["kinds"][1]["partitions"] == {"cpu": 1, "gpu": 2}
    assert (
        command("machine", tmp_path / "m.toml", "-o", tmp_path / "m.toml").status == 2
    )  # it would overwrite its input
    (tmp_path / "log.swf").write_text("1 0 0 1 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1\n")
    assert command("machine", tmp_path / "m.toml", "-o", tmp_path / "log.swf").status == 2
    again = command(
        "machine", tmp_path / "slurm.conf", "-o", tmp_path / "m.toml"
    )  # its own output may be written again
    assert again.status == 0


def test_down_times_licences_and_partitions_apart(tmp_path: Path) -> None:
    machine = Machine(
        (NodeKind("n[1-2]", 4, 500, threads=2, disk=2048),),
        (Partition("a", "n1", exclusive=True, up=False), Partition("b", "n2", memory_per_node=300, nodes_most=1)),
        {"matlab": 3},
        (Outage("n1", reason="fan"), Outage("n2", 1_700_000_000, 1_700_003_600)),
    )
    save_machine(machine, tmp_path / "m.toml")
    out = command("machine", tmp_path / "m.toml").out
    assert "no two partitions share a node" in out
    assert "licences: matlab 3" in out
    assert "down: n1 for good (fan)" in out
    assert "down: n2 from 2023-11-14 22:13 UTC until 2023-11-14 23:13 UTC" in out
    assert "exclusive; not up" in out
    assert "at most 1 node" in out
    assert "threads a core" in out


def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text("[[nodes]]\nhosts = 'n1'\n")
    outcome = command("machine", tmp_path / "m.toml")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert "m.toml: nodes 1: cores is missing" in outcome.err
    assert command("machine", tmp_path / "none.toml").status == 2


def test_shared_nodes_are_not_listed_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Machine((NodeKind("n[1-9]", 1, 1),), tuple(Partition(f"p{k}", f"n[{k}-9]") for k in (1, 2, 8)))
    monkeypatch.setattr(machine_description, "MOST_SHARED", 10)
    shared = [(each["nodes"], each["hosts"]) for each in machine_description.describe_machine(alone)["overlaps"]]
    assert shared == [(8, "n[2-9]"), (2, "n[8-9]"), (2, "...")]
