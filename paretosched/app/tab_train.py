"""The third tab of the page: online schedulers, trained for the wish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from dash import html

from ..comparison.consequences import NOTABLE, longer_text, percent
from ..core.arrays import Floats
from ..core.tables import enumeration, plain
from ..fronts.front import Front
from ..simulation.objective import Objective, is_of_group, with_group
from ..wishes import nearness
from ..wishes.relative_limits import known_part
from ..wishes.wish import Limit, Wish, exceeded_limits, goal, part_with_jobs, spelled_out, violation
from .cards import question
from .charts import unit_of, value_text
from .desk import Desk
from .state import GREEDY, GUARDED, PRIORITY, RULES, wish_words
from .tab_wish import of_goal
from .trainings import DONE, EFFORTS, FAILED, LEARN_UNTIL, QUEUED, RUNNING, STOPPED, Training, size
from .widgets import asked_part, button, csv_links, gain_in_words, opened_part, progress_bar, screen_label, time_text

CLASSES = {
    GREEDY: ("Greedy", "A formula orders the waiting jobs; the weights of the groups in it are trained (paper 000)"),
    PRIORITY: (
        "Order in words",
        "A formula in words that you can read and change, with reservations of its own for some groups or for all; the "
        "published orders are tried first",
    ),
    GUARDED: (
        "Guarded",
        "The groups in the goal come first while the scheduler, which simulates EASY beside, keeps the limits; learns "
        "from the log and from five parts of it. For wishes with a limit on AWRT or on a group",
    ),
    RULES: (
        "Rules",
        "Rules choose one of thirteen strategies by the state of the machine (paper 001); deploy cannot run them",
    ),
}


def train_tab(contents: Mapping[str, Any]) -> list[Any]:
    """Return the contents of the tab; `contents` are the pieces in it that an answer may change, see `train_pieces`."""
    return [html.Div(contents[name], id=name) for name in ("training", "trainings")]


def train_pieces(desk: Desk) -> dict[str, Any]:
    """Return the parts of the tab that an answer may change, by their ids: how to train, and the trainings."""
    cards: list[Any] = [_training_card(desk, t) for t in desk.known_trainings]
    if cards:
        cards.append(html.P(["As CSV: ", *csv_links({"trainings": "trainings"})], className="quiet"))
    return {"training": _how_to_train(desk), "trainings": cards}


def _how_to_train(desk: Desk) -> Any:
    """Return the buttons that begin a training, or why none can begin yet."""
    if desk.waiting:
        return html.P("The workload is being read and the known schedules simulated …", className="empty")
    if desk.comparison is None:
        return html.P(["Training needs the workload itself. ", desk.trouble], className="empty", id="no-trace")
    if desk.state.wish is None:
        words = "Say what you want on the first tab; then train the online scheduler for it here."
        return html.P(words, className="empty")
    kinds = [
        button(
            name,
            {"do": "look", "kind": kind},
            className="switch",
            title=words,
            **{"data-kind": kind, "aria-pressed": str(kind == desk.state.kind).lower()},
        )
        for kind, (name, words) in CLASSES.items()
    ]
    test = button(
        f"{'☑' if desk.state.test else '☐'} keep the last {100 * (1 - LEARN_UNTIL):.0f} % of the time to test it",
        {"do": "look", "test": not desk.state.test},
        className="check-box",
        id="with-test",
        title="It then learns from the jobs before only, and you see how it does on jobs that it has not seen",
        **{"aria-pressed": str(desk.state.test).lower()},
    )
    efforts = [
        button(
            f"Train · {words}: {size(number, desk.state.kind):,} schedules",
            {"do": "train", "generations": number},
            className="button strong" if number == min(EFFORTS) else "button",
            **{"data-effort": str(number)},
        )
        for number, words in EFFORTS.items()
    ]
    wish = wish_words(desk.state.wish, desk.front)
    meanwhile = "It runs in the background, one wish after another. Go on with your work meanwhile."
    return html.Div(
        [
            html.P(["Train an online scheduler for ", html.B(wish)]),
            html.Div(kinds, className="row", role="group", **screen_label("class of schedulers")),
            html.P(CLASSES[desk.state.kind][1] + ".", className="quiet"),
            html.Div(test, className="row"),
            html.Div(efforts, className="row"),
            html.P(meanwhile, className="quiet"),
        ],
        className="card",
    )


def training_rows(desk: Desk) -> list[dict[str, Any]]:
    """Return the trainings as rows: wish, status, objective values in natural units, and goal and limits in words."""
    easy = None if desk.comparison is None else desk.comparison.beside_front[0]
    names = [o.name for o in desk.front.objectives]
    rows = []
    for t in desk.known_trainings:
        row = {
            "training": t.number,
            "wish": wish_words(t.wish, desk.front),
            "status": t.status,
            "simulated": t.done,
        }
        values = desk.trained_values.get(t.number, np.full(len(names), np.nan))
        share = (
            ""
            if np.isnan(values).all()
            else " ".join(progress(known_part(t.wish, desk.state.policy_values), easy, values, desk.front))
        )
        rows.append({**row, **dict(zip(names, plain(values), strict=True)), "way": share})
    return rows


def _training_card(desk: Desk, t: Training) -> Any:
    """Return the card of a training: its wish, its progress, and what its best policy reaches."""
    words = {
        QUEUED: "waits for the training before it",
        RUNNING: "is learning",
        STOPPED: "stopped; its results are kept" if t.done else "stopped before it began",
        DONE: "done",
        FAILED: t.message,
    }[t.status]
    body: list[Any] = [
        html.Div(
            [
                html.H3([f"trained {t.number}" if t.status == DONE else f"training {t.number}", html.Small(words)]),
                *_buttons(t),
            ],
            className="head",
        ),
        html.P([html.B(wish_words(t.wish, desk.front)), f" · {CLASSES[t.kind][0]}"]),
    ]
    if t.status != DONE:
        words = time_text(t.seconds_left) if t.status == RUNNING else f"{t.done:,} of {t.total:,} simulated"
        body.append(progress_bar(t.done, t.total, words, f"progress of training {t.number}"))
    test = _test_of(t, desk.front) if t.status == DONE else []
    whole = _whole_log(desk, t)
    if test:  # what counts comes first
        body += [*test, *asked_part(f"tested-{t.number}", question(desk, "tested", number=t.number))]
        words = "On all jobs of the log, of which it has learnt from the first part"
        whole = [html.Details([html.Summary(words), *whole], id=f"whole-{t.number}")]
    if t.status == DONE:
        asked = question(desk, "trained", number=t.number)
        body.append(
            opened_part(f"explain-trained-{t.number}", "How to run it, in the shadow first, and what it does", asked)
        )
    body += whole
    return html.Div(
        body,
        className="card training",
        id=f"training-{t.number}",
        **{"data-status": t.status, "data-training": str(t.number)},
    )


def _whole_log(desk: Desk, t: Training) -> list[Any]:
    """Return what the policy of a training, or the best one so far, reaches on all jobs of the log."""
    values = desk.trained_values.get(t.number)
    if values is None and len(t.course) and t.status in (RUNNING, STOPPED):
        values = t.course[-1]
    if values is None or values.size != len(desk.front.objectives) or np.isnan(values).all():
        return []
    easy = None if desk.comparison is None else desk.comparison.beside_front[0]
    told = progress(known_part(t.wish, desk.state.policy_values), easy, values, desk.front)
    cells = [
        html.Td(
            [html.Small(with_group(o)), html.Br(), value_text(o, float(values[j]))],
            **{"data-trained": f"{t.number} {o.name}", "data-value": repr(float(values[j]))},
        )
        for j, o in enumerate(desk.front.objectives)
        if o in desk.front.defined_objectives
    ]
    distance = desk.trained_distance(t) if t.status == DONE else ""
    return [
        *(html.P(html.B(sentence), className="way", **{"data-way": str(t.number)}) for sentence in told),
        html.Table(html.Tbody(html.Tr(cells)), className="small"),
        html.P(f"{of_goal(t.wish, distance)}{distance}", className="quiet"),
        html.P(desk.harm_words(known_part(t.wish, desk.state.policy_values), values), className="harm"),
    ]


def test_sentence(t: Training, front: Front) -> str:
    """Return in one sentence how a trained policy does on the jobs that it has not seen; "" without a test."""
    best = _best_with_rest(t)
    if best is None:
        return ""
    words = "; ".join(_test_words(t, best, front))
    return f"Tested on jobs that it has not seen, those after {100 * (t.until or 0):.0f} % of the time: {words}."


def _best_with_rest(t: Training) -> Mapping[str, Any] | None:
    """Return the row of the trained policy in the result of a training with a test; None without one."""
    rows = t.result.get("systems", []) if t.has_test else []
    return next((row for row in rows if row["best"] and "rest" in row), None)


def _test_of(t: Training, front: Front) -> list[Any]:
    """Return how a trained policy does on the jobs that it has not seen, beside those that it has learnt from."""
    best = _best_with_rest(t)
    if best is None:
        return []
    learnt, rest = best["workloads"][0], best["rest"][0]
    lines = []
    for o in front.defined_objectives:
        cells = []
        if learnt.get(o.name) is None and rest.get(o.name) is None:  # measured since it was trained
            continue
        for part in (learnt, rest):
            value, gain = part.get(o.name), part.get(f"{o.name}_vs_easy")
            is_known = value is not None and gain is not None
            cells.append(html.Td(gain_in_words(o, gain, short=True) if is_known else "–", title=_hours(o, value)))
        lines.append(html.Tr([html.Th(with_group(o), scope="row"), *cells], **{"data-tested": f"{t.number} {o.name}"}))
    head = html.Tr([html.Th(words, scope="col") for words in ("beside EASY", "learnt from", "not seen")])
    return [
        html.P(html.B(test_sentence(t, front)), className="test", **{"data-test": str(t.number)}),
        html.Table([html.Thead(head), html.Tbody(lines)], className="small tested"),
        html.P("Each column is of its own jobs. “Who waits how long” is of all jobs together.", className="quiet"),
    ]


def _hours(o: Objective, value: float | None) -> str:
    """Return a value with its unit, for those who point at a change."""
    return "" if value is None else f"{value_text(o, value)} {unit_of(o)}"


def _test_words(t: Training, best: Mapping[str, Any], front: Front) -> list[str]:
    """Return in words how the goal and the limits of a wish do on jobs that were not learnt from."""
    words = []
    easy = next((row for row in t.result["systems"] if row["system"] == "EASY"), None)
    lacking = [name for name in t.wish.aims if best["rest"][0].get(name) is None]
    if lacking:
        words.append(f"no job there counts in {enumeration(lacking)}")
    if easy is not None and t.wish.aims and best.get("rest_objective", 0.0) is not None:
        gain = best.get("rest_vs_easy")
        if gain is None:
            better = best["rest_objective"] < easy["rest_objective"]
            words.append(f"the goal is {'nearer' if better else 'not nearer'} than with EASY")
        else:
            part = best["rest"][0]
            gains = {name: part.get(f"{name}_vs_easy") for name, _ in t.wish.weights}
            gains |= {"UTIL": -gains["UTIL"]} if gains.get("UTIL") is not None else {}  # there more is better
            each = [
                f"{name} {abs(x):.1f} % {'better' if x >= 0 else 'worse'}" for name, x in gains.items() if x is not None
            ]
            of_each = f" ({', '.join(each)})" if len(each) > 1 else ""
            words.append(f"the goal is {abs(gain):.1f} % {'better' if gain >= 0 else 'worse'} than with EASY{of_each}")
    if t.wish.limits:
        words.append(_tested_limits(t, best, easy, front))
    part = best["rest"][0]
    losses = {with_group(o): part.get(f"{o.name}_vs_easy") for o in front.defined_objectives if is_of_group(o.name)}
    known = [(gain, who) for who, gain in losses.items() if gain is not None]
    if known and min(known)[0] < -NOTABLE:
        words.append(f"{min(known)[1]} is {longer_text(-min(known)[0], 'with EASY')}")
    return words


def _tested_limits(t: Training, best: Mapping[str, Any], easy: Mapping[str, Any] | None, front: Front) -> str:
    """Return in words which limits are exceeded on jobs that were not learnt from, as far as EASY's values tell it."""
    if best["rest_exceeded"] <= 0:
        return "the limits are kept"
    wish = None
    if easy is not None and set(t.wish.references) <= {"easy"}:
        reached, of_easy = (
            np.array([part["rest"][0].get(o.name) for o in front.objectives], dtype=np.float64)  # None becomes NaN
            for part in (best, easy)
        )
        part = part_with_jobs(t.wish, of_easy)
        wish = None if part is None else known_part(part, {"easy": of_easy})
    if wish is None:
        return f"the limits are exceeded by {percent(100 * best['rest_exceeded'])} % in all"
    places = {o.name: k for k, o in enumerate(front.objectives)}
    over = [
        _over_easy(limit, reached[k], of_easy[k])
        for limit, _ in exceeded_limits(wish, reached)
        for k in [places[limit.objective]]
    ]
    return f"the limits are exceeded: {', '.join(over)}"


