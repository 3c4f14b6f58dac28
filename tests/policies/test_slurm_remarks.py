"""Remarks on what of a slurm.conf is not simulated: none for harmless values."""

from pathlib import Path

import pytest

from paretosched.policies.slurm_remarks import (
    DEPTHS,
    OPTIONS,
    bound_remarks,
    depth_remarks,
    machine_remarks,
    scheduler_remarks,
    setting_remarks,
)
from paretosched.workload.slurm_conf import SlurmConf, read_slurm_conf
from paretosched.workload.slurm_nodes import NodeLists, amounts_of_nodes, machine_of


def read(folder: Path, text: str) -> SlurmConf:
    (folder / "slurm.conf").write_text(f"ClusterName=a\n{text}\n", encoding="utf-8")
    return read_slurm_conf(folder / "slurm.conf")


@pytest.mark.parametrize(
    "text",
    [
        "PreemptType=preempt/none",
        "AccountingStorageEnforce=none",
        "PriorityFlags=SMALL_RELATIVE_TO_TIME,CALCULATE_RUNNING",
        "PriorityWeightAssoc=0",
        "PartitionName=p State=UP PreemptMode=off GraceTime=0 ExclusiveUser=NO",
        "PartitionName=p OverSubscribe=NO:4 LLN=NO ReqResv=no",
        "CompleteWait=0\nTopologyPlugin=topology/default\nOverTimeLimit=0\nPartitionName=p OverTimeLimit=NONE",
    ],
)
def test_harmless_settings_are_not_remarked(text: str, tmp_path: Path) -> None:
    assert setting_remarks(read(tmp_path, text), "priority/multifactor") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "AccountingStorageEnforce=limits,qos",
            "AccountingStorageEnforce=limits,qos: limits of associations and QOS hold",
        ),
        ("PriorityWeightAssoc=7", "PriorityWeightAssoc=7: all associations have the same priority here"),
        ("PriorityFlags=INCR_ONLY", "INCR_ONLY: priorities may fall here, as usage grows"),
        (
            "PartitionName=p OverSubscribe=FORCE:4\nPartitionName=q OverSubscribe=YES",
            "OVERSUBSCRIBE of p, q: no processor runs two jobs at a time here",
        ),
        (
            "PartitionName=p OverSubscribe=EXCLUSIVE\nPartitionName=q OverSubscribe=no",
            "OVERSUBSCRIBE=EXCLUSIVE of p: Slurm gives entire nodes to a job, here it gets the processors that",
        ),
        ("PriorityFlags=MAX_TRES_GRES", "MAX_TRES_GRES: billing is not simulated"),
        (
            "OverTimeLimit=5",
            "OverTimeLimit=5: minutes that Slurm lets jobs run beyond their limit, and plans with; here",
        ),
        ("PartitionName=p OverTimeLimit=UNLIMITED", "OVERTIMELIMIT of p: minutes that Slurm lets jobs run beyond"),
        ("CompleteWait=32", "CompleteWait=32: jobs start here also while others are completing"),
        ("TopologyPlugin=topology/tree", "TopologyPlugin=topology/tree: nodes are chosen without regard to switches"),
        ("SuspendProgram=/opt/off", "SuspendProgram=/opt/off: no node is switched off here"),
        ("PartitionName=p LLN=YES", "LLN of p: nodes are filled here, the least loaded ones come last"),
        ("PartitionName=p ReqResv=YES", "REQRESV of p: no job needs a reservation here"),
        ("PartitionName=p ExclusiveUser=YES", "EXCLUSIVEUSER of p: jobs of several users may share a node here"),
    ],
)
def test_settings_are_remarked(text: str, line: str, tmp_path: Path) -> None:
    (remark,) = setting_remarks(read(tmp_path, text), "priority/multifactor")
    assert remark.startswith(line)


def test_multifactor_settings_do_not_matter_for_priority_basic(tmp_path: Path) -> None:
    assert setting_remarks(read(tmp_path, "PriorityWeightAssoc=7\nPriorityFlags=INCR_ONLY"), "priority/basic") == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("bf_interval=30,bf_window=43200,bf_resolution=3600,default_queue_depth=2000000", []),
        ("bf_window=2880000", ["bf_window=2880000 is above Slurm's bound 43200: its default 1440 counts"]),
        (
            "bf_interval=0,bf_resolution=7200",
            [
                "bf_interval=0 is below Slurm's bound 1: its default 30 counts",
                "bf_resolution=7200 is above Slurm's bound 3600: its default 60 counts",
            ],
        ),
        ("default_queue_depth=0", ["default_queue_depth=0 is not simulated: Slurm's default 100 counts"]),
        ("bf_window=long", ["bf_window=long is below Slurm's bound 1: its default 1440 counts"]),
        ("bf_interval=60s,bf_window=2880 ", []),
        ("bf_interval=60,bf_interval=0", []),  # as in slurmctld, the first one counts
    ],
)
def test_values_out_of_bounds_are_remarked(text: str, lines: list[str], tmp_path: Path) -> None:
    assert bound_remarks(read(tmp_path, f"SchedulerParameters={text}")) == lines


