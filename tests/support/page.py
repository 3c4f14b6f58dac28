"""The page without a browser: a made-up front, states on it, and the workload of a run."""

import time
from typing import Any

from flask.testing import FlaskClient

import paretosched as ps
from paretosched.app.access import HEADER, Access
from paretosched.app.actions import after
from paretosched.app.desk import Desk
from paretosched.app.server import application
from paretosched.app.state import State, beginning
from support.fronts import a_front

TOKEN = "secret"
IN_ENVIRONMENT = f"HTTP_{HEADER.upper().replace('-', '_')}"  # as WSGI calls the header
FRONT = a_front(300)
START = beginning(FRONT)


def did(*actions: dict[str, Any], state: State = START) -> State:
    """Return the state after some actions."""
    for action in actions:
        state = after(state, action, FRONT)
    return state


def busy() -> State:
    """Return a state in which everything is set."""
    return did(
        {"do": "say", "text": "near AWRT1 = 14h, UTIL = 67, AWRT5 <= 30h"}, {"do": "pick", "row": 3},
        {"do": "note", "row": 3, "text": "why – <b>ä</b>"}, {"do": "choose", "row": 9},
        {"do": "look", "across": "UTIL", "up": "AWRT", "log": False, "fit": True},
    )  # fmt: skip


def wait_for_measures(desk: Desk) -> None:
    """Wait until the page has measured what a wish is about."""
    for _ in range(600):
        with desk.lock:
            if desk.measuring is None:
                return
        time.sleep(0.1)
    raise AssertionError("it measures for ever")


def reading(words: Any) -> ps.Workload:
    """Return a workload, read as the page reads it."""
    return ps.read_swf(words[0])


def signed_in(desk: Desk) -> FlaskClient:
    """Return a client of the page of a desk that has the token."""
    client = application(desk, Access(TOKEN)).test_client(use_cookies=False)
    client.environ_base[IN_ENVIRONMENT] = TOKEN
    return client
