"""The server's answers, and its end."""

import csv
import gzip
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.app import page_folder
from paretosched.app.cards import OTHER_FRONT
from paretosched.app.contents import contents
from paretosched.app.desk import Desk
from paretosched.app.locate_workload import finder
from paretosched.app.server import open_page
from paretosched.app.state import beginning
from paretosched.app.state_view import view_of
from paretosched.core.errors import InputError
from support.commands import succeed
from support.page import FRONT, signed_in
from support.page_clients import ACT, PLACES, body_of, question_of


def test_the_page_is_served_with_a_strict_policy(desk: Desk) -> None:
    client = signed_in(desk)
    answer = client.get("/")
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'self' 'sha256-" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert b"https://" not in answer.data.replace(b"https:\\u002f\\u002fdash-version.plotly.com", b"")
    assert b'<html lang="en">' in answer.data
    values = np.frombuffer(client.get(f"/front/{desk.digest}-7.bin").data).reshape(7, -1).T
    assert values.tobytes() == FRONT.values.tobytes()


def test_what_is_long_is_packed_and_kept_by_the_browser(desk: Desk) -> None:
    client = signed_in(desk)
    paths = re.findall(r'(?:src|href)="(/(?:_dash-component-suites|assets)/[^"]*)"', client.get("/").text)
    assert len(paths) > 15
    for path in [*paths, "/_dash-component-suites/plotly/package_data/plotly.min.js"]:
        plain, short = (client.get(path, headers=kind, buffered=True) for kind in ({}, {"Accept-Encoding": "gzip"}))
        assert gzip.decompress(short.data) == plain.data
        assert len(short.data) < len(plain.data) / (2 if len(plain.data) > 2000 else 1), path
        assert "immutable" in plain.headers["Cache-Control"]
    page = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert b"</html>" in gzip.decompress(page.data)
    assert page.headers["Cache-Control"] == "no-store"


def test_an_answer_brings_only_what_is_different(desk: Desk) -> None:
    client = signed_in(desk)
    front = desk.digest
    pieces = client.post(ACT, json=body_of({"do": "refresh"}, front)).json["response"]
    held = pieces["held"]["data"]
    assert pieces.keys() == {name for name, _ in PLACES}
    assert pieces["scene"]["data"]["message"] == ""
    after_it = client.post(ACT, json=body_of({"do": "refresh"}, front, held)).json["response"]
    assert after_it.keys() == {"scene", "held"}
    row = (pieces["scene"]["data"]["row"] + 1) % len(FRONT)
    chosen = client.post(ACT, json=body_of({"do": "choose", "row": row}, front, held)).json["response"]
    assert {"chosen", "values", "figures", "scene", "held"} <= chosen.keys() <= {
        "chosen", "values", "steps", "steps-so-far", "remarks", "figures", "scene", "held"
    }  # fmt: skip
    stale = client.post(ACT, json=body_of({"do": "choose", "row": row}, "0" * 16, held)).json["response"]
    assert stale.keys() == {"scene"}
    assert stale["scene"]["data"]["stale"]["front"] == front


def test_a_question_about_rows_that_are_not_there_gets_no_answer(desk: Desk) -> None:
    client = signed_in(desk)
    for front, row in (("0" * 16, 1), (desk.digest, -1), (desk.digest, len(FRONT))):
        answer = client.post(ACT, json=question_of("explain-row", front, "explain", row))
        assert answer.status_code == 200
        assert OTHER_FRONT in answer.text
    told = client.post(ACT, json=question_of("explain-row", desk.digest, "explain", 1))
    assert "What it does" in told.text
    for wrong in (question_of("x", desk.digest, "all", 1), question_of("x", desk.digest, "card") | {"more": 1}):
        assert client.post(ACT, json=wrong).status_code == 400


