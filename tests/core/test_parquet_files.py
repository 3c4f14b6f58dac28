"""Columns of numbers become Arrow's and arrays again, without pandas."""

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from paretosched.core.parquet_files import from_arrow, to_arrow
from support.commands import environment

COLUMNS = [
    np.array([1.5, np.nan, -0.0, np.inf]),
    np.array([2**62, -1]),
    np.empty(0),
    np.arange(12.0).reshape(4, 3)[:, 1],
]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_is_that_of_pyarrow_and_comes_back_bit_for_bit(column: NDArray[Any]) -> None:
    arrow = to_arrow(column)
    assert arrow.type == pa.array(column).type
    assert arrow.null_count == 0
    assert arrow.to_numpy().tobytes() == column.tobytes()
    for chunks in ([arrow], [arrow[:1], arrow[1:]]):
        again = from_arrow(pa.chunked_array(chunks))
        assert again.dtype == column.dtype
        assert again.tobytes() == column.tobytes()


def test_pandas_is_not_loaded() -> None:
    script = (
        "import sys, numpy, pyarrow\nfrom paretosched.core.parquet_files import from_arrow, to_arrow\n"
        "table = pyarrow.table({'a': to_arrow(numpy.arange(3))})\n"
        "print(from_arrow(table.column('a')).tolist(), 'pandas' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, check=True)
    assert process.stdout.split(b"\n")[0] == b"[0, 1, 2] False"
