"""Helpers that run the scripts of an experiment and read the numbers of its paper."""

import csv
import importlib
import io
import runpy
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType

import pytest

from paretosched.fronts import quality_indicators

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "experiments"


def paper(experiment: str) -> list[dict[str, str]]:
    """Return the rows of an experiment's paper.csv."""
    with (EXPERIMENTS / experiment / "paper.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def modules(monkeypatch: pytest.MonkeyPatch, experiment: str, names: Sequence[str]) -> Iterator[dict[str, ModuleType]]:
    """Yield the scripts of an experiment as modules, by name; other experiments have scripts of the same names."""
    for folder in (EXPERIMENTS, EXPERIMENTS / experiment):
        monkeypatch.syspath_prepend(str(folder))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


def script(experiment: str, name: str, *arguments: object) -> str:
    """Run a script as Python does, and return its output; it must succeed.

    It runs in this process, where numba and pandas are loaded already, and with coarse hypervolumes: fine ones take
    most of the time of a quick run.
    """
    path = EXPERIMENTS / experiment / name
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        no_scripts(),
        warnings.catch_warnings(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        warnings.simplefilter("default")
        status: object = 0
        patch.setattr(quality_indicators, "DIRECTIONS", 100)
        patch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        patch.setattr(sys, "path", [str(path.parent), *sys.path])
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as end:
            status = end.code
    assert not status, out.getvalue() + err.getvalue()
    return out.getvalue()


@contextmanager
def no_scripts() -> Iterator[None]:
    """Forget the modules of all experiments, of which several have the same name, and afterwards those of this one."""

    def names() -> list[str]:
        files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        return [name for name, file in files.items() if file and Path(file).is_relative_to(EXPERIMENTS)]

    before = {name: sys.modules.pop(name) for name in names()}
    try:
        yield
    finally:
        for name in names():
            del sys.modules[name]
        sys.modules.update(before)


def without(columns: tuple[str, ...], text: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file without columns that differ from run to run, such as times."""
    rows = csv.DictReader(text.decode().splitlines())
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]
