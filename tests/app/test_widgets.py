"""Components as text, which the browser puts into the page."""

from dash import html

from paretosched.app.widgets import button, html_text, text_field


def test_nothing_that_an_owner_or_a_log_names_is_read_as_html() -> None:
    hostile = """"><script>alert(1)</script>'"""
    text = html_text([html.P(hostile, title=hostile), None, 3, button(hostile, {"do": "say", "text": hostile})])
    assert "<script" not in text
    assert text.count("<") == 4  # those of a paragraph and a button
    assert html_text(text_field("a", {"do": "cap"}, "text", hostile, hostile, hostile)).count("<script") == 0


def test_attributes_are_written_as_browsers_read_them() -> None:
    cell = html.Td("a", className="x y", rowSpan=2, tabIndex=-1, hidden=False, **{"data-jobs": "3 EASY"})
    assert html_text(cell) == '<td class="x y" rowspan="2" tabindex="-1" data-jobs="3 EASY">a</td>'
