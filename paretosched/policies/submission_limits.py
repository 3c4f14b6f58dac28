"""Which jobs Slurm would refuse when they are submitted, because others of the same are still there.

Limits of submitted jobs (GrpSubmit, MaxSubmit and those per user and account of a QOS) count all jobs that wait or run.
Every job of a log was taken when it was submitted; in a simulation in which others wait longer it may be refused. Which
limits count for a job, `paretosched.workload.counting_limits` says; of its partitions the first one counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.arrays import Ints, read_only, rows_alike
from ..kernels.inputs import Reactions, Submissions, no_submissions
from ..kernels.submissions import NAMED
from ..workload.counting_limits import Rule, client_of, rules_of
from ..workload.dependencies import NEVER_SATISFIED, dependencies_of, named_pairs
from ..workload.limits import SUBMITTED
from ..workload.workload import Workload
from .limit_pools import reason_of

# limits of submitted jobs, and who shares them: all, or those of a user or account
OF_QOS = {"GrpSubmit": "", "MaxSubmitPU": "user", "MaxSubmitPA": "account"}
OF_OTHERS = {"GrpSubmit": "", "MaxSubmit": ""}  # a member of an account has its own
NEVER = -2  # of a job that waits for what did not happen; other values as in `paretosched.kernels.submissions`
NAMES_REFUSED = "it names a job that was refused"


def refusing(workload: Workload) -> Reactions | None:
    """Return what the jobs of a workload wait for, and what may refuse them; None if nothing can keep one out.

    Jobs that wait for the good end of others come only if they have it, see `dependencies_of`.
    """
    reactions = dependencies_of(workload, strictly=True)
    submissions, _ = submissions_of(workload)
    if submissions.of_job.size == 0:
        return reactions
    if reactions is None:
        n, no = len(workload), np.zeros(0, np.int64)
        place = np.argsort(np.argsort(workload.submit, kind="stable"), kind="stable")
        none = np.zeros(n, np.int64)
        reactions = Reactions(np.arange(n), none, place, workload.eligible, none, no, no, no, no, submissions)
    return reactions._replace(submissions=submissions)


def reasons_of(workload: Workload) -> dict[int, str]:
    """Return in words why jobs of a workload never ran, by the values of `Outcome.never`."""
    _, reasons = submissions_of(workload)
    return {NEVER: NEVER_SATISFIED, NAMED: NAMES_REFUSED} | dict(enumerate(reasons, 1))


def submissions_of(workload: Workload) -> tuple[Submissions, list[str]]:
    """Return what is submitted together and may be refused, and by what name each of its pools does so."""
    w, machine, requests = workload, workload.machine, workload.requests
    if machine is None or requests is None:
        return no_submissions(), []
    if not any(name in SUBMITTED for each in machine.limits for name in each.values):
        return no_submissions(), []
    who = requests.qos.code, requests.account.code, requests.partition.code, w.user
    rules, client = rules_of(machine), client_of(machine, {} if w.names is None else w.names.users)
    numbers: dict[tuple[str, ...], int] = {}
    rooms: list[int] = []
    reasons: list[str] = []
    kind = np.empty(len(w), np.int64)
    takes: list[list[int]] = []
    for (qos, account, partition, user), rows in rows_alike(*who):
        whose = client(requests.qos.words[qos], requests.account.words[account], user)
        kind[rows] = len(takes)
        takes.append([])
        for k in machine.partitions_of(requests.partition.words[partition])[:1]:
            for rule, key in _pools(rules(whose, k), {"user": whose.user, "account": whose.account}):
                number = numbers.setdefault(key, len(rooms))
                if number == len(rooms):
                    rooms.append(rule.value)
                    reasons.append(reason_of(rule))
                takes[-1].append(number << 1 | rule.counts)
    first, entry = _entries(w, requests.array)
    members = np.argsort(entry, kind="stable")
    of_entry = [takes[kind[row]] for row in first.tolist()]
    named = sorted({(int(entry[row]), leader) for leader, row in named_pairs(w)})
    begins = np.concatenate([w.submit[first], [0]])
    entries = np.stack(
        [
            np.maximum(begins, w.eligible.min()),  # the machine is there from the first arrival on
            np.searchsorted(entry[members], np.arange(first.size + 1)),
            np.cumsum([0, *map(len, of_entry)]),
            np.searchsorted([e for e, _ in named], np.arange(first.size + 1)),
        ],
        axis=1,
    )
    of_entries = [take for each in of_entry for take in each], [leader for _, leader in named]
    columns = entries, members, *of_entries, entry, rooms
    return Submissions(*(read_only(np.array(column, dtype=np.int64)) for column in columns)), reasons


def _pools(rules: tuple[Rule, ...], owners: dict[str, str]) -> Iterator[tuple[Rule, tuple[str, ...]]]:
    """Yield the rules of submitted jobs, and who shares each."""
    for rule in rules:
        sharers = OF_QOS if rule.whose[0] == "qos" else OF_OTHERS
        if rule.name in sharers:
            owner = sharers[rule.name]
            yield rule, (*rule.whose, rule.name, *([owners[owner]] if owner else []))


def _entries(w: Workload, array: Ints) -> tuple[Ints, Ints]:
    """Return the first job of each array, or job that is in none, in the order of submission; and that of each job."""
    number = np.where(array > 0, array, -1 - np.arange(len(w)))
    order = np.lexsort((w.job, w.submit))
    _, first, which = np.unique(number[order], return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    entry = np.empty(len(w), np.int64)
    entry[order] = rank[which.reshape(-1)]
    return order[np.sort(first)], entry
