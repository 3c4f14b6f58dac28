"""The centre of the page: the table of waits, limits that are typed into it, and the jobs behind a number."""

import json
import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.app.cards import reply
from paretosched.app.charts import part
from paretosched.app.contents import contents
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.locate_workload import finder
from paretosched.app.measuring import (
    FEW,
    LEAST,
    MEASURES_FILE,
    Measuring,
    load_columns,
    load_measured,
    measured_columns,
    names_to_measure,
    rows_of,
    save_columns,
)
from paretosched.app.state_view import view_of
from paretosched.app.trainings import DONE, Training
from paretosched.app.waits_view import (
    HERE,
    buttons_of,
    grouped_parts,
    job_parts,
    sentences,
    table_of,
    table_parts,
    waiting_of,
)
from paretosched.app.widgets import html_text
from paretosched.comparison.over_time import wait_reasons
from paretosched.comparison.waits_table import (
    MEASURES,
    ON_RECORD,
    REASONS,
    SIMULATED_BESIDE,
    jobs_behind,
    measure_name,
    reason_lines,
    wait_lines,
)
from paretosched.core.errors import InputError
from paretosched.fronts.row_schedules import schedules
from paretosched.report.comparison_report import report
from paretosched.wishes.wish import wish_text
from support.limited_users import limited_users
from support.page import wait_for_measures


@pytest.fixture
def known_desk(house: Path, tmp_path: Path) -> Desk:
    """A desk of a small run, whose workload is known."""
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    return desk


def recorded_desk(house: Path, folder: Path) -> Desk:
    """Return a desk of the small run, whose log has recorded waits."""
    w = ps.read_swf(house / "w.swf.gz")
    w = w.with_(wait=ps.simulate(w, "fcfs").start - w.eligible)
    desk = Desk(replace(ps.load_front(house / "run"), digest=w.digest), folder)
    desk.simulate_known(lambda: (w, []))
    return desk


def text_of(parts: object) -> str:
    return repr(parts)


def test_the_table_has_today_the_schedule_and_the_last_trained_one(known_desk: Desk) -> None:
    w, row = known_desk.workload, 3
    assert w is not None
    assert list(table_of(known_desk, row)) == ["EASY", HERE]
    known_desk.act({"do": "compare", "name": "FCFS"})
    known_desk.known_trainings = [
        Training(k, None, 5, DONE, 9, 9, np.empty((0, 7)), ps.as_policy(name), "")
        for k, name in ((1, "fcfs"), (2, "easy"))
    ]
    known_desk._trained_values = {1: known_desk.front.values[0], 2: known_desk.front.values[1]}
    row = 5
    assert table_of(known_desk, row, made=False)[HERE] is None
    assert "…" in text_of(table_parts(known_desk, row, False))  # it is shown before the schedule is simulated
    measured = table_of(known_desk, row)
    assert list(measured) == ["FCFS", "EASY", HERE, "trained 2"]
    made = [ps.simulate(w, "fcfs"), ps.simulate(w, "easy"), next(iter(ps.schedules(known_desk.front, [row], w)))]
    for there, schedule in zip(measured.values(), [*made, made[1]], strict=True):
        assert there is not None
        for mine, own in zip(there, ps.waits(schedule), strict=True):
            np.testing.assert_array_equal(mine, own)
    text = text_of(table_parts(known_desk, row, True))
    for line in wait_lines(measured):
        assert all(repr(cell.text) in text for cell in line.cells.values() if cell is not None)


