"""Schedules over time: sums agree with naive ones, jobs share no processor, and overtakers are named."""

from itertools import pairwise

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.consequences import duration
from paretosched.comparison.over_time import (
    job_at,
    nodes_below,
    over_time,
    raster,
    runs_between,
    wait_reasons,
    worst_week,
)
from paretosched.simulation.service import WEEK, bins
from support.limited_users import limited_users
from support.machine_zoo import case
from support.placing import ideal_schedule

W = ps.lublin(400, 64, 7)


@pytest.mark.parametrize("rule", ["fcfs", "easy"])
def test_queue_use_and_waits_agree_with_the_seconds_of_each_job(rule: str) -> None:
    s = ps.simulate(W, rule)
    edges = bins(int(W.eligible.min()), int(s.finish.max()))
    told = over_time(s, edges)
    for k in range(0, len(edges) - 1, 7):
        low, high = int(edges[k]), int(edges[k + 1])
        waited = sum(
            max(0, min(high, b) - max(low, a)) for a, b in zip(W.eligible.tolist(), s.start.tolist(), strict=True)
        )
        ran = sum(
            max(0, min(high, b) - max(low, a)) * m
            for a, b, m in zip(s.start.tolist(), s.finish.tolist(), W.width.tolist(), strict=True)
        )
        assert told.waiting[k] == pytest.approx(waited / (high - low))
        assert told.use[k] == pytest.approx(100 * ran / (high - low) / W.capacity)
        new = (W.eligible >= low) & (W.eligible < high)
        if new.any():
            assert told.wait[k] == pytest.approx((s.start - W.eligible)[new].mean() / 3600)
        else:
            assert np.isnan(told.wait[k])


def test_the_worst_week_of_very_many_is_one_of_some() -> None:
    """A log with a time in milliseconds: every day of it would take gigabytes."""
    w = ps.Workload([0, 0, 9 * 10**12], [9] * 3, [9] * 3, [2] * 3, 2)
    assert worst_week(ps.simulate(w, "fcfs")) == (0, WEEK)


def test_the_worst_week_has_most_waiting_time() -> None:
    s = ps.simulate(W, "fcfs")
    begin, end = worst_week(s)
    first, last = int(W.eligible.min()), int(s.finish.max())
    assert end - begin == min(WEEK, last - begin)

    def waiting_seconds(since: int) -> int:
        until = since + WEEK
        pairs = zip(W.eligible.tolist(), s.start.tolist(), strict=True)
        return sum(max(0, min(until, b) - max(since, a)) for a, b in pairs)

    assert waiting_seconds(begin) == max(waiting_seconds(t) for t in range(first, max(last - WEEK, first) + 1, 86400))


