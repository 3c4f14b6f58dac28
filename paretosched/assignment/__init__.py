"""m independent jobs on n unequal nodes (paper 003): which job runs on which node, so that all end soon."""

from .bag_and_nodes import Bag, Nodes
from .estimator import History, estimate, learn, queues, slopes
from .lists import read_history, read_jobs, read_nodes, save_assignment, save_jobs, save_nodes
from .methods import METHODS, Assignment, Genetic, assign, at_least, divisible
from .synthetic import cluster_bag, cluster_nodes, paper_bag, paper_nodes

__all__ = [
    "METHODS",
    "Assignment",
    "Bag",
    "Genetic",
    "History",
    "Nodes",
    "assign",
    "at_least",
    "cluster_bag",
    "cluster_nodes",
    "divisible",
    "estimate",
    "learn",
    "paper_bag",
    "paper_nodes",
    "queues",
    "read_history",
    "read_jobs",
    "read_nodes",
    "save_assignment",
    "save_jobs",
    "save_nodes",
    "slopes",
]
