"""Groups in words against plain Python, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.workload.group_rules import WordedGroups
from paretosched.workload.group_words import groups_in_words, is_in_words
from paretosched.workload.log_names import PerJob
from paretosched.workload.reopening import record, reopen
from paretosched.workload.requests import with_requests
from paretosched.workload.user_groups import rule_of, with_groups
from support.machine_zoo import case, of

LOG = """; MaxProcs: 64
; Queue: 1 normal
; Queue: 2 night
1 0 -1 900 1 -1 -1 1 3600 -1 1 7 1 -1 1 1 -1 -1
2 0 -1 900 32 -1 -1 32 7200 1048576 1 8 1 -1 2 1 -1 -1
3 0 -1 900 64 -1 -1 64 900 -1 1 7 1 -1 2 1 -1 -1
4 0 -1 900 2 -1 -1 2 900 2097152 1 9 1 -1 1 1 -1 -1
"""


WORDS = "late: queue = night and width >= 40; gpu: gpus > 0; rest"
SOURCE = ({"function": "read_swf", "path": "log.swf"},)


@pytest.fixture
def log(tmp_path: Path) -> ps.Workload:
    """Return four jobs, of which the last asks for two GPUs."""
    path = tmp_path / "log.swf"
    path.write_text(LOG)
    gpus = PerJob(np.array([4]), np.array([2]))
    return with_requests(ps.read_swf(path), {"gpus": gpus})


@pytest.mark.parametrize(
    ("words", "names", "group"),
    [
        ("large: width >= 32; rest", ("large", "rest"), [1, 0, 0, 1]),
        ("LARGE: WIDTH>=32", ("LARGE", "rest"), [1, 0, 0, 1]),
        ("short: limit <= 1h; a: cores = 32; others", ("short", "a", "others"), [0, 1, 0, 0]),
        ("short: limit < 1h; others", ("short", "others"), [1, 1, 0, 0]),
        ("short: limit <= 15min; others", ("short", "others"), [1, 1, 0, 0]),
        ("gpu: gpus > 0; wide: width >= 32; rest", ("gpu", "wide", "rest"), [2, 1, 1, 0]),
        ("big: memory >= 4G; rest", ("big", "rest"), [1, 0, 1, 0]),
        ("night owls: queue = 1", None, []),
        ('"night owls": qos = night and user != 7', ("night owls", "rest"), [1, 0, 1, 1]),
        ("a: user = 7 or width = 2 and limit = 900; b", ("a", "b"), [0, 1, 0, 0]),
        ("a: (user = 7 or width = 2) and limit = 900; b", ("a", "b"), [1, 1, 0, 0]),
        ("all: width >= 1", ("all",), [0, 0, 0, 0]),
    ],
)
def test_the_first_group_that_fits_counts(
    log: ps.Workload, words: str, names: tuple[str, ...] | None, group: list[int]
) -> None:
    if names is None:
        with pytest.raises(InputError, match='character 7, "owls": a name of several words stands in quotes'):
            groups_in_words(words, log, "--groups")
        return
    found = groups_in_words(words, log, "--groups")
    assert found[0] == names
    assert found[1].tolist() == group


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("large: widht >= 32; rest", 'character 8, "widht": must be width'),
        ("large: width 32", "a condition must compare"),
        ("large: width >= 32h", "is no unit of width"),
        ("short: limit < 2w", "is no unit of limit; there are s, min, m, h, d"),
        ("a: width > 1; a: width > 2", "is the name of an earlier group"),
        ("a: queue = day", "the log has no queue"),
        ("a: user > 7", "user is a name, and can only be compared with = or !="),
        ("a: width > b", "width must be compared with a number"),
        ("rest: width > 40; b: width = 1", 'the group "rest" is for all other jobs'),
        ("a: " + 60 * "(" + "width > 1", "brackets must not nest deeper than 50"),
        ("width >= 32: large", 'there must be ";"'),
        (": width >= 32", "a group must begin with its name"),
        ("; ".join(f"g{n}: width = {n}" for n in range(1, 70)), "69 groups, but at most 64"),
    ],
)
def test_what_is_no_group_is_refused(log: ps.Workload, words: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        with_groups(log, words, "--groups")


def test_a_file_and_percentages_stay_what_they_were(log: ps.Workload, tmp_path: Path) -> None:
    assert not is_in_words("groups.csv")
    assert not is_in_words("C:/groups.csv")
    odd = tmp_path / "a: width >= 3.csv"  # a file with such a name is a file
    odd.write_text("user,group\n7,seven\n")
    assert with_groups(log, odd).groups == ("seven", "other")


def test_a_run_makes_the_groups_again(log: ps.Workload, tmp_path: Path) -> None:
    path = tmp_path / "again.swf"
    ps.write_swf(log, path)
    grouped = with_groups(ps.read_swf(path), "large: width >= 32; rest")
    ps.explore(grouped, tmp_path / "run", evaluations=100)
    again = ps.as_workload(tmp_path / "run")
    assert again.groups == ("large", "rest")
    assert again.group.tolist() == [1, 0, 0, 1]


def nodes(*lines: str) -> ps.Workload:
    """Return jobs on a machine with two partitions; a line as of `case`."""
    kinds = of("n[1-8]", 4, 8000), of("g[1-2]", 16, 32000, gpus={"v": 2})
    parts = ps.Partition("cpu", "n[1-8]", memory_per_cpu=2000, default=True), ps.Partition("Gpu", "g[1-2]")
    return case(ps.Machine(kinds, parts), *(f"0 9 {line}" for line in lines))


ON_NODES = nodes(
    "-n1 --mem=100",
    "-p Gpu -n4 --gres=gpu:1 --mem=20G -A physics",
    "-p Gpu,cpu -N2 -n2 --mem-per-cpu=3000 -q night",
    "-n8 -N4 --exclusive --mem=1000 -A bio -q day",
)


@pytest.mark.parametrize(
    ("words", "group"),
    [
        ("g: gpus > 0; rest", [1, 0, 1, 1]),
        ("g: gpus_per_node >= 1; rest", [1, 0, 1, 1]),
        ("big: memory_per_node > 18000; rest", [1, 0, 1, 1]),
        ("big: memory_per_node > 18G; rest", [1, 0, 1, 1]),
        ("big: memory_per_node >= 3000; rest", [1, 0, 0, 1]),
        ("said: memory_per_cpu = 3000; rest", [1, 1, 0, 1]),
        ("wide: nodes >= 2 and exclusive = 0; rest", [1, 1, 0, 1]),
        ("big: memory >= 8000; rest", [1, 0, 1, 0]),  # an exclusive job has all memory of its four nodes
        ("charged: charge >= 16; rest", [1, 0, 1, 0]),
        ("gpu: partition = gpu; rest", [1, 0, 0, 1]),
        ("cpu: partition = cpu; rest", [0, 1, 0, 0]),
        ("other: partition != gpu; rest", [0, 1, 1, 0]),
        ("p: account = physics; n: qos = night; rest", [2, 0, 1, 2]),
        ("none: account != physics and tasks = 1; rest", [0, 1, 1, 1]),
    ],
)
def test_groups_on_nodes_by_what_jobs_ask_for(words: str, group: list[int]) -> None:
    assert with_groups(ON_NODES, words).group.tolist() == group


def test_memory_that_a_job_does_not_say_is_that_of_its_partition() -> None:
    silent = ON_NODES.with_(requests=ps.Requests(tasks=[3, 1, 1, 8], partition=["", "Gpu", "cpu", "cpu"]))
    grouped = with_groups(silent, "a: memory_per_node = 6000; b: memory_per_node = 32000; c: memory_per_node = 2000; d")
    assert grouped.group.tolist() == [0, 1, 2, 3]


def test_what_is_no_group_on_nodes_is_refused() -> None:
    for words, message in (
        ("a: partition = x; b", 'the log has no partition "x"; it has Gpu, cpu'),
        ("a: account = 7; b", 'the log has no account "7"; it has bio, physics'),
        ("a: memory_per_nod > 7; b", "did you mean memory_per_node?"),
        ("a: tasks > 7h; b", "is no unit of tasks"),
        ("a: qos > night; b", "qos is a name"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            with_groups(ON_NODES, words, "--groups")
    with pytest.raises(InputError, match='"tasks": must be width'):
        with_groups(ON_NODES.one_pool, "a: tasks > 1; b")


@pytest.mark.parametrize(
    ("column", "groups", "group"),
    [
        ("partition", ("Gpu", "cpu"), [1, 0, 0, 1]),
        ("account", ("bio", "physics", "unknown"), [2, 1, 2, 0]),
        ("qos", ("day", "night", "unknown"), [2, 2, 1, 0]),
    ],
)
def test_groups_by_what_jobs_name(column: str, groups: tuple[str, ...], group: list[int]) -> None:
    grouped = with_groups(ON_NODES, column)
    assert (grouped.groups, grouped.group.tolist()) == (groups, group)


def test_a_policy_carries_its_groups_in_words_to_other_logs(log: ps.Workload) -> None:
    grouped = with_groups(log.with_(source=SOURCE), WORDS)
    rule = rule_of(grouped)
    assert rule == WordedGroups(
        ("late", "gpu", "rest"), "late: queue = night and width >= 40; gpu: gpus > 0; rest", "rest"
    )
    assert rule.group_indices(log).tolist() == grouped.group.tolist() == [2, 2, 0, 1]
    without = log.take([0])  # a log in which nobody has such a queue or GPUs
    assert rule.applies(without)
    assert rule.group_indices(without).tolist() == [2]
    assert WordedGroups(("a", "b"), "a: user = nobody", "b").group_indices(log).tolist() == [1, 1, 1, 1]
    with pytest.raises(InputError, match="a group in the words of a grouping must be one of a, b"):
        WordedGroups(("a", "b"), "c: width > 0", "b").group_indices(log)


def test_a_log_has_partitions_accounts_and_qos_too(log: ps.Workload) -> None:
    assert with_groups(log, "qos").groups == ("normal", "night")
    assert with_groups(log, "qos").group.tolist() == with_groups(log, "queue").group.tolist()
    assert with_groups(log, "account").group.tolist() == with_groups(log, "swf").group.tolist()
    assert with_groups(log, "partition").groups == ("1",)
    assert rule_of(with_groups(log.with_(source=SOURCE), "qos")) == rule_of(
        with_groups(log.with_(source=SOURCE), "queue")
    )
    assert rule_of(with_groups(log.with_(source=SOURCE), "qos")) is not None
    with pytest.raises(InputError, match="did you mean account"):
        with_groups(log, "acount")


def test_a_log_of_nodes_is_grouped_again(tmp_path: Path) -> None:
    ps.save_log(ON_NODES, tmp_path / "log.parquet")
    grouped = ps.as_workload(tmp_path / "log.parquet", groups="account")
    assert grouped.groups == ("bio", "physics", "unknown")
    again = reopen(record(grouped))
    assert (again.groups, again.group.tolist()) == (grouped.groups, grouped.group.tolist())
    by_partition = ps.as_workload(tmp_path / "log.parquet", groups="gpu: partition = gpu; rest")
    assert by_partition.group.tolist() == [1, 0, 0, 1]
