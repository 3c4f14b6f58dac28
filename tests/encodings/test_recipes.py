"""Recipes of orders: their genes, and which recipes others descend from."""

import numpy as np
import pytest

from paretosched import InputError
from paretosched.encodings import recipes
from paretosched.encodings.recipes import GENES, ancestry
from paretosched.encodings.sequence import Sequences
from support.recipes import family


def test_a_recipe_has_six_genes() -> None:
    assert Sequences().gene_labels(5) == ["number", "parent", "mate", "key", "frequency", "jump"] == list(GENES)


def test_a_part_of_an_archive_is_enough_if_it_has_the_ancestors() -> None:
    archive = family(3, 40, mates=0.5)
    rows = archive[[37, 39]]
    ancestors = ancestry(archive, rows)
    assert 0 < len(ancestors) < 38
    assert ancestry(ancestors, rows).tolist() == ancestors.tolist()


@pytest.mark.parametrize("room", [1, 2, 60, 10_000])
def test_there_is_room_for_any_number_of_ancestors(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(4, 3000, mates=0.7)
    expected = ancestry(archive, archive[-50:]).tolist()
    assert len(expected) > 500
    monkeypatch.setattr(recipes, "ROOM", room)
    assert ancestry(archive, archive[-50:]).tolist() == expected


def test_rows_that_are_no_archive_are_refused() -> None:
    archive = family(1, 10, mates=0.0)
    with pytest.raises(InputError, match="recipes must be sorted by number"):
        ancestry(archive[::-1], archive[3:])
    same, apart = np.insert(archive, 6, archive[5], axis=0), archive[[0, 8, 9, 3, 4]]
    same[6, 3] += 1  # two recipes of one number, as from two runs
    for other in (same, apart, archive[[0, 5, 2]]):
        with pytest.raises(InputError, match="recipes must be sorted by number"):
            ancestry(other, np.array([[30, other[-1, 0], 8 if other is apart else 5, 1, 1, 1.0]]))
    late = archive.copy()
    late[6, 1] = 6
    for rows in (late[6:7], np.array([[30, 6, -1, 1, 1, 1.0]])):
        with pytest.raises(
            InputError, match="a parent must be an earlier evaluation, but recipe 6 has the parents 6 and -1"
        ):
            ancestry(late, rows)
    assert len(ancestry(late, archive[:1])) == 0  # what they do not descend from does not matter
    child = np.array([[30, 4, 12, 1, 1, 1.0]])
    with pytest.raises(InputError, match="must have its ancestors here, but recipe 30 has the parents 4 and 12"):
        ancestry(archive, child)
    assert ancestry(archive, archive[:0]).shape == (0, 6)
    assert ancestry(archive[:0], archive[:3]).shape == (0, 6)
