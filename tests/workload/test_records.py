import pickle

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.workload.records import Records, join_pieces, pack

TABLE = np.array([[1, -1, 0.5, 2.0**52, 300], [2, -1, 0.25, -5, 7], [3, -1, 8, 0, -40000]])


def test_records_are_the_table_in_smaller_types() -> None:
    records = Records.of(TABLE)
    assert [column.dtype.name for column in records.columns] == ["int8", "int8", "float64", "int64", "int32"]
    assert np.array_equal(np.asarray(records), TABLE)
    assert (records.shape, len(records)) == ((3, 5), 3)
    assert records[1, 2] == 0.25
    assert records[:, 4].tolist() == [300, 7, -40000]
    assert records[:, 4].dtype == np.float64
    assert np.array_equal(records[1:, [0, 3]], TABLE[1:, [0, 3]])
    assert records.columns[1].strides == (0,)  # one number for all rows


def test_records_are_taken_replaced_and_pickled() -> None:
    records = Records.of(TABLE)
    rows = np.array([2, 0, 0])
    assert np.array_equal(np.asarray(records.take(rows)), TABLE[rows])
    for mask in (np.array([True, False, True]), np.zeros(3, dtype=bool)):
        assert [column.shape for column in records.take(mask).columns] == [(mask.sum(),)] * 5
        assert np.array_equal(np.asarray(records.take(mask)), TABLE[mask])
    copy = records.with_columns({0: np.array([7, 8, 9]), 3: -1})
    assert np.asarray(copy).tolist() == [[7, -1, 0.5, -1, 300], [8, -1, 0.25, -1, 7], [9, -1, 8, -1, -40000]]
    again = pickle.loads(pickle.dumps(records))
    assert np.array_equal(np.asarray(again), TABLE)
    for column in (*again.columns, *records.take(rows).columns, *copy.columns):
        assert not column.flags.writeable
    with pytest.raises(InputError, match="must be a table"):
        Records.of([1, 2])


def test_nan_and_huge_numbers_stay() -> None:
    odd = np.array([[np.nan, np.inf, 2.0**60, -0.0]])
    assert np.array_equal(np.asarray(Records.of(odd)), odd, equal_nan=True)


def test_pieces_of_a_column_are_joined_in_a_type_that_holds_all() -> None:
    pieces = [pack(np.array(numbers)) for numbers in ([1.0, 2.0], [0.5, 0.5], [300.0])]
    assert join_pieces(pieces).tolist() == [1, 2, 0.5, 0.5, 300]
    same = join_pieces([pack(np.full(3, 9.0)), pack(np.full(2, 9.0))])
    assert (same.tolist(), same.strides) == ([9] * 5, (0,))
    assert join_pieces([pack(np.full(3, 9.0)), pack(np.full(2, 8.0))]).tolist() == [9, 9, 9, 8, 8]
