"""Keys of waiting jobs from a Python function, which compiled code calls by its address: so it is compiled once.

The function is one of ctypes, which takes Python's global lock while it runs, and gets addresses of arrays.
"""

import ctypes
from typing import Any

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import COMPILED, intrinsic, njit
from .inputs import Jobs

NOBODY = 0  # the address where no function is asked
# second, number of waiting jobs, and the addresses of rows, keys, arrivals and estimates
ASKED = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6)

if COMPILED:
    import numba
    from llvmlite import ir

    types: Any = numba.types  # type: ignore[attr-defined]

    @intrinsic
    def call(
        context: Any,  # noqa: ARG001  # numba's types, of which only the number matters
        address: Any,  # noqa: ARG001
        t: Any,  # noqa: ARG001
        count: Any,  # noqa: ARG001
        queue: Any,  # noqa: ARG001
        keys: Any,  # noqa: ARG001
        submit: Any,  # noqa: ARG001
        estimate: Any,  # noqa: ARG001
    ) -> Any:
        """Call the function at an address with six whole numbers.

        Parameters
        ----------
        context
            numba's.
        address, t, count, queue, keys, submit, estimate
            numba's types of the address and of the six numbers of ASKED.
        """

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            """Return no value of a call that is made with `context`, `builder`, `_signature` and `arguments`."""
            number = ir.IntType(64)
            function = ir.FunctionType(ir.VoidType(), [number] * 6).as_pointer()
            builder.call(builder.inttoptr(arguments[0], function), arguments[1:])
            return context.get_dummy_value()

        return types.void(*[types.int64] * 7), generate

else:

    def call(address: Int, t: Int, count: Int, queue: Int, keys: Int, submit: Int, estimate: Int) -> None:
        """Call the function at an address with six whole numbers.

        Parameters
        ----------
        address, t, count, queue, keys, submit, estimate
            The address, and the six numbers of ASKED.
        """
        ASKED(int(address))(int(t), int(count), int(queue), int(keys), int(submit), int(estimate))


@njit(cache=True, nogil=True, _nrt=False)
def ask(address: Int, jobs: Jobs, t: Int, queue: Ints, keys: Floats, count: Int) -> Int:
    """Keep those of the first `count` rows of a queue that are not held back, with keys; return how many these are.

    Parameters
    ----------
    address
        Of a function of the form ASKED, which fills keys: the smallest first, and inf or NaN for jobs held back.
    jobs, t
        `Jobs` and the second.
    queue, keys
        (n,) int64 rows, modified in place, and (n,) float64, filled in place: the largest comes first.
    count
        How many jobs are in the queue.
    """
    call(
        address, t, count, queue.ctypes.data, keys.ctypes.data, jobs.submit.ctypes.data, jobs.estimate.ctypes.data
    )  # fmt: skip
    size: Int = np.int64(0)
    for i in range(count):
        if keys[i] < np.inf:
            queue[size] = queue[i]
            keys[size] = -keys[i]
            size += 1
    return size