def test_a_limit_is_typed_as_people_write_it_and_means_the_measure(known_desk: Desk) -> None:
    w, front = known_desk.workload, known_desk.front
    assert w is not None
    group = int(np.bincount(w.group).argmax())
    name = measure_name("worst", group + 1, front.groups)
    waits = [ps.waits(s).worst[group + 1] for s in ps.schedules(front, range(len(front)), w)]
    limit = float(np.median(waits)) / 3600
    known_desk.act({"do": "cap", "name": name, "text": f" <= {limit:.4f} hours"})
    assert known_desk.measuring is not None or known_desk.state.wish is not None
    wait_for_measures(known_desk)
    assert known_desk.remark == ""
    (kept,) = known_desk.state.wish.limits
    assert (kept.objective, round(kept.high)) == (name, round(limit * 3600, 0)) or abs(kept.high - limit * 3600) < 1
    assert view_of(known_desk.state, known_desk.front).among.tolist() == [max(x, LEAST) <= kept.high for x in waits]
    assert known_desk.front.values[:, : len(front.objectives)].tobytes() == front.values.tobytes()
    assert known_desk.digest  # rows are the same, so no window is out of date
    known_desk.act({"do": "cap", "name": name, "text": "4 days"})
    assert known_desk.measuring is None  # it is measured already
    assert wish_text(known_desk.state.wish, hours=True) == f"{name} <= 96h"
    assert "'4d'" in text_of(table_parts(known_desk, 0, True))
    known_desk.act({"do": "cap", "name": name, "text": "1.05*EASY"})
    assert known_desk.state.wish.limits[0].of == "easy"
    other = measure_name("mean", 0, front.groups)
    known_desk.act({"do": "cap", "name": other, "text": "30d"})
    wait_for_measures(known_desk)
    assert {x.objective for x in known_desk.state.wish.limits} == {name, other}
    again = Desk(front, known_desk.folder)  # what was measured is kept
    assert again.state.wish == known_desk.state.wish
    assert set(again.front.measured.names) == set(known_desk.front.measured.names)
    assert len(contents(again).scene["axes"]) == len(again.front.objectives)  # shown before the jobs are known
    known_desk.act({"do": "cap", "name": other, "text": ""})
    known_desk.act({"do": "cap", "name": name, "text": ""})
    assert known_desk.state.wish is None
    known_desk.act({"do": "undo"})
    known_desk.act({"do": "undo"})
    assert len(known_desk.state.wish.limits) == 2


@pytest.mark.parametrize("text", ["soon", "4 days, UTIL >= 3", "-4h", "4 %"])
def test_what_is_no_limit_is_refused_in_words(known_desk: Desk, text: str) -> None:
    with pytest.raises(InputError, match="a limit must be such as 4 days, 12h or "):
        known_desk.act({"do": "cap", "name": "mean wait", "text": text})
    assert known_desk.state.wish is None
    assert known_desk.measuring is None or known_desk.measuring.is_ahead


