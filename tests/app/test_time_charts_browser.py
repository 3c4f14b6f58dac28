"""The view over time in a real browser: months of two schedules, a week of both, and why a job waited."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.app.state import schedule_name
from paretosched.comparison.over_time import over_time, runs_between, wait_reasons, worst_week
from paretosched.simulation.service import DAY, bins
from support.browser_page import Page, served_here, wait_for_known
from support.machine_zoo import TWO_PARTITIONS

pytestmark = pytest.mark.slow
DATA = "document.querySelector('#months .js-plotly-plot')._fullData.map((t) => [t.name, Array.from(t.y)])"


def test_the_months_the_week_and_the_job_agree_with_the_simulations(page: Page, browser_house: Path) -> None:
    tab, w = page.tab, ps.read_swf(browser_house / "w.swf.gz")
    tab.click("[data-view='time']")
    tab.wait_for_selector("[data-week='1'] .main-svg")
    tab.wait_for_selector("#months .main-svg")
    today = ps.simulate(w, "easy")
    other = next(iter(ps.schedules(ps.load_front(browser_house / "run"), [page.row()], w)))
    first, last = int(w.eligible.min()), int(max(today.finish.max(), other.finish.max()))
    edges = bins(first, last)
    drawn = tab.evaluate(DATA)
    chosen = schedule_name(ps.load_front(browser_house / "run"), page.row())
    assert [name for name, _ in drawn] == 3 * ["EASY"] + 3 * [chosen]
    for schedule, curves in ((today, drawn[:3]), (other, drawn[3:])):
        for values, (_, shown) in zip(over_time(schedule, edges), curves, strict=True):
            assert np.allclose(values, np.array(shown[:-1], dtype=float), equal_nan=True)

    # the worst week is shown first; a click on its longest waiting job says why it waited
    begin, end = worst_week(today)
    assert json.loads(tab.get_attribute("[data-week='0']", "data-span")) == [begin, min(end, last)]
    runs = runs_between(today, begin, end)
    wait = today.start - w.eligible
    job = max({run.job for run in runs}, key=lambda k: wait[k] * (today.finish[k] - today.start[k]))
    run = next(run for run in runs if run.job == job)
    box = page.box("[data-week='0'] .nsewdrag")
    x = ((run.begin + run.end) / 2 - begin) / (end - begin)
    y = (run.low + run.high) / 2 / w.capacity
    tab.mouse.click(box["x"] + x * box["width"], box["y"] + (1 - y) * box["height"])
    tab.wait_for_selector("[data-part='job'] p")
    assert tab.locator("[data-part='job'] p").all_inner_texts() == wait_reasons(today, job)

    # a drag across the months shows that time, and the button the worst week again
    box = page.box("#months .nsewdrag")
    tab.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 20)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 25)
    tab.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 25)
    tab.mouse.up()
    tab.wait_for_selector("[data-part='week'] >> text=what was chosen above")
    since, until = json.loads(tab.get_attribute("[data-week='1']", "data-span"))
    assert since == pytest.approx(first + 0.2 * (last - first), abs=0.02 * (last - first))
    assert until == pytest.approx(first + 0.4 * (last - first), abs=0.02 * (last - first))
    assert f"day {(since - first) / DAY:.1f} to day {(until - first) / DAY:.1f}" in tab.inner_text("[data-part='week']")
    tab.click("#worst-week")
    tab.wait_for_selector("[data-part='week'] >> text=wait longest under your scheduler")


def test_on_nodes_the_charts_show_the_same_days_and_a_job_of_a_list_says_why_it_waited(
    chromium: Any, tmp_path: Path
) -> None:
    w = TWO_PARTITIONS
    ps.save_front(ps.explore(w, evaluations=20, population=10), tmp_path / "front.parquet")
    ranges = (
        "[...document.querySelectorAll(\"[data-part='time'] .js-plotly-plot\")].map((plot) => "
        "Object.keys(plot.layout).filter((name) => /^xaxis/.test(name)).map((name) => plot._fullLayout[name].range))"
    )
    with served_here(tmp_path / "front.parquet", w) as url:
        page = Page(chromium, url)
        wait_for_known(page)
        tab = page.tab
        tab.click("[data-view='time']")
        tab.wait_for_selector("[data-week='1'] .main-svg")
        tab.wait_for_selector("[data-part='time'] .js-plotly-plot >> nth=1")
        whole = tab.evaluate(ranges)
        assert [len(rows) for rows in whole] == [5, 5]  # of all, and of two partitions
        for place in (0, 1):
            box = page.box(f"[data-part='time'] .js-plotly-plot >> nth={place} >> .nsewdrag")
            for move, to in ((None, 0.2), ("down", 0.3), (None, 0.6), ("up", 0.6)):
                tab.mouse.move(box["x"] + to * box["width"], box["y"] + 20)
                if move is not None:
                    getattr(tab.mouse, move)()
            tab.wait_for_selector("[data-part='week'] >> text=what was chosen above")
            shown = tab.evaluate(ranges)
            assert shown != whole
            assert len({tuple(days) for rows in shown for days in rows}) == 1
            tab.wait_for_timeout(1000)  # clicks soon after each other would be a double click
            tab.mouse.dblclick(box["x"] + 0.5 * box["width"], box["y"] + 20)
            tab.wait_for_function(f"JSON.stringify({ranges}) === '{json.dumps(whole, separators=(',', ':'))}'")

        tab.click("#waits .value >> nth=6")  # the longest wait
        tab.wait_for_selector("#behind tr.job")
        why = tab.locator("#behind tr.job + tr >> nth=0")
        assert why.is_hidden()
        tab.click("#behind tr.job >> nth=0 >> td >> nth=2")
        assert "It waited" in why.inner_text()
        assert tab.get_attribute("#behind tr.job button >> nth=0", "aria-expanded") == "true"
        tab.press("#behind tr.job button >> nth=0", "Enter")
        assert why.is_hidden()
        page.close()
