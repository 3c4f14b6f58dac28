"""The first tab of the page: what the owner wants, and the schedule that comes nearest to it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

import numpy as np
from dash import html

from ..fronts.front import Front
from ..fronts.row_schedules import row_policy, without_policy
from ..simulation.objective import Objective, improvement, is_of_group
from ..wishes.navigation import CLASSES, FREE
from ..wishes.relaxation import smallest_relaxation
from ..wishes.wish import TODAY, Limit, Wish, reference_text, with_limits
from .charts import unit_of, value_text
from .desk import Desk
from .state import State, is_brushed, policy_file, schedule_name, wish_words
from .state_view import View, limits_of
from .widgets import (
    asked_part,
    button,
    capital,
    class_field,
    csv_links,
    gain_in_words,
    group_name,
    meaning_of,
    number_field,
    opened_part,
)

NEAR_EASY = 1.05  # times EASY's response time, which the groups that pay may be asked to bear
TWICE = 2.0  # times EASY's response time; no group would accept more
MODES = {"ranges": "Ranges", "point": "Reference point", "weights": "Weights", "classes": "Classes"}
AWRT_WORDS = "AWRT: the mean response time in hours, in which a job counts by what it takes of the machine."
MORE_WORDS = (
    "Compromise: the schedule whose largest shortfall is smallest. Knee points: where a little less in one thing costs "
    "much in another. Ideal point: what no schedule can beat in any one thing, in hours."
)
HELP = {
    "ranges": "Only schedules within all of these remain; the same as brushing a chart.",
    "point": "Enter the values you would like; the page shows the schedule that comes nearest to them.",
    "weights": "How much an hour of each group counts. The smallest weighted sum wins.",
    "classes": "Starting from the schedule you look at: what shall improve, what may get worse?",
}


def wish_tab(desk: Desk, contents: Mapping[str, Any]) -> list[Any]:
    """Return the contents of the tab; `contents` are the pieces in it that an answer may change, see `wish_pieces`."""
    fields = wish_fields(desk.state, desk.front)
    pieces = {name: html.Div(contents[name], id=name) for name in ("twice", "chosen", "steps")}
    pieces["values"] = html.Div(contents["values"], id="values", tabIndex=0)  # it may be scrolled by keys
    return [
        html.Div(
            [
                pieces["chosen"],
                html.Div(asked_part("card"), id="card", **{"aria-live": "polite"}),
                opened_part("answer", "What it costs whom, and what looser limits would bring"),
                opened_part("explain-row", "How to run this scheduler, and what it does"),
            ],
            className="card chosen",
        ),
        html.Details(
            [
                html.Summary("More: limits, points and weights in AWRT, knees, what one per cent costs"),
                html.P(AWRT_WORDS, className="quiet"),
                html.Div(
                    [html.Button(w, className="choice", **{"data-mode": key}) for key, w in MODES.items()],
                    className="tabs modes",
                ),
                *(html.P(text, className=f"help {key}") for key, text in HELP.items()),
                _wish_table(desk, fields),
                html.Div(
                    [
                        html.Button("Find it", id="classify", className="button strong in-classes"),
                        button(
                            "Compromise", {"do": "compromise"}, title="The schedule whose largest shortfall is smallest"
                        ),
                        button(
                            "Knee points",
                            {"do": "knees"},
                            title="The schedules that would be missed most, whatever the weights are",
                        ),
                        pieces["twice"],
                    ],
                    className="row",
                ),
                html.P(MORE_WORDS, className="quiet"),
                html.Div(pieces["values"], className="card"),
                pieces["steps"],
                html.P(
                    ["As CSV: ", *csv_links({"objectives": "reach", "steps": "steps", "what remains": "remaining"})],
                    className="quiet",
                ),
            ],
            id="more",
        ),
        html.P(f"Saved automatically in {desk.folder.name}, beside the front.", className="quiet"),
    ]


def wish_pieces(desk: Desk, view: View) -> dict[str, Any]:
    """Return the parts of the tab that an answer may change, by their ids. No field is in them: it would lose its text.

    They are the remarks, buttons, and the chosen schedule.
    """
    return {
        "remarks": [
            html.P(desk.remark, className="remark") if desk.remark else None,
            _limits_remark(desk.state),
            _other_reference(desk),
            _relaxation_offer(desk),
        ],
        "twice": [_twice_easy(desk), _near_easy(desk)],
        "chosen": _schedule_head(desk, view),
        "values": _value_table(desk, view),
        "steps": _steps_card(desk, view),
    }


def of_goal(wish: Wish | None, distance: str) -> str:
    """Return what stands before the sentence of a distance, if that has per cent in it."""
    is_gain = wish is not None and bool(wish.weights) and not distance.startswith("no ")
    return "Better than EASY in your goal: " if distance and is_gain else ""


def best_values(front: Front, view: View) -> dict[str, dict[str, Any]]:
    """Return the best value of all schedules and of those that remain, as text, and whether they differ, by objective.

    The browser writes them into the table: as a piece of Dash each, they made answers slower.
    """
    found = {}
    for j, o in enumerate(front.objectives):
        if o in front.defined_objectives:
            of_all = front.values[:, j].max() if o.maximise else front.values[:, j].min()
            texts = {"best": value_text(o, float(of_all)), "reach": value_text(o, float(view.best[j]))}
            found[o.name] = {**texts, "worse": bool(view.left == 0 or view.best[j] != of_all)}
    return found


def wish_fields(state: State, front: Front) -> dict[str, str]:
    """Return the texts of all fields of the tab, by their ids: what the wish of a state says."""
    wish = state.wish
    weights = dict(wish.weights) if wish else {}
    near = dict(wish.near) if wish else {}
    limits = {x.objective: x for x in wish.limits if is_brushed(x)} if wish else {}
    classes = {name: (kind, level) for name, kind, level in state.classes}
    fields = {"text": "" if wish is None else wish_words(wish, front)}
    for j, o in enumerate(front.objectives):
        if o not in front.defined_objectives:
            continue
        factor = _factor(o)
        limit = limits.get(o.name)
        fields[f"low-{j}"] = "" if limit is None or limit.low == 0 else _six_digits(limit.low / factor)
        fields[f"high-{j}"] = "" if limit is None or np.isinf(limit.high) else _six_digits(limit.high / factor)
        fields[f"near-{j}"] = _six_digits(near[o.name] / factor) if o.name in near else ""
        fields[f"weight-{j}"] = f"{abs(weights[o.name]):g}" if o.name in weights else ""
        kind, bound = classes.get(o.name, (FREE, None))
        fields[f"class-{j}"] = kind
        fields[f"level-{j}"] = "" if bound is None else _six_digits(bound / factor)
    return fields


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
    return html.P([sentence, " ", button("Do that", {"do": "limit", "limits": limits}, id="relax")], className="remark")


def _limits_remark(state: State) -> Any:
    """Return a remark about limits that do not count, because what they are relative to is not known; else None."""
    if not state.uncounted_policies:
        return None
    policies = " and ".join(map(reference_text, state.uncounted_policies))
    return html.P(
        f"not counted, until the workload has been simulated: limits relative to {policies}", className="remark"
    )


def _other_reference(desk: Desk) -> Any:
    """Return that limits are relative to the scheduler that the owner had when they were set, and a button; or None."""
    wish = desk.state.wish
    if wish is None or desk.workload is None:
        return None
    *_, began = takewhile(lambda step: step.state.wish == wish, reversed(desk.history.until_now))
    before, now = desk.reference_of(began.state.mine), desk.reference_of(desk.state.mine)
    meant = (before, TODAY) if before == "recorded" else (before,)
    if before == now or not {*meant} & {*wish.references}:
        return None
    limits = [limit._replace(of=now) if limit.of in meant else limit for limit in wish.limits]
    text, word = wish_words(with_limits(wish, limits), desk.front), reference_text(now)
    words = f"The limits of your wish stay relative to {reference_text(before)}, your scheduler when you set them."
    do = button(f"Make them relative to {word}", {"do": "say", "text": text}, id="other-reference", title=text)
    return html.P([words, " ", do], className="remark")


def _wish_table(desk: Desk, fields: Mapping[str, str]) -> Any:
    """Return the table of the objectives: what is reachable, and fields for limits, point, weights and classes."""
    objectives = [(j, o) for j, o in enumerate(desk.front.objectives) if o in desk.front.defined_objectives]
    rows = [_wish_row(j, o, fields) for j, o in objectives]
    heads = {
        "best": "", "still reachable": "", "at least": "in-ranges", "at most": "in-ranges", "come near": "in-point",
        "weight": "in-weights", "class": "in-classes", "level": "in-classes",
    }  # fmt: skip
    head = html.Tr([html.Td(), *(html.Th(words, scope="col", className=mode) for words, mode in heads.items())])
    return html.Div(html.Table([html.Thead(head), html.Tbody(rows)], id="wishes"), className="scroll")


def _wish_row(j: int, o: Objective, fields: Mapping[str, str]) -> Any:
    """Return the row of objective j in the table of the objectives."""
    factor, unit, name = _factor(o), unit_of(o), o.name
    limit, near = {"do": "limit", "name": name}, {"do": "near", "name": name}

    def cell(key: str, do: Mapping[str, Any], part: str, label: str, mode: str, factor: float, **more: str) -> Any:
        field = number_field(f"{key}-{j}", do, part, label, fields[f"{key}-{j}"], factor, **more)
        return html.Td(field, className=mode)

    return html.Tr(
        [
            html.Th([name, html.Small(meaning_of(o))], scope="row"),
            html.Td(id=f"best-{j}", title="best of all schedules", **{"data-best": name}),
            html.Td(id=f"reach-{j}", className="reach", **{"data-reach": name}),
            cell("low", limit, "low", f"{name} at least, {unit}", "in-ranges", factor),
            cell("high", limit, "high", f"{name} at most, {unit}", "in-ranges", factor),
            cell("near", near, "value", f"{name} to come near to, {unit}", "in-point", factor),
            cell("weight", {"do": "weigh", "name": name}, "value", f"weight of {name}", "in-weights", 1.0),
            html.Td(class_field(f"class-{j}", name, CLASSES, fields[f"class-{j}"]), className="in-classes"),
            cell(
                "level", {"do": "nothing"}, "value", f"level of {name}, {unit}", "in-classes", factor,
                **{"data-level": name},
            ),
        ]
    )  # fmt: skip


def _twice_easy(desk: Desk) -> Any:
    """Return a button that leaves out schedules that no group would accept: on merged fronts they hide all others."""
    if desk.comparison is None:
        return None
    easy, front = desk.comparison.values[0], desk.front
    groups = [j for j, o in enumerate(front.objectives) if o in front.defined_objectives and is_of_group(o.name)]
    limits = {front.objectives[j].name: [None, round(TWICE * float(easy[j]) / 360) * 360.0] for j in groups}
    if all(front.values[:, j].max() <= TWICE * easy[j] for j in groups):
        return None
    title = "Limits each group to twice the response time it has under EASY, and fits the axes to what remains"
    return button("No group over twice EASY", {"do": "limit", "limits": limits, "fit": True}, title=title)


def _near_easy(desk: Desk) -> Any:
    """Return a button that lets no group that is not in the goal be much slower than with EASY."""
    wish = desk.state.wish
    if desk.comparison is None or (wish is not None and any(limit.of for limit in wish.limits)):
        return None
    has_goal = wish is not None and bool(wish.aims)
    names = {o.name for o in desk.front.defined_objectives if is_of_group(o.name)}
    if wish is not None and has_goal and names <= set(wish.aims):
        return None  # there is no other group
    words = f"{'others' if has_goal else 'all'} <= {NEAR_EASY:g}*EASY"
    title = f"Adds “{words}” to the wish" + (": the groups that are not in your goal" if has_goal else "")
    text = words if wish is None else f"{wish_words(wish, desk.front)}, {words}"
    label = f"AWRT of {'others' if has_goal else 'all'} at most {100 * (NEAR_EASY - 1):.0f} % over EASY"
    return button(label, {"do": "say", "text": text}, title=title, id="near-easy")


def _schedule_head(desk: Desk, view: View) -> list[Any]:
    """Return the head of the card of the current schedule: why it is shown, its policy, and schedules like it."""
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
    elif state.wish.aims:
        how = "nearest to your wish" + ("" if view.left else ", whose limits no schedule keeps")
    elif view.left:
        how = "the compromise of what remains"
    else:
        how = "nearest to your limits, which leave nothing"
    inside, distance = bool(view.among[row]), desk.distance(row)
    others = list(state.suggested[1]) if state.suggested[1] else list(view.nearest)
    links = [
        button(
            f"{front.evaluation[other]}",
            {"do": "choose", "row": other},
            className="link" + (" on" if other == row else ""),
        )
        for other in others
        if len(others) > 1
    ]
    link = (
        html.A(
            "policy.json",
            href=f"policy/{desk.digest}/{row}.json",
            download=policy_file(front, row),
            className="button",
            title="The scheduler that makes this schedule",
        )
        if row_policy(front, row)
        else html.Span(without_policy(front, row), className="quiet", title="no policy makes this schedule")
    )
    return [
        html.Div(
            [
                html.H3(capital(schedule_name(front, row))),
                link,
                html.Span("on the shortlist", className="quiet")
                if row in picks
                else button("+ Shortlist", {"do": "pick", "row": row}, id="pick", className="button strong"),
            ],
            className="head",
        ),
        html.P(
            f"{how}{'' if inside or not view.left else ' · outside your limits'} · row {row} of the front: "
            "none there beats another in everything",
            className="quiet",
        ),
        html.P([of_goal(state.wish, distance), html.Span(distance, id="distance")], className="quiet"),
        html.Div(
            [("knees: " if state.suggested[0] == "knee" else "best first: ") if links else "", *links],
            className="links",
        ),
    ]


def _value_table(desk: Desk, view: View) -> Any:
    """Return the table of the values of the current schedule, beside those of the owner's scheduler."""
    front, row = desk.front, view.row
    limits = limits_of(desk.state, front)
    values = [
        html.Tr(
            [
                html.Th([o.name, html.Small(meaning_of(o))], scope="row"),
                html.Td(
                    [f"{value_text(o, float(v))} {unit_of(o)}"]
                    + ([html.Br(), _limit_text(limits[o.name], o, float(v))] if o.name in limits else [])
                ),
                *_gain_over_today(desk, o, j, float(v)),
            ]
        )
        for j, (o, v) in enumerate(zip(front.objectives, front.values[row], strict=True))
        if o in front.defined_objectives
    ]
    return html.Table([html.Tbody(values)], **{"data-row": row})


