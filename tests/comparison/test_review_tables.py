"""A review as text."""

from paretosched.comparison.promises import review
from paretosched.comparison.review_tables import DRY, review_text, verdict_text
from paretosched.policies.policy import as_policy
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.wishes.wish_files import as_wish
from support.trainings import of_weeks


def test_the_text_begins_with_the_verdict_and_has_every_group_and_week() -> None:
    w = of_weeks(3)
    w = w.with_(submit=w.submit * 3)
    log = w.with_(wait=simulate(w, "easy").start - w.eligible)
    wish = as_wish("10*AWRT1 + 4*AWRT2, AWRT <= 2*EASY", w.groups)
    result = review(log, as_policy("sjf; backfill: easy"), int(w.submit[20]), wish, as_policy("easy"))
    text = review_text(result)
    assert text.startswith(f"{verdict_text(result)}\n34 jobs in 6 weeks; 1 job that ran")
    assert "do not count; not counted: 6 jobs after the last whole week\n" in text
    assert "limits exceeded by what was recorded: 0 %" in text
    for words in ("EASY, simulated", "the policy, simulated", "today: EASY", "recorded over simulated policy"):
        assert words in text
    assert all(f"group {group}" in text for group in w.groups)
    weeks = {row["from"] for row in result.rows()}
    assert all(week in text for week in weeks)
    assert len(weeks) == 6

    dry = review_text(result, dry=True)
    assert dry.startswith(DRY)
    assert "recorded over simulated policy" not in dry
    assert "what would have changed" not in text


def test_after_a_dry_run_each_group_has_what_would_have_changed() -> None:
    w = of_weeks(3)
    log = w.with_(wait=simulate(w, "easy").start - w.eligible)
    wish, since = as_wish("AWRT", w.groups), int(w.submit[0])
    result = review(log, as_policy("sjf; backfill: easy"), since, wish, as_policy("fcfs"))
    text = review_text(result, dry=True)
    head, _, *lines = text.partition("what would have changed")[2].split("\n\n")[0].splitlines()
    assert "today, simulated, change %" in head
    assert len(lines) == 2 + len(w.groups)
    then, today = (simulate(result.workload, policy) for policy in ("sjf; backfill: easy", "fcfs"))
    recorded = simulate(result.workload, "easy")
    for place, line in enumerate(lines[:-1], 1):
        was, policy, before = (objectives(schedule)[place] for schedule in (recorded, then, today))
        cells = line.split()[-7:]
        assert cells[1] == f"{was / 3600:,.2f}"
        assert cells[2:4] == [f"{policy / 3600:,.2f}", f"{100 * (policy - was) / was:+.1f}"]
        assert cells[6] == f"{100 * (before - was) / was:+.1f}"
    assert "today, simulated" not in review_text(review(log, as_policy("fcfs"), since, wish), dry=True)


def test_a_group_stands_once_in_the_table_of_groups_also_if_there_is_one_week_only() -> None:
    w = of_weeks(3)
    log = w.with_(wait=simulate(w, "easy").start - w.eligible)
    begin = int(w.submit[-1]) - 3 * 86400
    result = review(log, as_policy("easy"), begin, as_wish("AWRT", w.groups), None)
    assert result.weeks == 1
    text = review_text(result)
    assert all(text.count(f"\ngroup {group} ") <= 1 for group in w.groups)
    assert text.count("\nall jobs ") == 1


def test_a_group_may_be_called_all() -> None:
    w = of_weeks(3)
    wish, since = as_wish("AWRT", w.groups), int(w.submit[0])

    def text_of(groups: tuple[str, ...]) -> str:
        of_groups = w.with_(groups=groups)
        log = of_groups.with_(wait=simulate(w, "easy").start - w.eligible)
        return review_text(review(log, as_policy("sjf; backfill: easy"), since, wish), dry=True)

    others = w.groups[1:]
    assert text_of(("all", *others)) == text_of(("AAA", *others)).replace("AAA", "all")
