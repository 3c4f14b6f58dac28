"""The page in a real browser on every screen: 320 to 3,840 pixels, zoomed, touched, and read by a screen reader."""

from itertools import pairwise
from typing import Any

import pytest

import paretosched as ps
from paretosched.wishes.wish_grammar import parse
from support.browser_page import Page

pytestmark = pytest.mark.slow

# a window of 1280 x 1024 at 400, 300 and 200 % zoom, phones, and large screens
SIZES = [(320, 256), (320, 568), (390, 844), (640, 400), (768, 1024), (1000, 640), (1280, 800), (3840, 2160)]
PLACES = """
() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const axis = document.querySelector("#parallel svg .axis[data-axis='AWRT1']");
  const handles = [...axis.querySelectorAll(".handle")].map((handle) => handle.getBoundingClientRect().y);
  const outside = [...document.querySelectorAll("button, input, textarea, select, a")].filter((node) => {
    const place = node.getBoundingClientRect();
    if (!place.width || node.closest(".scroll, .wide, .modebar-container")) return false;
    return place.left < -0.5 || place.right > innerWidth + 0.5;
  });
  return {
    wide, outside: outside.map((node) => node.outerHTML.slice(0, 80)), handles,
    ticks: [...axis.querySelectorAll(".tick")].map((t) => [Number(t.textContent), Number(t.getAttribute("y"))]),
    axis: axis.querySelector(".reach").getBoundingClientRect().height,
    clouds: [...document.querySelectorAll(".cloud")].map((cloud) => cloud.clientHeight),
    order: ["#text", "#two-buttons", "#waits", ".side", ".see"].map((part) => box(part).top),
    table: box("#waits").bottom,
  };
}
"""


def test_everything_is_there_upright_and_within_the_screen(page: Page) -> None:
    page.tab.wait_for_selector("#card li")
    for width, height in SIZES:
        page.tab.set_viewport_size({"width": width, "height": height})
        page.tab.wait_for_timeout(400)
        check_the_screen(page, width)


def check_the_screen(page: Page, width: int) -> None:
    """Check that all is within a screen of this width, the right way up, and does what it does on others."""
    tab = page.tab
    found = tab.evaluate(PLACES)
    assert found["wide"] <= 0  # the page itself is never scrolled sideways
    assert found["outside"] == []
    assert found["axis"] > 120
    assert min(found["clouds"]) > 150
    assert found["handles"][0] < found["handles"][1]  # AWRT1 is best at the top: "at least" is above "at most"
    ticks = sorted(found["ticks"])
    assert [y for _, y in ticks] == sorted(y for _, y in ticks)  # short times above long ones
    order = found["order"]
    assert order[:3] == sorted(order[:3])  # the question, the two buttons, the table
    if width < 1130:  # then what it would change for whom, and below that the charts
        assert order == sorted(order)
    if width == 1280:  # all of the table is to be seen at once
        assert found["table"] <= 800
    tab.click("[data-tab='compare']")
    tab.click("[data-tab='wish']")
    page.say(f"AWRT1, AWRT2 <= {width}")
    assert page.wish() == f"AWRT1, AWRT2 <= {width}h"


# The canvases as they are, and as they are if all of them are painted again.
PAINTED = """
(fresh) => {
  const canvases = [...document.querySelectorAll("canvas")].filter((canvas) => canvas.checkVisibility());
  if (fresh) {
    for (const canvas of canvases) canvas.painted = "";
    window.paretosched.page.within = "";
    window.paretosched.refresh();
  }
  return canvases.map((canvas) => canvas.toDataURL());
}
"""


def test_clouds_are_never_older_than_what_they_show(page: Page) -> None:
    tab = page.tab
    seen = []
    for act in (
        lambda: page.say("AWRT1, AWRT2 <= 7"),
        lambda: [tab.click("#theme"), tab.click("#theme")],  # light, as before, and dark
        lambda: page.after(lambda: tab.click("#log")),
        lambda: page.after(lambda: tab.click("#fit")),
        lambda: tab.click("[data-view='pairs']"),
        lambda: page.say("AWRT1, AWRT2 <= 6"),
        lambda: tab.click("[data-view='overview']"),
        lambda: tab.set_viewport_size({"width": 1100, "height": 700}),
        lambda: page.after(lambda: tab.click("#undo")),
        lambda: page.after(lambda: tab.select_option("#across", "AWRT5")),
    ):
        act()
        tab.wait_for_timeout(500)
        shown = tab.evaluate(PAINTED, False)
        assert shown == tab.evaluate(PAINTED, True)
        assert shown
        seen.append(shown)
    assert [k for k, (before, after) in enumerate(pairwise(seen)) if before == after] == []


