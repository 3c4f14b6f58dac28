"""The documents: every link leads somewhere, and the pictures of the results stay small."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from paretosched import __version__
from paretosched.policies.published_orders import PUBLISHED

ROOT = Path(__file__).parents[2]
PICTURES = (".png", ".svg", ".jpg", ".gif")
MOST_PICTURES = 6_000_000  # bytes
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@cache
def files() -> frozenset[Path]:
    """What git keeps, or would: not what is ignored, such as figures that `analysis.py` has drawn."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    process = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        pytest.skip(f"NO GIT: {process.stderr.strip() or 'git ls-files failed'}")
    return frozenset(path for name in process.stdout.split("\0") if name and (path := ROOT / name).exists())


def links(path: Path) -> list[str]:
    """The links of a document to other files of the repository."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in LINK.findall(text)]
    return [target for target in targets if target and not re.match(r"[a-z]+:", target)]


def test_every_link_leads_to_a_file_that_git_keeps() -> None:
    dead_links = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in sorted(files())
        if path.suffix == ".md"
        for target in links(path)
        if (file := (path.parent / target).resolve()) not in files() and not any(file in f.parents for f in files())
    ]
    assert dead_links == []


def test_pictures_of_results_are_few_small_and_shown() -> None:
    pictures = {path for path in files() if path.suffix in PICTURES and (ROOT / "results") in path.parents}
    assert sum(path.stat().st_size for path in pictures) <= MOST_PICTURES
    in_texts = {(path.parent / target).resolve() for path in files() if path.suffix == ".md" for target in links(path)}
    assert sorted(pictures - in_texts) == []


def test_no_document_or_source_looks_outside_of_the_repository() -> None:
    outside = re.compile(r"\.\./shared|[\"']shared[\"'] */")
    here = Path(__file__).relative_to(ROOT)
    sources = [path for path in files() if path.suffix in (".py", ".md", ".toml", ".js") and path != ROOT / here]
    assert len(sources) > 100
    offenders = [str(path.relative_to(ROOT)) for path in sources if outside.search(path.read_text(encoding="utf-8"))]
    assert offenders == []


def test_no_file_has_the_marks_of_a_conflict() -> None:
    marks = ("<" * 7 + " ", ">" * 7 + " ")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    texts = [ROOT / name for name in names.split("\0") if Path(name).suffix in (".md", ".py", ".toml", ".cff", ".js")]
    assert len(texts) > 300
    for path in texts:
        assert not [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(marks)], path


def test_what_is_cited_is_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (version,), (date,) = (re.findall(rf"^{key}: (.*)$", text, re.MULTILINE) for key in ("version", "date-released"))
    assert version == __version__
    assert f"\n## [{version}] - {date}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_each_published_order_has_a_source_to_cite() -> None:
    text = (ROOT / "docs/reference/policies.md").read_text(encoding="utf-8")
    table = text.partition("### Whom to cite")[2].partition("##")[0]
    names = {order.title for word, order in PUBLISHED.items() if word not in ("fcfs", "sjf", "priority")}
    cited = re.sub("F1 to F4", "F1, F2, F3, F4", table)
    assert sorted(name for name in names if not re.search(rf"\b{name}\b", cited)) == []
    assert "| EASY |" in table


def test_the_door_of_those_who_decide_leads_to_an_answer() -> None:
    door = (ROOT / "README.md").read_text(encoding="utf-8").partition("**I decide:**")[2].partition("\n- **")[0]
    for page in ("report", "groups", "limits"):
        assert f"(docs/howto/{page}.md)" in door
    steps = (ROOT / "docs/howto/report.md").read_text(encoding="utf-8").partition("## Should a group come first?")[2]
    assert "paretosched compare " in steps.partition("\n## ")[0]
