"""`paretosched resample` writes what the library makes."""

from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from support.commands import command, load, succeed


def test_resample_writes_what_the_library_makes(tmp_path: Path) -> None:
    log, target = tmp_path / "w.swf.gz", tmp_path / "r.swf.gz"
    w = ps.lublin(jobs=300, processors=64, seed=4)
    ps.write_swf(w.with_(submit=w.submit * 20), log)
    workload = ps.read_swf(log)
    outcome = succeed("resample", log, "--seed", 4, "--load", 1.2, "--double", 2, "-o", target, "--json")
    expected = ps.resample(workload, 4, 1.2, ["2"])
    sample = ps.read_swf(target)
    assert sample.submit.tolist() == expected.submit.tolist()
    assert sample.run.tolist() == expected.run.tolist()
    assert outcome.json == {"file": str(target), "jobs": len(expected), "capacity": 64, "load": load(sample)}
    assert outcome.err.splitlines() == [
        f"paretosched: {log}: 300 jobs, offered load {load(workload):.3f}",
        f"paretosched: users that came again have new numbers in {target}; groups by consumption are made again from "
        "it (paretosched info)",
    ]
    outcome = succeed("resample", log, "-o", target)
    assert f"{len(ps.resample(workload)):,} jobs on 64 processors, offered load" in outcome.out


def test_resample_remarks_a_short_log(house: Path, tmp_path: Path) -> None:
    outcome = succeed("resample", house / "w.swf.gz", "-o", tmp_path / "r.swf")
    assert "lasts less than four weeks" in outcome.err.splitlines()[0]


@pytest.mark.parametrize("jobs", [1, 3])
def test_jobs_of_one_second_are_refused_before_anything_is_written(tmp_path: Path, jobs: int) -> None:
    ones = np.ones(jobs, dtype=np.int64)
    w = ps.Workload(submit=0 * ones, run=ones, estimate=ones, width=ones, capacity=4, user=ones)
    ps.write_swf(w, tmp_path / "w.swf")
    outcome = command("resample", tmp_path / "w.swf", "-o", tmp_path / "r.swf")
    assert (outcome.status, outcome.out) == (2, "")
    assert "all jobs are submitted in one second, so that there are no weeks to put together" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "r.swf").exists()


@pytest.mark.parametrize(("days", "short"), [(27.9, True), (28.1, False)])
def test_the_log_that_is_read_must_last_four_weeks(tmp_path: Path, days: float, short: bool) -> None:
    w = ps.lublin(jobs=60, processors=64, seed=4)
    submit = (w.submit - w.submit[0]) * days * 86400 // (w.submit[-1] - w.submit[0])
    ps.write_swf(w.with_(submit=submit.astype(int)), tmp_path / "w.swf")
    outcome = succeed("resample", tmp_path / "w.swf", "-o", tmp_path / "r.swf")
    sample = ps.read_swf(tmp_path / "r.swf")
    assert sample.submit[-1] - sample.submit[0] < 28 * 86400
    assert ("lasts less than four weeks" in outcome.err) == short


def test_users_that_came_again_are_in_no_list_of_groups(tmp_path: Path) -> None:
    log, target, groups = tmp_path / "w.swf", tmp_path / "r.swf", tmp_path / "groups.csv"
    w = ps.lublin(jobs=300, processors=64, seed=4)
    ps.write_swf(w.with_(submit=w.submit * 20), log)
    groups.write_text("\n".join(["user,group", *(f"{user},staff" for user in sorted(set(w.user.tolist())))]))
    remarks = succeed("resample", log, "--groups", groups, "--load", 2, "-o", target).err
    assert f"users that came again have new numbers in {target}, which the list {groups} does not name" in remarks
    assert "consumption" not in remarks
    again = ps.by_csv(target, groups)
    assert again.groups == ("staff", "other")
    assert (again.group == 1).tolist() == (again.user > w.user.max()).tolist()
    other = succeed("resample", log, "--groups", "queue", "--load", 2, "-o", target).err
    assert other.splitlines()[-1] == f"paretosched: users that came again have new numbers in {target}"


@pytest.mark.parametrize(("factor", "far"), [(0.1, True), (1.2, False)])
def test_a_load_that_is_not_reached_is_remarked(tmp_path: Path, factor: float, far: bool) -> None:
    log, target = tmp_path / "w.swf", tmp_path / "r.swf"
    w = ps.lublin(jobs=300, processors=64, seed=4)
    ps.write_swf(w.with_(submit=w.submit * 20), log)
    outcome = succeed("resample", log, "--load", factor, "--seed", 4, "-o", target)
    goal, result = factor * load(ps.read_swf(log)), load(ps.read_swf(target))
    assert (abs(result / goal - 1) > 0.05) == far
    text = f"{target}: offered load is {result:.4g}, but --load {factor} asks for {goal:.4g}"
    assert (text in outcome.err) == far
