"""Two windows, restarts and other fronts in a real browser: nothing is lost, and no row is taken for another one."""

import csv
import io
import json
import re
import socket
import threading
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dash import html

import paretosched as ps
from paretosched.app.answering import again
from paretosched.app.charts import part
from paretosched.app.measuring import measured_columns, names_to_measure
from paretosched.app.other_jobs import DRAWS, FIRST_SEED
from paretosched.app.state import policy_file
from paretosched.comparison.consequences import Sides, either_or, most_important
from paretosched.comparison.questions import questions
from paretosched.comparison.views import other_groupings, view
from paretosched.comparison.waits_table import Line, measure_name, people, reason_lines, wait_lines
from paretosched.comparison.what_if_table import WhatIf, answer_lines, gain_sentences, what_if
from paretosched.core.watching import unknown_starts
from paretosched.deployment.steps import steps
from paretosched.fronts.row_schedules import row_policy
from paretosched.simulation.lower_bounds import bounds
from paretosched.wishes.exchange_rates import exchange_rates, rate_sentences
from paretosched.wishes.wish_grammar import parse
from support.browser import serve_page
from support.browser_page import AWAY, Page, served_here, wait_for_known
from support.limited_users import in_weeks, limited_users

pytestmark = pytest.mark.slow


def half_of(front: ps.Front) -> ps.Front:
    """Return every second schedule of a front; its rows have other numbers than in the front."""
    return part(front, np.arange(len(front)) % 2 == 1)


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def without_losses(page: Page) -> None:
    """Close a page that has seen its server go: what Chromium says about that is no error of the page."""
    page.trouble[:] = [line for line in page.trouble if not line.startswith(AWAY)]
    page.close()


def test_more_schedules_on_disk_are_offered_and_shown_when_asked_for(
    browser_house: Path, chromium: Any, tmp_path: Path, front: ps.Front
) -> None:
    path = tmp_path / "front.parquet"
    ps.save_front(half_of(front), path)
    with served_here(path, browser_house / "w.swf.gz") as url:
        page = Page(chromium, url)
        tab = page.tab
        page.say("AWRT1, AWRT2 <= 500")
        page.after(lambda: tab.click("#pick"))
        picked = 2 * page.row() + 1  # on the whole front
        tab.fill("label:has-text('AWRT3 at most, h') >> input", "77")
        path.unlink()  # a front is written beside and then put in its place
        ps.save_front(front, path)
        more = len(front) - len(half_of(front))
        tab.click(f"text={more:,} more schedules: show")
        tab.wait_for_selector(f"#left[data-left='{np.count_nonzero(front.values[:, 3] <= 500 * 3600)}']")
        assert tab.input_value("label:has-text('AWRT3 at most, h') >> input") == "77"
        assert page.wish() == "AWRT1, AWRT2 <= 500h"
        tab.click("[data-tab='compare']")
        assert tab.locator("#pick-A").count() == 1
        assert tab.inner_text("[data-cell='A AWRT1']").split()[0] == f"{front.values[picked, 2] / 3600:,.2f}"
        assert tab.inner_text("#offer") == ""
        page.close()


def test_after_a_restart_with_a_longer_front_no_click_picks_another_schedule(
    browser_house: Path, chromium: Any, tmp_path: Path, front: ps.Front
) -> None:
    path, port = tmp_path / "front.parquet", free_port()
    ps.save_front(half_of(front), path)
    with serve_page(path, "--trace", browser_house / "w.swf.gz", port=port) as url:
        page = Page(chromium, url)
        before = page.file_behind("a.button >> text=policy.json")
    path.unlink()
    ps.save_front(front, path)
    with serve_page(path, "--trace", browser_house / "w.swf.gz", port=port) as url:
        tab = page.tab
        tab.wait_for_selector("#sign-in >> text=started again")
        page.context.new_page().goto(url)  # the owner opens the new address beside it
        status = "(link) => fetch(link).then((answer) => answer.status)"
        assert tab.evaluate(status, tab.get_attribute("a.button >> text=policy.json", "href")) == 409
        for row in (1, 3, 5):
            tab.evaluate("(row) => window.paretosched.say({ do: 'pick', row })", row)
        tab.wait_for_selector("#message >> text=choose again")
        tab.fill("#text textarea", "AWRT2")  # this is meant, whatever the front is
        tab.press("#text textarea", "Enter")
        tab.click("text=more schedules: show")
        tab.wait_for_selector("#text[data-value='AWRT2']")
        assert tab.locator("#picks .pick").count() == 0
        assert page.count_left() == len(front)
        assert page.row() == front.values[:, 3].argmin()
        assert before != page.file_behind("a.button >> text=policy.json")
        page.after(lambda: tab.click("#pick"))
        assert tab.locator("#pick-A").count() == 1
        without_losses(page)


