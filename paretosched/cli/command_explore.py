"""`paretosched explore`: the possible schedules of a workload, in a run directory."""

from __future__ import annotations

import argparse
import math
import shlex
from itertools import accumulate
from typing import TYPE_CHECKING

from ..core.errors import InputError, WorkersLostError, in_quotes, number_of
from .console import PROGRAM, Changes, bar, remark, remarks_of_search, show
from .file_kinds import Kind
from .inputs import (
    load_kernels_sooner,
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
    from ..fronts.front import Front
    from ..search.exploration import Progress
    from ..search.plans import Row
    from ..workload.workload import Workload

LIKE = "AWRT, all <= 1.2*EASY"  # a wish, where none was given
OF_ONE_RUN = (
    "evaluations", "until", "population", "seed", "encoding", "algorithm", "start", "draw", "objectives", "wish", "box",
    "backfill",
    "decoding", "moves", "movable", "recombination", "frequency", "jump", "copies", "forget", "lag",
    "surrogate", "util_from",
)  # fmt: skip


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "explore",
        run,
        "explore the possible schedules of a workload; writes a run directory with every evaluation and the front",
        "  paretosched explore ctc1024.swf.gz -o run --evaluations 20000\n"
        "  paretosched explore ctc1024.swf.gz -o wish --wish '10*AWRT1, others <= 1.05*EASY'\n"
        "  paretosched explore ctc1024.swf.gz -o paper --plan paper002\n"
        "  paretosched explore run -o run --evaluations 40000\n"
        "  (after Ctrl-C or a kill, the same command continues the run, with the same result; what determines a run "
        "need not\n  be said again when it goes on)",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="RUN",
        type=Name(writes=Kind.RUN_DIRECTORY, place="directory"),
        help="run directory, new or to continue",
    )
    takes_trace(parser)
    _takes_search(parser)
    _takes_aim(parser)
    _takes_decoding(parser)
    _takes_moves(parser)
    _takes_plan(parser)
    takes_workers(parser)


def _percentage(text: str) -> float:
    """Return a percentage as a share."""
    try:
        if not text.endswith("%"):
            raise ValueError
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a percentage such as 0.1%, but is {in_quotes(text)}") from None
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"must be above 0% and below 100%, such as 0.1%, but is {in_quotes(text)}")
    return share


