"""Who may open the page."""

import http.client
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest

from paretosched.app.access import HEADER, Access, proxy_host
from paretosched.app.desk import Desk
from paretosched.app.newer_front import digest_of
from paretosched.app.server import application
from paretosched.core.errors import InputError
from support.browser import serve_page
from support.commands import command, succeed
from support.page import FRONT, TOKEN, signed_in
from support.page_clients import ACT, Client, as_nobody, body_of

FRONT_NOW = digest_of(FRONT)
FRAME = (
    "/",
    "/?token=wrong",
    "/assets/page.css",
    "/assets/00-access.js",
    "/_dash-component-suites/plotly/package_data/plotly.min.js",
)
PATHS = (
    f"/front/{FRONT_NOW}-7.bin",
    "/page.json",
    "/decision.html",
    "/pulse",
    "/remaining.csv",
    f"/policy/{FRONT_NOW}/1.json",
    "/training/1.json",
    f"/front/{FRONT_NOW}-7.bin?token={TOKEN}",
    "/favicon.ico",
    "/_dash-layout",
    "/_dash-dependencies",
    "/nothing",
)
# what another server on the same host could try to send with the browser, or for it
WITHOUT_TOKEN = (
    {},
    {"Cookie": f"paretosched-80={TOKEN}; paretosched={TOKEN}; {HEADER}={TOKEN}"},
    {"Authorization": f"Bearer {TOKEN}"},
    {HEADER: "wrong"},
    {HEADER: ""},
    {HEADER: TOKEN[:-1]},
    {HEADER: "\xe9"},
)


def test_other_names_and_other_sites_are_turned_away(desk: Desk) -> None:
    client = signed_in(desk)
    assert client.get("/pulse").status_code == 200
    for host in ("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"):
        assert client.get("/pulse", headers={"Host": host}).status_code == 403, host
    for origin in ("https://evil.example", "null", "http://localhost:81", ""):
        answer = client.post(ACT, json={}, headers={"Origin": origin})
        assert answer.status_code == 403, origin
    for header, text in (
        ("Origin", "http://["),
        ("Origin", "http://[::1"),
        ("Host", "["),
        ("Host", "[::1"),
        ("Host", ""),
    ):
        assert client.get("/pulse", headers={header: text}).status_code == 400, text
    assert client.get("/pulse", headers={"Origin": "http://localhost"}).status_code == 200


@pytest.mark.parametrize("only_local", [True, False])
def test_only_requests_with_the_token_in_the_header_are_answered(desk: Desk, only_local: bool) -> None:
    client = application(desk, Access(TOKEN, only_local)).test_client(use_cookies=False)
    host = {"Host": "localhost:8050" if only_local else "cluster.example:8050"}
    before = desk.revision
    for headers in WITHOUT_TOKEN:
        for path in PATHS:
            answer = client.get(path, headers=host | headers)
            assert answer.status_code == 401, (path, headers)
            assert b"needs the token" in answer.data
        for method in ("post", "put", "delete", "options"):
            for path in ("/", ACT, "/assets/page.css"):
                assert getattr(client, method)(path, headers=host | headers).status_code == 401, (method, path)
        say = body_of({"do": "say", "text": "AWRT1"}, FRONT_NOW)
        assert client.post(ACT, json=say, headers=host | headers).status_code == 401
    assert desk.revision == before
    answer = client.get(f"/front/{FRONT_NOW}-7.bin", headers=host | {HEADER: TOKEN})
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (200, False)
    assert client.post(ACT, json=say, headers=host | {HEADER: TOKEN}).status_code == 200
    assert desk.revision > before


def test_the_frame_that_everybody_gets_tells_nothing_of_the_front(desk: Desk) -> None:
    client = application(desk, Access(TOKEN)).test_client()
    for path in FRAME:
        answer = client.get(path, buffered=True)
        assert (answer.status_code, "Set-Cookie" in answer.headers) == (200, False), path
    text = client.get("/").text
    for secret in (desk.front.workload, FRONT_NOW, TOKEN, "AWRT"):
        assert secret not in text


def test_a_proxy_that_adds_tls_is_a_host_of_the_page(desk: Desk) -> None:
    client = application(desk, Access(TOKEN, proxy="pages.example")).test_client()
    for host, origin, status in (
        ("pages.example", "https://pages.example", 200),
        ("127.0.0.1:8050", "https://pages.example", 200),  # a proxy that does not pass the host on
        ("pages.example", "https://evil.example", 403),
        ("evil.example", None, 403),
    ):
        headers = {"Host": host, HEADER: TOKEN} | ({"Origin": origin} if origin else {})
        assert client.get("/pulse", headers=headers).status_code == status, (host, origin)


def test_the_address_of_a_proxy(house: Path) -> None:
    assert proxy_host("https://[::1]:8443") == "[::1]:8443"
    for wrong in ("http://a", "a.example", "https://", "https://a/b", "https://a?b", "https://u@a", "https://[", "x"):
        with pytest.raises(InputError, match="--tls-proxy: must be https://HOST"):
            proxy_host(wrong)


def test_the_printed_address_of_a_proxy(house: Path) -> None:
    outcome = command("app", house / "run", "--tls-proxy", "http://pages.example")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("paretosched app: --tls-proxy: must be https://HOST")


@pytest.mark.slow
def test_another_account_of_this_machine_reads_nothing_and_starts_nothing(house: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("NOT ROOT: that another account reads nothing was not tested; only root can become another account")
    with TemporaryDirectory() as place, serve_page(a_copy(house, Path(place))) as url:
        folder = Path(place) / "front.parquet.app"
        owner = Client(url)
        owner.act({"do": "say", "text": "AWRT1"})
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        assert modes == {"page.json": 0o600}
        assert folder.stat().st_mode & 0o777 == 0o700
        parts = urlsplit(url)

        def attack() -> list[Any]:
            reports: list[Any] = [os.getuid()]
            for method, path in [*(("GET", path) for path in PATHS), ("POST", ACT)]:
                connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
                connection.request(method, path, b"{}" if method == "POST" else None)
                answer = connection.getresponse()
                reports.append([answer.status, "AWRT" in answer.read().decode("utf-8", "replace")])
            for path in (folder, folder / "page.json"):
                try:
                    reports.append([*map(str, path.iterdir())] if path == folder else path.read_text())
                except PermissionError:
                    reports.append("refused")
            return reports

        assert as_nobody((Path(place) / "front.parquet").exists)
        assert as_nobody(attack) == [65534, *[[401, False]] * (len(PATHS) + 1), "refused", "refused"]
        assert owner.statuses() == {}


def a_copy(house: Path, place: Path) -> Path:
    """Return a front file in a folder that every account can read; those of pytest are its own."""
    place.chmod(0o755)
    succeed("front", house / "run", "-o", place / "front.parquet")
    return place / "front.parquet"
