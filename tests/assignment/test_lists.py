"""Lists of jobs, nodes and past runs."""

from pathlib import Path

import numpy as np
import pytest

from paretosched.assignment import Bag, History
from paretosched.assignment.estimator import learn
from paretosched.assignment.lists import read_history, read_jobs, read_nodes, save_jobs, save_nodes
from paretosched.assignment.synthetic import paper_nodes
from support.assignment import NAN, write_list
from support.commands import command


def test_lists_are_read_in_any_order_of_columns(tmp_path: Path) -> None:
    bag = read_jobs(write_list(tmp_path / "j.csv", "\ufeff\n Size , job,workload\n10,a,\n,b,3\n\n7,a,9\n"))
    assert bag.name == ("a", "b", "a")
    assert bag.size.tolist()[::2] == [10, 7]
    assert bag.workload.tolist()[1:] == [3, 9]
    assert bag.known.tolist() == [False, True, True]
    nodes = read_nodes(write_list(tmp_path / "n.csv", 'speed,utilisation,node\n2,0.5,"a, the first"\n1.5,1,b\n'))
    assert nodes.name == ("a, the first", "b")
    assert nodes.capability.tolist() == [1, 1.5]
    assert read_nodes(write_list(tmp_path / "n.csv", "node,speed\na,2\n")).capability.tolist() == [2]
    past = read_history(write_list(tmp_path / "p.csv", "job,size,time,speed,utilisation\na,1,10,2,0.5\na,3,30,2,1\n"))
    assert past.records == {"a": ((1, 10.0), (3, 60.0))}
    past = read_history(write_list(tmp_path / "p.csv", "job,size,time,speed\na,3,10,2\na,1,1,2\na,3,5,2\n"))
    assert past.records == {"a": ((1, 2.0), (3, 10.0))}  # the last run of a size counts
    past = read_history(write_list(tmp_path / "p.csv", "job,size,workload\na,1,10\n"))
    assert past == learn(History(), "a", 1, 10)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    bag = Bag(["a", "b, c", "ü"], [1 / 3, NAN, 2.0], [NAN, 7.0, 1e-3])
    save_jobs(bag, tmp_path / "j.csv")
    again = read_jobs(tmp_path / "j.csv")
    assert again.name == bag.name
    assert np.array_equal(again.workload, bag.workload, equal_nan=True)
    assert np.array_equal(again.size, bag.size, equal_nan=True)
    nodes = paper_nodes(5, np.random.default_rng(0))
    save_nodes(nodes, tmp_path / "n.csv")
    assert read_nodes(tmp_path / "n.csv").capability.tolist() == nodes.capability.tolist()


BAD_JOBS = {
    "": "must have lines job,workload or job,size",
    "job,workload\n": "must have lines",
    "name,workload\na,1\n": ':1: a list of jobs must begin with job,workload or job,size or job,size,workload, not "na',
    "job,workload,workload\na,1,1\n": ":1: a list of jobs must begin with",
    "a,1\nb,2\n": ":1: a list of jobs must begin with",
    "job,workload\na\n": ":2: a line must have the 2 columns job,workload, but has 1",
    "job,workload\na,1,2\n": ":2: a line must have the 2 columns",
    "job,workload\n\na,1\nb,two\n": ':4: workload is "two", not a number',
    "job,workload\na,1_0\n": ':2: workload is "1_0", not a number',
    "job,workload\na,-1\n": ':2: workload must be in 0..1e+15, but is "-1"',
    "job,workload\na,nan\n": ':2: workload must be in 0..1e+15, but is "nan"',
    "job,workload\na,1e400\n": ":2: workload must be in 0..1e+15",
    "job,workload\na,\n": ":2: a job needs a workload, but has none",
    "job,size,workload\na,,\n": ":2: a job needs a workload or a size, but has none",
    "job,workload\n,1\n": ':2: job is "", not a name',
    "job,workload\na\x1b[2J,1\n": ":2: job is",
    'job,workload\n"a,1\n': "not CSV",
}
BAD_NODES = {
    "node,speed\na,0\n": ':2: speed must be in 1e-06..1e+15, but is "0"',
    "node,speed\na,\n": ':2: speed is "", not a number',
    "node,speed\na,1\nb,1\na,2\n": ':4: node "a" stands in line 2 already',
    "node,speed,utilisation\na,1,2\n": ":2: utilisation must be in 1e-06..1",
    "node,capability\na,1\n": ":1: a list of nodes must begin with node,speed or node,speed,utilisation, not",
}
BAD_RUNS = {
    "job,time\na,1\n": ":1: a list of past runs must begin with job,size,workload or job,size,time,speed or",
    "job,size,workload\na,,1\n": ':2: size is "", not a number',
    "job,size,time,speed\na,1,-1,1\n": ":2: time must be in",
}


@pytest.mark.parametrize("text", BAD_JOBS)
def test_bad_jobs_are_refused_with_their_line(tmp_path: Path, text: str) -> None:
    path, nodes = write_list(tmp_path / "j.csv", text), write_list(tmp_path / "n.csv", "node,speed\na,1\n")
    outcome = command("assign", path, nodes, "-o", tmp_path / "out.csv")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"paretosched assign: {path}")
    assert BAD_JOBS[text] in outcome.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("option", "text"), [*(("nodes", t) for t in BAD_NODES), *(("history", t) for t in BAD_RUNS)])
def test_bad_nodes_and_past_runs_are_refused_with_their_line(tmp_path: Path, option: str, text: str) -> None:
    jobs, path = write_list(tmp_path / "j.csv", "job,workload\na,1\n"), write_list(tmp_path / "bad.csv", text)
    sound = write_list(tmp_path / "n.csv", "node,speed\na,1\n")
    outcome = command("assign", jobs, *([path] if option == "nodes" else [sound, "--history", path]))
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"paretosched assign: {path}")
    assert (BAD_NODES | BAD_RUNS)[text] in outcome.err


def test_names_are_no_formulas_in_a_list_and_are_read_again(tmp_path: Path) -> None:
    names = ("=cmd()", "'=1", "+x", "@y", "-z", "it's", "-1")
    bag = Bag(names, np.ones(len(names)), np.ones(len(names)))
    save_jobs(bag, tmp_path / "jobs.csv")
    cells = [line.split(",")[0] for line in (tmp_path / "jobs.csv").read_text().splitlines()[1:]]
    assert cells == ["'=cmd()", "''=1", "'+x", "'@y", "'-z", "it's", "-1"]
    assert read_jobs(tmp_path / "jobs.csv").name == names
