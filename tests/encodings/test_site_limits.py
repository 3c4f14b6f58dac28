"""Genomes of limits stand for the machines that they should, and only for limits that matter."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

import paretosched as ps
from paretosched import InputError
from paretosched.encodings.encoding import from_json, to_json
from paretosched.encodings.site_limits import Setting, SiteLimits, in_words, settings_today, site_limits, with_limits
from paretosched.policies.policy_json import to_json as policy_json
from paretosched.policies.whole_nodes import WholeNodes
from paretosched.search.evaluation import simulate_batch
from paretosched.simulation.simulator import letting_wait
from paretosched.workload.limits import Limits
from support.limited_users import limited_users
from support.preemption_zoo import preempting_case
from support.reserved_zoo import reserved_case
from support.short_lives import PASSES

W = limited_users(MaxJobsPU=9)


@cache
def variation() -> SiteLimits:
    """Return the limits of W that are varied; it simulates, so not when this module is imported."""
    return site_limits(W, ())


def on_nodes() -> ps.Policy:
    """Return first come, first served in Slurm's passes, which look at three jobs of a user."""
    policy = ps.as_policy("fcfs; backfill: conservative")
    assert isinstance(policy, ps.Priority)
    return replace(policy, nodes=WholeNodes((), user=3))


def test_what_is_varied_are_limits_of_the_qos_that_count_first() -> None:
    assert [text.rpartition(" ")[0] for text in variation().limits] == [
        "part MaxJobsPU", "part MaxTRESPU=cpu", "Normal MaxJobsPU", "Normal MaxTRESPU=cpu", "Normal MaxTRESPU=gres/gpu",
    ]  # fmt: skip
    assert variation().gene_labels(2)[1] == "MaxTRESPU=cpu of part"
    assert 9 in variation().choices[0].grid  # today's


def test_a_value_is_on_the_grid_if_it_can_hold_back_a_job_and_none_for_ever() -> None:
    """The most that a user would have at once is counted second by second."""
    assert W.requests is not None
    asked, span = W.asked_amounts, W.submit[-1] - W.submit[0]
    assert asked is not None
    for each in variation().choices:
        among = W.requests.gpus_per_node == (1 if each.qos == "Normal" else 0)
        amount = {"MaxJobsPU": np.ones(len(W)), "MaxTRESPU=cpu": asked.cpus, "MaxTRESPU=gres/gpu": asked.gpus}[
            each.name
        ]
        at_once, busy = 0.0, 0.0
        for user in np.unique(W.user):
            rows = np.flatnonzero(among & (W.user == user))
            busy = max(busy, (amount[rows] * W.run[rows]).sum() / span)
            for second in W.submit[rows]:
                running = rows[(W.submit[rows] <= second) & (W.submit[rows] + W.run[rows] > second)]
                at_once = max(at_once, amount[running].sum())
        ceiling = 4 if each.name.endswith("gpu") else W.capacity
        grid = [value for value in each.grid if (each.qos, each.name, value) != ("part", "MaxJobsPU", 9)]
        assert grid
        assert max(amount[among].max(), busy / 8) <= grid[0]
        assert grid[-1] < min(at_once, ceiling)


def test_each_value_has_a_genome_and_comes_back() -> None:
    for i, each in enumerate(variation().choices):
        for value in (*each.grid, None):
            settings = [Setting(qos, name, None) for qos, name, _ in variation().choices]
            settings[i] = Setting(each.qos, each.name, value)
            genome = variation().genome_of(settings)
            assert variation().settings(genome) == tuple(settings)
            assert ((genome >= 0) & (genome <= 1)).all()
    ends = [variation().settings(np.full(5, gene)) for gene in (0.0, np.nextafter(0.5, 0), 0.5, 1.0)]
    assert [each.value for each in ends[0]] == [each.grid[0] for each in variation().choices]
    assert [each.value for each in ends[1]] == [each.grid[-1] for each in variation().choices]
    assert {each.value for row in ends[2:] for each in row} == {None}


