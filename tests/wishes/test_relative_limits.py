"""Limits that are relative to a policy get their numbers from what it reaches on the same jobs."""

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.wishes.relative_limits import known_part, reference_values, resolve, resolved_on
from paretosched.wishes.wish import Limit, Wish, violation, wish_text
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.time_split import split

OBJECTIVES = objective_table(tuple("123"))
EASY = np.array([60.0, 300, 100, np.nan, 700])
WORKLOAD = ps.lublin(80, 32, 1)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("10*AWRT1", "10*AWRT1"),
        ("10*AWRT1, AWRT <= EASY", "10*AWRT1, AWRT <= 300"),
        ("10*AWRT1, others <= 2*EASY", "10*AWRT1, AWRT3 <= 1400"),
        ("10*AWRT1, others <= 2*EASY, all <= 500s", "10*AWRT1, all <= 500, AWRT3 <= 1400"),
        ("10*AWRT1, AWRT2 <= EASY", "10*AWRT1"),
        ("10*AWRT1, AWRT3 <= EASY, AWRT3 <= 690s", "10*AWRT1, AWRT3 <= 690"),
        ("all <= 2*EASY, AWRT1 >= EASY, UTIL >= 0.5*EASY", "UTIL >= 30, AWRT1 in 100..200, AWRT3 <= 1400"),
        ("AWRT1 <= fcfs", "AWRT1 <= 10s"),
    ],
)
def test_numbers_are_multiples_of_what_a_policy_reaches(words: str, numbers: str) -> None:
    references = {"easy": EASY, "fcfs": EASY / 10}
    wish = resolve(parse(words, OBJECTIVES), references)
    assert set(wish.limits) == set(parse(numbers, OBJECTIVES).limits)
    assert wish.weights == parse(numbers, OBJECTIVES).weights
    assert resolve(words, references) == wish


def test_what_has_no_number_is_refused() -> None:
    with pytest.raises(InputError, match=r"relative to FCFS, whose values on these jobs are not known"):
        resolve(parse("AWRT <= fcfs", OBJECTIVES), {"easy": EASY})
    with pytest.raises(InputError, match=r"limits for groups without jobs only, and no goal"):
        resolve(parse("AWRT2 <= EASY", OBJECTIVES), {"easy": EASY})
    with pytest.raises(InputError, match=r"uses AWRT9, but here are only UTIL, AWRT, AWRT1, AWRT2, AWRT3"):
        resolve(Wish(limits=[Limit("AWRT9", high=1, of="easy")]), {"easy": EASY})
    with pytest.raises(InputError, match=r"limits of AWRT must be a range from 0 on, but are 400..300"):
        resolve(parse("AWRT >= 400s, AWRT <= EASY", OBJECTIVES), {"easy": EASY})


def test_the_known_part_of_a_wish_leaves_other_policies_out() -> None:
    wish = parse("10*AWRT1, AWRT <= EASY, AWRT3 <= fcfs, AWRT1 <= 1h", OBJECTIVES)
    part = known_part(wish, {"easy": EASY})
    assert part is not None
    assert wish_text(part) == "10*AWRT1, AWRT1 <= 3600, AWRT <= 300"
    assert known_part(parse("AWRT <= EASY", OBJECTIVES), {}) is None


def test_a_policy_is_exactly_at_a_limit_relative_to_itself_on_any_part_of_a_log() -> None:
    wish = parse("AWRT1, all <= EASY, AWRT <= EASY, UTIL >= EASY", objective_table(WORKLOAD))
    for part in (WORKLOAD, *split(WORKLOAD, 0.6)):
        values = objectives(simulate(part, "easy"))
        here = resolved_on(wish, part)
        assert violation(here, [values])[0] == 0
        assert violation(here, [values * np.where(np.arange(values.size) == 1, 1 + 1e-9, 1)])[0] > 0
    first, rest = (resolved_on(wish, part).limits for part in split(WORKLOAD, 0.6))
    assert first != rest


def test_references_are_simulated_once_and_only_if_they_are_needed() -> None:
    wish = parse("AWRT1, AWRT <= EASY, AWRT2 <= 2*fcfs", objective_table(WORKLOAD))
    values = reference_values(wish, WORKLOAD, {"easy": EASY, "list": EASY})
    assert values.keys() == {"easy", "fcfs"}
    assert values["easy"] is EASY
    assert values["fcfs"].tolist() == objectives(simulate(WORKLOAD, "fcfs")).tolist()
    assert reference_values("AWRT1", WORKLOAD) == {}
    with pytest.raises(InputError, match=r"no job has a recorded wait"):
        resolved_on(parse("AWRT <= recorded", objective_table(WORKLOAD)), WORKLOAD)
