"""Small files that are hostile to readers other than those of logs, and the commands that read them."""

import json
import random
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paretosched.core.run_files import EVALUATION

LOG = "; MaxProcs: 8\n" + "".join(f"{i} {i} -1 9 1 -1 -1 1 9 -1 1 {i} -1 -1 -1 -1 -1 -1\n" for i in range(1, 9))
SEGMENTS = "job,from,to,nodes\n"


class Bomb(NamedTuple):
    """A hostile file, and a command that reads it.

    Attributes
    ----------
    name
        What it is.
    make
        Function that writes it, and what it needs beside it, into a folder; it returns the arguments of the command.
    message
        Words that the refusal has.
    memory
        KiB that the command may take at its peak.
    """

    name: str
    make: Callable[[Path], list[str]]
    message: str
    memory: int = 1 << 20


def front(make: Callable[[Path], object]) -> Callable[[Path], list[str]]:
    """A maker for a file that is read as a front."""

    def write(folder: Path) -> list[str]:
        make(folder / "f.parquet")
        return ["front", str(folder / "f.parquet")]

    return write


def text(content: Callable[[], bytes], *command: str) -> Callable[[Path], list[str]]:
    """A maker for a file; in the command "FILE" stands for it, and other words for small files."""

    def write(folder: Path) -> list[str]:
        (folder / "bomb").write_bytes(content())
        (folder / "w.swf").write_text(LOG)
        (folder / "jobs.csv").write_text("job,size\na,1\n")
        (folder / "nodes.csv").write_text("node,speed\na,1\n")
        names = {"FILE": "bomb", "LOG": "w.swf", "JOBS": "jobs.csv", "NODES": "nodes.csv"}
        return [str(folder / names[word]) if word in names else word for word in command]

    return write


def store(*statements: str) -> Callable[[Path], list[str]]:
    """A maker for a run whose store is made by SQL."""

    def write(folder: Path) -> list[str]:
        connection = sqlite3.connect(folder / "run.sqlite")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        about = {"format": "paretosched run 1", "status": "running", "evaluations": {"done": 1, "wanted": 9}}
        (folder / "run.json").write_text(json.dumps(about | {"parameters": {}, "versions": {}, "sessions": []}))
        return ["read_values", str(folder)]

    return write


def _table(path: Path, columns: dict[str, Any], about: Any = None, **more: Any) -> None:
    """Write a Parquet file with the facts of a front."""
    import pyarrow as pa
    from pyarrow import parquet

    metadata = None if about is None else {"paretosched": json.dumps(about), **more}
    table = pa.table(columns).replace_schema_metadata(metadata)
    parquet.write_table(table, path, compression="zstd", row_group_size=1 << 20)


def about_front(groups: int = 1, runs: int = 1) -> dict[str, Any]:
    """The facts of a front of some groups and runs."""
    encoding = {"encoding": "orders", "backfill": "none"}
    counts = dict.fromkeys(("seed", "population", "evaluations", "points", "duplicates"), 1)
    origin = {"name": "r", "algorithm": "a", "encoding": encoding, "begun": [], "versions": [], **counts}
    names = [f"g{i}" for i in range(groups)]
    return {"format": "paretosched front 2", "workload": "w", "digest": "d", "groups": names, "runs": [origin] * runs}


def columns_of_front(rows: int, groups: int = 1) -> dict[str, Any]:
    """The columns of that front, all 1."""
    from paretosched.encodings.encoding import from_json
    from paretosched.simulation.objective import objective_table

    names = [f"g{i}" for i in range(groups)]
    orders = from_json(about_front()["runs"][0]["encoding"])
    labels = [o.name for o in objective_table(tuple(names))] + orders.gene_labels(groups)
    numbers: dict[str, Any] = dict.fromkeys(labels, np.ones(rows))
    return numbers | {"run": np.zeros(rows, np.int64), "evaluation": np.zeros(rows, np.int64)}


def many_rows(path: Path) -> None:
    _table(path, columns_of_front(5_000_000), about_front())


def many_columns(path: Path) -> None:
    _table(path, {f"c{i}": np.ones(1) for i in range(20_000)}, about_front())


