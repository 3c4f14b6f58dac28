"""Reading the files that options name, and remarks about logs."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError, number_of
from .console import PROGRAM, Changes, remark, show, show_first

if TYPE_CHECKING:
    from ..policies.policy import Policy
    from ..simulation.schedule import Schedule
    from ..wishes.wish import Wish
    from ..workload.workload import Workload


MOST_UNKNOWN = 0.1  # the share of jobs that may have no requested time without a remark of its own
OF_FIGURES = (  # in remarks on a slurm.conf: what changes most who waits
    "hold no job back",
    "share one machine",
    "for processors only",
    "equal shares",
    "puts the priorities of QOS into a log",
    "counts nothing",
    "count nothing",
)
LOADED_FIRST = ("..workload.reopening", "..simulation.simulator")  # with what they need: most of what is loaded at all


def read_workload(options: argparse.Namespace, trace: str | None = None) -> Workload:
    """Return the workload of a log, by default TRACE, with --capacity, --groups, --overrun and --one-pool.

    What speaks against the size of its machine is the first that a command says. A remark names the lines of a list of
    groups that no job is in.
    """
    from ..workload.plausibility import doubts

    workload = open_workload(options, trace)
    show_doubts(options, options.trace if trace is None else trace, doubts(workload))
    remark_idle_lines(options, workload)
    return workload


def open_workload(options: argparse.Namespace, trace: str | None = None) -> Workload:
    """Return the workload of a log as `read_workload`, and say nothing."""
    from ..core.files import is_folder
    from ..workload.reopening import as_workload
    from ..workload.swf import CUT

    log = options.trace if trace is None else trace
    overrun = options.overrun
    if overrun is None and not is_folder(log):
        overrun = CUT  # what that takes away is said by `remark_cut`
    workload = as_workload(log, capacity=options.capacity, groups=options.groups, overrun=overrun, called="--groups")
    return workload.one_pool if workload.machine is not None and options.one_pool else workload


def remark_idle_lines(options: argparse.Namespace, workload: Workload) -> None:
    """Say which lines of a list of groups no job is in: a user may have none, or be misspelt."""
    from ..core.files import read_lines
    from ..workload.group_lists import lines_without_jobs, listed_lines
    from ..workload.group_rules import grouping_of

    is_list = options.groups is not None and grouping_of(workload).get("function") == "by_csv"
    if is_list and Path(options.groups).is_file():  # a pipe can be read once only
        lines = listed_lines(read_lines(options.groups, "a list of groups"), options.groups)[1]
        if words := lines_without_jobs(lines, workload, options.groups):
            remark(words)


def show_doubts(options: argparse.Namespace, log: str, sentences: Iterable[str]) -> None:
    """Show what speaks against the size of the machine, before all else; beside JSON on standard error."""
    for sentence in sentences:
        show_first(f"{log}: {sentence}", beside_json=getattr(options, "json", False))


def show_other_machine(options: argparse.Namespace, workloads: Sequence[Workload]) -> None:
    """Show that the machine of a log is another one than the simulated one, before all gains; beside JSON as above."""
    from ..workload.recorded_fit import other_machine

    for workload in workloads:
        if sentence := other_machine(workload):
            named = f"{workload.name}: " if len(workloads) > 1 else ""
            show_first(f"{named}{sentence}", beside_json=options.json)


def load_kernels_sooner() -> None:
    """Load numba without libraries that no kernel uses, and whose loading takes longer than many a simulation.

    They are scipy, cffi, coverage and yaml. numba looks for them when it is loaded, and does without what is missing.
    At the first call of a kernel it also asks numpy.ma whether an array is masked. What reads logs and simulates is
    loaded with it, all without looking for garbage.
    """
    users = {
        "scipy": "numba",
        "scipy.linalg.cython_blas": "numba.np.arraymath",
        "cffi": "numba.core.typing.cffi_utils",
        "coverage": "numba.misc.coverage_support",
        "yaml": "numba.core.config",
    }
    early = {name: user for name, user in users.items() if not sys.modules.keys() & {name, user}}
    if not early:
        return
    placeholders: dict[str, Any] = dict.fromkeys(early)  # a module that is None cannot be imported
    sys.modules.update(placeholders)
    collects = gc.isenabled()
    gc.disable()  # nothing of what is loaded becomes garbage, and looking for it takes a tenth of the time
    try:
        for user in early.values():
            import_module(user)
        for module in LOADED_FIRST:
            import_module(module, __package__)
    finally:
        for name in placeholders:
            del sys.modules[name]
        gc.freeze()  # nor is it looked at later
        if collects:
            gc.enable()
    if "numpy.ma" not in sys.modules:
        vars(sys.modules["numpy"])["ma"] = _MaskedArraysLater()  # whoever imports the module puts it here instead


class _MaskedArraysLater:
    """numpy.ma, until something other than whether an array is masked is asked for: before that no array is masked."""

    class MaskedArray:
        """What no array is an instance of."""

    @staticmethod
    def isMaskedArray(_: Any) -> bool:  # noqa: N802  # numpy's name; its median asks
        """Return False."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("numpy.ma"), name)


