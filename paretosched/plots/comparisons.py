"""Figures of comparisons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..comparison.comparison import NEAREST, NEAREST_ONLINE
from ..comparison.partition_use import ByPartition
from ..comparison.several_logs import joint_gains
from ..core.arguments import instance, list_argument, mapping, numbers
from ..core.arrays import Floats
from ..core.errors import InputError
from ..fronts.front_files import FrontLike, as_front
from ..simulation.objective import Objective, group_of, is_of_group
from ..wishes.wish import wish_text
from .axes import column_in
from .fronts import ROOM, pairs, parallel, scatter
from .outer_lines import Outer
from .style import PAPER, SCALE, legend_below, mark_style, template, text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from ..comparison.comparison import Comparison
    from ..fronts.front import Front

CUT_FROM, CUT_TO = 6.0, 3.0  # bars longer than 6 times the usual length are cut to 3 times
SHORTEST = 0.5  # per cent on both sides of EASY: a smaller difference is no long bar
USUAL = 10.0  # per cent: the least usual length
FAR = 2.0  # times EASY's response time; policies beyond are not in focus
THICK = 19  # pixels from one bar to the next
LONGEST_CATEGORY = 26  # letters beside bars
LABEL = 0.22  # room for the number beside a bar, as a share of the longest bar
MOST_PAIRS = 3
LOWEST, HIGHEST = 480, 640  # pixels of the figure of positions
GREYS = ("#9aa5b1", "#6c7885")  # of bars that are no policy


def bars(
    series: Mapping[str, Mapping[str, float]],
    *,
    title: str,
    subtitle: str = "",
    limits: Mapping[str, Mapping[str, float]] | None = None,
    published: Mapping[str, Mapping[str, float]] | None = None,
    source: str = "published",
    first: int = 0,
) -> Figure:
    """Draw improvements over EASY by category, a bar for each policy: figures 1 to 3 of paper 000, for anything.

    Figure 1 has the improvement of each AWRT_i (the categories), figures 2 and 3 that of the objective on each
    workload. Bars are horizontal, so that names and numbers have room. A bar much longer than the others is cut, so
    that the others can be seen; its number is not cut.

    Parameters
    ----------
    series
        Name of a policy to category to per cent; NaN is left out. Categories are drawn in the order of their first
        value.
    title, subtitle
        Text above the figure.
    limits
        The same for bars that are no policy, such as the best on a front: in grey, below the policies.
    published
        The same for values of the policies from another source, such as a paper: a diamond at the policy's bar, or at
        the place where the bar would be.
    source
        The name of this source.
    first
        Number of the first policy's colour, see `mark_style`: 1 if EASY, whose bars have no length, is left out.

    Raises
    ------
    InputError
        There is nothing to draw.
    """
    from plotly import graph_objects as go

    policies, greys, diamonds = (_finite(rows or {}) for rows in (series, limits, published))
    policies |= {name: {} for name in diamonds if name not in policies}
    hues = [mark_style(first + i)[0] for i in range(len(policies))] + [GREYS[i % len(GREYS)] for i in range(len(greys))]
    all_bars = policies | greys
    categories = list(dict.fromkeys(c for rows in (all_bars, diamonds) for row in rows.values() for c in row))
    if not categories:
        raise InputError("bars must have at least one value to be drawn, but have none")
    band = len(all_bars) + 0.8  # width of a category, in bars
    middle = {c: k * band for k, c in enumerate(categories)}
    place = {(name, c): middle[c] + i - (len(all_bars) - 1) / 2 for i, name in enumerate(all_bars) for c in categories}
    cut = _cut([max(map(abs, row.values())) for row in all_bars.values() if row])
    lengths = np.clip([x for rows in (all_bars, diamonds) for row in rows.values() for x in row.values()], -cut, cut)
    low, high = min(0.0, float(lengths.min())), max(0.0, float(lengths.max()))
    if high - low < SHORTEST:
        low, high = -SHORTEST, SHORTEST
    span = high - low
    figure = go.Figure(layout={"template": template()})
    for hue, (name, row) in zip(hues, all_bars.items(), strict=True):
        cut_marks = {
            c: max(row[c], p, key=abs)
            for c, p in diamonds.get(name, {}).items()
            if c in row and _hides(p, row[c], span, cut)
        }
        _add_bars(figure, name, row, {c: place[name, c] for c in row}, hue, cut_marks, cut)
    _add_published(figure, diamonds, place, source, cut)
    room = LABEL * span
    body = THICK * max(band * len(categories), 4)
    words = [part for part in (subtitle, "better: right →") if part]
    figure.update_layout(
        title={"text": title, "subtitle": {"text": " &nbsp; ".join(words)}},
        barmode="overlay",
        height=190 + body,
        **legend_below(62 / body),
    )
    figure.update_xaxes(
        title_text="improvement over EASY (%)",
        range=[low - (room if low < 0 else 0), high + room],
        zeroline=True,
        zerolinewidth=1.5,
        zerolinecolor=SCALE[3],
    )
    figure.update_yaxes(
        tickvals=list(middle.values()),
        ticktext=[text(c, LONGEST_CATEGORY) for c in categories],
        automargin=True,  # names of logs and groups are longer than the usual margin
        range=[middle[categories[-1]] + band / 2, -band / 2],
        showgrid=False,
        ticks="",
    )
    return figure


def _finite(rows: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return the rows without NaN and infinity."""
    return {name: {c: float(x) for c, x in row.items() if np.isfinite(x)} for name, row in rows.items()}


