"""Today's scheduler of a Slurm site: what its formula has, what is remarked, and the priorities of a real Slurm."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched import InputError, Priority, Workload
from paretosched.deployment.slurm_queue import FIELDS, jobs_in
from paretosched.policies.policy import as_policy
from paretosched.policies.priority import ALL
from paretosched.policies.slurm_policy import read_slurm
from paretosched.policies.whole_nodes import WholeNodes
from paretosched.workload.log_names import BESIDE, Names
from paretosched.workload.requests import REQUESTS, requests_of
from support.slurm_cluster import SlurmCluster, slurm_cluster
from support.slurm_site import keys_at

SITE = Path(__file__).parents[1] / "data/slurm"
HEAD = "ClusterName=a\n"
SELECT = "SelectType=select/cons_tres\n"
MULTIFACTOR = HEAD + SELECT + "PriorityType=priority/multifactor\nNodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL\n"
DBD = "AccountingStorageType=accounting_storage/slurmdbd\n"


@pytest.fixture
def conf(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a slurm.conf."""

    def write(text: str) -> Path:
        path = tmp_path / "slurm.conf"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def remarks(policy: Priority) -> list[str]:
    return policy.provenance["slurm"]["remarks"]  # type: ignore[no-any-return]


def jobs_with(names: Names, columns: Mapping[int, list[int]], **fields: list[int]) -> Workload:
    """Return jobs of a log with some fields of their lines, and names."""
    records = np.full((len(fields["submit"]), 18 + 3 * (18 in columns)), -1.0)
    for place, numbers in columns.items():
        records[:, place] = numbers
    return Workload(**fields, capacity=16, records=records, names=names)  # type: ignore[arg-type]


# ---- the formula


def test_a_whole_site() -> None:
    policy = read_slurm(SITE / "slurm.conf", SITE / "assoc.txt")
    assert policy.order == (
        "floor(max(1, 1000 * min(wait / 86400, 1) + 100000 * fairshare + 1000 * max(0, min(1, 0.125 * nodes + width / "
        "32)) + 125 + 375 * partition(fast) + 400 + 1600 * queue(high) + width * (187.5 + 187.5 * partition(fast)) - "
        "nice))",
    )
    assert (policy.name, policy.half_life, policy.backfill.reservations) == ("Slurm loop", 7 * 86400, 8)
    assert (policy.fair_share.algorithm, policy.fair_share.period) == ("tree", 60)
    assert policy.fair_share.names[:3] == ("bio", "shared", "physics")


@pytest.mark.parametrize(
    ("lines", "order"),
    [
        ("", "fcfs; backfill: none"),
        ("PriorityWeightAge=5", "fcfs; backfill: none"),  # without accounts, Slurm computes priorities only once
        (f"PriorityWeightAge=5\n{DBD}", "5 * min(wait / 604800, 1)"),
        (f"PriorityWeightAge=5\nPriorityMaxAge=INFINITE\n{DBD}", "5 * min(wait / 10000000000, 1)"),
        (f"PriorityWeightAge=5\nPriorityMaxAge=0\n{DBD}", "fcfs; backfill: none"),
        ("PriorityWeightJobSize=8", "8 * max(0, min(1, 0.125 * nodes + width / 32))"),
        ("PriorityWeightJobSize=8\nPriorityFavorSmall=yes", "8 * max(0, min(1, 1 - (0.125 * nodes + width / 32)))"),
        (
            "PriorityWeightJobSize=8\nPriorityFlags=SMALL_RELATIVE_TO_TIME",
            "8 * max(0, min(1, max(4 * nodes, width) / max(estimate / 60, 1) / 16))",
        ),
        (
            "PriorityWeightJobSize=8\nPriorityFlags=small_relative_to_time\nPriorityFavorSmall=Yes",
            "8 * max(0, min(1, 1 - max(4 * nodes, width) / max(estimate / 60, 1) / 16))",
        ),
        ("PriorityWeightTRES=cpu=32", "width * 2"),
        ("PriorityWeightTRES=cpu=32\nPriorityFlags=NO_NORMAL_TRES", "width * 32"),
        ("PriorityWeightTRES=cpu=0x20\nPriorityFlags=NO_NORMAL_TRES", "width * 32"),
        ("PriorityWeightTRES=Mem=8,Node=3", "memory * 2 + nodes * 0.75"),  # MiB of four nodes that do not say it
        ("PriorityWeightTRES=Mem=5\nPriorityFlags=NO_NORMAL_ALL", "memory * 5"),
        (  # of the nodes of p, 6 GPUs; of those of g, 2
            "PriorityWeightTRES=GRES/gpu=12\nNodeName=g[1-2] CPUs=4 Gres=gpu:a:1(S:0-1),lustre:9,gpu\n"
            "NodeName=h CPUs=4 Gres=gpu:2\nPartitionName=g Nodes=h",
            "gpus * (2 + 4 * partition(g))",
        ),
        ("PriorityWeightFairshare=7", "fcfs; backfill: none"),  # without accounts, Slurm knows no shares
        (f"PriorityWeightFairshare=7\n{DBD}", "7 * fairshare"),
        (
            "PriorityWeightPartition=6\nPartitionName=q Nodes=n1 PriorityJobFactor=3 Default=yes",
            "6 + -4 * partition(p)",
        ),
    ],
)
def test_the_formula(lines: str, order: str, conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(MULTIFACTOR + lines))
    expected = as_policy(order if order.startswith("fcfs") else f"order: floor(max(1, {order} - nice))")
    assert isinstance(expected, Priority)
    assert policy.order == expected.order


