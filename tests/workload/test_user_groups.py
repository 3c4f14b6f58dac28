import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.workload.description import describe, description_text
from paretosched.workload.group_rules import ListedGroups
from paretosched.workload.swf import read_swf
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import (
    by_consumption,
    by_csv,
    by_earlier_consumption,
    by_queue,
    by_swf_group,
    group_table,
    rule_of,
    with_groups,
)
from paretosched.workload.workload import Workload
from support.machine_zoo import TWO_PARTITIONS


def jobs(work: list[int], user: list[int], **more: Any) -> Workload:
    n = len(work)
    return Workload(submit=[0] * n, run=work, estimate=work, width=[1] * n, capacity=4, user=user, **more)


def test_the_papers_thresholds_belong_to_the_lower_group() -> None:
    shares = {1: 8100, 2: 800, 3: 201, 4: 200, 5: 101, 6: 100, 7: 99, 8: 389, 9: 10}
    assert sum(shares.values()) == 10_000
    w = by_consumption(jobs(list(shares.values()), list(shares)))
    assert dict(zip(shares, (w.group + 1).tolist(), strict=True)) == {
        1: 1,
        2: 2,
        3: 2,
        4: 3,
        5: 3,
        6: 4,
        7: 4,
        8: 2,
        9: 5,
    }
    assert w.groups == ("1", "2", "3", "4", "5")


def test_groups_depend_on_work_and_not_on_jobs() -> None:
    w = by_consumption(jobs([1] * 50 + [950], [1] * 50 + [2]), thresholds=(0.5,))
    assert w.groups == ("1", "2")
    assert w.group.tolist() == [1] * 50 + [0]


def test_where_a_log_is_cut_groups_are_by_what_was_consumed_until_then() -> None:
    # User 1 has 60 of 100 until the cut and 60 of 1,000 in all; user 3 and the unknown one appear only later.
    made = jobs([60, 40, 500, 390, 10], [1, 2, 2, 3, -1], source=[{"function": "lublin"}])
    whole = by_consumption(made.with_(submit=[0, 0, 9, 9, 9], source=made.source), (0.5, 0.1))
    assert whole.group.tolist() == [2, 0, 0, 1, 2]
    before, after = by_earlier_consumption(*split(whole, 0.5))
    assert (before.group.tolist(), after.group.tolist()) == ([0, 1], [1, 2, 2])
    assert before.groups == after.groups == whole.groups
    listed = whole.with_(group=whole.group)  # groups of unknown origin stay
    assert [part.group.tolist() for part in by_earlier_consumption(*split(listed, 0.5))] == [[2, 0], [0, 1, 2]]


def test_users_of_a_real_log_change_their_group_where_it_is_cut(traces: Path) -> None:
    whole = read_swf(traces / "KTH-SP2-1996-2.1-cln.swf.gz")
    parts = split(whole, 0.7)
    before, after = by_earlier_consumption(*parts)
    assert before.group.tolist() == by_consumption(parts[0]).group.tolist()
    assert len(np.unique(before.user[before.group != parts[0].group])) > 0
    new = ~np.isin(after.user, before.user)
    assert new.any()
    assert set(after.group[new].tolist()) == {4}
    shared = np.intersect1d(before.user, after.user)
    for user in shared.tolist():
        assert len({*before.group[before.user == user].tolist(), *after.group[after.user == user].tolist()}) == 1