def _add_bars(
    figure: Figure,
    name: str,
    row: Mapping[str, float],
    place: Mapping[str, float],
    hue: str,
    cut_marks: Mapping[str, float],
    cut: float,
) -> None:
    """Add the bars of one policy to a figure.

    Parameters
    ----------
    figure
        Modified in place.
    name, row, place, hue
        The policy; by category its values, per cent, and the places of its bars; their colour.
    cut_marks
        Categories in which a diamond would cover the number, with the place beyond which the number is written.
    cut
        The length at which longer bars are cut, per cent.
    """
    from plotly import graph_objects as go

    figure.add_trace(
        go.Bar(
            x=[float(np.clip(x, -cut, cut)) for x in row.values()],
            y=[place[c] for c in row],
            customdata=[[text(c), x] for c, x in row.items()],
            text=["" if c in cut_marks else _bar_label(x, abs(x) > cut) for c, x in row.items()],
            textposition=["inside" if abs(x) > cut else "outside" for x in row.values()],
            insidetextanchor="end",
            textangle=0,
            constraintext="none",
            cliponaxis=False,
            orientation="h",
            width=0.86,
            name=text(name),
            marker={"color": hue, "line": {"width": 0}},
            showlegend=bool(row),
            hovertemplate=f"<b>{text(name)}</b><br>%{{customdata[0]}}: %{{customdata[1]:+.2f}} %<extra></extra>",
        )
    )
    for c, beyond in cut_marks.items():
        side = 1 if row[c] > 0 else -1
        figure.add_annotation(
            text=_bar_label(row[c], False),
            x=beyond,
            y=place[c],
            xanchor="left" if side > 0 else "right",
            xshift=8 * side,
            showarrow=False,
        )


