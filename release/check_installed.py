"""Install the wheel into a clean environment, and use it from another folder: `python release/check_installed.py dist`.

The environment has the locked dependencies and the wheel, and nothing of the sources: the demonstration and the tests
run in a folder that has copies of the tests only: the fast ones of some folders, for a wheel that lacks a file fails in
any of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Folders of tests that need the package alone.
TESTS = ("core", "workload", "policies", "wishes", "fronts")
DEMONSTRATION = (
    "--version",
    "generate lublin --jobs 3000 --processors 128 --seed 71 -o w.swf.gz",
    "info w.swf.gz",
    "simulate w.swf.gz --policy easy",
    "explore w.swf.gz -o run --evaluations 400",
    "front run",
    "compare w.swf.gz --front run --policy fcfs -o report.html",
)


def main() -> int:
    """Return 0 if all of it works."""
    wheels = sorted(Path(sys.argv[1]).resolve().glob("*.whl"))
    if len(wheels) != 1:
        print(f"{sys.argv[1]} must have one wheel, but has {len(wheels)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="installed-") as name:
        place = Path(name)
        python = install(wheels[0], place / "env")
        work = place / "elsewhere"
        work.mkdir()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        for line in DEMONSTRATION:
            print(f"$ paretosched {line}", flush=True)
            run([python.parent / "paretosched", *line.split()], work, environment, quiet=True)
        where = "import paretosched; print(paretosched.__file__)"
        found = subprocess.run(
            [python, "-c", where], cwd=work, env=environment, check=True, capture_output=True, text=True
        )
        if (place / "env") not in Path(found.stdout.strip()).parents:
            print(f"the tests would not be of the wheel, but of {found.stdout.strip()}", file=sys.stderr)
            return 1
        shutil.copytree(ROOT / "tests", work / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", work)
        folders = [f"tests/{folder}" for folder in TESTS]
        run([python, "-m", "pytest", "-q", "-m", "not slow and not traces", *folders], work, environment)
    print(f"{wheels[0].name}: installed, used and tested from another folder")
    return 0


def install(wheel: Path, environment: Path) -> Path:
    """Return the Python of a new environment with the wheel, what it needs, and what its tests need."""
    run([sys.executable, "-m", "venv", environment], ROOT)
    python = environment / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-compile"]
    run([*pip, "--only-binary", ":all:", "--require-hashes", "-r", ROOT / "requirements-dev.txt"], ROOT)
    run([*pip, wheel], ROOT)
    return python


def run(words: list[object], folder: Path, environment: dict[str, str] | None = None, quiet: bool = False) -> None:
    """Run a command, which must succeed; `quiet` hides what it prints unless it fails."""
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environment, check=False, text=True, capture_output=quiet
    )
    if done.returncode != 0:
        print((done.stdout or "") + (done.stderr or ""), file=sys.stderr)
        raise SystemExit(f"{' '.join(map(str, words))} ended with status {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
