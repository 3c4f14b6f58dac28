"""The page's server: Dash with two callbacks, a few files, and the check of who may open the page."""

from __future__ import annotations

import json
import logging
import os
import resource
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import dash
import flask
import numpy as np
from dash import MATCH, ClientsideFunction, Input, Output, State, no_update
from dash.exceptions import DependencyException

from ..core.errors import InputError, first_few, printable
from ..core.hosts import THIS_MACHINE
from ..deployment.steps import GROUPS_FILE
from ..fronts.front import Front
from ..fronts.front_files import MOST_VALUE, load_front
from ..fronts.row_schedules import row_policy
from ..policies.policy import Policy
from ..policies.policy_json import to_json as policy_to_json
from ..workload.workload import Workload
from . import layout, page_folder
from .access import Access, proxy_host, refusal
from .browser_requests import wrong_body
from .cards import OTHER_FRONT, reply
from .connections import listening_server
from .contents import contents
from .csv_tables import comparison_rows, group_rows, reach_rows, remaining_rows, step_rows, to_csv
from .decision import decision
from .desk import Desk
from .newer_front import watcher
from .packing import FOREVER, with_packing
from .state_view import view_of
from .tab_compare import schedules_to_compare
from .tab_train import training_rows
from .trainings import DONE

MOST_SENT = 1_000_000  # bytes of a request
THREADS = 8
CONNECTIONS = 800  # at the same time; those that send only half a request take no thread, and make room for others
SILENCE = 20  # s after which a connection that sends nothing is closed
ROUND = 2.0  # s between two looks after the trainings, also while no browser shows the page
POLICY = (
    "default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
Find = Callable[[], tuple[Workload, Sequence[str]]]


def application(desk: Desk, access: Access) -> flask.Flask:
    """Return the page of a desk as a web application."""
    server = flask.Flask("paretosched")
    server.config["MAX_CONTENT_LENGTH"] = MOST_SENT
    app = dash.Dash(
        "paretosched",
        server=server,
        assets_folder=str(Path(__file__).with_name("assets")),
        title="paretosched",  # who has no token sees this frame, too, so it tells nothing of the workload
        index_string=layout.DOCUMENT,
        update_title=None,
        serve_locally=True,
        compress=False,
        enable_mcp=False,
        suppress_callback_exceptions=True,  # otherwise the whole page is sent twice, once for checks
    )
    app.layout = lambda: layout.page(desk, contents(desk))
    names = list(contents(desk).pieces)
    places = [*((name, "children") for name in names), ("figures", "data"), ("scene", "data"), ("held", "data")]

    @app.callback(  # type: ignore[untyped-decorator]
        [Output(*place) for place in places], Input("said", "data"), State("held", "data"), prevent_initial_call=True
    )
    def answer(action: Mapping[str, Any], held: Mapping[str, str]) -> list[Any]:
        with desk.lock:
            turn = {"turn": action.get("turn", 0)}
            if action["do"] != "show" and action.get("front") != desk.digest:
                return [*[no_update] * (len(places) - 2), {"stale": _news(desk)} | turn, no_update]
            message = desk.act_once(action)
            now = contents(desk)
        digests, parts = now.digests, now.pieces | {"figures": now.figures}
        changed = [no_update if held.get(name) == digests[name] else part for name, part in parts.items()]
        return [*changed, now.scene | turn | {"message": message}, digests]

    @app.callback(  # type: ignore[untyped-decorator]
        Output({"part": "told", "place": MATCH}, "children"),
        Input({"part": "ask", "place": MATCH}, "data"),
        prevent_initial_call=True,
    )
    def tell(asked: Mapping[str, Any]) -> Any:
        return reply(desk, asked)

    app.clientside_callback(ClientsideFunction("page", "take"), Input("scene", "data"))
    app.clientside_callback(ClientsideFunction("page", "plot"), Input("figures", "data"))
    _routes(server, desk)
    _files(server, desk)
    hashes: list[str] = []

    @server.before_request
    def check_access() -> Any:
        return refusal(access) or wrong_body(places)

    @server.errorhandler(DependencyException)
    def no_such_file(_: DependencyException) -> flask.Response:
        return flask.Response("there is no such file", 404)  # Dash's words list all files of its packages

    @server.after_request
    def add_headers(response: flask.Response) -> flask.Response:
        if not hashes:
            hashes.extend(app.csp_hashes())
        response.headers["Content-Security-Policy"] = POLICY.format(hashes=" ".join(hashes))
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return with_packing(response)

    return server


def _news(desk: Desk) -> dict[str, Any]:
    """Return the revision of the page, its front, and the one that is offered in its place."""
    with desk.lock:
        newer = desk.newer and {"front": desk.newer[0], "count": len(desk.newer[1])}
        return {"revision": desk.revision, "front": desk.digest, "count": len(desk.front), "newer": newer} | {
            "columns": len(desk.front.objectives)
        }


def _routes(server: flask.Flask, desk: Desk) -> None:
    """Serve the values of the front, and whether something has changed."""

    @server.get("/front/<string:digest>-<int:columns>.bin")
    def front(digest: str, columns: int) -> flask.Response:
        with desk.lock:
            if (digest, columns) != (desk.digest, len(desk.front.objectives)):
                return flask.Response(OTHER_FRONT, 409)
            values = desk.front.values.tobytes(order="F")
        headers = {"Cache-Control": FOREVER}
        return flask.Response(values, content_type="application/octet-stream", headers=headers)

    @server.get("/pulse")
    def pulse() -> dict[str, Any]:
        desk.look_after()
        return _news(desk)


def _files(server: flask.Flask, desk: Desk) -> None:
    """Serve files to save; no name from the browser is ever part of a path."""

    def attachment(text: str, kind: str) -> flask.Response:
        return flask.Response(text, content_type=kind, headers={"Content-Disposition": "attachment"})

    @server.get("/page.json")
    def copy() -> flask.Response:
        return attachment(json.dumps(desk.to_json(), indent=2), "application/json")

    @server.get("/decision.html")
    def report() -> flask.Response:
        return attachment(decision(desk), "text/html; charset=utf-8")

    @server.get("/policy/<string:digest>/<int:row>.json")
    def policy(digest: str, row: int) -> flask.Response:
        with desk.lock:
            shown, own = desk.digest, desk.front
        if digest != shown:  # a page from before a restart: the same row may be another schedule now
            return flask.Response(OTHER_FRONT, 409)
        online = row_policy(own, row) if row < len(own) else None
        if online is None:
            flask.abort(404)
        return attachment(json.dumps(policy_to_json(online), indent=2) + "\n", "application/json")

    @server.get("/training/<int:number>.json")
    def trained_policy(number: int) -> flask.Response:
        online = next((t.policy for t in desk.known_trainings if t.number == number and t.status == DONE), None)
        if online is None:
            flask.abort(404)
        return attachment(json.dumps(policy_to_json(online), indent=2) + "\n", "application/json")

    def shortlist() -> list[dict[str, Any]]:
        columns, reference = schedules_to_compare(desk)
        return comparison_rows(desk.front, columns, reference, {pick.letter: pick for pick in desk.state.picks})

    tables: dict[str, Callable[[], Sequence[Mapping[str, Any]]]] = {
        "reach": lambda: reach_rows(desk.front, view_of(desk.state, desk.front)),
        "steps": lambda: step_rows(desk.front, view_of(desk.state, desk.front)),
        "remaining": lambda: remaining_rows(desk.front, view_of(desk.state, desk.front).among),
        "shortlist": shortlist,
        "trainings": lambda: training_rows(desk),
        GROUPS_FILE.removesuffix(".csv"): lambda: [] if desk.workload is None else group_rows(desk.workload),
    }
    for name, rows in tables.items():

        def table(rows: Callable[[], Sequence[Mapping[str, Any]]] = rows) -> flask.Response:
            return attachment(to_csv(rows()), "text/csv; charset=utf-8")

        server.add_url_rule(f"/{name}.csv", name, table)


def _check_values(path: str | os.PathLike[str], front: Front) -> None:
    """Refuse values that no schedule can have, because charts take their logarithms and shares divide by them."""
    for objective in front.objectives[:2]:
        if objective not in front.defined_objectives:
            raise InputError(f"{path}: a page needs schedules with {objective.name}, but here it is undefined")
    odd = np.argwhere((front.values <= 0) | (front.values > MOST_VALUE))
    if odd.size:
        offenders = (f"row {i} has {front.objectives[int(j)].name} {front.values[i, j]:g}" for i, j in odd)
        rule = f"objectives must be above 0 and at most {MOST_VALUE:g}"
        raise InputError(f"{path}: {rule}, but {first_few(offenders, len(odd))}")


@contextmanager
def open_page(
    path: str | os.PathLike[str],
    front: Front,
    find: Find,
    policies: Sequence[Policy] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 8050,
    tls_proxy: str | None = None,
) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """Open the page of a run or front.

    Parameters
    ----------
    path, front
        Run directory or front file, and the front in it.
    find
        Returns the workload, and the words with which `paretosched train` reads it; raises InputError if there is no
        such workload. It is called in the background.
    policies
        Policies whose schedules are marked beside FCFS, EASY and CONS.
    host, port
        Address to listen at; port 0 means any free port.
    tls_proxy
        Address, https://HOST or https://HOST:PORT, of a proxy that adds TLS and passes requests on to the page.

    Yields
    ------
    url, folder, run
        Address of the page with its token, folder of the owner's work, and a function that serves until it is
        interrupted.

    Raises
    ------
    InputError
        The front is empty or has undefined values, the owner's work cannot be read or written, or the address is not
        free.
    """
    if len(front) == 0:
        raise InputError(f"{path}: a page needs a front with at least one schedule, but this one is empty")
    _check_values(path, front)
    proxy = "" if tls_proxy is None else proxy_host(tls_proxy)
    access = Access(secrets.token_urlsafe(24), host in THIS_MACHINE, proxy)
    with page_folder.open_folder(path) as folder:
        desk = Desk(front, folder, Path(path))
        served = application(desk, access)
        try:
            listening = listening_server(
                served, host=host, port=port, threads=THREADS, max_request_body_size=MOST_SENT,
                ident=None, clear_untrusted_proxy_headers=True, asyncore_use_poll=True,
                connection_limit=min(CONNECTIONS, _most_files() // 2), channel_timeout=SILENCE, cleanup_interval=5,
            )  # fmt: skip
        except (OSError, OverflowError, ValueError) as error:  # ValueError: the name is no host
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"--host, --port: cannot listen at {printable(host)}:{port}: {reason}") from None
        logging.getLogger("waitress").setLevel(logging.ERROR)
        written_host = f"[{host}]" if ":" in host else host
        place = f"https://{proxy}/" if proxy else f"http://{written_host}:{listening.effective_port}/"
        end = threading.Event()
        try:
            desk.start_known(find, policies)
            look = watcher(path, lambda: _read(path))
            threading.Thread(target=_look_after, args=(desk, end, look), daemon=True).start()
            yield f"{place}#token={access.token}", str(folder), listening.run
        finally:
            end.set()
            with suppress(OSError):
                listening.close()
            desk.close()


def _read(path: str | os.PathLike[str]) -> Front:
    """Return the front that is on disk now; raise InputError if the page cannot show it."""
    front = load_front(path)
    _check_values(path, front)
    return front


def _look_after(desk: Desk, end: threading.Event, look: Callable[[], Front | None]) -> None:
    """Start each training when the one before it has ended, and offer the front on disk when it has changed."""
    while not end.wait(ROUND):
        desk.look_after()
        newer = look()
        if newer is not None:
            desk.offer(newer)


def _most_files() -> int:
    """Return how many files and connections this process may have open."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2 * CONNECTIONS if most == resource.RLIM_INFINITY else most
