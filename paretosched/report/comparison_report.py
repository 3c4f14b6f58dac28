"""The report of a comparison: one self-contained HTML page."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparison.comparison import BEST, IDEAL, NEAREST, NEAREST_ONLINE, OF_FRONT, ONLINE, Comparison
from ..comparison.comparison_tables import (
    OF_CLASSES,
    OF_EACH,
    WAITS,
    from_submission_text,
    searched_text,
)
from ..comparison.partition_use import OF_PARTITIONS
from ..comparison.reaction_gains import NOTE
from ..comparison.views import SLOWDOWN, whose
from ..comparison.waits_table import people
from ..core.arguments import as_list, instance
from ..core.errors import InputError, number_of
from ..core.files import replacing
from ..core.tables import enumeration, plain
from ..core.version import __version__
from ..encodings.encoding import to_json
from ..fronts.front import extremes, online
from ..fronts.front_files import FrontLike, as_front
from ..plots.axes import unit
from ..plots.comparisons import all_figures, prefix
from ..plots.style import HOUR
from ..simulation.objective import FROM_START, Objective, convention, group_of, is_of_group
from ..simulation.schedule import SLOWDOWN_BOUND
from ..simulation.service import CLASS_BOUND
from ..wishes.wish import Wish, wish_text
from ..workload.machine_description import machine_drawing, machine_words
from ..workload.overruns import overrun_text
from .html_page import page_of
from .html_pieces import OVER_TIME, WIDE, figure, head_cell, number_cell, objective_cell, table, value_text, warning
from .who_waits import waits_table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from ..fronts.front import Front, Origin


def write_report(
    path: str | os.PathLike[str],
    front: FrontLike | Sequence[FrontLike | None] | None,
    comparison: Comparison | Sequence[Comparison],
    pairs: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Write a report that compares policies on one workload or on several, with their fronts if there are any.

    Parameters
    ----------
    path
        The HTML file.
    front
        A front with at least one schedule, or None; with several comparisons one for each. Or the path of a run or a
        front file.
    comparison
        One comparison, or several; each made by `compare` with this front.
    pairs
        Pairs of objectives to draw in full, at most three; by default those of `plots.comparisons.all_figures`.

    Raises
    ------
    InputError
        A front is empty or of another workload than the comparison, a pair cannot be pictures, or the file cannot be
        written.
    """
    page = report(front, comparison, pairs)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def report(
    front: FrontLike | Sequence[FrontLike | None] | None,
    comparison: Comparison | Sequence[Comparison],
    pairs: Sequence[tuple[str, str]] | None = None,
) -> str:
    """Return the text of the report that `write_report` writes."""
    comparisons = [instance("comparison", single, Comparison) for single in as_list(comparison)]
    fronts = [None if like is None else as_front(like) for like in as_list(front)]
    if not comparisons or len(fronts) != len(comparisons):
        raise InputError(
            f"fronts must be one for each comparison, or None, but are {len(fronts)} for {len(comparisons)}"
        )
    for schedules, policies in zip(fronts, comparisons, strict=True):
        if schedules is not None and len(schedules.values) == 0:
            raise InputError(f"front of {schedules.workload} must have at least one schedule, but is empty")
        if schedules is not None and schedules.digest != policies.workload_digest:
            raise InputError(
                f"front must be of the compared workload {policies.workload_name}, but it is of {schedules.workload}; "
                "give the front that was compared, or compare the policies on the workload of the front"
            )
    pictures = all_figures(comparisons, fronts, pairs)
    if len(comparisons) > 1:
        return _of_several(fronts, comparisons, pictures)
    return _of_one(fronts[0], comparisons[0], pictures)


