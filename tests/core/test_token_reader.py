"""Tokens and where they are, for any pattern; the readers of wishes and of policies are tested with their grammars."""

import re

import pytest

from paretosched import InputError
from paretosched.core.token_reader import Token, TokenReader

PATTERN = re.compile(r'(?P<word>[a-z]+)|(?P<name>"[^"]*")|(?P<sign>[,\n])')


def test_tokens_have_their_text_and_their_places() -> None:
    reader = TokenReader('ab "c d",', "text", PATTERN, 9)
    assert reader.tokens == [
        Token("word", "ab", 0, 2), Token("name", "c d", 3, 8), Token("sign", ",", 8, 9), Token("end", "", 9, 9),
    ]  # fmt: skip
    assert reader.take("x", "ab") == "ab"
    assert not reader.take("c d")  # a name in quotes is no word
    assert reader.comes(",", ahead=1)
    assert reader.ahead(99).kind == "end"


def test_white_space_that_the_pattern_matches_is_a_token() -> None:
    assert [token.text for token in TokenReader("a \n\tb", "text", PATTERN, 9).tokens] == ["a", "\n", "b", ""]


def test_errors_name_the_part_and_the_place() -> None:
    reader = TokenReader("ab", "text", PATTERN, 2)
    with pytest.raises(InputError, match=r'^text, character 1, "ab": there must be ","$'):
        reader.need(",")
    reader.take("ab")
    with pytest.raises(InputError, match=r"^text, character 3, the end: there is nothing$"):
        reader.refuse("there is nothing")
    with pytest.raises(InputError, match=r'^text, character 2, "!": has no meaning here$'):
        TokenReader("a!", "text", PATTERN, 2)
    with pytest.raises(InputError, match=r"^text: must have at most 2 characters, but has 3$"):
        TokenReader("abc", "text", PATTERN, 2)


def test_words_with_hyphens_between_them_are_joined() -> None:
    pattern = re.compile(r"(?P<word>\w+)|(?P<sign>[-+])")
    tokens = TokenReader("ab-2-c + d - e", "text", pattern, 20)
    assert [tokens.whole_name(token) for token in tokens.tokens] == ["ab-2-c"] * 5 + ["+", "d", "-", "e", ""]
