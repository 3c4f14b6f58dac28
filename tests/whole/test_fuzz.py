"""Whatever is thrown at a subcommand: one line that names file or option and the rule, status 2, and nothing left."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import paretosched as ps
from paretosched.policies.rule_base import RuleBase
from support.commands import COMMANDS, command, done, files, log, process

LIMIT = str(10**30)
LONG = "x" * 300


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workload, a run on it, its front, a policy and a list of groups, all sound."""
    folder = tmp_path_factory.mktemp("house")
    done("generate", "lublin", "--jobs", 60, "--processors", 32, "--seed", 3, "-o", folder / "w.swf.gz")
    done("explore", folder / "w.swf.gz", "-o", folder / "run", "--evaluations", 12, "--population", 4)
    done("front", folder / "run", "-o", folder / "front.parquet")
    done("simulate", folder / "w.swf.gz", "--front", folder / "run", "--save-policy", folder / "p.json")
    made = ps.load_policy(folder / "p.json")
    plain = ps.greedy(made.criteria, made.genes, groups=made.groups)
    for kind in ("iterative", "symbiotic"):
        ps.save_policy(_rules(kind, plain), folder / f"{kind}.json")
    ps.save_policy(plain, folder / "g.json")
    (folder / "groups.csv").write_text("1,staff\n2,guests\n")
    (folder / "jobs.csv").write_text("job,size,workload\na,,5\nb,7,\na,2,\n")
    (folder / "nodes.csv").write_text("node,speed,utilisation\nn,2,1\nm,1.5,0.5\n")
    (folder / "past.csv").write_text("job,size,workload\na,1,3\na,5,9\n")
    for method in ("lpt", "pgga"):  # a disk that is full has no room for compiled code either
        done("assign", folder / "jobs.csv", folder / "nodes.csv", "--history", folder / "past.csv", "--method", method)
    return folder


def _rules(kind: str, greedy: ps.Policy) -> ps.Policy:
    """A small rule base whose thirteenth strategy is a Greedy policy."""
    groups = greedy.groups
    features = len(groups) + 2
    choice, levels = [0], [5] + [0] * 12
    given: dict[str, Any] = {"bounds": ((),) * features, "choice": choice}
    if kind == "symbiotic":
        given = {"means": [[0.5] * features], "widths": [[0.5] * features], "recommendations": [levels]}
    return RuleBase(kind, groups, groups, greedy, **given)


def refused(*arguments: object, names: object = "", below: Path | None = None) -> str:
    """Run a command that must be refused in one line that names something, and must leave a folder as it was."""
    before = files(below) if below else {}
    said = command(*arguments)
    assert said.status == 2, said
    assert said.out == "", said
    assert re.fullmatch(
        rf"paretosched( {arguments[0]})?: [^\n]+\n" if arguments else r"paretosched: [^\n]+\n", said.err
    ), said
    assert len(said.err) < 2000, said
    assert "Traceback" not in said.err, said
    assert str(names) in said.err, said
    if below:
        assert files(below) == before
    return said.err


# --- logs ---------------------------------------------------------------------------------------------------------

SOUND = "1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1"


def job(**fields: object) -> str:
    """One job line with some fields other than in SOUND."""
    place = {"job": 0, "submit": 1, "wait": 2, "run": 3, "allocated": 4, "width": 7, "estimate": 8, "status": 10}
    place |= {"user": 11, "queue": 14}
    words = SOUND.split()
    for name, value in fields.items():
        words[place[name]] = str(value)
    return " ".join(words)


BAD_LOGS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "empty"),
    "blank": ("\n \n\t\n", "empty"),
    "header only": ("; MaxProcs: 8\n", "at least one job line"),
    "NUL bytes": (b"\0" * 100, "binary"),
    "random bytes": (random.Random(1).randbytes(5000), "binary"),
    "an image": (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)), ":1: a job line must have 18 columns"),
    "text": ("to be or not to be\n", ":1: a job line must have 18 columns, but this one has 6"),
    "too few columns": ("1 0 5 10 4\n", ":1: a job line must have 18 columns, but this one has 5"),
    "too many columns": (SOUND + " 1\n", ":1: a job line must have 18 columns, but this one has 19"),
    "one wrong line": (f"{SOUND}\n" * 9 + "1 2 3\n", ":10: a job line must have 18 columns, but this one has 3"),
    "commas": (SOUND.replace(" ", ",") + "\n", ":1: a job line must have 18 columns"),
    "a word": (log(SOUND, job(run="abc")), ":3: run time is \"abc\", not a number of seconds"),
    "nan": (log(job(submit="nan")), ':2: submit time is "nan"'),
    "infinite": (log(job(width="inf")), ':2: number of requested processors is "inf"'),
    "huge": (log(job(run=10**30)), ":2: run time is"),
    "beyond floats": (log(job(run="1e400")), ":2: run time is"),
    "huge submission": (log(job(submit=2**53)), ":2: submit time is"),
    "negative submission": (log(job(submit=-5)), ":2: submit time is -5, but must be at least 0 s"),
    "half a user": (log(job(user=1.5)), ":2: user is 1.5, but must be a whole number"),
    "no time for all": (log(*[job(run=2**52, estimate=2**52)] * 2000), "must stay below 2^62"),
    "wider than the machine": (log(job(width=16)), "none of the 1 jobs can be simulated"),
    "negative widths": (log(job(width=-4, allocated=-4)), "none of the 1 jobs can be simulated"),
    "no run times": (log(job(run=-1), job(run=0)), "none of the 2 jobs can be simulated"),
    "negative machine": (log(SOUND, header="MaxProcs: -8"), ':1: MaxProcs is "-8"'),
    "no machine": (log(SOUND, header="MaxProcs: many"), ':1: MaxProcs is "many"'),
    "huge machine": (log(SOUND, header=f"MaxProcs: {10**12}"), ":1: MaxProcs is"),
    "no such zone": (log(SOUND, header="MaxProcs: 8\nTimeZoneString: Mars/Olympus"), ":2: time zone"),
    "late clock": (log(SOUND, header=f"UnixStartTime: {10**15}"), ":1: UnixStartTime is"),
    "cut gzip": (gzip.compress(log(*[SOUND] * 500).encode())[:60], "cut short"),
    "damaged gzip": (gzip.compress(SOUND.encode())[:-8] + b"\xff" * 8, "damaged"),
    "gzip of nothing": (gzip.compress(b""), "empty"),
    "gzip of a gzip": (gzip.compress(gzip.compress(SOUND.encode())), "binary"),
    "a zip file": (b"PK\3\4" + b"\0" * 60, "binary"),
}  # fmt: skip


