"""The report of a comparison: one self-contained HTML page."""

from __future__ import annotations

import html
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparison.comparison import BEST, IDEAL, NEAREST, NEAREST_ONLINE, OF_FRONT, ONLINE, Comparison
from ..comparison.comparison_tables import (
    INTERVALS,
    OF_CLASSES,
    OF_EACH,
    from_submission_text,
    in_words,
    searched_text,
    with_sign,
)
from ..comparison.consequences import MANY, duration, most_important, percent, two_times
from ..comparison.intervals import LEAST_WEEKS, PERCENT, wait_names, without_interval
from ..comparison.partition_use import OF_PARTITIONS
from ..comparison.reaction_gains import NOTE
from ..comparison.several_logs import joint_gains
from ..comparison.views import View
from ..comparison.waits_table import people
from ..core.arguments import as_list, instance
from ..core.arrays import Floats
from ..core.errors import InputError, number_of
from ..core.files import replacing
from ..core.tables import enumeration, plain
from ..core.version import __version__
from ..encodings.encoding import to_json
from ..fronts.front_files import FrontLike, as_front
from ..fronts.row_schedules import row_name, row_policy, without_policy
from ..plots.style import HOUR
from ..simulation.objective import FROM_START, Objective, convention, group_of, is_of_group
from ..simulation.service import CLASS_BOUND
from ..wishes.wish import Wish, exceeded_limits, groups_asked, is_defined, wish_text
from ..wishes.wish_grammar import names_in_words
from ..workload.machine_description import machine_drawing, machine_words
from ..workload.measures import is_measure, measure_of
from ..workload.overruns import overrun_text
from ..workload.time_split import WEEK
from .html_page import PICKS, page_of
from .html_pieces import head_cell, number_cell, objective_cell, table, warning
from .svg import Drawn, axes, parallel
from .who_waits import waits_table

if TYPE_CHECKING:
    from ..fronts.front import Front, Origin

FAR = 2.0  # times EASY's response time; axes do not reach as far
NOT_TODAY = (
    "EASY is a textbook scheduler. What runs today is not here, so that it is open whether anything is better than "
    "that; <code>compare --today slurm.conf</code> puts it beside."
)
HOW_TO_RUN = """<p>POLICY is the file of a policy; words, such as "sjf; backfill: easy", go into a file whose name ends
in .txt. LOG is a later log.</p>
<ol class="steps">
<li>See what a policy does, and its lines for slurm.conf.<br><code>paretosched explain POLICY</code></li>
<li>Let it run in the shadow for a week: nothing is changed, what it would do is written down.<br>
<code>paretosched deploy POLICY --to slurm{groups} --dry-run --period 30</code></li>
<li>Look at what it would have changed, and at what it promised.<br>
<code>paretosched review LOG --policy POLICY{groups} --since DATE --log POLICY.deploy/deploy.jsonl</code></li>
<li>Run it, and undo it with <code>--off</code>.<br><code>paretosched deploy POLICY --to slurm{groups}</code></li>
</ol>"""


def write_report(
    path: str | os.PathLike[str],
    front: FrontLike | Sequence[FrontLike | None] | None,
    comparison: Comparison | Sequence[Comparison],
) -> None:
    """Write a report that compares policies on one workload or on several, with their fronts if there are any.

    Parameters
    ----------
    path
        The HTML file, of less than 500 kB for one workload.
    front
        A front with at least one schedule, or None; with several comparisons one for each. Or the path of a run or a
        front file.
    comparison
        One comparison, or several; each made by `compare` with this front.

    Raises
    ------
    InputError
        A front is empty or of another workload than the comparison, or the file cannot be written.
    """
    page = report(front, comparison)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def report(front: FrontLike | Sequence[FrontLike | None] | None, comparison: Comparison | Sequence[Comparison]) -> str:
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
    parts = "".join(_part(schedules, each) for schedules, each in zip(fronts, comparisons, strict=True))
    if len(comparisons) == 1:
        return page_of(f"Schedulers compared on the jobs of {comparisons[0].workload_name}", parts)
    title = f"Policies on {len(comparisons)} workloads"
    names = enumeration([each.workload_name for each in comparisons])
    head = f'<header><h1>{title}</h1><p class="quiet">{html.escape(names)}</p></header>'
    return page_of(title, f"{head}{_joint_gains(comparisons)}{parts}")