def test_a_wish_that_was_sent_while_the_server_was_away_is_sent_again_and_unsent_text_is_not(
    browser_house: Path, chromium: Any, tmp_path: Path, front: ps.Front
) -> None:
    path, port = tmp_path / "front.parquet", free_port()
    ps.save_front(front, path)
    with serve_page(path, "--trace", browser_house / "w.swf.gz", port=port) as url:
        page = Page(chromium, url)
    tab = page.tab
    tab.fill("#text textarea", "AWRT3, AWRT1 <= 400")
    tab.press("#text textarea", "Enter")
    tab.fill("label:has-text('AWRT5 at most, h') >> input", "55")
    tab.wait_for_selector("#offer >> text=does not answer")
    with serve_page(path, "--trace", browser_house / "w.swf.gz", port=port) as url:
        tab.wait_for_selector("#sign-in >> text=started again")
        tab.goto(url)  # in this window: nothing is loaded again
        tab.wait_for_selector("#text[data-value='AWRT3, AWRT1 <= 400h']")
        assert tab.inner_text("#offer") == ""
        assert tab.input_value("label:has-text('AWRT5 at most, h') >> input") == "55"
        assert "One field is not sent yet" in tab.inner_text("#unsent")
        copy = json.loads(page.file_behind("text=Save a copy"))
        assert copy["in_words"] == "AWRT3, AWRT1 <= 400h"
        without_losses(page)


def test_an_action_that_the_server_does_not_take_does_not_hold_up_the_others(page: Page) -> None:
    page.tab.evaluate("window.paretosched.say({ do: 'dance' })")
    page.tab.evaluate("window.paretosched.say({ do: 'say', text: 'AWRT4' })")
    page.tab.wait_for_selector("#text[data-value='AWRT4']")
    assert page.wish() == "AWRT4"
    assert len(page.trouble) == 2 * 2  # it was sent twice; Chromium and Dash complain each time
    page.trouble.clear()


def test_an_answer_changes_only_what_is_different_and_nothing_is_sent_by_itself(page: Page, chromium: Any) -> None:
    tab = page.tab
    other = Page(chromium, page.address)
    tab.click("[data-mode='classes']")
    tab.select_option("label:has-text('class of AWRT2') >> select", "improve to")
    tab.fill("label:has-text('level of AWRT2, h') >> input", "12.5")
    tab.focus("#text textarea")
    tab.keyboard.type("10*AWRT1 + 4*AW")
    tab.evaluate("document.querySelector('#text textarea').setSelectionRange(3, 5)")
    revision = page.revision()
    other.say("AWRT4")
    other.after(lambda: other.tab.click("#pick"))
    assert other.revision() != revision
    tab.wait_for_selector(f"html[data-revision='{other.revision()}']", state="attached")
    tab.wait_for_selector("#text[data-value='AWRT4']")
    assert page.wish() == "10*AWRT1 + 4*AW"
    field = "document.activeElement === document.querySelector('#text textarea')"
    assert tab.evaluate(f"[{field}, document.activeElement.selectionStart, document.activeElement.selectionEnd]") == [
        True, 3, 5,
    ]  # fmt: skip
    assert tab.input_value("label:has-text('class of AWRT2') >> select") == "improve to"
    assert tab.input_value("label:has-text('level of AWRT2, h') >> input") == "12.5"
    revision = page.revision()
    tab.click("h1")  # the focus goes, and nothing is sent
    tab.wait_for_timeout(500)
    assert (page.revision(), other.wish(), page.wish()) == (revision, "AWRT4", "10*AWRT1 + 4*AW")
    assert "One field is not sent yet" in tab.inner_text("#unsent")
    tab.click("#unsent >> text=Take back")
    assert (page.wish(), tab.inner_text("#unsent")) == ("AWRT4", "")
    other.close()


