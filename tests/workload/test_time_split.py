"""A workload cut in time is two that lack nothing."""

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.workload.time_split import months, split
from support.exploring import random_workload

W = random_workload()


def test_parts_keep_groups_and_clock_and_every_job() -> None:
    first, rest = split(W, 0.7)
    border = W.submit[0] + 0.7 * (W.submit[-1] - W.submit[0])
    assert first.submit[-1] <= border < rest.submit[0]
    for key in ("submit", "run", "width", "group", "user", "job"):
        assert np.concatenate([getattr(first, key), getattr(rest, key)]).tolist() == getattr(W, key).tolist()
    for part in (first, rest):
        assert (part.groups, part.capacity, part.epoch, part.zone) == (W.groups, W.capacity, W.epoch, W.zone)


def test_workloads_without_parts_are_refused() -> None:
    for until in (0, 1, -0.1, 70, float("nan")):
        with pytest.raises(InputError, match="until must be a share of the time between 0 and 1"):
            split(W, until)
    with pytest.raises(InputError, match="random: all jobs are submitted at once"):
        split(W.with_(submit=np.zeros(60, dtype=np.int64)), 0.5)


def test_parts_are_cut_by_submission_though_jobs_are_eligible_later() -> None:
    later = W.with_(eligible=W.submit + np.arange(60) % 2 * 10**6)
    first, rest = split(later, 0.7)
    assert first.submit.tolist() == split(W, 0.7)[0].submit.tolist()
    assert np.concatenate([first.eligible, rest.eligible]).tolist() == later.eligible.tolist()


def test_a_log_with_a_time_in_milliseconds_has_no_months() -> None:
    w = random_workload(20)
    far = np.append(w.submit[:-1], 17 * 10**11)
    assert months(w.with_(submit=far)) == []


def test_the_time_of_a_cut_may_be_text() -> None:
    assert [part.digest for part in split(W, "0.7")] == [part.digest for part in split(W, 0.7)]  # type: ignore[arg-type]