def test_few_unknown_users_are_one_user_and_many_go_to_the_last_group_with_a_report() -> None:
    few = by_consumption(jobs([9910, 45, 45], [1, -1, -1]))
    assert (few.group.tolist(), few.repairs) == ([0, 3, 3], ())
    many = by_consumption(jobs([5000, 2500, 2500], [1, -1, -1]))
    assert many.group.tolist() == [0, 4, 4]
    assert [(r.action, r.jobs) for r in many.repairs] == [("assumed", 2)]
    assert by_consumption(many).repairs == many.repairs
    assert by_consumption(many.with_(user=np.array([1, 2, 3]))).repairs == ()


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 1000), st.integers(-1, 5)), min_size=1, max_size=30), st.integers(1, 50))
def test_users_stay_together_and_heavier_users_are_never_in_a_later_group(
    pairs: list[tuple[int, int]], times: int
) -> None:
    work, user = (list(column) for column in zip(*pairs, strict=True))
    w = by_consumption(jobs(work, user))
    total = {u: sum(a for a, b in pairs if b == u) for u in user}
    group = dict(zip(user, w.group.tolist(), strict=True))
    assert w.group.tolist() == [group[u] for u in user]
    users = sorted((u for u in total if u >= 0), key=lambda u: -total[u])
    assert [group[u] for u in users] == sorted(group[u] for u in users)
    assert by_consumption(jobs([a * times for a in work], user)).group.tolist() == w.group.tolist()


@pytest.mark.parametrize("thresholds", [(0.1, 0.2), (0.1, 0.1), (1.0,), (0.0,), (float("nan"),)])
def test_thresholds_must_descend(thresholds: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="thresholds must be descending shares"):
        by_consumption(jobs([1], [1]), thresholds)


def test_the_number_of_groups_is_limited() -> None:
    with pytest.raises(InputError, match="thresholds make 65 groups, but at most 64"):
        by_consumption(jobs([1], [1]), np.linspace(0.9, 0.1, 64).tolist())


def workload_of(groups: list[int], queues: list[int], header: tuple[str, ...] = ()) -> Workload:
    n = len(groups)
    records = np.full((n, 18), -1.0)
    records[:, 12], records[:, 14] = groups, queues
    return jobs([1] * n, [1] * n, records=records, header=header)


def test_groups_of_the_log_come_by_number_and_the_unknown_last() -> None:
    w = by_swf_group(workload_of([5, -1, 2, 5], [0] * 4))
    assert (w.groups, w.group.tolist()) == (("2", "5", "unknown"), [1, 2, 0, 1])


def test_each_user_can_be_a_group_of_policies_too() -> None:
    w = with_groups(jobs([1] * 4, [8, 7, -1, 8], source=({"function": "lublin"},)), "user")
    assert (w.groups, w.group.tolist()) == (("7", "8", "unknown"), [1, 0, 2, 1])
    rule = rule_of(w)
    assert isinstance(rule, ListedGroups)
    assert rule.group_indices(jobs([1] * 3, [7, 8, 9])).tolist() == [0, 1, 2]


def test_queues_have_the_names_of_the_header() -> None:
    header = ("Queue: 0 interactive", "Queue: 1 4", "Queue:  3  night  runs  ")
    w = by_queue(workload_of([0] * 5, [3, 0, 4, -1, 1], header))
    assert w.groups == ("interactive", "4", "night  runs", "4 (4)", "unknown")
    assert w.group.tolist() == [2, 0, 3, 4, 1]


def test_names_of_queues_can_be_printed() -> None:
    w = by_queue(workload_of([0] * 2, [0, 1], ("Queue: 0 a\x0bb", "Queue: 1 a\x1bb")))
    assert w.groups == ("a\N{REPLACEMENT CHARACTER}b", "a\N{REPLACEMENT CHARACTER}b (1)")


def test_only_logs_have_groups_and_queues() -> None:
    for by in (by_swf_group, by_queue):
        with pytest.raises(InputError, match="this workload does not come from a log"):
            by(jobs([1], [1]))
        with pytest.raises(InputError, match="65 groups, but at most 64 can have objectives"):
            by(workload_of(list(range(65)), list(range(65))))


def write_list(folder: Path, content: str) -> Path:
    path = folder / "groups.csv"
    path.write_text(content)
    return path


