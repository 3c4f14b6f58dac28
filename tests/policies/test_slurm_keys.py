"""Keys of a slurm.conf that are probably misspelt, and those that are known."""

import re
from pathlib import Path

import pytest

from paretosched.policies import slurm_keys
from paretosched.policies.slurm_keys import NODES, PARTITIONS, SETTINGS, unknown_keys
from paretosched.policies.slurm_remarks import NODE, PARTITION
from paretosched.policies.slurm_remarks import SETTINGS as REMARKED
from paretosched.workload.slurm_conf import read_slurm_conf


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("PriorityWeigthAge=1000", ["PriorityWeigthAge: is no setting of Slurm that is known here; did you mean Pri"]),
        ("PriorityWeightFairshair=3", ["PriorityWeightFairshair: .*; did you mean PriorityWeightFairshare?"]),
        ("PriorityFavourSmall=YES", ["PriorityFavourSmall: .*; did you mean PriorityFavorSmall?"]),
        ("SelectZebra=1", ["SelectZebra: is no setting of Slurm that is known here"]),
        ("PremptType=preempt/qos", ["PremptType: .*; did you mean PreemptType?"]),
        ("NodeName=n[1-2] CPU=4\nNodeName=m CPU=4", ["CPU: .*; did you mean CPUs?"]),
        ("PartitionName=p Node=ALL PriorityTeir=4", ["Node: .*; did you mean Nodes?", "PriorityTeir: .*Tier?"]),
        (
            "PreemptMode=REQUEUE\nAccountingStorageHost=db\nSchedulerTimeSlice=5\nFastSchedule=1\nNewKey=1\n"
            "TopologyParam=dragonfly\nSuspendTime=9",
            [],
        ),
        ("PartitionName=p MaxCPUsPerSocket=4 MinNodes=1\nNodeName=n NodeAddr=m RealMemory=4 Feature=x", []),
    ],
)
def test_keys_that_are_probably_misspelt_are_remarked(text: str, lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(f"ClusterName=a\n{text}\n", encoding="utf-8")
    said = unknown_keys(read_slurm_conf(path))
    assert len(said) == len(lines)
    assert all(re.match(begin.replace("?", r"\?"), line) for line, begin in zip(said, lines, strict=True))


def test_every_key_that_the_policy_reads_is_known() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(slurm_keys.__file__).parent.glob("slurm_*.py")]
    calls = r"(?:conf\.(?:text|number|seconds|words|flag)\(|option\(conf, )\"(\w+)\""
    used = {key for text in sources for key in re.findall(calls, text)} | set(REMARKED)
    assert len(used) > 20
    assert {key.lower() for key in used} <= {key.lower() for key in SETTINGS.read}
    assert {*PARTITION, "nodes", "default", "prioritytier"} <= {key.lower() for key in PARTITIONS.read}
    assert {*NODE, "cpus"} <= {key.lower() for key in NODES.read}