def long_texts(path: Path) -> None:
    import pyarrow as pa

    texts = pa.DictionaryArray.from_arrays(np.zeros(1_000_000, np.int32), pa.array(["x" * 100_000]))
    _table(path, columns_of_front(1_000_000) | {"UTIL": texts}, about_front())


def write_nested(path: Path) -> None:
    import pyarrow as pa

    lists = pa.ListArray.from_arrays(np.array([0, 15_000_000], np.int32), pa.array(np.zeros(15_000_000)))
    _table(path, columns_of_front(1) | {"UTIL": lists}, about_front())


def ancestors(path: Path) -> None:
    packer = zlib.compressobj()
    data = b"".join([*(packer.compress(bytes(1 << 26)) for _ in range(8)), packer.flush()])
    _table(path, columns_of_front(1), about_front(), **{"ancestors 0": data})


def noise(path: Path) -> None:
    path.write_bytes(b"PAR1" + random.Random(1).randbytes(1_000_000) + b"\xff\xff\xff\x7fPAR1")


def equal_rows(folder: Path) -> list[str]:
    numbers = {"submit": 10**9, "width": 4, "run": 60, "wait": 5}
    _table(folder / "jobs.parquet", {name: np.full(6_000_000, number) for name, number in numbers.items()})
    return ["import", "csv", str(folder / "jobs.parquet"), "--columns", ",".join(f"{name}={name}" for name in numbers)]


def segments_of_long_texts(folder: Path) -> list[str]:
    import pyarrow as pa

    (folder / "w.swf").write_text(LOG)
    count = 1_500_000
    nodes = pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), pa.array(["0 " * 40_000]))
    job = pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), pa.array(["1"]))
    times = np.zeros(count, np.int64)
    _table(folder / "s.parquet", {"job": job, "from": times, "to": times + 1, "nodes": nodes})
    return _loading(folder / "w.swf", folder / "s.parquet")


def segments(content: Callable[[], str]) -> Callable[[Path], list[str]]:
    """A maker for a CSV file of segments."""

    def write(folder: Path) -> list[str]:
        (folder / "w.swf").write_text(LOG)
        (folder / "s.csv").write_text(SEGMENTS + content())
        return _loading(folder / "w.swf", folder / "s.csv")

    return write


def _loading(log: Path, place: Path) -> list[str]:
    """The word for the reader of segments, which no command has, and its arguments."""
    return ["load_segments", str(log), str(place)]


