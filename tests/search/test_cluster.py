"""Nobody else gets into a cluster, and what is lost with a worker or a scheduler comes back or ends in one line."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import numpy as np
import psutil
import pytest
from distributed import LocalCluster

from paretosched.core.errors import InputError, WorkersLostError
from paretosched.encodings.weighting import Weighting
from paretosched.search import cluster as clusters
from paretosched.search.cluster import own_cluster, remote_cluster
from paretosched.search.evaluation import Compute, evaluator, versions
from paretosched.search.exploration import explore
from support.certificates import authority, certificate
from support.exploring import genomes_and_values, random_workload

pytestmark = pytest.mark.usefixtures("drops_connections")

W = random_workload(jobs=80, groups=3)
EASY = Weighting("easy")
INTRUDER = Path(__file__).parents[1] / "support" / "intruder.py"
ANYBODY = 65534  # the uid of nobody
SCRIPT = """
import sys, time
from paretosched.search.cluster import own_cluster
from paretosched.search.evaluation import versions

if __name__ == "__main__":
    with own_cluster(2, versions) as cluster:
        cluster.start(time.sleep, {0: 100, 1: 100})
        print("ready", flush=True)
        time.sleep(100)
"""


def workers_here(process: psutil.Process | None = None) -> list[psutil.Process]:
    """The worker processes of this process."""
    children = (process or psutil.Process()).children()
    return [child for child in children if is_worker(child)]


def is_worker(process: psutil.Process) -> bool:
    """Whether a process is a worker, and has not ended."""
    return process.status() != psutil.STATUS_ZOMBIE and "spawn_main" in " ".join(process.cmdline())


def all_end(processes: list[psutil.Process]) -> bool:
    """Whether all processes end in some seconds."""
    return not psutil.wait_procs(processes, timeout=60)[1]


def fault_count(_: object) -> int:
    """Write to new arrays again and again, and return how many pages that needed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        np.ones(2**17)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def fail(_: object) -> None:
    """Fail as a simulation must not."""
    raise ZeroDivisionError


def die(_: object) -> None:
    """Die, as for want of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def listening() -> list[int]:
    """The ports on which this process and its children listen."""
    here = psutil.Process()
    return sorted(
        connection.laddr.port
        for process in (here, *here.children(recursive=True))
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    )


def intrude(uid: int, secret: Path, ports: list[int]) -> dict[str, Any]:
    process = subprocess.run(
        [sys.executable, INTRUDER, str(uid), secret, *map(str, ports)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


def open_cluster(port: int = 0, workers: int = 1) -> LocalCluster:
    """A cluster that somebody started, without TLS."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        scheduler_port=port,
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
        memory_limit=0,
    )


@contextmanager
def a_scheduler(port: int = 0, workers: int = 1) -> Iterator[str]:
    """The address of such a cluster."""
    with open_cluster(port, workers) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "LOOK", 0.1)
    monkeypatch.setattr(clusters, "SHORT", 0.2)


# --- nobody else gets in ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_intruder_gets_into_a_cluster_without_tls(tmp_path: Path) -> None:
    """Otherwise the test below would prove nothing."""
    secret = tmp_path / "secret"
    secret.touch()
    before = set(listening())
    with a_scheduler(workers=0):
        ports = sorted(set(listening()) - before)
        answers = intrude(os.getuid(), secret, ports)["ports"].values()
    assert {"Scheduler"} <= {answer["tcp"] for answer in answers}
    assert any((answer["page"] or "").startswith("HTTP") for answer in answers)


