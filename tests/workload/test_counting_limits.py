"""Which limits count for whose jobs: one table for those that hold jobs for a time, and those that do it for ever."""

from paretosched import Machine, NodeKind, Partition
from paretosched.workload.counting_limits import Client, client_of, rules_of
from paretosched.workload.limits import Limits

LIMITS = (
    Limits("normal", "", "", "", {"MaxJobsPU": 8, "MaxTRESPU": {"cpu": 4}}),
    Limits("part", "", "", "", {"MaxJobsPU": 2, "GrpJobs": 9}),
    Limits("over", "", "", "", {"MaxJobsPU": 5}, ("OverPartQOS",)),
    Limits("", "root", "", "", {"GrpJobs": 90, "MaxJobs": 7}),
    Limits("", "bio", "", "", {"GrpJobs": 30, "GrpTRES": {"cpu": 64}, "MaxJobs": 6, "MaxWall": 60}),
    Limits("", "sea", "anna", "", {"MaxWall": 600}),
    Limits("", "sea", "anna", "own", {"GrpJobs": 3}),
)
MACHINE = Machine(
    (NodeKind("n1", 4, 8000),), (Partition("cpu", default=True), Partition("own", own_qos="part")), limits=LIMITS,
    accounts={"Sea": "bio", "bio": "root"}, homes={"anna": "sea"},
)  # fmt: skip


def counting(client: Client, k: int, counts: bool = True) -> list[tuple[str, str, int]]:
    return [(rule.name, rule.resource, rule.value) for rule in rules_of(MACHINE)(client, k) if rule.counts == counts]


def test_a_job_that_names_nothing_is_of_its_users_account_and_of_the_normal_qos() -> None:
    of = client_of(MACHINE, {1: "anna"})
    assert of("", "", 1) == Client("sea", "anna", "")
    assert of("Long", "Other", 2) == Client("other", "2", "long")
    assert of("", "", 2) == Client("", "2", "")
    assert counting(of("", "", 2), 0) == [("MaxJobsPU", "", 8), ("MaxTRESPU", "cpu", 4)]


def test_a_qos_comes_before_the_association_of_which_groups_all_count_and_others_by_the_nearest() -> None:
    found = counting(Client("sea", "anna", ""), 0)
    assert found[:2] == [("MaxJobsPU", "", 8), ("MaxTRESPU", "cpu", 4)]
    assert found[2:] == [("MaxWall", "", 600), ("GrpJobs", "", 30), ("GrpTRES", "cpu", 64), ("GrpJobs", "", 90)]
    assert counting(Client("sea", "anna", ""), 0, counts=False) == [("MaxJobs", "", 6)]


def test_the_qos_of_a_partition_comes_first_unless_that_of_the_job_says_otherwise() -> None:
    client = Client("sea", "anna", "")
    assert counting(client, 1)[:3] == [("GrpJobs", "", 9), ("MaxJobsPU", "", 2), ("MaxTRESPU", "cpu", 4)]
    assert ("MaxJobsPU", "", 8) in counting(client, 1, counts=False)
    assert ("GrpJobs", "", 3) in counting(client, 1, counts=False)  # of the association in this partition
    over = client._replace(qos="over")
    assert counting(over, 1)[:2] == [("MaxJobsPU", "", 5), ("GrpJobs", "", 9)]
