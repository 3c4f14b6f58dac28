"""What another scheduler would change for whom, in sentences: the words of the page's cards.

Every job counts once here, a short job as much as a long one, see `service.waits`. So "half" and "95 of 100" are of
jobs, not of processor seconds. The scheduler that is compared with stands by its name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.errors import number_of
from ..core.tables import enumeration
from ..simulation.service import DAY, HOUR, Waits
from ..workload.user_groups import count_users
from ..workload.workload import Workload

MINUTE = 60
AT_ONCE = 1.0  # s; a wait below it is none
FEW = 30  # jobs, of which a mean says little
MUCH = 5  # times as much is worth a sentence, too
MANY = 300.0  # per cent longer; above, a time is so many times as long
NOTABLE = 1.0  # per cent; a smaller change is not worth a sentence of its own
BETTER, WORSE, SAME, MIXED = "better", "worse", "same", "mixed"


class Consequence(NamedTuple):
    """What changes for the users of one group, or for all.

    Attributes
    ----------
    group
        Its name; "" for all users, and for the machine.
    verdict
        "better" if nothing that the sentence says gets worse, "worse" if nothing gets better, "mixed" if some of it
        does and some not, and "same"; of the machine, "better" is busier.
    sentence
        The words.
    """

    group: str
    verdict: str
    sentence: str


def duration(seconds: float) -> str:
    """Return a time as people say it, with two or three digits.

    Examples
    --------
    >>> [duration(x) for x in (0, 45, 60, 90, 2400, 5400, 34200, 154800, 864000)]
    ['0 s', '45 s', '1 minute', '1.5 minutes', '40 minutes', '1.5 h', '9.5 h', '43 h', '10 days']
    """
    for size, unit, most in ((1, "s", MINUTE), (MINUTE, "minutes", HOUR), (HOUR, "h", 3 * DAY)):
        number = _short(seconds / size)
        if float(number) * size < most:
            return f"{number} {unit}" if number != "1" else f"1 {unit.removesuffix('s') or unit}"
    return f"{_short(seconds / DAY)} days"


def _short(value: float) -> str:
    return f"{value:,.0f}".replace(",", "") if value >= 10 else f"{value:.1f}".removesuffix(".0")


def users_of(workload: Workload) -> list[int]:
    """Return the number of users: of all, then of each group; 0 where none is known."""
    return [np.unique(workload.user[workload.user >= 0]).size, *count_users(workload).tolist()]


def consequences(
    today: Waits, other: Waits, groups: Sequence[str], users: Sequence[int], busy: tuple[float, float], name: str
) -> list[Consequence]:
    """Return what changes with another schedule: for all, for each group with jobs, and for the machine.

    Parameters
    ----------
    today, other
        Waits under the scheduler that is compared with, and under the other one, of the same jobs.
    groups
        Names of the groups, (G,).
    users
        Number of users of all groups, then of each, (G + 1,); 0 where none is known.
    busy
        Utilisation with the first, and with the other one, per cent.
    name
        Of the scheduler that is compared with.

    Examples
    --------
    >>> def of(*columns): return Waits(np.array([40, 40]), *(np.array([x, x], dtype=float) for x in (*columns, 1, 1)))
    >>> before, after = of(6600, 0, 35280, 144000), of(9000, 0, 39600, 154800)
    >>> lines = consequences(before, after, ["3"], [412, 412], (70.0, 70.0), "EASY")
    >>> lines[1].sentence
    'Group 3, 412 users: half still start at once; the mean wait grows from 1.8 h to 2.5 h; 95 of 100 start within \
11 h (EASY 9.8 h); the longest wait is 43 h (EASY 40 h).'
    >>> lines[-1].sentence
    'The machine is as busy as with EASY, 70.0 %.'
    """
    lines = []
    for place, group in enumerate(("", *groups)):
        if today.jobs[place]:
            who = "All" if place == 0 else _group_text(group)
            known = f", {number_of(users[place], 'user')}" if users[place] else ""
            few = f", {number_of(int(today.jobs[place]), 'job')} only" if place and today.jobs[place] < FEW else ""
            lines.append(_of_group((today, other), place, group, f"{who}{known}{few}", name))
    return [*lines, _of_machine(*busy, name)]


def percent(number: float) -> str:
    """Return the size of a number of per cent with two or more digits.

    Examples
    --------
    >>> percent(-0.123), percent(7.25), percent(240.4)
    ('0.12', '7.2', '240')
    """
    return f"{abs(number):,.0f}" if abs(number) >= 10 else f"{abs(number):.2g}"


def longer_text(size: float, than: str = "") -> str:
    """Return in words how much longer a time is, per cent, or shorter; what is much longer is so many times as long.

    Examples
    --------
    >>> [longer_text(size) for size in (34.2, -17.0, 1675.0, float("inf"))]
    ['34 % longer', '17 % shorter', '18 times as long', 'much longer']
    >>> longer_text(34.2, "with B"), longer_text(1675.0, "with B")
    ('34 % longer than with B', '18 times as long as with B')
    """
    behind = f" than {than}" if than else ""
    if np.isinf(size):
        return f"much longer{behind}"
    if size > MANY:
        return f"{percent(1 + size / 100)} times as long{behind.replace('than', 'as', 1)}"
    return f"{percent(size)} % {'longer' if size > 0 else 'shorter'}{behind}"


class Sides(NamedTuple):
    """How some jobs wait with one schedule and with another one: of all of them first, then of each group.

    Attributes
    ----------
    waits
        Under the scheduler that is compared with, and under the other one, of the same jobs.
    awrt
        The AWRT of all jobs and of each group with the first, and with the other schedule, (G + 1,) s each.
    people
        Who is in each group, in words, (G,).
    """

    waits: tuple[Waits, Waits]
    awrt: tuple[Sequence[float], Sequence[float]]
    people: Sequence[str]

    def times(self, measure: str, place: int) -> tuple[float, float]:
        """Return a measure of MEASURES of a group, place 1 on, or of all, 0: with the first and the other one, s."""
        before, after = self.awrt if measure == "AWRT" else (getattr(each, measure) for each in self.waits)
        return float(before[place]), float(after[place])

    def growing(self, place: int) -> list[str]:
        """Return by which measures a group pays: those that grow by more than 2 %, and by a second or more."""
        pairs = {measure: self.times(measure, place) for measure in MEASURES}
        return [
            measure
            for measure, (before, after) in pairs.items()
            if after - before > max(2 * NOTABLE / 100 * before, AT_ONCE)
        ]

    def paying(self, least: int) -> list[int]:
        """Return the groups with so many jobs at least that pay."""
        jobs = self.waits[0].jobs
        return [place for place in range(1, len(jobs)) if jobs[place] >= least and self.growing(place)]

    def loss(self, measure: str, place: int) -> float:
        """Return the growth of a measure as a share of it; what is less than an hour counts as an hour."""
        before, after = self.times(measure, place)
        return (after - before) / max(before, HOUR)

    def worst(self, place: int) -> str:
        """Return the measure by which a group that pays loses most; the mean wait if that grows."""
        return max(self.growing(place), key=lambda measure: (measure == "mean", self.loss(measure, place)))


MEASURES = {"mean": "mean wait", "p95": "wait of 95 of 100", "worst": "longest wait", "AWRT": "AWRT"}


def most_important(
    today: Waits,
    other: Waits,
    people: Sequence[str],
    awrt: tuple[Sequence[float], Sequence[float]],
    asked: Collection[int] = (),
    beside: Mapping[str, Sides] | None = None,
) -> list[Consequence]:
    """Return what changes most with another schedule, in at most four sentences: who pays, all, who gains most.

    A group pays if its mean wait, its wait of 95 of 100, its longest wait or its AWRT grows by more than 2 %; it gains
    if its mean wait shrinks by more than 2 %, and it pays by nothing. Groups whose mean wait grows come first, then
    those for which the wish asks, then those that lose or gain most.

    Parameters
    ----------
    today, other, people, awrt
        As for `Sides`.
    asked
        Numbers of the groups that the wish asks for, from 1 on.
    beside
        The same in other groups, by what these are of, such as "account": of those with 30 jobs, the one that pays most
        is named.

    Examples
    --------
    >>> def of(mean, last): return Waits(np.array([9, 5, 4]), *map(np.array, (mean, mean, mean, last, mean, mean)))
    >>> a, b = of([7200.0, 3600.0, 9000.0], [14400.0] * 3), of([6000.0, 3000.0, 7000.0], [36000.0, 36000.0, 14400.0])
    >>> for line in most_important(a, b, ["staff", "gpu"], ([7200.0] * 3, [7200.0] * 3)):
    ...     print(line.sentence)
    Who pays: staff, whose longest wait grows from 4 to 10 h, while its mean wait is 17 % shorter (1 h → 50 minutes).
    All jobs: the mean wait is 17 % shorter (2 h → 1.7 h; AWRT 2 h → 2 h), but the longest wait grows from 4 to 10 h.
    Who gains most: gpu, whose mean wait is 22 % shorter (2.5 h → 1.9 h; AWRT 2 h → 2 h).
    """
    sides = Sides((today, other), awrt, people)
    groups = [place for place in range(1, len(today.jobs)) if today.jobs[place]]
    pay = sides.paying(1)
    pay.sort(key=lambda g: ("mean" not in sides.growing(g), g not in asked, -sides.loss(sides.worst(g), g)))
    gain = sorted((g for g in groups if g not in pay), key=lambda g: (g not in asked, mean_change(today, other, g)))
    gain = [g for g in gain if mean_change(today, other, g) < -2 * NOTABLE]
    lines = []
    most = _most_beside(beside or {})
    if pay:
        name, wanted = people[pay[0] - 1], ", for whom the wish asks," if pay[0] in asked else ","
        sentence = f"Who pays: {name}{wanted} whose {_losses(sides, pay[0])}{_also(sides, pay[1:], asked)}{most}."
        lines.append(Consequence(name, WORSE, sentence))
    elif groups:
        measures = ", ".join(list(MEASURES.values())[:-1])
        sentence = f"Who pays: no group; in none does the {measures} or AWRT grow by more than {2 * NOTABLE:.0f} %"
        lines.append(Consequence("", MIXED if most else SAME, f"{sentence}{most}."))
    size = mean_change(today, other, 0)
    verdict = SAME if abs(size) < NOTABLE else WORSE if size > 0 else BETTER
    grown = [measure for measure in sides.growing(0) if measure in ("p95", "worst")]
    link = ", but" if size < 0 else ", and"
    more = f"{link} {_growth(sides, grown, 0)}" if grown else ""
    lines.append(
        Consequence("", MIXED if grown and verdict == BETTER else verdict, f"All jobs: the {_mean(sides, 0)}{more}.")
    )
    if gain:
        many = len(gain) - 1
        too = f"; {number_of(many, 'other group')} {'gains' if many == 1 else 'gain'}, too" if many else ""
        name = people[gain[0] - 1]
        most = "" if gain[0] in asked else " most"
        lines.append(Consequence(name, BETTER, f"Who gains{most}: {name}, whose {_mean(sides, gain[0])}{too}."))
    return lines


def _mean(sides: Sides, place: int) -> str:
    """Return in words what becomes of a mean wait, and beside it of AWRT."""
    size, times = mean_change(*sides.waits, place), [duration(x) for x in sides.times("mean", place)]
    beside = " → ".join(map(duration, sides.times("AWRT", place)))
    if abs(size) < NOTABLE:
        return f"mean wait stays {times[1]} (AWRT {beside})"
    return f"mean wait is {longer_text(size)} ({' → '.join(times)}; AWRT {beside})"


def _losses(sides: Sides, place: int) -> str:
    """Return in words by which measures a group pays, and what becomes of its mean wait."""
    grown = sides.growing(place)
    if "mean" in grown:
        return _growth(sides, grown, place, the="")
    size, (before, after) = mean_change(*sides.waits, place), map(duration, sides.times("mean", place))
    becomes = f"stays {after}" if abs(size) < NOTABLE else f"is {longer_text(size)} ({before} → {after})"
    return f"{_growth(sides, grown, place, the='')}, while its mean wait {becomes}"


def _growth(sides: Sides, grown: Sequence[str], place: int, the: str = "the ") -> str:
    """Return in words from when to when measures grow."""
    verbs = [" grows", *[""] * len(grown)]
    return enumeration([
        f"{'' if measure == 'AWRT' else the}{MEASURES[measure]}{verb} {_from_to(*sides.times(measure, place))}"
        for measure, verb in zip(grown, verbs, strict=False)
    ])  # fmt: skip


def _also(sides: Sides, pay: Sequence[int], asked: Collection[int]) -> str:
    """Return in words who else pays: two groups, each by the measure that grows most, and how many more there are."""
    named = []
    for place in pay[:2]:
        measure = sides.worst(place)
        wanted = ", for whom the wish asks" if place in asked else ""
        named.append(
            f"{sides.people[place - 1]}{wanted} ({MEASURES[measure]} {_from_to(*sides.times(measure, place))})"
        )
    more = [number_of(len(pay) - 2, "other group")] if len(pay) > 2 else []
    return f"; also {enumeration([*named, *more])}" if pay else ""


def _most_beside(beside: Mapping[str, Sides]) -> str:
    """Return in words which of other groups pays most, by the measure that grows most; "" if none pays."""
    others = [(how, of, place) for how, of in beside.items() for place in of.paying(FEW)]
    if not others:
        return ""
    how, of, place = max(others, key=lambda other: other[1].loss(other[1].worst(other[2]), other[2]))
    measure = of.worst(place)
    return f"; by {how}, {of.people[place - 1]} most ({MEASURES[measure]} {_from_to(*of.times(measure, place))})"


def _from_to(before: float, after: float) -> str:
    """Return from when to when a time grows, in words.

    Examples
    --------
    >>> _from_to(259200, 604800), _from_to(5400, 259200), _from_to(0.2, 60), _from_to(864000, 890000)
    ('from 3 to 7 days', 'from 1.5 h to 3 days', 'from nothing to 1 minute', 'by 3 % (10 days)')
    """
    first, last = ("nothing" if before < AT_ONCE else duration(before)), duration(after)
    if first == last:
        return f"by {percent(100 * (after - before) / before)} % ({last})"
    return f"from {two_times(first, 'to', last)}"


def two_times(first: str, word: str, last: str) -> str:
    """Return two times in words, the unit once if it is the same.

    Examples
    --------
    >>> two_times("3 days", "to", "7 days"), two_times("1 minute", "to", "6 minutes"), two_times("1 h", "to", "3 days")
    ('3 to 7 days', '1 to 6 minutes', '1 h to 3 days')
    """
    number, _, unit = first.partition(" ")
    is_same = last.partition(" ")[2].removesuffix("s") == unit.removesuffix("s")
    return f"{number if is_same else first} {word} {last}"


def mean_change(before: Waits, after: Waits, place: int) -> float:
    """Return by how many per cent the mean wait of a group is longer after a change; inf if there was none before."""
    first, last = float(before.mean[place]), float(after.mean[place])
    if duration(first) == duration(last):
        return 0.0
    return 100 * (last - first) / first if first >= AT_ONCE else float("inf")


def either_or(one: tuple[str, Waits], other: tuple[str, Waits], people: Sequence[str]) -> list[str]:
    """Return in a sentence for each of two schedules how jobs wait with it, and who is better off than with the other.

    Parameters
    ----------
    one, other
        The name of a schedule, and how long jobs wait in it.
    people
        Who is in each group, in words, (G,).

    Examples
    --------
    >>> def of(*mean): return Waits(np.array([9, 5, 4]), np.array(mean), *(np.zeros(3) for _ in range(5)))
    >>> a, b = of(7200.0, 3600.0, 9000.0), of(6000.0, 4000.0, 7000.0)
    >>> for sentence in either_or(("A", a), ("B", b), ["staff", "gpu"]):
    ...     print(sentence)
    A: the mean wait is 2 h, 20 % longer than with B; better for staff, 1 h in place of 1.1 h.
    B: the mean wait is 1.7 h, 17 % shorter than with A; better for gpu, 1.9 h in place of 2.5 h.
    """
    sentences = []
    for (name, here), (against, there) in ((one, other), (other, one)):
        all_jobs = mean_change(there, here, 0)
        words = longer_text(all_jobs, f"with {against}") if abs(all_jobs) >= NOTABLE else f"as with {against}"
        changes = {k: mean_change(there, here, k) for k in range(1, len(here.jobs)) if here.jobs[k]}
        gaining = sorted((k for k in changes if changes[k] < -2 * NOTABLE), key=changes.__getitem__)
        who = "better for no group"
        if gaining:
            times = " in place of ".join(duration(float(waits.mean[gaining[0]])) for waits in (here, there))
            several = f"{number_of(len(gaining), 'group')}, most for " if len(gaining) > 1 else ""
            who = f"better for {several}{people[gaining[0] - 1]}, {times}"
        sentences.append(f"{name}: the mean wait is {duration(float(here.mean[0]))}, {words}; {who}.")
    return sentences


def two_measures(today: Waits, other: Waits, groups: Sequence[str], gains: Sequence[float]) -> list[Consequence]:
    """Return where response times by processor seconds and mean waits differ in what they say, in sentences.

    They go opposite ways, or one changes many times as much as the other.

    Parameters
    ----------
    today, other, groups
        As for `consequences`.
    gains
        (G,) per cent, by which the AWRT of each group is shorter with the other schedule; NaN without jobs.

    Examples
    --------
    >>> def of(mean): return Waits(np.array([4, 4]), *(np.array([x, x], dtype=float) for x in (mean, 0, 9, 9, 1, 1)))
    >>> [line.sentence for line in two_measures(of(7200.0), of(9000.0), ["3"], [12.0])]
    ['Group 3: AWRT gets 12 % shorter, but the mean wait of its jobs grows by 25 %: AWRT counts what jobs \
take of the machine, so large jobs gain and many small ones wait longer.']
    """
    lines = []
    for place, (name, gain) in enumerate(zip(groups, gains, strict=True), 1):
        before, after = float(today.mean[place]), float(other.mean[place])
        if not today.jobs[place] or np.isnan(gain) or abs(gain) < NOTABLE or not before:
            continue
        change = 100 * (after - before) / before
        is_shorter, grows = gain > 0, change > 0
        if abs(change) < NOTABLE or (is_shorter != grows and abs(change) < MUCH * abs(gain)):
            continue
        if is_shorter == grows:  # opposite ways
            large, small = ("gain", "wait longer") if is_shorter else ("lose", "start sooner")
            why = f"counts what jobs take of the machine, so large jobs {large} and many small ones {small}"
            verdict, link = MIXED, "but"
        else:
            verdict, why = BETTER if is_shorter else WORSE, "has their run times in it, and what they take"
            link = "and"
        by = f"{'grows' if grows else 'shrinks'} by {percent(change)} %"
        sentence = (
            f"{_group_text(name)}: AWRT gets {percent(gain)} % {'shorter' if is_shorter else 'longer'}, {link} the "
            f"mean wait of its jobs {f'becomes {longer_text(change)}' if change > MANY else by}: AWRT {why}."
        )
        lines.append(Consequence(name, verdict, sentence))
    return lines


def easy_share_text(name: str, means: Sequence[float], awrt: Sequence[float]) -> str:
    """Return in a sentence how much of what a schedule gains on a scheduler is what EASY gains on it.

    Parameters
    ----------
    name
        Of the scheduler.
    means, awrt
        The mean wait of all jobs, and AWRT, in s: of the scheduler, of EASY, and of the schedule.

    Examples
    --------
    >>> easy_share_text("FCFS", [36000.0, 18720.0, 18000.0], [72000.0, 54000.0, 52000.0])
    'EASY alone, simulated, has 96 % of the gain in the mean wait (FCFS 10 h, EASY 5.2 h, here 5 h) and 90 % in AWRT.'
    >>> easy_share_text("FCFS", [36000.0, 18000.0, 18720.0], [72000.0, 54000.0, 78000.0])
    'EASY alone, simulated, has all of the gain in the mean wait (FCFS 10 h, EASY 5 h, here 5.2 h); AWRT gains nothing.'
    >>> easy_share_text("FCFS", [36000.0, 18000.0, 37000.0], [72000.0, 54000.0, 36000.0])
    'The mean wait gains nothing (FCFS 10 h, EASY 5 h, here 10 h); EASY alone, simulated, has 50 % of the gain in AWRT.'
    """
    times = f" ({name} {duration(means[0])}, EASY {duration(means[1])}, here {duration(means[2])})"
    gained: list[str] = []
    not_gained: list[str] = []
    for what, (before, easy, here), beside in (("the mean wait", means, times), ("AWRT", awrt, "")):
        if here < before:
            share = 100 * (before - easy) / (before - here)
            words = "all" if share >= 100 else "nothing" if share <= 0 else f"{share:.0f} %"
            gained.append(f"{words} {'in' if gained else 'of the gain in'} {what}{beside}")
        else:
            not_gained.append(f"{what} gains nothing{beside}")
    parts = [f"EASY alone, simulated, has {' and '.join(gained)}"] if gained else []
    sentence = "; ".join([*parts, *not_gained] if means[2] < means[0] else [*not_gained, *parts])  # waits come first
    return f"{sentence[0].upper()}{sentence[1:]}."


def _of_group(both: tuple[Waits, Waits], place: int, group: str, who: str, name: str) -> Consequence:
    """Return what changes for the jobs in one column of the waits; `name` is of the first scheduler."""
    median, mean, late, worst = (
        (float(getattr(both[0], key)[place]), float(getattr(both[1], key)[place]))
        for key in ("median", "mean", "p95", "worst")
    )
    before, after = _within(median[0]), _within(median[1])
    half = f"half still start {after}" if before == after else _beside("half start", before, after, name)
    parts = [
        half,
        f"the mean wait {_change(*mean)}",
        _beside("95 of 100 start", _within(late[0]), _within(late[1]), name),
    ]
    parts.append(_beside("the longest wait is", duration(worst[0]), duration(worst[1]), name))
    return Consequence(group, _verdict([median, mean, late, worst]), f"{who}: {'; '.join(parts)}.")


def _verdict(pairs: Sequence[tuple[float, float]]) -> str:
    """Return what becomes of times, with the first and with the other schedule, as far as their words differ."""
    changed = [after > before for before, after in pairs if duration(before) != duration(after)]
    if not changed:
        return SAME
    return WORSE if all(changed) else MIXED if any(changed) else BETTER


def _change(before: float, after: float) -> str:
    """Return in words how a mean wait changes."""
    if duration(before) == duration(after):
        return f"stays {duration(after)}"
    return f"{'grows' if after > before else 'shrinks'} from {duration(before)} to {duration(after)}"


def _beside(words: str, before: str, after: str, name: str) -> str:
    """Return a fact, and beside it what it is with the scheduler of a name, if that differs."""
    if before == after:
        return f"{words} {after}, as with {name}"
    return f"{words} {after} ({name} {before.removeprefix('within ')})"


def _within(seconds: float) -> str:
    return "at once" if seconds < AT_ONCE else f"within {duration(seconds)}"


def _of_machine(before: float, after: float, name: str) -> Consequence:
    """Return whether the machine is busier."""
    if f"{before:.1f}" == f"{after:.1f}":
        return Consequence("", SAME, f"The machine is as busy as with {name}, {after:.1f} %.")
    verdict, word = (BETTER, "busier") if after > before else (WORSE, "less busy")
    return Consequence("", verdict, f"The machine is {word} than with {name}: {after:.1f} % ({name} {before:.1f} %).")


def _group_text(name: str) -> str:
    return f"Group {name}"
