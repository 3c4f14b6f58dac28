"""Tokens of a text in words, such as a wish or a policy, and a reader that goes through them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from .errors import InputError, in_quotes


class Token(NamedTuple):
    """A number, word, name in quotes or sign, and where it is.

    Attributes
    ----------
    kind
        "number", "word", "name", "sign" or "end".
    text
        As it is written; a name without its quotes.
    place, end
        The place of its first character, from 0, and of the character after its last one.
    """

    kind: str
    text: str
    place: int
    end: int


class TokenReader:
    """Reads tokens one after the other.

    Parameters
    ----------
    text
        What is read.
    part
        What the text is called; it begins the message of an error.
    pattern
        A pattern of one token, with a group for each kind. White space that it does not match stands between tokens.
    most_letters
        The longest text.

    Raises
    ------
    InputError
        The text is too long, or has a character that no token has.
    """

    def __init__(self, text: str, part: str, pattern: re.Pattern[str], most_letters: int) -> None:
        self.text = text
        self.part = part
        if len(text) > most_letters:
            raise InputError(f"{part}: must have at most {most_letters} characters, but has {len(text)}")
        self.tokens = list(self._tokens(pattern))
        self.place = 0

    def _tokens(self, pattern: re.Pattern[str]) -> Iterator[Token]:
        """Yield the tokens of the text, the end last."""
        place = 0
        while place < len(self.text):
            match = pattern.match(self.text, place)
            if match is None or match.lastgroup is None:
                letter = self.text[place]
                if not letter.isspace():
                    self.refuse_token(Token("sign", letter, place, place + 1), self.no_meaning(letter))
                place += 1
                continue
            text = match.group()[1:-1] if match.lastgroup == "name" else match.group()
            yield Token(match.lastgroup, text, place, match.end())
            place = match.end()
        yield Token("end", "", len(self.text), len(self.text))

    @property
    def now(self) -> Token:
        """Return the token that comes now."""
        return self.tokens[self.place]

    def ahead(self, count: int) -> Token:
        """Return a token further on."""
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def comes(self, *signs: str, ahead: int = 0) -> bool:
        """Return whether one of these signs or words comes now, or so many tokens further on."""
        token = self.ahead(ahead)
        return token.kind in ("word", "sign") and token.text.lower() in signs

    def comes_end(self) -> bool:
        """Return whether the text ends here."""
        return self.now.kind == "end"

    def take(self, *signs: str) -> str:
        """Return the sign or word that comes now if it is one of these, and go on to the next token; else ""."""
        if not self.comes(*signs):
            return ""
        self.place += 1
        return self.tokens[self.place - 1].text.lower()

    def need(self, sign: str) -> None:
        """Go on behind this sign or word, which must come now."""
        if not self.take(sign):
            self.refuse(f'there must be "{sign}"')

    def refuse(self, rule: str) -> NoReturn:
        """Raise InputError for the token that comes now."""
        self.refuse_token(self.now, rule)

    def refuse_token(self, token: Token, rule: str) -> NoReturn:
        """Raise InputError for a token that breaks a rule."""
        raise InputError(f"{self.part}{self.where(token)}, {self.word_of(token)}: {rule}")

    def check_number(self, token: Token, value: float) -> None:
        """Raise InputError for a number that no float can hold: it is infinite, or 0 though it has another digit."""
        if math.isinf(value):
            self.refuse_token(token, "is too large a number")
        if value == 0.0 and re.search("[1-9]", token.text.lower().partition("e")[0]):
            self.refuse_token(token, "is too small a number")

    def whole_name(self, token: Token) -> str:
        """Return the words around a token that are joined by hyphens alone; the token itself if it is not joined."""
        names = re.finditer(r"\w+(-\w+)+", self.text)
        return next((name.group() for name in names if name.start() <= token.place < name.end()), token.text)

    def no_meaning(self, _letter: str) -> str:
        """Return what is said of a character that no token has."""
        return "has no meaning here"

    def where(self, token: Token) -> str:
        """Return where a token is, as it stands in messages."""
        return f", character {token.place + 1}"

    def word_of(self, token: Token) -> str:
        """Return what a token is called in messages."""
        return "the end" if token.kind == "end" else in_quotes(token.text)