def test_a_note_that_is_being_typed_stays_when_the_shortlist_changes(page: Page) -> None:
    tab, pick = page.tab, "(row) => window.paretosched.say({ do: 'pick', row })"
    page.after(lambda: tab.evaluate(pick, 3))
    tab.click("[data-tab='compare']")
    tab.fill("#note-A-input", "old")
    page.after(lambda: tab.press("#note-A-input", "Enter"))
    for row in range(4, 10):  # each answer builds the shortlist again
        text = f"the board likes {row}"
        tab.fill("#note-A-input", text)
        page.after(lambda row=row: tab.evaluate(pick, row))
        tab.wait_for_selector(f"#note-{'ABCDEFG'[row - 3]}-input")
        assert tab.input_value("#note-A-input") == text
        assert tab.evaluate("document.activeElement.id") == "note-A-input"
    assert "One field is not sent yet" in tab.inner_text("#unsent")


def test_one_of_two_is_kept_and_the_steps_of_several_people_are_gone_back_to(
    page: Page, chromium: Any, front: ps.Front, browser_house: Path
) -> None:
    tab, pick = page.tab, "(row) => window.paretosched.say({ do: 'pick', row })"
    tab.click("[data-tab='compare']")
    tab.fill("#who", "Eva")
    for row in (3, 4):
        page.after(lambda row=row: tab.evaluate(pick, row))
    tab.wait_for_selector("[data-told='either-or'] p")
    workload = ps.read_swf(browser_house / "w.swf.gz")
    one, other = map(ps.waits, ps.schedules(front, [3, 4], workload))
    sentences = either_or(("A", one), ("B", other), people(front.groups))
    assert tab.locator("[data-told='either-or'] p").all_inner_texts() == sentences
    page.after(lambda: tab.click("text=Keep B"))
    assert tab.locator("#pick-A").count() == 0
    other_window = Page(chromium, page.address, chromium.new_context())  # of a colleague, who gives another name
    other_window.tab.click("[data-tab='compare']")
    assert other_window.tab.input_value("#who") == ""
    other_window.tab.fill("#who", "Jan")

    def say_why() -> None:
        tab.fill("#why-3-input", "the board asks")
        tab.press("#why-3-input", "Enter")

    page.after(say_why)
    other_window.say("AWRT5")
    tab.wait_for_selector(".history >> text=The wish: AWRT5")
    steps = tab.locator(".history li").evaluate_all("(items) => items.map((item) => item.innerText.split('\\n'))")
    assert [words[0] for words in steps] == [
        "The wish: AWRT5", "A off the shortlist", f"B on the shortlist: evaluation {front.evaluation[4]}",
        f"A on the shortlist: evaluation {front.evaluation[3]}", "The page was opened",
    ]  # fmt: skip
    assert [words[1].partition(",")[0] for words in steps[:-1]] == ["Jan", "Eva", "Eva", "Eva"]
    page.after(lambda: tab.click(".history >> text=A on the shortlist"))
    assert tab.locator("#picks .pick").count() == 1
    assert tab.locator(".history li").count() == 5  # the others are there still
    assert tab.input_value("#why-3-input") == "the board asks"
    other_window.close()


