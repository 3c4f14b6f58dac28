"""The directive `slurm-commands`: commands that are run beside a private Slurm while the site is built.

Where no Slurm can be started, the page shows what was recorded (`tutorial/slurm-walk.json`), and the build says so. A
build with Slurm leaves a new record in `_build/slurm-walk.json`. The cluster and its jobs are those of
`tests/whole/test_readme_walk.py`, its clock is faster than the real one. `deploy` without `--dry-run` is a daemon: it
runs while new jobs come, and is then ended.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import sys
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from . import scratch
from .commands import first_lines

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("slurmctld", "slurmd", "slurmdbd", "munged", "mariadbd", "faketime", "unshare")


class Walk:
    """The cluster of one build, or the record in its place."""

    def __init__(self, docs: Path) -> None:
        self.docs = docs
        self.stack = ExitStack()
        self.record: list[dict[str, str]] = []
        self.site: Any = None
        self.since = ""
        self.old = iter(json.loads((docs / "tutorial" / "slurm-walk.json").read_text(encoding="utf-8")))
        if missing := missing_programs():
            print(
                f"\n*** NO SLURM HERE ({missing}): tutorial/slurm shows what was recorded, and was not run ***\n",
                file=sys.stderr,
            )
        else:
            self.begin()

    def begin(self) -> None:
        """Start the cluster, and let the jobs run that come before the policy."""
        sys.path.append(str(ROOT / "tests"))
        path = ROOT / "tests" / "whole" / "test_readme_walk.py"
        spec = importlib.util.spec_from_file_location("readme_walk", path)
        self.test = importlib.util.module_from_spec(spec)
        sys.modules["readme_walk"] = self.test
        spec.loader.exec_module(self.test)
        place = scratch.folder(self.docs) / "slurm"
        place.mkdir()
        date = (datetime.now(UTC) - timedelta(days=40)).strftime("%Y-%m-%d 14:00:00")
        settings = self.test.SETTINGS
        cluster = self.test.slurm_cluster(self.test.NODES, 1, settings, accounting=True, rate=self.test.RATE, date=date)
        self.site = self.test.Site(self.stack.enter_context(cluster), place)
        self.site.submit_jobs()

    def run(self, command: str) -> tuple[str, str]:
        """Return a command as it was run, and what it printed."""
        if self.site is None:
            row = next(self.old)
            if row["asked"] != command:
                raise ExtensionError(
                    f"tutorial/slurm-walk.json has {row['asked']!r} in place of {command!r}: record it again"
                )
        else:
            was = re.sub(r"--since \S+", f"--since {self.since}", command)
            is_daemon = was.startswith("paretosched deploy") and "--dry-run" not in was
            output = self.daemon(was) if is_daemon else self.site.run(was)
            row = {"asked": command, "was": was, "printed": without_paths(output, self.site.folder)}
        self.record.append(row)
        return row["was"], row["printed"]

    def daemon(self, command: str) -> str:
        """Run the daemon while jobs come; return what it printed."""
        self.since = datetime.fromtimestamp(self.site.now(), UTC).strftime("%Y-%m-%dT%H:%M")
        daemon = self.site.start(f"{command} --period {self.test.PERIOD}")
        try:
            self.site.cluster.wait_until((self.site.folder / "policy.json.deploy/deploy.jsonl").exists, 60)
            self.site.submit_jobs()
            daemon.send_signal(signal.SIGTERM)
            return "".join(daemon.communicate(timeout=60))
        finally:
            daemon.kill()

    def end(self) -> None:
        """End the cluster, and keep the record."""
        self.stack.close()
        if self.site is not None:
            text = json.dumps(self.record, indent=1) + "\n"
            (self.docs / "_build" / "slurm-walk.json").write_text(text, encoding="utf-8")


def missing_programs() -> str:
    """Return what a private Slurm lacks here; "" if it can be started."""
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    missing = [name for name in NEEDED if shutil.which(name, path=path) is None]
    return ", ".join([*missing, *(["root"] if os.geteuid() else [])])


def without_paths(output: str, folder: Path) -> str:
    """Return an output without the folder in which the command ran."""
    return output.replace(f"{folder}/", "").replace(str(ROOT), "paretosched")


class SlurmCommands(SphinxDirective):
    """Run commands beside a Slurm, and show them with what they print."""

    has_content = True
    option_spec = {"lines": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Return the block."""
        application = self.env.app
        if not hasattr(application, "slurm_walk"):
            application.slurm_walk = Walk(Path(self.env.srcdir))
            application.connect("build-finished", lambda *_: application.slurm_walk.end())
        shown = []
        for command in filter(None, map(str.strip, self.content)):
            was, printed = application.slurm_walk.run(command)
            shown += [f"$ {was}", *first_lines(printed, self.options.get("lines"))]
        text = "\n".join(shown)
        return [nodes.literal_block(text, text, language="console")]


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("slurm-commands", SlurmCommands)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
