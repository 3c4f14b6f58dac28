"""What changes while the page is open: the work and its undo, the known schedules; it agrees with the commands."""

import errno
import json
import re
import threading
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretosched as ps
from paretosched.app import other_jobs
from paretosched.app.actions import ACTIONS
from paretosched.app.answering import answer_soon
from paretosched.app.cards import reply, share_of_easy
from paretosched.app.charts import mark_styles
from paretosched.app.contents import contents
from paretosched.app.csv_tables import comparison_rows, group_rows
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.locate_workload import finder
from paretosched.app.other_jobs import answer_to, limits_by_tenths, unseen_jobs, unseen_weeks
from paretosched.app.state import pick_at, schedule_name
from paretosched.app.state_view import view_of
from paretosched.app.tab_compare import schedules_to_compare
from paretosched.app.trainings import DONE, Training
from paretosched.app.waits_view import losses, table_parts
from paretosched.comparison.what_if import changed_workload
from paretosched.core.errors import InputError
from paretosched.deployment.steps import option_of_groups
from paretosched.encodings.rule_base import Situations
from paretosched.fronts.row_schedules import row_policy
from paretosched.policies.strategy_choice import partitions
from paretosched.wishes.navigation import way
from paretosched.wishes.relative_limits import resolve, resolved_on
from paretosched.wishes.wish import exceeded_limits, goal, violation, wish_text
from paretosched.workload.resampling import resample
from paretosched.workload.time_split import split
from support.commands import succeed
from support.limited_users import in_weeks
from support.page import FRONT, signed_in, wait_for_measures

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["AWRT1", "UTIL", "improve", "", "7"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["AWRT1", "UTIL", "row", "format"]), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = (
    "text", "limits", "name", "value", "classes", "row", "across", "up", "log", "fit", "generations", "number", "kind",
    "test", "evaluations",
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from([*ACTIONS, "undo", "back", "why", "train", "cancel", "resume", "open", "explore", "halt"]),
    st.dictionaries(st.sampled_from(KEYS), JSON),
)
def test_whatever_a_browser_says_is_done_or_refused(tmp_path_factory: Any, do: str, rest: dict[str, Any]) -> None:
    desk = Desk(FRONT, tmp_path_factory.mktemp("desk"))
    with suppress(InputError):
        desk.act({**rest, "do": do})
    view_of(desk.state, FRONT)
    assert Desk(FRONT, desk.folder).state == desk.state or do in ("knees", "compromise")


def test_work_is_saved_by_itself_and_undone(tmp_path: Path) -> None:
    desk = Desk(FRONT, tmp_path)
    for action in ({"do": "say", "text": "AWRT1"}, {"do": "pick", "row": 4}, {"do": "look", "log": False}):
        desk.act(action)
    assert Desk(FRONT, tmp_path).state == desk.state
    assert (desk.history.can_undo, desk.history.can_redo) == (True, False)
    desk.act({"do": "undo"})
    assert (desk.state.picks, desk.state.wish is None) == ((), False)
    desk.act({"do": "undo"})
    assert desk.state.wish is None
    desk.act({"do": "redo"})
    desk.act({"do": "redo"})
    desk.act({"do": "redo"})
    assert desk.state.picks == (pick_at(FRONT, 4, "A"),)
    assert Desk(FRONT, tmp_path).state.picks == (pick_at(FRONT, 4, "A"),)
    (tmp_path / "page.json").write_text("{")
    with pytest.raises(InputError, match=r"page\.json: .*move it away"):
        Desk(FRONT, tmp_path)


