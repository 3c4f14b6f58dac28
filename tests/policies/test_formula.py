"""Formulas are read as they are written, or refused at a character and a word."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError
from paretosched.kernels.formulas import MOST_DEEP
from paretosched.policies.formula import (
    MOST_TERMS,
    Formula,
    Term,
    bare_groups,
    depth,
    labels,
    parse_formula,
    written_formula,
)
from support.formulas import TERMS_AS_WRITTEN

SMALL = TERMS_AS_WRITTEN.filter(lambda term: depth(term) <= MOST_DEEP)


@settings(max_examples=60)
@given(SMALL, st.booleans(), st.sampled_from(["largest", "smallest"]))
def test_what_is_written_is_read_as_the_same_formula(term: Term, largest: bool, direction: str) -> None:
    formula = Formula(term, largest)
    assert parse_formula(written_formula(formula, direction), direction) == formula


@pytest.mark.parametrize(
    ("text", "normal_form"),
    [
        ("(wait/estimate)^3*width", "(wait / estimate)^3 * width"),
        ("physics", "physics"),
        ("WAIT + Width", "wait + width"),
        ("eligible", "eligible"),
        ("smallest  estimate", "smallest estimate"),
        ("wait - (3 - 2) - 1", "wait - (3 - 2) - 1"),
        ("2^3^2", "2^3^2"),
        ("(2^3)^2", "(2^3)^2"),
        ("(-2)^2 - -2^-2", "(-2)^2 - -2^-2"),
        ("4h + 1.5 min", "14400 + 90"),
        ('5 * "a-b" - group(vip) + vip', "5 * group(a-b) - group(vip) + vip"),
        ("not vip and (wait > 2 or group(1))", "not vip and (wait > 2 or group(1))"),
        ('group("two words") * user(007)', 'group("two words") * user(007)'),
        ("max(1, 2, 3)", "max(1, 2, 3)"),
        ("max(max(1, min(2, 4)), 3)", "max(1, min(2, 4), 3)"),
        (f"min({', '.join(['wait'] * 40)})", f"min({', '.join(['wait'] * 40)})"),
        ("if(account(3) != 0, 1, queue(4))", "if(account(3) != 0, 1, queue(4))"),
        ('Queue(a=5,"b c" = -2 , 7=1.5h)', 'queue(a = 5, "b c" = -2, 7 = 5400)'),
        ("partition(a = 3)", "partition(a = 3)"),
        ('Partition(gpu-2) + queue("two words") + fairshare', 'partition(gpu-2) + queue("two words") + fairshare'),
    ],
)
def test_formulas_by_hand(text: str, normal_form: str) -> None:
    formula = parse_formula(text, "largest")
    assert written_formula(formula, "largest") == normal_form
    assert parse_formula(normal_form, "largest") == formula


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "wiat",
            'character 1, "wiat": there must be a number, variable, function or group; did you mean wait? (a group',
        ),
        (
            "wait / estimat",
            'character 8, "estimat": there must be a number, variable, function or group; did you mean e',
        ),
        ("wait estimate", 'character 6, "estimate": there must be an operator or the end'),
        (
            "two words",
            'character 5, "words": there must be an operator or the end; if it is one name, write "two words"',
        ),
        ("vip wait", 'character 5, "wait": there must be an operator or the end'),
        ("5 * a-b", 'did you mean area? (a group of this name is "a-b"; write "a-b" in quotes)'),
        ("wiat-b-c", 'did you mean wait? (a group of this name is "wiat-b-c"; write "wiat-b-c" in quotes)'),
        ("wiat-estimate", 'did you mean wait? (a group of this name is group("wiat"))'),
        ("wiat - b", 'did you mean wait? (a group of this name is group("wiat"))'),
        ("5 * größe", 'character 7, "ö": has no meaning here; a name with such a letter must be in quotes'),
        ("wait +", "character 7, the end: there must be a number, variable, function or group"),
        ("wait $", 'character 6, "$": has no meaning here'),
        ('group("x', 'character 7, "\\"": has no meaning here; a name must end with its quote'),
        ("1e999", 'character 1, "1e999": is too large a number'),
        ("wait * 1e-400", 'character 8, "1e-400": is too small a number'),
        ("1 < 2 < 3", 'character 7, "<": a comparison has two sides; join two comparisons with "and"'),
        ("log(1, 2)", 'character 1, "log": there must be 1 value in the brackets, but there are 2'),
        ("min(1)", 'character 1, "min": there must be at least 2 values in the brackets, but there is 1'),
        ("(wait", 'character 6, the end: there must be ")"'),
        ("if wait", 'character 4, "wait": there must be "("'),
        ("wait * group", 'character 8, "group": needs a name in brackets, as in group(1)'),
        ("Queue + 1", 'character 1, "Queue": needs a number in brackets, as in queue(7)'),
        ("1 + or", 'character 5, "or": there must be a number, variable, function or group (a group of this name is'),
        ("queue(a = 1, a = 2)", 'character 14, "a": must have one value, but has another one'),
        ("queue(a = 1, b)", 'character 15, ")": there must be "=" and a value'),
        ("queue(a, b = 1)", 'character 8, ",": there must be ")"'),
        ("group(a = 1)", 'character 9, "=": there must be ")"'),
        ("partition(a = b)", 'character 15, "b": there must be a number'),
        ("user(vip)", 'character 6, "vip": there must be the number of the user in the log'),
        ("wait\n+", "line 1, character 5, the end of the line: there must be an operator or the end"),
        ("(" * 40, 'character 33, "(": a formula must not nest deeper than 32 brackets or powers, but does'),
        ("1" + "+1" * 400, f"must have at most {MOST_TERMS} numbers, variables and operations"),
        (
            "if(1,2,3+" * 12 + "4" + ")" * 12,
            "a formula must not nest deeper than 32 values, but does",
        ),
        ("1" * 1_000_001, "order: must have at most 1000000 characters, but has 1000001"),
    ],
)
def test_every_fault_has_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_formula(text, "largest")


WORDS = ["wait", "vip", "group", '"a b"', "(", ")", ",", "+", "-", "^", "<", "if", "min", "not", "3", "h"]


@settings(max_examples=60)
@given(st.text(max_size=40) | st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        formula = parse_formula(text, "largest")
    except InputError as error:
        message = str(error)
    else:
        message = "order"
        assert parse_formula(written_formula(formula, "smallest"), "smallest") == formula
    assert message.startswith("order")
    assert "\n" not in message


def test_a_group_remembers_whether_its_name_is_a_word_alone() -> None:
    term = parse_formula('vip + group(physics) * "a b" - if(vip, hydro, 0)', "largest").term
    assert bare_groups(term) == ("vip", "hydro")
    assert labels(term, "group") == ("vip", "physics", "a b", "hydro")
    assert Formula(term, True) == parse_formula(written_formula(Formula(term, True), "largest"), "largest")


def test_labels_are_those_of_all_parts_in_their_order() -> None:
    term = parse_formula("vip + if(group(2), user(7), vip) * user(8)", "largest").term
    assert labels(term, "group") == ("vip", "2")
    assert labels(term, "user") == ("7", "8")