def takes_trace(trace: Path, house: Path, folder: Path) -> list[tuple[object, ...]]:
    """Every subcommand that reads a log, with a log."""
    return [
        ("info", trace),
        ("scale", trace, "-o", folder / "out.swf"),
        ("simulate", trace, "-o", folder / "out.csv", "--save-policy", folder / "out.json"),
        ("simulate", trace, "--policy", "scojo-opt", "--segments", folder / "out.parquet"),
        ("explore", trace, "-o", folder / "out", "--evaluations", 8, "--population", 4),
        ("train", house / "w.swf.gz", trace, "--objective", "AWRT1", "-o", folder / "out.json"),
        ("compare", trace, "--front", house / "run", "-o", folder / "out.html"),
        ("compare", house / "w.swf.gz", trace, "--objective", "AWRT1", "-o", folder / "out.html"),
        ("app", house / "run", "--trace", trace),
    ]


@pytest.mark.parametrize("name", BAD_LOGS)
def test_a_bad_log_is_refused_by_every_subcommand(house: Path, tmp_path: Path, name: str) -> None:
    content, rule = BAD_LOGS[name]
    data = content.encode() if isinstance(content, str) else content
    for trace, written in ((tmp_path / "bad.swf", data), (tmp_path / "bad.swf.gz", gzip.compress(data))):
        if not data.startswith(b"\x1f\x8b") or trace.suffix == ".swf":
            trace.write_bytes(written)
            for arguments in takes_trace(trace, house, tmp_path):
                assert rule in refused(*arguments, names=trace, below=tmp_path)


def test_what_is_no_file_is_refused_by_every_subcommand(house: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    for trace, rule in {
        tmp_path / "folder": "Is a directory",
        tmp_path / "none": "No such file or directory",
        tmp_path / "loop": "Too many levels of symbolic links",
        tmp_path / "pipe": "empty",  # and no waiting for somebody who writes
        tmp_path / LONG: "File name too long",
        house / "w.swf.gz" / "x": "Not a directory",
        Path("/dev/zero"): "binary",
        Path("/dev/null"): "empty",
    }.items():
        for arguments in takes_trace(trace, house, tmp_path / "folder"):
            assert rule in refused(*arguments, names=trace, below=tmp_path / "folder")
    for arguments in takes_trace(Path(), house, tmp_path):
        first = "FRONT" if arguments[0] == "app" else "TRACE"
        assert "must be the name of a file" in refused(arguments[0], "", *arguments[2:], names=first)
        assert "must be the name of a file" in refused(arguments[0], "a\0b", *arguments[2:], names=first)


TOKENS = st.sampled_from(
    ["-1", "0", "1", "2", "5", "8", "9", "-5", "abc", "nan", "inf", "1e400", "1e15", "1.5", "0x10", "1_0", "", ";", "#",
     "9007199254740993", "2147483648", "4294967296", "99999999999999999999", "\x1b[2J", "\u00e9", "\N{CHESTNUT}"]
)  # fmt: skip
REAL = log(
    *(f"{j} {60 * j} {j % 7} {30 + 97 * j % 500} {1 + j % 8} -1 -1 {1 + j % 8} {600} -1 1 {j % 5} {j % 3} -1 {j % 2}"
      for j in range(1, 15)),
    header="Version: 2.2\nComputer: a machine\nUnixStartTime: 836000000\nTimeZoneString: US/Eastern\nMaxProcs: 8\n"
    "MaxNodes: 8\nQueue: 0 short\nQueue: 1 long",
)  # fmt: skip


@st.composite
def damaged_logs(draw: Callable[..., Any]) -> bytes:
    """A real-looking log in which words, lines and bytes were changed."""
    lines = [re.split("( +)", line) for line in REAL.splitlines()]
    for _ in range(draw(st.integers(0, 4))):
        line = lines[draw(st.integers(0, len(lines) - 1))]
        line[draw(st.integers(0, len(line) - 1))] = draw(TOKENS)
    text = ["".join(line) for line in lines]
    for _ in range(draw(st.integers(0, 2))):
        a, b = (draw(st.integers(0, len(text) - 1)) for _ in range(2))
        text[a : a + 1] = draw(st.sampled_from([[], [text[b]], [text[a], text[b]]]))
        text = text or [""]
    data = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])).join(text).encode()
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.binary(max_size=3)) + data[place + draw(st.integers(0, 3)) :]
    if draw(st.integers(0, 4)) == 0:
        data = gzip.compress(data, mtime=0)
        if draw(st.booleans()):
            place = draw(st.integers(0, len(data) - 1))
            data = data[:place] + draw(st.binary(max_size=2)) + data[place + draw(st.integers(0, 2)) :]
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 5)) == 0 else data


LEISURE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
GROUPS = st.sampled_from(["consumption", "swf", "queue", "50,10"])


@settings(LEISURE, max_examples=120)
@given(
    data=damaged_logs(), groups=GROUPS, policy=st.sampled_from(["fcfs", "easy", "conservative", "recorded", "scojo"])
)
def test_a_damaged_log_is_simulated_or_refused(
    house: Path, tmp_path: Path, data: bytes, groups: str, policy: str
) -> None:
    trace, output = tmp_path / "damaged.swf", tmp_path / "out.csv"
    output.unlink(missing_ok=True)
    trace.write_bytes(data)
    either("info", trace, "--groups", groups)
    if either("simulate", trace, "--groups", groups, "--policy", policy, "-o", output):
        jobs = len(ps.read_swf(trace))
        assert len(output.read_text(encoding="utf-8").splitlines()) == jobs + 1
    assert {path.name for path in tmp_path.iterdir()} <= {"damaged.swf", "out.csv"}


