"""Who gains and who pays if something changes: a table over questions "what if", policies and groups.

Everything is against today: the first policy on the log put together again at today's load (`what_if`). That is done
several times; what changes is measured on the same draws, so that a change has an interval of its own, which is much
shorter than those of both values (`intervals.paired_interval`). A log that cannot be put together again stands for
itself, without intervals.

Jobs that can never run on the machine of a question count on neither side of its changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.computing import at_once
from ..core.errors import InputError, number_of, one_of
from ..core.tables import Column, table
from ..policies.policy import Policy
from ..simulation.schedule import Schedule
from ..simulation.service import HOUR, Waits, waits
from ..simulation.simulator import REACT, RECORDED, simulate
from ..workload.plausibility import offered_load
from ..workload.resampling import why_not_resampled
from ..workload.workload import Workload
from .comparison_tables import distinct
from .consequences import AT_ONCE, BETTER, SAME, WORSE, duration
from .intervals import PAIRED_PERCENT, paired_interval
from .questions import Question
from .waits_table import MEASURES as WAITS
from .waits_table import Cell, Line, beside, value_words
from .what_if import TOO_FEW, drawn_workload, for_other_users, is_missed, on_other_machine

NOW = "now"
MEASURES = {"wait_mean_s": "mean", "wait_p95_s": "p95", "slowdown_mean": "slowdown_mean"}  # keys, and of `Waits`
EACH = 1000  # of price
MANY_TIMES = 900  # per cent; from there on a change is told in times, as in the table of waits
ONE_WORKLOAD = (
    "Without intervals nothing says what is chance: in one workload a single node can change waits by more than these "
    "differences, either way."
)


class Case(NamedTuple):
    """A question under a policy, and today on the same draws.

    Attributes
    ----------
    label, policy
        What is changed, as it was said, and the name of the policy; `NOW` if nothing is.
    before, after
        Waits today and then, of each draw.
    busy_before, busy_after
        UTIL today and then, (draws,) per cent; of the nodes that are there.
    load_before, load_after
        Offered load today and then, (draws,); NaN if all jobs are submitted at once.
    reached
        The objectives then, (draws, m) natural units.
    """

    label: str
    policy: str
    before: Sequence[Waits]
    after: Sequence[Waits]
    busy_before: Floats
    busy_after: Floats
    load_before: Floats
    load_after: Floats
    reached: Floats

    def values(self, key: str) -> tuple[Floats, Floats]:
        """Return a measure today and then, (draws, G + 1) each: of all jobs, then of each group."""
        before, after = (np.array([getattr(each, key) for each in some]) for some in (self.before, self.after))
        return before, after

    @property
    def hours_less(self) -> Floats:
        """Return the hours by which all jobs together wait less, (draws,)."""
        (before, after), (jobs, jobs_after) = self.values("mean"), self.values("jobs")
        less: Floats = (before[:, 0] * jobs[:, 0] - after[:, 0] * jobs_after[:, 0]) / HOUR
        return less


@dataclass(frozen=True, eq=False)
class WhatIf:
    """What questions do to the jobs of a workload; made by `what_if`.

    Parameters
    ----------
    workload
        The log.
    asked
        The questions, each with its label.
    cases
        Every policy today, then with each question; the first one is today's policy today.
    seeds
        Of the draws; none if the log stands for itself.
    reason
        Why it does; "" if it does not.
    dropped
        By label, which jobs of the log can never run then, in words.
    prices
        Of one node, by the words of questions.
    users
        "react" if users react to other waits than those that today's policy gives them.
    """

    workload: Workload
    asked: Sequence[tuple[str, Question]]
    cases: Sequence[Case]
    seeds: Sequence[int]
    reason: str
    dropped: Mapping[str, Sequence[str]]
    prices: Mapping[str, float]
    users: str = RECORDED


def what_if(
    workload: Workload,
    asked: Sequence[tuple[str, Question]],
    policies: Sequence[Policy],
    draws: int = 5,
    seed: int = 0,
    prices: Mapping[str, float] | None = None,
    users: str = RECORDED,
    known: dict[tuple[Any, ...], Schedule] | None = None,
) -> WhatIf:
    """Return what questions do under policies, against the first policy today.

    Parameters
    ----------
    workload
        The log.
    asked
        Questions, each with what it is called.
    policies
        The policies, one at least; the first is today's.
    draws
        How often the log is put together again, once at least.
    seed
        Of the first draw, at least 0; the others have the next numbers.
    prices
        Of one node, for all that is bought, see `prices_of`; by default none.
    users
        "react" for users who react, see `simulate`: to other waits than those that today's policy gives to the jobs of
        the log.
    known
        Schedules without any change that need not be simulated again, by `key_today`, so by the names
        of policies; modified in place. By default all are simulated.

    Raises
    ------
    InputError
        A question is of users, and the log cannot be put together again; no job can run on the machine of a question;
        or a policy cannot schedule other jobs.

    Examples
    --------
    Job 2 waits for all four processors; with eight it does not.

    >>> from paretosched.policies.policy import as_policy
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> answers = what_if(w, [("+4", Question("4 more processors", more=4))], [as_policy("easy")])
    >>> [(row["scenario"], row["wait_mean_s"], row["wait_mean_s_change"]) for row in answer_rows(answers)]
    [('now', 3.0, None), ('+4', 0.0, -3.0)]
    """
    reason = why_not_resampled(workload)
    for label, question in asked:
        if reason and question.is_of_users:
            raise InputError(f"{label}: needs a log that can be put together again, but {reason}; take another log")
    for policy in policies:
        if policy.replays:
            raise InputError(f"{policy.name} is what happened to the jobs of the log; it schedules no other ones")
    seeds = [] if reason else list(range(seed, seed + draws))
    dropped = {label: _jobs_lost(workload, label, question) for label, question in asked}
    names = distinct([policy.name for policy in policies])
    one_of("users", users, (RECORDED, REACT))
    own = policies if reason else [for_other_users(policy, workload) for policy in policies]
    each_seed: Sequence[int | None] = seeds or [None]
    today: dict[tuple[Any, ...], Schedule] = {} if known is None else known
    used_to = None
    if users == REACT:
        key = key_today(workload, None, names[0], RECORDED)
        if key not in today:
            today[key] = simulate(workload, policies[0])
        used_to = today[key].wait
    named = list(zip(names, own, strict=True))
    by_draw = at_once(lambda seed: list(_cases_of_draw(workload, seed, asked, named, used_to, today)), each_seed)
    heads = [(label, name) for label in (NOW, *(label for label, _ in asked)) for name in names]
    cases = []
    for place, head in enumerate(heads):
        before, after, *others = zip(*(draw[place] for draw in by_draw), strict=True)
        cases.append(Case(*head, before, after, *(np.array(each, dtype=np.float64) for each in others)))
    return WhatIf(workload, asked, cases, seeds, reason, dropped, prices or {}, users)


def key_today(workload: Workload, seed: int | None, name: str, users: str) -> tuple[Any, ...]:
    """Return by what the schedule of a policy without any change is kept, see `what_if`."""
    return workload.digest, seed, name, users


def _cases_of_draw(
    workload: Workload,
    seed: int | None,
    asked: Sequence[tuple[str, Question]],
    policies: Sequence[tuple[str, Policy]],
    used_to: Ints | None,
    known: dict[tuple[Any, ...], Schedule],
) -> Iterator[tuple[Waits, Waits, float, float, float | None, float | None, Floats]]:
    """Yield the values of every question under every named policy as in `Case`; without a seed those of the log itself.

    If users react to other waits than those that they are used to, these are `used_to`, (n,) s: each copy of a job is
    used to the wait of that job.
    """

    def take(rows: Ints) -> Ints | None:
        return None if used_to is None else used_to[rows]

    def today_of(name: str, policy: Policy) -> Schedule:
        key = key_today(workload, seed, name, RECORDED if used_to is None else REACT)
        if key not in known:
            known[key] = _schedule_of(base, policy, take(rows))
        return known[key]

    base, rows = (workload, np.arange(len(workload))) if seed is None else drawn_workload(workload, None, seed)
    today = today_of(*policies[0])
    for question in (None, *(question for _, question in asked)):
        changed, left, of_log = base, None, rows
        if question is not None and question.is_of_users:
            changed, of_log = drawn_workload(workload, question, seed or 0)
        elif question is not None:
            changed, left = on_other_machine(base, question)
            of_log = rows[left]
        before = waits(today, among=left)
        for name, policy in policies:
            then = today_of(name, policy) if question is None else _schedule_of(changed, policy, take(of_log))
            busy = _busy(today, base), _busy(then, base)
            loads = offered_load(base), offered_load(changed)
            yield before, waits(then), *busy, *loads, then.objectives.array


def _schedule_of(workload: Workload, policy: Policy, known: Ints | None = None) -> Schedule:
    """Return the schedule that a policy makes of a workload.

    If it is known what jobs wait today, (n,) s, users react to other waits.
    """
    return simulate(workload, policy) if known is None else simulate(workload.with_(wait=known), policy, users=REACT)


def _busy(schedule: Schedule, base: Workload) -> float:
    """Return UTIL of the nodes that are there: without those that are down for good, and are not in `base`."""
    machine, before = schedule.workload.machine, base.machine
    util = schedule.objectives["UTIL"]
    if machine is None or before is None or machine.names != before.names:
        return util
    away = int(machine.cpus[before.up & ~machine.up].sum())
    return util * machine.capacity / (machine.capacity - away)


def _jobs_lost(workload: Workload, label: str, question: Question) -> list[str]:
    """Return which jobs of the log can never run on the machine of a question, in words."""
    if question.is_of_users:
        return []
    try:
        left = on_other_machine(workload, question)[0]
    except InputError as error:
        raise InputError(f"{label}: {error}") from None
    new = left.repairs[len(workload.repairs) :]
    total = number_of(len(workload), "job")
    return [f"{each.jobs:,} of {total} ({each.first}): {each.reason}" for each in new]


# --- rows and tables --------------------------------------------------------------------------------------------------


def answer_rows(answers: WhatIf) -> list[dict[str, Any]]:
    """Return what every question does under every policy to all jobs, and to each group of several, as plain rows.

    Times are in s, UTIL is in per cent. Each measure has its mean over the draws, its change from today, and the
    interval of the change; None of today's policy today, and where there is no interval.
    """
    names = answers.workload.groups
    groups = ["all jobs", *(f"group {name}" for name in names if len(names) > 1)]
    rows = []
    for number, case in enumerate(answers.cases):
        for place, group in enumerate(groups):
            jobs = np.array([each.jobs[place] for each in case.after])
            if not jobs.any() and not any(each.jobs[place] for each in case.before):
                continue
            row: dict[str, Any] = {"scenario": case.label, "policy": case.policy, "group": group}
            row["jobs"] = round(float(jobs.mean()))
            pairs = {key: tuple(of[:, place] for of in case.values(name)) for key, name in MEASURES.items()}
            if not place:
                pairs["UTIL"] = case.busy_before, case.busy_after
            for key, (before, after) in pairs.items():
                row |= _cells(key, before, after, is_today=not number)
            rows.append(row)
    return rows


def _cells(key: str, before: Floats, after: Floats, is_today: bool) -> dict[str, float | None]:
    """Return a measure, its change and the interval of the change as cells of a row."""
    mean, change = mean_of(after), mean_of(after - before)
    low, high = paired_interval(after - before)
    cells: dict[str, float | None] = {key: mean, f"{key}_change": change, f"{key}_low": low, f"{key}_high": high}
    return {name: None if (is_today and name != key) or value != value else value for name, value in cells.items()}


def answer_lines(heads: Sequence[str], cases: Sequence[Case]) -> list[Line]:
    """Return a question as the lines of the table of waits: today, then each case; means over the draws.

    A change is the interval of the mean change, in per cent; without intervals the change itself. It is better or worse
    if 0 is not in it.

    Parameters
    ----------
    heads
        Of today and of each case, (k + 1,).
    cases
        The cases of one question, (k,).

    Examples
    --------
    >>> def of(*hours): return [Waits(np.array([4]), *(np.array([3600.0 * h]) for _ in range(6))) for h in hours]
    >>> case = Case("+1", "EASY", of(2, 4), of(1, 2.9), *(np.ones(2),) * 4, np.ones((2, 7)))
    >>> [cell.text for cell in answer_lines(["now", "then"], [case])[1].cells.values()]
    ['3 h', '1.9 h']
    >>> answer_lines(["now", "then"], [case])[1].cells["then"].change
    '↓ 14 to 56 %'
    """
    lines = []
    for place in np.flatnonzero(np.any([each.jobs for each in cases[0].before], axis=0)).tolist():
        for measure in WAITS:
            cells: dict[str, Cell | None] = {}
            for head, case in zip(heads[1:], cases, strict=True):
                before, after = (values[:, place] for values in case.values(measure))
                cells = cells or {heads[0]: Cell(value_words(measure, mean_of(before)))}
                cells[head] = _cell_of(measure, before, after)
            lines.append(Line(place, measure, cells))
    return lines


def _cell_of(measure: str, before: Floats, after: Floats) -> Cell:
    """Return the cell of a measure then, beside today on the same draws; both (draws,)."""
    mean, (low, high) = mean_of(before), paired_interval(after - before)
    if np.isnan(low) or not mean:
        return beside(measure, mean, mean_of(after))
    ends = [round(100 * end / mean) for end in (low, high)]
    text = value_words(measure, mean_of(after))
    least, most = sorted(map(abs, ends))
    if low <= 0 <= high:
        sure = "not sure" if most >= MANY_TIMES else f"{ends[0]} to {ends[1]} %".replace("-", "−")
        return Cell(text, SAME, sure if ends != [0, 0] else "")
    verdict, arrow = (WORSE, "↑") if low > 0 else (BETTER, "↓")
    times = f"{1 + least / 100:,.0f} to {1 + most / 100:,.0f}×"
    return Cell(text, verdict, f"{arrow} {times}" if most >= MANY_TIMES else f"{arrow} {least} to {most} %")


def mean_of(values: Floats) -> float:
    """Return the mean of the values that are there; NaN without any.

    Examples
    --------
    >>> mean_of(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def answer_table(answers: WhatIf) -> str:
    """Return the rows as a table for people, times in hours."""
    lines = []
    last: tuple[str, str] | None = None
    for row in answer_rows(answers):
        head = row["scenario"], row["policy"]
        line: dict[str, Any] = {"group": row["group"], "jobs": row["jobs"]}
        line |= {"scenario": "", "policy": ""} if head == last else {"scenario": head[0], "policy": head[1]}
        last = head
        for key, scale, digits in (("wait_mean_s", HOUR, 2), ("wait_p95_s", HOUR, 2), ("slowdown_mean", 1, 1)):
            line[key] = None if row[key] is None else row[key] / scale
            line[f"{key}_change"] = _change_text(row, key, scale, digits)
        if "UTIL" in row:
            line |= {"UTIL": row["UTIL"], "UTIL_change": _change_text(row, "UTIL", 1, 1)}
        else:
            line |= {"UTIL": "", "UTIL_change": ""}
        lines.append(line)
    change = "change" if len(answers.seeds) < 2 else f"change ({PAIRED_PERCENT} %)"
    columns = [Column("scenario", "what if"), Column("policy", "policy"), Column("group", "who")]
    columns.append(Column("jobs", "jobs", ",d"))
    heads = {"wait_mean_s": "mean wait h", "wait_p95_s": "95 of 100 within h", "slowdown_mean": "mean slowdown"}
    for key, title in (heads | {"UTIL": "UTIL %"}).items():
        spec = ",.2f" if key.endswith("_s") else ",.1f"
        columns += [Column(key, title, spec), Column(f"{key}_change", change)]
    return table(lines, columns)


def _change_text(row: Mapping[str, Any], key: str, scale: float, digits: int) -> str | None:
    """Return a change with its interval as text; None without a change."""
    change, low, high = (row[f"{key}_{what}"] for what in ("change", "low", "high"))
    if change is None:
        return "" if row["scenario"] == NOW else None
    spec = f"+,.{digits}f"
    ends = "" if low is None else f" ({low / scale:{spec}} to {high / scale:{spec}})"
    return f"{change / scale:{spec}}{ends}"


# --- sentences --------------------------------------------------------------------------------------------------------


def gain_sentences(answers: WhatIf) -> list[str]:
    """Return for every question under every policy who gains most and who pays, by mean waits."""
    return [_gain_sentence(answers, case, dict(answers.asked).get(case.label)) for case in answers.cases[1:]]


def _gain_sentence(answers: WhatIf, case: Case, question: Question | None) -> str:
    """Return who gains most and who pays in one case."""
    first, what, few = answers.cases[0].policy, case.label, ""
    if question is not None:
        loads = [mean_of(values) for values in (case.load_before, case.load_after)]
        load = f"offered load {loads[1]:.2f} in place of {loads[0]:.2f}" if question.is_of_users else ""
        few = f" {TOO_FEW}" if is_missed(question, answers.workload, *loads) else ""
        more = "; ".join(filter(None, [question.words if question.words != case.label else "", load]))
        what = f"{case.label} ({more})" if more else case.label
    before, after = case.values("mean")
    change = after - before
    means = [mean_of(change[:, place]) for place in range(change.shape[1])]
    how = "" if case.policy == first else f" with {case.policy}"
    is_smaller = bool(answers.dropped.get(case.label))
    of_left = "those whose jobs can never run then pay first; of the others, " if is_smaller else ""
    alone = next(each for each in answers.cases if (each.label, each.policy) == (NOW, case.policy))
    without = np.subtract(*reversed(alone.values("mean")))

    def change_text(place: int) -> str:
        """Return the change of a mean wait; of another scheduler also what it changes where nothing else does."""
        words = _less_or_more(change[:, place])
        is_other = case.policy != first and case.label != NOW
        return f"{words} ({_less_or_more(without[:, place])} by {case.policy} alone)" if is_other else words

    parts = [f"{what}{how}: {of_left}the mean wait is {change_text(0)}"]
    known = [place for place in range(1, change.shape[1]) if not np.isnan(means[place])]
    if len(known) > 1:
        best, worst = min(known, key=lambda k: means[k]), max(known, key=lambda k: means[k])
        name = answers.workload.groups
        gains = [f"group {name[best - 1]} gains most, {change_text(best)}"]
        pays = [f"group {name[worst - 1]} pays most, {change_text(worst)}"]
        parts += gains if means[best] <= -AT_ONCE else ["no group gains"]
        parts += pays if means[worst] >= AT_ONCE else [f"no {'other ' * is_smaller}group pays"]
    return f"{'; '.join(parts)}.{few}"


def _less_or_more(change: Floats) -> str:
    """Return the mean of changes in words; "not sure" if its interval has 0 in it."""
    mean, (low, high) = mean_of(change), paired_interval(change)
    if abs(mean) < AT_ONCE:
        return "as now"
    sure = " (not sure)" if low <= 0 <= high else ""
    return f"{duration(abs(mean))} {'longer' if mean > 0 else 'shorter'}{sure}"


class Worth(NamedTuple):
    """What is bought, and what it saves under today's policy.

    Attributes
    ----------
    label, nodes, price
        What was asked, how many nodes that are, and the price of all; None without one.
    saved
        The hours by which all jobs together wait less, (draws,).
    each
        The same for one node, or for 1,000 of price.
    """

    label: str
    nodes: int
    price: float | None
    saved: Floats
    each: Floats


def worths(answers: WhatIf) -> list[Worth]:
    """Return what is bought, the best first: by hours of waiting saved a node, or for each 1,000 of price."""
    today = answers.cases[0].policy
    of_label = {case.label: case for case in answers.cases if case.policy == today}
    found = []
    for label, question in answers.asked:
        if question.more > 0:
            price = question.more * answers.prices[question.word] if answers.prices else None
            saved = of_label[label].hours_less
            parts = question.more if price is None else price / EACH
            found.append(Worth(label, question.more, price, saved, saved / parts))
    return sorted(found, key=lambda one: -float(one.each.mean()))


def worth_rows(answers: WhatIf) -> list[dict[str, Any]]:
    """Return what is bought as plain rows, the best first, with intervals."""
    rows = []
    for one in worths(answers):
        key = "saved_h_per_node" if one.price is None else "saved_h_per_1000"
        row: dict[str, Any] = {"scenario": one.label, "nodes": one.nodes, "price": one.price}
        for name, values in (("saved_h", one.saved), (key, one.each)):
            low, high = paired_interval(values)
            row |= {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return rows


def worth_sentences(answers: WhatIf) -> list[str]:
    """Return what is bought in sentences, then which of it is worth most."""
    found, w = worths(answers), answers.workload
    unit = "node" if w.machine is not None else "processor"
    lasting = duration(float(w.submit[-1] - w.submit[0]))
    lines = []
    for one in found:
        ends = paired_interval(one.saved)
        per = (
            f"a {unit}"
            if one.price is None
            else f"for each {EACH:,} of price ({number_of(one.nodes, unit)}, {one.price:,.0f} in all)"
        )
        all_jobs = hours_text(float(one.saved.mean()), 1, "of waiting of all jobs together", ends)
        each = hours_text(float(one.each.mean()), 2)
        lines.append(f"{one.label}: {all_jobs} in {lasting}; that is {each} {per}.")
    if len(found) > 1:
        best, second = found[:2]
        low, high = paired_interval(best.each - second.each)
        per = f"a {unit}" if best.price is None else f"for each {EACH:,} of price"
        first, other = (hours_text(float(one.each.mean()), 2, "of waiting") for one in (best, second))
        most = "worth most" if best.each.mean() > 0 else "least bad"
        against = f"{first} {per}, against {other} with {second.label}"
        if np.isnan(low):
            lines.append(f"On these jobs {best.label} is {most}: {against}; of others nothing is known.")
        else:
            sure = ", so that it is not sure" if low <= 0 else ""
            ends_text = f"the difference is in {low:,.2f} to {high:,.2f}{sure}"
            lines.append(f"{most.capitalize()} is {best.label}: {against}; {ends_text}.")
    return lines


def hours_text(
    saved: float, digits: int, of: str = "", ends: tuple[float, float] = (float("nan"), float("nan"))
) -> str:
    """Return hours that are saved in words; of fewer than none, how many there are more. An interval is in brackets.

    Examples
    --------
    >>> hours_text(12.34, 1), hours_text(-1200.0, 0, "of waiting", (-1300.0, 20.0))
    ('12.3 hours saved', '1,200 hours more of waiting (-20 to 1,300)')
    """
    low, high = ends if saved >= 0 else (-ends[1], -ends[0])
    interval = "" if np.isnan(low) else f" ({low:,.{digits}f} to {high:,.{digits}f})"
    words = f"{of} saved" if saved >= 0 else f"more {of}"
    return f"{abs(saved):,.{digits}f} hours {words.strip()}{interval}"


def answer_text(answers: WhatIf) -> str:
    """Return all of it as text: the table, who gains and who pays, which jobs are left out, and what is worth most."""
    w, draws = answers.workload, len(answers.seeds)
    how = (
        f"the log itself, without intervals: {answers.reason}"
        if answers.reason
        else f"the mean of {draws} draws of the users in the log"
        if draws > 1
        else "one draw of the users in the log, without intervals"
    )
    reacting = " Users react to other waits than these jobs have in the log." if answers.users == REACT else ""
    parts = [
        f"{w.name}: {number_of(len(w), 'job')}; {how}. Changes are from {answers.cases[0].policy} now.{reacting}",
        answer_table(answers),
    ]
    sentences = [f"{label}: left out are {text}" for label, texts in answers.dropped.items() for text in texts]
    sentences += gain_sentences(answers)
    sentences += [] if draws > 1 else [ONE_WORKLOAD]
    parts += ["\n".join(lines) for lines in (sentences, worth_sentences(answers)) if lines]
    return "\n\n".join(parts)


def facts(answers: WhatIf) -> dict[str, Any]:
    """Return all numbers, for JSON; beside the rows the values of every draw."""
    draws = [
        {"scenario": case.label, "policy": case.policy}
        | {key: dict(zip(("now", "then"), case.values(name), strict=True)) for key, name in MEASURES.items()}
        | {"UTIL": {"now": case.busy_before, "then": case.busy_after}}
        for case in answers.cases
    ]
    return {
        "workload": answers.workload.name,
        "digest": answers.workload.digest,
        "seeds": answers.seeds,
        "not_resampled": answers.reason or None,
        "users": answers.users,
        "questions": {label: question.words for label, question in answers.asked},
        "rows": answer_rows(answers),
        "gains": gain_sentences(answers),
        "dropped": answers.dropped,
        "worth": worth_rows(answers),
        "draws": draws,
    }
