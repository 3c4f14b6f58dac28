"""Helpers of the fuzz tests: commands that succeed, and checks of commands that must be refused."""

import re
from pathlib import Path

from support.commands import command, files

LONG = "x" * 300


def refusal(*arguments: object, names: object = "", below: Path | None = None) -> str:
    """Run a command that must be refused, and return its error: one line with `names`. Nothing changes in `below`."""
    before = files(below) if below else {}
    outcome = command(*arguments)
    assert outcome.status == 2, outcome
    assert outcome.out == "", outcome
    assert re.fullmatch(
        rf"paretosched( {arguments[0]})?: [^\n]+\n" if arguments else r"paretosched: [^\n]+\n", outcome.err
    ), outcome
    assert len(outcome.err) < 2000, outcome
    assert "Traceback" not in outcome.err, outcome
    assert str(names) in outcome.err, outcome
    if below:
        assert files(below) == before
    return outcome.err


def takes_trace(trace: Path, house: Path, folder: Path) -> list[tuple[object, ...]]:
    """Return a command line with a log for every command that reads a log."""
    return [
        ("info", trace),
        ("scale", trace, "-o", folder / "out.swf"),
        ("resample", trace, "-o", folder / "out.swf"),
        ("simulate", trace, "-o", folder / "out.csv", "--save-policy", folder / "out.json"),
        ("simulate", trace, "--policy", "scojo-opt", "--segments", folder / "out.parquet"),
        ("explore", trace, "-o", folder / "out", "--evaluations", 8, "--population", 4),
        ("train", house / "w.swf.gz", trace, "--objective", "AWRT1", "--accept-worse", "-o", folder / "out.json"),
        ("compare", trace, "--front", house / "run", "-o", folder / "out.html"),
        ("compare", house / "w.swf.gz", trace, "--objective", "AWRT1", "-o", folder / "out.html"),
        ("app", house / "run", "--trace", trace),
    ]


def sound(name: str, house: Path, folder: Path) -> list[object]:
    """Return a command line that succeeds."""
    train = ["train", house / "w.swf.gz", "--objective", "AWRT1", "--accept-worse", "-o", folder / "out.json"]
    commands: dict[str, list[object]] = {
        "info": ["info", house / "w.swf.gz"],
        "import": ["import", "slurm", house / "sacct.txt", "-o", folder / "out.swf"],
        "machine": ["machine", house / "machine.toml", "-o", folder / "out.toml"],
        "generate": ["generate", "lublin", "--jobs", 5, "-o", folder / "out.swf"],
        "scale": ["scale", house / "w.swf.gz", "--processors", 64, "-o", folder / "out.swf"],
        "resample": ["resample", house / "w.swf.gz", "-o", folder / "out.swf"],
        "fetch": ["fetch", "CTC-SP2", "-o", folder],
        "simulate": ["simulate", house / "w.swf.gz", "-o", folder / "out.csv"],
        "explore": ["explore", house / "w.swf.gz", "-o", folder / "out", "--evaluations", 8, "--population", 4],
        "train": [*train, "--generations", 1],
        "rules": train,
        "explain": ["explain", house / "p.json", "-o", folder / "out.html"],
        "explain rules": ["explain", house / "iterative.json", "-o", folder / "out.html"],
        "front": ["front", house / "run", "-o", folder / "out.parquet"],
        "compare": ["compare", house / "w.swf.gz", "--front", house / "run", "-o", folder / "out.html"],
        "whatif": ["whatif", house / "w.swf.gz", "--nodes", "+8", "-o", folder / "out.csv"],
        "deploy": ["deploy", house / "p.json", "--to", "pbs"],
        "review": ["review", house / "imported.swf", "--policy", "fcfs", "--objective", "AWRT"],
        "app": ["app", house / "run", "--trace", house / "w.swf.gz"],
        "completion": ["completion", "bash"],
        "assign": ["assign", house / "jobs.csv", house / "nodes.csv", "--history", house / "past.csv"],
    }
    commands["rules"] += ["--rule-base", "symbiotic", "--greedy", house / "g.json", "--evaluations", 8]
    commands["review"] += ["--since", "1990-01-01", "-o", folder / "out.csv"]
    commands["assign"] += ["--method", "pgga", "--iterations", 0, "-o", folder / "out.csv"]
    return commands[name]
