"""The memory of an import: so many bytes a job, and none for the text that was read."""

import subprocess
import sys
from pathlib import Path

import pytest

import paretosched as ps
from support.accounting import import_into
from support.commands import ROOT, environment
from support.many_lives import many_lives

pytestmark = [pytest.mark.slow, pytest.mark.long]

BYTES = 64  # a job, at most; 40 were measured
LATER = 128  # more for each job that became eligible after its submission


def peak(*words: object) -> int:
    """Return the largest memory of an import of jobs that are not read from text, in bytes."""
    line = [sys.executable, "-m", "support.import_memory", *map(str, words)]
    # arrays of a few MB are kept for later by malloc, those of more jobs are not: here no array is
    where = {**environment(), "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "MALLOC_MMAP_THRESHOLD_": "65536"}
    return 1024 * int(subprocess.run(line, env=where, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(("later", "most"), [(0.05, BYTES), (0.5, BYTES + 0.5 * LATER)])
def test_memory_grows_by_some_bytes_a_job(tmp_path: Path, later: float, most: float) -> None:
    few, many = 50_000, 350_000
    log = tmp_path / "w.swf"
    a_job = (peak(many, later, log) - peak(few, later, tmp_path / "few.swf")) / (many - few)
    print(f"{a_job:.1f} bytes a job, {100 * later:g} % of them eligible later")
    assert a_job < most
    assert log.read_bytes().count(b"\n") == many + 8  # lines of the header


def test_lines_that_were_read_are_forgotten(tmp_path: Path) -> None:
    code = (
        "import re, sys; from pathlib import Path; from paretosched.cli.command_line import main; main(sys.argv[1:]); "
        "sys.stderr.write(re.search(r'VmHWM:.*', Path('/proc/self/status').read_text()).group())"
    )
    words = [sys.executable, "-c", code, "import", "slurm", "-", "-o", str(tmp_path / "w.swf")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True) as done:
        assert done.stdin is not None
        assert done.stderr is not None
        done.stdin.writelines(many_lives(200_000))
        done.stdin.close()
        told = done.stderr.read()
    kilobytes = int(told.rpartition("VmHWM:")[2].split()[0])
    print(f"{kilobytes / 1024:.0f} MiB for 200,000 lines")
    assert kilobytes < 256 * 1024  # 33 MB of text would be more than 300 MB of words


def test_more_jobs_than_the_limit_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "sacct.txt").write_text("".join(many_lives(2000)))
    for limits, name in (({"lives": 1000}, "lives"), ({"jobs": 1000}, "jobs"), ({"jobs": 9, "lives": 1000}, "lives")):
        fault = f"must be at most 1,000 jobs, but is more; --limit {name}=N sets another limit"
        with ps.reading_limits(**limits), pytest.raises(AssertionError, match=fault):
            import_into(tmp_path, "slurm", tmp_path / "sacct.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["sacct.txt"]
    assert len(import_into(tmp_path, "slurm", tmp_path / "sacct.txt").jobs) == 2000
