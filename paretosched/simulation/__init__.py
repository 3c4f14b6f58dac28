"""A workload and a policy make a schedule, and how good that is."""
