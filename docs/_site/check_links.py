"""Check the links of the built pages: `python docs/_site/check_links.py docs/_build/html`. No network is asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ASKED = {"a": "href", "img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}


class Page(HTMLParser):
    """What a page asks for, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.asked: list[tuple[str, str]] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the tag asks for, and its own name."""
        values = dict(attrs)
        self.places |= {values[key] or "" for key in ("id", "name") if key in values}
        if tag in ASKED and values.get(ASKED[tag]):
            self.asked.append((tag, values[ASKED[tag]] or ""))


def dead_links(folder: Path) -> Iterator[str]:
    """Yield a line for each link that leads nowhere, and for each file that would be fetched from a network."""
    files = (path for path in sorted(folder.rglob("*.html")) if folder / "_static" not in path.parents)  # templates
    pages = {path.resolve(): Page(path) for path in files}
    for page in pages.values():
        name = page.path.relative_to(folder)
        for tag, link in page.asked:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https") or parts.netloc:
                if tag not in ("a", "link"):
                    yield f"{name}: needs a network: {link}"
                continue
            if parts.scheme:
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path.resolve()
            if not target.is_file():
                yield f"{name}: {link}: there is no such file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{name}: {link}: there is no such place"


def main() -> int:
    """Print the dead links; return 1 if there is one."""
    folder = Path(sys.argv[1])
    lines = list(dead_links(folder))
    print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(list(folder.rglob('*.html')))} pages, {len(lines)} dead links")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
