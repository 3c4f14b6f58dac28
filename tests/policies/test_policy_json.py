"""Policy files: those of earlier versions, and the published schema."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import paretosched as ps
from paretosched.policies.policy_json import FORMAT, from_json, schema, to_json
from paretosched.policies.rule_base import RuleBase

OLD = Path(__file__).parents[1] / "data" / "version-0.1"
# SHA-256 of the start times, int64, that version 0.1 simulated under each file of a policy for `WORKLOAD`.
STARTS = {
    "easy": "24d752b6cea16e0e",
    "greedy": "ec9a9de4aa81bda3",
    "iterative": "2932b9bc524d29eb",
    "symbiotic": "ed077664aaa9753a",
    "symbiotic-random": "d5d67f22a513daa3",
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
    """Else write it anew: `SCHEMA.write_text(json.dumps(schema(), indent=2) + "\\n")`."""
    assert SCHEMA.read_text(encoding="utf-8") == json.dumps(schema(), indent=2) + "\n"
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", STARTS)
def test_a_file_of_version_0_1_keeps_the_schema(name: str) -> None:
    jsonschema.validate(old(name), schema(), jsonschema.Draft202012Validator)


def broken(name: str, path: str, value: Any) -> Any:
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
    whole = broken(name, path, value)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(whole, schema(), jsonschema.Draft202012Validator)
    with pytest.raises(ps.InputError):
        from_json(whole)


def test_numbers_and_words_that_are_left_out_have_their_defaults() -> None:
    assert to_json(from_json({"format": FORMAT, "rule": "scojo"})) == to_json(ps.TimeSharing())
    least = {key: value for key, value in old("symbiotic").items() if key not in ("name", "otherwise", "provenance")}
    base = from_json(least)
    assert isinstance(base, RuleBase)
    assert (base.name, base.threshold, base.provenance) == ("symbiotic rules", 0.0, {})
