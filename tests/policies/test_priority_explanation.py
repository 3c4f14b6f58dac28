"""What is said about an order."""

import pytest

import paretosched as ps
from paretosched.policies import policy_json
from paretosched.policies.policy import as_policy
from paretosched.policies.priority import Backfill, Priority
from paretosched.policies.whole_nodes import NodeKind, WholeNodes


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("saf", ["the job with the smallest area comes first (SAF, Carastan-Santos", "Two waiting jobs never change"]),
        (
            "saf",
            ["the first waiting job that cannot start now has", "It has EASY backfilling, as nothing else is said"],
        ),
        (
            "order: wait; backfill: none",
            ["the job with the largest wait comes", "like straight lines", "(no backfilling)"],
        ),
        ("order: abs(wait - 1h) / width", ["no shortcut is proven: all waiting jobs are compared again"]),
        (
            "order: width - usage",
            ["only the first of all jobs that are equal otherwise is compared", "what was taken 7d ago counts half"],
        ),
        ("priority:1,2", ["the jobs of groups 1, 2 come first, in this order, and then all others"]),
        ("priority", ["the jobs of the groups come in the order of the groups of the workload"]),
        ("fcfs; backfill: easy:8 for 1,2", ["the first 8 waiting jobs of groups 1 and 2 that cannot start now have"]),
        ("fcfs; backfill: easy; backfill-order: sjf", ["Among these other jobs the job with the smallest estimate"]),
        ("fcfs; backfill: conservative; backfill-order: sjf", ["so that the order of backfilling changes nothing"]),
        (
            "fcfs; backfill: easy; longest: 4h of 3,4 while 1; slack: 15min",
            ["While a job of group 1 waits, jobs of 3 and 4 that request more than 4h", "up to 15min later"],
        ),
        (
            "order: wait / log2(width); backfill: easy; backfill-order: sqrt(1h - estimate)",
            [
                "wait / log2(width) may be 0 / 0, which counts as 0; simulate says for how many jobs of a workload.",
                "sqrt(3600 - estimate) may be the root of a negative number, which counts as 0; simulate",
            ],
        ),
        ("order day: sjf; order night: saf; order weekend: wait", ["day (Monday to Friday, 8 to 18 o'clock): the job"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    explanation = ps.explain(text)
    words = " ".join(explanation.words())
    for sentence in sentences:
        assert sentence in words
    assert explanation.words()[-1].startswith("The policy in words: order")


def test_a_policy_of_a_thousand_kinds_of_nodes_is_short_and_its_json_has_all_of_it() -> None:
    kinds = tuple(NodeKind(1 + place % 3, 1 + place % 128) for place in range(1000))
    policy = Priority("wait", Backfill(1), nodes=WholeNodes(kinds))
    explanation = ps.explain(policy)
    text = explanation.text()
    assert len(text) < 4000
    assert "On a machine of 1,999 nodes with 1 to 128 processors, " in text
    assert explanation.words()[-1].startswith("In words the policy has ")
    assert policy_json.from_json(explanation.about()["policy"]).nodes == policy.nodes
    assert policy_json.to_json(policy_json.from_json(explanation.about()["policy"])) == policy_json.to_json(policy)

    few = WholeNodes(kinds[:3])
    words = ps.explain(Priority("wait", Backfill(1), nodes=few)).words()[-1].removeprefix("The policy in words: ")
    assert as_policy(words).nodes == few
