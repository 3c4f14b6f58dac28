"""Who wants to know when kernels are compiled; `paretosched.kernels.compiling` tells it."""

from __future__ import annotations

from collections.abc import Callable

# Each is called with True when a kernel begins to be compiled, and with False when that ends; one may need another one,
# so that calls are nested. What was compiled earlier is loaded from numba's cache, and nobody is called.
LISTENERS: list[Callable[[bool], None]] = []
