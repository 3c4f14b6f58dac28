"""What only other kernels call has no machine code of its own; what Python calls is as numba would have it."""

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from paretosched.core.arrays import Ints
from paretosched.kernels.compiled_parts import ENVIRONMENT
from paretosched.kernels.compiling import njit
from support.commands import environment

MODULE = """
import numpy as np
from paretosched.kernels.compiling import njit

@njit(cache=True, nogil=True)
def inmost(values, i):
    if values[i] > 8:
        raise ValueError("beyond eight")
    return np.sort(values)[i]

@njit(cache=True, nogil=True)
def between(values, i, sign=1):
    return sign * inmost(values, i)

@njit(cache=True, nogil=True)
def outmost(values):
    total = 0
    for i in range(values.size):
        total += between(values, i) + 10 * between(values, i, sign=-1)
    return total

@njit(cache=True, nogil=True)
def another(values):
    return between(values, 0)
"""
ASK = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np, tower
print(getattr(tower, sys.argv[2])(np.arange(1, 4)))
try:
    getattr(tower, sys.argv[2])(np.array([9]))
except ValueError as error:
    print(error)
"""


@njit(cache=False, nogil=True, _nrt=False)
def part_of_the_sum(values: Ints, i: int) -> int:
    """Return a value; only `sum_of` calls it."""
    return int(values[i])


@njit(cache=False, nogil=True, _nrt=False)
def sum_of(values: Ints) -> int:
    """Return the sum."""
    total = 0
    for i in range(values.size):
        total += part_of_the_sum(values, i)
    return total


@pytest.mark.slow
def test_only_what_python_calls_becomes_machine_code() -> None:
    assert sum_of(np.arange(5)) == 10
    there = cpu_target.target_context.codegen()._engine._defined_symbols
    assert any("sum_of" in name for name in there)
    assert not [name for name in there if "part_of_the_sum" in name and not name.startswith(ENVIRONMENT)]
    assert part_of_the_sum(np.arange(5), 3) == 3  # as tests do


@pytest.mark.slow
def test_what_is_kept_is_used_by_other_processes_and_by_other_kernels(tmp_path: Path) -> None:
    """Exceptions, memory that is counted, defaults: all is as it was, also when another kernel takes a kept part."""
    (tmp_path / "tower.py").write_text(MODULE, encoding="utf-8")

    def answer(name: str) -> list[str]:
        command = [sys.executable, "-c", ASK, tmp_path, name]
        process = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
        assert process.returncode == 0, process.stderr
        return process.stdout.splitlines()

    assert answer("outmost") == answer("outmost") == ["-54", "beyond eight"]
    when = {path: path.stat().st_mtime_ns for path in tmp_path.glob("__pycache__/*.nb?")}
    assert sorted({path.name.split("-")[0] for path in when}) == [
        "tower.between", "tower.inmost", "tower.outmost.python",
    ]  # fmt: skip
    assert answer("another") == ["1", "beyond eight"]
    assert all(path.stat().st_mtime_ns == then for path, then in when.items()), numba.__version__
