"""Open Parquet files of others: what a file will take in memory is known before its columns are read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .files import is_file
from .limits import check_limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELL = 8  # bytes of a number
MARK = b"PAR1"  # the first and the last bytes of every Parquet file


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as Parquet does; not if it is none, or cannot be read: its reader says why."""
    try:
        if not is_file(path):
            return False
        with Path(path).open("rb") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, ValueError):
        return False


@contextmanager
def open_parquet(path: Path, dictionaries: Sequence[str] = (), columns: Sequence[str] = ()) -> Iterator[Any]:
    """Yield a Parquet file, a `pyarrow.parquet.ParquetFile`, that is within the limit `cells`.

    Read it with use_threads=False: a command that ended while threads of pyarrow began was aborted now and then.

    Rows x columns count, and so do the bytes of the file, packed and unpacked, 8 as a cell. Of a file from which some
    columns are read, one group of rows after the other, only these columns of each group count.

    Parameters
    ----------
    path
        The file.
    dictionaries
        Columns of text that stay a list of different texts and an index into it for each row: a few bytes in the file
        could otherwise become a long text in each of a million rows.
    columns
        The columns that are read, if not all are.

    Raises
    ------
    InputError
        The file is beyond the limit.
    OSError, ValueError, pyarrow.ArrowException
        It cannot be read, or is no Parquet file.
    """
    from pyarrow import parquet

    if not columns:
        check_limit(path, "cells", path.stat().st_size / CELL)
    with (
        path.open("rb") as source,  # pyarrow opens no name that is not UTF-8
        parquet.ParquetFile(source, read_dictionary=[*dictionaries], page_checksum_verification=True) as file,
    ):
        about = file.metadata
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        if columns:
            for group in groups:
                chunks = [group.column(place) for place in range(about.num_columns)]
                sizes = [chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in columns]
                check_limit(path, "cells", max(group.num_rows * len(columns), sum(sizes) / CELL))
        else:
            size = sum(group.total_byte_size for group in groups)
            check_limit(path, "cells", max(about.num_rows * about.num_columns, size / CELL))
        yield file


def to_arrow(column: NDArray[Any]) -> Any:
    """Return the `pyarrow.Array` of a column of numbers; `pyarrow.array` would import pandas, half a second."""
    import numpy as np
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(column))
    return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), [None, buffer])


def from_arrow(column: Any) -> NDArray[Any]:
    """Return the numbers of a `pyarrow.ChunkedArray` without gaps; its own `to_numpy` would import pandas, too."""
    import numpy as np

    return np.from_dlpack(column.combine_chunks())


def check_ends(path: Path) -> None:
    """Refuse a file of another kind, and one that is cut short; in plainer words than the reader has.

    Raises
    ------
    InputError
        It is no Parquet file, or has no end.
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        begin = file.read(len(MARK))
        if begin != MARK:
            raise InputError("it must be a Parquet file, but is a file of another kind")
        file.seek(-len(MARK), os.SEEK_END)
        if file.tell() == 0 or file.read() != MARK:
            raise InputError("it is cut short: the end of the Parquet file is missing")
