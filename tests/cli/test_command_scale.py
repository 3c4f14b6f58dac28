"""`paretosched scale` writes what the library makes."""

import re
from pathlib import Path

import paretosched as ps
from support.commands import (
    load,
    succeed,
)


def test_scale_writes_what_the_library_makes(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    target = tmp_path / "s.swf.gz"
    scale = ("scale", house / "w.swf.gz", "-o", target)
    succeed(*scale, "--processors", 150, "--factor", 2.45, "--seed", 4)
    expected = ps.scale(workload, 150, 2.45, 4)
    assert ps.read_swf(target).digest == expected.digest
    outcome = succeed(*scale, "--processors", 128, "--jobs", 321, "--json")
    assert outcome.json == {"file": str(target), "jobs": 321, "capacity": 128, "load": load(ps.read_swf(target))}
    assert ps.read_swf(target).digest == ps.scale(workload, 128, jobs=321).digest
    succeed(*scale)
    assert ps.read_swf(target).capacity == 1024


def test_scale_remarks_what_it_narrowed(house: Path, tmp_path: Path) -> None:
    target = tmp_path / "s.swf"
    outcome = succeed("scale", house / "record.swf", "--processors", 16, "--factor", 3, "--jobs", 8, "-o", target)
    assert "1 dropped" in outcome.err.splitlines()[1]
    assert re.fullmatch(
        rf"paretosched: {re.escape(str(target))}: changed \d jobs?: "
        r"scaled beyond the machine: narrowed to 16 processors \(job \d.*\)",
        outcome.err.splitlines()[0],  # this changes more
    )
