"""What the page's answers weigh: texts are packed, once if they are files, and files are kept by the browser."""

from __future__ import annotations

import gzip

import flask

FILES = ("/_dash-component-suites/", "/assets/")
FOREVER = "private, max-age=31536000, immutable"  # their addresses change with their contents
KINDS = ("text/", "application/json", "application/javascript")
SMALL = 1000  # bytes that are not worth packing

_packed_files: dict[str, bytes] = {}  # by path, so that there are as many as files, whatever is asked of them


def with_packing(response: flask.Response) -> flask.Response:
    """Return an answer that is packed if the browser takes that, and says how long the browser may keep it."""
    path = flask.request.path
    is_file = path.startswith(FILES) and response.status_code == 200
    if is_file:
        response.headers["Cache-Control"] = FOREVER
    else:
        response.headers.setdefault("Cache-Control", "no-store")
    if (response.mimetype or "").startswith(KINDS):
        response.headers["Vary"] = "Accept-Encoding"
        if "gzip" in flask.request.headers.get("Accept-Encoding", "") and response.status_code == 200:
            _pack(response, path if is_file else "")
    return response


def _pack(response: flask.Response, address: str) -> None:
    """Pack an answer; one with an address, a file, is packed once."""
    content = _packed_files.get(address)
    if content is None:
        response.direct_passthrough = False  # files are passed through unread otherwise
        plain = response.get_data()
        if len(plain) < SMALL:
            return
        content = gzip.compress(plain, 6 if address else 1)
        if address:
            _packed_files[address] = content
    unread = getattr(response.response, "close", None)  # of a file that was packed before
    response.set_data(content)
    if unread is not None:
        unread()
    response.headers["Content-Encoding"] = "gzip"
    response.headers.pop("ETag", None)  # it is of the plain content
