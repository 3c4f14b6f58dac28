"""Public tables are read as their descriptions say: twenty made-up lines of each, in `data/accounting/public`."""

import json
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from paretosched.core.errors import InputError
from paretosched.workload.public_catalogue import LOGS, READINGS, find_reading
from support.accounting import RECORDED, Result, column, import_into
from support.commands import command

SAMPLES = RECORDED / "public"
# The same twenty jobs in all samples: minutes from the first submission, seconds of wait and run, nodes, GPUs, users.
SUBMIT = (0, 3, 4, 9, 15, 15, 22, 40, 41, 58, 75, 76, 90, 110, 111, 130, 150, 151, 175, 200)
WAIT = (0, 12, 0, 95, 7, 310, 0, 44, 1800, 3, 0, 61, 250, 0, 5, 720, 2, 0, 33, 15)
RUN = (3600, 120, 45, 7200, 600, 1800, 3, 900, 5400, 60, 240, 1500, 10, 4000, 77, 620, 3000, 12, 840, 36)
NODES = (1, 2, 1, 4, 1, 8, 1, 2, 16, 1, 1, 2, 4, 1, 1, 8, 1, 1, 2, 1)
GPUS = (1, 4, 0, 8, 1, 16, 1, 2, 64, 1, 0, 8, 8, 1, 1, 32, 4, 1, 8, 2)
WAITS, RUNS = 17, 19  # the job that never started, and the one that still runs, where a sample says so
NO_GPU = tuple(i for i, gpus in enumerate(GPUS) if not gpus)
FAILED = (2, 4, 10, 15)  # and timed out or lost a node
CANCELLED = (6, 12)


class Sample(NamedTuple):
    """What a sample has: its reading, what is counted, the first submission, its widths, and who is not there."""

    file: str
    reading: str
    unit: str
    epoch: int
    width: tuple[int, ...]
    without: tuple[int, ...] = ()
    counts: dict[str, tuple[str, int]] = {}  # noqa: RUF012


UNFINISHED = {"had not ended, by its state": ("dropped", 2)}
STILL = {"had not ended, by its state": ("dropped", 1), "never ran": ("dropped", 1)}
NO_WIDTH = {"uses none of what is counted as its width": ("dropped", len(NO_GPU))}
MILLI = (100, 400, 0, 800, 46, 800, 22, 200, 800, 1, 0, 800, 800, 50, 100, 800, 400, 13, 800, 200)
SAMPLES_OF = (
    Sample("acme-kalos.csv", "acme", "gpus", 1684321200, GPUS, (*NO_GPU, WAITS), NO_WIDTH),
    Sample("acme-seren.csv", "acme", "gpus", 1677600600, GPUS, NO_GPU, NO_WIDTH),
    Sample("alcf.csv", "alcf", "nodes", 1646661600, tuple(8 * nodes for nodes in NODES)),
    Sample("eagle.csv", "eagle", "nodes", 1636259400, NODES, (WAITS, RUNS), UNFINISHED),
    Sample("fdata.csv", "fdata", "nodes", 1680480000, NODES),
    Sample("helios.csv", "helios", "gpus", 1591696800, GPUS, NO_GPU, NO_WIDTH),
    Sample("kestrel.csv", "kestrel", "cpus", 1725282000, tuple(104 * n for n in NODES), (WAITS, RUNS), UNFINISHED),
    Sample("openb.csv", "openb", "units of 1/100 GPU", 0, MILLI, (*NO_GPU, WAITS), NO_WIDTH),
    Sample("philly.json", "philly", "gpus", 1507365000, GPUS, (*NO_GPU, WAITS, RUNS), STILL),
    Sample("pm100.csv", "pm100", "cpus", 1588579200, tuple(128 * nodes for nodes in NODES)),
    Sample("supercloud.csv", "supercloud", "cpus", 1612170000, tuple(20 * n for n in NODES), (WAITS, RUNS), UNFINISHED),
    Sample("theta.csv", "theta", "nodes", 1667282400, tuple(8 * nodes for nodes in NODES)),
)


