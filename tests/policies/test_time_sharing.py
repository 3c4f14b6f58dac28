"""What the parameters of time sharing may be."""

from __future__ import annotations

import pytest

from paretosched import InputError
from paretosched.policies.time_sharing import TimeSharing


def test_no_unsound_parameters_of_time_sharing_can_be_made() -> None:
    with pytest.raises(InputError, match="interval must be in"):
        TimeSharing(interval=5)
