"""A policy file gives the policy back, or is refused in one line that says why; files of earlier versions open."""

import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paretosched as ps
from paretosched import InputError, Policy, greedy, load_policy, save_policy
from paretosched.core.situations import SITUATIONS
from paretosched.policies.plain import Plain
from paretosched.policies.policy import as_policy
from paretosched.policies.policy_json import FORMAT, from_json, schema, to_json
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.time_sharing import Grouping, Optimisation, Shares, TimeSharing
from support.json_schemas import checker
from support.mutations import with_part
from support.zoo import PLAIN_RULES, greedy_policies

P = greedy(
    ["f1", "f2", "f3"],
    np.arange(18).reshape(3, 6) / 18,
    groups=("staff", "guests"),
    backfill="easy",
    provenance={"run": 7},
)
thoroughly = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def same(one: Policy, other: Policy) -> bool:
    return to_json(one) == to_json(other) and np.array_equal(getattr(one, "genes", 0), getattr(other, "genes", 0))


@pytest.mark.slow
@thoroughly
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
            "the keys here are format, rule, name, backfill, groups, situations, grouping, provenance, but there is",
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
    file.write_text(json.dumps(with_part(to_json(P), path, value)))
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")) as error:
        load_policy(file)
    assert "\n" not in str(error.value)


def test_backfill_name_and_provenance_may_be_left_out() -> None:
    for key in ("backfill", "name", "provenance"):
        assert isinstance(from_json(with_part(to_json(P), key, ...)), Policy)
    assert from_json(with_part(to_json(P), "backfill", ...)).backfill == "none"
    assert from_json(with_part(to_json(P), "name", ...)).name == P.name
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


def policy_or_one_line(value: Any) -> Any:
    """Return the policy of a JSON value; None if it is refused, which is said in one line."""
    try:
        return from_json(value, "here")
    except InputError as error:
        refusal = str(error)
    assert refusal.startswith("here: ")
    assert len(refusal.splitlines()) == 1
    return None


@pytest.mark.slow
@thoroughly
@given(place=st.sampled_from(places), value=values)
def test_any_part_replaced_by_anything_is_accepted_or_refused_in_one_line(place: str, value: Any) -> None:
    policy = policy_or_one_line(with_part(to_json(P), place, value))
    assert policy is None or same(from_json(to_json(policy)), policy)


@pytest.mark.slow
@thoroughly
@given(value=values)
def test_any_value_that_is_no_policy_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^here: a policy file must be an object"):
        from_json(value, "here")


@pytest.mark.slow
@thoroughly
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_file_that_is_no_policy_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError) as error:
        load_policy(tmp_path / "x.json")
    assert str(error.value).startswith(f"{tmp_path / 'x.json'}: ")
    assert len(str(error.value).splitlines()) == 1


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
    with pytest.raises(InputError, match="^" + re.escape(f"here: {message}")) as error:
        from_json(with_part(to_json(SHARED), path, value), "here")
    assert "\n" not in str(error.value)


shared_places = [
    *to_json(SHARED),
    *(f"shares/0/{key}" for key in Shares._fields),
    *(f"optimisation/{key}" for key in Optimisation._fields),
    *(f"optimisation/long/{key}" for key in Grouping._fields),
]


@pytest.mark.slow
@thoroughly
@given(place=st.sampled_from(shared_places), value=values | st.floats(0, 2) | st.integers(0, 5000))
def test_any_part_of_time_sharing_replaced_by_anything_is_accepted_or_refused_in_one_line(
    place: str, value: Any
) -> None:
    policy = policy_or_one_line(with_part(to_json(SHARED), place, value))
    assert policy is None or to_json(from_json(to_json(policy))) == to_json(policy)


# ---- files of earlier versions, and the published schema

OLD = Path(__file__).parents[1] / "data" / "version-0.1"
# SHA-256 of the start times, int64, that version 0.1 simulated under each file of a policy for `WORKLOAD`.
STARTS = {
    "easy": "24d752b6cea16e0e",
    "greedy": "ec9a9de4aa81bda3",
    "iterative": "e800fd5c40fc4f56",
    "symbiotic": "71e9149680d895b3",
    "symbiotic-random": "eca5989e05840e66",
    "scojo": "f02d33ba9ac045bc",
    "scojo-opt": "6d06c32f48a500eb",
}
SCHEMA = files("paretosched.policies") / "policy.schema.json"


