"""Which module imports which, and what is not imported until it is needed."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import paretosched
from paretosched.kernels import drop_stale

ROOT = Path(__file__).parents[2]


def python(*arguments: str) -> str:
    """What a fresh interpreter prints."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_the_import_contracts_are_kept() -> None:
    output = python("-c", "from importlinter.cli import lint_imports_command as run; run(['--no-cache'])")
    assert "Contracts: " in output
    assert " 0 broken" in output


def test_importing_the_package_imports_nothing_expensive() -> None:
    expensive = "numpy numba pymoo pandas pyarrow plotly dask distributed moocore scipy rich cma dash flask"
    output = python("-c", f"import sys, paretosched; print([m for m in {expensive.split()} if m in sys.modules])")
    assert output == "[]\n"


@pytest.mark.slow
def test_no_module_has_the_name_of_a_public_function() -> None:
    output = python(
        "-c",
        "import importlib, pkgutil, types, paretosched as ps, paretosched.assignment, paretosched.report\n"
        "names = [module.name for module in pkgutil.walk_packages(ps.__path__, 'paretosched.')]\n"
        "for name in names:\n"
        "    importlib.import_module(name)\n"
        "faces = (ps, ps.assignment, ps.report)\n"
        "others = type | types.ModuleType\n"
        "public = {name for face in faces for name in face.__all__ if not isinstance(getattr(face, name), others)}\n"
        "print(sorted(public & {name.rpartition('.')[2] for name in names}))\n"
        "print([name for name in ps.__all__ if isinstance(getattr(ps, name), types.ModuleType)], type(ps).__name__)\n",
    )
    assert output == "[]\n['assignment', 'report'] module\n"


@pytest.mark.slow
def test_all_public_names_exist_and_are_listed() -> None:
    output = python(
        "-c", "import paretosched as ps; print(all(hasattr(ps, n) for n in ps.__all__) and {*ps.__all__} <= {*dir(ps)})"
    )
    assert output == "True\n"
    output = python("-c", "import paretosched as ps; print(hasattr(ps, 'nonsense'))")
    assert output == "False\n"


