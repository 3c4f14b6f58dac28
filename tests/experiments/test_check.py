"""The check of documents against results: it passes here, and each change of a number is one clear line."""

import re
import shutil
from pathlib import Path

import pytest

from experiments import check, shown
from experiments.claims import DOCUMENTS, FRONTS, MADE, README, TUTORIAL, Claim
from experiments.quoted import Results
from experiments.stated import STATED, Stated
from support.experiments import ROOT

NO_LINE_OF_DEMO = r"results/printed/make-demo\.txt has no such line"
NO_LINE_OF_WALK = r"docs/tutorial/slurm-walk\.json has no such line"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The documents and the results, to be changed."""
    for document in DOCUMENTS:
        (tmp_path / document).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / document, tmp_path / document)
    for record in (record for records in shown.RECORDS.values() for record in records.values()):
        (tmp_path / record).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / record, tmp_path / record)
    shutil.copytree(
        ROOT / "results",
        tmp_path / "results",
        ignore=shutil.ignore_patterns("figures", "policies*", "app"),
        dirs_exist_ok=True,
    )
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def lines_of(root: Path, only: str = "no summary") -> list[str]:
    return [str(fault) for fault in check.faults_of_all(root, [only])[0]]


def lines_after(document: str, old: str, new: str) -> list[str]:
    """Return the faults of a document in which some words are others."""
    text = (ROOT / document).read_text(encoding="utf-8")
    assert old in text
    return [str(fault) for fault in check.faults_of_document(document, text.replace(old, new, 1), Results(ROOT))[0]]


@pytest.mark.slow
def test_documents_and_summaries_are_what_the_data_say(capsys: pytest.CaptureFixture[str]) -> None:
    faults, counts = check.faults_of_all(ROOT)
    assert faults == []
    assert counts["traced"] > 150
    assert counts["not traced"] == 0
    assert counts["summaries"] == len(list(ROOT.glob("results/*/summary.md")))


def test_a_number_that_is_changed_in_a_document_is_one_line() -> None:
    (line,) = lines_after(FRONTS, "24.2 % below EASY at most", "24.3 % below EASY at most")
    number = (ROOT / FRONTS).read_text(encoding="utf-8").split("24.2 % below")[0].count("\n") + 1
    assert line.startswith(f"{FRONTS}:{number}: says 24.3, the data say 24.2: 'can be 24.3 % below EASY at most")


@pytest.mark.slow
def test_every_line_that_differs_is_one_line(copy: Path) -> None:
    summary = copy / "results/bounds/summary.md"
    change(summary, "1,945 are proved impossible", "1,946 are proved impossible")
    lines = summary.read_text(encoding="utf-8").splitlines()
    heads = [place for place, line in enumerate(lines) if line.startswith("## ")]
    gone, lines[heads[1]] = lines[heads[1]], "## Another heading"
    summary.write_text("\n".join([*lines[: heads[0]], "One more.", *lines[heads[0] : -1]]) + "\n", encoding="utf-8")
    more, changed, heading, less = lines_of(copy, "bounds")
    assert re.match(r"results/bounds/summary\.md:\d+: says '.*1,946 are .*', the tables say '.*1,945 are ", changed)
    assert more.endswith("has a line that the tables do not have: 'One more.'")
    assert more.startswith(f"results/bounds/summary.md:{heads[0] + 1}: ")
    assert f"says '## Another heading', the tables say '{' '.join(gone.split()[:8])}'" in heading
    assert heading.startswith(f"results/bounds/summary.md:{heads[1] + 2}: ")
    assert "lacks a line that the tables have: " in less


def test_a_sentence_that_is_too_long_is_one_line(tmp_path: Path) -> None:
    words = " ".join(["word"] * 60)
    text = "# Bounds\n\n- **What was asked:** Why? 12 % - or so.\n- **How sure:** {}\n- **What to do:** {}\n"
    (tmp_path / "summary.md").write_text(text.format(words, f"One {words}"), encoding="utf-8")
    assert list(map(str, check.faults_of_opening("bounds", tmp_path))) == [
        "results/bounds/summary.md:5: 'What to do' has 61 words, and may have 60"
    ]


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


def test_a_new_number_needs_a_claim() -> None:
    (line,) = lines_after(README, "\n## What it is not", "\nOn CTC this is 12.34 % better.\n\n## What it is not")
    assert re.match(r"README\.md:\d+: 12\.34 is traced to no data: ['\"].*this is 12\.34 % better", line)


def test_words_of_a_claim_that_are_gone_are_named() -> None:
    gone, untraced = lines_after(FRONTS, "can be shortened by", "could be shortened by")
    assert gone.startswith(f"{FRONTS}:1: no longer has the words of a claim: \"EASY's AWRT can be shortened by")
    assert "8.6 is traced to no data" in untraced


def test_a_row_that_is_missing_from_a_table_is_one_line(copy: Path) -> None:
    change(copy / "results/speed/measured.csv", "growth,16", "growth of something,16")
    (line,) = (line for line in lines_of(copy) if "measured.csv" in line)
    assert "results/speed/measured.csv has 0 rows with {'name': 'growth'}" in line


@pytest.mark.parametrize(
    ("document", "old", "new", "says"),
    [
        (README, "5.13      0.41   25.01", "5.13      0.41   25.02", rf"{NO_LINE_OF_DEMO}.*25\.02"),
        (
            README,
            "3,753 of them are not",
            "3,754 of them are not",
            rf"{NO_LINE_OF_DEMO}.*3,754",
        ),
        (
            TUTORIAL,
            "24 jobs of 3 users",
            "25 jobs of 3 users",
            rf"{NO_LINE_OF_WALK}.*25 jobs",
        ),
        (
            TUTORIAL,
            "21,505.9       +2.8",
            "21,505.9       +2.9",
            rf"{NO_LINE_OF_WALK}.*2\.9",
        ),
        (
            TUTORIAL,
            "$ paretosched explore log",
            "$ paretosched explore logs",
            rf"{NO_LINE_OF_WALK}.*explore logs",
        ),
        (TUTORIAL, "gained 2.8 %", "gained 2.6 %", r"says 2\.6, the data say 2\.8"),
        (TUTORIAL, "22.05 with eight processors", "22.05 with nine processors", "says nine, the data say eight"),
        (
            README,
            "3.6 h, not",
            "3.7 h, not",
            "says 3.7, the data say 3.6",
        ),
        (README, "25 minutes", "26 minutes", "says 26, the data say 25"),
        (README, "in one window of", "in two window of", "says two, the data say one"),
    ],
)
def test_a_digit_that_is_changed_in_what_is_shown_is_one_line(document: str, old: str, new: str, says: str) -> None:
    (line,) = lines_after(document, old, new)
    assert re.match(rf"{re.escape(document)}:\d+: {says}", line)
    assert old.split()[0] in (ROOT / document).read_text(encoding="utf-8").splitlines()[int(line.split(":")[1]) - 1]


def test_every_digit_of_the_readme_is_guarded() -> None:
    text = (ROOT / README).read_text(encoding="utf-8")
    guarded = ("traced", "recorded", "stated")
    _, counts = check.faults_of_document(README, text, Results(ROOT))
    assert sum(counts[rule] for rule in guarded) > 40
    for match in list(re.finditer(r"(?m)^ {4}(?!\$|git|make|paretosched|    --).*?(\d)", text))[::3]:
        digit = match.start(1)
        changed = text[:digit] + str((int(match[1]) + 5) % 10) + text[digit + 1 :]
        faults, _ = check.faults_of_document(README, changed, Results(ROOT))
        assert len(faults) == 1, (match[0], faults)


@pytest.mark.parametrize(
    ("added", "words"),
    [
        (
            "\nThat is so in three of five cases, by a third of it in one of six.\n",
            ["three", "five", "third", "one", "six"],
        ),
        ("\nTwice as good on half of them.\n", ["Twice", "half"]),
        ("\nIt gains `12 %`.\n", ["12"]),
        ("\n```\n| KTH | 7.5 |\n```\n", ["7.5"]),
        ("\n| log | gain |\n| --- | ---: |\n| KTH | 7.5 % |\n", ["7.5"]),
        ("\n    KTH gains 7.5 %\n", ["7.5"]),
        ("\n    paretosched info log.swf.gz --seed 5    # 7 s\n", ["7"]),
        ("\n    paretosched info log.swf.gz --seed 5\n", []),
    ],
)
def test_a_new_number_of_the_readme_needs_a_claim_in_code_and_in_words_too(added: str, words: list[str]) -> None:
    lines = lines_after(README, "\n## What it is not", f"{added}\n## What it is not")
    found = [re.match(r"README\.md:\d+: (\S+) is traced to no data", line) for line in lines]
    assert [match and match[1] for match in found] == words


def test_lines_of_a_record_are_shown_in_its_order() -> None:
    record = ["$ info log", "a 1", "b 2", "c 3 and more"]
    assert [shown.place_in(record, line) for line in ("b 2", "  a 1", "c ... more", "c 3", "$ info log")] == [
        2, 1, 3, None, 0,
    ]  # fmt: skip
    text = "# x\n\n## Try it\n\n    {}\n    ...\n    {}\n"
    demo = ["no group above EASY             47.3   54.0   66.4   39.9   52.6", "EASY            65.93 ..."]
    assert shown.check_shown(README, text.format(*demo), ROOT)[0] == []
    (wrong,) = shown.check_shown(README, text.format(*demo[::-1]), ROOT)[0]
    assert "or not in this order: 'no group above EASY" in wrong.words


def test_the_times_of_a_record_may_differ() -> None:
    record = ["5 schedules (5 now, in 51.7 s, 6.3 ms CPU a simulation); 3 are", "AWRT 7"]
    output = ["compiling", "5 schedules (5 now, in 1,051 s, 1.0 ms CPU a simulation); 3 are  ", "AWRT 7"]
    assert shown.missing_lines(record, output) == []
    assert shown.missing_lines(record, [*output[:2], "AWRT 8"]) == ["AWRT 7"]


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
    assert {claim.document for claim in check.ALL_CLAIMS} | {one.document for one in STATED} <= set(DOCUMENTS)
    pages = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")}
    by_hand = {page for page in pages if not page.startswith(tuple(f"docs/{folder}/" for folder in MADE))}
    assert set(DOCUMENTS) >= {"README.md", "CONTRIBUTING.md"} | by_hand


def test_a_summary_opens_with_five_sentences() -> None:
    for summary in ROOT.glob("results/*/summary.md"):
        lines = summary.read_text(encoding="utf-8").splitlines()
        heads = [re.match(r"- \*\*(.*):\*\* [A-Z].*[.?]$", line) for line in lines[2:7]]
        expected = ["What was asked", "What came out", "How sure", "Where it fails", "What to do"]
        assert [head and head[1] for head in heads] == expected, summary
        assert lines[0].startswith("# ")
        assert lines[7] == ""


def test_words_that_stay_and_the_tables_that_they_were_written_from_are_held_together(tmp_path: Path) -> None:
    """The scripts of results/search are gone: what it says, and the tables, are as they were."""
    place = tmp_path / "search"
    shutil.copytree(ROOT / "results/search", place)
    assert check.faults_of_kept("search", place) == []
    change(place / "summary.md", "What to do", "What not to do")
    change(place / "bound.csv", "CTC", "KTH")
    (place / "lags.csv").rename(place / "more.csv")
    assert list(map(str, check.faults_of_kept("search", place))) == [
        "results/search/kept.sha256:1: does not list more.csv",
        "results/search/kept.sha256:1: lists another summary.md: words and tables of these results stay",
        "results/search/kept.sha256:2: lists another bound.csv: words and tables of these results stay",
        "results/search/kept.sha256:5: lists lags.csv, which is gone",
    ]


def test_no_search_is_better_than_what_is_proved_to_be_possible() -> None:
    results = Results(ROOT)
    most = {row["log"]: float(row["at most %"]) for row in results.rows("search/bound")}
    rows = [*results.rows("search/courses"), *results.rows("search/long")]
    assert {row["log"] for row in rows} == most.keys()
    assert all(float(row["wish gain %"]) <= most[row["log"]] for row in rows)
