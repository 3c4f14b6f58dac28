"""The groups of Slurm's jobs: by a field, by a list with names, or by the policy's own rule."""

from pathlib import Path

import pytest

import paretosched as ps
from paretosched.deployment.slurm_groups import grouping_of, no_job_fits
from paretosched.deployment.slurm_queue import QueuedJob, jobs_in
from paretosched.policies.policy import as_policy
from paretosched.workload.group_lists import GroupLine
from paretosched.workload.group_rules import GroupRule, WordedGroups
from support.fake_slurm import line_of

GROUPS = ("physics", "chem", "rest")


def job(**cells: str) -> QueuedJob:
    (result,) = jobs_in(line_of(7, **cells).replace("@", "~m~"), "~m~")  # type: ignore[arg-type]
    return result


def policy(rule: GroupRule | None = None) -> ps.Policy:
    return ps.greedy(["f2"] * 3, [[1, 1, 1, 0, 0, 0, 1, 0]] * 3, groups=GROUPS, grouping=rule)


def group(of: QueuedJob, how: str | None, by: ps.Policy | None = None) -> str:
    grouping = grouping_of(by or policy(), how)
    return grouping.groups[grouping.group_of(of)]


@pytest.mark.parametrize(
    ("how", "cells", "expected"),
    [
        ("account", {"account": "chem"}, "chem"),
        ("account", {"account": "history"}, "rest"),  # a newcomer: the last group
        ("user", {"user": "physics", "account": "chem"}, "physics"),
        ("qos", {"qos": "chem"}, "chem"),
        ("partition", {"partition": "main,chem"}, "chem"),
    ],
)
def test_a_field_of_the_job_is_its_group(how: str, cells: dict[str, str], expected: str) -> None:
    assert group(job(**cells), how) == expected


def test_it_is_said_if_no_job_has_a_group_of_the_policy() -> None:
    jobs = [job(account="history", partition="main,chem"), job(account="law", partition="main")]
    assert no_job_fits(policy(), "account", jobs) == (
        "no waiting job is of a group of the policy (physics, chem, rest): their account is history, law; is --groups "
        "account right?"
    )
    assert no_job_fits(as_policy("guarded: music"), "account", jobs).startswith("no waiting job is of a group of the")
    assert no_job_fits(policy(), "partition", jobs) == ""
    assert no_job_fits(policy(), "account", [*jobs, job(account="rest")]) == ""
    assert no_job_fits(policy(), "account", []) == ""
    assert no_job_fits(policy(), None, jobs) == ""
    assert no_job_fits(as_policy("sjf"), "account", jobs) == ""


def test_newcomers_are_in_the_default_group_of_the_policy() -> None:
    rule = ps.ListedGroups(GROUPS, (GroupLine("chem", account=3),), "physics")
    assert group(job(account="history"), "account", policy(rule)) == "physics"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"account": "CHEM"}, "chem"),
        ({"user": "ann", "limit": "2-00:00:00"}, "physics"),
        ({"user": "ann", "limit": "1:00:00"}, "rest"),
        ({"user": "eve", "limit": "2-00:00:00"}, "rest"),
        ({"partition": "main,big"}, "physics"),
    ],
)
def test_conditions_in_words_are_those_of_the_policy(cells: dict[str, str], expected: str) -> None:
    text = "physics: user = ann and limit > 1d or partition = big; chem: account = chem; rest"
    rule = WordedGroups(GROUPS, text, "rest")
    assert group(job(**cells), None, policy(rule)) == expected


