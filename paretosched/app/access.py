"""Who may open the page: who has the token that the terminal shows, and never another site in the browser.

Other accounts of the same machine reach 127.0.0.1, too. So the token is needed there as well.
"""

from __future__ import annotations

import hmac
import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import flask

from ..core.errors import InputError, in_quotes
from ..core.hosts import THIS_MACHINE

ADDRESS = re.compile(r"https://(?P<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?")
SIGN_IN = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>paretosched</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }}
form {{ box-sizing: border-box; width: min(26rem, 100% - 2rem); padding: 1.5rem; border-radius: 10px;
  border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); }}
h1 {{ margin: 0; font-size: 1.1rem; }} p {{ margin: .5rem 0 1rem; }} label {{ display: block; font-weight: 600; }}
input, button {{ box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border-radius: 6px;
  border: 1px solid color-mix(in srgb, CanvasText 40%, Canvas); }}
button {{ margin-top: .75rem; background: #1f5fa8; border-color: #1f5fa8; color: #fff; cursor: pointer; }}
</style></head>
<body><form method="get" action="/"><h1>paretosched</h1>
<p role="alert">{words}</p>
<label for="token">Token</label><input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Open</button></form></body></html>"""
NEEDED = "This page needs the token that its owner's terminal shows, at the end of the address."
WRONG = "That is not the token. A page that was started again needs the token that its terminal shows now."


class Access(NamedTuple):
    """What a request must have to be answered.

    Attributes
    ----------
    token
        The secret. The browser sends it once in the address, then in a cookie.
    only_local
        Whether requests must name this machine as their host, so that no other name that points to it is accepted.
    proxy
        "HOST" or "HOST:PORT" of the proxy that adds TLS to the page; nothing without one.
    """

    token: str
    only_local: bool = True
    proxy: str = ""


def refusal(access: Access) -> Any:
    """Return the answer that refuses a request, or that signs in; None if the request is allowed.

    Every request needs the cookie, which the address with the token sets. Requests of other sites are refused.
    """
    request = flask.request
    host, origin = request.host.lower(), request.headers.get("Origin")
    hosts = {host, access.proxy} - {""}
    try:
        name = urlsplit(f"//{host}").hostname
        other_site = origin is not None and urlsplit(origin.lower()).netloc not in hosts
    except ValueError:  # a bracket without its other one, for instance
        name, other_site = None, False
    if not name:
        return flask.Response("Host or Origin is no address", 400)
    if other_site:
        return flask.Response("another site asks", 403)
    # another name may point to this machine, too
    if access.only_local and name not in THIS_MACHINE and host != access.proxy:
        return flask.Response("this page answers its own machine only", 403)
    # browsers send a cookie to all ports of a host, so each page has a name of its own for it
    cookie = f"paretosched-{request.environ['SERVER_PORT']}"
    has_cookie = _equal(request.cookies.get(cookie, ""), access.token)
    token = request.args.get("token") if request.method == "GET" and request.path == "/" else None
    if token is not None and _equal(token, access.token):
        response = flask.redirect("/")  # the token leaves the address bar
        response.set_cookie(cookie, access.token, httponly=True, samesite="Strict", secure=bool(access.proxy))
        return response
    if has_cookie:
        return None if token is None else flask.redirect("/")
    words = NEEDED if token is None else WRONG
    return flask.Response(SIGN_IN.format(words=words), 401, content_type="text/html; charset=utf-8")


def proxy_host(address: str) -> str:
    """Return the host, and the port if it is not 443, in the address of a proxy that adds TLS.

    Raises
    ------
    InputError
        The text is not https://HOST or https://HOST:PORT.

    Examples
    --------
    >>> proxy_host("https://Pages.example:443/")
    'pages.example'
    """
    match = ADDRESS.fullmatch(address.lower())
    if match is None or int(match["port"] or 0) > 65535:
        raise InputError(f"--tls-proxy: must be https://HOST or https://HOST:PORT, but is {in_quotes(address)}")
    return match["host"] if match["port"] in (None, "443") else f"{match['host']}:{match['port']}"


def _equal(text: str, token: str) -> bool:
    """Return whether a text is the token; the time that this takes does not tell how much of it is right."""
    return hmac.compare_digest(text.encode("utf-8", "replace"), token.encode())
