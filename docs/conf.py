"""How the site is built: `make docs`, offline, without a warning. What runs commands and draws is in `_site`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from _site import api, command_pages, format_pages, pictures, policy_pages, scratch, summary_pages  # noqa: E402
from jupyter_client import AsyncKernelManager  # noqa: E402
from jupyter_client.connect import ConnectionFileMixin  # noqa: E402

from paretosched import __version__  # noqa: E402

project = "paretosched"
author = "The paretosched authors"
copyright = f"2026, {author}"  # noqa: A001  # Sphinx's name
release = version = __version__
language = "en-GB"

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "_site.commands",
    "_site.results",
    "_site.slurm_walk",
]
exclude_patterns = ["_build", "_site", "reference/policies/*.txt"]
suppress_warnings = ["config.cache"]  # of functions in this file

# What is generated, is generated from the code at every build, and is not kept.
GENERATED = (api, command_pages, format_pages, policy_pages, summary_pages)
scratch.clear(HERE)
for module in GENERATED:
    module.write_pages(HERE)
pictures.write_all(HERE)

# --- pages and notebooks
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4
myst_all_links_external = False
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 300
nb_merge_streams = True
os.environ |= scratch.environment(HERE)
# Kernels listen on sockets of this account, not on ports that others of the machine can reach. Their paths are whole: a
# kernel has a folder of its own, and would make them there while Sphinx waits for it here.
ConnectionFileMixin.transport.default_value = "ipc"
SOCKETS = TemporaryDirectory(prefix="paretosched-")
AsyncKernelManager._ip_default = lambda _: f"{SOCKETS.name}/{uuid4().hex}"

RUNNING = {"commands": "{commands}", "Slurm": "{slurm-commands}", "notebook": "{code-cell}"}

# --- the API
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False

# --- what it looks like
html_theme = "pydata_sphinx_theme"
html_title = f"paretosched {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["charts.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "logo": {"text": "paretosched"},
}
html_sidebars = {"index": [], "glossary": [], "gallery/index": []}
html_context = {"default_mode": "auto"}


def _figures_of_page(app: object, page: str, template: str, context: dict, tree: object) -> None:
    """Give the pages with charts the library that draws them; it is large, and the others do without."""
    body = context.get("body", "")
    if "Plotly.newPlot" in body:
        app.add_js_file("plotly.min.js", loading_method=None)


def _say_what_runs(app: object, page: str, source: list[str]) -> None:
    """Print a line before the commands or the notebook of a page run, which takes minutes for all of them."""
    kinds = [kind for kind, sign in RUNNING.items() if sign in source[0]]
    if kinds:
        print(f"docs/{page}: running its {' and '.join(kinds)}", flush=True)


def _say_writing(app: object, environment: object) -> None:
    """Print a line before all pages are written."""
    print(f"writing {len(environment.all_docs)} pages", flush=True)


def _as_site(app: object, page: str, source: list[str]) -> None:
    """Let the documents that are also read in the repository link to pages of the site."""
    source[0] = summary_pages.on_the_site(source[0])


def setup(app: object) -> None:
    """Copy the chart library beside the pages, so that they need no network."""
    import plotly

    static = HERE / "_static"
    library = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    shutil.copy(library, static / "plotly.min.js")
    app.connect("html-page-context", _figures_of_page)
    app.connect("source-read", _as_site)
    app.connect("source-read", _say_what_runs)
    app.connect("env-updated", _say_writing)
