"""The page without a browser: what actions do, what the page says, who may come in, what is kept."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretosched as ps
from paretosched.app import session_folder as folders
from paretosched.app.charts import LETTERS, axes, differences, empty, in_words, mark_styles, projection
from paretosched.app.choices import (
    ACTIONS,
    MOST_PICKS,
    Pick,
    State,
    after,
    beginning,
    current,
    from_json,
    read,
    to_json,
)
from paretosched.app.locate_workload import finder
from paretosched.app.server import application, served
from paretosched.app.session import Desk
from paretosched.app.tabs import contents
from paretosched.app.trainings import DONE, QUEUED, RUNNING, STOPPED, Trainings, size
from paretosched.app.words import comparison_rows, progress, remaining_rows, scene, step_rows, to_csv, view
from paretosched.core.errors import InputError
from paretosched.encodings.rule_base import Situations, gene_labels
from paretosched.encodings.rule_base import policy_of as rules_policy
from paretosched.policies.rule_base import partitions
from paretosched.search import runs as store
from paretosched.wishes import wish as choice
from paretosched.wishes import wish_files as choice_wish_files
from paretosched.wishes.knee_points import knees
from paretosched.wishes.navigation import compromise, remaining, way
from paretosched.wishes.nearness import nearest
from paretosched.wishes.wish import Limit, Wish
from paretosched.wishes.wish_grammar import parse
from support.commands import done, environment, process
from support.fronts import a_comparison, a_front

FRONT = a_front(300)
START = beginning(FRONT)


def did(*actions: dict[str, Any], state: State = START) -> State:
    for action in actions:
        state = after(state, action, FRONT)
    return state


# --- actions ------------------------------------------------------------------------------------------------------


def test_the_wish_is_one_however_it_is_said() -> None:
    said = did({"do": "say", "text": "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h"})
    weighed = did(
        {"do": "weigh", "name": "AWRT2", "value": 4},
        {"do": "weigh", "name": "AWRT1", "value": 10},
        {"do": "limit", "limits": {"AWRT5": [None, 39600]}},
    )
    assert said.wish == weighed.wish == parse("10*AWRT1 + 4*AWRT2, AWRT5 <= 39600", FRONT.objectives)
    near = did({"do": "near", "name": "UTIL", "value": 67}, {"do": "near", "name": "AWRT1", "value": 5e4})
    assert near.wish == Wish(near=[("UTIL", 67), ("AWRT1", 5e4)])
    assert did({"do": "weigh", "name": "UTIL", "value": 3}).wish == Wish(weights=[("UTIL", -3)])


def test_weights_and_a_point_exclude_each_other_and_limits_stay() -> None:
    both = did({"do": "say", "text": "AWRT1, AWRT2 <= 90000"}, {"do": "near", "name": "AWRT3", "value": 5e4})
    assert both.wish == Wish(near=[("AWRT3", 5e4)], limits=[Limit("AWRT2", high=9e4)])
    back = did({"do": "weigh", "name": "AWRT1", "value": 2}, state=both)
    assert back.wish == Wish(weights=[("AWRT1", 2)], limits=[Limit("AWRT2", high=9e4)])
    bare = did(
        {"do": "weigh", "name": "AWRT1", "value": None}, {"do": "limit", "limits": {"AWRT2": [None, None]}}, state=back
    )
    assert bare.wish is None


def test_what_is_looked_at_is_chosen_or_nearest_or_the_compromise() -> None:
    everything = np.ones(len(FRONT), dtype=bool)
    assert current(START, FRONT) == compromise(FRONT, everything)
    wished = did({"do": "say", "text": "near AWRT1 = 60000"})
    assert current(wished, FRONT) == nearest(wished.wish, FRONT)[0]
    region = did({"do": "say", "text": "AWRT1 <= 100000"})
    assert current(region, FRONT) == compromise(FRONT, remaining(region.wish, FRONT))
    assert current(did({"do": "choose", "row": 7}, state=wished), FRONT) == 7
    assert did({"do": "choose", "row": 7}, {"do": "say", "text": "AWRT1"}).chosen is None
    assert did({"do": "knees"}).suggested == ("knee", tuple(knees(FRONT, everything)))
    assert did({"do": "compromise"}).chosen == compromise(FRONT, everything)


def test_classes_start_from_what_is_looked_at() -> None:
    classes = {"AWRT1": ["improve", None], "AWRT2": ["keep", None], "AWRT5": ["free", None]}
    state = did({"do": "choose", "row": 7}, {"do": "classify", "classes": classes})
    assert state.classes == (("AWRT1", "improve", None), ("AWRT2", "keep", None))
    row = current(state, FRONT)
    assert FRONT.values[row, 2] <= FRONT.values[7, 2]
    assert FRONT.values[row, 3] <= FRONT.values[7, 3] * (1 + 1e-5)


def test_the_shortlist_keeps_order_and_notes() -> None:
    state = did(
        {"do": "pick", "row": 5}, {"do": "pick", "row": 2}, {"do": "pick", "row": 5},
        {"do": "note", "row": 2, "text": "cheap"}, {"do": "drop", "row": 5},
    )  # fmt: skip
    assert state.picks == (Pick(2, "cheap"),)
    alike = replace(FRONT, values=np.repeat(FRONT.values[:1], len(FRONT), axis=0))
    with pytest.raises(InputError, match="stands out"):
        after(START, {"do": "knees"}, alike)
    many = did(*({"do": "pick", "row": row} for row in range(MOST_PICKS)))
    with pytest.raises(InputError, match="at most 12"):
        did({"do": "pick", "row": 100}, state=many)
    assert len(LETTERS) == MOST_PICKS


BAD = [
    None, 3, [], {}, {"do": "explode"}, {"do": ["say"]}, {"do": "say"}, {"do": "say", "text": 3},
    {"do": "say", "text": "AWRT9"}, {"do": "say", "text": "AWRT1" * 1000}, {"do": "limit"},
    {"do": "limit", "limits": {"AWRT1": 3}}, {"do": "limit", "limits": {"AWRT1": [1]}},
    {"do": "limit", "limits": {"AWRT1": [5, 3]}}, {"do": "limit", "limits": {"AWRT9": [1, 2]}},
    {"do": "limit", "limits": {"AWRT1": ["1", 2]}}, {"do": "limit", "limits": {"AWRT1": [math.nan, 2]}},
    {"do": "limit", "limits": {"AWRT1": [1e308, 1e400]}}, {"do": "near", "name": "AWRT1", "value": 0},
    {"do": "near", "name": "__class__", "value": 1}, {"do": "near", "value": 1},
    {"do": "weigh", "name": "AWRT1", "value": -1},
    {"do": "weigh", "name": "AWRT1", "value": True}, {"do": "weigh", "name": "AWRT1", "value": 10**400},
    {"do": "choose", "row": -1}, {"do": "choose", "row": 300}, {"do": "choose", "row": 1.0},
    {"do": "choose", "row": "1"},
    {"do": "pick"}, {"do": "note", "row": 1, "text": "x" * 501}, {"do": "look", "across": "AWRT9"},
    {"do": "classify", "classes": {"AWRT1": ["improve"]}}, {"do": "classify", "classes": {"AWRT1": ["grow", None]}},
    {"do": "classify", "classes": []}, {"do": "classify", "classes": {}},
]  # fmt: skip


@pytest.mark.parametrize("action", BAD, ids=lambda action: repr(action)[:60])
def test_what_no_page_of_ours_says_is_refused(action: Any) -> None:
    with pytest.raises(InputError):
        after(START, action, FRONT)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["AWRT1", "UTIL", "improve", "", "7"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["AWRT1", "UTIL", "row", "format"]), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = ("text", "limits", "name", "value", "classes", "row", "across", "up", "log", "fit", "generations", "number")


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from([*ACTIONS, "undo", "train", "cancel", "resume", "open"]),
    st.dictionaries(st.sampled_from(KEYS), JSON),
)
def test_whatever_a_browser_says_is_done_or_refused(tmp_path_factory: Any, do: str, rest: dict[str, Any]) -> None:
    desk = Desk(FRONT, tmp_path_factory.mktemp("desk"))
    with suppress(InputError):
        desk.act({**rest, "do": do})
    view(desk.state, FRONT)
    assert Desk(FRONT, desk.folder).state == desk.state or do in ("knees", "compromise")


# --- kept and shared ----------------------------------------------------------------------------------------------


def busy() -> State:
    return did(
        {"do": "say", "text": "near AWRT1 = 14h, UTIL = 67, AWRT5 <= 30h"}, {"do": "pick", "row": 3},
        {"do": "note", "row": 3, "text": "why – <b>ä</b>"}, {"do": "choose", "row": 9},
        {"do": "look", "across": "UTIL", "up": "AWRT", "log": False, "fit": True},
    )  # fmt: skip


def test_a_state_survives_a_file() -> None:
    value = json.loads(json.dumps(to_json(busy(), FRONT), allow_nan=False))
    assert from_json(value, FRONT, "page") == (busy(), 0)
    assert value["in_words"] == "near AWRT1 = 14h, UTIL = 67, AWRT5 <= 30h"


def test_rows_are_found_again_on_a_longer_front_and_missed_where_they_are_gone() -> None:
    rows = [0, 9, *range(20, 60)]
    shorter = ps.Front(
        FRONT.values[rows], FRONT.genomes[rows], FRONT.origin[rows], FRONT.evaluation[rows], FRONT.origins,
        FRONT.groups, FRONT.workload, FRONT.digest, FRONT.ancestors,
    )  # fmt: skip
    state, lost = from_json(to_json(busy(), FRONT), shorter, "page")
    assert (state.chosen, state.picks, lost) == (1, (), 1)
    assert from_json(to_json(state, shorter), FRONT, "page")[0].chosen == 9


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"}, {"digest": "00"}, {"wish": 3}, {"wish": {"format": "x"}}, {"shortlist": 3}, {"shortlist": [3]},
        {"shortlist": [{"row": 3, "run": "run-a", "evaluation": 9, "note": 3}]}, {"classes": [["AWRT1"]]},
        {"classes": [["AWRT1", "grow", None]]}, {"chart": 3}, {"chart": {"across": "x"}},
    ],
)  # fmt: skip
def test_a_file_of_something_else_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^the file: "):
        from_json(to_json(busy(), FRONT) | change, FRONT, "the file")
    with pytest.raises(InputError):
        from_json([1], FRONT, "the file")


@pytest.mark.parametrize("text", [None, 3, "", "{", "[" * 100_000, "[1]", "NaN", '{"format": 1}', "\ud800"])
def test_what_is_opened_is_a_page_or_refused(text: Any) -> None:
    with pytest.raises(InputError, match=r"^the file: "):
        read(text, FRONT, "the file")
    assert read(json.dumps(to_json(busy(), FRONT)), FRONT, "the file") == (busy(), 0)


def test_one_page_at_a_time_and_where_it_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "f.parquet").touch()
    with folders.opened(tmp_path / "f.parquet") as folder:
        assert folder == tmp_path / "f.parquet.app"
        with pytest.raises(InputError, match="open already"), folders.opened(tmp_path / "f.parquet"):
            pass
    (tmp_path / "g.app").write_text("somebody's file")
    with pytest.raises(InputError, match="copy the run or front"), folders.opened(tmp_path / "g"):
        pass


def test_work_is_saved_by_itself_and_undone(tmp_path: Path) -> None:
    desk = Desk(FRONT, tmp_path)
    for action in ({"do": "say", "text": "AWRT1"}, {"do": "pick", "row": 4}, {"do": "look", "log": False}):
        desk.act(action)
    assert Desk(FRONT, tmp_path).state == desk.state
    assert desk.undoable == (True, False)
    desk.act({"do": "undo"})
    assert (desk.state.picks, desk.state.wish is None) == ((), False)
    desk.act({"do": "undo"})
    assert desk.state.wish is None
    desk.act({"do": "redo"})
    desk.act({"do": "redo"})
    desk.act({"do": "redo"})
    assert desk.state.picks == (Pick(4),)
    assert Desk(FRONT, tmp_path).state.picks == (Pick(4),)
    (tmp_path / "page.json").write_text("{")
    with pytest.raises(InputError, match=r"page\.json: .*move it away"):
        Desk(FRONT, tmp_path)


# --- what it says and draws -----------------------------------------------------------------------------------------


def test_a_view_counts_ranks_and_reaches() -> None:
    state = did({"do": "say", "text": "near AWRT1 = 60000, AWRT2 <= 100000"})
    seen = view(state, FRONT)
    inside = FRONT.values[:, 3] <= 100_000
    assert seen.left == inside.sum()
    assert seen.best[4] == FRONT.values[inside, 4].min()
    assert seen.best[0] == FRONT.values[inside, 0].max()
    assert seen.nearest == tuple(nearest(state.wish, FRONT)[:5].tolist())
    assert seen.row == seen.nearest[0]
    drawn = scene(state, seen, {"EASY": FRONT.values[0]}, [])
    assert drawn["limits"] == {"AWRT2": [0.0, 100_000.0]}
    json.dumps(drawn, allow_nan=False)


def test_the_way_is_told_in_words() -> None:
    easy, wish = FRONT.values.max(axis=0), Wish(weights=[("AWRT1", 1.0)])
    best = FRONT.values[FRONT.values[:, 2].argmin()]
    assert progress(wish, easy, best, FRONT) == "100 % of the way from EASY to the front"
    assert progress(wish, best, easy, FRONT) == "EASY is as good as the front for this wish"
    limited = Wish(weights=[("AWRT1", 1.0)], limits=[Limit("AWRT1", high=float(best[2]))])
    assert "exceeds the limits by" in progress(limited, easy, easy, FRONT)
    assert progress(wish, None, best, FRONT) == ""


def test_tables_as_csv_are_exact_and_no_formulas() -> None:
    rows = comparison_rows(FRONT, {"EASY": FRONT.values[0], "A": FRONT.values[1]}, "EASY", {"A": "=cmd()"})
    read = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert float(read[1]["AWRT1"]) == FRONT.values[1, 2]
    assert read[1]["note"] == "'=cmd()"
    assert float(read[0]["AWRT1_vs_reference"]) == 0
    among = np.arange(300) < 3
    assert [row["evaluation"] for row in remaining_rows(FRONT, among)] == [0, 3, 6]
    steps = step_rows(FRONT, view(START, FRONT))
    assert [row["better by 1 %"] for row in steps] == [o.name for o in FRONT.objectives]
    assert to_csv([]) == "schedule\n"


@pytest.mark.parametrize(
    "front",
    [FRONT, a_front(1), a_front(40, groups=("staff",)), a_front(40, empty=2)],
    ids=["usual", "one", "one group", "a group without jobs"],
)
def test_charts_are_figures_whatever_the_front(front: Any) -> None:
    marks = {"EASY": front.values[0], "<b>": front.values[-1] * 9}
    state = beginning(front)
    base = empty(front, state.across, state.up, marks, log=True)
    wish = Wish(near=[(state.across, 7.0)], limits=[Limit(state.up, 5, 90_000)])
    figure = projection(base, front, state.across, state.up, wish=wish, chosen=0, picks=[0], suggested=(0,))
    go.Figure(figure)
    assert len(figure["layout"]["shapes"]) == 3
    assert "shapes" not in base["layout"]
    go.Figure(differences(front.objectives, ("EASY", front.values[0]), marks))
    named = [axis["name"] for axis in axes(front, marks)]
    assert named == [o.name for o, v in zip(front.objectives, front.values.T, strict=True) if not np.isnan(v).any()]
    for axis in axes(front, marks):
        assert (axis["low"] < axis["high"]) == axis["maximise"]
    assert "% busy" in " ".join(in_words(front))
    assert in_words(front, front.values.min(axis=0))[-1].startswith("No schedule at all takes less than")


def test_marks_keep_their_looks_when_a_training_is_done(desk: Desk) -> None:
    before = mark_styles(desk.marks)
    assert before["ideal point"] not in [style for name, style in before.items() if name != "ideal point"]
    desk._reached[1] = FRONT.values[3]
    after_it = mark_styles(desk.marks)
    assert after_it.pop("trained 1") not in before.values()
    assert after_it == before
    figure = desk.plane("AWRT1", "AWRT2", True)
    drawn = {trace["name"]: (trace["marker"]["color"], trace["marker"]["symbol"]) for trace in figure["data"]}
    assert drawn == mark_styles(desk.marks)
    assert len(set(mark_styles(map(str, range(12))).values())) == 12


def test_long_names_of_groups_are_cut_and_many_are_told() -> None:
    front = a_front(40, groups=("x" * 500, *map(str, range(2, 21))))
    assert all(len(axis["label"]) <= 18 for axis in axes(front, {}))
    assert max(map(len, " ".join(in_words(front)).split())) < 60


def test_schedules_that_no_group_would_bear_are_left_out_by_a_button(tmp_path: Path) -> None:
    values = FRONT.values.copy()
    values[0, 2:] = 1e8
    wild = replace(FRONT, values=values)
    desk = Desk(wild, tmp_path)
    assert "twice EASY" not in written_page(desk)
    desk.comparison = a_comparison(wild, ("EASY",))
    assert "twice EASY" in written_page(desk)
    (said,) = [do for do in told(contents(desk, view(desk.state, wild))) if do.get("fit")]
    desk.act(said)
    limits = {limit.objective: limit.high for limit in desk.state.wish.limits}
    easy = dict(zip([o.name for o in wild.objectives], desk.comparison.values[0], strict=True))
    assert limits.keys() == {"AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5"}
    assert all(high == pytest.approx(2 * easy[name], abs=180) for name, high in limits.items())
    assert desk.state.fit
    assert not remaining(desk.state.wish, wild)[0]


def told(components: Any) -> Iterator[dict[str, Any]]:
    """What the buttons among components tell the server."""
    for component in components if isinstance(components, list) else [components]:
        if hasattr(component, "to_plotly_json"):
            own = component.to_plotly_json()["props"]
            if "data-do" in own:
                yield json.loads(own["data-do"])
            yield from told(own.get("children"))


def written_page(desk: Desk) -> str:
    layout = application(desk).test_client().get("/_dash-layout", headers={"Host": "localhost"})
    return json.dumps(layout.json, ensure_ascii=False)


# --- who may come in ------------------------------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(FRONT, tmp_path)
    made.comparison = a_comparison(FRONT, ("EASY", "FCFS"))
    return made


def test_the_page_is_served_with_a_strict_policy(desk: Desk) -> None:
    client = application(desk).test_client()
    answer = client.get("/", headers={"Host": "127.0.0.1:8050"})
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'self' 'sha256-" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert b"https://" not in answer.data.replace(b"https:\\u002f\\u002fdash-version.plotly.com", b"")
    layout = client.get("/_dash-layout", headers={"Host": "localhost:8050"})
    assert layout.status_code == 200
    values = np.frombuffer(client.get("/front.bin", headers={"Host": "localhost"}).data).reshape(7, -1).T
    assert values.tobytes() == FRONT.values.tobytes()


def test_other_names_and_other_sites_are_turned_away(desk: Desk) -> None:
    client = application(desk).test_client()
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
    said = {"Host": "127.0.0.1", "Origin": "https://evil.example"}
    assert client.post("/_dash-update-component", json={}, headers=said).status_code == 403


def test_who_has_the_token_comes_in_and_nobody_else(desk: Desk) -> None:
    client = application(desk, "secret").test_client()
    host = {"Host": "cluster.example:8050"}
    for path in (
        "/",
        "/front.bin",
        "/page.json",
        "/?token=wrong",
        "/front.bin?token=secret",
        "/_dash-layout",
        "/pulse",
    ):
        answer = client.get(path, headers=host)
        assert answer.status_code == 401, path
        assert b"AWRT" not in answer.data
    answer = client.get("/?token=secret", headers=host)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/front.bin", headers=host).status_code == 200


def test_only_what_is_there_can_be_fetched(desk: Desk) -> None:
    desk.act({"do": "pick", "row": 4})
    client = application(desk).test_client()
    host = {"Host": "localhost"}
    policy = client.get("/policy/4.json", headers=host)
    assert json.loads(policy.data)["rule"] == "greedy"
    for path in ("/policy/300.json", "/policy/-1.json", "/policy/..%2fpage.json", "/training/1.json",
                 "/training/../page.json",
                 "/assets/../server.py", "/assets/%2e%2e/server.py", "/policy/" + "9" * 400 + ".json"):  # fmt: skip
        answer = client.get(path, headers=host)  # Dash gives the page itself for a name that it does not know
        assert answer.status_code in (400, 404) or b"react-entry-point" in answer.data, path
    rows = list(csv.DictReader(io.StringIO(client.get("/shortlist.csv", headers=host).text)))
    assert [row["schedule"] for row in rows] == ["EASY", "A"]
    assert len(client.get("/remaining.csv", headers=host).text.splitlines()) == 301
    for name in ("steps", "reach", "trainings"):
        assert client.get(f"/{name}.csv", headers=host).status_code == 200
    reach = list(csv.DictReader(io.StringIO(client.get("/reach.csv", headers=host).text)))
    assert float(reach[2]["still reachable"]) == FRONT.values[:, 2].min()
    assert json.loads(client.get("/page.json", headers=host).data)["shortlist"][0]["row"] == 4


# --- with a real run --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("house")
    done("generate", "lublin", "--jobs", 60, "--processors", 32, "--seed", 3, "-o", folder / "w.swf.gz")
    said = process("explore", "w.swf.gz", "-o", "run", "--evaluations", 60, "--population", 20, cwd=folder)
    assert said.returncode == 0, said
    return folder


def test_the_log_of_a_run_is_found_by_its_command(house: Path, tmp_path: Path) -> None:
    workload, words = finder(house / "run", ps.load_front(house / "run"))()
    assert words == [str(house / "run")]
    assert workload.source[0]["path"] == str(house / "w.swf.gz")
    assert workload.digest == ps.load_front(house / "run").digest
    done("front", house / "run", "-o", tmp_path / "f.parquet")
    with pytest.raises(InputError, match=r"app f\.parquet --trace TRACE"):
        finder(tmp_path / "f.parquet", ps.load_front(tmp_path / "f.parquet"))()
    done("generate", "lublin", "--jobs", 20, "-o", tmp_path / "other.swf")
    about = json.loads((house / "run" / "run.json").read_text())
    del about["workload"]  # as of version 0.1
    about["sessions"] = [{"command": ["x", "-.swf", "../run/w.swf.gz", "--capacity", "many"]}, {"command": 3}, 4]
    shutil.copytree(house / "run", tmp_path / "odd")
    shutil.copy(house / "w.swf.gz", tmp_path / "w.swf.gz")
    (tmp_path / "odd" / "run.json").write_text(json.dumps(about))
    (tmp_path / "-.swf").touch()
    with pytest.raises(InputError, match="--trace TRACE"):
        finder(tmp_path / "odd", ps.load_front(house / "run"))()
    other = ps.read_swf(tmp_path / "other.swf")
    with pytest.raises(InputError, match="not the workload of the front"):
        finder(house / "run", ps.load_front(house / "run"), other, [str(tmp_path / "other.swf")])


def test_the_page_agrees_with_the_commands(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk._know(finder(house / "run", ps.load_front(house / "run")))
    listed = done(
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
    for row in listed:
        if row["policy"] in desk.marks:
            assert [row[name] for name in names] == desk.marks[row["policy"]].tolist()
    assert {"EASY", "FCFS", "CONS", "ideal point"} <= desk.marks.keys() & {row["policy"] for row in listed}
    ends = done("front", house / "run", "--json").json["extremes"]
    best = view(beginning(front), front).best
    for end in ends:
        assert end["values"][end["objective"]] == best[names.index(end["objective"])]
    page = json.dumps(application(desk).test_client().get("/_dash-layout", headers={"Host": "localhost"}).json)
    for end in ends:
        value = end["values"][end["objective"]]
        assert f'"{value / 3600:,.2f}"' in page or f'"{value:,.2f}"' in page


def test_policies_of_ones_own_are_marks(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    rule = ps.greedy(["f1"] * 3, np.ones((3, 2 * len(front.groups) + 2)), groups=front.groups)
    spec = Situations(front.groups, front.groups, rule, partitions(len(front.groups)))
    rules = rules_policy(spec, np.full(len(gene_labels(spec)), 4.0))
    desk = Desk(front, tmp_path)
    desk._know(finder(house / "run", front), [rule, rules])
    workload = ps.read_swf(house / "w.swf.gz")
    for policy in (rule, rules):
        assert desk.marks[policy.name].tolist() == ps.objectives(ps.simulate(workload, policy)).tolist()
    assert {"EASY", "FCFS", "CONS"} <= desk.marks.keys()


def test_a_wish_on_the_page_agrees_with_the_commands(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk._know(finder(house / "run", front))
    easy = desk.marks["EASY"]
    words = f"10*AWRT1 + 4*AWRT2, AWRT3 <= {np.ceil(2 * easy[4] / 3600):g}h"
    desk.act({"do": "say", "text": words})
    seen = view(desk.state, front)
    wish = desk.state.wish
    assert choice.written(wish, hours=True) == words
    policies = ("--policy", "fcfs", "--policy", "conservative")
    rows = done("compare", house / "w.swf.gz", "--front", house / "run", *policies, "--objective", words, "--json").json
    listed = {row["policy"]: row for row in rows}
    shares = {name: way(wish, easy, desk.marks[name], front) for name in ("FCFS", "CONS")}
    for name, found in shares.items():  # as of the command, of those within the limits only
        if listed[name]["exceeded"] == 0:
            assert listed[name]["share_of_way"] == pytest.approx(100 * found.share, rel=1e-12)
    assert any(listed[name]["exceeded"] == 0 for name in shares)
    reached = choice.goal(wish, front.values[[seen.row]])  # by the schedule that the page looks at
    assert [listed["best on the front"]["objective"]] == reached.tolist()
    shown = {row["schedule"]: row for row in comparison_rows(front, desk.marks, "EASY", {})}
    for name in ("FCFS", "CONS"):
        for o in front.objectives:
            assert shown[name][f"{o.name}_vs_reference"] == listed[name][f"{o.name}_vs_easy"]
    simulated = done("simulate", house / "w.swf.gz", "--front", house / "run", "--row", seen.row, "--json").json
    assert [simulated[o.name] for o in front.objectives] == front.values[seen.row].tolist()


def test_without_its_log_a_page_says_how_to_name_it_and_does_all_else(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    done("front", house / "run", "-o", tmp_path / "f.parquet")
    desk = Desk(front, tmp_path)
    desk._know(finder(tmp_path / "f.parquet", ps.load_front(tmp_path / "f.parquet")))
    assert "--trace TRACE" in desk.trouble
    assert list(desk.marks) == ["best of each"]
    desk.act({"do": "say", "text": "AWRT1"})
    with pytest.raises(InputError, match="--trace"):
        desk.act({"do": "train", "generations": 5})
    page = application(desk).test_client().get("/_dash-layout", headers={"Host": "localhost"}).get_data(as_text=True)
    assert "--trace TRACE" in page


@pytest.mark.slow
def test_trainings_wait_stop_continue_and_are_the_command(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    trainings = Trainings(tmp_path, [str(house / "w.swf.gz")])
    first = trainings.ask(Wish(weights=[("AWRT1", 1.0)]), 25)
    second = trainings.ask(Wish(near=[("AWRT2", 5e4)]), 5)
    third = trainings.ask(Wish(near=[("AWRT2", 6e4)]), 5)
    assert {t.number: t.status for t in trainings.listed()} == {first: RUNNING, second: QUEUED, third: QUEUED}
    trainings.cancel(third)
    wait(trainings, lambda known: known[first].done > 500)
    trainings.cancel(first)
    wait(trainings, lambda known: known[second].status == DONE)
    known = {t.number: t for t in trainings.listed()}
    assert (known[first].status, known[third].status) == (STOPPED, STOPPED)
    assert 500 < known[first].done < size(25)
    trainings.close()
    again = Trainings(tmp_path, [str(house / "w.swf.gz")])  # as after a restart
    again.resume(first)
    wait(again, lambda known: known[first].status == DONE)
    again.close()
    trained = {t.number: t for t in again.listed()}[first]
    assert (trained.done, trained.total) == (size(25), size(25))
    workload = ps.read_swf(house / "w.swf.gz")
    assert ps.objectives(ps.simulate(workload, trained.policy))[2] == trained.course[-1][2]
    direct = ps.train(workload, Wish(weights=[("AWRT1", 1.0)]), generations=25).policy
    assert np.array_equal(direct.genes, trained.policy.genes)


def wait(trainings: Trainings, until: Any) -> None:
    for _ in range(1200):
        trainings.advance()
        if until({t.number: t for t in trainings.listed()}):
            return
        time.sleep(0.1)
    raise AssertionError(trainings.listed())


def test_a_training_that_was_damaged_is_listed_as_such(tmp_path: Path) -> None:
    (tmp_path / "training-1.json").write_text("{}")
    (tmp_path / "training-x.json").write_text("{}")
    (tmp_path / "training-2.json").mkdir()
    assert [t.message[:14] for t in Trainings(tmp_path).listed()] == ["cannot be read"] * 2


def test_a_training_that_outlives_its_page_runs_on_and_is_left_alone(tmp_path: Path) -> None:
    trainings = Trainings(tmp_path)
    choice_wish_files.save_wish(Wish(weights=[("AWRT1", 1.0)]), tmp_path / "training-1.wish.json")
    asked = {"format": "paretosched page training 1", "wish": choice_wish_files.to_json(Wish(weights=[("AWRT1", 1.0)]))}
    (tmp_path / "training-1.json").write_text(json.dumps({**asked, "generations": 5}))
    assert [t.status for t in trainings.listed()] == [STOPPED]
    with store.open_run(tmp_path / "training-1", {"of": "another process"}):
        assert [t.status for t in trainings.listed()] == [RUNNING]
        for touch in (trainings.cancel, trainings.resume):
            with pytest.raises(InputError, match="page that was killed"):
                touch(1)
    assert [t.status for t in trainings.listed()] == [STOPPED]


@pytest.mark.parametrize("value", [0.0, -5.0, 1e300, math.nan])
def test_values_that_no_schedule_has_are_refused(tmp_path: Path, value: float) -> None:
    values = FRONT.values.copy()
    values[:, 1] = value
    front = replace(FRONT, values=values)
    with pytest.raises(InputError, match="AWRT"), served(tmp_path / "f", front, lambda: None, port=0):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_end_that_a_service_manager_asks_for_is_one_in_order(house: Path) -> None:
    from support.browser import served as started

    with started(house / "run", cwd=house):
        pass  # `served` ends it with SIGTERM
    assert list((house / "run.app").iterdir()) == []
    with folders.opened(house / "run"):  # nobody holds it any more
        pass


def test_axes_fit_what_remains_if_asked(tmp_path: Path) -> None:
    desk = Desk(FRONT, tmp_path)
    wide = desk.axes()[2], desk.plane("AWRT1", "AWRT2", True)["layout"]["xaxis"]["range"]
    limit = float(np.median(FRONT.values[:, 2]))
    desk.act({"do": "limit", "limits": {"AWRT1": [None, limit]}})
    assert (desk.axes()[2], desk.plane("AWRT1", "AWRT2", True)["layout"]["xaxis"]["range"]) == wide
    desk.act({"do": "look", "fit": True})
    assert desk.axes()[2]["low"] == pytest.approx(np.log10(FRONT.values[FRONT.values[:, 2] <= limit, 2].max() / 3600))
    assert desk.plane("AWRT1", "AWRT2", True)["layout"]["xaxis"]["range"][1] < wide[1][1]
    desk.act({"do": "limit", "limits": {"AWRT1": [None, 1.0]}})  # nothing remains
    assert desk.axes()[2] == wide[0]
