"""Pictures of schedules and data structures, as SVG. Schedules and trees are computed, not drawn by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

import paretosched as ps

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8c8c8c", "#7a5195")
INK, PALE = "#1f2933", "#d7dde3"


class Job(NamedTuple):
    """A job of an example: its submission, run time, request and width."""

    submit: int
    run: int
    request: int
    width: int


# Five jobs on four processors: under FCFS the machine idles before job 3, and EASY fills the hole.
EXAMPLE = (Job(0, 40, 40, 2), Job(0, 20, 20, 1), Job(5, 30, 30, 4), Job(6, 20, 20, 1), Job(7, 60, 60, 1))
PROCESSORS = 4


def write_all(docs: Path) -> None:
    """Write all pictures."""
    place = docs / "_static" / "pictures"
    place.mkdir(parents=True, exist_ok=True)
    w = example()
    for rule in ("fcfs", "list", "easy", "conservative"):
        schedule = ps.simulate(w, rule)
        (place / f"{rule}.svg").write_text(gantt(schedule.start, schedule.finish, w.width), encoding="utf-8")
    for name, text in {
        "waiting-tree": waiting_tree(),
        "kinetic-queue": kinetic_queue(),
        "completions": completions(),
        "profile": profile(),
        "passes": passes(),
    }.items():
        (place / f"{name}.svg").write_text(text, encoding="utf-8")


def example() -> ps.Workload:
    """Return the workload of the examples."""
    columns = {name: np.array([getattr(job, name) for job in EXAMPLE]) for name in Job._fields}
    return ps.Workload(
        submit=columns["submit"],
        run=columns["run"],
        estimate=columns["request"],
        width=columns["width"],
        user=np.arange(len(EXAMPLE)),
        group=np.zeros(len(EXAMPLE), dtype=int),
        groups=("1",),
        capacity=PROCESSORS,
        name="five jobs",
    )


# --- signs ------------------------------------------------------------------------------------------------------------


def svg(width: float, height: float, parts: Iterable[str], title: str) -> str:
    """Return a picture."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
    font = 'font-family="system-ui, sans-serif" font-size="13"'
    label = f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
    return f'{head} {font} {label}<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'


def box(x: float, y: float, w: float, h: float, fill: str, more: str = "") -> str:
    """Return a rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}" {more}/>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = 1, more: str = "") -> str:
    """Return a line."""
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{width}" {more}/>'


def text(x: float, y: float, words: object, anchor: str = "middle", fill: str = INK, more: str = "") -> str:
    """Return a text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" {more}>{escape(str(words))}</text>'


# --- pictures ---------------------------------------------------------------------------------------------------------


def gantt(start: np.ndarray, finish: np.ndarray, width: np.ndarray, title: str = "a schedule") -> str:
    """Draw a schedule: time to the right, processors upwards; each job takes the lowest processors that are free."""
    end, left, top, scale, row = int(finish.max()), 44, 14, 4.2, 30
    parts = [text(left - 8, top + (PROCESSORS - p - 0.4) * row, p + 1, "end") for p in range(PROCESSORS)]
    free_from = np.zeros(PROCESSORS)
    for job in np.lexsort((np.arange(start.size), start)):
        mine = [p for p in range(PROCESSORS) if free_from[p] <= start[job]][: width[job]]
        free_from[mine] = finish[job]
        for p in mine:
            x, y = left + start[job] * scale, top + (PROCESSORS - 1 - p) * row
            parts.append(box(x, y, (finish[job] - start[job]) * scale, row, COLOURS[job], 'stroke="white"'))
        middle = PROCESSORS - 1 - (mine[0] + mine[-1]) / 2 if len(set(np.diff(mine))) <= 1 else PROCESSORS - 1 - mine[0]
        x = left + (start[job] + finish[job]) / 2 * scale
        parts.append(text(x, top + (middle + 0.62) * row, f"job {job + 1}", fill="white", more='font-weight="600"'))
    bottom = top + PROCESSORS * row
    parts.append(line(left, bottom, left + end * scale, bottom))
    for second in range(0, end + 1, 10):
        x = left + second * scale
        parts += [line(x, bottom, x, bottom + 5), text(x, bottom + 19, second)]
    parts.append(text(left + end * scale, bottom + 36, "seconds", "end"))
    return svg(left + end * scale + 30, bottom + 44, parts, title)


