"""Marks that are hidden, axes that are chosen and reordered, and a brush in the small charts, in a real browser."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.wishes.navigation import remaining
from paretosched.wishes.wish_grammar import parse
from support.browser_page import Page, served_here

pytestmark = pytest.mark.slow
AXES = "[...document.querySelectorAll('#parallel .axis')].map((axis) => axis.dataset.axis)"
MARKS = "[...document.querySelectorAll('#parallel .mark')].map((line) => line.dataset.mark)"
TRACES = "document.querySelector('#free .js-plotly-plot').data.filter((t) => t.visible === false).map((t) => t.name)"


def test_a_mark_is_hidden_everywhere_and_shown_again(page: Page) -> None:
    tab = page.tab
    tab.click("#legend >> text=FCFS")
    tab.wait_for_function(f"JSON.stringify({TRACES}) === '[\"FCFS\"]'")
    assert tab.evaluate(MARKS) == ["EASY", "CONS", "ideal point"]
    assert tab.get_attribute("#legend [data-mark='FCFS']", "aria-pressed") == "false"
    tab.hover("#legend >> text=CONS")
    faint = "[...document.querySelectorAll('#parallel .faint')].map((line) => line.dataset.mark)"
    assert set(tab.evaluate(faint)) == {"EASY", "ideal point", ""}
    page.say("AWRT1")  # an answer changes nothing of that
    assert "FCFS" not in tab.evaluate(MARKS)
    tab.click("#legend >> text=FCFS")
    tab.wait_for_function(f"{TRACES}.length === 0")
    assert "FCFS" in tab.evaluate(MARKS)


def test_axes_are_chosen_and_reordered_and_the_address_keeps_them(page: Page) -> None:
    tab = page.tab
    names = ["UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5"]
    assert tab.evaluate(AXES) == names
    tab.click("#axes summary")
    tab.click("[aria-label='AWRT2 to the left']")
    tab.click("[data-axis-row='AWRT'] >> text=AWRT")
    assert tab.evaluate(AXES) == ["UTIL", "AWRT2", "AWRT1", "AWRT3", "AWRT4", "AWRT5"]
    again = page.context.new_page()
    again.goto(tab.url)
    again.wait_for_selector("#parallel .axis")
    assert again.evaluate(AXES) == ["UTIL", "AWRT2", "AWRT1", "AWRT3", "AWRT4", "AWRT5"]
    again.click("[data-view='pairs']")
    assert again.locator("[data-pair]").count() == 15
    tab.go_back()
    tab.go_back()
    assert tab.evaluate(AXES) == names
    tab.goto(f"{page.url}#axes=UTIL nothing AWRT9")
    tab.reload()
    tab.wait_for_selector("#parallel .axis")
    assert tab.evaluate(AXES) == names


def test_an_axis_on_which_all_schedules_are_alike_is_left_out_until_it_is_asked_for(
    browser_house: Path, chromium: Any, tmp_path: Path, front: ps.Front
) -> None:
    values = front.values.copy()
    values[:, 4] = values[0, 4]
    ps.save_front(replace(front, values=values), tmp_path / "front.parquet")
    with served_here(tmp_path / "front.parquet", browser_house / "w.swf.gz") as url:
        page = Page(chromium, url)
        assert page.tab.evaluate(AXES) == ["UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT4", "AWRT5"]
        page.tab.click("#axes summary")
        page.tab.click("[data-axis-row='AWRT3'] .switch")
        assert page.tab.evaluate(AXES)[-1] == "AWRT3"
        page.close()


def test_a_rectangle_in_a_small_chart_limits_both_objectives(page: Page, front: ps.Front) -> None:
    tab = page.tab
    tab.click("[data-view='pairs']")
    box = page.box("[data-pair='AWRT1 AWRT3']")

    def drag() -> None:
        tab.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
        tab.mouse.down()
        tab.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        tab.mouse.move(box["x"] + 2 * box["width"], box["y"] + 0.9 * box["height"])
        tab.mouse.up()

    page.after(drag)
    limits = {limit.objective: limit for limit in parse(page.wish(), front.objectives).limits}
    assert limits.keys() == {"AWRT1", "AWRT3"}
    assert np.isinf(limits["AWRT1"].high)  # the drag ended beyond the chart
    assert 0 < limits["AWRT3"].low < limits["AWRT3"].high < np.inf
    assert page.count_left() == np.count_nonzero(remaining(parse(page.wish(), front.objectives), front))
    assert tab.get_attribute("#page", "data-view") == "pairs"  # no click
