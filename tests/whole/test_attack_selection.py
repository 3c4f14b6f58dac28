"""A selection of the attacks of `make attack`, in less than two minutes: none breaks anything."""

import pytest

from attack.campaign import SELECTION, campaign, in_words


@pytest.mark.slow
def test_nothing_is_broken_by_a_selection_of_attacks() -> None:
    progress: list[str] = []
    rows = campaign(SELECTION, 2, (), progress.append)
    assert sum(row.tried for row in rows) > 500
    assert not any(row.broken for row in rows), "\n".join([*progress, in_words(rows)])
