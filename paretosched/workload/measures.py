"""Measures in words, such as "p95 wait of gpu" or "mean slowdown": what an owner wants few or much of.

A measure is a statistic of a quantity over some jobs::

    measure   = [statistic] quantity ["of" who]
    statistic = "mean" | "median" | "p95" (any percentile) | "longest" | "weighted" | "jain" | "largest group"
              | "share", with a limit behind the quantity: share wait > 24h
    quantity  = "wait" | "response" | "slowdown" | "stretch" | "unfair wait"
    who       = the name of a user group, also in quotes | a condition in brackets, such as (width >= 32) | all

- *wait*, s: from when a job is eligible to its first start.
- *response*, s: from when it is eligible to its completion.
- *slowdown*: response over run time, at least 1; a run time below 10 s counts as 10 s (Feitelson 2001, "bounded
  slowdown"); slowdown(60) has another bound, in s.
- *stretch*: response over requested time.
- *unfair wait*, s: the part of a wait after a job that was submitted later had started.

*mean*, *median* and percentiles are over jobs, each counting once; a percentile such as p95 is the least value that 95
of 100 jobs do not exceed; *weighted* is the mean weighted by run time times processors (or charge, on a machine of
nodes), as in AWRT; *share* is the per cent of jobs above a limit; *jain* is Jain's index (1984) of the users' means, 1
where all users have the same; *largest group* is the largest mean of a user group over the mean of all jobs. Without a
word it is the mean, of unfair waits the weighted one.

Beside these there are *UTIL_memory* and *UTIL_gpus*, per cent, on a machine of nodes, and *idle hours*: processor hours
in which a processor was idle although a job waited. On a machine of nodes their processors are CPUs.

*energy(250 W, idle 90 W)*, kWh, is what processors take from the first submission to the last completion: so many W
while they run a job, and so many, 0 without a word, while they do not and are up. On a machine with GPUs, *energy(9 W,
idle 3 W, gpu 300 W, idle 50 W)* has what each of them takes, too. *price(250 W, idle 90 W, 0h 0.20, 7h 0.35, 22h 0.20)*
is its cost, with the price of a kWh from these hours of local time on. Of a group it is without idling.

More is better of UTIL and of Jain's index, and less of everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..core.arguments import list_argument
from ..core.arrays import Mask
from ..core.errors import InputError, did_you_mean, first_few, in_quotes, one_of
from .group_words import SECONDS, jobs_that_fit
from .workload import Measured, Workload

BOUND = 10  # s, of slowdowns
MOST = 64  # measures of a workload
FEWEST_DECIDING, MOST_DECIDING = 2, 12  # objectives of a search
RATIO = ""  # the unit of slowdowns
LARGEST_PRICE = 1e6  # of a kWh
LARGEST_NUMBER = 1e15  # of s, W and the like
ALL, OTHERS = "all", "others"
ENERGY, PRICE = "energy", "price"
WAIT, RESPONSE, SLOWDOWN, STRETCH, UNFAIR = QUANTITIES = ("wait", "response", "slowdown", "stretch", "unfair wait")
MEAN, MEDIAN, LONGEST, WEIGHTED, SHARE, JAIN, LARGEST = (
    "mean", "median", "longest", "weighted", "share", "jain", "largest group",
)  # fmt: skip
SAME = {"average": MEAN, "p50": MEDIAN, "worst": LONGEST, "max": LONGEST, "maximum": LONGEST, "weighted mean": WEIGHTED}
USES, IDLE = {"UTIL_memory": "memory", "UTIL_gpus": "GPUs"}, "idle hours"
UNITS = {WAIT: "s", RESPONSE: "s", SLOWDOWN: RATIO, STRETCH: RATIO, UNFAIR: "s"}
IN_WORDS = {
    RESPONSE: "response time", STRETCH: "response over requested time", UNFAIR: "wait after being overtaken",
}  # fmt: skip
STATISTIC = (
    r"(?:weighted\s+mean|mean|average|median|p\d+(?:\.\d+)?|longest|worst|maximum|max|weighted|share|jain|"
    r"largest\s+group)"
)
QUANTITY = r"(?:unfair\s+wait|wait|response|slowdown|stretch)"
LIMIT = r"\d+(?:\.\d+)?\s*(?:s|min|m|h|d)?\b"
CONDITION = r"\((?:[^()\"]|\"[^\"]*\"|\((?:[^()\"]|\"[^\"]*\")*\))*\)"
POWER = r"\d+(?:\.\d+)?\s*k?W"
TARIFF = (
    rf"(?P<kind>energy|price)\s*\(\s*(?P<busy>{POWER})\s*(?:,\s*idle\s+(?P<idle>{POWER})\s*)?"
    rf"(?:,\s*gpus?\s+(?P<gpu>{POWER})\s*(?:,\s*idle\s+(?P<idle_gpu>{POWER})\s*)?)?(?P<hours>,[^()]*)?\)"
)
WHAT = (
    rf"(?:(?:{STATISTIC}\s+)?{QUANTITY}\b(?:\s*\(\s*{LIMIT}\s*\))?(?:\s*>\s*{LIMIT}(?=\s*(?:of\b|[-+,<>=]|in\b|$)))?"
    rf"|{'|'.join(USES)}|idle\s+hours|(?:energy|price)\s*\([^()]*\))"
)
CONSUMED = re.compile(rf"{TARIFF}(?:\s+of\s+(?:group\s+)?(?P<of>.+))?", re.IGNORECASE | re.DOTALL | re.ASCII)
PARTS = re.compile(
    rf"(?:(?P<statistic>{STATISTIC})\s+)?(?P<quantity>{QUANTITY})(?:\s*\(\s*(?P<bound>{LIMIT})\s*\))?"
    rf"(?:\s*>\s*(?P<over>{LIMIT}))?(?:\s+of\s+(?:group\s+)?(?P<of>.+))?",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)


class Tariff(NamedTuple):
    """What processors take, and what it costs.

    Attributes
    ----------
    busy, idle
        W of a processor that runs a job, and of one that does not.
    gpu, idle_gpu
        The same of a GPU.
    hours, prices
        The local hours of the day from which prices hold, ascending, the first one 0, and the prices of a kWh; one of 1
        for the energy itself.
    """

    busy: float
    idle: float
    gpu: float = 0.0
    idle_gpu: float = 0.0
    hours: tuple[float, ...] = (0.0,)
    prices: tuple[float, ...] = (1.0,)


class Measure(NamedTuple):
    """A measure, read from its words.

    Attributes
    ----------
    name
        Its words in their shortest form, such as "p95 wait of gpu"; equal measures have equal names.
    statistic, quantity
        See the module; the statistic is "" for the use of a resource and for idle hours.
    of
        The name of a user group; a condition in brackets; or "" for all jobs.
    bound
        Of slowdowns, s.
    over
        What the jobs of a share are above, in the unit of the quantity.
    tariff
        Of energy and price; None for other quantities.
    """

    name: str
    statistic: str
    quantity: str
    of: str = ""
    bound: float = BOUND
    over: float = 0.0
    tariff: Tariff | None = None

    @property
    def percentile(self) -> str | None:
        """Return the percentile, above 0 and below 100, as it is written; None for other statistics."""
        return self.statistic[1:] if re.fullmatch(r"p[\d.]+", self.statistic) else None

    @property
    def group(self) -> str:
        """Return the name of the group that it is of; "" if it is of no group."""
        return "" if self.of.startswith("(") else self.of.removeprefix('"').removesuffix('"')

    @property
    def unit(self) -> str:
        """Return "s", "%", "h" for processor hours, "kWh", or "" for a ratio or a price."""
        if self.tariff is not None:
            return "kWh" if self.quantity == ENERGY else RATIO
        if self.quantity in USES or self.statistic == SHARE:
            return "%"
        if self.quantity == IDLE:
            return "h"
        return RATIO if self.statistic in (JAIN, LARGEST) else UNITS[self.quantity]

    @property
    def maximise(self) -> bool:
        """Return whether more is better."""
        return self.quantity in USES or self.statistic == JAIN

    @property
    def label(self) -> str:
        """Return what it is, in words."""
        who = f" of the jobs with {self.of[1:-1]}" if self.of.startswith("(") else f" of {self.of}" if self.of else ""
        if self.quantity in USES:
            return f"utilisation of {USES[self.quantity]}"
        if self.quantity == IDLE:
            return "processor hours idle although a job waited"
        if self.tariff is not None:
            return f"{self.quantity}{who}"
        what = IN_WORDS.get(self.quantity, self.quantity)
        if self.statistic == SHARE:
            return f"per cent of the jobs{who} with a {what} above {_limit_text(self.quantity, self.over)}"
        if self.statistic == JAIN:
            return f"Jain's index of the users' mean {what}{who}"
        if self.statistic == LARGEST:
            return f"largest mean {what} of a group over the mean of all"
        if self.percentile is not None:
            return f"{what} that {self.statistic[1:]} of 100 jobs{who} do not exceed"
        return (
            f"{'mean' if self.statistic == WEIGHTED else self.statistic} {what}{who}"
            + (self.statistic == WEIGHTED) * ", weighted by consumption"
        )


def has_measure(text: str) -> bool:
    """Return whether a text is a measure in words: all of it, or up to "of"."""
    return bool(re.fullmatch(rf"{WHAT}(?:\s+of\b.*)?", text.strip(), re.IGNORECASE | re.DOTALL))


@lru_cache(maxsize=4096)
def measure_of(text: str) -> Measure:
    """Return the measure that words stand for.

    Raises
    ------
    InputError
        The words are no measure; the message says which rule they break.

    Examples
    --------
    >>> measure_of("P95  wait of gpu").name, measure_of("slowdown").name, measure_of("share wait > 24h").over
    ('p95 wait of gpu', 'mean slowdown', 86400.0)
    """
    words = " ".join(text.split())
    for name in (*USES, IDLE):
        if words.lower() == name.lower():
            return Measure(name, "", name)
    consumed = CONSUMED.fullmatch(words)
    if consumed is not None:
        return _energy_measure(text, consumed)
    found = PARTS.fullmatch(words)
    if found is None:
        raise InputError(
            f"{in_quotes(text)} must be a measure, such as UTIL, AWRT, mean wait, p95 wait of GROUP, mean slowdown or "
            f"share wait > 24h, but is none{did_you_mean(words, (*USES, IDLE, *QUANTITIES))}"
        )
    quantity = found["quantity"].lower()
    statistic = (found["statistic"] or (WEIGHTED if quantity == UNFAIR else MEAN)).lower()
    if statistic.startswith("p"):
        percent = _number(statistic[1:])
        if not 0 < percent < 100:
            raise InputError(f"{in_quotes(text)}: a percentile must be above 0 and below 100, but is {statistic[1:]}")
        statistic = f"p{_digits(percent)}"
    statistic = SAME.get(statistic, statistic)
    of = _who(found["of"] or "")
    bound, over = float(BOUND), 0.0
    if found["bound"]:
        bound = _seconds(found["bound"])
        if quantity != SLOWDOWN or bound <= 0:
            raise InputError(f"{in_quotes(text)}: only a slowdown has a bound in brackets, above 0 s")
    if bool(found["over"]) != (statistic == SHARE):
        raise InputError(f"{in_quotes(text)}: a share needs a limit, and nothing else has one, as in share wait > 24h")
    if found["over"]:
        over = _seconds(found["over"])
        if UNITS[quantity] == RATIO and re.search("[a-z]", found["over"], re.IGNORECASE):
            raise InputError(f"{in_quotes(text)}: the limit of a {quantity} must be a number without a unit")
    if of and statistic == LARGEST:
        raise InputError(f"{in_quotes(text)}: the largest group must be one of all jobs, without of")
    name = f"{statistic} {quantity}" + (f"({_digits(bound)})" if bound != BOUND else "")
    name += f" > {_limit_text(quantity, over)}" if statistic == SHARE else ""
    return Measure(name + (f" of {of}" if of else ""), statistic, quantity, of, bound, over)


def _energy_measure(text: str, found: re.Match[str]) -> Measure:
    """Return the measure of energy or of its price that words stand for."""
    kind, of = found["kind"].lower(), _who(found["of"] or "")
    watts = [_watts(found[key]) if found[key] else 0.0 for key in ("busy", "idle", "gpu", "idle_gpu")]
    parts = [part.split() for part in (found["hours"] or "").split(",")[1:]]
    try:
        hours = tuple(float(hour.lower().removesuffix("h")) for hour, _ in parts)
        prices = tuple(_number(price) for _, price in parts)
    except ValueError:
        hours, prices = (1.0,), ()
    rising = all(a < b for a, b in pairwise((*hours, 24.0)))
    if parts and not (
        kind == PRICE and hours[0] == 0 and rising and all(0 <= price < LARGEST_PRICE for price in prices)
    ):
        raise InputError(
            f"{in_quotes(text)}: prices of a kWh must stand behind ascending hours from 0h on, as in price(250 W, idle "
            "90 W, 0h 0.20, 7h 0.35, 22h 0.20)"
        )
    if kind == PRICE and not parts:
        raise InputError(f"{in_quotes(text)}: a price needs that of a kWh, as in price(250 W, 0h 0.30)")
    busy, idle, gpu, idle_gpu = watts
    when = (hours, prices) if parts else ()
    before = ("", "idle ", "gpu ", "idle ")
    shown = (True, watts[1] > 0, max(watts[2:]) > 0, watts[3] > 0)
    words = [f"{word}{_digits(each)} W" for word, each, show in zip(before, watts, shown, strict=True) if show]
    words += [f"{_digits(hour)}h {_digits(price)}" for hour, price in zip(hours, prices, strict=True)]
    name = f"{kind}({', '.join(words)})" + (f" of {of}" if of else "")
    return Measure(name, "", kind, of, tariff=Tariff(busy, idle, gpu, idle_gpu, *when))


def _watts(text: str) -> float:
    """Return a power in W."""
    number, unit = re.fullmatch(r"([\d.]+)\s*(k?)w", text.strip().lower()).groups()  # type: ignore[union-attr]
    return _number(number) * (1000 if unit else 1)


def _who(text: str) -> str:
    """Return of whom a measure is: the name of a group, a condition in its shortest form, or "" for all.

    Names that would be read as something else stay in quotes.
    """
    name = text.strip()
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        return _word_for(name[1:-1])
    if name.startswith("("):
        parts = re.split(r'("[^"]*")', name)
        return "".join(
            part if k % 2 else re.sub(r"\s*(<=|>=|!=|[<>=])\s*", r" \1 ", part) for k, part in enumerate(parts)
        ).replace("( ", "(")
    return "" if name.lower() == ALL else name


def _word_for(group: str) -> str:
    """Return the name of a group as a measure has it: in quotes if it would be read as something else."""
    return f'"{group}"' if group.lower() in (ALL, OTHERS) or group.startswith("(") else group


def _seconds(text: str) -> float:
    """Return a number with or without a unit of time; without one it is as it is."""
    number, unit = re.fullmatch(r"([\d.]+)\s*(\w*)", text.strip().lower()).groups()  # type: ignore[union-attr]
    return _number(number) * (SECONDS[unit] if unit else 1)


def _number(text: str) -> float:
    """Return a number; raise InputError for one that is too large."""
    value = float(text)
    if value > LARGEST_NUMBER:
        raise InputError(f"a number of a measure must be at most {LARGEST_NUMBER:g}, but is {in_quotes(text)}")
    return value


def _digits(value: float) -> str:
    """Return a number as its shortest text without an exponent.

    Examples
    --------
    >>> _digits(1234567.0), _digits(0.00001), _digits(99.99999)
    ('1234567', '0.00001', '99.99999')
    """
    return np.format_float_positional(value, trim="-")


def _limit_text(quantity: str, over: float) -> str:
    """Return the limit of a share as a wish writes it."""
    if UNITS[quantity] == RATIO:
        return _digits(over)
    return f"{_digits(over / 3600)}h" if over >= 3600 and (over / 3600) % 0.25 == 0 else f"{_digits(over)}s"


def is_measure(name: str) -> bool:
    """Return whether an objective with this name is a measure: neither UTIL nor an AWRT.

    Examples
    --------
    >>> [is_measure(name) for name in ("UTIL", "AWRT", "AWRT12", "UTIL_gpus", "mean wait")]
    [False, False, False, True, True]
    """
    return name != "UTIL" and re.fullmatch(r"AWRT\d*", name) is None


def is_maximised(name: str) -> bool:
    """Return whether more is better of an objective with this name, UTIL, AWRT1 or a measure."""
    return measure_of(name).maximise if is_measure(name) else name == "UTIL"


def unit_of(name: str) -> str:
    """Return the unit of an objective with this name."""
    return measure_of(name).unit if is_measure(name) else "%" if name == "UTIL" else "s"


def objective_name(text: str, groups: Sequence[str]) -> str:
    """Return the name of an objective in words: UTIL, AWRT, AWRT1, "AWRT of physics" (its AWRT3), or of a measure.

    Raises
    ------
    InputError
        The words are no objective, or of a group that is not there.

    Examples
    --------
    >>> [objective_name(words, ("gpu", "rest")) for words in ("util", "AWRT of rest", "mean wait of GPU")]
    ['UTIL', 'AWRT2', 'mean wait of gpu']
    """
    words = " ".join(text.split())
    known = ["UTIL", "AWRT", *(f"AWRT{i}" for i in range(1, len(groups) + 1))]
    if words.upper() in known:
        return words.upper()
    found = re.fullmatch(r"awrt\s+of\s+(.+)", words, re.IGNORECASE)
    if found:
        who = _who(found[1])
        if not who:
            return "AWRT"
        if not who.startswith("("):
            return f"AWRT{groups.index(_group(text, who, groups)) + 1}"
        words = f"weighted response of {who}"
    measure = measure_of(words)
    if measure.of and not measure.of.startswith("(") and measure.of.lower() != OTHERS:
        return measure_of(measure.name.removesuffix(measure.of) + _word_for(_group(text, measure.of, groups))).name
    return measure.name


def _group(text: str, name: str, groups: Sequence[str]) -> str:
    """Return the name of a group as it is written in the workload; raise InputError if there is none."""
    if name.lower() == OTHERS and name not in groups:
        raise InputError(f"{in_quotes(text)}: others are for limits of a wish with a goal; name a group")
    name = name.removeprefix('"').removesuffix('"')
    found = [group for group in groups if group == name] or [g for g in groups if g.lower() == name.lower()]
    if not found:
        raise InputError(
            f"{in_quotes(text)}: there is no group {in_quotes(name)}; groups are {first_few(groups, len(groups))}"
            f"{did_you_mean(name, groups)}; a condition stands in brackets, as in (width >= 32)"
        )
    return found[0]


def split_objectives(text: str) -> list[str]:
    """Return the objectives in a text, between commas that are neither in brackets nor in quotes.

    Examples
    --------
    >>> split_objectives('UTIL, p95 wait of (user = "a, b" or width > 3), mean slowdown')
    ['UTIL', 'p95 wait of (user = "a, b" or width > 3)', 'mean slowdown']
    """
    parts = re.findall(rf"""(?:{CONDITION}|"[^"]*"|'[^']*'|[^,])+""", text)
    return [part.strip() for part in parts if part.strip()]


