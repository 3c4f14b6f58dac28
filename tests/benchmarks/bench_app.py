"""Benchmark of the page in a real browser with software rendering: the first useful chart, and a brush. `make bench`.

Fronts of 14,000 and 150,000 schedules are made up and served as a user would have them. *First chart*: from opening the
address to the parallel coordinates of all schedules being painted, with a cold cache. *Both projections*: until plotly
has drawn its axes too. *Brush*: from the move of the mouse to all charts being painted with what it leaves, in the
browser alone; *answered*: from releasing it to the server's numbers and tables being shown.

A log, the built-in one or that of `--trace`, is explored and served, too. *Card*: from a schedule being chosen to the
sentences about it being shown; *week*: from a drag across the months to that time's jobs being drawn for both
schedules; *limit*: from a limit on a wait being sent to what remains being shown, when waits are measured; *what if*:
from a question being opened to its table of waits.

Medians; the slowest is in brackets. A busy machine makes all of them slower, so the load is printed.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from paretosched import explore, lublin, read_swf, write_swf
from paretosched.app.measuring import MEASURES_FILE
from paretosched.core.tables import Column, table
from paretosched.fronts.front import Front
from paretosched.fronts.front_files import save_front
from support.browser import browser, executable, serve_page
from support.fronts import made_up

GOALS = {14_000: (1.2, 0.04, 0.15), 150_000: (1.6, 0.06, 0.25)}  # s: first chart, brush, answered
ANSWERED = {"card": 0.3, "week": 0.5, "limit": 0.15, "what if": 3.0}  # s
EVALUATIONS = 500
PATIENCE = 60_000  # ms after which an answer counts as never given
# When the first chart is on the screen, by the clock of the machine, ms; asked from outside, the page may answer later.
FIRST = """
new MutationObserver((_, seen) => {
  if (!document.documentElement?.dataset.drawn) return;
  seen.disconnect();
  requestAnimationFrame(() => setTimeout(() => {
    document.documentElement.dataset.first = performance.timeOrigin + performance.now();
  }));
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
"""


def stopwatch(before: str, act: str, is_pending: str) -> str:
    """Return a script that acts, and tells the ms until something is not pending any more and is on the screen.

    It waits for PATIENCE at most. `before` is run before the clock begins; `x` is the argument of the script.
    """
    return f"""
(x) => new Promise((done) => {{
  {before}
  const begin = performance.now();
  {act}
  const look = () => {is_pending}
    ? (performance.now() - begin < {PATIENCE} ? requestAnimationFrame(look) : done({PATIENCE}))
    : requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin), 0));
  requestAnimationFrame(look);
}})
"""


POINTER = """
  const svg = document.querySelector("#parallel svg");
  const axis = svg.querySelector("[data-axis='AWRT1'].reach");
  const box = axis.getBoundingClientRect();
  const event = (target, name, y) => target.dispatchEvent(new PointerEvent(name, {bubbles: true, pointerId: 1,
    clientX: box.x + 16, clientY: box.y + 8 + y * (box.height - 16)}));
  const page = document.documentElement.dataset;
"""
PAINTED = stopwatch(
    POINTER + 'svg.setPointerCapture = () => {}; event(axis, "pointerdown", 0.01); const before = page.drawn;',
    'event(axis, "pointermove", x);',
    "page.drawn === before",
)
RELEASED = stopwatch(
    POINTER + "const before = page.revision;", 'event(svg, "pointerup", x);', "page.revision === before"
)
CARD = stopwatch(
    'const words = () => document.querySelector("#card .changes")?.innerText; const before = words();',
    'window.paretosched.say({ do: "choose", row: x });',
    "(words() ?? before) === before",
)
WEEK = stopwatch(
    """
  const plot = document.querySelector("#months .js-plotly-plot");
  const span = () => document.querySelector("[data-week='1']:has(.main-svg)")?.dataset.span;
  const before = span();
""",
    'plot.emit("plotly_relayout", {"xaxis.range[0]": x, "xaxis.range[1]": x + 7});',
    "(span() ?? before) === before",
)
WHAT_IF = stopwatch(
    "const part = document.querySelector(`#what-if-${x}`);",
    'part.querySelector("summary").click();',
    '!part.querySelector(":scope > .consequences .told-waits")',
)
LIMIT = stopwatch(
    "const page = document.documentElement.dataset; const before = page.revision;",
    'window.paretosched.say({ do: "cap", name: "longest wait", text: `${x}h` });',
    "page.revision === before || document.querySelector('#two-buttons progress')",
)


def front_of(points: int) -> Front:
    """A front of that size, correlated and curved as real ones are; nothing of it was simulated."""
    rng = np.random.default_rng(1)
    weight = rng.dirichlet(np.full(5, 0.8), points)
    groups = np.linspace(60_000, 30_000, 5) * (1 + np.exp(rng.normal(scale=0.3, size=(points, 5)) - 4 * weight))
    awrt = groups @ np.array([0.35, 0.3, 0.2, 0.1, 0.05])
    util = 67 - awrt / awrt.max() + 0.1 * rng.normal(size=points)
    return made_up(np.column_stack([util, awrt, groups]), tuple("12345"), f"{points:,} made up", "ab12" * 16)


def open_page(chromium: Any, url: str) -> tuple[Any, Any, float, float]:
    """Open the page with a cold cache: its context, itself, seconds to the first chart and to both projections."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(FIRST)
    begin = time.time()
    page.goto(url, wait_until="commit")
    page.wait_for_selector("html[data-first]", state="attached")
    first = float(page.get_attribute("html", "data-first")) / 1000 - begin
    page.wait_for_selector(".cloud:has(#util) > canvas", state="attached")
    return context, page, first, time.time() - begin


