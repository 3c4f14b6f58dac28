"""Comparisons on several logs, side by side."""

import pytest

from paretosched.comparison.comparison import compare
from paretosched.comparison.several_logs import joint_gains, joint_rows, joint_text
from paretosched.wishes.wish import Wish
from support.zoo import THREE_JOBS

WORKLOAD = THREE_JOBS
FIRST = Wish(weights=[("AWRT1", 33)])  # 309 and 348
OTHER = WORKLOAD.with_(run=[20, 5, 3], estimate=[20, 5, 3], name="another")


def test_several_workloads_are_one_table_each_and_one_of_the_gains() -> None:
    several = [compare(w, ["fcfs"], None, FIRST) for w in (WORKLOAD, OTHER)]
    rows = joint_rows(several)
    assert [row["workload"] for row in rows] == ["three jobs"] * 3 + ["another"] * 3
    assert {row["digest"] for row in rows} == {WORKLOAD.digest, OTHER.digest}
    text = joint_text(several)
    assert text.startswith("three jobs: 3 jobs on 4 processors\npolicy ")
    assert "\n\nanother: 3 jobs on 4 processors\npolicy " in text
    last = [line.split() for line in text.split("\n\n")[-1].splitlines()]
    # by hand: (20 x 60 + 3 x 3) / 63 and (20 x 60 + 3 x 26) / 63
    gain = 100 * (1209 - 1278) / 1209
    assert last[0] == ["all", "workloads:", "33*AWRT1", "vs", "EASY"]
    assert last[1] == ["policy", "three", "jobs", "another"]
    assert last[3] == ["FCFS", "-12.6", "%", f"{gain:.1f}", "%"]
    assert joint_gains(several)["FCFS"] == pytest.approx({"three jobs": 100 * (309 - 348) / 309, "another": gain})
    assert joint_text(several[:1]) == several[0].text()
    assert "all workloads" not in joint_text([compare(w, ["fcfs"]) for w in (WORKLOAD, OTHER)])


def test_workloads_of_one_name_are_told_apart() -> None:
    twin = OTHER.with_(name=WORKLOAD.name)
    gains = joint_gains([compare(w, ["fcfs"], None, FIRST) for w in (WORKLOAD, twin)])
    assert list(gains["FCFS"]) == ["three jobs", "three jobs (2)"]
