"""Kernels without numba: the same numbers, and numba is never imported."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from paretosched.kernels.compiling import power
from support.commands import environment

VALUES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 2.5, 1e300, -1e300, 1e-300, 400.0, math.inf, -math.inf, math.nan)
SCRIPT = (
    "import sys\n"
    "from paretosched.kernels.compiling import COMPILED, njit, overload, power\n"
    f"values = [float(word) for word in {[repr(value) for value in VALUES]!r}]\n"
    "print('numba' in sys.modules, COMPILED)\n"
    "print([repr(power(x, y)) for x in values for y in values])\n"
    "@njit(cache=True, nogil=True)\n"
    "def double(x):\n"
    "    return x * 2\n"
    "print(double('a'))\n"
)


@pytest.mark.slow
def test_without_numba_powers_are_those_of_compiled_code() -> None:
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment(NUMBA_DISABLE_JIT="1"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert process.returncode == 0, process.stderr
    loaded, powers, doubled = process.stdout.splitlines()
    assert (loaded, doubled) == ("False False", "aa")
    assert powers == str([repr(power(x, y)) for x in VALUES for y in VALUES])