def _of_one(front: Front | None, comparison: Comparison, pictures: Mapping[str, Figure]) -> str:
    """Return the page of one comparison; `pictures` are its figures by name."""
    above = ("objective", "improvements", "positions")  # figures that are not among the trade-offs
    against = [name for name in ("improvements", "positions") if name in pictures]
    name = comparison.workload_name if front is None else front.workload
    body = f"""<header>
<p class="eyebrow">paretosched report</p>
<h1>{html.escape(name)}</h1>
<p class="quiet">{number_of(comparison.jobs, "job")} on {_machine(comparison)}</p>{_overruns(comparison)}
</header>
{warning(comparison.other_machine)}
{_who_waits(comparison)}
{_front_in_brief(front, comparison)}
{_policies(comparison)}
{_wish_section(comparison, pictures)}
{_side_by_side(pictures, against)}
{_waits(comparison, pictures)}{_classes(comparison)}
{"" if front is None else _trade_offs(front, comparison, {k: f for k, f in pictures.items() if k not in above})}
<section>
<h2>Where this comes from</h2>
{_provenance(front, comparison)}{_drawing(comparison)}
</section>"""
    return page_of(f"Schedules of {name}", body)


def _machine(comparison: Comparison) -> str:
    """Return the size of the machine in words, and what to think of if processors are down at times."""
    if comparison.machine is not None:
        return html.escape(machine_words(comparison.machine))
    if not comparison.most_down:
        return number_of(comparison.capacity, "processor")
    return (
        f"{comparison.capacity:,} processors, of which up to {comparison.most_down:,} are down at times: all "
        "schedulers know it beforehand, and utilisation is that of all processors"
    )


def _drawing(comparison: Comparison) -> str:
    """Return the drawing of a machine of nodes; nothing without nodes."""
    if comparison.machine is None:
        return ""
    drawing = html.escape(machine_drawing(comparison.machine))
    return f"<details open><summary>The machine</summary><pre>{drawing}</pre></details>"


def _partitions(comparison: Comparison) -> str:
    """Return the table of what the jobs of each partition use of its nodes; nothing without partitions."""
    if not comparison.partition_means:
        return ""
    resources = list(dict.fromkeys(what for uses in comparison.partition_means.values() for what in uses))
    heads = [head_cell("Partition"), '<th scope="col" class="left">Policy</th>']
    heads += [head_cell(f"{html.escape(what)} in use", "%") for what in resources]
    lines = []
    for name, uses in comparison.partition_means.items():
        for q, policy in enumerate(comparison.policies):
            span = len(comparison.policies)
            first = f'<th scope="rowgroup" rowspan="{span}">{html.escape(name)}</th>' if q == 0 else ""
            cells = [number_cell(plain(uses[what][q, 0]) if what in uses else None, ".1f") for what in resources]
            row = f'{first}<th scope="row" class="left">{html.escape(policy)}</th>{"".join(cells)}'
            lines.append(f"<tr{'' if q else ' class=begin'}>{row}</tr>")
    return f'{table(heads, lines)}<p class="note">{_sentence(OF_PARTITIONS)}.</p>'


def _overruns(comparison: Comparison) -> str:
    """Return what work was cut off when the log was read, or would have been; nothing without such jobs."""
    return "".join(
        f'\n<p class="quiet">{html.escape(_sentence(words))}.</p>' for words in overrun_text(comparison.repairs)
    )


def _of_several(
    fronts: Sequence[Front | None], comparisons: Sequence[Comparison], pictures: Mapping[str, Figure]
) -> str:
    """Return the page of several comparisons; `pictures` are the figures of all by name."""
    names = [comparison.workload_name for comparison in comparisons]
    objective = ""
    if "objective" in pictures:
        wish = next(comparison.wish for comparison in comparisons if comparison.wish is not None)
        objective = f"<section>{_wish_head(wish)}{figure('objective', pictures['objective'])}</section>"
    parts = []
    for number, (front, comparison) in enumerate(zip(fronts, comparisons, strict=True)):
        of_part = {key: chart for key, chart in pictures.items() if key.startswith(prefix(comparisons, number))}
        against = [key for key in of_part if not key.endswith(OVER_TIME)]
        parts.append(f"""<header class="part">
<h1>{html.escape(names[number])}</h1>
<p class="quiet">{number_of(comparison.jobs, "job")} on {_machine(comparison)}</p>{_overruns(comparison)}
</header>
{_who_waits(comparison)}
{_front_in_brief(front, comparison)}
{_policies(comparison)}
{_wish_section(comparison, of_part)}
{_side_by_side(of_part, against)}
{_waits(comparison, of_part)}{_classes(comparison)}
<section>
<h2>Where this comes from</h2>
{_provenance(front, comparison)}
</section>""")
    body = f"""<header>
<p class="eyebrow">paretosched report</p>
<h1>{len(names)} workloads</h1>
<p class="quiet">{html.escape(enumeration(names))}</p>
</header>
{"".join(warning(f"{c.workload_name}: {c.other_machine}") for c in comparisons if c.other_machine)}
{objective}
{"".join(parts)}"""
    return page_of(f"Policies on {len(names)} workloads", body)


