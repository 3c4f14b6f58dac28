"""The tiny workloads, the logs and the wishes, as data."""

from __future__ import annotations

# Tiny workloads: all orders of their jobs are tried. A chunk of them has one seed.
CHUNKS = 52
CHUNK = 200
LIMITED_EVERY = 4  # of so many workloads one is tried with limits and points, too
JOBS = (4, 6)
PROCESSORS = (2, 4)

LOGS = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96", "NASA")
AS = ("recorded", "1024")  # as it was recorded, and scaled to the papers' 1,024 processors

# By name. The first two have no limits: for them every ingredient of the bounds is tried, too.
FREE = {"AWRT": "AWRT", "all groups": "AWRT1 + AWRT2 + AWRT3 + AWRT4 + AWRT5", "10 and 4": "10*AWRT1 + 4*AWRT2"}
LIMITED = {
    "10 and 4, others <= 1.05 EASY": "10*AWRT1 + 4*AWRT2, others <= 1.05*EASY",
    "10 and 4, AWRT and others <= EASY": "10*AWRT1 + 4*AWRT2, AWRT <= EASY, others <= EASY",
}

QUICK = {"CHUNKS": 2, "CHUNK": 5, "LOGS": ("CTC",), "AS": ("recorded",)}
QUICK_SIZE = {"jobs": 300, "processors": 32, "seed": 171}
