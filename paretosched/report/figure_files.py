"""Figures as files: HTML, PNG, SVG and PDF."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.arguments import as_path, instance, list_argument, mapping
from ..core.errors import InputError, one_of
from ..core.extras import missing_extra
from ..core.files import replacing
from .html_page import as_figure, write_figures
from .html_pieces import WIDE

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

FORMATS = ("png", "svg", "pdf")


def export_figures(
    drawn: Mapping[str, Figure], directory: str | os.PathLike[str], formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Write figures as pictures, through one Chrome or Chromium for all of them.

    Parameters
    ----------
    drawn
        Figures by name, as `plots.comparisons.figures` returns them; the name becomes the file's.
    directory
        The folder of the files; it is created if it does not exist, but not its parents.
    formats
        Some of "png", "svg" and "pdf".

    Returns
    -------
    list of Path
        The files, such as NAME.png and NAME.svg, for each figure.

    Raises
    ------
    InputError
        There is no kaleido, Chrome or Chromium, the directory cannot be written, or a figure is none.
    """
    target = as_path(directory)
    for name, figure in mapping("figures", drawn).items():
        as_figure(figure)
        instance("name of a figure", name, str)
    for ending in list_argument("formats", formats):
        one_of("format", ending, FORMATS)
    try:
        fresh = not target.exists()
        target.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{target}: cannot make this directory: {error.strerror}") from None
    paths = [target / f"{name}.{ending}" for name in drawn for ending in formats]
    try:
        _export({path: (drawn[path.stem], path.stem.endswith(WIDE)) for path in paths})
    except BaseException:
        if fresh:
            with suppress(OSError):  # unless it holds figures already
                target.rmdir()
        raise
    return paths


def write_figure(path: str | os.PathLike[str], title: str, drawn: Figure, caption: str = "") -> None:
    """Write one figure as wide as a page, as HTML, PNG, SVG or PDF: the end of the file's name decides.

    Parameters
    ----------
    path
        The file.
    title, caption
        Plain text above and below the figure; only in HTML.
    drawn
        The figure.

    Raises
    ------
    InputError
        The name has another ending, the file cannot be written, or there is no kaleido, Chrome or Chromium for
        what is not HTML.
    """
    target = as_path(path)
    ending = target.suffix[1:].lower()
    instance("caption", caption, str)
    if ending == "html":
        write_figures(target, title, {"figure": drawn}, {"figure": caption})
    elif ending in FORMATS:
        _export({target: (as_figure(drawn), True)})
    else:
        raise InputError(f"{target}: the name of a figure must end in .html, .png, .svg or .pdf")


def _export(figures: Mapping[Path, tuple[Figure, bool]]) -> None:
    """Write figures, each with whether it is wide, through one browser; the names of the files set the formats."""
    try:
        import kaleido
        from choreographer.errors import BrowserFailedError, ChromeNotFoundError
    except ImportError as error:
        raise missing_extra(error) from None
    with ExitStack() as stack:
        jobs = [
            {
                "fig": figure,
                "path": stack.enter_context(replacing(path)),
                "opts": {"format": path.suffix[1:].lower(), **_size(figure, wide, path.suffix.lower() == ".png")},
            }
            for path, (figure, wide) in figures.items()
        ]
        # Without MathJax, which would be fetched, and with a proxy that does not exist, it reaches no network.
        offline = {"mathjax": False, "proxy_server": "127.0.0.1:9"}
        try:
            kaleido.write_fig_from_object_sync(jobs, kopts=offline, cancel_on_error=True)
        except (ChromeNotFoundError, BrowserFailedError):
            raise InputError(
                "PNG, SVG and PDF need Chrome or Chromium, but none was found that starts; "
                "install one, or name it in the environment variable BROWSER_PATH"
            ) from None


def _size(figure: Figure, wide: bool, pixels: bool) -> dict[str, int]:
    """Return the size for which labels were placed; PNG has two or three times as many pixels."""
    return {
        "width": 1180 if wide else 620,
        "height": figure.layout.height or 480,
        "scale": (2 if wide else 3) if pixels else 1,
    }
