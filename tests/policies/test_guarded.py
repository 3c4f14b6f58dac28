"""Guarded orders: their words, files, errors, and a schedule by hand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.policies.explanation_words import grouping_words
from paretosched.policies.guarded import Guarded, guarded_text, read_guarded
from paretosched.policies.policy import as_policy, load_policy, save_policy
from paretosched.policies.policy_json import from_json, to_json
from paretosched.workload.group_rules import ConsumptionGroups
from support.simulating import briefly

P = Guarded(("vip", "two words"), 1.02, 1.5, 3600, 90, 2.5, "mine", {"by": "hand"})


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    save_policy(P, tmp_path / "p.json")
    assert to_json(load_policy(tmp_path / "p.json")) == to_json(P)
    short = from_json({"format": "paretosched policy 1", "rule": "guarded", "first": ["1"]})
    assert to_json(short) == to_json(Guarded(("1",)))


def test_words_in_a_file_may_have_lines_and_comments(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("# who comes first\nGuarded: 1,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.txt: guarded.*there must be a name"):
        load_policy(tmp_path / "p.txt")
    text = "# who comes first\nguarded: vip, 2  # in this order\neach: 1.1\n"
    (tmp_path / "p.txt").write_text(text, encoding="utf-8")
    assert to_json(load_policy(tmp_path / "p.txt")) == to_json(Guarded(("vip", "2"), each=1.1))


@briefly
@given(
    first=st.lists(st.sampled_from(["1", "vip", "two words", "a-b"]), min_size=1, unique=True),
    factors=st.tuples(st.floats(0.5, 100), st.floats(0.5, 100)),
    times=st.tuples(st.integers(60, 10**10), st.integers(1, 10**10)),
    step=st.floats(0, 1000),
)
def test_words_are_read_as_the_same_policy(
    first: list[str], factors: tuple[float, float], times: tuple[int, int], step: float
) -> None:
    policy = Guarded(tuple(first), *factors, *times, step)
    assert to_json(read_guarded(guarded_text(policy))) == to_json(policy)
    assert to_json(as_policy(guarded_text(policy))) == to_json(policy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("guarded", r'character 8, the end: there must be ":"'),
        ("guarded:", "there must be a name"),
        ("guarded: 1; each: 90min", "must be a number from 0.5 to 100 without a unit"),
        ("guarded: 1; each: 0.1", "must be a number from 0.5 to 100 without a unit"),
        ("guarded: 1; review: 1s", "must be a whole number of seconds from 60 to"),
        ("guarded: 1; review: 60 each: 2", "the unit of a time must be one of s, min, h, d"),
        ("guarded: 1; step: 2h", "must be a number from 0 to 1000 without a unit"),
        ("guarded: 1; guarded: 2", "must come once, but comes again"),
        ("guarded: 1; agein: 3h", "did you mean ageing"),
        ("guarded: 1, 1", "must come once, but comes again"),
        ("guarded: 1; overall: 1 2", 'there must be ";" or the end'),
    ],
)
def test_words_that_break_a_rule_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_policy(text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"first": ()}, "there must be a group that comes first"),
        ({"first": ("1", "1")}, "first must have different groups"),
        ({"each": 0.4}, r"each must be in 0\.5\.\.100, but is 0\.4"),
        ({"overall": float("nan")}, "overall"),
        ({"step": -1}, r"step must be in 0\.\.1000, but is -1"),
        ({"review": 59}, r"review must be in 60\.\."),
        ({"ageing": 0}, r"ageing must be in 1\.\."),
    ],
)
def test_values_that_break_a_rule_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Guarded(**({"first": ("1",)} | settings))  # type: ignore[arg-type]


# One processor; at 10 the job of group b overtakes that of group a if it comes first.
W = ps.Workload(
    submit=[0, 1, 2, 50, 51],
    run=[10, 10, 10, 30, 30],
    estimate=[10, 10, 10, 30, 30],
    width=[1] * 5,
    capacity=1,
    group=[0, 0, 1, 0, 1],
    groups=("a", "b"),
)


def test_a_group_comes_first() -> None:
    assert ps.simulate(W, "easy").start.tolist() == [0, 10, 20, 50, 80]
    assert ps.simulate(W, "guarded: b; overall: 100; each: 100").start.tolist() == [0, 20, 10, 50, 80]
    late = W.with_(submit=[0, 1, 2, 3, 4])
    assert ps.simulate(late, "easy").start.tolist() == [0, 10, 20, 30, 60]
    assert ps.simulate(late, Guarded(("b",), 100, 100)).start.tolist() == [0, 80, 40, 50, 10]  # large ones first


def test_a_group_that_does_worse_than_its_limit_comes_before_all_others() -> None:
    """At 60, group a has waited longer than under EASY, so that it overtakes the job of group b that came before."""
    jobs = ps.Workload(
        submit=[0, 1, 2, 45, 46],
        run=[20, 20, 20, 30, 30],
        estimate=[20, 20, 20, 30, 30],
        width=[1] * 5,
        capacity=1,
        group=[0, 0, 1, 1, 0],
        groups=("a", "b"),
    )
    assert ps.simulate(jobs, Guarded(("b",), 100, 100, review=60)).start.tolist() == [0, 40, 20, 60, 90]
    assert ps.simulate(jobs, Guarded(("b",), 100, 1.1, review=60)).start.tolist() == [0, 40, 20, 90, 60]


def test_without_any_of_its_groups_it_is_refused() -> None:
    with pytest.raises(InputError, match=r"Guarded vpi: .* has the groups vip, but none .*: vpi; did you mean vip"):
        ps.simulate(W.with_(group=[0] * 5, groups=("vip",)), Guarded(("vpi",)))


def test_no_job_runs_where_processors_are_down() -> None:
    """By hand: one processor, which is down in 5..9; the second job would run into it, the last is of group b."""
    jobs = ps.Workload([0, 1, 2], [5, 3, 3], [5, 3, 3], [1] * 3, capacity=1, group=[0, 0, 1], groups=("a", "b"))
    down = jobs.with_(down=ps.DownTimes([5], [9], [1]))
    assert ps.simulate(down, Guarded(("b",), 100, 100)).start.tolist() == [0, 12, 9]
    assert ps.simulate(jobs, Guarded(("b",), 100, 100)).start.tolist() == [0, 8, 5]


def test_true_run_times_may_be_known() -> None:
    assert ps.simulate(W, Guarded(("a",)), "exact").check()


def test_the_explanation_says_what_the_guard_does() -> None:
    words = " ".join(ps.explain("guarded: vip, 2; review: 4h").words())
    assert "group vip and group 2 first" in words
    assert "Every 4h the scheduler simulates EASY" in words
    assert "guarded: vip, 2; overall: 1; each: 1.25; review: 4h; ageing: 12h; step: 4" in words


def test_the_explanation_says_how_jobs_are_grouped() -> None:
    rule = ConsumptionGroups(("vip", "2"), (0.5,), 30, "2")
    assert grouping_words(rule)[0] in ps.explain(Guarded(("vip",), grouping=rule)).words()


def test_a_machine_of_one_node_is_a_pool() -> None:
    """EASY in the books simulates only jobs that are not settled, each of which must ask for what it asks for."""
    pool = ps.lublin(400, 64, seed=3)
    machine = ps.Machine((ps.NodeKind("n1", 64, 64_000),))
    requests = ps.Requests(tasks=pool.width, memory_per_node=[1] * len(pool))
    policy = Guarded(("1", "2"), 1.0, 1.1, review=3600)
    assert (
        ps.simulate(pool.with_(machine=machine, requests=requests), policy).start == ps.simulate(pool, policy).start
    ).all()
