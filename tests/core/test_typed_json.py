"""Values of JSON get types, or are refused in one line that names the part, the rule and the fact."""

import re
from typing import Any

import msgspec
import pytest

from paretosched.core.errors import InputError
from paretosched.core.typed_json import as_type


class Point(msgspec.Struct, forbid_unknown_fields=True):
    x: float
    label: str = ""


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    count: int
    flag: bool = False
    points: list[Point] = []
    by_name: dict[str, Point] = {}
    rows: dict[str, list[float]] = {}
    choice: str | Point = "none"


def test_what_fits_is_typed_and_whole_numbers_are_numbers() -> None:
    whole = as_type({"count": 3, "points": [{"x": 1}], "rows": {"a": [1, 2.5]}}, Whole)
    assert (whole.count, whole.points, whole.rows) == (3, [Point(1.0)], {"a": [1.0, 2.5]})
    assert type(whole.points[0].x) is float


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "the value must be an object, but is 3"),
        ({}, '"count" is missing'),
        ({"count": "a\ud800"}, 'texts must consist of letters of Unicode, but there is also "\\ud800"'),
        ({"count": 3.5}, '"count" must be a whole number, but is 3.5'),
        ({"count": True}, '"count" must be a whole number, but is true'),
        ({"count": 3, "flag": 1}, '"flag" must be true or false, but is 1'),
        (
            {"count": 3, "colour": 1},
            'the keys here are count, flag, points, by_name, rows, choice, but there is also "colour"',
        ),
        ({"count": 3, "points": {}}, '"points" must be a list, but is an object'),
        ({"count": 3, "points": [{"x": 1}, 7]}, "points[1] must be an object, but is 7"),
        ({"count": 3, "points": [{"x": 1}, {"x": None}]}, 'points[1]: "x" must be a number, but is null'),
        ({"count": 3, "points": [{"x": 1, "y": 2}]}, 'points[0]: the keys here are x, label, but there is also "y"'),
        ({"count": 3, "by_name": {"a": {"x": 1}, "b": {}}}, 'by_name.b: "x" is missing'),
        ({"count": 3, "by_name": {"a": {"x": 1}, "b": {"x": "1"}}}, 'by_name.b: "x" must be a number, but is "1"'),
        (
            {"count": 3, "by_name": {"a": {"x": 1}, "b": {"x": 1, "z": 1}}},
            'by_name.b: the keys here are x, label, but there is also "z"',
        ),
        ({"count": 3, "rows": {"a": [], "b": [1, "2"]}}, 'rows.b[1] must be a number, but is "2"'),
        ({"count": 3, "rows": {"a": 2}}, 'rows: "a" must be a list, but is 2'),
        ({"count": 3, "points": [{"x": 10**400}]}, 'points[0]: "x" must be a number of at most 1.8e308, but is 1000'),
        ({"count": 3, "choice": None}, '"choice" must be text or an object, but is null'),
        (
            {"count": 3, "choice": {"x": 1, "y": 2}},
            'choice: the keys here are x, label, but there is also "y"',
        ),
        ({"count": 3, "a`b\n - at `$.c": 1}, "the value: Object contains unknown field"),
        ({"count": 3, "x` - at `$.no.such[1].place[...]": 1}, "the keys here are count, flag,"),
        ({"count": 3, "points": [{"x` - at `$.rows[...]": 1}]}, ""),
        ({"count": 3, "by_name": {"a.b[0]": {"x": []}}}, 'by_name.a.b[0]: "x" must be a number, but is a list'),
    ],
)
def test_what_does_not_fit_is_named(value: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)) as error:
        as_type(value, Whole)
    assert len(str(error.value).splitlines()) == 1
