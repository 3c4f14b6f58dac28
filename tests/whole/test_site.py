"""The site: what the code says of itself is complete, words are explained and spelt, and links are checked.

`make docs` builds it, and runs its commands and notebooks; these tests need none of what that needs.
"""

import argparse
import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import paretosched as ps
from experiments.claims import PAGES
from paretosched.cli.command_line import COMMANDS, all_commands
from paretosched.policies.policy import POLICY_NAMES
from paretosched.policies.strategy_choice import STRATEGIES
from support.experiments import ROOT

DOCS = ROOT / "docs"
# What a stranger stumbles over, and must find in the glossary.
EXPLAINED = (
    "row, situation, CONS, List, f1, f2, f3, f4, ideal point, of the way, front, policy, wish, AWRT, S, EASY, FCFS, "
    "backfilling, reservation, response time, group, run, bound, wait, wait in all, owner's box"
)
AMERICAN = re.compile(
    r"\b(?:colors?|behaviors?|neighbors?|optimiz\w+|utiliz\w+|minimiz\w+|analyz\w+|licens(?:ed|ing) )\b"
)
TERM = re.compile(r"\{term\}`([^`<]+?)(?: ?<([^>]+)>)?`")


def site_module(name: str) -> ModuleType:
    """Return a module of `docs/_site` that needs no Sphinx."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", DOCS / "_site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def prose_of(page: str) -> str:
    """Return the text of a document without code."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.sub(r"```.*?```|`[^`\n]+`|^ {4,}.*$|\]\([^)]*\)", " ", text, flags=re.DOTALL | re.MULTILINE)


def glossary() -> set[str]:
    """Return the words that the glossary explains."""
    lines = (DOCS / "glossary.md").read_text(encoding="utf-8").partition(":::{glossary}")[2].splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith((" ", ":"))}


def test_the_words_of_a_stranger_are_in_the_glossary() -> None:
    assert set(EXPLAINED.split(", ")) <= glossary()


def test_every_word_that_is_linked_to_the_glossary_is_there() -> None:
    words = {(page, m[2] or m[1]) for page in PAGES for m in TERM.finditer((ROOT / page).read_text(encoding="utf-8"))}
    assert len(words) > 15
    known = {word.lower() for word in glossary()}
    assert [(page, word) for page, word in sorted(words) if word.lower() not in known] == []


def test_every_command_and_option_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    site_module("command_pages").write_pages(tmp_path)
    parser = all_commands()
    for name in COMMANDS:
        page = (tmp_path / "reference" / "commands" / f"{name}.md").read_text(encoding="utf-8")
        parsers = [parser.commands[name]]
        for action in parser.commands[name]._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
        options = {option for one in parsers for action in one._actions for option in action.option_strings}
        assert {"-h", "--help"} <= options
        assert [option for option in sorted(options) if f"`{option}" not in page] == []


def test_every_public_name_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    api = site_module("api")
    api.write_pages(tmp_path)
    pages = {path.stem for path in (tmp_path / "reference" / "api").glob("*.md")}
    folders = {name: getattr(ps, name).__all__ for name in api.MODULES}
    names = {f"paretosched-{name}" for name in ps.__all__ if name not in folders}
    names |= {f"paretosched-{folder}-{name}" for folder, public in folders.items() for name in public}
    assert names | {"index"} == pages


def test_every_policy_with_a_name_is_explained(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    site_module("policy_pages").write_pages(tmp_path)
    place = tmp_path / "reference" / "policies"
    text = "".join((place / name).read_text(encoding="utf-8") for name in ("plain.txt", "orders.txt"))
    assert [name for name in POLICY_NAMES if f"`{name}`" not in text and f"### {name}\n" not in text] == []
    table = (place / "compositions.txt").read_text(encoding="utf-8")
    assert [line for line in table.splitlines() if "| no" in line] == ["| `scojo` | no | no | no | no |"]
    assert len((place / "strategies.txt").read_text(encoding="utf-8").splitlines()) == len(STRATEGIES)


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 110
    assert [line for line in lines if len(line) > 120 and not line.startswith("| ")] == []  # a row cannot be broken


def test_the_record_of_the_walk_is_that_of_the_page() -> None:
    text = (DOCS / "tutorial" / "slurm.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\{slurm-commands\}\n(.*?)```", text, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
    record = json.loads((DOCS / "tutorial" / "slurm-walk.json").read_text(encoding="utf-8"))
    assert [row["asked"] for row in record] == commands
    assert len(commands) > 8


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">1</a><a href="b.html#there">2</a><a href="c.html">3</a>'
        '<a href="https://example.org">4</a><script src="https://example.org/x.js"></script>',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<p id="here"></p>', encoding="utf-8")
    assert list(site_module("check_links").dead_links(tmp_path)) == [
        "a.html: b.html#there: there is no such place",
        "a.html: c.html: there is no such file",
        "a.html: needs a network: https://example.org/x.js",
    ]


@pytest.mark.slow
def test_the_spelling() -> None:
    files = [str(ROOT / page) for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", *PAGES)]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "codespell_lib",
            "--toml",
            str(ROOT / "pyproject.toml"),
            *files,
            str(ROOT / "paretosched"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_british_spelling(page: str) -> None:
    assert AMERICAN.findall(prose_of(page)) == []


def test_the_gallery_has_ten_small_pictures_each_with_a_sentence_and_its_command() -> None:
    place = DOCS / "gallery"
    text = (place / "index.md").read_text(encoding="utf-8")
    parts = text.split("\n## ")[1:]
    shown = [re.findall(r"!\[[^\]]+\]\((\S+)\)", part) for part in parts]
    assert [len(names) for names in shown] == [1] * 10
    pictures = {path.name for path in place.iterdir()} - {"index.md"}
    assert {name for names in shown for name in names} == pictures
    assert sum((place / name).stat().st_size for name in pictures) < 1_000_000
    for part, (name,) in zip(parts, shown, strict=True):
        assert part.split("\n\n")[1].count(". ") <= 1
        assert f"`figures/{Path(name).stem}.svg`" in part or f"-o {Path(name).stem}.svg" in part
    lines = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("\\\n", "").splitlines()
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "paretosched"
        assert all_commands(words[0]).parse_args(words).command == words[0]