def test_a_finger_brushes_an_axis(page: Page, chromium: Any, front: ps.Front) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone = Page(chromium, page.address, context)
    tab = phone.tab
    box = phone.box("#parallel [data-axis='AWRT2'].reach")
    x, top = box["x"] + box["width"] / 2, box["y"]
    session = context.new_cdp_session(tab)

    def touch(kind: str, y: float | None) -> None:
        points = [] if y is None else [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def brush() -> None:
        touch("touchStart", top + 0.05 * box["height"])
        for share in (0.2, 0.35, 0.5):
            touch("touchMove", top + share * box["height"])
        touch("touchEnd", None)

    phone.after(brush)
    assert [limit.objective for limit in parse(phone.wish(), front.objectives).limits] == ["AWRT2"]
    assert phone.count_left() < len(front)
    phone.close()


def test_the_wish_is_a_few_keys_away(page: Page) -> None:
    tab, active = page.tab, "document.activeElement.id"
    tab.evaluate("document.activeElement.blur()")
    stops = []
    while "text-input" not in stops:
        tab.keyboard.press("Tab")
        stops.append(tab.evaluate(active))
    assert stops[0] == "skip"
    assert len(stops) <= 10
    tab.focus("#skip")
    assert tab.locator("#skip").bounding_box()["width"] > 50  # it is seen as soon as it has the focus
    tab.keyboard.press("Enter")
    assert tab.evaluate(active) == "text-input"
    assert "text-input" not in tab.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_screen_reader_and_weak_eyes_are_served(page: Page, chromium: Any, theme: str) -> None:
    """The rules of axe-core, without exceptions, on all tabs and views."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    window = Page(chromium, page.address, context)
    tab = window.tab
    window.after(lambda: tab.click("#pick"))
    tab.click("#explain-row summary")
    tab.wait_for_selector("#explain-row .explained")
    for tab_name in ("wish", "compare", "train"):
        tab.click(f"[data-tab='{tab_name}']")
        if tab_name == "compare":
            tab.wait_for_selector("#differences .main-svg")
            tab.fill("#picks textarea", "why")  # an unsent field, too
            tab.click("#what-if-0 > summary")
            tab.wait_for_selector("#what-if-0 .told-waits")
        violations = axe.Axe().run(tab).response["violations"]
        assert [(v["id"], [node["html"][:150] for node in v["nodes"]]) for v in violations] == []
    for view in ("pairs", "time"):
        tab.click(f"[data-view='{view}']")
        if view == "time":
            tab.wait_for_selector("[data-week='1'] .main-svg")
        tab.click("#axes summary")
        violations = axe.Axe().run(tab).response["violations"]
        assert [(v["id"], [node["html"][:150] for node in v["nodes"]]) for v in violations] == []
    window.close()


def test_the_chosen_schedule_the_known_ones_and_the_shortlist_look_different(page: Page) -> None:
    tab = page.tab
    for row in range(8):
        page.after(lambda row=row: tab.evaluate("(row) => window.paretosched.say({ do: 'pick', row })", row))
    looks = tab.evaluate("""() => [...document.querySelectorAll("#parallel .strong polyline")]
        .filter((line) => !line.matches(".halo, .ideal"))
        .map((line) => `${getComputedStyle(line).stroke} ${getComputedStyle(line).strokeDasharray}`)""")
    assert len(looks) == len(set(looks)) == 3 + 8 + 1  # EASY, FCFS, CONS, the shortlist, the chosen one
    colours = {look.partition(" ")[0] + look.split(")")[0] for look in looks[:3]}
    assert looks[-1].split(")")[0] not in {look.split(")")[0] for look in looks[:-1]}
    assert len(colours) == 3


def test_charts_have_the_colours_of_the_page_and_tables_no_line_above_their_head(page: Page) -> None:
    page.tab.emulate_media(color_scheme="dark")
    looks = page.tab.evaluate("""() => {
      const look = (selector) => getComputedStyle(document.querySelector(selector));
      const chosen = document.createElement("p");
      chosen.style.color = "var(--chosen)";
      document.body.append(chosen);
      return {
        line: look("#wishes thead td").borderTopWidth,
        ring: look("#util .main-svg .point[style*='fill: none']").stroke,
        chosen: getComputedStyle(chosen).color,
        grid: look("#util .main-svg .gridlayer path").stroke,
        icon: look("#util .modebar-btn path").fill,
      };
    }""")
    page.tab.emulate_media(color_scheme="light")
    assert looks["line"] == "0px"
    assert looks["ring"] == looks["chosen"]
    assert looks["icon"] == "rgb(163, 174, 185)"  # that of quiet words on a dark page
    assert looks["grid"].endswith("/ 0.12)")  # nearly clear, because it lies above the schedules
