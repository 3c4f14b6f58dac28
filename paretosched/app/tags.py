"""Elements of HTML as values, and the text that a browser gets: `tags.p("a < b", className="quiet")`.

A function for each element takes its children, one or a list, and its attributes. `className` stands for `class`, which
is a word of Python; other names with hyphens, such as `aria-label`, are given with `**`. Children that are None are
left out, and so are attributes that are None or False. Texts and attributes are escaped here and nowhere else.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any, NamedTuple

WITHOUT_END = ("br", "input", "link", "meta")


class Element(NamedTuple):
    """An element: its name, its children, and its attributes."""

    name: str
    children: Any
    attributes: dict[str, Any]


def _element(name: str) -> Callable[..., Element]:
    def make(children: Any = None, /, **attributes: Any) -> Element:
        return Element(name, children, attributes)

    return make


a, b, body, br, button, details, div, h1, h2, h3 = map(
    _element, ("a", "b", "body", "br", "button", "details", "div", "h1", "h2", "h3")
)
head, header, html_page, input_, label, li, link, main, meta, nav = map(
    _element, ("head", "header", "html", "input", "label", "li", "link", "main", "meta", "nav")
)
ol, option, p, pre, progress, script, section, select, small, span = map(
    _element, ("ol", "option", "p", "pre", "progress", "script", "section", "select", "small", "span")
)
code, summary, table, tbody, td, textarea, th, thead, title, tr, ul = map(
    _element,
    ("code", "summary", "table", "tbody", "td", "textarea", "th", "thead", "title", "tr", "ul"),
)


class Raw(NamedTuple):
    """Text that is HTML already; never anything that a user or a file has written."""

    text: str


def to_html(content: Any) -> str:
    """Return elements, texts, numbers, or lists of them as HTML.

    Examples
    --------
    >>> to_html([p(["1 < 2", br()], className="quiet", title='"a"'), None, 5])
    '<p class="quiet" title="&quot;a&quot;">1 &lt; 2<br></p>5'
    """
    if content is None:
        return ""
    if isinstance(content, Raw):
        return content.text
    if isinstance(content, Element):
        attributes = "".join(_attribute(name, value) for name, value in content.attributes.items())
        if content.name in WITHOUT_END:
            return f"<{content.name}{attributes}>"
        return f"<{content.name}{attributes}>{to_html(content.children)}</{content.name}>"
    if isinstance(content, list | tuple):
        return "".join(map(to_html, content))
    return html.escape(str(content), quote=False)


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = "class" if name == "className" else name
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
