"""Every public function takes words and paths wherever it takes values, and refuses what is neither in one line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import paretosched as ps
import paretosched.assignment as pa
import paretosched.report as pr
from paretosched.comparison.comparison import Comparison
from paretosched.simulation.schedule import Schedule

FACES = (ps, pa, pr)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{face.__name__}.{name}": getattr(face, name)
    for face in FACES
    for name in face.__all__
    if inspect.isfunction(getattr(face, name))
}


class House(NamedTuple):
    """A folder with one file of each kind, and the values in them."""

    folder: Path
    workload: ps.Workload
    front: ps.Front
    schedule: Schedule
    comparison: Comparison
    bag: pa.Bag
    nodes: pa.Nodes


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    ps.write_swf(ps.lublin(jobs=40, processors=32, seed=1), folder / "w.swf")
    w = ps.read_swf(folder / "w.swf")
    front = ps.explore(w, folder / "run", evaluations=20, population=10, seed=1)
    ps.save_front(front, folder / "front.parquet")
    ps.save_policy("easy", folder / "policy.json")
    ps.save_wish("AWRT1", folder / "wish.json")
    (folder / "groups.csv").write_text("1,staff\n", encoding="utf-8")
    ps.save_segments(ps.simulate(w, "scojo"), folder / "segments.csv")
    generator = np.random.default_rng(1)
    bag, nodes = pa.paper_bag(5, generator), pa.paper_nodes(2, generator)
    pa.save_jobs(bag, folder / "jobs.csv")
    pa.save_nodes(nodes, folder / "nodes.csv")
    (folder / "past.csv").write_text("job,size,workload\na,1,2\n", encoding="utf-8")
    return House(folder, w, front, ps.simulate(w, "easy"), ps.compare(w, "fcfs"), bag, nodes)


def arguments(house: House, out: Path) -> dict[str, dict[str, Any]]:
    """Return arguments that are right, for every public function but those that fetch or draw with a browser."""
    f, w, front, schedule = house.folder, house.workload, house.front, house.schedule
    history = pa.learn(pa.History(), "a", 1, 2.0)
    figure = ps.figures(front, {})["util-awrt"]
    table = ps.objective_table(w.groups)
    generator = np.random.default_rng(1)
    short = {"evaluations": 20, "population": 10, "seed": 1}
    objects: dict[str, dict[str, Any]] = {
        "as_workload": {"what": w},
        "read_swf": {"path": f / "w.swf"},
        "write_swf": {"workload": w, "path": out / "w.swf"},
        "reopen": {"place": f / "run"},
        "lublin": {"jobs": 5},
        "scale": {"workload": w, "processors": 64},
        "split": {"workload": w, "until": 0.5},
        "by_consumption": {"workload": w},
        "by_csv": {"workload": w, "path": f / "groups.csv"},
        "by_queue": {"workload": w},
        "by_swf_group": {"workload": w},
        "describe": {"workload": w},
        "as_policy": {"policy": "easy"},
        "load_policy": {"path": f / "policy.json"},
        "save_policy": {"policy": "easy", "path": out / "policy.json"},
        "greedy": {"criteria": ["f1"] * 3, "genes": np.ones(36), "groups": w.groups},
        "explain": {"policy": "easy"},
        "decode": {"workload": w, "order": np.arange(len(w))},
        "predictions": {"workload": w, "policy": "easy"},
        "simulate": {"workload": w, "policy": "easy"},
        "start_order": {"schedule": schedule},
        "load_segments": {"workload": w, "path": f / "segments.csv"},
        "save_schedule": {"schedule": schedule, "path": out / "schedule.csv"},
        "save_segments": {"schedule": ps.simulate(w, "scojo"), "path": out / "segments.csv"},
        "objective_table": {"groups": w.groups},
        "objectives": {"schedule": schedule},
        "waits": {"schedule": schedule},
        "bounds": {"workload": w},
        "weak_orders": {"groups": 2},
        "evaluator": {"workload": w, "encoding": "weighting"},
        "problem": {"workload": w},
        "explore": {"workload": w, "run_directory": f / "run", **short},
        "explore_plan": {"workload": w, "directory": out, "rows": "none such"},
        "rows_of": {"plan": "none such"},
        "frame": {"front": front},
        "merge": {"fronts": [front]},
        "row_policy": {"front": front, "row": 0},
        "schedules": {"front": front, "rows": [0], "workload": w},
        "as_front": {"what": front},
        "load_front": {"path": f / "run"},
        "save_front": {"front": front, "path": out / "front.parquet"},
        "contributions": {"inputs": front},
        "course": {
            "values": front.values,
            "objectives": table,
            "at": [1],
            "box": ps.box_of(front),
            "reference": front,
        },
        "box_of": {"front": front},
        "indicators": {"front": front, "inputs": front},
        "fitness": {"wish": "AWRT1", "values": front.values},
        "nearest": {"wish": "AWRT1", "front": front},
        "as_wish": {"what": "AWRT1", "groups": w.groups},
        "load_wish": {"path": f / "wish.json"},
        "save_wish": {"wish": ps.Wish(weights=[("AWRT1", 1)]), "path": out / "wish.json"},
        "train": {"workloads": w, "wish": "AWRT1", "criterion": "f1", "generations": 1},
        "train_rules": {
            "workloads": w,
            "wish": "AWRT1",
            "kind": "iterative",
            "evaluations": 1,
            "greedy": ps.greedy(["f1"] * 3, np.ones(36)),
        },
        "compare": {"workload": w, "policies": "easy", "front": front, "wish": "AWRT1"},
        "figures": {"front": front, "marks": {}},
    }
    others: dict[str, dict[str, Any]] = {
        "assignment.assign": {"bag": house.bag, "nodes": house.nodes, "method": "lpt"},
        "assignment.at_least": {"bag": house.bag, "nodes": house.nodes},
        "assignment.cluster_bag": {"jobs": 3, "generator": generator},
        "assignment.cluster_nodes": {"nodes": 3, "generator": generator},
        "assignment.divisible": {"bag": house.bag, "nodes": house.nodes},
        "assignment.estimate": {"history": history, "name": "a", "size": 1.0},
        "assignment.learn": {"history": history, "name": "a", "size": 1.0, "workload": 2.0},
        "assignment.paper_bag": {"jobs": 3, "generator": generator},
        "assignment.paper_nodes": {"nodes": 3, "generator": generator},
        "assignment.queues": {"history": history, "bag": house.bag},
        "assignment.read_history": {"path": f / "past.csv"},
        "assignment.read_jobs": {"path": f / "jobs.csv"},
        "assignment.read_nodes": {"path": f / "nodes.csv"},
        "assignment.save_assignment": {
            "assignment": pa.assign(house.bag, house.nodes, "lpt"),
            "path": out / "assignment.csv",
        },
        "assignment.save_jobs": {"bag": house.bag, "path": out / "jobs.csv"},
        "assignment.save_nodes": {"nodes": house.nodes, "path": out / "nodes.csv"},
        "assignment.slopes": {"history": history, "name": "a"},
        "report.write_figure": {"path": out / "a.html", "title": "a", "drawn": figure},
        "report.write_figures": {"path": out / "b.html", "title": "b", "drawn": {"a": figure}, "captions": {}},
        "report.write_gallery": {"path": out / "c.html", "title": "c", "captions": {}},
        "report.write_report": {"path": out / "d.html", "front": None, "comparison": house.comparison},
    }
    return {f"paretosched.{name}": words for name, words in (objects | others).items()}


ELSEWHERE = {"paretosched.fetch", "paretosched.report.export_figures"}  # they need a network, or a browser
if __name__ == "__main__":
    import tempfile, traceback, sys, time
    class F:
        def mktemp(self, n): return Path(tempfile.mkdtemp())
    h = house.__wrapped__(F()) if hasattr(house, "__wrapped__") else house.__pytest_wrapped__.obj(F())
    a = arguments(h, Path(tempfile.mkdtemp()))
    print("not covered", set(FUNCTIONS) - set(a), set(a) - set(FUNCTIONS))
    for name, words in a.items():
        t = time.time()
        try:
            r = FUNCTIONS[name](**words)
            if inspect.isgenerator(r): list(r)
        except ps.InputError as e:
            print("INPUT", name, e)
        except Exception as e:
            print("RAW0", name, type(e), e)
        if time.time() - t > .3: print("slow", name, time.time() - t)
    for name, words in a.items():
        for p in inspect.signature(FUNCTIONS[name]).parameters.values():
            for value in (None, 3, object()):
                ann = str(p.annotation)
                if value is None and ("None" in ann): continue
                if value == 3 and ("int" in ann or "float" in ann): continue
                try:
                    r = FUNCTIONS[name](**words | {p.name: value})
                    if inspect.isgenerator(r): list(r)
                    if hasattr(r, "__enter__"):
                        with r: pass
                except ps.InputError as e:
                    pass
                except Exception as e:
                    print("RAW", name, p.name, repr(value)[:20], type(e).__name__, str(e)[:90])
