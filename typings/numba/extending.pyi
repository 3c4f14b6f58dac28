"""What the kernels need of numba to choose a function by the types of its arguments."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

def overload(
    func: Callable[..., Any], *, jit_options: dict[str, Any] = ..., inline: str = "never", strict: bool = True
) -> Callable[[F], F]: ...
