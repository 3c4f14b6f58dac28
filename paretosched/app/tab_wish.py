"""The first tab of the page: what the owner wants, and the schedule that comes nearest to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fronts.row_schedules import row_policy
from ..plots.style import defined_objectives
from ..simulation.objective import Objective, improvement
from ..wishes.navigation import CLASSES, FREE
from ..wishes.relaxation import smallest_relaxation
from ..wishes.wish import reference_text, wish_text
from . import tags
from .charts import unit_of, value_text
from .desk import Desk
from .state import State, is_brushed
from .state_view import View
from .widgets import (
    button,
    card_host,
    csv_links,
    explained,
    gain_in_words,
    meaning_of,
    number_field,
    screen_label,
    words_field,
)

HINT = "10*AWRT1 + 4*AWRT2, AWRT5 <= 11"
TWICE = 2.0  # times EASY's response time; no group would accept more
MODES = {"ranges": "Ranges", "point": "Reference point", "weights": "Weights", "classes": "Classes"}
HELP = {
    "ranges": "Only schedules within all of these remain; the same as brushing a chart.",
    "point": "Enter the values you would like; the page shows the schedule that comes nearest to them.",
    "weights": "How much an hour of each group counts. The smallest weighted sum wins.",
    "classes": "Starting from the schedule you look at: what shall improve, what may get worse?",
}


def wish_tab(desk: Desk, view: View) -> list[Any]:
    """Return the contents of the tab."""
    state = desk.state
    words = "" if state.wish is None else wish_text(state.wish, hours=True)
    return [
        tags.div(
            [
                tags.span(
                    words_field({"do": "say"}, "text", "Your wish in words; hours and per cent", words, HINT),
                    className="field wide",
                    id="text",
                ),
                tags.button("Send", id="send", className="button strong", title="Send the wish (Enter)"),
                button("Clear", {"do": "say", "text": ""}, id="clear"),
            ],
            className="text",
        ),
        tags.p(desk.remark, className="remark") if desk.remark else None,
        _limits_remark(state),
        _relaxation_offer(desk),
        tags.div(id="left", **{"aria-live": "polite", "data-own": ""}),
        tags.div(
            [tags.button(w, className="choice", **{"data-mode": key}) for key, w in MODES.items()],
            className="tabs modes",
        ),
        *(tags.p(text, className=f"help {key}") for key, text in HELP.items()),
        _wish_table(state, desk, view),
        tags.div(
            [
                tags.button("Find it", id="classify", className="button strong in-classes"),
                button("Compromise", {"do": "compromise"}, title="The schedule whose largest shortfall is smallest"),
                button(
                    "Knee points",
                    {"do": "knees"},
                    title="The schedules that would be missed most, whatever the weights are",
                ),
                _twice_easy(desk),
            ],
            className="row",
        ),
        _schedule_card(desk, view),
        _steps_card(desk, view),
        tags.p(
            ["As CSV: ", *csv_links({"objectives": "reach", "steps": "steps", "what remains": "remaining"})],
            className="quiet",
        ),
        tags.p(f"Saved automatically in {desk.folder.name}, beside the front.", className="quiet"),
    ]


def _relaxation_offer(desk: Desk) -> Any:
    """Return, when nothing remains, the smallest relaxation that leaves some schedules, as a button; else None."""
    wish = desk.state.numbers
    relaxed = None if wish is None else smallest_relaxation(wish, desk.front)
    if relaxed is None or not all(is_brushed(limit) for limit in desk.state.wish.limits):  # type: ignore[union-attr]
        return None
    objectives = {o.name: o for o in desk.front.objectives}
    words = [
        f"{old.objective} {'at least' if new.low < old.low else 'at most'} {value_text(o, end)} {unit_of(o)} "
        f"in place of {value_text(o, was)}"
        for old, new in relaxed.changed
        for o in [objectives[old.objective]]
        for end, was in [(new.low, old.low) if new.low < old.low else (new.high, old.high)]
    ]
    schedules = f"{relaxed.left:,} schedule{' remains' if relaxed.left == 1 else 's remain'}"
    limits = {
        limit.objective: [limit.low or None, None if np.isinf(limit.high) else limit.high]
        for limit in relaxed.wish.limits
    }
    sentence = f"Nothing remains. The least that must give: {', '.join(words)}; then {schedules}."
    return tags.p([sentence, " ", button("Do that", {"do": "limit", "limits": limits}, id="relax")], className="remark")


def _limits_remark(state: State) -> Any:
    """Return a remark about limits that do not count, because what they are relative to is not known; else None."""
    if not state.uncounted_policies:
        return None
    policies = " and ".join(map(reference_text, state.uncounted_policies))
    return tags.p(
        f"not counted, until the workload has been simulated: limits relative to {policies}", className="remark"
    )


def _wish_table(state: State, desk: Desk, view: View) -> Any:
    """Return the table of the objectives: what is reachable, and fields for limits, point, weights and classes."""
    wish = state.wish
    weights = dict(wish.weights) if wish else {}
    near = dict(wish.near) if wish else {}
    limits = {x.objective: x for x in wish.limits if is_brushed(x)} if wish else {}
    classes = {name: (kind, level) for name, kind, level in state.classes}
    rows = []
    for j, o in enumerate(desk.front.objectives):
        if o not in defined_objectives(desk.front):
            continue
        factor = 3600.0 if o.unit == "s" else 1.0
        limit = limits.get(o.name)
        low = "" if limit is None or limit.low == 0 else _six_digits(limit.low / factor)
        high = "" if limit is None or np.isinf(limit.high) else _six_digits(limit.high / factor)
        weight = f"{abs(weights[o.name]):g}" if o.name in weights else ""
        level = _six_digits(near[o.name] / factor) if o.name in near else ""
        kind, bound = classes.get(o.name, (FREE, None))
        best, values = view.best[j], desk.front.values[:, j]
        best_of_all = values.max() if o.maximise else values.min()
        worse = view.left == 0 or best != best_of_all
        rows.append(
            tags.tr(
                [
                    tags.th([o.name, tags.small(meaning_of(o))], scope="row"),
                    tags.td(value_text(o, float(best_of_all)), title="best of all schedules"),
                    tags.td(
                        tags.b(value_text(o, float(best))) if worse else value_text(o, float(best)),
                        className="reach",
                        **{"data-reach": o.name},
                    ),
                    tags.td(
                        number_field(
                            {"do": "limit", "name": o.name}, "low", f"{o.name} at least, {unit_of(o)}", low, factor
                        ),
                        className="in-ranges",
                    ),
                    tags.td(
                        number_field(
                            {"do": "limit", "name": o.name}, "high", f"{o.name} at most, {unit_of(o)}", high, factor
                        ),
                        className="in-ranges",
                    ),
                    tags.td(
                        number_field(
                            {"do": "near", "name": o.name},
                            "value",
                            f"{o.name} to come near to, {unit_of(o)}",
                            level,
                            factor,
                        ),
                        className="in-point",
                    ),
                    tags.td(
                        number_field({"do": "weigh", "name": o.name}, "value", f"weight of {o.name}", weight, 1.0),
                        className="in-weights",
                    ),
                    tags.td(
                        tags.select(
                            [tags.option(c, value=c, selected=c == kind) for c in CLASSES],
                            className="class",
                            **screen_label(f"class of {o.name}"),
                            **{"data-value": kind, "data-name": o.name},
                        ),
                        className="in-classes",
                    ),
                    tags.td(
                        number_field(
                            {"do": "nothing"},
                            "value",
                            f"level of {o.name}, {unit_of(o)}",
                            "" if bound is None else _six_digits(bound / factor),
                            factor,
                            **{"data-name": o.name, "data-level": "1"},
                        ),
                        className="in-classes",
                    ),
                ]
            )
        )
    head = tags.tr(
        [
            tags.td(),
            tags.th("best", scope="col"),
            tags.th("still reachable", scope="col"),
            tags.th("at least", scope="col", className="in-ranges"),
            tags.th("at most", scope="col", className="in-ranges"),
            tags.th("come near", scope="col", className="in-point"),
            tags.th("weight", scope="col", className="in-weights"),
            tags.th("class", scope="col", className="in-classes"),
            tags.th("level", scope="col", className="in-classes"),
        ]
    )
    return tags.div(tags.table([tags.thead(head), tags.tbody(rows)], id="wishes"), className="scroll")


def _twice_easy(desk: Desk) -> Any:
    """Return a button that leaves out schedules that no group would accept: on merged fronts they hide all others."""
    if desk.comparison is None:
        return None
    easy, front = desk.comparison.values[0], desk.front
    groups = [
        j for j, o in enumerate(front.objectives) if o in defined_objectives(front) and o.name not in ("UTIL", "AWRT")
    ]
    limits = {front.objectives[j].name: [None, round(TWICE * float(easy[j]) / 360) * 360.0] for j in groups}
    if all(front.values[:, j].max() <= TWICE * easy[j] for j in groups):
        return None
    title = "Limits each group to twice the response time it has under EASY, and fits the axes to what remains"
    return button("No group over twice EASY", {"do": "limit", "limits": limits, "fit": True}, title=title)


def _schedule_card(desk: Desk, view: View) -> Any:
    """Return the card of the current schedule: why it is value_text, its values, its policy, and schedules like it."""
    state, front, row = desk.state, desk.front, view.row
    picks = [pick.row for pick in state.picks]
    if state.chosen is not None:
        how = (
            {"knee": "a knee point"}.get(state.suggested[0], f"the {state.suggested[0]}")
            if row in state.suggested[1]
            else "chosen"
        )
    elif state.wish is None:
        how = "the compromise, until you enter a wish"
    elif state.wish.weights or state.wish.near:
        how = "nearest to your wish"
    elif view.left:
        how = "the compromise of what remains"
    else:
        how = "nearest to your limits, which leave nothing"
    inside = bool(view.among[row])
    others = list(state.suggested[1]) if state.suggested[1] else list(view.nearest)
    links = [
        button(f"{other}", {"do": "choose", "row": other}, className="link" + (" on" if other == row else ""))
        for other in others
        if len(others) > 1
    ]
    values = [
        tags.tr(
            [
                tags.th(o.name, scope="row"),
                tags.td(f"{value_text(o, float(v))} {unit_of(o)}"),
                *_gain_over_today(desk, o, j, float(v)),
            ]
        )
        for j, (o, v) in enumerate(zip(front.objectives, front.values[row], strict=True))
        if o in defined_objectives(front)
    ]
    link = (
        tags.a(
            "policy.json",
            href=f"policy/{desk.digest}/{row}.json",
            download=f"policy-{row}.json",
            className="button",
            title="The scheduler that makes this schedule",
        )
        if row_policy(front, row)
        else tags.span("knows the future", className="quiet", title="no policy makes this schedule")
    )
    return tags.div(
        [
            tags.div(
                [
                    tags.h3(f"Schedule {row}"),
                    link,
                    tags.span("on the shortlist", className="quiet")
                    if row in picks
                    else button("+ Shortlist", {"do": "pick", "row": row}, id="pick", className="button strong"),
                ],
                className="head",
            ),
            tags.p(how + ("" if inside or not view.left else " · outside your limits"), className="quiet"),
            tags.p(desk.distance(row), id="distance", className="quiet"),
            card_host(desk, row) if desk.today else None,
            tags.div(
                [("knees: " if state.suggested[0] == "knee" else "next best: ") if links else "", *links],
                className="links",
            ),
            explained(f"explain/{desk.digest}/{row}", "row") if row_policy(front, row) else None,
            tags.table([tags.tbody(values)], id="values", **{"data-row": row}),
        ],
        className="card chosen",
    )


def _gain_over_today(desk: Desk, o: Objective, j: int, value: float) -> list[Any]:
    """Return a cell with the difference of a value to that of the owner's scheduler; nothing if it is not known."""
    if desk.today is None:
        return []
    name, values = desk.today
    gain = float(improvement(np.array([value]), values[j : j + 1])[0])
    return [tags.td([gain_in_words(o, gain), tags.small(f" than {name}")])]


