"""What each waiting job lacks, by nodes as scontrol prints them, and by what Slurm says holds it."""

from pathlib import Path

import pytest

from paretosched.deployment.lacking import MOST_SHOWN, NOTHING, lacks_text, nodes_in, read_lacks
from paretosched.deployment.slurm_queue import read_queue
from support.deploying import pass_alone, plan_in, records_of
from support.fake_slurm import FakeSlurm


def node(name: str, partitions: str, used: int = 0, memory: int = 0, gpus: int = -1, **more: str) -> str:
    """Return a line of scontrol -o -d show node: 8 CPUs, 16000 MiB, 4 GPUs if any are used or free."""
    gres = "Gres=(null)" if gpus < 0 else f"Gres=gpu:a100:4(S:0-1) GresDrain=N/A GresUsed=gpu:a100:{gpus}(IDX:0-1)"
    feature = more.get("feature", "(null)")
    return (
        f"NodeName={name} Arch=x86_64 CoresPerSocket=4 CPUAlloc={used} CPUEfctv=8 CPUTot=8 CPULoad=0.1 "
        f"AvailableFeatures={feature} ActiveFeatures={feature} {gres} NodeAddr={name} OS=Linux 5 #1 SMP "
        f"RealMemory=16000 AllocMem={memory} FreeMem=99 State={more.get('state', 'MIXED')} ThreadsPerCore=1 "
        f"Partitions={partitions} Comment=x=y"
    )


NODES = [
    node("n1", "main,all", 8), node("n2", "main,all", 2, 15000, feature="ib"), node("n3", "main,all", 6, 1000),
    node("n4", "main,all", state="IDLE+DRAIN"), node("g1", "gpu,all", 2, 4000, 4), node("g2", "gpu,all", 8, 0, 0),
]  # fmt: skip
ALL_OF = "(null)"
CASES = {
    # number: (partition, CPUs, nodes, tres, reason, feature), what it lacks
    1: (("main", 4, 1, "cpu=4,mem=4G,node=1", "Priority", ALL_OF), "CPUs and memory on the same nodes"),
    2: (("main", 8, 1, "cpu=8,mem=1G,node=1", "Resources", ALL_OF), "CPUs: free on 0 of 3 nodes"),
    3: (("main", 12, 2, "cpu=12,mem=4G,node=2", "Resources", ALL_OF), "CPUs: free on 1 of 3 nodes"),
    4: (("main", 1, 1, "cpu=1,mem=15.5G,node=1", "Resources", ALL_OF), "CPUs and memory on the same nodes"),
    5: (("gpu", 2, 1, "cpu=2,mem=1G,node=1,gres/gpu=1,gres/gpu:a100=1", "Resources", ALL_OF),
        "CPUs and memory and a100 on the same nodes"),
    6: (("gpu", 1, 1, "cpu=1,node=1,gres/gpu=6", "Resources", ALL_OF),
        "nodes: no node of gpu has as much, even when idle"),
    7: (("main", 1, 1, "cpu=1,node=1", "Resources", "ib&fast"), "a feature: 0 nodes of main have ib&fast"),
    8: (("main", 4, 1, "cpu=4,node=1", "Resources", "ib"), NOTHING),
    9: (("main", 4, 4, "cpu=4,node=4", "Resources", ALL_OF),
        "nodes: 1 of 4 that are large enough are down or set aside"),
    10: (("main", 1, 1, "cpu=1,node=1", "QOSMaxCpuPerUserLimit", ALL_OF),
        "Slurm holds it by a limit: QOSMaxCpuPerUserLimit"),
    11: (("main", 1, 1, "cpu=1,node=1", "Licenses", ALL_OF), "licences"),
    12: (("main,gpu", 8, 1, "cpu=8,node=1", "Priority", ALL_OF), "CPUs: free on 0 of 3 nodes"),
    13: (("all", 6, 1, "cpu=6,mem=1M,node=1", "Priority", ALL_OF), NOTHING),
    14: (("gpu", 1, 1, "cpu=1,mem=13000M,node=1", "Resources", ALL_OF), "CPUs and memory on the same nodes"),
    15: (("main", 40, 1, "cpu=40,node=1", "Resources", ALL_OF), "nodes: main has 4"),
}  # fmt: skip


