"""Schedules on nodes in files and tables, and back; what is damaged is refused in one line."""

from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

import paretosched as ps
from paretosched import InputError, Machine, Partition, Schedule, Workload
from paretosched.cli.file_kinds import Kind, kind_of
from support.machine_zoo import MACHINE_ZOO, case, of, random_case
from support.mutations import damaged_list
from support.naive_machine import Amount
from support.placing import ideal_schedule, schedule_of

MACHINE = Machine(
    (of("n[001-003]", threads=2), of("b01", 2), of("g1", gpus={"v": 2}), of("m1", gpus={"v": 2, "p": 1})),
    (Partition("all", default=True), Partition("=gpu", "g1,m1")),
)
W = case(MACHINE, "0 9 -n13", "1 9 -n1", "2 9 -n4 -p =gpu --mem-per-cpu=10")
HELD = [
    ("all", {"n001": Amount(4, 5), "n002": Amount(4, 5), "n003": Amount(3, 5), "b01": Amount(2, 7)}),
    ("all", {"n003": Amount(1, 0)}),
    ("=gpu", {"g1": Amount(2, 20, {"v": 1}), "m1": Amount(2, 20, {"v": 2, "p": 1})}),
]
S = schedule_of(W, [0, 1, 2], HELD)
LINES = [
    "job,submit,start,finish,processors,user,group,partition,nodes,cores,memory,gpus",
    '1,0,0,9,13,0,1,all,"b01,n[001-003]","2*3,1.5","7,5*3",0*4',
    "2,1,1,10,1,0,1,all,n003,0.5,0,0",
    '3,2,2,11,4,0,1,\'=gpu,"g1,m1",2*2,20*2,"1,p:1+v:2"',
]


def same_placement(a: Schedule, b: Schedule) -> bool:
    """Return whether two schedules have equal starts and placements."""
    assert a.placement is not None
    assert b.placement is not None
    return all(map(np.array_equal, (a.start, *a.placement), (b.start, *b.placement)))


