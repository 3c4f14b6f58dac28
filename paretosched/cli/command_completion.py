"""`paretosched completion`: the script with which a shell completes commands, options and their values."""

from __future__ import annotations

import argparse
import shlex
import zlib
from typing import Any

from .console import PROGRAM, show
from .options import Name, new_command
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "completion",
        run,
        "print the script with which your shell completes commands, options, values and files with the Tab key",
        "  paretosched completion bash\n"
        "\n"
        "to have it in every bash:\n"
        "    mkdir -p ~/.local/share/bash-completion/completions\n"
        "    paretosched completion bash > ~/.local/share/bash-completion/completions/paretosched\n"
        "  (without the package bash-completion, put this into ~/.bashrc:  source <(paretosched completion bash)  )\n"
        "\n"
        "to have it in every zsh:\n"
        "    mkdir -p ~/.zsh/completions\n"
        "    paretosched completion zsh > ~/.zsh/completions/_paretosched\n"
        "  and put this into ~/.zshrc:  fpath=(~/.zsh/completions $fpath); autoload -Uz compinit; compinit",
        json=False,
    )
    parser.add_argument("shell", metavar="SHELL", choices=["bash", "zsh"], help="bash or zsh")


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    import shtab

    for parser in (options.parser, *options.parser.commands.values()):
        for argument in parser._actions:
            if isinstance(argument.type, Name):
                argument.complete = _suggestions(argument.type)
    script = shtab.complete(options.parser, options.shell)
    if options.shell == "zsh":
        script = script.replace('"(*):', '"*:')  # for "one or more", shtab lets zsh complete only the first one
    show(script)


def _suggestions(name: Name) -> dict[str, Any]:
    """Return a shell function that suggests words and files for an argument, in the form that shtab needs."""
    words = shlex.join(name.words())
    bash = {"file": 'compgen -f -- "$1"', "directory": 'compgen -d -- "$1"', "": ":"}[name.place]
    zsh = {"file": "_files", "directory": "_files -/", "": ":"}[name.place]
    function = f"_{PROGRAM}_{name.place or 'word'}_{zlib.crc32(words.encode()):08x}"
    return {
        "bash": function,
        "zsh": function,
        "preamble": {
            "bash": f'{function}() {{\n  compgen -W {shlex.quote(words)} -- "$1"\n  {bash}\n}}',
            "zsh": f"{function}() {{\n  local -a words=({words})\n  (( $#words )) && compadd -a words\n  {zsh}\n}}",
        },
    }
