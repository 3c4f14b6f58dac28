"""The token in a real browser: it stays in the page's own windows, and other ports of the host get nothing."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from support.browser_page import Page

pytestmark = pytest.mark.slow


@contextmanager
def another_server() -> Iterator[tuple[str, list[str]]]:
    """Serve another page on the same host, as another account can, and yield its address and all that it is sent."""
    got: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(f"{self.path} {self.headers}")
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", got
        server.shutdown()


def test_another_port_of_the_host_gets_no_token_and_no_data(page: Page) -> None:
    token = page.address.split("token=")[1]
    assert page.context.cookies() == []
    assert token not in page.tab.url
    with another_server() as (address, got):
        tab = page.context.new_page()
        tab.goto(address)
        reads = """async (url) => {
          const ways = [{ credentials: "include" }, { mode: "no-cors", credentials: "include" }];
          const of = (way) => fetch(url, way).then((answer) => answer.text()).catch(() => "");
          return Promise.all(ways.map(of));
        }"""
        assert tab.evaluate(reads, f"{page.url}page.json") == ["", ""]
        assert tab.evaluate("JSON.stringify([sessionStorage, localStorage, document.cookie])") == '[{},{},""]'
        assert got
        assert not any(token in request or "Cookie:" in request for request in got)


def test_the_page_is_there_after_a_reload_and_in_a_second_window(page: Page, chromium: Any) -> None:
    page.say("AWRT1, AWRT2 <= 14.37h")
    page.tab.reload()
    page.tab.wait_for_selector("#text[data-value='AWRT1, AWRT2 <= 14.37h']", state="attached")
    second = Page(chromium, page.address, page.context)
    assert second.wish() == page.wish()
    assert second.tab.title() == f"{second.tab.inner_text('.brand .name')} · paretosched"
    with second.tab.expect_download() as saved:  # a link that is clicked, as an owner does
        second.tab.click("text=Save a copy")
    assert saved.value.suggested_filename == "paretosched-page.json"
    second.tab.evaluate("document.querySelector('a[download]').href = 'policy/0/0.json'")
    second.tab.click("text=Save a copy")
    second.tab.wait_for_selector("#message >> text=Not saved: ")
    assert all("409" in line for line in second.trouble)
    second.trouble.clear()
    second.tab.close()


def test_a_wrong_token_is_said_and_the_whole_address_is_understood(page: Page) -> None:
    tab = page.context.browser.new_context().new_page()
    tab.goto(f"{page.url}#token=wrong")
    tab.wait_for_selector("#sign-in >> text=That is not the token")
    assert tab.locator("#page").count() == 0
    tab.fill("#sign-in input", page.address)
    tab.keyboard.press("Enter")
    tab.wait_for_selector("html[data-drawn]", state="attached")
    assert tab.locator("#sign-in").count() == 0
    tab.context.close()
