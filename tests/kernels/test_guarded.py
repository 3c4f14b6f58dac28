"""A guarded order against the naive simulator, which simulates EASY from the first job on at every review."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Guarded, Workload, simulate
from support.down import down_at_times, down_workloads, with_down
from support.limit_zoo import limited_case
from support.machine_zoo import crowded_case
from support.naive_guarded import runs_on_nodes, start_times, terms_of
from support.placing import as_runs, runs_of
from support.simulating import DEEP, briefly, deep, starts, thoroughly
from support.zoo import ZOO, crowd, workloads


def of_oracle(w: Workload, policy: Guarded) -> list[int]:
    return start_times(w, terms_of(w, policy))


@st.composite
def policies(draw: st.DrawFn, groups: tuple[str, ...]) -> Guarded:
    first = draw(st.lists(st.sampled_from(groups), min_size=1, max_size=3, unique=True))
    factors = st.sampled_from([0.5, 0.9, 1.0, 1.02, 1.1, 1.25, 2.0])
    reviews = st.sampled_from([60, 61, 300, 3600, 21600])
    return Guarded(
        tuple(first),
        draw(factors),
        draw(factors),
        draw(reviews),
        *draw(st.tuples(st.sampled_from([1, 7, 600, 43200]), st.sampled_from([0.0, 1.5, 4.0]))),
    )


@thoroughly
@given(data=st.data(), w=workloads(30))
def test_is_that_of_the_oracle(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    assert starts(w, policy) == of_oracle(w, policy)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [Guarded(("1",), review=60, ageing=60), Guarded(("1",), 0.5, 0.5, 600, 10**9)])
@pytest.mark.parametrize("name", DEEP)
def test_is_that_of_the_oracle_with_a_deep_queue(name: str, policy: Guarded) -> None:
    w = deep(name, 1)
    w = w.with_(group=np.arange(len(w)) % 3, groups=("1", "2", "3"))
    assert starts(w, policy) == of_oracle(w, policy)


@pytest.mark.slow
@pytest.mark.parametrize("review", [60, 61])
def test_on_nodes_it_is_that_of_the_oracle(review: int) -> None:
    """In the books running jobs stay on their nodes from one review to the next, also on those that go down later."""
    policy = Guarded(("a",), 1.0, 1.1, review, 60, 3.0)
    other = 0
    for seed in range(review - 60, 30, 2):
        w = crowded_case(seed)
        schedule = simulate(w, policy).check()
        assert as_runs(schedule) == runs_of(w, runs_on_nodes(w, terms_of(w, policy))), seed
        other += schedule.start.tolist() != starts(w, "easy")
    assert other > 9


def test_is_that_of_the_oracle_on_nodes_where_jobs_wait_for_others() -> None:
    """In the books jobs come when they really do."""
    policy, other, waited = Guarded(("a",), 1.0, 1.1, 60, 50), 0, 0
    for seed in range(30):
        n, rng = 24, np.random.default_rng([seed, 7])
        w = limited_case(seed, with_limits=False, n=n)
        w = w.with_(submit=np.sort(w.submit // 4), group=rng.integers(0, 3, size=n), groups=("a", "b", "c"))
        if w.machine is None or w.machine.down:
            continue
        schedule = simulate(w, policy).check()
        assert as_runs(schedule) == runs_of(w, runs_on_nodes(w, terms_of(w, policy))), seed
        other += schedule.start.tolist() != starts(w, "easy")
        waited += int((schedule.workload.eligible > w.eligible).any())
    assert min(other, waited) > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_is_that_of_the_oracle_on_any_kind_of_workload(name: str) -> None:
    w = ZOO[name]
    policy = Guarded(w.groups[:2], 1.0, 1.1, 3600, 7200)
    assert starts(w, policy) == of_oracle(w, policy)


@pytest.mark.slow
def test_is_that_of_the_oracle_over_hundreds_of_reviews_that_change_classes() -> None:
    w = crowd(120)
    policies = Guarded(("1", "2")), Guarded(("1", "2"), 1.1, 1.05, 7200), Guarded(("3",), 0.9, 1.5, 900, 3600)
    schedules = [starts(w, policy) for policy in policies]
    assert schedules == [of_oracle(w, policy) for policy in policies]
    unguarded = starts(w, Guarded(("1", "2"), 100, 100))
    assert all(schedule != unguarded for schedule in schedules)


@thoroughly
@given(data=st.data(), w=down_workloads(workloads(30)))
def test_is_that_of_the_oracle_where_processors_are_down_at_times(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    assert starts(w, policy) == of_oracle(w, policy)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_is_that_of_the_oracle_with_a_deep_queue_and_down_times(name: str) -> None:
    w = deep(name, 1)
    w = down_at_times(w.with_(group=np.arange(len(w)) % 3, groups=("1", "2", "3")), 1)
    policy = Guarded(("1",), 0.5, 0.5, max(60, int(w.submit[-1]) // 20), 10**9)
    assert starts(w, policy) == of_oracle(w, policy)


@pytest.mark.slow
def test_is_that_of_the_oracle_over_reviews_that_change_classes_beside_down_times() -> None:
    w = down_at_times(crowd(80), 3, 20)
    policies = Guarded(("1", "2")), Guarded(("1", "2"), 1.1, 1.05, 7200), Guarded(("3",), 0.9, 1.5, 900, 3600)
    schedules = [starts(w, policy) for policy in policies]
    assert schedules == [of_oracle(w, policy) for policy in policies]
    unguarded = starts(w, Guarded(("1", "2"), 100, 100))
    assert all(schedule != unguarded for schedule in schedules)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "overall", "review"), [*((seed, 1.0, 7200) for seed in range(6)), (14, 0.95, 21600), (25, 1.0, 43200)]
)
def test_a_review_knows_what_is_before_it_and_not_before_the_next_event(seed: int, overall: float, review: int) -> None:
    """Few jobs, so that long after a review nothing happens; the last two notice EASY's starts after it."""
    w = down_at_times(crowd(40, seed), seed, 6)
    policy = Guarded(("1", "2"), overall, 1.02, review, 7200)
    assert starts(w, policy) == of_oracle(w, policy)


@briefly
@given(data=st.data(), w=workloads())
def test_down_times_after_all_jobs_change_nothing(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(policies(w.groups))
    end = max(starts(w, policy)) + int(w.estimate.max()) + 10**6
    assert starts(with_down(w, [(end, end + 5, w.capacity)]), policy) == starts(w, policy)


@briefly
@given(w=workloads())
def test_a_later_clock_makes_the_same_schedule_later(w: Workload) -> None:
    policy = Guarded(w.groups[:1], 1.0, 1.1, 60, 60)
    later = w.with_(submit=w.submit + 1_000_000)
    assert starts(later, policy) == [s + 1_000_000 for s in starts(w, policy)]


def test_run_times_that_nobody_can_know_yet_change_nothing() -> None:
    """Jobs start in the same seconds until the first job ends at another time."""
    w = crowd(400)
    policy = Guarded(("1", "2"), review=900)
    known = simulate(w, policy)
    until = int(np.quantile(known.start, 0.6))
    running = known.finish > until
    other = simulate(w.with_(run=np.where(running, w.estimate, w.run)), policy)
    before = known.start <= until
    assert (other.start[before] == known.start[before]).all()
    assert (other.start != known.start).any()