@pytest.mark.slow
def test_another_account_is_refused_at_every_port_of_our_workers(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("NOT TESTED: that another account is refused by --workers; this needs root, to become another user")
    secret = tmp_path / "secret"
    secret.touch(0o600)
    before = set(listening())
    with evaluator(W, EASY, workers=1) as evaluate:
        evaluate(genomes_and_values(W)[0], 0)
        ports = sorted(set(listening()) - before)
        assert len(ports) == 3  # the scheduler, the nanny and its worker, and no page
        answer = intrude(ANYBODY, secret, ports)
    assert (answer["uid"], answer["secret"]) == (ANYBODY, False)
    assert answer["ports"] == {str(port): {"page": None, "tcp": None, "tls": None} for port in ports}


@pytest.mark.slow
def test_workers_import_nothing_from_a_folder_that_another_account_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    trap = tmp_path / "dask-scratch-space"
    trap.mkdir()
    trap.chmod(0o777)
    with own_cluster(1, versions) as cluster:
        cluster.start(abs, {0: 0})
        cluster.results()
        [folder] = [path for path in tmp_path.iterdir() if path != trap]
        assert any(folder.rglob("*worker-*"))
        assert (folder.stat().st_mode & 0o777, folder.stat().st_uid) == (0o700, os.geteuid())
    assert list(tmp_path.iterdir()) == [trap]
    assert list(trap.iterdir()) == []


def test_tls_needs_certificates_that_fit(tmp_path: Path) -> None:
    ca, other = authority(tmp_path, "ca"), authority(tmp_path, "other")
    cert, key = certificate(tmp_path, "client", "ca")
    _, key_of_other = certificate(tmp_path, "stranger", "other")
    _, encrypted_key = certificate(tmp_path, "locked", "ca", password=b"secret")
    text = tmp_path / "text.pem"
    text.write_text("no certificate")
    address = "tls://127.0.0.1:9"
    Compute(0, address, (ca, cert, key))
    Compute(0, address, (str(other), cert, key))  # the scheduler may have another authority than we
    for files, fault in (
        ((tmp_path / "none.pem", cert, key), r"none\.pem: no such file"),
        ((ca, tmp_path, key), "cannot read: Is a directory"),
        ((text, cert, key), r"text\.pem: must hold the certificate of an authority as PEM, but does not"),
        ((ca, cert, key_of_other), r"stranger\.key: must be the key of .*client\.pem, but belongs to another"),
        ((ca, cert, text), r"client\.pem and .*text\.pem: must be a certificate and its key as PEM, but are not"),
        ((ca, cert, encrypted_key), r"locked\.key: must be a key without a password, but has one"),
    ):
        with pytest.raises(InputError, match=fault):
            Compute(0, address, files)
    for workers, scheduler in ((0, None), (2, None), (0, "tcp://127.0.0.1:9")):
        with pytest.raises(InputError, match="tls needs a scheduler at tls://"):
            Compute(workers, scheduler, (ca, cert, key))
    fault = "needs certificates: --tls-ca, --tls-cert and --tls-key, or distributed"
    with pytest.raises(InputError, match=fault), evaluator(W, EASY, scheduler=address):
        pass


@pytest.mark.slow
def test_certificates_come_as_files_or_from_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Security

    ca, _ = authority(tmp_path, "ca"), authority(tmp_path, "other")
    cert, key = certificate(tmp_path, "server", "ca")
    mine = ca, *certificate(tmp_path, "client", "ca")
    strange = tmp_path / "other.pem", *certificate(tmp_path, "stranger", "other")
    security = Security(
        require_encryption=True,
        tls_ca_file=str(ca),
        **{
            f"tls_{role}_{what}": str(f)
            for role in ("scheduler", "worker", "client")
            for what, f in (("cert", cert), ("key", key))
        },
    )
    genomes, expected = genomes_and_values(W)
    words = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0, "silence_logs": 50}
    with LocalCluster(n_workers=1, threads_per_worker=1, security=security, **words) as cluster:
        address = cluster.scheduler_address
        with evaluator(W, EASY, scheduler=address, tls=mine) as evaluate:
            assert evaluate(genomes, 0)[0].tobytes() == expected
        files = zip(("ca-file", "client.cert", "client.key"), mine, strict=True)
        configuration = {f"distributed.comm.tls.{name}": str(file) for name, file in files}
        with dask.config.set(configuration), evaluator(W, EASY, scheduler=address) as evaluate:
            assert evaluate(genomes, 0)[0].tobytes() == expected
        monkeypatch.setattr(clusters, "PATIENCE", 2.0)
        fault = "must be a reachable dask scheduler, but is not: "
        with pytest.raises(InputError, match=fault) as error, evaluator(W, EASY, scheduler=address, tls=strange):
            pass
        assert "\n" not in str(error.value)


