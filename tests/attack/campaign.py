"""All attacks in one order, their table, and the files with the results."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attack.accounts import accounts
from attack.bombs import bombs
from attack.clusters import clusters
from attack.deployments import deployments
from attack.disks import disks
from attack.kills import LONG, kills
from attack.mutated_inputs import mutated_inputs
from attack.pages import pages
from attack.tally import Tally
from paretosched.core.tables import Column, save_rows, table
from support.commands import ROOT

sys.path.insert(0, str(ROOT / "experiments"))
import common
from reliability import analysis

RESULTS = ROOT / "results" / "reliability"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    """How much is tried.

    Attributes
    ----------
    inputs, kills
        Number of damaged inputs, and of kills of long commands.
    commands_to_kill
        The commands that are killed.
    evaluations, every, worker_kills
        Length of an exploration whose workers are killed, the seconds between two kills, and how many at most.
    schedulers
        Whether the scheduler is killed, too, and one that does not come back is waited for.
    disks
        Calls of each command on a disk that is too full.
    clients, requests, page_kills
        Clients of the page at once, each with 20 requests; damaged requests; kills of the page.
    bombs, deployments
        Number of bombs, and of attacks on deployments, of each kind; all, if there are fewer.
    """

    inputs: int
    kills: int
    commands_to_kill: tuple[str, ...]
    evaluations: int
    every: float
    worker_kills: int
    schedulers: bool
    disks: int
    clients: int
    requests: int
    page_kills: int
    bombs: int
    deployments: int


WHOLE = Size(20_000, 108, tuple(LONG), 12_000, 5.0, 10, True, 6, 50, 1000, 5, 99, 99)
SELECTION = Size(600, 4, ("explore", "train"), 600, 2.0, 2, False, 1, 10, 40, 1, 2, 1)


def attacks(size: Size, seed: int, tell: Tell) -> Mapping[str, Callable[[Path], list[Tally]]]:
    """Return all attacks by the names of `--only`: functions of an empty folder that does not exist yet."""
    processes = min(4, os.cpu_count() or 1)
    return {
        "inputs": lambda work: mutated_inputs(seed, size.inputs, work, processes, tell),
        "kills": lambda work: kills(seed, size.kills, work, processes, tell, size.commands_to_kill),
        "clusters": lambda work: clusters(
            seed, size.evaluations, size.every, size.worker_kills, size.schedulers, work, tell
        ),
        "disks": lambda work: disks(seed, size.disks, work, tell),
        "pages": lambda work: pages(seed, size.clients, size.requests, size.page_kills, work, tell),
        "accounts": lambda work: accounts(work, tell),
        "bombs": lambda work: bombs(size.bombs, work, tell),
        "deployments": lambda work: deployments(size.deployments, work, tell),
    }


def campaign(size: Size, seed: int, only: Sequence[str], tell: Tell) -> list[Tally]:
    """Make the attacks, and return their rows. The files of attacks that broke something are kept."""
    rows: list[Tally] = []
    for name, attack in attacks(size, seed, tell).items():
        if only and name not in only:
            continue
        work = Path(tempfile.mkdtemp(prefix=f"attack-{name}-"))
        work.chmod(0o755)  # for the attacks of other accounts
        of_this = attack(work / "work")
        if any(row.broken for row in of_this):
            tell(f"{name}: the files are kept in {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
        rows += of_this
    return rows


# --- results ----------------------------------------------------------------------------------------------------------


def in_words(rows: Sequence[Tally]) -> str:
    """Return the table of a campaign as text, with the first offender of each attack that broke something."""
    columns = [
        Column("attack", "attack"),
        *(Column(name, name, ",") for name in ("tried", "refused", "accepted", "broken")),
    ]
    total = Tally("all", *(sum(row[k] for row in rows) for k in range(1, 5)))
    lines = [table([row._asdict() for row in (*rows, total)], columns)]
    lines += [f"BROKEN {row.attack}: {row.offender}" for row in rows if row.broken]
    return "\n".join([*lines, *(f"NOT TRIED {row.attack}: {row.remark}" for row in rows if row.remark)])


def save(rows: Sequence[Tally], seed: int, seconds: float, results: Path = RESULTS) -> None:
    """Write the table as attack.csv and summary.md, and provenance.json with what it depends on."""
    results.mkdir(parents=True, exist_ok=True)
    save_rows([row._asdict() for row in rows], results / "attack.csv")
    cores = len(os.sched_getaffinity(0))
    about = {"quick": False, "seed": seed, "seconds": round(seconds), "cores": cores}
    common.save_provenance(results, about, ("msgspec", "pyarrow", "distributed", "flask"))
    analysis.write(results)


def clock() -> Tell:
    """Return a function that prints a line of progress with the minutes since now."""
    begin = time.monotonic()

    def tell(text: str) -> None:
        seconds = int(time.monotonic() - begin)
        print(f"{seconds // 60:3}:{seconds % 60:02}  {text}", flush=True)

    return tell