def test_two_windows_do_not_overwrite_each_others_wish_unseen(page: Page, chromium: Any) -> None:
    other = Page(chromium, page.address)
    tab = other.tab
    deaf = "const f = fetch; window.fetch = (u, o) => u === 'pulse' ? Promise.reject(TypeError()) : f(u, o)"
    tab.evaluate(f"() => {{ {deaf} }}")  # this window does not hear of the other one
    page.say("AWRT1, AWRT2 <= 300")
    tab.fill("#text textarea", "AWRT5")
    tab.press("#text textarea", "Enter")
    tab.wait_for_selector("#message >> text=another window has changed the wish, to AWRT1, AWRT2 <= 300h")
    assert other.wish() == "AWRT5"
    assert page.wish() == "AWRT1, AWRT2 <= 300h"
    tab.press("#text textarea", "Enter")  # now it is meant
    tab.wait_for_selector("#text[data-value='AWRT5']")
    page.tab.wait_for_selector("#text[data-value='AWRT5']")
    for window, row in ((page, 3), (other, 4)):  # both see the picks of both
        window.after(lambda window=window, row=row: window.tab.evaluate(
            "(row) => window.paretosched.say({ do: 'pick', row })", row))  # fmt: skip
    for window in (page, other):
        window.tab.wait_for_selector("#pick-A", state="attached")
        window.tab.wait_for_selector("#pick-B", state="attached")
    other.close()


def test_what_was_begun_before_another_wish_does_not_replace_it_unseen(page: Page, chromium: Any) -> None:
    other = Page(chromium, page.address)
    tab = other.tab
    tab.fill("#text textarea", "AWRT5")
    page.say("AWRT1, AWRT2 <= 300")
    tab.wait_for_selector("#text[data-value='AWRT1, AWRT2 <= 300h']", state="attached")  # it has heard of it long since
    tab.wait_for_selector("#message >> text=Another window has changed the wish, from none to AWRT1, AWRT2 <= 300h.")
    tab.press("#text textarea", "Enter")
    tab.wait_for_selector("#message >> text=not sent: meanwhile another window has changed the wish, to AWRT1")
    assert page.wish() == "AWRT1, AWRT2 <= 300h"
    tab.press("#text textarea", "Enter")  # now it is meant
    tab.wait_for_selector("#text[data-value='AWRT5']")
    other.close()


def test_a_drag_from_a_handle_at_the_best_end_keeps_the_best(page: Page, front: ps.Front) -> None:
    tab = page.tab
    for name, kept in (("AWRT1", "<="), ("UTIL", ">=")):
        page.after(lambda: tab.click("#clear")) if page.wish() else None
        reach = page.box(f"#parallel [data-axis='{name}'].reach")
        handle = tab.locator(f"[data-handle='{name} {0 if name == 'AWRT1' else 1}']").bounding_box()
        x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2

        def drag(x: float = x, y: float = y, height: float = reach["height"]) -> None:
            tab.mouse.move(x, y)
            tab.mouse.down()
            tab.mouse.move(x, y + 0.2 * height)
            tab.mouse.move(x, y + 0.4 * height)
            tab.mouse.up()

        page.after(drag)
        assert page.wish().startswith(f"{name} {kept} ")
        assert 0 < page.count_left() < len(front)


def test_the_page_reads_and_writes_hours(page: Page, front: ps.Front) -> None:
    page.say("AWRT1 <= 15")
    assert page.wish() == "AWRT1 <= 15h"
    assert page.count_left() == np.count_nonzero(front.values[:, 2] <= 15 * 3600)
    page.say("near AWRT2 = 12.5, UTIL = 60, AWRT3 in 10..400")
    assert page.wish() == "near AWRT2 = 12.5h, UTIL = 60, AWRT3 in 10h..400h"
    page.tab.fill("#text textarea", "AWRT1 <= 54000")
    page.tab.press("#text textarea", "Enter")
    page.tab.wait_for_selector("#message >> text=did you mean 54000s?")


