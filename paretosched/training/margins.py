"""A distance to the limits of a wish, so that they are kept on other jobs than those that a policy learns from."""

from __future__ import annotations

from dataclasses import replace

from ..core.arguments import number
from ..core.errors import InputError
from ..wishes.wish import Limit, Wish, wish_text

AUTO = "auto"
MARGINS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.5, 10.0, 15.0, 20.0)  # per cent, that "auto" chooses from
MOST_MARGIN = 50.0
KEPT = 0.9  # the share of the workloads of a validation on which limits must be kept


def stricter_wish(wish: Wish, margin: float) -> Wish:
    """Return a wish with stricter limits: ranges that end `margin` per cent sooner, or their middle if nothing is left.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10)], limits=[Limit("AWRT", high=40000), Limit("UTIL", 60, 61)])
    >>> wish_text(stricter_wish(wish, 1.5)), wish_text(stricter_wish(wish, 0.5))
    ('10*AWRT1, AWRT <= 39400, UTIL in 60.5..60.5', '10*AWRT1, AWRT <= 39800, UTIL in 60.3..60.695')
    """
    return replace(wish, limits=[_stricter_limit(limit, margin / 100) for limit in wish.limits]) if margin else wish


def _stricter_limit(limit: Limit, share: float) -> Limit:
    """Return a stricter limit."""
    low, high = limit.low * (1 + share), limit.high * (1 - share)
    if low > high:
        low = high = (limit.low + limit.high) / 2
    return limit._replace(low=float(f"{low:.15g}"), high=float(f"{high:.15g}"))


def checked_margin(margin: float | str, wish: Wish) -> float | str:
    """Return a margin in per cent, or "auto"; raise InputError if it is neither, or the wish has no limits for it."""
    if margin != AUTO:
        try:
            margin = number("margin", margin)
        except InputError:
            raise InputError(f'margin must be a number of per cent or "{AUTO}", but is {margin!r:.40}') from None
        if not 0 <= margin <= MOST_MARGIN:
            raise InputError(f"margin must be in 0..{MOST_MARGIN:g} %, but is {margin:g}")
    if margin and not wish.limits:
        raise InputError(f"margin must be a distance to limits, but the wish {wish_text(wish)} has none")
    return margin
