"""Dependencies of jobs that are numbered again; those of whole workloads are in test_dependencies.py."""

import numpy as np
import pytest

from paretosched import Requests
from paretosched.workload.renumbering import renumber


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("afterok:7", "afterok:11"),
        ("after:7+5,afterany:99", "after:11+5"),  # 99 is not in the log
        ("afterok:7_3", "afterok:11_3"),
        ("afterok:7:8", "afterok:11:12"),
        ("afterok:9", ""),  # it was not copied along
        ("afterok:7?afterok:9", ""),
        ("afterok:7?afterok:8", "afterok:11?afterok:12"),
        ("singleton:5,afterok:8", "singleton:5,afterok:12"),
        ("afterok:10", ""),  # it is submitted later
    ],
)
def test_numbers_in_dependencies(text: str, again: str) -> None:
    asked = Requests(tasks=[1] * 5, dependency=["", "", text, "", ""])
    columns = [7, 8, 6, 9, 10], [11, 12, 13, 14, 15], [0, 0, 5, 0, 6], [0, 0, 0, 1, 0]
    assert renumber(asked, *map(np.array, columns)).dependency.list()[2] == again
