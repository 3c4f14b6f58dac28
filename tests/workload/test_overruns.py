"""Jobs that run beyond their limit, as OverTimeLimit lets them: from files, and planned with as the oracle does."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.log_parquet import load_log, save_log
from paretosched.workload.machine_files import read_machine
from paretosched.workload.overruns import asked_times
from support.commands import command
from support.machine_zoo import random_case
from support.naive_rhythms import Rhythm, by_arrival, slurm_lives
from support.naive_values import naive_of
from support.placing import as_runs, runs_of
from support.short_lives import PASSES

OVER, WAIT = 120, 30  # s


def overdue_case(seed: int) -> ps.Workload:
    """Return a few jobs of which some run up to two minutes beyond their limit."""
    case = random_case(seed, 16)
    assert case.machine is not None
    assert case.requests is not None
    rng = np.random.default_rng([seed, 98])
    beyond = np.where(rng.random(16) < 0.4, rng.integers(1, OVER, 16), 0)
    run = np.where(beyond > 0, case.estimate + beyond, case.run)
    return case.with_(
        run=run,
        estimate=np.maximum(run, case.estimate),
        machine=replace(case.machine, over_time_limit=OVER, kill_wait=WAIT),
        requests=replace(case.requests, beyond=beyond),
    )


@pytest.mark.parametrize("seed", range(80))
def test_passes_plan_with_limits_until_they_are_over(seed: int) -> None:
    workload = overdue_case(seed)
    rhythm = Rhythm(epoch=workload.epoch, over_time_limit=OVER, kill_wait=WAIT)
    runs = {run.job.row: run for run in slurm_lives(*naive_of(workload), rhythm, by_arrival)}
    if len(runs) < len(workload):
        with pytest.raises(ps.InputError, match="every job must fit on its nodes"):
            ps.simulate(workload, PASSES)
        return
    assert as_runs(ps.simulate(workload, PASSES).check()) == runs_of(workload, runs)


def test_that_jobs_are_overdue_changes_schedules() -> None:
    """Else the test above shows nothing."""
    changed = 0
    for seed in range(80):
        workload = overdue_case(seed)
        assert workload.requests is not None
        plain = workload.with_(requests=replace(workload.requests, beyond=None))
        try:
            changed += ps.simulate(workload, PASSES).start.tolist() != ps.simulate(plain, PASSES).start.tolist()
        except ps.InputError:  # a job fits nowhere
            continue
    assert changed > 10


CONF = """
NodeName=n1 CPUs=4 RealMemory=8000
PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE
SchedulerType=sched/backfill
SelectType=select/cons_tres
SchedulerParameters=bf_interval=30,bf_window=1440
OverTimeLimit={over}
KillWait=3600
"""
JOBS = """job,submit,run,options
1,0,1200,-n3 --mem=10 -t10
2,60,300,-n4 --mem=10 -t10
3,90,3000,-n1 --mem=10 -t60
"""


@pytest.mark.parametrize(("over", "starts", "runs"), [("60", [0, 3600, 600], 1200), ("0", [0, 600, 900], 600)])
def test_a_log_keeps_what_the_machine_lets_run(over: str, starts: list[int], runs: int, tmp_path: Path) -> None:
    """The job of the first case is planned as Slurm did: b15 of the scenes; in the other it is ended at its limit."""
    conf, log = tmp_path / "slurm.conf", tmp_path / "log.parquet"
    conf.write_text(CONF.format(over=over), encoding="utf-8")
    (tmp_path / "jobs.csv").write_text(JOBS, encoding="utf-8")
    columns = "job=job,submit=submit,run=run,options=options"
    done = command("import", "csv", tmp_path / "jobs.csv", "--columns", columns, "--machine", conf, "-o", log)
    assert done.status == 0, done.err
    workload = load_log(log)
    assert workload.run.tolist() == [runs, 300, 3000]
    assert asked_times(workload).tolist() == [600, 600, 3600]
    assert not asked_times(workload).flags.writeable  # else the engine is compiled once more, for a minute and a half
    assert ps.simulate(workload, str(conf)).check().start.tolist() == starts
    save_log(workload, tmp_path / "again.parquet")
    again = load_log(tmp_path / "again.parquet")
    assert again.estimate.tolist() == workload.estimate.tolist()
    assert asked_times(again).tolist() == [600, 600, 3600]
    assert load_log(log, overrun="raise").estimate.tolist() == [1200, 600, 3600]


def test_the_machine_has_it_in_both_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF.format(over="UNLIMITED"), encoding="utf-8")
    machine = read_machine(tmp_path / "slurm.conf")
    assert (machine.over_time_limit, machine.kill_wait) == (2**31 - 1, 3600)
    assert command("machine", tmp_path / "slurm.conf", "-o", tmp_path / "m.toml").status == 0
    assert read_machine(tmp_path / "m.toml").digest == machine.digest
    assert "jobs may run beyond their time limit until they end" in command("machine", tmp_path / "m.toml").out
