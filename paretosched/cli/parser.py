"""Reading the words of a command line; an error is one line, with the nearest right word and the command's help.

`--help` shows what most need. An option that is added with `rare=True` is as good as any other, but only `--help-all`
shows it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from ..core.errors import did_you_mean, in_quotes, nearest_word, number_of
from .console import show, tell

NEEDS_SIGN = tuple(f"argument {option}: expected one argument" for option in ("--objective", "--wish"))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help with every command's text beside its name; argparse forgets that commands are indented more."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if action.nargs == argparse.PARSER:
            self._action_max_length = max(self._action_max_length, 4 + max(map(len, action.choices or ())))


class _Marking(argparse._ActionsContainer):
    """What options are added to; it notes which of them few need."""

    def add_argument(self, *names: str, rare: bool = False, **more: Any) -> argparse.Action:
        """Add an argument as argparse does; with `rare` only --help-all shows it."""
        action = super().add_argument(*names, **more)
        vars(action)["rare"] = rare
        return action


class Group(_Marking, argparse._ArgumentGroup):
    """A group of options under a heading that says what for."""


class _HelpAll(argparse.Action):
    """--help-all: show all options, and end."""

    def __call__(self, parser: Any, *_: Any, **__: Any) -> None:
        show(parser.format_help(whole=True).rstrip("\n"))
        parser.exit()


class Parser(_Marking, argparse.ArgumentParser):
    """An argument parser whose errors are one line and name the help of the right command."""

    def __init__(self, **more: Any) -> None:
        super().__init__(formatter_class=_Help, allow_abbrev=False, **more)
        self.commands: Mapping[str, Parser] = {}

    def add_argument_group(self, *args: Any, **more: Any) -> Group:
        """Add a heading, and return the group to which its options are added."""
        group = Group(self, *args, **more)
        self._action_groups.append(group)
        return group

    def add_help_all(self) -> None:
        """Add the option that shows the options that few need, too."""
        self.add_argument("--help-all", action=_HelpAll, nargs=0, rare=True, help="show all options, and end")

    def format_help(self, whole: bool = False) -> str:
        """Return the help with the options that most need, and how many there are more; `whole`: with all of them."""
        formatter = self._get_formatter()
        shown = [action for action in self._actions if whole or not vars(action).get("rare")]
        formatter.add_usage(self.usage, shown, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            actions = [action for action in group._group_actions if action in shown]
            if actions:
                formatter.start_section(group.title)
                formatter.add_text(group.description)
                formatter.add_arguments(actions)
                formatter.end_section()
        formatter.add_text(self.epilog)
        if more := len(self._actions) - len(shown):
            formatter.add_text(f"{self.prog} --help-all shows {number_of(more, 'more option')}")
        return formatter.format_help()

    def add_commands(self) -> argparse._SubParsersAction[Parser]:
        """Return the object to which commands are added, each with its own parser."""
        commands = self.add_subparsers(
            title="commands", dest="command", metavar="COMMAND", required=True, parser_class=Parser
        )
        self.commands = commands.choices
        return commands

    def parse_known_args(  # type: ignore[override]  # nothing unknown is ever left for the caller
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Read the words. Unlike in argparse, the parser of the command itself refuses unknown words."""
        words = sys.argv[1:] if args is None else list(args)
        self._refuse_unknown(words)
        options, others = super().parse_known_args(words, namespace)
        for word in others:
            if word.startswith("-"):
                self._refuse_option(word)
            self.error(f"unexpected argument {in_quotes(word)}")
        return options, others

    def _refuse_unknown(self, words: Iterable[str]) -> None:
        """Refuse the first unknown option or command, and "--" as a value, before argparse complains about others."""
        for word in words:
            name = word.partition("=")[0]
            if word in ("--", "-h", "--help", "--help-all"):
                return
            if self.commands and not word.startswith("-"):
                if word not in self.commands:
                    self._refuse_command(word)
                return
            if name.startswith("--") and " " not in name and name not in self._option_string_actions:
                self._refuse_option(name)
            option = name if word.endswith("=--") else word.removesuffix("--")
            if option in self._option_string_actions and word.endswith("--"):  # argparse would take it as no value
                self.error(f'argument {option}: must have a value, but has "--"')

    def _refuse_option(self, name: str) -> NoReturn:
        """Refuse an unknown option, and name the nearest one."""
        names = [option for option in self._option_string_actions if option.startswith("--")]
        hint = did_you_mean(f"--{name.lstrip('-')}", names)
        self.error(f"unknown option {in_quotes(name)}{hint}")

    def _refuse_command(self, word: str) -> NoReturn:
        """Refuse an unknown command, and name the nearest one."""
        near = nearest_word(word, self.commands)
        if near is None:
            self.error(f"unknown command {in_quotes(word)}; the commands are {', '.join(self.commands)}")
        self.error(f"unknown command {in_quotes(word)}; did you mean {near}?", self.commands[near].prog)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices of an option, and name the nearest one."""
        if action.choices is not None and value not in action.choices:
            words = list(map(str, action.choices))
            hint = did_you_mean(str(value), words)
            raise argparse.ArgumentError(
                action, f"must be one of {', '.join(words)}, but is {in_quotes(str(value))}{hint}"
            )

    def print_help(self, file: object = None) -> None:  # noqa: ARG002  # only ever standard output
        """Show the help."""
        show(self.format_help().rstrip("\n"))

    def error(self, message: str, helpful: str = "") -> NoReturn:
        """End with status 2 and one line, which names the help of a command; by default of this command."""
        if self.commands and message.endswith(": COMMAND"):
            message = f"a command must come first: {', '.join(self.commands)}"
        if message in NEEDS_SIGN:
            message += f'; one that begins with a minus needs an "=" before it, as in {message.split()[1][:-1]}=-UTIL'
        tell(f"{self.prog}: {message} (see {helpful or self.prog} --help)")
        self.exit(2)
