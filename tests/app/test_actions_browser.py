"""Random walks over the page in a real browser: no console error, and nothing that was typed is lost.

`PYTHONPATH=.:tests python -m pytest tests/app/test_actions_browser.py` makes a few; WALKS=500 makes 500.
"""

import os
from contextlib import suppress
from random import Random

import pytest

from support.browser_page import Page

NoElement = pytest.importorskip("playwright.sync_api").TimeoutError
pytestmark = pytest.mark.slow
WALKS = int(os.environ.get("WALKS", "3"))
AT_ONCE = 25  # in one test, which has a time limit
STEPS = 12
BUTTONS = "button:visible:not([data-export]):not(#open):not([data-effort]):not(:disabled), summary:visible"
FIELDS = "#ask .field:visible:not(:has(select))"
WORDS = ("AWRT1", "10*AWRT1 + 4*AWRT2", "AWRT3 <= 200", "AWRT1 <=", "near UTIL = 60", "12.5", "7,5", "x", "–", "<b>")
KEYS = ("Tab", "Escape", "ArrowUp", "ArrowRight", "Enter", "PageUp", "Home", "Delete", "Control+z", "Control+Shift+z")
COUNTED = "(({ mask, left, within }) => [mask.reduce((sum, x) => sum + x, 0), left, within])(window.paretosched.page)"
PLACES = ("#parallel .handle", ".cell", ".cloud:has(#free)", "#mine", "#across", "h1")


def step(page: Page, rng: Random) -> None:
    """Do one thing that an owner may do."""
    tab, kind = page.tab, rng.random()
    if kind < 0.45:
        buttons = tab.locator(BUTTONS)
        button = buttons.nth(rng.randrange(buttons.count()))
        with suppress(NoElement):  # with its neighbours it may be replaced by fewer at this moment
            button.dispatch_event("click", timeout=5000)
    elif kind < 0.6:
        there = [place for place in PLACES if tab.locator(place).first.is_visible()]
        tab.locator(rng.choice(there)).first.focus()
        tab.keyboard.press(rng.choice(KEYS))
    elif kind < 0.7:
        tab.mouse.wheel(0, rng.choice((-2000, 2000)))  # to the table above, or to the charts below it
        tab.mouse.move(rng.randrange(60, 780), rng.randrange(200, 760))
        tab.mouse.down()
        tab.mouse.move(rng.randrange(60, 780), rng.randrange(200, 760))
        tab.mouse.up()
    elif kind < 0.78:
        page.tab.reload()
        tab.wait_for_selector("html[data-drawn]", state="attached")
    else:
        fields = tab.locator(FIELDS).evaluate_all("fields => fields.map(field => field.id)")
        if fields:
            box = f"#{rng.choice(fields)}-input"
            words = rng.choice(WORDS)
            try:
                tab.fill(box, words, timeout=5000)
            except NoElement:  # its schedule left the shortlist at this moment
                assert tab.locator(box).count() == 0
                return
            tab.evaluate("window.paretosched.say({ do: 'look', log: true })")  # an answer comes meanwhile
            tab.wait_for_timeout(150)
            if box.startswith("#note") and tab.locator(box).count() == 0:
                return
            assert tab.input_value(box) == words
            if rng.random() < 0.6:
                tab.press(box, "Enter")


@pytest.mark.parametrize("first", range(0, WALKS, AT_ONCE))
def test_walks_end_without_an_error_and_without_a_lost_input(page: Page, first: int) -> None:
    for number in range(first, min(first + AT_ONCE, WALKS)):
        rng = Random(f"walk {number}")
        for count in range(STEPS):
            try:
                step(page, rng)
            except Exception as error:
                error.add_note(f"walk {number}, step {count}")
                raise
            assert page.trouble == [], (number, count)
            masked, left, within = page.tab.evaluate(COUNTED)
            assert masked == left, (number, count, within)
    assert page.tab.locator("#left[data-left]").count() == 1
