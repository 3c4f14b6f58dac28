"""`paretosched train`: the online scheduler for a wish, as a policy file."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError, WorkersLostError, in_quotes, number_of
from .console import PROGRAM, Changes, bar, remark, remarks_of_search, show
from .file_kinds import Kind
from .inputs import (
    load_kernels_sooner,
    read_wish,
    read_workload,
    remark_repairs,
    remark_rest,
    show_other_machine,
)
from .options import (
    WISH,
    Name,
    chosen_options,
    new_command,
    number,
    reading_words,
    takes_backfill,
    takes_trace,
    takes_workers,
    whole,
    worker_words,
)
from .parser import Parser

if TYPE_CHECKING:
    from ..training.training import Progress, Training
    from ..wishes.wish import Wish
    from ..workload.workload import Workload

OF_GREEDY = ("criterion", "backfill", "generations", "strategy", "scale")
DISAPPOINTING = 3  # exit status
OF_RULES = ("greedy", "generations", "evaluations", "plus", "defaults", "unseen")
OF_OTHERS = ("evaluations",)  # of priority and guarded
STRATEGY_WORDS = ("fcfs by wait", "easy by wait")
GREEDY, PRIORITY, GUARDED = CLASSES = ("greedy", "priority", "guarded")
RULES = "rules"


def margin(text: str) -> float | str:
    """Return a text as per cent, or "auto"."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number of per cent, or auto, but is {in_quotes(text)}") from None


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "train",
        run,
        "train the online scheduler for your wish; writes a policy file",
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2" -o policy.json\n'
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h" --train-until 0.7 '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2, others <= 1.02*EASY, AWRT <= EASY" '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz kth1024.swf.gz --objective "10*AWRT1 + 4*AWRT2" --over ratio --run both '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz --rule-base symbiotic --objective "10*AWRT1 + 4*AWRT2" -o rules.json\n'
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h" --resample 8 --margin 2 '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz --class priority --objective "10*AWRT1 + 4*AWRT2, AWRT <= EASY" '
        "-o order.json\n"
        '  paretosched train ctc1024.swf.gz --class guarded --objective "10*AWRT1 + 4*AWRT2, AWRT <= EASY, '
        'all <= 1.25*EASY" -o guarded.json\n'
        "  paretosched train ctc1024.swf.gz --rule-base iterative --greedy policy.json --objective AWRT -o rules.json\n"
        "  (with --run: after Ctrl-C or a kill, the same command continues the training, with the same result)",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        type=Name(writes=Kind.POLICY),
        help="policy file to write, JSON",
    )
    _takes_wish(parser)
    takes_trace(parser, several=True)
    _takes_data(parser)
    _takes_class(parser)
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
        help="the wish, in words or as a .json file. A sum to minimise: 10*AWRT1 + 4*AWRT2 - 500*UTIL. Or a point to "
        "come near to: near AWRT1=50000, AWRT2=17h. With either, or alone, limits: AWRT5 <= 11h, UTIL >= 65, AWRT in "
        "45000..52000; also relative to a policy on the same jobs: AWRT3 <= 1.02*EASY, others <= EASY (all groups not "
        "in the goal), all <= today (what is recorded). Names of groups stand for their AWRT: 10*vip. There are other "
        "measures, too: mean wait of vip, p95 wait of others <= 1.1*EASY, slowdown <= 1.1*today. Units are s, min, h, "
        "d and %%; without a unit, seconds and per cent. Write a wish that begins with a minus as --objective=-UTIL",
    )
    group.add_argument(
        "--accept-worse",
        action="store_true",
        help="end with status 0 also if the policy is worse than EASY or outside the limits, on the training data, on "
        "the log itself or on the rest; without it, the status is then 3, and the first line says why; the policy is "
        "written anyway",
    )


