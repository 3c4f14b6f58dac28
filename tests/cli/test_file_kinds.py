"""The kind of a file is seen from its content, whatever its name."""

import gzip
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.cli.file_kinds import Kind, kind_of
from support.commands import RECORD, succeed
from support.old_files import OLD, copy_old_files

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

TEXTS = {
    Kind.EMPTY: [""],
    Kind.LOG: [RECORD, "; MaxProcs: 8\n", RECORD.partition("\n")[2], "\ufeff; Version: 2\n1 2\n"[:14]],
    Kind.SCHEDULE: [
        "job,submit,start,finish,processors,user,group\r\n1,2,3,4,5,6,7\r\n",
        "job,submit,start,finish,processors,user,group,eligible\r\n1,2,3,4,5,6,7,8\r\n",
    ],
    Kind.SEGMENTS: ["job,from,to,nodes\n"],
    Kind.ASSIGNMENT: ["job,workload,node,start,finish\n"],
    Kind.REVIEW: ["from,until,jobs,system,group,awrt_s\n"],
    Kind.WHAT_IF: ["scenario,policy,group,jobs,wait_mean_s\n"],
    Kind.FRONT: ["UTIL,AWRT,run,evaluation\n"],
    Kind.POLICY: ['{"rule": "easy", "format": "paretosched policy 1"}'],
    Kind.PAGE: ['\n{"format": "paretosched page 1"}', '{"format": "paretosched page training 1"}'],
    Kind.FIGURE: ['<svg class="main-svg" xmlns="http://www.w3.org/2000/svg"></svg>'],
    Kind.UNKNOWN: [
        "a letter",
        "; a letter",
        "1 2 3\n",
        "user,group\n1,staff\n",
        '{"format": "paretosched"}',
        '{"format": "other policy 1"}',
        '{"format": ["paretosched policy 1"]}',
        '{"a": 1, "a": 2, "format": "paretosched policy 1"}',
        '{"format": "paretosched policy 1"',
        "[]",
        "<svg></svg>",
        "<!DOCTYPE html>\n<html></html>",
        "PAR1",
    ],
}


@pytest.mark.parametrize("kind", TEXTS)
def test_text_files_have_their_kind(tmp_path: Path, kind: Kind) -> None:
    for i, text in enumerate(TEXTS[kind]):
        (tmp_path / str(i)).write_text(text)
    assert [kind_of(tmp_path / str(i)) for i in range(len(TEXTS[kind]))] == [kind] * len(TEXTS[kind])


def test_binary_files_have_their_kind(tmp_path: Path) -> None:
    for name, data, kind in (
        ("log", gzip.compress(RECORD.encode()), Kind.LOG),
        ("letter", gzip.compress(b"a letter"), Kind.UNKNOWN),
        ("cut", gzip.compress(RECORD.encode())[:9], Kind.UNKNOWN),
        ("damaged", b"\x1f\x8b" + bytes(40), Kind.UNKNOWN),
        ("picture", PNG, Kind.FIGURE),
        ("noise", bytes(range(256)), Kind.UNKNOWN),
        ("zeros", bytes(1000), Kind.UNKNOWN),
    ):
        (tmp_path / name).write_bytes(data)
        assert kind_of(tmp_path / name) == kind, name


def test_what_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert kind_of(tmp_path / "none") == kind_of(tmp_path) == Kind.UNKNOWN


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lublin.swf.gz", Kind.LOG),
        ("front.parquet", Kind.FRONT),
        ("front.json", Kind.UNKNOWN),
        ("run-groups/run.json", Kind.RUN),
        ("run-groups/run.sqlite", Kind.EVALUATIONS),
        ("run-groups/front.parquet", Kind.FRONT),
        ("greedy.json", Kind.POLICY),
        ("symbiotic.json", Kind.POLICY),
        ("sum.wish.json", Kind.WISH),
    ],
)
def test_files_of_version_0_1_have_their_kind(name: str, kind: Kind, tmp_path: Path) -> None:
    assert kind_of(copy_old_files(tmp_path / "old") / name) == kind


@pytest.mark.slow
def test_what_commands_write_has_the_kind_that_they_declare(house: Path, tmp_path: Path) -> None:
    trace = house / "w.swf.gz"
    paths = {
        name: tmp_path / name for name in ("s.csv", "p.json", "g.csv", "g.parquet", "f.csv", "f.parquet", "r", "x")
    }
    succeed("simulate", trace, "-o", paths["s.csv"], "--save-policy", paths["p.json"])
    for name in ("g.csv", "g.parquet"):
        succeed("simulate", trace, "--policy", "scojo", "--segments", paths[name])
    for name in ("f.csv", "f.parquet"):
        succeed("front", house / "run", "-o", paths[name])
    succeed("compare", trace, "-o", paths["r"])
    succeed("scale", trace, "--processors", 128, "-o", paths["x"])
    kinds = [Kind.SCHEDULE, Kind.POLICY, Kind.SEGMENTS, Kind.SEGMENTS, Kind.FRONT, Kind.FRONT, Kind.REPORT, Kind.LOG]
    assert [kind_of(path) for path in paths.values()] == kinds
    succeed("explain", OLD / "greedy.json", "-o", tmp_path / "e.html")
    assert kind_of(tmp_path / "e.html") == Kind.FIGURE
    ps.save_wish(ps.as_wish("AWRT1", ("1",)), tmp_path / "wish")
    assert kind_of(tmp_path / "wish") == Kind.WISH


def test_a_log_with_nodes_is_a_log(tmp_path: Path) -> None:
    workload = ps.lublin(jobs=5, processors=32, seed=1)
    machine, requests = ps.Machine((ps.NodeKind("n1", 32, 100),)), ps.Requests(tasks=workload.width)
    ps.save_log(workload.with_(machine=machine, requests=requests), tmp_path / "log.parquet")
    assert kind_of(tmp_path / "log.parquet") == Kind.LOG
    ps.save_machine(machine, tmp_path / "m.toml")
    assert kind_of(tmp_path / "m.toml") == Kind.MACHINE
