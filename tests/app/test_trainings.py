"""Trainings in the background."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.app.processes import Process, is_running, process_of, send
from paretosched.app.state import KINDS
from paretosched.app.trainings import DONE, FAILED, QUEUED, RUNNING, STOPPED, Trainings, size
from paretosched.core.errors import InputError
from paretosched.search import runs
from paretosched.wishes import wish_files
from paretosched.wishes.wish import Wish
from support.browser import page_process
from support.commands import environment, succeed
from support.page_clients import Client, wait_until


@pytest.mark.slow
def test_trainings_wait_stop_continue_and_are_the_command(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    trainings = Trainings(tmp_path, [str(house / "w.swf.gz")])
    first = trainings.ask(Wish(weights=[("AWRT1", 1.0)]), 25)
    second = trainings.ask(Wish(near=[("AWRT2", 5e4)]), 5)
    third = trainings.ask(Wish(near=[("AWRT2", 6e4)]), 5)
    assert {t.number: t.status for t in trainings.read_all()} == {first: RUNNING, second: QUEUED, third: QUEUED}
    trainings.cancel(third)
    wait(trainings, lambda by_number: by_number[first].done > 500)
    trainings.cancel(first)
    wait(trainings, lambda by_number: by_number[second].status == DONE)
    by_number = {t.number: t for t in trainings.read_all()}
    assert (by_number[first].status, by_number[third].status) == (STOPPED, STOPPED)
    assert 500 < by_number[first].done < size(25)
    trainings.close()
    again = Trainings(tmp_path, [str(house / "w.swf.gz")])  # as after a restart
    again.resume(first)
    wait(again, lambda by_number: by_number[first].status == DONE)
    again.close()
    training = {t.number: t for t in again.read_all()}[first]
    assert (training.done, training.total) == (size(25), size(25))
    workload = ps.read_swf(house / "w.swf.gz")
    assert ps.objectives(ps.simulate(workload, training.policy))[2] == training.course[-1][2]
    direct = ps.train(workload, Wish(weights=[("AWRT1", 1.0)]), generations=25).policy
    assert np.array_equal(direct.genes, training.policy.genes)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_each_class_is_trained_as_the_command_does_with_a_test(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    trainings = Trainings(tmp_path, [str(house / "w.swf.gz")])
    words = "AWRT1, AWRT <= 1.5*EASY" if kind == "guarded" else "AWRT"
    wish = ps.as_wish(words, ps.read_swf(house / "w.swf.gz").groups)
    number = trainings.ask(wish, 5, kind, has_test=True)
    wait(trainings, lambda by_number: by_number[number].status == DONE)
    training = trainings.read_all()[0]
    trainings.close()
    assert (training.kind, training.has_test) == (kind, True)
    assert (training.done, training.total) == (size(5, kind), size(5, kind))
    assert len(training.course) == 0  # values on a part of the jobs are none on the chart
    options = {"greedy": ("--generations", 5), "priority": ("--class", "priority", "--evaluations", 500)}
    options["rules"] = ("--rule-base", "symbiotic", "--generations", 5, "--evaluations", 363)
    options["guarded"] = ("--class", "guarded", "--evaluations", 60)
    train = ("train", house / "w.swf.gz", "--objective", words, *options[kind], "--train-until", 0.7, "--accept-worse")
    direct = succeed(*train, "-o", tmp_path / "p.json", "--json").json
    known = training.result["systems"]  # as far as the page needs it
    assert [{key: row[key] for key in known[0]} for row in direct["systems"]] == known
    assert {"rest", "rest_vs_easy", "rest_exceeded", "workloads", "best"} <= known[0].keys()
    same = json.loads((tmp_path / "p.json").read_text())
    assert {**same, "provenance": 0} == {
        **json.loads((tmp_path / "training-1.policy.json").read_text()),
        "provenance": 0,
    }


@pytest.mark.slow
def test_a_wish_without_limits_has_no_guarded_order_and_the_page_says_so(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    trainings = Trainings(tmp_path, [str(house / "w.swf.gz")])
    number = trainings.ask(Wish(weights=[("AWRT", 1.0)]), 5, "guarded")
    wait(trainings, lambda by_number: by_number[number].status == FAILED)
    assert "a guarded order must have a wish with a group in its sum and a limit" in trainings.read_all()[0].message
    trainings.close()


@pytest.mark.parametrize(
    "wrong", [{"class": "x"}, {"class": "rules", "generations": 7}, {"until": "a"}, {"until": 2.0}]
)
def test_a_request_that_was_changed_by_hand_is_listed_as_damaged_and_not_started(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    request(tmp_path, 1)
    place = tmp_path / "training-1.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | wrong))
    trainings = Trainings(tmp_path, ["no-such.swf"])
    assert trainings.read_all()[0].message.startswith("cannot be read: ")
    with pytest.raises(InputError):
        trainings.resume(1)
    trainings.advance()  # it does not stand in the way of others
    assert not (tmp_path / "queue.json").exists()


def wait(trainings: Trainings, until: Any) -> None:
    """Wait until `until`, called with the trainings by number, is true."""
    for _ in range(1200):
        trainings.advance()
        if until({t.number: t for t in trainings.read_all()}):
            return
        time.sleep(0.1)
    raise AssertionError(trainings.read_all())


def test_a_training_that_was_damaged_is_listed_as_such(tmp_path: Path) -> None:
    (tmp_path / "training-1.json").write_text("{}")
    (tmp_path / "training-x.json").write_text("{}")
    (tmp_path / "training-2.json").mkdir()
    assert [t.message[:14] for t in Trainings(tmp_path).read_all()] == ["cannot be read"] * 2


def test_a_training_that_outlives_its_page_runs_on_and_is_left_alone(tmp_path: Path) -> None:
    trainings = Trainings(tmp_path)
    wish = Wish(weights=[("AWRT1", 1.0)])
    wish_files.save_wish(wish, tmp_path / "training-1.wish.json")
    request = {"format": "paretosched page training 1", "wish": wish_files.to_json(wish), "generations": 5}
    (tmp_path / "training-1.json").write_text(json.dumps(request))
    assert [t.status for t in trainings.read_all()] == [STOPPED]
    with runs.open_run(tmp_path / "training-1", {"of": "another process"}):
        assert [t.status for t in trainings.read_all()] == [RUNNING]
        for touch in (trainings.cancel, trainings.resume):
            with pytest.raises(InputError, match="page that was killed"):
                touch(1)
    assert [t.status for t in trainings.read_all()] == [STOPPED]


def test_a_process_is_known_by_its_start_too() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as child:
        process = process_of(child.pid)
        assert process is not None
        other = Process(child.pid, process.start + "1")  # the number of a process that has ended
        assert (is_running(process), is_running(other)) == (True, False)
        send(other, signal.SIGKILL)
        time.sleep(0.05)
        assert child.poll() is None
        send(process, signal.SIGKILL)
        assert child.wait(30) == -signal.SIGKILL
        assert not is_running(process)


def request(folder: Path, number: int) -> None:
    """Write the files of a request for a training."""
    wish = wish_files.to_json(Wish(weights=[("AWRT1", 1.0)]))
    value = {"format": "paretosched page training 1", "wish": wish, "generations": 5}
    (folder / f"training-{number}.json").write_text(json.dumps(value))
    (folder / f"training-{number}.wish.json").write_text(json.dumps(wish))


def queue(folder: Path, running: Any, waiting: Any) -> None:
    content = {"format": "paretosched page queue 1", "running": running, "waiting": waiting}
    (folder / "queue.json").write_text(json.dumps(content))


def test_a_training_that_was_killed_with_its_page_waits_again(tmp_path: Path) -> None:
    own = process_of(os.getpid())
    assert own is not None
    for number in (1, 2, 3):
        request(tmp_path, number)
    # this process has its number now; it must not get the signal that cancels the training
    running = {"number": 2, "process": {"pid": own.pid, "start": own.start + "1"}}
    queue(tmp_path, running, [3, 3, 9])
    trainings = Trainings(tmp_path)
    assert {t.number: t.status for t in trainings.read_all()} == {1: STOPPED, 2: QUEUED, 3: QUEUED}
    trainings.advance()  # without a log, none is started
    statuses = [t.status for t in Trainings(tmp_path).read_all()]
    assert statuses == [QUEUED, QUEUED, STOPPED]
    trainings.cancel(2)
    again = Trainings(tmp_path)
    assert {t.number: t.status for t in again.read_all()} == {1: STOPPED, 2: STOPPED, 3: QUEUED}
    again.close()
    assert not (tmp_path / "queue.json").exists()
    queue(tmp_path, running, [])
    (tmp_path / "training-2.log").write_text("paretosched train: interrupted; the same command continues it\n")
    assert {t.status for t in Trainings(tmp_path).read_all()} == {STOPPED}  # the owner had cancelled it


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "paretosched page queue 1", "running": 5}'])
def test_a_damaged_queue_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "queue.json").write_text(content)
    with pytest.raises(InputError, match=r"queue\.json: ") as error:
        Trainings(tmp_path)
    assert str(error.value).count("queue.json") == 1


@pytest.mark.slow
def test_trainings_survive_the_kill_of_the_page_and_can_be_cancelled(house: Path, tmp_path: Path) -> None:
    shutil.copytree(house / "run", tmp_path / "run")
    page = tmp_path / "run", "--trace", house / "w.swf.gz"
    with page_process(*page) as (process, url):
        client = Client(url)
        client.act({"do": "say", "text": "AWRT1"})
        wait_until(lambda: b"--trace TRACE" not in client.ask("/_dash-layout").body and shows_known_schedules(client))
        client.act({"do": "train", "generations": 100})
        client.act({"do": "train", "generations": 5})
        client.act({"do": "train", "generations": 100})
        assert client.statuses() == {1: RUNNING, 2: QUEUED, 3: QUEUED}
        process.kill()
        process.wait(30)
    folder = tmp_path / "run.app"
    running = json.loads((folder / "queue.json").read_text())["running"]
    training = Process(**running["process"])
    assert (running["number"], is_running(training)) == (1, True)
    send(training, signal.SIGSTOP)  # so that it cannot end before it is cancelled
    assert {path.stat().st_mode & 0o777 for path in folder.glob("*.json")} == {0o600}
    assert (folder / "training-1.log").stat().st_mode & 0o777 == 0o600
    with page_process(*page) as (process, url):
        client = Client(url)
        wait_until(lambda: client.statuses() == {1: RUNNING, 2: QUEUED, 3: QUEUED})
        assert is_running(training)
        client.act({"do": "cancel", "number": 1})
        send(training, signal.SIGCONT)
        wait_until(lambda: client.statuses() == {1: STOPPED, 2: DONE, 3: RUNNING})
        assert not is_running(training)
        process.kill()
        process.wait(30)
    last = Process(**json.loads((folder / "queue.json").read_text())["running"]["process"])
    send(last, signal.SIGKILL)  # as when the machine fails
    with page_process(*page) as (process, url):  # its end by SIGTERM stops the training
        client = Client(url)
        wait_until(lambda: client.statuses() == {1: STOPPED, 2: DONE, 3: RUNNING})
        after = Process(**json.loads((folder / "queue.json").read_text())["running"]["process"])
    assert not is_running(after)
    assert not (folder / "queue.json").exists()


def shows_known_schedules(client: Client) -> bool:
    """Return whether the known schedules are on the page."""
    return b'"CONS"' in client.ask("/_dash-layout").body
