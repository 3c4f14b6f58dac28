"""The workloads of questions: what changes is what was asked, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.what_if import changed_workload, questions
from paretosched.workload.plausibility import offered_load


@pytest.fixture(scope="module")
def workload() -> ps.Workload:
    return ps.lublin(8000, 64, seed=4)


def test_each_question_changes_what_it_says(workload: ps.Workload) -> None:
    asked = questions(workload)
    assert len(asked) == 3 + len(workload.groups)
    for question in asked:
        changed = changed_workload(workload, question)
        assert changed.groups == workload.groups
        again = changed_workload(workload, question)
        assert again.digest == changed.digest
        ps.simulate(changed, "easy").check()
        if question.larger:
            assert (changed.capacity, len(changed)) == (71, len(workload))
            assert np.array_equal(changed.submit, workload.submit)
        elif question.load > 1:
            assert changed.capacity == workload.capacity
            before, after = offered_load(workload), offered_load(changed)
            assert after == pytest.approx(question.load * before, rel=0.01)
        else:
            place = workload.groups.index(question.group)
            assert (
                len(np.unique(changed.user[changed.group == place]))
                > 1.3 * len(np.unique(workload.user[workload.group == place]))
                or len(np.unique(workload.user[workload.group == place])) < 4
            )


def test_more_processors_make_nobody_wait_longer_on_average(workload: ps.Workload) -> None:
    larger = next(q for q in questions(workload) if q.larger)
    before, after = (ps.waits(ps.simulate(w, "easy")) for w in (workload, changed_workload(workload, larger)))
    assert after.mean[0] < before.mean[0]
