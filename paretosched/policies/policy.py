"""What a scheduler is: one of eight kinds of values, each of which knows how it is simulated.

============  ======================================================================================================
Plain         a rule without parameters; see `paretosched.policies.plain`
Greedy        orders the waiting jobs by a key (papers 000 and 002); see `paretosched.policies.greedy_order`
RuleBase      chooses one of thirteen strategies at every pass (paper 001); see `paretosched.policies.rule_base`
TimeSharing   SCOJO-PECT (paper 004); see `paretosched.policies.time_sharing`
Priority      an order, published or a formula, with a backfilling of its own; see `paretosched.policies.priority`
Guarded       groups come first while it does not do worse than EASY; see `paretosched.policies.guarded`
Called        a Python function orders the waiting jobs; see `paretosched.policies.own`
Given         a schedule that is there already; likewise
============  ======================================================================================================

All of them have

============================  ======================================================================================
rule, name, provenance        the word for it in files, what it is called, and where it comes from
groups                        the names of the user groups it is for; none if it is for any
grouping                      the rule that puts jobs into these groups, see `decided_by`; None without a rule
outcome(workload, method)     the `Outcome` of a workload that it fits, with run times predicted by a method or not
asks                          whether it uses estimates of run times at all
knows_run_times               whether it knows real run times by itself, whatever the estimates are
replays                       whether its schedule is the log's own record
no_order                      why no order of the waiting jobs, with reservations, is the same; "" if one is
queue(workload)               how the waiting jobs are ordered and backfilled; of policies that are an order
reservations                  how many of them have a reservation; likewise
============================  ======================================================================================
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..core.arguments import as_list, as_path, instance
from ..core.errors import InputError, did_you_mean
from ..core.files import is_file, is_folder, parse_json, read_words, write_json
from ..core.run_files import is_run
from ..workload.workload import Workload
from .formula import FUNCTIONS, LABELLED, VARIABLES, bare_groups
from .guarded import Guarded, is_guarded, read_guarded
from .own import Called, Function, Given, Made
from .plain import PLAIN_RULES, Plain
from .policy_json import Kind, from_json, to_json
from .priority import Priority
from .priority_text import read_priority
from .published_orders import ORDER_NAMES
from .time_sharing import Optimisation, TimeSharing

Policy = Kind
P = TypeVar("P", bound=Policy)

SLURM_ENDING = ".conf"
OPTIMISED = "scojo-opt"  # short name of SCOJO-PECT with the group optimisation of paper 004
# policies that need no file; first come first served is both a rule and an order
POLICY_NAMES = tuple(dict.fromkeys((*PLAIN_RULES, TimeSharing.rule, *ORDER_NAMES)))


def fits(policy: P, workload: Workload) -> P:
    """Return `policy` if its groups are the workload's, as a search needs it that begins with the policy.

    Raises
    ------
    InputError
        The workload has other groups.
    """
    if policy.groups and policy.groups != workload.groups:
        raise _other_groups(policy, workload)
    return policy


def group_names(policy: Policy) -> tuple[str, ...]:
    """Return the groups that a policy decides by, or that its formulas name; none if all jobs are alike to it."""
    return policy.groups or tuple(getattr(policy, "named_groups", ()))


def decided_by(policy: Policy, workload: Workload) -> Workload:
    """Return a workload with the groups by which a policy decides; what is measured stays with the workload's own.

    If they have the same names, they are the workload's own groups, unless those are known to be of another kind than
    the policy's rule makes: by consumption, or from a list or the log. Otherwise the rule puts the jobs into the groups
    of the policy. Without a rule the workload's groups must be among them: a group missing in a log is no error.

    Raises
    ------
    InputError
        The workload has a group that the policy does not have, and the policy has no rule that could be used.

    Examples
    --------
    >>> from .greedy_order import greedy
    >>> from ..workload.group_lists import GroupLine
    >>> from ..workload.group_rules import ListedGroups
    >>> rule = ListedGroups(("vip", "other"), (GroupLine("vip", user=8),), "other")
    >>> p = greedy(["f2"] * 3, [[1, 0, 1, 0, 1, 0]] * 3, groups=rule.groups, grouping=rule)
    >>> w = Workload(submit=[0, 1], run=[5, 5], estimate=[5, 5], width=[1, 1], capacity=1, user=[7, 8])
    >>> [p.groups[g] for g in decided_by(p, w).group]
    ['other', 'vip']
    """
    rule = policy.grouping
    same = not policy.groups or policy.groups == workload.groups
    if rule is not None and rule.applies(workload) and not (same and rule.agrees(workload)):
        return workload.with_(group=rule.group_indices(workload), groups=rule.groups)
    if same:
        return workload
    if set(workload.groups) <= set(policy.groups):
        places = np.array([policy.groups.index(name) for name in workload.groups], dtype=np.int64)
        return workload.with_(group=places[workload.group], groups=policy.groups)
    raise _other_groups(policy, workload, "it has no rule for them" if rule is None else "its rule finds no users here")


def _other_groups(policy: Policy, workload: Workload, reason: str = "") -> InputError:
    """Return the error for a workload that has other groups than a policy."""
    return InputError(
        f"policy {policy.name} is for the groups {', '.join(policy.groups)}, "
        f"but {workload.name} has the groups {', '.join(workload.groups)}{reason and '; '}{reason}"
    )


PATH = re.compile(r"[./\\]")  # no name of a policy has these
TEMPLATE_LINE = re.compile(r"^[ \t]*(?:<%|\{[{%#])", re.MULTILINE)  # nor one in JSON
SLURM_LINE = re.compile(  # which no policy in words has
    r"^[ \t]*(ClusterName|SlurmctldHost|ControlMachine|(Partition|Node)Name|(Priority|Scheduler|Auth)Type)[ \t]*=",
    re.IGNORECASE | re.MULTILINE,
)
COMMENTS = re.compile(r'("[^"\n]*")|(?<!\S)#.*')  # or a name in quotes, which stays; a#b is a name without its quotes
FORMULA = re.compile(  # what a formula has, and hardly a name
    rf"\b({'|'.join(VARIABLES)})\b|\b({'|'.join((*LABELLED, *FUNCTIONS))})\s*\(", re.IGNORECASE
)
OF_A_RUN = (
    ": it is a run; a row of it becomes a policy by simulate LOG --front RUN --row N --save-policy FILE, and limits "
    "are set by the lines that front RUN --wish prints"
)
NO_PATH = re.compile(r"[()*+^<>=]")  # a formula may have these, and hardly the name of a file
PolicyLike = str | os.PathLike[str] | Policy | Function | Made


def as_policy(policy: PolicyLike) -> Policy:
    """Return a policy; it may be given as a value, by name, in words, or as the path of a policy file.

    It may also be a Python function that orders the waiting jobs, or a schedule, see `paretosched.policies.own`.

    The names are those of rules and of published orders. `paretosched.policies.priority_text` and
    `paretosched.policies.guarded` have the words. A formula alone is an order. An order that says nothing of
    backfilling has EASY.

    Raises
    ------
    InputError
        There is no such policy, or its file breaks a rule.

    Examples
    --------
    >>> as_policy("fcfs").rule
    'fcfs'
    >>> as_policy("sjf").name, as_policy("sjf; backfill: none").name
    ('SJF with EASY', 'SJF')
    >>> as_policy("wait / estimate").name
    'wait / estimate with EASY'
    """
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str | os.PathLike):
        if isinstance(policy, Made):
            return Given(policy)
        if callable(policy) and not isinstance(policy, type):
            return Called(policy)
        raise InputError(
            "policy must be a policy, the name of a rule, the path of a file, a Python function of jobs and now, or a "
            f"schedule, but is {policy!r:.60}"
        )
    word = str(policy)
    named = _by_name(word)
    if named is not None:
        return named
    path = Path(policy)
    if path.suffix.lower() in (".json", ".txt", SLURM_ENDING) or is_file(path):
        return load_policy(path)
    if not isinstance(policy, os.PathLike) and (":" in word or ";" in word or is_guarded(word)):
        return _read_words(word)
    if not isinstance(policy, os.PathLike) and (order := _formula_alone(word)) is not None:
        return order
    words = (*POLICY_NAMES, OPTIMISED)
    where = (
        OF_A_RUN
        if is_run(word)
        else ": it is a folder"
        if is_folder(word)
        else ": there is no such file"
        if PATH.search(word)
        else ""
    )
    raise InputError(
        f'policy "{policy}" is not known{where}; choose one of {", ".join(words)}, or give the path of a policy file '
        "(.json, .txt, or a slurm.conf), or an order in words, such as "
        f'"order: wait / estimate; backfill: easy"{did_you_mean(word, words)}'
    )


def as_policies(what: PolicyLike | Sequence[PolicyLike] | Mapping[str, PolicyLike]) -> list[Policy]:
    """Return policies, each as for `as_policy`, given as one or several, or by the names that they get.

    Examples
    --------
    >>> [policy.name for policy in as_policies({"today": "easy", "mine": "wait / estimate"})]
    ['today', 'mine']
    """
    if not isinstance(what, Mapping):
        return [as_policy(policy) for policy in as_list(what)]
    return [replace(as_policy(policy), name=instance("name of a policy", name, str)) for name, policy in what.items()]


def _by_name(word: str) -> Policy | None:
    """Return the policy with a name; None if there is none."""
    if word in PLAIN_RULES:
        return Plain(word)
    if word in (TimeSharing.rule, OPTIMISED):
        return TimeSharing(optimisation=Optimisation() if word == OPTIMISED else None)
    return read_priority(word) if word in ORDER_NAMES else None


def _formula_alone(text: str) -> Priority | None:
    """Return the order that a formula alone stands for; None for what may be the name of a file.

    Raises
    ------
    InputError
        It breaks a rule of formulas, and can hardly be the name of a file.
    """
    if not FORMULA.search(text):
        return None
    try:
        policy = read_priority(text)
    except InputError:
        if NO_PATH.search(text):
            raise
        return None
    has_names = any(bare_groups(row.formula.term) for row in policy.orders)
    return None if has_names and "/" in text and not NO_PATH.search(text) else policy


def _read_words(text: str) -> Priority | Guarded:
    """Return the policy that words stand for.

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.
    """
    return read_guarded(text) if is_guarded(text) else read_priority(text)


def save_policy(policy: PolicyLike, path: str | os.PathLike[str]) -> None:
    """Write a policy file."""
    write_json(path, to_json(as_policy(policy)))


def load_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a policy file: JSON, words in a file whose name ends in ".txt", or a configuration of Slurm.

    The latter is known by a name that ends in ".conf" or by what is in it: a slurm.conf, or what scontrol printed.
    Among words, a # at the beginning of a line or behind a space begins a comment, which ends with the line. A name
    alone is that of a policy, as for `as_policy`.

    Raises
    ------
    InputError
        The file cannot be read, is none of these, or is not a policy.
    """
    if (text := _text_of(path)) is None:
        from .slurm_policy import read_slurm

        return read_slurm(path)
    if not text.lstrip().startswith("{") and as_path(path).suffix.lower() == ".txt":  # JSON may have any name
        words = COMMENTS.sub(r"\1", text)
        try:
            return _by_name(words.strip()) or _read_words(words)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    value = parse_json(text, path, lambda word: math.nan if word == "NaN" else math.inf)
    return from_json(value, str(path))


def is_slurm_conf(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a configuration of Slurm, as `load_policy` knows it.

    Raises
    ------
    InputError
        The file cannot be read, or is not text.
    """
    return _text_of(path) is None


def _text_of(path: str | os.PathLike[str]) -> str | None:
    """Return the text of a policy file; None if it is a configuration of Slurm."""
    ending = as_path(path).suffix.lower()
    if ending == SLURM_ENDING:
        return None
    text = read_words(path, "policy", "text" if ending == ".txt" else "json")
    is_template = TEMPLATE_LINE.search(text) is not None  # of a slurm.conf, whose reader says so
    if is_template or (not text.lstrip().startswith("{") and SLURM_LINE.search(text)):
        return None
    return text
