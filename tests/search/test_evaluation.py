"""Where a policy is simulated, and with how many others, changes nothing; a worker that dies costs a repetition."""

import os
import signal
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.encodings.sequence import Sequences
from paretosched.encodings.weighting import Weighting, decode
from paretosched.search.evaluation import LONGEST_TASK, Compute, batch_sizes, evaluator, simulations, versions
from paretosched.search.exploration import explore
from paretosched.simulation.objective import objectives_of
from paretosched.simulation.simulator import simulate
from paretosched.workload.measures import with_measures
from support.down import down_at_times
from support.exploring import random_workload, two_workers
from support.later import later
from support.limit_zoo import limited_case
from support.machine_zoo import random_case

W = random_workload(jobs=80, groups=3)
EASY = Weighting("easy")


def random_genomes(count: int, groups: int = 3, seed: int = 0) -> np.ndarray:
    lower, upper = Weighting().lower_upper(groups)
    return lower + (upper - lower) * np.random.default_rng(seed).random((count, upper.size))


def one_by_one(genomes: np.ndarray, workload=W) -> bytes:  # type: ignore[no-untyped-def]
    rows = [objectives_of(workload, decode(g, workload.groups, "easy").outcome(workload)) for g in genomes]
    return np.array(rows).tobytes()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A cluster that was started before."""
    with two_workers() as address:
        yield address


def test_threads_give_what_one_by_one_gives_whatever_the_cut() -> None:
    genomes = random_genomes(37)
    with evaluator(W, EASY) as evaluate:
        whole, seconds = evaluate(genomes, 0)
        parts = [evaluate(genomes[:last], first)[0] for first, last in pairwise([0, 1, 2, 30, 37])]
        none = evaluate(genomes, 37)
    assert whole.tobytes() == one_by_one(genomes)
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert seconds.shape == (37,)
    assert (seconds > 0).all()
    assert (none[0].shape, none[1].shape) == ((0, 5), (0,))


@pytest.mark.slow
def test_processes_give_the_same_bits() -> None:
    genomes = random_genomes(37)
    with evaluator(W, EASY, workers=2) as evaluate:
        assert evaluate(genomes, 0)[0].tobytes() == one_by_one(genomes)
        assert evaluate(genomes[:9], 5)[0].tobytes() == one_by_one(genomes[5:9])


@pytest.mark.slow
def test_processes_know_what_is_down_and_from_when_on_utilisation_counts() -> None:
    down, genomes = down_at_times(W, 5), random_genomes(6)
    alone = {}
    for util_from in ("start", "submission"):
        with evaluator(down, EASY, util_from=util_from) as evaluate:
            alone[util_from] = evaluate(genomes, 0)[0]
        with evaluator(down, EASY, workers=1, util_from=util_from) as evaluate:
            assert evaluate(genomes, 0)[0].tobytes() == alone[util_from].tobytes()
    assert alone["start"].tobytes() == one_by_one(genomes, down) != one_by_one(genomes, W)
    assert (alone["submission"][:, 0] <= alone["start"][:, 0]).all()


def test_jobs_wait_for_others_as_they_do_when_one_policy_is_simulated() -> None:
    """The values of a search are those of the schedules; without dependencies they are others."""
    workload = limited_case(5, with_limits=False, n=20)
    genomes = random_genomes(4, len(workload.groups))
    with evaluator(workload, EASY) as evaluate:
        values = evaluate(genomes, 0)[0]
    schedules = [simulate(workload, decode(g, workload.groups, "easy")) for g in genomes]
    assert values.tobytes() == np.array([schedule.objectives.array for schedule in schedules]).tobytes()
    assert any((schedule.workload.eligible != workload.eligible).any() for schedule in schedules)
    with evaluator(workload.without("dependencies"), EASY) as evaluate:
        assert (evaluate(genomes, 0)[0] != values).any()


@pytest.mark.slow
def test_processes_know_nodes_users_and_measures() -> None:
    w = next(w for w in (random_case(seed, 20) for seed in range(9)) if "GPUs" in w.resource_shares)
    w = w.with_(user=np.arange(20) % 3)
    measured = with_measures(w, ["p95 wait of (width >= 2)", "jain slowdown", "UTIL_gpus"])
    genomes = EASY.examples(w.groups)[1]
    with evaluator(measured, EASY) as evaluate:
        alone = evaluate(genomes, 0)[0]
    assert alone.shape[1] == len(w.groups) + 5
    with evaluator(measured, EASY, workers=1) as evaluate:
        assert evaluate(genomes, 0)[0].tobytes() == alone.tobytes()


@pytest.mark.parametrize("workers", [0, 1])
def test_several_workloads_give_their_values_side_by_side(workers: int) -> None:
    genomes, other = random_genomes(26), random_workload(jobs=50, seed=9)
    values = np.empty((22, 10))
    with simulations([W, other], EASY, Compute(workers)) as there:
        there.submit(genomes, 4, [9, 1, 12])
        while there.running:
            for number, part, seconds in there.results():
                values[number - 4 : number - 4 + len(part)] = part
                assert (seconds > 0).all()
    assert np.ascontiguousarray(values[:, :5]).tobytes() == one_by_one(genomes[4:])
    assert np.ascontiguousarray(values[:, 5:]).tobytes() == one_by_one(genomes[4:], other)


@pytest.mark.slow
def test_a_cluster_that_is_there_already_gives_the_same_bits_and_is_left_clean(scheduler: str) -> None:
    from distributed import Client

    genomes = random_genomes(37)
    other = later(random_workload(jobs=50, groups=3, seed=9))
    with evaluator(W, EASY, scheduler=scheduler) as one, evaluator(other, EASY, scheduler=scheduler) as two:
        assert one(genomes, 0)[0].tobytes() == one_by_one(genomes)
        assert two(genomes, 0)[0].tobytes() == one_by_one(genomes, other)
        assert one(genomes, 0)[0].tobytes() == one_by_one(genomes)
    with Client(scheduler, set_as_default=False) as client:
        assert set(client.run(workloads_held).values()) == {0}


def workloads_held() -> int:
    from paretosched.search.evaluation import _DELIVERED

    return len(_DELIVERED)


@pytest.mark.slow
def test_workers_are_told_what_others_found_of_ancestors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of sequences, one task each: without it, a worker would vary again what the other one has varied."""
    from paretosched.search.evaluation import _Kept

    told: list[set[int]] = []
    of = _Kept.of

    def note(self: _Kept, ancestors: np.ndarray) -> dict[int, bytes]:
        changes = of(self, ancestors)
        told.append({*changes})
        return changes

    monkeypatch.setattr(_Kept, "of", note)
    encoding = Sequences("strict", moves="fill")
    chain = np.array([[0, -1, -1, 0, 1, 1], *([i, i - 1, -1, i, 3, 20] for i in range(1, 12))], dtype=np.float64)
    decode = encoding.decoder(W)
    expected = np.array([objectives_of(W, decode(row, chain[:i]), "start") for i, row in enumerate(chain)])
    with evaluator(W, encoding, workers=2) as evaluate:
        for i in range(len(chain)):
            assert evaluate(chain[: i + 1], i)[0].tobytes() == expected[[i]].tobytes()
    assert told == [{*range(1, i)} for i in range(len(chain))]