def test_a_point_is_the_machine_whose_limits_are_changed_by_hand() -> None:
    assert W.machine is not None
    today = settings_today(variation(), W)
    assert [each.value for each in today] == [9, None, None, None, None]
    decode, none = variation().decoder(W), np.empty((0, 0))
    assert decode(variation().genome_of(today), none).start.tolist() == ps.simulate(W, "easy").start.tolist()
    chosen = (
        Setting("part", "MaxJobsPU", None),
        Setting("part", "MaxTRESPU=cpu", 12),
        Setting("Normal", "MaxJobsPU", 1),
    )
    encoding = replace_grids(variation(), {("part", "MaxTRESPU=cpu"): (12,), ("Normal", "MaxJobsPU"): (1,)})
    hand = (
        Limits("part", "", "", "", {"MaxTRESPU": {"cpu": 12}}),
        Limits("Normal", "", "", "", {"MaxJobsPU": 1, "MaxTRESPU": {"mem": 2**40}}),
    )
    by_hand = ps.simulate(W.with_(machine=replace(W.machine, limits=hand)), "easy").check().start.tolist()
    assert encoding.decoder(W)(encoding.genome_of(chosen), none).start.tolist() == by_hand
    assert by_hand != ps.simulate(W, "easy").start.tolist()
    jobs, policy = encoding.on_machine(chosen, W)
    assert jobs.machine is not None
    assert (set(jobs.machine.limits), policy.name) == (set(hand), "EASY")


def replace_grids(encoding: SiteLimits, grids: dict[tuple[str, str], tuple[int, ...]]) -> SiteLimits:
    varied = [each._replace(grid=grids.get((each.qos, each.name), each.grid)) for each in encoding.choices]
    return SiteLimits(encoding.starts, tuple(each.text for each in varied))


def test_jobs_of_a_user_in_a_backfill_pass_are_varied_where_there_are_passes() -> None:
    encoding = site_limits(W, ({"policy": policy_json(on_nodes())},))
    assert encoding.choices[-1].name == "bf_max_job_user"
    assert settings_today(encoding, W)[-1] == Setting("", "bf_max_job_user", 3)
    settings = (*settings_today(encoding, W)[:-1], Setting("", "bf_max_job_user", 1))
    jobs, policy = encoding.on_machine(settings, W)
    assert isinstance(policy, ps.Priority)
    assert policy.nodes is not None
    assert (policy.nodes.user, jobs.machine) == (1, W.machine)
    none = (*settings[:-1], settings[-1]._replace(value=None))
    other = encoding.on_machine(none, W)[1]
    assert isinstance(other, ps.Priority)
    assert other.nodes is not None
    assert other.nodes.user == 0
    start = encoding.decoder(W)(encoding.genome_of(settings), np.empty((0, 0))).start
    assert start.tolist() == ps.simulate(W, policy).start.tolist()


@pytest.mark.parametrize("seed", [7, 12, 30, 49])
@pytest.mark.parametrize("zoo", [preempting_case, partial(reserved_case, with_dependencies=True)])
def test_a_value_of_the_search_is_the_objective_of_the_schedule(zoo: Callable[[int], ps.Workload], seed: int) -> None:
    """Bit for bit, also where jobs are cancelled or end with their reservation, and others wait for them."""
    w = zoo(seed)
    limits = "low MaxJobsPU 1,2,3", "normal MaxJobsPU 1,2", "bf_max_job_user 1,2,4"
    encoding = SiteLimits(({"policy": policy_json(PASSES)},), limits)
    genomes = np.random.default_rng(seed).random((6, 3))
    jobs = letting_wait(w)
    values, _ = simulate_batch([(jobs, encoding.decoder(jobs))], (genomes, genomes[:0]), "submission")
    for genome, row in zip(genomes, values, strict=True):
        there, policy = encoding.on_machine(encoding.settings(genome), w)
        assert ps.objectives(ps.simulate(there, policy), util_from="submission").array.tobytes() == row.tobytes()


def of_two_partitions() -> ps.Workload:
    """Return jobs for an hour that name both partitions, and one for two hours that names the long one only."""
    asked = ps.Requests(tasks=[4] * 4, memory_per_node=[1] * 4, partition=["short,long"] * 3 + ["long"])
    parts = ps.Partition("short", "n1", longest=3600, tier=2), ps.Partition("long", "n2")
    machine = ps.Machine((ps.NodeKind("n[1-2]", 4, 100),), parts)
    estimate = [1800, 3600, 3600, 7200]
    return ps.Workload([0, 0, 1, 1], estimate, estimate, [4] * 4, capacity=8, machine=machine, requests=asked)


def test_the_times_of_partitions_are_varied_where_jobs_can_go_elsewhere() -> None:
    w = of_two_partitions()
    encoding = site_limits(w, ())
    assert encoding.limits == ("short MaxTime 1800",)
    assert encoding.gene_labels(1) == ["MaxTime of short"]
    assert settings_today(encoding, w) == (Setting("short", "MaxTime", None),)  # it holds nobody out
    shorter = (Setting("short", "MaxTime", 1800),)
    jobs, _ = encoding.on_machine(shorter, w)
    assert jobs.machine is not None
    assert [part.longest for part in jobs.machine.partitions] == [1800, None]
    start = encoding.decoder(w)(encoding.genome_of(shorter), np.empty((0, 0))).start
    assert start.tolist() == ps.simulate(jobs, "easy").check().start.tolist()
    assert ps.simulate(w, "easy").start.tolist() == [0, 0, 1800, 3600]
    assert start.tolist() == [0, 0, 3600, 7200]
    assert in_words(shorter) == "MaxTime=00:30:00 of partition short"
    assert shorter[0].about() == {"partition": "short", "name": "MaxTime", "value": 1800}
    assert encoding.on_machine(encoding.settings(np.ones(1)), w)[0].machine == w.machine


