"""One schedule has one name, on the page, in both reports, and in the texts of commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.app.contents import contents
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.layout import page
from paretosched.app.waits_view import columns_of
from paretosched.report.comparison_report import report
from paretosched.wishes.answers import answer
from support.limited_users import limited_users

OTHERS = re.compile(r"(?<!-)\btoday\b(?!\"|\\\\?')|the record\b|\bas today|[Aa]gainst recorded|your scheduler:")
WISH = "mean wait of top, all <= 1.2*recorded"


@pytest.fixture(scope="module")
def known_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, ps.Workload, ps.Front]:
    w = limited_users(80)
    front = ps.explore(w, evaluations=20, population=10, objectives="UTIL, mean wait of top")
    desk = Desk(front, tmp_path_factory.mktemp("page"))
    desk.simulate_known(lambda: (w, ["log"]))
    desk.act({"do": "say", "text": WISH})
    desk.act({"do": "pick", "row": 0})
    return desk, w, front


def test_what_the_log_says_is_recorded_and_others_stand_by_their_names(
    known_page: tuple[Desk, ps.Workload, ps.Front],
) -> None:
    desk, w, front = known_page
    assert list(columns_of(desk, 0)) == ["recorded", "EASY", "this schedule"]
    texts = {
        "page": repr(page(desk, contents(desk))),
        "decision": decision(desk),
        "report": report(front, ps.compare(w, ["fcfs"], front, WISH, today="recorded")),
        "compare": ps.compare(w, ["fcfs"], front, WISH, today="recorded").text(),
        "front --wish": answer(WISH, front, w).text(),
    }
    for place, text in texts.items():
        assert "recorded" in text, place
        assert [text[found.start() - 80 : found.end() + 80] for found in OTHERS.finditer(text)] == [], place


def test_what_is_named_for_today_stands_by_its_name(known_page: tuple[Desk, ps.Workload, ps.Front]) -> None:
    _, w, front = known_page
    compared = ps.compare(w, ["fcfs", "sjf"], front, today="sjf")
    (name,) = (compared.policies[k] for k in (compared.today or 0,))
    assert f"vs {name}" in compared.text()
    assert f"vs {name}<" in report(front, compared)
    assert "vs recorded" not in compared.text()


def test_no_page_of_the_documentation_shows_another_name() -> None:
    for file in ("page.md", "report.md"):
        text = (Path(__file__).parents[2] / "docs" / "howto" / file).read_text(encoding="utf-8")
        assert re.search(r"vs today|as today|the record\b", text) is None, file
