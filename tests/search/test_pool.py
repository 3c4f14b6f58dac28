"""Our own workers are heard by nobody else, and what is lost with one of them comes back or ends in one line."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from paretosched.core.errors import InputError, WorkersLostError
from paretosched.encodings.weighting import Weighting
from paretosched.search import pool as pools
from paretosched.search.evaluation import evaluator
from paretosched.search.exploration import explore
from paretosched.search.pool import Pool, own_workers
from support.exploring import genomes_and_values, random_workload

pytestmark = pytest.mark.slow

W = random_workload(jobs=80, groups=3)
EASY = Weighting("easy")
SCRIPT = """
import sys, time
from paretosched.search.pool import own_workers

def nothing(_):
    pass

if __name__ == "__main__":
    with own_workers(2) as workers:
        workers.deliver("", nothing, nothing)
        workers.start(time.sleep, {0: 100, 1: 100})
        print("ready", flush=True)
        time.sleep(100)
"""


def workers_here() -> list[psutil.Process]:
    """The worker processes of this process."""
    children = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def nothing(_: object) -> None:
    """Set nothing up."""


def die(_: object) -> None:
    """Die, as for want of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail(_: object) -> None:
    """Fail as a simulation must not."""
    raise ZeroDivisionError


def fault_count(_: object) -> int:
    """Write to new arrays again and again, and return how many pages that needed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        np.ones(2**17)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def all_end(processes: list[psutil.Process]) -> bool:
    """Whether all processes end in some seconds."""
    return not psutil.wait_procs(processes, timeout=20)[1]


def test_nobody_can_talk_to_our_workers() -> None:
    here = psutil.Process()
    before = len(here.net_connections())
    with evaluator(W, EASY, workers=2) as evaluate:
        evaluate(genomes_and_values(W)[0], 0)
        processes = workers_here()
        assert len(processes) == 2
        assert [process.net_connections("all") for process in processes] == [[], []]
        assert len(here.net_connections()) == before
    assert all_end(processes)


def test_the_seconds_of_a_simulation_are_all_of_its_seconds() -> None:
    """CPU time, so that another process can hardly change it; without that of the kernels it would be a tenth."""
    workload = random_workload(jobs=4000, groups=3)
    genomes = genomes_and_values(W)[0]
    sums = []
    for workers in (0, 1):
        with evaluator(workload, EASY, workers=workers) as evaluate:
            evaluate(genomes, 0)
            sums.append(evaluate(genomes, 0)[1].sum())
    assert sums[1] > sums[0] / 3


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_a_worker_that_is_lost_is_replaced(
    blow: signal.Signals, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, seconds in (("BEAT", 0.1), ("LOOK", 0.2)):
        monkeypatch.setattr(pools, name, seconds)
    begin_again = Pool._begin_again

    def with_time(pool: Pool) -> None:  # new ones may take long to start on a busy machine
        monkeypatch.setattr(pools, "SILENT", 60.0)
        begin_again(pool)

    monkeypatch.setattr(Pool, "_begin_again", with_time)
    genomes, expected = genomes_and_values(W)
    with evaluator(W, EASY, workers=2) as evaluate:
        evaluate(genomes, 0)
        monkeypatch.setattr(pools, "AWAY", 3600.0)  # a busy machine is no excuse here
        for _ in range(3):
            for worker in workers_here()[: 2 if blow == signal.SIGSTOP else 1]:
                worker.send_signal(blow)
            monkeypatch.setattr(pools, "SILENT", 2.0 if blow == signal.SIGSTOP else 60.0)
            assert evaluate(genomes, 0)[0].tobytes() == expected
    # the others may have done all before it is noticed
    assert 1 <= caplog.text.count("killed, perhaps for want of memory; what was lost is simulated again") <= 2


def test_workers_that_were_away_with_this_process_are_not_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-Z all go on, and this process may look before the others have said a word."""
    for name, seconds in (("SILENT", 0.5), ("BEAT", 0.1), ("LOOK", 0.1), ("AWAY", 0.3)):
        monkeypatch.setattr(pools, name, seconds)
    with own_workers(1) as pool:
        monkeypatch.setattr(pools, "SILENT", 60.0)
        pool.deliver("", nothing, nothing)
        monkeypatch.setattr(pools, "SILENT", 0.5)
        [worker] = workers_here()
        worker.suspend()
        time.sleep(1.0)
        pool._look()
        worker.resume()
        time.sleep(0.2)
        pool._look()
        pool.start(abs, {0: -3})
        assert pool.results() == [(0, 3)]
        assert workers_here() == [worker]