@settings(LEISURE, max_examples=30)
@given(data=damaged_logs(), groups=GROUPS, factor=st.sampled_from([1, 1.5, 10]))
def test_a_damaged_log_is_explored_scaled_and_compared_or_refused(
    house: Path, tmp_path: Path, data: bytes, groups: str, factor: float
) -> None:
    trace, scaled, run = tmp_path / "damaged.swf", tmp_path / "scaled.swf", tmp_path / "run"
    trace.write_bytes(data)
    scaled.unlink(missing_ok=True)
    shutil.rmtree(run, ignore_errors=True)
    if either("scale", trace, "--factor", factor, "--processors", 16, "-o", scaled):
        done("info", scaled)
    if either("explore", trace, "--groups", groups, "-o", run, "--evaluations", 8, "--population", 4):
        done("compare", trace, "--groups", groups, "--front", run)
    assert {path.name for path in tmp_path.iterdir()} <= {"damaged.swf", "scaled.swf", "run"}


def either(*arguments: object) -> bool:
    """Run a command that may succeed or be refused; True if it succeeded."""
    said = command(*arguments)
    if said.status == 0:
        assert said.out
        return True
    assert (said.status, said.out) == (2, ""), said
    lines = said.err.splitlines()
    assert re.fullmatch(rf"paretosched {arguments[0]}: .+", lines[-1]), said
    assert all(line.startswith("paretosched: exploring") for line in lines[:-1]), said
    return False


# --- options ------------------------------------------------------------------------------------------------------

WORDS = ("", "abc", "1.5.2", "--", "9" * 5000)
ABSURD: dict[str, dict[str, tuple[str, ...]]] = {
    "info": {
        "--capacity": ("0", "-1", "1.5", "nan", "1e400", LIMIT),
        "--groups": ("2,8", "0", "100", "nan", "8,-1", ""),
    },
    "generate": {
        "--jobs": ("0", "-1", "1e4", "nan", str(10**12), LIMIT),
        "--processors": ("0", "-1", "31", "nan", str(2**31), LIMIT),
        "--seed": ("-1", "nan", "1e400"),
        "--variant": ("both",),
        "--estimates": ("none",),
    },
    "scale": {
        "--processors": ("0", "-1", "nan", str(2**31), LIMIT),
        "--factor": ("0", "-1", "0.5", "nan", "inf", "-inf", "1e400", LIMIT),
        "--jobs": ("0", "-1", "59", "nan", str(10**12), LIMIT),
        "--seed": ("-1", "nan"),
        "--capacity": ("0", LIMIT),
    },
    "simulate": {
        "--capacity": ("0", "-1", LIMIT),
        "--policy": ("greedy", "EASY", "none.json", ""),
        "--row": ("-1", "1000000", LIMIT, "nan"),
        "--estimates": ("guessed", "EXACT", ""),
    },
    "explore": {
        "--evaluations": ("0", "-1", "3", "nan", str(10**12), LIMIT),
        "--population": ("0", "-1", "3", "nan", str(10**12), LIMIT),
        "--seed": ("-1", "nan"),
        "--workers": ("-1", "10000", "nan", LIMIT),
        "--backfill": ("some",),
        "--algorithm": ("nsga9",),
        "--scheduler": ("", "abc", "http://127.0.0.1:1", "tcp://127.0.0.1", "tls://127.0.0.1:1"),
        "--capacity": ("0", LIMIT),
    },
    "train": {
        "--objective": ("", "AWRT9", "10*", "none.json", "a\0.json", LONG + ".json", LIMIT),
        "--generations": ("0", "-1", "nan", str(10**12), LIMIT),
        "--train-until": ("0", "1", "-1", "70", "nan", "inf", LIMIT),
        "--seed": ("-1", "nan"),
        "--workers": ("-1", "10000", "nan", LIMIT),
        "--criterion": ("f5", ""),
        "--backfill": ("some",),
        "--over": ("mean",),
        "--strategy": ("sa",),
        "--scale": ("ln",),
        "--scheduler": ("", "abc"),
        "--capacity": ("0", LIMIT),
    },
    "rules": {
        "--objective": ("", "AWRT9", "10*", "none.json", LIMIT),
        "--rule-base": ("fuzzy", "", "Iterative"),
        "--evaluations": ("0", "-1", "nan", "1.5", str(10**12), LIMIT),
        "--greedy": ("greedy", "easy", "none.json", ""),
        "--train-until": ("0", "1", "-1", "70", "nan", "inf", LIMIT),
        "--over": ("mean",),
        "--seed": ("-1", "nan"),
        "--workers": ("-1", "10000", "nan", LIMIT),
        "--capacity": ("0", LIMIT),
    },
    "compare": {
        "--policy": ("greedy", "none.json", ""),
        "--capacity": ("-1", LIMIT),
        "--objective": ("", "AWRT9", "10*", "none.json", "a\0.json", LONG + ".json", LIMIT),
    },
    "app": {
        "--port": ("-1", "65536", "nan", LIMIT),
        "--host": ("999.1.1.1", "not a host", LONG, ""),
        "--capacity": ("0", "5", LIMIT),
        "--groups": ("2,8", "swf", "nan"),
    },
    "assign": {
        "--method": ("ga", "LPT", ""),
        "--iterations": ("-1", "nan", "1.5", LIMIT),
        "--seed": ("-1", "nan", "1e400"),
        "--line": ("straight", ""),
        "--population": ("0", "1", "-1", "nan", str(10**12), LIMIT),
        "--tournament": ("0", "-1", "51", "nan", LIMIT),
        "--crossover": ("-0.1", "1.1", "nan", "inf"),
        "--mutation": ("-0.1", "1.1", "nan", "inf"),
        "--elite": ("-1", "50", "nan", LIMIT),
        "--keep": ("-0.1", "1.1", "nan"),
        "--tolerance": ("-0.1", "nan", "inf"),
        "--start": ("tga", "", "LPT"),
    },
}  # fmt: skip
TEXTS = ("--groups", "--method", "--line", "--start", "--variant", "--estimates", "--policy", "--backfill",
         "--algorithm", "--scheduler", "--objective", "--criterion", "--over", "--strategy", "--scale",
         "--host", "--rule-base", "--greedy")  # fmt: skip