def test_what_is_told_of_ancestors_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from paretosched.search import evaluation

    monkeypatch.setattr(evaluation, "MOST_KEPT", 50)
    monkeypatch.setattr(evaluation, "MOST_SENT", 25)
    kept = evaluation._Kept()
    ancestors = np.arange(12.0)[:, None]
    kept.add({number: bytes(10) for number in (0, 1, 2)})
    assert kept.of(ancestors[:2]).keys() == {0, 1}
    assert kept.of(ancestors).keys() == {2, 1}  # the latest
    for number in range(3, 9):
        kept.add({number: bytes(10), 8: bytes(10)})  # a repetition takes no room
    assert kept.of(ancestors).keys() == {8, 7}
    assert [number for number in range(9) if kept.of(ancestors[[number]])] == [4, 5, 6, 7, 8]


@pytest.mark.slow
def test_every_worker_may_die_in_the_middle(scheduler: str) -> None:
    from distributed import Client

    large = random_workload(jobs=3000, groups=3)
    genomes = random_genomes(400)
    expected = one_by_one(genomes, large)
    with (
        Client(scheduler, set_as_default=False) as client,
        evaluator(large, EASY, scheduler=scheduler) as evaluate,
    ):
        evaluate(genomes[:8], 0)
        before = set(client.run(os.getpid).values())
        idle = threading.Event()

        def murder() -> None:
            for pid in before:
                idle.wait(0.15)
                os.kill(pid, signal.SIGKILL)

        murderer = threading.Thread(target=murder)
        murderer.start()
        values, seconds = evaluate(genomes, 0)
        murderer.join()
        client.wait_for_workers(2, timeout=60)
        assert not before & set(client.run(os.getpid).values())
        assert values.tobytes() == expected
        assert len(seconds) == 400
        # the new workers were given the workload too
        assert evaluate(genomes[:40], 0)[0].tobytes() == expected[: values[:40].nbytes]


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_one_line_in_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paretosched.search.cluster.PATIENCE", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense://there", "tcp://127.0.0.1:notaport"):
        with (
            pytest.raises(InputError, match=f'scheduler "{address}" must be a reachable') as error,
            evaluator(W, EASY, scheduler=address),
        ):
            pass
        assert "\n" not in str(error.value)


