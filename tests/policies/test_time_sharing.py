"""What the parameters of time sharing may be."""

from __future__ import annotations

import pytest

from paretosched import InputError, simulate
from paretosched.policies.time_sharing import TimeSharing
from support.down import with_down
from support.zoo import jobs


def test_no_unsound_parameters_of_time_sharing_can_be_made() -> None:
    with pytest.raises(InputError, match="interval must be in"):
        TimeSharing(interval=5)


def test_down_times_are_refused() -> None:
    w = with_down(jobs(8, (0, 10, 12, 3)), [(4, 6, 1)])
    with pytest.raises(
        InputError, match=r"^workload: processors are down at times, which time sharing cannot respect: "
    ):
        simulate(w, "scojo")
