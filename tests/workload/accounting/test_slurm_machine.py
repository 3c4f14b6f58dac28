"""What sinfo and sacctmgr say about the size of a machine and its down times, in texts that a real Slurm wrote."""

import datetime as dt
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from paretosched.workload.accounting.slurm import sacct_command
from paretosched.workload.accounting.slurm_machine import (
    EVENTS,
    SINFO,
    advice_on_partitions,
    down_in,
    read_machine,
    size_of,
)
from paretosched.workload.swf import read_swf
from support.accounting import RECORDED, import_into
from support.commands import command, succeed
from support.slurm_cluster import slurm_cluster

JOBS, NODES, CHANGES = (RECORDED / f"slurm-down-{name}.txt" for name in ("jobs", "nodes", "events"))
# By hand, in seconds since the first submission: n3 from 3 on, n1 when its job had ended, in 13..16, n4 in 22..24, when
# it left; then 12 of 16 processors were registered. The last job ended in 33.
BY_HAND = {"begin": [3, 13, 16, 22], "end": [13, 16, 22, 33], "processors": [4, 8, 4, 8]}


def write(folder: Path, *lines: str) -> Path:
    """Write a list of events."""
    path = folder / "events.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def down(folder: Path, *lines: str, partition: str | None = None, nodes: str = "a|4|main*\nb|2|main*\nb|2|gpu\n"):
    """Return the size and the down times of a machine in seconds 1000..2000, and the remarks."""
    sizes = folder / "nodes.txt"
    sizes.write_text(nodes)
    events = str(write(folder, *lines))
    machine = read_machine(str(sizes) if nodes else None, events, partition, "cpus", None, lambda done, goal: None)
    assert machine is not None
    size = size_of(machine, 1000, 2000)
    times, remarks = down_in(machine, size or 6, 1000, 2000)
    return size, list(zip(*times.columns().values(), strict=True)), remarks


def refusal(*words: object) -> str:
    """Return the message with which an import is refused."""
    outcome = command("import", *words)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1), outcome
    return outcome.err


def test_what_was_recorded_is_what_happened(tmp_path: Path) -> None:
    log = import_into(tmp_path, "slurm", JOBS, "--nodes", NODES, "--events", CHANGES)
    assert log.names.down is not None
    assert log.names.down.columns() == BY_HAND
    assert log.about["capacity"] == 16
    assert log.about["down"] == 4 * 10 + 8 * 3 + 4 * 6 + 8 * 11
    assert "; MaxProcs: 16" in log.header
    assert "machine of 16 cpus: by its nodes" in log.remarks
    w = read_swf(tmp_path / "log.swf")
    assert w.down is not None
    assert w.down.columns() == BY_HAND
    # the machine itself could do what it did
    assert succeed("simulate", tmp_path / "log.swf", "--policy", "recorded").err.count("not feasible") == 0


def test_events_alone_say_how_large_nodes_are(tmp_path: Path) -> None:
    log = import_into(tmp_path, "slurm", JOBS, "--events", CHANGES)
    assert log.names.down is not None
    assert log.names.down.columns() == BY_HAND


def test_nodes_alone_say_how_large_the_machine_is(tmp_path: Path) -> None:
    log = import_into(tmp_path, "slurm", JOBS, "--nodes", NODES)
    assert (log.about["capacity"], log.about["down"], log.names.down) == (12, 0, None)
    assert import_into(tmp_path, "slurm", JOBS).about["down"] is None


def test_nodes_can_be_what_is_counted(tmp_path: Path) -> None:
    log = import_into(tmp_path, "slurm", JOBS, "--nodes", NODES, "--events", CHANGES, "--width", "nodes")
    assert log.about["capacity"] == 4
    assert log.names.down is not None
    assert log.names.down.columns() == BY_HAND | {"processors": [1, 2, 1, 2]}


def test_a_log_for_others_has_no_names_of_nodes(tmp_path: Path) -> None:
    options = ("--nodes", NODES, "--events", CHANGES, "--anonymise", tmp_path / "key")
    log = import_into(tmp_path, "slurm", JOBS, *options)
    assert log.names.down is not None
    assert log.names.down.columns() == BY_HAND
    assert "memory error" not in (tmp_path / "log.swf.names.json").read_text()


