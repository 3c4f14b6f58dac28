"""A policy as text for OpenPBS: a formula, a hook that gives jobs the weights of their groups, a crontab, and undoing.

Nothing is run. OpenPBS sorts the waiting jobs by `job_sort_formula` at every cycle, the largest value first. Its
`eligible_time` is the wait, `walltime` the request, `ncpus` the width. What depends on the group of a job stands in
custom resources, which a hook sets when the job is submitted; the situations weekend, day and night are set by cron.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch

from ..core.errors import InputError, printable
from ..core.situations import SITUATIONS
from ..policies.formula import Term, variables
from ..policies.greedy_order import Greedy
from ..policies.guarded import Guarded
from ..policies.policy import Policy
from ..policies.priority import Priority
from .ranking import Orderly, check_orderly, left_out, reservations_of

FIELDS = {"account": "job.Account_Name", "user": "event.requestor", "qos": "job.queue", "partition": "job.queue"}
HOOK = "paretosched_hook.py"  # in the text, if it depends on groups
MOST_LETTERS = 20_000  # of a formula
MOST_DEPTH = 10_000  # reservations for all jobs: more than ever wait
HOURS = {"weekend": "0 0 * * 6", "day": "0 8 * * 1-5", "night": "0 18 * * 1-5"}
MONDAY = "0 0 * * 1"  # the night before the first day of the week
OPERATORS = {"+": "+", "-": "-", "*": "*", "^": "**", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "=": "==", "!=": "!="}
CALLS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "min": "min", "max": "max"}
NAMES = {
    "wait": "eligible_time",
    "estimate": "walltime",
    "width": "ncpus",
    "area": "(walltime * ncpus)",
}


def pbs_text(policy: Policy, how: str | None) -> str:
    """Return what an administrator of OpenPBS needs to run a policy, as a shell script with comments.

    Parameters
    ----------
    policy
        The policy.
    how
        Where the group of a job stands: "account", "user", or "qos" or "partition" for its queue; None is "account".

    Raises
    ------
    InputError
        The policy, or a part of its formula, cannot be said in OpenPBS, or the group stands elsewhere.
    """
    orderly = check_orderly(policy)
    if isinstance(orderly, Guarded):
        raise InputError(
            f"policy {policy.name} compares itself with EASY on all jobs so far, which no formula of OpenPBS can; to "
            "have its groups come first without a guard, deploy an order such as "
            f"priority:{','.join(orderly.first)}"
        )
    if how not in (None, *FIELDS):
        raise InputError(f"--groups: for pbs it must be one of {', '.join(FIELDS)}, but is {how}")
    resources = _resources(orderly)
    formulas = [_formula(orderly, s) for s in range(len(SITUATIONS))]
    steps = [_server_part(orderly, resources)]
    if resources:
        steps.append(_hook_part(resources, _default_of(orderly), FIELDS[how or "account"]))
    steps.append(_formula_part(formulas))
    heading = (
        f"#!/bin/sh\n# {printable(policy.name)} for OpenPBS. Read it, then run it as a manager on the server.\nset -e"
    )
    numbered = [f"# {number}. {step}" for number, step in enumerate(steps, 1)]
    return "\n\n".join([heading, *numbered, _undo_part(resources, formulas)])


def _default_of(policy: Orderly) -> str:
    """Return the group of newcomers."""
    return policy.grouping.default if policy.grouping is not None else policy.groups[-1] if policy.groups else ""


def _server_part(policy: Orderly, resources: Mapping[str, Mapping[str, float]]) -> str:
    """Return the settings of server and scheduler."""
    reservations = reservations_of(policy)
    depth = min(reservations, MOST_DEPTH)
    lines = [
        "The wait counts from when a job could run first. Backfilling:",
        "qmgr -c 'set server eligible_time_enable = True'",
        f"qmgr -c 'set server backfill_depth = {max(depth, 1)}'",
        "# and in sched_priv/sched_config, then kill -HUP the scheduler:",
        "#   strict_ordering: true ALL",
        f"#   backfill: {'true' if depth else 'false'} ALL" + ("" if depth < MOST_DEPTH else "   (every job)"),
    ]
    lines += [f"# Left out of the policy: {printable(words)}" for words in left_out(policy, in_passes=False)]
    lines += [f"qmgr -c 'create resource {name} type=float'" for name in resources]
    return "\n".join(lines)


def _hook_part(resources: Mapping[str, Mapping[str, float]], default: str, field: str) -> str:
    """Return the hook that gives jobs the weights of their groups."""
    groups = list(next(iter(resources.values())))
    table = "\n".join(
        f"    {group!r}: {{{', '.join(f'{name!r}: {values[group]!r}' for name, values in resources.items())}}},"
        for group in groups
    )
    return f"""\
The hook: the weights of a job's group. Jobs of other groups are newcomers.
cat > {HOOK} <<'END'
import pbs

WEIGHTS = {{
{table}
}}
NEWCOMERS = {(default if default in groups else groups[-1])!r}
event = pbs.event()
job = event.job
weights = WEIGHTS.get(str({field}), WEIGHTS[NEWCOMERS])
for name, value in weights.items():
    job.Resource_List[name] = value
event.accept()
END
qmgr -c 'create hook paretosched'
qmgr -c 'set hook paretosched event = queuejob'
qmgr -c 'import hook paretosched application/x-python default {HOOK}'
# Jobs that wait already have no weights, and come last; qalter -l {next(iter(resources))}=... gives them some."""


