"""How policies learn what their owner wants."""

from .greedy import Progress, System, Training, train

__all__ = ["Progress", "System", "Training", "train"]