def _part(front: Front | None, comparison: Comparison) -> str:
    """Return the report of one comparison: what an owner decides by comes first, and the measures of papers later."""
    return f"""<header class="part">
<p class="eyebrow">paretosched report</p>
<h1>Schedulers compared on the jobs of {html.escape(comparison.workload_name)}</h1>
<p class="quiet">{number_of(comparison.jobs, "job")} on {_machine(comparison)}, submitted in \
{duration(comparison.span)}</p>{_overruns(comparison)}
</header>
{warning(comparison.other_machine)}{"".join(map(warning, comparison.doubts))}
<section>
<h2>The question</h2>
{_question(comparison)}
</section>
{_who_waits(comparison)}
{_costs(comparison)}
<section>
<h2>How sure is it?</h2>
{_how_sure(front, comparison)}
</section>
<section>
<h2>How to run it</h2>
{_not_yet(comparison)}{HOW_TO_RUN.format(groups=html.escape(_option_of_groups(comparison)))}
{_nearest(front, comparison)}
</section>
{_policies(comparison)}
{"" if front is None else _figure(front, comparison)}
{_wish_section(comparison)}
{_reactions(comparison)}{_classes(comparison)}
<section>
<h2>The machine, and where this comes from</h2>
{_drawing(comparison)}{_partitions(comparison)}
{_provenance(front, comparison)}
</section>"""


def _option_of_groups(comparison: Comparison) -> str:
    """Return the option that names the list of groups, "" if no list made them."""
    return f" --groups {shlex.quote(comparison.group_list)}" if comparison.group_list else ""


def _joint_gains(comparisons: Sequence[Comparison]) -> str:
    """Return the table of the gains in the goal over EASY on each workload; nothing without a wish."""
    gains = joint_gains(comparisons)
    if not gains:
        return ""
    names = list(dict.fromkeys(name for row in gains.values() for name in row))
    lines = [
        f'<tr><th scope="row">{html.escape(policy)}</th>'
        f"{''.join(number_cell(row.get(name), '+,.1f', ' %') for name in names)}</tr>"
        for policy, row in gains.items()
    ]
    heads = [head_cell("Policy"), *(head_cell(html.escape(name)) for name in names)]
    return f"<section><h2>The goal against EASY, on each workload</h2>{table(heads, lines)}</section>"


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


def _question(comparison: Comparison) -> str:
    """Return what is asked, in a sentence or two."""
    others = [html.escape(name) for name in comparison.policies[1:]]
    asked = f"How do jobs wait under {enumeration(others)}, beside EASY?" if others else "How do jobs wait under EASY?"
    if comparison.today is None:
        asked += f" {NOT_TODAY}"
    if comparison.wish is None:
        return f"<p>{asked}</p>"
    words = html.escape(wish_text(comparison.wish, hours=True, names=names_in_words(comparison.objectives)))
    return f'<p>{asked} The wish: <span class="wish">{words}</span>.</p>{_limits(comparison)}'


def _limits(comparison: Comparison) -> str:
    """Return for each policy, and for the schedule of the front, whether it keeps the limits of the wish, in a line."""
    wish = comparison.wish_here
    if wish is None or not wish.limits or not is_defined(wish, comparison.values[0]):
        return ""
    items = [
        f"<li>{html.escape(name)}: {html.escape(limits_text(wish, values, comparison.objectives))}.</li>"
        for name, values in _values(comparison).items()
    ]
    return f'<ul class="summary">{"".join(items)}</ul>'


def limits_text(wish: Wish, values: Floats, objectives: Sequence[Objective]) -> str:
    """Return whether values, (m,) natural units, keep the limits of a wish in numbers, and for whom they are broken.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> from paretosched.wishes.wish import Limit
    >>> wish = Wish(limits=[Limit("AWRT1", high=20), Limit("AWRT2", high=40), Limit("AWRT", high=1)])
    >>> limits_text(wish, np.array([60.0, 29.9, 29.8, 30]), objective_table(("physics", "bio")))
    'limits broken for all jobs (30 times what it may be) and physics (by 49 %)'
    """
    names = {o.name: group_of(o) for o in objectives if is_of_group(o.name)}
    worst: dict[str, float] = {}
    for limit, share in exceeded_limits(wish, values):
        of = limit.objective
        who = (measure_of(of).of if is_measure(of) else names.get(of)) or "all jobs"
        who = f"group {who}" if who.isdigit() else who
        worst[who] = max(worst.get(who, 0.0), 100 * share)
    if not worst:
        return "limits kept"
    broken = sorted(worst.items(), key=lambda pair: -pair[1])
    sizes = [
        f"by {percent(size)} %" if size <= MANY else f"{percent(1 + size / 100)} times what it may be"
        for _, size in broken
    ]
    return f"limits broken for {enumeration([f'{who} ({size})' for (who, _), size in zip(broken, sizes, strict=True)])}"


