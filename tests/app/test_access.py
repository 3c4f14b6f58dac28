"""Who may open the page."""

from __future__ import annotations

from paretosched.app.desk import Desk
from paretosched.app.server import application


def test_other_names_and_other_sites_are_turned_away(desk: Desk) -> None:
    client = application(desk).test_client()
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
    headers = {"Host": "127.0.0.1", "Origin": "https://evil.example"}
    assert client.post("/_dash-update-component", json={}, headers=headers).status_code == 403


def test_only_requests_with_the_token_are_answered(desk: Desk) -> None:
    client = application(desk, "secret").test_client()
    host = {"Host": "cluster.example:8050"}
    for path in (
        "/",
        "/front.bin",
        "/page.json",
        "/?token=wrong",
        "/front.bin?token=secret",
        "/_dash-layout",
        "/pulse",
    ):
        answer = client.get(path, headers=host)
        assert answer.status_code == 401, path
        assert b"AWRT" not in answer.data
    answer = client.get("/?token=secret", headers=host)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/front.bin", headers=host).status_code == 200
