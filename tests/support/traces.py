"""Where the real traces are."""

from __future__ import annotations

import os
from pathlib import Path


def trace_folder() -> Path:
    """The folder of the real workload traces; it may not exist."""
    default = Path(__file__).resolve().parents[2] / ".." / "shared" / "traces"
    return Path(os.environ.get("PARETOSCHED_TRACES") or default).resolve()