def read_wish(options: argparse.Namespace, workload: Workload) -> Wish:
    """Return the wish of --objective, in words or from a file, for the groups of a workload."""
    from ..wishes.wish_files import measuring

    try:
        return measuring(options.objective, workload)[0]
    except InputError as error:
        raise InputError(f"--objective: {error}") from None


def read_policies(options: argparse.Namespace, policies: Sequence[str], shares: str | None = None) -> list[Policy]:
    """Return policies, with --backfill and --backfill-order if these are given; `shares` are those of a slurm.conf."""
    return with_order(options, read_sites("--policy", policies, shares))


def with_order(options: argparse.Namespace, policies: Sequence[Policy]) -> list[Policy]:
    """Return policies with --backfill and --backfill-order, if these are given."""
    from ..policies.priority_text import with_backfill

    if options.backfill is None and options.backfill_order is None:
        return [*policies]
    return [with_backfill(policy, options.backfill, options.backfill_order) for policy in policies]


def read_sites(option: str, policies: Sequence[str], shares: str | None) -> list[Policy]:
    """Return policies, which an option names; each slurm.conf with shares, if these are given.

    Words in a file are called like it: mine.txt is "mine". Where several have one name, as copies of a slurm.conf with
    one line changed do, the file is said, too.
    """
    from dataclasses import replace

    from ..policies.plain import PLAIN_RULES
    from ..policies.policy import as_policy
    from ..policies.slurm_policy import read_slurm

    is_site = [shares is not None and _is_site(policy) for policy in policies]
    if shares is not None and not any(is_site):
        raise InputError(f"--shares: goes with {option} of a slurm.conf, or of what scontrol show config prints")
    chosen = [
        read_slurm(policy, shares) if site else as_policy(policy)
        for policy, site in zip(policies, is_site, strict=True)
    ]
    chosen = [
        replace(policy, name=Path(said).stem) if said.endswith(".txt") and policy.rule not in PLAIN_RULES else policy
        for policy, said in zip(chosen, policies, strict=True)
    ]
    names = [policy.name for policy in chosen]
    files = [policy.provenance.get("slurm", {}).get("file") for policy in chosen]
    return [
        replace(policy, name=f"{policy.name}, {file}") if file and names.count(policy.name) > 1 else policy
        for policy, file in zip(chosen, files, strict=True)
    ]


def remark_users(options: argparse.Namespace, log: str, workload: Workload) -> None:
    """Write a remark on how many jobs of a log depend on others, if users react."""
    if options.users == "react":
        from ..workload.reacting_users import words_on_reactions

        remark(f"{log}: {words_on_reactions(workload)}", Changes.NOTHING)


def remark_unsaid(policies: Iterable[Policy]) -> None:
    """Write a remark about the orders that have EASY backfilling because their words say nothing of it."""
    from ..policies.priority import UNSAID, UNSAID_WORDS

    if unsaid := [policy.name for policy in policies if UNSAID in policy.provenance]:
        remark(f"{'; '.join(unsaid)}: {UNSAID_WORDS}", Changes.NOTHING)


def _is_site(policy: str) -> bool:
    """Return whether a policy is a configuration of Slurm; one that is named so and is not there is one, too."""
    from ..core.files import is_file
    from ..policies.policy import SLURM_ENDING, is_slurm_conf

    return (is_file(policy) or policy.lower().endswith(SLURM_ENDING)) and is_slurm_conf(policy)


