"""Awkward workloads and policies by name, and Hypothesis strategies for more of them."""

import datetime as dt
import gzip
import math
import os
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from hypothesis import strategies as st

from paretosched import Policy, Workload, greedy
from paretosched.policies.plain import Plain
from paretosched.policies.policy_json import to_json
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import LEVELS

PLAIN_RULES = ("fcfs", "list", "easy", "conservative", "conservative-replan")
BACKFILLS = ("none", "easy", "conservative")
CRITERIA = ("f1", "f2", "f3", "f4")
HOUR, DAY = 3600, 86400
MONDAY = 946857600  # 2000-01-03 00:00 UTC
FRIDAY_NOON = MONDAY + 4 * DAY + 12 * HOUR


# Job 2 is as wide as the machine and waits for job 1; EASY lets job 3 pass it, FCFS does not. No job is a guest's.
THREE_JOBS = Workload(
    submit=[0, 1, 2],
    run=[10, 5, 3],
    estimate=[10, 5, 3],
    width=[3, 4, 1],
    capacity=4,
    group=[0, 1, 0],
    groups=("staff", "students", "guests"),
    name="three jobs",
)


def jobs(capacity: int, *rows: tuple[int, ...], **more: object) -> Workload:
    """Return a workload from rows (submit, run, estimate, width) or (submit, run, estimate, width, group).

    >>> jobs(4, (0, 10, 12, 3), (1, 5, 5, 2)).width.tolist()
    [3, 2]
    """
    rows_in_order = sorted(rows, key=lambda row: row[0])
    submit, run, estimate, width, group = zip(*((*row, 0)[:5] for row in rows_in_order), strict=True)
    groups = tuple(str(i + 1) for i in range(max(group) + 1))
    fields: dict[str, object] = {"group": group, "groups": groups}
    return Workload(submit=submit, run=run, estimate=estimate, width=width, capacity=capacity, **(fields | more))


def random_jobs(
    seed: int, n: int, capacity: int, *, gap: int, run: int, slack: float = 4.0, groups: int = 5, grain: int = 1
) -> Workload:
    """Return n random jobs. Times are multiples of `grain`, so that with a coarse grain many events coincide."""
    rng = np.random.default_rng(seed)
    runs = rng.integers(1, run + 1, n)
    return Workload(
        submit=np.cumsum(rng.integers(0, gap + 1, n)) * grain,
        run=runs * grain,
        estimate=np.ceil(runs * (1 + slack * rng.random(n) * (rng.random(n) < 0.8))).astype(np.int64) * grain,
        width=np.minimum(capacity, np.ceil(2 ** (rng.random(n) * np.log2(2 * capacity))).astype(np.int64)),
        capacity=capacity,
        group=rng.integers(0, groups, n),
        groups=tuple(str(i + 1) for i in range(groups)),
        epoch=FRIDAY_NOON,
    )


def _at_borders() -> Workload:
    """Return jobs that arrive and end at, just before and just after borders of situations of a full machine."""
    hours = [8, 18, 24, 48, 72, 80, 90, 104, 114]  # of Friday to Tuesday, from Friday 00:00
    rows = []
    for i, h in enumerate(hours):
        rows.append((h * HOUR, (3 + i % 4 * 3) * HOUR, (12 + i % 3 * 6) * HOUR, 1 + i % 4, i % 3))
        rows.append((h * HOUR, 10 * HOUR, 10 * HOUR, 1 + i % 2, (i + 1) % 3))
        rows.append((h * HOUR + 1, HOUR, 2 * HOUR, 2, (i + 1) % 3))
        rows.append((h * HOUR - 1, HOUR + 1, HOUR + 1, 3, (i + 2) % 3))
    return jobs(4, *rows, epoch=MONDAY + 4 * DAY)


def _daylight_saving(zone: str, sunday: dt.date) -> Workload:
    """Return ten days around a change of the clock, with waiting jobs at every hour."""
    first = dt.datetime(sunday.year, sunday.month, sunday.day, tzinfo=ZoneInfo(zone)) - dt.timedelta(days=4)
    rows = [(i * 2 * HOUR, (1 + i % 5) * HOUR, (1 + i % 5 + i % 3) * HOUR, 1 + i % 3, i % 4) for i in range(100)]
    return jobs(3, *rows, epoch=int(first.timestamp()), zone=zone)