def test_an_address_keeps_tab_view_and_wish_and_the_back_button_goes_back(page: Page, chromium: Any) -> None:
    tab = page.tab
    page.say("AWRT1, AWRT2 <= 300")
    tab.click("[data-view='pairs']")
    tab.click("[data-tab='compare']")
    address = tab.url
    tab.go_back()
    assert tab.get_attribute("#page", "data-tab") == "wish"
    assert tab.get_attribute("#page", "data-view") == "pairs"
    tab.go_back()
    assert tab.get_attribute("#page", "data-view") == "overview"
    tab.go_forward()
    tab.go_forward()
    page.after(lambda: tab.evaluate("window.paretosched.say({ do: 'say', text: '' })"))
    again = page.context.new_page()
    again.goto(address)
    again.wait_for_selector("html[data-drawn]", state="attached")
    assert again.get_attribute("#page", "data-tab") == "compare"
    assert again.get_attribute("#page", "data-view") == "pairs"
    assert again.input_value("#text textarea") == "AWRT1, AWRT2 <= 300h"  # offered, and not sent
    assert page.wish() == ""


def beside(*both: ps.Schedule) -> dict[str, Sides]:
    """Return how two schedules differ in the other groups that the page shows."""
    seen = [view(how, both) for how in other_groupings(both[0].workload)]
    return {each.by: each.sides(0, 1) for each in seen}


def test_cards_say_what_would_change_for_whom(page: Page, front: ps.Front, browser_house: Path) -> None:
    tab, workload = page.tab, ps.read_swf(browser_house / "w.swf.gz")
    assert tab.locator("#mine option").all_inner_texts() == ["EASY", "FCFS", "CONS"]
    for rule, name in (("easy", "EASY"), ("fcfs", "FCFS")):
        if name != "EASY":
            page.after(lambda name=name: tab.select_option("#mine", name))
        tab.wait_for_selector(f"#card >> text=From {name} to this schedule")
        today = ps.simulate(workload, rule)
        there = next(iter(ps.schedules(front, [page.row()], workload)))
        awrt = [float(x) for x in np.array(ps.objectives(today))[1:]], front.values[page.row(), 1:].tolist()
        lines = most_important(
            ps.waits(today), ps.waits(there), people(front.groups), awrt, beside=beside(today, there)
        )
        assert tab.locator("#card .changes li").all_inner_texts() == [line.sentence for line in lines]
        assert tab.locator("#card li, #card .tenths").count() <= 4
        tab.wait_for_selector(f"#waits thead >> text={name}")
        wanted = [name, *(["EASY"] if name != "EASY" else []), "this schedule"]
        made = [today, *([ps.simulate(workload, "easy")] if name != "EASY" else []), there]
        rows = wait_lines(dict(zip(wanted, map(ps.waits, made), strict=True)))
        tab.wait_for_selector("#waits td.here:not(.unknown)")
        for shown, line in zip(tab.locator("#waits tr:has(.value)").all(), rows, strict=True):
            cells = [cell for cell in line.cells.values() if cell is not None]
            assert shown.locator(".value").all_inner_texts() == [cell.text for cell in cells]
            assert shown.locator(".change").all_inner_texts() == [cell.change for cell in cells]
    page.after(lambda: tab.click("#pick"))
    tab.click("[data-tab='compare']")
    tab.wait_for_selector("#picks")
    tab.wait_for_selector(".panel.compare .consequences li")
    assert tab.locator(".panel.compare .changes li").all_inner_texts() == [line.sentence for line in lines]


def test_when_nothing_remains_the_least_relaxation_is_a_click(page: Page, front: ps.Front) -> None:
    best = front.values[:, 2].min() / 3600
    page.say(f"AWRT1 <= {0.9 * best:.4g}")
    assert page.count_left() == 0
    offer = page.tab.inner_text("p:has(#relax)")
    assert offer.startswith("Nothing remains. The least that must give: AWRT1 at most ")
    page.after(lambda: page.tab.click("#relax"))
    left = np.count_nonzero(front.values[:, 2] <= parse(page.wish(), front.objectives).limits[0].high)
    assert page.count_left() == left > 0
    assert f"then {left:,} schedule" in offer
    assert page.tab.locator("#relax").count() == 0


