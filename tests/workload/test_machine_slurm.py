"""The machine of a slurm.conf, as Slurm understands the file."""

from pathlib import Path

import pytest

from paretosched import InputError, Machine, Outage, read_machine
from paretosched.workload import machine as machines
from paretosched.workload import machine_slurm

CONF = """\
ClusterName=tiny
SlurmctldHost=ctl
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=1000
MaxMemPerCPU=4000
Licenses=matlab:5,ansys
NodeName=DEFAULT CPUs=8 RealMemory=16000 State=UNKNOWN Weight=3
NodeName=n[01-04] Feature=ib,old
NodeName=g[1-2] Gres=gpu:2,lustre:1 Features=ib TmpDisk=500 Weight=10
nodename=smt1 CPUS=32 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CoreSpecCount=2 MemSpecLimit=1000
NodeName=n[05-06] Feature=ib,old
NodeName=old1 State=DOWN
NodeName=next[1-9] State=FUTURE
DownNodes=n02 State=DRAIN Reason=fan
PartitionName=DEFAULT MaxTime=1-0 DefaultTime=30
PartitionName=cpu Nodes=n[01-06],old1 Default=YES AllowAccounts=ann,bob DenyQOS=x
PartitionName=gpu Nodes=g[1-2] PriorityTier=5 AllowQos=q1 DenyQos=q2 QOS=qg LLN=YES
PartitionName=all Nodes=ALL MaxTime=UNLIMITED OverSubscribe=EXCLUSIVE DefMemPerNode=4000 MaxNodes=4 Priority=2
PartitionName=free Nodes=n01 DefMemPerCPU=0 MaxMemPerCPU=0 State=INACTIVE OverSubscribe=FORCE:4 ExclusiveUser=YES
PartitionName=none State=UP
"""


def machine_in(folder: Path, conf: str, gres: str = "") -> Machine:
    (folder / "slurm.conf").write_text(conf)
    if gres:
        (folder / "gres.conf").write_text(gres)
    return read_machine(folder / "slurm.conf")


def test_kinds_of_nodes(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, CONF, "AutoDetect=off\nNodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-1]\n")
    kinds = {kind.hosts: kind for kind in machine.kinds}
    assert [*kinds] == ["n[01-06]", "g[1-2]", "smt1", "old1"]  # two lines of one kind are one
    assert (kinds["n[01-06]"].cores, kinds["n[01-06]"].memory, kinds["n[01-06]"].weight) == (8, 16000, 3)
    assert kinds["n[01-06]"].features == ("ib", "old")
    assert kinds["g[1-2]"].gpus == (("a100", 2),)
    assert (kinds["g[1-2]"].disk, kinds["g[1-2]"].weight) == (500, 10)
    assert (kinds["smt1"].cores, kinds["smt1"].threads, kinds["smt1"].memory) == (14, 2, 15000)
    assert machine.down == (Outage("n02,old1", reason="fan"),)
    assert machine.licences == (("matlab", 5), ("ansys", 1))
    assert (machine.choice, machine.gives, machine.shares_memory, machine.name) == ("cons_tres", "core", True, "tiny")


def test_partitions(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, CONF)
    parts = {part.name: part for part in machine.partitions}
    assert [*parts] == ["cpu", "gpu", "all", "free"]
    cpu, gpu, both, free = parts.values()
    assert (cpu.hosts, cpu.longest, cpu.usual, cpu.default) == ("n[01-06],old1", 86400, 1800, True)
    assert (cpu.memory_per_cpu, cpu.most_memory_per_cpu) == (1000, 4000)
    assert (cpu.accounts, cpu.qos, cpu.not_qos) == (("ann", "bob"), (), ("x",))
    assert (gpu.tier, gpu.qos, gpu.not_qos, gpu.own_qos, gpu.least_loaded) == (5, ("q1",), (), "qg", True)
    assert (both.hosts, both.longest, both.exclusive, both.nodes_most, both.tier) == ("ALL", None, True, 4, 2)
    assert (both.memory_per_cpu, both.memory_per_node) == (None, 4000)
    assert (free.memory_per_cpu, free.most_memory_per_cpu, free.up) == (None, None, False)
    assert {*machine.guessed} == {
        'resources of nodes that are no GPUs are not read, such as "lustre:1"',
        "partition none has no nodes: left out",
        "partition free has ExclusiveUser: nodes are shared by users",
        "partition free has OverSubscribe=force:4: cores are not given to several jobs here",
    }