def test_columns_of_a_schedule_on_nodes(tmp_path: Path) -> None:
    ps.save_schedule(S, tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text().splitlines() == LINES
    assert kind_of(tmp_path / "s.csv") == Kind.SCHEDULE
    frame = S.frame()
    assert frame.columns.tolist() == LINES[0].split(",")
    assert frame["nodes"].tolist() == ["b01,n[001-003]", "n003", "g1,m1"]
    assert frame["partition"].tolist() == ["all", "all", "=gpu"]
    assert same_placement(ps.load_schedule(W, tmp_path / "s.csv", "again"), S)


@pytest.mark.parametrize("name", [*MACHINE_ZOO, "random 1", "random 2", "random 3"])
def test_schedules_come_back(name: str, tmp_path: Path) -> None:
    w = MACHINE_ZOO.get(name) or random_case(int(name.split()[1]))
    schedule = ideal_schedule(w)
    ps.save_schedule(schedule, tmp_path / "s.csv")
    again = ps.load_schedule(w, tmp_path / "s.csv", "x").check()
    assert again.name == "x"
    assert same_placement(again, schedule)


def test_schedules_without_nodes_come_back(tmp_path: Path) -> None:
    w = Workload(submit=[0, 0], run=[9, 3], estimate=[9, 3], width=[1, 2], capacity=2, eligible=[0, 4])
    for each in (w, w.with_(eligible=None)):
        ps.save_schedule(ps.simulate(each, "easy"), tmp_path / "s.csv")
        again = ps.load_schedule(each, tmp_path / "s.csv")
        assert again.start.tolist() == ps.simulate(each, "easy").start.tolist()
        assert again.placement is None
    later = W.with_(eligible=[0, 1, 3])
    held = schedule_of(later, [0, 1, 3], HELD)
    ps.save_schedule(held, tmp_path / "s.csv")
    assert (
        (tmp_path / "s.csv").read_text().startswith("job,submit,start,finish,processors,user,group,eligible,partition")
    )
    assert kind_of(tmp_path / "s.csv") == Kind.SCHEDULE
    assert same_placement(ps.load_schedule(later, tmp_path / "s.csv"), held)
    ps.save_schedule(Schedule(W, [0, 1, 2]), tmp_path / "s.csv")  # a history: nobody knows on which nodes
    assert ps.load_schedule(W, tmp_path / "s.csv").placement is None


@pytest.mark.parametrize(
    ("line", "old", "new", "words"),
    [
        (0, "job,", "jib,", "must begin with job,submit"),
        (0, ",gpus", "", "must begin with job,submit"),
        (1, "1,0,0,9", "7,0,0,9", ":2: must be job 1, from its start for 9 s, in 12 columns"),
        (1, "1,0,0,9", "1,0,0,8", ":2: must be job 1, from its start for 9 s"),
        (1, "1,0,0,9", "1,0,x,9", ":2: must be job 1"),
        (1, "1,0,0,9", "1,0,-1,8", ":2: must be job 1"),
        (1, "1,0,0,9", f"1,0,{2**63},{2**63 + 9}", ":2: must be job 1"),
        (2, ",0,0", ",0", ":3: must be job 2"),
        (2, "all", "none", ":3: partition must be one of all, =gpu"),
        (2, "n003", "n004", ":3: nodes must be nodes of the machine"),
        (2, "n003", "", ":3: nodes must be nodes of the machine"),
        (1, "n[001-003]", "n[001,001,002]", ":2: nodes must be nodes of the machine, each once"),
        (1, "n[001-003]", "n[001-", ":2: nodes: "),
        (1, "2*3,1.5", "2*3", ":2: cores, memory and gpus must have an amount for each of the 4 nodes"),
        (1, "2*3,1.5", "2*999999999", ":2: cores, memory and gpus must have an amount for each of the 4 nodes"),
        (1, "2*3,1.5", "2*3,x", ":2: cores, memory and gpus of n003 must be numbers"),
        (1, "2*3,1.5", "2*3,nan", "of n003 must be numbers"),
        (1, "7,5*3", "7,-5*3", "must be numbers"),
        (3, "p:1+v:2", "q:1", "of m1 must be numbers"),
        (2, "0.5,0,0", f"0.5,0,{'9' * 30}", "of n003 must be numbers"),
        (3, "3,2,2", "9,9,9,9\n3,2,2", ":4: must be job 3"),
        (3, "v:2\"", "v:2\"\n4,4,4,4", ":5: must end behind job 3"),
    ],
)  # fmt: skip
def test_a_damaged_schedule_is_refused(line: int, old: str, new: str, words: str, tmp_path: Path) -> None:
    lines = list(LINES)
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as refused:
        ps.load_schedule(W, tmp_path / "s.csv")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_schedules_of_other_jobs_or_machines_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("\n".join(LINES[:3]) + "\n")
    with pytest.raises(InputError, match="must have the 3 jobs of workload, but has 2"):
        ps.load_schedule(W, tmp_path / "s.csv")
    ps.save_schedule(S, tmp_path / "s.csv")
    with pytest.raises(InputError, match="says on which nodes jobs run, but the machine of workload has none"):
        ps.load_schedule(W.one_pool, tmp_path / "s.csv")
    without_gpus = Machine((of("n[001-003]", threads=2), of("b01", 2), of("g1,m1")), MACHINE.partitions)
    (tmp_path / "s.csv").write_text("\n".join(LINES).replace("0.5,0,0", "0.5,0,1") + "\n")
    with pytest.raises(InputError, match="of n003 must be numbers"):
        ps.load_schedule(W.with_(machine=without_gpus), tmp_path / "s.csv")


def test_mutated_schedules_are_read_or_refused(tmp_path: Path) -> None:
    whole = "\n".join(LINES) + "\n"
    read = 0
    for seed in range(300):
        (tmp_path / "s.csv").write_text(damaged_list(whole, Random(seed)), encoding="utf-8")
        with suppress(InputError):
            ps.load_schedule(W, tmp_path / "s.csv")
            read += 1
    assert 0 < read < 300