def test_the_scheduler_is_explained_with_the_words_of_the_command_and_the_steps_to_run_it(
    page: Page, front: ps.Front, browser_house: Path
) -> None:
    workload = ps.read_swf(browser_house / "w.swf.gz")
    policy = row_policy(front, page.row())
    assert policy is not None
    page.tab.click("#explain-row summary")
    page.tab.wait_for_selector("#explain-row .explained")
    assert page.tab.inner_text("#explain-row .explained").split() == ps.explain(policy).text().split()
    commands = page.tab.locator("#explain-row code").all_inner_texts()
    assert commands == [step.command for step in steps(policy, policy_file(front, page.row()), "--groups groups.csv")]
    rows = list(csv.DictReader(io.StringIO(page.file_behind("#explain-row a[href='groups.csv']").lstrip("\ufeff"))))
    assert {int(row["user"]): row["group"] for row in rows} == dict(
        zip(workload.user.tolist(), (workload.groups[g] for g in workload.group.tolist()), strict=True)
    )
    rates = exchange_rates(front, page.row(), np.ones(len(front), dtype=bool))
    here = rate_sentences(rates, front.objectives, front.values[page.row()], bounds(workload).together)
    page.tab.click("#what-cost")
    page.tab.wait_for_selector("#answer .prices li", state="attached")
    told = page.tab.locator("#answer .prices li").all_text_contents()  # folded where no price is clear
    assert told == here


def answer_on(page: Page, key: str) -> list[list[str]]:
    """Open a question, and return its table of waits: of each line the values and the changes."""
    tab = page.tab
    tab.click(f"#{key} > summary")
    tab.wait_for_selector(f"#{key} > .consequences .told-waits")
    rows = tab.locator(f"#{key} > .consequences .told-waits tbody tr:not(.narrow)")
    text = "(cell) => [...cell.childNodes].map((node) => node.textContent).join(' ').trim()"
    words = f"(row) => [...row.querySelectorAll('td')].map({text})"
    lines: list[list[str]] = rows.evaluate_all(f"(rows) => rows.map({words})")
    return lines


def answer_of(told: WhatIf) -> list[list[str]]:
    """Return what the library says to one question under two policies."""
    return texts_of(answer_lines(["now", "then", "other"], told.cases[2:]))


def texts_of(lines: Sequence[Line]) -> list[list[str]]:
    """Return lines of the table of waits as the page shows them."""
    return [[f"{cell.text} {cell.change}".strip() for cell in line.cells.values() if cell] for line in lines]


def test_questions_are_answered_with_the_table_of_waits(chromium: Any, tmp_path: Path) -> None:
    """More load, more nodes, a group twice, a longest time, users who react: the page says what the library says."""
    w = in_weeks(limited_users(120, MaxJobsPU=2), 4)
    front = ps.explore(w, evaluations=20, population=10)
    ps.save_front(front, tmp_path / "front.parquet")
    asked = questions(w)
    load, nodes, group, limit = (
        next(k for k, q in enumerate(asked) if is_meant(q))
        for is_meant in (lambda q: q.load == 1.1, lambda q: q.node == "n4", lambda q: q.group, lambda q: q.longest)
    )
    with served_here(tmp_path / "front.parquet", w) as url:
        page = Page(chromium, url)
        wait_for_known(page)
        page.tab.click("[data-tab='compare']")
        policy = row_policy(front, page.row())
        assert policy is not None
        for key, number in (
            ("what-if", load),
            ("what-if", nodes),
            ("what-if", group),
            ("what-if", limit),
            ("reacting", limit),
        ):
            users = "react" if key == "reacting" else "recorded"
            told = what_if(w, [("", asked[number])], [ps.as_policy("easy"), policy], DRAWS, FIRST_SEED, users=users)
            assert len(told.seeds) == DRAWS
            assert answer_on(page, f"{key}-{number}") == answer_of(told)
            sentence = gain_sentences(told)[1].partition("): ")[2]
            assert sentence
            assert sentence in page.tab.inner_text(f"#{key}-{number} > .consequences")
        reasons = ps.simulate(w, "easy").waiting
        assert reasons is not None
        for name, cells in reason_lines({"EASY": reasons.table()}):
            cell = page.tab.locator(f"#reasons tr:has(th:text-is('{name}')) td").nth(1)
            assert re.sub(r"\s+", " ", cell.inner_text()).replace(cells[0][1], "").strip() == cells[0][0]
            assert cell.locator("span").inner_text() == cells[0][1]
        page.close()