def old(name: str) -> Any:
    return json.loads((OLD / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", STARTS)
def test_a_file_of_version_0_1_is_saved_byte_for_byte_the_same(name: str, tmp_path: Path) -> None:
    ps.save_policy(ps.load_policy(OLD / f"{name}.json"), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (OLD / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", STARTS)
def test_a_file_of_version_0_1_is_simulated_as_by_that_version(name: str) -> None:
    start = ps.simulate(ps.lublin(300, 64, 7), OLD / f"{name}.json").start
    assert hashlib.sha256(start.tobytes()).hexdigest()[:16] == STARTS[name]


def test_the_published_schema_is_what_the_types_say() -> None:
    """Else write it again: `SCHEMA.write_text(json.dumps(schema(), indent=2) + "\\n")`."""
    assert SCHEMA.read_text(encoding="utf-8") == json.dumps(schema(), indent=2) + "\n"
    checker(schema())


@pytest.mark.parametrize("name", STARTS)
def test_a_file_of_version_0_1_keeps_the_schema(name: str) -> None:
    checker(schema()).validate(old(name))


def break_part(name: str, path: str, value: Any) -> Any:
    """The file of version 0.1 with one part replaced."""
    whole = old(name)
    *way, last = path.split("/")
    part = whole
    for step in way:
        part = part[int(step) if isinstance(part, list) else step]
    part[last] = value
    return whole


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("easy", "rule", "fifo"),
        ("easy", "format", "paretosched policy 2"),
        ("easy", "backfill", "easy"),
        ("greedy", "backfill", "full"),
        ("greedy", "situations/day/a", 1.5),
        ("greedy", "situations/day/w/1", "1"),
        ("greedy", "situations/day/criterion", "f5"),
        ("iterative", "greedy/situations/day/a", -1),
        ("iterative", "bounds", [1]),
        ("symbiotic", "rules/0/recommends/greedy", 2),
        ("symbiotic", "otherwise/strategy", "best"),
        ("symbiotic", "kind", "iterative"),
        ("scojo", "interval", 3600.5),
        ("scojo", "optimisation", "some"),
        ("scojo-opt", "optimisation/search", "dfs"),
        ("scojo-opt", "optimisation/long/most", "4"),
    ],
)
def test_the_schema_and_the_reader_refuse_the_same(name: str, path: str, value: Any) -> None:
    whole = break_part(name, path, value)
    assert not checker(schema()).is_valid(whole)
    with pytest.raises(ps.InputError):
        from_json(whole)


def test_an_order_can_be_read_by_a_person() -> None:
    value = to_json(as_policy("priority:1,2; backfill: easy:8 for 1; longest: 4h of 3 while 1; slack: 15min"))
    assert value == {
        "format": FORMAT,
        "rule": "priority",
        "name": "Priority 1, 2 with EASY 8 for 1, limited requests, slack 15min",
        "order": "priority:1,2",
        "backfill": {
            "reservations": 8,
            "for": ["1"],
            "order": "same",
            "longest": [{"seconds": 14400, "groups": ["3"]}],
            "while": ["1"],
            "slack": 900,
        },
        "usage": "user",
        "half_life": 604800,
        "shares": {},
        "provenance": {},
    }
    checker(schema()).validate(value)
    assert same(from_json({"format": FORMAT, "rule": "priority", "order": "sjf"}), as_policy("sjf; backfill: none"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": "wiat"}, 'policy: order, character 1, "wiat": there must be a number'),
        ({"order": {"day": "sjf"}}, 'policy: order: "weekend" is missing'),
        ({"order": 3}, 'policy: "order" must be'),
        ({"backfill": {}}, 'policy: backfill: "reservations" is missing'),
        ({"backfill": {"reservations": "some"}}, 'policy: backfill.reservations must be a number or "all", but is "so'),
        ({"backfill": {"reservations": -1}}, "policy: reservations must be in 0..2147483647, but is -1"),
        ({"backfill": {"reservations": 1, "order": "easy"}}, 'policy: backfill-order, character 1, "easy": is a back'),
        ({"backfill": {"reservations": 1, "slack": 1.5}}, 'policy: backfill: "slack" must be a whole number'),
        ({"usage": "queue"}, "policy: usage must be one of user, account, group"),
        ({"half_life": 0}, "policy: half_life must be in 1..10000000000, but is 0"),
        ({"shares": {"a": "much"}}, "policy: shares"),
        (
            {"queue": 1},
            "policy: the keys here are format, rule, name, order, backfill, usage, half_life, shares, fair",
        ),
    ],
)
def test_every_malformed_order_has_its_message(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        from_json({"format": FORMAT, "rule": "priority", "order": "sjf"} | change)
    assert str(error.value).startswith(message)


def test_numbers_and_words_that_are_left_out_have_their_defaults() -> None:
    assert to_json(from_json({"format": FORMAT, "rule": "scojo"})) == to_json(ps.TimeSharing())
    least = {key: value for key, value in old("symbiotic").items() if key not in ("name", "otherwise", "provenance")}
    base = from_json(least)
    assert isinstance(base, RuleBase)
    assert (base.name, base.threshold, base.provenance) == ("symbiotic rules", 0.0, {})