def test_marks_keep_their_looks_when_a_training_is_done(desk: Desk) -> None:
    before = mark_styles(desk.marks)
    assert before["ideal point"] not in [style for name, style in before.items() if name != "ideal point"]
    desk._trained_values[1] = FRONT.values[3]
    after_it = mark_styles(desk.marks)
    assert after_it.pop("trained 1") not in before.values()
    assert after_it == before
    figure = desk.plane("AWRT1", "AWRT2", True)
    looks = {trace["name"]: (trace["marker"]["color"], trace["marker"]["symbol"]) for trace in figure["data"]}
    assert looks == mark_styles(desk.marks)
    assert len(set(mark_styles(map(str, range(12))).values())) == 12


@pytest.mark.slow
def test_policies_of_ones_own_are_marks(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    rule = ps.greedy(["f1"] * 3, np.ones((3, 2 * len(front.groups) + 2)), groups=front.groups)
    spec = Situations(front.groups, front.groups, rule, partitions(len(front.groups)))
    rules = spec.policy_of(np.full(len(spec.gene_labels(len(front.groups))), 4.0), front.groups)
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front), [rule, rules])
    workload = ps.read_swf(house / "w.swf.gz")
    for policy in (rule, rules):
        assert desk.marks[policy.name].tolist() == ps.objectives(ps.simulate(workload, policy)).tolist()
    assert {"EASY", "FCFS", "CONS"} <= desk.marks.keys()


