"""The command line says what the library says, in tables and in JSON, and leaves with the right status."""

from __future__ import annotations

import csv
import http.server
import json
import os
import pty
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.cli import command_line as cli
from paretosched.fronts.front import extremes
from paretosched.policies.policy import save_policy, to_json
from paretosched.training.symbiosis import Symbiosis
from support.commands import COMMANDS, command, done, environment, files, log, process

EXPENSIVE = "numpy numba pymoo pandas plotly pyarrow rich dask distributed moocore scipy cma dash flask"

# Three groups and queues, own job numbers, waits; jobs 12 and 9 are wide and wait for each other.
RECORD = log(
    "10 100  0 50 4 -1 -1 4 60 -1 1 5 1 -1 0",
    "12 110 40 30 8 -1 -1 8 30 -1 1 6 2 -1 1",
    "9  120 60 20 8 -1 -1 8 40 -1 1 5 1 -1 0",
    "11 130  0 10 2 -1 -1 2 15 -1 1 7 3 -1 1",
    "13 140  0  0 2 -1 -1 2 15 -1 0 7 3 -1 1",
    header="MaxProcs: 8\nQueue: 0 short\nQueue: 1 long\nUnixStartTime: 0\nTimeZoneString: UTC",
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated workload, two runs on it, and a log with a record."""
    folder = tmp_path_factory.mktemp("house")
    done("generate", "lublin", "--jobs", 200, "--processors", 64, "--seed", 3, "-o", folder / "w.swf.gz")
    for name, seed in (("run", 0), ("other", 1)):
        explore = ("explore", folder / "w.swf.gz", "-o", folder / name)
        done(*explore, "--evaluations", 36, "--population", 12, "--seed", seed)
    (folder / "record.swf").write_text(RECORD)
    return folder


@pytest.fixture(scope="module")
def workload(house: Path) -> ps.Workload:
    return ps.read_swf(house / "w.swf.gz")


def numbers(text: str) -> list[float]:
    return [float(word.replace(",", "")) for word in re.findall(r"-?[\d,]*\d(?:\.\d+)?", text)]


def columns(out: str, first: str) -> list[list[str]]:
    """The lines of the table whose header begins with a word, cut where its rule has gaps."""
    lines = out.splitlines()
    top = next(i for i, line in enumerate(lines) if line.startswith(first) and set(lines[i + 1]) == {"-", " "})
    spans = [match.span() for match in re.finditer("-+", lines[top + 1])]
    rows = []
    for line in lines[top + 2 :]:
        if not line.strip():
            break
        rows.append([line[a:b].strip() for a, b in spans])
    return rows


# --- help ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_is_quick_and_teaches_by_examples_that_parse(name: str | None) -> None:
    script = (
        "import sys\nfrom paretosched.cli.command_line import main\n"
        f"try: main({[name] if name else []} + ['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        f"print('imported', [m for m in {EXPENSIVE.split()} if m in sys.modules])\n"
    )
    said = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=True)
    *help_, imported = said.stdout.splitlines()
    assert imported == "imported []"
    assert said.stderr == ""
    examples = [line for line in help_ if line.startswith("  paretosched ")]
    assert examples
    for line in examples:
        parsed = cli._parser().parse_args(shlex.split(line)[1:])
        assert name in (None, parsed.command)
    if name is None:
        assert [line.split()[0] for line in help_ if re.match(r"    [a-z]+  ", line)] == list(COMMANDS)


def test_the_version_is_that_of_the_package() -> None:
    assert done("--version").out == f"paretosched {ps.__version__}\n"


# --- workloads ----------------------------------------------------------------------------------------------------


def test_generate_writes_what_the_library_makes(tmp_path: Path) -> None:
    target = tmp_path / "w.swf"
    said = done("generate", "lublin", "--jobs", 50, "--processors", 64, "--seed", 5, "-o", target)
    made = ps.lublin(50, 64, 5)
    ps.write_swf(made, tmp_path / "ours.swf")
    assert target.read_bytes() == (tmp_path / "ours.swf").read_bytes()
    assert said.out == f"{target}: 50 jobs on 64 processors, offered load {load(made):.3f}\n"
    assert said.err == ""
    options = ("--variant", "two-type", "--estimates", "exact", "--no-carry")
    said = done("generate", "lublin", "--jobs", 50, "--seed", 5, *options, "-o", target, "--json")
    made = ps.lublin(50, 128, 5, variant="two-type", estimates="exact", carry=False)
    assert said.json == {"file": str(target), "jobs": 50, "capacity": 128, "load": load(made)}
    assert ps.read_swf(target).digest == made.digest


def load(made: ps.Workload) -> float:
    return made.work / (made.capacity * int(made.submit[-1] - made.submit[0]))


def test_one_job_has_no_load(tmp_path: Path) -> None:
    said = done("generate", "lublin", "--jobs", 1, "-o", tmp_path / "w.swf")
    assert said.out == f"{tmp_path / 'w.swf'}: 1 jobs on 128 processors\n"
    assert "offered load -;" in done("info", tmp_path / "w.swf").out
    assert done("info", tmp_path / "w.swf", "--json").json["load"] is None


def test_info_says_what_describe_says(house: Path) -> None:
    about = ps.describe(ps.read_swf(house / "record.swf"))
    assert done("info", house / "record.swf", "--json").json == about
    said = done("info", house / "record.swf")
    assert said.err == ""
    assert said.out.splitlines()[:4] == [
        "record",
        "  4 jobs of 3 users on 8 processors",
        "  submitted 1970-01-01 00:01:40+00:00 to 1970-01-01 00:02:10+00:00, UTC: 0.0 days",
        "  offered load 2.583; serial jobs 0.0 %; recorded waits for 100.0 %",
    ]
    assert columns(said.out, "quantiles")[0] == ["run time s", "10", "10", "20", "30", "50", "50"]
    assert columns(said.out, "quantiles")[3] == ["next job after s", "10", "10", "10", "10", "10", "10"]
    assert [row[0] for row in columns(said.out, "situation")] == ["weekend", "day", "night"]
    assert columns(said.out, "action") == [["dropped", "1", "run time unknown or 0: never ran", "line 10 (job 13)"]]
    groups = columns(said.out, "group")
    assert [row[:3] for row in groups] == [[g["group"], str(g["users"]), str(g["jobs"])] for g in about["groups"]]


def test_info_says_when_nothing_was_repaired(house: Path) -> None:
    assert done("info", house / "w.swf.gz").out.endswith("\nnothing was dropped or repaired\n")


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ("consumption", ["1", "2", "3", "4", "5"]),
        ("swf", ["1", "2", "3"]),
        ("queue", ["short", "long"]),
        ("50,10", ["1", "2", "3"]),
        ("12.5", ["1", "2"]),
    ],
)
def test_groups_are_those_asked_for(house: Path, how: str, names: list[str]) -> None:
    about = done("info", house / "record.swf", "--groups", how, "--json").json
    assert [group["group"] for group in about["groups"]] == names
    assert sum(group["jobs"] for group in about["groups"]) == 4
    measured = done("simulate", house / "record.swf", "--groups", how, "--json").json
    assert [key for key in measured if key.startswith("AWRT")] == ["AWRT", *(f"AWRT{i + 1}" for i in range(len(names)))]


def test_groups_of_an_owner_come_from_a_csv_file(house: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("user,group\n5,staff\n6,guests\n")
    about = done("info", house / "record.swf", "--groups", own, "--json").json
    assert {group["group"]: group["jobs"] for group in about["groups"]} == {"staff": 2, "guests": 1, "other": 1}
    said = done("simulate", house / "record.swf", "--groups", own)
    assert [row[-1] for row in columns(said.out, "objective")][2:] == [f"AWRT of group {g}" for g in about_names(about)]


def about_names(about: dict[str, list[dict[str, str]]]) -> list[str]:
    return [group["group"] for group in about["groups"]]


def test_capacity_replaces_that_of_the_log(house: Path) -> None:
    assert done("info", house / "record.swf", "--capacity", 16, "--json").json["capacity"] == 16
    about = done("info", house / "record.swf", "--capacity", 4, "--json").json
    assert about["jobs"] == 2
    reasons = [repair["reason"] for repair in about["repairs"] if repair["action"] == "dropped"]
    assert "wider than the machine of 4 processors" in reasons
    narrow = done("simulate", house / "record.swf", "--capacity", 4)
    assert narrow.out.startswith("EASY on record: 2 jobs, 4 processors\n")
    trace = house / "record.swf"
    assert narrow.err == f"paretosched: {trace}: 2 jobs; 3 dropped (paretosched info says which and why)\n"


def test_scale_writes_what_the_library_makes(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    target = tmp_path / "s.swf.gz"
    scale = ("scale", house / "w.swf.gz", "-o", target)
    done(*scale, "--processors", 150, "--factor", 2.45, "--seed", 4)
    expected = ps.scale(workload, 150, 2.45, 4)
    assert ps.read_swf(target).digest == expected.digest
    said = done(*scale, "--processors", 128, "--jobs", 321, "--json")
    assert said.json == {"file": str(target), "jobs": 321, "capacity": 128, "load": load(ps.read_swf(target))}
    assert ps.read_swf(target).digest == ps.scale(workload, 128, jobs=321).digest
    done(*scale)
    assert ps.read_swf(target).capacity == 1024


def test_scale_remarks_what_it_narrowed(house: Path, tmp_path: Path) -> None:
    target = tmp_path / "s.swf"
    said = done("scale", house / "record.swf", "--processors", 16, "--factor", 3, "--jobs", 8, "-o", target)
    assert "1 dropped" in said.err.splitlines()[0]
    assert re.fullmatch(
        rf"paretosched: {re.escape(str(target))}: changed \d jobs: "
        r"scaled beyond the machine: narrowed to 16 processors \(job \d.*\)",
        said.err.splitlines()[1],
    )


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, house: Path) -> Iterator[Path]:
    """A mirror of the archive on this machine; the log it has is one whose checksum is not known."""
    folder = tmp_path / "archive"
    (folder / "l_ricc").mkdir(parents=True)
    (folder / "l_ricc" / "RICC-2010-2.swf.gz").write_bytes((house / "w.swf.gz").read_bytes())
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("PARETOSCHED_ARCHIVE", f"http://127.0.0.1:{server.server_port}")
        yield folder
        server.shutdown()
        thread.join()


def test_fetch_downloads_once(archive: Path, tmp_path: Path) -> None:
    target = tmp_path / "RICC-2010-2.swf.gz"
    said = done("fetch", "ricc", "-o", tmp_path)
    assert said.out == f"{target}\n"
    size = target.stat().st_size
    assert said.err == f"paretosched: downloading: {size:,} of {size:,} bytes\n"
    assert target.read_bytes() == (archive / "l_ricc" / target.name).read_bytes()
    (archive / "l_ricc" / target.name).unlink()
    again = done("fetch", "RICC", "-o", tmp_path, "--json")
    assert again.json == {"file": str(target)}
    assert again.err == ""


def test_fetch_names_what_the_server_does_not_have_and_leaves_nothing(archive: Path, tmp_path: Path) -> None:
    before = files(tmp_path)
    said = command("fetch", "HPC2N", "-o", tmp_path)
    assert said.status == 2
    assert said.out == ""
    assert re.fullmatch(
        r"paretosched fetch: http://\S+HPC2N-2002-2.2-cln.swf.gz: the server answers 404 .*\n", said.err
    )
    assert files(tmp_path) == before


# --- schedules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["fcfs", "list", "easy", "conservative", "conservative-replan"])
def test_simulate_prints_and_writes_what_the_library_gives(
    house: Path, workload: ps.Workload, tmp_path: Path, policy: str
) -> None:
    target = tmp_path / "schedule.csv"
    schedule = ps.simulate(workload, policy)
    values = ps.objectives(schedule)
    names = [o.name for o in ps.objective_table(workload.groups)]
    said = done("simulate", house / "w.swf.gz", "--policy", policy, "-o", target)
    assert said.err == ""
    rows = columns(said.out, "objective")
    assert [row[0] for row in rows] == names
    assert [row[1] for row in rows] == [f"{value:,.2f}" for value in values]
    assert [row[2:4] for row in rows] == [["%", ""], *(["s", f"{value / 3600:,.2f}"] for value in values[1:])]
    measured = done("simulate", house / "w.swf.gz", "--policy", policy, "--json").json
    assert [measured[name] for name in names] == values.tolist()
    assert measured["digest"] == workload.digest
    assert measured["policy"] == schedule.name
    with target.open(newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == ["job", "submit", "start", "finish", "processors", "user", "group"]
    w = workload
    expected = zip(w.job, w.submit, schedule.start, schedule.finish, w.width, w.user, w.group + 1, strict=True)
    assert [[int(cell) for cell in row] for row in table[1:]] == [list(row) for row in expected]


def test_simulate_shares_time(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    schedule = ps.simulate(workload, "scojo-opt").check()
    outputs = ("-o", tmp_path / "s.csv", "--segments", tmp_path / "s.parquet", "--save-policy", tmp_path / "p.json")
    said = done("simulate", house / "w.swf.gz", "--policy", "scojo-opt", *outputs)
    assert said.err == ""
    assert said.out.startswith("SCOJO-PECT optimised on w: 200 jobs, 64 processors\n")
    rows = columns(said.out, "objective")
    assert [row[1] for row in rows] == [f"{value:,.2f}" for value in ps.objectives(schedule)]
    assert "slowdown (600 s)" in said.out
    assert "nodes of search trees visited" in said.out
    again = ps.load_segments(workload, tmp_path / "s.parquet").check()
    assert again.start.tolist() == schedule.start.tolist()
    assert again.finish.tolist() == schedule.finish.tolist()
    lines = (tmp_path / "s.csv").read_text().splitlines()[1:]
    assert [int(line.split(",")[3]) for line in lines] == schedule.finish.tolist()
    measured = done("simulate", house / "w.swf.gz", "--policy", tmp_path / "p.json", "--json").json
    assert schedule.searched is not None
    assert measured["searched"] == {key: list(value) for key, value in schedule.searched._asdict().items()}
    assert measured["AWRT"] == ps.objectives(schedule)[1]
    assert measured["estimates"] == "exact"
    plain = tmp_path / "estimates.json"
    plain.write_text(json.dumps(json.loads((tmp_path / "p.json").read_text()) | {"run_times": "estimates"}))
    assert done("simulate", house / "w.swf.gz", "--policy", plain, "--json").json["estimates"] == "requested"
    other = command("simulate", house / "w.swf.gz", "--policy", plain, "--estimates", "exact")
    assert (other.status, other.err.count("\n")) == (2, 1)
    assert "run_times" in other.err
    assert len(measured["classes"]) == 16
    compared = done("compare", house / "w.swf.gz", "--policy", tmp_path / "p.json", "--json").json
    assert [row["AWRT"] for row in compared if row["policy"] == "SCOJO-PECT optimised"] == [measured["AWRT"]]


def test_the_policy_is_easy_by_default(house: Path) -> None:
    plain = done("simulate", house / "w.swf.gz")
    assert plain.out.startswith("EASY on w: 200 jobs, 64 processors\n")
    assert plain.out == done("simulate", house / "w.swf.gz", "--policy", "easy").out


def test_the_schedule_has_the_job_numbers_of_the_log(house: Path, tmp_path: Path) -> None:
    target = tmp_path / "schedule.csv"
    done("simulate", house / "record.swf", "--policy", "recorded", "--groups", "queue", "-o", target)
    # start = submit + wait
    assert target.read_text().splitlines() == [
        "job,submit,start,finish,processors,user,group",
        "10,100,100,150,4,5,short",
        "12,110,150,180,8,6,long",
        "9,120,180,200,8,5,short",
        "11,130,130,140,2,7,long",
    ]


def test_a_recorded_schedule_that_could_not_be_is_remarked(house: Path, tmp_path: Path) -> None:
    feasible = done("simulate", house / "record.swf", "--policy", "recorded")
    assert "feasible" not in feasible.err
    history = tmp_path / "history.swf"
    history.write_text(RECORD.replace("110 40", "110 39"))
    remark = (
        "paretosched: not feasible: recorded: the machine has 8 processors, "
        "but 12 are in use from second 149 on, and more than it has in 1 intervals\n"
    )
    said = done("simulate", history, "--policy", "recorded")
    assert said.err.endswith(remark)
    assert said.out.startswith("recorded on history: 4 jobs, 8 processors\n")
    assert done("compare", history, "--policy", "recorded").err.endswith(remark)


@pytest.mark.parametrize("name", ["simulate", "compare"])
def test_generated_and_scaled_workloads_have_no_recorded_schedule(house: Path, tmp_path: Path, name: str) -> None:
    done("scale", house / "record.swf", "--processors", 32, "-o", tmp_path / "scaled.swf")
    for trace in (house / "w.swf.gz", tmp_path / "scaled.swf"):
        said = command(name, trace, "--policy", "recorded")
        assert said.status == 2
        assert said.out == ""
        about = ps.read_swf(trace).name
        assert said.err == (
            f"paretosched {name}: {about}: no job has a recorded wait, so there is no recorded schedule "
            "(was it generated or scaled?)\n"
        )


def test_a_schedule_of_a_front_can_be_had_as_a_policy(house: Path, tmp_path: Path) -> None:
    trace, run, saved = house / "w.swf.gz", house / "run", tmp_path / "p.json"
    explored = ps.load_front(run)
    names = [o.name for o in explored.objectives]
    for row in (0, len(explored) // 2, len(explored) - 1):
        of_front = done("simulate", trace, "--front", run, "--row", row, "--save-policy", saved, "--json")
        of_file = done("simulate", trace, "--policy", saved, "--json")
        assert [of_front.json[name] for name in names] == explored.values[row].tolist()
        assert of_file.json == of_front.json
    assert done("simulate", trace, "--front", run).out == done("simulate", trace, "--front", run, "--row", 0).out
    assert ps.load_policy(saved).provenance["run"] == "run"


def test_a_policy_explored_elsewhere_is_applied_and_remarked(house: Path, tmp_path: Path) -> None:
    done("generate", "lublin", "--jobs", 80, "--seed", 9, "-o", tmp_path / "new.swf")
    said = done("simulate", tmp_path / "new.swf", "--front", house / "run")
    assert said.err == (
        f"paretosched: {house / 'run'} was explored on another workload; its policy was applied to this one\n"
    )


# --- fronts -------------------------------------------------------------------------------------------------------


def stored(run: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(run / "run.sqlite")
    rows = connection.execute("select number, generation, genome, objectives from evaluation order by number")
    found = rows.fetchall()
    connection.close()
    return found


def test_explore_finds_what_the_library_finds(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    front = ps.explore(workload, tmp_path / "run", evaluations=36, population=12)
    assert (tmp_path / "run" / "front.parquet").read_bytes() == (house / "run" / "front.parquet").read_bytes()
    said = done(
        "explore", house / "w.swf.gz", "-o", tmp_path / "json", "--evaluations", 36, "--population", 12, "--json"
    )
    found = said.json
    assert found["run"] == str(tmp_path / "json")
    assert found["size"] == found["front"] == len(front)
    assert (found["evaluations"], found["total"], found["replayed"]) == (36, 36, 0)
    best = {o.name: front.values[row, j] for j, (o, row) in enumerate(extremes(front))}
    assert found["best"] == pytest.approx(best, rel=0, abs=0)
    assert said.err.splitlines()[-1] == f"paretosched: exploring: 36 of 36, front {len(front)}"


def test_explore_says_what_was_found_and_what_to_do_next(house: Path, tmp_path: Path) -> None:
    trace = tmp_path / "my log.swf"  # a name that a shell would cut
    trace.write_bytes((house / "record.swf").read_bytes())
    explore = ("explore", trace, "--groups", "queue", "--capacity", 9, "-o", tmp_path / "run")
    said = done(*explore, "--evaluations", 8, "--population", 4, "--backfill", "none", "--algorithm", "random")
    front = ps.load_front(tmp_path / "run")
    assert said.out.startswith("8 schedules explored (8 now, in ")
    assert f"{len(front):,} of them are not dominated by another one\n" in said.out
    ends = extremes(front)
    table = columns(said.out, "best in")
    table.pop()  # below stands the legend: groups that are not just numbered are named
    assert f"\nAWRT1 is group {front.groups[0]}, AWRT2 is group {front.groups[1]}" in said.out
    hours = np.where([o.unit == "s" for o in front.objectives], 3600.0, 1.0)
    for line, (o, row) in zip(table, ends, strict=True):
        values = [f"{x:,.2f}" for x in front.values[row] / hours]
        assert line == [o.name, *values, str(row), str(front.evaluation[row])]
    assert "1 dropped" in said.err.splitlines()[-1]
    for hint in said.out.partition("next: ")[2].splitlines():
        name, *arguments = shlex.split(hint)[1:]
        again = done(name, *[tmp_path / a if a in ("report.html", "policy.json") else a for a in arguments])
        assert "another workload" not in again.err
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "policy.json").exists()


def test_explore_continues_a_run_and_refuses_to_mix_it(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--population", 12)
    done(*explore, "--evaluations", 24)
    said = done(*explore, "--evaluations", 36)
    assert said.out.startswith("36 schedules explored (12 now, in ")
    assert (tmp_path / "run" / "front.parquet").read_bytes() == (house / "run" / "front.parquet").read_bytes()
    again = done(*explore, "--evaluations", 36)
    assert again.out.startswith("36 schedules explored (0 now, in ")
    assert again.err.endswith(f"{tmp_path / 'run'} had 36 evaluations already; nothing was left to do\n")
    before = files(tmp_path)
    for other, fact in (
        (("--seed", 1), "its seed is 0, not 1"),
        (("--backfill", "none"), "its backfill is easy, not none"),
        (("--algorithm", "random"), "its algorithm is nsga2, not random"),
        (("--population", 4), "its population is 12, not 4"),
        (("--capacity", 65), "its workload is "),
        (("--groups", "8"), "its workload is "),
    ):
        refused = command(*explore, "--evaluations", 36, *other)
        assert refused.status == 2
        rule = f"paretosched explore: {tmp_path / 'run'}: a run is continued with its own parameters, but {fact}"
        assert refused.err.startswith(rule)
        assert refused.err.count("\n") == 1
    assert files(tmp_path) == before


def test_worker_processes_find_the_same_as_threads(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 36, "--population", 12)
    said = process(*explore, "--workers", 1)
    assert said.returncode == 0, said
    assert stored(tmp_path / "run") == stored(house / "run")
    assert all(line.startswith("paretosched: exploring: ") for line in said.stderr.splitlines())


def test_train_finds_what_the_library_finds(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    words = "10*AWRT1 + 4*AWRT2, UTIL >= 1 %"
    short = ("--generations", 2, "--seed", 3)
    train = ("train", house / "w.swf.gz", "--objective", words, *short)
    said = done(*train, "-o", tmp_path / "p.json")
    training = ps.train(workload, ps.as_wish(words, workload.groups), generations=2, seed=3)
    assert ps.load_policy(tmp_path / "p.json").genes.tobytes() == training.policy.genes.tobytes()
    assert ps.load_policy(tmp_path / "p.json").provenance == training.policy.provenance
    assert training.text() in said.out
    assert said.out.startswith("910 policies tried for 10*AWRT1 + 4*AWRT2, UTIL >= 1 in ")
    assert said.err.splitlines()[-1].startswith("paretosched: training: 910 of 910, ")
    name, *arguments = shlex.split(said.out.partition("next: ")[2])[1:]
    assert training.policy.name in done(name, *arguments).out
    ps.save_wish(training.wish, tmp_path / "wish.json")
    again = done("train", house / "w.swf.gz", "--objective", tmp_path / "wish.json", *short, "-o", tmp_path / "q.json",
                 "--workers", 1, "--json")  # fmt: skip
    assert (tmp_path / "q.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    found = again.json
    assert found["systems"] == training.rows()
    assert (found["policy"], found["evaluations"]) == (str(tmp_path / "q.json"), 910)


def test_train_takes_several_logs_and_keeps_a_part_back(house: Path, tmp_path: Path) -> None:
    done("generate", "lublin", "--jobs", 150, "--processors", 32, "--seed", 4, "-o", tmp_path / "v.swf")
    said = done("train", house / "w.swf.gz", tmp_path / "v.swf", "--objective", "AWRT1", "-o", tmp_path / "p.json",
                "--train-until", 0.6, "--over", "ratio", "--criterion", "f2", "--generations", 1, "--backfill", "none",
                "--strategy", "cma", "--scale", "log", "--json")  # fmt: skip
    shown = done("train", house / "w.swf.gz", tmp_path / "v.swf", "--objective", "AWRT1 <= 1s", "-o",
                 tmp_path / "q.json", "--criterion", "f2", "--generations", 1)  # fmt: skip
    _, compare, *arguments = shlex.split(shown.out.partition("next: ")[2])
    assert [compare, *arguments[:2]] == ["compare", str(house / "w.swf.gz"), str(tmp_path / "v.swf")]
    assert " of 120, limits exceeded by " in shown.err
    easy, system = said.json["systems"]
    assert easy["objective"] == pytest.approx(1, abs=1e-12)
    assert [w["workload"] for w in system["workloads"]] == ["w to 60 %", "v to 60 %"]
    assert [w["workload"] for w in system["rest"]] == ["w from 60 %", "v from 60 %"]
    policy = ps.load_policy(tmp_path / "p.json")
    assert (policy.backfill, policy.criteria, policy.provenance["over"]) == ("none", ("f2",) * 3, "ratio")


def test_train_points_at_what_it_does_not_understand(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "-o", tmp_path / "p.json", "--generations", 1, "--objective")
    said = command(*train, "10*AWRT1 + 4*AWRTX, AWRT5 <= 40000")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith('paretosched train: --objective: wish, character 14, "AWRTX": there must be one of UTIL')
    said = done(*train, "AWRT1, AWRT5 <= 1s", "--criterion", "f1")
    assert said.err.endswith("paretosched: no policy within the limits was found; this one exceeds them least\n")


@pytest.mark.parametrize("kind", ["iterative", "symbiotic"])
def test_train_finds_the_rule_base_that_the_library_finds(
    house: Path, workload: ps.Workload, kind: str, tmp_path: Path
) -> None:
    words = "10*AWRT1 + 4*AWRT2"
    train = ("train", house / "w.swf.gz", "--objective", words, "--rule-base", kind, "--evaluations", 90, "--seed", 3)
    said = done(*train, "--generations", 1, "--run", tmp_path / "run", "-o", tmp_path / "r.json")
    training = ps.train_rules(
        workload, ps.as_wish(words, workload.groups), kind=kind, evaluations=90, generations=1, seed=3
    )
    assert training.text() in said.out
    assert said.out.startswith("90 policies tried for 10*AWRT1 + 4*AWRT2 in ")
    rules, alone = training.systems
    assert ("the Greedy among its strategies is better alone" in said.err) == (alone.objective < rules.objective)
    assert kind == "iterative" or rules.objective <= alone.objective
    assert "paretosched: training: 210 of 210, " in said.err
    found = ps.load_policy(tmp_path / "r.json")
    assert to_json(found) == to_json(training.policy)
    _, name, *arguments = shlex.split(said.out.partition("next: ")[2])
    assert f"{kind} rules" in done(name, *arguments).out
    save_policy(found.rules.greedy, tmp_path / "g.json")
    again = done(
        *train, "--greedy", tmp_path / "g.json", "--run", tmp_path / "run", "-o", tmp_path / "q.json", "--json"
    )
    assert again.json["systems"] == training.rows()
    simulated = done("simulate", house / "w.swf.gz", "--policy", tmp_path / "r.json", "--json").json
    assert simulated["AWRT1"] == training.rows()[1]["workloads"][0]["AWRT1"]


def test_train_evolves_default_values_and_keeps_parents_if_asked(
    house: Path, workload: ps.Workload, tmp_path: Path
) -> None:
    train = ("train", house / "w.swf.gz", "--objective", "AWRT1", "--rule-base", "symbiotic", "--evaluations", 170)
    done(*train, "--generations", 1, "--defaults", "--plus", "-o", tmp_path / "r.json")
    training = ps.train_rules(
        workload,
        ps.as_wish("AWRT1", workload.groups),
        evaluations=170,
        generations=1,
        symbiosis=Symbiosis(plus=True, defaults=True),
    )
    found = ps.load_policy(tmp_path / "r.json")
    assert to_json(found) == to_json(training.policy)
    assert found.rules.threshold > 0
    assert (found.provenance["symbiosis"]["plus"], found.provenance["symbiosis"]["defaults"]) == (True, True)


def test_train_explains_rule_bases_in_its_help() -> None:
    said = " ".join(done("train", "--help").out.split())
    for words in (
        "--rule-base symbiotic --objective",
        "one of thirteen strategies",
        "default 2496, as in the paper, or 3513",
    ):
        assert words in said


def interrupted(train: tuple[object, ...], run: Path) -> float:
    """Interrupt a training when a tenth of it is done; how many evaluations it says that it keeps."""
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", *map(str, train)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stderr is not None
    child.stderr.readline()  # a tenth is done
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, ""), err
    *_, kept, last = err.splitlines()
    assert last == "paretosched train: interrupted"
    assert kept.endswith(f" evaluations are kept in {run}; the same command continues them")
    return numbers(kept)[0]


def test_ctrl_c_keeps_what_rule_bases_have_learnt(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "-o", tmp_path / "r.json", "--objective", "AWRT1", "--rule-base", "symbiotic",
             "--generations", 1, "--evaluations", 20_000, "--run", tmp_path / "run")  # fmt: skip
    assert 2000 <= interrupted(train, tmp_path / "run") < 20_000


def test_ctrl_c_keeps_a_training_if_it_was_asked_to(house: Path, tmp_path: Path) -> None:
    train = ("train", house / "w.swf.gz", "-o", tmp_path / "p.json", "--objective", "AWRT1", "--generations", 150,
             "--criterion", "f1", "--run", tmp_path / "run")  # fmt: skip
    assert 1500 < interrupted(train, tmp_path / "run") < 15 + 150 * 105
    assert not (tmp_path / "p.json").exists()
    done(*train)
    whole = done(*train[:-1], tmp_path / "whole", "--json").json
    assert whole["evaluations"] == 15 + 150 * 105
    assert ps.load_policy(tmp_path / "p.json").provenance["objective"] == whole["systems"][1]["objective"]


def test_front_merges_and_measures(house: Path, tmp_path: Path) -> None:
    one, two = ps.load_front(house / "run"), ps.load_front(house / "other")
    merged = ps.merge([one, two])
    said = done("front", house / "run", house / "other", "-o", tmp_path / "both.parquet")
    ps.save_front(merged, tmp_path / "ours.parquet")
    assert (tmp_path / "both.parquet").read_bytes() == (tmp_path / "ours.parquet").read_bytes()
    assert said.out.startswith(f"{len(merged):,} of 72 schedules of w are not dominated; ")
    measured = ps.indicators(merged, [one, two])
    found = done("front", house / "run", house / "other", "--json").json
    assert found["workload"] == "w"
    assert found["digest"] == merged.digest
    assert found["size"] == len(merged)
    given = ps.contributions([one, two], gain=False)
    for row, expected, alone, name in zip(found["inputs"], measured["inputs"], given, ("run", "other"), strict=True):
        of_it = {key: alone[key] for key in ("only", "best_in")}
        assert row == expected | of_it | {"path": str(house / name)}
    assert [(end["objective"], end["row"]) for end in found["extremes"]] == [(o.name, r) for o, r in extremes(merged)]
    table = columns(said.out, "from")
    assert [row[0] for row in table][:3] == [str(house / "run"), str(house / "other"), "merged"]
    assert table[0][1:] == [
        "36",
        str(len(one)),
        *(str(found["inputs"][0][key]) for key in ("in_front", "only")),
        *(f"{found['inputs'][0][key]:.4f}" for key in ("hypervolume", "igd_plus", "epsilon")),
    ]
    assert table[2][1:4] == ["72", str(len(merged)), str(len(merged))]
    again = done("front", tmp_path / "both.parquet", house / "run", "--json").json
    assert again["size"] == len(merged)


def test_compare_without_a_front(house: Path, workload: ps.Workload) -> None:
    said = done("compare", house / "w.swf.gz", "--policy", "fcfs", "--policy", "list")
    comparison = ps.compare(workload, ["fcfs", "list"])
    assert said.out == comparison.text() + "\n"
    assert done("compare", house / "w.swf.gz", "--policy", "fcfs", "--policy", "list", "--json").json == (
        comparison.rows()
    )
    assert done("compare", house / "w.swf.gz").out == ps.compare(workload, ["fcfs"]).text() + "\n"


def test_compare_with_a_front_writes_a_report(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    saved, target = tmp_path / "p.json", tmp_path / "report.html"
    done("simulate", house / "w.swf.gz", "--front", house / "run", "--row", 1, "--save-policy", saved)
    compare = ("compare", house / "w.swf.gz", "--front", house / "run", "--policy", "fcfs", "--policy", saved)
    said = done(*compare, "-o", target)
    front = ps.load_front(house / "run")
    comparison = ps.compare(workload, ["fcfs", saved], front)
    assert said.out == comparison.text() + "\n"
    assert said.err == f"paretosched: report: {target} (open it in a browser; it needs no network)\n"
    ps.report.write_report(tmp_path / "ours.html", front, comparison)
    assert target.read_bytes() == (tmp_path / "ours.html").read_bytes()
    rows = done(*compare, "--json").json
    assert rows == comparison.rows()
    assert rows[2]["dominated_by"] == 0  # it is on the front
    assert [row["policy"] for row in rows[-2:]] == ["best on the front", "ideal point"]


def test_compare_without_a_front_writes_a_report_too(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    done("compare", house / "w.swf.gz", "--objective", "AWRT1", "-o", tmp_path / "r.html")
    comparison = ps.compare(workload, ["fcfs"], None, ps.as_wish("AWRT1", workload.groups))
    ps.report.write_report(tmp_path / "ours.html", None, comparison)
    assert (tmp_path / "r.html").read_bytes() == (tmp_path / "ours.html").read_bytes()
    assert "the front" not in (tmp_path / "r.html").read_text(encoding="utf-8").partition("<script")[0]


def test_compare_takes_the_objective_in_words_from_a_file_and_from_a_policy(house: Path, tmp_path: Path) -> None:
    trace = house / "w.swf.gz"
    train = ("train", trace, "--criterion", "f2", "--generations", 1, "--objective")
    done(*train, "AWRT1 + AWRT2", "-o", tmp_path / "both.json")
    done(*train, "AWRT2", "-o", tmp_path / "one.json")
    ps.save_wish(ps.Wish(weights=[("AWRT1", 1), ("AWRT2", 1)]), tmp_path / "wish.json")
    both = ("compare", trace, "--policy", tmp_path / "both.json", "--front", house / "run", "--json")
    said = [
        done(*both, *more) for more in ((), ("--objective", "AWRT1 + AWRT2"), ("--objective", tmp_path / "wish.json"))
    ]
    assert said[0].out == said[1].out == said[2].out
    assert said[0].err == ""
    easy, ours = said[0].json[:2]
    assert ours["wish"] == "AWRT1 + AWRT2"
    assert ours["objective"] == ours["AWRT1"] + ours["AWRT2"]
    assert ours["objective_vs_easy"] == pytest.approx(100 * (1 - ours["objective"] / easy["objective"]))
    front = ps.load_front(house / "run").values
    best = (front[:, 2] + front[:, 3]).min()
    assert easy["share_of_way"] == 0
    assert ours["share_of_way"] == pytest.approx(
        100 * (easy["objective"] - ours["objective"]) / (easy["objective"] - best)
    )
    # trained for different things: the first one's is taken, and that is said
    said = [done(*both, "--policy", tmp_path / "one.json"), done(*both, "--policy", tmp_path / "one.json",
            "--objective", "AWRT2")]  # fmt: skip
    assert said[0].json[0]["wish"] == "AWRT1 + AWRT2"
    assert said[0].err == (
        "paretosched: the objective is AWRT1 + AWRT2, as Greedy f2 with EASY was trained for it; "
        "Greedy f2 with EASY (2) was trained for AWRT2\n"
    )
    assert (said[1].json[0]["wish"], said[1].err) == ("AWRT2", "")


def test_compare_takes_several_logs_and_the_front_of_each(house: Path, workload: ps.Workload, tmp_path: Path) -> None:
    done("generate", "lublin", "--jobs", 150, "--processors", 32, "--seed", 4, "-o", tmp_path / "v.swf")
    other = ps.read_swf(tmp_path / "v.swf")
    both = ("compare", tmp_path / "v.swf", house / "w.swf.gz", "--front", house / "run", "--objective", "AWRT1")
    said = done(*both, "-o", tmp_path / "r.html")
    wish, front = ps.as_wish("AWRT1", workload.groups), ps.load_front(house / "run")
    comparisons = [ps.compare(other, ["fcfs"], None, wish), ps.compare(workload, ["fcfs"], front, wish)]
    for comparison in comparisons:
        assert comparison.text() in said.out
    assert "\nall workloads: AWRT1 vs EASY\npolicy" in said.out
    ps.report.write_report(tmp_path / "ours.html", [None, front], comparisons)
    assert (tmp_path / "r.html").read_bytes() == (tmp_path / "ours.html").read_bytes()
    rows = done(*both, "--json").json
    assert rows == [row for comparison in comparisons for row in comparison.rows()]
    assert [row["workload"] for row in rows] == ["v"] * 3 + ["w"] * 4


def test_compare_explains_its_new_options_in_its_help() -> None:
    said = done("compare", "--help")
    assert "[TRACE ...]" in said.out
    assert '--objective "10*AWRT1 + 4*AWRT2"' in said.out


# --- manners ------------------------------------------------------------------------------------------------------


def test_outputs_do_not_overwrite_the_log_or_each_other(house: Path, tmp_path: Path) -> None:
    trace = tmp_path / "w.swf"
    trace.write_bytes((house / "record.swf").read_bytes())
    link = tmp_path / "link"
    link.symlink_to(trace)
    before = files(tmp_path)
    for arguments in (
        ("simulate", trace, "-o", trace),
        ("simulate", trace, "--save-policy", link),
        ("scale", link, "-o", tmp_path / "." / "w.swf"),
        ("compare", trace, "--front", house / "run", "-o", trace),
        ("simulate", trace, "-o", tmp_path / "x", "--save-policy", tmp_path / "x"),
    ):
        said = command(*arguments)
        assert said.status == 2
        assert re.fullmatch(r"paretosched \w+: \S+: --\S+ would overwrite .*; give it another name\n", said.err)
    assert files(tmp_path) == before


def test_status_two_comes_with_one_line_of_a_process(tmp_path: Path) -> None:
    said = process("info", tmp_path / "none.swf")
    expected = f"paretosched info: {tmp_path / 'none.swf'}: cannot read: No such file or directory\n"
    assert (said.returncode, said.stdout, said.stderr) == (2, "", expected)


@pytest.mark.parametrize("arguments", [("--help",), ("explore", "--help"), ("info", "w.swf.gz"), ("front", "run")])
def test_a_reader_that_has_had_enough_is_no_error(house: Path, arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    said = process(*arguments, cwd=house, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NO /dev/full: a full disk behind stdout was not tried")
@pytest.mark.parametrize("arguments", [("--help",), ("info", "w.swf.gz"), ("simulate", "w.swf.gz", "--json")])
def test_a_full_disk_behind_standard_output_is_one_line(house: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        said = process(*arguments, cwd=house, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    name = "paretosched" if arguments == ("--help",) else f"paretosched {arguments[0]}"
    assert (said.returncode, said.stderr) == (
        2,
        f"{name}: standard output: cannot write: No space left on device\n",
    )


def test_closed_streams_are_no_error(house: Path) -> None:
    shell = f"{shlex.quote(sys.executable)} -m paretosched.cli info record.swf --json"
    for closed, out in ((">&-", ""), ("2>&-", done("info", house / "record.swf", "--json").out), (">&- 2>&-", "")):
        said = subprocess.run(
            ["sh", "-c", f"{shell} {closed}"], cwd=house, env=environment(), capture_output=True, text=True, check=False
        )
        assert (said.returncode, said.stdout, said.stderr) == (0, out, "")
    # remarks must not end up in a table
    said = subprocess.run(
        ["sh", "-c", f"{shell.replace('info', 'simulate')} 2>&-"],
        cwd=house, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.stdout == done("simulate", house / "record.swf", "--json").out


def test_what_standard_output_has_no_letter_for_is_replaced(house: Path, tmp_path: Path) -> None:
    trace = os.fsencode(tmp_path / "caf\u00e9-") + b"\xff.swf"  # the last byte is no UTF-8
    Path(os.fsdecode(trace)).write_bytes((house / "record.swf").read_bytes())
    said = subprocess.run(
        [sys.executable, "-m", "paretosched.cli", "info", trace],
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=False,
    )
    assert said.stderr == b""
    assert said.stdout.startswith(b"caf?-?\n  4 jobs")
    scaled = tmp_path / "s.swf"
    done("scale", os.fsdecode(trace), "--processors", 16, "-o", scaled)
    assert "caf\u00e9-\ufffd" in scaled.read_text(encoding="utf-8")


def test_a_pipe_is_a_log_like_any_other(house: Path) -> None:
    with (house / "w.swf.gz").open("rb") as file:
        said = process("info", "/dev/stdin", "--json", stdin=file)
    assert said.returncode == 0, said
    pipe = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} -m paretosched.cli info <(sleep 0.2; cat w.swf.gz) --json"],
        cwd=house, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert pipe.returncode == 0, pipe
    assert '"jobs": 200,' in pipe.stdout


def test_ctrl_c_keeps_what_was_done_and_the_same_command_continues(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    explore = ("explore", house / "w.swf.gz", "-o", run, "--evaluations", 1000, "--population", 10)
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", *map(str, explore)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (run / "front.parquet").exists():  # published after the first generation
        assert child.poll() is None
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130, (out, err)
    assert out == ""
    *_, kept, interrupted = err.splitlines()
    assert interrupted == "paretosched explore: interrupted"
    assert kept.startswith("paretosched: ")
    assert kept.endswith(f" evaluations are kept in {run}; the same command continues them")
    count = len(stored(run))
    assert numbers(kept)[0] == count
    assert 10 <= count < 1000
    assert ps.load_front(run).evaluations == count
    assert not list(run.glob("*.part")) + list(run.glob(".*"))
    again = done(*explore, "--json").json
    assert (again["evaluations"], again["replayed"]) == (1000, count)


def test_ctrl_c_elsewhere_is_status_130_and_leaves_nothing(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("paretosched.simulation.schedule.csv.writer", interrupt)  # in the middle of writing
    said = command("simulate", house / "w.swf.gz", "-o", tmp_path / "s.csv")
    assert (said.status, said.out, said.err) == (130, "", "paretosched simulate: interrupted\n")
    assert files(tmp_path) == {}
    monkeypatch.setattr(
        "paretosched.search.evaluation.objectives_of", interrupt
    )  # before the first generation is stored
    said = command("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 8, "--population", 4)
    assert (said.status, said.out, said.err) == (130, "", "paretosched explore: interrupted\n")
    assert files(tmp_path) == {}


def test_a_terminal_gets_a_progress_bar(house: Path, tmp_path: Path) -> None:
    near, far = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", "explore", str(house / "w.swf.gz"), "-o", str(tmp_path / "run"),
         "--evaluations", "36", "--population", "12"],
        env=environment(TERM="xterm", COLUMNS="100"), stdout=subprocess.PIPE, stderr=far,
    )  # fmt: skip
    os.close(far)
    shown = b""
    while select.select([near], [], [], 60)[0]:
        try:
            shown += os.read(near, 1 << 16)
        except OSError:  # the other end is closed
            break
    os.close(near)
    assert child.stdout is not None
    out = child.stdout.read()
    child.stdout.close()
    assert child.wait() == 0
    assert out.startswith(b"36 schedules explored")
    text = re.sub(rb"\x1b\[[\d;?]*[A-Za-z]", b"", shown).decode()
    assert "36/36" in text
    assert re.search(r"exploring .*front \d+ 0:00:\d\d left 0:00:00", text)
    assert "paretosched:" not in text


def test_ctrl_c_with_worker_processes_is_as_quiet(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    child = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", "explore", str(house / "w.swf.gz"), "-o", str(run),
         "--evaluations", "20000", "--population", "10", "--workers", "1"],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while not (run / "front.parquet").exists():
        assert child.poll() is None
        time.sleep(0.005)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    assert all(line.startswith("paretosched") for line in err.splitlines()), err
    assert err.endswith("\nparetosched explore: interrupted\n")
    assert ps.load_front(run).evaluations == len(stored(run))