def _who_waits(comparison: Comparison) -> str:
    """Return the table of waits, as on the page: a column for each policy, today's first; nothing without waits."""
    if not comparison.waits:
        return ""
    first = comparison.today or 0
    order = [first, *(k for k in range(len(comparison.waits)) if k != first)]
    names = [comparison.policies[k] for k in order]
    heads = [names[0] if comparison.today is None else f"today: {names[0]}", *names[1:]]
    waits = dict(zip(heads, (comparison.waits[k] for k in order), strict=True))
    groups = [group_of(o) for o in comparison.objectives if is_of_group(o.name)]
    question = (
        "" if comparison.wish is None else f"<p>The wish: {html.escape(wish_text(comparison.wish, hours=True))}.</p>"
    )
    return (
        f"<section>\n<h2>Who waits how long</h2>\n{question}{waits_table(waits, people(groups), names[0])}\n</section>"
    )


def _front_in_brief(front: Front | None, comparison: Comparison) -> str:
    """Return the most important numbers of a front, and what they mean in words; nothing without a front."""
    if front is None:
        return ""
    words = "".join(f"<li>{words}</li>" for words in _summary(front, comparison))
    return f'{_tiles(front, comparison)}\n<ul class="summary">{words}</ul>'


def _policies(comparison: Comparison) -> str:
    """Return the section with the table of the policies."""
    has_front = comparison.dominated_by is not None
    better_schedules = (
        """Dominated by: schedules of the front that are at least as good in every objective and better in one;
AWRT does not count for this, because it is a fixed mean of the group times. """
        if has_front
        else ""
    )
    util = from_submission_text(comparison.rows()[: len(comparison.policies)])
    util += [OF_FRONT] if has_front and comparison.util_from != FROM_START else []
    idling = "".join(f"{html.escape(words)}. " for words in util)
    no_schedule = f"{html.escape(_sentence(OF_EACH))}. " if has_front else ""
    today = comparison.today
    against = [*(["today"] if today is not None else []), *(["the front"] if has_front else []), "EASY"]
    over = "" if today is None else f" and the same over {comparison.policies[today]}, which runs the machine today"
    gains = f"{convention(comparison.objectives)}{over}"
    return f"""<section>
<h2>Policies against {" and ".join(against[:2])}</h2>
{_comparison_table(comparison)}
<p class="note">Response times in hours. Below: {html.escape(gains)}; ▲ is better, ▼ is worse.
{idling}{better_schedules}{no_schedule}“–”: undefined, because no job counts, or without a meaning.
{html.escape(_sentence(comparison.ideal_rule))}; each value is a
bound of its own, and there may be no schedule that reaches all of them.</p>
</section>"""