def fill(fake: FakeSlurm) -> None:
    """Put the cases into the queue."""
    queue = {
        job: {"partition": part, "cpus": cpus, "nodes": nodes, "tres": tres, "submit": 1_700_000_000 + job}
        for job, ((part, cpus, nodes, tres, _, _), _) in CASES.items()
    }
    fake.queue(queue, {})
    fake.explain({job: (reason, feature, tres) for job, ((*_, tres, reason, feature), _) in CASES.items()}, NODES)


def test_each_waiting_job_lacks_what_no_node_of_its_partitions_has_free(fake: FakeSlurm) -> None:
    fill(fake)
    lacks = read_lacks(sorted(read_queue(), key=lambda job: job.id))
    assert {lack.job.id: lack.lacks for lack in lacks} == {job: words for job, (_, words) in CASES.items()}
    assert lacks[4].asks == "2 CPUs, 1.0 GiB, 1 a100 on 1 node"
    assert lacks[6].asks == "1 CPU, ib&fast on 1 node"


@pytest.mark.parametrize("state", ["DOWN*", "IDLE+DRAIN", "IDLE*", "MAINT", "MIXED+NOT_RESPONDING", "RESERVED"])
def test_no_job_can_start_on_a_node_that_is_set_aside(state: str) -> None:
    assert not nodes_in(node("n1", "main", state=state))[0].is_usable


def test_gpus_without_a_type_and_of_several_types_are_counted_together() -> None:
    (one,) = nodes_in(node("g1", "gpu").replace("Gres=(null)", "Gres=gpu:v100:2,gpu:a100:3 GresUsed=gpu:a100:1"))
    assert dict(one.free_gpus) == {"v100": 2, "a100": 2, "": 4}
    (other,) = nodes_in(node("g1", "gpu").replace("Gres=(null)", "Gres=gpu:8,craynetwork:4 GresUsed=gpu:5(IDX:0-4)"))
    assert dict(other.free_gpus) == {"": 3}


def test_a_dry_run_tells_it_once_and_writes_it_down(fake: FakeSlurm, tmp_path: Path) -> None:
    fill(fake)
    plan = plan_in(tmp_path)
    assert pass_alone(plan) == []
    assert "lacks" not in records_of(plan)[0]
    (told,) = pass_alone(plan._replace(is_dry=True))
    assert told.splitlines()[0] == "the waiting jobs in the order of the policy, and what each lacks now:"
    assert len(told.splitlines()) == 3 + len(CASES)
    record = records_of(plan)[-1]
    assert record["lacks"] == {str(job): words for job, (_, words) in CASES.items()}


def test_where_scontrol_has_no_answer_the_order_is_told_without_it(fake: FakeSlurm, tmp_path: Path) -> None:
    fill(fake)
    script = (fake.folder / "scontrol").read_text(encoding="utf-8").replace("cat nodes", "echo away >&2; exit 1")
    (fake.folder / "scontrol").write_text(script, encoding="utf-8")
    plan = plan_in(tmp_path)
    (told,) = pass_alone(plan._replace(is_dry=True))
    assert told == 'scontrol: status 1: "away"; what each waiting job lacks is not told'
    assert len(records_of(plan)[-1]["set"]) == len(CASES)


def test_of_many_jobs_the_first_ones_are_shown(fake: FakeSlurm) -> None:
    fake.queue({job: {} for job in range(1, MOST_SHOWN + 3)}, {})
    fake.explain({}, NODES)
    lacks = read_lacks(read_queue())
    assert lacks_text(lacks).splitlines()[-1] == "... and 2 jobs more, which --once shows"
    assert len(lacks_text(lacks, None).splitlines()) == 3 + len(lacks)
    assert lacks_text([]) == ""


def test_without_nodes_nothing_is_said(fake: FakeSlurm) -> None:
    fake.queue({1: {}}, {})
    assert read_lacks(read_queue()) == []
