"""Say where documents and results differ: `python -m experiments.check`, without logs and without a network.

A summary is what its `analysis.py` writes from the tables beside it, and opens with sentences that are not too long.
Where the scripts are gone, words and tables stay as they are: `kept.sha256` lists them.
A number of a document is that of a claim, an expression over the same tables (`*claims.py`), or no result: it is in
code, part of a name, or `stated.py` lists it.
The README is held closer: its code, and numbers in words, need a claim too, and what it shows of the output of commands
is looked for in records of that output (`shown.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import re
import runpy
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from unittest.mock import patch

from experiments.claims import CLAIMS, DOCUMENTS, README, Claim
from experiments.cost_claims import COST_CLAIMS
from experiments.online_claims import ONLINE_CLAIMS
from experiments.quoted import NUMERALS, Results
from experiments.readme_claims import README_CLAIMS
from experiments.shown import RECORDS, check_shown
from experiments.slurm_claims import SLURM_CLAIMS
from experiments.speed_claims import SPEED_CLAIMS
from experiments.stated import STATED, Stated
from paretosched.core.errors import InputError

EXPERIMENTS = Path(__file__).resolve().parent
ROOT = EXPERIMENTS.parent
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
IN_WORDS = rf"\b(?:{'|'.join(NUMERALS[2:])}|twice|half|quarters?|dozens?|hundreds?|thousands?|millions?)\b"
IN_WORDS += r"|\b(?:one(?= of | seed\b)|thirds?(?= of\b))"
ALL_CLAIMS = (*CLAIMS, *ONLINE_CLAIMS, *SLURM_CLAIMS, *README_CLAIMS, *COST_CLAIMS, *SPEED_CLAIMS)
FIELD = re.compile(r"\{:?([^{}]*)\}")  # of the words of a claim: a number, by its format
VALUE = rf"([+-]?{NUMBER}|[a-z]+)"  # what a document has there: a number in digits or in words
WITH_PAGES = ("ci190_05",)  # draw a page of figures wherever the fronts are

SENTENCES = r"- \*\*(?P<name>[^*]+):\*\* (?P<text>.*)"  # with which a summary opens
MOST_WORDS = 60  # of such a sentence
KEPT = "kept.sha256"  # of results whose scripts are gone: the words and the tables that they were written from

# Numbers that are no results, by the rule that says so. The first rule that fits counts.
EXEMPT: Mapping[str, str] = {
    "code": r"```.*?```|(?m:^ {4,}(?![-*] )[^\n]*)|`[^`\n]+`",
    "links": r"\]\([^)]*\)|https?://\S+",
    "names": r"(?<![\w.,])[A-Za-z_][\w./-]*",  # f1, AWRT3, SDSC00, CI-190/05, SHA-256
    "papers": r"\| 00[0-4]:",
    "numbers of things": r"(?i:\b(?:papers?|figures?|tables?|sections?|groups?|status|steps?|python|slurm|field)) "
    r"\d[\d.]*(?:(?:,| to| and| or) \d[\d.]*)*(?! ?%)",
    "years": r"\b(?:19|20)\d\d\b(?=\s*(?:[|.,;:)]|$))",
    "the papers' machine": r"\b1,?024\b",
    "percentiles": r"\b95th\b",
    "wishes": rf"{NUMBER} ?\*? ?(?:AWRT\w*|EASY)\b",
    "numbered lists": r"(?m:^#* *\d+\. )",
}
# Of a document of which records are kept the code is no exemption, but its arguments are.
EXEMPT_WITH_RECORDS = {rule: pattern for rule, pattern in EXEMPT.items() if rule != "code"} | {
    "arguments": rf"--[a-z-]+ {NUMBER}"
}

KINDS = ("traced", "recorded", "commands", *EXEMPT, "arguments", "stated", "not traced")


class Fault(NamedTuple):
    """A place where a document and the data differ."""

    document: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.words}"


class Span(NamedTuple):
    """A part of a text."""

    begin: int
    end: int


# --- summaries --------------------------------------------------------------------------------------------------------


def summaries(root: Path) -> dict[str, Path]:
    """Return the folders of results that have a summary, by the name of the experiment."""
    return {path.parent.name: path.parent for path in sorted(root.glob("results/*/summary.md"))}


def faults_of_summary(experiment: str, results: Path) -> list[Fault]:
    """Return the lines of a summary that are not what `analysis.py` writes from the tables beside it."""
    document = f"results/{experiment}/summary.md"
    says = (results / "summary.md").read_text(encoding="utf-8").splitlines()
    try:
        should = summary_of(experiment, results).splitlines()
    except (LookupError, ValueError, InputError) as error:
        return [Fault(document, 1, f"cannot be written from the tables: {type(error).__name__}: {error}")]
    faults = []
    for number, is_line, line in differing_lines(says, should):
        if is_line is None:
            words = f"lacks a line that the tables have: {begin_of(line)!r}"
        elif line is None:
            words = f"has a line that the tables do not have: {begin_of(is_line)!r}"
        else:
            words = "says {!r}, the tables say {!r}".format(*first_difference(is_line, line))
        faults.append(Fault(document, number, words))
    return faults


def faults_of_kept(experiment: str, results: Path) -> list[Fault]:
    """Return which words and tables are not those that `sha256sum * > kept.sha256` has listed, or are not listed."""
    document, faults = f"results/{experiment}/{KEPT}", []
    lines = (results / KEPT).read_text(encoding="utf-8").splitlines() if (results / KEPT).exists() else []
    listed = {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    words = ("kept.md",) if has_script(experiment) else ("summary.md", "*.csv")
    there = {path.name for pattern in words for path in results.glob(pattern)}
    faults += [Fault(document, 1, f"does not list {name}") for name in sorted(there - set(listed))]
    for number, (name, digest) in enumerate(listed.items(), 1):
        path = results / name
        if not path.exists():
            faults.append(Fault(document, number, f"lists {name}, which is gone"))
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            faults.append(Fault(document, number, f"lists another {name}: words and tables of these results stay"))
    return faults


def has_script(experiment: str) -> bool:
    """Return whether a summary is still written by a script, or stays as it is."""
    return (EXPERIMENTS / experiment / "analysis.py").exists()


def begin_of(line: str | None) -> str:
    """Return the first words of a line."""
    return " ".join((line or "").split()[:12])


def differing_lines(says: Sequence[str], should: Sequence[str]) -> Iterator[tuple[int, str | None, str | None]]:
    """Yield each line that differs: its number in the first text, and both; None where a text has no such line.

    >>> list(differing_lines(["a", "b", "c"], ["a", "new", "b", "d"]))
    [(2, None, 'new'), (3, 'c', 'd')]
    """
    for kind, first, end, begin, stop in SequenceMatcher(None, says, should, autojunk=False).get_opcodes():
        if kind != "equal":
            pairs = zip_longest(says[first:end], should[begin:stop])
            for place, (is_line, line) in enumerate(pairs):
                yield min(first + place, max(first, end - 1)) + 1, is_line, line


def faults_of_opening(experiment: str, results: Path, most: int = MOST_WORDS) -> list[Fault]:
    """Return the sentences with which a summary opens that have more words than a reader takes in at once."""
    document, faults = f"results/{experiment}/summary.md", []
    for number, line in enumerate((results / "summary.md").read_text(encoding="utf-8").splitlines(), 1):
        sentence = re.fullmatch(SENTENCES, line)
        if sentence and (words := count_words(sentence["text"])) > most:
            faults.append(Fault(document, number, f"{sentence['name']!r} has {words} words, and may have {most}"))
    return faults


def count_words(text: str) -> int:
    """Return the number of words of a text; a sign alone is none.

    >>> count_words("It gains +13.4 % - on CTC.")
    5
    """
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def summary_of(experiment: str, results: Path) -> str:
    """Return the summary that `analysis.py` writes from the tables of a folder, which stays as it is."""
    with tempfile.TemporaryDirectory() as name, scripts_of(experiment) as place:
        folder = Path(name)
        for path in results.iterdir():
            if path.name != "summary.md":
                (folder / path.name).symlink_to(path.resolve())
        arguments = ["analysis.py", "--no-figures", "--results", str(folder)]
        if experiment in WITH_PAGES:
            arguments += ["--work", str(folder / "no work")]
        with patch.object(sys, "argv", arguments), redirect_stdout(io.StringIO()):
            runpy.run_path(str(place / "analysis.py"), run_name="analysis")["main"]()
        return (folder / "summary.md").read_text(encoding="utf-8")


@contextmanager
def scripts_of(experiment: str) -> Iterator[Path]:
    """Put the folder of an experiment on the path, with no module of another: each has its own `settings`."""
    folder, path, others = EXPERIMENTS / experiment, list(sys.path), take_modules()
    sys.path.insert(0, str(folder))
    try:
        yield folder
    finally:
        sys.path[:] = path
        take_modules()
        sys.modules.update(others)


def take_modules() -> dict[str, ModuleType]:
    """Remove the modules of experiments, but not this one and those that it imports; return them by name."""
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    names = [name for name, file in files.items() if file and file.startswith(f"{EXPERIMENTS}{os.sep}")]
    return {name: sys.modules.pop(name) for name in names if not name.startswith("experiments.") and name != "__main__"}


def first_difference(says: str, should: str) -> tuple[str, str]:
    """Return eight words of two lines: three before the first that differs, and those that follow.

    >>> first_difference("| KTH | 1.2 | 3 |", "| KTH | 1.3 | 3 |")
    ('| KTH | 1.2 | 3 |', '| KTH | 1.3 | 3 |')
    """
    pairs = list(zip_longest(says.split(), should.split(), fillvalue=""))
    first = max(0, next((k for k, (a, b) in enumerate(pairs) if a != b), 0) - 3)
    before, after = (" ".join(words).strip() for words in zip(*pairs[first : first + 8], strict=True))
    return before, after


# --- documents --------------------------------------------------------------------------------------------------------


def faults_of_claims(
    document: str, text: str, claims: Iterable[Claim], results: Results
) -> tuple[list[Fault], list[Span]]:
    """Return where claims and a document differ, and the parts of the text that claims cover."""
    faults, covered = [], []
    for claim in claims:
        try:
            values = list(claim.values(results))
        except LookupError as error:  # a row or a column is not there any more
            faults.append(Fault(document, 1, f"{error.args[0]}, for {claim.words!r}"))
            continue
        should = [format(value, spec) for value, spec in zip(values, FIELD.findall(claim.words), strict=True)]
        found = list(re.finditer(pattern_of(claim.words), text))
        if not found:
            faults.append(Fault(document, 1, f"no longer has the words of a claim: {claim.words!r}"))
        for match in found:
            for k, expected in enumerate(should, 1):
                covered.append(Span(*match.span(k)))
                if match[k] != expected:
                    words = f"says {match[k]}, the data say {expected}: {' '.join(match[0].split())!r}"
                    faults.append(Fault(document, line_of(text, match.start(k)), words))
    return faults, covered


def pattern_of(words: str) -> str:
    """Return the regular expression of the words of a claim; a space is any white space, a field any number or word."""
    parts = FIELD.split(words)
    return VALUE.join(r"\s+".join(re.escape(word) for word in part.split(" ")) for part in parts[::2])


def faults_of_stated(document: str, text: str, stated: Iterable[Stated]) -> tuple[list[Fault], list[Span]]:
    """Return which stated words a document no longer has, and the parts of the text that the others cover."""
    faults, covered = [], []
    for one in stated:
        found = [Span(*match.span()) for match in re.finditer(pattern_of(one.words), text)]
        covered += found
        if not found:
            faults.append(
                Fault(document, 1, f"no longer has the words that stated.py lists as {one.what}: {one.words!r}")
            )
    return faults, covered


def exemptions(text: str, rules: Mapping[str, str]) -> list[tuple[str, Span]]:
    """Return the parts of a text whose numbers are no results, with the rule that says so."""
    return [
        (rule, Span(*match.span()))
        for rule, pattern in rules.items()
        for match in re.finditer(pattern, text, re.DOTALL)
    ]


def line_of(text: str, place: int) -> int:
    """Return the number of the line of a place in a text."""
    return text.count("\n", 0, place) + 1


def faults_of_document(
    document: str, text: str, results: Results, claims: Sequence[Claim] = ALL_CLAIMS, stated: Sequence[Stated] = STATED
) -> tuple[list[Fault], Counter[str]]:
    """Return where a document and the data differ, and how many of its numbers are covered by what."""
    faults, traced = faults_of_claims(document, text, (c for c in claims if c.document == document), results)
    more, listed = faults_of_stated(document, text, (s for s in stated if s.document == document))
    faults += more
    numbers, rules, shown = NUMBER, EXEMPT, list[tuple[str, Span]]()
    if document in RECORDS:
        wrong, lines = check_shown(document, text, results.root)
        faults += [Fault(document, line_of(text, begin), words) for begin, words in wrong]
        shown = [(rule, Span(begin, end)) for rule, begin, end in lines]
    if document == README:
        numbers, rules = f"{NUMBER}|(?i:{IN_WORDS})", EXEMPT_WITH_RECORDS
    covers = [("traced", span) for span in traced] + shown + exemptions(text, rules)
    covers += [("stated", span) for span in listed]
    counts: Counter[str] = Counter()
    for match in re.finditer(numbers, text):
        fit = (rule for rule, span in covers if span.begin <= match.start() and match.end() <= span.end)
        cover = next((rule for rule in fit if rule != "names" or not match[0].isalpha()), None)
        if cover is None:
            line = line_of(text, match.start())
            faults.append(Fault(document, line, f"{match[0]} is traced to no data: {around(text, match)!r}"))
        counts[cover or "not traced"] += 1
    return faults, counts


def around(text: str, match: re.Match[str]) -> str:
    """Return the words around a match."""
    return " ".join(text[max(0, match.start() - 40) : match.end() + 30].split())


# --- all together -----------------------------------------------------------------------------------------------------


def faults_of_all(root: Path, only: Sequence[str] = ()) -> tuple[list[Fault], Counter[str]]:
    """Return all faults below a folder, and how many numbers are covered by what; `only` some summaries."""
    results = Results(root)
    faults, counts = [], Counter[str]()
    for experiment, folder in summaries(root).items():
        if not only or experiment in only:
            faults += faults_of_summary(experiment, folder) if has_script(experiment) else []
            faults += faults_of_kept(experiment, folder)
            faults += faults_of_opening(experiment, folder)
            counts["summaries"] += 1
    for document in DOCUMENTS:
        more, of_document = faults_of_document(document, (root / document).read_text(encoding="utf-8"), results)
        faults += more
        counts += of_document
    return faults, counts


def main() -> int:
    """Print every fault in a line; return 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m experiments.check", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder with README.md, docs and results")
    faults, counts = faults_of_all(parser.parse_args().root)
    print(*faults, sep="\n", end="\n" if faults else "")
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
    print(f"{counts['summaries']} summaries; numbers in {len(DOCUMENTS)} documents: {kinds}; {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
