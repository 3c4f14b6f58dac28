"""Closed and full outputs, pipes, progress and Ctrl-C."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.cli import console
from support.commands import (
    command,
    environment,
    files,
    in_terminal,
    numbers,
    process,
    stored_rows,
    succeed,
)
from support.exploring import interrupt
from support.fuzzing import refusal


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--help",), ("explore", "--help"), ("info", "w.swf.gz"), ("front", "run")])
def test_a_reader_that_has_had_enough_is_no_error(house: Path, arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    outcome = process(*arguments, cwd=house, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (outcome.returncode, outcome.stderr) == (0, "")


INTERRUPTED_WHILE_ENTERING = """
import contextlib, os, signal, time
from paretosched.cli.console import sure_interrupt

def enter(self, context, leave):
    os.kill(os.getpid(), signal.SIGINT)  # the context has been entered; what leaves it is not yet known
    note(self, context, leave)

note = contextlib.ExitStack._push_cm_exit
of_library = {"__name__": "contextlib", "os": os, "signal": signal, "note": note}
contextlib.ExitStack._push_cm_exit = type(enter)(enter.__code__, of_library)
with contextlib.suppress(KeyboardInterrupt), sure_interrupt(), contextlib.ExitStack() as stack:
    stack.enter_context(contextlib.closing(type("Bar", (), {"close": lambda self: print("closed")})()))
    time.sleep(30)
    print("not interrupted")
"""


@pytest.mark.slow
def test_ctrl_c_while_a_context_is_entered_leaves_it_in_order() -> None:
    line = [sys.executable, "-c", INTERRUPTED_WHILE_ENTERING]
    outcome = subprocess.run(line, env=environment(), capture_output=True, text=True, check=False, timeout=60)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "closed\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NO /dev/full: a full disk behind stdout was not tried")
@pytest.mark.parametrize("arguments", [("--help",), ("info", "w.swf.gz"), ("simulate", "w.swf.gz", "--json")])
def test_a_full_disk_behind_standard_output_is_one_line(house: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        outcome = process(*arguments, cwd=house, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    name = "paretosched" if arguments == ("--help",) else f"paretosched {arguments[0]}"
    assert (outcome.returncode, outcome.stderr) == (
        2,
        f"{name}: standard output: cannot write: No space left on device\n",
    )


@pytest.mark.slow
def test_closed_streams_are_no_error(house: Path) -> None:
    shell = f"{shlex.quote(sys.executable)} -m paretosched.cli info record.swf --json"
    about = succeed("info", house / "record.swf", "--json")
    for redirection, out, err in (
        (">&-", "", f"paretosched: record.swf: {about.json['doubts'][0]}\n"),
        ("2>&-", about.out, ""),
        (">&- 2>&-", "", ""),
    ):
        outcome = subprocess.run(
            ["sh", "-c", f"{shell} {redirection}"],
            cwd=house,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, out, err)
    # remarks must not end up in a table
    outcome = subprocess.run(
        ["sh", "-c", f"{shell.replace('info', 'simulate')} 2>&-"],
        cwd=house, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert outcome.stdout == succeed("simulate", house / "record.swf", "--json").out


def test_what_standard_output_has_no_letter_for_is_replaced(house: Path, tmp_path: Path) -> None:
    trace = os.fsencode(tmp_path / "caf\u00e9-") + b"\xff.swf"  # the last byte is no UTF-8
    Path(os.fsdecode(trace)).write_bytes((house / "record.swf").read_bytes())
    outcome = subprocess.run(
        [sys.executable, "-m", "paretosched.cli", "info", trace],
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=False,
    )
    assert outcome.stderr == b""
    assert b"\ncaf?-?\n  4 jobs" in outcome.stdout
    copy = tmp_path / "s.swf"
    succeed("scale", os.fsdecode(trace), "--processors", 16, "-o", copy)
    assert "caf\u00e9-\ufffd" in copy.read_text(encoding="utf-8")


def test_a_pipe_is_a_log_like_any_other(house: Path) -> None:
    with (house / "w.swf.gz").open("rb") as file:
        outcome = process("info", "/dev/stdin", "--json", stdin=file)
    assert outcome.returncode == 0, outcome
    pipe = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} -m paretosched.cli info <(sleep 0.2; cat w.swf.gz) --json"],
        cwd=house, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert pipe.returncode == 0, pipe
    assert '"jobs": 200,' in pipe.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "least"), [("nsga2", 10), ("archive", 1)])  # a generation; any result
def test_ctrl_c_keeps_what_was_done_and_the_same_command_continues(
    house: Path, tmp_path: Path, algorithm: str, least: int
) -> None:
    run, few = tmp_path / "run", ("--evaluations", 1000, "--population", 10)
    explore = ("explore", house / "w.swf.gz", "-o", run, *few, "--algorithm", algorithm)
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", *map(str, explore)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (run / "front.parquet").exists():  # published soon after the first results
        assert child.poll() is None
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130, (out, err)
    assert out == ""
    *_, line, message = err.splitlines()
    assert message == "paretosched explore: interrupted"
    assert line.startswith("paretosched: ")
    assert line.endswith(f" evaluations are kept in {run}; the same command continues them")
    count = len(stored_rows(run))
    assert numbers(line)[0] == count
    assert least <= count < 1000
    assert ps.load_front(run).evaluations == count
    assert not list(run.glob("*.part")) + list(run.glob(".*"))
    again = succeed(*explore, "--json").json
    assert (again["evaluations"], again["replayed"]) == (1000, count)


def test_ctrl_c_elsewhere_is_status_130_and_leaves_nothing_but_what_was_asked_for(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paretosched.simulation.schedule.csv.writer", interrupt)  # in the middle of writing
    outcome = command("simulate", house / "w.swf.gz", "-o", tmp_path / "s.csv")
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "paretosched simulate: interrupted\n")
    assert files(tmp_path) == {}
    monkeypatch.setattr(
        "paretosched.search.evaluation.objectives_of", interrupt
    )  # before the first generation is stored
    outcome = command("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 8, "--population", 4)
    remark, line = outcome.err.splitlines()
    assert (outcome.status, outcome.out, line) == (130, "", "paretosched explore: interrupted")
    assert remark.endswith(f"{tmp_path / 'run'} keeps that 8 are wanted, and the same command begins")
    assert "front.parquet" not in files(tmp_path / "run")
    monkeypatch.undo()
    front = refusal("front", tmp_path / "run", names=tmp_path / "run")
    assert "there is no front yet: interrupted after 0 of 8 evaluations" in front
    again = succeed("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--population", 4, "--json").json
    assert again["evaluations"] == 8  # and not 20,000


@pytest.mark.slow
def test_a_terminal_gets_a_progress_bar(house: Path, tmp_path: Path) -> None:
    words = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 36, "--population", 12)
    shown = in_terminal("-m", "paretosched.cli", *words)
    assert shown.status == 0
    assert "\n36 schedules explored" in shown.out
    text = re.sub(rb"\x1b\[[\d;?]*[A-Za-z]", b"", shown.terminal).decode()
    assert "36/36" in text
    assert re.search(r"exploring .*front \d+.* 0:00:\d\d left 0:00:00", text)
    assert "paretosched:" not in text


INTERRUPTED = """
import os, signal, sys
from rich.{module} import {name}
from paretosched.cli.console import bar, tell

