"""Exploring further from the page: as the command does it, stopped, killed, and refused where it cannot be."""

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.app.further import STEPS, Exploration, Further
from paretosched.app.processes import Process, is_running, process_of
from paretosched.core.errors import InputError
from paretosched.search import runs
from support.browser import page_process
from support.commands import environment, stored_rows, succeed
from support.page_clients import Client, wait_until

MORE = STEPS[0]


@pytest.fixture
def further(house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Further:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    shutil.copytree(house / "run", tmp_path / "run")
    (tmp_path / "page").mkdir()
    return Further(tmp_path / "page", tmp_path / "run", [str(house / "w.swf.gz")])


def until(further: Further, condition: Callable[[Exploration], bool]) -> Exploration:
    """Wait until an exploration is as the condition says, and return it."""
    end = time.monotonic() + 120
    while not condition(now := further.read()):
        assert time.monotonic() < end, now
        time.sleep(0.05)
    return now


@pytest.mark.slow
def test_it_is_stopped_goes_on_and_finds_what_the_command_finds(further: Further, house: Path, tmp_path: Path) -> None:
    before = further.read()
    assert (before.done, before.wanted, before.is_running, before.message) == (60, 60, False, "")
    assert before.each > 0
    further.ask(MORE)
    with pytest.raises(InputError, match="explores already"):
        further.ask(MORE)
    assert until(further, lambda now: now.done > 60).wanted == 60 + MORE
    further.halt()
    stopped = until(further, lambda now: not now.is_running)
    assert stopped.message == ""
    assert ps.load_front(tmp_path / "run").evaluations == stopped.done
    again = Further(further.folder, further.run, further.trace)
    again.ask(MORE)
    done = until(again, lambda now: not now.is_running)
    assert (done.done, done.wanted) == (stopped.done + MORE, stopped.done + MORE)
    once = tmp_path / "once"
    succeed("explore", house / "w.swf.gz", "-o", once, "--evaluations", done.done, "--population", 20)
    assert ps.load_front(once).values.tobytes() == ps.load_front(tmp_path / "run").values.tobytes()
    assert {path.stat().st_mode & 0o777 for path in further.folder.iterdir()} == {0o600}


@pytest.mark.slow
def test_a_page_that_is_closed_stops_it(further: Further) -> None:
    further.ask(STEPS[-1])
    until(further, lambda now: now.done > 60)
    further.close()
    now = further.read()
    assert not now.is_running
    assert now.done < 60 + STEPS[-1]
    assert Further(further.folder, further.run, further.trace).read() == now._replace(wanted=60 + STEPS[-1])


def test_what_cannot_go_on_says_why(further: Further, house: Path, tmp_path: Path) -> None:
    ps.save_front(ps.load_front(house / "run"), tmp_path / "front.parquet")
    merged = Further(further.folder, tmp_path / "front.parquet", further.trace)
    assert "shows a front, not a run" in merged.read().message
    with pytest.raises(InputError, match="shows a front, not a run"):
        merged.ask(MORE)
    succeed("explore", house / "w.swf.gz", "-o", tmp_path / "orders", "--encoding", "orders")
    orders = Further(further.folder, tmp_path / "orders", further.trace)
    assert "All that this run set out to try" in orders.read().message
    unknown = Further(further.folder, further.run)
    assert unknown.read().message == "Exploring further needs the workload itself."
    for number in (0, 7, -1000):
        with pytest.raises(InputError, match="must be one of 1000, 5000, 20000"):
            further.ask(number)
    with runs.open_run(further.run, runs.known_parameters(further.run)), pytest.raises(InputError, match="already"):
        further.ask(MORE)
    assert list(further.folder.iterdir()) == []


@pytest.mark.slow
def test_its_failure_is_shown_and_it_can_be_asked_again(further: Further, tmp_path: Path) -> None:
    further.trace = [str(tmp_path / "gone.swf")]
    further.ask(MORE)
    failed = until(further, lambda now: not now.is_running)
    assert failed.message.endswith("gone.swf: no such file")


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "paretosched page exploration 1", "evaluations": "x"}']
)
def test_a_damaged_request_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "explore.json").write_text(content)
    with pytest.raises(InputError, match=r"explore\.json: ") as error:
        Further(tmp_path, tmp_path)
    assert str(error.value).count("explore.json") == 1


def test_a_number_that_is_another_process_now_is_left_alone(further: Further) -> None:
    own = process_of(os.getpid())
    assert own is not None
    other = {"pid": own.pid, "start": own.start + "1"}
    content = {"format": "paretosched page exploration 1", "evaluations": 900, "process": other}
    (further.folder / "explore.json").write_text(json.dumps(content))
    again = Further(further.folder, further.run, further.trace)
    again.halt()
    again.close()
    assert not again.read().is_running


@pytest.mark.slow
def test_it_outlives_the_kill_of_the_page(house: Path, tmp_path: Path) -> None:
    shutil.copytree(house / "run", tmp_path / "run")
    page = tmp_path / "run", "--trace", house / "w.swf.gz"
    with page_process(*page) as (process, url):
        client = Client(url)
        wait_until(lambda: b'"CONS"' in client.ask("/_dash-layout").body)
        assert client.act({"do": "explore", "evaluations": STEPS[-1]})["message"] == ""
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    request = json.loads((tmp_path / "run.app" / "explore.json").read_text())
    running = Process(**request["process"])
    assert is_running(running)
    with page_process(*page) as (process, url):
        client = Client(url)
        wait_until(lambda: len(stored_rows(tmp_path / "run")) > 60)
        assert client.act({"do": "halt"})["busy"] in (True, False)
        wait_until(lambda: not is_running(running))
    assert 60 < ps.load_front(tmp_path / "run").evaluations < 60 + STEPS[-1]
