"""Slurm's fair-share factors, worked out again from all that happened whenever they are asked for."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class SharesOf(NamedTuple):
    """Associations: the account above each (-1 of the root, which comes first), its shares, and who is a user."""

    above: Sequence[int]
    shares: Sequence[int | None]  # None: those of the account above
    users: Sequence[bool]
    algorithm: str = "tree"
    period: int = 1
    first: int = 0
    damping: float = 1.0


class Factors:
    """The factors of associations; usage changes when a job starts or ends, and factors once in a period."""

    def __init__(self, of: SharesOf, half_life: float) -> None:
        self.of = of
        self.half_life = half_life
        self.changes: list[tuple[int, int, int]] = []  # association, second, processors more
        self.known: tuple[int, dict[int, float]] | None = None  # the last period, and the factors in it

    def change(self, node: int, t: int, width: int) -> None:
        """Note that a job starts (its width) or ends (minus its width)."""
        self.changes.append((node, t, width))

    def at(self, node: int, t: int) -> float:
        """Return the factor in second t."""
        of = self.of
        now = of.first + (t - of.first) // of.period * of.period
        if self.known is None or self.known[0] != now:
            usage = self.usages(now)
            users = [one for one, is_user in enumerate(of.users) if is_user]
            by_rule = fair_tree(of, usage) if of.algorithm == "tree" else {n: classic(of, usage, n) for n in users}
            self.known = now, by_rule
        return self.known[1][node]

    def usages(self, t: int) -> list[float]:
        """Return the usage of all associations up to second t, in units that double with every half-life."""
        past = [(0.0, 0, 0.0)] * len(self.of.above)  # usage until the last change, processors since, units then
        for leaf, second, width in self.changes:
            if second < t:
                grown = math.exp2((second - self.of.first) / self.half_life)
                for node in path(self.of, leaf):
                    used, rate, mark = past[node]
                    past[node] = used + rate * (grown - mark), rate + width, grown
        now = math.exp2((t - self.of.first) / self.half_life)
        return [used + rate * (now - mark) for used, rate, mark in past]


def path(of: SharesOf, node: int) -> list[int]:
    """Return an association and all accounts above it."""
    return [node, *path(of, of.above[node])] if node >= 0 else []


def part_of_shares(of: SharesOf, node: int) -> float:
    """Return the part of the shares of all that are in the same account."""
    total = sum(s or 0 for above, s in zip(of.above, of.shares, strict=True) if above == of.above[node])
    return (of.shares[node] or 0) / total if total else 0.0


def classic(of: SharesOf, usage: Sequence[float], node: int) -> float:
    """Return 2^(-U/S/damping)."""
    if of.shares[node] is None and of.above[node] > 0:
        node = of.above[node]
    share = math.prod(part_of_shares(of, one) for one in reversed(path(of, node)[:-1]))
    return math.exp2(-(effective(of, usage, node) / share) / of.damping) if share > 0 else 0.0


def effective(of: SharesOf, usage: Sequence[float], node: int) -> float:
    """Return the effective usage of an association."""
    own = usage[node] / usage[0] if usage[0] > 0 else 0.0
    if of.above[node] <= 0:
        return own
    return own + (effective(of, usage, of.above[node]) - own) * part_of_shares(of, node)


def fair_tree(of: SharesOf, usage: Sequence[float]) -> dict[int, float]:
    """Return the rank of each user divided by their number."""
    count = left = sum(of.users)
    factors: dict[int, float] = {}
    for alike in places(of, usage, [0]):
        factors |= dict.fromkeys(alike, left / count)
        left -= len(alike)
    return factors


def places(of: SharesOf, usage: Sequence[float], accounts: Sequence[int]) -> list[list[int]]:
    """Return the users below accounts that count as one, in their order; those of equal rank together."""
    children = [node for node, above in enumerate(of.above) if above in accounts]
    result: list[list[int]] = []
    for ratio in sorted({level(of, usage, node) for node in children}, reverse=True):
        alike = [node for node in children if level(of, usage, node) == ratio]
        users = [node for node in alike if of.users[node]]
        below = places(of, usage, [node for node in alike if not of.users[node]]) if len(users) < len(alike) else []
        if users and below:  # the first ones below have the same rank
            result += [users + below[0], *below[1:]]
        else:
            result += [users] if users else below
    return result


def level(of: SharesOf, usage: Sequence[float], node: int) -> float:
    """Return the ratio of shares and usage among the children of an account."""
    all_of_them = usage[of.above[node]]
    part = usage[node] / all_of_them if all_of_them > 0 else 0.0
    if of.shares[node] is None:
        return math.inf
    share = part_of_shares(of, node)
    return 0.0 if share == 0 else share / part if part > 0 else math.inf