def _takes_search(parser: Parser) -> None:
    group = parser.add_argument_group(
        "the search", "How many schedules to try, what to vary, and with which algorithm."
    )
    group.add_argument(
        "--evaluations",
        type=whole,
        metavar="N",
        help="schedules in all (default 20000, of limits 400; when a run is continued, as many as planned for it, or "
        "with --until up to 20000 once these are done); weightings that sequences begin with are not counted",
    )
    group.add_argument(
        "--until",
        type=_percentage,
        metavar="PERCENT",
        help="stop sooner, when a tenth of the work has enlarged the hypervolume by less, in the box to 1.5 x "
        "EASY or that of --box and --wish, as in --until 0.1%%; asked from ten times --population on, every ninth more",
    )
    group.add_argument(
        "--population",
        rare=True,
        type=whole,
        metavar="N",
        help="schedules in a generation, and with --algorithm archive in the first part, which is drawn at random, and "
        "the lag (default 100; when a run is continued, as before)",
    )
    group.add_argument(
        "--seed",
        type=whole,
        help="seed (default 0; when a run is continued, as before); same seed, same archive, for any number of workers",
    )
    group.add_argument(
        "--encoding",
        rare=True,
        choices=["weighting", "sequence", "orders", "priority", "limits"],
        help="what to vary. weighting: the parameters of Greedy (default); priority: formulas for the order of the "
        "waiting jobs, their reservations and backfilling, as of train --class priority; sequence: an order of all "
        "jobs; orders: the weak orders of the user groups (groups in an order, with ties), which are few, so all are "
        "tried; limits: on a machine of nodes, the limits of each user in each QOS (MaxJobsPU, MaxTRESPU of CPUs and "
        "GPUs, bf_max_job_user) and times of partitions (MaxTime), under EASY or the order of --start; front --wish "
        "prints the lines that set them",
    )
    group.add_argument(
        "--algorithm",
        rare=True,
        choices=["nsga2", "nsga", "unsga3", "agemoea2", "rvea", "archive", "random", "all"],
        help="archive (default): looks only where an owner does, in --box and --wish; nsga2: NSGA-II; nsga: NSGA as in "
        "paper 002; unsga3: U-NSGA-III; agemoea2: AGE-MOEA-II; rvea: RVEA; "
        "random: random search as a baseline; all (default for orders): only the schedules of --start. When a run is "
        "continued, as before",
    )
    group.add_argument(
        "--lag",
        rare=True,
        type=whole,
        metavar="L",
        help="with --algorithm archive: schedule k depends on the results of schedules up to k - L only (default: the "
        "population; when a run is continued, as before). Nobody waits for the slowest simulation; with many workers, "
        "take more than run at a time",
    )
    group.add_argument(
        "--surrogate",
        rare=True,
        action="store_const",
        const=True,
        help="with --algorithm archive, for --encoding weighting and priority: let a model of the simulations choose "
        "most children. In the mean it finds more with equally many simulations, and takes 2 to 5 ms a "
        "schedule: it pays where a simulation takes longer than that (when a run is continued, as before)",
    )
    group.add_argument(
        "--start",
        rare=True,
        action="append",
        default=[],
        metavar="WHAT",
        type=Name(
            "what the search begins with",
            words=lambda: ("weightings", "submit", "permutations", "weak", "random", "workload", "queue"),
        ),
        help="what to begin with; may be repeated. For sequence: weightings, the front of ten "
        "populations of weightings, which are explored first (default with --algorithm archive); submit, the order of "
        "submission (default with others); permutations, all orders of the groups, and submit; weak, all weak orders "
        "of the groups; random; a policy; or "
        "a run or front, for its policies. For weighting: a run or front of weightings or orders; a trained Greedy "
        "policy in a .json file; or easy, fcfs, conservative-replan, lxf or priority:1,2, with the backfilling of the "
        "weightings (as in 'lxf; backfill: easy'). For priority: a run or front of such formulas. For orders: "
        "workload, queue (default: both). For limits: the site's own order, a policy or its slurm.conf (default: easy)",
    )
    group.add_argument(
        "--draw",
        rare=True,
        choices=["uniform", "tied"],
        help="how weightings are drawn at random, in the first generation and by --algorithm random. uniform: each "
        "parameter for itself (default, but for archive); tied: the same in all situations, on a logarithmic scale, "
        "which finds much more where no group waits long, and which --algorithm archive always does",
    )
    group.add_argument(
        "--util-from",
        rare=True,
        choices=["submission", "start"],
        help="from when on UTIL counts. submission: the first submission (default); start: the "
        "first start, as in the papers, which rewards schedules that idle first (when a run is continued, as before)",
    )


def _takes_aim(parser: Parser) -> None:
    group = parser.add_argument_group(
        "where to look",
        "With --algorithm archive, the default: which schedules are worth a search, as no owner takes "
        "those in which a group waits for ever.",
    )
    group.add_argument(
        "--objectives",
        metavar="LIST",
        help="what schedules are compared by, two to twelve, as in 'UTIL, p95 wait of gpu, mean slowdown, AWRT of "
        "physics' (default: UTIL and the AWRT of each group, as in the papers; when a run is continued, as before). "
        "Statistics: mean, median, p95, longest, weighted, share (share wait > 24h), jain, largest group; of wait, "
        "response, slowdown, stretch, unfair wait; of a group or of jobs (width >= 32); UTIL_memory, UTIL_gpus, idle "
        "hours",
    )
    group.add_argument(
        "--box",
        rare=True,
        type=number,
        metavar="FACTOR",
        help="from the best found to FACTOR times EASY in every group (default 1.5), as front --box measures",
    )
    group.add_argument(
        "--wish",
        metavar="WISH",
        type=WISH,
        help="a wish, as for train --objective: its limits take the place of the box, and half of the search goes "
        "after its goal. Limits alone are a region, as in AWRT1 <= 0.9*EASY, others <= 1.05*EASY",
    )


