"""Each measure against a twin of a few lines, on the zoo of awkward workloads and on machines of nodes."""

import datetime as dt
import math
from collections.abc import Callable
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.simulation.lower_bounds import bounds, least_mean_response
from paretosched.simulation.objective import objective_table, objectives
from paretosched.workload.measures import objective_name, with_measures, with_objectives
from support.machine_zoo import MACHINE_ZOO, random_case
from support.zoo import jobs, random_jobs

Jobs = list[dict[str, float]]


def plain(schedule: ps.Schedule) -> Jobs:
    """Return the jobs of a schedule as plain values."""
    w = schedule.workload
    columns = {
        "submit": w.submit, "eligible": w.eligible, "start": schedule.start, "finish": schedule.finish, "run": w.run,
        "estimate": w.estimate, "weight": w.run * w.charge, "group": w.group, "user": w.user,
    }  # fmt: skip
    return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def wait(job: dict[str, float]) -> float:
    return job["start"] - job["eligible"]


def slowdown(job: dict[str, float], bound: float = 10.0) -> float:
    return max(1.0, (job["finish"] - job["eligible"]) / max(job["run"], bound))


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def rank(values: list[float], percent: float) -> float:
    return sorted(values)[math.ceil(Fraction(percent) * len(values) / 100) - 1]


def of_group(rows: Jobs, group: int) -> Jobs:
    return [job for job in rows if job["group"] == group]


def of_users(rows: Jobs, quantity: Callable[[dict[str, float]], float], key: str = "user") -> list[float]:
    members = {job[key] for job in rows}
    return [mean([quantity(job) for job in rows if job[key] == member]) for member in sorted(members)]


def unfair(rows: Jobs, job: dict[str, float]) -> float:
    later = [other["start"] for other in rows if other["submit"] > job["submit"]]
    return max(0.0, job["start"] - max(job["eligible"], min(later))) if later else 0.0


def jain(means: list[float]) -> float:
    return sum(means) ** 2 / (len(means) * sum(x * x for x in means)) if any(means) else 1.0


TWINS: dict[str, Callable[[Jobs], float]] = {
    "mean wait": lambda rows: mean([*map(wait, rows)]),
    "median wait": lambda rows: float(np.median([*map(wait, rows)])),
    "p95 wait": lambda rows: rank([*map(wait, rows)], 95),
    "p12.5 slowdown": lambda rows: rank([*map(slowdown, rows)], 12.5),
    "longest response": lambda rows: max(job["finish"] - job["eligible"] for job in rows),
    "mean slowdown": lambda rows: mean([*map(slowdown, rows)]),
    "mean slowdown(60)": lambda rows: mean([slowdown(job, 60.0) for job in rows]),
    "mean stretch": lambda rows: mean([(job["finish"] - job["eligible"]) / job["estimate"] for job in rows]),
    "weighted wait": lambda rows: sum(wait(j) * j["weight"] for j in rows) / sum(j["weight"] for j in rows),
    "share wait > 5s": lambda rows: 100 * mean([float(wait(job) > 5) for job in rows]),
    "share slowdown > 1.5": lambda rows: 100 * mean([float(slowdown(job) > 1.5) for job in rows]),
    "mean wait of 2": lambda rows: mean([*map(wait, of_group(rows, 1))]),
    "p75 wait of 1": lambda rows: rank([*map(wait, of_group(rows, 0))], 75),
    "jain slowdown": lambda rows: jain(of_users(rows, slowdown)),
    "jain wait": lambda rows: jain(of_users(rows, wait)),
    "largest group wait": lambda rows: (
        max(of_users(rows, wait, "group")) / mean([*map(wait, rows)]) if any(map(wait, rows)) else 1.0
    ),
    "mean unfair wait": lambda rows: mean([unfair(rows, job) for job in rows]),
    "weighted unfair wait": lambda rows: (
        sum(unfair(rows, j) * j["weight"] for j in rows) / sum(j["weight"] for j in rows)
    ),
}


def idle_hours(schedule: ps.Schedule) -> float:
    """Return the idle processor hours second by second."""
    w, total = schedule.workload, 0.0
    used = w.width if w.asked_amounts is None else w.asked_amounts.cpus
    for second in range(int(w.eligible.min()), int(schedule.finish.max())):
        if ((w.eligible <= second) & (schedule.start > second)).any():
            running = used[(schedule.start <= second) & (schedule.finish > second)].sum()
            total += max(0.0, w.capacity - down_at(w, second)[0] - running)
    return total / 3600


