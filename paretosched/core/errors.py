"""The one kind of error that is the caller's to mend, and how offenders are named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence


class InputError(ValueError):
    r"""An input breaks a rule: a file, an argument, a value.

    The message is one line: where (file and line, or argument), the rule, the fact, the first offenders.
    The command line prints it and ends with exit status 2; anything else is a defect of ours and shows its
    traceback.

    Examples
    --------
    What the message quotes cannot break the line.

    >>> str(InputError('policy "fc\nfs" is not known'))
    'policy "fc fs" is not known'
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


def first_few(offenders: Iterable[object], total: int | None = None, limit: int = 3) -> str:
    """Name the first offenders of a rule.

    Examples
    --------
    >>> first_few(["job 17 has 2048", "job 18 has 4096"])
    'job 17 has 2048, job 18 has 4096'
    >>> first_few(range(9), limit=3)
    '0, 1, 2, ...'
    """
    shown = [str(offender) for _, offender in zip(range(limit + 1), offenders, strict=False)]
    more = len(shown) > limit or (total is not None and total > len(shown))
    return ", ".join(shown[:limit]) + (", ..." if more else "")


def one_of(what: str, word: str, words: Sequence[str]) -> None:
    """Refuse a word that is not one of `words`.

    Raises
    ------
    InputError
        It is not.
    """
    if word not in words:
        raise InputError(f'{what} must be one of {", ".join(words)}, but is "{word}"')


def quoted(text: str, limit: int = 40) -> str:
    r"""Show a piece of a file on one line, whatever it contains.

    Examples
    --------
    >>> print(quoted("a\tb"))
    "a\tb"
    """
    return json.dumps(text if len(text) <= limit else text[:limit] + "...")


def printable(text: str) -> str:
    r"""Replace what could steer a terminal or break a line, and bytes of file names that are no text.

    Examples
    --------
    >>> print(printable("a\x1b[2Jb\udcff"))
    a�[2Jb�
    """
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
