"""What is said about an order."""

from __future__ import annotations

import pytest

import paretosched as ps


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("saf", ["the job with the smallest area comes first (SAF, Carastan-Santos", "Two waiting jobs never change"]),
        (
            "order: wait",
            ["the job with the largest wait comes", "like straight lines", "(no backfilling)"],
        ),
        ("order: abs(wait - 1h) / width", ["no shortcut is proven: all waiting jobs are compared again"]),
        (
            "order: width - usage",
            ["only the first of all jobs that are equal otherwise is compared", "what was taken 7d ago counts half"],
        ),
        ("priority:1,2", ["the jobs of groups 1, 2 come first, in this order, and then all others"]),
        ("priority", ["the jobs of the groups come in the order of the groups of the workload"]),
        ("fcfs; backfill: easy:8 for 1,2", ["the first 8 waiting jobs of groups 1 and 2 have reservations"]),
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
    assert explanation.rows() == []