def test_events_of_a_node_that_overlap_count_once_and_several_nodes_add_up(tmp_path: Path) -> None:
    size, rows, remarks = down(
        tmp_path,
        "loop|a|1100|1300|DOWN*|cpu=4|x",
        "loop|a|1200|1400|DRAIN|cpu=4|x",
        "loop|b|1350|1360|DOWN|cpu=2|x",
    )
    assert (size, remarks) == (6, [])
    assert rows == [(100, 350, 4), (350, 360, 6), (360, 400, 4)]


def test_what_has_no_end_lasts_until_the_end_of_the_log(tmp_path: Path) -> None:
    assert down(tmp_path, "loop|a|1100|Unknown|DOWN|cpu=4|x")[1] == [(100, 1000, 4)]
    assert down(tmp_path, "loop|a|1100|0|DOWN|cpu=4|x", "loop|b|500|1500|DOWN|cpu=2|x")[1] == [
        (0, 100, 2),
        (100, 500, 6),
        (500, 1000, 4),
    ]
    assert down(tmp_path, "loop|a|500|900|DOWN|cpu=4|x", "loop|b|2500|Unknown|DOWN|cpu=2|x")[1] == []


def test_states_in_which_a_node_takes_jobs_are_no_down_times(tmp_path: Path) -> None:
    lines = [f"loop|a|1100|1200|{state}|cpu=4|x" for state in ("IDLE", "POWERED_DOWN", "MIXED+PLANNED", "")]
    assert down(tmp_path, *lines) == (6, [], ["4 events in which a node was neither down nor drained: not counted"])
    for state in ("DOWN", "DOWN*", "DRAIN", "IDLE+DRAIN", "DRAINED*", "FAIL", "ERROR", "DOWN+DRAIN"):
        assert down(tmp_path, f"loop|a|1100|1200|{state}|cpu=4|x")[1] == [(100, 200, 4)]


def test_a_machine_that_was_larger_or_smaller(tmp_path: Path) -> None:
    grown = ("loop||0|1500||cpu=4,mem=5|Cluster Registered TRES", "loop||1500|Unknown||cpu=6|Cluster Registered TRES")
    assert down(tmp_path, *grown) == (6, [(0, 500, 2)], [])
    # it was larger before the log began: that does not matter
    assert down(tmp_path, "loop||0|900||cpu=99|x", "loop||900|Unknown||cpu=6|x") == (6, [], [])
    # c left in second 1500, and its last event has no end
    left = ("loop||0|1500||cpu=10|x", "loop||1500|Unknown||cpu=6|x", "loop|c|1400|Unknown|DOWN|cpu=4|x")
    assert down(tmp_path, *left) == (10, [(400, 1000, 4)], [])
    # what slurmdbd notes of slurmctld is no size
    assert down(tmp_path, "loop||1100|1200|DOWN||slurmctld disconnect") == (6, [], [])


def test_a_partition_has_its_own_nodes(tmp_path: Path) -> None:
    lines = ("loop||0|Unknown||cpu=6|x", "loop|a|1100|1200|DOWN|cpu=4|x", "loop|b|1300|1400|DOWN|cpu=2|x")
    size, rows, remarks = down(tmp_path, *lines, partition="gpu")
    assert (size, rows) == (2, [(300, 400, 2)])
    assert remarks == [
        "1 event of nodes that are not in partition gpu: not counted",
        "changes of the size of the cluster are not counted: they do not say which partition they are of",
    ]


def test_older_events_do_not_say_how_large_a_node_is(tmp_path: Path) -> None:
    lines = ("loop|a|1100|1200|DOWN||x", "loop|gone|1100|1200|DOWN||x")
    size, rows, remarks = down(tmp_path, *lines)
    assert (size, rows) == (6, [(100, 200, 4)])
    assert remarks == ["1 event that do not say how large the node is: not counted"]


