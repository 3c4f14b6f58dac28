"""Times, numbers and names are written so that they are read as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import InputError
from paretosched.policies.policy_tokens import PolicyReader, written_name, written_number, written_time


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_a_number_is_read_as_it_was(value: float) -> None:
    assert PolicyReader(written_number(value), "x").number() == value


@given(st.integers(0, 10**10))
def test_a_time_is_read_as_it_was(seconds: int) -> None:
    assert PolicyReader(written_time(seconds), "x").seconds(0, 10**10) == seconds


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='"'), min_size=1), unique=True))
def test_names_are_read_as_they_were(names: list[str]) -> None:
    if names:
        assert PolicyReader(",".join(map(written_name, names)), "x").names() == tuple(names)


def test_a_long_name_ends_where_a_space_is() -> None:
    reader = PolicyReader("half-life - 7d", "x")
    assert [reader.long_name().text, reader.now.text] == ["half-life", "-"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1000000d", '"1000000d": must be a whole number of seconds from 1 to 10000000000, but is 86400000000'),
        ("0.5 s", '"0.5 s": must be a whole number of seconds from 1 to 10000000000, but is 0.5'),
        ("1000y", '"1000y": the unit of a time must be one of s, min, h, d'),
        ("2 weeks", '"2 weeks": the unit of a time must be one of s, min, h, d'),
        ("1e305d", '"1e305d": is too large a number'),
        ("1e-400 d", '"1e-400 d": is too small a number'),
    ],
)
def test_a_time_is_refused_with_its_unit(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        PolicyReader(text, "x").seconds(1, 10**10)
    assert str(error.value) == f"x, character 1, {message}"


def test_a_time_without_a_unit_may_have_a_word_behind_it() -> None:
    reader = PolicyReader("90of 3", "x")
    assert [reader.seconds(0, 100, "of"), reader.take("of")] == [90, "of"]


@pytest.mark.parametrize("text", ["3h", "3 H"])
def test_a_count_has_no_unit(text: str) -> None:
    with pytest.raises(InputError) as error:
        PolicyReader(text, "x").whole_number(1, 9)
    assert str(error.value) == f'x, character 1, "{text}": must be a whole number from 1 to 9 without a unit'
