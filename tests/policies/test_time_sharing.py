"""What the parameters of time sharing may be."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from paretosched import InputError, load_policy, save_policy, simulate
from paretosched.policies.time_sharing import Grouping, Optimisation, Shares, TimeSharing
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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TimeSharing(interval=3600.5), "interval must be a whole number, but is 3600.5"),  # type: ignore[arg-type]
        (lambda: TimeSharing(overhead=60.0), "overhead must be a whole number, but is 60.0"),  # type: ignore[arg-type]
        (lambda: TimeSharing(shares=(Shares(0.5),)), "hour of shares must be a whole number, but is 0.5"),  # type: ignore[arg-type]
        (lambda: Optimisation(permutations=5.5), "permutations must be a whole number, but is 5.5"),  # type: ignore[arg-type]
        (lambda: Optimisation(long=Grouping(least=5.5)), "least of long must be a whole number, but is 5.5"),  # type: ignore[arg-type]
    ],
)
def test_what_no_policy_file_can_say_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make()


def test_a_policy_is_the_same_from_other_kinds_of_numbers_and_lists(tmp_path: Path) -> None:
    optimisation = Optimisation(permutations=np.int64(5), medium=Grouping(most=np.int64(9)))  # type: ignore[arg-type]
    policy = TimeSharing(np.int64(3600), shares=[Shares()], optimisation=optimisation)  # type: ignore[arg-type]
    assert policy == TimeSharing(3600, optimisation=Optimisation(permutations=5, medium=Grouping(most=9)))
    save_policy(policy, tmp_path / "p.json")
    assert load_policy(tmp_path / "p.json") == policy
    assert len({policy}) == 1
