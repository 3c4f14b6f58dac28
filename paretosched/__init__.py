"""Explore the possible schedules of a parallel machine, choose one, and get the online scheduler for it.

The public names, in the order of the flow. They are loaded on first use, so that `import paretosched` and
`paretosched --help` do not wait for compilers and figure libraries. Two folders have public names of their own:
`paretosched.assignment` (paper 003) and `paretosched.report`.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .core.version import __version__

if TYPE_CHECKING:
    from . import assignment, report
    from .comparison.comparison import Comparison, compare
    from .core.errors import InputError
    from .core.limits import reading_limits
    from .encodings.orders import Orders
    from .encodings.sequence import Sequences
    from .encodings.weighting import Weighting
    from .fronts.front import Front
    from .fronts.front_files import load_front, save_front
    from .fronts.front_tables import frame
    from .fronts.merging import merge
    from .fronts.quality_indicators import contributions, indicators
    from .fronts.row_schedules import row_policy, schedules
    from .plots.comparisons import figures
    from .policies.explanation import explain
    from .policies.greedy_order import Greedy, greedy
    from .policies.guarded import Guarded
    from .policies.plain import Plain
    from .policies.policy import Policy, as_policy, load_policy, save_policy
    from .policies.priority import Backfill, Priority
    from .policies.rule_base import RuleBase
    from .policies.time_sharing import Grouping, Optimisation, Shares, TimeSharing
    from .search.algorithms.pymoo_problem import problem
    from .search.evaluation import evaluator
    from .search.exploration import explore
    from .simulation.decoding import decode, start_order
    from .simulation.lower_bounds import bounds
    from .simulation.objective import objective_table, objectives
    from .simulation.schedule import Schedule, load_schedule, load_segments, save_schedule, save_segments
    from .simulation.service import waits
    from .simulation.simulator import predictions, simulate
    from .training.class_choice import train_best
    from .training.greedy_training import train
    from .training.guarded_training import train_guarded
    from .training.priority_training import train_priority
    from .training.rule_base_training import train_rules
    from .training.symbiosis import Symbiosis
    from .training.training import Training
    from .wishes.answers import answer
    from .wishes.gains import group_gains
    from .wishes.nearness import nearest
    from .wishes.wish import Limit, Wish
    from .wishes.wish_files import as_wish, load_wish, save_wish
    from .workload.accounting.accounting_files import import_log
    from .workload.description import describe
    from .workload.down_times import DownTimes
    from .workload.from_paths import (
        by_consumption,
        by_csv,
        by_queue,
        by_swf_group,
        resample,
        save_log,
        scale,
        split,
        write_swf,
    )
    from .workload.group_rules import ConsumptionGroups, ListedGroups
    from .workload.log_parquet import load_log
    from .workload.lublin_feitelson import lublin
    from .workload.machine import Machine, NodeKind, Outage, Partition
    from .workload.machine_files import read_machine, save_machine
    from .workload.node_requests import Requests
    from .workload.public_logs import fetch
    from .workload.reopening import as_workload, reopen
    from .workload.swf import read_swf
    from .workload.workload import Workload

__all__ = [
    # what arrives
    "Workload",
    "DownTimes",
    "as_workload",
    "read_swf",
    "write_swf",
    "Machine",
    "NodeKind",
    "Partition",
    "Outage",
    "read_machine",
    "save_machine",
    "Requests",
    "load_log",
    "save_log",
    "reopen",
    "fetch",
    "import_log",
    "lublin",
    "scale",
    "resample",
    "split",
    "by_consumption",
    "by_csv",
    "ConsumptionGroups",
    "ListedGroups",
    "by_queue",
    "by_swf_group",
    "describe",
    # what runs it
    "Policy",
    "as_policy",
    "load_policy",
    "save_policy",
    "Plain",
    "Greedy",
    "greedy",
    "RuleBase",
    "Priority",
    "Backfill",
    "Grouping",
    "Guarded",
    "Optimisation",
    "Shares",
    "TimeSharing",
    "explain",
    "decode",
    "predictions",
    "simulate",
    "start_order",
    "Schedule",
    "load_schedule",
    "load_segments",
    "save_schedule",
    "save_segments",
    # how good it is
    "objective_table",
    "objectives",
    "waits",
    "bounds",
    # what is possible
    "Weighting",
    "Orders",
    "Sequences",
    "evaluator",
    "problem",
    "explore",
    "Front",
    "frame",
    "merge",
    "row_policy",
    "schedules",
    "load_front",
    "save_front",
    "contributions",
    "indicators",
    # what is wanted, and the scheduler that learns it
    "Limit",
    "Wish",
    "nearest",
    "answer",
    "group_gains",
    "as_wish",
    "load_wish",
    "save_wish",
    "train",
    "train_best",
    "train_guarded",
    "train_priority",
    "train_rules",
    "Symbiosis",
    "Training",
    # how it compares, and what it looks like
    "Comparison",
    "compare",
    "figures",
    # folders with public names of their own
    "assignment",
    "report",
    # what went wrong, and what is too much
    "InputError",
    "reading_limits",
    "__version__",
]

_MODULES = {
    "workload.workload": "Workload",
    "workload.swf": "read_swf",
    "workload.from_paths": "by_consumption by_csv by_queue by_swf_group resample save_log scale split write_swf",
    "workload.machine": "Machine NodeKind Outage Partition",
    "workload.machine_files": "read_machine save_machine",
    "workload.node_requests": "Requests",
    "workload.log_parquet": "load_log",
    "workload.group_rules": "ConsumptionGroups ListedGroups",
    "workload.public_logs": "fetch",
    "workload.accounting.accounting_files": "import_log",
    "workload.reopening": "as_workload reopen",
    "workload.lublin_feitelson": "lublin",
    "workload.description": "describe",
    "workload.down_times": "DownTimes",
    "policies.policy": "Policy as_policy load_policy save_policy",
    "policies.plain": "Plain",
    "policies.greedy_order": "Greedy greedy",
    "policies.guarded": "Guarded",
    "policies.priority": "Backfill Priority",
    "policies.rule_base": "RuleBase",
    "policies.time_sharing": "Grouping Optimisation Shares TimeSharing",
    "policies.explanation": "explain",
    "simulation.decoding": "decode start_order",
    "simulation.simulator": "predictions simulate",
    "simulation.schedule": "Schedule load_schedule load_segments save_schedule save_segments",
    "simulation.objective": "objective_table objectives",
    "simulation.service": "waits",
    "simulation.lower_bounds": "bounds",
    "encodings.weighting": "Weighting",
    "encodings.orders": "Orders",
    "encodings.sequence": "Sequences",
    "search.algorithms.pymoo_problem": "problem",
    "search.evaluation": "evaluator",
    "search.exploration": "explore",
    "fronts.front": "Front",
    "fronts.front_tables": "frame",
    "fronts.merging": "merge",
    "fronts.front_files": "load_front save_front",
    "fronts.row_schedules": "row_policy schedules",
    "fronts.quality_indicators": "contributions indicators",
    "wishes.wish": "Limit Wish",
    "wishes.answers": "answer",
    "wishes.gains": "group_gains",
    "wishes.nearness": "nearest",
    "wishes.wish_files": "as_wish load_wish save_wish",
    "training.class_choice": "train_best",
    "training.greedy_training": "train",
    "training.guarded_training": "train_guarded",
    "training.priority_training": "train_priority",
    "training.rule_base_training": "train_rules",
    "training.symbiosis": "Symbiosis",
    "training.training": "Training",
    "comparison.comparison": "Comparison compare",
    "plots.comparisons": "figures",
    "core.errors": "InputError",
    "core.limits": "reading_limits",
}
_MOVED = {
    "assignment": "Assignment Bag Genetic History Nodes "
    "assign estimate queues read_history read_jobs read_nodes save_assignment",
    "report": "export_figures write_figure write_figures write_gallery write_report",
    "workload.from_paths": "GroupsLike",
    "workload.machine_files": "MachineLike",
    "workload.node_requests": "Texts",
    "workload.group_lists": "GroupLine",
    "workload.accounting.importing": "ImportSummary",
    "workload.reopening": "WorkloadLike",
    "policies.policy": "PolicyLike",
    "policies.priority": "Longest",
    "policies.strategy_choice": "STRATEGIES",
    "policies.explanation": "Explanation PlainExplanation",
    "policies.greedy_explanation": "GreedyExplanation",
    "policies.priority_waits": "PriorityExplanation",
    "policies.rule_base_explanation": "RulesExplanation",
    "simulation.estimates": "Predictions",
    "simulation.objective": "Objective ObjectiveValues",
    "simulation.service": "Waits",
    "simulation.lower_bounds": "Bounds",
    "encodings.orders": "weak_orders",
    "search.algorithms.pymoo_problem": "ScheduleProblem",
    "search.plans": "explore_plan rows_of",
    "fronts.front_files": "FrontLike as_front",
    "fronts.quality_indicators": "Box Course box_of course",
    "wishes.answers": "Answer Slack",
    "wishes.nearness": "fitness",
    "wishes.relative_limits": "reference_values resolve",
    "wishes.wish_files": "WishLike",
}  # where names are that stood here in earlier versions, too; the first two are folders with public names of their own
_FOLDERS = ("assignment", "report")
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
_ONCE_HERE = {name: module for module, names in _MOVED.items() for name in names.split()}

if not TYPE_CHECKING:  # type checkers would take it for a promise that any name is there

    def __getattr__(name: str) -> Any:
        if name in _FOLDERS:
            return import_module(f".{name}", __name__)
        if name not in _HOME and name not in _ONCE_HERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in _ONCE_HERE:
            where = f"{__name__}.{_ONCE_HERE[name]}"
            warnings.warn(f"{__name__}.{name} is now {where}.{name}", DeprecationWarning, stacklevel=2)
            return getattr(import_module(where), name)
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
