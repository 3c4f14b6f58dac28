"""Training of orders: reproducible, continued after a death, and never worse than what was known before."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.encodings.trained_order import (
    BY_SITUATION,
    ENTITLED,
    LONGEST,
    OWN_BACKFILLING,
    POLICY,
    RESERVATIONS,
    WINDOW,
    TrainedOrders,
)
from paretosched.policies.policy import as_policy
from paretosched.policies.policy_json import from_json, to_json
from paretosched.simulation.objective import objective_table, objectives_of
from paretosched.training import priority_training
from paretosched.training.priority_training import (
    CANDIDATES,
    FINALISTS,
    first_genomes,
    further_policies,
    important_groups,
    known_policies,
    search_orders,
    train_priority,
)
from paretosched.training.training import Training
from paretosched.wishes.wish_grammar import parse
from support.commands import succeed
from support.exploring import interrupt_if, random_workload
from support.trainings import archive, training_json

W = random_workload()
WISH = parse("10*AWRT1 + 4*AWRT2", objective_table(W.groups))
GROUPS = W.groups
FAVOURED = important_groups(WISH, GROUPS)
FIRST = (*FAVOURED, *(g for g in GROUPS if g not in FAVOURED)), len(FAVOURED)
KNOWN, FURTHER = known_policies(*FIRST), further_policies(*FIRST)
SHORT: dict[str, Any] = {"evaluations": 200, "seed": 4}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Training]:
    """A training that nothing disturbed."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    return directory, train_priority(W, WISH, run_directory=directory, **SHORT)


@pytest.mark.slow
def test_the_result_is_not_worse_than_any_known_policy_and_reaches_what_it_says(whole: tuple[Path, Training]) -> None:
    training = whole[1]
    best = training.systems[training.best]
    assert training.evaluations == SHORT["evaluations"] + len(FURTHER)
    for words in KNOWN + FURTHER:
        values = objectives_of(W, as_policy(words).outcome(W))
        assert best.objective <= 10 * values[2] + 4 * values[3], words
    read = from_json(to_json(best.policy))
    assert objectives_of(W, read.outcome(W)).tolist() == best.values[0].tolist()


@pytest.mark.slow
def test_workers_and_interruptions_change_nothing(whole: tuple[Path, Training], tmp_path: Path) -> None:
    directory, training = whole

    stop = interrupt_if(lambda progress: progress.evaluations > 80)
    with pytest.raises(KeyboardInterrupt):
        train_priority(W, WISH, run_directory=tmp_path / "run", progress=stop, **SHORT)
    assert 80 < len(archive(tmp_path / "run")) < SHORT["evaluations"]
    again = train_priority(W, WISH, run_directory=tmp_path / "run", workers=1, **(SHORT | {"evaluations": None}))
    assert archive(tmp_path / "run") == archive(directory)
    assert training_json(again) == training_json(training)


@pytest.mark.slow
def test_a_margin_is_chosen_by_genomes_that_were_tried_on_all_jobs() -> None:
    from support.trainings import of_weeks

    limits = parse("10*AWRT1 + 4*AWRT2, AWRT <= 1.1*EASY", objective_table(GROUPS))
    training = train_priority(of_weeks(), limits, margin="auto", evaluations=120)
    assert training.margin in [row["margin"] for row in training.margins]


def test_the_search_tries_known_policies_then_formulas_then_races() -> None:
    encoding = TrainedOrders(GROUPS, KNOWN)
    searching = search_orders(encoding, GROUPS, len(FAVOURED), 500, seed=1)
    starts = next(searching)
    assert starts[:, POLICY].tolist() == list(range(1, len(KNOWN) + 1))
    first = searching.send(np.ones(len(starts)))
    assert np.array_equal(first, first_genomes(encoding, GROUPS, len(FAVOURED)))
    race = searching.send(np.arange(len(first), dtype=float))
    assert race[:, WINDOW].tolist() == [1] * CANDIDATES
    costs = np.random.default_rng(0).random(CANDIDATES)
    finalists = searching.send(costs)
    assert finalists[:, WINDOW].tolist() == [0] * FINALISTS
    assert np.array_equal(finalists[:, 1:], race[np.argsort(costs)[:FINALISTS], 1:])
    following = searching.send(np.ones(FINALISTS))
    assert following[:, WINDOW].tolist() == [2] * CANDIDATES


