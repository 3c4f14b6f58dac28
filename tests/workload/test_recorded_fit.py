"""For how long waiting jobs would have fit by the record, in seconds, in tables and in words."""

from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload import recorded_fit
from paretosched.workload.down_times import DownTimes
from paretosched.workload.log_lines import PARTITION, QUEUE, RUN
from paretosched.workload.recorded_fit import other_machine, waiting_of, waits_table, waits_text
from paretosched.workload.records import Records
from paretosched.workload.requests import FIELDS, records_asking
from paretosched.workload.workload import Workload
from support.exploring import random_workload


def with_gpus(w: Workload, gpus: Any, queue: Any = -1, partition: Any = -1) -> Workload:
    """Return a workload whose jobs ask for GPUs, and are of queues and partitions."""
    ones = np.ones(len(w), dtype=np.int64)
    records = records_asking(-ones, ones, np.asarray(gpus), 0 * ones)
    assert isinstance(records, Records)
    return w.with_(records=records.with_columns({QUEUE: queue, PARTITION: partition}))


def naive_fitting(w: Workload, gpus: list[int]) -> list[int]:
    """Look at every second of every wait."""
    start = w.eligible + w.wait
    runs = [range(int(start[j]), int(start[j] + w.run[j])) if w.wait[j] >= 0 else range(0) for j in range(len(w))]
    horizon = max((r.stop for r in runs), default=0)
    use = [sum(int(w.width[j]) for j in range(len(w)) if s in runs[j]) for s in range(horizon)]
    gpu_use = [sum(gpus[j] for j in range(len(w)) if s in runs[j]) for s in range(horizon)]
    there = max(gpus + gpu_use)
    fitting = []
    for j in np.flatnonzero(w.wait >= 0):
        fits = 0
        for s in range(int(w.eligible[j]), int(start[j])):
            down = 0
            if w.down is not None:
                down = int(w.down.processors[(w.down.begin <= s) & (s < w.down.end)].sum())
            fits += use[s] + down + w.width[j] <= w.capacity and gpu_use[s] + gpus[j] <= there
        fitting.append(int(fits))
    return fitting


def test_the_seconds_are_those_of_a_look_at_every_second() -> None:
    rng = np.random.default_rng(4)
    partly = 0
    for seed in range(12):
        w = random_workload(jobs=25, seed=seed)
        down = DownTimes([50, 200], [120, 230], [1, w.capacity]) if seed % 2 else None
        eligible = w.submit + rng.integers(0, 40, len(w))
        w = w.with_(wait=rng.integers(-1, 300, len(w)), eligible=eligible, down=down)
        gpus = rng.integers(0, 4, len(w)).tolist()
        waiting = waiting_of(with_gpus(w, gpus))
        assert waiting is not None
        assert waiting.fitting.tolist() == naive_fitting(w, [0] * len(w))
        assert waiting.fitting_gpus.tolist() == naive_fitting(w, gpus)
        partly += int(((waiting.fitting > 0) & (waiting.fitting < waiting.wait)).sum())
    assert partly > 20


def test_without_a_recorded_wait_nothing_is_known() -> None:
    w = random_workload(seed=1)
    assert waiting_of(w) is None
    assert waits_table(w) is None
    assert other_machine(w) == ""


def test_a_machine_that_is_said_too_small_is_full_and_not_more() -> None:
    times = [90] * 3
    waiting = waiting_of(
        Workload(submit=[0, 10, 20], run=times, estimate=times, width=[4] * 3, capacity=4, wait=[0] * 3)
    )
    assert waiting is not None
    assert waiting.full == pytest.approx(100)


def test_a_run_time_that_was_cut_counts_as_recorded() -> None:
    w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[2, 1], capacity=2, wait=[0, 30])
    waiting = waiting_of(w)
    assert waiting is not None
    assert waiting.fitting.tolist() == [0, 20]
    waiting = waiting_of(w.with_(records=np.full((2, FIELDS), -1.0)))
    assert waiting is not None
    assert waiting.fitting.tolist() == [0, 20]
    records = Records.of(np.full((2, FIELDS), -1.0)).with_columns({RUN: [30, 5]})
    waiting = waiting_of(w.with_(records=records))
    assert waiting is not None
    assert waiting.fitting.tolist() == [0, 0]


def test_a_machine_that_is_asked_for_is_not_the_one_on_which_jobs_waited(tmp_path: Any) -> None:
    log = tmp_path / "w.swf"
    ps.write_swf(Workload(submit=[0, 0], run=[90, 9], estimate=[90, 9], width=[4, 4], capacity=4, wait=[0, 90]), log)
    assert other_machine(ps.read_swf(log)) == ""
    assert other_machine(ps.read_swf(log, capacity=8)) == ""  # twice as large: what if?
    waiting = waiting_of(ps.read_swf(log, capacity=8))
    assert waiting is not None
    assert waiting.fitting.tolist() == [0, 0]