def _formula_part(formulas: Sequence[str]) -> str:
    """Return the formula, or the formulas with a crontab."""
    set_formula = "qmgr -c 'set server job_sort_formula = \"{}\"'"
    if len(set(formulas)) == 1:
        return f"The order of the waiting jobs: the largest value comes first.\n{set_formula.format(formulas[0])}"
    lines = ["The order of the waiting jobs, by situation. This goes into the crontab of a manager (crontab -e):"]
    for situation, formula in zip(SITUATIONS, formulas, strict=True):
        times = [HOURS[situation], *([MONDAY] if situation == "night" else [])]
        lines += [f"#   {when} {set_formula.format(formula).replace('%', chr(92) + '%')}" for when in times]
    lines += ["# and until it is run for the first time, the formula of the night:", set_formula.format(formulas[2])]
    return "\n".join(lines)


def _undo_part(resources: Mapping[str, Mapping[str, float]], formulas: Sequence[str]) -> str:
    """Return how to undo all of it."""
    lines = ["# How to undo it:", "#   qmgr -c 'unset server job_sort_formula'"]
    if len(set(formulas)) > 1:
        lines.append("#   and remove the lines from the crontab")
    if resources:
        lines.append("#   qmgr -c 'delete hook paretosched'")
        lines += [f"#   qmgr -c 'delete resource {name}'   (when no job has it any more)" for name in resources]
    lines.append("#   set eligible_time_enable, backfill_depth and sched_config back to what they were")
    return "\n".join(lines)


# --- formulas ---------------------------------------------------------------------------------------------------------


@singledispatch
def _resources(policy: Orderly) -> dict[str, dict[str, float]]:  # noqa: ARG001  # a plain rule needs none
    """Return the custom resources, by name: the value for each group."""
    return {}


@_resources.register
def _(policy: Greedy) -> dict[str, dict[str, float]]:
    count = len(policy.groups)
    result: dict[str, dict[str, float]] = {}
    for situation, row in zip(SITUATIONS, policy.genes.tolist(), strict=True):
        result[f"psw_{situation}"] = dict(zip(policy.groups, row[:count], strict=True))
        result[f"psk_{situation}"] = dict(zip(policy.groups, row[count : 2 * count], strict=True))
    return result


@_resources.register
def _(policy: Priority) -> dict[str, dict[str, float]]:
    words = frozenset().union(*(variables(order.formula.term) for order in policy.orders))
    return {
        f"psg_{number}": {name: float(name == group) for name in [*policy.named_groups, ""]}
        for number, group in enumerate(policy.named_groups)
        if "group" in words or "priority" in words
    }


@singledispatch
def _formula(policy: Orderly, s: int) -> str:  # noqa: ARG001  # a plain rule is the order of arrival
    """Return the formula of a situation."""
    return "eligible_time"


@_formula.register
def _(policy: Priority, s: int) -> str:
    key = policy.orders[s].formula.key
    if key in (Term("-x", (Term("eligible"),)), Term("-x", (Term("submit"),))):  # the order of arrival
        return "eligible_time"
    return _in_pbs(key, policy.named_groups)


@_formula.register
def _(policy: Greedy, s: int) -> str:
    a, b = policy.genes[s, -2:].tolist()
    w, K = f"psw_{SITUATIONS[s]}", f"psk_{SITUATIONS[s]}"
    return {
        "f1": f"{w} * ({K} + {a!r} * eligible_time / walltime + {b!r} * walltime / ncpus)",
        "f2": f"{w} * ({K} + {a!r} * eligible_time + {b!r} * walltime * ncpus)",
        "f3": f"{w} * ({K} + {a!r} * eligible_time / (walltime * ncpus))",
        "f4": f"{w} * ({K} + {a!r} * eligible_time + {b!r} * walltime / ncpus)",
    }[policy.criteria[s]]


def _in_pbs(term: Term, groups: Sequence[str]) -> str:
    """Return a term in Python, as OpenPBS evaluates it; refuse one that is too long, before more is built of it."""
    text = _expression(term, groups)
    if len(text) > MOST_LETTERS:
        raise InputError(
            f"the formula must have at most {MOST_LETTERS:,} letters for OpenPBS, but has more: each / has what it "
            "divides by twice there, each logarithm its value; nest fewer of them"
        )
    return text


def _expression(term: Term, groups: Sequence[str]) -> str:
    """Return a term in Python, whatever its length."""
    word = term.word
    parts = [_in_pbs(part, groups) for part in term.parts]
    if word == "number":
        return f"{term.value!r}"
    if word in NAMES:
        return NAMES[word]
    if word == "group":
        return f"psg_{groups.index(term.labels[0])}"
    if word == "priority" and term.labels:
        names = term.labels
        return "(" + " + ".join(f"{len(names) - i} * psg_{groups.index(n)}" for i, n in enumerate(names)) + ")"
    if word == "/":
        return f"({parts[0]} / {parts[1]} if {parts[1]} else 0)"
    if word in OPERATORS:
        return f"({parts[0]} {OPERATORS[word]} {parts[1]})"
    if word in CALLS:
        return f"{CALLS[word]}({', '.join(parts)})"
    if word in ("log", "log2", "log10"):
        base = {"log": "", "log2": ", 2", "log10": ", 10"}[word]
        return f"(log({parts[0]}{base}) if {parts[0]} > 0 else -1e300)"
    if word in ("and", "or"):
        return f"({parts[0]} {word} {parts[1]})"
    if word == "if":
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    if word == "-x":
        return f"(-{parts[0]})"
    if word == "not":
        return f"(not {parts[0]})"
    raise InputError(
        f'the formula uses "{word}", which OpenPBS does not know; say it by wait, estimate, width or groups'
    )