def sound(name: str, house: Path, folder: Path) -> list[object]:
    """A command that would succeed."""
    commands: dict[str, list[object]] = {
        "info": ["info", house / "w.swf.gz"],
        "generate": ["generate", "lublin", "--jobs", 5, "-o", folder / "out.swf"],
        "scale": ["scale", house / "w.swf.gz", "--processors", 64, "-o", folder / "out.swf"],
        "fetch": ["fetch", "CTC-SP2", "-o", folder],
        "simulate": ["simulate", house / "w.swf.gz", "-o", folder / "out.csv"],
        "explore": ["explore", house / "w.swf.gz", "-o", folder / "out", "--evaluations", 8, "--population", 4],
        "train": ["train", house / "w.swf.gz", "--objective", "AWRT1", "-o", folder / "out.json", "--generations", 1],
        "rules": ["train", house / "w.swf.gz", "--objective", "AWRT1", "-o", folder / "out.json"],
        "explain": ["explain", house / "p.json", "-o", folder / "out.html"],
        "explain rules": ["explain", house / "iterative.json", "-o", folder / "out.html"],
        "front": ["front", house / "run", "-o", folder / "out.parquet"],
        "compare": ["compare", house / "w.swf.gz", "--front", house / "run", "-o", folder / "out.html"],
        "app": ["app", house / "run", "--trace", house / "w.swf.gz"],
        "completion": ["completion", "bash"],
        "assign": ["assign", house / "jobs.csv", house / "nodes.csv", "--history", house / "past.csv"],
    }
    commands["rules"] += ["--rule-base", "symbiotic", "--greedy", house / "g.json", "--evaluations", 8]
    commands["assign"] += ["--method", "pgga", "--iterations", 0, "-o", folder / "out.csv"]
    return commands[name]


@pytest.mark.parametrize(("name", "option"), [(name, option) for name, options in ABSURD.items() for option in options])
def test_absurd_values_are_refused_under_the_name_of_their_option(
    house: Path, tmp_path: Path, name: str, option: str
) -> None:
    front = ["--front", house / "run"] if option == "--row" else []
    for value in (*ABSURD[name][option], *(WORDS if option not in TEXTS else ())):
        begin = sound(name, house, tmp_path)
        names = (
            value if value.endswith(".json") and "\0" not in value else option.removeprefix("--").removeprefix("train-")
        )
        refused(*begin, *front, option, value, names=names, below=tmp_path)
    assert files(tmp_path) == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_usage_is_refused(house: Path, tmp_path: Path, name: str) -> None:
    begin = sound(name, house, tmp_path)
    for wrong in (["--nonsense"], ["--jsonx"], ["--js"], ["-x"], ["--nonsense=3"], ["--json=3"]):
        refused(*begin, *wrong, names=wrong[0].split("=")[0], below=tmp_path)
    if name != "front":
        refused(*begin, "one too many", names="one too many", below=tmp_path)
    refused(name, names="required", below=tmp_path)
    for place, option in enumerate(begin):
        if isinstance(option, str) and option.startswith("-"):
            refused(*begin[: place + 1], names=option, below=tmp_path)  # its value is missing
    assert files(tmp_path) == {}


def test_wrong_commands_are_refused() -> None:
    for arguments in ((), ("nonsense",), ("",), ("--nonsense",), ("--nonsense", "info"), ("INFO",), ("inf", "w.swf")):
        said = command(*arguments)
        assert (said.status, said.out) == (2, "")
        assert re.fullmatch(r"paretosched( info)?: [^\n]+ \(see paretosched( info)? --help\)\n", said.err), said
    refused("generate", "feitelson", "-o", "x", names="MODEL")
    assert "did you mean CTC-SP2" in refused("fetch", "CTC", names="CTC")
    refused("fetch", LONG, names=LONG)


def test_options_that_exclude_each_other_are_named(house: Path, tmp_path: Path) -> None:
    simulate = ("simulate", house / "w.swf.gz")
    refused(*simulate, "--row", 0, names="--row")
    refused(*simulate, "--front", house / "run", "--policy", "easy", names="--policy")
    explore = sound("explore", house, tmp_path)
    refused(*explore, "--workers", 1, "--scheduler", "tcp://127.0.0.1:1", names="workers and scheduler", below=tmp_path)


def test_options_of_greedy_and_of_rule_bases_are_not_mixed(house: Path, tmp_path: Path) -> None:
    train, rules = (sound(name, house, tmp_path) for name in ("train", "rules"))
    for option in (("--evaluations", 8), ("--greedy", house / "g.json"), ("--plus",), ("--defaults",)):
        refused(*train, *option, names=f"{option[0]}: needs --rule-base", below=tmp_path)
    for option in (("--criterion", "f2"), ("--backfill", "easy"), ("--strategy", "es"), ("--scale", "linear")):
        refused(*rules, *option, names=f"{option[0]}: is of Greedy", below=tmp_path)
    refused(*rules, "--generations", 2, names="--generations: is of the training", below=tmp_path)
    for option in ("--plus", "--defaults"):
        refused(*rules, "--rule-base", "iterative", option, names=f"{option}: belongs to", below=tmp_path)
    refused(*rules, "--greedy", house / "p.json", names="greedy must be", below=tmp_path)
    refused(*rules, "--greedy", house / "iterative.json", names="greedy must be", below=tmp_path)
    refused(*rules, "-o", house / "g.json", names="--output would overwrite the Greedy policy", below=tmp_path)