def _takes_decoding(parser: Parser) -> None:
    group = parser.add_argument_group(
        "from weights or an order to a schedule", "How the simulation turns what the search varies into a schedule."
    )
    takes_backfill(group, "backfilling with the weighted order, or with the order of the groups (default easy)")
    group.add_argument(
        "--decoding",
        rare=True,
        choices=["online", "strict", "earliest"],
        help="how to make a schedule. For sequence: earliest, each job in turn starts at the first time at "
        "which it fits (default); or strict, no job starts before the job before it. For weighting: online "
        "(default); or earliest, applied to the order in which Greedy starts the jobs",
    )


def _takes_moves(parser: Parser) -> None:
    group = parser.add_argument_group(
        "sequences", "With --encoding sequence: how the order of all jobs changes from a schedule to its children."
    )
    group.add_argument(
        "--moves",
        rare=True,
        choices=["adjacent", "swap", "later", "group", "pull", "fill", "both"],
        help="how a mutation changes a sequence. adjacent: swap neighbours; swap: swap distant jobs; later: "
        "move jobs towards the end; group: the same, but not for the jobs of one group; pull: move jobs of one group "
        "whose wait is expensive forward (default); fill: move jobs to where processors idle and they fit (strict "
        "decoding only); both: pull or fill, at random",
    )
    group.add_argument(
        "--movable",
        rare=True,
        choices=["all", "processors", "hour", "either", "both"],
        help="which jobs a mutation moves. all (default); processors: jobs of 32 processors or more; hour: jobs of "
        "more than one hour; either: jobs that are one of the two; both: jobs that are both",
    )
    group.add_argument(
        "--recombination",
        rare=True,
        choices=["none", "ox", "pmx", "cycle"],
        help="crossover of sequences for 30 %% of the children: none (default), ox (order crossover), pmx (partially "
        "mapped crossover), or cycle",
    )
    group.add_argument(
        "--frequency",
        rare=True,
        type=number,
        metavar="N",
        help="moves in a mutation at the beginning (default 5000; where it begins with policies 500 pulls, 50 others)",
    )
    group.add_argument(
        "--jump",
        rare=True,
        type=number,
        metavar="N",
        help="mean length of a move at the beginning, in places of the order (default 1500)",
    )
    group.add_argument(
        "--copies",
        rare=True,
        action="store_const",
        const=True,
        help="fill the first generation with copies of the start orders, as in paper 002, not with their children",
    )
    group.add_argument(
        "--forget",
        rare=True,
        action="store_const",
        const=True,
        help="let no start order survive the first generation, as in paper 002 (nsga and nsga2)",
    )


def _takes_plan(parser: Parser) -> None:
    group = parser.add_argument_group(
        "plans", "Several explorations in one command. Each has its own settings: do not use those above with --plan."
    )
    group.add_argument(
        "--plan",
        rare=True,
        choices=["paper002", "better", "algorithms", "moves"],
        help="several explorations, each in its own directory in RUN, and their merged front. paper002: the rows of "
        "Table 4 of paper 002; better: searches that the paper did not try; algorithms: NSGA-II and other algorithms; "
        "moves: the kinds of --moves, starting from known schedules",
    )
    group.add_argument(
        "--only",
        rare=True,
        action="append",
        default=[],
        metavar="ROW",
        help="explore only this row of the plan, such as queue-permutation; may be repeated; the error message for "
        "an unknown row lists all rows",
    )


def run(options: argparse.Namespace) -> None:
    """Explore the schedules of a workload into a run directory."""
    load_kernels_sooner()
    if options.plan is not None:
        _explore_plan(options)
        return
    if options.only:
        raise InputError("--only: chooses rows of a plan, so it needs --plan")

    front, workload, first, last = _explore_with_bar(options)
    if last.replayed >= last.total:
        remark(
            f"{options.output} had {number_of(last.total, 'evaluation')} already; nothing was left to do "
            "(see --evaluations)",
            Changes.FIGURES,
        )
    _show_front(options, front, workload, first, last)


