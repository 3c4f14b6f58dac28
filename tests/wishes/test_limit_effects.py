"""What each limit does to whom is what simulations by hand say."""

from dataclasses import replace

import numpy as np

import paretosched as ps
from paretosched.encodings.site_limits import Setting, SiteLimits, settings_today
from paretosched.fronts.front import Front, Origin, front_of
from paretosched.wishes.limit_effects import limit_effects
from paretosched.workload.limits import Limits
from support.limited_users import limited_users

W = limited_users(MaxJobsPU=9)
ENCODING = SiteLimits((), ("part MaxJobsPU 2,9", "part MaxTRESPU=cpu 8,12"))


def front_with(*values: int | None) -> Front:
    """Return a front of one row with these limits."""
    names = [(each.qos, each.name) for each in ENCODING.choices]
    genome = ENCODING.genome_of([Setting(*name, value) for name, value in zip(names, values, strict=True)])
    run = Origin("run", "random", 0, 4, ENCODING)
    easy = np.asarray(ps.objectives(ps.simulate(W, "easy")))
    return front_of(easy[None], genome[None], run, W.groups, W.name, W.digest)


def means(**limits: object) -> list[float]:
    """Return the mean waits of both groups with the limits of one QOS, by hand."""
    assert W.machine is not None
    rest = tuple(row for row in W.machine.limits if row.qos != "part")
    jobs = W.with_(machine=replace(W.machine, limits=(Limits("part", "", "", "", limits), *rest)))  # type: ignore[arg-type]
    wait = ps.simulate(jobs, "easy").wait
    return [float(wait[W.group == g].mean()) for g in range(2)]


def test_all_changes_together_and_each_alone() -> None:
    effects = limit_effects(front_with(2, 8), 0, W)
    assert effects is not None
    assert [each.value for each in effects.changes] == [2, 8]
    about = effects.about()
    assert about["words"] == "MaxJobsPU=2 and MaxTRESPU=cpu=8 in QOS part"
    found = {
        limit: [r["mean"] for r in about["rows"] if r["limit"] == limit]
        for limit in {r["limit"] for r in about["rows"]}
    }
    assert found == {
        "all of them": means(MaxJobsPU=2, MaxTRESPU={"cpu": 8}),
        "MaxJobsPU=2 in QOS part": means(MaxJobsPU=2),
        "MaxTRESPU=cpu=8 in QOS part": means(MaxJobsPU=9, MaxTRESPU={"cpu": 8}),
    }
    assert {(r["group"], r["mean_today"]) for r in about["rows"]} == set(zip(W.groups, means(MaxJobsPU=9), strict=True))
    assert {r["jobs"] for r in about["rows"]} == set(np.bincount(W.group).tolist())
    top = means(MaxJobsPU=2)[0] - means(MaxJobsPU=9)[0]
    assert abs(top) > 60
    line = next(line for line in effects.text().splitlines() if line.startswith("MaxJobsPU=2 in QOS part"))
    assert f"top: mean {top / 3600:+,.1f} h" in line


def test_a_limit_that_is_dropped_is_said_and_the_limits_of_today_change_nothing() -> None:
    effects = limit_effects(front_with(None, None), 0, W)
    assert effects is not None
    assert {row["limit"] for row in effects.rows} == {"no MaxJobsPU in QOS part"}
    same = limit_effects(front_with(9, None), 0, W)
    assert same is not None
    assert (same.changes, same.rows, same.text()) == (
        (),
        (),
        "row 0 is MaxJobsPU=9 in QOS part: the limits that are set now",
    )
    assert settings_today(ENCODING, W) == same.settings