def _wish_section(comparison: Comparison, pictures: Mapping[str, Figure]) -> str:
    """Return the section about the wish: a table and, if there is one, its figure; nothing without a wish."""
    wish = comparison.wish
    if wish is None:
        return ""
    goal = bool(wish.aims)
    front = comparison.best is not None
    heads = [head_cell("Policy")]
    goal_head = ("Goal", "better than EASY") if wish.weights else ("Shortfall", "smaller is better")
    heads += [head_cell(*goal_head)] if goal else []
    heads += [head_cell("Share of the way", "EASY to the front")] if goal and front else []
    possible = any(row["share_of_possible"] is not None for row in comparison.rows())
    heads += [head_cell("Share of the possible", "EASY to the bound")] if possible else []
    heads += [head_cell("Limits exceeded by")] if wish.limits else []
    lines: list[str] = []
    for row in comparison.rows():
        if row["policy"] in (ONLINE, BEST):  # no schedules, so that they have no place in the wish
            continue
        cells = [f'<th scope="row">{html.escape(row["policy"])}</th>']
        if goal:
            share = row["objective_vs_easy"] if wish.weights else row["objective"]
            cells.append(number_cell(share, "+,.1f", " %") if wish.weights else _shortfall(share))
        if goal and front:
            cells.append(number_cell(row["share_of_way"], ",.1f", " %"))
        if possible:
            cells.append(number_cell(row["share_of_possible"], ",.1f", " %"))
        if wish.limits:
            above = row["exceeded"]
            cells.append(number_cell(None if above is None else 100 * above, ",.2f", " %"))
        lines.append(f"<tr{_kind(row)}>{''.join(cells)}</tr>")
    notes = [f"{_sentence(comparison.left_out)}."] if comparison.left_out else []
    if wish.weights:
        notes.append("Goal: (EASY - X) / EASY; positive is better.")
    elif wish.near:
        notes.append("Shortfall: the largest one from the wanted values, as a share of them; negative: better.")
    if goal and front:
        notes.append(
            "Share of the way: from EASY (0 %) to the schedule of the front that comes nearest to the objective "
            "(100 %); undefined if this schedule is not better than EASY, or if a limit is exceeded"
            f"{comparison.cost_of_nearest}."
        )
    if possible:
        notes.append(
            "Share of the possible: from EASY to what is proved that no schedule within the limits can beat (100 %)."
        )
    if wish.limits:
        notes.append(
            "Limits come before everything else; exceeded by: the sum of all amounts beyond limits, as shares."
        )
    beside = figure("objective", pictures["objective"]) if "objective" in pictures else ""
    return f"""<section>
{_wish_head(wish)}
<div class="two top">{table(heads, lines)}{beside}</div>
{f"<p>{html.escape(comparison.distance)}</p>" if comparison.distance else ""}
<p class="note">{html.escape(" ".join(notes))}</p>
</section>"""


def _shortfall(share: float | None) -> str:
    return number_cell(None if share is None else 100 * share, ",.1f", " %")


def _wish_head(wish: Wish) -> str:
    return f'<h2>What the owner wants: <span class="wish">{html.escape(wish_text(wish, hours=True))}</span></h2>'


def _side_by_side(pictures: Mapping[str, Figure], names: Sequence[str]) -> str:
    """Return figures beside each other; nothing if there are none."""
    return f'<div class="two top">{"".join(figure(name, pictures[name]) for name in names)}</div>' if names else ""


def _waits(comparison: Comparison, pictures: Mapping[str, Figure]) -> str:
    """Return the section about waits, slowdowns and how busy the machine is; nothing without waits."""
    if not comparison.waits:
        return ""
    heads = [
        head_cell("Wait of", "jobs"),
        '<th scope="col" class="left">Policy</th>',
        *(head_cell(words, "h") for words in WAITS.values()),
    ]
    heads += [
        head_cell("Slowdown", f"mean, bound {SLOWDOWN_BOUND} s"),
        head_cell("Slowdown", f"median, bound {SLOWDOWN_BOUND} s"),
    ]
    rows = comparison.rows()[: len(comparison.policies)]
    lines = []
    for place in range(len(rows[0]["waits"])):
        for number, row in enumerate(rows):
            waits = row["waits"][place]
            cells = []
            if number == 0:
                name = html.escape(whose(waits))
                jobs = f"<small>{waits['jobs']:,}</small>"
                cells.append(f'<th scope="rowgroup" rowspan="{len(rows)}">{name}{jobs}</th>')
            cells.append(f'<th scope="row" class="left">{html.escape(row["policy"])}</th>')
            for key in WAITS:
                seconds = waits[f"wait_{key}_s"]
                hint = "" if seconds is None else f' title="{seconds:,.0f} s"'
                cells.append(number_cell(None if seconds is None else seconds / HOUR, ",.2f", hint=hint))
            cells += [number_cell(waits[f"{SLOWDOWN}_{key}"], ",.2f") for key in ("mean", "median")]
            lines.append(f"<tr{'' if number else ' class=begin'}>{''.join(cells)}</tr>")
    charts = (figure(name, chart) for name, chart in pictures.items() if name.endswith(OVER_TIME))
    over_time = "".join([_partitions(comparison), *charts])
    return f"""<section>
<h2>How long jobs wait, and how busy the machine is</h2>
<details><summary>The same in hours, to two digits</summary>{table(heads, lines)}
<p class="note">Here, unlike in AWRT, a small job counts as much as a large one. 95 %: so many of the
jobs wait no longer; a wait lasts until the first start. Slowdown: response time / max(run, {SLOWDOWN_BOUND} s), at
least 1. Rest the mouse on a wait to see its seconds.</p></details>
{over_time}
</section>{_reactions(comparison)}"""


