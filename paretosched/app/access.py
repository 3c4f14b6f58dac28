"""Who may open the page: who has the token that the terminal shows, and never another site in the browser.

Other accounts of the same machine reach 127.0.0.1, too. So the token is needed there as well. It is in a part of the
address that browsers send to nobody; a script of the page, 00-access.js, puts it into a header of the page's own
requests. A cookie would go to every port of the host, also to a server of another account.
"""

from __future__ import annotations

import hmac
import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import flask

from ..core.errors import InputError, in_quotes
from ..core.hosts import THIS_MACHINE
from .packing import FILES

ADDRESS = re.compile(r"https://(?P<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?")
HEADER = "Paretosched-Token"
NEEDED = "This needs the token at the end of the address that the terminal of this page's owner shows."


class Access(NamedTuple):
    """What a request must have to be answered.

    Attributes
    ----------
    token
        The secret that requests have in a header.
    only_local
        Whether requests must name this machine as their host, so that no other name that points to it is accepted.
    proxy
        "HOST" or "HOST:PORT" of the proxy that adds TLS to the page; nothing without one.
    """

    token: str
    only_local: bool = True
    proxy: str = ""


def refusal(access: Access) -> Any:
    """Return the answer that refuses a request; None if the request is allowed.

    Every request needs the token, but for the empty frame of the page and its scripts, which every copy of this
    program has. Requests of other sites are refused.
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
    if request.method in ("GET", "HEAD") and (request.path == "/" or request.path.startswith(FILES)):
        return None
    # the time that the comparison takes does not tell how much of a token is right
    if hmac.compare_digest(request.headers.get(HEADER, "").encode("utf-8", "replace"), access.token.encode()):
        return None
    return flask.Response(NEEDED, 401, content_type="text/plain; charset=utf-8")


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
