"""Wishes in files: what is written is read, by us and by the published schema, and what is no wish is refused."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from paretosched.core.errors import InputError
from paretosched.simulation.objective import objective_table
from paretosched.wishes.wish import Limit, Wish, wish_text
from paretosched.wishes.wish_files import as_wish, from_json, load_wish, save_wish, schema, to_json
from paretosched.wishes.wish_grammar import parse
from support.json_schemas import checker

GROUPS = tuple("12345")
OBJECTIVES = objective_table(GROUPS)
SAVED = {  # by version 0.1.0
    "sum": "10*AWRT1 + 4*AWRT2, AWRT5 <= 39600",
    "sum-with-util": "AWRT1 - 0.3*UTIL",
    "near": "near AWRT1 = 51732, UTIL = 67.123456789, AWRT in 36000..43200",
    "region": "AWRT1 <= 172800, UTIL >= 65, AWRT2 in 0.001s..1000000000000000",
}


def test_files_are_read_wherever_words_are(tmp_path: Path) -> None:
    wish = parse("10*AWRT1 + 4*AWRT2, AWRT5 <= 40000, UTIL >= 60", OBJECTIVES)
    save_wish(wish, tmp_path / "wish.json")
    assert load_wish(tmp_path / "wish.json") == as_wish(str(tmp_path / "wish.json"), GROUPS) == wish
    assert as_wish(wish, GROUPS) is wish
    assert as_wish(wish_text(wish), GROUPS) == wish
    assert json.loads((tmp_path / "wish.json").read_text()) == {
        "format": "paretosched wish 1",
        "sum": {"AWRT1": 10, "AWRT2": 4},
        "limits": {"AWRT5": [0, 40000], "UTIL": [60, None]},
    }


def test_relative_limits_and_those_of_several_groups_are_kept_in_files(tmp_path: Path) -> None:
    wish = as_wish("10*AWRT1, AWRT <= EASY, others <= 1.02*EASY, AWRT2 <= recorded, all <= 11h", GROUPS)
    save_wish(wish, tmp_path / "wish.json")
    assert load_wish(tmp_path / "wish.json") == wish
    value = json.loads((tmp_path / "wish.json").read_text())
    assert value == {
        "format": "paretosched wish 1",
        "sum": {"AWRT1": 10},
        "limits": {"all": [0, 39600]},
        "relative": {"easy": {"AWRT": [0, 1], "others": [0, 1.02]}, "recorded": {"AWRT2": [0, 1]}},
    }
    checker(schema()).validate(value)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("\udcff", "binary"),
        ("[]", 'must be an object with "format"'),
        ('{"format": "paretosched wish 1"}', "must have weights, a point or limits"),
        ('{"format": "paretosched wish 1", "sums": {}}', 'there is also "sums"'),
        ('{"format": "paretosched wish 1", "sum": [1]}', '"sum" must be an object'),
        ('{"format": "paretosched wish 1", "sum": {"AWRT1": "1"}}', 'sum: "AWRT1" must be a number'),
        ('{"format": "paretosched wish 1", "sum": {"AWRT1": true}}', 'sum: "AWRT1" must be a number'),
        ('{"format": "paretosched wish 1", "sum": {"AWRT1": 1' + "0" * 400 + "}}", 'sum: "AWRT1" must be a number'),
        ('{"format": "paretosched wish 1", "near": {"AWRT1": NaN}}', "at least"),
        ('{"format": "paretosched wish 1", "limits": {"AWRT1": 5}}', 'limits: "AWRT1" must be a list, but is 5'),
        ('{"format": "paretosched wish 1", "limits": {"AWRT1": [5]}}', "limits of AWRT1 must be a list of two numbers"),
        ('{"format": "paretosched wish 1", "limits": {"AWRT1": [5, "6"]}}', 'must be a number or null, but is "6"'),
        ('{"format": "paretosched wish 1", "near": {"AWRT1": 1e301}}', "a number of AWRT1 must be below 1e300"),
        ('{"format": "paretosched wish 1", "sum": {"AWRT1": 1}, "sum": {}}', 'the key "sum" is there twice'),
        ('{"format": "paretosched wish 1", "limits": {"AWRT1": [5, 4]}}', "range"),
        ('{"format": "paretosched wish 1", "limits": {"AWRT1": [null, null]}}', "exclude"),
    ],
)
def test_broken_files_are_refused_by_name(tmp_path: Path, text: str, rule: str) -> None:
    path = tmp_path / "wish.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as error:
        load_wish(path)
    assert str(error.value).startswith(f"{path}: ")
    assert rule in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: no such file$"):
        as_wish(tmp_path / "none.json", GROUPS)


def test_words_that_end_like_a_file_are_words() -> None:
    for words in ("10*AWRT1, AWRT <= policy.json", "AWRT1 < best.json"):
        with pytest.raises(InputError, match=r'^wish, character \d+, "\.": has no meaning here$'):
            as_wish(words, GROUPS)


@pytest.mark.parametrize("name", SAVED)
def test_wishes_of_earlier_versions_are_read_and_would_be_written_alike(tmp_path: Path, name: str) -> None:
    path = Path(__file__).with_name("saved") / f"{name}.json"
    wish = load_wish(path)
    assert wish_text(wish).replace("1e+15", "1000000000000000") == SAVED[name]
    save_wish(wish, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    checker(schema()).validate(json.loads(path.read_text()))


def test_the_published_schema_is_that_of_the_types() -> None:
    content = json.loads(files("paretosched.wishes").joinpath("wish.schema.json").read_text())
    checker(content)
    assert content == schema()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "paretosched wish 2"},
        {"sums": {}},
        {"sum": [1]},
        {"sum": {"AWRT1": "1"}},
        {"sum": {"AWRT1": True}},
        {"sum": {"AWRT0": 1}},
        {"sum": {"AWRT1": 2e6}},
        {"near": {"AWRT1": 0}},
        {"near": {"AWRT1": 1e301}},
        {"limits": {"AWRT1": 5}},
        {"limits": {"AWRT1": [5]}},
        {"limits": {"AWRT1": [-5, 5]}},
        {"limits": {"AWRT1": [5, "6"]}},
        {"limits": {"some": [5, 6]}},
        {"relative": {"eazy": {"AWRT1": [0, 1]}}},
        {"relative": {"easy": {"AWRT0": [0, 1]}}},
        {"relative": {"easy": {"AWRT1": [1]}}},
    ],
)
def test_what_the_schema_refuses_is_refused(change: dict[str, object]) -> None:
    value = to_json(Wish(limits=[Limit("AWRT2", 5, 6)])) | change
    assert not checker(schema()).is_valid(value)
    with pytest.raises(InputError, match=r"^wish: "):
        from_json(value)