@pytest.mark.parametrize(
    ("words", "cores", "threads"),
    [
        ("CPUs=16", 16, 1),
        ("Procs=12 Sockets=2 CoresPerSocket=6", 12, 1),
        ("CPUs=16 ThreadsPerCore=2", 8, 2),
        ("CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 8, 2),
        ("CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 8, 1),  # a CPU is a core
        ("Boards=1 SocketsPerBoard=2 CoresPerSocket=3", 6, 1),
        ("CPUs=7 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 8, 2),  # Slurm resets it
        ("CPUs=16 CpuSpecList=0-3 ThreadsPerCore=2", 6, 2),
        ("", 1, 1),
    ],
)
def test_cores_and_threads(tmp_path: Path, words: str, cores: int, threads: int) -> None:
    machine = machine_in(tmp_path, f"ClusterName=a\nNodeName=n1 RealMemory=10 {words}\n")
    assert (machine.kinds[0].cores, machine.kinds[0].threads) == (cores, threads)


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [
        ("gpu:2", (("gpu", 2),)),
        ("gpu", (("gpu", 1),)),
        ("gpu:a100:4(S:0-1)", (("a100", 4),)),
        ("gpu:a100:4,gpu:v100:1", (("a100", 4), ("v100", 1))),
        ("gpu:tesla_v100-pcie-32gb:2", (("tesla_v100-pcie-32gb", 2),)),
        ("gpu:0", ()),
        ("gpu:a100:no_consume:4", (("a100", 4),)),
        ("shard:8", ()),
    ],
)
def test_gpus(tmp_path: Path, gres: str, gpus: tuple[tuple[str, int], ...]) -> None:
    machine = machine_in(tmp_path, f"ClusterName=a\nNodeName=n1 RealMemory=10 Gres={gres}\n")
    assert machine.kinds[0].gpus == gpus


def test_gpus_without_a_number_are_refused_by_file_and_line(tmp_path: Path) -> None:
    words = r'slurm.conf:2: Gres must be gpu:TYPE:NUMBER or gpu:NUMBER, but is "gpu:v100:two"$'
    with pytest.raises(InputError, match=words):
        machine_in(tmp_path, "ClusterName=a\nNodeName=n1 Gres=gpu:2,gpu:v100:two\n")


def test_memory_in_bytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"memory must be MiB of a node, at most .* but is 16,000,000,000; is it bytes"
    ):
        machine_in(tmp_path, "ClusterName=a\nNodeName=n1 RealMemory=16000000000\n")


def test_what_slurm_would_not_take_is_said(tmp_path: Path) -> None:
    conf = "ClusterName=a\nNodeName=DEFAULT RealMemory=9\nNodeName=n[1-3] CPUs=8\nNodeName=n[2-3] CPUs=9\n"
    conf += "PartitionName=p Nodes=n1\nPartitionName=p Nodes=n2 TRESBillingWeights=CPU=1,Mem=0.2G\nDownNodes=n[3-5]\n"
    machine = machine_in(tmp_path, f"{conf}SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n")
    assert {*machine.guessed} == {
        "node in several lines, of which the last one counts: n2, n3",
        "partition in several lines, of which the last one counts: p",
        "DownNodes names nodes that are not there: n4, n5",
        "partition p has TRESBillingWeights: jobs are weighed by the largest share of a resource",
    }
    assert [(kind.hosts, kind.cores) for kind in machine.kinds] == [("n1", 8), ("n[2-3]", 9)]


@pytest.mark.parametrize(
    ("words", "choice", "gives", "memory"),
    [
        ("SelectType=select/linear\nSelectTypeParameters=CR_Memory", "linear", "node", True),
        ("SelectType=select/linear", "linear", "node", False),
        ("SelectType=select/cons_res\nSelectTypeParameters=CR_CPU", "cons_tres", "cpu", False),
        ("SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU_Memory", "cons_tres", "cpu", True),
        (
            "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core,CR_CORE_DEFAULT_DIST_BLOCK",
            "cons_tres",
            "core",
            False,
        ),
        ("SelectType=select/cons_tres\nSelectTypeParameters=CR_Socket_Memory", "cons_tres", "socket", True),
        ("", "cons_tres", "core", True),
    ],
)
def test_how_nodes_are_chosen(tmp_path: Path, words: str, choice: str, gives: str, memory: bool) -> None:
    machine = machine_in(tmp_path, f"ClusterName=a\nNodeName=n1 RealMemory=10\n{words}\n")
    assert (machine.choice, machine.gives, machine.shares_memory) == (choice, gives, memory)
    assert any("SelectType is not said" in text for text in machine.guessed) == (words == "")


def test_gpus_that_only_gres_conf_has_are_none(tmp_path: Path) -> None:
    gres = "NodeName=n1 Name=gpu Type=t4 Count=2\n"
    machine = machine_in(tmp_path, "ClusterName=a\nNodeName=n[1-2] RealMemory=10\n", gres)
    assert machine.gpu_types == ()
    assert "gres.conf has GPUs of n1, for which slurm.conf has no Gres=: none, as Slurm" in machine.guessed


def test_leaves_of_switches_come_from_topology_conf(tmp_path: Path) -> None:
    conf = "ClusterName=a\nTopologyPlugin=topology/tree\nNodeName=n[1-4],x RealMemory=10\n"
    no_file = "the topology of the network is not read, as no topology.conf is beside it: nodes are taken by name"
    assert no_file in machine_in(tmp_path, conf).guessed
    leaves = "SwitchName=s1 Nodes=n[1-2] LinkSpeed=9\nSwitchName=s2 Nodes=n[3-5]\nSwitchName=top Switches=s[1-2]\n"
    (tmp_path / "topology.conf").write_text(leaves)
    machine = machine_in(tmp_path, conf)
    assert machine.switches == (("s1", "n[1-2]"), ("s2", "n[3-4]"))
    assert "topology.conf names nodes that are not there: n5" in machine.guessed
    assert "topology.conf has no switch for x: one more for all of them" in machine.guessed
    assert machine_in(tmp_path, conf.replace("TopologyPlugin=topology/tree\n", "")).switches == ()
    block = machine_in(tmp_path, conf.replace("tree", "block"))
    assert block.switches == ()
    assert any("only that of topology/tree is" in text for text in block.guessed)


def test_what_scontrol_prints(tmp_path: Path) -> None:
    text = """\
Configuration data as of 2024-05-01T12:00:00
ClusterName             = prod
SelectType              = select/cons_tres
SelectTypeParameters    = CR_CORE_MEMORY
DefMemPerNode           = UNLIMITED
Licenses                = (null)
SLURM_VERSION           = 23.02.7
PartitionName=main
   AllowGroups=ALL AllowAccounts=ALL AllowQos=normal,high
   AllocNodes=ALL Default=YES QoS=N/A
   DefaultTime=01:00:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO
   MaxNodes=UNLIMITED MaxTime=3-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED
   Nodes=c[1-2]
   PriorityJobFactor=1 PriorityTier=4 RootOnly=NO ReqResv=NO OverSubscribe=NO
   State=UP TotalCPUs=128 TotalNodes=2 SelectTypeParameters=NONE
   DefMemPerCPU=3900 MaxMemPerNode=UNLIMITED
NodeName=c1 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=0.01
   AvailableFeatures=rack1,zen3
   Gres=gpu:a100:4(S:0-1)
   RealMemory=256000 AllocMem=0 FreeMem=255000 Sockets=2 Boards=1
   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=900 Weight=5 Owner=N/A
NodeName=c2 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=0.01
   AvailableFeatures=(null)
   Gres=(null)
   RealMemory=256000 Sockets=2 Boards=1
   State=IDLE ThreadsPerCore=2 TmpDisk=900 Weight=5
"""
    (tmp_path / "site.txt").write_text(text)
    machine = read_machine(tmp_path / "site.txt")
    first, second = machine.kinds
    assert (first.hosts, first.cores, first.threads, first.memory, first.disk) == ("c1", 32, 2, 256000, 900)
    assert (first.gpus, first.features, first.weight) == ((("a100", 4),), ("rack1", "zen3"), 5)
    assert (second.gpus, second.features) == ((), ())
    (part,) = machine.partitions
    assert (part.name, part.tier, part.longest, part.usual, part.memory_per_cpu) == ("main", 4, 259200, 3600, 3900)
    assert (part.qos, part.accounts, part.own_qos, part.nodes_most, part.nodes_least) == (
        ("normal", "high"),
        (),
        "",
        None,
        None,
    )
    assert machine.down == ()
    assert "down or drained when it was printed: c1; taken to be up" in machine.guessed


@pytest.mark.parametrize(
    ("conf", "words"),
    [
        ("ClusterName=a\n", "a machine must have nodes, but no line has NodeName="),
        ("ClusterName=a\nNodeName=n1 CPUs=x\n", "slurm.conf:2: CPUs must be a whole number"),
        (
            "ClusterName=a\nNodeName=n1 CPUs=1 RealMemory=1\nPartitionName=p Nodes=n1 MaxTime=x\n",
            "slurm.conf:3: MaxTime",
        ),
        ("hello\n", 'slurm.conf:1: a line of slurm.conf must be Key=Value or "Include FILE"'),
    ],
)
def test_what_is_no_machine_is_refused(tmp_path: Path, conf: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        machine_in(tmp_path, conf)
    assert words in str(error.value)


def test_partitions_of_the_same_nodes_are_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = "ClusterName=a\nNodeName=n[1-50] CPUs=1 RealMemory=1\n"
    same = "".join(f"PartitionName=p{number} Nodes=n[1-40]\n" for number in range(30))
    monkeypatch.setattr(machine_slurm, "MOST_LISTED", 79)
    monkeypatch.setattr(machines, "MOST_LISTED", 79)
    assert machine_in(tmp_path, nodes + same).members.sum() == 30 * 40
    with pytest.raises(InputError, match=r"slurm.conf:33: partitions must have at most 79 nodes, but have more"):
        machine_in(tmp_path, nodes + same + "PartitionName=other Nodes=n[2-41]\n")