def _steps_card(desk: Desk, view: View) -> Any:
    """Return the card of the steps from the current schedule: what 1 % in an objective costs in the others."""
    objectives = defined_objectives(desk.front)
    columns = [(j, o) for j, o in enumerate(desk.front.objectives) if o in objectives]
    head = tags.tr(
        [
            tags.th("1 % better", scope="col"),
            *(tags.th(o.name, scope="col") for _, o in columns),
        ]
    )
    rows = []
    for i, o in columns:
        row = int(view.rows[i])
        there = {"className": "link", "title": f"look at schedule {row}, which this step leads to"}
        step = o.name if row < 0 else button(o.name, {"do": "choose", "row": row}, **there)
        cells: list[Any] = [tags.th(step, scope="row")]
        if row < 0:
            cells.append(tags.td("no such schedule remains", colspan=len(columns), className="quiet left"))
        else:
            for j, _ in columns:
                gain = round(float(view.gains[i, j]), 1) + 0.0
                cells.append(
                    tags.td(
                        "0" if gain == 0 else f"{gain:+,.{0 if abs(gain) >= 100 else 1}f}".replace("-", "−"),
                        className=("own " if i == j else "")
                        + ("better" if gain > 0 else "worse" if gain < 0 else "same"),
                    )
                )
        rows.append(tags.tr(cells))
    return tags.div(
        [
            tags.h3(
                [
                    "What one more per cent costs",
                    tags.small(
                        "the least it costs elsewhere, from this schedule: gains +, losses −, in %; click to go there"
                    ),
                ]
            ),
            tags.div(tags.table([tags.thead(head), tags.tbody(rows)], id="steps"), className="scroll"),
        ],
        className="card",
    )


def _six_digits(value: float) -> str:
    """Return a value for a field, with at most six digits."""
    return f"{value:.6g}"
