"""Long simulations show how far they are, and Ctrl-C ends them at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

import paretosched as ps
from paretosched.cli import waiting
from paretosched.cli.waiting import with_progress
from paretosched.core.errors import InputError
from paretosched.core.watching import NOT_STARTED, WATCHED, unknown_starts
from support.commands import ROOT, environment, files, in_terminal, numbers


def test_the_result_and_the_error_are_those_of_the_function() -> None:
    assert with_progress(lambda: 7) == 7
    with pytest.raises(InputError, match="no such thing"):
        with_progress(_refuse)


def _refuse() -> None:
    raise InputError("no such thing")


@pytest.mark.parametrize("policy", ["fcfs", "list", "easy", "conservative", "conservative-replan", "scojo"])
def test_the_start_times_are_seen_while_they_are_filled(policy: str) -> None:
    workload = ps.Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    progress: list[list[int]] = []

    def simulate() -> list[int]:
        start = ps.simulate(workload, policy).start
        starts = WATCHED.get()
        assert starts is not None
        progress.extend(array.tolist() for array in starts)
        return [int(t) for t in start]

    start = with_progress(simulate)
    assert progress == [start]
    assert NOT_STARTED not in start
    assert WATCHED.get() is None  # in this thread


def test_a_long_simulation_writes_a_line_for_each_tenth(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(waiting, "QUIET", 0.0)
    monkeypatch.setattr(waiting, "PAUSE", 0.001)

    def simulate() -> None:
        for _ in range(2):
            start = unknown_starts(20)
            assert (start == NOT_STARTED).all()
            for j in range(20):
                start[j] = j
                _await_lines(capsys, lines, j)

    lines: list[str] = []
    with_progress(simulate)
    lines += capsys.readouterr().err.splitlines()
    assert lines[0] == "paretosched: simulating: 2 of 20 jobs"
    assert [numbers(line)[0] for line in lines] == [*range(2, 21, 2)] * 2
    assert lines[-1] == "paretosched: simulating: 20 of 20 jobs, simulation 2"


def _await_lines(capsys: pytest.CaptureFixture[str], lines: list[str], j: int) -> None:
    """Wait, not for ever, until the line of job j has been written."""
    end = time.monotonic() + 30
    expected = (len(lines) // 10) * 10 + (j + 1) // 2
    while j % 2 and len(lines) < expected and time.monotonic() < end:
        lines += capsys.readouterr().err.splitlines()
        time.sleep(0.001)


def _write_long_log(path: Path) -> None:
    """Write a log of which each simulation takes minutes, in which compiled code sees no signal."""
    rng = np.random.default_rng(1)
    n = 60_000  # all submitted at once
    run = rng.integers(1, 10_000, n)
    rows = zip(run, rng.integers(1, 64, n), strict=True)
    jobs = [f"{j} 0 -1 {r} {p} -1 -1 {p} {2 * r} -1 1 1 1 1 1 1 -1 -1" for j, (r, p) in enumerate(rows, 1)]
    path.write_text("\n".join(["; MaxProcs: 64", *jobs, ""]))


@pytest.mark.slow
@pytest.mark.parametrize("words", [("simulate", "--policy", "conservative"), ("compare", "--policy", "conservative")])
def test_ctrl_c_ends_a_simulation_at_once(words: tuple[str, ...], tmp_path: Path) -> None:
    _write_long_log(tmp_path / "w.swf")
    command, *policy = words
    sent: list[float] = []

    def interrupt(child: subprocess.Popen[bytes], text: bytes) -> None:
        if not sent and b"/60000" in text:  # the bar
            child.send_signal(signal.SIGINT)
            sent.append(time.monotonic())
        elif sent and time.monotonic() - sent[0] > 60:
            child.kill()

    line = ("-m", "paretosched", command, tmp_path / "w.swf", *policy, "-o", tmp_path / "out")
    shown = in_terminal(*line, watch=interrupt)
    assert sent, shown
    assert time.monotonic() - sent[0] < 20  # on a busy machine, too
    assert (shown.status, shown.out) == (130, "")
    assert shown.terminal.endswith(f"paretosched {command}: interrupted\r\n".encode())
    assert b"Traceback" not in shown.terminal
    assert set(files(tmp_path)) == {"w.swf"}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("words", [("train", "--objective", "AWRT", "-o", "p.json", "--run"), ("explore", "-o")])
def test_long_searches_say_that_they_work_and_ctrl_c_ends_them_at_once(
    words: tuple[str, ...], workers: int, tmp_path: Path
) -> None:
    _write_long_log(tmp_path / "w.swf")
    command, *options = words
    others = ["run", "--backfill", "conservative", "--workers", str(workers)]
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched", command, "w.swf", *options, *others], cwd=tmp_path,
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    killer = Timer(300, child.kill)
    killer.start()
    assert child.stderr is not None
    for line in child.stderr:
        if "still at work" in line:
            break
    time.sleep(1)  # it simulates
    since = time.monotonic()
    os.killpg(child.pid, signal.SIGINT)  # of the whole group, as a terminal does
    out, err = child.communicate(timeout=290)
    killer.cancel()
    assert time.monotonic() - since < 20  # on a busy machine, too
    assert (child.returncode, out) == (130, "")
    assert err.endswith(f"paretosched {command}: interrupted\n")
    assert "Traceback" not in err
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "interrupted"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "w.swf"]


def test_reading_shows_how_far_it_is_from_ten_seconds_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 9.0, 10.0, 19.0, 21.0])
    monkeypatch.setattr(waiting, "monotonic", lambda: next(clock))
    with waiting.reading_progress() as (watch, advance):
        watch(5, 100)
        watch(1500, 3000)
        watch(1600, None)
        advance(1000, 4000)
    assert capsys.readouterr().err.splitlines() == [
        "paretosched: bytes read: 1,500 of 3,000 (50 %) after 10 s",
        "paretosched: jobs written: 1,000 of 4,000 (25 %) after 21 s",
    ]


class Clock:
    """A clock, and timers that go off by it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Timer]] = []

    def timer(self, seconds: float, work: Callable[[], None]) -> Timer:
        one = Timer(seconds, work)
        one.start = lambda: self.timers.append((self.now + seconds, one))  # type: ignore[method-assign]
        return one

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for end, one in self.timers:
            if end <= self.now and not one.finished.is_set():
                one.finished.set()
                one.function()


