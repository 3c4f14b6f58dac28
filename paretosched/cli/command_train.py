"""`paretosched train`: the online scheduler for what is wanted, as a policy file."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError
from .console import PROGRAM, bar, remark, show, sure_interrupt
from .inputs import check_outputs, read_wish, read_workload, remark_repairs, remark_rest
from .options import (
    DIRECTORY,
    FILE,
    WISH,
    given,
    new_command,
    number,
    reading_words,
    takes_backfill,
    takes_trace,
    takes_workers,
    whole,
)
from .parser import Parser

if TYPE_CHECKING:
    from ..training.training import Progress, Training
    from ..wishes.wish import Wish
    from ..workload.workload import Workload

OF_GREEDY = ("criterion", "backfill", "generations", "strategy", "scale")
OF_RULES = ("greedy", "generations", "evaluations", "plus", "defaults")


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "train",
        run,
        "train the online scheduler for what you want: a policy file",
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2" -o policy.json\n'
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h" --train-until 0.7 '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz kth1024.swf.gz --objective "10*AWRT1 + 4*AWRT2" --over ratio --run both '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz --rule-base symbiotic --objective "10*AWRT1 + 4*AWRT2" -o rules.json\n'
        "  paretosched train ctc1024.swf.gz --rule-base iterative --greedy policy.json --objective AWRT -o rules.json\n"
        "  (with --run, killed or stopped with Ctrl-C, the same command continues it, with the same result)",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", type=FILE, help="policy file to write, JSON")
    _takes_wish(parser)
    takes_trace(parser, several=True)
    _takes_data(parser)
    _takes_greedy(parser)
    _takes_rules(parser)
    _takes_run(parser)
    takes_workers(parser)


def _takes_wish(parser: Parser) -> None:
    group = parser.add_argument_group("what is wanted", "The policy is trained to be the best one for this wish.")
    group.add_argument(
        "--objective",
        required=True,
        metavar="WISH",
        type=WISH,
        help="what is wanted, in words or as a .json file: a sum to be minimised, 10*AWRT1 + 4*AWRT2 - 500*UTIL; a "
        "point, near AWRT1=50000, AWRT2=17h; each with limits or limits alone, AWRT5 <= 11h, UTIL >= 65, AWRT in "
        "45000..52000. Seconds and per cent where no unit (s, min, h, d, %%) is given. One that begins with a minus is "
        "given as --objective=-UTIL",
    )


def _takes_data(parser: Parser) -> None:
    group = parser.add_argument_group(
        "the data",
        "What is learnt from. --train-until keeps a part of the jobs back and tests the policy on them.",
    )
    group.add_argument(
        "--train-until",
        type=number,
        metavar="SHARE",
        help="learn from this share of the time, such as 0.7, and report on the rest, too",
    )
    group.add_argument(
        "--over",
        choices=["sum", "ratio"],
        help="with several logs: the sum of their objectives (default), or the mean of the ratios to EASY (default "
        "with --rule-base)",
    )


def _takes_greedy(parser: Parser) -> None:
    group = parser.add_argument_group(
        "Greedy (paper 000)", "The waiting jobs are ordered by a formula; its weights of the user groups are trained."
    )
    group.add_argument(
        "--criterion",
        choices=["f1", "f2", "f3", "f4", "best"],
        help="by what the queue is ordered; best (default): all four, and what they make together",
    )
    takes_backfill(group, "backfilling under the trained order (default easy; paper 000 has none)")
    group.add_argument(
        "--generations",
        type=whole,
        metavar="N",
        help="of 105 schedules for each criterion (default 100); with --rule-base, of the Greedy among its strategies",
    )
    group.add_argument("--strategy", choices=["es", "cma"], help="evolution strategy of paper 000 (default), or CMA-ES")
    group.add_argument(
        "--scale",
        choices=["linear", "log"],
        help="vary weights as in paper 000 (default), or on a logarithmic scale, which learns faster",
    )


def _takes_rules(parser: Parser) -> None:
    group = parser.add_argument_group(
        "rule bases (paper 001)",
        "Instead of one order for all times, one of thirteen strategies is chosen at every decision by\n"
        "the state of the machine: FCFS, EASY or conservative backfilling on four sortings of the queue,\n"
        "and a Greedy without backfilling. --criterion, --backfill, --strategy and --scale do not go with it.",
    )
    group.add_argument(
        "--rule-base",
        choices=["iterative", "symbiotic"],
        help="iterative: a table of situations, filled one after the other, which can be read; symbiotic: fuzzy rules "
        "that evolve and are then refined, better, and never worse than the best strategy alone",
    )
    group.add_argument(
        "--evaluations",
        type=whole,
        metavar="N",
        help="rule bases to simulate (default 2496, as in the paper, or 3513; a run can be continued with more)",
    )
    group.add_argument(
        "--greedy",
        metavar="POLICY",
        type=FILE,
        help="the Greedy among the strategies, a policy file without backfilling (default: f2 is trained first)",
    )
    group.add_argument(
        "--plus",
        action="store_const",
        const=True,
        help="symbiotic: parents compete with their children, 80 rule bases a generation; the paper announces it, but "
        "its algorithms select children only, 70",
    )
    group.add_argument(
        "--defaults",
        action="store_const",
        const=True,
        help="symbiotic: default values evolve, too: a strategy that is chosen where all rules together weigh less "
        "than a threshold; the paper found no use for them",
    )


def _takes_run(parser: Parser) -> None:
    group = parser.add_argument_group("the run", "A training that is kept in a directory can be continued.")
    group.add_argument(
        "--seed", type=whole, default=0, help="seed (default 0); same seed, same policy, for any number of workers"
    )
    group.add_argument(
        "--run",
        dest="run_directory",
        metavar="RUN",
        type=DIRECTORY,
        help="directory that keeps every evaluation, new or to be continued (default: none)",
    )


def run(options: argparse.Namespace) -> None:
    """Train the online scheduler for what is wanted."""
    from ..policies.policy import save_policy

    check_outputs(options, "output")
    own = _own(options)
    workloads = [read_workload(options, trace) for trace in options.traces]
    training = _trained(options, own, workloads)
    save_policy(training.policy, options.output)
    for trace, workload in zip(options.traces, workloads, strict=True):
        remark_repairs(trace, workload)
    _remark_disappointments(options, training)
    show(_json(options, training) if options.json else _text(options, training))


def _own(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that only Greedy, or only rule bases have, and refuse those of the other one."""
    ours, others = (OF_GREEDY, OF_RULES) if options.rule_base is None else (OF_RULES, OF_GREEDY)
    asked = given(options, (*OF_GREEDY, *OF_RULES))
    strange = [name for name in asked if name in others and name not in ours]
    if strange:
        why = "needs --rule-base" if options.rule_base is None else "is of Greedy; it does not go with --rule-base"
        raise InputError(f"--{strange[0]}: {why}")
    if options.greedy is not None and options.generations is not None:
        raise InputError("--generations: is of the training of a Greedy; it does not go with --greedy")
    for name in ("plus", "defaults"):
        if getattr(options, name) and options.rule_base != "symbiotic":
            raise InputError(f"--{name}: belongs to --rule-base symbiotic; an iteration has no populations")
    return asked