def with_objectives(workload: Workload, objectives: str | Sequence[str]) -> Workload:
    """Return a workload whose schedules a search compares by these objectives, in words; two to twelve.

    Raises
    ------
    InputError
        As for `with_measures`; or they are too few or too many, or one comes twice.
    """
    words = split_objectives(objectives) if isinstance(objectives, str) else list_argument("objectives", objectives)
    names = [objective_name(str(word), workload.groups) for word in words]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"objectives must be different, but {twice[0]} comes twice")
    if not FEWEST_DECIDING <= len(names) <= MOST_DECIDING:
        raise InputError(f"objectives must be {FEWEST_DECIDING} to {MOST_DECIDING}, but are {len(names)}")
    measured = with_measures(workload, (), names)
    empty = [measure.name for measure, fits in counted_jobs(measured) if fits.size and not fits.any()]
    if empty:
        raise InputError(f"objectives must be of some jobs, but no job of {workload.name} counts for {empty[0]}")
    return measured


def with_measures(workload: Workload, names: Iterable[str], deciding: Iterable[str] = ()) -> Workload:
    """Return a workload on which these measures are told beside UTIL, AWRT and those of the groups.

    Parameters
    ----------
    workload
        The jobs; what is measured on it already stays.
    names
        Objectives in words; UTIL and AWRTs are told anyway.
    deciding
        Which objectives, in words, a search is for; none for the papers', UTIL and the AWRT of each group.

    Raises
    ------
    InputError
        The words are no objective, or cannot be measured on this workload.

    Examples
    --------
    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
    >>> with_measures(w, ["p95 wait", "AWRT"]).measured.names
    ('p95 wait',)
    """
    wanted = [objective_name(name, workload.groups) for name in deciding]
    found = [*workload.measured.names, *(objective_name(name, workload.groups) for name in names), *wanted]
    extra = tuple(dict.fromkeys(filter(is_measure, found)))
    if len(extra) > MOST:
        raise InputError(f"measures must be {MOST} at most, but are {len(extra)}")
    changed = as_measured(workload, Measured(extra, tuple(dict.fromkeys(wanted)) or workload.measured.deciding))
    counted_jobs(changed)  # raises if something cannot be measured
    return changed


