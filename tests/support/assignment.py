"""Jobs, nodes and lists for the tests of assignment."""

from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st

from paretosched.assignment import Bag, Nodes

NAN = float("nan")
briefly = settings(deadline=None, max_examples=50)


def bag_of(*workload: float) -> Bag:
    return Bag([f"j{k}" for k in range(len(workload))], workload)


def nodes_of(*speed: float) -> Nodes:
    return Nodes([f"p{i}" for i in range(len(speed))], speed)


@st.composite
def problems(draw: st.DrawFn, most_jobs: int = 12) -> tuple[Bag, Nodes]:
    """Jobs and nodes with many ties."""
    workload = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, 7.0, 100.0]), min_size=1, max_size=most_jobs))
    speed = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 2.6]), min_size=1, max_size=4))
    return bag_of(*workload), nodes_of(*speed)


def write_list(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
