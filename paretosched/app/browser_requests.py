"""What the browser may send, as types: everything else is refused before Dash or the desk reads it."""

from __future__ import annotations

from typing import Literal

import flask
import msgspec

Do = Literal[
    "say", "limit", "near", "weigh", "classify", "choose", "compromise", "knees", "pick", "drop", "note", "look",
    "undo", "redo", "train", "cancel", "resume", "open", "refresh",
]  # fmt: skip


class Action(msgspec.Struct, forbid_unknown_fields=True):
    """An action of the owner; which values it needs beside `do` is said in `actions` and `desk`."""

    do: Do
    turn: int = 0
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


class Place(msgspec.Struct, forbid_unknown_fields=True):
    """A property of an element of the page that the answer changes."""

    id: Literal["ask", "scene", "free", "util"]
    property: Literal["children", "data", "figure"]


class Said(msgspec.Struct, forbid_unknown_fields=True):
    """The property of the page that holds the last action; it has no value when the page is opened."""

    id: Literal["said"]
    property: Literal["data"]
    value: Action | None = None


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to Dash's only callback of this page."""

    output: Literal["..ask.children...scene.data...free.figure...util.figure.."]
    outputs: tuple[Place, Place, Place, Place]
    inputs: tuple[Said]
    changedPropIds: list[Literal["said.data"]]  # noqa: N815  # Dash's names
    parsedChangedPropsIds: list[Literal["said.data"]] = []  # noqa: N815


def wrong_body() -> flask.Response | None:
    """Return the answer to a request whose body is not what the page sends; None if the body is right."""
    if flask.request.method != "POST":
        return None
    try:
        msgspec.json.decode(flask.request.get_data(), type=Body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        return flask.Response(f"the page does not send this: {error}", 400, content_type="text/plain; charset=utf-8")
    return None