def test_a_scheduler_that_does_not_answer_is_given_up(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    monkeypatch.setattr("paretosched.search.evaluation.PATIENCE", 0.2)
    explore = sound("explore", house, tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts and says nothing
        addresses = [f"tcp://127.0.0.1:{silent.getsockname()[1]}", "tcp://127.0.0.1:1"]
        for address in addresses:
            refused(*explore, "--scheduler", address, names=f'scheduler "{address}"', below=tmp_path)


def test_large_numbers_that_make_sense_are_taken(house: Path, tmp_path: Path) -> None:
    done("generate", "lublin", "--jobs", 5, "--seed", LIMIT, "--processors", 2**31 - 1, "-o", tmp_path / "w.swf")
    done("simulate", tmp_path / "w.swf", "--capacity", 2**31 - 1, "--policy", "conservative")
    shared = ("simulate", tmp_path / "w.swf", "--policy", "scojo")
    assert "at most 16777216 processors, which are told apart" in refused(*shared, "--capacity", 2**31 - 1)
    done("explore", tmp_path / "w.swf", "-o", tmp_path / "run", "--seed", LIMIT, "--evaluations", 8, "--population", 4)
    assert ps.load_front(tmp_path / "run").origins[0].seed == 10**30


# --- outputs ------------------------------------------------------------------------------------------------------

OUTPUTS = [
    ("generate", "-o"),
    ("scale", "-o"),
    ("simulate", "-o"),
    ("simulate", "--save-policy"),
    ("explore", "-o"),
    ("train", "-o"),
    ("rules", "-o"),
    ("explain", "-o"),
    ("explain rules", "-o"),
    ("front", "-o"),
    ("compare", "-o"),
    ("compare", "--figures"),
    ("assign", "-o"),
]


def with_output(name: str, option: str, house: Path, folder: Path, output: object) -> list[object]:
    """A command that would succeed if it could write there."""
    begin = sound(name, house, folder)
    place = begin.index("-o")
    return [*begin[:place], *begin[place + 2 :], option, output]


@pytest.mark.parametrize(("name", "option"), OUTPUTS)
def test_outputs_that_cannot_be_written_are_refused(house: Path, tmp_path: Path, name: str, option: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    os.mkfifo(tmp_path / "pipe")
    places = [tmp_path / "none" / "x", tmp_path / "file" / "x", tmp_path / LONG, tmp_path / "pipe", Path("/proc/x")]
    places += [Path("/dev/full"), Path("/dev/null/x")]
    whole = name != "explore" and option != "--figures"
    places += [tmp_path / "folder", Path("/")] if whole else [tmp_path / "file"]
    for place in places:
        refused(*with_output(name, option, house, tmp_path, place), names=place, below=tmp_path)
    for text in ("", "a\0b"):
        refused(*with_output(name, option, house, tmp_path, text), names=option, below=tmp_path)


def outputs_of_segments(house: Path, output: object) -> list[object]:
    return ["simulate", house / "w.swf.gz", "--policy", "scojo", "--segments", output]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_segments_that_cannot_be_written_are_refused(house: Path, tmp_path: Path, ending: str) -> None:
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "none" / f"x{ending}", tmp_path / "folder", Path("/proc/x"), Path("/dev/full")):
        refused(*outputs_of_segments(house, place), names=place, below=tmp_path)
    with full_disk(20):
        refused(*outputs_of_segments(house, tmp_path / f"x{ending}"), names=tmp_path / f"x{ending}", below=tmp_path)
    refused(*outputs_of_segments(house, house / "w.swf.gz"), names="--segments would overwrite the workload log")
    easy = ("simulate", house / "w.swf.gz", "--policy", "easy", "-o", tmp_path / "out.csv")
    refused(*easy, "--segments", tmp_path / "x", names="EASY preempts nothing", below=tmp_path)


@pytest.mark.parametrize(("name", "option"), OUTPUTS)
def test_outputs_in_a_folder_of_somebody_else_are_refused(house: Path, tmp_path: Path, name: str, option: str) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("RUN BY ROOT, who may write everywhere: read-only folders were not tried")
    refused(*with_output(name, option, house, tmp_path, folder / "x"), names=folder / "x", below=tmp_path)


def test_trainings_are_not_kept_where_nothing_can_be_written(house: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for place in (tmp_path / "none" / "x", tmp_path / "file", Path("/proc/x"), tmp_path / LONG, house, house / "run"):
        for name in ("train", "rules"):
            refused(*sound(name, house, tmp_path), "--run", place, names=place, below=tmp_path)


def test_logs_are_not_downloaded_to_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for place in (tmp_path / "none", tmp_path / "file", Path("/proc"), tmp_path / LONG):
        refused("fetch", "CTC-SP2", "-o", place, names=place, below=tmp_path)


@contextmanager
def full_disk(bytes_: int) -> Iterator[None]:
    """No file can grow beyond some bytes; what a full disk does, but for the words."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(("name", "option"), [o for o in OUTPUTS if o[1] != "--figures"])
def test_a_full_disk_is_one_line_and_leaves_nothing(house: Path, tmp_path: Path, name: str, option: str) -> None:
    output = tmp_path / ("out.html" if name.startswith("explain") else "out")
    arguments = with_output(name, option, house, tmp_path, output)
    for bytes_ in (0, 20):
        with full_disk(bytes_):  # a training without --run is kept in the system's folder for such files
            said = refused(*arguments, names="" if name in ("train", "rules") else output, below=tmp_path)
        assert "cannot" in said
    output.unlink(missing_ok=True)
    done(*arguments)  # it was the disk


def test_a_disk_that_fills_up_during_a_run_leaves_a_run_that_can_be_continued(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--population", 4)
    done(*explore, "--evaluations", 8)
    with full_disk(60_000):
        said = command(*explore, "--evaluations", 400)
    assert said.status == 2
    assert said.err.splitlines()[-1].startswith(f"paretosched explore: {tmp_path / 'run'}")
    assert "Traceback" not in said.err
    assert not list((tmp_path / "run").glob("*.part")) + list((tmp_path / "run").glob(".*"))
    again = done(*explore, "--evaluations", 400, "--json").json
    assert 8 <= again["replayed"] < 400
    (tmp_path / "whole").mkdir()
    done(*explore[:2], "-o", tmp_path / "whole" / "run", "--population", 4, "--evaluations", 400)
    fronts = [folder / "run" / "front.parquet" for folder in (tmp_path, tmp_path / "whole")]
    assert fronts[0].read_bytes() == fronts[1].read_bytes()


# --- fronts, policies, groups, runs -------------------------------------------------------------------------------


def test_what_is_no_front_is_refused(house: Path, tmp_path: Path) -> None:
    sound_front = (house / "front.parquet").read_bytes()
    bad: dict[str, bytes] = {
        "empty": b"",
        "text": b"UTIL,AWRT\n1,2\n",
        "binary": random.Random(2).randbytes(9000),
        "cut": sound_front[: len(sound_front) // 2],
        "no end": sound_front[:-4],
        "no start": sound_front[100:],
        "log": (house / "w.swf.gz").read_bytes(),
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    table = parquet.read_table(house / "front.parquet")
    about = json.loads(table.schema.metadata[b"paretosched"])
    run = about["runs"][0]

    def put(name: str, made: pa.Table, **change: Any) -> None:
        whole = {"paretosched": json.dumps(about | change)} if change != {"none": 0} else None
        parquet.write_table(made.replace_schema_metadata(whole), tmp_path / name)

    put("no metadata", table, none=0)
    put("other format", table, format="front of somebody else 1")
    put("no columns", table.select([]))
    put("one column less", table.drop_columns(["day K2"]))
    put("text column", table.set_column(0, "UTIL", pa.array(["x"] * len(table))))
    put("gaps", table.set_column(0, "UTIL", pa.array([None] * len(table), pa.float64())))
    put("gaps in runs", table.set_column(len(table.column_names) - 2, "run", pa.array([None] * len(table), pa.int64())))
    put("infinite", table.set_column(0, "UTIL", pa.array([float("inf")] * len(table))))
    put("wild genes", table.set_column(7, "weekend w1", pa.array([1e300] * len(table))))
    put("no rows' run", table, runs=[])
    put("groups", table, groups=["1", "2"])
    put("no groups", table, groups=None)
    put("runs", table, runs=3)
    for key, value in (("seed", "1"), ("evaluations", "many"), ("evaluations", -1), ("population", 1.5), ("name", 3),
                       ("backfill", "some"), ("versions", 7), ("nonsense", 1), ("algorithm", [1]),
                       ("name", "\ud800")):  # fmt: skip
        put(f"{key} {value!r:.8}".replace("\\", ""), table, runs=[run | {key: value}])
    fronts = [path for path in tmp_path.iterdir() if path.name != "out"] + [tmp_path / "none", tmp_path / LONG]
    assert len(fronts) == 34
    for path in fronts:
        for arguments in (
            ("simulate", house / "w.swf.gz", "--front", path, "--save-policy", tmp_path / "out"),
            ("front", house / "run", path, "-o", tmp_path / "out"),
            ("front", path),
            ("compare", house / "w.swf.gz", "--front", path, "-o", tmp_path / "out"),
            ("app", path, "--port", 0),
        ):
            refused(*arguments, names=path)
    assert not (tmp_path / "out").exists()


@settings(LEISURE, max_examples=60)
@given(data=st.data())
def test_a_damaged_front_is_read_as_it_was_or_refused(house: Path, tmp_path: Path, data: st.DataObject) -> None:
    whole = (house / "front.parquet").read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.integers(0, 4))
    (tmp_path / "front").write_bytes(whole[:place] + data.draw(st.binary(max_size=4)) + whole[place + cut :])
    said = command("simulate", house / "w.swf.gz", "--front", tmp_path / "front")
    if said.status == 0:
        again, front = ps.load_front(tmp_path / "front"), ps.load_front(house / "front.parquet")
        assert again.values.tobytes() == front.values.tobytes()
        assert again.genomes.tobytes() == front.genomes.tobytes()
    else:
        assert re.fullmatch(r"paretosched simulate: \S+/front: [^\n]+\n", said.err), said
        assert (said.status, said.out) == (2, "")


def test_fronts_of_other_workloads_are_refused_where_they_must_fit(house: Path, tmp_path: Path) -> None:
    done("generate", "lublin", "--jobs", 40, "-o", tmp_path / "v.swf")
    done("explore", tmp_path / "v.swf", "-o", tmp_path / "run", "--evaluations", 8, "--population", 4)
    assert "capacity and groups" in refused("compare", house / "w.swf.gz", "--front", tmp_path / "run", names="front")
    both = ("compare", house / "w.swf.gz", tmp_path / "v.swf")
    done(*both, "--front", tmp_path / "run", "--front", house / "run")
    assert "there are two of v" in refused(
        *both, "--front", tmp_path / "run", "--front", tmp_path / "run", names="front"
    )
    done("generate", "lublin", "--jobs", 30, "-o", tmp_path / "u.swf")
    for fronts in (["--front", tmp_path / "run"], ["--front", house / "run", "--front", tmp_path / "run"]):
        said = refused("compare", house / "w.swf.gz", tmp_path / "u.swf", *fronts, names="front")
        assert "front must be of one of the workloads: jobs, capacity and groups, but it is of v" in said
    assert "one workload" in refused("front", house / "run", tmp_path / "run", names="fronts")
    trace = ("simulate", house / "w.swf.gz", "--groups", "swf")
    assert "groups" in refused(*trace, "--front", house / "run", names="policy")
    assert "groups" in refused(*trace, "--policy", house / "p.json", names="policy")
    assert "groups" in refused("compare", *trace[1:], "--policy", house / "p.json", names="policy")


def policies(house: Path) -> dict[str, bytes]:
    text = (house / "p.json").read_text()
    value = json.loads(text)
    day = value["situations"]["day"]

    def changed(**change: Any) -> bytes:
        return json.dumps(value | change).encode()

    def of_day(**change: Any) -> bytes:
        return changed(situations=value["situations"] | {"day": day | change})

    return {
        "empty": b"",
        "binary": random.Random(3).randbytes(999),
        "cut": text[: len(text) // 2].encode(),
        "a list": b"[1, 2]",
        "a number": b"7",
        "deep": b"[" * 100_000,
        "other format": changed(format="x"),
        "other rule": changed(rule="best"),
        "no groups": changed(groups=[]),
        "twice a group": changed(groups=["1"] * 5),
        "odd groups": changed(groups=[1, 2, 3, 4, 5]),
        "odd name": changed(name=5),
        "odd key": changed(colour="red"),
        "backfill": changed(backfill="some"),
        "no situations": changed(situations={}),
        "odd situations": changed(situations=[]),
        "criterion": of_day(criterion="f9"),
        "large": of_day(a=2),
        "negative": of_day(b=-1e-9),
        "nan": of_day(a=float("nan")),
        "infinite": of_day(a=float("inf")),
        "huge": of_day(a=10**400),
        "digits": text.replace('"a": ', '"a": ' + "9" * 5000, 1).encode(),
        "text": of_day(a="1"),
        "null": of_day(a=None),
        "weights": of_day(w=[1, 2, 3]),
        "genes of a rule without": json.dumps(value | {"rule": "easy"}).encode(),
        **rule_bases(house),
    }


def rule_bases(house: Path) -> dict[str, bytes]:
    table, rules = (json.loads((house / f"{kind}.json").read_text()) for kind in ("iterative", "symbiotic"))
    one = rules["rules"][0]
    changes: dict[str, tuple[Any, dict[str, Any]]] = {
        "no kind": (table, {"kind": None}),
        "other kind": (table, {"kind": "symbiotic"}),
        "no greedy": (table, {"greedy": {}}),
        "greedy within": (table, {"greedy": rules}),
        "greedy with backfilling": (table, {"greedy": table["greedy"] | {"backfill": "easy"}}),
        "priority": (table, {"priority": table["groups"][1:]}),
        "bounds": (table, {"bounds": {}}),
        "no situation": (table, {"situations": []}),
        "odd situation": (table, {"situations": [[]]}),
        "strategy": (table, {"situations": [table["situations"][0] | {"strategy": "best"}]}),
        "interval": (table, {"situations": [table["situations"][0] | {"SD": "1..2"}]}),
        "too fine": (table, {"bounds": table["bounds"] | {key: list(range(1, 90)) for key in ("SD", "Um", "PRCWQ1")}}),
        "no rules": (rules, {"rules": []}),
        "odd rule": (rules, {"rules": [7]}),
        "level": (rules, {"rules": [one | {"recommends": {"greedy": 3}}]}),
        "nowhere": (rules, {"rules": [one | {"where": {}}]}),
        "narrow": (rules, {"rules": [one | {"where": one["where"] | {"SD": {"mean": 0, "width": 0}}}]}),
        "far": (rules, {"rules": [one | {"where": one["where"] | {"SD": {"mean": 1e300, "width": 1}}}]}),
    }
    return {f"rules, {name}": json.dumps(value | change).encode() for name, (value, change) in changes.items()}


def test_what_is_no_policy_is_refused(house: Path, tmp_path: Path) -> None:
    for name, data in policies(house).items():
        (tmp_path / f"{name}.json").write_bytes(data)
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    for path in [*tmp_path.iterdir(), tmp_path / "none.json", tmp_path / f"{LONG}.json", house / "w.swf.gz"]:
        for arguments in (
            ("simulate", house / "w.swf.gz", "--policy", path, "-o", tmp_path / "out"),
            ("compare", house / "w.swf.gz", "--policy", "fcfs", "--policy", path),
            ("explain", path, "-o", tmp_path / "out"),
        ):
            refused(*arguments, names=path)
    assert not (tmp_path / "out").exists()
    for rule in ("greedy", "EASY", ""):
        refused("explain", rule, names=rule or "POLICY")


def test_rule_bases_are_policies_like_others(house: Path, tmp_path: Path) -> None:
    both = [house / "iterative.json", house / "symbiotic.json"]
    for path in both:
        done("simulate", house / "w.swf.gz", "--policy", path, "-o", tmp_path / "out.csv")
        assert " rules" in done("simulate", house / "w.swf.gz", "--policy", path, "--estimates", "exact").out
        refused("simulate", house / "w.swf.gz", "--policy", path, "--estimates", "predicted", names="rule bases")
        assert "one of thirteen strategies" in " ".join(done("explain", path).out.split())
    said = done("compare", house / "w.swf.gz", "--policy", both[0], "--policy", both[1]).out
    assert "iterative rules" in said
    assert "symbiotic rules" in said
    refused("simulate", house / "w.swf.gz", "--groups", "swf", "--policy", both[0], names="groups")


def test_whatever_a_policy_says_of_its_origin_it_can_be_compared(house: Path, tmp_path: Path) -> None:
    value = json.loads((house / "p.json").read_text())
    wish = {"format": "paretosched wish 1", "sum": {"AWRT1": 10}}
    for origin in ({"wish": 7}, {"wish": wish | {"sum": {"AWRT9": 1}}}, {"wish": {"format": 3}}, {"wish": [wish]}, {}):
        (tmp_path / "p.json").write_text(json.dumps(value | {"provenance": origin}))
        assert "objective" not in done("compare", house / "w.swf.gz", "--policy", tmp_path / "p.json").out
    (tmp_path / "p.json").write_text(json.dumps(value | {"provenance": {"wish": wish}}))
    assert "objective: 10*AWRT1\n" in done("compare", house / "w.swf.gz", "--policy", tmp_path / "p.json").out


def test_what_is_no_list_of_groups_is_refused(house: Path, tmp_path: Path) -> None:
    bad = {
        "empty": b"",
        "binary": b"\xff\xfe\0\1",
        "heading": b"user,group\n",
        "columns": b"1,staff,x\n",
        "user": b"1,staff\nabc,staff\n",
        "twice": b"1,staff\n1,guests\n",
        "name": b"1,\n",
        "quotes": b'1,"staff\n',
        "huge": b"9" * 400 + b",x\n1,y\n1,z\n",
        "escape": b"1,\x1b[2J\n",
        "many": b"".join(b"%d,g%d\n" % (i, i) for i in range(100)),
    }
    for name, data in bad.items():
        (tmp_path / f"{name}.csv").write_bytes(data)
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    for path in [*tmp_path.iterdir(), tmp_path / "none.csv", tmp_path / LONG]:
        for arguments in takes_trace(house / "w.swf.gz", house, tmp_path):
            refused(*arguments, "--groups", path, names=path)
    assert not list(tmp_path.glob("out*"))


LIST_TOKENS = st.sampled_from(
    ["", "0", "-1", "nan", "inf", "1e400", "1_0", "a", "job", "node", "size", "workload", "speed", '"', '""', "\0",
     "\r", "\x1b[2J", "\u00e9", ",", "\n", " ", "9" * 5000, "1e15", "1e-7", "0.5"]
)  # fmt: skip


@settings(LEISURE, max_examples=150)
@given(data=st.data())
def test_damaged_lists_are_assigned_or_refused(house: Path, tmp_path: Path, data: st.DataObject) -> None:
    for name in ("jobs", "nodes", "past"):
        cells = re.split("([,\n])", (house / f"{name}.csv").read_text())
        for _ in range(data.draw(st.integers(0, 2))):
            cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(LIST_TOKENS)
        (tmp_path / f"{name}.csv").write_text("".join(cells), encoding="utf-8")
    method = data.draw(st.sampled_from(["fcfs", "random", "list", "lpt", "tga", "pgga"]))
    said = command(
        "assign", tmp_path / "jobs.csv", tmp_path / "nodes.csv", "--history", tmp_path / "past.csv", "--method", method,
        "--iterations", 2, "-o", tmp_path / "out.csv",
    )  # fmt: skip
    assert said.status in (0, 2), said
    if said.status == 2:
        assert re.fullmatch(r"paretosched assign: [^\n]+\n", said.err), said
        assert str(tmp_path) in said.err, said
    assert "Traceback" not in said.err


def test_what_is_no_list_is_refused(house: Path, tmp_path: Path) -> None:
    bad = {"empty": b"", "binary": b"\xff\xfe\0\1", "zeros": b"\0" * 99, "image": b"\x89PNG\r\n\x1a\n"}
    for name, data in bad.items():
        (tmp_path / f"{name}.csv").write_bytes(data)
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    jobs, nodes, past = (house / f"{name}.csv" for name in ("jobs", "nodes", "past"))
    for path in [*tmp_path.iterdir(), tmp_path / "none.csv", tmp_path / LONG, house / "w.swf.gz"]:
        refused("assign", path, nodes, names=path)
        refused("assign", jobs, path, names=path)
        refused("assign", jobs, nodes, "--history", path, names=path)
    for arguments in (("", nodes), (jobs, "a\0b"), (jobs, nodes, "--history", "")):
        assert "must be the name of a file" in refused("assign", *arguments)
    refused("assign", jobs, nodes, "--method", "lpt", "--population", 9, names="--population")
    refused("assign", jobs, nodes, "--history", past, "-o", past, names=past)


def test_estimates_that_nobody_can_know_are_refused(house: Path) -> None:
    run = ("simulate", house / "w.swf.gz", "--estimates")
    refused(*run, "predicted", "--policy", "conservative", names="conservative-replan")
    for source in ("recent", "predicted", "printed", "exact"):
        assert f"({source})" in done(*run, source, "--front", house / "run", "--row", 0).out


def damage(run: Path) -> Iterator[str]:
    """Damage a run in one way after the other; the caller puts it right in between."""
    about, store = run / "run.json", run / "run.sqlite"
    value = json.loads(about.read_text())
    texts = {
        "empty": "",
        "cut": about.read_text()[:100],
        "list": "[]",
        "other format": json.dumps(value | {"format": "x"}),
        "parameters": json.dumps(value | {"parameters": 3}),
        "no parameters": json.dumps(value | {"parameters": {}}),
        "sessions": json.dumps(value | {"sessions": 3}),
        "deep": "[" * 100_000,
        "digits": '{"format": ' + "9" * 5000 + "}",
    }
    for name, text in texts.items():
        about.write_text(text)
        yield f"run.json {name}"
    about.write_bytes(b"\xff\0")
    yield "run.json binary"
    about.unlink()
    yield "no run.json"
    about.unlink(missing_ok=True)
    about.mkdir()
    yield "run.json a folder"
    about.unlink()
    os.mkfifo(about)
    yield "run.json a pipe"
    data = store.read_bytes()
    for name, changed in {
        "binary": random.Random(4).randbytes(9000),
        "cut": data[:5000],
        "head": b"x" * 100 + data[100:],
        "text": b"not a database",
    }.items():
        store.write_bytes(changed)
        yield f"run.sqlite {name}"
    store.unlink()
    store.mkdir()
    yield "run.sqlite a folder"
    for change in (
        "delete from evaluation where number = 3",
        "update evaluation set genome = x'00' where number = 3",
        "update evaluation set objectives = 'text' where number = 3",
        "update evaluation set seconds = 'text' where number = 3",
        "update evaluation set genome = zeroblob(312) where number = 3",
        "update evaluation set objectives = x'000000000000f07f' || zeroblob(48) where number = 3",
        "drop table evaluation; create table evaluation (x)",
    ):
        connection = sqlite3.connect(store)
        connection.executescript(change)
        connection.close()
        yield change


def test_a_damaged_run_is_refused_and_left_as_it_is(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(house / "run", run)
    damages = damage(run)
    count = 0
    for what in damages:
        before = {name: data for name, data in files(run).items() if not name.endswith(("-wal", "-shm"))}
        said = command("explore", house / "w.swf.gz", "-o", run, "--evaluations", 16, "--population", 4)
        assert said.status == 2, (what, said)
        assert said.out == ""
        *remarks, line = said.err.splitlines()
        assert line.startswith(f"paretosched explore: {run}"), (what, said)
        assert all(remark.startswith("paretosched: exploring: ") for remark in remarks), (what, said)
        after = {name: data for name, data in files(run).items() if not name.endswith(("-wal", "-shm"))}
        assert after.keys() == before.keys(), what
        kept = [name for name in after if name.startswith("run.sqlite")]
        assert [after[name] for name in kept] == [before[name] for name in kept], what
        for path in run.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
        for path in (house / "run").iterdir():
            shutil.copy(path, run)
        count += 1
    assert count == 25


def test_a_folder_of_something_else_is_no_run(house: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    refused(*sound("explore", house, tmp_path)[:2], "-o", tmp_path, names=tmp_path, below=tmp_path)
    (tmp_path / "run.sqlite").write_text("not ours")
    refused(*sound("explore", house, tmp_path)[:2], "-o", tmp_path, names=tmp_path, below=tmp_path)


def test_a_few_as_processes(house: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.swf").write_text("1 2 3\n")
    for arguments, line in {
        ("info", tmp_path / "bad.swf"): f"info: {tmp_path / 'bad.swf'}:1: a job line must have 18 columns, "
        "but this one has 3",
        ("explore", house / "w.swf.gz", "-o", "/proc/run"): "explore: /proc/run: cannot make a run directory here: "
        "No such file or directory",
        ("generate", "lublin", "--jobs", 10**12, "-o", tmp_path / "x"): "generate: jobs must be in 1..20000000, "
        "but is 1000000000000",
    }.items():  # fmt: skip
        said = process(*arguments)
        assert (said.returncode, said.stdout, said.stderr) == (2, "", f"paretosched {line}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.swf"]
