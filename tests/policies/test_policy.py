"""A policy file gives the policy back, or is refused in one line that says why."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched import InputError, Policy, greedy, load_policy, save_policy
from paretosched.policies.greedy_order import gene_names, upper_bounds
from paretosched.policies.plain import Plain
from paretosched.policies.policy import as_policy
from paretosched.policies.policy_json import FORMAT, from_json, to_json
from paretosched.policies.time_sharing import Grouping, Optimisation, Shares, TimeSharing
from paretosched.workload.calendar import SITUATIONS
from support.zoo import PLAIN_RULES, constant, greedy_policies

P = greedy(
    ["f1", "f2", "f3"],
    np.arange(18).reshape(3, 6) / 18,
    groups=("staff", "guests"),
    backfill="easy",
    provenance={"run": 7},
)
checked = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])


def same(one: Policy, other: Policy) -> bool:
    return to_json(one) == to_json(other) and np.array_equal(getattr(one, "genes", 0), getattr(other, "genes", 0))


@checked
@given(p=greedy_policies(("a", "b b", "ä")) | st.sampled_from((*PLAIN_RULES, "recorded")).map(Plain))
def test_what_is_saved_is_loaded_bit_for_bit(p: Policy, tmp_path: Path) -> None:
    save_policy(p, tmp_path / "p.json")
    again = load_policy(tmp_path / "p.json")
    assert same(again, p)
    for key in ("rule", "backfill", "criteria", "groups", "name", "provenance"):
        assert getattr(again, key, None) == getattr(p, key, None)


def test_a_policy_file_can_be_read_by_a_person() -> None:
    day = to_json(P)["situations"]["day"]
    assert day == {
        "criterion": "f2",
        "w": {"staff": 6 / 18, "guests": 7 / 18},
        "K": {"staff": 8 / 18, "guests": 9 / 18},
        "a": 10 / 18,
        "b": 11 / 18,
    }


def changed(path: str, value: Any) -> Any:
    """The file of P with one part replaced, or removed where the value is `...`."""
    found = copy.deepcopy(to_json(P))
    *way, last = path.split("/")
    part = found
    for step in way:
        part = part[step]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return found


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", ..., 'a policy file must be an object with "format": "paretosched policy 1"'),
        ("format", "paretosched policy 2", 'a policy file must be an object with "format": "paretosched policy 1"'),
        ("rule", ..., '"rule" is missing'),
        ("rule", "fifo", "rule must be one of fcfs, list, easy,"),
        ("rule", "fc\nfs", "rule must be one of fcfs, list, easy,"),
        ("rule", ["fcfs"], '"rule" must be text, but is a list'),
        ("rule", "easy", 'the keys here are format, rule, name, provenance, but there is also "backfill", "groups",'),
        ("name", None, '"name" must be text, but is null'),
        ("backfill", "eazy", 'backfill must be one of none, easy, conservative, but is "eazy"'),
        ("backfill", 1, '"backfill" must be text, but is 1'),
        (
            "backfil",
            "easy",
            "the keys here are format, rule, name, backfill, groups, situations, provenance, but there is",
        ),
        ("groups", ..., '"groups" is missing'),
        ("groups", "12", '"groups" must be a list, but is "12"'),
        ("groups", [1, 2], "groups[0] must be text, but is 1"),
        ("groups", [["staff"]], "groups[0] must be text, but is a list"),
        ("groups", [], 'situations.weekend.w: the keys here are , but there is also "staff", "guests"'),
        (
            "groups",
            ["staff", "staff"],
            'situations.weekend.w: the keys here are staff, staff, but there is also "guests"',
        ),
        ("groups", ["staff"], 'situations.weekend.w: the keys here are staff, but there is also "guests"'),
        ("groups", ["staff", "guests", "x"], 'situations.weekend.w: "x" is missing'),
        ("situations", ..., '"situations" is missing'),
        ("situations", [], '"situations" must be an object, but is a list'),
        ("situations/day", ..., 'situations: "day" is missing'),
        ("situations/day", 3, 'situations: "day" must be an object, but is 3'),
        ("situations/noon", {}, 'situations: the keys here are weekend, day, night, but there is also "noon"'),
        ("situations/day/criterion", "f5", 'criterion must be one of f1, f2, f3, f4, but is "f5"'),
        ("situations/day/criterion", 1, 'situations.day: "criterion" must be text, but is 1'),
        ("situations/day/criterion", ..., 'situations.day: "criterion" is missing'),
        ("situations/day/a", ..., 'situations.day: "a" is missing'),
        ("situations/day/a", "0.5", 'situations.day: "a" must be a number, but is "0.5"'),
        ("situations/day/a", True, 'situations.day: "a" must be a number, but is true'),
        ("situations/day/a", None, 'situations.day: "a" must be a number, but is null'),
        ("situations/day/a", -0.1, "genes must be w, a, b in [0, 1] and K in [0, 5], but day a is -0.1"),
        ("situations/day/a", 10**400, 'situations.day: "a" must be a number of at most 1.8e308, but is 1000'),
        ("situations/day/a", float("nan"), "genes must be w, a, b in [0, 1] and K in [0, 5], but day a is nan"),
        ("situations/night/b", float("inf"), "genes must be w, a, b in [0, 1] and K in [0, 5], but night b is inf"),
        ("situations/night/w/staff", 1.01, "genes must be w, a, b in [0, 1] and K in [0, 5], but night w1 is 1.01"),
        ("situations/night/K/guests", 5.5, "genes must be w, a, b in [0, 1] and K in [0, 5], but night K2 is 5.5"),
        ("situations/night/K", [1, 2], 'situations.night: "K" must be an object, but is a list'),
        ("situations/night/K/guests", ..., 'situations.night.K: "guests" is missing'),
        ("situations/night/c", 1, 'situations.night: the keys here are criterion, w, K, a, b, but there is also "c"'),
        ("provenance", [], '"provenance" must be an object, but is a list'),
        ("provenance", None, '"provenance" must be an object, but is null'),
    ],
)
def test_every_malformed_file_has_its_message(path: str, value: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps(changed(path, value)))
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")) as caught:
        load_policy(file)
    assert "\n" not in str(caught.value)


def test_backfill_name_and_provenance_may_be_left_out() -> None:
    for key in ("backfill", "name", "provenance"):
        assert isinstance(from_json(changed(key, ...)), Policy)
    assert from_json(changed("backfill", ...)).backfill == "none"
    assert from_json(changed("name", ...)).name == P.name
    assert from_json({"format": FORMAT, "rule": "list"}).name == "List"


KEYS = st.sampled_from(["w", "K", "a", "b", "staff", "guests", *SITUATIONS]) | st.text()
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from([*PLAIN_RULES, "greedy", "f1", "staff", 10**400]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
places = [
    *to_json(P),
    *(f"situations/{s}" for s in SITUATIONS),
    *(f"situations/day/{part}" for part in ("criterion", "w", "K", "a", "b", "w/staff", "K/guests")),
]


@checked
@given(place=st.sampled_from(places), value=values)
def test_any_part_replaced_by_anything_is_accepted_or_refused_in_one_line(place: str, value: Any) -> None:
    refusal = ""
    try:
        policy = from_json(changed(place, value), "here")
    except InputError as error:
        refusal = str(error)
    if refusal:
        assert refusal.startswith("here: ")
        assert len(refusal.splitlines()) == 1
    else:
        assert same(from_json(to_json(policy)), policy)


@checked
@given(value=values)
def test_any_value_that_is_no_policy_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^here: a policy file must be an object"):
        from_json(value, "here")


@checked
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_file_that_is_no_policy_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_policy(tmp_path / "x.json")
    assert str(caught.value).startswith(f"{tmp_path / 'x.json'}: ")
    assert len(str(caught.value).splitlines()) == 1


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
    with pytest.raises(InputError, match=r"none\.json: No such file or directory$"):
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
    assert same(as_policy(tmp_path / "mine"), P)
    assert same(as_policy(str(tmp_path / "mine")), P)
    with pytest.raises(InputError, match="No such file"):
        as_policy("x" + "y.json")


GENES = constant(2, 0.5, 2.5, 1, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criteria": ["f1"]}, "criteria must be one for each of weekend, day, night, but are ['f1']"),
        ({"criteria": ["f1", "f2", "f9"]}, 'criterion must be one of f1, f2, f3, f4, but is "f9"'),
        ({"backfill": "full"}, 'backfill must be one of none, easy, conservative, but is "full"'),
        ({"groups": ("1",)}, "genes must have shape (3, 2 x groups + 2), but have shape (3, 6) for 1 groups"),
        ({"groups": ("1", "1")}, "groups must have different names, but are ['1', '1']"),
        ({"groups": ()}, "genes must have shape (3, 2 x groups + 2), but have shape (3, 6) for 0 groups"),
        (
            {"genes": np.transpose(GENES)},
            "genes must have shape (3, 2 x groups + 2), but have shape (6, 3) for 2 groups",
        ),
        ({"genes": [[1, 2], [3]]}, "genes must be a table of numbers, but are not"),
        ({"genes": "many"}, "genes must be a table of numbers, but are not"),
        ({"genes": [1j] * 18}, "genes must be a table of numbers, but are not"),
        ({"genes": [None] * 18}, "genes must be w, a, b in [0, 1] and K in [0, 5], but weekend w1 is nan, "),
        (
            {"genes": [2.0] * 18},
            "genes must be w, a, b in [0, 1] and K in [0, 5], but weekend w1 is 2, week",
        ),
    ],
)
def test_arguments_of_greedy(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"criteria": ["f1"] * 3, "genes": GENES, "groups": ("1", "2")}
    with pytest.raises(InputError, match="^" + re.escape(message)):
        greedy(**(good | arguments))


@pytest.mark.parametrize("rule", ["greedy", "scojo", "rules", "EASY", ""])
def test_rules_with_parameters_are_no_plain_ones(rule: str) -> None:
    with pytest.raises(InputError, match=f'rule must be one of fcfs, list, .*, recorded, but is "{rule}"'):
        Plain(rule)


def test_genes_may_be_flat_and_are_copied_and_read_only() -> None:
    genes = np.array(GENES)
    p = greedy(["f2"] * 3, genes.ravel(), groups=("1", "2"))
    genes[:] = 0
    assert p.genes.tolist() == [list(row) for row in GENES]
    with pytest.raises(ValueError, match="read-only"):
        p.genes[0, 0] = 1


def test_names_and_bounds_of_genes() -> None:
    assert gene_names(5) == ["w1", "w2", "w3", "w4", "w5", "K1", "K2", "K3", "K4", "K5", "a", "b"]
    assert upper_bounds(5).tolist() == [1] * 5 + [5] * 5 + [1, 1]


def test_default_names() -> None:
    assert [Plain(rule).name for rule in (*PLAIN_RULES, "recorded")] == (
        ["FCFS", "List", "EASY", "CONS", "CONS replan", "recorded"]
    )
    assert P.name == "Greedy f1/f2/f3 with EASY"
    assert greedy(["f2"] * 3, GENES, groups="12", backfill="conservative").name == "Greedy f2 with CONS"
    assert greedy(["f2"] * 3, GENES, groups="12", name="mine").name == "mine"


# ---- time sharing

SHARED = TimeSharing(
    interval=1800,
    shares=(Shares(8, 0.1, 0.4, 0.5), Shares(18)),
    run_times="estimates",
    backfill=False,
    optimisation=Optimisation(search="dds", force_shift=0.1, medium=Grouping(least=3)),
    provenance={"from": "a test"},
)


@pytest.mark.parametrize("what", ["scojo", "scojo-opt", SHARED])
def test_time_sharing_is_saved_and_loaded_exactly(what: str | Policy, tmp_path: Path) -> None:
    policy = as_policy(what)
    save_policy(policy, tmp_path / "p.json")
    again = as_policy(tmp_path / "p.json")
    assert to_json(again) == to_json(policy)
    assert again == policy
    assert (again.rule, again.name, again.provenance) == (policy.rule, policy.name, policy.provenance)


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


def changed_sharing(path: str, value: Any) -> Any:
    found = copy.deepcopy(to_json(SHARED))
    *way, last = path.split("/")
    part = found
    for step in way:
        part = part[int(step)] if isinstance(part, list) else part[step]
    part[last] = value
    return found


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("interval", 781, "interval must be in 782..1000000000 s, so that it holds three switches, a short slice and"),
        ("interval", 3600.0, '"interval" must be a whole number, but is 3600.0'),
        ("interval", True, '"interval" must be a whole number, but is true'),
        ("interval", 10**400, "interval must be in 782..1000000000 s"),
        ("overhead", -1, "overhead must be in 0..1e+09, but is -1"),
        ("overhead", 10**400, "overhead must be in 0..1e+09, but is 1000"),
        ("medium_from", 0, "medium_from must be in 1..1e+09, but is 0"),
        ("long_from", 599, "long_from must be in 600..1e+09, but is 599"),
        ("run_times", "guessed", 'run_times must be one of known, estimates, but is "guessed"'),
        ("backfill", 1, '"backfill" must be true or false, but is 1'),
        ("shares", {}, '"shares" must be a list, but is an object'),
        ("shares", [], "shares must be given for at least one hour, but are for none"),
        ("shares", [3], "shares[0] must be an object, but is 3"),
        ("shares/0/hour", 18, "hours of shares must be ascending numbers in 0..23, but are 18, 18"),
        ("shares/0/hour", 24, "hours of shares must be ascending numbers in 0..23, but are 24, 18"),
        (
            "shares/0/short",
            0.2,
            "shares must be in [0, 1], those of medium and long jobs above 0, and add up to 1, but",
        ),
        ("shares/0/short", float("nan"), "shares must be in [0, 1], those of medium and long jobs above 0, and add up"),
        ("shares/0/noon", 1, 'shares[0]: the keys here are hour, short, medium, long, but there is also "noon"'),
        ("optimisation", "some", 'optimisation must be "none" or an object, but is "some"'),
        ("optimisation/method", "best", 'method must be one of groups, bottom-line, but is "best"'),
        ("optimisation/search", "dfs", 'search must be one of discrepancy, lds, dds, but is "dfs"'),
        ("optimisation/permutations", 0, "permutations must be in 1..1e+09, but is 0"),
        ("optimisation/candidates", 11, "candidates must be in 1..10, but is 11"),
        ("optimisation/long_wide_most", 9, "long_wide_most must be in 2..8, but is 9"),
        ("optimisation/force_shift", float("nan"), "force_shift must be in 0..1e+09, but is nan"),
        ("optimisation/delta", 1.5, "delta must be in 0..1, but is 1.5"),
        ("optimisation/depth", 3, "optimisation: the keys here are method, search, permutations,"),
        ("optimisation/medium", 3, 'optimisation: "medium" must be an object, but is 3'),
        ("optimisation/medium/least", "3", 'optimisation.medium: "least" must be a whole number, but is "3"'),
        ("optimisation/long/most", 4, "most of long must be in 5..200, but is 4"),
        ("optimisation/long/wide", 2, "wide of long must be in 0..1, but is 2"),
        ("genes", [], "the keys here are format, rule, name, interval, overhead, medium_from,"),
        ("rule", "easy", "the keys here are format, rule, name, provenance, but there is also"),
    ],
)
def test_every_malformed_file_of_time_sharing_has_its_message(path: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(f"here: {message}")) as caught:
        from_json(changed_sharing(path, value), "here")
    assert "\n" not in str(caught.value)


shared_places = [
    *to_json(SHARED),
    *(f"shares/0/{key}" for key in Shares._fields),
    *(f"optimisation/{key}" for key in Optimisation._fields),
    *(f"optimisation/long/{key}" for key in Grouping._fields),
]


@checked
@given(place=st.sampled_from(shared_places), value=values | st.floats(0, 2) | st.integers(0, 5000))
def test_any_part_of_time_sharing_replaced_by_anything_is_accepted_or_refused_in_one_line(
    place: str, value: Any
) -> None:
    refusal = ""
    try:
        policy = from_json(changed_sharing(place, value), "here")
    except InputError as error:
        refusal = str(error)
    if refusal:
        assert refusal.startswith("here: ")
        assert len(refusal.splitlines()) == 1
    else:
        assert to_json(from_json(to_json(policy))) == to_json(policy)


def test_no_unsound_parameters_of_time_sharing_can_be_made() -> None:
    with pytest.raises(InputError, match="interval must be in"):
        TimeSharing(interval=5)
