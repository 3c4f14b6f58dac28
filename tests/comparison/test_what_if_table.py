"""The table of what if: hand-checked numbers, and the numbers of the library on the same draws."""

from dataclasses import replace

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.intervals import paired_interval
from paretosched.comparison.questions import Question, group_question, limit_question, more_load, nodes_question
from paretosched.comparison.what_if import drawn_workload
from paretosched.comparison.what_if_table import (
    ONE_WORKLOAD,
    Case,
    WhatIf,
    answer_rows,
    answer_text,
    facts,
    gain_sentences,
    what_if,
    worth_rows,
    worth_sentences,
)
from paretosched.core.errors import InputError
from paretosched.policies.policy import as_policy
from paretosched.simulation.service import Waits
from paretosched.workload.plausibility import offered_load
from paretosched.workload.resampling import resample
from support.machine_zoo import case
from support.trainings import of_weeks

EASY, FCFS = as_policy("easy"), as_policy("fcfs")

# Three jobs, their users unknown. EASY starts them at 0, 10 and 2: they wait 0, 9 and 0 s. FCFS: 0, 9 and 13 s.
THREE = ps.Workload(
    submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4, group=[0, 1, 1],
    groups=("one", "two"),
)  # fmt: skip


def test_three_jobs_by_hand() -> None:
    asked = [(text, nodes_question(THREE, text)) for text in ("+4", "-1")]
    answers = what_if(THREE, asked, [EASY, FCFS], prices={"cpu": 250})
    found = {(row["scenario"], row["policy"], row["group"]): row for row in answer_rows(answers)}
    assert len(found) == 3 * 2 * 3
    today = found["now", "EASY", "all jobs"]
    assert (today["jobs"], today["wait_mean_s"], today["wait_p95_s"], today["wait_mean_s_change"]) == (3, 3, 9, None)
    assert today["slowdown_mean"] == pytest.approx((1 + 14 / 10 + 1) / 3)
    assert today["UTIL"] == pytest.approx(100 * 53 / (4 * 15))
    other = found["now", "FCFS", "all jobs"]
    assert (other["wait_mean_s"], other["wait_mean_s_change"]) == (pytest.approx(22 / 3), pytest.approx(13 / 3))
    assert found["now", "FCFS", "group two"]["wait_mean_s"] == 11
    more = found["+4", "EASY", "all jobs"]  # all start at once
    assert (more["wait_mean_s"], more["wait_mean_s_change"], more["wait_mean_s_low"]) == (0, -3, None)
    assert more["UTIL"] == pytest.approx(100 * 53 / (8 * 10))
    assert more["UTIL_change"] == pytest.approx(100 * (53 / 80 - 53 / 60))
    fewer = found["-1", "EASY", "all jobs"]  # job 2 is too wide; today the others wait 0 s, then job 3 waits 8 s
    assert (fewer["jobs"], fewer["wait_mean_s"], fewer["wait_mean_s_change"]) == (2, 4, 4)
    assert (found["-1", "EASY", "group two"]["wait_mean_s_change"], fewer["UTIL"]) == (8, 100 * 33 / (3 * 13))
    assert list(answers.dropped) == ["+4", "-1"]
    assert answers.dropped["+4"] == []
    (dropped,) = answers.dropped["-1"]
    assert dropped.startswith("1 of 3 jobs (job 2): can never run on the machine: is wider than the machine")
    (worth,) = worth_rows(answers)  # 9 s of waiting, for 4 x 250
    assert (worth["nodes"], worth["price"], worth["saved_h"], worth["saved_h_per_1000"]) == (
        4,
        1000,
        9 / 3600,
        9 / 3600,
    )
    assert gain_sentences(answers)[1:3] == [
        "+4 (4 more processors: 8 in place of 4): the mean wait is 3 s shorter; group two gains most, 4.5 s shorter; "
        "no group pays.",
        "+4 (4 more processors: 8 in place of 4) with FCFS: the mean wait is 3 s shorter (4.3 s longer by FCFS "
        "alone); group two gains most, 4.5 s shorter (6.5 s longer by FCFS alone); no group pays.",
    ]
    assert gain_sentences(answers)[3].startswith("-1 (1 fewer processor: 3 in place of 4): those whose jobs can never")
    assert ONE_WORKLOAD in answer_text(answers)


