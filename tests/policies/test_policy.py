"""A policy is named by its rule, by itself or by the path of a file."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paretosched import InputError, greedy, load_policy, objectives, save_policy, simulate
from paretosched.policies.policy import POLICY_NAMES, Policy, as_policy, decided_by
from paretosched.policies.policy_json import FORMAT, from_json, to_json
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.time_sharing import Optimisation, TimeSharing
from paretosched.workload.group_lists import GroupLine
from paretosched.workload.group_rules import ConsumptionGroups, ListedGroups
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.workload import Workload

P = greedy(["f1", "f2", "f3"], np.arange(18).reshape(3, 6) / 18, groups=("staff", "guests"), backfill="easy")


BROKEN = {
    "empty": "",
    "open": "{",
    "cut off": json.dumps(to_json(P))[:-1],
    "deep list": "[" * 100_000,
    "deep object": '{"a": ' * 900 + "1" + "}" * 900,
    "long number": "1" * 5000,
    "byte order mark": "\ufeff{}",
    "zero": "\0",
    "null": "null",
    "NaN": "NaN",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_broken_json_is_refused_in_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=r"x\.json: (not JSON|a policy file must)") as error:
        load_policy(tmp_path / "x.json")
    assert len(str(error.value)) < 400


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: no such file$"):
        load_policy(tmp_path / "none.json")
    with pytest.raises(InputError, match=r": Is a directory$"):
        load_policy(tmp_path)


@pytest.mark.parametrize("what", ["", "greedy", "EASY", "no/such/file", "x" * 5000, "a\nb", "/"])
def test_an_unknown_policy_is_answered_with_the_known_ones(what: str) -> None:
    with pytest.raises(InputError, match=r"is not known(: .*)?; choose one of fcfs, list, easy,") as error:
        as_policy(what)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("slurm.cnf", 'policy "slurm.cnf" is not known: there is no such file; choose one of'),
        ("no/such/file", "is not known: there is no such file; choose one of"),
        ("/", 'policy "/" is not known: it is a folder; choose one of'),
        ("eazy", 'policy "eazy" is not known; choose one of'),
        ("eazy", "or give the path of a policy file (.json, .txt, or a slurm.conf), or an order in words"),
    ],
)
def test_a_name_that_could_be_a_file_is_said_to_be_none(what: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        as_policy(what)
    assert words in str(error.value)


def test_a_file_with_a_name_alone_has_the_policy_of_this_name(tmp_path: Path) -> None:
    for name in (*POLICY_NAMES, "scojo-opt"):
        (tmp_path / "p.txt").write_text(f"# today\n{name}  # a comment\n", encoding="utf-8")
        assert to_json(load_policy(tmp_path / "p.txt")) == to_json(as_policy(name))


@pytest.mark.parametrize(
    "text", ["{{ managed }}\nClusterName=a\n", "# ours\n<% nodes.each do |n| -%>\n", "  {% if a %}\n", "{# a #}\n"]
)
def test_a_template_of_a_slurm_conf_is_said_to_be_one_by_any_name(text: str, tmp_path: Path) -> None:
    for name in ("slurm.conf", "slurm.conf.j2", "slurm.conf.erb"):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match="this is a template and no slurm"):
            load_policy(tmp_path / name)


@pytest.mark.parametrize("name", ["slurm.conf.bak", "slurm.txt", "slurm.json", "slurm", "SLURM.CONF"])
def test_a_slurm_conf_with_another_name_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("# mine\n\nclustername = a\nPriorityType=priority/basic\n")
    assert as_policy(tmp_path / name).name == "Slurm a"


def test_a_policy_is_named_by_rule_object_or_path(tmp_path: Path) -> None:
    save_policy(P, tmp_path / "mine")
    assert as_policy("list").rule == "list"
    assert as_policy(P) is P
    assert to_json(as_policy(tmp_path / "mine")) == to_json(P)
    assert to_json(as_policy(str(tmp_path / "mine"))) == to_json(P)
    with pytest.raises(InputError, match="no such file"):
        as_policy("x" + "y.json")


def test_time_sharing_has_the_numbers_of_the_paper_where_nothing_is_said() -> None:
    assert as_policy("scojo") == TimeSharing() == from_json({"format": FORMAT, "rule": "scojo"})
    assert as_policy("scojo-opt") == TimeSharing(optimisation=Optimisation())
    assert as_policy("scojo-opt") == from_json({"format": FORMAT, "rule": "scojo", "optimisation": {}})
    sharing = from_json({"format": FORMAT, "rule": "scojo", "optimisation": {"medium": {"most": 25}}})
    assert isinstance(sharing, TimeSharing)
    assert sharing.optimisation is not None
    assert sharing.optimisation.medium == Optimisation().medium._replace(most=25)
    assert [as_policy(name).name for name in ("scojo", "scojo-opt")] == ["SCOJO-PECT", "SCOJO-PECT optimised"]
    bottom = TimeSharing(backfill=False, optimisation=Optimisation("bottom-line"))
    assert bottom.name == "SCOJO-PECT bottom line, own jobs only"


@pytest.mark.parametrize(
    ("policy", "replays", "knows_run_times"),
    [
        (as_policy("recorded"), True, False),
        (as_policy("easy"), False, False),
        (P, False, False),
        (
            RuleBase(
                "iterative", ("1",), ("1",), greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("1",)), ((),) * 3, [0]
            ),
            False,
            False,
        ),
        (TimeSharing(), False, True),
        (TimeSharing(run_times="estimates"), False, False),
    ],
    ids=["recorded", "easy", "greedy", "rules", "scojo", "scojo by estimates"],
)
def test_every_policy_says_whether_it_replays_the_log_or_knows_run_times(
    policy: Policy, replays: bool, knows_run_times: bool
) -> None:
    assert (policy.replays, policy.knows_run_times) == (replays, knows_run_times)


STAFF = greedy(["f2"] * 3, [[1, 0.1, 0, 0, 1, 0]] * 3, groups=("staff", "guests"))
W = Workload([0, 1, 2], [5] * 3, [5] * 3, [1] * 3, 1, user=[7, 8, 9], group=[0, 1, 0], groups=("guests", "staff"))
LISTED = ListedGroups(STAFF.groups, (GroupLine("staff", user=9),), "guests")


def group_names(policy: Policy, workload: Workload) -> list[str]:
    """Return the names of the groups by which a policy decides."""
    grouped_workload = decided_by(policy, workload)
    return [grouped_workload.groups[g] for g in grouped_workload.group]


def test_a_group_that_is_missing_in_a_log_is_no_error() -> None:
    assert group_names(STAFF, W) == ["guests", "staff", "guests"]  # the order of names makes no difference
    assert group_names(STAFF, W.with_(group=[0, 0, 0], groups=("guests",))) == ["guests"] * 3
    with pytest.raises(
        InputError, match=r"for the groups staff, guests, but w has the groups x; it has no rule for th"
    ):
        decided_by(STAFF, W.with_(group=[0, 0, 0], groups=("x",), name="w"))


def test_the_rule_of_a_policy_decides_where_a_log_has_other_groups() -> None:
    other = W.with_(groups=("a", "b"))
    policy = replace(STAFF, grouping=LISTED)
    assert group_names(policy, other) == ["guests", "guests", "staff"]
    assert decided_by(policy, other.with_(groups=STAFF.groups)).group.tolist() == [0, 1, 0]  # the same names
    schedule = simulate(other, policy)
    assert schedule.workload is other
    assert schedule.start.tolist() == [0, 10, 5]
    assert simulate(other, policy, "exact").start.tolist() == [0, 10, 5]
    assert [o.label for o in objectives(schedule).objectives[2:]] == ["AWRT of group a", "AWRT of group b"]
    with pytest.raises(InputError, match=r"its rule finds no users here"):
        decided_by(policy, Workload([0], [5], [5], [1], 1, groups=("a",)))


def test_equal_names_of_another_kind_do_not_deceive() -> None:
    w = lublin(60, 32, 3)  # its groups 1 to 5 are by consumption
    groups = w.groups
    genes = np.full((3, 12), 0.5)
    new_grouping = ListedGroups(groups, (GroupLine("1", user=int(w.user[0])),), "5")
    by_list = greedy(["f2"] * 3, genes, groups=groups, grouping=new_grouping)
    assert set(group_names(by_list, w)) == {"1", "5"}
    lately = ConsumptionGroups(groups, (0.08, 0.02, 0.01, 0.001), 90, "5")
    assert decided_by(replace(by_list, grouping=lately), w) is w
    assert decided_by(replace(by_list, grouping=None), w) is w


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("sjf", "SJF with EASY"),
        ("sjf; backfill: none", "SJF"),
        ("fcfs", "FCFS"),
        ("priority:1,2", "Priority 1, 2 with EASY"),
        ("saf; backfill: easy", "SAF with EASY"),
        ("order: wait / estimate", "wait / estimate with EASY"),
        ("order: fcfs", "FCFS with EASY"),
    ],
)
def test_orders_are_policies_by_name_and_in_words(words: str, name: str) -> None:
    assert as_policy(words).name == name


def test_words_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("order: (wait / estimate)^3 * width\nbackfill: easy:8 for 1,2\n", encoding="utf-8")
    assert as_policy(file).name == "(wait / estimate)^3 * width with EASY 8 for 1, 2"
    file.write_text("order: wait\nbackfill: eazy\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        as_policy(str(file))
    assert str(error.value).startswith(f'{file}: backfill, line 2, character 11, "eazy": backfill must be one of')
    file.write_text("learned-f1\n", encoding="utf-8")
    assert as_policy(file).name == as_policy("learned-f1").name == "F1 with EASY"
    save_policy("easy", file)
    assert load_policy(file).name == "EASY"  # JSON may have any name
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="a policy file must be text, but this is binary"):
        as_policy(file)


def test_a_file_of_words_may_have_comments_and_a_name_in_capitals(tmp_path: Path) -> None:
    file = tmp_path / "MINE.TXT"
    words = '# ours; since "May\norder: priority:"a #1"  # $\n\nbackfill: easy#\n'
    file.write_text(words, encoding="utf-8")
    with pytest.raises(InputError) as error:
        as_policy(file)
    assert str(error.value) == f'{file}: policy, line 4, character 15, "#": has no meaning here'
    file.write_text(words.replace("easy#", "easy #"), encoding="utf-8")
    assert as_policy(file).name == as_policy(str(file)).name == "Priority a #1 with EASY"


def test_a_missing_file_of_words_is_no_words() -> None:
    with pytest.raises(InputError, match=r"nowhere\.txt: "):
        as_policy("nowhere.txt")
    with pytest.raises(InputError, match=r"nowhere\.TXT: "):
        as_policy("nowhere.TXT")


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("wait/estimate", "order: wait/estimate"),
        ("(wait / estimate)^3 * width", "order: (wait / estimate)^3 * width; backfill: easy"),
        ("smallest Estimate", "order: smallest estimate"),
        ("wait", "order: wait"),
        ("group(vip)", "order: group(vip)"),
        ("0.5 * wait + vip", "order: 0.5 * wait + vip; backfill: easy:1"),
    ],
)
def test_a_formula_alone_is_an_order_with_easy(words: str, same: str) -> None:
    assert to_json(as_policy(words)) | {"provenance": {}} == to_json(as_policy(same)) | {"provenance": {}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("wait/(estimate", 'order, character 15, the end: there must be ")"'),
        ("logs/wait", "there is no such file; choose one of"),
        ("./wait", "there is no such file; choose one of"),
        ("estimate.swf", "there is no such file; choose one of"),
        ("waitt/estimat", "there is no such file; choose one of"),
    ],
)
def test_what_is_no_formula_is_refused_as_what_it_probably_is(words: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        as_policy(words)
    assert message in str(error.value)


def test_a_path_is_no_formula(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not known"):
        as_policy(Path("wait"))
    save_policy(P, tmp_path / "wait")
    assert to_json(as_policy(str(tmp_path / "wait"))) == to_json(P)