def _reactions(comparison: Comparison) -> str:
    """Return the section about users who react; nothing if that was not asked for."""
    if not comparison.reactions:
        return ""
    heads = [head_cell("Policy"), head_cell("Later", "h"), head_cell("Came", "% of the work")]
    heads += [head_cell("Done", "% of the work")]
    for measure in ("Mean wait", "AWRT"):
        heads += [head_cell(measure, "h"), head_cell("against EASY", "as recorded"), head_cell("", "if users react")]
    lines: list[str] = []
    for name, of in zip(comparison.policies, comparison.reactions, strict=True):
        cells = [number_cell(of.later_s / HOUR, "+,.2f"), number_cell(of.came_percent, ".2f")]
        cells += [number_cell(of.done_percent, ".2f")]
        for value, recorded, reacting in (
            (of.wait_mean_s, of.wait_vs_easy_recorded, of.wait_vs_easy),
            (of.AWRT, of.AWRT_vs_easy_recorded, of.AWRT_vs_easy),
        ):
            gains = (None if not lines or np.isnan(gain) else gain for gain in (recorded, reacting))
            cells += [number_cell(value / HOUR, ",.2f"), *(number_cell(gain, "+.1f", " %") for gain in gains)]
        lines.append(f'<tr><th scope="row">{html.escape(name)}</th>{"".join(cells)}</tr>')
    return f"""
<section>
<h2>If users react</h2>
{table(heads, lines)}
<p class="note">{html.escape(_sentence(NOTE))}.</p>
</section>"""


def _classes(comparison: Comparison) -> str:
    """Return the section about the classes of time sharing, with all the time in which jobs wait; nothing without."""
    if not comparison.shares_time:
        return ""
    heads = [head_cell("Class", "size, jobs"), '<th scope="col" class="left">Policy</th>']
    heads += [head_cell("Slowdown", f"bound {CLASS_BOUND} s"), head_cell("Slowdown", "rounded up")]
    heads += [head_cell("Response", "h"), head_cell("Wait", "h"), head_cell("Wait in all", "h"), head_cell("UTIL", "%")]
    lines = []
    for rows in zip(*comparison.classes, strict=True):
        if not rows[0].jobs:
            continue
        for number, (row, policy) in enumerate(zip(rows, comparison.policies, strict=True)):
            name = f"{row.kind}<small>{row.size}, {row.jobs:,}</small>"
            cells = [] if number else [f'<th scope="rowgroup" rowspan="{len(rows)}">{name}</th>']
            cells.append(f'<th scope="row" class="left">{html.escape(policy)}</th>')
            hours = (seconds / HOUR for seconds in (row.response_s, row.wait_s, row.wait_in_all_s))
            values = (row.slowdown, row.slowdown_rounded_up, *hours, row.utilisation_percent)
            cells += [number_cell(value, ",.2f") for value in values]
            lines.append(f"<tr{'' if number else ' class=begin'}>{''.join(cells)}</tr>")
    notes = [_sentence(OF_CLASSES)]
    notes += [
        f"{name}: {searched_text(search)}"
        for name, search in zip(comparison.policies, comparison.searched, strict=True)
        if search is not None
    ]
    return f"""
<section>
<h2>Short, medium and long jobs</h2>
{table(heads, lines)}
<p class="note">{html.escape(". ".join(notes))}.</p>
</section>"""


def _trade_offs(front: Front, comparison: Comparison, pictures: Mapping[str, Figure]) -> str:
    """Return the sections about the front: its figures, and the best schedule of each objective."""
    charts = [name for name in pictures if not name.endswith(OVER_TIME)]
    small, large = [name for name in charts if name not in WIDE], [name for name in charts if name in WIDE]
    return f"""<section>
<h2>Trade-offs</h2>
<div class="two">{"".join(figure(key, pictures[key]) for key in small)}{HOW_TO_READ}</div>
{"".join(figure(key, pictures[key]) for key in large)}
</section>
<section>
<h2>The ends of the front</h2>
{_extremes_table(front, comparison)}
<p class="note">One line an objective: the schedule that is best in it, with its values in all objectives. Response
times in hours.</p>
</section>"""