def test_each_kind_of_question_on_nodes() -> None:
    machine = ps.Machine(
        (ps.NodeKind("n[1-4]", 4, 8000), ps.NodeKind("g1", 4, 8000, {"v": 2})),
        (ps.Partition("main", "n[1-4]", default=True), ps.Partition("gpu", "g1")),
    )
    w = case(
        machine, "0 100 -n16", "0 100 -p gpu -n1 --gpus=2", "1 50 -n4 -t1", "2 100 -p gpu -n1 --gpus=1 -t9", "3 50 -n16"
    )
    texts = ("+4 cpu", "+1 gpu", "-1 cpu", "down n[1-2],g1")
    asked = [*((text, nodes_question(w, text)) for text in texts), ("limit", limit_question(w, "gpu 5min"))]
    answers = what_if(w, asked, [EASY])
    wait = {row["scenario"]: row["wait_mean_s"] * row["jobs"] for row in answer_rows(answers)}
    change = {row["scenario"]: row["wait_mean_s_change"] for row in answer_rows(answers)}
    # today jobs 3, 4 and 5 wait 99, 98 and 147 s: job 5 needs all nodes, and job 3 has them before
    assert wait["now"] == pytest.approx(99 + 98 + 147)
    assert wait["+4 cpu"] == pytest.approx(98 + 48)  # job 3 starts at once, and job 5 when it ends
    assert wait["+1 gpu"] == pytest.approx(99 + 147)
    assert wait["-1 cpu"] == pytest.approx(0 + 98)  # jobs 1 and 5 need four nodes
    assert change["-1 cpu"] == pytest.approx((98 - (99 + 98)) / 3)
    assert wait["down n[1-2],g1"] == 0
    assert wait["limit"] == pytest.approx(99 + 147)  # job 4 asks for nine minutes
    busy = {row["scenario"]: row["UTIL"] for row in answer_rows(answers)}
    assert busy["down n[1-2],g1"] == pytest.approx(100 * 4 / 8)  # job 3 alone, on 4 of the 8 CPUs that are there
    assert [len(texts) for texts in answers.dropped.values()] == [0, 0, 1, 2, 1]
    assert worth_sentences(answers)[-1] == (
        "On these jobs +1 gpu is worth most: 0.03 hours of waiting saved a node, against 0.01 hours of waiting saved "
        "with +4 cpu; of others nothing is known."
    )


def test_changes_are_paired_over_the_same_draws() -> None:
    w = ps.lublin(1500, 64, seed=4)
    asked = [("+8", nodes_question(w, "+8")), ("load 1.2", more_load(1.2)), ("2 x2", group_question(w, "2 x2"))]
    answers = what_if(w, asked, [EASY], draws=3, seed=7)
    assert (answers.seeds, answers.reason) == ([7, 8, 9], "")
    bases = [resample(w, seed, load=1.0) for seed in (7, 8, 9)]
    others = {
        "+8": [base.with_(capacity=72) for base in bases],
        "load 1.2": [resample(w, seed, load=1.2) for seed in (7, 8, 9)],
        "2 x2": [resample(w, seed, load=1.0, group_work={"2": 2}) for seed in (7, 8, 9)],
    }
    before = np.array([ps.simulate(base, "easy").wait.mean() for base in bases])
    of_all = {row["scenario"]: row for row in answer_rows(answers) if row["group"] == "all jobs"}
    assert of_all["now"]["wait_mean_s"] == pytest.approx(before.mean())
    for label, changed in others.items():
        after = np.array([ps.simulate(each, "easy").wait.mean() for each in changed])
        row = of_all[label]
        assert row["wait_mean_s_change"] == pytest.approx((after - before).mean())
        assert (row["wait_mean_s_low"], row["wait_mean_s_high"]) == pytest.approx(paired_interval(after - before))
    loads = [np.mean([offered_load(each) for each in some]) for some in (bases, others["load 1.2"])]
    assert f"offered load {loads[1]:.2f} in place of {loads[0]:.2f}" in gain_sentences(answers)[1]
    totals = [
        (ps.simulate(base, "easy").wait.sum() - ps.simulate(more, "easy").wait.sum()) / 3600
        for base, more in zip(bases, others["+8"], strict=True)
    ]
    assert worth_rows(answers)[0]["saved_h"] == pytest.approx(np.mean(totals))
    assert ONE_WORKLOAD not in answer_text(answers)
    again = what_if(w, asked, [EASY], draws=3, seed=7)
    assert answer_rows(again) == answer_rows(answers)
    drawn = facts(answers)["draws"][0]
    assert np.array(drawn["wait_mean_s"]["now"]).shape == (3, 1 + len(w.groups))


def test_two_purchases_are_told_apart_only_where_their_interval_allows() -> None:
    w = ps.lublin(1500, 64, seed=4)
    asked = [(text, nodes_question(w, text)) for text in ("+16", "+1")]
    lines = worth_sentences(what_if(w, asked, [EASY], draws=3))
    assert len(lines) == 3
    assert lines[-1].startswith("Worth most is +")
    assert "; the difference is in " in lines[-1]


