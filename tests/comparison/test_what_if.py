"""The workloads of questions: what changes is what was asked, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.what_if import Draw, answer, base_workload, changed_workload, questions
from paretosched.workload.plausibility import offered_load
from paretosched.workload.user_groups import with_groups
from support.machine_zoo import case
from support.placing import ideal_schedule


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


MACHINE = ps.Machine(
    (ps.NodeKind("n[1-20]", 4, 8000), ps.NodeKind("g1", 8, 16000, {"v": 2}), ps.NodeKind("spare", 4, 8000)),
    (ps.Partition("main", "n[1-20]", default=True), ps.Partition("gpu", "g1")),
)


def test_on_nodes_there_could_be_more_of_each_kind_in_use() -> None:
    w = case(MACHINE, "0 50 -n6 user=1", "0 90 -n1 -p gpu --gpus=2 user=2", "1 90 -n1 -p gpu --gpus=1 user=1")
    asked = [question for question in questions(w) if question.larger]
    assert [question.words for question in asked] == [
        "1 more node like g1 (8 CPUs, 16 GiB, 2 v), beside 1",
        "2 more nodes like n20 (4 CPUs, 8 GiB), beside 20",
    ]
    more = changed_workload(w, asked[0])
    assert (more.capacity, more.machine.members.sum(axis=1).tolist()) == (w.capacity + 8, [20, 2])
    assert base_workload(w, asked[0]) is w
    assert ideal_schedule(w).start.tolist()[2] == 90
    assert ideal_schedule(more).start.tolist()[2] == 1
    assert changed_workload(w, asked[1]).capacity == w.capacity + 8


def test_what_cannot_be_asked_of_few_users_is_said() -> None:
    w = case(MACHINE, *[f"{k} 50 -n{6 if k % 2 else 1} user={k % 3}" for k in range(30)])
    by_size = with_groups(w, "wide: width > 4; rest")
    named = [question.group for question in questions(by_size) if question.group]
    assert named == ["wide"]  # the users of small jobs have more work in large ones
    load = questions(w)[0]
    draw = Draw(w, w, ideal_schedule(w), ideal_schedule(w), {})
    assert answer(load, "EASY", [draw]).today[0].startswith("The users of this log are too few for that")
    assert "too few" not in answer(questions(w)[2], "EASY", [draw]).today[0]
