"""What arrives: workloads read, generated, scaled and grouped."""

from .archive import fetch
from .calendar import DAY, NIGHT, SITUATIONS, WEEKEND, Calendar, calendar
from .groups import by_consumption, by_csv, by_queue, by_swf_group, group_table
from .info import describe
from .lublin import lublin
from .model import Repair, Workload
from .parts import split
from .scaling import PAPER_FACTORS, scale
from .swf import read_swf, write_swf

__all__ = [
    "DAY",
    "NIGHT",
    "PAPER_FACTORS",
    "SITUATIONS",
    "WEEKEND",
    "Calendar",
    "Repair",
    "Workload",
    "by_consumption",
    "by_csv",
    "by_queue",
    "by_swf_group",
    "calendar",
    "describe",
    "fetch",
    "group_table",
    "lublin",
    "read_swf",
    "scale",
    "split",
    "write_swf",
]