def test_a_header_and_reasons_with_bars_are_no_matter(tmp_path: Path) -> None:
    with_header = tmp_path / "with-header.txt"
    with_header.write_bytes(b"\xef\xbb\xbfNODELIST|CPUS|PARTITION\r\n" + NODES.read_bytes())
    assert import_into(tmp_path, "slurm", JOBS, "--nodes", with_header).about["capacity"] == 12
    lines = ("Cluster|NodeName|TimeStart|TimeEnd|State|TRES|Reason", "", "loop|a|1100|1200|DOWN|cpu=4|one | two|three")
    assert down(tmp_path, *lines)[1] == [(100, 200, 4)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "loop|a|1100|1200|DOWN",
            "events.txt:2: a line must have 7 columns, but this one has 5; it must be the output of",
        ),
        (
            "loop|a|2026-11-22T01:00:00|Unknown|DOWN|cpu=4|x",
            "a local time without its zone; run sacctmgr with SLURM_TIM",
        ),
        ("loop|a|soon|Unknown|DOWN|cpu=4|x", 'events.txt:2: TimeStart is "soon", but must be seconds since 1970'),
        ("loop|a|1200|1100|DOWN|cpu=4|x", "events.txt:2: an event must end after its begin, 1200, but ends at 1100"),
        ("loop|a|1100|1200|DOWN|cpu=many|x", 'events.txt:2: TRES is "cpu=many", not a list of NAME=NUMBER'),
        (
            "other|a|1100|1200|DOWN|cpu=4|x",
            "the events must be of one cluster, but are of loop, other; add Clusters=NAME",
        ),
    ],
)
def test_damaged_events_are_refused(line: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, "loop|a|1100|1200|DOWN|cpu=4|x", line)
    assert message in refusal("slurm", JOBS, "--events", path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n1|4\n", "nodes.txt:1: a line must have 3 columns, but this one has 2; it must be the output of sinfo"),
        ("n1|4|main\nn2|four|main\n", 'nodes.txt:2: CPUS is "four", but must be a whole number'),
        ("n1|0|main\n", "there must be nodes with processors, but there are none"),
        ("\n", "nodes.txt: the file is empty"),
    ],
)
def test_damaged_nodes_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "nodes.txt"
    path.write_text(text)
    assert message in refusal("slurm", JOBS, "--nodes", path)


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    message = "--nodes and --events count cpus or nodes, but --width is gpus; leave them out"
    assert message in refusal("slurm", JOBS, "--events", CHANGES, "--width", "gpus")
    message = "--events with --partition needs --nodes, which says which nodes are in it"
    assert message in refusal("slurm", JOBS, "--events", CHANGES, "--partition", "main")
    message = 'there are none in partition "big", but in main'
    assert message in refusal("slurm", JOBS, "--nodes", NODES, "--partition", "big")
    assert "--nodes and --events are for slurm" in refusal("sge", RECORDED / "sge-accounting", "--nodes", NODES)


def test_the_commands_are_printed() -> None:
    text = succeed("import", "slurm", "--command").out
    assert f"#   {SINFO} > nodes.txt\n" in text
    assert f"#   {EVENTS} > events.txt\n" in text


@pytest.mark.slow
def test_a_real_slurm_is_down_when_it_was(tmp_path: Path) -> None:
    """One node is drained while a job runs on it: it is down from the end of the job on."""
    with slurm_cluster(nodes=2, cpus=4, accounting=True) as cluster:
        cluster.wait_until(lambda: "loop" in cluster.call("sacctmgr", "-nP", "list", "cluster", "format=cluster"))
        job = cluster.submit(run=4, width=4)
        cluster.wait_until(lambda: cluster.show(job, "JobState") == "RUNNING")
        node = cluster.show(job, "NodeList")
        cluster.call("scontrol", "update", f"nodename={node}", "state=drain", "reason=a test")
        cluster.wait_until(lambda: cluster.show(job, "JobState") == "COMPLETED")
        time.sleep(2)
        cluster.call("scontrol", "update", f"nodename={node}", "state=resume")
        last = cluster.submit(run=1, width=8)
        cluster.wait_until(lambda: cluster.show(last, "JobState") == "COMPLETED")
        cluster.wait_until(lambda: f"|{node}|" in cluster.call("sh", "-c", EVENTS))
        texts = {"nodes": SINFO, "events": EVENTS, "jobs": sacct_command([("now-1hour", "now+1hour")])}
        cluster.wait_until(lambda: cluster.call("sh", "-c", texts["jobs"]).count("COMPLETED") == 2)
        for name, line in texts.items():
            (tmp_path / name).write_text(cluster.call("sh", "-c", line))
    log = import_into(
        tmp_path, "slurm", tmp_path / "jobs", "--nodes", tmp_path / "nodes", "--events", tmp_path / "events"
    )
    assert log.about["capacity"] == 8
    assert log.names.down is not None
    [(begin, end, processors)] = zip(*log.names.down.columns().values(), strict=True)
    first = log.jobs[job]
    assert processors == 4
    assert abs(begin - (first["submit"] + first["wait"] + first["run"])) <= 1
    assert 1 <= end - begin <= 20


