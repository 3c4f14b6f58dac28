"""The options of sbatch are read as sbatch works them out."""

from typing import Any

import pytest

from paretosched import InputError
from paretosched.workload.sbatch_options import mebibytes, read_options, requests_of_options


def values_of(text: str) -> dict[str, Any]:
    """Return what is said beside one task on one node."""
    values = dict(read_options(text).values)
    return {key: value for key, value in values.items() if (key, value) not in (("tasks", 1), ("nodes_least", 1))}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("-N2-4 -n8", {"nodes_least": 2, "nodes_most": 4, "tasks": 8}),
        ("--nodes=3", {"nodes_least": 3, "nodes_most": 3, "tasks": 3}),
        ("-N 1 -n 32", {"nodes_most": 1, "tasks": 32}),
        ("-N2 -n1", {"nodes_most": 1}),  # sbatch takes fewer nodes
        ("-n6 --ntasks-per-node=2", {"tasks": 6, "tasks_per_node": 2, "nodes_least": 3}),
        ("-N4 --ntasks-per-node 8", {"nodes_least": 4, "nodes_most": 4, "tasks_per_node": 8, "tasks": 32}),
        ("-c3 -n3", {"cpus_per_task": 3, "tasks": 3}),
        ("--mem=10", {"memory_per_node": 10}),
        ("--mem 500G", {"memory_per_node": 512000}),
        ("--mem=0", {"memory_per_node": 0}),
        ("--mem-per-cpu=2G", {"memory_per_cpu": 2048}),
        ("--gres=gpu:1", {"gpus_per_node": 1}),
        ("--gres=gpu", {"gpus_per_node": 1}),
        ("--gres=gpu:v100:2", {"gpus_per_node": 2, "gpu_type": "v100"}),
        ("--gres=gpu:v100", {"gpus_per_node": 1, "gpu_type": "v100"}),
        ("--gres=gpu:1 --gres=gpu:1", {"gpus_per_node": 2}),
        ("-G a100:4", {"gpus": 4, "gpu_type": "a100"}),
        ("--gpus-per-task=2 -n3", {"gpus_per_task": 2, "tasks": 3}),
        ("-N2 --gpus=4 --mem-per-gpu=10G", {
            "nodes_least": 2, "nodes_most": 2, "tasks": 2, "gpus": 4, "memory_per_node": 20480,
        }),
        ("--gpus-per-node=2 --cpus-per-gpu=4", {"gpus_per_node": 2, "cpus_per_task": 8}),
        ("--exclusive", {"exclusive": 1}),
        ("--exclusive=user", {"exclusive": 2}),
        ("-p a,b -q q -A acc", {"partition": "a,b", "qos": "q", "account": "acc"}),
        ("-C 'a&(b|c)'", {"constraint": "a&(b|c)"}),
        ("-w n[1-3] -x n7", {"hosts": "n[1-3]", "excluded": "n7", "nodes_least": 3, "tasks": 3}),
        ("-L matlab:2 --reservation=r -d afterok:7", {
            "licences": "matlab:2", "reservation": "r", "dependency": "afterok:7",
        }),
        ("--tmp=5G", {"disk_per_node": 5120}),
        ("sbatch -n2 job.sh -n 9 --mem=1", {"tasks": 2}),  # what is behind the script is the script's
        ("/usr/bin/sbatch --job-name='a b' -HQ --part=x --wrap 'sleep 5'", {"partition": "x"}),
        ("-J name -o out-%j -n 2", {"tasks": 2}),
    ],
)  # fmt: skip
def test_what_is_said(text: str, values: dict[str, Any]) -> None:
    assert values_of(text) == values


@pytest.mark.parametrize(
    ("text", "limit"),
    [("", 0), ("-t20", 1200), ("-t 1:30", 90), ("--time=1:30:00", 5400), ("-t1-12", 129600), ("-t UNLIMITED", 0)],
)
def test_limits(text: str, limit: int) -> None:
    assert read_options(text).limit == limit


def test_what_is_not_regarded_is_said() -> None:
    assert [*read_options("--gres=lustre:1,gpu:1").remarks] == [
        "asks for resources of nodes that are no GPUs: not regarded"
    ]
    assert [*read_options("-G4 --mem-per-gpu=1G").remarks] == [
        "asks for memory a GPU of nodes with any number of them: not regarded"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("--fooo=1", "options of sbatch must be known, but --fooo is not"),
        ("--gpu=1", "options of sbatch must be known, but --gpu is not; did you mean gpu"),
        ("-Z", "options of sbatch must be known, but -Z is not"),
        ("-n", "-n must have a value, but has none"),
        ("-n x", '--ntasks must be a whole number, but is "x"'),
        ("-n4 : -n8 -p gpu", "each component of a heterogeneous job must have a line of its own"),
        ("-N 4-2", '--nodes must be LEAST-MOST from 1 on, but is "4-2"'),
        ("-N a", '--nodes must be LEAST or LEAST-MOST, but is "a"'),
        ("--mem=much", '--mem must be a size such as 4000M or 4G, but is "much"'),
        ("-t soon", '--time must be minutes, hours:minutes:seconds or days-hours, but is "soon"'),
        ("-w n[1", "must be a list of nodes"),
        ("-C a&", "must be features"),
        ("-n '1", "options of sbatch must be words"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        read_options(text)
    assert words in str(error.value)


def test_requests_of_several_jobs() -> None:
    requests = requests_of_options([read_options(text) for text in ("-n8 --mem=10 -p a", "-G2")])
    assert requests.tasks.tolist() == [8, 1]
    assert requests.memory_per_node.tolist() == [10, -1]
    assert requests.gpus.tolist() == [0, 2]
    assert requests.partition.list() == ["a", ""]


def test_a_job_that_says_nothing_of_it_is_requeued_as_the_machine_says() -> None:
    """Of jobs beside one that says it, too."""
    requests = requests_of_options([read_options(text) for text in ("-n1", "-n1 --no-requeue", "-n1 --requeue")])
    assert requests.requeue.tolist() == [-1, 0, 1]


@pytest.mark.parametrize(
    ("text", "seconds", "remarks"),
    [("-n1", 0, 0), ("--begin=now", 0, 0), ("-b now+200", 200, 0), ("--begin=now+2hours", 7200, 0),
     ("--begin now+1minute", 60, 0), ("--begin=2026-12-01T12:00", 0, 1), ("-b 16:00", 0, 1)],
)  # fmt: skip
def test_jobs_may_begin_a_while_after_their_submission(text: str, seconds: int, remarks: int) -> None:
    asked = read_options(text)
    assert (asked.begin, len(asked.remarks)) == (seconds, remarks)


def test_sizes_are_rounded_up_to_mebibytes() -> None:
    assert [mebibytes("x", text) for text in ("1K", "1025K", "1.5G", "2g", "3T", "7MB")] == [
        1,
        2,
        1536,
        2048,
        3145728,
        7,
    ]
