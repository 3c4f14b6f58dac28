"""`paretosched generate` writes what the library makes."""

from pathlib import Path

import paretosched as ps
from support.commands import (
    load,
    succeed,
)


def test_generate_writes_what_the_library_makes(tmp_path: Path) -> None:
    target = tmp_path / "w.swf"
    outcome = succeed("generate", "lublin", "--jobs", 50, "--processors", 64, "--seed", 5, "-o", target)
    workload = ps.lublin(50, 64, 5)
    ps.write_swf(workload, tmp_path / "ours.swf")
    assert target.read_bytes() == (tmp_path / "ours.swf").read_bytes()
    assert outcome.out == f"{target}: 50 jobs on 64 processors, offered load {load(workload):.3f}\n"
    assert outcome.err == ""
    options = ("--variant", "two-type", "--estimates", "exact", "--no-carry")
    outcome = succeed("generate", "lublin", "--jobs", 50, "--seed", 5, *options, "-o", target, "--json")
    workload = ps.lublin(50, 128, 5, variant="two-type", estimates="exact", carry=False)
    assert outcome.json == {"file": str(target), "jobs": 50, "capacity": 128, "load": load(workload)}
    assert ps.read_swf(target).digest == workload.digest


def test_one_job_has_no_load(tmp_path: Path) -> None:
    outcome = succeed("generate", "lublin", "--jobs", 1, "-o", tmp_path / "w.swf")
    assert outcome.out == f"{tmp_path / 'w.swf'}: 1 job on 128 processors\n"
    assert "offered load -;" in succeed("info", tmp_path / "w.swf").out
    assert succeed("info", tmp_path / "w.swf", "--json").json["load"] is None
