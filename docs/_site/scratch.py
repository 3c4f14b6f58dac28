"""Where commands and notebooks of the site run: a folder for each page, made again, and one environment."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

STARTUP = '''\
"""Charts of plotly become a part of the page; the library is loaded once a page."""

from IPython.display import HTML, display


def _show(figure):
    text = figure.to_html(full_html=False, include_plotlyjs=False, default_height=figure.layout.height or 460)
    display(HTML(f'<div class="chart">{text}</div>'))


shown = get_ipython().display_formatter.ipython_display_formatter
shown.for_type_by_name("plotly.graph_objs._figure", "Figure", _show)
'''


def folder(docs: Path) -> Path:
    """Return the folder in which everything runs."""
    return docs / "_build" / "scratch"


def clear(docs: Path) -> None:
    """Make the folder again: a command must not find what an earlier build has left."""
    place = folder(docs)
    shutil.rmtree(place, ignore_errors=True)
    startup = place / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "charts.py").write_text(STARTUP, encoding="utf-8")
    (place / "home").mkdir()


def environment(docs: Path) -> dict[str, str]:
    """Return the environment of commands and notebooks: this Python first, no colours, a home of their own."""
    bin_ = Path(sys.executable).parent
    return {
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "HOME": str(folder(docs) / "home"),
        "IPYTHONDIR": str(folder(docs) / "ipython"),
        "XDG_CACHE_HOME": str(folder(docs) / "home" / "cache"),
        "COLUMNS": "118",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PYTHONWARNINGS": "ignore",
        "JUPYTER_PLATFORM_DIRS": "1",
    }