def _explore_with_bar(options: argparse.Namespace) -> tuple[Front, Workload, Progress | None, Progress]:
    """Explore with a progress bar; return the front, its workload, and the last progress of what it begins with."""
    from ..search.exploration import explore

    workload = read_workload(options)
    show_other_machine(options, [workload])
    last: dict[bool, Progress] = {}
    with remarks_of_search(), bar("exploring", options.evaluations) as update:

        def on_progress(progress: Progress) -> None:
            last[progress.beginning] = progress
            gained = math.inf if progress.gained is None else progress.gained
            gain = f", last tenth {100 * gained:+.2f} %" if math.isfinite(gained) else ""
            what = "weightings to begin with, " * progress.beginning
            update(progress.evaluations, progress.total, f"{what}{_front_text(progress)}{gain}")

        try:
            front = explore(
                workload,
                options.output,
                **chosen_options(options, OF_ONE_RUN),
                **worker_words(options),
                progress=on_progress,
            )
        except (KeyboardInterrupt, WorkersLostError):
            remark_rest(options.output)
            raise
    remark_repairs(options, options.trace, workload)
    return front, workload, last.get(True), last[False]


def _front_text(progress: Progress) -> str:
    """Return the size of the front in words, with what it is of if that is not all that was evaluated."""
    old = f" after {progress.counted:,}" if progress.counted < progress.evaluations else ""
    return f"front {progress.front:,}{old}"


def _show_front(
    options: argparse.Namespace, front: Front, workload: Workload, first: Progress | None, last: Progress
) -> None:
    """Show the result of an exploration: what it gives the owner, how much was done, and the next commands."""
    from ..core.tables import to_json
    from ..fronts.front_tables import extremes_text
    from ..fronts.quality_indicators import REACH
    from ..search.last_tenth import gain_text
    from ..wishes.answers import answer
    from ..wishes.gains import gains_text, group_gains

    reach = REACH if options.box is None else options.box
    gains = group_gains(front, workload, reach)
    answered = None if options.wish is None else answer(options.wish, front, workload)
    if options.json:
        summary = {"run": str(options.output), "size": len(front), **last._asdict(), "gains": gains}
        summary["weightings"] = None if first is None else first.evaluations
        del summary["beginning"]
        summary["best"] = dict(zip((o.name for o in front.objectives), last.best, strict=True))
        show(to_json(summary | ({} if answered is None else {"answer": answered.about()})))
        return
    fresh = last.evaluations - last.replayed
    kernel = f", {last.seconds / last.evaluations * 1000:.1f} ms CPU a simulation" if last.evaluations else ""
    headline = gains_text(gains, reach) if answered is None else answered.text()
    before = ""
    if first is not None:
        now = first.evaluations - first.replayed
        before = (
            f"{number_of(first.evaluations, 'weighting')} to begin with ({now:,} now, in {first.elapsed:.1f} s); then "
        )
    show(
        f"{headline}\n\n{before}"
        f"{number_of(last.evaluations, 'schedule')} explored ({fresh:,} now, in {last.elapsed:.1f} s{kernel}); "
        f"{len(front):,} of them {'is' if len(front) == 1 else 'are'} not dominated by another one;\n"
        f"{gain_text(last.gained)}{_end_text(options, last)}; "
        "what another --encoding or --backfill finds is unknown\n\n"
        f"{extremes_text(front)}\n\n{_next_commands(options, front, None if answered is None else answered.row)}"
    )


def _end_text(options: argparse.Namespace, last: Progress) -> str:
    """Return why an exploration ended, where it was stopped before it had all its evaluations."""
    from ..search.settings import EVALUATIONS

    if options.until is None or last.evaluations >= (options.evaluations or EVALUATIONS) or last.gained is None:
        return ""
    less = f"less than --until {100 * options.until:g}%"
    if not last.gained < options.until:  # also where it is NaN
        if options.evaluations is None:  # a run that is continued may have been allowed less than the default
            return ""
        less = f"and by {less} before the schedules came that were under way"  # there are some with a lag
    return f", {less}, so that the search has stopped"


