"""What if on the page: of long logs on nodes the last weeks, with the numbers of the library; nothing twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from dash import html

import paretosched as ps
from paretosched.app import desk as desk_module
from paretosched.app import other_jobs
from paretosched.app.answering import Answering, effort
from paretosched.app.cards import question, reply
from paretosched.app.desk import Desk
from paretosched.app.other_jobs import DRAWS, FIRST_SEED, answer_to, asked_part, simulations_of
from paretosched.app.tab_compare import compare_pieces
from paretosched.comparison.questions import questions
from paretosched.comparison.what_if_table import answer_rows, what_if
from paretosched.simulation.simulator import REACT, RECORDED
from paretosched.workload.resampling import why_not_resampled
from support.limited_users import in_weeks, limited_users

W = in_weeks(limited_users(160), 8)


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A page whose log takes long."""
    front = ps.explore(W, evaluations=20, population=10)
    patch = pytest.MonkeyPatch()
    patch.setattr(other_jobs, "MOST_EFFORT", effort(W) // 3)
    patch.setattr(desk_module, "MOST_EFFORT", effort(W) - 1)
    folder = tmp_path_factory.mktemp("page")
    desk = Desk(front, folder)
    desk.simulate_known(lambda: (W, ["log"]))
    yield desk
    desk.close()
    patch.undo()


def test_the_last_weeks_are_asked_and_can_be_put_together_again(long_log: Desk) -> None:
    part = asked_part(W)
    assert effort(part) <= effort(W) // 3 < effort(W)
    assert part.job.tolist() == W.job[-len(part) :].tolist()
    assert not why_not_resampled(part)
    more = W.take(np.flatnonzero(W.submit >= part.submit[0] - 7 * 86_400))
    assert effort(more) > effort(W) // 3
    few = W.take(np.arange(20))
    assert asked_part(few) is few
    pool = W.one_pool
    assert asked_part(pool) is pool


def test_the_page_says_what_the_library_says_of_the_part_and_of_all(long_log: Desk) -> None:
    asked = questions(W)
    place = next(k for k, each in enumerate(asked) if each.node)
    for whole, jobs in ((False, asked_part(W)), (True, W)):
        told = answer_to(long_log, place, [], whole=whole)
        assert told is not None
        expected = what_if(jobs, [(asked[place].words, asked[place])], [ps.as_policy("easy")], DRAWS, FIRST_SEED)
        assert answer_rows(told[0]) == answer_rows(expected)


def test_what_is_known_is_not_simulated_again(long_log: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    long_log.known_today.clear()
    calls: list[str] = []
    simulate = ps.simulate

    def count_and_simulate(workload: ps.Workload, *words: Any, **more: Any) -> ps.Schedule:
        calls.append(workload.name)
        return simulate(workload, *words, **more)

    monkeypatch.setattr("paretosched.comparison.what_if_table.simulate", count_and_simulate)
    asked = questions(W)
    places = [next(k for k, q in enumerate(asked) if of(q)) for of in (lambda q: q.node, lambda q: q.load == 1.1)]
    for place, users, count in (
        (places[0], RECORDED, 2 * DRAWS),
        (places[1], RECORDED, DRAWS),
        (places[0], REACT, 2 * DRAWS + 1),
        (places[1], REACT, DRAWS),
    ):
        assert simulations_of(long_log, [], [], users) == count
        calls.clear()
        answer_to(long_log, place, [], users=users)
        assert len(calls) == count


def test_it_says_that_it_is_a_part_and_asks_for_all(long_log: Desk) -> None:
    asked = questions(W)
    place = next(k for k, each in enumerate(asked) if each.node)
    words = _answer_of(long_log, {"kind": "what-if", "number": place})
    part = asked_part(W)
    assert f"the last 2 of 8 weeks, {len(part)} of 160" in words
    assert f"{effort(W) / effort(part):.0f} times as long" in words
    assert '"is_whole": true' in words
    assert "of 8 weeks" not in _answer_of(long_log, {"kind": "what-if", "number": place, "is_whole": True})


def test_slow_policies_are_left_out_and_that_is_said(long_log: Desk) -> None:
    assert long_log.known_names == ("EASY", "recorded")
    assert [rule for rule, _ in long_log.state.references] == ["easy", "recorded", "today"]
    note = html.Div(compare_pieces(long_log)["compared"])
    assert "would take minutes on so many nodes" in repr(note)


def _answer_of(desk: Desk, asked: dict[str, Any]) -> str:
    whole = json.loads(question(desk, asked["kind"], [])) | asked
    reply(desk, whole)
    (answering,) = list(desk.answers.values())[-1:]
    assert isinstance(answering, Answering)
    assert answering.ended.wait(120)
    return repr(reply(desk, whole))