def in_its_form(sample: Sample, folder: Path) -> Path:
    """Return the file of a sample: of those that are published as Parquet, with the types that they have there."""
    path = SAMPLES / sample.file
    if sample.reading not in ("eagle", "fdata", "kestrel", "pm100"):
        return path
    frame = pd.read_csv(path, dtype={"memory_req": str})
    for name in [name for name in frame.columns if name.endswith("_time") and name != "run_time"]:
        frame[name] = pd.to_datetime(frame[name], utc=sample.reading in ("kestrel", "pm100"))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if sample.reading == "kestrel":
        lasting = table.column("wallclock_req").cast(pa.duration("s")).cast(pa.duration("ns"))
        table = table.set_column(table.column_names.index("wallclock_req"), "wallclock_req", lasting)
    if sample.reading == "pm100":  # beside what is read there are lists
        table = table.append_column("node_power_consumption", pa.array([[1, 2]] * table.num_rows))
    parquet.write_table(table, folder / "table.parquet")
    return folder / "table.parquet"


@pytest.mark.parametrize("sample", SAMPLES_OF, ids=lambda sample: sample.file)
def test_twenty_lines_of_each_are_read(tmp_path: Path, sample: Sample) -> None:
    log = import_into(tmp_path, "csv", in_its_form(sample, tmp_path), "--as", sample.reading)
    kept = [i for i in range(20) if i not in sample.without]
    assert len(log.jobs) == len(kept)
    assert [*column(log, "submit").values()] == [60 * SUBMIT[i] for i in kept]
    assert [*column(log, "wait").values()] == [WAIT[i] for i in kept]
    lasting = [RUN[i] + (sample.reading == "theta" and i > 0) for i in kept]  # there with fractions
    assert [*column(log, "run").values()] == lasting
    assert [*column(log, "width").values()] == [sample.width[i] for i in kept]
    assert f"; UnixStartTime: {sample.epoch}" in log.header
    assert f"; Note: processors are {sample.unit}, groups are account; names are beside this file" in log.header
    assert log.about["unit"] == sample.unit
    for reason, count in sample.counts.items():
        assert log.counts[reason] == count
    assert not [reason for reason in log.counts if "no word that is known" in reason]


def of(reading: str, folder: Path, file: str | None = None) -> Result:
    """Return what is imported of the sample of a reading."""
    sample = next(s for s in SAMPLES_OF if s.file == (file or f"{reading}.csv"))
    return import_into(folder, "csv", in_its_form(sample, folder), "--as", reading)


def test_states_are_understood(tmp_path: Path) -> None:
    by_code = of("supercloud", tmp_path)
    ended = dict(zip((i for i in range(20) if i not in (WAITS, RUNS)), column(by_code, "status").values(), strict=True))
    assert [i for i, status in ended.items() if status == 0] == [*FAILED]
    assert [i for i, status in ended.items() if status == 5] == [*CANCELLED]
    assert column(of("eagle", tmp_path), "status") == {4_100_001 + i: status for i, status in ended.items()}
    theta = [*column(of("theta", tmp_path), "status").values()]
    assert [i for i, status in enumerate(theta) if status == 0] == [4, 15]  # "Failed"
    assert [i for i, status in enumerate(theta) if status == 5] == [2, 6, 10, 12, WAITS]  # "Killed"


def test_requested_times_are_in_the_units_of_each(tmp_path: Path) -> None:
    estimates = [*column(of("pm100", tmp_path), "estimate").values()]  # minutes
    assert estimates == [60 * (30 if i % 4 else 1440) for i in range(20)]
    slurm = column(of("supercloud", tmp_path), "estimate")  # minutes, and one without
    assert set(slurm.values()) == {60 * 240}
    assert of("supercloud", tmp_path).counts["no limit"] == ("assumed", 1)
    assert set(column(of("kestrel", tmp_path), "estimate").values()) == {4 * 3600}
    assert set(column(of("fdata", tmp_path), "estimate").values()) == {86_400}
    assert set(column(of("eagle", tmp_path), "estimate").values()) == {4 * 3600}