def remark_orders(policies: Iterable[Policy], log: str, workload: Workload, estimates: str = "requested") -> None:
    """Write remarks about groups that a policy makes itself, and about orders that lack groups or change nothing.

    `estimates` says which run times the policies expect.
    """
    from ..policies.policy import decided_by
    from ..policies.priority import Priority
    from ..policies.priority_explanation import slurm_remarks

    policies, machine = list(policies), workload.machine
    still = [policy.name for policy in policies if not (isinstance(policy, Priority) and policy.nodes is not None)]
    if still and machine is not None and machine.preemption is not None:
        words = f"jobs of {log} make way for others under the policy of a slurm.conf only, not under "
        remark(words + ", ".join(still), Changes.MEANING)
    for policy in policies:
        jobs = decided_by(policy, workload)
        if policy.grouping is not None and jobs is not workload:
            remark(
                f"decides by the groups of its own rule, {policy.grouping.words()}, because those of {log} are made in "
                "another way; what is measured is by the latter",
                of=policy.name,
            )
        if jobs is workload and (words := _in_other_groups(policy, log, workload)):
            remark(words, of=policy.name)
        missing = [group for group in getattr(policy, "named_groups", ()) if group not in jobs.groups]
        if missing:
            groups = f"group{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
            remark(f"{log} has no {groups}; the policy goes on without", Changes.FIGURES, policy.name)
        if not isinstance(policy, Priority):
            continue
        for line in slurm_remarks(policy.provenance, workload.machine is not None):
            weighs = any(words in line for words in OF_FIGURES)
            file = policy.provenance["slurm"].get("file", "slurm.conf")
            remark(line, Changes.FIGURES if weighs else Changes.MEANING, file)
        for line in policy.unknown_words(workload, estimates):
            remark(line, Changes.FIGURES, policy.name)
        entitled = policy.backfill.entitled
        if entitled and not any(group in jobs.groups for group in entitled):
            remark(
                f"no job has a reservation, because reservations are for {', '.join(entitled)} only",
                Changes.FIGURES,
                policy.name,
            )
        for sentence in policy.doubts(jobs):
            remark(sentence, of=policy.name)
        if policy.half_life != Priority.half_life and not {"usage", "fairshare"} & policy.variables:
            remark("no formula has usage, so that the half-life changes nothing", Changes.NOTHING, policy.name)
        if policy.backfill.order and not policy.tries_others:
            remark(
                "every job has a reservation, so that the order of backfilling changes nothing",
                Changes.NOTHING,
                policy.name,
            )


def _in_other_groups(policy: Policy, log: str, workload: Workload) -> str:
    """Return in words how many jobs the policy's own rule puts into other groups, if both are by consumption; or ""."""
    from ..workload.group_rules import ConsumptionGroups, comes_from_consumption

    rule = policy.grouping
    if not isinstance(rule, ConsumptionGroups) or not comes_from_consumption(workload):
        return ""
    moved = 100 * float((rule.group_indices(workload) != workload.group).mean())
    if not moved:
        return ""
    return (
        f"decides by the groups of {log}, by what users consume in all of it; deployed, it decides "
        f"{rule.words()}, which puts {moved:.3g} % of the jobs into other groups"
    )


def show_written(options: argparse.Namespace, workload: Workload) -> None:
    """Show what is in the log that was written to --output."""
    from ..core.tables import to_json
    from ..workload.machine_description import size_in_words
    from ..workload.plausibility import offered_load

    load = offered_load(workload)
    if options.json:
        about = {"file": options.output, "jobs": len(workload), "capacity": workload.capacity, "load": load}
        show(to_json(about))
    else:
        load_text = "" if load is None else f", offered load {load:.3f}"
        show(f"{options.output}: {number_of(len(workload), 'job')} on {size_in_words(workload)}{load_text}")


def remark_cut(options: argparse.Namespace, trace: str, workload: Workload) -> None:
    """Write a remark if much of the work of a log is cut off, unless that was asked for; a run has its log's answer."""
    from ..workload.overruns import choice_text

    if _asks_about_cut(options, trace, workload):
        remark(choice_text(trace, workload.repairs, "--overrun raise", "--overrun cut"), Changes.FIGURES)


