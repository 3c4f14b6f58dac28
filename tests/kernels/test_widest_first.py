"""Wide jobs run one after the other, the widest first: their pieces by hand."""

import numpy as np

from paretosched.kernels.widest_first import widest_first


def test_pieces_by_hand() -> None:
    # 3 wide from 0, stopped by 5 wide at 4, which is not stopped by 4 wide at 5; idle; then two in the order of arrival
    submit, run, width = np.array([[0, 4, 5, 50, 50], [10, 3, 2, 1, 1], [3, 5, 4, 3, 3]])
    pieces = np.empty((4, 10), np.int64)
    count = widest_first(submit, run, width, pieces)
    assert pieces[:, :count].T.tolist() == [
        [0, 4, 3, 0],
        [4, 1, 5, 0],
        [5, 2, 5, 0],
        [7, 2, 4, 2],
        [9, 6, 3, 5],
        [50, 1, 3, 0],
        [51, 1, 3, 1],
    ]
    assert widest_first(submit[:0], run[:0], width[:0], pieces) == 0
