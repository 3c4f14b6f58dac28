"""Arguments that may be one value or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_list(what: Any) -> list[Any]:
    """Return the values of a list or tuple, or a single value, as a list; a text is a single value.

    Examples
    --------
    >>> as_list("easy"), as_list(("easy", "fcfs"))
    (['easy'], ['easy', 'fcfs'])
    """
    return list(what) if isinstance(what, Sequence) and not isinstance(what, str) else [what]
