"""What sbatch takes for a dependency."""

import pytest

import paretosched as ps
from paretosched.workload.dependency_words import Awaited, awaited_in


def test_all_kinds() -> None:
    text = "after:1+2:3, afterany:4_5,AfterOK:6(failed),afternotok:7,aftercorr:8,singleton,singleton:9"
    assert awaited_in(text) == (
        [
            Awaited("after", 1, None, 120),
            Awaited("after", 3, None, 0),
            Awaited("afterany", 4, 5, None),
            Awaited("afterok", 6, None, None),
            Awaited("afternotok", 7, None, None),
            Awaited("aftercorr", 8, None, None),
        ],
        False,
    )
    assert awaited_in("afterok:1?afterok:2")[1]
    assert awaited_in("afterok") == awaited_in("") == ([], False)


@pytest.mark.parametrize("text", ["afterok:x", "later:3", "afterok:1:", "singleton:1:2", "afterok:1_x"])
def test_what_sbatch_does_not_take_is_refused(text: str) -> None:
    with pytest.raises(ps.InputError, match="a dependency must be TYPE:JOB"):
        awaited_in(text)