def test_more_processors_than_any_machine_has_are_refused(tmp_path: Path) -> None:
    """Their sum is beyond 64 bits."""
    nodes = tmp_path / "nodes.txt"
    nodes.write_text("".join(f"n{number}|999999999999999|main*\n" for number in range(10_000)))
    error = refusal("slurm", JOBS, "--nodes", nodes, "--events", CHANGES)
    assert (
        "nodes.txt: the nodes must have at most 2,147,483,647 cpus together, but have 9,999,999,999,999,990,000"
        in error
    )
    events = write(tmp_path, "c|n1|1000|1100|DOWN|cpu=4|x", f"c|n1|1200|1300|DOWN|cpu={10**15 - 1}|x")
    error = refusal("slurm", JOBS, "--events", events)
    assert "events.txt:2: TRES must have at most 2,147,483,647 cpus, but has 999,999,999,999,999" in error


def test_only_partitions_with_nodes_of_their_own_are_advised_to_be_imported_alone(tmp_path: Path) -> None:
    """A partition of all nodes that no job used, such as one for maintenance, shares nothing that matters."""
    nodes = "c1|4|cpu*\nc1|4|all\nc2|4|cpu*\nc2|4|long\nc2|4|all\ng1|4|gpu\ng1|4|all\n"
    path = tmp_path / "nodes.txt"
    path.write_text(nodes)
    machine = read_machine(str(path), None, None, "cpus", None, lambda done, goal: None)
    assert machine is not None
    assert machine.nodes == {"c1": 4, "c2": 4, "g1": 4}
    own = "on nodes of their own are {}, and --partition NAME imports one as a machine of its own"
    shared = "on the same nodes are cpu, long, which --machine imports together, with their nodes"
    assert advice_on_partitions(["cpu", "long", "gpu"], machine, "slurm") == f"{own.format('gpu')}; {shared}"
    assert advice_on_partitions(["cpu", "gpu"], machine, "slurm") == own.format("cpu, gpu")
    assert "on the same nodes are gpu, all," in advice_on_partitions(["gpu", "all"], machine, "slurm")
    assert "; not among --nodes are old; those that share" in advice_on_partitions(["gpu", "old"], machine, "slurm")
    assert "sinfo" in advice_on_partitions(["cpu", "gpu"], None, "slurm")
    assert "sinfo" not in advice_on_partitions(["cpu", "gpu"], None, "pbs")


def test_events_in_times_of_the_site_are_read_in_its_zone(tmp_path: Path) -> None:
    zone = ZoneInfo("Europe/Berlin")

    def local(text: str) -> str:
        return dt.datetime.fromtimestamp(int(text), zone).strftime("%Y-%m-%dT%H:%M:%S") if text.isdigit() else text

    lines = [line.split("|", 6) for line in CHANGES.read_text().splitlines()]
    texts = ["|".join([*cells[:2], *(local(cell) for cell in cells[2:4]), *cells[4:]]) for cells in lines]
    events = write(tmp_path, *texts)
    log = import_into(tmp_path, "slurm", JOBS, "--nodes", NODES, "--events", events, "--zone", "Europe/Berlin")
    assert log.names.down is not None
    assert log.names.down.columns() == BY_HAND
    assert "name its zone, such as --zone Europe/Berlin" in refusal("slurm", JOBS, "--events", events)


def test_an_event_in_the_hour_that_comes_twice_is_settled_by_its_end_or_counted(tmp_path: Path) -> None:
    row = "c|a|2024-10-27T{}|2024-10-27T{}|DOWN|cpu=4|x"
    events = write(tmp_path, row.format("02:50:00", "02:10:00"), row.format("02:30:00", "03:30:00"))
    machine = read_machine(None, str(events), None, "cpus", "Europe/Berlin", lambda done, goal: None)
    assert machine is not None
    assert [(event.begin, event.end) for event in machine.events] == [
        (1729990200, 1729991400), (1729989000, 1729996200),
    ]  # fmt: skip
    remark = "1 event with a time in the hour that comes twice in autumn: the first one taken"
    assert down_in(machine, 4, 1729980000, 1730000000)[1] == [remark]
