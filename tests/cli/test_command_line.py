"""The command line: its help is quick and its examples are right; its exit status and error line."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.cli.command_line import all_commands
from support.commands import (
    COMMANDS,
    environment,
    process,
    succeed,
)

EXPENSIVE = "numpy numba pymoo pandas plotly pyarrow rich dask distributed moocore scipy cma dash flask"


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_is_quick_and_teaches_by_examples_that_parse(name: str | None) -> None:
    script = (
        "import sys\nfrom paretosched.cli.command_line import main\n"
        f"try: main({[name] if name else []} + ['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        f"print('imported', [m for m in {EXPENSIVE.split()} if m in sys.modules])\n"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=True
    )
    *help_, imports = outcome.stdout.splitlines()
    assert imports == "imported []"
    assert outcome.stderr == ""
    examples = [line for line in help_ if line.startswith("  paretosched ")]
    assert examples
    for line in examples:
        arguments = all_commands().parse_args(shlex.split(line)[1:])
        assert name in (None, arguments.command)
    if name is None:
        assert [line.split()[0] for line in help_ if re.match(r"    [a-z]+  ", line)] == list(COMMANDS)


def test_the_version_is_that_of_the_package() -> None:
    assert succeed("--version").out == f"paretosched {ps.__version__}\n"


def test_status_two_comes_with_one_line_of_a_process(tmp_path: Path) -> None:
    outcome = process("info", tmp_path / "none.swf")
    expected = f"paretosched info: {tmp_path / 'none.swf'}: no such file\n"
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (2, "", expected)


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["simulate", "--help"]])
def test_what_says_something_only_loads_little(words: list[str]) -> None:
    """A tenth of a second: no database, no hashes, and not what dataclasses need."""
    script = (
        "import sys\nfrom paretosched.cli.command_line import main\n"
        f"try: main({words})\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print([m for m in ('dataclasses', 'inspect', 'sqlite3', 'hashlib', 'shtab') if m in sys.modules])\n"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=True
    )
    assert outcome.stdout.splitlines()[-1] == "[]"