def test_a_limit_is_typed_into_the_table_and_a_number_shows_its_jobs(page: Page, front: ps.Front) -> None:
    tab = page.tab
    tab.wait_for_selector("#waits td.here:not(.unknown)")
    tab.locator("#waits .value[tabindex='0']").focus()  # one stop of Tab; arrows go on
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        tab.keyboard.press(key)
    assert tab.evaluate("document.activeElement.dataset.jobs") == "3 this schedule"
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#behind tbody tr")
    assert tab.locator("#behind tbody tr.job").count() == 10
    assert "the longest wait first" in tab.inner_text("#behind h3")
    longest = tab.inner_text("#waits td.here [data-jobs='3 this schedule']")
    assert tab.locator("#behind tbody tr >> nth=0").locator("td >> nth=6").inner_text() == longest
    tab.click("#no-jobs")
    assert not tab.locator("#behind").is_visible()
    tab.fill("#cap-3-input", "3000 hours")  # all schedules keep it
    tab.press("#cap-3-input", "Enter")
    tab.wait_for_selector("#text[data-value='longest wait <= 3000h']", state="attached")
    tab.wait_for_selector("#cap-3[data-value='125d']", state="attached")
    assert page.count_left() == len(front)
    tab.wait_for_selector("#parallel [data-axis='longest wait']", state="attached")
    tab.fill("#cap-3-input", "soon")
    tab.press("#cap-3-input", "Enter")
    tab.wait_for_selector("#message >> text=a limit must be such as 4 days")
    tab.fill("#cap-3-input", "")
    page.after(lambda: tab.press("#cap-3-input", "Enter"))
    assert page.wish() == ""


# Whether the column of the schedule that is looked at has some texts.
SHOWS = """(wanted) => JSON.stringify(wanted) === JSON.stringify(
  [...document.querySelectorAll("#waits td.here .value")].map((button) => button.innerText))"""


def test_nothing_jumps_when_a_wish_is_sent(page: Page) -> None:
    tab = page.tab
    tab.wait_for_selector("[data-told='card'] li")
    tab.wait_for_selector("#waits:not(:has(.unknown))")
    tab.evaluate("scrollTo(0, 60)")
    look = """() => {
      const card = document.querySelector("[data-told='card']"), high = card.offsetHeight;
      window.emptied = [];
      const note = () => {
        if (!card.childElementCount) emptied.push(card.offsetHeight / high);
        requestAnimationFrame(note);
      };
      note();
    }"""
    tab.evaluate(look)
    top = "document.querySelector('#cap-1').getBoundingClientRect().top"
    before = tab.evaluate(top)
    tab.fill("#cap-1 textarea", "1s")
    page.after(lambda: tab.press("#cap-1 textarea", "Enter"))
    tab.wait_for_selector("#remarks button")  # nothing remains, and what is said of it stands above the table
    tab.wait_for_selector("[data-told='card'] li")
    assert tab.evaluate(top) == pytest.approx(before, abs=1.5)
    page.say("AWRT1")
    tab.wait_for_function("emptied.length > 0")
    tab.wait_for_selector("[data-told='card'] li")
    assert tab.evaluate("emptied.every((share) => share > 0.99)")
    tab.wait_for_function("document.querySelector(\"[data-told='card']\").style.minHeight === ''")


