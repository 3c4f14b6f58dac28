"""The encoding by job sequence: what it may be, its start orders, adaptation, and who descends from whom."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError, Workload, greedy, simulate
from paretosched.encodings.encoding import from_json, to_json
from paretosched.encodings.sequence import GENES, Sequences, ancestry, checked, gene_labels, movable_jobs, start_order
from paretosched.policies.plain import Plain
from paretosched.policies.policy_json import to_json as policy_json
from support.recipes import family
from support.zoo import HOUR, ZOO, constant, drawn, jobs

# two groups, widths 8 and 32, requests of 1 h and of a second more
FOUR = jobs(
    32, (0, 9, HOUR, 8, 0), (0, 9, HOUR + 1, 8, 1), (3, 9, HOUR, 32, 0), (5, 9, HOUR + 1, 32, 1), name="four jobs"
)


def test_a_recipe_has_six_genes() -> None:
    assert gene_labels() == ["number", "parent", "mate", "key", "frequency", "jump"] == list(GENES)


def test_the_encoding_survives_json() -> None:
    starts = ("submit", {"random": 2**53 - 1}, {"order": [1, 0]}, {"policy": policy_json(Plain("easy"))})
    spec = Sequences("earliest", starts, "group", "either", "cycle")
    assert from_json(json.loads(json.dumps(to_json(spec)))) == spec
    assert checked(spec, FOUR) == spec


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], r"an encoding must be one of weighting, orders, sequence, but is \[\]"),
        ({"encoding": "sequence", "moves": "swap"}, "sequence must have decoding, .*, but has moves$"),
        (to_json(Sequences()) | {"more": 1}, "but has decoding, starts, .*, more$"),
        (to_json(Sequences()) | {"moves": "jump"}, 'moves must be one of .*, but is "jump"'),
    ],
)
def test_json_of_something_else_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_json(value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decoding": "latest"}, 'decoding must be one of strict, earliest, but is "latest"'),
        ({"moves": "jump"}, "moves must be one of adjacent, swap, later, group, pull, fill, both, but"),
        ({"moves": ["swap"]}, "moves must be one of"),
        ({"movable": "wide"}, "movable must be one of all, processors, hour, either, both, but"),
        ({"recombination": None}, 'recombination must be one of none, ox, pmx, cycle, but is "None"'),
        ({"starts": ()}, "starts must have one start order or more"),
        ({"movable": "hour"}, 'movable "hour" is for the moves later and group, but the moves are "swap"'),
        ({"movable": "hour", "moves": "pull"}, 'but the moves are "pull"'),
        ({"moves": "fill", "decoding": "earliest"}, 'moves "fill" must be given with the decoding "strict": earliest'),
        ({"moves": "both", "decoding": "earliest"}, 'moves "both" must be given with the decoding "strict"'),
        ({"starts": ("submit", "random")}, 'a start must be "submit" or one of .* but is "random"'),
        ({"starts": (7,)}, 'a start must be .* but is "7"'),
        ({"starts": ({},)}, "a start must be"),
        ({"starts": ({"random": 1, "order": [0, 1]},)}, "a start must be"),
        ({"starts": ({"random": -1},)}, r'must be in 0\.\.2\^53 - 1, but is "-1"'),
        ({"starts": ({"random": 2**53},)}, r"must be in 0\.\.2\^53 - 1, but"),
        ({"starts": ({"random": 1.5},)}, r"must be in 0\.\.2\^53 - 1, but"),
        ({"starts": ({"random": True},)}, r"must be in 0\.\.2\^53 - 1, but"),
        ({"starts": ({"order": [0]},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"order": [0, 0.5]},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"order": "01"},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"order": 1},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"policy": "easy"},)}, "start: a policy file must be an object"),
        ({"starts": ({"policy": policy_json(Plain("easy")) | {"rule": "sjf"}},)}, "start: rule must be one of"),
        ({"starts": ({"policy": policy_json(Plain("recorded"))},)}, "no job has a recorded wait"),
        (
            {"starts": ({"policy": policy_json(greedy(["f1"] * 3, constant(1, 1, 1, 1, 1), groups="x"))},)},
            "is for the groups x, but four jobs has the groups 1, 2",
        ),
    ],
)
def test_what_cannot_be_an_encoding_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked(Sequences()._replace(**changes), FOUR)


def test_moves_that_could_move_nothing_are_refused() -> None:
    short = FOUR.with_(estimate=FOUR.run)
    with pytest.raises(InputError, match='moves "later" with movable "hour" need such jobs, but four jobs has none'):
        checked(Sequences(moves="later", movable="hour"), short)
    one_group = FOUR.with_(group=[1, 1, 1, 1])
    with pytest.raises(InputError, match="need movable jobs beside those of a group, but four jobs has none"):
        checked(Sequences(moves="group"), one_group)
    assert checked(Sequences(moves="group", movable="both"), FOUR).movable == "both"


@pytest.mark.parametrize(
    ("movable", "rows"),
    [("all", [0, 1, 2, 3]), ("processors", [2, 3]), ("hour", [1, 3]), ("either", [1, 2, 3]), ("both", [3])],
)
def test_big_jobs_have_32_processors_and_more_or_ask_for_more_than_an_hour(movable: str, rows: list[int]) -> None:
    assert np.flatnonzero(movable_jobs(FOUR, movable)).tolist() == rows


@pytest.mark.parametrize("name", ZOO)
def test_every_start_is_an_order_of_all_jobs(name: str) -> None:
    w = ZOO[name]
    ranks = [g % 3 for g in range(len(w.groups))]
    easy = policy_json(Plain("easy"))
    for start in ("submit", {"random": 5}, {"order": ranks}, {"policy": easy}):
        order = start_order(w, start)
        assert order.dtype == np.int32
        assert not order.flags.writeable
        assert sorted(order.tolist()) == list(range(len(w)))


def test_a_start_by_ranks_sorts_groups_and_keeps_submission_within_a_rank() -> None:
    w = drawn(1, 50, 8, gap=2, run=9, groups=4)
    assert start_order(w, {"order": [0, 0, 0, 0]}).tolist() == start_order(w, "submit").tolist() == list(range(50))
    expected = sorted(range(50), key=lambda j: ([7, -2, 7, 10**30][w.group[j]], j))
    assert start_order(w, {"order": [7, -2, 7, 10**30]}).tolist() == expected


def test_a_start_by_policy_is_the_order_in_which_jobs_start() -> None:
    for name in ("a queue of 150", "identical copies", "powers of two"):
        w = ZOO[name]
        policy = greedy(["f2"] * 3, constant(len(w.groups), 1, 0, 0, 1), groups=w.groups, backfill="easy")
        start = simulate(w, policy).start
        order = start_order(w, {"policy": policy_json(policy)}).tolist()
        assert order == sorted(range(len(w)), key=lambda j: (start[j], j))


def test_random_starts_differ_and_can_be_had_again() -> None:
    w = ZOO["a queue of 150"]
    one, same, other = (start_order(w, {"random": key}).tolist() for key in (1, 1, 2))
    assert one == same != other
    many = np.array([start_order(FOUR, {"random": key}) for key in range(6000)])
    counts = np.unique(many, axis=0, return_counts=True)[1]
    assert counts.size == 24
    assert 190 < counts.min() < counts.max() < 310  # 250 each, 4 standard deviations


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.0, 0.3, 1.0]), st.data())
def test_the_ancestry_is_the_closure_of_parents(seed: int, count: int, mates: float, data: Any) -> None:
    archive = family(seed, count, starts=min(3, count), mates=mates)
    chosen = data.draw(st.lists(st.integers(0, count - 1), max_size=5))
    stored = data.draw(st.integers(max(chosen, default=0), count))  # those chosen need not be in the archive yet
    expected: set[int] = set()
    ahead = [int(p) for i in chosen for p in archive[i, 1:3] if p >= 0]
    while ahead:
        number = ahead.pop()
        expected.add(number)
        ahead += [int(p) for p in archive[number, 1:3] if p >= 0]
    found = ancestry(archive[:stored], archive[chosen])
    assert found.tolist() == archive[sorted(expected)].tolist()


def test_a_part_of_an_archive_is_enough_if_it_has_the_ancestors() -> None:
    archive = family(3, 40, mates=0.5)
    rows = archive[[37, 39]]
    found = ancestry(archive, rows)
    assert 0 < len(found) < 38
    assert ancestry(found, rows).tolist() == found.tolist()


def test_rows_that_are_no_archive_are_refused() -> None:
    archive = family(1, 10, mates=0.0)
    with pytest.raises(InputError, match="recipes must be sorted by number"):
        ancestry(archive[::-1], archive[:1])
    late = archive.copy()
    late[6, 1] = 6
    with pytest.raises(
        InputError, match="a parent must be an earlier evaluation, but recipe 6 has the parents 6 and -1"
    ):
        ancestry(late, archive[:1])
    child = np.array([[30, 4, 12, 1, 1, 1.0]])
    with pytest.raises(InputError, match="must have its ancestors here, but recipe 30 has the parents 4 and 12"):
        ancestry(archive, child)
    assert ancestry(archive, archive[:0]).shape == (0, 6)
    assert ancestry(archive[:0], archive[:3]).shape == (0, 6)


def test_a_workload_of_one_job_has_starts() -> None:
    w: Workload = ZOO["one job"]
    assert start_order(w, {"random": 1}).tolist() == [0]
