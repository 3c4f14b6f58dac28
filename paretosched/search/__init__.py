"""The search for the front of a workload: runs, their algorithms, and how they are resumed."""
