"""Explore the possible schedules of a parallel machine, choose one, and get the online scheduler for it.

The public names, in the order of the flow. They are loaded on first use, so that `import paretosched` and
`paretosched --help` do not wait for compilers and figure libraries.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .assignment import (
        Assignment,
        Bag,
        Genetic,
        History,
        Nodes,
        assign,
        estimate,
        queues,
        read_history,
        read_jobs,
        read_nodes,
        save_assignment,
    )
    from .bounds import Bounds, bounds
    from .choice import Wish, as_wish, fitness, load_wish, nearest, save_wish
    from .compare import Comparison, compare
    from .encodings.orders import weak_orders
    from .errors import InputError
    from .explain import Explanation, explain
    from .explain_rules import RulesExplanation
    from .explore import explore
    from .figures import figures
    from .front import Front, frame, load_front, merge, save_front
    from .indicators import contributions, course, indicators
    from .measures import waits
    from .objectives import Objective, objective_table, objectives
    from .plan import explore_plan, rows_of
    from .policy import Policy, greedy, load_policy, save_policy
    from .report import export_figures, write_figure, write_figures, write_gallery, write_report
    from .schedule import Schedule, load_segments, save_schedule, save_segments
    from .simulate import decode, predictions, simulate, start_order
    from .timesharing import Optimisation, TimeSharing
    from .train import Symbiosis, Training, train, train_rules
    from .workload import (
        Workload,
        by_consumption,
        by_csv,
        by_queue,
        by_swf_group,
        describe,
        fetch,
        lublin,
        read_swf,
        scale,
        split,
        write_swf,
    )

_HOME = {
    # what arrives
    "Workload": "workload",
    "read_swf": "workload",
    "write_swf": "workload",
    "fetch": "workload",
    "lublin": "workload",
    "scale": "workload",
    "split": "workload",
    "by_consumption": "workload",
    "by_swf_group": "workload",
    "by_queue": "workload",
    "by_csv": "workload",
    "describe": "workload",
    # what runs it
    "Policy": "policy",
    "greedy": "policy",
    "load_policy": "policy",
    "save_policy": "policy",
    "simulate": "simulate",
    "predictions": "simulate",
    "decode": "simulate",
    "start_order": "simulate",
    "Schedule": "schedule",
    "save_schedule": "schedule",
    "save_segments": "schedule",
    "load_segments": "schedule",
    "TimeSharing": "timesharing",
    "Optimisation": "timesharing",
    # how good it is
    "Objective": "objectives",
    "objective_table": "objectives",
    "objectives": "objectives",
    "waits": "measures",
    "bounds": "bounds",
    "Bounds": "bounds",
    # what is possible
    "weak_orders": "encodings.orders",
    "explore": "explore",
    "explore_plan": "plan",
    "rows_of": "plan",
    "Front": "front",
    "load_front": "front",
    "save_front": "front",
    "merge": "front",
    "indicators": "indicators",
    "contributions": "indicators",
    "course": "indicators",
    "frame": "front",
    # what is wanted, and the scheduler that learns it
    "Wish": "choice",
    "as_wish": "choice",
    "load_wish": "choice",
    "save_wish": "choice",
    "fitness": "choice",
    "nearest": "choice",
    "train": "train",
    "train_rules": "train",
    "Symbiosis": "train",
    "Training": "train",
    # how it compares, and what it looks like
    "compare": "compare",
    "Comparison": "compare",
    "explain": "explain",
    "Explanation": "explain",
    "RulesExplanation": "explain_rules",
    "figures": "figures",
    "write_report": "report",
    "export_figures": "report",
    "write_figure": "report",
    "write_figures": "report",
    "write_gallery": "report",
    # jobs on unequal nodes
    "Bag": "assignment",
    "Nodes": "assignment",
    "read_jobs": "assignment",
    "read_nodes": "assignment",
    "read_history": "assignment",
    "History": "assignment",
    "estimate": "assignment",
    "queues": "assignment",
    "assign": "assignment",
    "Assignment": "assignment",
    "Genetic": "assignment",
    "save_assignment": "assignment",
    # what went wrong
    "InputError": "errors",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_HOME[name]}", __name__)
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """A package in which a public name stays what it is when the module of the same name is imported.

    Importing `paretosched.objectives`, which `paretosched.simulate` does, binds that module to the name
    `objectives` here, and `paretosched.objectives(...)` would find a module where a function should be.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
