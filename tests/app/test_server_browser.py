"""The page in a real browser: what an owner does from the first look to the scheduler; it agrees with the commands."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.consequences import consequences, two_measures, users_of
from paretosched.simulation.objective import improvement
from paretosched.simulation.service import waits
from paretosched.wishes.navigation import remaining
from paretosched.wishes.nearness import nearest
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.time_split import split
from support.browser import serve_page
from support.browser_page import Page, wait_for_known
from support.commands import succeed

pytestmark = pytest.mark.slow


def test_an_owner_goes_from_the_first_look_to_the_scheduler(browser_house: Path, chromium: Any, tmp_path: Path) -> None:
    front = ps.load_front(browser_house / "run")
    with serve_page(browser_house / "run", cwd=browser_house) as url:
        page = Page(chromium, url)
        tab = page.tab

        # sees: the front, the known schedules that the run's own command leads to, agreeing with `compare`
        wait_for_known(page)
        assert page.count_left() == len(front)
        policies = ("--policy", "fcfs", "--policy", "conservative")
        rows = succeed(
            "compare", browser_house / "w.swf.gz", "--front", browser_house / "run", *policies, "--json"
        ).json
        marks = {row["policy"]: row for row in rows}
        chips = tab.locator("#legend .chip").all_inner_texts()
        assert chips[1:] == ["EASY", "FCFS", "CONS", "ideal point"]

        # brushes: the upper half of an axis
        box = page.box("#parallel [data-axis='AWRT1'].reach")
        x, top, height = box["x"] + box["width"] / 2, box["y"] + 8, box["height"] - 16

        def drag() -> None:
            tab.mouse.move(x, top + 0.02 * height)
            tab.mouse.down()
            tab.mouse.move(x, top + 0.3 * height)
            tab.mouse.move(x, top + 0.5 * height)
            tab.mouse.up()

        page.after(drag)
        wish = parse(page.wish(), front.objectives)
        assert [limit.objective for limit in wish.limits] == ["AWRT1"]
        assert page.count_left() == np.count_nonzero(remaining(wish, front)) < len(front)
        reach = dict(
            zip([o.name for o in front.objectives], front.values[remaining(wish, front)].min(axis=0), strict=True)
        )
        assert tab.inner_text("[data-reach='AWRT3']") == f"{reach['AWRT3'] / 3600:,.2f}"

        # aspires: a reference point, on top of the region; the schedule looked at is the nearest
        before = page.row()
        target = np.quantile(front.values[:, 3], 0.1) / 3600
        tab.click("[data-mode='point']")

        def aspire() -> None:
            tab.fill(
                "label:has-text('AWRT2 to come near to, h') >> input",
                f"{target:.3f}",
            )
            tab.keyboard.press("Enter")

        page.after(aspire)
        wish = parse(page.wish(), front.objectives)
        assert dict(wish.near).keys() == {"AWRT2"}
        assert page.row() == nearest(wish, front)[0] != before

        # the shortlist changes, a note, and undo
        page.after(lambda: tab.click("#pick"))
        tab.click("[data-tab='compare']")
        assert tab.locator("#picks .pick").count() == 1
        cell = tab.inner_text("[data-cell='A AWRT2']").split()[0]
        assert cell == f"{front.values[page.row(), 3] / 3600:,.2f}"
        assert tab.inner_text("[data-cell='EASY AWRT2']") == f"{marks['EASY']['AWRT2'] / 3600:,.2f}"

        def note() -> None:
            tab.fill("#picks textarea", "the board likes it")
            tab.keyboard.press("Enter")

        page.after(note)
        page.after(lambda: tab.click("#picks >> text=remove"))
        assert tab.locator("#picks .pick").count() == 0
        page.after(lambda: tab.click("#undo"))
        assert tab.input_value("#picks textarea") == "the board likes it"

        # reloads: everything is there again
        words, row = page.wish(), page.row()
        page.close()
        page = Page(chromium, url)
        tab = page.tab
        assert (page.wish(), page.row()) == (words, row)
        copy = json.loads(page.file_behind("text=Save a copy"))
        assert copy["in_words"] == words
        assert [entry["note"] for entry in copy["shortlist"]] == ["the board likes it"]

    # the same command opens it again; trains to the end
    with serve_page(browser_house / "run", cwd=browser_house) as url:
        page = Page(chromium, url)
        tab = page.tab
        assert page.wish() == words
        wait_for_known(page)
        page.say("10*AWRT1 + 4*AWRT2")
        tab.click("[data-tab='train']")
        page.after(lambda: tab.click("[data-effort='5']"))
        tab.click("[data-training='1'][data-status='done'] #whole-1 summary", timeout=180_000)
        tab.wait_for_selector("#whole-1 .way")
        assert re.fullmatch(
            r"Goal: (worse than EASY|\d+ % of the way from EASY to the front(, better than any schedule on it)?)\.",
            tab.inner_text("[data-training='1'] .way"),
        )
        policy = tmp_path / "policy.json"
        policy.write_text(page.file_behind("[data-policy='1']"))
        simulation = succeed("simulate", browser_house / "w.swf.gz", "--policy", policy, "--json").json
        for o in front.objectives:
            cell = tab.locator(f"[data-trained='1 {o.name}']")
            assert float(cell.get_attribute("data-value")) == simulation[o.name]
            assert cell.inner_text().split()[-1] == f"{simulation[o.name] / (3600 if o.unit == 's' else 1):,.2f}"
        assert "trained 1" in tab.locator("#legend .chip").all_inner_texts()
        page.close()


def test_a_rectangle_in_a_projection_limits_both_objectives_until_a_double_click(page: Page, front: ps.Front) -> None:
    tab = page.tab
    box = page.box(".cloud:has(#free)")

    def drag() -> None:
        tab.mouse.move(box["x"] + 75, box["y"] + box["height"] * 0.4)
        tab.mouse.down()
        tab.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.6)
        tab.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] - 55)
        tab.mouse.up()

    page.after(drag)
    wish = parse(page.wish(), front.objectives)
    assert {limit.objective for limit in wish.limits} == {"AWRT1", "AWRT2"}
    assert page.count_left() == np.count_nonzero(remaining(wish, front)) < len(front)
    tab.mouse.dblclick(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    tab.wait_for_selector(f"#left[data-left='{len(front)}']")  # its two clicks may choose a schedule before


def test_keys_do_what_the_pointer_does(page: Page, front: ps.Front) -> None:
    tab = page.tab
    tab.focus("[data-handle='AWRT3 1']")

    def hold(key: str) -> None:
        for _ in range(30):  # the repeats of one key that is held down
            tab.keyboard.down(key)
        tab.keyboard.up(key)

    page.after(lambda: hold("ArrowUp"))
    assert [limit.objective for limit in parse(page.wish(), front.objectives).limits] == ["AWRT3"]
    assert 0 < page.count_left() < len(front)
    page.after(lambda: tab.keyboard.press("Control+z"))
    assert page.wish() == ""
    tab.focus(".cloud:has(#free)")
    before = page.row()
    page.after(lambda: tab.keyboard.press("ArrowRight"))
    assert page.row() != before
    assert front.values[page.row(), 2] >= front.values[before, 2]


def test_what_keys_do_is_one_step_and_undone_in_order_even_before_it_was_said(page: Page, front: ps.Front) -> None:
    tab = page.tab
    page.say("AWRT1")
    tab.focus("[data-handle='AWRT3 1']")
    page.after(lambda: (tab.keyboard.press("PageUp"), tab.keyboard.press("Control+z")))
    assert page.wish() == "AWRT1"
    assert page.count_left() == len(front)
    assert tab.is_enabled("#redo")
    page.after(lambda: tab.click("#redo"))
    assert [limit.objective for limit in parse(page.wish(), front.objectives).limits] == ["AWRT3"]


def test_actions_are_done_in_their_order_and_the_last_answer_is_shown(page: Page, front: ps.Front) -> None:
    """Send ten actions at once: without the queue, a server with several threads would do them in any order."""
    tab = page.tab
    page.after(lambda: tab.evaluate("for (const row of [3, 1, 4]) window.paretosched.say({ do: 'pick', row })"))
    tab.click("[data-tab='compare']")
    labels = tab.locator("#picks label").all_inner_texts()
    assert labels == ["why A", "why B", "why C"]
    copy = json.loads(page.file_behind("text=Save a copy"))
    assert [entry["row"] for entry in copy["shortlist"]] == [3, 1, 4]
    undo = "for (let k = 0; k < 7; k++) window.paretosched.say({ do: k % 2 ? 'redo' : 'undo' })"
    page.after(lambda: tab.evaluate(undo))
    assert tab.locator("#picks textarea").count() == 2


def test_what_is_refused_is_said_where_it_is_seen_and_nothing_has_changed(
    page: Page, front: ps.Front, tmp_path: Path
) -> None:
    tab = page.tab

    # a wish with an error stays in its field, so that the owner can correct it
    tab.fill("#text textarea", "10*AWRT9")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#message:not(:empty)")
    assert "AWRT9" in tab.inner_text("#message")
    assert page.wish() == "10*AWRT9"

    # a text that is no number is not sent
    tab.click("[data-mode='point']")
    tab.fill("label:has-text('AWRT2 to come near to, h') >> input", "1e999")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#message >> text=is not a number")

    # on every tab there is a message about a file that cannot be opened
    tab.click("[data-tab='compare']")
    assert tab.inner_text("#message") == ""
    for name, content in (("deep.json", "[" * 50_000), ("huge.json", "1" * 600_000), ("other.json", "{}")):
        (tmp_path / name).write_text(content)
        with tab.expect_file_chooser() as chooser:
            tab.click("#open")
        chooser.value.set_files(tmp_path / name)
        words = {"deep.json": "nested too deeply", "huge.json": "larger than any page", "other.json": "format"}
        tab.wait_for_selector(f"#message >> text={words[name]}")
        assert tab.locator("#message").is_visible()
    assert page.count_left() == len(front)


def test_what_is_done_in_one_window_is_seen_in_another(page: Page, chromium: Any) -> None:
    other = Page(chromium, page.address)
    page.say("AWRT1, AWRT2 <= 14.37h")
    other.tab.wait_for_selector("#text[data-value='AWRT1, AWRT2 <= 14.37h']", state="attached")
    assert other.wish() == page.wish()
    other.close()


def test_weights_classes_knees_and_compromise(page: Page, front: ps.Front) -> None:
    tab = page.tab
    tab.click("[data-mode='weights']")

    def weigh() -> None:
        tab.fill("label:has-text('weight of AWRT1') >> input", "10")
        tab.keyboard.press("Enter")

    page.after(weigh)
    assert page.wish() == "10*AWRT1"
    assert page.row() == nearest(parse("AWRT1", front.objectives), front)[0]
    page.after(lambda: tab.click("text=Compromise"))
    row = page.row()
    tab.click("[data-mode='classes']")
    tab.select_option("label:has-text('class of AWRT2') >> select", "improve")
    tab.select_option("label:has-text('class of UTIL') >> select", "keep")
    page.after(lambda: tab.click("#classify"))
    assert page.wish().startswith("near AWRT2 = ")
    assert front.values[page.row(), 3] <= front.values[row, 3]
    assert front.values[page.row(), 0] >= front.values[row, 0] * (1 - 1e-5)
    assert tab.input_value("label:has-text('class of AWRT2') >> select") == "improve"
    page.after(lambda: tab.click("text=Knee points"))
    assert "knee" in tab.inner_text(".card.chosen")


def test_every_figure_and_table_is_saved_as_a_file(page: Page) -> None:
    tab = page.tab
    page.after(lambda: tab.click("#pick"))
    for key in ("parallel", "free", "util", "differences", "pairs"):
        if key == "pairs":
            tab.click("[data-view='pairs']")
        if key == "differences":
            tab.click("[data-tab='compare']")
            tab.wait_for_selector("#differences .main-svg")
        for kind in ("png", "svg"):
            with tab.expect_download() as download:
                tab.click(f"[data-export='{key} {kind}']")
            content = Path(download.value.path()).read_bytes()
            assert download.value.suggested_filename == f"{key}.{kind}"
            assert content.startswith(b"\x89PNG" if kind == "png" else b"<svg"), (key, content[:50])
            assert len(content) > 3000
            if (key, kind) == ("parallel", "svg"):  # names the marks, and its numbers can be read
                assert b">EASY<" in content
                assert b"paint-order: stroke" in content
    assert page.file_behind(".panel.compare a[href='shortlist.csv']").startswith("schedule,UTIL,AWRT,")

    # a pair that is clicked is shown large
    page.after(lambda: tab.locator("[data-pair='AWRT2 AWRT4']").click())
    assert (tab.input_value("#across"), tab.input_value("#up")) == ("AWRT2", "AWRT4")


def test_a_page_that_was_saved_is_opened(page: Page, front: ps.Front, tmp_path: Path) -> None:
    tab = page.tab
    page.say("AWRT1, AWRT2 <= 14.37h")
    page.after(lambda: tab.click("#pick"))
    copy = json.loads(page.file_behind("text=Save a copy"))
    copy["shortlist"] = []
    copy["wish"] = None
    (tmp_path / "shared.json").write_text(json.dumps(copy))

    def pick_file() -> None:
        with tab.expect_file_chooser() as chooser:
            tab.click("#open")
        chooser.value.set_files(tmp_path / "shared.json")

    page.after(pick_file)
    assert page.wish() == ""
    assert page.count_left() == len(front)


def test_a_page_that_is_open_to_others_asks_for_its_token(browser_house: Path, chromium: Any, tmp_path: Path) -> None:
    succeed("front", browser_house / "run", "-o", tmp_path / "front.parquet")
    with serve_page(tmp_path / "front.parquet", "--trace", browser_house / "w.swf.gz", "--host", "0.0.0.0") as url:
        local = url.replace("0.0.0.0", "127.0.0.1")
        bare, token = local.split("#token=")
        context = chromium.new_context()
        tab = context.new_page()
        tab.goto(bare)
        assert "needs the token" in tab.inner_text("body")
        tab.fill("input", token)
        tab.keyboard.press("Enter")
        tab.wait_for_selector("html[data-drawn]", state="attached")
        assert token not in tab.url
        context.close()


def test_a_class_is_chosen_and_the_card_says_how_it_did_on_jobs_not_seen(
    browser_house: Path, chromium: Any, tmp_path: Path
) -> None:
    shutil.copytree(browser_house / "run", tmp_path / "run")
    log = browser_house / "w.swf.gz"
    with serve_page(tmp_path / "run", "--trace", log) as url:
        page = Page(chromium, url)
        tab = page.tab
        wait_for_known(page)
        page.say("AWRT, AWRT3 <= 1.01*EASY")  # what remains is counted and coloured by relative limits, too
        workload = ps.read_swf(log)
        wish = resolved_on(ps.as_wish("AWRT, AWRT3 <= 1.01*EASY", workload.groups), workload)
        front = ps.load_front(tmp_path / "run")
        assert 0 < remaining(wish, front).sum() < len(front)
        assert page.count_left() == remaining(wish, front).sum()
        page.say("AWRT, others <= 1.5*EASY")
        tab.click("[data-tab='train']")
        pressed = "[data-kind][aria-pressed='true']"
        assert tab.get_attribute(pressed, "data-kind") == "greedy"
        page.after(lambda: tab.click("[data-kind='priority']"))
        assert tab.get_attribute(pressed, "data-kind") == "priority"
        assert tab.get_attribute("#with-test", "aria-pressed") == "true"
        assert "500 schedules" in tab.inner_text("[data-effort='5']")
        page.after(lambda: tab.click("[data-effort='5']"))
        tab.wait_for_selector("[data-training='1'][data-status='done'] .test", timeout=180_000)
        words = ("train", log, "--objective", "AWRT, others <= 1.5*EASY", "--class", "priority", "--evaluations", 500)
        listed = tmp_path / "run.app" / "groups.csv"  # the groups of the front, in both parts
        train = (*words, "--groups", listed, "--train-until", 0.7, "--accept-worse", "-o", tmp_path / "p.json")
        systems = succeed(*train, "--json").json["systems"]
        best = next(row for row in systems if row["best"])
        gain, over = best["rest_vs_easy"], 100 * best["rest_exceeded"]
        sentence = (
            "Tested on jobs that it has not seen, those after 70 % of the time: the goal is "
            f"{abs(gain):.1f} % {'better' if gain >= 0 else 'worse'} than with EASY; "
            f"{'the limits are kept' if over <= 0 else 'the limits are exceeded: '}"
        )
        assert tab.inner_text("[data-test='1']").startswith(sentence)
        for name in ("AWRT", "AWRT1"):
            cells = tab.locator(f"[data-tested='1 {name}'] td").all_inner_texts()
            for cell, part in zip(cells, (best["workloads"][0], best["rest"][0]), strict=True):
                change = part.get(f"{name}_vs_easy")
                if change is not None and round(change, 1):
                    assert f"{abs(change):,.1f} %" in cell, (cell, change)
        tab.click("#training-1 .for-whom summary")
        tab.wait_for_selector("#training-1 .changes li")
        rest = split(ps.read_swf(log), 0.7)[1]
        today, other = ps.simulate(rest, "easy"), ps.simulate(rest, ps.load_policy(tmp_path / "p.json"))
        util = ps.objectives(today)[0], ps.objectives(other)[0]
        lines = consequences(waits(today), waits(other), rest.groups, users_of(rest), util, "EASY")
        gains = improvement(*(np.array(ps.objectives(each))[2:] for each in (other, today))).tolist()
        others = two_measures(waits(today), waits(other), rest.groups, gains)
        assert tab.locator("#training-1 .measures li").all_inner_texts() == [line.sentence for line in others]
        assert tab.locator("#training-1 .changes li").all_inner_texts() == [line.sentence for line in lines]
        page.after(lambda: tab.click("#with-test"))  # without a test it learns from all jobs
        page.after(lambda: tab.click("[data-effort='5']"))
        tab.wait_for_selector("[data-training='2'][data-status='done'] .way", timeout=180_000)
        assert tab.locator("[data-test='2']").count() == 0
        tab.reload()
        tab.wait_for_selector("[data-tab='train']")
        assert tab.get_attribute("#with-test", "aria-pressed") == "false"
        page.close()


def test_the_run_is_explored_further_and_its_new_schedules_are_shown_when_asked_for(
    browser_house: Path, chromium: Any, tmp_path: Path
) -> None:
    shutil.copytree(browser_house / "run", tmp_path / "run")
    with serve_page(tmp_path / "run", "--trace", browser_house / "w.swf.gz") as url:
        page = Page(chromium, url)
        tab = page.tab
        wait_for_known(page)
        before = len(ps.load_front(tmp_path / "run"))
        tab.click(".facts summary:has-text('Explore further')")
        tab.click("[data-more='1000']")
        tab.wait_for_selector("#offer button")
        tab.wait_for_selector("[data-more='1000']")  # it has ended
        front = ps.load_front(tmp_path / "run")
        assert front.evaluations == 1400
        words = f"{len(front) - before:,} more schedules: show" if len(front) > before else "other schedules: show"
        tab.click(f"#offer >> text={words}")
        tab.wait_for_selector(f"#facts:has-text('{len(front):,} schedules of')")
        assert "of 1,400 simulated" in tab.inner_text("#facts")
        tab.click("[data-more='20000']")
        tab.wait_for_selector("#further progress:not([value='1400'])")
        tab.click("#halt")
        tab.wait_for_selector("[data-more='1000']")
        assert 1400 < ps.load_front(tmp_path / "run").evaluations < 21_400
        page.close()