def test_waits_that_grow_are_not_said_to_be_saved() -> None:
    def answers(labels: list[str], saved: list[list[float]]) -> WhatIf:
        """Of 2 nodes each, under which 10 jobs wait so many hours less in three draws."""

        def waits_of(hours: float) -> Waits:
            each = np.array([hours * 3600 / 10])
            return Waits(np.array([10]), each, each, each, each, each, each)

        none = np.zeros(3)
        zero = [waits_of(0)] * 3
        cases = [Case("now", "EASY", zero, zero, none, none, none, none, none)]
        for label, hours in zip(labels, saved, strict=True):
            then = [waits_of(-each) for each in hours]
            cases.append(Case(label, "EASY", zero, then, none, none, none, none, none))
        asked = [(label, Question("", more=2, word=label)) for label in labels]
        w = THREE.with_(submit=[0, 0, 7200])
        return WhatIf(w, asked, cases, [1, 2, 3], "", {label: [] for label in labels}, {})

    worse = answers(["+2 a", "+2 b"], [[-20.0, -22.0, -24.0], [-4.0, -4.0, -4.0]])
    lines = worth_sentences(worse)
    assert lines[0] == (
        "+2 b: 4.0 hours more of waiting of all jobs together (4.0 to 4.0) in 2 h; that is 2.00 hours more a processor."
    )
    assert lines[1].startswith("+2 a: 22.0 hours more of waiting of all jobs together (17.0 to 27.0) in 2 h; that is ")
    assert lines[2].startswith(
        "Least bad is +2 b: 2.00 hours more of waiting a processor, against 11.00 hours more of waiting with +2 a; the "
        "difference is in "
    )
    better = answers(["+2 a"], [[20.0, 22.0, 24.0]])
    assert worth_sentences(better) == [
        "+2 a: 22.0 hours of waiting of all jobs together saved (17.0 to 27.0) in 2 h; that is 11.00 hours saved a "
        "processor."
    ]


def test_what_cannot_be_answered_is_refused() -> None:
    w = ps.lublin(300, 64, seed=4)
    more = [("+8", Question("", more=8, word="cpu"))]
    for arguments, words in (
        ((THREE, [("load 2", more_load(2.0))], [EASY]), "load 2: needs a log that can be put together again, but its"),
        ((w, more, [EASY, as_policy("recorded")]), "schedules no other ones"),
        ((THREE, [("limit 1s", Question("", longest=1))], [EASY]), "limit 1s: none of 3 jobs can run"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            what_if(*arguments)


def test_users_react_to_what_changes_and_not_to_what_stays() -> None:
    # user 1 submits a second job 4 s after the first one has ended, at 10 + 5 s; with eight processors that is sooner
    w = ps.Workload(submit=[0, 1, 19], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 4], capacity=4, user=[2, 1, 1])
    asked = [("+4", Question("4 more processors", more=4))]
    still, react = (what_if(w, asked, [as_policy("easy")], users=users) for users in ("recorded", "react"))
    assert [row["wait_mean_s"] for row in answer_rows(still)] == [3.0, 0.0]
    assert answer_rows(react)[0]["wait_mean_s"] == 3.0  # today's policy has today's submissions
    waited = ps.simulate(w, "easy").wait
    came = ps.simulate(w.with_(capacity=8, wait=waited), "easy", users="react").workload.submit
    assert came.tolist() == [0, 1, 10]  # 4 s after 1 + 5
    assert ["Users react" in answer_text(each) for each in (still, react)] == [False, True]
    assert [facts(each)["users"] for each in (still, react)] == ["recorded", "react"]
    with pytest.raises(InputError, match="users must be one of recorded, react"):
        what_if(w, asked, [as_policy("easy")], users="never")


def test_users_of_a_log_put_together_again_are_used_to_what_they_wait_in_the_log() -> None:
    w, question = of_weeks(3), more_load(1.3)
    react = what_if(w, [("1.3", question)], [EASY], draws=1, seed=4, users="react")
    waited = ps.simulate(w, "easy").wait
    for each, asked in zip(react.cases, (None, question), strict=True):
        drawn, rows = drawn_workload(w, asked, 4)
        assert (w.run[rows] == drawn.run).all()
        schedule = ps.simulate(drawn.with_(wait=waited[rows]), "easy", users="react")
        assert each.after[0].mean[0] == pytest.approx(schedule.wait.mean())
    assert react.cases[1].after[0].mean[0] != pytest.approx(ps.simulate(drawn, "easy").wait.mean())


def test_what_makes_waits_longer_saves_nothing() -> None:
    w = ps.Workload(submit=[0, 1, 2], run=[7200, 5, 3], estimate=[7200, 5, 3], width=[3, 4, 1], capacity=4)
    answers = what_if(w, [("+4", Question("4 more processors", more=4, word="cpu"))], [EASY])
    turned = [case._replace(before=case.after, after=case.before) for case in answers.cases]
    (saved,), (more,) = worth_sentences(answers), worth_sentences(replace(answers, cases=turned))
    assert saved.startswith(
        "+4: 2.0 hours of waiting of all jobs together saved in 2 s; that is 0.50 hours saved a pro"
    )
    assert more.startswith("+4: 2.0 hours more of waiting of all jobs together in 2 s; that is 0.50 hours more a pro")