def test_an_owners_list_makes_the_groups(tmp_path: Path) -> None:
    path = write_list(tmp_path, 'user,group\n8,staff\n\n 7 , guests\n9,staff\n12,"the, nobody"\n')
    w = by_csv(jobs([1] * 3, [7, 8, 9]), path)
    assert (w.groups, w.group.tolist(), w.repairs) == (("staff", "guests", "the, nobody"), [1, 0, 0], ())
    assert by_csv(w, write_list(tmp_path, "\ufeff8,staff\n")).groups == ("staff", "other")
    table = group_table(w)
    assert table[2] == {"group": "the, nobody", "users": 0, "jobs": 0, "work_percent": 0.0}


def test_unknown_users_are_not_counted() -> None:
    w = jobs([1] * 4, [7, -1, 7, -1])
    assert [row["users"] for row in group_table(w.with_(group=[0, 0, 1, 2], groups=tuple("abc")))] == [1, 1, 0]
    assert group_table(jobs([1], [-1]))[0]["users"] == 0


def test_users_an_owners_list_does_not_name_are_the_others(tmp_path: Path) -> None:
    w = by_csv(jobs([1] * 4, [7, 8, -1, 99]), write_list(tmp_path, "8,staff\n"))
    assert (w.groups, w.group.tolist()) == (("staff", "other"), [1, 0, 1, 1])
    assert [(r.action, r.jobs) for r in w.repairs] == [("assumed", 3)]
    w = by_csv(w, write_list(tmp_path, "8,other\n-1,nobody\n"))
    assert (w.groups, w.group.tolist()) == (("other", "nobody"), [0, 0, 1, 0])
    assert [(r.action, r.jobs) for r in w.repairs] == [("assumed", 2)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": a list of groups must have lines user,group, but there is none"),
        ("user,group\n", ": a list of groups must have lines"),
        ("1,a\n2\n", ":2: a line must be user,group, but this one has 1 column$"),
        ("1,a\n2,b,c\n", ":2: a line must be user,group, but this one has 3 columns"),
        ("user,group\nuser,group\n", ':2: user is "user", not a user number of the log'),
        ("utilisateur,groupe\n1,a\n", ':1: user is "utilisateur", .* the columns says user,group$'),
        ("1,a\n1.5,b\n", ':2: user is "1.5", not a user number'),
        ("1,a\n-2,b\n", ':2: user is "-2", not a user number'),
        ("1,a\n" + "9" * 30 + ",b\n", ':2: user is "9999'),
        ("1,a\n2,\n", ':2: group is "", not a name'),
        ("1,a\n2,a\tb\n", ':2: group is "a\\\\tb", not a name'),
        ("1,a\n2,b\n1,b\n", ':3: user 1 is in group "a" already'),
        ('1,"a\n', ":1: not CSV: unexpected end of data"),
        ("".join(f"{i},g{i}\n" for i in range(65)), ": there are 65 groups, but at most 64"),
    ],
)
def test_a_bad_list_is_refused_with_file_and_line(tmp_path: Path, content: str, message: str) -> None:
    path = write_list(tmp_path, content)
    with pytest.raises(InputError, match=f"^{path}{message}"):
        by_csv(jobs([1], [1]), path)


@pytest.mark.parametrize("words", ["  ", "large: ; rest", "large: wide; rest", ";"])
def test_words_that_describe_no_group_are_no_file(words: str) -> None:
    with pytest.raises(
        InputError, match=r"^groups must be .*; in words a group has a name and a condition, as in large"
    ):
        with_groups(jobs([1], [1]), words)


def test_a_word_that_is_no_grouping_names_what_to_type() -> None:
    w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=1)
    with pytest.raises(InputError, match=r'but is "users"; did you mean user\?$'):
        with_groups(w, "users")
    with pytest.raises(InputError, match=r"swf has the groups of the import$"):
        with_groups(w, "project")


