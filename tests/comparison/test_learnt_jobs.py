"""From which of the compared jobs a policy learnt, and what came out on the rest."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

from paretosched.comparison.comparison import compare
from paretosched.comparison.learnt_jobs import learnt_text
from paretosched.policies.plain import Plain
from paretosched.report.comparison_report import report
from paretosched.training.guarded_training import train_guarded
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import by_earlier_consumption


def test_a_report_says_from_how_many_jobs_a_policy_learnt_and_what_came_out_on_the_rest() -> None:
    w = lublin(300, 32, seed=5)
    first, rest = by_earlier_consumption(*split(w, 0.7))
    training = train_guarded(
        w, "AWRT1, others <= 1.25*EASY", evaluations=3, until=0.7
    )  # whose groups are by what users take until then
    policy = training.policy
    text = learnt_text(w, policy)
    assert text.startswith(
        f"{policy.name} learnt from {100 * len(first) / len(w):.0f} % of these jobs, the first 70 % of the time. On "
    )
    system = training.systems[training.best]
    change = 100 * (training.easy.rest_objective - system.rest_objective) / training.easy.rest_objective
    assert f"its goal was {abs(change):.0f} % {'better' if change >= 0 else 'worse'} than with EASY" in text
    assert ("no limit was broken" in text) == (system.rest_exceeded == 0)
    page = html.unescape(report(None, compare(w, [policy, "fcfs"])))
    assert text[1:] in page.partition("How sure is it?")[2].partition("</section>")[0]
    assert page.count(" learnt from ") == 1  # FCFS did not
    assert (
        learnt_text(first, policy) == f"{policy.name} learnt from these jobs: nothing here shows how it does on others."
    )
    assert learnt_text(rest, policy) == f"{policy.name} learnt from {w.name} to 70 % of the time."


def test_a_file_that_does_not_know_the_rest_says_so_and_one_that_is_odd_does_no_harm() -> None:
    w = lublin(50, 32, seed=5)
    learnt = {
        "words": "AWRT1",
        "workloads": [{"name": "x", "digest": by_earlier_consumption(*split(w, 0.5))[0].digest}],
        "until": 0.5,
    }
    trained = Plain("fcfs", "mine", learnt)
    assert learnt_text(w, trained).endswith("What came out on the rest, its file does not say.")
    assert learnt_text(w, Plain("fcfs")) == ""
    broken = replace(trained, provenance=learnt | {"wish": {"near": {}}, "rest": {"exceeded": 0.66, "objective": True}})
    assert learnt_text(w, broken).endswith("On the rest its limits were broken by 66 % in sum.")


@pytest.mark.parametrize(
    "odd", [{"workloads": 3}, {"workloads": [3, {}]}, {"until": "x"}, {"until": 7}, {"words": None}, {"rest": [1]}]
)
def test_any_provenance_is_read(odd: dict[str, object]) -> None:
    w = lublin(50, 32, seed=5)
    learnt = {"words": "AWRT1", "workloads": [{"name": "x", "digest": "y"}], "until": 0.5}
    assert isinstance(learnt_text(w, Plain("fcfs", "mine", learnt | odd)), str)