def test_only_what_is_there_can_be_fetched(desk: Desk) -> None:
    desk.act({"do": "pick", "row": 4})
    client = signed_in(desk)
    policy = client.get(f"/policy/{desk.digest}/4.json")
    assert json.loads(policy.data)["rule"] == "greedy"
    wrong = [f"/policy/{desk.digest}/{row}.json" for row in ("300", "-1", "..%2fpage", "9" * 400)]
    wrong += ["/policy/4.json", "/training/1.json", "/training/../page.json", "/assets/../server.py", "/assets/x.css"]
    wrong += ["/assets/%2e%2e/server.py", "/assets/..%2fserver.py"]
    for path in wrong:
        answer = client.get(path)  # Dash gives the page itself for a name that it does not know
        assert answer.status_code in (400, 404) or b"react-entry-point" in answer.data, path
    other = "0" * 16  # rows of another front are not given away as rows of this one
    for path in (f"/policy/{other}/4.json", f"/front/{other}-7.bin"):
        answer = client.get(path)
        assert (answer.status_code, answer.text) == (409, OTHER_FRONT)
    rows = list(csv.DictReader(io.StringIO(client.get("/shortlist.csv").text)))
    assert [row["schedule"] for row in rows] == ["EASY", "A"]
    assert len(client.get("/remaining.csv").text.splitlines()) == 301
    for name in ("steps", "reach", "trainings"):
        assert client.get(f"/{name}.csv").status_code == 200
    reach = list(csv.DictReader(io.StringIO(client.get("/reach.csv").text)))
    assert float(reach[2]["still reachable"]) == FRONT.values[:, 2].min()
    assert json.loads(client.get("/page.json").data)["shortlist"][0]["row"] == 4


@pytest.mark.parametrize("path", ["../../x", "dash/x.js", "nothing/x.js", "dash/deps/../x", "../x"])
def test_a_file_that_dash_does_not_have_is_no_defect(desk: Desk, caplog: pytest.LogCaptureFixture, path: str) -> None:
    client = signed_in(desk)
    answer = client.get(f"/_dash-component-suites/{path}")
    assert (answer.status_code, answer.text) == (404, "there is no such file")
    assert caplog.records == []  # no traceback in the terminal
    assert client.get("/_dash-component-suites/dash/dash-renderer/build/dash_renderer.min.js").status_code == 200


@pytest.mark.slow
def test_the_page_agrees_with_the_commands(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", ps.load_front(house / "run")))
    rows = succeed(
        "compare",
        house / "w.swf.gz",
        "--front",
        house / "run",
        "--policy",
        "fcfs",
        "--policy",
        "conservative",
        "--json",
    ).json
    names = [o.name for o in front.objectives]
    for row in rows:
        if row["policy"] in desk.marks:
            assert [row[name] for name in names] == desk.marks[row["policy"]].tolist()
    assert {"EASY", "FCFS", "CONS", "ideal point"} <= desk.marks.keys() & {row["policy"] for row in rows}
    ends = succeed("front", house / "run", "--json").json["extremes"]
    best = view_of(beginning(front), front).best
    for end in ends:
        assert end["values"][end["objective"]] == best[names.index(end["objective"])]
    shown = contents(desk).scene["best"]
    for end in ends:
        value, name = end["values"][end["objective"]], end["objective"]
        assert shown[name]["best"] == f"{value / (1 if name == 'UTIL' else 3600):,.2f}"


@pytest.mark.slow
def test_without_its_log_a_page_says_how_to_name_it_and_does_all_else(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    succeed("front", house / "run", "-o", tmp_path / "f.parquet")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(tmp_path / "f.parquet", ps.load_front(tmp_path / "f.parquet")))
    assert "--trace TRACE" in desk.trouble
    assert list(desk.marks) == ["best of each"]
    desk.act({"do": "say", "text": "AWRT1"})
    with pytest.raises(InputError, match="--trace"):
        desk.act({"do": "train", "generations": 5})
    assert "--trace TRACE" in signed_in(desk).get("/_dash-layout").text


@pytest.mark.parametrize("value", [0.0, -5.0, 1e300, math.nan])
def test_values_that_no_schedule_has_are_refused(tmp_path: Path, value: float) -> None:
    values = FRONT.values.copy()
    values[:, 1] = value
    front = replace(FRONT, values=values)
    with pytest.raises(InputError, match="AWRT"), open_page(tmp_path / "f", front, lambda: None, port=0):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_end_that_a_service_manager_asks_for_is_one_in_order(house: Path) -> None:
    from support.browser import serve_page as page_process

    with page_process(house / "run", cwd=house):
        pass  # at the end of the block it gets SIGTERM
    assert list((house / "run.app").iterdir()) == []
    with page_folder.open_folder(house / "run"):  # no page has it open any more
        pass
