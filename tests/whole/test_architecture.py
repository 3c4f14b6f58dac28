"""Who imports whom, and what is not imported until it is needed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import paretosched
from paretosched.kernels import drop_stale

ROOT = Path(__file__).parents[2]


def python(*arguments: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_import_contracts_are_kept() -> None:
    said = python("-c", "from importlinter.cli import lint_imports_command as run; run(['--no-cache'])")
    assert "Contracts: " in said
    assert " 0 broken" in said


def test_importing_the_package_imports_nothing_expensive() -> None:
    expensive = "numpy numba pymoo pandas pyarrow plotly dask distributed moocore scipy rich cma dash flask"
    said = python("-c", f"import sys, paretosched; print([m for m in {expensive.split()} if m in sys.modules])")
    assert said == "[]\n"


def test_public_names_are_not_hidden_by_modules_of_the_same_name() -> None:
    said = python(
        "-c",
        "import importlib, pkgutil, types, paretosched as ps\n"
        "for module in pkgutil.walk_packages(ps.__path__, 'paretosched.'):\n"
        "    importlib.import_module(module.name)\n"
        "print([n for n in ps.__all__ if isinstance(getattr(ps, n), types.ModuleType)])\n"
        "from paretosched.simulation.simulator import simulate\n"
        "print(ps.simulate is simulate)\n",
    )
    assert said == "[]\nTrue\n"


def test_all_public_names_exist_and_are_listed() -> None:
    said = python(
        "-c", "import paretosched as ps; print(all(hasattr(ps, n) for n in ps.__all__) and {*ps.__all__} <= {*dir(ps)})"
    )
    assert said == "True\n"
    said = python("-c", "import paretosched as ps; print(hasattr(ps, 'nonsense'))")
    assert said == "False\n"


def test_what_type_checkers_see_is_what_is_loaded() -> None:
    tree = ast.parse(Path(paretosched.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    seen = {
        alias.asname or alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert seen == paretosched._HOME


def test_compiled_code_older_than_any_kernel_is_dropped(tmp_path: Path) -> None:
    compiled = tmp_path / "__pycache__"
    compiled.mkdir()
    for name, age in (("old.nbi", 100), ("new.nbi", 0)):
        (compiled / name).touch()
        os.utime(compiled / name, (1_000_000 - age, 1_000_000 - age))
    for name, age in (("a.py", 200), ("b.py", 50)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    drop_stale(tmp_path)
    assert [path.name for path in compiled.iterdir()] == ["new.nbi"]