def test_a_higher_tier_comes_before_all_other_priorities(conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(f"{MULTIFACTOR}{DBD}PartitionName=q PriorityTier=9\nPriorityWeightAge=1"))
    assert policy.order == ("floor(8589934592 * partition(q) + max(1, 1 * min(wait / 604800, 1) - nice))",)
    lines = "PriorityWeightPartition=6\nPriorityFlags=NO_NORMAL_PART\nPartitionName=q-2 Priority=3"
    policy = read_slurm(conf(MULTIFACTOR + lines))
    assert policy.order == ("floor(8589934592 * partition(q-2) + max(1, 6 + 12 * partition(q-2) - nice))",)


def test_priority_basic_is_first_come_first_served(conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(f"{HEAD}PriorityType=priority/basic\nPriorityWeightAge=5\n"))
    assert (policy.order, policy.backfill.reservations) == (("fcfs",), ALL)
    w = ps.lublin(200, 64, 3)
    assert ps.simulate(w, policy).start.tolist() == ps.simulate(w, "fcfs; backfill: conservative").start.tolist()


@pytest.mark.parametrize(
    ("lines", "reservations"),
    [
        ("SchedulerType=sched/builtin", 0),
        ("SchedulerParameters=bf_job_part_count_reserve=3", 3),
        ("SchedulerParameters=bf_interval=9", ALL),
    ],
)
def test_backfilling(lines: str, reservations: int, conf: Callable[[str], Path]) -> None:
    assert read_slurm(conf(f"{HEAD}PriorityType=priority/basic\n{lines}")).backfill.reservations == reservations


TWO_PARTITIONS = "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2]\nPartitionName=q Nodes=n1\n"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", []),
        (
            TWO_PARTITIONS,
            ["the first 3 jobs of each of 2 partitions that cannot start now, here for"],
        ),
    ],
)
def test_reservations_of_each_partition_are_remarked(lines: str, words: list[str], conf: Callable[[str], Path]) -> None:
    text = f"{HEAD}PriorityType=priority/basic\nSchedulerParameters=bf_job_part_count_reserve=3\n{lines}"
    said = [line for line in remarks(read_slurm(conf(text))) if line.startswith("bf_job_part_count_reserve=3 reserves")]
    assert len(said) == len(words)
    assert all(word in line for word, line in zip(words, said, strict=True))


@pytest.mark.parametrize(
    ("flags", "algorithm"),
    [("", "tree"), ("FAIR_TREE", "tree"), ("NO_FAIR_TREE", "classic"), ("DEPTH_OBLIVIOUS", "classic")],
)
def test_the_algorithm_of_fair_share(flags: str, algorithm: str, conf: Callable[[str], Path]) -> None:
    lines = (
        f"{DBD}PriorityWeightFairshare=1\nPriorityDecayHalfLife=0\nFairShareDampeningFactor=5\nPriorityFlags={flags}"
    )
    policy = read_slurm(conf(MULTIFACTOR + lines))
    assert (policy.fair_share.algorithm, policy.fair_share.damping, policy.fair_share.period) == (algorithm, 5, 300)
    assert policy.half_life == 10**10  # none
    assert any("sacctmgr -P show assoc" in line for line in remarks(policy))


