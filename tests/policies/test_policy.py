"""A policy is named by its rule, by itself or by the path of a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paretosched import InputError, greedy, load_policy, save_policy
from paretosched.policies.policy import Policy, as_policy
from paretosched.policies.policy_json import FORMAT, from_json, to_json
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.time_sharing import Optimisation, TimeSharing

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
    with pytest.raises(InputError, match=r"x\.json: (not JSON|a policy file must)") as caught:
        load_policy(tmp_path / "x.json")
    assert len(str(caught.value)) < 400


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: no such file$"):
        load_policy(tmp_path / "none.json")
    with pytest.raises(InputError, match=r": Is a directory$"):
        load_policy(tmp_path)


@pytest.mark.parametrize("what", ["", "greedy", "EASY", "no/such/file", "x" * 5000, "a\nb", "/"])
def test_an_unknown_policy_is_answered_with_the_known_ones(what: str) -> None:
    with pytest.raises(InputError, match="is not known; choose one of fcfs, list, easy,") as caught:
        as_policy(what)
    assert len(str(caught.value).splitlines()) == 1


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
    told = from_json({"format": FORMAT, "rule": "scojo", "optimisation": {"medium": {"most": 25}}})
    assert isinstance(told, TimeSharing)
    assert told.optimisation is not None
    assert told.optimisation.medium == Optimisation().medium._replace(most=25)
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


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("sjf", "SJF"),
        ("fcfs", "FCFS"),
        ("priority:1,2", "Priority 1, 2"),
        ("saf; backfill: easy", "SAF with EASY"),
        ("order: wait / estimate", "wait / estimate"),
    ],
)
def test_orders_are_policies_by_name_and_in_words(words: str, name: str) -> None:
    assert as_policy(words).name == name


def test_words_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("order: (wait / estimate)^3 * width\nbackfill: easy:8 for 1,2\n", encoding="utf-8")
    assert as_policy(file).name == "(wait / estimate)^3 * width with EASY 8 for 1, 2"
    file.write_text("order: wait\nbackfill: eazy\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        as_policy(str(file))
    assert str(caught.value).startswith(f'{file}: backfill, line 2, character 11, "eazy": backfill must be one of')
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="a policy file must be text, but this is binary"):
        as_policy(file)


def test_a_missing_file_of_words_is_no_words() -> None:
    with pytest.raises(InputError, match=r"nowhere\.txt: "):
        as_policy("nowhere.txt")
