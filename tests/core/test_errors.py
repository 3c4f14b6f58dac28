"""An error is one line that names the first offenders."""

import pickle

import pytest

from paretosched import InputError
from paretosched.core.errors import did_you_mean, first_few, in_quotes, nearest_word, one_of


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\x85", "\u2028"])
def test_a_message_is_one_line_whatever_it_quotes(end: str) -> None:
    assert str(InputError(f"trace{end}.swf: no such file")) == "trace .swf: no such file"


def test_an_error_is_a_value_error_and_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(InputError("width must be positive")))
    assert isinstance(error, ValueError)
    assert type(error) is InputError
    assert str(error) == "width must be positive"


def test_first_few() -> None:
    assert first_few([]) == ""
    assert first_few("ab", limit=2) == "a, b"
    assert first_few("abc", limit=2) == "a, b, ..."
    assert first_few(iter("ab"), total=9) == "a, b, ..."
    assert first_few("abc", total=3) == "a, b, c"


def test_only_a_word_that_is_near_is_proposed() -> None:
    assert nearest_word("--eval", ["--seed", "--evaluations"]) == "--evaluations"
    assert nearest_word("--", ["--seed"]) is None
    assert nearest_word("", ["seed"]) is None


def test_an_unknown_word_is_refused_with_the_nearest_one() -> None:
    assert did_you_mean("FCFSS", ["fcfs", "easy"]) == "; did you mean fcfs?"
    assert did_you_mean("awrt", ["UTIL", "AWRT1"]) == "; did you mean AWRT1?"
    with pytest.raises(InputError, match=r'policy must be one of fcfs, easy, but is "eazy"; did you mean easy\?$'):
        one_of("policy", "eazy", ["fcfs", "easy"])
    with pytest.raises(InputError, match=r'policy must be one of fcfs, easy, but is "sooner"$'):
        one_of("policy", "sooner", ["fcfs", "easy"])
    with pytest.raises(InputError, match=r"policy must be one of fcfs, easy, but is 3$"):
        one_of("policy", 3, ["fcfs", "easy"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("größe", '"größe"'),
        ("\N{CHESTNUT} 京", '"\N{CHESTNUT} 京"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("a\x1b[2J\x7f\x9b\n", r'"a\u001b[2J\u007f\u009b\n"'),
        ("\u202eevil\u200b\u2028", r'"\u202eevil\u200b\u2028"'),
        ("\udcff\U000e0001", r'"\udcff\udb40\udc01"'),
        ("ä" * 50, '"' + "ä" * 40 + '..."'),
    ],
)
def test_letters_are_quoted_as_they_are_and_what_steers_a_terminal_is_escaped(text: str, quoted: str) -> None:
    assert in_quotes(text) == quoted