def test_a_log_that_would_take_minutes_is_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    w = random_workload(jobs=40, seed=3)
    w = w.with_(wait=np.full(len(w), 200))
    whole = waiting_of(w)
    monkeypatch.setattr(recorded_fit, "MOST_STEPS", 30)
    some = waiting_of(w)
    assert whole is not None
    assert some is not None
    assert 0 < some.rows.size < len(w)
    assert some.fitting.tolist() == whole.fitting[np.isin(whole.rows, some.rows)].tolist()


def site(partitions: int = 3) -> Workload:
    """Return a log of 400 processors, of which few are used, with 8 GPUs, for which the jobs of a partition wait."""
    small = {"submit": range(0, 40_000, 100), "width": [2] * 400, "run": [3000] * 400, "wait": [0] * 400}
    large = {"submit": range(0, 40_000, 1000), "width": [4] * 40, "run": [4600] * 40, "wait": np.arange(40) // 2 * 2600}
    columns = {key: np.concatenate([small[key], large[key]]) for key in small}
    order = np.argsort(columns["submit"], kind="stable")
    columns = {key: column[order] for key, column in columns.items()}
    needs = columns["width"] == 4
    w = Workload(**columns, estimate=columns["run"], capacity=400, group=1 * needs, groups=("chem", "ml"))
    return with_gpus(w, 4 * needs, 3 - 1 * needs, np.minimum(np.where(needs, 3, np.arange(len(w)) % 2), partitions - 1))


def test_the_table_says_who_waits_and_what_for() -> None:
    about = waits_table(site())
    assert about is not None
    rows = {(row["kind"], row["name"]): row for row in about["rows"]}
    assert next(iter(rows)) == ("all", "all jobs")
    assert [kind for kind, _ in rows] == ["all", *["partition"] * 3, *["queue"] * 2]  # groups are the queues
    assert rows["all", "all jobs"]["fit_percent"] == 100.0
    assert rows["all", "all jobs"]["share_percent"] == 100.0
    gpu = rows["queue", "2"]
    assert (gpu["jobs"], gpu["wait_mean_s"], gpu["wait_median_s"], gpu["wait_p95_s"]) == (40, 24_700, 23_400, 46_800)
    assert gpu["share_percent"] == 100.0
    assert gpu["fit_with_gpus_percent"] < 30
    assert (rows["queue", "3"]["jobs"], rows["queue", "3"]["fit_percent"]) == (400, None)
    text = waits_text(about).splitlines()
    assert text[0].startswith("waits      of ")
    assert text[-2].startswith(
        f"100.0 % of the waiting passed while the job would have fit on free processors: a machine that is "
        f"{about['full_percent']:.0f} % full is not what jobs wait for (limits, "
    )
    assert text[-1].endswith("passed while the GPUs that it asked for were free, too")
    assert 15 < about["full_percent"] < 25
    of_nodes = waits_text(about, on_nodes=True)
    assert "as one pool; on its nodes it may not have" in of_nodes
    assert "is not what jobs wait for" not in of_nodes


def test_of_many_queues_those_with_most_waiting_are_shown() -> None:
    n = 40
    w = Workload(submit=range(n), run=[1] * n, estimate=[1] * n, width=[1] * n, capacity=n, wait=range(n))
    about = waits_table(with_gpus(w, [0] * n, queue=range(n)))
    assert about is not None
    names = [row["name"] for row in about["rows"] if row["kind"] == "queue"]
    assert names == [*map(str, range(39, 28, -1)), "29 others"]
    assert about["rows"][-1]["jobs"] == 29
    assert sum(row["share_percent"] for row in about["rows"][1:]) == pytest.approx(100)
    assert all(row["fit_with_gpus_percent"] is None for row in about["rows"])


def test_partitions_and_waits_that_no_pool_explains_make_it_another_machine() -> None:
    sentence = other_machine(site())
    assert sentence.startswith(
        "SIMULATED: ONE POOL OF 400 EQUAL PROCESSORS. The machine of this log has 3 partitions, and 100.0 % of the "
        "waiting passed while jobs would have fit on free processors ("
    )
    assert sentence.endswith(" % while their GPUs were free, too): expect none of the gains below on it.")
    alone = other_machine(site(partitions=1))
    assert "On the machine of this log 100.0 % of the waiting passed while jobs would have fit" in alone
    assert "so something else held them (limits, partitions," in alone
    unknown = site().with_(wait=[-1] * 440)
    assert other_machine(unknown).endswith(
        "The machine of this log has 3 partitions: expect none of the gains below on it, unless all partitions have "
        "the same nodes."
    )


@pytest.mark.parametrize("policy", ["easy", "fcfs", "conservative"])
def test_a_pool_of_processors_is_no_other_machine(policy: str) -> None:
    w = random_workload(jobs=300, seed=2)
    w = w.with_(wait=ps.simulate(w, policy).start - w.eligible)
    assert int(w.wait.sum()) > 0
    assert other_machine(w) == ""


def test_nodes_that_are_simulated_are_no_other_machine() -> None:
    w = site()
    on_nodes = w.with_(machine=ps.Machine((ps.NodeKind("n[1-50]", 8, 9),)), requests=ps.Requests(tasks=w.width))
    assert other_machine(w)
    assert other_machine(on_nodes) == ""
    assert other_machine(on_nodes.one_pool) == other_machine(w)
