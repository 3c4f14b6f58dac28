"""What a release is made of: the version stands in one place, and the recipes ask for what the package asks for."""

import re
import shutil
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import paretosched as ps
from support.experiments import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = (ROOT / "release" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
CONTAINER = (ROOT / "release" / "Containerfile").read_text(encoding="utf-8")
CONDA = {
    "dask-core": "dask",
    "python-tzdata": "tzdata",
    "msgspec-python": "msgspec",
    "python-kaleido": "kaleido",
}  # other names there


def test_the_version_comes_from_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "paretosched.core.version.__version__"}
    assert version("paretosched") == ps.__version__
    found = re.search(r'^  version: "(.*)"$', RECIPE, re.MULTILINE)  # a recipe cannot import it
    assert found is not None
    assert found[1] == ps.__version__


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    lines = RECIPE.partition("  run:\n")[2].partition("\n\n")[0].splitlines()
    asked = dict(line.removeprefix("    - ").split(" ", 1) for line in lines)
    assert asked.pop("python") == ">=${{ python_min }}"
    assert f'python_min: "{PROJECT["project"]["requires-python"].removeprefix(">=")}"' in RECIPE
    extras = PROJECT["project"]["optional-dependencies"]  # conda has none: its package has them all
    lines = [*PROJECT["project"]["dependencies"], *extras["parquet"], *extras["explore"], *extras["app"]]
    needed = dict(re.fullmatch(r"([\w-]+)(.*)", line).groups() for line in lines if "[" not in line)  # type: ignore[union-attr]
    assert {CONDA.get(name, name): bounds for name, bounds in asked.items()} == needed


def test_the_container_is_slim_and_for_an_ordinary_user() -> None:
    stages = [line.split()[1] for line in CONTAINER.splitlines() if line.startswith("FROM ")]
    assert all(stage.endswith("-slim") for stage in stages)
    user = re.findall(r"^USER (\S+)$", CONTAINER, re.MULTILINE)
    assert user == ["1000"]
    assert "--require-hashes" in CONTAINER
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", CONTAINER, re.MULTILINE)
    assert [name for words in copied for name in words.split() if not (ROOT / name).exists()] == []


def test_the_changelog_has_dates() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert [h for h in headings[1:] if not re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", h)] == []


def test_clean_leaves_what_took_hours_alone(tmp_path: Path) -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    kept = re.compile(r"#|!|results/|experiments/|__pycache__|\*\.(swf|nb)")  # of hours, or a part of what else goes
    made = [name.replace("*", "x") for name in ignored if not kept.match(name)]
    made += [f"{folder}/__pycache__/" for folder in ("paretosched/core", "tests/whole", "docs/_site", "release")]
    work = tmp_path / "experiments" / "gfs" / "work"
    work.mkdir(parents=True)
    for name in made:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).mkdir(exist_ok=True) if name.endswith("/") else (tmp_path / name).touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    subprocess.run(["make", "-C", tmp_path, "clean"], check=True, capture_output=True)
    assert [name for name in made if (tmp_path / name).exists()] == []
    assert work.exists()
