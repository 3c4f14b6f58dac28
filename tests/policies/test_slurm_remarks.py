"""Remarks on what of a slurm.conf is not simulated: none for harmless values."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretosched.policies.slurm_conf import SlurmConf, read_slurm_conf
from paretosched.policies.slurm_remarks import DEPTHS, OPTIONS, depth_remarks, scheduler_remarks, setting_remarks


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
        "PartitionName=p OverSubscribe=EXCLUSIVE State=UP PreemptMode=off GraceTime=0",
        "PartitionName=p OverSubscribe=NO:4",
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
    ],
)
def test_settings_are_remarked(text: str, line: str, tmp_path: Path) -> None:
    (remark,) = setting_remarks(read(tmp_path, text), "priority/multifactor")
    assert remark.startswith(line)


def test_multifactor_settings_do_not_matter_for_priority_basic(tmp_path: Path) -> None:
    assert setting_remarks(read(tmp_path, "PriorityWeightAssoc=7\nPriorityFlags=INCR_ONLY"), "priority/basic") == []


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
    assert scheduler_remarks(read(tmp_path, "SchedulerParameters=sched_min_interval=0")) == []
