"""How policies learn what their owner wants."""

from .greedy import train
from .task import Progress, System, Training

__all__ = ["Progress", "System", "Training", "train"]
