"""`paretosched whatif`: other nodes, more load, a group that grows, another limit or policy: who gains and who pays."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError
from .console import Changes, remark, show
from .file_kinds import Kind
from .inputs import (
    load_kernels_sooner,
    read_policies,
    read_workload,
    remark_orders,
    remark_repairs,
    remark_unsaid,
    show_other_machine,
)
from .options import (
    POLICY,
    Name,
    limit,
    new_command,
    number,
    takes_order,
    takes_shares,
    takes_trace,
    takes_users,
    whole,
)
from .parser import Parser
from .waiting import with_progress

if TYPE_CHECKING:
    from ..comparison.questions import Question
    from ..comparison.what_if_table import WhatIf
    from ..workload.workload import Workload

MOST_DRAWS = 1000
SHORT = 4 * 7 * 86400  # s, of a log whose intervals are rough


class _Limit(argparse.Action):
    """--limit: NAME=N is a limit of the readers of files, as of every command; all else is a longest time of jobs."""

    def __call__(  # argparse calls it with all of these
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: Any,
        option: str | None = None,  # noqa: ARG002
    ) -> None:
        try:
            dest, value = ("limit", limit(values)) if "=" in values else ("longest", values)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, str(error)) from None
        setattr(namespace, dest, [*getattr(namespace, dest), value])


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "whatif",
        run,
        "what if there were other nodes, more load, another limit or policy: who gains, and who pays",
        '  paretosched whatif log.parquet --nodes "+20 cpu" --nodes "+4 gpu" --price cpu=8000 --price gpu=60000\n'
        "      which is worth more?\n"
        '  paretosched whatif log.parquet --policy slurm.conf --nodes "down n[01-08]" --limit "gpu 24h"\n'
        "      a broken rack, and a partition for jobs of a day, each by itself\n"
        '  paretosched whatif log.parquet --policy slurm.conf --sacctmgr "modify qos normal set MaxJobsPerUser=32"\n'
        "      a limit, as sacctmgr would set it: who gains, and who pays\n"
        '  paretosched whatif w.swf.gz --groups projects.csv --load 1.2 --group "chemistry x1.2"\n'
        "  paretosched whatif w.swf.gz --policy easy --policy sjf --nodes +64 -o answers.csv\n"
        "Each question stands by itself, against the first policy on the machine and with the users of now.",
    )
    takes_trace(parser, with_limits=False)
    group = parser.add_argument_group("what is asked", "Each may be repeated; each is a part of the table of its own.")
    group.add_argument(
        "--nodes",
        action="append",
        default=[],
        metavar="WHAT",
        help='more or fewer nodes, or nodes that are down throughout: "+20 cpu", "-2 gpu", "+4 n017", "down n[1-8]"; '
        'or nodes that change their partition: "n[1-8] from main to gpu", or join one more: "8 cpu also in gpu". '
        "The word is the name of a node (more like it) or of a partition (its commonest kind), or gpu or cpu (the "
        "commonest kind with GPUs, or without). On a log of equal processors a number of them: +64",
    )
    group.add_argument(
        "--load", action="append", default=[], type=number, metavar="X", help="X times the load, by more users: 1.2"
    )
    group.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="WHO",
        help="more or fewer users of a group, all others as they are: with 'chemistry x1.2' they have 1.2 times the "
        "work, with 'chemistry x0' none. A user is of the group that has most of the user's work, and comes or goes "
        "with all jobs; see --groups",
    )
    group.add_argument(
        "--limit",
        action=_Limit,
        default=[],
        metavar="TIME",
        help='the longest time that jobs may ask for (s, min, h, d): "24h", or in one partition "gpu 24h"; jobs that '
        "ask for more are left out, and counted. NAME=N changes a limit of reading files, as with other commands",
    )
    parser.set_defaults(longest=[])
    group.add_argument(
        "--sacctmgr",
        action="append",
        default=[],
        metavar="COMMAND",
        help="other limits of a QOS, account or user, on a log with nodes, as sacctmgr sets them: 'modify qos normal "
        "set MaxTRESPerUser=gres/gpu=8'; -1 takes one away",
    )
    group.add_argument(
        "--policy",
        action="append",
        metavar="P",
        type=POLICY,
        help="policy, as for simulate; the first is what runs now (default easy), and all questions are asked of each",
    )
    takes_shares(group)
    takes_order(group)
    takes_users(group, "; here to other waits than those that the first policy gives them now")
    certain = parser.add_argument_group(
        "how certain it is", "The log is put together again from its users, as by resample."
    )
    certain.add_argument(
        "--draws",
        rare=True,
        type=whole,
        default=5,
        metavar="N",
        help="how often (default 5); changes have 95 %% intervals over them. A log without users, or of less than two "
        "weeks, stands for itself, without intervals",
    )
    certain.add_argument("--seed", rare=True, type=whole, default=0, help="seed of the first time (default 0)")
    output = parser.add_argument_group("prices, and what is written")
    output.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="WORD=X",
        help="price of one node of what --nodes adds, by its word: cpu=8000. Then it is said how many hours of waiting "
        "each 1,000 saves; without prices, each node",
    )
    output.add_argument(
        "-o", "--output", metavar="FILE", type=Name(writes=Kind.WHAT_IF), help="CSV file of the table to write"
    )


def run(options: argparse.Namespace) -> None:
    """Answer the questions of the options by a table."""
    load_kernels_sooner()
    from ..comparison.questions import prices_of
    from ..comparison.what_if_table import answer_rows, answer_text, facts, what_if
    from ..core.tables import save_rows, to_json

    workload = read_workload(options)
    if options.json:
        show_other_machine(options, [workload])
    asked = _questions(options, workload)
    policies = read_policies(options, options.policy or ["easy"], options.shares)
    if not 1 <= options.draws <= MOST_DRAWS:
        raise InputError(f"--draws must be in 1..{MOST_DRAWS}, but is {options.draws}")
    if options.seed < 0:
        raise InputError(f"--seed must be at least 0, but is {options.seed}")
    if not asked and len(policies) < 2:
        raise InputError("nothing is asked: give --nodes, --load, --group, --limit, --sacctmgr or a second --policy")
    try:
        prices = prices_of(options.price, asked)
    except InputError as error:
        raise InputError(f"--price: {error}") from None
    words = options.draws, options.seed, prices, options.users
    answers = with_progress(lambda: what_if(workload, asked, policies, *words))
    if options.output is not None:
        save_rows(answer_rows(answers), Path(options.output))
    remark_repairs(options, options.trace, workload)
    remark_unsaid(policies)
    remark_orders(policies, options.trace, workload)
    _remark_certainty(options, answers)
    show(to_json(facts(answers)) if options.json else answer_text(answers))


def _questions(options: argparse.Namespace, workload: Workload) -> list[tuple[str, Question]]:
    """Return the questions that the options ask, each with what it is called."""
    from ..comparison.questions import (
        command_question,
        group_question,
        limit_question,
        more_load,
        nodes_question,
    )

    asked: list[tuple[str, Question]] = []

    def ask(option: str, said: Iterable[Any], called: str, make: Callable[[Any], Question]) -> None:
        for each in said:
            try:
                question = make(each)
            except InputError as error:
                raise InputError(f"{option}: {error}") from None
            label = f"{called}{each:g}" if isinstance(each, float) else f"{called}{' '.join(each.split())}"
            if label in dict(asked):
                raise InputError(f"{option}: a question must be asked once, but {label} comes again")
            asked.append((label, question))

    ask("--nodes", options.nodes, "", lambda text: nodes_question(workload, text))
    ask("--load", options.load, "load ", more_load)
    ask("--group", options.group, "", lambda text: group_question(workload, text))
    ask("--limit", options.longest, "limit ", lambda text: limit_question(workload, text))
    ask("--sacctmgr", options.sacctmgr, "", lambda text: command_question(workload, text))
    return asked


def _remark_certainty(options: argparse.Namespace, answers: WhatIf) -> None:
    """Write a remark if the log stands for itself, or if it is so short that intervals are rough."""
    submit = answers.workload.submit
    if answers.reason:
        remark(f"{options.trace}: stands for itself, without intervals: {answers.reason}", Changes.FIGURES)
    elif submit[-1] - submit[0] < SHORT:
        remark(
            f"{options.trace}: lasts less than four weeks: there is little to put together again, intervals are rough",
            Changes.FIGURES,
        )
