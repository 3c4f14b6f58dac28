"""Arrays that processes share: what one puts, another one gets, whole or not at all, and nobody waits."""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
import sys
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection

import numpy as np
import pytest

from paretosched.core import shared_arrays as module
from paretosched.core.shared_arrays import LABEL, SharedArrays

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="THE MEMORY THAT WORKERS SHARE IS LINUX'S ONLY")
SPAWN = get_context("spawn")
BIG = 50_000  # numbers; an array of them is not copied in a moment
SECONDS = 60.0  # after which a test has failed


def full_of(value: int, size: int = BIG) -> np.ndarray:
    return np.full(size, value, dtype=np.int32)


def key_of(value: int) -> bytes:
    return f"key {value}".encode()


def answer(table: SharedArrays, end: Connection) -> None:
    """Return what the table has of each key that is asked for."""
    while True:
        number, key = end.recv()
        found = table.get(number, key)
        end.send(None if found is None else found.tolist())


def put_and_get(table: SharedArrays, seed: int, end: Connection) -> None:
    """Put and get arrays at few places; tell how many were got, and how many of them were not what was put."""
    rng = np.random.default_rng(seed)
    got = wrong = 0
    for _ in range(3000):
        value = int(rng.integers(12))
        if rng.random() < 0.5:
            table.put(value, key_of(value), full_of(value))
        found = table.get(value, key_of(value))
        if found is not None:
            got += 1
            wrong += (found != value).any()
    end.send((got, wrong))


def put_for_ever(table: SharedArrays, end: Connection) -> None:
    """Put one array after the other at the same place."""
    end.send("ready")
    value = 0
    while True:
        value += 1
        table.put(0, b"key", full_of(value))


class Deadly:
    """An array whose numbers kill who asks for them."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def put_and_die(table: SharedArrays) -> None:
    """Be killed in the middle of putting an array."""
    table.put(1, b"new", Deadly())  # type: ignore[arg-type]


def lock_first(table: SharedArrays, kind: int, end: Connection) -> None:
    """Use the place of number 1, and never end."""
    fcntl.lockf(table._handle, kind, 1, table._stride)
    end.send("locked")
    signal.pause()


def test_an_array_is_at_its_place_until_another_one_comes_there() -> None:
    table = SharedArrays(3, 5 * (LABEL + 12) + 11)
    assert table.places == 5
    assert table.get(2, b"two") is None
    table.put(2, b"two", full_of(2, 3))
    found = table.get(2, b"two")
    assert found is not None
    assert (found.dtype, found.tolist(), found.flags.writeable) == (np.int32, [2, 2, 2], True)
    found[:] = 9  # a copy
    again = table.get(2, b"two")
    assert again is not None
    assert again.tolist() == [2, 2, 2]
    assert table.get(2, b"two\0") is None  # another key
    assert table.get(3, b"two") is None
    table.put(7, b"seven", full_of(7, 3))  # at the same place
    assert table.get(2, b"two") is None
    assert table.get(12, b"seven") is not None
    table.close()
    assert (table.places, table.get(7, b"seven")) == (0, None)
    table.put(7, b"seven", full_of(7, 3))  # goes nowhere
    table.close()


def test_a_process_that_is_started_with_it_finds_what_this_one_puts() -> None:
    table = SharedArrays(3, 1000)
    ours, theirs = SPAWN.Pipe()
    other = SPAWN.Process(target=answer, args=(table, theirs), daemon=True)
    other.start()
    try:
        for value in range(20):
            table.put(value, key_of(value), full_of(value, 3))
            for key, expected in ((key_of(value), [value] * 3), (key_of(value + 1), None)):
                ours.send((value, key))
                assert ours.poll(SECONDS)
                assert ours.recv() == expected
    finally:
        other.kill()
        other.join(SECONDS)


def test_it_is_sent_to_a_process_that_is_being_started_and_nowhere_else() -> None:
    with pytest.raises(RuntimeError, match="should only be shared"):
        pickle.dumps(SharedArrays(3, 1000))


def test_what_several_processes_put_at_a_time_is_got_whole() -> None:
    table = SharedArrays(BIG, 3 * (LABEL + 4 * BIG))
    assert table.places == 3
    ends, others = [], []
    for seed in range(3):
        ours, theirs = SPAWN.Pipe()
        ends.append(ours)
        others.append(SPAWN.Process(target=put_and_get, args=(table, seed, theirs), daemon=True))
        others[-1].start()
    for end in ends:
        assert end.poll(SECONDS)
        got, wrong = end.recv()
        assert got > 100
        assert wrong == 0
    for other in others:
        other.join(SECONDS)


def test_a_process_that_is_killed_leaves_a_whole_array_or_none() -> None:
    table = SharedArrays(BIG, LABEL + 4 * BIG)
    for pause in np.random.default_rng(1).uniform(0.001, 0.01, 8):
        ours, theirs = SPAWN.Pipe()
        other = SPAWN.Process(target=put_for_ever, args=(table, theirs), daemon=True)
        other.start()
        assert ours.poll(SECONDS)
        assert ours.recv() == "ready"
        time.sleep(pause)
        other.kill()
        other.join(SECONDS)
        found = table.get(0, b"key")
        assert found is None or (found == found[0]).all()
        table.put(0, b"key", full_of(-1))  # its lock is free
        found = table.get(0, b"key")
        assert found is not None
        assert (found == -1).all()


def test_who_is_killed_while_it_writes_leaves_nothing() -> None:
    table = SharedArrays(3, 1000)
    table.put(1, b"one", full_of(1, 3))
    other = SPAWN.Process(target=put_and_die, args=(table,), daemon=True)
    other.start()
    other.join(SECONDS)
    assert other.exitcode == -signal.SIGKILL
    assert table.get(1, b"one") is None
    assert table.get(1, b"new") is None


@pytest.mark.parametrize("kind", [fcntl.LOCK_SH, fcntl.LOCK_EX])
def test_nobody_waits_for_a_place_that_another_process_uses(kind: int) -> None:
    table = SharedArrays(3, 1000)
    table.put(1, b"one", full_of(1, 3))
    ours, theirs = SPAWN.Pipe()
    other = SPAWN.Process(target=lock_first, args=(table, kind, theirs), daemon=True)
    other.start()
    try:
        assert ours.poll(SECONDS)
        assert (table.get(1, b"one") is None) == (kind == fcntl.LOCK_EX)
        table.put(1, b"new", full_of(2, 3))
        assert table.get(1, b"new") is None
        table.put(2, b"two", full_of(2, 3))  # another place
        assert table.get(2, b"two") is not None
    finally:
        other.kill()
        other.join(SECONDS)
    table.put(1, b"new", full_of(2, 3))
    assert table.get(1, b"new") is not None


@pytest.mark.parametrize("lacking", ["a Python with it", "memfd_create", "ftruncate", "mmap", "size", "system"])
def test_without_such_memory_there_is_no_place(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(27, "File too large")

    if lacking == "a Python with it":
        monkeypatch.delattr(module.os, "memfd_create")
    elif lacking == "mmap":
        monkeypatch.setattr(module.mmap, "mmap", refuse)
    elif lacking == "system":
        monkeypatch.setattr(module.sys, "platform", "darwin")
    elif lacking != "size":
        monkeypatch.setattr(module.os, lacking, refuse)
    table = SharedArrays(300 if lacking == "size" else 3, 1000)
    assert table.places == 0
    table.put(1, b"one", full_of(1, 3))
    assert table.get(1, b"one") is None
    table.close()
