"""The workloads of questions: what changes is what was asked, and nothing else."""

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.questions import (
    Question,
    group_question,
    groups_of_users,
    limit_question,
    nodes_question,
    questions,
)
from paretosched.comparison.what_if import (
    changed_workload,
    drawn_workload,
    is_missed,
    on_other_machine,
)
from paretosched.core.errors import InputError
from paretosched.workload.plausibility import offered_load
from paretosched.workload.user_groups import with_groups
from support.limited_users import in_weeks
from support.machine_zoo import case
from support.placing import ideal_schedule


@pytest.fixture(scope="module")
def workload() -> ps.Workload:
    return ps.lublin(8000, 64, seed=4)


def test_each_question_changes_what_it_says(workload: ps.Workload) -> None:
    asked = questions(workload)
    assert len(asked) == 4 + len(workload.groups)
    assert asked.pop() == limit_question(workload, f"{int(workload.estimate.max()) // 120}min")
    for question in asked:
        seed = 1 if question.is_of_users else None
        changed = changed_workload(workload, question, seed)
        assert changed.groups == workload.groups
        again = changed_workload(workload, question, seed)
        assert again.digest == changed.digest
        ps.simulate(changed, "easy").check()
        if not question.is_of_users:
            assert (changed.capacity, len(changed)) == (71, len(workload))
            assert np.array_equal(changed.submit, workload.submit)
        elif not question.group:
            assert changed.capacity == workload.capacity
            before, after = offered_load(workload), offered_load(changed)
            assert after == pytest.approx(question.load * before, rel=0.01)
        else:
            base = drawn_workload(workload, None, 1)[0]
            share = groups_of_users(base)[question.group]
            before, after = offered_load(base), offered_load(changed)
            assert after / before == pytest.approx(1 + share, rel=0.02)
            assert not is_missed(question, base, before, after)
            place = workload.groups.index(question.group)
            assert (
                len(np.unique(changed.user[changed.group == place]))
                > 1.3 * len(np.unique(workload.user[workload.group == place]))
                or len(np.unique(workload.user[workload.group == place])) < 4
            )


def test_it_is_said_if_a_group_of_few_users_hardly_grows(workload: ps.Workload) -> None:
    one = workload.with_(group=np.where(workload.user == workload.user[0], 1, 0), groups=("others", "one"))
    asked = [group_question(one, text) for text in ("one x1.3", "one x0", "others x0.5")]
    missed = []
    for question in asked:
        base, changed = drawn_workload(one, None, 1)[0], changed_workload(one, question, 1)
        missed.append(is_missed(question, base, offered_load(base), offered_load(changed)))
    assert missed == [True, False, False]  # 0.3 of a user cannot come


def test_more_processors_make_nobody_wait_longer_on_average(workload: ps.Workload) -> None:
    larger = next(q for q in questions(workload) if q.more)
    before, after = (ps.waits(ps.simulate(w, "easy")) for w in (workload, changed_workload(workload, larger, None)))
    assert after.mean[0] < before.mean[0]


MACHINE = ps.Machine(
    (ps.NodeKind("n[1-20]", 4, 8000), ps.NodeKind("g1", 8, 16000, {"v": 2}), ps.NodeKind("spare", 4, 8000)),
    (ps.Partition("main", "n[1-20]", default=True), ps.Partition("gpu", "g1")),
)


def test_on_nodes_there_could_be_more_of_each_kind_in_use() -> None:
    w = case(MACHINE, "0 50 -n6 user=1", "0 90 -n1 -p gpu --gpus=2 user=2", "1 90 -n1 -p gpu --gpus=1 user=1")
    asked = [question for question in questions(w) if question.more]
    assert [question.words for question in asked] == [
        "1 more node like g1 (8 CPUs, 16 GiB, 2 v), beside 1",
        "2 more nodes like n20 (4 CPUs, 8 GiB), beside 20",
    ]
    more = changed_workload(w, asked[0], None)
    assert (more.capacity, more.machine.members.sum(axis=1).tolist()) == (w.capacity + 8, [20, 2])
    assert ideal_schedule(w).start.tolist()[2] == 90
    assert ideal_schedule(more).start.tolist()[2] == 1
    assert changed_workload(w, asked[1], None).capacity == w.capacity + 8