def _takes_data(parser: Parser) -> None:
    group = parser.add_argument_group(
        "the data",
        "The jobs to learn from. With --train-until, a part of the jobs is only used to test the policy.",
    )
    group.add_argument(
        "--train-until",
        type=number,
        metavar="SHARE",
        help="learn from the jobs of this first share of the time, such as 0.7, and show results for the rest, too; "
        "groups by consumption are then those of these jobs, and users who appear only later are in the last group; "
        "a group without jobs in the rest is left out there",
    )
    group.add_argument(
        "--resample",
        type=whole,
        metavar="N",
        help="learn also from N other years that could have been, made of the users of each log, see the command "
        "resample: the objective is the mean over all, and limits are kept on the worst tenth",
    )
    group.add_argument(
        "--margin",
        type=margin,
        metavar="M",
        help="keep M %% distance to the limits, so that they are kept on other jobs, too; or auto: learn from the "
        "first two thirds of the jobs first, and choose the smallest distance that keeps the limits on the last third. "
        "If nothing keeps the distance, what comes nearest to it is taken, of policies within the limits if there are "
        "any; it may be worse than EASY",
    )
    group.add_argument(
        "--over",
        rare=True,
        choices=["sum", "ratio"],
        help="with several logs, minimise: sum, the sum of their objectives (default); or ratio, the mean of their "
        "ratios to EASY (default with --rule-base and --resample)",
    )


def _takes_class(parser: Parser) -> None:
    group = parser.add_argument_group("the class of policies", "Which policies there are to choose from.")
    group.add_argument(
        "--class",
        dest="policy_class",
        choices=CLASSES,
        help="without a class (and without --rule-base and options of Greedy) each of the three is trained on four "
        "shares of the jobs to learn from and tried on what follows there; the one that gains, keeps the limits most "
        "often, and then gains most is trained on all of them, or EASY stays; in all about a minute and a half of CPU "
        "time for the 10,000 jobs of Theta, and far more where queues are long. greedy: the Greedy of paper 000. "
        "priority: an order of the waiting jobs that is a formula in "
        "words, with one or many reservations for some groups or for all, and a longest request for backfilling; all "
        "published orders, priority and the groups in the goal first are tried, too, with --backfill none, easy, "
        "easy:8 and conservative, and list and conservative, so that it is never worse than the best of these on the "
        "training data, without --margin. guarded: the groups in the goal come first "
        "while the policy, which simulates EASY beside, keeps the limits; four numbers are trained, on the log and on "
        "five parts of it; for wishes with limits on AWRT or on groups; never worse than EASY on the training data, "
        "without --margin",
    )


def _takes_greedy(parser: Parser) -> None:
    group = parser.add_argument_group(
        "Greedy (paper 000)", "A formula orders the waiting jobs; the weights of the user groups in it are trained."
    )
    group.add_argument(
        "--criterion",
        rare=True,
        choices=["f1", "f2", "f3", "f4", "best"],
        help="the formula that orders the waiting jobs; best (default): all four, also combined, and the best of them",
    )
    takes_backfill(group, "backfilling with the trained order (default easy; paper 000 has none)")
    group.add_argument(
        "--generations",
        rare=True,
        type=whole,
        metavar="N",
        help="generations of 105 schedules for each criterion (default 100, or those of RUN); with --rule-base, to "
        "train the Greedy among its strategies",
    )
    group.add_argument(
        "--strategy",
        rare=True,
        choices=["es", "cma"],
        help="es: evolution strategy of paper 000 (default); cma: CMA-ES",
    )
    group.add_argument(
        "--scale",
        rare=True,
        choices=["linear", "log"],
        help="linear: vary weights as in paper 000 (default); log: on a logarithmic scale, which learns faster",
    )


