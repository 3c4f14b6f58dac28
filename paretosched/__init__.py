"""Explore the possible schedules of a parallel machine, choose one, and get the online scheduler for it.

The public names, in the order of the flow. They are loaded on first use, so that `import paretosched` and
`paretosched --help` do not wait for compilers and figure libraries.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

_HOME = {
    # what arrives
    "Workload": "workload",
    # what runs it
    "Policy": "policy",
    "greedy": "policy",
    "load_policy": "policy",
    "save_policy": "policy",
    "simulate": "simulate",
    "Schedule": "schedule",
    "objectives": "objectives",
    "objective_table": "objectives",
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
    return sorted({*globals(), *_HOME})


class _Package(ModuleType):
    """A package in which a public name stays what it is when the module of the same name is imported.

    Importing `paretosched.objectives`, which `paretosched.simulate` does, binds that module to the name
    `objectives` here, and `paretosched.objectives(...)` would find a module where a function should be.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
