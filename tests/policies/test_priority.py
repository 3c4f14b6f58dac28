"""Orders with their backfilling: the schedules of the oracle, and values that are checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched import Backfill, InputError, Priority, Workload
from paretosched.policies.policy import as_policy
from paretosched.policies.policy_json import to_json
from paretosched.policies.priority import ALL, HALF_LIFE, Longest
from paretosched.policies.priority_text import priority_text, with_backfill
from support.naive_priority import start_times
from support.priority_rules import rule_of
from support.zoo import jobs, random_jobs

TEXTS = [
    "sjf",
    "fcfs; backfill: easy; backfill-order: sjf",
    "saf; backfill: easy:3 for 1,2; longest: 30s of 3 and 5s of 4 while 1,2",
    "wfp3; backfill: easy; backfill-order: saf",
    "unicef; backfill: conservative",
    "learned-f1; backfill: easy:8; slack: 10s",
    "priority:2,1; backfill: conservative for 2",
    "priority; backfill: easy",
    "order weekend: sjf; order day: wait / estimate; order night: smallest width; backfill: easy:2",
    "order: wait / 1h - usage / share; backfill: easy; usage: group; half-life: 1h; shares: 1 = 3, 2 = 0.5",
    "order: if(group(1), 2, 1) * wait^2 / estimate + min(width, 4); backfill: easy; backfill-order day: estimate; "
    "backfill-order night: largest width; backfill-order weekend: fcfs",
]
WORKLOADS = {
    "deep": lambda: random_jobs(3, 120, 16, gap=2, run=40),
    "coarse": lambda: random_jobs(4, 120, 32, gap=1, run=8, grain=3600),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_schedule_is_that_of_the_oracle(text: str, name: str) -> None:
    w = WORKLOADS[name]()
    policy = as_policy(text)
    assert isinstance(policy, Priority)
    schedule = ps.simulate(w, policy)
    schedule.check()
    assert schedule.start.tolist() == start_times(w, rule_of(policy, w))


@pytest.mark.parametrize("algorithm", ["tree", "classic"])
def test_fair_shares_are_computed_anew_at_multiples_of_the_period_wherever_the_log_begins(algorithm: str) -> None:
    w = random_jobs(3, 120, 16, gap=2, run=40)
    w = w.with_(submit=w.submit + 165, user=np.arange(120) % 7)
    policy = as_policy(f"order: 100 * fairshare + wait / 60; backfill: easy; fair-share: {algorithm} every 50s")
    assert isinstance(policy, Priority)
    rule = rule_of(policy, w)
    assert rule.shares_of is not None
    assert rule.shares_of.first == 150
    assert ps.simulate(w, policy).start.tolist() == start_times(w, rule)
    from_the_first_job = rule._replace(shares_of=rule.shares_of._replace(first=165))
    assert start_times(w, from_the_first_job) != start_times(w, rule)


@pytest.mark.parametrize(
    "text",
    [
        "order: wait / 1h - usage / share; backfill: easy; half-life: 1h; shares: 1 = 3, 2 = 0.5",
        "order: 100 * fairshare + wait / 60; backfill: easy; fair-share: classic every 50s damping 7",
    ],
)
def test_usage_of_users_and_damping_are_those_of_the_oracle(text: str) -> None:
    w = random_jobs(3, 120, 16, gap=2, run=40)
    w = w.with_(user=np.arange(120) % 7 - 1)
    policy = as_policy(text)
    assert isinstance(policy, Priority)
    assert ps.simulate(w, policy).start.tolist() == start_times(w, rule_of(policy, w))


@pytest.mark.slow
@pytest.mark.parametrize("reservations", ["easy:33", "easy:40 for 1,2", "conservative"])
def test_slack_with_more_reservations_than_are_looked_for_one_by_one(reservations: str) -> None:
    w = random_jobs(1, 110, 16, gap=0, run=40)
    text = f"wfp3; backfill: {reservations}; backfill-order: saf"
    start = ps.simulate(w, f"{text}; slack: 40s").start
    policy = as_policy(f"{text}; slack: 40s")
    assert isinstance(policy, Priority)
    assert start.tolist() == start_times(w, rule_of(policy, w))
    assert start.tolist() != ps.simulate(w, text).start.tolist()
    assert max(((w.submit <= t) & (start > t)).sum() for t in start) > 40


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("order: fcfs; backfill: none", "fcfs"),
        ("fcfs; backfill: easy", "easy"),
        ("fcfs; backfill: conservative", "conservative-replan"),
        ("order: -submit; backfill: easy", "easy"),
        ("order: wait; backfill: easy", "easy"),
        ("order: fcfs; backfill: easy; backfill-order: smallest submit", "easy"),
    ],
)
def test_rules_of_old_are_orders(text: str, same: str) -> None:
    w = random_jobs(5, 200, 32, gap=1, run=50)
    assert ps.simulate(w, text).start.tolist() == ps.simulate(w, same).start.tolist()


def test_shortest_candidates_first_by_hand() -> None:
    """EASY-SJBF: job 2 holds the reservation at 10; of the jobs that could fill the hole, the shorter one does."""
    w = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1), (2, 3, 3, 1))
    assert ps.simulate(w, "fcfs; backfill: easy").start.tolist() == [0, 10, 2, 15]
    assert ps.simulate(w, "fcfs; backfill: easy; backfill-order: sjf").start.tolist() == [0, 10, 15, 2]


@pytest.mark.parametrize(
    ("order", "starts"),
    [
        *((order, [0, 10, 1, 20]) for order in ("fcfs", "wait", "log(wait + 1)", "wait - 0 * usage", "2^(wait / 100)")),
        *((order, [0, 10, 1, 1]) for order in ("priority:vip", "vip * 100 + wait", "vip * 100 + wait - 0 * usage")),
    ],
)
def test_who_waits_is_looked_at_once_where_backfilling_begins(order: str, starts: list[int]) -> None:
    """Two of five processors are free until the reservation at 10; a job of vip, for 5 s, and a guest, for 8 s, come.

    In the order of arrival the job of vip is backfilled and the guest, who would fit, is left out in this pass and
    comes too late for the next one. A job of vip that comes first in the order starts before jobs are backfilled.
    """
    words = {"submit": [0, 0, 1, 1], "run": [10, 10, 5, 8], "width": [3, 5, 1, 1], "group": [0, 0, 1, 2]}
    w = Workload(**words, estimate=words["run"], capacity=5, groups=("rest", "vip", "guests"))
    text = f"order: {order}; backfill: easy; longest: 6s of guests while vip"
    policy = as_policy(text)
    assert isinstance(policy, Priority)
    assert ps.simulate(w, policy).start.tolist() == start_times(w, rule_of(policy, w)) == starts
    assert ps.simulate(w, text.replace("6s", "8s")).start.tolist() == [0, 10, 1, 1]


@pytest.mark.parametrize(("reservations", "starts"), [("easy", [0, 10, 20]), ("easy:2", [0, 10, 1])])
def test_jobs_that_may_have_a_reservation_may_request_more_than_the_longest(
    reservations: str, starts: list[int]
) -> None:
    """A job of vip waits until 10; two of five processors are free for a guest of 8 s, who may be backfilled for 6."""
    words = {"submit": [0, 0, 1], "run": [10, 10, 8], "width": [3, 5, 1], "group": [0, 1, 2]}
    w = Workload(**words, estimate=words["run"], capacity=5, groups=("rest", "vip", "guests"))
    policy = as_policy(f"fcfs; backfill: {reservations}; longest: 6s of guests while vip")
    assert isinstance(policy, Priority)
    assert ps.simulate(w, policy).start.tolist() == start_times(w, rule_of(policy, w)) == starts


@pytest.mark.parametrize("variable", ["submit", "eligible"])
@pytest.mark.parametrize("begin", [0, 7])
def test_submissions_count_from_the_first_one(variable: str, begin: int) -> None:
    """Jobs that come 1 and 3 s after the first one are 1 s from second 2, and start before the one that is at it."""
    w = Workload([begin, begin + 1, begin + 2, begin + 3], [10] * 4, [10] * 4, [1] * 4, 1)
    starts = ps.simulate(w, f"order: largest abs({variable} - 2)").start - begin
    assert starts.tolist() == [0, 10, 30, 20]


def test_accounts_and_shares() -> None:
    records = np.zeros((3, 18))
    records[:, 12] = [9, 4, 9]
    w = Workload([0, 0, 0], [1] * 3, [1] * 3, [1] * 3, 1, user=[5, 5, -1], records=records)
    key = "order: usage + share; shares: 9 = 2, 5 = 3"
    by_account = as_policy(f"{key}; usage: account")
    assert isinstance(by_account, Priority)
    assert ps.simulate(w, by_account).start.tolist() == [0, 2, 1]
    with pytest.raises(
        InputError,
        match="the account of jobs, field 13 of a log, is needed, but this workload does not come from a log",
    ):
        ps.simulate(w.with_(records=None), by_account)


def test_groups_that_a_workload_does_not_have_are_no_error() -> None:
    w = jobs(2, (0, 5, 5, 2), (0, 5, 5, 2))
    assert ps.simulate(w, "order: 5 * group(vip) + width; backfill: easy for guests").start.tolist() == [0, 5]


def test_names_say_order_and_backfilling() -> None:
    assert Priority("order").name == "order"
    assert Priority("wfp3", Backfill(ALL, entitled=("1",), order="width")).name == "WFP3 with CONS for 1 by width"
    longest = Backfill(8, longest=(Longest(60, ("2",)),), named=("1",), slack=90)
    assert Priority(("sjf", "saf", "sjf"), longest).name == "SJF / SAF with EASY 8, limited requests, slack 90s"
    assert Priority("sjf", name="mine").name == "mine"


def test_named_groups_are_those_of_all_parts() -> None:
    policy = as_policy("order: vip + user(7); backfill: easy for 1; backfill-order: physics; longest: 1h of 2 while 3")
    assert isinstance(policy, Priority)
    assert policy.named_groups == ("vip", "physics", "1", "2", "3")
    assert policy.kinds == ("static",)
    assert policy.groups == ()


def test_predictions_or_exact_run_times() -> None:
    w = random_jobs(6, 100, 16, gap=1, run=30)
    exact = ps.simulate(w, "sjf; backfill: easy", "exact").start
    assert exact.tolist() == ps.simulate(w.with_(estimate=w.run), "sjf; backfill: easy").start.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Priority(()), "order must be the name of an order or a formula, but there is none"),
        (
            lambda: Priority(("sjf", "saf")),
            "order must be one, or one for each of weekend, day, night, but there are 2",
        ),
        (lambda: Priority(3), "order must be a list, but is 3"),
        (lambda: Priority("wiat"), 'order, character 1, "wiat": there must be a number'),
        (lambda: Priority("sjf", 1), "backfill must be"),
        (lambda: Priority("sjf", "eazy"), 'backfill, character 1, "eazy": backfill must be one of none'),
        (lambda: Priority("sjf", "easy; slack: 3h"), 'backfill, character 5, ";": there must be the end; what else'),
        (lambda: Priority("sjf", usage="queue"), 'usage must be one of user, account, group, but is "queue"'),
        (lambda: Priority("sjf", half_life=0), "half_life must be in 1..10000000000, but is 0"),
        (lambda: Priority("sjf", shares={"a": 0}), 'share must be in 1e-09..1e+09, but that of "a" is 0'),
        (lambda: Priority("sjf", shares={'"': 1}), "shares: a group must have a name that can be printed"),
        (lambda: Backfill(-1), "reservations must be in 0..2147483647, but is -1"),
        (lambda: Backfill(1.5), "reservations must be a whole number, but is 1.5"),
        (lambda: Backfill(1, entitled="12"), "entitled must be a list, but is '12'"),
        (lambda: Backfill(1, entitled=("a", "a")), "entitled must have different groups, but has a, a"),
        (lambda: Backfill(1, order="sjff"), 'backfill-order, character 1, "sjff": there must be a formula or one of'),
        (lambda: Backfill(0, order="sjf"), 'backfill-order must come with backfilling, but backfill is "none"'),
        (lambda: Backfill(1, longest=((60, ("a",)),)), "longest and while must be given together"),
        (lambda: Backfill(1, longest=[(1, ["a"]), (2, ["a"])], named=["b"]), "longest must have different groups"),
        (lambda: Backfill(1, longest=[5], named=["b"]), "a row of longest must be a list, but is 5"),
        (lambda: Backfill(1, longest=[(5,)], named=["b"]), "longest must be rows of seconds and groups, but is [(5,)]"),
        (lambda: Priority("sjf", shares=[1]), "shares must be a dict, but is [1]"),
        (lambda: Backfill(1, slack=-5), "slack must be in 0..10000000000, but is -5"),
    ],
)
def test_every_bad_value_has_its_message(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value).startswith(message)


def test_the_half_life_is_a_week() -> None:
    assert as_policy("sjf").half_life == HALF_LIFE == 7 * 86400  # type: ignore[union-attr]


def test_the_same_order_is_that_of_the_waiting_jobs_wherever_it_is_said() -> None:
    alike = Priority("sjf", Backfill(1))
    by_hour = "; ".join(f"backfill-order {situation}: same" for situation in ("weekend", "day", "night"))
    words = [f"sjf; backfill: easy; {clauses}" for clauses in ("backfill-order: same", by_hour)]
    policies = [Priority("sjf", Backfill(1, order=order)) for order in ("same", " Same ", ("same",), ["same"] * 3)]
    policies += [with_backfill(alike, "easy", "SAME"), *map(as_policy, words)]
    for policy in policies:
        assert isinstance(policy, Priority)
        assert (policy.backfill, policy.name, to_json(policy)) == (alike.backfill, alike.name, to_json(alike))
    with pytest.raises(InputError, match='order, character 1, "same"'):
        Priority("same")


@pytest.mark.parametrize("order", ["wfp3", ("sjf", "saf", "smallest width")])
def test_the_same_order_in_one_situation_is_that_of_this_situation(order: Any, tmp_path: Path) -> None:
    policy = Priority(order, Backfill(2, order=("fcfs", "same", "largest width")))
    day = order if isinstance(order, str) else order[1]
    spelled_out = Priority(order, Backfill(2, order=("fcfs", day, "largest width")))
    assert policy.candidate_orders == spelled_out.candidate_orders
    assert policy.name.endswith("with EASY 2 by FCFS / same / largest width")
    w = random_jobs(4, 120, 32, gap=1, run=8, grain=3600)
    assert ps.simulate(w, policy).start.tolist() == ps.simulate(w, spelled_out).start.tolist()
    assert ps.simulate(w, policy).start.tolist() == start_times(w, rule_of(policy, w))
    ps.save_policy(policy, tmp_path / "p.json")
    for again in (as_policy(priority_text(policy)), ps.load_policy(tmp_path / "p.json")):
        assert isinstance(again, Priority)
        assert again.backfill.order == ("fcfs", "same", "largest width")
        assert again.candidate_orders == spelled_out.candidate_orders
    explained = [[line for line in ps.explain(p).words() if "Among these" in line] for p in (policy, spelled_out)]
    assert explained[0] == explained[1] != []
