"""Self-contained HTML pages of figures."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.files import replacing
from ..plots.style import GRID, INK, PAPER, QUIET, template
from .html import figure_html, script_text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'"
)
CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["sendChartToCloud"],
    "plotlyServerURL": "",
    "responsive": True,
}


def write_figures(
    path: str | os.PathLike[str], title: str, drawn: Mapping[str, Figure], captions: Mapping[str, str]
) -> None:
    """Write figures and what there is to say about each of them as one HTML file, such as those of a paper.

    Parameters
    ----------
    path
        The HTML file.
    title
        Above the figures.
    drawn
        Figures by name.
    captions
        Plain text below the figures that have some, by the same names; each line is a paragraph.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    notes = {
        key: "".join(f'<p class="note">{html.escape(line)}</p>' for line in captions.get(key, "").splitlines())
        for key in drawn
    }
    shown = "".join(f"<div>{figure_html(key, drawn[key])}{notes[key]}</div>" for key in drawn)
    body = f'<header><p class="eyebrow">paretosched figures</p><h1>{html.escape(title)}</h1></header>'
    page = page_html(title, f'{body}<section><div class="two">{shown}</div></section>')
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def write_gallery(path: str | os.PathLike[str], title: str, captions: Mapping[str, str], about: str = "") -> None:
    """Write a small HTML page of figures that are pictures beside it, such as `export_figures` makes.

    Parameters
    ----------
    path
        The HTML file.
    title, about
        Above the pictures, as plain text.
    captions
        Plain text below each picture, by its name: that of NAME.png in the folder of the page.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    pictures = "".join(
        f'<figure id="{html.escape(name)}" style="margin:24px 0;padding:12px 16px">'
        f'<img src="{html.escape(name)}.png" alt="{html.escape(words)}" style="max-width:100%" loading="lazy">'
        f'<figcaption class="note">{html.escape(words)}</figcaption></figure>'
        for name, words in captions.items()
    )
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<style>{_style()}</style>
</head>
<body>
<main>
<header><p class="eyebrow">paretosched figures</p><h1>{html.escape(title)}</h1><p class="quiet">{html.escape(about)}</p>
</header>
{pictures}
</main>
</body>
</html>
"""
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def page_html(title: str, body: str) -> str:
    """Return a page that needs nothing else; `title` is plain text, `body` HTML."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<style>{_style()}</style>
</head>
<body>
<main>
{body}
</main>
<script type="application/json" id="themes">{_json({t: template(t) for t in ("light", "dark")})}</script>
<script type="application/json" id="config">{_json(CONFIG)}</script>
<script>{_plotly()}</script>
<script>{SCRIPT}</script>
</body>
</html>
"""


def _json(value: Any) -> str:
    return script_text(json.dumps(value))


def _plotly() -> str:
    """Give plotly.js without the addresses it sends charts to and fetches maps from."""
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return re.sub(r"https://(?:cloud\.plotly\.com|cdn\.plot\.ly)[^\"'`]*", "", script)


def _style() -> str:
    light, dark = (f"--ink:{INK[t]};--quiet:{QUIET[t]};--line:{GRID[t]};--card:{PAPER[t]};" for t in ("light", "dark"))
    return (
        f":root{{{light}--page:#f5f7fa;--better:#00608f;--worse:#a84300}}"
        f"@media(prefers-color-scheme:dark){{:root{{{dark}--page:#12161a;--better:#6cc0f0;--worse:#f0935a}}}}{STYLE}"
    )


STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:28px;line-height:1.2;margin:2px 0;overflow-wrap:anywhere}
h2{font-size:19px;margin:36px 0 12px}
header p{margin:0}
.eyebrow{color:var(--quiet);font-size:12px;letter-spacing:.08em;text-transform:uppercase}
.quiet,.note,small{color:var(--quiet)}
.note{font-size:13px;max-width:90ch}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;margin:20px 0}
.tiles div,figure,.scroll,dl,details,aside{background:var(--card);border:1px solid var(--line);border-radius:8px}
.tiles div{padding:12px 16px}
.tiles b{display:block;font-size:24px;line-height:1.25;font-variant-numeric:tabular-nums}
.tiles span{color:var(--quiet);font-size:13px}
.summary{max-width:110ch;padding-left:20px;overflow-wrap:anywhere}
.summary li{margin:4px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:8px 12px;text-align:right;vertical-align:top;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;font-weight:600;white-space:normal;max-width:130px}
thead small{overflow-wrap:anywhere;min-width:90px}
th:first-child{text-align:left}
tbody th{font-weight:600;max-width:260px;white-space:normal;overflow-wrap:anywhere}
small{display:block;font-size:12px;font-weight:400}
small.better{color:var(--better)}
small.worse{color:var(--worse)}
th.left{text-align:left}
.top{align-items:start}
.wish{font-weight:400;overflow-wrap:anywhere}
tbody th[rowspan]{max-width:none}
tr+tr.begin>*{border-top:2px solid var(--line)}
header.part{border-top:2px solid var(--line);margin-top:48px;padding-top:24px}
tr.best{background:color-mix(in srgb,var(--line) 35%,transparent)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(520px,1fr));gap:16px}
figure{margin:0 0 16px;padding:4px 8px;overflow:hidden;min-width:0}
.two figure{margin:0}
.two{margin-bottom:16px}
.plot p{padding:24px}
aside{padding:16px 22px;font-size:14px}
aside h3{font-size:17px;font-weight:400;margin:0 0 8px}
aside p{max-width:75ch}
details{padding:10px 16px;margin-top:12px}
summary{cursor:pointer;font-weight:600}
pre{overflow-x:auto;font-size:12px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 20px;padding:14px 16px;margin:0}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
@media(max-width:600px){.two{grid-template-columns:1fr}}
@media print{body{background:#fff}section,figure{break-inside:avoid}}
"""

SCRIPT = """
(async () => {
  const json = (element) => JSON.parse(element.textContent);
  const themes = json(document.getElementById("themes"));
  const config = json(document.getElementById("config"));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => themes[dark.matches ? "dark" : "light"];
  const plots = [];
  // the ticks chosen for the whole of a logarithmic axis are too few for a part of it: then plotly's own
  const ticks = (plot, whole) => {
    const change = {};
    for (const name of Object.keys(whole).filter((key) => whole[key].type === "log")) {
      const range = plot.layout[name].range;
      const mode = whole[name].range.every((end, i) => Math.abs(end - range[i]) < 1e-9) ? "array" : "auto";
      if (plot.layout[name].tickmode !== mode) change[name + ".tickmode"] = mode;
    }
    if (Object.keys(change).length) Plotly.relayout(plot, change);
  };
  for (const figure of document.querySelectorAll("figure")) {
    const plot = figure.querySelector(".plot");
    const {data, layout} = json(figure.querySelector("script"));
    try {
      await Plotly.newPlot(plot, data, {...structuredClone(layout), template: theme()}, config);
      plot.on("plotly_relayout", () => ticks(plot, layout));
      plots.push(plot);
    } catch (error) {
      console.error(error);
      plot.innerHTML = "<p>This browser could not draw the figure.</p>";
    }
  }
  dark.addEventListener("change", () => plots.forEach((plot) => Plotly.relayout(plot, {template: theme()})));
  document.documentElement.dataset.drawn = plots.length;
})();
"""
