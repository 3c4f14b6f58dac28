"""The button that leaves out schedules that no group would accept."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dash.development.base_component import Component

from paretosched.app.contents import contents
from paretosched.app.desk import Desk
from paretosched.wishes.navigation import remaining
from support.fronts import a_comparison
from support.page import FRONT, signed_in


def test_schedules_that_no_group_would_bear_are_left_out_by_a_button(tmp_path: Path) -> None:
    values = FRONT.values.copy()
    values[0, 2:] = 1e8
    wild = replace(FRONT, values=values)
    desk = Desk(wild, tmp_path)
    assert "twice EASY" not in written_page(desk)
    desk.comparison = a_comparison(wild, ("EASY",))
    assert "twice EASY" in written_page(desk)
    (action,) = [do for do in button_actions(list(contents(desk).pieces.values())) if do.get("fit")]
    desk.act(action)
    limits = {limit.objective: limit.high for limit in desk.state.wish.limits}
    easy = dict(zip([o.name for o in wild.objectives], desk.comparison.values[0], strict=True))
    assert limits.keys() == {"AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5"}
    assert all(high == pytest.approx(2 * easy[name], abs=180) for name, high in limits.items())
    assert desk.state.fit
    assert not remaining(desk.state.wish, wild)[0]


def button_actions(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the actions that the buttons among elements send to the server."""
    if isinstance(content, Component):
        if hasattr(content, "data-do"):
            yield json.loads(getattr(content, "data-do"))
        yield from button_actions(getattr(content, "children", None))
    elif isinstance(content, list):
        for child in content:
            yield from button_actions(child)


def written_page(desk: Desk) -> str:
    return signed_in(desk).get("/_dash-layout").text
