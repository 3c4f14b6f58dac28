"""The error that a caller can mend, and the words in which messages name what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence


class InputError(ValueError):
    r"""An input breaks a rule: a file, an argument, a value.

    The message is one line: the place (file and line, or argument), the rule, the fact, the first offenders.
    The command line prints it and ends with exit status 2. Any other exception is a defect of this package, and
    its traceback is printed.

    Examples
    --------
    A line break in a quoted text does not break the message.

    >>> str(InputError('policy "fc\nfs" is not known'))
    'policy "fc fs" is not known'
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


class WorkersLostError(InputError):
    """The workers of a computation, or their scheduler, have gone for good; what was done before is kept."""


def number_of(count: int, what: str) -> str:
    """Return how many there are of something, in the plural unless it is one.

    Examples
    --------
    >>> number_of(1, "node"), number_of(1200, "node")
    ('1 node', '1,200 nodes')
    >>> number_of(2, "policy"), number_of(3, "unit of 1/10 GPU")
    ('2 policies', '3 units of 1/10 GPU')
    """
    head, of, whole = what.partition(" of ")
    many = f"{head[:-1]}ies" if head.endswith("cy") else f"{head}s"
    return f"{count:,} {head if count == 1 else many}{of}{whole}"


def first_few(offenders: Iterable[object], total: int | None = None, limit: int = 3) -> str:
    """Return the first offenders of a rule in words; "..." stands for those left out.

    Examples
    --------
    >>> first_few(["job 17 has 2048", "job 18 has 4096"])
    'job 17 has 2048, job 18 has 4096'
    >>> first_few(range(9), limit=3)
    '0, 1, 2, ...'
    """
    words = [str(offender) for _, offender in zip(range(limit + 1), offenders, strict=False)]
    more = len(words) > limit or (total is not None and total > len(words))
    return ", ".join(words[:limit]) + (", ..." if more else "")


def one_of(what: str, word: str, words: Sequence[str]) -> None:
    """Check that a word is one of `words`; `what` names it in the message.

    Raises
    ------
    InputError
        The word is none of them.
    """
    if not isinstance(word, str):
        raise InputError(f"{what} must be one of {', '.join(words)}, but is {word!r:.60}")
    if word not in words:
        raise InputError(
            f"{what} must be one of {', '.join(words)}, but is {in_quotes(word)}{did_you_mean(word, words)}"
        )


def nearest_word(word: str, words: Iterable[str]) -> str | None:
    """Return the word that the user probably meant: one that begins like it, or the most similar one; None if none is.

    Examples
    --------
    >>> nearest_word("--gen", ["--seed", "--generations"]), nearest_word("eazy", ["fcfs", "easy"])
    ('--generations', 'easy')
    >>> nearest_word("AWRT9", ["UTIL", "AWRT", "AWRT1"]), nearest_word("x", ["train"])
    ('AWRT', None)
    """
    from difflib import get_close_matches

    of_lower = {other.lower(): other for other in words}
    lower = word.lower()
    longer = [other for other in of_lower if lower.strip("-") and other.startswith(lower)]
    near = next(iter(longer or get_close_matches(lower, of_lower, n=1)), None)
    return None if near is None else of_lower[near]


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return the end of a message that names the word that the user probably meant; nothing if there is none.

    Examples
    --------
    >>> did_you_mean("quue", ["consumption", "queue"])
    '; did you mean queue?'
    """
    near = nearest_word(word, words)
    return "" if near is None else f"; did you mean {near}?"


def in_quotes(text: str, limit: int = 40) -> str:
    r"""Return a piece of a file in quotes on one line, shortened; what cannot be printed is escaped as in JSON.

    Examples
    --------
    >>> print(in_quotes("ä\tb\x9b"))
    "ä\tb\u009b"
    """
    words = json.dumps(text if len(text) <= limit else text[:limit] + "...", ensure_ascii=False)
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in words)


def printable(text: str) -> str:
    r"""Return a text without what could steer a terminal or break a line, and without bytes that are no text.

    Examples
    --------
    >>> print(printable("a\x1b[2Jb\udcff"))
    a�[2Jb�
    """
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
