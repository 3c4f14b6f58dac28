"""Policies in words: both ways, and faults with their places."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Backfill, InputError, Priority
from paretosched.kernels.formulas import MOST_DEEP
from paretosched.policies.formula import Formula, depth, written_formula
from paretosched.policies.plain import Plain
from paretosched.policies.policy_json import from_json, to_json
from paretosched.policies.priority import ALL, Longest
from paretosched.policies.priority_text import priority_text, read_priority, with_backfill
from paretosched.policies.published_orders import ORDER_NAMES
from support.formulas import TERMS_AS_WRITTEN

GROUPS = st.sampled_from(["1", "2", "vip", "two words", "while", "a;b", "3-b"])
FORMULAS = st.builds(Formula, TERMS_AS_WRITTEN.filter(lambda term: depth(term) <= MOST_DEEP), st.booleans())
ORDERS = st.one_of(
    st.sampled_from([*ORDER_NAMES, 'priority:1,"two words"']), FORMULAS.map(lambda f: written_formula(f, "neither"))
)
BY_SITUATION = ORDERS.map(lambda text: (text,)) | st.tuples(ORDERS, ORDERS, ORDERS)


@st.composite
def policies(draw: st.DrawFn) -> Priority:
    """Return a policy with any settings."""
    some = st.lists(GROUPS, unique=True, max_size=3).map(tuple)
    times = st.sampled_from([0, 1, 90, 900, 3600, 604800])
    backfill = Backfill()
    if draw(st.booleans()):
        groups = draw(st.lists(GROUPS, unique=True, max_size=3))
        backfill = Backfill(
            draw(st.sampled_from([1, 2, 8, ALL])),
            draw(some),
            draw(st.just(()) | BY_SITUATION),
            tuple(Longest(draw(times), (group,)) for group in groups),
            draw(st.lists(GROUPS, unique=True, min_size=1, max_size=3).map(tuple)) if groups else (),
            draw(times),
        )
    return Priority(
        draw(BY_SITUATION),
        backfill,
        draw(st.sampled_from(["user", "account", "group"])),
        draw(st.sampled_from([1, 3600, 7 * 86400])),
        draw(st.dictionaries(GROUPS, st.floats(1e-9, 1e9), max_size=3)),
    )


@settings(max_examples=60)
@given(policies())
def test_words_and_files_are_read_as_the_same_policy(policy: Priority) -> None:
    assert to_json(read_priority(priority_text(policy))) == to_json(policy)
    assert to_json(from_json(to_json(policy))) == to_json(policy)


@pytest.mark.parametrize(
    ("text", "normal_form"),
    [
        ("sjf", "order: sjf; backfill: easy"),
        ("SJF ;; backfill: EASY", "order: sjf; backfill: easy"),
        ("wait/estimate; backfill: easy:1", "order: wait / estimate; backfill: easy"),
        (
            "\norder: saf\nbackfill: easy:8 for 1, 2\n\nslack: 900\n",
            "order: saf; backfill: easy:8 for 1,2; slack: 15min",
        ),
        (
            "order: priority:1,2; backfill: conservative for vip; longest: 4h of 3,4 and 90s of 5 while 1,2",
            "order: priority:1,2; backfill: conservative for vip; longest: 4h of 3,4 and 90s of 5 while 1,2",
        ),
        (
            "order: smallest estimate; backfill: easy; backfill-order: smallest area",
            "order: smallest estimate; backfill: easy; backfill-order: area",
        ),
        (
            "order night: sjf; order day: saf; order weekend: sjf",
            "order weekend: sjf; order day: saf; order night: sjf; backfill: easy",
        ),
        ("order day: sjf; order night: sjf; order weekend: sjf", "order: sjf; backfill: easy"),
        ("order: estimate; backfill: easy; backfill-order: Same", "order: estimate; backfill: easy"),
        ("backfill-order: same\norder: saf; backfill: none", "order: saf; backfill: none"),
        ("saf; backfill-order: sjf", "order: saf; backfill: easy; backfill-order: sjf"),
        (
            "saf; backfill: easy; backfill-order day: Same; backfill-order night: same; backfill-order weekend: same",
            "order: saf; backfill: easy",
        ),
        (
            "saf; backfill: easy; backfill-order day: same; backfill-order night: area; backfill-order weekend: sjf",
            "order: saf; backfill: easy; backfill-order weekend: sjf; backfill-order day: same; "
            "backfill-order night: area",
        ),
        ("usage; usage: group; shares: a=0.5", "order: usage; backfill: easy; usage: group; shares: a = 0.5"),
        ("wait; half-life: 720min", "order: wait; backfill: easy; half-life: 12h"),
    ],
)
def test_words_by_hand(text: str, normal_form: str) -> None:
    assert priority_text(read_priority(text)) == normal_form


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "order, character 1, the end: there must be a number"),
        ("backfill: easy", 'policy, character 15, the end: there must be an order, such as "order: sjf"'),
        ("sjf; backfil: easy", 'policy, character 6, "backfil": a part of a policy must be one of order, backfill, ba'),
        ("sjf backfill: easy", 'order, character 5, "backfill": there must be an operator, ";" or the end'),
        ("sjf; backfill easy", 'backfill, character 15, "easy": there must be ":"'),
        (
            "sjf; backfill: eazy",
            'backfill, character 16, "eazy": backfill must be one of none, easy, easy:K, conservative; did',
        ),
        (
            'sjf; backfill: "easy:K"',
            'backfill, character 16, "easy:K": backfill must be one of none, easy, easy:K, conservative; did',
        ),
        ("sjf; backfill: easy:0", 'backfill, character 21, "0": must be a whole number from 1 to 2147483646'),
        ("sjf; backfill: easy; backfill: none", 'policy, character 22, "backfill": must come once, but comes again'),
        ("sjf\nbackfill: easy 8", 'backfill, line 2, character 16, "8": there must be ";" or the end'),
        ("order: group", 'order, character 8, "group": needs a name in brackets, as in group(1)'),
        ("order day: sjf", "policy, character 15, the end: there must be order weekend, too, as there is order day"),
        ("order: sjf; order day: saf", 'order, character 19, "day": order must come once, or once for each of'),
        ("sjf; backfill: easy; longest: 4h while 1", 'longest, character 34, "while": there must be "of"'),
        ("sjf; backfill: easy; longest: 4h of 1", 'longest, character 38, the end: there must be "while"'),
        ("sjf; usage: queue", 'usage, character 13, "queue": usage must be one of user, account, group'),
        ("sjf; shares: a = 1, a = 2", 'shares, character 21, "a": must have one share, but has another one'),
        ("sjf; shares: a = 3h", 'shares, character 18, "3h": a share is a number without a unit of time'),
        (
            "sjf; slack: 1.5s",
            'slack, character 13, "1.5s": must be a whole number of seconds from 0 to 10000000000, but',
        ),
        ("sjf; half-life: 1000y", 'half-life, character 17, "1000y": the unit of a time must be one of s, min, h, d'),
        ("sjf; backfill: easy:3h", 'backfill, character 21, "3h": must be a whole number from 1 to 2147483646 without'),
        ("sjf; backfill: easy; backfill-order: wiat", 'backfill-order, character 38, "wiat": there must be a number'),
        ("sjf; backfill: easy; backfill-order: same 2", 'backfill-order, character 43, "2": there must be an operator'),
    ],
)
def test_every_fault_has_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_priority(text)
    assert str(error.value).startswith(message)


WORDS = "order backfill backfill-order longest slack usage half-life shares day night weekend sjf priority easy none"
MORE = "for of and while user 1 2 4h vip : : ; ; , = wait * ( )"


@settings(max_examples=80)
@given(st.lists(st.sampled_from([*WORDS.split(), *MORE.split(), '"a b"', "\n"]), max_size=14))
def test_any_text_is_read_or_refused_in_one_line(words: list[str]) -> None:
    try:
        policy = read_priority(" ".join(words))
    except InputError as error:
        message = str(error)
    else:
        message = ""
        assert to_json(read_priority(priority_text(policy))) == to_json(replace(policy, provenance={}))
    assert "\n" not in message


def test_another_backfilling() -> None:
    assert (
        priority_text(with_backfill(Plain("fcfs"), "easy", "sjf")) == "order: fcfs; backfill: easy; backfill-order: sjf"
    )
    policy = read_priority("wfp3; backfill: easy:8; backfill-order: saf; slack: 1h")
    assert priority_text(with_backfill(policy, None, "same")) == "order: wfp3; backfill: easy:8; slack: 1h"
    assert with_backfill(policy, "conservative for 1", None).name == "WFP3 with CONS for 1 by SAF, slack 1h"
    for other in (Plain("easy"), Plain("list")):
        with pytest.raises(InputError, match="backfill must go with an order, such as fcfs or sjf, but policy"):
            with_backfill(other, "easy", None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("easy; slack: 3h", 'character 5, ";"'),
        ("easy for 1,2\nslack: 3h", "line 1, character 13, the end of the line"),
        ("easy 3", 'character 6, "3"'),
    ],
)
def test_another_backfilling_has_no_clauses_behind_it(text: str, place: str) -> None:
    with pytest.raises(InputError) as error:
        with_backfill(Plain("fcfs"), text, None)
    assert str(error.value).startswith(f"backfill, {place}: there must be the end; what else a policy has")