def _asks_about_cut(options: argparse.Namespace, trace: str, workload: Workload) -> bool:
    """Return whether so much work of a log is cut off that a remark of its own names the choice."""
    from ..core.run_files import is_run
    from ..workload.overruns import MOST_CUT, percent_cut

    return options.overrun is None and not is_run(trace) and percent_cut(workload.repairs) > MOST_CUT


def remark_repairs(options: argparse.Namespace, trace: str, workload: Workload) -> None:
    """Write remarks if a log was cleaned, or if processors were down; at the end, so that an error is the only line."""
    from ..workload.log_lines import ESTIMATE
    from ..workload.overruns import percent_cut, share_text
    from ..workload.swf import RUN_TAKEN

    jobs = {
        action: sum(repair.jobs for repair in workload.repairs if repair.action == action)
        for action in ("dropped", "changed")
    }
    assumptions = sum(repair.action == "assumed" for repair in workload.repairs)
    parts = [f"{count:,} {action}" for action, count in jobs.items() if count]
    percent = percent_cut(workload.repairs)
    if percent and not _asks_about_cut(options, trace, workload):
        parts.append(f"{share_text(percent)} of all work cut")
    if assumptions:
        parts.append(f"{number_of(assumptions, 'assumption')} made")
    if parts:
        remark(
            f"{trace}: {number_of(len(workload), 'job')}; {', '.join(parts)} ({PROGRAM} info says which and why)",
            Changes.NOTHING,
        )
    remark_cut(options, trace, workload)
    unknown = sum(repair.jobs for repair in workload.repairs if repair.reason == RUN_TAKEN)
    if unknown and workload.records is not None:  # the repair is about the whole log, of which this may be a part
        unknown = int(((workload.records.column(ESTIMATE) <= 0) & (workload.estimate == workload.run)).sum())
    if unknown > MOST_UNKNOWN * len(workload):
        remark(
            f"{trace}: {share_text(100 * unknown / len(workload))} of the jobs have no requested time; their run time "
            "is taken for it, so schedulers know it exactly, as no real one does: gains over EASY may be others",
            Changes.FIGURES,
        )
    if workload.down is not None:
        from ..workload.description import down_share

        share = down_share(workload)
        assert share is not None  # noqa: S101  # there are down times
        remark(
            f"{trace}: {share['processor_hours']:,.1f} processor hours are down, {share['percent']:.2f} % of the "
            "machine; no scheduler uses them, all know them beforehand, and UTIL is that of the whole machine"
        )


def remark_history(schedule: Schedule) -> None:
    """Write a remark if a recorded schedule is not feasible: for instance nodes were shared, or clocks differed."""
    if schedule.name == "recorded" and schedule.workload.machine is not None and schedule.placement is None:
        remark("measured as it is: nothing says on which nodes the jobs ran")
    elif schedule.name == "recorded":
        try:
            schedule.check()
        except InputError as error:
            remark(
                f"not feasible, but measured as it is: {error} (nodes were shared, or clocks differed)", Changes.FIGURES
            )


def remark_rest(run: str | None) -> None:
    """Write a remark about the evaluations that are in a run directory after an interruption."""
    from ..core.run_files import is_run
    from ..search.runs import read_about

    parts = [] if run is None else [Path(run), *sorted(Path(run).glob("*/")), *sorted(Path(run).glob("*/*/"))]
    runs = [place for place in parts if is_run(place)]
    if runs:
        counts = [read_about(place).get("evaluations", {}) for place in runs]
        evaluations = sum(count.get("done", 0) for count in counts)
        if evaluations:
            words = f"{number_of(evaluations, 'evaluation')} {'is' if evaluations == 1 else 'are'} kept in {run}"
            remark(f"{words}; the same command continues them")
        else:
            goal = sum(count.get("wanted", 0) for count in counts)
            remark(f"no evaluation is done yet; {run} keeps that {goal:,} are wanted, and the same command begins")


def remark_unfinished(run: str) -> None:
    """Write a remark if a run directory holds a run that was interrupted, or that is still running."""
    from ..core.run_files import is_run
    from ..search.runs import state_text

    state = state_text(run) if is_run(run) else ""
    if state:
        remark(f"{run}: {state}", Changes.FIGURES)
