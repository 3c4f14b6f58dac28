"""SCOJO-PECT against the oracle, examples on paper, and what such schedules must obey."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload, simulate
from paretosched.policies.time_sharing import Shares, TimeSharing
from support.sharing import GROUPS, PAPER, SMALL, crowds, same_as_oracle, sharings, thoroughly
from support.zoo import ZOO, jobs, random_jobs

PLAIN = {
    "slices": SMALL,
    "no overhead": replace(SMALL, overhead=0, interval=11),
    "long slices": replace(SMALL, interval=500, overhead=10),
    "own jobs only": replace(SMALL, backfill=False),
    "estimates": replace(SMALL, run_times="estimates"),
    "much for short jobs": replace(SMALL, shares=(Shares(0, 0.5, 0.25, 0.25),)),
    "hours of the day": replace(SMALL, shares=(Shares(6), Shares(9, 0.1, 0.6, 0.3), Shares(21, 0.2, 0.2, 0.6))),
    "as in the paper": TimeSharing(),
}
OPTIMISED = {
    "groups": GROUPS,
    "lds": GROUPS._replace(search="lds"),
    "dds": GROUPS._replace(search="dds"),
    "a threshold": GROUPS._replace(threshold=2),
    "no pruning": GROUPS._replace(pruning=False),
    "first level": GROUPS._replace(second_level=False),
    "not rounded": GROUPS._replace(ceiling=False),
    "no shifts, one candidate": GROUPS._replace(force_shift=0.0, candidates=1),
    "no dynamic backfilling": GROUPS._replace(dynamic=False),
    "choice without end": GROUPS._replace(makespan=9.0, utilisation=0.0, response=9.0, force_shift=9.0),
    "bottom line": GROUPS._replace(method="bottom-line", search="dds"),
}
SHARINGS = PLAIN | {
    name: replace(sharing, optimisation=optimisation)
    for name, optimisation in OPTIMISED.items()
    for name, sharing in ((name, SMALL), (f"{name}, own jobs only", replace(SMALL, backfill=False)))
}
BIG = {"a million processors", "a million processors, small jobs"}  # nodes are sets in the oracle


NAMES = [name for name in ZOO if name not in BIG]
A_YEAR = random_jobs(
    7, 12, 4, gap=2, run=3, grain=10**6
)  # the oracle takes every slice in turn, so twenty years take it long


@pytest.mark.slow
@pytest.mark.parametrize("sharing", SHARINGS)
def test_equals_the_oracle_on_awkward_workloads(sharing: str) -> None:
    """Every workload meets some settings, and every setting some workloads."""
    for name in NAMES[list(SHARINGS).index(sharing) % 8 :: 8]:
        same_as_oracle(A_YEAR if name == "years" else ZOO[name], SHARINGS[sharing])


def test_the_awkward_workloads_have_slices_preemptions_and_groups() -> None:
    schedules = [simulate(ZOO[name], SHARINGS["groups"]) for name in NAMES]
    counts = np.array([m.searched for m in schedules])
    assert (counts[:, 0].sum(axis=0) > 20).all()  # groups of medium and of long jobs
    assert (counts[:, 2:].sum(axis=0) > 20).all()  # nodes visited and pruned in both levels
    assert sum(m.segments.job.size - len(m.workload) for m in schedules if m.segments) > 50


@pytest.mark.slow
@thoroughly
@given(w=crowds(), sharing=sharings())
def test_equals_the_oracle(w: Workload, sharing: TimeSharing) -> None:
    same_as_oracle(w, sharing)


# ---- what any such schedule must obey


@pytest.mark.slow
@thoroughly
@given(w=crowds(), sharing=sharings(), seconds=st.integers(0, 10**6))
def test_a_later_clock_makes_the_same_schedule_later(w: Workload, sharing: TimeSharing, seconds: int) -> None:
    schedule, later = simulate(w, sharing), simulate(w.with_(submit=w.submit + seconds), sharing)
    assert (later.start - schedule.start == seconds).all()
    assert (later.finish - schedule.finish == seconds).all()


@pytest.mark.slow
@thoroughly
@given(w=crowds())
def test_with_one_class_and_own_jobs_only_it_is_easy(w: Workload) -> None:
    one_class = TimeSharing(
        interval=20, overhead=3, medium_from=100, long_from=100, short_slice=5, run_times="estimates"
    )
    assert simulate(w, one_class).start.tolist() == simulate(w, "easy").start.tolist()


def segments(w: Workload, sharing: TimeSharing) -> list[tuple[int, int, int, tuple[tuple[int, int], ...]]]:
    s = simulate(w, sharing).check().segments
    assert s is not None
    return [*zip(s.job.tolist(), s.begin.tolist(), s.end.tolist(), map(s.nodes, range(s.job.size)), strict=True)]


def test_slices_take_turns_and_jobs_of_other_classes_use_what_is_idle() -> None:
    # The long job begins alone at 0; its slice is the whole interval. The medium one arrives at 10 and needs three
    # processors, so that it waits for its own slice, at 100; that begins at 105 and, as 90 s are left for both when the
    # long slice's switch is paid, ends after 22 s, at 127. The medium job is done at 125: its slice ends, and after
    # another switch the long one goes on at 130. In the medium slice two long processors were not free together.
    w = jobs(4, (0, 200, 200, 2), (10, 20, 20, 3))
    assert segments(w, PAPER) == [
        (0, 0, 100, ((0, 1),)),
        (0, 130, 230, ((0, 1),)),
        (1, 105, 125, ((0, 2),)),
    ]
    # A medium job of two processors runs beside the long one at once; at the end of the interval the next slice is its
    # own, if it is still there.
    w = jobs(4, (0, 200, 200, 2), (10, 95, 95, 2))
    assert segments(w, PAPER) == [
        (0, 0, 100, ((0, 1),)),
        (0, 105, 110, ((0, 1),)),
        (0, 115, 210, ((0, 1),)),
        (1, 10, 100, ((2, 3),)),
        (1, 105, 110, ((2, 3),)),
    ]
    assert segments(w, replace(PAPER, backfill=False))[0] == (0, 0, 100, ((0, 1),))


def test_shares_change_with_the_hour_until_all_has_ended() -> None:
    w = jobs(1, (0, 800_000, 800_000, 1), *[(0, 10_000, 10_000, 1)] * 12)
    shares = (Shares(8, 0.0, 0.03, 0.97), Shares(20, 0.0, 0.15, 0.85))
    sharing = TimeSharing(interval=1000, overhead=300, short_slice=90, shares=shares)
    schedule = same_as_oracle(w, sharing)
    assert schedule.finish.max() > 2 * w.run.sum()  # switches last longer than jobs run


def test_a_job_of_ages_takes_no_ages() -> None:
    ages = 10**13
    w = jobs(4, (0, ages, ages, 2), (5, 20, 20, 3), (ages + 7, 20, 20, 3))
    schedule = simulate(w, TimeSharing()).check()
    # The long job loses two switches of 60 s and the 20 s of the medium one; then there is another switch.
    assert schedule.start.tolist() == [0, 3660, ages + 200]
    assert schedule.finish.tolist() == [ages + 140, 3680, ages + 220]
