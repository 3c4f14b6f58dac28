"""The check of documents against results: it passes here, and each change of a number is one clear line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from experiments import check
from experiments.claims import CLAIMS, DOCUMENTS, FRONTS, MADE, Claim
from experiments.quoted import Results
from experiments.stated import STATED, Stated
from support.experiments import ROOT

OPENED = tuple(path.parent.name for path in ROOT.glob("results/*/summary.md"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The documents and the results, to be changed."""
    for document in DOCUMENTS:
        (tmp_path / document).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / document, tmp_path / document)
    shutil.copytree(
        ROOT / "results", tmp_path / "results", ignore=shutil.ignore_patterns("figures", "policies*", "app")
    )
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def lines_of(root: Path, only: str = "no summary") -> list[str]:
    return [str(fault) for fault in check.faults_of_all(root, [only])[0]]


@pytest.mark.slow
def test_documents_and_summaries_are_what_the_data_say(capsys: pytest.CaptureFixture[str]) -> None:
    faults, counts = check.faults_of_all(ROOT)
    assert faults == []
    assert counts["traced"] > 150
    assert counts["not traced"] == 0
    assert counts["summaries"] == len(list(ROOT.glob("results/*/summary.md")))


def test_a_number_that_is_changed_in_a_document_is_one_line(copy: Path) -> None:
    change(copy / FRONTS, "24.2 % below EASY at most", "24.3 % below EASY at most")
    (line,) = lines_of(copy)
    number = (copy / FRONTS).read_text().split("24.3 % below")[0].count("\n") + 1
    assert line.startswith(f"{FRONTS}:{number}: says 24.3, the data say 24.2: 'can be 24.3 % below EASY at most")


@pytest.mark.slow
def test_a_number_that_is_changed_in_a_summary_is_one_line(copy: Path) -> None:
    change(copy / "results/bounds/summary.md", "1,945 are proved impossible", "1,946 are proved impossible")
    (line,) = lines_of(copy, "bounds")
    assert re.match(r"results/bounds/summary\.md:\d+: says '.*1,946 are .*', the tables say '.*1,945 are ", line)


@pytest.mark.slow
def test_a_number_that_is_changed_in_a_table_shows_in_the_summary_and_in_the_document(copy: Path) -> None:
    table = copy / "results/bounds/logs.csv"
    bound = Results(ROOT).row("bounds/logs", log="CTC", as_="1024", wish="10 and 4")["programme"]
    (row,) = (line for line in table.read_text().splitlines() if re.match("CTC,1024,.*,10 and 4,", line))
    change(table, row, row.replace(f",{bound},", ",30.0,", 1))
    summary, readme = lines_of(copy, "bounds")
    assert summary.startswith("results/bounds/summary.md:")
    assert "says 24.2, the data say 30.0" in readme


@pytest.mark.slow
def test_a_table_that_cannot_be_read_is_one_line(copy: Path) -> None:
    change(copy / "results/bounds/logs.csv", "log,as,jobs", "log,what,jobs")
    summary, *readme = (line for line in lines_of(copy, "bounds") if "traced to no data" not in line)
    assert summary == "results/bounds/summary.md:1: cannot be written from the tables: KeyError: 'as'"
    assert {line.split(",")[0] for line in readme} == {f"{FRONTS}:1: results/bounds/logs.csv has no column as"}


def test_a_new_number_needs_a_claim(copy: Path) -> None:
    change(copy / "README.md", "\n## What it is,", "\nOn CTC this is 12.34 % better.\n\n## What it is,")
    (line,) = lines_of(copy)
    assert re.match(r"README\.md:\d+: 12\.34 is traced to no data: '.*this is 12\.34 % better", line)


