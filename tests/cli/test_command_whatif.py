"""`paretosched whatif` writes what the library measures, and refuses in one line."""

import csv
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.comparison.questions import more_load, nodes_question
from paretosched.comparison.what_if_table import answer_rows, answer_text, what_if
from paretosched.policies.policy import as_policy
from paretosched.policies.set_limits import with_set_limits
from support.commands import command, succeed


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whatif") / "w.swf.gz"
    w = ps.lublin(jobs=400, processors=64, seed=4)
    ps.write_swf(w.with_(submit=w.submit * 8), path)
    return path


def test_the_table_is_that_of_the_library(log: Path, tmp_path: Path) -> None:
    words = ("whatif", log, "--nodes", "+8", "--load", 1.2, "--policy", "easy", "--policy", "fcfs", "--draws", 2)
    target = tmp_path / "answers.csv"
    outcome = succeed(*words, "--seed", 3, "--price", "cpu=100", "-o", target)
    w = ps.read_swf(log)
    asked = [("+8", nodes_question(w, "+8")), ("load 1.2", more_load(1.2))]
    expected = what_if(w, asked, [as_policy("easy"), as_policy("fcfs")], 2, 3, {"cpu": 100.0})
    assert outcome.out == f"{answer_text(expected)}\n"
    rows = answer_rows(expected)
    with target.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["scenario"] for row in written] == [row["scenario"] for row in rows]
    assert [float(row["wait_mean_s"]) for row in written] == [row["wait_mean_s"] for row in rows]
    found = succeed(*words, "--seed", 3, "--price", "cpu=100", "--json").json
    assert found["seeds"] == [3, 4]
    assert [row["wait_mean_s_change"] for row in found["rows"]] == [row["wait_mean_s_change"] for row in rows]
    assert found["worth"][0]["price"] == 800
    succeed(*words, "--seed", 3, "-o", target)  # a table of the same kind is replaced


def test_a_log_without_users_stands_for_itself(tmp_path: Path) -> None:
    log = tmp_path / "w.swf"
    w = ps.Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    ps.write_swf(w, log)
    outcome = succeed("whatif", log, "--nodes", "-1 cpu")
    assert "stands for itself, without intervals: its users are not known" in outcome.err
    assert (
        "-1 cpu: left out are 1 of 3 jobs (job 2): can never run on the machine: is wider than the machine"
        in outcome.out
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "nothing is asked: give --nodes, --load, --group, --limit, --sacctmgr or a second --policy"),
        (("--nodes", "+3 foo"), '--nodes: "+3 foo" needs nodes'),
        (("--load", "1"), "--load: must be in 0.1..10 times today's"),
        (("--nodes", "n[1-8] from a to b"), '--nodes: "n[1-8] from a to b" needs nodes, but the log is of equal'),
        (("--group", "2 x30"), "--group: must be a group and how many times its work, 0 to 10 and not 1"),
        (("--limit", "24"), "--limit: must be a longest time"),
        (("--limit", "nothing=3"), "argument --limit: must be NAME=N"),
        (("--limit", "jobs=2", "--nodes", "+8"), "--limit jobs="),
        (("--nodes", "+8", "--nodes", "+8"), "--nodes: a question must be asked once, but +8 comes again"),
        (("--nodes", "+8", "--price", "gpu=3"), "--price: gpu must be a word of --nodes with a plus"),
        (("--nodes", "+8", "--draws", "0"), "--draws must be in 1..1000, but is 0"),
        (("--nodes", "+8", "--seed", "-1"), "--seed must be at least 0"),
    ],
)
def test_what_cannot_be_asked_is_one_line(log: Path, words: tuple[str, ...], says: str) -> None:
    outcome = command("whatif", log, *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_limit_of_sacctmgr_is_asked_as_the_library_simulates_it(tmp_path: Path) -> None:
    """Eight jobs of one user, two at a time with the limit, and one of another user behind them."""
    asks = ps.Requests(tasks=[4] * 9, memory_per_node=[1] * 9, qos=["normal"] * 9)
    machine = ps.Machine((ps.NodeKind("n[1-4]", 4, 100),))
    w = ps.Workload(
        range(9), [600] * 9, [600] * 9, [4] * 9, capacity=16, user=[7] * 8 + [8], machine=machine, requests=asks
    )  # fmt: skip
    ps.save_log(w, tmp_path / "log.parquet")
    said = "modify qos normal set MaxJobsPerUser=2"
    found = succeed("whatif", tmp_path / "log.parquet", "--sacctmgr", said, "--json").json
    limited = w.with_(machine=with_set_limits(machine, said))
    waits = {row["scenario"]: row["wait_mean_s"] for row in found["rows"] if row["group"] == "all jobs"}
    assert waits[said] == pytest.approx(ps.simulate(limited, "easy").wait.mean())
    assert waits[said] > min(waits.values())
    outcome = command("whatif", tmp_path / "log.parquet", "--sacctmgr", "modify qos long set MaxJobsPerUser=2")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith('paretosched whatif: --sacctmgr: QOS "long" is not in the log')
