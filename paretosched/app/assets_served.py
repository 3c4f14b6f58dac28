"""The files of the page: its style, its scripts as one, and plotly; packed once, and kept by the browser."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import flask

ASSETS = Path(__file__).with_name("assets")
STYLE, SCRIPT, PLOTLY = "page.css", "page.js", "plotly.js"
FOREVER = "private, max-age=31536000, immutable"  # their addresses change with their contents
SMALL = 1000  # bytes that are not worth packing


class _Served(NamedTuple):
    """A file as it is sent: plain and packed, and its digest."""

    plain: bytes
    packed: bytes
    digest: str


@cache
def _served(name: str) -> _Served:
    """Return a file of the page."""
    if name == PLOTLY:
        from plotly.offline import get_plotlyjs

        plain = get_plotlyjs().encode()
    elif name == SCRIPT:
        plain = b"\n".join(path.read_bytes() for path in sorted(ASSETS.glob("*.js")))
    else:
        plain = (ASSETS / name).read_bytes()
    return _Served(plain, gzip.compress(plain, 6), hashlib.sha256(plain).hexdigest()[:16])


@cache
def addresses() -> dict[str, str]:
    """Return the addresses of "style", "script" and "plotly"."""
    from plotly import __version__ as version

    own = {"style": STYLE, "script": SCRIPT}
    named = {key: f"files/{name}?{_served(name).digest}" for key, name in own.items()}
    return named | {"plotly": f"files/{PLOTLY}?{version}"}


def page_asset(name: str) -> flask.Response:
    """Return the answer with a file of the page; 404 for any other name."""
    if name not in (STYLE, SCRIPT, PLOTLY):
        return flask.Response("there is no such file", 404)
    served = _served(name)
    kind = "text/css; charset=utf-8" if name == STYLE else "text/javascript; charset=utf-8"
    return _answer(served.plain, served.packed, kind, FOREVER)


def packed(content: bytes, kind: str) -> flask.Response:
    """Return an answer that is made for one request; it is packed if the browser takes that."""
    return _answer(content, None, kind, "no-store")


def _answer(plain: bytes, ready: bytes | None, kind: str, keep: str) -> flask.Response:
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    if "gzip" in flask.request.headers.get("Accept-Encoding", "") and len(plain) > SMALL:
        plain = gzip.compress(plain, 1) if ready is None else ready
        headers["Content-Encoding"] = "gzip"
    return flask.Response(plain, content_type=kind, headers=headers)
