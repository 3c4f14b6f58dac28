"""The report of the decision says what the page says, and needs no other file."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.locate_workload import finder
from support.page import signed_in


@pytest.mark.slow
def test_the_report_has_the_wish_the_candidates_their_reasons_and_figures(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    desk.act({"do": "say", "text": "10*AWRT1 + 4*AWRT2, AWRT5 <= 900"})
    for row, note in ((1, "the board likes <b>it</b>"), (2, "")):
        desk.act({"do": "pick", "row": row})
        desk.act({"do": "note", "row": row, "text": note})
    answer = signed_in(desk).get("/decision.html")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == "attachment"
    text = answer.text
    assert "The wish: 10*AWRT1 + 4*AWRT2, AWRT5 &lt;= 900h." in text
    assert "Why: the board likes &lt;b&gt;it&lt;/b&gt;" in text
    assert re.findall(r"<h2>([A-Z] · schedule \d+)</h2>", text) == ["A · schedule 1", "B · schedule 2"]
    for row in (1, 2):
        for line in desk.consequences(row):
            assert f"<li>{escape(line.sentence)}</li>" in text
        assert f"{front.values[row, 2] / 3600:,.2f}" in text
    titles = [json.loads(data)["layout"]["title"]["text"] for data in re.findall(
        r'</div><script type="application/json">(.*?)</script></figure>', text, re.DOTALL)]  # fmt: skip
    assert len(titles) == 3
    assert all(titles)
    assert not re.search(r'(?:src|href)="', text.partition("<main>")[2].partition("<script")[0])  # one file


def test_without_a_shortlist_the_report_is_of_the_schedule_that_is_looked_at(desk: Desk) -> None:
    desk.act({"do": "choose", "row": 7})
    text = decision(desk)
    assert "<h2>A · schedule 7</h2>" in text
    assert "No wish was entered." in text