def _over_easy(limit: Limit, value: float, easy: float) -> str:
    """Return by how much a value differs from EASY's, and how much its limit allows.

    Examples
    --------
    >>> _over_easy(Limit("AWRT4", high=105.0), 111.4, 100.0)
    'AWRT4 is 11.4 % more than with EASY, 5.0 % more allowed'
    >>> _over_easy(Limit("UTIL", low=63.0), 61.8, 60.0)
    'UTIL is 3.0 % more than with EASY, 5.0 % more wanted'
    """
    end = limit.high if value > limit.high else limit.low
    change, allowed = 100 * (value / easy - 1), 100 * (end / easy - 1)
    ways = ["more" if x >= 0 else "less" for x in (change, allowed)]
    word = "allowed" if end == limit.high and allowed >= 0 else "wanted"
    reached = f"{limit.objective} is {abs(change):.1f} % {ways[0]} than with EASY"
    return f"{reached}, {abs(allowed):.1f} % {ways[1]} {word}"


def _buttons(t: Training) -> list[Any]:
    """Return what the owner can do with a training: cancel it, save its policy, or continue it."""
    if t.status in (QUEUED, RUNNING):
        return [button("Cancel", {"do": "cancel", "number": t.number})]
    if t.status == DONE:
        name = f"trained-{t.number}-policy.json"
        return [
            html.A(
                "policy.json",
                href=f"training/{t.number}.json",
                download=name,
                className="button strong",
                **{"data-policy": str(t.number)},
            )
        ]
    return [button("Continue", {"do": "resume", "number": t.number})]


