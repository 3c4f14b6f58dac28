"""The page of all policies: their words, formulas and sources, from the code that simulates and explains them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from paretosched.core.errors import InputError
from paretosched.policies.explanation import explain
from paretosched.policies.formula import written_formula
from paretosched.policies.greedy_order import Greedy, greedy
from paretosched.policies.plain import PLAIN_RULES
from paretosched.policies.policy import OPTIMISED, as_policy
from paretosched.policies.published_orders import PUBLISHED
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import STRATEGIES
from paretosched.policies.time_sharing import TimeSharing
from paretosched.simulation.simulator import simulate
from paretosched.workload.down_times import DownTimes
from paretosched.workload.workload import Workload

CASES = (  # what, whether processors are down at times, and what is known of run times
    ("predicted run times", False, "predicted"),
    ("true run times", False, "exact"),
    ("down times", True, "requested"),
    ("predictions beside down times", True, "predicted"),
)
WORDS = (*PLAIN_RULES[:-1], "order: wait / estimate; backfill: easy:2", "guarded: 1", TimeSharing.rule)
PAPERS = {"scojo": "paper 004", OPTIMISED: "paper 004, with group optimisation"}


def write_pages(docs: Path) -> None:
    """Write the table of names and formulas, and the sentences about every policy."""
    place = docs / "reference" / "policies"
    place.mkdir(parents=True, exist_ok=True)
    (place / "orders.txt").write_text("\n".join(orders()) + "\n", encoding="utf-8")
    (place / "plain.txt").write_text(
        "\n".join(words((*PLAIN_RULES, TimeSharing.rule, OPTIMISED))) + "\n", encoding="utf-8"
    )
    (place / "guarded.txt").write_text(" ".join(explain("guarded: vip, physics").words()) + "\n", encoding="utf-8")
    (place / "strategies.txt").write_text(
        "\n".join(f"{n}. {name}" for n, name in enumerate(STRATEGIES, 1)) + "\n", encoding="utf-8"
    )
    (place / "compositions.txt").write_text("\n".join(compositions()) + "\n", encoding="utf-8")
    (place / "keys.txt").write_text("\n".join(keys()) + "\n", encoding="utf-8")


def compositions() -> Iterator[str]:
    """Yield the table of what goes together: each cell is a simulation of three jobs, or why it is refused."""
    w = Workload([0, 1, 2], [5] * 3, [9] * 3, [2, 4, 1], capacity=4, user=[1] * 3, group=[0, 0, 1], groups=("1", "2"))
    down = w.with_(down=DownTimes(*(np.array([number]) for number in (4, 9, 2))))
    by_key = greedy(["f2"] * 3, [[1, 1, 1, 1, 1, 0]] * 3, groups=w.groups)
    rules = RuleBase("iterative", w.groups, w.groups, by_key, bounds=((),) * 4, choice=np.array([1], dtype=np.int8))
    policies = {word: as_policy(word) for word in WORDS} | {"Greedy": by_key, "rule bases": rules}
    yield from (f"| policy | {' | '.join(head for head, _, _ in CASES)} |", "| --- " * (len(CASES) + 1) + "|")
    reasons: list[str] = []
    for word, policy in policies.items():
        cells = []
        for _, is_down, estimates in CASES:
            try:
                simulate(down if is_down else w, policy, estimates).check()
                cells.append("yes")
            except InputError as error:
                reasons.append(str(error).partition(": ")[2] if is_down else str(error))
                cells.append("no")
        yield f"| {f'`{word}`' if word in WORDS else word} | {' | '.join(cells)} |"
    yield ""
    yield from (f"{reason[0].upper()}{reason[1:]}." for reason in dict.fromkeys(reasons))


def orders() -> Iterator[str]:
    """Yield the table of published orders."""
    yield from ("| name | title | order, as it is written in a policy | source |", "| --- | --- | --- | --- |")
    for name, order in PUBLISHED.items():
        formula = written_formula(order.formula, "largest") if name != "priority" else "priority:1,2"
        yield f"| `{name}` | {order.title} | `{formula}` | {order.source} |"


def words(names: tuple[str, ...]) -> Iterator[str]:
    """Yield a heading for each policy, and the sentences that `explain` says of it."""
    for name in names:
        yield from (f"### {name}", "", " ".join(explain(name).words()), "")
        yield from ((f"Source: {PAPERS[name]}.", "") if name in PAPERS else ())


def keys() -> Iterator[str]:
    """Yield what the docstring of Greedy says."""
    text = (Greedy.__doc__ or "").partition("\n\n")[0]
    yield " ".join(text.split())