def test_what_else_is_there_is_kept(tmp_path: Path) -> None:
    kestrel = of("kestrel", tmp_path)
    assert {word: sorted(each.value.tolist()) for word, each in kestrel.names.asked.items()} == {
        "nodes": sorted(n for i, n in enumerate(NODES) if n > 1 and i not in (WAITS, RUNS)),
        "gpus": [4, 16],  # the third one waited
    }
    assert [*kestrel.names.partitions.values()] == ["standard", "gpu-h100"]
    openb = of("openb", tmp_path)
    assert [*openb.names.constraints.values()] == ["V100M16|V100M32"]
    assert column(openb, "asked_memory")[1] == 16384 * 1024 // 100  # a part of a GPU has that much of its memory
    assert openb.counts["its state is that of a job that has not ended, but it has an end"] == ("assumed", 3)
    late = of("pm100", tmp_path).names.eligible
    assert (late.job.tolist(), late.after.tolist()) == ([200_009], [60])


@pytest.mark.parametrize(("log", "fact"), [
    ("frontier", "it is in the Standard Workload Format: no import is needed"),
    ("metacentrum", "it is in the Standard Workload Format: no import is needed"),
    ("KTH-SP2", "it is in the Standard Workload Format: no import is needed"),
    ("pm10", 'is "pm10"; did you mean pm100?'),
])  # fmt: skip
def test_what_is_no_table_says_so(log: str, fact: str) -> None:
    said = command("import", "csv", SAMPLES / "theta.csv", "--as", log)
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert fact in said.err


def test_a_public_log_is_read_by_its_own_name_too() -> None:
    assert find_reading("--as", "acme-kalos") is READINGS["acme"]
    with pytest.raises(InputError, match="reading must be one of"):
        find_reading("reading", "nothing")


def test_options_beside_a_reading_count_more(tmp_path: Path) -> None:
    words = (SAMPLES / "helios.csv", "--as", "helios")
    assert of("helios", tmp_path).about["unit"] == "gpus"
    nodes = import_into(tmp_path, "csv", *words, "--width", "nodes", "--zone", "UTC")
    assert (nodes.about["unit"], len(nodes.jobs)) == ("nodes", 20)
    assert "; UnixStartTime: 1591725600" in nodes.header  # eight hours later than in Shanghai
    both = command("import", "csv", *words, "--columns", "submit=submit_time")
    assert "--columns and --as say the same: give one of them" in both.err


def test_the_catalogue_is_whole() -> None:
    for log in LOGS.values():
        assert log.reading == "" or log.reading in READINGS
        assert log.by_hand or log.sha256 or not log.url
        assert log.url == "" or log.url.startswith("https://")
        assert not log.by_hand or log.how


def test_each_attempt_of_philly_is_a_life_that_waits_from_the_end_of_the_one_before(tmp_path: Path) -> None:
    def attempt(start: str | None, end: str | None, *gpus: int) -> dict[str, object]:
        at = {key: value and f"2017-09-01 {value}" for key, value in (("start_time", start), ("end_time", end))}
        return {**at, "detail": [{"ip": "m", "gpus": [f"gpu{k}" for k in range(count)]} for count in gpus]}

    first = [attempt("10:00:05", "10:01:00", 2), attempt("10:01:30", None, 2), attempt("10:03:00", "10:05:00", 8, 4)]
    jobs = [
        {"submitted_time": "2017-09-01 10:00:00", "vc": "a", "user": "x", "status": "Pass", "attempts": first},
        {"submitted_time": "2017-09-01 10:02:00", "attempts": [attempt(None, "10:03:00", 1)]},
    ]
    (tmp_path / "cluster_job_log").write_text(json.dumps(jobs))
    log = import_into(tmp_path, "csv", tmp_path / "cluster_job_log", "--as", "philly")
    assert [(job["submit"], job["wait"], job["run"], job["width"], job["status"]) for job in log.jobs.values()] == [
        (0, 5, 55, 2, 5), (60, 120, 120, 12, 1),
    ]  # fmt: skip
    assert log.counts["never ran"] == ("dropped", 2)
    assert "; TimeZoneString: America/Los_Angeles" in log.header


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("{}", "not the cluster_job_log of the Philly traces: "),
        ('[{"submitted_time": "2017-09-01 10:00:00"}]', '"attempts"'),
        ('[{"submitted_time": "soon", "attempts": []}]', ':1: submitted_time is "soon"'),
        ("jobid,vc\n1,2\n", "JSON"),
        ("[]", "there is no job that can be simulated"),
    ],
)
def test_what_is_not_the_list_of_philly_is_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "x").write_text(text)
    said = command("import", "csv", tmp_path / "x", "--as", "philly")
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert fact in said.err