plain, sent = {name}.{method}, []

def interrupted(*arguments, **words):
    if not sent:
        sent.append(os.kill(os.getpid(), signal.SIGINT))
        for _ in range(1000):  # the signal arrives in one of these
            pass
    return plain(*arguments, **words)

{name}.{method} = interrupted
try:
    with bar("working", 7, "jobs") as update:
        update(3, 7, "")
    for _ in range(10**9):  # it is delayed until here
        pass
except KeyboardInterrupt:
    tell("interrupted")
    sys.exit(130)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "method"),
    [("live", "Live", "start"), ("live", "Live", "stop"), ("console", "Console", "clear_live")],
)
def test_ctrl_c_while_the_bar_is_drawn_or_taken_away_is_said_and_leaves_a_cursor(
    module: str, name: str, method: str
) -> None:
    shown = in_terminal("-c", INTERRUPTED.format(module=module, name=name, method=method))
    assert shown.status == 130
    assert shown.terminal.endswith(b"\x1b[?25hinterrupted\r\n")


@pytest.mark.slow
def test_ctrl_c_with_worker_processes_is_as_quiet(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", "explore", str(house / "w.swf.gz"), "-o", str(run),
         "--evaluations", "20000", "--population", "10", "--workers", "1"],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while not (run / "front.parquet").exists():
        assert child.poll() is None
        time.sleep(0.005)
    os.killpg(child.pid, signal.SIGINT)  # a terminal sends the signal to the workers, too
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    assert all(line.startswith("paretosched") for line in err.splitlines()), err
    assert err.endswith("\nparetosched explore: interrupted\n")
    assert ps.load_front(run).evaluations == len(stored_rows(run))


def test_lines_of_progress_say_how_long_the_rest_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    said: list[str] = []
    monkeypatch.setattr(console, "monotonic", lambda: now[0])
    monkeypatch.setattr(console, "say", said.append)
    monkeypatch.setattr(console._Lines, "say_still", lambda lines: None)
    lines = console._Lines("exploring", "")
    for second, count in ((5, 400), (25, 500), (125, 1000), (145, 2000)):  # 400 are those of a run that is continued
        now[0] = float(second)
        lines.update(count, 2000, f"front {count}")
    assert said == [
        "exploring: 400 of 2,000, front 400",
        "exploring: 1,000 of 2,000, front 1000, about 3 min left",
        "exploring: 2,000 of 2,000, front 2000",
    ]
