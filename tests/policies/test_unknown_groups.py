"""Words in formulas that are no groups of a workload are refused if they are probably mistakes."""

import re

import pytest

import paretosched as ps
from paretosched import InputError, Workload
from paretosched.policies.formula import parse_formula
from paretosched.policies.unknown_groups import check_groups
from paretosched.workload.group_lists import GroupLine
from paretosched.workload.group_rules import ListedGroups
from support.zoo import jobs

GROUPS = ("vip", "physics-hep", "deep learning", "Node-1", "größe")


def workload(groups: tuple[str, ...] = GROUPS) -> Workload:
    return jobs(2, (0, 5, 5, 2), (0, 5, 5, 1)).with_(groups=groups, group=[0, 0], user=[7, 8], name="w")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "5 * vpi + wait",
            'order: w has no group "vpi"; did you mean vip? (a group that may be missing is group(vpi))',
        ),
        ("VIP * wait", 'order: w has no group "VIP"; did you mean vip?'),
        ("vip + viip", 'order: w has no group "viip"; did you mean vip?'),
        (
            "if(wait > 1h, hep, 1) + vip",
            'w has no group "hep"; did you mean physics-hep? Write "physics-hep" in quotes',
        ),
        ("5*physics-hep", 'w has no group "physics"; did you mean physics-hep? Write "physics-hep" in quotes'),
        ("vip + 3 * Node-1", 'w has no group "Node"; did you mean Node-1? Write "Node-1" in quotes (a'),
        ("5 * hydro", "w has the groups vip, physics-hep, deep learning, Node-1, größe, but none of the policy's: hy"),
        ("group(hydro) + biochem", "but none of the policy's: hydro, biochem (a group that may be missing is"),
        ("2 * bio-geo", 'policy\'s: bio, geo; if "bio-geo" is one name, write "bio-geo" in quotes (a group'),
        ("hydro - bio * wait", 'if "hydro-bio" is one name'),
    ],
)
def test_a_word_that_is_probably_a_mistake_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        ps.simulate(workload(), f"order: {text}; backfill: easy")


@pytest.mark.parametrize(
    "text",
    [
        "vip + hydro",
        "group(vpi)",
        '"vpi" + width',
        "group(hydro)",
        '"physics-hep" - group("Node-1")',
        '"größe" * wait',
        "wait / estimate",
    ],
)
def test_groups_that_may_be_missing_are_no_error(text: str) -> None:
    assert ps.simulate(workload(), f"order: {text}").start.tolist() == [0, 5]


def test_the_part_of_the_policy_is_named_and_all_its_groups_count() -> None:
    with pytest.raises(InputError, match=r'^backfill-order: w has no group "vpi"; did you mean vip\?'):
        ps.simulate(workload(), "sjf; backfill: easy; backfill-order day: vpi; backfill-order night: 1; "
                    "backfill-order weekend: 1")  # fmt: skip
    ps.simulate(workload(), "order: 2 * hydro; backfill: easy for vip")  # reservations are left of it
    ps.simulate(workload(), "priority:hydro")  # a list of groups is no formula
    with pytest.raises(InputError, match="none of the policy's: hydro, biochem"):
        ps.simulate(workload(), "order: 2 * hydro; backfill: easy for biochem")


def test_predictions_meet_the_same_groups() -> None:
    with pytest.raises(InputError, match=r"did you mean vip\?"):
        ps.simulate(workload(), "order: vpi; backfill: easy", "recent")


def test_a_policy_with_a_rule_brings_its_groups() -> None:
    rule = ListedGroups(("hydro", "other"), (GroupLine("hydro", user=8),), "other")
    policy = ps.Priority("hydro", grouping=rule)
    w = workload()
    assert ps.simulate(w, policy).start.tolist() == [5, 0]
    with pytest.raises(InputError, match='"hydro" must be an order or a formula'):
        ps.simulate(w, ps.Priority("hydro"))


def test_a_word_alone_that_is_no_group_is_no_order() -> None:
    message = (
        '^backfill-order: "nonsense" must be an order or a formula, but is neither, nor a group of w; orders are fcfs, '
        r"sjf, .*\(a group that may be missing is group\(nonsense\)\)$"
    )
    for backfill in ("easy", "conservative"):
        with pytest.raises(InputError, match=message):
            ps.simulate(workload(), f"priority:vip; backfill: {backfill}; backfill-order: nonsense")
    for order in ("group(nonsense)", "vip", "vip - nonsense"):
        ps.simulate(workload(), f"priority:vip; backfill: easy; backfill-order: {order}")


def test_a_named_order_is_no_part_of_a_formula() -> None:
    with pytest.raises(InputError, match=r'^order: "sjf" is an order, and cannot be a part of a formula; write out'):
        ps.simulate(workload(), "order: 2 * sjf + wait")
    ps.simulate(workload(), "order: group(sjf) + wait * group(vip)")


def test_numbers_and_subtracted_parts_are_no_names() -> None:
    term = parse_formula("hydro - 2 * 3 - group(x) - (4 - y)", "largest").term
    with pytest.raises(InputError) as error:
        check_groups("order", [term], ["hydro", "x", "y"], workload())
    assert "one name" not in str(error.value)