def _takes_rules(parser: Parser) -> None:
    group = parser.add_argument_group(
        "rule bases (paper 001)",
        "Instead of one order for all times, the state of the machine chooses one of thirteen strategies at\n"
        "every decision: FCFS, EASY or conservative backfilling, each with four sortings of the waiting jobs,\n"
        "and a Greedy without backfilling. --criterion, --backfill, --strategy and --scale do not go with it.",
    )
    group.add_argument(
        "--rule-base",
        rare=True,
        choices=["iterative", "symbiotic"],
        help="iterative: a readable table of situations, filled one after the other, which may end worse than EASY or "
        "outside the limits; symbiotic: fuzzy rules that evolve and are then refined, on the jobs learnt from never "
        "worse than the best single strategy",
    )
    group.add_argument(
        "--evaluations",
        rare=True,
        type=whole,
        metavar="N",
        help="rule bases to simulate (default, as in the paper: 2496 for iterative, 3513 for symbiotic; or those of "
        "RUN, which can be continued with more); with --class priority, simulations, most of them of an eighth of the "
        "jobs (default 4000, or those of RUN; at least as many as there are known orders, which are tried first); the "
        "28 or 30 further named policies come on top; with --class guarded, policies to try (default 250, or those of "
        "RUN)",
    )
    group.add_argument(
        "--greedy",
        rare=True,
        metavar="POLICY",
        type=Name("the Greedy policy"),
        help="the Greedy among the strategies: a policy file without backfilling (default: a Greedy of f2 is trained "
        "first)",
    )
    group.add_argument(
        "--plus",
        rare=True,
        action="store_const",
        const=True,
        help="symbiotic: parents compete with their children, 80 rule bases in a generation; the paper announces this, "
        "but its algorithms select among the children only, 70 in a generation",
    )
    group.add_argument(
        "--defaults",
        rare=True,
        action="store_const",
        const=True,
        help="symbiotic: a default evolves, too: the strategy for states in which all rules together weigh less than "
        "a threshold; in the paper it was of no use",
    )

    group.add_argument(
        "--unseen",
        rare=True,
        choices=STRATEGY_WORDS,
        help="iterative: the strategy of situations that the jobs learnt from never had: fcfs by wait (default, as in "
        "the paper), or easy by wait; on the jobs learnt from both are the same policy",
    )


def _takes_run(parser: Parser) -> None:
    group = parser.add_argument_group("the run", "A training can be continued if a directory keeps its evaluations.")
    group.add_argument(
        "--seed", type=whole, default=0, help="seed (default 0); same seed, same policy, for any number of workers"
    )
    group.add_argument(
        "--run",
        dest="run_directory",
        metavar="RUN",
        type=Name(writes=Kind.RUN_DIRECTORY, place="directory"),
        help="directory that keeps every evaluation, new or to continue (default: none)",
    )


def run(options: argparse.Namespace) -> int:
    """Train the online scheduler for a wish; return the exit status."""
    load_kernels_sooner()
    from ..policies.policy import save_policy

    options.policy_class = _class_of(options)
    settings = _settings(options)
    if options.resample is not None and options.resample < 1:
        raise InputError(f"--resample must be at least 1, but is {options.resample}")
    if options.train_until is not None and not 0 < options.train_until < 1:
        raise InputError(
            f"--train-until must be a share of the time between 0 and 1, such as 0.7, but is {options.train_until:g}"
        )
    workloads = [read_workload(options, trace) for trace in options.traces]
    show_other_machine(options, workloads)
    training = _train(options, settings, workloads)
    save_policy(training.policy, options.output)
    for trace, workload in zip(options.traces, workloads, strict=True):
        remark_repairs(options, trace, workload)
    _remark_disappointments(options, training)
    show(_json(options, training) if options.json else _text(options, training))
    return DISAPPOINTING if training.shortfalls() and not options.accept_worse else 0


