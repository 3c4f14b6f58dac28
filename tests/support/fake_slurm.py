"""Commands that look like Slurm's: they print what a test has written down, and write down what they are told."""

import os
from pathlib import Path
from typing import Any

CONFIG = {
    "ClusterName": "fake",
    "PriorityType": "priority/multifactor",
    "PrioritySiteFactorPlugin": "(null)",
    "PriorityWeightAge": "0",
    "PriorityWeightTRES": "(null)",
    "PriorityDecayHalfLife": "7-00:00:00",
    "PriorityUsageResetPeriod": "NONE",
    "AccountingStorageType": "accounting_storage/slurmdbd",
    "MinJobAge": "300 sec",
    "SchedulerType": "sched/backfill",
    "SchedulerParameters": "bf_job_part_count_reserve=1,bf_window=10080,default_queue_depth=10000",
}
SCRIPTS = {
    "squeue": """test -e squeue.fails && { echo "Unable to contact slurm controller" >&2; exit 1; }
for fields; do :; done; case $3 in -r) file=history;; -t) file=reasons;; *) file=queue;; esac
mark=$(printf %s "$fields" | sed 's/^JobID:\\([^,]*\\),.*/\\1/'); sed "s/@/$mark/g" $file""",
    "sacct": "cat recorded",
    "sprio": "cat factors",
    "sshare": "cat usage",
    "sinfo": 'case "$*" in *%R*) echo main; echo other;; *%C*) cat room;; *) echo 1-00:00:00;; esac',
    "scontrol": """case "$*" in
"show config") cat config;;
*partition) cat partitions;;
*node) cat nodes;;
"") told=told.$$; cat > $told; cat $told >> all
  sed 's/^update JobId=\\([0-9]*\\) SiteFactor=\\(.*\\)/\\1|\\2/' $told > new.$$; cat new.$$ >> factors  # in one piece
  denied='Access\\/permission denied for job'
  test -e scontrol.denies && sed "s/^update JobId=\\([0-9]*\\) .*/$denied \\1/" $told >&2; true;;
esac""",
}


class FakeSlurm:
    """A folder with the commands, and the files that they read and write.

    `jobs` are lines of the queue: job number -> cells that differ from a job of one processor that waits.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, script in SCRIPTS.items():
            path = folder / name
            path.write_text(f"#!/bin/sh\ncd {folder}\n{script}\n", encoding="utf-8")
            path.chmod(0o755)
        for name in ("queue", "history", "recorded", "factors", "all", "usage", "partitions", "nodes", "reasons"):
            (folder / name).touch()
        (folder / "room").write_text("4/4/0/8\n", encoding="utf-8")
        self.configure()

    @property
    def path(self) -> str:
        """The search path for programs on which these come first."""
        return f"{self.folder}:{os.environ['PATH']}"

    def configure(self, **changes: str) -> None:
        lines = [f"{name:24}= {value}\n" for name, value in (CONFIG | changes).items()]
        (self.folder / "config").write_text("Configuration data as of now\n" + "".join(lines), encoding="utf-8")

    def queue(self, jobs: dict[int, dict[str, Any]], factors: dict[int, int] | None = None) -> None:
        """Put jobs into the queue, with site factors; None keeps those that were told."""
        text = "".join(line_of(number, **cells) for number, cells in jobs.items())
        (self.folder / "queue").write_text(text, encoding="utf-8")
        if factors is not None:
            lines = "".join(f"{number}|{factor}\n" for number, factor in factors.items())
            (self.folder / "factors").write_text(lines, encoding="utf-8")

    def remember(self, jobs: dict[str, dict[str, Any]], factors: dict[int, int] | None = None) -> None:
        """Put jobs into the queue, and into what Slurm remembers, by keys such as "7_3"; those that wait are queued."""
        text = "".join(past_of(key, **cells) for key, cells in jobs.items())
        (self.folder / "history").write_text(text, encoding="utf-8")
        names = ("start", "end", "reason")
        waiting = {
            int(key.partition("_")[0]): {name: cell for name, cell in cells.items() if name not in names}
            for key, cells in jobs.items()
            if cells.get("state", "PENDING") == "PENDING"
        }
        self.queue(waiting, factors)

    def writes(self) -> dict[int, int]:
        """Return the site factors of all calls of scontrol, by job."""
        words = (line.split() for line in (self.folder / "all").read_text(encoding="utf-8").splitlines())
        return {int(job.partition("=")[2]): int(factor.partition("=")[2]) for _, job, factor in words}

    def order(self) -> list[int]:
        """Return the jobs in the order of the site factors that they were told."""
        told = self.writes()
        return sorted(told, key=lambda job: -told[job])

    def calls(self) -> list[int]:
        """Return how many changes each call of scontrol was told."""
        return [file.read_text(encoding="utf-8").count("\n") for file in self.folder.glob("told.*")]

    def explain(self, reasons: dict[int, tuple[str, str, str]], nodes: list[str]) -> None:
        """Put down reason, feature and tres of waiting jobs, and what scontrol says of nodes, a line each."""
        cells = (f"{number}@" + "".join(f"{cell}@" for cell in words) + "\n" for number, words in reasons.items())
        (self.folder / "reasons").write_text("".join(cells), encoding="utf-8")
        (self.folder / "nodes").write_text("".join(f"{line}\n" for line in nodes), encoding="utf-8")

    def forget(self) -> None:
        (self.folder / "all").write_text("", encoding="utf-8")


def line_of(
    number: int,
    *,
    state: str = "PENDING",
    user: str = "ann",
    partition: str = "main",
    qos: str = "normal",
    cpus: object = 1,
    nodes: int = 1,
    tres: str = "cpu=1,mem=1G,node=1,billing=1",
    limit: str = "1:00:00",
    submit: int = 1_700_000_000,
    eligible: object = None,
    priority: int = 1,
    reservation: str = "(null)",
    nice: object = 0,
    account: str = "physics",
    het: str = "N/A",
    array: object = None,
) -> str:
    """Return a line as squeue prints it; @ stands for the mark behind each field."""
    cells = [
        number,
        het,
        array or number,
        state,
        user,
        partition,
        qos,
        cpus,
        nodes,
        tres,
        limit,
        submit,
        eligible or submit,
        priority,
    ]
    return "@".join(map(str, [*cells, reservation, nice, account])) + "@\n"


def past_of(key: str, *, start: object = "N/A", end: object = "N/A", reason: str = "Priority", **cells: Any) -> str:
    """Return a line as squeue prints it of a job in any state."""
    *rest, account, _ = line_of(int(key.partition("_")[0]), **cells).split("@")
    return "@".join(map(str, [*rest, key, start, end, reason, account])) + "@\n"
