"""Self-contained HTML pages of figures."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.arguments import instance, mapping
from ..core.files import replacing
from ..plots.style import GRID, INK, PAPER, QUIET, template
from .html_pieces import figure, inline

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'"
)
# of the shortlist, as on the page
PICKS = ("#6a3d9a", "#8c510a", "#1b7837", "#b2182b", "#01665e", "#5c5c5c")
DARK_PICKS = ("#b79be0", "#dda763", "#7fcf95", "#ff8f8f", "#5fd0c4", "#c4c4c4")
CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["sendChartToCloud", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
    "plotlyServerURL": "",
    "responsive": True,
}


def write_figures(
    path: str | os.PathLike[str], title: str, drawn: Mapping[str, Figure], captions: Mapping[str, str]
) -> None:
    """Write figures with their captions as one HTML file, such as the figures of a paper.

    Parameters
    ----------
    path
        The HTML file.
    title
        Above the figures.
    drawn
        Figures by name.
    captions
        Plain text below figures, by the same names; each line is a paragraph. A figure may have none.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    drawn = {key: as_figure(figure) for key, figure in mapping("drawn", drawn).items()}
    instance("title", title, str)
    mapping("captions", captions)
    notes = {
        key: "".join(f'<p class="note">{html.escape(line)}</p>' for line in captions.get(key, "").splitlines())
        for key in drawn
    }
    drawings = "".join(f"<div>{figure(key, drawn[key])}{notes[key]}</div>" for key in drawn)
    body = f'<header><p class="eyebrow">paretosched figures</p><h1>{html.escape(title)}</h1></header>'
    page = page_of(title, f'{body}<section><div class="two">{drawings}</div></section>')
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def write_gallery(path: str | os.PathLike[str], title: str, captions: Mapping[str, str], about: str = "") -> None:
    """Write a small HTML page of figures that are picture files beside it, such as those of `export_figures`.

    Parameters
    ----------
    path
        The HTML file.
    title, about
        Plain text above the pictures.
    captions
        Plain text below each picture, by its name: NAME for NAME.png in the folder of the page.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    for name, text in {"title": title, "about": about}.items():
        instance(name, text, str)
    mapping("captions", captions)
    pictures = "".join(
        f'<figure id="{html.escape(name)}" style="margin:24px 0;padding:12px 16px">'
        f'<img src="{html.escape(name)}.png" alt="{html.escape(words)}" style="max-width:100%" loading="lazy">'
        f'<figcaption class="note">{html.escape(words)}</figcaption></figure>'
        for name, words in captions.items()
    )
    body = f"""<main>
<header><p class="eyebrow">paretosched figures</p><h1>{html.escape(title)}</h1><p class="quiet">{html.escape(about)}</p>
</header>
{pictures}
</main>
"""
    with replacing(path) as temporary:
        temporary.write_text(_document(title, "", body), encoding="utf-8")


def as_figure(picture: Any) -> Figure:
    """Return what must be a figure of plotly; raise InputError for anything else."""
    from plotly.basedatatypes import BaseFigure

    return instance("figure", picture, BaseFigure)


def page_of(title: str, body: str) -> str:
    """Return a page that needs no other file; `title` is plain text, `body` HTML."""
    alone = f"""<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="referrer" content="no-referrer">
"""
    if 'class="plot"' not in body:  # nothing that plotly draws, whose script is 4.6 MB
        return _document(title, alone, f"<main>\n{body}\n</main>\n")
    content = f"""<main>
{body}
</main>
<script type="application/json" id="themes">{_json({t: template(t) for t in ("light", "dark")})}</script>
<script type="application/json" id="config">{_json(CONFIG)}</script>
<script>{_plotly()}</script>
<script>{_text("page.js")}</script>
"""
    return _document(title, alone, content)


def _document(title: str, metadata: str, body: str) -> str:
    """Return a whole HTML document; `title` is plain text, `metadata` and `body` are lines of HTML."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{metadata}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<style>{_style()}</style>
</head>
<body>
{body}</body>
</html>
"""


@cache
def _text(name: str) -> str:
    """Return the text of a file beside this module, for use inside a page."""
    return "\n" + Path(__file__).with_name(name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return inline(json.dumps(value))


def _plotly() -> str:
    """Return plotly.js without the addresses to which it sends charts, and from which it fetches maps."""
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return re.sub(r"https://(?:cloud\.plotly\.com|cdn\.plot\.ly)[^\"'`]*", "", script)


def _picks(colours: tuple[str, ...]) -> str:
    return "".join(f"--pick-{k}:{colour};" for k, colour in enumerate(colours))


def _style() -> str:
    light, dark = (f"--ink:{INK[t]};--quiet:{QUIET[t]};--line:{GRID[t]};--card:{PAPER[t]};" for t in ("light", "dark"))
    return (
        f":root{{{light}--page:#f5f7fa;--better:#00608f;--worse:#a84300;--accent:#0b5c8f;{_picks(PICKS)}}}"
        f"@media(prefers-color-scheme:dark){{:root{{{dark}--page:#12161a;--better:#6cc0f0;--worse:#f0935a;"
        f"--accent:#5fb4e8;{_picks(DARK_PICKS)}}}}}{_text('page.css')}"
    )
