"""The pages of the command line, one for each command, from the parsers that read it."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from paretosched.cli.command_line import COMMANDS, all_commands
from paretosched.cli.parser import Parser


def write_pages(docs: Path) -> None:
    """Write the index and the page of every command."""
    place = docs / "reference" / "commands"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    parser = all_commands()
    lines = [
        "# Command line",
        "",
        "Every command explains itself with `--help`, which shows what most need, and `--help-all`. These pages, "
        "which are made from the same parsers, show all options.",
        "",
    ]
    lines += ["| command | what it does |", "| --- | --- |"]
    for name in COMMANDS:
        pages = list(with_commands(parser.commands[name]))
        lines.append(f"| [`paretosched {name}`]({name}.md) | {cell(parser.commands[name].description)} |")
        (place / f"{name}.md").write_text("\n".join(page_of(pages)), encoding="utf-8")
    lines += ["", "## Exit status", "", "| status | what it means |", "| ---: | --- |"]
    lines += [f"| `{status}` | {meaning} |" for status, meaning in STATUS.items()]
    lines += ["", "## First steps", "", "```text", parser.epilog.strip("\n"), "```"]
    lines += ["", "```{toctree}", ":hidden:", "", *COMMANDS, "```", ""]
    (place / "index.md").write_text("\n".join(lines), encoding="utf-8")


STATUS = {
    0: "all is done",
    2: "the input breaks a rule; one line says which, with the argument, the rule and the fact",
    3: "`train` wrote a policy that is worse than EASY or outside its limits (with `--accept-worse`: 0), or `review` "
    "says that a policy did not keep its promise",
    75: "`deploy`: Slurm does not answer; its systemd unit tries again",
    130: "after Ctrl-C; files are complete",
}


def with_commands(parser: Parser) -> Iterator[Parser]:
    """Yield a parser, and those of its own commands, as `import` has them."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def page_of(parsers: list[Parser]) -> Iterator[str]:
    """Yield the lines of the page of a command."""
    for level, parser in enumerate(parsers):
        depth = "#" if level == 0 else "##"
        usage = re.sub(r"^usage: ", "", parser.format_usage())
        yield from (f"{depth} {parser.prog.removeprefix('paretosched ')}", "", parser.description or "", "")
        yield from ("```text", usage.rstrip(), "```", "")
        for group in parser._action_groups:
            actions = [a for a in group._group_actions if not isinstance(a, argparse._SubParsersAction)]
            actions = [a for a in actions if a.help != argparse.SUPPRESS]
            if actions:
                yield from (f"**{(group.title or '').capitalize()}**", "", group.description or "", "")
                yield from ("| option | what it does |", "| --- | --- |")
                yield from (f"| {option(parser, action)} | {cell(help_of(parser, action))} |" for action in actions)
                yield ""
        if parser.epilog:
            yield from ("```text", parser.epilog.strip("\n"), "```", "")


def option(parser: Parser, action: argparse.Action) -> str:
    """Return an option or argument as it is written."""
    value = (
        parser._get_formatter()._format_args(action, action.metavar or action.dest.upper()) if action.nargs != 0 else ""
    )
    names = action.option_strings or [""]
    return "<br>".join(f"`{name} {value}`".replace("` ", "`").replace(" `", "`") for name in names).replace("|", "\\|")


def help_of(parser: Parser, action: argparse.Action) -> str:
    """Return what the help says of an option."""
    return parser._get_formatter()._expand_help(action) if action.help else ""


def cell(text: str | None) -> str:
    """Return a text as a cell: signs that Markdown would read are protected."""
    return re.sub(r"([\\*_|<>\[\]$`~{}])", r"\\\1", " ".join((text or "").split()))
