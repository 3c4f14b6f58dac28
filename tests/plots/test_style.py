"""Words of users in figures."""

from paretosched.plots.comparisons import figures
from paretosched.plots.style import text
from support.fronts import a_front


def test_names_of_logs_reach_plotly_as_text():
    hostile = '<a href="https://example.org">%{x}</a>'
    front = a_front(20, name=hostile, groups=(hostile, "b"))
    for figure in figures(front, {hostile: front.values[0]}).values():
        assert "<a" not in figure.to_json().replace("\\u003c", "<")
    assert "%{" not in text("%{x}")