@pytest.mark.slow
def test_a_scheduler_without_workers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr("paretosched.search.cluster.PATIENCE", 3.0)
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        pytest.raises(InputError, match="must have a worker, but has none"),
        evaluator(W, EASY, scheduler=cluster.scheduler_address),
    ):
        pass


def test_workers_with_other_versions_are_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paretosched.search.evaluation.__version__", "0.0.0")
    with (
        pytest.raises(InputError, match=r"workers must have the same versions as here, .*0\.0\.0"),
        evaluator(W, EASY, scheduler=scheduler),
    ):
        pass


def test_workers_and_scheduler_exclude_each_other() -> None:
    with pytest.raises(InputError, match="must not both be given"), evaluator(W, EASY, 2, "tcp://127.0.0.1:9"):
        pass
    for workers in (-1, 10_000):
        rule = rf"workers must be in 0\.\.\d+, 4 a core of this machine, but is {workers}"
        with pytest.raises(InputError, match=rule), evaluator(W, EASY, workers):
            pass


@given(st.integers(0, 500), st.integers(1, 64), st.none() | st.floats(1e-6, 10))
def test_batches_cover_a_generation_and_shrink(count: int, slots: int, seconds: float | None) -> None:
    sizes = batch_sizes(count, slots, seconds)
    assert sum(sizes) == count
    assert min(sizes, default=1) >= 1
    assert sizes == sorted(sizes, reverse=True)
    if seconds:
        assert max(sizes, default=1) <= max(1.0, LONGEST_TASK / seconds)


def test_every_round_of_tasks_is_a_share_of_what_is_left_and_no_task_is_too_long() -> None:
    assert batch_sizes(100, 2, 0.03) == [33, 33, 15, 15, 2, 2]
    assert batch_sizes(100, 4, 0.008) == [25, 25, 25, 25]
    assert batch_sizes(3, 2, 0.03) == [2, 1]
    assert batch_sizes(9, 2, None) == [2, 2, 2, 1, 1, 1]


@pytest.mark.slow
def test_versions_name_what_a_last_bit_may_depend_on() -> None:
    assert set(versions()) == {"python", "paretosched", "numpy", "numba"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            {"algorithm": "archive", "lag": 30},
            "70 of 100 workers will idle: the run has a lag of 30; a new one with --lag 1000",
        ),
        (
            {"algorithm": "nsga2"},
            "90 of 100 workers will idle: the run has generations of 10; a new one with --population 100",
        ),
        ({"algorithm": "archive", "lag": 100}, ""),
        ({"algorithm": "random"}, ""),
    ],
)
def test_more_workers_than_a_run_can_keep_busy_are_told_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    words: dict[str, str | int],
    says: str,
) -> None:
    monkeypatch.setattr("dask.system.CPU_COUNT", 100)
    explore(W, tmp_path / "run", evaluations=20, population=10, seed=3, **words)  # type: ignore[arg-type]
    assert [record.message for record in caplog.records] == ([f"{says} has work for all"] if says else [])
