"""Whatever is sent to the page: an answer in order, never an error of the server."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from paretosched.app import server
from paretosched.app.desk import Desk
from paretosched.app.newer_front import digest_of
from paretosched.app.server import MOST_SENT
from paretosched.fronts.front_files import save_front
from support.browser_page import served_here
from support.page import FRONT, signed_in
from support.page_clients import ACT as POST
from support.page_clients import PATIENCE, Client, body_of, half_sent, load

FRONT_NOW = digest_of(FRONT)
ACTIONS: list[dict[str, Any]] = [
    {"do": "say", "text": "AWRT1"},
    {"do": "limit", "limits": {"AWRT1": [None, 5e4]}, "fit": True},
    {"do": "near", "name": "AWRT1", "value": 5e4},
    {"do": "weigh", "name": "AWRT2", "value": None},
    {"do": "classify", "classes": {"AWRT1": ["improve", None]}},
    {"do": "choose", "row": 3},
    {"do": "note", "row": 3, "text": "x"},
    {"do": "look", "across": "UTIL", "up": "AWRT", "log": True},
    {"do": "train", "generations": 5},
    {"do": "cancel", "number": 1},
    {"do": "open", "text": "{}"},
    {"do": "undo", "turn": 7},
    {"do": "back", "number": 0},
]
WRONG: list[Any] = [[], {}, "5", [[]], {"a": 1}, [None, None], "x" * 1000]


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action["do"])
def test_a_value_of_a_wrong_type_is_refused_and_changes_nothing(desk: Desk, action: dict[str, Any]) -> None:
    client = signed_in(desk)
    assert client.post(POST, json=body_of(action, FRONT_NOW)).status_code == 200
    before = desk.revision
    for key in action:
        for wrong in WRONG:
            if type(wrong) is type(action[key]) and key in ("text", "across", "limits", "classes"):
                continue  # of the right type: the desk says what is wrong with it
            answer = client.post(POST, json=body_of({**action, key: wrong}, FRONT_NOW))
            expected = 400 if not (isinstance(wrong, str) and key in ("name", "up")) else 200
            if wrong == {} and isinstance(action[key], dict):
                expected = 200
            assert answer.status_code == expected, (key, wrong, answer.text)
    for body in ({**action, "more": 1}, {key: value for key, value in action.items() if key != "do"}, [action], 5, "x"):
        assert client.post(POST, json=body_of(body, FRONT_NOW)).status_code == 400, body
    assert desk.revision == before


def test_generations_as_a_list_are_a_wrong_request(desk: Desk) -> None:
    answer = signed_in(desk).post(POST, json=body_of({"do": "train", "generations": []}, FRONT_NOW))
    assert answer.status_code == 400
    assert "generations" in answer.text


def damage(body: Any, rng: random.Random) -> Any:
    """Return a body with one part replaced, removed, added or wrapped."""
    body = copy.deepcopy(body)
    part, parents = body, []
    while isinstance(part, dict | list) and part and rng.random() < 0.8:
        key = rng.choice(list(part) if isinstance(part, dict) else range(len(part)))
        parents.append((part, key))
        part = part[key]
    if not parents:
        return rng.choice([None, 5, [], "x", [body]])
    parent, key = parents[-1]
    match rng.randrange(4):
        case 0:
            del parent[key]
        case 1:
            parent[key] = [parent[key]]
        case 2:
            parent[key] = rng.choice([None, True, -1, 1e308, 2**70, 10**400, "", "\0\ud800", [], {}, [[[]]], {"id": 1}])
        case _ if isinstance(parent, dict):
            parent[rng.choice(["state", "output", "inputs", "\ud800", "id", "do", "value"])] = rng.choice(
                [5, [], {}, ""]
            )
        case _:
            parent.append(rng.choice([5, [], {}, parent[0]]))
    return body


@pytest.mark.slow
def test_damaged_bodies_are_answered_or_refused(desk: Desk) -> None:
    client = signed_in(desk)
    rng = random.Random(14)
    counts = {200: 0, 400: 0, 409: 0}
    for _ in range(200):
        body = body_of(rng.choice(ACTIONS), FRONT_NOW)
        for _ in range(rng.randint(1, 3)):
            body = damage(body, rng)
        answer = client.post(POST, json=body)
        assert answer.status_code in counts, (body, answer.status_code)
        counts[answer.status_code] += 1
    assert counts[400] > 100


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 400_000,
        b'{"a":' * 150_000,
        json.dumps(body_of({"do": "say", "text": 1}, FRONT_NOW)).encode()[:-5],
        json.dumps(body_of(5, FRONT_NOW)).replace("5", "[" * 900 + "]" * 900).encode(),
        json.dumps(body_of({"do": "choose", "row": 5}, FRONT_NOW)).replace("5", "5" * 5000).encode(),
        json.dumps(body_of({"do": "near", "value": 5}, FRONT_NOW)).replace("5", "NaN").encode(),
    ],
    ids=range(9),
)
def test_a_body_that_is_no_action_is_refused(desk: Desk, body: bytes) -> None:
    client = signed_in(desk)
    for path in (POST, "/", "/pulse", "/page.json", "/assets/page.css", "/nothing"):
        assert client.post(path, data=body, content_type="application/json").status_code == 400, path
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert client.post(POST, data=body, content_type=kind).status_code == 400, kind


def test_what_is_too_large_is_refused(desk: Desk) -> None:
    answer = signed_in(desk).post(POST, data=b"x" * (MOST_SENT + 1), content_type="application/json")
    assert answer.status_code == 413


@pytest.mark.parametrize("levels", [100, 900, 990, 2000, 100_000])
def test_an_opened_file_that_is_deep_is_refused(desk: Desk, levels: int) -> None:
    client = signed_in(desk)
    head = json.loads(client.get("/page.json").data)
    for key in ("classes", "wish", "chart", "shortlist", "chosen"):
        text = json.dumps({**head, key: 0}).replace(
            f'"{key}": 0', f'"{key}": [["UTIL", "improve", {"[" * levels}{"]" * levels}]]'
        )
        answer = client.post(POST, json=body_of({"do": "open", "text": text}, FRONT_NOW))
        assert answer.status_code == 200, key
        if key != "chosen" or levels > 1000:
            assert answer.json["response"]["scene"]["data"]["message"].startswith("the opened file: "), key


@pytest.mark.slow
def test_half_sent_requests_do_not_block_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay: no silence ends them. On a busy machine, it could also end one that was sent and not yet read."""
    monkeypatch.setattr(server, "SILENCE", 10 * PATIENCE)
    save_front(FRONT, tmp_path / "front.parquet")
    with served_here(tmp_path / "front.parquet") as url:
        with half_sent(url) as connections:
            client = Client(url)
            for _ in range(5):
                assert client.ask("/pulse").status == 200
            assert len(load(url, clients=10, requests=8)) == 80
            assert len(connections) == 100
        assert client.ask("/pulse").status == 200
