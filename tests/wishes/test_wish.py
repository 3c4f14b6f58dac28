"""What an owner wants: in words, in files, and as an order of schedules."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.front import Front, Origin, front_of
from paretosched.simulation.objective import objective_table
from paretosched.wishes.nearness import fitness, nearest
from paretosched.wishes.wish import Limit, Wish, goal, spelled_out, violation, wish_text
from paretosched.wishes.wish_files import as_wish, from_json, to_json
from paretosched.wishes.wish_grammar import names_in_words, parse
from paretosched.workload.workload import Measured

GROUPS = tuple("12345")
OBJECTIVES = objective_table(GROUPS)
NAMED = objective_table(("vip", "physics", "deep learning", "VIP", "UTIL"))
NAMES = [o.name for o in OBJECTIVES]
NUMBERS = st.floats(1e-6, 1e6) | st.integers(1, 10**6).map(float)


def front(values: list[list[float]]) -> Front:
    groups = tuple(str(i + 1) for i in range(len(values[0]) - 2))
    genomes = np.ones((len(values), len(Weighting().gene_labels(len(groups)))))
    return front_of(np.array(values, dtype=np.float64), genomes, Origin("run", "nsga2", 0, 4, Weighting()), groups)


@st.composite
def wishes(draw: st.DrawFn) -> Wish:
    def some(least: int) -> list[str]:
        return draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=least, max_size=4))

    kind = draw(st.sampled_from(["sum", "near", "region"]))
    limits = []
    for name in some(1 if kind == "region" else 0):
        low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
        name, of = draw(st.sampled_from([(name, ""), (name, ""), (name, "easy"), ("all", ""), ("all", "recorded")]))
        limits.append(Limit(name, *draw(st.sampled_from([(0.0, high), (low, math.inf), (low, high)])), of))
    limits = list({(limit.objective, limit.of): limit for limit in limits}.values())
    numbers = [(name, draw(NUMBERS)) for name in (some(1) if kind != "region" else [])]
    if kind == "near":
        return Wish(near=numbers, limits=limits)
    return Wish(weights=[(name, -x if name == "UTIL" else x) for name, x in numbers], limits=limits)


# --- in words -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(wishes())
def test_words_and_files_say_all_of_a_wish(wish: Wish) -> None:
    assert parse(wish_text(wish), OBJECTIVES) == wish
    assert parse(wish_text(wish, hours=True), OBJECTIVES) == wish
    assert from_json(json.loads(json.dumps(to_json(wish), allow_nan=False))) == wish


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("10*AWRT1 + 4*AWRT2", Wish(weights=[("AWRT1", 10), ("AWRT2", 4)])),
        ("  10 awrt1+4AWRT2 ", Wish(weights=[("AWRT1", 10), ("AWRT2", 4)])),
        ("+AWRT", Wish(weights=[("AWRT", 1)])),
        ("-UTIL", Wish(weights=[("UTIL", -1)])),
        ("AWRT1 - 5e2*UTIL", Wish(weights=[("AWRT1", 1), ("UTIL", -500)])),
        ("-0.5 UTIL + AWRT5", Wish(weights=[("UTIL", -0.5), ("AWRT5", 1)])),
        ("AWRT1, AWRT5 <= 11h", Wish(weights=[("AWRT1", 1)], limits=[Limit("AWRT5", high=39600)])),
        ("AWRT1 <= 2 d, UTIL >= 65%", Wish(limits=[Limit("AWRT1", high=172800), Limit("UTIL", 65)])),
        ("AWRT1 >= 30min, AWRT1 <= 90 s", None),
        ("AWRT1 <= 2h, AWRT1 >= 30min", Wish(limits=[Limit("AWRT1", 1800, 7200)])),
        ("AWRT1 in 45000..52000", Wish(limits=[Limit("AWRT1", 45000, 52000)])),
        ("AWRT1 IN 12 .. 14h", Wish(limits=[Limit("AWRT1", 43200, 50400)])),
        ("AWRT1 in 30 min..1h", Wish(limits=[Limit("AWRT1", 1800, 3600)])),
        ("AWRT1 in 10..1h", None),
        ("AWRT1 in 10s..1h", Wish(limits=[Limit("AWRT1", 10, 3600)])),
        ("near AWRT1=50000, UTIL = 67%", Wish(near=[("AWRT1", 50000), ("UTIL", 67)])),
        ("AWRT1 < 15h, UTIL > 50", Wish(limits=[Limit("AWRT1", high=54000), Limit("UTIL", 50)])),
        ("AWRT1 < 15 hours, AWRT2 <= 2 days", Wish(limits=[Limit("AWRT1", high=54000), Limit("AWRT2", high=172800)])),
        ("AWRT1 <= 40min, AWRT2 <= 59s", Wish(limits=[Limit("AWRT1", high=2400), Limit("AWRT2", high=59)])),
        (
            "10*AWRT1, others ≤ 1.02*EASY, AWRT <= easy",
            Wish(weights=[("AWRT1", 10)], limits=[Limit("others", high=1.02, of="easy"), Limit("AWRT", 0, 1, "easy")]),
        ),
        ("all <= recorded, ALL <= 11h", Wish(limits=[Limit("all", high=39600), Limit("all", high=1, of="recorded")])),
        (
            "AWRT1 >= .5*EASY, AWRT1 <= 1.1 'Conservative-Replan'".replace(".5", "0.5"),
            Wish(limits=[Limit("AWRT1", high=1.1, of="conservative-replan"), Limit("AWRT1", 0.5, of="easy")]),
        ),
        ("AWRT1 <= 1.1*conservative - replan", Wish(limits=[Limit("AWRT1", high=1.1, of="conservative-replan")])),
        ("AWRT1 >= 0.5*EASY, AWRT1 <= 2*EASY", Wish(limits=[Limit("AWRT1", 0.5, 2, "easy")])),
        (
            "near AWRT1=1h, AWRT2 <= 2h, AWRT3=3h",
            Wish(near=[("AWRT1", 3600), ("AWRT3", 10800)], limits=[Limit("AWRT2", high=7200)]),
        ),
    ],
)
def test_words_mean_what_they_say(words: str, wish: Wish | None) -> None:
    if wish is None:  # an empty range
        with pytest.raises(InputError, match=r"limits of AWRT1 must be a range"):
            parse(words, OBJECTIVES)
    else:
        assert parse(words, OBJECTIVES) == wish


@pytest.mark.parametrize(
    ("words", "character", "word", "rule"),
    [
        ("", 1, "the end", "one of UTIL, AWRT, AWRT1"),
        ("10*AWRT1 + 4*AWRTX, AWRT5 <= 40000", 14, '"AWRTX"', "one of UTIL, AWRT, AWRT1"),
        ("AWRT6", 1, '"AWRT6"', "one of UTIL"),
        ("10*", 4, "the end", "one of UTIL"),
        ("AWRT1 AWRT2", 7, '"AWRT2"', 'there must be "+", "-", "," or the end'),
        ("AWRT1 == 5", 7, '"="', 'there must be "+", "-"'),
        ("AWRT1 <= x", 10, '"x"', "a number"),
        ("AWRT1 <= 5 %", 12, '"%"', "the unit of AWRT1 must be one of s, min, h, d"),
        ("UTIL >= 5h", 10, '"h"', "the unit of UTIL must be one of %"),
        ("AWRT1 <= 5 weeks", 12, '"weeks"', '"," or the end'),
        ("AWRT1, AWRT2", 13, "the end", '"<=", ">=" or "in"'),
        ("AWRT1, AWRT2 = 5", 14, '"="', '"<=", ">=" or "in"'),
        ("near AWRT1", 11, "the end", '"="'),
        ("AWRT1, AWRT2 <= 0", 8, '"AWRT2"', "limits of AWRT2 must allow something above 0"),
        ("AWRT1, AWRT2 <= 1e300h", 8, '"AWRT2"', "limits of AWRT2 must be 1e+300 at most"),
        ("AWRT1, AWRT2 <= 1e7*EASY", 8, '"AWRT2"', "limits of AWRT2 must be 1e+06 times easy at most"),
        ("near AWRT1 = 1e300h", 14, '"1e300"', "1e+300 at most"),
        ("near AWRT1 = 0", 14, '"0"', "at least 1e-06"),
        ("near AWRT1 = 5h, AWRT1 = 6h", 18, '"AWRT1"', "once"),
        ("AWRT1 in 5h, 6h", 12, '","', '".."'),
        ("AWRT1 <= 5h, AWRT1 <= 6h", 14, '"AWRT1"', "limited twice"),
        ("AWRT1 in 5..6h, AWRT1 >= 5h", 17, '"AWRT1"', "limited twice"),
        ("AWRT1 + 2*AWRT1", 11, '"AWRT1"', "once"),
        ("AWRT1 + 5*UTIL", 9, '"5"', "UTIL needs a minus, because more of it is better"),
        ("AWRT1 - AWRT2", 9, '"AWRT2"', "AWRT2 needs a plus, because less of it is better"),
        ("0*AWRT1", 1, '"0"', "weights must be in"),
        ("1e999*AWRT1", 1, '"1e999"', "too large"),
        ("1e-400*AWRT1", 1, '"1e-400"', "too small"),
        ("AWRT1 >= 0", 1, '"AWRT1"', "exclude something"),
        ("AWRT1; import os", 6, '";"', "no meaning"),
        ("__import__('os')", 1, '"_"', "no meaning"),
        ("٣*AWRT1", 1, '"٣"', "no meaning"),
    ],
)
def test_errors_point_at_the_character(words: str, character: int, word: str, rule: str) -> None:
    with pytest.raises(InputError) as error:
        parse(words, OBJECTIVES)
    message = str(error.value)
    assert message.startswith(f"wish, character {character}, {word}: ")
    assert rule in message


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("10*vip + 4*Physics, others <= 1.02*EASY", "10*AWRT1 + 4*AWRT2, others <= 1.02*EASY"),
        ("VIP + 'deep learning'", "AWRT4 + AWRT3"),
        ('"UTIL" - UTIL', None),
        ("AWRT1, 'UTIL' <= 2h", "AWRT1, AWRT5 <= 7200"),
        ('near physics = 1h, "vip" = 2h', "near AWRT2 = 3600, AWRT1 = 7200"),
    ],
)
def test_names_of_groups_stand_for_their_response_times(words: str, meaning: str | None) -> None:
    if meaning is None:  # without quotes it could be both
        with pytest.raises(InputError, match=r'character 10, "UTIL": means AWRT5 and UTIL; write one of them'):
            parse(words, NAMED)
    else:
        assert parse(words, NAMED) == parse(meaning, NAMED)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("AWRT1 <= 15", 'character 10, "15": is 15 s; did you mean 15h? Write 15s for seconds'),
        ("near vip = 2.5", 'character 12, "2.5": is 2.5 s; did you mean 2.5h?'),
        ("others < 15", 'character 10, "15": is 15 s'),
        ("AWRT1 in 10..90", 'character 10, "10": is 10 s'),
        ("Vip", 'character 1, "Vip": means AWRT1 and AWRT4; write one of them, or a group\'s exact name in quotes'),
        ("vi", "did you mean VIP?"),
        ("AWRT1 <= 1,02*EASY, AWRT <= EASY", 'character 10, "1,02": a number must have no comma; write 1.02*EASY'),
        ("1,5*AWRT1", 'character 1, "1,5": a number must have no comma; write 1.5*AWRT1'),
        ("AWRT1 <= 50,000", "a number must have no comma; write 50000 or 50.000"),
        ("AWRT1 <= 105% EASY", 'character 13, "%": a share of a policy is a factor; write 1.05*EASY'),
        ("AWRT1 <= EASY + 5%", 'character 15, "+": there must be "," or the end; a limit is a number or a multiple of'),
        ("AWRT1 = 15h", 'there must be "+", "-", "," or the end; a limit has "<=" or ">="'),
        ("AWRT1; AWRT2 <= 15h", 'character 6, ";": has no meaning here; a comma must separate'),
        ("AWRT1 <= EASY, AWRT2", 'there must be "<=", ">=" or "in"; the goal comes first, as one sum'),
        ("minimize AWRT1", 'character 1, "minimize": a sum is minimised anyway; leave this word out'),
        ("AWRT1 <= EASY*1.02", 'character 14, "*": the factor must come first; write 1.02*EASY'),
        ("AWRT1 <= 1.02*eazy", 'character 15, "eazy": there must be a policy; policies are fcfs, list'),
        ("AWRT1 <= 1.02*", "character 15, the end: there must be a policy"),
        ("AWRT1 <= 0*EASY", 'character 10, "0": the factor of a policy must be above 0'),
        ("AWRT1 <= EAZY", 'character 10, "EAZY": there must be a number or a policy'),
        ("AWRT1 <= EASY, AWRT1 <= 2*EASY", 'character 16, "AWRT1": is limited twice'),
        ("AWRT1 <= 2h*EASY", 'character 12, "*": there must be "," or the end'),
        ("AWRT1 in 1*EASY..2*EASY", 'character 11, "*": there must be ".."'),
        ("rest <= 20h", ", others, all"),
        ('10*"AWRT1', "has no meaning here; a name must end with its quote"),
        ("others + AWRT1", 'character 1, "others": there must be one of UTIL'),
        ("meen wait", ", or a measure, such as p95 wait"),
        ("vip + physics + 'VIP' + 'UTIL' + 'deep learning', others <= EASY", 'all groups are in it; write "all"'),
        ("'vip", 'character 1, "\'": has no meaning'),
    ],
)
def test_what_owners_get_wrong_is_explained(words: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse(words, NAMED)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("words", "is_told"), [("10*vip", True), ("'big users'", True), ("10*", False), ("AWRT9", False), ("10*'7'", False)]
)
def test_where_groups_have_numbers_only_a_name_is_told_where_names_come_from(words: str, is_told: bool) -> None:
    with pytest.raises(InputError) as error:
        parse(words, objective_table(("1", "2")))
    assert (
        "; groups have names where a CSV file of users and groups gives them, see --groups" in str(error.value)
    ) is is_told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "deep learning <= 15h",
            'character 6, "learning": there must be .* or the end; write "deep learning" in quotes$',
        ),
        ("deep-learning", 'character 5, "-".*|.*deep learning\\? Write "deep learning" in quotes$'),
        ("10*phsics-hep", "did you mean physics-hep\\?$"),
        ("AWRT1 - x-y", 'character 9, "x": there must be one of [^;]*; for example: mean wait of vip, [^;]*$'),
        ("vip 'vip-guest'", 'character 5, "vip-guest": there must be [^;]* or the end$'),
    ],
)
def test_names_with_spaces_need_quotes(words: str, message: str) -> None:
    objectives = objective_table(("vip", "physics-hep", "deep learning", "deep", "vip-guest"))
    with pytest.raises(InputError, match=message):
        parse(words, objectives)
    assert parse("10*'physics-hep' + \"deep learning\"", objectives) == Wish([("AWRT2", 10), ("AWRT3", 1)])


ACCOUNTS = ("theo-chem", "3d.lab", "a", "b", "a-b", "all-staff", "2024", "u@h.org", "3d", "Deep Learning", "near", "7")


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("10*theo-chem", Wish([("AWRT1", 10)])),
        ("10 THEO-CHEM + 4*3d.lab, a-b <= 1.05*EASY",
         Wish([("AWRT1", 10), ("AWRT2", 4)], limits=[Limit("AWRT5", high=1.05, of="easy")])),
        ("theo-chem <= 5h, 3d.lab in 2h..4h", Wish(limits=[Limit("AWRT1", high=18000), Limit("AWRT2", 7200, 14400)])),
        ("near theo-chem = 12h, 3d = 3d", Wish(near=[("AWRT1", 43200), ("AWRT9", 259_200)])),  # days are days still
        ("a-b - 500*UTIL", Wish([("AWRT5", 1), ("UTIL", -500)])),
        ("theo-chem-500*UTIL", Wish([("AWRT1", 1), ("UTIL", -500)])),
        ("all-staff <= 2h", Wish(limits=[Limit("AWRT6", high=7200)])),
        ("u@h.org, all <= 60h", Wish([("AWRT8", 1)], limits=[Limit("all", high=216_000)])),
        ("10*'2024' + \"near\" + 'theo-chem'", Wish([("AWRT7", 10), ("AWRT11", 1), ("AWRT1", 1)])),
    ],
)  # fmt: skip
def test_names_of_accounts_are_read_as_they_are(words: str, wish: Wish) -> None:
    objectives = objective_table(ACCOUNTS)
    assert parse(words, objectives) == wish
    assert parse(wish_text(wish, names=names_in_words(objectives)), objectives) == wish


@pytest.mark.parametrize("words", ["a - b", "10*theo-chemx", "10*theo", "2024", "7", "10*u@h", "a <= 3d.lab"])
def test_what_is_no_name_of_an_account_is_refused(words: str) -> None:
    with pytest.raises(InputError):
        parse(words, objective_table(ACCOUNTS))


def test_a_wish_is_written_with_the_names_that_it_is_read_with() -> None:
    names = names_in_words(objective_table(ACCOUNTS))
    assert names == {
        f"AWRT{i}": name if name not in ("Deep Learning", "near") else f'"{name}"'
        for i, name in enumerate(ACCOUNTS, 1)
        if not name.isdigit()  # a number says less than AWRT7, which stands beside it
    }
    assert names_in_words(objective_table(("1", "2"))) == {}
    wish = Wish([("AWRT1", 10)], limits=[Limit("others", high=1.25, of="easy"), Limit("AWRT7", high=18000)])
    assert wish_text(wish, hours=True, names=names) == "10*theo-chem, AWRT7 <= 5h, others <= 1.25*EASY"


def test_a_name_with_a_quote_in_it_is_written_in_the_other_quotes() -> None:
    objectives = objective_table(('the "new" ones', "old"))
    with pytest.raises(InputError, match=r"write 'the \"new\" ones' in quotes$"):
        parse('the "new" ones', objectives)
    with pytest.raises(InputError, match=r"Write 'the \"new\" ones' in quotes$"):
        parse("'the new ones'", objectives)
    assert parse("'the \"new\" ones'", objectives) == Wish([("AWRT1", 1)])


def test_a_group_with_the_name_of_a_word_is_written_in_quotes() -> None:
    with pytest.raises(InputError, match=r'"all": means all groups .*; write it in quotes'):
        parse("all <= 2h", objective_table(("all", "others")))
    assert parse('"all" <= 2h', objective_table(("all", "others"))) == Wish(limits=[Limit("AWRT1", high=7200)])
    assert parse("all <= 2h", objective_table(("all",))) == Wish(limits=[Limit("all", high=7200)])


@pytest.mark.slow
@given(st.text(max_size=40) | st.text(alphabet="AWRTUILnear0123.,<=>+-*%hdms in\n\"'EASYothl", max_size=40))
def test_any_text_is_a_wish_or_an_input_error(words: str) -> None:
    try:
        wish = parse(words, OBJECTIVES)
    except InputError as error:
        result = str(error)
    else:
        result = "wish" if parse(wish_text(wish), OBJECTIVES) == wish else "another one"
    assert result.startswith("wish")
    assert "\n" not in result


def test_very_long_texts_are_refused() -> None:
    with pytest.raises(InputError, match="at most 2000 characters, but has 4000"):
        parse("AWRT" * 1000, OBJECTIVES)


# --- the value ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({}, "must have weights, a point or limits"),
        ({"weights": [("AWRT1", 1)], "near": [("AWRT1", 1)]}, "not both"),
        ({"weights": [("AWRT1", 1), ("AWRT1", 2)]}, "once"),
        ({"weights": [("AWRT0", 1)]}, "must be UTIL, AWRT, AWRT1, ..."),
        ({"weights": [("AWRT1", math.nan)]}, "weights must be in"),
        ({"near": [("UTIL", math.inf)]}, "at least"),
        ({"limits": [Limit("UTIL", 5, 4)]}, "range"),
        ({"limits": [Limit("UTIL", math.nan, 4)]}, "range"),
        ({"limits": [Limit("UTIL", math.inf, math.inf)]}, "range"),
        ({"limits": [Limit("UTIL")]}, "exclude something"),
        ({"limits": [("AWRT", 0, 1, "eazy")]}, "policy in limits of AWRT must be one of .*; did you mean easy"),
        ({"limits": [("AWRT", 0, 1, "easy"), ("AWRT", 0, 2, "easy")]}, "AWRT relative to easy must come once"),
        ({"limits": [("AWRT", 0)]}, "values of the type Limit"),
    ],
)
def test_a_wish_keeps_its_rules(fields: dict[str, list[tuple[str, float]]], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        Wish(**fields)  # type: ignore[arg-type]


# --- how near a schedule comes --------------------------------------------------------------------------------------


def test_a_sum_is_the_sum() -> None:
    values = np.array([[60.0, 5, 3, 7], [70.0, 6, 2, 9]])
    assert goal(parse("10*AWRT1 + 4*AWRT2", OBJECTIVES), values).tolist() == [58.0, 56.0]
    assert goal(parse("AWRT - 2*UTIL", OBJECTIVES), values).tolist() == [-115.0, -134.0]


def test_the_largest_shortfall_counts_and_then_the_sum() -> None:
    wish = parse("near AWRT1 = 100, AWRT2 = 200, UTIL = 50", OBJECTIVES)
    values = np.array(
        [[50.0, 0, 150, 200], [50.0, 0, 100, 300], [50.0, 0, 90, 300], [25.0, 0, 100, 200], [75, 0, 50, 100]]
    )
    goals = goal(wish, values)
    assert goals.round(9).tolist() == [0.50005, 0.50005, 0.50004, 0.50005, -0.50015]


def test_feasible_comes_before_infeasible_and_less_violation_first() -> None:
    wish = parse("AWRT1, AWRT2 <= 100, UTIL >= 50", OBJECTIVES)
    #         inside      inside, slower   just out        further         both exceeded
    values = [[50, 0, 9, 100], [60, 0, 1e15, 1], [60, 0, 1, 100.0000001], [60, 0, 1, 150], [25, 0, 1, 150]]
    assert violation(wish, values).round(6).tolist() == [0, 0, 0, 0.5, 1]
    assert np.argsort(fitness(wish, values)).tolist() == [0, 1, 2, 3, 4]
    assert fitness(wish, values)[:2].tolist() == [9.0, 1e15]


@given(wishes(), st.integers(0, 2**32 - 1))
def test_limits_always_come_first(wish: Wish, seed: int) -> None:
    limits = [limit for limit in wish.limits if not limit.of and limit.objective in NAMES]
    wish = Wish(wish.weights, wish.near, limits or [Limit("UTIL", 1)])
    values = 10.0 ** np.random.default_rng(seed).uniform(-3, 18, (30, 7))
    costs, excess = fitness(wish, values), violation(wish, values)
    assert np.isfinite(costs).all()
    inside = np.array(
        [all(low <= row[NAMES.index(name)] <= high for name, low, high, _ in wish.limits) for row in values]
    )
    assert (inside == (excess == 0)).all()
    assert costs[inside].tolist() == goal(wish, values)[inside].tolist()
    if inside.any() and not inside.all():
        assert costs[inside].max() < costs[~inside].min()
    order = np.argsort(excess[~inside])
    assert (np.diff(costs[~inside][order]) >= 0).all()


@pytest.mark.slow
@given(wishes(), st.integers(0, 2**32 - 1))
def test_what_is_better_in_everything_is_nearer(wish: Wish, seed: int) -> None:
    one = np.random.default_rng(seed).uniform(10, 100, 7)
    better = one / 2
    better[0] = one[0] * 2
    if wish.weights or wish.near:
        wish = Wish(wish.weights, wish.near)
        assert fitness(wish, [better])[0] < fitness(wish, [one])[0]


def test_undefined_and_missing_objectives_are_named() -> None:
    values = np.array([[60, 5, np.nan, 7]])
    assert goal(parse("AWRT2", OBJECTIVES), values).tolist() == [7.0]
    for words in ("AWRT2 + AWRT1", "near AWRT1 = 5s", "AWRT1 <= 5s"):
        with pytest.raises(InputError, match=r"uses AWRT1, which is undefined: its group has no jobs"):
            fitness(parse(words, OBJECTIVES), values)
    with pytest.raises(InputError, match=r"the wish AWRT5 uses AWRT5, but here are only UTIL, AWRT, AWRT1, AWRT2"):
        fitness(parse("AWRT5", OBJECTIVES), values)
    with pytest.raises(InputError, match=r"shape"):
        fitness(parse("AWRT5", OBJECTIVES), values[0])
    assert fitness(parse("AWRT2", OBJECTIVES), values[:0]).tolist() == []


def test_a_limit_for_several_groups_is_one_for_each_that_has_jobs() -> None:
    wish = parse("AWRT1 + AWRT, others <= 10s, all <= 20s, AWRT3 <= 9s", OBJECTIVES)
    values = np.array([[60, 5, 20, 10, 9, np.nan, 10], [60, 5, 40, 20, 18, np.nan, 10]])
    assert violation(wish, values).tolist() == [0, 3]
    by_group = spelled_out(wish, ["UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT3", "AWRT5"])
    assert wish_text(by_group) == "AWRT1 + AWRT, AWRT2 <= 10s, AWRT3 <= 9s, AWRT5 <= 10s, AWRT1 <= 20s"
    with pytest.raises(InputError, match=r"limits of AWRT2 must be a range"):
        violation(parse("AWRT1, AWRT2 >= 20s, others <= 10s", OBJECTIVES), values)


def test_relative_limits_are_not_evaluated_without_numbers() -> None:
    wish = parse("AWRT1, others <= 1.02*EASY, AWRT <= recorded", OBJECTIVES)
    with pytest.raises(InputError, match=r"limits relative to EASY, recorded: they need numbers"):
        violation(wish, [[60, 8, 7, 9, 1, 1, 1]])
    with pytest.raises(InputError, match=r"they need numbers"):
        fitness(wish, [[60, 8, 7, 9, 1, 1, 1]])
    assert goal(wish, [[60, 8, 7, 9, 1, np.nan, 1]]).tolist() == [7]


def test_the_rows_of_a_front_are_ranked() -> None:
    f = front([[60, 5, 3, 9], [60, 5, 5, 5], [60, 5, 9, 3]])
    for words, best in (
        ("10*AWRT1 + AWRT2", 3),
        ("AWRT1 + 10*AWRT2", 9),
        ("near AWRT1=4s, AWRT2=4s", 5),
        ("AWRT1 in 4..6s", 5),
    ):
        assert f.values[nearest(parse(words, objective_table(f.groups)), f)[0], 2] == best
    assert f.values[nearest(parse("AWRT1", OBJECTIVES), f), 2].tolist() == [3, 5, 9]


def test_others_are_not_the_group_of_the_goal_also_where_its_measure_is_known_already() -> None:
    for known in ((), ("mean wait of a",)):
        objectives = objective_table(("a", "b", "c"), measured=Measured(known))
        limits = parse("mean wait of a, mean wait of others <= 4h", objectives).limits
        assert [limit.objective for limit in limits] == ["mean wait of b", "mean wait of c"]


def test_others_are_no_group_of_which_a_measure_is_in_the_goal() -> None:
    groups = ("physics", "chemistry", "rest")
    objectives = objective_table(groups)
    named = [Limit(name, high=1.1, of="easy") for name in ("AWRT2", "AWRT3")]
    for words in ("mean wait of physics, others <= 1.1*EASY", "mean wait of physics, AWRT of others <= 1.1*EASY"):
        assert list(parse(words, objectives).limits) == named, words
    assert parse("physics, AWRT of others <= 1.1*EASY", objectives) == parse("physics, others <= 1.1*EASY", objectives)
    mixed = parse("AWRT1 + mean wait of rest, others <= 1.1*EASY, AWRT2 <= 1.05*EASY", objectives)
    assert list(mixed.limits) == [Limit("AWRT2", high=1.05, of="easy")]  # the tighter end of both
    assert parse("mean wait, others <= 1.1*EASY", objectives).limits[0].objective == "others"  # of no group
    with pytest.raises(InputError, match="all groups are in it"):
        parse("mean wait of physics + mean wait of rest + chemistry, others <= EASY", objectives)
    for words in ("physics + AWRT of others", "AWRT of others, AWRT <= EASY"):
        with pytest.raises(InputError, match="others are for limits"):
            parse(words, objectives)
    own = objective_table(("physics", "others"))
    assert parse("physics, AWRT of others <= 1.1*EASY", own).limits[0].objective == "AWRT2"


def test_a_wish_of_a_file_or_a_policy_has_the_same_others(tmp_path: Path) -> None:
    path = tmp_path / "wish.json"
    old = Wish([("mean wait of physics", 1)], limits=[Limit("others", high=1.1, of="easy")])
    path.write_text(json.dumps(to_json(old)))
    for what in (old, path):
        assert [limit.objective for limit in as_wish(what, ("bio", "physics")).limits] == ["AWRT1"]
    assert as_wish(old, ("1", "2")) == old  # of a machine without this group
