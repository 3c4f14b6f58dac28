"""Logs of machines of nodes: one Parquet file, from which the same workload comes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import paretosched as ps
from paretosched import InputError, Machine, NodeKind, Outage, Partition, Requests, Workload, load_log, save_log
from paretosched.search.settings import settle
from paretosched.workload.limits import Limits
from paretosched.workload.log_names import Names
from paretosched.workload.log_parquet import KEY, write_runs, write_workload
from paretosched.workload.machine import Reservation
from paretosched.workload.workload import Repair
from support.commands import command

MACHINE = Machine(
    (NodeKind("n[1-2]", 4, 8000), NodeKind("g1", 8, 16000, {"v100": 2})),
    (Partition("cpu", "n[1-2]", longest=100), Partition("all", default=True)),
    down=(Outage("n1", 946857600 + 50, 946857600 + 70),),
)


def workload(**changes: object) -> Workload:
    """Four jobs of two users; the group of each is as load_log makes it."""
    requests = Requests(tasks=[4, 1, 2, 1], partition=["cpu", "", "", "cpu"], gpus_per_node=[0, 1, 0, 0])
    columns: dict[str, object] = {
        "submit": [0, 5, 9, 9], "run": [10, 2, 3, 4], "estimate": [20, 30, 40, 50], "width": [4, 1, 2, 1],
        "capacity": 16, "user": [1, 1, 2, 2], "job": [7, 8, 9, 10], "wait": [0, -1, 3, 4], "eligible": [0, 6, 9, 9],
        "zone": "Europe/Berlin", "name": "w", "machine": MACHINE, "requests": requests, "header": ("Note: x",),
        "names": Names(users={1: "ann", 2: "bob"}, source="slurm"), "repairs": (Repair("changed", "x", 3, "job 7"),),
    }  # fmt: skip
    return ps.by_consumption(Workload(**(columns | changes)))  # type: ignore[arg-type]


def test_the_same_workload_comes_back(tmp_path: Path) -> None:
    before = workload()
    save_log(before, tmp_path / "w.parquet")
    after = load_log(tmp_path / "w.parquet")
    assert after.digest == before.digest
    assert (after.machine, after.epoch, after.zone, after.name) == (MACHINE, before.epoch, "Europe/Berlin", "w")
    assert (after.job.tolist(), after.header, after.repairs) == ([7, 8, 9, 10], ("Note: x",), before.repairs)
    assert after.names is not None
    assert after.names.users == {1: "ann", 2: "bob"}
    assert after.requests is not None
    assert after.requests.digest == before.requests.digest  # type: ignore[union-attr]
    save_log(after, tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "w.parquet").read_bytes()


def test_limits_accounts_and_reservations_are_in_the_file(tmp_path: Path) -> None:
    limits = (Limits("long", "", "", "", {"MaxJobsPU": 8}, ("DenyOnLimit",)), Limits("", "a", "", "", {"MaxWall": 60}))
    kept = (Reservation("r", "n1", 946857600, 946861200, users=("ann",)),)
    before = workload(machine=replace(MACHINE, limits=limits, accounts={"a": "root"}, reservations=kept))
    save_log(before, tmp_path / "w.parquet")
    after = load_log(tmp_path / "w.parquet")
    assert after.machine == before.machine
    assert after.digest == before.digest != workload().digest


def test_a_run_that_is_recorded_beyond_the_request_is_cut_or_raises_it(tmp_path: Path) -> None:
    write_runs(workload(), np.array([10, 2, 3, 150]), tmp_path / "w.parquet")
    cut = load_log(tmp_path / "w.parquet", overrun="cut")
    assert (cut.run.tolist(), cut.estimate.tolist()) == ([10, 2, 3, 50], [20, 30, 40, 50])
    assert cut.repairs[-1].work_percent == pytest.approx(100 * 100 / (40 + 2 + 6 + 150))
    raised = load_log(tmp_path / "w.parquet", overrun="raise")
    assert (raised.run.tolist(), raised.estimate.tolist()) == ([10, 2, 3, 150], [20, 30, 40, 150])
    with pytest.warns(UserWarning, match='load_log overrun="raise"'):
        load_log(tmp_path / "w.parquet")


def test_jobs_that_can_never_run_are_dropped_and_counted(tmp_path: Path) -> None:
    requests = Requests(tasks=[4, 17, 2, 1], partition=["cpu", "", "", "cpu"])
    save_log(workload(requests=requests, estimate=[20, 30, 40, 500], wait=[-1] * 4), tmp_path / "w.parquet")
    after = load_log(tmp_path / "w.parquet")
    assert after.job.tolist() == [7, 9]
    reasons = {each.reason.removeprefix("can never run on the machine: "): each.first for each in after.repairs[1:]}
    assert reasons == {
        "asks for a longer time than its partitions allow (7.69 % of the work)": "job 10",
        "its partitions do not have so many nodes, CPUs or GPUs that would do (3.85 % of the work)": "job 8",
    }
    # a job that has started was allowed to
    save_log(workload(estimate=[20, 30, 40, 500]), tmp_path / "w.parquet")
    assert len(load_log(tmp_path / "w.parquet")) == 4
    nothing = workload(requests=Requests(tasks=[99] * 4))
    save_log(nothing, tmp_path / "w.parquet")
    with pytest.raises(InputError, match="none of 4 jobs can run on the machine: 4 can never run"):
        load_log(tmp_path / "w.parquet")


def test_a_log_in_swf_cannot_say_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a log in SWF has no column for nodes"):
        ps.write_swf(workload(), tmp_path / "w.swf")
    with pytest.raises(InputError, match=r"must end in \.parquet"):
        write_workload(workload(), tmp_path / "w.swf")
    with pytest.raises(InputError, match=r"must not end in \.parquet"):
        write_workload(workload().one_pool, tmp_path / "w.parquet")
    with pytest.raises(InputError, match="has no machine of nodes"):
        save_log(workload().one_pool, tmp_path / "w.parquet")


def damage(path: Path, **changes: object) -> Path:
    """Write the log with other metadata or columns; None removes one."""
    table = parquet.read_table(path)
    about = json.loads(table.schema.metadata[KEY])
    for key, value in changes.items():
        if key in table.column_names:
            place = table.column_names.index(key)
            table = table.remove_column(place)
            if value is not None:
                table = table.append_column(key, pa.array(value))
        else:
            about[key] = value
    other = path.with_name("damaged.parquet")
    parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(about)}), other)
    return other


def test_damaged_files_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "w.parquet"
    save_log(workload(), path)
    for changes, words in [
        ({"machine": "[[nodes]]"}, "its machine: nodes 1: hosts is missing"),
        ({"format": "paretosched log 9"}, "its format must be paretosched log 1"),
        ({"extra": 1}, '"extra"'),
        ({"epoch": "x"}, '"epoch" must be a whole number'),
        ({"tasks": None}, "column tasks must have numbers, but is missing"),
        ({"tasks": ["a", "b", "c", "d"]}, "column tasks must have numbers, but is of the type string"),
        ({"tasks": [1, None, 2, 3]}, "column tasks must be without gaps"),
        ({"tasks": [0, 1, 2, 3]}, "tasks must be in 1.."),
        ({"partition": [1, 2, 3, 4]}, "column partition must have texts"),
        ({"submit": [3, 2, 1, 0], "eligible": [5, 5, 5, 5]}, "submit must be sorted"),
    ]:
        with pytest.raises(InputError) as error:
            load_log(damage(path, **changes))
        assert words in str(error.value)
        assert str(error.value).startswith(f"{tmp_path}/damaged.parquet: ")
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:900])
    with pytest.raises(InputError, match="it is cut short"):
        load_log(tmp_path / "cut.parquet")
    parquet.write_table(pa.table({"submit": [1]}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="it is no log of paretosched"):
        ps.as_workload(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="no such file"):
        load_log(tmp_path / "none.parquet")
    with ps.reading_limits(jobs=3), pytest.raises(InputError, match="number of jobs in a log must be at most 3"):
        load_log(path)


def test_a_run_reopens_it_as_one_pool(tmp_path: Path) -> None:
    save_log(workload(), tmp_path / "w.parquet")
    pool = ps.as_workload(tmp_path / "w.parquet").one_pool
    assert pool.machine is None
    from paretosched.workload.reopening import record

    assert ps.reopen(record(pool)).digest == pool.digest
    whole = ps.as_workload(tmp_path / "w.parquet")
    assert ps.reopen(record(whole)).digest == whole.digest
    with pytest.raises(InputError, match="capacity cannot be changed"):
        ps.as_workload(tmp_path / "w.parquet", capacity=3)


def test_simulations_are_on_nodes_but_with_one_pool(tmp_path: Path) -> None:
    path = tmp_path / "w.parquet"
    save_log(workload(), path)
    schedule = ps.simulate(path, "fcfs").check()
    assert schedule.placement is not None
    assert command("simulate", path, "--policy", "fcfs", "-o", tmp_path / "s.csv").status == 0
    assert "nodes" in (tmp_path / "s.csv").read_text().splitlines()[0].split(",")
    assert command("simulate", path, "--policy", "fcfs", "--one-pool", "-o", tmp_path / "pool.csv").status == 0
    assert "nodes" not in (tmp_path / "pool.csv").read_text().splitlines()[0].split(",")
    with pytest.raises(InputError, match='decoding must not be "earliest" on a machine of nodes, but is'):
        settle(workload(), {}, seed=0, population=20, encoding="sequence", start=["submit"])
    with pytest.raises(InputError, match="time sharing must be on equal processors"):
        ps.simulate(path, "scojo-opt")


def test_resampling_and_parts_keep_the_nodes(tmp_path: Path) -> None:
    whole = workload()
    first, rest = ps.split(whole, 0.6)
    assert (first.machine, rest.machine) == (MACHINE, MACHINE)
    assert first.requests is not None
    assert rest.requests is not None
    assert first.requests.tasks.tolist() + rest.requests.tasks.tolist() == [4, 1, 2, 1]
    again = ps.resample(whole, seed=2)
    assert again.machine is not None
    assert again.machine.down == ()  # that day is not in another year
    assert again.requests is not None
    rows = [whole.run.tolist().index(run) for run in again.run.tolist()]
    assert again.requests.tasks.tolist() == [[4, 1, 2, 1][row] for row in rows]
    with pytest.raises(InputError, match="its nodes are not made; type in its place: resample LOG --load"):
        ps.scale(whole, 32)
    save_log(workload(submit=[0, 5, 9, 700_000], eligible=None), tmp_path / "w.parquet")
    assert command("resample", tmp_path / "w.parquet", "-o", tmp_path / "r.parquet").status == 0
    assert load_log(tmp_path / "r.parquet").machine is not None


def test_frames_keep_the_nodes() -> None:
    whole = workload()
    assert Workload.from_frame(whole.frame()).digest == whole.digest
    frame = whole.frame().drop(columns=["gpus"])
    assert Workload.from_frame(frame).digest == whole.digest
    with pytest.raises(InputError, match="there is also tasks"):
        Workload.from_frame(whole.frame(), machine=None)


def test_machine_and_requests_belong_together() -> None:
    with pytest.raises(InputError, match="machine and requests must both be given"):
        workload(requests=None)
    with pytest.raises(InputError, match="requests must be those of 4 jobs, but are of 1"):
        workload(requests=Requests(tasks=[1]))
    with pytest.raises(InputError, match="capacity must be the 16 CPUs of the machine, but is 20"):
        workload(capacity=20)


def test_a_pool_has_the_digest_it_had_before() -> None:
    plain = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
    assert plain.digest == "29fdfb74c21f9d0e7980af87652427c90d4cf965a51271cd295ab664a30d237e"