def _add_published(
    figure: Figure,
    diamonds: Mapping[str, Mapping[str, float]],
    place: Mapping[tuple[str, str], float],
    source: str,
    cut: float,
) -> None:
    """Add diamonds, the values from another source, to a figure, which is modified in place; see `bars`."""
    from plotly import graph_objects as go

    points = [(name, c, x) for name, row in diamonds.items() for c, x in row.items()]
    if not points:
        return
    figure.add_trace(
        go.Scatter(
            x=[float(np.clip(x, -cut, cut)) for _, _, x in points],
            y=[place[name, c] for name, c, _ in points],
            customdata=[[text(name), text(c), x] for name, c, x in points],
            mode="markers",
            marker={"symbol": "diamond", "size": 10, "color": PAPER["light"], "line": {"width": 2, "color": SCALE[0]}},
            name=text(source),
            hovertemplate=f"<b>{text(source)}: %{{customdata[0]}}</b><br>%{{customdata[1]}}: "
            "%{customdata[2]:+.2f} %<extra></extra>",
        )
    )


def _cut(longest: Sequence[float]) -> float:
    """Return the length at which bars are cut, from the longest bar of each policy; infinity if none is much longer."""
    usual = max([USUAL, *sorted(longest)[: (len(longest) + 1) // 2][-1:]])
    return CUT_TO * usual if max(longest, default=0.0) > CUT_FROM * usual else np.inf


def use_over_time(
    edges: NDArray[np.int64],
    busy: Mapping[str, Floats],
    *,
    title: str = "Utilisation over time",
    what: str = "processors",
) -> Figure:
    """Draw how busy a machine is, one small chart a policy, with the first policy behind each of the others.

    Parameters
    ----------
    edges
        (k + 1,) seconds, the edges of the bins; all bins but the last one have the same length.
    busy
        By policy (k,) per cent of the machine in use, see `service.use`.
    title
        Text above the figure.
    what
        What is in use.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    size, words = _clock(int(edges[-1] - edges[0]))
    times = (edges - edges[0]) / size
    # a gap of 34 pixels between charts of 96 pixels, for any number of charts
    figure = make_subplots(rows=len(busy), cols=1, shared_xaxes=True, vertical_spacing=34 / (34 + 96) / len(busy))
    figure.update_layout(template=template())
    reference, top = next(iter(busy)), max(100.0, *(float(share.max()) for share in busy.values()))
    for row, (name, share) in enumerate(busy.items(), 1):
        hue, _ = mark_style(row - 1)
        curves = [(name, share, hue, 2.0)]
        if row > 1:
            curves.insert(0, (reference, busy[reference], GREYS[1], 1.0))
        for policy, values, colour, width in curves:
            figure.add_trace(
                go.Scatter(
                    x=times,
                    y=np.append(values, values[-1:]),  # the last step ends where its bin does
                    mode="lines",
                    line={"color": colour, "width": width, "shape": "hv"},
                    name=text(policy),
                    hovertemplate=f"<b>{text(policy)}</b><br>from %{{x:.4~g}} {words}: %{{y:.1f}} %<extra></extra>",
                ),
                row=row,
                col=1,
            )
        behind = f" &nbsp; {text(reference)} behind" if row > 1 else ""
        figure.add_annotation(
            text=f'<b style="color:{hue}">━</b> {text(name)}{behind}', x=0, xref="x domain", xanchor="left", y=1.0,
            yref="y domain", yanchor="bottom", showarrow=False, row=row, col=1,
        )  # fmt: skip
    figure.update_yaxes(range=[0, 1.04 * top], tickvals=[0, 50, 100], ticktext=["0 %", "50 %", "100 %"])
    figure.update_xaxes(showgrid=False, range=[0, float(times[-1])], ticks="")
    figure.update_xaxes(title_text=f"{words} since the first submission", ticks="outside", row=len(busy))
    subtitle = f"{what} in use of all, mean of every {_length(int(edges[1] - edges[0]))}"
    figure.update_layout(
        title={"text": title, "subtitle": {"text": subtitle}}, height=180 + 130 * len(busy), margin={"t": 112}
    )
    return figure


def partitions_over_time(
    edges: NDArray[np.int64], policies: Sequence[str], by_partition: ByPartition, title: str
) -> Figure:
    """Draw what jobs use of each partition, one small chart a partition and resource, with a line for each policy.

    Parameters
    ----------
    edges
        (k + 1,) seconds, the edges of the bins.
    policies
        Their names, (q,).
    by_partition
        As `partition_use.use_by_partition` returns it.
    title
        Text above the figure.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    size, words = _clock(int(edges[-1] - edges[0]))
    times = (edges - edges[0]) / size
    rows = [(name, what, shares) for name, uses in by_partition.items() for what, shares in uses.items()]
    figure = make_subplots(rows=len(rows), cols=1, shared_xaxes=True, vertical_spacing=34 / (34 + 96) / len(rows))
    figure.update_layout(template=template())
    for row, (name, what, shares) in enumerate(rows, 1):
        for q, policy in enumerate(policies):
            line = go.Scatter(
                x=times, y=np.append(shares[q], shares[q][-1:]), mode="lines", name=text(policy),
                line={"color": mark_style(q)[0], "width": 1.6, "shape": "hv"}, legendgroup=str(q), showlegend=row == 1,
                hovertemplate=f"<b>{text(policy)}</b><br>from %{{x:.4~g}} {words}: %{{y:.1f}} %<extra></extra>",
            )  # fmt: skip
            figure.add_trace(line, row=row, col=1)
        figure.add_annotation(
            text=f"<b>{text(name)}</b>, {what}", x=0, xref="x domain", xanchor="left", y=1.0, yref="y domain",
            yanchor="bottom", showarrow=False, row=row, col=1,
        )  # fmt: skip
    figure.update_yaxes(range=[0, 104], tickvals=[0, 50, 100], ticktext=["0 %", "50 %", "100 %"])
    figure.update_xaxes(showgrid=False, range=[0, float(times[-1])], ticks="")
    figure.update_xaxes(title_text=f"{words} since the first submission", ticks="outside", row=len(rows))
    subtitle = f"in use of what its nodes have, by its jobs, mean of every {_length(int(edges[1] - edges[0]))}"
    height = 220 + 130 * len(rows)
    figure.update_layout(
        title={"text": title, "subtitle": {"text": subtitle}}, height=height, margin={"t": 112, "b": 120},
        **legend_below(60 / (height - 232)),
    )  # fmt: skip
    return figure


def all_figures(comparisons: Sequence[Comparison], fronts: Sequence[Front | None]) -> dict[str, Figure]:
    """Return all figures of a report of comparisons, by name.

    In brackets are their numbers in paper 000: "improvements" of the response times (figure 1); "objective", its gains
    over EASY on each workload (figures 2 and 3); "positions" against the front (figures 4 and 5), in the response times
    that the wish uses, or in those of the first two groups; and "utilisation" over time. For one workload there are
    also all `figures` of its front. For several workloads the names, except "objective", begin with `prefix`.

    Parameters
    ----------
    comparisons
        The comparisons.
    fronts
        For each comparison its front with at least one schedule, or None.
    """
    several = len(comparisons) > 1
    figures_by_name = {}
    gains = joint_gains(comparisons)
    if gains:
        figures_by_name["objective"] = _objective_gains(gains, comparisons)
    for number, (comparison, front) in enumerate(zip(comparisons, fronts, strict=True)):
        before = prefix(comparisons, number) if several else ""
        charts = _improvements(comparison)
        if front is not None:
            beside = charts["improvements"].layout.height if charts else LOWEST  # they are side by side on the page
            charts |= _positions(comparison, front, min(max(beside, LOWEST), HIGHEST))
        if comparison.edges is not None:
            shares = dict(zip(comparison.policies, comparison.busy, strict=True))
            name = text(comparison.workload_name)
            charts["utilisation"] = use_over_time(
                comparison.edges,
                shares,
                title=f"Utilisation over time, {name}",
                what="processors" if comparison.machine is None else "CPUs",
            )
            for what, percent in comparison.resources.items():
                shares, title = dict(zip(comparison.policies, percent, strict=True)), f"{what} over time, {name}"
                charts[f"{what.lower()}-utilisation"] = use_over_time(
                    comparison.edges, shares, title=title[0].upper() + title[1:], what=what
                )
            if comparison.by_partition:
                charts["partition-utilisation"] = partitions_over_time(
                    comparison.edges, comparison.policies, comparison.by_partition, f"Partitions over time, {name}"
                )
        if front is not None and not several:
            charts |= figures(front, comparison.marks, outer=comparison.outer)
        figures_by_name |= {f"{before}{name}": figure for name, figure in charts.items()}
    return figures_by_name


def prefix(comparisons: Sequence[Comparison], number: int) -> str:
    """Return the begin of the names of figures of one of several comparisons: its number, and its name for files."""
    name = re.sub("[^a-z0-9]+", "-", comparisons[number].workload_name.lower())[:40].strip("-")
    return f"{number + 1}-{name or 'workload'}-"


def _improvements(comparison: Comparison) -> dict[str, Figure]:
    """Return the figure of the gains in response times, by its name; nothing if EASY is the only policy."""
    gains = {
        policy: {
            _group_name(o): float(x)
            for o, x in zip(comparison.objectives, comparison.improvement[q], strict=True)
            if o.unit == "s" and np.isfinite(x)
        }
        for q, policy in enumerate(comparison.policies[1:], 1)
    }
    if not any(gains.values()):  # there is only EASY
        return {}
    name = text(comparison.workload_name)
    return {"improvements": bars(gains, title="Response times against EASY", subtitle=name, first=1)}


def _objective_gains(gains: Mapping[str, Mapping[str, float]], comparisons: Sequence[Comparison]) -> Figure:
    """Draw the gains of the objective on each workload."""
    policies = dict.fromkeys(name for comparison in comparisons for name in comparison.policies[1:])
    words = next(wish_text(comparison.wish, hours=True) for comparison in comparisons if comparison.wish is not None)
    return bars(
        {name: gains.get(name, {}) for name in policies},
        title="Objective against EASY",
        subtitle=text(words),
        limits={name: row for name, row in gains.items() if name not in policies},
        first=1,
    )


def _positions(comparison: Comparison, front: Front, height: int) -> dict[str, Figure]:
    """Return the figure of the policies and the front in two response times, by its name; nothing without two."""
    times = [o.name for o in front.defined_objectives if o.unit == "s"]
    of_wish = [name for name in (comparison.wish.names if comparison.wish else ()) if name in times]
    axes = [*of_wish, *(name for name in times if name != "AWRT" and name not in of_wish)][:2]
    if len(axes) < 2:
        return {}
    columns = [column_in(front, name) for name in axes]
    # a policy that is far off, as FCFS may be, has only its name at the edge
    easy = comparison.values[0, columns]
    focus = [
        name
        for name, values in zip(comparison.policies, comparison.values, strict=True)
        if (values[columns] <= FAR * easy).all()
    ]
    marks = comparison.marks
    if comparison.nearest is not None:
        marks[NEAREST] = comparison.nearest
        nearest_online = comparison.nearest_online
        if nearest_online is not None and not np.array_equal(nearest_online, comparison.nearest, equal_nan=True):
            marks[NEAREST_ONLINE] = nearest_online
    room = (ROOM[0], (height - 120) / 1.19)  # without the title, and the legend below
    figure = scatter(front, axes[0], axes[1], marks, focus=focus, outer=comparison.outer, room=room)
    figure.update_layout(title_text=f"Positions in {axes[0]} and {axes[1]}", height=height)
    return {"positions": figure}


def figures(
    front: FrontLike,
    marks: Mapping[str, Floats] | None = None,
    chosen: Sequence[tuple[str, str]] | None = None,
    outer: Outer | None = None,
) -> dict[str, Figure]:
    """Return all figures of a front, by name.

    Parameters
    ----------
    front
        The schedules, at least one; or the path of a run or front file.
    marks
        Other schedules by name: their objective vectors, (m,) each; by default none.
    chosen
        Pairs of objectives to draw in full besides UTIL with AWRT and AWRT with the first group; by default the
        first two groups with jobs. At most MOST_PAIRS, because browsers limit the number of WebGL figures on a page.
    outer
        Lines that no schedule is below, as `outer_front` returns them, to be drawn behind the front.

    Raises
    ------
    InputError
        A mark is no vector with one value for each objective of the front, there are too many pairs, or as for
        `as_front`.
    """
    marks = mapping("marks", {} if marks is None else marks)
    if outer is not None:
        mapping("outer", outer)
    if chosen is not None and len(list_argument("pairs of objectives", chosen)) > MOST_PAIRS:
        raise InputError(f"pairs of objectives must be at most {MOST_PAIRS}, but are {len(chosen)}")
    front = as_front(front)
    marks = {instance("name of a mark", n, str): _mark(n, v, len(front.objectives)) for n, v in marks.items()}
    groups = [o.name for o in front.defined_objectives if is_of_group(o.name)]
    pairs_in_full = [tuple(groups[:2])] if chosen is None and len(groups) > 1 else list(chosen or ())
    figures_by_name = {"util-awrt": scatter(front, "UTIL", "AWRT", marks)}
    if len(groups) > 1:
        pairs_in_full = [("AWRT", groups[0]), *pairs_in_full]
    for x, y in pairs_in_full:
        figures_by_name[f"{x}-{y}".lower()] = scatter(front, x, y, marks, log=True, outer=outer)
    figures_by_name["parallel"] = parallel(front, marks)
    if len(groups) > 2:
        figures_by_name["pairs"] = pairs(front, marks, outer)
    return figures_by_name


def _mark(name: object, vector: ArrayLike, count: int) -> Floats:
    """Return the objective values of a mark, (count,); raise InputError if they are none."""
    values = numbers(f"objective values of the mark {name}", vector)
    if values.shape != (count,):
        raise InputError(
            f"a mark must have one value for each of the {count} objectives, as objectives(schedule) returns them, but "
            f"{name} has shape {values.shape}"
        )
    return values


def _group_name(objective: Objective) -> str:
    """Return the name of a response time and its group; without the group if its name is only a number."""
    group = group_of(objective)
    return f"{objective.name} {group}" if is_of_group(objective.name) and not group.isdigit() else objective.name


def _hides(paper_value: float, value: float, span: float, cut: float) -> bool:
    """Return whether the diamond of a published value would cover the number beside a bar."""
    beyond = (abs(paper_value) - abs(value)) / span
    return paper_value * value > 0 and max(abs(paper_value), abs(value)) <= cut and -0.04 < beyond < LABEL


def _bar_label(value: float, cut: bool) -> str:
    """Return the number beside a bar; the number of a bar that is cut has arrows."""
    words = f"{round(value, 1) + 0.0:+,.1f} %" if round(value, 1) else "0.0 %"
    if not cut:
        return words
    return f"{words} ▸▸" if value > 0 else f"◂◂ {words}"


CLOCK = ((2 * 86400, 86400, "days"), (2 * 3600, 3600, "hours"), (120, 60, "minutes"))


def _clock(span: int) -> tuple[int, str]:
    """Return the unit of a time axis: seconds in it, and its name."""
    return next(((size, words) for least, size, words in CLOCK if span >= least), (1, "seconds"))


def _length(seconds: int) -> str:
    """Return the length of a bin in words.

    Examples
    --------
    >>> _length(604800), _length(86400), _length(21600), _length(7)
    ('week', 'day', '6 hours', '7 seconds')
    """
    sizes = ((604800, "week"), (86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
    size, word = next((size, word) for size, word in sizes if seconds % size == 0)
    count = seconds // size
    return f"{count:,} {word}s" if count > 1 else word
