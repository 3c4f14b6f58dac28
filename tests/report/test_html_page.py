"""Pages of figures, drawn and as pictures."""

import html
import json
import re
import subprocess
from pathlib import Path

import pytest

from paretosched.plots.comparisons import bars
from paretosched.plots.fronts import clouds, pairs, parallel
from paretosched.report.html_page import write_figures, write_gallery
from support.fronts import a_front
from support.report_page import CHROMIUM, HOSTILE, Page, needs_browser


def test_figures_alone_are_a_page_that_refers_to_nothing_outside(tmp_path, page):
    front = a_front(30)
    by_name = {"figure06": clouds({HOSTILE: front.values}, front.objectives, "UTIL", "AWRT", title="Figure 6")}
    write_figures(tmp_path / "figures.html", HOSTILE, by_name, {"figure06": HOSTILE})
    text = (tmp_path / "figures.html").read_text(encoding="utf-8")
    document = Page(text)
    assert {tag for tag, _ in document.elements} <= {tag for tag, _ in Page(page).elements} | {"script"}
    assert [a["id"] for tag, a in document.elements if tag == "figure"] == ["figure06"]
    assert all(not {"src", "href", "onerror"} & set(attributes) for _, attributes in document.elements)
    assert "owned" in " ".join(document.words)  # as the text that it is
    assert text.count("plotly.js v") == 1
    assert "cloud.plotly.com" not in text
    assert "cdn.plot.ly" not in text
    config = json.loads(re.search(r'id="config">(.*?)</script>', text)[1])
    assert (config["plotlyServerURL"], config["modeBarButtonsToRemove"][0]) == ("", "sendChartToCloud")
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


def in_browser(path: Path, tmp_path: Path) -> tuple[str, str]:
    """The document after its scripts have run, and what the browser had to say."""
    process = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--enable-logging=stderr", "--proxy-server=127.0.0.1:9", f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1280,800",
            f"--log-net-log={tmp_path / 'net.json'}", "--virtual-time-budget=20000", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    console = [line for line in process.stderr.splitlines() if "CONSOLE" in line and "GPU stall" not in line]
    return process.stdout, "\n".join(console)


@pytest.mark.slow
@needs_browser
def test_figures_are_drawn_under_the_policy_without_a_word_or_a_request(tmp_path):
    front, path = a_front(300, name=HOSTILE), tmp_path / "figures.html"
    write_figures(path, HOSTILE, {"pairs": pairs(front, {}), "parallel": parallel(front, {})}, {})
    page, console = in_browser(path, tmp_path)
    assert console == ""
    assert 'data-drawn="2"' in page
    visible = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "could not draw" not in visible
    assert "Share" not in visible
    net = (tmp_path / "net.json").read_text(encoding="utf-8")
    assert '"events"' in net
    requests = re.findall(r'"url":\s*"((?:https?|wss?):[^"]*)"', net)
    # Chromium itself calls its maker, whatever page it shows (and gets no answer: the proxy above does not exist)
    assert [url for url in requests if not re.match(r"https?://[a-z0-9.-]+\.google(apis)?\.com/", url)] == []
    # and it can fail: the same page with one request in it is told about
    path.write_text(path.read_text().replace("</body>", '<script>fetch("https://example.org/")</script></body>'))
    assert "Content Security Policy" in in_browser(path, tmp_path)[1]