def test_the_default_counts_where_nodes_are_not_simulated_either(tmp_path: Path) -> None:
    (line,) = depth_remarks(read(tmp_path, "SchedulerParameters=bf_interval=0"))
    assert "once in 30 s" in line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("SelectType=select/cons_tres\nNodeName=n1 CPUs=4", []),
        ("NodeName=n1", []),
        (
            "SelectType=select/linear\nNodeName=n1 CPUs=4",
            ["SelectType=select/linear: Slurm gives entire nodes to a job"],
        ),
        ("SelectTypeParameters=CR_Core\nNodeName=n1 Weight=1 CoreSpecCount=0", []),
        (
            "SelectTypeParameters=CR_Core_Memory,CR_LLN\nNodeName=n1\nNodeName=n2 Weight=9 CoreSpecCount=2",
            [
                "CR_Core_Memory: jobs wait for processors only here, not for memory",
                "CR_LLN: nodes are filled here",
                "CORESPECCOUNT of nodes: processors that a node keeps for the system are counted",
                "WEIGHT of nodes: Slurm takes the nodes of the smallest weight first",
            ],
        ),
        (
            "SelectTypeParameters=CR_Socket",
            ["CR_Socket: Slurm gives entire sockets to a job, here it gets the processors that it has in the log"],
        ),
        (
            "NodeName=n1 CPUs=4",
            ["no SelectType, which is select/linear before Slurm 23.11: Slurm gives entire nodes"],
        ),
        (
            "NodeName=n[1-2] State=DRAIN\nDownNodes=n2",
            ["State=DRAIN of n1: counted as up", "State=DOWN of n2: counted"],
        ),
        ("NodeName=n1 Feature=a,gpu\nNodeSet=s Feature=GPU\nPartitionName=p Nodes=s", []),
        ("NodeName=n[1-3] State=IDLE*\nNodeName=m State=MIXED+PLANNED", []),
        ("NodeName=n[1-9] State=FUTURE", ["State=FUTURE of n1, n2, n3, ...: no nodes yet, so that they are left out"]),
        (
            "NodeName=n[01-10]\nPartitionName=p Nodes=n[1-10]\nNodeSet=s Nodes=x\nPartitionName=q Nodes=s,n01",
            [
                "Nodes of partition p: no NodeName line has n1, n2, n3, ...; they are left out",
                "Nodes of node set s: no NodeName line has x; they are left out",
            ],
        ),
    ],
)
def test_what_differs_of_the_machine_is_remarked(text: str, lines: list[str], tmp_path: Path) -> None:
    conf = read(tmp_path, text)
    machine = machine_of(conf)
    said = machine_remarks(conf, machine, NodeLists(conf, machine), amounts_of_nodes(conf, machine, "cpu"))
    assert len(said) == len(lines)
    assert all(line.startswith(begin) for line, begin in zip(said, lines, strict=True))


def test_all_depths_are_said_in_one_line(tmp_path: Path) -> None:
    (line,) = depth_remarks(read(tmp_path, ""))
    assert all(f"({name})" in line for name in DEPTHS)
    assert "once in 30 s" in line
    (line,) = depth_remarks(read(tmp_path, "SchedulerParameters=bf_interval=7"))
    assert "once in 7 s" in line


def test_options_without_a_counterpart_are_remarked(tmp_path: Path) -> None:
    names = ",".join(f"{name}=7" for name in (*DEPTHS, *OPTIONS))
    said = scheduler_remarks(read(tmp_path, f"SchedulerParameters={names},bf_continue"))
    assert [line.split("=7:")[0] for line in said] == list(OPTIONS)
    assert scheduler_remarks(read(tmp_path, "")) == []
    (near,) = scheduler_remarks(read(tmp_path, "SchedulerParameters=bf_intervall=30"))
    assert near == "bf_intervall=30 of SchedulerParameters is not in the policy; did you mean bf_interval?"
    assert scheduler_remarks(read(tmp_path, "SchedulerParameters=sched_min_interval=0")) == []
