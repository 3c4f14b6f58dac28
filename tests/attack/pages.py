"""Many clients, half-sent and damaged requests, and kills of a page: it answers the others and keeps the work."""

import http.client
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from attack.tally import ACCEPTED, REFUSED, Tally, Verdict, tally
from paretosched.app.access import HEADER
from support.browser import page_process, serve_page
from support.house import furnish
from support.mutations import damaged_bytes, damaged_json
from support.page_clients import ACT, Client, body_of, half_sent, load

NO_SUCH_ENCODING = 501  # the status with which HTTP refuses a Transfer-Encoding that is not known
ACTIONS = (
    {"do": "say", "text": "AWRT1 <= 99h"}, {"do": "pick", "row": 0}, {"do": "note", "row": 0, "text": "why"},
    {"do": "choose", "row": 1}, {"do": "train", "generations": -1}, {"do": "cancel", "number": 1},
    {"do": "look", "across": "UTIL", "up": "AWRT", "log": False, "fit": True},
)  # fmt: skip
HEADERS = ("Origin", "Host", "Cookie", "Content-Length", "Content-Type", "Transfer-Encoding", "X-Forwarded-For")
VALUES = (
    "http://[",
    "[",
    "",
    "null",
    "-1",
    "99999999999",
    "chunked",
    "text/plain",
    "\xe9" * 9,
    "x" * 9000,
    "%ff",
    "a\tb",
)
PATHS = (
    "/", "/pulse", "/front.bin", "/policy/1.json", "/policy/-1.json", "/training/9.json", "/../..", "/%00",
    "/assets/..%2f",
)  # fmt: skip


def crowd(url: str, clients: int, requests: int) -> list[Verdict]:
    """Let many clients use the page at once."""
    attempt = f"{clients} clients with {requests} requests each"
    try:
        seconds = load(url, clients, requests)
    except AssertionError as error:
        return [Verdict(f"not answered: {error}"[:300], attempt)]
    return [Verdict(ACCEPTED, attempt)] * len(seconds)


def beside_half_sent(url: str) -> Iterator[Verdict]:
    """Leave a hundred requests unfinished, and ask for others meanwhile."""
    with half_sent(url) as connections:
        for verdict in crowd(url, 4, 5):
            yield verdict._replace(attempt=f"{verdict.attempt} beside {len(connections)} that are half sent")


def damaged_requests(url: str, count: int, seed: int) -> Iterator[Verdict]:
    """Send requests with damaged bodies and headers: no answer may be an error of the server."""
    for number in range(count):
        r = Random(f"{seed}/pages/{number}")
        client = Client(url)
        headers, body, path = {}, None, r.choice(PATHS)
        if r.randrange(4):
            path, body = ACT, damaged_json(json.dumps(body_of(r.choice(ACTIONS), client.front)), r)
        if r.randrange(3) == 0:
            headers = {r.choice(HEADERS): r.choice(VALUES)}
            if "Content-Length" in headers:
                headers = {"Content-Length": "-1"}  # one that promises more would only wait for it
        if body is not None and r.randrange(6) == 0:
            body = damaged_bytes(body, r)
        if headers.get("Transfer-Encoding") == "chunked":
            body = (body or b"") + b"\r\n0\r\n\r\n"  # without the end of a chunk the request would be half sent
        attempt = f"seed {seed}, request {number}: {path} {headers} {(body or b'')[:200]!r}"
        try:
            status = client.ask(path, body, **headers).status
        except (OSError, http.client.HTTPException) as error:
            yield Verdict(f"no answer: {error!r}", attempt)
            continue
        end = (
            ACCEPTED if status < 400 else REFUSED if status < 500 or status == NO_SUCH_ENCODING else f"status {status}"
        )
        yield Verdict(end, attempt)


def without_the_token(url: str) -> Iterator[Verdict]:
    """Ask as a page of another port of the same host does, which gets the cookies of the host, and knows the token."""
    owner = Client(url)
    token = owner.headers.pop(HEADER)
    port = owner.port
    names = ("paretosched", f"paretosched-{port}", HEADER, "token", "session", "_csrf_token")
    cookie = {"Cookie": "; ".join(f"{name}={token}" for name in names)}
    origins = ({}, *({"Origin": f"http://{owner.host}:{other}"} for other in (port, port + 1, 80)))
    act = json.dumps(body_of({"do": "say", "text": "AWRT1"}, owner.front)).encode()
    paths = ("/page.json", "/decision.html", "/pulse", "/remaining.csv", f"/front/{owner.front}.bin", "/_dash-layout")
    for headers in ({**cookie, **origin} for origin in origins):
        for path, body in (*((path, None) for path in paths), (f"{paths[0]}?token={token}", None), (ACT, act)):
            status = owner.ask(path, body, **headers).status
            end = REFUSED if status in (401, 403) else f"was answered with status {status}"
            yield Verdict(end, f"{path} with {headers.get('Origin', 'no origin')} and the token as cookies")


def kills_of_the_page(front: Path, times: int, r: Random) -> Iterator[Verdict]:
    """Kill a page after an action that it has answered, and open it again: the work is still there."""
    for number in range(times):
        note = f"note {number} {r.random()}"
        attempt = f"kill {number + 1} of the page of {front}"
        with page_process(front) as (process, url):
            client = Client(url)
            if number == 0:
                client.act({"do": "pick", "row": 0})
            client.act({"do": "note", "row": 0, "text": note})
            process.kill()
            process.wait(60)
        with serve_page(front) as url:
            is_there = note.encode() in Client(url).ask("/page.json").body
        yield Verdict(ACCEPTED if is_there else "the last note is lost", attempt)


def pages(seed: int, clients: int, count: int, kills: int, work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Make all attacks on the page, and return a row for each."""
    work.mkdir()
    front = furnish(work) / "front.parquet"
    rows = []
    with serve_page(front) as url:
        rows.append(tally(f"requests of {clients} clients at once", crowd(url, clients, 20)))
        rows.append(tally("requests beside half-sent ones", beside_half_sent(url)))
        rows.append(tally("the token as a cookie, and from other ports", without_the_token(url)))
        rows.append(tally("damaged requests", damaged_requests(url, count, seed)))
    rows.append(tally("kill -9: app", kills_of_the_page(front, kills, Random(f"{seed}/pages"))))
    tell(f"the page: {sum(row.tried for row in rows):,} tried, {sum(row.broken for row in rows)} broken")
    return rows
