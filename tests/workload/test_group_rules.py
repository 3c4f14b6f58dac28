"""Rules of groups know no future, and give the jobs of a log the groups that the log was read with."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.workload.group_lists import GroupLine
from paretosched.workload.group_rules import DAY, ConsumptionGroups, ListedGroups, recent_shares
from paretosched.workload.user_groups import by_consumption, by_csv, by_queue, by_swf_group, rule_of
from paretosched.workload.workload import Workload

GROUPS = ("vip", "rest")


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40), st.integers(1, 3), st.integers(-1, 3)), min_size=1),
    st.integers(1, 60),
)
def test_recent_shares_are_those_of_a_naive_sum(jobs: list[tuple[int, int, int, int]], window: int) -> None:
    submit, run, width, user = (np.array(column) for column in zip(*sorted(jobs), strict=True))
    naive = []
    for j in range(len(jobs)):
        counts = (submit >= submit[j] - window) & (submit + run <= submit[j]) & (run <= window)
        total, own = ((run * width)[counts & mask].sum() for mask in (user == user, user == user[j]))
        naive.append(own / total if total else 0.0)
    assert recent_shares(submit, run, run * width, user, window).tolist() == naive


def test_consumption_of_the_last_days_decides_and_newcomers_have_the_default() -> None:
    days = np.array([0, 0, 1, 2, 11, 12])
    users = [7, 8, 7, 9, 8, -1]
    w = Workload(days * DAY, [3600] * 6, [3600] * 6, [9, 1, 1, 1, 1, 1], 10, user=users)
    rule = ConsumptionGroups(("big", "small", "new"), (0.5, 0.05), 10, "new")
    assert [rule.groups[g] for g in rule.group_indices(w)] == ["new", "new", "big", "new", "new", "new"]
    later = ConsumptionGroups(("big", "small", "new"), (0.5, 0.05), 11, "new")
    assert [later.groups[g] for g in later.group_indices(w)] == ["new", "new", "big", "new", "small", "new"]


def test_no_rule_knows_the_future() -> None:
    w = ps.lublin(300, 64, 5)
    rule = rule_of(w)
    assert rule is not None
    count = 150
    first = w.take(np.arange(count))
    assert rule.group_indices(w)[:count].tolist() == rule.group_indices(first).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"default": "guests"}, "the default of a grouping must be one of vip, rest, but is"),
        ({"groups": ("vip", "vip")}, "groups of a grouping must be one or more different names"),
        ({"lines": ()}, "lines of a grouping must be 1 to"),
        ({"lines": (8,)}, "a line of a grouping must be a list, but is 8"),
        (
            {"lines": (("vip", 1, 2, 3, 4, 5),)},
            "lines of a grouping must be group, user, account, queue, partition, but",
        ),
        ({"groups": 8}, "groups must be a list, but is 8"),
        ({"lines": (GroupLine("staff"),)}, "the group of a line must be one of vip, rest"),
    ],
)
def test_a_list_keeps_its_rules(change: dict[str, object], message: str) -> None:
    sound: dict[str, object] = {"groups": GROUPS, "lines": (GroupLine("vip", user=7),), "default": "rest"}
    with pytest.raises(InputError, match=message):
        ListedGroups(**(sound | change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"thresholds": ()}, "thresholds of a grouping must be 1 descending shares"),
        ({"thresholds": (1.5,)}, "thresholds of a grouping must be 1 descending shares"),
        ({"thresholds": (float("nan"),)}, "thresholds of a grouping must be 1 descending shares"),
        ({"days": 0}, "days of a grouping must be in 1..36500, but are 0"),
        ({"days": 1.5}, "days of a grouping must be a whole number, but is 1.5"),
        ({"thresholds": ("most",)}, "threshold must be a number, but is 'most'"),
    ],
)
def test_consumption_keeps_its_rules(change: dict[str, object], message: str) -> None:
    sound: dict[str, object] = {"groups": GROUPS, "thresholds": (0.5,), "days": 30, "default": "rest"}
    with pytest.raises(InputError, match=message):
        ConsumptionGroups(**(sound | change))  # type: ignore[arg-type]


def test_lists_and_numbers_of_numpy_make_the_same_rules(tmp_path: Path) -> None:
    line = GroupLine("vip", user=7)
    listed = ListedGroups([*GROUPS], [line], "rest")  # type: ignore[arg-type]
    consumed = ConsumptionGroups([*GROUPS], [np.float32(0.5)], np.int64(30), "rest")  # type: ignore[arg-type]
    assert listed == ListedGroups(GROUPS, (line,), "rest")
    assert consumed == ConsumptionGroups(GROUPS, (0.5,), 30, "rest")
    for rule in (listed, consumed):
        policy = ps.greedy(["f2"] * 3, np.ones((3, 6)), groups=[*GROUPS], grouping=rule)
        ps.save_policy(policy, tmp_path / "p.json")
        assert ps.load_policy(tmp_path / "p.json").grouping == rule


def a_log(folder: Path) -> Workload:
    """Return the workload of a log with two accounts, three queues and four users."""
    lines = [
        f"{j + 1} {100 * j} 0 60 1 -1 -1 1 60 -1 1 {user} {account} -1 {queue} -1 -1 -1"
        for j, (user, account, queue) in enumerate([(1, 1, 0), (2, 1, 1), (3, 2, 2), (4, 2, 1), (1, 1, 2)])
    ]
    (folder / "log.swf").write_text("; MaxProcs: 4\n; Queue: 1 night\n" + "\n".join(lines) + "\n")
    return ps.read_swf(folder / "log.swf")


def test_the_rule_of_a_workload_makes_its_groups_again(tmp_path: Path) -> None:
    w = a_log(tmp_path)
    (tmp_path / "groups.csv").write_text("user,queue,group\n1,*,vip\n*,night,batch\n")
    for workload in (by_swf_group(w), by_queue(w), by_csv(w, tmp_path / "groups.csv")):
        rule = rule_of(workload)
        assert isinstance(rule, ListedGroups)
        assert rule.group_indices(w).tolist() == workload.group.tolist()
        assert rule.groups == workload.groups
        assert rule.default == workload.groups[-1]
        part = ps.split(workload, 0.5)[1]
        assert rule_of(part).group_indices(part).tolist() == part.group.tolist()
    consumption = rule_of(by_consumption(w, [0.3]))
    assert consumption == ConsumptionGroups(("1", "2"), (0.3,), 90, "2")
    (tmp_path / "groups.csv").write_text("1,vip\n")
    assert rule_of(workload) is None  # it is another list now
    assert rule_of(w.with_(user=w.user)) is None


def test_a_job_that_could_not_run_yet_has_consumed_nothing() -> None:
    w = Workload(np.array([0, 0, 1]) * DAY, [3600] * 3, [3600] * 3, [1, 1, 1], 10, user=[7, 8, 7])
    rule = ConsumptionGroups(("big", "small", "new"), (0.6, 0.05), 10, "new")
    assert [rule.groups[g] for g in rule.group_indices(w)] == ["new", "new", "small"]
    assert rule.groups[rule.group_indices(w.with_(eligible=[0, DAY, DAY]))[2]] == "big"
    assert rule.groups[rule.group_indices(w.with_(eligible=[DAY - 3600, DAY - 3600, DAY]))[2]] == "small"
    assert rule.groups[rule.group_indices(w.with_(eligible=[DAY, 0, DAY]))[2]] == "new"
