"""Who may open the page: this machine, other machines only with a token, and never another site in the browser."""

from __future__ import annotations

import hmac
from typing import Any
from urllib.parse import urlsplit

import flask

LOCAL = ("127.0.0.1", "localhost", "::1")
COOKIE = "paretosched"
SIGN_IN = """<!doctype html><meta charset="utf-8"><title>paretosched</title>
<form method="get" action="/"><p>This page needs the token that its owner's terminal shows.</p>
<label>Token <input name="token" type="password" autofocus></label> <button>Open</button></form>"""


def refusal(token: str | None) -> Any:
    """Return the answer that refuses a request, or None if the request is allowed.

    Requests of other sites are refused. With a token, so are requests without it; without one, requests that do not
    name this machine as their host.
    """
    request = flask.request
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        return flask.Response("another site asks", 403)
    if token is None:
        if urlsplit(f"//{request.host}").hostname not in LOCAL:  # another name that points to this machine
            return flask.Response("this page answers its own machine only", 403)
        return None
    if _equal(request.cookies.get(COOKIE, ""), token):
        return None
    if request.method == "GET" and request.path == "/" and _equal(request.args.get("token", ""), token):
        response = flask.redirect("/")
        response.set_cookie(COOKIE, token, httponly=True, samesite="Strict")
        return response
    return flask.Response(SIGN_IN, 401, content_type="text/html; charset=utf-8")


def _equal(text: str, token: str) -> bool:
    """Return whether a text is the token; the time that this takes does not tell how much of it is right."""
    return hmac.compare_digest(text.encode("utf-8", "replace"), token.encode())
