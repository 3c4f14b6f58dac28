"""Reading a page of a report, and a name that tries to break out of it."""

import shutil
from html.parser import HTMLParser

import pytest

HOSTILE = '</script><script>document.title="owned"</script><img src="https://example.org/x" onerror=alert(1)>&amp;'
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="NO CHROME OR CHROMIUM: figures were not drawn in a browser"
)


class Page(HTMLParser):
    """The elements of a page, and its text without that of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script" and self.cdata_elem == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)
