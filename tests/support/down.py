"""Workloads on machines of which processors are down at times."""

import numpy as np
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.workload.down_times import down_together


def down_at_times(workload: Workload, seed: int, times: int = 8) -> Workload:
    """Return a workload whose machine has some nodes down at random times, all of it once in a while.

    Times are coarse if those of the workload are, so that many events coincide.
    """
    rng = np.random.default_rng(seed)
    grain = int(np.gcd.reduce(np.concatenate([workload.submit, workload.run, workload.estimate])))
    span = (int(workload.submit[-1]) + 2 * int(workload.run.max())) // grain + 2
    begin = rng.integers(0, span, times)
    length = rng.integers(1, max(2, span // 3), times)
    part = np.where(rng.random(times) < 0.2, 1.0, rng.random(times) / times)
    processors = np.maximum(1, (part * workload.capacity).astype(np.int64))
    return with_down(workload, [*zip(begin * grain, (begin + length) * grain, processors, strict=True)])


def with_down(workload: Workload, rows: list[tuple[int, int, int]]) -> Workload:
    """Return a workload with down times (begin, end, processors) that may overlap, but never exceed the machine."""
    together = down_together(*(np.array(column) for column in zip(*rows, strict=True)))
    processors = np.minimum(together.processors, workload.capacity)
    return workload.with_(down=type(together)(together.begin, together.end, processors), source=workload.source)


@st.composite
def down_workloads(draw: st.DrawFn, base: st.SearchStrategy[Workload]) -> Workload:
    """Return workloads with down times whose borders meet those of jobs often."""
    w = draw(base)
    seconds = sorted({0, *w.submit.tolist(), *(w.submit + w.run).tolist(), *(w.submit + w.estimate).tolist()})
    second = st.sampled_from(seconds) | st.integers(0, 2 * seconds[-1])
    row = st.tuples(second, st.sampled_from(seconds[1:]) | st.integers(1, 30), st.integers(1, w.capacity))
    rows = draw(st.lists(row, min_size=1, max_size=5))
    return with_down(w, [(begin, begin + length, processors) for begin, length, processors in rows])