def test_the_first_line_of_a_list_that_fits_has_the_group(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("user,account,group\nann,chem,physics\n*,chem,chem\nbob,*,physics\n", encoding="utf-8")
    for cells, expected in (
        ({"user": "ann", "account": "chem"}, "physics"),
        ({"user": "eve", "account": "chem"}, "chem"),
        ({"user": "bob", "account": "x"}, "physics"),
        ({"user": "eve", "account": "x"}, "rest"),
    ):
        assert group(job(**cells), str(path)) == expected


def test_a_list_with_another_group_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("account,group\nchem,chem\nlaw,law\n", encoding="utf-8")
    with pytest.raises(ps.InputError, match=r"groups\.csv:3: group is law, but the policy has physics, chem, rest$"):
        grouping_of(policy(), str(path))


def test_names_of_queues_in_the_policys_own_rule_are_those_of_qos_and_partitions() -> None:
    lines = (GroupLine("chem", queue="fast", partition="main"), GroupLine("physics", queue="fast"))
    by = policy(ps.ListedGroups(GROUPS, lines, "rest"))
    assert group(job(qos="fast"), None, by) == "chem"
    assert group(job(qos="fast", partition="other"), None, by) == "physics"
    assert group(job(), None, by) == "rest"


def test_names_of_accounts_in_the_policys_own_rule_are_those_of_slurm() -> None:
    """A policy that learnt from imported accounting has names; -1 stands for jobs without an account."""
    lines = (GroupLine("chem", account="Chem"), GroupLine("physics", account=-1))
    by = policy(ps.ListedGroups(GROUPS, lines, "rest"))
    assert group(job(account="chem"), None, by) == "chem"
    assert group(job(account="(null)"), None, by) == "physics"
    assert group(job(account="law"), None, by) == "rest"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (None, "no rule for them; say with --groups"),
        (ps.ConsumptionGroups(GROUPS, (0.5, 0.1), 30, "rest"), "which Slurm does not tell; say with --groups"),
        (ps.ListedGroups(GROUPS, (GroupLine("chem", user=3),), "rest"), "by numbers in its log"),
    ],
)
def test_a_rule_that_slurm_cannot_follow_is_refused(
    rule: ps.ListedGroups | ps.ConsumptionGroups | None, message: str
) -> None:
    with pytest.raises(ps.InputError, match=message):
        grouping_of(policy(rule), None)


def test_an_order_without_groups_needs_no_rule() -> None:
    assert group(job(account="physics"), None, as_policy("sjf; backfill: easy")) == "other"


def test_groups_that_an_order_does_not_name_are_alike() -> None:
    by = as_policy("priority:chem,physics; backfill: easy")
    assert group(job(account="physics"), "account", by) == "physics"
    assert group(job(account="history"), "account", by) == "other"


@pytest.mark.parametrize(
    ("how", "cells", "expected"),
    [
        ("account", {"account": "chem"}, "chem"),
        ("account", {"account": "history"}, "history"),
        ("account", {"account": "(null)"}, "other"),
        ("user", {"user": "eve"}, "eve"),
        ("partition", {"partition": "main,chem"}, "chem"),
        ("partition", {"partition": "main,long"}, "main"),
    ],
)
def test_a_guarded_order_looks_at_each_group_also_those_that_it_does_not_name(
    how: str, cells: dict[str, str], expected: str
) -> None:
    assert grouping_of(as_policy("guarded: physics, chem"), how).name(job(**cells)) == expected


def test_a_list_for_a_guarded_order_may_have_groups_that_it_does_not_name(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("account,group\nchem,chem\nlaw,law\nart,law\n", encoding="utf-8")
    grouping = grouping_of(as_policy("guarded: chem"), str(path))
    names = [grouping.name(job(account=account)) for account in ("chem", "art", "x")]
    assert names == ["chem", "law", "other"]
    jobs = [job(account=account) for account in ("x", "law", "chem", "art")]
    names, numbered = grouping.number_groups(jobs)
    assert [names[numbered.group_of(one)] for one in jobs] == ["other", "law", "chem", "law"]


def test_a_guarded_order_with_a_rule_has_the_groups_of_the_rule() -> None:
    rule = ps.ListedGroups(("vip", "rest"), (GroupLine("vip", account="chem"),), "rest")
    grouping = grouping_of(ps.Guarded(("vip",), grouping=rule), None)
    assert [grouping.name(job(account=account)) for account in ("chem", "x")] == ["vip", "rest"]