def measure(points: int, repeats: int) -> dict[str, list[float]]:
    """Measure a page of so many schedules, in seconds."""
    times: dict[str, list[float]] = {"start": [], "first": [], "both": [], "brush": [], "answered": []}
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        path = Path(folder) / "front.parquet"
        save_front(front_of(points), path)
        begin = time.perf_counter()
        with serve_page(path) as url:
            times["start"].append(time.perf_counter() - begin)
            for _ in range(repeats):
                context, page, first, both = open_page(chromium, url)
                times["first"].append(first)
                times["both"].append(both)
                context.close()
            context, page, _, _ = open_page(chromium, url)
            page.wait_for_timeout(1500)
            for k in range(repeats):
                level = 0.25 + 0.5 * (k * 7 % repeats) / repeats
                times["brush"].append(page.evaluate(PAINTED, level) / 1000)
                times["answered"].append(page.evaluate(RELEASED, level) / 1000)
                page.wait_for_timeout(300)
            context.close()
    return times


def measure_answers(log: Path, repeats: int) -> dict[str, list[float]]:
    """Explore a log, serve its page, and measure its answers, in seconds."""
    times: dict[str, list[float]] = {"card": [], "week": [], "limit": [], "what if": []}
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        run, w = Path(folder) / "run", read_swf(log)
        days = max(12, int((w.submit[-1] - w.submit[0]) / 86_400) - 14)
        explore(w, run, evaluations=EVALUATIONS, seed=1)
        with serve_page(run, "--trace", log) as url:
            context, page, _, _ = open_page(chromium, url)
            page.wait_for_selector("#card .changes li", timeout=60_000)
            rows = page.evaluate("window.paretosched.page.count")
            for k in range(repeats):
                times["card"].append(page.evaluate(CARD, (k * 37 + 1) % rows) / 1000)
                page.wait_for_timeout(200)
            until = time.monotonic() + PATIENCE / 1000
            while not (run.with_name("run.app") / MEASURES_FILE).exists() and time.monotonic() < until:
                page.wait_for_timeout(500)
            times["limit"] = [page.evaluate(LIMIT, 10_000 + k) / 1000 for k in range(repeats)]
            page.evaluate("window.paretosched.say({ do: 'say', text: '' })")
            page.click("[data-view='time']")
            page.wait_for_selector("[data-week='1'] .main-svg", timeout=60_000)
            page.wait_for_selector("#months .main-svg", timeout=60_000)
            for k in range(repeats):
                times["week"].append(page.evaluate(WEEK, 7 + 6 * (k % (days // 6))) / 1000)
                page.wait_for_timeout(200)
            for row in (0, rows // 3, 2 * rows // 3):
                page.evaluate("(row) => window.paretosched.say({ do: 'pick', row })", row)
            page.click("[data-view='overview']")
            page.click("[data-tab='compare']")
            page.wait_for_selector("#what-if-0 summary")
            page.wait_for_timeout(1500)
            questions = page.locator("[id^='what-if-'] > summary").count()
            times["what if"] = [page.evaluate(WHAT_IF, number) / 1000 for number in range(questions)]
            context.close()
    return times


def missed_answers(log: Path | None, repeats: int) -> list[str]:
    """Measure the answers of a page with jobs, print them, and return which goals are missed."""
    with tempfile.TemporaryDirectory() as folder:
        if log is None:
            log = Path(folder) / "lublin.swf.gz"
            write_swf(lublin(20_000), log)
        times = measure_answers(log, repeats)
        print(f"answers of the page of {read_swf(log)!r}, medians (slowest), each of the what-if questions once:")
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        print(f"  {name:8} {medians[name]:5.2f} ({max(values):.2f}) s, goal {ANSWERED[name]} s")
    return [f"{name} {medians[name]:.2f} s, goal {goal} s" for name, goal in ANSWERED.items() if medians[name] > goal]


def main() -> int:
    """Measure, print, and say which goals are missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--trace", type=Path, metavar="LOG", help="log whose page is measured; default: the built-in one"
    )
    options.add_argument("--repeats", type=int, default=20, help="of each measurement (default %(default)s)")
    options.add_argument("--points", type=int, nargs="*", default=list(GOALS), help="schedules of each made-up front")
    arguments = options.parse_args()
    if executable() is None:
        print("NO BROWSER: the page was not measured; install chromium and playwright, or name one in BROWSER_PATH")
        return 0
    rows, misses = [], []
    for points in arguments.points:
        times = measure(points, arguments.repeats)
        row: dict[str, Any] = {"points": points}
        for key, values in times.items():
            row[key] = f"{statistics.median(values):.2f} ({max(values):.2f})"
        for key, goal in zip(("first", "brush", "answered"), GOALS.get(points, ()), strict=False):
            row[f"{key} goal"] = goal
            if statistics.median(times[key]) > goal:
                misses.append(f"{points:,} points: {key} {statistics.median(times[key]):.2f} s, goal {goal} s")
        rows.append(row)
    columns = [
        Column("points", "schedules", ",d"),
        Column("start", "server starts s"),
        Column("first", "first chart s"),
    ]
    columns += [Column("first goal", "goal", ".2f"), Column("both", "both projections s"), Column("brush", "brush s")]
    columns += [
        Column("brush goal", "goal", ".2f"),
        Column("answered", "answered s"),
        Column("answered goal", "goal", ".2f"),
    ]
    print(table(rows, columns))
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    misses += missed_answers(arguments.trace, arguments.repeats)
    print(f"medians of {arguments.repeats} (slowest), Chromium with software rendering; load of the machine {load}")
    for line in misses:
        print(f"missed: {line}")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
