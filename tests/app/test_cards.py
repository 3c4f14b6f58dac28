"""What the page tells when the browser asks for it."""

from __future__ import annotations

import numpy as np
import pytest
from dash import html

import paretosched as ps
from paretosched.app.cards import text_parts

GENES = np.random.default_rng(4).uniform(0.0, 1.0, (3, 8))


@pytest.mark.parametrize(
    "policy",
    [
        ps.greedy(["f2"] * 3, GENES, groups=("a", "b", "c"), backfill="easy"),
        ps.as_policy("order: wait / estimate * width; backfill: easy:8 for a; backfill-order: estimate"),
        ps.as_policy("sjf; backfill: conservative"),
    ],
    ids=["Greedy", "formula", "SJF"],
)
def test_a_text_for_a_terminal_becomes_paragraphs_and_tables_with_the_same_words(policy: ps.Policy) -> None:
    text = ps.explain(policy).text()
    parts = text_parts(text)
    assert " ".join(str(part.children) for part in parts).split() == text.split()
    tables = [part for part in parts if isinstance(part, html.Pre)]
    assert all("  " in line.strip() or not line.strip("- ") for part in tables for line in part.children.splitlines())
    assert len(parts) < len(text.splitlines())  # lines that were broken are joined
