"""What another scheduler would change for whom: every number in a sentence is one of the measures."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched.comparison.consequences import (
    BETTER,
    SAME,
    WORSE,
    Sides,
    consequences,
    duration,
    longer_text,
    most_important,
    two_measures,
    users_of,
)
from paretosched.simulation.service import Waits, waits
from support.zoo import ZOO

UNITS = {"s": 1, "minute": 60, "minutes": 60, "h": 3600, "days": 86400}


def seconds(words: str) -> float:
    """Return the seconds of a duration in words."""
    number, unit = words.split()
    return float(number) * UNITS[unit]


def of(mean: float, median: float, late: float, worst: float) -> Waits:
    """Waits of one group that has all jobs."""
    return Waits(np.array([9, 9]), *(np.full(2, float(x)) for x in (mean, median, late, worst, 1, 1)))


@given(st.floats(0, 1e9))
def test_a_duration_is_right_to_two_digits(value: float) -> None:
    words = duration(value)
    assert seconds(words) == pytest.approx(value, rel=0.051, abs=0.051)
    assert "e" not in words.split()[0]


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_a_longer_time_never_reads_shorter(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert seconds(duration(low)) <= seconds(duration(high))


def test_what_stays_is_said_to_stay_and_nothing_else_is() -> None:
    same = consequences(of(60, 0, 600, 700), of(60, 0, 600, 700), ["vip"], [3, 1], (70.0, 70.0), "EASY")
    assert [line.verdict for line in same] == [SAME] * 3
    assert same[0].sentence == (
        "All, 3 users: half still start at once; the mean wait stays 1 minute; 95 of 100 start within 10 minutes, as "
        "with EASY; the longest wait is 12 minutes, as with EASY."
    )
    assert same[1].sentence.startswith("Group vip, 1 user, 9 jobs only: ")
    unknown = consequences(of(60, 0, 600, 700), of(60, 0, 600, 700), ["vip"], [0, 0], (70.0, 70.0), "EASY")
    assert [line.sentence.partition(":")[0] for line in unknown[:2]] == ["All", "Group vip, 9 jobs only"]
    other = consequences(of(7200, 0, 600, 700), of(3600, 30, 600, 900), ["vip"], [3, 1], (70.0, 71.0), "EASY")
    assert [line.verdict for line in other] == ["mixed", "mixed", "better"]  # the mean shrinks, and the longest grows
    only = consequences(of(7200, 0, 600, 700), of(3600, 0, 600, 700), ["vip"], [3, 1], (70.0, 69.0), "EASY")
    assert [line.verdict for line in only] == ["better", "better", "worse"]
    assert "half start within 30 s (EASY at once); the mean wait shrinks from 2 h to 1 h" in other[1].sentence
    assert "the longest wait is 15 minutes (EASY 12 minutes)" in other[1].sentence
    assert other[-1].sentence == "The machine is busier than with EASY: 71.0 % (EASY 70.0 %)."


@pytest.mark.parametrize("workload", ZOO.values(), ids=ZOO.keys())
def test_the_numbers_are_those_of_the_measures(workload: Any) -> None:
    easy, fcfs = (waits(ps.simulate(workload, rule)) for rule in ("easy", "fcfs"))
    lines = consequences(easy, fcfs, workload.groups, users_of(workload), (50.0, 40.0), "EASY")
    with_jobs = [name for name, count in zip(workload.groups, easy.jobs[1:], strict=True) if count]
    assert [line.group for line in lines] == ["", *with_jobs, ""]
    for line in lines[:-1]:
        place = 0 if line.group == "" else 1 + workload.groups.index(line.group)
        longest = re.search(r"the longest wait is (\S+ \w+)", line.sentence)
        assert longest is not None
        assert longest[1] == duration(float(fcfs.worst[place]))
        late = "at once" if fcfs.p95[place] < 1 else f"within {duration(float(fcfs.p95[place]))}"
        assert f"95 of 100 start {late}" in line.sentence
        of_jobs = workload.user[slice(None) if place == 0 else workload.group == place - 1]
        users = len({user for user in of_jobs.tolist() if user >= 0})
        assert line.sentence.partition(": ")[0].count(f", {users:,} user") == (users > 0)


def test_where_two_measures_say_different_things_it_is_said() -> None:
    def sentences_of(before: float, after: float, gain: float) -> list[tuple[str, str]]:
        lines = two_measures(of(before, 0, 600, 700), of(after, 0, 600, 700), ["vip"], [gain])
        return [(line.verdict, line.sentence) for line in lines]

    first = "Group vip: AWRT gets 25 % shorter, but the mean wait of its jobs grows by 30 %"
    assert sentences_of(100, 130, 25)[0][1].startswith(first)
    assert sentences_of(100, 130, 25)[0][0] == sentences_of(130, 100, -25)[0][0] == "mixed"
    ((verdict, words),) = sentences_of(100, 173, -2)
    assert (verdict, words.partition(": AWRT has")[0]) == (
        "worse",
        "Group vip: AWRT gets 2 % longer, and the mean wait of its jobs grows by 73 %",
    )
    assert "the mean wait of its jobs becomes 18 times as long: AWRT counts" in sentences_of(100, 1775, 25)[0][1]
    for same in ((100, 105, -4.0), (100, 100.5, 25.0), (100, 130, 0.5), (0, 10, 5.0), (100, 150, float("nan"))):
        assert sentences_of(*same) == []


DAYS, HOURS = 86400.0, 3600.0


def sides(*rows: tuple[float, float, float, float]) -> tuple[Waits, list[float]]:
    """Return waits and AWRT from mean, 95 of 100, longest wait and AWRT: of all jobs, then of each group."""
    mean, late, worst, awrt = np.array(rows, dtype=float).T
    return Waits(np.full(len(rows), 50), mean, mean, late, worst, mean, mean), awrt.tolist()


def tell(today: Any, other: Any, people: list[str], asked: Any = (), beside: Any = None) -> list[str]:
    """Return what is most important, in sentences."""
    lines = most_important(today[0], other[0], people, (today[1], other[1]), asked, beside)
    assert len(lines) <= 4
    return [line.sentence for line in lines]


ROW = (2 * HOURS, 10 * HOURS, 3 * DAYS, 20 * HOURS)
PAID = {
    "mean": (0, 3 * HOURS, "whose mean wait grows from 2 to 3 h."),
    "p95": (1, 15 * HOURS, "whose wait of 95 of 100 grows from 10 to 15 h, while its mean wait stays 2 h."),
    "worst": (2, 7 * DAYS, "whose longest wait grows from 3 to 7 days, while its mean wait stays 2 h."),
    "AWRT": (3, 30 * HOURS, "whose AWRT grows from 20 to 30 h, while its mean wait stays 2 h."),
}


@pytest.mark.parametrize("measure", PAID)
def test_a_group_pays_by_any_of_four_measures_and_the_sentence_says_by_which(measure: str) -> None:
    column, value, words = PAID[measure]
    changed = list(ROW)
    changed[column] = value
    lines = tell(sides(ROW, ROW, ROW), sides(ROW, ROW, tuple(changed)), ["physics", "rest"])
    assert lines[0] == f"Who pays: rest, {words}"
    assert not any("gain" in line for line in lines)
    changed[column] = ROW[column] * 1.019  # not notable
    (nobody, _) = tell(sides(ROW, ROW, ROW), sides(ROW, ROW, tuple(changed)), ["physics", "rest"])
    assert nobody.startswith("Who pays: no group; in none does the mean wait, wait of 95 of 100, longest wait or AWRT")


def test_a_group_that_pays_by_another_measure_does_not_gain_too() -> None:
    shorter = (1 * HOURS, 9 * HOURS, 3 * DAYS, 19 * HOURS)
    late = (1.5 * HOURS, 9 * HOURS, 7 * DAYS, 30 * HOURS)
    lines = tell(sides(ROW, ROW, ROW, ROW), sides(late, shorter, late, shorter), ["physics", "chemistry", "rest"])
    assert lines == [
        "Who pays: chemistry, whose longest wait grows from 3 to 7 days and AWRT from 20 to 30 h, while its mean wait "
        "is 25 % shorter (2 h → 1.5 h).",
        "All jobs: the mean wait is 25 % shorter (2 h → 1.5 h; AWRT 20 h → 30 h), but the longest wait grows from 3 "
        "to 7 days.",
        "Who gains most: physics, whose mean wait is 50 % shorter (2 h → 1 h; AWRT 20 h → 19 h); 1 other group "
        "gains, too.",
    ]


def test_groups_that_wait_longer_come_first_and_of_them_those_that_the_wish_asks_for() -> None:
    little, much = (2.2 * HOURS, *ROW[1:]), (*ROW[:2], 9 * DAYS, ROW[3])
    minutes = (60.0, 60.0, 60.0, 20 * HOURS), (360.0, 60.0, 60.0, 20 * HOURS)  # six times as long, and no matter
    today, other = sides(ROW, ROW, ROW, minutes[0]), sides(ROW, little, much, minutes[1])
    names = ["physics", "rest", "debug"]
    assert tell(today, other, names)[0] == (
        "Who pays: physics, whose mean wait grows from 2 to 2.2 h; also debug (mean wait from 1 to 6 minutes) and rest "
        "(longest wait from 3 to 9 days)."
    )
    assert tell(today, other, names, asked=[3])[0].startswith("Who pays: debug, for whom the wish asks, whose mean ")
    assert tell(today, other, names, asked=[2])[0].startswith("Who pays: physics, whose mean wait grows")
    four = sides(*[ROW] * 5), sides(ROW, *[much] * 4)
    assert tell(*four, [*names, "d"])[0].endswith("; also rest (longest wait from 3 to 9 days), debug (longest wait "
                                                  "from 3 to 9 days) and 1 other group.")  # fmt: skip


def test_of_other_groups_the_one_that_pays_most_is_named() -> None:
    same, other = sides(ROW, ROW, ROW), sides(ROW, (*ROW[:3], 30 * HOURS), (*ROW[:2], 9 * DAYS, ROW[3]))
    by_size = Sides((same[0], other[0]), (same[1], other[1]), ["wide (width >= 8)", "others"])
    by_account = Sides((same[0], same[0]), (same[1], same[1]), ["physics", "rest"])
    beside = {"account": by_account, "size": by_size}
    assert tell(same, same, ["a", "b"], beside=beside)[0] == (
        "Who pays: no group; in none does the mean wait, wait of 95 of 100, longest wait or AWRT grow by more than 2 %"
        "; by size, others most (longest wait from 3 to 9 days)."
    )
    assert tell(same, other, ["a", "b"], beside=beside)[0].endswith(
        "; by size, others most (longest wait from 3 to 9 days)."
    )
    assert "by account" not in tell(same, other, ["a", "b"], beside={"account": by_account})[0]
    few = by_size._replace(waits=tuple(each._replace(jobs=each.jobs // 2) for each in by_size.waits))
    assert "by size" not in tell(same, same, ["a", "b"], beside={"size": few})[0]


def test_nobody_is_said_to_gain_or_pay_where_nothing_changes() -> None:
    lines = most_important(sides(ROW, ROW)[0], sides(ROW, ROW)[0], ["a"], ([1.0, 1.0], [1.0, 1.0]))
    assert [line.verdict for line in lines] == [SAME, SAME]
    worse = most_important(sides(ROW, ROW)[0], sides(ROW, (9 * HOURS, *ROW[1:]))[0], ["a"], ([1.0] * 2, [1.0] * 2))
    assert worse[0].verdict == WORSE
    better = most_important(sides(ROW, (9 * HOURS, *ROW[1:]))[0], sides(ROW, ROW)[0], ["a"], ([1.0] * 2, [1.0] * 2))
    assert better[-1].verdict == BETTER


def test_what_is_much_longer_is_so_many_times_as_long() -> None:
    assert longer_text(299.0) == "299 % longer"
    lines = tell(sides((3600, *ROW[1:]), ROW), sides((64000, *ROW[1:]), ROW), ["a"])
    assert lines[1].startswith("All jobs: the mean wait is 18 times as long (1 h → 18 h; ")
