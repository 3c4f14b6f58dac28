"""Who overtakes whom in an order, and after how long a wait."""

import math
from collections.abc import Callable

import pytest

import paretosched as ps
from paretosched.core.situations import SITUATIONS
from paretosched.policies.explanation_words import KINDS, LIFETIME
from paretosched.policies.priority_waits import MOST_GROUPS, WAITED, PriorityExplanation
from support.commands import succeed

Key = Callable[[str, int, int, int], float]  # group, processors, request, wait
SIZES = {kind.name: (kind.width, kind.estimate) for kind in KINDS}
LINE = "order: wait + 3600 * vip + 2h * physics - area / 10; backfill: easy"
CASES: dict[str, Key] = {
    LINE: lambda g, m, p, t: t + 3600 * (g == "vip") + 7200 * (g == "physics") - m * p / 10,
    "order: if(physics, 3, 1) * wait / estimate": lambda g, m, p, t: (3 if g == "physics" else 1) * t / p,
    "order: log2(area) + wait / 12h - 4 * vip": lambda g, m, p, t: math.log2(m * p) + t / 43200 - 4 * (g == "vip"),
    "order: min(wait / 7d, 1) * 1000 + floor(10 * vip)": lambda g, m, p, t: (
        min(t / 604800, 1) * 1000 + 10 * (g == "vip")
    ),
    "order: smallest estimate": lambda g, m, p, t: -p,
    "priority:vip,physics": lambda g, m, p, t: {"vip": 2, "physics": 1}.get(g, 0),
}


def explanation_of(text: str) -> PriorityExplanation:
    explanation = ps.explain(text)
    assert isinstance(explanation, PriorityExplanation)
    return explanation


@pytest.mark.parametrize("text", CASES)
def test_waits_are_exact_to_the_second(text: str) -> None:
    key, rows = CASES[text], explanation_of(text).rows()
    groups = {row["group"] for row in rows}
    assert len(rows) == len(SITUATIONS) * (4 * len(groups)) * (4 * len(groups) - 1)
    for row in rows:
        passed = key(row["passed_group"], *SIZES[row["passed_job"]], WAITED)

        def passes(wait: int, row: dict[str, str] = row, passed: float = passed) -> bool:
            own = key(row["group"], *SIZES[row["job"]], wait)
            return own > passed or (own == passed and wait >= WAITED)

        wait = row["wait"]
        assert passes(LIFETIME) == (wait is not None)
        if wait is not None:
            assert passes(wait)
            assert wait == 0 or not passes(wait - 1)


def test_the_text_has_tables_of_groups_and_sizes() -> None:
    lines = [" ".join(line.split()) for line in explanation_of(LINE).text().splitlines()]
    head = "small job of by vip by physics by others large job of by vip by physics by others"
    place = lines.index(head)
    assert lines[place - 1].endswith("of its size, group by group (line: who is passed; column: by whom):")
    assert lines[place + 2 : place + 5] == [
        "vip 1 h 1 s 2 h vip 1 h 1 s 2 h",
        "physics 2 h 1 h 3 h physics 2 h 1 h 3 h",
        "others 1 s 0 1 h others 1 s 0 1 h",
    ]
    assert lines[place + 5].endswith("of its group, size by size (line: who is passed; column: by whom):")
    assert lines[place + 8] == "small 1 h 5.6 h 4 h 3.2 d"
    assert len(lines) == place + 12


def test_each_situation_has_its_tables_and_groups_of_other_sizes_theirs() -> None:
    text = explanation_of("order day: wait / estimate; order night: wait; order weekend: wait * (1 + vip)").text()
    assert [line for line in text.splitlines() if line.startswith(("weekend", "day", "night"))] == [
        "weekend (Saturday and Sunday):",
        "day (Monday to Friday, 8 to 18 o'clock):",
        "night (the rest of the week):",
    ]
    text = explanation_of("order: wait / if(vip, estimate, 1h)").text()
    assert "of its group, vip, size by size" in text
    assert "of its group, others, size by size" in text


def test_many_groups_are_cut_and_said() -> None:
    names = [f"g{place}" for place in range(MOST_GROUPS + 3)]
    explanation = explanation_of(f"priority:{','.join(names)}")
    assert f"the first {MOST_GROUPS} of {len(names) + 1} groups" in explanation.text()
    assert {row["group"] for row in explanation.rows()} == {*names, "others"}


def test_a_group_may_be_called_others() -> None:
    explanation = explanation_of("order: wait + 3600 * others")
    assert explanation.groups == ("others", "all others")
    row = next(row for row in explanation.rows() if row["passed_group"] == "others" and row["group"] == "all others")
    assert row["wait"] == 2 * WAITED


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("order: wait - usage", "the order depends on usage, which jobs of one size and group do not share"),
        ("order: queue(7) + wait", "the order depends on queue, which"),
        ("order: learned-f1", "the order depends on eligible, which"),
        ("priority", "the groups are those of each workload"),
        ("order: abs(wait - 1h)", "it is not proven that abs(wait - 3600) changes in one direction as a job waits"),
    ],
)
def test_what_is_not_known_is_said(text: str, why: str) -> None:
    explanation = explanation_of(text)
    assert explanation.rows() == []
    assert f"Who overtakes whom is not listed: {why}" in " ".join(explanation.words())
    assert "How long a job must have waited" not in explanation.text()
    assert explanation.words()[-1].startswith("The policy in words: ")


def test_the_command_shows_it() -> None:
    assert "How long a job must have waited to pass one that has waited 1 h" in succeed("explain", LINE).out
    rows = succeed("explain", LINE, "--json").json["rows"]
    assert rows == explanation_of(LINE).rows()
