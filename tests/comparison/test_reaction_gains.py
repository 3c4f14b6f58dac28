"""How gains change if users react, against sums over the schedules."""

import numpy as np
import pytest

from paretosched import InputError, Workload, compare, lublin, simulate


def log() -> Workload:
    """Return a log of nine users, recorded under EASY."""
    w = lublin(jobs=400, processors=64, seed=3)
    return w.with_(user=np.arange(400) % 9, wait=simulate(w, "easy").wait)


def test_gains_with_and_without_reaction_stand_side_by_side() -> None:
    w = log()
    comparison = compare(w, ["fcfs", "sjf"], users="react")
    until = w.submit[-1]
    recorded, reacting = (
        [simulate(w, p, users=users) for p in ("easy", "fcfs", "sjf")] for users in ("recorded", "react")
    )
    for q, (schedule, row) in enumerate(zip(reacting, comparison.rows(), strict=False)):
        facts, jobs = row["users_react"], schedule.workload
        came = sum(int(r * n) for s, r, n in zip(jobs.submit, jobs.run, jobs.width, strict=True) if s <= until)
        done = sum(
            max(0, min(int(r), int(until - begin))) * int(n)
            for begin, r, n in zip(schedule.start, jobs.run, jobs.width, strict=True)
        )
        assert facts["later_s"] == pytest.approx(jobs.submit.mean() - w.submit.mean(), abs=1e-6)
        assert facts["came_percent"] == pytest.approx(100 * came / w.work)
        assert facts["done_percent"] == pytest.approx(100 * done / w.work)
        for key, schedules in (("", reacting), ("_recorded", recorded)):
            waits = [each.wait.mean() for each in schedules]
            response = [each.objectives["AWRT"] for each in schedules]
            assert facts[f"wait_vs_easy{key}"] == pytest.approx(100 * (waits[0] - waits[q]) / waits[0])
            assert facts[f"AWRT_vs_easy{key}"] == pytest.approx(100 * (response[0] - response[q]) / response[0])
    assert comparison.rows()[0]["users_react"]["later_s"] == 0  # the log was recorded under EASY
    assert comparison.rows()[1]["users_react"]["later_s"] > 0
    text = comparison.text()
    assert "vs EASY, recorded" in text
    assert "users react: later is" in text


def test_all_else_is_with_the_recorded_submissions() -> None:
    w = log()
    comparison, other = compare(w, ["fcfs"], users="react"), compare(w, ["fcfs"])
    rows = [{key: row[key] for key in row if key != "users_react"} for row in comparison.rows()]
    assert rows == other.rows()
    assert "users_react" not in other.rows()[0]
    assert "users react" not in other.text()


def test_a_log_without_waits_is_refused() -> None:
    with pytest.raises(InputError, match="users who react need recorded waits"):
        compare(lublin(jobs=50, processors=64, seed=1), ["fcfs"], users="react")