def down_at(w: ps.Workload, second: int) -> tuple[int, int]:
    """Return how many processors and GPUs are down in a second."""
    if w.machine is None:
        down = w.down
        return (0, 0) if down is None else (int(down.processors[(down.begin <= second) & (down.end > second)].sum()), 0)
    nodes = {
        place
        for each in w.machine.down
        if each.begin <= w.epoch + second < each.end
        for place in w.machine.places(each.hosts).tolist()
    }
    return sum(int(w.machine.cpus[node]) for node in nodes), sum(int(w.machine.gpus[node].sum()) for node in nodes)


def cost_by_second(
    schedule: ps.Schedule, busy: float, idle: float, price: Callable[[int], float], gpu: float = 0, idle_gpu: float = 0
) -> float:
    """Return what the energy of processors costs, second by second; `price` is that of a kWh at an hour of the day."""
    w, total, zone = schedule.workload, 0.0, ZoneInfo(schedule.workload.zone)
    used = w.width if w.asked_amounts is None else w.asked_amounts.cpus
    for second in range(int(w.submit[0]), int(schedule.finish.max())):
        now = (schedule.start <= second) & (schedule.finish > second)
        hour = dt.datetime.fromtimestamp(w.epoch + second, zone).hour
        watts = busy * used[now].sum() + idle * (w.capacity - down_at(w, second)[0] - used[now].sum())
        if w.machine is not None and w.asked_amounts is not None:
            gpus = w.asked_amounts.gpus[now].sum()
            watts += gpu * gpus + idle_gpu * (w.machine.gpus.sum() - down_at(w, second)[1] - gpus)
        total += price(hour) * watts / 3.6e6
    return total


@pytest.mark.parametrize("begin", [1711839600, 1729980000])  # 30 and 90 minutes before a change of the clock
def test_energy_and_its_price_are_those_of_every_second(begin: int) -> None:
    w = random_jobs(4, 12, 8, gap=1500, run=4000).with_(epoch=begin, zone="Europe/Berlin")
    w = with_measures(
        w, ["energy(0.25 kW, idle 90W)", "price(250 W, idle 90 W, 0h 0.2, 2h 0.5, 3h 1)", "energy(1 W) of 1"]
    )
    schedule = ps.simulate(w, "easy")
    energy, price, of_one = schedule.objectives.array[-3:]
    assert energy == pytest.approx(cost_by_second(schedule, 250, 90, lambda _: 1.0))
    assert price == pytest.approx(
        cost_by_second(schedule, 250, 90, lambda hour: 0.2 if hour < 2 else 0.5 if hour < 3 else 1.0)
    )
    assert of_one == pytest.approx((w.run * w.width)[w.group == 0].sum() / 3.6e6)
    assert w.measured.names[1] == "price(250 W, idle 90 W, 0h 0.2, 2h 0.5, 3h 1)"


@pytest.mark.parametrize("name", sorted(MACHINE_ZOO))
def test_energy_and_idle_hours_on_nodes_are_those_of_every_second(name: str) -> None:
    w = MACHINE_ZOO[name]
    gpu = ", gpu 300 W, idle 50 W" * bool(w.machine.gpu_types)
    schedule = ps.simulate(with_measures(w, [f"energy(9 W, idle 3 W{gpu})", "idle hours"]), "easy")
    energy, idle = schedule.objectives.array[-2:]
    watts = (300, 50) if gpu else (0, 0)
    assert energy == pytest.approx(cost_by_second(schedule, 9, 3, lambda _: 1.0, *watts), rel=1e-9, abs=1e-9)
    assert idle == pytest.approx(idle_hours(schedule), rel=1e-9, abs=1e-9)


def check(workload: ps.Workload) -> None:
    """Compare all measures of two schedules of a workload with their twins."""
    measured = with_measures(workload, [*TWINS, "idle hours"])
    assert set(measured.measured.names) == {*TWINS, "idle hours"}
    for policy in ("easy", "estimate; backfill: easy"):
        schedule = ps.simulate(measured, policy)
        values = schedule.objectives
        rows = plain(schedule)
        for name, twin in TWINS.items():
            assert values[name] == pytest.approx(twin(rows), rel=1e-12, abs=1e-12), name
        assert values["idle hours"] == pytest.approx(idle_hours(schedule), rel=1e-12)
        assert (objectives(ps.simulate(workload, policy)).array == values.array[: len(workload.groups) + 2]).all()


