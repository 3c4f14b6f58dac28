"""What the kernels need of numba, which does not say what `njit` returns: the function as it was, compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

def njit(
    *, cache: bool, nogil: bool, _nrt: bool = True, inline: str = "never", fastmath: bool = False
) -> Callable[[F], F]: ...
