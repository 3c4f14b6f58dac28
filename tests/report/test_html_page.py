"""Pages of figures, drawn and as pictures."""

from __future__ import annotations

import html
from pathlib import Path

from paretosched.plots.comparisons import bars
from paretosched.plots.fronts import clouds, pairs, parallel
from paretosched.report.html_page import write_figures, write_gallery
from support.fronts import a_front
from support.report_page import HOSTILE, Page


def test_figures_alone_are_a_page_that_refers_to_nothing_outside(tmp_path, page):
    front = a_front(30)
    by_name = {"figure06": clouds({HOSTILE: front.values}, front.objectives, "UTIL", "AWRT", title="Figure 6")}
    write_figures(tmp_path / "figures.html", HOSTILE, by_name, {"figure06": HOSTILE})
    text = (tmp_path / "figures.html").read_text(encoding="utf-8")
    document = Page(text)
    assert {tag for tag, _ in document.elements} <= {tag for tag, _ in Page(page).elements}
    assert [a["id"] for tag, a in document.elements if tag == "figure"] == ["figure06"]
    assert all(not {"src", "href", "onerror"} & set(attributes) for _, attributes in document.elements)
    assert "owned" in " ".join(document.words)  # as the text that it is
    assert text.count("plotly.js v") == 1
    assert "cloud.plotly.com" not in text
    policy = [a["content"] for t, a in Page(page).elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert [a["content"] for t, a in document.elements if a.get("http-equiv") == "Content-Security-Policy"] == policy


def test_a_gallery_shows_the_pictures_beside_it_and_escapes_every_word(tmp_path: Path) -> None:
    write_gallery(tmp_path / "index.html", HOSTILE, {"figure06": "as printed", "figure07": HOSTILE}, HOSTILE)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<img ") == 2
    assert 'src="figure06.png" alt="as printed"' in page
    assert HOSTILE not in page
    assert "<script" not in page
    assert page.count(html.escape(HOSTILE)) == 5  # title twice, about, alternative text and caption


def test_a_figure_is_never_too_narrow_to_be_read(tmp_path: Path) -> None:
    front = a_front(30)
    drawn = {"bars": bars({"a": {"b": 1.0}}, title="a"), "pairs": pairs(front, {}), "parallel": parallel(front, {})}
    write_figures(tmp_path / "figures.html", "a", drawn, dict.fromkeys(drawn, ""))
    plots = [a["style"] for _, a in Page((tmp_path / "figures.html").read_text()).elements if a.get("class") == "plot"]
    assert [style.partition("min-width:")[2] for style in plots] == ["500px", "1000px", "1000px"]