def test_a_time_that_holds_jobs_out_today_can_be_longer() -> None:
    w = of_two_partitions()
    assert w.machine is not None
    short, long = w.machine.partitions
    w = w.with_(machine=replace(w.machine, partitions=(replace(short, longest=1900), long)))
    encoding = site_limits(w, ())
    assert encoding.limits == ("short MaxTime 1800,1900",)
    today = settings_today(encoding, w)
    assert today == (Setting("short", "MaxTime", 1900),)
    assert encoding.on_machine(today, w)[0].machine == w.machine
    assert encoding.settings(encoding.genome_of(today)) == today
    longer = encoding.on_machine(encoding.settings(np.ones(1)), w)[0].machine
    assert longer is not None
    assert [part.longest for part in longer.partitions] == [None, None]


def test_no_job_alone_is_beyond_a_value_also_where_another_limit_counts_first() -> None:
    """The QOS of the partition counts first for the job of eight cores; if it sets nothing, its own QOS does."""
    assert W.requests is not None
    assert W.machine is not None
    wide = W.requests.tasks.copy()
    wide[np.flatnonzero(W.requests.gpus_per_node == 0)[0]] = 7
    w = W.with_(requests=replace(W.requests, tasks=wide), width=wide)
    least = {(each.qos, each.name): each.grid[0] for each in site_limits(w, ()).choices}
    assert least["part", "MaxTRESPU=cpu"] >= 7
    assert least["Normal", "MaxTRESPU=cpu"] >= 7


def test_what_a_job_gets_is_below_each_value() -> None:
    """Every job gets a whole node of eight cores."""
    assert W.machine is not None
    whole = replace(W.machine, partitions=tuple(replace(part, exclusive=True) for part in W.machine.partitions))
    least = {(each.qos, each.name): each.grid[0] for each in site_limits(W.with_(machine=whole), ()).choices}
    assert min(value for (_, name), value in least.items() if name == "MaxTRESPU=cpu") >= 8


def test_other_limits_and_flags_of_a_qos_stay() -> None:
    assert W.machine is not None
    over = Limits("part", "", "", "", {"MaxWall": 9000, "MaxTRESPU": {"cpu": 4, "mem": 8}}, ("OverPartQOS",))
    machine = replace(W.machine, limits=(over,))
    (row,) = with_limits(machine, [Setting("Part", "MaxTRESPU=cpu", None), Setting("Part", "MaxJobsPU", 2)]).limits
    assert (row.qos, row.plain, row.flags) == (
        "part", {"MaxJobsPU": 2, "MaxWall": 9000, "MaxTRESPU": {"mem": 8}}, ("OverPartQOS",),
    )  # fmt: skip
    assert with_limits(replace(machine, limits=()), [Setting("a", "MaxJobsPU", None)]).limits == ()


def test_it_is_written_and_read_and_sent() -> None:
    for each in (variation(), SiteLimits(), site_limits(W, ({"policy": policy_json(on_nodes())},))):
        assert from_json(to_json(each)) == each
        assert pickle.loads(pickle.dumps(each)) == each
    assert in_words(settings_today(variation(), W)) == "MaxJobsPU=9 in QOS part"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"limits": ("part MaxJobsPU",)}, 'a limit must be like "normal MaxTRESPU=cpu 64,96,128"'),
        ({"limits": ("part MaxWall 3",)}, 'but is "part MaxWall 3"'),
        ({"limits": ("part MaxJobsPU 3,2",)}, "with ascending values"),
        ({"limits": ("part bf_max_job_user 3",)}, "a limit must be like"),
        ({"limits": ("MaxTime 3",)}, "MaxTime of a partition or bf_max_job_user"),
        ({"limits": ("part MaxJobsPU 3", "part MaxJobsPU 4")}, "a limit must be varied once"),
        ({"starts": ("easy",)}, "limits are tried under one"),
    ],
)
def test_words_that_are_no_limits_are_refused(words: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SiteLimits(**words)


def test_where_nothing_can_be_limited_it_is_said() -> None:
    with pytest.raises(InputError, match="import the log with its machine"):
        site_limits(ps.lublin(20, 32, 1), ())
    alone = limited_users().take([0])
    with pytest.raises(InputError, match="there is nothing to search"):
        site_limits(alone, ())
