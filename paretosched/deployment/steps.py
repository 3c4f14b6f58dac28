"""How to try a policy on a real machine and then run it, step by step: words and the commands."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from ..policies.policy import Policy
from .ranking import check_orderly


class Step(NamedTuple):
    """A step: what it does, and the command."""

    words: str
    command: str


def steps(policy: Policy, file: str) -> list[Step]:
    """Return the steps from a policy in a file to a machine that runs it, in their order.

    Raises
    ------
    InputError
        No resource manager can run the policy as an order of its waiting jobs.

    Examples
    --------
    >>> from paretosched.policies.policy import as_policy
    >>> [step.command for step in steps(as_policy("fcfs"), "my policy.json")][0]
    "paretosched deploy 'my policy.json' --to slurm --groups account --dry-run --period 30"
    """
    check_orderly(policy)
    deploy = f"paretosched deploy {shlex.quote(file)} --to slurm --groups account"
    return [
        Step("Save policy.json on the head node, and let it run in the shadow for a week: nothing is changed, what it "
             "would do is written down.", f"{deploy} --dry-run --period 30"),
        Step("Look at what it would have changed, and at what it promised for the same jobs.",
             f"paretosched review LOG --policy {shlex.quote(file)} --since DATE --log deploy.jsonl"),
        Step("Run it on Slurm. It sets site factors only.", deploy),
        Step("Or as a service: print a systemd unit.", f"{deploy} --unit"),
        Step("Undo it: all site factors are 0 again.", f"paretosched deploy {shlex.quote(file)} --to slurm --off"),
        Step("With OpenPBS: print what it needs, and how to undo that.",
             f"paretosched deploy {shlex.quote(file)} --to pbs"),
    ]  # fmt: skip