# ---- what is refused, and what is remarked


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{HEAD}PriorityType=priority/own",
            "slurm.conf:2: PriorityType must be one of priority/basic, priority/multi",
        ),
        (f"{HEAD}PriorityType=priority/basic\nSchedulerType=sched/wiki", "SchedulerType must be one of sched/backfill"),
        (
            f"{MULTIFACTOR}PriorityWeightAge=-1",
            "slurm.conf:6: PriorityWeightAge must be a whole number up to 4294967295",
        ),
        (
            f"{MULTIFACTOR}PriorityWeightJobSize=1\nPriorityFavorSmall=maybe",
            'slurm.conf:7: PriorityFavorSmall must be yes or no, but is "maybe"',
        ),
        (f"{MULTIFACTOR}PriorityWeightTRES=cpu", 'PriorityWeightTRES must be NAME=NUMBER,..., but has "cpu"'),
        (f"{HEAD}PriorityType=priority/multifactor\nPriorityWeightJobSize=1", "needs the CPUs of NodeName lines"),
        (f"{HEAD}PriorityType=priority/multifactor\nPriorityWeightTRES=cpu=1", "needs the CPUs of NodeName and Part"),
    ],
)
def test_what_cannot_be_simulated_is_refused(text: str, message: str, conf: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_slurm(conf(text))
    assert "\n" not in str(error.value)


def test_every_remark_says_what_would_change(conf: Callable[[str], Path]) -> None:
    lines = (
        f"{DBD}PriorityWeightAge=1\nPriorityWeightFairshare=2\nPriorityWeightQOS=3\nPriorityUsageResetPeriod=MONTHLY\n"
        "PriorityWeightTRES=Mem=5,GRES/gpu=2,License=9\nPreemptType=preempt/qos\nPriorityFlags=ACCRUE_ALWAYS\n"
        "PartitionName=q Nodes=n1 TRESBillingWeights=CPU=2 OverSubscribe=NO\n"
        "SchedulerParameters=bf_max_job_user=20,defer,bf_interval=60,bf_continue,new_option=1\n"
    )
    said = remarks(read_slurm(conf(MULTIFACTOR + lines)))
    assert said[0] == (
        "in the policy are age (1), fair share, Fair Tree (2), QOS (3), memory (5); backfilling beside reservations of "
        "all waiting jobs"
    )
    for part in (
        "PriorityCalcPeriod: ages grow",
        "all users have equal shares",
        "usage begins with 0",
        "nice values are 0",
        "PriorityWeightQOS=3 counts nothing where priorities of QOS are not known: import --machine --qos puts ",
        "PriorityWeightTRES: license of jobs are not in a log",
        "PriorityWeightTRES: memory of a job: 0 where a log does not say it",
        "PriorityWeightTRES: no partition has a node with GPUs, so that they count nothing",
        "PriorityUsageResetPeriod=MONTHLY: usage is not reset",
        "PreemptType=preempt/qos: no job is preempted here",
        "ACCRUE_ALWAYS: ages count from",
        "TRESBILLINGWEIGHTS of q: usage is processors times time",
        "the partitions have different nodes, but here all jobs share one machine; p, q: nodes",
        "bf_max_job_user=20: Slurm starts at most 20 jobs",
        "defer: Slurm starts no job at its submission",
        "on a machine of 4 nodes and 16 processors, reservations are for whole nodes, and jobs are backf",
        "passes begin at multiples of bf_interval here",
        "new_option=1 of SchedulerParameters is not in the policy",
    ):
        assert sum(line.startswith(part) for line in said) == 1, part
    assert len(said) == 19


def test_how_often_and_how_far_slurm_looks(conf: Callable[[str], Path]) -> None:
    names = "bf_interval=60,bf_window=120,bf_resolution=1,bf_max_job_test=9,default_queue_depth=7"
    head = f"{HEAD}PriorityType=priority/basic\nNodeName=n[1-3] CPUs=4\nNodeName=m[1-2] CPUs=8\nNodeName=x CPUs=8\n"
    usual = 2**31 - 1  # jobs come as they were submitted, with priorities that only some options of sbatch exceed
    assert read_slurm(conf(head)).nodes == WholeNodes(((3, 4), (3, 8)), usual=usual)
    some = f"{head}PartitionName=p Nodes=n[1-3],m1\nSchedulerParameters={names}"
    assert read_slurm(conf(some)).nodes == WholeNodes(((3, 4), (1, 8)), 60, 7200, 1, 9, 7, usual=usual)
    on_nodes = "sched_interval=30,bf_max_job_part=5,bf_max_job_user=4,bf_max_job_start=3,bf_min_prio_reserve=2"
    values = {"main": 30, "partition": 5, "user": 4, "started": 3, "priority": 2}
    only = read_slurm(conf(f"{HEAD}PriorityType=priority/basic\nSchedulerParameters={on_nodes}")).nodes
    assert only == WholeNodes((), **values, usual=usual)
    # As in Slurm, a value out of bounds is the default one.
    wild = f"{head}SchedulerParameters=bf_interval=20000,bf_window=0"
    assert read_slurm(conf(wild)).nodes == WholeNodes(((3, 4), (3, 8)), usual=usual)


@pytest.mark.parametrize("lines", ["SchedulerType=sched/builtin", "SchedulerParameters=bf_interval=-1"])
def test_without_backfilling_no_nodes_are_reserved(lines: str, conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(f"{HEAD}PriorityType=priority/basic\nNodeName=n[1-3] CPUs=4\n{lines}"))
    assert policy.backfill.reservations == 0
    assert not any("whole nodes" in line for line in remarks(policy))


def test_what_is_misspelt_or_missing_is_remarked(conf: Callable[[str], Path]) -> None:
    head = f"{HEAD}PriorityType=priority/basic\nNodeName=n[01-10] CPUs=10\n"
    lines = "PriorityWeigthAge=9\nPartitionName=p Nodes=n[1-10]\nSchedulerParameters=bf_window=0"
    said = remarks(read_slurm(conf(head + lines)))
    assert said[:2] == [
        "in the policy is the order of submission; backfilling beside reservations of all waiting jobs",
        "PriorityWeigthAge: is no setting of Slurm that is known here; did you mean PriorityWeightAge?",
    ]
    for part in (
        "no SelectType, which is select/linear before Slurm 23.11: Slurm gives entire nodes to a job",
        "Nodes of partition p: no NodeName line has n1, n2, n3, ...; they are left out",
        "on a machine of 1 node and 10 processors, reservations are for whole nodes",
        "bf_window=0 is below Slurm's bound 1: its default 1440 counts",
    ):
        assert sum(line.startswith(part) for line in said) == 1, part


def test_who_has_no_shares_hears_how_a_policy_gets_them(conf: Callable[[str], Path]) -> None:
    said = remarks(read_slurm(conf(f"{MULTIFACTOR}{DBD}PriorityWeightFairshare=1\nPriorityWeightQOS=1")))
    both = [line for line in said if "paretosched simulate LOG --policy slurm.conf --shares assoc.txt --save-p" in line]
    assert len(both) == 2
    assert not any("no --shares" in line for line in said)


def test_without_nodes_it_is_remarked_that_processors_are_counted(conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(f"{HEAD}PriorityType=priority/basic\nSchedulerParameters=bf_interval=60"))
    assert policy.nodes is not None
    assert policy.nodes.kinds == ()
    (line,) = [line for line in remarks(policy) if "bf_interval" in line]
    assert line.startswith("Slurm backfills once in 60 s, here it is done at every submission and end of a job")
    assert "without NodeName lines processors are counted here; Slurm reserves whole nodes" in remarks(policy)


def test_nodes_without_a_partition_are_said_to_be_none(conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(f"{HEAD}PriorityType=priority/basic\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=m1"))
    assert policy.nodes is not None
    assert policy.nodes.kinds == ()
    line = "no partition has a node of a NodeName line: processors are counted here; Slurm reserves whole nodes"
    assert line in remarks(policy)


@pytest.mark.parametrize(
    ("lines", "order", "remark"),
    [
        ("", "fcfs", "since; without weights both are the order of submission"),
        ("PriorityWeightAge=0", "fcfs", "since; without weights both are the order of submission"),
        (
            "PriorityWeightTRES=cpu=32",
            "floor(max(1, width * 2 - nice))",
            "which is taken because there are weights",
        ),
        ("PriorityWeightTRES=cpu=32\nCacheGroups=0", "fcfs", "which has no CacheGroups: the weights count nothing"),
        ("PriorityWeightTRES=cpu=32\nSelectType=select/cons_res", "fcfs", "which has no SelectType=select/cons_res: "),
    ],
)
def test_without_a_priority_type_it_is_that_of_the_version(
    lines: str, order: str, remark: str, conf: Callable[[str], Path]
) -> None:
    policy = read_slurm(conf(f"{HEAD}NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL\n{lines}"))
    assert policy.order == (order,)
    (line,) = [line for line in remarks(policy) if "PriorityType" in line]
    assert line.startswith("no PriorityType: priority/basic before Slurm 23.11, priority/multifactor since")
    assert remark in line


def test_flags_that_are_not_known_are_remarked_as_slurm_passes_over_them(conf: Callable[[str], Path]) -> None:
    said = remarks(read_slurm(conf(f"{MULTIFACTOR}PriorityFlags=BACKWARDS,FAIR_TREE")))
    assert "PriorityFlags: BACKWARDS is not simulated" in said


@pytest.mark.parametrize(
    ("weight", "factor"),
    [(".5", "2.5"), ("5.", "25"), ("1e1", "50"), ("+2", "10"), ("-1", "-5"), ("2048k", "10"), ("0x", ""), ("1e", "")],
)
def test_weights_of_resources_are_numbers_as_slurm_reads_them(
    weight: str, factor: str, conf: Callable[[str], Path]
) -> None:
    text = f"{MULTIFACTOR}PriorityFlags=NO_NORMAL_TRES\nPriorityWeightTRES=CPU={weight}"
    if not factor:
        with pytest.raises(InputError, match=r"PriorityWeightTRES must be NAME=NUMBER,..., but has \"CPU="):
            read_slurm(conf(text))
        return
    assert read_slurm(conf(text)).order == (f"floor(max(1, width * {float(factor) / 5:g} - nice))",)


def test_a_weight_of_memory_may_be_that_of_a_larger_unit(conf: Callable[[str], Path]) -> None:
    policy = read_slurm(conf(f"{MULTIFACTOR}PriorityFlags=NO_NORMAL_TRES\nPriorityWeightTRES=Mem=0.25G"))
    assert policy.order == ("floor(max(1, memory * 0.000244140625 - nice))",)


def test_hundreds_of_partitions_are_one_table_in_the_formula(conf: Callable[[str], Path], tmp_path: Path) -> None:
    rows = "".join(f"PartitionName=lab{k} Nodes=n{1 + k % 4} Priority={k + 1}\n" for k in range(600))
    lines = f"{DBD}PriorityWeightPartition=600\nPriorityWeightTRES=cpu=8\nPriorityFlags=NO_NORMAL_PART\n"
    policy = read_slurm(conf(f"{MULTIFACTOR}{lines}{rows}"))
    ps.save_policy(policy, tmp_path / "today.json")
    assert ps.load_policy(tmp_path / "today.json").order == policy.order  # type: ignore[union-attr]
    names = Names({}, {}, {}, {1: "lab0", 2: "lab599", 3: "elsewhere"}, "slurm", "account")
    w = jobs_with(names, {15: [1, 2, 3]}, submit=[0, 0, 0], run=[9] * 3, estimate=[60] * 3, width=[2] * 3, user=[1] * 3)
    tier = 2**33
    assert keys_at(policy, w, 0, {}) == [600 + 4, 599 * tier + 600 * 600 + 4, 600 + 1]


def test_the_older_name_of_two_settings_counts_before_both(conf: Callable[[str], Path]) -> None:
    rows = "PartitionName=q Nodes=n1 Priority=3 PriorityTier=1 PriorityJobFactor=9"
    policy = read_slurm(conf(f"{MULTIFACTOR}PriorityWeightPartition=6\nPriorityFlags=NO_NORMAL_PART\n{rows}"))
    assert policy.order == ("floor(8589934592 * partition(q) + max(1, 6 + 12 * partition(q) - nice))",)


# ---- the policy as a value


@pytest.mark.slow
def test_it_is_a_policy_like_others(tmp_path: Path) -> None:
    policy = read_slurm(SITE / "slurm.conf", SITE / "assoc.txt")
    ps.save_policy(policy, tmp_path / "today.json")
    again = ps.load_policy(tmp_path / "today.json")
    assert isinstance(again, Priority)
    assert (again.order, again.backfill, again.fair_share) == (policy.order, policy.backfill, policy.fair_share)
    assert again.provenance == policy.provenance
    plain = ps.lublin(100, 32, 3)
    w = plain.with_(records=np.full((100, 18), -1.0))
    start = ps.simulate(w, policy).start.tolist()
    assert ps.simulate(w, tmp_path / "today.json").start.tolist() == start
    assert ps.simulate(w, policy, "recent").start.size == 100
    words = ps.explain(policy).words()
    assert any(line.startswith("Of slurm.conf: in the policy are age (1,000)") for line in words)
    assert ps.as_policy(SITE / "slurm.conf").name == "Slurm loop"


def test_names_of_users_accounts_partitions_and_qos_come_from_beside_the_log() -> None:
    policy = read_slurm(SITE / "slurm.conf", SITE / "assoc.txt")
    names = Names(
        {1: "anna", 2: "cora"},
        {1: "theory", 2: "bio"},
        {1: "high", 2: "normal"},
        {1: "fast", 2: "batch"},
        "slurm",
        "account",
    )
    columns = {11: [1, 1, 2], 12: [1, 2, 2], 14: [1, 2, 2], 15: [1, 2, 2]}
    w = jobs_with(names, columns, submit=[0, 0, 0], run=[9] * 3, estimate=[60] * 3, width=[4] * 3, user=[1, 1, 2])
    size = 1000 * (0.125 + 4 / 32)
    assert keys_at(policy, w, 864, {}) == [
        10 + 100000 + size + 500 + 2000 + 1500,
        10 + 100000 + size + 125 + 400 + 750,
        10 + 100000 + size + 125 + 400 + 750,
    ]
    assert policy.unknown_words(w) == []
    ranks = keys_at(replace(policy, order="fairshare"), w, 864, {1: 0})  # anna in bio runs: bio comes last, anna in it
    assert ranks == [1.0, 1 / 9, 3 / 9]


# ---- a real Slurm

ACCOUNTS = (  # of root
    ("account", "physics", "fairshare=30"),
    ("account", "theory", "parent=physics", "fairshare=10"),
    ("account", "bio", "fairshare=20"),
    ("account", "shared", "parent=bio", "fairshare=parent"),
    ("user", "games", "account=theory", "fairshare=3"),
    ("user", "man", "account=physics", "fairshare=5"),
    ("user", "lp", "account=bio", "fairshare=1"),
    ("user", "games", "account=bio", "fairshare=2"),
    ("user", "mail", "account=shared", "fairshare=parent"),
    ("qos", "high", "priority=10"),
)
PAIRS = (("games", "theory"), ("man", "physics"), ("lp", "bio"), ("games", "bio"), ("mail", "shared"))
WEIGHTS = {
    "PriorityWeightAge": "1000",
    "PriorityWeightFairshare": "10000",
    "PriorityWeightJobSize": "2000",
    "PriorityWeightPartition": "500",
    "PriorityWeightQOS": "2000",
    "PriorityWeightTRES": "CPU=3000,Mem=2000,Node=700,GRES/gpu=1500",
}
COLUMNS = ("AGE", "FAIRSHARE", "JOBSIZE", "PARTITION", "QOS", "TRES")  # as sprio calls them, in the order of WEIGHTS
GPUS = {"gres.conf": "Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n"}  # any file will do


@contextmanager
def site() -> Iterator[SlurmCluster]:
    """Start a cluster with accounts, two partitions and two QOS, on which a minute lasts a second."""
    settings = WEIGHTS | {
        "PriorityCalcPeriod": "1",
        "PriorityMaxAge": "0-2",
        "SchedulerType": "sched/builtin",
        "SelectTypeParameters": "CR_CPU_Memory",
        "DefMemPerCPU": "50",
        "GresTypes": "gpu",
        "Gres": "gpu:2",
        "AccountingStorageTRES": "gres/gpu",
        "PartitionName": "main Nodes=n[1-4] Default=YES MaxTime=INFINITE PriorityJobFactor=10",
        "PartitionName#2": "fast Nodes=n[1-2] MaxTime=INFINITE PriorityJobFactor=40",
    }
    with slurm_cluster(settings=settings, accounting=True, rate=60, files=GPUS) as cluster:
        for line in ACCOUNTS:
            cluster.call("sacctmgr", "-i", "add", *line)
        cluster.call("sacctmgr", "-i", "modify", "qos", "normal", "set", "priority=2")
        cluster.call("sacctmgr", "-i", "modify", "user", "games", "man", "set", "qos+=high")
        yield cluster


def jobs_now(cluster: SlurmCluster) -> tuple[Workload, dict[int, int], int]:
    """Return the jobs of a cluster as a log with names, the rows and starts of those that run, and the time."""
    cluster.environment["SLURM_TIME_FORMAT"] = "%s"
    mark = "~mark~"
    text = cluster.call("squeue", "-a", "-h", "-O", ",".join(f"{field}:{mark}" for field in FIELDS))
    queue = sorted(jobs_in(text, mark), key=lambda job: job.id)
    names = [[job.user for job in queue], [job.account for job in queue]]
    names += [[job.qos for job in queue], [job.partitions[0] for job in queue]]
    numbers = [{name: i for i, name in enumerate(dict.fromkeys(column), 1)} for column in names]
    users, accounts, qos, partitions = (
        [of_name[name] for name in column] for of_name, column in zip(numbers, names, strict=True)
    )
    named = [{number: name for name, number in of_name.items()} for of_name in numbers]
    asked = {word: [getattr(job, word) for job in queue] for word in BESIDE}
    w = jobs_with(
        Names(*named, "slurm", "account"),  # type: ignore[arg-type]
        {11: users, 12: accounts, 14: qos, 15: partitions}
        | {9: [1024 * job.memory // job.widths["cpus"] for job in queue]}
        | {18 + place: column for place, column in enumerate(asked.values())},
        submit=[job.submit for job in queue],
        run=[60] * len(queue),
        estimate=[job.limit for job in queue],
        width=[job.widths["cpus"] for job in queue],
        user=users,
    ).with_(job=[job.id for job in queue])
    lines = cluster.call("squeue", "-h", "-t", "R", "-o", "%A|%S").splitlines()
    started = {int(job): int(start) for job, start in (line.split("|") for line in lines)}
    rows = {job.id: row for row, job in enumerate(queue)}
    return w, {rows[job]: start for job, start in started.items()}, int(cluster.call("date", "+%s"))


def sprio(cluster: SlurmCluster) -> dict[int, dict[str, float]]:
    """Return the priority of each waiting job and its parts, as Slurm has them."""
    lines = cluster.call("sprio", "-h", "-o", "%i|%Y|%A|%F|%J|%P|%Q|%T").splitlines()
    names = ("PRIORITY", *COLUMNS)
    cells = [line.split("|") for line in lines]
    return {int(job): dict(zip(names, map(sum_in, parts), strict=True)) for job, *parts in cells}


def sum_in(cell: str) -> float:
    """Return a number, or the sum of those of a list such as cpu=4,mem=2; 0 of nothing."""
    return sum(float(part.rpartition("=")[2] or 0) for part in cell.split(","))


def policy_of(cluster: SlurmCluster, folder: Path, weights: Mapping[str, str]) -> Priority:
    """Return the policy of a cluster with other weights."""
    text = (cluster.folder / "etc/slurm.conf").read_text(encoding="utf-8")
    for key in WEIGHTS:
        text = re.sub(rf"^{key}=.*$", f"{key}={weights[key]}" if key in weights else "", text, flags=re.MULTILINE)
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    tables = ("assoc", "Cluster,Account,ParentName,User,Partition,Share"), ("qos", "Name,Priority")
    printed = [cluster.call("sacctmgr", "-P", "show", table, f"format={columns}") for table, columns in tables]
    (folder / "assoc.txt").write_text("".join(printed), encoding="utf-8")
    policy = read_slurm(folder / "slurm.conf", folder / "assoc.txt")
    return replace(policy, fair_share=replace(policy.fair_share, period=1))


@pytest.mark.slow
def test_priorities_are_those_of_a_real_slurm(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    with site() as cluster:
        for width, (user, account) in zip((6, 4, 5), PAIRS, strict=False):
            cluster.submit(f"--account={account}", run=90000, width=width, limit=2000, user=user)
        cluster.wait_until(lambda: cluster.call("squeue", "-h", "-t", "R").count("\n") == 3)
        for i in range(30):
            user, account = PAIRS[int(rng.integers(5))]
            options = [f"--account={account}", "--partition=fast" if i % 4 == 0 else "--partition=main"]
            options += ["--qos=high"] if user in ("games", "man") and i % 3 == 0 else []
            options += [f"--nice={int(rng.integers(-3000, 3000))}"] if i % 3 == 1 else []
            options += [f"--gres=gpu:{int(rng.integers(1, 3))}"] if i % 5 == 2 else []
            options += [f"--mem-per-cpu={int(rng.integers(60, 120))}"] if i % 4 == 3 else []
            width = int(rng.integers(2, 9))
            options += ["--nodes=2"] if i % 7 == 1 else []
            cluster.submit(*options, run=60, width=width, limit=int(rng.integers(10, 50)), user=user)
        pass_two_periods(cluster)
        check_priorities(cluster, tmp_path, 1.0)
        with (cluster.folder / "etc/slurm.conf").open("a", encoding="utf-8") as conf:
            conf.write("PriorityFlags=NO_FAIR_TREE\n")
        cluster.stop("slurmctld")  # after "scontrol reconfigure" alone, Slurm 22.05 has the shares of Fair Tree still
        cluster.start("slurmctld")
        cluster.wait_until(lambda: "UP" in cluster.call("scontrol", "ping", check=False), 60)
        pass_two_periods(cluster)
        check_priorities(cluster, tmp_path, 100.0)  # of 10,000: usage is that of the last period


@pytest.mark.slow
def test_without_accounts_a_real_slurm_has_no_ages(tmp_path: Path) -> None:
    lines = {"PriorityWeightAge": "1000", "PriorityMaxAge": "0-2", "PriorityCalcPeriod": "1"}
    with slurm_cluster(nodes=1, settings=lines, rate=60) as cluster:
        cluster.submit(run=90000, width=4, limit=2000)
        jobs = [cluster.submit(run=60, width=4, limit=10) for _ in range(3)]
        cluster.wait_until(lambda: len(sprio(cluster)) == 3)
        pass_two_periods(cluster)
        submitted = datetime.fromisoformat(cluster.show(jobs[0], "SubmitTime") + "+00:00").timestamp()
        assert int(cluster.call("date", "+%s")) - submitted > 240  # of 7200: an age of 33
        assert {row["AGE"] for row in sprio(cluster).values()} == {0}
        (tmp_path / "slurm.conf").write_text((cluster.folder / "etc/slurm.conf").read_text(encoding="utf-8"), "utf-8")
        policy = read_slurm(tmp_path / "slurm.conf")
        assert policy.order == ("fcfs",)
        assert any(
            remark.startswith("PriorityWeightAge=1000: without AccountingStorageType") for remark in remarks(policy)
        )


def pass_two_periods(cluster: SlurmCluster) -> None:
    """Wait until priorities have been computed again, at least twice."""
    end = int(cluster.call("date", "+%s")) + 240
    cluster.wait_until(lambda: int(cluster.call("date", "+%s")) > end, 60)


def check_priorities(cluster: SlurmCluster, folder: Path, slack: float) -> None:
    """Compare all parts of the priorities, those of fair share with a slack, and the order of all pairs of jobs."""
    real = sprio(cluster)
    w, started, now = jobs_now(cluster)
    rows = {int(job): row for row, job in enumerate(w.job.tolist())}
    assert len(real) >= 28
    assert set(real) <= set(rows)
    asked = {word: requests_of(w, word) for word in REQUESTS}
    assert all(len(set(asked[word].tolist())) > 1 for word in REQUESTS), asked
    assert w.records is not None
    without = w.with_(records=w.records.with_columns({18 + list(BESIDE).index("nice"): 0}))
    for key, column in zip(WEIGHTS, COLUMNS, strict=True):
        keys = keys_at(policy_of(cluster, folder, {key: WEIGHTS[key]}), without, now, started)
        # ages are up to three minutes of two hours old; parts for four resources are rounded, each
        most = {"FAIRSHARE": slack, "AGE": 25.0, "TRES": 3.0}.get(column, 1.0)
        for job, parts in real.items():
            assert abs(parts[column] - keys[rows[job]]) <= most, (job, column, parts, keys[rows[job]])
    keys = keys_at(policy_of(cluster, folder, WEIGHTS), w, now, started)
    for job, parts in real.items():
        assert abs(parts["PRIORITY"] - keys[rows[job]]) <= slack + 30.0, (job, parts, keys[rows[job]])
    pairs = list(itertools.combinations(sorted(real), 2))
    agreed = sum(
        (keys[rows[a]] >= keys[rows[b]]) == (real[a]["PRIORITY"] >= real[b]["PRIORITY"]) for a, b in pairs
    ) / len(pairs)
    print(f"{agreed:.1%} of {len(pairs)} pairs")
    assert agreed >= 0.95