def test_what_type_checkers_see_is_what_is_loaded() -> None:
    tree = ast.parse(Path(paretosched.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    modules = {
        alias.asname or alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
    }
    assert modules == paretosched._HOME


def test_compiled_code_older_than_any_kernel_is_dropped(tmp_path: Path) -> None:
    kernels_cache = tmp_path / "__pycache__"
    kernels_cache.mkdir()
    for name, age in (("old.nbi", 100), ("new.nbi", 0)):
        (kernels_cache / name).touch()
        os.utime(kernels_cache / name, (1_000_000 - age, 1_000_000 - age))
    for name, age in (("a.py", 200), ("b.py", 50)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    drop_stale(tmp_path)
    assert [path.name for path in kernels_cache.iterdir()] == ["new.nbi"]


# --- the house stays as it is -----------------------------------------------------------------------------------------

SOURCES = [
    path
    for folder in ("paretosched", "experiments", "tests")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".js", ".css"}
]
MODULES = [path for path in SOURCES if path.suffix == ".py"]


@cache
def functions() -> list[tuple[str, str, int]]:
    """Return the place, the name and the number of lines of every function."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", node.name, (node.end_lineno or 0) - node.lineno + 1)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@pytest.mark.slow
def test_no_function_has_more_than_120_lines() -> None:
    assert len(functions()) > 2000
    assert [(place, name, lines) for place, name, lines in functions() if lines > 120] == []


@pytest.mark.slow
def test_no_private_name_is_imported_from_another_module() -> None:
    """What another module needs has a public name."""
    private = [
        f"{path.relative_to(ROOT)}:{node.lineno} {alias.name}"
        for path in MODULES
        if path.is_relative_to(ROOT / "paretosched")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert private == []


PARTICIPLE = (
    "_*([a-z]*[^e_]ed|begun|born|bought|broken|brought|built|caught|chosen|done|drawn|eaten|felt|forgotten|found|"
    "frozen|given|gone|grown|held|hidden|kept|known|laid|learnt|led|left|lost|made|meant|met|paid|said|seen|sent|shaken|shown|sold|"
    "spent|spoken|stolen|sworn|taken|taught|thought|thrown|told|torn|unknown|won|worn|written)_*"
)
# They are booleans that read as a state of one value: bag.known, verdict.broken.
STATES = {"paretosched/assignment/bag_and_nodes.py known", "tests/attack/tally.py broken"}


@pytest.mark.slow
def test_no_function_is_named_by_a_past_participle_alone() -> None:
    """A function has a verb, or the name of what it returns: `found` does not say what was found."""
    names = {f"{place.partition(':')[0]} {name}" for place, name, _ in functions() if re.fullmatch(PARTICIPLE, name)}
    assert names == STATES


def test_every_test_file_has_the_name_of_what_it_tests() -> None:
    """tests/<folder>/test_<module>.py tests a module or a folder of the package, test_<module>_browser.py in a browser.

    Three folders are not of the package: experiments, the whole (what concerns all folders) and benchmarks.
    """
    files = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    subjects = {
        path: ROOT / "paretosched" / path.with_name(path.stem.removeprefix("test_").removesuffix("_browser"))
        for path in files
        if path.parts[0] not in {"experiments", "whole"}
    }
    assert len(subjects) > 90
    assert [str(path) for path, of in subjects.items() if not of.is_dir() and not of.with_suffix(".py").is_file()] == []


ARRAYS = {"Floats", "Ints", "Mask", "Order"}
IN_PLACE = re.compile(r"in place|Modified|modified|[Ff]ill|[Ww]rite|overwritten")
SHAPE = re.compile(r"\([^()]*,[^()]*\)")  # (n,) and (3, 2 G + 2)


@cache
def kernel_functions() -> list[tuple[str, ast.FunctionDef]]:
    """Every function of the compiled simulators, with its file and line."""
    return [
        (f"{path.name}:{node.lineno} {node.name}", node)
        for path in sorted((ROOT / "paretosched/kernels").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]


def arguments_of(function: ast.FunctionDef) -> list[ast.arg]:
    return [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]


def words_in(text: str | None) -> set[str]:
    return set(re.findall(r"\w+", text or ""))


def written_by(function: ast.FunctionDef) -> set[str]:
    """The names of what a function assigns an entry of, such as `a` in `a.b[i] = 1`."""
    statements = (n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.AugAssign))
    targets = (t for n in statements for t in (n.targets if isinstance(n, ast.Assign) else [n.target]))
    entries = (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Subscript))
    return {owner.id for entry in entries if isinstance(owner := owner_of(entry), ast.Name)}


def owner_of(part: ast.expr) -> ast.expr:
    while isinstance(part, ast.Attribute | ast.Subscript):
        part = part.value
    return part


def test_every_kernel_names_its_arguments_in_its_docstring() -> None:
    assert len(kernel_functions()) > 180
    gaps = {
        place: missing
        for place, function in kernel_functions()
        if (
            missing := [
                a.arg for a in arguments_of(function) if a.arg not in {"self"} | words_in(ast.get_docstring(function))
            ]
        )
    }
    assert gaps == {}


def test_every_kernel_says_the_shape_of_its_arrays() -> None:
    """Bundles of arrays, such as `Jobs`, say the shapes in their own docstring."""
    without = [
        place
        for place, function in kernel_functions()
        if any(a.annotation is not None and ast.unparse(a.annotation) in ARRAYS for a in arguments_of(function))
        and not SHAPE.search(ast.get_docstring(function) or "")
    ]
    assert without == []


def test_every_kernel_says_which_arguments_it_writes_into() -> None:
    silent = [
        place
        for place, function in kernel_functions()
        if written_by(function) & {a.arg for a in arguments_of(function)}
        and not IN_PLACE.search(ast.get_docstring(function) or "")
    ]
    assert silent == []