def in_two_groups(workload: ps.Workload, seed: int) -> ps.Workload:
    """Return jobs of four users in two groups, of which each has one."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=len(workload))
    group[:2] = 0, 1
    return workload.with_(user=rng.integers(4, size=len(workload)), group=group, groups=("1", "2"))


@pytest.mark.parametrize("seed", range(6))
def test_measures_equal_their_twins(seed: int) -> None:
    check(in_two_groups(random_jobs(seed, 40, 8, gap=4, run=12), seed))


@pytest.mark.parametrize("seed", range(3))
def test_measures_equal_their_twins_on_nodes(seed: int) -> None:
    check(in_two_groups(random_case(seed, 20), seed))


def test_measures_of_resources_are_what_is_told_beside_objectives() -> None:
    workload = next(w for w in MACHINE_ZOO.values() if {"memory", "GPUs"} <= set(w.resource_shares))
    told = ps.simulate(workload, "easy").objectives
    measured = ps.simulate(with_measures(workload, ["UTIL_gpus", "UTIL_memory"]), "easy").objectives
    assert (measured["UTIL_gpus"], measured["UTIL_memory"]) == (told["UTIL_gpus"], told["UTIL_memory"])
    assert [o.name for o, _ in measured.table][-2:] == ["UTIL_gpus", "UTIL_memory"]  # and not once more


def test_a_measure_counts_the_jobs_of_a_condition_and_those_asked_for() -> None:
    w = with_measures(jobs(4, (0, 10, 10, 4), (1, 4, 4, 4), (2, 6, 6, 1)), ["longest wait of (width >= 4)"])
    schedule = ps.simulate(w, "fcfs")
    assert schedule.objectives["longest wait of (width >= 4)"] == 9  # starts at 10
    first = objectives(schedule, np.array([True, False, True]))
    assert first["longest wait of (width >= 4)"] == 0
    assert math.isnan(objectives(schedule, np.array([False, False, True]))["longest wait of (width >= 4)"])


def test_an_overtaken_job_waits_unfairly_from_then_on() -> None:
    # the second job is wide and waits from 1 to 10; the third starts at 3 beside the first one
    w = with_measures(jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (3, 7, 7, 1)), ["mean unfair wait"])
    assert ps.simulate(w, "easy").objectives["mean unfair wait"] == pytest.approx((10 - 3) / 3)
    assert ps.simulate(w, "fcfs").objectives["mean unfair wait"] == 0


BOUNDED = [
    "mean wait", "mean response of 2", "p95 wait", "mean slowdown", "share wait > 5s", "jain wait", "idle hours",
    "largest group wait", "largest group slowdown", "energy(9 W, idle 3 W)", "price(9 W, idle 3 W, 0h 0.4, 6h 0.2)",
    "price(9 W, idle 3 W, 0h 0.4, 6h 0.2, 20h 0)",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_no_schedule_has_less_than_the_bounds(seed: int) -> None:
    w = with_measures(in_two_groups(random_jobs(seed, 30, 8, gap=4, run=12), seed), BOUNDED)
    least = bounds(w)
    assert not np.isnan(least.together).any()
    for policy in ("easy", "fcfs", "estimate * width; backfill: easy", "estimate; backfill: easy"):
        values = ps.simulate(w, policy).objectives.array
        sign = np.array([-1.0 if o.maximise else 1.0 for o in objective_table(w)])
        for bound in (least.alone, least.together):
            assert (sign * values >= sign * bound - 1e-9)[1:].all()
    assert least.together[4] >= least.alone[4]


def test_no_schedule_on_nodes_has_less_than_the_bounds() -> None:
    workloads = [w for w in MACHINE_ZOO.values() if {"memory", "GPUs"} <= set(w.resource_shares)]
    assert workloads
    for workload in workloads:
        w = with_measures(workload, ["UTIL_gpus", "UTIL_memory", "largest group wait", "price(9 W, 0h 0.3)"])
        least = bounds(w)
        assert not np.isnan(least.together[[0, 1, *range(len(w.groups) + 2, len(least.together))]]).any()
        for policy in ("easy", "fcfs"):
            values = ps.simulate(w, policy).objectives.array
            sign = np.array([-1.0 if o.maximise else 1.0 for o in objective_table(w)])
            known = ~np.isnan(values)
            assert (sign * values >= sign * least.together - 1e-9)[known].all()


def test_the_bound_of_the_mean_response_is_reached_where_jobs_fill_the_machine() -> None:
    w = with_measures(jobs(2, (0, 9, 9, 2), (0, 1, 1, 2), (0, 4, 4, 2)), ["mean response"])
    assert least_mean_response(w, np.arange(3)) == (1 + 5 + 14) / 3
    assert ps.simulate(w, "1 / estimate").objectives["mean response"] == pytest.approx(bounds(w).together[-1], rel=1e-9)


def test_what_is_not_measured_is_the_same_workload() -> None:
    w = jobs(4, (0, 10, 10, 4))
    assert with_measures(w, ["UTIL", "AWRT", "AWRT of 1"]) is w
    assert with_measures(w, ["mean wait"]).digest == w.digest


def test_deciding_objectives_are_those_asked_for() -> None:
    w = with_objectives(in_two_groups(random_jobs(0, 9, 8, gap=4, run=12), 0), "UTIL, p95 wait of 2, AWRT of 1")
    assert [o.name for o in objective_table(w) if o.decides] == ["UTIL", "AWRT1", "p95 wait of 2"]
    assert w.measured.deciding == ("UTIL", "p95 wait of 2", "AWRT1")


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("UTIL", "must be 2 to 12, but are 1"),
        ("UTIL, util", "UTIL comes twice"),
        ("UTIL, p95 wait of gpu", 'there is no group "gpu"; groups are 1, 2'),
        ("UTIL, mean weight", '"mean weight" must be a measure'),
        ("UTIL, p0 wait", "a percentile must be above 0 and below 100"),
        ("UTIL, share wait", "a share needs a limit"),
        ("UTIL, mean wait > 5s", "nothing else has one"),
        ("UTIL, wait(60)", "only a slowdown has a bound"),
        ("UTIL, share slowdown > 3h", "must be a number without a unit"),
        ("UTIL, largest group wait of 1", "must be one of all jobs"),
        ("UTIL, energy(1 W, 0h 2)", "prices of a kWh must stand behind ascending hours"),
        ("UTIL, price(1 W)", "a price needs that of a kWh"),
        ("UTIL, energy(1 W, gpu 3 W)", "must have a machine with GPUs"),
        ("UTIL, mean wait of (widht > 3)", "did you mean width"),
        ("UTIL, UTIL_gpus", "use of a resource must be one of"),
        ("UTIL, mean wait of (width > 1000)", "no job of workload counts for mean wait of (width > 1000)"),
        ("UTIL, p95 wait of others", "others are for limits of a wish with a goal"),
        ("UTIL, energy(1" + 20 * "0" + " W)", "a number of a measure must be at most 1e+15"),
        ("UTIL, re\u017fponse", "must be a measure"),
        ("", "must be 2 to 12, but are 0"),
    ],
)
def test_bad_words_are_refused(words: str, rule: str) -> None:
    with pytest.raises(InputError) as error:
        with_objectives(in_two_groups(random_jobs(0, 9, 8, gap=4, run=12), 0), words)
    assert rule in str(error.value)


def test_a_group_called_all_is_not_all_jobs() -> None:
    w = jobs(4, (0, 10, 10, 4), (1, 4, 4, 4, 1)).with_(groups=("all", "rest"))
    values = ps.objectives(ps.simulate(w, "fcfs"), measures=['mean wait of "all"', "mean wait of all"])
    assert values['mean wait of "all"'] == 0
    assert values["mean wait"] == 4.5


def test_jain_needs_users() -> None:
    with pytest.raises(InputError, match="must know its users"):
        with_measures(jobs(4, (0, 10, 10, 4)), ["jain wait"])


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Average  Wait of GPU", "mean wait of gpu"),
        ("max slowdown", "longest slowdown"),
        ("p95.0 response of all", "p95 response"),
        ("share wait > 1.5 d of 'theo chem'", "share wait > 36h of theo chem"),
        ("AWRT of (width > 3)", "weighted response of (width > 3)"),
        ("AWRT of all", "AWRT"),
        ('mean wait of "all"', 'mean wait of "all"'),  # the group of this name, not all jobs
        ('p95 wait of "OTHERS"', 'p95 wait of "others"'),
        ('mean wait of "(big)"', 'mean wait of "(big)"'),
        ("mean wait of (width>=4 and user=ann)", "mean wait of (width >= 4 and user = ann)"),
        ("slowdown(1234567)", "mean slowdown(1234567)"),
        ("share wait > 0.00001", "share wait > 0.00001s"),
        ("p99.99999 wait", "p99.99999 wait"),
        ("unfair wait", "weighted unfair wait"),
    ],
)
def test_equal_measures_have_equal_names(words: str, name: str) -> None:
    groups = ("gpu", "theo chem", "all", "others", "(big)")
    assert objective_name(words, groups) == name
    assert objective_name(name, groups) == name
