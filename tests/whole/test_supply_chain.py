"""What is installed is locked: every wheel has its hash, and what comes with it can be listed."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\]+))?")


def hashes_of(file: str) -> dict[tuple[str, str], list[str]]:
    """Return the hashes of every pinned package of a file, by name and by version with its marker."""
    pins: dict[tuple[str, str], list[str]] = {}
    hashes: list[str] = []
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        if match := PIN.match(line):
            hashes = pins[match["name"], f"{match['version']} {match['marker'] or ''}".strip()] = []
        else:
            hash_line = re.fullmatch(r"    --hash=(sha256:[0-9a-f]{64})( \\)?", line)
            assert hash_line, line
            hashes.append(hash_line[1])
    return pins


def names(requirements: list[str]) -> set[str]:
    """Return the names that requirements ask for, as the lock files spell them."""
    words = (re.match(r"[A-Za-z0-9._-]+", requirement) for requirement in requirements)
    return {re.sub(r"[._]", "-", word[0]).lower() for word in words if word}


def make(target: str, *variables: str) -> str:
    """Run a target of the Makefile with this Python's programs, and return what it prints."""
    here = ("--old-file=.venv/.tested", f"BIN={Path(sys.executable).parent}")
    command = ["make", "--no-print-directory", target, *here, *variables]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=100).stdout


def test_every_dependency_is_pinned_with_hashes_and_nothing_else_is_in_the_files() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    product, everything = hashes_of("requirements.txt"), hashes_of("requirements-dev.txt")
    assert all(product.values())
    assert all(everything.values())
    wanted = [*project["dependencies"], *extras["parquet"], *extras["explore"], *extras["app"]]
    assert names(wanted) - {"paretosched"} <= {name for name, _ in product}
    assert names(extras["dev"]) <= {name for name, _ in everything}
    # make test installs over what make demo installed: the same versions, with the same hashes
    assert product.items() <= everything.items()


def test_the_build_of_the_package_is_locked_too() -> None:
    # make installs without build isolation, because an isolated build would fetch a setuptools that nobody checks
    assert "setuptools" in {name for name, _ in hashes_of("requirements.txt")}


@pytest.mark.slow
def test_pymoos_charts_are_not_installed_and_nothing_needs_them() -> None:
    tail = {"matplotlib", "pillow", "fonttools", "contourpy", "kiwisolver"}
    assert not tail & {name for name, _ in hashes_of("requirements.txt")}
    code = (
        "import sys; sys.modules.update(matplotlib=None, PIL=None, fontTools=None)\n"
        "import paretosched.search.algorithms.pymoo_algorithms, paretosched.search.algorithms.pymoo_problem\n"
        "import paretosched.search.algorithms.chromosomes, paretosched.app.server\n"
        "import numpy\n"
        "from paretosched.training.evolution_strategy import covariance_adaptation\n"
        "next(covariance_adaptation(numpy.zeros(2), numpy.ones(2), 1))"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True, timeout=100)


@pytest.mark.slow
def test_the_licences_are_printed_with_the_one_that_asks_for_more() -> None:
    table = make("licences")
    assert re.search(r"moocore\s+\S+\s+.*(LGPL|Lesser)", table)
    packages = {name for name, _ in hashes_of("requirements.txt")}
    assert len(table.splitlines()) > 0.9 * len(packages)  # some are for other systems and Pythons
    assert "UNKNOWN" not in table


@pytest.mark.slow
def test_the_bill_of_materials_has_every_locked_package_with_its_hashes(tmp_path: Path) -> None:
    make("sbom", f"DIST={tmp_path}")
    bill = json.loads(next(tmp_path.glob("paretosched-*.cdx.json")).read_text(encoding="utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "paretosched"
    components = {re.sub(r"[._]", "-", c["name"]).lower(): c for c in bill["components"]}
    assert set(components) == {name for name, _ in hashes_of("requirements.txt")}
    hashes = [
        h for c in components.values() for reference in c["externalReferences"] for h in reference.get("hashes", ())
    ]
    assert {h["alg"] for h in hashes} == {"SHA-256"}
    assert len(hashes) > len(components)