def _class_of(options: argparse.Namespace) -> str | None:
    """Return the class of policies to train; None to choose one.

    Options of a class stand for it, and so does a run of an earlier version, in which Greedy was trained without them.
    """
    from ..search.runs import known_parameters
    from ..training.greedy_training import TASK
    from ..training.validation import VALIDATION_RUN

    if options.rule_base is not None and options.policy_class in (None, GREEDY):
        return RULES
    if options.policy_class is not None:
        return str(options.policy_class)
    if chosen_options(options, OF_GREEDY):
        return GREEDY
    if options.run_directory is not None:
        runs = (Path(options.run_directory), Path(options.run_directory, VALIDATION_RUN))
        if any(known_parameters(run).get("task") == TASK for run in runs):
            return GREEDY
    return None


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options for the class of policies that were set; refuse those that belong to another one."""
    if options.policy_class in (PRIORITY, GUARDED):
        settings = chosen_options(options, ("rule_base", *OF_GREEDY, *OF_RULES))
        wrong = [name.replace("_", "-") for name in settings if name not in OF_OTHERS]
        if wrong:
            raise InputError(f"--{wrong[0]}: does not go with --class {options.policy_class}")
        return settings
    names, others = (OF_GREEDY, OF_RULES) if options.rule_base is None else (OF_RULES, OF_GREEDY)
    settings = chosen_options(options, (*OF_GREEDY, *OF_RULES))
    wrong = [name for name in settings if name in others and name not in names]
    if wrong:
        needed = "needs --rule-base, or --class priority or guarded" if wrong[0] in OF_OTHERS else "needs --rule-base"
        reason = needed if options.rule_base is None else "is for Greedy; it does not go with --rule-base"
        raise InputError(f"--{wrong[0]}: {reason}")
    if options.greedy is not None and options.generations is not None:
        raise InputError("--generations: is for training a Greedy; it does not go with --greedy")
    if options.unseen is not None and options.rule_base != "iterative":
        raise InputError("--unseen: belongs to --rule-base iterative; symbiotic rules have no situations")
    for name in ("plus", "defaults"):
        if getattr(options, name) and options.rule_base != "symbiotic":
            raise InputError(f"--{name}: belongs to --rule-base symbiotic; an iteration has no populations")
    return settings


def _train(options: argparse.Namespace, settings: dict[str, Any], workloads: list[Workload]) -> Training:
    """Train with a progress bar, and return the training; `settings` are for the class of policies."""
    from ..core.tables import amount
    from ..training.class_choice import train_best
    from ..training.greedy_training import train
    from ..training.guarded_training import train_guarded
    from ..training.priority_training import train_priority

    wish = read_wish(options, workloads[0])
    with remarks_of_search(), bar("training", None) as update:

        def on_progress(progress: Progress) -> None:
            stage = [progress.stage] if progress.stage else []
            notes = [f"best {amount(progress.objective)}, EASY {amount(progress.easy)}"] if wish.aims else []
            if progress.over == "ratio":
                notes = [f"{100 * progress.objective:.1f} % of EASY's objective, in the mean of the workloads"]
            if progress.exceeded:
                where = " on the worst tenth" if options.resample else ""
                where = where or " on the worst part" * (options.policy_class == GUARDED)
                notes.append(f"limits exceeded by {100 * progress.exceeded:,.2f} %{where}")
            if progress.evaluations == progress.total:
                notes.append("all tried; comparing the best with EASY")
            update(progress.evaluations, progress.total, "; ".join(stage + notes))

        common = {
            "until": options.train_until,
            "seed": options.seed,
            **worker_words(options),
            "run_directory": options.run_directory,
            "progress": on_progress,
        } | chosen_options(options, ["over", "resample", "margin"])
        try:
            if options.policy_class == PRIORITY:
                return train_priority(workloads, wish, **settings, **common)
            if options.policy_class == GUARDED:
                return train_guarded(workloads, wish, **settings, **common)
            if options.policy_class == GREEDY:
                return train(workloads, wish, **settings, **common)
            if options.policy_class is None:
                return train_best(workloads, wish, **common)
            return _train_rules(options.rule_base, settings, workloads, wish, common)
        except (KeyboardInterrupt, WorkersLostError):
            remark_rest(options.run_directory)
            raise


def _train_rules(
    kind: str, settings: dict[str, Any], workloads: list[Workload], wish: Wish, arguments: dict[str, Any]
) -> Training:
    """Train a rule base, and return the training; the words of its options become values here."""
    from ..policies.policy import as_policy
    from ..training.rule_base_training import train_rules
    from ..training.symbiosis import Symbiosis

    if "greedy" in settings:
        settings["greedy"] = as_policy(settings["greedy"])
    symbiosis = Symbiosis(**{name: settings.pop(name) for name in ("plus", "defaults") if name in settings})
    return train_rules(workloads, wish, kind=kind, symbiosis=symbiosis, **settings, **arguments)


def _remark_disappointments(options: argparse.Namespace, training: Training) -> None:
    """Write remarks on what the training was no good for, if anything.

    The best policy exceeds the limits, a rule base is worse than its Greedy, or a group of the wish has no jobs in the
    rest.
    """
    from ..core.tables import enumeration

    if training.systems[training.best].exceeded:
        remark("no policy within the limits was found; this one exceeds them least", Changes.FIGURES)
    if options.rule_base is not None:
        rules, alone = training.systems
        if (alone.exceeded, alone.objective) < (rules.exceeded, rules.objective):
            remark("the Greedy among its strategies is better alone than these rules", Changes.FIGURES)
    left_out = [f"{rest} has no job of group {enumeration(groups)}" for rest, groups in training.groups_left_out()]
    if left_out:
        remark(f"{'; '.join(left_out)}: left out of the results on the rest", Changes.FIGURES)
    favoured = training.favoured_newcomers()
    if favoured:
        remark(
            f"jobs of users and accounts that the log does not have will be in group {favoured}, which the wish is "
            f'for; "default" of "grouping" in {options.output} names another group for them'
        )


def _json(options: argparse.Namespace, training: Training) -> str:
    """Return the result of the training as JSON."""
    from ..core.tables import to_json
    from ..training.class_choice import chosen_class
    from ..wishes.wish import wish_text

    about: dict[str, Any] = {
        "class": options.policy_class or chosen_class(training.classes),
        "classes": list(training.classes),
        "shortfalls": training.shortfalls(),
        "policy": str(options.output),
        "name": training.policy.name,
        "wish": wish_text(training.wish),
    }
    about |= {"over": options.over, "evaluations": training.evaluations, "systems": training.rows()}
    about |= {"resampled": training.resampled, "margin": training.margin, "margins": list(training.margins)}
    about |= {"distances": list(training.distances), "gains": list(training.gains)}
    about |= {} if training.newcomers is None else {"newcomers": list(training.newcomers)}
    return to_json(about)


def _text(options: argparse.Namespace, training: Training) -> str:
    """Return the result of the training as a table, with the next commands."""
    from ..training.class_choice import classes_text
    from ..wishes.wish import wish_text

    choice = f"{classes_text(training.classes)}\n\n" if training.classes else ""
    cost = training.seconds / training.evaluations * 1000
    explain = shlex.join(["explain", options.output])
    on = shlex.join([*options.traces, *reading_words(options), "--policy", options.output])
    shortfalls = "; ".join(training.shortfalls())
    return (
        (f"NOT AS WISHED: {options.output} is {shortfalls}\n" if shortfalls else "")
        + f"{number_of(training.evaluations, 'policy')} tried for {wish_text(training.wish, hours=True)} "
        f"in {training.elapsed:.1f} s ({cost:.1f} ms CPU each)\n\n{choice}{training.text()}\n\n"
        f"{options.output}: {training.policy.name}; what it does: {PROGRAM} {explain}\n"
        f"next: {PROGRAM} compare {on} --policy fcfs"
    )