COUNTED = "with recursive n(i) as (select 0 union all select i + 1 from n) select i number, 0 generation, "
SITE = b"ClusterName=a\nNodeName=n[1-60000] CPUs=64 RealMemory=9\n"
SACCT = b"JobIDRaw|User|Submit|Start|End|NCPUS|State\n"
SMALL = 300 << 10  # KiB, with the interpreter and all that it imports
JSON = "must be a text of at most 20,000,000 bytes, but is longer; --limit json=N"
ROWS = "the number of rows, or of ranges of nodes, in a CSV file must be at most 2,000,000 rows, but is more"
CELLS = "the rows x columns of a Parquet file must be at most 20,000,000 cells, but is more; --limit cells=N"
FEWER = ("--limit", "rows=300000")  # 2,000,000 rows take 50 s
FEWER_ROWS = ROWS.replace("2,000,000", "300,000")
BOMBS = (
    Bomb("a front of many rows", front(many_rows), CELLS),
    Bomb("a front of many columns", front(many_columns), "a front of 1 groups must have other columns than this one"),
    Bomb("a front of long texts", front(long_texts), 'column "UTIL" must be double without gaps'),
    Bomb("a front of lists", front(write_nested), 'column "UTIL" must be double without gaps'),
    Bomb("a front of endless ancestors", front(ancestors), CELLS),
    Bomb("noise as a front", front(noise), "not a readable front"),
    Bomb("segments of long texts", segments_of_long_texts, ROWS),
    Bomb("segments of many ranges", segments(lambda: f"1,0,1,{'0 ' * 49_000}\n" * 300), ROWS),
    Bomb(
        "a slurm.conf of partitions that have all nodes",
        text(
            lambda: SITE + b"".join(b"PartitionName=p%d Nodes=n[1-60000]\n" % i for i in range(3000)),
            *("machine", "FILE"),
        ),
        "partitions times nodes of a machine must be at most",
        SMALL,
    ),
    Bomb(
        "a slurm.conf that includes itself at length",
        text(lambda: b"ClusterName=a\nNodeName=n1\n" + b"#" * 2_400_000 + b"\nInclude bomb\n", "explain", "FILE"),
        "the size of a slurm.conf with all that it includes must be at most 5,000,000 bytes",
        SMALL,
    ),
    Bomb(
        "a sacct text of equal lines",
        text(
            lambda: SACCT + b"1|u|1000000000|1000000005|1000000065|4|COMPLETED\n" * 2_000_000, "import", "slurm", "FILE"
        ),
        "at least 10% of the jobs must be listed for the first time",
        SMALL,
    ),
    Bomb("a table of equal rows", equal_rows, "the unpacked size of a file must be at most 200 times", SMALL),
    Bomb("a policy of brackets", text(lambda: b"[" * 9_000_000, "explain", "FILE"), "not JSON: "),
    Bomb("a policy of objects", text(lambda: b"[" + b"{}," * 3_000_000 + b"{}]", "explain", "FILE"), "policy"),
    Bomb(
        "a policy of nested objects",
        text(lambda: b'{"a":[' + b",".join([b'{"":' * 300 + b"0" + b"}" * 300] * 6_000) + b"]}", "explain", "FILE"),
        "policy",
    ),
    Bomb("a policy that is long", text(lambda: b"[" + b"0," * 10_000_000 + b"0]", "explain", "FILE"), JSON),
    Bomb(
        "groups of many users",
        text(lambda: b"".join(b"%d,a\n" % i for i in range(310_000)), "info", "LOG", "--groups", "FILE", *FEWER),
        FEWER_ROWS,
    ),
    Bomb("groups of empty lines", text(lambda: b"\n" * 9_000_000, "info", "LOG", "--groups", "FILE"), ROWS),
    Bomb("groups in one line", text(lambda: b"1" * 9_000_000, "info", "LOG", "--groups", "FILE"), "length of a line"),
    Bomb("groups of many columns", text(lambda: b"," * 99_999, "info", "LOG", "--groups", "FILE"), "no"),
    Bomb("an lsb.acct of quotes", text(lambda: b'"' * 30_000_000, "import", "lsf", "FILE"), "the length of a line"),
    Bomb(
        "an lsb.acct whose first text does not end",
        text(lambda: b'"JOB_FINISH" "10.1" 1 "' + b"\n" * 9_000_000, "import", "lsf", "FILE"),
        "the length of a line",
    ),
    Bomb(
        "a workload of Batsim of objects",
        text(lambda: b'{"profiles":{},"jobs":[' + b'{"":0},' * 2_800_000 + b"{}]}", "import", "batsim", "FILE"),
        'jobs[0]: "id" is missing',
    ),
    Bomb(
        "a workload of Batsim of many jobs",
        text(
            lambda: (
                b'{"profiles":{"a":{"type":"delay","delay":1}},"jobs":['
                + b'{"id":1,"subtime":0.5,"res":1,"profile":"a"},' * 440_000
                + b'{"id":1,"subtime":0,"res":1,"profile":"b"}]}'
            ),
            *("import", "batsim", "FILE"),
        ),
        'jobs[440000]: profiles has no "b"',
    ),
    Bomb(
        "past runs",
        text(
            lambda: b"job,workload,size\n" + b"".join(b"a,1,%d\n" % i for i in range(1, 310_000)),
            *("assign", "JOBS", "NODES", "--history", "FILE", *FEWER),
        ),
        FEWER_ROWS,
    ),
    Bomb(
        "a run that is a view without end",
        store(f"create view evaluation as {COUNTED} x'' genome from n"),
        "evaluation",
    ),
    Bomb(
        "a run with a calculated column",
        store(
            EVALUATION.replace("genome blob not null", "genome blob as (zeroblob(900000000))"),
            "insert into evaluation (number, generation, objectives, seconds, checksum) values (0, 0, x'', 0.0, 0)",
        ),
        "evaluation",
    ),
    Bomb(
        "a run with a trigger",
        store(EVALUATION, "create trigger t after insert on evaluation begin select zeroblob(9); end"),
        "t",
    ),
    Bomb(
        "a run with a large value",
        store(EVALUATION, "insert into evaluation values (0, 0, zeroblob(20000000), x'', 0.0, 0)"),
        "",
    ),
)
