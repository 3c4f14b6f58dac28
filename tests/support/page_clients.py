"""Clients of a page that runs as a process: one that acts, many at once, and some that send half a request."""

import csv
import http.client
import io
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from paretosched.app.access import HEADER

NOBODY = 65534
ACT = "/_dash-update-component"
HEAD = ("words", "facts", "other-machine", "further", "machine", "two-buttons", "groupings")
PIECES = (*HEAD, "remarks", "twice", "chosen", "values", "steps")
TABS = ("compared", "picks", "either", "what-if", "cards", "difference", "steps-so-far", "training", "trainings")
STORES = ("figures", "scene", "held")
PLACES = (*((key, "children") for key in PIECES + TABS), *((key, "data") for key in STORES))
PATIENCE = 60.0  # s that a request may take before it counts as a failure


class Answer(NamedTuple):
    """The status, headers and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def body_of(action: Any, front: str, held: Any = None) -> dict[str, Any]:
    """Return the body with which the browser sends an action that means the rows of a front, given by its digest.

    `held` are the digests of the pieces that the browser has; without any it gets all.
    """
    value = {**action, "front": front} if isinstance(action, dict) else action
    return {
        "output": f"..{'...'.join('.'.join(place) for place in PLACES)}..",
        "outputs": [{"id": key, "property": name} for key, name in PLACES],
        "inputs": [{"id": "said", "property": "data", "value": value}],
        "changedPropIds": ["said.data"],
        "parsedChangedPropsIds": ["said.data"],
        "state": [{"id": "held", "property": "data", "value": held or {}}],
    }


def question_of(key: str, front: str, kind: str, *rows: int, number: int = 0) -> dict[str, Any]:
    """Return the body with which the browser asks for what stands at the place with a key."""
    value = {"kind": kind, "front": front, "rows": list(rows), "number": number, "today": "EASY"}
    store = {"part": "ask", "place": key}
    return {
        "output": '{"part":"told","place":["MATCH"]}.children',
        "outputs": {"id": {"part": "told", "place": key}, "property": "children"},
        "inputs": [{"id": store, "property": "data", "value": value}],
        "changedPropIds": [f"{json.dumps(store, separators=(',', ':'))}.data"],
        "parsedChangedPropsIds": [store],
    }


class Client:
    """A client that has the address that the page prints."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self.host, self.port = parts.hostname, int(parts.port or 80)
        self.headers = {HEADER: parse_qs(parts.fragment)["token"][0]}
        self.front: str = json.loads(self.ask("/pulse").body)["front"]

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Send a request: POST with a body, else GET."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        more = {} if body is None else {"Content-Type": "application/json"}
        try:
            connection.request("GET" if body is None else "POST", path, body, self.headers | more | headers)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def act(self, action: dict[str, Any]) -> dict[str, Any]:
        """Carry out an action, and return the scene that the page then shows."""
        answer = self.ask(ACT, json.dumps(body_of(action, self.front)).encode())
        assert answer.status == 200, answer
        scene: dict[str, Any] = json.loads(answer.body)["response"]["scene"]["data"]
        return scene

    def statuses(self) -> dict[int, str]:
        """Return the status of each training that the page shows, by its number."""
        text = self.ask("/trainings.csv").body.decode("utf-8-sig")
        return {int(row["training"]): row["status"] for row in csv.DictReader(io.StringIO(text))}


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + 2 * PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def load(url: str, clients: int = 50, requests: int = 20) -> list[float]:
    """Let many clients look at a page and use it at once, and return how long each request took, in seconds.

    Each has a connection of its own for each request. Every request must be answered with status 200.
    """
    seconds: list[float] = []
    failures: list[object] = []
    paths = ("/", "/_dash-layout", "/pulse", "FRONT", "/remaining.csv")

    def use(number: int) -> None:
        try:
            client = Client(url)
            for k in range(requests):
                begin = time.monotonic()
                path = paths[(number + k) % len(paths)] if k % 4 else ACT
                path = path.replace("FRONT", f"/front/{client.front}.bin")
                action = body_of({"do": "choose", "row": (number + k) % 3}, client.front)
                answer = client.ask(path, None if k % 4 else json.dumps(action).encode())
                seconds.append(time.monotonic() - begin)
                if answer.status != 200:
                    failures.append((path, answer.status))
        except (OSError, AssertionError, http.client.HTTPException) as error:
            failures.append((number, error))

    threads = [threading.Thread(target=use, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [], failures[:3]
    assert len(seconds) == clients * requests
    return seconds


@contextmanager
def half_sent(url: str, count: int = 100) -> Iterator[list[socket.socket]]:
    """Send half a request on each of many connections, half of them within the header, and leave them open."""
    parts = urlsplit(url)
    headers = b"POST /_dash-update-component HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50000\r\n"
    connections = []
    try:
        for k in range(count):
            connection = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=PATIENCE)
            connections.append(connection)
            connection.sendall(headers + (b"X-More: a" if k % 2 else b"\r\n{"))
        yield connections
    finally:
        for connection in connections:
            connection.close()


def as_nobody(act: Callable[[], Any]) -> Any:
    """Return what a function returns in a process of an account without rights, as JSON; this needs root."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # without an exec: that account may not be able to read this interpreter
        with suppress(BaseException):
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, json.dumps(act()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer)