def test_everything_beside_the_order_is_searched_too() -> None:
    searching = search_orders(TrainedOrders(GROUPS, KNOWN), GROUPS, len(FAVOURED), 300, seed=1)
    next(searching)
    tried = searching.send(np.ones(len(KNOWN)))
    count, generator = len(KNOWN) + len(tried), np.random.default_rng(2)
    seen = [tried]
    while count < 300:
        tried = searching.send(generator.random(len(tried)))
        count += len(tried)
        seen.append(tried)
    genomes = np.concatenate(seen)
    for place in (RESERVATIONS, ENTITLED, LONGEST, BY_SITUATION, OWN_BACKFILLING):
        assert len(set(genomes[:, place].tolist())) > 1


def test_a_wish_without_groups_favours_none() -> None:
    wish = parse("AWRT", objective_table(GROUPS))
    assert important_groups(wish, GROUPS) == ()
    assert not any(words.startswith("priority:") for words in known_policies(GROUPS, 0) + further_policies(GROUPS, 0))
    assert len(first_genomes(TrainedOrders(GROUPS, ()), GROUPS, 0)) == 2


@pytest.mark.parametrize("evaluations", [0, -1, 1.5])
def test_a_number_of_evaluations_that_cannot_be_meant_is_refused(evaluations: float) -> None:
    with pytest.raises(InputError, match="evaluations must be"):
        train_priority(W, WISH, evaluations=evaluations)  # type: ignore[arg-type]


def test_so_few_evaluations_that_not_all_known_orders_are_tried_are_refused() -> None:
    with pytest.raises(InputError) as error:
        train_priority(W, WISH, evaluations=len(KNOWN) - 1)
    assert str(error.value) == (
        f"evaluations must be at least {len(KNOWN)}, so that all known orders are tried, but are {len(KNOWN) - 1}"
    )


@pytest.mark.slow
def test_as_many_evaluations_as_known_orders_are_enough() -> None:
    training = train_priority(W, WISH, evaluations=len(KNOWN))
    assert (training.evaluations, len(training.systems)) == (len(KNOWN) + len(FURTHER), 1)


def test_named_policies_are_all_orders_with_every_backfilling() -> None:
    orders = ("fcfs", "sjf", "saf", "lxf", "wfp3", "unicef", *(f"learned-f{i}" for i in range(1, 5)), "priority")
    orders += ("priority:1,2",)
    named = known_policies(("1", "2", "3"), 2) + further_policies(("1", "2", "3"), 2)
    assert len(set(named)) == len(named)
    expected = {f"{order}; backfill: {b}" for order in orders for b in ("none", "easy", "easy:8", "conservative")}
    expected |= {f"fcfs; backfill: easy; backfill-order: {order}" for order in ("sjf", "saf")}
    assert {*named} == expected | {"priority:1,2; backfill: easy:8 for 1,2", "list", "conservative"}


def test_it_is_said_how_many_policies_come_on_top() -> None:
    words = f"{len(further_policies(('1',), 0))} or {len(further_policies(GROUPS, 1))}"
    assert f"`further_policies`, {words}, come on top" in str(train_priority.__doc__)
    assert f"the {words} further named policies" in " ".join(succeed("train", "--help-all").out.split())


@pytest.mark.slow
def test_a_run_without_the_further_policies_is_continued_with_them(
    whole: tuple[Path, Training], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(priority_training, "further_policies", lambda *_: ())
        before = train_priority(W, WISH, run_directory=tmp_path / "run", **SHORT)
    earlier = archive(tmp_path / "run")
    assert before.evaluations == len(earlier) == SHORT["evaluations"]
    again = train_priority(W, WISH, run_directory=tmp_path / "run", **SHORT)
    assert archive(tmp_path / "run") == archive(whole[0])
    assert archive(tmp_path / "run")[: len(earlier)] == earlier
    assert training_json(again) == training_json(whole[1])
