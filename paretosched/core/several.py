"""One value where several may be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_list(what: Any) -> list[Any]:
    """Return one value, or the values of a list or tuple, as a list; a text is one value.

    Examples
    --------
    >>> as_list("easy"), as_list(("easy", "fcfs"))
    (['easy'], ['easy', 'fcfs'])
    """
    return list(what) if isinstance(what, Sequence) and not isinstance(what, str) else [what]