def as_measured(workload: Workload, measured: Measured) -> Workload:
    """Return a workload on which this is measured, as on another one or on a front; the same one if it is so already.

    What is known of a workload, such as its bounds, is kept with the value.
    """
    return workload if workload.measured == measured else workload.with_(measured=measured)


_COUNTED: WeakKeyDictionary[Workload, tuple[tuple[Measure, Mask], ...]] = WeakKeyDictionary()


def counted_jobs(workload: Workload) -> tuple[tuple[Measure, Mask], ...]:
    """Return the measures of a workload and the jobs that count for each: (n,) bool, or (0,) for all.

    Raises
    ------
    InputError
        A group or a condition is not known on this workload, or it lacks what a measure is of.
    """
    known = _COUNTED.get(workload)
    if known is None:
        known = tuple((measure_of(name), _jobs_of(measure_of(name), workload)) for name in workload.measured.names)
        _COUNTED[workload] = known
    return known


def _has_gpus(workload: Workload) -> bool:
    return workload.machine is not None and bool(workload.machine.gpu_types)


def _jobs_of(measure: Measure, workload: Workload) -> Mask:
    """Return the jobs that count for a measure: (n,) bool, or (0,) for all."""
    if measure.quantity in USES:
        one_of("the use of a resource", USES[measure.quantity], list(workload.resource_shares))
    if measure.tariff is not None and max(measure.tariff.gpu, measure.tariff.idle_gpu) and not _has_gpus(workload):
        raise InputError(f"{measure.name}: {workload.name} must have a machine with GPUs; leave out what a gpu takes")
    if measure.statistic == JAIN and not (workload.user >= 0).any():
        raise InputError(f"{measure.name}: {workload.name} must know its users, but knows none")
    if measure.of.startswith("("):
        return jobs_that_fit(measure.of[1:-1], workload, f"measure {in_quotes(measure.name)}")
    if measure.of:
        of_group: Mask = workload.group == workload.groups.index(_group(measure.name, measure.of, workload.groups))
        return of_group
    return np.empty(0, dtype=np.bool_)
