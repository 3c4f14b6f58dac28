"""Fronts are written whole and read as they were."""

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from paretosched.core.errors import InputError
from paretosched.fronts.front_files import load_front
from paretosched.search.exploration import explore
from paretosched.workload.workload import Measured, Workload


def test_the_front_of_a_log_of_millennia_can_be_read_again(tmp_path: Path) -> None:
    w = Workload(submit=[0, 1, 2**40], run=[3, 3, 3], estimate=[3, 3, 3], width=[1, 1, 1], user=[1, 2, 3], capacity=2)
    front = explore(w, tmp_path / "run", evaluations=20, population=10, util_from="submission")
    again = load_front(tmp_path / "run")
    assert again.values.tolist() == front.values.tolist()
    assert 0 < front.values[:, 0].min() < 1e-9


@pytest.mark.parametrize(
    ("measured", "rule"),
    [
        (3, "lists of at most 64"),
        (None, "lists of at most 64"),
        ({"names": 4}, "lists of at most 64"),
        ({"names": ["mean wait"], "deciding": ["UTIL"]}, "must decide"),
        ({"names": ["mean wait"], "deciding": ["UTIL", "UTIL"]}, "different names"),
        ({"names": ["mean wait"], "deciding": ["UTIL", "jain wait"]}, "must decide"),
        ({"names": ["wait"]}, "must have its own name"),
        ({"names": ["mean wait", "p95 wait"]}, "must have other columns"),
        ({"names": [f"share wait > {second}s" for second in range(100)]}, "lists of at most 64"),
    ],
)
def test_damaged_measures_are_refused(tmp_path: Path, measured: object, rule: str) -> None:
    w = Workload(submit=[0, 1, 2], run=[3, 3, 3], estimate=[3, 3, 3], width=[1, 1, 1], user=[1, 2, 3], capacity=2)
    explore(w, tmp_path / "run", evaluations=20, population=10, objectives="UTIL, mean wait")
    path = tmp_path / "run" / "front.parquet"
    assert load_front(path).measured == Measured(("mean wait",), ("UTIL", "mean wait"))
    table = parquet.read_table(path)
    about = json.loads(table.schema.metadata[b"paretosched"]) | {"measured": measured}
    facts = {**table.schema.metadata, b"paretosched": json.dumps(about).encode()}
    parquet.write_table(table.replace_schema_metadata(facts), path)
    with pytest.raises(InputError, match=rule):
        load_front(path)