def progress(wish: Wish | None, easy: Floats | None, values: Floats, front: Front) -> list[str]:
    """Return in words what a trained policy reaches: one sentence on the goal of a wish, and one on its limits.

    Both are said apart: whoever keeps the limits may still be worse than EASY in the goal, and the other way round.

    Parameters
    ----------
    wish
        A wish with numbers; None if it is not known.
    easy, values
        (m,) natural units, the objective values of EASY and of the policy.
    front
        Its schedule nearest to the wish is what the way leads to.
    """
    if easy is None or wish is None or np.isnan(nearness.fitness(wish, [values])).any():
        return []
    best = front.values[nearness.nearest_rows(wish, front.values)[0]]
    sentences = []
    if wish.aims:
        first, reached, last = goal(wish, np.array([easy, values, best])).tolist()
        sentences.append(f"Goal: {_way_text(first, reached, last)}.")
    if wish.limits:
        broken = [f"{limit.objective} by {percent(100 * share)} %" for limit, share in exceeded_limits(wish, values)]
        count = len(spelled_out(wish, [o.name for o in front.defined_objectives]).limits)
        kept = f"{len(broken)} of {count} exceeded, {', '.join(broken)}" if broken else "all kept"
        if violation(wish, [best])[0] > 0:
            kept += "; no schedule of the front keeps them all"
        sentences.append(f"Limits: {kept}.")
    return sentences


def _way_text(first: float, reached: float, last: float) -> str:
    """Return how far a goal has come from EASY's value to that of the front; smaller is better."""
    if reached > first:
        return "worse than EASY"
    if not last < first:
        return "better than EASY, which is as good as the front" if reached < first else "as good as EASY"
    share = (first - reached) / (first - last)
    if share > 1:
        return f"{100 * share:.0f} % of the way from EASY to the front, better than any schedule on it"
    return f"{100 * share:.0f} % of the way from EASY to the front"
