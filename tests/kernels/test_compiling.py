"""Kernels without numba: the same numbers, and numba is never imported; what numba drops; constants."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.extending import overload as overload_of_numba

import paretosched.kernels
from paretosched.core.locks import take_lock
from paretosched.kernels.compiling import njit, overload, power
from paretosched.kernels.fair_share import no_tree
from paretosched.kernels.usage import Usage, no_usage, note_usage
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


def rates_noted_after(choose: Callable[..., Any]) -> list[int]:
    """Return the rates of three accounts after a call of what `choose` overloads, and a write that follows it."""

    def nothing(usage: Usage) -> int:
        raise NotImplementedError

    @choose(nothing)
    def _nothing(usage: Any) -> Callable[[Any], int]:
        return lambda usage: 0  # numba compares the names

    @njit(cache=False, nogil=True, _nrt=False)
    def note(usage: Usage, n: int) -> None:
        for j in range(n):
            nothing(usage)
            note_usage(usage, j, 10 * j, 3)

    usage = no_usage(np.arange(3), 100.0, no_tree())
    note(usage, 3)
    return [int(rate) for rate in usage.rate]


@pytest.mark.slow
def test_a_write_behind_an_overload_is_not_lost() -> None:
    assert rates_noted_after(lambda function: overload(function, strict=False)) == [3, 3, 3]


@pytest.mark.slow
def test_numba_still_loses_it_behind_an_overload_that_is_inlined() -> None:
    rates = rates_noted_after(lambda function: overload_of_numba(function, inline="always", strict=False))
    if rates == [3, 3, 3]:
        pytest.skip(f"numba {numba.__version__} has mended it: the rule in paretosched/kernels/__init__.py may go")
    assert rates == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_is_compiled_once_for_all_constants_that_are_passed_to_it() -> None:
    """numba itself would compile it three times."""

    @njit(cache=False, nogil=True, _nrt=False)
    def add(x: int, more: bool) -> int:
        return x + 1 if more else x

    @njit(cache=False, nogil=True, _nrt=False)
    def add_some(x: int) -> int:
        return add(x, True) + add(3, False) + add(-1, x > 0)

    kernel: Any = add
    assert add_some(5) == 6 + 3 + 0
    assert not kernel.signatures  # those for which Python calls it
    assert len(kernel.get_overload.__self__.signatures) == 1


def test_no_kernel_takes_the_overload_of_numba() -> None:
    sources = Path(paretosched.kernels.__file__).parent.glob("*.py")
    assert [s.name for s in sources if "extending" in s.read_text(encoding="utf-8")] == ["compiling.py"]


def test_processes_keep_what_they_compile_in_turn(tmp_path: Path) -> None:
    """Where another one writes, a kernel waits; without patience it keeps nothing, and the next process compiles."""
    (tmp_path / "one.py").write_text(
        "from paretosched.kernels.compiling import njit\n\n\n"
        "@njit(cache=True, nogil=True)\ndef double(x):\n    return 2 * x\n"
    )
    ask = "import sys; sys.path.insert(0, sys.argv[1]); import one; print(one.double(int(sys.argv[2])), end='')"
    impatient = f"import paretosched.kernels.compiling as c; c.PATIENCE = 0.0; {ask}"
    kept = tmp_path / "__pycache__"
    kept.mkdir()

    def process_of(script: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script, tmp_path, "4"], env=environment(), stdout=subprocess.PIPE, text=True
        )

    handle = take_lock(kept)
    assert handle is not None
    assert process_of(impatient).communicate(timeout=300)[0] == "8"
    assert not [*kept.glob("*.nbi")]
    waits = process_of(ask)
    with pytest.raises(subprocess.TimeoutExpired):
        waits.wait(timeout=5)
    os.close(handle)
    assert waits.communicate(timeout=300)[0] == "8"
    assert len([*kept.glob("one.double*.nbi")]) == 1