def _tiles(front: Front, comparison: Comparison) -> str:
    """Return the most important numbers of a front, in large letters."""
    tiles = [(f"{front.evaluations:,}", "schedules evaluated"), (f"{len(front.values):,}", "on the front")]
    offline = int((~online(front)).sum())
    if offline:
        tiles.append((f"{offline:,}", "of these need to know the future"))
    if comparison.dominated_by is not None:
        tiles.append((f"{comparison.dominated_by[0]:,}", "dominate EASY"))
    best = {o.name: row for o, row in extremes(front)}.get("AWRT")
    if best is not None:
        tiles.append((f"{front.values[best, 1] / HOUR:,.2f} h", "shortest AWRT on the front"))
    return '<div class="tiles">' + "".join(f"<div><b>{n}</b><span>{w}</span></div>" for n, w in tiles) + "</div>"


def _summary(front: Front, comparison: Comparison) -> list[str]:
    """Return in plain words what the front is: sentences in HTML."""
    count = len(front.values)
    rule = "no other one is at least as good in every objective and better in one"
    words = [f"{count:,} of {front.evaluations:,} evaluated schedules are on the front: {rule}."]
    spans = [
        f"{_name(o)} from {value_text(o, values.min())} to {value_text(o, values.max())} {unit(o)}"
        for o, values in zip(front.objectives, front.values.T, strict=True)
        if not np.isnan(values).any() and (count == 1 or np.ptp(values) > 0)
    ]
    words += [
        f"All share a {_name(o)} of {value_text(o, values[0])} {unit(o)}, which decides nothing."
        for o, values in zip(front.objectives, front.values.T, strict=True)
        if np.ptp(values) == 0 and count > 1
    ]
    if spans:
        words.append(f"Along the front, {enumeration(spans)}.")
    if comparison.dominated_by is not None and comparison.dominates is not None:
        positions = [
            f"{html.escape(name)} {_position(above, below)}"
            for name, above, below in zip(
                comparison.policies, comparison.dominated_by, comparison.dominates, strict=True
            )
        ]
        words.append(f"Compared with the schedules of the front, {enumeration(positions)}.")
    return words


def _comparison_table(comparison: Comparison) -> str:
    """Return the table of the policies, with the best values on the front and the ideal point."""
    heads = [head_cell("Policy"), *(_objective_head(o) for o in comparison.objectives)]
    has_front = comparison.dominated_by is not None
    today = "" if comparison.today is None else comparison.policies[comparison.today]
    if has_front:
        heads += [head_cell("Dominated by"), head_cell("Dominates")]
    lines: list[str] = []
    for row in comparison.rows():
        cells = [f'<th scope="row">{html.escape(row["policy"])}</th>']
        for o in comparison.objectives:
            gains = {"today": row[f"{o.name}_vs_today"]} if today and row["policy"] != today else {}
            gains |= {"EASY": row[f"{o.name}_vs_easy"]} if lines else {}
            below = [_gain(x, o.maximise, f" vs {over}" if today else "") for over, x in gains.items() if x is not None]
            cells.append(objective_cell(o, row[o.name], "".join(below)))
        if has_front:
            cells += ["<td>–</td>" if row[key] is None else f"<td>{row[key]:,}</td>" for key in COUNTS]
        lines.append(f"<tr{_kind(row)}>{''.join(cells)}</tr>")
    return table(heads, lines)


COUNTS = ("dominated_by", "dominates")


def _extremes_table(front: Front, comparison: Comparison) -> str:
    """Return the table of the schedules that are best in one objective."""
    heads = [head_cell("Best in"), *(_objective_head(o) for o in comparison.objectives)]
    heads += [head_cell("Schedule"), head_cell("Run"), head_cell("Evaluation")]
    lines: list[str] = []
    for objective, row in extremes(front):
        cells = [f'<th scope="row">{objective.name}</th>']
        for o, value in zip(front.objectives, plain(front.values[row]), strict=True):
            cells.append(objective_cell(o, value, strong=o == objective))
        run = front.origins[front.origin[row]].name
        cells += [f"<td>{row:,}</td>", f"<td>{html.escape(run)}</td>", f"<td>{front.evaluation[row]:,}</td>"]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return table(heads, lines)


