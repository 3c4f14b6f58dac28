"""Connections that keep others out, with a limit of ten; the test itself turns the server's loop."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from waitress import wasyncore

from paretosched.app.connections import listening_server

LIMIT = 10
HALF = b"GET / HTTP/1.1\r\nHost: a\r\nX-More: b"
PATIENCE = 60.0  # s; turns are none: some take microseconds, while the thread that answers waits for its turn
Application = Callable[[dict[str, Any], Callable[..., Any]], list[bytes]]


class Server:
    """A server of an application with few connections, and its clients."""

    def __init__(self, application: Application, stack: ExitStack) -> None:
        self.sockets: dict[int, Any] = {}
        limits = {"threads": 1, "connection_limit": LIMIT, "asyncore_use_poll": True, "outbuf_overflow": 10**8}
        server = listening_server(application, self.sockets, host="127.0.0.1", port=0, **limits)
        stack.callback(wasyncore.close_all, self.sockets)
        stack.callback(server.task_dispatcher.shutdown)
        self.port, self.stack = server.effective_port, stack

    def client(self, data: bytes) -> socket.socket:
        """Return a connection on which some bytes were sent."""
        client = self.stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60))
        client.sendall(data)
        client.setblocking(False)
        return client

    def turn_until(self, condition: Callable[[], bool]) -> None:
        """Turn the loop until a condition holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return
            wasyncore.loop(timeout=0.01, use_poll=True, map=self.sockets, count=1)
        raise AssertionError("this never happens")

    def answer(self, client: socket.socket) -> bytes:
        """Turn the loop until a client receives something, and return it."""
        answers: list[bytes | None] = [None]

        def has_answered() -> bool:
            answers.append(bytes_for(client))
            return answers[-1] is not None

        self.turn_until(has_answered)
        return answers[-1] or b""


def bytes_for(client: socket.socket) -> bytes | None:
    """Return what a client has received: b"" if its connection is closed, None if nothing has come yet."""
    try:
        return client.recv(1000)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_a_new_connection_does_not_get_what_was_meant_for_the_one_that_made_room(stack: ExitStack) -> None:
    """Its file would have the number of the closed one, which may be ready to be read in the same turn of the loop."""
    server = Server(hello, stack)
    held = [server.client(HALF) for _ in range(LIMIT)]
    server.turn_until(lambda: len(server.sockets) >= LIMIT - 1)
    for _ in range(3):
        for other in held:
            other.sendall(b"b")  # all are ready, also the one that has to go
        late = server.client(b"")
        for _ in range(5):
            wasyncore.loop(timeout=0.01, use_poll=True, map=server.sockets, count=1)
        late.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert server.answer(late).startswith(b"HTTP/1.1 200 OK")
        late.close()
        held = [other for other in held if bytes_for(other) is None]


def hello(environment: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
    start("200 OK", [("Content-Length", "5")])
    return [b"hello"]


def test_bytes_now_and_then_keep_no_connection_when_others_need_it(stack: ExitStack) -> None:
    server = Server(hello, stack)
    attackers = [server.client(HALF) for _ in range(3 * LIMIT)]
    answers: list[bytes | None] = [None] * len(attackers)

    def count_closed() -> int:
        for k, attacker in enumerate(attackers):
            if answers[k] is None:
                answers[k] = bytes_for(attacker)
        return answers.count(b"")

    server.turn_until(lambda: count_closed() >= 2 * LIMIT)
    for attacker, answer in zip(attackers, answers, strict=True):
        if answer is None:
            attacker.send(b"b")
    owner = server.client(b"GET /pulse HTTP/1.1\r\nHost: a\r\n\r\n")
    assert server.answer(owner).startswith(b"HTTP/1.1 200 OK")
    assert len(server.sockets) <= LIMIT
    order = [answer is None for answer in answers]
    assert order == sorted(order)  # the oldest were closed


def test_a_request_that_is_being_answered_keeps_its_connection(stack: ExitStack) -> None:
    at_work, go_on = threading.Event(), threading.Event()

    def slow(environment: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        at_work.set()
        go_on.wait(60)
        return hello(environment, start)

    server = Server(slow, stack)
    owner = server.client(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    server.turn_until(at_work.is_set)
    attackers = [server.client(HALF) for _ in range(2 * LIMIT)]
    server.turn_until(lambda: bytes_for(attackers[LIMIT]) == b"")
    assert bytes_for(owner) is None
    go_on.set()
    assert server.answer(owner).startswith(b"HTTP/1.1 200 OK")


def test_an_answer_that_is_on_its_way_keeps_its_connection(stack: ExitStack) -> None:
    size = 12_000_000  # more than the system takes at once

    def large(environment: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        start("200 OK", [("Content-Length", str(size))])
        return [b"x" * size]

    server = Server(large, stack)
    owner = server.client(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")

    def is_on_its_way() -> bool:
        channels = [s for s in server.sockets.values() if hasattr(s, "total_outbufs_len")]
        return any(channel.total_outbufs_len and not channel.requests for channel in channels)

    server.turn_until(is_on_its_way)
    attackers = [server.client(HALF) for _ in range(2 * LIMIT)]
    server.turn_until(lambda: bytes_for(attackers[LIMIT]) == b"")
    received = 0

    def has_all() -> bool:
        nonlocal received
        received += len(bytes_for(owner) or b"")
        return received > size

    for _ in range(10 * size // 1000):
        if has_all():
            break
        wasyncore.loop(timeout=0, use_poll=True, map=server.sockets, count=1)
    assert received > size