def _trained(options: argparse.Namespace, own: dict[str, Any], workloads: list[Workload]) -> Training:
    """Train with a progress bar; `own` are the options of Greedy, or of rule bases."""
    from ..core.tables import amount
    from ..training.greedy_training import train

    wish = read_wish(options, workloads[0])
    with sure_interrupt(), bar("training", None) as update:

        def on_progress(progress: Progress) -> None:
            notes = [f"{amount(progress.objective)}, EASY {amount(progress.easy)}"] if wish.weights or wish.near else []
            if progress.exceeded:
                notes.append(f"limits exceeded by {100 * progress.exceeded:,.2f} %")
            update(progress.evaluations, progress.total, "; ".join(notes))

        shared = {
            "until": options.train_until,
            "seed": options.seed,
            "workers": options.workers,
            "scheduler": options.scheduler,
            "run_directory": options.run_directory,
            "progress": on_progress,
        } | given(options, ["over"])
        try:
            if options.rule_base is None:
                return train(workloads, wish, **own, **shared)
            return _trained_rules(options.rule_base, own, workloads, wish, shared)
        except KeyboardInterrupt:
            remark_rest(options.run_directory)
            raise


def _trained_rules(
    kind: str, own: dict[str, Any], workloads: list[Workload], wish: Wish, shared: dict[str, Any]
) -> Training:
    """Train a rule base; the values of its options are made of their words."""
    from ..policies.policy import as_policy
    from ..training.rule_base_training import train_rules
    from ..training.symbiosis import Symbiosis

    if "greedy" in own:
        own["greedy"] = as_policy(own["greedy"])
    symbiosis = Symbiosis(**{name: own.pop(name) for name in ("plus", "defaults") if name in own})
    return train_rules(workloads, wish, kind=kind, symbiosis=symbiosis, **own, **shared)


def _remark_disappointments(options: argparse.Namespace, training: Training) -> None:
    """Say where the best policy is not what was hoped for."""
    if training.systems[training.best].exceeded:
        remark("no policy within the limits was found; this one exceeds them least")
    if options.rule_base is not None:
        rules, alone = training.systems
        if (alone.exceeded, alone.objective) < (rules.exceeded, rules.objective):
            remark("the Greedy among its strategies is better alone than these rules")


def _json(options: argparse.Namespace, training: Training) -> str:
    from ..core.tables import to_json
    from ..wishes.wish import wish_text

    about: dict[str, Any] = {
        "policy": str(options.output),
        "name": training.policy.name,
        "wish": wish_text(training.wish),
    }
    about |= {"over": options.over, "evaluations": training.evaluations, "systems": training.rows()}
    return to_json(about)


def _text(options: argparse.Namespace, training: Training) -> str:
    from ..wishes.wish import wish_text

    cost = training.seconds / training.evaluations * 1000
    explain = shlex.join(["explain", options.output])
    on = shlex.join([*options.traces, *reading_words(options), "--policy", options.output])
    return (
        f"{training.evaluations:,} policies tried for {wish_text(training.wish)} in {training.elapsed:.1f} s "
        f"({cost:.1f} ms CPU each)\n\n{training.text()}\n\n"
        f"{options.output}: {training.policy.name}; what it does: {PROGRAM} {explain}\n"
        f"next: {PROGRAM} compare {on} --policy fcfs"
    )
