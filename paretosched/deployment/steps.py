"""How to try a policy on a real machine and then run it, step by step: words and the commands."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from ..policies.guarded import Guarded
from ..policies.policy import Policy, group_names
from ..workload.group_rules import ListedGroups, WordedGroups, grouping_of
from ..workload.workload import Workload
from .ranking import check_orderly
from .slurm_groups import has_numbers

GROUPS_FILE = "groups.csv"


class Step(NamedTuple):
    """A step: what it does, and the command."""

    words: str
    command: str


def option_of_groups(policy: Policy, workload: Workload | None) -> str:
    """Return the option with which `deploy` puts jobs into the groups of a policy; "" if it needs none.

    Parameters
    ----------
    policy
        The policy.
    workload
        The workload in whose groups it was made; None if it is not known.

    Examples
    --------
    >>> from paretosched.policies.policy import as_policy
    >>> option_of_groups(as_policy("fcfs"), None), option_of_groups(as_policy("priority:1"), None)
    ('', '--groups account')
    """
    rule = policy.grouping
    is_known = isinstance(rule, WordedGroups) or (isinstance(rule, ListedGroups) and not has_numbers(rule))
    if is_known or not group_names(policy):
        return ""
    made_by = {} if workload is None else grouping_of(workload)
    function = made_by.get("function")
    if function == "by_csv":  # the owner's own list
        return f"--groups {shlex.quote(Path(str(made_by.get('path'))).name)}"
    fields = {"by_swf_group": "account", "by_queue": "qos"}  # where `import slurm` takes them from
    fields["by_request"] = str(made_by.get("column"))
    how = "account" if workload is None else fields.get(str(function), GROUPS_FILE)
    return f"--groups {how}"


def steps(policy: Policy, file: str, groups: str = "") -> list[Step]:
    """Return the steps from a policy in a file to a machine that runs it, in their order.

    Parameters
    ----------
    policy, file
        The policy, and the name of its file.
    groups
        How jobs get their groups, see `option_of_groups`.

    Raises
    ------
    InputError
        No resource manager can run the policy as an order of its waiting jobs.

    Examples
    --------
    >>> from paretosched.policies.policy import as_policy
    >>> [step.command for step in steps(as_policy("fcfs"), "my policy.json")][1]
    "paretosched deploy 'my policy.json' --to slurm --dry-run --period 30"
    """
    orderly = check_orderly(policy)
    path = shlex.quote(file)
    option = f" {groups}" if groups else ""
    of_log = {"--groups account": " --groups swf", "--groups qos": " --groups queue"}.get(groups, option)
    files = f"{file} and {GROUPS_FILE}, who is in which group," if groups.endswith(GROUPS_FILE) else file
    deploy = f"paretosched deploy {path} --to slurm{option}"
    result = [
        Step("Slurm must order its queue by priority/multifactor. The shadow of the next step needs no rights; to run "
             "the policy takes AdminLevel=Operator.", "scontrol show config | grep PriorityType"),
        Step(f"Put {files} on the head node, and let it run in the shadow for a week: nothing is changed, what it "
             "would do is written down.", f"{deploy} --dry-run --period 30"),
        Step("Look at what it would have changed, and at what it promised for the same jobs.",
             f"paretosched review LOG --policy {path}{of_log} --since DATE --log {shlex.quote(f'{file}.deploy')}"
             "/deploy.jsonl"),
        Step("Run it on Slurm: it stays in the foreground, and sets site factors only.", deploy),
        Step("Undo it: all site factors are 0 again.", f"paretosched deploy {path} --to slurm --off"),
        Step("Or run it as a service: print a systemd unit.", f"{deploy} --unit"),
    ]  # fmt: skip
    if isinstance(orderly, Guarded):
        return result  # no formula of OpenPBS can express it
    words = "With OpenPBS: print what it needs, and how to undo that."
    return [*result, Step(words, f"paretosched deploy {path} --to pbs")]
