"""Figures are exported as pictures."""

import os
from pathlib import Path

import pytest

from paretosched.cli.file_kinds import Kind, kind_of
from paretosched.core.errors import InputError
from paretosched.plots.comparisons import figures
from paretosched.plots.fronts import clouds
from paretosched.report.figure_files import export_figures, write_figure
from support.fronts import a_comparison, a_front
from support.report_page import needs_browser


@pytest.mark.slow
@needs_browser
def test_figures_are_exported_as_pictures(tmp_path):
    pytest.importorskip("kaleido", reason="NO KALEIDO: figures were not exported")
    front = a_front(30)
    by_name = figures(front, a_comparison(front).marks)
    two = {name: by_name[name] for name in ("util-awrt", "parallel")}
    paths = export_figures(two, tmp_path / "figures")
    assert [path.name for path in paths] == [f"{name}.{kind}" for name in two for kind in ("png", "svg", "pdf")]
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(path.name for path in paths)
    starts = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<svg", ".pdf": b"%PDF-"}
    for path in paths:
        assert path.read_bytes().startswith(starts[path.suffix])
        assert kind_of(path) == Kind.FIGURE


def test_export_without_a_browser_is_a_plain_error_and_leaves_nothing(tmp_path, monkeypatch):
    pytest.importorskip("kaleido", reason="NO KALEIDO: figures were not exported")
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "no browser"))
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    front = a_front(30)
    by_name = figures(front, a_comparison(front).marks)
    with pytest.raises(InputError, match="PNG, SVG and PDF need Chrome or Chromium"):
        export_figures({"util-awrt": by_name["util-awrt"]}, tmp_path / "figures")
    assert not (tmp_path / "figures").exists()


def test_export_into_a_file_is_a_plain_error(tmp_path):
    pytest.importorskip("kaleido", reason="NO KALEIDO: figures were not exported")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make this directory"):
        export_figures({}, tmp_path / "file")


@pytest.mark.slow
@needs_browser
def test_only_the_formats_that_were_asked_for_are_exported(tmp_path):
    pytest.importorskip("kaleido", reason="NO KALEIDO: figures were not exported")
    front = a_front(30)
    by_name = {"a": clouds({"one": front.values}, front.objectives, "UTIL", "AWRT")}
    assert export_figures(by_name, tmp_path / "figures", ("png",)) == [tmp_path / "figures" / "a.png"]
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["a.png"]


def test_a_figure_of_somebody_else_without_a_title_is_written(tmp_path: Path) -> None:
    from plotly import graph_objects as go

    write_figure(tmp_path / "gains.html", "Gains", go.Figure(go.Bar(x=["mine"], y=[1.0])))
    assert "<title>Gains</title>" in (tmp_path / "gains.html").read_text(encoding="utf-8")