def test_an_owner_asks_by_waits_and_tells_a_colleague(page: Page, front: ps.Front, browser_house: Path) -> None:
    """Each answer is what the library says of all schedules: how many remain, the one shown, and its waits."""
    tab, workload = page.tab, ps.read_swf(browser_house / "w.swf.gz")
    easy, groups = ps.simulate(workload, "easy"), range(1, 1 + len(front.groups))
    names = names_to_measure([], workload)
    columns = measured_columns(front, names, workload, lambda _: False)
    assert columns is not None
    longest, mean = ([columns[measure_name(m, g, front.groups)] for g in groups] for m in ("worst", "mean"))
    hours = [
        round(float(np.quantile(longest[0], 0.3)) / 3600 + 0.1, 1),
        *(round(float(ps.waits(easy).worst[g]) / 3600 + 24, 1) for g in groups[1:]),
    ]
    found = np.all([of <= 3600 * most for of, most in zip(longest, hours, strict=True)], axis=0)
    bearable = np.all([mean[g] <= 1.05 * ps.waits(easy).mean[g + 1] for g in range(1, len(groups))], axis=0)
    slowdown = columns["mean slowdown"]
    within = slowdown <= np.round(np.median(slowdown), 2)

    def click_better() -> None:
        tab.click("#better summary")
        tab.locator("#better button >> nth=0").click()

    def say(text: str) -> Callable[[], None]:
        def act() -> None:
            tab.fill("#text textarea", text)
            tab.press("#text textarea", "Enter")

        return act

    limits = (f"{measure_name('worst', g, front.groups)} <= {most}h" for g, most in zip(groups, hours, strict=True))
    tasks = {
        "a group waits at most that long, nobody a day longer than today": (say(", ".join(limits)), found, None),
        "better for a group, nobody worse than 5 %": (click_better, bearable, mean[0]),
        "another measure": (say(f"mean slowdown <= {np.median(slowdown):.2f}"), within, None),
    }
    for task, (act, mask, aim) in tasks.items():
        before = page.wish()
        act()
        tab.wait_for_function("(old) => document.querySelector('#text').dataset.value !== old", arg=before)
        tab.wait_for_selector(f"#left[data-left='{np.count_nonzero(mask)}']", state="attached")
        row = page.row()
        if mask.any():
            assert mask[row], task
            assert aim is None or aim[row] == aim[mask].min(), task
        there = next(iter(ps.schedules(front, [row], workload)))
        lines = wait_lines({"EASY": ps.waits(easy), "this": ps.waits(there)})
        wanted = [line.cells["this"].text for line in lines if line.cells["this"] is not None]
        tab.wait_for_function(SHOWS, arg=wanted)
    tab.click("[data-tab='compare']")
    text = page.file_behind("a[href*='decision.html']")
    awrt = [float(x) for x in np.array(ps.objectives(easy))[1:]], front.values[row, 1:].tolist()
    costs = most_important(ps.waits(easy), ps.waits(there), people(front.groups), awrt, beside=beside(easy, there))
    assert costs
    for line in costs:
        assert f"<li>{escape(line.sentence)}</li>" in text
    assert "The wish: mean slowdown &lt;= " in text


def test_an_answer_that_takes_long_shows_how_far_it_is_and_can_be_stopped(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    asked: list[bool] = []

    def slow(*words: Any) -> list[Any]:
        asked.append(words[-1])
        unknown_starts(4)[:2] = 0
        may_end.wait(60)
        return [html.P(f"worked out {len(asked)}"), html.P(again("Ask it of all weeks", is_whole=True))]

    monkeypatch.setattr("paretosched.app.cards._answer", slow)
    tab, key = page.tab, "#what-if-0 > .consequences"
    wait_for_known(page)
    tab.click("[data-tab='compare']")
    tab.click("#what-if-0 > summary")
    tab.wait_for_selector(f"{key} .progress:has-text('s left')")
    tab.click(f"{key} button:text-is('Stop')")
    tab.wait_for_selector(f"{key}:has-text('Stopped.')")
    tab.wait_for_timeout(600)  # it is not asked for again by itself
    assert "Stopped." in tab.inner_text(key)
    may_end.set()
    tab.click(f"{key} button:text-is('Work it out')")
    tab.wait_for_selector(f"{key}:has-text('worked out 2')")
    tab.click(f"{key} button:text-is('Ask it of all weeks')")
    tab.wait_for_selector(f"{key}:has-text('worked out 3')")
    assert asked == [False, False, True]
