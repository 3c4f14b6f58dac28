"""A workload is opened again from what a run says of it."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.core.run_files import RUN_FILE
from paretosched.workload.reopening import as_workload, as_workloads, record, reopen, reopen_with_run
from paretosched.workload.swf import read_swf, read_swf_as_before
from paretosched.workload.workload import Workload


@pytest.fixture
def log(tmp_path: Path) -> Path:
    ps.write_swf(ps.lublin(jobs=120, processors=64, seed=5, variant="two-type"), tmp_path / "w.swf.gz")
    return tmp_path / "w.swf.gz"


def run_in(folder: Path, workload: Workload) -> Path:
    """Write what a run directory says, without a run."""
    folder.mkdir()
    about = {"parameters": {"workload": workload.digest}, "workload": record(workload)}
    (folder / RUN_FILE).write_text(json.dumps(about))
    return folder


MADE: dict[str, Callable[[Path], Workload]] = {
    "plain": ps.read_swf,
    "capacity": lambda log: ps.read_swf(log, capacity=100),
    "numpy numbers": lambda log: ps.scale(ps.read_swf(log, capacity=np.int64(64)), np.int64(128), np.float64(2.5)),
    "swf groups": lambda log: ps.by_swf_group(ps.read_swf(log)),
    "queues": lambda log: ps.by_queue(ps.read_swf(log)),
    "grouped twice": lambda log: ps.by_consumption(ps.by_queue(ps.read_swf(log)), [0.5, 0.1]),
    "scaled": lambda log: ps.scale(ps.read_swf(log), 128, seed=3, jobs=200),
    "scaled and grouped": lambda log: ps.by_consumption(ps.scale(ps.read_swf(log), 128, 2.5), [0.3]),
    "first part": lambda log: ps.split(ps.read_swf(log), 0.7)[0],
    "second part": lambda log: ps.split(ps.read_swf(log), 0.7)[1],
    "generated": lambda _: ps.lublin(jobs=80, processors=32, seed=9, carry=False, estimates="factor"),
    "generated and scaled": lambda _: ps.scale(ps.lublin(jobs=80, processors=32, seed=9), 64),
    "renamed": lambda log: ps.read_swf(log).with_(name="ours"),
}


@pytest.mark.parametrize("way", MADE)
def test_every_way_to_make_a_workload_is_repeated(way: str, log: Path, tmp_path: Path) -> None:
    workload = MADE[way](log)
    again = reopen(run_in(tmp_path / "run", workload))
    assert again.digest == workload.digest
    assert again.name == workload.name
    assert reopen(json.loads(json.dumps(record(workload)))).digest == workload.digest


def test_groups_of_a_file_are_read_again(log: Path, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("user,group\n0,staff\n1,guests\n")
    workload = ps.by_csv(ps.read_swf(log), tmp_path / "groups.csv")
    run = run_in(tmp_path / "run", workload)
    assert reopen(run).groups == ("staff", "guests", "other")
    (tmp_path / "groups.csv").write_text("user,group\n1,staff\n0,guests\n")
    with pytest.raises(InputError, match=r"groups\.csv: the file was changed since"):
        reopen(run)


def test_the_source_is_no_part_of_the_digest(log: Path) -> None:
    workload = ps.read_swf(log)
    assert workload.source
    assert workload.with_(source=()).digest == workload.digest


def test_what_was_changed_in_python_has_no_source(log: Path, tmp_path: Path) -> None:
    workload = ps.read_swf(log)
    for variant in (workload.with_(estimate=workload.run), workload.take(range(10))):
        assert variant.source == ()
        assert ps.by_consumption(variant).source == ()
    run = run_in(tmp_path / "run", workload.take(range(10)))
    with pytest.raises(InputError, match="does not say where its workload came from"):
        reopen(run)
    with pytest.raises(InputError, match="made or changed in Python"):
        reopen(record(workload.take(range(10))))


def test_a_log_that_moved_with_the_run_is_found(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("w.swf.gz", log):
        workload = ps.read_swf(path)
        (tmp_path / "elsewhere").mkdir()
        run = run_in(tmp_path / "elsewhere" / "run", workload)
        shutil.move(log, tmp_path / "elsewhere" / "w.swf.gz")
        assert reopen(run).digest == workload.digest
        shutil.move(tmp_path / "elsewhere" / "w.swf.gz", log)
        shutil.rmtree(tmp_path / "elsewhere")


def test_another_file_of_the_same_name_is_not_taken(log: Path, tmp_path: Path) -> None:
    workload = ps.read_swf(log)
    run = run_in(tmp_path / "run", workload)
    shutil.move(log, tmp_path / "run" / "w.swf.gz")
    ps.write_swf(ps.lublin(jobs=90, processors=64, seed=6), log)
    assert reopen(run).source[0]["path"] == str(tmp_path / "run" / "w.swf.gz")
    (tmp_path / "run" / "w.swf.gz").unlink()
    with pytest.raises(InputError, match=r"w\.swf\.gz: the file was changed since: its SHA-256 is"):
        reopen(run)
    log.unlink()
    message = r"w\.swf\.gz: the file is gone, .*; put it there, or name the log in place of the run$"
    with pytest.raises(InputError, match=message):
        reopen(run)


def test_the_same_jobs_packed_in_another_way_are_another_file(log: Path, tmp_path: Path) -> None:
    run = run_in(tmp_path / "run", ps.read_swf(log))
    log.write_bytes(gzip.compress(gzip.decompress(log.read_bytes()), compresslevel=1))
    with pytest.raises(InputError, match="the file was changed since"):
        reopen(run)


def test_what_comes_out_must_be_the_workload_of_the_run(log: Path, tmp_path: Path) -> None:
    workload = ps.read_swf(log)
    run = run_in(tmp_path / "run", workload)
    about = json.loads((run / RUN_FILE).read_text())
    about["workload"]["source"][0]["capacity"] = 999
    (run / RUN_FILE).write_text(json.dumps(about))
    with pytest.raises(InputError, match=f"must be {workload.digest[:12]} by its digest"):
        reopen(run)
    with pytest.raises(InputError, match="there is no run here of this workload"):
        reopen(run, "0" * 64)


LUBLIN: dict[str, object] = {"function": "lublin", "jobs": 30, "processors": 32, "seed": 1}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([3], "must have known steps only"),
        ([{"function": "remove"}], "must have known steps only"),
        ([{"function": "scale"}], "must have known steps only"),
        ([{"function": "lublin", "horses": 3}], "a step that is damaged"),
        ("lublin", "must have known steps only"),
        ([LUBLIN, {"function": "split", "until": 0.5, "part": 5}], "its part must be 0 or 1"),
        ([LUBLIN, {"function": "split", "until": 0.5, "part": "x"}], "its part must be 0 or 1"),
        ([LUBLIN, {"function": "split", "until": 0.5, "part": 1.5}], "its part must be 0 or 1"),
        ([LUBLIN] + [{"function": "by_consumption"}] * 100, "must have at most 100 steps, but has 101"),
        ([LUBLIN | {"jobs": 10**7}], "the number of jobs in a log must be at most 5,000,000 jobs, but is 10,000,000"),
    ],
)
def test_a_damaged_source_is_an_error_of_one_line(source: object, message: str, tmp_path: Path) -> None:
    (tmp_path / RUN_FILE).write_text(json.dumps({"parameters": {"workload": "x"}, "workload": {"source": source}}))
    with pytest.raises(InputError, match=message) as error:
        reopen(tmp_path)
    assert "\n" not in str(error.value)


def test_a_front_beside_its_runs_tells_which_run_it_belongs_to(log: Path, tmp_path: Path) -> None:
    one, other = ps.read_swf(log), ps.read_swf(log, capacity=100)
    run_in(tmp_path / "a", one)
    run_in(tmp_path / "b", other)
    with pytest.raises(InputError, match="runs of several workloads"):
        reopen(tmp_path / "front.parquet")
    for workload, name in ((one, "a"), (other, "b")):
        log_again, run = reopen_with_run(tmp_path / "front.parquet", workload.digest)
        assert (log_again.digest, run) == (workload.digest, tmp_path / name)


def test_as_workload_accepts_a_value_a_log_and_a_run(log: Path, tmp_path: Path) -> None:
    workload = ps.read_swf(log)
    run = run_in(tmp_path / "run", workload)
    assert as_workload(workload) is workload
    assert [w.digest for w in as_workloads([log, str(log), run])] == [workload.digest] * 3
    assert (
        as_workload(log, capacity=100, groups="50").digest
        == reopen(record(ps.by_consumption(ps.read_swf(log, capacity=100), [0.5]))).digest
    )
    assert as_workload(run, groups="50").digest == ps.by_consumption(workload, [0.5]).digest
    with pytest.raises(InputError, match="say how a log is read"):
        as_workload(workload, groups="queue")
    with pytest.raises(InputError, match="say how a log is read"):
        as_workload(run, capacity=100)
    with pytest.raises(InputError, match="--groups: percentages must descend"):
        as_workload(log, groups="1,2", called="--groups")


@pytest.mark.slow
def test_a_training_is_opened_again_as_an_exploration_is(log: Path, tmp_path: Path) -> None:
    workload = ps.by_consumption(log, [0.3])
    ps.train(workload, "AWRT1", criterion="f1", generations=1, until=0.7, run_directory=tmp_path / "greedy")
    assert reopen(tmp_path / "greedy").digest == workload.digest
    assert as_workload(tmp_path / "greedy").name == workload.name
    kind = {"kind": "iterative", "generations": 1, "evaluations": 4}
    ps.train_rules(workload, "AWRT1", run_directory=tmp_path / "rules", **kind)  # type: ignore[arg-type]
    for place in ("rules", "rules/rules", "rules/greedy"):
        assert reopen(tmp_path / place).digest == workload.digest


@pytest.mark.slow
def test_of_a_training_with_several_workloads_one_is_named(log: Path, tmp_path: Path) -> None:
    parts = ps.split(log, 0.5)
    ps.train(parts, "AWRT1", criterion="f1", generations=1, run_directory=tmp_path / "run")
    for part in parts:
        assert reopen(tmp_path / "run", part.digest).digest == part.digest
    with pytest.raises(InputError, match=r"run: this training has several workloads; name the log of one"):
        reopen(tmp_path / "run")
    with pytest.raises(InputError, match=r"run: there is no run here of this workload"):
        reopen(tmp_path / "run", "ab12")


def test_a_training_beside_an_exploration_does_not_decide(log: Path, tmp_path: Path) -> None:
    workload = ps.read_swf(log)
    run_in(tmp_path / "a", workload)
    training = {"parameters": {"task": "train", "workloads": ["ab12"]}, "workloads": ["other"]}
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / RUN_FILE).write_text(json.dumps(training))
    assert reopen(tmp_path).digest == workload.digest
    with pytest.raises(InputError, match=r"does not say where its workload came from"):
        reopen(tmp_path / "b")


@pytest.mark.parametrize("workloads", [None, 3, "ab", [], [3], {"a": 1}])
def test_a_damaged_training_is_an_error_of_one_line(workloads: object, tmp_path: Path) -> None:
    content = {"parameters": {"workloads": workloads}, "workloads": 3, "sources": 3}
    (tmp_path / RUN_FILE).write_text(json.dumps(content))
    with pytest.raises(InputError):
        reopen(tmp_path)


def test_when_jobs_could_run_is_read_again_from_beside_the_log(log: Path, tmp_path: Path) -> None:
    made = ps.read_swf(log)
    ps.write_swf(made.with_(eligible=made.submit + made.job % 2 * 60), log)
    workload = ps.scale(ps.read_swf(log), 128, 2.5)
    assert workload.has_later_jobs
    run = run_in(tmp_path / "run", workload)
    assert reopen(run).digest == workload.digest
    Path(f"{log}.names.json").unlink()
    with pytest.raises(InputError):
        reopen(run)


def test_a_run_of_a_log_that_was_read_otherwise_before_is_still_opened(tmp_path: Path) -> None:
    lines = [f"{j} {1_600_000_000 + j} 0 50 2 -1 -1 2 90 -1 1 {j} -1 -1 -1 -1 -1 -1" for j in range(5)]
    (tmp_path / "w.swf").write_text("\n".join([*lines, ""]))
    now, before = read_swf(tmp_path / "w.swf"), read_swf_as_before(tmp_path / "w.swf")
    assert (now.capacity, now.submit[0], before.capacity, before.submit[0]) == (10, 0, 2, 1_600_000_000)
    step = {**now.source[0], "function": "read_swf"}
    old = {"digest": before.digest, "source": [step, *now.source[1:]]}
    assert reopen(old).digest == before.digest
    assert reopen(record(reopen(old))).digest == before.digest
    assert reopen(record(now)).digest == now.digest
    with pytest.raises(InputError, match="must be 0123456789ab by its digest"):
        reopen(old | {"digest": "0123456789abcdef"})
