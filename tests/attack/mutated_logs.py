"""Damaged logs, accounting and tables: what a workload is read from."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

from attack.tally import Verdict, verdict_on
from paretosched.workload.accounting.table_columns import COLUMNS
from paretosched.workload.log_names import names_path
from paretosched.workload.public_catalogue import READINGS
from support.house import SITE_COLUMNS
from support.mutations import (
    TABLE_WORDS,
    damaged_accounting,
    damaged_bytes,
    damaged_json,
    damaged_log,
    damaged_log_of_more_columns,
)

GROUPS = ("consumption", "swf", "queue", "50,10")
POLICIES = (
    "fcfs",
    "easy",
    "conservative",
    "conservative-replan",
    "list",
    "optimised",
    "recorded",
    "scojo",
    "scojo-opt",
)
ACCOUNTING = (
    ("sacct.txt", "slurm"),
    ("sacct-local.txt", "slurm", "--zone", "Europe/Berlin"),
    ("pbs.txt", "pbs"),
    ("sge.txt", "sge"),
    ("lsb.acct", "lsf"),
    ("batsim.json", "batsim"),
    ("jobs-of-site.csv", "csv", "--columns", SITE_COLUMNS),
)  # a file of the house, its format, and options that it needs
PUBLIC = Path(__file__).parents[1] / "data/accounting/public"


def logs(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged log, read by the commands that read one."""
    log, groups = folder / "log.swf", ("--groups", r.choice(GROUPS))
    log.write_bytes(damaged_log(r))
    match r.randrange(12):
        case 0:
            yield verdict_on("explore", log, *groups, "-o", folder / "run", "--evaluations", 8, "--population", 4)
            if (folder / "run").exists():
                yield verdict_on("compare", log, *groups, "--front", folder / "run")
        case 1:
            factor = r.choice([1, 1.5, 10])
            yield verdict_on("scale", log, "--factor", factor, "--processors", 16, "-o", folder / "x.swf")
        case 2:
            yield verdict_on("compare", log, *groups, "--policy", "easy", "-o", folder / "report.html")
        case 3 | 4 | 5:
            yield verdict_on("info", log, *groups)
        case _:
            yield verdict_on("simulate", log, *groups, "--policy", r.choice(POLICIES), "-o", folder / "schedule.csv")


def wide_logs(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged log with 19 to 21 columns, read, written and read again."""
    log, again = folder / "log.swf", folder / "again.swf.gz"
    log.write_bytes(damaged_log_of_more_columns(r))
    yield verdict_on(r.choice(["info", "simulate"]), log, *r.choice([(), ("--groups", "queue")]))
    yield verdict_on("scale", log, "--factor", 1, "--processors", 8, "-o", again)
    if again.exists():
        yield verdict_on("info", again, "--groups", "queue")


def packed_logs(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A sound gzipped log with damaged bytes."""
    (folder / "log.swf.gz").write_bytes(damaged_bytes((house / "w.swf.gz").read_bytes(), r))
    yield verdict_on("simulate", folder / "log.swf.gz", "--policy", "easy")


def accounting(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """Damaged accounting of a machine, its nodes and events, or damaged names and down times beside a log."""
    if r.randrange(5) == 0:
        yield from nodes(r, house, folder)
        return
    if r.randrange(5) == 0:
        sound_log = house / r.choice(["imported.swf", "down.swf"])
        log = folder / "imported.swf"
        shutil.copy(sound_log, log)
        names_path(log).write_bytes(damaged_json(names_path(sound_log).read_text(), r))
        yield verdict_on("info", log, "--groups", r.choice(GROUPS), names=folder)
        return
    name, kind, *more = r.choice(ACCOUNTING)
    damaged = damaged_json if kind == "batsim" and r.randrange(4) else damaged_accounting
    text = damaged((house / name).read_text(), r)
    (folder / "accounting").write_bytes(damaged_bytes(text, r) if r.randrange(3) == 0 else text)
    options = r.choice([(), ("--width", "nodes"), ("--partition", "main"), ("--anonymise", "key")])
    options = options if kind in ("slurm", "pbs", "lsf") or options[:1] != ("--width",) else ()
    yield verdict_on("import", kind, folder / "accounting", *more, "-o", folder / "log.swf", *options)
    if (folder / "log.swf").exists():
        yield verdict_on("info", folder / "log.swf", "--groups", "swf")


def tables(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged table of a public log, read as itself, or with columns, units and widths that are drawn."""
    sample = r.choice(sorted(PUBLIC.iterdir()))
    text = sample.read_text()
    data = damaged_json(text, r) if sample.suffix == ".json" else damaged_accounting(text, r, TABLE_WORDS)
    (folder / "table").write_bytes(damaged_bytes(data, r) if r.randrange(4) == 0 else data)
    heading = text.partition("\n")[0].split(",")
    drawn = ",".join(f"{what}={r.choice(heading)}" for what in r.sample(COLUMNS, r.randint(3, 12)))
    needed = READINGS[sample.stem.partition("-")[0]].columns
    how = r.choice([("--as", sample.stem.partition("-")[0]), ("--columns", needed), ("--columns", drawn)])
    more = [
        (),
        ("--unit", r.choice(["ms", "us", "min", "limit=min", "h"])),
        ("--zone", r.choice(["Europe/Berlin", "X"])),
    ]
    more += [("--width", r.choice(["cpus", "nodes", "gpus"])), ("--capacity", 3), ("--groups", "qos")]
    yield verdict_on(
        "import", "csv", folder / "table", *how, *r.choice(more), *r.choice(more), "-o", folder / "log.swf"
    )
    if (folder / "log.swf").exists():
        yield verdict_on("info", folder / "log.swf", "--groups", "swf")


def nodes(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged list of nodes, or of when they were down."""
    for name in ("sinfo.txt", "events.txt"):
        text = (house / name).read_text()
        data = damaged_accounting(text, r) if r.randrange(2) else text.encode()
        (folder / name).write_bytes(damaged_bytes(data, r) if r.randrange(4) == 0 else data)
    options = r.choice([(), (), ("--width", "nodes"), ("--partition", "main"), ("--zone", "Europe/Berlin")])
    machine = ("--nodes", folder / "sinfo.txt", "--events", folder / "events.txt")
    yield verdict_on("import", "slurm", house / "sacct-down.txt", *machine, *options, "-o", folder / "log.swf")
    if (folder / "log.swf").exists():
        yield verdict_on("simulate", folder / "log.swf", "--groups", "swf", "--policy", r.choice(POLICIES))
