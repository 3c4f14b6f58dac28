"""What an attack yields: how many attempts were refused, accepted, and broke something.

An attempt is **broken** if it ends in anything but success (0), one line of refusal (2) or, where a signal was sent,
the end that the signal asks for; if it takes longer than its limit or more than 1 GiB; if a file that was only read
changes; if a continued run differs from one that was never interrupted; or if another account gets in.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from support.commands import command

MOST_MEMORY = 1 << 20  # KiB that a process may take at its peak
MOST_SECONDS = 120.0  # that an attempt may take on a busy machine, if nothing else is said
PATIENCE = 15 * MOST_SECONDS  # for a long command: it is to find a run without an end, not one beside other work
REFUSED, ACCEPTED = "refused", "accepted"


class Verdict(NamedTuple):
    """How one attempt ended.

    Attributes
    ----------
    end
        REFUSED, ACCEPTED, or what is broken in words.
    attempt
        What was tried, so that it can be repeated.
    """

    end: str
    attempt: str = ""

    @property
    def broken(self) -> bool:
        """Whether something is broken."""
        return self.end not in (REFUSED, ACCEPTED)


class Tally(NamedTuple):
    """The row of one attack in the table.

    Attributes
    ----------
    offender
        The first attempt that broke something, and what.
    remark
        Why nothing was tried, if so.
    """

    attack: str
    tried: int
    refused: int
    accepted: int
    broken: int
    offender: str = ""
    remark: str = ""


def tally(attack: str, verdicts: Iterable[Verdict]) -> Tally:
    """Return the row of an attack."""
    all_ = list(verdicts)
    bad = [verdict for verdict in all_ if verdict.broken]
    refusals, acceptances = (sum(verdict.end == end for verdict in all_) for end in (REFUSED, ACCEPTED))
    offender = f"{bad[0].attempt}: {bad[0].end}" if bad else ""
    return Tally(attack, len(all_), refusals, acceptances, len(bad), offender)


def not_tried(attack: str, remark: str) -> Tally:
    """Return the row of an attack for which something is missing here."""
    return Tally(attack, 0, 0, 0, 0, remark=remark)


def judge(words: Sequence[str], status: int, out: str, err: str) -> Verdict:
    """Return the verdict on a command that has ended by itself."""
    attempt = " ".join(word if len(word) < 80 else f"{word[:60]}... ({len(word)} characters)" for word in words)
    lines = err.removesuffix("\n").split("\n")
    if "Traceback" in err:
        return Verdict(f"traceback: {lines[-1]}", attempt)
    if "Warning: " in err:
        return Verdict(f"warning of a library: {next(line for line in lines if 'Warning: ' in line)}", attempt)
    if status == 0:
        return Verdict(ACCEPTED, attempt)
    if status != 2:
        return Verdict(f"exit status {status}: {lines[-1]}", attempt)
    if out:
        return Verdict(f"refused, but with {len(out)} characters on standard output", attempt)
    if not re.match(r"paretosched( [a-z]+)?: .", lines[-1]):
        return Verdict(f"refused without its line: {lines[-1]!r}", attempt)
    if not all(re.match(r"paretosched: |$", line) for line in lines[:-1]):
        return Verdict(f"more than one line: {lines[0]!r}", attempt)
    return Verdict(REFUSED, attempt)


def verdict_on(*words: object, names: object = "") -> Verdict:
    """Run a command in this process, and return its verdict; a refusal has `names`, and leaves nothing new here."""
    texts = [*map(str, words)]
    before = {*Path().iterdir(), Path("key")}  # the key of hidden names is kept before a log is read
    try:
        outcome = command(*texts)
    except Exception as error:  # what would be a traceback
        return Verdict(f"traceback: {type(error).__name__}: {error}"[:500], " ".join(texts)[:1000])
    verdict = judge(texts, *outcome)
    if verdict.end == REFUSED and str(names) not in outcome.err:
        return verdict._replace(end=f"refused without {names}: {outcome.err!r}")
    if verdict.end == REFUSED and (left := {*Path().iterdir()} - before):
        return verdict._replace(end=f"refused, and left {sorted(map(str, left))}")
    return verdict
