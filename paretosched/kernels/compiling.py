"""How kernels are compiled: by numba; or not at all, where few jobs are ordered and numba would take too long to load.

With NUMBA_DISABLE_JIT=1, numba's own switch, in the environment before a kernel is imported, numba is never imported,
and every kernel is the Python function as it stands. It returns the same numbers, slowly.
"""

# ruff: noqa: ARG001  # the arguments are numba's

import functools
import math
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

from ..core.compilation import Compilations
from ..core.errors import InputError
from ..core.locks import take_lock

F = TypeVar("F", bound=Callable[..., Any])

PATIENCE = 60.0  # s: how long a process waits until another one has written what it has compiled
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

if COMPILED:
    import numba
    from numba import extending
    from numba.core import event, types

    from .compiled_parts import PartCompiler

    plain: Callable[[Any], Any] = types.unliteral  # the type of a constant without its value
    event.Listener.register(Compilations)
    event.register("numba:compile", Compilations())  # type: ignore[no-untyped-call]

    def njit(
        *, cache: bool, nogil: bool, _nrt: bool = True, inline: str = "never", fastmath: bool = False
    ) -> Callable[[F], F]:
        """Return numba's decorator, with which a kernel is compiled apart for other kernels and for Python.

        What other kernels call has not what Python needs to call it, and becomes machine code only within a kernel that
        Python calls. And a constant that a kernel passes is like any number, where numba itself would compile a
        function once more for each. cache, nogil, _nrt, inline and fastmath are numba's options.
        """
        options: dict[str, Any] = {"cache": cache, "nogil": nogil, "_nrt": _nrt, "inline": inline, "fastmath": fastmath}
        options["no_cfunc_wrapper"] = True  # what C needs, which calls no kernel
        of_part: dict[str, Any] = {**options, "no_cpython_wrapper": True, "pipeline_class": PartCompiler}

        def compile_function(function: F) -> F:
            """Return the function as numba compiles it, with what says for which types others call it."""
            inner: Any = numba.njit(**of_part)(function)
            kernel: Any = numba.njit(**options)(copy_of(function))
            resolve = inner.get_call_template

            def resolve_constants(args: Any, kws: Any) -> Any:
                """Return what numba does with the types `args` and `kws`, as if constants were any numbers."""
                return resolve(tuple(map(plain, args)), {name: plain(kws[name]) for name in kws})

            kernel.get_call_template, kernel.get_overload = resolve_constants, inner.get_overload
            if cache:
                keep_alone(inner._cache._cache_file)
                keep_alone(kernel._cache._cache_file)
            chosen: F = kernel
            return chosen

        return compile_function

    def copy_of(function: Any) -> Any:
        """Return a copy of a function, for which numba has files of its own."""
        copy = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        functools.update_wrapper(copy, function)
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__qualname__ += ".python"
        del copy.__wrapped__  # type: ignore[attr-defined]
        return copy

    def keep_alone(kept: Any) -> None:
        """Let one process at a time write the cache file `kept` of a kernel.

        Of two that keep a kernel for different types at once, numba may load the code of one for the types of the
        other. A process that does not get its turn keeps nothing, and compiles again the next time.
        """
        save = kept.save

        def save_in_turn(key: Any, data: Any) -> None:
            """Do what numba does with `key` and `data`."""
            try:
                handle = take_lock(Path(kept._index_path).parent, PATIENCE)
            except (InputError, OSError):  # there are no locks here
                save(key, data)
                return
            if handle is not None:
                try:
                    save(key, data)
                finally:
                    os.close(handle)

        kept.save = save_in_turn

    @njit(cache=True, nogil=True, _nrt=False, inline="always")
    def power(x: float, y: float) -> float:
        """Return x to the power of y as the C library does, with inf and nan instead of exceptions."""
        return math.pow(x, y)

    def overload(func: Callable[..., Any], *, strict: bool = True) -> Callable[[F], F]:
        """Return what chooses the body of `func` by types, `strict` as numba has it; never inlined, see `kernels`.

        The body must not allocate memory: it is compiled without reference counts, as kernels are.
        """
        options: dict[str, Any] = {"nogil": True, "_nrt": False, "pipeline_class": PartCompiler}
        chosen: Callable[[F], F] = extending.overload(func, jit_options=options, inline="never", strict=strict)
        return chosen

    def intrinsic(func: Callable[..., Any]) -> Any:
        """Return what puts LLVM's instructions of `func`, which gets numba's types, in place of a call."""
        return extending.intrinsic(func)  # type: ignore[attr-defined]

else:

    def njit(
        *, cache: bool, nogil: bool, _nrt: bool = True, inline: str = "never", fastmath: bool = False
    ) -> Callable[[F], F]:
        """Return what leaves a function as it is, whatever cache, nogil, _nrt, inline and fastmath are."""
        return lambda function: function

    def overload(func: Callable[..., Any], *, strict: bool = True) -> Callable[[F], F]:
        """Return what leaves a function as it is; func stays without a body, whatever strict is."""
        return lambda function: function

    def intrinsic(func: Callable[..., Any]) -> Any:
        """Return `func` as it is."""
        return func

    def power(x: float, y: float) -> float:
        """Return x to the power of y as the C library does, with inf and nan instead of exceptions."""
        try:
            return math.pow(x, y)
        except OverflowError:
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        except ValueError:  # 0 to a power of less than 0, or a root of less than 0
            if x == 0:
                return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
            return math.nan


__all__ = ["COMPILED", "intrinsic", "njit", "overload", "power"]