def test_each_job_has_its_processors_and_shares_none() -> None:
    s = ps.simulate(W, "easy")
    begin, end = int(np.quantile(s.start, 0.3)), int(np.quantile(s.start, 0.6))
    runs = runs_between(s, begin, end)
    seen = np.flatnonzero((s.finish > begin) & (s.start < end) & (s.finish > s.start))
    width = np.bincount([r.job for r in runs], [r.high - r.low for r in runs], minlength=len(W))
    assert width[seen].tolist() == W.width[seen].tolist()
    assert width.sum() == W.width[seen].sum()
    for time in np.linspace(begin, end, 50).astype(int).tolist():
        now = sorted((r.low, r.high) for r in runs if r.begin <= time < r.end)
        assert all(a[1] <= b[0] for a, b in pairwise(now))
        assert not now or now[-1][1] <= W.capacity
    run = runs[len(runs) // 2]
    assert job_at(runs, run.begin, run.low) == run.job
    assert job_at(runs, end + 10**9, 0) is None
    picture = raster(runs, W.group, (begin, end), W.capacity, (64, 50))
    assert picture.shape == (64, 50)
    assert set(np.unique(picture)) <= {0, *(1 + W.group).tolist()}
    assert picture.any()


def test_preempted_jobs_are_drawn_where_each_part_of_them_runs() -> None:
    s = ps.simulate(W, "scojo")
    assert s.segments is not None
    first, last = int(s.start.min()), int(s.finish.max())
    runs = runs_between(s, first, last)
    work = np.bincount([r.job for r in runs], [(r.end - r.begin) * (r.high - r.low) for r in runs], minlength=len(W))
    assert work.tolist() == (W.run * W.width).tolist()
    for time in np.linspace(first, last, 50).astype(int).tolist():
        now = sorted((r.low, r.high) for r in runs if r.begin <= time < r.end)
        assert all(a[1] <= b[0] for a, b in pairwise(now))
        assert not now or now[-1][1] <= W.capacity
    assert [r.begin for r in runs] == sorted(r.begin for r in runs)
    parts = np.bincount(s.segments.job, minlength=len(W))
    stopped = int(np.argmax(parts))
    assert parts[stopped] > 1
    assert f"It ran in {parts[stopped]} parts, and stood for " in wait_reasons(s, stopped)[0]


def test_what_overtakers_had_used_counts_no_break_of_theirs() -> None:
    s = ps.simulate(W, "scojo")
    assert s.segments is not None
    for job in np.flatnonzero(s.start > W.eligible)[:20].tolist():
        later = (W.eligible > W.eligible[job]) | ((W.eligible == W.eligible[job]) & (np.arange(len(W)) > job))
        before = set(np.flatnonzero(later & (s.start < s.start[job])).tolist())
        used = sum(
            max(0, min(end, int(s.start[job])) - begin) * int(W.width[k])
            for k, begin, end in zip(*(x.tolist() for x in s.segments[:3]), strict=True)
            if k in before
        )
        if before:
            assert f" had used {used / 3600:,.1f} processor hours by then;" in wait_reasons(s, job)[2]


def test_overtakers_are_those_that_came_later_and_started_before() -> None:
    s = ps.simulate(W, "easy")
    wait = s.start - W.eligible
    none = int(np.flatnonzero(wait == 0)[0])
    assert wait_reasons(s, none)[1:] == ["It started at once."]
    longest = int(np.argmax(wait))
    later = [k for k in range(longest + 1, len(W)) if s.start[k] < s.start[longest]]  # jobs are in their order
    told = wait_reasons(s, longest)
    assert f" {len(later):,} job" in told[1]
    fcfs = ps.simulate(W, "fcfs")
    assert "No job that came later" in wait_reasons(fcfs, int(np.argmax(fcfs.start - W.eligible)))[1]


NODES = ps.Machine(
    (ps.NodeKind("n[1-3]", 4, 8000), ps.NodeKind("g1", 8, 8000, {"v": 2})),
    (ps.Partition("main", default=True), ps.Partition("gpu", "g1")),
)
ON_NODES = case(
    NODES, "0 50 -n6", "0 90 -n1 -p gpu --gpus=1", "2 60 -N2 -n8", "3 40 -n16", "4 9 -n1 --mem=2048", "5 5 -n2 -p gpu",
    "60 20 -n20",
)  # fmt: skip


def test_on_nodes_each_job_is_drawn_where_it_runs() -> None:
    s = ideal_schedule(ON_NODES)
    nodes = nodes_below(s)
    assert nodes == [("g1", 8, 2), ("n1", 4, 0), ("n2", 4, 0), ("n3", 4, 0)]
    ends = np.cumsum([node.cpus for node in nodes])
    runs = runs_between(s, 0, int(s.finish.max()))
    for j in range(len(ON_NODES)):
        rows = slice(*s.placement.piece[j : j + 2])
        drawn = np.zeros(len(nodes), dtype=int)
        for run in (run for run in runs if run.job == j):
            assert (run.begin, run.end) == (s.start[j], s.finish[j])
            place = int(np.searchsorted(ends, run.low, side="right"))
            assert run.high <= ends[place]  # on one node
            drawn[place] += run.high - run.low
        assert drawn[s.placement.node[rows]].tolist() == s.placement.cpus[rows].tolist()
        assert drawn.sum() == s.placement.cpus[rows].sum()
    for a, b in ((a, b) for i, a in enumerate(runs) for b in runs[:i]):
        assert a.end <= b.begin or b.end <= a.begin or a.high <= b.low or b.high <= a.low
    assert nodes_below(ps.Schedule(ON_NODES, ON_NODES.eligible)) == []


def test_on_nodes_a_job_is_said_to_ask_for_nodes_and_memory() -> None:
    s = ideal_schedule(ON_NODES)
    assert wait_reasons(s, 4)[0] == (
        "Job 5 of group 1 asked for 1 CPU and 2 GiB a node on 1 node for 9 s at most, and ran 9 s on g1 (partition "
        "main)."
    )
    assert "1 CPU, 1 GPU and 1 MiB a node on 1 node" in wait_reasons(s, 1)[0]
    job = int((s.start - ON_NODES.eligible).argmax())
    later = [k for k in range(len(ON_NODES)) if k > job and s.start[k] < s.start[job]]
    own = set(s.placement.node[slice(*s.placement.piece[job : job + 2])].tolist())
    there = [k for k in later if own & set(s.placement.node[slice(*s.placement.piece[k : k + 2])].tolist())]
    assert f"; {len(there)} of these on nodes that it got later." in wait_reasons(s, job)[1]


def test_what_held_a_job_back_is_the_last_one_to_leave_its_nodes_and_the_limits() -> None:
    s = ideal_schedule(ON_NODES)
    for job in np.flatnonzero(s.start > ON_NODES.eligible).tolist():
        own = set(s.placement.node[slice(*s.placement.piece[job : job + 2])].tolist())
        before = [
            k
            for k in range(len(ON_NODES))
            if own & set(s.placement.node[slice(*s.placement.piece[k : k + 2])].tolist())
            and ON_NODES.eligible[job] < s.finish[k] <= s.start[job]
            and k != job
        ]
        told = wait_reasons(s, job)[-1]
        assert told.startswith("It started ") == bool(before)
        if before:
            last = max(s.finish[k] for k in before)
            assert any(f" job {ON_NODES.job[k]} of group" in told for k in before if s.finish[k] == last)
            assert told.startswith("It started when ") == (last == s.start[job])
            assert " ended on its nodes, after " in told
    w = limited_users(60, MaxJobsPU=2)
    easy = ps.simulate(w, "easy")
    assert easy.waiting is not None
    limit = easy.waiting.names.index("QOSMaxJobsPerUserLimit")
    job = int(easy.waiting.seconds[:, limit].argmax())
    held = duration(int(easy.waiting.seconds[job, limit]))
    assert any(f"squeue it waited for QOSMaxJobsPerUserLimit for {held}" in words for words in wait_reasons(easy, job))
    free = int(np.flatnonzero((easy.waiting.seconds[:, limit] == 0) & (easy.start > w.eligible))[0])
    assert not any("squeue" in words for words in wait_reasons(easy, free))
