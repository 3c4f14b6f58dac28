"""The words with which policies are explained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from ..core.tables import amount, enumeration
from ..workload.group_rules import GroupRule
from .guarded import Guarded, guarded_text
from .policy_tokens import written_time
from .time_sharing import TimeSharing

LIFETIME = 100 * 365 * 86400  # seconds, longer than any machine lasts; a longer wait counts as never


class _Worded(Protocol):
    """An explanation that consists of sentences."""

    def words(self) -> list[str]:
        """Return the sentences."""


def paragraphs(explanation: _Worded) -> str:
    """Return all sentences as text, one paragraph a line."""
    return "\n".join(explanation.words())


class Kind(NamedTuple):
    """An example of a job, which stands for many like it.

    Attributes
    ----------
    name
        What it is called in tables and sentences.
    width, estimate
        Processors and seconds it requests.
    """

    name: str
    width: int
    estimate: int


# Of CTC scaled to 1024, 4 and 64 processors are the median and the 95th percentile; half of the requested times lie
# between 15 min and 16 h.
KINDS = (
    Kind("small", 4, 1800),
    Kind("narrow long", 4, 43200),
    Kind("wide short", 64, 1800),
    Kind("large", 64, 43200),
)

WHEN = {
    "weekend": "Saturday and Sunday",
    "day": "Monday to Friday, 8 to 18 o'clock",
    "night": "the rest of the week",
}
FORMULAS = {
    "f1": "w (K + a wait / request + b request / processors)",
    "f2": "w (K + a wait + b request x processors)",
    "f3": "w (K + a wait / (request x processors))",
    "f4": "w (K + a wait + b request / processors)",
}
ARRIVAL = "the order in which they became eligible"
EVENTS = "whenever a job becomes eligible or completes"
ELIGIBLE = "A job is eligible from its submission on, or from later on if it depends on another job or has a date."
RULES = {
    "fcfs": f"Jobs start in {ARRIVAL}: no job overtakes another one, and while the first job does not fit, processors "
    f"stay idle. {ELIGIBLE}",
    "list": f"In {ARRIVAL}, every job that fits starts: a narrow job overtakes any number of wide ones, and a wide one "
    f"may wait as long as narrow ones keep coming. {ELIGIBLE}",
    "easy": f"Jobs start in {ARRIVAL}. While the first one does not fit, it has a reservation for the "
    "earliest time that the requests of the running jobs allow, and any job that fits now and does not delay that one "
    f"reservation overtakes it. Groups, weekends and hours make no difference. {ELIGIBLE}",
    "conservative": "Every job gets a reservation when it becomes eligible, the earliest that delays no job before "
    "it, and reservations only move to earlier times: a job that overtakes others delays no reservation. Groups, "
    f"weekends and hours make no difference. {ELIGIBLE}",
    "conservative-replan": f"{EVENTS.capitalize()}, all waiting jobs are planned again in {ARRIVAL}, "
    "each as early as delays no job before it, and those whose planned time is now start: a job that "
    "overtakes others delays none of them in the plan, but plans are not kept. Groups, weekends and hours make no "
    f"difference. {ELIGIBLE}",
    "scojo": "The machine belongs to short, medium and long jobs in turn, for the shares of an interval that the "
    "policy gives them. At the end of a slice jobs are stopped, and continue later on the same processors. In its "
    f"slice a class is served in {ARRIVAL}, with EASY backfilling. User groups make no difference. {ELIGIBLE}",
    "recorded": "Jobs start when the log says that they did: a record, and no rule.",
}
IDLE = {
    True: "Jobs of other classes use the processors that a slice leaves idle, until it ends.",
    False: "Processors that a slice leaves idle stay so: jobs run in the slices of their own class only.",
}
RUN_TIME_WORDS = {"known": "true run times, which the scheduler knows", "estimates": "the run times that are requested"}
OPTIMISED = {
    "groups": "Where enough medium or long jobs wait, they are planned together: among many orders the one with the "
    "smallest slowdowns is sought, and kept until the group has finished; jobs that are backfilled then delay no "
    "planned job.",
    "bottom-line": "Medium and long jobs that wait are planned again at every event of their slice, however few: among "
    "many orders the one with the smallest slowdowns is sought; jobs that are backfilled delay no planned job.",
}
QUEUE = (
    f"{EVENTS.capitalize()}, the waiting jobs are ordered by a key, largest first, equal keys in {ARRIVAL}. "
    f"{ELIGIBLE} A wait counts from then; the key is that of the present situation, by the site's clock."
)
LETTERS = (
    "In a key, w is the weight of the job's group, K its head start, a what a second of waiting counts and b what the "
    "size counts: numbers that a training chose, for each situation."
)
BACKFILLING = {
    "none": "The first job starts as soon as it fits, and no job starts before it: to overtake is to start earlier, "
    "and while the first job does not fit, processors stay idle.",
    "easy": "The first job starts as soon as it fits. While it does not, it has a reservation for the earliest time "
    "that the requests of the running jobs allow. In the order of the keys, any job that fits now and does not delay "
    "that one reservation starts before it (EASY backfilling): a job that is passed in the queue may still start "
    "earlier, where it fits.",
    "conservative": "In the order of the keys all waiting jobs are planned again each time, each as early as delays "
    "no job before it, and those whose planned time is now start (conservative backfilling): a job that is passed in "
    "the queue may still start earlier, where it delays no job before it.",
}
READING = (
    f"Waits: 0 is at once; = is in {ARRIVAL}; min, h, d and y are minutes to years; never is not within a "
    "hundred years. A job that has waited itself is passed later than a new one: its own wait counts, too."
)


def guarded_words(policy: Guarded) -> list[str]:
    """Return sentences: which jobs come first, what the guard compares and does then, and how jobs are grouped."""
    ageing = written_time(policy.ageing)
    limit = "" if policy.overall == 1 else f"{policy.overall:g} times "
    first = enumeration([f"group {name}" for name in policy.first])
    return [
        f"{EVENTS.capitalize()}, the waiting jobs are ordered: {first} first, in this order, then all others. Within "
        f"a class the largest request, processors x time, comes first; to have waited {ageing} longer counts as much "
        f"as twice the request, and a class as much as {policy.step:g} doublings. {ELIGIBLE}",
        BACKFILLING["easy"].replace("the order of the keys", "this order"),
        f"Every {written_time(policy.review)} the scheduler simulates EASY on the jobs so far, with the run times of "
        "those that have ended, and for others with the share of their requests that jobs of their group have used.",
        f"If its AWRT is not at least 2 % below {limit}EASY's, no group comes first until a later "
        f"review finds room. A group whose AWRT exceeds {policy.each:g} times EASY's comes before all others; while "
        "there is room, from 5 % below that on.",
        "It steers by these limits, and does not promise them.",
        *grouping_words(policy.grouping),
        f"The policy in words: {guarded_text(policy)}",
    ]


def time_sharing_words(sharing: TimeSharing) -> list[str]:
    """Return sentences: which jobs are in which class, how time is divided, and whether groups are planned."""
    s = sharing
    begin = [f"from {row.hour}:00 on " if len(s.shares) > 1 else "" for row in s.shares]
    parts = [f"{100 * a:g} %, {100 * b:g} % and {100 * c:g} %" for _, a, b, c in s.shares]
    shares = "; ".join(map("".join, zip(begin, parts, strict=True)))
    return [
        f"Jobs are medium from {s.medium_from:,d} s on and long from {s.long_from:,d} s on, by "
        f"{RUN_TIME_WORDS[s.run_times]}. An interval lasts {s.interval:,d} s, a switch between classes "
        f"{s.overhead:,d} s of it. The shares of short, medium and long jobs are {shares}; a class without "
        f"jobs leaves its share to the others, and a short slice may last up to {s.short_slice:,d} s if "
        "short jobs need that.",
        IDLE[s.backfill],
        *([] if s.optimisation is None else [OPTIMISED[s.optimisation.method]]),
    ]


def duration(seconds: float) -> str:
    """Return a time, s, as text in the unit that suits it, to two digits or to the unit.

    Examples
    --------
    >>> duration(0), duration(59), duration(330), duration(5400), duration(9e5), duration(1e8), duration(1e12)
    ('0', '59 s', '5.5 min', '1.5 h', '10 d', '3.2 y', 'over 100 y')
    """
    if seconds == 0:
        return "0"
    if seconds < 0.95:
        return "under 1 s"
    if seconds > LIFETIME:
        return "over 100 y"
    units = (("s", 1, 59.5), ("min", 60, 59.5), ("h", 3600, 47.5), ("d", 86400, 364.5), ("y", 365 * 86400, math.inf))
    unit, value = next((unit, seconds / size) for unit, size, end in units if seconds / size < end)
    return f"{f'{value:.1f}'.removesuffix('.0') if value < 9.95 else f'{value:.0f}'} {unit}"


def example_jobs() -> list[dict[str, Any]]:
    """Return the jobs of the examples, as plain values."""
    return [{"job": kind.name, "processors": kind.width, "requested": kind.estimate} for kind in KINDS]


def grouping_words(rule: GroupRule | None) -> list[str]:
    """Return a sentence about the rule of groups of a policy; none if it has no rule."""
    if rule is None:
        return []
    return [f"Where a log has other groups, jobs are grouped {rule.words()}; newcomers are in group {rule.newcomers}."]


def _apart(ratio: float, other: float) -> tuple[str, str]:
    """Return two ratios as texts with four decimals, or with up to nine where they are needed to tell both apart.

    Examples
    --------
    >>> _apart(0.86944, 1), _apart(0.999998, 1), _apart(0.9999999999999999, 1)
    (('0.8694', '1.0000'), ('0.999998', '1.000000'), ('1.0000', '1.0000'))
    """
    texts = [(f"{ratio:.{digits}f}", f"{other:.{digits}f}") for digits in range(4, 10)]
    return next((both for both in texts if both[0] != both[1]), texts[0])


def origin_of(provenance: Mapping[str, Any]) -> str:
    """Return a sentence on where a policy comes from; "" if neither `train` nor a front wrote its provenance.

    A policy file may hold any provenance, so that every part of it is checked.

    Examples
    --------
    >>> origin_of({"run": "w", "evaluation": 7, "workload": "CTC"})
    'Found by exploration: evaluation 7 of the run w on CTC.'
    """

    def number(name: str) -> float | None:
        value = provenance.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
        return float(value) if is_number and value is not None else None

    words, workloads, wish, run = (provenance.get(name) for name in ("words", "workloads", "wish", "run"))
    if isinstance(words, str) and isinstance(workloads, list):
        names = [str(w["name"]) for w in workloads if isinstance(w, dict) and "name" in w]
        until, objective, easy, excess = map(number, ("until", "objective", "easy", "exceeded"))
        # names end in "to 70 %" where a part of a workload was used for training
        sentence = (
            f"Trained for {words} on {enumeration(names or ['something'])}{'' if until is None else ' of the time'}"
        )
        kinds = set(wish) if isinstance(wish, dict) else set()
        if kinds & {"sum", "near"} and objective is not None and easy is not None:
            is_ratio = provenance.get("over") == "ratio"
            reached, of_easy = _apart(objective, easy) if is_ratio else (amount(objective), amount(easy))
            is_same = is_ratio and reached == of_easy
            sentence += f": there it reached {reached}, " + ("as EASY does" if is_same else f"and EASY {of_easy}")
            if "sum" in kinds and easy > 0 and not is_same:
                change = 100 * (easy - objective) / easy
                sentence += f" ({abs(change):,.1f} % {'less' if change > 0 else 'more'})"
        if excess:
            sentence += f"; it exceeds its limits by {100 * excess:,.2f} %"
        return f"{sentence}."
    evaluation = number("evaluation")
    if isinstance(run, str) and evaluation is not None:
        return f"Found by exploration: evaluation {evaluation:.0f} of the run {run} on {provenance.get('workload')}."
    return ""
