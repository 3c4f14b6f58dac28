"""Compiled simulators: flat arrays in, start times out; they check nothing and raise nothing.

`simulate.py` is their only caller and makes sure of what they rely on. Times are int64 seconds, widths int64
processors, jobs are named by their row in the workload. All events of one second are taken together:
completions first, then arrivals in trace order, then one scheduling pass.
"""
