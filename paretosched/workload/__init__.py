"""What arrives: workloads read, generated, scaled and grouped."""

from .calendar import DAY, NIGHT, SITUATIONS, WEEKEND, Calendar, calendar
from .model import Repair, Workload

__all__ = ["DAY", "NIGHT", "SITUATIONS", "WEEKEND", "Calendar", "Repair", "Workload", "calendar"]
