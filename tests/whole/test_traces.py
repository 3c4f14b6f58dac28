"""What must hold on the real traces: published numbers, and feasible schedules everywhere."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from paretosched import InputError, Schedule, Workload, objectives, read_swf, scale, simulate
from paretosched.policies.plain import Plain
from paretosched.workload.scaling import PAPER_FACTORS
from support.zoo import fixed_policies

pytestmark = pytest.mark.traces

FILES = {
    "CTC-SP2": "CTC-SP2-1996-3.1-cln.swf.gz",
    "KTH-SP2": "KTH-SP2-1996-2.1-cln.swf.gz",
    "LANL-CM5": "LANL-CM5-1994-4.1-cln.swf.gz",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln.swf.gz",
    "SDSC-Par-96": "SDSC-Par-1996-3.1-cln.swf.gz",
    "NASA-iPSC": "NASA-iPSC-1993-3.1-cln.swf.gz",
}
TABLE_III = {
    "UTIL": 66.99,
    "AWRT1": 59681.28,
    "AWRT2": 64976.07,
    "AWRT3": 50317.47,
    "AWRT4": 46120.02,
    "AWRT5": 31855.68,
}


@cache
def at_1024(folder: Path, name: str, seed: int = 0) -> Workload:
    return scale(read_swf(folder / FILES[name], name=name), 1024, PAPER_FACTORS[name], seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_easy_on_ctc_at_1024_is_within_five_per_cent_of_table_iii(traces: Path, seed: int) -> None:
    ours = objectives(simulate(at_1024(traces, "CTC-SP2", seed), "easy"))
    for name, of_paper in TABLE_III.items():
        assert abs(ours[name] / of_paper - 1) < 0.05, f"{name}: {ours[name]:,.2f}, published {of_paper:,.2f}"


@pytest.mark.parametrize("seed", range(5))
def test_ctc_at_1024_has_as_many_jobs_as_the_model_says(traces: Path, seed: int) -> None:
    log = read_swf(traces / FILES["CTC-SP2"])
    factor = PAPER_FACTORS["CTC-SP2"]
    fraction = factor - int(factor)
    error = np.sqrt(((factor - 1) ** 2 / 4 + fraction * (1 - fraction) / 2) / len(log))
    assert abs(len(at_1024(traces, "CTC-SP2", seed)) / len(log) - (1 + factor) / 2) < 4 * error


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_schedule_of_every_policy_is_feasible(traces: Path, name: str) -> None:
    workload = at_1024(traces, name)[:10_000]
    for policy in fixed_policies(workload.groups).values():
        simulate(workload, policy).check()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_the_recorded_schedule_is_what_the_log_says(traces: Path, name: str) -> None:
    log = read_swf(traces / FILES[name])
    if name == "NASA-iPSC":
        with pytest.raises(InputError, match="no job has a recorded wait"):
            simulate(log, "recorded")
        return
    schedule = simulate(log, Plain("recorded"))
    assert isinstance(schedule, Schedule)
    has_wait = log.wait >= 0
    assert has_wait.mean() > 0.9
    assert np.array_equal((schedule.start - log.submit)[has_wait], log.wait[has_wait])
    assert np.array_equal(schedule.start[~has_wait], log.submit[~has_wait])
    with pytest.raises(InputError, match="are in use from second"):  # history: shared nodes, clocks that differ
        schedule.check()