def _next_commands(options: argparse.Namespace, front: Front, answered: int | None) -> str:
    """Return the commands that are useful after an exploration; `answered` is the row that is nearest to a wish."""
    from ..encodings.site_limits import SiteLimits
    from ..fronts.front import extremes
    from ..fronts.row_schedules import row_policy

    encoding = front.origins[0].encoding
    on = shlex.join([options.trace, *reading_words(options), "--front", options.output])
    row = {o.name: row for o, row in extremes(front)}["AWRT"] if answered is None else answered
    saving = "-o schedule.csv" if row_policy(front, row) is None else "--save-policy policy.json"
    wish = "" if options.wish is None else f" --objective {shlex.quote(str(options.wish))}"
    of_limits = f"{PROGRAM} front {shlex.quote(options.output)} --wish {shlex.quote(str(options.wish or LIKE))}"
    return (
        f"next: {PROGRAM} compare {on} --policy fcfs --policy easy{wish} -o report.html\n"
        f"      {PROGRAM} simulate {on} --row {row} {saving}"
        + f"\n      {of_limits}   # which limit helps whom, and the lines that set it"
        * isinstance(encoding, SiteLimits)
    )


def _explore_plan(options: argparse.Namespace) -> None:
    """Explore the rows of a plan, each into its own run directory, and merge their fronts."""
    from ..search.plans import explore_plan, rows_of

    settings = [*chosen_options(options, OF_ONE_RUN)]
    if settings:
        raise InputError(
            f"--{settings[0].replace('_', '-')}: each row of a plan has its own; it does not go with --plan"
        )
    rows = rows_of(options.plan, options.only)
    workload = read_workload(options)
    counts = [row.settings["evaluations"] for row in rows]
    before = dict(zip((row.name for row in rows), accumulate([0, *counts]), strict=False))
    with remarks_of_search(), bar(options.plan, sum(counts)) as update:

        def on_progress(row: Row, progress: Progress) -> None:
            update(before[row.name] + progress.evaluations, sum(counts), f"{row.name}: {_front_text(progress)}")

        try:
            front = explore_plan(
                workload,
                options.output,
                rows,
                **worker_words(options),
                progress=on_progress,
            )
        except (KeyboardInterrupt, WorkersLostError):
            remark(f"the runs are kept in {options.output}; the same command continues them")
            raise
    remark_repairs(options, options.trace, workload)
    _show_plan(options, front, workload)


def _show_plan(options: argparse.Namespace, front: Front, workload: Workload) -> None:
    """Show what each row of a plan contributes to the merged front."""
    from ..core.tables import Column, table, to_json
    from ..fronts.front_tables import box_text, extremes_text
    from ..fronts.quality_indicators import box_of
    from ..search.plans import results_in
    from ..simulation.objective import objectives
    from ..simulation.simulator import simulate

    easy = objectives(simulate(workload, "easy"), util_from=front.util_from).array
    box = box_of(front, easy)
    rows = results_in(options.output, easy)
    if options.json:
        show(to_json({"plan": options.plan, "rows": rows, "size": len(front), "evaluations": front.evaluations}))
        return
    columns = [
        Column("row", "row"),
        Column("evaluations", "evaluations", ",d"),
        Column("ms", "CPU ms each", ",.1f"),
        Column("size", "its front", ",d"),
        Column("in_front", "in the merged", ",d"),
        Column("gain", "hypervolume lost without it", ".4f"),
    ]
    show(
        f"{table(rows, columns)}\n"
        f"hypervolume lost: share of the box {box_text(box._asdict())} that no other run\n"
        "  dominates; the best found is that of this merged front"
        f"{''.join(f'; {words}, it takes no part' for words in box.left_out)}\n\n"
        f"{len(front):,} of {number_of(front.evaluations, 'schedule')} are not dominated: "
        f"{options.output}/front.parquet\n\n"
        f"{extremes_text(front)}"
    )
