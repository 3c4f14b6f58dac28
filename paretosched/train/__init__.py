"""How policies learn what their owner wants."""

from .greedy import train
from .rules import train_rules
from .symbiosis import Symbiosis
from .task import Progress, System, Training

__all__ = ["Progress", "Symbiosis", "System", "Training", "train", "train_rules"]
