"""The systemd unit that deploy prints."""

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from paretosched.deployment.guard_review import MOST_MEMORY
from paretosched.deployment.systemd_unit import hidden_path, unit_text


def test_it_runs_the_command_with_few_rights() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(unit_text(["/usr/bin/paretosched", "deploy", "/etc/my policy%1.json", "--to", "slurm"]))
    service = dict(unit["Service"])
    assert service["ExecStart"] == '/usr/bin/paretosched deploy "/etc/my policy%%1.json" --to slurm'
    assert service["User"] == "paretosched"
    assert service["NoNewPrivileges"] == service["PrivateTmp"] == service["RestrictSUIDSGID"] == "yes"
    assert service["CapabilityBoundingSet"] == ""
    assert service["RestartPreventExitStatus"] == "2"
    # A review of a guarded order, a process of the unit, may take so much; and it lowers its priority, by @resources.
    assert 2**20 * int(service["MemoryMax"].removesuffix("M")) > MOST_MEMORY + 2**27
    assert service["SystemCallFilter"] == "~@privileged"


def test_it_says_the_whole_command_that_undoes_it() -> None:
    words = ["/bin/paretosched", "deploy", "/etc/my policy.json", "--to", "slurm", "--partition", "a"]
    line = next(line for line in unit_text(words).splitlines() if line.endswith(" --off"))
    assert shlex.split(line.removeprefix("#")) == [*words, "-o", "/var/lib/paretosched", "--off"]
    line = next(line for line in unit_text([*words, "-o", "/srv/x"]).splitlines() if line.endswith(" --off"))
    assert shlex.split(line.removeprefix("#")) == [*words, "-o", "/srv/x", "--off"]


def test_paths_that_it_cannot_see_are_found() -> None:
    assert hidden_path(["/bin/paretosched", "deploy", "/var/tmp/p.json"]) == "/var/tmp/p.json"
    assert hidden_path(["/bin/paretosched", "deploy", "/etc/tmp/p.json"]) is None


def test_systemd_finds_no_fault_in_it(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("NO SYSTEMD: the unit was not checked by systemd-analyze")
    path = tmp_path / "paretosched-deploy.service"
    path.write_text(unit_text(["/bin/true", "deploy"]), encoding="utf-8")
    words = ["systemd-analyze", "verify", "--man=no", str(path)]
    process = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert path.name not in process.stderr
