"""What the browser may send, as types: everything else is refused before Dash or the desk reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import flask
import msgspec

Do = Literal[
    "say", "limit", "near", "weigh", "classify", "choose", "compromise", "knees", "pick", "drop", "note", "look",
    "undo", "redo", "train", "cancel", "resume", "open", "refresh", "show", "compare", "explore", "halt", "cap",
    "leave", "back", "why",
]  # fmt: skip
OUTPUT_OF_QUESTIONS = '{"part":"told","place":["MATCH"]}.children'  # as Dash calls it


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
    who
        The name that the owner gave in this window.
    """

    do: Do
    front: str = ""
    window: str = ""
    turn: int = 0
    seen: int = 0
    who: str = ""
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
    kind: str = ""
    test: bool = False
    evaluations: int = 0


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """What the browser asks beside the actions, see `cards`.

    Attributes
    ----------
    kind
        How long jobs wait, in other groups, too, and the jobs behind a number of that; what a schedule would change,
        which of two is better for whom, the waits of the shortlist, what one costs, what a scheduler does, what a
        trained one does; what if there were other jobs, and if users react to their waits; the months of a schedule, a
        week of it, and why a job in it waited.
    front, rows
        Digest of the front that the browser shows, and the rows of it that are meant.
    number
        Of the training, or of the question "what if"; 0 for a job in the schedule of today, 1 for one in the other; of
        a line of the table; of the other groups.
    today
        Name of the owner's scheduler; with another one the browser asks again.
    trained
        Numbers of the trained schedulers that are meant, too.
    wish
        The wish whose limits are meant; with another one the browser asks again.
    span
        Seconds of the trace: from and until, (0, 0) for the worst week; (0, 1) of the table if all of it is to be made;
        (0, k) of what if, asked for the k-th time.
    at
        Of a job in that span: a second of the trace, and a processor.
    column
        Name of the scheduler in the table.
    is_whole
        Whether what if is asked of all weeks of a log that would take long.
    is_stopped
        Whether the answer is not wanted any more.
    """

    kind: Literal[
        "table",
        "jobs",
        "card",
        "answer",
        "explain",
        "trained",
        "tested",
        "what-if",
        "reacting",
        "grouped",
        "time",
        "week",
        "job",
        "between",
        "picked",
    ]
    front: str
    rows: list[int]
    number: int
    today: str
    trained: list[int] = []
    wish: str = ""
    span: tuple[int, int] = (0, 0)
    at: tuple[int, int] = (0, 0)
    column: str = ""
    is_whole: bool = False
    is_stopped: bool = False


class _Place(msgspec.Struct, forbid_unknown_fields=True):
    """A property of an element of the page that an answer changes."""

    id: str
    property: Literal["children", "data"]


class _ActionInput(msgspec.Struct, forbid_unknown_fields=True):
    """The property of the page that holds the last action."""

    id: Literal["said"]
    property: Literal["data"]
    value: Action


class _Held(msgspec.Struct, forbid_unknown_fields=True):
    """The property of the page that holds the digests of its pieces."""

    id: Literal["held"]
    property: Literal["data"]
    value: dict[str, str]


class _ActionBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """The body of the request with an action."""

    output: str
    outputs: list[_Place]
    inputs: tuple[_ActionInput]
    state: tuple[_Held]
    changed_prop_ids: list[Literal["said.data"]]
    parsed_changed_props_ids: list[Literal["said.data"]] = []


class _Told(msgspec.Struct, forbid_unknown_fields=True):
    """The id of a place of answers."""

    part: Literal["told"]
    place: str


class _Ask(msgspec.Struct, forbid_unknown_fields=True):
    """The id of the store of a question."""

    part: Literal["ask"]
    place: str


class _ToldPlace(msgspec.Struct, forbid_unknown_fields=True):
    """The property that shows an answer."""

    id: _Told
    property: Literal["children"]


class _QuestionInput(msgspec.Struct, forbid_unknown_fields=True):
    """The property that holds a question."""

    id: _Ask
    property: Literal["data"]
    value: Question


class _QuestionBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """The body of the request with a question."""

    output: str
    outputs: _ToldPlace
    inputs: tuple[_QuestionInput]
    changed_prop_ids: list[str]
    parsed_changed_props_ids: list[_Ask] = []


class _AnyBody(msgspec.Struct):
    """The part of a body that tells what is sent."""

    output: str


def wrong_body(places: Sequence[tuple[str, str]]) -> flask.Response | None:
    """Return the answer to a request whose body is not what the page sends; None if the body is right.

    Parameters
    ----------
    places
        The ids and properties that the answer to an action changes; Dash itself would fail on others.
    """
    if flask.request.method != "POST":
        return None
    if flask.request.mimetype != "application/json":
        return _refusal("it must be application/json")
    data = flask.request.get_data()
    try:
        output = msgspec.json.decode(data, type=_AnyBody).output
        if output == OUTPUT_OF_QUESTIONS:
            msgspec.json.decode(data, type=_QuestionBody)
        elif output == output_of_actions(places):
            body = msgspec.json.decode(data, type=_ActionBody)
            if [(place.id, place.property) for place in body.outputs] != list(places):
                return _refusal("its outputs are others")
        else:
            return _refusal("its output is another one")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        return _refusal(str(error))
    return None


def output_of_actions(places: Sequence[tuple[str, str]]) -> str:
    """Return the name that Dash gives to a list of ids and properties."""
    return f"..{'...'.join(f'{key}.{name}' for key, name in places)}.."


def _refusal(reason: str) -> flask.Response:
    words = f"the page does not send this: {reason}"
    return flask.Response(words, 400, content_type="text/plain; charset=utf-8")
