"""`paretosched front`: several runs front into one front, and how good it is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import InputError
from .console import PROGRAM, Changes, remark, show
from .file_kinds import Kind
from .inputs import show_doubts, show_other_machine
from .options import FRONT, WISH, Name, new_command, number, takes_limits
from .parser import Parser
from .waiting import with_progress

if TYPE_CHECKING:
    from ..fronts.front import Front
    from ..wishes.wish import Wish
    from ..workload.workload import Workload


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "front",
        run,
        "merge runs into one front; show its best schedules, size and quality indicators",
        "  paretosched front run1 run2 -o front.parquet\n"
        '  paretosched front run --wish "10*AWRT1 + 4*AWRT2, others <= 1.05*EASY"\n'
        '  paretosched front limits --wish "p95 wait of others, top3 <= 1.2*today"',
    )
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", type=FRONT, help="run directories or front files of one workload"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FRONT",
        type=Name(writes=Kind.FRONT),
        help="front file to write: Parquet, or a table for other programs if the name ends in .csv",
    )
    parser.add_argument(
        "--wish",
        metavar="WISH",
        type=WISH,
        help="show the answer to this wish instead: what the best schedule costs whom, against EASY, and what looser "
        "limits would bring if they are relative, as in others <= 1.05*EASY; of explore --encoding limits also which "
        "limit helps whom, and the lines of sacctmgr and slurm.conf that set it; the wish as for train --objective",
    )
    parser.add_argument(
        "--box",
        type=number,
        metavar="FACTOR",
        help="measure from the best found to FACTOR times EASY in every group (default 1.5); a schedule beyond counts "
        "for nothing. Without --box, and where the jobs cannot be found, the box is that of the front alone",
    )
    takes_limits(parser)


def run(options: argparse.Namespace) -> None:
    """Merge runs and fronts, and show the result."""
    from ..comparison.waits_table import costs_of
    from ..core.tables import to_json
    from ..deployment.slurm_words import limit_lines
    from ..fronts.front_files import check_front_name, load_front, save_front
    from ..fronts.front_tables import extremes_text, merging, merging_text
    from ..fronts.merging import merge
    from ..fronts.quality_indicators import REACH, checked_reach
    from ..simulation.objective import objectives
    from ..simulation.simulator import simulate
    from ..wishes.answers import answer
    from ..wishes.gains import gains_text, group_gains
    from ..wishes.limit_effects import limit_effects

    if options.output is not None:
        check_front_name(options.output)
    if options.box is not None:
        checked_reach(options.box, "--box")
    states = _states(options.runs)
    inputs = [load_front(path) for path in options.runs]
    front = merge(inputs)
    wish, workload = _wish(options, front), _workload(options, front)
    easy = None
    if workload is not None:
        easy = with_progress(lambda: objectives(simulate(workload, "easy"), util_from=front.util_from).array)
    about = merging(front, inputs, options.runs, easy, **({} if options.box is None else {"reach": options.box}))
    reach = REACH if options.box is None else options.box
    gains = [] if workload is None else group_gains(front, workload, reach, easy)
    answered = effects = None
    if wish is not None and workload is not None:
        answered = chosen = with_progress(lambda: answer(wish, front, workload))
        effects = with_progress(lambda: limit_effects(front, chosen.row, workload))
    set_by = [] if effects is None else limit_lines(effects.changes)
    if options.output is not None:
        save_front(front, options.output)
    if options.json:
        more: dict[str, object] = {}
        if answered is not None:
            more["answer"] = answered.about() | {"costs": [line.sentence for line in costs_of(answered)[1]]}
        more |= {} if effects is None else {"limits": effects.about() | {"lines": set_by}}
        more |= {"gains": gains} if gains else {}
        show(to_json(about | {"log": _log(options.runs, front), "unfinished": states} | more))
    else:
        lines = [f"{path}: {state}" for path, state in states.items()]
        headline = [f"{gains_text(gains, reach)}\n"] if gains else []
        parts = [*headline, merging_text(about), extremes_text(front)]
        if answered is not None:
            over, costs = costs_of(answered)
            parts = [
                answered.text(),
                "",
                f"what it costs whom, against {over}:",
                *(f"- {line.sentence}" for line in costs),
            ]
        parts += [] if effects is None else ["", effects.text()]
        parts += ["set by:", *(f"  {line}" for line in set_by)] if set_by else []
        show("\n".join([*parts, *lines]))
    _remark_faults(options.runs)


def _wish(options: argparse.Namespace, front: Front) -> Wish | None:
    """Return --wish."""
    from ..wishes.wish_files import as_wish

    try:
        return None if options.wish is None else as_wish(options.wish, front)
    except InputError as error:
        raise InputError(f"--wish: {error}") from None


def _workload(options: argparse.Namespace, front: Front) -> Workload | None:
    """Return the workload of a front, from the first run that can open it again; None if none can and none must."""
    from ..workload.measures import as_measured
    from ..workload.plausibility import doubts
    from ..workload.reopening import reopen

    troubles = []
    for run in options.runs:
        try:
            workload = reopen(run, front.digest)
        except InputError as error:
            troubles.append(error)
        else:
            show_doubts(options, run, doubts(workload))
            show_other_machine(options, [workload])
            return as_measured(workload, front.measured)
    for name in ("box", "wish"):
        if getattr(options, name) is not None:
            raise InputError(f"--{name}: EASY must be simulated on the jobs of the front, but {troubles[0]}")
    return None


def _states(runs: Sequence[str]) -> dict[str, str]:
    """Return how far the runs are that are not finished, in words, by their paths."""
    from ..core.run_files import FRONT_FILE, is_run
    from ..search.runs import known_parameters, state_text

    states = {}
    for run in filter(is_run, runs):
        try:
            state = state_text(run)
        except InputError as error:  # its front may be sound
            state = str(error)
        if state and not Path(run, FRONT_FILE).exists():
            raise InputError(f"{run}: there is no front yet: {state}")
        if state:
            states[run] = state
        elif "workload" in known_parameters(run) and not Path(run, FRONT_FILE).exists():  # not of a training
            raise InputError(
                f"{run}: {FRONT_FILE} is gone, but its evaluations are stored: the same command, "
                f"{PROGRAM} explore ... -o {run}, writes it again without simulating"
            )
    return states


def _remark_faults(runs: Sequence[str]) -> None:
    """Write a remark for each run whose stored evaluations are damaged; its front may be sound."""
    from ..core.files import is_file
    from ..core.run_files import STORE_FILE
    from ..search import run_store

    for store in (Path(run, STORE_FILE) for run in runs):
        trouble = run_store.fault(store) if is_file(store) else ""
        if trouble:
            remark(f"{trouble}; the front is shown as it was written", Changes.FIGURES)


def _log(runs: Sequence[str], front: Front) -> str | None:
    """Return the path of the log of a front, if a run says it and the file is there, unchanged."""
    from ..workload.reopening import reopen

    for run in runs:
        with suppress(InputError):  # this run has another workload, or does not know its log
            return next((step["path"] for step in reopen(run, front.digest).source if "path" in step), None)
    return None