def waiting_tree() -> str:
    """Draw the tree that finds what can be backfilled: each node has the smallest width and request below it."""
    jobs = [(4, 30), (1, 20), (1, 60), (8, 10), (2, 90), (16, 40), (3, 15), (2, 25)]
    free, room = 3, 20  # processors, and seconds until the reservation
    levels: list[list[tuple[int, int]]] = [jobs]
    while len(levels[0]) > 1:
        below = levels[0]
        levels.insert(0, [(min(a[0], b[0]), min(a[1], b[1])) for a, b in zip(below[::2], below[1::2], strict=True)])
    across, down, parts, places = 760, 78, [], {}
    for depth, level in enumerate(levels):
        for k in range(len(level)):
            places[depth, k] = ((k + 0.5) * across / len(level), 40 + depth * down)
    opened = {(0, 0)}
    for depth, level in enumerate(levels[:-1]):
        for k, (least, shortest) in enumerate(level):
            if (depth, k) in opened and least <= free and shortest <= room:
                opened |= {(depth + 1, 2 * k), (depth + 1, 2 * k + 1)}
    for (depth, k), (x, y) in places.items():
        if depth:
            parts.append(line(*places[depth - 1, k // 2], x, y, INK if (depth, k) in opened else PALE, 1.5))
    for (depth, k), (x, y) in places.items():
        least, shortest = levels[depth][k]
        fits, leaf = least <= free and shortest <= room, depth == len(levels) - 1
        fill = PALE if (depth, k) not in opened else (COLOURS[2] if leaf and fits else "#fff3d6" if fits else "#f4d3cd")
        parts.append(box(x - 40, y - 18, 80, 36, fill, f'stroke="{INK}" rx="6"'))
        parts.append(text(x, y + 5, f"{least} p, {shortest} s"))
    y = 40 + (len(levels) - 1) * down + 46
    parts.append(
        text(
            across / 2,
            y,
            f"{free} processors are free for {room} s: grey nodes are never looked at, red ones end the search",
        )
    )
    return svg(across, y + 14, parts, "A tree of the waiting jobs with the smallest width and request below each node")


def kinetic_queue() -> str:
    """Draw keys that grow with the wait as lines, and who leads when."""
    lines = [(8.0, 0.05), (5.0, 0.17), (2.0, 0.3), (6.0, 0.08)]  # key at 0, slope
    left, top, across, height, end = 50, 16, 640, 230, 40.0
    high = max(a + b * end for a, b in lines)

    def place(t: float, key: float) -> tuple[float, float]:
        return left + t / end * across, top + height - key / high * height

    parts = [line(left, top, left, top + height), line(left, top + height, left + across, top + height)]
    for k, (a, b) in enumerate(lines):
        parts.append(line(*place(0, a), *place(end, a + b * end), COLOURS[k], 2))
        parts.append(text(left + across + 8, place(end, a + b * end)[1] + 4, f"job {k + 1}", "start", COLOURS[k]))
    times = np.linspace(0, end, 4001)
    leader = np.argmax([a + b * times for a, b in lines], axis=0)
    for at in times[1:][leader[1:] != leader[:-1]]:
        x = place(at, 0)[0]
        parts += [
            line(x, top, x, top + height, INK, 1, 'stroke-dasharray="4 4"'),
            text(x, top + height + 18, f"{at:.0f} s"),
        ]
    begin = 0
    for stop in [*np.flatnonzero(leader[1:] != leader[:-1]) + 1, times.size - 1]:
        a, b = lines[leader[begin]]
        parts.append(
            line(
                *place(times[begin], a + b * times[begin]),
                *place(times[stop], a + b * times[stop]),
                INK,
                5,
                'opacity="0.35"',
            )
        )
        begin = stop
    parts.append(
        text(
            left + across / 2,
            top + height + 40,
            "wait: the leader is known until two lines cross, and only that game is played again",
        )
    )
    return svg(
        left + across + 60,
        top + height + 54,
        parts,
        "Keys of four jobs as lines over their wait, with the leader marked",
    )


def completions() -> str:
    """Draw how FCFS keeps running jobs: the next completions sorted, the others in a heap."""
    ends = [12, 15, 19, 23, 31, 35, 40, 33, 52, 47]
    near, heap, parts = ends[:4], sorted(ends[4:]), []
    for k, end in enumerate(near):
        parts += [box(30 + k * 56, 60, 50, 34, COLOURS[4], 'rx="5"'), text(55 + k * 56, 82, end)]
    parts += [text(140, 44, "next completions, sorted"), text(140, 116, "taken from the left")]
    where = {0: (520, 40)}
    for k in range(1, len(heap)):
        x, y = where[(k - 1) // 2]
        step = 110 / 2 ** (int(np.log2(k + 1)) - 1)
        where[k] = (x + (step if k % 2 == 0 else -step), y + 56)
        parts.append(line(x, y, *where[k], PALE, 2))
    for k, (x, y) in where.items():
        parts += [box(x - 24, y - 15, 48, 30, COLOURS[1], 'rx="5"'), text(x, y + 5, heap[k])]
    parts.append(text(520, 186, "the others, in a heap: the earliest is on top"))
    return svg(720, 200, parts, "Running jobs by their end: a short sorted row, and a heap")


def profile() -> str:
    """Draw the free processors of the future while jobs have reservations."""
    w = example()
    schedule = ps.simulate(w, "conservative")
    now = 7
    left, top, scale, row, end = 44, 14, 4.2, 30, int(schedule.finish.max())
    seconds = np.arange(now, end)
    used = np.zeros(seconds.size, dtype=int)
    reserved = np.zeros(seconds.size, dtype=int)
    for k in range(len(w)):
        inside = (seconds >= schedule.start[k]) & (seconds < schedule.finish[k])
        (used if schedule.start[k] <= now else reserved)[inside] += w.width[k]
    parts = []
    for second, running, promised in zip(seconds, used, reserved, strict=True):
        x, bottom = left + second * scale, top + PROCESSORS * row
        parts.append(box(x, bottom - running * row, scale + 0.3, running * row, COLOURS[0]))
        parts.append(box(x, bottom - (running + promised) * row, scale + 0.3, promised * row, COLOURS[4]))
    bottom = top + PROCESSORS * row
    parts += [line(left, bottom, left + end * scale, bottom), line(left, top, left, bottom)]
    parts += [text(left + second * scale, bottom + 18, second) for second in range(0, end + 1, 10)]
    parts += [
        box(left, bottom + 32, 14, 14, COLOURS[0]),
        text(left + 20, bottom + 44, "running, until their requests end", "start"),
    ]
    parts += [
        box(left + 260, bottom + 32, 14, 14, COLOURS[4]),
        text(left + 280, bottom + 44, f"reserved at second {now}", "start"),
    ]
    return svg(
        left + end * scale + 30,
        bottom + 56,
        parts,
        "The processors that running jobs and reservations take in the future",
    )


def passes() -> str:
    """Draw what happens in one second."""
    steps = ("1. completions", "2. arrivals, in the order of the log", "3. one scheduling pass")
    what = ("their processors are free again", "they join the waiting jobs", "the policy starts jobs in this second")
    parts: list[str] = []
    for k, (step, about) in enumerate(zip(steps, what, strict=True)):
        x = 14 + k * 250
        parts += [box(x, 20, 226, 66, ("#dcebf5", "#fdf0d5", "#d9efe6")[k], f'rx="8" stroke="{COLOURS[k]}"')]
        parts += [text(x + 113, 46, step, more='font-weight="600"'), text(x + 113, 70, about)]
        if k:
            parts.append(text(x - 12, 58, "→", more='font-size="20"'))
    return svg(764, 106, parts, "The order of events in one second")


def jobs_table(jobs: Sequence[Job] = EXAMPLE) -> str:
    """Return the jobs of the example as a table."""
    lines = ["| job | submitted at | runs for | requests | processors |", "| ---: | ---: | ---: | ---: | ---: |"]
    lines += [f"| {k} | {j.submit} s | {j.run} s | {j.request} s | {j.width} |" for k, j in enumerate(jobs, 1)]
    return "\n".join(lines)
