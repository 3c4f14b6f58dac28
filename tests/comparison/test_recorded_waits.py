"""How near simulated starts come to recorded ones, on small logs whose answer is known."""

import csv
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.order_agreement import Pairs
from paretosched.comparison.recorded_waits import idle_waits, of_scheduler_before, recorded_waits, waits_beside
from paretosched.policies.policy import as_policy
from paretosched.workload.down_times import DownTimes
from paretosched.workload.workload import Workload
from support.commands import columns, succeed
from support.exploring import random_workload

CONF = (
    "ClusterName=x\nPriorityType=priority/basic\nSchedulerType=sched/builtin\nNodeName=n1 CPUs=4\n"
    "PartitionName=p Nodes=n1 Default=YES\n"
)
# Four wide jobs of 100 s: first come, first served starts them at 0, 100, 200, 300. The machine started the third one
# before the second one, and the last one 200 s after all others had ended.
WIDE = Workload(
    submit=[0, 10, 20, 30], run=[100] * 4, estimate=[100] * 4, width=[4] * 4, capacity=4, wait=[0, 190, 80, 470]
)
NEAR = "66.7 % of the pairs that waited together start in the same order, and waits differ by 100 s in the median"


def naive_idle(w: Workload) -> list[int]:
    """Look at every second."""
    idle = np.zeros(len(w), dtype=int)
    start = w.eligible + w.wait
    for second in range(int((start + w.run).max())):
        waits = (w.wait >= 0) & (w.eligible <= second) & (second < start)
        runs = (w.wait >= 0) & (start <= second) & (second < start + w.run)
        down = 0
        if w.down is not None:
            down = int(w.down.processors[(w.down.begin <= second) & (second < w.down.end)].sum())
        idle += waits & (w.width[waits].sum() + w.width[runs].sum() + down <= w.capacity)
    return idle.tolist()


def test_a_log_whose_answer_is_known() -> None:
    start = ps.simulate(WIDE, "fcfs").start
    found = recorded_waits(WIDE, start, "FCFS")
    assert found is not None
    assert start.tolist() == [0, 100, 200, 300]
    # Pairs that waited together: the last three; two are turned. Differences: 0, -100, 100, -200.
    assert found.near == (4, Pairs(3, 1), 100.0, 100.0, -50.0)
    assert (found.kept, found.kept_hours, found.later, found.resized) == (1, 200 / 3600, 0, 0)
    assert found.near_without is not None
    assert found.near_without[:2] == (3, Pairs(1, 1))
    first, rest = found.words().splitlines()
    assert first == (
        f"FCFS, simulated, against the recorded waits of 4 jobs: {NEAR} and 100 s in the mean; the simulated ones are "
        "50 s shorter in the mean"
    )
    assert rest.startswith("  what explains the rest: 1 job waited 0.1 h though all waiting jobs would have fit")
    assert "without them 0.0 % of the pairs" in rest
    assert rest.endswith("; the log does not say what was down")


def test_what_comes_as_near_as_chance_is_said_to_be_no_model_of_the_machine() -> None:
    words = {}
    for policy in ("fcfs", "order: submit"):  # the last one first
        w = Workload(submit=range(40), run=[100] * 40, estimate=[100] * 40, width=[4] * 40, capacity=4)
        start = ps.simulate(w, "fcfs").start
        found = recorded_waits(w.with_(wait=start - w.eligible), ps.simulate(w, policy).start, policy)
        assert found is not None
        assert found.near.pairs.together > 100
        words[policy] = found.words().splitlines()
    assert len(words["fcfs"]) == 2
    assert words["order: submit"][1] == "  half of the pairs would be chance: this is not how the machine decided"
    assert words["order: submit"][2].startswith("  what explains the rest: ")


def test_the_recorded_schedule_is_as_near_as_can_be() -> None:
    w = random_workload(seed=5)
    start = ps.simulate(w, "easy").start
    found = recorded_waits(w.with_(wait=start - w.eligible), start, "EASY")
    assert found is not None
    assert found.near.pairs.turned == 0
    assert found.near[2:] == (0, 0, 0)
    assert (found.kept, found.near_without) == (0, None)
    assert "no job waited more than 60 s though" in found.words()


def test_waits_in_which_all_would_have_fit_are_those_of_every_second() -> None:
    rng = np.random.default_rng(2)
    for seed in range(8):
        w = random_workload(jobs=30, seed=seed)
        wait = rng.integers(-1, 300, len(w))
        down = DownTimes([50, 200], [120, 230], [1, w.capacity]) if seed % 2 else None
        w = w.with_(wait=wait, eligible=w.submit + rng.integers(0, 40, len(w)), down=down)
        assert idle_waits(w).tolist() == naive_idle(w)
        assert idle_waits(w).any() or down is not None


def test_only_what_is_recorded_counts() -> None:
    assert recorded_waits(WIDE.with_(wait=[-1] * 4), WIDE.submit, "FCFS") is None
    w = WIDE.with_(wait=[0, 190, -1, 470], eligible=[0, 10, 20, 31])
    found = recorded_waits(w, np.array([0, 100, 200, 300]), "FCFS")
    assert found is not None
    assert (found.near.jobs, found.later) == (3, 1)


def test_before_a_policy_decided_count_the_jobs_that_had_started() -> None:
    before = of_scheduler_before(WIDE, as_policy("fcfs"), 25, dry=False)
    assert before is not None
    assert before.near.jobs == 1  # the others were submitted or started later
    whole = of_scheduler_before(WIDE, as_policy("fcfs"), 25, dry=True)
    assert whole is not None
    assert whole.near.jobs == 4
    assert of_scheduler_before(WIDE, as_policy("fcfs"), 0, dry=False) is None