def test_what_cannot_be_asked_of_few_users_is_said() -> None:
    w = in_weeks(case(MACHINE, *[f"{k} 50 -n{6 if k % 2 else 1} user={k % 3}" for k in range(30)]), 4)
    by_size = with_groups(w, "wide: width > 4; rest")
    named = [question.group for question in questions(by_size) if question.group]
    assert named == ["wide"]  # the users of small jobs have more work in large ones
    asked, load = questions(w), offered_load(w)
    assert is_missed(asked[0], w, load, load)
    assert not is_missed(asked[2], w, load, load)


def test_jobs_that_cannot_run_on_fewer_processors_are_counted() -> None:
    w = ps.Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 30], width=[3, 4, 1], capacity=4)
    smaller, left = on_other_machine(w, Question("", more=-1))
    assert (smaller.capacity, smaller.job.tolist(), left.tolist()) == (3, [1, 3], [True, False, True])
    assert [(each.jobs, each.first) for each in smaller.repairs] == [(1, "job 2")]
    assert smaller.repairs[0].reason.startswith("can never run on the machine: is wider than the machine (37.74 %")
    shorter, left = on_other_machine(w, limit_question(w, "10s"))
    assert (shorter.capacity, left.tolist()) == (4, [True, True, False])
    with pytest.raises(InputError, match="none of 3 jobs can run on the machine"):
        on_other_machine(w, limit_question(w, "1s"))


def test_nodes_that_are_away_are_used_by_no_job_and_stay_in_the_lists() -> None:
    w = case(MACHINE, "0 50 -n4", "0 90 -n1 -p gpu --gpus=2", "1 50 -n80", "2 9 -w n3 -n1")
    fewer, left = on_other_machine(w, nodes_question(w, "down n[1-3]"))
    assert left.tolist() == [True, True, False, False]  # 80 CPUs are all nodes; n3 is one of the nodes that are away
    assert (fewer.capacity, fewer.machine.names) == (w.capacity, w.machine.names)
    schedule = ps.simulate(fewer, "easy")
    schedule.check()
    gone, left = on_other_machine(w, nodes_question(w, "-1 gpu"))
    assert left.tolist() == [True, False, True, True]
    assert [(each.jobs, each.first) for each in gone.repairs] == [(1, "job 2")]


def test_nodes_of_another_partition_run_its_jobs() -> None:
    gpu = ("0 50 -p gpu -n8", "1 50 -p gpu -n4", "2 9 -p gpu -n1 --gpus=1")
    w = case(MACHINE, "0 90 -n80", *gpu, "2 5 -n76", "3 4 -w n20 -n1")
    assert ideal_schedule(w).start.tolist() == [0, 0, 50, 50, 90, 90]
    lent, left = on_other_machine(w, nodes_question(w, "n20 also in gpu"))
    assert left.all()
    assert lent.machine.members.sum(axis=1).tolist() == [20, 2]
    moved, left = on_other_machine(w, nodes_question(w, "n20 from main to gpu"))
    assert moved.capacity == w.capacity
    assert moved.machine.members.sum(axis=1).tolist() == [19, 2]
    assert left.tolist() == [False, True, True, True, True, False]  # 80 CPUs are no longer in main, nor is n20
    schedule = ideal_schedule(moved)
    assert schedule.start.tolist() == [0, 1, 50, 2]  # the second job of gpu runs on n20
    ps.simulate(moved, "easy").check()
    assert [(each.jobs, each.first) for each in moved.repairs] == [(1, "job 6"), (1, "job 1")]


def test_a_limit_of_a_partition_drops_only_jobs_that_have_no_other_one() -> None:
    machine = ps.Machine((ps.NodeKind("n[1-4]", 4, 8000),), (ps.Partition("a", longest=60), ps.Partition("b")))
    w = case(machine, "0 60 -p a -n4 -t1", "0 60 -p b -n4 -t9", "0 60 -p a,b -n4 -t9", "1 90 -p a -n1 -t5")
    changed, left = on_other_machine(w, limit_question(w, "b 2min"))
    assert [part.longest for part in changed.machine.partitions] == [60, 120]
    assert left.tolist() == [True, False, False, True]  # the last one ran although it is beyond today's limit
    assert on_other_machine(w, limit_question(w, "a 10m"))[1].all()
    every, left = on_other_machine(w, limit_question(w, "2min"))
    assert [part.longest for part in every.machine.partitions] == [120, 120]
    assert left.tolist() == [True, False, False, True]
