"""From which of the compared jobs a trained policy learnt, and what came out on the others, as its file knows it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..core.errors import InputError
from ..core.tables import enumeration
from ..policies.policy import Policy
from ..workload.time_split import split
from ..workload.user_groups import by_earlier_consumption
from ..workload.workload import Workload
from .consequences import percent


def learnt_text(workload: Workload, policy: Policy) -> str:
    """Return in sentences from which of these jobs a policy learnt, and what came out on the rest; "" if untrained.

    A policy file may hold any provenance, so that every part of it is checked.

    Examples
    --------
    >>> from paretosched.policies.plain import Plain
    >>> w = Workload(submit=[0, 1, 2, 10], run=[1] * 4, estimate=[1] * 4, width=[1] * 4, capacity=4, name="w")
    >>> first = {"name": "w to 70 %", "digest": split(w, 0.7)[0].digest, "jobs": 3}
    >>> trained = {"words": "AWRT1", "wish": {"sum": {}}, "workloads": [first], "until": 0.7}
    >>> rest = {"objective": 45.0, "easy": 50.0, "exceeded": 0.66}
    >>> learnt_text(w, Plain("fcfs", "mine", trained | {"rest": rest}))
    'mine learnt from 75 % of these jobs, the first 70 % of the time. On the rest its goal was 10 % better than with \
EASY, and its limits were broken by 66 % in sum.'
    >>> learnt_text(w, Plain("fcfs", "mine", trained)).partition(". ")[2]
    'What came out on the rest, its file does not say.'
    """
    about = policy.provenance
    logs = about.get("workloads")
    if not isinstance(about.get("words"), str) or not isinstance(logs, list):
        return ""
    known = [log for log in logs if isinstance(log, dict) and isinstance(log.get("name"), str)]
    until = _number(about, "until")
    digests = [log.get("digest") for log in known]
    if workload.digest in digests:
        return f"{policy.name} learnt from these jobs: nothing here shows how it does on others."
    part = None
    if until is not None:
        with suppress(InputError):  # another log than it was trained on may not be cut so
            part = by_earlier_consumption(*split(workload, until))[0]
    if part is None or part.digest not in digests:
        names = enumeration([log["name"] for log in known] or ["something"])
        return f"{policy.name} learnt from {names}{'' if until is None else ' of the time'}."
    share = f"{100 * len(part) / len(workload):.0f} % of these jobs, the first {100 * (until or 0):g} % of the time"
    return f"{policy.name} learnt from {share}. {_of_rest(about)}"


def _of_rest(about: Mapping[str, Any]) -> str:
    """Return in a sentence what came out on the rest."""
    rest = about.get("rest")
    rest = rest if isinstance(rest, dict) else {}
    objective, easy, exceeded = (_number(rest, key) for key in ("objective", "easy", "exceeded"))
    wish = about.get("wish")
    parts = []
    if isinstance(wish, dict) and "sum" in wish and objective is not None and easy is not None and easy > 0:
        change = 100 * (easy - objective) / easy
        parts.append(f"its goal was {abs(change):.0f} % {'better' if change >= 0 else 'worse'} than with EASY")
    if exceeded is not None:
        parts.append(
            f"its limits were broken by {percent(100 * exceeded)} % in sum" if exceeded else "no limit was broken"
        )
    return f"On the rest {', and '.join(parts)}." if parts else "What came out on the rest, its file does not say."


def _number(values: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a file; None if it is none."""
    value = values.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number and value is not None else None
