"""The directive `commands`: shell commands that are run while the site is built, with what they print.

    ```{commands}
    :status: 3
    :lines: 12
    paretosched info log.swf.gz
    ```

The commands of a page share a folder, which is empty at first. `status` is what the last command must end with, 0 by
default, and all others with 0, each command of a pipe too; else the build ends. `lines` shows the first lines of each
output only, and says how many there were; `hide` shows the commands alone; `unseen` shows nothing, to check what a page
says of its numbers. A line that begins with `#` is shown and not run.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from . import scratch

LONGEST = 900.0  # s; the first simulation on nodes compiles for a minute or two


class Commands(SphinxDirective):
    """Run commands, and show them with what they print."""

    has_content = True
    option_spec = {
        "status": int,
        "lines": int,
        "hide": directives.flag,
        "unseen": directives.flag,
        "in": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Return the block."""
        page = self.options.get("in", self.env.docname)
        place = scratch.folder(Path(self.env.srcdir)) / page.replace("/", "-")
        place.mkdir(exist_ok=True)
        shown: list[str] = []
        lines = [line for line in self.content if line.strip()]
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                shown.append(line)
                continue
            shown.append(f"$ {line}")
            status = self.options.get("status", 0) if number == len(lines) else 0
            output = run_command(line, place, status, self.get_location())
            shown += [] if "hide" in self.options else first_lines(output, self.options.get("lines"))
        text = "\n".join(shown).strip("\n")
        return [] if "unseen" in self.options else [nodes.literal_block(text, text, language="console")]


def run_command(line: str, place: Path, status: int, where: str) -> str:
    """Return what a command prints on both outputs; it must end with `status`."""
    process = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],  # an error is not hidden by what reads its output
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    if process.returncode != status:
        raise ExtensionError(f"{where}: {line!r} ended with {process.returncode}, not {status}:\n{process.stdout}")
    return process.stdout


def first_lines(output: str, count: int | None) -> list[str]:
    """Return the lines of an output, or the first of them with a line that says how many there are more."""
    lines = [line.rstrip() for line in output.rstrip("\n").split("\n")] if output.strip() else []
    if count is None or len(lines) <= count:
        return lines
    return [*lines[:count], f"... {len(lines) - count} lines more"]


def setup(app: object) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