@pytest.mark.parametrize(
    ("compilations", "is_said"),
    [([1.9], False), ([2.1], True), ([0.5] * 3, False), ([0.5] * 5, True), ([3.0] * 3, True)],
)
def test_compilations_of_more_than_a_moment_together_are_said_once(
    compilations: list[float], is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    clock = Clock()
    monkeypatch.setattr(waiting, "say", lines.append)
    monkeypatch.setattr(waiting, "Timer", clock.timer)
    monkeypatch.setattr(waiting, "monotonic", lambda: clock.now)
    remark = waiting.CompilationRemark()
    for seconds in compilations:
        remark(True)
        remark(True)  # a kernel that the first one needs
        clock.wait(seconds)
        remark(False)
        remark(False)
        clock.wait(10)  # work, and no compilation
    assert [line.partition(":")[0] for line in lines] == ["compiling, once"] * is_said


@pytest.mark.slow
def test_compiling_is_said_with_an_empty_cache_and_not_with_a_full_one(tmp_path: Path) -> None:
    """The command is the real one; only its patience is none, so that no machine is too fast."""
    log = tmp_path / "w.swf"
    log.write_text("; MaxProcs: 4\n1 0 0 9 1 -1 -1 1 9 -1 1 1 -1 -1 -1 -1 -1 -1\n", encoding="ascii")
    code = (
        "import sys; from paretosched.cli import command_line, waiting\n"
        "waiting.CompilationRemark.__init__.__defaults__ = (1e-3,)\n"
        f"sys.exit(command_line.main(['simulate', {str(log)!r}, '--policy', 'fcfs']))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    calls = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [call.stderr.count("compiling, once:") for call in calls] == [1, 0]
    assert calls[0].stdout == calls[1].stdout


def test_help_loads_no_library() -> None:
    code = (
        "import sys; from paretosched.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "paretosched" in loaded
    assert not loaded & {"numpy", "numba", "pandas", "scipy", "dask", "plotly", "pyarrow", "msgspec", "rich", "dash"}


@pytest.mark.slow
def test_simulating_loads_nothing_that_draws_or_searches(tmp_path: Path) -> None:
    log = tmp_path / "w.swf"
    log.write_text("; MaxProcs: 4\n1 0 0 9 1 -1 -1 1 9 -1 1 1 -1 -1 -1 -1 -1 -1\n", encoding="ascii")
    code = (
        "import sys; from paretosched.cli import main\n"
        f"main(['simulate', {str(log)!r}])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "numba" in loaded
    assert not loaded & {"pandas", "dask", "plotly", "pyarrow", "dash", "pymoo", "numpy.ma", "yaml", "cffi"}
