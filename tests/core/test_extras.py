"""The core works without what the extras bring; what needs an extra says which, and with status 2."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from paretosched.core.extras import EXTRAS, missing_extra
from support.experiments import ROOT

BLOCKED = f"""
import sys
sys.modules.update(dict.fromkeys({sorted(name for names in EXTRAS.values() for name in names)}))
"""
RUN_ALL = """
import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from paretosched.cli import main

told = []
for line in lines:
    err = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(err):
        try:
            status = main(line.split())
        except SystemExit as end:  # after help
            status = end.code
    told.append([status or 0, err.getvalue()])
print(json.dumps(told))
"""
CORE = (
    "info w.swf",
    "simulate w.swf --policy easy -o s.csv",
    "compare w.swf --policy fcfs --policy sjf",
    "compare w.swf --policy fcfs -o report.html",
    "resample w.swf -o again.swf",
    "whatif w.swf --nodes +16",
    "explain easy",
    "machine slurm.conf -o machine.toml",
    "import slurm sacct.txt --zone UTC -o imported.swf",
    "train --help-all",
    "explore --help-all",
    "app --help-all",
    "completion bash",
    "fetch",
)
BEYOND = (
    ("train w.swf --objective AWRT --generations 1 -o p.json", "explore"),
    ("explore w.swf -o run --evaluations 100", "explore"),
    ("import slurm sacct.txt --zone UTC --machine slurm.conf -o log.parquet", "parquet"),
    ("compare w.swf --policy fcfs --figures .", "app"),
    ("app w.swf", "app"),
)


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs code where no extra is installed, in a folder with a log, accounts and a machine."""
    place = tmp_path_factory.mktemp("core")

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", BLOCKED + code]
        return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=300)

    (place / "slurm.conf").write_text(
        "ClusterName=c\nSelectType=select/cons_tres\nNodeName=n[1-4] CPUs=8 RealMemory=1000\n"
        "PartitionName=all Nodes=n[1-4] Default=YES MaxTime=1-0\n"
    )
    heads = "JobID|Submit|Eligible|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|TimelimitRaw|User|Partition|State"
    row = f"{{}}{'|2024-01-01T00:00:00' * 3}|2024-01-01T01:00:00|3600|8|8|1|120|u|all|COMPLETED"
    (place / "sacct.txt").write_text("\n".join([heads, *(row.format(k) for k in range(1, 5))]) + "\n")
    done = run("from paretosched.cli import main; main('generate lublin --jobs 200 --processors 64 -o w.swf'.split())")
    assert done.returncode == 0, done.stderr
    return run


@pytest.fixture(scope="module")
def outcomes(without: Callable[..., subprocess.CompletedProcess[str]]) -> dict[str, tuple[int, str]]:
    """The status and standard error of each command line; one process runs all of them."""
    lines = [*CORE, *(line for line, _ in BEYOND)]
    done = without(f"lines = {lines!r}\n{RUN_ALL}")
    assert done.returncode == 0, done.stderr
    return {line: (status, err) for line, (status, err) in zip(lines, json.loads(done.stdout), strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("line", CORE)
def test_the_core_needs_no_extra(outcomes: dict[str, tuple[int, str]], line: str) -> None:
    status, err = outcomes[line]
    assert status == 0, err
    assert "paretosched[" not in err


@pytest.mark.slow
@pytest.mark.parametrize(("line", "extra"), BEYOND)
def test_what_needs_an_extra_says_which(outcomes: dict[str, tuple[int, str]], line: str, extra: str) -> None:
    status, err = outcomes[line]
    assert status == 2
    assert re.fullmatch(
        rf"paretosched {line.split()[0]}: this needs \w+, .* pip install 'paretosched\[{extra}\]'", err.splitlines()[-1]
    )
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_heuristic_in_python_is_simulated_and_compared_by_the_core(
    without: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    code = """
import paretosched as ps
w = ps.read_swf("w.swf")
print(ps.objectives(ps.simulate(w, lambda job, now: job.width))["AWRT"] > 0, "FCFS" in str(ps.compare(w, ["fcfs"])))
"""
    done = without(code)
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr


def test_extras_are_those_of_the_project() -> None:
    project = tomllib.loads(Path(ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project["optional-dependencies"]
    brought = {"choreographer": "kaleido", "flask": "dash"}  # they come with another one
    for extra, modules in EXTRAS.items():
        named = {re.split(r"[<>=]", line)[0] for line in listed[extra] if "[" not in line}
        assert named == {module for module in modules if module not in brought}
        assert {brought[module] for module in modules if module in brought} <= named
        assert not named & {re.split(r"[<>=]", line)[0] for line in project["dependencies"]}
    assert listed["all"] == ["paretosched[app,explore]"]
    assert "paretosched[parquet]" in listed["explore"]


def test_a_module_of_no_extra_stays_an_error_of_its_own() -> None:
    error = ModuleNotFoundError("No module named 'nothing'", name="nothing")
    with pytest.raises(ModuleNotFoundError) as raised:
        missing_extra(error)
    assert raised.value is error