def test_simulate_and_review_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("slurm.conf").write_text(CONF, encoding="utf-8")
    later = WIDE.submit + 10_000
    both = {key: np.tile(getattr(WIDE, key), 2) for key in ("run", "estimate", "width", "wait")}
    both |= {"submit": np.concatenate([WIDE.submit, later])}
    ps.write_swf(Workload(**both, capacity=4), "w.swf.gz")
    line = f"Slurm x, simulated, against the recorded waits of 8 jobs: {NEAR}"
    assert line in succeed("simulate", "w.swf.gz", "--policy", "slurm.conf").out
    facts = succeed("simulate", "w.swf.gz", "--policy", "slurm.conf", "--json").json["recorded_waits"]
    assert (facts["jobs"], facts["pairs_together"], facts["pairs_in_other_order"]) == (8, 6, 2)
    assert "against the recorded waits" not in succeed("simulate", "w.swf.gz", "--policy", "fcfs").out

    words = ("review", "w.swf.gz", "--policy", "sjf; backfill: easy", "--objective", "AWRT", "--today", "slurm.conf")
    since = ("--since", "2000-01-03T01:00")  # between the two halves
    outcome = succeed(*words, *since, "-o", "weeks.csv")
    assert f"Slurm x, simulated, against the recorded waits of 4 jobs: {NEAR}" in outcome.out
    with Path("weeks.csv").open(encoding="utf-8") as file:
        row = list(csv.DictReader(file))[-1]
    assert (row["system"], row["pairs_together"], row["wait_differs_median_s"]) == ("before: Slurm x", "3", "100.0")
    today = succeed(*words, *since, "--json").json["today"]
    assert (today["jobs"], today["pairs_in_other_order"], today["kept_waiting"]) == (4, 1, 1)
    out = succeed(*words, "--since", "2000-01-03").out
    assert "Slurm x: the log has no wait from before 2000-01-03, to say how near its simulation comes" in out


def test_each_group_is_said_beside_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("slurm.conf").write_text(CONF, encoding="utf-8")
    ps.write_swf(WIDE.with_(user=[1, 1, 2, 2], wait=[0, 5, 150, -1]), "w.swf.gz")
    Path("users.csv").write_text("user,group\n1,few\n2,many\n", encoding="utf-8")
    words = ("simulate", "w.swf.gz", "--policy", "slurm.conf", "--groups", "users.csv")
    start = ps.simulate(WIDE, "fcfs").start
    rows = {row["group"]: row for row in succeed(*words, "--json").json["waits"]}
    assert list(rows) == [None, "few", "many"]
    for group, jobs in ((None, [0, 1, 2, 3]), ("few", [0, 1]), ("many", [2, 3])):
        waited = sorted((start - WIDE.submit)[jobs].tolist())
        assert rows[group]["wait_mean_s"] == sum(waited) / len(waited)
        assert rows[group]["wait_p95_s"] == waited[-1]
    few = (start - WIDE.submit)[:2] - np.array([0, 5])
    assert rows["few"]["longer_than_recorded_s"] == few.mean()
    assert rows["many"]["same_order_percent"] is None  # one job alone has a record
    shown = {row[0]: row for row in columns(succeed(*words).out, "waits of")}
    assert set(shown) == {"all jobs", "group few", "group many"}
    assert shown["group many"][5] == ""
    assert shown["group few"][6].endswith(("longer", "shorter", "as long"))
    plain = succeed("simulate", "w.swf.gz", "--policy", "fcfs").out
    assert "mean beside record" not in plain
    assert "95 of 100 within" in plain
    assert max(map(len, plain.partition("waits of")[2].splitlines())) <= 100


def dependent() -> Workload:
    """Return three jobs of 100 s on one node: the second waits for the first, which waited longer in the log."""
    asks = ps.Requests(tasks=[4] * 3, memory_per_node=[1] * 3, dependency=["", "afterany:1", ""])
    return Workload(
        [0, 10, 20], [100] * 3, [100] * 3, [4] * 3, capacity=4, job=[1, 2, 3], wait=[50, 0, 330],
        eligible=[0, 150, 20], machine=ps.Machine((ps.NodeKind("n1", 4, 100),)), requests=asks, epoch=0,
    )  # fmt: skip


def test_a_dependency_that_moves_a_job_takes_only_its_own_recorded_wait() -> None:
    """Job 2 comes in second 100, and not in 150; the recorded waits of the others still hold."""
    log = dependent()
    schedule = ps.simulate(log, "easy")
    assert schedule.workload.eligible.tolist() == [0, 100, 20]
    assert schedule.workload.wait.tolist() == [50, -1, 330]
    found = waits_beside(log, schedule)
    assert found is not None
    assert (found.near.jobs, found.moved) == (3, 1)
    assert "1 job came when those had ended on which they depend, not as recorded" in found.words()
    assert found.facts()["moved"] == 1
    # 50 s less, 100 s in place of none, and 80 s in place of 330
    assert (schedule.wait.tolist(), found.near.mean) == ([0, 100, 80], pytest.approx((50 + 100 + 250) / 3))


def test_waits_are_compared_of_the_jobs_that_ran() -> None:
    log = dependent()
    ran = log.take([0, 2])
    found = waits_beside(log, ps.Schedule(ran, [0, 100]))
    assert found is not None
    assert (found.near.jobs, found.moved, found.near.mean) == (2, 0, (50 + 250) / 2)
