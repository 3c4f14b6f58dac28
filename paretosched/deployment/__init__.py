"""Policies on real machines: a daemon that keeps the waiting jobs of Slurm in a policy's order, and text for OpenPBS.

It loads neither numba nor pandas, so that the daemon starts at once and stays small.
"""