def _queue_of_equals(n: int) -> Workload:
    return jobs(5, (0, 20, 30, 5, 0), *((1, 3, 5, 2, i % 2) for i in range(n)), (1, 4, 4, 3, 0))


def _nearly_equal_keys() -> Workload:
    """Return jobs with equal ratios and sums of waits, estimates and widths: the last bit of a key decides."""
    rows = [(i % 12, 1 + i % 3, 3 * (1 + i % 5), 1 + i // 7 % 6, i % 2) for i in range(120)]
    return jobs(6, (0, 15, 15, 6, 0), *rows)


def _narrow_behind_wide() -> Workload:
    """Return jobs of the whole machine, and narrow jobs of all lengths behind them that may overtake them."""
    rows = [(0, 10, 10, 6, 0), (0, 10, 15, 1, 1)]
    for i in range(12):
        rows += [(1 + 4 * i, 3, 5, 8, 0), (1 + 4 * i, 2 + i, 3 + i, 1, 1), (2 + 4 * i, 9, 9 + i, 2, 2)]
    return jobs(8, *rows)


ZOO: dict[str, Workload] = {
    "one job": jobs(1, (0, 1, 1, 1)),
    "one job late": jobs(7, (1_000_000, 5, 9, 3)),
    "two in turn": jobs(1, (0, 5, 5, 1), (5, 5, 5, 1)),
    "all at once": jobs(6, *((3, 1 + i % 4, 1 + i % 6 + i % 4, 1 + i % 5, i % 3) for i in range(25))),
    "all full machine": jobs(4, *((i // 3, 1 + i % 3, 4, 4, i % 2) for i in range(20))),
    "wide and narrow in turn": jobs(9, *((i, 3 + i % 2, 4 + i % 5, 9 if i % 2 else 1, i % 2) for i in range(30))),
    "one processor": jobs(1, *((i // 2, 1 + i % 3, 1 + i % 3 + i % 4, 1, i % 5) for i in range(30))),
    "runs equal estimates": random_jobs(1, 40, 8, gap=3, run=12, slack=0.0),
    "runs far below estimates": jobs(5, *((i, 1, 1000 * (1 + i % 7), 1 + i % 5, i % 3) for i in range(40))),
    "all end early and wide jobs wait": jobs(6, *((i, 2, 50, 4 if i % 3 else 6, i % 2) for i in range(24))),
    "huge estimates": jobs(6, *((i, 5, 10**14 + i % 4, 1 + i % 6, i % 2) for i in range(30))),
    "estimates as large as the rules allow": jobs(
        6, *((i // 2, 5 + i % 3, 2**62 // (31 * 31) - 400 - i % 4, 1 + i % 6, i % 2) for i in range(30))
    ),
    "identical copies": jobs(
        16, *(row for i in range(12) for row in [(7 * i, 9 + i, 12 + 2 * i, 1 + i % 9, i % 4)] * (1 + i % 3))
    ),
    "ends and arrivals coincide": jobs(
        4, *((10 * (i // 3), 10 * (1 + i % 2), 20, 1 + i % 3, i % 2) for i in range(30))
    ),
    "chain of ends of one second": jobs(8, *((0, 12 // (1 + i % 4), 12, 1 + i % 4, i % 2) for i in range(24))),
    "situation borders": _at_borders(),
    "spring in Berlin": _daylight_saving("Europe/Berlin", dt.date(2001, 3, 25)),
    "autumn in New York": _daylight_saving("America/New_York", dt.date(1996, 10, 27)),
    "long idle gaps": jobs(4, *((i * 3 * 10**7, 7, 9, 1 + (i + k) % 4, k) for i in range(8) for k in range(3))),
    "a queue of 150": random_jobs(2, 150, 16, gap=0, run=30),
    "a queue of equals": _queue_of_equals(40),
    "nearly equal keys": _nearly_equal_keys(),
    "narrow behind wide": _narrow_behind_wide(),
    "empty groups": random_jobs(3, 30, 8, gap=2, run=9, groups=2).with_(groups=("a", "b", "nobody", "none")),
    "only the last group": jobs(4, *((i // 2, 3, 4 + i % 2, 1 + i % 3) for i in range(12))).with_(
        group=[5] * 12, groups=tuple("abcdef")
    ),
    "ten groups": random_jobs(4, 60, 8, gap=2, run=9, groups=10),
    "a million processors": jobs(10**6, *((0, 4 + i % 3, 6, 1 + 70_000 * (i % 15), i % 3) for i in range(40))),
    "a million processors, small jobs": jobs(10**6, *((i // 4, 2, 3, 1 + i % 3, i % 3) for i in range(40))),
    "powers of two": jobs(32, *((i, 4 + i % 5, 4 + i % 5 + i % 7 * 3, 2 ** (i * 5 % 6), i % 3) for i in range(40))),
    "minutes": random_jobs(5, 80, 16, gap=2, run=9, grain=60),
    "hours over a week": random_jobs(6, 80, 16, gap=3, run=9, grain=3 * HOUR),
    "years": random_jobs(7, 12, 4, gap=2, run=3, grain=2 * 10**7),
}


def constant(groups: int, w: float, K: float, a: float, b: float) -> list[list[float]]:
    """Return genes of Greedy that are the same for all groups and situations."""
    return [[w] * groups + [K] * groups + [a, b]] * 3


def _spread(groups: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, groups])
    return rng.random((3, 2 * groups + 2)) * ([1.0] * groups + [5.0] * groups + [1.0, 1.0])


def fixed_policies(groups: tuple[str, ...]) -> dict[str, Policy]:
    """Return all rules without parameters, and Greedy with chosen, random and degenerate genes, by name."""
    count = len(groups)
    by_name = {rule: Plain(rule) for rule in PLAIN_RULES}

    def add(name: str, criteria: str, backfill: str, genes: object) -> None:
        by_name[f"{name}, {backfill}"] = greedy(criteria.split(), genes, groups=groups, backfill=backfill)

    for number, criterion in enumerate(CRITERIA):
        for backfill in BACKFILLS:
            add(f"random {criterion}", " ".join([criterion] * 3), backfill, _spread(count, number))
    for backfill in BACKFILLS:
        add("mixed criteria", "f1 f4 f2", backfill, _spread(count, 9))
    add("all zero", "f1 f2 f3", "easy", constant(count, 0, 0, 0, 0))
    add("w = 0", "f2 f4 f1", "none", constant(count, 0, 5, 1, 1))
    add("a = 0", "f4 f2 f1", "easy", constant(count, 1, 0, 0, 1))
    add("b = 0", "f1 f2 f4", "easy", constant(count, 0.5, 0, 1, 0))
    add("only K", "f2 f2 f2", "none", [[1.0] * count + [i % 3 for i in range(count)] + [0, 0]] * 3)
    add("only wait over area", "f3 f3 f3", "easy", constant(count, 1, 0, 1, 0))
    add("tiny a", "f2 f4 f3", "none", constant(count, 1, 5, 1e-12, 1e-12))
    for backfill in ("none", "easy"):
        add("w without digits", "f1 f2 f4", backfill, constant(count, 5e-321, 0.3, 0.7, 0.1))
    for criterion in CRITERIA:
        add(f"decimal {criterion}", " ".join([criterion] * 3), "none", constant(count, 0.7, 0.7, 0.1, 0.1))
    add("decimal wait", "f1 f1 f1", "easy", constant(count, 1, 0.3, 0.7, 0))
    one_group = [[float(i == 0) for i in range(count)] + [0.0] * count + [1, 0.5]] * 3
    add("one group alone counts", "f1 f2 f4", "easy", one_group)
    return by_name


@st.composite
def workloads(draw: st.DrawFn, max_jobs: int = 12, exact: bool = False) -> Workload:
    """Draw a few jobs with many ties; times are in seconds, in minutes, or so coarse that situations change."""
    capacity = draw(st.sampled_from([1, 2, 3, 4, 5, 8, 1024]))
    grain = draw(st.sampled_from([1, 60, 6 * HOUR]))
    names = tuple(str(i + 1) for i in range(draw(st.integers(1, 6))))
    widths = st.integers(1, capacity) if capacity < 1024 else st.sampled_from([1, 256, 341, 512, 513, 1024])
    row = st.tuples(
        st.integers(0, 3),
        st.integers(1, 6),
        st.just(0) if exact else st.sampled_from([0, 0, 1, 2, 5, 40]),
        widths,
        st.integers(0, len(names) - 1),
    )
    rows = draw(st.lists(row, min_size=1, max_size=max_jobs))
    gap, run, slack, width, group = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Workload(
        submit=np.cumsum(gap) * grain,
        run=run * grain,
        estimate=(run + slack) * grain,
        width=width,
        capacity=capacity,
        group=group,
        groups=names,
        epoch=draw(st.sampled_from([MONDAY, FRIDAY_NOON])),
        zone=draw(st.sampled_from(["UTC", "Europe/Berlin", "America/Los_Angeles"])),
    )


def greedy_policies(
    groups: tuple[str, ...], backfills: tuple[str, ...] = BACKFILLS, highest_K: float = 5.0
) -> st.SearchStrategy[Policy]:
    """Return a strategy for Greedy with any criteria and genes, also exact and tiny ones."""

    def gene(high: float) -> st.SearchStrategy[float]:
        return st.sampled_from([0.0, 1.0, 0.5, 1e-12, high]) | st.floats(0.0, high)

    count = len(groups)
    row = st.tuples(*[gene(1.0)] * count, *[gene(highest_K)] * count, gene(1.0), gene(1.0))
    return st.builds(
        lambda criteria, genes, backfill: greedy(criteria, genes, groups=groups, backfill=backfill),
        st.lists(st.sampled_from(CRITERIA), min_size=3, max_size=3),
        st.lists(row, min_size=3, max_size=3),
        st.sampled_from(backfills),
    )


def policies(groups: tuple[str, ...]) -> st.SearchStrategy[Policy]:
    """Return a strategy for policies of every rule."""
    return st.sampled_from([Plain(rule) for rule in PLAIN_RULES]) | greedy_policies(groups)


def a_greedy(groups: tuple[str, ...], seed: int = 3) -> Policy:
    """Return a Greedy that may be the thirteenth strategy of a rule base."""
    return greedy(
        ["f2", "f1", "f4"], _spread(len(groups), seed) * ([1.0] * (2 * len(groups) + 1) + [1e-3]), groups=groups
    )


def constant_rules(groups: tuple[str, ...], strategy: int, kind: str) -> Policy:
    """Return a rule base that always chooses one strategy; the last group has priority."""
    features = len(groups) + 2
    about = (kind, groups, groups[::-1], a_greedy(groups))
    if kind == "iterative":
        return RuleBase(*about, bounds=((),) * features, choice=np.array([strategy]))
    levels = np.full((2, 13), -1)
    levels[:, strategy] = 5
    where = np.array([[0.2] * features, [0.8] * features])
    return RuleBase(*about, means=where, widths=where / 3, recommendations=levels)


def random_rules(
    groups: tuple[str, ...], seed: int, kind: str, strategies: tuple[int, ...] = tuple(range(13))
) -> Policy:
    """Return a rule base that chooses strategies at random, so finely that they change at nearly every pass."""
    rng = np.random.default_rng([seed, len(groups)])
    features = len(groups) + 2
    about = (kind, groups, tuple(rng.permutation(groups).tolist()), a_greedy(groups, seed))
    if kind == "iterative":
        bounds = ((1.5, 4.0), tuple(range(3, 100, 4)), tuple(range(0, 100, 7)), *((25.0,),) * 2)[:features]
        bounds += ((),) * (features - len(bounds))
        choice = rng.choice(strategies, np.prod([len(inner) + 1 for inner in bounds]))
        return RuleBase(*about, bounds=bounds, choice=choice)
    levels = rng.choice(LEVELS, (20, 13))
    levels[:, [s for s in range(13) if s not in strategies]] = -5
    means, widths = rng.random((20, features)), rng.uniform(0.05, 0.3, (20, features))
    return RuleBase(*about, means=means, widths=widths, recommendations=levels)


@st.composite
def rule_bases(draw: st.DrawFn, groups: tuple[str, ...]) -> Policy:
    """Draw a rule base with few levels and equal Gaussians, so that ties are common, or with bounds that are met."""
    features = len(groups) + 2
    about = (tuple(groups), tuple(draw(st.permutations(groups))), draw(greedy_policies(groups, ("none",))))
    if draw(st.booleans()):
        inner = st.lists(st.sampled_from([1.0, 1.5, 2.0, 20.0, 25.0, 50.0, 75.0]), max_size=2, unique=True).map(sorted)
        bounds = tuple(tuple(draw(inner)) if f < 4 else () for f in range(features))
        count = math.prod(len(row) + 1 for row in bounds)
        choice = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
        return RuleBase("iterative", *about, bounds=bounds, choice=np.array(choice))
    count = draw(st.integers(1, 4))
    numbers = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=features, max_size=features)
    sizes = st.lists(st.sampled_from([1e-3, 0.1, 0.5, 1.0, 1e6]), min_size=features, max_size=features)
    levels = st.lists(st.sampled_from(LEVELS), min_size=13, max_size=13)
    tables = [np.array(draw(st.lists(row, min_size=count, max_size=count))) for row in (numbers, sizes, levels)]
    return RuleBase("symbiotic", *about, means=tables[0], widths=tables[1], recommendations=tables[2])


class Case(NamedTuple):
    """A workload so small that its schedule under some policies can be computed on paper."""

    name: str
    workload: Workload
    policies: tuple[str | Policy, ...]
    start: list[int]


def equal_rules(base: Policy, other: Policy) -> bool:
    """Return whether two rule bases are equal, in their files and bit for bit in their arrays."""
    return to_json(base) == to_json(other) and all(
        np.array_equal(getattr(base, key), getattr(other, key))
        for key in ("choice", "means", "widths", "recommendations")
    )


def _by_criterion(criterion: str, backfill: str = "none") -> Policy:
    return greedy([criterion] * 3, constant(1, 1, 0, 1, 1), groups=("1",), backfill=backfill)


def _longest_wait_by_day_largest_area_by_night() -> Policy:
    wait, area = [1, 0, 1, 0], [1, 0, 0, 1]
    return greedy(["f2"] * 3, [wait, wait, area], groups=("1",))


_CONS = ("conservative", "conservative-replan")
_T4 = [(1, 5, 5, 3), (1, 5, 5, 2), (2, 5, 5, 1)]
_T5 = jobs(4, (0, 3, 5, 1), (0, 1, 1, 4), (0, 3, 3, 1), (2, 1, 2, 3))
_KEYS = jobs(2, (0, 10, 10, 2), (2, 4, 4, 2), (4, 3, 3, 1))
_PRIORITY = jobs(1, (0, 10, 10, 1, 0), (1, 5, 5, 1, 0), (2, 5, 5, 1, 1))
_PASSING = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1), (2, 9, 9, 1))

HAND_CHECKED = (
    # T1 to T6 of the specification of the event semantics
    Case(
        "T1: a job that ends exactly at the shadow time may pass",
        jobs(10, (0, 10, 10, 6), (1, 5, 5, 8), (2, 20, 20, 2), (3, 7, 7, 2), (4, 7, 7, 1)),
        ("easy",),
        [0, 10, 2, 3, 15],
    ),
    Case(
        "T2: jobs with the same expected end are released together",
        jobs(10, (0, 10, 10, 4), (0, 10, 10, 4), (1, 5, 5, 5), (2, 100, 100, 2)),
        ("easy",),
        [0, 0, 10, 2],
    ),
    Case(
        "T3: one pass for all ends of a second",
        jobs(4, (0, 10, 10, 2), (0, 10, 20, 2), (1, 5, 5, 4), (2, 3, 3, 2)),
        ("easy",),
        [0, 0, 10, 15],
    ),
    Case("T4: first reservations", jobs(4, (0, 10, 10, 4), *_T4), _CONS, [0, 10, 15, 10]),
    Case("T4: an early end moves everything up", jobs(4, (0, 4, 10, 4), *_T4), ("easy", *_CONS), [0, 4, 9, 4]),
    Case("T5: a reservation is kept", _T5, ("conservative",), [0, 4, 0, 3]),
    Case("T5: without reservations that are kept", _T5, ("conservative-replan", "easy"), [0, 3, 0, 4]),
    Case(
        "T6: a job that is killed at its estimate frees the machine then",
        jobs(4, (0, min(12, 10), 10, 4), (1, 5, 5, 4)),
        PLAIN_RULES,
        [0, 10],
    ),
    # When the first job ends at 4, the third is tried before the fourth has left 6..7 and stays at 7. The second and
    # fourth run 4..5 and end as expected. Only a compression at this punctual end brings the third from 7 to 5.
    Case(
        "punctual ends compress, too",
        jobs(2, (0, 4, 6, 2), (0, 1, 1, 1), (0, 2, 2, 2), (0, 1, 1, 1)),
        ("conservative",),
        [0, 4, 5, 4],
    ),
    # At 10 the second job has waited 8 and the third 6: keys 4 and 5, 16 and 9, 1 and 2, 10 and 9.
    Case("f1", _KEYS, (_by_criterion("f1"),), [0, 13, 10]),
    Case("f2", _KEYS, (_by_criterion("f2"),), [0, 10, 14]),
    Case("f3", _KEYS, (_by_criterion("f3"),), [0, 13, 10]),
    Case("f4", _KEYS, (_by_criterion("f4"),), [0, 10, 14]),
    # Keys at 10: 0.1 x 9 and 1 x 8; with K = 5 for the first group 0.1 x (5 + 9) and 1 x 8; w = 1 for both 9 and 8.
    Case(
        "a group with a larger weight goes first",
        _PRIORITY,
        (
            greedy(["f2"] * 3, [[0.1, 1, 0, 0, 1, 0]] * 3, groups=("1", "2")),
            greedy(["f2"] * 3, [[0.1, 1, 5, 0, 1, 0]] * 3, groups=("1", "2"), backfill="easy"),
        ),
        [0, 15, 10],
    ),
    Case(
        "equal weights: the longest wait goes first",
        _PRIORITY,
        (greedy(["f2"] * 3, [[1, 1, 0, 0, 1, 0]] * 3, groups=("1", "2")),),
        [0, 10, 15],
    ),
    # Friday 17:00; the machine becomes free one second before 18:00, and at 18:00.
    Case(
        "the last second of the day has the criterion of the day",
        jobs(1, (0, 3599, 3599, 1), (1, 10, 10, 1), (2, 20, 20, 1), epoch=FRIDAY_NOON + 5 * HOUR),
        (_longest_wait_by_day_largest_area_by_night(),),
        [0, 3599, 3609],
    ),
    Case(
        "the first second of the night has the criterion of the night",
        jobs(1, (0, 3600, 3600, 1), (1, 10, 10, 1), (2, 20, 20, 1), epoch=FRIDAY_NOON + 5 * HOUR),
        (_longest_wait_by_day_largest_area_by_night(),),
        [0, 3620, 3600],
    ),
    # The second job needs the whole machine. Largest area first, it is the head: alone it blocks the others, with
    # backfilling the third job, which ends at 10, passes it, and the fourth, which would end at 11, does not.
    Case(
        "no backfilling in paper 000",
        _PASSING,
        (greedy(["f2"] * 3, constant(1, 1, 0, 0, 1), groups=("1",)), "fcfs"),
        [0, 10, 15, 15],
    ),
    Case(
        "Greedy with EASY",
        _PASSING,
        (greedy(["f2"] * 3, constant(1, 1, 0, 0, 1), groups=("1",), backfill="easy"), "easy"),
        [0, 10, 2, 15],
    ),
    # Keys at 2: 5/4, 8 and 9. The fourth job starts in the gap; the third starts at 10, and keeps the second waiting.
    Case(
        "narrow and long first", _PASSING, (greedy(["f4"] * 3, constant(1, 1, 0, 0, 1), groups=("1",)),), [0, 18, 10, 2]
    ),
)


ORACLE = Path(os.environ.get("PARETOSCHED_ORACLE") or os.devnull)  # which is no folder
ORACLE_MISSING = "NO ORACLE: set PARETOSCHED_ORACLE to the folder that has the start times of a rival simulator"


def rival(rule: str) -> tuple[Workload, list[int]]:
    """Return the workload of a rival simulator, and the start times that it computed."""
    with gzip.open(ORACLE / "ties_2000_128.swf.gz", "rt") as log:
        fields = np.loadtxt(log, comments=";", dtype=np.int64)
    workload = Workload(
        submit=fields[:, 1], run=fields[:, 3], estimate=fields[:, 8], width=fields[:, 7], capacity=128, job=fields[:, 0]
    )
    table = np.loadtxt(ORACLE / f"ties_2000_128_{rule}.csv", delimiter=",", skiprows=1, dtype=np.int64)
    assert table[:, 0].tolist() == workload.job.tolist()
    return workload, table[:, 1].tolist()


def crowd(jobs: int, seed: int = 3) -> Workload:
    """Return jobs of months of a machine on which most wait."""
    rng = np.random.default_rng(seed)
    run = rng.integers(60, 30_000, jobs)
    return Workload(
        submit=np.sort(rng.integers(0, 2500 * jobs, jobs)),
        run=run,
        estimate=run * rng.integers(1, 6, jobs),
        width=2 ** rng.integers(0, 5, jobs),
        capacity=32,
        group=rng.integers(0, 4, jobs),
        groups=("1", "2", "3", "4"),
    )
