"""The report of the decision says what the page says, and needs no other file."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

import paretosched as ps
from paretosched.app.contents import contents
from paretosched.app.decision import _without_policy, decision
from paretosched.app.desk import Desk
from paretosched.app.locate_workload import finder
from paretosched.app.state import schedule_name
from paretosched.app.trainings import DONE, Training
from paretosched.app.waits_view import sentences
from paretosched.comparison.waits_table import value_words
from paretosched.encodings.site_limits import Setting, SiteLimits
from paretosched.fronts.front import Origin, front_of
from support.fronts import a_comparison
from support.limited_users import limited_users
from support.page import FRONT, signed_in


@pytest.mark.slow
def test_the_report_has_the_wish_the_candidates_their_reasons_and_figures(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    desk.act({"do": "say", "text": "10*AWRT1 + 4*AWRT2, AWRT5 <= 900"})
    wish, rows = desk.state.wish, [{"system": "EASY", "best": False}, {"system": "f4", "best": True}]
    for one, gain in zip(rows, (0.0, 12.34), strict=True):
        values = dict(zip((o.name for o in front.objectives), front.values[0].tolist(), strict=True))
        one |= {"rest_vs_easy": gain, "rest_exceeded": 0.0, "rest": [values], "workloads": [values]}
    words = (wish, 5, DONE, 9, 9, np.empty((0, 7)), ps.as_policy("fcfs"), "")
    desk.known_trainings = [Training(1, *words, until=0.7, result={"systems": rows}), Training(2, *words)]
    desk._trained_values = {1: front.values[0], 2: front.values[1]}
    for row, note in ((1, "the board likes <b>it</b>"), (2, "")):
        desk.act({"do": "pick", "row": row})
        desk.act({"do": "note", "row": row, "text": note})
    answer = signed_in(desk).get("/decision.html")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == "attachment"
    text = answer.text
    assert "The wish: 10*AWRT1 + 4*AWRT2, AWRT5 &lt;= 900h." in text
    assert "Why: the board likes &lt;b&gt;it&lt;/b&gt;" in text
    names = [f"{letter} · evaluation {front.evaluation[row]}" for letter, row in (("A", 1), ("B", 2))]
    for title in ("What it costs whom", "How to run it"):
        section = text.partition(f"<h2>{title}</h2>")[2].partition("<h2>")[0]
        assert re.findall(r"<h3>([A-Z] · evaluation \d+)</h3>", section) == names
    for row in (1, 2):
        lines = sentences(desk, row)
        assert 0 < len(lines) <= 3
        for line in lines:
            assert f"<li>{escape(line.sentence)}</li>" in text
        assert f"{front.values[row, 2] / 3600:,.2f}" in text
    assert re.findall(r"<h3>(Trained \d)</h3>", text) == ["Trained 1", "Trained 2"]
    tested = "those after 70 % of the time: the goal is 12.3 % better than with EASY; the limits are kept."
    assert tested in text.partition("<h3>Trained 1")[2].partition("<h3>")[0]
    assert "It was not tested on jobs that it has not seen." in text.partition("<h3>Trained 2")[2].partition("<h2>")[0]
    for which, name in ((0, "EASY"), (1, "A"), (2, "B")):  # the table is that of the page
        there = desk.comparison.waits[0] if name == "EASY" else desk.measure(which)
        assert f"<td>{value_words('worst', float(there.worst[0]))}<" in text
    assert text.count("<svg") == 1
    assert "<script" not in text
    assert len(text.encode()) < 100_000  # of which a colleague needs no more than three minutes
    assert not re.search(r'(?:src|href)="', text.partition("<main>")[2])  # one file


def test_without_a_shortlist_the_report_is_of_the_schedule_that_is_looked_at(desk: Desk) -> None:
    desk.act({"do": "choose", "row": 7})
    text = decision(desk)
    assert f"<h3>A · {schedule_name(desk.front, 7)}</h3>" in text
    assert "No wish was entered." in text


def test_the_whole_report_is_of_one_state_of_the_desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer front, or an action of another window, must wait until it is written."""
    others: list[bool] = []

    def no_policy(front: ps.Front, row: int) -> None:
        with ThreadPoolExecutor(1) as thread:
            others.append(thread.submit(desk.lock.acquire, blocking=False).result())

    monkeypatch.setattr("paretosched.app.decision.row_policy", no_policy)
    assert "It knows the future" in decision(desk)
    assert others
    assert not any(others)


def test_limits_of_the_site_have_the_lines_that_set_them() -> None:
    jobs, encoding = limited_users(MaxJobsPU=9), SiteLimits((), ("part MaxJobsPU 2,9",))
    genome = encoding.genome_of([Setting("part", "MaxJobsPU", 2)])
    easy = np.asarray(ps.objectives(ps.simulate(jobs, "easy")))
    run = Origin("run", "random", 0, 4, encoding)
    front = front_of(easy[None], genome[None], run, jobs.groups, jobs.name, jobs.digest)
    known, unknown = (cast("Desk", SimpleNamespace(front=front, workload=w)) for w in (jobs, None))
    assert "sacctmgr modify qos part set MaxJobsPerUser=2" in _without_policy(known, 0)
    assert "limits of the site" in _without_policy(unknown, 0)


def test_groups_with_names_keep_them_in_wishes_tables_and_the_report(tmp_path: Path) -> None:
    front = replace(FRONT, groups=("theo-chem", "3d.lab", "physics", "4", "a-b"))
    desk = Desk(front, tmp_path)
    desk.comparison = a_comparison(front, ("EASY", "FCFS"))
    desk.act({"do": "say", "text": "10*theo-chem + 4*3d.lab, a-b <= 500"})
    shown = contents(desk)
    words = "10*theo-chem + 4*3d.lab, a-b <= 500h"
    assert (shown.scene["wish"], shown.scene["fields"]["text"]) == (words, words)
    for piece in ("values", "steps"):
        for name in ("theo-chem", "3d.lab", "a-b"):
            assert name in repr(shown.pieces[piece]), (piece, name)
    text = decision(desk)
    assert escape(f"The wish: {words}.") in text
    heads = re.findall(r'<th scope="col">(AWRT[^<]*)<', text)
    assert heads == ["AWRT", "AWRT1 (theo-chem)", "AWRT2 (3d.lab)", "AWRT3 (physics)", "AWRT4", "AWRT5 (a-b)"]
    assert not re.search(r'title="[0-9,.]+ s"', text)  # seconds are nobody's unit
    desk.act({"do": "say", "text": "near theo-chem = 12h"})
    assert "objective" not in desk.distance(0)
