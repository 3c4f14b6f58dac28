"""The page of all policies: their words, formulas and sources, from the code that simulates and explains them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from paretosched.policies.explanation import explain
from paretosched.policies.formula import written_formula
from paretosched.policies.greedy_order import Greedy
from paretosched.policies.plain import PLAIN_RULES
from paretosched.policies.policy import OPTIMISED
from paretosched.policies.published_orders import PUBLISHED
from paretosched.policies.strategy_choice import STRATEGIES
from paretosched.policies.time_sharing import TimeSharing

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
    (place / "keys.txt").write_text("\n".join(keys()) + "\n", encoding="utf-8")


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
