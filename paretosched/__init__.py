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
    from .encodings.orders import Orders, weak_orders
    from .encodings.sequence import Sequences
    from .encodings.weighting import Weighting
    from .fronts.front import Front
    from .fronts.front_files import FrontLike, as_front, load_front, save_front
    from .fronts.front_tables import frame
    from .fronts.merging import merge
    from .fronts.quality_indicators import Box, Course, box_of, contributions, course, indicators
    from .fronts.row_schedules import row_policy, schedules
    from .plots.comparisons import figures
    from .policies.explanation import Explanation, PlainExplanation, explain
    from .policies.greedy_explanation import GreedyExplanation
    from .policies.greedy_order import Greedy, greedy
    from .policies.guarded import Guarded
    from .policies.plain import Plain
    from .policies.policy import Policy, PolicyLike, as_policy, load_policy, save_policy
    from .policies.priority import Backfill, Longest, Priority
    from .policies.priority_waits import PriorityExplanation
    from .policies.rule_base import RuleBase
    from .policies.rule_base_explanation import RulesExplanation
    from .policies.strategy_choice import STRATEGIES
    from .policies.time_sharing import Grouping, Optimisation, Shares, TimeSharing
    from .search.algorithms.pymoo_problem import ScheduleProblem, problem
    from .search.evaluation import evaluator
    from .search.exploration import explore
    from .search.plans import explore_plan, rows_of
    from .simulation.decoding import decode, start_order
    from .simulation.estimates import Predictions
    from .simulation.lower_bounds import Bounds, bounds
    from .simulation.objective import Objective, ObjectiveValues, objective_table, objectives
    from .simulation.schedule import Schedule, load_schedule, load_segments, save_schedule, save_segments
    from .simulation.service import Waits, waits
    from .simulation.simulator import predictions, simulate
    from .training.class_choice import train_best
    from .training.greedy_training import train
    from .training.guarded_training import train_guarded
    from .training.priority_training import train_priority
    from .training.rule_base_training import train_rules
    from .training.symbiosis import Symbiosis
    from .training.training import Training
    from .wishes.answers import Answer, Slack, answer
    from .wishes.gains import group_gains
    from .wishes.nearness import fitness, nearest
    from .wishes.relative_limits import reference_values, resolve
    from .wishes.wish import Limit, Wish
    from .wishes.wish_files import WishLike, as_wish, load_wish, save_wish
    from .workload.accounting.accounting_files import import_log
    from .workload.accounting.importing import ImportSummary
    from .workload.description import describe
    from .workload.down_times import DownTimes
    from .workload.from_paths import (
        GroupsLike,
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
    from .workload.group_lists import GroupLine
    from .workload.group_rules import ConsumptionGroups, ListedGroups
    from .workload.log_parquet import load_log
    from .workload.lublin_feitelson import lublin
    from .workload.machine import Machine, NodeKind, Outage, Partition
    from .workload.machine_files import MachineLike, read_machine, save_machine
    from .workload.node_requests import Requests, Texts
    from .workload.public_logs import fetch
    from .workload.reopening import WorkloadLike, as_workload, reopen
    from .workload.swf import read_swf
    from .workload.workload import Workload

__all__ = [
    # what arrives
    "Workload",
    "DownTimes",
    "WorkloadLike",
    "as_workload",
    "read_swf",
    "write_swf",
    "Machine",
    "MachineLike",
    "NodeKind",
    "Partition",
    "Outage",
    "read_machine",
    "save_machine",
    "Requests",
    "Texts",
    "load_log",
    "save_log",
    "reopen",
    "fetch",
    "import_log",
    "ImportSummary",
    "lublin",
    "scale",
    "resample",
    "split",
    "by_consumption",
    "by_csv",
    "ConsumptionGroups",
    "GroupLine",
    "ListedGroups",
    "by_queue",
    "by_swf_group",
    "GroupsLike",
    "describe",
    # what runs it
    "Policy",
    "PolicyLike",
    "as_policy",
    "load_policy",
    "save_policy",
    "Plain",
    "Greedy",
    "greedy",
    "RuleBase",
    "STRATEGIES",
    "Priority",
    "Backfill",
    "Longest",
    "Grouping",
    "Guarded",
    "Optimisation",
    "Shares",
    "TimeSharing",
    "Explanation",
    "explain",
    "PlainExplanation",
    "GreedyExplanation",
    "PriorityExplanation",
    "RulesExplanation",
    "decode",
    "Predictions",
    "predictions",
    "simulate",
    "start_order",
    "Schedule",
    "load_schedule",
    "load_segments",
    "save_schedule",
    "save_segments",
    # how good it is
    "Objective",
    "ObjectiveValues",
    "objective_table",
    "objectives",
    "Waits",
    "waits",
    "Bounds",
    "bounds",
    # what is possible
    "Weighting",
    "Orders",
    "Sequences",
    "weak_orders",
    "evaluator",
    "problem",
    "ScheduleProblem",
    "explore",
    "explore_plan",
    "rows_of",
    "Front",
    "frame",
    "merge",
    "FrontLike",
    "row_policy",
    "schedules",
    "as_front",
    "load_front",
    "save_front",
    "contributions",
    "course",
    "Box",
    "box_of",
    "Course",
    "indicators",
    # what is wanted, and the scheduler that learns it
    "Limit",
    "Wish",
    "fitness",
    "nearest",
    "reference_values",
    "resolve",
    "Answer",
    "Slack",
    "answer",
    "group_gains",
    "WishLike",
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
    "workload.from_paths": "GroupsLike by_consumption by_csv by_queue by_swf_group resample save_log scale split "
    "write_swf",
    "workload.machine": "Machine NodeKind Outage Partition",
    "workload.machine_files": "MachineLike read_machine save_machine",
    "workload.node_requests": "Requests Texts",
    "workload.log_parquet": "load_log",
    "workload.group_lists": "GroupLine",
    "workload.group_rules": "ConsumptionGroups ListedGroups",
    "workload.public_logs": "fetch",
    "workload.accounting.accounting_files": "import_log",
    "workload.accounting.importing": "ImportSummary",
    "workload.reopening": "WorkloadLike as_workload reopen",
    "workload.lublin_feitelson": "lublin",
    "workload.description": "describe",
    "workload.down_times": "DownTimes",
    "policies.policy": "PolicyLike Policy as_policy load_policy save_policy",
    "policies.plain": "Plain",
    "policies.greedy_order": "Greedy greedy",
    "policies.guarded": "Guarded",
    "policies.priority": "Backfill Longest Priority",
    "policies.strategy_choice": "STRATEGIES",
    "policies.rule_base": "RuleBase",
    "policies.time_sharing": "Grouping Optimisation Shares TimeSharing",
    "policies.explanation": "Explanation PlainExplanation explain",
    "policies.greedy_explanation": "GreedyExplanation",
    "policies.priority_waits": "PriorityExplanation",
    "policies.rule_base_explanation": "RulesExplanation",
    "simulation.decoding": "decode start_order",
    "simulation.estimates": "Predictions",
    "simulation.simulator": "predictions simulate",
    "simulation.schedule": "Schedule load_schedule load_segments save_schedule save_segments",
    "simulation.objective": "Objective ObjectiveValues objective_table objectives",
    "simulation.service": "Waits waits",
    "simulation.lower_bounds": "Bounds bounds",
    "encodings.weighting": "Weighting",
    "encodings.orders": "Orders weak_orders",
    "encodings.sequence": "Sequences",
    "search.algorithms.pymoo_problem": "ScheduleProblem problem",
    "search.evaluation": "evaluator",
    "search.exploration": "explore",
    "search.plans": "explore_plan rows_of",
    "fronts.front": "Front",
    "fronts.front_tables": "frame",
    "fronts.merging": "merge",
    "fronts.front_files": "FrontLike as_front load_front save_front",
    "fronts.row_schedules": "row_policy schedules",
    "fronts.quality_indicators": "Box Course box_of contributions course indicators",
    "wishes.wish": "Limit Wish",
    "wishes.answers": "Answer Slack answer",
    "wishes.gains": "group_gains",
    "wishes.nearness": "fitness nearest",
    "wishes.relative_limits": "reference_values resolve",
    "wishes.wish_files": "WishLike as_wish load_wish save_wish",
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
}  # folders with public names of their own; until version 0.1 these stood here as well
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
_ONCE_HERE = {name: module for module, names in _MOVED.items() for name in names.split()}

if not TYPE_CHECKING:  # type checkers would take it for a promise that any name is there

    def __getattr__(name: str) -> Any:
        if name in _MOVED:
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