def test_limits_relative_to_a_policy_stay_relative_on_the_page(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    words = "10*AWRT1, others <= 1.5*EASY, AWRT <= FCFS"
    with pytest.raises(InputError, match=r"policies whose values the page knows \(none, until .* not to EASY, FCFS"):
        desk.act({"do": "say", "text": words})
    desk.simulate_known(finder(house / "run", front))
    with pytest.raises(InputError, match=r"knows \(EASY, FCFS, conservative\), but not to List"):
        desk.act({"do": "say", "text": "AWRT1 <= list"})
    desk.act({"do": "say", "text": words})
    assert wish_text(desk.state.wish) == words
    references = {name: desk.marks[mark] for name, mark in (("easy", "EASY"), ("fcfs", "FCFS"))}
    here = resolve(desk.state.wish, references)
    view = view_of(desk.state, front)
    assert view.among.tolist() == (violation(here, front.values) == 0).tolist()
    assert view.nearest[0] == ps.nearest(here, front)[0]
    limits = {"AWRT2": [None, float(references["easy"][3])]}
    desk.act({"do": "limit", "limits": limits})
    assert wish_text(desk.state.wish).endswith(
        "AWRT2 <= " + repr(limits["AWRT2"][1]) + ", others <= 1.5*EASY, AWRT <= FCFS"
    )
    again = Desk(front, tmp_path)  # the workload is not known yet
    assert (again.state.wish, again.state.uncounted_policies) == (desk.state.wish, ["easy", "fcfs"])
    assert view_of(again.state, front).left >= view_of(desk.state, front).left
    again.simulate_known(finder(house / "run", front))
    assert view_of(again.state, front).among.tolist() == view_of(desk.state, front).among.tolist()
    assert again.remark == ""


def test_a_wish_on_the_page_agrees_with_the_commands(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    easy = desk.marks["EASY"]
    words = f"10*AWRT1 + 4*AWRT2, AWRT3 <= {np.ceil(2 * easy[4] / 3600):g}h"
    assert desk.distance(0) == ""  # without a wish
    desk.act({"do": "say", "text": words})
    view = view_of(desk.state, front)
    wish = desk.state.wish
    assert wish_text(wish, hours=True) == words
    policies = ("--policy", "fcfs", "--policy", "conservative")
    rows = succeed(
        "compare", house / "w.swf.gz", "--front", house / "run", *policies, "--objective", words, "--json"
    ).json
    by_policy = {row["policy"]: row for row in rows}
    shares = {name: way(wish, easy, desk.marks[name], front) for name in ("FCFS", "CONS")}
    for name, share in shares.items():  # the command has a share only for schedules within the limits
        if by_policy[name]["exceeded"] == 0:
            assert by_policy[name]["share_of_way"] == pytest.approx(100 * share.share, rel=1e-12)
    assert any(by_policy[name]["exceeded"] == 0 for name in shares)
    best = goal(wish, front.values[[view.row]])  # of the schedule that the page shows
    assert [by_policy["nearest to the objective"]["objective"]] == best.tolist()
    sentence = desk.distance(view.row)
    assert sentence == by_policy["nearest to the objective"]["distance"]
    assert "(proved)" in sentence
    assert sentence in repr(contents(desk).pieces["chosen"])
    trained = Training(1, desk.state.wish, 5, DONE, 9, 9, np.empty((0, 7)), ps.as_policy("fcfs"), "")
    desk.known_trainings = [trained]
    assert desk.trained_distance(trained) == ""  # not measured yet
    desk._trained_values[1] = front.values[view.row]
    assert desk.trained_distance(trained) == sentence
    assert sentence in repr(contents(desk).pieces["trainings"])
    on_page = {row["schedule"]: row for row in comparison_rows(front, desk.marks, "EASY", {})}
    for name in ("FCFS", "CONS"):
        for o in front.objectives:
            assert on_page[name][f"{o.name}_vs_reference"] == by_policy[name][f"{o.name}_vs_easy"]
    simulation = succeed("simulate", house / "w.swf.gz", "--front", house / "run", "--row", view.row, "--json").json
    assert [simulation[o.name] for o in front.objectives] == front.values[view.row].tolist()


def test_axes_fit_what_remains_if_asked(tmp_path: Path) -> None:
    desk = Desk(FRONT, tmp_path)
    wide = desk.axes()[2], desk.plane("AWRT1", "AWRT2", True)["layout"]["xaxis"]["range"]
    limit = float(np.median(FRONT.values[:, 2]))
    desk.act({"do": "limit", "limits": {"AWRT1": [None, limit]}})
    assert (desk.axes()[2], desk.plane("AWRT1", "AWRT2", True)["layout"]["xaxis"]["range"]) == wide
    desk.act({"do": "look", "fit": True})
    assert desk.axes()[2]["low"] == pytest.approx(np.log10(FRONT.values[FRONT.values[:, 2] <= limit, 2].max() / 3600))
    assert desk.plane("AWRT1", "AWRT2", True)["layout"]["xaxis"]["range"][1] < wide[1][1]
    desk.act({"do": "limit", "limits": {"AWRT1": [None, 1.0]}})  # nothing remains
    assert desk.axes()[2] == wide[0]


def test_what_is_said_of_limits_of_other_jobs_and_of_groups(house: Path, tmp_path: Path) -> None:
    front, w = ps.load_front(house / "run"), ps.read_swf(house / "w.swf.gz")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    assert f"{len(w):,} jobs, submitted in 13 h, on {w.capacity:,} processors" in repr(contents(desk).pieces["facts"])
    desk.act({"do": "say", "text": "AWRT1, others <= 1.05*EASY"})
    easy = ps.objectives(ps.simulate(w, "easy"))
    row = view_of(desk.state, front).row
    names = [o.name for o in front.objectives]
    cells = repr(contents(desk).pieces["values"])
    for name in ("AWRT2", "AWRT3", "AWRT4", "AWRT5"):
        limit = 1.05 * easy[names.index(name)]
        if not np.isnan(limit):
            sign = "✓" if front.values[row, names.index(name)] <= limit else "✗"
            assert f"{sign} at most {limit / 3600:,.2f}" in cells
    assert "at most 5 % over EASY" not in repr(contents(desk).pieces["twice"])  # the wish has such limits already
    desk.act({"do": "say", "text": "AWRT1"})
    assert '"text": "AWRT1, others <= 1.05*EASY"' in repr(contents(desk).pieces["twice"]).replace("\\", "")

    # what if: the same limits, of EASY on the changed jobs; a trained scheduler is asked, too
    desk.act({"do": "say", "text": "AWRT1, others <= 1.05*EASY"})
    trained = Training(1, desk.state.wish, 5, DONE, 9, 9, np.empty((0, 7)), ps.as_policy("fcfs"), "")
    desk.known_trainings = [trained]
    desk._trained_values[1] = front.values[0]
    number = next(k for k, question in enumerate(desk.questions()) if question.more)
    told, limits = answer_to(desk, number, [row], [1])
    names = ["EASY", schedule_name(front, row), "trained 1"]
    assert [case.policy for case in told.cases] == 2 * names
    assert list(limits) == names
    changed = [changed_workload(w, desk.questions()[number], seed) for seed in told.seeds or [None]]
    wishes = [resolved_on(desk.state.wish, each) for each in changed]
    policies = ["easy", row_policy(front, row), trained.policy]
    for case, policy in zip(told.cases[3:], policies, strict=True):
        values = [np.array(ps.objectives(ps.simulate(each, policy))) for each in changed]
        assert np.array_equal(case.reached, values, equal_nan=True)
        over = [bool(exceeded_limits(*pair)) for pair in zip(wishes, values, strict=True)]
        assert ("kept there" in limits[case.policy]) == (not any(over))
        assert not any(over) or f"in {sum(over)} of {len(over)} draws" in limits[case.policy] or len(over) == 1
    assert {row["user"]: row["group"] for row in group_rows(w)} == dict(
        zip(w.user.tolist(), (w.groups[g] for g in w.group.tolist()), strict=True)
    )


def test_the_option_of_groups_is_that_of_how_the_groups_were_made(house: Path, tmp_path: Path) -> None:
    w = ps.read_swf(house / "w.swf.gz")
    policy = ps.as_policy("priority:1,2")
    assert option_of_groups(policy, w) == "--groups groups.csv"
    assert option_of_groups(ps.as_policy("sjf"), w) == ""
    listed = tmp_path / "groups.csv"
    listed.write_text("user,group\n" + "".join(f"{row['user']},{row['group']}\n" for row in group_rows(w)))
    again = ps.by_csv(w, listed)
    assert [again.groups[g] for g in again.group.tolist()] == [w.groups[g] for g in w.group.tolist()]


def test_an_error_in_a_wish_shows_one_that_is_right(desk: Desk) -> None:
    with pytest.raises(InputError, match=r"for example: (mean wait of 1, longest wait of others <= 4d); "):
        desk.act({"do": "say", "text": "serve group 1 better"})


def test_tenths_of_the_log_are_counted_as_by_hand(house: Path, tmp_path: Path) -> None:
    front, w = ps.load_front(house / "run"), ps.read_swf(house / "w.swf.gz")
    desk = Desk(front, tmp_path)
    assert limits_by_tenths(desk, 0) == ""
    desk.simulate_known(finder(house / "run", front))
    desk.act({"do": "say", "text": "AWRT1, AWRT5 <= 1.05*EASY"})
    row = view_of(desk.state, front).row
    policy = row_policy(front, row)
    assert policy is not None
    easy, other = (ps.simulate(w, p) for p in ("easy", policy))
    first, span = int(w.submit[0]), int(w.submit[-1] - w.submit[0]) + 1
    kept = []
    for tenth in range(10):
        inside = (w.submit >= first + span * tenth // 10) & (w.submit < first + span * (tenth + 1) // 10)
        work = (w.run * w.width)[inside & (w.group == 4)]
        if len(work) and (inside & (w.group == 0)).any():  # otherwise goal or limit is undefined there
            of_both = [
                ((s.finish - w.submit)[inside & (w.group == 4)] * work).sum() / work.sum() for s in (easy, other)
            ]
            kept.append(of_both[1] <= 1.05 * of_both[0])
    says = limits_by_tenths(desk, row)
    assert says.startswith(f"Its limits are kept in {sum(kept)} of {len(kept)} tenths of the log")
    assert says.endswith(".")


def test_weeks_that_a_training_has_not_seen_are_counted_as_by_hand(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    front, w = ps.load_front(house / "run"), ps.read_swf(house / "w.swf.gz")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    desk.act({"do": "say", "text": "AWRT, AWRT5 <= 1.05*EASY"})
    words = (desk.state.wish, 5, DONE, 9, 9, np.empty((0, 7)), ps.as_policy("sjf"), "")
    desk.known_trainings = [Training(1, *words, until=0.3), Training(2, *words)]
    assert unseen_weeks(desk, 2) == unseen_weeks(desk, 3) == ""  # nothing was kept to test it
    known = unseen_jobs(desk, 1)
    assert known is not None
    rest = known[1]
    assert rest.job.tolist() == split(w, 0.3)[1].job.tolist()
    for weeks, name in ((3, "tenths of the time"), (7, "weeks")):  # this log is shorter than a week
        monkeypatch.setattr(other_jobs, "weeks_of", lambda _, weeks=weeks: weeks)
        count = 10 if weeks < 4 else weeks
        easy, other = (ps.simulate(rest, policy) for policy in ("easy", "sjf"))
        first, span = int(rest.submit[0]), int(rest.submit[-1] - rest.submit[0]) + 1
        kept, better = [], []
        for k in range(count):
            inside = (rest.submit >= first + span * k // count) & (rest.submit < first + span * (k + 1) // count)
            of_easy, reached = (np.array(ps.objectives(s, inside)) for s in (easy, other))
            if (inside & (rest.group == 4)).any():  # otherwise there is no limit
                kept.append(reached[6] <= 1.05 * of_easy[6])
            if inside.any():
                better.append(reached[1] < of_easy[1])
        assert kept
        of = " of them" if len(better) == len(kept) else f" of {len(better)}"
        assert unseen_weeks(desk, 1) == (
            f"Of what it has not seen, the limits are kept in {sum(kept)} of {len(kept)} {name}, and the goal is "
            f"better than with EASY in {sum(better)}{of}."
        )
    desk.act({"do": "say", "text": "AWRT"})
    desk.known_trainings = [Training(1, desk.state.wish, *words[1:], until=0.3)]
    assert re.fullmatch(
        r"Of what it has not seen, the goal is better than with EASY in \d of 7 weeks\.", unseen_weeks(desk, 1)
    )


def test_policies_called_as_schedules_of_the_page_get_another_name(house: Path, tmp_path: Path) -> None:
    """A is the first schedule of the shortlist; a policy of this name must not hide behind it."""
    front = ps.load_front(house / "run")
    rule = ps.greedy(["f1"] * 3, np.ones((3, 2 * len(front.groups) + 2)), groups=front.groups)
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front), [replace(rule, name=name) for name in ("A", "trained 1", "AB")])
    assert desk.known_names[-3:] == ("policy A", "policy trained 1", "AB")
    desk.act({"do": "compare", "name": "policy A"})
    desk.act({"do": "pick", "row": 0})
    columns, reference = schedules_to_compare(desk)
    assert (list(columns), reference) == (["policy A", "EASY", "A"], "policy A")


def test_the_end_stops_the_exploration_even_if_the_disk_is_full(house: Path, tmp_path: Path) -> None:
    desk = Desk(ps.load_front(house / "run"), tmp_path, house / "run")
    ended: list[str] = []

    class Full:
        def close(self) -> None:
            raise InputError("queue.json: cannot write here: No space left on device")

    class Exploring:
        def close(self) -> None:
            ended.append("exploration")

    desk.trainings, desk.further = Full(), Exploring()  # type: ignore[assignment]
    with pytest.raises(InputError, match="No space left"):
        desk.close()
    assert ended == ["exploration"]


def test_what_cannot_be_saved_has_not_happened(house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(ps.load_front(house / "run"), tmp_path)
    desk.act({"do": "pick", "row": 0})
    state, revision = desk.state, desk.revision

    def full(*_: object) -> None:
        raise InputError("page.json: cannot write here: No space left on device")

    monkeypatch.setattr("paretosched.app.page_folder.save", full)
    with pytest.raises(InputError, match="No space left"):
        desk.act({"do": "pick", "row": 1})
    assert desk.state == state
    assert desk.revision > revision  # windows show it again


def test_a_disk_that_is_away_for_a_moment_is_a_remark(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(errno.EIO, "Input/output error", "trainings")

    before = desk.revision
    with monkeypatch.context() as patched:
        patched.setattr(desk.trainings, "read_all", fail)
        desk.look_after()
        desk.look_after()
    assert (desk.remark, desk.revision) == ("[Errno 5] Input/output error: 'trainings'", before + 1)
    desk.look_after()
    assert signed_in(desk).get("/pulse").status_code == 200


def test_a_group_that_the_wish_asks_for_and_harms_is_said_and_a_button_protects_it(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    easy = desk.comparison.beside_front[0]
    loss = 100 * (front.values / easy - 1)
    row = next(int(row) for row in np.argsort(loss[:, 2]) if loss[row, 2] < 0 and loss[row, 3] > 1)
    desk.act({"do": "say", "text": "1000*AWRT1 + AWRT2"})
    desk.act({"do": "choose", "row": row})
    assert desk.measure(row) is not None
    lost = losses(desk, row)
    assert [loss.group for loss in lost if "than with EASY" in loss.words] == [1]
    table = repr(table_parts(desk, row, True))
    assert all(loss.words in table for loss in lost)
    assert table.count("className='lost'") == len(lost)
    desk.act({"do": "pick", "row": row})
    assert all(f'<p class="harm">▼ {escape(loss.words)}</p>' in decision(desk) for loss in lost)
    protect = json.loads(re.search(r"data-do='(\{[^']*AWRT2 <= EASY[^']*\})'", table)[1])
    desk.act(protect)
    wait_for_measures(desk)
    assert wish_text(desk.state.wish).startswith("1000*AWRT1 + AWRT2, ")
    nearest = view_of(desk.state, desk.front).row
    assert front.values[nearest, 3] <= easy[3]
    table_parts(desk, nearest, True)
    assert losses(desk, nearest) == []
    desk.act({"do": "say", "text": "1000*AWRT1 + AWRT2, AWRT2 <= EASY"})

    # the table of `front --wish` is there, too
    asked = json.loads(contents(desk).scene["questions"]["answer"])
    told = repr(reply(desk, asked))
    line = succeed("front", house / "run", "--wish", "1000*AWRT1 + AWRT2, AWRT2 <= EASY").out
    cells = re.search(r"^AWRT2 .*$", line, re.MULTILINE)[0].split()
    assert re.search(".*?".join(f"Td\\(children='{re.escape(cell)}'" for cell in cells), told)
    assert "if the limits relative to EASY were looser by" in told


def test_of_a_log_of_less_than_two_weeks_no_other_load_is_asked(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    assert [question.is_of_users for question in desk.questions()] == [False, False]
    assert "cannot be put together again: it lasts" in repr(contents(desk).pieces["what-if"])


def test_what_if_is_compared_with_its_own_kind_in_several_draws(house: Path, tmp_path: Path) -> None:
    w = in_weeks(ps.read_swf(house / "w.swf.gz"), 3)
    front = ps.explore(w, evaluations=20, population=10)
    desk = Desk(front, tmp_path)
    desk.simulate_known(lambda: (w, []))
    assert desk.questions()[0].load == 1.1
    row = view_of(desk.state, front).row
    told, _ = answer_to(desk, 0, [row])
    drawn = [(resample(w, seed, load=1.0), resample(w, seed, load=1.1)) for seed in (1, 2, 3)]
    for case, policy in zip(told.cases[2:], ("easy", row_policy(front, row)), strict=True):
        assert [each.mean[0] for each in case.before] == [ps.waits(ps.simulate(a, "easy")).mean[0] for a, _ in drawn]
        assert [each.mean[0] for each in case.after] == [ps.waits(ps.simulate(b, policy)).mean[0] for _, b in drawn]


def test_an_answer_that_takes_long_says_how_far_it_is_and_is_kept(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    desk.simulate_known(finder(house / "run", front))
    asked = json.loads(contents(desk).scene["questions"]["what-if-0"])
    may_go_on, made = threading.Event(), []

    def make() -> list[Any]:
        made.append(True)
        ps.simulate(desk.workload, "easy")
        may_go_on.wait(60)
        return ["there"]

    for _ in range(2):  # asked again, it is not begun again
        words = repr(answer_soon(desk.answers, "key", 4, make))
        assert "0 of 4 schedules" in words or "1 of 4 schedules" in words
        assert "pending" in words
    may_go_on.set()
    desk.answers["key"].ended.wait(60)
    assert answer_soon(desk.answers, "key", 4, make) == ["there"]
    assert made == [True]
    for _ in range(100):
        parts = reply(desk, asked)
        if "pending" not in repr(parts):
            break
    assert "told-waits" in repr(parts)
    assert len(parts) <= 5  # at most four sentences, and the table


@pytest.mark.parametrize("do", ["say", "near", "weigh", "undo"])
def test_a_wish_of_another_window_is_not_replaced_by_one_who_has_not_seen_it(desk: Desk, do: str) -> None:
    one, other = {"window": "one", "turn": 1}, {"window": "other", "turn": 1}
    desk.act({"do": "say", "text": "AWRT3"})
    began = desk.revision  # the owner at the other window begins to type
    assert desk.act_once({"do": "say", "text": "AWRT1", "seen": desk.revision} | one) == ""
    action = {"do": do, "text": "AWRT2", "name": "AWRT2", "value": 40_000.0}
    refused = desk.act_once(action | {"seen": began} | other)
    assert refused.startswith("not sent: meanwhile another window has changed the wish, to AWRT1")
    assert wish_text(desk.state.wish) == "AWRT1"
    assert desk.act_once(action | {"seen": desk.revision} | other | {"turn": 2}) == ""
    assert wish_text(desk.state.wish) != "AWRT1"


def test_easy_stands_beside_the_record_and_its_share_of_the_gain_is_said(house: Path, tmp_path: Path) -> None:
    front, w = ps.load_front(house / "run"), ps.read_swf(house / "w.swf.gz")
    w = w.with_(wait=ps.simulate(w, "fcfs").start - w.eligible + 36_000)  # everything started ten hours later
    front = replace(front, digest=w.digest)
    desk = Desk(front, tmp_path)
    desk.simulate_known(lambda: (w, []))
    assert desk.today[0].startswith("recorded")
    row = view_of(desk.state, front).row
    columns, reference = schedules_to_compare(desk)
    assert (reference, list(columns)) == (desk.today[0], [desk.today[0], "EASY"])
    values = repr(contents(desk).pieces["values"])
    assert f"Small(' than {reference}')" in values
    assert "Small(' than EASY')" in values
    easy, recorded = (ps.objectives(ps.simulate(w, policy))[1] for policy in ("easy", "recorded"))
    share = 100 * (recorded - easy) / (recorded - front.values[row, 1])
    assert share > 50
    sentence = share_of_easy(desk, row)
    assert sentence.startswith("EASY alone, simulated, has ")
    assert sentence.endswith(f" and {'all' if share >= 100 else f'{share:.0f} %'} in AWRT.")
    assert sentence in repr(reply(desk, json.loads(contents(desk).scene["questions"]["card"])))
    assert sentence in decision(desk)
    desk.act({"do": "compare", "name": "EASY"})
    assert share_of_easy(desk, row) == ""
    assert list(schedules_to_compare(desk)[0]) == ["EASY"]