def test_words_of_a_claim_that_are_gone_are_named(copy: Path) -> None:
    change(copy / FRONTS, "can be shortened by", "could be shortened by")
    gone, untraced = lines_of(copy)
    assert gone.startswith(f"{FRONTS}:1: no longer has the words of a claim: \"EASY's AWRT can be shortened by")
    assert "8.6 is traced to no data" in untraced


def test_a_row_that_is_missing_from_a_table_is_one_line(copy: Path) -> None:
    change(copy / "results/speed/measured.csv", "growth,16", "growth of something,16")
    (line,) = (line for line in lines_of(copy) if "measured.csv" in line)
    assert "results/speed/measured.csv has 0 rows with {'name': 'growth'}" in line


@pytest.mark.parametrize(
    ("text", "untraced"),
    [
        ("We gain 5 % more", 1),
        ("We gain 5.5% and 1,234 s", 2),
        ("`--seed 5` and\n\n    make 12\n\n```\n99\n```\n", 0),
        ("paper 002, figures 6 to 16, AWRT3, SDSC00, f1, SHA-256, in 2005", 0),
        ("groups 1, 2 and 3 lose 4 %", 1),
        ("10 AWRT1 + 4*AWRT2 <= 1.25 EASY on 1,024 processors", 0),
        ("1. first\n2. second", 0),
        ("Dortmund, 2005, took 2005 s, 2005 % more", 2),
    ],
)
def test_which_numbers_are_no_results(text: str, untraced: int) -> None:
    faults, counts = check.faults_of_document("x.md", text, Results(ROOT))
    assert len(faults) == counts["not traced"] == untraced


def test_what_is_stated_must_still_be_there() -> None:
    stated = [Stated("x.md", "after 60 s", "a setting")]
    faults, counts = check.faults_of_document("x.md", "after\n60 s", Results(ROOT), (), stated)
    assert not faults
    assert counts["stated"] == 1
    (fault,) = check.faults_of_document("x.md", "after a minute", Results(ROOT), (), stated)[0]
    assert "no longer has the words that stated.py lists as a setting" in fault.words


@pytest.mark.parametrize(("value", "says"), [(7.25, "7.2"), (7.0, "7.0")])
def test_a_number_is_compared_as_it_is_printed(value: float, says: str) -> None:
    claims = [Claim("x.md", "gains {:.1f} % in {} cases", lambda _: (value, "two"))]
    assert check.faults_of_document("x.md", f"It gains {says} %\nin two cases.", Results(ROOT), claims, ())[0] == []
    wrong = check.faults_of_document("x.md", "It gains 7.9 % in six cases.", Results(ROOT), claims, ())[0]
    assert [fault.words.split(":")[0] for fault in wrong] == [
        f"says 7.9, the data say {says}",
        "says six, the data say two",
    ]


def test_every_claim_and_every_stated_number_is_of_a_document() -> None:
    assert {claim.document for claim in CLAIMS} | {one.document for one in STATED} <= set(DOCUMENTS)
    pages = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")}
    by_hand = {page for page in pages if not page.startswith(tuple(f"docs/{folder}/" for folder in MADE))}
    assert set(DOCUMENTS) >= {"README.md", "CONTRIBUTING.md"} | by_hand


@pytest.mark.parametrize("experiment", OPENED)
def test_a_summary_opens_with_five_sentences(experiment: str) -> None:
    lines = (ROOT / "results" / experiment / "summary.md").read_text(encoding="utf-8").splitlines()
    heads = [re.match(r"- \*\*(.*):\*\* [A-Z].*[.?]$", line) for line in lines[2:7]]
    expected = ["What was asked", "What came out", "How sure", "Where it fails", "What to do"]
    assert [head and head[1] for head in heads] == expected
    assert lines[0].startswith("# ")
    assert lines[7] == ""


@pytest.mark.slow
def test_modules_of_one_experiment_are_not_taken_for_those_of_another() -> None:
    for name in ("bounds", "ctc1024", "bounds"):
        assert check.faults_of_summary(name, ROOT / "results" / name) == []
