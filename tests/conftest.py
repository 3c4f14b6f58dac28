"""Where the real traces are, and what to do without them."""

import fcntl
import gc
import hashlib
import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

# Several workers share the processors: where threads of linear algebra wait for one that another worker has, a small
# matrix takes a hundred times as long. Before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from paretosched.fronts import quality_indicators
from paretosched.kernels.compiling import keep_alone
from paretosched.search import last_tenth
from paretosched.workload.log_cache import OFF_VARIABLE
from paretosched.workload.public_logs import LOGS, log_folder
from support.slurm_cluster import SlurmCluster, slurm_cluster

# The same examples in every run, so that a change is to blame when one fails, and no deadline, for machines that do
# other work as well. HYPOTHESIS_PROFILE=wide draws others each time.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("wide", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Tests interrupt commands that they start. These ignore it if a background process began the tests, ignoring it itself.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ[OFF_VARIABLE] = "1"  # tests leave no large files in the user's cache, and do not depend on what is there


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each worker begin with some of the longest tests, so that nobody waits for one of them at the end.

    A worker first gets as many of the tests, one after the other, as each of the others. The longest of one file, which
    may need the same cluster, are for one worker. Those that wait for Slurm are for half of the workers: the others
    have work for the processors meanwhile.
    """
    workers, total = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), len(items)
    first: dict[str, list[pytest.Item]] = {"waits": [], "long": []}
    rest = []
    for item in items:
        name = next((name for name in first if item.get_closest_marker(name)), None)
        (first[name] if name else rest).append(item)
    owners = {"waits": range(max(1, workers // 2)), "long": range(workers // 2, workers)}
    own: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for name, longest in first.items():
        files = [*dict.fromkeys(item.path for item in longest)]
        for item in longest:
            own[owners[name][files.index(item.path) % len(owners[name])]].append(item)
    items.clear()
    for worker in range(workers):
        count = max(0, total * (worker + 1) // workers - len(items) - len(own[worker]))
        items += own[worker] + rest[:count]
        del rest[:count]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let one worker compile a kernel; the others that need it wait, and load what that has written.

    Else all workers spend minutes on the same large kernels, some before the first test: modules of tests simulate when
    they are imported. For other types, as for nodes instead of processors, it is another kernel. A worker that needs a
    lock may have those of kernels that call this one, never of those that it calls, so no two wait for each other.
    numba's own lock comes first, because another thread of this process may have it and need the same kernel. Those of
    pymoo are kept, too, which it compiles anew in every process, for 20 s.
    """
    folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # there is no fixture yet
    locks = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "compiling"
    locks.mkdir(exist_ok=True)
    compile_now = Dispatcher.compile

    def compile_in_turn(kernel: Dispatcher, signature: object) -> object:
        if kernel.py_func.__module__.startswith("pymoo.") and kernel._cache.cache_path is None:
            kernel.enable_caching()
            keep_alone(kernel._cache._cache_file)
        if kernel._cache.cache_path is None:
            return compile_now(kernel, signature)
        types = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__} {types}"
        with global_compiler_lock, (locks / name).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return compile_now(kernel, signature)

    patch = pytest.MonkeyPatch()
    patch.setattr(Dispatcher, "compile", compile_in_turn)
    session.config.add_cleanup(patch.undo)


# Of hypervolumes, where their digits do not matter: fine ones take a third of a second.
FINE = {(quality_indicators, "DIRECTIONS"): quality_indicators.DIRECTIONS,
        (last_tenth, "FEW_DIRECTIONS"): last_tenth.FEW_DIRECTIONS}  # fmt: skip
COARSE = 2000


@pytest.fixture(scope="session", autouse=True)
def coarse_hypervolumes() -> Iterator[None]:
    """Measure with fewer directions, in commands and in the library."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in FINE:
            patch.setattr(module, name, COARSE)
        yield


@pytest.fixture
def fine_hypervolumes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure with as many directions as users do."""
    for (module, name), directions in FINE.items():
        monkeypatch.setattr(module, name, directions)


@pytest.fixture
def drops_connections() -> Iterator[None]:
    """Collect what `distributed` leaves open after a lost connection here, not in the middle of another test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="session")
def traces() -> Path:
    """The folder of the real workload traces; without all of them the test is skipped, and says why."""
    folder = log_folder()
    missing = [name for name, log in LOGS.items() if log.sha256 and not log.url and not (folder / log.file).is_file()]
    if missing:
        pytest.skip(
            f"NO TRACES: {folder} lacks {', '.join(missing)}; paretosched fetch {missing[0]} --cache, and so on, "
            "or set PARETOSCHED_TRACES to the folder that has them"
        )
    return folder


@pytest.fixture(scope="session")
def slurm() -> Iterator[SlurmCluster]:
    """A real Slurm with accounts, for all tests of a worker; each cancels its own jobs.

    It has twenty nodes of one processor: four for each of the partitions p1 to p5; `main` has all of them; jobs of
    `closed` wait for ever.
    """
    partitions = {f"PartitionName#{i}": f"p{i} Nodes=n[{4 * i - 3}-{4 * i}] State=UP" for i in range(1, 6)}
    partitions["PartitionName#closed"] = "closed Nodes=n[1-20] State=DOWN"
    with slurm_cluster(nodes=20, cpus=1, settings=partitions, accounting=True) as cluster:
        yield cluster
