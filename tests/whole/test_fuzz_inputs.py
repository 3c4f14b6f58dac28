"""Bad fronts, policies, groups, lists, accounting and runs are refused in one line; tests/attack damages good ones."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from attack.mutated_logs import ACCOUNTING
from support.commands import command, files, succeed
from support.fuzzing import LONG, refusal, sound, takes_trace
from support.old_files import OLD, write_old_log

# --- fronts, policies, groups, runs -------------------------------------------------------------------------------


@pytest.mark.slow
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

    def put(name: str, content: pa.Table, **change: Any) -> None:
        whole = {"paretosched": json.dumps(about | change)} if change != {"none": 0} else None
        parquet.write_table(content.replace_schema_metadata(whole), tmp_path / name)

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
        refusal("front", path, names=path)
    for path in [tmp_path / name for name in ("cut", "pipe", "other format", "infinite", "none")]:
        for arguments in (
            ("simulate", house / "w.swf.gz", "--front", path, "--save-policy", tmp_path / "out"),
            ("front", house / "run", path, "-o", tmp_path / "out"),
            ("compare", house / "w.swf.gz", "--front", path, "-o", tmp_path / "out"),
            ("app", path, "--port", 0),
        ):
            refusal(*arguments, names=path)
    assert not (tmp_path / "out").exists()


def test_fronts_of_other_workloads_are_refused_where_they_must_fit(house: Path, tmp_path: Path) -> None:
    succeed("generate", "lublin", "--jobs", 40, "-o", tmp_path / "v.swf")
    succeed("explore", tmp_path / "v.swf", "-o", tmp_path / "run", "--evaluations", 8, "--population", 4)
    assert "capacity and groups" in refusal("compare", house / "w.swf.gz", "--front", tmp_path / "run", names="front")
    both = ("compare", house / "w.swf.gz", tmp_path / "v.swf")
    succeed(*both, "--front", tmp_path / "run", "--front", house / "run")
    assert "there are two of v" in refusal(
        *both, "--front", tmp_path / "run", "--front", tmp_path / "run", names="front"
    )
    succeed("generate", "lublin", "--jobs", 30, "-o", tmp_path / "u.swf")
    for fronts in (["--front", tmp_path / "run"], ["--front", house / "run", "--front", tmp_path / "run"]):
        message = refusal("compare", house / "w.swf.gz", tmp_path / "u.swf", *fronts, names="front")
        assert "front must be of one of the workloads: jobs, capacity and groups, but it is of v" in message
    assert "one workload" in refusal("front", house / "run", tmp_path / "run", names="fronts")
    trace = ("simulate", house / "w.swf.gz", "--groups", "swf")
    assert "groups" in refusal(*trace, "--front", house / "run", names="policy")
    assert "groups" in refusal(*trace, "--policy", house / "p.json", names="policy")
    assert "groups" in refusal("compare", *trace[1:], "--policy", house / "p.json", names="policy")


def policies(house: Path) -> dict[str, bytes]:
    """Return what is no policy; tests/policies has the message of every part of a policy that can be wrong."""
    text = (house / "p.json").read_text()
    rules = json.loads((house / "symbiotic.json").read_text())
    return {
        "empty": b"",
        "binary": random.Random(3).randbytes(999),
        "cut": text[: len(text) // 2].encode(),
        "a list": b"[1, 2]",
        "deep": b"[" * 100_000,
        "huge": text.replace('"a": ', '"a": 1e400, "c": ', 1).encode(),
        "digits": text.replace('"a": ', '"a": ' + "9" * 5000, 1).encode(),
        "genes of a rule without": json.dumps(json.loads(text) | {"rule": "easy"}).encode(),
        "greedy within": json.dumps(rules | {"greedy": rules}).encode(),
    }


@pytest.mark.slow
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
            refusal(*arguments, names=path)
    assert not (tmp_path / "out").exists()
    for rule in ("greedy", "EASY", ""):
        refusal("explain", rule, names=rule or "POLICY")


def test_rule_bases_are_policies_like_others(house: Path, tmp_path: Path) -> None:
    both = [house / "iterative.json", house / "symbiotic.json"]
    for path in both:
        succeed("simulate", house / "w.swf.gz", "--policy", path, "-o", tmp_path / "out.csv")
        assert " rules" in succeed("simulate", house / "w.swf.gz", "--policy", path, "--estimates", "exact").out
        assert " rules" in succeed("simulate", house / "w.swf.gz", "--policy", path, "--estimates", "predicted").out
        assert "one of thirteen strategies" in " ".join(succeed("explain", path).out.split())
    output = succeed("compare", house / "w.swf.gz", "--policy", both[0], "--policy", both[1]).out
    assert "iterative rules" in output
    assert "symbiotic rules" in output
    refusal("simulate", house / "w.swf.gz", "--groups", "swf", "--policy", both[0], names="groups")


def test_whatever_a_policy_says_of_its_origin_it_can_be_compared(house: Path, tmp_path: Path) -> None:
    value = json.loads((house / "p.json").read_text())
    wish = {"format": "paretosched wish 1", "sum": {"AWRT1": 10}}
    for origin in ({"wish": 7}, {"wish": wish | {"sum": {"AWRT9": 1}}}, {"wish": {"format": 3}}, {"wish": [wish]}, {}):
        (tmp_path / "p.json").write_text(json.dumps(value | {"provenance": origin}))
        assert "objective" not in succeed("compare", house / "w.swf.gz", "--policy", tmp_path / "p.json").out
    (tmp_path / "p.json").write_text(json.dumps(value | {"provenance": {"wish": wish}}))
    assert "objective: 10*AWRT1\n" in succeed("compare", house / "w.swf.gz", "--policy", tmp_path / "p.json").out


@pytest.mark.slow
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
        refusal("info", house / "w.swf.gz", "--groups", path, names=path)
    for path in [tmp_path / f"{name}.csv" for name in ("twice", "pipe", "none")]:
        for arguments in takes_trace(house / "w.swf.gz", house, tmp_path):
            refusal(*arguments, "--groups", path, names=path)
    assert not list(tmp_path.glob("out*"))


def test_what_is_no_list_is_refused(house: Path, tmp_path: Path) -> None:
    bad = {"empty": b"", "binary": b"\xff\xfe\0\1", "zeros": b"\0" * 99, "image": b"\x89PNG\r\n\x1a\n"}
    for name, data in bad.items():
        (tmp_path / f"{name}.csv").write_bytes(data)
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    jobs, nodes, past = (house / f"{name}.csv" for name in ("jobs", "nodes", "past"))
    for path in [*tmp_path.iterdir(), tmp_path / "none.csv", tmp_path / LONG, house / "w.swf.gz"]:
        refusal("assign", path, nodes, names=path)
        refusal("assign", jobs, path, names=path)
        refusal("assign", jobs, nodes, "--history", path, names=path)
    for arguments in (("", nodes), (jobs, "a\0b"), (jobs, nodes, "--history", "")):
        assert "must be the name of a file" in refusal("assign", *arguments)
    refusal("assign", jobs, nodes, "--method", "lpt", "--population", 9, names="--population")
    refusal("assign", jobs, nodes, "--history", past, "-o", past, names=past)


@pytest.mark.parametrize("reading", ACCOUNTING, ids=lambda reading: reading[0])
def test_what_is_no_accounting_is_refused(house: Path, tmp_path: Path, reading: tuple[str, ...]) -> None:
    _, kind, *options = reading
    bad = {
        "empty": b"",
        "binary": b"\xff\xfe\0\1",
        "zeros": b"\0" * 99,
        "words": b"a letter\n",
        "gzip": b"\x1f\x8b\x08",
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    paths = [*tmp_path.iterdir(), tmp_path / "none", tmp_path / LONG, house / "w.swf.gz", house / "front.parquet"]
    for path in paths:
        refusal("import", kind, path, *options, "-o", tmp_path / "out.swf", names=path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("AWRT1", 0.0),
        ("AWRT1", 1e-320),
        ("AWRT1", 1e300),
        ("AWRT3", 1e160),
        ("AWRT1", -1e308),
        ("UTIL", -1.0),
        ("AWRT", 1e15),
        ("AWRT2", 1e10),
    ],
)
def test_a_front_with_values_of_no_schedule_is_refused_or_shown_without_warnings(
    house: Path, tmp_path: Path, column: str, value: float
) -> None:
    """Pytest makes an error of every warning."""
    content = parquet.read_table(house / "front.parquet")
    place = content.column_names.index(column)
    content = content.set_column(place, column, pa.array([value] * len(content)))
    parquet.write_table(content, tmp_path / "f.parquet")
    for words in (
        ["front", tmp_path / "f.parquet"],
        ["compare", house / "w.swf.gz", "--front", tmp_path / "f.parquet"],
    ):
        if value not in (0.0, 1e15, 1e10):
            assert "objective values must be 0 or in 1e-30..1e+17" in refusal(*words)
        else:
            succeed(*words, *(["-o", tmp_path / "c.html"] if words[0] == "compare" else []))


def lost_descriptions(run: Path) -> Iterator[str]:
    """Take run.json from a run in one way after the other; its store has a copy."""
    about = run / "run.json"
    whole = about.read_bytes()
    texts = {
        "empty": b"",
        "cut": whole[:100],
        "one byte short": whole[:-3],
        "zeros": bytes(len(whole)),
        "deep": b"[" * 100_000,
        "digits": b'{"format": ' + b"9" * 5000 + b"}",
        "binary": b"\xff\0",
    }
    for name, text in texts.items():
        about.write_bytes(text)
        yield name
    about.unlink()
    yield "gone"


def test_a_run_without_its_description_is_remade_from_its_store(house: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(house / "run", run)
    sound_description = json.loads((run / "run.json").read_text())
    evaluations = sound_description["evaluations"]["wanted"]
    for what in lost_descriptions(run):
        before = files(run)
        assert succeed("info", run) == succeed("info", house / "run"), what
        assert succeed("front", run, "--json").json["evaluations"] == evaluations, what
        assert files(run) == before, what
        again = succeed("explore", house / "w.swf.gz", "-o", run, "--population", 4, "--json").json
        assert (again["evaluations"], again["replayed"]) == (evaluations, evaluations), what
        remade = json.loads((run / "run.json").read_text())
        assert remade.pop("sessions")[:1] == sound_description["sessions"][:1], what
        rest = {key: value for key, value in sound_description.items() if key not in ("sessions", "process")}
        assert {key: remade[key] for key in rest} == rest, what


def test_a_run_of_version_0_1_without_its_description_says_what_to_do(tmp_path: Path) -> None:
    old_log = write_old_log(tmp_path)
    run = Path(shutil.copytree(OLD / "run-weighting", tmp_path / "run"))
    for _ in lost_descriptions(run):
        message = refusal("explore", old_log, "-o", run, "--population", 10, names=run / "run.json")
        assert "put run.json back from a copy of your own, or begin a run in another directory" in message
        assert succeed("front", run / "front.parquet").out


def test_nothing_is_shown_of_a_run_that_is_refused(house: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(house / "run", tmp_path / "run"))
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({key: about[key] for key in about if key != "format"}))
    refusal("info", run, names=run / "run.json")


def damage(run: Path) -> Iterator[str]:
    """Damage a run in one way after the other; the caller puts it right in between."""
    about, store = run / "run.json", run / "run.sqlite"
    value = json.loads(about.read_text())
    texts = {
        "list": "[]",
        "other format": json.dumps(value | {"format": "x"}),
        "parameters": json.dumps(value | {"parameters": 3}),
        "no parameters": json.dumps(value | {"parameters": {}}),
        "sessions": json.dumps(value | {"sessions": 3}),
    }
    for name, text in texts.items():
        about.write_text(text)
        yield f"run.json {name}"
    about.unlink()
    about.mkdir()
    yield "run.json a folder"
    about.unlink()
    os.mkfifo(about)
    yield "run.json a pipe"
    about.unlink()
    store.write_bytes(b"not a database")
    yield "no run.json, and run.sqlite text"
    data = store.read_bytes()
    for name, content in {
        "binary": random.Random(4).randbytes(9000),
        "cut": data[:5000],
        "head": b"x" * 100 + data[100:],
        "text": b"not a database",
    }.items():
        store.write_bytes(content)
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
        "update evaluation set generation = 1 where number = 3",
        "update evaluation set seconds = 2 * seconds where number = 3",
        "update evaluation set checksum = checksum + 1 where number = 3",
        "alter table evaluation rename column checksum to checksun",
        "update evaluation set number = 99 where number = 3",
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
        outcome = command("explore", house / "w.swf.gz", "-o", run, "--evaluations", 16, "--population", 4)
        assert outcome.status == 2, (what, outcome)
        assert outcome.out == ""
        *remarks, line = outcome.err.splitlines()
        assert line.startswith(f"paretosched explore: {run}"), (what, outcome)
        assert all(remark.startswith("paretosched: exploring: ") for remark in remarks), (what, outcome)
        after = {name: data for name, data in files(run).items() if not name.endswith(("-wal", "-shm"))}
        assert after.keys() == before.keys(), what
        store_files = [name for name in after if name.startswith("run.sqlite")]
        assert [after[name] for name in store_files] == [before[name] for name in store_files], what
        for path in run.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
        for path in (house / "run").iterdir():
            shutil.copy(path, run)
        count += 1
    assert count == 25


def test_a_folder_of_something_else_is_no_run(house: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    refusal(*sound("explore", house, tmp_path)[:2], "-o", tmp_path, names=tmp_path, below=tmp_path)
    (tmp_path / "run.sqlite").write_text("not ours")
    refusal(*sound("explore", house, tmp_path)[:2], "-o", tmp_path, names=tmp_path, below=tmp_path)
