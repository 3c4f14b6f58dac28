"""The types of the public names as a user's type checker sees them: from outside, in the package as installed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ("paretosched", "paretosched.assignment", "paretosched.report")

# What a user would write; every value is given the type that the documentation promises.
SCRIPT = """
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import paretosched as ps
from paretosched import assignment as pa
from paretosched import report as pr


def main(folder: Path) -> None:
    w: ps.Workload = ps.lublin(jobs=500, processors=64, seed=3)
    train, test = ps.split(w, 0.5)
    parts: tuple[ps.Workload, ps.Workload] = (train, test)
    ps.write_swf(parts[0], folder / "train.swf.gz")
    again: ps.Workload = ps.read_swf(folder / "train.swf.gz")
    found = ps.import_log("slurm", folder / "sacct.txt", folder / "log.swf.gz", zone="Europe/Berlin")
    print(found.jobs, [count.reason for count in found.counts])
    print(len(again), again.capacity, int(again.submit[0]), again.groups)

    s: ps.Schedule = ps.simulate(w, "easy")
    ps.save_schedule(s, folder / "easy.csv")
    values: Mapping[str, float] = ps.objectives(s)
    names: list[str] = [o.name for o in ps.objective_table(w.groups)]
    print([values[name] for name in names], s.objectives["AWRT"], float(s.start.max()))
    several: list[ps.Schedule] = ps.simulate(w[:100], ["easy", "wait / estimate"])
    print(several[0].wait.max(), several[0].response.max(), several[0].slowdown.max())
    order: np.ndarray[tuple[int, ...], np.dtype[np.int32]] = ps.start_order(s)
    print(ps.decode(w, order, "earliest").finish.max())
    print(ps.bounds(w))

    policy: ps.Policy = ps.as_policy("easy")
    ps.save_policy(policy, folder / "easy.json")
    print(ps.load_policy(folder / "easy.json"), ps.TimeSharing())
    sorted_by_wait: ps.Greedy = ps.greedy(["f2"] * 3, [[1.0, 0.0, 1.0, 0.0]] * 3, groups=("all",))
    choice = np.array([7, 3], dtype=np.int8)
    base: ps.RuleBase = ps.RuleBase("iterative", ("all",), ("all",), sorted_by_wait, ((), (75.0,), ()), choice)
    print(base, base.chooser.strategy([1.0, 76.0, 100.0]))

    front: ps.Front = ps.explore(w, folder / "run", evaluations=500, population=50, seed=1)
    ps.save_front(front, folder / "front.parquet")
    both: ps.Front = ps.merge([front, ps.load_front(folder / "front.parquet")])
    print(len(both), ps.frame(both).describe())

    wish: ps.Wish = ps.as_wish("10*AWRT1 + 4*AWRT2", w.groups)
    near: list[int] = ps.nearest(wish, front).tolist()
    learnt: ps.Training = ps.train(train, wish, generations=2)
    print(near, learnt.policy)

    comparison: ps.Comparison = ps.compare(test, ["fcfs", policy], front, wish)
    pr.write_report(folder / "report.html", front, comparison)
    for name, drawn in ps.figures(front, {}).items():
        drawn.update_layout(title=name)

    bag: pa.Bag = pa.paper_bag(20, np.random.default_rng(1))
    nodes: pa.Nodes = pa.paper_nodes(4, np.random.default_rng(1))
    placed: pa.Assignment = pa.assign(bag, nodes, pa.METHODS[0])
    pa.save_assignment(placed, folder / "assignment.csv")
    try:
        ps.simulate(w, "sooner")
    except ps.InputError as wrong:
        print(wrong)
"""


def uses() -> Iterator[tuple[str, str]]:
    """Every public name with the module that has it."""
    for module in MODULES:
        for name in import_module(module).__all__:
            yield module, name


FILES = ("script.py", "names.py", "imports.py", "wrong.py")
WRONG = ["wrong.py:2", "wrong.py:3"]  # so each test can fail: a name that is not there, and a type that is another


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A user's folder: what a user would write, every public name used, every one imported, and two mistakes."""
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    imports = "".join(f"import {module}\n" for module in MODULES)
    reveals = "".join(f"reveal_type({module}.{name})\n" for module, name in uses())
    (tmp_path / "names.py").write_text(imports + reveals, encoding="utf-8")
    lines = "".join(f"from {module} import {name} as name_{i}\n" for i, (module, name) in enumerate(uses()))
    prints = "".join(f"print(name_{i})\n" for i, _ in enumerate(uses()))
    (tmp_path / "imports.py").write_text(lines + prints, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(
        "import paretosched as ps\nps.simulat\nw: int = ps.lublin(jobs=5, processors=4)\n", encoding="utf-8"
    )
    return tmp_path


def checker(folder: Path, *arguments: str) -> str:
    """What a type checker says, run where the user is, with the package as an installed one."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.long
@pytest.mark.slow
def test_mypy_accepts_every_public_name_and_a_script(files: Path) -> None:
    lines = checker(files, "mypy", "--strict", "--cache-dir=cache", *FILES).splitlines()
    assert [line.split(": error: ")[0] for line in lines if ": error: " in line] == WRONG, lines
    types = [line.split("Revealed type is ")[1] for line in lines if "Revealed type is " in line]
    types_by_name = dict(zip(uses(), types, strict=True))
    assert [name for name, kind in types_by_name.items() if kind == '"Any"'] == []


@pytest.mark.long
@pytest.mark.slow
def test_pyright_accepts_every_public_name_and_a_script(files: Path) -> None:
    if not checker(files, "pyright", "--version").startswith("pyright "):
        pytest.skip("NO PYRIGHT: the public names were checked with mypy only; install pyright[nodejs]")
    report = json.loads(checker(files, "pyright", "--pythonpath", sys.executable, "--outputjson", *FILES))
    diagnostics = report["generalDiagnostics"]
    wrong = [d for d in diagnostics if d["severity"] == "error"]
    assert [f"{Path(d['file']).name}:{d['range']['start']['line'] + 1}" for d in wrong] == WRONG, wrong
    types = [d["message"].split(" is ", 1)[1].strip('"') for d in diagnostics if d["severity"] == "information"]
    types_by_name = dict(zip(uses(), types, strict=True))
    unknown = {name: kind for name, kind in types_by_name.items() if "Unknown" in kind or kind.endswith("Any")}
    assert unknown == {}, "a public name has a type, and a public function a result with one"