def test_a_task_that_kills_its_workers_again_and_again_ends_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "DEATHS", 1)
    with own_workers(1) as pool:
        pool.deliver("", nothing, nothing)
        pool.start(die, {0: 0})
        with pytest.raises(WorkersLostError, match=r"^the 1 workers of this machine: 2 of them, one after") as error:
            pool.results()
    assert "\n" not in str(error.value)


def test_an_error_of_a_task_is_raised_here() -> None:
    with own_workers(1) as pool:
        pool.deliver("", nothing, nothing)
        pool.start(fail, {0: 0})
        with pytest.raises(ZeroDivisionError):
            pool.results()


def test_much_may_be_sent_at_once() -> None:
    with own_workers(1) as pool:
        pool.deliver("", nothing, nothing)
        pool.start(len, {7: bytes(12_000_000)})
        assert pool.results() == [(7, 12_000_000)]


@pytest.mark.skipif(sys.platform != "linux", reason="needs the C library of GNU")
def test_workers_keep_the_memory_of_large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each array of a megabyte needs 256 pages again, and a sequence of a large log takes a quarter longer."""
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)  # other clusters of this process have left it
    with own_workers(1) as pool:
        pool.deliver("", nothing, nothing)
        pool.start(fault_count, {0: 0})
        [(_, faults)] = pool.results()
    assert faults < 100 * 256 / 10


@pytest.mark.parametrize("setup", [die, fail])
def test_workers_that_do_not_get_ready_are_one_line(
    setup: Callable[[object], None], caplog: pytest.LogCaptureFixture
) -> None:
    with own_workers(2) as pool, pytest.raises(InputError, match=r"^workers must start, but 2 do not: ") as error:
        pool.deliver("", setup, nothing)
    assert "\n" not in str(error.value)
    assert not [record for record in caplog.records if record.name.startswith("paretosched")]


def test_workers_that_say_nothing_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "SILENT", 0.01)
    monkeypatch.setattr(pools, "LOOK", 0.02)
    with own_workers(1) as pool, pytest.raises(InputError, match=r"1 do not: none has said a word in 0\.01 s"):
        pool.deliver("", nothing, nothing)


def test_without_workers_a_run_ends_in_one_line_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: dict[str, Any] = {"evaluations": 60, "population": 20, "seed": 3, "algorithm": "nsga2"}
    whole = explore(W, tmp_path / "whole", **words)

    def no_process(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    def lose(progress: Any) -> None:
        if progress.evaluations == 20:
            monkeypatch.setattr(pools, "SILENT", 0.5)
            monkeypatch.setattr(pools.SpawnProcess, "start", no_process)
            for worker in workers_here():
                worker.kill()

    with pytest.raises(WorkersLostError, match=r"the 2 workers of this machine: none could be started for 0\.5 s: "):
        explore(W, tmp_path / "run", workers=2, progress=lose, **words)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["evaluations"]["done"] == 20
    with pytest.raises(InputError, match=r"workers must start, but 2 do not: .*temporarily unavailable"):
        explore(W, tmp_path / "run", workers=2, **words)
    again = explore(W, tmp_path / "run", **words)
    assert again.values.tobytes() == whole.values.tobytes()


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        children = psutil.Process(process.pid).children(recursive=True)
        assert len([child for child in children if "spawn_main" in " ".join(child.cmdline())]) == 2
        process.kill()
    assert all_end(children)


def test_workers_in_the_middle_of_a_simulation_end_at_once() -> None:
    logging.getLogger("concurrent.futures").setLevel(logging.NOTSET)
    with own_workers(2) as pool:
        pool.deliver("", nothing, nothing)
        pool.start(time.sleep, {0: 100, 1: 100, 2: 100})
        processes = workers_here()
        processes[0].suspend()
        begin = time.monotonic()
    assert time.monotonic() - begin < pools.ENDING
    assert all_end(processes)