def _limit_text(limit: Limit, o: Objective, value: float) -> Any:
    """Return a limit, and whether a value keeps it."""
    ends = [
        f"{words} {value_text(o, end)}"
        for words, end in (("at least", limit.low), ("at most", limit.high))
        if 0 < end < np.inf
    ]
    kept = limit.low <= value <= limit.high
    return html.Span(f"{'✓' if kept else '✗'} {', '.join(ends)}", className="better" if kept else "worse")


def _gain_over_today(desk: Desk, o: Objective, j: int, value: float) -> list[Any]:
    """Return cells with the difference of a value to that of the owner's scheduler, and to EASY; none if not known."""
    if desk.today is None or desk.easy is None:
        return []
    beside = dict([desk.today, (desk.known_names[0], desk.easy)])
    gains = {name: float(improvement(np.array([value]), values[j : j + 1])[0]) for name, values in beside.items()}
    return [
        html.Td([gain_in_words(o, gain), html.Small(f" {'as' if round(gain, 1) == 0 else 'than'} {name}")])
        for name, gain in gains.items()
    ]


def _steps_card(desk: Desk, view: View) -> Any:
    """Return the card of the steps from the current schedule: what 1 % in an objective costs in the others."""
    objectives = desk.front.defined_objectives
    columns = [(j, o) for j, o in enumerate(desk.front.objectives) if o in objectives]
    head = html.Tr(
        [
            html.Th("1 % better", scope="col"),
            *(html.Th([o.name, html.Small(group_name(o))], scope="col") for _, o in columns),
        ]
    )
    rows = []
    for i, o in columns:
        row = int(view.rows[i])
        there = {"className": "link", "title": f"look at {schedule_name(desk.front, row)}, which this step leads to"}
        step = o.name if row < 0 else button(o.name, {"do": "choose", "row": row}, **there)
        cells: list[Any] = [html.Th(step, scope="row")]
        if row < 0:
            cells.append(html.Td("no such schedule remains", colSpan=len(columns), className="quiet left"))
        else:
            for j, _ in columns:
                gain = round(float(view.gains[i, j]), 1) + 0.0
                cells.append(
                    html.Td(
                        "0" if gain == 0 else f"{gain:+,.{0 if abs(gain) >= 100 else 1}f}".replace("-", "−"),
                        className=("own " if i == j else "")
                        + ("better" if gain > 0 else "worse" if gain < 0 else "same"),
                    )
                )
        rows.append(html.Tr(cells))
    return html.Div(
        [
            html.H3(
                [
                    "What one more per cent costs",
                    html.Small(
                        "the least it costs elsewhere, from this schedule: gains +, losses −, in %; click to go there"
                    ),
                ]
            ),
            html.Div(html.Table([html.Thead(head), html.Tbody(rows)]), className="scroll"),
        ],
        className="card",
    )


def _factor(o: Objective) -> float:
    """Return what leads from a number in a field of the objective to natural units."""
    return 3600.0 if o.unit == "s" else 1.0


def _six_digits(value: float) -> str:
    """Return a value for a field, with at most six digits."""
    return f"{value:.6g}"
