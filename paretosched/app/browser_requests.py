"""What the browser may send, as a type: everything else is refused before the desk reads it."""

from __future__ import annotations

from typing import Literal

import flask
import msgspec

Do = Literal[
    "say", "limit", "near", "weigh", "classify", "choose", "compromise", "knees", "pick", "drop", "note", "look",
    "undo", "redo", "train", "cancel", "resume", "open", "refresh", "show", "compare",
]  # fmt: skip


class Action(msgspec.Struct, forbid_unknown_fields=True):
    """An action of the owner; which values it needs beside `do` is said in `actions` and `desk`.

    Attributes
    ----------
    front
        Digest of the front that the browser shows; its rows are meant.
    window, turn
        Which window sends it, and the number of the action there; an action that was sent twice is done once.
    seen
        The revision that this window shows.
    """

    do: Do
    front: str = ""
    window: str = ""
    turn: int = 0
    seen: int = 0
    text: str = ""
    limits: dict[str, tuple[float | None, float | None]] | None = None
    fit: bool = False
    log: bool = False
    name: str = ""
    value: float | None = None
    classes: dict[str, tuple[str, float | None]] | None = None
    row: int | None = None
    across: str = ""
    up: str = ""
    generations: int = 0
    number: int = 0


def wrong_body() -> flask.Response | None:
    """Return the answer to a request whose body is not what the page sends; None if the body is right."""
    if flask.request.method != "POST":
        return None
    if flask.request.mimetype != "application/json":
        return _refused("it must be application/json")
    try:
        msgspec.json.decode(flask.request.get_data(), type=Action)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        return _refused(str(error))
    return None


def _refused(reason: str) -> flask.Response:
    words = f"the page does not send this: {reason}"
    return flask.Response(words, 400, content_type="text/plain; charset=utf-8")
