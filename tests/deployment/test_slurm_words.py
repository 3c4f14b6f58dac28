"""What to put into slurm.conf for a policy: read again, it is the policy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.deployment.slurm_words import limit_lines, slurm_words
from paretosched.policies.policy import as_policy
from paretosched.policies.site_limits import with_site_limits
from support.commands import succeed

NODES = "NodeName=n[1-4] CPUs=16\nPartitionName=main Nodes=ALL Default=YES\n"


def conf_of(words: str, place: Path) -> Path:
    """Write what is said of a policy as a slurm.conf, without the lines of partitions."""
    head, *lines = slurm_words(as_policy(words), "policy.json")
    assert head == "In slurm.conf, a copy of it first:"
    lines = [line.strip() for line in lines if line.startswith("  ") and not line.startswith("  PartitionName")]
    file = place / "slurm.conf"
    file.write_text("\n".join(["ClusterName=here", *lines, NODES]), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "words",
    [
        "fcfs; backfill: easy",
        "easy",
        "fcfs",
        "conservative-replan",  # as Slurm, which plans anew in each pass
        "order: wait; backfill: easy:3",
        "order: 2 * wait + 3000 * width; backfill: easy",
        "order: (width * 5000 + 7) + wait; backfill: easy:8",
    ],
)
def test_read_again_it_is_the_policy(words: str, tmp_path: Path) -> None:
    w = ps.lublin(jobs=400, processors=64, seed=5)
    again = replace(as_policy(str(conf_of(words, tmp_path))), nodes=None)  # jobs start at events, as in the policy
    expected = ps.simulate(w, words)
    assert expected.wait.any()
    assert np.array_equal(ps.simulate(w, again).start, expected.start)


def test_values_of_partitions_are_factors() -> None:
    lines = slurm_words(as_policy("order: wait + partition(gpu = 86400, long = 43200); backfill: easy"), "p.json")
    assert [line.strip() for line in lines if "Partition" in line] == [
        f"PriorityWeightPartition={round(86400 * 1e9 / (366 * 86400))}",
        "PartitionName=gpu ... PriorityJobFactor=65533",
        f"PartitionName=long ... PriorityJobFactor={round(65533 / 2)}",
    ]


@pytest.mark.parametrize(
    "words", ["sjf; backfill: easy", "priority:1; backfill: easy", "order: wait - width", "guarded: 1"]
)
def test_an_order_without_words_in_slurm_conf_needs_the_daemon(words: str) -> None:
    lines = slurm_words(as_policy(words), "my policy.json")
    assert "  PriorityType=priority/multifactor" in lines
    assert not any("PriorityWeight" in line for line in lines)
    assert lines[-1].startswith("  paretosched deploy 'my policy.json' --to slurm --groups account")


def test_what_slurm_cannot_do_is_said() -> None:
    lines = slurm_words(as_policy("fcfs; backfill: easy; backfill-order: sjf"), "p.json")
    assert lines[-1] == "Slurm cannot do this of the policy: another order of backfilling"
    (line,) = slurm_words(as_policy("scojo"), "p.json")
    assert line.startswith("Slurm cannot be told this: policy SCOJO-PECT shares the machine in time slices")


def test_explain_prints_it(tmp_path: Path) -> None:
    ps.save_policy(as_policy("sjf; backfill: easy"), tmp_path / "p.json")
    outcome = succeed("explain", tmp_path / "p.json")
    lines = succeed("explain", tmp_path / "p.json", "--json").json["slurm"]
    assert outcome.out.endswith("\n\n" + "\n".join(lines) + "\n")
    assert f"  paretosched deploy {tmp_path / 'p.json'} --to slurm" in lines[-1]
    assert "paretosched deploy policy.json --to slurm" in succeed("explain", "sjf").out


def test_lines_of_limits_are_read_again_as_they_were_meant(tmp_path: Path) -> None:
    changes = [
        ("long", "MaxJobsPU", None), ("long", "MaxTRESPU=cpu", 400), ("long", "MaxTRESPU=gres/gpu", None),
        ("normal", "MaxJobsPU", 64), ("", "bf_max_job_user", 8),
    ]  # fmt: skip
    lines = limit_lines(changes)
    assert lines == [
        "sacctmgr modify qos long set MaxJobsPerUser=-1 MaxTRESPerUser=cpu=400,gres/gpu=-1",
        "sacctmgr modify qos normal set MaxJobsPerUser=64",
        "SchedulerParameters=bf_max_job_user=8   # in slurm.conf, with those that are there already",
        "AccountingStorageEnforce=limits,qos   # in slurm.conf, else Slurm enforces none",
    ]
    before = [
        "sacctmgr add qos long MaxJobsPerUser=3 MaxTRESPerUser=gres/gpu=2,mem=8 MaxWall=60",
        "sacctmgr add qos normal",
    ]
    (tmp_path / "qos.txt").write_text("\n".join([*before, *lines[:2]]), encoding="utf-8")
    machine = with_site_limits(ps.Machine((ps.NodeKind("n1", 4, 8000),)), tmp_path / "qos.txt", None)[0]
    assert {row.qos: row.plain for row in machine.limits if row.values} == {
        "long": {"MaxWall": 3600, "MaxTRESPU": {"cpu": 400, "mem": 8 * 1024}}, "normal": {"MaxJobsPU": 64},
    }  # fmt: skip
    assert limit_lines([("", "bf_max_job_user", None)]) == [
        "SchedulerParameters=...   # in slurm.conf, without bf_max_job_user"
    ]
    assert limit_lines([]) == []


def test_times_of_partitions_have_lines_for_now_and_for_later() -> None:
    assert limit_lines([("a", "MaxTime", 129_600), ("b", "MaxTime", None)]) == [
        "scontrol update PartitionName=a MaxTime=1-12:00:00",
        "scontrol update PartitionName=b MaxTime=UNLIMITED",
        "PartitionName=a ... MaxTime=1-12:00:00   # in slurm.conf, so that it stays",
        "PartitionName=b ... MaxTime=UNLIMITED   # in slurm.conf, so that it stays",
        "EnforcePartLimits=ANY   # in slurm.conf: ALL refuses jobs that are too long for one they name",
    ]