def test_a_slow_worker_may_say_its_versions_later_than_other_answers_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has to import the package, which takes long on a busy machine."""

    def say_late() -> dict[str, str]:
        time.sleep(4)
        return {"paretosched": "here"}

    monkeypatch.setattr(clusters, "PATIENCE", 3.0)
    with a_scheduler() as address:
        with remote_cluster(address, None, say_late) as cluster:
            assert cluster.slots == 1
        monkeypatch.setattr(clusters, "WITHOUT_WORKER", 1.0)
        fault = "must have a worker, but not all of its 1 workers answer within 1 s"
        with pytest.raises(InputError, match=fault), remote_cluster(address, None, say_late):
            pass


# --- our own workers --------------------------------------------------------------------------------------------------


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_lost_is_replaced(blow: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is stopped says nothing more, as one that hangs."""
    genomes, expected = genomes_and_values(W)
    patience = {"distributed.scheduler.worker-ttl": "2 s"} if blow == signal.SIGSTOP else {}
    settings = clusters._settings
    monkeypatch.setattr(clusters, "_settings", lambda folder: settings(folder) | patience)
    with evaluator(W, EASY, workers=2) as evaluate:
        evaluate(genomes, 0)
        before = workers_here()
        assert len(before) == 2
        for worker in before:
            worker.send_signal(blow)
        assert evaluate(genomes, 0)[0].tobytes() == expected
        assert not {*before} & {*workers_here()}
    assert all_end(before)


@pytest.mark.slow
def test_a_task_that_kills_our_workers_again_and_again_ends_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "DEATHS", 1)
    with own_cluster(1, versions) as cluster:
        cluster.start(die, {0: 0})
        with pytest.raises(WorkersLostError, match=r"^the 1 workers of this machine: 2 of them, one after") as error:
            cluster.results()
    assert "\n" not in str(error.value)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs the C library of GNU")
def test_workers_keep_the_memory_of_large_arrays_and_an_error_of_a_task_is_raised_here() -> None:
    """Else each array of a megabyte needs 256 pages again, and a sequence of a large log takes a quarter longer."""
    with own_cluster(1, versions) as cluster:
        cluster.start(fault_count, {0: 0})
        [(_, faults)] = cluster.results()
        assert faults < 100 * 256 / 10
        cluster.start(fail, {1: 0})
        with pytest.raises(ZeroDivisionError):
            cluster.results()