def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: no such file$"):
        by_csv(jobs([1], [1]), tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\0")
    with pytest.raises(InputError, match="must be text in UTF-8"):
        by_csv(jobs([1], [1]), tmp_path / "binary.csv")


@pytest.mark.parametrize("name", ["UTIL", "awrt1", "EASY", "Today"])
def test_a_group_is_not_called_as_what_wishes_speak_of(name: str, tmp_path: Path) -> None:
    w = jobs([1, 2], [7, 8])
    (tmp_path / "groups.csv").write_text(f"user,group\n7,{name}\n*,rest\n")
    for how in (f"{name}: user = 7; rest", tmp_path / "groups.csv"):
        with pytest.raises(InputError, match=f'--groups: a group must not be called .* but one is "{name}"; give it'):
            with_groups(w, how, "--groups")
    assert by_csv(w, tmp_path / "groups.csv").groups == (name, "rest")  # what an earlier run was made with opens


def test_a_description_is_plain_values() -> None:
    w = Workload([0, 3600 * 24 * 5], [10, 20], [10, 40], [1, 4], 8, user=[3, -1], wait=[5, -1])
    info = describe(w)
    assert json.loads(json.dumps(info, allow_nan=False)) == info
    assert (info["jobs"], info["users"], info["work"], info["span_days"]) == (2, 1, 90, 5.0)
    assert info["load"] == 90 / (8 * 432000)
    assert info["last_submit"] == "2000-01-08 00:00:00+00:00"
    assert [row["jobs_percent"] for row in info["situations"]] == [50.0, 0.0, 50.0]
    assert info["situations"][0]["work_percent"] == pytest.approx(800 / 9)
    assert info["quantiles"]["run"] == {"min": 10, "25 %": 10, "median": 10, "75 %": 20, "95 %": 20, "max": 20}
    assert info["quantiles"]["interarrival"]["median"] == 432000
    assert (info["serial_percent"], info["recorded_waits_percent"]) == (50.0, 50.0)


def test_on_nodes_a_description_weighs_work_by_charge_and_has_the_load_of_each_resource() -> None:
    w = with_groups(TWO_PARTITIONS, "gpu: gpus > 0; rest")
    info = describe(w)
    work = w.run * w.charge
    assert info["groups"][0]["work_percent"] == pytest.approx(100 * work[[1, 4]].sum() / work.sum())
    assert info["groups"][0]["work_percent"] > 100 * (w.run * w.width)[[1, 4]].sum() / w.work
    assert sum(row["work_percent"] for row in info["requests"]) == pytest.approx(100)
    assert info["loads"]["GPUs"] == pytest.approx((40 * 1 + 20 * 2) / 2 / 70)
    assert info["loads"]["memory"] == pytest.approx((w.run * w.asked_amounts.memory).sum() / 32000 / 70)
    text = description_text(info)
    assert "6 jobs of 1 user on 4 nodes of 2 kinds, 16 CPUs, 31.2 GiB, 2 v\n" in text
    assert f"offered load of memory {info['loads']['memory']:.3f}, of GPUs 0.571; work is weighed by" in text
    assert describe(w.one_pool)["loads"] == {}


def test_a_description_leaves_out_what_is_undefined() -> None:
    info = describe(Workload([7200], [1], [1], [1], 1, epoch=221_845_392_000 - 3600))
    assert info["load"] is None
    assert info["first_submit"] is None
    assert info["quantiles"]["interarrival"] is None


@pytest.mark.traces
def test_real_logs_have_the_papers_five_groups(traces: Path) -> None:
    for path in sorted(traces.glob("*.swf.gz")):
        table = describe(read_swf(path))["groups"]
        assert all(row["jobs"] > 0 for row in table), path.name
        assert sum(row["work_percent"] for row in table) == pytest.approx(100)
    lanl = read_swf(traces / "LANL-CM5-1994-4.1-cln.swf.gz")
    assert "scavenge_production" in by_queue(lanl).groups