def _provenance(front: Front | None, comparison: Comparison) -> str:
    """Return the workload, the runs and the versions."""
    groups = ", ".join(
        f"{o.name} is {html.escape(o.label.removeprefix('AWRT of '))}"
        for o in comparison.objectives
        if is_of_group(o.name)
    )
    processors = "processors" if comparison.machine is None else "CPUs"
    facts = {
        "Workload": html.escape(comparison.workload_name if front is None else front.workload),
        "Digest": f"<code>{html.escape(comparison.workload_digest)}</code>",
        f"Jobs, {processors}": f"{comparison.jobs:,}, {comparison.capacity:,}",
        "User groups": groups,
    }
    if front is None:
        facts["paretosched"] = __version__
        return _facts(facts)
    facts["Runs"] = f"{len(front.origins)} with {front.evaluations:,} evaluations"
    facts["Seeds"] = ", ".join(str(seed) for seed in dict.fromkeys(origin.seed for origin in front.origins))
    runs = {"paretosched": __version__, "runs": [_about(origin) for origin in front.origins]}
    listing = html.escape(json.dumps(plain(runs), indent=2, ensure_ascii=False))
    return f"{_facts(facts)}<details><summary>Everything about the runs</summary><pre>{listing}</pre></details>"


def _facts(facts: Mapping[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{key}</dt><dd>{value}</dd>' for key, value in facts.items())}</dl>"


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _about(origin: Origin) -> dict[str, Any]:
    """Return the record of a run without its start orders, which may be many and long."""
    encoding = to_json(origin.encoding)
    if "starts" in encoding:
        encoding["starts"] = f"{len(encoding['starts'])} start orders"
    return origin._asdict() | {"encoding": encoding, "begun": dict(origin.begun), "versions": dict(origin.versions)}


def _objective_head(o: Objective) -> str:
    return head_cell(o.name, f"{html.escape(o.label.removeprefix('AWRT of '))}, {'h' if o.unit == 's' else o.unit}")


def _kind(row: Mapping[str, Any]) -> str:
    """Return the class of a row that is no policy."""
    return ' class="best"' if row["policy"] in (ONLINE, BEST, NEAREST_ONLINE, NEAREST, IDEAL) else ""


def _gain(gain: float, less: bool = False, over: str = "") -> str:
    """Return the cell of a gain, per cent: better if it is positive, or with `less` if it is negative."""
    number = round(gain, 1) + 0.0  # no minus before a zero
    better = number != 0 and (number < 0) == less
    kind, sign = ("same", "") if number == 0 else ("better", "▲ ") if better else ("worse", "▼ ")
    return f'<small class="{kind}">{sign}{number:{"+" if number else ""}.1f} %{over}</small>'


def _name(o: Objective) -> str:
    """Return the name of an objective for a sentence."""
    return "utilisation" if o.name == "UTIL" else o.name


def _position(above: int, below: int) -> str:
    """Return in words how many schedules dominate a schedule, and how many it dominates, see `Comparison`."""
    if above < 0:
        return "has no place, because it uses more processors than the machine has"
    return f"is dominated by {_count(above)} and dominates {_count(below)}"


def _count(count: int) -> str:
    return f"{count:,}" if count else "none"


HOW_TO_READ = """<aside><h3>How to read the figures</h3>
<p>Every point, or every line, is one whole schedule of the workload: the start times of all its jobs. Most schedules
come from one set of rules that could run the machine. Sequences, and schedules that start every job as early as
possible, need to know all run times and submissions in advance; they show how much could still be improved. No
schedule on the front is better than another one in everything, so the owner chooses among them. The marks are the
schedules of the named policies.</p>
<p>The cloud is filled and not a curve, because a front has more objectives than the two of a figure: a point that is
poor in both of them is good in another one.</p>
<p>Drag a rectangle to zoom, double-click to return, rest the mouse on a point to see its numbers; “schedule” is its
row on the front. In the parallel coordinates, drag along an axis to keep only the schedules that pass there, click the
axis to release them, drag a name to move its axis.</p></aside>"""
