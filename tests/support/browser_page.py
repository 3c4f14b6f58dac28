"""The page in a real browser, as tests use it: it waits for answers, and collects errors."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paretosched as ps
from paretosched.app.locate_workload import finder
from paretosched.app.server import open_page
from paretosched.workload.reopening import as_workload

MISSING = "NO BROWSER: the page was not tested; install chromium and playwright, or name a browser in BROWSER_PATH"
# what Chromium and Dash write when a server is away, or answers 401 or 409
AWAY = ("Failed to load resource", "Error: Callback failed: the server did not respond.")

PATIENCE = 120_000  # ms for what a page does, on a machine that does other work as well


class Page:
    """A page in the browser: it collects errors and requests to other sites, and waits for answers."""

    def __init__(self, chromium: Any, url: str, context: Any = None) -> None:
        self.address = url
        self.url = url.split("#")[0]  # without the token
        self.context = context or chromium.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
        self.context.set_default_timeout(PATIENCE)
        self.tab = self.context.new_page()
        self.trouble: list[str] = []
        self.foreign: list[str] = []
        self.tab.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.tab.on(
            "console",
            lambda line: self.trouble.append(f"{line.text} {line.location}") if line.type == "error" else None,
        )
        self.tab.on(
            "request",
            lambda r: None if r.url.startswith((self.url, "data:", "blob:")) else self.foreign.append(r.url),
        )
        self.tab.goto(url)
        self.tab.wait_for_selector("html[data-drawn]", state="attached")
        self.tab.wait_for_selector(".cloud:has(#util) > canvas", state="attached")
        self.tab.evaluate("document.getElementById('more').open = true")  # limits, points and weights are in it

    def revision(self) -> str:
        return str(self.tab.evaluate("document.documentElement.dataset.revision"))

    def after(self, act: Callable[[], object]) -> None:
        """Call `act`, and wait until the server has answered and the page shows the answer."""
        before = self.revision()
        act()
        self.tab.wait_for_selector(f"html:not([data-revision='{before}'])", state="attached")

    def say(self, text: str) -> None:
        def act() -> None:
            self.tab.fill("#text textarea", text)
            self.tab.press("#text textarea", "Enter")

        self.after(act)

    def box(self, selector: str) -> Any:
        """Return where an element is in the window, after it was scrolled into view: the charts are below the table."""
        element = self.tab.locator(selector).first
        element.evaluate("(node) => node.scrollIntoView({ block: 'center' })")
        return element.bounding_box()

    def wish(self) -> str:
        return str(self.tab.input_value("#text textarea"))

    def count_left(self) -> int:
        return int(self.tab.get_attribute("#left", "data-left"))

    def row(self) -> int:
        return int(self.tab.get_attribute("#values table", "data-row"))

    def file_behind(self, link: str) -> str:
        """Return the file behind a link. It is fetched: after a click, Chromium once did not save within 30 s."""
        element = self.tab.locator(link)
        assert element.is_visible()
        assert element.get_attribute("download")
        fetch = "(link) => fetch(link, { signal: AbortSignal.timeout(60000) }).then((answer) => answer.text())"
        return str(self.tab.evaluate(fetch, element.get_attribute("href")))

    def close(self) -> None:
        self.context.close()
        assert self.trouble == [], self.trouble
        assert self.foreign == [], self.foreign


def wait_for_known(page: Page) -> None:
    """Wait until the known schedules are on the page."""
    page.tab.wait_for_selector("#legend >> text=CONS")


@contextmanager
def served_here(front_file: Path, *logs: Path | ps.Workload) -> Iterator[str]:
    """Serve a page as `serve_page` does, but from this process, where all modules are loaded already.

    `logs` is the log of the front or its workload, or nothing.
    """
    front = ps.load_front(front_file)
    workload = as_workload(logs[0]) if logs else None
    words = [str(log) for log in logs if isinstance(log, Path)]
    with open_page(front_file, front, finder(front_file, front, workload, words), port=0) as (url, _, serve):
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield url
    thread.join(60)
    assert not thread.is_alive()