def _order(comparison: Comparison) -> dict[str, int]:
    """Return the schedules with waits in the order of columns: what runs or EASY first, the front's last."""
    first = comparison.today or 0
    names = (*comparison.policies, NEAREST)[: len(comparison.waits)]
    return {names[k]: k for k in (first, *(k for k in range(len(names)) if k != first))}


def _values(comparison: Comparison) -> dict[str, Floats]:
    """Return the objectives of the policies and of the schedule that is nearest to the wish, (m,) natural units."""
    nearest = {} if comparison.nearest is None else {NEAREST: comparison.nearest}
    return dict(zip(comparison.policies, comparison.beside_front, strict=True)) | nearest


def _groups(comparison: Comparison) -> list[str]:
    """Return the names of the groups, (G,)."""
    return [group_of(o) for o in comparison.objectives if is_of_group(o.name)]


def _who_waits(comparison: Comparison) -> str:
    """Return the tables of waits, as on the page, in all groupings: a column for each policy; nothing without waits."""
    if not comparison.waits:
        return ""
    order, own = _order(comparison), View("", tuple(people(_groups(comparison))), comparison.waits)
    reference = comparison.policies[comparison.today or 0]
    waiting = {name: comparison.waiting[k] for name, k in order.items()} if comparison.waiting else {}
    tables = [
        f"{f'<h3>By {html.escape(view.how)}</h3>' if view.how else ''}"
        f"{waits_table({n: view.waits[k] for n, k in order.items()}, view.groups, reference, reasons)}"
        for view, reasons in ((own, waiting), *((other, {}) for other in comparison.views))
    ]
    return f"<section>\n<h2>Who waits how long</h2>\n{''.join(tables)}\n</section>"


def _costs(comparison: Comparison) -> str:
    """Return for each policy who pays, all, and who gains, in sentences; nothing without waits of others."""
    if len(comparison.waits) < 2:
        return ""
    groups, ((_, first), *others) = _groups(comparison), _order(comparison).items()
    asked = [] if comparison.wish_here is None else groups_asked(comparison.wish_here, groups)
    awrt = [values[1 : 2 + len(groups)].tolist() for values in _values(comparison).values()]
    parts = []
    for name, k in others:
        others_by = [*comparison.views, *filter(None, [comparison.large])]
        beside = {view.by: view.sides(first, k) for view in others_by}
        both = awrt[first], awrt[k]
        lines = most_important(comparison.waits[first], comparison.waits[k], people(groups), both, asked, beside)
        items = "".join(f"<li>{html.escape(line.sentence)}</li>" for line in lines)
        parts.append(f'<h3>{html.escape(name)}</h3><ul class="summary">{items}</ul>')
    reference = html.escape(comparison.policies[first])
    return (
        f'<section>\n<h2>What it costs whom</h2>\n<p class="quiet">Beside {reference}:</p>{"".join(parts)}\n</section>'
    )


def _how_sure(front: Front | None, comparison: Comparison) -> str:
    """Return what was searched, and the intervals and periods that were asked for, or how to ask for them."""
    rows = [row for row in comparison.rows() if row["waits"] or row["policy"] in comparison.policies]
    words = [*map(_sentence, filter(None, comparison.learnt))]
    if front is not None:
        words.append(origin_words(front))
        if comparison.nearest_row is None:
            words.append("The policies above were named, not found by the search.")
    if _is_short(comparison):
        words.append(f"{duration(comparison.span)} of jobs are too few to say how sure it is: four weeks are needed.")
    elif comparison.intervals is None and not comparison.periods:
        words.append(
            "Each number is of these jobs alone. compare --intervals says between what they lie for other weeks of the "
            "same users, and --rolling 6 whether a gain is there in every sixth of the log."
        )
    tables = []
    if comparison.intervals is not None:
        of = comparison.intervals
        words += [
            f"{_sentence(INTERVALS.format(weeks=of.weeks, block=of.block))}.",
            f"{_sentence(of.caution)}." if of.caution else "",
        ]
        words += [f"{_sentence(line)}." for line in without_interval(comparison.objectives)]
        tables.append(_intervals(comparison, rows))
    if comparison.periods and len(comparison.policies) > 1:
        tables.append(_periods(comparison, rows[1 : len(comparison.policies)]))
    paragraphs = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in words if sentence)
    return paragraphs + "".join(tables)