@pytest.mark.slow
def test_workers_that_do_not_start_are_one_line(tmp_path: Path) -> None:
    """A script without its guard starts itself again in each worker."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace('if __name__ == "__main__"', "if True"))
    process = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=300)
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].startswith(
        "paretosched.core.errors.InputError: workers must start, but 2 do not: "
    )


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        children = psutil.Process(process.pid).children(recursive=True)
        assert len([child for child in children if is_worker(child)]) == 2
        process.kill()
    assert all_end(children)


@pytest.mark.slow
def test_workers_in_the_middle_of_a_simulation_end_at_once() -> None:
    with own_cluster(2, versions) as cluster:
        cluster.start(time.sleep, {0: 10**4, 1: 10**4, 2: 10**4})
        processes = workers_here()
        processes[0].suspend()
        begin = time.monotonic()
    assert time.monotonic() - begin < 60
    assert all_end(processes)


# --- workers that are lost --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_workers_that_leave_and_come_back_are_remarked(caplog: pytest.LogCaptureFixture) -> None:
    genomes, expected = genomes_and_values(W)
    with open_cluster() as cluster, evaluator(W, EASY, scheduler=cluster.scheduler_address) as evaluate:
        evaluate(genomes, 0)
        cluster.scale(0)
        begin = time.monotonic()
        timer = threading.Timer(1.0, cluster.scale, [1])
        timer.start()
        assert evaluate(genomes, 0)[0].tobytes() == expected
        assert time.monotonic() - begin > 0.5
        assert "0 of 1 workers are at work" in caplog.text
        time.sleep(0.2)
        evaluate(genomes, 0)
        assert "1 of 1 workers are at work" in caplog.text
        timer.join()


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_task_that_kills_its_workers_again_and_again_ends_in_one_line() -> None:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        a_scheduler() as address,
        remote_cluster(address, None, versions) as cluster,
    ):
        cluster.start(lambda _: os.kill(os.getpid(), signal.SIGKILL), {0: 0})
        with pytest.raises(
            WorkersLostError, match=r"1 of them, one after the other, were killed .* want of memory"
        ) as error:
            cluster.results()
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_much_may_be_sent_at_once() -> None:
    """Dask warns of more than 10 MB, as of a mistake, and warnings are errors here."""
    with a_scheduler() as address, remote_cluster(address, None, versions) as cluster:
        cluster.start(len, {7: bytes(12_000_000)})
        assert cluster.results() == [(7, 12_000_000)]


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_without_workers_a_run_ends_in_one_line_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: dict[str, Any] = {"evaluations": 60, "population": 20, "seed": 3, "algorithm": "nsga2"}
    whole = explore(W, tmp_path / "whole", **words)
    with open_cluster() as cluster:

        def lose(progress: Any) -> None:
            if progress.evaluations == 20:
                monkeypatch.setattr(clusters, "WITHOUT_WORKER", 0.5)
                cluster.scale(0)

        address = cluster.scheduler_address
        with pytest.raises(WorkersLostError, match=rf"{re.escape(address)}\": no worker could be had for 0\.5 s"):
            explore(W, tmp_path / "run", scheduler=address, progress=lose, **words)
    done = json.loads((tmp_path / "run" / "run.json").read_text())["evaluations"]["done"]
    assert done in (20, 40)  # the workers may end what they have begun
    again = explore(W, tmp_path / "run", **words)
    assert again.values.tobytes() == whole.values.tobytes()


# --- schedulers that are lost -----------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_comes_back_gets_everything_again(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    genomes, expected = genomes_and_values(W)
    port = free_port()
    first = a_scheduler(port)
    address = first.__enter__()
    end = threading.Event()

    def restart() -> None:
        first.__exit__(None, None, None)
        with a_scheduler(port):
            end.wait(60)

    with evaluator(W, EASY, scheduler=address) as evaluate:
        evaluate(genomes, 0)
        again = threading.Thread(target=restart)
        again.start()
        try:
            while "answers again" not in caplog.text:
                assert evaluate(genomes, 0)[0].tobytes() == expected
            assert evaluate(genomes, 0)[0].tobytes() == expected
        finally:
            end.set()
            again.join()
    assert "does not answer; trying again for 60 s" in caplog.text
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_scheduler_without_tls_is_remarked_once_and_if_it_does_not_come_back_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    genomes, _ = genomes_and_values(W)
    there = a_scheduler()
    address = there.__enter__()
    with remote_cluster(address, None, versions):
        pass
    with evaluator(W, EASY, scheduler=address) as evaluate:
        assert caplog.text.count(f'scheduler "{address}" trusts everybody who reaches it') == 1
        evaluate(genomes, 0)
        there.__exit__(None, None, None)
        monkeypatch.setattr(clusters, "WITHOUT_SCHEDULER", 0.5)
        monkeypatch.setattr(clusters, "PATIENCE", 1.0)
        fault = r"went away and did not come back in 0\.5 s: "
        with pytest.raises(WorkersLostError, match=fault) as error:
            evaluate(genomes, 0)
    assert "\n" not in str(error.value)
    assert capfd.readouterr().err == ""
