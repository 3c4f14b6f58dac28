"""Workloads: the jobs of a log or of a model, the machine they ask for, and their user groups."""
