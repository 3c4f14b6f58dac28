"""Times, numbers and names are written so that they are read as the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paretosched.policies.policy_tokens import TokenReader, written_name, written_number, written_time


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_a_number_is_read_as_it_was(value: float) -> None:
    assert TokenReader(written_number(value), "x").number() == value


@given(st.integers(0, 10**10))
def test_a_time_is_read_as_it_was(seconds: int) -> None:
    assert TokenReader(written_time(seconds), "x").whole_number(0, 10**10) == seconds


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='"'), min_size=1), unique=True))
def test_names_are_read_as_they_were(names: list[str]) -> None:
    if names:
        assert TokenReader(",".join(map(written_name, names)), "x").names() == tuple(names)


def test_a_long_name_ends_where_a_space_is() -> None:
    reader = TokenReader("half-life - 7d", "x")
    assert [reader.long_name().text, reader.now.text] == ["half-life", "-"]