def _is_short(comparison: Comparison) -> bool:
    """Return whether the log is too short for intervals."""
    return comparison.span < LEAST_WEEKS * WEEK


def _not_yet(comparison: Comparison) -> str:
    """Return why it is too early to run what looks well here; nothing if nothing is known against it."""
    reasons = ["the log is short"] if _is_short(comparison) else []
    reasons += ["the log and the machine do not fit, see the first lines"] if comparison.doubts else []
    return f"<p>Not on this report alone: {' and '.join(reasons)}.</p>" if reasons else ""


def _intervals(comparison: Comparison, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return between what waits and response times lie, and gains over today's or EASY: a column for each policy."""
    over, first = ("easy", 0) if comparison.today is None else ("today", comparison.today)
    names = {"objective": "the goal of the wish"} | {name: in_words(name) for name in wait_names(comparison.objectives)}
    names |= {o.name: _name_of(o) for o in comparison.objectives if o.unit == "s" and o.name not in names}
    lines = []
    for key, words in names.items():
        cells = [row["intervals"] for row in rows]
        if all(of.get(key) is None and of.get(f"{key}_vs_{over}") is None for of in cells):
            continue
        tds = []
        for number, of in enumerate(cells):
            ends, gain = of.get(key), of.get(f"{key}_vs_{over}")
            text = "" if key == "objective" or ends is None else two_times(duration(ends[0]), "to", duration(ends[1]))
            small = "" if number == first or gain is None else f"<small>{_gain_words(*gain)}</small>"
            tds.append(f"<td>{html.escape(text)}{small}</td>" if text or small else "<td>–</td>")
        lines.append(f'<tr><th scope="row">{html.escape(words)}</th>{"".join(tds)}</tr>')
    heads = [head_cell(f"{PERCENT} % intervals"), *(head_cell(html.escape(row["policy"])) for row in rows)]
    note = f"Below: against {comparison.policies[first]}, on the same weeks: + is shorter, a minus longer."
    return f'{table(heads, lines)}<p class="note">{html.escape(note)}</p>'


def _gain_words(low: float, high: float) -> str:
    """Return between what a gain lies, per cent.

    Examples
    --------
    >>> _gain_words(-3.2, 12.6), _gain_words(0.04, 0.5)
    ('-3.2 to +12.6 %', '0.0 to +0.5 %')
    """
    return f"{with_sign(low).removesuffix(' %')} to {with_sign(high)}"


def _periods(comparison: Comparison, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the gains over EASY in one part of the log after the other, as a table."""
    wish = comparison.wish
    heads = [head_cell("Begins", "jobs"), '<th scope="col" class="left">Policy</th>']
    keys = {"objective_vs_easy": head_cell("The goal", "vs EASY")} if wish is not None and wish.weights else {}
    keys |= {
        f"{o.name}_vs_easy": head_cell(html.escape(_name_of(o)), "vs EASY")
        for o in comparison.objectives
        if o.unit == "s"
    }
    exceeded = [head_cell("Limits", "broken by, in sum")] if wish is not None and wish.limits else []
    lines = []
    for place, part in enumerate(rows[0]["periods"]):
        for row in rows:
            cells = row["periods"][place]
            first = f'<th scope="rowgroup" rowspan="{len(rows)}">{part["from"]}<small>{part["jobs"]:,}</small></th>'
            tds = [number_cell(cells[key], "+,.1f", " %") for key in keys]
            above = None if cells["exceeded"] is None else 100 * cells["exceeded"]
            tds += [number_cell(above, ",.0f", " %") for _ in exceeded]
            begin, who = (first, " class=begin") if row is rows[0] else ("", "")
            name = f'<th scope="row" class="left">{html.escape(row["policy"])}</th>'
            lines.append(f"<tr{who}>{begin}{name}{''.join(tds)}</tr>")
    return table([*heads, *keys.values(), *exceeded], lines)


def _nearest(front: Front | None, comparison: Comparison) -> str:
    """Return whether the schedule that is nearest to the wish can be had, and how; nothing without one."""
    row = comparison.nearest_row
    if front is None or row is None:
        return ""
    if row_policy(front, row) is None:
        words = f"{without_policy(front, row)}: no policy makes it. It shows what is possible."
    else:
        words = "has a policy, which the page of the run saves as a file."
    return f"<p>“{NEAREST}” is the schedule {html.escape(row_name(front, row))}; it {words}</p>"


def origin_words(front: Front) -> str:
    """Return how many schedules were compared, and how often the search was run."""
    seeds = ", ".join(str(seed) for seed in dict.fromkeys(origin.seed for origin in front.origins))
    return (
        f"{number_of(len(front), 'schedule')} remain of {front.evaluations:,} simulated in "
        f"{number_of(len(front.origins), 'run')} (seed {seeds}): none of them is better than another in everything."
    )


def _figure(front: Front, comparison: Comparison) -> str:
    """Return the drawing of the front and of the policies across all objectives."""
    looks = cycle(f"look-{k}" for k in range(len(PICKS)))
    known = {0: "look-easy", **({} if comparison.today is None else {comparison.today: "look-today"})}
    values = comparison.beside_front
    lines = [Drawn(name, values[k].tolist(), known.get(k) or next(looks)) for k, name in enumerate(comparison.policies)]
    if comparison.nearest is not None:
        lines.append(Drawn(NEAREST, comparison.nearest.tolist(), "look-trained"))
    times = [j for j, o in enumerate(front.objectives) if o.unit == "s"]
    near = {line.name: values[k] for k, line in enumerate(lines[: len(values)])
            if not (values[k][times] > FAR * values[0][times]).any()}  # fmt: skip
    drawn = parallel(axes(front, near), lines, front.values, "all objectives of the schedules, better is up")
    return f"""<section>
{drawn}
<p class="note">A line for each schedule, better is up. A line along the lower edge is worse than its axis shows.</p>
</section>"""


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
    runs = [] if today is None else [html.escape(comparison.policies[today])]
    against = [*runs, *(["the front"] if has_front else []), "EASY"]
    over = "" if today is None else f" and the same over {comparison.policies[today]}, which runs the machine"
    gains = f"{convention(comparison.objectives)}{over}"
    return f"""<section>
<h2>In AWRT, for those who ask: policies beside {" and ".join(against[:2])}</h2>
{_comparison_table(comparison)}
<p class="note">Response times in hours. Below: {html.escape(gains)}; ▲ is better, ▼ is worse.
{idling}{better_schedules}{no_schedule}“–”: undefined, because no job counts, or without a meaning.
{html.escape(_sentence(comparison.ideal_rule))}; each value is a
bound of its own, and there may be no schedule that reaches all of them.</p>
</section>"""


def _wish_section(comparison: Comparison) -> str:
    """Return the section about the wish; nothing without one."""
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
    return f"""<section>
<h2>What the owner wants</h2>
{table(heads, lines)}
{f"<p>{html.escape(comparison.distance)}</p>" if comparison.distance else ""}
<p class="note">{html.escape(" ".join(notes))}</p>
</section>"""


def _shortfall(share: float | None) -> str:
    return number_cell(None if share is None else 100 * share, ",.1f", " %")


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
            gains = {html.escape(today): row[f"{o.name}_vs_today"]} if today and row["policy"] != today else {}
            gains |= {"EASY": row[f"{o.name}_vs_easy"]} if lines else {}
            below = [_gain(x, o.maximise, f" vs {over}" if today else "") for over, x in gains.items() if x is not None]
            cells.append(objective_cell(o, row[o.name], "".join(below)))
        if has_front:
            cells += ["<td>–</td>" if row[key] is None else f"<td>{row[key]:,}</td>" for key in COUNTS]
        lines.append(f"<tr{_kind(row)}>{''.join(cells)}</tr>")
    return table(heads, lines)


COUNTS = ("dominated_by", "dominates")


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
    label = in_words(o.label.removeprefix("AWRT of "))
    return head_cell(html.escape(in_words(o.name)), f"{html.escape(label)}, {'h' if o.unit == 's' else o.unit}")


def _name_of(o: Objective) -> str:
    """Return the name of an objective, with that of its group in place of its number."""
    return in_words(f"AWRT of {group_of(o)}" if is_of_group(o.name) else o.name)


def _kind(row: Mapping[str, Any]) -> str:
    """Return the class of a row that is no policy."""
    return ' class="best"' if row["policy"] in (ONLINE, BEST, NEAREST_ONLINE, NEAREST, IDEAL) else ""


def _gain(gain: float, less: bool = False, over: str = "") -> str:
    """Return the cell of a gain, per cent: better if it is positive, or with `less` if it is negative."""
    number = round(gain, 1) + 0.0  # no minus before a zero
    better = number != 0 and (number < 0) == less
    kind, sign = ("same", "") if number == 0 else ("better", "▲ ") if better else ("worse", "▼ ")
    return f'<small class="{kind}">{sign}{number:{"+" if number else ""}.1f} %{over}</small>'
