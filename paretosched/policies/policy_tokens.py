"""The tokens of a policy in words, and a reader that goes through them; see `formula` and `priority_text`."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..core.errors import did_you_mean
from ..core.token_reader import Token, TokenReader

MOST_LETTERS = 1_000_000  # a site may have thousands of partitions
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}

PATTERN = re.compile(
    r'(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<name>"[^"\n]*")'
    r"|(?P<sign><=|>=|!=|[-+*/^(),<>=:;\n])"
)


class PolicyReader(TokenReader):
    """Reads the tokens of a policy or of a part of it; a line break is as good as a semicolon.

    Parameters
    ----------
    text, part
        As for `TokenReader`; `part` is changed on the way.

    Raises
    ------
    InputError
        As for `TokenReader`.
    """

    def __init__(self, text: str, part: str) -> None:
        super().__init__(text, part, PATTERN, MOST_LETTERS)
        self.tokens = [token._replace(text=";") if token.text == "\n" else token for token in self.tokens]

    def number(self) -> float:
        """Return the number that comes now, in seconds if it has a unit of time."""
        return self.measure()[1]

    def measure(self) -> tuple[Token, float]:
        """Return the number that comes now with its unit of time, as one token, and its value, then in seconds."""
        if self.now.kind != "number":
            self.refuse("there must be a number")
        first = self.now
        value = float(first.text)
        self.place += 1
        # the unit stands without a space or with one: "4h", "4 h"
        value *= UNITS[self.take(*UNITS)] if self.comes(*UNITS) else 1.0
        token = self.token_from(first)
        self.check_number(token, value)
        return token, value

    def token_from(self, first: Token) -> Token:
        """Return a token that stands for all from this one to the last one that was read."""
        end = self.ahead(-1).end
        return Token(first.kind, self.text[first.place : end], first.place, end)

    def whole_number(self, low: int, high: int) -> int:
        """Return the whole number that comes now; it must be in low..high and have no unit."""
        first = self.now
        token, value = self.measure()
        if token.end != first.end or not (value.is_integer() and low <= value <= high):
            unit = " without a unit" if token.end != first.end else ""
            self.refuse_token(token, f"must be a whole number from {low} to {high}{unit}")
        return int(value)

    def seconds(self, low: int, high: int, *following: str) -> int:
        """Return the time that comes now, in whole seconds from low to high; these words may stand behind it."""
        token, value = self.measure()
        if token.text[-1].isdigit() and self.now.kind == "word" and not self.comes(*following):
            self.place += 1
            self.refuse_token(self.token_from(token), f"the unit of a time must be one of {', '.join(UNITS)}")
        if not (value.is_integer() and low <= value <= high):
            rule = f"must be a whole number of seconds from {low} to {high}"
            self.refuse_token(token, f"{rule}, but is {value:.15g}")
        return int(value)

    def long_name(self) -> Token:
        """Return the words, numbers and hyphens that come now without a space, or a name in quotes, as one token."""
        first = self.now
        if first.kind not in ("word", "number", "name"):
            self.refuse("there must be a name or a number from 0 on")
        self.place += 1
        if first.kind == "name":
            return first
        end = first.end
        while self.now.place == end and (self.now.kind in ("word", "number") or self.now.text in ("-", "_")):
            end = self.now.end
            self.place += 1
        return Token("word", self.text[first.place : end], first.place, end)

    def names(self) -> tuple[str, ...]:
        """Return the different names that come now, with commas between them."""
        names: list[str] = []
        while True:
            token = self.long_name()
            if token.text in names:
                self.refuse_token(token, "must come once, but comes again")
            names.append(token.text)
            if not self.take(","):
                if not self.comes("while", "and"):
                    self.refuse_space(token, 'there must be ",", ";" or the end')
                return tuple(names)

    def one_of(self, what: str, words: Collection[str]) -> str:
        """Return the word that comes now, which must be one of these."""
        token = self.long_name()
        word = token.text.lower()
        if word not in words:
            self.refuse_token(token, f"{what} must be one of {', '.join(words)}{did_you_mean(word, words)}")
        return word

    def refuse_space(self, before: Token, rule: str) -> None:
        """Refuse a word behind a name that was read, so that both may be one name, unless a clause begins there."""
        ahead = 0
        while self.ahead(ahead).kind != "end" and not self.comes(":", ";", ahead=ahead):
            ahead += 1
        if before.kind != "name" and self.now.kind == "word" and not self.comes(":", ahead=ahead):
            name = self.text[before.place : self.now.end]
            self.refuse(f'{rule}; if it is one name, write "{name}" in quotes')

    def no_meaning(self, letter: str) -> str:
        """Return what is said of a character that no token has."""
        hint = "; a name must end with its quote" if letter == '"' else ""
        hint = "; a name with such a letter must be in quotes" if letter.isalpha() else hint
        return super().no_meaning(letter) + hint

    def where(self, token: Token) -> str:
        """Return where a token is, with its line if there are several."""
        lines = self.text[: token.place].split("\n")
        line = f", line {len(lines)}" if "\n" in self.text.strip() else ""
        return f"{line}, character {len(lines[-1]) + 1}"

    def word_of(self, token: Token) -> str:
        """Return what a token is called in messages."""
        return "the end of the line" if self.text[token.place : token.end] == "\n" else super().word_of(token)


def written_name(name: str) -> str:
    """Return the name of a group as `PolicyReader.names` reads it: in quotes if it is not a plain word.

    Examples
    --------
    >>> print(written_name("vip"), written_name("2-b"), written_name("two words"))
    vip 2-b "two words"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*", name) else f'"{name}"'


def written_number(value: float) -> str:
    """Return a number of 0 or more in the shortest form that is read as the same number.

    Examples
    --------
    >>> written_number(3.0), written_number(0.1), written_number(1e20)
    ('3', '0.1', '1e+20')
    """
    return repr(value).removesuffix(".0")


def written_time(seconds: int) -> str:
    """Return seconds in the largest unit of which they are a whole number.

    Examples
    --------
    >>> written_time(14400), written_time(90), written_time(0)
    ('4h', '90s', '0s')
    """
    unit = next(unit for unit in reversed(UNITS) if seconds % UNITS[unit] == 0 and (seconds or unit == "s"))
    return f"{seconds // int(UNITS[unit])}{unit}"