def test_waits_are_measured_before_somebody_asks_for_them(known_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for_measures(known_desk)
    front, w = known_desk.front, known_desk.workload
    assert w is not None
    assert front.measured.names == ()  # what nobody asked for is not shown
    kept = load_columns(known_desk.folder, known_desk.digest, len(front))
    made = list(ps.schedules(front, range(len(front)), w))
    for which in ("mean", "worst"):
        of_all = [max(float(getattr(ps.waits(schedule), which)[0]), LEAST) for schedule in made]
        assert kept[measure_name(which, 0, front.groups)].tolist() == pytest.approx(of_all)
    monkeypatch.setattr("paretosched.app.desk.measured_columns", None)
    known_desk.act({"do": "cap", "name": "mean wait", "text": "30d"})
    wait_for_measures(known_desk)
    assert known_desk.remark == ""
    assert wish_text(known_desk.state.wish, hours=True) == "mean wait <= 720h"


def test_how_far_measuring_is_is_shown_and_the_wish_is_that_of_the_window_that_asked(
    known_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, really = threading.Event(), measured_columns

    def slowly(front: ps.Front, names: Any, workload: Any, progress: Any, known: Any) -> Any:
        def one_by_one(done: int) -> bool:
            assert may_go_on.wait(60)
            return bool(progress(done))

        progress(7)
        return really(front, names, workload, one_by_one, known)

    wait_for_measures(known_desk)  # those measured ahead, which must not wait below
    monkeypatch.setattr("paretosched.app.desk.measured_columns", slowly)
    assert known_desk.act_once({"do": "say", "text": "p90 wait", "window": "w", "turn": 1}) == ""
    while known_desk.measuring is None or known_desk.measuring.done < 7:
        time.sleep(0.01)
    before = known_desk.revision
    known_desk.look_after()
    shown = text_of(buttons_of(known_desk))
    assert f"7 of {len(known_desk.front)} schedules measured" in shown
    assert "minute" in shown
    assert known_desk.revision == before + 1
    known_desk.look_after()
    assert known_desk.revision == before + 1  # nothing has changed
    may_go_on.set()
    wait_for_measures(known_desk)
    assert known_desk.state.wish is not None
    assert known_desk.wish_by == "w"


def test_a_wish_about_what_is_not_known_is_refused_before_it_is_measured(known_desk: Desk) -> None:
    with pytest.raises(InputError, match=r"but not to recorded"):
        known_desk.act({"do": "say", "text": "mean wait, p95 wait <= recorded"})
    assert known_desk.measuring is None or known_desk.measuring.is_ahead


def test_what_nobody_asked_for_is_measured_only_if_it_is_soon_done() -> None:
    began = time.monotonic() - 3  # s, for the first 20 schedules
    long = Measuring("", {}, 4000, is_ahead=True, began=began)
    assert not long.progress(FEW - 1)
    assert long.progress(FEW)
    assert long.is_stopped
    assert not Measuring("", {}, 4000, began=began).progress(FEW)
    further = Measuring("", {}, 4000, known=3900, is_ahead=True, began=began)  # only 100 are new
    assert not further.progress(3900 + FEW)
    assert not Measuring("", {}, 400, is_ahead=True, began=began).progress(FEW)


def test_when_a_run_is_explored_further_only_new_schedules_are_measured(tmp_path: Path) -> None:
    w = ps.lublin(jobs=120, processors=32, seed=3)
    run = tmp_path / "run"
    for evaluations in (40, 160):
        ps.explore(w, run, evaluations=evaluations, population=20, seed=4)
        front = ps.load_front(run)
        if evaluations == 40:
            names = names_to_measure((), w)
            first = measured_columns(front, names, w, lambda _: False)
            assert first is not None
            save_columns(tmp_path, "first", front, first)
            few = front
    rows, known = set(rows_of(few)), load_measured(tmp_path)
    new = [row for row in rows_of(front) if row not in rows]
    assert 0 < len(new) < len(front)  # some are still there
    told: list[int] = []
    columns = measured_columns(front, names, w, lambda done: told.append(done) or False, known)
    assert told == list(range(len(front) - len(new) + 1, len(front) + 1))
    again = measured_columns(front, names, w, lambda _: False)
    assert columns is not None
    assert again is not None
    assert {name: values.tolist() for name, values in columns.items()} == {
        name: values.tolist() for name, values in again.items()
    }
    other = measured_columns(front, [*names, "p99 wait"], w, lambda _: False, known)  # what was not measured
    assert other is not None
    assert other[names[0]].tolist() == again[names[0]].tolist()
    (tmp_path / MEASURES_FILE).write_bytes(b"damaged")
    assert load_measured(tmp_path) == ({}, {})


def test_the_page_measures_only_new_schedules_of_the_front_that_it_shows_next(
    known_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_measures(known_desk)
    front = known_desk.front
    fewer = part(front, np.arange(len(front)) < len(front) - 3)
    made: list[int] = []

    def count_and_make(of: ps.Front, rows: Any, w: ps.Workload) -> Any:
        made.extend(rows)
        return schedules(of, rows, w)

    monkeypatch.setattr("paretosched.app.measuring.schedules", count_and_make)
    known_desk.offer(fewer)
    known_desk.act({"do": "show"})
    wait_for_measures(known_desk)
    assert made == []
    kept = load_columns(known_desk.folder, known_desk.digest, len(fewer))
    assert len(kept) > 3
    known_desk._columns.clear()  # as after a new start
    known_desk.offer(front)
    known_desk.act({"do": "show"})
    wait_for_measures(known_desk)
    assert made == list(range(len(front) - 3, len(front)))


def test_before_the_jobs_are_known_a_limit_on_waits_is_refused(desk: Desk) -> None:
    with pytest.raises(InputError, match="as soon as the jobs are known"):
        desk.act({"do": "say", "text": "mean wait <= 4h"})


def test_measures_are_measured_again_for_a_front_with_other_rows(known_desk: Desk, house: Path) -> None:
    known_desk.act({"do": "say", "text": "mean wait, longest wait <= 400h"})
    wait_for_measures(known_desk)
    wish = known_desk.state.wish
    (known_desk.folder / MEASURES_FILE).write_bytes(b"damaged")
    assert load_columns(known_desk.folder, known_desk.digest, len(known_desk.front)) == {}
    again = Desk(ps.load_front(house / "run"), known_desk.folder)
    assert again.state.wish is None  # until the jobs are known_desk
    again.simulate_known(finder(house / "run", again.front))
    wait_for_measures(again)
    assert again.state.wish == wish


def test_what_is_measured_fits_into_the_limit_of_measures(known_desk: Desk) -> None:
    w = known_desk.workload
    assert w is not None
    names = names_to_measure(["share wait > 24h"], w)
    assert names[0] == "share wait > 24h"
    assert len(names) == 1 + len(MEASURES) * (1 + np.count_nonzero(np.bincount(w.group)))


def test_a_record_is_told_from_what_is_simulated_beside_it(house: Path, tmp_path: Path) -> None:
    desk = recorded_desk(house, tmp_path)
    assert list(table_of(desk, 0)) == ["recorded", "EASY", HERE]
    heads = text_of(table_parts(desk, 0, made=True)).partition("Tbody")[0]
    assert (heads.count(repr(ON_RECORD)), heads.count(repr(SIMULATED_BESIDE))) == (1, 2)
    desk.act({"do": "compare", "name": "FCFS"})
    assert ON_RECORD not in text_of(table_parts(desk, 0, made=True))


def test_limits_relative_to_the_scheduler_before_are_said_to_be_so_and_a_button_changes_them(
    house: Path, tmp_path: Path
) -> None:
    desk = recorded_desk(house, tmp_path)

    def offer() -> dict[str, Any] | None:
        found = re.search(
            r"data-do='(\{[^']*\})'[^>]*other-reference|other-reference.*?data-do='(\{[^']*\})'", remarks()
        )
        return None if found is None else json.loads(found[1] or found[2])

    def remarks() -> str:
        return text_of(contents(desk).pieces["remarks"])

    desk.act({"do": "say", "text": "AWRT1, AWRT2 <= 1.05*recorded, AWRT <= 1.5*EASY"})
    assert offer() is None
    desk.act({"do": "compare", "name": "FCFS"})
    assert "stay relative to recorded, your scheduler when you set them" in remarks()
    action = offer()
    assert action is not None
    desk.act(action)
    assert wish_text(desk.state.wish) == "AWRT1, AWRT <= 1.5*EASY, AWRT2 <= 1.05*FCFS"
    assert offer() is None
    desk.act({"do": "undo"})
    desk.act({"do": "undo"})
    assert offer() is None  # it is compared with the record again
    desk.act({"do": "compare", "name": "EASY"})
    desk.act({"do": "say", "text": "AWRT1, AWRT2 <= 1.05*recorded"})
    assert offer() is None  # it was meant so


def test_other_groups_come_in_the_order_of_their_jobs(known_desk: Desk) -> None:
    w = known_desk.workload
    assert w is not None
    known_desk.groupings = ("wide: width >= 16; others",)
    (whole,) = grouped_parts(known_desk, 0, 0)
    wide = int((w.width >= 16).sum())
    assert 0 < wide < len(w) - wide
    counts = re.findall(r'<th[^>]*colspan="3"[^>]*>([^<]*)<small>(\d+) jobs?</small>', getattr(whole, "data-html"))
    assert counts == [("all jobs", str(len(w))), ("others", str(len(w) - wide)), ("wide", str(wide))]
    users = np.arange(len(w)) % 20
    known_desk._workload, known_desk.groupings = w.with_(user=users), ("user",)
    known_desk._schedules = {}
    (whole,) = grouped_parts(known_desk, 0, 0)  # of many the mean wait alone
    text = getattr(whole, "data-html")
    assert text.count("<tr>") == 1 + 1 + 20
    assert text.count("mean wait") == 1
    assert "half start within" not in text


def test_a_column_of_a_tested_scheduler_says_of_which_jobs_it_is(known_desk: Desk) -> None:
    policy, course = ps.as_policy("fcfs"), np.empty((0, 7))
    for until in (None, 0.7):
        known_desk.known_trainings = [Training(3, None, 5, DONE, 9, 9, course, policy, "", until=until)]
        known_desk._trained_values = {3: known_desk.front.values[0]}
        text = text_of(table_parts(known_desk, 0, True))
        assert ("Trained 3: all jobs, also those of the first 70 % of the time, from which" in text) == bool(until)


def test_the_two_buttons_make_wishes_about_waits(known_desk: Desk) -> None:
    text = text_of(buttons_of(known_desk))
    wishes = [json.loads(each) for each in re.findall(r"data-do='(\{[^']*\})'", text)]
    w = known_desk.workload
    assert w is not None
    assert len(wishes) == np.count_nonzero(np.bincount(w.group))
    known_desk.act(wishes[0])
    wait_for_measures(known_desk)
    assert wish_text(known_desk.state.wish).startswith(
        f"mean wait of {known_desk.front.groups[w.group.min()]}, mean wait of "
    )
    assert all(limit.of == "easy" and limit.high == 1.05 for limit in known_desk.state.wish.limits)
    assert len(known_desk.state.wish.limits) == len(wishes) - 1  # of the others


def test_the_jobs_behind_a_number_are_named(known_desk: Desk) -> None:
    w = known_desk.workload
    assert w is not None
    for which, measure in enumerate(MEASURES):
        parts = text_of(job_parts(known_desk, 2, which, HERE))
        there = next(iter(ps.schedules(known_desk.front, [2], w)))
        for job in jobs_behind(there, 0, measure).tolist():
            assert f"Button(children='{int(w.job[job])}'," in parts
            assert repr(wait_reasons(there, job)[1]) in parts  # it is below the job, and shown when that is pressed
    asked = json.loads(contents(known_desk).scene["questions"]["table"])
    (whole,) = reply(known_desk, asked)
    assert getattr(whole, "data-html") == "".join(map(html_text, table_parts(known_desk, asked["rows"][0], made=False)))
    assert '<table id="waits" class="of-2">' in getattr(whole, "data-html")
    assert job_parts(known_desk, 2, 10_000, HERE) == []
    assert job_parts(known_desk, 2, 0, "nobody") == []


def test_sentences_are_at_most_four_and_of_waits(known_desk: Desk) -> None:
    for row in range(0, len(known_desk.front), 7):
        lines = sentences(known_desk, row)
        assert 1 <= len(lines) <= 4
        assert all("mean wait" in line.sentence for line in lines)
        assert any("AWRT" in line.sentence for line in lines)
        assert sum(line.sentence.startswith("All jobs") for line in lines) == 1


def test_what_jobs_wait_for_is_said_where_a_machine_has_limits(tmp_path: Path) -> None:
    """The page and both reports say of each scheduler what its schedule says."""
    w = limited_users(60, MaxJobsPU=2)
    front = ps.explore(w, evaluations=20, population=10)
    desk = Desk(front, tmp_path)
    desk.simulate_known(lambda: (w, []))
    desk.act({"do": "compare", "name": "FCFS"})
    desk.act({"do": "choose", "row": 0})
    table_of(desk, 0)
    schedules = (*(ps.simulate(w, name) for name in ("fcfs", "easy")), next(iter(ps.schedules(front, [0], w))))
    said = {
        name: None if of.waiting is None else of.waiting.table()
        for name, of in zip(("FCFS", "EASY", HERE), schedules, strict=True)
    }
    assert waiting_of(desk, 0) == said
    lines = reason_lines(said)
    assert "QOSMaxJobsPerUserLimit" in dict(lines)
    cells = [cell for _, line in lines for cell in line]
    of_policies = [cell for _, line in lines for cell in line[:2]]
    texts = {
        html_text(table_parts(desk, 0, made=True)): cells,
        decision(desk): cells,
        report(None, ps.compare(w, "fcfs", today="fcfs")): of_policies,
    }
    for text, wanted in texts.items():
        last = text.partition(f"{REASONS[0]}<small>")[2].partition("</tbody>")[0]
        assert re.findall(r'<td[^>]*>([^<]*)<span class="change">(.*?)</span>', last) == wanted


def test_where_jobs_wait_for_their_turn_only_nothing_is_said_of_reasons(known_desk: Desk) -> None:
    assert set(waiting_of(known_desk, 0).values()) == {None}
    assert REASONS[0] not in html_text(table_parts(known_desk, 0, made=True))
    w = limited_users(60)
    turns = [ps.simulate(w, name).waiting for name in ("easy", "fcfs")]
    assert reason_lines({"recorded": None if turns[0] is None else turns[0].table()}) == []
