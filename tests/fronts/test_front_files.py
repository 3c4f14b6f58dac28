"""Fronts are written whole and read as they were."""

from __future__ import annotations

from pathlib import Path

from paretosched.fronts.front_files import load_front
from paretosched.search.exploration import explore
from paretosched.workload.workload import Workload


def test_the_front_of_a_log_of_millennia_can_be_read_again(tmp_path: Path) -> None:
    w = Workload(submit=[0, 1, 2**40], run=[3, 3, 3], estimate=[3, 3, 3], width=[1, 1, 1], user=[1, 2, 3], capacity=2)
    front = explore(w, tmp_path / "run", evaluations=20, population=10, util_from="submission")
    again = load_front(tmp_path / "run")
    assert again.values.tolist() == front.values.tolist()
    assert 0 < front.values[:, 0].min() < 1e-9
