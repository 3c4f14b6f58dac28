"""Each workload gets its own front, and a front of other jobs is refused."""

import numpy as np
import pytest

from paretosched.comparison.front_of_workload import assign, foreign
from paretosched.core.errors import InputError
from paretosched.fronts.front import Front
from paretosched.workload.workload import Workload
from support.fronts import made_up

WORKLOAD = Workload(submit=[0, 1], run=[10, 5], estimate=[10, 5], width=[3, 4], capacity=4, name="two jobs")
OTHER = WORKLOAD.with_(run=[20, 5], estimate=[20, 5], name="another")


def a_front_of(w: Workload) -> Front:
    return made_up(np.zeros((1, 3)), w.groups, w.name, w.digest)


def test_every_workload_gets_its_own_front() -> None:
    ours, theirs = a_front_of(WORKLOAD), a_front_of(OTHER)
    assert assign([WORKLOAD, OTHER], [theirs, ours]) == [ours, theirs]
    assert assign([WORKLOAD, OTHER], [theirs]) == [None, theirs]
    assert assign([WORKLOAD, WORKLOAD], [ours]) == [ours, ours]
    with pytest.raises(InputError, match=r"front must be of one of the workloads: .* of four \(.*\), not of two jobs"):
        assign([WORKLOAD, OTHER], [a_front_of(WORKLOAD.with_(capacity=5, name="four"))])
    with pytest.raises(InputError, match="one for each workload, but there are two of two jobs"):
        assign([WORKLOAD, OTHER], [ours, theirs, ours])


def test_the_refusal_names_all_that_makes_other_jobs_of_a_log() -> None:
    words = str(foreign(a_front_of(OTHER), [WORKLOAD]))
    assert "front must be of the same workload: jobs, capacity and groups, but it is of another (" in words
    assert "give the log with the capacity, groups and overrun of the front's run, or this run itself" in words
